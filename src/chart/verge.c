// SPDX-License-Identifier: Apache-2.0
// Edges of the grid between points of different kinds are cut where the kind changes first. Where a
// branch ends in a fold on the way, or a real root passes zero, so that branches cross, the branch
// is walked along the edge to the first mark (family.c of `steady`). Where a pair passes the axis
// the cut is a root of the rightmost real part; where no root is on the left of the axis, as
// without dissipation, it is a root of the product of the roots, if that changes its sign. All are
// known to rounding, so the cut is too. Else the verdict itself is bisected, and so is the
// existence of the motion. How far the cut may be off by rounding is looked for beside it: a place
// belongs to its side where the roots that decide are off the axis by more than their bars.

#include "chart/chart.h"

#include <math.h>
#include <string.h>

#define CLOSE 1e-14  // of the edge
#define FIRST 0.02   // step of a walk, of the edge
#define LARGEST 0.15 // the same
#define BEYOND 4.0   // of what a straight line says: it may be bent, as squares and roots are
#define WIDER 4.0    // from one place beside a cut to the next
enum { HALVINGS = 44, LOOKS = 80, STATIONS = 400 };

// An edge under way: a bracket with the motions at its ends.
typedef struct cutting {
    rh_spot *spot;
    double ends[2][2]; // coordinates
    uint32_t kinds[2];
    uint32_t dimension; // of the kernel on both sides of the cut
    uint32_t known;     // k for rh__judge()
    double low, high;
    double bar;    // of the cut, as far as a walk tells
    bool is_sharp; // that is all: it is a mark and not the threshold of a decision
    rh_spot_signs signs[2];
} cutting;

static double *places_of(const cutting *in, int end)
{
    return in->spot->ends + (size_t)end * in->spot->chart->width;
}

static void point_at(const cutting *in, double t, double out[2])
{
    for (int axis = 0; axis < 2; axis++) {
        const double from = in->ends[0][axis];
        out[axis] = from == in->ends[1][axis] ? from : from + t * (in->ends[1][axis] - from);
    }
}

// Go to a place of the edge from the end of the bracket that is nearer, or else from the other one.
static bool go(cutting *in, double t)
{
    const int nearer = t - in->low <= in->high - t ? 0 : 1;
    double to[2];
    point_at(in, t, to);
    for (int k = 0; k < 2; k++) {
        const int end = k == 0 ? nearer : 1 - nearer;
        double from[2];
        if (in->kinds[end] == RH_CHART_NONE) {
            continue;
        }
        point_at(in, end == 0 ? in->low : in->high, from);
        rh__spot_load(in->spot, places_of(in, end));
        if (rh__spot_reach(in->spot, from, to)) {
            return true;
        }
    }
    return false;
}

// The bracket ends here on one side.
static void narrow(cutting *in, int end, double t)
{
    if (end == 0) {
        in->low = t;
    } else {
        in->high = t;
    }
    rh__spot_save(in->spot, places_of(in, end));
}

static bool is_definite(uint32_t kind)
{
    return kind == RH_STEADY_ASYMPTOTICALLY_STABLE || kind == RH_STEADY_UNSTABLE;
}

// --- kinds ---------------------------------------------------------------------------------------

static double bisect_kind(cutting *in)
{
    for (uint32_t k = 0; k < HALVINGS && in->high - in->low > CLOSE; k++) {
        const double t = 0.5 * (in->low + in->high);
        const bool is_there = go(in, t);
        const uint32_t kind = is_there ? rh__spot_judge(in->spot, in->known) : RH_CHART_NONE;
        // a third kind belongs to the end that is not stable, so that what is stable is not drawn
        // too large
        const bool is_first =
            kind == in->kinds[0] || (kind != in->kinds[1] && in->kinds[0] > in->kinds[1]);
        if (is_there) {
            narrow(in, is_first ? 0 : 1, t);
        } else if (is_first) {
            in->low = t;
        } else {
            in->high = t;
        }
    }
    return 0.5 * (in->low + in->high);
}

static double bisect_existence(cutting *in)
{
    const int known = in->kinds[0] == RH_CHART_NONE ? 1 : 0;
    for (uint32_t k = 0; k < HALVINGS && in->high - in->low > CLOSE; k++) {
        const double t = 0.5 * (in->low + in->high);
        if (go(in, t)) {
            narrow(in, known, t);
        } else if (known == 0) {
            in->high = t;
        } else {
            in->low = t;
        }
    }
    return known == 0 ? in->low : in->high;
}

// --- walks ---------------------------------------------------------------------------------------

// Walk along the branch from one end of the edge towards the other, to the first mark; false: there
// is none on the edge.
static bool walk_to_mark(cutting *in, int end, double *out)
{
    rh_chart *chart = in->spot->chart;
    const int axis = in->ends[0][0] == in->ends[1][0] ? 1 : 0;
    rh_steady_found found = {.values = in->spot->slots};
    rh_steady steady = *chart->steady;
    rh_walk_def def = rh_walk_def_default();
    rh_walk *walk = NULL;
    rh__spot_load(in->spot, places_of(in, end));
    rh__spot_turn(in->spot, in->ends[end]);
    memcpy(in->spot->slots, in->spot->bench->values, steady.reduction->slot_count * sizeof(double));
    steady.bench = in->spot->bench;
    steady.wish.values = in->spot->slots;
    steady.wish.wanted = in->spot->wanted;
    steady.found.data = &found;
    steady.found.count = 1;
    def.name = chart->names[axis];
    def.from = in->ends[end][axis];
    def.to = in->ends[1 - end][axis];
    def.first_step = FIRST;
    def.largest_step = LARGEST;
    def.point_limit = STATIONS;
    rh_status status = rh__walk_known(&steady, &def, in->known, &walk);
    bool is_there = status == RH_OK;
    bool is_found = false;
    while (is_there && !is_found) {
        rh_walk_point point;
        status = rh_walk_step(walk, &point, &is_there, NULL);
        is_there = is_there && status == RH_OK;
        is_found = is_there && point.mark != RH_WALK_POINT;
        if (is_found) {
            const double length = in->ends[1][axis] - in->ends[0][axis];
            *out = (point.value - in->ends[0][axis]) / length;
            in->bar = fmax(point.high - point.value, point.value - point.low) / fabs(length);
            in->is_sharp =
                point.mark == RH_WALK_FOLD || is_definite((uint32_t)point.motion.verdict);
        }
    }
    rh_walk_destroy(walk);
    in->spot->status = status == RH_E_MEMORY ? status : in->spot->status;
    is_found = is_found && *out >= -CLOSE && *out <= 1.0 + CLOSE;
    *out = is_found ? fmin(fmax(*out, 0.0), 1.0) : *out;
    return is_found;
}

// The branch of one end ends on the way, or has another kind before.
static double find_end(cutting *in)
{
    double at = 0.0;
    return walk_to_mark(in, in->kinds[0] == RH_CHART_NONE ? 1 : 0, &at) ? at : bisect_existence(in);
}

// --- roots ---------------------------------------------------------------------------------------

static double value_of(const rh_spot_signs *signs, bool is_product)
{
    return is_product ? signs->product : signs->abscissa;
}

// A root of what decides, by false position in the manner of Illinois with bisections in between.
static double find_root(cutting *in, bool is_product)
{
    double low = value_of(&in->signs[0], is_product);
    double high = value_of(&in->signs[1], is_product);
    double best = fabs(low) < fabs(high) ? in->low : in->high;
    int side = -1;
    for (uint32_t k = 0; k < LOOKS && in->high - in->low > CLOSE; k++) {
        rh_spot_signs signs;
        const double secant = in->low + (in->high - in->low) * (low / (low - high));
        const bool is_inside = secant > in->low && secant < in->high;
        const double t = is_inside && k % 4 != 3 ? secant : 0.5 * (in->low + in->high);
        if (!go(in, t) || !rh__spot_decide(in->spot, in->dimension, &signs)) {
            return bisect_kind(in);
        }
        const double value = value_of(&signs, is_product);
        const double moved = fabs(t - best);
        const int end = (value > 0.0) == (low > 0.0) ? 0 : 1;
        best = t;
        if (value == 0.0 || (moved <= CLOSE && k > 2)) {
            break;
        }
        narrow(in, end, t);
        if (end == 0) {
            low = value;
            high = side == 0 ? 0.5 * high : high;
        } else {
            high = value;
            low = side == 1 ? 0.5 * low : low;
        }
        side = end;
    }
    return best;
}

// Where no definite verdict is given because a real part is too small, the abscissa still leads to
// its root, along a straight line.
static double sharpen(cutting *in, double at)
{
    const int end = is_definite(in->kinds[0]) ? 0 : 1;
    const double sign = end == 0 ? -1.0 : 1.0;
    rh_spot_signs signs[2];
    double t[2];
    for (int k = 0; k < 2; k++) {
        t[k] = at + sign * (k + 1) * 1e-6;
        if (!is_definite(in->kinds[end]) || is_definite(in->kinds[1 - end]) || t[k] < 0.0 ||
            t[k] > 1.0 || !go(in, t[k]) || !rh__spot_decide(in->spot, in->dimension, &signs[k])) {
            return at;
        }
    }
    const double slope = (signs[1].abscissa - signs[0].abscissa) / (t[1] - t[0]);
    const double root = t[0] - signs[0].abscissa / slope;
    return fabs(root - at) <= 1e-6 ? fmin(fmax(root, 0.0), 1.0) : at;
}

// Is this end a root itself, to rounding? A lone point on a curve is.
static bool is_root(const cutting *in, int end)
{
    const double pace = in->spot->chart->steady->reduction->engine.pace;
    return fabs(in->signs[end].abscissa) <= 1e-13 * (pace + in->signs[end].size) ||
           in->signs[end].product == 0.0;
}

// Do both ends lie on one sheet? Else one of the sheets ends on the way, in a fold: then there is
// the cut, and the kind of the other end counts as none.
static bool is_one_sheet(cutting *in)
{
    const uint32_t width = in->spot->chart->width;
    const rh_reduction *reduction = in->spot->chart->steady->reduction;
    bool reaches[2];
    for (int end = 0; end < 2; end++) {
        rh__spot_load(in->spot, places_of(in, end));
        reaches[end] = rh__spot_reach(in->spot, in->ends[end], in->ends[1 - end]);
        rh__spot_save(in->spot, in->spot->kept);
        bool is_same = reaches[end];
        for (uint32_t k = 0; is_same && k < width; k++) {
            const double there = places_of(in, 1 - end)[k];
            is_same = fabs(in->spot->kept[k] - there) <=
                      1e-6 * rh__engine_size(&reduction->engine, reduction->place[k], there);
        }
        if (is_same) {
            return true;
        }
    }
    if (reaches[0] && reaches[1]) {
        return true; // two sheets over the whole edge: the middle parts them as well as any place
    }
    in->kinds[reaches[0] ? 0 : 1] = RH_CHART_NONE;
    return false;
}

static double find_cut(cutting *in)
{
    double at = 0.0;
    if (!is_one_sheet(in)) {
        return find_end(in);
    }
    for (int end = 0; end < 2; end++) {
        rh__spot_load(in->spot, places_of(in, end));
        if (!rh__spot_stand(in->spot, in->ends[end]) ||
            !rh__spot_decide(in->spot, in->dimension, &in->signs[end])) {
            return bisect_kind(in);
        }
    }
    const rh_spot_signs *first = &in->signs[0];
    const rh_spot_signs *second = &in->signs[1];
    if (is_definite(in->kinds[0]) && is_definite(in->kinds[1]) &&
        (first->abscissa > 0.0) != (second->abscissa > 0.0)) {
        const bool is_real = (first->right + second->right) % 2 == 1;
        return is_real && walk_to_mark(in, 0, &at) ? at : find_root(in, false);
    }
    for (int end = 0; end < 2 && is_definite(in->kinds[0]) && is_definite(in->kinds[1]); end++) {
        if (is_root(in, end)) {
            return end;
        }
    }
    const bool has_unstable =
        in->kinds[0] == RH_STEADY_UNSTABLE || in->kinds[1] == RH_STEADY_UNSTABLE;
    if (has_unstable && (first->product > 0.0) != (second->product > 0.0)) {
        return find_root(in, true);
    }
    return sharpen(in, bisect_kind(in));
}

// --- bars ----------------------------------------------------------------------------------------

// Are the roots where the spot is on the side of a definite verdict, by more than their bars? All
// but those of the kernel on both sides of the cut.
static bool is_beyond(const cutting *in, uint32_t kind)
{
    const rh_judgement *it = &in->spot->judgement;
    bool is_right = false;
    bool is_left = true;
    for (uint32_t k = 0; k < it->root_count; k++) {
        is_right = is_right || it->roots[k].real > it->roots[k].bar;
        is_left = is_left && it->roots[k].real < -it->roots[k].bar;
    }
    return it->root_count + in->dimension >= it->size &&
           (kind == RH_STEADY_UNSTABLE ? is_right : is_left);
}

// How far from the cut a definite side begins for certain; its end of the edge is on it. What
// decides must also vanish no farther off than that, as a straight line through two places tells.
static double find_margin(cutting *in, double at, int end)
{
    const double most = end == 0 ? at : 1.0 - at;
    const double way = end == 0 ? -1.0 : 1.0;
    double margin = CLOSE;
    double first = 0.0;
    bool is_there = false;
    for (; margin < most && !is_there; margin *= is_there ? 1.0 : WIDER) {
        is_there = go(in, at + way * margin) &&
                   rh__spot_judge(in->spot, UINT32_MAX) < RH_CHART_NONE &&
                   is_beyond(in, in->kinds[end]);
        first = in->spot->judgement.abscissa;
    }
    if (!is_there || WIDER * margin >= most || !go(in, at + way * WIDER * margin) ||
        rh__spot_judge(in->spot, UINT32_MAX) >= RH_CHART_NONE) {
        return fmin(margin, most);
    }
    const double more = (in->spot->judgement.abscissa - first) / ((WIDER - 1.0) * margin);
    const double off = fabs(margin - first / more);
    return isfinite(off) ? fmax(margin, BEYOND * off) : margin;
}

static double find_bar(cutting *in, double at)
{
    double bar = in->bar;
    for (int end = 0; end < 2 && !in->is_sharp; end++) {
        if (is_definite(in->kinds[end])) {
            bar = fmax(bar, find_margin(in, at, end));
        }
    }
    return fmax(bar, CLOSE);
}

// --- all edges -----------------------------------------------------------------------------------

static void begin_end(cutting *in, int end, uint32_t point)
{
    const rh_chart *chart = in->spot->chart;
    in->ends[end][0] = rh__chart_coordinate(chart, 0, point % chart->counts[0]);
    in->ends[end][1] = rh__chart_coordinate(chart, 1, point / chart->counts[0]);
    memcpy(places_of(in, end), chart->places + (size_t)point * chart->width,
           chart->width * sizeof(double));
}

static double find_border(cutting *in)
{
    return in->kinds[0] == RH_CHART_NONE || in->kinds[1] == RH_CHART_NONE ? find_end(in)
                                                                          : find_cut(in);
}

// The point behind an end where branches meet: from there the border is looked for, as no branch is
// followed from where they meet, and nothing is sharp there. It has the kind of that end, or where
// that is not definite another one than the other end. UINT32_MAX: it is not needed, or not there.
static uint32_t point_behind(const rh_chart *chart, const rh_verge *verge, int end, uint32_t point)
{
    const uint32_t away = (verge->is_upright ? 2u : 0u) + (end == 0 ? 0u : 1u);
    const uint32_t behind = rh__chart_neighbour(chart, point, away);
    const uint32_t kind = verge->kinds[end];
    if (!chart->marks[point].is_singular || kind == RH_CHART_NONE || behind == UINT32_MAX ||
        chart->marks[behind].is_singular) {
        return UINT32_MAX;
    }
    const uint32_t other = chart->marks[behind].kind;
    const bool is_end = other == kind;
    const bool is_between = !is_definite(kind) && is_definite(other) &&
                            is_definite(verge->kinds[1 - end]) && other != verge->kinds[1 - end];
    return is_end || is_between ? behind : UINT32_MAX;
}

static void cut(rh_spot *spot, void *user, size_t item)
{
    const rh_chart *chart = spot->chart;
    rh_verge *verge = (rh_verge *)user + item;
    const uint32_t points[2] = {verge->from,
                                verge->from + (verge->is_upright ? chart->counts[0] : 1)};
    cutting in = {.spot = spot, .high = 1.0};
    double longer[2] = {0.0, 0.0};
    uint8_t nullities[2];
    for (int end = 0; end < 2; end++) {
        const uint32_t behind = point_behind(chart, verge, end, points[end]);
        const uint32_t p = behind != UINT32_MAX ? behind : points[end];
        longer[end] = behind != UINT32_MAX;
        in.kinds[end] = behind != UINT32_MAX ? chart->marks[p].kind : verge->kinds[end];
        nullities[end] = chart->marks[p].nullity;
        begin_end(&in, end, p);
    }
    // on the cut itself one more root may be zero
    in.known = rh__chart_known(&chart->marks[points[0]], &chart->marks[points[1]]);
    in.dimension = nullities[0] < nullities[1] ? nullities[0] : nullities[1];
    const double length = 1.0 + longer[0] + longer[1];
    const double border = find_border(&in);
    const double at = border * length - longer[0];
    verge->at = fmin(fmax(at, 0.0), 1.0);
    verge->bar = find_bar(&in, border) * length + fabs(at - verge->at);
}

static bool add(rh_chart *chart, uint32_t from, uint32_t to, bool is_upright)
{
    const uint8_t first = chart->marks[from].traced;
    const uint8_t second = chart->marks[to].traced;
    if (first == second || first == RH_CHART_MISSING || second == RH_CHART_MISSING) {
        return true;
    }
    const rh_verge verge = {
        .from = from, .is_upright = is_upright, .kinds = {first, second}, .at = 0.5};
    return rh__array_push(&chart->arena, &chart->verges, verge);
}

// A lone point that cannot be decided lies on a curve, to rounding: it goes with its first
// neighbour that can.
static void trace(rh_chart *chart, uint32_t i, uint32_t j)
{
    const uint32_t p = rh__chart_index(chart, i, j);
    rh_spot_mark *mark = &chart->marks[p];
    const uint32_t near[4] = {i > 0 ? p - 1 : p, i + 1 < chart->counts[0] ? p + 1 : p,
                              j > 0 ? p - chart->counts[0] : p,
                              j + 1 < chart->counts[1] ? p + chart->counts[0] : p};
    mark->traced = mark->kind;
    for (uint32_t k = 0; k < 4; k++) {
        if (near[k] != p && chart->marks[near[k]].kind == mark->kind) {
            return;
        }
    }
    const bool is_open =
        mark->kind < RH_CHART_NONE && mark->kind != RH_STEADY_STABLE && !is_definite(mark->kind);
    for (uint32_t k = 4; is_open && k-- > 0;) {
        if (is_definite(chart->marks[near[k]].kind)) {
            mark->traced = chart->marks[near[k]].kind;
        }
    }
}

rh_status rh__chart_cut(rh_chart *chart)
{
    bool ok = true;
    for (uint32_t j = 0; j < chart->counts[1]; j++) {
        for (uint32_t i = 0; i < chart->counts[0]; i++) {
            trace(chart, i, j);
        }
    }
    for (uint32_t j = 0; ok && j < chart->counts[1]; j++) {
        for (uint32_t i = 0; ok && i < chart->counts[0]; i++) {
            const uint32_t p = rh__chart_index(chart, i, j);
            ok = (i + 1 == chart->counts[0] || add(chart, p, p + 1, false)) &&
                 (j + 1 == chart->counts[1] || add(chart, p, p + chart->counts[0], true));
        }
    }
    return ok ? rh__chart_for_each(chart, chart->verges.count, cut, chart->verges.data)
              : chart->arena.status;
}
