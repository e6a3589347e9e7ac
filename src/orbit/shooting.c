// SPDX-License-Identifier: Apache-2.0
// Closing an orbit: Newton's method for  x(T) = image of x(0)  with exact tangents, the start
// moving along the constraints, orthogonally to the flow where nothing else fixes the phase. Where
// first integrals or families of orbits leave the equations without full rank, the shortest step is
// taken. Steps that do not lead nearer are shortened.

#include "orbit/orbit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 10, REST_ROUNDS = 30 };

#define RANK 1e-9       // relative size of singular values that are none
#define TINY 1e-5       // extent of what may be a point of rest
#define DONE 1e-15      // residual that nothing can be done about
#define STRETCH 0.5     // of the time, in one step
#define REST_NEAR 0.1   // how far a point of rest may be
#define REST_RATE 1e-11 // of a point of rest

uint32_t rh__shooting_matrix(const rh_orbit *orbit, const rh_passage *passage, const double *free,
                             uint32_t free_count, double *out, uint32_t rows)
{
    const uint32_t n = orbit->n;
    const double *scale = orbit->manifold.scale;
    double *turned = orbit->transport.image;
    double *direction = orbit->transport.direction;
    for (uint32_t k = 0; k < free_count; k++) {
        const double *own = free + (size_t)k * n;
        double *column = out + (size_t)k * rows;
        for (uint32_t i = 0; i < n; i++) {
            direction[i] = own[i] * scale[i];
        }
        rh__image_turn(&orbit->image, direction, turned);
        for (uint32_t i = 0; i < n; i++) {
            column[i] = -turned[i];
        }
        for (uint32_t j = 0; j < passage->count; j++) {
            const double share = rh__vector_dot(n, passage->basis + (size_t)j * n, own);
            for (uint32_t i = 0; i < n; i++) {
                column[i] += share * passage->tangents[(size_t)j * n + i];
            }
        }
        for (uint32_t i = 0; i < n; i++) {
            column[i] /= scale[i];
        }
    }
    if (!orbit->is_fixed) {
        double *column = out + (size_t)free_count * rows;
        for (uint32_t i = 0; i < n; i++) {
            column[i] = passage->rate[i] * passage->time / scale[i];
        }
    }
    return free_count + !orbit->is_fixed;
}

// One step of Newton's method: the change of the start, in units of the scale, and of the time.
typedef struct stride {
    double *start; // n
    double time;   // relative
} stride;

static rh_status find_stride(rh_orbit *orbit, const rh_passage *passage, rh_arena *scratch,
                             stride *out)
{
    const uint32_t n = orbit->n;
    const bool has_phase = !orbit->is_fixed && orbit->is_free == NULL;
    const uint32_t rows = n + has_phase;
    double *free = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *matrix = rh__arena_array(scratch, double, (size_t)rows *(n + 1));
    double *right = rh__arena_array(scratch, double, (size_t)rows + 1);
    double *change = rh__arena_array(scratch, double, (size_t)n + 2);
    uint32_t count = 0;
    rh_svd svd;
    if (free == NULL || matrix == NULL || right == NULL || change == NULL) {
        return scratch->status;
    }
    RH_TRY(rh__manifold_directions(&orbit->manifold, passage->start, orbit->is_free, free, &count));
    const uint32_t columns = rh__shooting_matrix(orbit, passage, free, count, matrix, rows);
    for (uint32_t k = 0; has_phase && k < count; k++) {
        double *entry = &matrix[(size_t)k * rows + n];
        *entry = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            *entry += passage->leaving[i] * passage->time / orbit->manifold.scale[i] *
                      free[(size_t)k * n + i];
        }
    }
    rh__passage_miss(orbit, passage, right);
    for (uint32_t i = 0; i < n; i++) {
        right[i] = -right[i];
    }
    RH_TRY(rh__svd_create(scratch, rows, columns, matrix, &svd));
    rh__svd_solve(&svd, rh__svd_rank(&svd, RANK), right, change);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < n; i++) {
            out->start[i] += change[k] * free[(size_t)k * n + i];
        }
    }
    out->time = orbit->is_fixed ? 0.0 : change[count];
    return RH_OK;
}

// All of it, wherever that leads; false when it leads nowhere, or no nearer to what is reached.
static rh_status take_whole(rh_orbit *orbit, const stride *by, double *x, bool *out_goes_on)
{
    const double time = orbit->passage.time * (1.0 + by->time);
    *out_goes_on = false;
    for (uint32_t i = 0; i < orbit->n; i++) {
        x[i] = orbit->passage.start[i] + by->start[i] * (1.0 + fabs(orbit->passage.start[i]));
    }
    if (!(time > 0.0) || !isfinite(time)) {
        (void)snprintf(orbit->reason, sizeof orbit->reason,
                       "a whole step leads to a period of %.3g",
                       time * (orbit->is_half ? 2.0 : 1.0));
        return RH_OK;
    }
    RH_TRY(rh__passage_run(orbit, x, time, &orbit->trial, out_goes_on));
    *out_goes_on = *out_goes_on && (orbit->passage.residual > orbit->def.tolerance ||
                                    orbit->trial.residual < orbit->passage.residual);
    return RH_OK;
}

// Go a share of the stride, or less, such that the residual shrinks, or, boldly, anywhere near;
// false when nothing helps.
static rh_status take_stride(rh_orbit *orbit, const stride *by, double *x, bool is_bold,
                             bool *out_is_nearer)
{
    double longest = fabs(by->time);
    for (uint32_t i = 0; i < orbit->n; i++) {
        longest = fmax(longest, fabs(by->start[i]));
    }
    double share = longest > STRETCH ? STRETCH / longest : 1.0;
    bool is_there = false;
    *out_is_nearer = false;
    for (uint32_t k = 0; k < HALVINGS && !*out_is_nearer && orbit->over == NULL;
         k++, share /= 2.0) {
        for (uint32_t i = 0; i < orbit->n; i++) {
            x[i] = orbit->passage.start[i] +
                   share * by->start[i] * (1.0 + fabs(orbit->passage.start[i]));
        }
        RH_TRY(rh__passage_run(orbit, x, orbit->passage.time * (1.0 + share * by->time),
                               &orbit->trial, &is_there));
        const double most = is_bold && orbit->passage.residual > orbit->def.tolerance
                                ? INFINITY
                                : (1.0 - 0.1 * share) * orbit->passage.residual;
        *out_is_nearer = is_there && orbit->trial.residual < most;
    }
    return RH_OK;
}

static void adopt(rh_orbit *orbit)
{
    const rh_passage old = orbit->passage;
    orbit->passage = orbit->trial;
    orbit->trial = old;
    for (uint32_t i = 0; i < orbit->n; i++) {
        orbit->manifold.scale[i] = 1.0 + fabs(orbit->passage.start[i]);
    }
}

static rh_status iterate(rh_orbit *orbit, bool is_bold, bool *out_goes_on)
{
    rh_arena *scratch = &orbit->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    double *x = rh__arena_array(scratch, double, (size_t)orbit->n + 1);
    stride by = {.start = rh__arena_array(scratch, double, (size_t)orbit->n + 1)};
    if (x == NULL || by.start == NULL) {
        return scratch->status;
    }
    rh_status status = find_stride(orbit, &orbit->passage, scratch, &by);
    if (status == RH_OK) {
        status = orbit->def.has_whole_steps ? take_whole(orbit, &by, x, out_goes_on)
                                            : take_stride(orbit, &by, x, is_bold, out_goes_on);
    }
    if (status == RH_OK && *out_goes_on) {
        adopt(orbit);
    }
    rh__arena_rewind(scratch, mark);
    return status;
}

// The time alone, as long as that helps: what is left then is for all unknowns together.
static rh_status tune(rh_orbit *orbit)
{
    enum { ROUNDS = 4 };
    double *miss = orbit->transport.work;
    bool is_nearer = !orbit->is_fixed;
    for (uint32_t k = 0; is_nearer && k < ROUNDS; k++) {
        const rh_passage *passage = &orbit->passage;
        double product = 0.0;
        double square = 0.0;
        rh__passage_miss(orbit, passage, miss);
        for (uint32_t i = 0; i < orbit->n; i++) {
            const double rate = passage->rate[i] / orbit->manifold.scale[i];
            product += rate * miss[i];
            square += rate * rate;
        }
        const double change = square > 0.0 ? -product / square : 0.0;
        bool is_there = false;
        if (fabs(change) > 0.25 * passage->time) {
            return RH_OK;
        }
        RH_TRY(rh__passage_run(orbit, passage->start, passage->time + change, &orbit->trial,
                               &is_there));
        is_nearer = is_there && orbit->trial.residual < 0.9 * passage->residual;
        if (is_nearer) {
            adopt(orbit);
        }
    }
    return RH_OK;
}

// Is it hardly an orbit any more?
static rh_status look_for_rest(rh_orbit *orbit)
{
    bool is_rest = false;
    if (!orbit->is_timed && orbit->passage.extent < TINY) {
        RH_TRY(rh__shooting_rest(orbit, &is_rest));
    }
    orbit->outcome = is_rest ? RH_ORBIT_EQUILIBRIUM : orbit->outcome;
    return RH_OK;
}

// Newton's method until nothing more is won.
static rh_status converge(rh_orbit *orbit, bool is_bold)
{
    bool goes_on = true;
    RH_TRY(look_for_rest(orbit));
    for (uint32_t k = 0; goes_on && orbit->outcome == RH_ORBIT_FAILED &&
                         k < orbit->def.iteration_limit && orbit->passage.residual > DONE;
         k++) {
        RH_TRY(iterate(orbit, is_bold, &goes_on));
        orbit->iterations++;
        RH_TRY(look_for_rest(orbit));
    }
    if (orbit->outcome == RH_ORBIT_FAILED && orbit->passage.residual <= orbit->def.tolerance) {
        // what closes because it goes nowhere is no orbit
        const bool is_nothing = !orbit->is_timed && orbit->passage.extent < TINY;
        orbit->outcome = is_nothing ? RH_ORBIT_FAILED : RH_ORBIT_FOUND;
    }
    return RH_OK;
}

static void excuse(rh_orbit *orbit, const rh_passage *best)
{
    char why[sizeof orbit->reason];
    if (best->residual <= orbit->def.tolerance) {
        (void)snprintf(
            orbit->reason, sizeof orbit->reason,
            "after %u iteration%s there is nothing left of the orbit: its period is %.3g, "
            "and it goes no further than %.3g",
            orbit->iterations, orbit->iterations == 1 ? "" : "s", best->time, best->extent);
        return;
    }
    (void)snprintf(why, sizeof why, "%s", orbit->reason);
    (void)snprintf(orbit->reason, sizeof orbit->reason,
                   "after %u iteration%s the orbit still misses its start by %.3g (period "
                   "%.10g)%s%.100s",
                   orbit->iterations, orbit->iterations == 1 ? "" : "s", best->residual,
                   best->time * (orbit->is_half ? 2.0 : 1.0), why[0] != '\0' ? "; " : "", why);
}

// Where cautious steps get stuck before a minimum that is no orbit, bold ones may jump over it.
rh_status rh__shooting_solve(rh_orbit *orbit)
{
    rh_arena *scratch = &orbit->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_passage first;
    rh_passage best;
    orbit->outcome = RH_ORBIT_FAILED;
    orbit->iterations = 0;
    RH_TRY(rh__passage_reserve(scratch, orbit->n, &first));
    RH_TRY(rh__passage_reserve(scratch, orbit->n, &best));
    const bool is_plain = orbit->def.has_whole_steps;
    RH_TRY(orbit->passage.extent >= TINY && !is_plain ? tune(orbit) : RH_OK);
    rh__passage_copy(&orbit->passage, orbit->n, &first);
    RH_TRY(converge(orbit, false));
    rh__passage_copy(&orbit->passage, orbit->n, &best);
    if (orbit->outcome == RH_ORBIT_FAILED && !is_plain && orbit->over == NULL) {
        rh__passage_copy(&first, orbit->n, &orbit->passage);
        for (uint32_t i = 0; i < orbit->n; i++) {
            orbit->manifold.scale[i] = 1.0 + fabs(first.start[i]);
        }
        RH_TRY(converge(orbit, true));
    }
    if (orbit->outcome == RH_ORBIT_FAILED) {
        rh__passage_copy(&best, orbit->n, &orbit->passage);
        excuse(orbit, &best);
    } else {
        orbit->reason[0] = '\0';
    }
    rh__arena_rewind(scratch, mark);
    return RH_OK;
}

// --- points of rest ------------------------------------------------------------------------------

// One step towards rate 0 along the constraints; the size of the rate where it began.
static rh_status step_to_rest(rh_orbit *orbit, double *x, rh_arena *scratch, double *out_rate)
{
    const uint32_t n = orbit->n;
    rh_motion *motion = orbit->motion;
    double *derivative = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *free = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *matrix = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *rate = rh__arena_array(scratch, double, 2 * (size_t)n + 1);
    uint32_t count = 0;
    rh_svd svd;
    if (derivative == NULL || free == NULL || matrix == NULL || rate == NULL) {
        return scratch->status;
    }
    rh_error err;
    RH_TRY(rh__motion_place(motion, x, &err));
    memcpy(x, motion->x, n * sizeof *x);
    rh__motion_rate(motion, motion->t, x, rate);
    *out_rate = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        rate[i] = -rate[i] / orbit->manifold.scale[i];
        *out_rate = fmax(*out_rate, fabs(rate[i]));
    }
    if (!rh__jacobian_run(&orbit->jacobian, motion->plain, derivative)) {
        *out_rate = INFINITY;
        return RH_OK;
    }
    RH_TRY(rh__manifold_directions(&orbit->manifold, x, NULL, free, &count));
    memset(matrix, 0, (size_t)n * count * sizeof *matrix);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t j = 0; j < n; j++) {
            const double along = free[(size_t)k * n + j] * orbit->manifold.scale[j];
            for (uint32_t i = 0; i < n; i++) {
                matrix[(size_t)k * n + i] +=
                    derivative[(size_t)j * n + i] * along / orbit->manifold.scale[i];
            }
        }
    }
    RH_TRY(rh__svd_create(scratch, n, count, matrix, &svd));
    rh__svd_solve(&svd, rh__svd_rank(&svd, RANK), rate, rate + n);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < n; i++) {
            x[i] += rate[n + k] * free[(size_t)k * n + i] * orbit->manifold.scale[i];
        }
    }
    return RH_OK;
}

static bool is_near(const rh_orbit *orbit, const double *x)
{
    bool near = true;
    for (uint32_t i = 0; i < orbit->n; i++) {
        near = near && fabs(x[i] - orbit->passage.start[i]) <=
                           REST_NEAR * (1.0 + fabs(orbit->passage.start[i]));
    }
    return near;
}

rh_status rh__shooting_rest(rh_orbit *orbit, bool *out_is_found)
{
    rh_arena *scratch = &orbit->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    double *x = rh__arena_array(scratch, double, (size_t)orbit->n + 1);
    double rate = INFINITY;
    if (x == NULL) {
        return scratch->status;
    }
    memcpy(x, orbit->passage.start, orbit->n * sizeof *x);
    rh_status status = RH_OK;
    for (uint32_t k = 0; status == RH_OK && k < REST_ROUNDS && rate > 1e-16; k++) {
        const double before = rate;
        status = step_to_rest(orbit, x, scratch, &rate);
        if (rate <= REST_RATE && rate >= before) {
            break;
        }
    }
    *out_is_found = status == RH_OK && rate <= REST_RATE && is_near(orbit, x);
    if (*out_is_found) {
        memcpy(orbit->passage.start, x, orbit->n * sizeof *x);
        orbit->passage.residual = rate;
    }
    rh__arena_rewind(scratch, mark);
    // a place where no motion can begin is no point of rest
    return status == RH_E_MODEL ? RH_OK : status;
}
