// SPDX-License-Identifier: Apache-2.0
// What the constraint doctor found, as JSON parts of `check --json` (doctor_text.c has the text).
// Numbers have 17 digits; what is not known is null.

#include "output/doctor.h"

#include <math.h>

// --- small things --------------------------------------------------------------------------------

void rh__doctor_number(rh_text *out, double value)
{
    if (isfinite(value)) {
        rh__text_format(out, "%.17g", value == 0.0 ? 0.0 : value);
    } else {
        rh__text_put(out, "null");
    }
}

static void put_count(rh_text *out, uint32_t count)
{
    if (count == RH_RANK_UNKNOWN) {
        rh__text_put(out, "null");
    } else {
        rh__text_format(out, "%u", (unsigned)count);
    }
}

static void put_symbol(const rh_summary *summary, rh_expr symbol)
{
    const rh_store *store = summary->model->store;
    const rh_mark mark = rh__arena_mark(summary->scratch);
    rh_text kept = rh__text_begin(summary->scratch, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &kept);
    rh__text_put_json(summary->out, rh__text_slice(&kept));
    rh__arena_rewind(summary->scratch, mark);
}

static void put_link(const rh_summary *summary, uint32_t link)
{
    const rh_mark mark = rh__arena_mark(summary->scratch);
    rh_text kept = rh__text_begin(summary->scratch, NULL);
    rh__summary_name(&summary->model->constraints.data[link].row, summary->model->store, &kept);
    rh__text_put_json(summary->out, rh__text_slice(&kept));
    rh__arena_rewind(summary->scratch, mark);
}

static void put_text_of(const rh_summary *summary, rh_expr e)
{
    if (e.i == 0) {
        rh__text_put(summary->out, "null");
        return;
    }
    const rh_mark mark = rh__arena_mark(summary->scratch);
    rh_text kept = rh__text_begin(summary->scratch, NULL);
    rh__show_expr(summary->show, e, &kept);
    rh__text_put_json(summary->out, rh__text_slice(&kept));
    rh__arena_rewind(summary->scratch, mark);
}

bool rh__doctor_roots(const rh_checkup *checkup, rh_arena *arena, rh_expr_list *roots)
{
    const rh_equations *equations = checkup->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_expr integral = checkup->links[k].integral;
        const rh_expr factor = checkup->links[k].factor;
        ok = (integral.i == 0 || rh__array_push(arena, roots, integral)) &&
             (factor.i == 0 || rh__array_push(arena, roots, factor));
    }
    for (uint32_t k = 0; ok && k < checkup->combinations.count; k++) {
        const rh_expr integral = checkup->combinations.data[k].integral;
        ok = integral.i == 0 || rh__array_push(arena, roots, integral);
    }
    for (uint32_t k = equations->coordinate_count; ok && k < equations->carriers.count; k++) {
        const rh_expr weight = rh__grid_at(&equations->inertia, k, k);
        ok = weight.i == 0 || rh__array_push(arena, roots, weight);
    }
    return ok;
}

// --- of one constraint ---------------------------------------------------------------------------

void rh__doctor_constraint(const rh_summary *summary, uint32_t link)
{
    static const char *const ANSWERS[] = {"null", "false", "true"};
    const rh_checkup *checkup = summary->checkup;
    const rh_link_report *report = &checkup->links[link];
    const rh_link *it = &checkup->equations->links.data[link];
    rh_text *out = summary->out;
    rh__text_format(out, ", \"integrable\": %s, \"integral\": ", ANSWERS[report->is_integrable]);
    put_text_of(summary, report->integral);
    if (report->factor.i != 0) {
        rh__text_put(out, ", \"factor\": ");
        put_text_of(summary, report->factor);
        rh__text_format(out, ", \"factor_never_zero\": %s",
                        report->is_factor_sure ? "true" : "null");
    }
    rh__text_put(out, ", \"redundant_with\": [");
    for (uint32_t k = 0; k < report->redundant_count; k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        put_link(summary, report->redundant_with[k]);
    }
    rh__text_format(out, "], \"active\": %s, \"unique\": %s, \"control\": ",
                    report->is_active ? "true" : "false", report->is_unique ? "true" : "false");
    rh__doctor_number(out, report->control);
    rh__text_put(out, ", \"levels\": [");
    for (uint32_t level = 0; level < it->level_count; level++) {
        rh__text_format(out, "%s{\"order\": %u, \"residual\": ", level == 0 ? "" : ", ",
                        (unsigned)level);
        rh__doctor_number(out, checkup->start.residuals[link][level]);
        rh__text_put(out, "}");
    }
    rh__text_put(out, "]");
}

// --- the whole -----------------------------------------------------------------------------------

static void put_ranks(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    rh_text *out = summary->out;
    rh__text_format(out, ", \"rank\": {\"rows\": %u, \"start\": ", (unsigned)checkup->row_count);
    put_count(out, checkup->rank[RH_CHECKUP_START]);
    rh__text_put(out, ", \"on\": [");
    put_count(out, checkup->rank[RH_CHECKUP_NEAR]);
    rh__text_put(out, ", ");
    put_count(out, checkup->rank[RH_CHECKUP_FAR]);
    rh__text_put(out, "], \"off\": ");
    put_count(out, checkup->rank[RH_CHECKUP_OFF]);
    rh__text_put(out, "}");
}

static void put_combinations(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    rh_text *out = summary->out;
    rh__text_put(out, ", \"combinations\": [");
    for (uint32_t k = 0; k < checkup->combinations.count; k++) {
        const rh_combination *combination = &checkup->combinations.data[k];
        bool is_first = true;
        rh__text_put(out, k == 0 ? "{\"factors\": {" : ", {\"factors\": {");
        for (uint32_t link = 0; link < checkup->equations->links.count; link++) {
            if (combination->factor[link] != 0.0) {
                rh__text_put(out, is_first ? "" : ", ");
                put_link(summary, link);
                rh__text_put(out, ": ");
                rh__doctor_number(out, combination->factor[link]);
                is_first = false;
            }
        }
        rh__text_put(out, "}, \"integral\": ");
        put_text_of(summary, combination->integral);
        rh__text_put(out, "}");
    }
    rh__text_put(out, "]");
}

void rh__doctor_counts(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    rh_text *out = summary->out;
    rh__text_put(out, ", \"degrees_of_freedom\": ");
    put_count(out, checkup->degrees_of_freedom);
    rh__text_put(out, ", \"configuration_dimension\": ");
    put_count(out, checkup->configuration_dimension);
    rh__text_put(out, ", \"hidden_integrals\": ");
    put_count(out, checkup->is_flag_known == RH_ANSWER_YES ? checkup->hidden_integrals
                                                           : RH_RANK_UNKNOWN);
    put_ranks(summary);
    put_combinations(summary);
}

static bool may_rest(const rh_link *link)
{
    return link->constraint->is_one_sided || rh__link_is_intermittent(link);
}

void rh__doctor_reactions(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    rh_text *out = summary->out;
    bool is_first = true;
    rh__text_put(out, ", \"reactions\": [");
    for (uint32_t k = 0; k < checkup->equations->links.count; k++) {
        const rh_link_report *report = &checkup->links[k];
        if (may_rest(&checkup->equations->links.data[k]) && !report->is_active) {
            continue;
        }
        rh__text_put(out, is_first ? "{\"constraint\": " : ", {\"constraint\": ");
        put_link(summary, k);
        rh__text_format(out, ", \"ideal\": %s, \"keeps\": %s, \"virtual_work\": ",
                        report->is_ideal ? "true" : "false", report->keeps ? "true" : "false");
        rh__doctor_number(out, report->virtual_work);
        rh__text_put(out, ", \"ideality_residual\": ");
        rh__doctor_number(out, report->is_ideal ? 0.0 : report->ideality);
        rh__text_put(out, "}");
        is_first = false;
    }
    rh__text_put(out, "]");
}

// The weight of ideal reactions on states; coordinates have the kinetic energy.
void rh__doctor_weights(const rh_summary *summary)
{
    const rh_equations *equations = summary->checkup->equations;
    rh__text_put(summary->out, ", \"weight\": {");
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        rh__text_put(summary->out, k == 0 ? "" : ", ");
        put_symbol(summary, equations->carriers.data[k].variable);
        rh__text_put(summary->out, ": ");
        if (k < equations->coordinate_count) {
            rh__text_put(summary->out,
                         summary->model->construct.is_given ? "\"1\"" : "\"inertia\"");
        } else {
            put_text_of(summary, rh__grid_at(&equations->inertia, k, k));
        }
    }
    rh__text_put(summary->out, "}");
}

// --- the start -----------------------------------------------------------------------------------

static void put_value(const rh_summary *summary, rh_expr symbol, bool *is_first)
{
    rh__text_put(summary->out, *is_first ? "" : ", ");
    put_symbol(summary, symbol);
    rh__text_put(summary->out, ": ");
    rh__doctor_number(summary->out, rh__point_get(&summary->checkup->start.point, symbol));
    *is_first = false;
}

// Coordinates and states in order of declaration, velocities, quasi-velocities, multipliers that
// are states.
static void put_state(const rh_summary *summary)
{
    const rh_equations *equations = summary->checkup->equations;
    const rh_model *model = summary->model;
    bool is_first = true;
    rh__text_put(summary->out, ", \"state\": {");
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        put_value(summary, equations->carriers.data[k].position, &is_first);
    }
    for (uint32_t k = 0; k < model->states.count; k++) {
        for (uint32_t member = 0; member < model->states.data[k].size; member++) {
            put_value(summary,
                      rh__expr_symbol(model->store, model->states.data[k].family[0], member),
                      &is_first);
        }
    }
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        put_value(summary, equations->carriers.data[k].variable, &is_first);
    }
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        const rh_quasi *quasi = &model->quasis.data[k];
        put_value(summary, rh__expr_symbol(model->store, quasi->symbol, quasi->row.member),
                  &is_first);
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        if (equations->links.data[k].held.i != 0) {
            put_value(summary, equations->links.data[k].held, &is_first);
        }
    }
    rh__text_put(summary->out, "}");
}

static void put_rates(const rh_summary *summary)
{
    const rh_equations *equations = summary->checkup->equations;
    bool is_first = true;
    rh__text_put(summary->out, ", \"rates\": {");
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        put_value(summary, equations->carriers.data[k].rate, &is_first);
    }
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        put_value(summary, equations->passives.data[k].rate, &is_first);
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        if (equations->links.data[k].held.i != 0) {
            put_value(summary, equations->links.data[k].multiplier, &is_first);
        }
    }
    rh__text_put(summary->out, "}, \"multipliers\": {");
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        rh__text_put(summary->out, k == 0 ? "" : ", ");
        put_link(summary, k);
        rh__text_put(summary->out, ": ");
        rh__doctor_number(summary->out,
                          rh__point_get(&summary->checkup->start.point,
                                        link->held.i != 0 ? link->held : link->multiplier));
    }
    rh__text_put(summary->out, "}");
}

static void put_forces(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    const rh_equations *equations = checkup->equations;
    rh__text_put(summary->out, ", \"reactions\": {");
    for (uint32_t k = 0; k < equations->links.count; k++) {
        bool is_first = true;
        rh__text_put(summary->out, k == 0 ? "" : ", ");
        put_link(summary, k);
        rh__text_put(summary->out, ": {");
        for (uint32_t p = equations->push.begin[k]; p < equations->push.begin[k + 1]; p++) {
            const uint32_t carrier = equations->push.entries.data[p].column;
            const rh_carrier *it = &equations->carriers.data[carrier];
            rh__text_put(summary->out, is_first ? "" : ", ");
            put_symbol(summary, it->position.i != 0 ? it->position : it->variable);
            rh__text_put(summary->out, ": ");
            rh__doctor_number(summary->out,
                              checkup->links[k].reaction[p - equations->push.begin[k]]);
            is_first = false;
        }
        rh__text_put(summary->out, "}");
    }
    rh__text_put(summary->out, "}");
}

void rh__doctor_start(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    rh_text *out = summary->out;
    bool is_first = true;
    rh__text_put(out, ", \"start\": {\"time\": ");
    rh__doctor_number(
        out, rh__point_get(&checkup->start.point,
                           rh__expr_symbol(summary->model->store, summary->model->time, 0)));
    if (checkup->equations->is_start_repaired) {
        rh__text_format(out, ", \"repaired\": %s", checkup->start.is_repaired ? "true" : "false");
    }
    rh__text_put(out, ", \"moved\": {");
    for (uint32_t k = 0; k < checkup->start.moved.count; k++) {
        const rh_start_move *move = &checkup->start.moved.data[k];
        rh__text_put(out, k == 0 ? "" : ", ");
        put_symbol(summary, move->symbol);
        rh__text_put(out, ": {\"from\": ");
        rh__doctor_number(out, move->from);
        rh__text_put(out, ", \"to\": ");
        rh__doctor_number(out, move->to);
        rh__text_put(out, "}");
    }
    rh__text_put(out, "}, \"mode\": [");
    for (uint32_t k = 0; k < checkup->equations->links.count; k++) {
        if (may_rest(&checkup->equations->links.data[k]) && checkup->is_active[k]) {
            rh__text_put(out, is_first ? "" : ", ");
            put_link(summary, k);
            is_first = false;
        }
    }
    rh__text_put(out, "]");
    put_state(summary);
    put_rates(summary);
    put_forces(summary);
    rh__text_put(out, "}");
}
