// SPDX-License-Identifier: Apache-2.0
// A form of the equations as one JSON object: every row in full, expressions as text that the
// language reads back, large shared parts by names (%1, %2, ...) under the key "parts".

#include "output/forms.h"

#include <inttypes.h>

typedef struct writing {
    const rh_sheet *sheet;
    const rh_show *show;
    rh_text *out;
} writing;

static void put_key(const writing *to, const char *key)
{
    rh__text_format(to->out, ", \"%s\": ", key);
}

// Nothing more is written once the text is too long to be printed.
static bool has_room(const writing *to)
{
    return to->out->size <= RH_OUTPUT_TEXT_LIMIT;
}

static void put_kept(const writing *to, const rh_text *kept)
{
    rh__text_put_json(to->out, rh__text_slice(kept));
    to->out->ok = to->out->ok && kept->ok;
}

static void put_expr(const writing *to, rh_expr e)
{
    const rh_mark mark = rh__arena_mark(to->sheet->scratch);
    rh_text kept = rh__text_begin(to->sheet->scratch, NULL);
    rh__show_expr(to->show, e, &kept);
    put_kept(to, &kept);
    rh__arena_rewind(to->sheet->scratch, mark);
}

static void put_link(const writing *to, uint32_t link)
{
    const rh_equations *equations = to->sheet->equations;
    const rh_mark mark = rh__arena_mark(to->sheet->scratch);
    rh_text kept = rh__text_begin(to->sheet->scratch, NULL);
    rh__link_name(equations, &equations->links.data[link], &kept);
    put_kept(to, &kept);
    rh__arena_rewind(to->sheet->scratch, mark);
}

static void put_list(const writing *to, const rh_expr *data, uint32_t count)
{
    rh__text_put(to->out, "[");
    for (uint32_t k = 0; k < count && has_room(to); k++) {
        rh__text_put(to->out, k == 0 ? "" : ", ");
        put_expr(to, data[k]);
    }
    rh__text_put(to->out, "]");
}

// {name: text, ...}
static void put_object(const writing *to, const rh_definition *data, uint32_t count)
{
    rh__text_put(to->out, "{");
    for (uint32_t k = 0; k < count && has_room(to); k++) {
        rh__text_put(to->out, k == 0 ? "" : ", ");
        put_expr(to, data[k].symbol);
        rh__text_put(to->out, ": ");
        put_expr(to, data[k].value);
    }
    rh__text_put(to->out, "}");
}

static void put_row(const writing *to, uint32_t row)
{
    const rh_form *form = &to->sheet->form;
    const uint32_t link = form->link_of[row];
    rh__text_format(to->out,
                    "{\"kind\": \"%s\", \"constraint\": ", link == 0 ? "motion" : "constraint");
    if (link == 0) {
        rh__text_put(to->out, "null");
    } else {
        put_link(to, link - 1);
    }
    rh__text_put(to->out, ", \"terms\": {");
    const uint32_t first = form->matrix.begin[row];
    for (uint32_t k = first; k < form->matrix.begin[row + 1] && has_room(to); k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        rh__text_put(to->out, k == first ? "" : ", ");
        put_expr(to, form->unknowns.data[entry->column]);
        rh__text_put(to->out, ": ");
        put_expr(to, entry->value);
    }
    rh__text_put(to->out, "}, \"right\": ");
    put_expr(to, form->right[row]);
    rh__text_put(to->out, "}");
}

static void put_rows(const writing *to)
{
    put_key(to, "rows");
    rh__text_put(to->out, "[");
    for (uint32_t row = 0; row < to->sheet->form.matrix.rows && has_room(to); row++) {
        rh__text_put(to->out, row == 0 ? "" : ", ");
        put_row(to, row);
    }
    rh__text_put(to->out, "]");
}

static void put_levels(const writing *to)
{
    const rh_equations *equations = to->sheet->equations;
    const bool is_free = to->sheet->form.kind == RH_FORM_FREE;
    put_key(to, "levels");
    rh__text_put(to->out, "{");
    for (uint32_t k = 0; !is_free && k < equations->links.count && has_room(to); k++) {
        const rh_link *link = &equations->links.data[k];
        rh__text_put(to->out, k == 0 ? "" : ", ");
        put_link(to, k);
        rh__text_put(to->out, ": ");
        put_list(to, rh__sheet_level(to->sheet, k), link->level_count);
    }
    rh__text_put(to->out, "}");
}

static void put_conditions(const writing *to)
{
    const rh_equations *equations = to->sheet->equations;
    bool is_first = true;
    if (rh__equations_intermittent(equations) == NULL) {
        return;
    }
    put_key(to, "while");
    rh__text_put(to->out, "{");
    for (uint32_t k = 0; k < equations->links.count && has_room(to); k++) {
        const rh_link *link = &equations->links.data[k];
        if (rh__link_is_intermittent(link)) {
            rh__text_put(to->out, is_first ? "" : ", ");
            put_link(to, k);
            rh__text_put(to->out, ": ");
            put_expr(to, link->constraint->condition);
            is_first = false;
        }
    }
    rh__text_put(to->out, "}");
}

static void put_outputs(const writing *to)
{
    const rh_form *form = &to->sheet->form;
    put_key(to, "outputs");
    rh__text_put(to->out, "[");
    for (uint32_t k = 0; k < form->outputs.count && has_room(to); k++) {
        rh__text_put(to->out, k == 0 ? "{\"name\": " : ", {\"name\": ");
        put_expr(to, form->outputs.data[k].symbol);
        rh__text_put(to->out, ", \"value\": ");
        put_expr(to, form->outputs.data[k].value);
        rh__text_put(to->out, "}");
    }
    rh__text_put(to->out, "]");
}

static void put_reactions(const writing *to)
{
    const rh_sheet *sheet = to->sheet;
    put_key(to, "reactions");
    if (sheet->reacted == RH_OK) {
        put_object(to, sheet->reactions.values.data, sheet->reactions.values.count);
    } else {
        rh__text_put(to->out, "null");
    }
    put_key(to, "reaction_pivots");
    put_list(to, sheet->reactions.pivots.data,
             sheet->reacted == RH_OK ? sheet->reactions.pivots.count : 0);
}

static void put_parts(const writing *to)
{
    put_key(to, "parts");
    rh__text_put(to->out, "[");
    for (uint32_t k = 0; k < rh__show_part_count(to->show) && has_room(to); k++) {
        const rh_mark mark = rh__arena_mark(to->sheet->scratch);
        rh_text kept = rh__text_begin(to->sheet->scratch, NULL);
        rh__show_part(to->show, k, &kept);
        rh__text_put(to->out, k == 0 ? "" : ", ");
        put_kept(to, &kept);
        rh__arena_rewind(to->sheet->scratch, mark);
    }
    rh__text_put(to->out, "]");
}

static void put_change(const writing *to, const rh_restated *restated)
{
    put_key(to, "change");
    rh__text_put(to->out, "{\"new\": ");
    put_object(to, restated->fresh.data, restated->fresh.count);
    put_key(to, "inverse");
    put_object(to, restated->back.data, restated->back.count);
    put_key(to, "time");
    put_expr(to, restated->time);
    rh__text_format(to->out, ", \"inverted\": \"%s\", \"equal\": \"%s\", \"branches\": [",
                    rh__sheet_verdict(restated->inverted), rh__sheet_verdict(restated->equal));
    for (uint32_t k = 0; k < restated->branches.count; k++) {
        const rh_returning *branch = &restated->branches.data[k];
        rh__text_put(to->out, k == 0 ? "{\"variable\": " : ", {\"variable\": ");
        put_expr(to, branch->symbol);
        put_key(to, "leads_to");
        put_expr(to, branch->composed);
        put_key(to, "of");
        if (branch->sign != 0) {
            put_expr(to, branch->of);
        } else {
            rh__text_put(to->out, "null");
        }
        rh__text_format(to->out, ", \"sign\": %d, \"holds_at_start\": %s}", (int)branch->sign,
                        restated->is_start_known ? "true" : "null");
    }
    rh__text_put(to->out, "]}");
}

void rh__sheet_json(const rh_sheet *sheet, const rh_show *show, rh_text *out)
{
    const writing to = {sheet, show, out};
    const rh_form *form = &sheet->form;
    const rh_model *model = sheet->equations->model;
    rh__text_format(out, "{\"form\": \"%s\", \"title\": ", rh__sheet_word(form->kind));
    rh__text_put_json(out, model->title);
    put_key(&to, "unknowns");
    put_list(&to, form->unknowns.data, form->unknowns.count);
    rh__text_format(out, ", \"rate_count\": %u", (unsigned)form->rate_count);
    put_key(&to, "kinematics");
    put_object(&to, form->velocities.data, form->velocities.count);
    put_key(&to, "quasi");
    put_object(&to, form->basis.data, form->basis.count);
    put_key(&to, "passives");
    put_object(&to, form->passives.data, form->passives.count);
    if (form->restated != NULL) {
        put_change(&to, form->restated);
    }
    put_rows(&to);
    put_levels(&to);
    put_conditions(&to);
    put_key(&to, "momenta");
    put_object(&to, form->momenta.data, form->momenta.count);
    put_outputs(&to);
    put_reactions(&to);
    put_key(&to, "pivots");
    put_list(&to, form->pivots.data, form->pivots.count);
    put_parts(&to);
    rh__text_format(out,
                    ", \"operations\": {\"additions\": %" PRIu64 ", \"multiplications\": %" PRIu64
                    ", \"divisions\": %" PRIu64 ", \"functions\": %" PRIu64 "}",
                    sheet->cost.additions, sheet->cost.multiplications, sheet->cost.divisions,
                    sheet->cost.functions);
    put_key(&to, "diagnostics");
    rh__output_remark_list(out, model, &sheet->equations->diagnostics);
    rh__text_put(out, "}\n");
}
