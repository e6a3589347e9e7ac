// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/certificate/wording.c and of what a check says about texts that are no
// certificates, or whose claims it cannot examine.

#include "proving.h"

#include "certificate/wording.h"

static const char HEAD[] = "rheonom certificate 2\nclaim steady motion\nverdict stable\n"
                           "dimension 0\n";
static const char MODEL[] = "| state x\n| law x' = 1 - x\n| start x = 0\n";

static char *whole(const char *head, const char *facts, const char *model)
{
    char *out = malloc(strlen(head) + strlen(facts) + strlen(model) + 96);
    char digits[RH_WORDING_SEAL];
    assert_non_null(out);
    (void)sprintf(out, "%s%s%s", head, facts, model);
    rh__wording_seal(rh__slice_of(out), digits);
    (void)sprintf(out + strlen(out), "seal %s\n", digits);
    return out;
}

// The text is refused with this message.
static void refused(const char *text, rh_status expected, const char *message)
{
    rh_certificate *certificate = NULL;
    rh_error err = {.message = ""};
    const rh_certificate_def def = rh_certificate_def_default();
    const rh_status status = rh_certificate_check(text, strlen(text), &def, &certificate, &err);
    assert_int_equal(status, expected);
    assert_null(certificate);
    if (strstr(err.message, message) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", message, err.message);
    }
}

static void texts_that_are_no_certificates_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *message;
    } CASES[] = {
        {"verdict stable\n", "line 5: this stands twice"},
        {"set h=1\nset h =2\n", "line 6: this is set twice"},
        {"start x=1\nstart x=1\n", "line 6: this is set twice"},
        {"by a=ideal\nby a=vakonomic\n", "line 6: this is set twice"},
        {"colour red\n", "line 5: no keyword of a certificate begins this line"},
        {"colour\n", "line 5: a keyword and its value are expected"},
        {"fix x\n", "line 5: NAME = NUMBER is expected"},
        {"fix x = 1e5\n", "line 5: NAME = NUMBER is expected"},
        {"fix x = 1.\n", "NAME = NUMBER is expected"},
        {"fix x = .5\n", "NAME = NUMBER is expected"},
        {"fix x = --5\n", "NAME = NUMBER is expected"},
        {"exact x = 2pi\n", "line 5: NAME = NUMBER is expected"},
        {"exact x = 0*pi\n", "NAME = NUMBER is expected"},
        {"exact x = pi/0\n", "NAME = NUMBER is expected"},
        {"exact x = pi/\n", "NAME = NUMBER is expected"},
        {"exact x = pi/2.5\n", "NAME = NUMBER is expected"},
        {"exact x = 1234567*pi\n", "NAME = NUMBER is expected"},
        {"exact x = pi + 1\n", "NAME = NUMBER is expected"},
        {"exact x = pie\n", "NAME = NUMBER is expected"},
        {"enclose x = [pi, 4]\n", "line 5: NAME = [NUMBER, NUMBER] is expected"},
        {"enclose x = 1\n", "line 5: NAME = [NUMBER, NUMBER] is expected"},
        {"enclose x = [1, inf]\n", "NAME = [NUMBER, NUMBER] is expected"},
        {"vanish x'\n", "line 5: ROW by REASON is expected"},
        {"vanish x' by magic\n", "line 5: a row vanishes by substitution, by power balance or by"},
        {"vanish x' by integral\n", "line 5: a row vanishes by substitution"},
        {"vanish x' by integral x'\n", "line 5: NUMBER ROW, NUMBER ROW, ... is expected"},
        {"vanish x' by integral 1 x', y'\n", "line 5: NUMBER ROW, NUMBER ROW, ... is expected"},
        {"vanish x' by integral 1/2 x'\n", "line 5: NUMBER ROW, NUMBER ROW, ... is expected"},
        {"coefficient 1 = [1, 2]\n", "line 5: coefficients stand in order"},
        {"coefficient a = [1, 2]\n", "line 5: a count is expected"},
        {"|x\n", "line 5: a line of the model begins with"},
        {"seal 00\n", "line 5: nothing may stand after the seal"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char *text = whole(HEAD, CASES[k].facts, MODEL);
        refused(text, RH_E_ARGUMENT, CASES[k].message);
        free(text);
    }
    refused("", RH_E_ARGUMENT, "a certificate begins with \"rheonom certificate 2\"");
    refused("rheonom certificate 2\n", RH_E_ARGUMENT, "the text ends without a seal");
    refused("rheonom certificate 2\nclaim orbit\n", RH_E_ARGUMENT, "is the only claim");
    char *empty = whole(HEAD, "", "");
    refused(empty, RH_E_ARGUMENT, "claim, verdict, dimension or the model is missing");
    free(empty);
    char *wrong = whole(HEAD, "", "| state x\n| law x' = y\n");
    refused(wrong, RH_E_MODEL, "the model of the certificate is wrong, line 2");
    free(wrong);
}

// A claim that cannot be proved is said with its reason.
static void unproved(const char *head, const char *facts, const char *model, const char *reason)
{
    char *text = whole(head, facts, model);
    rh_certificate *certificate = NULL;
    rh_error err = {.message = ""};
    const rh_certificate_def def = rh_certificate_def_default();
    if (rh_certificate_check(text, strlen(text), &def, &certificate, &err) != RH_OK) {
        fail_msg("%s", err.message);
    }
    assert_false(rh_certificate_holds(certificate));
    if (strstr(rh_certificate_reason(certificate), reason) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", reason, rh_certificate_reason(certificate));
    }
    // claims rest on each other: after the first that fails none is proved
    bool is_down = false;
    for (size_t k = 1; k < rh_certificate_claim_count(certificate); k++) {
        const rh_certificate_claim it = rh_certificate_claim_at(certificate, k);
        assert_non_null(rh_certificate_state_text(it.state));
        assert_true(it.claim[0] != '\0');
        assert_false(is_down && k < 5 && it.state == RH_CERTIFICATE_PROVED);
        is_down = is_down || it.state != RH_CERTIFICATE_PROVED;
    }
    rh_certificate_destroy(certificate);
    free(text);
}

static void claims_that_fail_say_why(void **state)
{
    (void)state;
    unproved(HEAD, "", MODEL, "nothing is said of this variable: x");
    unproved(HEAD, "fix y = 1\n", MODEL, "what is fixed, \"y\", means nothing in the model");
    unproved(HEAD, "exact y = 1\n", MODEL, "this is no variable, or has a value already: y");
    unproved(HEAD, "exact x = 1\nexact x = 1\n", MODEL, "has a value already: x");
    unproved(HEAD, "enclose x = [0.9, 1.1]\n", MODEL,
             "the enclosure has not the width that belongs to its digits: x");
    unproved(HEAD, "exact x = 1\n", MODEL, "1 equations are left for 0 variables");
    unproved(HEAD, "exact x = 2\nvanish x' by substitution\n", MODEL,
             "it was not proved to vanish identically: x'");
    unproved(HEAD, "exact x = 1\nvanish y' by substitution\n", MODEL,
             "there is no such equation, or it stands twice: y'");
    unproved(HEAD, "exact x = 1\nvanish x' by power balance\n", MODEL,
             "the balance of power gives one rate of a quasi-velocity, not this one: x'");
    unproved(HEAD, "exact x = -3*pi/2\nvanish x' by substitution\n",
             "| state x\n| law x' = sin(x)\n", "it was not proved to vanish identically: x'");
    unproved(HEAD, "exact x = -3*pi/2\nvanish x' by substitution\n",
             "| state x\n| law x' = cos(x)\n", "a coefficient lies elsewhere");
    unproved(HEAD, "exact x = pi\nvanish x' by substitution\n",
             "| state x\n| law x' = 3.14159265358979323846 - x\n",
             "it was not proved to vanish identically: x'");
    unproved(HEAD, "frame w\n", MODEL, "\"w\" is no quasi-velocity of the model");
    unproved(HEAD, "positional x\n", MODEL, "a positional name is no coordinate of the model");
    unproved(HEAD, "exact x = 1\nvanish x' by substitution\n", MODEL,
             "a coefficient lies elsewhere");
    unproved(HEAD,
             "exact x = 1\nvanish x' by substitution\n"
             "coefficient 0 = [0.999999999999999999999999999999, 1.000000000000000000000000000001]"
             "\n",
             MODEL, "a coefficient lies elsewhere");
    unproved(HEAD,
             "enclose x = [0.499999999999999999999999999999, 0.500000000000000000000000000001]\n",
             MODEL, "the bounds do not map into themselves");
    unproved(HEAD, "", "| coord x, y\n| kinetic x'^2 + y'^2\n| constraint a: x' + y' >= 0\n",
             "a constraint is one-sided");
    unproved(HEAD, "", "| state x\n| law x' = 1 - x\n| event e: x = 2 up reset x = 0\n",
             "an event resets the state");
    unproved(HEAD, "exact x = 0\nvanish x' by substitution\n", "| state x\n| law x' = sin(x)/x\n",
             "not proved");
    unproved(HEAD, "", "| param m = 1\n", "the model has nothing that moves");
    // the force jumps with y: a derivative that vanishes does not make it cyclic
    unproved("rheonom certificate 2\nclaim steady motion\nverdict stable\ndimension 0\n",
             "quasi w = x'\nquasi u = y'\nframe w, u\npositional x\n"
             "exact x = 0\nexact w = 0\nexact u = 0\n",
             "| coord x, y\n| kinetic x'^2 + y'^2\n| force x: abs(y)/y\n| potential x^2\n",
             "was not proved to be free of a coordinate");
    unproved(HEAD, "", "| coord x\n| kinetic x'^2\n", "do not determine the velocities");
    unproved(HEAD, "", "| state x\n| input u from \"u.csv\"\n| law x' = u - x\n",
             "has no exact value");
    unproved(HEAD, "exact x = 1\n", "| state x\n| law x' = t - x\n", "has no exact value");
}

// 1 - x has the zero 1 and the root -1.
static void a_certificate_by_hand_holds(void **state)
{
    (void)state;
    char *text = whole(
        "rheonom certificate 2\nclaim steady motion\nverdict asymptotically stable\n"
        "dimension 0\n",
        "enclose x = [0.999999999999999999999999999999, 1.00000000000000000000000000001]\n", MODEL);
    rh_certificate *certificate = NULL;
    const rh_certificate_def def = rh_certificate_def_default();
    assert_int_equal(rh_certificate_check(text, strlen(text), &def, &certificate, NULL), RH_OK);
    assert_false(rh_certificate_holds(certificate)); // the width is not that of 30 digits
    rh_certificate_destroy(certificate);
    free(text);
    text = whole("rheonom certificate 2\nclaim steady motion\nverdict asymptotically stable\n"
                 "dimension 0\n",
                 "enclose x = [0.99999999999999999999999999999, 1.00000000000000000000000000001]\n"
                 "coefficient 0 = [0.99999999999999999999999999999, "
                 "1.00000000000000000000000000001]\n",
                 MODEL);
    assert_int_equal(rh_certificate_check(text, strlen(text), &def, &certificate, NULL), RH_OK);
    assert_true(rh_certificate_holds(certificate));
    assert_string_equal(rh_certificate_verdict(certificate), "asymptotically stable");
    assert_int_equal(rh_certificate_precision(certificate), 192);
    rh_certificate_destroy(certificate);
    free(text);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 24);
    rh_wording it;
    char *text = whole(HEAD,
                       "set m=1\nstart x=1\nby a=ideal\nobserve x^2\nquasi w = x'\n"
                       "frame w, v[1]\npositional x, y\nfix x = -1.5\nexact w = 0\n"
                       "enclose y = [-0.2, 0.1]\nvanish x' by power balance\n"
                       "coefficient 0 = [1, 2]\n",
                       MODEL);
    assert_int_equal(rh__wording_read(rh__slice_of(text), &arena, &it, NULL), RH_OK);
    assert_true(it.is_sealed);
    rh_text once = rh__text_begin(&arena, NULL);
    rh__wording_write(&it, &once);
    rh_wording again;
    assert_int_equal(rh__wording_read(rh__text_slice(&once), &arena, &again, NULL), RH_OK);
    assert_true(again.is_sealed);
    rh_text twice = rh__text_begin(&arena, NULL);
    rh__wording_write(&again, &twice);
    assert_true(rh__slice_equal(rh__text_slice(&once), rh__text_slice(&twice)));
    assert_int_equal(again.frame.count, 2);
    assert_int_equal(again.vanishing.data[0].reason, RH_VANISH_POWER);
    free(text);
    rh__arena_end(&arena);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

static void a_check_can_be_broken_off(void **state)
{
    (void)state;
    char *text = whole(HEAD, "exact x = 1\nvanish x' by substitution\n", MODEL);
    rh_certificate_def def = rh_certificate_def_default();
    def.goes_on = never;
    rh_certificate *certificate = NULL;
    rh_error err = {.message = ""};
    assert_int_equal(rh_certificate_check(text, strlen(text), &def, &certificate, &err),
                     RH_E_LIMIT);
    assert_string_equal(err.message, "the check was broken off");
    free(text);
}

// Whatever request for memory fails, the check ends with a status and gives all back.
static void memory_may_be_short(void **state)
{
    (void)state;
    char *text = whole(HEAD, "exact x = 1\nvanish x' by substitution\n", MODEL);
    support_memory memory = {.fail_at = 0};
    bool is_through = false;
    for (size_t at = 1; at < 2000; at++) {
        memory = (support_memory){.fail_at = at};
        rh_certificate_def def = rh_certificate_def_default();
        def.allocator = support_memory_allocator(&memory);
        rh_certificate *certificate = NULL;
        const rh_status status = rh_certificate_check(text, strlen(text), &def, &certificate, NULL);
        const bool was_hit = memory.request_count >= at;
        rh_certificate_destroy(certificate);
        assert_int_equal(memory.block_count, 0);
        assert_true(status == RH_OK || status == RH_E_MEMORY);
        is_through = !was_hit;
        if (is_through) {
            assert_int_equal(status, RH_OK);
            break;
        }
    }
    assert_true(is_through);
    free(text);
}

// The same for the finder.
static void memory_may_be_short_for_the_finder(void **state)
{
    (void)state;
    static const char TEXT[] = "coord th\nkinetic th'^2/2\npotential -cos(th)\nstart th = 3\n";
    const proving_call call = {.solution = 0};
    proving it = proving_begin(TEXT, &call);
    assert_true(rh_certificate_holds(it.certificate));
    rh_model_def model = rh_model_def_default();
    model.text = TEXT;
    model.text_size = strlen(TEXT);
    const rh_steady_def asked = rh_steady_def_default();
    bool is_through = false;
    for (size_t at = 1; at < 5000 && !is_through; at++) {
        support_memory memory = {.fail_at = at};
        rh_certificate_def def = rh_certificate_def_default();
        def.allocator = support_memory_allocator(&memory);
        rh_certificate *certificate = NULL;
        const rh_status status =
            rh_certificate_create(it.steady, 0, &asked, &model, &def, &certificate, NULL);
        is_through = memory.request_count < at;
        assert_true(status == RH_OK || status == RH_E_MEMORY);
        assert_true(!is_through || (status == RH_OK && rh_certificate_holds(certificate)));
        rh_certificate_destroy(certificate);
        assert_int_equal(memory.block_count, 0);
    }
    assert_true(is_through);
    proving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_are_no_certificates_are_refused),
        cmocka_unit_test(claims_that_fail_say_why),
        cmocka_unit_test(a_certificate_by_hand_holds),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_check_can_be_broken_off),
        cmocka_unit_test(memory_may_be_short),
        cmocka_unit_test(memory_may_be_short_for_the_finder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
