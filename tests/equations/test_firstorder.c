// SPDX-License-Identifier: Apache-2.0
// First-order systems at random, with weights, restrictions of relative degree one and two, ideal
// and by a servo, up to as many as there are selected variables: the reaction-free equations and
// what is integrated give the rates of the multiplier form, on the restrictions and off them, and
// these rates keep the restrictions. With s = m neither weights nor pushes change the rates.

#include "derived.h"

enum { MOST = 6 };

typedef struct system_text {
    support_random random;
    char text[8192];
    size_t size;
    uint32_t n, m, s; // states, selected ones, restrictions
} system_text;

static void put(system_text *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(to->text + to->size, sizeof to->text - to->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && to->size + (size_t)size < sizeof to->text);
    to->size += (size_t)size;
}

static double number(system_text *to, double low, double high)
{
    return support_random_real(&to->random, low, high);
}

static uint32_t some(system_text *to)
{
    return 1 + support_random_below(&to->random, to->n);
}

static bool chance(system_text *to, uint32_t percent)
{
    return support_random_below(&to->random, 100) < percent;
}

static void put_laws(system_text *to)
{
    put(to, "state x1");
    for (uint32_t k = 2; k <= to->n; k++) {
        put(to, ", x%u", k);
    }
    put(to, "\n");
    for (uint32_t k = 1; k <= to->n; k++) {
        put(to, "law (%.3f + %.3f*sin(x%u)^2)*x%u' = %.3f*x%u*x%u - %.3f*x%u + %.3f*cos(x%u + t)\n",
            number(to, 0.5, 2), number(to, 0, 0.5), some(to), k, number(to, -1, 1), some(to),
            some(to), number(to, 0.2, 1), k, number(to, -1, 1), some(to));
    }
    put(to, "select x1");
    for (uint32_t k = 2; k <= to->m; k++) {
        put(to, ", x%u", k);
    }
    put(to, "\n");
}

// Restriction k acts most on xk; one of relative degree two does so through a state of its own.
static void put_restriction(system_text *to, uint32_t k)
{
    if (chance(to, 25)) {
        put(to, "state u%u\nlaw u%u' = 2*x%u + %.3f*sin(u%u + x%u)\n", k, k, k,
            number(to, -0.3, 0.3), k, 1 + support_random_below(&to->random, k));
        put(to, "constraint c%u: u%u + %.3f*t^2 = const", k, k, number(to, -0.5, 0.5));
    } else {
        put(to, "constraint c%u: (2 + %.3f*sin(x%u + t))*x%u + %.3f*x%u*x%u + %.3f*x%u^2 = ", k,
            number(to, -0.3, 0.3), some(to), k, number(to, -0.2, 0.2), some(to), some(to),
            number(to, -0.2, 0.2), some(to));
        put(to, chance(to, 50) ? "const" : "0.4 + 0.3*sin(t)");
    }
    if (chance(to, 25)) {
        put(to, " by servo(x%u: 1", k);
        put(to, to->m > 1 ? ", x%u: %.3f" : "", 1 + k % to->m, number(to, -0.3, 0.3));
        put(to, ")");
    }
    put(to, "\n");
}

static void invent(system_text *to)
{
    to->size = 0;
    to->n = 3 + support_random_below(&to->random, MOST - 2);
    to->m = 2 + support_random_below(&to->random, to->n - 1);
    to->s = chance(to, 25) ? to->m : 1 + support_random_below(&to->random, to->m - 1);
    put_laws(to);
    for (uint32_t k = 1; k <= to->s; k++) {
        put_restriction(to, k);
    }
    put(to, "start t = %.3f\n", number(to, -1, 1));
    for (uint32_t k = 1; k <= to->n; k++) {
        put(to, "guess x%u = %.3f\n", k, number(to, -0.8, 0.8));
    }
}

// --- comparing -----------------------------------------------------------------------------------

typedef struct tally {
    uint32_t systems, full, deep, states, compared, skipped;
    uint32_t moved; // by reactions, so that agreeing says something
    double rates, kept;
} tally;

static rh_point solve_at(derived *on, const rh_form *form, const rh_point *at)
{
    rh_form_result result;
    const rh_point point = copy_point(on, at);
    assert_int_equal(rh__form_solve(form, &point, NULL, &on->arena, &result), RH_OK);
    assert_true(result.residual < RH_FORM_INCONSISTENT);
    return point;
}

// The largest difference of rates, relative to the largest of them or 1.
static double compare(const derived *on, const rh_point *left, const rh_point *right)
{
    double size = 1.0;
    double most = 0.0;
    for (uint32_t k = 0; k < on->equations->carriers.count; k++) {
        const rh_expr rate = on->equations->carriers.data[k].rate;
        const double a = rh__point_get(left, rate);
        const double b = rh__point_get(right, rate);
        size = fmax(size, fabs(a));
        most = isnan(b) ? INFINITY : fmax(most, fabs(a - b));
    }
    return most / size;
}

static void step_along(const derived *on, const rh_point *from, double h, const rh_point *out)
{
    const rh_equations *equations = on->equations;
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        const rh_carrier *it = &equations->carriers.data[k];
        rh__point_set(out, it->variable,
                      rh__point_get(from, it->variable) + h * rh__point_get(from, it->rate));
    }
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        const rh_passive *it = &equations->passives.data[k];
        rh__point_set(out, it->variable,
                      rh__point_get(from, it->variable) + h * rh__point_get(from, it->rate));
    }
    const rh_expr time = symbol_named(on, "t");
    rh__point_set(out, time, rh__point_get(from, time) + h);
}

// The last levels do not change along these rates: by differences.
static double find_drift(derived *on, const rh_point *known)
{
    const double h = 1e-4;
    const rh_point ahead = copy_point(on, known);
    const rh_point behind = copy_point(on, known);
    step_along(on, known, h, &ahead);
    step_along(on, known, -h, &behind);
    double worst = 0.0;
    for (uint32_t k = 0; k < on->equations->links.count; k++) {
        const rh_link *link = &on->equations->links.data[k];
        const rh_expr level = link->levels[link->level_count - 1];
        const double slope = (value_at(on, &ahead, level) - value_at(on, &behind, level)) / (2 * h);
        worst = isnan(slope) ? INFINITY : fmax(worst, fabs(slope));
    }
    return worst;
}

// The start, states near it on the restrictions, and the last off them.
static rh_point choose_state(derived *on, support_random *random, uint32_t index)
{
    rh_point out = copy_point(on, &on->start.point);
    bool is_met = true;
    if (index == 1 || index == 2) {
        assert_int_equal(rh__start_wander(on->equations, &on->start.point, 0.2, index, &on->arena,
                                          &out, &is_met),
                         RH_OK);
    } else if (index == 3) {
        for (uint32_t k = 0; k < on->equations->carriers.count; k++) {
            rh__point_set(&out, on->equations->carriers.data[k].variable,
                          support_random_real(random, -0.8, 0.8));
        }
    }
    return out;
}

static void try_system(system_text *to, tally *all)
{
    static const rh_form_kind KINDS[] = {RH_FORM_REDUCED, RH_FORM_PRINCIPAL};
    derived on;
    derive_sound(to->text, &(conditions){0}, &on);
    rh_form known_form, free_form, forms[2];
    rh_error err = RH_ZERO;
    assert_int_equal(
        rh__form_create(on.equations, RH_FORM_MULTIPLIERS, &on.arena, &known_form, &err), RH_OK);
    assert_int_equal(rh__form_create(on.equations, RH_FORM_FREE, &on.arena, &free_form, &err),
                     RH_OK);
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(rh__form_create(on.equations, KINDS[k], &on.arena, &forms[k], &err),
                         RH_OK);
    }
    for (uint32_t index = 0; index < 4; index++) {
        const rh_point at = choose_state(&on, &to->random, index);
        const rh_point known = solve_at(&on, &known_form, &at);
        const rh_point released = solve_at(&on, &free_form, &at);
        all->states++;
        all->kept = fmax(all->kept, find_drift(&on, &known));
        for (uint32_t k = 0; k < 2; k++) {
            // a small pivot costs digits by its nature
            if (smallest_pivot(&on, &forms[k], &at) < 0.1) {
                all->skipped++;
                continue;
            }
            const rh_point point = solve_at(&on, &forms[k], &at);
            const double difference = compare(&on, &known, &point);
            if (!(difference < 1e-12)) {
                fail_msg("%s: off by %.1e at state %u, in:\n%s", FORM_NAMES[KINDS[k]], difference,
                         index, to->text);
            }
            all->rates = fmax(all->rates, difference);
            all->moved += compare(&on, &known, &released) > 1e-3;
            all->compared++;
        }
    }
    all->systems++;
    all->full += to->s == to->m;
    for (uint32_t k = 0; k < on.equations->links.count; k++) {
        all->deep += on.equations->links.data[k].level_count > 1;
    }
    derived_end(&on);
}

static void forms_agree(void **state)
{
    (void)state;
    system_text *to = calloc(1, sizeof *to);
    assert_non_null(to);
    to->random = support_random_begin("first-order forms agree");
    tally all = {0};
    for (uint32_t k = 0; k < 200; k++) {
        invent(to);
        try_system(to, &all);
    }
    print_message("%u systems (%u with s = m, %u hidden levels), %u states, %u forms compared, %u "
                  "skipped; rates %.1e, drift of the restrictions %.1e\n",
                  all.systems, all.full, all.deep, all.states, all.compared, all.skipped, all.rates,
                  all.kept);
    assert_true(all.kept < 1e-5);
    assert_true(all.skipped < all.compared / 5);
    assert_true(all.full > 20 && all.full < 100 && all.deep > 20);
    assert_true(all.moved > all.compared * 9 / 10);
    free(to);
}

// --- s = m ---------------------------------------------------------------------------------------

static double *rates_of(const char *format, const char *weight, const char *by, double *out)
{
    char text[1024];
    (void)snprintf(text, sizeof text, format, weight, by, by[0] != '\0' ? " by servo(x: 1)" : "");
    derived on;
    rh_form form;
    derive_sound(text, &(conditions){0}, &on);
    assert_int_equal(rh__form_create(on.equations, RH_FORM_MULTIPLIERS, &on.arena, &form, NULL),
                     RH_OK);
    const rh_point point = solve_at(&on, &form, &on.start.point);
    out[0] = value_named(&on, &point, "x'");
    out[1] = value_named(&on, &point, "y'");
    derived_end(&on);
    return out;
}

// One restriction for two selected variables: weight and push matter. Two: they do not.
static void weights_matter_below_s_m(void **state)
{
    (void)state;
    static const char ONE[] =
        "param w = %s\nstate x, y, z\nlaw w*x' = w*(z - x*y)\nlaw y' = x - y\n"
        "law z' = -z\nselect x, y\nconstraint a: x^2 + y = const%s%.0s\n"
        "start x = 1, y = 0.5, z = 2\n";
    static const char TWO[] =
        "param w = %s\nstate x, y, z\nlaw w*x' = w*(z - x*y)\nlaw y' = x - y\n"
        "law z' = -z\nselect x, y\nconstraint a: x^2 + y = const%s\n"
        "constraint b: y - x*z = const%s\nstart x = 1, y = 0.5, z = 2\n";
    double base[2], heavy[2], pushed[2];
    rates_of(ONE, "1", "", base);
    rates_of(ONE, "4", "", heavy);
    rates_of(ONE, "1", " by servo(y: 1)", pushed);
    // x' = 1.5, y' = 0.5 when released; k = 2 x x' + y' = 3.5, C = (2, 1): lambda = -k/(4/w + 1)
    assert_near(base[0], 1.5 - 2 * 3.5 / 5, 1e-14);
    assert_near(base[1], 0.5 - 3.5 / 5, 1e-14);
    assert_near(heavy[0], 1.5 - 0.5 * 3.5 / 2, 1e-14);
    assert_near(heavy[1], 0.5 - 3.5 / 2, 1e-14);
    assert_near(pushed[0], 1.5, 1e-14);
    assert_near(pushed[1], -3.0, 1e-14);
    rates_of(TWO, "1", "", base);
    rates_of(TWO, "4", "", heavy);
    rates_of(TWO, "1", " by servo(y: 1)", pushed);
    // 2 x' + y' = 0, y' - 2 x' = x z' = -2
    assert_near(base[0], 0.5, 1e-14);
    assert_near(base[1], -1.0, 1e-14);
    for (uint32_t k = 0; k < 2; k++) {
        assert_near(heavy[k], base[k], 1e-14);
        assert_near(pushed[k], base[k], 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(weights_matter_below_s_m),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
