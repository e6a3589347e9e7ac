// SPDX-License-Identifier: Apache-2.0
// The library as a contender: from the text a user writes, through the public headers, to the end
// of the motion.

#include "contest.h"

#include "rheonom/rheonom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Memory that is counted.
typedef struct tally {
    size_t now, peak;
} tally;

typedef struct own {
    tally memory;
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion;
} own;

static bool complain(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_motion: %s: %s\n", what, why);
    return false;
}

static void *count_alloc(void *user, size_t size)
{
    tally *count = user;
    void *memory = malloc(size);
    count->now += memory != NULL ? size : 0;
    count->peak = count->now > count->peak ? count->now : count->peak;
    return memory;
}

static void *count_resize(void *user, void *memory, size_t old_size, size_t new_size)
{
    tally *count = user;
    void *moved = realloc(memory, new_size);
    count->now += moved != NULL ? new_size - old_size : 0;
    count->peak = count->now > count->peak ? count->now : count->peak;
    return moved;
}

static void count_free(void *user, void *memory, size_t size)
{
    tally *count = user;
    count->now -= size;
    free(memory);
}

bool own_text(const char *name, char *text, size_t room, size_t *out_size)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/examples/%s/model.rhe", BENCH_ROOT, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return complain(path, "cannot be read");
    }
    *out_size = fread(text, 1, room, file);
    (void)fclose(file);
    return true;
}

static bool make_model(const bench_problem *problem, own *out, rh_error *err)
{
    static const char *const DISC[] = {"theta=0.2", "psi=0",      "x=0",      "y=0",
                                       "phi=0",     "theta'=0.1", "psi'=0.5", "w3=10 - sin(0.2)/2"};
    char text[1 << 14];
    char rods[32];
    char angle[32];
    const char *const chain[] = {rods, angle};
    rh_model_def def = rh_model_def_default();
    const bool is_disc = problem->kind == KIND_DISC;
    (void)snprintf(rods, sizeof rods, "N=%u", problem->rods);
    (void)snprintf(angle, sizeof angle, "alpha=%g", problem->angle);
    if (!own_text(is_disc ? "rolling_disc" : "chain", text, sizeof text, &def.text_size)) {
        return false;
    }
    def.text = text;
    def.allocator = (rh_allocator){count_alloc, count_resize, count_free, &out->memory};
    if (is_disc) {
        def.start = DISC;
        def.start_count = sizeof DISC / sizeof *DISC;
    } else {
        def.set = chain;
        def.set_count = 2;
    }
    return rh_model_create(&def, &out->model, err) == RH_OK;
}

static bool make(const bench_problem *problem, const own_settings *settings, double tolerance,
                 own *out)
{
    rh_error err = {.message = ""};
    rh_equations_def equations_def = rh_equations_def_default();
    rh_motion_def motion_def = rh_motion_def_default();
    equations_def.has_presolve = settings->has_presolve;
    motion_def.tolerance = tolerance;
    motion_def.method = (rh_method)settings->method;
    motion_def.order = settings->order;
    motion_def.tier = (rh_tier)settings->tier;
    return (make_model(problem, out, &err) &&
            rh_equations_create(out->model, &equations_def, &out->equations, &err) == RH_OK &&
            rh_motion_create(out->equations, &motion_def, &out->motion, &err) == RH_OK) ||
           complain(problem->name, err.message);
}

static void destroy(own *it)
{
    rh_motion_destroy(it->motion);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

// Columns after the time: variables, then velocities, in the order of the text.
static bool tell(const bench_problem *problem, own *it, double *end)
{
    const size_t width = rh_motion_column_count(it->motion);
    const size_t n = problem->rods;
    double *row = calloc(width, sizeof *row);
    bool ok = row != NULL && width > (n == 0 ? 10 : 2 * n) &&
              strcmp(rh_motion_column_name(it->motion, n == 0 ? 6 : n + 1),
                     n == 0 ? "theta'" : "y[1]") == 0 &&
              rh_motion_row(it->motion, rh_motion_time(it->motion), row, NULL) == RH_OK;
    if (ok && n == 0) {
        memcpy(end, row + 1, 5 * sizeof *row);
        memcpy(end + 5, row + 6, 3 * sizeof *row);
    } else if (ok) {
        memcpy(end, row + 1, 2 * n * sizeof *row);
    }
    free(row);
    return ok;
}

static bool take_steps(const bench_problem *problem, uint32_t count, own *it)
{
    rh_stop stop = RH_STOP_NONE;
    rh_status status = RH_OK;
    for (uint32_t k = 0; status == RH_OK && stop == RH_STOP_NONE && k < count; k++) {
        status = rh_motion_step(it->motion, problem->until, &stop, NULL);
    }
    return status == RH_OK && stop == RH_STOP_NONE;
}

static bool move(const bench_problem *problem, const own_settings *settings, own *it)
{
    rh_stop stop = RH_STOP_NONE;
    return settings->steps > 0
               ? take_steps(problem, settings->steps - settings->first, it)
               : rh_motion_advance(it->motion, problem->until, &stop, NULL) == RH_OK &&
                     stop == RH_STOP_REACHED;
}

bench_finish own_run(const bench_problem *problem, const own_settings *settings, double tolerance,
                     double *end)
{
    own it = {.motion = NULL};
    bench_finish result = {.ok = false};
    const double begin = contest_clock();
    if (make(problem, settings, tolerance, &it)) {
        result.preparation = contest_clock() - begin;
        result.ok = take_steps(problem, settings->first, &it);
        const double ready = contest_clock();
        result.ok = result.ok && move(problem, settings, &it);
        result.seconds = contest_clock() - ready;
        const rh_motion_summary summary = rh_motion_summarise(it.motion);
        result.steps = summary.steps - settings->first;
        result.order = summary.order;
        result.bytes = it.memory.peak;
        if (!result.ok) {
            (void)complain(problem->name, rh_motion_reason(it.motion));
        }
        result.ok = result.ok && (end == NULL || tell(problem, &it, end));
    }
    destroy(&it);
    return result;
}

bench_finish own_taylor(const bench_problem *problem, double tolerance, double *end)
{
    const own_settings settings = {.has_presolve = true, .method = RH_METHOD_AUTO};
    return own_run(problem, &settings, tolerance, end);
}

bench_finish own_emitted(const bench_problem *problem, double tolerance, double *end)
{
    const own_settings settings = {
        .has_presolve = true, .method = RH_METHOD_AUTO, .tier = RH_TIER_EMITTED};
    return own_run(problem, &settings, tolerance, end);
}

bench_finish own_plain(const bench_problem *problem, double tolerance, double *end)
{
    const own_settings settings = {.method = RH_METHOD_AUTO, .tier = RH_TIER_EMITTED};
    return own_run(problem, &settings, tolerance, end);
}

bench_finish own_unreduced(const bench_problem *problem, double tolerance, double *end)
{
    const own_settings settings = {.has_presolve = false, .method = RH_METHOD_AUTO};
    return own_run(problem, &settings, tolerance, end);
}

bench_finish own_runge(const bench_problem *problem, double tolerance, double *end)
{
    const own_settings settings = {.has_presolve = true, .method = RH_METHOD_DOP853};
    return own_run(problem, &settings, tolerance, end);
}
