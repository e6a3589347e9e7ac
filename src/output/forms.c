// SPDX-License-Identifier: Apache-2.0
// Forms of the equations on their way to paper: made, counted, refused when nobody could read them,
// then written as text (form_text.c), JSON (form_json.c) or LaTeX (form_latex.c). The text is kept
// until it is whole, so that a refusal leaves nothing half printed.

#include "output/forms.h"

#include <inttypes.h>

const char *rh__sheet_word(rh_form_kind kind)
{
    switch (kind) {
    case RH_FORM_FREE:
        return "free";
    case RH_FORM_MULTIPLIERS:
        return "multipliers";
    case RH_FORM_REDUCED:
        return "reduced";
    case RH_FORM_PRINCIPAL:
        return "principal";
    case RH_FORM_QUASI:
        return "quasi";
    case RH_FORM_CHANGED:
        return "changed";
    }
    return "";
}

// --- rows --------------------------------------------------------------------------------------

bool rh__sheet_solved(const rh_sheet *sheet, uint32_t row, rh_expr *out_unknown, rh_expr *out_value)
{
    RH_ASSERT(row < sheet->form.matrix.rows);
    const rh_form *form = &sheet->form;
    const uint32_t first = form->matrix.begin[row];
    if (form->matrix.begin[row + 1] != first + 1) {
        return false;
    }
    const rh_entry *entry = &form->matrix.entries.data[first];
    *out_unknown = form->unknowns.data[entry->column];
    *out_value = rh__expr_divide(sheet->store, form->right[row], entry->value);
    return true;
}

bool rh__sheet_term(const rh_sheet *sheet, uint32_t entry, rh_expr *out)
{
    RH_ASSERT(entry < sheet->form.matrix.entries.count);
    rh_store *store = sheet->store;
    const rh_entry *it = &sheet->form.matrix.entries.data[entry];
    *out = rh__expr_multiply(store, it->value, sheet->form.unknowns.data[it->column]);
    const bool is_subtracted = out->i != 0 && rh__expr_op(store, *out) == RH_OP_ADD &&
                               rh__expr_count(store, *out) == 2 &&
                               rh__expr_number_sign(store, rh__expr_argument(store, *out, 0)) < 0;
    if (is_subtracted) {
        *out = rh__expr_negate(store, *out);
    }
    return is_subtracted;
}

const rh_expr *rh__sheet_level(const rh_sheet *sheet, uint32_t link)
{
    RH_ASSERT(link < sheet->equations->links.count);
    const rh_restated *restated = sheet->form.restated;
    return restated != NULL ? restated->levels[link] : sheet->equations->links.data[link].levels;
}

bool rh__sheet_is_said(const rh_restated *restated, uint32_t branch)
{
    RH_ASSERT(branch < restated->branches.count);
    const rh_returning *it = &restated->branches.data[branch];
    bool is_said = false;
    for (uint32_t k = 0; k < branch; k++) {
        const rh_returning *other = &restated->branches.data[k];
        is_said = is_said || (it->sign != 0 && it->sign == other->sign && it->of.i == other->of.i);
    }
    return is_said;
}

const char *rh__sheet_verdict(rh_vanishing verdict)
{
    switch (verdict) {
    case RH_VANISHING_NO:
        return "not shown";
    case RH_VANISHING_SAMPLED:
        return "sampled";
    case RH_VANISHING_PROVED:
        return "proved";
    }
    return "";
}

// --- counting ------------------------------------------------------------------------------------

static bool push_values(rh_arena *arena, rh_expr_list *out, const rh_definition *data,
                        uint32_t count)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = rh__array_push(arena, out, data[k].value);
    }
    return ok;
}

// What is evaluated at every step.
static bool push_core(const rh_form *form, rh_arena *arena, rh_expr_list *out)
{
    bool ok = push_values(arena, out, form->velocities.data, form->velocities.count) &&
              push_values(arena, out, form->passives.data, form->passives.count);
    for (uint32_t k = 0; ok && k < form->matrix.entries.count; k++) {
        ok = rh__array_push(arena, out, form->matrix.entries.data[k].value);
    }
    for (uint32_t k = 0; ok && k < form->matrix.rows; k++) {
        ok = rh__array_push(arena, out, form->right[k]);
    }
    return ok;
}

bool rh__sheet_roots(const rh_sheet *sheet, rh_arena *arena, rh_expr_list *out)
{
    const rh_form *form = &sheet->form;
    const rh_equations *equations = sheet->equations;
    bool ok = push_core(form, arena, out) &&
              push_values(arena, out, form->basis.data, form->basis.count) &&
              push_values(arena, out, form->momenta.data, form->momenta.count) &&
              push_values(arena, out, form->outputs.data, form->outputs.count);
    if (ok && form->restated != NULL) {
        ok = push_values(arena, out, form->restated->fresh.data, form->restated->fresh.count) &&
             push_values(arena, out, form->restated->back.data, form->restated->back.count);
        for (uint32_t k = 0; ok && k < form->restated->branches.count; k++) {
            const rh_returning *branch = &form->restated->branches.data[k];
            ok = rh__array_push(arena, out, branch->composed) &&
                 (branch->of.i == 0 || rh__array_push(arena, out, branch->of));
        }
    }
    for (uint32_t k = 0; ok && k < form->pivots.count; k++) {
        ok = rh__array_push(arena, out, form->pivots.data[k]);
    }
    for (uint32_t k = 0; ok && form->kind != RH_FORM_FREE && k < equations->links.count; k++) {
        for (uint32_t j = 0; ok && j < equations->links.data[k].level_count; j++) {
            ok = rh__array_push(arena, out, rh__sheet_level(sheet, k)[j]);
        }
        const rh_expr condition = equations->links.data[k].constraint->condition;
        ok = ok && (condition.i == 0 || rh__array_push(arena, out, condition));
    }
    if (ok && sheet->reacted == RH_OK) {
        ok = push_values(arena, out, sheet->reactions.values.data, sheet->reactions.values.count);
        for (uint32_t k = 0; ok && k < sheet->reactions.pivots.count; k++) {
            ok = rh__array_push(arena, out, sheet->reactions.pivots.data[k]);
        }
    }
    return ok;
}

static uint64_t count_operations(rh_cost cost)
{
    return cost.additions + cost.multiplications + cost.divisions + cost.functions;
}

static bool count_sheet(rh_sheet *sheet)
{
    const rh_mark mark = rh__arena_mark(sheet->scratch);
    rh_expr_list roots = {0};
    rh_cost all = {0};
    bool ok = push_core(&sheet->form, sheet->scratch, &roots) &&
              rh__expr_cost(sheet->store, roots.data, roots.count, sheet->scratch, &sheet->cost);
    roots = (rh_expr_list){0};
    ok = ok && rh__sheet_roots(sheet, sheet->scratch, &roots) &&
         rh__expr_cost(sheet->store, roots.data, roots.count, sheet->scratch, &all);
    sheet->operations = count_operations(all);
    rh__arena_rewind(sheet->scratch, mark);
    RH_ASSERT(!ok || count_operations(sheet->cost) <= sheet->operations);
    return ok;
}

static void put_count(rh_text *out, uint64_t count, const char *word, bool *is_first)
{
    if (count > 0) {
        rh__text_format(out, "%s%" PRIu64 " %s%s", *is_first ? "" : ", ", count, word,
                        count == 1 ? "" : "s");
        *is_first = false;
    }
}

static void put_number(rh_text *out, uint32_t count, const char *word)
{
    rh__text_format(out, "%u %s%s", (unsigned)count, word, count == 1 ? "" : "s");
}

void rh__sheet_size(const rh_form *form, rh_text *out)
{
    RH_ASSERT(form->rate_count <= form->unknowns.count);
    put_number(out, form->rate_count, "rate");
    rh__text_put(out, ", ");
    put_number(out, form->unknowns.count - form->rate_count, "multiplier");
    rh__text_put(out, ", ");
    put_number(out, form->matrix.rows, "equation");
    if (form->passives.count > 0) {
        rh__text_put(out, ", ");
        put_number(out, form->passives.count, "state");
        rh__text_put(out, " with a law");
    }
}

void rh__sheet_cost(const rh_cost *cost, rh_text *out)
{
    bool is_first = true;
    put_count(out, cost->additions, "addition", &is_first);
    put_count(out, cost->multiplications, "multiplication", &is_first);
    put_count(out, cost->divisions, "division", &is_first);
    put_count(out, cost->functions, "function", &is_first);
    rh__text_put(out, is_first ? "none" : "");
}

rh_pivot_kind rh__sheet_pivot(const rh_sheet *sheet, rh_expr pivot)
{
    if ((rh__expr_mask(sheet->store, pivot) & RH_EXPR_VARIABLE) == 0) {
        return RH_PIVOT_PARAMETERS;
    }
    return rh__expr_sign(sheet->store, pivot, rh__values_parameter,
                         &sheet->equations->model->values) != 0
               ? RH_PIVOT_NEVER_ZERO
               : RH_PIVOT_DOUBTFUL;
}

rh_status rh__sheet_create(rh_equations *equations, rh_form_kind kind, rh_arena *arena,
                           rh_arena *scratch, rh_sheet *out, rh_error *err)
{
    *out = (rh_sheet){.equations = equations,
                      .store = equations->store,
                      .arena = arena,
                      .scratch = scratch,
                      .reacted = RH_E_UNAVAILABLE};
    return rh__form_create(equations, kind, arena, &out->form, err);
}

rh_status rh__sheet_react(rh_sheet *sheet, rh_error *err)
{
    if (sheet->form.kind == RH_FORM_MULTIPLIERS) {
        sheet->reacted = rh__form_reactions(sheet->equations, sheet->arena, &sheet->reactions);
    }
    return sheet->reacted == RH_E_MEMORY
               ? rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY))
               : RH_OK;
}

rh_status rh__sheet_count(rh_sheet *sheet, rh_error *err)
{
    if (!count_sheet(sheet)) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    return RH_OK;
}

rh_status rh__sheet_judge(const rh_sheet *sheet, uint64_t operations, size_t size, rh_error *err)
{
    const char *word = rh__sheet_word(sheet->form.kind);
    if (operations > RH_OUTPUT_FORM_LIMIT) {
        return rh__error_fill(err, RH_E_LIMIT,
                              "the form `%s` has %" PRIu64
                              " operations; more than %d are not printed",
                              word, operations, RH_OUTPUT_FORM_LIMIT);
    }
    if (size > RH_OUTPUT_TEXT_LIMIT) {
        return rh__error_fill(err, RH_E_LIMIT,
                              "the form `%s` with %" PRIu64
                              " operations takes more than %d MB of text; it is not printed",
                              word, operations, RH_OUTPUT_TEXT_LIMIT >> 20);
    }
    return RH_OK;
}

// --- writing -------------------------------------------------------------------------------------

// Text is rolled up, and only what is written in full counts.
static rh_status write_text(const rh_sheet *sheet, rh_text *out, rh_error *err)
{
    rh_page page = rh__page_begin(sheet->equations->model, sheet->arena, sheet->scratch);
    rh__sheet_gather(sheet, &page);
    rh__page_plan(&page);
    if (page.operations > RH_OUTPUT_FORM_LIMIT) {
        const bool is_larger = sheet->operations > RH_OUTPUT_FORM_LIMIT;
        return rh__sheet_judge(sheet, is_larger ? sheet->operations : page.operations, 0, err);
    }
    rh__sheet_text(sheet, &page, out);
    out->ok = out->ok && page.ok;
    return rh__sheet_judge(sheet, page.operations, out->size, err);
}

static rh_status write_full(const rh_sheet *sheet, bool is_latex, rh_text *out, rh_error *err)
{
    RH_TRY(rh__sheet_judge(sheet, sheet->operations, 0, err));
    rh_expr_list roots = {0};
    const rh_show *show = rh__sheet_roots(sheet, sheet->scratch, &roots)
                              ? rh__show_create(sheet->store, sheet->arena,
                                                is_latex ? RH_NOTATION_LATEX : RH_NOTATION_TEXT,
                                                roots.data, roots.count)
                              : NULL;
    if (show != NULL && is_latex) {
        rh__sheet_latex(sheet, show, out);
    } else if (show != NULL) {
        rh__sheet_json(sheet, show, out);
    }
    out->ok = out->ok && show != NULL;
    return rh__sheet_judge(sheet, sheet->operations, out->size, err);
}

static rh_status print_form(rh_sheet *sheet, rh_format format, rh_text *out, rh_error *err)
{
    RH_TRY(rh__sheet_react(sheet, err));
    RH_TRY(rh__sheet_count(sheet, err));
    if (format == RH_FORMAT_TEXT) {
        RH_TRY(write_text(sheet, out, err));
    } else {
        RH_TRY(write_full(sheet, format == RH_FORMAT_LATEX, out, err));
    }
    if (!out->ok || rh__store_refusal(sheet->store) != RH_REFUSAL_NONE) {
        const rh_status why =
            sheet->arena->status != RH_OK ? sheet->arena->status : sheet->scratch->status;
        return rh__error_fill(err, why != RH_OK ? why : RH_E_MEMORY, "%s",
                              rh_status_text(why != RH_OK ? why : RH_E_MEMORY));
    }
    return RH_OK;
}

rh_status rh_output_equations(rh_equations *equations, rh_form_kind kind, rh_format format,
                              rh_sink sink, rh_error *err)
{
    RH_REQUIRE(equations != NULL && sink.write != NULL, err);
    RH_REQUIRE((unsigned)kind <= RH_FORM_CHANGED && (unsigned)format <= RH_FORMAT_LATEX, err);
    if (!equations->is_sound) {
        return rh__error_fill(err, RH_E_MODEL, "%s", rh_status_text(RH_E_MODEL));
    }
    const rh_arena *like = &equations->arena;
    rh_arena arena = rh__arena_begin(like->allocator, like->limit);
    rh_arena scratch = rh__arena_begin(like->allocator, like->limit);
    rh_arena kept = rh__arena_begin(like->allocator, like->limit);
    rh_text out = rh__text_begin(&kept, NULL);
    rh_sheet sheet;
    rh_status status = rh__sheet_create(equations, kind, &arena, &scratch, &sheet, err);
    if (status == RH_OK) {
        status = print_form(&sheet, format, &out, err);
    }
    if (status == RH_OK && !sink.write(sink.user, out.data, out.size)) {
        status = rh__error_fill(err, RH_E_WRITE, "%s", rh_status_text(RH_E_WRITE));
    }
    rh__arena_end(&kept);
    rh__arena_end(&scratch);
    rh__arena_end(&arena);
    return rh__guard_explain(like->allocator, status, err);
}
