// SPDX-License-Identifier: Apache-2.0
// Closing an orbit: Newton's method for  x(T) = image of x(0)  with exact tangents, the start
// moving along the constraints, orthogonally to the flow where nothing else fixes the phase. Where
// first integrals or families of orbits leave the equations without full rank, the shortest step is
// taken. Steps that do not lead nearer are shortened.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 10, REST_ROUNDS = 30, DEAR = 4, STRIDES = 3 };

#define RANK 1e-9       // relative size of singular values that are none
#define WEAK 1e-3       // the same of those that a step may do without
#define TINY 1e-5       // extent of what may be a point of rest
#define DONE 1e-15      // residual that nothing can be done about
#define STRETCH 0.5     // of sizes and of the time, in one step
#define NATURAL 0.5     // of a whole step, by which what is left must be shorter
#define QUICK 0.1       // of the miss, that a step leaves which may be made once more
#define STILL 1e-9      // a rate that is none
#define OTHER 8.0       // sizes that are others by so much
#define REST_NEAR 0.1   // how far a point of rest may be, in sizes of variables
#define REST_RATE 1e-11 // of a point of rest, of what sizes of variables change it by

uint32_t rh__shooting_matrix(const rh_orbit *orbit, const rh_passage *passage, const double *free,
                             uint32_t free_count, double *out, uint32_t rows)
{
    RH_ASSERT(rows >= orbit->n && free_count <= orbit->n);
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
            const double share = rh__passage_share(orbit, passage, j, own);
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
    double size;   // of both together
    uint32_t rank; // it was found with
    bool is_there;
} stride;

// The equations of a step, to ask them again.
typedef struct newton {
    rh_svd svd;
    uint32_t rows;
    double *right;  // rows
    double *change; // columns
} newton;

// How far Newton's method would go to mend a miss, by the equations at hand. Where neighbours part
// by thousands it says more than the miss: that is made of little errors, a thousand times.
static double find_distance(const rh_orbit *orbit, const newton *by, const rh_passage *passage,
                            uint32_t rank)
{
    RH_ASSERT(by->rows >= orbit->n && rank <= by->svd.columns);
    by->right[by->rows - 1] = 0.0; // the phase
    rh__passage_miss(orbit, passage, by->right);
    for (uint32_t i = 0; i < orbit->n; i++) {
        by->right[i] = -by->right[i];
    }
    rh__svd_solve(&by->svd, rank, by->right, by->change);
    return rh__vector_norm(by->svd.columns, by->change);
}

// Strides[k] does without the k last directions that hardly change the miss: those are almost along
// a family, and lead far.
static rh_status find_strides(rh_orbit *orbit, const rh_passage *passage, rh_arena *scratch,
                              newton *by, stride *strides)
{
    const uint32_t n = orbit->n;
    const bool has_phase = !orbit->is_fixed && orbit->is_free == NULL;
    const uint32_t rows = n + has_phase;
    double *free = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *matrix = rh__arena_array(scratch, double, (size_t)rows *(n + 1));
    by->rows = rows;
    by->right = rh__arena_array(scratch, double, (size_t)rows + 1);
    by->change = rh__arena_array(scratch, double, (size_t)n + 2);
    uint32_t count = 0;
    if (free == NULL || matrix == NULL || by->right == NULL || by->change == NULL) {
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
    RH_TRY(rh__svd_create(scratch, rows, columns, matrix, &by->svd));
    const uint32_t rank = rh__svd_rank(&by->svd, RANK);
    for (uint32_t d = 0; d < STRIDES && (d == 0 || d < rank); d++) {
        stride *out = &strides[d];
        out->is_there = d == 0 || by->svd.values[rank - d] < WEAK * by->svd.values[0];
        out->rank = rank - d;
        out->size = find_distance(orbit, by, passage, out->rank);
        for (uint32_t k = 0; k < count; k++) {
            for (uint32_t i = 0; i < n; i++) {
                out->start[i] += by->change[k] * free[(size_t)k * n + i];
            }
        }
        out->time = orbit->is_fixed ? 0.0 : by->change[count];
    }
    return RH_OK;
}

// All of it, wherever that leads; false when it leads nowhere, or no nearer to what is reached.
static rh_status take_whole(rh_orbit *orbit, const stride *by, double *x, bool *out_goes_on)
{
    const double time = orbit->passage.time * (1.0 + by->time);
    *out_goes_on = false;
    for (uint32_t i = 0; i < orbit->n; i++) {
        x[i] = orbit->passage.start[i] + by->start[i] * orbit->manifold.scale[i];
    }
    if (!(time > 0.0) || !isfinite(time)) {
        (void)rh__text_fill(orbit->reason, sizeof orbit->reason,
                            "a whole step leads to a period of %.3g",
                            time * (orbit->is_half ? 2.0 : 1.0));
        return RH_OK;
    }
    RH_TRY(rh__passage_run(orbit, x, time, &orbit->trial, out_goes_on));
    *out_goes_on = *out_goes_on && (orbit->passage.residual > orbit->def.tolerance ||
                                    orbit->trial.residual < orbit->passage.residual);
    return RH_OK;
}

// The largest share of a stride that is not too long.
static double cap_of(const rh_orbit *orbit, const stride *by)
{
    double longest = fabs(by->time);
    for (uint32_t i = 0; i < orbit->n; i++) {
        longest = fmax(longest, fabs(by->start[i]));
    }
    return longest > STRETCH ? STRETCH / longest : 1.0;
}

// What led much nearer leads there once more: the trial gets the tangents of the passage.
static void lend(rh_orbit *orbit)
{
    RH_ASSERT(orbit->trial.tangents != orbit->passage.tangents);
    const rh_passage *from = &orbit->passage;
    rh_passage *to = &orbit->trial;
    const size_t size = (size_t)orbit->n * from->count * sizeof *to->tangents;
    memcpy(to->tangents, from->tangents, size);
    memcpy(to->basis, from->basis, size);
    memcpy(to->leaving, from->leaving, orbit->n * sizeof *to->leaving);
    memcpy(to->scale, from->scale, orbit->n * sizeof *to->scale);
    to->count = from->count;
    to->speed = from->speed;
    to->is_stale = true;
}

// Go a share of the stride: does it then miss by less than `most`, or is what is left to go much
// shorter? Where tangents cost much, they are for places that serve.
static rh_status go(rh_orbit *orbit, const newton *with, const stride *by, double share,
                    double most, double *x, bool *out_is_nearer)
{
    RH_ASSERT(by->is_there && 0.0 < share && share <= 1.0);
    const bool is_dear = orbit->transport.count > DEAR;
    const double time = orbit->passage.time * (1.0 + share * by->time);
    bool is_there = false;
    for (uint32_t i = 0; i < orbit->n; i++) {
        x[i] = orbit->passage.start[i] + share * by->start[i] * orbit->manifold.scale[i];
    }
    if (is_dear) {
        RH_TRY(rh__passage_try(orbit, x, time, &orbit->trial, &is_there));
    } else {
        RH_TRY(rh__passage_run(orbit, x, time, &orbit->trial, &is_there));
    }
    *out_is_nearer = is_there && (orbit->trial.residual < most ||
                                  (orbit->passage.residual > orbit->def.tolerance &&
                                   find_distance(orbit, with, &orbit->trial, by->rank) <
                                       (1.0 - NATURAL * share) * by->size));
    if (!*out_is_nearer || !is_dear) {
        return RH_OK;
    }
    if (orbit->trial.residual < QUICK * orbit->passage.residual) {
        lend(orbit);
        return RH_OK;
    }
    return rh__passage_run(orbit, x, time, &orbit->trial, out_is_nearer);
}

// Go a share of the stride, or less, such that the residual shrinks, or, boldly, anywhere near;
// false when nothing helps.
static rh_status take_stride(rh_orbit *orbit, const newton *with, const stride *strides, double *x,
                             bool is_bold, bool *out_is_nearer)
{
    const bool is_free = is_bold && orbit->passage.residual > orbit->def.tolerance;
    double factor = 1.0;
    *out_is_nearer = false;
    const uint32_t halvings = orbit->passage.is_stale ? 1 : HALVINGS;
    for (uint32_t k = 0; k < halvings && !*out_is_nearer && orbit->over == NULL;
         k++, factor /= 2.0) {
        for (uint32_t d = 0; d < (k == 0 ? STRIDES : 1) && !*out_is_nearer; d++) {
            const stride *by = &strides[d];
            const double share = factor * cap_of(orbit, by);
            const double least = d > 0 ? 0.5 : 1.0 - 0.1 * share;
            if (by->is_there) {
                RH_TRY(go(orbit, with, by, share,
                          is_free ? INFINITY : least * orbit->passage.residual, x, out_is_nearer));
            }
        }
    }
    return RH_OK;
}

static void adopt(rh_orbit *orbit)
{
    const rh_passage old = orbit->passage;
    orbit->passage = orbit->trial;
    orbit->trial = old;
    rh__measure_grow(orbit, &orbit->passage);
}

static rh_status iterate(rh_orbit *orbit, bool is_bold, bool *out_goes_on)
{
    rh_arena *scratch = &orbit->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    double *x = rh__arena_array(scratch, double, (size_t)orbit->n + 1);
    stride strides[STRIDES];
    newton with;
    for (uint32_t d = 0; d < STRIDES; d++) {
        strides[d] = (stride){.start = rh__arena_array(scratch, double, (size_t)orbit->n + 1)};
    }
    if (x == NULL || scratch->status != RH_OK) {
        return scratch->status;
    }
    rh_status status = find_strides(orbit, &orbit->passage, scratch, &with, strides);
    if (status == RH_OK) {
        status = orbit->def.has_whole_steps
                     ? take_whole(orbit, strides, x, out_goes_on)
                     : take_stride(orbit, &with, strides, x, is_bold, out_goes_on);
    }
    // borrowed tangents that do not serve any more are replaced by its own
    if (status == RH_OK && !*out_goes_on && orbit->passage.is_stale) {
        status = rh__passage_run(orbit, orbit->passage.start, orbit->passage.time, &orbit->trial,
                                 out_goes_on);
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
        RH_TRY(rh__passage_try(orbit, passage->start, passage->time + change, &orbit->trial,
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

// The search has had larger sizes than the orbit, perhaps: its own count. Where they are others by
// far, so are the tangents that are wanted.
static rh_status settle(rh_orbit *orbit)
{
    const rh_passage *passage = &orbit->passage;
    bool is_other = false;
    rh__measure_take(orbit, &orbit->passage);
    for (uint32_t i = 0; i < orbit->n; i++) {
        const double ratio = passage->scale[i] / orbit->manifold.scale[i];
        is_other = is_other || ratio > OTHER || ratio < 1.0 / OTHER;
    }
    bool is_there = false;
    if (is_other) {
        RH_TRY(rh__passage_run(orbit, passage->start, passage->time, &orbit->trial, &is_there));
    }
    if (is_there) {
        const rh_passage old = orbit->passage;
        orbit->passage = orbit->trial;
        orbit->trial = old;
    }
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
    // what closes because it goes nowhere is no orbit
    const bool is_nothing = orbit->passage.extent < TINY;
    if (orbit->outcome == RH_ORBIT_FAILED && orbit->passage.residual <= orbit->def.tolerance &&
        (orbit->is_timed || !is_nothing)) {
        RH_TRY(is_nothing ? RH_OK : settle(orbit));
        orbit->outcome =
            orbit->passage.residual <= orbit->def.tolerance ? RH_ORBIT_FOUND : RH_ORBIT_FAILED;
    }
    return RH_OK;
}

static void excuse(rh_orbit *orbit, const rh_passage *best)
{
    char why[sizeof orbit->reason];
    if (best->residual <= orbit->def.tolerance) {
        (void)rh__text_fill(
            orbit->reason, sizeof orbit->reason,
            "after %u iteration%s there is nothing left of the orbit: its period is %.3g, "
            "and it goes no further than %.3g",
            orbit->iterations, orbit->iterations == 1 ? "" : "s", best->time, best->extent);
        return;
    }
    (void)rh__text_fill(why, sizeof why, "%s", orbit->reason);
    (void)rh__text_fill(orbit->reason, sizeof orbit->reason,
                        "after %u iteration%s the orbit still misses its start by %.3g (period "
                        "%.10g)%s%.100s",
                        orbit->iterations, orbit->iterations == 1 ? "" : "s", best->residual,
                        best->time * (orbit->is_half ? 2.0 : 1.0), why[0] != '\0' ? "; " : "", why);
}

// Where cautious steps get stuck before a minimum that is no orbit, bold ones may jump over it.
static rh_status solve(rh_orbit *orbit)
{
    rh_arena *scratch = &orbit->scratch;
    const rh_mark mark = rh__arena_mark(scratch);
    rh_passage first;
    rh_passage best;
    bool is_there = false;
    orbit->outcome = RH_ORBIT_FAILED;
    orbit->iterations = 0;
    RH_TRY(rh__passage_reserve(scratch, orbit->n, &first));
    RH_TRY(rh__passage_reserve(scratch, orbit->n, &best));
    const bool is_plain = orbit->def.has_whole_steps;
    RH_TRY(orbit->passage.extent >= TINY && !is_plain ? tune(orbit) : RH_OK);
    RH_TRY(rh__passage_run(orbit, orbit->passage.start, orbit->passage.time, &orbit->trial,
                           &is_there));
    if (!is_there) {
        rh__arena_rewind(scratch, mark);
        return RH_OK;
    }
    adopt(orbit);
    rh__passage_copy(&orbit->passage, orbit->n, &first);
    RH_TRY(converge(orbit, false));
    rh__passage_copy(&orbit->passage, orbit->n, &best);
    if (orbit->outcome == RH_ORBIT_FAILED && !is_plain && orbit->over == NULL) {
        rh__passage_copy(&first, orbit->n, &orbit->passage);
        memcpy(orbit->manifold.scale, first.scale, orbit->n * sizeof *first.scale);
        rh__passage_weigh(orbit, &orbit->passage);
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

// Tangents that only lead there need not be as good as those of the orbit, where they cost much.
rh_status rh__shooting_solve(rh_orbit *orbit)
{
    orbit->transport.is_rough = orbit->transport.count > DEAR;
    const bool was_rough = orbit->transport.is_rough;
    rh_status status = solve(orbit);
    orbit->transport.is_rough = false;
    if (status == RH_OK && was_rough && orbit->outcome == RH_ORBIT_FOUND) {
        bool is_there = false;
        status = rh__passage_run(orbit, orbit->passage.start, orbit->passage.time, &orbit->trial,
                                 &is_there);
        // without tangents of its own nothing can be said about it
        orbit->outcome = is_there ? RH_ORBIT_FOUND : RH_ORBIT_FAILED;
        if (is_there) {
            adopt(orbit);
        }
    }
    return status;
}

// --- points of rest ------------------------------------------------------------------------------

// By how much changes of all variables by their sizes change each rate.
static void weigh_rates(const rh_orbit *orbit, const double *derivative, double *out)
{
    const uint32_t n = orbit->n;
    memset(out, 0, n * sizeof *out);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            out[i] += fabs(derivative[(size_t)j * n + i]) * orbit->manifold.scale[j];
        }
    }
}

// The largest rate at x relative to that; infinite where nothing changes one that is not zero, so
// that it is no rate of a point of rest, however small it is. `rate` has 2 n numbers.
static double compare_rates(rh_orbit *orbit, const double *x, double *derivative, double *rate)
{
    rh_motion *motion = orbit->motion;
    double *weight = rate + orbit->n;
    double largest = 0.0;
    rh__motion_rate(motion, motion->t, x, rate);
    if (!rh__jacobian_run(&orbit->jacobian, motion->plain, derivative)) {
        return INFINITY;
    }
    weigh_rates(orbit, derivative, weight);
    for (uint32_t i = 0; i < orbit->n; i++) {
        largest = rate[i] != 0.0 ? fmax(largest, fabs(rate[i]) / weight[i]) : largest;
    }
    return isfinite(largest) ? largest : INFINITY;
}

// One step towards rate 0 along the constraints; the size of the rate where it began.
static rh_status step_to_rest(rh_orbit *orbit, double *x, rh_arena *scratch, double *out_rate)
{
    const uint32_t n = orbit->n;
    rh_motion *motion = orbit->motion;
    double *derivative = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *free = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *matrix = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *rate = rh__arena_array(scratch, double, 2 * (size_t)n + 1);
    const double *weight = rate + n;
    uint32_t count = 0;
    rh_svd svd;
    if (derivative == NULL || free == NULL || matrix == NULL || rate == NULL) {
        return scratch->status;
    }
    rh_error err;
    RH_TRY(rh__motion_place(motion, x, &err));
    memcpy(x, motion->x, n * sizeof *x);
    *out_rate = compare_rates(orbit, x, derivative, rate);
    if (!isfinite(*out_rate)) {
        return RH_OK;
    }
    RH_TRY(rh__manifold_directions(&orbit->manifold, x, NULL, free, &count));
    memset(matrix, 0, (size_t)n * count * sizeof *matrix);
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t j = 0; j < n; j++) {
            const double along = free[(size_t)k * n + j] * orbit->manifold.scale[j];
            for (uint32_t i = 0; i < n; i++) {
                matrix[(size_t)k * n + i] +=
                    weight[i] > 0.0 ? derivative[(size_t)j * n + i] * along / weight[i] : 0.0;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        rate[i] = weight[i] > 0.0 ? -rate[i] / weight[i] : 0.0;
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

bool rh__shooting_stands(rh_orbit *orbit, rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    const size_t n = orbit->n;
    double *derivative = rh__arena_array(scratch, double, n *n + 2 * n + 1);
    const bool stands = derivative != NULL && compare_rates(orbit, orbit->motion->x, derivative,
                                                            derivative + n * n) < STILL;
    rh__arena_rewind(scratch, mark);
    return stands;
}

static bool is_near(const rh_orbit *orbit, const double *x)
{
    bool near = true;
    for (uint32_t i = 0; i < orbit->n; i++) {
        near = near && fabs(x[i] - orbit->passage.start[i]) <= REST_NEAR * orbit->manifold.scale[i];
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
