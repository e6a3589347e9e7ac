// SPDX-License-Identifier: Apache-2.0
// Systems built forward from random L and D pass, proved where they are polynomial or
// trigonometric, and their functions lead back; the same equations with one term that breaks a
// condition fail and name it. 200 of each, no wrong verdict.

#include "inverse/helmholtz_cases.h"

enum { SYSTEMS = 200, TEXT = 6000 };

typedef struct writer {
    support_random *random;
    char text[TEXT];
    size_t size;
    uint32_t n;
    bool has_trigonometry, has_roots;
} writer;

static void put(writer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(writer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(to->text + to->size, TEXT - to->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && to->size + (size_t)size < TEXT);
    to->size += (size_t)size;
}

static uint32_t below(writer *to, uint32_t count)
{
    return support_random_below(to->random, count);
}

// A number that is not zero.
static void put_number(writer *to)
{
    put(to, "%s%u%s", below(to, 3) == 0 ? "-" : "", 1 + below(to, 9),
        below(to, 2) == 0 ? "/4" : "");
}

static void put_variable(writer *to, const char *primes)
{
    put(to, "q%u%s", 1 + below(to, to->n), primes);
}

// A random function of the coordinates, sometimes of the time.
static void put_function(writer *to)
{
    const uint32_t kind = below(to, to->has_roots ? 8 : to->has_trigonometry ? 6 : 3);
    put(to, "(");
    put_number(to);
    if (kind == 0) {
        put(to, "*");
        put_variable(to, "");
    } else if (kind == 1) {
        put(to, "*");
        put_variable(to, "");
        put(to, "*");
        put_variable(to, "");
        put(to, "^%u", 1 + below(to, 2));
    } else if (kind == 3 || kind == 4) {
        put(to, kind == 3 ? "*sin(" : "*cos(");
        put_number(to);
        put(to, "*");
        put_variable(to, "");
        put(to, below(to, 2) == 0 ? " + " : " - ");
        put_variable(to, "");
        put(to, ")");
    } else if (kind == 5) {
        put(to, "*cos(");
        put_variable(to, "");
        put(to, ")*sin(t)");
    } else if (kind == 6) {
        put(to, "*sqrt(1 + ");
        put_variable(to, "");
        put(to, "^2)");
    } else if (kind == 7) {
        put(to, "*exp(");
        put_variable(to, "");
        put(to, "/2)");
    }
    put(to, ")");
}

static void put_lagrangian(writer *to)
{
    put(to, "lagrangian 0");
    for (uint32_t i = 1; i <= to->n; i++) { // so large that nothing random takes it away
        put(to, " + %u*q%u'^2", 30 + below(to, 3), i);
    }
    for (uint32_t k = 0; k < 2; k++) {
        put(to, " + ");
        put_function(to);
        put(to, "*");
        put_variable(to, "'");
        put(to, "*");
        put_variable(to, "'");
        put(to, " + ");
        put_function(to);
        put(to, "*");
        put_variable(to, "'");
        put(to, " - ");
        put_function(to);
    }
    if (below(to, 4) == 0) { // a kinetic part that is no quadratic form
        put(to, " + ");
        put_function(to);
        put(to, "*");
        put_variable(to, "'");
        put(to, "^3*");
        put_variable(to, "'");
    }
    put(to, "\n");
}

static void put_dissipation(writer *to)
{
    put(to, "dissipation 0");
    for (uint32_t k = 0; k < 3; k++) {
        put(to, " + ");
        put_function(to);
        put(to, "*");
        put_variable(to, "'");
        put(to, k == 0 ? "^2" : k == 1 ? "*" : "");
        if (k == 1) {
            put_variable(to, "'");
            put(to, "^%u", 1 + below(to, 2));
        }
    }
    put(to, "\n");
}

static void begin(writer *to, support_random *random)
{
    to->random = random;
    to->size = 0;
    to->n = 1 + below(to, 3);
    to->has_trigonometry = below(to, 2) == 0;
    to->has_roots = to->has_trigonometry && below(to, 4) == 0;
    put(to, "coord");
    for (uint32_t i = 1; i <= to->n; i++) {
        put(to, "%s q%u", i == 1 ? "" : ",", i);
    }
    put(to, "\n");
}

// The equations of an answer as text, with something added to the first of them.
static asked ask_written(rh_inverse *from, const char *const *added)
{
    enum { LONG = 1 << 18 };
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_text text = rh__text_begin(&arena, NULL);
    rh__text_put(&text, "coord");
    for (uint32_t i = 0; i < from->n; i++) {
        rh__text_format(&text, "%s %s", i == 0 ? "" : ",", from->names[i]);
    }
    rh__text_put_char(&text, '\n');
    for (uint32_t i = 0; i < from->n; i++) {
        const rh_expr f = from->trials.data[0].f[i];
        const rh_show *show = rh__show_create(from->store, &arena, RH_NOTATION_TEXT, &f, 1);
        assert_non_null(show);
        assert_int_equal(rh__show_part_count(show), 0);
        rh__text_format(&text, "equation f%u: ", i + 1);
        rh__show_expr(show, f, &text);
        rh__text_format(&text, "%s = 0\n", added != NULL ? added[i] : "");
    }
    rh__text_put_char(&text, '\0');
    assert_true(text.ok && text.size < LONG);
    asked out = ask_text(text.data);
    rh__arena_end(&arena);
    return out;
}

static void complain(const writer *to, const char *what, const rh_inverse *inverse)
{
    char list[9];
    print_error("%s: fails %s\n%s", what, failing(inverse, list), to->text);
}

// --- holds
// -------------------------------------------------------------------------------------------

static void assert_holds(const writer *to, rh_inverse *inverse, const char *head)
{
    const rh_inverse_summary summary = rh_inverse_summarise(inverse);
    if (summary.verdict != RH_INVERSE_HOLDS || !summary.is_proved ||
        summary.check.verdict != RH_INVERSE_HOLDS || summary.lagrangian[0] == '\0') {
        complain(to, rh_inverse_verdict_text(summary.verdict), inverse);
    }
    assert_int_equal(summary.verdict, RH_INVERSE_HOLDS);
    assert_true(summary.is_proved);
    assert_int_equal(summary.check.verdict, RH_INVERSE_HOLDS);
    assert_true(summary.lagrangian[0] != '\0');
    if (!to->has_roots) {
        assert_true(summary.is_closed);
        assert_true(summary.check.is_proved);
    }
    assert_read_back(inverse, head, 1e-10);
}

static void test_built(void **state)
{
    (void)state;
    support_random random = support_random_begin("forward");
    for (uint32_t k = 0; k < SYSTEMS; k++) {
        writer to;
        begin(&to, &random);
        char head[64] = "";
        assert_true(to.size < sizeof head);
        memcpy(head, to.text, to.size);
        put_lagrangian(&to);
        put_dissipation(&to);
        asked derived = ask_text(to.text);
        assert_int_equal(derived.status, RH_OK);
        assert_holds(&to, derived.inverse, head);
        asked written = ask_written(derived.inverse, NULL);
        assert_int_equal(written.status, RH_OK);
        assert_holds(&to, written.inverse, head);
        asked_end(&written);
        asked_end(&derived);
    }
}

// --- fails
// -------------------------------------------------------------------------------------------

// Terms that break one condition for sure; which one must be among those that fail.
typedef struct breaking {
    char terms[3][64];
    char condition;
} breaking;

static breaking break_one(writer *to)
{
    breaking out = {.terms = {"", "", ""}};
    const uint32_t kind = to->n == 1 ? 3 : below(to, to->n == 3 ? 5 : 4);
    const uint32_t i = below(to, to->n);
    const uint32_t j = (i + 1) % to->n;
    const uint32_t c = 1 + below(to, 8);
    char *term = out.terms[i];
    const size_t size = sizeof out.terms[i];
    switch (kind) {
    case 0:
        (void)snprintf(term, size, " + %u/8*q%u''", c, j + 1);
        out.condition = '1';
        break;
    case 1:
        (void)snprintf(term, size, " + %u/8*q%u'^2", c, j + 1);
        out.condition = '3';
        break;
    case 2:
        (void)snprintf(term, size, " + %u/8*q%u'*q%u''", c, j + 1, i + 1);
        out.condition = '2';
        break;
    case 3:
        (void)snprintf(term, size, " + %u/8*q%u''^2", c, i + 1);
        out.condition = '4';
        break;
    default: // a gyroscopic force whose field has a source
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t a = (k + 1) % 3 + 1;
            const uint32_t b = (k + 2) % 3 + 1;
            (void)snprintf(out.terms[k], sizeof out.terms[k], " + %u/8*(q%u'*q%u - q%u'*q%u)", c, a,
                           b, b, a);
        }
        out.condition = '6';
    }
    return out;
}

static void test_broken(void **state)
{
    (void)state;
    support_random random = support_random_begin("broken");
    for (uint32_t k = 0; k < SYSTEMS; k++) {
        writer to;
        begin(&to, &random);
        put_lagrangian(&to);
        put_dissipation(&to);
        asked derived = ask_text(to.text);
        const breaking broken = break_one(&to);
        const char *const added[] = {broken.terms[0], broken.terms[1], broken.terms[2]};
        asked written = ask_written(derived.inverse, added);
        assert_int_equal(written.status, RH_OK);
        const rh_inverse_summary summary = rh_inverse_summarise(written.inverse);
        char list[9];
        (void)failing(written.inverse, list);
        const bool is_named = strchr(list, broken.condition) != NULL;
        if (summary.verdict != RH_INVERSE_FAILS || !is_named) {
            print_error("broken: (4.%c)%s%s%s\n", broken.condition, added[0], added[1], added[2]);
            complain(&to, rh_inverse_verdict_text(summary.verdict), written.inverse);
        }
        assert_int_equal(summary.verdict, RH_INVERSE_FAILS);
        assert_true(is_named);
        assert_true(rh_inverse_failure_count(written.inverse) > 0);
        assert_true(summary.lagrangian[0] == '\0');
        asked_end(&written);
        asked_end(&derived);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built),
        cmocka_unit_test(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
