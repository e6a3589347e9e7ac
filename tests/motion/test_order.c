// SPDX-License-Identifier: Apache-2.0
// Orders of convergence: with steps of a given length the error of Taylor steps of order p falls
// with the power p of the length, for any p, with constraints and without; and reversal in time by
// the methods that have no series.

#include "moving.h"

static const char SWING[] = "coord p\nkinetic p'^2/2\npotential -9*cos(p)\nstart p = 1, p' = 2\n";

static const char BEAD[] =
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential x^2 + y^2/2 + z + x*y*z\n"
    "constraint sphere: x^2 + y^2 + z^2 = 1\n"
    "start x = 0.6, y = 0, z = 0.8, x' = 0.4, y' = 1, z' = -0.3\n";

static const char KNIFE[] =
    "coord x, y, z, p\nkinetic (x'^2 + y'^2 + z'^2 + p'^2)/2\npotential x^2/2 + y^2/2 + sin(p)\n"
    "constraint knife: y'*cos(p) = x'*sin(p)\nconstraint bowl: z = (x^2 + y^2)/2\n"
    "start x = 1, y = 0.2, p = 0.3, x' = cos(0.3), y' = sin(0.3), p' = 0.5\n";

static const char ATTRACTOR[] = "state x, y, z\nlaw x' = 3*(y - x)\nlaw y' = x*(5 - z) - y\n"
                                "law z' = x*y - z\nstart x = 1, y = 1, z = 2\n";

typedef struct flowing {
    const char *text;
    const char *names[4];
    uint32_t count;
} flowing;

static const flowing LIST[] = {
    {SWING, {"p", "p'"}, 2},
    {BEAD, {"x", "y", "z", "x'"}, 4},
    {KNIFE, {"x", "y", "z", "p"}, 4},
    {ATTRACTOR, {"x", "y", "z"}, 3},
};

enum { LIST_COUNT = sizeof LIST / sizeof LIST[0] };

// --- orders --------------------------------------------------------------------------------------

static void run(const flowing *what, const moving_conditions *with, uint32_t steps, double *out)
{
    moving it = moving_begin(what->text, with);
    for (uint32_t k = 1; k <= steps; k++) {
        moving_reach(&it, (double)k / steps);
    }
    // nobody made shorter steps than were asked for
    assert_true(with->order == 0 || rh_motion_summarise(it.motion).steps == steps);
    for (uint32_t k = 0; k < what->count; k++) {
        out[k] = moving_value(&it, what->names[k]);
    }
    moving_end(&it);
}

static double error_of(const flowing *what, uint32_t order, uint32_t steps, const double *exact)
{
    const moving_conditions with = {
        .order = order, .tolerance = 0.5, .method = RH_METHOD_TAYLOR, .is_plain = order % 4 == 0};
    double found[4];
    double error = 0.0;
    run(what, &with, steps, found);
    for (uint32_t k = 0; k < what->count; k++) {
        error = hypot(error, found[k] - exact[k]);
    }
    return error;
}

static void errors_fall_with_the_order(void **state)
{
    (void)state;
    static const uint32_t ORDERS[] = {4, 5, 6, 8, 10, 12};
    static const uint32_t STEPS[] = {40, 40, 40, 20, 10, 8};
    for (size_t k = 0; k < LIST_COUNT; k++) {
        double exact[4];
        run(&LIST[k], &(moving_conditions){.tolerance = 1e-15}, 1, exact);
        for (size_t p = 0; p < sizeof ORDERS / sizeof ORDERS[0]; p++) {
            const double coarse = error_of(&LIST[k], ORDERS[p], STEPS[p], exact);
            const double fine = error_of(&LIST[k], ORDERS[p], 2 * STEPS[p], exact);
            const double rounding = 2e-14;
            const double slope = log2(coarse / fmax(fine, rounding));
            print_message("model %zu, order %u: %.2e, %.2e, slope %.2f\n", k, ORDERS[p], coarse,
                          fine, slope);
            // errors of both signs may nearly cancel: a slope may be steeper
            assert_true(fine < rounding || slope > ORDERS[p] - 0.7);
        }
    }
}

// A higher order is better at the same steps, down to rounding.
static void higher_orders_are_better(void **state)
{
    (void)state;
    for (size_t k = 0; k < LIST_COUNT; k++) {
        double exact[4];
        run(&LIST[k], &(moving_conditions){.tolerance = 1e-15}, 1, exact);
        double before = 1.0;
        for (uint32_t order = 4; order <= 24; order += 4) {
            const double error = error_of(&LIST[k], order, 40, exact);
            assert_true(error < 0.05 * before + 1e-13);
            before = error;
        }
        assert_true(before < 1e-13);
    }
}

// --- tolerances ----------------------------------------------------------------------------------

// The error follows the tolerance, whatever the method, and so do the steps.
static void errors_follow_tolerances(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                        RH_METHOD_IDA};
    static const double ALLOWED[] = {100.0, 100.0, 3000.0, 3000.0};
    for (size_t k = 0; k < 4 * LIST_COUNT; k++) {
        const size_t m = k % 4;
        double exact[4];
        double found[4];
        run(&LIST[k / 4], &(moving_conditions){.tolerance = 1e-15}, 1, exact);
        for (int digits = 4; digits <= (m < 2 ? 13 : 9); digits++) {
            const moving_conditions with = {.tolerance = pow(10.0, -digits), .method = METHODS[m]};
            double error = 0.0;
            run(&LIST[k / 4], &with, 1, found);
            for (uint32_t j = 0; j < LIST[k / 4].count; j++) {
                error = fmax(error, fabs(found[j] - exact[j]) / (1.0 + fabs(exact[j])));
            }
            if (!(error <= ALLOWED[m] * with.tolerance + 1e-13)) {
                fail_msg("model %zu, method %zu, tolerance %.0e: error %.2e", k / 4, m,
                         with.tolerance, error);
            }
        }
    }
}

// --- reversal ------------------------------------------------------------------------------------

typedef struct reversal {
    const char *text; // without starts
    const char *names[4];
    const char *starts; // of positions, then velocities
    uint32_t count;
} reversal;

static void go_back(const reversal *what, rh_method method, double tolerance)
{
    char first[512];
    char texts[8][64];
    double begin[8];
    (void)snprintf(first, sizeof first, "%s%s", what->text, what->starts);
    moving_conditions with = {.method = method};
    moving it = moving_begin(first, &with);
    for (uint32_t half = 0; half < 2; half++) {
        if (half == 1) {
            it = moving_begin(what->text, &with);
        }
        for (uint32_t k = 0; half == 0 && k < 2 * what->count; k++) {
            char name[16];
            (void)snprintf(name, sizeof name, "%s%s", what->names[k % what->count],
                           k < what->count ? "" : "'");
            begin[k] = moving_value(&it, name);
        }
        moving_reach(&it, 3.0);
        for (uint32_t k = 0; k < 2 * what->count; k++) {
            char name[16];
            const double sign = k < what->count ? 1.0 : -1.0;
            (void)snprintf(name, sizeof name, "%s%s", what->names[k % what->count],
                           k < what->count ? "" : "'");
            const double value = sign * moving_value(&it, name);
            if (half == 1) {
                assert_near(value, begin[k], tolerance);
            }
            (void)snprintf(texts[k], sizeof texts[k], "%s=%.17g", name, value);
            with.start[k] = texts[k];
        }
        with.start_count = 2 * what->count;
        moving_end(&it);
    }
}

static void there_and_back(void **state)
{
    (void)state;
    static const reversal REVERSALS[] = {
        {"coord p\nkinetic p'^2/2\npotential -9*cos(p)\n", {"p"}, "start p = 1, p' = 2\n", 1},
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential x^2 + y^2/2 + z + x*y*z\n"
         "constraint sphere: x^2 + y^2 + z^2 = 1\n",
         {"x", "y", "z"},
         "start x = 0.6, y = 0, z = 0.8, x' = 0.4, y' = 1, z' = -0.3\n",
         3},
        {"coord x, y, p\nkinetic (x'^2 + y'^2 + p'^2)/2\npotential x^2/2 + y^2/2 + sin(p)\n"
         "constraint knife: y'*cos(p) = x'*sin(p)\n",
         {"x", "y", "p"},
         "start x = 1, y = 0.2, p = 0.3, x' = cos(0.3), y' = sin(0.3), p' = 0.5\n",
         3},
    };
    for (size_t k = 0; k < sizeof REVERSALS / sizeof REVERSALS[0]; k++) {
        go_back(&REVERSALS[k], RH_METHOD_TAYLOR, 1e-12);
        go_back(&REVERSALS[k], RH_METHOD_DOP853, 1e-10);
        go_back(&REVERSALS[k], RH_METHOD_CVODE, 1e-8);
    }
}

// --- gaps --------------------------------------------------------------------------------------

// Where all but every fifth or seventh coefficient vanish the last ones say nothing.
static void series_with_gaps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double until, value;
    } GAPS[] = {
        {"state x\nlaw x' = cos(t^5)\nstart x = 0\n", 2.0, 0.879854170374289458533382931487},
        {"state x\nlaw x' = cos((t - 1)^7)\nstart t = 1, x = 0\n", 3.0,
         0.913603846706039330988815568605},
    };
    for (size_t k = 0; k < sizeof GAPS / sizeof GAPS[0]; k++) {
        for (uint32_t order = 16; order <= 32; order++) {
            const moving_conditions with = {.order = order, .method = RH_METHOD_TAYLOR};
            moving it = moving_begin(GAPS[k].text, &with);
            moving_reach(&it, GAPS[k].until);
            const double error = moving_value(&it, "x") - GAPS[k].value;
            moving_end(&it);
            if (!(fabs(error) <= 1e-11)) {
                fail_msg("order %u: off by %.3g in %s", order, error, GAPS[k].text);
            }
        }
    }
}

// --- what a series does not show ---------------------------------------------------------------

// A pulse far ahead, and walls so steep that the force is nothing between them and infinite behind.
static void forces_that_come_at_once(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\n"
                             "force x: 10*exp(-(10*(t - 1))^2)/sqrt(pi)\nstart x = 0, x' = 0\n",
                             NULL);
    moving_reach(&it, 2.0);
    assert_near(moving_value(&it, "x'"), 1.0, 1e-9);
    moving_end(&it);
    static const char *const EXPONENTS[] = {"400", "1000"};
    for (size_t k = 0; k < sizeof EXPONENTS / sizeof EXPONENTS[0]; k++) {
        char text[120];
        (void)snprintf(text, sizeof text,
                       "coord x\nkinetic x'^2/2\npotential x^%s\nstart x = 1, x' = 0\n",
                       EXPONENTS[k]);
        it = moving_begin(text, NULL);
        moving_reach(&it, 20.0);
        (void)moving_value(&it, "x");
        assert_near(rh_motion_summarise(it.motion).energy_now, 1.0, 1e-7);
        moving_end(&it);
    }
}

// --- which order ---------------------------------------------------------------------------------

static uint32_t order_of(const char *text, double tolerance, bool is_abreast)
{
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    const rh_equations_def derive = rh_equations_def_default();
    rh_motion_def move = rh_motion_def_default();
    move.tolerance = tolerance;
    move.is_abreast = is_abreast;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    assert_int_equal(rh_equations_create(model, &derive, &equations, NULL), RH_OK);
    assert_int_equal(rh_motion_create(equations, &move, &motion, NULL), RH_OK);
    const uint32_t order = rh_motion_summarise(motion).order;
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return order;
}

// Lower where motions may go side by side, and only there: rods have to be projected.
static void orders_are_lower_abreast(void **state)
{
    (void)state;
    assert_int_equal(order_of(SWING, 1e-9, false), 23);
    assert_int_equal(order_of(SWING, 1e-9, true), 15);
    assert_int_equal(order_of(SWING, 1e-3, true), 8);
    assert_int_equal(order_of(BEAD, 1e-9, false), 23);
    assert_int_equal(order_of(BEAD, 1e-9, true), 23);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_lower_abreast), cmocka_unit_test(errors_fall_with_the_order),
        cmocka_unit_test(higher_orders_are_better), cmocka_unit_test(series_with_gaps),
        cmocka_unit_test(forces_that_come_at_once), cmocka_unit_test(errors_follow_tolerances),
        cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
