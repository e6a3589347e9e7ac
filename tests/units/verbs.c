// SPDX-License-Identifier: Apache-2.0
// Verbs are called as the program calls them, with the values of their arguments in other units.

#include "verbs.h"

#include "rheonom/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LIST = 8, SECONDS = 60 };

static const char *ask(void *user)
{
    return difftime(time(NULL), *(const time_t *)user) > SECONDS ? "it takes too long" : NULL;
}

/// A call: the model with its equations, and arguments in new units.
typedef struct call {
    const units_text *it;
    const units_change *change;
    const units_question *question;
    rh_model *model;
    rh_equations *equations;
    rh_motion *motion;
    rh_steady_value fix[LIST], guess[LIST];
    size_t fix_count, guess_count;
    const char *set[LIST], *observe[LIST], *words[LIST];
    size_t set_count, observe_count, word_count;
    char names[3 * LIST][UNITS_ARGUMENT];
    uint32_t name_count;
    rh_sink sink;
    rh_error err;
    time_t began;
} call;

// --- arguments ---------------------------------------------------------------------------------

// What stands after "what:" in the k-th argument of this kind; NULL: there is none.
static const char *argument(const call *c, const char *what, uint32_t k)
{
    const size_t size = strlen(what);
    for (uint32_t i = 0; i < c->question->argument_count; i++) {
        const char *text = c->question->arguments[i];
        if (strncmp(text, what, size) == 0 && text[size] == ':' && k-- == 0) {
            return text + size + 1;
        }
    }
    return NULL;
}

static double factor_of(const call *c, const char *name)
{
    const size_t size = strlen(name);
    if (size > 0 && name[size - 1] == '\'') {
        return units_of_velocity(c->it, c->change, name);
    }
    return units_of_named(c->it, c->change, name);
}

// "NAME=A:B:C": the name, and up to three numbers of which the first two are in new units.
static const char *split(call *c, const char *text, double *out)
{
    char *name = c->names[c->name_count++];
    const char *equal = strchr(text, '=');
    assert_true(equal != NULL && c->name_count < 3 * LIST);
    (void)snprintf(name, UNITS_ARGUMENT, "%.*s", (int)(equal - text), text);
    const double factor = factor_of(c, name);
    char *at = NULL;
    out[0] = strtod(equal + 1, &at) * factor;
    out[1] = *at == ':' ? strtod(at + 1, &at) * factor : out[0];
    out[2] = *at == ':' ? strtod(at + 1, &at) : 0.0;
    return name;
}

static size_t take_values(call *c, const char *what, rh_steady_value *out)
{
    size_t count = 0;
    for (const char *text; (text = argument(c, what, (uint32_t)count)) != NULL; count++) {
        double numbers[3];
        const char *name = split(c, text, numbers);
        out[count] = (rh_steady_value){.name = name, .value = numbers[0]};
    }
    return count;
}

static size_t take_words(const call *c, const char *what, const char **out)
{
    size_t count = 0;
    for (const char *text; (text = argument(c, what, (uint32_t)count)) != NULL; count++) {
        out[count] = text;
    }
    return count;
}

// --- verbs -------------------------------------------------------------------------------------

static rh_steady_def steady_def(call *c)
{
    rh_steady_def def = rh_steady_def_default();
    c->fix_count = take_values(c, "fix", c->fix);
    c->guess_count = take_values(c, "guess", c->guess);
    def.fix = c->fix;
    def.fix_count = c->fix_count;
    def.guess = c->guess;
    def.guess_count = c->guess_count;
    return def;
}

static rh_status check(call *c)
{
    rh_checkup *checkup = NULL;
    rh_status status = rh_checkup_create(c->equations, &checkup, &c->err);
    if (status == RH_OK || status == RH_E_MODEL) {
        status = rh_output_checkup(checkup, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_checkup_destroy(checkup);
    return status;
}

static rh_status steady(call *c)
{
    rh_steady *it = NULL;
    const rh_steady_def def = steady_def(c);
    rh_status status = rh_steady_create(c->equations, &def, &it, &c->err);
    if (status == RH_OK) {
        status = rh_output_steady(it, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_steady_destroy(it);
    return status;
}

static rh_status linearise(call *c)
{
    rh_linear *it = NULL;
    rh_linear_def def = rh_linear_def_default();
    def.steady = steady_def(c);
    def.is_steady = c->fix_count + c->guess_count > 0;
    const char *inputs[LIST], *outputs[LIST];
    def.inputs = inputs;
    def.input_count = take_words(c, "input", inputs);
    def.outputs = outputs;
    def.output_count = take_words(c, "output", outputs);
    rh_status status = rh_linear_create(c->equations, &def, &it, &c->err);
    if (status == RH_OK) {
        status = rh_output_linear(it, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_linear_destroy(it);
    return status;
}

static rh_status make_motion(call *c, double tolerance)
{
    rh_motion_def def = rh_motion_def_default();
    def.tolerance = tolerance;
    def.tier = RH_TIER_INTERPRETED;
    return rh_motion_create(c->equations, &def, &c->motion, &c->err);
}

static rh_status orbit(call *c)
{
    RH_TRY(make_motion(c, 1e-15));
    rh_orbit_def def = rh_orbit_def_default();
    const char *period = argument(c, "period", 0);
    def.period = period != NULL ? strtod(period, NULL) * units_of_time(c->change) : 0.0;
    def.free = argument(c, "free", 0);
    def.symmetry = argument(c, "symmetry", 0);
    def.interrupt = ask;
    def.user = &c->began;
    rh_orbit *it = NULL;
    rh_status status = rh_orbit_create(c->motion, &def, &it, &c->err);
    if (status == RH_OK) {
        status = rh_output_orbit(it, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_orbit_destroy(it);
    return status;
}

static rh_status average(call *c)
{
    RH_TRY(make_motion(c, 1e-15));
    rh_average_def def = rh_average_def_default();
    char ranges[LIST][UNITS_ARGUMENT];
    const char *unknowns[LIST];
    for (const char *text; (text = argument(c, "unknown", (uint32_t)def.unknown_count)) != NULL;) {
        double numbers[3];
        const char *name = split(c, text, numbers);
        (void)snprintf(ranges[def.unknown_count], UNITS_ARGUMENT, "%s=%.17g:%.17g", name,
                       numbers[0], numbers[1]);
        unknowns[def.unknown_count] = ranges[def.unknown_count];
        def.unknown_count++;
    }
    def.unknowns = unknowns;
    def.start_count = 4;
    def.span *= units_of_time(c->change);
    def.interrupt = ask;
    def.user = &c->began;
    rh_average *it = NULL;
    rh_status status = rh_average_create(c->motion, &def, &it, &c->err);
    if (status == RH_OK) {
        status = rh_output_average(it, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_average_destroy(it);
    return status;
}

static rh_chart_axis axis(call *c, const char *what)
{
    double numbers[3];
    const char *text = argument(c, what, 0);
    assert_non_null(text);
    const char *name = split(c, text, numbers);
    return (rh_chart_axis){
        .name = name, .low = numbers[0], .high = numbers[1], .count = (uint32_t)numbers[2]};
}

static rh_status chart(call *c)
{
    rh_chart_def def = rh_chart_def_default();
    def.steady = steady_def(c);
    def.x = axis(c, "x");
    def.y = axis(c, "y");
    const char *solve[LIST];
    def.solve = solve;
    def.solve_count = take_words(c, "solve", solve);
    def.thread_count = 1;
    rh_chart *it = NULL;
    rh_status status = rh_chart_create(c->equations, &def, &it, &c->err);
    if (status == RH_OK) {
        status = rh_output_chart(it, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_chart_destroy(it);
    return status;
}

static rh_status optimise(call *c)
{
    rh_optimum_def def = rh_optimum_def_default();
    def.steady = steady_def(c);
    rh_optimum_range over[LIST];
    for (const char *text; (text = argument(c, "over", (uint32_t)def.over_count)) != NULL;) {
        double numbers[3];
        const char *name = split(c, text, numbers);
        over[def.over_count++] =
            (rh_optimum_range){.name = name, .low = numbers[0], .high = numbers[1]};
    }
    def.over = over;
    rh_optimum *it = NULL;
    rh_status status = rh_optimum_create(c->equations, &def, &it, &c->err);
    if (status == RH_OK) {
        status = rh_output_optimum(it, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_optimum_destroy(it);
    return status;
}

static rh_status program(call *c)
{
    rh_program *it = NULL;
    const rh_program_def def = rh_program_def_default();
    rh_status status = rh_program_create(c->equations, &def, &it, &c->err);
    if (status == RH_OK) {
        status = rh_output_program(it, RH_FORMAT_JSON, c->sink, &c->err);
    }
    rh_program_destroy(it);
    return status;
}

typedef rh_status verb_call(call *c);

static verb_call *verb_of(const char *word)
{
    static const struct {
        const char *word;
        verb_call *call;
    } VERBS[] = {{"check", check},       {"steady", steady},   {"linearise", linearise},
                 {"orbit", orbit},       {"average", average}, {"chart", chart},
                 {"optimise", optimise}, {"program", program}};
    for (size_t k = 0; k < sizeof VERBS / sizeof VERBS[0]; k++) {
        if (strcmp(VERBS[k].word, word) == 0) {
            return VERBS[k].call;
        }
    }
    fail_msg("there is no verb %s", word);
    return NULL;
}

// --- answers -----------------------------------------------------------------------------------

static rh_status derive(call *c, const char *text)
{
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = c->set;
    def.set_count = take_words(c, "set", c->set);
    def.observe = c->observe;
    def.observe_count = take_words(c, "observe", c->observe);
    def.interrupt = ask;
    def.interrupt_user = &c->began;
    RH_TRY(rh_model_create(&def, &c->model, &c->err));
    rh_equations_def equations = rh_equations_def_default();
    equations.has_presolve = strcmp(c->question->verb, "average") != 0;
    return rh_equations_create(c->model, &equations, &c->equations, &c->err);
}

char *units_answer(const units_text *it, const units_change *change, const units_question *question)
{
    support_text out = {.size = 0};
    call c = {.it = it, .change = change, .question = question, .began = time(NULL)};
    c.sink = support_text_sink(&out);
    char *text = units_write(it, change);
    rh_status status = derive(&c, text);
    if (status == RH_OK) {
        status = verb_of(question->verb)(&c);
    }
    if (status != RH_OK) {
        free(out.data);
        out = (support_text){.data = calloc(1, 1024)};
        assert_non_null(out.data);
        (void)snprintf(out.data, 1024, "{\"status\": \"%s\", \"message\": \"%.900s\"}",
                       rh_status_text(status), c.err.message);
    }
    rh_motion_destroy(c.motion);
    rh_equations_destroy(c.equations);
    rh_model_destroy(c.model);
    free(text);
    return out.data;
}
