// SPDX-License-Identifier: Apache-2.0
// The deviations of the whole motion are those of the small system, on random models: laws of
// deviations and time, linear or not, acting on each other; with masses and forces, and built from
// the program alone. The best test there is of both ways.

#include "programs.h"

enum { MODELS = 200, MOST = 4, ROOM = 6000 };

typedef struct maker {
    support_random *random;
    char text[ROOM];
    size_t size;
    uint32_t n, m;
    bool is_holonomic[MOST];
} maker;

static void put(maker *it, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(maker *it, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(it->text + it->size, ROOM - it->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && it->size + (size_t)size < ROOM);
    it->size += (size_t)size;
}

static double draw(maker *it, double low, double high)
{
    return support_random_real(it->random, low, high);
}

// One for each law: its own coordinate first, so that rows are independent.
static void put_constraint(maker *it, uint32_t k)
{
    const bool is_holonomic = it->is_holonomic[k];
    put(it, "constraint g%u: q%u%s", k, k, is_holonomic ? "" : "'");
    for (uint32_t j = 0; j < it->n; j++) {
        if (j != k && is_holonomic) {
            put(it, " + (%.3f)*sin(q%u)", draw(it, -0.25, 0.25), j);
        } else if (j != k) {
            put(it, " + (%.3f)*cos(q%u)*q%u'", draw(it, -0.25, 0.25), k, j);
        }
    }
    put(it, " = (%.3f)*sin(%.3f*t)", draw(it, -0.5, 0.5), draw(it, 0.5, 2.0));
}

static void put_law(maker *it, uint32_t k)
{
    const char *below = it->is_holonomic[k] ? "'" : ""; // one prime less than the left side
    put(it, " with g%u%s' = -%.3f*g%u%s", k, below, draw(it, 1.0, 4.0), k, below);
    if (it->is_holonomic[k]) {
        put(it, " - %.3f*g%u", draw(it, 0.5, 6.0), k);
    }
    switch (support_random_below(it->random, 6)) {
    case 0:
        put(it, " - %.3f*g%u^3", draw(it, 0.0, 3.0), k);
        break;
    case 1:
        put(it, " - %.3f*sin(t)*g%u%s", draw(it, 0.0, 0.5), k, below);
        break;
    case 2:
        put(it, " - %.3f*(exp(g%u) - 1)", draw(it, 0.0, 0.5), k);
        break;
    case 3: // kinks
        put(it, " - %.3f*abs(g%u%s)*g%u%s", draw(it, 0.0, 2.0), k, below, k, below);
        break;
    case 4:
        put(it, " - %.3f*max(g%u, 0)", draw(it, 0.0, 2.0), k);
        break;
    default:
        break;
    }
    const uint32_t other = support_random_below(it->random, it->m);
    put(it, " + (%.3f)*g%u*g%u%s + (%.3f)*tanh(g%u)\n", draw(it, -0.3, 0.3), other, k, below,
        draw(it, -0.2, 0.2), other);
}

static void put_masses(maker *it)
{
    put(it, "kinetic ");
    for (uint32_t j = 0; j < it->n; j++) {
        put(it, "%s(%.3f + 0.3*cos(q%u))*q%u'^2/2", j > 0 ? " + " : "", draw(it, 1.0, 2.0),
            (j + 1) % it->n, j);
    }
    put(it, " + 0.2*q0'*q1'*cos(q0 - q1)\npotential ");
    for (uint32_t j = 0; j < it->n; j++) {
        put(it, "%s%.3f*q%u^2/2 + (%.3f)*cos(q%u)", j > 0 ? " + " : "", draw(it, 0.2, 2.0), j,
            draw(it, -1.0, 1.0), j);
    }
    put(it, "\nforce q0: (%.3f)*cos(%.3f*t) - 0.1*q0'\n", draw(it, -1.0, 1.0), draw(it, 0.5, 3.0));
}

// Without masses: as it is, or with a tangent part.
static void put_construct(maker *it)
{
    put(it, "construct");
    if (it->m < it->n && support_random_below(it->random, 2) == 0) {
        put(it, " tangent %.3f*cos(q0) - 0.2*q%u'", draw(it, -1.0, 1.0), it->n - 1);
        for (uint32_t v = 0; v + it->m + 1 < it->n; v++) {
            put(it, "%s", v == 0 ? " with [" : ", [");
            for (uint32_t j = 0; j < it->n; j++) {
                put(it, "%s%.3f", j > 0 ? ", " : "", draw(it, -1.0, 1.0));
            }
            put(it, "]");
        }
    }
    put(it, "\n");
}

static void make(maker *it, bool is_design)
{
    it->size = 0;
    it->n = 2 + support_random_below(it->random, MOST - 1);
    it->m = 1 + support_random_below(it->random, it->n);
    put(it, "coord q0");
    for (uint32_t j = 1; j < it->n; j++) {
        put(it, ", q%u", j);
    }
    put(it, "\n");
    for (uint32_t k = 0; k < it->m; k++) {
        it->is_holonomic[k] = support_random_below(it->random, 3) > 0;
    }
    for (uint32_t k = 0; k < it->m; k++) {
        put_constraint(it, k);
        put_law(it, k);
    }
    if (is_design) {
        put_construct(it);
    } else {
        put_masses(it);
    }
    for (uint32_t j = 0; j < it->n; j++) {
        put(it, "start q%u = %.3f, q%u' = %.3f\n", j, draw(it, -0.3, 0.3), j, draw(it, -0.4, 0.4));
    }
}

static void compare(programs *it, const char *text, double time)
{
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_advance(it->motion, time, &stop, &it->err), RH_OK);
    assert_int_equal(stop, RH_STOP_REACHED);
    for (uint32_t k = 0; k < it->summary.law_count; k++) {
        rh_program_decay decay;
        assert_int_equal(rh_program_decay_of(it->program, it->motion, k, &decay, &it->err), RH_OK);
        if (!(fabs(decay.now - decay.predicted) <= 1e-11 * (1.0 + fabs(decay.predicted)))) {
            print_error("%s\nat %g: %.17g, predicted %.17g\n", text, time, decay.now,
                        decay.predicted);
        }
        assert_near(decay.now, decay.predicted, 1e-11);
    }
}

static void run_models(bool is_design, const char *name)
{
    support_random random = support_random_begin(name);
    maker by = {.random = &random};
    for (uint32_t k = 0; k < MODELS; k++) {
        programs it;
        make(&by, is_design);
        assert_int_equal(programs_try(by.text, NULL, NULL, &it), RH_OK);
        rh_motion_def def = rh_motion_def_default();
        def.tolerance = 1e-15;
        assert_int_equal(rh_motion_create(it.equations, &def, &it.motion, &it.err), RH_OK);
        compare(&it, by.text, 0.3);
        compare(&it, by.text, 1.0);
        compare(&it, by.text, 2.0);
        programs_end(&it);
    }
}

static void with_masses_deviations_are_those_of_the_small_system(void **state)
{
    (void)state;
    run_models(false, "mechanics");
}

static void by_construction_deviations_are_those_of_the_small_system(void **state)
{
    (void)state;
    run_models(true, "design");
}

// Stiff laws over long times: a slow root beside a fast one.
static void stiff_laws_are_predicted(void **state)
{
    (void)state;
    double out[2];
    programs it = programs_make("coord y\nkinetic y'^2/2\n"
                                "constraint u: y = 0 with u'' = -1e4*u - 10001*u'\n"
                                "start y = 1, y' = -1\n",
                                NULL, NULL);
    assert_int_equal(rh_program_predict(it.program, 20.0, out, &it.err), RH_OK);
    assert_near_by(out[0], exp(-20.0), 1e-7, 0.0);
    programs_end(&it);
}

// What depends on the state is not predicted, and says so.
static void laws_of_the_state_are_not_predicted(void **state)
{
    (void)state;
    double out[2];
    programs it = programs_read("tests/golden/models/perturbation_box.rhe", NULL, NULL);
    assert_int_equal(rh_program_predict(it.program, 1.0, out, &it.err), RH_E_UNAVAILABLE);
    assert_non_null(strstr(it.err.message, "depends on the state"));
    programs_end(&it);
    it = programs_make("coord y\nkinetic y'^2/2\n"
                       "constraint u: y = 0 with u'' = -u - 2*u'*if(u > 0, 1, 2)\nstart y = 0.1\n",
                       NULL, NULL);
    assert_int_equal(rh_program_predict(it.program, 1.0, out, &it.err), RH_OK);
    assert_near(out[0], 0.2 * exp(-1.0), 1e-15);
    programs_end(&it);
    // u' comes to 0 soon, and both sides push back
    it = programs_make("coord y\nkinetic y'^2/2\nconstraint u: y = 0 with u'' = -sign(u) - "
                       "100*sign(u')\nstart y = 0.1, y' = -0.1\n",
                       NULL, NULL);
    assert_int_equal(rh_program_predict(it.program, 1.0, out, &it.err), RH_E_LIMIT);
    assert_non_null(strstr(it.err.message, "slides on a surface"));
    programs_end(&it);
    // u = 1/(2 - t): there is no deviation after t = 2
    it = programs_make("coord y\nkinetic y'^2/2\n"
                       "constraint u: y' = 0 with u' = u^2\nstart y = 0, y' = 0.5\n",
                       NULL, NULL);
    assert_int_equal(rh_program_predict(it.program, 1.0, out, &it.err), RH_OK);
    assert_near(out[0], 1.0, 1e-14);
    assert_int_equal(rh_program_predict(it.program, 3.0, out, &it.err), RH_E_LIMIT);
    assert_non_null(strstr(it.err.message, "the perturbation equations end at t = "));
    programs_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_masses_deviations_are_those_of_the_small_system),
        cmocka_unit_test(by_construction_deviations_are_those_of_the_small_system),
        cmocka_unit_test(stiff_laws_are_predicted),
        cmocka_unit_test(laws_of_the_state_are_not_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
