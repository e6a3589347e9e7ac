// SPDX-License-Identifier: Apache-2.0
// Feeds: inputs of the model that come from files. On a piece each of them is a straight line, and
// whoever owns the states says which (rh_feed_piece). Their slots are filled from the time before
// anything else runs, so a new piece makes no new tape and binds nothing. Of a feed u a tape has
// two inputs, u and u'; the higher derivatives are 0.

#include "tape/kernel.h"
#include "tape/tapes.h"

void rh__feed_fill(rh_tape_state *state, uint32_t k)
{
    const rh_tape *tape = state->tape;
    RH_ASSERT(tape->feed_first + 2 * tape->feed_count <= tape->input_count);
    double *row = rh__jet_row(state, k);
    for (uint32_t i = 0; i < tape->feed_count; i++) {
        const rh_feed_piece piece =
            state->feeds != NULL ? state->feeds[i] : (rh_feed_piece){.begin = 0.0};
        double *out = row + tape->feed_first + 2 * (size_t)i;
        out[0] = k == 0 ? piece.value + piece.slope * (row[0] - piece.begin) : piece.slope * row[0];
        out[1] = k == 0 ? piece.slope : 0.0;
    }
}

// --- symbols -----------------------------------------------------------------------------------

bool rh__feed_list(rh_system *system)
{
    const rh_equations *equations = system->equations;
    const rh_model *model = equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < model->inputs.count; k++) {
        const rh_input *input = &model->inputs.data[k];
        if (input->file == NULL) {
            continue;
        }
        const rh_expr symbol = rh__expr_symbol(equations->store, input->family, 0);
        const rh_expr rate = rh__derive_input_rate(equations, symbol);
        ok = symbol.i != 0 && rh__array_push(&system->arena, &system->feeds, symbol) &&
             rh__array_push(&system->arena, &system->feeds, rate);
    }
    RH_ASSERT(!ok || system->feeds.count % 2 == 0); // each with its derivative
    return ok;
}

bool rh__feed_define(rh_meanings *meanings)
{
    const rh_system *system = meanings->system;
    const rh_expr zero = rh__expr_integer(system->equations->store, 0);
    bool ok = zero.i != 0;
    for (uint32_t k = 1; ok && k < system->feeds.count; k += 2) {
        rh_expr symbol = rh__derive_input_rate(system->equations, system->feeds.data[k]);
        for (; ok && symbol.i != 0; symbol = rh__derive_input_rate(system->equations, symbol)) {
            const rh_definition made = {symbol, zero};
            ok = rh__array_push(meanings->arena, &meanings->definitions, made);
        }
    }
    return ok;
}

// --- smoothness --------------------------------------------------------------------------------

// The symbols of a feed and its derivatives, and the highest of them that was met.
typedef struct looking {
    const rh_system *system;
    rh_arena *scratch;
    rh_expr base;
    uint32_t order;
} looking;

static bool look_at(looking *in, rh_expr e)
{
    const rh_equations *equations = in->system->equations;
    rh_expr_list found = {0};
    if ((rh__expr_mask(equations->store, e) & RH_ROLE_INPUT) == 0) {
        return true;
    }
    if (!rh__expr_symbols(equations->store, e, RH_ROLE_INPUT, in->scratch, &found)) {
        return false;
    }
    for (uint32_t k = 0; k < found.count; k++) {
        rh_expr symbol = in->base;
        for (uint32_t order = 0; symbol.i != 0; order++) {
            in->order = symbol.i == found.data[k].i && order > in->order ? order : in->order;
            symbol = rh__derive_input_rate(equations, symbol);
        }
    }
    return true;
}

static bool look_at_definitions(looking *in, const rh_definition *data, uint32_t count)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        ok = look_at(in, data[k].value);
    }
    return ok;
}

rh_status rh__system_feed_order(const rh_system *system, uint32_t feed, uint32_t link,
                                rh_arena *scratch, uint32_t *out)
{
    RH_ASSERT(2 * feed + 1 < system->feeds.count);
    const rh_form *form = &system->form;
    looking in = {system, scratch, system->feeds.data[2 * (size_t)feed], 0};
    bool ok = look_at_definitions(&in, form->velocities.data, form->velocities.count) &&
              look_at_definitions(&in, form->passives.data, form->passives.count);
    for (uint32_t row = 0; ok && row < form->matrix.rows; row++) {
        if (system->hold_row[row] != UINT32_MAX &&
            (link == UINT32_MAX || form->link_of[row] != link + 1)) {
            continue;
        }
        ok = look_at(&in, form->right[row]);
        for (uint32_t k = form->matrix.begin[row]; ok && k < form->matrix.begin[row + 1]; k++) {
            ok = look_at(&in, form->matrix.entries.data[k].value);
        }
    }
    *out = in.order;
    return ok ? RH_OK : scratch->status != RH_OK ? scratch->status : RH_E_MEMORY;
}
