// SPDX-License-Identifier: Apache-2.0
// The matrix C of a Lyapunov function: the caller's, or a better one. f(C), the largest eigenvalue
// of S over all points, is convex in C, and so is the set of C with trace n that are no smaller
// than a part of the identity; the ellipsoid method (Shor; Nemirovski and Yudin) goes to the least
// f by cutting an ellipsoid in halves, whatever the number of points.

#include "program/program.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KNOWN = 400, MOST_UNKNOWNS = 60, MOST_CUTS = 4000, ROUNDS = 4 };

#define LEAST 1e-3 // eigenvalue of C, trace n

// --- the caller's -------------------------------------------------------------------------------

// The next number of "[[1, 2], [3, 4]]".
static const char *next_number(const char *at, double *out)
{
    char *end = NULL;
    while (*at != '\0' && (isspace((unsigned char)*at) || *at == '[' || *at == ']' || *at == ',')) {
        at++;
    }
    if (!(isdigit((unsigned char)*at) || *at == '-' || *at == '+' || *at == '.')) {
        return NULL;
    }
    *out = rh__text_number(at, &end);
    return end != at && isfinite(*out) ? end : NULL;
}

static rh_status give_part(rh_program *program, rh_program_part *part, const double *whole)
{
    const uint32_t n = part->count;
    part->given = rh__arena_array(&program->arena, double, (size_t)n *n + 1);
    if (part->given == NULL) {
        return program->arena.status;
    }
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            part->given[i + (size_t)j * n] =
                whole[part->index[i] + (size_t)part->index[j] * program->size];
        }
    }
    return RH_OK;
}

// Between parts that do not touch there is nothing to weigh.
static bool is_between(const rh_program *program, uint32_t i, uint32_t j)
{
    bool together = false;
    for (uint32_t k = 0; k < program->parts.count; k++) {
        const rh_program_part *part = &program->parts.data[k];
        uint32_t found = 0;
        for (uint32_t m = 0; m < part->count; m++) {
            found += part->index[m] == i ? 1 : 0;
            found += part->index[m] == j ? 1 : 0;
        }
        together = together || found == 2;
    }
    return !together;
}

static rh_status check_matrix(rh_program *program, const double *whole, rh_error *err)
{
    const uint32_t n = program->size;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const double a = whole[i + (size_t)j * n];
            if (a != whole[j + (size_t)i * n]) {
                return rh__error_fill(err, RH_E_ARGUMENT,
                                      "the matrix of a Lyapunov function is symmetric: entries "
                                      "(%u, %u) and (%u, %u) differ",
                                      j + 1, i + 1, i + 1, j + 1);
            }
            if (a != 0.0 && is_between(program, i, j)) {
                return rh__error_fill(err, RH_E_ARGUMENT,
                                      "%s and %s do not act on each other: entry (%u, %u) of the "
                                      "matrix must be 0",
                                      program->names[j], program->names[i], j + 1, i + 1);
            }
        }
    }
    double *copy = rh__arena_array(&program->scratch, double, (size_t)n *n + 1);
    if (copy == NULL) {
        return program->scratch.status;
    }
    memcpy(copy, whole, sizeof *whole * n * n);
    return rh__cholesky(n, copy) ? RH_OK
                                 : rh__error_fill(err, RH_E_ARGUMENT,
                                                  "the matrix is not positive definite: it is no "
                                                  "Lyapunov function");
}

rh_status rh__program_read_matrix(rh_program *program, rh_error *err)
{
    const uint32_t n = program->size;
    const char *at = program->def.matrix;
    if (at == NULL) {
        return RH_OK;
    }
    double *whole = rh__arena_array(&program->scratch, double, (size_t)n *n + 1);
    if (whole == NULL) {
        return program->scratch.status;
    }
    for (uint32_t k = 0; at != NULL && k < n * n; k++) {
        at = next_number(at, &whole[k / n + (size_t)(k % n) * n]);
    }
    double more = 0.0;
    if (at == NULL || next_number(at, &more) != NULL || strspn(at, "] \t\n") != strlen(at)) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "the matrix has %u rows of %u numbers, \"[[...], [...]]\", in the "
                              "order of the deviations",
                              n, n);
    }
    RH_TRY(check_matrix(program, whole, err));
    for (uint32_t k = 0; k < program->parts.count; k++) {
        RH_TRY(give_part(program, &program->parts.data[k], whole));
    }
    return RH_OK;
}

// --- the search ---------------------------------------------------------------------------------

typedef struct search {
    rh_program *program;
    const rh_program_part *part;
    uint32_t n, unknowns; // of C without its last diagonal element, which the trace gives
    double *points;       // P at each, n x n
    uint32_t point_count;
    double *c, *s, *vectors; // n x n
    double *values;          // n
    double *at, *cut, *step; // unknowns
    double *shape;           // unknowns x unknowns
} search;

static void unfold(const search *it, const double *at, double *c)
{
    const uint32_t n = it->n;
    double rest = n;
    uint32_t k = 0;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = j; i < n; i++) {
            RH_ASSERT(k <= it->unknowns);
            if (i == n - 1 && j == n - 1) {
                c[i + (size_t)j * n] = rest;
                continue;
            }
            c[i + (size_t)j * n] = c[j + (size_t)i * n] = at[k++];
            rest -= i == j ? at[k - 1] : 0.0;
        }
    }
}

static void fold(const search *it, const double *c, double *at)
{
    uint32_t k = 0;
    for (uint32_t j = 0; j < it->n; j++) {
        for (uint32_t i = j; i < it->n && k < it->unknowns; i++) {
            at[k++] = c[i + (size_t)j * it->n];
        }
    }
}

// The gradient of u^T M(C) u, where M(C) = C (no P) or C P + P^T C over 2, by the unknowns.
static void differentiate(const search *it, const double *p, const double *u, double sign,
                          double *out)
{
    const uint32_t n = it->n;
    double *w = it->values; // P u, or u
    for (uint32_t i = 0; i < n; i++) {
        w[i] = p == NULL ? u[i] : 0.0;
        for (uint32_t j = 0; p != NULL && j < n; j++) {
            w[i] += p[i + (size_t)j * n] * u[j];
        }
    }
    const double last = u[n - 1] * w[n - 1]; // the last element falls as others grow
    uint32_t k = 0;
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = j; i < n && k < it->unknowns; i++) {
            out[k++] = sign * (i == j ? u[i] * w[i] - last : u[i] * w[j] + u[j] * w[i]);
        }
    }
}

// The worst of all points for C, and a cut there; or the cut that keeps C definite.
static rh_status judge(const search *it, double *out_value, bool *out_is_definite)
{
    const uint32_t n = it->n;
    rh_arena *scratch = &it->program->scratch;
    unfold(it, it->at, it->c);
    RH_TRY(rh__eigen_symmetric(scratch, n, it->c, it->values, it->vectors));
    *out_is_definite = it->values[0] >= LEAST;
    if (!*out_is_definite) {
        differentiate(it, NULL, it->vectors, -1.0, it->cut);
        return RH_OK;
    }
    *out_value = -INFINITY;
    for (uint32_t m = 0; m < it->point_count; m++) {
        const double *p = it->points + (size_t)m * n * n;
        for (uint32_t j = 0; j < n; j++) {
            for (uint32_t i = 0; i < n; i++) {
                double sum = 0.0;
                for (uint32_t k = 0; k < n; k++) {
                    sum += it->c[i + (size_t)k * n] * p[k + (size_t)j * n] +
                           p[k + (size_t)i * n] * it->c[k + (size_t)j * n];
                }
                it->s[i + (size_t)j * n] = sum / 2.0;
            }
        }
        RH_TRY(rh__eigen_symmetric(scratch, n, it->s, it->values, it->vectors));
        if (it->values[n - 1] > *out_value) {
            *out_value = it->values[n - 1];
            differentiate(it, p, it->vectors + (size_t)(n - 1) * n, 1.0, it->cut);
        }
    }
    return RH_OK;
}

// The least ellipsoid around the half of this one on which the cut does not grow.
static bool shrink(const search *it)
{
    const uint32_t m = it->unknowns;
    double size = 0.0;
    for (uint32_t i = 0; i < m; i++) {
        it->step[i] = 0.0;
        for (uint32_t j = 0; j < m; j++) {
            it->step[i] += it->shape[i + (size_t)j * m] * it->cut[j];
        }
        size += it->step[i] * it->cut[i];
    }
    if (!(size > 1e-24)) {
        return false;
    }
    const double length = sqrt(size);
    const double d = m;
    for (uint32_t i = 0; i < m; i++) {
        it->step[i] /= length;
        it->at[i] -= it->step[i] / (d + 1.0);
    }
    const double grow = m == 1 ? 1.0 : d * d / (d * d - 1.0);
    for (uint32_t j = 0; j < m; j++) {
        for (uint32_t i = 0; i < m; i++) {
            double *e = &it->shape[i + (size_t)j * m];
            *e = grow * (*e - 2.0 / (d + 1.0) * it->step[i] * it->step[j]);
        }
    }
    return true;
}

static rh_status descend(const search *it, double *best_c, double *out_best)
{
    const uint32_t m = it->unknowns;
    double first_negative = INFINITY;
    memset(it->shape, 0, sizeof *it->shape * m * m);
    for (uint32_t i = 0; i < m; i++) {
        it->shape[i + (size_t)i * m] = (double)it->n * it->n * 2.0;
    }
    *out_best = INFINITY;
    for (uint32_t k = 0; k < MOST_CUTS; k++) {
        double value = INFINITY;
        bool is_definite = false;
        RH_TRY(judge(it, &value, &is_definite));
        if (is_definite && value < *out_best) {
            *out_best = value;
            memcpy(best_c, it->c, sizeof *best_c * it->n * it->n);
            first_negative = value < 0.0 && isinf(first_negative) ? k : first_negative;
        }
        // once there is one, as many cuts again make it a good one
        if (!shrink(it) || k > 2.0 * first_negative + 40.0 || rh__program_is_enough(it->program)) {
            break;
        }
    }
    return RH_OK;
}

static bool reserve(search *it)
{
    rh_arena *scratch = &it->program->scratch;
    const size_t n = it->n;
    const size_t m = it->unknowns;
    it->points = rh__arena_array(scratch, double, (MOST_KNOWN + ROUNDS) * n * n + 1);
    it->c = rh__arena_array(scratch, double, 3 * n * n + n + 3 * m + m * m + 1);
    if (it->points == NULL || it->c == NULL) {
        return false;
    }
    it->s = it->c + n * n;
    it->vectors = it->s + n * n;
    it->values = it->vectors + n * n;
    it->at = it->values + n;
    it->cut = it->at + m;
    it->step = it->cut + m;
    it->shape = it->step + m;
    return true;
}

static rh_status add_point(search *it, const double *at)
{
    rh_program *program = it->program;
    double *p = it->points + (size_t)it->point_count * it->n * it->n;
    rh__region_place(program, &program->point, at);
    RH_TRY(rh__program_matrix(program, it->part, &program->point, p));
    it->point_count += rh__vector_is_finite((size_t)it->n * it->n, p);
    return RH_OK;
}

static rh_status gather(search *it)
{
    double at[RH_PROGRAM_DIMENSIONS] = {0.0};
    uint64_t count = 0;
    while (rh__region_point(it->program, count, at)) {
        count++;
    }
    const uint64_t every = count / MOST_KNOWN + 1;
    for (uint64_t k = 0; k < count && it->point_count < MOST_KNOWN; k += every) {
        (void)rh__region_point(it->program, k, at);
        RH_TRY(add_point(it, at));
    }
    return RH_OK;
}

rh_status rh__program_better(rh_program *program, rh_program_part *part, double *c, bool *out_found)
{
    const uint32_t n = part->count;
    search it = {.program = program, .part = part, .n = n, .unknowns = n * (n + 1) / 2 - 1};
    *out_found = false;
    if (it.unknowns == 0 || it.unknowns > MOST_UNKNOWNS) {
        return RH_OK;
    }
    if (!reserve(&it)) {
        return program->scratch.status;
    }
    RH_TRY(gather(&it));
    double *best = rh__arena_array(&program->scratch, double, (size_t)n *n + 1);
    if (best == NULL) {
        return program->scratch.status;
    }
    for (uint32_t round = 0; round < ROUNDS && !*out_found; round++) {
        double trace = 0.0;
        double value = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            trace += c[i + (size_t)i * n];
        }
        for (size_t k = 0; k < (size_t)n * n; k++) {
            it.c[k] = c[k] * n / trace;
        }
        fold(&it, it.c, it.at);
        RH_TRY(descend(&it, best, &value));
        if (!(value < 0.0)) {
            return RH_OK; // none serves at these points
        }
        RH_TRY(rh__region_look(program, part, best, &part->worst, part->worst_point));
        memcpy(c, best, sizeof *c * n * n);
        *out_found = part->worst < 0.0;
        RH_TRY(add_point(&it, part->worst_point)); // what was not known before
    }
    return RH_OK;
}
