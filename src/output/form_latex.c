// SPDX-License-Identifier: Apache-2.0
// A form of the equations as LaTeX: an align* environment (amsmath) a block, with a paragraph as
// its heading. Long sums are broken before a term, so that no line is wider than TeX can measure.

#include "output/forms.h"

enum { LINE = 240 }; // bytes of LaTeX that are left in one line

typedef struct writing {
    const rh_sheet *sheet;
    const rh_show *show;
    rh_text *out;
    const char *pending; // heading not written yet
    bool is_open;        // inside an environment
} writing;

// --- blocks --------------------------------------------------------------------------------------

static void begin_block(writing *to, const char *heading)
{
    to->pending = heading;
}

static void begin_line(writing *to)
{
    if (to->pending != NULL) {
        rh__text_format(to->out, "\n\\paragraph{%s}\n\\begin{align*}\n", to->pending);
        to->pending = NULL;
        to->is_open = true;
    } else {
        rh__text_put(to->out, " \\\\\n");
    }
}

static void end_block(writing *to)
{
    rh__text_put(to->out, to->is_open ? "\n\\end{align*}\n" : "");
    to->is_open = false;
}

static bool has_room(const writing *to)
{
    return to->out->size <= RH_OUTPUT_TEXT_LIMIT;
}

// --- text ----------------------------------------------------------------------------------------

static void put_escaped(rh_text *out, rh_slice text)
{
    for (size_t k = 0; k < text.size; k++) {
        const char c = text.data[k];
        switch (c) {
        case '\\':
            rh__text_put(out, "\\textbackslash{}");
            break;
        case '~':
            rh__text_put(out, "\\textasciitilde{}");
            break;
        case '^':
            rh__text_put(out, "\\textasciicircum{}");
            break;
        case '#':
        case '$':
        case '%':
        case '&':
        case '_':
        case '{':
        case '}':
            rh__text_put_char(out, '\\');
            rh__text_put_char(out, c);
            break;
        default:
            rh__text_put_char(out, (unsigned char)c < 0x20 ? ' ' : c);
        }
    }
}

// --- expressions
// -----------------------------------------------------------------------------------

// number * term without its sign.
static void put_term(const writing *to, rh_expr number, rh_expr term, bool is_first)
{
    rh_store *store = to->sheet->store;
    const bool is_negative = rh__expr_number_sign(store, number) < 0;
    const rh_expr size = is_negative ? rh__expr_negate(store, number) : number;
    if (!is_first) {
        rh__text_put(to->out, " \\\\\n  &\\quad ");
    }
    rh__text_put(to->out, is_negative ? "- " : is_first ? "" : "+ ");
    const rh_expr shown = rh__expr_multiply(store, size, term);
    const bool is_sum = rh__expr_op(store, shown) == RH_OP_ADD && rh__expr_count(store, shown) > 2;
    rh__text_put(to->out, is_sum ? "\\left(" : "");
    rh__show_expr(to->show, shown, to->out);
    rh__text_put(to->out, is_sum ? "\\right)" : "");
}

static void put_expr(const writing *to, rh_expr e)
{
    rh_store *store = to->sheet->store;
    const rh_mark mark = rh__arena_mark(to->sheet->scratch);
    rh_text kept = rh__text_begin(to->sheet->scratch, NULL);
    rh__show_expr(to->show, e, &kept);
    const uint32_t pairs = rh__expr_op(store, e) == RH_OP_ADD ? rh__expr_count(store, e) / 2 : 1;
    to->out->ok = to->out->ok && kept.ok;
    if (kept.size <= LINE || pairs == 1) {
        rh__text_put_slice(to->out, rh__text_slice(&kept));
    } else {
        for (uint32_t k = 0; k < pairs; k++) {
            put_term(to, rh__expr_argument(store, e, 2 * k), rh__expr_argument(store, e, 2 * k + 1),
                     k == 0);
        }
    }
    rh__arena_rewind(to->sheet->scratch, mark);
}

static void put_assignment(writing *to, rh_expr symbol, rh_expr value)
{
    begin_line(to);
    rh__text_put(to->out, "  ");
    rh__show_expr(to->show, symbol, to->out);
    rh__text_put(to->out, " &= ");
    put_expr(to, value);
}

static void put_definitions(writing *to, const char *heading, const rh_definition *data,
                            uint32_t count)
{
    begin_block(to, heading);
    for (uint32_t k = 0; k < count && has_room(to); k++) {
        put_assignment(to, data[k].symbol, data[k].value);
    }
    end_block(to);
}

// --- rows --------------------------------------------------------------------------------------

static void put_name(const writing *to, uint32_t link, const char *primes)
{
    const rh_mark mark = rh__arena_mark(to->sheet->scratch);
    rh_text name = rh__text_begin(to->sheet->scratch, NULL);
    const rh_equations *equations = to->sheet->equations;
    rh__link_name(equations, &equations->links.data[link], &name);
    rh__text_put(to->out, "\\text{");
    put_escaped(to->out, rh__text_slice(&name));
    rh__text_format(to->out, "%s}\\colon\\quad ", primes);
    to->out->ok = to->out->ok && name.ok;
    rh__arena_rewind(to->sheet->scratch, mark);
}

static void put_row(writing *to, uint32_t row)
{
    const rh_form *form = &to->sheet->form;
    rh_expr unknown, value;
    begin_line(to);
    rh__text_put(to->out, "  ");
    if (form->link_of[row] != 0) {
        put_name(to, form->link_of[row] - 1, "");
    }
    if (rh__sheet_solved(to->sheet, row, &unknown, &value)) {
        rh__show_expr(to->show, unknown, to->out);
        rh__text_put(to->out, " &= ");
        put_expr(to, value);
        return;
    }
    const uint32_t first = form->matrix.begin[row];
    size_t line = to->out->size;
    for (uint32_t k = first; k < form->matrix.begin[row + 1]; k++) {
        rh_expr term;
        const bool is_subtracted = rh__sheet_term(to->sheet, k, &term);
        if (to->out->size - line > LINE) {
            rh__text_put(to->out, " \\\\\n  ");
            line = to->out->size;
        }
        rh__text_put(to->out, is_subtracted ? " - " : k > first ? " + " : "");
        rh__show_expr(to->show, term, to->out);
    }
    rh__text_put(to->out, form->matrix.begin[row + 1] == first ? "0 &= " : " &= ");
    put_expr(to, form->right[row]);
}

static void put_rows(writing *to, bool are_constraints)
{
    const rh_form *form = &to->sheet->form;
    begin_block(to, are_constraints ? "Constraints, differentiated" : "Motion");
    for (uint32_t row = 0; row < form->matrix.rows && has_room(to); row++) {
        if ((form->link_of[row] != 0) == are_constraints) {
            put_row(to, row);
        }
    }
    end_block(to);
}

static void put_levels(writing *to)
{
    static const char PRIMES[] = "''''''''''''''''";
    const rh_equations *equations = to->sheet->equations;
    begin_block(to, "Levels");
    for (uint32_t k = 0; k < equations->links.count && has_room(to); k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t level = 0; level < link->level_count; level++) {
            RH_ASSERT(level < sizeof PRIMES);
            begin_line(to);
            rh__text_put(to->out, "  ");
            put_name(to, k, PRIMES + sizeof PRIMES - 1 - level);
            rh__text_put(to->out, link->constraint->is_one_sided ? "0 &\\le " : "0 &= ");
            put_expr(to, rh__sheet_level(to->sheet, k)[level]);
            if (link->constraint->condition.i != 0) {
                rh__text_put(to->out, " \\quad\\text{while } ");
                put_expr(to, link->constraint->condition);
            }
        }
    }
    end_block(to);
}

static void put_pivots(writing *to, const rh_expr_list *pivots, const char *heading)
{
    begin_block(to, heading);
    for (uint32_t k = 0; k < pivots->count && has_room(to); k++) {
        begin_line(to);
        rh__text_put(to->out, "  ");
        rh__show_expr(to->show, pivots->data[k], to->out);
        rh__text_put(to->out, " &\\ne 0");
    }
    end_block(to);
}

static void put_parts(writing *to)
{
    begin_block(to, "Where");
    for (uint32_t k = 0; k < rh__show_part_count(to->show) && has_room(to); k++) {
        begin_line(to);
        rh__text_put(to->out, "  & ");
        rh__show_part(to->show, k, to->out);
    }
    end_block(to);
}

static void put_change(writing *to, const rh_restated *restated)
{
    put_definitions(to, "New variables", restated->fresh.data, restated->fresh.count);
    put_definitions(to, "The way back", restated->back.data, restated->back.count);
    rh__text_put(to->out, "\nA dot is the derivative by $");
    rh__show_expr(to->show, restated->time, to->out);
    rh__text_format(to->out,
                    "$. The way back: %s. Put back, these are the equations of the model: %s.\n",
                    rh__sheet_verdict(restated->inverted), rh__sheet_verdict(restated->equal));
    for (uint32_t k = 0; k < restated->branches.count; k++) {
        const rh_returning *branch = &restated->branches.data[k];
        if (rh__sheet_is_said(restated, k)) {
            continue;
        }
        rh__text_put(to->out, k == 0 ? "It leads back where $" : " and $");
        rh__show_expr(to->show, branch->sign != 0 ? branch->of : branch->symbol, to->out);
        rh__text_put(to->out, branch->sign > 0 ? " \\ge 0" : branch->sign < 0 ? " \\le 0" : " = ");
        if (branch->sign == 0) {
            rh__show_expr(to->show, branch->composed, to->out);
        }
        rh__text_put(to->out, "$");
    }
    rh__text_put(to->out, restated->branches.count > 0 ? ".\n" : "");
}

void rh__sheet_latex(const rh_sheet *sheet, const rh_show *show, rh_text *out)
{
    writing to = {.sheet = sheet, .show = show, .out = out};
    const rh_form *form = &sheet->form;
    rh__text_put(out, "% needs \\usepackage{amsmath}\n\\section*{");
    put_escaped(out, sheet->equations->model->title);
    rh__text_format(out, "%sform %s}\n", sheet->equations->model->title.size > 0 ? ": " : "",
                    rh__sheet_word(form->kind));
    if (form->restated != NULL) {
        put_change(&to, form->restated);
    }
    put_definitions(&to, "Quasi-velocities", form->basis.data, form->basis.count);
    put_definitions(&to, "Kinematics", form->velocities.data, form->velocities.count);
    put_definitions(&to, "States that follow their laws", form->passives.data,
                    form->passives.count);
    put_rows(&to, false);
    put_rows(&to, true);
    put_definitions(&to, "Momenta", form->momenta.data, form->momenta.count);
    put_definitions(&to, "What left the system", form->outputs.data, form->outputs.count);
    if (form->kind != RH_FORM_FREE) {
        put_levels(&to);
    }
    if (sheet->reacted == RH_OK) {
        put_definitions(&to, "Reactions", sheet->reactions.values.data,
                        sheet->reactions.values.count);
        put_pivots(&to, &sheet->reactions.pivots, "Reactions are valid where");
    }
    put_pivots(&to, &form->pivots, "Valid where");
    put_parts(&to);
    if (form->pivots.count == 0) {
        rh__text_put(out, form->restated != NULL ? "\nThis form is valid where the change is.\n"
                                                 : "\nThis form is valid everywhere.\n");
    }
}
