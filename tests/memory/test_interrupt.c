// SPDX-License-Identifier: Apache-2.0
// Interruption: whichever question whether to go on is answered by no, everything made from a model
// says that it was interrupted, with the reason of the caller, and gives everything back.

#include "support.h"

#include <stdlib.h>

static const char REASON[] = "that is enough";

typedef struct caller {
    uint64_t asked;
    uint64_t end_at; // this question and all later ones are answered by no; 0: none is
} caller;

static const char *ask(void *user)
{
    caller *it = user;
    it->asked++;
    return it->end_at > 0 && it->asked >= it->end_at ? REASON : NULL;
}

typedef struct trial {
    rh_model *model;
    rh_equations *equations;
    rh_error err;
} trial;

typedef rh_status use(trial *it);

static bool swallow(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return true;
}

static rh_status print_forms(trial *it)
{
    const rh_sink sink = {swallow, NULL};
    rh_status status = RH_OK;
    for (int kind = RH_FORM_FREE; status == RH_OK && kind <= RH_FORM_PRINCIPAL; kind++) {
        status =
            rh_output_equations(it->equations, (rh_form_kind)kind, RH_FORMAT_TEXT, sink, &it->err);
    }
    return status == RH_OK ? rh_equations_dump(it->equations, sink, &it->err) : status;
}

static rh_status examine(trial *it)
{
    rh_checkup *checkup = NULL;
    const rh_status status = rh_checkup_create(it->equations, &checkup, &it->err);
    rh_checkup_destroy(checkup);
    return status;
}

static rh_status move(trial *it)
{
    rh_motion_def def = rh_motion_def_default();
    rh_motion *motion = NULL;
    rh_stop stop = RH_STOP_NONE;
    def.tier = RH_TIER_INTERPRETED;
    rh_status status = rh_motion_create(it->equations, &def, &motion, &it->err);
    while (status == RH_OK && stop == RH_STOP_NONE) {
        status = rh_motion_step(motion, 1.0, &stop, &it->err);
    }
    assert_true(status != RH_OK || stop == RH_STOP_REACHED);
    rh_motion_destroy(motion);
    return status;
}

static rh_status find_orbit(trial *it)
{
    rh_motion_def moved = rh_motion_def_default();
    rh_orbit_def def = rh_orbit_def_default();
    rh_motion *motion = NULL;
    rh_orbit *orbit = NULL;
    moved.tier = RH_TIER_INTERPRETED;
    rh_status status = rh_motion_create(it->equations, &moved, &motion, &it->err);
    if (status == RH_OK) {
        status = rh_orbit_create(motion, &def, &orbit, &it->err);
    }
    rh_orbit_destroy(orbit);
    rh_motion_destroy(motion);
    return status;
}

static rh_status find_steady(trial *it)
{
    const rh_steady_def def = rh_steady_def_default();
    rh_steady *steady = NULL;
    const rh_status status = rh_steady_create(it->equations, &def, &steady, &it->err);
    rh_steady_destroy(steady);
    return status;
}

static rh_status linearise(trial *it)
{
    const rh_linear_def def = rh_linear_def_default();
    rh_linear *linear = NULL;
    const rh_status status = rh_linear_create(it->equations, &def, &linear, &it->err);
    rh_linear_destroy(linear);
    return status;
}

static rh_status invert(trial *it)
{
    const rh_inverse_def def = rh_inverse_def_default();
    rh_inverse *inverse = NULL;
    const rh_status status = rh_inverse_create(it->model, &def, &inverse, &it->err);
    rh_inverse_destroy(inverse);
    return status;
}

static rh_status judge(trial *it)
{
    const rh_program_def def = rh_program_def_default();
    rh_program *program = NULL;
    const rh_status status = rh_program_create(it->equations, &def, &program, &it->err);
    rh_program_destroy(program);
    return status;
}

static const char PENDULUM[] = "param m = 1, l = 2, g = 9.81\ncoord x, y\n"
                               "kinetic m*(x'^2 + y'^2)/2\npotential m*g*y\n"
                               "constraint rod: x^2 + y^2 = l^2\nstart x = 1, y = -sqrt(3)\n";
static const char CHAIN[] =
    "param n = 6, l = 1/n\ncoord a[1..n]\n"
    "for i in 1..n: let u[i] = [sin(a[i]), -cos(a[i])]*l\n"
    "for i in 1..n: let c[i] = sum(k in 1..i: u[k]) - u[i]/2\n"
    "kinetic sum(i in 1..n: dot(c[i]', c[i]')/2)\npotential sum(i in 1..n: dot(c[i], [0, 1]))\n"
    "start a[1] = 0.3\n";
static const char SWING[] = "coord x\nkinetic x'^2/2\npotential 1 - cos(x)\nstart x = 1\n";
static const char LAWS[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                           "constraint c: x = y with c'' = -c - c'\nstart x = 0.1\n";

typedef struct row {
    const char *name, *text;
    use *run;
} row;

static const row ROWS[] = {
    {"forms", PENDULUM, print_forms}, {"checkup", PENDULUM, examine},
    {"motion", PENDULUM, move},       {"chain", CHAIN, move},
    {"orbit", SWING, find_orbit},     {"steady", CHAIN, find_steady},
    {"linear", CHAIN, linearise},     {"inverse", SWING, invert},
    {"program", LAWS, judge},
};

static rh_status attempt(const row *on, caller *it, support_memory *memory, rh_error *err)
{
    trial on_it = {.err = {.message = ""}};
    rh_model_def def = rh_model_def_default();
    const rh_equations_def derived = rh_equations_def_default();
    def.allocator = support_memory_allocator(memory);
    def.text = on->text;
    def.text_size = strlen(on->text);
    def.interrupt = ask;
    def.interrupt_user = it;
    rh_status status = rh_model_create(&def, &on_it.model, &on_it.err);
    if (status == RH_OK) {
        status = rh_equations_create(on_it.model, &derived, &on_it.equations, &on_it.err);
    }
    if (status == RH_OK) {
        status = on->run(&on_it);
    }
    rh_equations_destroy(on_it.equations);
    rh_model_destroy(on_it.model);
    *err = on_it.err;
    return status;
}

static void try_row(const row *on)
{
    rh_error err;
    caller whole = {0};
    support_memory counted = {0};
    assert_int_equal(attempt(on, &whole, &counted, &err), RH_OK);
    assert_int_equal(counted.block_count, 0);
    assert_true(whole.asked > 3);
    for (uint64_t n = 1; n <= whole.asked; n += 1 + n / 12) {
        caller it = {.end_at = n};
        support_memory memory = {0};
        const rh_status status = attempt(on, &it, &memory, &err);
        if (status != RH_E_INTERRUPTED || strcmp(err.message, REASON) != 0 ||
            memory.block_count != 0) {
            fail_msg("%s, question %llu of %llu: status \"%s\", message \"%s\", %zu blocks left",
                     on->name, (unsigned long long)n, (unsigned long long)whole.asked,
                     rh_status_text(status), err.message, memory.block_count);
        }
    }
    print_message("%s: %llu questions\n", on->name, (unsigned long long)whole.asked);
}

static void any_question_may_end_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        try_row(&ROWS[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_question_may_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
