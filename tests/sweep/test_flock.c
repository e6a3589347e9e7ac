// SPDX-License-Identifier: Apache-2.0
// Members side by side: lanes give the bits of members alone.

#include "flocking.h"

#include "sweep/sweep.h"

static void lanes_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const PENDULUM[] = {"a=uniform(0.1, 3)", "k=uniform(0, 0.3)"};
    compare_lanes("param k = 0.1\nparam a = 1\ncoord x\nkinetic x'^2/2\npotential -9*cos(x)\n"
                  "force x: -k*x'\nstart x = a, x' = 0\n",
                  PENDULUM, 2, 7.0, 1000000);
}

// Compiled steps are those of the interpreter.
static void tiers_agree(void **state)
{
    (void)state;
    static const char *const RANDOMS[] = {"x=uniform(0.1, 2)"};
    static const char TEXT[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential (x^2 + y^2)/2 + x^2*y\nstart x = 0.1, y = 0.1\n";
    rh_sweep *sweeps[2];
    for (int k = 0; k < 2; k++) {
        rh_sweep_def def = sweeping_def(TEXT);
        def.randoms = RANDOMS;
        def.random_count = 1;
        def.draws = MANY;
        def.until = 2.0;
        def.motion.tier = k == 0 ? RH_TIER_INTERPRETED : RH_TIER_EMITTED;
        sweeps[k] = sweeping_run(&def);
        rh_sweep_rewind(sweeps[k]);
    }
    for (size_t k = 0; k < MANY; k++) {
        const rh_sweep_member told = sweeping_next(sweeps[0]);
        const rh_sweep_member made = sweeping_next(sweeps[1]);
        assert_int_equal(told.stop, made.stop);
        assert_int_equal(told.steps, made.steps);
        for (size_t c = 0; c < rh_sweep_column_count(sweeps[0]); c++) {
            assert_near(made.values[c], told.values[c], 1e-12 * (1.0 + fabs(told.values[c])));
        }
    }
    rh_sweep_destroy(sweeps[0]);
    rh_sweep_destroy(sweeps[1]);
}

// Whether compiling pays is not asked of one member, which may be short where the others are long.
static void a_short_first_member_does_not_decide(void **state)
{
    (void)state;
    static const char *const GRIDS[] = {"a=0:5200:520", "a=0:5200:2"};
    static const char TEXT[] = "param a = 0\ncoord x\nkinetic x'^2/2\npotential 50*x^2 + x^4\n"
                               "constraint floor: x >= -9 impact 1\n"
                               "event over: t = a + 0.01 up stop\nstart x = 1, x' = 0\n";
    static const rh_tier TIERS[] = {RH_TIER_AUTO, RH_TIER_EMITTED};
    rh_sweep *sweeps[2];
    double last[2][16];
    for (int k = 0; k < 2; k++) {
        rh_sweep_def def = sweeping_def(TEXT);
        def.grids = &GRIDS[k];
        def.grid_count = 1;
        def.until = 280.0;
        def.motion.tier = TIERS[k];
        sweeps[k] = sweeping_run(&def);
        rh_sweep_rewind(sweeps[k]);
        const size_t width = rh_sweep_column_count(sweeps[k]);
        assert_in_range(width, 2, 16);
        for (uint64_t m = 0; m < rh_sweep_member_count(sweeps[k]); m++) {
            memcpy(last[k], sweeping_next(sweeps[k]).values, width * sizeof(double));
        }
    }
    assert_memory_equal(last[0], last[1], rh_sweep_column_count(sweeps[0]) * sizeof(double));
    rh_sweep_destroy(sweeps[0]);
    rh_sweep_destroy(sweeps[1]);
}

// More equations than there are benches: those of the lanes stay.
static void other_equations_do_not_take_the_bench_of_lanes(void **state)
{
    (void)state;
    static const char *const GRIDS[] = {"p=2:8:7", "x=0.1:0.9:80"};
    static const char TEXT[] = "param p = 2\ncoord x\nkinetic x'^2/2\npotential 9*x^2 + x^p\n"
                               "start x = 1, x' = 0\n";
    rh_sweep *sweeps[2];
    for (uint32_t k = 0; k < 2; k++) {
        rh_sweep_def def = sweeping_def(TEXT);
        def.grids = GRIDS;
        def.grid_count = 2;
        def.until = 1.0;
        def.lane_count = k == 0 ? 1 : 8;
        def.thread_count = 1;
        def.motion.tier = RH_TIER_EMITTED;
        sweeps[k] = sweeping_run(&def);
        rh_sweep_rewind(sweeps[k]);
    }
    for (uint64_t m = 0; m < rh_sweep_member_count(sweeps[0]); m++) {
        const rh_sweep_member alone = sweeping_next(sweeps[0]);
        const rh_sweep_member beside = sweeping_next(sweeps[1]);
        assert_int_equal(alone.stop, RH_STOP_REACHED);
        assert_memory_equal(alone.values, beside.values,
                            rh_sweep_column_count(sweeps[0]) * sizeof(double));
    }
    rh_sweep_destroy(sweeps[0]);
    rh_sweep_destroy(sweeps[1]);
}

// --- blocks follow one another -------------------------------------------------------------------

enum { BLOCKS = 512 };

typedef struct supplying {
    const rh_plan *plan;
    uint64_t next;
    uint64_t out, most_out, most_blocks, blocks_out; // members and blocks that are not back
    rh_bytes bytes[BLOCKS];
    uint64_t whole, dropped;
    uint64_t stop_after; // so many
    atomic_bool is_stopped;
} supplying;

static rh_parcel *supply_take(void *user, bool may_wait)
{
    supplying *it = user;
    (void)may_wait;
    if (it->next == it->plan->block_count || atomic_load(&it->is_stopped)) {
        return NULL;
    }
    it->out += rh__plan_members(it->plan, it->next);
    it->blocks_out++;
    it->most_out = it->out > it->most_out ? it->out : it->most_out;
    it->most_blocks = it->blocks_out > it->most_blocks ? it->blocks_out : it->most_blocks;
    return rh__parcel_create(it->next++);
}

static void supply_back(void *user, rh_parcel *parcel, bool is_whole)
{
    supplying *it = user;
    assert_int_equal(parcel->status, RH_OK);
    it->out -= rh__plan_members(it->plan, parcel->block);
    it->blocks_out--;
    if (is_whole) {
        assert_int_equal(it->bytes[parcel->block].size, 0); // once
        assert_true(
            rh__bytes_put(&it->bytes[parcel->block], parcel->bytes.data, parcel->bytes.size));
        it->whole++;
        atomic_store(&it->is_stopped, it->whole == it->stop_after);
    } else {
        it->dropped++;
    }
    rh__parcel_destroy(parcel);
}

static void supply_end(void *user)
{
    (void)user;
}

static void work_through(supplying *it, rh_sweep *sweep)
{
    const rh_supply supply = {it, supply_take, supply_back, supply_end};
    it->plan = &sweep->plan;
    assert_in_range(it->plan->block_count, 2, BLOCKS);
    rh_worker *worker = rh__worker_create(sweep, &it->is_stopped);
    assert_non_null(worker);
    rh__worker_run(worker, &supply);
    rh__worker_destroy(worker);
    assert_int_equal(it->out, 0);
}

static void supplying_end(supplying *it)
{
    for (uint64_t k = 0; k < BLOCKS; k++) {
        rh__bytes_free(&it->bytes[k]);
    }
    *it = (supplying){.next = 0};
}

static rh_sweep *pendulums(uint64_t count, uint32_t lanes)
{
    static const char *const RANDOMS[] = {"a=uniform(0.1, 3.1)"};
    rh_sweep_def def = sweeping_def("param a = 1\ncoord x\nkinetic x'^2/2\npotential -9*cos(x)\n"
                                    "start x = a, x' = 0\n");
    rh_sweep *sweep = NULL;
    def.randoms = RANDOMS;
    def.random_count = 1;
    def.draws = count;
    def.until = 5.0;
    def.lane_count = lanes;
    def.motion.tier = RH_TIER_EMITTED;
    assert_int_equal(rh_sweep_create(&def, &sweep, NULL), RH_OK);
    return sweep;
}

// Lanes that are free go on with the next block, also where a block is one member; no more is under
// way than two blocks, or twice the lanes.
static void lanes_do_not_wait_for_the_end_of_a_block(void **state)
{
    (void)state;
    static supplying alone;
    static supplying beside;
    static const uint64_t COUNTS[] = {3, 60, 530, 6000};
    for (size_t k = 0; k < sizeof COUNTS / sizeof *COUNTS; k++) {
        rh_sweep *sweeps[2] = {pendulums(COUNTS[k], 1), pendulums(COUNTS[k], 8)};
        const uint64_t size = sweeps[0]->plan.block_size;
        work_through(&alone, sweeps[0]);
        work_through(&beside, sweeps[1]);
        assert_int_equal(alone.most_blocks, 1);
        assert_true(beside.most_out <= 2 * (size > 8 ? size : 8));
        assert_true(beside.most_blocks >= (size == 1 && COUNTS[k] > 8 ? 8 : 2));
        for (uint64_t b = 0; b < alone.plan->block_count; b++) {
            assert_int_equal(alone.bytes[b].size, beside.bytes[b].size);
            assert_memory_equal(alone.bytes[b].data, beside.bytes[b].data, alone.bytes[b].size);
        }
        supplying_end(&alone);
        supplying_end(&beside);
        rh_sweep_destroy(sweeps[0]);
        rh_sweep_destroy(sweeps[1]);
    }
}

static void blocks_come_back_when_it_is_stopped(void **state)
{
    (void)state;
    static supplying it;
    rh_sweep *sweep = pendulums(530, 8);
    it.stop_after = 5;
    work_through(&it, sweep);
    assert_int_equal(it.whole, 5);
    assert_int_equal(it.whole + it.dropped, it.next);
    supplying_end(&it);
    rh_sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_give_the_same_bits),
        cmocka_unit_test(tiers_agree),
        cmocka_unit_test(a_short_first_member_does_not_decide),
        cmocka_unit_test(other_equations_do_not_take_the_bench_of_lanes),
        cmocka_unit_test(lanes_do_not_wait_for_the_end_of_a_block),
        cmocka_unit_test(blocks_come_back_when_it_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
