// SPDX-License-Identifier: Apache-2.0
// Saved motions: whatever the moment, whoever loads one gets the same bits as whoever went on.
// Files that are not whole, not ours or not honest are refused, and leave the motion as it was.

#include "moving.h"

#include "motion/motion.h"

// --- a motion and what is seen of it -------------------------------------------------------------

typedef struct journey {
    const char *path, *text; // one of them
    double time;
    rh_method method;
    uint64_t every;
    bool is_plain;
    double tolerance; // 0: the default
    uint32_t step_limit;
    const char *set, *start; // NULL: none
} journey;

typedef struct trail {
    uint64_t *marks; // by call of rh_motion_step: everything that can be seen, hashed
    size_t count, capacity;
    rh_stop stop;
} trail;

static moving begin(const journey *what)
{
    const moving_conditions with = {.method = what->method,
                                    .is_plain = what->is_plain,
                                    .tolerance = what->tolerance,
                                    .step_limit = what->step_limit,
                                    .set = {what->set},
                                    .set_count = what->set != NULL,
                                    .start = {what->start},
                                    .start_count = what->start != NULL};
    return what->text != NULL ? moving_begin(what->text, &with) : moving_file(what->path, &with);
}

static void keep(moving *it, uint64_t every, double *notes, uint32_t note_count)
{
    rh_keep_def def = rh_keep_def_default();
    def.every = every;
    def.notes = notes;
    def.note_count = note_count;
    assert_int_equal(rh_motion_keep(it->motion, &def, &it->err), RH_OK);
}

static support_text save(moving *it)
{
    support_text bytes = {0};
    assert_int_equal(rh_motion_save(it->motion, support_text_sink(&bytes), &it->err), RH_OK);
    return bytes;
}

static void load(moving *it, const support_text *bytes)
{
    if (rh_motion_load(it->motion, bytes->data, bytes->size, &it->err) != RH_OK) {
        fail_msg("%s", it->err.message);
    }
}

static uint64_t hash_row(moving *it, double time, uint64_t seed)
{
    double *row = moving_row(it, time);
    const size_t size = rh_motion_column_count(it->motion) * sizeof *row;
    const uint64_t hash = rh__hash_bytes(row, size, seed);
    free(row);
    return hash;
}

static rh_stop take_step(moving *it, double t_end)
{
    rh_stop stop = RH_STOP_NONE;
    assert_int_equal(rh_motion_step(it->motion, t_end, &stop, &it->err), RH_OK);
    return stop;
}

// Go to the end; `looks`: with a row in the middle of each step.
static trail follow(moving *it, double t_end, bool looks)
{
    trail out = {.stop = RH_STOP_NONE};
    while (out.stop == RH_STOP_NONE) {
        out.stop = take_step(it, t_end);
        const double now = rh_motion_time(it->motion);
        const double middle = 0.5 * (rh_motion_time_before(it->motion) + now);
        uint64_t mark = hash_row(it, now, rh_motion_occurrence_count(it->motion));
        mark = looks ? hash_row(it, middle, mark) : mark;
        if (out.count == out.capacity) {
            out.capacity = 2 * out.capacity + 16;
            out.marks = realloc(out.marks, out.capacity * sizeof *out.marks);
            assert_non_null(out.marks);
        }
        out.marks[out.count++] = mark;
    }
    return out;
}

static bool is_same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void assert_same_end(moving *a, moving *b)
{
    const rh_motion_summary first = rh_motion_summarise(a->motion);
    const rh_motion_summary second = rh_motion_summarise(b->motion);
    assert_true(is_same_number(rh_motion_time(a->motion), rh_motion_time(b->motion)));
    assert_string_equal(rh_motion_reason(a->motion), rh_motion_reason(b->motion));
    assert_string_equal(first.method, second.method);
    assert_string_equal(first.method_reason, second.method_reason);
    assert_int_equal(first.steps, second.steps);
    assert_int_equal(first.singular_steps, second.singular_steps);
    assert_true(is_same_number(first.energy_start, second.energy_start));
    assert_true(is_same_number(first.energy_now, second.energy_now));
    assert_true(is_same_number(first.residual, second.residual));
    assert_true(is_same_number(first.push, second.push));
    assert_string_equal(rh_motion_reason_code(a->motion), rh_motion_reason_code(b->motion));
    for (size_t k = 0; k < a->motion->equations->links.count; k++) {
        assert_true(rh_motion_is_active(a->motion, k) == rh_motion_is_active(b->motion, k));
        assert_true(rh_motion_was_active(a->motion, k) == rh_motion_was_active(b->motion, k));
        assert_true(rh_motion_is_neutral(a->motion, k) == rh_motion_is_neutral(b->motion, k));
        assert_true(
            is_same_number(rh_motion_residual(a->motion, k), rh_motion_residual(b->motion, k)));
    }
    const size_t count = rh_motion_occurrence_count(a->motion);
    assert_int_equal(count, rh_motion_occurrence_count(b->motion));
    for (size_t k = 0; k < count; k++) {
        const rh_occurrence one = rh_motion_occurrence(a->motion, k);
        const rh_occurrence other = rh_motion_occurrence(b->motion, k);
        assert_true(is_same_number(one.time, other.time) && one.kind == other.kind);
        assert_string_equal(one.name, other.name);
    }
}

static void assert_same_bytes(moving *a, moving *b)
{
    support_text first = save(a);
    support_text second = save(b);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    free(first.data);
    free(second.data);
}

// --- the same bits -------------------------------------------------------------------------------

// Interrupt after `calls` steps and go on from what was saved then.
static void interrupt(const journey *what, size_t calls, moving *whole, const trail *seen)
{
    moving first = begin(what);
    keep(&first, what->every, NULL, 0);
    for (size_t k = 0; k < calls; k++) {
        (void)take_step(&first, what->time);
    }
    support_text bytes = save(&first);
    const uint64_t kept = rh_motion_kept_steps(first.motion);
    moving_end(&first);
    moving second = begin(what);
    keep(&second, 0, NULL, 0); // the rhythm is in the bytes
    load(&second, &bytes);
    assert_int_equal(rh_motion_kept_steps(second.motion), kept);
    assert_int_equal(rh_motion_summarise(second.motion).steps, kept);
    trail rest = follow(&second, what->time, true);
    assert_int_equal(rest.stop, seen->stop);
    assert_true(rest.count <= seen->count && rest.count > 0);
    const size_t missing = seen->count - rest.count;
    assert_true(what->every > 0 || missing == (calls < seen->count ? calls : seen->count - 1));
    assert_memory_equal(rest.marks, seen->marks + missing, rest.count * sizeof *rest.marks);
    assert_same_end(whole, &second);
    assert_same_bytes(whole, &second);
    free(rest.marks);
    free(bytes.data);
    moving_end(&second);
}

static void try_journey(const journey *what, support_random *random, uint32_t trials)
{
    moving whole = begin(what);
    keep(&whole, what->every, NULL, 0);
    trail seen = follow(&whole, what->time, true);
    print_message("%s: %s, %zu steps, %zu occurrences\n",
                  what->path != NULL ? what->path : what->text, rh_motion_method(whole.motion),
                  seen.count, rh_motion_occurrence_count(whole.motion));
    // for methods without a history nothing is changed by being kept, nor by looking
    if (what->every == 0) {
        moving bare = begin(what);
        trail other = follow(&bare, what->time, false);
        assert_int_equal(other.stop, seen.stop);
        assert_same_end(&whole, &bare);
        free(other.marks);
        moving_end(&bare);
    }
    interrupt(what, 0, &whole, &seen);
    interrupt(what, seen.count, &whole, &seen); // after its end
    for (uint32_t k = 0; k < trials; k++) {
        interrupt(what, support_random_below(random, (uint32_t)seen.count), &whole, &seen);
    }
    free(seen.marks);
    moving_end(&whole);
}

#define BALL                                                                                       \
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nstart x = 0, y = 1, x' = 1, y' = 0\n"  \
    "event hit: y = 0 down reset y' = -0.9*y'\nevent far: x = 7 record\n"
#define SWITCHED                                                                                   \
    "coord x\nkinetic x'^2/2\nforce x: -sign(x) - max(x, 0) - if(x' > 0.5, 0.1, 0)\n"              \
    "start x = 2, x' = 0\nevent zero: x = 0\nevent fast: abs(x') - 1 = 0\n"
// sticks and slips, and is lifted off a floor now and then
#define HOPPING                                                                                    \
    "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: sin(t) - 0.6*sign(x')\n"                        \
    "force y: -1 + 1.4*sin(2*t)\nconstraint floor: y >= 0 impact 0.5\n"                            \
    "constraint forward: x' + 0.3 >= 0\nstart x = 0, y = 0.2, x' = 0.5, y' = 0\n"                  \
    "event top: y' = 0 down record\n"
// stiff, not stiff after the reset, and stiff again
#define STIFF                                                                                      \
    "param k = 1e6\nstate x, y, s\nlaw x' = -k*s*(x - cos(y))\nlaw y' = 1\nlaw s' = 0\n"           \
    "start x = 1, y = 0, s = 1\nevent soft: y = 0.5 up reset s = 0\n"                              \
    "event hard: y = 0.6 up reset s = 1\n"

static void series_go_on(void **state)
{
    (void)state;
    static const journey LIST[] = {
        {.path = "examples/pendulum_cartesian/model.rhe", .time = 10.0},
        {.path = "examples/chain/model.rhe", .time = 1.0, .is_plain = true},
        {.path = "examples/four_bar/model.rhe", .time = 10.0}, // steps are taken back
        {.path = "examples/bricard/model.rhe", .time = 3.0},
        {.path = "examples/lorenz/model.rhe", .time = 20.0},
        {.path = "examples/pendulum_program/model.rhe", .time = 5.0},
        {.path = "examples/skate_on_incline/vakonomic.rhe", .time = 5.0},
        {.path = "examples/andrews/model.rhe", .time = 0.02},
        {.path = "tests/golden/models/language_event_reset.rhe", .time = 20.0},
        {.path = "tests/cli/models/stop.rhe", .time = 10.0},
        {.path = "tests/cli/models/singular.rhe", .time = 2.0},
        {.text = BALL, .time = 20.0},
        {.text = SWITCHED, .time = 40.0},
        {.text = SWITCHED, .time = 1e6, .step_limit = 150},
        {.text = HOPPING, .time = 30.0},
        {.path = "examples/sleigh_offset/model.rhe", .time = 14.0},
        {.path = "examples/sleigh_torque/model.rhe", .time = 20.0},
        {.path = "examples/bouncing_ball/model.rhe", .time = 5.0},
        {.path = "examples/corner/model.rhe", .time = 8.0},
        {.path = "examples/woodpecker/model.rhe", .time = 2.0},
    };
    support_random random = support_random_begin("series_go_on");
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        journey what = LIST[k];
        try_journey(&what, &random, 6);
        what.method = RH_METHOD_TAYLOR;
        try_journey(&what, &random, 3);
    }
}

// Bars that begin flat up to rounding: the first steps look closer than others.
static void starts_on_singular_places_go_on(void **state)
{
    (void)state;
    static const journey LIST[] = {
        {.path = "tests/cli/models/flat.rhe", .time = 0.001},
        {.text = "param turn = 1.5707963267948966, g = 9.81\ncoord x[0..2], y[0..2]\n"
                 "kinetic sum(i in 0..2: (x[i]'^2 + y[i]'^2)/6)\n"
                 "kinetic sum(i in 1..2: (x[i-1]'^2 + x[i-1]'*x[i]' + x[i]'^2)/6)\n"
                 "kinetic sum(i in 1..2: (y[i-1]'^2 + y[i-1]'*y[i]' + y[i]'^2)/6)\n"
                 "potential sum(i in 0..2: g*y[i]/2) + sum(i in 1..2: g*(y[i-1] + y[i])/2)\n"
                 "for i in 0..2: constraint upright[i]: (x[i] - i)^2 + y[i]^2 = 1\n"
                 "for i in 1..2: constraint coupler[i]: "
                 "(x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
                 "for i in 0..2: start x[i] = i + sin(turn), y[i] = cos(turn)\n"
                 "for i in 0..2: start x[i]' = 5*cos(turn), y[i]' = -5*sin(turn)\n",
         .time = 0.001},
    };
    for (size_t k = 0; k < 4; k++) {
        journey what = LIST[k / 2];
        what.method = k % 2 == 0 ? RH_METHOD_AUTO : RH_METHOD_TAYLOR;
        moving whole = begin(&what);
        keep(&whole, 0, NULL, 0);
        trail seen = follow(&whole, what.time, true);
        assert_int_equal(seen.stop, RH_STOP_REACHED);
        assert_true(rh_motion_summarise(whole.motion).singular_steps > 0);
        for (size_t moment = 0; moment <= seen.count; moment++) {
            interrupt(&what, moment, &whole, &seen);
        }
        free(seen.marks);
        moving_end(&whole);
    }
}

static void runge_kutta_steps_go_on(void **state)
{
    (void)state;
    static const journey LIST[] = {
        {.path = "examples/pendulum_cartesian/model.rhe", .time = 5.0},
        {.path = "examples/chain/model.rhe", .time = 0.5, .tolerance = 1e-9},
        {.path = "examples/van_der_pol/model.rhe", .time = 20.0},
        {.path = "tests/golden/models/language_event_reset.rhe", .time = 20.0},
        {.path = "tests/cli/models/stop.rhe", .time = 10.0},
        {.path = "tests/cli/models/singular.rhe", .time = 2.0},
        {.text = BALL, .time = 10.0},
        {.text = SWITCHED, .time = 20.0, .is_plain = true},
        {.text = HOPPING, .time = 10.0, .tolerance = 1e-9},
        {.path = "examples/sleigh_offset/model.rhe", .time = 14.0, .tolerance = 1e-9},
    };
    support_random random = support_random_begin("runge_kutta_steps_go_on");
    for (size_t k = 0; k < sizeof LIST / sizeof LIST[0]; k++) {
        journey what = LIST[k];
        what.method = RH_METHOD_DOP853;
        try_journey(&what, &random, 6);
    }
}

// Methods with a history begin anew at set numbers of steps.
static void guests_go_on(void **state)
{
    (void)state;
    static const journey LIST[] = {
        {.path = "examples/pendulum_cartesian/model.rhe", .time = 5.0, .every = 150},
        {.path = "examples/van_der_pol/model.rhe", .time = 10.0, .every = 97},
        {.path = "tests/golden/models/language_event_reset.rhe", .time = 10.0, .every = 200},
        {.path = "tests/cli/models/stop.rhe", .time = 10.0, .every = 40},
        {.path = "tests/cli/models/singular.rhe", .time = 2.0, .every = 50},
        {.text = SWITCHED, .time = 10.0, .every = 100},
        {.text = BALL, .time = 3.0, .every = 60},
        {.path = "examples/sleigh_offset/model.rhe", .time = 6.0, .every = 150},
    };
    support_random random = support_random_begin("guests_go_on");
    for (size_t k = 0; k < 2 * (sizeof LIST / sizeof LIST[0]); k++) {
        journey what = LIST[k / 2];
        what.method = k % 2 == 0 ? RH_METHOD_CVODE : RH_METHOD_IDA;
        what.tolerance = 1e-9;
        try_journey(&what, &random, 5);
    }
}

// Chosen on the way: from series to backward differences and back.
static void choices_go_on(void **state)
{
    (void)state;
    const journey what = {.text = STIFF, .time = 1.0, .every = 60, .tolerance = 1e-10};
    support_random random = support_random_begin("choices_go_on");
    moving it = begin(&what);
    bool was_taylor = false;
    uint32_t changes = 0;
    for (rh_stop stop = RH_STOP_NONE; stop == RH_STOP_NONE;) {
        stop = take_step(&it, what.time);
        const bool is_taylor = strcmp(rh_motion_method(it.motion), "taylor") == 0;
        changes += is_taylor != was_taylor;
        was_taylor = is_taylor;
    }
    moving_end(&it);
    assert_true(changes >= 4);
    static const double TIMES[] = {1.0, 0.4, 0.55};
    for (size_t k = 0; k < 3; k++) {
        for (uint64_t every = 16; every <= 64; every *= 2) {
            journey one = what;
            one.time = TIMES[k];
            one.every = every;
            try_journey(&one, &random, 6);
        }
    }
}

// A run to its end, continued to a later one, is a run to the later one.
static void ends_may_be_moved(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_AUTO, RH_METHOD_TAYLOR, RH_METHOD_DOP853};
    for (size_t m = 0; m < 3; m++) {
        const journey what = {
            .path = "examples/pendulum_cartesian/model.rhe", .time = 7.0, .method = METHODS[m]};
        moving whole = begin(&what);
        keep(&whole, 0, NULL, 0);
        moving_reach(&whole, 7.0);
        moving first = begin(&what);
        keep(&first, 0, NULL, 0);
        moving_reach(&first, 3.0);
        support_text bytes = save(&first);
        moving second = begin(&what);
        keep(&second, 0, NULL, 0);
        load(&second, &bytes);
        assert_true(rh_motion_time(second.motion) < 3.0); // before the step that 3 cut
        moving_reach(&second, 7.0);
        assert_same_end(&whole, &second);
        assert_same_bytes(&whole, &second);
        free(bytes.data);
        moving_end(&whole);
        moving_end(&first);
        moving_end(&second);
    }
}

static void notes_belong_to_the_state(void **state)
{
    (void)state;
    const journey what = {.text = SWITCHED, .time = 5.0};
    double notes[2] = {0.0, 0.0};
    moving first = begin(&what);
    keep(&first, 0, notes, 2);
    rh_stop stop = RH_STOP_NONE;
    while (stop == RH_STOP_NONE) {
        notes[1] = notes[0];
        notes[0] = rh_motion_time(first.motion);
        stop = take_step(&first, what.time);
    }
    support_text bytes = save(&first); // before the last step
    double found[2] = {-1.0, -1.0};
    moving second = begin(&what);
    keep(&second, 0, found, 2);
    load(&second, &bytes);
    assert_true(found[0] == notes[0] && found[1] == notes[1]);
    assert_true(found[0] == rh_motion_time(second.motion));
    moving_end(&second);
    moving third = begin(&what);
    keep(&third, 0, found, 1);
    assert_int_equal(rh_motion_load(third.motion, bytes.data, bytes.size, &third.err),
                     RH_E_ARGUMENT);
    assert_non_null(strstr(third.err.message, "notes"));
    free(bytes.data);
    moving_end(&third);
    moving_end(&first);
}

// --- refusals ------------------------------------------------------------------------------------

static support_text save_at(const journey *what, double time)
{
    moving it = begin(what);
    keep(&it, what->every, NULL, 0);
    (void)moving_advance(&it, time);
    support_text bytes = save(&it);
    moving_end(&it);
    return bytes;
}

static void refuse(const journey *what, const support_text *bytes, const char *because)
{
    moving it = begin(what);
    assert_int_equal(rh_motion_load(it.motion, bytes->data, bytes->size, &it.err), RH_E_ARGUMENT);
    if (strstr(it.err.message, because) == NULL) {
        fail_msg("it says \"%s\", and not \"%s\"", it.err.message, because);
    }
    moving_end(&it);
}

static void others_are_refused(void **state)
{
    (void)state;
    const journey own = {.text = SWITCHED, .time = 5.0};
    support_text bytes = save_at(&own, 5.0);
    journey other = own;
    other.text = SWITCHED "# another text\n";
    refuse(&other, &bytes, "another model");
    other = own;
    other.start = "x=2";
    refuse(&other, &bytes, "another model");
    other = own;
    other.tolerance = 1e-12;
    refuse(&other, &bytes, "its tolerance is 1e-13, and not 1e-12");
    other = own;
    other.method = RH_METHOD_DOP853;
    refuse(&other, &bytes, "its method is chosen on the way, and not dop853");
    other.method = RH_METHOD_IDA;
    refuse(&other, &bytes, "its method is chosen on the way, and not ida");
    other = own;
    other.is_plain = true;
    refuse(&other, &bytes, "it was made with the presolve");
    free(bytes.data);
    // parameters and start values are not mixed up
    const journey set = {.text = "param k = 1\ncoord x\nkinetic x'^2/2\npotential k*x^2\n",
                         .time = 1.0,
                         .set = "k=2"};
    bytes = save_at(&set, 1.0);
    other = set;
    other.set = "k=3";
    refuse(&other, &bytes, "another model");
    other.set = "k=2";
    other.start = "x=1";
    refuse(&other, &bytes, "another model");
    free(bytes.data);
}

static void calls_out_of_order_are_refused(void **state)
{
    (void)state;
    const journey what = {.text = BALL, .time = 5.0};
    support_text bytes = {0};
    moving it = begin(&what);
    assert_int_equal(rh_motion_save(it.motion, support_text_sink(&bytes), &it.err), RH_E_ARGUMENT);
    keep(&it, 0, NULL, 0);
    const rh_keep_def def = rh_keep_def_default();
    assert_int_equal(rh_motion_keep(it.motion, &def, &it.err), RH_E_ARGUMENT); // twice
    bytes = save(&it);
    (void)take_step(&it, 1.0);
    assert_int_equal(rh_motion_load(it.motion, bytes.data, bytes.size, &it.err), RH_E_ARGUMENT);
    free(bytes.data);
    moving_end(&it);
}

static bool refuse_write(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return false;
}

static void sinks_may_refuse(void **state)
{
    (void)state;
    const journey what = {.text = BALL, .time = 5.0};
    moving it = begin(&what);
    keep(&it, 0, NULL, 0);
    const rh_sink sink = {refuse_write, NULL};
    assert_int_equal(rh_motion_save(it.motion, sink, &it.err), RH_E_WRITE);
    moving_reach(&it, 1.0);
    moving_end(&it);
}

// Each byte in turn, each bit of it; and every size but the right one.
static void damage_is_noticed(void **state)
{
    (void)state;
    const journey what = {.text = BALL, .time = 5.0};
    support_text bytes = save_at(&what, 5.0);
    moving it = begin(&what);
    keep(&it, 0, NULL, 0);
    support_text before = save(&it);
    for (size_t k = 0; k < 8 * bytes.size; k++) {
        bytes.data[k / 8] = (char)(bytes.data[k / 8] ^ (1 << k % 8));
        assert_int_equal(rh_motion_load(it.motion, bytes.data, bytes.size, &it.err), RH_E_ARGUMENT);
        bytes.data[k / 8] = (char)(bytes.data[k / 8] ^ (1 << k % 8));
    }
    for (size_t size = 0; size < bytes.size; size++) {
        assert_int_equal(rh_motion_load(it.motion, bytes.data, size, &it.err), RH_E_ARGUMENT);
    }
    char *longer = calloc(bytes.size + 9, 1);
    assert_non_null(longer);
    memcpy(longer, bytes.data, bytes.size);
    for (size_t more = 1; more < 9; more++) {
        assert_int_equal(rh_motion_load(it.motion, longer, bytes.size + more, &it.err),
                         RH_E_ARGUMENT);
    }
    free(longer);
    // nothing has happened to it
    support_text after = save(&it);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    load(&it, &bytes);
    free(before.data);
    free(after.data);
    free(bytes.data);
    moving_end(&it);
}

// The hash of a file that somebody changed can be made right again.
static void seal(support_text *bytes)
{
    const uint64_t hash = rh__hash_bytes(bytes->data, bytes->size - 8, 0);
    for (size_t k = 0; k < 8; k++) {
        bytes->data[bytes->size - 8 + k] = (char)(hash >> 8 * k);
    }
}

// Files made to harm: they are refused, or lead to a motion that can be moved and looked at.
static void harm(const journey *what, support_random *random, uint32_t trials)
{
    support_text bytes = save_at(what, what->time);
    char *whole = malloc(bytes.size);
    assert_non_null(whole);
    memcpy(whole, bytes.data, bytes.size);
    uint32_t taken = 0;
    for (uint32_t trial = 0; trial < trials; trial++) {
        memcpy(bytes.data, whole, bytes.size);
        const uint32_t changes = 1 + support_random_below(random, 3);
        for (uint32_t k = 0; k < changes; k++) {
            const uint32_t at = support_random_below(random, (uint32_t)bytes.size - 8);
            bytes.data[at] = (char)support_random_bits(random);
        }
        seal(&bytes);
        moving it = begin(what);
        keep(&it, 0, NULL, 0);
        if (rh_motion_load(it.motion, bytes.data, bytes.size, &it.err) == RH_OK) {
            taken++;
            rh_stop stop = RH_STOP_NONE;
            const double end = fmax(rh_motion_time(it.motion), what->time) + 0.1;
            // numbers beyond measure may end it in any way
            rh_status status = RH_OK;
            for (uint32_t k = 0; k < 20 && stop == RH_STOP_NONE && status == RH_OK; k++) {
                status = rh_motion_step(it.motion, end, &stop, &it.err);
            }
            for (size_t k = 0; k < rh_motion_occurrence_count(it.motion); k++) {
                assert_true(strlen(rh_motion_occurrence(it.motion, k).name) > 0);
            }
            assert_true(strlen(rh_motion_method_reason(it.motion)) < 200);
            support_text again = save(&it);
            free(again.data);
        }
        moving_end(&it);
    }
    print_message("%u of %u were taken\n", (unsigned)taken, (unsigned)trials);
    free(whole);
    free(bytes.data);
}

static void harmful_files_do_no_harm(void **state)
{
    (void)state;
    support_random random = support_random_begin("harmful_files_do_no_harm");
    const journey ball = {.text = BALL, .time = 5.0};
    const journey switched = {.text = SWITCHED, .time = 10.0, .method = RH_METHOD_DOP853};
    const journey stiff = {.text = STIFF, .time = 0.45, .every = 20, .tolerance = 1e-8};
    harm(&ball, &random, 300);
    harm(&switched, &random, 300);
    harm(&stiff, &random, 300);
    const journey hopping = {.text = HOPPING, .time = 8.0};
    harm(&hopping, &random, 300);
}

// The first item of all fields of this name that have some, each of which stands behind the size of
// its name, the name, its kind and its number of items.
static void forge(support_text *bytes, const char *name, const void *item, size_t size)
{
    const size_t length = strlen(name);
    uint32_t found = 0;
    for (size_t k = 1; k + length + 5 + size <= bytes->size; k++) {
        char *at = bytes->data + k;
        if ((unsigned char)at[-1] == length && memcmp(at, name, length) == 0 &&
            at[length + 1] != 0) {
            memcpy(at + length + 5, item, size);
            found++;
        }
    }
    assert_true(found > 0);
    seal(bytes);
}

// What is held has to be a slide, a truth is one of three numbers or none, and a motion that cannot
// follow its inputs has ended.
static void forged_modes_are_refused(void **state)
{
    (void)state;
    const journey what = {.text = SWITCHED, .time = 10.0};
    const bool yes = true;
    const double seven = 7.0;
    const struct {
        const char *name;
        const void *item;
        size_t size;
    } fields[] = {{"is sliding", &yes, 1},
                  {"is lent", &yes, 1},
                  {"is stuck", &yes, 1},
                  {"forced", &seven, sizeof seven}};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
        support_text bytes = save_at(&what, what.time);
        forge(&bytes, fields[k].name, fields[k].item, fields[k].size);
        refuse(&what, &bytes, fields[k].name);
        free(bytes.data);
    }
}

static void other_versions_are_named(void **state)
{
    (void)state;
    const journey what = {.text = BALL, .time = 1.0};
    support_text bytes = save_at(&what, 1.0);
    bytes.data[strlen("rheonom checkpoint ")] = '9';
    seal(&bytes);
    refuse(&what, &bytes, "another version");
    const support_text text = {"coord x\n", 8};
    refuse(&what, &text, "it is no checkpoint");
    const support_text empty = {"", 0};
    refuse(&what, &empty, "it is no checkpoint");
    bytes.data[strlen("rheonom checkpoint ")] = '5';
    bytes.size -= 5;
    refuse(&what, &bytes, "it is not whole");
    bytes.size += 5;
    bytes.data[bytes.size / 2] ^= 1;
    refuse(&what, &bytes, "it is damaged");
    free(bytes.data);
}

// --- memory --------------------------------------------------------------------------------------

// Being kept asks for memory once; the steps go on without.
static void steps_ask_for_none(void **state)
{
    (void)state;
    support_memory memory = {0};
    const moving_conditions with = {.memory = &memory};
    moving it = moving_begin(BALL, &with);
    keep(&it, 0, NULL, 0);
    const size_t before = memory.request_count;
    moving_reach(&it, 5.0);
    assert_int_equal(memory.request_count - before, 0);
    moving_end(&it);
    assert_int_equal(memory.block_count, 0);
}

static void refused_memory_is_a_status(void **state)
{
    (void)state;
    support_memory memory = {0};
    const moving_conditions with = {.memory = &memory};
    moving it = moving_begin(BALL, &with);
    const rh_keep_def def = rh_keep_def_default();
    memory.fail_at = memory.request_count + 1;
    assert_int_equal(rh_motion_keep(it.motion, &def, &it.err), RH_E_MEMORY);
    moving_end(&it);
    it = moving_begin(BALL, &with);
    keep(&it, 0, NULL, 0);
    support_text bytes = {0};
    memory.fail_at = memory.request_count + 1;
    assert_int_equal(rh_motion_save(it.motion, support_text_sink(&bytes), &it.err), RH_E_MEMORY);
    bytes = save(&it);
    free(bytes.data);
    moving_end(&it);
    assert_int_equal(memory.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_go_on),
        cmocka_unit_test(starts_on_singular_places_go_on),
        cmocka_unit_test(runge_kutta_steps_go_on),
        cmocka_unit_test(guests_go_on),
        cmocka_unit_test(choices_go_on),
        cmocka_unit_test(ends_may_be_moved),
        cmocka_unit_test(notes_belong_to_the_state),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(calls_out_of_order_are_refused),
        cmocka_unit_test(sinks_may_refuse),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(harmful_files_do_no_harm),
        cmocka_unit_test(forged_modes_are_refused),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(steps_ask_for_none),
        cmocka_unit_test(refused_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
