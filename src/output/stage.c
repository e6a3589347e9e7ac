// SPDX-License-Identifier: Apache-2.0
// The canonical text of the stage `equations`, for people, golden tests and reports of mistakes:
// the core (carriers, inertia, forces, links), then the equations before the presolve (form
// multipliers) and after it (form reduced), each with its size. Rows of loops are rolled up.

#include "output/forms.h"

#include <inttypes.h>

typedef struct staging {
    rh_equations *equations;
    rh_arena *arena;
    rh_arena *scratch;
    rh_text *out;
} staging;

static rh_page begin_page(const staging *stage)
{
    return rh__page_begin(stage->equations->model, stage->arena, stage->scratch);
}

// What is too large is said, not shown.
static rh_status write_page(const staging *stage, rh_page *page, rh_error *err)
{
    rh__page_plan(page);
    if (page->operations > RH_OUTPUT_FORM_LIMIT) {
        rh__text_format(stage->out, "  %" PRIu64 " operations; more than %d are not printed\n",
                        page->operations, RH_OUTPUT_FORM_LIMIT);
        return RH_OK;
    }
    const size_t limit = stage->out->size + RH_OUTPUT_TEXT_LIMIT;
    rh__page_write(page, limit, stage->out);
    const rh_status status = !page->ok || !stage->out->ok ? RH_E_MEMORY
                             : stage->out->size > limit   ? RH_E_LIMIT
                                                          : RH_OK;
    return status == RH_OK ? status : rh__error_fill(err, status, "%s", rh_status_text(status));
}

// --- the core ------------------------------------------------------------------------------------

static void list_carriers(const rh_equations *equations, rh_page *page)
{
    rh__page_section(page, "carriers");
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        rh__page_expr(page, equations->carriers.data[k].variable);
        rh__page_text(page, equations->carriers.data[k].is_selected ? ", selected" : "");
        rh__page_end(page);
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

static void list_motion(const rh_equations *equations, rh_page *page)
{
    rh__page_section(page, "laws of other states");
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        rh__page_assign(page, equations->passives.data[k].rate, equations->passives.data[k].value);
    }
    rh__page_section(page, "inertia");
    for (uint32_t k = 0; k < equations->inertia.entries.count; k++) {
        const rh_entry *entry = &equations->inertia.entries.data[k];
        rh__page_expr(page, equations->carriers.data[entry->row].variable);
        rh__page_text(page, ", ");
        rh__page_expr(page, equations->carriers.data[entry->column].variable);
        rh__page_text(page, ": ");
        rh__page_expr(page, entry->value);
        rh__page_end(page);
    }
    rh__page_section(page, "forces");
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        rh__page_expr(page, equations->carriers.data[k].variable);
        rh__page_text(page, ": ");
        rh__page_expr(page, equations->force[k]);
        rh__page_end(page);
    }
    list_definitions(page, "rates of inputs", equations->input_rates.data,
                     equations->input_rates.count);
}

// `x': 2*x, y': 2*y`
static void put_entries(const rh_equations *equations, rh_page *page, const rh_grid *grid,
                        uint32_t row, const char *word)
{
    rh__page_text(page, word);
    for (uint32_t k = grid->begin[row]; k < grid->begin[row + 1]; k++) {
        const rh_entry *entry = &grid->entries.data[k];
        rh__page_text(page, k == grid->begin[row] ? "" : ", ");
        rh__page_expr(page, equations->carriers.data[entry->column].variable);
        rh__page_text(page, ": ");
        rh__page_expr(page, entry->value);
    }
}

static void put_value(rh_page *page, const char *word, rh_expr value)
{
    if (value.i != 0) {
        rh__page_text(page, word);
        rh__page_expr(page, value);
    }
}

static void list_links(const rh_equations *equations, rh_page *page)
{
    rh__page_section(page, "links");
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        rh__page_name(page, &link->constraint->row);
        rh__page_text(page, link->constraint->is_one_sided ? " one-sided" : " two-sided");
        put_value(page, " while ", link->constraint->condition);
        rh__page_text(page, ", by ");
        rh__page_text(page, rh__realisation_word(link->constraint->by));
        for (uint32_t level = 0; level < link->level_count; level++) {
            put_value(page, rh__text_print(page->arena, "\n    level %u: ", (unsigned)level),
                      link->levels[level]);
        }
        put_entries(equations, page, &equations->rows, k, "\n    row: ");
        put_value(page, "\n    bias: ", link->bias);
        put_value(page, "\n    target: ", link->target);
        put_entries(equations, page, &equations->push, k, "\n    push: ");
        put_value(page, "\n    multiplier: ", link->multiplier);
        put_value(page, ", state ", link->held);
        put_value(page, ", given: ", link->given);
        rh__page_end(page);
    }
}

static rh_status write_core(const staging *stage, rh_error *err)
{
    rh_page page = begin_page(stage);
    list_carriers(stage->equations, &page);
    list_motion(stage->equations, &page);
    list_links(stage->equations, &page);
    return write_page(stage, &page, err);
}

// --- before and after ----------------------------------------------------------------------------

static void list_eliminated(const rh_sheet *sheet, rh_page *page)
{
    const rh_equations *equations = sheet->equations;
    const rh_form *form = &sheet->form;
    uint32_t row = 0; // rows of constraints are in the order of the links
    rh__page_section(page, "eliminated");
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        while (row < form->matrix.rows && form->link_of[row] < k + 1) {
            row++;
        }
        const bool is_left = row < form->matrix.rows && form->link_of[row] == k + 1;
        if (rh__link_is_enforced(link) && !is_left) {
            rh__page_name(page, &link->constraint->row);
            rh__page_end(page);
        }
    }
}

static void list_pivots(const rh_form *form, rh_page *page)
{
    rh__page_section(page, "pivots");
    for (uint32_t k = 0; k < form->pivots.count; k++) {
        rh__page_expr(page, form->pivots.data[k]);
        rh__page_end(page);
    }
}

// A form that could not be made for its size is said, too.
static rh_status write_form(const staging *stage, rh_form_kind kind, const char *heading,
                            rh_error *err)
{
    rh_sheet sheet;
    rh_error why = RH_ZERO;
    rh_status status =
        rh__sheet_create(stage->equations, kind, stage->arena, stage->scratch, &sheet, &why);
    status = status == RH_OK ? rh__sheet_count(&sheet, &why) : status;
    rh__text_format(stage->out, "\n# %s: form %s\n", heading, rh__sheet_word(kind));
    if (status == RH_E_LIMIT) {
        rh__text_format(stage->out, "  %s\n", why.message);
        return RH_OK;
    }
    if (status != RH_OK) {
        return rh__error_fill(err, status, "%s", why.message);
    }
    rh__text_put(stage->out, "  ");
    rh__sheet_size(&sheet.form, stage->out);
    rh__text_put(stage->out, "\n  operations: ");
    rh__sheet_cost(&sheet.cost, stage->out);
    rh__text_put(stage->out, "\n");
    rh_page page = begin_page(stage);
    if (kind == RH_FORM_REDUCED) {
        list_eliminated(&sheet, &page);
    }
    rh__sheet_list(&sheet, &page);
    list_pivots(&sheet.form, &page);
    return write_page(stage, &page, err);
}

static rh_status write_stage(const staging *stage, rh_error *err)
{
    const rh_slice title = stage->equations->model->title;
    rh__text_put(stage->out, title.size > 0 ? "equations " : "equations");
    if (title.size > 0) {
        rh__text_put_json(stage->out, title);
    }
    rh__text_put(stage->out, "\n");
    RH_TRY(write_core(stage, err));
    RH_TRY(write_form(stage, RH_FORM_MULTIPLIERS, "before the presolve", err));
    if (stage->equations->has_presolve) {
        RH_TRY(write_form(stage, RH_FORM_REDUCED, "after the presolve", err));
    } else {
        rh__text_put(stage->out, "\n# the presolve is off\n");
    }
    return stage->out->ok ? RH_OK
                          : rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
}

rh_status rh_equations_dump(rh_equations *equations, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(equations != NULL && sink.write != NULL, err);
    if (!equations->is_sound) {
        return rh__error_fill(err, RH_E_MODEL, "%s", rh_status_text(RH_E_MODEL));
    }
    const rh_arena *like = &equations->arena;
    rh_arena arena = rh__arena_begin(like->allocator, like->limit);
    rh_arena scratch = rh__arena_begin(like->allocator, like->limit);
    rh_arena kept = rh__arena_begin(like->allocator, like->limit);
    rh_text out = rh__text_begin(&kept, NULL);
    const staging stage = {equations, &arena, &scratch, &out};
    rh_status status = write_stage(&stage, err);
    if (status == RH_OK && !sink.write(sink.user, out.data, out.size)) {
        status = rh__error_fill(err, RH_E_WRITE, "%s", rh_status_text(RH_E_WRITE));
    }
    rh__arena_end(&kept);
    rh__arena_end(&scratch);
    rh__arena_end(&arena);
    return rh__guard_explain(like->allocator, status, err);
}
