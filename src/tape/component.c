// SPDX-License-Identifier: Apache-2.0
// A linear system among expressions becomes blocks: one for each connected component of its
// pattern, row k and unknown k always being in the same one. A component of one unknown whose
// factor is proved not to be zero is a quotient.

#include "tape/weave.h"

#include <string.h>

typedef struct splitting {
    rh_weave *weave;
    const rh_solve_plan *plan;
    const rh_tape_solve *solve;
    uint32_t *leader;      // union-find, by unknown
    uint32_t *local;       // by unknown: index within its component
    uint32_t *member;      // unknowns, component after component
    uint32_t *begin;       // by component: its first member
    uint32_t count;        // components
    uint32_t *row_of;      // by entry of the matrix, sorted by component
    uint32_t *entry_begin; // by component
} splitting;

static uint32_t find_leader(uint32_t *leader, uint32_t k)
{
    while (leader[k] != k) {
        leader[k] = leader[leader[k]];
        k = leader[k];
    }
    return k;
}

static void join(uint32_t *leader, uint32_t a, uint32_t b)
{
    const uint32_t x = find_leader(leader, a);
    const uint32_t y = find_leader(leader, b);
    RH_ASSERT(x <= a && y <= b);           // the smallest leads
    leader[x > y ? x : y] = x < y ? x : y; // the smallest leads, so components keep their order
}

static bool has_hold(const rh_tape_solve *solve, uint32_t row)
{
    return solve->hold != NULL && solve->hold[row] != UINT32_MAX;
}

static bool reserve(splitting *in)
{
    rh_arena *scratch = &in->weave->scratch;
    const size_t n = in->solve->count;
    in->leader = rh__arena_array(scratch, uint32_t, n + 1);
    in->local = rh__arena_array(scratch, uint32_t, n + 1);
    in->member = rh__arena_array(scratch, uint32_t, n + 1);
    in->begin = rh__arena_array(scratch, uint32_t, n + 2);
    in->entry_begin = rh__arena_array(scratch, uint32_t, n + 2);
    in->row_of = rh__arena_array(scratch, uint32_t, (size_t)in->solve->matrix->entries.count + 1);
    return in->leader != NULL && in->local != NULL && in->member != NULL && in->begin != NULL &&
           in->entry_begin != NULL && in->row_of != NULL;
}

static void find_components(splitting *in)
{
    const rh_tape_solve *solve = in->solve;
    const rh_grid *matrix = solve->matrix;
    for (uint32_t k = 0; k < solve->count; k++) {
        in->leader[k] = k;
    }
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        join(in->leader, matrix->entries.data[k].row, matrix->entries.data[k].column);
    }
    for (uint32_t k = 0; k < solve->count; k++) {
        if (has_hold(solve, k)) {
            join(in->leader, k, solve->hold_column[k]);
        }
    }
    // number the components by their leaders, in `begin` the sizes for a moment
    uint32_t *number = in->member;
    for (uint32_t k = 0; k < solve->count; k++) {
        const uint32_t leader = find_leader(in->leader, k);
        number[k] = leader == k ? in->count++ : number[leader];
        in->local[k] = in->begin[number[k] + 1]++;
    }
    for (uint32_t c = 0; c < in->count; c++) {
        in->begin[c + 1] += in->begin[c];
    }
    // from here on the leader's place holds the number of the component
    memcpy(in->leader, number, solve->count * sizeof *number);
    for (uint32_t k = 0; k < solve->count; k++) {
        in->member[in->begin[in->leader[k]] + in->local[k]] = k;
    }
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        in->entry_begin[in->leader[matrix->entries.data[k].row] + 1]++;
    }
    for (uint32_t c = 0; c < in->count; c++) {
        in->entry_begin[c + 1] += in->entry_begin[c];
    }
}

// The entries of each component, rows in order.
static bool sort_entries(splitting *in)
{
    RH_ASSERT(in->begin[in->count] == in->solve->count);
    RH_ASSERT(in->entry_begin[in->count] == in->solve->matrix->entries.count);
    const rh_grid *matrix = in->solve->matrix;
    uint32_t *next = rh__arena_array(&in->weave->scratch, uint32_t, (size_t)in->count + 1);
    if (next == NULL) {
        return false;
    }
    memcpy(next, in->entry_begin, in->count * sizeof *next);
    for (uint32_t k = 0; k < matrix->entries.count; k++) {
        in->row_of[next[in->leader[matrix->entries.data[k].row]]++] = k;
    }
    return true;
}

// --- one unknown -----------------------------------------------------------------------------

static bool is_quotient(const splitting *in, uint32_t component)
{
    const uint32_t first = in->entry_begin[component];
    if (in->begin[component + 1] - in->begin[component] != 1 ||
        in->entry_begin[component + 1] - first != 1 ||
        has_hold(in->solve, in->member[in->begin[component]])) {
        return false;
    }
    const rh_expr value = in->solve->matrix->entries.data[in->row_of[first]].value;
    return rh__expr_is_number(in->weave->store, value) ||
           rh__expr_sign(in->weave->store, value, in->plan->value_of, in->plan->user) != 0;
}

// --- blocks ----------------------------------------------------------------------------------

static rh_tape_term as_term(rh_weave *weave, rh_strand a)
{
    return (rh_tape_term){rh__weave_constant(weave, a.weight), a.id};
}

static void fill_block(splitting *in, uint32_t component, rh_tape_block *block)
{
    rh_weave *weave = in->weave;
    const rh_tape_solve *solve = in->solve;
    const rh_strand *right = in->plan->values + solve->matrix->entries.count;
    for (uint32_t k = 0; k < block->n; k++) {
        const uint32_t row = in->member[in->begin[component] + k];
        block->right[k] = as_term(weave, right[row]);
        block->is_rate[k] = row < solve->rate_count;
        block->hold[k] = has_hold(solve, row) ? solve->hold[row] : UINT32_MAX;
        block->hold_column[k] = has_hold(solve, row) ? in->local[solve->hold_column[row]] : 0;
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        const uint32_t entry = in->row_of[in->entry_begin[component] + k];
        RH_ASSERT(in->leader[solve->matrix->entries.data[entry].row] == component);
        RH_ASSERT(in->leader[solve->matrix->entries.data[entry].column] == component);
        block->entries[k] = (rh_tape_entry){in->local[solve->matrix->entries.data[entry].row],
                                            in->local[solve->matrix->entries.data[entry].column],
                                            as_term(weave, in->plan->values[entry])};
    }
}

static void make_block(splitting *in, uint32_t component)
{
    rh_weave *weave = in->weave;
    const uint32_t first = in->begin[component];
    rh_tape_block block = {.n = in->begin[component + 1] - first,
                           .factor = UINT32_MAX,
                           .margin = in->solve->margin > 0.0 ? in->solve->margin : RH_BLOCK_MARGIN,
                           .entry_count =
                               in->entry_begin[component + 1] - in->entry_begin[component]};
    if (!rh__weave_reserve_block(weave, &block)) {
        return;
    }
    fill_block(in, component, &block);
    const uint32_t unknowns = rh__weave_block(weave, &block);
    for (uint32_t k = 0; weave->status == RH_OK && k < block.n; k++) {
        in->plan->unknowns[in->member[first + k]] = rh__strand_value(weave, unknowns + k);
    }
}

void rh__weave_solve(rh_weave *weave, const rh_solve_plan *plan)
{
    splitting in = {.weave = weave, .plan = plan, .solve = plan->solve};
    RH_ASSERT(plan->solve->matrix->rows == plan->solve->count);
    RH_ASSERT(plan->solve->rate_count <= plan->solve->count);
    if (!reserve(&in)) {
        rh__weave_fail(weave, weave->scratch.status);
        return;
    }
    find_components(&in);
    if (!sort_entries(&in)) {
        rh__weave_fail(weave, weave->scratch.status);
        return;
    }
    const rh_strand *right = plan->values + plan->solve->matrix->entries.count;
    for (uint32_t c = 0; weave->status == RH_OK && c < in.count; c++) {
        const uint32_t unknown = in.member[in.begin[c]];
        if (is_quotient(&in, c)) {
            plan->unknowns[unknown] =
                rh__weave_divide(weave, right[unknown], plan->values[in.row_of[in.entry_begin[c]]]);
        } else {
            make_block(&in, c);
        }
    }
}
