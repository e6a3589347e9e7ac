// SPDX-License-Identifier: Apache-2.0
// Random models come to the same end whoever computes their series, with and without presolve, and
// as members of a sweep, whose members may be computed side by side.

#include "jumble.h"

#include "equations/invented.h"

enum { MODELS = 24, SWEPT = 6, MEMBERS = 17 };

#define NEAR 1e-9 // apart from what is chaotic within half a unit of time

typedef struct way {
    const char *name;
    rh_tier tier;
    bool is_plain;
} way;

static const way WAYS[] = {{"interpreted", RH_TIER_INTERPRETED, false},
                           {"emitted", RH_TIER_EMITTED, false},
                           {"interpreted, without presolve", RH_TIER_INTERPRETED, true},
                           {"emitted, without presolve", RH_TIER_EMITTED, true}};
enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

typedef struct arrival {
    rh_status status; // of making it
    rh_stop stop;
    double time;
    moving it;
    double *row;
} arrival;

static arrival arrive(const char *text, const way *by)
{
    const moving_conditions with = {.tier = by->tier, .is_plain = by->is_plain};
    arrival found = {.stop = RH_STOP_NONE};
    found.status = moving_try(text, &with, &found.it);
    if (found.status == RH_OK) {
        const double end = rh_motion_time(found.it.motion) + 0.5;
        found.stop = moving_advance(&found.it, end);
        found.time = rh_motion_time(found.it.motion);
        found.row = moving_row(&found.it, found.time);
    }
    return found;
}

static void leave(arrival *it)
{
    free(it->row);
    moving_end(&it->it);
}

// Reactions may be shared in many ways where they are not unique; motions are not.
static bool is_compared(const moving *it, size_t column)
{
    const rh_quantity quantity = rh_motion_column_quantity(it->motion, column);
    return quantity == RH_QUANTITY_VARIABLE || quantity == RH_QUANTITY_VELOCITY;
}

static double size_of(const arrival *it)
{
    double size = 1.0;
    for (size_t k = 0; k < rh_motion_column_count(it->it.motion); k++) {
        size = is_compared(&it->it, k) ? fmax(size, fabs(it->row[k])) : size;
    }
    return size;
}

static void compare(const arrival *first, const arrival *other, const char *name, const char *text)
{
    if (other->status != first->status || other->stop != first->stop) {
        fail_msg("%s: status %d and stop %d, not %d and %d, in:\n%s", name, (int)other->status,
                 (int)other->stop, (int)first->status, (int)first->stop, text);
    }
    if (first->status != RH_OK || first->stop != RH_STOP_REACHED) {
        return;
    }
    const double size = size_of(first);
    for (size_t k = 0; k < rh_motion_column_count(first->it.motion); k++) {
        const char *column = rh_motion_column_name(first->it.motion, k);
        if (is_compared(&first->it, k)) {
            const double value = other->row[moving_column(&other->it, column)];
            if (!(fabs(value - first->row[k]) <= NEAR * size)) {
                fail_msg("%s: %s is %.17g, not %.17g, in:\n%s", name, column, value, first->row[k],
                         text);
            }
        }
    }
}

// True when there was a motion to compare.
static bool try_ways(const char *text)
{
    arrival first = arrive(text, &WAYS[0]);
    for (size_t k = 1; k < WAY_COUNT; k++) {
        arrival other = arrive(text, &WAYS[k]);
        compare(&first, &other, WAYS[k].name, text);
        leave(&other);
    }
    const bool is_there = first.stop == RH_STOP_REACHED;
    leave(&first);
    return is_there;
}

static void invented_models(void **state)
{
    (void)state;
    support_random random = support_random_begin("invented_models");
    static invention in;
    uint32_t moved = 0;
    for (uint32_t k = 0; k < MODELS; k++) {
        invent(&in, support_random_bits(&random));
        moved += try_ways(in.text);
    }
    print_message("%u of %u models move\n", moved, (uint32_t)MODELS);
    assert_true(moved > MODELS / 2);
}

static void one_sided_models(void **state)
{
    (void)state;
    support_random random = support_random_begin("one_sided_models");
    static jumble of;
    uint32_t moved = 0;
    for (uint32_t k = 0; k < MODELS; k++) {
        jumble_make(&of, &random, k % 4 == 0);
        moved += try_ways(of.text);
    }
    assert_true(moved > MODELS / 2);
}

// --- members -------------------------------------------------------------------------------------

static void compare_member(const jumble *of, const rh_sweep_member *member)
{
    char start[32];
    (void)snprintf(start, sizeof start, "q1=%.17g", member->values[0]);
    const moving_conditions with = {.start = {start}, .start_count = 1};
    moving it = moving_begin(of->text, &with);
    const rh_stop stop = moving_advance(&it, 1.0);
    if (stop != member->stop) {
        fail_msg("member %u stops with %d, not %d, in:\n%s", (unsigned)member->number,
                 (int)member->stop, (int)stop, of->text);
    }
    for (uint32_t k = 0; stop == RH_STOP_REACHED && k < of->n; k++) {
        char name[16];
        (void)snprintf(name, sizeof name, "q%u", k + 1);
        const double value = moving_value(&it, name);
        if (!(fabs(value - member->values[1 + k]) <= 1e-12 * (1.0 + fabs(value)))) {
            fail_msg("member %u: %s is %.17g, not %.17g, in:\n%s", (unsigned)member->number, name,
                     member->values[1 + k], value, of->text);
        }
    }
    moving_end(&it);
}

static void sweep_model(const jumble *of, rh_tier tier)
{
    static const char *const GRIDS[] = {"q1=-0.2:0.2:17"};
    char observe[128] = "final(q1)";
    for (uint32_t k = 1; k < of->n; k++) {
        const size_t size = strlen(observe);
        (void)snprintf(observe + size, sizeof observe - size, ", final(q%u)", k + 1);
    }
    rh_sweep_def def = rh_sweep_def_default();
    def.model.text = of->text;
    def.model.text_size = of->size;
    def.motion.tier = tier;
    def.until = 1.0;
    def.thread_count = 1;
    def.grids = GRIDS;
    def.grid_count = 1;
    def.observe = observe;
    const rh_sweep_run_def run = rh_sweep_run_def_default();
    rh_sweep *sweep = NULL;
    uint64_t done = 0;
    rh_sweep_member member;
    bool is_there = true;
    assert_int_equal(rh_sweep_create(&def, &sweep, NULL), RH_OK);
    assert_int_equal(rh_sweep_run(sweep, &run, &done, NULL), RH_OK);
    assert_int_equal(done, MEMBERS);
    rh_sweep_rewind(sweep);
    while (rh_sweep_next(sweep, &member, &is_there, NULL) == RH_OK && is_there) {
        compare_member(of, &member);
    }
    rh_sweep_destroy(sweep);
}

static void members_of_sweeps(void **state)
{
    (void)state;
    support_random random = support_random_begin("members_of_sweeps");
    static jumble of;
    for (uint32_t k = 0; k < SWEPT; k++) {
        jumble_make(&of, &random, k % 2 == 0);
        sweep_model(&of, RH_TIER_INTERPRETED);
        sweep_model(&of, RH_TIER_EMITTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invented_models),
        cmocka_unit_test(one_sided_models),
        cmocka_unit_test(members_of_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
