// SPDX-License-Identifier: Apache-2.0
// Both halves of `change` together: each old variable is given once, by new names and by what
// stays, and time by the new time alone.

#include "model/build.h"

static bool is_replaced(const rh_model *model, rh_expr symbol)
{
    bool found = false;
    for (uint32_t k = 0; k < model->inverse.count; k++) {
        found = found || model->inverse.data[k].target.i == symbol.i;
    }
    return found;
}

static void check_once(rh_build *build, uint32_t at)
{
    const rh_exchange *given = build->model->inverse.data;
    for (uint32_t k = 0; k < at; k++) {
        if (given[k].target.i == given[at].target.i) {
            rh__build_report(build, RH_DIAGNOSTIC_E317, given[at].span, NULL,
                             "the inverse gives this old variable twice");
            rh__build_repair(build, "give each old variable once");
            return;
        }
    }
}

static void check_names(rh_build *build, const rh_exchange *exchange)
{
    rh_expr_list symbols = {0};
    if (!rh__expr_symbols(build->store, exchange->value, RH_EXPR_VARIABLE, &build->scratch,
                          &symbols)) {
        rh__build_stop(build);
        return;
    }
    for (uint32_t k = 0; k < symbols.count; k++) {
        if (is_replaced(build->model, symbols.data[k])) {
            rh__build_report(build, RH_DIAGNOSTIC_E317, exchange->span, NULL,
                             "the inverse holds an old variable that it gives itself");
            rh__build_repair(build, "write it by the new names");
            return;
        }
    }
}

// t = S(tau) and tau = T(t), with nothing else that moves in either.
static void check_time(rh_build *build, const rh_exchange *exchange)
{
    const rh_model *model = build->model;
    rh_expr_list symbols = {0};
    if (!rh__expr_symbols(build->store, exchange->value, RH_EXPR_VARIABLE, &build->scratch,
                          &symbols)) {
        rh__build_stop(build);
        return;
    }
    bool is_clock = false;
    for (uint32_t k = 0; symbols.count == 1 && k < model->change.count; k++) {
        const rh_exchange *forward = &model->change.data[k];
        const uint32_t moving = rh__expr_mask(build->store, forward->value) &
                                (RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT);
        is_clock = is_clock || (forward->target.i == symbols.data[0].i && moving == 0);
    }
    if (!is_clock) {
        rh__build_report(build, RH_DIAGNOSTIC_E317, exchange->span, NULL,
                         "t is given by more than a new time, which is a function of t alone");
        rh__build_repair(build, "give t by one new name, and that name by t: tau = 2*t inverse "
                                "t = tau/2");
    }
}

void rh__build_exchanges(rh_build *build)
{
    const rh_model *model = build->model;
    for (uint32_t k = 0; k < model->inverse.count && !build->is_stopped; k++) {
        const rh_exchange *exchange = &model->inverse.data[k];
        const rh_mark mark = rh__arena_mark(&build->scratch);
        check_once(build, k);
        check_names(build, exchange);
        if ((rh__expr_mask(build->store, exchange->target) & RH_ROLE_TIME) != 0) {
            check_time(build, exchange);
        }
        rh__arena_rewind(&build->scratch, mark);
    }
}
