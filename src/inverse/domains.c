// SPDX-License-Identifier: Apache-2.0
// Values of parameters at which the functions have no value though the equations have one: exp(k x)
// has the potential exp(k x)/k, for k = 0 it is another one. Where the model has such a value it is
// put in, and the functions are made again; otherwise it is said.

#include "inverse/inverse.h"

#include <math.h>

enum { MOST_GAPS = 16, TEXT_LIMIT = 80 };

// There is no value where `e` is zero, or below it, or both.
typedef struct gap {
    rh_expr e;
    const char *where;
} gap;

typedef struct gaps {
    gap data[MOST_GAPS];
    uint32_t count;
} gaps;

// What one operation asks of parameters alone; none: nothing.
static gap gap_of(const rh_store *store, rh_expr part)
{
    const rh_op op = rh__expr_op(store, part);
    const bool is_power = op == RH_OP_POW;
    const rh_expr e =
        is_power || op == RH_OP_LOG ? rh__expr_argument(store, part, 0) : RH_EXPR_NONE;
    int64_t n = 0;
    if (e.i == 0 || (rh__expr_mask(store, e) & RH_EXPR_VARIABLE) != 0 ||
        (rh__expr_mask(store, e) & RH_ROLE_PARAM) == 0) {
        return (gap){RH_EXPR_NONE, ""};
    }
    if (!is_power) {
        return (gap){e, " <= 0"};
    }
    const rh_expr exponent = rh__expr_argument(store, part, 1);
    const bool is_whole = rh__expr_as_integer(store, exponent, &n);
    if (!is_whole && rh__expr_is_number(store, exponent)) {
        return (gap){e, rh__expr_number_sign(store, exponent) < 0 ? " <= 0" : " < 0"};
    }
    return (gap){is_whole && n < 0 ? e : RH_EXPR_NONE, " = 0"};
}

static bool holds(const rh_expr_list *list, rh_expr e)
{
    bool result = false;
    for (uint32_t k = 0; !result && k < list->count; k++) {
        result = list->data[k].i == e.i;
    }
    return result;
}

static bool is_listed(const gaps *list, rh_expr e)
{
    bool result = false;
    for (uint32_t k = 0; !result && k < list->count; k++) {
        result = list->data[k].e.i == e.i;
    }
    return result;
}

static bool push_functions(rh_inverse *inverse, const rh_function *of, rh_expr_list *out)
{
    bool ok = of->closed.i == 0 || rh__array_push(&inverse->scratch, out, of->closed);
    for (uint32_t k = 0; ok && k < of->rays.count; k++) {
        ok = rh__array_push(&inverse->scratch, out, of->rays.data[k].integrand);
    }
    return ok;
}

// What the functions ask of parameters and the equations do not.
static bool find_gaps(rh_inverse *inverse, const rh_expr *equations, gaps *out)
{
    rh_store *store = inverse->store;
    rh_expr_list roots = {0};
    rh_expr_list mine = {0};
    rh_expr_list given = {0};
    const bool ok = push_functions(inverse, &inverse->kinetic, &roots) &&
                    push_functions(inverse, &inverse->gyroscopic, &roots) &&
                    push_functions(inverse, &inverse->potential, &roots) &&
                    push_functions(inverse, &inverse->dissipation, &roots) &&
                    push_functions(inverse, &inverse->hamiltonian, &roots) &&
                    rh__expr_reach(store, roots.data, roots.count, &inverse->scratch, &mine) &&
                    rh__expr_reach(store, equations, inverse->n, &inverse->scratch, &given);
    out->count = 0;
    for (uint32_t k = 0; ok && k < mine.count && out->count < MOST_GAPS; k++) {
        const gap found = gap_of(store, mine.data[k]);
        if (found.e.i != 0 && !holds(&given, mine.data[k]) && !is_listed(out, found.e)) {
            out->data[out->count++] = found;
        }
    }
    return ok;
}

// Is the gap where the model is?
static bool is_here(rh_inverse *inverse, const gap *of)
{
    double value = 0.0;
    if (!rh__expr_values(inverse->store, &of->e, 1, rh__values_parameter, &inverse->model->values,
                         &inverse->scratch, &value)) {
        return false;
    }
    return isnan(value) || (of->where[1] == '='   ? value == 0
                            : of->where[2] == '=' ? value <= 0
                                                  : value < 0);
}

static void say(rh_inverse *inverse, const gaps *of)
{
    rh_text text = rh__text_begin(&inverse->scratch, NULL);
    for (uint32_t k = 0; k < of->count; k++) {
        const char *e = rh__inverse_text(inverse, of->data[k].e, TEXT_LIMIT);
        rh__text_format(&text, "%s%s%s", k == 0 ? "" : " or ", e[0] != '\0' ? e : "...",
                        of->data[k].where);
    }
    if (of->count > 0 && text.ok) {
        inverse->note = rh__text_print(
            &inverse->arena, "%s%sfor %.*s these functions have no value: others serve there",
            inverse->note != NULL ? inverse->note : "", inverse->note != NULL ? "; " : "",
            RH_SLICE_FORMAT(rh__text_slice(&text)));
    }
}

rh_status rh__inverse_close_gaps(rh_inverse *inverse, const rh_expr *equations, bool *out_is_open)
{
    const rh_mark mark = rh__arena_mark(&inverse->scratch);
    gaps found;
    *out_is_open = false;
    bool ok = !inverse->has_functions || find_gaps(inverse, equations, &found);
    for (uint32_t k = 0; ok && inverse->has_functions && k < found.count; k++) {
        if (is_here(inverse, &found.data[k])) {
            ok = rh__inverse_widen_scope(inverse, found.data[k].e);
            *out_is_open = true;
        }
    }
    if (ok && inverse->has_functions && !*out_is_open) {
        say(inverse, &found);
    }
    rh__arena_rewind(&inverse->scratch, mark);
    const rh_status status = rh__inverse_refused(inverse);
    return ok || status != RH_OK ? status : RH_E_MEMORY;
}

rh_status rh__inverse_put_scope(rh_inverse *inverse, rh_expr *e, uint32_t count)
{
    for (uint32_t k = 0; e != NULL && k < count; k++) {
        e[k] = rh__inverse_fold(inverse,
                                rh__expr_substitute(inverse->store, e[k], inverse->general.value,
                                                    inverse->general.value_user));
    }
    return rh__inverse_refused(inverse);
}
