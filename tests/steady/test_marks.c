// SPDX-License-Identifier: Apache-2.0
// Marks of families: folds and changes of stability lie between the values that are told, and the
// motion that is told is the one at the mark.

#include "resting.h"

typedef struct marked {
    rh_walk_mark kind;
    double value; // exact
    double x;     // of the first variable there
    rh_steady_verdict before, after;
} marked;

typedef struct walking {
    const char *text, *name;
    resting_call call;
    double from, to;
    marked marks[4];
    uint32_t count;
} walking;

static void check_mark(const rh_walk_point *point, const marked *expected)
{
    const double size = 1.0 + fabs(expected->value);
    assert_int_equal(point->mark, expected->kind);
    if (!(point->low <= expected->value && expected->value <= point->high)) {
        fail_msg("%.17g is not between %.17g and %.17g", expected->value, point->low, point->high);
    }
    assert_true(point->high - point->low <= 1e-12 * size);
    assert_near(point->value, expected->value, 1e-13 * size);
    assert_near(point->motion.values[0], expected->x, 1e-7);
    assert_int_equal(point->before, expected->before);
    assert_int_equal(point->motion.verdict, expected->after);
}

static void check_walk(const walking *it)
{
    resting at = resting_begin(it->text, &it->call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    uint32_t found = 0;
    def.name = it->name;
    def.from = it->from;
    def.to = it->to;
    assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
        if (is_there && point.mark != RH_WALK_POINT) {
            assert_true(found < it->count);
            check_mark(&point, &it->marks[found++]);
        }
    }
    assert_int_equal(found, it->count);
    assert_string_equal(rh_walk_reason(walk), "");
    rh_walk_destroy(walk);
    resting_end(&at);
}

static const rh_steady_verdict STABLE = RH_STEADY_ASYMPTOTICALLY_STABLE;
static const rh_steady_verdict UNSTABLE = RH_STEADY_UNSTABLE;

// x' = r - x^2: both branches meet at r = 0, x = 0.
static void a_fold(void **state)
{
    (void)state;
    const walking it = {
        .text = "param r = 1\nstate x\nlaw x' = r - x^2\nstart x = 1\n",
        .name = "r",
        .call = {.fix = {{"r", 1.0}}, .fix_count = 1},
        .from = 1.0,
        .to = -1.0,
        .marks = {{RH_WALK_FOLD, 0.0, 0.0, STABLE, UNSTABLE},
                  {RH_WALK_CHANGE, 0.0, 0.0, STABLE, UNSTABLE}},
        .count = 2,
    };
    check_walk(&it);
}

// x' = r + x - x^3: folds at x = +-1/sqrt(3), r = -+2/(3 sqrt(3)).
static void two_folds(void **state)
{
    (void)state;
    const double x = 1.0 / sqrt(3.0);
    const double r = 2.0 / (3.0 * sqrt(3.0));
    const walking it = {
        .text = "param r = 1\nstate x\nlaw x' = r + x - x^3\nstart x = 1.5\n",
        .name = "r",
        .call = {.fix = {{"r", 1.0}}, .fix_count = 1},
        .from = 1.0,
        .to = -1.0,
        .marks = {{RH_WALK_FOLD, -r, x, STABLE, UNSTABLE},
                  {RH_WALK_CHANGE, -r, x, STABLE, UNSTABLE},
                  {RH_WALK_FOLD, r, -x, UNSTABLE, STABLE},
                  {RH_WALK_CHANGE, r, -x, UNSTABLE, STABLE}},
        .count = 4,
    };
    check_walk(&it);
}

// The Lorenz system, x = sqrt(beta (rho - 1)): a pair passes the axis at
// rho = sigma (sigma + beta + 3)/(sigma - beta - 1) = 470/19.
static void a_pair_passes_the_axis(void **state)
{
    (void)state;
    const double rho = 470.0 / 19.0;
    const walking it = {
        .text = "param sigma = 10, rho = 20, beta = 8/3\nstate x, y, z\n"
                "law x' = sigma*(y - x)\nlaw y' = x*(rho - z) - y\nlaw z' = x*y - beta*z\n"
                "start x = 7, y = 7, z = 20\n",
        .name = "rho",
        .call = {.fix = {{"rho", 20.0}}, .fix_count = 1},
        .from = 20.0,
        .to = 30.0,
        .marks = {{RH_WALK_CHANGE, rho, sqrt(8.0 / 3.0 * (rho - 1.0)), STABLE, UNSTABLE}},
        .count = 1,
    };
    check_walk(&it);
}

// Where branches cross the equations are singular, and the mark is known to rounding all the same.
static void branches_that_cross(void **state)
{
    (void)state;
    const walking predator = {
        .text = "param K = 2, h = 1, d = 0.1\nstate x, y\n"
                "law x' = x*(1 - x/K) - x*y/(h + x)\nlaw y' = x*y/(h + x) - d*y\n"
                "start x = 0.111, y = 1.1\n",
        .name = "K",
        .call = {.fix = {{"K", 2.0}}, .fix_count = 1},
        .from = 2.0,
        .to = 0.05,
        .marks = {{RH_WALK_CHANGE, 11.0 / 9.0, 1.0 / 9.0, UNSTABLE, STABLE},
                  {RH_WALK_CHANGE, 1.0 / 9.0, 1.0 / 9.0, STABLE, UNSTABLE}},
        .count = 2,
    };
    check_walk(&predator);
    const walking infection = {
        .text = "param b = 2\nstate S, I\nlaw S' = 1 - b*S*I - S\nlaw I' = b*S*I - I\n"
                "start S = 0.5, I = 0.5\n",
        .name = "b",
        .call = {.fix = {{"b", 2.0}}, .fix_count = 1},
        .from = 2.0,
        .to = 0.5,
        .marks = {{RH_WALK_CHANGE, 1.0, 1.0, STABLE, UNSTABLE}},
        .count = 1,
    };
    check_walk(&infection);
    const walking lorenz = {
        .text = "param sigma = 10, rho = 0.5, beta = 8/3\nstate x, y, z\n"
                "law x' = sigma*(y - x)\nlaw y' = x*(rho - z) - y\nlaw z' = x*y - beta*z\n",
        .name = "rho",
        .call = {.fix = {{"rho", 0.5}}, .fix_count = 1},
        .from = 0.5,
        .to = 2.0,
        .marks = {{RH_WALK_CHANGE, 1.0, 0.0, STABLE, UNSTABLE}},
        .count = 1,
    };
    check_walk(&lorenz);
}

// A fold, a crossing with x = 0, and then off to infinity.
static void a_harvest(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"p", 0.0}}, .fix_count = 1};
    resting at = resting_begin("param p = 0\nstate x\n"
                               "law x' = 3*x*(1 - x) - p*(1 - exp(-5*x))\nstart x = 1\n",
                               &call);
    static const double MARKS[] = {0.832929322234157, 0.832929322234157, 0.6};
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    uint32_t found = 0;
    def.name = "p";
    def.to = 1.5;
    assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
        if (is_there && point.mark != RH_WALK_POINT) {
            assert_true(found < sizeof MARKS / sizeof *MARKS);
            // the references have 15 digits
            assert_true(point.low - 1e-15 <= MARKS[found] && MARKS[found] <= point.high + 1e-15);
            assert_true(point.high - point.low <= 2e-12);
            found++;
        }
    }
    assert_int_equal(found, 3);
    assert_non_null(strstr(rh_walk_reason(walk), "goes off to infinity"));
    rh_walk_destroy(walk);
    resting_end(&at);
}

// A family that begins where a stiffness is zero: only there is the set of points of rest a line.
static void a_special_beginning(void **state)
{
    (void)state;
    const walking it = {
        .text = "param k = 1, c = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\n"
                "dissipation c*x'^2/2\n",
        .name = "k",
        .call = {.fix = {{"k", 0.0}, {"x", 0.0}}, .fix_count = 2},
        .from = 0.0,
        .to = -1.0,
        .marks = {{RH_WALK_CHANGE, 0.0, 0.0, STABLE, UNSTABLE}},
        .count = 1,
    };
    check_walk(&it);
}

// x' = a x^3, from a = 0: a zero root all along, and points of rest beside x = 0 only at first.
// What comes then is stable for no a.
static void a_line_that_is_there_at_first_only(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"a", 0.0}, {"x", 0.0}}, .fix_count = 2};
    resting at = resting_begin("param a = 0\nstate x, y\nlaw x' = a*x^3\nlaw y' = -y\n", &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    def.name = "a";
    def.from = 0.0;
    def.to = 1.0;
    assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
        if (is_there && point.mark == RH_WALK_POINT && point.value > 0.01) {
            assert_int_equal(point.motion.verdict, RH_STEADY_DEGENERATE);
        }
    }
    rh_walk_destroy(walk);
    resting_end(&at);
}

// Two changes between two points, at 1/3 +- 1/1000, and a pair of them at 0.301 +- sqrt(1e-5): from
// wherever a walk begins, some of which have a point between both.
static void changes_that_are_close(void **state)
{
    (void)state;
    static const double ENDS[][2] = {{-1.0, 1.0}, {1.3, -1.0}, {0.0, 1.0},
                                     {-7.0, 9.0}, {0.8, 0.1},  {2.0, -1.5}};
    const rh_steady_verdict sink = RH_STEADY_ASYMPTOTICALLY_STABLE;
    const rh_steady_verdict source = RH_STEADY_UNSTABLE;
    for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++) {
        const double way = ENDS[k][0] < ENDS[k][1] ? 1.0 : -1.0;
        walking it = {.text = "param p = 0\nstate x\nlaw x' = ((p - 1/3)^2 - 1e-6)*x - x^3\n"
                              "start x = 0\n",
                      .name = "p",
                      .call = {.fix = {{"p", ENDS[k][0]}}, .fix_count = 1},
                      .from = ENDS[k][0],
                      .to = ENDS[k][1],
                      .marks = {{RH_WALK_CHANGE, 1.0 / 3.0 - way * 1e-3, 0.0, source, sink},
                                {RH_WALK_CHANGE, 1.0 / 3.0 + way * 1e-3, 0.0, sink, source}},
                      .count = 2};
        check_walk(&it);
        it.text = "param p = 0\nstate x, y\nlet g = (p - 0.301)^2 - 1e-5\n"
                  "law x' = g*x - 2*y - x^3\nlaw y' = g*y + 2*x\nstart x = 0, y = 0\n";
        it.marks[0].value = 0.301 - way * sqrt(1e-5);
        it.marks[1].value = 0.301 + way * sqrt(1e-5);
        check_walk(&it);
    }
}

// A branch that comes smoothly to where the equations have no finite value ends there.
typedef struct polar {
    const char *text;
    double from, to;
    double marks[4];
    uint32_t count;
} polar;

static void check_pole(const polar *it)
{
    const resting_call call = {.fix = {{"p", it->from}}, .fix_count = 1};
    resting at = resting_begin(it->text, &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    uint32_t found = 0;
    def.name = "p";
    def.from = it->from;
    def.to = it->to;
    assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
        if (is_there && point.mark != RH_WALK_POINT) {
            assert_true(found < it->count);
            assert_near(point.value, it->marks[found++], 1e-12);
        } else if (is_there) { // all poles are at p = 0
            assert_true(point.value > 0.0 || point.value == it->from);
        }
    }
    assert_int_equal(found, it->count);
    assert_non_null(strstr(rh_walk_reason(walk), "near 0 it comes to a pole"));
    rh_walk_destroy(walk);
    resting_end(&at);
}

static void poles(void **state)
{
    (void)state;
    static const polar ALL[] = {
        // p = 3 (1 - x)(0.2 + x), back to p = 0 at x = -0.2
        {"param p = 0\nstate x\nlaw x' = 3*x*(1 - x) - p*x/(0.2 + x)\nstart x = 1\n",
         0.0,
         1.5,
         {1.08, 1.08, 0.6},
         3},
        // the same on the way to values beyond
        {"param p = 0.5\nstate x\nlaw x' = 3*x*(1 - x) - p*x/(0.2 + x)\nstart x = -0.038\n",
         0.5,
         -1.0,
         {0.0},
         0},
        // a root comes back from infinity where another one is positive all along
        {"param p = 0.5\nstate x, y\nlaw x' = 1 - p/(1 + x) + y\nlaw y' = y\nstart x = -0.5\n",
         0.5,
         -1.0,
         {0.0},
         0},
        // a pole of the second order
        {"param p = 0\nstate x\nlaw x' = 1 - x - p/(1 + x)^2\nstart x = 1\n",
         0.0,
         3.0,
         {32.0 / 27.0, 32.0 / 27.0},
         2},
        {"param p = 1\nstate x\nlaw x' = 1 - p*tan(x)\nstart x = 0.7\n", 1.0, -3.0, {0.0}, 0},
    };
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
        check_pole(&ALL[k]);
    }
}

// Slopes that are large somewhere, and finite, are no pole.
static void what_is_steep(void **state)
{
    (void)state;
    const walking it = {
        .text = "param p = 1.5\nstate x\nlaw x' = p - x - tanh(1e6*x)\nstart x = 0.5\n",
        .name = "p",
        .call = {.fix = {{"p", 1.5}}, .fix_count = 1},
        .from = 1.5,
        .to = -1.5,
        .count = 0,
    };
    check_walk(&it);
}

// Wherever a variable is counted from, marks are where they are, and bars tell how well it resolves
// them.
typedef struct shifted {
    const char *format; // with the shift once or more
    const char *name;
    double from, to;
    struct {
        double value;
        double width; // of the bar, at most so much beside what the last digit of x does
    } marks[3];
    uint32_t count;
    bool is_endless; // it ends before the range does
    uint32_t shift_count;
} shifted;

static void check_shifted(const shifted *it, const char *shift)
{
    char text[600];
    const char *from = it->format;
    size_t size = 0;
    for (; *from != '\0' && size + strlen(shift) + 1 < sizeof text; from++) {
        if (*from == '@') {
            size += (size_t)snprintf(text + size, sizeof text - size, "%s", shift);
        } else {
            text[size++] = *from;
        }
    }
    text[size] = '\0';
    const resting_call call = {.fix = {{it->name, it->from}}, .fix_count = 1};
    resting at = resting_begin(text, &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    uint32_t found = 0;
    def.name = it->name;
    def.from = it->from;
    def.to = it->to;
    assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
        if (!is_there || point.mark == RH_WALK_POINT) {
            continue;
        }
        if (found == it->count) {
            fail_msg("shift %s: another mark at %.17g", shift, point.value);
        }
        const double value = it->marks[found].value;
        if (!(point.low <= value && value <= point.high)) {
            fail_msg("shift %s: %.17g is not between %.17g and %.17g", shift, value, point.low,
                     point.high);
        }
        const double most = 1e-11 + it->marks[found++].width * fabs(atof(shift));
        if (!(point.high - point.low <= most)) {
            fail_msg("%s: shift %s: %g is a wide bar", it->format, shift, point.high - point.low);
        }
    }
    assert_int_equal(found, it->count);
    assert_int_equal(rh_walk_reason(walk)[0] != '\0', it->is_endless);
    rh_walk_destroy(walk);
    resting_end(&at);
}

static void shifts(void **state)
{
    (void)state;
    static const char *const SHIFTS[] = {"0", "10", "273.15", "1000", "1e5", "-1e6", "1e6", "1e9"};
    static const shifted ALL[] = {
        {"param p = 1\nstate x\nlaw x' = p - 1/3 - (x - (@))^2\nstart x = (@) + 0.8\n",
         "p",
         1.0,
         -1.0,
         {{1.0 / 3.0, 1e-16}, {1.0 / 3.0, 1e-15}},
         2,
         false,
         8},
        {"param p = 1\nstate x\nlaw x' = p - 1/3 - (x - (@))^2\nstart x = 3 + 0.8*sign((@))\n",
         "p",
         1.0,
         -1.0,
         {{1.0 / 3.0, 1e-16}, {1.0 / 3.0, 1e-15}},
         2,
         false,
         8},
        {"param p = 1, L = 1e9\nstate x\nlaw x' = L*(p - 1/3 - (x/L - (@))^2)\n"
         "start x = ((@) + 0.8)*1e9\n",
         "p",
         1.0,
         -1.0,
         {{1.0 / 3.0, 1e-16}, {1.0 / 3.0, 1e-15}},
         2,
         false,
         8},
        {"param p = 1, L = 1e-9\nstate x\nlaw x' = L*(p - 1/3 - (x/L - (@))^2)\n"
         "start x = ((@) + 0.8)*1e-9\n",
         "p",
         1.0,
         -1.0,
         {{1.0 / 3.0, 1e-16}, {1.0 / 3.0, 1e-15}},
         2,
         false,
         8},
        {"param p = 1\nstate x\nlaw x' = (x - (@))*(p - 0.3 - (x - (@)))\nstart x = (@)\n",
         "p",
         1.0,
         -1.0,
         {{0.3, 2e-14}},
         1,
         false,
         8},
        {"param p = 1\nstate x\nlaw x' = (x - (@))*(p - 0.3 - (x - (@)))\nstart x = (@) + 0.7\n",
         "p",
         1.0,
         -1.0,
         {{0.3, 2e-14}},
         1,
         false,
         8},
        {"param p = 0\nstate X\nlet x = X - (@)\nlaw X' = 3*x*(1 - x) - p*(1 - exp(-5*x))\n"
         "start X = (@) + 1\n",
         "p",
         0.0,
         1.5,
         {{0.832929322234157, 1e-13}, {0.832929322234157, 1e-13}, {0.6, 4e-11}},
         3,
         true,
         7},
        // sizes are those of the numbers beside it
        {"param p = 0\nstate X\nlet x = X - (@)\nlaw X' = 3*x*(1 - x) - p*x/(1/4 + x)\n"
         "start X = (@) + 1\n",
         "p",
         0.0,
         1.5,
         {{75.0 / 64.0, 1e-13}, {75.0 / 64.0, 1e-13}, {0.75, 4e-11}},
         3,
         true,
         7},
    };
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
        for (size_t s = 0; s < ALL[k].shift_count; s++) {
            check_shifted(&ALL[k], SHIFTS[s]);
        }
    }
}

// A search that begins far from all motions finds what it finds from near by.
static void starts_far_away(void **state)
{
    (void)state;
    static const char *const SHIFTS[] = {"0", "1e6", "1e9"};
    static const char *const STARTS[] = {"-1e15", "-1e9", "0", "1", "1e6", "1e9", "1e12"};
    for (size_t k = 0; k < sizeof STARTS / sizeof *STARTS; k++) {
        char text[200];
        (void)snprintf(text, sizeof text,
                       "param p = 1\nstate x\nlaw x' = p - 1/3 - (x - (@))^2\nstart x = %s\n",
                       STARTS[k]);
        const shifted it = {text, "p",   1.0, -1.0, {{1.0 / 3.0, 1e-15}, {1.0 / 3.0, 1e-15}},
                            2,    false, 3};
        for (size_t s = 0; s < it.shift_count; s++) {
            check_shifted(&it, SHIFTS[s]);
        }
    }
}

// x' = p log|x - 1| + 0.3 - x/10: on one branch x > 1 all along, and the other one does not hang
// together with it. Where the last digit of x decides, it ends.
static void a_branch_that_creeps(void **state)
{
    (void)state;
    static const double ENDS[] = {-1.0, 0.0, -3.0, -0.1};
    for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++) {
        const resting_call call = {.fix = {{"p", 1.0}}, .fix_count = 1};
        resting at = resting_begin("param p = 1\nstate x\n"
                                   "law x' = p*log(abs(x - 1)) + 0.3 - x/10\nstart x = 3\n",
                                   &call);
        rh_walk *walk = NULL;
        rh_walk_def def = rh_walk_def_default();
        rh_walk_point point;
        bool is_there = true;
        double last = 2.0;
        def.name = "p";
        def.from = 1.0;
        def.to = ENDS[k];
        assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
        while (is_there) {
            assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
            if (is_there) {
                const double x = point.motion.values[0];
                const double rate = point.value * log(fabs(x - 1.0)) + 0.3 - x / 10.0;
                assert_int_equal(point.mark, RH_WALK_POINT);
                assert_int_equal(point.motion.verdict, RH_STEADY_UNSTABLE);
                assert_true(x > 1.0 && point.value < last);
                assert_true(fabs(rate) <= 1e-14 + 1e-14 * point.value / (x - 1.0));
                last = point.value;
            }
        }
        assert_true(last < 0.01);
        assert_non_null(strstr(rh_walk_reason(walk), "singular"));
        rh_walk_destroy(walk);
        resting_end(&at);
    }
}

// Written out there are no digits left to follow it by: nothing false is told of it, and the family
// ends with a reason.
static void a_square_written_out(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"p", 1.0}}, .fix_count = 1};
    resting at = resting_begin("param p = 1\nstate x\n"
                               "law x' = p - 1/3 - x^2 + 2e6*x - 1e12\nstart x = 1e6 + 0.8\n",
                               &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    def.name = "p";
    def.from = 1.0;
    def.to = -1.0;
    assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
        if (is_there) { // the terms are of 1e12
            assert_true(point.high > 1.0 / 3.0 - 1e-3);
            assert_true(point.mark == RH_WALK_POINT || point.low <= 1.0 / 3.0);
        }
    }
    assert_int_not_equal(rh_walk_reason(walk)[0], '\0');
    rh_walk_destroy(walk);
    resting_end(&at);
}

// On a kink only "unstable" can be told, and that as long as a root is clear of the axis: the mark
// is the threshold of this, and its bar reaches to where the root vanishes.
static void a_threshold(void **state)
{
    (void)state;
    static const double ENDS[][2] = {{1.0, 5.0}, {5.0, 1.0}};
    for (size_t k = 0; k < 2; k++) {
        const resting_call call = {.fix = {{"p", ENDS[k][0]}}, .fix_count = 1};
        resting at = resting_begin("param p = 1, q = 1\nstate x\n"
                                   "law x' = -p*x + 3*q*x*sign(x)^2\n",
                                   &call);
        rh_walk *walk = NULL;
        rh_walk_def def = rh_walk_def_default();
        rh_walk_point point;
        bool is_there = true;
        uint32_t found = 0;
        def.name = "p";
        def.from = ENDS[k][0];
        def.to = ENDS[k][1];
        assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
        while (is_there) {
            assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
            if (is_there && point.mark != RH_WALK_POINT) {
                assert_true(point.low <= 3.0 && 3.0 <= point.high);
                assert_true(point.high - point.low < 0.05);
                found++;
            }
        }
        assert_int_equal(found, 1);
        rh_walk_destroy(walk);
        resting_end(&at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fold),
        cmocka_unit_test(two_folds),
        cmocka_unit_test(a_pair_passes_the_axis),
        cmocka_unit_test(branches_that_cross),
        cmocka_unit_test(changes_that_are_close),
        cmocka_unit_test(a_harvest),
        cmocka_unit_test(a_special_beginning),
        cmocka_unit_test(poles),
        cmocka_unit_test(shifts),
        cmocka_unit_test(starts_far_away),
        cmocka_unit_test(a_branch_that_creeps),
        cmocka_unit_test(a_square_written_out),
        cmocka_unit_test(a_threshold),
        cmocka_unit_test(what_is_steep),
        cmocka_unit_test(a_line_that_is_there_at_first_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
