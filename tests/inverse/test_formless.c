// SPDX-License-Identifier: Apache-2.0
// Reactions without formulas: where there are formulas both ways give the same residuals; where
// there are none the conditions are refuted all the same.

#include "inverse/helmholtz_cases.h"

// The residual of a condition at a point, from formulas.
static double residual_at(rh_inverse *inverse, const rh_residual *of)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_balls *ball = rh__balls_create(&scratch, 1);
    assert_non_null(ball);
    assert_true(rh__prover_balls(inverse->store, &inverse->prover, &of->e, 1, inverse->witness,
                                 &scratch, ball));
    const double value = rh__balls_middle(ball, 0);
    rh__balls_destroy(ball);
    rh__arena_end(&scratch);
    return value;
}

// Every failure that was found without formulas has the value of the formula; and there are as many
// as formulas that do not vanish, as far as they were asked.
static void compare(rh_inverse *inverse, uint32_t equivalent)
{
    const rh_trial *trial = &inverse->trials.data[0];
    const double scale = equivalent == 4 ? -0.5 : 1.0;
    const uint32_t j = inverse->failures.data[0].index[2] - 1;
    uint32_t count = 0;
    for (uint32_t k = 0; k < trial->residuals.count; k++) {
        const rh_residual *it = &trial->residuals.data[k];
        if (it->equivalent != equivalent || (equivalent == 3 && it->index[2] != j)) {
            continue;
        }
        const double value = scale * residual_at(inverse, it);
        bool is_found = false;
        for (uint32_t f = 0; f < inverse->failures.count; f++) {
            const rh_inverse_failure *failure = &inverse->failures.data[f];
            if (failure->index[0] == it->index[0] + 1 && failure->index[1] == it->index[1] + 1 &&
                failure->index[2] == it->index[2] + 1) {
                assert_near(failure->low, value, 1e-13 * (1.0 + fabs(value)));
                is_found = true;
                count++;
            }
        }
        assert_true(is_found || fabs(value) < 1e-30);
    }
    assert_int_equal(count, inverse->failures.count);
}

static void test_agreement(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t equivalent;
    } CASES[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
         "constraint rod: x^2 + y^2 = 1\n",
         3},
        {"coord x, y, u, w\nkinetic (x'^2 + y'^2 + 2*u'^2 + 2*w'^2)/2 + u*x'^2/5 + x'*w'/9\n"
         "potential 9.81*(y + w)\nconstraint a: x^2 + y^2 = 1\n"
         "constraint b: (u - x)^2 + (w - y)^2 = 1 + t/7\n",
         3},
        {"coord x, y, phi\nkinetic (x'^2 + y'^2)/2 + (2 + x^2)*phi'^2\n"
         "constraint blade: x'*sin(phi) = y'*cos(phi)\n",
         3},
        // a field with sources: only (iv) fails
        {"coord x, y, z, u\nkinetic (x'^2 + y'^2 + z'^2 + u'^2)/2\n"
         "force x: z*y' - y*z'\nforce y: x*z' - z*x'\nforce z: y*x' - x*y'\n"
         "constraint flat: u = 3\n",
         4},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        asked it = ask_text(CASES[k].text);
        assert_int_equal(it.status, RH_OK);
        rh_inverse *inverse = it.inverse;
        assert_int_equal(inverse->trials.data[0].whole.verdict, RH_INVERSE_FAILS);
        assert_null(inverse->implicit);
        // the same question again, without the formulas
        inverse->failures.count = 0;
        assert_int_equal(rh__inverse_take_implicit(inverse, &it.err), RH_OK);
        rh_trial *trial = &inverse->trials.data[0];
        const uint32_t residuals = trial->residuals.count;
        assert_int_equal(rh__inverse_try_implicit(inverse), RH_OK);
        trial->residuals.count = residuals;
        assert_int_equal(trial->whole.verdict, RH_INVERSE_FAILS);
        assert_true(inverse->failures.count > 0);
        compare(inverse, CASES[k].equivalent);
        asked_end(&it);
    }
}

// Long chains, the bicycle: the equations have no formula that one could write down.
static void test_long(void **state)
{
    (void)state;
    static const char *const MODELS[] = {"examples/chain/model.rhe", "examples/four_bar/model.rhe"};
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        rh_model *model = support_model(MODELS[k]);
        char names[9];
        asked it = ask_model(model);
        assert_int_equal(it.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
        assert_int_equal(summary.verdict, RH_INVERSE_FAILS);
        assert_true(summary.is_proved);
        assert_string_equal(failing(it.inverse, names), "35");
        assert_true(rh_inverse_failure_count(it.inverse) > 0);
        assert_non_null(strstr(summary.note, "in balls"));
        asked_end(&it);
    }
}

// What is not refuted in balls is not proved either.
static void test_open(void **state)
{
    (void)state;
    enum { N = 8 };
    char text[2000] = "";
    size_t size = 0;
    size += (size_t)snprintf(text, sizeof text,
                             "coord x[1..%d]\nkinetic sum(i in 1..%d: x[i]'^2)\n"
                             "potential sum(i in 1..%d: x[i]^4)\n",
                             N, N, N);
    for (int k = 1; k < N; k++) {
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "constraint c%d: x[%d] + %d*x[%d] + t*x[%d] = t\n", k, k, k, k + 1,
                                 (k + 2) % N + 1);
    }
    asked it = ask_text(text);
    assert_int_equal(it.status, RH_OK);
    const rh_inverse_summary summary = rh_inverse_summarise(it.inverse);
    assert_non_null(it.inverse->implicit);
    assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
    assert_false(summary.is_proved);
    assert_true(summary.point_count > 0);
    assert_string_equal(summary.lagrangian, "");
    asked_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
