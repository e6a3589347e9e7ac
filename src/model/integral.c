// SPDX-License-Identifier: Apache-2.0
// integral(u, a, b, EXPRESSION): the expression integrated by u from a to b, as the sum of Gauss's
// rule with 32 nodes (docs/language.md). The name u is known inside the expression only.

#include "model/build.h"

static bool check_call(rh_build *build, rh_code code)
{
    const rh_ast_node *node = rh__tree_node(code.tree, code.at);
    if (node->count != 4) {
        rh__build_report(build, RH_DIAGNOSTIC_E108, node->span, code.env,
                         "integral takes four arguments, not %u", node->count);
        rh__build_repair(build, "write integral(u, 0, 1, EXPRESSION)");
        return false;
    }
    const rh_ast_node *name = rh__tree_node(code.tree, rh__tree_child(code.tree, code.at, 0));
    if (name->kind != RH_AST_NAME || rh__word_is_reserved(name->text)) {
        rh__build_report(build, RH_DIAGNOSTIC_E108, name->span, code.env,
                         "the first argument of integral is the name of what it runs over%s",
                         name->kind == RH_AST_NAME ? ", and this word is reserved" : "");
        rh__build_repair(build, "write integral(u, 0, 1, EXPRESSION) with a name of its own");
        return false;
    }
    return true;
}

rh_value rh__build_integral(rh_build *build, rh_code code, const rh_scope *scope)
{
    if (!check_call(build, code)) {
        return rh__value_bad();
    }
    const rh_slice name = rh__tree_node(code.tree, rh__tree_child(code.tree, code.at, 0))->text;
    // for the time being like a parameter: it may stand where one may, and does not move
    const rh_family_def def = {.name = name, .mask = RH_ROLE_PARAM};
    const rh_expr symbol = rh__expr_symbol(build->store, rh__family_create(build->store, &def), 0);
    rh_env *env = rh__arena_new(build->arena, rh_env);
    if (env == NULL || symbol.i == 0) {
        rh__build_stop(build);
        return rh__value_bad();
    }
    *env = (rh_env){.outer = code.env, .name = name, .value = rh__value_scalar(symbol)};
    rh_code body = rh__code_child(code, 3);
    body.env = env;
    const rh_expr from = rh__build_scalar(build, rh__code_child(code, 1), scope);
    const rh_expr to = rh__build_scalar(build, rh__code_child(code, 2), scope);
    const rh_expr inside = rh__build_scalar(build, body, scope);
    if (from.i == 0 || to.i == 0 || inside.i == 0) {
        return rh__value_bad();
    }
    const rh_expr sum = rh__expr_quadrature(build->store, inside, symbol, from, to);
    return sum.i != 0 ? rh__value_scalar(sum) : rh__value_bad();
}
