// SPDX-License-Identifier: Apache-2.0
// Rest on several surfaces of relays: it lasts while 0 lies in the convex hull of all sides and
// ends when it does not any more, with the same events by all methods, as closed forms tell.

#include "moving.h"

enum { MOST_EVENTS = 64, MOST_EXPECTED = 8 };

typedef struct expected {
    rh_occurrence_kind kind;
    double time;
} expected;

typedef struct place {
    double time;
    const char *name;
    double value, size; // of its unit
} place;

typedef struct example {
    const char *text;
    double until, moment; // times are known to 1e-9 of it
    expected events[MOST_EXPECTED];
    place places[4];
} example;

#define TWISTING "coord x\nkinetic x'^2/2\nstart x = 1, x' = -1\n"
#define REST 3.0547505459530678205
#define RESTS                                                                                      \
    {RH_OCCURRENCE_ACCUMULATE, REST},                                                              \
    {                                                                                              \
        RH_OCCURRENCE_SLIDE, REST                                                                  \
    }
#define LEAVES(time)                                                                               \
    {                                                                                              \
        RH_OCCURRENCE_LEAVE, time                                                                  \
    }

static const example EXAMPLES[] = {
    {.text = TWISTING "force x: -10*sign(x) - 3*sign(x') + 4*max(0, t - 4)\n",
     .until = 8.0,
     .moment = 1.0,
     .events = {RESTS, LEAVES(7.25)},
     .places = {{4.0, "x", 0.0, 1e-3},
                {7.0, "x", 0.0, 1e-3},
                {8.0, "x", 0.28125, 1.0},
                {8.0, "x'", 1.125, 1.0}}},
    // in other units
    {.text = "coord x\nkinetic 1e9*x'^2/2\nstart x = 1e9, x' = -1\n"
             "force x: -10*sign(x) - 3*sign(x') + 4*max(0, t/1e9 - 4)\n",
     .until = 8e9,
     .moment = 1e9,
     .events = {{RH_OCCURRENCE_ACCUMULATE, REST * 1e9},
                {RH_OCCURRENCE_SLIDE, REST * 1e9},
                LEAVES(7.25e9)},
     .places = {{7e9, "x", 0.0, 1e6}, {8e9, "x", 2.8125e8, 1e9}, {8e9, "x'", 1.125, 1.0}}},
    // states, by if, about another point
    {.text = "state x, v\nlaw x' = v\nlaw v' = if(x < 5, 10, -10) - 3*sign(v) + 4*max(0, t - 4)\n"
             "start x = 6, v = -1\n",
     .until = 8.0,
     .moment = 1.0,
     .events = {RESTS, LEAVES(7.25)},
     .places = {{7.0, "x", 5.0, 1e-3}, {8.0, "x", 5.28125, 1.0}, {8.0, "v", 1.125, 1.0}}},
    // loads that jump and swing within the hull
    {.text = TWISTING "let load = if(t < 5, 12.5, if(t < 6, -12.5, if(t < 7, 3, 12.9*sin(20*t))))\n"
                      "force x: -10*sign(x) - 3*sign(x') + if(t < 4, 0, load)\n",
     .until = 9.0,
     .moment = 1.0,
     .events = {RESTS},
     .places = {{5.5, "x", 0.0, 1e-3}, {9.0, "x", 0.0, 1e-3}, {9.0, "x'", 0.0, 1e-3}}},
    // one that comes to the border of the hull and back
    {.text =
         TWISTING "force x: -10*sign(x) - 3*sign(x') + if(t < 4, 0, 13*(1 - 1e-6) - (t - 6)^2)\n",
     .until = 8.0,
     .moment = 1.0,
     .events = {RESTS},
     .places = {{8.0, "x", 0.0, 1e-3}, {8.0, "x'", 0.0, 1e-3}}},
    // two of the surfaces are met at the same time
    {.text = TWISTING "force x: -10*sign(x) - sign(x') - 2*sign(2*x') + 4*max(0, t - 4)\n",
     .until = 8.0,
     .moment = 1.0,
     .events = {RESTS, LEAVES(7.25)},
     .places = {{7.0, "x", 0.0, 1e-3}, {8.0, "x", 0.28125, 1.0}, {8.0, "x'", 1.125, 1.0}}},
    // from rest, where nothing tells a time
    {.text = "coord x\nkinetic x'^2/2\nstart x = 0, x' = 0\n"
             "force x: -10*sign(x) - 0.01*sign(x') + 4*max(0, t - 4)\n",
     .until = 7.5025,
     .moment = 1.0,
     .events = {LEAVES(6.5025)},
     .places = {{6.5, "x", 0.0, 1e-3}, {7.5025, "x", 2.0 / 3.0, 1.0}, {7.5025, "x'", 2.0, 1.0}}},
    // what has nothing to do with it is set back now and then
    {.text = TWISTING "state p\nlaw p' = 1\nevent wrap: p = 0.9 reset p = -100\nstart p = -4\n"
                      "force x: -10*sign(x) - 3*sign(x') + 4*max(0, t - 4)\n",
     .until = 8.0,
     .moment = 1.0,
     .events = {RESTS, {RH_OCCURRENCE_RESET, 4.9}, LEAVES(7.25)},
     .places = {{7.0, "x", 0.0, 1e-3}, {8.0, "x", 0.28125, 1.0}, {8.0, "x'", 1.125, 1.0}}},
    // also while the changes of relays accumulate
    {.text = TWISTING "state p\nlaw p' = 1\nevent wrap: p = 1 reset p = 0\nstart p = 0.05\n"
                      "force x: -10*sign(x) - 3*sign(x')\n",
     .until = 4.5,
     .moment = 1.0,
     .events = {{RH_OCCURRENCE_RESET, 0.95},
                {RH_OCCURRENCE_RESET, 1.95},
                {RH_OCCURRENCE_RESET, 2.95},
                RESTS,
                {RH_OCCURRENCE_RESET, 3.95}},
     .places = {{4.5, "x", 0.0, 1e-3}, {4.5, "x'", 0.0, 1e-3}}},
    // two belts of one speed: whatever is crossed first, both hold
    {.text = "coord x\nkinetic x'^2/2\nforce x: -3*sign(x' - 1) - 2*sign(2*x' - 2) + 6*sin(t)\n"
             "start x = 0, x' = 0\n",
     .until = 4.5,
     .moment = 1.0,
     .events = {{RH_OCCURRENCE_SLIDE, 0.1805040035519113},
                {RH_OCCURRENCE_LEAVE, 0.9851107833377457},
                {RH_OCCURRENCE_SLIDE, 2.7638234824137626},
                {RH_OCCURRENCE_LEAVE, 4.126703436927539}},
     .places = {{0.5, "x'", 1.0, 1e-3}, {4.0, "x'", 1.0, 1e-3}}},
    // bounces that came to an end before the changes of relays do
    {.text = TWISTING "coord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y >= 0 impact 0\n"
                      "start y = 1, y' = 0\n"
                      "force x: -10*sign(x) - 3*sign(x') + 4*max(0, t - 4)\n",
     .until = 8.0,
     .moment = 1.0,
     .events = {{RH_OCCURRENCE_IMPACT, 0.44721359549995793},
                {RH_OCCURRENCE_ENGAGE, 0.44721359549995793},
                RESTS,
                LEAVES(7.25)},
     .places = {{7.0, "x", 0.0, 1e-3}, {8.0, "x", 0.28125, 1.0}, {8.0, "x'", 1.125, 1.0}}},
};

static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                    RH_METHOD_IDA};

static size_t count_of(const example *it)
{
    size_t count = 0;
    while (count < MOST_EXPECTED && it->events[count].time > 0.0) {
        count++;
    }
    return count;
}

static void check_events(const moving *it, const example *of)
{
    const size_t found = rh_motion_occurrence_count(it->motion);
    const size_t count = count_of(of);
    for (size_t k = 0; k < found || k < count; k++) {
        const rh_occurrence at = rh_motion_occurrence(it->motion, k);
        const expected *want = &of->events[k];
        if (k >= found || k >= count || at.kind != want->kind ||
            !(fabs(at.time - want->time) <= 1e-8 * of->moment)) {
            fail_msg("%s: event %zu by %s: %s of %s at %.17g", of->text, k,
                     rh_motion_method(it->motion), rh_occurrence_kind_text(at.kind), at.name,
                     at.time);
        }
    }
}

static void go(const example *of, const moving_conditions *with)
{
    moving it = moving_begin(of->text, with);
    for (size_t k = 0; k < 4 && of->places[k].name != NULL; k++) {
        const place *want = &of->places[k];
        if (want->time > rh_motion_time(it.motion)) {
            moving_reach(&it, want->time);
        }
        const double found = moving_value(&it, want->name);
        if (!(fabs(found - want->value) <= 1e-8 * want->size)) {
            fail_msg("%s: %s at %g is %.17g by %s", of->text, want->name, want->time, found,
                     rh_motion_method(it.motion));
        }
    }
    moving_reach(&it, of->until);
    check_events(&it, of);
    moving_end(&it);
}

static void all_methods_rest_alike(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof EXAMPLES / sizeof *EXAMPLES; k++) {
        for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
            go(&EXAMPLES[k], &(moving_conditions){.method = METHODS[m]});
        }
        go(&EXAMPLES[k], &(moving_conditions){.method = RH_METHOD_TAYLOR, .is_plain = true});
    }
}

static void both_tiers_rest_alike(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        go(&EXAMPLES[k], &(moving_conditions){.method = RH_METHOD_TAYLOR, .tier = RH_TIER_EMITTED});
    }
}

// Other strengths, speeds and loads.
static void strengths_do_not_matter(void **state)
{
    (void)state;
    static const char TEXT[] = "param a = 10, b = 3, k = 4\ncoord x\nkinetic x'^2/2\n"
                               "force x: -a*sign(x) - b*sign(x') + k*max(0, t - 4.9)\n"
                               "start x = 1, x' = -1\n";
    static const double A[] = {7.0, 10.0, 12.3};
    static const double B[] = {2.1, 3.0, 4.0};
    for (size_t n = 0; n < 2 * 3 * 3 * 2; n++) {
        const double a = A[n / 2 % 3];
        const double b = B[n / 6 % 3];
        char set_a[32];
        char set_b[32];
        (void)snprintf(set_a, sizeof set_a, "a=%g", a);
        (void)snprintf(set_b, sizeof set_b, "b=%g", b);
        const moving_conditions with = {.method = METHODS[n / 18],
                                        .set = {set_a, set_b},
                                        .set_count = 2,
                                        .start = {n % 2 == 0 ? "x'=-1" : "x'=0.3"},
                                        .start_count = 1};
        moving it = moving_begin(TEXT, &with);
        const double end = 4.9 + (a + b) / 4.0;
        moving_reach(&it, end + 0.75);
        const size_t count = rh_motion_occurrence_count(it.motion);
        const rh_occurrence last = rh_motion_occurrence(it.motion, count - 1);
        if (count != 3 || last.kind != RH_OCCURRENCE_LEAVE || !(fabs(last.time - end) < 1e-9) ||
            !(fabs(moving_value(&it, "x") - 0.28125) < 1e-9)) {
            fail_msg("a = %g, b = %g, %s: %zu events, x = %.17g", a, b, with.start[0], count,
                     moving_value(&it, "x"));
        }
        moving_end(&it);
    }
}

static void check_has(const moving *it, rh_occurrence want)
{
    bool is_there = false;
    for (size_t k = 0; k < rh_motion_occurrence_count(it->motion) && !is_there; k++) {
        const rh_occurrence at = rh_motion_occurrence(it->motion, k);
        is_there = at.kind == want.kind && strcmp(at.name, want.name) == 0 &&
                   fabs(at.time - want.time) < 1e-8;
    }
    if (!is_there || want.kind == RH_OCCURRENCE_ACCUMULATE) {
        fail_msg("%s of %s at %.17g is not told by %s", rh_occurrence_kind_text(want.kind),
                 want.name, want.time, rh_motion_method(it->motion));
    }
}

// Three frictions on two masses, of which two hold the third: it sticks and slips in many ways.
static void frictions_between_masses_agree(void **state)
{
    (void)state;
    static const char TEXT[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "force x: -3*sign(x') - 2*sign(x' - y') + 6*sin(t)\n"
                               "force y: -sign(y') + 2*sign(x' - y') + 3.5*sin(1.3*t)\n"
                               "start x = 0, x' = 1, y = 0, y' = 0.4\n";
    moving first = moving_begin(TEXT, NULL);
    moving_reach(&first, 20.0);
    const size_t count = rh_motion_occurrence_count(first.motion);
    for (size_t m = 0; m < 5; m++) {
        const moving_conditions with = {.method = METHODS[m % 4],
                                        .tier = m < 4 ? RH_TIER_INTERPRETED : RH_TIER_EMITTED};
        moving it = moving_begin(TEXT, &with);
        moving_reach(&it, 20.0);
        assert_int_equal(rh_motion_occurrence_count(it.motion), count);
        for (size_t k = 0; k < count; k++) { // those of one moment come in any order
            check_has(&it, rh_motion_occurrence(first.motion, k));
        }
        moving_end(&it);
    }
    moving_end(&first);
}

// At the start, where both sides lead away: what holds the motion there has to be stronger than
// either of them.
static void starts_that_are_repelled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool rests;
    } LIST[] = {
        {"force x: 20*sign(x) - 10*sign(x')\n", false},
        {"force x: 20*sign(x)\n", false},
        {"force x: 11*sign(x) - 10*sign(x')\n", false},
        {"force x: 9*sign(x) - 10*sign(x')\n", true},
        {"force x: 0.3*sign(x) - 0.7*sign(x')\n", true},
        {"force x: -10*sign(x) - 3*sign(x')\n", true},
        {"force x: 11 - 10*sign(x) - 3*sign(x')\n", true},
    };
    static const rh_method BOTH[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853};
    for (size_t k = 0; k < 2 * sizeof LIST / sizeof LIST[0]; k++) {
        char text[200];
        (void)snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\n%sstart x = 0, x' = 0\n",
                       LIST[k / 2].text);
        const moving_conditions with = {.method = BOTH[k % 2]};
        moving it = moving_begin(text, &with);
        const rh_stop stop = moving_advance(&it, 1.0);
        assert_int_equal(stop, LIST[k / 2].rests ? RH_STOP_REACHED : RH_STOP_FAILED);
        assert_string_equal(rh_motion_reason_code(it.motion), LIST[k / 2].rests ? "" : "E508");
        moving_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_rest_alike),
        cmocka_unit_test(starts_that_are_repelled),
        cmocka_unit_test(both_tiers_rest_alike),
        cmocka_unit_test(strengths_do_not_matter),
        cmocka_unit_test(frictions_between_masses_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
