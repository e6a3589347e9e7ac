// SPDX-License-Identifier: Apache-2.0
// Optima that are known: at a double root, at a triple one, at two double pairs, at an end of a
// range.

#include "../chart/charting.h"

#include "rheonom/output.h"

static const char DISC[] = "examples/rolling_disc/model.rhe";

static rh_optimum *search(charting *on, const rh_optimum_def *def)
{
    rh_optimum *optimum = NULL;
    const rh_status status = rh_optimum_create(on->equations, def, &optimum, &on->err);
    if (status != RH_OK) {
        fail_msg("%s: %s", rh_status_text(status), on->err.message);
    }
    return optimum;
}

static rh_optimum_def def_over(const rh_optimum_range *over, size_t count)
{
    rh_optimum_def def = rh_optimum_def_default();
    def.over = over;
    def.over_count = count;
    return def;
}

// Of eighty valleys, which differ by a thousandth, the deepest; and a narrow one beside a wide one.
static void the_deepest_of_several_valleys(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        double at[2], value;
    } CASES[] = {
        {"law x' = -(2 + cos(50*(a - 7/10)) - (a - 7/10)^2/50)*x\n", 1, {0.7}, -3.0},
        {"law x' = -(exp(-(a - 1)^2 - b^2) + 1.3*exp(-25*((a + 3.1)^2 + (b - 2.2)^2)))*x\n",
         2,
         {-3.1, 2.2},
         -1.3000000003960},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const rh_optimum_range over[] = {{"a", -5.0, 5.0}, {"b", -4.0, 5.0}};
        char text[512];
        charting on;
        (void)snprintf(text, sizeof text, "param a = 1%s\nstate x\n%sstart x = 0\n",
                       CASES[i].count > 1 ? ", b = 1" : "", CASES[i].text);
        charting_begin(text, NULL, &on);
        const rh_optimum_def def = def_over(over, CASES[i].count);
        rh_optimum *optimum = search(&on, &def);
        assert_near(rh_optimum_summarise(optimum).abscissa, CASES[i].value, 1e-11);
        for (size_t k = 0; k < CASES[i].count; k++) {
            assert_near(rh_optimum_parameter(optimum, k), CASES[i].at[k],
                        rh_optimum_parameter_error(optimum, k) + 1e-8);
        }
        rh_optimum_destroy(optimum);
        charting_end(&on);
    }
}

// Where no quantity can be moved alone, at the floor of a bent ravine, all of them together can be:
// bars know it. In the last case all of a line is best.
static void bars_in_ravines_hold(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t count;
        double at, most; // of every quantity; of the bars
    } CASES[] = {
        {"state x, y\nlaw x' = -(1 - 10*(b - a^2) - (1 - a)^2)*x\n"
         "law y' = -(1 + 10*(b - a^2) - (1 - a)^2)*y\nstart x = 0, y = 0\n",
         2, 1.0, 1e-5},
        {"let s = (1 - a)^2 + (c - a)^2 + (d - b)^2\nstate x, y\n"
         "law x' = -(1 - 10*(b - a^2) - s)*x\nlaw y' = -(1 + 10*(b - a^2) - s)*y\n"
         "start x = 0, y = 0\n",
         4, 1.0, 1e-2},
        // a double root at -1/(1 + (b - 1)^2) for a = 1
        {"let g = 1/(1 + (b - 1)^2)\nstate x, y\nlaw x' = y\nlaw y' = -g^2*x - 2*g*a*y\n"
         "start x = 0, y = 0\n",
         2, 1.0, 1e-2},
        {"state x, y\nlaw x' = -(1 - (a - b)^2)*x\nlaw y' = -2*y\nstart x = 0, y = 0\n", 2, 1.0,
         6.0},
    };
    static const rh_optimum_range OVER[] = {
        {"a", -2.0, 2.0}, {"b", -3.0, 3.0}, {"c", -3.0, 3.0}, {"d", -3.0, 3.0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[512];
        charting on;
        (void)snprintf(text, sizeof text, "param a = 0.5, b = 0.5%s\n%s",
                       CASES[i].count > 2 ? ", c = 0, d = 0" : "", CASES[i].text);
        charting_begin(text, NULL, &on);
        const rh_optimum_def def = def_over(OVER, CASES[i].count);
        rh_optimum *optimum = search(&on, &def);
        const double off = fabs(rh_optimum_summarise(optimum).abscissa + 1.0);
        assert_true(off <= rh_optimum_abscissa_error(optimum) && off <= 1e-6);
        for (size_t k = 0; k < CASES[i].count; k++) {
            const double bar = rh_optimum_parameter_error(optimum, k);
            const double away = fabs(rh_optimum_parameter(optimum, k) - CASES[i].at);
            if (!(away <= bar && bar <= CASES[i].most)) {
                fail_msg("%s off by %.3g, said %.3g, in:\n%s", OVER[k].name, away, bar, text);
            }
        }
        rh_optimum_destroy(optimum);
        charting_end(&on);
    }
}

// Reference case DISC-G: h* = 2 (A + m a^2) sqrt(a0), abscissa -sqrt(a0); 20 digits.
static void the_damping_of_the_disc(void **state)
{
    (void)state;
    const rh_optimum_range over[] = {{"h", 0.0, 20.0}};
    const rh_steady_value fix[] = {{"theta", 0.5}, {"w3", 6.0}};
    const rh_steady_value guess[] = {{"w2", 1.0}};
    charting on;
    charting_begin_file(DISC, NULL, &on);
    rh_optimum_def def = def_over(over, 1);
    def.steady.fix = fix;
    def.steady.fix_count = 2;
    def.steady.guess = guess;
    def.steady.guess_count = 1;
    rh_optimum *optimum = search(&on, &def);
    const rh_optimum_summary summary = rh_optimum_summarise(optimum);
    assert_near(rh_optimum_parameter(optimum, 0), 5.6118021119659557286, 1e-13);
    assert_near(summary.abscissa, -8.9788833791455291657, 1e-13);
    assert_int_equal(summary.active, 2);
    assert_true(summary.is_complete);
    assert_int_equal(rh_optimum_bound(optimum, 0), 0);
    support_text text = {0};
    assert_int_equal(rh_output_optimum(optimum, RH_FORMAT_JSON, support_text_sink(&text), &on.err),
                     RH_OK);
    assert_ptr_equal(strstr(text.data, "{\"parameters\": {\"h\": 5.61180211196"), text.data);
    // all bits of it; the last digits of the optimum itself are rounding
    const char *abscissa = strstr(text.data, "\"abscissa\": ");
    assert_non_null(abscissa);
    assert_true(strtod(abscissa + strlen("\"abscissa\": "), NULL) == summary.abscissa);
    assert_non_null(strstr(text.data, "\"verdict\": \"asymptotically stable\""));
    free(text.data);
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

// s^3 + a s^2 + b s + 8: of all with this product of roots the triple one at -2 is best.
static void a_triple_root(void **state)
{
    (void)state;
    const rh_optimum_range over[] = {{"a", 1.0, 20.0}, {"b", 1.0, 31.0}};
    charting on;
    charting_begin("param a = 1, b = 1\nstate x, y, z\nlaw x' = y\nlaw y' = z\n"
                   "law z' = -8*x - b*y - a*z\nstart x = 0.1, y = 0, z = 0\n",
                   NULL, &on);
    const rh_optimum_def def = def_over(over, 2);
    rh_optimum *optimum = search(&on, &def);
    assert_near(rh_optimum_parameter(optimum, 0), 6.0, 1e-11);
    assert_near(rh_optimum_parameter(optimum, 1), 12.0, 1e-11);
    assert_near(rh_optimum_summarise(optimum).abscissa, -2.0, 1e-11);
    assert_int_equal(rh_optimum_summarise(optimum).active, 3);
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

// Four quantities, and a fivefold root: s^5 + b s^4 + c s^3 + d s^2 + e s + 32 = (s + 2)^5.
static void a_fivefold_root(void **state)
{
    (void)state;
    const rh_optimum_range over[] = {
        {"b", 1.0, 20.0}, {"c", 1.0, 80.0}, {"d", 1.0, 120.0}, {"e", 1.0, 120.0}};
    charting on;
    charting_begin("param b = 1, c = 1, d = 1, e = 1\nstate x, y, z, w, u\nlaw x' = y\nlaw y' = z\n"
                   "law z' = w\nlaw w' = u\nlaw u' = -32*x - e*y - d*z - c*w - b*u\n"
                   "start x = 0.1, y = 0, z = 0, w = 0, u = 0\n",
                   NULL, &on);
    const rh_optimum_def def = def_over(over, 4);
    rh_optimum *optimum = search(&on, &def);
    assert_near(rh_optimum_summarise(optimum).abscissa, -2.0, 1e-8);
    assert_near(rh_optimum_parameter(optimum, 0), 10.0, 1e-8);
    assert_near(rh_optimum_parameter(optimum, 3), 80.0, 1e-8);
    assert_int_equal(rh_optimum_summarise(optimum).active, 5);
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

// Chains of integrators: of all polynomials with a0 in its range the best have all roots at
// -a0^(1/n), for the largest a0. And a cart with a pole, whose polynomial is
// s^4 + (2 k4 - k2) s^3 + (2 k3 - 21.582 - k1) s^2 + 19.62 k2 s + 19.62 k1.
typedef struct meeting {
    const char *text;
    rh_optimum_range over[4];
    double at[4]; // NAN: not asked
    double abscissa;
    uint32_t count;
} meeting;

static void check_meeting(const meeting *it)
{
    charting on;
    charting_begin(it->text, NULL, &on);
    const rh_optimum_def def = def_over(it->over, it->count);
    rh_optimum *optimum = search(&on, &def);
    const double value = rh_optimum_summarise(optimum).abscissa;
    assert_near(value, it->abscissa, fmin(rh_optimum_abscissa_error(optimum), 1e-11));
    assert_int_equal(rh_optimum_summarise(optimum).active, it->count);
    assert_int_equal(rh_optimum_bound(optimum, 0), 1);
    for (uint32_t k = 0; k < it->count; k++) {
        const double off = rh_optimum_parameter_error(optimum, k);
        assert_true(off <= 1e-9 * fabs(rh_optimum_parameter(optimum, k)));
        if (!isnan(it->at[k])) { // the references have 15 digits
            assert_near(rh_optimum_parameter(optimum, k), it->at[k], off + 1e-14 * fabs(it->at[k]));
        }
    }
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

static void roots_that_meet_at_an_end_of_a_range(void **state)
{
    (void)state;
    const meeting three = {
        .text = "param a0 = 0.5, a1 = 2, a2 = 3\nstate x1, x2, x3\nlaw x1' = x2\nlaw x2' = x3\n"
                "law x3' = -a0*x1 - a1*x2 - a2*x3\n",
        .over = {{"a0", 0.01, 10.0}, {"a1", 0.1, 20.0}, {"a2", 0.1, 20.0}},
        .at = {10.0, 13.9247665008384, 6.46330407009565},
        .abscissa = -2.15443469003188372176,
        .count = 3,
    };
    check_meeting(&three);
    const meeting four = {
        .text = "param a0 = 0.5, a1 = 2, a2 = 3, a3 = 3\nstate x1, x2, x3, x4\nlaw x1' = x2\n"
                "law x2' = x3\nlaw x3' = x4\nlaw x4' = -a0*x1 - a1*x2 - a2*x3 - a3*x4\n",
        .over = {{"a0", 0.01, 10.0}, {"a1", 0.1, 30.0}, {"a2", 0.1, 30.0}, {"a3", 0.1, 20.0}},
        .at = {10.0, 22.493653007614, 18.9736659610103, 7.11311764015569},
        .abscissa = -1.77827941003892280123,
        .count = 4,
    };
    check_meeting(&four);
    const meeting cart = {
        .text = "param M = 1, m = 0.1, l = 0.5, g = 9.81\n"
                "param k1 = 1, k2 = 2.5, k3 = 40, k4 = 9\ncoord x, th\n"
                "kinetic M/2*x'^2 + m/2*((x + l*sin(th))'^2 + (l*cos(th))'^2)\n"
                "potential m*g*l*cos(th)\nforce x: k1*x + k2*x' + k3*th + k4*th'\n",
        .over = {{"k1", 0.0, 20.0}, {"k2", 0.0, 20.0}, {"k3", 0.0, 100.0}, {"k4", 0.0, 40.0}},
        .at = {20.0, NAN, NAN, NAN},
        .abscissa = -4.45074025562749,
        .count = 4,
    };
    check_meeting(&cart);
}

// The absorber that is best for stability (Nishihara, Matsuhisa 1997): k = mu/(1 + mu)^2,
// c = 2 mu sqrt(mu/(1 + mu)^3), abscissa -sqrt(mu/(1 + mu))/2, all four roots in two double ones.
static void an_absorber(void **state)
{
    (void)state;
    const rh_optimum_range over[] = {{"k", 0.01, 0.5}, {"c", 0.0, 0.5}};
    const double mu = 0.1;
    charting on;
    charting_begin("param mu = 0.1, k = 1, c = 0.1\ncoord q, r\n"
                   "kinetic q'^2/2 + mu*r'^2/2\npotential q^2/2 + k*(r - q)^2/2\n"
                   "dissipation c*(r' - q')^2/2\nstart q = 0.1\n",
                   NULL, &on);
    const rh_optimum_def def = def_over(over, 2);
    rh_optimum *optimum = search(&on, &def);
    assert_near(rh_optimum_parameter(optimum, 0), mu / ((1.0 + mu) * (1.0 + mu)), 1e-11);
    assert_near(rh_optimum_parameter(optimum, 1), 2.0 * mu * sqrt(mu / pow(1.0 + mu, 3.0)), 1e-11);
    assert_near(rh_optimum_summarise(optimum).abscissa, -0.5 * sqrt(mu / (1.0 + mu)), 1e-11);
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

// Kinks without any double root: a real root against a pair; and a smooth valley in one quantity.
static void a_kink(void **state)
{
    (void)state;
    const rh_optimum_range over[] = {{"p", 0.0, 5.0}, {"r", -3.0, 4.0}};
    charting on;
    // roots -p - r^2 (real) and (p - 4)/2 - r^2/2 +- 3 i about: meet at p = 4/3 for r = 0
    charting_begin("param p = 1, r = 0.5\nstate x, y, z\nlaw x' = (-p + (r - 1)^2)*x\n"
                   "law y' = ((p - 4)/2 + (r - 1)^2)*y + 3*z\n"
                   "law z' = -3*y + ((p - 4)/2 + (r - 1)^2)*z\nstart x = 0.1, y = 0, z = 0\n",
                   NULL, &on);
    const rh_optimum_def def = def_over(over, 2);
    rh_optimum *optimum = search(&on, &def);
    assert_near(rh_optimum_parameter(optimum, 0), 4.0 / 3.0, 1e-9);
    assert_near(rh_optimum_parameter(optimum, 1), 1.0, 1e-5);
    assert_near(rh_optimum_summarise(optimum).abscissa, -4.0 / 3.0, 1e-11);
    assert_int_equal(rh_optimum_summarise(optimum).active, 3);
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

static void an_end_of_the_range(void **state)
{
    (void)state;
    const rh_optimum_range over[] = {{"h", 0.0, 3.0}};
    const rh_steady_value fix[] = {{"theta", 0.5}, {"w3", 6.0}};
    charting on;
    charting_begin_file(DISC, NULL, &on);
    rh_optimum_def def = def_over(over, 1);
    def.steady.fix = fix;
    def.steady.fix_count = 2;
    rh_optimum *optimum = search(&on, &def);
    assert_near(rh_optimum_parameter(optimum, 0), 3.0, 1e-14);
    assert_near(rh_optimum_summarise(optimum).abscissa, -0.5 * 3.0 / 0.3125, 1e-13);
    assert_int_equal(rh_optimum_bound(optimum, 0), 1);
    support_text text = {0};
    assert_int_equal(rh_output_optimum(optimum, RH_FORMAT_TEXT, support_text_sink(&text), &on.err),
                     RH_OK);
    assert_non_null(strstr(text.data, "h = 3, the upper end of its range"));
    free(text.data);
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

static bool stop_soon(void *user, uint64_t done, uint64_t count)
{
    (void)count;
    return done < *(const uint64_t *)user;
}

static void the_best_so_far_is_kept(void **state)
{
    (void)state;
    uint64_t most = 60;
    const rh_optimum_range over[] = {{"h", 0.0, 20.0}};
    const rh_steady_value fix[] = {{"theta", 0.5}, {"w3", 6.0}};
    charting on;
    charting_begin_file(DISC, NULL, &on);
    rh_optimum_def def = def_over(over, 1);
    def.steady.fix = fix;
    def.steady.fix_count = 2;
    def.go_on = stop_soon;
    def.user = &most;
    rh_optimum *optimum = search(&on, &def);
    assert_false(rh_optimum_summarise(optimum).is_complete);
    assert_true(rh_optimum_summarise(optimum).abscissa < -8.0);
    rh_optimum_destroy(optimum);
    charting_end(&on);
}

static void expect(charting *on, const rh_optimum_def *def, rh_status status, const char *words)
{
    rh_optimum *optimum = NULL;
    assert_int_equal(rh_optimum_create(on->equations, def, &optimum, &on->err), status);
    assert_null(optimum);
    if (strstr(on->err.message, words) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", on->err.message, words);
    }
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const rh_optimum_range twice[] = {{"h", 0.0, 1.0}, {"h", 1.0, 2.0}};
    const rh_optimum_range turned[] = {{"h", 1.0, 0.0}};
    const rh_optimum_range unknown[] = {{"hh", 0.0, 1.0}};
    const rh_optimum_range fine[] = {{"h", 0.0, 1.0}};
    charting on;
    charting_begin_file(DISC, NULL, &on);
    rh_optimum_def def = def_over(fine, 0);
    expect(&on, &def, RH_E_ARGUMENT, "1 to 16 quantities may change, not 0");
    def = def_over(twice, 2);
    expect(&on, &def, RH_E_ARGUMENT, "h is given twice");
    def = def_over(turned, 1);
    expect(&on, &def, RH_E_ARGUMENT, "whose first number is the smaller one");
    def = def_over(unknown, 1);
    expect(&on, &def, RH_E_ARGUMENT, "did you mean h?");
    def = def_over(fine, 1);
    expect(&on, &def, RH_E_UNAVAILABLE, "is one of a set of dimension 2");
    charting_end(&on);
    charting_begin("param a = 1\nstate x\nlaw x' = a^2 + 1 + x^2\nstart x = 0\n", NULL, &on);
    const rh_optimum_range over[] = {{"a", 0.0, 1.0}};
    def = def_over(over, 1);
    expect(&on, &def, RH_E_LIMIT, "no steady motion was found in the ranges");
    charting_end(&on);
    charting_begin("param a = 1\nstate x\nlaw x' = a*0*x\nstart x = 0\n", NULL, &on);
    expect(&on, &def, RH_E_UNAVAILABLE, "is one of a set of dimension 1");
    charting_end(&on);
}

static size_t try_search(size_t fail_at, rh_status *out)
{
    static const char TEXT[] = "param c = 1\nstate x, v\nlaw x' = v\nlaw v' = -x - c*v\n"
                               "start x = 0, v = 0\n";
    const rh_optimum_range over[] = {{"c", 0.0, 5.0}};
    support_memory memory = {0};
    rh_model_def model_def = rh_model_def_default();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_optimum *optimum = NULL;
    model_def.text = TEXT;
    model_def.text_size = sizeof TEXT - 1;
    model_def.allocator = support_memory_allocator(&memory);
    assert_int_equal(rh_model_create(&model_def, &model, NULL), RH_OK);
    const rh_equations_def derive = rh_equations_def_default();
    assert_int_equal(rh_equations_create(model, &derive, &equations, NULL), RH_OK);
    const rh_optimum_def def = def_over(over, 1);
    const size_t before = memory.request_count;
    memory.fail_at = fail_at > 0 ? before + fail_at : 0;
    *out = rh_optimum_create(equations, &def, &optimum, NULL);
    const size_t requests = memory.request_count - before;
    if (*out == RH_OK) {
        assert_near(rh_optimum_parameter(optimum, 0), 2.0, 1e-12);
    }
    rh_optimum_destroy(optimum);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    assert_int_equal(memory.block_count, 0);
    return requests;
}

static void any_request_may_fail(void **state)
{
    (void)state;
    rh_status status = RH_OK;
    const size_t count = try_search(0, &status);
    size_t failed = 0;
    size_t tried = 0;
    assert_int_equal(status, RH_OK);
    for (size_t k = 1; k <= count; k += 1 + k / 32) {
        (void)try_search(k, &status);
        tried++;
        failed += status == RH_E_MEMORY;
        if (status != RH_E_MEMORY && status != RH_OK) {
            fail_msg("request %zu of %zu: %s", k, count, rh_status_text(status));
        }
    }
    assert_true(10 * failed >= 8 * tried);
}

// x'' + c x' + k x = 0: in the middle of the range, k = 0, every x is a place of rest, and what
// remains there would be a root -c. That is no optimum: beside it the motion is slow, or unstable.
static void a_place_with_a_zero_root_is_no_optimum(void **state)
{
    (void)state;
    const rh_optimum_range over[] = {{"k", -1.0, 1.0}, {"c", 0.0, 3.0}};
    const rh_steady_value fix[] = {{"x", 0.0}};
    charting on;
    charting_begin("param k = 1, c = 0.1\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\n"
                   "dissipation c*x'^2/2\n",
                   NULL, &on);
    for (size_t given = 0; given < 2; given++) {
        rh_optimum_def def = def_over(over, 1);
        def.steady.fix = fix;
        def.steady.fix_count = given;
        rh_optimum *optimum = search(&on, &def);
        assert_true(rh_optimum_parameter(optimum, 0) >= 0.0025 - 1e-9);
        assert_near(rh_optimum_summarise(optimum).abscissa, -0.05, 1e-12);
        rh_optimum_destroy(optimum);
        // both may change: the double root at -1, at the end of one range
        def.over_count = 2;
        optimum = search(&on, &def);
        assert_true(rh_optimum_parameter(optimum, 0) == 1.0);
        assert_near(rh_optimum_parameter(optimum, 1), 2.0, 1e-14);
        assert_near(rh_optimum_summarise(optimum).abscissa, -1.0, 1e-14);
        assert_int_equal(rh_optimum_bound(optimum, 0), 1);
        rh_optimum_destroy(optimum);
    }
    charting_end(&on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_damping_of_the_disc),
        cmocka_unit_test(a_triple_root),
        cmocka_unit_test(a_fivefold_root),
        cmocka_unit_test(roots_that_meet_at_an_end_of_a_range),
        cmocka_unit_test(an_absorber),
        cmocka_unit_test(a_kink),
        cmocka_unit_test(the_deepest_of_several_valleys),
        cmocka_unit_test(bars_in_ravines_hold),
        cmocka_unit_test(an_end_of_the_range),
        cmocka_unit_test(the_best_so_far_is_kept),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(any_request_may_fail),
        cmocka_unit_test(a_place_with_a_zero_root_is_no_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
