// SPDX-License-Identifier: Apache-2.0
// Frames: choices of quasi-velocities. Rows of constraints restrict the velocities; with so many
// rows of quasi-velocities that all are independent, U = [D*; D] is invertible. Independence is
// judged at the start and at a state near it, velocities in units of their sizes, rows scaled to
// length one.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define TOUCHING 1e-9    // of a one-sided constraint that acts, in sizes of variables
#define INDEPENDENT 1e-9 // of what is left of a row of length one
enum { COMBINATIONS = 400000, MOST_DENSE = 64 }; // the former: tries times n^3

// --- rows at a state -----------------------------------------------------------------------------

// Take away what `basis` (n x count, orthonormal) spans; hands back the length of the rest, of 1.
static double leave(uint32_t n, const double *basis, uint32_t count, double *row)
{
    const double length = rh__vector_norm(n, row);
    if (!(length > 0.0) || !isfinite(length)) {
        return 0.0;
    }
    for (uint32_t i = 0; i < n; i++) {
        row[i] /= length;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < count; k++) {
            const double share = rh__vector_dot(n, basis + (size_t)k * n, row);
            for (uint32_t i = 0; i < n; i++) {
                row[i] -= share * basis[(size_t)k * n + i];
            }
        }
    }
    const double rest = rh__vector_norm(n, row);
    for (uint32_t i = 0; i < n && rest > 0.0; i++) {
        row[i] /= rest;
    }
    return rest;
}

// A row joins both bases when it is independent of them at one of the states at least.
static bool join(const rh_frame_ground *ground, double *basis[2], uint32_t *count, double *row[2])
{
    const uint32_t n = ground->n;
    const double first = leave(n, basis[0], *count, row[0]);
    const double second = leave(n, basis[1], *count, row[1]);
    if (!(fmax(first, second) > INDEPENDENT) || *count >= n) {
        return false;
    }
    for (uint32_t s = 0; s < 2; s++) {
        const double rest = s == 0 ? first : second;
        if (rest > INDEPENDENT) {
            memcpy(basis[s] + (size_t)*count * n, row[s], n * sizeof **row);
        } else { // nothing new there
            memset(basis[s] + (size_t)*count * n, 0, n * sizeof **row);
        }
    }
    (*count)++;
    return true;
}

// d value / d velocities at both states, in units of the sizes of velocities.
static rh_status row_of(const rh_frame_ground *ground, rh_expr value, double *out[2])
{
    rh_equations *equations = ground->equations;
    rh_arena *arena = ground->arena;
    const rh_mark mark = rh__arena_mark(arena);
    rh_gradient partials;
    if (out[0] == NULL || out[1] == NULL ||
        !rh__expr_gradient(equations->store, value, RH_ROLE_VELOCITY, arena, &partials)) {
        return arena->status != RH_OK ? arena->status : RH_E_LIMIT;
    }
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t k = 0; k < ground->n; k++) {
            out[s][k] = 0.0;
        }
        for (uint32_t k = 0; k < partials.count; k++) {
            double number = 0.0;
            RH_TRY(rh__point_evaluate(s == 0 ? &ground->start : &ground->near,
                                      &partials.data[k].value, 1, arena, &number));
            for (uint32_t j = 0; j < ground->n; j++) {
                if (equations->carriers.data[j].variable.i == partials.data[k].symbol.i) {
                    out[s][j] += number * ground->speeds[j];
                }
            }
        }
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

// --- the ground ----------------------------------------------------------------------------------

// What variables of their sizes make of an expression.
static rh_status size_of(const rh_frame_ground *ground, rh_expr value, double *out)
{
    rh_gradient partials;
    *out = 0.0;
    if (!rh__expr_gradient(ground->equations->store, value,
                           RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE, ground->arena,
                           &partials)) {
        return ground->arena->status != RH_OK ? ground->arena->status : RH_E_LIMIT;
    }
    for (uint32_t k = 0; k < partials.count; k++) {
        const uint32_t slot = rh__layout_slot(&ground->layout, partials.data[k].symbol);
        double slope = 0.0;
        RH_TRY(
            rh__point_evaluate(&ground->start, &partials.data[k].value, 1, ground->arena, &slope));
        *out += slot != UINT32_MAX ? fabs(slope) * ground->sizes[slot] : 0.0;
    }
    return RH_OK;
}

rh_status rh__frame_level(const rh_frame_ground *ground, rh_expr level, double *out,
                          bool *out_is_none)
{
    double size = 0.0;
    RH_TRY(rh__point_evaluate(&ground->start, &level, 1, ground->arena, out));
    RH_TRY(size_of(ground, level, &size));
    *out_is_none = fabs(*out) <= TOUCHING * size;
    return RH_OK;
}

// One-sided constraints that touch at the start are kept as if they were two-sided; others do not
// act. What comes of it is checked on every motion that is found.
static rh_status find_sides(rh_frame_ground *ground)
{
    const rh_equations *equations = ground->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        double deviation = 0.0;
        ground->is_kept[k] = rh__link_is_exact(link);
        if (link->constraint->is_one_sided && rh__link_is_enforced(link)) {
            bool touches = false;
            RH_TRY(rh__frame_level(ground, link->levels[0], &deviation, &touches));
            ground->is_kept[k] = !link->constraint->has_law && touches;
            ground->is_off[k] = !ground->is_kept[k];
        }
    }
    return RH_OK;
}

static bool restricts(const rh_frame_ground *ground, uint32_t index)
{
    const rh_equations *equations = ground->equations;
    const rh_link *link = &equations->links.data[index];
    bool ok = ground->is_kept[index] && link->constraint->by == RH_BY_IDEAL && link->held.i == 0;
    const rh_grid *rows = &equations->rows;
    for (uint32_t k = rows->begin[index]; ok && k < rows->begin[index + 1]; k++) {
        const rh_entry *entry = &rows->entries.data[k];
        ok = entry->column < equations->coordinate_count &&
             equations->carriers.data[entry->column].is_selected &&
             (rh__expr_mask(equations->store, entry->value) & RH_ROLE_VELOCITY) == 0;
    }
    return ok;
}

static rh_status find_states(rh_frame_ground *ground, const rh_frame_ground_def *def)
{
    rh_start start;
    bool is_met = false;
    RH_TRY(rh__layout_create(ground->equations, ground->arena, &ground->layout));
    rh_diagnostics unheard = rh__diagnostics_begin(ground->arena);
    RH_TRY(rh__start_find(ground->equations, &ground->layout, ground->arena, &unheard, &start));
    ground->start = start.point;
    ground->is_consistent = start.is_consistent;
    for (uint32_t k = 0; k < unheard.remarks.count && ground->complaint == NULL; k++) {
        const rh_remark *remark = &unheard.remarks.data[k];
        const bool is_wrong = rh__diagnostic_rank(remark->code) == RH_RANK_ERROR;
        ground->complaint = is_wrong ? remark->message : NULL;
    }
    ground->sizes =
        rh__arena_array(ground->arena, double, (size_t)ground->layout.symbols.count + 1);
    RH_TRY(ground->sizes == NULL ? ground->arena->status : RH_OK);
    RH_TRY(rh__sizes_find(ground->equations, &ground->start, ground->arena, ground->sizes,
                          &ground->time_size));
    RH_TRY(rh__magnitudes_find(ground, def));
    RH_TRY(rh__turns_find(ground));
    ground->speeds = rh__arena_array(ground->arena, double, (size_t)ground->n + 1);
    RH_TRY(ground->speeds == NULL ? ground->arena->status : RH_OK);
    for (uint32_t k = 0; k < ground->n; k++) {
        const rh_expr velocity = ground->equations->carriers.data[k].variable;
        ground->speeds[k] = ground->sizes[rh__layout_slot(&ground->layout, velocity)];
    }
    return rh__start_wander(ground->equations, &start.point, 0.3, 1, ground->arena, &ground->near,
                            &is_met);
}

// The velocity of a coordinate under its own name.
static bool make_unit(rh_frame_ground *ground, uint32_t k)
{
    const rh_equations *equations = ground->equations;
    rh_store *store = equations->store;
    const rh_expr position = equations->carriers.data[k].position;
    rh_text name = rh__text_begin(ground->arena, NULL);
    rh__family_show(store, rh__expr_family(store, position), rh__expr_member(store, position),
                    &name);
    rh_family_def def = {.name = rh__text_slice(&name),
                         .primes = 1,
                         .sort = 60,
                         .mask = RH_EXPR_VARIABLE | RH_ROLE_VELOCITY};
    rh_quasi *unit = &ground->units[k];
    unit->row.name = def.name;
    unit->symbol = rh__family_create(store, &def);
    def.primes = 2;
    def.mask = RH_EXPR_VARIABLE | RH_ROLE_ACCELERATION;
    unit->rate = rh__family_create(store, &def);
    unit->value = equations->carriers.data[k].variable;
    return name.ok && unit->symbol.i != 0 && unit->rate.i != 0;
}

static rh_status use_links(rh_frame_ground *ground)
{
    const rh_equations *equations = ground->equations;
    double *row[2];
    for (uint32_t s = 0; s < 2; s++) {
        ground->rows[s] = rh__arena_array(ground->arena, double, (size_t)ground->n * ground->n + 1);
        row[s] = rh__arena_array(ground->arena, double, (size_t)ground->n + 1);
        if (ground->rows[s] == NULL || row[s] == NULL) {
            return ground->arena->status;
        }
    }
    for (uint32_t link = 0; link < equations->links.count; link++) {
        const rh_link *it = &equations->links.data[link];
        ground->is_row[link] = restricts(ground, link);
        if (ground->is_row[link]) {
            RH_TRY(row_of(ground, it->levels[it->level_count - 1], row));
            ground->is_used[link] = join(ground, ground->rows, &ground->row_count, row);
        }
    }
    return RH_OK;
}

rh_status rh__frame_ground(rh_equations *equations, const rh_frame_ground_def *def, rh_arena *arena,
                           rh_frame_ground *out)
{
    *out =
        (rh_frame_ground){.equations = equations, .arena = arena, .n = equations->coordinate_count};
    const size_t links = (size_t)equations->links.count + 1;
    out->is_kept = rh__arena_array(arena, bool, links);
    out->is_off = rh__arena_array(arena, bool, links);
    out->is_row = rh__arena_array(arena, bool, links);
    out->is_used = rh__arena_array(arena, bool, links);
    out->units = rh__arena_array(arena, rh_quasi, (size_t)out->n + 1);
    if (out->is_kept == NULL || out->is_off == NULL || out->is_row == NULL ||
        out->is_used == NULL || out->units == NULL) {
        return arena->status;
    }
    RH_TRY(find_states(out, def));
    for (uint32_t k = 0; k < out->n; k++) {
        if (!make_unit(out, k)) {
            return arena->status != RH_OK ? arena->status : RH_E_LIMIT;
        }
    }
    RH_TRY(find_sides(out));
    return use_links(out);
}

// --- making frames -------------------------------------------------------------------------------

typedef struct framing {
    rh_frame_ground *ground;
    double *basis[2], *row[2];
    uint32_t count; // of the basis
} framing;

static rh_status begin(rh_frame_ground *ground, framing *out)
{
    *out = (framing){.ground = ground, .count = ground->row_count};
    for (uint32_t s = 0; s < 2; s++) {
        const size_t size = (size_t)ground->n * ground->n;
        out->basis[s] = rh__arena_array(ground->arena, double, size + 1);
        out->row[s] = rh__arena_array(ground->arena, double, (size_t)ground->n + 1);
        if (out->basis[s] == NULL || out->row[s] == NULL) {
            return ground->arena->status;
        }
        memcpy(out->basis[s], ground->rows[s], size * sizeof **out->basis);
    }
    return RH_OK;
}

// The condition of all rows together at the start.
rh_status rh__frame_measure(rh_frame_ground *ground, rh_frame *frame)
{
    const uint32_t n = ground->n;
    rh_arena *arena = ground->arena;
    const rh_mark mark = rh__arena_mark(arena);
    frame->condition = 1.0;
    if (n == 0 || n > MOST_DENSE) {
        return RH_OK;
    }
    double *a = rh__arena_array(arena, double, (size_t)n *n);
    double *row[2] = {rh__arena_array(arena, double, n), rh__arena_array(arena, double, n)};
    rh_svd svd;
    if (a == NULL || row[0] == NULL || row[1] == NULL) {
        return arena->status;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < frame->count; k++, at++) {
        RH_TRY(row_of(ground, frame->rows[k].value, row));
        for (uint32_t j = 0; j < n; j++) {
            a[at + (size_t)j * n] = row[0][j];
        }
    }
    for (uint32_t k = 0; k < ground->row_count && at < n; k++, at++) {
        for (uint32_t j = 0; j < n; j++) {
            a[at + (size_t)j * n] = ground->rows[0][(size_t)k * n + j];
        }
    }
    rh__matrix_scale_rows(n, n, a);
    const rh_status status = rh__svd_create(arena, n, n, a, &svd);
    frame->condition =
        status == RH_OK && svd.values[n - 1] > 0.0 ? svd.values[0] / svd.values[n - 1] : INFINITY;
    rh__arena_rewind(arena, mark);
    return status == RH_E_ARGUMENT ? RH_OK : status;
}

// Add rows as long as they are independent.
static rh_status add_rows(framing *in, const rh_quasi *rows, uint32_t count, rh_frame *frame)
{
    rh_frame_ground *ground = in->ground;
    for (uint32_t k = 0; k < count && in->count < ground->n; k++) {
        RH_TRY(row_of(ground, rows[k].value, in->row));
        if (join(ground, in->basis, &in->count, in->row)) {
            frame->rows[frame->count++] = rows[k];
        }
    }
    return RH_OK;
}

static rh_status begin_frame(rh_frame_ground *ground, rh_frame *out)
{
    *out = (rh_frame){.condition = INFINITY};
    out->rows = rh__arena_array(ground->arena, rh_quasi, (size_t)ground->n + 1);
    return out->rows != NULL ? RH_OK : ground->arena->status;
}

rh_status rh__frame_given(rh_frame_ground *ground, rh_frame *out)
{
    const rh_model *model = ground->equations->model;
    framing in;
    RH_TRY(begin(ground, &in));
    RH_TRY(begin_frame(ground, out));
    RH_TRY(add_rows(&in, model->quasis.data, model->quasis.count, out));
    out->is_given = out->count > 0;
    RH_TRY(add_rows(&in, ground->units, ground->n, out));
    return rh__frame_measure(ground, out);
}

// --- choices of unit rows ------------------------------------------------------------------------

// The next choice of `k` out of `n` in lexicographic order; false after the last.
static bool next_choice(uint32_t *choice, uint32_t k, uint32_t n)
{
    uint32_t at = k;
    while (at > 0 && choice[at - 1] == n - k + at - 1) {
        at--;
    }
    if (at == 0) {
        return false;
    }
    choice[at - 1]++;
    for (; at < k; at++) {
        choice[at] = choice[at - 1] + 1;
    }
    return true;
}

// Keep the best conditioned ones in order.
static void keep(rh_frame *list, uint32_t *count, uint32_t limit, const rh_frame *frame)
{
    uint32_t at = *count;
    while (at > 0 && frame->condition < list[at - 1].condition * (1.0 - 1e-9)) {
        at--;
    }
    if (at >= limit) {
        return;
    }
    *count += *count < limit;
    for (uint32_t k = *count - 1; k > at; k--) {
        list[k] = list[k - 1];
    }
    list[at] = *frame;
}

// The frame of one choice of unit rows, if they are independent.
static rh_status try_choice(rh_frame_ground *ground, const rh_quasi *units, const uint32_t *choice,
                            uint32_t count, uint32_t limit, rh_frame *out, uint32_t *out_count)
{
    rh_frame frame;
    framing in;
    const rh_mark mark = rh__arena_mark(ground->arena);
    RH_TRY(begin_frame(ground, &frame));
    RH_TRY(begin(ground, &in));
    for (uint32_t j = 0; j < count; j++) {
        RH_TRY(add_rows(&in, &units[choice[j]], 1, &frame));
    }
    // one that is singular at the start may serve elsewhere: it comes last
    if (frame.count == count) {
        RH_TRY(rh__frame_measure(ground, &frame));
        keep(out, out_count, limit, &frame);
    } else {
        rh__arena_rewind(ground->arena, mark);
    }
    return RH_OK;
}

// A well conditioned choice at once: velocities that the constraints do not determine best.
static rh_status choose_well(const rh_frame_ground *ground, uint32_t state, uint32_t *choice)
{
    const uint32_t n = ground->n;
    const uint32_t s = ground->row_count;
    rh_arena *arena = ground->arena;
    const rh_mark mark = rh__arena_mark(arena);
    double *rows = rh__arena_array(arena, double, (size_t)n *s + 1);
    bool *is_solved = rh__arena_array(arena, bool, (size_t)n + 1);
    rh_qr qr;
    RH_TRY(rows == NULL || is_solved == NULL ? arena->status : RH_OK);
    for (uint32_t k = 0; k < s; k++) {
        for (uint32_t j = 0; j < n; j++) {
            rows[k + (size_t)j * s] = ground->rows[state][(size_t)k * n + j];
        }
    }
    RH_TRY(rh__qr_create(arena, s, n, rows, &qr));
    for (uint32_t k = 0; k < s; k++) {
        is_solved[qr.permutation[k]] = true;
    }
    for (uint32_t j = 0, at = 0; j < n; j++) {
        if (!is_solved[j]) {
            choice[at++] = j;
        }
    }
    rh__arena_rewind(arena, mark);
    return RH_OK;
}

rh_status rh__frame_choose(rh_frame_ground *ground, const rh_quasi *units, uint32_t limit,
                           rh_frame *out, uint32_t *out_count)
{
    const uint32_t n = ground->n;
    const uint32_t k = n - ground->row_count;
    const uint64_t cost = (uint64_t)n * n * n + 1;
    const uint64_t most = COMBINATIONS / cost;
    uint32_t *choice = rh__arena_array(ground->arena, uint32_t, (size_t)k + 1);
    *out_count = 0;
    RH_TRY(choice == NULL ? ground->arena->status : RH_OK);
    if (most < 100 && units == ground->units) { // too many to try: the best, in good time
        for (uint32_t state = 0; state < 2; state++) {
            RH_TRY(choose_well(ground, state, choice));
            RH_TRY(try_choice(ground, units, choice, k, limit, out, out_count));
        }
        return RH_OK;
    }
    for (uint32_t j = 0; j < k; j++) {
        choice[j] = j;
    }
    for (uint64_t tries = 0; tries < most; tries++) {
        RH_TRY(try_choice(ground, units, choice, k, limit, out, out_count));
        if (!next_choice(choice, k, n)) {
            break;
        }
    }
    return RH_OK;
}

rh_status rh__frame_units(rh_frame_ground *ground, uint32_t limit, rh_frame *out,
                          uint32_t *out_count)
{
    RH_TRY(rh__frame_choose(ground, ground->units, limit, out, out_count));
    if (*out_count == 0 && limit > 0) { // what there is, however bad
        framing in;
        RH_TRY(begin(ground, &in));
        RH_TRY(begin_frame(ground, &out[0]));
        RH_TRY(add_rows(&in, ground->units, ground->n, &out[0]));
        RH_TRY(rh__frame_measure(ground, &out[0]));
        *out_count = 1;
    }
    return RH_OK;
}

bool rh__frame_row(rh_frame_ground *ground, const char *name, rh_expr value, rh_quasi *out)
{
    rh_store *store = ground->equations->store;
    rh_family_def def = {
        .name = rh__slice_of(name), .sort = 60, .mask = RH_EXPR_VARIABLE | RH_ROLE_VELOCITY};
    *out = (rh_quasi){.row = {.name = def.name}, .value = value};
    out->symbol = rh__family_create(store, &def);
    def.primes = 1;
    def.mask = RH_EXPR_VARIABLE | RH_ROLE_ACCELERATION;
    out->rate = rh__family_create(store, &def);
    return value.i != 0 && out->symbol.i != 0 && out->rate.i != 0;
}

rh_status rh__frame_ratio(const rh_frame_ground *ground, const uint32_t pair[2], rh_expr *out,
                          double *out_value)
{
    const rh_equations *equations = ground->equations;
    rh_store *store = equations->store;
    const uint32_t still = RH_ROLE_PARAM | RH_ROLE_CONSTANT;
    const rh_expr first = rh__grid_at(&equations->inertia, pair[0], pair[0]);
    const rh_expr second = rh__grid_at(&equations->inertia, pair[1], pair[1]);
    const bool is_massless = first.i == 0 && second.i == 0;
    if (!is_massless && (first.i == 0 || second.i == 0)) {
        return RH_E_UNAVAILABLE;
    }
    const rh_expr ratio = is_massless ? rh__expr_integer(store, 1)
                                      : rh__expr_sqrt(store, rh__expr_divide(store, second, first));
    RH_TRY(ratio.i == 0 ? RH_E_LIMIT : RH_OK);
    if ((rh__expr_mask(store, ratio) & ~still) != 0) {
        return RH_E_UNAVAILABLE;
    }
    RH_TRY(rh__point_evaluate(&ground->start, &ratio, 1, ground->arena, out_value));
    if (out != NULL) {
        *out = ratio;
    }
    return *out_value > 0.0 && isfinite(*out_value) ? RH_OK : RH_E_UNAVAILABLE;
}

rh_status rh__frame_turned(rh_frame_ground *ground, const uint32_t turned[3], uint32_t limit,
                           rh_frame *out, uint32_t *out_count)
{
    const rh_equations *equations = ground->equations;
    rh_store *store = equations->store;
    rh_arena *arena = ground->arena;
    const rh_expr angle = rh__expr_multiply(store, ground->turn[turned[2]],
                                            equations->carriers.data[turned[2]].position);
    const rh_expr x = equations->carriers.data[turned[0]].variable;
    rh_expr ratio = RH_EXPR_NONE;
    double number = 1.0;
    RH_TRY(rh__frame_ratio(ground, turned, &ratio, &number));
    const rh_expr y = rh__expr_multiply(store, ratio, equations->carriers.data[turned[1]].variable);
    const rh_expr s = rh__expr_apply(store, RH_OP_SIN, &angle, 1);
    const rh_expr c = rh__expr_apply(store, RH_OP_COS, &angle, 1);
    rh_quasi *units = rh__arena_array(arena, rh_quasi, (size_t)ground->n + 1);
    if (units == NULL) {
        return arena->status;
    }
    memcpy(units, ground->units, ground->n * sizeof *units);
    const rh_expr along =
        rh__expr_add(store, rh__expr_multiply(store, c, x), rh__expr_multiply(store, s, y));
    const rh_expr across =
        rh__expr_subtract(store, rh__expr_multiply(store, c, y), rh__expr_multiply(store, s, x));
    const rh_slice names[] = {ground->units[turned[0]].row.name, ground->units[turned[1]].row.name,
                              ground->units[turned[2]].row.name};
    const char *pair = rh__text_print(arena, "%.*s.%.*s.%.*s", RH_SLICE_FORMAT(names[0]),
                                      RH_SLICE_FORMAT(names[1]), RH_SLICE_FORMAT(names[2]));
    if (!rh__frame_row(ground, rh__text_print(arena, "along.%s", pair), along, &units[turned[0]]) ||
        !rh__frame_row(ground, rh__text_print(arena, "across.%s", pair), across,
                       &units[turned[1]])) {
        return arena->status != RH_OK ? arena->status : RH_E_LIMIT;
    }
    return rh__frame_choose(ground, units, limit, out, out_count);
}
