// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/output/forms.c, form_text.c, form_json.c, form_latex.c, stage.c and page.c: the
// equations as text, JSON and LaTeX, rows of loops rolled up, forms too large to print.

#include "support.h"

#include "output/output.h"

#include "json.h"

#include <stdlib.h>

static const rh_form_kind KINDS[] = {RH_FORM_FREE, RH_FORM_MULTIPLIERS, RH_FORM_REDUCED,
                                     RH_FORM_PRINCIPAL, RH_FORM_QUASI};

typedef struct derived {
    rh_model *model;
    rh_equations *equations;
} derived;

static derived derive(const char *text, const char *setting, rh_status expected)
{
    derived it = {NULL, NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = &setting;
    def.set_count = setting != NULL;
    assert_int_equal(rh_model_create(&def, &it.model, NULL), RH_OK);
    const rh_equations_def how = rh_equations_def_default();
    assert_int_equal(rh_equations_create(it.model, &how, &it.equations, NULL), expected);
    return it;
}

static derived derive_file(const char *path, const char *setting)
{
    char *text = support_read(path, &(size_t){0});
    const derived it = derive(text, setting, RH_OK);
    free(text);
    return it;
}

static void end(derived *it)
{
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

static support_text print(const derived *it, rh_form_kind kind, rh_format format)
{
    support_text text = {0};
    rh_error err = RH_ZERO;
    const rh_status status =
        rh_output_equations(it->equations, kind, format, support_text_sink(&text), &err);
    if (status != RH_OK) {
        fail_msg("%s", err.message);
    }
    return text;
}

static void check_contains(const char *text, const char *const *expected)
{
    for (; *expected != NULL; expected++) {
        if (strstr(text, *expected) == NULL) {
            fail_msg("\"%s\" is missing in:\n%s", *expected, text);
        }
    }
}

static const char PENDULUM[] = "model \"Pendulum & rod_1\"\n"
                               "param m = 1, l = 1, g = 9.81\n"
                               "coord x, y\n"
                               "kinetic m*(x'^2 + y'^2)/2\n"
                               "potential m*g*y\n"
                               "constraint rod_1: x^2 + y^2 = l^2\n"
                               "start x = 1\n";

static void the_text_has_everything(void **state)
{
    (void)state;
    derived it = derive(PENDULUM, NULL, RH_OK);
    support_text text = print(&it, RH_FORM_MULTIPLIERS, RH_FORMAT_TEXT);
    assert_string_equal(text.data,
                        "Pendulum & rod_1\n\n"
                        "form multipliers: with one multiplier for each constraint\n"
                        "2 rates, 1 multiplier, 3 equations\n"
                        "\nmotion\n"
                        "  m*x'' - 2*x*lambda.rod_1 = 0\n"
                        "  m*y'' - 2*y*lambda.rod_1 = -m*g\n"
                        "\nconstraints, differentiated\n"
                        "  rod_1: 2*x*x'' + 2*y*y'' = -2*x'^2 - 2*y'^2\n"
                        "\nlevels\n"
                        "  rod_1: x^2 + y^2 - l^2 = 0\n"
                        "  rod_1': 2*x*x' + 2*y*y' = 0\n"
                        "\nreactions\n"
                        "  lambda.rod_1 = m*(g*y - x'^2 - y'^2)/(2*(x^2 + y^2))\n"
                        "\nreactions are valid where the product of these pivots is not zero\n"
                        "  4*(x^2 + y^2)/m\n"
                        "\nvalid everywhere\n"
                        "\noperations: 1 addition, 8 multiplications\n");
    free(text.data);
    end(&it);
}

static void pivots_are_told_apart(void **state)
{
    (void)state;
    const char *const doubtful[] = {
        "\nvalid where the product of these pivots is not zero\n  2*x\n", NULL};
    derived it = derive(PENDULUM, NULL, RH_OK);
    support_text text = print(&it, RH_FORM_QUASI, RH_FORMAT_TEXT);
    check_contains(text.data, doubtful);
    free(text.data);
    end(&it);
    const char *const safe[] = {
        "\nvalid everywhere; pivots\n  a  (parameters only)\n  x^2 + 1  (never zero)\n", NULL};
    it = derive("param a = 2\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                "constraint c: a*y' = 3*x*x'\nconstraint d: (1 + x^2)*z' = 2*x*x'*y\n",
                NULL, RH_OK);
    text = print(&it, RH_FORM_REDUCED, RH_FORMAT_TEXT);
    check_contains(text.data, safe);
    free(text.data);
    end(&it);
}

static void loops_are_rolled_up(void **state)
{
    (void)state;
    const char *const expected[] = {
        "\n2000 rates, 1000 multipliers, 3000 equations\n",
        "\n  for i in 2..999: m*x[i]'' + 2*lambda.rod[i]*(x[i-1] - x[i]) - "
        "2*lambda.rod[i+1]*(x[i] - x[i+1]) = 0\n",
        "\n  for i in 2..1000: rod[i]': ",
        "\n  from the linear system above (no formulas of up to 2000 operations were found)\n",
        NULL};
    derived it = derive_file("examples/chain/model.rhe", "N=1000");
    support_text text = print(&it, RH_FORM_MULTIPLIERS, RH_FORMAT_TEXT);
    check_contains(text.data, expected);
    assert_true(text.size < 3000);
    free(text.data);
    end(&it);
}

// The letter of the running index is no name of the model.
static void the_index_is_a_free_name(void **state)
{
    (void)state;
    const char *const expected[] = {"\n  for k in 1..5: a[k]'' = -i*j*a[k]\n", NULL};
    derived it = derive("param i = 1, j = 2\ncoord a[1..5]\nkinetic sum(n in 1..5: a[n]'^2/2)\n"
                        "potential sum(n in 1..5: i*j*a[n]^2/2)\n",
                        NULL, RH_OK);
    support_text text = print(&it, RH_FORM_FREE, RH_FORMAT_TEXT);
    check_contains(text.data, expected);
    free(text.data);
    end(&it);
}

// Rows of one shape whose numbers differ are written one by one.
static void uneven_rows_are_written_out(void **state)
{
    (void)state;
    const char *const expected[] = {"\n  a[1]'' = -2*a[1]\n  a[2]'' = -4*a[2]\n  a[3]'' = -6*a[3]\n"
                                    "  a[4]'' = -8*a[4]\n",
                                    NULL};
    derived it = derive("coord a[1..4]\nkinetic sum(n in 1..4: a[n]'^2/2)\n"
                        "potential sum(n in 1..4: n*a[n]^2)\n",
                        NULL, RH_OK);
    support_text text = print(&it, RH_FORM_FREE, RH_FORMAT_TEXT);
    check_contains(text.data, expected);
    free(text.data);
    end(&it);
}

static void latex_escapes_names(void **state)
{
    (void)state;
    const char *const expected[] = {
        "\\section*{Pendulum \\& rod\\_1: form multipliers}",
        "\\begin{align*}\n  m \\, \\ddot{x} - 2 \\, x \\, \\lambda_{\\mathrm{rod},1} &= 0 \\\\\n",
        "\\text{rod\\_1}\\colon\\quad ",
        "\\text{rod\\_1'}\\colon\\quad 0 &= ",
        "This form is valid everywhere.\n",
        NULL};
    derived it = derive(PENDULUM, NULL, RH_OK);
    support_text text = print(&it, RH_FORM_MULTIPLIERS, RH_FORMAT_LATEX);
    check_contains(text.data, expected);
    free(text.data);
    end(&it);
}

static uint32_t count_of(const char *text, const char *word)
{
    uint32_t count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

// All forms of some examples: JSON is valid and twice the same, LaTeX closes what it opens.
static void every_form_of_examples(void **state)
{
    (void)state;
    static const char *const PATHS[] = {
        "examples/rolling_disc/model.rhe",  "examples/lorenz_chetaev/model.rhe",
        "examples/rattleback/model.rhe",    "examples/sleigh_one_sided/friction.rhe",
        "examples/flywheel/vakonomic.rhe",  "examples/two_link_arm_program/model.rhe",
        "examples/chain_3d/model.rhe",      "examples/woodpecker/model.rhe",
        "examples/bouncing_ball/model.rhe",
    };
    for (size_t k = 0; k < sizeof PATHS / sizeof *PATHS; k++) {
        derived it = derive_file(PATHS[k], NULL);
        for (size_t j = 0; j < sizeof KINDS / sizeof *KINDS; j++) {
            support_text json = print(&it, KINDS[j], RH_FORMAT_JSON);
            support_text again = print(&it, KINDS[j], RH_FORMAT_JSON);
            support_text latex = print(&it, KINDS[j], RH_FORMAT_LATEX);
            assert_true(json_is_valid(json.data, json.size));
            assert_string_equal(json.data, again.data);
            assert_int_equal(count_of(latex.data, "\\begin{align*}"),
                             count_of(latex.data, "\\end{align*}"));
            assert_int_equal(count_of(latex.data, "\\left"), count_of(latex.data, "\\right"));
            free(json.data);
            free(again.data);
            free(latex.data);
        }
        end(&it);
    }
}

static void large_forms_are_refused_with_their_count(void **state)
{
    (void)state;
    derived it = derive_file("tests/cli/models/pairs.rhe", NULL);
    for (rh_format format = RH_FORMAT_TEXT; format <= RH_FORMAT_LATEX; format++) {
        support_text text = {0};
        rh_error err = RH_ZERO;
        assert_int_equal(
            rh_output_equations(it.equations, RH_FORM_FREE, format, support_text_sink(&text), &err),
            RH_E_LIMIT);
        assert_int_equal(text.size, 0);
        assert_non_null(strstr(err.message, "the form `free` has "));
        assert_non_null(strstr(err.message, " operations; more than 200000 are not printed"));
    }
    end(&it);
}

// In JSON every row counts; as text they are one.
static void what_is_rolled_up_does_not_count(void **state)
{
    (void)state;
    derived it = derive_file("examples/chain/model.rhe", "N=7000");
    support_text text = print(&it, RH_FORM_MULTIPLIERS, RH_FORMAT_TEXT);
    assert_true(text.size < 3000);
    free(text.data);
    text = (support_text){0};
    assert_int_equal(rh_output_equations(it.equations, RH_FORM_MULTIPLIERS, RH_FORMAT_JSON,
                                         support_text_sink(&text), NULL),
                     RH_E_LIMIT);
    assert_int_equal(text.size, 0);
    end(&it);
}

static bool refuse(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return false;
}

static void failures_are_reported(void **state)
{
    (void)state;
    const rh_sink refusing = {refuse, NULL};
    const rh_sink no_sink = RH_ZERO;
    rh_error err = RH_ZERO;
    derived it = derive(PENDULUM, NULL, RH_OK);
    rh_equations *equations = it.equations;
    assert_int_equal(rh_output_equations(equations, RH_FORM_FREE, RH_FORMAT_TEXT, refusing, &err),
                     RH_E_WRITE);
    assert_int_equal(rh_output_equations(equations, RH_FORM_FREE, RH_FORMAT_TEXT, no_sink, &err),
                     RH_E_ARGUMENT);
    assert_int_equal(rh_output_equations(NULL, RH_FORM_FREE, RH_FORMAT_TEXT, refusing, &err),
                     RH_E_ARGUMENT);
    assert_int_equal(
        rh_output_equations(equations, (rh_form_kind)9, RH_FORMAT_TEXT, refusing, &err),
        RH_E_ARGUMENT);
    assert_int_equal(rh_output_equations(equations, RH_FORM_FREE, (rh_format)9, refusing, &err),
                     RH_E_ARGUMENT);
    assert_int_equal(rh_equations_dump(equations, refusing, &err), RH_E_WRITE);
    assert_int_equal(rh_equations_dump(NULL, refusing, &err), RH_E_ARGUMENT);
    assert_int_equal(rh_output_equations_diagnostics(NULL, RH_FORMAT_JSON, false, refusing, &err),
                     RH_E_ARGUMENT);
    end(&it);
}

static void wrong_equations_have_diagnostics(void **state)
{
    (void)state;
    char *source = support_read("examples/flywheel/across.rhe", &(size_t){0});
    derived it = derive(source, NULL, RH_E_MODEL);
    support_text text = {0};
    assert_int_equal(rh_output_equations_diagnostics(it.equations, RH_FORMAT_JSON, false,
                                                     support_text_sink(&text), NULL),
                     RH_OK);
    assert_true(json_is_valid(text.data, text.size));
    assert_non_null(
        strstr(text.data, "{\"status\": \"wrong\", \"diagnostics\": [{\"code\": \"E412\""));
    free(text.data);
    text = (support_text){0};
    assert_int_equal(rh_output_equations(it.equations, RH_FORM_FREE, RH_FORMAT_TEXT,
                                         support_text_sink(&text), NULL),
                     RH_E_MODEL);
    assert_int_equal(rh_equations_dump(it.equations, support_text_sink(&text), NULL), RH_E_MODEL);
    assert_int_equal(text.size, 0);
    end(&it);
    free(source);
}

// Whichever request for memory fails, it is said and everything is given back.
static void want_of_memory_is_a_status(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        rh_status status = RH_E_MEMORY;
        for (size_t at = 1; status != RH_OK; at++) {
            support_memory memory = {0};
            support_text text = {0};
            rh_model_def def = rh_model_def_default();
            def.allocator = support_memory_allocator(&memory);
            def.text = PENDULUM;
            def.text_size = strlen(PENDULUM);
            derived it = {NULL, NULL};
            assert_int_equal(rh_model_create(&def, &it.model, NULL), RH_OK);
            const rh_equations_def how = rh_equations_def_default();
            assert_int_equal(rh_equations_create(it.model, &how, &it.equations, NULL), RH_OK);
            memory.fail_at = memory.request_count + at;
            const rh_sink sink = support_text_sink(&text);
            status = k == 2 ? rh_equations_dump(it.equations, sink, NULL)
                            : rh_output_equations(it.equations, RH_FORM_MULTIPLIERS, (rh_format)k,
                                                  sink, NULL);
            assert_true(status == RH_OK || status == RH_E_MEMORY);
            assert_true(status == RH_OK || text.size == 0);
            free(text.data);
            end(&it);
            assert_int_equal(memory.block_count, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_has_everything),
        cmocka_unit_test(pivots_are_told_apart),
        cmocka_unit_test(loops_are_rolled_up),
        cmocka_unit_test(the_index_is_a_free_name),
        cmocka_unit_test(uneven_rows_are_written_out),
        cmocka_unit_test(latex_escapes_names),
        cmocka_unit_test(every_form_of_examples),
        cmocka_unit_test(large_forms_are_refused_with_their_count),
        cmocka_unit_test(what_is_rolled_up_does_not_count),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(wrong_equations_have_diagnostics),
        cmocka_unit_test(want_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
