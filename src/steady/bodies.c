// SPDX-License-Identifier: Apache-2.0
// Components of angular velocities, where the model gives no quasi-velocities. Three coordinates
// are the angles of a rigid body when their block of the inertia, taken in the components of an
// angular velocity along axes of the body, is constant. With R = R1(a) R2(b) R3(c), turns about
// axes e1, e2, e3, the angular velocity is
//     space:  a' e1 + b' R1 e2 + c' R1 R2 e3,      body:  R^T of that.
// Up to names of axes there are two kinds of sequences (e3 = e1 or not) and two senses of the last
// turn. Both sets of components are offered: bodies by themselves have few positional coordinates
// in the former, round ones that roll in the latter.

#include "steady/choice.h"

#include <math.h>
#include <string.h>

#define CONSTANT 1e-9 // change of an entry of the block, of the largest
#define SINGULAR 1e-3 // determinant of the components, at random angles
enum { STATES = 4, MOST_COORDINATES = 16, MOST_BODIES = 4, KINDS = 4 };

// --- numbers -------------------------------------------------------------------------------------

typedef struct sampling {
    const rh_model *model;
    const rh_frame_ground *ground;
    uint32_t state;
} sampling;

// Parameters as they are, everything else at random: angles in radians, others by their sizes.
static double sample_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const sampling *at = user;
    if ((rh__expr_mask(store, symbol) & RH_ROLE_PARAM) != 0) {
        return rh__values_parameter(&at->model->values, store, symbol);
    }
    const uint64_t bits =
        rh__hash_mix(rh__hash_mix(UINT64_C(0xb0d1) + at->state) ^ ((uint64_t)symbol.i << 20));
    const rh_frame_ground *ground = at->ground;
    const uint32_t slot = rh__layout_slot(&ground->layout, symbol);
    double unit = slot != UINT32_MAX ? ground->sizes[slot] : 1.0;
    for (uint32_t k = 0; k < ground->n; k++) {
        const bool is_own = ground->equations->carriers.data[k].position.i == symbol.i;
        unit = is_own && ground->turn_value[k] > 0.0 ? 1.0 / ground->turn_value[k] : unit;
    }
    return unit * (0.3 + 0.9 * (double)(bits >> 11) * 0x1p-53);
}

// Radians in one unit of a coordinate; where it stands in no sine it is taken to be in radians.
static double radians(const rh_frame_ground *ground, uint32_t k)
{
    return ground->turn_value[k] > 0.0 ? ground->turn_value[k] : 1.0;
}

typedef struct bodies {
    rh_choosing *in;
    uint32_t n;
    double *angle[STATES]; // by coordinate, in radians
    double *block[STATES]; // n x n: the inertia, by radians
} bodies;

static rh_status look(bodies *on)
{
    const rh_equations *equations = on->in->reduction->equations;
    const rh_frame_ground *ground = &on->in->reduction->ground;
    rh_arena *arena = &on->in->scratch;
    const rh_grid *grid = &equations->inertia;
    const uint32_t count = grid->entries.count;
    rh_expr *roots = rh__arena_array(arena, rh_expr, (size_t)count + on->n + 1);
    double *values = rh__arena_array(arena, double, (size_t)count + on->n + 1);
    RH_TRY(roots == NULL || values == NULL ? arena->status : RH_OK);
    for (uint32_t k = 0; k < count; k++) {
        roots[k] = grid->entries.data[k].value;
    }
    for (uint32_t k = 0; k < on->n; k++) {
        roots[count + k] = equations->carriers.data[k].position;
    }
    for (uint32_t s = 0; s < STATES; s++) {
        sampling at = {equations->model, ground, s};
        on->angle[s] = rh__arena_array(arena, double, (size_t)on->n + 1);
        on->block[s] = rh__arena_array(arena, double, (size_t)on->n * on->n + 1);
        if (on->angle[s] == NULL || on->block[s] == NULL ||
            !rh__expr_values(equations->store, roots, count + on->n, sample_value, &at, arena,
                             values)) {
            return arena->status != RH_OK ? arena->status : RH_E_MEMORY;
        }
        for (uint32_t k = 0; k < on->n; k++) {
            on->angle[s][k] = values[count + k] * radians(ground, k);
        }
        for (uint32_t k = 0; k < count; k++) {
            const rh_entry *entry = &grid->entries.data[k];
            if (entry->row < on->n && entry->column < on->n) {
                on->block[s][entry->row * on->n + entry->column] +=
                    values[k] / (radians(ground, entry->row) * radians(ground, entry->column));
            }
        }
    }
    return RH_OK;
}

// --- angular velocities in numbers ---------------------------------------------------------------

// Axes and sense of the turns of a kind.
typedef struct sequence {
    uint32_t axis[3];
    int sense; // of the last turn
} sequence;

static sequence sequence_of(uint32_t kind)
{
    return (sequence){.axis = {0, 1, kind < 2 ? 2 : 0}, .sense = kind % 2 == 0 ? 1 : -1};
}

// out = turn about an axis times a vector, or its transpose.
static void turn(uint32_t axis, double angle, const double v[3], double out[3])
{
    const uint32_t i = (axis + 1) % 3;
    const uint32_t j = (axis + 2) % 3;
    const double x = v[i];
    const double y = v[j];
    out[axis] = v[axis];
    out[i] = cos(angle) * x - sin(angle) * y;
    out[j] = sin(angle) * x + cos(angle) * y;
}

// Columns: components along axes of the body by the three rates.
static void components(const sequence *of, const double angle[3], double out[3][3])
{
    double column[3][3] = {{0.0}};
    for (uint32_t k = 0; k < 3; k++) {
        column[k][of->axis[k]] = k == 2 ? of->sense : 1.0;
        for (uint32_t later = k + 1; later < 3; later++) {
            const double by = later == 2 ? of->sense * angle[later] : angle[later];
            turn(of->axis[later], -by, column[k], column[k]);
        }
        for (uint32_t i = 0; i < 3; i++) {
            out[i][k] = column[k][i];
        }
    }
}

// The inverse; false where it is nearly singular.
static bool invert(double a[3][3], double out[3][3])
{
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            const uint32_t r[] = {(j + 1) % 3, (j + 2) % 3};
            const uint32_t c[] = {(i + 1) % 3, (i + 2) % 3};
            out[i][j] = a[r[0]][c[0]] * a[r[1]][c[1]] - a[r[0]][c[1]] * a[r[1]][c[0]];
        }
    }
    const double size = a[0][0] * out[0][0] + a[0][1] * out[1][0] + a[0][2] * out[2][0];
    for (uint32_t k = 0; k < 9; k++) {
        out[k / 3][k % 3] /= size;
    }
    return fabs(size) > SINGULAR;
}

// The block of the inertia in these components: E^-T M E^-1.
static bool congruent(const bodies *on, const uint32_t triple[3], const sequence *of,
                      uint32_t state, double out[3][3])
{
    double angle[3];
    double e[3][3];
    double inverse[3][3];
    for (uint32_t k = 0; k < 3; k++) {
        angle[k] = on->angle[state][triple[k]];
    }
    components(of, angle, e);
    const bool ok = invert(e, inverse);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            out[i][j] = 0.0;
            for (uint32_t a = 0; a < 3; a++) {
                for (uint32_t b = 0; b < 3; b++) {
                    out[i][j] += inverse[a][i] * on->block[state][triple[a] * on->n + triple[b]] *
                                 inverse[b][j];
                }
            }
        }
    }
    return ok;
}

static bool is_body(const bodies *on, const uint32_t triple[3], const sequence *of)
{
    double first[3][3];
    double other[3][3];
    bool ok = congruent(on, triple, of, 0, first);
    double size = 0.0;
    for (uint32_t k = 0; k < 9; k++) {
        size = fmax(size, fabs(first[k / 3][k % 3]));
    }
    ok = ok && isfinite(size) && size > 0.0;
    bool is_angular = false; // a block that does not change by itself needs no angles
    for (uint32_t s = 1; ok && s < STATES; s++) {
        ok = congruent(on, triple, of, s, other);
        for (uint32_t k = 0; ok && k < 9; k++) {
            const uint32_t at = triple[k / 3] * on->n + triple[k % 3];
            ok = fabs(other[k / 3][k % 3] - first[k / 3][k % 3]) <= CONSTANT * size;
            is_angular = is_angular || fabs(on->block[s][at] - on->block[0][at]) > CONSTANT * size;
        }
    }
    return ok && is_angular;
}

// --- rows ----------------------------------------------------------------------------------------

// The same in expressions.
static void turn_rows(rh_store *store, uint32_t axis, rh_expr angle, bool is_back, rh_expr v[3])
{
    const uint32_t i = (axis + 1) % 3;
    const uint32_t j = (axis + 2) % 3;
    const rh_expr c = rh__expr_apply(store, RH_OP_COS, &angle, 1);
    const rh_expr sine = rh__expr_apply(store, RH_OP_SIN, &angle, 1);
    const rh_expr s = is_back ? rh__expr_negate(store, sine) : sine;
    const rh_expr x = rh__expr_subtract(store, rh__expr_multiply(store, c, v[i]),
                                        rh__expr_multiply(store, s, v[j]));
    v[j] =
        rh__expr_add(store, rh__expr_multiply(store, s, v[i]), rh__expr_multiply(store, c, v[j]));
    v[i] = x;
}

// A coordinate or its velocity.
static rh_expr in_radians(const bodies *on, uint32_t k, bool is_velocity)
{
    const rh_frame_ground *ground = &on->in->reduction->ground;
    const rh_carrier *carrier = &ground->equations->carriers.data[k];
    const rh_expr own = is_velocity ? carrier->variable : carrier->position;
    return ground->turn[k].i != 0
               ? rh__expr_multiply(ground->equations->store, ground->turn[k], own)
               : own;
}

// Components along axes of the body or at rest.
static void find_rows(const bodies *on, const uint32_t triple[3], const sequence *of,
                      bool is_at_rest, rh_expr out[3])
{
    const rh_equations *equations = on->in->reduction->equations;
    rh_store *store = equations->store;
    const rh_expr zero = rh__expr_integer(store, 0);
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = zero;
    }
    for (uint32_t k = 0; k < 3; k++) {
        rh_expr v[3] = {zero, zero, zero};
        const rh_expr rate = in_radians(on, triple[k], true);
        v[of->axis[k]] = k == 2 && of->sense < 0 ? rh__expr_negate(store, rate) : rate;
        for (uint32_t step = 0; step < (is_at_rest ? k : 2 - k); step++) {
            const uint32_t by = is_at_rest ? k - 1 - step : k + 1 + step;
            const bool is_back = (by == 2 && of->sense < 0) != !is_at_rest;
            turn_rows(store, of->axis[by], in_radians(on, triple[by], false), is_back, v);
        }
        for (uint32_t i = 0; i < 3; i++) {
            out[i] = rh__expr_add(store, out[i], v[i]);
        }
    }
}

static rh_status offer_rows(const bodies *on, const uint32_t triple[3], const sequence *of,
                            bool is_at_rest, rh_error *err)
{
    static const char *const AXES[] = {"x", "y", "z"};
    rh_frame_ground *ground = &on->in->reduction->ground;
    rh_frame list[RH_CHOICE_FRAMES];
    uint32_t count = 0;
    rh_expr values[3];
    rh_quasi *rows = rh__arena_array(ground->arena, rh_quasi, (size_t)ground->n + 1);
    RH_TRY(rows == NULL ? ground->arena->status : RH_OK);
    memcpy(rows, ground->units, ground->n * sizeof *rows);
    find_rows(on, triple, of, is_at_rest, values);
    for (uint32_t i = 0; i < 3; i++) {
        const char *name = rh__text_print(
            ground->arena, "spin.%s.%.*s.%.*s.%.*s.%s", is_at_rest ? "space" : "body",
            RH_SLICE_FORMAT(ground->units[triple[0]].row.name),
            RH_SLICE_FORMAT(ground->units[triple[1]].row.name),
            RH_SLICE_FORMAT(ground->units[triple[2]].row.name), AXES[i]);
        if (name == NULL || !rh__frame_row(ground, name, values[i], &rows[triple[i]])) {
            return ground->arena->status != RH_OK ? ground->arena->status : RH_E_LIMIT;
        }
    }
    RH_TRY(rh__frame_choose(ground, rows, RH_CHOICE_FRAMES, list, &count));
    return rh__choice_improve(on->in, list, count, err);
}

// --- all of them ---------------------------------------------------------------------------------

static rh_status offer_triple(const bodies *on, const uint32_t triple[3], bool *out, rh_error *err)
{
    *out = false;
    for (uint32_t kind = 0; kind < KINDS && !*out; kind++) {
        const sequence of = sequence_of(kind);
        *out = is_body(on, triple, &of);
        if (*out) {
            // what rolls is simple along axes at rest, what does not along its own
            const bool rolls = on->in->reduction->ground.row_count > 0;
            RH_TRY(offer_rows(on, triple, &of, rolls, err));
            RH_TRY(offer_rows(on, triple, &of, !rolls, err));
        }
    }
    return RH_OK;
}

rh_status rh__choice_bodies(rh_choosing *in, rh_error *err)
{
    bodies on = {.in = in, .n = in->reduction->ground.n};
    uint32_t found = 0;
    if (on.n < 3 || on.n > MOST_COORDINATES) {
        return RH_OK;
    }
    RH_TRY(look(&on));
    for (uint32_t k = 0; k < on.n * on.n * on.n && found < MOST_BODIES; k++) {
        const uint32_t triple[] = {k / (on.n * on.n), k / on.n % on.n, k % on.n};
        if (triple[0] != triple[1] && triple[1] != triple[2] && triple[0] != triple[2]) {
            bool is_found = false;
            RH_TRY(offer_triple(&on, triple, &is_found, err));
            found += is_found;
        }
    }
    return RH_OK;
}
