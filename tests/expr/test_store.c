// SPDX-License-Identifier: Apache-2.0
// Property tests of src/expr/store.c: limits end in refusals, want of memory at any request is
// survived and noticed, and two runs give the same store.

#include "helpers.h"

#include "expr/store.h"

// --- limits of numbers ------------------------------------------------------------------------

typedef rh_expr tower(lab *on);

static rh_expr nine_to_nine_to_nine(lab *on)
{
    const rh_expr nine = whole(on, 9);
    return rh__expr_power(on->store, nine, rh__expr_power(on->store, nine, nine));
}

static rh_expr small_to_nine_to_nine(lab *on)
{
    const rh_expr nine = whole(on, 9);
    return rh__expr_power(on->store, rh__expr_ratio(on->store, -1, 9),
                          rh__expr_power(on->store, nine, nine));
}

static rh_expr two_to_googol(lab *on)
{
    return rh__expr_power(on->store, whole(on, 2), power(on, whole(on, 10), 100));
}

static rh_expr squares_of_squares(lab *on)
{
    rh_expr e = whole(on, 3);
    for (int k = 0; k < 1000; k++) {
        e = times(on, e, e);
    }
    return e;
}

static rh_expr just_beyond(lab *on)
{
    return power(on, whole(on, 2), RH_EXPR_NUMBER_BITS);
}

static rh_expr power_of_a_scaled_symbol(lab *on)
{
    return power(on, times(on, whole(on, 2), on->symbol[2]), 100000);
}

static rh_expr long_literal(lab *on)
{
    return rh__expr_literal(on->store, rh__slice_of("1e999999"));
}

static rh_expr least_word(lab *on)
{
    return rh__expr_integer(on->store, INT64_MIN);
}

static void numbers_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    static tower *const TOWERS[] = {
        nine_to_nine_to_nine, small_to_nine_to_nine,    two_to_googol, squares_of_squares,
        just_beyond,          power_of_a_scaled_symbol, long_literal,  least_word};
    for (size_t k = 0; k < sizeof TOWERS / sizeof *TOWERS; k++) {
        lab on;
        lab_begin(&on);
        assert_int_equal(TOWERS[k](&on).i, 0);
        assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NUMBER);
        // from here on nothing is taken, and nothing crashes
        const rh_expr x = on.symbol[2];
        assert_int_equal(plus(&on, x, on.symbol[3]).i, 0);
        assert_int_equal(whole(&on, 77).i, 0);
        assert_int_equal(rh__expr_pi(on.store).i, 0);
        assert_int_equal(call(&on, RH_OP_SIN, x).i, 0);
        assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NUMBER);
        lab_end(&on);
    }
}

static void what_was_built_before_a_refusal_can_still_be_seen(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr e = over(&on, plus(&on, on.symbol[2], on.symbol[0]),
                           rh__expr_power(on.store, on.symbol[3], rh__expr_ratio(on.store, 5, 3)));
    const rh_expr many = times(&on, power(&on, e, 2), call(&on, RH_OP_TAN, on.symbol[5]));
    assert_int_equal(nine_to_nine_to_nine(&on).i, 0);
    assert_string_equal(lab_text(&on, e), "(x + m)/y^(5/3)");
    assert_true(strlen(lab_show(&on, many, RH_NOTATION_LATEX)) > 10);
    assert_true(strlen(lab_show(&on, many, RH_NOTATION_JSON)) > 10);
    point here = {.on = &on, .at = {1, 1, 2, 1, 1, 1, 1, 1}};
    assert_near(lab_value(&on, e, &here), 3.0, 0.0);
    lab_end(&on);
}

static void large_numbers_within_the_limit_are_taken(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_expr x = on.symbol[2];
    const rh_expr largest = power(&on, whole(&on, 2), RH_EXPR_NUMBER_BITS - 1);
    assert_true(rh__expr_is_number(on.store, largest));
    assert_true(rh__expr_is_one(on.store, over(&on, largest, largest)));
    assert_true(rh__expr_is_number(on.store, power(&on, largest, -1)));
    // exponents may be as long as they like
    const rh_expr long_exponent =
        rh__expr_literal(on.store, rh__slice_of("0.3333333333333333333333333333"));
    assert_true(rh__expr_power(on.store, whole(&on, 2), long_exponent).i != 0);
    assert_true(rh__expr_power(on.store, x, long_exponent).i != 0);
    assert_true(rh__expr_power(on.store, x, largest).i != 0);
    assert_true(power(&on, whole(&on, -1), INT64_MAX).i != 0);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_NONE);
    lab_end(&on);
}

// --- a script that uses everything ------------------------------------------------------------

typedef struct outcome {
    bool ok;            // nothing was refused
    uint32_t count;     // of nodes
    uint64_t signature; // of all nodes and all text
    char *text;         // everything shown; to be freed
} outcome;

static uint64_t mix(uint64_t signature, uint64_t value)
{
    return rh__hash_mix(signature * 31 + value);
}

static uint64_t store_signature(const rh_store *store)
{
    uint64_t signature = 0;
    for (uint32_t id = 1; id < rh__store_count(store); id++) {
        const rh_expr e = {id};
        signature =
            mix(signature, (uint64_t)rh__expr_op(store, e) << 32 | rh__expr_shape(store, e).i);
        for (uint32_t k = 0; k < rh__expr_count(store, e); k++) {
            signature = mix(signature, rh__expr_argument(store, e, k).i);
        }
    }
    return signature;
}

static rh_expr script_direction(void *user, rh_store *store, rh_expr symbol)
{
    (void)user;
    return rh__expr_apply(store, RH_OP_COS, &symbol, 1);
}

static double script_value(const void *user, const rh_store *store, rh_expr symbol)
{
    (void)user;
    (void)store;
    return 0.1 + 0.01 * symbol.i;
}

// Rows of a chain, large numbers, all operations.
static rh_expr script_energy(lab *on, rh_expr *rows, uint32_t count)
{
    rh_store *store = on->store;
    const rh_family z = lab_family(store, "z", count + 1, 0, MOVES);
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr a = rh__expr_symbol(store, z, k);
        const rh_expr b = rh__expr_symbol(store, z, k + 1);
        rows[k] = times(on, on->symbol[1], power(on, minus(on, b, a), 2));
        if (k % 3 == 0) {
            rows[k] = plus(on, rows[k], call2(on, RH_OP_MIN, call(on, RH_OP_SIN, a), b));
        }
    }
    const rh_expr big = power(on, rh__expr_ratio(store, 7, 3), 200);
    const rh_expr x = on->symbol[2];
    const rh_expr part = rh__expr_if(
        store, call2(on, RH_OP_LESS, x, on->symbol[3]),
        rh__expr_sqrt(store, plus(on, times(on, big, x), on->symbol[0])),
        over(on, call(on, RH_OP_EXP, x), plus(on, power(on, call(on, RH_OP_COS, x), 2), x)));
    return plus(on, rh__expr_sum(store, rows, count), part);
}

static bool script_show(lab *on, const rh_expr *roots, uint32_t count, const rh_expr *rows,
                        rh_text *out)
{
    bool ok = true;
    for (int notation = RH_NOTATION_TEXT; ok && notation <= RH_NOTATION_JSON; notation++) {
        const rh_show *show =
            rh__show_create(on->store, &on->scratch, (rh_notation)notation, roots, count);
        ok = show != NULL;
        for (uint32_t k = 0; ok && k < rh__show_part_count(show); k++) {
            rh__show_part(show, k, out);
        }
        for (uint32_t k = 0; ok && k < count; k++) {
            rh__show_expr(show, roots[k], out);
        }
    }
    return ok && rh__show_family(on->store, rows, 2, rh__slice_of("i"), 2, &on->scratch, out) &&
           out->ok;
}

enum { SCRIPT_ROWS = 40, SCRIPT_ROOTS = 5 };

// Differentiate, substitute, evaluate, show.
static bool script_use(lab *on, rh_expr energy, const rh_expr *rows, rh_text *out)
{
    rh_store *store = on->store;
    rh_gradient gradient;
    if (!rh__expr_gradient(store, energy, MOVES | RESTS, &on->scratch, &gradient)) {
        return false;
    }
    rh_derivation *along = rh__derivation_create(store, &on->scratch, script_direction, NULL);
    if (along == NULL) {
        return false;
    }
    rh_expr roots[SCRIPT_ROOTS] = {
        energy, gradient.data[0].value, rh__derivation_apply(along, energy),
        rh__expr_differentiate(store, gradient.data[1].value, on->symbol[2]),
        rh__expr_substitute(store, energy, script_direction, NULL)};
    for (int k = 0; k < SCRIPT_ROOTS; k++) {
        if (roots[k].i == 0) {
            return false;
        }
    }
    double values[SCRIPT_ROOTS];
    rh_expr_list symbols;
    const rh_expr difference = minus(on, roots[2], roots[4]);
    return difference.i != 0 && rh__expr_symbols(store, energy, MOVES, &on->scratch, &symbols) &&
           rh__expr_values(store, roots, SCRIPT_ROOTS, script_value, NULL, &on->scratch, values) &&
           script_show(on, roots, SCRIPT_ROOTS, rows + 1, out);
}

// `filled` bytes stand at the beginning of each arena: they move the requests for chunks about.
static outcome run_script(support_memory *memory, uint32_t filled)
{
    lab on = {0};
    outcome result = {0};
    on.arena = rh__arena_begin(support_memory_allocator(memory), SIZE_MAX / 2);
    on.scratch = rh__arena_begin(support_memory_allocator(memory), SIZE_MAX / 2);
    const bool is_filled = rh__arena_push(&on.arena, filled) != NULL &&
                           rh__arena_push(&on.scratch, filled / 2) != NULL;
    on.store = is_filled ? rh__store_create(&on.arena) : NULL;
    if (on.store != NULL) {
        const bool is_ready = rh__arena_push(&on.store->scratch, filled) != NULL;
        rh_expr rows[SCRIPT_ROWS];
        rh_text text = rh__text_begin(&on.scratch, NULL);
        lab_fill(&on);
        const rh_expr energy = script_energy(&on, rows, SCRIPT_ROWS);
        result.ok = is_ready && energy.i != 0 && script_use(&on, energy, rows, &text);
        // a builder that gives none has said why, and whoever has no reason has something
        assert_true(energy.i != 0 || rh__store_refusal(on.store) == RH_REFUSAL_MEMORY);
        assert_false(result.ok && rh__store_refusal(on.store) != RH_REFUSAL_NONE);
        result.count = rh__store_count(on.store);
        result.signature = store_signature(on.store);
        result.text = calloc(text.size + 1, 1);
        assert_non_null(result.text);
        if (text.size > 0) {
            memcpy(result.text, text.data, text.size);
        }
    }
    rh__store_destroy(on.store);
    rh__arena_end(&on.scratch);
    rh__arena_end(&on.arena);
    return result;
}

static void the_same_script_gives_the_same_store(void **state)
{
    (void)state;
    support_memory memory = {0};
    const outcome first = run_script(&memory, 0);
    const outcome second = run_script(&memory, 5000);
    assert_true(first.ok && second.ok);
    assert_int_equal(first.count, second.count);
    assert_true(first.signature == second.signature);
    assert_string_equal(first.text, second.text);
    free(first.text);
    free(second.text);
    assert_int_equal(memory.block_count, 0);
    assert_int_equal(memory.byte_count, 0);
}

// Whichever request fails: no crash, no leak, and it does not go unnoticed.
static void every_request_may_fail(void **state)
{
    (void)state;
    support_random random = support_random_begin("every_request_may_fail");
    int failed = 0;
    for (int round = 0; round < 1000; round++) {
        const uint32_t filled = support_random_below(&random, 1 << 14);
        support_memory memory = {.fail_at = 1 + support_random_below(&random, 25)};
        const outcome result = run_script(&memory, filled);
        const bool has_failed = memory.request_count >= memory.fail_at;
        if (result.ok == has_failed) {
            fail_msg("request %zu after %u bytes %s", memory.fail_at, filled,
                     has_failed ? "failed, and nobody noticed" : "did not fail, but the script");
        }
        failed += has_failed;
        free(result.text);
        assert_int_equal(memory.block_count, 0);
        assert_int_equal(memory.byte_count, 0);
    }
    assert_true(failed > 500);
}

// An arena with a limit is full at some time; that is a refusal like any other.
static void a_full_arena_is_a_refusal(void **state)
{
    (void)state;
    lab on = {0};
    on.arena = rh__arena_begin(rh_allocator_default(), 300 * 1024);
    on.store = rh__store_create(&on.arena);
    assert_non_null(on.store);
    lab_fill(&on);
    rh_expr e = on.symbol[2];
    for (int k = 0; k < 100000 && e.i != 0; k++) {
        e = plus(&on, call(&on, RH_OP_SIN, e), whole(&on, k));
    }
    assert_int_equal(e.i, 0);
    assert_int_equal(rh__store_refusal(on.store), RH_REFUSAL_MEMORY);
    assert_int_equal(on.arena.status, RH_E_LIMIT);
    lab_end(&on);
}

// --- looking ----------------------------------------------------------------------------------

static void families_know_their_members(void **state)
{
    (void)state;
    lab on;
    lab_begin(&on);
    const rh_family_def def = {.name = rh__slice_of("u"),
                               .dimensions = 3,
                               .first = {1, -2, 10},
                               .extent = {2, 3, 4},
                               .primes = 2,
                               .mask = MOVES | 4};
    const rh_family family = rh__family_create(on.store, &def);
    assert_int_equal(rh__family_size(on.store, family), 24);
    uint32_t member = 0;
    for (int64_t i = 1; i <= 2; i++) {
        for (int64_t j = -2; j <= 0; j++) {
            for (int64_t k = 10; k <= 13; k++, member++) {
                int64_t index[RH_EXPR_DIMENSIONS];
                rh__family_index(on.store, family, member, index);
                assert_true(index[0] == i && index[1] == j && index[2] == k);
                const rh_expr e = rh__expr_symbol(on.store, family, member);
                assert_true(same(e, rh__expr_symbol(on.store, family, member)));
                assert_int_equal(rh__expr_family(on.store, e).i, family.i);
                assert_int_equal(rh__expr_member(on.store, e), member);
                assert_int_equal(rh__expr_mask(on.store, e), MOVES | 4);
            }
        }
    }
    assert_string_equal(lab_text(&on, rh__expr_symbol(on.store, family, 23)), "u[2,0,13]''");
    lab_end(&on);
}

static void operations_have_words(void **state)
{
    (void)state;
    for (int op = RH_OP_IF + 1; op < RH_OP_COUNT; op++) {
        assert_int_equal(rh__op_find(rh__slice_of(rh__op_word((rh_op)op))), op);
        assert_true(rh__op_arity((rh_op)op) == 1 || rh__op_arity((rh_op)op) == 2);
    }
    assert_int_equal(rh__op_find(rh__slice_of("sine")), RH_OP_NONE);
    assert_int_equal(rh__op_find(rh__slice_of("+")), RH_OP_NONE);
    assert_int_equal(rh__op_find(rh__slice_of("")), RH_OP_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_beyond_the_limit_are_refused),
        cmocka_unit_test(what_was_built_before_a_refusal_can_still_be_seen),
        cmocka_unit_test(large_numbers_within_the_limit_are_taken),
        cmocka_unit_test(the_same_script_gives_the_same_store),
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(a_full_arena_is_a_refusal),
        cmocka_unit_test(families_know_their_members),
        cmocka_unit_test(operations_have_words),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
