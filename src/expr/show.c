// SPDX-License-Identifier: Apache-2.0
// Expressions as text that the language reads back, as LaTeX and as JSON. Large shared parts and
// very deep ones get names, so that the text never grows like the tree.

#include "expr/show.h"

#include <inttypes.h>

enum {
    SHARED_SIZE = 400, // a part used twice gets a name from this tree size on
    PLAIN_SIZE = 6000, // any part gets a name from this tree size on
    PLAIN_DEPTH = 100
};

// How tightly the context binds: what is written must bind at least as tightly, or stand in
// brackets.
typedef enum binding { LOOSE, IN_OR, IN_AND, IN_COMPARE, IN_SUM, IN_PRODUCT, IN_POWER } binding;

static void put(const rh_show *show, rh_expr e, binding context, rh_text *out);

// The name of a part that has one, else 0.
static uint32_t part_name(const rh_show *show, rh_expr e)
{
    return show->names != NULL && e.i < show->name_count ? show->names[e.i] : 0;
}

// --- symbols ---------------------------------------------------------------------------------

static void put_index(const rh_store *store, rh_family family, uint32_t member, rh_text *out)
{
    const rh_family_def *def = rh__family_def(store, family);
    int64_t index[RH_EXPR_DIMENSIONS] = {0};
    rh__family_index(store, family, member, index);
    for (uint32_t d = 0; d < def->dimensions; d++) {
        rh__text_format(out, "%s%" PRId64, d == 0 ? "" : ",", index[d]);
    }
}

void rh__family_show(const rh_store *store, rh_family family, uint32_t member, rh_text *out)
{
    const rh_family_def *def = rh__family_def(store, family);
    rh__text_put_slice(out, def->name);
    if (def->dimensions > 0) {
        rh__text_put_char(out, '[');
        put_index(store, family, member, out);
        rh__text_put_char(out, ']');
    }
    for (uint8_t k = 0; k < def->primes; k++) {
        rh__text_put_char(out, '\'');
    }
}

typedef struct greek {
    const char *name;
    const char *letter; // the same in UTF-8
} greek;

static const greek GREEK[] = {
    {"alpha", "α"},   {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"},   {"epsilon", "ε"},
    {"zeta", "ζ"},    {"eta", "η"},    {"theta", "θ"}, {"iota", "ι"},    {"kappa", "κ"},
    {"lambda", "λ"},  {"mu", "μ"},     {"nu", "ν"},    {"xi", "ξ"},      {"pi", "π"},
    {"rho", "ρ"},     {"sigma", "σ"},  {"tau", "τ"},   {"upsilon", "υ"}, {"phi", "φ"},
    {"chi", "χ"},     {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},   {"Delta", "Δ"},
    {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
    {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},   {"Omega", "Ω"},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// One word: a Greek letter, one letter as it is, several upright.
static void put_latex_word(rh_slice word, rh_text *out)
{
    for (size_t k = 0; k < sizeof GREEK / sizeof *GREEK; k++) {
        if (rh__slice_is(word, GREEK[k].name) || rh__slice_is(word, GREEK[k].letter)) {
            rh__text_format(out, "\\%s", GREEK[k].name);
            return;
        }
    }
    const bool is_plain = rh__utf8_count(word) <= 1 || is_digit(word.data[0]);
    rh__text_put(out, is_plain ? "" : "\\mathrm{");
    for (size_t k = 0; k < word.size; k++) {
        rh__text_put(out, word.data[k] == '_' ? "\\" : "");
        rh__text_put_char(out, word.data[k]);
    }
    rh__text_put(out, is_plain ? "" : "}");
}

// A name splits into a stem and subscripts at underscores, points, and before trailing digits.
static void put_latex_name(const rh_store *store, rh_expr symbol, rh_text *out)
{
    const rh_family family = rh__expr_family(store, symbol);
    const rh_slice name = rh__family_def(store, family)->name;
    const bool has_index = rh__family_def(store, family)->dimensions > 0;
    size_t stem = 0;
    while (stem < name.size && name.data[stem] != '_' && name.data[stem] != '.' &&
           (stem == 0 || !is_digit(name.data[stem]))) {
        stem++;
    }
    put_latex_word((rh_slice){name.data, stem == 0 ? name.size : stem}, out);
    rh_slice rest = {name.data + stem, stem == 0 ? 0 : name.size - stem};
    if (rest.size == 0 && !has_index) {
        return;
    }
    rh__text_put(out, "_{");
    bool is_first = true;
    while (rest.size > 0) {
        size_t skip = 0;
        while (skip < rest.size && (rest.data[skip] == '_' || rest.data[skip] == '.')) {
            skip++;
        }
        rest = (rh_slice){rest.data + skip, rest.size - skip};
        size_t size = 0;
        while (size < rest.size && rest.data[size] != '_' && rest.data[size] != '.') {
            size++;
        }
        if (size > 0) {
            rh__text_put(out, is_first ? "" : ",");
            put_latex_word((rh_slice){rest.data, size}, out);
            is_first = false;
        }
        rest = (rh_slice){rest.data + size, rest.size - size};
    }
    rh__text_put(out, is_first || !has_index ? "" : ",");
    put_index(store, family, rh__expr_member(store, symbol), out);
    rh__text_put(out, "}");
}

static void put_latex_symbol(const rh_show *show, rh_expr e, rh_text *out)
{
    static const char *const DOTS[] = {"", "\\dot{", "\\ddot{", "\\dddot{"};
    const rh_family_def *def = rh__family_def(show->store, rh__expr_family(show->store, e));
    rh__text_put(out, def->primes <= 3 ? DOTS[def->primes] : "{{");
    put_latex_name(show->store, e, out);
    if (def->primes > 3) {
        rh__text_format(out, "}^{(%d)}}", def->primes);
    } else if (def->primes > 0) {
        rh__text_put(out, "}");
    }
}

static void put_symbol(const rh_show *show, rh_expr e, rh_text *out)
{
    if (show->notation == RH_NOTATION_LATEX) {
        put_latex_symbol(show, e, out);
        return;
    }
    if (show->symbols != NULL && show->symbols(show->user, e, out)) {
        return;
    }
    rh__family_show(show->store, rh__expr_family(show->store, e), rh__expr_member(show->store, e),
                    out);
}

// --- numbers ---------------------------------------------------------------------------------

static bool is_fraction(const rh_store *store, rh_expr number)
{
    return !rh__rational_is_integer(rh__store_value(store, number));
}

// The size of a number: an integer, a short decimal, or a fraction.
static void put_size(const rh_show *show, rh_rational value, rh_text *out)
{
    const bool is_integer = rh__rational_is_integer(value);
    if (!is_integer && rh__rational_decimal(value, out)) {
        return;
    }
    const bool is_latex = show->notation == RH_NOTATION_LATEX;
    rh__text_put(out, is_latex && !is_integer ? "\\frac{" : "");
    rh__rational_digits(value, RH_PART_NUMERATOR, out);
    if (!is_integer) {
        rh__text_put(out, is_latex ? "}{" : "/");
        rh__rational_digits(value, RH_PART_DENOMINATOR, out);
        rh__text_put(out, is_latex ? "}" : "");
    }
}

static void put_number(const rh_show *show, rh_expr e, binding context, rh_text *out)
{
    const rh_rational value = rh__store_value(show->store, e);
    const bool is_negative = rh__rational_sign(value) < 0;
    // a minus sign, and a fraction written with a stroke, bind loosely
    const bool needs_brackets =
        (is_negative && context > IN_SUM) || (is_fraction(show->store, e) && context == IN_POWER);
    rh__text_put(out, needs_brackets ? "(" : "");
    rh__text_put(out, is_negative ? "-" : "");
    put_size(show, value, out);
    rh__text_put(out, needs_brackets ? ")" : "");
}

// --- products and quotients ---------------------------------------------------------------------

// A factor with a negative number as exponent goes below the line.
static bool is_below(const rh_store *store, rh_expr e)
{
    if (rh__expr_op(store, e) != RH_OP_POW) {
        return false;
    }
    const rh_expr exponent = rh__expr_argument(store, e, 1);
    return rh__expr_is_number(store, exponent) && rh__expr_number_sign(store, exponent) < 0;
}

static uint32_t factor_count(const rh_store *store, rh_expr e)
{
    return rh__expr_op(store, e) == RH_OP_MUL ? rh__expr_count(store, e) : 1;
}

static rh_expr factor(const rh_store *store, rh_expr e, uint32_t k)
{
    return rh__expr_op(store, e) == RH_OP_MUL ? rh__expr_argument(store, e, k) : e;
}

// The exponent of a power, without its sign when the power stands below the line.
static void put_exponent(const rh_show *show, rh_expr exponent, bool below, rh_text *out)
{
    const bool is_latex = show->notation == RH_NOTATION_LATEX;
    const bool needs_brackets = below && !is_latex && is_fraction(show->store, exponent);
    rh__text_put(out, is_latex ? "^{" : needs_brackets ? "^(" : "^");
    if (below) {
        put_size(show, rh__store_value(show->store, exponent), out);
    } else {
        put(show, exponent, is_latex ? LOOSE : IN_POWER, out);
    }
    rh__text_put(out, is_latex ? "}" : needs_brackets ? ")" : "");
}

static void put_power(const rh_show *show, rh_expr base, rh_expr exponent, bool below, rh_text *out)
{
    const rh_store *store = show->store;
    const bool is_latex = show->notation == RH_NOTATION_LATEX;
    if (rh__expr_same(exponent, below ? store->minus_one : store->one)) {
        put(show, base, IN_POWER, out);
    } else if (rh__expr_is_number(store, exponent) &&
               rh__rational_equal(rh__store_value(store, exponent),
                                  rh__rational_make(below ? -1 : 1, 2))) {
        rh__text_put(out, is_latex ? "\\sqrt{" : "sqrt(");
        put(show, base, LOOSE, out);
        rh__text_put(out, is_latex ? "}" : ")");
    } else {
        put(show, base, IN_POWER, out);
        put_exponent(show, exponent, below, out);
    }
}

// Does the factor `part` of `e` go below the line? One with a name is written by its name.
static bool goes_below(const rh_show *show, rh_expr e, rh_expr part)
{
    return is_below(show->store, part) && (rh__expr_same(part, e) || part_name(show, part) == 0);
}

// One side of the line: factors with the wanted sign of exponent. Returns how many there were.
static uint32_t put_side(const rh_show *show, rh_expr e, bool below, rh_text *out)
{
    rh_store *store = show->store;
    uint32_t written = 0;
    for (uint32_t k = 0; k < factor_count(store, e); k++) {
        const rh_expr part = factor(store, e, k);
        if (goes_below(show, e, part) != below || rh__expr_is_one(store, part)) {
            continue;
        }
        if (written++ > 0) {
            rh__text_put(out, show->notation == RH_NOTATION_LATEX ? " \\, " : "*");
        }
        if (below) {
            put_power(show, rh__expr_argument(store, part, 0), rh__expr_argument(store, part, 1),
                      true, out);
        } else {
            put(show, part, IN_PRODUCT, out);
        }
    }
    return written;
}

static uint32_t count_side(const rh_show *show, rh_expr e, bool below)
{
    const rh_store *store = show->store;
    uint32_t count = 0;
    for (uint32_t k = 0; k < factor_count(store, e); k++) {
        const rh_expr part = factor(store, e, k);
        count += goes_below(show, e, part) == below && !rh__expr_is_one(store, part);
    }
    return count;
}

// How the size of a number is split over the line: 3/2 as 3 above and 2 below, 9.81 all above.
typedef struct split {
    bool has_above, has_below; // something other than 1 to write there
    bool is_whole;             // as a decimal or a fraction of its own, above
} split;

static split split_size(const rh_store *store, rh_expr number)
{
    const rh_rational value = rh__store_value(store, number);
    const bool is_small = value.big == NULL;
    const int64_t size = is_small && value.numerator < 0 ? -value.numerator : value.numerator;
    if (is_small && value.denominator <= 12) {
        return (split){size != 1, value.denominator != 1, false};
    }
    return (split){true, false, true};
}

static void put_above(const rh_show *show, rh_rational value, split how, rh_expr term, rh_text *out)
{
    const uint32_t factors = count_side(show, term, false);
    if (how.is_whole) {
        put_size(show, value, out); // a fraction in front needs no brackets: 1/3*x is (1/3)*x
    } else if (how.has_above || factors == 0) {
        rh__rational_digits(value, RH_PART_NUMERATOR, out);
    }
    if ((how.has_above || how.is_whole) && factors > 0) {
        rh__text_put(out, show->notation == RH_NOTATION_LATEX ? " \\, " : "*");
    }
    put_side(show, term, false, out);
}

// |number| * term as a quotient; the sign is the caller's.
static void put_scaled(const rh_show *show, rh_expr number, rh_expr term, rh_text *out)
{
    rh_store *store = show->store;
    const rh_rational value = rh__store_value(store, number);
    const split how = split_size(store, number);
    const uint32_t below = count_side(show, term, true) + (how.has_below ? 1 : 0);
    const bool is_latex = show->notation == RH_NOTATION_LATEX;
    rh__text_put(out, is_latex && below > 0 ? "\\frac{" : "");
    put_above(show, value, how, term, out);
    if (below == 0) {
        return;
    }
    rh__text_put(out, is_latex ? "}{" : below > 1 ? "/(" : "/");
    if (how.has_below) {
        rh__rational_digits(value, RH_PART_DENOMINATOR, out);
        rh__text_put(out, below == 1 ? "" : is_latex ? " \\, " : "*");
    }
    put_side(show, term, true, out);
    rh__text_put(out, is_latex ? "}" : below > 1 ? ")" : "");
}

static void put_term(const rh_show *show, rh_expr e, uint32_t k, bool is_first, rh_text *out)
{
    rh_store *store = show->store;
    const rh_expr number = rh__expr_argument(store, e, 2 * k);
    const rh_expr term = rh__expr_argument(store, e, 2 * k + 1);
    const bool is_negative = rh__expr_number_sign(store, number) < 0;
    rh__text_put(out, is_first ? (is_negative ? "-" : "") : (is_negative ? " - " : " + "));
    const bool is_constant = rh__expr_is_one(store, term);
    const bool is_named = part_name(show, term) != 0;
    const bool is_unit = rh__expr_same(number, is_negative ? store->minus_one : store->one);
    if (is_constant || (is_named && !is_unit)) {
        put_size(show, rh__store_value(store, number), out);
    }
    if (is_named) {
        rh__text_put(out, is_unit ? "" : show->notation == RH_NOTATION_LATEX ? " \\, " : "*");
        put(show, term, IN_PRODUCT, out);
    } else if (!is_constant) {
        put_scaled(show, number, term, out);
    }
}

// In stored order, but a sum that can begin without a minus sign does.
static void put_sum(const rh_show *show, rh_expr e, rh_text *out)
{
    const rh_store *store = show->store;
    const uint32_t pairs = rh__expr_count(store, e) / 2;
    uint32_t lead = 0;
    while (lead < pairs && rh__expr_number_sign(store, rh__expr_argument(store, e, 2 * lead)) < 0) {
        lead++;
    }
    lead = lead == pairs ? 0 : lead;
    put_term(show, e, lead, true, out);
    for (uint32_t k = 0; k < pairs; k++) {
        if (k != lead) {
            put_term(show, e, k, false, out);
        }
    }
}

// --- everything ------------------------------------------------------------------------------

static void put_list(const rh_show *show, rh_expr e, const char *between, binding context,
                     rh_text *out)
{
    for (uint32_t k = 0; k < rh__expr_count(show->store, e); k++) {
        rh__text_put(out, k == 0 ? "" : between);
        put(show, rh__expr_argument(show->store, e, k), context, out);
    }
}

static const char *latex_word(rh_op op)
{
    switch (op) {
#define RH_OP(name, word, arity, first, second, value, latex)                                      \
    case RH_OP_##name:                                                                             \
        return latex;
#include "expr/ops.def"
    default:
        return "\\operatorname{if}";
    }
}

static void put_call(const rh_show *show, rh_expr e, rh_text *out)
{
    const rh_op op = rh__expr_op(show->store, e);
    if (show->notation == RH_NOTATION_TEXT) {
        rh__text_format(out, "%s(", rh__op_word(op));
        put_list(show, e, ", ", LOOSE, out);
        rh__text_put(out, ")");
    } else {
        const bool is_abs = op == RH_OP_ABS;
        rh__text_put(out, latex_word(op));
        rh__text_put(out, is_abs ? "" : "\\left(");
        put_list(show, e, ", ", LOOSE, out);
        rh__text_put(out, is_abs ? "\\right|" : "\\right)");
    }
}

typedef struct infix {
    rh_op op;
    binding own;
    const char *text;
    const char *latex;
} infix;

static const infix INFIX[] = {
    {RH_OP_LESS, IN_COMPARE, " < ", " < "},   {RH_OP_LESS_EQUAL, IN_COMPARE, " <= ", " \\le "},
    {RH_OP_EQUAL, IN_COMPARE, " == ", " = "}, {RH_OP_AND, IN_AND, " and ", " \\land "},
    {RH_OP_OR, IN_OR, " or ", " \\lor "},
};

static bool put_infix(const rh_show *show, rh_expr e, binding context, rh_text *out)
{
    const rh_op op = rh__expr_op(show->store, e);
    for (size_t k = 0; k < sizeof INFIX / sizeof *INFIX; k++) {
        if (INFIX[k].op == op) {
            const bool needs_brackets = context >= INFIX[k].own && context != LOOSE;
            rh__text_put(out, needs_brackets ? "(" : "");
            put_list(show, e, show->notation == RH_NOTATION_LATEX ? INFIX[k].latex : INFIX[k].text,
                     INFIX[k].own, out);
            rh__text_put(out, needs_brackets ? ")" : "");
            return true;
        }
    }
    return false;
}

static void put_bracketed(const rh_show *show, rh_expr e, bool needs_brackets,
                          void (*write)(const rh_show *, rh_expr, rh_text *), rh_text *out)
{
    const bool is_latex = show->notation == RH_NOTATION_LATEX;
    rh__text_put(out, !needs_brackets ? "" : is_latex ? "\\left(" : "(");
    write(show, e, out);
    rh__text_put(out, !needs_brackets ? "" : is_latex ? "\\right)" : ")");
}

static void write_product(const rh_show *show, rh_expr e, rh_text *out)
{
    put_scaled(show, show->store->one, e, out);
}

static void write_power(const rh_show *show, rh_expr e, rh_text *out)
{
    put_power(show, rh__expr_argument(show->store, e, 0), rh__expr_argument(show->store, e, 1),
              false, out);
}

static void put_name(const rh_show *show, uint32_t name, rh_text *out)
{
    rh__text_format(out, show->notation == RH_NOTATION_LATEX ? "e_{%u}" : "%%%u", name);
}

static void put_body(const rh_show *show, rh_expr e, binding context, rh_text *out)
{
    const rh_op op = rh__expr_op(show->store, e);
    switch (op) {
    case RH_OP_NUMBER:
        put_number(show, e, context, out);
        return;
    case RH_OP_PI:
        rh__text_put(out, show->notation == RH_NOTATION_LATEX ? "\\pi" : "pi");
        return;
    case RH_OP_SYMBOL:
        put_symbol(show, e, out);
        return;
    case RH_OP_ADD: {
        // a sum inside a sum keeps its brackets: that is how it is nested
        const bool is_scaled = rh__expr_count(show->store, e) == 2;
        const bool needs_brackets = is_scaled ? context > IN_SUM : context >= IN_SUM;
        put_bracketed(show, e, needs_brackets, put_sum, out);
        return;
    }
    case RH_OP_MUL:
        put_bracketed(show, e, context >= IN_PRODUCT, write_product, out);
        return;
    case RH_OP_POW: {
        const bool below = is_below(show->store, e);
        put_bracketed(show, e, below ? context >= IN_PRODUCT : context == IN_POWER,
                      below ? write_product : write_power, out);
        return;
    }
    case RH_OP_RATIO: // as the quotient that it is
        put(show, rh__expr_argument(show->store, e, 1), context, out);
        return;
    case RH_OP_NOT:
        rh__text_put(out, context >= IN_COMPARE ? "(" : "");
        rh__text_put(out, show->notation == RH_NOTATION_LATEX ? "\\lnot " : "not ");
        put(show, rh__expr_argument(show->store, e, 0), IN_COMPARE, out);
        rh__text_put(out, context >= IN_COMPARE ? ")" : "");
        return;
    default:
        if (!put_infix(show, e, context, out)) {
            put_call(show, e, out);
        }
    }
}

// ["+", ["*", 2, "x"], ...]: symbols are strings, integers are numbers, other numbers are ["/",
// "n", "d"].
static void put_json(const rh_show *show, rh_expr e, rh_text *out)
{
    rh_store *store = show->store;
    const rh_op op = rh__expr_op(store, e);
    int64_t n = 0;
    if (op == RH_OP_SYMBOL) {
        rh__text_put_char(out, '"'); // names hold nothing that JSON would escape
        put_symbol(show, e, out);
        rh__text_put_char(out, '"');
    } else if (op == RH_OP_NUMBER && rh__expr_as_integer(store, e, &n) && n > -(1LL << 53) &&
               n < 1LL << 53) {
        rh__text_format(out, "%" PRId64, n);
    } else if (op == RH_OP_NUMBER) {
        const rh_rational value = rh__store_value(store, e);
        rh__text_put(out, rh__rational_sign(value) < 0 ? "[\"/\",\"-" : "[\"/\",\"");
        rh__rational_digits(value, RH_PART_NUMERATOR, out);
        rh__text_put(out, "\",\"");
        rh__rational_digits(value, RH_PART_DENOMINATOR, out);
        rh__text_put(out, "\"]");
    } else if (op == RH_OP_PI) {
        rh__text_put(out, "[\"pi\"]");
    } else if (op == RH_OP_RATIO) {
        put(show, rh__expr_argument(store, e, 1), LOOSE, out);
    } else {
        rh__text_format(out, "[\"%s\"", rh__op_word(op));
        for (uint32_t k = 0; k < rh__expr_count(store, e); k++) {
            rh__text_put(out, op == RH_OP_ADD && k % 2 == 0 ? ",[\"*\"," : ",");
            put(show, rh__expr_argument(store, e, k), LOOSE, out);
            rh__text_put(out, op == RH_OP_ADD && k % 2 == 1 ? "]" : "");
        }
        rh__text_put(out, "]");
    }
}

static void put(const rh_show *show, rh_expr e, binding context, rh_text *out)
{
    const uint32_t name = part_name(show, e);
    if (name != 0) {
        rh__text_put(out, show->notation == RH_NOTATION_JSON ? "\"" : "");
        put_name(show, name, out);
        rh__text_put(out, show->notation == RH_NOTATION_JSON ? "\"" : "");
    } else if (show->notation == RH_NOTATION_JSON) {
        put_json(show, e, out);
    } else {
        put_body(show, e, context, out);
    }
}

// --- names for parts ---------------------------------------------------------------------------

// The size and depth of the tree that would be written for a node, and how many use it.
typedef struct weight {
    uint32_t size, depth, uses;
} weight;

static weight tree_weight(const rh_show *show, const weight *weights, rh_expr e)
{
    const rh_store *store = show->store;
    weight total = {1, 1, 0};
    for (uint32_t k = 0; k < rh__expr_count(store, e); k++) {
        const rh_expr argument = rh__expr_argument(store, e, k);
        const bool is_named = part_name(show, argument) != 0;
        const weight part = weights[store->places[argument.i]];
        total.size += is_named ? 1 : part.size;
        total.size = total.size > 2 * PLAIN_SIZE ? 2 * PLAIN_SIZE : total.size;
        total.depth = !is_named && part.depth >= total.depth ? part.depth + 1 : total.depth;
    }
    return total;
}

static bool plan_names(rh_show *show, rh_arena *arena, const rh_expr_list *order)
{
    const rh_store *store = show->store;
    const rh_mark mark = rh__arena_mark(&show->store->scratch);
    weight *weights = rh__arena_array(&show->store->scratch, weight, order->count);
    bool ok = weights != NULL;
    for (uint32_t k = 0; ok && k < order->count; k++) {
        for (uint32_t j = 0; j < rh__expr_count(store, order->data[k]); j++) {
            weights[store->places[rh__expr_argument(store, order->data[k], j).i]].uses++;
        }
    }
    for (uint32_t k = 0; ok && k < order->count; k++) {
        const rh_expr e = order->data[k];
        const uint32_t uses = weights[k].uses;
        weights[k] = tree_weight(show, weights, e);
        weights[k].uses = uses;
        const bool is_heavy = weights[k].size >= PLAIN_SIZE || weights[k].depth >= PLAIN_DEPTH ||
                              (uses > 1 && weights[k].size >= SHARED_SIZE);
        if (is_heavy && uses > 0) {
            ok = rh__array_push(arena, &show->parts, e);
            show->names[e.i] = show->parts.count;
        }
    }
    rh__arena_rewind(&show->store->scratch, mark);
    return ok;
}

rh_show *rh__show_create(rh_store *store, rh_arena *arena, rh_notation notation,
                         const rh_expr *roots, uint32_t count)
{
    rh_show *show = rh__arena_new(arena, rh_show);
    if (show == NULL) {
        return NULL;
    }
    *show = (rh_show){.store = store, .notation = notation};
    uint32_t highest = 0;
    for (uint32_t k = 0; k < count; k++) {
        highest = roots[k].i > highest ? roots[k].i : highest;
    }
    show->names = rh__arena_array(arena, uint32_t, (size_t)highest + 1);
    show->name_count = highest + 1;
    rh_arena scratch =
        rh__arena_begin(rh__guard_base(store->arena->allocator), store->scratch.limit);
    rh_expr_list order;
    const bool ok = show->names != NULL && rh__expr_reach(store, roots, count, &scratch, &order) &&
                    plan_names(show, arena, &order);
    if (!ok && arena->status == RH_OK) {
        arena->status = scratch.status; // callers ask their own arena what went wrong
    }
    rh__arena_end(&scratch);
    return ok ? show : NULL;
}

uint32_t rh__show_part_count(const rh_show *show)
{
    return show->parts.count;
}

void rh__show_part(const rh_show *show, uint32_t k, rh_text *out)
{
    if (show->notation == RH_NOTATION_JSON) {
        rh__text_format(out, "\"%%%u\":", k + 1);
        put_json(show, show->parts.data[k], out);
    } else {
        put_name(show, k + 1, out);
        rh__text_put(out, " = ");
        put_body(show, show->parts.data[k], LOOSE, out);
    }
}

void rh__show_expr(const rh_show *show, rh_expr e, rh_text *out)
{
    put(show, e, LOOSE, out);
}
