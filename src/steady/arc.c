// SPDX-License-Identifier: Apache-2.0
// Arcs: a short piece of a branch of steady motions z(s), over the distance s along its chord, and
// the place on it where a root or the real part of a pair vanishes, or where a quantity turns
// round. Where branches cross, the equations are singular, and what is computed next to such a
// place is rounding divided by the distance from it. But along one branch the motion, the quantity
// and the root are smooth functions of s: they are computed at some places around the mark, not at
// it, and their polynomials lead through it. What is left out one after the other tells the error,
// and so do parameters that are shaken by a few roundings (theory 6).

#include "steady/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SHRINK 0.4   // from one circle of places to the next
#define STRAY 0.05   // of the radius: farther from where it is expected it is another branch
#define OUTSIDE 0.25 // of the chord: so far beyond its ends the mark may lie
#define APART 0.125  // of a bound: so large roundings are where they are others at all places
#define LOST 0.3     // of the radius: a mark that wanders so far on its circle is none
#define SAFETY 4.0   // of the error that is told beside the error that is seen
enum { NODES = 8, LEAST_NODES = 6, LEVELS = 9, WORSE = 3, SHAKES = 6, HALVINGS = 80, SEED = 1848 };

typedef struct arcing {
    const rh_arc *arc;
    rh_workbench *bench;
    const rh_reduction *reduction;
    rh_judgement judgement;
    double *way;     // by moving slot: along the chord, of length one in units of scale
    double *bend[2]; // by moving slot: slopes by s at both ends, in the same units
    double *normal;  // by moving slot
    double *values;  // NODES x slots
    double *dials;   // by slot: as they are given
    double *at_mark; // by slot: the motion at the mark
    double *unit;    // by root: its size where it was computed first
    bool has_unit;
    double length, at0; // of the chord; the level of its beginning
    double largest;     // of the quantity, in size
    double s[NODES], quantity[NODES], root[NODES];
    uint32_t count; // of nodes that are there
    uint32_t sway;  // not 0: roundings are others
} arcing;

typedef struct estimate {
    double s, value;
    double spread, wander; // of the value, of the place, with fewer places or other roundings
} estimate;

// --- places --------------------------------------------------------------------------------------

static double scale_of(const arcing *in, uint32_t j)
{
    return in->arc->scale[j];
}

static rh_status reserve(arcing *in)
{
    rh_arena *arena = &in->bench->scratch;
    const size_t moving = (size_t)in->reduction->moving_count + 1;
    const size_t slots = (size_t)in->reduction->slot_count + 1;
    double *numbers = rh__arena_array(arena, double, 5 * moving + (NODES + 2) * slots);
    RH_TRY(numbers == NULL ? arena->status : RH_OK);
    in->way = numbers;
    in->bend[0] = in->way + moving;
    in->bend[1] = in->bend[0] + moving;
    in->normal = in->bend[1] + moving;
    in->unit = in->normal + moving;
    in->dials = in->unit + moving;
    in->at_mark = in->dials + slots;
    in->values = in->at_mark + slots;
    return rh__judgement_reserve(in->reduction, arena, &in->judgement);
}

// The chord, and how the branch leaves it at both ends. False: it turns away from it.
static bool find_chord(arcing *in)
{
    const rh_arc *arc = in->arc;
    const uint32_t moving = in->reduction->moving_count;
    for (uint32_t j = 0; j < moving; j++) {
        const uint32_t slot = in->reduction->moving[j];
        in->way[j] = (arc->ends[1][slot] - arc->ends[0][slot]) / scale_of(in, j);
    }
    in->length = rh__vector_norm(moving, in->way);
    in->at0 = 0.0;
    for (uint32_t j = 0; in->length > 0.0 && j < moving; j++) {
        in->way[j] /= in->length;
        in->normal[j] = in->way[j] / scale_of(in, j);
        in->at0 += in->normal[j] * arc->ends[0][in->reduction->moving[j]];
    }
    bool ok = in->length > 0.0;
    for (int end = 0; end < 2; end++) {
        double along = 0.0;
        for (uint32_t j = 0; j < moving; j++) {
            in->bend[end][j] = arc->slopes[end][j] / scale_of(in, j);
            along += in->bend[end][j] * in->way[j];
        }
        ok = ok && along > 0.5 * rh__vector_norm(moving, in->bend[end]);
        for (uint32_t j = 0; ok && j < moving; j++) {
            in->bend[end][j] /= along;
        }
    }
    return ok;
}

// The cubic that has both ends and their slopes.
static void expect_at(const arcing *in, double s)
{
    RH_ASSERT(in->length > 0.0);
    const double t = s / in->length;
    const double first = t * (1.0 - t) * (1.0 - t);
    const double second = -t * t * (1.0 - t);
    memcpy(in->bench->values, in->dials, in->reduction->slot_count * sizeof(double));
    for (uint32_t j = 0; j < in->reduction->moving_count; j++) {
        // both slopes without what the chord has of them
        const double bend =
            first * (in->bend[0][j] - in->way[j]) + second * (in->bend[1][j] - in->way[j]);
        in->bench->values[in->reduction->moving[j]] +=
            scale_of(in, j) * (s * in->way[j] + in->length * bend);
    }
}

// What vanishes at the mark: the product of all roots, which is smooth even where two of them meet;
// or the mean of the two rightmost ones, a pair. Measured by the first that was computed.
static double root_of(arcing *in)
{
    const rh_judgement *it = &in->judgement;
    double product = 1.0;
    if (in->arc->mark == RH_ARC_PAIR) {
        return it->root_count < 2 ? (double)NAN : 0.5 * (it->roots[0].real + it->roots[1].real);
    }
    for (uint32_t k = 0; k < it->root_count; k++) {
        const rh_steady_root *root = &it->roots[k];
        RH_ASSERT(k <= in->reduction->moving_count);
        const bool is_pair = root->imaginary != 0.0;
        const double size = hypot(root->real, root->imaginary);
        const double own = is_pair ? size : root->real; // of both of a pair
        if (!in->has_unit) {
            in->unit[k] = size;
        }
        product *= own / in->unit[k];
    }
    in->has_unit = true;
    return product;
}

// How far along the chord the values of the bench are: of variables that are far from zero the last
// digit may be much beside the distance that was asked for.
static double distance_now(const arcing *in)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < in->reduction->moving_count; j++) {
        const uint32_t slot = in->reduction->moving[j];
        sum += in->normal[j] * (in->bench->values[slot] - in->arc->ends[0][slot]);
    }
    return sum;
}

static rh_status look_at(arcing *in, double s, double radius, bool *out_is_there)
{
    RH_ASSERT(in->count < NODES);
    const rh_arc *arc = in->arc;
    rh_workbench *bench = in->bench;
    rh_rest_query query = *arc->query;
    rh_rest_answer answer;
    const uint32_t n = in->count;
    double *at = in->values + (size_t)n * in->reduction->slot_count;
    *out_is_there = false;
    expect_at(in, s);
    memcpy(at, bench->values, in->reduction->slot_count * sizeof *at);
    query.round_limit = 30;
    query.normal = in->normal;
    query.level = in->at0 + s;
    query.extra = arc->extra;
    RH_TRY(rh__rest_solve(bench, &query, &answer));
    double stray = 0.0;
    for (uint32_t j = 0; j < in->reduction->moving_count; j++) {
        const uint32_t slot = in->reduction->moving[j];
        stray = fmax(stray, fabs(bench->values[slot] - at[slot]) / scale_of(in, j));
    }
    if (!answer.is_found || !(stray <= STRAY * fmax(radius, in->length))) {
        return RH_OK;
    }
    memcpy(at, bench->values, in->reduction->slot_count * sizeof *at);
    in->s[n] = distance_now(in);
    in->quantity[n] =
        arc->slot != UINT32_MAX ? bench->values[arc->slot] : bench->outputs[arc->output];
    in->root[n] = 0.0;
    if (arc->mark != RH_ARC_FOLD) {
        const rh_status status = rh__judge(bench, arc->dimension, &in->judgement);
        if (status != RH_OK) {
            return status == RH_E_LIMIT || status == RH_E_ARGUMENT ? RH_OK : status;
        }
        in->root[n] = root_of(in);
    }
    *out_is_there = isfinite(in->quantity[n]) && isfinite(in->root[n]);
    in->count += *out_is_there;
    in->largest = fmax(in->largest, *out_is_there ? fabs(in->quantity[n]) : 0.0);
    return RH_OK;
}

// Places around a centre, none of them at it.
static rh_status look_around(arcing *in, double centre, double radius)
{
    static const double PI = 3.14159265358979323846;
    in->count = 0;
    for (uint32_t k = 0; k < NODES; k++) {
        bool is_there = false;
        // every other time the same at all places, or at each of them others
        const bool is_apart = in->sway % 2 == 0;
        in->bench->sway = is_apart && in->sway > 0 ? in->sway * NODES + k : in->sway;
        in->bench->sway_share = is_apart ? APART : 1.0;
        const double share = cos((2.0 * k + 1.0) * PI / (2.0 * NODES));
        RH_TRY(look_at(in, centre + radius * share, radius, &is_there));
    }
    return RH_OK;
}

// --- polynomials ---------------------------------------------------------------------------------

typedef struct fit {
    double s[NODES], c[NODES]; // Newton's form
    uint32_t count;
} fit;

static fit fit_of(const arcing *in, const double *values, uint32_t without, uint32_t stride)
{
    fit it = {.count = 0};
    for (uint32_t k = 0; k < in->count; k++) {
        if (k != without && k != in->count - 1 - without) {
            it.s[it.count] = in->s[k];
            it.c[it.count++] = values[(size_t)k * stride];
        }
    }
    RH_ASSERT(it.count > 0 && it.count <= NODES);
    for (uint32_t order = 1; order < it.count; order++) {
        for (uint32_t k = it.count - 1; k >= order; k--) {
            it.c[k] = (it.c[k] - it.c[k - 1]) / (it.s[k] - it.s[k - order]);
        }
    }
    return it;
}

static double value_at(const fit *it, double s, double *out_slope)
{
    double value = 0.0;
    double slope = 0.0;
    for (uint32_t k = it->count; k-- > 0;) {
        slope = slope * (s - it->s[k]) + value;
        value = value * (s - it->s[k]) + it->c[k];
    }
    *out_slope = slope;
    return value;
}

// What vanishes at the mark.
static double sign_at(const arcing *in, const fit *quantity, const fit *root, double s)
{
    double slope = 0.0;
    const double value = value_at(in->arc->mark == RH_ARC_FOLD ? quantity : root, s, &slope);
    return in->arc->mark == RH_ARC_FOLD ? slope : value;
}

// The mark by all nodes but a pair of them; false: nothing vanishes between them.
static bool mark_of(const arcing *in, uint32_t without, estimate *out)
{
    const fit quantity = fit_of(in, in->quantity, without, 1);
    const fit root = fit_of(in, in->root, without, 1);
    double low = INFINITY;
    double high = -INFINITY;
    double slope = 0.0;
    for (uint32_t k = 0; k < in->count; k++) {
        low = fmin(low, in->s[k]);
        high = fmax(high, in->s[k]);
    }
    const bool is_up = sign_at(in, &quantity, &root, high) > 0.0;
    if ((sign_at(in, &quantity, &root, low) > 0.0) == is_up) {
        return false;
    }
    for (uint32_t k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        if ((sign_at(in, &quantity, &root, middle) > 0.0) == is_up) {
            high = middle;
        } else {
            low = middle;
        }
    }
    RH_ASSERT(low <= high);
    out->s = 0.5 * (low + high);
    out->value = value_at(&quantity, out->s, &slope);
    return isfinite(out->value);
}

// The mark with the spread of what is told by fewer nodes.
static bool estimate_mark(const arcing *in, estimate *out)
{
    bool ok = in->count >= LEAST_NODES && mark_of(in, UINT32_MAX, out);
    out->spread = out->wander = 0.0;
    for (uint32_t k = 0; ok && k < in->count / 2; k++) {
        estimate other = {0};
        ok = mark_of(in, k, &other);
        out->spread = fmax(out->spread, fabs(other.value - out->value));
        out->wander = fmax(out->wander, fabs(other.s - out->s));
    }
    RH_ASSERT(!ok || (out->spread >= 0.0 && out->wander >= 0.0));
    return ok;
}

// --- the mark ------------------------------------------------------------------------------------

// The motion there: polynomials of all values.
static void keep_values(const arcing *in, const estimate *at, double *out)
{
    memcpy(out, in->dials, in->reduction->slot_count * sizeof *out);
    for (uint32_t j = 0; j < in->reduction->moving_count; j++) {
        const uint32_t slot = in->reduction->moving[j];
        const fit it = fit_of(in, in->values + slot, UINT32_MAX, in->reduction->slot_count);
        double slope = 0.0;
        out[slot] = value_at(&it, at->s, &slope);
    }
}

// The mark on a circle of places; its spread is also what other roundings at them do to it: on
// small circles that is much, and may not be seen by chance.
static rh_status tell_by_circle(arcing *in, double centre, double radius, double most, estimate *it,
                                bool *out_is_there)
{
    RH_ASSERT(radius > 0.0 && in->sway == 0);
    estimate other = {0};
    RH_TRY(look_around(in, centre, radius));
    *out_is_there = estimate_mark(in, it) && it->s >= -OUTSIDE * in->length &&
                    it->s <= (1.0 + OUTSIDE) * in->length;
    if (!*out_is_there || it->spread >= most) {
        return RH_OK;
    }
    keep_values(in, it, in->at_mark);
    in->sway = 2;
    const rh_status status = look_around(in, centre, radius);
    in->sway = in->bench->sway = 0;
    if (status == RH_OK && mark_of(in, UINT32_MAX, &other)) {
        it->spread = fmax(it->spread, fabs(other.value - it->value));
        it->wander = fmax(it->wander, fabs(other.s - it->s));
    }
    *out_is_there = it->wander <= LOST * radius; // else what vanishes on it is rounding
    return status;
}

// Nearer and nearer, as long as what is told gets sharper.
static rh_status close_in(arcing *in, estimate *best, double *best_radius, rh_arc_answer *out)
{
    double centre = 0.5 * in->length;
    double radius = 0.75 * in->length;
    uint32_t worse = 0;
    for (uint32_t level = 0; level < LEVELS && worse < WORSE; level++) {
        estimate it = {0};
        bool is_there = false;
        RH_TRY(tell_by_circle(in, centre, radius, best->spread, &it, &is_there));
        if (!is_there) {
            worse++;
            radius *= SHRINK;
            continue;
        }
        const bool is_better = !out->is_found || it.spread < best->spread;
        worse = is_better ? 0 : worse + 1;
        if (is_better) {
            *best = it;
            *best_radius = radius;
            memcpy(out->values, in->at_mark, in->reduction->slot_count * sizeof *out->values);
            out->is_found = true;
        }
        centre = it.s;
        radius *= SHRINK;
    }
    return RH_OK;
}

// What parameters do to it that are other by a few roundings, and roundings of all operations.
static rh_status shake(arcing *in, const estimate *best, double radius, double *out)
{
    RH_ASSERT(radius > 0.0 && in->sway == 0);
    const rh_reduction *reduction = in->reduction;
    rh_random random = rh__random_begin(SEED);
    rh_status status = RH_OK;
    for (uint32_t k = 0; k < SHAKES && status == RH_OK; k++) {
        status = rh__reduction_bind_shaken(reduction, &random, in->bench->tangent);
        in->sway = k + 1;
        for (uint32_t j = 1; j < reduction->slot_count; j++) {
            in->dials[j] =
                in->arc->ends[0][j] * (1.0 + DBL_EPSILON * rh__random_uniform(&random, -1.0, 1.0));
        }
        for (uint32_t j = 0; j < reduction->moving_count; j++) {
            const bool is_solved =
                j < reduction->place_count ? !in->arc->query->is_fixed[j] : j == in->arc->extra;
            const uint32_t slot = reduction->moving[j];
            in->dials[slot] = is_solved ? in->arc->ends[0][slot] : in->dials[slot];
        }
        estimate it = {0};
        if (status == RH_OK) {
            status = look_around(in, best->s, radius);
        }
        *out = status == RH_OK && estimate_mark(in, &it) ? fmax(*out, fabs(it.value - best->value))
                                                         : *out;
    }
    in->sway = in->bench->sway = 0;
    rh__tape_bind_like(in->bench->tangent, reduction->bound_tangent);
    return status;
}

rh_status rh__arc_pinpoint(rh_workbench *bench, const rh_arc *arc, rh_arc_answer *out)
{
    const rh_mark mark = rh__arena_mark(&bench->scratch);
    arcing in = {.arc = arc, .bench = bench, .reduction = bench->reduction};
    estimate best = {.spread = INFINITY};
    double radius = 0.0;
    double shaken = 0.0;
    out->is_found = false;
    if (bench->tangent == NULL) {
        return RH_OK;
    }
    rh_status status = reserve(&in);
    if (status == RH_OK && find_chord(&in)) {
        memcpy(in.dials, arc->ends[0], in.reduction->slot_count * sizeof *in.dials);
        status = close_in(&in, &best, &radius, out);
    }
    if (status == RH_OK && out->is_found) {
        status = shake(&in, &best, radius, &shaken);
        out->value = best.value;
        out->bar = SAFETY * (best.spread + shaken + 2.0 * DBL_EPSILON * in.largest);
    }
    rh__arena_rewind(&bench->scratch, mark);
    return status;
}
