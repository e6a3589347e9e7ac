// SPDX-License-Identifier: Apache-2.0
// Many discs by the library: a sweep as a user calls it, with `--tier emitted`.

#include "discs.h"

#include "rheonom/rheonom.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 14 };

static bool complain(const char *why)
{
    (void)fprintf(stderr, "bench_motion: discs: %s\n", why);
    return false;
}

// The example with a start in phi' instead of its quasi-velocity: that is what is spread.
static bool read_text(char *text, size_t *out_size)
{
    if (!own_text("rolling_disc", text, TEXT - 1, out_size)) {
        return false;
    }
    text[*out_size] = '\0';
    char *at = strstr(text, "w3 = 6\n");
    if (at == NULL) {
        return complain("the example begins with another w3");
    }
    memcpy(at, "phi'=9\n", 7);
    return true;
}

static rh_status create(const sweeping *how, const char *text, size_t size, rh_sweep **out,
                        rh_error *err)
{
    static const char *const START[] = {"theta=0.2", "psi=0", "x=0", "y=0", "phi=0", "theta'=0.1"};
    char turn[64];
    char roll[64];
    const char *const grids[] = {turn, roll};
    (void)snprintf(turn, sizeof turn, "psi'=0.2:0.8:%u", how->side);
    (void)snprintf(roll, sizeof roll, "phi'=8:12:%u", how->side);
    rh_sweep_def def = rh_sweep_def_default();
    def.model.text = text;
    def.model.text_size = size;
    def.model.start = START;
    def.model.start_count = sizeof START / sizeof *START;
    def.motion.tolerance = how->tolerance;
    def.motion.order = how->order;
    def.motion.tier = RH_TIER_EMITTED;
    def.thread_count = how->threads;
    def.ranks = how->ranks;
    def.until = how->until;
    def.grids = grids;
    def.grid_count = 2;
    def.observe = "final(theta), final(psi), final(phi), final(x), final(y), final(theta'), "
                  "final(psi'), final(phi')";
    return rh_sweep_create(&def, out, err);
}

// The members that are looked at; false when one did not arrive.
static bool gather(rh_sweep *sweep, uint32_t side, double *end, uint64_t *out_steps)
{
    rh_sweep_member member;
    bool is_there = true;
    bool ok = true;
    rh_sweep_rewind(sweep);
    while (ok && rh_sweep_next(sweep, &member, &is_there, NULL) == RH_OK && is_there) {
        const int sample = discs_sample(side, member.number);
        ok = member.stop == RH_STOP_REACHED || complain(member.reason);
        *out_steps += member.steps;
        if (ok && sample >= 0) {
            memcpy(end + (size_t)sample * DISC_COUNT, member.values + rh_sweep_varied_count(sweep),
                   DISC_COUNT * sizeof *end);
        }
    }
    return ok && !is_there;
}

// Four members for a moment: what they have compiled lies in the cache afterwards.
static bool warm_up(const sweeping *how, const char *text, size_t size)
{
    const sweeping brief = {2, 1, how->order, 0.01, how->tolerance, NULL};
    const rh_sweep_run_def def = rh_sweep_run_def_default();
    rh_sweep *sweep = NULL;
    rh_error err = {.message = ""};
    uint64_t done = 0;
    const bool ok = create(&brief, text, size, &sweep, &err) == RH_OK &&
                    rh_sweep_run(sweep, &def, &done, &err) == RH_OK;
    rh_sweep_destroy(sweep);
    return ok || complain(err.message);
}

bench_finish discs_run(const sweeping *how, double *end)
{
    char text[TEXT];
    size_t size = 0;
    rh_sweep *sweep = NULL;
    rh_error err = {.message = ""};
    bench_finish result = {.ok = false};
    if (!read_text(text, &size) || !warm_up(how, text, size)) {
        return result;
    }
    const double begin = contest_wall();
    rh_status status = create(how, text, size, &sweep, &err);
    const double ready = contest_wall();
    if (status == RH_OK) {
        const rh_sweep_run_def def = rh_sweep_run_def_default();
        uint64_t done = 0;
        status = rh_sweep_run(sweep, &def, &done, &err);
        result.seconds = contest_wall() - ready;
        result.preparation = ready - begin;
        result.ok = status == RH_OK &&
                    (rh_ranks_own(how->ranks) != 0 || gather(sweep, how->side, end, &result.steps));
    }
    if (status != RH_OK) {
        (void)complain(err.message);
    }
    rh_sweep_destroy(sweep);
    return result;
}

bench_finish discs_alone(const bench_problem *problem, double tolerance, double *end)
{
    const sweeping how = {discs_side(problem), 1, 0, problem->until, tolerance, NULL};
    return discs_run(&how, end);
}

bench_finish discs_together(const bench_problem *problem, double tolerance, double *end)
{
    const sweeping how = {discs_side(problem), 2, 0, problem->until, tolerance, NULL};
    return discs_run(&how, end);
}

bool discs_check(const bench_problem *problem)
{
    double *end = calloc(problem->count, sizeof *end);
    const sweeping how = {DISCS_SIDE, 1, 28, problem->until, 1e-15, NULL};
    const bool ok = end != NULL && discs_run(&how, end).ok;
    const double off = ok ? problem_error(problem, end) : (double)INFINITY;
    free(end);
    if (ok) {
        printf("discs: the library at order 28 and 1e-15 is within %.1e of the reference\n", off);
    }
    return off < 1e-12 || complain("the reference and the library at its best differ");
}
