// SPDX-License-Identifier: Apache-2.0
// What came of a motion, as the object of `run --json` (outcome_text.c has the text). Numbers have
// 17 digits; what is not finite is null.

#include "output/outcome.h"

#include "motion/motion.h"
#include "output/digits.h"

#include <math.h>
#include <string.h>

bool rh__outcome_is_shown(const rh_outcome *outcome, const rh_occurrence *occurrence)
{
    const bool is_impulse = occurrence->kind == RH_OCCURRENCE_IMPACT ||
                            occurrence->kind == RH_OCCURRENCE_ENGAGE ||
                            occurrence->kind == RH_OCCURRENCE_REFRACT;
    return occurrence->time > outcome->def->time_start ||
           (is_impulse && occurrence->time == outcome->def->time_start);
}

// --- small things --------------------------------------------------------------------------------

void rh__outcome_number(rh_text *out, double value)
{
    char digits[RH_DIGITS_SIZE] = "null";
    if (isfinite(value)) {
        (void)rh__digits_print(value == 0.0 ? 0.0 : value, digits);
    }
    rh__text_put(out, digits);
}

void rh__outcome_key(rh_text *out, const char *name, bool is_first)
{
    rh__text_put(out, is_first ? "" : ", ");
    rh__text_put_json(out, rh__slice_of(name));
    rh__text_put(out, ": ");
}

const char *rh__outcome_constraint(const char *column)
{
    const char *point = strchr(column, '.');
    return point != NULL ? point + 1 : column;
}

// --- groups of columns ---------------------------------------------------------------------------

static bool is_state(rh_quantity quantity)
{
    switch (quantity) {
    case RH_QUANTITY_VARIABLE:
    case RH_QUANTITY_VELOCITY:
    case RH_QUANTITY_QUASI:
    case RH_QUANTITY_HELD:
        return true;
    case RH_QUANTITY_TIME:
    case RH_QUANTITY_MULTIPLIER:
    case RH_QUANTITY_DEVIATION:
    case RH_QUANTITY_OBSERVE:
        return false;
    }
    return false;
}

static void put_state(const rh_outcome *outcome, const double *row)
{
    bool is_first = true;
    rh__text_put(outcome->out, ", \"state\": {");
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (is_state(rh_motion_column_quantity(outcome->motion, k))) {
            rh__outcome_key(outcome->out, rh_motion_column_name(outcome->motion, k), is_first);
            rh__outcome_number(outcome->out, row[k]);
            is_first = false;
        }
    }
    rh__text_put(outcome->out, "}");
}

static void put_multipliers(const rh_outcome *outcome, const double *row)
{
    bool is_first = true;
    rh__text_put(outcome->out, ", \"multipliers\": {");
    for (size_t k = 0; k < outcome->column_count; k++) {
        const rh_quantity quantity = rh_motion_column_quantity(outcome->motion, k);
        if (quantity == RH_QUANTITY_MULTIPLIER || quantity == RH_QUANTITY_HELD) {
            rh__outcome_key(outcome->out,
                            rh__outcome_constraint(rh_motion_column_name(outcome->motion, k)),
                            is_first);
            rh__outcome_number(outcome->out, row[k]);
            is_first = false;
        }
    }
    rh__text_put(outcome->out, "}");
}

static void put_observes(const rh_outcome *outcome, const double *row)
{
    bool is_first = true;
    rh__text_put(outcome->out, ", \"observe\": {");
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (rh_motion_column_quantity(outcome->motion, k) == RH_QUANTITY_OBSERVE) {
            rh__outcome_key(outcome->out, rh_motion_column_name(outcome->motion, k), is_first);
            rh__outcome_number(outcome->out, row[k]);
            is_first = false;
        }
    }
    rh__text_put(outcome->out, "}");
}

// --- by constraint -------------------------------------------------------------------------------

// Deviations stand in the order of the constraints. Uniqueness is that of the end.
static void put_constraints(const rh_outcome *outcome, bool is_residual)
{
    uint32_t link = 0;
    rh__text_put(outcome->out, is_residual ? ", \"residual\": {" : ", \"unique\": {");
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (rh_motion_column_quantity(outcome->motion, k) != RH_QUANTITY_DEVIATION) {
            continue;
        }
        rh__outcome_key(outcome->out,
                        rh__outcome_constraint(rh_motion_column_name(outcome->motion, k)),
                        link == 0);
        if (is_residual) {
            rh__outcome_number(outcome->out, rh_motion_residual(outcome->motion, link));
        } else {
            rh__text_put(outcome->out,
                         rh_motion_is_unique(outcome->motion, link) ? "true" : "false");
        }
        link++;
    }
    rh__text_put(outcome->out, "}");
}

// --- events and modes ----------------------------------------------------------------------------

// A reset is a record: the words are those that other programs know.
static const char *kind_of(rh_occurrence_kind kind)
{
    return rh_occurrence_kind_text(kind == RH_OCCURRENCE_RESET ? RH_OCCURRENCE_RECORD : kind);
}

// Is the name of such an event the text of a condition?
static bool is_of_condition(rh_occurrence_kind kind)
{
    return kind == RH_OCCURRENCE_SLIDE || kind == RH_OCCURRENCE_REFRACT ||
           kind == RH_OCCURRENCE_REFLECT;
}

static void put_events(const rh_outcome *outcome)
{
    bool is_first = true;
    rh__text_put(outcome->out, ", \"events\": [");
    for (size_t k = 0; k < rh_motion_occurrence_count(outcome->motion); k++) {
        const rh_occurrence occurrence = rh_motion_occurrence(outcome->motion, k);
        if (!rh__outcome_is_shown(outcome, &occurrence)) {
            continue;
        }
        rh__text_put(outcome->out, is_first ? "{\"time\": " : ", {\"time\": ");
        rh__outcome_number(outcome->out, occurrence.time);
        rh__text_format(outcome->out,
                        ", \"kind\": \"%s\", \"constraint\": ", kind_of(occurrence.kind));
        rh__text_put_json(outcome->out, rh__slice_of(occurrence.name));
        if (is_of_condition(occurrence.kind)) {
            rh__text_put(outcome->out, ", \"condition\": ");
            rh__text_put_json(outcome->out, rh__slice_of(occurrence.name));
        }
        if (occurrence.kind == RH_OCCURRENCE_ACCUMULATE) {
            rh__text_format(outcome->out, ", \"count\": %llu",
                            (unsigned long long)occurrence.count);
        }
        rh__text_put(outcome->out, "}");
        is_first = false;
    }
    rh__text_put(outcome->out, "]");
}

typedef bool is_in_mode(const rh_motion *motion, size_t constraint);

// Names of the one-sided constraints, and of those that come and go, that are in a state.
static void put_names(const rh_outcome *outcome, const char *key, is_in_mode *is_in)
{
    size_t link = 0;
    bool is_first = true;
    rh__text_format(outcome->out, "\"%s\": [", key);
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (rh_motion_column_quantity(outcome->motion, k) != RH_QUANTITY_DEVIATION) {
            continue;
        }
        const bool may_rest = rh_motion_is_one_sided(outcome->motion, link) ||
                              rh__intermittent_find(outcome->motion, link) != NULL;
        if (may_rest && is_in(outcome->motion, link)) {
            const char *name = rh__outcome_constraint(rh_motion_column_name(outcome->motion, k));
            rh__text_put(outcome->out, is_first ? "" : ", ");
            rh__text_put_json(outcome->out, rh__slice_of(name));
            is_first = false;
        }
        link++;
    }
    rh__text_put(outcome->out, "]");
}

static void put_mode(const rh_outcome *outcome)
{
    rh__text_put(outcome->out, ", \"mode\": {");
    put_names(outcome, "start", rh_motion_was_active);
    rh__text_put(outcome->out, ", ");
    put_names(outcome, "end", rh_motion_is_active);
    rh__text_put(outcome->out, ", ");
    put_names(outcome, "neutral", rh_motion_is_neutral);
    rh__text_put(outcome->out, "}");
}

// --- the start -----------------------------------------------------------------------------------

const char *rh__outcome_symbol(const rh_outcome *outcome, rh_expr symbol)
{
    const rh_store *store = outcome->model->store;
    rh_text name = rh__text_begin(outcome->scratch, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &name);
    return rh__text_print(outcome->scratch, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&name)));
}

// What a repair moved and by how much; nothing where it was not asked for.
static void put_repair(const rh_outcome *outcome)
{
    const rh_start *start = &outcome->checkup->start;
    if (!outcome->checkup->equations->is_start_repaired) {
        return;
    }
    rh__text_put(outcome->out, ", \"repaired\": {");
    for (uint32_t k = 0; start->is_repaired && k < start->moved.count; k++) {
        const rh_start_move *move = &start->moved.data[k];
        rh__outcome_key(outcome->out, rh__outcome_symbol(outcome, move->symbol), k == 0);
        rh__outcome_number(outcome->out, move->to - move->from);
    }
    rh__text_put(outcome->out, "}");
}

// --- the object ----------------------------------------------------------------------------------

static void put_energy(const rh_outcome *outcome)
{
    if (isnan(outcome->summary.energy_start)) {
        rh__text_put(outcome->out, ", \"energy\": null");
        return;
    }
    rh__text_put(outcome->out, ", \"energy\": {\"start\": ");
    rh__outcome_number(outcome->out, outcome->summary.energy_start);
    rh__text_put(outcome->out, ", \"end\": ");
    rh__outcome_number(outcome->out, outcome->summary.energy_now);
    rh__text_put(outcome->out, "}");
}

// Nothing moves without coordinates.
bool rh__outcome_has_work(const rh_outcome *outcome)
{
    bool has_velocity = false;
    for (size_t k = 0; k < outcome->column_count; k++) {
        has_velocity =
            has_velocity || rh_motion_column_quantity(outcome->motion, k) == RH_QUANTITY_VELOCITY;
    }
    return has_velocity && outcome->def->work != NULL;
}

// Without energies there is nothing to balance: what belongs to it is null.
static void put_work(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    if (!rh__outcome_has_work(outcome)) {
        rh__text_put(out, outcome->def->work != NULL ? ", \"work\": null" : "");
        return;
    }
    const rh_work_summary work = rh_work_summarise(outcome->def->work);
    size_t link = 0;
    rh__text_put(out, ", \"work\": {\"forces\": ");
    rh__outcome_number(out, work.forces);
    rh__text_put(out, ", \"constraints\": {");
    for (size_t k = 0; k < outcome->column_count; k++) {
        if (rh_motion_column_quantity(outcome->motion, k) == RH_QUANTITY_DEVIATION) {
            rh__outcome_key(out, rh__outcome_constraint(rh_motion_column_name(outcome->motion, k)),
                            link == 0);
            rh__outcome_number(out, rh_work_constraint(outcome->def->work, link++));
        }
    }
    rh__text_put(out, "}, \"impacts\": ");
    rh__outcome_number(out, work.has_energy ? work.impacts : (double)NAN);
    rh__text_put(out, ", \"drive\": ");
    rh__outcome_number(out, work.has_energy ? work.drive : (double)NAN);
    rh__text_put(out, ", \"error\": ");
    rh__outcome_number(out, work.has_energy ? work.error : (double)NAN);
    rh__text_put(out, "}");
}

static void put_reversal(const rh_outcome *outcome)
{
    const rh_reversal *reversal = outcome->def->reversal;
    rh_text *out = outcome->out;
    bool is_first = true;
    if (reversal == NULL) {
        return;
    }
    rh__text_format(
        out, ", \"reversal\": {\"holds\": %s, \"largest\": ", reversal->holds ? "true" : "false");
    rh__outcome_number(out, reversal->largest);
    rh__text_put(out, ", \"differences\": {");
    for (size_t k = 0; reversal->differences != NULL && k < outcome->column_count; k++) {
        if (!isnan(reversal->differences[k])) {
            rh__outcome_key(out, rh_motion_column_name(outcome->motion, k), is_first);
            rh__outcome_number(out, reversal->differences[k]);
            is_first = false;
        }
    }
    rh__text_put(out, "}, \"reason\": ");
    rh__text_put_json(out, rh__slice_of(reversal->reason));
    rh__text_put(out, "}");
}

static void put_rows(const rh_outcome *outcome)
{
    const rh_outcome_def *def = outcome->def;
    rh__text_put(outcome->out, ", \"at\": [");
    for (size_t k = 0; k < def->row_count; k++) {
        const double *row = def->rows + k * outcome->column_count;
        rh__text_put(outcome->out, k == 0 ? "{\"time\": " : ", {\"time\": ");
        rh__outcome_number(outcome->out, row[0]);
        put_state(outcome, row);
        put_multipliers(outcome, row);
        put_observes(outcome, row);
        rh__text_put(outcome->out, "}");
    }
    rh__text_put(outcome->out, "]");
}

void rh__outcome_keys(const rh_outcome *outcome)
{
    rh_text *out = outcome->out;
    rh__text_format(out,
                    "\"status\": \"%s\", \"time\": ", outcome->is_reached ? "reached" : "stopped");
    rh__outcome_number(out, rh_motion_time(outcome->motion));
    put_state(outcome, outcome->row);
    put_multipliers(outcome, outcome->row);
    put_observes(outcome, outcome->row);
    put_constraints(outcome, false);
    put_events(outcome);
    put_energy(outcome);
    put_work(outcome);
    put_constraints(outcome, true);
    rh__text_format(out, ", \"steps\": %llu", (unsigned long long)outcome->summary.steps);
    rh__text_format(out, ", \"method\": \"%s\", \"method_reason\": ", outcome->summary.method);
    rh__text_put_json(out, rh__slice_of(outcome->summary.method_reason));
    rh__text_format(out, ", \"tier\": \"%s\", \"tier_reason\": ", outcome->summary.tier);
    rh__text_put_json(out, rh__slice_of(outcome->summary.tier_reason));
    if (!outcome->is_reached) {
        rh__text_put(out, ", \"reason\": ");
        rh__text_put_json(out, rh__slice_of(outcome->reason));
        if (rh_motion_reason_code(outcome->motion)[0] != '\0') {
            rh__text_format(out, ", \"code\": \"%s\"", rh_motion_reason_code(outcome->motion));
        }
    }
    put_mode(outcome);
    if (!isnan(outcome->summary.push)) {
        rh__text_put(out, ", \"push\": ");
        rh__outcome_number(out, outcome->summary.push);
    }
    put_repair(outcome);
    put_reversal(outcome);
    rh__decays_keys(outcome);
    if (outcome->def->rows != NULL) {
        put_rows(outcome);
    }
}

// --- gathering -----------------------------------------------------------------------------------

// The reason of the caller, of the motion, or the event that stopped it.
static const char *reason_of(const rh_outcome *outcome, rh_arena *arena)
{
    const rh_outcome_def *def = outcome->def;
    if (def->reason != NULL) {
        return def->reason;
    }
    if (def->stop != RH_STOP_EVENT) {
        return rh_motion_reason(def->motion);
    }
    // others may have happened at the same time, and of very many the last are not kept
    for (size_t k = rh_motion_occurrence_count(def->motion); k > 0; k--) {
        const rh_occurrence occurrence = rh_motion_occurrence(def->motion, k - 1);
        if (occurrence.kind == RH_OCCURRENCE_STOP) {
            return rh__text_print(arena, "the event %s stops the motion", occurrence.name);
        }
    }
    return "an event stops the motion";
}

rh_status rh__outcome_gather(rh_outcome *outcome, rh_error *err)
{
    const rh_outcome_def *def = outcome->def;
    rh_arena *arena = outcome->scratch;
    outcome->column_count = rh_motion_column_count(def->motion);
    outcome->row = rh__arena_array(arena, double, outcome->column_count);
    if (outcome->row == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    // the energy is that of the row asked for last
    RH_TRY(rh_motion_row(def->motion, rh_motion_time(def->motion), outcome->row, err));
    outcome->summary = rh_motion_summarise(def->motion);
    outcome->is_reached = def->stop == RH_STOP_REACHED;
    outcome->reason = reason_of(outcome, arena);
    return RH_OK;
}

static rh_status write_outcome(rh_outcome *outcome, rh_format format, rh_error *err)
{
    RH_TRY(rh__outcome_gather(outcome, err));
    if (format == RH_FORMAT_JSON) {
        rh__text_put(outcome->out, "{");
        rh__outcome_keys(outcome);
        rh__text_put(outcome->out, "}\n");
    } else {
        rh__outcome_text(outcome);
    }
    return RH_OK;
}

// An older program knows a shorter def.
rh_status rh__outcome_begin(const rh_outcome_def *def, rh_outcome_def *out, rh_error *err)
{
    RH_REQUIRE(def != NULL && def->struct_size != 0 && def->struct_size <= sizeof *def, err);
    *out = rh_outcome_def_default();
    memcpy(out, def, def->struct_size);
    RH_REQUIRE(out->motion != NULL && out->checkup != NULL, err);
    RH_REQUIRE(out->rows != NULL || out->row_count == 0, err);
    return RH_OK;
}

rh_status rh_output_outcome(const rh_outcome_def *def, rh_format format, rh_sink sink,
                            rh_error *err)
{
    RH_REQUIRE(def != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    rh_outcome_def whole = rh_outcome_def_default();
    RH_TRY(rh__outcome_begin(def, &whole, err));
    RH_REQUIRE(whole.checkup != NULL, err); // it never is: the analyser must be told so
    const rh_model *model = whole.checkup->equations->model;
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_arena scratch = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    rh_outcome outcome = {.def = &whole,
                          .model = model,
                          .checkup = whole.checkup,
                          .motion = whole.motion,
                          .out = &out,
                          .scratch = &scratch};
    const rh_status status = write_outcome(&outcome, format, err);
    rh__arena_end(&scratch);
    const rh_status end = rh__output_end(&out, &arena, status == RH_OK ? err : NULL);
    return status == RH_OK ? end : status;
}

rh_status rh_output_title(const rh_model *model, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(model != NULL && sink.write != NULL, err);
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    rh__output_safe(&out, model->title);
    return rh__output_end(&out, &arena, err);
}
