// SPDX-License-Identifier: Apache-2.0
// The polynomial of a step: rows that are lent, whole or with what ladders leave out, and rows of
// its own give the same numbers.

#include "support.h"

#include "motion/motion.h"

enum { DEGREE = 11, ROOM = 400, SLOTS = 2 * ROOM };

typedef struct lending {
    rh_arena arena;
    rh_series series;
    rh_tape tape;
    rh_tape_state state; // of it
    double jet[(DEGREE + 1) * SLOTS];
    uint32_t rates[ROOM];
} lending;

// The slot of the rate of component i of n; slot 0 is time, and those above n are no components.
typedef uint32_t layout(support_random *random, uint32_t n, uint32_t i);

static uint32_t halves(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    return 1 + n / 2 + i;
}

static uint32_t chains(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    (void)n;
    return 1 + i + 50; // the rate of a component is that of another
}

static uint32_t twice(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    return i < 2 * (n / 3) ? 1 + 2 * (n / 3) + i % (n / 3) : 2 + i + n; // two change by the same
}

static uint32_t own(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    (void)n;
    return 1 + i; // x' = x
}

static uint32_t near(support_random *random, uint32_t n, uint32_t i)
{
    (void)random;
    (void)n;
    return 2 + i; // each changes by the next
}

static uint32_t pieces(support_random *random, uint32_t n, uint32_t i)
{
    const bool is_other = support_random_below(random, 60) == 0;
    return is_other ? 1 + support_random_below(random, 2 * n) : 1 + n / 2 + i;
}

static void begin(lending *it, support_random *random, uint32_t n, layout *rate_of)
{
    const uint32_t stride = 2 * n + 1 + support_random_below(random, SLOTS - 2 * n);
    it->arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    for (uint32_t i = 0; i < n; i++) {
        it->rates[i] = rate_of(random, n, i);
    }
    for (uint32_t k = 0; k <= DEGREE; k++) {
        const double factor = k == 0 ? 0.0 : 1.0 / (double)k;
        for (uint32_t slot = 0; slot < stride; slot++) {
            const bool is_made = k > 0 && slot >= 1 && slot <= n;
            const double *before = it->jet + (size_t)(k - is_made) * stride;
            it->jet[(size_t)k * stride + slot] = is_made ? before[it->rates[slot - 1]] * factor
                                                         : support_random_real(random, -2.0, 2.0);
        }
    }
    it->tape = (rh_tape){.outputs = it->rates, .output_count = n};
    it->state = (rh_tape_state){.tape = &it->tape,
                                .jet = it->jet,
                                .stride = stride,
                                .order = DEGREE,
                                .kernel_order = DEGREE};
    assert_int_equal(
        rh__tape_ladders(&it->tape, n, RH_LADDER_LEAST, &it->arena, &it->state.ladders), RH_OK);
    assert_int_equal(rh__series_create(n, DEGREE, it->state.ladders, &it->arena, &it->series),
                     RH_OK);
    it->series.begin = 0.5;
    it->series.degree = DEGREE;
    it->series.rows = it->jet + 1;
    it->series.pitch = stride;
    it->series.lender = &it->state;
}

static void assert_all_once(const lending *it)
{
    uint32_t times[ROOM] = {0};
    for (uint32_t r = 0; r < it->series.run_count; r++) {
        const rh_series_run *run = &it->series.runs[r];
        for (uint32_t i = 0; i < run->count; i++) {
            times[run->first + i]++;
            times[run->rate + i] += run->is_ladder;
        }
    }
    for (uint32_t i = 0; i < it->series.count; i++) {
        assert_int_equal(times[i], 1);
    }
}

// As a compiled series may do.
static void leave_out(lending *it)
{
    for (uint32_t k = 1; k <= DEGREE; k++) {
        double *row = rh__jet_row(&it->state, k);
        for (uint32_t r = 0; r < it->state.ladders.count; r++) {
            const rh_ladder *ladder = &it->state.ladders.data[r];
            memset(row + ladder->x, 0xff, ladder->count * sizeof *row);
            memset(row + ladder->v, 0xff, ladder->count * sizeof *row);
        }
    }
    it->state.is_lean = it->state.ladders.count > 0;
}

static void lent_rows_give_the_same_bits(void **state)
{
    (void)state;
    support_random random = support_random_begin("lent_rows_give_the_same_bits");
    static layout *const LAYOUTS[] = {halves, chains, twice, own, near, pieces};
    static lending it;
    uint32_t lean = 0;
    for (int round = 0; round < 600; round++) {
        const uint32_t n = RH_SERIES_PIECE + 1 + support_random_below(&random, 300);
        begin(&it, &random, n, LAYOUTS[round % 6]);
        assert_all_once(&it);
        double values[3][ROOM] = {{0.0}};
        double slopes[3][ROOM] = {{0.0}};
        const double time = 0.5 + support_random_real(&random, 0.0, 1.0);
        // lent, lent with rows left out, its own
        for (int turn = 0; turn < 3; turn++) {
            rh__series_value(&it.series, time, values[turn]);
            if (turn == 1) {
                assert_true(it.state.is_lean == (it.state.ladders.count > 0));
                lean += it.state.is_lean;
            }
            rh__series_slope(&it.series, time, slopes[turn]);
            if (turn == 0) {
                leave_out(&it);
            } else {
                rh__series_keep(&it.series);
                memset(it.jet, 0xff, sizeof it.jet); // nothing is read there any more
            }
        }
        assert_ptr_equal(it.series.rows, it.series.own);
        for (int turn = 1; turn < 3; turn++) {
            assert_memory_equal(values[0], values[turn], n * sizeof(double));
            assert_memory_equal(slopes[0], slopes[turn], n * sizeof(double));
        }
        rh__arena_end(&it.arena);
    }
    assert_true(lean > 150);
}

// One row of three has to be read.
static void ladders_are_found(void **state)
{
    (void)state;
    support_random random = support_random_begin("ladders_are_found");
    static lending it;
    begin(&it, &random, 200, halves);
    assert_int_equal(it.series.run_count, 1);
    assert_true(it.series.runs[0].is_ladder);
    assert_int_equal(it.series.runs[0].count, 100);
    assert_int_equal(it.series.runs[0].source, 200);
    rh__arena_end(&it.arena);
    // 150 states up three steps: the last two of them
    begin(&it, &random, 150, chains);
    assert_int_equal(it.state.ladders.count, 1);
    assert_int_equal(it.state.ladders.data[0].x, 51);
    assert_int_equal(it.state.ladders.data[0].v, 101);
    rh__arena_end(&it.arena);
}

// A series that is cut short ends at its degree in all rows.
static void short_series_end_at_their_degree(void **state)
{
    (void)state;
    support_random random = support_random_begin("short_series_end_at_their_degree");
    static lending it;
    for (uint32_t degree = 1; degree < DEGREE; degree++) {
        double values[2][ROOM] = {{0.0}};
        begin(&it, &random, 200, halves);
        leave_out(&it);
        it.series.degree = degree;
        rh__series_value(&it.series, 0.75, values[0]);
        rh__series_keep(&it.series);
        rh__series_value(&it.series, 0.75, values[1]);
        assert_memory_equal(values[0], values[1], 200 * sizeof(double));
        rh__arena_end(&it.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lent_rows_give_the_same_bits),
        cmocka_unit_test(ladders_are_found),
        cmocka_unit_test(short_series_end_at_their_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
