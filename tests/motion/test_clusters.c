// SPDX-License-Identifier: Apache-2.0
// Events whose functions have roots close together: each is found once, at its place, as far as
// the state itself is known.

#include "moving.h"

enum { TRIALS = 200 };

static double draw(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

// x = far + t; a product of two to four factors, plain or bent, that vanish `gap` apart.
typedef struct cluster {
    double far, at[4];
    uint32_t count;
    bool is_bent;
} cluster;

static cluster draw_cluster(uint64_t *seed)
{
    static const double FAR[] = {0.0, 1.0, 7.25, 100.0};
    cluster it = {.far = FAR[(uint32_t)draw(seed, 0.0, 3.999)],
                  .count = 2 + (uint32_t)draw(seed, 0.0, 2.999),
                  .is_bent = draw(seed, 0.0, 1.0) < 0.5};
    const double gap = pow(10.0, draw(seed, -9.0, -3.0));
    it.at[0] = draw(seed, 1.0, 4.0);
    for (uint32_t k = 1; k < it.count; k++) {
        it.at[k] = it.at[k - 1] + gap * draw(seed, 0.5, 2.0);
    }
    return it;
}

static void find(const cluster *it, rh_method method, double tolerance)
{
    char text[1024];
    int size =
        snprintf(text, sizeof text, "state x\nlaw x' = 1\nstart x = %.17g\nevent e: 1", it->far);
    for (uint32_t k = 0; k < it->count; k++) {
        size += snprintf(text + size, sizeof text - (size_t)size, "*%s(x - %.17g - %.17g)",
                         it->is_bent ? "tanh" : "", it->far + it->at[0], it->at[k] - it->at[0]);
    }
    (void)snprintf(text + size, sizeof text - (size_t)size, " = 0\n");
    moving on = moving_begin(text, &(moving_conditions){.method = method});
    moving_reach(&on, 5.0);
    if (rh_motion_occurrence_count(on.motion) != it->count) {
        fail_msg("%zu of %u roots in\n%s", rh_motion_occurrence_count(on.motion), it->count, text);
    }
    for (uint32_t k = 0; k < it->count; k++) {
        const double time = rh_motion_occurrence(on.motion, k).time;
        if (!(fabs(time - it->at[k]) <= tolerance * (1.0 + it->far))) {
            fail_msg("root %u is at %.17g, not %.17g, in\n%s", k, time, it->at[k], text);
        }
    }
    moving_end(&on);
}

static void roots_close_together(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t k = 0; k < TRIALS; k++) {
        const cluster it = draw_cluster(&seed);
        find(&it, RH_METHOD_TAYLOR, 1e-13);
    }
}

static void roots_close_together_by_other_methods(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_DOP853, RH_METHOD_CVODE, RH_METHOD_IDA};
    const cluster it = {.far = 0.0, .at = {3.5, 3.5 + 2e-8}, .count = 2};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        find(&it, METHODS[k], 1e-11);
    }
}

// Nearer than the state is known they are one touch, which is no crossing up or down.
static void roots_nearer_than_the_state_is_known(void **state)
{
    (void)state;
    moving it = moving_begin("state x\nlaw x' = 1\nstart x = 0.1\nevent any: (x - 4)^2 = 1e-32\n"
                             "event up: (x - 4)^2 = 1e-32 up\nevent none: (x - 4)^2 = -1e-12\n",
                             NULL);
    moving_reach(&it, 5.0);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
    assert_string_equal(rh_motion_occurrence(it.motion, 0).name, "any");
    assert_near(rh_motion_occurrence(it.motion, 0).time, 3.9, 1e-14);
    moving_end(&it);
}

// The amplitude of an oscillator is known to rounding only: its turning points are touches.
static void turning_points(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1, x' = 0\n"
                             "event top: x = 1\nevent pair: x = 1 - 1e-10\n",
                             NULL);
    moving_reach(&it, 20.0);
    size_t tops = 0;
    size_t pairs = 0;
    for (size_t k = 0; k < rh_motion_occurrence_count(it.motion); k++) {
        tops += strcmp(rh_motion_occurrence(it.motion, k).name, "top") == 0;
        pairs += strcmp(rh_motion_occurrence(it.motion, k).name, "pair") == 0;
    }
    assert_int_equal(tops, 3);
    assert_int_equal(pairs, 1 + 2 * 3); // the first one just after the start
    moving_end(&it);
}

// A condition changes where its surface has a triple root: x' jumps from 1 to 2 at x = 3.
static void conditions_with_multiple_roots(void **state)
{
    (void)state;
    moving it = moving_begin("state x\nlaw x' = if((x - 3)^3 < 0, 1, 2)\nstart x = 0.001\n", NULL);
    moving_reach(&it, 4.0);
    assert_near(moving_value(&it, "x"), 3.0 + 2.0 * (4.0 - 2.999), 1e-12);
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_close_together),
        cmocka_unit_test(roots_close_together_by_other_methods),
        cmocka_unit_test(roots_nearer_than_the_state_is_known),
        cmocka_unit_test(turning_points),
        cmocka_unit_test(conditions_with_multiple_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
