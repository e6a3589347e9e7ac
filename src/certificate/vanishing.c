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
    RH_ASSERT(*out_failed <= count);
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
            RH_ASSERT(at < in->thesis.count);
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
        RH_ASSERT(at < thesis->count);
        const rh_expr share =
            rh__expr_multiply(thesis->store, thesis->variables[at], in->plain[at]);
        sum = rh__expr_add(thesis->store, sum, share);
    }
    // reactions of constraints that are kept do no work where these hold
    for (uint32_t k = thesis->state_count; k < thesis->count; k++) {
        if (thesis->kept_row[k] != 0) {
            RH_ASSERT(thesis->kept_row[k] <= thesis->rows.count);
            const rh_expr share = rh__expr_multiply(thesis->store, thesis->variables[k],
                                                    in->plain[thesis->kept_row[k] - 1]);
            sum = rh__expr_subtract(thesis->store, sum, share);
        }
    }
    return rh__verify_put(in, sum);
}

// --- cyclic coordinates --------------------------------------------------------------------------

// Does the expression have parts that jump or bend with the symbol? Its derivative says nothing
// about them.
static bool switches(rh_verifying *in, rh_expr e, rh_expr symbol, bool *out)
{
    RH_ASSERT(rh__expr_op(in->thesis.store, symbol) == RH_OP_SYMBOL);
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

// What must vanish for an expression to be free of a coordinate: its derivative, where it has no
// parts that switch.
static bool add_slope(rh_verifying *in, rh_expr e, rh_expr symbol, rh_expr_list *duties)
{
    RH_ASSERT(e.i != 0);
    rh_store *store = in->thesis.store;
    bool is_sharp = false;
    if (rh__expr_replace(store, e, symbol, rh__expr_pi(store)).i == e.i) {
        return true; // it does not stand there
    }
    if (!switches(in, e, symbol, &is_sharp)) {
        return false;
    }
    const rh_expr slope = is_sharp ? rh__expr_integer(store, 1) // never proved to be zero
                                   : rh__expr_differentiate(store, e, symbol);
    return rh__array_push(in->arena, duties, slope);
}

// All expressions without one coordinate: by turns where it is an angle, else by the derivative.
static rh_status free_of(rh_verifying *in, rh_expr symbol, rh_expr *list, uint32_t count,
                         bool by_turns, rh_expr_list *duties)
{
    rh_expr *out = rh__arena_array(in->arena, rh_expr, (size_t)count + 1);
    bool ok = out != NULL && (!by_turns || rh__harmonic_free(in->thesis.store, list, count, symbol,
                                                             in->arena, out, duties));
    for (uint32_t k = 0; ok && k < count; k++) {
        if (out[k].i != 0) {
            list[k] = out[k];
        } else {
            ok = add_slope(in, list[k], symbol, duties);
        }
    }
    return ok ? RH_OK : in->arena->status != RH_OK ? in->arena->status : RH_E_MEMORY;
}

static rh_status free_all(rh_verifying *in, bool by_turns, rh_expr_list *duties)
{
    const rh_thesis *thesis = &in->thesis;
    const uint32_t rows = thesis->rows.count;
    const uint32_t entries = thesis->size * thesis->size;
    uint32_t count = rows;
    duties->count = 0;
    in->plain = rh__arena_array(in->arena, rh_expr, (size_t)rows + entries + 1);
    if (in->plain == NULL) {
        return in->arena->status;
    }
    for (uint32_t k = 0; k < rows; k++) {
        in->plain[k] = thesis->rows.data[k];
    }
    for (uint32_t k = 0; k < entries; k++) {
        if (thesis->inertia[k].i != 0) {
            in->plain[count++] = thesis->inertia[k];
        }
    }
    for (uint32_t c = 0; c < thesis->cyclic.count; c++) {
        RH_TRY(free_of(in, thesis->cyclic.data[c], in->plain, count, by_turns, duties));
    }
    return RH_OK;
}

rh_status rh__verify_free(rh_verifying *in, rh_expr_list *duties)
{
    return free_all(in, true, duties);
}

rh_status rh__verify_cyclic(rh_verifying *in, bool *out)
{
    rh_thesis *thesis = &in->thesis;
    rh_expr_list list = {0};
    uint32_t failed = 0;
    bool is_by_turns = false;
    *out = false;
    // expressions that are no sums over turns, or do not look it, may still have slopes that vanish
    for (uint32_t way = 0; way < 2 && !*out; way++) {
        is_by_turns = way == 0;
        RH_TRY(free_all(in, is_by_turns, &list));
        RH_TRY(rh__verify_zero(in, list.data, list.count, &failed));
        *out = failed == list.count;
    }
    const bool has_turns = list.count > 0 && is_by_turns;
    const uint32_t duties = list.count;
    if (*out) {
        RH_TRY(rh__verify_zero(in, thesis->kept.data, thesis->kept.count, &failed));
        *out = failed == thesis->kept.count;
        failed += duties;
    }
    if (*out) {
        rh__verify_say(in->out, RH_VERIFY_CYCLIC, RH_CERTIFICATE_PROVED,
                       "%u %s and %u rows of constraints vanish identically", duties,
                       has_turns ? "coefficients of turns" : "derivatives", thesis->kept.count);
    } else {
        rh__verify_say(in->out, RH_VERIFY_CYCLIC, RH_CERTIFICATE_FAILED,
                       failed < duties
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

// What cancels: rows that vanish for other reasons of this kind would go in a circle.
static bool sum_is_fine(rh_verifying *in, const rh_vanish *vanish)
{
    const rh_wording *statement = in->statement;
    uint32_t own = 0;
    for (uint32_t k = 0; k < vanish->sum.count; k++) {
        const rh_addend *it = &vanish->sum.data[k];
        const uint32_t row = rh__thesis_row(&in->thesis, it->row);
        const bool is_own = row == rh__thesis_row(&in->thesis, vanish->row);
        const rh_expr factor = rh__thesis_number(&in->thesis, it->factor);
        own += is_own && factor.i != 0 && !rh__expr_is_zero(in->thesis.store, factor);
        bool is_fine = row < in->thesis.demand_first && factor.i != 0;
        for (uint32_t j = 0; is_fine && !is_own && j < statement->vanishing.count; j++) {
            const rh_vanish *other = &statement->vanishing.data[j];
            is_fine = other->reason == RH_VANISH_SUBSTITUTION ||
                      rh__thesis_row(&in->thesis, other->row) != row;
        }
        if (!is_fine) {
            return fail_vanish(in, "this is no equation that stands for itself", it->row);
        }
    }
    return own == 1 || fail_vanish(in, "it is not once in its integral", vanish->row);
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
        if (it->reason == RH_VANISH_INTEGRAL && !sum_is_fine(in, it)) {
            return false;
        }
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

rh_expr rh__verify_sum(rh_verifying *in, const rh_vanish *vanish)
{
    rh_store *store = in->thesis.store;
    rh_expr sum = rh__expr_integer(store, 0);
    for (uint32_t k = 0; k < vanish->sum.count; k++) {
        const rh_addend *it = &vanish->sum.data[k];
        const rh_expr row = in->plain[rh__thesis_row(&in->thesis, it->row)];
        const rh_expr factor = rh__thesis_number(&in->thesis, it->factor);
        sum = rh__expr_add(store, sum, rh__expr_multiply(store, factor, row));
    }
    return rh__verify_put(in, sum);
}

// What must vanish identically for the row to do so where the others do.
static rh_expr duty_of(rh_verifying *in, const rh_vanish *vanish)
{
    return vanish->reason == RH_VANISH_POWER ? rh__verify_power(in)
           : vanish->reason == RH_VANISH_INTEGRAL
               ? rh__verify_sum(in, vanish)
               : rh__verify_put(in, in->plain[rh__thesis_row(&in->thesis, vanish->row)]);
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
    bool has_integral = false;
    rh_expr *list = rh__arena_array(in->arena, rh_expr, (size_t)count + 1);
    if (list == NULL) {
        return in->arena->status;
    }
    for (uint32_t k = 0; k < count; k++) {
        list[k] = duty_of(in, &statement->vanishing.data[k]);
        has_integral = has_integral || statement->vanishing.data[k].reason == RH_VANISH_INTEGRAL;
    }
    uint32_t failed = 0;
    RH_TRY(rh__verify_zero(in, list, count, &failed));
    *out = failed == count;
    if (*out) {
        rh__verify_say(in->out, RH_VERIFY_VANISH, RH_CERTIFICATE_PROVED, "by exact algebra, %s%s%s",
                       statement->exacts.count > 0 ? "with what is stated to be exact put in"
                                                   : "as they stand",
                       power != UINT32_MAX ? "; one by the balance of power" : "",
                       has_integral ? "; with integrals" : "");
    } else {
        (void)fail_vanish(in, "it was not proved to vanish identically",
                          statement->vanishing.data[failed].row);
    }
    return RH_OK;
}
