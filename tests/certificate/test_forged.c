// SPDX-License-Identifier: Apache-2.0
// Certificates written by somebody who wants to deceive, each with a seal that fits: what is proved
// must be what a reader sees.

#include "proving.h"

#include "certificate/wording.h"

static const char OSCILLATOR[] = "| model \"oscillator\"\n"
                                 "| param k = 4, c = 0.5\n"
                                 "| coord x\n"
                                 "| kinetic x'^2/2\n"
                                 "| dissipation c*x'^2/2\n"
                                 "| start x = 0.1\n";

static const char STABLE[] =
    "coefficient 0 = [3.99999999999999999999999999999, 4.00000000000000000000000000001]\n"
    "coefficient 1 = [0.499999999999999999999999999999, 0.500000000000000000000000000001]\n";
static const char UNSTABLE[] =
    "coefficient 0 = [-5.00000000000000000000000000001, -4.99999999999999999999999999999]\n"
    "coefficient 1 = [0.499999999999999999999999999999, 0.500000000000000000000000000001]\n";

typedef struct forgery {
    const char *verdict;
    const char *quasis; // lines
    const char *coefficients;
    const char *model; // before the lines of the oscillator
    const char *last;  // behind them
} forgery;

static void write(const forgery *it, char out[4096])
{
    char digits[RH_WORDING_SEAL];
    (void)snprintf(out, 4096,
                   "rheonom certificate 2\nclaim       steady motion\nverdict     %s\n"
                   "dimension   0\n%sframe       w\npositional  x\nexact       x = 0\n"
                   "exact       w = 0\nvanish      x' by substitution\n"
                   "vanish      w' by substitution\n%s%s%s%s",
                   it->verdict, it->quasis, it->coefficients, it->model, OSCILLATOR, it->last);
    rh__wording_seal(rh__slice_of(out), digits);
    (void)snprintf(out + strlen(out), 4096 - strlen(out), "seal        %s\n", digits);
}

// The status of its check; `holds` and what was said.
static rh_status check(const char *text, bool *holds, char said[1024])
{
    rh_certificate *certificate = NULL;
    rh_error err = {.message = ""};
    const rh_certificate_def def = rh_certificate_def_default();
    const rh_status status = rh_certificate_check(text, strlen(text), &def, &certificate, &err);
    *holds = status == RH_OK && rh_certificate_holds(certificate);
    (void)snprintf(said, 1024, "%s",
                   status == RH_OK ? rh_certificate_reason(certificate) : err.message);
    rh_certificate_destroy(certificate);
    return status;
}

static void the_honest_one_holds(void **state)
{
    (void)state;
    static char text[4096];
    char said[1024];
    bool holds = false;
    write(&(forgery){"asymptotically stable", "quasi       w = x'\n", STABLE, "",
                     "| potential k*x^2/2\n"},
          text);
    assert_int_equal(check(text, &holds, said), RH_OK);
    assert_true(holds);
}

// Lines that are no statements of their own: parts of the model that no reader sees in it.
static void what_is_added_cannot_change_the_model(void **state)
{
    (void)state;
    static const forgery CASES[] = {
        // the last line of the model goes on in a line of quasi-velocities
        {"unstable", "quasi       *(-1)*x^2/2\nquasi       w = x'\n", UNSTABLE,
         "| param quasi = 9\n", "| potential k*x^2/2 +\n"},
        {"unstable", "quasi       *(-1)*x^2/2\nquasi       w = x'\n", UNSTABLE,
         "| param quasi = 9\n", "| potential (k*x^2/2\n"},
        {"unstable", "quasi       w = x'; potential -4.5*x^2\n", UNSTABLE, "",
         "| potential k*x^2/2\n"},
        {"unstable", "quasi       w = x', potential = 3\n", UNSTABLE, "", "| potential k*x^2/2\n"},
        {"unstable", "quasi       w = x'\rpotential -4.5*x^2\n", UNSTABLE, "",
         "| potential k*x^2/2\n"},
        {"unstable", "quasi       w = x' potential -4.5*x^2\n", UNSTABLE, "",
         "| potential k*x^2/2\n"},
        // what the model needs stands in an added line only
        {"asymptotically stable", "quasi       w = x'\nquasi       v = x'\n", STABLE, "",
         "| potential k*x^2/2\n| force x: v - v\n"},
        {"asymptotically stable", "quasi       w = x'\n", STABLE, "",
         "| potential k*x^2/2\n| let e = w^2\n"},
        // a string or a bracket that is closed in an added line
        {"unstable", "quasi       w = x'\n", UNSTABLE, "", "| potential k*x^2/2\n| drawing \"\n"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        static char text[4096];
        char said[1024];
        bool holds = false;
        write(&CASES[k], text);
        const rh_status status = check(text, &holds, said);
        if (status == RH_OK || holds) {
            fail_msg("forgery %zu: status %d, %s", k, (int)status, said);
        }
    }
}

static void each_line_added_is_one_statement(void **state)
{
    (void)state;
    static char text[4096];
    char said[1024];
    bool holds = false;
    write(&(forgery){"unstable", "quasi       *(-1)*x^2/2\nquasi       w = x'\n", UNSTABLE,
                     "| param quasi = 9\n", "| potential k*x^2/2\n"},
          text);
    assert_int_equal(check(text, &holds, said), RH_E_MODEL);
    assert_non_null(strstr(said, "a line of quasi-velocities is none by itself"));
    write(&(forgery){"unstable", "quasi       *(-1)*x^2/2\nquasi       w = x'\n", UNSTABLE,
                     "| param quasi = 9\n", "| potential k*x^2/2 +\n"},
          text);
    assert_int_equal(check(text, &holds, said), RH_E_MODEL);
    assert_non_null(strstr(said, "the model of the certificate is wrong"));
}

// What cancels, or is multiplied by zero, has no value there all the same.
static void a_model_without_a_value_is_not_certified(void **state)
{
    (void)state;
    static const char *const TERMS[] = {
        "0*log(x - 1)",      "sqrt(x - 1) - sqrt(x - 1)",
        "sqrt(x - 1)*0",     "0*asin(x + 2)",
        "x^2*(x/x - 1)",     "0/x",
        "0*x^(-1)",          "0*(x - 1)^0.5",
        "0*sqrt(2*(x - 1))", "0*(1/(x*(x + 1)))",
        "0*tan(x + pi/2)",   "if(x < 1, 0*log(x - 1), 0)",
        "0*exp(log(x - 2))", "log(x - 1)/log(x - 1) - 1",
    };
    for (size_t k = 0; k < sizeof TERMS / sizeof *TERMS; k++) {
        static char text[4096];
        char last[256];
        char said[1024];
        bool holds = false;
        (void)snprintf(last, sizeof last, "| potential k*x^2/2 + %s\n", TERMS[k]);
        write(&(forgery){"asymptotically stable", "quasi       w = x'\n", STABLE, "", last}, text);
        (void)check(text, &holds, said);
        if (holds) {
            fail_msg("%s: %s", TERMS[k], said);
        }
    }
}

static void a_model_with_a_value_is_certified(void **state)
{
    (void)state;
    static const char *const TERMS[] = {
        "0*log(x + 1)",
        "0/(x + 1)",
        "x^2*((x + 1)/(x + 1) - 1)",
        "0*sqrt(1 - x)",
        "if(x < 1, 0, 0*log(x - 1))",
        "0*tan(x)",
    };
    for (size_t k = 0; k < sizeof TERMS / sizeof *TERMS; k++) {
        static char text[4096];
        char last[256];
        char said[1024];
        bool holds = false;
        (void)snprintf(last, sizeof last, "| potential k*x^2/2 + %s\n", TERMS[k]);
        write(&(forgery){"asymptotically stable", "quasi       w = x'\n", STABLE, "", last}, text);
        (void)check(text, &holds, said);
        if (!holds) {
            fail_msg("%s: %s", TERMS[k], said);
        }
    }
}

static void older_certificates_are_told_so(void **state)
{
    (void)state;
    static char text[4096];
    char said[1024];
    bool holds = false;
    write(&(forgery){"asymptotically stable", "quasi       w = x'\n", STABLE, "",
                     "| potential k*x^2/2\n"},
          text);
    text[strlen("rheonom certificate ")] = '1';
    assert_int_equal(check(text, &holds, said), RH_E_ARGUMENT);
    assert_non_null(strstr(said, "version 1"));
    assert_non_null(strstr(said, "steady --certify"));
}

// FIPS 180-4: "abc", and the empty text.
static void the_seal_is_sha256(void **state)
{
    (void)state;
    char digits[RH_WORDING_SEAL];
    rh__wording_seal(rh__slice_of("abc"), digits);
    assert_string_equal(digits, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    rh__wording_seal(rh__slice_of(""), digits);
    assert_string_equal(digits, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void what_was_examined_is_shown(void **state)
{
    (void)state;
    static char text[4096];
    rh_certificate *certificate = NULL;
    rh_error err = {.message = ""};
    const rh_certificate_def def = rh_certificate_def_default();
    write(&(forgery){"asymptotically stable", "quasi       w = x'\n", STABLE, "",
                     "| potential k*x^2/2 # a spring\n"},
          text);
    assert_int_equal(rh_certificate_check(text, strlen(text), &def, &certificate, &err), RH_OK);
    const char *shown = rh_certificate_statement(certificate);
    assert_non_null(strstr(shown, OSCILLATOR));
    assert_non_null(strstr(shown, "| potential k*x^2/2 # "));
    assert_non_null(strstr(shown, "quasi       w = x'\n"));
    assert_non_null(strstr(shown, "exact       x = 0\n"));
    rh_certificate_destroy(certificate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_honest_one_holds),
        cmocka_unit_test(what_is_added_cannot_change_the_model),
        cmocka_unit_test(each_line_added_is_one_statement),
        cmocka_unit_test(a_model_without_a_value_is_not_certified),
        cmocka_unit_test(a_model_with_a_value_is_certified),
        cmocka_unit_test(older_certificates_are_told_so),
        cmocka_unit_test(the_seal_is_sha256),
        cmocka_unit_test(what_was_examined_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
