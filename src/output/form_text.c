// SPDX-License-Identifier: Apache-2.0
// A form of the equations as text for people: sections of lines on a page, rows of loops rolled up.

#include "output/forms.h"

#include <inttypes.h>

// --- rows --------------------------------------------------------------------------------------

// `m*x'' - 2*x*lambda.rod = 0`, or solved when there is one unknown.
static void put_row(const rh_sheet *sheet, rh_page *page, uint32_t row)
{
    const rh_form *form = &sheet->form;
    rh_expr unknown, value;
    if (rh__sheet_solved(sheet, row, &unknown, &value)) {
        rh__page_assign(page, unknown, value);
        return;
    }
    const uint32_t first = form->matrix.begin[row];
    for (uint32_t k = first; k < form->matrix.begin[row + 1]; k++) {
        rh_expr term;
        const bool is_subtracted = rh__sheet_term(sheet, k, &term);
        rh__page_text(page, k > first ? (is_subtracted ? " - " : " + ") : is_subtracted ? "-" : "");
        rh__page_expr(page, term);
    }
    rh__page_text(page, form->matrix.begin[row + 1] == first ? "0 = " : " = ");
    rh__page_expr(page, form->right[row]);
    rh__page_end(page);
}

static void list_rows(const rh_sheet *sheet, rh_page *page)
{
    const rh_form *form = &sheet->form;
    rh__page_section(page, "motion");
    for (uint32_t row = 0; row < form->matrix.rows; row++) {
        if (form->link_of[row] == 0) {
            put_row(sheet, page, row);
        }
    }
    rh__page_section(page, "constraints, differentiated");
    for (uint32_t row = 0; row < form->matrix.rows; row++) {
        if (form->link_of[row] != 0) {
            const rh_link *link = &sheet->equations->links.data[form->link_of[row] - 1];
            rh__page_name(page, &link->constraint->row);
            rh__page_text(page, ": ");
            put_row(sheet, page, row);
        }
    }
}

static void list_definitions(rh_page *page, const char *heading, const rh_definition *data,
                             uint32_t count)
{
    rh__page_section(page, heading);
    for (uint32_t k = 0; k < count; k++) {
        rh__page_assign(page, data[k].symbol, data[k].value);
    }
}

// Both halves of `change`, and what is known of them.
static void list_change(const rh_restated *restated, rh_page *page)
{
    list_definitions(page, "new variables", restated->fresh.data, restated->fresh.count);
    rh__page_section(page, rh__text_print(page->arena, "the way back (%s)",
                                          rh__sheet_verdict(restated->inverted)));
    for (uint32_t k = 0; k < restated->back.count; k++) {
        rh__page_assign(page, restated->back.data[k].symbol, restated->back.data[k].value);
    }
    if (restated->branches.count == 0) {
        return;
    }
    rh__page_section(page, restated->is_start_known ? "it leads back, as at the start, where"
                                                    : "it leads back where");
    for (uint32_t k = 0; k < restated->branches.count; k++) {
        const rh_returning *branch = &restated->branches.data[k];
        if (rh__sheet_is_said(restated, k)) {
            continue;
        }
        rh__page_expr(page, branch->sign != 0 ? branch->of : branch->symbol);
        rh__page_text(page, branch->sign > 0 ? " >= 0" : branch->sign < 0 ? " <= 0" : " = ");
        if (branch->sign == 0) {
            rh__page_expr(page, branch->composed);
        }
        rh__page_end(page);
    }
}

void rh__sheet_list(const rh_sheet *sheet, rh_page *page)
{
    const rh_form *form = &sheet->form;
    if (form->restated != NULL) {
        list_change(form->restated, page);
    }
    list_definitions(page, "quasi-velocities", form->basis.data, form->basis.count);
    list_definitions(page, "kinematics", form->velocities.data, form->velocities.count);
    list_definitions(page, "states that follow their laws", form->passives.data,
                     form->passives.count);
    list_rows(sheet, page);
    list_definitions(page, "momenta", form->momenta.data, form->momenta.count);
    list_definitions(page, "what left the system", form->outputs.data, form->outputs.count);
}

void rh__sheet_levels(const rh_sheet *sheet, rh_page *page)
{
    const rh_equations *equations = sheet->equations;
    static const char PRIMES[] = "''''''''''''''''";
    rh__page_section(page, "levels");
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t level = 0; level < link->level_count; level++) {
            RH_ASSERT(level < sizeof PRIMES);
            rh__page_name(page, &link->constraint->row);
            rh__page_slice(page, (rh_slice){PRIMES, level});
            rh__page_text(page, ": ");
            rh__page_expr(page, rh__sheet_level(sheet, k)[level]);
            rh__page_text(page, link->constraint->is_one_sided ? " >= 0" : " = 0");
            if (link->constraint->condition.i != 0) {
                rh__page_text(page, " while ");
                rh__page_expr(page, link->constraint->condition);
            }
            rh__page_end(page);
        }
    }
}

// --- where it is valid ---------------------------------------------------------------------------

static void list_pivots(const rh_sheet *sheet, rh_page *page, const rh_expr_list *pivots,
                        const char *heading)
{
    static const char *const REMARKS[] = {
        [RH_PIVOT_DOUBTFUL] = "",
        [RH_PIVOT_NEVER_ZERO] = "  (never zero)",
        [RH_PIVOT_PARAMETERS] = "  (parameters only)",
    };
    bool is_doubtful = false;
    for (uint32_t k = 0; k < pivots->count; k++) {
        is_doubtful = is_doubtful || rh__sheet_pivot(sheet, pivots->data[k]) == RH_PIVOT_DOUBTFUL;
    }
    rh__page_section(page, is_doubtful                    ? heading
                           : sheet->form.restated != NULL ? "valid where `change` is; pivots"
                                                          : "valid everywhere; pivots");
    for (uint32_t k = 0; k < pivots->count; k++) {
        rh__page_expr(page, pivots->data[k]);
        rh__page_text(page, REMARKS[rh__sheet_pivot(sheet, pivots->data[k])]);
        rh__page_end(page);
    }
}

static void list_reactions(const rh_sheet *sheet, rh_page *page)
{
    const rh_reactions *reactions = &sheet->reactions;
    const rh_form *form = &sheet->form;
    if (form->kind != RH_FORM_MULTIPLIERS || form->rate_count == form->unknowns.count) {
        return;
    }
    rh__page_section(page, "reactions");
    if (sheet->reacted == RH_OK) {
        list_definitions(page, "reactions", reactions->values.data, reactions->values.count);
        list_pivots(sheet, page, &reactions->pivots,
                    "reactions are valid where the product of these pivots is not zero");
        return;
    }
    rh__page_text(page, "from the linear system above (");
    rh__page_text(page, sheet->reacted == RH_E_LIMIT
                            ? rh__text_print(page->arena,
                                             "no formulas of up to %d operations were found)",
                                             RH_REACTION_OPERATIONS)
                            : "it does not give each multiplier by itself)");
    rh__page_end(page);
}

// --- the whole -----------------------------------------------------------------------------------

static const char *describe(rh_form_kind kind)
{
    switch (kind) {
    case RH_FORM_FREE:
        return "the released system, without reactions";
    case RH_FORM_MULTIPLIERS:
        return "with one multiplier for each constraint";
    case RH_FORM_REDUCED:
        return "what is integrated";
    case RH_FORM_PRINCIPAL:
        return "without reactions, by the principal equation";
    case RH_FORM_QUASI:
        return "in quasi-velocities";
    case RH_FORM_CHANGED:
        return "in the variables of `change`";
    }
    return "";
}

static bool has_one_sided(const rh_equations *equations)
{
    bool found = false;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        found = found || (link->constraint->is_one_sided && rh__link_is_enforced(link));
    }
    return found;
}

static bool has_intermittent(const rh_equations *equations)
{
    return rh__equations_intermittent(equations) != NULL;
}

// By what rates are taken, and whether this is the same system.
static void write_time(const rh_sheet *sheet, rh_text *out)
{
    const rh_restated *restated = sheet->form.restated;
    const rh_family time = rh__expr_family(sheet->store, restated->time);
    rh__text_put(out, "\na prime is d/d");
    rh__family_show(sheet->store, time, 0, out);
    rh__text_format(out, "; put back, these are the equations of the model: %s%s",
                    rh__sheet_verdict(restated->equal),
                    restated->branches.count > 0 ? ", where the way back leads back" : "");
}

static void write_head(const rh_sheet *sheet, rh_text *out)
{
    const rh_form *form = &sheet->form;
    const rh_slice title = sheet->equations->model->title;
    rh__output_safe(out, title);
    rh__text_put(out, title.size > 0 ? "\n\n" : "");
    rh__text_format(out, "form %s: %s\n", rh__sheet_word(form->kind), describe(form->kind));
    rh__sheet_size(form, out);
    if (form->restated != NULL) {
        write_time(sheet, out);
    }
    rh__text_put(out, form->kind != RH_FORM_FREE && has_one_sided(sheet->equations)
                          ? "\none-sided constraints are written as if they act"
                          : "");
    rh__text_put(out, form->kind != RH_FORM_FREE && has_intermittent(sheet->equations)
                          ? "\nconstraints that come and go are written as if they were on"
                          : "");
    rh__text_put(out, "\n");
}

void rh__sheet_gather(const rh_sheet *sheet, rh_page *page)
{
    rh__sheet_list(sheet, page);
    if (sheet->form.kind != RH_FORM_FREE) {
        rh__sheet_levels(sheet, page);
    }
    list_reactions(sheet, page);
    list_pivots(sheet, page, &sheet->form.pivots,
                sheet->form.restated != NULL
                    ? "valid where `change` is, and the product of these pivots is not zero"
                    : "valid where the product of these pivots is not zero");
}

void rh__sheet_text(const rh_sheet *sheet, const rh_page *page, rh_text *out)
{
    write_head(sheet, out);
    rh__page_write(page, RH_OUTPUT_TEXT_LIMIT, out);
    if (sheet->form.pivots.count == 0) {
        rh__text_put(out, sheet->form.restated != NULL ? "\nvalid where `change` is\n"
                                                       : "\nvalid everywhere\n");
    }
    rh__text_put(out, "\noperations: ");
    rh__sheet_cost(&sheet->cost, out);
    rh__text_put(out, "\n");
}
