// SPDX-License-Identifier: Apache-2.0
// The limits of a model, each from both sides: what just passes is sound, what is one too much gets
// its own code, and large models, sound or wrong, are read in a time that grows like their size.

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// --- texts -----------------------------------------------------------------------------------

typedef struct draft {
    char *data;
    size_t size, room;
} draft;

static void put_size(draft *text, const char *piece, size_t size)
{
    if (text->size + size + 1 > text->room) {
        text->room = 2 * (text->size + size + 1);
        text->data = realloc(text->data, text->room);
        assert_non_null(text->data);
    }
    memcpy(text->data + text->size, piece, size);
    text->size += size;
    text->data[text->size] = '\0';
}

static void put(draft *text, const char *piece)
{
    put_size(text, piece, strlen(piece));
}

static void put_times(draft *text, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put(text, piece);
    }
}

/// `format` takes two numbers; it gets i and i + 1 for i = 0 ... count - 1.
typedef struct lines {
    const char *format;
    unsigned count;
} lines;

static void put_lines(draft *text, lines what)
{
    for (unsigned i = 0; i < what.count; i++) {
        char line[256];
        const int size = snprintf(line, sizeof line, what.format, i, i + 1);
        assert_true(size > 0 && (size_t)size < sizeof line);
        put_size(text, line, (size_t)size);
    }
}

static draft draft_begin(void)
{
    draft text = {0};
    put(&text, "coord x\nkinetic x'^2/2\n");
    return text;
}

// --- judging ---------------------------------------------------------------------------------

static const char *first_error(const rh_model *model)
{
    for (size_t i = 0; i < rh_model_diagnostic_count(model); i++) {
        const rh_diagnostic remark = rh_model_diagnostic(model, i);
        if (remark.severity == RH_SEVERITY_ERROR) {
            return remark.code;
        }
    }
    return "nothing";
}

/// Frees the text. `code` is that of the only error, or "nothing" for a sound model.
static void expect_error(draft *text, const char *code, size_t error_count)
{
    rh_model_def def = rh_model_def_default();
    def.text = text->data;
    def.text_size = text->size;
    rh_model *model = NULL;
    rh_error err = RH_ZERO;
    const clock_t before = clock();
    const rh_status status = rh_model_create(&def, &model, &err);
    const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    const char *found = model != NULL ? first_error(model) : rh_status_text(status);
    size_t errors = model != NULL ? rh_model_diagnostic_dropped(model) : 0;
    for (size_t i = 0; i < rh_model_diagnostic_count(model); i++) {
        errors += rh_model_diagnostic(model, i).severity == RH_SEVERITY_ERROR;
    }
    const bool is_fine = strcmp(found, code) == 0 && errors == error_count;
    if (!is_fine) {
        print_error("%.100s...: expected %s, found %s, %zu errors, %.1f s\n", text->data, code,
                    found, errors, seconds);
    }
    rh_model_destroy(model);
    free(text->data);
    *text = (draft){0};
    assert_true(is_fine);
}

static void expect_sound(draft *text)
{
    expect_error(text, "nothing", 0);
}

static void expect_code(draft *text, const char *code)
{
    expect_error(text, code, 1);
}

// --- one expression, one name, one number --------------------------------------------------------

/// The statement with `count` times `opening`, then `middle`, then as many `closing`.
typedef struct nest {
    const char *head, *opening, *middle, *closing;
    size_t most; // that is allowed
    const char *code;
} nest;

static const nest NESTS[] = {
    {"potential ", "(", "x", ")", 200, "E901"},
    {"potential ", "-", "x", "", 200, "E901"},
    {"potential x", "^x", "", "", 200, "E901"},
    {"potential ", "sin(", "x", ")", 200, "E901"},
    {"potential ", "norm([", "x", "])", 100, "E901"},
    {"potential if(", "not ", "x > 0, x, 0", ")", 199, "E901"},
    {"", "for i in 1..1: ", "potential x", "", 200, "E901"},
    {"param ", "a", " = 1", "", 128, "E903"},
    {"potential x*", "7", "", "", 400, "E904"},
    {"observe y = t", "'", "", "", 8, "E037"},
    {"let v = [", "x,", "x]\npotential v[1]", "", 4095, "E913"},
    {"let M = diag(", "x,", "x)\npotential M[1,1]", "", 63, "E200"},
    {"param a[1..1", ", 1..1", "] = 1", "", 2, "E103"},
    {"let a[1", ", 1", "] = 1", "", 2, "E103"},
};

static void expect_nest(const nest *row, size_t count, const char *code)
{
    draft text = draft_begin();
    put(&text, row->head);
    put_times(&text, row->opening, count);
    put(&text, row->middle);
    const bool is_not = strcmp(row->opening, "not ") == 0; // one bracket for all of them
    put_times(&text, row->closing, is_not ? 1 : count);
    put(&text, "\n");
    expect_error(&text, code, strcmp(code, "nothing") != 0);
}

static void a_statement_has_its_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof NESTS / sizeof NESTS[0]; i++) {
        expect_nest(&NESTS[i], NESTS[i].most, "nothing");
        expect_nest(&NESTS[i], NESTS[i].most + 1, NESTS[i].code);
        expect_nest(&NESTS[i], 100 * NESTS[i].most, NESTS[i].code);
    }
}

static void expect_line(const char *line, const char *code)
{
    draft text = draft_begin();
    put(&text, line);
    expect_error(&text, code, strcmp(code, "nothing") != 0);
}

static void numbers_have_their_limits(void **state)
{
    (void)state;
    expect_line("potential 1e400*x\n", "nothing");
    expect_line("potential 1e-400*x\n", "nothing");
    expect_line("potential 1e401*x\n", "E007");
    expect_line("potential 1e-99999999999999999999*x\n", "E007");
    expect_line("potential 2^65535*x\n", "nothing");
    expect_line("potential 2^65537*x\n", "E911");
    expect_line("potential (1/3)^65537*x\n", "E911");
    expect_line("potential 9^9^9*x\n", "E911");
    expect_line("potential 2^-9^9^9^9*x\n", "E911");
    expect_line("param a = 9^9^9\n", "E911");

    draft text = draft_begin();
    put(&text, "let a0 = 3\n");
    put_lines(&text, (lines){"let a%2$u = a%1$u*a%1$u\n", 10});
    put(&text, "potential a10*x\n");
    expect_sound(&text);
    text = draft_begin();
    put(&text, "let a0 = 3\n");
    put_lines(&text, (lines){"let a%2$u = a%1$u*a%1$u\n", 60});
    put(&text, "potential a60*x\n");
    expect_code(&text, "E911");
}

// --- arrays and loops --------------------------------------------------------------------------

static void arrays_have_their_limits(void **state)
{
    (void)state;
    expect_line("let a[1] = x\nlet a[2000000] = 2\npotential a[1]\n", "nothing");
    expect_line("let a[0] = x\nlet a[2000000] = 2\npotential a[0]\n", "E913");
    expect_line("let a[-2147483648] = x\nlet a[2147483648] = 2\npotential a[0]\n", "E913");
    expect_line("coord y[1..2000001]\n", "E913");
    expect_line("coord y[-2147483648..2147483648]\nkinetic y[0]'^2\n", "E913");
    expect_line("param y[1..2147483648, 1..2147483648, 1..2147483648] = 1\n", "E913");
    expect_line("param y[1..2147483649] = 1\n", "E105");
    expect_line("coord y[1..4096]\nkinetic dot(y', y')\n", "nothing");
    expect_line("coord y[1..4097]\nkinetic dot(y', y')\n", "nothing");
}

static void loops_have_their_limits(void **state)
{
    (void)state;
    expect_line("for i in 1..1000: for j in 1..1000: for k in 1..1000: potential x\n", "E912");
    expect_line("for i in 1..2147483648: event e[i]: x = i\n", "E912");
    expect_line("for i in 2..1: for j in 1..2147483648: potential x\n", "nothing");
    expect_line("potential sum(i in 1..-2147483648: x)\n", "nothing");
}

// --- definitions -----------------------------------------------------------------------------

enum { LONG = 100000 };

static void chains_of_definitions_may_be_long(void **state)
{
    (void)state;
    expect_line("let s[0] = x\nfor i in 1..100000: let s[i] = s[i-1]*x + 1\npotential s[100000]\n",
                "nothing");
    expect_line("for i in 0..99999: let s[i] = s[i+1]*x + 1\nlet s[100000] = x\npotential s[0]\n",
                "nothing");
    // the powers of 2 modulo the prime 100019, of which it is a primitive root: there is no order
    expect_line("let s[1] = x\nfor i in 2..100018: let s[i] = if(2*i < 100019, s[2*i], "
                "s[2*i-100019]) + 1\npotential s[2]\n",
                "nothing");
    expect_line("for i in 1..100000: let s[i] = s[if(i == 100000, 1, i+1)] + x\npotential s[1]\n",
                "E104");

    draft text = draft_begin();
    put_lines(&text, (lines){"let a%u = a%u + 1\n", LONG});
    put(&text, "let a100000 = x\npotential a0\n");
    expect_sound(&text);
    text = draft_begin();
    put_lines(&text, (lines){"param a%u = a%u + 1\n", LONG});
    put(&text, "param a100000 = 1\npotential a0*x\n");
    expect_sound(&text);
}

static void functions_may_lie_inside_one_another(void **state)
{
    (void)state;
    draft text = draft_begin();
    put(&text, "let f0(u) = u\n");
    put_lines(&text, (lines){"let f%2$u(u) = f%1$u(u) + 1\n", 300});
    put(&text, "potential f300(x)\n");
    expect_sound(&text);
    text = draft_begin();
    put(&text, "let f0(u) = u\n");
    put_lines(&text, (lines){"let f%2$u(u) = f%1$u(u) + 1\n", LONG});
    put(&text, "potential f100000(x)\n");
    expect_code(&text, "E111");
}

// --- large models ----------------------------------------------------------------------------

// Each makes many rows that must be told apart or found again.
static const char *const LARGE[] = {
    "param N = 20000\nstate u[1..N], v[1..N]\nfor i in 1..N: law u[i]' = v[i]\n"
    "for i in 1..N: law v[i]' = -u[i]\nfor i in 1..N: pair u[i], v[i]\n"
    "for i in 1..N: constraint c[i]: u[i]' + v[i] = 1\nfor i in 1..N: select v[i]\n",
    "param N = 20000\ncoord y[1..N]\nkinetic sum(i in 1..N: y[i]'^2/2)\n"
    "for i in 1..N: constraint c[i]: y[i]' = 1 by vakonomic\n"
    "for i in 1..N: start lambda.c[i] = 1, y[i] = i\n",
    "param N = 20000\ncoord y[1..N]\nkinetic sum(i in 1..N: y[i]'^2/2)\nfor i in 1..N: quasi w[i] "
    "= "
    "y[i]'\nfor i in 1..N: start w[i] = 1\nfor i in 1..N: event e[i]: y[i] = 1 down reset y[i] = "
    "0\n",
    ("param N = 20000\nparam k[1..N] = 2\ncoord y[1..N]\n"
     "for i in 1..N: equation e[i]: k[i]*y[i]'' = -y[i]\n"),
};

static void large_models_are_read_soon(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof LARGE / sizeof LARGE[0]; i++) {
        draft text = {0};
        put(&text, LARGE[i]);
        expect_sound(&text);
    }
    draft text = draft_begin();
    put_lines(&text, (lines){"observe o%u = x + %u\n", LONG / 2});
    expect_sound(&text);
}

static void many_mistakes_are_found_soon(void **state)
{
    (void)state;
    draft text = draft_begin();
    put_lines(&text, (lines){"param a%u = %u\n", LONG / 2});
    put_lines(&text, (lines){"potential zz%u*x^%u\n", LONG / 2});
    expect_error(&text, "E100", LONG / 2);
    text = draft_begin();
    put_lines(&text, (lines){"let x = %u + %u\n", LONG});
    expect_error(&text, "E101", LONG);
    expect_line("param N = 50000\nstate u[1..N]\nfor i in 1..N: law u[i]' = 1\n"
                "for i in 1..N: law u[i]' = 2\n",
                "E301");
}

// A list full of warnings must not hide the error behind them.
static void errors_come_before_warnings(void **state)
{
    (void)state;
    draft text = draft_begin();
    put(&text, "coord y[1..2]\nkinetic y[1]'^2 + y[2]'^2\n");
    put_times(&text, "potential y [1]\n", 200);
    put(&text, "potential zz\n");
    rh_model_def def = rh_model_def_default();
    def.text = text.data;
    def.text_size = text.size;
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_E_MODEL);
    assert_string_equal(first_error(model), "E100");
    assert_true(rh_model_diagnostic_dropped(model) >= 100);
    rh_model_destroy(model);
    free(text.data);
}

// --- memory ----------------------------------------------------------------------------------

static const char CHAIN[] = "param N = 300, l = 1, g = 9.81\ncoord y[1..N], z[1..N]\n"
                            "kinetic sum(i in 1..N: (y[i]'^2 + z[i]'^2)/2)\n"
                            "potential sum(i in 1..N: g*z[i])\n"
                            "for i in 2..N: constraint rod[i]: (y[i] - y[i-1])^2 + (z[i] - "
                            "z[i-1])^2 = l^2\nfor i in 1..N: start y[i] = i\n";

// Every budget is answered: by a model, or by RH_E_LIMIT and no model.
static void a_budget_is_kept(void **state)
{
    (void)state;
    bool was_read = false;
    unsigned refusals = 0;
    for (size_t limit = 1; !was_read && limit < (size_t)1 << 30; limit += 1 + limit / 3) {
        rh_model_def def = rh_model_def_default();
        def.text = CHAIN;
        def.text_size = sizeof CHAIN - 1;
        def.memory_limit = limit;
        rh_model *model = NULL;
        rh_error err = RH_ZERO;
        const rh_status status = rh_model_create(&def, &model, &err);
        was_read = status == RH_OK;
        if (!was_read) {
            refusals++;
            assert_int_equal(status, RH_E_LIMIT);
            assert_null(model);
            assert_true(err.message[0] != '\0');
        }
        rh_model_destroy(model);
    }
    assert_true(was_read);
    assert_true(refusals > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_has_its_limits),
        cmocka_unit_test(numbers_have_their_limits),
        cmocka_unit_test(arrays_have_their_limits),
        cmocka_unit_test(loops_have_their_limits),
        cmocka_unit_test(chains_of_definitions_may_be_long),
        cmocka_unit_test(functions_may_lie_inside_one_another),
        cmocka_unit_test(large_models_are_read_soon),
        cmocka_unit_test(many_mistakes_are_found_soon),
        cmocka_unit_test(errors_come_before_warnings),
        cmocka_unit_test(a_budget_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
