// SPDX-License-Identifier: Apache-2.0
// First-order systems in the variables of `change`: Lorenz's equations become their Chetaev form
// identically, random systems under random changes move as the old ones do, and what has no such
// form says why.

#include "derived.h"

#include "equations/form.h"

static rh_form make_form(derived *on)
{
    rh_form form;
    rh_error err = RH_ZERO;
    const rh_status status =
        rh__form_create(on->equations, RH_FORM_CHANGED, &on->arena, &form, &err);
    if (status != RH_OK) {
        fail_msg("%s", err.message);
    }
    return form;
}

static rh_expr variable_named(const derived *on, const rh_form *form, const char *name)
{
    char other[64];
    for (uint32_t k = 0; k < form->variables.count; k++) {
        name_symbol(on, form->variables.data[k], other, sizeof other);
        if (strcmp(name, other) == 0) {
            return form->variables.data[k];
        }
    }
    fail_msg("there is no variable %s", name);
    return RH_EXPR_NONE;
}

// --- Lorenz --------------------------------------------------------------------------------------

static rh_expr parameter_named(const derived *on, const char *name)
{
    const rh_model *model = on->model;
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        if (rh__slice_is(model->parameters.data[k].name, name)) {
            return rh__expr_symbol(model->store, model->parameters.data[k].family, 0);
        }
    }
    fail_msg("there is no parameter %s", name);
    return RH_EXPR_NONE;
}

static void assert_identical(derived *on, const rh_form *form, uint32_t row, rh_expr expected)
{
    const rh_forming of = {.equations = on->equations, .store = on->equations->store};
    rh_expr value = form->right[row];
    assert_int_equal(form->matrix.begin[row + 1] - form->matrix.begin[row], 1);
    assert_true(rh__expr_is_one(on->equations->store,
                                form->matrix.entries.data[form->matrix.begin[row]].value));
    value = rh__expr_subtract(on->equations->store, value, expected);
    assert_true(rh__folder_is_zero(on->equations->folder, rh__forming_explain(&of, value)));
}

// xi' = p, p' = -mu p - (eta - 1) xi - xi^3, eta' = -mu (b eta - (2 sigma - b) xi^2)/(sigma + 1)
static void assert_chetaev(derived *on, const rh_form *form, rh_expr mu)
{
    rh_store *s = on->equations->store;
    const rh_expr xi = variable_named(on, form, "xi");
    const rh_expr p = variable_named(on, form, "p");
    const rh_expr eta = variable_named(on, form, "eta");
    const rh_expr sigma = parameter_named(on, "sigma");
    const rh_expr b = parameter_named(on, "b");
    const rh_expr one = rh__expr_integer(s, 1);
    const rh_expr square = rh__expr_multiply(s, xi, xi);
    const rh_expr spring =
        rh__expr_multiply(s, xi, rh__expr_add(s, rh__expr_subtract(s, eta, one), square));
    const rh_expr slope =
        rh__expr_subtract(s, rh__expr_multiply(s, rh__expr_integer(s, 2), sigma), b);
    const rh_expr f = rh__expr_divide(
        s, rh__expr_subtract(s, rh__expr_multiply(s, b, eta), rh__expr_multiply(s, slope, square)),
        rh__expr_add(s, sigma, one));
    assert_int_equal(form->rate_count, 3);
    assert_int_equal(form->unknowns.count, 3);
    assert_identical(on, form, 0, p);
    assert_identical(on, form, 1,
                     rh__expr_negate(s, rh__expr_add(s, rh__expr_multiply(s, mu, p), spring)));
    assert_identical(on, form, 2, rh__expr_negate(s, rh__expr_multiply(s, mu, f)));
}

static void lorenz_becomes_chetaev(void **state)
{
    (void)state;
    static const char *const MODELS[] = {"examples/lorenz_change/model.rhe",
                                         "examples/lorenz/model.rhe"};
    for (uint32_t k = 0; k < 2; k++) {
        size_t size = 0;
        char *text = support_read(MODELS[k], &size);
        derived on = derive_any(text, &(conditions){0});
        rh_store *s = on.equations->store;
        const rh_form form = make_form(&on);
        const rh_expr mu =
            k == 0 ? parameter_named(&on, "mu")
                   : rh__expr_divide(
                         s, rh__expr_add(s, parameter_named(&on, "sigma"), rh__expr_integer(s, 1)),
                         parameter_named(&on, "omega"));
        assert_chetaev(&on, &form, mu);
        assert_int_equal(form.restated->inverted, RH_VANISHING_PROVED);
        assert_int_equal(form.restated->equal, RH_VANISHING_PROVED);
        // the laws that a reader sees: nothing but the variables is left to say of the first
        assert_int_equal(form.right[0].i, variable_named(&on, &form, "p").i);
        derived_end(&on);
        free(text);
    }
}

// --- random systems ------------------------------------------------------------------------------

typedef struct writing {
    support_random random;
    char text[4096];
    size_t size;
} writing;

static void put(writing *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(to->text + to->size, sizeof to->text - to->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && to->size + (size_t)size < sizeof to->text);
    to->size += (size_t)size;
}

static double number(writing *to)
{
    return support_random_real(&to->random, 0.3, 1.2);
}

// Triangular changes, which are inverted one after the other; y4 keeps its name.
static void write_change(writing *to)
{
    const double a = number(to);
    const double b = number(to);
    const double c = number(to);
    const double d = number(to);
    const bool is_sine = support_random_below(&to->random, 2) == 0;
    const bool has_time = support_random_below(&to->random, 2) == 0;
    const char *time = has_time ? "(1 - tau/2)" : "t"; // it runs backwards
    const char *old = is_sine ? "sin(x1 + t)" : "x1^2*t";
    char x1[64], new[128];
    (void)snprintf(x1, sizeof x1, "((y1 - %.3f*x4)/%.3f)", b, a);
    (void)snprintf(new, sizeof new, is_sine ? "sin(%s + %s)" : "%s^2*%s", x1, time);
    put(to, "change y1 = %.3f*x1 + %.3f*x4, y2 = exp(%.3f*x2) + %s, y3 = x3 + %.3f*x2%s ", a, b, c,
        old, d, has_time ? ", tau = 2 - 2*t" : "");
    put(to, "inverse x1 = %s, x2 = log(y2 - %s)/%.3f, x3 = y3 - %.3f*log(y2 - %s)/%.3f%s\n", x1,
        new, c, d, new, c, has_time ? ", t = 1 - tau/2" : "");
}

static void write_system(writing *to)
{
    put(to, "param k = %.3f, m = k + 1/(k + 2)\nstate x1, x2, x3, x4\ninput u = cos(%.3f*t)\n",
        number(to), number(to));
    put(to, "law x1' = -%.3f*x2*x3 + sin(t)\n", number(to));
    put(to, "law m*x2' = x1 - %.3f*x2^3 + x4*u\n", number(to));
    put(to, "law (1 + x1^2/4)*x3' = %.3f*cos(x4) - k*x3\n", number(to));
    put(to, "law x4' = x1*x2 - %.3f*x4\n", number(to));
    put(to, "select x1, x2, x3\n");
    const uint32_t constraints = support_random_below(&to->random, 3);
    put(to, constraints > 0 ? "constraint first: x1^2 + %.3f*x2*x4 = const\n" : "", number(to));
    put(to,
        constraints > 1 ? "constraint last: x3 + sin(x2) + t*x1 = const by servo(x3: 1)\n" : "");
    write_change(to);
    put(to, "start x1 = 0.4, x2 = 0.3, x3 = 0.5, x4 = 0.2\n");
}

// Values of old and new symbols: the last entry is found for equal symbols.
typedef struct sample {
    const rh_point *point; // old variables, rates and multipliers
    rh_expr symbols[16];
    double values[16];
    uint32_t count;
} sample;

static double sample_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const sample *at = user;
    for (uint32_t k = 0; k < at->count; k++) {
        if (at->symbols[k].i == symbol.i) {
            return at->values[k];
        }
    }
    return rh__point_value((void *)(uintptr_t)at->point, store, symbol);
}

static double sampled(derived *on, const sample *at, rh_expr e)
{
    double value = NAN;
    assert_true(rh__expr_values(on->equations->store, &e, 1, sample_value, (void *)(uintptr_t)at,
                                &on->arena, &value));
    return value;
}

// The old state moved along its rates by h.
static rh_point moved(derived *on, const rh_point *from, double h)
{
    const rh_point out = copy_point(on, from);
    static const char *const NAMES[] = {"x1", "x2", "x3", "x4"};
    for (uint32_t k = 0; k < 4; k++) {
        char rate[8];
        (void)snprintf(rate, sizeof rate, "%s'", NAMES[k]);
        const rh_expr variable = symbol_named(on, NAMES[k]);
        rh__point_set(&out, variable,
                      rh__point_get(from, variable) + h * value_named(on, from, rate));
    }
    const rh_expr time = symbol_named(on, "t");
    rh__point_set(&out, time, rh__point_get(from, time) + h);
    return out;
}

// The image of a variable of the form: the new names are given, the others stay.
static rh_expr image_of(const rh_form *form, rh_expr variable)
{
    for (uint32_t k = 0; k < form->restated->fresh.count; k++) {
        if (form->restated->fresh.data[k].symbol.i == variable.i) {
            return form->restated->fresh.data[k].value;
        }
    }
    return variable;
}

// Rates of the new variables by differences along the old motion against the rows; the pace is
// dtau/dt. Rows of constraints must hold with these rates too.
static double compare_rates(derived *on, const rh_form *form, const rh_point *known)
{
    const double h = 1e-4;
    const bool has_time = form->restated->time.i != symbol_named(on, "t").i;
    sample at = {.point = known};
    for (uint32_t k = 0; k < form->restated->fresh.count; k++) {
        const rh_definition *fresh = &form->restated->fresh.data[k];
        const sample old = {.point = known};
        at.symbols[at.count] = fresh->symbol;
        at.values[at.count++] = sampled(on, &old, fresh->value);
    }
    const rh_point ahead = moved(on, known, h);
    const rh_point behind = moved(on, known, -h);
    const sample after = {.point = &ahead};
    const sample before = {.point = &behind};
    for (uint32_t k = 0; k < form->rate_count; k++) {
        const rh_expr image = image_of(form, form->variables.data[k]);
        const double slope = (sampled(on, &after, image) - sampled(on, &before, image)) / (2 * h);
        at.symbols[at.count] = form->unknowns.data[k];
        at.values[at.count++] = has_time ? slope / -2 : slope;
    }
    double worst = 0.0;
    for (uint32_t row = 0; row < form->matrix.rows; row++) {
        double sum = -sampled(on, &at, form->right[row]);
        double size = 1.0 + fabs(sum);
        for (uint32_t k = form->matrix.begin[row]; k < form->matrix.begin[row + 1]; k++) {
            const rh_entry *entry = &form->matrix.entries.data[k];
            const double term = sampled(on, &at, entry->value) *
                                sampled(on, &at, form->unknowns.data[entry->column]);
            sum += term;
            size += fabs(term);
        }
        worst = isnan(sum) ? INFINITY : fmax(worst, fabs(sum) / size);
    }
    return worst;
}

static void random_systems_move_alike(void **state)
{
    (void)state;
    enum { SYSTEMS = 60 };
    writing to = {.random = support_random_begin("random systems move alike")};
    double worst = 0.0;
    uint32_t proved = 0;
    for (uint32_t k = 0; k < SYSTEMS; k++) {
        to.size = 0;
        write_system(&to);
        derived on;
        derive_sound(to.text, &(conditions){0}, &on);
        rh_form old;
        rh_form_result result;
        assert_int_equal(rh__form_create(on.equations, RH_FORM_MULTIPLIERS, &on.arena, &old, NULL),
                         RH_OK);
        const rh_form form = make_form(&on);
        assert_int_not_equal(form.restated->inverted, RH_VANISHING_NO);
        assert_int_not_equal(form.restated->equal, RH_VANISHING_NO);
        proved += form.restated->equal == RH_VANISHING_PROVED;
        const rh_point point = copy_point(&on, &on.start.point);
        assert_int_equal(rh__form_solve(&old, &point, NULL, &on.arena, &result), RH_OK);
        const double difference = compare_rates(&on, &form, &point);
        if (!(difference < 1e-6)) {
            fail_msg("off by %.1e, in:\n%s", difference, to.text);
        }
        worst = fmax(worst, difference);
        derived_end(&on);
    }
    print_message("%u of %d proved; difference %.1e\n", proved, SYSTEMS, worst);
}

// --- verdicts and refusals -----------------------------------------------------------------------

static void verdicts_are_honest(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        rh_vanishing inverted, equal;
    } CASES[] = {
        {"state x\nlaw x' = -x\nchange z = x/2 inverse x = 2*z\n", RH_VANISHING_PROVED,
         RH_VANISHING_PROVED},
        // a member of an array goes, the others stay
        {"state x[1..3]\nfor i in 1..3: law x[i]' = -i*x[i]*x[1]\n"
         "change z = x[2]*exp(t) inverse x[2] = z*exp(-t)\n",
         RH_VANISHING_PROVED, RH_VANISHING_PROVED},
        // atan2(r sin w, r cos w) is w for the r and w that there are
        {"state x, y\nlaw x' = y\nlaw y' = -x\n"
         "change r = sqrt(x^2 + y^2), w = atan2(y, x) inverse x = r*cos(w), y = r*sin(w)\n",
         RH_VANISHING_PROVED, RH_VANISHING_PROVED},
        // a square under a root that no normal form sees: what leads to x and back is seen
        {"state x\nlaw x' = -x\nchange z = x + sqrt(x^2 + 1) inverse x = (z - 1/z)/2\n",
         RH_VANISHING_PROVED, RH_VANISHING_SAMPLED},
        {"state x\nlaw x' = 1\nchange z = tanh(x) inverse x = log((1 + z)/(1 - z))/2\n",
         RH_VANISHING_SAMPLED, RH_VANISHING_SAMPLED},
        // the law is defined far from all random states, but for those near the start
        {"state x\nlaw x' = sqrt(x - 90)\nchange z = x + sqrt(x^2 + 1) inverse x = (z - 1/z)/2\n"
         "start x = 100\n",
         RH_VANISHING_PROVED, RH_VANISHING_SAMPLED},
        {"state x\nlaw x' = 1\nchange y = sqrt(x - 5) inverse x = 5 + y^2\nstart x = 6\n",
         RH_VANISHING_PROVED, RH_VANISHING_PROVED},
    };
    for (uint32_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        derived on = derive_any(CASES[k].text, &(conditions){0});
        const rh_form form = make_form(&on);
        assert_int_equal(form.restated->inverted, CASES[k].inverted);
        assert_int_equal(form.restated->equal, CASES[k].equal);
        derived_end(&on);
    }
}

// --- branches --------------------------------------------------------------------------------

typedef struct branching {
    const char *laws; // of x, or of x and p
    const char *change, *start;
    const char *region; // with spaces between; "": everywhere
} branching;

static void show_regions(derived *on, const rh_restated *restated, char *out, size_t size)
{
    out[0] = '\0';
    for (uint32_t k = 0; k < restated->branches.count; k++) {
        const rh_returning *it = &restated->branches.data[k];
        const rh_expr shown = it->sign != 0 ? it->of : it->composed;
        rh_text text = rh__text_begin(&on->arena, NULL);
        rh__show_expr(
            rh__show_create(on->equations->store, &on->arena, RH_NOTATION_TEXT, &shown, 1), shown,
            &text);
        const rh_slice slice = rh__text_slice(&text);
        const size_t used = strlen(out);
        (void)snprintf(out + used, size - used, "%s%.*s%s", used > 0 ? "; " : "",
                       RH_SLICE_FORMAT(slice),
                       it->sign > 0   ? " >= 0"
                       : it->sign < 0 ? " <= 0"
                                      : "");
    }
}

#define ONE "state x\nlaw x' = 1\n"
#define TWO "param p0 = 3\nstate x, p\nlaw x' = p - p0\nlaw p' = -x\n"

static const branching BRANCHES[] = {
    {TWO, "E = (p - p0)^2/2 + x^2/2 inverse p = p0 - sqrt(2*E - x^2)", "p = 2", "p - p0 <= 0"},
    {TWO, "E = (p - p0)^2/2 + x^2/2 inverse p = p0 + sqrt(2*E - x^2)", "p = 4", "p - p0 >= 0"},
    {TWO, "E = (p - 3)^2/2 + x^2/2 inverse p = 3 - sqrt(2*E - x^2)", "p = 2", "p - 3 <= 0"},
    {TWO, "E = (p - 3)^2/2 + x^2/2 inverse p = 3 + sqrt(2*E - x^2)", "p = 4", "p - 3 >= 0"},
    {TWO, "E = (p + 3)^2/2 inverse p = -3 - sqrt(2*E)", "p = -4", "p + 3 <= 0"},
    {ONE, "y = (x - 0.001)^2 inverse x = 0.001 + sqrt(y)", "x = 1", "x - 0.001 >= 0"},
    {ONE, "y = (x - 10)^2 inverse x = 10 - sqrt(y)", "x = 1", "x - 10 <= 0"},
    {ONE, "y = (x - 1e6)^2 inverse x = 1e6 + sqrt(y)", "x = 2e6", "x - 1000000 >= 0"},
    {ONE, "y = (2*x - 7)^2 inverse x = (7 + sqrt(y))/2", "x = 4", "x - 3.5 >= 0"},
    {ONE, "y = (x - 5)^4 inverse x = 5 - y^(1/4)", "x = 0", "x - 5 <= 0"},
    {ONE, "y = (x - 5)^3 inverse x = 5 + y^(1/3)", "x = 6", "x - 5 >= 0"},
    {ONE, "y = x^2 - 10*x inverse x = 5 + sqrt(y + 25)", "x = 6", "x - 5 >= 0"},
    {ONE, "y = 1/(x - 5)^2 inverse x = 5 + 1/sqrt(y)", "x = 6", "x - 5 >= 0"},
    {ONE, "y = abs(x - 5) inverse x = 5 - y", "x = 1", "x - 5 <= 0"},
    {ONE, "y = log((x - 4)^2) inverse x = 4 - exp(y/2)", "x = 0", "x - 4 <= 0"},
    {ONE, "y = exp((x - 5)^2) inverse x = 5 - sqrt(log(y))", "x = 0", "x - 5 <= 0"},
    {ONE, "y = cos(x - 5) inverse x = 5 - acos(y)", "x = 4.5", "5 - acos(cos(x - 5))"},
    {ONE, "y = sin(x/10) inverse x = 10*asin(y)", "x = 1", "10*asin(sin(x/10))"},
    {ONE, "y = tan(x - 5) inverse x = 5 + atan(y)", "x = 5.5", "atan(tan(x - 5)) + 5"},
    // one inverse for both sides, and changes without sides
    {ONE, "y = sign(x - 5)*(x - 5)^2 inverse x = 5 + sign(y)*sqrt(abs(y))", "x = 6", ""},
    {ONE, "y = exp(x - 5) inverse x = 5 + log(y)", "x = 0", ""},
    {ONE, "y = (x - 5)/3 inverse x = 5 + 3*y", "x = 0", ""},
    {TWO, "u = (x - 3)^2, v = (p - 4)^2 inverse x = 3 - sqrt(u), p = 4 + sqrt(v)", "x = 2, p = 5",
     "x - 3 <= 0; p - 4 >= 0"},
};

static void branches_are_named(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof BRANCHES / sizeof *BRANCHES; k++) {
        char text[400];
        char regions[200];
        (void)snprintf(text, sizeof text, "%schange %s\nstart %s\n", BRANCHES[k].laws,
                       BRANCHES[k].change, BRANCHES[k].start);
        derived on = derive_any(text, &(conditions){0});
        const rh_form form = make_form(&on);
        show_regions(&on, form.restated, regions, sizeof regions);
        assert_string_equal(regions, BRANCHES[k].region);
        assert_true(form.restated->branches.count == 0 || form.restated->is_start_known);
        assert_int_equal(form.restated->inverted, RH_VANISHING_PROVED);
        derived_end(&on);
    }
}

// The start decides, wherever the branch lies.
static void other_branches_are_refused(void **state)
{
    (void)state;
    static const branching CASES[] = {
        {TWO, "E = (p - 3)^2/2 inverse p = 3 - sqrt(2*E)", "p = 4", "where p - 3 <= 0"},
        {TWO, "E = (p - 3)^2/2 inverse p = 3 + sqrt(2*E)", "p = 2", "where p - 3 >= 0"},
        {TWO, "E = (p - 3)^2/2 inverse p = 3 + sqrt(2*E)", "p = 2.999999", "another branch"},
        {ONE, "y = (x - 1e6)^2 inverse x = 1e6 + sqrt(y)", "x = 0", "where x - 1000000 >= 0"},
        {ONE, "y = cos(x - 5) inverse x = 5 - acos(y)", "x = 5.5", "another branch"},
        {ONE, "y = sin(x/10) inverse x = 10*asin(y)", "x = 16", "another branch"},
        {ONE, "y = (x - 5)^3 inverse x = 5 + y^(1/3)", "x = 4", "no value there"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        rh_form form;
        rh_error err = RH_ZERO;
        (void)snprintf(text, sizeof text, "%schange %s\nstart %s\n", CASES[k].laws, CASES[k].change,
                       CASES[k].start);
        derived on = derive_any(text, &(conditions){0});
        assert_int_equal(rh__form_create(on.equations, RH_FORM_CHANGED, &on.arena, &form, &err),
                         RH_E_MODEL);
        if (strstr(err.message, CASES[k].region) == NULL) {
            fail_msg("%s\nin:\n%s", err.message, text);
        }
        derived_end(&on);
    }
}

static void others_have_no_such_form(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"state x\nlaw x' = -x\n", "the model has no `change`"},
        {"coord q\nkinetic q'^2/2\nstate x\nlaw x' = -q\nchange z = x/2 inverse x = 2*z\n",
         "this model has coordinates"},
    };
    for (uint32_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        derived on = derive_any(CASES[k][0], &(conditions){0});
        rh_form form;
        rh_error err = RH_ZERO;
        assert_int_equal(rh__form_create(on.equations, RH_FORM_CHANGED, &on.arena, &form, &err),
                         RH_E_UNAVAILABLE);
        assert_non_null(strstr(err.message, CASES[k][1]));
        derived_end(&on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lorenz_becomes_chetaev),     cmocka_unit_test(random_systems_move_alike),
        cmocka_unit_test(verdicts_are_honest),        cmocka_unit_test(branches_are_named),
        cmocka_unit_test(other_branches_are_refused), cmocka_unit_test(others_have_no_such_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
