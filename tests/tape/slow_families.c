// SPDX-License-Identifier: Apache-2.0
// Emitted texts of families: chains, trees, several families in one model, members that break them,
// rows that may be released. In loops every form of statement appears: eight at a time, carried
// from one to the next, by tables.

#define _POSIX_C_SOURCE 200809L

#include "trial.h"

enum { ORDER = 9, LENGTH = 1 << 16 }; // of texts

#define CONDITION 10.0 // solutions for long chains are no more exact, whoever computes them

static void check_text(const char *name, const char *text, int released)
{
    const system_def def = {
        .from = {.path = name, .text = text}, .order = ORDER, .released = released, .forced = NAN};
    (void)check_system(&def, true, CONDITION * NEAR);
}

static void chains_are_emitted(void **unused)
{
    (void)unused;
    static const char CHAIN[] =
        "param N = 43, l = 1, m = 1\ncoord x[1..N], y[1..N]\n"
        "kinetic sum(i in 1..N: m*(x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: m*9.81*y[i])\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
        "for i in 1..N: start x[i] = i*l*sin(0.4), y[i] = -i*l*cos(0.4), x[i]' = 0, y[i]' = 0\n";
    check_text("chain", CHAIN, -1);
}

// Two chains with other forces, and pendulums without constraints between them.
static void several_families_are_emitted(void **unused)
{
    (void)unused;
    static const char SEVERAL[] =
        "param N = 17, M = 35, l = 1, k = 3/4\n"
        "coord x[1..N], y[1..N], u[1..M], w[1..M], a[1..40]\n"
        "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/(2*i)) + sum(i in 1..M: u[i]'^2 + w[i]'^2)/3 "
        "+\n"
        "    sum(i in 1..40: a[i]'^2/2)\n"
        "potential sum(i in 1..N: 9.81*y[i]) + sum(i in 1..M: k*exp(w[i]/4)) + sum(i in 1..M-1:\n"
        "    sqrt(2 + u[i]*u[i+1])) - sum(i in 1..40: cos(a[i]))\n"
        "constraint one[1]: x[1]^2 + y[1]^2 = l^2\n"
        "for i in 2..N: constraint one[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
        "constraint two[1]: (u[1] - 3)^2 + w[1]^2 = 1/4\n"
        "for i in 2..M: constraint two[i]: (u[i] - u[i-1])^2 + (w[i] - w[i-1])^2 = 1/4\n"
        "for i in 1..N: start x[i] = i*l*sin(0.4), y[i] = -i*l*cos(0.4), x[i]' = 0, y[i]' = 0\n"
        "for i in 1..M: start u[i] = 3 + i/2*sin(0.3), w[i] = -i/2*cos(0.3), u[i]' = 0, w[i]' = 0\n"
        "for i in 1..40: start a[i] = i/7, a[i]' = 1/i\n";
    check_text("several families", SEVERAL, -1);
}

// The last body is another one, hangs on a spring besides, and may move to one side only.
static void broken_families_are_emitted(void **unused)
{
    (void)unused;
    static const char BROKEN[] =
        "param N = 21, l = 1, m = 1\ncoord x[1..N], y[1..N], q\n"
        "kinetic sum(i in 1..N: m*(x[i]'^2 + y[i]'^2)/2) + q'^2/2 + x[N]'*q'/9\n"
        "potential sum(i in 1..N: m*9.81*y[i]) + (q - x[N])^2*y[N]/2 + q^4/4\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
        "constraint wall: -x[N]' >= 0\n"
        "for i in 1..N: start x[i] = i*l*sin(0.4), y[i] = -i*l*cos(0.4), x[i]' = 0, y[i]' = 0\n"
        "start q = 0.3, q' = 0.1\n";
    check_text("broken family, held", BROKEN, -1);
    check_text("broken family, released", BROKEN, 0);
}

// Masses on rods, each on one of those before it: nothing repeats, so there are tables.
static void trees_are_emitted(void **unused)
{
    (void)unused;
    enum { NODES = 150 }; // so many that the elimination has tables too
    support_random random = support_random_begin("trees");
    double x[NODES];
    double y[NODES];
    char *text = malloc(LENGTH);
    assert_non_null(text);
    int at = snprintf(text, LENGTH,
                      "coord x[1..%d], y[1..%d]\nkinetic sum(i in 1..%d: (x[i]'^2 + y[i]'^2)/2)\n"
                      "potential sum(i in 1..%d: 9.81*y[i])\n",
                      NODES, NODES, NODES, NODES);
    for (int k = 0; k < NODES; k++) {
        const int from = k == 0 ? -1 : (int)support_random_real(&random, k / 3.0, k);
        const double dx = support_random_real(&random, -1.0, 1.0);
        const double dy = support_random_real(&random, -1.0, -0.2);
        x[k] = (from < 0 ? 0.0 : x[from]) + dx;
        y[k] = (from < 0 ? 0.0 : y[from]) + dy;
        at += from < 0 ? snprintf(text + at, LENGTH - (size_t)at,
                                  "constraint r0: x[1]^2 + y[1]^2 = %.17g\n", dx * dx + dy * dy)
                       : snprintf(text + at, LENGTH - (size_t)at,
                                  "constraint r%d: (x[%d] - x[%d])^2 + (y[%d] - y[%d])^2 = %.17g\n",
                                  k, k + 1, from + 1, k + 1, from + 1, dx * dx + dy * dy);
        at += snprintf(text + at, LENGTH - (size_t)at,
                       "start x[%d] = %.17g, y[%d] = %.17g, x[%d]' = 0, y[%d]' = 0\n", k + 1, x[k],
                       k + 1, y[k], k + 1, k + 1);
        assert_true(at < LENGTH);
    }
    check_text("tree", text, -1);
    free(text);
}

// Functions of one member and of neighbours, over families of lengths at which chunks and groups of
// them end.
static void random_families_are_emitted(void **unused)
{
    (void)unused;
    static const char *const TERMS[] = {
        "%s^4/40",       "exp(-%s/3)",     "sin(%s)",      "atan(%s)",   "%s*tanh(%s)",
        "log(3 + %s^2)", "sqrt(2 + %s^2)", "1/(3 + %s^2)", "cos(%s)*%s", "(2 + %s^2)^1.3/5"};
    static const char *const FACTORS[] = {"a[i]", "(a[i] - a[i-1])", "(a[i]*b)", "(a[i]*a[i-1]/3)"};
    static const unsigned LENGTHS[] = {8, 9, 15, 16, 17, 31, 32, 33, 35, 39, 40, 41, 63, 65, 71};
    support_random random = support_random_begin("random_families_are_emitted");
    for (int round = 0; round < 10; round++) {
        char text[2048];
        char potential[1024] = "b^2/2";
        for (int k = 0; k < 3; k++) {
            const char *term = TERMS[support_random_below(&random, 10)];
            const char *factor = FACTORS[support_random_below(&random, 4)];
            const size_t size = strlen(potential);
            char made[256];
            (void)snprintf(made, sizeof made, term, factor, factor);
            (void)snprintf(potential + size, sizeof potential - size, " + sum(i in 2..N: %s)",
                           made);
        }
        (void)snprintf(text, sizeof text,
                       "param N = %u\ncoord a[1..N], b\n"
                       "kinetic b'^2/2 + sum(i in 1..N: a[i]'^2*(1 + %s)/2)\npotential %s\n"
                       "for i in 1..N: start a[i] = sin(i)/3, a[i]' = cos(i)/5\n"
                       "start b = 1/2, b' = 1/4\n",
                       LENGTHS[support_random_below(&random, 15)],
                       support_random_below(&random, 2) == 0 ? "i/N" : "a[i]^2/9", potential);
        check_text("random family", text, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_families_are_emitted),
        cmocka_unit_test(chains_are_emitted),
        cmocka_unit_test(several_families_are_emitted),
        cmocka_unit_test(broken_families_are_emitted),
        cmocka_unit_test(trees_are_emitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
