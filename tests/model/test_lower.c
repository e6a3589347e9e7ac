// SPDX-License-Identifier: Apache-2.0
// Tests of src/model/lower.c, calls.c, lookup.c and scope.c: what expressions of the language mean,
// as values against formulas in C at random points. Vectors and matrices are in test_tensor.c.

#include "subject.h"

enum { ROUNDS = 5 };

static const double PI = 3.14159265358979323846;

static const char *const SCALARS = "param a = 2, b = 3, c = 5\ncoord x, y, z\n";

static subject begin(const char *text, support_random *random)
{
    return (subject){.text = text, .where = random_point(random)};
}

// --- operators and functions ---------------------------------------------------------------------

static void operators_bind_as_written(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(SCALARS, &random);
        const double x = here(&on, "x");
        const double y = here(&on, "y");
        const double z = here(&on, "z");
        expect(&on, "-x^2", -(x * x));
        expect(&on, "(-x)^2", x * x);
        expect(&on, "2^-3*x", x / 8.0);
        expect(&on, "x^2^y", pow(x, pow(2.0, y)));
        expect(&on, "(x^2)^y", pow(x, 2.0 * y));
        expect(&on, "-x^-2", -1.0 / (x * x));
        expect(&on, "2^-x^2", pow(2.0, -(x * x)));
        expect(&on, "x^-y^z", pow(x, -pow(y, z)));
        expect(&on, "x^+2", x * x);
        expect(&on, "x - y - z", x - y - z);
        expect(&on, "x - (y - z)", x - (y - z));
        expect(&on, "x/y*z", x / y * z);
        expect(&on, "x/(y*z)", x / (y * z));
        expect(&on, "x/y/z", x / y / z);
        expect(&on, "x + y*z", x + y * z);
        expect(&on, "(x + y)*z", (x + y) * z);
        expect(&on, "-x*y", -x * y);
        expect(&on, "x*-y", -x * y);
        expect(&on, "x/-y", -x / y);
        expect(&on, "x - -y", x + y);
        expect(&on, "- -x", x);
        expect(&on, "+x - +y", x - y);
        expect(&on, "-x/y^2*z", -(x / (y * y)) * z);
        expect(&on, "x'^2*y", here(&on, "x'") * here(&on, "x'") * y);
        expect(&on, "-x'^2", -(here(&on, "x'") * here(&on, "x'")));
        expect(&on, "2*\n  (x +\n y)", 2.0 * (x + y));
    }
    const subject on = begin(SCALARS, &random);
    assert_true(is_exactly(&on, "-2^2", -4, 1));
    assert_true(is_exactly(&on, "2^3^2", 512, 1));
    assert_true(is_exactly(&on, "2^-3", 1, 8));
    assert_true(is_exactly(&on, "6/4/3", 1, 2));
}

static void functions_are_those_of_the_c_library(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(SCALARS, &random);
        const double x = here(&on, "x");
        const double y = here(&on, "y");
        const double z = here(&on, "z");
        expect(&on, "sin(x) + 2*cos(y) - tan(z/2)", sin(x) + 2.0 * cos(y) - tan(z / 2.0));
        expect(&on, "asin(x/2) + 2*acos(y/2) - atan(z)", asin(x / 2) + 2 * acos(y / 2) - atan(z));
        expect(&on, "sinh(x) + 2*cosh(y) - tanh(z)", sinh(x) + 2.0 * cosh(y) - tanh(z));
        expect(&on, "exp(x) + 2*log(y) - sqrt(z)", exp(x) + 2.0 * log(y) - sqrt(z));
        expect(&on, "atan2(x, -y)", atan2(x, -y));
        expect(&on, "atan2(-x, y)", atan2(-x, y));
        expect(&on, "abs(x - 1) + 2*sign(y - 1)", fabs(x - 1.0) + (y > 1.0 ? 2.0 : -2.0));
        expect(&on, "min(x, y) - 3*max(y, z)", fmin(x, y) - 3.0 * fmax(y, z));
        expect(&on, "min(x, y, z) - 3*max(x, y, z)",
               fmin(fmin(x, y), z) - 3.0 * fmax(fmax(x, y), z));
        expect(&on, "x*t + pi", x * here(&on, "t") + PI);
    }
    const subject on = begin(SCALARS, &random);
    assert_true(is_exactly(&on, "sign(-3/7)", -1, 1));
    assert_true(is_exactly(&on, "abs(-3/7)", 3, 7));
    assert_true(is_exactly(&on, "min(3/7, 1/2) + max(1/4, 1/5)", 19, 28));
}

static void conditions_choose(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < 4 * ROUNDS; round++) {
        const subject on = begin(SCALARS, &random);
        const double x = here(&on, "x");
        const double y = here(&on, "y");
        const double z = here(&on, "z");
        expect(&on, "if(x < y, x, 2*y)", x < y ? x : 2.0 * y);
        expect(&on, "if(x > y, x, 2*y)", x > y ? x : 2.0 * y);
        expect(&on, "if(x <= y, x^2, y)", x <= y ? x * x : y);
        expect(&on, "if(x >= y, x^2, y)", x >= y ? x * x : y);
        expect(&on, "if(x == y, 1, z)", z);
        expect(&on, "if(x != y, 1, z)", 1.0);
        expect(&on, "if(x < y and y < z, 1, 2)", x < y && y < z ? 1.0 : 2.0);
        expect(&on, "if(x < y or y < z, 1, 2)", x < y || y < z ? 1.0 : 2.0);
        expect(&on, "if(not x < y, 1, 2)", !(x < y) ? 1.0 : 2.0);
        // `and` binds tighter than `or`, `not` tighter than both
        expect(&on, "if(x < y or y < z and x < 1, 1, 2)", x < y || (y < z && x < 1.0) ? 1.0 : 2.0);
        expect(&on, "if(not x < y and y < z, 1, 2)", !(x < y) && y < z ? 1.0 : 2.0);
        expect(&on, "if(x + 1 < 2*y, if(z < 1, x, y), z)",
               x + 1.0 < 2.0 * y ? (z < 1.0 ? x : y) : z);
        expect(&on, "if(x < 1, x^2, y)'", x < 1.0 ? 2.0 * x * here(&on, "x'") : here(&on, "y'"));
        expect(&on, "abs(x - y)'", (x > y ? 1.0 : -1.0) * (here(&on, "x'") - here(&on, "y'")));
        expect(&on, "max(x, y)'", x > y ? here(&on, "x'") : here(&on, "y'"));
    }
    refuse("coord x\nkinetic x'^2/2\nlet a = x < 1\nobserve b = a + 1\n", "E027");
}

static void literals_are_exact(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const subject on = begin(SCALARS, &random);
    assert_true(is_exactly(&on, "9.81", 981, 100));
    assert_true(is_exactly(&on, "8/3", 8, 3));
    assert_true(is_exactly(&on, "0.1 + 0.2", 3, 10));
    assert_true(is_exactly(&on, "0.1 + 0.2 - 0.3", 0, 1));
    assert_true(is_exactly(&on, "1e-3", 1, 1000));
    assert_true(is_exactly(&on, "2.5E+3", 2500, 1));
    assert_true(is_exactly(&on, "1/3 + 1/6", 1, 2));
    assert_true(is_exactly(&on, "0.5^10", 1, 1024));
    assert_true(is_exactly(&on, "1000000000000000000000000000001 - 1e30", 1, 1));
    assert_true(is_exactly(&on, "(x + 1/3)*0 + 3/9", 1, 3));
    assert_true(is_identical(&on, "9.81*x", "981/100*x"));
    assert_true(is_identical(&on, "0.1*x + 0.2*x", "0.3*x"));
    assert_false(is_identical(&on, "0.1*x", "0.1000000000000000055511151231257827*x"));
}

// --- primes --------------------------------------------------------------------------------------

static void primes_are_total_derivatives(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const char *const text = "param a = 2\ncoord x, y, q[1..3]\nstate s\nlaw s' = -s\n"
                             "input u = sin(a*t)\n"
                             "let f(u_) = u_^2 + a\nlet g(p, r) = p*sin(r)\n"
                             "let zc = a*x*cos(y)\nlet deep = zc^2\n"
                             "quasi w = x' - y*q[1]'\n";
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(text, &random);
        const double a = here(&on, "a"), t = here(&on, "t");
        const double x = here(&on, "x"), dx = here(&on, "x'"), ddx = here(&on, "x''");
        const double y = here(&on, "y"), dy = here(&on, "y'"), ddy = here(&on, "y''");
        const double zc = a * x * cos(y);
        const double dzc = a * (dx * cos(y) - x * sin(y) * dy);
        expect(&on, "x' + x''", dx + ddx);
        expect(&on, "q[2]' - q[3]''", here(&on, "q[2]'") - here(&on, "q[3]''"));
        expect(&on, "zc'", dzc);
        expect(&on, "deep'", 2.0 * zc * dzc);
        expect(&on, "(x*y)'", dx * y + x * dy);
        expect(&on, "(x*y)''", ddx * y + 2.0 * dx * dy + x * ddy);
        expect(&on, "(x/y)'", (dx * y - x * dy) / (y * y));
        expect(&on, "(x^y)'", pow(x, y) * (dy * log(x) + y * dx / x));
        expect(&on, "f(x)'", 2.0 * x * dx);
        expect(&on, "f(x*y)'^2", pow(2.0 * x * y * (dx * y + x * dy), 2.0));
        expect(&on, "g(x, y)'", dx * sin(y) + x * cos(y) * dy);
        expect(&on, "sin(x)' + exp(2*y)'", cos(x) * dx + 2.0 * exp(2.0 * y) * dy);
        expect(&on, "sqrt(x)' + log(y)'", dx / (2.0 * sqrt(x)) + dy / y);
        expect(&on, "atan2(x, y)'", (dx * y - x * dy) / (x * x + y * y));
        expect(&on, "tan(x)' + tanh(y)'", dx / (cos(x) * cos(x)) + dy / (cosh(y) * cosh(y)));
        expect(&on, "asin(x/2)' + acos(y/2)'", dx / sqrt(4.0 - x * x) - dy / sqrt(4.0 - y * y));
        expect(&on, "(t*x)'", x + t * dx);
        expect(&on, "t'", 1.0);
        expect(&on, "(a*pi)'", 0.0);
        expect(&on, "u'", a * cos(a * t));
        expect(&on, "u''", -a * a * sin(a * t));
        expect(&on, "(s*x)'", here(&on, "s'") * x + here(&on, "s") * dx);
        expect(&on, "w'", ddx - dy * here(&on, "q[1]'") - y * here(&on, "q[1]''"));
        expect(&on, "sum(i in 1..3: i*q[i]^2)'",
               2.0 * here(&on, "q[1]") * here(&on, "q[1]'") +
                   4.0 * here(&on, "q[2]") * here(&on, "q[2]'") +
                   6.0 * here(&on, "q[3]") * here(&on, "q[3]'"));
    }
}

static void a_prime_binds_tightest(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const subject on = begin("coord x, y\nlet v = [x^2, y^2]\n", &random);
    assert_true(is_identical(&on, "x'^2", "(x')^2"));
    assert_true(is_identical(&on, "-x'", "-(x')"));
    assert_true(is_identical(&on, "x*y'", "x*(y')"));
    assert_true(is_identical(&on, "2^x'", "2^(x')"));
    assert_true(is_identical(&on, "v.x'", "2*x*x'"));
    assert_true(is_identical(&on, "v'.x", "2*x*x'"));
    assert_true(is_identical(&on, "v[2]'", "2*y*y'"));
    assert_true(is_identical(&on, "(x')'", "x''"));
    assert_true(is_identical(&on, "(x^2)'", "2*x*x'"));
}

// --- the user's functions ------------------------------------------------------------------------

static void functions_of_the_user(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const char *const text = "param k = 2\ncoord x, y, z\n"
                             "let f(u) = u^2 + 1\nlet g(u, v) = u*f(v) - k*x\n"
                             "let far(p, q) = dot(p - q, p - q)\nlet flip(p) = [p.y, -p.x]\n"
                             "let turn(R, p) = R*p\nlet second(p) = p[2]\n"
                             "let p1 = [x, y]\nlet p2 = [y, z]\n";
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(text, &random);
        const double k = here(&on, "k");
        const double x = here(&on, "x");
        const double y = here(&on, "y");
        const double z = here(&on, "z");
        expect(&on, "f(x)", x * x + 1.0);
        expect(&on, "f(f(x))", pow(x * x + 1.0, 2.0) + 1.0);
        expect(&on, "f(-x) - 2*f(y + z)", x * x + 1.0 - 2.0 * ((y + z) * (y + z) + 1.0));
        expect(&on, "g(y, z)", y * (z * z + 1.0) - k * x);
        expect(&on, "far(p1, p2)", (x - y) * (x - y) + (y - z) * (y - z));
        expect(&on, "far([x, y, z], [1, 2, 3])",
               (x - 1) * (x - 1) + (y - 2) * (y - 2) + (z - 3) * (z - 3));
        expect_vector(&on, "flip(p1 + p2)", y + z, -(x + y));
        expect(&on, "flip(flip(p1)).x", -x);
        expect_vector(&on, "turn([[0, 1], [1, 0]], p1)", y, x);
        expect(&on, "second([x, y, z])", y);
        expect(&on, "far(p1, p2)'",
               2.0 * (x - y) * (here(&on, "x'") - here(&on, "y'")) +
                   2.0 * (y - z) * (here(&on, "y'") - here(&on, "z'")));
    }
    refuse("coord x\nkinetic x'^2/2\nlet f(u) = f(u - 1)\nobserve y = f(x)\n", "E104");
    refuse("coord x\nkinetic x'^2/2\nlet f(u) = u\nobserve y = f(x, x)\n", "E108");
}

// --- energies ------------------------------------------------------------------------------------

static void energies_have_names(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const subject on = begin("param m = 2, k = 3\ncoord x, y\n"
                             "kinetic m/2*x'^2\nkinetic m/2*y'^2\npotential k*x^2\n"
                             "potential k*y\ndissipation x'^2\nlet twice = 2*energy\n",
                             &random);
    const double m = here(&on, "m"), k = here(&on, "k");
    const double x = here(&on, "x"), dx = here(&on, "x'");
    const double y = here(&on, "y"), dy = here(&on, "y'");
    const double T = m / 2.0 * (dx * dx + dy * dy);
    const double V = k * x * x + k * y;
    expect(&on, "T", T);
    expect(&on, "V", V);
    expect(&on, "energy", T + V);
    expect(&on, "twice", 2.0 * (T + V));
    expect(&on, "V'", 2.0 * k * x * dx + k * dy);
    expect(&on, "T'", m * (dx * here(&on, "x''") + dy * here(&on, "y''")));

    // a Lagrangian has the energy v dL/dv - L; part of the motion may be given by T and V beside it
    const subject given = begin("param m = 2, B = 3, k = 1\ncoord x, y, z\nkinetic z'^2/2\n"
                                "potential k*z\n"
                                "lagrangian m/2*(x'^2 + y'^2) + B*(x*y' - y*x') - k*x^2*y^2\n",
                                &random);
    const double X = here(&given, "x"), Y = here(&given, "y"), dz = here(&given, "z'");
    const double free =
        here(&given, "m") / 2.0 * (pow(here(&given, "x'"), 2.0) + pow(here(&given, "y'"), 2.0));
    expect(&given, "energy",
           dz * dz / 2.0 + here(&given, "k") * here(&given, "z") + free +
               here(&given, "k") * X * X * Y * Y);

    // the names give way to the user's own, with a note
    rh_model *own = make("param V = 2\ncoord x\nkinetic x'^2/2\npotential V*x\nobserve e = V\n");
    assert_true(has_remark(own, "N100"));
    assert_shown(own, own->observes.data[0].value, "V");
    rh_model_destroy(own);
    refuse("coord x\nkinetic x'^2/2\npotential x^2 + T\n", "E104");
}

// --- sums ----------------------------------------------------------------------------------------

static void sums_run_over_indices(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const char *const text = "param N = 4, c = 2\ncoord x[1..N], y[-1..1]\n";
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(text, &random);
        double x[5], plain = 0.0, powers = 0.0, pairs = 0.0, nested = 0.0;
        for (int i = 1; i <= 4; i++) {
            x[i] = at_member(&on.where, "x", i, "");
            plain += here(&on, "c") * x[i] * x[i];
            powers += pow(x[i], i) / i;
        }
        for (int i = 1; i <= 4; i++) {
            for (int j = i + 1; j <= 4; j++) {
                pairs += (x[i] - x[j]) * (x[i] - x[j]) / (i + j);
            }
            for (int j = 1; j <= i; j++) {
                nested += i * x[j];
            }
        }
        expect(&on, "sum(i in 1..N: c*x[i]^2)", plain);
        expect(&on, "sum(i in 1..N: x[i]^i/i)", powers);
        expect(&on, "sum(i in 1..N: sum(j in i+1..N: (x[i] - x[j])^2/(i + j)))", pairs);
        expect(&on, "sum(i in 1..N: i*sum(j in 1..i: x[j]))", nested);
        expect(&on, "sum(i in N+1..N: x[i])", 0.0);
        expect(&on, "x[1] + sum(i in 3..1: x[i]/0)", x[1]);
        expect(&on, "sum(i in 2..2: x[i])", x[2]);
        expect(&on, "sum(i in -1..1: i*y[i])", here(&on, "y[1]") - here(&on, "y[-1]"));
        expect(&on, "sum(i in 1..N: if(i == 2, x[i], 0))", x[2]);
        expect(&on, "sum(i in 1..N: if(i < N, x[i+1], x[1]))", x[1] + x[2] + x[3] + x[4]);
        expect_vector(&on, "sum(i in 1..2: [x[i], i, x[i+1]])", x[1] + x[2], 3.0, x[2] + x[3]);
        expect_vector(&on, "[c, 1] + sum(i in 2..1: [x[i], x[i]])", here(&on, "c"), 1.0);
    }
    const subject on = begin(text, &random);
    assert_true(is_exactly(&on, "sum(i in 1..100: i^2)", 338350, 1));
    assert_true(is_exactly(&on, "sum(i in 1..10: 1/i)", 7381, 2520));
    assert_true(is_identical(&on, "sum(i in 1..3: i*x[i])", "x[1] + 2*x[2] + 3*x[3]"));
    refuse("coord x[1..3]\nkinetic sum(i in 1..4: x[i]'^2)\n", "E102");
}

static double side(double value)
{
    return (double)((value > 0) - (value < 0));
}

// What was written before as a multiple is read as the same surface: all values stay.
static void multiples_of_surfaces_compare_as_written(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < 8 * ROUNDS; round++) {
        const subject on = begin(SCALARS, &random);
        const double u = here(&on, "x") - 0.5;
        const double p = here(&on, "a") - here(&on, "b"); // of either sign
        const double q = here(&on, "c") - 1.0;
        expect(&on, "sign((a - b)*(2*x - 1)) + 10*sign((c - 1)*(x - 1/2)) + 100*sign(1 - 2*x)",
               side(p * u) + 10 * side(q * u) - 100 * side(u));
        expect(&on, "sign((a - b)*(x - 1/2)) + 10*if((c - 1)*(1 - 2*x) < 0, 1, 0)",
               side(p * u) + 10 * (q * u > 0));
        expect(&on, "if((a - b)*x < (a - b)/2, 1, 0) + 10*if((c - 1)*(2*x - 1)^3 <= 0, 1, 0)",
               (p * u < 0) + 10 * (q * u <= 0));
        expect(&on,
               "if(3*x <= 3/2, 1, 0) + 10*if(x*y > y/2, 1, 0) + 100*if(-x*(1 + z^2) < 0, 1, 0)",
               (u <= 0) + 10 * (u > 0) + 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_written),
        cmocka_unit_test(functions_are_those_of_the_c_library),
        cmocka_unit_test(conditions_choose),
        cmocka_unit_test(multiples_of_surfaces_compare_as_written),
        cmocka_unit_test(literals_are_exact),
        cmocka_unit_test(primes_are_total_derivatives),
        cmocka_unit_test(a_prime_binds_tightest),
        cmocka_unit_test(functions_of_the_user),
        cmocka_unit_test(energies_have_names),
        cmocka_unit_test(sums_run_over_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
