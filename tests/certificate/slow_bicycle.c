// SPDX-License-Identifier: Apache-2.0
// The Whipple bicycle from its geometry: its verdicts are proved, with the roots of Meijaard,
// Papadopoulos, Ruina and Schwab (2007).

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "proving.h"

#include "certificate/wording.h"

static const char *const SPEEDS[] = {"speed=4", "speed=5", "speed=6", "speed=10"};

static proving ride(const char *text, const char *speed)
{
    const proving_call call = {.fix = {speed, "phi=0", "delta=0"}};
    return proving_begin(text, &call);
}

static void the_bicycle_is_proved_stable_between_two_speeds(void **state)
{
    (void)state;
    static const struct {
        const char *verdict;
        double real[4];
    } CASES[] = {
        {"unstable", {0.41325331521127, 0.41325331521127, -1.4294442736133, -12.158614265764}},
        {"asymptotically stable",
         {-0.32286642900411, -0.77534188219581, -0.77534188219581, -14.078389692798}},
        {"asymptotically stable",
         {-0.0040669007697147, -1.5264448658414, -1.5264448658414, -16.08537123098}},
        {"unstable", {0.16105338653172, -3.7201684043729, -3.7201684043729, -24.624596350174}},
    };
    size_t size = 0;
    char *text = support_read("examples/whipple_bicycle/model.rhe", &size);
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        proving it = ride(text, SPEEDS[k]);
        assert_string_equal(rh_certificate_verdict(it.certificate), CASES[k].verdict);
        assert_int_equal(rh_certificate_dimension(it.certificate), 1);
        assert_int_equal(rh_certificate_root_count(it.certificate), 4);
        for (size_t j = 0; j < 4; j++) {
            const rh_certificate_root root = rh_certificate_root_at(it.certificate, j);
            assert_near(root.real_low, CASES[k].real[j], 1e-12);
            assert_near(root.real_high, root.real_low, 1e-13);
        }
        proving_end(&it);
    }
    free(text);
}

// A steady turn: the balance of power gives one equation, reactions of kept constraints in it.
static void a_turn_is_proved(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/whipple_bicycle/model.rhe", &size);
    const proving_call call = {.fix = {"phi=0.2"}, .guess = {"delta=0.1"}};
    proving it = proving_begin(text, &call);
    assert_string_equal(rh_certificate_verdict(it.certificate), "unstable");
    assert_int_equal(rh_certificate_dimension(it.certificate), 1);
    assert_near(rh_certificate_root_at(it.certificate, 0).real_low, 0.0671386216278, 1e-12);
    assert_non_null(strstr(rh_certificate_text(it.certificate), "by power balance"));
    proving_end(&it);
    free(text);
}

// With a seal that fits, so that claims must notice.
static bool holds_sealed(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    const char *end = strstr(text, "\nseal ") + 1;
    char *copy = calloc(strlen(text) + strlen(to) + 96, 1);
    char digits[RH_WORDING_SEAL];
    assert_true(at != NULL && at < end && copy != NULL);
    (void)sprintf(copy, "%.*s%s%.*s", (int)(at - text), text, to,
                  (int)(end - at - (ptrdiff_t)strlen(from)), at + strlen(from));
    rh__wording_seal(rh__slice_of(copy), digits);
    (void)strcat(copy, "seal        ");
    (void)strcat(copy, digits);
    (void)strcat(copy, "\n");
    rh_certificate *certificate = NULL;
    rh_error err = {.message = ""};
    const rh_certificate_def def = rh_certificate_def_default();
    const rh_status status = rh_certificate_check(copy, strlen(copy), &def, &certificate, &err);
    const bool is_true = status == RH_OK && rh_certificate_holds(certificate);
    rh_certificate_destroy(certificate);
    free(copy);
    return is_true;
}

static void another_bicycle_is_not_proved_by_it(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } CASES[] = {
        {"turn        roll_Fx, roll_Fy by psi\n", ""},
        {"roll_Fx, roll_Fy by psi", "roll_Fy, roll_Fx by psi"},
        {"roll_Rx, roll_Ry by psi", "roll_Rx, roll_Fy by psi"},
        {"roll_Rx, roll_Ry by psi", "roll_Rx, roll_Ry by theta_R"},
        {"w = 1.02", "w = 1.0200000000000000000001"},
        {"IRxx, IRyy, IRxx)", "IRxx, IRyy, 2*IRxx)"}, // a wheel that is not round
        {"potential -g*", "potential 0.001*sin(psi) - g*"},
        {"constraint roll_Fy: uF.y = 0", "constraint roll_Fy: uF.y + uF.x = 0"},
        {"verdict     asymptotically stable", "verdict     unstable"},
        {"positional  phi, theta, delta, z", "positional  phi, theta, delta"},
        {"speed = 5", "speed = 5.0000000000000000000000000001"},
    };
    size_t size = 0;
    char *text = support_read("examples/whipple_bicycle/model.rhe", &size);
    proving it = ride(text, "speed=5");
    char *proof = strdup(rh_certificate_text(it.certificate));
    proving_end(&it);
    assert_true(holds_sealed(proof, "dimension   1", "dimension   1"));
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        if (holds_sealed(proof, CASES[k].from, CASES[k].to)) {
            fail_msg("\"%s\" became \"%s\" and the certificate still holds", CASES[k].from,
                     CASES[k].to);
        }
    }
    free(proof);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bicycle_is_proved_stable_between_two_speeds),
        cmocka_unit_test(a_turn_is_proved),
        cmocka_unit_test(another_bicycle_is_not_proved_by_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
