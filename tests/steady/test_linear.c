// SPDX-License-Identifier: Apache-2.0
// Linear systems: against differences at 60 digits on random models, a cart with a pole by hand,
// the benchmark bicycle.

#include "random_models.h"
#include "resting.h"

#include <math.h>

static rh_linear *linearise(resting *it, const rh_linear_def *def)
{
    rh_linear *linear = NULL;
    const rh_status status = rh_linear_create(it->equations, def, &linear, &it->err);
    if (status != RH_OK) {
        print_error("%s\n", it->err.message);
    }
    assert_int_equal(status, RH_OK);
    return linear;
}

static uint32_t state_of(const rh_linear_system *system, char letter, uint32_t number)
{
    char name[16];
    (void)snprintf(name, sizeof name, "%c%u", letter, number);
    for (uint32_t k = 0; k < system->state_count; k++) {
        if (strcmp(system->states[k], name) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

// Which row of the reference is which state; cyclic coordinates have no slopes there.
static void compare(const rh_linear_system *system, const random_model *model, uint32_t n)
{
    uint32_t place[16];
    for (uint32_t k = 0; k < model->size; k++) {
        place[k] = k < n ? state_of(system, 'q', k + 1) : state_of(system, 'w', k - n + 1);
        for (uint32_t i = 0; place[k] == UINT32_MAX && i < model->size; i++) {
            assert_true(i < n || fabs(model->matrix[i * model->size + k]) < 1e-12);
        }
    }
    double largest = 0.0;
    for (uint32_t k = 0; k < model->size * model->size; k++) {
        largest = fmax(largest, fabs(model->matrix[k]));
    }
    for (uint32_t i = 0; i < model->size; i++) {
        for (uint32_t j = 0; j < model->size; j++) {
            if (place[i] != UINT32_MAX && place[j] != UINT32_MAX) {
                assert_near_by(system->a[place[i] + (size_t)place[j] * system->state_count],
                               model->matrix[i * model->size + j], 1e-12, 1e-13 * largest);
            }
        }
    }
}

static void random_models_against_differences(void **state)
{
    (void)state;
    const resting_call call = {.fix_count = 0};
    for (size_t k = 0; k < sizeof RANDOM_MODELS / sizeof *RANDOM_MODELS; k++) {
        resting it;
        resting_derive(RANDOM_MODELS[k].text, &call, &it);
        const rh_linear_def def = rh_linear_def_default();
        rh_linear *linear = linearise(&it, &def);
        const rh_linear_system system = rh_linear_look(linear);
        uint32_t coordinates = 1;
        for (const char *at = strchr(RANDOM_MODELS[k].text, ','); at != NULL && *at != '\n'; at++) {
            coordinates += *at == ',';
        }
        compare(&system, &RANDOM_MODELS[k], coordinates);
        rh_linear_destroy(linear);
        resting_end(&it);
    }
}

// --- by hand -------------------------------------------------------------------------------------

static void a_cart_with_a_pole(void **state)
{
    (void)state;
    static const char TEXT[] = "param M = 1, m = 0.2, l = 0.5, g = 9.81\n"
                               "coord x, th\ninput u = sin(t)\n"
                               "kinetic M/2*x'^2 + m/2*((x + l*sin(th))'^2 + (l*cos(th))'^2)\n"
                               "potential m*g*l*cos(th)\nforce x: u - x'/10\n"
                               "observe tip = x' + l*cos(th)*th'\n";
    static const double A[] = {0.0, -1.962, 23.544, 0.0, -0.1, 0.2, 1.0, 0.0, 0.0};
    static const double B[] = {0.0, 1.0, -2.0};
    static const char *const INPUTS[] = {"u"};
    static const char *const OUTPUTS[] = {"th", "tip", "x'"};
    static const double C[] = {1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.5, 0.0};
    const resting_call call = {.fix_count = 0};
    resting it;
    resting_derive(TEXT, &call, &it);
    rh_linear_def def = rh_linear_def_default();
    def.inputs = INPUTS;
    def.input_count = 1;
    def.outputs = OUTPUTS;
    def.output_count = 3;
    rh_linear *linear = linearise(&it, &def);
    const rh_linear_system system = rh_linear_look(linear);
    assert_int_equal(system.state_count, 3); // th, x', th'
    for (uint32_t k = 0; k < 9; k++) {
        assert_near(system.a[k], A[k], 1e-13);
        assert_near(system.c[k], C[k], 1e-13);
    }
    for (uint32_t k = 0; k < 3; k++) {
        assert_near(system.b[k], B[k], 1e-13);
        assert_near(system.d[k], 0.0, 1e-13);
    }
    assert_true(system.is_steady);
    rh_linear_destroy(linear);
    resting_end(&it);
}

// An input inside a holonomic constraint moves what depends on it.
static void an_input_in_a_constraint(void **state)
{
    (void)state;
    static const char *const INPUTS[] = {"h"};
    static const char *const OUTPUTS[] = {"y"};
    const resting_call call = {.fix_count = 0};
    resting it;
    resting_derive("param h = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 3*y + x^2\n"
                   "constraint ramp: y = h*x\nstart x = 0.5\nguess y = 1\n",
                   &call, &it);
    rh_linear_def def = rh_linear_def_default();
    def.inputs = INPUTS;
    def.input_count = 1;
    def.outputs = OUTPUTS;
    def.output_count = 1;
    rh_linear *linear = linearise(&it, &def);
    const rh_linear_system system = rh_linear_look(linear);
    // (1 + h^2) x'' = -(3 h + 2 x); y = h x
    assert_int_equal(system.state_count, 2);
    const uint32_t x = strcmp(system.states[0], "x") == 0 ? 0 : 1;
    const bool has_x = strcmp(system.states[x], "x") == 0;
    assert_true(has_x || strcmp(system.states[0], "y") == 0);
    assert_near(system.roots[0].imaginary * system.roots[0].imaginary, 2.0 / 5.0, 1e-13);
    if (has_x) {
        assert_near(system.c[x], 2.0, 1e-14);
        assert_near(system.d[0], 0.5, 1e-14);
    } else {
        assert_near(system.c[0], 1.0, 1e-14);
        assert_near(system.d[0], 0.0, 1e-14);
    }
    rh_linear_destroy(linear);
    resting_end(&it);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char TEXT[] = "param k = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential k*y^2\nobserve far = x + y\n";
    static const char *const WRONG[] = {"x", "far", "none"};
    static const char *const SAYS[] = {"cyclic coordinate x", "cyclic coordinate x", "no variable"};
    const resting_call call = {.fix_count = 0};
    resting it;
    resting_derive(TEXT, &call, &it);
    for (size_t k = 0; k < 3; k++) {
        rh_linear *linear = NULL;
        rh_linear_def def = rh_linear_def_default();
        def.outputs = &WRONG[k];
        def.output_count = 1;
        assert_int_equal(rh_linear_create(it.equations, &def, &linear, &it.err), RH_E_ARGUMENT);
        assert_non_null(strstr(it.err.message, SAYS[k]));
        assert_null(linear);
    }
    rh_linear *linear = NULL;
    rh_linear_def def = rh_linear_def_default();
    def.inputs = &WRONG[2];
    def.input_count = 1;
    assert_int_equal(rh_linear_create(it.equations, &def, &linear, &it.err), RH_E_ARGUMENT);
    assert_non_null(strstr(it.err.message, "no parameter or input"));
    resting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_models_against_differences),
        cmocka_unit_test(a_cart_with_a_pole),
        cmocka_unit_test(an_input_in_a_constraint),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
