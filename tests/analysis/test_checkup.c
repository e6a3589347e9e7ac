// SPDX-License-Identifier: Apache-2.0
// The checkup as a whole: want of memory, the same numbers every time, valid output for every model
// at hand, models with little in them.

#include "examined.h"

#include "output/json.h"

#include <ctype.h>
#include <glob.h>

// --- the same numbers
// ------------------------------------------------------------------------------

static support_text write_checkup(const rh_checkup *checkup, rh_format format)
{
    support_text text = {0};
    assert_int_equal(rh_output_checkup(checkup, format, support_text_sink(&text), NULL), RH_OK);
    assert_non_null(text.data);
    return text;
}

static void assert_same_numbers(const rh_checkup *a, const rh_checkup *b)
{
    assert_memory_equal(a->rank, b->rank, sizeof a->rank);
    assert_int_equal(a->hidden_integrals, b->hidden_integrals);
    assert_int_equal(a->combinations.count, b->combinations.count);
    assert_int_equal(a->degrees_of_freedom, b->degrees_of_freedom);
    assert_int_equal(a->configuration_dimension, b->configuration_dimension);
    const uint32_t *begin = a->equations->push.begin;
    for (uint32_t k = 0; k < a->equations->links.count; k++) {
        const rh_link_report *left = &a->links[k];
        const rh_link_report *right = &b->links[k];
        assert_memory_equal(&left->multiplier, &right->multiplier, sizeof(double));
        assert_memory_equal(&left->ideality, &right->ideality, sizeof(double));
        assert_memory_equal(&left->virtual_work, &right->virtual_work, sizeof(double));
        assert_memory_equal(&left->control, &right->control, sizeof(double));
        assert_memory_equal(left->reaction, right->reaction,
                            (begin[k + 1] - begin[k]) * sizeof(double));
        assert_int_equal(left->is_integrable, right->is_integrable);
        assert_int_equal(left->integral.i != 0, right->integral.i != 0);
        assert_int_equal(left->redundant_count, right->redundant_count);
    }
    for (uint32_t k = 0; k < RH_CHECKUP_STATES; k++) {
        assert_int_equal(a->is_state[k], b->is_state[k]);
        assert_memory_equal(a->states[k].values, b->states[k].values,
                            a->layout.symbols.count * sizeof(double));
    }
}

// --- want of memory
// --------------------------------------------------------------------------------

static const char *const TEXTS[] = {
    // ranks, redundant rows, a servo, a proposed reaction
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce x: 1\n"
    "constraint a: x = t by servo(x: 1)\nconstraint b: y = 0\nconstraint c: 2*y = 0\n"
    "constraint d: z' = 0 by reaction(z: 2)\n",
    // integrable rows, a hidden integral, contacts
    "param b = 0.3\ncoord x, y, th, f, g\n"
    "kinetic (x'^2 + y'^2 + th'^2 + f'^2 + g'^2)/2\nforce g: -1\n"
    "constraint lat: -sin(th)*x' + cos(th)*y' = 0\n"
    "constraint w1: cos(th)*x' + sin(th)*y' + b*th' = f'\n"
    "constraint w2: cos(th)*x' + sin(th)*y' - b*th' = g'\n"
    "constraint one: x' >= 0\n"
    "start th = 0.4\n",
};

typedef struct subject {
    support_memory memory;
    rh_model *model;
    rh_equations *equations;
} subject;

static void begin_subject(subject *it, const char *text)
{
    *it = (subject){0};
    rh_model_def def = rh_model_def_default();
    def.allocator = support_memory_allocator(&it->memory);
    def.text = text;
    def.text_size = strlen(text);
    assert_int_equal(rh_model_create(&def, &it->model, NULL), RH_OK);
    const rh_equations_def how = rh_equations_def_default();
    assert_int_equal(rh_equations_create(it->model, &how, &it->equations, NULL), RH_OK);
}

static void end_subject(subject *it)
{
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
    assert_int_equal(it->memory.block_count, 0);
    assert_int_equal(it->memory.byte_count, 0);
}

// Request n of the checkup fails, on equations that are made afresh: a checkup makes expressions,
// and a store that ran out of memory stays so. False when there are fewer requests.
static bool fail_request(const char *text, size_t n, const rh_checkup *whole)
{
    subject it;
    rh_checkup *checkup = NULL;
    rh_error err = RH_ZERO;
    begin_subject(&it, text);
    const size_t before = it.memory.request_count;
    it.memory.fail_at = before + n;
    const rh_status status = rh_checkup_create(it.equations, &checkup, &err);
    const bool has_failed = it.memory.request_count - before >= n;
    if (status == RH_OK) {
        // nothing was lost: at most a proof was replaced by a trial
        assert_same_numbers(checkup, whole);
    } else if (status != RH_E_MEMORY || checkup != NULL || err.message[0] == '\0') {
        fail_msg("request %zu failed: status \"%s\", in:\n%s", n, rh_status_text(status), text);
    }
    rh_checkup_destroy(checkup);
    end_subject(&it);
    return has_failed;
}

static void any_request_may_fail(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        examined whole = examine_text(TEXTS[k]);
        size_t n = 1;
        while (fail_request(TEXTS[k], n, whole.checkup)) {
            n++;
        }
        print_message("%zu requests\n", n - 1);
        assert_true(n > 10);
        examined_end(&whole);
    }
}

static void outputs_may_fail(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        for (size_t n = 1; n < 40; n++) {
            subject it;
            rh_checkup *checkup = NULL;
            begin_subject(&it, TEXTS[k]);
            assert_int_equal(rh_checkup_create(it.equations, &checkup, NULL), RH_OK);
            support_text text = {0};
            it.memory.fail_at = it.memory.request_count + n;
            const rh_format format = n % 2 == 0 ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
            const rh_status status =
                rh_output_checkup(checkup, format, support_text_sink(&text), NULL);
            assert_true(status == RH_OK || status == RH_E_MEMORY);
            free(text.data);
            rh_checkup_destroy(checkup);
            end_subject(&it);
        }
    }
}

// What a checkup of a chain holds.
static size_t bytes_for(int rods)
{
    char text[600];
    (void)snprintf(text, sizeof text,
                   "param N = %d\nparam l = 1/N\ncoord x[1..N], y[1..N]\n"
                   "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\n"
                   "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
                   "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
                   "for i in 1..N: start x[i] = i*l, y[i] = 0, x[i]' = 0, y[i]' = 0\n",
                   rods);
    subject it;
    rh_checkup *checkup = NULL;
    begin_subject(&it, text);
    const size_t before = it.memory.byte_count;
    assert_int_equal(rh_checkup_create(it.equations, &checkup, NULL), RH_OK);
    const size_t bytes = it.memory.byte_count - before;
    rh_checkup_destroy(checkup);
    end_subject(&it);
    return bytes;
}

static void memory_grows_with_the_model(void **state)
{
    (void)state;
    assert_true(bytes_for(1600) < 6 * bytes_for(400));
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    rh_checkup *checkup = NULL;
    subject it;
    begin_subject(&it, TEXTS[0]);
    assert_int_equal(rh_checkup_create(NULL, &checkup, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_checkup_create(it.equations, NULL, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_checkup_diagnostic_count(NULL), 0);
    assert_string_equal(rh_checkup_diagnostic(NULL, 0).code, "");
    rh_checkup_destroy(NULL);
    end_subject(&it);
}

// --- the same every time
// ---------------------------------------------------------------------------

static void the_same_every_time(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "examples/bricard/model.rhe",        "examples/rolling_disc/model.rhe",
        "examples/lorenz_chetaev/model.rhe", "examples/corner/model.rhe",
        "examples/flywheel/model.rhe",       "examples/wheeled_vehicle_program/model.rhe",
    };
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        examined first = examine_file(paths[k]);
        examined second = examine_file(paths[k]);
        assert_same_numbers(first.checkup, second.checkup);
        support_text one = write_checkup(first.checkup, RH_FORMAT_JSON);
        support_text two = write_checkup(second.checkup, RH_FORMAT_JSON);
        assert_string_equal(one.data, two.data);
        free(one.data);
        free(two.data);
        // and once more on equations that were examined already
        rh_checkup *again = NULL;
        assert_int_equal(rh_checkup_create(first.equations, &again, NULL), RH_OK);
        assert_same_numbers(again, second.checkup);
        rh_checkup_destroy(again);
        examined_end(&first);
        examined_end(&second);
    }
}

// --- output for all models ---------------------------------------------------------------------

// A word of its own, outside of strings and names: 1.5 nan, -inf.
static const char *find_word(const char *text, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !(isalnum((unsigned char)at[size]) || at[size] == '_')) {
            return at;
        }
    }
    return NULL;
}

static void assert_output(const rh_checkup *checkup, const char *path)
{
    support_text json = write_checkup(checkup, RH_FORMAT_JSON);
    support_text text = write_checkup(checkup, RH_FORMAT_TEXT);
    if (!json_is_valid(json.data, json.size)) {
        fail_msg("%s: not JSON:\n%s", path, json.data);
    }
    static const char *const words[] = {"nan", "inf", "NaN", "Infinity"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (find_word(json.data, words[k]) != NULL || find_word(text.data, words[k]) != NULL) {
            fail_msg("%s: %s in\n%s\n%s", path, words[k], json.data, text.data);
        }
    }
    free(json.data);
    free(text.data);
}

// A checkup with errors has only its remarks.
static void assert_refused(const rh_checkup *checkup)
{
    support_text text = {0};
    const rh_sink sink = support_text_sink(&text);
    assert_true(rh_checkup_diagnostic_count(checkup) > 0);
    assert_int_equal(rh_output_checkup(checkup, RH_FORMAT_JSON, sink, NULL), RH_E_MODEL);
    free(text.data);
    text = (support_text){0};
    assert_int_equal(rh_output_checkup_diagnostics(checkup, RH_FORMAT_JSON, false, sink, NULL),
                     RH_OK);
    assert_true(json_is_valid(text.data, text.size));
    free(text.data);
}

// Sound models have a sound checkup; the others are refused with a remark.
static bool check_file(const char *path)
{
    rh_model *model = support_model(path);
    rh_equations *equations = NULL;
    rh_checkup *checkup = NULL;
    const rh_equations_def how = rh_equations_def_default();
    const rh_status derived = rh_equations_create(model, &how, &equations, NULL);
    assert_true(derived == RH_OK || derived == RH_E_MODEL);
    if (derived == RH_OK) {
        const rh_status status = rh_checkup_create(equations, &checkup, NULL);
        assert_true(status == RH_OK || status == RH_E_MODEL);
        if (status == RH_OK) {
            assert_output(checkup, path);
        } else {
            assert_refused(checkup);
        }
    } else {
        assert_true(rh_equations_diagnostic_count(equations) > 0);
    }
    const bool is_sound = checkup != NULL && checkup->diagnostics.error_count == 0;
    rh_checkup_destroy(checkup);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return is_sound;
}

static void every_model_has_valid_output(void **state)
{
    (void)state;
    static const char *const patterns[] = {"/examples/*/*.rhe", "/tests/golden/models/*.rhe"};
    size_t sound = 0;
    size_t all = 0;
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        char pattern[4096];
        glob_t found;
        (void)snprintf(pattern, sizeof pattern, "%s%s", RH_SOURCE_DIR, patterns[k]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t j = 0; j < found.gl_pathc; j++) {
            const bool is_large = strstr(found.gl_pathv[j], "/n100.rhe") != NULL ||
                                  strstr(found.gl_pathv[j], "/n40.rhe") != NULL;
            sound += is_large || check_file(found.gl_pathv[j]);
        }
        all += found.gl_pathc;
        globfree(&found);
    }
    print_message("%zu models, %zu sound\n", all, sound);
    assert_true(all > 100 && sound * 10 > all * 9);
}

// --- models with little in them
// --------------------------------------------------------------------

static void little_models(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "state x\nlaw x' = -x\nstart x = 1\n",
        "state x, y\nlaw x' = y\nlaw y' = -x\n",
        "param a = 1\n",
        "",
        "coord x\nkinetic x'^2/2\n",
        "coord x\nkinetic x'^2/2\nconstraint c: x' >= 0 by friction(3)\nstart x' = 1\n",
        "coord x\nkinetic x'^2/2\nconstraint c: x = 0\n",
        "state x\nlaw x' = -x\nconstraint c: x = 1\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        examined it = examine_text(texts[k]);
        assert_output(it.checkup, texts[k]);
        assert_int_equal(it.checkup->hidden_integrals, 0);
        assert_int_equal(it.checkup->is_flag_known, RH_ANSWER_YES);
        examined_end(&it);
    }
    examined states = examine_text(texts[1]);
    assert_int_equal(states.checkup->row_count, 0);
    assert_int_equal(states.checkup->degrees_of_freedom, 1); // x' = y takes no reaction
    assert_int_equal(states.checkup->configuration_dimension, 0);
    examined_end(&states);
}

// A start that contradicts itself makes a checkup with remarks, nothing else.
static void a_contradiction_is_said(void **state)
{
    (void)state;
    examined it =
        examine_with("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                     "start x = 3, y = 4\n",
                     NULL, NULL);
    assert_int_equal(it.status, RH_E_MODEL);
    assert_non_null(it.checkup);
    assert_refused(it.checkup);
    examined_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_request_may_fail),
        cmocka_unit_test(outputs_may_fail),
        cmocka_unit_test(memory_grows_with_the_model),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(the_same_every_time),
        cmocka_unit_test(every_model_has_valid_output),
        cmocka_unit_test(little_models),
        cmocka_unit_test(a_contradiction_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
