// SPDX-License-Identifier: Apache-2.0
// Rolling: rows of one shape written once, in a running index. Each symbol of the first row must
// move by the same step from row to row wherever it stands; then x[2], x[3], x[4] ... is written
// x[i-1].

#include "expr/show.h"

#include <inttypes.h>

enum { MOST_LEAVES = 2000, MOST_DEPTH = 200 };

// How a symbol of the first row moves.
typedef struct motion {
    rh_expr symbol;
    int64_t step[RH_EXPR_DIMENSIONS]; // from one row to the next
} motion;

typedef struct roll {
    const rh_store *store;
    rh_slice index;
    int64_t first; // the index of the first row
    RH_ARRAY(motion) motions;
} rolling;

static motion *find_motion(const rolling *roll, rh_expr symbol)
{
    for (uint32_t k = 0; k < roll->motions.count; k++) {
        if (rh__expr_same(roll->motions.data[k].symbol, symbol)) {
            return &roll->motions.data[k];
        }
    }
    return NULL;
}

// The step from `a` to `b`, members of one family, over `rows` rows; false when it is not whole.
static bool step_between(const rh_store *store, rh_expr a, rh_expr b, int64_t rows,
                         int64_t out[RH_EXPR_DIMENSIONS])
{
    const rh_family family = rh__expr_family(store, a);
    int64_t from[RH_EXPR_DIMENSIONS] = {0};
    int64_t to[RH_EXPR_DIMENSIONS] = {0};
    rh__family_index(store, family, rh__expr_member(store, a), from);
    rh__family_index(store, family, rh__expr_member(store, b), to);
    for (uint32_t d = 0; d < RH_EXPR_DIMENSIONS; d++) {
        out[d] = (to[d] - from[d]) / rows;
        if (out[d] * rows != to[d] - from[d]) {
            return false;
        }
    }
    return true;
}

static bool same_steps(const int64_t *a, const int64_t *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Compare the leaves of row k with those of the first row.
static bool check_row(rolling *roll, const rh_expr_list *first, const rh_expr_list *row, int64_t k,
                      rh_arena *scratch)
{
    const rh_store *store = roll->store;
    if (first->count != row->count) {
        return false;
    }
    for (uint32_t j = 0; j < first->count; j++) {
        const rh_expr a = first->data[j];
        const rh_expr b = row->data[j];
        if (rh__expr_op(store, a) != RH_OP_SYMBOL) {
            if (!rh__expr_same(a, b)) {
                return false;
            }
            continue;
        }
        motion moved = {.symbol = a};
        if (rh__expr_op(store, b) != RH_OP_SYMBOL ||
            rh__expr_family(store, a).i != rh__expr_family(store, b).i ||
            !step_between(store, a, b, k, moved.step)) {
            return false;
        }
        const motion *known = find_motion(roll, a);
        if (known != NULL ? !same_steps(known->step, moved.step)
                          : !rh__array_push(scratch, &roll->motions, moved)) {
            return false;
        }
    }
    return true;
}

static void put_moving(const rolling *roll, int64_t start, int64_t step, rh_text *out)
{
    const int64_t offset = start - step * roll->first;
    if (step == 0) {
        rh__text_format(out, "%" PRId64, start);
    } else if (step < 0) {
        rh__text_format(out, "%" PRId64 "-", offset);
        if (step != -1) {
            rh__text_format(out, "%" PRId64 "*", -step);
        }
        rh__text_put_slice(out, roll->index);
    } else {
        if (step != 1) {
            rh__text_format(out, "%" PRId64 "*", step);
        }
        rh__text_put_slice(out, roll->index);
        if (offset != 0) {
            rh__text_format(out, "%+" PRId64, offset);
        }
    }
}

static bool write_moving(void *user, rh_expr symbol, rh_text *out)
{
    const rolling *roll = user;
    const motion *how = find_motion(roll, symbol);
    const rh_family family = rh__expr_family(roll->store, symbol);
    const rh_family_def *def = rh__family_def(roll->store, family);
    if (how == NULL || def->dimensions == 0) {
        return false;
    }
    int64_t index[RH_EXPR_DIMENSIONS] = {0};
    rh__family_index(roll->store, family, rh__expr_member(roll->store, symbol), index);
    rh__text_put_slice(out, def->name);
    for (uint32_t d = 0; d < def->dimensions; d++) {
        rh__text_put(out, d == 0 ? "[" : ",");
        put_moving(roll, index[d], how->step[d], out);
    }
    rh__text_put(out, "]");
    for (uint8_t k = 0; k < def->primes; k++) {
        rh__text_put_char(out, '\'');
    }
    return true;
}

bool rh__show_family(rh_store *store, const rh_expr *rows, uint32_t count, rh_slice index,
                     int64_t first, rh_arena *scratch, rh_text *out)
{
    RH_ASSERT(count > 0);
    rolling roll = {.store = store, .index = index, .first = first};
    rh_expr_list first_leaves;
    bool ok = rh__shape_depth(store, rh__expr_shape(store, rows[0])) <= MOST_DEPTH &&
              rh__shape_leaves(store, rows[0], MOST_LEAVES, scratch, &first_leaves);
    rh_mark mark = rh__arena_mark(scratch);
    // the second row gives the steps: what it leaves behind stays, the rest is rewound
    for (uint32_t k = 1; ok && k < count; k++) {
        rh_expr_list leaves;
        ok = rh__expr_shape(store, rows[k]).i == rh__expr_shape(store, rows[0]).i &&
             rh__shape_leaves(store, rows[k], MOST_LEAVES, scratch, &leaves) &&
             check_row(&roll, &first_leaves, &leaves, k, scratch);
        if (k == 1) {
            mark = rh__arena_mark(scratch);
        } else {
            rh__arena_rewind(scratch, mark);
        }
    }
    if (ok) {
        const rh_show show = {
            .store = store, .notation = RH_NOTATION_TEXT, .symbols = write_moving, .user = &roll};
        rh__show_expr(&show, rows[0], out);
    }
    return ok;
}
