// SPDX-License-Identifier: Apache-2.0
// Solving again without deriving anew: the same verdicts as a search of its own, the same bits on
// every thread, dials that move what depends on them.

#include "resting.h"

#include "steady/steady.h"

#include <threads.h>

enum { POINTS = 40 };

typedef struct shared {
    resting it;
    rh_reduction *reduction;
    rh_wish wish;
    rh_arena arena;
} shared;

static void begin(const char *path, const resting_call *call, shared *out)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    resting_derive(text, call, &out->it);
    free(text);
    out->arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 24);
    rh_steady_def def = rh_steady_def_default();
    def.fix = call->fix;
    def.fix_count = call->fix_count;
    def.guess = call->guess;
    def.guess_count = call->guess_count;
    def.dials = call->dials;
    def.dial_count = call->dial_count;
    const rh_reduction_def more = {.rank = 0};
    assert_int_equal(rh__wish_reduce(out->it.equations, &def, &more, &out->arena, &out->reduction,
                                     &out->wish, &out->it.err),
                     RH_OK);
}

static void end(shared *it)
{
    rh__reduction_destroy(it->reduction);
    rh__arena_end(&it->arena);
    resting_end(&it->it);
}

typedef struct job {
    const shared *on;
    double w2[POINTS], abscissa[POINTS];
    rh_steady_verdict verdict[POINTS];
    bool failed;
} job;

// Along w3 at a lean of 0.3, from neighbour to neighbour.
static int go_along(void *user)
{
    job *it = user;
    const rh_reduction *reduction = it->on->reduction;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 24);
    rh_workbench *bench = NULL;
    rh_judgement judgement;
    rh_rest_answer answer = {.is_found = false};
    rh_rest_query query = rh__wish_query(&it->on->wish);
    query.round_limit = 20;
    it->failed = rh__workbench_create(reduction, &bench) != RH_OK ||
                 rh__judgement_reserve(reduction, &arena, &judgement) != RH_OK;
    for (uint32_t k = 0; k < POINTS && !it->failed; k++) {
        if (k == 0) {
            memcpy(bench->values, it->on->wish.values,
                   reduction->slot_count * sizeof *bench->values);
        }
        bench->values[rh__reduction_slot(reduction, "w3")] = 0.5 + 0.1 * k;
        it->failed =
            rh__steady_again(bench, &query, 2, &answer, &judgement) != RH_OK || !answer.is_found;
        it->w2[k] = bench->values[rh__reduction_slot(reduction, "w2")];
        it->verdict[k] = judgement.verdict;
        it->abscissa[k] = judgement.abscissa;
    }
    rh__workbench_destroy(bench);
    rh__arena_end(&arena);
    return 0;
}

static void threads_have_the_same_bits(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    const resting_call call = {.fix = {{"theta", 0.3}, {"w3", 0.5}},
                               .fix_count = 2,
                               .guess = {{"w2", 5.0}},
                               .guess_count = 1,
                               .set = {"h=0.1"},
                               .set_count = 1};
    shared on;
    begin("examples/rolling_disc/model.rhe", &call, &on);
    static job jobs[COUNT];
    thrd_t threads[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        jobs[k] = (job){.on = &on};
        assert_int_equal(thrd_create(&threads[k], go_along, &jobs[k]), thrd_success);
    }
    for (uint32_t k = 0; k < COUNT; k++) {
        assert_int_equal(thrd_join(threads[k], NULL), thrd_success);
        assert_false(jobs[k].failed);
    }
    for (uint32_t k = 0; k < POINTS; k++) {
        const double w3 = 0.5 + 0.1 * k;
        for (uint32_t j = 1; j < COUNT; j++) {
            assert_memory_equal(&jobs[0].w2[k], &jobs[j].w2[k], sizeof(double));
            assert_memory_equal(&jobs[0].abscissa[k], &jobs[j].abscissa[k], sizeof(double));
        }
        // A sin cos w2^2 + (C + m a^2) w2 w3 cos = m g a sin
        const double w2 = jobs[0].w2[k];
        const double miss = 0.0625 * sin(0.3) * cos(0.3) * w2 * w2 + 0.375 * w2 * w3 * cos(0.3) -
                            9.81 * 0.5 * sin(0.3);
        assert_near(miss, 0.0, 1e-13);
        const bool is_stable = w3 < 1.0972625322554901013 || w3 > 1.9193358146405227362;
        assert_int_equal(jobs[0].verdict[k],
                         is_stable ? RH_STEADY_ASYMPTOTICALLY_STABLE : RH_STEADY_UNSTABLE);
    }
    end(&on);
}

// m is a dial: A = m a^2/4 and C = m a^2/2 follow it, and the motion does not depend on it at all
// without damping.
static void what_a_dial_gives_follows_it(void **state)
{
    (void)state;
    const resting_call call = {.fix = {{"theta", 0.5}, {"w3", 6.0}, {"m", 1.0}},
                               .fix_count = 3,
                               .guess = {{"w2", 1.0}},
                               .guess_count = 1};
    shared on;
    begin("examples/rolling_disc/model.rhe", &call, &on);
    rh_workbench *bench = NULL;
    rh_judgement judgement;
    rh_rest_answer answer;
    const rh_rest_query query = rh__wish_query(&on.wish);
    assert_int_equal(rh__workbench_create(on.reduction, &bench), RH_OK);
    assert_int_equal(rh__judgement_reserve(on.reduction, &on.arena, &judgement), RH_OK);
    memcpy(bench->values, on.wish.values, on.reduction->slot_count * sizeof *bench->values);
    for (double m = 1.0; m < 8.0; m *= 1.7) {
        bench->values[rh__reduction_slot(on.reduction, "m")] = m;
        assert_int_equal(rh__steady_again(bench, &query, 2, &answer, &judgement), RH_OK);
        assert_true(answer.is_found);
        assert_near(bench->values[rh__reduction_slot(on.reduction, "w2")], 1.1726273059845602709,
                    1e-13);
        assert_near(fabs(judgement.roots[0].imaginary), 8.9788833791455292, 1e-12);
    }
    rh__workbench_destroy(bench);
    end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_the_same_bits),
        cmocka_unit_test(what_a_dial_gives_follows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
