// SPDX-License-Identifier: Apache-2.0
// What the tests of lanes share: one sweep by several numbers of lanes and threads.

#pragma once

#include "sweeping.h"

enum { MANY = 520 }; // so many that blocks are for lanes

// What a sweep gives, as one text: every number by its bits.
static inline char *run_as_text(const char *text, const char *const *randoms, size_t random_count,
                                const rh_sweep_def *like)
{
    rh_sweep_def def = sweeping_def(text);
    def.randoms = randoms;
    def.random_count = random_count;
    def.draws = MANY;
    def.seed = 5;
    def.until = like->until;
    def.lane_count = like->lane_count;
    def.thread_count = like->thread_count;
    def.motion.tier = like->motion.tier;
    def.motion.step_limit = like->motion.step_limit;
    rh_sweep *sweep = sweeping_run(&def);
    const size_t width = rh_sweep_column_count(sweep);
    const size_t room = MANY * (width + 1) * 64 + MANY * 300;
    char *out = malloc(room);
    size_t size = 0;
    assert_non_null(out);
    rh_sweep_rewind(sweep);
    for (size_t k = 0; k < MANY; k++) {
        const rh_sweep_member member = sweeping_next(sweep);
        size += (size_t)snprintf(out + size, room - size, "%llu %d %a %llu %s %s",
                                 (unsigned long long)member.number, (int)member.stop, member.time,
                                 (unsigned long long)member.steps, member.code, member.reason);
        for (size_t c = 0; c < width; c++) {
            size += (size_t)snprintf(out + size, room - size, " %a", member.values[c]);
        }
        size += (size_t)snprintf(out + size, room - size, "\n");
        assert_true(size < room);
    }
    rh_sweep_destroy(sweep);
    return out;
}

// The same by other numbers of lanes and threads.
static inline void compare_lanes(const char *text, const char *const *randoms, size_t random_count,
                                 double until, uint32_t step_limit)
{
    static const uint32_t WAYS[][2] = {{4, 1}, {8, 1}, {8, 2}, {0, 2}};
    rh_sweep_def def = rh_sweep_def_default();
    def.until = until;
    def.lane_count = 1;
    def.thread_count = 1;
    def.motion.tier = RH_TIER_EMITTED;
    def.motion.step_limit = step_limit;
    char *alone = run_as_text(text, randoms, random_count, &def);
    for (size_t k = 0; k < sizeof WAYS / sizeof *WAYS; k++) {
        def.lane_count = WAYS[k][0];
        def.thread_count = WAYS[k][1];
        char *together = run_as_text(text, randoms, random_count, &def);
        assert_string_equal(together, alone);
        free(together);
    }
    free(alone);
}
