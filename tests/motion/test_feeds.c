// SPDX-License-Identifier: Apache-2.0
// Inputs from files along a motion: closed forms over straight pieces, jumps, kinks and level
// stretches, by every method; what velocities cannot follow; feeds that do not fit.

#include "feeding.h"

#include "motion/motion.h"

// --- closed forms --------------------------------------------------------------------------------

/// Walks over the pieces of a feed from one time to another.
typedef void walk_piece(void *user, double length, double value, double slope);

static void walk(const rh_feed *feed, double from, double to, walk_piece *visit, void *user)
{
    double at = from;
    for (size_t k = 0; k <= feed->count; k++) {
        const double end = k < feed->count ? fmin(feed->times[k], to) : to;
        if (!(end > at)) {
            continue;
        }
        const bool is_between = k > 0 && k < feed->count;
        const size_t left = k > 0 ? k - 1 : 0;
        const double slope = is_between ? (feed->values[k] - feed->values[left]) /
                                              (feed->times[k] - feed->times[left])
                                        : 0.0;
        visit(user, end - at, feed->values[left] + slope * (at - (k > 0 ? feed->times[left] : at)),
              slope);
        at = end;
    }
}

typedef struct flight {
    long double x, v;
} flight;

// x'' = u
static void fly(void *user, double h, double value, double slope)
{
    flight *it = user;
    const long double s = h;
    it->x += s * (it->v + s * (value / 2.0L + s * slope / 6.0L));
    it->v += s * (value + s * slope / 2.0L);
}

// x' = u - x
static void follow(void *user, double h, double value, double slope)
{
    flight *it = user;
    const long double rest = it->x - (long double)value + (long double)slope;
    it->x = (long double)value + (long double)slope * ((long double)h - 1.0L) +
            rest * expl(-(long double)h);
}

// Ramp, jump, level, jump at the end; held outside.
#define ROUGH POINTS(0.5, 1, 1.25, -2, 1.25, 3, 2, 3, 2.125, 3, 3, 0.5, 3, -1)

static void the_second_integral(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x\nkinetic x'^2/2\nforce x: u\n"
                               "start x = 1, x' = -0.5\n";
    static const double TIMES[] = {0.25, 0.5, 1, 1.25, 1.5, 2.5, 3, 4};
    signal u;
    const rh_feed feed = make_signal(&u, "u", ROUGH);
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        flight judge = {1.0L, -0.5L};
        double before = 0.0;
        for (size_t k = 0; k < sizeof TIMES / sizeof *TIMES; k++) {
            moving_reach(&it, TIMES[k]);
            walk(&feed, before, TIMES[k], fly, &judge);
            before = TIMES[k];
            assert_near(moving_value(&it, "x"), (double)judge.x, ERROR[m]);
            assert_near(moving_value(&it, "x'"), (double)judge.v, ERROR[m]);
        }
        assert_string_equal(rh_motion_method(it.motion), METHOD_NAME[m]);
        moving_end(&it);
    }
}

static void a_first_order_filter(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u - x\nstart x = 2\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", ROUGH);
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        flight judge = {2.0L, 0.0L};
        for (int k = 0; k < 40; k++) {
            moving_reach(&it, 0.1 * (k + 1));
            walk(&feed, k == 0 ? 0.0 : 0.1 * k, 0.1 * (k + 1), follow, &judge);
            assert_near(moving_value(&it, "x"), (double)judge.x, ERROR[m]);
        }
        moving_end(&it);
    }
}

// Random points, several at one time, asked for at random times.
static void random_signals(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x\nkinetic x'^2/2\nforce x: u\n"
                               "start x = 0, x' = 0\n";
    support_random random = support_random_begin("random_signals");
    for (int trial = 0; trial < 60; trial++) {
        double pairs[2 * 40];
        const size_t count = 1 + support_random_below(&random, 40);
        double time = support_random_real(&random, -1.0, 1.0);
        for (size_t k = 0; k < count; k++) {
            pairs[2 * k] = time;
            pairs[2 * k + 1] = support_random_real(&random, -1.0, 1.0);
            const uint32_t kind = support_random_below(&random, 8);
            time += kind < 2 ? 0.0 : kind == 2 ? 1e-14 : support_random_real(&random, 0.0, 0.3);
        }
        signal u;
        const rh_feed feed = make_signal(&u, "u", pairs, count);
        const size_t m = (size_t)trial % METHODS;
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        flight judge = {0.0L, 0.0L};
        double before = 0.0;
        for (int k = 0; k < 6; k++) {
            const double next = before + support_random_real(&random, 0.0, 2.0);
            moving_reach(&it, next);
            walk(&feed, before, next, fly, &judge);
            before = next;
            // a slope of 1 / 1e-14 is known to the rounding of the times
            assert_near(moving_value(&it, "x"), (double)judge.x, 10.0 * ERROR[m] + 1e-12);
        }
        moving_end(&it);
    }
}

// Inside functions the pieces have series of all orders: x' = u^2, y' = y u, z' = sin u.
static void a_feed_in_functions(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x, y, z\nlaw x' = u^2\nlaw y' = y*u\n"
                               "law z' = sin(u)\nstart x = 0, y = 1, z = 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 2, 3, 2, -1, 3, 0));
    const double x = 6.0 + 1.0 / 3.0;
    const double y = exp(3.0 - 0.5);
    const double z = 2.0 / 3.0 * (1.0 - cos(3.0)) + (cos(1.0) - 1.0);
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 3.0);
        assert_near(moving_value(&it, "x"), x, 20.0 * ERROR[m]);
        assert_near(moving_value(&it, "y"), y, 40.0 * ERROR[m]);
        assert_near(moving_value(&it, "z"), z, 20.0 * ERROR[m]);
        moving_end(&it);
    }
}

// What friction misses by is measured with the input that it follows.
static void deviations_see_the_feed(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x\nkinetic x'^2/2\n"
                               "constraint drag: x' = u by friction(3)\nstart x = 0, x' = 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 10, 5));
    moving it = begin_with(TEXT, &feed, 1, RH_METHOD_TAYLOR);
    moving_reach(&it, 8.0);
    assert_near(rh_motion_residual(it.motion, 0), 0.5 / 3.0, 1e-6);
    moving_end(&it);
}

// Two inputs, in an order of their own, with borders of their own.
static void two_feeds(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"a.csv\"\ninput w = t\ninput v from \"b.csv\"\n"
                               "state x, y\nlaw x' = u*v\nlaw y' = w + v\nstart x = 0, y = 0\n";
    signal u;
    signal v;
    const rh_feed first = make_signal(&v, "v", POINTS(0.5, 0, 1.5, 1));
    const rh_feed second = make_signal(&u, "u", POINTS(0, 1, 1, 2, 1, -2, 2, 0));
    const rh_feed feeds[] = {first, second};
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, feeds, 2, METHOD[m]);
        moving_reach(&it, 3.0);
        // int (1 + t)(t - 1/2) on (1/2, 1), int (2t - 4)(t - 1/2) on (1, 3/2), int (2t - 4) on
        // (3/2, 2)
        const double x = (1.0 / 3.0 + 0.25 - 0.5) - (1.0 / 24.0 + 1.0 / 16.0 - 0.25) +
                         (2.0 * (3.375 - 1.0) / 3.0 - 2.5 * (2.25 - 1.0) + 1.0) +
                         (4.0 - 2.25 - 2.0);
        assert_near(moving_value(&it, "x"), x, 10.0 * ERROR[m]);
        assert_near(moving_value(&it, "y"), 4.5 + 0.5 + 1.5, 10.0 * ERROR[m]);
        moving_end(&it);
    }
}

// --- the example ---------------------------------------------------------------------------------

/// z, w, z', w' of examples/quarter_car at t = 2.5, and z at t = 5, from matrix exponentials with
/// 40 digits.
typedef struct car {
    const char *path;
    double half[4], end;
    double lift[2]; // times
} car;

static const car CARS[] = {
    {"examples/quarter_car/linear.rhe",
     {0.015847626775672515077, 0.012075502529848307928, -0.037144780053063822974,
      -0.34119156491683229757},
     0.00007301783861050454739,
     {0.0, 0.0}},
    {"examples/quarter_car/model.rhe",
     {0.01585496553366831857, 0.012076056349849838188, -0.037174545048039063187,
      -0.34119701166814433302},
     0.000073057019650780770405,
     {1.5, 1.5065675699036869039}},
};

static void run_car(const car *it, const rh_feed *road, size_t m)
{
    static const char *const NAMES[] = {"z", "w", "z'", "w'"};
    const moving_conditions with = {.feeds = road, .feed_count = 1, .method = METHOD[m]};
    moving run = moving_file(it->path, &with);
    size_t lifts = 0;
    moving_reach(&run, 2.5);
    for (size_t k = 0; k < 4; k++) {
        assert_near(moving_value(&run, NAMES[k]), it->half[k], 5.0 * ERROR[m]);
    }
    moving_reach(&run, 5.0);
    assert_near(moving_value(&run, "z"), it->end, 5.0 * ERROR[m]);
    for (size_t k = 0; k < rh_motion_occurrence_count(run.motion); k++) {
        const rh_occurrence found = rh_motion_occurrence(run.motion, k);
        if (strcmp(found.name, "lift") == 0) {
            assert_true(lifts < 2);
            assert_near(found.time, it->lift[lifts++], m == 0 ? 1e-15 : 1e-10);
        }
    }
    assert_int_equal(lifts, it->lift[0] > 0.0 ? 2 : 0);
    moving_end(&run);
}

static void a_quarter_car(void **state)
{
    (void)state;
    static const char MODEL[] = "input road from \"road.csv\"\nstate x\nlaw x' = road\n";
    rh_model_def model_def = rh_model_def_default();
    model_def.text = MODEL;
    model_def.text_size = sizeof MODEL - 1;
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&model_def, &model, NULL), RH_OK);
    rh_record_def def = rh_record_def_default();
    char *table = support_read("examples/quarter_car/road.csv", &def.text_size);
    def.model = model;
    def.text = table;
    rh_record *record = NULL;
    assert_int_equal(rh_record_create(&def, &record, NULL), RH_OK);
    free(table);
    const rh_feed road = rh_record_feed(record);
    for (size_t k = 0; k < 2 * METHODS; k++) {
        run_car(&CARS[k / METHODS], &road, k % METHODS);
    }
    rh_record_destroy(record);
    rh_model_destroy(model);
}

// --- rows ----------------------------------------------------------------------------------------

// At a jump the value is the one after it; just before it, the one before.
static void rows_at_a_jump(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x\nkinetic x'^2/2\n"
                               "force x: if(u > 1, 5, u)\nstart x = 0, x' = 0\n"
                               "observe seen = u\nobserve a = x''\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 1, 0.5, 1, 2, 2, 2));
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        moving_reach(&it, 1.0);
        // the later time first, as a caller may
        double *row = moving_row(&it, 1.0);
        assert_near(row[moving_column(&it, "seen")], 2.0, 0.0);
        assert_near(row[moving_column(&it, "a")], 5.0, 0.0);
        free(row);
        const double low = rh_motion_time_before(it.motion);
        const double near = low + (1.0 - low) * (1.0 - 1e-9);
        row = moving_row(&it, near);
        assert_near(row[moving_column(&it, "seen")], near / 2.0, 1e-15);
        assert_near(row[moving_column(&it, "a")], near / 2.0, 1e-15);
        free(row);
        moving_reach(&it, 1.5);
        assert_near(moving_value(&it, "a"), 5.0, 0.0);
        assert_near(moving_value(&it, "x'"), 0.25 + 2.5, 10.0 * ERROR[m]);
        moving_end(&it);
    }
}

// Rows as near to each other as times can be: every one is a step, and that is no standstill.
static void rows_without_distance(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "input u from \"u.csv\"\nstate x\nlaw x' = u\nstart x = 0\n",
        "input u from \"u.csv\"\nstate x\nlaw x' = if(x > 9, 0, u)\nstart x = 0\n"};
    double times[300];
    double values[300];
    double time = 1.0;
    for (size_t k = 0; k < 300; k++, time = nextafter(time, 2.0)) {
        times[k] = time;
        values[k] = k % 2 == 0 ? 1.0 : 3.0;
    }
    const rh_feed feed = {"u", times, values, 300};
    for (size_t k = 0; k < 2 * METHODS; k++) {
        const size_t m = k % METHODS;
        moving it = begin_with(TEXTS[k / METHODS], &feed, 1, METHOD[m]);
        moving_reach(&it, 2.0);
        assert_near(moving_value(&it, "x"), 4.0, ERROR[m] + 1e-12);
        moving_end(&it);
    }
}

// A level stretch ends no step, however many rows it has; a border ends one.
static void level_stretches_end_no_step(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u\nstart x = 0\n";
    double times[3000];
    double values[3000];
    for (size_t k = 0; k < 3000; k++) {
        times[k] = (double)(k - k % 3 / 2) / 100.0; // some rows twice
        values[k] = k < 1000 ? 1.0 : k < 2000 ? 2.0 : 3.0;
    }
    const rh_feed feed = {"u", times, values, 3000};
    moving it = begin_with(TEXT, &feed, 1, RH_METHOD_TAYLOR);
    moving_reach(&it, 40.0);
    assert_int_equal(rh_motion_summarise(it.motion).steps, 4); // level, ramp, level, jump, level
    moving_end(&it);
}

// The same bits twice, and when the caller stops at every border.
static void the_same_bits(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x\nkinetic x'^2/2\n"
                               "force x: u*cos(x) - sin(x)\nstart x = 0.3, x' = 0\n";
    static const double BORDERS[] = {0.5, 1.25, 2.125, 3}; // at 2 it stays level
    signal u;
    const rh_feed feed = make_signal(&u, "u", ROUGH);
    for (size_t m = 0; m < METHODS; m++) {
        double found[3][2];
        for (int k = 0; k < 3; k++) {
            moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
            for (size_t p = 0; k == 2 && p < sizeof BORDERS / sizeof *BORDERS; p++) {
                moving_reach(&it, BORDERS[p]);
            }
            moving_reach(&it, 5.0);
            found[k][0] = moving_value(&it, "x");
            found[k][1] = moving_value(&it, "x'");
            moving_end(&it);
        }
        assert_memory_equal(found[0], found[1], sizeof found[0]);
        assert_memory_equal(found[0], found[2], sizeof found[0]);
    }
}

// --- stiffness -----------------------------------------------------------------------------------

static void stiff_stays_stiff_over_borders(void **state)
{
    (void)state;
    static const char TEXT[] =
        "input u from \"u.csv\"\nstate x, y\nlaw x' = 1e6*(u - x)\nlaw y' = -y\n"
        "start x = 0, y = 1\n";
    signal u;
    double pairs[2 * 40];
    for (size_t k = 0; k < 40; k++) {
        pairs[2 * k] = 0.05 * (double)(k + 1);
        pairs[2 * k + 1] = (double)(k % 2);
    }
    const rh_feed feed = make_signal(&u, "u", pairs, 40);
    const moving_conditions with = {.feeds = &feed, .feed_count = 1, .tolerance = 1e-8};
    moving it = moving_begin(TEXT, &with);
    moving_reach(&it, 0.5);
    assert_string_equal(rh_motion_method(it.motion), "cvode");
    const uint64_t steps = rh_motion_summarise(it.motion).steps;
    for (int k = 0; k < 29; k++) {
        moving_reach(&it, 0.525 + 0.05 * k);
        assert_near(moving_value(&it, "x"), 0.5, 1e-4);
        moving_reach(&it, 0.55 + 0.05 * k + 1e-7); // just behind a border
        assert_string_equal(rh_motion_method(it.motion), "cvode");
    }
    moving_reach(&it, 1.975);
    assert_true(rh_motion_summarise(it.motion).steps - steps < 4000);
    assert_near(moving_value(&it, "y"), exp(-1.975), 1e-6);
    moving_end(&it);
}

// The Jacobian of an implicit method sees the piece of the state it is asked for.
static void jacobians_see_the_feed(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x, y\nlaw x' = u*x + y\n"
                               "law y' = u^2*y\nstart x = 1, y = 1\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 0, 1, 1, 1, 5, 2, 6));
    moving it = begin_with(TEXT, &feed, 1, RH_METHOD_TAYLOR);
    rh_jacobian jacobian;
    assert_int_equal(rh__jacobian_create(it.motion, it.motion->system->step, 2, &jacobian, NULL),
                     RH_OK);
    assert_int_equal(jacobian.columns, 2);
    for (int k = 1; k < 4; k++) {
        double matrix[4];
        double rate[2];
        const double value = k == 1 ? 0.5 : 5.0 + 0.5 * (k - 2);
        moving_reach(&it, 0.5 * k);
        rh__tracks_select(it.motion, 0.5 * k);
        rh__motion_rate(it.motion, 0.5 * k, it.motion->x, rate);
        assert_true(rh__jacobian_run(&jacobian, it.motion->plain, matrix));
        assert_near(matrix[0], value, 1e-14);
        assert_near(matrix[1], 0.0, 0.0);
        assert_near(matrix[2], 1.0, 0.0);
        assert_near(matrix[3], value * value, 1e-13);
    }
    rh__jacobian_destroy(&jacobian);
    moving_end(&it);
}

// --- constraints and energies --------------------------------------------------------------------

// x' = u drives y through the inertia: y'' = -y - u'/4. A kink is no obstacle.
static void a_velocity_may_follow_a_kink(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\ncoord x, y\n"
                               "kinetic (x'^2 + y'^2)/2 + x'*y'/4\nforce y: -y\n"
                               "constraint drive: x' = u\nstart x = 0, y = 1, y' = 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 1, 1, 3, 2, 3));
    // y + 1/2 turns for one time unit, then y
    const double y1 = 1.5 * cos(1.0) - 0.5;
    const double v1 = -1.5 * sin(1.0);
    for (size_t m = 0; m < METHODS; m++) {
        moving it = begin_with(TEXT, &feed, 1, METHOD[m]);
        assert_near(moving_value(&it, "x'"), 1.0, 1e-15); // the start sees the input
        moving_reach(&it, 1.0);
        assert_near(moving_value(&it, "y"), y1, 10.0 * ERROR[m]);
        moving_reach(&it, 3.0);
        assert_near(moving_value(&it, "x"), 8.0, 10.0 * ERROR[m]);
        assert_near(moving_value(&it, "x'"), 3.0, 10.0 * ERROR[m]);
        assert_near(moving_value(&it, "y"), y1 * cos(2.0) + v1 * sin(2.0), 10.0 * ERROR[m]);
        moving_end(&it);
    }
}

// Where a velocity would have to jump the motion ends, before the jump.
static void velocities_do_not_jump(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
        double time;
    } CASES[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2 + x'*y'/4\nforce y: -y\nconstraint drive: x' = u\n"
         "start x = 0, y = 1, y' = 0\nobserve seen = u\n",
         "the input u jumps at t = 2, and the equations hold its first derivative", 2.0},
        {"coord x\nkinetic (x' + u)^2/2\npotential x^2/2\nstart x = 0, x' = 0\nobserve seen = u\n",
         "the input u jumps at t = 2, and the equations hold its first derivative", 2.0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint drive: x + y = u\nstart y = 1, y' = 0\n"
         "observe seen = u\n",
         "the input u has a kink at t = 1, and the equations hold its second derivative", 1.0},
    };
    signal u;
    const rh_feed feed = make_signal(&u, "u", POINTS(0, 1, 1, 2, 2, 2.5, 2, 0));
    for (size_t k = 0; k < 3 * METHODS; k++) {
        char text[512];
        (void)snprintf(text, sizeof text, "input u from \"u.csv\"\n%s", CASES[k / METHODS].text);
        moving it = begin_with(text, &feed, 1, METHOD[k % METHODS]);
        const double end = CASES[k / METHODS].time;
        assert_int_equal(moving_advance(&it, 3.0), RH_STOP_FAILED);
        assert_near(rh_motion_time(it.motion), end, 0.0);
        assert_non_null(strstr(rh_motion_reason(it.motion), CASES[k / METHODS].reason));
        assert_string_equal(rh_motion_reason_code(it.motion), "E608");
        assert_near(moving_value(&it, "seen"), end == 1.0 ? 2.0 : 2.5, 1e-15);
        moving_end(&it);
    }
}

// --- feeds that do not fit -----------------------------------------------------------------------

static void refuse(const rh_feed *feeds, size_t count, const char *reason)
{
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u\nstart x = 0\n";
    const moving_conditions with = {.feeds = feeds, .feed_count = count};
    moving it;
    assert_int_equal(moving_try(TEXT, &with, &it), RH_E_ARGUMENT);
    assert_null(it.motion);
    if (strstr(it.err.message, reason) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", it.err.message, reason);
    }
    moving_end(&it);
}

static void feeds_and_inputs_fit_together(void **state)
{
    (void)state;
    static const double TIMES[] = {0.0, 1.0, 2.0};
    static const double BACK[] = {0.0, 2.0, 1.0};
    static const double NEAR[] = {0.0, 5e-324, 1.0};
    static const double VALUES[] = {0.0, 1.0, 0.0};
    const double wrong[] = {0.0, (double)NAN, 0.0};
    const double endless[] = {0.0, 1.0, (double)INFINITY};
    const rh_feed good = {"u", TIMES, VALUES, 3};
    const rh_feed twice[] = {good, good};
    const rh_feed more[] = {good, {"v", TIMES, VALUES, 3}};
    refuse(NULL, 0, "the input u comes from a file, and there is no feed for it");
    refuse(twice, 2, "there are two feeds u");
    refuse(more, 2, "there are 2 feeds for 1 inputs");
    refuse(&(rh_feed){"v", TIMES, VALUES, 3}, 1, "there is no feed for it");
    refuse(&(rh_feed){"u", TIMES, VALUES, 0}, 1, "the feed u has no points");
    refuse(&(rh_feed){"u", NULL, VALUES, 3}, 1, "the feed u has no points");
    refuse(&(rh_feed){"u", BACK, VALUES, 3}, 1,
           "go back, or are too near to each other, at point 2");
    refuse(&(rh_feed){"u", NEAR, VALUES, 3}, 1,
           "go back, or are too near to each other, at point 1");
    refuse(&(rh_feed){"u", TIMES, wrong, 3}, 1, "point 1 of the feed u is not finite");
    refuse(&(rh_feed){"u", endless, VALUES, 3}, 1, "point 2 of the feed u is not finite");
}

// A program that was built before there were feeds has a shorter def.
static void an_older_def_has_no_feeds(void **state)
{
    (void)state;
    static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u\nstart x = 0\n";
    signal u;
    const rh_feed feed = make_signal(&u, "u", ROUGH);
    moving it = begin_with(TEXT, &feed, 1, RH_METHOD_AUTO);
    rh_motion_def def = rh_motion_def_default();
    def.feeds = &feed;
    def.feed_count = 1;
    def.struct_size = (uint32_t)offsetof(rh_motion_def, feeds);
    rh_motion *motion = NULL;
    assert_int_equal(rh_motion_create(it.equations, &def, &motion, &it.err), RH_E_ARGUMENT);
    assert_null(motion);
    assert_non_null(strstr(it.err.message, "there is no feed for it"));
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_integral),
        cmocka_unit_test(a_first_order_filter),
        cmocka_unit_test(random_signals),
        cmocka_unit_test(a_feed_in_functions),
        cmocka_unit_test(deviations_see_the_feed),
        cmocka_unit_test(two_feeds),
        cmocka_unit_test(a_quarter_car),
        cmocka_unit_test(rows_at_a_jump),
        cmocka_unit_test(rows_without_distance),
        cmocka_unit_test(level_stretches_end_no_step),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(stiff_stays_stiff_over_borders),
        cmocka_unit_test(jacobians_see_the_feed),
        cmocka_unit_test(a_velocity_may_follow_a_kink),
        cmocka_unit_test(velocities_do_not_jump),
        cmocka_unit_test(feeds_and_inputs_fit_together),
        cmocka_unit_test(an_older_def_has_no_feeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
