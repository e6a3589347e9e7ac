// SPDX-License-Identifier: Apache-2.0
// The conditions under which coordinates are cyclic, one by one (theory 5.2): the velocities of
// positional coordinates (45), the inertia (66), the dissipation (67), the potential (68) and the
// gyroscopic terms (69) are free of them. Asked of the closed form: a derivative that is
// identically zero, by algebra or at random states. They are sufficient, not necessary: the split
// itself asks the whole of the equations.

#include "steady/steady.h"

typedef struct asking {
    const rh_frame_ground *ground;
    const rh_engine *engine;
    const rh_split *split;
    rh_store *store;
    rh_arena scratch;
    rh_expr *velocity; // by coordinate: through the quasi-velocities
    rh_expr *omega;    // quasi-velocities
    uint32_t count;    // of them
} asking;

static rh_expr through(void *user, rh_store *store, rh_expr symbol)
{
    const asking *in = user;
    const rh_equations *equations = in->ground->equations;
    (void)store;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        if (equations->carriers.data[k].variable.i == symbol.i) {
            return in->velocity[k];
        }
    }
    return symbol;
}

static bool begin(asking *in)
{
    const rh_equations *equations = in->ground->equations;
    const rh_form *form = &in->engine->form;
    const uint32_t n = equations->coordinate_count;
    in->velocity = rh__arena_array(&in->scratch, rh_expr, (size_t)n + 1);
    in->omega = in->engine->x.data + in->engine->velocities.first;
    in->count = in->engine->velocities.count;
    for (uint32_t k = 0; in->velocity != NULL && k < n; k++) {
        in->velocity[k] = equations->carriers.data[k].variable;
        for (uint32_t j = 0; j < form->velocities.count; j++) {
            if (form->velocities.data[j].symbol.i == in->velocity[k].i) {
                in->velocity[k] = form->velocities.data[j].value;
                break;
            }
        }
    }
    return in->velocity != NULL;
}

// Has the expression no slope by a cyclic coordinate?
static void ask_slopes(asking *in, rh_expr e, rh_steady_condition *out)
{
    const rh_equations *equations = in->ground->equations;
    if (e.i == 0 || (rh__expr_mask(in->store, e) & RH_ROLE_COORD) == 0) {
        return;
    }
    for (uint32_t k = 0; out->holds && k < in->split->n; k++) {
        if (in->split->is_positional[k]) {
            continue;
        }
        const rh_expr slope =
            rh__expr_differentiate(in->store, e, equations->carriers.data[k].position);
        if (slope.i == 0) {
            out->is_asked = false; // the store is full
            return;
        }
        const rh_mark mark = rh__arena_mark(&in->scratch);
        const rh_vanishing is_zero = rh__expr_vanishes(in->store, slope, rh__values_parameter,
                                                       in->ground->layout.values, &in->scratch);
        rh__arena_rewind(&in->scratch, mark);
        out->is_proved = out->is_proved && is_zero == RH_VANISHING_PROVED;
        if (is_zero == RH_VANISHING_NO) {
            out->holds = out->is_proved = false;
            out->witness = in->ground->units[k].row.name.data;
        }
    }
}

// Is the expression free of all cyclic coordinates? A condition or a sign has no slope, and must be
// free of them too.
static void ask(asking *in, rh_expr e, rh_steady_condition *out)
{
    rh_expr_list roots = {.data = &e, .count = 1, .capacity = 1};
    rh_expr_list surfaces = {0};
    ask_slopes(in, e, out);
    if (e.i == 0 || (rh__expr_mask(in->store, e) & RH_ROLE_COORD) == 0) {
        return;
    }
    const rh_mark mark = rh__arena_mark(&in->scratch);
    if (!rh__switches_find(in->store, &roots, &in->scratch, &surfaces)) {
        out->is_asked = false;
    }
    for (uint32_t k = 0; k < surfaces.count; k++) {
        ask_slopes(in, surfaces.data[k], out);
    }
    rh__arena_rewind(&in->scratch, mark);
}

// By quasi-velocity: W1^T V_q.
static rh_expr pull(asking *in, rh_expr potential, uint32_t a)
{
    const rh_equations *equations = in->ground->equations;
    rh_expr sum = rh__expr_integer(in->store, 0);
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        const rh_expr share = rh__expr_differentiate(in->store, in->velocity[k], in->omega[a]);
        const rh_expr slope =
            rh__expr_differentiate(in->store, potential, equations->carriers.data[k].position);
        sum = rh__expr_add(in->store, sum, rh__expr_multiply(in->store, share, slope));
    }
    return sum;
}

static void ask_all(asking *in, rh_steady_condition out[RH_STEADY_CONDITIONS])
{
    const rh_model *model = in->ground->equations->model;
    const rh_form *form = &in->engine->form;
    const rh_expr potential = rh__model_potential(model);
    const rh_expr loss = rh__expr_substitute(in->store, rh__model_dissipation(model), through, in);
    for (uint32_t k = 0; k < in->split->n; k++) {
        if (in->split->is_positional[k]) {
            ask(in, in->velocity[k], &out[0]);
        }
    }
    for (uint32_t k = 0; k < form->matrix.entries.count; k++) {
        const rh_entry *entry = &form->matrix.entries.data[k];
        if (entry->row < in->count && entry->column < in->count) {
            ask(in, entry->value, &out[1]);
        }
    }
    ask(in, potential, &out[3]);
    for (uint32_t a = 0; a < in->count && a < form->matrix.rows; a++) {
        const rh_expr drag = rh__expr_differentiate(in->store, loss, in->omega[a]);
        ask(in, drag, &out[2]);
        const rh_expr rest = rh__expr_add(in->store, form->right[a],
                                          rh__expr_add(in->store, pull(in, potential, a), drag));
        ask(in, rh__derive_fold(in->ground->equations, rest), &out[4]);
    }
}

rh_status rh__split_examine(const rh_frame_ground *ground, const rh_engine *engine, rh_split *split,
                            rh_arena *arena, rh_steady_condition out[RH_STEADY_CONDITIONS])
{
    static const char *const NAMES[] = {"45", "66", "67", "68", "69"};
    static const char *const CLAIMS[] = {"velocities of positional coordinates", "inertia",
                                         "dissipation", "potential", "gyroscopic terms"};
    asking in = {.ground = ground,
                 .engine = engine,
                 .split = split,
                 .store = ground->equations->store,
                 .scratch = rh__arena_begin(arena->allocator, arena->limit)};
    const bool is_closed = engine->is_closed;
    for (uint32_t k = 0; k < RH_STEADY_CONDITIONS; k++) {
        out[k] = (rh_steady_condition){.name = NAMES[k],
                                       .claim = CLAIMS[k],
                                       .is_asked = is_closed,
                                       .holds = true,
                                       .is_proved = true,
                                       .witness = ""};
    }
    const bool ok = !is_closed || begin(&in);
    if (ok && is_closed) {
        ask_all(&in, out);
    }
    rh__arena_end(&in.scratch);
    return ok ? RH_OK : RH_E_MEMORY;
}
