// SPDX-License-Identifier: Apache-2.0
// The consistent start: what `start` names stays as written to the last bit, everything else moves
// as little as possible in the metric of the kinetic energy.

#include "derived.h"

static void find_sound(const char *text, derived *out)
{
    derive_sound(text, &(conditions){0}, out);
}

static double at(const derived *it, const char *name)
{
    return value_named(it, &it->start.point, name);
}

// --- what binds ----------------------------------------------------------------------------------

static void bound_values_stay(void **state)
{
    (void)state;
    derived it;
    find_sound("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\n"
               "start x = 0.6, x' = 0.1\nguess y = 1\n",
               &it);
    assert_true(at(&it, "x") == 0.6 && at(&it, "x'") == 0.1);
    assert_near(at(&it, "y"), 0.8, 1e-15);
    assert_near(at(&it, "y'"), -0.075, 1e-15);
    assert_int_equal(it.start.moved.count, 2);
    assert_near(it.start.residuals[0][0], 0.0, 1e-15);
    assert_near(it.start.residuals[0][1], 0.0, 1e-15);
    derived_end(&it);
}

// The example of the language manual.
static void lets_and_quasi_velocities_bind(void **state)
{
    (void)state;
    derived it;
    find_sound("param l = 1, g = 9.81\n"
               "coord x, y, z\n"
               "let height = z\n"
               "let across = (x^2 + y^2)/2\n"
               "kinetic   (x'^2 + y'^2 + z'^2)/2\n"
               "potential g*height\n"
               "constraint bowl: x^2 + y^2 + z^2 = l^2\n"
               "quasi spiral = x*y' - y*x'\n"
               "start height = -l/2, across' = 0, spiral = 1/2, y = 0\n"
               "guess x = 1\n",
               &it);
    assert_near(at(&it, "x"), sqrt(0.75), 1e-14);
    assert_true(at(&it, "y") == 0.0);
    assert_near(at(&it, "z"), -0.5, 1e-14);
    assert_near(at(&it, "x'"), 0.0, 1e-14);
    assert_near(at(&it, "y'"), 0.5 / sqrt(0.75), 1e-14);
    assert_near(at(&it, "z'"), 0.0, 1e-14);
    assert_near(at(&it, "spiral"), 0.5, 1e-14); // follows
    derived_end(&it);
}

static void guesses_choose_the_branch(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\n"
                       "start x = 0.6\nguess y = %d, y' = 2\n",
                       side);
        derived it;
        find_sound(text, &it);
        assert_near(at(&it, "y"), 0.8 * side, 1e-15);
        // the nearest to (0, 2) along (y, -x)
        assert_near(at(&it, "y'"), 0.72, 1e-14);
        assert_near(at(&it, "x'"), -0.96 * side, 1e-14);
        derived_end(&it);
    }
}

static void time_and_multipliers_bind(void **state)
{
    (void)state;
    derived it;
    find_sound("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x = sin(t)\n"
               "constraint b: y' = x' by vakonomic\nstart t = 2, lambda.b = 0.25\n",
               &it);
    assert_true(at(&it, "t") == 2.0 && at(&it, "lambda.b") == 0.25);
    assert_near(at(&it, "x"), sin(2), 1e-15);
    assert_near(at(&it, "x'"), cos(2), 1e-15);
    assert_near(at(&it, "y'"), cos(2), 1e-15);
    derived_end(&it);
}

// `= const` takes what it finds; a constraint with a law is left alone; friction keeps nothing.
static void what_is_not_projected(void **state)
{
    (void)state;
    derived it;
    find_sound("state x, y\nlaw x' = -y\nlaw y' = x\nconstraint c: x^2 + y^2 = const\n"
               "guess x = 3, y = 4\n",
               &it);
    assert_int_equal(it.start.moved.count, 0);
    assert_near(at(&it, "const.c"), 25.0, 1e-15);
    assert_true(it.start.residuals[0][0] == 0.0);
    derived_end(&it);
    find_sound("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
               "constraint c: x^2 + y^2 = 1 with c'' = -c - 2*c'\n"
               "constraint d: x' = 1 by friction(10)\nguess x = 3, y = 4, x' = 2\n",
               &it);
    assert_int_equal(it.start.moved.count, 0);
    assert_near(it.start.residuals[0][0], 24.0, 1e-15);
    assert_near(it.start.residuals[0][1], 12.0, 1e-15);
    derived_end(&it);
    // of a constant only the value is free: its rate is a constraint like any other
    find_sound("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x*y = const\n"
               "start x = 1, y = 2\nguess x' = 5, y' = 5\n",
               &it);
    assert_near(at(&it, "const.c"), 2.0, 1e-15);
    assert_near(at(&it, "x'"), -1.0, 1e-14);
    assert_near(at(&it, "y'"), 2.0, 1e-14);
    derived_end(&it);
}

// --- the least move ------------------------------------------------------------------------------

enum { MOST = 8 };

/// Solve a x = b in place, by elimination with row exchanges.
static void solve_small(uint32_t n, double a[MOST][MOST], double *b)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k; i < n; i++) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        for (uint32_t j = 0; j < n; j++) {
            const double kept = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = kept;
        }
        const double kept = b[k];
        b[k] = b[best];
        b[best] = kept;
        for (uint32_t i = k + 1; i < n; i++) {
            const double factor = a[i][k] / a[k][k];
            for (uint32_t j = k; j < n; j++) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

/// Random masses, two linear constraints rows x = right and a draft; `bound` variables stay.
typedef struct projection {
    uint32_t n, bound;
    double mass[MOST][MOST], rows[2][MOST], right[2], draft[MOST];
} projection;

static void draw_projection(support_random *random, projection *out)
{
    *out = (projection){.n = 4 + support_random_below(random, 2),
                        .bound = support_random_below(random, 2)};
    for (uint32_t i = 0; i < out->n; i++) {
        out->mass[i][i] = support_random_real(random, 0.5, 3);
        out->draft[i] = support_random_real(random, -2, 2);
        out->rows[0][i] = support_random_real(random, -1, 1);
        out->rows[1][i] = support_random_real(random, -1, 1);
    }
    double along[MOST];
    for (uint32_t i = 0; i < out->n; i++) {
        along[i] = support_random_real(random, -1, 1);
    }
    for (uint32_t i = 0; i < out->n; i++) {
        for (uint32_t j = 0; j < out->n; j++) {
            out->mass[i][j] += along[i] * along[j];
        }
    }
    out->right[0] = support_random_real(random, -1, 1);
    out->right[1] = support_random_real(random, -1, 1);
}

// Stationary: mass (x - draft) + rows^T mu = 0 on the free ones, rows x = right.
static void project(const projection *it, double *x)
{
    double a[MOST][MOST] = {{0}};
    double b[MOST] = {0};
    const uint32_t free = it->n - it->bound;
    for (uint32_t i = 0; i < free; i++) {
        for (uint32_t j = 0; j < free; j++) {
            a[i][j] = it->mass[it->bound + i][it->bound + j];
        }
        for (uint32_t k = 0; k < 2; k++) {
            a[i][free + k] = a[free + k][i] = it->rows[k][it->bound + i];
        }
    }
    for (uint32_t k = 0; k < 2; k++) {
        b[free + k] = it->right[k];
        for (uint32_t i = 0; i < it->n; i++) {
            b[free + k] -= it->rows[k][i] * it->draft[i];
        }
    }
    solve_small(free + 2, a, b);
    for (uint32_t i = 0; i < it->n; i++) {
        x[i] = it->draft[i] + (i < it->bound ? 0.0 : b[i - it->bound]);
    }
}

// The model: the constraints hold positions (then the draft is one of positions) or velocities.
static void write_projection(const projection *it, bool is_velocity, char *text, size_t size)
{
    const char *const prime = is_velocity ? "'" : "";
    size_t at = (size_t)snprintf(text, size, "coord q[1..%u]\n", it->n);
    for (uint32_t i = 0; i < it->n; i++) {
        for (uint32_t j = 0; j < it->n; j++) {
            at += (size_t)snprintf(text + at, size - at, "kinetic (%.17g)*q[%u]'*q[%u]'/2\n",
                                   it->mass[i][j], i + 1, j + 1);
        }
    }
    for (uint32_t k = 0; k < 2; k++) {
        at += (size_t)snprintf(text + at, size - at, "constraint c%u: ", k);
        for (uint32_t i = 0; i < it->n; i++) {
            at += (size_t)snprintf(text + at, size - at, "%s(%.17g)*q[%u]%s", i > 0 ? " + " : "",
                                   it->rows[k][i], i + 1, prime);
        }
        at += (size_t)snprintf(text + at, size - at, " = %.17g\n", it->right[k]);
    }
    for (uint32_t i = 0; i < it->n; i++) {
        at += (size_t)snprintf(text + at, size - at, "%s q[%u]%s = %.17g\n",
                               i < it->bound ? "start" : "guess", i + 1, prime, it->draft[i]);
    }
    assert_true(at < size);
}

static void moves_are_least(void **state)
{
    (void)state;
    support_random random = support_random_begin("least moves");
    for (uint32_t k = 0; k < 20; k++) {
        projection of;
        char text[8192];
        draw_projection(&random, &of);
        for (uint32_t is_velocity = 0; is_velocity < 2; is_velocity++) {
            double x[MOST];
            derived it;
            write_projection(&of, is_velocity != 0, text, sizeof text);
            project(&of, x);
            find_sound(text, &it);
            for (uint32_t i = 0; i < of.n; i++) {
                char name[16];
                (void)snprintf(name, sizeof name, "q[%u]%s", i + 1, is_velocity != 0 ? "'" : "");
                assert_near(at(&it, name), x[i], 1e-11);
                assert_true(i >= of.bound || at(&it, name) == of.draft[i]);
            }
            derived_end(&it);
        }
    }
}

// The point of the unit circle nearest to (x, y), where x counts once and y four times.
static double nearest_angle(double x, double y)
{
    double best = 0.0;
    double least = INFINITY;
    for (double angle = -3.2; angle < 3.2; angle += 1e-3) {
        const double far = pow(cos(angle) - x, 2) + 4 * pow(sin(angle) - y, 2);
        best = far < least ? angle : best;
        least = fmin(least, far);
    }
    for (int k = 0; k < 10; k++) { // Newton
        const double c = cos(best);
        const double s = sin(best);
        const double slope = -s * (c - x) + 4 * c * (s - y);
        best -= slope / (s * s - c * (c - x) + 4 * c * c - 4 * s * (s - y));
    }
    return best;
}

static void the_nearest_point_of_a_circle(void **state)
{
    (void)state;
    static const double guesses[][2] = {{3, 4},      {0.3, 0.2}, {-0.9, 0.4}, {0.05, 0.7},
                                        {-20, 30},   {2, -0.1},  {0.5, 0.5},  {1, 1e-9},
                                        {-1e3, 500}, {0.6, -0.8}};
    for (size_t k = 0; k < sizeof guesses / sizeof *guesses; k++) {
        char text[256];
        derived it;
        const double x = guesses[k][0];
        const double y = guesses[k][1];
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + 4*y'^2)/2\nconstraint c: x^2 + y^2 = 1\n"
                       "guess x = %.17g, y = %.17g\n",
                       x, y);
        find_sound(text, &it);
        const double angle = nearest_angle(x, y);
        assert_near(at(&it, "x"), cos(angle), 1e-7);
        assert_near(at(&it, "y"), sin(angle), 1e-7);
        assert_near(hypot(at(&it, "x"), at(&it, "y")), 1.0, 1e-15);
        derived_end(&it);
    }
}

static void massless_directions_are_plain(void **state)
{
    (void)state;
    derived it;
    // y has no mass: the metric 1 is taken for it
    find_sound("coord x, y\nkinetic x'^2/2\nconstraint c: x + y = 2\n", &it);
    assert_near(at(&it, "x"), 1.0, 1e-15);
    assert_near(at(&it, "y"), 1.0, 1e-15);
    derived_end(&it);
}

// --- redundancy, exactness -----------------------------------------------------------------------

static void redundant_constraints_do_no_harm(void **state)
{
    (void)state;
    derived it;
    find_sound("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x^2 + y^2 = 1\n"
               "constraint b: 3*x^2 + 3*y^2 = 3\nconstraint c: x*x' + y*y' = 0\n"
               "guess x = 3, y = 4, x' = 1\n",
               &it);
    assert_near(at(&it, "x"), 0.6, 1e-14);
    assert_near(at(&it, "y"), 0.8, 1e-14);
    assert_near(at(&it, "x'"), 0.64, 1e-14);
    assert_near(at(&it, "y'"), -0.48, 1e-14);
    derived_end(&it);
    // a closed loop: four rods, the fifth distance follows
    find_sound("coord x[1..3], y[1..3]\n"
               "kinetic sum(i in 1..3: (x[i]'^2 + y[i]'^2)/2)\n"
               "constraint a: x[1]^2 + y[1]^2 = 1\n"
               "constraint b: (x[2] - x[1])^2 + (y[2] - y[1])^2 = 1\n"
               "constraint c: (x[3] - x[2])^2 + (y[3] - y[2])^2 = 1\n"
               "constraint d: (x[3] - 1)^2 + y[3]^2 = 1\n"
               "constraint p: x[1] + 1 = x[2]\nconstraint q: y[1] = y[2]\n"
               "guess x = [0.1, 1.2, 2.3], y = [1, 1.1, 0]\n",
               &it);
    for (uint32_t k = 0; k < 6; k++) {
        assert_near(it.start.residuals[k][0], 0.0, 1e-9);
    }
    derived_end(&it);
}

static const char *const EXACT[] = {
    "examples/andrews/model.rhe",        "examples/bertrand/model.rhe",
    "examples/bricard/model.rhe",        "examples/chain/model.rhe",
    "examples/four_bar/n40.rhe",         "examples/knife_edge/model.rhe",
    "examples/lorenz_chetaev/model.rhe", "examples/pendulum_program/model.rhe",
    "examples/two_mass_rod/model.rhe",   "examples/beghin_servo/model.rhe",
    "examples/changing_mass/model.rhe",  "examples/servo_rod/model.rhe",
};

// A start that is right as written is not touched, not even in the last bit.
static void nothing_moves_without_need(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof EXACT / sizeof *EXACT; k++) {
        size_t size = 0;
        char *text = support_read(EXACT[k], &size);
        derived it;
        rh_point draft;
        find_sound(text, &it);
        free(text);
        assert_int_equal(rh__point_create(&it.layout, &it.arena, &draft), RH_OK);
        assert_int_equal(rh__start_draft(it.equations, &it.arena, &draft), RH_OK);
        assert_int_equal(it.start.moved.count, 0);
        const uint32_t moving = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE;
        for (uint32_t slot = 0; slot < it.layout.symbols.count; slot++) {
            const rh_expr symbol = it.layout.symbols.data[slot];
            if ((rh__expr_mask(it.equations->store, symbol) & moving) != 0) {
                assert_true(draft.values[slot] == it.start.point.values[slot]);
            }
        }
        derived_end(&it);
    }
}

static void wandering_stays_on_the_constraints(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof EXACT / sizeof *EXACT; k++) {
        size_t size = 0;
        char *text = support_read(EXACT[k], &size);
        derived it;
        rh_point there;
        bool is_met = false;
        find_sound(text, &it);
        free(text);
        assert_int_equal(
            rh__start_wander(it.equations, &it.start.point, 0.02, 5, &it.arena, &there, &is_met),
            RH_OK);
        assert_true(is_met);
        derived_end(&it);
    }
}

// --- what cannot be met --------------------------------------------------------------------------

static const rh_remark *find_contradiction(const char *text, derived *out)
{
    *out = derive_any(text, &(conditions){0});
    find_start(out);
    assert_false(out->start.is_consistent);
    assert_true(out->diagnostics.remarks.count > 0);
    const rh_remark *last = &out->diagnostics.remarks.data[out->diagnostics.remarks.count - 1];
    assert_true(last->code == RH_DIAGNOSTIC_E407 || last->code == RH_DIAGNOSTIC_E411);
    assert_non_null(last->repair);
    return last;
}

// R05 with v2 = (5, -1, -2). The nearest velocities in the metric of the masses: lambda = -0.096,
// v1 += 0.096 d, v2 -= 0.064 d, d = (3, 0, 4).
static void contradictions_tell_the_nearest_start(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("tests/golden/models/r05_hidden_level.rhe", &size);
    derived it;
    const rh_remark *remark = find_contradiction(text, &it);
    free(text);
    static const char *const parts[] = {"z1' = 0.384 (not 0)", "x1' = 1.288 (not 1)",
                                        "z2' = -2.256 (not -2)", "x2' = 4.808 (not 5)"};
    for (size_t k = 0; k < 4; k++) {
        assert_non_null(strstr(remark->repair, parts[k]));
    }
    assert_near(it.start.residuals[0][1], 8.0, 1e-14);
    assert_true(at(&it, "z2'") == -2.0); // the point is the one that was written
    derived_end(&it);
}

static void contradicting_lets_and_constraints(void **state)
{
    (void)state;
    derived it;
    const rh_remark *remark = find_contradiction(
        "coord x\nkinetic x'^2/2\nlet twice = 2*x\nstart x = 1, twice = 3\n", &it);
    assert_non_null(strstr(remark->message, "missed by -1"));
    assert_non_null(strstr(remark->repair, "x = 1.5 (not 1)"));
    derived_end(&it);
    remark = find_contradiction("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x + y = 1\n"
                                "constraint b: x + y = 2\n",
                                &it);
    assert_non_null(strstr(remark->repair, "no consistent start was found"));
    derived_end(&it);
}

// --- large ---------------------------------------------------------------------------------------

// A chain of 1000 rods, hung from its guesses alone: a wave of wrong lengths.
static void a_long_chain_finds_its_start(void **state)
{
    (void)state;
    derived it;
    find_sound("param N = 1000, l = 1/N\n"
               "coord x[1..N], y[1..N]\n"
               "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\n"
               "constraint top: x[1]^2 + y[1]^2 = l^2\n"
               "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
               "for i in 1..N: guess x[i] = 0.9*i*l, y[i] = 0.05*sin(20*i*l), x[i]' = i*l\n",
               &it);
    for (uint32_t k = 0; k < it.equations->links.count; k++) {
        assert_near(it.start.residuals[k][0], 0.0, 1e-12);
        assert_near(it.start.residuals[k][1], 0.0, 1e-12);
    }
    derived_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound_values_stay),
        cmocka_unit_test(lets_and_quasi_velocities_bind),
        cmocka_unit_test(guesses_choose_the_branch),
        cmocka_unit_test(time_and_multipliers_bind),
        cmocka_unit_test(what_is_not_projected),
        cmocka_unit_test(moves_are_least),
        cmocka_unit_test(the_nearest_point_of_a_circle),
        cmocka_unit_test(massless_directions_are_plain),
        cmocka_unit_test(redundant_constraints_do_no_harm),
        cmocka_unit_test(nothing_moves_without_need),
        cmocka_unit_test(wandering_stays_on_the_constraints),
        cmocka_unit_test(contradictions_tell_the_nearest_start),
        cmocka_unit_test(contradicting_lets_and_constraints),
        cmocka_unit_test(a_long_chain_finds_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
