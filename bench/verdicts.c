// SPDX-License-Identifier: Apache-2.0
// How many steady motions of the disc are solved anew and judged in a second, from neighbour to
// neighbour over lean and spin, on two threads with a workbench each.
//
//   bench_verdicts              one line; exit 1 when a million would take longer than 20 s

#include "steady/steady.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { SIDE = 600, THREADS = 2, LONGEST = 20 };

typedef struct stripe {
    const rh_reduction *reduction;
    const rh_wish *wish;
    int first, last; // rows
    int found, stable;
} stripe;

static int work(void *user)
{
    stripe *it = user;
    const rh_reduction *reduction = it->reduction;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 24);
    rh_workbench *bench = NULL;
    rh_judgement judgement;
    rh_rest_answer answer;
    rh_rest_query query = rh__wish_query(it->wish);
    query.round_limit = 40;
    if (rh__workbench_create(reduction, &bench) != RH_OK ||
        rh__judgement_reserve(reduction, &arena, &judgement) != RH_OK) {
        return 1;
    }
    const uint32_t lean = rh__reduction_slot(reduction, "theta");
    const uint32_t spin = rh__reduction_slot(reduction, "w3");
    memcpy(bench->values, it->wish->values, reduction->slot_count * sizeof *bench->values);
    for (int i = it->first; i < it->last; i++) {
        for (int k = 0; k < SIDE; k++) { // to and fro, so that neighbours are near
            bench->values[lean] = 1.2 * (i + 0.5) / SIDE;
            bench->values[spin] = 10.0 * ((i % 2 != 0 ? SIDE - 1 - k : k) + 0.5) / SIDE;
            if (rh__steady_again(bench, &query, 2, &answer, &judgement) != RH_OK) {
                return 1;
            }
            it->found += answer.is_found;
            it->stable += answer.is_found && judgement.verdict == RH_STEADY_ASYMPTOTICALLY_STABLE;
        }
    }
    rh__workbench_destroy(bench);
    rh__arena_end(&arena);
    return 0;
}

// Processor time of all threads: others on the machine do not count.
static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int measure(const rh_reduction *reduction, const rh_wish *wish)
{
    thrd_t threads[THREADS];
    stripe stripes[THREADS];
    int found = 0;
    int stable = 0;
    int failed = 0;
    const double begin = now();
    for (int k = 0; k < THREADS; k++) {
        stripes[k] = (stripe){.reduction = reduction,
                              .wish = wish,
                              .first = SIDE * k / THREADS,
                              .last = SIDE * (k + 1) / THREADS};
        failed += thrd_create(&threads[k], work, &stripes[k]) != thrd_success;
    }
    for (int k = 0; failed == 0 && k < THREADS; k++) {
        int result = 0;
        (void)thrd_join(threads[k], &result);
        failed += result;
        found += stripes[k].found;
        stable += stripes[k].stable;
    }
    const double each = (now() - begin) / ((double)SIDE * SIDE) / THREADS;
    (void)printf("disc: %d points, %d found, %d stable, %.2f s for a million on %d threads\n",
                 SIDE * SIDE, found, stable, 1e6 * each, THREADS);
    return failed != 0 || found != SIDE * SIDE || 1e6 * each > LONGEST;
}

static char *read_model(size_t *out_size)
{
    FILE *file = fopen(BENCH_ROOT "/examples/rolling_disc/model.rhe", "rb");
    char *text = calloc(1, 1 << 16);
    *out_size = file != NULL && text != NULL ? fread(text, 1, 1 << 16, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return text;
}

int main(void)
{
    static const char *const SET[] = {"h=0.1"};
    static const rh_steady_value FIX[] = {{"theta", 0.5}, {"w3", 6.0}};
    static const rh_steady_value GUESS[] = {{"w2", 1.0}};
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_reduction *reduction = NULL;
    rh_wish wish;
    rh_error err = RH_ZERO;
    rh_model_def def = rh_model_def_default();
    char *text = read_model(&def.text_size);
    def.text = text;
    def.set = SET;
    def.set_count = 1;
    const rh_equations_def derive = rh_equations_def_default();
    rh_steady_def call = rh_steady_def_default();
    call.fix = FIX;
    call.fix_count = 2;
    call.guess = GUESS;
    call.guess_count = 1;
    const rh_reduction_def more = {.rank = 0};
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 24);
    int result = 1;
    if (rh_model_create(&def, &model, &err) == RH_OK &&
        rh_equations_create(model, &derive, &equations, &err) == RH_OK &&
        rh__wish_reduce(equations, &call, &more, &arena, &reduction, &wish, &err) == RH_OK) {
        result = measure(reduction, &wish);
    } else {
        (void)fprintf(stderr, "%s\n", err.message);
    }
    rh__reduction_destroy(reduction);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    rh__arena_end(&arena);
    free(text);
    return result;
}
