// SPDX-License-Identifier: Apache-2.0
// Tests of src/model/settle.c: start and guess, events, observed columns, drawings, canonical
// pairs, and the change of variables.

#include "subject.h"

// --- start and guess -----------------------------------------------------------------------------

typedef struct list {
    const rh_setting *data;
    uint32_t count;
} list;

static list starts_of(const rh_model *model)
{
    return (list){model->starts.data, model->starts.count};
}

// The value of the setting whose place is shown as `place`; NAN when there is none.
static double setting_value(const rh_model *model, list from, const char *place)
{
    const point defaults = {.of = model};
    for (uint32_t k = 0; k < from.count; k++) {
        bool has_parts = false;
        char *shown = show_expr(model, from.data[k].place, &has_parts);
        const bool is_same = strcmp(shown, place) == 0;
        free(shown);
        if (is_same) {
            return value_of(model, from.data[k].value, &defaults);
        }
    }
    return NAN;
}

static double start_value(const rh_model *model, const char *place)
{
    return setting_value(model, starts_of(model), place);
}

static const char *const BOWL =
    "param l = 2, a[1..3] = [4, 5, 6]\ncoord x, y, z, q[1..3], r[1..2,1..2]\nstate s\nlaw s' = -s\n"
    "let height = z + x\nlet p = [x*y, y]\n"
    "kinetic (x'^2 + y'^2 + z'^2 + dot(q', q'))/2 + r[1,1]'^2 + r[1,2]'^2 + r[2,1]'^2 + r[2,2]'^2\n"
    "constraint blade: x'*z = y' by vakonomic\n"
    "quasi spiral = x*y' - y*x'\n";

static rh_model *make_bowl(const char *rest, settings with)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s", BOWL, rest);
    return make_with(text, with);
}

static void start_values_bind_places(void **state)
{
    (void)state;
    rh_model *model = make_bowl("start x = l/2, y' = -3, z = pi, s = 1e-3, t = 2\n"
                                "start lambda.blade = -1, q[2] = a[2], q[3]' = 1/3\n"
                                "guess y = 7, q[1] = 8\n",
                                (settings){NULL, NULL});
    assert_int_equal(model->starts.count, 8);
    assert_near(start_value(model, "x"), 1.0, 0.0);
    assert_near(start_value(model, "y'"), -3.0, 0.0);
    assert_near(start_value(model, "z"), 3.14159265358979323846, 0.0);
    assert_near(start_value(model, "s"), 1e-3, 1e-18);
    assert_near(start_value(model, "t"), 2.0, 0.0);
    assert_near(start_value(model, "lambda.blade"), -1.0, 0.0);
    assert_near(start_value(model, "q[2]"), 5.0, 0.0);
    assert_near(start_value(model, "q[3]'"), 1.0 / 3.0, 1e-16);
    assert_true(isnan(start_value(model, "y")));
    const list guesses = {model->guesses.data, model->guesses.count};
    assert_int_equal(guesses.count, 2);
    assert_near(setting_value(model, guesses, "y"), 7.0, 0.0);
    assert_near(setting_value(model, guesses, "q[1]"), 8.0, 0.0);
    for (uint32_t k = 0; k < model->starts.count; k++) {
        assert_true(model->starts.data[k].is_symbol);
    }
    rh_model_destroy(model);
}

static void start_values_of_arrays(void **state)
{
    (void)state;
    rh_model *model = make_bowl("start q = [1, l, 9], q' = 1/2\nstart r = 4\n"
                                "for i in 1..2: for j in 1..2: start r[i,j]' = i*10 + j\n",
                                (settings){NULL, NULL});
    assert_int_equal(model->starts.count, 14);
    assert_near(start_value(model, "q[1]"), 1.0, 0.0);
    assert_near(start_value(model, "q[2]"), 2.0, 0.0);
    assert_near(start_value(model, "q[3]"), 9.0, 0.0);
    assert_near(start_value(model, "q[2]'"), 0.5, 0.0);
    assert_near(start_value(model, "r[2,1]"), 4.0, 0.0);
    assert_near(start_value(model, "r[2,1]'"), 21.0, 0.0);
    rh_model_destroy(model);
    refuse("coord q[1..3]\nkinetic dot(q', q')/2\nstart q = [1, 2]\n", "E200");
    refuse("coord q[1..3]\nkinetic dot(q', q')/2\nstart q = 1, q[2] = 3\n", "E321");
}

// A let or a quasi-velocity with a start value is an equation.
static void start_values_of_lets(void **state)
{
    (void)state;
    rh_model *model = make_bowl("start height = -l/2, height' = 1, spiral = 0.5, p = [3, 4]\n"
                                "observe height_ = z + x\nobserve rate_ = z' + x'\n"
                                "observe spiral_ = x*y' - y*x'\nobserve p1_ = x*y\n",
                                (settings){NULL, NULL});
    const rh_setting *starts = model->starts.data;
    const point defaults = {.of = model};
    assert_int_equal(model->starts.count, 5);
    assert_means(model, starts[0].place, "height_");
    assert_false(starts[0].is_symbol);
    assert_near(value_of(model, starts[0].value, &defaults), -1.0, 0.0);
    assert_means(model, starts[1].place, "rate_");
    assert_means(model, starts[2].place, "spiral_");
    assert_means(model, starts[3].place, "p1_");
    assert_near(value_of(model, starts[3].value, &defaults), 3.0, 0.0);
    assert_shown(model, starts[4].place, "y");
    assert_true(starts[4].is_symbol);
    rh_model_destroy(model);
}

static void the_command_line_wins(void **state)
{
    (void)state;
    const char *const text = "start x = 1, q = 3, height = 5\n";
    rh_model *model = make_bowl(text, (settings){NULL, "x = l^2, y'=6, q[2]=-1"});
    assert_int_equal(model->starts.count, 6);
    assert_near(start_value(model, "x"), 4.0, 0.0);
    assert_near(start_value(model, "y'"), 6.0, 0.0);
    assert_near(start_value(model, "q[1]"), 3.0, 0.0);
    assert_near(start_value(model, "q[2]"), -1.0, 0.0);
    rh_model_destroy(model);

    model = make_bowl(text, (settings){"l=3", "q = [7, 8, 9], height = l, lambda.blade = 2"});
    const point defaults = {.of = model};
    assert_int_equal(model->starts.count, 6);
    assert_near(start_value(model, "q[3]"), 9.0, 0.0);
    assert_near(start_value(model, "lambda.blade"), 2.0, 0.0);
    assert_near(value_of(model, model->starts.data[4].value, &defaults), 3.0, 0.0);
    rh_model_destroy(model);

    refuse_with("coord x\nkinetic x'^2/2\n", (settings){NULL, "u=1"}, "E100");
    refuse_with("coord x\nkinetic x'^2/2\n", (settings){NULL, "x=x"}, "E205");
    refuse_with("coord x\nkinetic x'^2/2\n", (settings){NULL, "x''=1"}, "E320");
}

static void wrong_places_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[][2] = {
        {"start x'' = 1", "E320"},        {"start s' = 1", "E320"},
        {"start l = 1", "E320"},          {"start u = 1", "E320"},
        {"start x = y", "E205"},          {"start x = 1, x = 2", "E321"},
        {"start lambda.rod = 1", "E322"}, {"start x = [1, 2]", "E200"},
        {"start nothing = 1", "E100"},    {"guess x = 1, x = 1", "E321"},
    };
    for (size_t k = 0; k < sizeof WRONG / sizeof *WRONG; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "param l = 1\ncoord x, y\nstate s\nlaw s' = -s\ninput u = t\n"
                       "kinetic (x'^2 + y'^2)/2\nforce x: u*l\nconstraint rod: x^2 + y^2 = 1\n%s\n",
                       WRONG[k][0]);
        refuse(text, WRONG[k][1]);
    }
}

// --- scales --------------------------------------------------------------------------------------

static void scales_are_read(void **state)
{
    (void)state;
    rh_model *model = make_bowl("scale x = l/4, y' = 1e-6, s = 1e-22\n"
                                "scale q = a, q[2]' = 3\nscale r = l\n"
                                "for i in 1..2: scale r[i,1]' = i\n",
                                (settings){"l=8", NULL});
    const list scales = {model->scales.data, model->scales.count};
    assert_int_equal(scales.count, 13);
    assert_near(setting_value(model, scales, "x"), 2.0, 0.0);
    assert_near(setting_value(model, scales, "y'"), 1e-6, 1e-21);
    assert_near(setting_value(model, scales, "s"), 1e-22, 1e-37);
    assert_near(setting_value(model, scales, "q[3]"), 6.0, 0.0);
    assert_near(setting_value(model, scales, "q[2]'"), 3.0, 0.0);
    assert_near(setting_value(model, scales, "r[2,2]"), 8.0, 0.0);
    assert_near(setting_value(model, scales, "r[2,1]'"), 2.0, 0.0);
    rh_model_destroy(model);
}

// The word is a name like others where no statement begins.
static void scale_is_an_ordinary_name(void **state)
{
    (void)state;
    rh_model *model = make("param scale = 2\ncoord x\nkinetic scale*x'^2/2\nscale x = scale\n");
    assert_int_equal(model->scales.count, 1);
    rh_model_destroy(model);
    model = make("coord scale\nkinetic scale'^2/2\nscale scale = 3, scale' = 1\n");
    assert_int_equal(model->scales.count, 2);
    rh_model_destroy(model);
}

static void wrong_scales_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[][2] = {
        {"scale x'' = 1", "E339"},
        {"scale s' = 1", "E339"},
        {"scale l = 1", "E339"},
        {"scale w = 1", "E339"},
        {"scale 2*x = 1", "E042"},
        {"scale lambda.rod = 1", "E339"},
        {"scale x = y", "E205"},
        {"scale x = t", "E205"},
        {"scale x = 0", "E340"},
        {"scale x = -l", "E340"},
        {"scale x = 1/(l - 1)", "E340"},
        {"scale x = log(-l)", "E340"},
        {"scale x = 1, x = 2", "E341"},
        {"scale x = [1, 2]", "E200"},
        {"scale nothing = 1", "E100"},
        {"scale t = 1", "E339"},
        {"scale x", "E044"},
        {"scale rod = 1", "E339"},
    };
    for (size_t k = 0; k < sizeof WRONG / sizeof *WRONG; k++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "param l = 1\ncoord x, y\nstate s\nlaw s' = -s\n"
                       "kinetic (x'^2 + y'^2)/2*l\nquasi w = y*x'\n"
                       "constraint rod: x^2 + y^2 = 1\n%s\n",
                       WRONG[k][0]);
        refuse(text, WRONG[k][1]);
    }
}

// --- events --------------------------------------------------------------------------------------

static void events_are_read(void **state)
{
    (void)state;
    rh_model *model =
        make("param e = 1/2\ncoord x, q[1..2]\nkinetic (x'^2 + dot(q', q'))/2\n"
             "constraint rod: q[1] = q[2]\n"
             "event top: x' = e*x down record\nevent plain: x = 1\nevent both1: x = 2 both\n"
             "event late: t = 100 stop\nevent hit: x = -1 up reset x' = -e*x', q[2] = q[1]\n"
             "for i in 1..2: event part[i]: q[i] = i up\nevent pull: lambda.rod + x'' = 0 stop\n"
             "event off: rod = 1/10\n"
             "observe top_ = x' - e*x\nobserve part_ = q[2] - 2\nobserve back = -e*x'\n"
             "observe pull_ = lambda.rod + x''\nobserve off_ = q[1] - q[2] - 1/10\n");
    const rh_event *events = model->events.data;
    assert_int_equal(model->events.count, 9);
    assert_means(model, events[0].function, "top_");
    assert_int_equal(events[0].direction, RH_DIRECTION_DOWN);
    assert_int_equal(events[0].action, RH_ACTION_RECORD);
    assert_int_equal(events[1].direction, RH_DIRECTION_BOTH);
    assert_int_equal(events[1].action, RH_ACTION_RECORD);
    assert_int_equal(events[2].direction, RH_DIRECTION_BOTH);
    assert_int_equal(events[3].action, RH_ACTION_STOP);
    assert_int_equal(events[4].direction, RH_DIRECTION_UP);
    assert_int_equal(events[4].action, RH_ACTION_RESET);
    assert_int_equal(events[4].reset_count, 2);
    assert_shown(model, events[4].resets[0].target, "x'");
    assert_means(model, events[4].resets[0].value, "back");
    assert_shown(model, events[4].resets[1].target, "q[2]");
    assert_shown(model, events[4].resets[1].value, "q[1]");
    assert_means(model, events[6].function, "part_");
    assert_int_equal(events[6].row.member, 1);
    assert_means(model, events[7].function, "pull_");
    assert_means(model, events[8].function, "off_");
    rh_model_destroy(model);
    refuse("param p = 1\ncoord x\nkinetic x'^2/2\nevent e: p = 1\n", "E331");
    refuse("coord x\nkinetic x'^2/2\nevent e: x = 1 reset x'' = 1\n", "E323");
    refuse("param p = 1\ncoord x\nkinetic x'^2/2\nevent e: x = 1 reset p = 1\n", "E323");
}

// --- columns -------------------------------------------------------------------------------------

static void vectors_make_columns(void **state)
{
    (void)state;
    rh_model *model =
        make("param N = 4\ncoord x, y, q[1..N]\nkinetic (x'^2 + y'^2 + dot(q', q'))/2\n"
             "let p = [x, y]\nobserve energy\nobserve p\nobserve v = [x', y', 1]\n"
             "observe q\nobserve M = [[x, 1], [2, y]]\nobserve a = x''\n"
             "observe one = [x]\n");
    static const char *const NAMES[] = {"energy", "p.x",    "p.y",    "v.x",    "v.y",
                                        "v.z",    "q[1]",   "q[2]",   "q[3]",   "q[4]",
                                        "M[1,1]", "M[1,2]", "M[2,1]", "M[2,2]", "a"};
    const size_t count = sizeof NAMES / sizeof *NAMES;
    assert_int_equal(model->observes.count, count + 1);
    for (size_t k = 0; k < count; k++) {
        assert_string_equal(model->observes.data[k].name, NAMES[k]);
    }
    assert_shown(model, observed(model, "p.y"), "y");
    assert_shown(model, observed(model, "v.y"), "y'");
    assert_shown(model, observed(model, "q[3]"), "q[3]");
    assert_shown(model, observed(model, "M[2,2]"), "y");
    assert_shown(model, observed(model, "a"), "x''");
    rh_model_destroy(model);
    refuse("coord x\nkinetic x'^2/2\nobserve x\nobserve x\n", "E332");
    refuse("coord x\nkinetic x'^2/2\nobserve x = 2*x\n", "E101");
    refuse("coord x\nkinetic x'^2/2\nobserve h = x\nobserve g = 2*h\n", "E109");
}

static void drawings_hold_vectors(void **state)
{
    (void)state;
    rh_model *model =
        make("param a = 2\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
             "let n = [0, 0, 1]\ndraw point [x, y]\ndraw line [0, 0, 0] to [x, y, z]\n"
             "draw disc centre [x, y, z] normal n radius a\n");
    const rh_drawing *drawings = model->drawings.data;
    assert_int_equal(model->drawings.count, 3);
    assert_int_equal(drawings[0].kind, RH_DRAW_POINT);
    assert_int_equal(drawings[0].length, 2);
    assert_int_equal(drawings[0].vector_count, 1);
    assert_shown(model, drawings[0].vectors[1], "y");
    assert_int_equal(drawings[1].kind, RH_DRAW_LINE);
    assert_int_equal(drawings[1].length, 3);
    assert_shown(model, drawings[1].vectors[5], "z");
    assert_int_equal(drawings[2].kind, RH_DRAW_DISC);
    assert_true(rh__expr_is_one(model->store, drawings[2].vectors[5]));
    assert_shown(model, drawings[2].radius, "a");
    assert_int_equal(drawings[1].radius.i, 0);
    rh_model_destroy(model);
    refuse("coord x\nkinetic x'^2/2\ndraw point x\n", "E324");
    refuse("coord x\nkinetic x'^2/2\ndraw line [0, 0] to [x, 0, 0]\n", "E324");
    refuse("coord x\nkinetic x'^2/2\ndraw point [x, 0, 0, 0]\n", "E324");
}

// --- pairs and the change of variables -----------------------------------------------------------

static const char *const TWO = "param c = 2\nstate xi, v\nlaw xi' = v\nlaw v' = -c*xi\n";

static void expect_change(const char *text, const char *code)
{
    char full[512];
    (void)snprintf(full, sizeof full, "%s%s\n", TWO, text);
    if (code != NULL) {
        refuse(full, code);
    } else {
        rh_model_destroy(make(full));
    }
}

static void the_inverse_is_checked(void **state)
{
    (void)state;
    expect_change("change z = xi/2, tau = 2*t  inverse xi = 2*z, t = tau/2", NULL);
    expect_change("change z = exp(xi), u = v*c inverse xi = log(z), v = u/c", NULL);
    expect_change("change a = xi + v, b = xi - v inverse xi = (a + b)/2, v = (a - b)/2", NULL);
    expect_change("change r = sqrt(xi^2 + v^2), f = atan2(v, xi) "
                  "inverse xi = r*cos(f), v = r*sin(f)",
                  NULL);
    expect_change("change z = xi/2 inverse xi = 3*z", "E317");
    expect_change("change a = xi + v, b = xi - v inverse xi = (a + b)/2, v = (a + b)/2", "E317");
    expect_change("change v = xi/2 inverse xi = 2*v", "E317");
    expect_change("change z = xi/2 inverse c = z", "E317");
    expect_change("change z = xi/2 inverse xi = 2*y", "E100");
    // a branch that lies far away is one, and what no branch gives back is none
    expect_change("change z = (xi - 3)^2 inverse xi = 3 + sqrt(z)", NULL);
    expect_change("change z = (xi - 1e9)^2 inverse xi = 1e9 + sqrt(z)", NULL);
    expect_change("change z = (xi + c)^2*(v - 40)^2 inverse xi = sqrt(z)/(v - 40) - c", NULL);
    expect_change("change z = sin(xi - 50) inverse xi = 50 + asin(z)", NULL);
    expect_change("change z = sin(2*xi) inverse xi = pi/2 - asin(z)/2", NULL);
    expect_change("change z = (xi - 3)^2 inverse xi = 4 + sqrt(z)", "E317");
    expect_change("change z = (xi - 3)^2 inverse xi = 3 + 2*sqrt(z)", "E317");
    expect_change("change z = sin(xi) inverse xi = 1 + asin(z)", "E317");
    expect_change("change z = sin(xi) inverse xi = 2*asin(z)", "E317");

    char text[512];
    (void)snprintf(text, sizeof text,
                   "%schange z = c*xi, tau = 2*t inverse xi = z/c, t = tau/2\npair xi, v\n"
                   "observe z_ = c*xi\n",
                   TWO);
    rh_model *model = make(text);
    assert_int_equal(model->change.count, 2);
    assert_int_equal(model->inverse.count, 2);
    assert_shown(model, model->change.data[0].target, "z");
    assert_means(model, model->change.data[0].value, "z_");
    assert_shown(model, model->inverse.data[0].target, "xi");
    assert_shown(model, model->inverse.data[1].target, "t");
    assert_int_equal(model->pairs.count, 1);
    assert_shown(model, model->pairs.data[0].position, "xi");
    assert_shown(model, model->pairs.data[0].momentum, "v");
    rh_model_destroy(model);
    expect_change("pair xi, v\npair v, xi", "E316");
    expect_change("pair xi, xi", "E316");
    expect_change("pair xi, c", "E316");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_values_bind_places),  cmocka_unit_test(start_values_of_arrays),
        cmocka_unit_test(start_values_of_lets),      cmocka_unit_test(the_command_line_wins),
        cmocka_unit_test(wrong_places_are_refused),  cmocka_unit_test(scales_are_read),
        cmocka_unit_test(scale_is_an_ordinary_name), cmocka_unit_test(wrong_scales_are_refused),
        cmocka_unit_test(events_are_read),           cmocka_unit_test(vectors_make_columns),
        cmocka_unit_test(drawings_hold_vectors),     cmocka_unit_test(the_inverse_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
