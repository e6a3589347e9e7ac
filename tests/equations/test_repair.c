// SPDX-License-Identifier: Apache-2.0
// Repaired starts: the nearest state that violates nothing, in the metric of the kinetic energy.

#include "derived.h"

#include "numeric/numeric.h"

static void find_repaired(const char *text, derived *out)
{
    derive_sound(text, &(conditions){.is_repaired = true}, out);
    assert_true(out->start.is_repaired);
}

static double at(const derived *it, const char *name)
{
    return value_named(it, &it->start.point, name);
}

// --- equations -----------------------------------------------------------------------------------

static void positions_then_velocities(void **state)
{
    (void)state;
    derived it;
    find_repaired("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                  "start x = 0.6, y = -1.2, x' = 1, y' = 1\n",
                  &it);
    const double length = sqrt(1.8);
    assert_near(at(&it, "x"), 0.6 / length, 1e-14);
    assert_near(at(&it, "y"), -1.2 / length, 1e-14);
    // (1, 1) along (1.2, 0.6)
    assert_near(at(&it, "x'"), 1.2, 1e-14);
    assert_near(at(&it, "y'"), 0.6, 1e-14);
    assert_int_equal(it.start.moved.count, 4);
    derived_end(&it);
}

// R05 with a velocity that contradicts the hidden level: the rod pulls, and the momentum stays.
static void a_hidden_level(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"x1'", "y1'", "z1'", "x2'", "y2'", "z2'"};
    static const double BEFORE[] = {1, 2, 0, 5, -1, -2};
    static const double MASS[] = {2, 2, 2, 3, 3, 3};
    static const double ARM[] = {-3, 0, -4, 3, 0, 4};
    const double sigma = -8.0 / 2.0 / (25.0 / 2.0 + 25.0 / 3.0); // of the rod along itself
    size_t size = 0;
    char *text = support_read("examples/two_mass_rod/model.rhe", &size);
    derived it;
    derive_sound(text, &(conditions){.is_repaired = true, .start = {"z2'=-2"}, .start_count = 1},
                 &it);
    assert_true(it.start.is_repaired);
    for (size_t k = 0; k < 6; k++) {
        assert_near(at(&it, NAMES[k]), BEFORE[k] + sigma * ARM[k] / MASS[k], 1e-13);
    }
    derived_end(&it);
    free(text);
}

static void what_is_right_stays(void **state)
{
    (void)state;
    derived it;
    derive_sound("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\n"
                 "constraint side: x' + 1 >= 0\nstart x = 0.6, x' = 0.1\nguess y = 1\n",
                 &(conditions){.is_repaired = true}, &it);
    assert_true(!it.start.is_repaired && at(&it, "x") == 0.6 && at(&it, "x'") == 0.1);
    derived_end(&it);
}

// A start value of what is no variable stays where it can, and goes where it cannot.
static void other_start_values_give_way(void **state)
{
    (void)state;
    derived it;
    find_repaired("coord x, y\nkinetic (x'^2 + y'^2)/2\nlet both = x + y\n"
                  "constraint c: x = 2*y\nstart x = 1, y = 1, both = 3\n",
                  &it);
    assert_near(at(&it, "x"), 2.0, 1e-14);
    assert_near(at(&it, "y"), 1.0, 1e-14);
    derived_end(&it);
    find_repaired("coord x, y\nkinetic (x'^2 + y'^2)/2\nlet both = x + y\n"
                  "constraint c: x + y = 2\nstart x = 1, y = 2, both = 3\n",
                  &it);
    assert_near(at(&it, "x"), 0.5, 1e-14);
    assert_near(at(&it, "y"), 1.5, 1e-14);
    derived_end(&it);
}

static void some_cannot_be_repaired(void **state)
{
    (void)state;
    derived it = derive_any("coord x, y\nkinetic (x'^2 + y'^2)/2\nlet both = x + y\n"
                            "constraint c: x^2 = -1\nconstraint s: y' >= 0\n"
                            "start x = 1, both = 3, y' = -1\n",
                            &(conditions){.is_repaired = true});
    find_start(&it);
    assert_true(!it.start.is_repaired && !it.start.is_consistent);
    assert_int_equal(it.diagnostics.remarks.count, 2);
    assert_int_equal(it.diagnostics.remarks.data[0].code, RH_DIAGNOSTIC_E407);
    assert_int_equal(it.diagnostics.remarks.data[1].code, RH_DIAGNOSTIC_E408);
    derived_end(&it);
    // inequalities that exclude each other
    it = derive_any("coord x\nkinetic x'^2/2\nconstraint a: x' - 1 >= 0\n"
                    "constraint b: -x' - 1 >= 0\nstart x' = 3\n",
                    &(conditions){.is_repaired = true});
    find_start(&it);
    assert_true(!it.start.is_repaired);
    assert_int_equal(it.diagnostics.error_count, 1);
    assert_true(at(&it, "x'") == 3.0);
    derived_end(&it);
}

// --- inequalities --------------------------------------------------------------------------------

// R16: the impulse is 0.08, the centre of mass slows down to -0.02 sideways.
static void the_sleigh(void **state)
{
    (void)state;
    derived it;
    size_t size = 0;
    char *text = support_read("examples/sleigh_offset/model.rhe", &size);
    derive_sound(
        text, &(conditions){.is_repaired = true, .start = {"y'=-0.1", "th'=0"}, .start_count = 2},
        &it);
    assert_true(it.start.is_repaired);
    assert_true(at(&it, "x'") == 1.0);
    assert_near(at(&it, "y'"), 0.0, 1e-16);
    assert_near(at(&it, "th'"), -0.04, 1e-15);
    assert_near(at(&it, "y'") + 0.5 * at(&it, "th'"), -0.1 + 0.08, 1e-15);
    derived_end(&it);
    free(text);
}

static void positions_on_the_wrong_side(void **state)
{
    (void)state;
    derived it;
    find_repaired("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint floor: y >= 0 impact 0.5\n"
                  "start x = 2, y = -1, x' = 1, y' = -3\n",
                  &it);
    assert_true(at(&it, "x") == 2.0 && at(&it, "x'") == 1.0 && at(&it, "y'") == -3.0);
    assert_near(at(&it, "y"), 0.0, 1e-15);
    derived_end(&it);
}

// One of them is enough.
static void only_what_is_needed_is_met(void **state)
{
    (void)state;
    derived it;
    find_repaired("coord x\nkinetic x'^2/2\nconstraint a: x' >= 0\nconstraint b: x' - 1 >= 0\n"
                  "constraint c: 3*x' - 2 >= 0\nstart x' = -1\n",
                  &it);
    assert_near(at(&it, "x'"), 1.0, 1e-15);
    derived_end(&it);
}

static void speeds_are_not_linear(void **state)
{
    (void)state;
    derived it;
    find_repaired("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                  "constraint fast: (x'^2 + y'^2 - 1)/2 >= 0\nstart x' = 0.3, y' = 0.4\n",
                  &it);
    assert_near(at(&it, "x'"), 0.6, 1e-14);
    assert_near(at(&it, "y'"), 0.8, 1e-14);
    derived_end(&it);
}

// --- against all sets ----------------------------------------------------------------------------

enum { SIZE = 4, SIDES = 4 };

typedef struct problem {
    double mass[SIZE], draft[SIZE];
    double row[SIDES + 1][SIZE]; // the first one is an equation
    double offset[SIDES + 1];    // row v + offset >= 0
} problem;

static problem random_problem(support_random *random)
{
    problem p;
    for (uint32_t k = 0; k < SIZE; k++) {
        p.mass[k] = support_random_real(random, 0.5, 4.0);
        p.draft[k] = support_random_real(random, -1.0, 1.0);
    }
    for (uint32_t i = 0; i <= SIDES; i++) {
        p.offset[i] = support_random_real(random, -0.5, 0.5);
        for (uint32_t k = 0; k < SIZE; k++) {
            p.row[i][k] = support_random_real(random, -1.0, 1.0);
        }
    }
    return p;
}

static double side_of(const problem *p, uint32_t i, const double *v)
{
    double value = p->offset[i];
    for (uint32_t k = 0; k < SIZE; k++) {
        value += p->row[i][k] * v[k];
    }
    return value;
}

static double distance(const problem *p, const double *v)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < SIZE; k++) {
        sum += p->mass[k] * (v[k] - p->draft[k]) * (v[k] - p->draft[k]);
    }
    return sum;
}

// The nearest v with these rows as equations: G sigma = -f, v = draft + A^-1 C^T sigma. False when
// they contradict each other.
static bool project(rh_arena *arena, const problem *p, unsigned set, double *v)
{
    uint32_t rows[SIDES + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i <= SIDES; i++) {
        if (i == 0 || (set >> (i - 1) & 1u) != 0) {
            rows[count++] = i;
        }
    }
    double gram[(SIDES + 1) * (SIDES + 1)] = {0};
    double sigma[SIDES + 1];
    for (uint32_t i = 0; i < count; i++) {
        sigma[i] = -side_of(p, rows[i], p->draft);
        for (uint32_t j = 0; j < count; j++) {
            for (uint32_t k = 0; k < SIZE; k++) {
                gram[i + j * count] += p->row[rows[i]][k] * p->row[rows[j]][k] / p->mass[k];
            }
        }
    }
    rh_lu lu;
    assert_int_equal(rh__lu_create(arena, count, gram, &lu), RH_OK);
    if (!(lu.rcond > 1e-8) || rh__lu_solve(&lu, sigma, 1) != RH_OK) {
        return false;
    }
    for (uint32_t k = 0; k < SIZE; k++) {
        v[k] = p->draft[k];
        for (uint32_t i = 0; i < count; i++) {
            v[k] += sigma[i] * p->row[rows[i]][k] / p->mass[k];
        }
    }
    return true;
}

static double best_distance(const problem *p)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 20);
    double best = INFINITY;
    for (unsigned set = 0; set < 1u << SIDES; set++) {
        double v[SIZE];
        bool fits = project(&arena, p, set, v);
        for (uint32_t i = 1; fits && i <= SIDES; i++) {
            fits = side_of(p, i, v) >= -1e-9;
        }
        best = fits ? fmin(best, distance(p, v)) : best;
    }
    rh__arena_end(&arena);
    return best;
}

static void write_problem(const problem *p, char *text, size_t size)
{
    static const char *const HEAD = "coord x[1..4]\nkinetic ";
    size_t at = (size_t)snprintf(text, size, "%s", HEAD);
    for (uint32_t k = 0; k < SIZE; k++) {
        at += (size_t)snprintf(text + at, size - at, "%s%.17g/2*x[%u]'^2", k > 0 ? " + " : "",
                               p->mass[k], k + 1);
    }
    for (uint32_t i = 0; i <= SIDES; i++) {
        at += (size_t)snprintf(text + at, size - at, "\nconstraint c%u: %.17g", i, p->offset[i]);
        for (uint32_t k = 0; k < SIZE; k++) {
            at += (size_t)snprintf(text + at, size - at, " + (%.17g)*x[%u]'", p->row[i][k], k + 1);
        }
        at += (size_t)snprintf(text + at, size - at, i == 0 ? " = 0" : " >= 0");
    }
    for (uint32_t k = 0; k < SIZE; k++) {
        at += (size_t)snprintf(text + at, size - at, "\nstart x[%u]' = %.17g", k + 1, p->draft[k]);
    }
    (void)snprintf(text + at, size - at, "\n");
}

static void the_nearest_of_all(void **state)
{
    (void)state;
    support_random random = support_random_begin("the_nearest_of_all");
    uint32_t found = 0;
    for (uint32_t trial = 0; trial < 60; trial++) {
        const problem p = random_problem(&random);
        const double best = best_distance(&p);
        char text[4096];
        write_problem(&p, text, sizeof text);
        derived it = derive_any(text, &(conditions){.is_repaired = true});
        find_start(&it);
        if (isfinite(best) && !it.start.is_repaired) {
            print_start_remarks(&it);
            fail_msg("not found, in:\n%s", text);
        }
        double v[SIZE];
        for (uint32_t k = 0; k < SIZE; k++) {
            char name[16];
            (void)snprintf(name, sizeof name, "x[%u]'", k + 1);
            v[k] = at(&it, name);
        }
        if (isfinite(best)) {
            found++;
            assert_near(distance(&p, v), best, 1e-9);
        }
        derived_end(&it);
    }
    print_message("%u have one\n", (unsigned)found);
    assert_true(found > 20);
}

// Many of them, each violated: more than are tried one by one.
static void many_sides(void **state)
{
    (void)state;
    derived it;
    find_repaired("coord x[1..40]\nkinetic sum(i in 1..40: i*x[i]'^2/2)\n"
                  "for i in 1..40: constraint c[i]: x[i]' >= 0\n"
                  "for i in 1..40: start x[i]' = -i\n",
                  &it);
    assert_near(at(&it, "x[1]'"), 0.0, 1e-14);
    assert_near(at(&it, "x[40]'"), 0.0, 1e-14);
    derived_end(&it);
}

// --- memory --------------------------------------------------------------------------------------

static const char *const MENDED =
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nlet both = x + y\nconstraint rod: x^2 + y^2 = 1\n"
    "constraint a: x' + y' >= 0\nconstraint b: 2*x' - 1 >= 0\n"
    "start x = 1, y = -1, x' = -1, y' = -1, both = 7\n";

static void any_request_may_fail(void **state)
{
    (void)state;
    rh_status status = RH_E_MEMORY;
    size_t n = 0;
    while (status != RH_OK) {
        support_memory memory = {0};
        rh_model_def def = rh_model_def_default();
        def.text = MENDED;
        def.text_size = strlen(MENDED);
        def.allocator = support_memory_allocator(&memory);
        rh_equations_def derive = rh_equations_def_default();
        derive.is_start_repaired = true;
        rh_model *model = NULL;
        rh_equations *equations = NULL;
        rh_checkup *checkup = NULL;
        assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
        assert_int_equal(rh_equations_create(model, &derive, &equations, NULL), RH_OK);
        memory.fail_at = memory.request_count + ++n;
        status = rh_checkup_create(equations, &checkup, NULL);
        assert_true(status == RH_OK || (status == RH_E_MEMORY && checkup == NULL));
        rh_checkup_destroy(checkup);
        rh_equations_destroy(equations);
        rh_model_destroy(model);
        assert_int_equal(memory.block_count, 0);
    }
    print_message("%zu requests\n", n - 1);
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_then_velocities),
        cmocka_unit_test(a_hidden_level),
        cmocka_unit_test(what_is_right_stays),
        cmocka_unit_test(other_start_values_give_way),
        cmocka_unit_test(some_cannot_be_repaired),
        cmocka_unit_test(the_sleigh),
        cmocka_unit_test(positions_on_the_wrong_side),
        cmocka_unit_test(only_what_is_needed_is_met),
        cmocka_unit_test(speeds_are_not_linear),
        cmocka_unit_test(the_nearest_of_all),
        cmocka_unit_test(many_sides),
        cmocka_unit_test(any_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
