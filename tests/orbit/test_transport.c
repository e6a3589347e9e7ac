// SPDX-License-Identifier: Apache-2.0
// Tangents along motions, over impacts, resets, conditions and one-sided constraints, against
// differences of neighbouring motions; and what tangents cannot pass.

#include "orbiting.h"

#include "orbit/orbit.h"

enum { MOST = 8 };

typedef struct passing {
    const char *text;
    double time;
    uint32_t events; // at least so many must be met
} passing;

static const passing LIST[] = {
    // nothing happens
    {"state x, v\nlaw x' = v\nlaw v' = (1 - x^2)*v - x\nstart x = 1.3, v = 0.2\n", 7.0, 0},
    {"coord x, y\nkinetic (x'^2 + (2 + sin(x))*y'^2)/2\npotential cos(x) + x*y\n"
     "start x = 0.4, y = 0.2, x' = 0.5, y' = -0.3\n",
     2.0, 0},
    // a force that depends on a sign
    {"state x, v\nlaw x' = v\nlaw v' = -x - 0.7*sign(x)\nstart x = 1.3, v = 0.2\n", 6.0, 0},
    {"state x, v\nlaw x' = v\nlaw v' = -x + if(x + v/3 < 0.2, 0.4*x, -0.3*v)\n"
     "start x = 1.3, v = 0.2\n",
     5.0, 0},
    // impacts: on a level floor, on one that moves, on one that is bent, with an inertia that
    // depends on the place
    {"coord y\nkinetic y'^2/2\npotential y\nconstraint floor: y >= 0 impact 0.7\n"
     "start y = 1, y' = 0.3\n",
     3.5, 1},
    {"coord y\nkinetic y'^2/2\npotential y\nconstraint floor: y >= sin(t)/3 impact 0.7\n"
     "start y = 1, y' = 0.3\n",
     3.0, 1},
    {"coord x, y\nkinetic ((1 + x^2)*x'^2 + y'^2 + x*x'*y'/2)/2\npotential y + x^2/2\n"
     "constraint floor: y - x^2/5 + sin(x)/4 >= 0 impact 0.8\n"
     "start x = 0.4, y = 1, x' = 0.7, y' = 0.3\n",
     2.2, 1},
    // a ratchet: it acts, and lets go
    {"coord x\nkinetic x'^2/2\nforce x: -x + t/4\nconstraint pawl: x' >= 0\n"
     "start x = 0, x' = 1\n",
     7.0, 2},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2 + 2*y^2\n"
     "constraint fast: (x'^2 + y'^2 - 1)/2 >= 0\nstart x = 1, y = 0.5, x' = 0, y' = 1.2\n",
     3.0, 4},
    // events that change the state
    {"state x, v, c\nlaw x' = v\nlaw v' = -x\nlaw c' = x*v\nstart x = 1.3, v = 0.2, c = 1\n"
     "event kick: x = 0.4*c down reset v = 0.8*v + x^2, c = c/2 + t\n",
     4.0, 1},
};

static void run(rh_motion *motion, rh_transport *transport, double time)
{
    rh_stop stop = RH_STOP_NONE;
    const double end = motion->t + time;
    while (stop == RH_STOP_NONE) {
        if (transport != NULL) {
            rh__transport_prepare(transport);
        }
        assert_int_equal(rh_motion_step(motion, end, &stop, NULL), RH_OK);
        if (transport != NULL && !rh__transport_follow(transport)) {
            fail_msg("%s", transport->reason);
        }
    }
    assert_int_equal(stop, RH_STOP_REACHED);
}

static void move(rh_motion *motion, const double *start, double time, double *out)
{
    assert_int_equal(rh__motion_place(motion, start, NULL), RH_OK);
    run(motion, NULL, time);
    memcpy(out, motion->x, motion->n * sizeof *out);
}

// Central differences, extrapolated once.
static void differentiate(rh_motion *motion, const double *start, uint32_t at, double time,
                          double *out)
{
    double table[2][MOST];
    double h = 2e-4;
    for (int k = 0; k < 2; k++, h /= 2.0) {
        double ends[2][MOST];
        for (int side = 0; side < 2; side++) {
            double x[MOST];
            memcpy(x, start, motion->n * sizeof *x);
            x[at] += side == 0 ? h : -h;
            move(motion, x, time, ends[side]);
        }
        for (uint32_t i = 0; i < motion->n; i++) {
            table[k][i] = (ends[0][i] - ends[1][i]) / (2.0 * h);
        }
    }
    for (uint32_t i = 0; i < motion->n; i++) {
        out[i] = table[1][i] + (table[1][i] - table[0][i]) / 3.0;
    }
}

static void tangents_are_differences(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof LIST / sizeof *LIST; k++) {
        orbiting it;
        rh_transport transport;
        double start[MOST];
        double unit[MOST * MOST] = {0.0};
        assert_int_equal(orbiting_move(LIST[k].text, NULL, &it), RH_OK);
        const uint32_t n = it.motion->n;
        memcpy(start, it.motion->x, n * sizeof *start);
        for (uint32_t i = 0; i < n; i++) {
            unit[i * n + i] = 1.0;
        }
        assert_int_equal(rh__transport_create(it.motion, n, NULL, &transport, NULL), RH_OK);
        assert_int_equal(rh__transport_begin(&transport, unit), RH_OK);
        run(it.motion, &transport, LIST[k].time);
        assert_true(it.motion->occurrences.count >= LIST[k].events);
        for (uint32_t d = 0; d < n; d++) {
            double found[MOST];
            differentiate(it.motion, start, d, LIST[k].time, found);
            for (uint32_t i = 0; i < n; i++) {
                const double expected = found[i];
                if (!(fabs(transport.v[d * n + i] - expected) <= 1e-7 * (1.0 + fabs(expected)))) {
                    fail_msg("d x%u / d start%u is %.12g, by differences %.12g, in:\n%s", i, d,
                             transport.v[d * n + i], expected, LIST[k].text);
                }
            }
        }
        rh__transport_destroy(&transport);
        orbiting_end(&it);
    }
}

typedef struct refused {
    const char *text;
    double time;
    const char *why;
} refused;

static const refused REFUSED[] = {
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x + y\nconstraint a: x >= 0 impact 0.5\n"
     "constraint b: y >= 0 impact 0.5\nstart x = 1, y = 1, x' = 0, y' = 0\n",
     2.0, "several impacts or resets happen at once"},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint a: y >= 0 impact 0.5\n"
     "constraint b: x >= 0 impact 0.5\nstart x = 1, y = 0, x' = -1, y' = 0\n",
     2.0, "one constraint is hit while another one acts"},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint tie: x = y\nstart x = 0, x' = 1\n"
     "event kick: x = 1 up reset x' = 2*x', y' = 2*y'\n",
     2.0, "a reset is followed by a projection"},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2\nconstraint a: x' >= 0\n"
     "constraint b: y' >= 0\nstart x = 0, y = 0, x' = 1, y' = 1\n",
     2.0, "several surfaces are met at once"},
    {"state x, y\nlaw x' = -3*(t - 1)^2\nlaw y' = if(x < 0, 1, 2)\nstart x = 1, y = 0\n", 2.0,
     "a surface is touched, not crossed"},
    {"coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\npotential 3*y + w\n"
     "constraint a: x^2 + y^2 = 1\nconstraint b: (x - z)^2 + (y - w)^2 = 4\n"
     "constraint c: (z - 2)^2 + w^2 = 1\nstart x = 0, y = 1, z = 2, w = 1, x' = 1\n",
     4.0, "constraints become redundant or singular on the way"},
    // a point of rest from which neighbours go beyond all numbers, and a root at its end
    {"state x\nlaw x' = 800*x\nstart x = 0\n", 2.0, "the tangents are not finite after t = "},
    {"state x, y\nlaw x' = x\nlaw y' = 1\nstart x = 0, y = 0\n"
     "event root: y = 1 up reset x = sqrt(x)\n",
     2.0, "tangents cannot pass t = 1, where they are not finite"},
};

static void what_tangents_cannot_pass(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof REFUSED / sizeof *REFUSED; k++) {
        orbiting it;
        rh_transport transport;
        double unit[MOST * MOST] = {1.0};
        rh_stop stop = RH_STOP_NONE;
        assert_int_equal(orbiting_move(REFUSED[k].text, NULL, &it), RH_OK);
        const double end = it.motion->t + REFUSED[k].time;
        assert_int_equal(rh__transport_create(it.motion, 1, NULL, &transport, NULL), RH_OK);
        assert_int_equal(rh__transport_begin(&transport, unit), RH_OK);
        bool goes_on = true;
        while (goes_on && stop == RH_STOP_NONE) {
            rh__transport_prepare(&transport);
            assert_int_equal(rh_motion_step(it.motion, end, &stop, NULL), RH_OK);
            goes_on = rh__transport_follow(&transport);
        }
        if (goes_on || strstr(transport.reason, REFUSED[k].why) == NULL) {
            fail_msg("\"%s\" and not \"%s\", in:\n%s", transport.reason, REFUSED[k].why,
                     REFUSED[k].text);
        }
        rh__transport_destroy(&transport);
        orbiting_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_differences),
        cmocka_unit_test(what_tangents_cannot_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
