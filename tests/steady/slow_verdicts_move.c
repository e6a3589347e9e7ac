// SPDX-License-Identifier: Apache-2.0
// Verdicts against motions: 500 random equilibria, with and without switching, in random units. No
// motion from nearby contradicts a verdict: it comes nearer to what is asymptotically stable, and
// some motion leaves what is unstable.

#include "resting.h"

enum { MODELS = 500, STARTS = 28, LONGEST = 1600 };

// x0 + unit * (y1, y2): the law of y is a random matrix with terms of a random kind.
typedef struct casting {
    double a[4], place[2], unit, pace;
    uint32_t kind;
    double c[4];
} casting;

static const char *const KINDS[] = {
    "0*y1",                              // none
    "y1^2 - y2^2 + y1*y2",               // smooth
    "y1*abs(y1) + y2*abs(y1)",           // smooth enough
    "2*y1*sign(y1)^2",                   // another law at the place itself
    "if(y1 == 0, 0, 2*y1)",              // the same
    "abs(y1)",                           // a kink
    "max(y1, y2)",                       // one across
    "y1*sign(y1)*sign(y2)",              // a product of signs
    "if(y1 > 0 and y2 > 0, y1 + y2, 0)", // in one corner
    "min(abs(y1), abs(y2))",             // four kinks
    "sign(y1)",                          // a jump
    "if(y2 == 0, 3*y1, 0)",              // on a surface only
    "y2*sign(y2)^2",                     // and off it
};

static casting cast(support_random *random)
{
    static const double SIZES[] = {1.0, 1.0, 0x1p30, 0x1p-30}; // without rounding
    casting it = {.unit = SIZES[support_random_below(random, 4)],
                  .pace = SIZES[support_random_below(random, 4)],
                  .kind = support_random_below(random, sizeof KINDS / sizeof *KINDS)};
    for (int k = 0; k < 4; k++) {
        it.a[k] = support_random_real(random, -1.5, 1.5) - (k % 3 == 0 ? 0.7 : 0.0);
        it.c[k] =
            support_random_below(random, 2) == 0 ? 0.0 : support_random_real(random, -1.0, 1.0);
    }
    for (int k = 0; k < 2; k++) { // with few bits: there y is exactly zero
        it.place[k] = (double)(int)(support_random_below(random, 9)) - 4.0;
    }
    return it;
}

static void write_text(const casting *it, const double *start, char *out)
{
    const int n =
        snprintf(out, LONGEST,
                 "param u = %.17g, pace = %.17g\nstate x1, x2\n"
                 "let y1 = x1/u - (%.17g)\nlet y2 = x2/u - (%.17g)\nlet s = %s\n"
                 "law x1' = u*pace*((%.17g)*y1 + (%.17g)*y2 + (%.17g)*s + (%.17g)*y1*y2)\n"
                 "law x2' = u*pace*((%.17g)*y1 + (%.17g)*y2 + (%.17g)*s + (%.17g)*y1^2)\n"
                 "start x1 = %.17g, x2 = %.17g\n",
                 it->unit, it->pace, it->place[0], it->place[1], KINDS[it->kind], it->a[0],
                 it->a[1], it->c[0], it->c[2], it->a[2], it->a[3], it->c[1], it->c[3],
                 (it->place[0] + start[0]) * it->unit, (it->place[1] + start[1]) * it->unit);
    assert_true(n > 0 && n < LONGEST);
}

// How far from the equilibrium a motion is after some time, in units; NAN: it cannot go on.
static double distance_after(const casting *it, const double *start, double time, double far)
{
    char text[LONGEST];
    const resting_call call = {.fix_count = 0};
    resting on;
    write_text(it, start, text);
    resting_derive(text, &call, &on);
    rh_motion_def def = rh_motion_def_default();
    rh_motion *motion = NULL;
    def.tolerance = 1e-10;
    def.tier = RH_TIER_INTERPRETED;
    double result = NAN;
    if (rh_motion_create(on.equations, &def, &motion, &on.err) == RH_OK) {
        rh_stop stop = RH_STOP_REACHED;
        double row[16] = {0.0};
        assert_true(rh_motion_column_count(motion) <= 16);
        for (int part = 1; part <= 40 && !(result > far) && stop == RH_STOP_REACHED; part++) {
            const double at = time * part / 40.0;
            assert_int_equal(rh_motion_advance(motion, at, &stop, &on.err), RH_OK);
            assert_int_equal(rh_motion_row(motion, rh_motion_time(motion), row, &on.err), RH_OK);
            result = hypot(row[1] / it->unit - it->place[0], row[2] / it->unit - it->place[1]);
        }
        result = stop == RH_STOP_REACHED || result > far ? result : (double)NAN;
        rh_motion_destroy(motion);
    }
    resting_end(&on);
    return result;
}

// The motions near a verdict: how many leave, and whether one does not come nearer.
static void check(const casting *it, const rh_steady_motion *motion, support_random *random,
                  uint32_t number, uint32_t *judged)
{
    const double rate = fabs(motion->roots[0].real);
    const bool is_stable = motion->verdict == RH_STEADY_ASYMPTOTICALLY_STABLE;
    const bool is_unstable = motion->verdict == RH_STEADY_UNSTABLE;
    // roots of another side are not told; they are at least 1e-3 of the pace
    const bool is_sided = strstr(motion->reason, "the equations switch") != NULL;
    const bool is_slow = !is_sided && rate < (is_stable ? 0.02 : 0.001) * it->pace;
    uint32_t left = 0;
    if ((!is_stable && !is_unstable) || is_slow) {
        return;
    }
    (*judged)++;
    for (uint32_t n = 0; n < STARTS; n++) {
        static const double AXES[][2] = {{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}};
        const double size = ldexp(1.0, -13); // few bits, so that axes are met exactly
        const double start[2] = {
            size * (n < 4 ? AXES[n][0] : support_random_real(random, -1.0, 1.0)),
            size * (n < 4 ? AXES[n][1] : support_random_real(random, -1.0, 1.0))};
        const double length = hypot(start[0], start[1]);
        const double time = (is_stable ? 12.0 / rate : 8000.0 / it->pace);
        const double end = distance_after(it, start, time, 8.0 * size);
        if (is_stable && end > 0.5 * length) {
            char text[LONGEST];
            write_text(it, start, text);
            fail_msg("model %u is stable, a motion goes from %g to %g\n%s", number, length, end,
                     text);
        }
        left += end > 4.0 * length;
    }
    if (is_unstable && left == 0) {
        const double none[2] = {0.0, 0.0};
        char text[LONGEST];
        write_text(it, none, text);
        fail_msg("model %u is unstable (%s), no motion leaves\n%s", number, motion->reason, text);
    }
}

static void no_motion_contradicts(void **state)
{
    (void)state;
    support_random random = support_random_begin("verdicts move");
    uint32_t judged = 0;
    uint32_t missed = 0;
    for (uint32_t n = 0; n < MODELS; n++) {
        const casting it = cast(&random);
        const double none[2] = {0.0, 0.0};
        const resting_call call = {.fix_count = 0};
        char text[LONGEST];
        write_text(&it, none, text);
        resting on = resting_begin(text, &call);
        // where a rate jumps rounding may leave no place of rest
        const bool is_found = rh_steady_summarise(on.steady).solution_count > 0;
        const rh_steady_motion motion = rh_steady_solution(on.steady, 0);
        missed += !is_found || motion.distance > 1e-9;
        if (is_found && motion.distance <= 1e-9) {
            check(&it, &motion, &random, n, &judged);
        }
        resting_end(&on);
    }
    assert_true(judged > MODELS / 3 && missed < MODELS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_motion_contradicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
