// SPDX-License-Identifier: Apache-2.0
// Loops whose items are shared by threads: every item once, by threads with their own numbers; the
// end from within and from without.

#include "support.h"

#include "base/base.h"

#include <stdatomic.h>

enum { ITEMS = 5000, THREADS = 4 };

typedef struct counting {
    atomic_uint done[ITEMS];
    atomic_uint by[THREADS]; // items under way by thread
    atomic_size_t total;
    size_t most;     // ends the loop from within
    bool is_refused; // ends it from without
    atomic_bool is_shared;
} counting;

static bool count(void *user, uint32_t thread, size_t item)
{
    counting *it = user;
    if (thread >= THREADS || atomic_fetch_add(&it->by[thread], 1) != 0) {
        atomic_store(&it->is_shared, true);
    }
    atomic_fetch_add(&it->done[item], 1);
    atomic_fetch_sub(&it->by[thread < THREADS ? thread : 0], 1);
    return atomic_fetch_add(&it->total, 1) + 1 < it->most;
}

static bool go_on(void *user)
{
    return !((counting *)user)->is_refused;
}

static void run(counting *it, size_t items, uint32_t threads)
{
    rh__parallel_for(&(rh_parallel){
        .count = items, .threads = threads, .run = count, .go_on = go_on, .user = it});
    assert_false(atomic_load(&it->is_shared));
}

static void every_item_is_run_once(void **state)
{
    (void)state;
    static const size_t SIZES[] = {0, 1, 31, 32, 33, ITEMS};
    for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
        for (uint32_t threads = 0; threads <= THREADS; threads++) {
            counting it = {.most = SIZE_MAX};
            run(&it, SIZES[s], threads);
            for (size_t k = 0; k < ITEMS; k++) {
                assert_int_equal(atomic_load(&it.done[k]), k < SIZES[s]);
            }
        }
    }
}

static void loops_end_early(void **state)
{
    (void)state;
    counting within = {.most = 100};
    run(&within, ITEMS, THREADS);
    assert_in_range(atomic_load(&within.total), 100, 100 + THREADS);
    counting alone = {.most = 10};
    run(&alone, 20, THREADS);
    assert_int_equal(atomic_load(&alone.total), 10);
    counting refused = {.most = SIZE_MAX, .is_refused = true};
    run(&refused, 20, THREADS);
    assert_int_equal(atomic_load(&refused.total), 0);
}

static void note_thread(void *user, uint32_t thread)
{
    atomic_fetch_or((atomic_uint *)user, 1u << thread);
}

static void groups_have_numbered_threads(void **state)
{
    (void)state;
    atomic_uint seen = 0;
    rh_thread_group *group = rh__threads_start(THREADS, note_thread, &seen);
    assert_non_null(group);
    assert_int_equal(rh__threads_count(group), THREADS);
    while (!rh__threads_wait(group, 0.01)) {
    }
    assert_int_equal(atomic_load(&seen), (1u << THREADS) - 1);
    rh__threads_join(group);
    rh__threads_join(NULL);
    assert_null(rh__threads_start(0, note_thread, &seen));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_item_is_run_once),
                                       cmocka_unit_test(loops_end_early),
                                       cmocka_unit_test(groups_have_numbered_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
