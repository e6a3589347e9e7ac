// SPDX-License-Identifier: Apache-2.0
// What every motion must keep: energy, constraints, the order of its error, time reversal, its
// bits, and rows between the ends of steps.

#include "moving.h"

static const char CHAIN[] =
    "param N = 3, g = 9.81\ncoord x[1..N], y[1..N]\n"
    "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
    "for i in 1..N: start x[i] = 0.6*i, y[i] = -0.8*i, x[i]' = 0, y[i]' = 0\n";

static const char SPHERE[] = // a point on a sphere in a field of springs, spherical and Cartesian
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential x^2 + y^2/2 + z + x*y*z\n"
    "constraint sphere: x^2 + y^2 + z^2 = 1\n"
    "start x = 0.6, y = 0, z = 0.8, x' = 0.4, y' = 1, z' = -0.3\n";

static const char ROLLING[] = // a nonholonomic constraint and one in positions
    "coord x, y, z, p\nkinetic (x'^2 + y'^2 + z'^2 + p'^2)/2\npotential x^2/2 + y^2/2 + sin(p)\n"
    "constraint knife: y'*cos(p) = x'*sin(p)\nconstraint bowl: z = (x^2 + y^2)/2\n"
    "start x = 1, y = 0.2, p = 0.3, x' = cos(0.3), y' = sin(0.3), p' = 0.5\n";

static const char TOP[] =
    "param m = 1, g = 9.81, l = 0.3, J1 = 0.02, J3 = 0.01\ncoord psi, theta, phi\n"
    "let R = rotz(psi)*rotx(theta)*rotz(phi)\nlet w = spin(R)\nlet r = R*[0, 0, l]\n"
    "kinetic dot(w, diag(J1, J1, J3)*w)/2 + m/2*dot(r', r')\npotential m*g*r.z\n"
    "start psi = 0, theta = 0.4, phi = 0, psi' = 1, theta' = 0, phi' = 60\n";

typedef struct conserved {
    const char *text, *path;
    double time;
    double energy; // largest loss, relative to 1 + |energy|
} conserved;

static const conserved CONSERVED[] = {
    {NULL, "examples/rolling_disc/model.rhe", 100.0, 1e-12},
    {NULL, "examples/pendulum_cartesian/model.rhe", 100.0, 1e-12},
    {NULL, "examples/rattleback/model.rhe", 5.0, 1e-12},
    {NULL, "examples/bricard/model.rhe", 10.0, 1e-12},
    {NULL, "examples/chaplygin_sleigh/model.rhe", 20.0, 1e-13},
    {NULL, "examples/two_mass_rod/model.rhe", 2.0, 1e-13},
    {NULL, "examples/andrews/model.rhe", 0.05, 1e-13},
    {CHAIN, NULL, 20.0, 1e-12},
    {SPHERE, NULL, 100.0, 1e-12},
    {ROLLING, NULL, 50.0, 1e-12},
    {TOP, NULL, 5.0, 1e-12},
};

enum { CONSERVED_COUNT = sizeof CONSERVED / sizeof CONSERVED[0] };

static moving begin(const conserved *it, const moving_conditions *with)
{
    return it->text != NULL ? moving_begin(it->text, with) : moving_file(it->path, with);
}

// --- what is kept --------------------------------------------------------------------------------

static void energy_and_constraints(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 2 * CONSERVED_COUNT; k++) {
        const conserved *model = &CONSERVED[k / 2];
        const moving_conditions with = {.is_plain = k % 2 == 1};
        moving it = begin(model, &with);
        moving_reach(&it, model->time);
        (void)moving_value(&it, "time"); // the energy is that of the last row
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        print_message("%s: energy %.3g, residual %.3g\n",
                      model->path != NULL ? model->path : "text",
                      summary.energy_now - summary.energy_start, summary.residual);
        assert_near(summary.energy_now, summary.energy_start, model->energy);
        assert_true(summary.residual < 1e-13 * (1.0 + model->time));
        assert_true(summary.steps > 0);
        moving_end(&it);
    }
}

// The energy is there without asking for a row.
static void energy_without_rows(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\npotential 9.81*x\ndissipation x'^2/2\n"
                             "start x = 0, x' = 1\n",
                             NULL);
    moving_reach(&it, 1.0);
    const double energy = rh_motion_summarise(it.motion).energy_now;
    const double x = moving_value(&it, "x");
    const double v = moving_value(&it, "x'");
    assert_near(energy, v * v / 2.0 + 9.81 * x, 1e-13);
    moving_end(&it);
}

// --- accuracy ------------------------------------------------------------------------------------

static double error_at(const char *path, const moving_conditions *with, double time,
                       const double *reference, size_t first, size_t count)
{
    moving it = moving_file(path, with);
    moving_reach(&it, time);
    double *row = moving_row(&it, time);
    double worst = 0.0;
    for (size_t k = 0; k < count; k++) {
        worst = fmax(worst, fabs(row[first + k] - reference[k]) / (1.0 + fabs(reference[k])));
    }
    free(row);
    moving_end(&it);
    return worst;
}

// In short steps of loose tolerance slopes may be off by much, and the motion is in no trouble.
static void fast_motions_at_loose_tolerances(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double tolerance = pow(10.0, -4.0 - k);
        moving it =
            moving_file("examples/rattleback/reversal.rhe",
                        &(moving_conditions){.tolerance = tolerance, .tier = RH_TIER_INTERPRETED});
        moving_reach(&it, 20.0);
        assert_near(moving_value(&it, "ps"), 36.22698317, 100.0 * tolerance);
        moving_end(&it);
    }
}

// The error follows the tolerance over ten decades, for the order chosen by it and for a fixed one.
static void error_follows_tolerance(void **state)
{
    (void)state;
    static const double DISC[] = {0.27189322124329555583, 6.8372275660428027096,
                                  61.795143604153420885, 0.70744694742673387165,
                                  0.14006090839034225179}; // DISC-1 at t = 10
    static const uint32_t ORDERS[] = {0, 8, 20};
    for (size_t o = 0; o < 3; o++) {
        for (int digits = 3; digits <= 13; digits++) {
            const moving_conditions with = {.tolerance = pow(10.0, -digits), .order = ORDERS[o]};
            const double error =
                error_at("examples/rolling_disc/model.rhe", &with, 10.0, DISC, 1, 5);
            print_message("order %u, tolerance 1e-%d: %.2e\n", ORDERS[o], digits, error);
            assert_true(error < 300.0 * with.tolerance + 1e-13);
        }
    }
}

// --- reversal ------------------------------------------------------------------------------------

typedef struct reversal {
    const char *text;
    double time;
    double tolerance;
    const char *names[8];
    uint32_t count;
} reversal;

static const reversal REVERSALS[] = {
    {SPHERE, 5.0, 1e-11, {"x", "y", "z"}, 3},
    {ROLLING, 5.0, 1e-11, {"x", "y", "z", "p"}, 4},
    {TOP, 2.0, 1e-10, {"psi", "theta", "phi"}, 3},
    {CHAIN, 2.0, 1e-10, {"x[1]", "x[2]", "x[3]", "y[1]", "y[2]", "y[3]"}, 6},
};

// The text without its lines that begin with start.
static char *strip_starts(const char *text)
{
    char *out = calloc(strlen(text) + 1, 1);
    assert_non_null(out);
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t size = (size_t)(end - line) + 1;
        const char *word = strncmp(line, "for i in 1..N: ", 15) == 0 ? line + 15 : line;
        if (strncmp(word, "start", 5) != 0) {
            strncat(out, line, size);
        }
        line += size;
    }
    return out;
}

// Run, turn all velocities round, run again: back at the start.
static void there_and_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof REVERSALS / sizeof REVERSALS[0]; k++) {
        const reversal *what = &REVERSALS[k];
        moving it = moving_begin(what->text, NULL);
        double begin_at[8];
        char starts[16][64];
        moving_conditions with = {.start_count = 0};
        for (uint32_t j = 0; j < what->count; j++) {
            begin_at[j] = moving_value(&it, what->names[j]);
        }
        moving_reach(&it, what->time);
        for (uint32_t j = 0; j < 2 * what->count; j++) {
            char name[16];
            const bool is_speed = j >= what->count;
            (void)snprintf(name, sizeof name, "%s%s", what->names[j % what->count],
                           is_speed ? "'" : "");
            (void)snprintf(starts[j], sizeof starts[j], "%s=%.17g", name,
                           (is_speed ? -1.0 : 1.0) * moving_value(&it, name));
            with.start[with.start_count++] = starts[j];
        }
        moving_end(&it);
        char *text = strip_starts(what->text);
        it = moving_begin(text, &with);
        free(text);
        moving_reach(&it, what->time);
        for (uint32_t j = 0; j < what->count; j++) {
            assert_near(moving_value(&it, what->names[j]), begin_at[j], what->tolerance);
        }
        moving_end(&it);
    }
}

// --- bits ----------------------------------------------------------------------------------------

static void the_same_bits_twice(void **state)
{
    (void)state;
    for (size_t k = 0; k < CONSERVED_COUNT; k++) {
        double *rows[2];
        size_t count = 0;
        for (uint32_t run = 0; run < 2; run++) {
            moving it = begin(&CONSERVED[k], &(moving_conditions){.set_count = 0});
            moving_reach(&it, CONSERVED[k].time / 5.0);
            count = rh_motion_column_count(it.motion);
            rows[run] = moving_row(&it, rh_motion_time(it.motion));
            moving_end(&it);
        }
        const int difference = memcmp(rows[0], rows[1], count * sizeof(double));
        free(rows[0]);
        free(rows[1]);
        assert_int_equal(difference, 0);
    }
}

// Looking at rows and at the summary does not change the motion.
static void looking_changes_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < CONSERVED_COUNT; k++) {
        moving quiet = begin(&CONSERVED[k], &(moving_conditions){.set_count = 0});
        moving seen = begin(&CONSERVED[k], &(moving_conditions){.set_count = 0});
        const double time = CONSERVED[k].time / 5.0;
        moving_reach(&quiet, time);
        rh_stop stop = RH_STOP_NONE;
        while (stop == RH_STOP_NONE) {
            assert_int_equal(rh_motion_step(seen.motion, time, &stop, NULL), RH_OK);
            const double low = rh_motion_time_before(seen.motion);
            const double high = rh_motion_time(seen.motion);
            for (uint32_t j = 0; j <= 3; j++) {
                free(moving_row(&seen, j == 3 ? high : low + (high - low) * j / 3.0));
            }
            (void)rh_motion_summarise(seen.motion);
        }
        double *first = moving_row(&quiet, time);
        double *second = moving_row(&seen, time);
        const size_t count = rh_motion_column_count(quiet.motion);
        const int difference = memcmp(first, second, count * sizeof(double));
        free(first);
        free(second);
        moving_end(&quiet);
        moving_end(&seen);
        assert_int_equal(difference, 0);
    }
}

// --- rows ----------------------------------------------------------------------------------------

// A row within a step is the end of a motion to that time.
static void rows_within_steps(void **state)
{
    (void)state;
    for (size_t k = 0; k < CONSERVED_COUNT; k++) {
        const moving_conditions with = {.is_plain = k % 2 == 1};
        moving it = begin(&CONSERVED[k], &with);
        moving other = begin(&CONSERVED[k], &with);
        const size_t count = rh_motion_column_count(it.motion);
        rh_stop stop = RH_STOP_NONE;
        for (uint32_t step = 0; step < 12; step++) {
            assert_int_equal(rh_motion_step(it.motion, CONSERVED[k].time, &stop, NULL), RH_OK);
            const double low = rh_motion_time_before(it.motion);
            const double high = rh_motion_time(it.motion);
            const double time = low + (high - low) * 0.37;
            moving_reach(&other, time);
            double *row = moving_row(&it, time);
            double *end = moving_row(&other, time);
            for (size_t c = 0; c < count; c++) {
                const bool is_multiplier =
                    strncmp(rh_motion_column_name(it.motion, c), "lambda.", 7) == 0 ||
                    strcmp(rh_motion_column_name(it.motion, c), "tension") == 0;
                assert_near(row[c], end[c], is_multiplier ? 1e-9 : 1e-11);
            }
            free(row);
            free(end);
        }
        moving_end(&it);
        moving_end(&other);
    }
}

// Steps join: each begins where the last one ended, and the state is continuous there. A caller may
// have told of everything up to the present time.
static void try_joining(const conserved *what)
{
    moving it = begin(what, &(moving_conditions){.set_count = 0});
    rh_stop stop = RH_STOP_NONE;
    double *end = moving_row(&it, 0.0);
    double time = 0.0;
    while (stop == RH_STOP_NONE) {
        assert_int_equal(rh_motion_step(it.motion, what->time, &stop, NULL), RH_OK);
        if (rh_motion_time(it.motion) < time ||
            (rh_motion_time(it.motion) > time && rh_motion_time_before(it.motion) != time)) {
            fail_msg("a step from %.17g to %.17g after one to %.17g, in %s",
                     rh_motion_time_before(it.motion), rh_motion_time(it.motion), time,
                     what->path != NULL ? what->path : what->text);
        }
        double *row = moving_row(&it, time);
        assert_near(row[1], end[1], 1e-12);
        free(row);
        free(end);
        time = rh_motion_time(it.motion);
        end = moving_row(&it, time);
    }
    free(end);
    assert_int_equal(stop, RH_STOP_REACHED);
    moving_end(&it);
}

static void steps_join(void **state)
{
    (void)state;
    for (size_t k = 0; k < CONSERVED_COUNT; k++) {
        const conserved part = {CONSERVED[k].text, CONSERVED[k].path, CONSERVED[k].time / 10.0,
                                0.0};
        try_joining(&part);
    }
    const conserved floor = {"coord x\nkinetic x'^2/2\npotential if(x > 0, 1/2, 500000)*x^2\n"
                             "start x = 1, x' = 0\n",
                             NULL, 10.0, 0.0};
    try_joining(&floor);
}

static void steps_join_at_singularities(void **state)
{
    (void)state;
    const conserved bars = {NULL, "examples/four_bar/model.rhe", 4.0, 0.0};
    try_joining(&bars);
}

static void rows_outside_are_refused(void **state)
{
    (void)state;
    moving it = moving_begin(SPHERE, NULL);
    double row[64];
    assert_true(rh_motion_column_count(it.motion) < 64);
    assert_int_equal(rh_motion_row(it.motion, 0.0, row, NULL), RH_OK); // the start
    assert_near(row[moving_column(&it, "x")], 0.6, 0.0);
    assert_int_equal(rh_motion_row(it.motion, 0.1, row, NULL), RH_E_ARGUMENT);
    moving_reach(&it, 2.0);
    assert_int_equal(rh_motion_row(it.motion, 0.0, row, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_row(it.motion, 2.1, row, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_motion_row(it.motion, NAN, row, NULL), RH_E_ARGUMENT);
    moving_reach(&it, 2.0); // nothing to do
    assert_int_equal(rh_motion_row(it.motion, 2.0, row, NULL), RH_OK);
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_step(it.motion, 1.0, &stop, NULL), RH_E_ARGUMENT); // backwards
    assert_int_equal(rh_motion_step(it.motion, NAN, &stop, NULL), RH_E_ARGUMENT);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_constraints),
        cmocka_unit_test(energy_without_rows),
        cmocka_unit_test(fast_motions_at_loose_tolerances),
        cmocka_unit_test(error_follows_tolerance),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(the_same_bits_twice),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(rows_within_steps),
        cmocka_unit_test(steps_join),
        cmocka_unit_test(steps_join_at_singularities),
        cmocka_unit_test(rows_outside_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
