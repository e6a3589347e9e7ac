// SPDX-License-Identifier: Apache-2.0
// The mistakes: every code at its place, alone, and without harm to the statements around it. Each
// text of the table stands between two sound statements.

#include "reading.h"

typedef struct mistake {
    const char *text;
    const char *code;
    uint32_t line, column; // in the text
    const char *repair;    // NULL: whatever it is
} mistake;

static const mistake MISTAKES[] = {
    {"param a = 3$ + 4", "E001", 1, 12, "remove it"},
    {"param a = {3}", "E001", 1, 11, "( or ["},
    {"let a = |x|", "E001", 1, 9, NULL},
    {"let a = x ? y : z", "E001", 1, 11, NULL},
    {"kinetic a \xE2\x88\x92 b", "E002", 1, 11, "-"},
    {"kinetic a\xC2\xB7"
     "b",
     "E002", 1, 10, "*"},
    {"kinetic x\xE2\x80\x99", "E002", 1, 10, "'"},
    {"kinetic x\xC2\xB2", "E002", 1, 10, "^2"},
    {"constraint c: a \xE2\x89\xA5 0", "E002", 1, 17, ">="},
    {"model \xE2\x80\x9CTitle\xE2\x80\x9D", "E002", 1, 7, "\""},
    {"param\xC2\xA0"
     "a = 1",
     "E002", 1, 6, "a plain space"},
    {"param a = 1 # caf\xE9", "E003", 1, 18, NULL},
    {"param a\xE9 = 1", "E003", 1, 8, NULL},
    {"param a = 1.", "E005", 1, 11, "1.0"},
    {"param a = 1.*b", "E005", 1, 11, "1.0"},
    {"param a = .5", "E005", 1, 11, "0.5"},
    {"param a = 1.e5", "E005", 1, 11, "1.0e5"},
    {"param a = 2.x", "E005", 1, 12, "2.0*x"},
    {"param a = 1e", "E006", 1, 11, NULL},
    {"param a = 1e + 2", "E006", 1, 11, NULL},
    {"param a = 1.2.3", "E006", 1, 11, NULL},
    {"param a = 1e401", "E007", 1, 11, NULL},
    {"model \"abc", "E008", 1, 7, NULL},
    {"model \"a\\nb\"", "E009", 1, 9, "\\\\"},
    {"coord x // position", "E010", 1, 9, "#"},
    {"coord x % position", "E010", 1, 9, "#"},
    {"coord x /* position */", "E010", 1, 9, "#"},
    {"coord x; coord y", "E011", 1, 8, "a new line for the next statement"},
    {"coord x;", "E011", 1, 8, "remove it"},
    {"let A = [1, 2; 3, 4]", "E011", 1, 14, NULL},
    {"potential x**2", "E012", 1, 12, "^"},
    {"let y := 3", "E013", 1, 7, "="},
    {"constraint c: x => 0", "E013", 1, 17, ">="},
    {"let y = if(a < b && c < d, 1, 2)", "E013", 1, 18, "and"},
    {"coord x[1...N]", "E014", 1, 10, ".."},
    {"coord x[1.N]", "E014", 1, 10, "1..N"},
    {"coord x[M.N]", "E014", 1, 10, ".."},
    {"coords x, y", "E015", 1, 1, "coord"},
    {"parameter a = 1", "E015", 1, 1, "param"},
    {"kinetc m*v", "E015", 1, 1, "kinetic"},
    {"kinetc (m*v)", "E015", 1, 1, "kinetic"},
    {"wibble", "E015", 1, 1, NULL},
    {"m = 1", "E016", 1, 1, "param m = ..."},
    {"m = n", "E016", 1, 1, "let m = ..."},
    {"x' = v", "E016", 1, 1, "law x' = ..."},
    {"rod: x = 3", "E016", 1, 1, "constraint rod: ..."},
    {"f(x) = 3", "E016", 1, 1, "let f(...) = ..."},
    {"\"Pendulum\"", "E017", 1, 1, "model \"...\""},
    {"(a + b)", "E017", 1, 1, NULL},
    {"kinetic a\n  + b\n  + c", "E018", 2, 3, "`+` at the end of the line before"},
    {"let y\n  = b", "E044", 1, 6, NULL},
    {"constraint c: x = y\n  by ideal", "E018", 2, 3, NULL},
    {"constraint c: x = y\n  with c' = 0", "E018", 2, 3, NULL},
    {"constraint c: x >= y\n  impact 1", "E018", 2, 3, NULL},
    {"coord x = 1", "E019", 1, 9, NULL},
    {"kinetic = a", "E019", 1, 9, NULL},
    {"let y = a = b", "E019", 1, 11, NULL},
    {"let y = (a, b)", "E019", 1, 11, "[x, y]"},
    {"let y = a)", "E022", 1, 10, NULL},
    {"let y = a, b", "E019", 1, 10, NULL},
    {"kinetic", "E020", 1, 8, "kinetic EXPRESSION"},
    {"kinetic a*", "E020", 1, 11, NULL},
    {"kinetic a*/b", "E020", 1, 11, NULL},
    {"kinetic f(a,)", "E020", 1, 13, NULL},
    {"kinetic a +\ncoord x", "E020", 1, 12, NULL},
    {"kinetic m*(a\npotential b", "E021", 1, 11, NULL},
    {"kinetic sin(a\npotential -b", "E021", 1, 12, NULL},
    {"coord x[1..N\ncoord y", "E021", 1, 8, NULL},
    {"draw point [(x, y]", "E021", 1, 13, NULL},
    {"draw point [x, y)", "E023", 1, 17, "]"},
    {"kinetic 2x", "E024", 1, 10, "2*x"},
    {"kinetic 2 x", "E024", 1, 10, "2*x"},
    {"kinetic a b", "E024", 1, 10, "a*b"},
    {"kinetic (a)(b)", "E024", 1, 12, ")*("},
    {"kinetic 2(b)", "E024", 1, 10, "2*("},
    {"kinetic 2[a, b]", "E024", 1, 10, "2*["},
    {"kinetic a b c d", "E024", 1, 10, "a*b"},
    {"let y = sin x", "E025", 1, 9, "sin(x)"},
    {"let y = sin", "E025", 1, 9, "sin(EXPRESSION)"},
    {"let y = if(n = 2, a, b)", "E026", 1, 14, "=="},
    {"let y = x > 0", "E027", 1, 11, NULL},
    {"let y = (x > 0)*2", "E027", 1, 12, NULL},
    {"let y = f(x <= 0)", "E027", 1, 13, NULL},
    {"constraint c: x >= 0 and y >= 0", "E028", 1, 22, NULL},
    {"let y = not x", "E028", 1, 9, NULL},
    {"let y = if(0 < x < 1, x, 0)", "E029", 1, 18, NULL},
    {"constraint c: 0 <= x <= 1", "E029", 1, 22, NULL},
    {"let y = if(x, 1, 2)", "E030", 1, 12, NULL},
    {"let y = if((x > 0) + 1 > 1, 1, 2)", "E030", 1, 13, NULL},
    {"let y = if(x and y > 0, 1, 2)", "E030", 1, 12, NULL},
    {"let y = if((x > 0)', 1, 2)", "E030", 1, 19, NULL},
    {"let y = if(x > 0, x)", "E031", 1, 20, NULL},
    {"let y = if(x > 0)", "E031", 1, 17, NULL},
    {"let y = if(x > 0, 1, 2, 3)", "E031", 1, 23, NULL},
    {"let y = if x > 0", "E031", 1, 11, NULL},
    {"kinetic sum(x[i], i, 1, N)", "E032", 1, 14, NULL},
    {"kinetic sum(i in 1..N, x)", "E032", 1, 22, NULL},
    {"kinetic sum i", "E032", 1, 12, NULL},
    {"if x > 0", "E033", 1, 1, NULL},
    {"else", "E033", 1, 1, NULL},
    {"let y = a else b", "E033", 1, 11, NULL},
    {"coord x[5]", "E034", 1, 10, "1..5"},
    {"for i in N: start x = 1", "E034", 1, 11, "1..N"},
    {"draw point []", "E035", 1, 12, NULL},
    {"let y = x[]", "E035", 1, 10, NULL},
    {"let y = f()", "E035", 1, 10, NULL},
    {"let y = ()", "E035", 1, 9, NULL},
    {"coord x[]", "E035", 1, 8, NULL},
    {"let y = r.w", "E036", 1, 11, NULL},
    {"let y = r.", "E036", 1, 11, NULL},
    {"let y = x'''''''''", "E037", 1, 10, NULL},
    {"let y = x^2'", "E038", 1, 12, NULL},
    {"let y = 'x", "E038", 1, 9, NULL},
    {"let y = v'[2]", "E039", 1, 11, "v[2]'"},
    {"let y = f(a)[2]", "E039", 1, 13, NULL},
    {"let y = x[1][2]", "E039", 1, 13, NULL},
    {"let y = dev.rod", "E041", 1, 9, NULL},
    {"let y = 2*lambda", "E041", 1, 11, NULL},
    {"let y = const", "E041", 1, 9, NULL},
    {"coord 1x", "E042", 1, 7, "x1"},
    {"coord", "E042", 1, 6, NULL},
    {"let = 3", "E042", 1, 5, NULL},
    {"select 3", "E042", 1, 8, NULL},
    {"constraint x^2 = 1", "E043", 1, 11, NULL},
    {"constraint rod x = 1", "E043", 1, 15, "rod:"},
    {"constraint rod", "E043", 1, 15, "rod:"},
    {"equation x'' = 1", "E043", 1, 9, NULL},
    {"force x = 1", "E043", 1, 9, NULL},
    {"for i in 1..N start x = 1", "E043", 1, 14, NULL},
    {"law x' - v", "E044", 1, 11, NULL},
    {"law x' >= v", "E044", 1, 8, NULL},
    {"constraint c: x", "E044", 1, 16, NULL},
    {"observe r.x", "E044", 1, 10, NULL},
    {"constraint c: x == 1", "E045", 1, 17, "="},
    {"let y == 1", "E045", 1, 7, "="},
    {"constraint c: x < 1", "E046", 1, 17, "<="},
    {"constraint c: x > 1 impact 0", "E046", 1, 17, ">="},
    {"constraint c: x = y by ideal by vakonomic", "E048", 1, 30, NULL},
    {"event e: x = 0 up down", "E048", 1, 19, NULL},
    {"event e: x = 0 stop record", "E048", 1, 21, NULL},
    {"constraint c: x = y by vaconomic", "E049", 1, 24, "vakonomic"},
    {"constraint c: x = y by", "E049", 1, 23, NULL},
    {"constraint c: x = y by servo(psi)", "E050", 1, 33, NULL},
    {"constraint c: x = y by servo", "E050", 1, 29, NULL},
    {"constraint c: x = y by ideal(1)", "E050", 1, 29, NULL},
    {"constraint c: x = y by friction()", "E050", 1, 33, NULL},
    {"constraint c: x = y by vakonomic(strict)", "E056", 1, 34, NULL},
    {"constraint c: x = y with c = 0", "E051", 1, 27, NULL},
    {"constraint c: x = y with baumgarte(w)", "E051", 1, 37, NULL},
    {"constraint c: x = y with baumgart(w, mu)", "E051", 1, 26, "baumgarte(w, mu)"},
    {"for i in 1..N", "E052", 1, 14, NULL},
    {"for i in 1..N: coord x[i]", "E053", 1, 16, NULL},
    {"param m = \"1\"", "E054", 1, 11, NULL},
    {"model Pendulum", "E055", 1, 7, NULL},
    {"model 'Pendulum'", "E055", 1, 7, NULL},
    {"input u from file.csv", "E055", 1, 14, NULL},
    {"draw circle [x, y]", "E056", 1, 6, NULL},
    {"draw lin [x, y]", "E056", 1, 6, "line"},
    {"draw line [0, 0], [x, y]", "E057", 1, 17, NULL},
    {"for i = 1..N: start x = 0", "E057", 1, 7, NULL},
    {"torque R: M", "E057", 1, 8, NULL},
    {"change z = x", "E057", 1, 13, NULL},
    {"event e: x = 0 record down", "E058", 1, 23, NULL},
    {"law x'' = -x by ideal", "E059", 1, 14, NULL},
    {"coord x y", "E060", 1, 8, ", y"},
    {"param a = 1 b = 2", "E060", 1, 12, ", b"},
    {"start x = 1 x' = 2", "E060", 1, 12, ", x"},
    {"pair x y", "E060", 1, 7, NULL},
    {"pair x", "E060", 1, 7, NULL},
    {"let y = x[1..2]", "E061", 1, 12, NULL},
    {"constraint c[1..N]: x = 0", "E061", 1, 15, NULL},
    {"kinetic a potential b", "E062", 1, 11, "a new line before `potential`"},
    {"let y = x [1]", "W001", 1, 11, NULL},
    {"param m\xD0\xB0ss = 1", "W002", 1, 7, NULL},
};

static const char BEFORE[] = "coord first\n";
static const char AFTER[] = "\nkinetic last\n";

static void put_found(const reading *r)
{
    for (uint32_t i = 0; i < r->diagnostics.remarks.count; i++) {
        const rh_remark *remark = &r->diagnostics.remarks.data[i];
        const rh_place place = rh__source_place(&r->source, remark->span);
        print_error("    %s %u:%u %s [%s]\n", rh__diagnostic_name(remark->code), place.line - 1,
                    place.column, remark->message, remark->repair);
    }
}

// Is the mistake found, alone, at its place, and are both neighbours there?
static bool is_found(const mistake *row, reading *r)
{
    const uint32_t count = r->diagnostics.remarks.count;
    if (count != 1) {
        return false;
    }
    const rh_remark *remark = &r->diagnostics.remarks.data[0];
    const rh_place place = rh__source_place(&r->source, remark->span);
    const rh_ast_node *root = rh__tree_node(&r->tree, r->tree.root);
    return strcmp(rh__diagnostic_name(remark->code), row->code) == 0 &&
           place.line == row->line + 1 && place.column == row->column &&
           (row->repair == NULL || strcmp(remark->repair, row->repair) == 0) &&
           strcmp(reading_shape(r, root->first), "(coord (declare first))") == 0 &&
           strcmp(reading_shape(r, root->last), "(kinetic last)") == 0;
}

static void every_mistake_is_found_alone(void **state)
{
    (void)state;
    uint32_t missed = 0;
    for (size_t i = 0; i < sizeof MISTAKES / sizeof MISTAKES[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "%s%s%s", BEFORE, MISTAKES[i].text, AFTER);
        reading r;
        reading_begin(&r, text);
        reading_check_spans(&r);
        if (!is_found(&MISTAKES[i], &r)) {
            missed++;
            print_error("%s: expected %s %u:%u [%s], found\n", MISTAKES[i].text, MISTAKES[i].code,
                        MISTAKES[i].line, MISTAKES[i].column,
                        MISTAKES[i].repair == NULL ? "" : MISTAKES[i].repair);
            put_found(&r);
        }
        reading_end(&r);
    }
    assert_int_equal(missed, 0);
}

// Every site of a declaration refuses reserved words and reads on.
static void reserved_words_cannot_be_declared(void **state)
{
    (void)state;
    static const char *const SITES[] = {
        "param %s = 1",
        "param a = 1, %s = 2",
        "coord %s",
        "coord x, %s[1..2]",
        "state %s",
        "let %s = 1",
        "let %s(u) = u",
        "let f(a, %s) = a",
        "let %s[1] = 2",
        "input %s = t",
        "equation %s: a = b",
        "constraint %s: a = b",
        "quasi %s = x'",
        "event %s: a = b",
        "observe %s = a",
        "for %s in 1..2: start x = 1",
        "kinetic sum(%s in 1..2: x)",
        "change %s = x inverse x = y",
    };
    static const char *const WORDS[] = {"t",        "pi",  "lambda", "dev",
                                        "friction", "sum", "if",     "rotx"};
    for (size_t i = 0; i < sizeof SITES / sizeof SITES[0]; i++) {
        for (size_t k = 0; k < sizeof WORDS / sizeof WORDS[0]; k++) {
            char text[128];
            const char *mark = strstr(SITES[i], "%s");
            (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - SITES[i]), SITES[i],
                           WORDS[k], mark + 2);
            reading r;
            reading_begin(&r, text);
            assert_int_equal(r.diagnostics.remarks.count, 1);
            const rh_remark *remark = &r.diagnostics.remarks.data[0];
            assert_int_equal(remark->code, RH_DIAGNOSTIC_E040);
            const rh_place place = rh__source_place(&r.source, remark->span);
            assert_int_equal(place.column, mark - SITES[i] + 1);
            assert_int_equal(rh__tree_node(&r.tree, r.tree.root)->count, 1);
            reading_end(&r);
        }
    }
}

// Statement words and words of clauses are ordinary names elsewhere.
static void other_words_may_be_declared(void **state)
{
    (void)state;
    reading r;
    reading_begin(&r, "coord state, up, to, servo, at, inverse, T, V, energy, hold\n"
                      "event model: up = 0 up stop\ndraw line to to to\nforce at: force\n");
    assert_int_equal(r.diagnostics.remarks.count, 0);
    reading_end(&r);
}

// The text after `head` in an explanation, one level of indentation removed; up to the next word or
// the end.
static void put_example(const char *explanation, const char *head, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    const char *at = strstr(explanation, head);
    at = at == NULL ? NULL : strchr(at, '\n');
    while (at != NULL && strncmp(at, "\n    ", 5) == 0) {
        const char *end = strchr(at + 5, '\n');
        const int width = end == NULL ? (int)strlen(at + 5) : (int)(end - (at + 5));
        used += (size_t)snprintf(out + used, size - used, "%.*s\n", width, at + 5);
        at = end;
    }
}

static bool has_code(const reading *r, rh_diagnostic_code code)
{
    for (uint32_t i = 0; i < r->diagnostics.remarks.count; i++) {
        if (r->diagnostics.remarks.data[i].code == code) {
            return true;
        }
    }
    return false;
}

// `rheonom explain` shows what it says: the wrong example earns the code, the right one earns
// nothing.
static void explanations_keep_their_word(void **state)
{
    (void)state;
    uint32_t checked = 0;
    for (unsigned code = 0; code <= RH_DIAGNOSTIC_W002; code++) {
        const char *explanation = rh__diagnostic_explanation((rh_diagnostic_code)code);
        char wrong[512];
        char right[512];
        put_example(explanation, "Wrong:\n", wrong, sizeof wrong);
        put_example(explanation, "Right:\n", right, sizeof right);
        assert_true(wrong[0] != '\0' && right[0] != '\0');
        reading r;
        reading_begin(&r, wrong);
        if (code != RH_DIAGNOSTIC_E003 && code != RH_DIAGNOSTIC_E004 &&
            !has_code(&r, (rh_diagnostic_code)code)) {
            print_error("%s: %s", rh__diagnostic_name((rh_diagnostic_code)code), wrong);
            fail();
        }
        reading_end(&r);
        reading_begin(&r, right);
        if (r.diagnostics.remarks.count > 0) {
            print_error("%s: %s", rh__diagnostic_name((rh_diagnostic_code)code), right);
            put_found(&r);
            fail();
        }
        reading_end(&r);
        checked++;
    }
    assert_true(checked > 50);
}

static void lists_keep_what_was_read_and_losses_are_named(void **state)
{
    (void)state;
    reading r;
    reading_begin(&r,
                  "param a = 1, b = (2 3), c = sin x, d = 4\nlet \xC2\xB5 = a a =\ncoord x, 3\n");
    assert_int_equal(r.diagnostics.error_count, 5);
    assert_string_equal(reading_shape(&r, r.tree.root),
                        "(file (param (declare a) 1 (declare b) (* 2 3)) (coord (declare x)))");
    reading_check_nesting(&r, r.tree.root);
    bool has_d = false;
    bool has_mu = false;
    for (uint32_t i = 0; i < r.tree.lost.count; i++) {
        has_d |= rh__slice_is(r.tree.lost.data[i], "d");
        has_mu |= rh__slice_is(r.tree.lost.data[i], "\xCE\xBC");
        assert_false(rh__slice_is(r.tree.lost.data[i], "sin"));
    }
    assert_true(has_d && has_mu);
    reading_end(&r);
}

static void many_mistakes_are_found_in_one_go(void **state)
{
    (void)state;
    reading r;
    reading_begin(
        &r,
        "model \"a\nparam m = 2x\ncoords y\nkinetic m*(x\npotential m**2\n  + 3\n  + 4\nx = 3\n");
    static const char *const EXPECTED[] = {"E008", "E024", "E015", "E021", "E012", "E018", "E016"};
    assert_int_equal(r.diagnostics.remarks.count, sizeof EXPECTED / sizeof EXPECTED[0]);
    for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; i++) {
        assert_string_equal(rh__diagnostic_name(r.diagnostics.remarks.data[i].code), EXPECTED[i]);
    }
    reading_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_found_alone),
        cmocka_unit_test(reserved_words_cannot_be_declared),
        cmocka_unit_test(other_words_may_be_declared),
        cmocka_unit_test(explanations_keep_their_word),
        cmocka_unit_test(lists_keep_what_was_read_and_losses_are_named),
        cmocka_unit_test(many_mistakes_are_found_in_one_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
