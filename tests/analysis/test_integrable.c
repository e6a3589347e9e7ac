// SPDX-License-Identifier: Apache-2.0
// Which velocity rows, and which combinations of them, are integrable: differentials of invented
// functions in disguise are, contact forms and what is near them are not; printed integrals
// differentiate back to their rows; known systems.

#include "examined.h"

// --- inventing
// -------------------------------------------------------------------------------------

typedef struct invention {
    char text[4096];
    size_t size;
    support_random random;
    uint32_t n; // coordinates
} invention;

__attribute__((format(printf, 2, 3))) static void put(invention *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size =
        vsnprintf(page->text + page->size, sizeof page->text - page->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && page->size + (size_t)size < sizeof page->text);
    page->size += (size_t)size;
}

static double number(invention *page)
{
    return round(support_random_real(&page->random, 0.3, 1.5) * 100.0) / 100.0;
}

static uint32_t some(invention *page)
{
    return 1 + support_random_below(&page->random, page->n);
}

static void begin_page(invention *page, uint32_t n)
{
    page->size = 0;
    page->n = n;
    put(page, "coord q1");
    for (uint32_t k = 2; k <= n; k++) {
        put(page, ", q%u", k);
    }
    put(page, "\nkinetic (q1'^2");
    for (uint32_t k = 2; k <= n; k++) {
        put(page, " + q%u'^2", k);
    }
    put(page, ")/2\nstart t = %.2f\n", number(page));
    for (uint32_t k = 1; k <= n; k++) {
        put(page, "guess q%u = %.2f, q%u' = %.2f\n", k, number(page) - 0.9, k, number(page));
    }
}

// A smooth function of a few coordinates, perhaps of time.
static void put_bump(invention *page, bool has_time)
{
    const char *time = has_time ? " + t/2" : "";
    switch (support_random_below(&page->random, 5)) {
    case 0:
        put(page, "%.2f*q%u*q%u^2%s", number(page), some(page), some(page), has_time ? "*t" : "");
        break;
    case 1:
        put(page, "%.2f*sin(q%u + %.2f*q%u%s)", number(page), some(page), number(page), some(page),
            time);
        break;
    case 2:
        put(page, "exp(%.2f*q%u - q%u/2%s)", number(page), some(page), some(page), time);
        break;
    case 3:
        put(page, "%.2f*q%u*cos(q%u%s)", number(page), some(page), some(page), time);
        break;
    default:
        put(page, "q%u*q%u*q%u/%.2f%s", some(page), some(page), some(page), number(page), time);
    }
}

// let NAME = a function whose differential hardly vanishes: 5 q_main + small.
static void put_function(invention *page, const char *name, uint32_t main, bool has_time)
{
    put(page, "let %s = 5*q%u + ", name, main);
    put_bump(page, has_time);
    put(page, " + ");
    put_bump(page, false);
    put(page, "\n");
}

static void put_factor(invention *page)
{
    switch (support_random_below(&page->random, 4)) {
    case 0:
        put(page, "(2 + sin(q%u - q%u))", some(page), some(page));
        break;
    case 1:
        put(page, "exp(q%u*q%u/2)", some(page), some(page));
        break;
    case 2:
        put(page, "(1 + q%u^2)", some(page));
        break;
    default:
        put(page, "(-%.2f)", number(page));
    }
}

// --- judging
// ---------------------------------------------------------------------------------------

static void assert_verdict(const invention *page, rh_answer row, uint32_t hidden)
{
    examined it = examine_text(page->text);
    if (it.checkup->links[0].is_integrable != row) {
        fail_msg("the row is judged %d, not %d:\n%s", it.checkup->links[0].is_integrable, row,
                 page->text);
    }
    if (it.checkup->is_flag_known != RH_ANSWER_YES || it.checkup->hidden_integrals != hidden) {
        fail_msg("hidden integrals: %u (known: %d), not %u:\n%s", it.checkup->hidden_integrals,
                 it.checkup->is_flag_known, hidden, page->text);
    }
    assert_int_equal(it.checkup->configuration_dimension, page->n - hidden);
    examined_end(&it);
}

static rh_expr variable(const examined *it, uint32_t k)
{
    return k < it->equations->coordinate_count
               ? it->equations->carriers.data[k].position
               : rh__expr_symbol(it->equations->store, it->equations->model->time, 0);
}

// sum of factor * row at a point, by coordinates and then time.
static void sum_rows(const examined *it, const double *factor, const rh_point *point,
                     rh_arena *arena, double *out)
{
    const rh_equations *equations = it->equations;
    const uint32_t n = equations->coordinate_count;
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        rh__point_set(point, equations->carriers.data[k].variable, 0.0);
    }
    for (uint32_t k = 0; k <= n; k++) {
        out[k] = 0.0;
    }
    for (uint32_t link = 0; link < equations->links.count; link++) {
        const rh_link *at = &equations->links.data[link];
        for (uint32_t k = 0; k < n; k++) {
            const rh_expr entry = rh__grid_at(&equations->rows, link, k);
            double value = 0.0;
            if (entry.i != 0) {
                assert_int_equal(rh__point_evaluate(point, &entry, 1, arena, &value), RH_OK);
            }
            out[k] += factor[link] * value;
        }
        double rest = 0.0;
        assert_int_equal(
            rh__point_evaluate(point, &at->levels[at->level_count - 1], 1, arena, &rest), RH_OK);
        out[n] += factor[link] * rest;
    }
}

// d integral is a multiple of the combination of rows, at random points.
static void assert_integral(const examined *it, rh_expr integral, const double *factor,
                            support_random *random)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    const uint32_t n = it->equations->coordinate_count;
    for (uint32_t round = 0; round < 5; round++) {
        double row[16];
        double slope[16];
        const rh_point point = random_point(it, &arena, random);
        sum_rows(it, factor, &point, &arena, row);
        for (uint32_t k = 0; k <= n; k++) {
            const rh_expr e =
                rh__expr_differentiate(it->equations->store, integral, variable(it, k));
            assert_int_equal(rh__point_evaluate(&point, &e, 1, &arena, &slope[k]), RH_OK);
        }
        const double size = rh__vector_norm(n + 1, row) * rh__vector_norm(n + 1, slope);
        assert_true(isfinite(size) && size > 0.0);
        for (uint32_t a = 0; a <= n; a++) {
            for (uint32_t b = 0; b < a; b++) {
                assert_near_by(row[a] * slope[b] - row[b] * slope[a], 0.0, 0.0, 1e-10 * size);
            }
        }
    }
    rh__arena_end(&arena);
}

// --- single rows
// -----------------------------------------------------------------------------------

static void differentials_in_disguise(void **state)
{
    (void)state;
    invention page = {.random = support_random_begin("differentials")};
    uint32_t integrals = 0;
    for (uint32_t round = 0; round < 120; round++) {
        begin_page(&page, 2 + support_random_below(&page.random, 4));
        put_function(&page, "h", some(&page), support_random_below(&page.random, 2) == 1);
        put(&page, "constraint row: ");
        put_factor(&page);
        put(&page, "*h' = 0\n");
        assert_verdict(&page, RH_ANSWER_YES, 1);
        examined it = examine_text(page.text);
        const rh_expr integral = it.checkup->links[0].integral;
        if (integral.i != 0) {
            const double one = 1.0;
            assert_integral(&it, integral, &one, &page.random);
            integrals++;
        }
        examined_end(&it);
    }
    print_message("%u integrals of 120\n", integrals);
    assert_true(integrals > 30);
}

static void all_rows_in_the_plane_are_integrable(void **state)
{
    (void)state;
    invention page = {.random = support_random_begin("plane")};
    for (uint32_t round = 0; round < 20; round++) {
        begin_page(&page, 2);
        put(&page, "constraint row: (2 + sin(");
        put_bump(&page, false);
        put(&page, "))*q1' + ");
        put_bump(&page, false);
        put(&page, "*q2' = 0\n");
        assert_verdict(&page, RH_ANSWER_YES, 1);
    }
}

// A differential plus a multiple of a contact form.
static void disturbed_differentials_are_not(void **state)
{
    (void)state;
    invention page = {.random = support_random_begin("disturbed")};
    static const double SIZES[] = {1.0, 0.1, 1e-2, 1e-4};
    for (uint32_t round = 0; round < 60; round++) {
        begin_page(&page, 3 + support_random_below(&page.random, 3));
        put_function(&page, "h", 3, support_random_below(&page.random, 2) == 1);
        put(&page, "constraint row: ");
        put_factor(&page);
        put(&page, "*(h' + %g*q1*q2') = 0\n", SIZES[round % 4]);
        assert_verdict(&page, RH_ANSWER_NO, 0);
    }
}

static void contact_forms_are_not(void **state)
{
    (void)state;
    invention page = {.random = support_random_begin("contact")};
    for (uint32_t n = 3; n <= 7; n += 2) {
        begin_page(&page, n);
        put(&page, "constraint row: q%u' = q1*q2'%s%s\n", n, n >= 5 ? " + q3*q4'" : "",
            n >= 7 ? " + q5*q6'" : "");
        assert_verdict(&page, RH_ANSWER_NO, 0);
    }
}

typedef struct single {
    const char *row; // in coordinates x, y, z
    rh_answer answer;
    uint32_t hidden;
    bool has_integral;
} single;

static void rows_one_knows(void **state)
{
    (void)state;
    static const single rows[] = {
        {"x' = t", RH_ANSWER_YES, 1, true},
        {"x' = x*t", RH_ANSWER_YES, 1, false},
        {"x' = sin(t)*cos(x)", RH_ANSWER_YES, 1, false},
        {"x' = y*t", RH_ANSWER_NO, 0, false},
        {"x' = y", RH_ANSWER_NO, 0, false},
        {"x' = y*z'", RH_ANSWER_NO, 0, false},
        {"x' = y'*y + z'*z", RH_ANSWER_YES, 1, true},
        {"x*x' + y*y' + z*z' = 0", RH_ANSWER_YES, 1, true},
        {"y*z*x' + x*z*y' + x*y*z' = 0", RH_ANSWER_YES, 1, true},
        {"z' = (y*x' - x*y')/(x^2 + y^2)", RH_ANSWER_YES, 1, false},
        {"z' = y*x' - x*y'", RH_ANSWER_NO, 0, false},
        {"x'*sin(z) = y'*cos(z)", RH_ANSWER_NO, 0, false},
        {"x'*sin(t) = y'*cos(t)", RH_ANSWER_NO, 0, false},
        {"x'*sin(2) = y'*cos(2)", RH_ANSWER_YES, 1, true},
        {"x' + y' = 3", RH_ANSWER_YES, 1, true},
        {"(x*y*sin(z))' = 0", RH_ANSWER_YES, 1, true},
        {"(x*y - t*z)' = cos(t)", RH_ANSWER_YES, 1, true},
        {"z'*exp(x) + exp(x)*(y' + (y + z)*x') = 0", RH_ANSWER_YES, 1, true},
        {"x'^2 + y'^2 = 1", RH_ANSWER_NO, 0, false},
        {"x'*y' = z'", RH_ANSWER_NO, 0, false},
    };
    support_random random = support_random_begin("known rows");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint row: %s\n"
                       "start x = 0.7, y = 0.4, z = 0.9, t = 0.3\nguess x' = 0.8, y' = 0.6\n",
                       rows[k].row);
        examined it = examine_text(text);
        const rh_link_report *report = &it.checkup->links[0];
        if (report->is_integrable != rows[k].answer ||
            it.checkup->hidden_integrals != rows[k].hidden ||
            (rows[k].has_integral && report->integral.i == 0)) {
            fail_msg("%s: integrable %d, hidden %u, integral %d", rows[k].row,
                     report->is_integrable, it.checkup->hidden_integrals, report->integral.i != 0);
        }
        if (report->integral.i != 0) {
            const double one = 1.0;
            assert_integral(&it, report->integral, &one, &random);
        }
        examined_end(&it);
    }
}

static void restrictions_are_not_judged(void **state)
{
    (void)state;
    examined it = examine_file("examples/lorenz_chetaev/model.rhe");
    for (uint32_t k = 0; k < it.equations->links.count; k++) {
        assert_int_equal(it.checkup->links[k].is_integrable, RH_ANSWER_UNKNOWN);
        assert_int_equal(it.checkup->links[k].integral.i, 0);
    }
    examined_end(&it);
}

// --- combinations
// ----------------------------------------------------------------------------------

// Rows M(q) times the given ones; M is dominated by its diagonal, 2 against 2*0.75.
static void put_mixture(invention *page, const char *const *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(page, "constraint row[%u]: 0 = ", i + 1);
        for (uint32_t j = 0; j < count; j++) {
            put(page, j == 0 ? "" : " + ");
            if (i == j) {
                put(page, "(3 + sin(q%u))", some(page));
            } else {
                put(page, "%.2f*cos(q%u - %.2f*q%u)", number(page) / 2, some(page), number(page),
                    some(page));
            }
            put(page, "*(%s)", rows[j]);
        }
        put(page, "\n");
    }
}

static void assert_hidden(const invention *page, uint32_t hidden)
{
    examined it = examine_text(page->text);
    if (it.checkup->is_flag_known != RH_ANSWER_YES || it.checkup->hidden_integrals != hidden) {
        fail_msg("hidden integrals: %u (known: %d), not %u:\n%s", it.checkup->hidden_integrals,
                 it.checkup->is_flag_known, hidden, page->text);
    }
    assert_int_equal(it.checkup->configuration_dimension, page->n - hidden);
    assert_int_equal(it.checkup->combinations.count, hidden);
    examined_end(&it);
}

static void mixed_differentials_are_integrable_together(void **state)
{
    (void)state;
    static const char *const rows[] = {"h1'", "h2'", "h3'"};
    static const char *const names[] = {"h1", "h2", "h3"};
    invention page = {.random = support_random_begin("mixed")};
    for (uint32_t round = 0; round < 40; round++) {
        const uint32_t count = 2 + round % 2;
        begin_page(&page, count + 1 + support_random_below(&page.random, 2));
        for (uint32_t k = 0; k < count; k++) {
            put_function(&page, names[k], k + 1, support_random_below(&page.random, 3) == 0);
        }
        put_mixture(&page, rows, count);
        assert_hidden(&page, count);
    }
}

// No row is integrable alone, both together are: x + z^2/2 and y - z.
static void rows_that_need_each_other(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "constraint a: x' + z*z' + x*(y' - z') = 0\n"
                               "constraint b: (y' - z') + y*(x' + z*z') = 0\n"
                               "start x = 0.3, y = 0.5, z = 0.2\n");
    assert_int_equal(it.checkup->links[0].is_integrable, RH_ANSWER_NO);
    assert_int_equal(it.checkup->links[1].is_integrable, RH_ANSWER_NO);
    assert_int_equal(it.checkup->hidden_integrals, 2);
    assert_int_equal(it.checkup->configuration_dimension, 1);
    assert_int_equal(it.checkup->degrees_of_freedom, 1);
    examined_end(&it);
}

static void one_differential_among_three_rows(void **state)
{
    (void)state;
    static const char *const rows[] = {"h'", "q4' - q1*q2'", "q5' - q2*q3'"};
    invention page = {.random = support_random_begin("one of three")};
    for (uint32_t round = 0; round < 25; round++) {
        begin_page(&page, 6);
        put_function(&page, "h", 6, support_random_below(&page.random, 2) == 1);
        put_mixture(&page, rows, 3);
        assert_hidden(&page, 1);
    }
}

static void a_chain_of_brackets_is_followed(void **state)
{
    (void)state;
    static const char *const SIZES[] = {"1", "30", "0.1", "0.01", "0.001"};
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        invention page = {.random = {k}};
        begin_page(&page, 5);
        put(&page, "param e = %s\n", SIZES[k]);
        put(&page, "constraint a: q3' = e*q2*q1'\nconstraint b: q4' = e*q3*q1'\n"
                   "constraint c: q5' = e*q4*q1'\n");
        assert_hidden(&page, 0);
    }
}

// Brackets that drown in rounding are not taken for none.
static void tiny_brackets_are_not_known(void **state)
{
    (void)state;
    static const char *const SIZES[] = {"3e-6", "3e-7", "1e-8"};
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        invention page = {.random = {k}};
        begin_page(&page, 5);
        put(&page, "param e = %s\n", SIZES[k]);
        put(&page, "constraint a: q3' = e*q2*q1'\nconstraint b: q4' = e*q3*q1'\n"
                   "constraint c: q5' = e*q4*q1'\n");
        examined it = examine_text(page.text);
        assert_int_equal(it.checkup->is_flag_known, RH_ANSWER_UNKNOWN);
        assert_int_equal(it.checkup->hidden_integrals, 0);
        assert_int_equal(it.checkup->combinations.count, 0);
        assert_int_equal(it.checkup->configuration_dimension, RH_RANK_UNKNOWN);
        assert_int_equal(it.checkup->links[0].is_integrable, RH_ANSWER_NO);
        examined_end(&it);
    }
}

// The same chain with a differential beside it, mixed in.
static void a_chain_keeps_its_integral(void **state)
{
    (void)state;
    static const char *const rows[] = {"q3' - q2*q1'", "q4' - q3*q1'", "h'"};
    invention page = {.random = support_random_begin("chain and integral")};
    for (uint32_t round = 0; round < 15; round++) {
        begin_page(&page, 5);
        put_function(&page, "h", 5, false);
        put_mixture(&page, rows, 3);
        assert_hidden(&page, 1);
    }
}

// --- systems
// ---------------------------------------------------------------------------------------

static void the_cart_has_a_hidden_integral(void **state)
{
    (void)state;
    examined it = examine_text("param b = 0.3, r = 0.1\ncoord x, y, th, f1, f2\n"
                               "kinetic (x'^2 + y'^2)/2 + th'^2/4 + (f1'^2 + f2'^2)/20\n"
                               "constraint lat: -sin(th)*x' + cos(th)*y' = 0\n"
                               "constraint w1: cos(th)*x' + sin(th)*y' + b*th' = r*f1'\n"
                               "constraint w2: cos(th)*x' + sin(th)*y' - b*th' = r*f2'\n"
                               "start th = 0.4\n");
    assert_int_equal(it.checkup->degrees_of_freedom, 2);
    assert_int_equal(it.checkup->configuration_dimension, 4);
    assert_int_equal(it.checkup->hidden_integrals, 1);
    assert_int_equal(it.checkup->combinations.count, 1);
    const rh_combination *found = &it.checkup->combinations.data[0];
    assert_near(found->factor[0], 0.0, 1e-9);
    assert_near(fabs(found->factor[1]), 1.0, 1e-9);
    assert_near(found->factor[1] + found->factor[2], 0.0, 1e-9);
    assert_true(found->integral.i != 0);
    support_random random = support_random_begin("cart");
    assert_integral(&it, found->integral, found->factor, &random);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(it.checkup->links[k].is_integrable, RH_ANSWER_NO);
    }
    examined_end(&it);
}

static void a_rod_written_in_velocities(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "constraint held: z = 1 + t\n"
                               "constraint rod: x*x' + y*y' + (z - t)*(z' - 1) = 0\n"
                               "start x = 0.6, y = 0.8, z = 1\n");
    assert_int_equal(report_of(&it, "rod")->is_integrable, RH_ANSWER_YES);
    assert_int_equal(report_of(&it, "held")->is_integrable, RH_ANSWER_YES);
    assert_true(report_of(&it, "rod")->integral.i != 0);
    assert_int_equal(it.checkup->holonomic_rank, 1);
    assert_int_equal(it.checkup->hidden_integrals, 1);
    assert_int_equal(it.checkup->configuration_dimension, 1);
    examined_end(&it);
}

// On z = 0 the row is integrable, in space it is not.
static void a_holonomic_row_helps(void **state)
{
    (void)state;
    examined it = examine_text("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                               "constraint row: x' = y*z' + y'*cos(z)\nconstraint flat: z = 0\n");
    assert_int_equal(report_of(&it, "row")->is_integrable, RH_ANSWER_NO);
    assert_int_equal(it.checkup->hidden_integrals, 1);
    assert_int_equal(it.checkup->configuration_dimension, 1);
    examined_end(&it);
}

static void files_without_hidden_integrals(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "examples/rolling_disc/model.rhe", "examples/knife_edge/model.rhe",
        "examples/rattleback/model.rhe",   "examples/whipple_bicycle/model.rhe",
        "examples/hoop/model.rhe",         "examples/chaplygin_sleigh/model.rhe",
    };
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        examined it = examine_file(paths[k]);
        assert_int_equal(it.checkup->is_flag_known, RH_ANSWER_YES);
        assert_int_equal(it.checkup->hidden_integrals, 0);
        for (uint32_t j = 0; j < it.equations->links.count; j++) {
            const bool is_holonomic =
                it.equations->links.data[j].constraint->kind == RH_KIND_HOLONOMIC;
            assert_int_equal(it.checkup->links[j].is_integrable,
                             is_holonomic ? RH_ANSWER_YES : RH_ANSWER_NO);
        }
        examined_end(&it);
    }
}

// --- not linear in velocities --------------------------------------------------------------------

typedef struct dressed {
    const char *constraint, *start;
    rh_answer answer;
    uint32_t positions; // dimension of what is reached
    bool has_factor, is_sure;
} dressed;

// A factor that is not zero changes nothing; one that may vanish is named; what cannot be told is
// not told.
static void factors_do_not_hide_integrals(void **state)
{
    (void)state;
    static const char AT[] = "x = 1, y = 0, y' = 1";
    static const dressed ALL[] = {
        {"(1 + x'^2)*(x*x' + y*y') = 0", AT, RH_ANSWER_YES, 2, true, true},
        {"x*x' + y*y' + x'^3*x + x'^2*y*y' = 0", AT, RH_ANSWER_YES, 2, true, true},
        {"exp(y')*(x*x' + y*y') = 0", AT, RH_ANSWER_YES, 2, true, true},
        {"(2 + sin(x'))*(x*x' + y*y' + t) = 0", AT, RH_ANSWER_YES, 2, true, true},
        {"(1 + x')*(x*x' + y*y') = 0", AT, RH_ANSWER_YES, 2, true, false},
        {"sinh(x*x' + y*y') = 0", AT, RH_ANSWER_YES, 2, true, false},
        {"(x' - y')*(x' + y') = 0", "x' = 1, y' = 1", RH_ANSWER_YES, 2, true, false},
        {"1e9*(1e-18 + x'^2)*(x*x' + y*y') = 0", "x = 1e-9, y = 0, y' = 1e-9", RH_ANSWER_YES, 2,
         true, true},
        {"(1e18 + x'^2)*(x*x' + y*y') = 0", "x = 1e9, y = 0, y' = 1e9", RH_ANSWER_YES, 2, true,
         true},
        {"(1 + x'^2)*(y' - z*x') = 0", "z = 1, x' = 1, y' = 1", RH_ANSWER_NO, 3, true, true},
        {"x'^2 + y'^2 - z'^2 = 0", "x' = 3, y' = 4, z' = 5", RH_ANSWER_NO, 3, false, false},
        {"x'^2 + y'^2 + z'^2 = 1", "x' = 1", RH_ANSWER_NO, 3, false, false},
        {"x'^2 - y'^2 = 0", "x' = 1, y' = 1", RH_ANSWER_YES, 2, true, false},
    };
    for (size_t k = 0; k < sizeof ALL / sizeof *ALL; k++) {
        char text[512];
        (void)snprintf(
            text, sizeof text,
            "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint c: %s\nstart %s\n",
            ALL[k].constraint, ALL[k].start);
        examined it = examine_text(text);
        const rh_link_report *report = report_of(&it, "c");
        if (report->is_integrable != ALL[k].answer ||
            it.checkup->configuration_dimension != ALL[k].positions ||
            (report->factor.i != 0) != ALL[k].has_factor ||
            report->is_factor_sure != ALL[k].is_sure) {
            fail_msg("%s: answer %d, %u in positions, factor %d, never zero %d", ALL[k].constraint,
                     (int)report->is_integrable, it.checkup->configuration_dimension,
                     report->factor.i != 0, report->is_factor_sure);
        }
        examined_end(&it);
    }
}

// Squares that are equal: two linear branches, of which the start is on one.
static void equal_squares_are_two_branches(void **state)
{
    (void)state;
    static const struct {
        const char *row, *start;
        rh_answer is_integrable;
    } CASES[] = {
        {"x'^2 = y'^2", "x' = 1, y' = 1", RH_ANSWER_YES},
        {"x'^2 = y'^2", "x' = 1, y' = -1", RH_ANSWER_YES},
        {"x'^2 = 4e-18*y'^2", "x' = 2e-9, y' = 1", RH_ANSWER_YES},
        {"x'^2 = (1 + x^2)*y'^2", "x' = 1, y' = 1", RH_ANSWER_YES},
        {"(x' - y*y')^2 = x^2*y'^2", "x = 1, y = 2, x' = 3, y' = 1", RH_ANSWER_YES},
        {"(x' - 2*y')*(x' + 3*y') = 0", "x' = 2, y' = 1", RH_ANSWER_YES},
        {"x'^2 - y'^2 - 2*y*y'*z' = y^2*z'^2", "x' = 1, y' = 1", RH_ANSWER_NO},
        {"x'^2 + y'^2 = z'^2", "x' = 3, y' = 4, z' = 5", RH_ANSWER_NO},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        char text[400];
        (void)snprintf(text, sizeof text,
                       "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint c: %s\n"
                       "start %s\n",
                       CASES[k].row, CASES[k].start);
        examined it = examine_with(text, NULL, NULL);
        if (it.checkup->links[0].is_integrable != CASES[k].is_integrable) {
            fail_msg("%d in\n%s", (int)it.checkup->links[0].is_integrable, text);
        }
        examined_end(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_do_not_hide_integrals),
        cmocka_unit_test(differentials_in_disguise),
        cmocka_unit_test(all_rows_in_the_plane_are_integrable),
        cmocka_unit_test(disturbed_differentials_are_not),
        cmocka_unit_test(contact_forms_are_not),
        cmocka_unit_test(rows_one_knows),
        cmocka_unit_test(restrictions_are_not_judged),
        cmocka_unit_test(mixed_differentials_are_integrable_together),
        cmocka_unit_test(rows_that_need_each_other),
        cmocka_unit_test(one_differential_among_three_rows),
        cmocka_unit_test(a_chain_of_brackets_is_followed),
        cmocka_unit_test(tiny_brackets_are_not_known),
        cmocka_unit_test(a_chain_keeps_its_integral),
        cmocka_unit_test(the_cart_has_a_hidden_integral),
        cmocka_unit_test(a_rod_written_in_velocities),
        cmocka_unit_test(a_holonomic_row_helps),
        cmocka_unit_test(files_without_hidden_integrals),
        cmocka_unit_test(equal_squares_are_two_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
