// SPDX-License-Identifier: Apache-2.0
// Tests of src/model/resolve.c: arrays, loops, structural parameters and their settings, and
// definitions that wait for one another.

#include "subject.h"

enum { ROUNDS = 5, LONG = 5000 };

static subject begin(const char *text, support_random *random)
{
    return (subject){.text = text, .where = random_point(random)};
}

static const rh_parameter *find_parameter(const rh_model *model, const char *name)
{
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        if (rh__slice_is(model->parameters.data[k].name, name)) {
            return &model->parameters.data[k];
        }
    }
    fail_msg("there is no parameter %s", name);
    return NULL;
}

static double parameter_of(const rh_model *model, const char *name, uint32_t member)
{
    return *rh__values_at(&model->values, find_parameter(model, name), member);
}

// --- long chains of definitions ------------------------------------------------------------------

static void lets_may_need_lower_members(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const subject on = begin("param N = 5000\ncoord x, y\nfor i in 0..0: let a[i] = x\n"
                             "for i in 1..N: let a[i] = a[i-1]/2 + y*i/N\n",
                             &random);
    double a = here(&on, "x"), rate = here(&on, "x'");
    for (int i = 1; i <= LONG; i++) {
        a = a / 2.0 + here(&on, "y") * i / LONG;
        rate = rate / 2.0 + here(&on, "y'") * i / LONG;
    }
    expect(&on, "a[N]", a);
    expect(&on, "a[N]'", rate);
    expect(&on, "a[2]", here(&on, "x") / 4.0 + here(&on, "y") * (2.5 / LONG));
}

static void lets_may_need_higher_members(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const subject on = begin("param N = 5000\ncoord x, y\n"
                             "for i in 1..N: let a[i] = a[i+1]/2 + y*sin(a[i+1])/i\n"
                             "for i in N+1..N+1: let a[i] = x\n",
                             &random);
    double a = here(&on, "x"), rate = here(&on, "x'");
    const double y = here(&on, "y");
    for (int i = LONG; i >= 1; i--) {
        const double next = a / 2.0 + y * sin(a) / i;
        rate = rate / 2.0 + here(&on, "y'") * sin(a) / i + y * cos(a) * rate / i;
        a = next;
    }
    expect(&on, "a[1]", a);
    expect(&on, "a[1]'", rate);
}

// a needs b, b needs a, one up or one down; the last of them is asked for first.
static void lets_may_need_one_another(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    double a = 0.0, b = 0.0;
    const subject up = begin("param N = 5000\ncoord x, y\nlet last = a[N]\n"
                             "for i in 1..N: let a[i] = if(i == 1, x, b[i-1]/3 + 1)\n"
                             "for i in 1..N: let b[i] = if(i == 1, y, a[i-1]/2 + x)\n",
                             &random);
    for (int i = 1; i <= LONG; i++) {
        const double old = a;
        a = i == 1 ? here(&up, "x") : b / 3.0 + 1.0;
        b = i == 1 ? here(&up, "y") : old / 2.0 + here(&up, "x");
    }
    expect(&up, "last", a);

    const subject down = begin("param N = 5000\ncoord x, y\nlet first = a[1]\n"
                               "for i in 1..N: let a[i] = if(i == N, x, b[i+1]/3 + 1)\n"
                               "for i in 1..N: let b[i] = if(i == N, y, a[i+1]/2 + x)\n",
                               &random);
    for (int i = LONG; i >= 1; i--) {
        const double old = a;
        a = i == LONG ? here(&down, "x") : b / 3.0 + 1.0;
        b = i == LONG ? here(&down, "y") : old / 2.0 + here(&down, "x");
    }
    expect(&down, "first", a);
    refuse("coord x\nkinetic x'^2/2\nfor i in 1..9: let a[i] = x + if(i == 5, a[5], 0)\n", "E104");
    refuse("coord x\nkinetic x'^2/2\nlet a = b\nlet b = 2*a\n", "E104");
}

// A thousand lets, each of which needs the one before, written in any order: forwards, backwards,
// shuffled.
static void plain_lets_in_any_order(void **state)
{
    (void)state;
    enum { LETS = 1000, LINE = 48 };
    support_random random = support_random_begin(__func__);
    for (int way = 0; way < 3; way++) {
        uint32_t order[LETS];
        char text[LETS * LINE] = "coord x, y\nkinetic x'^2 + y'^2\nlet a0 = y\n";
        size_t size = strlen(text);
        for (uint32_t k = 0; k < LETS; k++) {
            order[k] = way == 1 ? LETS - k : k + 1;
        }
        for (uint32_t k = LETS - 1; way == 2 && k > 0; k--) {
            const uint32_t other = support_random_below(&random, k + 1);
            const uint32_t kept = order[k];
            order[k] = order[other];
            order[other] = kept;
        }
        for (uint32_t k = 0; k < LETS; k++) {
            size += (size_t)snprintf(text + size, sizeof text - size, "let a%u = a%u/2 + x\n",
                                     order[k], order[k] - 1);
        }
        const subject on = begin(text, &random);
        expect(&on, "a1000", 2.0 * here(&on, "x"));
        expect(&on, "a3", here(&on, "y") / 8.0 + here(&on, "x") * 1.75);
    }
}

// A let stands in an energy before its line, a parameter before the one it is computed from.
static void order_of_lines_does_not_matter(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const subject on = begin("kinetic m*r'^2/2\nlet r = f(x)\nparam m = 2*k\nlet f(u) = u^2\n"
                             "param k = 3\ncoord x\n",
                             &random);
    expect(&on, "T", here(&on, "m") / 2.0 * pow(2.0 * here(&on, "x") * here(&on, "x'"), 2.0));
    rh_model *model = make(on.text);
    assert_near(parameter_of(model, "m", 0), 6.0, 0.0);
    rh_model_destroy(model);
}

// --- arrays --------------------------------------------------------------------------------------

static void arrays_are_vectors_and_matrices(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const char *const text = "param N = 3\ncoord q[1..N], r[0..1], M[1..2,1..3]\n"
                             "param l[1..N] = [1, 4/5, 1/2], m[1..N] = 7\n"
                             "for i in 1..N: let s[i] = l[i]*q[i]\n";
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(text, &random);
        double q[4], dq[4], l[4], M[3][4];
        for (int i = 1; i <= 3; i++) {
            q[i] = at_member(&on.where, "q", i, "");
            dq[i] = at_member(&on.where, "q", i, "'");
            l[i] = at_member(&on.where, "l", i, "");
            for (int k = 1; k <= 2; k++) {
                char name[48];
                (void)snprintf(name, sizeof name, "M[%d,%d]", k, i);
                M[k][i] = here(&on, name);
            }
        }
        expect(&on, "dot(q, q)", q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        expect(&on, "dot(q', l)", dq[1] * l[1] + dq[2] * l[2] + dq[3] * l[3]);
        expect_vector(&on, "q'", dq[1], dq[2], dq[3]);
        expect_vector(&on, "s", l[1] * q[1], l[2] * q[2], l[3] * q[3]);
        expect_vector(&on, "s'", l[1] * dq[1], l[2] * dq[2], l[3] * dq[3]);
        expect_vector(&on, "2*r", 2.0 * here(&on, "r[0]"), 2.0 * here(&on, "r[1]"));
        expect(&on, "q.x + 10*q.z", q[1] + 10.0 * q[3]);
        expect(&on, "r.x", here(&on, "r[0]"));
        expect_vector(&on, "M*q", M[1][1] * q[1] + M[1][2] * q[2] + M[1][3] * q[3],
                      M[2][1] * q[1] + M[2][2] * q[2] + M[2][3] * q[3]);
        expect_vector(&on, "transpose(M)*[1, 10]", M[1][1] + 10 * M[2][1], M[1][2] + 10 * M[2][2],
                      M[1][3] + 10 * M[2][3]);
        expect(&on, "M[2,3]", M[2][3]);
    }
    refuse("coord q[1..3]\nkinetic dot(q', q')/2\nobserve y = q[0]\n", "E102");
    refuse("coord q[1..3]\nkinetic dot(q', q')/2\nobserve y = q[1,2]\n", "E103");
    refuse("coord q[1..3]\nkinetic q'^2/2\n", "E201");
    refuse("param N = 3\nparam l[1..N] = [1, 2]\ncoord x\nkinetic x'^2/2\n", "E201");
}

static void arrays_have_up_to_three_indices(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const subject on = begin("coord c[1..2,0..1,-1..1]\n"
                             "for i in 1..2: for j in 0..1: for k in -1..1: let d[i,j,k] = "
                             "i*100 + j*10 + k + c[i,j,k]\n",
                             &random);
    double sum = 0.0, squares = 0.0;
    for (int i = 1; i <= 2; i++) {
        for (int j = 0; j <= 1; j++) {
            for (int k = -1; k <= 1; k++) {
                char name[48];
                (void)snprintf(name, sizeof name, "c[%d,%d,%d]", i, j, k);
                sum += (i * 100 + j * 10 + k) * here(&on, name);
                squares += here(&on, name) * (100 * i + 10 * j + k + here(&on, name));
            }
        }
    }
    expect(&on, "sum(i in 1..2: sum(j in 0..1: sum(k in -1..1: (i*100 + j*10 + k)*c[i,j,k])))",
           sum);
    expect(&on, "sum(i in 1..2: sum(j in 0..1: sum(k in -1..1: c[i,j,k]*d[i,j,k])))", squares);
    expect(&on, "c[2,0,-1]' - c[1,1,1]''", here(&on, "c[2,0,-1]'") - here(&on, "c[1,1,1]''"));
    rh_model *model = make("coord c[1..2,0..1,-1..1]\n"
                           "for i in 1..2: for j in 0..1: for k in -1..1: kinetic c[i,j,k]'^2/2\n");
    assert_int_equal(rh__model_coordinate_count(model), 12);
    assert_int_equal(model->kinetic.count, 12);
    rh_model_destroy(model);
    refuse("coord c[1..2,1..2,1..2,1..2]\n", "E103");
}

// --- structural parameters -----------------------------------------------------------------------

static const char *const CHAIN = "param n = 3, m = n + 1, h = 1/n, l = 2*h, k = 5, h2 = h/2\n"
                                 "coord x[1..m]\nkinetic sum(i in 1..m: k*h*x[i]'^2/2)\n"
                                 "observe length = n*l + m\n";

static void bounds_make_parameters_structural(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    rh_model *model = make(CHAIN);
    assert_int_equal(rh__model_coordinate_count(model), 4);
    assert_true(find_parameter(model, "n")->is_structural);
    assert_true(find_parameter(model, "m")->is_structural);
    assert_false(find_parameter(model, "h")->is_structural);
    assert_false(find_parameter(model, "l")->is_structural);
    assert_near(parameter_of(model, "l", 0), 2.0 / 3.0, 1e-16);
    // a structural one is its exact value, all others stay symbols
    assert_shown(model, model->observes.data[0].value, "3*l + 4");
    assert_int_equal(find_parameter(model, "h")->defaults[0].i,
                     rh__expr_ratio(model->store, 1, 3).i);
    rh_model_destroy(model);

    model = make_with(CHAIN, (settings){"n = 7", NULL});
    assert_int_equal(rh__model_coordinate_count(model), 8);
    assert_shown(model, model->observes.data[0].value, "7*l + 8");
    assert_near(parameter_of(model, "h2", 0), 1.0 / 14.0, 1e-16);
    rh_model_destroy(model);

    // a setting that cuts the chain of definitions, and one through another parameter
    model = make_with(CHAIN, (settings){"m=2, n=5", NULL});
    assert_int_equal(rh__model_coordinate_count(model), 2);
    rh_model_destroy(model);
    model = make_with(CHAIN, (settings){"m=k + 1", NULL});
    assert_int_equal(rh__model_coordinate_count(model), 6);
    assert_true(find_parameter(model, "k")->is_structural);
    rh_model_destroy(model);

    const subject on = {CHAIN, {"n = 2", NULL}, random_point(&random)};
    double sum = 0.0;
    for (int i = 1; i <= 3; i++) {
        sum += here(&on, "k") * here(&on, "h") * pow(at_member(&on.where, "x", i, "'"), 2.0) / 2.0;
    }
    expect(&on, "T", sum);
}

static void bounds_are_whole_numbers(void **state)
{
    (void)state;
    refuse_with(CHAIN, (settings){"n=2.5", NULL}, "E105");
    refuse_with(CHAIN, (settings){"n=pi", NULL}, "E105");
    refuse_with(CHAIN, (settings){"nn=2", NULL}, "E100");
    refuse("coord x\nkinetic x'^2/2\nobserve y = sum(i in 1..x: i)\n", "E205");
    rh_model *model = make("param h = 1/2, n = 4*h, N = n^2\ncoord x[1..N]\n"
                           "kinetic dot(x', x')/2\n");
    assert_int_equal(rh__model_coordinate_count(model), 4);
    rh_model_destroy(model);
}

static void settings_change_defaults(void **state)
{
    (void)state;
    const char *const text = "param N = 3, a = 2, b = 3*a, l[1..N] = [1, 2, 3], m[1..N] = a\n"
                             "coord x\nkinetic (b + dot(l, m))*x'^2\n";
    rh_model *model = make(text);
    assert_near(parameter_of(model, "b", 0), 6.0, 0.0);
    assert_near(parameter_of(model, "m", 2), 2.0, 0.0);
    rh_model_destroy(model);

    model = make_with(text, (settings){"a=1.5, l[2]=-1", NULL});
    assert_near(parameter_of(model, "a", 0), 1.5, 0.0);
    assert_near(parameter_of(model, "b", 0), 4.5, 0.0);
    assert_near(parameter_of(model, "m", 1), 1.5, 0.0);
    assert_near(parameter_of(model, "l", 0), 1.0, 0.0);
    assert_near(parameter_of(model, "l", 1), -1.0, 0.0);
    assert_false(find_parameter(model, "a")->is_structural);
    rh_model_destroy(model);

    model = make_with(text, (settings){"l=[4, 5, 6]", NULL});
    assert_near(parameter_of(model, "l", 2), 6.0, 0.0);
    rh_model_destroy(model);
    model = make_with(text, (settings){"l=9, N=2", NULL});
    assert_int_equal(find_parameter(model, "l")->size, 2);
    assert_near(parameter_of(model, "l", 1), 9.0, 0.0);
    rh_model_destroy(model);
    refuse_with(text, (settings){"l[4]=1", NULL}, "E102");
    refuse_with(text, (settings){"x=1", NULL}, "E100");
    refuse_with(text, (settings){"a=x", NULL}, "E205");
    refuse_with(text, (settings){"a=b", NULL}, "E104");
}

static void loops_expand_any_statement(void **state)
{
    (void)state;
    rh_model *model =
        make("param N = 3\ncoord x[1..N]\nstate s[1..N]\n"
             "for i in 1..N: kinetic x[i]'^2/2\nfor i in 1..N: potential x[i]^i\n"
             "for i in 1..N: law s[i]' = -i*s[i]\nfor i in 1..N: force x[i]: i\n"
             "for i in 2..N: constraint rod[i]: x[i] - x[i-1] = 1\n"
             "for i in 1..N: event hit[i]: x[i] = i\nfor i in 1..N: start x[i] = i, s[i] = 1/i\n"
             "for i in 2..1: potential x[5]\nfor i in 1..N: quasi w[i] = i*x[i]'\n"
             "for i in 1..N: draw point [x[i], i]\n");
    assert_int_equal(model->kinetic.count, 3);
    assert_int_equal(model->potential.count, 3);
    assert_int_equal(model->laws.count, 3);
    assert_int_equal(model->forces.count, 3);
    assert_int_equal(model->constraints.count, 2);
    assert_int_equal(model->events.count, 3);
    assert_int_equal(model->starts.count, 6);
    assert_int_equal(model->quasis.count, 3);
    assert_int_equal(model->drawings.count, 3);
    assert_shown(model, model->laws.data[2].value, "-3*s[3]");
    rh_model_destroy(model);
    refuse("for i in 1..2: coord x\n", "E");
    refuse("coord x[1..2]\nkinetic dot(x', x')\nfor i in 1..2: let a = x[i]\n", "E101");
    refuse("coord x[1..2]\nkinetic dot(x', x')\nfor i in 1..2: let a[1] = x[i]\n", "E101");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_may_need_lower_members),
        cmocka_unit_test(lets_may_need_higher_members),
        cmocka_unit_test(lets_may_need_one_another),
        cmocka_unit_test(plain_lets_in_any_order),
        cmocka_unit_test(order_of_lines_does_not_matter),
        cmocka_unit_test(arrays_are_vectors_and_matrices),
        cmocka_unit_test(arrays_have_up_to_three_indices),
        cmocka_unit_test(bounds_make_parameters_structural),
        cmocka_unit_test(bounds_are_whole_numbers),
        cmocka_unit_test(settings_change_defaults),
        cmocka_unit_test(loops_expand_any_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
