// SPDX-License-Identifier: Apache-2.0
// Memory: steps and rows ask for none, and whichever request fails while a motion is made, it says
// so and gives everything back.

#include "moving.h"

// --- stepping ------------------------------------------------------------------------------------

typedef struct stepping {
    const char *text, *path;
    double time;
} stepping;

static const stepping STEPPING[] = {
    {NULL, "examples/rolling_disc/model.rhe", 10.0},
    {NULL, "examples/chain/model.rhe", 1.0},
    {NULL, "examples/pendulum_cartesian/model.rhe", 10.0}, // events
    {NULL, "examples/rattleback/model.rhe", 0.5},
    {NULL, "examples/pendulum_program/model.rhe", 5.0},
    {NULL, "examples/lorenz_chetaev/level_only.rhe", 20.0},
    {NULL, "examples/skate_on_incline/vakonomic.rhe", 5.0},
    {NULL, "examples/andrews/model.rhe", 0.03},
    {"coord x\nkinetic x'^2/2\nforce x: -sign(x) - max(x, 0)\nstart x = 2, x' = 0\n"
     "event zero: x = 0\n",
     NULL, 20.0},                                        // switches
    {"state x\nlaw x' = x^2\nstart x = 1\n", NULL, 2.0}, // fails on the way
};

static moving begin(const stepping *it, const moving_conditions *with)
{
    return it->text != NULL ? moving_begin(it->text, with) : moving_file(it->path, with);
}

// For the input u, where a model has it: ramps and jumps.
static const rh_feed FEED = {"u", (const double[]){0.25, 0.5, 0.5, 1, 2, 2, 3},
                             (const double[]){0, 1, -1, -1, 1, 0, 0.5}, 7};

static void try_steps(const stepping *what, bool is_plain, const moving_conditions *like)
{
    support_memory memory = {0};
    moving_conditions with = *like;
    with.is_plain = is_plain;
    with.memory = &memory;
    moving it = begin(what, &with);
    double *row = calloc(rh_motion_column_count(it.motion) + 1, sizeof *row);
    assert_non_null(row);
    const size_t before = memory.request_count;
    rh_stop stop = RH_STOP_NONE;
    while (stop == RH_STOP_NONE) {
        assert_int_equal(rh_motion_step(it.motion, what->time, &stop, NULL), RH_OK);
        const double low = rh_motion_time_before(it.motion);
        const double high = rh_motion_time(it.motion);
        assert_int_equal(rh_motion_row(it.motion, low + (high - low) / 2.0, row, NULL), RH_OK);
        (void)rh_motion_summarise(it.motion);
    }
    const size_t requests = memory.request_count - before;
    free(row);
    moving_end(&it);
    assert_int_equal(memory.block_count, 0);
    if (requests != 0) {
        fail_msg("%zu requests while stepping, in %s", requests,
                 what->path != NULL ? what->path : what->text);
    }
}

static void steps_ask_for_none(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * (sizeof STEPPING / sizeof STEPPING[0]); k++) {
        try_steps(&STEPPING[k / 2], k % 2 == 1, &(moving_conditions){.feed_count = 0});
    }
}

static void resets_ask_for_none(void **state)
{
    (void)state;
    const stepping ball = {"coord x\nkinetic x'^2/2\npotential 9.81*x\nstart x = 1, x' = 0\n"
                           "event hit: x = 0 down reset x' = -0.7*x'\n",
                           NULL, 2.0};
    try_steps(&ball, false, &(moving_conditions){.feed_count = 0});
}

// Events, switches and resets at the borders of an input from a file.
static void borders_ask_for_none(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                        RH_METHOD_IDA};
    const stepping driven = {"input u from \"u.csv\"\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                             "potential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
                             "force x: u + if(u > 0, 1, -x)\nstart x = 1, y = 0, x' = 0, y' = 0\n"
                             "event up: u = 0.5 up\nevent jump: if(u > 0, u, -u) = 0.5\n"
                             "event kick: u = -0.5 down reset x' = 0, y' = 0\n",
                             NULL, 4.0};
    for (size_t k = 0; k < 4; k++) {
        const moving_conditions with = {
            .feeds = &FEED, .feed_count = 1, .method = METHODS[k], .tolerance = 1e-9};
        try_steps(&driven, false, &with);
    }
}

// Redundant constraints are solved by singular values. That may ask, but not again and again.
static void redundant_constraints_ask_once(void **state)
{
    (void)state;
    support_memory memory = {0};
    const moving_conditions with = {.memory = &memory};
    moving it = moving_file("examples/bricard/model.rhe", &with);
    moving_reach(&it, 1.0);
    const size_t before = memory.request_count;
    moving_reach(&it, 10.0);
    const size_t requests = memory.request_count - before;
    moving_end(&it);
    assert_int_equal(memory.block_count, 0);
    assert_int_equal(requests, 0);
}

// --- making --------------------------------------------------------------------------------------

static const char *const TEXTS[] = {
    // quasi-velocities, a state, events, a switch, observes
    "coord x, y, th\nstate p\nlet lat = y'*cos(th) - x'*sin(th)\n"
    "kinetic (x'^2 + y'^2 + th'^2)/2\nforce x: p - abs(x)\nlaw p' = -p + x\n"
    "constraint blade: lat = 0\nquasi u = x'*cos(th) + y'*sin(th)\n"
    "start u = 1, th = 0.2, th' = 1\nevent east: th = 1 up\nevent force: lambda.blade = 3 stop\n"
    "event back: x = 2 reset th' = -th'\nobserve r = [x, y]\nobserve a = x''\n",
    // a program, redundant constraints
    "coord x, y, z\nkinetic (x'^2 + (1 + x^2)*y'^2 + z'^2)/2\n"
    "constraint a: x^2 + y^2 = 1\nconstraint b: 2*x^2 + 2*y^2 = 2\n"
    "constraint c: z = x with c'' = -c - c'\nguess x = 1, y = 0\n",
    // multipliers that are states
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: -1\n"
    "constraint speed: (x'^2 + y'^2 - 1)/2 = 0 by inertia((x'^2 + y'^2)/2)\n"
    "start x = 0, y = 0, x' = 0.6, y' = 0.8, lambda.speed = 0\n",
    // an input from a file
    "input u from \"u.csv\"\ncoord x, y\nkinetic (x'^2 + y'^2)/2 + x'*y'/4\nforce y: -y\n"
    "constraint drive: x' = sin(t) + 0.1*y\nforce x: u*abs(u)\nstart x = 0, y = 1, y' = 0\n"
    "event on: u = 0.5 reset y' = u\nobserve seen = u\n",
};

enum { TEXT_COUNT = sizeof TEXTS / sizeof TEXTS[0], EACH = 500, MORE = 300 };

// Model and equations with all the memory they want, then the motion.
static void prepare(const char *text, bool is_plain, support_memory *memory, moving *out)
{
    *out = (moving){.motion = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.allocator = support_memory_allocator(memory);
    assert_int_equal(rh_model_create(&def, &out->model, NULL), RH_OK);
    rh_equations_def derive = rh_equations_def_default();
    derive.has_presolve = !is_plain;
    assert_int_equal(rh_equations_create(out->model, &derive, &out->equations, NULL), RH_OK);
}

static rh_motion_def def_for(const rh_model *model)
{
    rh_motion_def def = rh_motion_def_default();
    def.feeds = &FEED;
    def.feed_count = rh_model_feed_count(model);
    return def;
}

static size_t count_requests(const char *text, bool is_plain)
{
    support_memory memory = {0};
    moving it;
    prepare(text, is_plain, &memory, &it);
    const size_t before = memory.request_count;
    const rh_motion_def def = def_for(it.model);
    assert_int_equal(rh_motion_create(it.equations, &def, &it.motion, &it.err), RH_OK);
    const size_t count = memory.request_count - before;
    moving_end(&it);
    assert_int_equal(memory.block_count, 0);
    assert_int_equal(memory.byte_count, 0);
    return count;
}

static void fail_request(const char *text, bool is_plain, size_t n, size_t count)
{
    support_memory memory = {0};
    moving it;
    prepare(text, is_plain, &memory, &it);
    memory.fail_at = memory.request_count + n;
    const rh_motion_def def = def_for(it.model);
    const rh_status status = rh_motion_create(it.equations, &def, &it.motion, &it.err);
    const bool is_consistent = (it.motion != NULL) == (status == RH_OK);
    // folding without memory is no failure: what it would have proved is sampled
    bool is_said = status == RH_E_MEMORY && it.err.status == RH_E_MEMORY;
    if (status == RH_OK) {
        is_said = moving_advance(&it, 0.1) == RH_STOP_REACHED;
    }
    moving_end(&it);
    if (!is_said || !is_consistent || memory.block_count != 0 || memory.byte_count != 0) {
        fail_msg("request %zu of %zu failed: status \"%s\", %zu blocks left, in:\n%s", n, count,
                 rh_status_text(status), memory.block_count, text);
    }
}

static void any_request_may_fail(void **state)
{
    (void)state;
    support_random random = support_random_begin("any_request_may_fail");
    for (uint32_t k = 0; k < 2 * TEXT_COUNT; k++) {
        const char *text = TEXTS[k / 2];
        const bool is_plain = k % 2 == 1;
        const size_t count = count_requests(text, is_plain);
        print_message("%zu requests\n", count);
        for (size_t n = 1; n <= count && n <= EACH; n++) {
            fail_request(text, is_plain, n, count);
        }
        for (uint32_t trial = 0; count > EACH && trial < MORE; trial++) {
            const size_t n = EACH + 1 + support_random_below(&random, (uint32_t)(count - EACH));
            fail_request(text, is_plain, n, count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_ask_for_none),   cmocka_unit_test(resets_ask_for_none),
        cmocka_unit_test(borders_ask_for_none), cmocka_unit_test(redundant_constraints_ask_once),
        cmocka_unit_test(any_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
