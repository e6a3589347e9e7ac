// SPDX-License-Identifier: Apache-2.0
// Equations that cancel: combinations of rows with constant factors that vanish identically, as
// those of mass that only changes its place. Rows at random states near the motion are the columns
// of a matrix; its kernel, with as many zeros as can be, and factors taken for fractions with small
// denominators are what is proposed. Exact algebra decides (theory, certificates 2).

#include "certificate/propose.h"

#include <math.h>
#include <string.h>

#define CANCELS 1e-11   // singular values of what cancels, relative
#define NOTHING 1e-8    // a factor that is zero
#define FRACTION 1e-8   // how near a factor must be to a fraction
#define DENOMINATOR 1e5 // the largest
#define FACTOR 1e12     // the largest after denominators are cleared

enum { MOST_ROWS = 48, SPARE = 6, SEED = 97 };

typedef struct cancelling {
    rh_proposing *in;
    uint32_t row[MOST_ROWS]; // that are left
    rh_expr list[MOST_ROWS];
    double size[MOST_ROWS]; // of each row at the states
    uint32_t count;
    uint32_t state; // at which symbols are asked
    double *kernel; // vectors of count numbers, one after the other
    uint32_t vectors;
} cancelling;

// Near the motion, elsewhere at each state; the same in every call.
static double value_of(const void *user, const rh_store *store, rh_expr symbol)
{
    const cancelling *on = user;
    const rh_thesis *thesis = &on->in->on.thesis;
    rh_random random = rh__random_at(SEED, symbol.i, on->state);
    double middle = 0.0;
    (void)store;
    for (uint32_t k = 0; k < thesis->count; k++) {
        middle = thesis->variables[k].i == symbol.i ? on->in->values[k] : middle;
    }
    return middle + (1.0 + fabs(middle)) * rh__random_uniform(&random, -0.5, 0.5);
}

static void list_rows(cancelling *on)
{
    rh_proposing *in = on->in;
    for (uint32_t k = 0; k < in->on.thesis.demand_first; k++) {
        if (!in->on.is_vanishing[k]) {
            if (on->count < MOST_ROWS) {
                on->row[on->count] = k;
                on->list[on->count] = rh__verify_put(&in->on, in->on.plain[k]);
            }
            on->count++;
        }
    }
}

// Rows at states, in units of their largest value; what is not finite counts for nothing.
static bool sample(cancelling *on, uint32_t states, double *a)
{
    rh_verifying *verifying = &on->in->on;
    double values[MOST_ROWS];
    memset(on->size, 0, sizeof on->size);
    for (on->state = 0; on->state < states; on->state++) {
        const rh_mark mark = rh__arena_mark(verifying->arena);
        if (!rh__expr_values(verifying->thesis.store, on->list, on->count, value_of, on,
                             verifying->arena, values)) {
            return false;
        }
        rh__arena_rewind(verifying->arena, mark);
        bool is_finite = true;
        for (uint32_t k = 0; k < on->count; k++) {
            is_finite = is_finite && isfinite(values[k]);
        }
        for (uint32_t k = 0; k < on->count; k++) {
            const double value = is_finite ? values[k] : 0.0;
            a[on->state + (size_t)k * states] = value;
            on->size[k] = fmax(on->size[k], fabs(value));
        }
    }
    for (uint32_t k = 0; k < on->count; k++) {
        for (uint32_t i = 0; i < states && on->size[k] > 0.0; i++) {
            a[i + (size_t)k * states] /= on->size[k];
        }
    }
    return true;
}

// Gauss and Jordan: each vector has a row of its own, in which the others have nothing.
static void clear_vectors(cancelling *on, uint32_t *pivot)
{
    for (uint32_t v = 0; v < on->vectors; v++) {
        double *own = on->kernel + (size_t)v * on->count;
        pivot[v] = 0;
        for (uint32_t k = 1; k < on->count; k++) {
            pivot[v] = fabs(own[k]) > fabs(own[pivot[v]]) ? k : pivot[v];
        }
        const double unit = own[pivot[v]];
        for (uint32_t k = 0; k < on->count; k++) {
            own[k] /= unit != 0.0 ? unit : 1.0;
        }
        for (uint32_t w = 0; w < on->vectors; w++) {
            double *other = on->kernel + (size_t)w * on->count;
            const double share = other[pivot[v]];
            for (uint32_t k = 0; w != v && k < on->count; k++) {
                other[k] -= share * own[k];
            }
        }
    }
}

// The least denominator of a fraction near it; 0: none.
static double denominator_of(double value)
{
    double rest = fabs(value);
    double before = 0.0;
    double now = 1.0;
    for (uint32_t k = 0; k < 30 && now <= DENOMINATOR; k++) {
        const double whole = floor(rest);
        if (fabs(fabs(value) * now - round(fabs(value) * now)) < FRACTION * now) {
            return now;
        }
        rest = 1.0 / (rest - whole);
        const double next = floor(rest) * now + before;
        before = now;
        now = next;
    }
    return 0.0;
}

static double common_factor(double a, double b)
{
    while (b != 0.0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

// Whole factors of the vector, if it has such; false: it has none.
static bool make_whole(const cancelling *on, double *vector)
{
    double common = 1.0;
    for (uint32_t k = 0; k < on->count; k++) {
        vector[k] = fabs(vector[k]) < NOTHING ? 0.0 : vector[k];
        const double own = denominator_of(vector[k]);
        if (own == 0.0 || common * own > FACTOR) {
            return false;
        }
        common *= own / common_factor(common, own);
    }
    for (uint32_t k = 0; k < on->count; k++) {
        vector[k] = round(vector[k] * common);
        if (fabs(vector[k]) > FACTOR) {
            return false;
        }
    }
    return true;
}

static rh_status propose(cancelling *on, const double *vector, uint32_t pivot)
{
    rh_proposing *in = on->in;
    rh_vanish vanish = {.reason = RH_VANISH_INTEGRAL};
    bool ok = true;
    for (uint32_t k = 0; ok && k < on->count; k++) {
        const rh_addend addend = {rh__slice_of(rh__text_print(in->on.arena, "%.0f", vector[k])),
                                  rh__slice_of(in->on.thesis.row_names.data[on->row[k]])};
        ok = vector[k] == 0.0 || rh__array_push(in->on.arena, &vanish.sum, addend);
    }
    const rh_expr sum = ok ? rh__verify_sum(&in->on, &vanish) : RH_EXPR_NONE;
    bool is_zero = false;
    RH_TRY(ok ? rh__verify_each(&in->on, &sum, 1, &is_zero) : in->on.arena->status);
    ok = !is_zero || rh__propose_vanish(in, on->row[pivot], &vanish);
    return ok ? RH_OK : in->on.arena->status;
}

static rh_status find(cancelling *on)
{
    rh_arena *arena = on->in->on.arena;
    const uint32_t states = on->count + SPARE;
    double *a = rh__arena_array(arena, double, (size_t)states * on->count);
    uint32_t pivot[MOST_ROWS];
    rh_svd svd;
    if (a == NULL || !sample(on, states, a)) {
        return arena->status;
    }
    const rh_status status = rh__svd_create(arena, states, on->count, a, &svd);
    if (status != RH_OK) {
        return arena->status; // nothing is proposed where it does not converge
    }
    const uint32_t rank = rh__svd_rank(&svd, CANCELS);
    on->vectors = on->count - rank;
    on->kernel = svd.v + (size_t)rank * on->count;
    for (uint32_t k = 0; k < on->vectors * on->count; k++) {
        const double size = on->size[k % on->count];
        on->kernel[k] /= size > 0.0 ? size : 1.0;
    }
    clear_vectors(on, pivot);
    for (uint32_t v = 0; v < on->vectors; v++) {
        double *vector = on->kernel + (size_t)v * on->count;
        RH_TRY(make_whole(on, vector) ? propose(on, vector, pivot[v]) : RH_OK);
    }
    return RH_OK;
}

rh_status rh__propose_integrals(rh_proposing *in)
{
    cancelling on = {.in = in};
    list_rows(&on);
    return on.count > 1 && on.count <= MOST_ROWS ? find(&on) : RH_OK;
}
