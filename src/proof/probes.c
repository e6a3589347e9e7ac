// SPDX-License-Identifier: Apache-2.0
// Points beside the surfaces where expressions switch. In: expressions; out: for each symbol of
// something that switches, values close to the surface and farther off, on both sides. A surface is
// looked for along one symbol at a time, the others at a random point: a change of sign between
// neighbours of a scale of values is narrowed down by bisection. Parts come before what they stand
// in, so a window inside a window is found from the values that its wall gave.

#include "proof/proof.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST_SURFACES = 64,
    MOST_SYMBOLS = 8, // of one surface
    MOST_VALUES = 46, // of one symbol
    SCALE_LOW = -6,
    SCALE_HIGH = 20, // the scale: 0 and +-2^k between these
    MOST_SCALE = 2 * (SCALE_HIGH - SCALE_LOW + 1) + 1 + MOST_VALUES,
    BASES = 2,
    HALVINGS = 60,
    WORK = 40000000 // parts evaluated, in all
};

rh_expr rh__switch_of(rh_store *store, rh_expr e)
{
    switch (rh__expr_op(store, e)) {
    case RH_OP_ABS:
    case RH_OP_SIGN:
        return rh__expr_argument(store, e, 0);
    case RH_OP_MIN:
    case RH_OP_MAX:
    case RH_OP_LESS:
    case RH_OP_LESS_EQUAL:
    case RH_OP_EQUAL:
        return rh__expr_subtract(store, rh__expr_argument(store, e, 0),
                                 rh__expr_argument(store, e, 1));
    default:
        return RH_EXPR_NONE;
    }
}

// A root has a corner where its base touches zero: sqrt((x - 5)^2).
static rh_expr root_base(const rh_store *store, rh_expr e)
{
    int64_t n = 0;
    const bool is_root = rh__expr_op(store, e) == RH_OP_POW &&
                         rh__expr_is_number(store, rh__expr_argument(store, e, 1)) &&
                         !rh__expr_as_integer(store, rh__expr_argument(store, e, 1), &n);
    return is_root ? rh__expr_argument(store, e, 0) : RH_EXPR_NONE;
}

// One surface along one symbol.
typedef struct line {
    rh_store *store;
    const rh_prover_def *def;
    const rh_recipe *surface;
    rh_expr along;
    double at;
    uint32_t base;
    rh_arena *scratch;
    uint64_t *work; // left
} line;

static double value_on_line(const void *user, const rh_store *store, rh_expr symbol)
{
    const line *on = user;
    return symbol.i == on->along.i ? on->at
                                   : rh__prover_coordinate(on->def, store, on->base, symbol);
}

static double surface_at(line *on, double at)
{
    double value = NAN;
    if (*on->work < on->surface->line_count) {
        return value;
    }
    *on->work -= on->surface->line_count;
    on->at = at;
    const rh_mark mark = rh__arena_mark(on->scratch);
    if (!rh__recipe_values(on->store, on->surface, value_on_line, on, on->scratch, &value)) {
        value = NAN;
    }
    rh__arena_rewind(on->scratch, mark);
    return value;
}

static rh_probe *probe_of(rh_probes *probes, rh_expr symbol, rh_arena *arena)
{
    for (uint32_t k = 0; k < probes->count; k++) {
        if (probes->data[k].symbol.i == symbol.i) {
            return &probes->data[k];
        }
    }
    return rh__array_push(arena, probes, (rh_probe){.symbol = symbol})
               ? &probes->data[probes->count - 1]
               : NULL;
}

static bool add_value(rh_probe *to, double value, rh_arena *arena)
{
    for (uint32_t k = 0; k < to->values.count; k++) {
        if (to->values.data[k] == value) {
            return true;
        }
    }
    return !isfinite(value) || to->values.count >= MOST_VALUES ||
           rh__array_push(arena, &to->values, value);
}

// Beside a zero between two values of the scale.
static bool add_crossing(line *on, double low, double high, rh_probe *to, rh_arena *arena)
{
    const bool rises = surface_at(on, low) < 0.0;
    for (uint32_t k = 0; k < HALVINGS; k++) {
        const double middle = low / 2 + high / 2;
        const bool is_below = (surface_at(on, middle) < 0.0) == rises;
        low = is_below ? middle : low;
        high = is_below ? high : middle;
    }
    const double size = fmax(1.0, fabs(low));
    const double steps[] = {0x1p-8, 0.5, 0x1p-20};
    bool ok = true;
    for (uint32_t k = 0; ok && k < 3; k++) {
        // on a grid, so that a person can follow
        const double grid = 0x1p22 / exp2(ceil(log2(size)));
        ok = add_value(to, floor((low - steps[k] * size) * grid) / grid, arena) &&
             add_value(to, ceil((high + steps[k] * size) * grid) / grid, arena);
    }
    return ok;
}

// Beside a place where the surface is touched from one side, between three values of the scale.
static bool add_touch(line *on, double low, double high, rh_probe *to, rh_arena *arena)
{
    const double size = fmax(fabs(surface_at(on, low)), fabs(surface_at(on, high)));
    for (uint32_t k = 0; k < 2 * HALVINGS; k++) {
        const double left = low + (high - low) / 3;
        const double right = high - (high - low) / 3;
        const bool is_left = fabs(surface_at(on, left)) < fabs(surface_at(on, right));
        low = is_left ? low : left;
        high = is_left ? right : high;
    }
    const double middle = low / 2 + high / 2;
    return !(fabs(surface_at(on, middle)) < 1e-9 * size) ||
           add_crossing(on, middle, middle, to, arena);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t make_scale(const rh_probe *known, double *scale)
{
    uint32_t count = 0;
    scale[count++] = 0.0;
    for (int k = SCALE_LOW; k <= SCALE_HIGH; k++) {
        scale[count++] = ldexp(1.0, k);
        scale[count++] = -ldexp(1.0, k);
    }
    for (uint32_t k = 0; k < known->values.count; k++) {
        scale[count++] = known->values.data[k];
    }
    qsort(scale, count, sizeof *scale, by_value);
    return count;
}

static bool scan(line *on, rh_probe *to, rh_arena *arena)
{
    double scale[MOST_SCALE];
    const uint32_t count = make_scale(to, scale);
    double before = NAN;
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        const double here = surface_at(on, scale[k]);
        if (here == 0.0 && k > 0 && k + 1 < count) { // a value of the scale lies on it
            ok = add_crossing(on, scale[k], scale[k], to, arena);
        } else if (before * here < 0.0) {
            ok = add_crossing(on, scale[k - 1], scale[k], to, arena);
        }
        const double next = k + 1 < count ? surface_at(on, scale[k + 1]) : NAN;
        if (ok && fabs(here) < fabs(before) && fabs(here) < fabs(next) && here != 0.0) {
            ok = add_touch(on, scale[k - 1], scale[k + 1], to, arena);
        }
        before = here;
    }
    return ok;
}

static bool scan_surface(rh_store *store, const rh_prover_def *def, rh_expr surface, uint64_t *work,
                         rh_arena *arena, rh_probes *out)
{
    rh_expr_list symbols = {0};
    rh_recipe recipe = {0};
    bool ok = rh__expr_symbols(store, surface, ~(uint32_t)0, arena, &symbols) &&
              rh__recipe_create(store, &surface, 1, arena, &recipe);
    for (uint32_t k = 0; ok && k < symbols.count && k < MOST_SYMBOLS; k++) {
        rh_probe *to = probe_of(out, symbols.data[k], arena);
        ok = to != NULL;
        for (uint32_t base = 1; ok && base <= BASES; base++) {
            line on = {store, def, &recipe, symbols.data[k], 0.0, base, arena, work};
            ok = scan(&on, to, arena);
        }
    }
    return ok;
}

bool rh__probes_find(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                     uint32_t count, rh_arena *arena, rh_probes *out)
{
    rh_expr_list roots = {0};
    rh_expr_list all = {0};
    rh_expr_list surfaces = {0};
    uint64_t work = WORK;
    bool ok = true;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_expr e = def->value == NULL ? expressions[k]
                                             : rh__expr_substitute(store, expressions[k],
                                                                   def->value, def->value_user);
        ok = e.i != 0 && rh__array_push(arena, &roots, e);
    }
    ok = ok && rh__expr_reach(store, roots.data, roots.count, arena, &all);
    for (uint32_t k = 0; ok && k < all.count && surfaces.count < MOST_SURFACES; k++) {
        const rh_expr switched = rh__switch_of(store, all.data[k]);
        const rh_expr surface = switched.i != 0 ? switched : root_base(store, all.data[k]);
        bool is_new = surface.i != 0 && !rh__expr_is_number(store, surface);
        for (uint32_t i = 0; i < surfaces.count && is_new; i++) {
            is_new = surfaces.data[i].i != surface.i;
        }
        ok = !is_new || rh__array_push(arena, &surfaces, surface);
    }
    for (uint32_t k = 0; ok && k < surfaces.count; k++) {
        const bool goes_on = def->goes_on == NULL || def->goes_on(def->goes_on_user);
        ok = !goes_on || scan_surface(store, def, surfaces.data[k], &work, arena, out);
    }
    return ok;
}
