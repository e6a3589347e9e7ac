// SPDX-License-Identifier: Apache-2.0
// Roots that lie close together, multiple ones, and simple ones at which a function hardly has a
// slope. The polynomial of a function over a whole step knows them to the root of rounding only;
// the function itself may know them much better: (x - 4)^2 - 1e-20 has all its digits near x = 4.
// So it is evaluated along the step at points of a narrow window about them. What it changes by
// when the state does by its own error is the level below which its value means zero: two roots
// with less between them are one touch.

#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { POINTS = RH_SAMPLE_DEGREE + 1, DEEPEST = 16, MOST_GROUPS = 32 };

#define PI 3.14159265358979323846
#define SETTLED 1e-12 // share of the step: places known so well are left as they are
#define WIDEST 1e-3   // share of the step: of a window about a root that is apart from others
#define SHRINK 0.9    // of a window: a narrower one is worth it

typedef struct window {
    double low, high;  // shares of the step
    int before, after; // signs at its ends
    uint32_t depth;
} window;

typedef struct refinement {
    rh_motion *motion;
    const rh_watched *what;
    rh_root_list *out;
} refinement;

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

// --- the function itself -------------------------------------------------------------------------

void rh__cluster_run_watched(rh_motion *motion)
{
    const double *inputs = rh__jet_row(motion->plain, 0);
    double *own = rh__jet_row(motion->watch_point, 0);
    memcpy(own, inputs, (motion->n + 1) * sizeof *own);
    RH_ASSERT(1 + motion->n + motion->system->form.unknowns.count <=
              motion->watch_point->tape->input_count);
    for (uint32_t k = 0; k < motion->system->form.unknowns.count; k++) {
        own[1 + motion->n + k] = rh__tape_output(motion->plain, motion->n + k, 0);
    }
    rh__tape_run(motion->watch_point);
}

// At the state in x_try.
static double value_now(rh_motion *motion, const rh_watched *what, double t)
{
    RH_ASSERT(what->slot <
              (what->is_event ? motion->system->watch : motion->system->step)->slot_count);
    const uint32_t n = motion->n;
    double *inputs = rh__jet_row(motion->plain, 0);
    inputs[0] = t;
    memcpy(inputs + 1, motion->x_try, n * sizeof *inputs);
    rh__tape_run(motion->plain);
    double value = inputs[what->slot];
    if (what->is_event) {
        rh__cluster_run_watched(motion);
        value = rh__jet_row(motion->watch_point, 0)[what->slot];
    }
    return what->factor < 0.0 ? what->bound - value : value - what->bound;
}

static double value_at(rh_motion *motion, const rh_watched *what, double share)
{
    const double t = motion->t + share * motion->series.length;
    rh__series_value(&motion->series, t, motion->x_try);
    return value_now(motion, what, t);
}

// What its value changes by when the components of the state do by their error, one after another,
// or group by group where there are many, and when the time does by its rounding.
static double noise_at(rh_motion *motion, const rh_watched *what, double share)
{
    const uint32_t n = motion->n;
    const double error = motion->stepper->has_jets
                             ? 8.0 * DBL_EPSILON
                             : fmax(8.0 * DBL_EPSILON, 4.0 * motion->tolerance);
    const double length = motion->series.length;
    RH_ASSERT(length > 0.0);
    const double t = motion->t + share * length;
    const uint32_t groups = n < MOST_GROUPS ? n : MOST_GROUPS;
    const double *rate = rh__series_row(&motion->series, 1);
    const double value = value_at(motion, what, share);
    const double moment = 2.0 * DBL_EPSILON * fabs(t) / length;
    double sum = fmax(fabs(value_at(motion, what, share + moment) - value),
                      fabs(value_at(motion, what, share - moment) - value));
    for (uint32_t g = 0; g < groups; g++) {
        double worst = 0.0;
        for (int side = -1; side <= 1; side += 2) {
            rh__series_value(&motion->series, t, motion->x_try);
            for (uint32_t i = g; i < n; i += groups) {
                const double size = fabs(motion->x_try[i]) + fabs(rate[i] * length);
                motion->x_try[i] += side * ((i / groups) % 2 == 0 ? error : -error) * size;
            }
            worst = fmax(worst, fabs(value_now(motion, what, t) - value));
        }
        sum += worst;
    }
    return isfinite(sum) ? sum : INFINITY;
}

// --- windows -------------------------------------------------------------------------------------

// Its values in a window as a polynomial in motion->polynomial; false when there is none, or the
// ends have other signs than they should.
static bool look(const refinement *in, const window *on, rh_root_query *query)
{
    rh_motion *motion = in->motion;
    double values[POINTS];
    uint32_t least = 0;
    RH_ASSERT(on->low <= on->high && on->depth <= DEEPEST);
    for (uint32_t j = 0; j < POINTS; j++) {
        const double part = 0.5 * (1.0 - cos(PI * j / RH_SAMPLE_DEGREE));
        values[j] = value_at(motion, in->what, on->low + part * (on->high - on->low));
        least = fabs(values[j]) < fabs(values[least]) ? j : least;
    }
    if (!rh__vector_is_finite(POINTS, values)) {
        return false;
    }
    const double part = 0.5 * (1.0 - cos(PI * least / RH_SAMPLE_DEGREE));
    const double ends =
        fmax(noise_at(motion, in->what, on->low), noise_at(motion, in->what, on->high));
    // the polynomial has the noise of all its points everywhere
    query->floor = fmax(ends, noise_at(motion, in->what, on->low + part * (on->high - on->low)));
    if (sign_of(values[0]) != on->before || sign_of(values[POINTS - 1]) != on->after ||
        !(fmin(fabs(values[0]), fabs(values[POINTS - 1])) > 2.0 * query->floor)) {
        return false;
    }
    query->degree = rh__samples_fit(motion, values);
    RH_ASSERT(query->degree <= RH_SAMPLE_DEGREE);
    query->c = motion->polynomial;
    return true;
}

static void put(const refinement *in, rh_root root)
{
    rh_root_list *out = in->out;
    RH_ASSERT(root.low <= root.at && root.at <= root.high);
    if (root.at > 1.0 + 4.0 * DBL_EPSILON) {
        return;
    }
    root.at = fmin(root.at, 1.0);
    if (out->count < out->capacity) {
        out->data[out->count++] = root;
    } else {
        out->is_complete = false;
    }
}

// How far off the polynomial may have placed a root.
static double doubt_of(const rh_root_query *query, const rh_root *root)
{
    const double *c = query->c;
    double slope = 0.0;
    for (uint32_t k = query->degree; k > 0; k--) {
        slope = slope * root->at + k * c[k];
    }
    const double level =
        fmax(query->floor, query->tolerance * rh__polynomial_scale(c, query->degree, root->at));
    return root->high > root->low ? root->high - root->low : fmin(level / fabs(slope), WIDEST);
}

static bool refine(const refinement *in, const window *on);

// The time in steps.
static double time_of(const rh_motion *motion)
{
    return fabs(motion->t) / motion->series.length;
}

// The middles between a root and those beside it; the ends of the window for those without.
static double middle_before(const rh_root_list *roots, uint32_t r)
{
    return r > 0 ? 0.5 * (roots->data[r - 1].high + roots->data[r].low) : 0.0;
}

static double middle_after(const rh_root_list *roots, uint32_t r, double end)
{
    return r + 1 < roots->count ? 0.5 * (roots->data[r].high + roots->data[r + 1].low) : end;
}

// One of the roots that were found on a window, through narrower ones, which stay on its side of
// the middle to the next root; as it is where they tell nothing. `doubt` is how far off it may be,
// as a share of that window.
static void narrow(const refinement *in, const window *on, const rh_root_list *roots, uint32_t r,
                   double doubt)
{
    RH_ASSERT(r < roots->count && doubt >= 0.0);
    const rh_root *root = &roots->data[r];
    const double first = middle_before(roots, r);
    const double last = middle_after(roots, r, 1.0);
    const double width = on->high - on->low;
    const uint32_t count = in->out->count;
    bool is_done = false;
    for (double margin = 0.5 * doubt; !is_done && on->depth < DEEPEST && margin < 1.0;
         margin *= 3.0) {
        const window next = {.low = on->low + width * fmax(root->low - margin, first),
                             .high = on->low + width * fmin(root->high + margin, last),
                             .before = root->before,
                             .after = root->after,
                             .depth = on->depth + 1};
        const double narrower = next.high - next.low;
        // no narrower than the time can tell
        const double least = 16.0 * DBL_EPSILON * fmax(next.high, time_of(in->motion));
        if (!(narrower < SHRINK * width && narrower > least)) {
            break;
        }
        in->out->count = count;
        is_done = refine(in, &next);
    }
    if (!is_done) {
        rh_root placed = *root;
        placed.at = on->low + width * root->at;
        placed.low = on->low + width * root->low;
        placed.high = on->low + width * root->high;
        in->out->count = count;
        put(in, placed);
    }
}

// All roots in a window; false when it tells nothing.
static bool refine(const refinement *in, const window *on)
{
    rh_motion *motion = in->motion;
    rh_root found[POINTS + 1];
    double doubts[POINTS + 1];
    rh_root_list roots = {.data = found, .capacity = POINTS + 1};
    rh_root_query query = {.tolerance = DBL_EPSILON};
    if (!look(in, on, &query) || rh__polynomial_roots(&query, motion->root_work, &roots) != RH_OK ||
        !roots.is_complete) {
        return false;
    }
    const int last = roots.count > 0 ? found[roots.count - 1].after : on->before;
    if (last != on->after || (roots.count > 0 && found[0].before != on->before)) {
        return false;
    }
    for (uint32_t r = 0; r < roots.count; r++) {
        doubts[r] = doubt_of(&query, &found[r]);
    }
    for (uint32_t r = 0; r < roots.count; r++) {
        narrow(in, on, &roots, r, doubts[r]);
    }
    return true;
}

// A root of a whole step through windows about it, wider ones if need be; false when they tell
// nothing.
static bool refine_root(const refinement *in, const rh_root_list *roots, uint32_t r, int before,
                        double doubt)
{
    const rh_root *root = &roots->data[r];
    const uint32_t count = in->out->count;
    double reach = doubt;
    bool is_done = false;
    for (uint32_t k = 0; k < 3 && !is_done && doubt > SETTLED; k++) {
        const double last = middle_after(roots, r, 1.0 + fmin(reach, WIDEST));
        const window on = {.low = fmax(root->low - reach, middle_before(roots, r)),
                           .high = fmin(root->high + reach, last),
                           .before = before,
                           .after = root->after};
        in->out->count = count;
        is_done = refine(in, &on);
        reach *= 8.0;
    }
    in->out->count = is_done ? in->out->count : count;
    return is_done;
}

// One in whose doubt the step begins: what lies behind its beginning, where the sign there is sure.
static void refine_start(const refinement *in, const rh_root_list *roots, double doubt)
{
    const double value = value_at(in->motion, in->what, 0.0);
    if (fabs(value) > 2.0 * noise_at(in->motion, in->what, 0.0) &&
        refine_root(in, roots, 0, sign_of(value), doubt)) {
        in->out->first = sign_of(value);
    }
}

// The step begins where the function is less than the polynomial knows, as behind an event that
// ended the last one: the roots until it is more, from where its sign is sure, in windows that
// grow.
static void look_at_start(const refinement *in, const rh_root_query *query, rh_root_list *roots)
{
    rh_motion *motion = in->motion;
    window on = {.before = 0};
    int first = 0;
    bool is_known = true;
    double value = 0.0;
    for (double share = 16.0 * DBL_EPSILON * fmax(1.0, time_of(motion));
         is_known && share < WIDEST && !(fabs(value) > 2.0 * query->floor); share *= 2.0) {
        value = value_at(motion, in->what, share);
        if (!(fabs(value) > 2.0 * noise_at(motion, in->what, share))) {
            continue;
        }
        on.high = share;
        on.after = sign_of(value);
        is_known = on.before == 0 || refine(in, &on) || on.before == on.after;
        first = first != 0 ? first : on.after;
        on.low = share;
        on.before = on.after;
    }
    if (is_known && on.after == roots->first && fabs(value) > 2.0 * query->floor) {
        roots->first = in->out->first = first;
    } else {
        in->out->count = 0;
    }
}

static bool is_at_start(const rh_root *root)
{
    return root->low <= 0.0 || root->at <= 4.0 * DBL_EPSILON;
}

void rh__cluster_refine(rh_motion *motion, const rh_watched *what, const rh_root_query *query,
                        rh_root_list *roots)
{
    RH_ASSERT(roots->count <= RH_ROOT_MOST && roots->data != motion->roots + RH_ROOT_MOST);
    double doubts[RH_POLYNOMIAL_DEGREE + 1] = {0.0};
    bool is_asked = false;
    for (uint32_t r = 0; r < roots->count; r++) {
        const rh_root *root = &roots->data[r];
        doubts[r] = what->is_event ? doubt_of(query, root) : root->high - root->low;
        is_asked = is_asked || doubts[r] > SETTLED;
    }
    const bool is_begun = roots->count > 0 && is_at_start(&roots->data[0]);
    const bool is_hidden = what->is_event && !motion->stepper->has_jets && !is_begun &&
                           fabs(query->c[0]) < query->floor;
    if (!is_asked && !is_begun && !is_hidden) {
        return;
    }
    rh_root_list fine = *roots;
    fine.data = motion->roots + RH_ROOT_MOST;
    fine.count = 0;
    const refinement in = {.motion = motion, .what = what, .out = &fine};
    if (what->is_event) {
        rh__tape_follow(motion->watch_point, motion->watch);
    }
    if (is_hidden) {
        look_at_start(&in, query, roots);
    }
    for (uint32_t r = 0; r < roots->count; r++) {
        const rh_root *root = &roots->data[r];
        if (r == 0 && is_at_start(root)) {
            refine_start(&in, roots, doubts[r]);
        } else if (!refine_root(&in, roots, r, root->before, doubts[r])) {
            put(&in, *root);
        }
    }
    *roots = fine;
}

bool rh__cluster_is_sure(rh_motion *motion, const rh_watched *what, double share)
{
    if (what->is_event) {
        rh__tape_follow(motion->watch_point, motion->watch);
    }
    return fabs(value_at(motion, what, share)) > 2.0 * noise_at(motion, what, share);
}
