// SPDX-License-Identifier: Apache-2.0
// The polynomial of a step: rows that are lent and rows of its own give the same numbers.

#include "support.h"

#include "motion/motion.h"

enum { DEGREE = 11, ROOM = 400 };

typedef struct lending {
    rh_arena arena;
    rh_series series;
    double rows[(DEGREE + 1) * ROOM];
    uint32_t rates[ROOM];
} lending;

// Which components change by others; those that do not have rates of their own.
typedef uint32_t layout(support_random *random, uint32_t n, uint32_t i);

static uint32_t halves(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    return i < n / 2 ? 1 + n / 2 + i : ROOM;
}

static uint32_t chains(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    return i + 50 < n ? 1 + i + 50 : ROOM; // the rate of a component is that of another
}

static uint32_t twice(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    return i < 2 * (n / 3) ? 1 + 2 * (n / 3) + i % (n / 3) : ROOM; // two change by the same
}

static uint32_t own(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    (void)n;
    return 1 + i; // x' = x
}

static uint32_t pieces(support_random *random, uint32_t n, uint32_t i)
{
    const bool is_other = support_random_below(random, 60) == 0;
    return i >= n / 2 ? ROOM : is_other ? 1 + support_random_below(random, n) : 1 + n / 2 + i;
}

static void begin(lending *it, support_random *random, uint32_t n, layout *rate_of)
{
    const uint32_t pitch = n + 1 + support_random_below(random, ROOM - n);
    it->arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    for (uint32_t i = 0; i < n; i++) {
        it->rates[i] = rate_of(random, n, i);
    }
    for (uint32_t k = 0; k <= DEGREE; k++) {
        const double factor = k == 0 ? 0.0 : 1.0 / (double)k;
        for (uint32_t i = 0; i < n; i++) {
            const bool is_made = k > 0 && it->rates[i] <= n;
            const double *before = it->rows + (size_t)(k - is_made) * pitch;
            it->rows[k * pitch + i] = is_made ? before[it->rates[i] - 1] * factor
                                              : support_random_real(random, -2.0, 2.0);
        }
    }
    assert_int_equal(rh__series_create(n, DEGREE, it->rates, &it->arena, &it->series), RH_OK);
    it->series.begin = 0.5;
    it->series.degree = DEGREE;
    it->series.rows = it->rows;
    it->series.pitch = pitch;
}

static void assert_all_once(const lending *it)
{
    uint32_t times[ROOM] = {0};
    for (uint32_t r = 0; r < it->series.run_count; r++) {
        const rh_series_run *run = &it->series.runs[r];
        for (uint32_t i = 0; i < run->count; i++) {
            times[run->first + i]++;
            times[run->rate + i] += run->is_pair;
        }
    }
    for (uint32_t i = 0; i < it->series.count; i++) {
        assert_int_equal(times[i], 1);
    }
}

static void lent_rows_give_the_same_bits(void **state)
{
    (void)state;
    support_random random = support_random_begin("lent_rows_give_the_same_bits");
    static layout *const LAYOUTS[] = {halves, chains, twice, own, pieces};
    static lending it;
    for (int round = 0; round < 400; round++) {
        const uint32_t n = RH_SERIES_PIECE + 1 + support_random_below(&random, 300);
        begin(&it, &random, n, LAYOUTS[round % 5]);
        assert_all_once(&it);
        double values[2][ROOM] = {{0.0}};
        double slopes[2][ROOM] = {{0.0}};
        const double time = 0.5 + support_random_real(&random, 0.0, 1.0);
        for (int turn = 0; turn < 2; turn++) {
            rh__series_value(&it.series, time, values[turn]);
            rh__series_slope(&it.series, time, slopes[turn]);
            rh__series_keep(&it.series);
            memset(it.rows, 0xff, sizeof it.rows); // nothing is read there any more
        }
        assert_ptr_equal(it.series.rows, it.series.own);
        assert_memory_equal(values[0], values[1], n * sizeof(double));
        assert_memory_equal(slopes[0], slopes[1], n * sizeof(double));
        rh__arena_end(&it.arena);
    }
}

// Half of the rows need not be read.
static void long_runs_are_found(void **state)
{
    (void)state;
    support_random random = support_random_begin("long_runs_are_found");
    static lending it;
    begin(&it, &random, 200, halves);
    assert_int_equal(it.series.run_count, 1);
    assert_true(it.series.runs[0].is_pair);
    assert_int_equal(it.series.runs[0].count, 100);
    rh__arena_end(&it.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lent_rows_give_the_same_bits),
        cmocka_unit_test(long_runs_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
