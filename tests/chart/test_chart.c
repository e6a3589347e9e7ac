// SPDX-License-Identifier: Apache-2.0
// The chart of the rolling disc against points and thresholds computed with 30 digits, and charts
// whose curves are known in closed form.

#include "../chart/charting.h"

static const char DISC[] = "examples/rolling_disc/model.rhe";

// --- the disc ------------------------------------------------------------------------------------

// Thin disc: lean, spin, rate of turn on the branch with the smaller one; stable or not. Reference
// case DISC-CHART: roots of a quadratic equation and the sign of a0, 30 digits. The other branch is
// stable at all of these points.
static const struct {
    double theta, w3, w2;
    bool is_stable;
} POINTS[] = {
    {0.05, 0.5, 1.281722297304978, false},  {0.05, 1.5, 0.4353113800856129, false},
    {0.05, 2.5, 0.2615902151143507, false}, {0.05, 4.0, 0.1635806624607322, true},
    {0.3, 0.5, 5.312311666600902, true},    {0.3, 1.5, 2.493289902147824, false},
    {0.3, 2.5, 1.569892083208192, true},    {0.3, 4.0, 0.9992350258502263, true},
    {0.6, 0.5, 7.450174169089105, true},    {0.6, 1.5, 4.624156356684612, true},
    {0.6, 2.5, 3.195116735750647, true},    {0.6, 4.0, 2.130353345102222, true},
    {0.9, 0.5, 9.483322091303518, true},    {0.9, 1.5, 6.874887760457271, true},
    {0.9, 2.5, 5.187727756994467, true},    {0.9, 4.0, 3.678961532831151, true},
    {1.2, 0.5, 13.19507156046311, true},    {1.2, 1.5, 10.66033384429994, true},
    {1.2, 2.5, 8.726132295065403, true},    {1.2, 4.0, 6.678700671461291, true},
};

static void check_points(const char *setting, uint32_t branch)
{
    static const char *const SOLVE[] = {"w2"};
    const bool is_damped = strcmp(setting, "h=0") != 0;
    charting on;
    charting_begin_file(DISC, setting, &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"w3", 0.5, 4.0, 8}, (rh_chart_axis){"theta", 0.05, 1.2, 24});
    def.solve = SOLVE;
    def.solve_count = 1;
    def.branch = branch;
    rh_chart *chart = charting_draw(&on, &def);
    assert_string_equal(rh_chart_variable_name(chart, 0), "w2");
    for (size_t k = 0; k < sizeof POINTS / sizeof *POINTS; k++) {
        const uint32_t i = (uint32_t)lround((POINTS[k].w3 - 0.5) / 0.5);
        const uint32_t j = (uint32_t)lround((POINTS[k].theta - 0.05) / 0.05);
        const rh_chart_point point = rh_chart_at(chart, i, j);
        const bool is_stable = branch == 2 || POINTS[k].is_stable;
        assert_near(point.x, POINTS[k].w3, 1e-14);
        assert_near(point.y, POINTS[k].theta, 1e-14);
        assert_int_equal(point.kind, !is_stable  ? RH_STEADY_UNSTABLE
                                     : is_damped ? RH_STEADY_ASYMPTOTICALLY_STABLE
                                                 : RH_STEADY_UNDECIDED);
        const double w2 = rh_chart_value(chart, i, j, 0);
        if (branch == 1) {
            assert_near(w2, POINTS[k].w2, 1e-12);
        } else {
            assert_true(w2 < -1.0);
        }
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

static void the_points_of_the_disc_are_judged(void **state)
{
    (void)state;
    check_points("h=0", 1);
    check_points("h=0.1", 1);
    check_points("h=0", 2);
    check_points("h=0.1", 2);
}

// The curve point on a line y = constant that is nearest to x.
static double nearest_cut(const rh_chart *chart, double x, double y)
{
    double best = INFINITY;
    const size_t count = rh_chart_summarise(chart).curve_count;
    for (size_t k = 0; k < count; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        for (size_t p = 0; p < curve.count; p++) {
            const double at = curve.points[2 * p];
            if (fabs(curve.points[2 * p + 1] - y) < 1e-13 && fabs(at - x) < fabs(best - x)) {
                best = at;
            }
        }
    }
    return best;
}

// Reference case DISC-T, 20 digits.
static void thresholds_are_points_of_the_curves(void **state)
{
    (void)state;
    static const double CUTS[][2] = {{2.5573423705088843657, 0.0},
                                     {0.13283866611445560855, 0.05},
                                     {2.545015027903908602, 0.05},
                                     {1.0972625322554901013, 0.3},
                                     {1.9193358146405227362, 0.3}};
    static const char *const SETTINGS[] = {"h=0", "h=0.1"};
    for (size_t s = 0; s < 2; s++) {
        charting on;
        charting_begin_file(DISC, SETTINGS[s], &on);
        rh_chart_def def = charting_def((rh_chart_axis){"w3", 0.02, 4.0, 60},
                                        (rh_chart_axis){"theta", 0.0, 0.6, 13});
        rh_chart *chart = charting_draw(&on, &def);
        for (size_t k = 0; k < sizeof CUTS / sizeof *CUTS; k++) {
            assert_near(nearest_cut(chart, CUTS[k][0], CUTS[k][1]), CUTS[k][0], 1e-12);
        }
        rh_chart_destroy(chart);
        // spinning upright: the other threshold, over a parameter that does not matter to it
        const rh_steady_value fix[] = {{"w3", 0.0}, {"theta", 0.0}};
        def.x = (rh_chart_axis){"w2", 0.5, 9.0, 18};
        def.y = (rh_chart_axis){"m", 0.5, 1.5, 3};
        def.steady.fix = fix;
        def.steady.fix_count = 2;
        chart = charting_draw(&on, &def);
        assert_near(nearest_cut(chart, 3.96, 1.0), 3.9618177646126026729, 1e-12);
        rh_chart_destroy(chart);
        charting_end(&on);
    }
}

// --- closed forms --------------------------------------------------------------------------------

static double worst_of(const rh_chart *chart, double (*gap)(double, double))
{
    double worst = 0.0;
    const size_t count = rh_chart_summarise(chart).curve_count;
    assert_true(count > 0);
    for (size_t k = 0; k < count; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        for (size_t p = 0; p < curve.count; p++) {
            worst = fmax(worst, fabs(gap(curve.points[2 * p], curve.points[2 * p + 1])));
        }
    }
    return worst;
}

static double hopf_gap(double a, double b)
{
    return b - 1.0 - a * a;
}

// A point of the grid lies on the curve; it takes part in it.
static void pairs_that_pass_the_axis_are_found(void **state)
{
    (void)state;
    charting on;
    charting_begin("param A = 1, B = 2\nstate x, y\nlaw x' = A - (B+1)*x + x^2*y\n"
                   "law y' = B*x - x^2*y\nstart x = 1, y = 2\n",
                   NULL, &on);
    const rh_chart_def def =
        charting_def((rh_chart_axis){"A", 0.5, 2.0, 31}, (rh_chart_axis){"B", 0.5, 4.0, 36});
    rh_chart *chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_int_equal(summary.counts[RH_STEADY_UNDECIDED], 1);
    assert_int_equal(summary.curve_count, 1);
    assert_true(worst_of(chart, hopf_gap) < 1e-13);
    rh_chart_destroy(chart);
    charting_end(&on);
}

static double circle_gap(double a, double b)
{
    return hypot(a, b) - 1.0;
}

static void a_curve_may_be_closed(void **state)
{
    (void)state;
    charting on;
    charting_begin("param a = 0, b = 0\nstate x\nlaw x' = (a^2 + b^2 - 1)*x - x^3\nstart x = 0\n",
                   NULL, &on);
    const rh_chart_def def =
        charting_def((rh_chart_axis){"a", -1.5, 1.6, 20}, (rh_chart_axis){"b", 1.7, -1.5, 21});
    rh_chart *chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_int_equal(summary.curve_count, 1);
    assert_true(rh_chart_curve_at(chart, 0).is_closed);
    assert_int_equal(rh_chart_curve_at(chart, 0).kinds[0], RH_STEADY_ASYMPTOTICALLY_STABLE);
    assert_int_equal(rh_chart_curve_at(chart, 0).kinds[1], RH_STEADY_UNSTABLE);
    assert_true(worst_of(chart, circle_gap) < 1e-13);
    rh_chart_destroy(chart);
    charting_end(&on);
}

static double cross_gap(double a, double b)
{
    return fmin(fabs(a), fabs(b));
}

static double hyperbola_gap(double a, double b)
{
    return a * b - 0.001;
}

// In the cell in the middle opposite corners are alike; its middle says which belong together.
static void ambiguous_cells_ask_their_middle(void **state)
{
    (void)state;
    charting on;
    charting_begin("param a = 0, b = 0, c = 0\nstate x\nlaw x' = (a*b - c)*x - x^3\nstart x = 0\n",
                   NULL, &on);
    const rh_chart_def def =
        charting_def((rh_chart_axis){"a", -1.0, 1.0, 6}, (rh_chart_axis){"b", -1.0, 1.0, 6});
    rh_chart *chart = charting_draw(&on, &def);
    assert_true(worst_of(chart, cross_gap) < 1e-14);
    rh_chart_destroy(chart);
    charting_end(&on);
    charting_begin("param a = 0, b = 0, c = 0.001\nstate x\nlaw x' = (a*b - c)*x - x^3\n"
                   "start x = 0\n",
                   NULL, &on);
    chart = charting_draw(&on, &def);
    assert_int_equal(rh_chart_summarise(chart).curve_count, 2);
    assert_true(worst_of(chart, hyperbola_gap) < 1e-14);
    // the middle of the grid is stable, so no curve joins a positive and a negative quadrant
    for (size_t k = 0; k < 2; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        for (size_t p = 1; p < curve.count; p++) {
            assert_true((curve.points[2 * p] > 0.0) == (curve.points[0] > 0.0));
        }
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

static const char CUSP[] = "param a = 0, b = 1\nstate x\nlaw x' = a + b*x - x^3\nstart x = 0.1\n";

static double fold_gap(double a, double b)
{
    return fabs(a) - 2.0 * pow(fmax(b, 0.0) / 3.0, 1.5);
}

// The middle one of three points of rest lives between two folds; what is round them is another
// one.
static void folds_are_found(void **state)
{
    (void)state;
    charting on;
    charting_begin(CUSP, NULL, &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"a", -2.0, 2.0, 41}, (rh_chart_axis){"b", -1.0, 2.0, 31});
    rh_chart *chart = charting_draw(&on, &def);
    assert_true(worst_of(chart, fold_gap) < 1e-11);
    rh_chart_destroy(chart);
    // above the cusp there is nothing else to reach: beyond the folds the branch has no motion
    def.y = (rh_chart_axis){"b", 1.0, 2.0, 11};
    chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_true(summary.counts[RH_CHART_NONE] > 0);
    assert_true(summary.counts[RH_STEADY_UNSTABLE] > 0);
    assert_true(isnan(rh_chart_value(chart, 0, 0, 0)));
    assert_true(isnan(rh_chart_at(chart, 0, 0).abscissa));
    assert_true(worst_of(chart, fold_gap) < 1e-9);
    rh_chart_destroy(chart);
    charting_end(&on);
}

// The row of points at the border of two verdicts: curves on both sides of it, both where it is.
static void a_line_of_the_grid_may_be_the_border(void **state)
{
    (void)state;
    charting on;
    charting_begin("param c = 0, w = 1\nstate x, v\nlaw x' = v\nlaw v' = -w^2*x - c*v\n"
                   "start x = 0, v = 0\n",
                   NULL, &on);
    const rh_chart_def def =
        charting_def((rh_chart_axis){"c", -1.0, 1.0, 21}, (rh_chart_axis){"w", 0.5, 2.0, 7});
    rh_chart *chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_int_equal(summary.counts[RH_STEADY_UNDECIDED], 7);
    assert_int_equal(summary.curve_count, 2);
    for (size_t k = 0; k < 2; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        assert_int_equal(curve.count, 7);
        for (size_t p = 0; p < 7; p++) {
            assert_near(curve.points[2 * p], 0.0, 1e-12);
        }
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

// --- regions of another dimension ----------------------------------------------------------------

// A fixed parameter that is an observed quantity, and a steady set whose dimension is certified.
static void dimensions_are_certified_region_by_region(void **state)
{
    (void)state;
    charting on;
    // a > 0 damps y; z is at rest anywhere, k = 1
    charting_begin("param a = 1, b = 1\nstate y, z\nlaw y' = -a*y - y^3\nlaw z' = b*y\n"
                   "start y = 0, z = 0\n",
                   NULL, &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"a", -1.0, 2.0, 7}, (rh_chart_axis){"b", 0.5, 2.0, 4});
    const rh_steady_value fix[] = {{"z", 0.0}};
    def.steady.fix = fix;
    def.steady.fix_count = 1;
    rh_chart *chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_int_equal(summary.dimension, 1);
    assert_int_equal(summary.counts[RH_STEADY_ASYMPTOTICALLY_STABLE], 16);
    assert_int_equal(summary.counts[RH_STEADY_UNSTABLE], 8);
    rh_chart_destroy(chart);
    charting_end(&on);
}

// --- seeds that are special ----------------------------------------------------------------------

// x'' + c x' + k x = 0 around the middle k = 0, where every x is a place of rest and a zero root
// belongs to the set of them. Nowhere else. The abscissa is (-c + sqrt(c^2 - 4 k))/2.
static void a_special_seed_spoils_nothing(void **state)
{
    (void)state;
    const rh_steady_value fix[] = {{"x", 0.0}};
    charting on;
    charting_begin("param k = 1, c = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\n"
                   "dissipation c*x'^2/2\n",
                   NULL, &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"k", -1.0, 1.0, 41}, (rh_chart_axis){"c", 0.5, 1.0, 11});
    def.steady.fix = fix;
    def.steady.fix_count = 1;
    rh_chart *chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_true(summary.seed[0] == 0.0);
    assert_int_equal(summary.dimension, 0);
    assert_int_equal(summary.region_count, 3);
    for (uint32_t i = 0; i < 41; i++) {
        for (uint32_t j = 0; j < 11; j++) {
            const rh_chart_point point = rh_chart_at(chart, i, j);
            const double square = point.y * point.y - 4.0 * point.x;
            const double abscissa = point.x == 0.0 ? -point.y
                                    : square > 0.0 ? 0.5 * (sqrt(square) - point.y)
                                                   : -0.5 * point.y;
            // a double root is parted by rounding
            assert_near(point.abscissa, abscissa, fabs(square) < 1e-12 ? 1e-7 : 1e-13);
            assert_int_equal(point.kind,
                             point.x < 0.0 ? RH_STEADY_UNSTABLE : RH_STEADY_ASYMPTOTICALLY_STABLE);
        }
    }
    assert_int_equal(summary.curve_count, 1);
    assert_near(nearest_cut(chart, 0.0, 0.5), 0.0, 1e-13);
    rh_chart_destroy(chart);
    charting_end(&on);
}

// x' = a x^3: a zero root everywhere, but only for a = 0, in the middle, is there a set of points
// of rest it belongs to. Nothing is stable elsewhere, and for a > 0 it would be false.
static void check_cubic(uint32_t columns, uint32_t rows)
{
    const rh_steady_value fix[] = {{"x", 0.0}};
    charting on;
    charting_begin("param a = 0, b = 1\nstate x, y\nlaw x' = a*x^3\nlaw y' = -b*y\n"
                   "start x = 0, y = 0\n",
                   NULL, &on);
    rh_chart_def def = charting_def((rh_chart_axis){"a", -1.0, 1.0, columns},
                                    (rh_chart_axis){"b", 1.0, 2.0, rows});
    def.steady.fix = fix;
    def.steady.fix_count = 1;
    rh_chart *chart = charting_draw(&on, &def);
    const rh_chart_summary summary = rh_chart_summarise(chart);
    assert_int_equal(summary.counts[RH_STEADY_DEGENERATE], (columns - 1) * rows);
    assert_int_equal(summary.counts[RH_STEADY_ASYMPTOTICALLY_STABLE], rows);
    rh_chart_destroy(chart);
    charting_end(&on);
}

static void a_special_line_is_not_the_region(void **state)
{
    (void)state;
    check_cubic(5, 2);
    check_cubic(101, 20); // more points than are certified one by one
}

// x' = r + a x - x^3 has a motion for all r and a. With a = 0 it goes through the place where three
// of them meet: there it is x = cbrt(r).
static void a_branch_goes_through_a_cusp(void **state)
{
    (void)state;
    charting on;
    charting_begin("param r = 1, a = 1\nstate x\nlaw x' = r + a*x - x^3\nstart x = 1.5\n", NULL,
                   &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"r", -1.0, 1.0, 9}, (rh_chart_axis){"a", 0.0, 2.0, 3});
    rh_chart *chart = charting_draw(&on, &def);
    assert_int_equal(rh_chart_summarise(chart).counts[RH_CHART_NONE], 0);
    assert_int_equal(rh_chart_at(chart, 4, 0).kind, RH_STEADY_DEGENERATE);
    for (uint32_t i = 0; i < 9; i++) {
        const double r = rh_chart_at(chart, i, 0).x;
        assert_near(rh_chart_value(chart, i, 0, 0), cbrt(r), r == 0.0 ? 1e-7 : 1e-14);
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

// Prey and predator: x = d/(1 - d), y = (1 + x)(1 - x/K), over the whole grid, though the branch
// without predators crosses it at K = x. A pair passes the axis at K = 1 + 2 x.
static void a_branch_that_is_crossed_is_kept(void **state)
{
    (void)state;
    charting on;
    charting_begin("param K = 2, h = 1, d = 0.25\nstate x, y\n"
                   "law x' = x*(1 - x/K) - x*y/(h + x)\nlaw y' = x*y/(h + x) - d*y\n"
                   "start x = 0.333, y = 1.1\n",
                   NULL, &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"K", 0.2, 4.0, 20}, (rh_chart_axis){"d", 0.1, 0.6, 11});
    rh_chart *chart = charting_draw(&on, &def);
    for (uint32_t k = 0; k < 220; k++) {
        const rh_chart_point point = rh_chart_at(chart, k % 20, k / 20);
        const double x = point.y / (1.0 - point.y);
        assert_near(rh_chart_value(chart, k % 20, k / 20, 0), x, 1e-12);
        assert_near(rh_chart_value(chart, k % 20, k / 20, 1), (1.0 + x) * (1.0 - x / point.x),
                    1e-11);
        if (fabs(point.x - x) > 1e-9 && fabs(point.x - 1.0 - 2.0 * x) > 1e-9) {
            const bool is_stable = point.x > x && point.x < 1.0 + 2.0 * x;
            assert_int_equal(point.kind,
                             is_stable ? RH_STEADY_ASYMPTOTICALLY_STABLE : RH_STEADY_UNSTABLE);
        } else {
            assert_true(point.kind == RH_STEADY_UNDECIDED || point.kind == RH_STEADY_DEGENERATE);
        }
    }
    const size_t count = rh_chart_summarise(chart).curve_count;
    assert_int_equal(count, 2);
    for (size_t k = 0; k < count; k++) {
        const rh_chart_curve curve = rh_chart_curve_at(chart, k);
        for (size_t i = 0; i < curve.count; i++) {
            const double x = curve.points[2 * i + 1] / (1.0 - curve.points[2 * i + 1]);
            const double off =
                fmin(fabs(curve.points[2 * i] - x), fabs(curve.points[2 * i] - 1.0 - 2.0 * x));
            assert_near(off, 0.0, 1e-13);
        }
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

// The same on grids whose steps end shortly behind the crossing, or on it, and with y measured from
// elsewhere: cells of the branch without predators are none of this one.
static void check_crossing(const char *text, double shift, rh_chart_axis x, rh_chart_axis y)
{
    static const rh_steady_value GUESS[] = {{"x", 1.0}};
    charting on;
    charting_begin(text, NULL, &on);
    rh_chart_def def = charting_def(x, y);
    def.steady.guess = GUESS;
    def.steady.guess_count = 1;
    rh_chart *chart = charting_draw(&on, &def);
    for (uint32_t k = 0; k < x.count * y.count; k++) {
        const uint32_t i = k % x.count;
        const uint32_t j = k / x.count;
        const rh_chart_point point = rh_chart_at(chart, i, j);
        const double prey = point.y / (1.0 - point.y);
        const double trace = 1.0 - 2.0 * prey / point.x - (1.0 - prey / point.x) / (1.0 + prey);
        assert_near(rh_chart_value(chart, i, j, 0), prey, 1e-9 * (1.0 + prey));
        assert_near(rh_chart_value(chart, i, j, 1) - shift, (1.0 + prey) * (1.0 - prey / point.x),
                    1e-9 * (1.0 + prey) / point.x);
        if (fabs(point.x - prey) < 1e-9 || (prey < point.x && fabs(trace) < 1e-9)) {
            assert_true(point.kind == RH_STEADY_UNDECIDED || point.kind == RH_STEADY_DEGENERATE);
        } else {
            assert_int_equal(point.kind, point.x > prey && trace < 0.0
                                             ? RH_STEADY_ASYMPTOTICALLY_STABLE
                                             : RH_STEADY_UNSTABLE);
        }
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

static void crossings_between_points_are_passed(void **state)
{
    (void)state;
    static const char PLAIN[] = "param K = 2, d = 0.25\nstate x, y\n"
                                "law x' = x*(1 - x/K) - x*y/(1 + x)\n"
                                "law y' = x*y/(1 + x) - d*y\nstart x = 1, y = 1.6\n";
    static const char SHIFTED[] = "param K = 2, d = 0.25\nstate x, Y\nlet y = Y - 1000\n"
                                  "law x' = x*(1 - x/K) - x*y/(1 + x)\n"
                                  "law Y' = x*y/(1 + x) - d*y\nstart x = 1, Y = 1001.6\n";
    static const rh_chart_axis ACROSS[] = {
        {"K", 0.2, 4.0, 20}, {"K", 0.05, 10.0, 30}, {"K", 0.1, 20.0, 40}, {"K", 0.2, 4.0, 5}};
    static const rh_chart_axis UP[] = {{"d", 0.1, 0.9, 20},
                                       {"d", 0.05, 0.8, 16},
                                       {"d", 0.3, 0.95, 14},
                                       {"d", 0.1, 0.6, 11},
                                       {"d", 0.1, 0.6, 3}};
    for (size_t i = 0; i < sizeof ACROSS / sizeof *ACROSS; i++) {
        for (size_t j = 0; j < sizeof UP / sizeof *UP; j++) {
            check_crossing(PLAIN, 0.0, ACROSS[i], UP[j]);
        }
        check_crossing(SHIFTED, 1000.0, ACROSS[i], UP[0]);
    }
}

// The Lorenz system: the branch beside the origin ends at rho = 1, where it meets it.
static void a_border_at_a_pitchfork(void **state)
{
    (void)state;
    charting on;
    charting_begin("param rho = 0.5, beta = 8/3, sigma = 10\nstate x, y, z\n"
                   "law x' = sigma*(y - x)\nlaw y' = rho*x - y - x*z\nlaw z' = x*y - beta*z\n"
                   "start x = 3, y = 3, z = 10\n",
                   NULL, &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"rho", 0.1, 30.0, 31}, (rh_chart_axis){"sigma", 8.0, 12.0, 5});
    rh_chart *chart = charting_draw(&on, &def);
    for (uint32_t j = 0; j < 5; j++) {
        const double sigma = rh_chart_at(chart, 0, j).y;
        const double beta = 8.0 / 3.0;
        assert_near(nearest_cut(chart, 1.0, sigma), 1.0, 1e-13);
        const double rho = sigma * (sigma + beta + 3.0) / (sigma - beta - 1.0);
        assert_near(nearest_cut(chart, rho, sigma), rho, 1e-12);
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

static const char KELVIN[] =
    "param rho = 20, beta = 8/3, sigma = 10, o = 273.15\nstate X, y, z\nlet x = X - o\n"
    "law X' = sigma*(y - x)\nlaw y' = rho*x - y - x*z\nlaw z' = x*y - beta*z\n"
    "start X = o + 7, y = 7, z = 19\n";

// The same from any zero of x.
static void check_origin(const char *setting, rh_chart_axis x)
{
    charting on;
    charting_begin(KELVIN, setting, &on);
    const rh_chart_def def = charting_def(x, (rh_chart_axis){"sigma", 8.0, 12.0, 5});
    rh_chart *chart = charting_draw(&on, &def);
    for (uint32_t j = 0; j < 5; j++) {
        assert_near(nearest_cut(chart, 1.0, rh_chart_at(chart, 0, j).y), 1.0, 1e-12);
        for (uint32_t i = 0; i < x.count; i++) {
            const rh_chart_point point = rh_chart_at(chart, i, j);
            assert_int_equal(point.kind == RH_CHART_NONE, point.x < 1.0);
        }
    }
    rh_chart_destroy(chart);
    charting_end(&on);
}

static void a_border_does_not_know_the_origin(void **state)
{
    (void)state;
    static const char *const ORIGINS[] = {"o=0", "o=100", "o=273.15", "o=1000", "o=20000"};
    for (size_t k = 0; k < sizeof ORIGINS / sizeof *ORIGINS; k++) {
        check_origin(ORIGINS[k], (rh_chart_axis){"rho", 0.1, 30.0, 31});
        check_origin(ORIGINS[k], (rh_chart_axis){"rho", 0.0, 3.0, 8});
        check_origin(ORIGINS[k], (rh_chart_axis){"rho", 0.13, 7.0, 17});
    }
}

// A column of the grid is the border, where nothing is sharp: it is found from points behind it.
static void a_border_on_points_is_sharp(void **state)
{
    (void)state;
    static const char *const ORIGINS[] = {"o=0", "o=273.15"};
    for (size_t k = 0; k < sizeof ORIGINS / sizeof *ORIGINS; k++) {
        charting on;
        charting_begin(KELVIN, ORIGINS[k], &on);
        const rh_chart_def def = charting_def((rh_chart_axis){"rho", 0.9, 1.1, 21},
                                              (rh_chart_axis){"sigma", 8.0, 12.0, 5});
        rh_chart *chart = charting_draw(&on, &def);
        const size_t count = rh_chart_summarise(chart).curve_count;
        assert_int_equal(count, 2);
        for (size_t c = 0; c < count; c++) {
            const rh_chart_curve curve = rh_chart_curve_at(chart, c);
            for (size_t i = 0; i < curve.count; i++) {
                assert_near(curve.points[2 * i], 1.0, 1e-12);
            }
        }
        rh_chart_destroy(chart);
        charting_end(&on);
    }
}

// A stirred reaction (Uppal, Ray, Poore 1974): on the lower branch a pair passes the axis just
// before the fold. References with 15 digits.
static void the_first_crossing_is_the_border(void **state)
{
    (void)state;
    charting on;
    charting_begin("param p1 = 0, p2 = 14, p3 = 3\nstate u1, u2\n"
                   "law u1' = -u1 + p1*(1 - u1)*exp(u2)\n"
                   "law u2' = -u2 + p1*p2*(1 - u1)*exp(u2) - p3*u2\nstart u1 = 0, u2 = 0\n",
                   NULL, &on);
    rh_chart_def def =
        charting_def((rh_chart_axis){"p1", 0.01, 0.25, 25}, (rh_chart_axis){"p2", 14.0, 18.0, 5});
    rh_chart *chart = charting_draw(&on, &def);
    assert_near(nearest_cut(chart, 0.121, 17.0), 0.120865719509389, 1e-14);
    assert_near(nearest_cut(chart, 0.111, 18.0), 0.111153484189864, 1e-14);
    rh_chart_destroy(chart);
    charting_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_points_of_the_disc_are_judged),
        cmocka_unit_test(thresholds_are_points_of_the_curves),
        cmocka_unit_test(pairs_that_pass_the_axis_are_found),
        cmocka_unit_test(a_curve_may_be_closed),
        cmocka_unit_test(ambiguous_cells_ask_their_middle),
        cmocka_unit_test(folds_are_found),
        cmocka_unit_test(a_line_of_the_grid_may_be_the_border),
        cmocka_unit_test(dimensions_are_certified_region_by_region),
        cmocka_unit_test(a_special_seed_spoils_nothing),
        cmocka_unit_test(a_special_line_is_not_the_region),
        cmocka_unit_test(a_branch_goes_through_a_cusp),
        cmocka_unit_test(a_branch_that_is_crossed_is_kept),
        cmocka_unit_test(crossings_between_points_are_passed),
        cmocka_unit_test(a_border_at_a_pitchfork),
        cmocka_unit_test(a_border_does_not_know_the_origin),
        cmocka_unit_test(a_border_on_points_is_sharp),
        cmocka_unit_test(the_first_crossing_is_the_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
