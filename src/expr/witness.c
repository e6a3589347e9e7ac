// SPDX-License-Identifier: Apache-2.0
// Verdicts that rest on values of symbols that do not move: whether an expression vanishes, which
// sign it has, which of several is the largest. Symbols stay symbols, so what was derived serves
// for other values too, as long as all these verdicts are the same for them.

#include "expr/store.h"

#include <string.h>

void rh__store_watch(rh_store *store, uint32_t mask)
{
    store->watched = mask;
}

static bool is_noted(rh_store *store, rh_witness_kind kind, rh_expr e)
{
    const uint8_t bit = (uint8_t)(1u << kind);
    while (store->witnessed.count <= e.i) {
        if (!rh__array_push(store->arena, &store->witnessed, 0)) {
            store->is_blind = true;
            return true;
        }
    }
    const bool was = (store->witnessed.data[e.i] & bit) != 0;
    store->witnessed.data[e.i] |= bit;
    return was;
}

static void push(rh_store *store, rh_witness witness, size_t data_size)
{
    rh_expr *parts = rh__arena_array(store->arena, rh_expr, (size_t)witness.count + 1);
    void *data = rh__arena_push(store->arena, data_size + 1);
    if (parts == NULL || data == NULL) {
        store->is_blind = true;
        return;
    }
    memcpy(parts, witness.parts, witness.count * sizeof *parts);
    if (data_size > 0) {
        memcpy(data, witness.data, data_size);
    }
    witness.parts = parts;
    witness.data = data;
    store->is_blind = !rh__array_push(store->arena, &store->witnesses, witness) || store->is_blind;
}

void rh__store_note(rh_store *store, rh_witness_kind kind, rh_expr e, rh_value_of *value_of,
                    const void *user, int64_t verdict)
{
    if (value_of == NULL || (rh__expr_mask(store, e) & store->watched) == 0 ||
        is_noted(store, kind, e)) {
        return;
    }
    const rh_witness witness = {.kind = kind,
                                .count = 1,
                                .parts = &e,
                                .value_of = value_of,
                                .user = user,
                                .verdict = verdict};
    push(store, witness, 0);
}

static bool ask_choice(rh_store *store, const rh_witness *witness, rh_arena *scratch, int64_t *out)
{
    double *values = rh__arena_array(scratch, double, (size_t)witness->count + 1);
    const bool ok =
        values != NULL && rh__expr_values(store, witness->parts, witness->count, witness->value_of,
                                          witness->user, scratch, values);
    *out = ok ? witness->choose(witness->data, values, witness->count) : 0;
    return ok;
}

void rh__store_note_choice(rh_store *store, const rh_expr *parts, uint32_t count,
                           rh_value_of *value_of, const void *user, rh_choice_of *choose,
                           const void *data, size_t data_size)
{
    uint32_t mask = 0;
    for (uint32_t k = 0; k < count; k++) {
        mask |= rh__expr_mask(store, parts[k]);
    }
    if (value_of == NULL || (mask & store->watched) == 0) {
        return;
    }
    rh_witness witness = {.kind = RH_WITNESS_CHOICE,
                          .count = count,
                          .parts = parts,
                          .value_of = value_of,
                          .user = user,
                          .choose = choose,
                          .data = data};
    const rh_mark mark = rh__arena_mark(&store->scratch);
    const bool ok = ask_choice(store, &witness, &store->scratch, &witness.verdict);
    rh__arena_rewind(&store->scratch, mark);
    store->is_blind = store->is_blind || !ok;
    push(store, witness, data_size);
}

static bool stands(rh_store *store, const rh_witness *noted, const void *user, bool has_new_signs,
                   rh_arena *scratch)
{
    rh_witness with_user = *noted;
    const rh_witness *witness = &with_user;
    with_user.user = user;
    int64_t now = witness->verdict;
    switch (witness->kind) {
    case RH_WITNESS_VANISHES:
        now = rh__expr_vanishes(store, witness->parts[0], witness->value_of, witness->user,
                                scratch) != RH_VANISHING_NO;
        break;
    case RH_WITNESS_SIGN:
        now = !has_new_signs
                  ? now
                  : rh__expr_sign(store, witness->parts[0], witness->value_of, witness->user);
        break;
    case RH_WITNESS_CHOICE:
        if (!ask_choice(store, witness, scratch, &now)) {
            return false;
        }
        break;
    }
    return now == witness->verdict;
}

bool rh__store_stands(rh_store *store, const void *user, bool has_new_signs, rh_arena *scratch)
{
    bool ok = !store->is_blind;
    for (uint32_t k = 0; ok && k < store->witnesses.count; k++) {
        const rh_mark mark = rh__arena_mark(scratch);
        ok = stands(store, &store->witnesses.data[k], user, has_new_signs, scratch);
        rh__arena_rewind(scratch, mark);
    }
    return ok;
}

bool rh__store_zeros_stand(rh_store *store, const void *user, rh_arena *scratch)
{
    bool ok = !store->is_blind;
    for (uint32_t k = 0; ok && k < store->witnesses.count; k++) {
        const rh_witness *witness = &store->witnesses.data[k];
        if (witness->kind == RH_WITNESS_VANISHES && witness->verdict != 0) {
            const rh_mark mark = rh__arena_mark(scratch);
            ok = stands(store, witness, user, false, scratch);
            rh__arena_rewind(scratch, mark);
        }
    }
    return ok;
}
