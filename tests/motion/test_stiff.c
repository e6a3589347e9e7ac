// SPDX-License-Identifier: Apache-2.0
// Stiff and large systems: sparse Jacobians, and implicit methods on them.

#include "motion/moving.h"

#include "motion/motion.h"

// Diffusion and reaction on a line: 2 N unknowns.
static const char REACTION[] =
    "param N = 40, k = 0.02*(N + 1)^2\n"
    "state u[1..N], v[1..N]\n"
    "let p[0] = 1\nlet p[N+1] = 1\nlet q[0] = 3\nlet q[N+1] = 3\n"
    "for i in 1..N: let p[i] = u[i]\n"
    "for i in 1..N: let q[i] = v[i]\n"
    "for i in 1..N: law u[i]' = 1 + p[i]^2*q[i] - 4*p[i] + k*(p[i-1] - 2*p[i] + p[i+1])\n"
    "for i in 1..N: law v[i]' = 3*p[i] - p[i]^2*q[i] + k*(q[i-1] - 2*q[i] + q[i+1])\n"
    "for i in 1..N: start u[i] = 1 + sin(2*pi*i/(N+1)), v[i] = 3\n";

// Functions of all kinds, conditions, an input of the time, one unknown in all equations.
static const char MIXED[] =
    "param N = 48\n"
    "state s, x[1..N]\n"
    "law s' = -s + sin(t)\n"
    "for i in 2..N-1: law x[i]' = tanh(x[i-1]) - if(x[i] > 0.3, x[i+1]*s, exp(-x[i]^2)) + "
    "atan2(x[i], 2 + s)/(1 + x[i+1]^2)\n"
    "law x[1]' = -x[1]*s + abs(x[2])\n"
    "law x[N]' = -x[N]^3 + sqrt(1 + x[1]^2)\n"
    "start s = 0.4\n"
    "for i in 1..N: start x[i] = sin(i)\n";

// Separate pendulums with multipliers: a block for each.
static const char PENDULUMS[] =
    "param N = 20, g = 9.81\n"
    "coord x[1..N], y[1..N]\n"
    "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\n"
    "potential g*sum(i in 1..N: y[i])\n"
    "for i in 1..N: constraint rod[i]: x[i]^2 + y[i]^2 = i\n"
    "for i in 1..N: start x[i] = sqrt(i), y[i] = 0, x[i]' = 0, y[i]' = 0.1\n";

static const char *const MODELS[] = {REACTION, MIXED, PENDULUMS};

// --- Jacobians -----------------------------------------------------------------------------------

static void compare_jacobians(moving *it)
{
    rh_motion *motion = it->motion;
    const rh_tape *tape = motion->system->step;
    const uint32_t n = motion->n;
    rh_jacobian dense;
    rh_jacobian sparse;
    assert_int_equal(rh__jacobian_create(motion, tape, n, &dense, &it->err), RH_OK);
    assert_int_equal(
        rh__jacobian_create_sparse(motion, tape, n, (rh_jacobian_extra){.count = 0}, &sparse, NULL),
        RH_OK);
    assert_true(sparse.is_sparse);
    assert_true(sparse.colour_count < n / 2);
    double *whole = calloc((size_t)n * n, sizeof *whole);
    double *values = calloc((size_t)sparse.sparse.count + 1, sizeof *values);
    assert_true(whole != NULL && values != NULL);
    rh__motion_rate(motion, 0.3, motion->x, motion->x_try);
    assert_true(rh__jacobian_run(&dense, motion->plain, whole));
    assert_true(rh__jacobian_run_sparse(&sparse, motion->plain, values));
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t k = sparse.sparse.start[j]; k < sparse.sparse.start[j + 1]; k++) {
            double *entry = &whole[(size_t)j * n + sparse.sparse.row[k]];
            assert_true(*entry == values[k]);
            *entry = 0.0;
        }
    }
    for (size_t k = 0; k < (size_t)n * n; k++) {
        assert_true(whole[k] == 0.0); // nothing beside the structure
    }
    free(whole);
    free(values);
    rh__jacobian_destroy(&dense);
    rh__jacobian_destroy(&sparse);
}

static void sparse_jacobians_are_the_dense_ones(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        const moving_conditions with = {.is_plain = true};
        moving it = moving_begin(MODELS[k], &with);
        compare_jacobians(&it);
        moving_end(&it);
    }
}

static void refused_memory_is_given_back(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t m = 0; m < 2; m++) {
        support_memory memory = {0};
        const moving_conditions with = {.method = METHODS[m], .memory = &memory};
        rh_status status = RH_E_MEMORY;
        for (size_t at = 1; status != RH_OK; at += 1 + at / 64) {
            moving it;
            memory.request_count = 0;
            memory.fail_at = at;
            status = moving_try(REACTION, &with, &it);
            moving_end(&it);
            assert_int_equal(memory.block_count, 0);
            assert_true(status == RH_OK || status == RH_E_MEMORY);
        }
    }
}

// --- methods on them -----------------------------------------------------------------------------

static void sparse_methods_agree_with_series(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t k = 0; k < 2 * sizeof MODELS / sizeof *MODELS; k++) {
        const moving_conditions with = {
            .method = METHODS[k % 2], .tolerance = 1e-9, .is_plain = true};
        const moving_conditions taylor = {.method = RH_METHOD_TAYLOR, .is_plain = true};
        moving it = moving_begin(MODELS[k / 2], &with);
        moving judge = moving_begin(MODELS[k / 2], &taylor);
        moving_reach(&it, 1.0);
        moving_reach(&judge, 1.0);
        assert_int_equal(it.motion->n, judge.motion->n);
        for (uint32_t i = 0; i < it.motion->n; i++) {
            assert_near(it.motion->x[i], judge.motion->x[i], 3e-6);
        }
        moving_end(&it);
        moving_end(&judge);
    }
}

// Heat on a line of 1500 points: sum of exp(-rate t) modes, the first of which is left at the end.
static const char HEAT[] = "param N = 1500, k = (N+1)^2\n"
                           "state u[1..N]\n"
                           "law u[1]' = k*(u[2] - 2*u[1])\n"
                           "for i in 2..N-1: law u[i]' = k*(u[i+1] - 2*u[i] + u[i-1])\n"
                           "law u[N]' = k*(u[N-1] - 2*u[N])\n"
                           "for i in 1..N: start u[i] = sin(pi*i/(N+1)) + sin(400*pi*i/(N+1))/4\n";

static void more_than_600_unknowns_are_moved(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t k = 0; k < 2; k++) {
        const moving_conditions with = {.method = METHODS[k], .tolerance = 1e-8};
        moving it = moving_begin(HEAT, &with);
        const double width = 1501.0;
        const double pi = acos(-1.0);
        moving_reach(&it, 0.05);
        const double half = sin(pi / (2.0 * width));
        const double rate = 4.0 * width * width * half * half;
        for (uint32_t i = 0; i < it.motion->n; i += 37) {
            const double exact = exp(-rate * 0.05) * sin(pi * (i + 1) / width);
            assert_near(it.motion->x[i], exact, 1e-6);
        }
        moving_end(&it);
    }
}

// --- is it stiff? --------------------------------------------------------------------------------

static const double TOLERANCES[] = {1e-4, 1e-6, 1e-9, 1e-12};
enum { TOLERANCE_COUNT = 4 };

// A model with published values at the end (IVP test set, except where something else is said).
typedef struct stiff_case {
    const char *text;
    double time;
    const char *column;
    double value;
    double factor; // errors may be so many tolerances, relative to the size
    double size;
} stiff_case;

static const char OSCILLATOR[] = "param mu = 1000\nstate x, v\nlaw x' = v\n"
                                 "law v' = mu*(1 - x^2)*v - x\nstart x = 2, v = 0\n";

static const char ROBERTSON[] = "state a, b, c\nlaw a' = -0.04*a + 1e4*b*c\n"
                                "law b' = 0.04*a - 1e4*b*c - 3e7*b^2\nlaw c' = 3e7*b^2\n"
                                "start a = 1, b = 0, c = 0\n";

static const char HIRES[] =
    "state y1, y2, y3, y4, y5, y6, y7, y8\n"
    "law y1' = -1.71*y1 + 0.43*y2 + 8.32*y3 + 0.0007\n"
    "law y2' = 1.71*y1 - 8.75*y2\n"
    "law y3' = -10.03*y3 + 0.43*y4 + 0.035*y5\n"
    "law y4' = 8.32*y2 + 1.71*y3 - 1.12*y4\n"
    "law y5' = -1.745*y5 + 0.43*y6 + 0.43*y7\n"
    "law y6' = -280*y6*y8 + 0.69*y4 + 1.71*y5 - 0.43*y6 + 0.69*y7\n"
    "law y7' = 280*y6*y8 - 1.81*y7\n"
    "law y8' = -280*y6*y8 + 1.81*y7\n"
    "start y1 = 1, y2 = 0, y3 = 0, y4 = 0, y5 = 0, y6 = 0, y7 = 0, y8 = 0.0057\n";

static const char OREGONATOR[] = "state x, y, z\nlaw x' = 77.27*(y + x*(1 - 8.375e-6*x - y))\n"
                                 "law y' = (z - (1 + x)*y)/77.27\nlaw z' = 0.161*(x - z)\n"
                                 "start x = 1, y = 2, z = 3\n";

static const char POLLUTION[] = "state y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, "
                                "y14, y15, y16, y17, y18, y19, y20\n"
                                "let r1 = 0.35*y1\n"
                                "let r2 = 26.6*y2*y4\n"
                                "let r3 = 12300.0*y5*y2\n"
                                "let r4 = 0.00086*y7\n"
                                "let r5 = 0.00082*y7\n"
                                "let r6 = 15000.0*y7*y6\n"
                                "let r7 = 0.00013*y9\n"
                                "let r8 = 24000.0*y9*y6\n"
                                "let r9 = 16500.0*y11*y2\n"
                                "let r10 = 9000.0*y11*y1\n"
                                "let r11 = 0.022*y13\n"
                                "let r12 = 12000.0*y10*y2\n"
                                "let r13 = 1.88*y14\n"
                                "let r14 = 16300.0*y1*y6\n"
                                "let r15 = 4800000.0*y3\n"
                                "let r16 = 0.00035*y4\n"
                                "let r17 = 0.0175*y4\n"
                                "let r18 = 100000000.0*y16\n"
                                "let r19 = 444000000000.0*y16\n"
                                "let r20 = 1240.0*y17*y6\n"
                                "let r21 = 2.1*y19\n"
                                "let r22 = 5.78*y19\n"
                                "let r23 = 0.0474*y1*y4\n"
                                "let r24 = 1780.0*y19*y1\n"
                                "let r25 = 3.12*y20\n"
                                "law y1' = -r1-r10-r14-r23-r24+r2+r3+r9+r11+r12+r22+r25\n"
                                "law y2' = -r2-r3-r9-r12+r1+r21\n"
                                "law y3' = -r15+r1+r17+r19+r22\n"
                                "law y4' = -r2-r16-r17-r23+r15\n"
                                "law y5' = -r3+r4+r4+r6+r7+r13+r20\n"
                                "law y6' = -r6-r8-r14-r20+r3+r18+r18\n"
                                "law y7' = -r4-r5-r6+r13\n"
                                "law y8' = +r4+r5+r6+r7\n"
                                "law y9' = -r7-r8\n"
                                "law y10' = -r12+r7+r9\n"
                                "law y11' = -r9-r10+r8+r11\n"
                                "law y12' = +r9\n"
                                "law y13' = -r11+r10\n"
                                "law y14' = -r13+r12\n"
                                "law y15' = +r14\n"
                                "law y16' = -r18-r19+r16\n"
                                "law y17' = -r20\n"
                                "law y18' = +r20\n"
                                "law y19' = -r21-r22-r24+r23+r25\n"
                                "law y20' = -r25+r24\n"
                                "start y1 = 0, y2 = 0.2, y3 = 0, y4 = 0.04, y5 = 0, y6 = 0, y7 = "
                                "0.1, y8 = 0.3, y9 = 0.01, y10 = 0, y11 = 0, y12 = 0, y13 = 0, y14 "
                                "= 0, y15 = 0, y16 = 0, y17 = 0.007, y18 = 0, y19 = 0, y20 = 0\n";

static const stiff_case STIFF[] = {
    {OSCILLATOR, 2000.0, "x", 0.1706167732170483e1, 1e4, 1.0},
    {ROBERTSON, 40.0, "a", 0.7158270687194012, 1e3, 1.0}, // Hairer, Wanner II, and many others
    {HIRES, 321.8122, "y1", 0.7371312573325668e-3, 1e3, 1.0},
    {POLLUTION, 60.0, "y1", 0.5646255480022769e-1, 1e4, 1.0},
    {OREGONATOR, 360.0, "x", 0.1000814870318523e1, 1e5, 1.0},
    {ROBERTSON, 1e11, "a", 0.2083340149701255e-7, 1e3, 0.2e-7}, // IVP test set
    {ROBERTSON, 1e11, "b", 0.8333360770334713e-13, 1e3, 0.8e-13},
};

static void stiff_equations_are_found_at_every_tolerance(void **state)
{
    (void)state;
    for (size_t k = 0; k < TOLERANCE_COUNT * sizeof STIFF / sizeof *STIFF; k++) {
        const stiff_case *one = &STIFF[k / TOLERANCE_COUNT];
        const double tolerance = TOLERANCES[k % TOLERANCE_COUNT];
        moving it = moving_begin(one->text, &(moving_conditions){.tolerance = tolerance});
        moving_reach(&it, one->time);
        const double off = fabs(moving_value(&it, one->column) - one->value);
        if (!(off <= one->factor * tolerance * one->size) ||
            strcmp(rh_motion_method(it.motion), "cvode") != 0 ||
            rh_motion_summarise(it.motion).steps > 12000) {
            fail_msg("%s off by %g at %g: %s, %llu steps, %s", one->column, off, tolerance,
                     rh_motion_method(it.motion),
                     (unsigned long long)rh_motion_summarise(it.motion).steps,
                     rh_motion_method_reason(it.motion));
        }
        assert_non_null(strstr(rh_motion_method_reason(it.motion), "stiff at t"));
        moving_end(&it);
    }
}

// E5 of the stiff test set: concentrations fall from 1e-3 to 1e-22, and y2 = y3 + y4. References:
// 40 digits.
static void small_concentrations(void **state)
{
    (void)state;
    static const char TEXT[] = "param A = 7.89e-10, B = 1.1e7, M = 1e6, C = 1.13e3\n"
                               "state y1, y2, y3, y4\nlaw y1' = -A*y1 - B*y1*y3\n"
                               "law y2' = A*y1 - M*C*y2*y3\n"
                               "law y3' = A*y1 - B*y1*y3 - M*C*y2*y3 + C*y4\n"
                               "law y4' = B*y1*y3 - C*y4\n"
                               "start y1 = 1.76e-3, y2 = 0, y3 = 0, y4 = 0\n";
    static const rh_method METHODS[] = {RH_METHOD_AUTO, RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        moving it =
            moving_begin(TEXT, &(moving_conditions){.tier = RH_TIER_AUTO, .method = METHODS[k]});
        moving_reach(&it, 1e7);
        assert_near_by(moving_value(&it, "y1"), 4.715033363e-10, 1e-8, 0.0);
        assert_near_by(moving_value(&it, "y2"), 1.8188895861e-14, 1e-8, 0.0);
        assert_near_by(moving_value(&it, "y4"), 8.348402e-20, 1e-6, 0.0);
        moving_reach(&it, 1e13);
        assert_near_by(moving_value(&it, "y2"), 8.861234e-23, 1e-6, 0.0);
        assert_near_by(moving_value(&it, "y3"), 8.861234e-23, 1e-6, 0.0);
        assert_near_by(moving_value(&it, "y1"), 0.0, 0.0, 1e-40);
        assert_true(rh_motion_summarise(it.motion).steps < 40000);
        moving_end(&it);
    }
}

static void large_stiff_equations_are_found(void **state)
{
    (void)state;
    moving it = moving_begin(HEAT, &(moving_conditions){.tolerance = 1e-6});
    moving_reach(&it, 0.05);
    assert_string_equal(rh_motion_method(it.motion), "cvode");
    assert_true(rh_motion_summarise(it.motion).steps < 1000);
    moving_end(&it);
}

// A fast oscillation that does not decay is a motion, however small it is.
static void oscillations_are_no_stiffness(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\npotential 1e8*(x - cos(t))^2/2\n"
                             "start x = 1, x' = 0\n",
                             &(moving_conditions){.tolerance = 1e-4});
    moving_reach(&it, 2.0);
    assert_string_equal(rh_motion_method(it.motion), "taylor");
    assert_non_null(strstr(rh_motion_method_reason(it.motion), "oscillation"));
    moving_end(&it);
}

// What decays fast at first does so slowly later: series take over again.
static void stiffness_may_end(void **state)
{
    (void)state;
    moving it = moving_begin("state x\nlaw x' = -(1 + 1e4*exp(-t))*(x - cos(3*t))\nstart x = 1\n",
                             &(moving_conditions){.tolerance = 1e-6});
    moving_reach(&it, 0.5);
    assert_string_equal(rh_motion_method(it.motion), "cvode");
    moving_reach(&it, 60.0);
    assert_string_equal(rh_motion_method(it.motion), "taylor");
    assert_non_null(strstr(rh_motion_method_reason(it.motion), "in parts"));
    assert_near(moving_value(&it, "x"), (cos(180.0) + 3.0 * sin(180.0)) / 10.0, 1e-4);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_jacobians_are_the_dense_ones),
        cmocka_unit_test(refused_memory_is_given_back),
        cmocka_unit_test(sparse_methods_agree_with_series),
        cmocka_unit_test(more_than_600_unknowns_are_moved),
        cmocka_unit_test(stiff_equations_are_found_at_every_tolerance),
        cmocka_unit_test(small_concentrations),
        cmocka_unit_test(large_stiff_equations_are_found),
        cmocka_unit_test(oscillations_are_no_stiffness),
        cmocka_unit_test(stiffness_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
