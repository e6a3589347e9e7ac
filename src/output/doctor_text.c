// SPDX-License-Identifier: Apache-2.0
// What the constraint doctor found, for a person: one finding a line, numbers with 6 digits.

#include "output/doctor.h"

#include <math.h>

enum {
    LABEL = 18,   // columns of the labels
    MOST = 12,    // findings of one kind; the others are counted
    MOST_ROWS = 3 // links of one kind named in a line
};

static void put_label(const rh_summary *summary, const char *label)
{
    rh__text_format(summary->out, "%-*s", LABEL, label);
}

static void put_symbol(const rh_summary *summary, rh_expr symbol)
{
    const rh_store *store = summary->model->store;
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                    summary->out);
}

static void put_link(const rh_summary *summary, uint32_t link)
{
    rh__summary_name(&summary->model->constraints.data[link].row, summary->model->store,
                     summary->out);
}

static const char *rank_text(const rh_summary *summary, uint32_t state)
{
    const uint32_t rank = summary->checkup->rank[state];
    return rank == RH_RANK_UNKNOWN ? "?" : rh__text_print(summary->scratch, "%u", (unsigned)rank);
}

// --- freedoms and ranks --------------------------------------------------------------------------

static void write_freedoms(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    rh_text *out = summary->out;
    put_label(summary, "freedoms");
    if (checkup->degrees_of_freedom == RH_RANK_UNKNOWN) {
        rh__text_put(out, "not known (too many rows of deficient rank)");
    } else {
        rh__text_format(out, "%u in velocities", (unsigned)checkup->degrees_of_freedom);
    }
    if (checkup->configuration_dimension != RH_RANK_UNKNOWN &&
        checkup->equations->coordinate_count > 0) {
        rh__text_format(out, ", %u in positions", (unsigned)checkup->configuration_dimension);
    } else if (checkup->is_flag_known != RH_ANSWER_YES) {
        rh__text_put(out, "; combinations of rows were not judged");
    }
    rh__text_put(out, "\n");
}

static void write_ranks(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    rh_text *out = summary->out;
    if (checkup->row_count == 0) {
        return;
    }
    put_label(summary, "rank");
    rh__text_format(out,
                    "%s of %u rows at the start; near it %s and %s on the constraints, %s off them",
                    rank_text(summary, RH_CHECKUP_START), (unsigned)checkup->row_count,
                    rank_text(summary, RH_CHECKUP_NEAR), rank_text(summary, RH_CHECKUP_FAR),
                    rank_text(summary, RH_CHECKUP_OFF));
    const uint32_t start = checkup->rank[RH_CHECKUP_START];
    const uint32_t near = checkup->rank[RH_CHECKUP_NEAR];
    if (start != RH_RANK_UNKNOWN && near != RH_RANK_UNKNOWN && start < near) {
        rh__text_put(out, " (the start is a singular configuration)");
    }
    rh__text_put(out, "\n");
}

static void write_redundant(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    const uint32_t links = checkup->equations->links.count;
    uint32_t said = 0;
    for (uint32_t k = 0; k < links; k++) {
        const rh_link_report *report = &checkup->links[k];
        // each set once: by its first member
        if (report->redundant_count == 0 || report->redundant_with[0] < k || said++ >= MOST) {
            continue;
        }
        put_label(summary, "redundant");
        put_link(summary, k);
        for (uint32_t j = 0; j < report->redundant_count; j++) {
            rh__text_put(summary->out, ", ");
            put_link(summary, report->redundant_with[j]);
        }
        rh__text_put(summary->out, " depend on each other\n");
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < links; k++) {
        count += !checkup->links[k].is_unique;
    }
    if (count > 0) {
        put_label(summary, "not unique");
        for (uint32_t k = 0, shown = 0; k < links; k++) {
            if (!checkup->links[k].is_unique && shown++ < MOST) {
                rh__text_put(summary->out, shown == 1 ? "the multipliers of " : ", ");
                put_link(summary, k);
            }
        }
        rh__text_put(summary->out, count > MOST ? ", ...\n" : "\n");
    }
}

// --- integrability -------------------------------------------------------------------------------

static void write_integrable(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    uint32_t said = 0;
    for (uint32_t k = 0; k < checkup->equations->links.count && said < MOST; k++) {
        const rh_link_report *report = &checkup->links[k];
        const rh_constraint *constraint = checkup->equations->links.data[k].constraint;
        const bool is_kept = rh__checkup_keeps(checkup, k);
        if (constraint->kind != RH_KIND_NONHOLONOMIC || !is_kept ||
            report->is_integrable != RH_ANSWER_YES) {
            continue;
        }
        put_label(summary, "integrable");
        put_link(summary, k);
        rh__text_put(summary->out, " is holonomic in disguise");
        if (report->integral.i != 0) {
            rh__text_put(summary->out, ": ");
            rh__show_expr(summary->show, report->integral, summary->out);
            rh__text_put(summary->out, " is constant");
        }
        if (report->factor.i != 0) {
            rh__text_put(summary->out,
                         report->is_factor_sure ? "; its factor " : ", as long as its factor ");
            rh__show_expr(summary->show, report->factor, summary->out);
            rh__text_put(summary->out, report->is_factor_sure ? " is never zero" : " is not zero");
        }
        rh__text_put(summary->out, "\n");
        said++;
    }
}

// Combinations that are more than single rows.
static void write_combinations(const rh_summary *summary)
{
    const rh_checkup *checkup = summary->checkup;
    for (uint32_t k = 0; k < checkup->combinations.count && k < MOST; k++) {
        const rh_combination *combination = &checkup->combinations.data[k];
        uint32_t rows = 0;
        for (uint32_t link = 0; link < checkup->equations->links.count; link++) {
            rows += combination->factor[link] != 0.0;
        }
        if (rows < 2) {
            continue;
        }
        put_label(summary, "integrable");
        for (uint32_t link = 0, shown = 0; link < checkup->equations->links.count; link++) {
            const double factor = combination->factor[link];
            if (factor != 0.0) {
                rh__text_put(summary->out, shown == 0     ? (factor < 0.0 ? "-" : "")
                                           : factor < 0.0 ? " - "
                                                          : " + ");
                if (fabs(fabs(factor) - 1.0) > 1e-9) {
                    rh__text_format(summary->out, "%.6g*", fabs(factor));
                }
                put_link(summary, link);
                shown++;
            }
        }
        rh__text_put(summary->out, " (factors at the start) is integrable");
        if (combination->integral.i != 0) {
            rh__text_put(summary->out, ": ");
            rh__show_expr(summary->show, combination->integral, summary->out);
            rh__text_put(summary->out, " is constant");
        }
        rh__text_put(summary->out, "\n");
    }
}

// --- reactions -----------------------------------------------------------------------------------

static void write_reaction(const rh_summary *summary, uint32_t link)
{
    const rh_checkup *checkup = summary->checkup;
    const rh_link_report *report = &checkup->links[link];
    const rh_link *it = &checkup->equations->links.data[link];
    rh_text *out = summary->out;
    rh__text_put(out, "  ");
    put_link(summary, link);
    const bool may_rest = it->constraint->is_one_sided || rh__link_is_intermittent(it);
    if (may_rest && !report->is_active && rh__link_is_enforced(it)) {
        rh__text_put(out, "  does not act at the start\n");
        return;
    }
    if (it->constraint->by != RH_BY_REACTION) {
        // rounding is not a finding
        const double lambda = fabs(report->multiplier) < 1e-12 ? 0.0 : report->multiplier;
        rh__text_format(out, "  lambda%s = %.6g", it->held.i != 0 ? "'" : "", lambda);
    }
    rh__text_put(out, it->constraint->by != RH_BY_REACTION ? ", " : "  ");
    rh__text_put(out, report->is_ideal ? "ideal" : "not ideal");
    if (!report->is_ideal) {
        rh__text_format(out, " (virtual work %.6g, |Z^T r|/|r| = %.6g)", report->virtual_work,
                        report->ideality);
    }
    rh__text_put(out, report->keeps ? ", keeps it" : ", does not keep it");
    if (isfinite(report->control)) {
        rh__text_format(out, ", control %.6g", report->control);
    }
    rh__text_put(out, report->is_unique ? "\n" : ", multiplier not unique\n");
}

static void write_reactions(const rh_summary *summary)
{
    const uint32_t links = summary->checkup->equations->links.count;
    if (links == 0) {
        return;
    }
    rh__text_put(summary->out, "reactions at the start\n");
    for (uint32_t k = 0; k < links && k < MOST; k++) {
        write_reaction(summary, k);
    }
    if (links > MOST) {
        rh__text_format(summary->out, "  ... and %u more\n", (unsigned)(links - MOST));
    }
}

static void write_weights(const rh_summary *summary)
{
    const rh_equations *equations = summary->checkup->equations;
    if (equations->links.count == 0) {
        return;
    }
    put_label(summary, "weight");
    if (equations->coordinate_count > 0) {
        rh__text_put(summary->out, summary->model->construct.is_given
                                       ? "1 for every coordinate"
                                       : "the inertia of the coordinates");
    }
    for (uint32_t k = equations->coordinate_count, shown = 0; k < equations->carriers.count; k++) {
        if (shown++ >= MOST) {
            rh__text_put(summary->out, ", ...");
            break;
        }
        rh__text_put(summary->out, k == 0 ? "" : ", ");
        rh__show_expr(summary->show, rh__grid_at(&equations->inertia, k, k), summary->out);
        rh__text_put(summary->out, " for ");
        put_symbol(summary, equations->carriers.data[k].variable);
    }
    rh__text_put(summary->out, "\n");
}

// --- the start -----------------------------------------------------------------------------------

static void write_start(const rh_summary *summary)
{
    const rh_start *start = &summary->checkup->start;
    rh_text *out = summary->out;
    double largest = 0.0;
    for (uint32_t k = 0; k < summary->checkup->equations->links.count; k++) {
        const rh_link *link = &summary->checkup->equations->links.data[k];
        for (uint32_t level = 0; level < link->level_count; level++) {
            const bool is_exact =
                rh__checkup_keeps(summary->checkup, k) && !link->constraint->has_law;
            largest = is_exact ? fmax(largest, fabs(start->residuals[k][level])) : largest;
        }
    }
    put_label(summary, "start");
    rh__text_put(out, start->is_repaired ? "consistent after a repair" : "consistent");
    if (largest > 1e-12) {
        rh__text_format(out, ", largest residual %.1e", largest);
    }
    for (uint32_t k = 0; k < start->moved.count && k < MOST; k++) {
        rh__text_put(out, k == 0 ? "; moved " : ", ");
        put_symbol(summary, start->moved.data[k].symbol);
        rh__text_format(out, " from %.6g to %.6g", start->moved.data[k].from,
                        start->moved.data[k].to);
    }
    if (start->moved.count > MOST) {
        rh__text_format(out, ", ... and %u more", (unsigned)(start->moved.count - MOST));
    }
    rh__text_put(out, "\n");
}

void rh__doctor_text(const rh_summary *summary)
{
    write_freedoms(summary);
    write_ranks(summary);
    write_redundant(summary);
    write_integrable(summary);
    write_combinations(summary);
    write_weights(summary);
    write_start(summary);
    write_reactions(summary);
}
