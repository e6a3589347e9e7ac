// SPDX-License-Identifier: Apache-2.0
// Roots and powers whose base passes zero: contacts after Hertz, flow through an orifice. There are
// no series at such places; the numbers are those of Beta functions.

#include "moving.h"

#include <math.h>
#include <string.h>

static const rh_tier TIERS[] = {RH_TIER_INTERPRETED, RH_TIER_EMITTED};

static double value_at(const char *text, const char *name, double t, rh_tier tier)
{
    moving it = moving_begin(text, &(moving_conditions){.tier = tier});
    moving_reach(&it, t);
    const double value = moving_value(&it, name);
    moving_end(&it);
    return value;
}

// The time of contact is 2 d B(2/5, 1/2) 2/5 with d = (5/(4 k))^(2/5), here 0.203046...
static void contacts_after_hertz(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double end;
    } CASES[] = {
        {"coord x\nkinetic x'^2/2\nforce x: if(x < 0, 1000*(-x)^1.5, 0)\nstart x = 0.1, x' = -1\n",
         0.696953796317224028},
        {"coord x\nkinetic x'^2/2\nforce x: 1000*max(-x, 0)^(3/2)\nstart x = 0.1, x' = -1\n",
         0.696953796317224028},
        {"coord x\nkinetic x'^2/2\nforce x: 1000*max(-x, 0)^(3/2)\nstart x = 0, x' = -1\n",
         0.796953796317224028},
        {"coord x\nkinetic x'^2/2\npotential if(x < 0, 400*(-x)^2.5, 0)\nstart x = 0.1, x' = -1\n",
         0.696953796317224028},
    };
    for (size_t k = 0; k < 2 * sizeof CASES / sizeof *CASES; k++) {
        const double x = value_at(CASES[k / 2].text, "x", 1.0, TIERS[k % 2]);
        assert_near(x, CASES[k / 2].end, 2e-11);
    }
}

// The state comes to lie on the surface of the contact, and no contact is passed over, however
// large the steps may be.
static void contacts_at_loose_tolerances(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++) {
        const double tolerance = pow(10.0, -3.0 - k / 4);
        for (size_t tier = 0; tier < 2; tier++) {
            moving it = moving_begin(
                "coord h\nkinetic h'^2/2\npotential 9.81*h\n"
                "force h: 1000*max(-h, 0)^1.5\nstart h = 1, h' = 0\n"
                "observe E = h'^2/2 + 9.81*h + 400*max(-h, 0)^2.5\n",
                &(moving_conditions){.tier = TIERS[tier], .tolerance = tolerance * (1 + k % 4)});
            moving_reach(&it, 20.0);
            assert_near(moving_value(&it, "E"), 9.81, 1000.0 * tolerance * (1 + k % 4));
            moving_end(&it);
        }
    }
}

// The methods without series pass it too, if rounding does not put the base below zero.
static void by_other_methods(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_DOP853, RH_METHOD_CVODE, RH_METHOD_IDA};
    for (size_t k = 0; k < sizeof METHODS / sizeof *METHODS; k++) {
        moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: 1000*max(-x, 0)^(3/2)\n"
                                 "start x = 0.1, x' = -1\n",
                                 &(moving_conditions){.method = METHODS[k]});
        moving_reach(&it, 1.0);
        assert_near(moving_value(&it, "x"), 0.696953796317224028, 1e-9);
        moving_end(&it);
    }
}

// x'' = -sign(x) |x|^e: a quarter takes sqrt((e + 1) / 2) B(1/(e + 1), 1/2) / (e + 1).
static void restoring_forces(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double end;
    } CASES[] = {
        {"coord x\nkinetic x'^2/2\nforce x: -sign(x)*sqrt(abs(x))\nstart x = 1, x' = 0\n",
         -0.59953224489006465},
        {"coord x\nkinetic x'^2/2\nforce x: -sign(x)*abs(x)^(1/3)\nstart x = 1, x' = 0\n",
         -0.85336252856815123},
    };
    for (size_t k = 0; k < 2 * sizeof CASES / sizeof *CASES; k++) {
        const double x = value_at(CASES[k / 2].text, "x", 20.0, TIERS[k % 2]);
        assert_near(x, CASES[k / 2].end, 1e-10);
    }
}

// With a rod and with an angle it is one motion, through a dozen of contacts.
static void with_a_constraint(void **state)
{
    (void)state;
    const double rod = value_at("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                                "constraint rod: x^2 + y^2 = 1\n"
                                "force x: if(x > 0.3, -1e4*(x - 0.3)^1.5, 0)\n"
                                "start x = 0, x' = 2\nguess y = -1\n",
                                "x", 20.0, RH_TIER_INTERPRETED);
    const double angle =
        value_at("coord a\nlet x = sin(a)\nkinetic a'^2/2\npotential -9.81*cos(a)\n"
                 "force a: if(x > 0.3, -1e4*(x - 0.3)^1.5*cos(a), 0)\n"
                 "start a = 0, a' = 2\n",
                 "a", 20.0, RH_TIER_INTERPRETED);
    assert_near(rod, sin(angle), 1e-8);
}

// Events with such powers: no series, and a reason.
static void an_event_without_series(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: -1\nevent e: sqrt(x) = 1\n"
                             "start x = 0, x' = 2\n",
                             NULL);
    assert_int_equal(moving_advance(&it, 3.0), RH_STOP_FAILED);
    assert_string_equal(rh_motion_reason_code(it.motion), "E501");
    assert_non_null(strstr(rh_motion_reason(it.motion), "an event"));
    moving_end(&it);
}

// What has no value there, or may go on in several ways, is not passed.
static void what_is_no_passage(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code, *reason;
    } CASES[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: atan2(y, x)\nstart x = 0\n", "E501", ""},
        {"state h\nlaw h' = sqrt(h)\nstart h = 0\n", "E501", ""},
        {"state h\nlaw h' = -1 - sqrt(h)\nstart h = 1\n", "E504", "a root"},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: atan2(y, x)\n"
         "start x = -1, y = 0.5, x' = 0, y' = -1\n",
         "E504", "atan2"},
        {"state x, y\nlaw x' = sqrt(y^2)/y\nlaw y' = -1\nstart x = 0, y = 1\n", "E501", ""},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        moving it = moving_begin(CASES[k].text, NULL);
        assert_int_equal(moving_advance(&it, 3.0), RH_STOP_FAILED);
        assert_string_equal(rh_motion_reason_code(it.motion), CASES[k].code);
        assert_non_null(strstr(rh_motion_reason(it.motion), CASES[k].reason));
        moving_end(&it);
    }
}

// A vessel that runs empty stays so, if the model says it: h = (1 - t/2)^2 up to t = 2.
static void an_empty_vessel(void **state)
{
    (void)state;
    for (size_t tier = 0; tier < 2; tier++) {
        const double h = value_at("state h\nlaw h' = if(h > 1e-12, -sqrt(h), 0)\nstart h = 1\n",
                                  "h", 5.0, TIERS[tier]);
        assert_near(h, 0.0, 2e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_after_hertz),
        cmocka_unit_test(by_other_methods),
        cmocka_unit_test(contacts_at_loose_tolerances),
        cmocka_unit_test(restoring_forces),
        cmocka_unit_test(with_a_constraint),
        cmocka_unit_test(an_event_without_series),
        cmocka_unit_test(what_is_no_passage),
        cmocka_unit_test(an_empty_vessel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
