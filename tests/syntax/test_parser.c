// SPDX-License-Identifier: Apache-2.0
// Unit and property tests of the parser: shapes of expressions and statements, limits, memory, and
// what holds for any text. The mistakes have their own file, test_complaint.c.

#define _XOPEN_SOURCE 700

#include "reading.h"

#include <glob.h>

// --- shapes ----------------------------------------------------------------------------------

static void check_statement(const char *text, const char *expected)
{
    reading r;
    reading_begin(&r, text);
    if (r.diagnostics.remarks.count > 0) {
        print_error("%s: %s\n", text, r.diagnostics.remarks.data[0].message);
    }
    assert_int_equal(r.diagnostics.remarks.count, 0);
    assert_int_equal(rh__tree_node(&r.tree, r.tree.root)->count, 1);
    assert_string_equal(reading_shape(&r, rh__tree_child(&r.tree, r.tree.root, 0)), expected);
    reading_check_nesting(&r, r.tree.root);
    reading_check_spans(&r);
    reading_end(&r);
}

static void check_expression(const char *text, const char *expected)
{
    char statement[512];
    char shape[512];
    (void)snprintf(statement, sizeof statement, "kinetic %s", text);
    (void)snprintf(shape, sizeof shape, "(kinetic %s)", expected);
    check_statement(statement, shape);
}

static void sums_and_products_are_flat(void **state)
{
    (void)state;
    check_expression("a + b - c + d", "(+ a b (- c) d)");
    check_expression("a*b/c*d", "(* a b (/ c) d)");
    check_expression("a - b*c", "(+ a (- (* b c)))");
    check_expression("-a + b", "(+ (- a) b)");
    check_expression("-a*b", "(* (- a) b)");
    check_expression("a - -b", "(+ a (- (- b)))");
    check_expression("a/-b", "(* a (/ (- b)))");
    check_expression("+a", "a");
    check_expression("a + (b + c)", "(+ a (+ b c))");
    check_expression("1/2*P2'", "(* 1 (/ 2) (prime #1 P2))");
}

static void powers_bind_tighter_than_signs(void **state)
{
    (void)state;
    check_expression("-x^2", "(- (^ x 2))");
    check_expression("2^-3", "(^ 2 (- 3))");
    check_expression("2^+3", "(^ 2 3)");
    check_expression("x^y^z", "(^ x (^ y z))");
    check_expression("2^-x^2", "(^ 2 (- (^ x 2)))");
    check_expression("2^--x", "(^ 2 (- (- x)))");
    check_expression("(-x)^2", "(^ (- x) 2)");
    check_expression("a*x^2*b", "(* a (^ x 2) b)");
    check_expression("x^2/2", "(* (^ x 2) (/ 2))");
}

static void primes_and_members_bind_tightest(void **state)
{
    (void)state;
    check_expression("x'^2", "(^ (prime #1 x) 2)");
    check_expression("zc''", "(prime #2 zc)");
    check_expression("(x*y)'", "(prime #1 (* x y))");
    check_expression("x[3]'", "(prime #1 (index x 3))");
    check_expression("r.x'", "(prime #1 (member x r))");
    check_expression("r'.x", "(member x (prime #1 r))");
    check_expression("f(u)'", "(prime #1 (call f u))");
    check_expression("[x, y]'", "(prime #1 (vector x y))");
    check_expression("2^x'", "(^ 2 (prime #1 x))");
    check_expression("cross(a, b).z", "(member z (call cross a b))");
    check_expression("x''''''''", "(prime #8 x)");
}

static void primaries(void **state)
{
    (void)state;
    check_expression("1.5e-3", "1.5e-3");
    check_expression("M[1, i+2]", "(index M 1 (+ i 2))");
    check_expression("f(a, b)", "(call f a b)");
    check_expression("[[a, b], [c, d]]", "(vector (vector a b) (vector c d))");
    check_expression("sum(i in 2..N-1: x[i])", "(sum i (range 2 (+ N (- 1))) (index x i))");
    check_expression("lambda.rod[2]*2", "(* (lambda (index rod 2)) 2)");
    check_expression("lambda.rod'", "(prime #1 (lambda rod))");
    check_expression("atan2(y, x)", "(call atan2 y x)");
    check_expression("pi*t", "(* pi t)");
    check_expression("state + kinetic", "(+ state kinetic)");
    check_expression("((((x))))", "x");
}

static void conditions_stand_in_if(void **state)
{
    (void)state;
    check_expression("if(x < 0, a, b)", "(call if (compare #2 x 0) a b)");
    check_expression("if(x == 0, a, b)", "(call if (compare x 0) a b)");
    check_expression(
        "if(a<b and c!=d or not e>=f, 1, 2)",
        "(call if (or (and (compare #2 a b) (compare #1 c d)) (not (compare #5 e f))) 1 2)");
    check_expression(
        "if(not (a <= b or c > d) and e < f, 1, 2)",
        "(call if (and (not (or (compare #3 a b) (compare #4 c d))) (compare #2 e f)) 1 2)");
    check_expression("if((a + b)*2 < c, 1, if(c < d, 2, 3))",
                     "(call if (compare #2 (* (+ a b) 2) c) 1 (call if (compare #2 c d) 2 3))");
}

static void declarations(void **state)
{
    (void)state;
    check_statement("model \"a \\\"b\\\" \\\\\"", "(model (string a \"b\" \\))");
    check_statement("param a = 1, b[1..N] = a/2",
                    "(param (declare a) 1 (declare b (range 1 N)) (* a (/ 2)))");
    check_statement("coord x, y[1..N, 0..2]",
                    "(coord (declare x) (declare y (range 1 N) (range 0 2)))");
    check_statement("state x", "(state (declare x))");
    check_statement("let xc = x", "(let xc x)");
    check_statement("let f(u, v) = u", "(function f u v u)");
    check_statement("let u[i, j+1] = 2", "(let (index u i (+ j 1)) 2)");
    check_statement("quasi w3[2] = phi'", "(quasi (index w3 2) (prime #1 phi))");
    check_statement("input u = sin(t)", "(input u (call sin t))");
    check_statement("input u from \"file.csv\"", "(input u (string file.csv))");
    check_statement("param start = 1, model = 2", "(param (declare start) 1 (declare model) 2)");
}

static void sources_of_motion(void **state)
{
    (void)state;
    check_statement("kinetic (a)", "(kinetic a)");
    check_statement("potential -a", "(potential (- a))");
    check_statement("dissipation a", "(dissipation a)");
    check_statement("lagrangian a", "(lagrangian a)");
    check_statement("force x[2]: a", "(force (index x 2) a)");
    check_statement("force at r: [a, b]", "(force_at r (vector a b))");
    check_statement("force at [x, y]: F", "(force_at (vector x y) F)");
    check_statement("force at: a", "(force at a)");
    check_statement("torque on R*S: R*[0, 0, M]", "(torque (* R S) (* R (vector 0 0 M)))");
    check_statement("law q1^2*q2'' = 3", "(law (* (^ q1 2) (prime #2 q2)) 3)");
    check_statement("equation e[1]: x'' + y'' = 0",
                    "(equation (index e 1) (+ (prime #2 x) (prime #2 y)) 0)");
    check_statement("select v, x[2]", "(select v (index x 2))");
    check_statement("pair xi, v", "(pair xi v)");
    check_statement(
        "change z = xi/2, tau = 2*t inverse xi = 2*z, t = tau/2",
        "(change (setting z (* xi (/ 2))) (setting tau (* 2 t)) (inverse (setting xi (* 2 "
        "z)) (setting t (* tau (/ 2)))))");
    check_statement("construct", "(construct)");
    check_statement("construct tangent 1.5", "(construct 1.5)");
    check_statement("construct tangent 1.5 with [0, 1], v", "(construct 1.5 (vector 0 1) v)");
}

static void constraints_and_their_clauses(void **state)
{
    (void)state;
    check_statement("constraint rod: x^2 = l", "(constraint rod (^ x 2) l)");
    check_statement("constraint c[i]: x >= 0 impact 0.5",
                    "(constraint #5 (index c i) x 0 (impact 0.5))");
    check_statement("constraint c: x <= y", "(constraint #3 c x y)");
    check_statement("constraint c: eta = const", "(constraint c eta (const))");
    check_statement("constraint c: x = 0 by ideal", "(constraint c x 0 (by ideal))");
    check_statement(
        "constraint c: x = 0 by servo(psi: 1, x[2]: -a)",
        "(constraint c x 0 (by servo (component psi 1) (component (index x 2) (- a))))");
    check_statement("constraint c: x = 0 by inertia(x'^2)",
                    "(constraint c x 0 (by inertia (^ (prime #1 x) 2)))");
    check_statement("constraint c: x = 0 by inertia(P, hold)",
                    "(constraint c x 0 (by inertia #2 P))");
    check_statement("constraint c: x = 0 by vakonomic", "(constraint c x 0 (by vakonomic))");
    check_statement("constraint c: x = 0 by vakonomic(literal)",
                    "(constraint c x 0 (by vakonomic #1))");
    check_statement("constraint c: x = 0 by friction(N)", "(constraint c x 0 (by friction N))");
    check_statement("constraint c: x = 0 by reaction(x: 1)",
                    "(constraint c x 0 (by reaction (component x 1)))");
    check_statement("constraint c: x = 0 with c'' = -a*c",
                    "(constraint c x 0 (with (prime #2 c) (* (- a) c)))");
    check_statement("constraint c: x = 0 with c[2]' = 0",
                    "(constraint c x 0 (with (prime #1 (index c 2)) 0))");
    check_statement("constraint c: x = 0 with baumgarte(w, mu)",
                    "(constraint c x 0 (with (call baumgarte w mu)))");
    // in any order on the line, in one order in the tree
    check_statement("constraint c: x >= 0 with c' = 0 by ideal impact e",
                    "(constraint #5 c x 0 (impact e) (by ideal) (with (prime #1 c) 0))");
}

static void starts_events_and_pictures(void **state)
{
    (void)state;
    check_statement(
        "start theta = 0.2, psi' = 1, x[2]'' = 3, lambda.c[1] = -1",
        "(start (setting theta 0.2) (setting (prime #1 psi) 1) (setting (prime #2 (index x 2)) 3) "
        "(setting (lambda (index c 1)) (- 1)))");
    check_statement("guess y = 1", "(guess (setting y 1))");
    check_statement("scale x = 1e-6, x[3]' = 2*a",
                    "(scale (setting x 1e-6) (setting (prime #1 (index x 3)) (* 2 a)))");
    check_statement("event top: x' = 0", "(event top (prime #1 x) 0)");
    check_statement("event top: x' = 0 down record",
                    "(event #2 top (prime #1 x) 0 (action record))");
    check_statement("event top: x = up up stop", "(event #1 top x up (action stop))");
    check_statement("event top: x = 0 reset x' = -e*x', y = 2",
                    "(event top x 0 (action reset (setting (prime #1 x) (* (- e) (prime #1 x))) "
                    "(setting y 2)))");
    check_statement("observe r", "(observe r)");
    check_statement("observe h = zc", "(observe h zc)");
    check_statement("draw point [x, y]", "(draw_point (vector x y))");
}

static void pictures(void **state)
{
    (void)state;
    check_statement("draw line [0, 0] to p + u", "(draw_line (vector 0 0) (+ p u))");
    check_statement("draw disc centre [x, y, 0] normal n radius a",
                    "(draw_disc (vector x y 0) n a)");
    check_statement("for i in 1..N: draw point p[i]",
                    "(for i (range 1 N) (draw_point (index p i)))");
    check_statement("for i in 1..N:\n for j in i..N:\n  let a[i,j] = 0",
                    "(for i (range 1 N) (for j (range i N) (let (index a i j) 0)))");
}

static void a_micro_sign_reads_as_mu(void **state)
{
    (void)state;
    check_statement("let \xC2\xB5 = a\xC2\xB5", "(let \xCE\xBC a\xCE\xBC)");
}

static void lines_end_in_any_way(void **state)
{
    (void)state;
    reading r;
    reading_begin(&r, "\xEF\xBB\xBF"
                      "coord x\r\nkinetic (x\r\n)\r\n\r\nlet y = x +\r\n  1");
    assert_int_equal(r.diagnostics.remarks.count, 0);
    assert_string_equal(reading_shape(&r, r.tree.root),
                        "(file (coord (declare x)) (kinetic x) (let y (+ x 1)))");
    reading_end(&r);
}

static void the_dump_is_canonical(void **state)
{
    (void)state;
    reading r;
    reading_begin(&r, "model \"a\tb\"\nconstraint c:\n  x' >= 0 by vakonomic(hold)\n");
    rh_text text = rh__text_begin(&r.arena, NULL);
    rh__tree_dump(&r.tree, &r.source, &text);
    assert_string_equal(text.data, "file @1:1-4:1\n"
                                   "  model @1:1-1:12\n"
                                   "    string \"a\\tb\" @1:7-1:12\n"
                                   "  constraint >= @2:1-3:29\n"
                                   "    name c @2:12-2:13\n"
                                   "    prime 1 @3:3-3:5\n"
                                   "      name x @3:3-3:4\n"
                                   "    number 0 @3:9-3:10\n"
                                   "    by vakonomic hold @3:11-3:29\n");
    reading_end(&r);
}

static void settings_of_the_command_line(void **state)
{
    (void)state;
    reading r;
    reading_begin_with(&r, rh__slice_of("m=2, x[1]' = -a, lambda.c=1"), rh__tree_parse_settings,
                       rh_allocator_default(), SIZE_MAX / 4);
    assert_int_equal(r.diagnostics.remarks.count, 0);
    assert_string_equal(
        reading_shape(&r, r.tree.root),
        "(file (start (setting m 2) (setting (prime #1 (index x 1)) (- a)) (setting "
        "(lambda c) 1)))");
    reading_end(&r);
    static const char *const WRONG[] = {"", "m", "m=", "m=1,", "m=1\nn=2", "param m=1", "m=1 n=2"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        reading_begin_with(&r, rh__slice_of(WRONG[i]), rh__tree_parse_settings,
                           rh_allocator_default(), SIZE_MAX / 4);
        assert_int_equal(r.status, RH_OK);
        assert_int_equal(r.diagnostics.error_count, 1);
        reading_check_spans(&r);
        reading_end(&r);
    }
}

static void words_know_their_kind(void **state)
{
    (void)state;
    assert_true(rh__word_is_reserved(rh__slice_of("lambda")));
    assert_true(rh__word_is_reserved(rh__slice_of("transpose")));
    assert_true(rh__word_is_reserved(rh__slice_of("if")));
    assert_false(rh__word_is_reserved(rh__slice_of("energy")));
    assert_false(rh__word_is_reserved(rh__slice_of("")));
    assert_true(rh__word_is_statement(rh__slice_of("for")));
    assert_false(rh__word_is_statement(rh__slice_of("by")));
    assert_string_equal(rh__function_words()[0], "sin");
}

// --- limits ----------------------------------------------------------------------------------

// `open` and `close` around x, `count` times.
static char *nested(const char *head, const char *open, const char *close, uint32_t count)
{
    const size_t size = strlen(head) + count * (strlen(open) + strlen(close)) + 2;
    char *text = calloc(size, 1);
    assert_non_null(text);
    char *at = text + sprintf(text, "%s", head);
    for (uint32_t i = 0; i < count; i++) {
        at += sprintf(at, "%s", open);
    }
    *at++ = 'x';
    for (uint32_t i = 0; i < count; i++) {
        at += sprintf(at, "%s", close);
    }
    return text;
}

static void check_nested(const char *head, const char *open, const char *close, uint32_t count)
{
    char *text = nested(head, open, close, count);
    reading r;
    reading_begin(&r, text);
    const bool is_deep = count >= RH_SYNTAX_NESTING;
    assert_int_equal(r.diagnostics.remarks.count, is_deep);
    if (is_deep) {
        assert_int_equal(r.diagnostics.remarks.data[0].code, RH_DIAGNOSTIC_E901);
    }
    rh_text dump = rh__text_begin(&r.arena, NULL);
    rh__tree_dump(&r.tree, &r.source, &dump);
    assert_true(dump.ok);
    reading_end(&r);
    free(text);
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    static const char *const ROWS[][3] = {
        {"let y = ", "(", ")"},
        {"let y = ", "-", ""},
        {"let y = ", "x^", ""},
        {"let y = ", "[", "]"},
        {"let y = ", "sin(", ")"},
        {"let y = ", "", ".x"},
        {"let y = ", "", ".x'"},
        {"let y = ", "2^-", ""},
        {"let y = ", "a[", "]"},
        {"let y = ", "if(1 < 2, 0, ", ")"},
        {"let y = ", "sum(i in 1..2:", ")"},
        {"let y = ", "(1 + 2*-3/", ")'^2"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        check_nested(ROWS[i][0], ROWS[i][1], ROWS[i][2], 60);
        check_nested(ROWS[i][0], ROWS[i][1], ROWS[i][2], 300);
        check_nested(ROWS[i][0], ROWS[i][1], ROWS[i][2], 20000);
    }
    char *loops = nested("", "for i in 1..2: ", "", 20000);
    reading r;
    reading_begin(&r, loops);
    assert_int_equal(r.diagnostics.remarks.count, 1);
    assert_int_equal(r.diagnostics.remarks.data[0].code, RH_DIAGNOSTIC_E901);
    reading_end(&r);
    free(loops);
}

static void long_chains_do_not_nest(void **state)
{
    (void)state;
    enum { TERMS = 10000 };
    char *text = calloc(TERMS * 8 + 32, 1);
    assert_non_null(text);
    char *at = text + sprintf(text, "kinetic x");
    for (int i = 1; i < TERMS; i++) {
        at += sprintf(at, i % 3 == 0 ? " - a*b" : " + c");
    }
    reading r;
    reading_begin(&r, text);
    assert_int_equal(r.diagnostics.remarks.count, 0);
    const rh_ast sum = rh__tree_child(&r.tree, rh__tree_child(&r.tree, r.tree.root, 0), 0);
    assert_int_equal(rh__tree_kind(&r.tree, sum), RH_AST_ADD);
    assert_int_equal(rh__tree_node(&r.tree, sum)->count, TERMS);
    assert_int_equal(rh__tree_kind(&r.tree, rh__tree_child(&r.tree, sum, 3)), RH_AST_NEGATE);
    reading_end(&r);
    free(text);
}

static void a_large_file_is_refused(void **state)
{
    (void)state;
    const size_t size = RH_SYNTAX_FILE_SIZE + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '\n', size);
    reading r;
    reading_begin_with(&r, (rh_slice){text, size}, rh__tree_parse, rh_allocator_default(),
                       SIZE_MAX / 4);
    assert_int_equal(r.status, RH_OK);
    assert_int_equal(r.tree.status, RH_E_LIMIT);
    assert_int_equal(r.diagnostics.remarks.data[0].code, RH_DIAGNOSTIC_E900);
    assert_int_equal(rh__tree_kind(&r.tree, r.tree.root), RH_AST_FILE);
    reading_end(&r);
    free(text);
}

// --- memory ----------------------------------------------------------------------------------

static const char SAMPLE[] =
    "model \"a\"\nparam \xC2\xB5 = 1, 2x\nfor i in 1..N: constraint c[i]: x[i] = (0\n"
    "let y = if(x < 1, sin(x), x')\nfoo bar\nkinetic m*(x\ncoord x\n";

static void every_request_may_fail(void **state)
{
    (void)state;
    for (size_t n = 1;; n++) {
        support_memory memory = {.fail_at = n};
        reading r;
        reading_begin_with(&r, rh__slice_of(SAMPLE), rh__tree_parse,
                           support_memory_allocator(&memory), SIZE_MAX / 4);
        const bool is_whole = memory.request_count < n;
        assert_true(r.status == RH_E_MEMORY || r.status == RH_OK);
        assert_true(!is_whole || r.status == RH_OK);
        reading_end(&r);
        assert_int_equal(memory.block_count, 0);
        if (is_whole) {
            break;
        }
    }
}

static void the_arena_may_be_small(void **state)
{
    (void)state;
    bool is_read = false;
    for (size_t limit = 1000; limit < 400000; limit += 1000) {
        reading r;
        reading_begin_with(&r, rh__slice_of(SAMPLE), rh__tree_parse, rh_allocator_default(), limit);
        assert_true(r.status == RH_E_LIMIT || r.status == RH_OK);
        is_read |= r.status == RH_OK;
        reading_end(&r);
    }
    assert_true(is_read);
}

// --- any text --------------------------------------------------------------------------------

static void check_anything(rh_slice text)
{
    reading r;
    reading_begin_with(&r, text, rh__tree_parse, rh_allocator_default(), SIZE_MAX / 4);
    assert_int_equal(r.status, RH_OK);
    reading_check_spans(&r);
    reading_check_nesting(&r, r.tree.root);
    rh_text dump = rh__text_begin(&r.arena, NULL);
    rh__tree_dump(&r.tree, &r.source, &dump);
    assert_true(dump.ok && dump.size > 0);
    reading_end(&r);
}

static const char *const FRAGMENTS[] = {
    "model",   "param",      "coord",     "let",
    "kinetic", "constraint", "for",       "start",
    "event",   "draw",       "change",    "law",
    "force",   "torque",     "input",     "construct",
    "select",  "pair",       "x",         "y",
    "f",       "sin",        "if",        "sum",
    "lambda",  "t",          "by",        "with",
    "impact",  "servo",      "const",     "in",
    "and",     "not",        "at",        "on",
    "to",      "line",       "inverse",   "up",
    "reset",   "1",          "2.5",       ".5",
    "1e",      "..",         ".",         ",",
    ":",       ";",          "(",         ")",
    "[",       "]",          "+",         "-",
    "*",       "/",          "^",         "'",
    "=",       "==",         "<",         "<=",
    ">=",      "!=",         "**",        "//",
    "\"a\"",   "\"",         "\n",        "\n",
    "\n",      "$",          "\xCE\xB8",  "\xE2\x88\x92",
    "\xFF",    "i",          "vakonomic", "baumgarte",
};

static void token_soup_is_survived(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < 20000; round++) {
        char text[512];
        size_t size = 0;
        const uint32_t count = support_random_below(&random, 40);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t pick =
                support_random_below(&random, sizeof FRAGMENTS / sizeof FRAGMENTS[0]);
            const char *blank = support_random_below(&random, 4) == 0 ? "" : " ";
            size +=
                (size_t)snprintf(text + size, sizeof text - size, "%s%s", FRAGMENTS[pick], blank);
        }
        check_anything((rh_slice){text, size});
    }
}

// A model with one byte changed, dropped or doubled is still survived.
static void damaged_models_are_survived(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    size_t size = 0;
    char *text = support_read("examples/whipple_bicycle/model.rhe", &size);
    for (int round = 0; round < 150; round++) {
        const uint32_t at = support_random_below(&random, (uint32_t)size);
        const char kept = text[at];
        text[at] = (char)support_random_bits(&random);
        check_anything((rh_slice){text, size});
        check_anything((rh_slice){text, at});
        text[at] = kept;
    }
    free(text);
}

// Fully bracketed text of an expression.
static void put_expression(const reading *r, rh_ast id, rh_text *out)
{
    const rh_ast_node *node = rh__tree_node(&r->tree, id);
    const rh_ast_kind kind = rh__tree_kind(&r->tree, id);
    const char *joint = kind == RH_AST_ADD ? "+" : kind == RH_AST_POWER ? "^" : ",";
    if (kind == RH_AST_NAME || kind == RH_AST_NUMBER) {
        rh__text_put_slice(out, node->text);
        return;
    }
    const char *head = kind == RH_AST_NEGATE ? "(-" : kind == RH_AST_VECTOR ? "[" : "(";
    if (kind == RH_AST_CALL) {
        rh__text_put_slice(out, node->text);
    }
    rh__text_put(out, head);
    for (rh_ast child = node->first; child.i != 0; child = rh__tree_next(&r->tree, child)) {
        const bool is_invert = rh__tree_kind(&r->tree, child) == RH_AST_INVERT;
        const bool is_first = child.i == node->first.i;
        rh__text_put(out, is_first ? "" : is_invert ? "/" : kind == RH_AST_MULTIPLY ? "*" : joint);
        put_expression(r, is_invert ? rh__tree_child(&r->tree, child, 0) : child, out);
    }
    rh__text_put(out, kind == RH_AST_VECTOR ? "]" : ")");
    for (unsigned i = 0; kind == RH_AST_PRIME && i < node->number; i++) {
        rh__text_put_char(out, '\'');
    }
}

static void put_random_expression(support_random *random, int depth, rh_text *out)
{
    static const char *const FORMS[] = {"x",       "2",   "#+#",   "#-#",     "#*#",  "#/#",
                                        "-#",      "x^#", "(#)^#", "f(#)",    "(#)'", "[#,#]",
                                        "sin(#)'", "(#)", "y''",   "#+#*#-#", "1.5"};
    const uint32_t leaf_count = 2;
    const uint32_t pick = support_random_below(
        random, depth <= 0 ? leaf_count : (uint32_t)(sizeof FORMS / sizeof FORMS[0]));
    for (const char *c = FORMS[pick]; *c != '\0'; c++) {
        if (*c == '#') {
            put_random_expression(random, depth - 1, out);
        } else {
            rh__text_put_char(out, *c);
        }
    }
}

// Printing with every bracket and reading again gives the same tree.
static void printed_expressions_read_the_same(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < 2000; round++) {
        rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4);
        rh_text text = rh__text_begin(&arena, NULL);
        rh__text_put(&text, "kinetic ");
        put_random_expression(&random, 4, &text);
        reading first;
        reading_begin(&first, text.data);
        if (first.diagnostics.remarks.count > 0) {
            print_error("%s: %s\n", text.data, first.diagnostics.remarks.data[0].message);
        }
        assert_int_equal(first.diagnostics.remarks.count, 0);
        rh_text printed = rh__text_begin(&arena, NULL);
        rh__text_put(&printed, "kinetic ");
        const rh_ast root = rh__tree_child(&first.tree, first.tree.root, 0);
        put_expression(&first, rh__tree_child(&first.tree, root, 0), &printed);
        reading second;
        reading_begin(&second, printed.data);
        assert_string_equal(reading_shape(&first, first.tree.root),
                            reading_shape(&second, second.tree.root));
        reading_end(&second);
        reading_end(&first);
        rh__arena_end(&arena);
    }
}

static void check_sound_files(const char *pattern)
{
    glob_t found;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", RH_SOURCE_DIR, pattern);
    if (glob(path, 0, NULL, &found) != 0) {
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size = 0;
        char *text = support_read(found.gl_pathv[i] + strlen(RH_SOURCE_DIR) + 1, &size);
        reading r;
        reading_begin_with(&r, (rh_slice){text, size}, rh__tree_parse, rh_allocator_default(),
                           SIZE_MAX / 4);
        if (r.diagnostics.remarks.count > 0) {
            print_error("%s: %s\n", found.gl_pathv[i], r.diagnostics.remarks.data[0].message);
        }
        assert_int_equal(r.diagnostics.remarks.count, 0);
        reading_check_nesting(&r, r.tree.root);
        reading_end(&r);
        free(text);
    }
    globfree(&found);
}

static void the_models_of_the_tree_are_read(void **state)
{
    (void)state;
    check_sound_files("examples/*/*.rhe");
    check_sound_files("tests/golden/models/*.rhe");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_are_flat),
        cmocka_unit_test(powers_bind_tighter_than_signs),
        cmocka_unit_test(primes_and_members_bind_tightest),
        cmocka_unit_test(primaries),
        cmocka_unit_test(conditions_stand_in_if),
        cmocka_unit_test(declarations),
        cmocka_unit_test(sources_of_motion),
        cmocka_unit_test(constraints_and_their_clauses),
        cmocka_unit_test(starts_events_and_pictures),
        cmocka_unit_test(pictures),
        cmocka_unit_test(a_micro_sign_reads_as_mu),
        cmocka_unit_test(lines_end_in_any_way),
        cmocka_unit_test(the_dump_is_canonical),
        cmocka_unit_test(settings_of_the_command_line),
        cmocka_unit_test(words_know_their_kind),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(long_chains_do_not_nest),
        cmocka_unit_test(a_large_file_is_refused),
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(the_arena_may_be_small),
        cmocka_unit_test(token_soup_is_survived),
        cmocka_unit_test(damaged_models_are_survived),
        cmocka_unit_test(printed_expressions_read_the_same),
        cmocka_unit_test(the_models_of_the_tree_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
