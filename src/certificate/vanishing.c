// SPDX-License-Identifier: Apache-2.0
// Claims that exact algebra proves: that rates do not depend on cyclic coordinates, and that
// equations vanish identically along the family (theory, certificates 1 and 2).

#include "certificate/verify.h"

enum { CHUNK = 64 }; // expressions that are judged together

static bool still_goes_on(void *user)
{
    return rh__verify_goes_on(user);
}

rh_status rh__verify_each(rh_verifying *in, const rh_expr *list, uint32_t count, bool *out)
{
    const rh_prover_def def = {.goes_on = still_goes_on, .goes_on_user = in};
    rh_claim *claims = rh__arena_array(in->arena, rh_claim, (size_t)count + 1);
    for (uint32_t k = 0; k < count; k++) {
        if (list[k].i == 0) {
            return in->arena->status != RH_OK ? in->arena->status : rh__thesis_refusal(&in->thesis);
        }
    }
    if (claims == NULL ||
        (count > 0 && !rh__prover_judge(in->thesis.store, &def, list, count, in->arena, claims))) {
        return in->arena->status != RH_OK ? in->arena->status : RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < count; k++) {
        out[k] = claims[k].identity == RH_IDENTITY_PROVED;
    }
    return RH_OK;
}

rh_status rh__verify_zero(rh_verifying *in, const rh_expr *list, uint32_t count,
                          uint32_t *out_failed)
{
    bool is_zero[CHUNK] = {false};
    *out_failed = 0;
    // the first that is not proved ends it, however many are left
    for (uint32_t first = 0; first < count && *out_failed == first; first += CHUNK) {
        const uint32_t size = count - first < CHUNK ? count - first : CHUNK;
        RH_TRY(rh__verify_each(in, list + first, size, is_zero));
        while (*out_failed < first + size && is_zero[*out_failed - first]) {
            ++*out_failed;
        }
    }
    return RH_OK;
}

static rh_expr exact_value(void *user, rh_store *store, rh_expr symbol)
{
    rh_verifying *in = user;
    (void)store;
    for (uint32_t k = 0; k < in->statement->exacts.count; k++) {
        const rh_pledge *exact = &in->statement->exacts.data[k];
        const uint32_t at = rh__thesis_variable(&in->thesis, exact->name);
        if (at != UINT32_MAX && in->thesis.variables[at].i == symbol.i) {
            return in->anchor.known[at];
        }
    }
    return symbol;
}

rh_expr rh__verify_put(rh_verifying *in, rh_expr row)
{
    return rh__expr_substitute(in->thesis.store, row, exact_value, in);
}

rh_expr rh__verify_power(rh_verifying *in)
{
    rh_thesis *thesis = &in->thesis;
    rh_expr sum = rh__expr_integer(thesis->store, 0);
    for (uint32_t k = 0; k < in->statement->frame.count; k++) {
        const uint32_t at = thesis->unknown_first + k;
        const rh_expr share =
            rh__expr_multiply(thesis->store, thesis->variables[at], thesis->rows.data[at]);
        sum = rh__expr_add(thesis->store, sum, share);
    }
    return rh__verify_put(in, sum);
}

// --- cyclic coordinates --------------------------------------------------------------------------

// Does the expression have parts that jump or bend with the symbol? Its derivative says nothing
// about them.
static bool switches(rh_verifying *in, rh_expr e, rh_expr symbol, bool *out)
{
    rh_store *store = in->thesis.store;
    const rh_mark mark = rh__arena_mark(in->arena);
    rh_expr_list parts = {0};
    const bool ok = rh__expr_reach(store, &e, 1, in->arena, &parts);
    *out = false;
    for (uint32_t k = 0; ok && k < parts.count; k++) {
        const rh_op op = rh__expr_op(store, parts.data[k]);
        const bool is_sharp = op == RH_OP_LESS || op == RH_OP_LESS_EQUAL || op == RH_OP_EQUAL ||
                              op == RH_OP_ABS || op == RH_OP_SIGN || op == RH_OP_MIN ||
                              op == RH_OP_MAX || op == RH_OP_ATAN2;
        const rh_expr slope =
            is_sharp ? rh__expr_replace(store, parts.data[k], symbol, rh__expr_pi(store))
                     : parts.data[k];
        *out = *out || slope.i != parts.data[k].i;
    }
    rh__arena_rewind(in->arena, mark);
    return ok;
}

static bool list_slopes(rh_verifying *in, const rh_expr *from, size_t count, rh_expr_list *out)
{
    rh_thesis *thesis = &in->thesis;
    for (size_t k = 0; k < count; k++) {
        rh_expr_list found = {0};
        if (from[k].i == 0) {
            continue;
        }
        if (!rh__expr_symbols(thesis->store, from[k], RH_ROLE_COORD, in->arena, &found)) {
            return false;
        }
        for (uint32_t j = 0; j < found.count; j++) {
            bool is_cyclic = false;
            for (uint32_t c = 0; c < thesis->cyclic.count; c++) {
                is_cyclic = is_cyclic || thesis->cyclic.data[c].i == found.data[j].i;
            }
            bool is_sharp = false;
            if (is_cyclic && !switches(in, from[k], found.data[j], &is_sharp)) {
                return false;
            }
            const rh_expr slope =
                !is_cyclic ? RH_EXPR_NONE
                : is_sharp ? rh__expr_integer(thesis->store, 1) // never proved to be zero
                           : rh__expr_differentiate(thesis->store, from[k], found.data[j]);
            if (is_cyclic && !rh__array_push(in->arena, out, slope)) {
                return false;
            }
        }
    }
    return true;
}

rh_status rh__verify_cyclic(rh_verifying *in, bool *out)
{
    rh_thesis *thesis = &in->thesis;
    const size_t n = thesis->size;
    rh_expr_list list = {0};
    uint32_t failed = 0;
    *out = false;
    if (!list_slopes(in, thesis->rows.data, thesis->rows.count, &list) ||
        !list_slopes(in, thesis->inertia, n * n, &list)) {
        return in->arena->status;
    }
    const uint32_t slopes = list.count;
    for (uint32_t k = 0; k < thesis->kept.count; k++) {
        if (!rh__array_push(in->arena, &list, thesis->kept.data[k])) {
            return in->arena->status;
        }
    }
    RH_TRY(rh__verify_zero(in, list.data, list.count, &failed));
    *out = failed == list.count;
    if (*out) {
        rh__verify_say(in->out, RH_VERIFY_CYCLIC, RH_CERTIFICATE_PROVED,
                       "%u derivatives and %u rows of constraints vanish identically", slopes,
                       thesis->kept.count);
    } else {
        rh__verify_say(in->out, RH_VERIFY_CYCLIC, RH_CERTIFICATE_FAILED,
                       failed < slopes
                           ? "a rate, or the inertia, was not proved to be free of a coordinate "
                             "that is not positional"
                           : "a constraint was not proved to hold in these quasi-velocities");
    }
    return RH_OK;
}

// --- rows that vanish ----------------------------------------------------------------------------

static bool fail_vanish(rh_verifying *in, const char *why, rh_slice row)
{
    rh__verify_say(in->out, RH_VERIFY_VANISH, RH_CERTIFICATE_FAILED, "%s: %.*s", why,
                   (int)(row.size < 100 ? row.size : 100), row.data);
    return false;
}

// The rows that are named, each once; none of what was fixed.
static bool mark_vanishing(rh_verifying *in, uint32_t *out_power)
{
    const rh_wording *statement = in->statement;
    *out_power = UINT32_MAX;
    for (uint32_t k = 0; k < statement->vanishing.count; k++) {
        const rh_vanish *it = &statement->vanishing.data[k];
        const uint32_t row = rh__thesis_row(&in->thesis, it->row);
        if (row >= in->thesis.demand_first || in->is_vanishing[row]) {
            return fail_vanish(in, "there is no such equation, or it stands twice", it->row);
        }
        in->is_vanishing[row] = true;
        if (it->reason == RH_VANISH_POWER) {
            const bool is_rate = row - in->thesis.unknown_first < statement->frame.count;
            if (*out_power != UINT32_MAX || !is_rate) {
                return fail_vanish(in,
                                   "the balance of power gives one rate of a quasi-velocity, not "
                                   "this one",
                                   it->row);
            }
            *out_power = row;
        }
    }
    return true;
}

rh_status rh__verify_vanishing(rh_verifying *in, bool *out)
{
    const rh_wording *statement = in->statement;
    uint32_t power = UINT32_MAX;
    *out = mark_vanishing(in, &power);
    if (!*out) {
        return RH_OK;
    }
    const uint32_t count = statement->vanishing.count;
    rh_expr *list = rh__arena_array(in->arena, rh_expr, (size_t)count + 1);
    if (list == NULL) {
        return in->arena->status;
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t row = rh__thesis_row(&in->thesis, statement->vanishing.data[k].row);
        list[k] =
            row == power ? rh__verify_power(in) : rh__verify_put(in, in->thesis.rows.data[row]);
    }
    uint32_t failed = 0;
    RH_TRY(rh__verify_zero(in, list, count, &failed));
    *out = failed == count;
    if (*out) {
        rh__verify_say(in->out, RH_VERIFY_VANISH, RH_CERTIFICATE_PROVED, "by exact algebra, %s%s",
                       statement->exacts.count > 0 ? "with what is stated to be exact put in"
                                                   : "as they stand",
                       power != UINT32_MAX ? "; one by the balance of power" : "");
    } else {
        (void)fail_vanish(in, "it was not proved to vanish identically",
                          statement->vanishing.data[failed].row);
    }
    return RH_OK;
}
