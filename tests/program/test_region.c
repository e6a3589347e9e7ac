// SPDX-License-Identifier: Apache-2.0
// Laws that depend on the state, judged in a box: by points, proved, with a better matrix, by a
// function of the caller's; and what is wrong with a box or a matrix.

#include "programs.h"

#include "rheonom/output.h"

#define BOXED "tests/golden/models/perturbation_box.rhe"

static rh_program_def in_box(const char *box)
{
    rh_program_def def = rh_program_def_default();
    def.box = box;
    return def;
}

// a0 = 4 + 2 sin(z)^2 lies in [4, 6]; case L1 has the largest eigenvalue for 6.
static void points_do_not_refute_what_a_proof_proves(void **state)
{
    (void)state;
    rh_program_def def = in_box("z=-pi:pi");
    programs it = programs_read(BOXED, NULL, &def);
    assert_int_equal(it.summary.kind, RH_PROGRAM_STATED);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_UNREFUTED);
    assert_false(it.summary.is_certified);
    assert_near(it.summary.worst, -0.42490236758022347855, 1e-12);
    // |1 + h (-2 + i sqrt(a0 - 4))| <= 1 up to h = 4/a0: the least of the box, not that of its
    // middle
    assert_near(it.summary.step_limits[RH_PROGRAM_EULER], 2.0 / 3.0, 1e-14);
    assert_int_equal(it.summary.limit_count, 1001);
    programs_end(&it);
    def.is_certified = true;
    it = programs_read(BOXED, NULL, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
    assert_true(it.summary.is_certified);
    assert_true(it.summary.cell_count > 0);
    programs_end(&it);
}

// Ranges of what P does not depend on cost nothing.
static void idle_ranges_are_not_walked(void **state)
{
    (void)state;
    rh_program_def def = in_box("y=-1:1, y'=-1:1, z=-pi:pi, z'=-2:2, t=0:100");
    def.is_certified = true;
    programs it = programs_read(BOXED, NULL, &def);
    assert_near(it.summary.worst, -0.42490236758022347855, 1e-12);
    assert_true(it.summary.is_certified);
    programs_end(&it);
}

// a0 up to 20: the matrix of the middle fails as in case L1, another one serves, since
// sqrt 20 - sqrt 4 < 4. Without a search, or with the caller's matrix, it is inconclusive.
static void a_better_matrix_is_found(void **state)
{
    (void)state;
    const programs_conditions with = {.set = {"b=16"}, .set_count = 1};
    rh_program_def def = in_box("z=-pi:pi");
    def.is_certified = true;
    programs it = programs_read(BOXED, &with, &def);
    assert_near(it.summary.worst_first, 0.10078105935821217162, 1e-12);
    assert_true(it.summary.worst < -0.1);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
    assert_true(it.summary.is_certified);
    programs_end(&it);
    def.has_search = false;
    it = programs_read(BOXED, &with, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    programs_end(&it);
    def.has_search = true;
    def.matrix = "[[1.125, 0.125], [0.125, 0.15625]]";
    it = programs_read(BOXED, &with, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    assert_non_null(strstr(it.summary.reason, "does not mean that deviations grow"));
    programs_end(&it);
}

// No z^T C z serves for all a0 in [1, 100] with a1 = 4 (sqrt 100 - 1 > 4): never called unstable.
static void where_there_is_none_it_is_inconclusive(void **state)
{
    (void)state;
    const programs_conditions with = {.set = {"b=96"}, .set_count = 1};
    rh_program_def def = in_box("z=-pi:pi");
    def.is_certified = true;
    programs it = programs_read(BOXED, &with, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    assert_false(it.summary.is_certified);
    programs_end(&it);
}

// The border of quadratic stability, sqrt(a0 max) - sqrt(a0 min) = a1: on both sides of it.
static void the_search_goes_to_the_border(void **state)
{
    (void)state;
    static const struct {
        const char *b;
        bool is_found;
    } CASES[] = {{"b=31", true}, {"b=33", false}}; // a0 max = 36 is the border
    for (size_t k = 0; k < 2; k++) {
        const programs_conditions with = {.set = {CASES[k].b}, .set_count = 1};
        const rh_program_def def = in_box("z=-pi/2:pi/2");
        programs it = programs_read(BOXED, &with, &def);
        assert_int_equal(it.summary.verdict,
                         CASES[k].is_found ? RH_PROGRAM_UNREFUTED : RH_PROGRAM_INCONCLUSIVE);
        programs_end(&it);
    }
}

// Two laws that act on each other, coefficients in velocities and time.
static void larger_parts_are_proved_too(void **state)
{
    (void)state;
    rh_program_def def = in_box("x=-1:1, x'=-1:1, t=0:10");
    def.is_certified = true;
    programs it =
        programs_make("coord x, y, w\nkinetic (x'^2 + y'^2 + w'^2)/2\n"
                      "constraint u: y = 0 with u'' = -(4 + x^2/2)*u - 4*u' + 0.2*sin(t)*v\n"
                      "constraint v: w' = 0 with v' = -(2 + x'/4)*v + 0.1*u\n"
                      "start x = 0, y = 0.1, w = 0, x' = 0, y' = 0, w' = 0.1\n",
                      NULL, &def);
    assert_int_equal(it.summary.size, 3);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
    assert_true(it.summary.is_certified);
    programs_end(&it);
}

// A narrow hill between the points: they do not refute, and a proof finds it.
static void a_proof_finds_what_points_miss(void **state)
{
    static const char TEXT[] =
        "coord y, z\nkinetic (y'^2 + z'^2)/2\n"
        "constraint u: y = 0 with u'' = -(4 + 100*exp(-1e8*(z - 0.1234567)^2))*u - 4*u'\n"
        "start y = 0.1, y' = 0, z = 1, z' = 0\n";
    (void)state;
    rh_program_def def = in_box("z=-3:3");
    programs it = programs_make(TEXT, NULL, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_UNREFUTED);
    programs_end(&it);
    def.is_certified = true;
    it = programs_make(TEXT, NULL, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    assert_false(it.summary.is_certified);
    assert_true(it.summary.worst > 0.0);
    programs_end(&it);
}

// Where P has a pole in the box nothing is proved.
static void a_pole_is_no_proof(void **state)
{
    (void)state;
    rh_program_def def = in_box("x=-1:2");
    def.is_certified = true;
    def.cell_limit = 2000;
    programs it = programs_make("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                "constraint u: y = 0 with u'' = -(4 + 1/(x - 0.123)^2)*u - 4*u'\n"
                                "start x = 0, y = 0.1, x' = 0, y' = 0\n",
                                NULL, &def);
    assert_int_not_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
    assert_false(it.summary.is_certified);
    programs_end(&it);
}

// An input from a file is a variable of the box like any other.
static void inputs_from_files_have_ranges(void **state)
{
    static const char TEXT[] = "coord y\ninput k from \"k.csv\"\nkinetic y'^2/2\n"
                               "constraint u: y = 0 with u'' = -(5 + k)*u - 4*u'\n"
                               "start y = 0.1, y' = 0\n";
    (void)state;
    rh_program_def def = in_box("k=-1:1");
    def.is_certified = true;
    programs it = programs_make(TEXT, NULL, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_ASYMPTOTIC);
    assert_true(it.summary.is_certified);
    assert_near(rh_program_entry(it.program, 1, 0), -5.0, 0.0);
    programs_end(&it);
    def = in_box("k=-9:-6");
    it = programs_make(TEXT, NULL, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    assert_near(rh_program_entry(it.program, 1, 0), 2.5, 0.0);
    programs_end(&it);
}

// --- a function of the caller's ------------------------------------------------------------------

#define CUBIC                                                                                      \
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2\n"                                       \
    "constraint u: y = 0 with u'' = -u^3 - u'\nstart x = 0.5, y = 0.1, x' = 0, y' = 0\n"

static void a_given_function_is_looked_at(void **state)
{
    (void)state;
    rh_program_def def = in_box("y=-1:1, y'=-1:1");
    def.has_function = true;
    // V' = -u'^2 - u u' ... with a cross term it is negative but at zero
    programs_conditions with = {.observe = "u^4/4 + u'^2/2 + u*u'/4 + u^2/8"};
    programs it = programs_make(CUBIC, &with, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_UNREFUTED);
    assert_non_null(strstr(it.summary.reason, "given function"));
    programs_end(&it);
    with.observe = "u^4/4 + u'^2/2"; // its rate is zero where u' is
    it = programs_make(CUBIC, &with, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    programs_end(&it);
    with.observe = "u^2 - u'^2"; // not positive
    it = programs_make(CUBIC, &with, &def);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    programs_end(&it);
    with.observe = "u^2 + u'*x''";
    assert_int_equal(programs_try(CUBIC, &with, &def, &it), RH_E_ARGUMENT);
    assert_non_null(strstr(it.err.message, "a Lyapunov function holds"));
    programs_end(&it);
    with.observe = "u^2";
    def.box = NULL;
    assert_int_equal(programs_try(CUBIC, &with, &def, &it), RH_E_ARGUMENT);
    assert_non_null(strstr(it.err.message, "--box"));
    programs_end(&it);
}

typedef struct function_case {
    const char *law, *function, *box;
    rh_program_verdict verdict;
    bool is_proved;
    const char *word; // of the reason or the printed text
} function_case;

enum { SHOWN = 8000 };

static bool write_text(void *user, const char *data, size_t size)
{
    char *text = user;
    const size_t known = strlen(text);
    assert_true(known + size < SHOWN);
    memcpy(text + known, data, size);
    text[known + size] = '\0';
    return true;
}

// A proof wants V(0) = 0, curvature near zero and a sign elsewhere; what lacks is said.
static void a_given_function_is_proved(void **state)
{
#define WELL "5*u^2/8 + u*u'/4 + u'^2/2"
    static const function_case CASES[] = {
        {"-u - u' - sqrt(abs(u))*u'", WELL, "y=-1:1, y'=-1:1", RH_PROGRAM_UNREFUTED, false,
         "near zero the function"},
        {"-u - u' - u^2*exp(t)", WELL, "y=-0.1:0.1, y'=-0.1:0.1, t=0:1", RH_PROGRAM_ASYMPTOTIC,
         true, ""},
        {"-(1 + x^2)*u - 2*u'", "3*u^2/2 + u*u' + u'^2/2", "y=-1:1, y'=-1:1, x=-0.5:0.5",
         RH_PROGRAM_ASYMPTOTIC, true, "proved in"},
        {"-u^3 - u'", "u^4/4 + u'^2/2 + u*u'/4 + u^2/8", "y=-1:1, y'=-1:1", RH_PROGRAM_UNREFUTED,
         false, "near zero the function"},
        {"-u^3 - u'", "1 + u^4/4 + u'^2/2 + u*u'/4 + u^2/8", "y=-1:1, y'=-1:1",
         RH_PROGRAM_INCONCLUSIVE, false, "it is 1 on the program"},
        {"-u - u' - sqrt(abs(u))*u'", WELL, "y=-1:1", RH_PROGRAM_UNREFUTED, false,
         "depend on y': give its range"},
        {"-u^3 - u'", "y^2 + x^2", "y=-1:1, y'=-1:1", RH_PROGRAM_INCONCLUSIVE, false,
         "it is 0.25 on the program"},
        {"-u^3 - u'", "u^2", "y=-1:1, y'=-1:1", RH_PROGRAM_INCONCLUSIVE, false,
         "not positive everywhere"},
        {"-u^3 - u'", "u^4/4 + u'^2/2", "y=-1:1, y'=-1:1", RH_PROGRAM_INCONCLUSIVE, false,
         "does not decrease everywhere"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        char shown[SHOWN] = "";
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint u: y = 0 with u'' = %s\n"
                       "start x = 0.5, y = 0.1, x' = 0, y' = 0\n",
                       CASES[k].law);
        const programs_conditions with = {.observe = CASES[k].function};
        rh_program_def def = in_box(CASES[k].box);
        def.has_function = def.is_certified = true;
        programs it = programs_make(text, &with, &def);
        const rh_sink sink = {.write = write_text, .user = shown};
        assert_int_equal(rh_output_program(it.program, RH_FORMAT_TEXT, sink, &it.err), RH_OK);
        if (it.summary.verdict != CASES[k].verdict || strstr(shown, CASES[k].word) == NULL ||
            it.summary.is_certified != CASES[k].is_proved) {
            print_error("%s, V = %s:\n%s\n", CASES[k].law, CASES[k].function, shown);
        }
        assert_int_equal(it.summary.verdict, CASES[k].verdict);
        assert_int_equal(it.summary.is_certified, CASES[k].is_proved);
        assert_non_null(strstr(shown, CASES[k].word));
        programs_end(&it);
    }
}

// --- what is wrong -------------------------------------------------------------------------------

static void wrong_boxes_and_matrices_are_said(void **state)
{
    static const struct {
        const char *box, *matrix, *message;
    } CASES[] = {
        {"z=1", NULL, "NAME=LOW:HIGH"},
        {"z=2:1", NULL, "LOW <= HIGH"},
        {"z=a:b", NULL, "NAME=LOW:HIGH"},
        {"", NULL, "NAME=LOW:HIGH"},
        {"zz=0:1", NULL, "did you mean"},
        {"nowhere=0:1", NULL, "no coordinate"},
        {"z=0:1, z=1:2", NULL, "two ranges"},
        {"y=0:1", NULL, "depend on z"},
        {"z=0:1", "[[1, 2], [3, 4]]", "differ"},
        {"z=0:1", "[[1, 2], [2, 1]]", "not positive definite"},
        {"z=0:1", "[[1, 0], [0]]", "2 rows of 2 numbers"},
        {"z=0:1", "[[1, 0], [0, 1], [0, 0]]", "2 rows of 2 numbers"},
        {"z=0:1", "[[1, x], [x, 1]]", "2 rows of 2 numbers"},
    };
    (void)state;
    size_t size = 0;
    char *text = support_read(BOXED, &size);
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        programs it;
        rh_program_def def = in_box(CASES[k].box);
        def.matrix = CASES[k].matrix;
        assert_int_equal(programs_try(text, NULL, &def, &it), RH_E_ARGUMENT);
        if (strstr(it.err.message, CASES[k].message) == NULL) {
            print_error("%s: %s\n", CASES[k].box, it.err.message);
        }
        assert_non_null(strstr(it.err.message, CASES[k].message));
        programs_end(&it);
    }
    free(text);
}

static void matrices_do_not_join_what_is_apart(void **state)
{
    (void)state;
    rh_program_def def = rh_program_def_default();
    def.matrix = "[[1, 0.1], [0.1, 1]]";
    programs it;
    assert_int_equal(programs_try("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                  "constraint u: x' = 0 with u' = -u\n"
                                  "constraint v: y' = 0 with v' = -2*v\nstart x' = 1, y' = 1\n",
                                  NULL, &def, &it),
                     RH_E_ARGUMENT);
    assert_non_null(strstr(it.err.message, "do not act on each other"));
    programs_end(&it);
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

static void somebody_may_end_it(void **state)
{
    (void)state;
    rh_program_def def = in_box("z=-pi:pi");
    def.ask = at_once;
    programs it = programs_read(BOXED, NULL, &def);
    assert_true(it.summary.is_interrupted);
    assert_int_equal(it.summary.verdict, RH_PROGRAM_INCONCLUSIVE);
    assert_non_null(strstr(it.summary.reason, "interrupted"));
    programs_end(&it);
}

// Every request for memory may be refused.
static void refused_memory_is_said(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read(BOXED, &size);
    for (size_t at = 1;; at += 1 + at / 3) {
        support_memory memory = {.fail_at = 0};
        rh_model_def def = rh_model_def_default();
        def.allocator = support_memory_allocator(&memory);
        def.text = text;
        def.text_size = size;
        rh_model *model = NULL;
        rh_equations *equations = NULL;
        rh_program *program = NULL;
        rh_error err;
        assert_int_equal(rh_model_create(&def, &model, &err), RH_OK);
        const rh_equations_def derive = rh_equations_def_default();
        assert_int_equal(rh_equations_create(model, &derive, &equations, &err), RH_OK);
        memory.fail_at = memory.request_count + at;
        rh_program_def how = in_box("z=-1:1");
        how.is_certified = true;
        const rh_status status = rh_program_create(equations, &how, &program, &err);
        const bool is_over = memory.request_count < memory.fail_at;
        assert_true(status == RH_OK || status == RH_E_MEMORY);
        rh_program_destroy(program);
        rh_equations_destroy(equations);
        rh_model_destroy(model);
        assert_int_equal(memory.block_count, 0);
        if (is_over) {
            break;
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_do_not_refute_what_a_proof_proves),
        cmocka_unit_test(idle_ranges_are_not_walked),
        cmocka_unit_test(a_better_matrix_is_found),
        cmocka_unit_test(where_there_is_none_it_is_inconclusive),
        cmocka_unit_test(the_search_goes_to_the_border),
        cmocka_unit_test(larger_parts_are_proved_too),
        cmocka_unit_test(a_proof_finds_what_points_miss),
        cmocka_unit_test(a_pole_is_no_proof),
        cmocka_unit_test(inputs_from_files_have_ranges),
        cmocka_unit_test(a_given_function_is_looked_at),
        cmocka_unit_test(a_given_function_is_proved),
        cmocka_unit_test(wrong_boxes_and_matrices_are_said),
        cmocka_unit_test(matrices_do_not_join_what_is_apart),
        cmocka_unit_test(somebody_may_end_it),
        cmocka_unit_test(refused_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
