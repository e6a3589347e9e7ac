// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/show.c: what is written as text is read back as the same expression,
// by a small reader of the grammar that lives here; LaTeX has balanced brackets, JSON is JSON, and
// shared parts keep all of it short.

#include "helpers.h"

enum { ROUNDS = 5000 };

// --- a reader of the expression grammar -------------------------------------------------------

enum { MOST_ITEMS = 4096 };

typedef struct reader {
    lab *on;
    const char *at;
    const rh_expr *named; // what %1, %2, ... stand for
    uint32_t named_count;
    rh_expr stack[MOST_ITEMS]; // terms and factors under way
    uint32_t count;
} reader;

static rh_expr read_expression(reader *in);

static void skip_blanks(reader *in)
{
    while (*in->at == ' ') {
        in->at++;
    }
}

static bool accept(reader *in, const char *token)
{
    skip_blanks(in);
    const size_t size = strlen(token);
    if (strncmp(in->at, token, size) != 0) {
        return false;
    }
    in->at += size;
    return true;
}

static void expect(reader *in, const char *token)
{
    if (!accept(in, token)) {
        fail_msg("expected %s before %s", token, in->at);
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// A word of the language, not the beginning of a longer one.
static bool accept_word(reader *in, const char *word)
{
    skip_blanks(in);
    const size_t size = strlen(word);
    return !is_letter(in->at[size]) && !is_digit(in->at[size]) && accept(in, word);
}

static void push(reader *in, rh_expr e)
{
    assert_true(in->count < MOST_ITEMS);
    in->stack[in->count++] = e;
}

static rh_expr read_number(reader *in)
{
    const char *begin = in->at;
    while (is_digit(*in->at)) {
        in->at++;
    }
    if (*in->at == '.') {
        in->at++;
        assert_true(is_digit(*in->at));
        while (is_digit(*in->at)) {
            in->at++;
        }
    }
    return rh__expr_literal(in->on->store, (rh_slice){begin, (size_t)(in->at - begin)});
}

static rh_expr read_call(reader *in, rh_slice word)
{
    rh_expr arguments[3];
    uint32_t count = 0;
    do {
        assert_true(count < 3);
        arguments[count++] = read_expression(in);
    } while (accept(in, ","));
    expect(in, ")");
    if (rh__slice_is(word, "if")) {
        assert_int_equal(count, 3);
        return rh__expr_if(in->on->store, arguments[0], arguments[1], arguments[2]);
    }
    if (rh__slice_is(word, "sqrt")) {
        assert_int_equal(count, 1);
        return rh__expr_sqrt(in->on->store, arguments[0]);
    }
    const rh_op op = rh__op_find(word);
    assert_true(op != RH_OP_NONE);
    assert_int_equal(count, rh__op_arity(op));
    return rh__expr_apply(in->on->store, op, arguments, count);
}

static rh_expr read_symbol(reader *in, const char *begin)
{
    if (*in->at == '[') {
        while (*in->at++ != ']') {
            assert_true(*in->at != '\0');
        }
    }
    while (*in->at == '\'') {
        in->at++;
    }
    const rh_slice name = {begin, (size_t)(in->at - begin)};
    lab *on = in->on;
    for (int k = 0; k < SYMBOLS; k++) {
        const rh_mark mark = rh__arena_mark(&on->scratch);
        rh_text text = rh__text_begin(&on->scratch, NULL);
        rh__family_show(on->store, rh__expr_family(on->store, on->symbol[k]),
                        rh__expr_member(on->store, on->symbol[k]), &text);
        const bool is_found = rh__slice_equal(rh__text_slice(&text), name);
        rh__arena_rewind(&on->scratch, mark);
        if (is_found) {
            return on->symbol[k];
        }
    }
    fail_msg("no symbol at %s", begin);
    return RH_EXPR_NONE;
}

static rh_expr read_primary(reader *in)
{
    skip_blanks(in);
    if (is_digit(*in->at)) {
        return read_number(in);
    }
    if (accept(in, "%")) {
        const unsigned long k = strtoul(in->at, (char **)&in->at, 10);
        assert_true(k > 0 && k <= in->named_count);
        return in->named[k - 1];
    }
    if (accept(in, "(")) {
        const rh_expr inner = read_expression(in);
        expect(in, ")");
        return inner;
    }
    const char *begin = in->at;
    if (!is_letter(*begin)) {
        fail_msg("nothing to read at %s", begin);
    }
    while (is_letter(*in->at) || is_digit(*in->at)) {
        in->at++;
    }
    const rh_slice word = {begin, (size_t)(in->at - begin)};
    if (*in->at == '(') {
        in->at++;
        return read_call(in, word);
    }
    return rh__slice_is(word, "pi") ? rh__expr_pi(in->on->store) : read_symbol(in, begin);
}

static rh_expr read_signed_power(reader *in);

static rh_expr read_power(reader *in)
{
    const rh_expr base = read_primary(in);
    return accept(in, "^") ? rh__expr_power(in->on->store, base, read_signed_power(in)) : base;
}

static rh_expr read_signed_power(reader *in)
{
    return accept(in, "-") ? rh__expr_negate(in->on->store, read_signed_power(in)) : read_power(in);
}

static rh_expr read_unary(reader *in)
{
    return accept(in, "-") ? rh__expr_negate(in->on->store, read_unary(in)) : read_power(in);
}

// A chain of * and / is one product, a chain of + and - one sum.
static rh_expr read_term(reader *in)
{
    const uint32_t first = in->count;
    push(in, read_unary(in));
    for (;;) {
        if (accept(in, "*")) {
            push(in, read_unary(in));
        } else if (accept(in, "/")) {
            push(in, power(in->on, read_unary(in), -1));
        } else {
            break;
        }
    }
    const uint32_t count = in->count - first;
    in->count = first;
    return count == 1 ? in->stack[first]
                      : rh__expr_product(in->on->store, in->stack + first, count);
}

static rh_expr read_sum(reader *in)
{
    const uint32_t first = in->count;
    push(in, read_term(in));
    for (;;) {
        if (accept(in, "+")) {
            push(in, read_term(in));
        } else if (accept(in, "-")) {
            push(in, rh__expr_negate(in->on->store, read_term(in)));
        } else {
            break;
        }
    }
    const uint32_t count = in->count - first;
    in->count = first;
    return count == 1 ? in->stack[first] : rh__expr_sum(in->on->store, in->stack + first, count);
}

static rh_expr read_comparison(reader *in)
{
    static const char *const TOKENS[] = {"<=", ">=", "==", "!=", "<", ">"};
    const rh_expr a = read_sum(in);
    for (int k = 0; k < 6; k++) {
        if (accept(in, TOKENS[k])) {
            const rh_expr b = read_sum(in);
            const bool is_turned = k == 1 || k == 5;
            const rh_op op = k < 2 ? RH_OP_LESS_EQUAL : k < 4 ? RH_OP_EQUAL : RH_OP_LESS;
            const rh_expr result = call2(in->on, op, is_turned ? b : a, is_turned ? a : b);
            return k == 3 ? call(in->on, RH_OP_NOT, result) : result;
        }
    }
    return a;
}

static rh_expr read_negation(reader *in)
{
    return accept_word(in, "not") ? call(in->on, RH_OP_NOT, read_negation(in))
                                  : read_comparison(in);
}

static rh_expr read_logic(reader *in, const char *word, rh_op op, rh_expr (*read)(reader *))
{
    const uint32_t first = in->count;
    push(in, read(in));
    while (accept_word(in, word)) {
        push(in, read(in));
    }
    const uint32_t count = in->count - first;
    in->count = first;
    return count == 1 ? in->stack[first]
                      : rh__expr_apply(in->on->store, op, in->stack + first, count);
}

static rh_expr read_conjunction(reader *in)
{
    return read_logic(in, "and", RH_OP_AND, read_negation);
}

static rh_expr read_expression(reader *in)
{
    return read_logic(in, "or", RH_OP_OR, read_conjunction);
}

static rh_expr read_back(lab *on, const char *text, const rh_expr *named, uint32_t named_count)
{
    reader in = {.on = on, .at = text, .named = named, .named_count = named_count};
    const rh_expr e = read_expression(&in);
    skip_blanks(&in);
    if (*in.at != '\0') {
        fail_msg("left over: %s", in.at);
    }
    return e;
}

// --- text -------------------------------------------------------------------------------------

// A condition over random trees: comparisons, not, and, or.
static rh_expr random_condition(lab *on, const grower *by, int depth)
{
    const uint32_t kind = support_random_below(by->random, depth > 0 ? 7 : 3);
    if (kind < 3) {
        return call2(on, TREE_RELATIONS[kind], tree_build(on, tree_grow(by, 3)),
                     tree_build(on, tree_grow(by, 3)));
    }
    rh_expr parts[3];
    for (int k = 0; k < 3; k++) {
        parts[k] = random_condition(on, by, depth - 1);
    }
    if (kind == 3) {
        return call(on, RH_OP_NOT, parts[0]);
    }
    return rh__expr_apply(on->store, kind < 6 ? RH_OP_AND : RH_OP_OR, parts, 2 + kind % 2);
}

static rh_expr random_expression(lab *on, support_random *random, uint32_t leaves)
{
    const grower by = {&on->scratch, random, MENU_ALL};
    const rh_expr e = tree_build(on, tree_grow(&by, leaves));
    if (support_random_below(random, 4) != 0) {
        return e;
    }
    return rh__expr_if(on->store, random_condition(on, &by, 2), e, on->symbol[2]);
}

static void check_read_back(lab *on, rh_expr e)
{
    const char *text = lab_text(on, e);
    const size_t longest = 4096; // of a literal
    if (lab_has_zero_below(on, e) || strlen(text) > longest) {
        return;
    }
    assert_null(strchr(text, ';'));
    const rh_expr back = read_back(on, text, NULL, 0);
    if (!same(e, back)) {
        fail_msg("%s\n  is read back as %s", text, lab_text(on, back));
    }
}

static void text_is_read_back_as_the_same_expression(void **state)
{
    (void)state;
    support_random random = support_random_begin("text_is_read_back_as_the_same_expression");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const rh_expr e = random_expression(&on, &random, 1 + support_random_below(&random, 25));
        if (!lab_renew(&on)) {
            check_read_back(&on, e);
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    lab_end(&on);
}

static void derivatives_are_read_back_too(void **state)
{
    (void)state;
    support_random random = support_random_begin("derivatives_are_read_back_too");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS / 10; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const rh_expr e = random_expression(&on, &random, 1 + support_random_below(&random, 8));
        const rh_expr d = rh__expr_differentiate(on.store, e, on.symbol[2]);
        const rh_expr dd = rh__expr_differentiate(on.store, d, on.symbol[5]);
        if (!lab_renew(&on)) {
            check_read_back(&on, d);
            check_read_back(&on, dd);
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    lab_end(&on);
}

// Long sums in products and in sums keep their brackets.
static void long_sums_are_read_back(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    rh_expr list[40];
    for (int k = 0; k < 40; k++) {
        list[k] = times(&on, power(&on, on.symbol[k % 4], k / 4 + 1),
                        rh__expr_ratio(on.store, k % 3 - 4, k % 7 + 1));
    }
    const rh_expr sum = rh__expr_sum(on.store, list, 40);
    const rh_expr half = rh__expr_sum(on.store, list, 20);
    check_read_back(&on, sum);
    check_read_back(&on, plus(&on, sum, on.symbol[5]));
    check_read_back(&on, minus(&on, on.symbol[5], sum));
    check_read_back(&on, minus(&on, half, times(&on, sum, whole(&on, 3))));
    check_read_back(&on, over(&on, times(&on, sum, on.symbol[6]), power(&on, half, 2)));
    lab_end(&on);
}

// --- names for parts --------------------------------------------------------------------------

// Read all parts, then the expression.
static rh_expr read_named(lab *on, rh_expr e, size_t *out_size)
{
    const rh_show *show = rh__show_create(on->store, &on->scratch, RH_NOTATION_TEXT, &e, 1);
    assert_non_null(show);
    const uint32_t count = rh__show_part_count(show);
    rh_expr *named = rh__arena_array(&on->scratch, rh_expr, count);
    *out_size = 0;
    for (uint32_t k = 0; k < count; k++) {
        rh_text text = rh__text_begin(&on->scratch, NULL);
        rh__show_part(show, k, &text);
        assert_true(text.ok);
        *out_size += text.size;
        char name[32];
        (void)snprintf(name, sizeof name, "%%%u = ", k + 1);
        assert_memory_equal(text.data, name, strlen(name));
        named[k] = read_back(on, text.data + strlen(name), named, k);
    }
    rh_text text = rh__text_begin(&on->scratch, NULL);
    rh__show_expr(show, e, &text);
    *out_size += text.size;
    return read_back(on, text.data, named, count);
}

// One step of a doubling: each uses u twice or more.
static rh_expr double_up(lab *on, rh_expr u, uint32_t how)
{
    const rh_expr x = on->symbol[2];
    const rh_expr sine = call(on, RH_OP_SIN, u);
    switch (how) {
    case 0:
        return plus(on, power(on, u, 2), sine);
    case 1:
        return plus(on, times(on, sine, u), x);
    case 2:
        return over(on, whole(on, 1), plus(on, sine, u));
    case 3:
        return rh__expr_sqrt(on->store, plus(on, times(on, u, sine), whole(on, 1)));
    case 4:
        return minus(on, over(on, x, plus(on, u, sine)), over(on, x, power(on, plus(on, u, x), 2)));
    case 5:
        return times(on, over(on, sine, plus(on, u, x)), whole(on, 3));
    default:
        return rh__expr_if(on->store, call2(on, RH_OP_LESS, u, x), sine,
                           call2(on, RH_OP_MAX, u, power(on, sine, 2)));
    }
}

static void shared_parts_keep_text_in_proportion(void **state)
{
    (void)state;
    support_random random = support_random_begin("shared_parts_keep_text_in_proportion");
    for (uint32_t kind = 0; kind < 12; kind++) {
        lab on;
        lab_begin(&on);
        rh_expr u = on.symbol[2];
        for (int k = 0; k < 60; k++) {
            u = double_up(&on, u, kind < 7 ? kind : support_random_below(&random, 7));
        }
        rh_expr_list all;
        assert_true(rh__expr_reach(on.store, &u, 1, &on.scratch, &all));
        size_t size = 0;
        const rh_expr back = read_named(&on, u, &size);
        print_message("kind %u: %u nodes, %zu bytes\n", kind, all.count, size);
        assert_true(size < 1000 * (size_t)all.count);
        assert_true(same(back, u));
        assert_true(strlen(lab_show(&on, u, RH_NOTATION_LATEX)) < 3000 * (size_t)all.count);
        assert_true(strlen(lab_show(&on, u, RH_NOTATION_JSON)) < 1000 * (size_t)all.count);
        lab_end(&on);
    }
}

// --- LaTeX ------------------------------------------------------------------------------------

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}

static void check_latex(const char *text)
{
    int depth = 0;
    int round = 0;
    for (const char *at = text; *at != '\0'; at++) {
        depth += (*at == '{') - (*at == '}');
        round += (*at == '(') - (*at == ')');
        if (depth < 0 || round < 0) {
            break;
        }
    }
    if (depth != 0 || round != 0 || count_of(text, "\\left") != count_of(text, "\\right")) {
        fail_msg("not balanced: %s", text);
    }
}

static void latex_is_balanced(void **state)
{
    (void)state;
    support_random random = support_random_begin("latex_is_balanced");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const rh_expr e = random_expression(&on, &random, 1 + support_random_below(&random, 25));
        if (!lab_renew(&on)) {
            check_latex(lab_show(&on, e, RH_NOTATION_LATEX));
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    lab_end(&on);
}

static void check_name(lab *on, const char *name, uint32_t extent, uint8_t primes,
                       const char *expected)
{
    const rh_family family = lab_family(on->store, name, extent, primes, MOVES);
    const rh_expr e = rh__expr_symbol(on->store, family, extent > 2 ? 2 : 0);
    assert_string_equal(lab_show(on, e, RH_NOTATION_LATEX), expected);
}

static void names_in_latex(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    check_name(&on, "a", 0, 0, "a");
    check_name(&on, "theta", 0, 0, "\\theta");
    check_name(&on, "θ", 0, 0, "\\theta");
    check_name(&on, "Ω", 0, 1, "\\dot{\\Omega}");
    check_name(&on, "theta", 0, 2, "\\ddot{\\theta}");
    check_name(&on, "x", 0, 3, "\\dddot{x}");
    check_name(&on, "x", 0, 4, "{{x}^{(4)}}");
    check_name(&on, "x", 5, 0, "x_{3}");
    check_name(&on, "x", 5, 1, "\\dot{x_{3}}");
    check_name(&on, "w1", 0, 0, "w_{1}");
    check_name(&on, "θ12", 0, 0, "\\theta_{12}");
    check_name(&on, "w1", 5, 0, "w_{1,3}");
    check_name(&on, "xc", 0, 0, "\\mathrm{xc}");
    check_name(&on, "x_c", 0, 0, "x_{c}");
    check_name(&on, "x_left", 0, 0, "x_{\\mathrm{left}}");
    check_name(&on, "x_theta", 0, 0, "x_{\\theta}");
    check_name(&on, "lambda.rod", 0, 0, "\\lambda_{\\mathrm{rod}}");
    check_name(&on, "lambda.rod", 5, 0, "\\lambda_{\\mathrm{rod},3}");
    check_name(&on, "_a", 0, 0, "\\mathrm{\\_a}");
    lab_end(&on);
}

static void examples_in_text_and_latex(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr m = on.symbol[0];
    const rh_expr x = on.symbol[2];
    const rh_expr y = on.symbol[3];
    const rh_expr v = on.symbol[4];
    const rh_expr half = rh__expr_ratio(on.store, 1, 2);
    const rh_expr third = rh__expr_ratio(on.store, 1, 3);
    const struct {
        rh_expr e;
        const char *text, *latex;
    } cases[] = {
        {rh__expr_product(on.store, (rh_expr[]){half, m, power(&on, v, 2)}, 3), "m*x'^2/2",
         "\\frac{m \\, \\dot{x}^{2}}{2}"},
        {over(&on, m, x), "m/x", "\\frac{m}{x}"},
        {over(&on, m, times(&on, x, y)), "m/(x*y)", "\\frac{m}{x \\, y}"},
        {power(&on, x, -1), "1/x", "\\frac{1}{x}"},
        {power(&on, x, -2), "1/x^2", "\\frac{1}{x^{2}}"},
        {rh__expr_power(on.store, x, rh__expr_negate(on.store, half)), "1/sqrt(x)",
         "\\frac{1}{\\sqrt{x}}"},
        {rh__expr_sqrt(on.store, plus(&on, x, y)), "sqrt(x + y)", "\\sqrt{x + y}"},
        {rh__expr_power(on.store, x, third), "x^(1/3)", "x^{\\frac{1}{3}}"},
        {rh__expr_power(on.store, x, rh__expr_ratio(on.store, -4, 3)), "1/x^(4/3)",
         "\\frac{1}{x^{\\frac{4}{3}}}"},
        {rh__expr_power(on.store, x, rh__expr_negate(on.store, y)), "x^(-y)", "x^{-y}"},
        {third, "1/3", "\\frac{1}{3}"},
        {rh__expr_negate(on.store, x), "-x", "-x"},
        {rh__expr_literal(on.store, rh__slice_of("9.81")), "9.81", "9.81"},
        {times(&on, rh__expr_literal(on.store, rh__slice_of("9.81")), m), "9.81*m", "9.81 \\, m"},
        {call(&on, RH_OP_SIN, minus(&on, x, y)), "sin(x - y)", "\\sin\\left(x - y\\right)"},
        {call(&on, RH_OP_ABS, x), "abs(x)", "\\left|x\\right|"},
        {power(&on, call(&on, RH_OP_SIN, x), 2), "sin(x)^2", "\\sin\\left(x\\right)^{2}"},
        {times(&on, m, plus(&on, x, y)), "m*(x + y)", "m \\, \\left(x + y\\right)"},
        {call2(&on, RH_OP_ATAN2, y, x), "atan2(y, x)", "\\operatorname{atan2}\\left(y, x\\right)"},
        {rh__expr_if(on.store, call2(&on, RH_OP_LESS, plus(&on, x, y), m), x, y),
         "if(x + y < m, x, y)", "\\operatorname{if}\\left(x + y < m, x, y\\right)"},
        {over(&on, on.symbol[5], rh__expr_pi(on.store)), "q[1]/pi", "\\frac{q_{1}}{\\pi}"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_string_equal(lab_text(&on, cases[k].e), cases[k].text);
        assert_string_equal(lab_show(&on, cases[k].e, RH_NOTATION_LATEX), cases[k].latex);
    }
    // a high derivative is a group of its own, or its square would be two superscripts in a row
    const rh_expr jounce = rh__expr_symbol(on.store, lab_family(on.store, "x", 0, 4, MOVES), 0);
    assert_string_equal(lab_show(&on, power(&on, jounce, 2), RH_NOTATION_LATEX), "{{x}^{(4)}}^{2}");
    lab_end(&on);
}

// --- JSON ---------------------------------------------------------------------------------------

// The end of a JSON value of arrays, strings and integers; NULL when it is none.
static const char *skip_json(const char *at)
{
    if (*at == '"') {
        for (at++; *at != '"'; at++) {
            if (*at == '\0' || *at == '\\' || (unsigned char)*at < ' ') {
                return NULL;
            }
        }
        return at + 1;
    }
    if (*at == '[') {
        at = skip_json(at + 1);
        while (at != NULL && *at == ',') {
            at = skip_json(at + 1);
        }
        return at != NULL && *at == ']' ? at + 1 : NULL;
    }
    at += *at == '-';
    if (!is_digit(*at) || (*at == '0' && is_digit(at[1]))) {
        return NULL;
    }
    while (is_digit(*at)) {
        at++;
    }
    return at;
}

static void json_is_json(void **state)
{
    (void)state;
    support_random random = support_random_begin("json_is_json");
    lab on;
    lab_begin(&on);
    for (int round = 0; round < ROUNDS; round++) {
        const rh_mark mark = rh__arena_mark(&on.scratch);
        const rh_expr e = random_expression(&on, &random, 1 + support_random_below(&random, 25));
        if (!lab_renew(&on)) {
            const char *text = lab_show(&on, e, RH_NOTATION_JSON);
            const char *end = skip_json(text);
            if (end == NULL || *end != '\0') {
                fail_msg("%s", text);
            }
        }
        rh__arena_rewind(&on.scratch, mark);
    }
    lab_end(&on);
}

static void examples_in_json(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr q = on.symbol[6];
    const rh_expr sum = plus(&on, times(&on, rh__expr_ratio(on.store, -3, 2), x), q);
    assert_string_equal(lab_show(&on, sum, RH_NOTATION_JSON),
                        "[\"+\",[\"*\",[\"/\",\"-3\",\"2\"],\"x\"],[\"*\",1,\"q[2]\"]]");
    assert_string_equal(lab_show(&on, power(&on, rh__expr_pi(on.store), 2), RH_NOTATION_JSON),
                        "[\"^\",[\"pi\"],2]");
    // a part is a member of an object
    rh_expr u = x;
    for (int k = 0; k < 20; k++) {
        u = double_up(&on, u, 0);
    }
    const rh_show *show = rh__show_create(on.store, &on.scratch, RH_NOTATION_JSON, &u, 1);
    assert_true(rh__show_part_count(show) > 0);
    rh_text text = rh__text_begin(&on.scratch, NULL);
    rh__show_part(show, 0, &text);
    assert_memory_equal(text.data, "\"%1\":[", 6);
    const char *end = skip_json(text.data + 5);
    assert_true(end != NULL && *end == '\0');
    lab_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_read_back_as_the_same_expression),
        cmocka_unit_test(derivatives_are_read_back_too),
        cmocka_unit_test(long_sums_are_read_back),
        cmocka_unit_test(shared_parts_keep_text_in_proportion),
        cmocka_unit_test(latex_is_balanced),
        cmocka_unit_test(names_in_latex),
        cmocka_unit_test(examples_in_text_and_latex),
        cmocka_unit_test(json_is_json),
        cmocka_unit_test(examples_in_json),
    };
    return cmocka_run_group_tests_name("show", tests, NULL, NULL);
}
