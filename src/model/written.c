// SPDX-License-Identifier: Apache-2.0
// The model as it is written. Expressions are simplified as they are made: x/x is 1 and 0*log(x) is
// 0, and nothing of the quotient and the logarithm is left. Who proves something of the model at a
// point must know that the text has a value there, so operations that are not defined everywhere
// are noted by themselves, before anything is done with their results.

#include "model/build.h"

bool rh__op_is_total(rh_op op)
{
    switch (op) {
    case RH_OP_SIN:
    case RH_OP_COS:
    case RH_OP_EXP:
    case RH_OP_SINH:
    case RH_OP_COSH:
    case RH_OP_TANH:
    case RH_OP_ATAN:
    case RH_OP_ABS:
    case RH_OP_SIGN:
        return true;
    default:
        return false;
    }
}

void rh__build_write_down(rh_build *build, rh_expr e)
{
    rh_expr_list *list = &build->model->written;
    const bool is_news = list->count == 0 || list->data[list->count - 1].i != e.i;
    const bool is_moving = e.i != 0 && rh__expr_mask(build->store, e) != 0;
    if (is_moving && is_news && !build->is_surrounding && !rh__array_push(build->arena, list, e)) {
        rh__build_stop(build);
    }
}

void rh__build_write_under(rh_build *build, uint32_t first, rh_expr test, bool is_true)
{
    rh_expr_list *list = &build->model->written;
    const rh_expr zero = rh__expr_integer(build->store, 0);
    for (uint32_t k = first; test.i != 0 && k < list->count; k++) {
        const rh_expr e = list->data[k];
        list->data[k] = rh__expr_if(build->store, test, is_true ? e : zero, is_true ? zero : e);
    }
}
