// SPDX-License-Identifier: Apache-2.0
// What came of a motion, for a person: labels as in `check`, then lists of names and values.

#include "output/outcome.h"

#include "output/digits.h"

#include <math.h>
#include <string.h>

enum {
    LABEL = 18,      // columns of the labels
    NAME_WIDTH = 24, // names are filled up to at most this
    DIGITS = 10,
    FEW_DIGITS = 6,
    MOST_ITEMS = 40, // of a list; the others are counted
    FEW_NAMES = 8    // on one line
};

#define ROUNDING 1e-12 // what is smaller is not worth its digits

// --- numbers and names ---------------------------------------------------------------------------

void rh__outcome_value(rh_text *out, double value, int digits)
{
    if (isfinite(value)) {
        rh__digits_put_short(out, value == 0.0 ? 0.0 : value, digits);
    } else {
        rh__text_put(out, "not finite");
    }
}

void rh__outcome_small(rh_text *out, double value)
{
    if (fabs(value) < ROUNDING) {
        rh__text_put(out, "below 1e-12");
    } else {
        rh__outcome_value(out, value, 2);
    }
}

static void put_padded(rh_text *out, const char *name, size_t width)
{
    const size_t size = rh__utf8_count(rh__slice_of(name));
    rh__text_put(out, "  ");
    rh__text_put(out, name);
    rh__text_format(out, "%*s", (int)(size < width ? width - size : 0) + 2, "");
}

// --- lists of columns ----------------------------------------------------------------------------

// Which columns a list shows, and what it leaves off their names.
typedef struct listing {
    const char *heading;
    unsigned quantities; // set of 1u << rh_quantity
    bool is_bare;        // names without `lambda.` or `dev.`
    bool is_residual;
} listing;

static const listing STATE = {
    "state", 1u << RH_QUANTITY_VARIABLE | 1u << RH_QUANTITY_VELOCITY | 1u << RH_QUANTITY_QUASI,
    false, false};
static const listing MULTIPLIERS = {
    "multipliers", 1u << RH_QUANTITY_MULTIPLIER | 1u << RH_QUANTITY_HELD, true, false};
static const listing OBSERVES = {"observes", 1u << RH_QUANTITY_OBSERVE, false, false};
static const listing RESIDUALS = {"largest deviation of each constraint",
                                  1u << RH_QUANTITY_DEVIATION, true, true};

static bool shows(const rh_outcome *outcome, const listing *list, size_t column)
{
    const rh_quantity quantity = rh_motion_column_quantity(outcome->motion, column);
    return (list->quantities >> quantity & 1u) != 0;
}

static const char *name_of(const rh_outcome *outcome, const listing *list, size_t column)
{
    const char *name = rh_motion_column_name(outcome->motion, column);
    const char *point = list->is_bare ? strchr(name, '.') : NULL;
    return point != NULL ? point + 1 : name;
}

// The longest name that is shown, within reason.
static size_t width_of(const rh_outcome *outcome, const listing *list)
{
    size_t width = 0;
    for (size_t k = 0, count = 0; k < outcome->column_count && count < MOST_ITEMS; k++) {
        if (shows(outcome, list, k)) {
            const size_t size = rh__utf8_count(rh__slice_of(name_of(outcome, list, k)));
            width = size > width && size <= NAME_WIDTH ? size : width;
            count++;
        }
    }
    return width;
}

// A multiplier where the motion stopped because there is none, or many.
static bool is_open_choice(const rh_outcome *outcome, size_t column, double value)
{
    return isnan(value) &&
           rh_motion_column_quantity(outcome->motion, column) == RH_QUANTITY_MULTIPLIER;
}

static void put_list(const rh_outcome *outcome, const listing *list, const double *row)
{
    rh_text *out = outcome->out;
    const size_t width = width_of(outcome, list);
    size_t count = 0;
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (!shows(outcome, list, k) || count++ >= MOST_ITEMS) {
            continue;
        }
        rh__text_format(out, "%s%s", count == 1 ? list->heading : "", count == 1 ? "\n" : "");
        put_padded(out, name_of(outcome, list, k), width);
        if (list->is_residual) {
            rh__outcome_small(out, rh_motion_residual(outcome->motion, count - 1));
        } else if (is_open_choice(outcome, k, row[k])) {
            rh__text_put(out, "not determined");
        } else {
            rh__outcome_value(out, row[k], DIGITS);
        }
        rh__text_put(out, "\n");
    }
    if (count > MOST_ITEMS) {
        rh__text_format(out, "  ... and %zu more; --json has all\n", count - MOST_ITEMS);
    }
}

// --- events --------------------------------------------------------------------------------------

static void put_events(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    size_t count = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(outcome->motion); k++) {
        const rh_occurrence occurrence = rh_motion_occurrence(outcome->motion, k);
        if (!rh__outcome_is_shown(outcome, &occurrence) || count++ >= MOST_ITEMS) {
            continue;
        }
        rh__text_put(out, count == 1 ? "events\n" : "");
        const rh_mark mark = rh__arena_mark(outcome->scratch);
        rh_text time = rh__text_begin(outcome->scratch, NULL);
        rh__outcome_value(&time, occurrence.time, DIGITS);
        rh__text_format(out, "  t = %-*.*s  %-7s  %s\n", DIGITS + 2,
                        RH_SLICE_FORMAT(rh__text_slice(&time)),
                        rh_occurrence_kind_text(occurrence.kind), occurrence.name);
        rh__arena_rewind(outcome->scratch, mark);
    }
    if (count > MOST_ITEMS) {
        rh__text_format(out, "  ... and %zu more; --json has all\n", count - MOST_ITEMS);
    }
}

// --- the whole -----------------------------------------------------------------------------------

static void put_label(const rh_outcome *outcome, const char *label)
{
    rh__text_format(outcome->out, "%-*s", LABEL, label);
}

static void put_end(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    rh__text_put(out, outcome->is_reached ? "reached t = " : "stopped at t = ");
    rh__outcome_value(out, rh_motion_time(outcome->motion), DIGITS);
    if (!outcome->is_reached) {
        rh__text_put(out, ", because ");
        rh__output_safe(out, rh__slice_of(outcome->reason));
    }
    rh__text_put(out, "\n");
}

static void put_method(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    const rh_motion_summary *summary = &outcome->summary;
    const char *method = rh_motion_method(outcome->motion);
    put_label(outcome, "method");
    rh__text_put(out, method);
    if (strcmp(method, "taylor") == 0) {
        rh__text_format(out, " of order %u", (unsigned)summary->order);
    }
    const double step = rh_motion_fixed_step(outcome->motion);
    rh__text_put(out, step > 0.0 ? ", steps of " : ", tolerance ");
    rh__outcome_value(out, step > 0.0 ? step : outcome->def->tolerance, FEW_DIGITS);
    rh__text_format(out, "; %s\n", rh_motion_method_reason(outcome->motion));
    if (rh_motion_tier_matters(outcome->motion)) {
        put_label(outcome, "series");
        rh__text_format(out, "%s; ", summary->tier);
        rh__output_safe(out, rh__slice_of(summary->tier_reason));
        rh__text_put(out, "\n");
    }
    put_label(outcome, "steps");
    rh__text_format(out, "%llu\n", (unsigned long long)summary->steps);
    if (summary->singular_steps > 0) {
        put_label(outcome, "singular");
        rh__text_format(out, "in %llu steps constraints were redundant or singular\n",
                        (unsigned long long)summary->singular_steps);
    }
}

// Which multipliers are one of many at the end, and since when that is so.
static void put_unique(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    size_t link = 0;
    size_t count = 0;
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (!shows(outcome, &RESIDUALS, k) || rh_motion_is_unique(outcome->motion, link++)) {
            continue;
        }
        if (count++ == 0) {
            put_label(outcome, "not unique");
        }
        if (count <= FEW_NAMES) {
            rh__text_put(out, count > 1 ? ", " : "");
            rh__text_put(out, name_of(outcome, &RESIDUALS, k));
        }
    }
    if (count > FEW_NAMES) {
        rh__text_format(out, ", ... and %zu more", count - FEW_NAMES);
    }
    if (outcome->summary.unique_changes > 0) {
        if (count == 0) {
            put_label(outcome, "unique");
        }
        rh__text_put(out, count == 0 ? "all reactions since t = " : ", since t = ");
        rh__outcome_value(out, outcome->summary.unique_since, FEW_DIGITS);
    }
    rh__text_put(out, count > 0 || outcome->summary.unique_changes > 0 ? "\n" : "");
}

// The change is relative where there is something to relate it to.
static void put_energy(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    const double start = outcome->summary.energy_start;
    const double now = outcome->summary.energy_now;
    if (isnan(start)) {
        return;
    }
    const double change = now - start;
    const bool is_relative = fabs(start) > 1e-9 * fabs(change) && fabs(start) > ROUNDING;
    put_label(outcome, "energy");
    rh__outcome_value(out, fabs(start) < ROUNDING ? 0.0 : start, FEW_DIGITS);
    rh__text_put(out, " at the start, ");
    rh__outcome_value(out, fabs(now) < ROUNDING ? 0.0 : now, FEW_DIGITS);
    rh__text_put(out, is_relative ? " at the end, relative change " : " at the end, change ");
    rh__outcome_small(out, is_relative ? change / fabs(start) : change);
    rh__text_put(out, "\n");
}

static void put_share(const rh_outcome *outcome, const char *name, size_t width, double value)
{
    put_padded(outcome->out, name, width);
    if (fabs(value) < ROUNDING) {
        rh__text_put(outcome->out, "0");
    } else {
        rh__outcome_value(outcome->out, value, DIGITS);
    }
    rh__text_put(outcome->out, "\n");
}

// Who changed the energy. What does not occur is left out.
static void put_work(const rh_outcome *outcome)
{
    static const char *const LABELS[] = {"forces", "impacts", "drive", "missing"};
    rh_text *out = outcome->out;
    if (!rh__outcome_has_work(outcome)) {
        return;
    }
    const rh_work_summary work = rh_work_summarise(outcome->def->work);
    const double shares[] = {work.forces, work.impacts, work.drive};
    const size_t links = width_of(outcome, &RESIDUALS);
    const size_t width = links > strlen(LABELS[1]) ? links : strlen(LABELS[1]);
    size_t count = 0;
    rh__text_put(out, "work\n");
    put_share(outcome, LABELS[0], width, shares[0]);
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (shows(outcome, &RESIDUALS, k) && count++ < MOST_ITEMS) {
            put_share(outcome, name_of(outcome, &RESIDUALS, k), width,
                      rh_work_constraint(outcome->def->work, count - 1));
        }
    }
    if (count > MOST_ITEMS) {
        rh__text_format(out, "  ... and %zu more; --json has all\n", count - MOST_ITEMS);
    }
    for (size_t k = 1; work.has_energy && k < 3; k++) {
        if (fabs(shares[k]) >= ROUNDING) {
            put_share(outcome, LABELS[k], width, shares[k]);
        }
    }
    if (work.has_energy) {
        put_padded(out, LABELS[3], width);
        rh__outcome_small(out, work.error);
        rh__text_put(out, "\n");
    }
}

static void put_reversal(const rh_outcome *outcome)
{
    const rh_reversal *reversal = outcome->def->reversal;
    rh_text *out = outcome->out;
    if (reversal == NULL) {
        return;
    }
    put_label(outcome, "reversal");
    if (reversal->holds) {
        rh__text_put(out, "reversible, difference ");
        rh__outcome_small(out, reversal->largest);
    } else {
        rh__text_put(out, "not reversible");
        rh__text_put(out, reversal->reason[0] != '\0' ? ": " : "");
        rh__output_safe(out, rh__slice_of(reversal->reason));
    }
    rh__text_put(out, "\n");
}

// Start values are what somebody wanted: changes are shown before what came of them.
static void put_repair(const rh_outcome *outcome)
{
    const rh_start *start = &outcome->checkup->start;
    rh_text *out = outcome->out;
    size_t width = 0;
    if (!start->is_repaired) {
        return;
    }
    rh__text_put(out, "repair of the start\n");
    for (uint32_t k = 0; k < start->moved.count && k < MOST_ITEMS; k++) {
        const char *name = rh__outcome_symbol(outcome, start->moved.data[k].symbol);
        const size_t size = rh__utf8_count(rh__slice_of(name));
        width = size > width && size <= NAME_WIDTH ? size : width;
    }
    for (uint32_t k = 0; k < start->moved.count && k < MOST_ITEMS; k++) {
        const rh_start_move *move = &start->moved.data[k];
        put_padded(out, rh__outcome_symbol(outcome, move->symbol), width);
        rh__text_put(out, "from ");
        rh__outcome_value(out, move->from, DIGITS);
        rh__text_put(out, " to ");
        rh__outcome_value(out, move->to, DIGITS);
        rh__text_put(out, ", by ");
        rh__outcome_value(out, move->to - move->from, FEW_DIGITS);
        rh__text_put(out, "\n");
    }
    if (start->moved.count > MOST_ITEMS) {
        rh__text_format(out, "  ... and %zu more; --json has all\n",
                        (size_t)start->moved.count - MOST_ITEMS);
    }
}

static void put_rows(const rh_outcome *outcome)
{
    for (size_t k = 0; k < outcome->def->row_count; k++) {
        const double *row = outcome->def->rows + k * outcome->column_count;
        rh__text_put(outcome->out, "\nat t = ");
        rh__outcome_value(outcome->out, row[0], DIGITS);
        rh__text_put(outcome->out, "\n");
        put_list(outcome, &STATE, row);
        put_list(outcome, &MULTIPLIERS, row);
        put_list(outcome, &OBSERVES, row);
    }
}

void rh__outcome_text(const rh_outcome *outcome)
{
    rh__output_safe(outcome->out, outcome->model->title);
    rh__text_put(outcome->out, outcome->model->title.size > 0 ? "\n\n" : "");
    put_end(outcome);
    put_method(outcome);
    put_unique(outcome);
    put_energy(outcome);
    put_repair(outcome);
    put_reversal(outcome);
    put_work(outcome);
    put_list(outcome, &STATE, outcome->row);
    put_list(outcome, &MULTIPLIERS, outcome->row);
    put_list(outcome, &OBSERVES, outcome->row);
    put_events(outcome);
    put_list(outcome, &RESIDUALS, outcome->row);
    rh__decays_text(outcome);
    put_rows(outcome);
}
