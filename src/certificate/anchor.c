// SPDX-License-Identifier: Apache-2.0
// Enclosures of a steady motion. Krawczyk's operator with an approximate inverse Y of the slopes at
// the middle m of the box X,
//     K(X) = m - Y F(m) + (I - Y F'(X)) (X - m),
// maps X into itself only if F has a zero there; regular slopes over X make it the only one
// (theory, certificates 3).

#include "certificate/anchor.h"

#include <math.h>

enum { ROUNDS = 12 }; // of narrowing

static const double ELSEWHERE = 0.3125; // cyclic coordinates may be anything: the rows do not care

// --- the field -----------------------------------------------------------------------------------

static bool list_slopes(rh_field *field, rh_expr_list *roots)
{
    rh_thesis *thesis = field->thesis;
    const rh_expr zero = rh__expr_integer(thesis->store, 0);
    for (uint32_t i = 0; i < thesis->rows.count; i++) {
        rh_gradient partials;
        const rh_mark mark = rh__arena_mark(field->arena);
        const uint32_t first = roots->count;
        for (uint32_t j = 0; j < thesis->count; j++) {
            if (!rh__array_push(&thesis->arena, roots, zero)) {
                return false;
            }
        }
        if (!rh__expr_gradient(thesis->store, thesis->rows.data[i], RH_EXPR_VARIABLE, field->arena,
                               &partials)) {
            return false;
        }
        for (uint32_t k = 0; k < partials.count; k++) {
            const uint32_t id = partials.data[k].symbol.i;
            const uint32_t at = id < field->place_limit ? field->place[id] : 0;
            if (at != 0 && roots->data != NULL) {
                RH_ASSERT(at <= thesis->count);
                roots->data[first + at - 1] = partials.data[k].value;
            }
        }
        rh__arena_rewind(field->arena, mark);
    }
    return true;
}

static bool list_roots(rh_field *field, rh_expr_list *roots)
{
    rh_thesis *thesis = field->thesis;
    const uint32_t n = thesis->size;
    const rh_expr zero = rh__expr_integer(thesis->store, 0);
    bool ok = true;
    for (uint32_t k = 0; ok && k < thesis->rows.count; k++) {
        ok = rh__array_push(&thesis->arena, roots, thesis->rows.data[k]);
    }
    field->slope_first = roots->count;
    ok = ok && list_slopes(field, roots);
    field->inertia_first = roots->count;
    for (uint32_t k = 0; ok && k < n * n; k++) {
        const rh_expr entry = thesis->inertia[k];
        ok = rh__array_push(&thesis->arena, roots, entry.i != 0 ? entry : zero);
    }
    field->never_first = roots->count;
    for (uint32_t k = 0; ok && k < thesis->never_zero.count; k++) {
        ok = rh__array_push(&thesis->arena, roots, thesis->never_zero.data[k]);
    }
    field->written_first = roots->count;
    for (uint32_t k = 0; ok && k < thesis->written.count; k++) {
        ok = rh__array_push(&thesis->arena, roots, thesis->written.data[k]);
    }
    field->total = roots->count;
    for (uint32_t k = 0; ok && k < roots->count; k++) {
        ok = roots->data[k].i != 0;
    }
    return ok;
}

rh_status rh__field_create(rh_thesis *thesis, rh_arena *arena, rh_field *out)
{
    *out = (rh_field){.thesis = thesis, .arena = arena};
    rh_expr_list roots = {0};
    for (uint32_t k = 0; k < thesis->count; k++) {
        const uint32_t limit = thesis->variables[k].i + 1;
        out->place_limit = limit > out->place_limit ? limit : out->place_limit;
    }
    out->place = rh__arena_array(arena, uint32_t, (size_t)out->place_limit + 1);
    if (out->place == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < thesis->count; k++) {
        out->place[thesis->variables[k].i] = k + 1;
    }
    if (list_roots(out, &roots)) {
        out->enclosure = rh__enclosure_create(thesis->store, roots.data, roots.count, arena);
        out->values = rh__balls_create(arena, roots.count);
    }
    const bool ok = out->enclosure != NULL && out->values != NULL;
    return ok ? RH_OK : arena->status != RH_OK ? arena->status : rh__thesis_refusal(thesis);
}

void rh__field_destroy(rh_field *field)
{
    if (field->enclosure != NULL) {
        rh__enclosure_destroy(field->enclosure);
    }
    rh__balls_destroy(field->values);
    *field = (rh_field){.total = 0};
}

static void ball_of(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const rh_field *field = user;
    (void)store;
    const uint32_t at = symbol.i < field->place_limit ? field->place[symbol.i] : 0;
    RH_ASSERT(at <= field->thesis->count && field->here != out);
    if (at != 0) {
        rh__balls_copy(out, k, field->here, at - 1);
    } else {
        rh__balls_set_double(out, k, ELSEWHERE);
    }
}

void rh__field_look(rh_field *field, const rh_balls *box, uint32_t precision)
{
    field->here = box;
    rh__enclosure_evaluate(field->enclosure, ball_of, field, precision, field->values);
}

uint32_t rh__field_slope(const rh_field *field, uint32_t row, uint32_t variable)
{
    RH_ASSERT(row < field->thesis->rows.count && variable < field->thesis->count);
    return field->slope_first + row * field->thesis->count + variable;
}

// --- the box -------------------------------------------------------------------------------------

static void set_known(rh_anchor *anchor, uint32_t precision, rh_arena *scratch)
{
    const rh_thesis *thesis = anchor->field->thesis;
    rh_store *store = thesis->store;
    for (uint32_t k = 0; k < thesis->count; k++) {
        const rh_expr known = anchor->known[k];
        if (known.i != 0 && rh__expr_is_number(store, known)) {
            rh__balls_set_number(anchor->box, k, store, known, precision, scratch);
        } else if (known.i != 0) { // half turns
            const rh_expr factor = rh__expr_divide(store, known, rh__expr_pi(store));
            rh__balls_set_indeterminate(anchor->box, k);
            if (factor.i != 0 && rh__expr_is_number(store, factor)) {
                rh__balls_set_number(anchor->box, k, store, factor, precision, scratch);
                rh__balls_times_pi(anchor->box, k, precision);
            }
        }
    }
}

void rh__anchor_begin(rh_anchor *anchor, uint32_t precision, rh_arena *scratch)
{
    RH_ASSERT(anchor->free_count <= anchor->field->thesis->count);
    const rh_thesis *thesis = anchor->field->thesis;
    rh_balls *ends = rh__balls_create(scratch, 2);
    set_known(anchor, precision, scratch);
    for (uint32_t k = 0; k < thesis->count; k++) {
        if (anchor->known[k].i != 0) {
            continue;
        }
        rh__balls_set_indeterminate(anchor->box, k);
        if (ends != NULL) {
            rh__balls_set_number(ends, 0, thesis->store, anchor->low[k], precision, scratch);
            rh__balls_set_number(ends, 1, thesis->store, anchor->high[k], precision, scratch);
            rh__balls_copy(anchor->box, k, ends, 0);
            rh__balls_join(anchor->box, k, ends, 1, precision);
        }
    }
    rh__balls_destroy(ends);
}

// --- Krawczyk's operator -------------------------------------------------------------------------

typedef struct mapping {
    uint32_t n;
    rh_balls *middle;                         // by variable
    rh_balls *rows;                           // n
    rh_balls *slopes, *inverse, *unit, *work; // n x n
    rh_balls *gap, *image, *push;             // n
} mapping;

static bool begin_mapping(mapping *in, uint32_t n, uint32_t count, rh_arena *arena)
{
    RH_ASSERT(0 < n && n <= count);
    *in = (mapping){.n = n};
    rh_balls **const squares[] = {&in->slopes, &in->inverse, &in->unit, &in->work};
    rh_balls **const lists[] = {&in->rows, &in->gap, &in->image, &in->push};
    bool ok = true;
    for (uint32_t k = 0; k < 4; k++) {
        *squares[k] = rh__balls_create(arena, n * n);
        *lists[k] = rh__balls_create(arena, n);
        ok = ok && *squares[k] != NULL && *lists[k] != NULL;
    }
    in->middle = rh__balls_create(arena, count);
    for (uint32_t k = 0; ok && k < n; k++) {
        rh__balls_set_double(in->unit, k * n + k, 1.0);
    }
    return ok && in->middle != NULL;
}

static void end_mapping(mapping *in)
{
    enum { VECTORS = 9 };
    rh_balls *const all[VECTORS] = {in->middle, in->rows, in->slopes, in->inverse, in->unit,
                                    in->work,   in->gap,  in->image,  in->push};
    for (uint32_t k = 0; k < VECTORS; k++) {
        rh__balls_destroy(all[k]);
    }
}

static void take_slopes(const rh_anchor *anchor, mapping *in)
{
    RH_ASSERT(in->n == anchor->free_count);
    for (uint32_t i = 0; i < in->n; i++) {
        for (uint32_t j = 0; j < in->n; j++) {
            const uint32_t at = rh__field_slope(anchor->field, anchor->rows[i], anchor->free[j]);
            rh__balls_copy(in->slopes, i * in->n + j, anchor->field->values, at);
        }
    }
}

// The approximate inverse at the middle, exact numbers; and the push Y F(m).
static bool look_at_middle(rh_anchor *anchor, mapping *in, uint32_t precision)
{
    const uint32_t n = in->n;
    for (uint32_t k = 0; k < anchor->field->thesis->count; k++) {
        rh__balls_copy(in->middle, k, anchor->box, k);
    }
    for (uint32_t j = 0; j < n; j++) {
        rh__balls_shrink(in->middle, anchor->free[j]);
    }
    rh__field_look(anchor->field, in->middle, precision);
    for (uint32_t i = 0; i < n; i++) {
        rh__balls_copy(in->rows, i, anchor->field->values, anchor->rows[i]);
    }
    take_slopes(anchor, in);
    if (!rh__balls_solve(n, in->slopes, n, in->unit, precision, in->inverse)) {
        return false;
    }
    for (uint32_t k = 0; k < n * n; k++) {
        rh__balls_shrink(in->inverse, k);
    }
    rh__balls_multiply(n, n, 1, in->inverse, in->rows, precision, in->push);
    return true;
}

// image = K(box). False where it is not defined, or slopes may be singular.
static bool apply(rh_anchor *anchor, mapping *in, uint32_t precision)
{
    RH_ASSERT(in->n == anchor->free_count);
    const uint32_t n = in->n;
    if (!look_at_middle(anchor, in, precision)) {
        return false;
    }
    rh__field_look(anchor->field, anchor->box, precision);
    take_slopes(anchor, in);
    // every matrix of slopes over the box is regular, and so is the inverse
    if (!rh__balls_solve(n, in->slopes, n, in->unit, precision, in->work) ||
        !rh__balls_solve(n, in->inverse, n, in->unit, precision, in->work)) {
        return false;
    }
    rh__balls_multiply(n, n, n, in->inverse, in->slopes, precision, in->work);
    for (uint32_t k = 0; k < n * n; k++) {
        rh__balls_combine(in->work, k, RH_BALL_SUBTRACT, in->unit, k, in->work, k, precision);
    }
    for (uint32_t j = 0; j < n; j++) {
        const uint32_t at = anchor->free[j];
        rh__balls_combine(in->gap, j, RH_BALL_SUBTRACT, anchor->box, at, in->middle, at, precision);
    }
    rh__balls_multiply(n, n, 1, in->work, in->gap, precision, in->image);
    for (uint32_t j = 0; j < n; j++) {
        rh__balls_combine(in->image, j, RH_BALL_SUBTRACT, in->image, j, in->push, j, precision);
        rh__balls_combine(in->image, j, RH_BALL_ADD, in->image, j, in->middle, anchor->free[j],
                          precision);
    }
    return true;
}

static bool is_inside(const rh_anchor *anchor, const mapping *in)
{
    for (uint32_t j = 0; j < in->n; j++) {
        if (!rh__balls_contains(anchor->box, anchor->free[j], in->image, j)) {
            return false;
        }
    }
    return true;
}

static double width_of(const rh_anchor *anchor)
{
    double width = 0.0;
    for (uint32_t j = 0; j < anchor->free_count; j++) {
        width += rh__balls_radius(anchor->box, anchor->free[j]);
    }
    return width;
}

// Every image that lies in the box is a narrower box around the same zero.
static bool contract(rh_anchor *anchor, mapping *in, uint32_t precision)
{
    bool is_proved = false;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const double before = width_of(anchor);
        if (!apply(anchor, in, precision) || !is_inside(anchor, in)) {
            break;
        }
        is_proved = true;
        for (uint32_t j = 0; j < in->n; j++) {
            rh__balls_copy(anchor->box, anchor->free[j], in->image, j);
        }
        if (!(width_of(anchor) < 0.5 * before)) {
            break;
        }
    }
    return is_proved;
}

bool rh__anchor_prove(rh_anchor *anchor, uint32_t precision, rh_arena *arena)
{
    if (anchor->free_count == 0) {
        return true;
    }
    mapping in;
    const bool ok = begin_mapping(&in, anchor->free_count, anchor->field->thesis->count, arena) &&
                    contract(anchor, &in, precision);
    end_mapping(&in);
    return ok;
}

void rh__anchor_narrow(rh_anchor *anchor, uint32_t precision, rh_arena *arena)
{
    set_known(anchor, precision, arena);
    (void)rh__anchor_prove(anchor, precision, arena);
}

bool rh__anchor_refine(rh_anchor *anchor, uint32_t precision, rh_arena *arena)
{
    enum { STEPS = 60 };
    mapping in;
    const uint32_t n = anchor->free_count;
    set_known(anchor, precision, arena);
    if (n == 0) {
        return true;
    }
    bool ok = begin_mapping(&in, n, anchor->field->thesis->count, arena);
    double last = INFINITY;
    for (uint32_t step = 0; ok && step < STEPS; step++) {
        ok = look_at_middle(anchor, &in, precision);
        double size = 0.0;
        for (uint32_t j = 0; ok && j < n; j++) {
            const uint32_t at = anchor->free[j];
            rh__balls_shrink(in.push, j);
            rh__balls_combine(anchor->box, at, RH_BALL_SUBTRACT, in.middle, at, in.push, j,
                              precision);
            rh__balls_shrink(anchor->box, at);
            size = fmax(size, fabs(rh__balls_middle(in.push, j)));
        }
        if (!isfinite(size) || (size < 1e-20 && !(size < 0.25 * last))) {
            break;
        }
        last = size;
    }
    end_mapping(&in);
    return ok && last < 1e-19;
}
