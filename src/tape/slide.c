// SPDX-License-Identifier: Apache-2.0
// Sliding on switching surfaces. A condition of the equations (sign(s), a < b) that changes them at
// once gets an unknown u, its value, and a row that keeps its surface:
//     K z - D u = h - D c,    ds/dt = 0,    D = (h with c high - h with c low) / (high - low),
// c being the condition as it stands. Released, the row says u = c: the equations as written. Held,
// u is the convex combination of both sides (Filippov) that stays on the surface. Where the
// condition does not change ds/dt at once, as that of sign(x) with a force, but the rate of that,
// the row keeps ds/dt: d2s/dt2 = 0 (second order). Conditions of one surface, as x > 0 and sign(x),
// change together: there is one u for all of them.

#include "tape/tapes.h"

enum { MOST_SUBSTITUTIONS = 16 };

typedef struct candidate {
    rh_expr condition;    // the first one of its border
    rh_expr border, back; // a - b and b - a of the condition: what others of it have too
    rh_expr symbol;       // u
    rh_expr surface;      // the border in x, the time and feeds
    rh_gradient normal;   // its partials
    rh_expr kept, rest;   // what the row keeps: the surface, or its rate; and the rate of that
    rh_gradient partials; // apart from rates that are unknowns; partials of what is kept
    bool is_second;       // it is the rate
    uint32_t unknown;
    bool is_dropped;
    bool is_coupled;
} candidate;

// Candidate `which` stands in right side `row`; passive states come after the rows of the form.
typedef struct incidence {
    uint32_t row, which;
    rh_expr effect;
} incidence;

typedef struct sliding {
    rh_system *system;
    const rh_meanings *meanings;
    rh_equations *equations;
    rh_store *store;
    rh_arena *scratch;
    RH_ARRAY(candidate) found;
    RH_ARRAY(incidence) incidences; // by row
    uint32_t *component;            // by row: one of those that the matrix connects it with
} sliding;

static bool is_condition(rh_op op)
{
    return op == RH_OP_SIGN || op == RH_OP_LESS || op == RH_OP_LESS_EQUAL;
}

// The values below and above the surface.
static int64_t low_of(const sliding *in, const candidate *it)
{
    return rh__expr_op(in->store, it->condition) == RH_OP_SIGN ? -1 : 1;
}

static int64_t high_of(const sliding *in, const candidate *it)
{
    return rh__expr_op(in->store, it->condition) == RH_OP_SIGN ? 1 : 0;
}

static candidate candidate_of(rh_store *store, rh_expr condition)
{
    const rh_expr border = rh__expr_surface(store, condition);
    return (candidate){
        .condition = condition, .border = border, .back = rh__expr_negate(store, border)};
}

// The side on which a condition of the same border is where it is above: 1, -1; 0: it is another.
static int turn_of(rh_store *store, const candidate *it, rh_expr condition)
{
    const rh_op op = rh__expr_op(store, condition);
    if (!is_condition(op) && op != RH_OP_EQUAL) {
        return 0;
    }
    const rh_expr border = rh__expr_surface(store, condition);
    return border.i == it->border.i ? 1 : border.i == it->back.i ? -1 : 0;
}

// An expression on one side of the border.
static rh_expr on_side(const sliding *in, rh_expr e, const candidate *it, int side)
{
    rh_store *store = in->store;
    rh_expr_list parts = {0};
    const rh_mark mark = rh__arena_mark(in->scratch);
    rh_expr there = rh__expr_reach(store, &e, 1, in->scratch, &parts) ? e : RH_EXPR_NONE;
    for (uint32_t k = 0; k < parts.count; k++) {
        const int own = side * turn_of(store, it, parts.data[k]);
        const rh_op op = rh__expr_op(store, parts.data[k]);
        if (own != 0) {
            there = rh__expr_replace(store, there, parts.data[k],
                                     rh__expr_integer(store, op == RH_OP_SIGN    ? own
                                                             : op == RH_OP_EQUAL ? 0
                                                                                 : own < 0));
        }
    }
    rh__arena_rewind(in->scratch, mark);
    return there;
}

// What a condition, with all others of its border, does to an expression, per unit of its value.
static rh_expr effect_of(const sliding *in, rh_expr e, const candidate *it)
{
    rh_store *store = in->store;
    const rh_expr above = on_side(in, e, it, 1);
    const rh_expr below = on_side(in, e, it, -1);
    const rh_expr jump =
        rh__expr_multiply(store, rh__expr_subtract(store, above, below),
                          rh__expr_ratio(store, 1, high_of(in, it) - low_of(in, it)));
    return rh__derive_fold(in->equations, jump);
}

// --- candidates
// ------------------------------------------------------------------------------------

static uint32_t find(const sliding *in, rh_expr condition)
{
    uint32_t k = 0;
    while (k < in->found.count && turn_of(in->store, &in->found.data[k], condition) == 0) {
        k++;
    }
    return k;
}

static bool is_moving_condition(const sliding *in, rh_expr part)
{
    return is_condition(rh__expr_op(in->store, part)) &&
           (rh__expr_mask(in->store, part) & (RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_COORD)) !=
               0;
}

// Incidences of a row stand together.
static bool is_noted(const sliding *in, uint32_t row, uint32_t which)
{
    bool found = false;
    for (uint32_t k = in->incidences.count;
         !found && k-- > 0 && in->incidences.data[k].row == row;) {
        found = in->incidences.data[k].which == which;
    }
    return found;
}

static bool collect(sliding *in, uint32_t row, rh_expr e)
{
    rh_expr_list parts = {0};
    bool ok = rh__expr_reach(in->store, &e, 1, in->scratch, &parts);
    for (uint32_t k = 0; ok && k < parts.count; k++) {
        const rh_expr part = parts.data[k];
        if (!is_moving_condition(in, part)) {
            continue;
        }
        const uint32_t which = find(in, part);
        if (is_noted(in, row, which)) {
            continue;
        }
        ok = which < in->found.count ||
             rh__array_push(in->scratch, &in->found, candidate_of(in->store, part));
        const incidence there = {.row = row,
                                 .which = which,
                                 .effect =
                                     ok ? effect_of(in, e, &in->found.data[which]) : RH_EXPR_NONE};
        ok = there.effect.i != 0 && rh__array_push(in->scratch, &in->incidences, there);
    }
    return ok;
}

// Is there a condition at all? Rows share most of what they are made of, so all are looked at
// together, once.
static bool look_for_conditions(const sliding *in, bool *out_is_there)
{
    const rh_form *form = &in->system->form;
    const rh_mark mark = rh__arena_mark(in->scratch);
    rh_expr_list roots = {0};
    rh_expr_list parts = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < form->matrix.rows; k++) {
        ok = rh__array_push(in->scratch, &roots, form->right[k]);
    }
    for (uint32_t k = 0; ok && k < form->passives.count; k++) {
        ok = rh__array_push(in->scratch, &roots, form->passives.data[k].value);
    }
    ok = ok && rh__expr_reach(in->store, roots.data, roots.count, in->scratch, &parts);
    *out_is_there = false;
    for (uint32_t k = 0; ok && k < parts.count; k++) {
        *out_is_there = *out_is_there || is_moving_condition(in, parts.data[k]);
    }
    rh__arena_rewind(in->scratch, mark);
    return ok;
}

static bool collect_all(sliding *in)
{
    const rh_form *form = &in->system->form;
    bool is_there = false;
    bool ok = look_for_conditions(in, &is_there);
    if (!ok || !is_there) {
        return ok;
    }
    for (uint32_t k = 0; ok && k < form->matrix.rows; k++) {
        ok = collect(in, k, form->right[k]);
    }
    for (uint32_t k = 0; ok && k < form->passives.count; k++) {
        ok = collect(in, form->matrix.rows + k, form->passives.data[k].value);
    }
    return ok;
}

// Conditions in the inertia change more than a force: they do not slide.
static bool drop_inert(sliding *in)
{
    const rh_grid *matrix = &in->system->form.matrix;
    bool ok = true;
    for (uint32_t k = 0; ok && k < matrix->entries.count; k++) {
        rh_expr_list parts = {0};
        ok = rh__expr_reach(in->store, &matrix->entries.data[k].value, 1, in->scratch, &parts);
        for (uint32_t j = 0; ok && j < parts.count; j++) {
            const uint32_t c = find(in, parts.data[j]);
            if (c < in->found.count) {
                in->found.data[c].is_dropped = true;
            }
        }
    }
    return ok;
}

static rh_expr through_meanings(void *user, rh_store *store, rh_expr symbol)
{
    const sliding *in = user;
    (void)store;
    if (rh__system_index(in->system, symbol) != UINT32_MAX) {
        return symbol;
    }
    for (uint32_t k = 0; k < in->meanings->definitions.count; k++) {
        if (in->meanings->definitions.data[k].symbol.i == symbol.i) {
            return in->meanings->definitions.data[k].value;
        }
    }
    return symbol;
}

// An expression in x, the time and feeds alone; none when it cannot be said so.
static rh_expr express(sliding *in, rh_expr s)
{
    rh_store *store = in->store;
    for (uint32_t k = 0; k < MOST_SUBSTITUTIONS; k++) {
        const rh_expr next = rh__expr_substitute(store, s, through_meanings, in);
        if (next.i == s.i) {
            break;
        }
        s = next;
    }
    const uint32_t strange = RH_ROLE_ACCELERATION | RH_ROLE_RATE;
    return s.i != 0 && (rh__expr_mask(store, s) & strange) == 0 ? s : RH_EXPR_NONE;
}

static bool find_surface(sliding *in, candidate *it)
{
    rh_store *store = in->store;
    const rh_expr first = rh__expr_argument(store, it->condition, 0);
    it->surface = it->kept = express(
        in, rh__expr_op(store, it->condition) == RH_OP_SIGN
                ? first
                : rh__expr_subtract(store, first, rh__expr_argument(store, it->condition, 1)));
    return it->surface.i != 0;
}

// --- rates
// -------------------------------------------------------------------------------------

// The unknown that is the rate of x[index]; UINT32_MAX when that is no unknown.
static uint32_t rate_of(const rh_system *system, uint32_t index)
{
    const rh_range *variables = &system->variables;
    return index >= variables->first && index < variables->first + variables->count
               ? index - variables->first
               : UINT32_MAX;
}

// The rate of x[index] that is no unknown.
static rh_expr known_rate(const rh_system *system, uint32_t index)
{
    const rh_range *passives = &system->passives;
    if (index < system->coordinates.count) {
        return system->equations->carriers.data[index].variable;
    }
    if (index >= passives->first && index < passives->first + passives->count) {
        return system->form.passives.data[index - passives->first].value;
    }
    uint32_t at = system->held.first;
    for (uint32_t k = 0; k < system->equations->links.count; k++) {
        if (system->equations->links.data[k].held.i != 0 && at++ == index) {
            return system->equations->links.data[k].multiplier;
        }
    }
    return RH_EXPR_NONE;
}

// The rate of what is kept apart from the rates that are unknowns.
static bool find_rest(sliding *in, candidate *it)
{
    rh_store *store = in->store;
    const uint32_t mask = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_TIME |
                          RH_ROLE_MULTIPLIER | RH_ROLE_INPUT;
    if (!rh__expr_gradient(store, it->kept, mask, in->scratch, &it->partials)) {
        return false;
    }
    it->rest = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < it->partials.count; k++) {
        const rh_partial *partial = &it->partials.data[k];
        const uint32_t x = rh__system_index(in->system, partial->symbol);
        if (x != UINT32_MAX && rate_of(in->system, x) != UINT32_MAX) {
            continue;
        }
        const bool is_feed = (rh__expr_mask(store, partial->symbol) & RH_ROLE_INPUT) != 0;
        const rh_expr rate = is_feed ? rh__derive_input_rate(in->equations, partial->symbol)
                             : x == UINT32_MAX ? rh__expr_integer(store, 1)
                                               : known_rate(in->system, x);
        it->rest = rh__expr_add(store, it->rest, rh__expr_multiply(store, partial->value, rate));
    }
    it->rest = rh__derive_fold(in->equations, it->rest);
    return it->rest.i != 0;
}

typedef struct onto {
    rh_expr symbol, value;
} onto;

static rh_expr put_onto(void *user, rh_store *store, rh_expr symbol)
{
    const onto *it = user;
    (void)store;
    return symbol.i == it->symbol.i ? it->value : symbol;
}

// Where other conditions decide, random states may all be on one side of them.
static bool has_conditions(const sliding *in, rh_expr e)
{
    rh_expr_list parts = {0};
    bool found = !rh__expr_reach(in->store, &e, 1, in->scratch, &parts);
    for (uint32_t k = 0; k < parts.count && !found; k++) {
        const rh_op op = rh__expr_op(in->store, parts.data[k]);
        found = is_condition(op) || op == RH_OP_EQUAL || op == RH_OP_MIN || op == RH_OP_MAX;
    }
    return found;
}

// Does it have a power of the surface, or of a multiple of that, as a factor?
static bool has_factor(const sliding *in, rh_expr core, rh_expr e)
{
    rh_store *store = in->store;
    const rh_op op = rh__expr_op(store, e);
    const uint32_t count = rh__expr_count(store, e);
    rh_expr own = RH_EXPR_NONE;
    rh_expr factor = RH_EXPR_NONE;
    bool has = false;
    if (op == RH_OP_POW) {
        const rh_expr exponent = rh__expr_argument(store, e, 1);
        return rh__expr_is_number(store, exponent) && rh__expr_number_sign(store, exponent) > 0 &&
               has_factor(in, core, rh__expr_argument(store, e, 0));
    }
    for (uint32_t k = 0; op == RH_OP_MUL && !has && k < count; k++) {
        has = has_factor(in, core, rh__expr_argument(store, e, k));
    }
    if (!has && rh__expr_surface_split(store, e, &own, &factor)) {
        has = own.i == core.i;
    }
    bool all = op == RH_OP_ADD;
    for (uint32_t k = 1; !has && all && k < count; k += 2) {
        all = has_factor(in, core, rh__expr_argument(store, e, k));
    }
    return has || all;
}

// Does the effect vanish on the surface? Then nothing changes at once there.
static bool vanishes_on(sliding *in, const candidate *it, rh_expr effect)
{
    rh_store *store = in->store;
    rh_expr core = RH_EXPR_NONE;
    rh_expr factor = RH_EXPR_NONE;
    if (rh__expr_surface_split(store, it->surface, &core, &factor) &&
        has_factor(in, core, rh__expr_substitute(store, effect, through_meanings, in))) {
        return true;
    }
    if (has_conditions(in, effect)) {
        return false;
    }
    for (uint32_t k = 0; k < it->normal.count; k++) {
        const rh_partial *partial = &it->normal.data[k];
        if ((rh__expr_mask(store, partial->value) & RH_EXPR_VARIABLE) == 0) {
            onto to = {partial->symbol,
                       rh__expr_subtract(store, partial->symbol,
                                         rh__expr_divide(store, it->surface, partial->value))};
            const rh_expr there = rh__derive_fold(
                in->equations,
                rh__expr_substitute(store, rh__expr_substitute(store, effect, through_meanings, in),
                                    put_onto, &to));
            return there.i != 0 && rh__derive_vanishes(in->equations, there, in->scratch);
        }
    }
    return false;
}

static uint32_t head_of(const sliding *in, uint32_t row)
{
    while (in->component[row] != row) {
        row = in->component[row];
    }
    return row;
}

// Rows and unknowns that the matrix connects; row and unknown k go together.
static bool find_components(sliding *in)
{
    const rh_grid *matrix = &in->system->form.matrix;
    in->component = rh__arena_array(in->scratch, uint32_t, (size_t)matrix->rows + 1);
    for (uint32_t k = 0; in->component != NULL && k < matrix->rows; k++) {
        in->component[k] = k;
    }
    for (uint32_t k = 0; in->component != NULL && k < matrix->entries.count; k++) {
        const rh_entry *entry = &matrix->entries.data[k];
        in->component[head_of(in, entry->row)] = head_of(in, entry->column);
    }
    return in->component != NULL;
}

// Does a condition stand in a right side that is connected with an unknown?
static bool reaches(const sliding *in, uint32_t which, uint32_t unknown)
{
    bool found = false;
    for (uint32_t k = 0; k < in->incidences.count && !found; k++) {
        const incidence *there = &in->incidences.data[k];
        found = there->which == which && there->row < in->system->form.matrix.rows &&
                !rh__expr_is_zero(in->store, there->effect) &&
                head_of(in, there->row) == head_of(in, unknown);
    }
    return found;
}

// Does the condition change the rate of what is kept at once?
static bool has_rate(sliding *in, uint32_t which)
{
    const candidate *it = &in->found.data[which];
    bool is_decided = !rh__expr_is_zero(in->store, effect_of(in, it->rest, it));
    for (uint32_t k = 0; k < it->partials.count && !is_decided; k++) {
        const uint32_t x = rh__system_index(in->system, it->partials.data[k].symbol);
        const uint32_t rate = x != UINT32_MAX ? rate_of(in->system, x) : UINT32_MAX;
        is_decided = rate != UINT32_MAX && reaches(in, which, rate);
    }
    return is_decided;
}

// The rate of what is kept by x alone; none when a rate in it is more than a quotient, or other
// conditions stand in it.
static rh_expr whole_rate(sliding *in, const candidate *it)
{
    rh_store *store = in->store;
    const rh_form *form = &in->system->form;
    rh_expr sum = it->rest;
    for (uint32_t k = 0; k < it->partials.count; k++) {
        const rh_partial *partial = &it->partials.data[k];
        const uint32_t x = rh__system_index(in->system, partial->symbol);
        const uint32_t rate = x != UINT32_MAX ? rate_of(in->system, x) : UINT32_MAX;
        if (rate == UINT32_MAX) {
            continue;
        }
        const uint32_t first = form->matrix.begin[rate];
        const rh_entry *entry = &form->matrix.entries.data[first];
        if (form->matrix.begin[rate + 1] != first + 1 || entry->column != rate) {
            return RH_EXPR_NONE;
        }
        const rh_expr value = rh__expr_divide(store, form->right[rate], entry->value);
        sum = rh__expr_add(store, sum, rh__expr_multiply(store, partial->value, value));
    }
    sum = sum.i != 0 ? rh__derive_fold(in->equations, express(in, sum)) : sum;
    return sum.i == 0 || has_conditions(in, sum) ? RH_EXPR_NONE : sum;
}

// Only then it can be told whether the effect of a condition vanishes on its surface; one that does
// may have no value beyond it.
static bool has_constant_partial(const sliding *in, const candidate *it)
{
    bool found = false;
    for (uint32_t k = 0; k < it->normal.count && !found; k++) {
        found = (rh__expr_mask(in->store, it->normal.data[k].value) & RH_EXPR_VARIABLE) == 0;
    }
    return found;
}

static bool has_unknown_rate(const sliding *in, const candidate *it)
{
    bool found = false;
    for (uint32_t k = 0; k < it->partials.count && !found; k++) {
        const uint32_t x = rh__system_index(in->system, it->partials.data[k].symbol);
        found = x != UINT32_MAX && rate_of(in->system, x) != UINT32_MAX;
    }
    return found;
}

// What the row of a candidate keeps: its surface, or the rate of it; false when that is neither.
static bool find_kept(sliding *in, uint32_t which)
{
    candidate *it = &in->found.data[which];
    if (!find_surface(in, it) || !find_rest(in, it)) {
        return false;
    }
    it->normal = it->partials;
    if (has_rate(in, which)) {
        return true;
    }
    const candidate first = *it;
    if (!has_constant_partial(in, it)) {
        return has_unknown_rate(in, it);
    }
    it->is_second = true;
    it->kept = whole_rate(in, it);
    if (it->kept.i != 0 && find_rest(in, it) && has_rate(in, which)) {
        return true;
    }
    // something else may hold it there: then it has no side
    *it = first;
    return has_unknown_rate(in, it);
}

// Does the condition change something at once?
static bool is_sudden(sliding *in, uint32_t which)
{
    const candidate *it = &in->found.data[which];
    bool is_found = false;
    for (uint32_t k = 0; !is_found && k < in->incidences.count; k++) {
        const incidence *there = &in->incidences.data[k];
        is_found = there->which == which && !rh__expr_is_zero(in->store, there->effect) &&
                   !vanishes_on(in, it, there->effect);
    }
    return is_found;
}

static bool is_coupled(const sliding *in, rh_expr effect)
{
    rh_expr_list parts = {0};
    bool found = !rh__expr_reach(in->store, &effect, 1, in->scratch, &parts);
    for (uint32_t k = 0; k < parts.count && !found; k++) {
        found = find(in, parts.data[k]) < in->found.count;
    }
    return found;
}

// Keep those that may slide, and number their unknowns.
static bool choose(sliding *in)
{
    rh_system *system = in->system;
    rh_form *form = &system->form;
    const rh_family_def def = {.name = rh__slice_of("slide"),
                               .dimensions = 1,
                               .first = {1},
                               .extent = {in->found.count},
                               .mask = RH_EXPR_VARIABLE | RH_ROLE_MULTIPLIER};
    const rh_family family = rh__family_create(in->store, &def);
    system->slides = rh__arena_array(&system->arena, rh_slide, (size_t)in->found.count + 1);
    bool ok = family.i != 0 && system->slides != NULL && find_components(in);
    for (uint32_t k = 0; ok && k < in->found.count; k++) {
        candidate *it = &in->found.data[k];
        it->is_dropped = it->is_dropped || !find_kept(in, k) || !is_sudden(in, k);
        if (it->is_dropped) {
            continue;
        }
        for (uint32_t j = 0; j < in->incidences.count; j++) {
            const incidence *there = &in->incidences.data[j];
            it->is_coupled = it->is_coupled || (there->which == k && is_coupled(in, there->effect));
        }
        it->symbol = rh__expr_symbol(in->store, family, k);
        it->unknown = form->unknowns.count;
        system->slides[system->slide_count++] = (rh_slide){.condition = it->condition,
                                                           .unknown = it->unknown,
                                                           .low = (double)low_of(in, it),
                                                           .high = (double)high_of(in, it),
                                                           .is_coupled = it->is_coupled,
                                                           .is_second = it->is_second};
        ok = it->symbol.i != 0 && rh__array_push(&system->arena, &form->unknowns, it->symbol);
    }
    return ok;
}

// --- the larger form
// -----------------------------------------------------------------------------

// u - c for a candidate.
static rh_expr change_of(const sliding *in, const candidate *it)
{
    return rh__expr_subtract(in->store, it->symbol, it->condition);
}

rh_expr rh__slide_through(const rh_system *system, rh_expr e, rh_arena *scratch)
{
    rh_store *store = system->equations->store;
    rh_expr_list parts = {0};
    if (system->slide_count == 0) {
        return e;
    }
    if (!rh__expr_reach(store, &e, 1, scratch, &parts)) {
        return RH_EXPR_NONE;
    }
    const sliding in = {.equations = system->equations, .store = store, .scratch = scratch};
    rh_expr sum = e;
    for (uint32_t j = 0; j < system->slide_count; j++) {
        candidate it = candidate_of(store, system->slides[j].condition);
        bool is_there = false;
        for (uint32_t k = 0; !is_there && k < parts.count; k++) {
            is_there = turn_of(store, &it, parts.data[k]) != 0;
        }
        it.symbol = system->form.unknowns.data[system->slides[j].unknown];
        if (is_there) {
            sum = rh__expr_add(
                store, sum, rh__expr_multiply(store, change_of(&in, &it), effect_of(&in, e, &it)));
        }
    }
    return rh__derive_fold(system->equations, sum);
}

static bool add_entry(sliding *in, rh_grid *grid, uint32_t row, uint32_t column, rh_expr value)
{
    const rh_entry entry = {.row = row, .column = column, .value = value};
    return value.i != 0 && (rh__expr_is_zero(in->store, value) ||
                            rh__array_push(&in->system->arena, &grid->entries, entry));
}

// e - sum of c D over the candidates that slide: what is left of a right side.
static rh_expr remove_effect(const sliding *in, rh_expr e, const candidate *it, rh_expr effect)
{
    return rh__expr_subtract(in->store, e, rh__expr_multiply(in->store, it->condition, effect));
}

// Row `row` of the form with its new entries; incidences of a row stand together.
static bool enlarge_row(sliding *in, rh_grid *grid, uint32_t row, uint32_t *at)
{
    const rh_form *form = &in->system->form;
    bool ok = true;
    for (uint32_t k = form->matrix.begin[row]; ok && k < form->matrix.begin[row + 1]; k++) {
        ok = rh__array_push(&in->system->arena, &grid->entries, form->matrix.entries.data[k]);
    }
    const uint32_t first = *at;
    for (; *at < in->incidences.count && in->incidences.data[*at].row == row;) {
        (*at)++;
    }
    rh_expr right = form->right[row];
    for (uint32_t c = 0; ok && first < *at && c < in->found.count; c++) {
        const candidate *it = &in->found.data[c];
        for (uint32_t k = first; ok && !it->is_dropped && k < *at; k++) {
            const incidence *there = &in->incidences.data[k];
            if (there->which == c) {
                ok = add_entry(in, grid, row, it->unknown,
                               rh__expr_negate(in->store, there->effect));
                right = remove_effect(in, right, it, there->effect);
            }
        }
    }
    form->right[row] =
        right.i == form->right[row].i ? right : rh__derive_fold(in->equations, right);
    return ok && form->right[row].i != 0;
}

// The row that keeps a surface, or its rate.
static bool add_surface(sliding *in, rh_grid *grid, const candidate *it, rh_expr *right)
{
    const uint32_t row = it->unknown;
    bool ok = true;
    for (uint32_t k = 0; ok && k < in->system->form.rate_count; k++) {
        for (uint32_t j = 0; ok && j < it->partials.count; j++) {
            const uint32_t x = rh__system_index(in->system, it->partials.data[j].symbol);
            ok = x == UINT32_MAX || rate_of(in->system, x) != k ||
                 add_entry(in, grid, row, k, it->partials.data[j].value);
        }
    }
    rh_expr rest = it->rest;
    for (uint32_t c = 0; ok && c < in->found.count; c++) {
        const candidate *other = &in->found.data[c];
        if (!other->is_dropped) {
            const rh_expr effect = effect_of(in, it->rest, other);
            ok = add_entry(in, grid, row, other->unknown, effect);
            rest = remove_effect(in, rest, other, effect);
        }
    }
    *right = rh__derive_fold(in->equations, rh__expr_negate(in->store, rest));
    return ok && right->i != 0;
}

static bool enlarge(sliding *in)
{
    rh_form *form = &in->system->form;
    rh_arena *arena = &in->system->arena;
    const uint32_t rows = form->matrix.rows;
    const uint32_t count = form->unknowns.count;
    rh_grid grid = {.rows = count, .columns = count};
    grid.begin = rh__arena_array(arena, uint32_t, (size_t)count + 1);
    rh_expr *right = rh__arena_array(arena, rh_expr, (size_t)count + 1);
    uint32_t *link_of = rh__arena_array(arena, uint32_t, (size_t)count + 1);
    bool ok = grid.begin != NULL && right != NULL && link_of != NULL;
    uint32_t at = 0;
    for (uint32_t row = 0; ok && row < rows; row++) {
        grid.begin[row] = grid.entries.count;
        link_of[row] = form->link_of[row];
        ok = enlarge_row(in, &grid, row, &at);
        right[row] = form->right[row];
    }
    for (uint32_t c = 0; ok && c < in->found.count; c++) {
        const candidate *it = &in->found.data[c];
        if (!it->is_dropped) {
            grid.begin[it->unknown] = grid.entries.count;
            ok = add_surface(in, &grid, it, &right[it->unknown]);
        }
    }
    if (ok) {
        grid.begin[count] = grid.entries.count;
        form->matrix = grid;
        form->right = right;
        form->link_of = link_of;
    }
    return ok;
}

static bool rewrite(sliding *in, rh_definition *data, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        data[k].value = rh__slide_through(in->system, data[k].value, in->scratch);
        if (data[k].value.i == 0) {
            return false;
        }
    }
    return true;
}

bool rh__slide_prepare(rh_system *system, const rh_meanings *meanings)
{
    sliding in = {.system = system,
                  .meanings = meanings,
                  .equations = system->equations,
                  .store = system->equations->store,
                  .scratch = meanings->arena};
    rh_form *form = &system->form;
    if (form->matrix.rows != form->unknowns.count || !collect_all(&in)) {
        return form->matrix.rows != form->unknowns.count;
    }
    if (in.found.count == 0) {
        return true;
    }
    return drop_inert(&in) && choose(&in) &&
           (system->slide_count == 0 ||
            (enlarge(&in) && rewrite(&in, form->passives.data, form->passives.count) &&
             rewrite(&in, form->outputs.data, form->outputs.count)));
}
