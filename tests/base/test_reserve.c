// SPDX-License-Identifier: Apache-2.0
// Tests of src/base/reserve.c: what happens when the system gives no memory. A limit of the address
// space stands for that; requests are so large that malloc cannot have them at hand.

#include "support.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PIECE = 200 * 1024, MOST = 400 };

static struct rlimit usual;

static void starve(void)
{
    assert_int_equal(getrlimit(RLIMIT_AS, &usual), 0);
    const struct rlimit none = {1, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
}

static void feed(void)
{
    assert_int_equal(setrlimit(RLIMIT_AS, &usual), 0);
}

// Pieces until the reserve is low; how many.
static size_t take_until_low(void **pieces)
{
    size_t count = 0;
    while (!rh__reserve_is_low() && count < MOST) {
        pieces[count] = rh__reserve_alloc(PIECE);
        assert_non_null(pieces[count]);
        memset(pieces[count], (int)count, PIECE);
        count++;
    }
    return count;
}

static void the_reserve_gets_low_and_whole_again(void **state)
{
    (void)state;
    void *pieces[MOST];
    starve();
    void *none = malloc(PIECE);
    size_t counts[2];
    for (int round = 0; round < 2; round++) {
        counts[round] = take_until_low(pieces);
        rh_pledge *pledge = NULL;
        const bool is_pledged = rh__reserve_pledge(1.0, &pledge);
        void *more = rh__reserve_alloc((size_t)RH_RESERVE_CALL);
        bool is_kept = more != NULL && !is_pledged;
        rh__reserve_free(more);
        for (size_t k = 0; k < counts[round]; k++) { // every second one first
            const size_t at = 2 * k < counts[round] ? 2 * k : 2 * (k - (counts[round] + 1) / 2) + 1;
            is_kept = is_kept && ((unsigned char *)pieces[at])[PIECE - 1] == (unsigned char)at;
            rh__reserve_free(pieces[at]);
        }
        assert_true(is_kept);
        assert_false(rh__reserve_is_low());
    }
    feed();
    assert_null(none);
    assert_true(counts[0] > 2 && counts[0] < MOST);
    assert_int_equal(counts[0], counts[1]);
}

static void what_malloc_gave_grows_into_the_reserve_and_back(void **state)
{
    (void)state;
    char *text = rh__reserve_alloc(100);
    memset(text, 'a', 100);
    starve();
    text = rh__reserve_resize(text, PIECE);
    assert_non_null(text);
    memset(text + 100, 'b', PIECE - 100);
    char *zeroed = rh__reserve_zeroed(PIECE, 2);
    assert_non_null(zeroed);
    assert_int_equal(zeroed[2 * PIECE - 1], 0);
    text = rh__reserve_resize(text, (size_t)2 * PIECE);
    feed();
    text = rh__reserve_resize(text, (size_t)4 * PIECE);
    assert_int_equal(text[99], 'a');
    assert_int_equal(text[100], 'b');
    assert_int_equal(text[PIECE - 1], 'b');
    rh__reserve_free(text);
    rh__reserve_free(zeroed);
    rh__reserve_free(NULL);
}

static void a_pledge_serves_a_call_larger_than_the_reserve(void **state)
{
    (void)state;
    const size_t size = (size_t)100 << 20;
    rh_pledge *pledge = NULL;
    assert_true(rh__reserve_pledge((double)size + 4096.0, &pledge));
    starve();
    rh_pledge *refused = NULL;
    assert_false(rh__reserve_pledge((double)size, &refused));
    char *large = rh__reserve_alloc(size);
    rh__reserve_redeem(pledge); // the piece outlives it
    feed();
    assert_non_null(large);
    large[0] = large[size - 1] = 1;
    assert_false(rh__reserve_is_low());
    rh__reserve_free(large);
    assert_false(rh__reserve_pledge(1e30, &refused));
    assert_null(refused);
}

int main(void)
{
    if (getenv("RH_SANITIZED") != NULL) {
        return 0; // sanitizers have an allocator of their own, which ends the process
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reserve_gets_low_and_whole_again),
        cmocka_unit_test(what_malloc_gave_grows_into_the_reserve_and_back),
        cmocka_unit_test(a_pledge_serves_a_call_larger_than_the_reserve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
