// SPDX-License-Identifier: Apache-2.0
// Systems against the equations they come from: rates, multipliers and everything the output tape
// tells, at random states of all examples, with and without presolve.

#define _POSIX_C_SOURCE 200809L

#include "workshop.h"

#include <dirent.h>

enum { STATES = 3, MOST_FILES = 200 };

typedef struct outcome {
    double rates, outputs;
    uint32_t models, states, singular, released;
} outcome;

static double difference(double a, double b, double size)
{
    return a == b ? 0.0 : fabs(a - b) / (1.0 + size);
}

static double value_at(const rh_point *point, rh_expr e)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    double value = 0.0;
    assert_int_equal(rh__point_evaluate(point, &e, 1, &scratch, &value), RH_OK);
    rh__arena_end(&scratch);
    return value;
}

// An unknown of the form at a point. The value of a condition that may slide is what it says.
static double unknown_at(const machine *it, const rh_point *point, uint32_t index)
{
    const rh_system *system = it->system;
    for (uint32_t k = 0; k < system->slide_count; k++) {
        if (system->slides[k].unknown == index) {
            return value_at(point, system->slides[k].condition);
        }
    }
    return rh__point_get(point, system->form.unknowns.data[index]);
}

// The largest of some unknowns against their values at the point, relative to the largest.
static double compare(const machine *it, const rh_tape_state *state, uint32_t first, uint32_t count,
                      const rh_point *point)
{
    const uint32_t n = it->system->x.count;
    double size = 0.0;
    double worst = 0.0;
    for (uint32_t k = first; k < first + count; k++) {
        size = fmax(size, fabs(unknown_at(it, point, k)));
    }
    for (uint32_t k = first; k < first + count; k++) {
        const double off =
            difference(rh__tape_output(state, n + k, 0), unknown_at(it, point, k), size);
        worst = off <= worst ? worst : off == off ? off : INFINITY;
    }
    return worst;
}

// All unknowns of the form.
static void check_step(machine *it, const rh_point *at, const rh_point *known,
                       const bool *is_active, outcome *out)
{
    const rh_form *form = &it->system->form;
    rh_tape_state *state = bound_state(it->system->step, at, 0);
    const double *x = packed(it, at);
    for (uint32_t k = 0; is_active != NULL && k < it->equations->links.count; k++) {
        if (!is_active[k]) {
            rh__tape_release(state, it->system->hold_of[k], 0.0);
        }
    }
    // surfaces are not kept: the equations are as written
    for (uint32_t k = 0; k < it->system->slide_count; k++) {
        const rh_slide *slide = &it->system->slides[k];
        rh__tape_release(state, slide->hold, unknown_at(it, known, slide->unknown));
    }
    run_at(state, time_at(it, at), x);
    // rates, and multipliers apart from them: they differ in size
    const double rates = compare(it, state, 0, form->rate_count, known);
    const double multipliers =
        compare(it, state, form->rate_count, form->unknowns.count - form->rate_count, known);
    const double rcond = fmax(state->quality.rcond, 1e-4);
    out->rates = fmax(out->rates, rcond * fmax(rates, multipliers));
    out->singular += state->quality.singular;
    assert_true(state->quality.residual < RH_TAPE_INCONSISTENT);
    rh__tape_state_destroy(state);
}

static void check_value(const machine *it, const rh_point *known, double actual, rh_expr e,
                        outcome *out)
{
    const double expected = value_at(known, e);
    const double off =
        isnan(actual) && isnan(expected) ? 0.0 : difference(actual, expected, fabs(expected));
    if (!(off < 1e-9)) {
        print_error("%.*s: an output is %g, not %g\n", RH_SLICE_FORMAT(it->model->title), actual,
                    expected);
    }
    out->outputs = off <= out->outputs ? out->outputs : off == off ? off : INFINITY;
}

static double told(const machine *it, const rh_tape_state *state, rh_section section, uint32_t k)
{
    assert_true(k < it->system->sections[section].count);
    return rh__tape_output(state, it->system->sections[section].first + k, 0);
}

// A tape with the inputs time, x, unknowns at a point where all of them are known.
static rh_tape_state *run_outputs(machine *it, const rh_tape *tape, const rh_point *known)
{
    const rh_system *system = it->system;
    rh_tape_state *state = bound_state(tape, known, 0);
    const double *x = packed(it, known);
    state->jet[0] = time_at(it, known);
    memcpy(state->jet + 1, x, system->x.count * sizeof *x);
    for (uint32_t k = 0; k < system->form.unknowns.count; k++) {
        state->jet[1 + system->x.count + k] = unknown_at(it, known, k);
    }
    rh__tape_run(state);
    return state;
}

static void check_watch(machine *it, const rh_point *known, outcome *out)
{
    rh_tape_state *state = run_outputs(it, it->system->watch, known);
    for (uint32_t k = 0; k < it->model->events.count; k++) {
        check_value(it, known, rh__tape_output(state, k, 0), it->model->events.data[k].function,
                    out);
    }
    rh__tape_state_destroy(state);
}

static void check_outputs(machine *it, const rh_point *known, outcome *out)
{
    const rh_system *system = it->system;
    const rh_equations *equations = it->equations;
    rh_tape_state *state = run_outputs(it, system->output, known);
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        check_value(it, known, told(it, state, RH_SECTION_VELOCITY, k),
                    equations->carriers.data[k].variable, out);
        check_value(it, known, told(it, state, RH_SECTION_RATE, k),
                    equations->carriers.data[k].rate, out);
    }
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        check_value(it, known, told(it, state, RH_SECTION_MULTIPLIER, k), link->multiplier, out);
        for (uint32_t level = 0; level < link->level_count; level++) {
            check_value(it, known, rh__tape_output(state, system->level_of[k] + level, 0),
                        link->levels[level], out);
        }
    }
    for (uint32_t k = 0; k < it->model->observes.count; k++) {
        check_value(it, known, told(it, state, RH_SECTION_OBSERVE, k),
                    it->model->observes.data[k].value, out);
    }
    for (uint32_t k = 0; k < it->model->events.count; k++) {
        check_value(it, known, told(it, state, RH_SECTION_EVENT, k),
                    it->model->events.data[k].function, out);
    }
    check_value(it, known, told(it, state, RH_SECTION_ENERGY, 0), rh__model_kinetic(it->model),
                out);
    check_value(it, known, told(it, state, RH_SECTION_ENERGY, 1), rh__model_potential(it->model),
                out);
    rh__tape_state_destroy(state);
}

// The form of the equations, without what the system adds to it.
static const rh_form *form_as_derived(machine *it)
{
    if (it->system->slide_count == 0) {
        return &it->system->form;
    }
    const rh_form_kind kind = it->equations->has_presolve ? RH_FORM_REDUCED : RH_FORM_MULTIPLIERS;
    rh_form *form = rh__arena_new(&it->arena, rh_form);
    assert_non_null(form);
    assert_int_equal(rh__form_create(it->equations, kind, &it->arena, form, NULL), RH_OK);
    return form;
}

static void check_mode(machine *it, const rh_point *at, bool is_met, const bool *is_active,
                       outcome *out)
{
    rh_point known;
    rh_form_result result;
    assert_int_equal(rh__point_create(&it->layout, &it->arena, &known), RH_OK);
    memcpy(known.values, at->values, it->layout.symbols.count * sizeof *at->values);
    assert_int_equal(rh__form_solve(form_as_derived(it), &known, is_active, &it->arena, &result),
                     RH_OK);
    if (!is_met || !(result.residual < RH_FORM_INCONSISTENT)) {
        return;
    }
    out->states++;
    check_step(it, &known, &known, is_active, out);
    check_outputs(it, &known, out);
    check_watch(it, &known, out);
}

static void check_state(machine *it, uint32_t index, outcome *out)
{
    rh_point at = it->start.point;
    bool is_met = true;
    if (index > 0) {
        assert_int_equal(
            rh__start_wander(it->equations, &it->start.point, 0.2, index, &it->arena, &at, &is_met),
            RH_OK);
    }
    check_mode(it, &at, is_met, NULL, out);
    // the same with all one-sided links released
    bool *is_active = rh__arena_array(&it->arena, bool, (size_t)it->equations->links.count + 1);
    bool has_holds = false;
    for (uint32_t k = 0; k < it->equations->links.count; k++) {
        is_active[k] = it->system->hold_of[k] == UINT32_MAX;
        has_holds = has_holds || !is_active[k];
    }
    if (has_holds) {
        check_mode(it, &at, is_met, is_active, out);
        out->released++;
    }
}

static void check_model(const char *path, bool is_plain, outcome *total)
{
    machine it;
    const machine_def def = {.path = path, .is_plain = is_plain};
    if (!machine_begin(&def, &it)) {
        return;
    }
    outcome out = {0};
    for (uint32_t index = 0; index < STATES; index++) {
        check_state(&it, index, &out);
    }
    if (!(out.rates < 1e-11) || !(out.outputs < 1e-10)) {
        print_error("%s%s: rates and multipliers off by %.1e, outputs by %.1e\n", path,
                    is_plain ? " without presolve" : "", out.rates, out.outputs);
    }
    total->models++;
    total->states += out.states;
    total->singular += out.singular;
    total->released += out.released;
    total->rates = fmax(total->rates, out.rates);
    total->outputs = fmax(total->outputs, out.outputs);
    machine_end(&it);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// All model files of the examples, in order.
static uint32_t list_examples(char **paths)
{
    uint32_t count = 0;
    DIR *folder = opendir(RH_SOURCE_DIR "/examples");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[1024];
        (void)snprintf(path, sizeof path, RH_SOURCE_DIR "/examples/%s", entry->d_name);
        DIR *inner = entry->d_name[0] != '.' ? opendir(path) : NULL;
        for (struct dirent *file = inner != NULL ? readdir(inner) : NULL; file != NULL;
             file = readdir(inner)) {
            const size_t size = strlen(file->d_name);
            if (size > 4 && strcmp(file->d_name + size - 4, ".rhe") == 0 && count < MOST_FILES) {
                const size_t room = strlen(entry->d_name) + size + 16;
                paths[count] = malloc(room);
                assert_non_null(paths[count]);
                (void)snprintf(paths[count++], room, "examples/%s/%s", entry->d_name, file->d_name);
            }
        }
        if (inner != NULL) {
            (void)closedir(inner);
        }
    }
    (void)closedir(folder);
    qsort(paths, count, sizeof *paths, compare_paths);
    return count;
}

static void tapes_agree_with_the_equations(void **unused)
{
    (void)unused;
    char *paths[MOST_FILES];
    outcome total = {0};
    const char *only = getenv("RH_MODEL");
    const uint32_t count = list_examples(paths);
    for (uint32_t k = 0; k < count; k++) {
        if (only == NULL || strstr(paths[k], only) != NULL) {
            check_model(paths[k], false, &total);
            check_model(paths[k], true, &total);
        }
        free(paths[k]);
    }
    print_message("%u models, %u states (%u with links released, %u singular blocks): off by %.1e "
                  "and %.1e\n",
                  total.models, total.states, total.released, total.singular, total.rates,
                  total.outputs);
    assert_true(only != NULL || total.released > 10);
    assert_true(total.rates < 1e-11);
    assert_true(total.outputs < 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tapes_agree_with_the_equations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
