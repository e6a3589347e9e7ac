// SPDX-License-Identifier: Apache-2.0
// Calls: the functions of the language, those of vectors and matrices, and the user's own.

#include "model/build.h"

// Functions under the names of other books and programs.
static const char *translate(rh_slice name)
{
    static const char *const ROWS[][2] = {
        {"ln", "log"},      {"lg", "log"},      {"tg", "tan"},      {"arctg", "atan"},
        {"arctan", "atan"}, {"arcsin", "asin"}, {"arccos", "acos"}, {"arctan2", "atan2"},
        {"sh", "sinh"},     {"ch", "cosh"},     {"th", "tanh"},     {"sgn", "sign"},
        {"fabs", "abs"},    {"mag", "norm"},    {"root", "sqrt"},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        if (rh__slice_is(name, ROWS[k][0])) {
            return ROWS[k][1];
        }
    }
    return NULL;
}

// The known name most like this one; empty when none is.
static rh_slice find_nearest(rh_build *build, rh_slice name, const rh_env *env, const char *what)
{
    enum { MOST = 20000 }; // names looked at: the answer comes soon in large models too
    rh_nearest nearest = rh__nearest_begin(name);
    const bool is_call = rh__slice_is(rh__slice_of(what), "function");
    for (const rh_env *local = env; local != NULL && !is_call; local = local->outer) {
        rh__nearest_offer(&nearest, local->name);
    }
    for (uint32_t k = 0; k < build->entities.count && k < MOST; k++) {
        const rh_entity_kind kind = rh__build_entity(build, k)->kind;
        const bool fits = is_call ? kind == RH_ENTITY_FUNCTION
                          : rh__slice_is(rh__slice_of(what), "constraint")
                              ? kind == RH_ENTITY_CONSTRAINT
                          : rh__slice_is(rh__slice_of(what), "parameter") ? kind == RH_ENTITY_PARAM
                                                                          : true;
        if (fits) {
            rh__nearest_offer(&nearest, rh__build_entity(build, k)->name);
        }
    }
    for (const char *const *word = rh__function_words(); is_call && *word != NULL; word++) {
        rh__nearest_offer(&nearest, rh__slice_of(*word));
    }
    return nearest.best;
}

void rh__build_unknown(rh_build *build, rh_slice name, rh_span span, const rh_env *env,
                       const char *what)
{
    if (rh__build_is_lost(build, name)) {
        return;
    }
    const bool is_call = rh__slice_is(rh__slice_of(what), "function");
    rh__build_report(build, RH_DIAGNOSTIC_E100, span, env, "there is no %s %.*s", what,
                     RH_SLICE_FORMAT(name));
    if (build->is_silent || build->model->diagnostics.dropped > 0) {
        return; // nobody would see a suggestion
    }
    const rh_slice nearest = find_nearest(build, name, env, what);
    if (is_call && translate(name) != NULL) {
        rh__build_repair(build, "did you mean %s?", translate(name));
    } else if (nearest.size > 0) {
        rh__build_repair(build, "did you mean %.*s?", RH_SLICE_FORMAT(nearest));
    } else if (rh__slice_is(rh__slice_of(what), "name")) {
        rh__build_repair(build, "declare it: param %.*s = 1, or let %.*s = ...",
                         RH_SLICE_FORMAT(name), RH_SLICE_FORMAT(name));
    }
}

static rh_value wrong_count(rh_build *build, rh_code code, const char *wanted, const char *form)
{
    const rh_ast_node *node = rh__tree_node(code.tree, code.at);
    rh__build_report(build, RH_DIAGNOSTIC_E108, node->span, code.env, "%.*s takes %s, not %u",
                     RH_SLICE_FORMAT(node->text), wanted, node->count);
    rh__build_repair(build, "write %.*s(%s)", RH_SLICE_FORMAT(node->text), form);
    return rh__value_bad();
}

static rh_value wrong_shape(rh_build *build, rh_code code, const char *wanted)
{
    const rh_ast_node *node = rh__tree_node(code.tree, code.at);
    rh__build_report(build, RH_DIAGNOSTIC_E200, node->span, code.env, "%.*s needs %s",
                     RH_SLICE_FORMAT(node->text), wanted);
    return rh__value_bad();
}

// --- scalar functions ----------------------------------------------------------------------------

// min and max take any number of arguments from two on.
static rh_value call_many(rh_build *build, rh_code code, const rh_scope *scope, rh_op op)
{
    const uint32_t count = rh__tree_node(code.tree, code.at)->count;
    if (count < 2) {
        return wrong_count(build, code, "two or more arguments", "a, b");
    }
    rh_expr result = rh__build_scalar(build, rh__code_child(code, 0), scope);
    for (uint32_t k = 1; k < count; k++) {
        const rh_expr pair[] = {result, rh__build_scalar(build, rh__code_child(code, k), scope)};
        result = rh__build_condition(build, op, pair, 2);
    }
    return rh__value_scalar(result);
}

static rh_value call_scalar(rh_build *build, rh_code code, const rh_scope *scope, rh_op op)
{
    const uint32_t count = rh__tree_node(code.tree, code.at)->count;
    if (op == RH_OP_MIN || op == RH_OP_MAX) {
        return call_many(build, code, scope, op);
    }
    const uint32_t arity = rh__op_arity(op);
    if (count != arity) {
        return wrong_count(build, code, arity == 1 ? "one argument" : "two arguments",
                           arity == 1 ? "a" : "a, b");
    }
    rh_expr arguments[2] = {RH_EXPR_NONE, RH_EXPR_NONE};
    for (uint32_t k = 0; k < arity; k++) {
        arguments[k] = rh__build_scalar(build, rh__code_child(code, k), scope);
    }
    const rh_expr result = rh__build_condition(build, op, arguments, arity);
    if (!rh__op_is_total(op)) {
        rh__build_write_down(build, result);
    }
    return rh__value_scalar(result);
}

static rh_value call_if(rh_build *build, rh_code code, const rh_scope *scope)
{
    RH_ASSERT(rh__tree_node(code.tree, code.at)->count == 3);
    const rh_value test = rh__build_lower(build, rh__code_child(code, 0), scope);
    RH_ASSERT(test.kind == RH_VALUE_CONDITION || test.kind == RH_VALUE_BAD); // the parser saw to it
    // a condition on loop indices is decided now, and the other branch is not even read
    if (test.kind == RH_VALUE_CONDITION && rh__expr_is_number(build->store, test.scalar)) {
        const uint32_t taken = rh__expr_is_zero(build->store, test.scalar) ? 2 : 1;
        return rh__build_lower(build, rh__code_child(code, taken), scope);
    }
    const uint32_t before = build->model->written.count;
    const rh_expr yes = rh__build_scalar(build, rh__code_child(code, 1), scope);
    rh__build_write_under(build, before, test.scalar, true);
    const uint32_t between = build->model->written.count;
    const rh_expr no = rh__build_scalar(build, rh__code_child(code, 2), scope);
    rh__build_write_under(build, between, test.scalar, false);
    return test.kind == RH_VALUE_BAD
               ? test
               : rh__value_scalar(rh__expr_if(build->store, test.scalar, yes, no));
}

static rh_value call_sqrt(rh_build *build, rh_code code, const rh_scope *scope)
{
    if (rh__tree_node(code.tree, code.at)->count != 1) {
        return wrong_count(build, code, "one argument", "a");
    }
    const rh_expr inner = rh__build_scalar(build, rh__code_child(code, 0), scope);
    if (inner.i != 0 && rh__expr_is_number(build->store, inner) &&
        rh__expr_number_sign(build->store, inner) < 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E203, rh__code_span(code), code.env,
                         "the root of %.6g is not real",
                         rh__expr_number_value(build->store, inner));
        rh__build_repair(build, "take the root of a number that is not negative");
        return rh__value_bad();
    }
    const rh_expr root = rh__expr_sqrt(build->store, inner);
    rh__build_write_down(build, root);
    return rh__value_scalar(root);
}

// --- vector functions ----------------------------------------------------------------------------

typedef enum vector_word {
    WORD_DOT,
    WORD_CROSS,
    WORD_NORM,
    WORD_DIAG,
    WORD_TRANSPOSE,
    WORD_ROTX,
    WORD_ROTY,
    WORD_ROTZ,
    WORD_SPIN,
    WORD_COUNT
} vector_word;

static const char *const VECTOR_WORDS[WORD_COUNT] = {
    [WORD_DOT] = "dot",   [WORD_CROSS] = "cross",         [WORD_NORM] = "norm",
    [WORD_DIAG] = "diag", [WORD_TRANSPOSE] = "transpose", [WORD_ROTX] = "rotx",
    [WORD_ROTY] = "roty", [WORD_ROTZ] = "rotz",           [WORD_SPIN] = "spin",
};

static rh_value call_diag(rh_build *build, rh_code code, const rh_scope *scope)
{
    const uint32_t count = rh__tree_node(code.tree, code.at)->count;
    rh_value source = rh__value_bad();
    if (count == 1) {
        source = rh__build_lower(build, rh__code_child(code, 0), scope);
        if (source.kind == RH_VALUE_BAD) {
            return source;
        }
    }
    const uint32_t size = source.kind == RH_VALUE_VECTOR ? source.rows : count;
    if (size == 0 || size > 64 || source.kind == RH_VALUE_MATRIX) {
        return wrong_shape(build, code, "one to 64 numbers, or one vector of them");
    }
    rh_expr *items = NULL;
    const rh_value result = rh__value_make(build, RH_VALUE_MATRIX, size, size, &items);
    bool ok = true;
    for (uint32_t k = 0; k < rh__value_count(result); k++) {
        items[k] = rh__expr_integer(build->store, 0);
        if (k % (size + 1) == 0) {
            const uint32_t at = k / (size + 1);
            items[k] = source.kind == RH_VALUE_VECTOR
                           ? source.items[at]
                           : rh__build_scalar(build, rh__code_child(code, at), scope);
        }
        ok = ok && items[k].i != 0;
    }
    return ok ? result : rh__value_bad();
}

static rh_value call_pair(rh_build *build, rh_code code, const rh_scope *scope, vector_word word)
{
    const rh_value a = rh__build_lower(build, rh__code_child(code, 0), scope);
    const rh_value b = rh__build_lower(build, rh__code_child(code, 1), scope);
    if (a.kind == RH_VALUE_BAD || b.kind == RH_VALUE_BAD) {
        return rh__value_bad();
    }
    const rh_value result =
        word == WORD_DOT ? rh__value_dot(build, a, b) : rh__value_cross(build, a, b);
    if (result.kind == RH_VALUE_BAD && !build->is_stopped) {
        rh__build_report(build, RH_DIAGNOSTIC_E200, rh__code_span(code), code.env,
                         "%s needs two vectors of %s, and these are %s and %s", VECTOR_WORDS[word],
                         word == WORD_DOT ? "equal length" : "three components",
                         rh__value_text(build, a), rh__value_text(build, b));
        rh__build_repair(build,
                         word == WORD_DOT ? "dot([a, b], [c, d])" : "cross([a, b, c], [d, e, f])");
    }
    return result;
}

static rh_value call_spin(rh_build *build, rh_code code, rh_value value)
{
    const uint32_t errors = build->model->diagnostics.error_count;
    const rh_value spin = rh__value_spin(build, value, rh__code_span(code), code.env);
    if (spin.kind == RH_VALUE_BAD && !build->is_stopped &&
        errors == build->model->diagnostics.error_count) {
        rh__build_report(build, RH_DIAGNOSTIC_E207, rh__code_span(code), code.env,
                         value.kind == RH_VALUE_MATRIX && value.rows == 3 && value.columns == 3
                             ? "%s is no rotation: its transpose is not its inverse"
                             : "spin needs a 3x3 rotation, and this is %s",
                         value.kind == RH_VALUE_MATRIX && value.rows == 3 && value.columns == 3
                             ? "this matrix"
                             : rh__value_text(build, value));
        rh__build_repair(build, "build it from rotx, roty and rotz");
    }
    return spin;
}

static rh_value call_single(rh_build *build, rh_code code, const rh_scope *scope, vector_word word)
{
    if (word == WORD_ROTX || word == WORD_ROTY || word == WORD_ROTZ) {
        const rh_expr angle = rh__build_scalar(build, rh__code_child(code, 0), scope);
        return angle.i == 0 ? rh__value_bad()
                            : rh__value_rotation(build, (uint32_t)(word - WORD_ROTX), angle);
    }
    // what spin needs is the derivative: that is checked by the caller's scope below
    const rh_value value = rh__build_lower(build, rh__code_child(code, 0), scope);
    if (value.kind == RH_VALUE_BAD) {
        return value;
    }
    if (word == WORD_SPIN) {
        return call_spin(build, code, value);
    }
    if (word == WORD_TRANSPOSE) {
        return value.kind == RH_VALUE_MATRIX ? rh__value_transpose(build, value)
                                             : wrong_shape(build, code, "a matrix");
    }
    const rh_value square = rh__value_dot(build, value, value);
    return square.kind == RH_VALUE_SCALAR
               ? rh__value_scalar(rh__expr_sqrt(build->store, square.scalar))
               : wrong_shape(build, code, "a vector");
}

static rh_value call_vector(rh_build *build, rh_code code, const rh_scope *scope, vector_word word)
{
    const uint32_t count = rh__tree_node(code.tree, code.at)->count;
    if (word == WORD_DIAG) {
        return call_diag(build, code, scope);
    }
    const uint32_t wanted = word == WORD_DOT || word == WORD_CROSS ? 2 : 1;
    if (count != wanted) {
        return wrong_count(build, code, wanted == 1 ? "one argument" : "two arguments",
                           wanted == 1 ? "a" : "a, b");
    }
    return wanted == 2 ? call_pair(build, code, scope, word)
                       : call_single(build, code, scope, word);
}

// --- the user's own
// --------------------------------------------------------------------------------

static rh_value call_user(rh_build *build, rh_code code, const rh_scope *scope, uint32_t index)
{
    rh_entity *entity = rh__build_entity(build, index);
    entity->is_used = true;
    const rh_ast_node *function = rh__tree_node(build->tree, entity->declaration);
    const uint32_t count = rh__tree_node(code.tree, code.at)->count;
    const uint32_t wanted = function->count - 2; // its name, the arguments, the body
    if (count != wanted) {
        const rh_value bad = wrong_count(
            build, code,
            rh__text_print(build->arena, "%u argument%s", wanted, wanted == 1 ? "" : "s"),
            wanted == 1   ? "a"
            : wanted == 2 ? "a, b"
                          : "a, b, ...");
        rh__build_note(build, entity->span, "declared here");
        return bad;
    }
    rh_env *env = rh__arena_array(build->arena, rh_env, count);
    if (env == NULL) {
        rh__build_stop(build);
        return rh__value_bad();
    }
    bool ok = true;
    for (uint32_t k = 0; k < count; k++) {
        env[k].outer = k == 0 ? NULL : &env[k - 1];
        env[k].name =
            rh__tree_node(build->tree, rh__tree_child(build->tree, entity->declaration, k + 1))
                ->text;
        env[k].value = rh__build_lower(build, rh__code_child(code, k), scope);
        ok = ok && env[k].value.kind != RH_VALUE_BAD;
    }
    const rh_code body = {build->tree,
                          rh__tree_child(build->tree, entity->declaration, function->count - 1),
                          &env[count - 1]};
    if (!ok) {
        return rh__value_bad();
    }
    if (entity->calls > 0) {
        rh__build_report(build, RH_DIAGNOSTIC_E104, rh__code_span(code), code.env,
                         "the function %.*s calls itself", RH_SLICE_FORMAT(entity->name));
        rh__build_repair(build, "write a loop: sum(i in 1..N: ...) or an indexed let");
        return rh__value_bad();
    }
    entity->calls++;
    const rh_value result = rh__build_lower(build, body, scope);
    rh__build_entity(build, index)->calls--;
    return result;
}

rh_value rh__build_call(rh_build *build, rh_code code, const rh_scope *scope)
{
    const rh_slice word = rh__tree_node(code.tree, code.at)->text;
    const rh_op op = rh__op_find(word);
    if (op != RH_OP_NONE) {
        return call_scalar(build, code, scope, op);
    }
    if (rh__slice_is(word, "if")) {
        return call_if(build, code, scope);
    }
    if (rh__slice_is(word, "sqrt")) {
        return call_sqrt(build, code, scope);
    }
    for (int k = 0; k < WORD_COUNT; k++) {
        if (rh__slice_is(word, VECTOR_WORDS[k])) {
            return call_vector(build, code, scope, (vector_word)k);
        }
    }
    const uint32_t index = rh__build_find(build, word);
    if (index != UINT32_MAX && rh__build_entity(build, index)->kind == RH_ENTITY_FUNCTION) {
        return call_user(build, code, scope, index);
    }
    if (rh__slice_is(word, "integral")) { // a name that older models may have given away
        return rh__build_integral(build, code, scope);
    }
    const rh_span span = {rh__code_span(code).offset, (uint32_t)word.size};
    if (index != UINT32_MAX) {
        const rh_entity_kind kind = rh__build_entity(build, index)->kind;
        rh__build_report(build, RH_DIAGNOSTIC_E107, span, code.env, "%.*s is %s %s, not a function",
                         RH_SLICE_FORMAT(word), rh__entity_article(kind), rh__entity_word(kind));
        rh__build_repair(build, "for a product write %.*s*(...)", RH_SLICE_FORMAT(word));
    } else {
        rh__build_unknown(build, word, span, code.env, "function");
    }
    return rh__value_bad();
}
