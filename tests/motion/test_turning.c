// SPDX-License-Identifier: Apache-2.0
// Restrictions of first-order systems along motions. At turning points p = 0 of the oscillator form
// of Lorenz's system the rows of level and parameter depend on each other: the motion passes them,
// and the reaction (mu p, mu f) is smooth there (R01, R03), whatever the multipliers do. The same
// restriction realised otherwise is kept as well, by another motion where s < m.

#include "moving.h"

#define LAWS                                                                                       \
    "param sigma = 10, b = 8/3, mu = 1/10, w = 1\nstate xi, p, eta\n"                              \
    "let f = (b*eta - (2*sigma - b)*xi^2)/(sigma + 1)\n"                                           \
    "law xi' = p\nlaw p' = -mu*p - (eta - 1)*xi - xi^3\nlaw w*eta' = -w*mu*f\nselect p, eta\n"     \
    "observe onp = p' + mu*p + (eta - 1)*xi + xi^3\nobserve oneta = eta' + mu*f\n"                 \
    "observe wantp = mu*p\nobserve wanteta = mu*f\n"                                               \
    "observe phi = p^2 + (eta - 1)*xi^2 + xi^4/2\nevent turn: p = 0 record\n"
#define LEVEL "constraint level: p^2 + (eta - 1)*xi^2 + xi^4/2 = const"
#define HELD "constraint held: eta = const"
#define START "\nstart xi = 0.5, p = 0.3, eta = 0.8\n"

// --- turning points ------------------------------------------------------------------------------

// The reaction at one time of the last step.
static double miss(moving *it, double time)
{
    double *row = moving_row(it, time);
    const double onp = row[moving_column(it, "onp")] - row[moving_column(it, "wantp")];
    const double oneta = row[moving_column(it, "oneta")] - row[moving_column(it, "wanteta")];
    free(row);
    return isnan(onp) || isnan(oneta) ? INFINITY : fmax(fabs(onp), fabs(oneta));
}

// From xi = 0.5 with this p, through several turning points: seen every tenth of a time unit.
static void pass_turning_points(const char *p, uint32_t least)
{
    const moving_conditions with = {.start = {p}, .start_count = 1};
    moving it = moving_begin(LAWS LEVEL "\n" HELD "\nstart xi = 0.5, eta = 0.8\n", &with);
    double worst = miss(&it, 0.0);
    uint32_t turns = 0;
    for (uint32_t k = 1; k <= 600; k++) {
        const double before = moving_value(&it, "p");
        moving_reach(&it, 0.1 * k);
        turns += before * moving_value(&it, "p") < 0.0;
        worst = fmax(worst, miss(&it, rh_motion_time(it.motion)));
    }
    print_message("%s: %u turning points, reaction off by %.1e\n", p, turns, worst);
    assert_true(turns >= least);
    assert_true(worst < 1e-12);
    assert_near(moving_value(&it, "eta"), 0.8, 1e-12);
    moving_end(&it);
}

static void reactions_are_smooth_at_turning_points(void **state)
{
    (void)state;
    pass_turning_points("p=0.3", 4);
    pass_turning_points("p=0", 4); // begins on one
}

// At a turning point itself, found as an event: r* = (0, mu f), and at the start of R03 (0, -0.02).
static void reactions_are_unique_at_turning_points(void **state)
{
    (void)state;
    moving it = moving_begin(LAWS LEVEL "\n" HELD "\nstart xi = 0.5, p = 0, eta = 0.8\n", NULL);
    assert_near(moving_value(&it, "onp"), 0.0, 1e-14);
    assert_near(moving_value(&it, "oneta"), -0.02, 1e-14);
    assert_near(moving_value(&it, "lambda.level"), -0.0047058823529411765, 1e-14);
    assert_near(moving_value(&it, "lambda.held"), -0.018823529411764706, 1e-14);
    moving_end(&it);
    it = moving_begin(LAWS LEVEL "\n" HELD "\nevent at: p = 0 stop\n"
                                 "start xi = 0.5, p = 0.3, eta = 0.8\n",
                      NULL);
    assert_int_equal(moving_advance(&it, 100.0), RH_STOP_EVENT);
    assert_near(moving_value(&it, "p"), 0.0, 1e-12);
    assert_true(miss(&it, rh_motion_time(it.motion)) < 1e-12);
    moving_end(&it);
}

// R01 and R02 at their start: both restrictions to 1e-14, the level alone to 1e-13.
static void reactions_at_the_start(void **state)
{
    (void)state;
    moving it = moving_begin(LAWS LEVEL "\n" HELD START, NULL);
    assert_near(moving_value(&it, "lambda.level"), 0.05, 1e-14);
    assert_near(moving_value(&it, "lambda.held"), -0.0325, 1e-14);
    assert_near(moving_value(&it, "onp"), 0.03, 1e-14);
    assert_near(moving_value(&it, "oneta"), -0.02, 1e-14);
    moving_end(&it);
    it = moving_begin(LAWS LEVEL START, NULL);
    assert_near(moving_value(&it, "lambda.level"), 2.0 / 65, 1e-13);
    assert_near(moving_value(&it, "onp"), 0.018461538461538461538, 1e-13);
    assert_near(moving_value(&it, "oneta"), 0.0076923076923076923077, 1e-13);
    moving_end(&it);
}

// --- realisations --------------------------------------------------------------------------------

typedef struct ending {
    double xi, p, eta;
} ending;

static ending end_of(const char *text, const char *w, double phi)
{
    const moving_conditions with = {.set = {w}, .set_count = 1};
    moving it = moving_begin(text, &with);
    moving_reach(&it, 0.8); // before the first turning point: a push on p alone fails there
    const ending out = {moving_value(&it, "xi"), moving_value(&it, "p"), moving_value(&it, "eta")};
    assert_near(moving_value(&it, "phi"), phi, 1e-12);
    moving_end(&it);
    return out;
}

static double distance(ending a, ending b)
{
    return fabs(a.xi - b.xi) + fabs(a.p - b.p) + fabs(a.eta - b.eta);
}

// One restriction, two selected variables: kept by every realisation, each with its own motion.
static void realisations_keep_the_restriction(void **state)
{
    (void)state;
    const double phi = 0.07125;
    const ending ends[] = {
        end_of(LAWS LEVEL START, "w=1", phi),
        end_of(LAWS LEVEL START, "w=5", phi), // another weight is another ideal reaction
        end_of(LAWS LEVEL " by servo(p: 1)" START, "w=1", phi),
        end_of(LAWS LEVEL " by servo(eta: 1)" START, "w=1", phi),
        end_of(LAWS LEVEL " by servo(p: 1, eta: 1)" START, "w=1", phi),
    };
    const uint32_t count = sizeof ends / sizeof *ends;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t j = 0; j < k; j++) {
            assert_true(distance(ends[k], ends[j]) > 1e-4);
        }
    }
    // the servo on p: eta moves as if released, and there the weight means nothing
    const ending free_weight = end_of(LAWS LEVEL " by servo(p: 1)" START, "w=5", phi);
    assert_true(distance(ends[2], free_weight) < 1e-12);
}

// A push on p alone loses control at p = 0; an ideal reaction does not.
static void a_push_on_p_ends_at_the_turning_point(void **state)
{
    (void)state;
    moving it = moving_begin(LAWS LEVEL " by servo(p: 1)" START, NULL);
    assert_int_equal(moving_advance(&it, 20.0), RH_STOP_FAILED);
    assert_true(fabs(moving_value(&it, "p")) < 1e-3);
    moving_end(&it);
    it = moving_begin(LAWS LEVEL START, NULL);
    moving_reach(&it, 20.0);
    assert_near(moving_value(&it, "xi"), -0.63683797347497854836, 1e-9); // R02
    moving_end(&it);
}

// s = m: neither weight nor push changes the motion.
static void full_restrictions_have_one_motion(void **state)
{
    (void)state;
    const double phi = 0.07125;
    const ending ideal = end_of(LAWS LEVEL "\n" HELD START, "w=1", phi);
    const ending heavy = end_of(LAWS LEVEL "\n" HELD START, "w=5", phi);
    const ending pushed =
        end_of(LAWS LEVEL " by servo(p: 1)\n" HELD " by servo(eta: 1, p: 0.3)" START, "w=1", phi);
    assert_true(distance(ideal, heavy) < 1e-12);
    assert_true(distance(ideal, pushed) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reactions_are_smooth_at_turning_points),
        cmocka_unit_test(reactions_are_unique_at_turning_points),
        cmocka_unit_test(reactions_at_the_start),
        cmocka_unit_test(realisations_keep_the_restriction),
        cmocka_unit_test(a_push_on_p_ends_at_the_turning_point),
        cmocka_unit_test(full_restrictions_have_one_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
