// SPDX-License-Identifier: Apache-2.0
// An orbit in pieces (multiple shooting): where neighbours part by many powers of ten in a period,
// a start cannot be mended by looking at the end. So the way is cut into legs over which they part
// by little; the starts of all legs and the time are unknowns together,
//     x(T/m; x_k) = x_(k+1),     x(T/m; x_(m-1)) = S x_0,
// and Newton's method takes the shortest step, as for a whole orbit.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { MOST_LEGS = 40, MOST_UNKNOWNS = 400, ROUNDS = 60, HALVINGS = 8 };

#define RANK 1e-11   // relative size of singular values that are none
#define PARTING 10.0 // of neighbours over one leg
#define MUCH 1e3     // over the whole way: less needs no legs
#define NATURAL 0.5  // of a whole step, by which what is left must be shorter
#define STRETCH 0.5  // of sizes and of the time, in one step
#define LEAST 1e-5   // extent of what is no orbit
#define DONE 1e-15   // residual that nothing can be done about

typedef struct relay {
    rh_orbit *orbit;
    rh_arena *scratch;
    uint32_t count; // of legs
    rh_passage *legs;
    double *nodes, *moved; // n x count: starts of the legs
    double *step;          // the same: how they change
    double step_time;
    double time;     // of all legs together
    double residual; // the largest gap between them
    // the equations of a step
    uint32_t rows, columns;
    double *matrix, *right, *change;
    uint32_t *first; // by leg: its first column
    double *free;    // n x n: where the first start may go; directions of the manifold, or fewer
    uint32_t free_count;
    rh_svd svd;
} relay;

// --- going ---------------------------------------------------------------------------------------

// By how much the legs miss each other, in sizes of variables.
static void find_gaps(relay *in)
{
    const uint32_t n = in->orbit->n;
    double *target = in->orbit->transport.work;
    in->residual = 0.0;
    for (uint32_t k = 0; k < in->count; k++) {
        const uint32_t next = (k + 1) % in->count;
        if (next == 0) {
            rh__image_apply(&in->orbit->image, in->legs[0].start, target);
        } else {
            memcpy(target, in->legs[next].start, n * sizeof *target);
        }
        for (uint32_t i = 0; i < n; i++) {
            const double gap = (in->legs[k].end[i] - target[i]) / in->orbit->manifold.scale[i];
            in->right[k * n + i] = -gap;
            in->residual = fmax(in->residual, fabs(gap));
        }
    }
    in->right[in->rows - 1] = in->rows > n * in->count ? 0.0 : in->right[in->rows - 1];
}

// All legs from `nodes`, with tangents; false: one of them does not get there.
static rh_status go(relay *in, const double *nodes, double time, bool *out_is_there)
{
    const uint32_t n = in->orbit->n;
    *out_is_there = time > 0.0 && isfinite(time);
    for (uint32_t k = 0; *out_is_there && k < in->count; k++) {
        RH_TRY(rh__passage_run(in->orbit, nodes + (size_t)k * n, time / in->count, &in->legs[k],
                               out_is_there));
    }
    if (*out_is_there) {
        find_gaps(in);
    }
    return RH_OK;
}

// The first nodes: along the motion itself.
static rh_status set_out(relay *in, const double *start, double time, bool *out_is_there)
{
    const uint32_t n = in->orbit->n;
    *out_is_there = true;
    in->time = time;
    memcpy(in->nodes, start, n * sizeof *start);
    for (uint32_t k = 0; *out_is_there && k + 1 < in->count; k++) {
        double *node = in->nodes + (size_t)k * n;
        RH_TRY(rh__passage_try(in->orbit, node, time / in->count, &in->legs[k], out_is_there));
        memcpy(node + n, in->legs[k].end, n * sizeof *node);
    }
    return *out_is_there ? go(in, in->nodes, time, out_is_there) : RH_OK;
}

// --- one step ------------------------------------------------------------------------------------

// What a direction of the first start does at the end of its leg.
static void carry_free(const relay *in, const double *own, double *out)
{
    const rh_passage *leg = &in->legs[0];
    const uint32_t n = in->orbit->n;
    memset(out, 0, n * sizeof *out);
    for (uint32_t j = 0; j < leg->count; j++) {
        const double share = rh__vector_dot(n, leg->basis + (size_t)j * n, own);
        for (uint32_t i = 0; i < n; i++) {
            out[i] += share * leg->tangents[(size_t)j * n + i];
        }
    }
}

// The column of direction `own` of a leg (in its units), which ends as `end`.
static void put_column(relay *in, uint32_t k, uint32_t column, const double *own, const double *end)
{
    const uint32_t n = in->orbit->n;
    const uint32_t before = (k + in->count - 1) % in->count;
    double *out = in->matrix + (size_t)column * in->rows;
    double *turned = in->orbit->transport.image;
    double *direction = in->orbit->transport.direction;
    for (uint32_t i = 0; i < n; i++) {
        direction[i] = own[i] * in->orbit->manifold.scale[i];
        out[k * n + i] += end[i] / in->orbit->manifold.scale[i];
    }
    if (k == 0) {
        rh__image_turn(&in->orbit->image, direction, turned);
    } else {
        memcpy(turned, direction, n * sizeof *turned);
    }
    for (uint32_t i = 0; i < n; i++) {
        out[before * n + i] -= turned[i] / in->orbit->manifold.scale[i];
    }
    for (uint32_t i = 0; k == 0 && in->rows > n * in->count && i < n; i++) {
        out[in->rows - 1] +=
            in->legs[0].leaving[i] * in->time / in->orbit->manifold.scale[i] * own[i];
    }
}

static rh_status linearise(relay *in)
{
    rh_orbit *orbit = in->orbit;
    const uint32_t n = orbit->n;
    double *end = orbit->transport.before;
    uint32_t column = 0;
    RH_TRY(rh__manifold_directions(&orbit->manifold, in->legs[0].start, orbit->is_free, in->free,
                                   &in->free_count));
    memset(in->matrix, 0, (size_t)in->rows * (n * in->count + 1) * sizeof *in->matrix);
    for (uint32_t k = 0; k < in->count; k++) {
        const rh_passage *leg = &in->legs[k];
        const uint32_t count = k == 0 ? in->free_count : leg->count;
        in->first[k] = column;
        for (uint32_t j = 0; j < count; j++, column++) {
            const double *own = (k == 0 ? in->free : leg->basis) + (size_t)j * n;
            if (k == 0) {
                carry_free(in, own, end);
            } else {
                memcpy(end, leg->tangents + (size_t)j * n, n * sizeof *end);
            }
            put_column(in, k, column, own, end);
        }
    }
    in->first[in->count] = column;
    for (uint32_t k = 0; !orbit->is_fixed && k < in->count; k++) {
        for (uint32_t i = 0; i < n; i++) {
            in->matrix[(size_t)column * in->rows + k * n + i] =
                in->legs[k].rate[i] * in->time / in->count / in->orbit->manifold.scale[i];
        }
    }
    in->columns = column + !orbit->is_fixed;
    return rh__svd_create(in->scratch, in->rows, in->columns, in->matrix, &in->svd);
}

// How far Newton's method goes to mend the gaps at hand, by the equations at hand: into `change`.
static double solve(const relay *in)
{
    rh__svd_solve(&in->svd, rh__svd_rank(&in->svd, RANK), in->right, in->change);
    return rh__vector_norm(in->columns, in->change);
}

// The step as changes of all starts and of the time; hands back the share of it that is not too
// long.
static double find_step(relay *in)
{
    const uint32_t n = in->orbit->n;
    double longest = 0.0;
    memset(in->step, 0, (size_t)n * in->count * sizeof *in->step);
    for (uint32_t k = 0; k < in->count; k++) {
        const double *basis = k == 0 ? in->free : in->legs[k].basis;
        for (uint32_t c = in->first[k]; c < in->first[k + 1]; c++, basis += n) {
            for (uint32_t i = 0; i < n; i++) {
                in->step[k * n + i] += in->change[c] * basis[i];
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            longest = fmax(longest, fabs(in->step[k * n + i]));
            in->step[k * n + i] *= in->orbit->manifold.scale[i];
        }
    }
    in->step_time = in->orbit->is_fixed ? 0.0 : in->change[in->first[in->count]] * in->time;
    longest = fmax(longest, fabs(in->step_time / in->time));
    return longest > STRETCH ? STRETCH / longest : 1.0;
}

// One step of Newton's method, shortened until it leads nearer; false when nothing helps.
static rh_status improve(relay *in, bool *out_is_nearer)
{
    const uint32_t size = in->orbit->n * in->count;
    const double residual = in->residual;
    *out_is_nearer = false;
    RH_TRY(linearise(in));
    const double distance = solve(in);
    double share = find_step(in);
    for (uint32_t h = 0; h < HALVINGS && !*out_is_nearer && in->orbit->over == NULL; h++) {
        const double time = in->time + share * in->step_time;
        bool is_there = false;
        for (uint32_t i = 0; i < size; i++) {
            in->moved[i] = in->nodes[i] + share * in->step[i];
        }
        RH_TRY(go(in, in->moved, time, &is_there));
        *out_is_nearer = is_there && (in->residual < (1.0 - 0.1 * share) * residual ||
                                      (residual > in->orbit->def.tolerance &&
                                       solve(in) < (1.0 - NATURAL * share) * distance));
        if (*out_is_nearer) {
            in->time = time;
            for (uint32_t k = 0; k < in->count; k++) {
                memcpy(in->nodes + (size_t)k * in->orbit->n, in->legs[k].start,
                       in->orbit->n * sizeof *in->nodes);
            }
        }
        share *= 0.5;
    }
    return RH_OK;
}

// --- the whole -----------------------------------------------------------------------------------

// The tangents of a leg from its directions to those of the one that follows, in their units: a
// square matrix. After the last one the symmetry is undone.
static rh_status find_map(const relay *in, uint32_t k, const rh_lu *back, double *out)
{
    const rh_passage *leg = &in->legs[k];
    const uint32_t n = in->orbit->n;
    const uint32_t next = (k + 1) % in->count;
    const rh_passage *other = &in->legs[next];
    double *end = in->orbit->transport.before;
    for (uint32_t c = 0; c < leg->count; c++) {
        memcpy(end, leg->tangents + (size_t)c * n, n * sizeof *end);
        if (next == 0) {
            RH_TRY(rh__lu_solve(back, end, 1));
        }
        for (uint32_t j = 0; j < leg->count; j++) {
            double sum = 0.0;
            for (uint32_t i = 0; i < n; i++) {
                sum += other->basis[(size_t)j * n + i] * end[i] / in->orbit->manifold.scale[i];
            }
            out[(size_t)c * leg->count + j] = sum;
        }
    }
    return RH_OK;
}

// Eigenvalues over all legs, of the orbit; and tangents, which are the product of all maps.
static rh_status find_eigenvalues(relay *in)
{
    rh_orbit *orbit = in->orbit;
    const uint32_t count = in->legs[0].count;
    const size_t size = (size_t)count * count;
    double *maps = rh__arena_array(in->scratch, double, size * in->count + 1);
    rh_lu back;
    if (maps == NULL) {
        return in->scratch->status;
    }
    RH_TRY(rh__lu_create(in->scratch, orbit->n, orbit->image.matrix, &back));
    for (uint32_t k = 0; k < in->count; k++) {
        RH_TRY(find_map(in, k, &back, maps + k * size));
    }
    return rh__cycle_eigen(in->scratch, count, in->count, maps, orbit->leg_real,
                           orbit->leg_imaginary);
}

// A direction over all legs but the first, which it has passed.
static void chain(const relay *in, double *v)
{
    const uint32_t n = in->orbit->n;
    double *end = in->orbit->transport.before;
    for (uint32_t k = 1; k < in->count; k++) {
        const rh_passage *leg = &in->legs[k];
        memset(end, 0, n * sizeof *end);
        for (uint32_t j = 0; j < leg->count; j++) {
            double share = 0.0;
            for (uint32_t i = 0; i < n; i++) {
                share += leg->basis[(size_t)j * n + i] * v[i] / in->orbit->manifold.scale[i];
            }
            for (uint32_t i = 0; i < n; i++) {
                end[i] += share * leg->tangents[(size_t)j * n + i];
            }
        }
        memcpy(v, end, n * sizeof *v);
    }
}

// The legs as one passage.
static rh_status join(relay *in)
{
    rh_orbit *orbit = in->orbit;
    const uint32_t n = orbit->n;
    const rh_passage *last = &in->legs[in->count - 1];
    rh_passage *out = &orbit->passage;
    rh__passage_copy(&in->legs[0], n, out);
    for (uint32_t c = 0; c < out->count; c++) {
        chain(in, out->tangents + (size_t)c * n);
    }
    memcpy(out->end, last->end, n * sizeof *out->end);
    memcpy(out->rate, last->rate, n * sizeof *out->rate);
    out->time = in->time;
    for (uint32_t k = 1; k < in->count; k++) {
        out->event_count += in->legs[k].event_count;
        out->jumps += in->legs[k].jumps;
        out->steps += in->legs[k].steps;
        for (uint32_t i = 0; i < n; i++) {
            const double away = fabs(in->legs[k].start[i] - out->start[i]);
            out->went[i] = fmax(out->went[i], away);
            out->most[i] = fmax(out->most[i], in->legs[k].most[i]);
        }
    }
    rh__passage_weigh(orbit, out);
    out->residual = in->residual;
    orbit->leg_count = in->count;
    return find_eigenvalues(in);
}

static rh_status converge(relay *in, const double *start, double time)
{
    rh_orbit *orbit = in->orbit;
    bool goes_on = false;
    RH_TRY(set_out(in, start, time, &goes_on));
    for (uint32_t k = 0; goes_on && k < ROUNDS && in->residual > DONE; k++) {
        const rh_mark mark = rh__arena_mark(in->scratch);
        const rh_status status = improve(in, &goes_on);
        rh__arena_rewind(in->scratch, mark);
        RH_TRY(status);
        orbit->iterations++;
    }
    // the last trial may have gone elsewhere
    RH_TRY(go(in, in->nodes, in->time, &goes_on));
    for (uint32_t k = 1; k < in->count;
         k++) { // constraints may leave more at one place than another
        goes_on = goes_on && in->legs[k].count == in->legs[0].count;
    }
    if (goes_on && in->residual <= orbit->def.tolerance) {
        RH_TRY(join(in));
        orbit->outcome = orbit->passage.extent > LEAST ? RH_ORBIT_FOUND : RH_ORBIT_FAILED;
    }
    return RH_OK;
}

static rh_status reserve(relay *in)
{
    rh_arena *scratch = in->scratch;
    const uint32_t n = in->orbit->n;
    const size_t size = (size_t)n * in->count;
    in->rows = n * in->count + (!in->orbit->is_fixed && in->orbit->is_free == NULL);
    in->legs = rh__arena_array(scratch, rh_passage, in->count);
    in->nodes = rh__arena_array(scratch, double, size);
    in->moved = rh__arena_array(scratch, double, size);
    in->step = rh__arena_array(scratch, double, size);
    in->right = rh__arena_array(scratch, double, size + 1);
    in->change = rh__arena_array(scratch, double, size + 2);
    in->matrix = rh__arena_array(scratch, double, (size + 1) * (size + 1));
    in->free = rh__arena_array(scratch, double, (size_t)n *n + 1);
    in->first = rh__arena_array(scratch, uint32_t, (size_t)in->count + 1);
    for (uint32_t k = 0; scratch->status == RH_OK && k < in->count; k++) {
        RH_TRY(rh__passage_reserve(scratch, n, &in->legs[k]));
    }
    return scratch->status;
}

// How many legs the way from a start should have, by how far neighbours part on it; 1: none.
static rh_status count_legs(rh_orbit *orbit, const double *start, double time, uint32_t *out)
{
    bool is_there = false;
    double most = 0.0;
    *out = 1;
    RH_TRY(rh__passage_run(orbit, start, time, &orbit->trial, &is_there));
    for (uint32_t k = 0; is_there && k < orbit->n * orbit->trial.count; k++) {
        const double part = orbit->trial.tangents[k] / orbit->manifold.scale[k % orbit->n];
        most = fmax(most, fabs(part));
    }
    if (!is_there || !(most > MUCH) || !isfinite(most)) {
        return RH_OK;
    }
    const uint32_t wanted = (uint32_t)ceil(log(most) / log(PARTING));
    const uint32_t room = MOST_UNKNOWNS / orbit->n;
    *out = wanted < MOST_LEGS ? wanted : MOST_LEGS;
    *out = *out < room ? *out : room;
    return RH_OK;
}

rh_status rh__relay_solve(rh_orbit *orbit, const double *start, double time)
{
    relay in = {.orbit = orbit, .scratch = &orbit->scratch};
    const rh_mark mark = rh__arena_mark(in.scratch);
    RH_TRY(count_legs(orbit, start, time, &in.count));
    if (in.count < 2 || orbit->over != NULL) {
        return RH_OK;
    }
    rh_status status = reserve(&in);
    if (status == RH_OK) {
        status = converge(&in, start, time);
    }
    rh__arena_rewind(in.scratch, mark);
    return status;
}
