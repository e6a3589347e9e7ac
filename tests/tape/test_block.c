// SPDX-License-Identifier: Apache-2.0
// Solve blocks: the series of the unknowns satisfies the equations to every order; large ones take
// fixed pivots where these serve and others where not; redundant rows give the least solution.

#include "support.h"

#include "tape/pivot.h"
#include "tape/tape.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 420, ORDER = 9, INPUTS = 4 };

// A linear system whose entries are sums of inputs and numbers.
typedef struct bench {
    rh_arena arena;
    rh_store *store;
    uint32_t n, rate_count;
    rh_expr inputs[INPUTS];
    rh_expr unknowns[MOST];
    rh_expr right[MOST];
    rh_grid grid;
    uint32_t hold[MOST], hold_column[MOST];
    uint32_t hold_count;
    rh_tape *tape;
    rh_tape_state *state;
} bench;

static rh_expr make_symbol(bench *on, const char *name, uint32_t member)
{
    const rh_family_def def = {
        .name = rh__slice_of(name), .dimensions = 1, .extent = {MOST}, .mask = RH_EXPR_VARIABLE};
    return rh__expr_symbol(on->store, rh__family_create(on->store, &def), member);
}

static void bench_begin(bench *on, uint32_t n, uint32_t rate_count)
{
    *on = (bench){.arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 30),
                  .n = n,
                  .rate_count = rate_count};
    on->store = rh__store_create(&on->arena);
    for (uint32_t k = 0; k < INPUTS; k++) {
        on->inputs[k] = make_symbol(on, "u", k);
    }
    for (uint32_t k = 0; k < n; k++) {
        on->unknowns[k] = make_symbol(on, "z", k);
        on->hold[k] = UINT32_MAX;
    }
    on->grid.rows = on->grid.columns = n;
}

static void bench_end(bench *on)
{
    rh__tape_state_destroy(on->state);
    rh__tape_destroy(on->tape);
    rh__store_destroy(on->store);
    rh__arena_end(&on->arena);
}

// constant + slope * input
static rh_expr affine(bench *on, int64_t constant, int64_t slope, uint32_t input)
{
    return rh__expr_add(
        on->store, rh__expr_ratio(on->store, constant, 1000),
        rh__expr_multiply(on->store, rh__expr_ratio(on->store, slope, 1000), on->inputs[input]));
}

static rh_expr random_entry(bench *on, support_random *random)
{
    const int64_t constant = (int64_t)support_random_below(random, 2000) - 1000;
    const int64_t slope = (int64_t)support_random_below(random, 2000) - 1000;
    return affine(on, constant, support_random_below(random, 3) == 0 ? 0 : slope,
                  support_random_below(random, INPUTS));
}

static void put(bench *on, uint32_t row, uint32_t column, rh_expr value)
{
    const rh_entry entry = {row, column, value};
    assert_true(rh__array_push(&on->arena, &on->grid.entries, entry));
}

static double value_of_nothing(const void *user, const rh_store *store, rh_expr symbol)
{
    (void)user;
    (void)store;
    (void)symbol;
    return NAN;
}

static int by_place(const void *left, const void *right)
{
    const rh_entry *a = left;
    const rh_entry *b = right;
    return a->row != b->row ? (a->row < b->row ? -1 : 1)
                            : (a->column > b->column) - (a->column < b->column);
}

// Outputs: unknowns, then entries, then right sides.
static void bench_compile(bench *on)
{
    const uint32_t entries = on->grid.entries.count;
    qsort(on->grid.entries.data, entries, sizeof *on->grid.entries.data, by_place);
    rh_expr *outputs = rh__arena_array(&on->arena, rh_expr, (size_t)entries + 2 * on->n);
    for (uint32_t k = 0; k < on->n; k++) {
        outputs[k] = on->unknowns[k];
        outputs[on->n + entries + k] = on->right[k];
    }
    for (uint32_t k = 0; k < entries; k++) {
        outputs[on->n + k] = on->grid.entries.data[k].value;
    }
    const rh_tape_solve solve = {.matrix = &on->grid,
                                 .right = on->right,
                                 .unknowns = on->unknowns,
                                 .count = on->n,
                                 .rate_count = on->rate_count,
                                 .hold = on->hold,
                                 .hold_column = on->hold_column};
    const rh_tape_def def = {.store = on->store,
                             .allocator = rh_allocator_default(),
                             .memory_limit = (size_t)1 << 30,
                             .inputs = on->inputs,
                             .input_count = INPUTS,
                             .solves = &solve,
                             .solve_count = 1,
                             .hold_count = on->hold_count,
                             .outputs = outputs,
                             .output_count = entries + 2 * on->n};
    rh_error err = RH_ZERO;
    if (rh__tape_create(&def, &on->tape, &err) != RH_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(rh__tape_state_create(on->tape, ORDER, rh_allocator_default(), &on->state),
                     RH_OK);
    assert_int_equal(rh__tape_bind(on->state, value_of_nothing, NULL), RH_OK);
}

static void run_series(bench *on, support_random *random)
{
    for (uint32_t k = 0; k <= ORDER; k++) {
        for (uint32_t i = 0; i < INPUTS; i++) {
            rh__jet_row(on->state, k)[i] = support_random_real(random, -0.5, 0.5);
        }
        rh__jet_order(on->state, k);
    }
}

// The largest coefficient of K z - b relative to the terms, rows in `skip` left out.
static double residual(const bench *on, uint32_t skip)
{
    const rh_tape_state *state = on->state;
    const uint32_t entries = on->grid.entries.count;
    double worst = 0.0;
    for (uint32_t k = 0; k <= ORDER; k++) {
        for (uint32_t row = 0; row < on->n; row++) {
            double sum = -rh__tape_output(state, on->n + entries + row, k);
            double size = 1.0 + fabs(sum);
            for (uint32_t e = 0; row != skip && e < entries; e++) {
                for (uint32_t j = 0; on->grid.entries.data[e].row == row && j <= k; j++) {
                    const double part =
                        rh__tape_output(state, on->n + e, j) *
                        rh__tape_output(state, on->grid.entries.data[e].column, k - j);
                    sum += part;
                    size += fabs(part);
                }
            }
            worst = row == skip ? worst : fmax(worst, isnan(sum) ? INFINITY : fabs(sum) / size);
        }
    }
    return worst;
}

// --- regular ---------------------------------------------------------------------------------

static void dense_systems_are_solved_to_every_order(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("dense");
    static const uint32_t SIZES[] = {1, 2, 3, 5, 8, 12, 13, 20, 40};
    for (uint32_t k = 0; k < 3 * sizeof SIZES / sizeof SIZES[0]; k++) {
        bench on;
        bench_begin(&on, SIZES[k / 3], SIZES[k / 3]);
        for (uint32_t i = 0; i < on.n; i++) {
            on.right[i] = random_entry(&on, &random);
            for (uint32_t j = 0; j < on.n; j++) {
                const rh_expr value = random_entry(&on, &random);
                put(&on, i, j,
                    i == j ? rh__expr_add(on.store, value, affine(&on, 3000, 0, 0)) : value);
            }
        }
        bench_compile(&on);
        assert_true(on.tape->block_count == 1 || on.n == 1); // one unknown may be a quotient
        run_series(&on, &random);
        assert_false(on.state->quality.is_failed);
        assert_true(on.state->quality.singular == 0);
        assert_true(residual(&on, UINT32_MAX) < 1e-11);
        bench_end(&on);
    }
}

// Matrices that need their rows exchanged: zeros on the diagonal. The sizes stand for other pivots
// in the room of the state, dense ones of the rescue, sparse ones.
static void fixed_pivots_give_way(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("exchanged");
    static const uint32_t SIZES[] = {16, 64, 80, 420};
    for (uint32_t k = 0; k < sizeof SIZES / sizeof SIZES[0]; k++) {
        bench on;
        const uint32_t n = SIZES[k];
        bench_begin(&on, n, n);
        for (uint32_t i = 0; i < n; i++) {
            on.right[i] = random_entry(&on, &random);
            put(&on, i, (i + 1) % n, affine(&on, 1500, 300, i % INPUTS));
            put(&on, i, (i + 2) % n, affine(&on, 400, 100, i % INPUTS));
        }
        bench_compile(&on);
        for (uint32_t round = 0; round < 2; round++) {
            run_series(&on, &random);
            assert_int_equal(on.state->quality.exchanged, 1);
            assert_true(residual(&on, UINT32_MAX) < 1e-11);
        }
        bench_end(&on);
    }
}

// Independent parts become blocks of their own.
static void components_are_split(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("components");
    bench on;
    bench_begin(&on, 8, 8);
    for (uint32_t i = 0; i < 8; i++) {
        on.right[i] = random_entry(&on, &random);
        put(&on, i, i, affine(&on, 2000 + i, i == 6 ? 0 : 500, i % INPUTS));
    }
    put(&on, 0, 5, random_entry(&on, &random));
    put(&on, 5, 0, random_entry(&on, &random));
    put(&on, 2, 3, affine(&on, 300, 700, 1));
    bench_compile(&on);
    // 0 with 5, 2 with 3, and 1, 4, 7 whose factors are not proved to be other than zero; 6 is a
    // quotient by a number
    assert_int_equal(on.tape->block_count, 5);
    run_series(&on, &random);
    assert_true(residual(&on, UINT32_MAX) < 1e-12);
    bench_end(&on);
}

// A chain: masses, and links between neighbours.
static void build_chain(bench *on, uint32_t masses, support_random *random)
{
    for (uint32_t i = 0; i < masses; i++) {
        put(on, i, i, affine(on, 1000 + i, 0, 0));
        on->right[i] = random_entry(on, random);
    }
    for (uint32_t i = 0; i + 1 < masses; i++) {
        const uint32_t link = masses + i;
        const rh_expr slope = affine(on, 800, 500, i % INPUTS);
        const rh_expr minus = rh__expr_negate(on->store, slope);
        put(on, link, i, minus);
        put(on, link, i + 1, slope);
        put(on, i, link, slope);
        put(on, i + 1, link, minus);
        on->right[link] = random_entry(on, random);
    }
}

static void chains_keep_fixed_pivots(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("chain");
    bench on;
    bench_begin(&on, 59, 30);
    build_chain(&on, 30, &random);
    bench_compile(&on);
    assert_int_equal(on.tape->block_count, 1);
    const rh_tape_block *block = &on.tape->blocks[0];
    assert_non_null(block->saddle);
    assert_true(block->saddle->upper_begin[block->n] <= 4 * block->n); // next to no fill
    assert_int_equal(block->share_count, 3 * 29);
    assert_int_equal(on.tape->products.count, 2 * 29); // d (a2 - a1), d lambda
    run_series(&on, &random);
    assert_int_equal(on.state->quality.exchanged, 0);
    assert_true(on.state->quality.rcond > 1e-3);
    assert_true(residual(&on, UINT32_MAX) < 1e-12);
    bench_end(&on);
}

// --- holds -----------------------------------------------------------------------------------

static void released_rows_do_not_act(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("holds");
    for (uint32_t masses = 4; masses <= 30; masses += 26) {
        bench on;
        bench_begin(&on, 2 * masses - 1, masses);
        build_chain(&on, masses, &random);
        const uint32_t row = masses + 1;
        on.hold[row] = 0;
        on.hold_column[row] = row;
        on.hold_count = 1;
        bench_compile(&on);
        run_series(&on, &random);
        assert_true(residual(&on, UINT32_MAX) < 1e-12);
        rh__tape_release(on.state, 0, 0.0);
        run_series(&on, &random);
        assert_true(residual(&on, row) < 1e-12);
        for (uint32_t k = 0; k <= ORDER; k++) {
            assert_near(rh__tape_output(on.state, row, k), 0.0, 0.0);
        }
        rh__tape_hold(on.state, 0);
        run_series(&on, &random);
        assert_true(residual(&on, UINT32_MAX) < 1e-12);
        bench_end(&on);
    }
}

// Two masses held by two links, and a third link that is released and hardly acts: what the rows
// of the others say of its multiplier is nothing but their rounding.
static void released_unknowns_are_what_they_are_lent(void **unused)
{
    (void)unused;
    static const int64_t LINKS[2][2] = {{928, 896}, {-215, 827}};
    bench on;
    bench_begin(&on, 5, 2);
    for (uint32_t i = 0; i < 2; i++) {
        put(&on, i, i, affine(&on, 1000 + 100 * (int64_t)i, 0, 0));
        put(&on, i, 2, affine(&on, 0, 500 + 100 * (int64_t)i, 0));
        put(&on, 2, i, affine(&on, 0, 500 + 100 * (int64_t)i, 0));
        for (uint32_t k = 0; k < 2; k++) {
            put(&on, i, 3 + k, affine(&on, LINKS[k][i], 0, 0));
            put(&on, 3 + k, i, affine(&on, LINKS[k][i], 0, 0));
        }
    }
    for (uint32_t i = 0; i < 5; i++) {
        on.right[i] = affine(&on, 123 + 457 * (int64_t)i, 0, 0);
    }
    on.hold[2] = 0;
    on.hold_column[2] = 2;
    on.hold_count = 1;
    bench_compile(&on);
    for (uint32_t wary = 0; wary < 2; wary++) { // pivots by value, then those of the rescue
        on.state->is_wary = wary == 1;
        for (uint32_t k = 0; k < 40; k++) {
            const double lent = (k % 2) * 0.75;
            rh__jet_row(on.state, 0)[0] = (1.0 + 0.1 * k) * 1e-16;
            rh__tape_release(on.state, 0, lent);
            rh__tape_run(on.state);
            assert_near(rh__tape_output(on.state, 2, 0), lent, 0.0);
        }
    }
    bench_end(&on);
}

// --- singular --------------------------------------------------------------------------------

// Two links twice the same: both carry half of what one would.
static void redundant_rows_share_their_load(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("redundant");
    for (uint32_t masses = 4; masses <= 30; masses += 26) {
        bench on;
        bench_begin(&on, 2 * masses, masses);
        build_chain(&on, masses, &random);
        const uint32_t twin = 2 * masses - 1;
        const rh_expr slope = affine(&on, 800, 500, 0);
        const rh_expr minus = rh__expr_negate(on.store, slope);
        put(&on, twin, 0, minus);
        put(&on, twin, 1, slope);
        put(&on, 0, twin, slope);
        put(&on, 1, twin, minus);
        on.right[twin] = on.right[masses];
        bench_compile(&on);
        run_series(&on, &random);
        assert_int_equal(on.state->quality.singular, 1);
        assert_true(on.state->quality.rcond < RH_TAPE_REGULAR);
        assert_true(on.state->quality.residual < 1e-12);
        assert_true(residual(&on, UINT32_MAX) < 1e-9);
        for (uint32_t k = 0; k <= ORDER; k++) {
            assert_near(rh__tape_output(on.state, twin, k), rh__tape_output(on.state, masses, k),
                        1e-9);
        }
        for (uint32_t k = 0; k < on.n; k++) {
            assert_true(on.state->is_unique[k] == (k != twin && k != masses));
        }
        bench_end(&on);
    }
}

static void contradictions_are_seen(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("contradiction");
    bench on;
    bench_begin(&on, 2, 2);
    for (uint32_t i = 0; i < 2; i++) {
        put(&on, i, 0, affine(&on, 1000, 100, 0));
        put(&on, i, 1, affine(&on, 500, 0, 0));
    }
    on.right[0] = affine(&on, 1000, 0, 0);
    on.right[1] = affine(&on, -1000, 0, 0);
    bench_compile(&on);
    run_series(&on, &random);
    assert_int_equal(on.state->quality.singular, 1);
    assert_true(on.state->quality.residual > 0.5);
    bench_end(&on);
}

static void numbers_that_are_none_fail(void **unused)
{
    (void)unused;
    bench on;
    bench_begin(&on, 2, 2);
    put(&on, 0, 0, affine(&on, 1000, 100, 0));
    put(&on, 0, 1, affine(&on, 500, 100, 1));
    put(&on, 1, 1, affine(&on, 500, 0, 0));
    on.right[0] = on.right[1] = affine(&on, 1000, 0, 0);
    bench_compile(&on);
    on.state->jet[0] = INFINITY;
    rh__tape_run(on.state);
    assert_true(on.state->quality.is_failed);
    assert_true(isnan(rh__tape_output(on.state, 0, 0)));
    on.state->jet[0] = 1.0;
    rh__tape_run(on.state);
    assert_false(on.state->quality.is_failed);
    assert_near(rh__tape_output(on.state, 1, 0), 2.0, 1e-15);
    bench_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dense_systems_are_solved_to_every_order),
                                       cmocka_unit_test(fixed_pivots_give_way),
                                       cmocka_unit_test(components_are_split),
                                       cmocka_unit_test(chains_keep_fixed_pivots),
                                       cmocka_unit_test(released_rows_do_not_act),
                                       cmocka_unit_test(released_unknowns_are_what_they_are_lent),
                                       cmocka_unit_test(redundant_rows_share_their_load),
                                       cmocka_unit_test(contradictions_are_seen),
                                       cmocka_unit_test(numbers_that_are_none_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
