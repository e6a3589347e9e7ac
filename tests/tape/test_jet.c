// SPDX-License-Identifier: Apache-2.0
// Jets against repeated symbolic differentiation along a polynomial path, and identities to high
// order.

#include "scribble.h"

enum { ORDER = 8, RANDOM_ORDER = 5, HIGH = 30, DEGREE = 5 };

// Rational coefficients of the path of each variable: x(t) = sum c_k t^k.
static const int64_t PATH[PAGE_VARIABLES][DEGREE + 1] = {
    {3, 5, -4, 2, 1, -1}, {-7, 3, 6, -2, 0, 3}, {2, -6, 1, 4, -3, 0}};

static rh_expr path_of(page *on, uint32_t variable)
{
    rh_expr sum = page_number(on, 0, 1);
    for (uint32_t k = 0; k <= DEGREE; k++) {
        sum = rh__expr_add(
            on->store, sum,
            rh__expr_multiply(on->store, page_number(on, PATH[variable][k], 10),
                              rh__expr_power(on->store, on->t, page_number(on, (int64_t)k, 1))));
    }
    return sum;
}

static rh_expr along_path(void *user, rh_store *store, rh_expr symbol)
{
    (void)store;
    page *on = user;
    for (uint32_t k = 0; k < PAGE_VARIABLES; k++) {
        if (on->x[k].i == symbol.i) {
            return path_of(on, k);
        }
    }
    return symbol;
}

static rh_expr by_time(void *user, rh_store *store, rh_expr symbol)
{
    const page *on = user;
    return rh__expr_integer(store, symbol.i == on->t.i);
}

static void set_path(rh_tape_state *state, uint32_t k)
{
    for (uint32_t v = 0; v < PAGE_VARIABLES; v++) {
        rh__jet_row(state, k)[v] = k <= DEGREE ? (double)PATH[v][k] / 10.0 : 0.0;
    }
}

static void check_expression(page *on, rh_expr e, uint32_t order, const char *what, uint32_t index)
{
    rh_tape *tape = page_tape(on, &e, 1);
    rh_tape_state *state = page_state(on, tape, order);
    rh_derivation *derivation = rh__derivation_create(on->store, &on->arena, by_time, on);
    rh_expr derivative = rh__expr_substitute(on->store, e, along_path, on);
    double factorial = 1.0;
    for (uint32_t k = 0; k <= order; k++) {
        double expected = 0.0;
        set_path(state, k);
        rh__jet_order(state, k);
        assert_true(
            rh__expr_values(on->store, &derivative, 1, page_value, on, &on->arena, &expected));
        expected /= factorial;
        const double actual = rh__tape_output(state, 0, k);
        if (isfinite(expected) && !(fabs(actual - expected) <= 1e-9 * (1.0 + fabs(expected)))) {
            fail_msg("%s %u: coefficient %u is %.17g, not %.17g", what, index, k, actual, expected);
        }
        derivative = rh__derivation_apply(derivation, derivative);
        factorial *= k + 1;
    }
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
}

static void every_operation_has_its_derivatives(void **unused)
{
    (void)unused;
    for (uint32_t kind = 0; kind < PAGE_KINDS; kind++) {
        page on;
        page_begin(&on);
        check_expression(&on, page_operation(&on, kind, on.x[0], on.x[1]), ORDER, "operation",
                         kind);
        check_expression(
            &on, page_operation(&on, kind, rh__expr_multiply(on.store, on.x[0], on.x[2]), on.x[1]),
            RANDOM_ORDER, "operation of a product", kind);
        page_end(&on);
    }
}

static void random_expressions_have_their_derivatives(void **unused)
{
    (void)unused;
    support_random random = support_random_begin("jets");
    for (uint32_t k = 0; k < 150; k++) {
        page on;
        page_begin(&on);
        check_expression(&on, page_random(&on, &random, 2), RANDOM_ORDER, "random", k);
        page_end(&on);
    }
}

// --- identities ------------------------------------------------------------------------------

// Every root is a constant at order 0 and zero above, or equals x.
typedef struct identity {
    const char *name;
    rh_expr e;
    double value; // NaN: it is x
} identity;

static uint32_t list_identities(page *on, identity *out)
{
    rh_store *s = on->store;
    const rh_expr x = on->x[0];
    const rh_expr u = page_positive(on, on->x[1]);
    const rh_expr two = page_number(on, 2, 1);
    const rh_expr small = rh__expr_multiply(s, page_number(on, 2, 5), page_bounded(on, x));
    const rh_expr sine = page_apply(on, RH_OP_SIN, x);
    const rh_expr cosine = page_apply(on, RH_OP_COS, x);
    const rh_expr sinh_x = page_apply(on, RH_OP_SINH, x);
    const rh_expr cosh_x = page_apply(on, RH_OP_COSH, x);
    const rh_expr root = rh__expr_sqrt(s, u);
    const rh_expr cube = rh__expr_power(s, u, page_number(on, 1, 3));
    const rh_expr tanh_x = page_apply(on, RH_OP_TANH, x);
    const rh_expr tan_small = page_apply(on, RH_OP_TAN, small);
    const rh_expr angle = page_apply_two(on, RH_OP_ATAN2, rh__expr_multiply(s, u, sine),
                                         rh__expr_multiply(s, u, cosine));
    // the left sides minus what they equal
    const identity made[] = {
        {"sin^2 + cos^2",
         rh__expr_add(s, rh__expr_power(s, sine, two), rh__expr_power(s, cosine, two)), 1.0},
        {"cosh^2 - sinh^2",
         rh__expr_subtract(s, rh__expr_power(s, cosh_x, two), rh__expr_power(s, sinh_x, two)), 1.0},
        {"exp log",
         rh__expr_subtract(s, page_apply(on, RH_OP_EXP, page_apply(on, RH_OP_LOG, u)), u), 0.0},
        {"log exp", page_apply(on, RH_OP_LOG, page_apply(on, RH_OP_EXP, x)), NAN},
        {"root^2", rh__expr_subtract(s, rh__expr_multiply(s, root, root), u), 0.0},
        {"cube root^3", rh__expr_subtract(s, rh__expr_power(s, cube, page_number(on, 3, 1)), u),
         0.0},
        {"u / u", rh__expr_subtract(s, rh__expr_multiply(s, rh__expr_divide(s, x, u), u), x), 0.0},
        {"sin asin",
         rh__expr_subtract(s, page_apply(on, RH_OP_SIN, page_apply(on, RH_OP_ASIN, small)), small),
         0.0},
        {"cos acos",
         rh__expr_subtract(s, page_apply(on, RH_OP_COS, page_apply(on, RH_OP_ACOS, small)), small),
         0.0},
        {"tan atan", rh__expr_subtract(s, page_apply(on, RH_OP_ATAN, tan_small), small), 0.0},
        {"tanh", rh__expr_subtract(s, rh__expr_multiply(s, tanh_x, cosh_x), sinh_x), 0.0},
        {"atan2", angle, NAN},
        {"u^b u^-b",
         rh__expr_multiply(s, rh__expr_power(s, u, on->x[2]),
                           rh__expr_power(s, u, rh__expr_negate(s, on->x[2]))),
         1.0},
    };
    const uint32_t count = sizeof made / sizeof made[0];
    memcpy(out, made, sizeof made);
    return count;
}

static void identities_hold_to_high_order(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    identity list[16];
    rh_expr roots[16];
    const uint32_t count = list_identities(&on, list);
    for (uint32_t k = 0; k < count; k++) {
        roots[k] = list[k].e;
    }
    rh_tape *tape = page_tape(&on, roots, count);
    rh_tape_state *state = page_state(&on, tape, HIGH);
    for (uint32_t k = 0; k <= HIGH; k++) {
        set_path(state, k);
        rh__jet_order(state, k);
        // coefficients grow no faster than 4^k on this path
        const double scale = 1e-12 * pow(4.0, k);
        for (uint32_t i = 0; i < count; i++) {
            const double expected = isnan(list[i].value) ? rh__jet_row(state, k)[0]
                                    : k == 0             ? list[i].value
                                                         : 0.0;
            const double actual = rh__tape_output(state, i, k);
            if (!(fabs(actual - expected) <= scale)) {
                fail_msg("%s: coefficient %u is off by %.3g", list[i].name, k, actual - expected);
            }
        }
    }
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
    page_end(&on);
}

static void sine_of_time_is_the_textbook_series(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    const rh_expr roots[] = {page_apply(&on, RH_OP_SIN, on.x[0]),
                             page_apply(&on, RH_OP_EXP, on.x[0])};
    rh_tape *tape = page_tape(&on, roots, 2);
    rh_tape_state *state = page_state(&on, tape, 20);
    rh__jet_row(state, 1)[0] = 1.0;
    double factorial = 1.0;
    for (uint32_t k = 0; k <= 20; k++) {
        rh__jet_order(state, k);
        const double sign = k % 4 == 1 ? 1.0 : k % 4 == 3 ? -1.0 : 0.0;
        assert_near_by(rh__tape_output(state, 0, k), sign / factorial, 1e-15, 0.0);
        assert_near_by(rh__tape_output(state, 1, k), 1.0 / factorial, 1e-15, 0.0);
        factorial *= k + 1;
    }
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
    page_end(&on);
}

// --- switches --------------------------------------------------------------------------------

static void conditions_are_kept_through_the_orders(void **unused)
{
    (void)unused;
    page on;
    page_begin(&on);
    const rh_expr roots[] = {page_apply(&on, RH_OP_ABS, on.x[0]),
                             page_apply_two(&on, RH_OP_MIN, on.x[0], on.x[1]),
                             page_apply(&on, RH_OP_SIGN, on.x[0])};
    rh_tape *tape = page_tape(&on, roots, 3);
    rh_tape_state *state = page_state(&on, tape, 2);
    assert_int_equal(tape->switch_count, 3);
    for (uint32_t k = 0; k <= 2; k++) {
        rh__jet_row(state, k)[0] = -1.0 + 3.0 * k; // below zero at first
        rh__jet_row(state, k)[1] = 0.5 + k;
        rh__jet_order(state, k);
        assert_near(rh__tape_output(state, 0, k), 1.0 - 3.0 * k, 0.0);
        assert_near(rh__tape_output(state, 1, k), -1.0 + 3.0 * k, 0.0);
        assert_near(rh__tape_output(state, 2, k), k == 0 ? -1.0 : 0.0, 0.0);
    }
    for (uint32_t k = 0; k < 3; k++) {
        const rh_tape_switch *it = &tape->switches[k];
        rh__tape_force(state, k, it->rule == RH_SWITCH_NOT_ABOVE ? 0.0 : 1.0);
        assert_near(rh__jet_row(state, 1)[it->surface],
                    it->rule == RH_SWITCH_NOT_ABOVE ? 2.0 - 1.5 : 2.0, 0.0);
    }
    for (uint32_t k = 0; k <= 2; k++) {
        rh__jet_order(state, k);
        assert_near(rh__tape_output(state, 0, k), -1.0 + 3.0 * k, 0.0);
        assert_near(rh__tape_output(state, 1, k), 0.5 + k, 0.0);
        assert_near(rh__tape_output(state, 2, k), k == 0 ? 1.0 : 0.0, 0.0);
    }
    for (uint32_t k = 0; k < 3; k++) {
        assert_near(rh__tape_truth(state, k),
                    tape->switches[k].rule == RH_SWITCH_NOT_ABOVE ? 0.0 : 1.0, 0.0);
        rh__tape_force(state, k, NAN);
    }
    rh__tape_run(state);
    assert_near(rh__tape_output(state, 0, 0), 1.0, 0.0);
    rh__tape_state_destroy(state);
    rh__tape_destroy(tape);
    page_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sine_of_time_is_the_textbook_series),
                                       cmocka_unit_test(every_operation_has_its_derivatives),
                                       cmocka_unit_test(random_expressions_have_their_derivatives),
                                       cmocka_unit_test(identities_hold_to_high_order),
                                       cmocka_unit_test(conditions_are_kept_through_the_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
