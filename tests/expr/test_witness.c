// SPDX-License-Identifier: Apache-2.0
// Verdicts that rest on values are noted, and asked again when the values change.

#include "support.h"

#include "expr/expr.h"

#include <math.h>

enum { MOVES = RH_EXPR_VARIABLE, RESTS = 1 << 11 };

typedef struct world {
    rh_arena arena;
    rh_store *store;
    rh_expr x, a, b;
    double values[2]; // of a and b
} world;

static double value_of(const void *user, const rh_store *store, rh_expr symbol)
{
    const world *in = user;
    (void)store;
    return symbol.i == in->a.i ? in->values[0] : symbol.i == in->b.i ? in->values[1] : (double)NAN;
}

static rh_expr name(world *in, const char *word, uint32_t mask)
{
    const rh_family_def def = {.name = rh__slice_of(word), .mask = mask};
    return rh__expr_symbol(in->store, rh__family_create(in->store, &def), 0);
}

static world begin(double a, double b)
{
    world in = {.arena = rh__arena_begin(rh_allocator_default(), 1 << 24), .values = {a, b}};
    return in;
}

// The store refers to its arena: it stays where it is.
static void settle(world *in)
{
    in->store = rh__store_create(&in->arena);
    assert_non_null(in->store);
    in->x = name(in, "x", MOVES);
    in->a = name(in, "a", RESTS);
    in->b = name(in, "b", RESTS);
    rh__store_watch(in->store, RESTS);
}

static void end(world *in)
{
    rh__store_destroy(in->store);
    rh__arena_end(&in->arena);
}

static bool stands(world *in, double a, double b, bool has_new_signs)
{
    in->values[0] = a;
    in->values[1] = b;
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), 1 << 24);
    const bool is_so = rh__store_stands(in->store, in, has_new_signs, &scratch);
    rh__arena_end(&scratch);
    return is_so;
}

// a x - b x vanishes where a = b.
static void vanishing_is_asked_again(void **state)
{
    (void)state;
    world in = begin(2.0, 2.0);
    settle(&in);
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), 1 << 24);
    const rh_expr e = rh__expr_subtract(in.store, rh__expr_multiply(in.store, in.a, in.x),
                                        rh__expr_multiply(in.store, in.b, in.x));
    assert_int_equal(rh__expr_vanishes(in.store, e, value_of, &in, &scratch), RH_VANISHING_SAMPLED);
    rh__arena_end(&scratch);
    assert_true(stands(&in, 3.0, 3.0, false));
    assert_false(stands(&in, 3.0, 2.0, false));
    assert_true(stands(&in, 2.0, 2.0, false));
    end(&in);
}

static void signs_are_asked_again_when_one_changed(void **state)
{
    (void)state;
    world in = begin(2.0, 1.0);
    settle(&in);
    const rh_expr e =
        rh__expr_add(in.store, in.a, rh__expr_multiply(in.store, in.x, in.x)); // a + x^2
    assert_int_equal(rh__expr_sign(in.store, e, value_of, &in), 1);
    assert_true(stands(&in, 5.0, 1.0, true));
    assert_false(stands(&in, -5.0, 1.0, true));
    assert_true(stands(&in, 5.0, -1.0, true));
    end(&in);
}

static int64_t largest(const void *data, const double *values, uint32_t count)
{
    assert_int_equal(*(const int *)data, 42);
    int64_t best = 0;
    for (uint32_t k = 1; k < count; k++) {
        best = values[k] > values[best] ? (int64_t)k : best;
    }
    return best;
}

static void choices_are_made_again(void **state)
{
    (void)state;
    world in = begin(2.0, 1.0);
    settle(&in);
    int data = 42;
    const rh_expr parts[] = {in.a, in.b};
    rh__store_note_choice(in.store, parts, 2, value_of, &in, largest, &data, sizeof data);
    data = 0; // it was copied
    assert_true(stands(&in, 7.0, 3.0, false));
    assert_false(stands(&in, 2.0, 3.0, false));
    end(&in);
}

// What holds nothing that rests, or has no values at all, rests on none.
static void nothing_else_is_noted(void **state)
{
    (void)state;
    world in = begin(2.0, 2.0);
    settle(&in);
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), 1 << 24);
    const rh_expr e = rh__expr_subtract(in.store, in.a, in.b);
    assert_int_equal(rh__expr_vanishes(in.store, e, NULL, NULL, &scratch), RH_VANISHING_NO);
    assert_int_equal(
        rh__expr_sign(in.store, rh__expr_multiply(in.store, in.x, in.x), value_of, &in), 0);
    rh__arena_end(&scratch);
    assert_true(stands(&in, -3.0, 5.0, true));
    end(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vanishing_is_asked_again),
        cmocka_unit_test(signs_are_asked_again_when_one_changed),
        cmocka_unit_test(choices_are_made_again),
        cmocka_unit_test(nothing_else_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
