// SPDX-License-Identifier: Apache-2.0
// Linear first integrals of first-order laws, as the numbers of atoms in a chemical reaction:
// weights w with sum_i w_i x_i' = 0 because the terms of the laws cancel as they stand. Backward
// differences conserve them but for rounding, which is that of the largest variable; where
// variables fall by many orders of magnitude, it is all that is left of the others in the end. So
// each step is put back on them.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

enum { MOST_LAWS = 64, MOST_TERMS = 512 };
#define NOTHING 1e-9 // of the largest coefficient of a term
#define EXCEEDED 4.0 // times a variable that leads: so far others may be larger

typedef struct table {
    rh_expr terms[MOST_TERMS];
    uint32_t count;
    double a[MOST_TERMS * MOST_LAWS]; // by term, then by law
} table;

// The coefficients of law `k`. False: there are too many terms.
static bool add_term(table *of, uint32_t laws, uint32_t k, rh_expr term, double coefficient)
{
    RH_ASSERT(k < laws && laws <= MOST_LAWS && of->count <= MOST_TERMS);
    uint32_t row = 0;
    while (row < of->count && of->terms[row].i != term.i) {
        row++;
    }
    if (row == MOST_TERMS) {
        return false;
    }
    if (row == of->count) {
        of->terms[of->count++] = term;
        memset(of->a + (size_t)row * laws, 0, laws * sizeof *of->a);
    }
    of->a[(size_t)row * laws + k] += coefficient;
    return true;
}

static bool add_law(table *of, const rh_store *store, uint32_t laws, uint32_t k, rh_expr value)
{
    if (rh__expr_op(store, value) != RH_OP_ADD) {
        return add_term(of, laws, k, value, 1.0);
    }
    bool ok = true;
    RH_ASSERT(rh__expr_count(store, value) % 2 == 0); // each term behind its coefficient
    for (uint32_t j = 0; ok && j < rh__expr_count(store, value); j += 2) {
        ok = add_term(of, laws, k, rh__expr_argument(store, value, j + 1),
                      rh__expr_number_value(store, rh__expr_argument(store, value, j)));
    }
    return ok;
}

static void scale_rows(table *of, uint32_t laws)
{
    for (uint32_t i = 0; i < of->count; i++) {
        double *row = of->a + (size_t)i * laws;
        double largest = 0.0;
        for (uint32_t j = 0; j < laws; j++) {
            largest = fmax(largest, fabs(row[j]));
        }
        for (uint32_t j = 0; largest > 0.0 && j < laws; j++) {
            row[j] /= largest;
        }
    }
}

// Reduced echelon form; of[column]: the row of its pivot, or UINT32_MAX.
static void eliminate(double *a, uint32_t rows, uint32_t columns, uint32_t *of)
{
    uint32_t done = 0;
    for (uint32_t j = 0; j < columns; j++) {
        uint32_t best = done;
        for (uint32_t i = done; i < rows; i++) {
            best = fabs(a[i * columns + j]) > fabs(a[best * columns + j]) ? i : best;
        }
        of[j] = UINT32_MAX;
        if (done == rows || !(fabs(a[best * columns + j]) > NOTHING)) {
            continue;
        }
        const double pivot = a[best * columns + j];
        for (uint32_t c = 0; c < columns; c++) {
            const double swapped = a[done * columns + c];
            a[done * columns + c] = a[best * columns + c] / pivot;
            a[best * columns + c] = best == done ? a[done * columns + c] : swapped;
        }
        for (uint32_t i = 0; i < rows; i++) {
            const double factor = i == done ? 0.0 : a[i * columns + j];
            for (uint32_t c = 0; factor != 0.0 && c < columns; c++) {
                a[i * columns + c] -= factor * a[done * columns + c];
            }
        }
        of[j] = done++;
    }
    RH_ASSERT(done <= rows && done <= columns);
}

static double whole(double value)
{
    return fabs(value - round(value)) < NOTHING ? round(value) : value;
}

// Laws alone move it: nothing else adds to the rates.
static bool is_by_laws(const rh_motion *motion)
{
    const rh_equations *equations = motion->equations;
    const rh_model *model = equations->model;
    bool is = equations->coordinate_count == 0 && equations->links.count == 0 &&
              model->equations.count == 0 && model->laws.count == motion->n &&
              model->laws.count <= MOST_LAWS && equations->carriers.count == motion->n;
    for (uint32_t k = 0; is && k < model->laws.count; k++) {
        const rh_expr inertia = model->laws.data[k].inertia;
        is = rh__expr_is_number(model->store, inertia) &&
             rh__expr_number_value(model->store, inertia) == 1.0;
    }
    return is;
}

// The place in x of what law k moves; UINT32_MAX: there is none.
static uint32_t place_of(const rh_motion *motion, uint32_t k)
{
    const rh_equations *equations = motion->equations;
    for (uint32_t j = 0; j < equations->carriers.count; j++) {
        const rh_carrier *carrier = &equations->carriers.data[j];
        if (carrier->rate.i == equations->model->laws.data[k].target.i) {
            return rh__system_index(motion->system, carrier->variable);
        }
    }
    return UINT32_MAX;
}

static rh_status note(rh_motion *motion, const table *of, const uint32_t *pivot)
{
    rh_conserved *out = &motion->conserved;
    const uint32_t n = motion->n;
    out->weights = rh__arena_array(&motion->arena, double, (size_t)n *n);
    out->values = rh__arena_array(&motion->arena, double, n);
    out->work = rh__arena_array(&motion->arena, double, (size_t)n *n);
    out->leaders = rh__arena_array(&motion->arena, uint32_t, n);
    if (out->weights == NULL || out->values == NULL || out->work == NULL || out->leaders == NULL) {
        return motion->arena.status;
    }
    for (uint32_t j = 0; j < n; j++) {
        RH_ASSERT(out->count <= j);
        double *weights = out->weights + (size_t)out->count * n;
        uint32_t used = 0;
        for (uint32_t k = 0; pivot[j] == UINT32_MAX && k < n; k++) {
            const double w = k == j                  ? 1.0
                             : pivot[k] < UINT32_MAX ? -whole(of->a[pivot[k] * n + j])
                                                     : 0.0;
            const uint32_t place = w != 0.0 ? place_of(motion, k) : UINT32_MAX;
            if (place != UINT32_MAX) {
                weights[place] = w;
                used++;
            }
        }
        out->count += used > 1; // a variable without rate needs no help
        if (used == 1) {
            memset(weights, 0, n * sizeof *weights);
        }
    }
    return RH_OK;
}

rh_status rh__conserved_create(rh_motion *motion)
{
    const rh_model *model = motion->equations->model;
    const uint32_t n = motion->n;
    uint32_t pivot[MOST_LAWS];
    if (!is_by_laws(motion) || n < 2) {
        return RH_OK;
    }
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    table *of = rh__arena_new(&scratch, table);
    bool ok = of != NULL;
    for (uint32_t k = 0; ok && k < n; k++) {
        ok = add_law(of, model->store, n, k, model->laws.data[k].value);
    }
    rh_status status = scratch.status;
    if (ok) {
        scale_rows(of, n);
        eliminate(of->a, of->count, n, pivot);
        status = note(motion, of, pivot);
    }
    rh__arena_end(&scratch);
    return status;
}

// sum_i w_i x_i - value, to the last digit of what is left.
static double miss(uint32_t n, const double *weights, const double *x, double value)
{
    double sum = -value;
    double rest = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const double product = weights[i] * x[i];
        const double total = sum + product;
        const double part = total - sum;
        rest += fma(weights[i], x[i], -product) + ((sum - (total - part)) + (product - part));
        sum = total;
    }
    return sum + rest;
}

double rh__conserved_miss(const rh_motion *motion, uint32_t k, const double *x)
{
    const rh_conserved *of = &motion->conserved;
    RH_ASSERT(k < of->count);
    return miss(motion->n, of->weights + (size_t)k * motion->n, x, of->values[k]);
}

void rh__conserved_begin(rh_motion *motion)
{
    rh_conserved *of = &motion->conserved;
    for (uint32_t k = 0; k < of->count; k++) {
        of->values[k] = 0.0;
        of->values[k] = rh__conserved_miss(motion, k, motion->x);
    }
}

static bool is_leader(const rh_conserved *of, uint32_t i)
{
    bool is = false;
    for (uint32_t k = 0; !is && k < of->count; k++) {
        is = of->leaders[k] == i;
    }
    return is;
}

bool rh__conserved_is_led(const rh_motion *motion, const double *x)
{
    const rh_conserved *of = &motion->conserved;
    bool is_led = true;
    for (uint32_t k = 0; is_led && k < of->count; k++) {
        const double *w = of->weights + (size_t)k * motion->n;
        const uint32_t leader = of->leaders[k];
        RH_ASSERT(leader == UINT32_MAX || leader < motion->n);
        const double own = leader != UINT32_MAX ? fabs(w[leader] * x[leader]) : 0.0;
        for (uint32_t i = 0; is_led && i < motion->n; i++) {
            is_led = fabs(w[i] * x[i]) <= EXCEEDED * own || is_leader(of, i);
        }
    }
    return is_led;
}

// Rows times sizes, eliminated: what is left of one leads to a variable that no other has.
void rh__conserved_lead(rh_motion *motion, const double *x)
{
    rh_conserved *of = &motion->conserved;
    const uint32_t n = motion->n;
    for (uint32_t k = 0; k < of->count; k++) {
        for (uint32_t i = 0; i < n; i++) {
            const double size = x[i] != 0.0 ? x[i] : motion->unit[i];
            of->work[(size_t)k * n + i] = of->weights[(size_t)k * n + i] * size;
        }
    }
    for (uint32_t k = 0; k < of->count; k++) {
        const double *row = of->work + (size_t)k * n;
        uint32_t best = 0;
        for (uint32_t i = 1; i < n; i++) {
            best = fabs(row[i]) > fabs(row[best]) ? i : best;
        }
        of->leaders[k] = row[best] != 0.0 ? best : UINT32_MAX;
        for (uint32_t j = k + 1; row[best] != 0.0 && j < of->count; j++) {
            double *other = of->work + (size_t)j * n;
            const double factor = other[best] / row[best];
            for (uint32_t i = 0; i < n; i++) {
                other[i] = i == best ? 0.0 : other[i] - factor * row[i];
            }
        }
    }
}

void rh__conserved_keep(const rh_motion *motion, double *x)
{
    const rh_conserved *of = &motion->conserved;
    const uint32_t n = motion->n;
    for (uint32_t k = 0; k < of->count; k++) {
        const double *w = of->weights + (size_t)k * n;
        double largest = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(w[i] * x[i]));
        }
        double sum = 0.0; // of the shares, by sizes
        for (uint32_t i = 0; i < n && largest > 0.0; i++) {
            const double share = w[i] * x[i] / largest;
            sum += share * share;
        }
        const double off = rh__conserved_miss(motion, k, x);
        for (uint32_t i = 0; i < n && largest > 0.0 && isfinite(off); i++) {
            const double share = x[i] / largest;
            x[i] -= w[i] != 0.0 ? off / sum * w[i] * share * share : 0.0;
        }
    }
}
