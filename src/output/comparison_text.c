// SPDX-License-Identifier: Apache-2.0
// Motions side by side, for a person: the variants by number, then a table with a column for each.

#include "output/comparison.h"

#include <math.h>
#include <string.h>

enum {
    LABEL = 24, // columns of the names of rows
    CELL = 20,  // and of each variant
    DIGITS = 10,
    FEW_DIGITS = 6,
    MOST_ITEMS = 40, // of a list; the others are counted
    KINDS = RH_OCCURRENCE_ACCUMULATE + 1
};

// --- cells ---------------------------------------------------------------------------------------

static void fill_up(rh_text *out, size_t size, size_t width)
{
    rh__text_format(out, "%*s", (int)(size < width ? width - size : 1), "");
}

static void put_label(const rh_comparison *comparison, const char *before, const char *name)
{
    rh__text_put(comparison->out, before);
    rh__output_safe(comparison->out, rh__slice_of(name));
    fill_up(comparison->out, strlen(before) + rh__utf8_count(rh__slice_of(name)), LABEL);
}

// What one variant has in a row.
typedef void put_cell(const rh_comparison *comparison, uint32_t variant, size_t item, rh_text *out);

static void put_row(const rh_comparison *comparison, put_cell *put, size_t item)
{
    for (uint32_t k = 0; k < comparison->count; k++) {
        const rh_mark mark = rh__arena_mark(comparison->scratch);
        rh_text cell = rh__text_begin(comparison->scratch, NULL);
        put(comparison, k, item, &cell);
        const rh_slice text = rh__text_slice(&cell);
        rh__text_put_slice(comparison->out, text);
        if (k + 1 < comparison->count) {
            fill_up(comparison->out, text.size, CELL);
        }
        rh__arena_rewind(comparison->scratch, mark);
    }
    rh__text_put(comparison->out, "\n");
}

static void put_number_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                            rh_text *out)
{
    (void)comparison;
    (void)item;
    rh__text_format(out, "%u", (unsigned)variant + 1);
}

static void put_end_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                         rh_text *out)
{
    (void)item;
    rh__text_put(out, comparison->outcomes[variant].is_reached ? "reached t = " : "stopped t = ");
    rh__outcome_value(out, rh_motion_time(comparison->outcomes[variant].motion), FEW_DIGITS);
}

static void put_steps_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                           rh_text *out)
{
    const rh_outcome *outcome = &comparison->outcomes[variant];
    (void)item;
    rh__text_format(out, "%llu %s", (unsigned long long)outcome->summary.steps,
                    rh_motion_method(outcome->motion));
}

static void put_column_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                            rh_text *out)
{
    rh__outcome_value(out, comparison->outcomes[variant].row[item], DIGITS);
}

static void put_energy_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                            rh_text *out)
{
    const rh_motion_summary *summary = &comparison->outcomes[variant].summary;
    const double change = summary->energy_now - summary->energy_start;
    if (isnan(summary->energy_start)) {
        rh__text_put(out, "-");
    } else if (item == 0) {
        rh__outcome_value(out, summary->energy_start, DIGITS);
    } else {
        rh__outcome_small(out, change);
    }
}

// Shares of the balance; above them the links.
enum { WORK_FORCES, WORK_IMPACTS, WORK_DRIVE, WORK_MISSING, WORK_LINKS };

static bool is_known(const rh_comparison *comparison, uint32_t variant, size_t item)
{
    const rh_work *work = comparison->defs[variant].work;
    return work != NULL &&
           (item == WORK_FORCES || item >= WORK_LINKS || rh_work_summarise(work).has_energy);
}

static double share_of(const rh_comparison *comparison, uint32_t variant, size_t item)
{
    const rh_work *work = comparison->defs[variant].work;
    if (!is_known(comparison, variant, item)) {
        return 0.0;
    }
    const rh_work_summary summary = rh_work_summarise(work);
    const double shares[] = {summary.forces, summary.impacts, summary.drive, summary.error};
    return item < WORK_LINKS ? shares[item] : rh_work_constraint(work, item - WORK_LINKS);
}

static void put_work_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                          rh_text *out)
{
    const double share = share_of(comparison, variant, item);
    if (!is_known(comparison, variant, item)) {
        rh__text_put(out, "-");
    } else if (item == WORK_MISSING) {
        rh__outcome_small(out, share);
    } else {
        rh__outcome_value(out, fabs(share) < 1e-12 ? 0.0 : share, DIGITS);
    }
}

static size_t count_events(const rh_outcome *outcome, rh_occurrence_kind kind)
{
    size_t count = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(outcome->motion); k++) {
        const rh_occurrence occurrence = rh_motion_occurrence(outcome->motion, k);
        count += occurrence.kind == kind && rh__outcome_is_shown(outcome, &occurrence);
    }
    return count;
}

static void put_events_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                            rh_text *out)
{
    rh__text_format(out, "%zu",
                    count_events(&comparison->outcomes[variant], (rh_occurrence_kind)item));
}

static void put_difference_cell(const rh_comparison *comparison, uint32_t variant, size_t item,
                                rh_text *out)
{
    const rh_difference difference = rh__comparison_at(comparison, variant, item);
    if (variant == 0 || isnan(difference.largest)) {
        rh__text_put(out, "-");
        return;
    }
    rh__outcome_small(out, difference.largest);
    if (difference.largest >= 1e-12) {
        rh__text_put(out, " at ");
        rh__outcome_value(out, difference.time, 4);
    }
}

// --- lists ---------------------------------------------------------------------------------------

typedef struct listing {
    const char *heading;
    unsigned quantities; // set of 1u << rh_quantity
    bool is_bare;        // names without `lambda.`
    put_cell *put;
} listing;

enum {
    STATE_SET = 1u << RH_QUANTITY_VARIABLE | 1u << RH_QUANTITY_VELOCITY | 1u << RH_QUANTITY_QUASI,
    MULTIPLIER_SET = 1u << RH_QUANTITY_MULTIPLIER | 1u << RH_QUANTITY_HELD,
    OBSERVE_SET = 1u << RH_QUANTITY_OBSERVE
};

static const listing STATE = {"state", STATE_SET, false, put_column_cell};
static const listing MULTIPLIERS = {"multipliers", MULTIPLIER_SET, true, put_column_cell};
static const listing OBSERVES = {"observes", OBSERVE_SET, false, put_column_cell};
static const listing DIFFERENCES = {"largest difference from 1",
                                    STATE_SET | MULTIPLIER_SET | OBSERVE_SET |
                                        1u << RH_QUANTITY_DEVIATION,
                                    false, put_difference_cell};

static void put_list(const rh_comparison *comparison, const listing *list)
{
    const rh_motion *motion = comparison->outcomes[0].motion;
    size_t count = 0;
    for (size_t k = 0; k < comparison->column_count; k++) {
        if ((list->quantities >> rh_motion_column_quantity(motion, k) & 1u) == 0 ||
            count++ >= MOST_ITEMS) {
            continue;
        }
        const char *name = rh_motion_column_name(motion, k);
        rh__text_format(comparison->out, "%s%s", count == 1 ? list->heading : "",
                        count == 1 ? "\n" : "");
        put_label(comparison, "  ", list->is_bare ? rh__outcome_constraint(name) : name);
        put_row(comparison, list->put, k);
    }
    if (count > MOST_ITEMS) {
        rh__text_format(comparison->out, "  ... and %zu more; --json has all\n",
                        count - MOST_ITEMS);
    }
}

static void put_events(const rh_comparison *comparison)
{
    bool is_first = true;
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t count = 0;
        for (uint32_t k = 0; k < comparison->count; k++) {
            count += count_events(&comparison->outcomes[k], (rh_occurrence_kind)kind);
        }
        if (count > 0) {
            rh__text_put(comparison->out, is_first ? "number of events\n" : "");
            put_label(comparison, "  ", rh_occurrence_kind_text((rh_occurrence_kind)kind));
            put_row(comparison, put_events_cell, kind);
            is_first = false;
        }
    }
}

static void put_share(const rh_comparison *comparison, const char *name, size_t item,
                      bool is_always)
{
    bool is_there = is_always;
    for (uint32_t k = 0; k < comparison->count; k++) {
        is_there = is_there || fabs(share_of(comparison, k, item)) >= 1e-12;
    }
    if (is_there) {
        put_label(comparison, "  ", name);
        put_row(comparison, put_work_cell, item);
    }
}

// What does not occur in any variant is left out.
static void put_work(const rh_comparison *comparison)
{
    const rh_motion *motion = comparison->outcomes[0].motion;
    size_t link = 0;
    rh__text_put(comparison->out, "work\n");
    put_share(comparison, "forces", WORK_FORCES, true);
    for (size_t k = 0; k < comparison->column_count; k++) {
        if (rh_motion_column_quantity(motion, k) == RH_QUANTITY_DEVIATION && link < MOST_ITEMS) {
            put_share(comparison, rh__outcome_constraint(rh_motion_column_name(motion, k)),
                      WORK_LINKS + link++, true);
        }
    }
    put_share(comparison, "impacts", WORK_IMPACTS, false);
    put_share(comparison, "drive", WORK_DRIVE, false);
    put_share(comparison, "missing", WORK_MISSING, true);
}

// --- the whole -----------------------------------------------------------------------------------

static void put_variants(const rh_comparison *comparison)
{
    rh_text *out = comparison->out;
    for (uint32_t k = 0; k < comparison->count; k++) {
        const rh_outcome *outcome = &comparison->outcomes[k];
        rh__text_format(out, "%u  ", (unsigned)k + 1);
        rh__output_safe(out, rh__slice_of(comparison->def->variants[k].by));
        if (!outcome->is_reached) {
            rh__text_put(out, "\n   stopped at t = ");
            rh__outcome_value(out, rh_motion_time(outcome->motion), DIGITS);
            rh__text_put(out, ", because ");
            rh__output_safe(out, rh__slice_of(outcome->reason));
        }
        rh__text_put(out, "\n");
    }
    rh__text_put(out, "\n");
}

void rh__comparison_text(const rh_comparison *comparison)
{
    const rh_slice title = comparison->outcomes[0].model->title;
    rh__output_safe(comparison->out, title);
    rh__text_put(comparison->out, title.size > 0 ? "\n\n" : "");
    put_variants(comparison);
    put_label(comparison, "", "");
    put_row(comparison, put_number_cell, 0);
    put_label(comparison, "", "end");
    put_row(comparison, put_end_cell, 0);
    put_label(comparison, "", "steps");
    put_row(comparison, put_steps_cell, 0);
    put_list(comparison, &STATE);
    put_list(comparison, &MULTIPLIERS);
    put_list(comparison, &OBSERVES);
    put_events(comparison);
    put_label(comparison, "", "energy at the start");
    put_row(comparison, put_energy_cell, 0);
    put_label(comparison, "", "change of energy");
    put_row(comparison, put_energy_cell, 1);
    if (rh__outcome_has_work(&comparison->outcomes[0])) {
        put_work(comparison);
    }
    put_list(comparison, &DIFFERENCES);
}
