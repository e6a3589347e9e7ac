// SPDX-License-Identifier: Apache-2.0
// Expressions of the tree become values: names are looked up, definitions are read when first
// needed, loops and calls are carried out, primes become total derivatives. Whatever is wrong is
// said once and gives a bad value, which passes silently through everything above it.

#include "model/build.h"

#include <math.h>

bool rh__build_refused(rh_build *build, rh_span span, const rh_env *env)
{
    const rh_refusal why = rh__store_refusal(build->store);
    if (why == RH_REFUSAL_NONE || build->is_stopped) {
        return why != RH_REFUSAL_NONE;
    }
    if (why == RH_REFUSAL_NUMBER) {
        rh__build_report(build, RH_DIAGNOSTIC_E911, span, env,
                         "this number would have more than %d binary digits", RH_EXPR_NUMBER_BITS);
        rh__build_repair(build, "use a smaller exponent, or a parameter in its place");
    } else if (why == RH_REFUSAL_WORK) {
        rh__build_report(
            build, RH_DIAGNOSTIC_E912, span, env,
            "the expressions of this model are too long: building them takes more than "
            "%d steps",
            RH_EXPR_WORK);
        rh__build_repair(build, "take fewer derivatives of long definitions");
    } else if (why == RH_REFUSAL_NODES) {
        rh__build_report(build, RH_DIAGNOSTIC_E910, span, env,
                         "the model has more than %d different expressions", RH_EXPR_NODES);
        rh__build_repair(build, "make the bounds of its loops smaller");
    }
    if (why == RH_REFUSAL_MEMORY) {
        rh__build_stop(build);
    }
    build->is_stopped = true;
    return true;
}

// --- sums and products ------------------------------------------------------------------------

static rh_value push_scalar(rh_build *build, rh_expr_list *list, rh_value value)
{
    if (!rh__array_push(&build->scratch, list, value.scalar)) {
        rh__build_stop(build);
        return rh__value_bad();
    }
    return value;
}

// Terms of a sum as they come: scalars are kept to be added at once, vectors and matrices one by
// one.
typedef struct rh_total {
    rh_expr_list scalars;
    rh_value tensor; // bad while there is none
} rh_total;

static bool total_add(rh_build *build, rh_total *total, rh_value value, rh_code code)
{
    if (value.kind == RH_VALUE_SCALAR) {
        return push_scalar(build, &total->scalars, value).kind != RH_VALUE_BAD;
    }
    if (value.kind == RH_VALUE_BAD) {
        return false;
    }
    const rh_value old = total->tensor;
    total->tensor = old.kind == RH_VALUE_BAD ? value : rh__value_add(build, old, value);
    if (total->tensor.kind == RH_VALUE_BAD || value.kind == RH_VALUE_CONDITION) {
        rh__build_report(build, RH_DIAGNOSTIC_E200, rh__code_span(code), code.env,
                         "%s cannot be added to %s", rh__value_text(build, value),
                         old.kind == RH_VALUE_BAD ? "anything" : rh__value_text(build, old));
        rh__build_repair(build, "give both the same number of components");
        return false;
    }
    return true;
}

static rh_value total_end(rh_build *build, const rh_total *total, rh_code code)
{
    const rh_value scalars =
        rh__value_scalar(rh__expr_sum(build->store, total->scalars.data, total->scalars.count));
    if (total->tensor.kind == RH_VALUE_BAD || scalars.kind == RH_VALUE_BAD) {
        return scalars;
    }
    const rh_value sum = rh__value_add(build, scalars, total->tensor);
    if (sum.kind == RH_VALUE_BAD) {
        rh__build_report(build, RH_DIAGNOSTIC_E200, rh__code_span(code), code.env,
                         "a number cannot be added to %s", rh__value_text(build, total->tensor));
        rh__build_repair(build, "add a vector of the same length");
    }
    return sum;
}

static rh_value lower_add(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_total total = {0};
    bool ok = true;
    for (rh_code term = rh__code_child(code, 0); term.at.i != 0;
         term.at = rh__tree_next(code.tree, term.at)) {
        ok = total_add(build, &total, rh__build_lower(build, term, scope), term) && ok;
    }
    const rh_value result = ok ? total_end(build, &total, code) : rh__value_bad();
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

static rh_value say_too_much(rh_build *build, rh_code code)
{
    rh__build_report(build, RH_DIAGNOSTIC_E912, rh__code_span(code), code.env,
                     "reading this model takes more than %d steps", RH_BUILD_STEPS);
    rh__build_repair(build, "make the bounds of its loops smaller");
    build->is_stopped = true;
    return rh__value_bad();
}

static bool lower_range(rh_build *build, rh_code range, int64_t *first, int64_t *last)
{
    const bool ok = rh__build_integer(build, rh__code_child(range, 0), first);
    return rh__build_integer(build, rh__code_child(range, 1), last) && ok;
}

static rh_value lower_sum(rh_build *build, rh_code code, const rh_scope *scope)
{
    int64_t first = 0;
    int64_t last = 0;
    if (!lower_range(build, rh__code_child(code, 1), &first, &last)) {
        return rh__value_bad();
    }
    if (last - first >= RH_BUILD_STEPS) {
        return say_too_much(build, code);
    }
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_total total = {0};
    bool ok = true;
    rh_env env = {code.env, rh__tree_node(code.tree, rh__code_child(code, 0).at)->text, {0}, true};
    rh_code body = rh__code_child(code, 2);
    body.env = &env;
    for (int64_t i = first; ok && i <= last && !build->is_stopped; i++) {
        env.value = rh__value_scalar(rh__expr_integer(build->store, i));
        ok = total_add(build, &total, rh__build_lower(build, body, scope), body);
    }
    const rh_value result = ok ? total_end(build, &total, code) : rh__value_bad();
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

static rh_value invert(rh_build *build, rh_code code, rh_value value)
{
    if (value.kind == RH_VALUE_BAD) {
        return value;
    }
    if (value.kind != RH_VALUE_SCALAR) {
        rh__build_report(build, RH_DIAGNOSTIC_E201, rh__code_span(code), code.env,
                         "one cannot divide by %s", rh__value_text(build, value));
        return rh__value_bad();
    }
    if (rh__expr_is_zero(build->store, value.scalar)) {
        rh__build_report(build, RH_DIAGNOSTIC_E203, rh__code_span(code), code.env,
                         "this divisor is identically zero");
        rh__build_repair(build, "divide by something that is not always zero");
        return rh__value_bad();
    }
    const rh_expr minus_one = rh__expr_integer(build->store, -1);
    const rh_expr inverse = rh__expr_power(build->store, value.scalar, minus_one);
    rh__build_write_down(build, inverse);
    return rh__value_scalar(inverse);
}

// A matrix with more entries than the limit is said.
static bool fits_tensor(rh_build *build, uint32_t rows, uint32_t columns, rh_code code)
{
    const bool fits = (uint64_t)rows * columns <= RH_BUILD_TENSOR;
    if (!fits) {
        rh__build_report(build, RH_DIAGNOSTIC_E913, rh__code_span(code), code.env,
                         "a matrix may have %d entries; this one has %u times %u", RH_BUILD_TENSOR,
                         rows, columns);
        rh__build_repair(build, "write large systems with arrays and loops");
    }
    return fits;
}

static rh_value multiply(rh_build *build, rh_value a, rh_value b, rh_code code)
{
    if (a.kind == RH_VALUE_BAD) {
        return b;
    }
    if (a.kind == RH_VALUE_MATRIX && b.kind == RH_VALUE_MATRIX &&
        !fits_tensor(build, a.rows, b.columns, code)) {
        return rh__value_bad();
    }
    if (a.kind == RH_VALUE_MATRIX && b.kind == RH_VALUE_MATRIX &&
        (uint64_t)a.rows * a.columns * b.columns > RH_BUILD_STEPS - build->steps) {
        return say_too_much(build, code);
    }
    const rh_value result = rh__value_multiply(build, a, b);
    if (result.kind == RH_VALUE_BAD) {
        rh__build_report(build, RH_DIAGNOSTIC_E202, rh__code_span(code), code.env,
                         "%s cannot be multiplied by %s", rh__value_text(build, a),
                         rh__value_text(build, b));
        if (a.kind == RH_VALUE_VECTOR && b.kind == RH_VALUE_VECTOR) {
            rh__build_repair(build, "write dot(a, b) or cross(a, b)");
        } else {
            rh__build_repair(build, "a matrix stands on the left and has as many columns as the "
                                    "right factor has rows");
        }
    }
    return result;
}

static rh_value lower_multiply(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_expr_list scalars = {0};
    rh_value tensor = rh__value_bad();
    bool ok = true;
    for (rh_code factor = rh__code_child(code, 0); factor.at.i != 0;
         factor.at = rh__tree_next(code.tree, factor.at)) {
        const bool is_divisor = rh__tree_kind(code.tree, factor.at) == RH_AST_INVERT;
        const rh_code inner = is_divisor ? rh__code_child(factor, 0) : factor;
        rh_value value = rh__build_lower(build, inner, scope);
        value = is_divisor ? invert(build, inner, value) : value;
        if (value.kind == RH_VALUE_SCALAR) {
            value = push_scalar(build, &scalars, value);
        } else if (value.kind != RH_VALUE_BAD && ok) {
            value = tensor = multiply(build, tensor, value, factor);
        }
        ok = ok && value.kind != RH_VALUE_BAD;
    }
    rh_value result = rh__value_bad();
    if (ok) {
        const rh_expr product = rh__expr_quotient(build->store, scalars.data, scalars.count);
        result = tensor.kind == RH_VALUE_BAD ? rh__value_scalar(product)
                 : scalars.count == 0        ? tensor
                 : product.i == 0            ? rh__value_bad()
                                             : rh__value_scale(build, tensor, product);
    }
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

// --- the rest ----------------------------------------------------------------------------------

static rh_value lower_negate(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_value value = rh__build_lower(build, rh__code_child(code, 0), scope);
    RH_ASSERT(value.kind != RH_VALUE_CONDITION); // the parser saw to it
    return value.kind == RH_VALUE_BAD
               ? value
               : rh__value_scale(build, value, rh__expr_integer(build->store, -1));
}

static rh_value lower_power(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_expr base = rh__build_scalar(build, rh__code_child(code, 0), scope);
    const rh_expr exponent = rh__build_scalar(build, rh__code_child(code, 1), scope);
    if (base.i == 0 || exponent.i == 0) {
        return rh__value_bad();
    }
    if (rh__expr_is_zero(build->store, base) && rh__expr_is_number(build->store, exponent) &&
        rh__expr_number_sign(build->store, exponent) < 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E203, rh__code_span(code), code.env,
                         "a negative power of zero divides by zero");
        rh__build_repair(build, "take the power of something that is not always zero");
        return rh__value_bad();
    }
    const rh_expr power = rh__expr_power(build->store, base, exponent);
    int64_t whole = 0;
    if (!rh__expr_as_integer(build->store, exponent, &whole) || whole < 0) {
        rh__build_write_down(build, power);
    }
    return rh__value_scalar(power);
}

static rh_value lower_vector(rh_build *build, rh_code code, const rh_scope *scope)
{
    const uint32_t count = rh__tree_node(code.tree, code.at)->count;
    rh_value *rows =
        count > RH_BUILD_TENSOR ? NULL : rh__arena_array(build->arena, rh_value, count);
    if (rows == NULL) {
        rh__build_report(build, RH_DIAGNOSTIC_E913, rh__code_span(code), code.env,
                         "a vector may have %d components; this one has %u", RH_BUILD_TENSOR,
                         count);
        return rh__value_bad();
    }
    bool ok = true;
    uint32_t k = 0;
    for (rh_code row = rh__code_child(code, 0); row.at.i != 0;
         row.at = rh__tree_next(code.tree, row.at)) {
        rows[k] = rh__build_lower(build, row, scope);
        const bool fits = rows[k].kind == rows[0].kind && rows[k].rows == rows[0].rows &&
                          rows[k].kind != RH_VALUE_MATRIX && rows[k].kind != RH_VALUE_CONDITION;
        if (rows[k].kind != RH_VALUE_BAD && rows[0].kind != RH_VALUE_BAD && !fits) {
            rh__build_report(build, RH_DIAGNOSTIC_E200, rh__code_span(row), code.env,
                             "%s does not fit beside %s", rh__value_text(build, rows[k]),
                             rh__value_text(build, rows[0]));
            rh__build_repair(build, "give all rows the same length");
        }
        ok = ok && fits && rows[k].kind != RH_VALUE_BAD;
        k++;
    }
    if (!ok) {
        return rh__value_bad();
    }
    if (rows[0].kind == RH_VALUE_VECTOR && !fits_tensor(build, count, rows[0].rows, code)) {
        return rh__value_bad();
    }
    rh_expr *items = NULL;
    const bool is_matrix = rows[0].kind == RH_VALUE_VECTOR;
    const uint32_t columns = is_matrix ? rows[0].rows : 1;
    const rh_value result = rh__value_make(build, is_matrix ? RH_VALUE_MATRIX : RH_VALUE_VECTOR,
                                           count, columns, &items);
    for (uint32_t j = 0; j < rh__value_count(result); j++) {
        items[j] = rh__value_item(rows[j / columns], j % columns);
    }
    return result;
}

static rh_value lower_component(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_value value = rh__build_lower(build, rh__code_child(code, 0), scope);
    const uint32_t at = (uint32_t)(rh__tree_node(code.tree, code.at)->text.data[0] - 'x');
    if (value.kind == RH_VALUE_BAD ||
        (value.kind == RH_VALUE_VECTOR && at < value.rows && value.rows <= 3)) {
        return value.kind == RH_VALUE_BAD ? value : rh__value_scalar(value.items[at]);
    }
    rh__build_report(build, RH_DIAGNOSTIC_E208, rh__code_span(code), code.env,
                     "%s has no component .%c", rh__value_text(build, value), (char)('x' + at));
    if (value.kind == RH_VALUE_VECTOR && value.rows > 3) {
        rh__build_repair(build, "use an index instead");
    } else if (value.kind == RH_VALUE_VECTOR) {
        rh__build_repair(build, value.rows == 1 ? "write .x" : "write .x or .y");
    }
    return rh__value_bad();
}

// Third derivatives of coordinates may stand nowhere but in a let: this is said before they are
// made, because high derivatives of long expressions are very long.
static bool check_order(rh_build *build, rh_value value, uint32_t primes, rh_code code,
                        const rh_scope *scope)
{
    const uint32_t roles = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_ACCELERATION;
    if (primes < 3 || (scope->allowed & RH_ROLE_HIGHER) != 0) {
        return true;
    }
    for (uint32_t k = 0; k < rh__value_count(value); k++) {
        rh_expr_list symbols;
        if (!rh__expr_symbols(build->store, rh__value_item(value, k), roles, build->arena,
                              &symbols)) {
            return false;
        }
        if (symbols.count > 0) {
            const rh_value one = rh__build_derivative(build, rh__value_scalar(symbols.data[0]),
                                                      primes, rh__code_span(code), code.env);
            return rh__build_check(build, one, code, scope).kind != RH_VALUE_BAD;
        }
    }
    return true;
}

static rh_value lower_prime(rh_build *build, rh_code code, const rh_scope *scope)
{
    // what stands under the prime may be anything: only the derivative must be allowed here
    rh_scope inner = RH_SCOPE_ANY;
    inner.has_deviations = scope->has_deviations;
    const rh_value value = rh__build_lower(build, rh__code_child(code, 0), &inner);
    RH_ASSERT(value.kind != RH_VALUE_CONDITION); // the parser saw to it
    const uint32_t primes = rh__tree_node(code.tree, code.at)->number;
    if (value.kind == RH_VALUE_BAD || !check_order(build, value, primes, code, scope)) {
        return rh__value_bad();
    }
    const rh_value result =
        rh__build_derivative(build, value, primes, rh__code_span(code), code.env);
    return rh__build_check(build, result, code, scope);
}

static rh_value condition(rh_expr e)
{
    return e.i == 0 ? rh__value_bad()
                    : (rh_value){.kind = RH_VALUE_CONDITION, .rows = 1, .columns = 1, .scalar = e};
}

static rh_value lower_compare(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_expr a = rh__build_scalar(build, rh__code_child(code, 0), scope);
    const rh_expr b = rh__build_scalar(build, rh__code_child(code, 1), scope);
    rh_store *store = build->store;
    const rh_expr ab[] = {a, b};
    const rh_expr ba[] = {b, a};
    switch ((rh_relation)rh__tree_node(code.tree, code.at)->number) {
    case RH_RELATION_EQUAL:
        return condition(rh__build_condition(build, RH_OP_EQUAL, ab, 2));
    case RH_RELATION_UNEQUAL: {
        const rh_expr same = rh__build_condition(build, RH_OP_EQUAL, ab, 2);
        return condition(rh__expr_apply(store, RH_OP_NOT, &same, 1));
    }
    case RH_RELATION_LESS:
        return condition(rh__build_condition(build, RH_OP_LESS, ab, 2));
    case RH_RELATION_LESS_EQUAL:
        return condition(rh__build_condition(build, RH_OP_LESS_EQUAL, ab, 2));
    case RH_RELATION_GREATER:
        return condition(rh__build_condition(build, RH_OP_LESS, ba, 2));
    case RH_RELATION_GREATER_EQUAL:
        return condition(rh__build_condition(build, RH_OP_LESS_EQUAL, ba, 2));
    }
    return rh__value_bad();
}

static rh_value lower_logic(rh_build *build, rh_code code, const rh_scope *scope, rh_op op)
{
    const rh_mark mark = rh__arena_mark(&build->scratch);
    rh_expr_list parts = {0};
    bool ok = true;
    for (rh_code part = rh__code_child(code, 0); part.at.i != 0;
         part.at = rh__tree_next(code.tree, part.at)) {
        const rh_value value = rh__build_lower(build, part, scope);
        RH_ASSERT(value.kind == RH_VALUE_CONDITION || value.kind == RH_VALUE_BAD);
        ok = value.kind == RH_VALUE_CONDITION &&
             push_scalar(build, &parts, value).kind != RH_VALUE_BAD && ok;
    }
    const rh_value result =
        ok ? condition(rh__expr_apply(build->store, op, parts.data, parts.count)) : rh__value_bad();
    rh__arena_rewind(&build->scratch, mark);
    return result;
}

static rh_value lower_kind(rh_build *build, rh_code code, const rh_scope *scope)
{
    switch (rh__tree_kind(code.tree, code.at)) {
    case RH_AST_NUMBER:
        return rh__value_scalar(
            rh__expr_literal(build->store, rh__tree_node(code.tree, code.at)->text));
    case RH_AST_NAME:
        return rh__build_check(build, rh__build_name(build, code, scope), code, scope);
    case RH_AST_INDEX:
        return rh__build_check(build, rh__build_indexed(build, code, scope), code, scope);
    case RH_AST_MULTIPLIER:
        return rh__build_check(build, rh__build_lambda(build, code), code, scope);
    case RH_AST_MEMBER:
        return lower_component(build, code, scope);
    case RH_AST_PRIME:
        return lower_prime(build, code, scope);
    case RH_AST_CALL:
        return rh__build_check(build, rh__build_call(build, code, scope), code, scope);
    case RH_AST_SUM:
        return lower_sum(build, code, scope);
    case RH_AST_ADD:
        return lower_add(build, code, scope);
    case RH_AST_MULTIPLY:
        return lower_multiply(build, code, scope);
    case RH_AST_NEGATE:
        return lower_negate(build, code, scope);
    case RH_AST_POWER:
        return lower_power(build, code, scope);
    case RH_AST_COMPARE:
        return lower_compare(build, code, scope);
    case RH_AST_AND:
        return lower_logic(build, code, scope, RH_OP_AND);
    case RH_AST_OR:
        return lower_logic(build, code, scope, RH_OP_OR);
    case RH_AST_NOT:
        return lower_logic(build, code, scope, RH_OP_NOT);
    case RH_AST_VECTOR:
        return lower_vector(build, code, scope);
    default:
        RH_ASSERT(code.at.i == 0); // the parser leaves no other kind here
        return rh__value_bad();
    }
}

// A chain of definitions that is too long to follow now: put off, or an error.
static rh_value give_up_chain(rh_build *build, rh_code code)
{
    if (build->is_postponing) {
        build->was_postponed = true;
        build->wanted = build->current;
    } else if (!build->is_too_deep) {
        build->is_too_deep = true;
        rh__build_report(build, RH_DIAGNOSTIC_E111, rh__code_span(code), code.env,
                         "functions and definitions lie more than %d deep inside one another",
                         RH_BUILD_DEPTH);
        rh__build_repair(build, "give a part of it a name with `let`");
    }
    return rh__value_bad();
}

static double no_symbols(const void *user, const rh_store *store, rh_expr symbol)
{
    (void)user;
    (void)store;
    (void)symbol;
    return NAN;
}

// A constant that is no fraction (sqrt(2), log(3)) must be a real number.
static bool has_value(rh_build *build, rh_expr e, rh_code code)
{
    if (rh__expr_mask(build->store, e) != 0 || rh__expr_is_number(build->store, e) ||
        rh__expr_op(build->store, e) == RH_OP_PI) {
        return true;
    }
    double value = 0.0;
    const rh_mark mark = rh__arena_mark(&build->scratch);
    const bool ok =
        !rh__expr_values(build->store, &e, 1, no_symbols, NULL, &build->scratch, &value) ||
        isfinite(value);
    rh__arena_rewind(&build->scratch, mark);
    if (!ok) {
        rh__build_report(build, RH_DIAGNOSTIC_E203, rh__code_span(code), code.env,
                         "this has no value: in real numbers it is %s",
                         isnan(value) ? "not defined" : "infinite");
        rh__build_repair(build, "look for a divisor that is zero, or a root or logarithm of a "
                                "number that is not positive");
    }
    return ok;
}

rh_value rh__build_lower(rh_build *build, rh_code code, const rh_scope *scope)
{
    if (build->is_stopped || code.at.i == 0) {
        return rh__value_bad();
    }
    if (++build->steps > RH_BUILD_STEPS) {
        return say_too_much(build, code);
    }
    if (build->is_postponing && build->was_postponed) {
        return rh__value_bad(); // nothing more to learn in this pass
    }
    if (build->depth >= (build->is_postponing ? RH_BUILD_SHALLOW : RH_BUILD_DEPTH)) {
        return give_up_chain(build, code);
    }
    build->depth++;
    rh_value value = lower_kind(build, code, scope);
    build->depth--;
    if (value.kind == RH_VALUE_SCALAR && !has_value(build, value.scalar, code)) {
        value = rh__value_bad();
    }
    if (rh__build_refused(build, rh__code_span(code), code.env)) {
        return rh__value_bad();
    }
    RH_ASSERT(value.kind != RH_VALUE_BAD || build->model->diagnostics.error_count > 0 ||
              build->is_stopped || build->was_postponed); // what is wrong was said
    return value;
}

rh_expr rh__build_scalar(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_value value = rh__build_lower(build, code, scope);
    if (value.kind != RH_VALUE_SCALAR && value.kind != RH_VALUE_BAD) {
        rh__build_report(build, RH_DIAGNOSTIC_E201, rh__code_span(code), code.env,
                         "a number is needed here, and this is %s", rh__value_text(build, value));
        if (value.kind == RH_VALUE_VECTOR) {
            rh__build_repair(build, "take one component, or dot(...) or norm(...) of it");
        }
    }
    return value.kind == RH_VALUE_SCALAR ? value.scalar : RH_EXPR_NONE;
}

static const rh_scope SCOPE_BOUND = {0, "a bound or an index", false, true};

bool rh__build_integer(rh_build *build, rh_code code, int64_t *out)
{
    const rh_expr e = rh__build_scalar(build, code, &SCOPE_BOUND);
    if (e.i == 0) {
        return false;
    }
    const int64_t largest = (int64_t)1 << 31;
    if (!rh__expr_as_integer(build->store, e, out) || *out > largest || *out < -largest) {
        rh__build_report(
            build, RH_DIAGNOSTIC_E105, rh__code_span(code), code.env,
            rh__expr_is_number(build->store, e)
                ? "a bound or an index is a whole number up to 2^31; this is %.17g"
                : "a bound or an index is a whole number known beforehand",
            rh__expr_is_number(build->store, e) ? rh__expr_number_value(build->store, e) : 0.0);
        rh__build_repair(build, "write a whole number, or a parameter with such a value");
        return false;
    }
    return true;
}
