// SPDX-License-Identifier: Apache-2.0
// Property tests of src/tape/ladder.c: texts that leave out the coefficients of positions and
// velocities give the same bits as those that keep them, whoever else reads these: sums, right
// sides, operations before and after the accelerations of an order, tables, lone members of a
// family. check_system compares all of it.

#define _POSIX_C_SOURCE 200809L

#include "trial.h"

enum { ORDER = 11 };

#define POINTS "param N = 20\ncoord x[1..N], y[1..N]\n"
#define KINETIC "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\n"
#define STARTS                                                                                     \
    "for i in 1..N: start x[i] = i*sin(0.4), y[i] = -i*cos(0.4), x[i]' = 1/5, y[i]' = -1/7\n"
#define RODS                                                                                       \
    "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"                                                     \
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"

static void check(const char *name, const char *text, bool has_ladders)
{
    const system_def def = {
        .from = {.path = name, .text = text}, .order = ORDER, .released = -1, .forced = NAN};
    assert_true((check_system(&def, true, 1e-10) > 0) == has_ladders);
}

static void of_rods(void **unused)
{
    (void)unused;
    check("rods", POINTS KINETIC "potential sum(i in 1..N: 9.81*y[i])\n" RODS STARTS, true);
    // velocities on the right sides
    check("rods in air",
          POINTS KINETIC "potential sum(i in 1..N: 9.81*y[i])\n"
                         "dissipation sum(i in 1..N: 0.3*(x[i]'^2 + y[i]'^2)/2)\n" RODS STARTS,
          true);
    // and in sums: one of them alone, and all of them
    check("rods in a stream",
          POINTS KINETIC "for i in 1..N: force x[i]: -x[i]'*y[i]'/5 - sin(y[i])\n"
                         "force y[3]: x[3]^3 - y[7]*x[9]'\n" RODS STARTS,
          true);
}

static void of_springs(void **unused)
{
    (void)unused;
    check("springs",
          POINTS KINETIC "potential sum(i in 2..N: (x[i] - x[i-1] - 1/3)^2 + (y[i] - y[i-1])^4)\n"
                         "dissipation sum(i in 2..N: (x[i]' - x[i-1]')^2/7)\n" STARTS,
          true);
    // positions and velocities in one operation
    check("oscillators",
          POINTS KINETIC "for i in 1..N: force x[i]: -3*x[i] - x[i]'/2 + y[i]\n"
                         "for i in 1..N: force y[i]: -y[i]'\n" STARTS,
          true);
    // neighbours that a table has to tell
    check("springs across",
          POINTS KINETIC "for i in 1..N/2: force x[i]: 3*x[N + 1 - i] - y[i]'\n"
                         "for i in 1..N/2: force y[2*i]: x[i] - y[2*i - 1]'/2 + cos(x[i])\n" STARTS,
          true);
}

// What changes by states is a ladder only at its last two steps.
static void of_higher_order(void **unused)
{
    (void)unused;
    check("jerks",
          "param N = 12\nstate a[1..N], b[1..N], c[1..N]\n"
          "for i in 1..N: law a[i]' = b[i]\nfor i in 1..N: law b[i]' = c[i]\n"
          "for i in 1..N: law c[i]' = -a[i]*b[i] - c[i]/2 + 1/i\n"
          "for i in 1..N: start a[i] = 1/i, b[i] = 0.3, c[i] = -0.2*i\n",
          true);
    // whose rates nobody reads but the states above them
    check("smooth jerks",
          "param N = 12\nstate a[1..N], b[1..N], c[1..N]\n"
          "for i in 1..N: law a[i]' = b[i]\nfor i in 1..N: law b[i]' = c[i]\n"
          "for i in 1..N: law c[i]' = sin(a[i]) + 1/i\n"
          "for i in 1..N: start a[i] = 1/i, b[i] = 0.3, c[i] = -0.2*i\n",
          true);
    // operands that run from the one into the other
    check("across",
          "param N = 20\nstate a[1..2*N], z[1..N]\n"
          "for i in 1..N: law a[i]' = a[i + N]\nfor i in 1..N: law a[i + N]' = -sin(z[i])\n"
          "for i in 1..N: law z[i]' = a[i + 10] - z[i]\n"
          "for i in 1..2*N: start a[i] = 1/i\nfor i in 1..N: start z[i] = 0.1*i\n",
          true);
    // two that change by the same
    check("twins",
          "param N = 12\nstate a[1..N], b[1..N], c[1..N]\n"
          "for i in 1..N: law a[i]' = c[i]\nfor i in 1..N: law b[i]' = c[i]\n"
          "for i in 1..N: law c[i]' = cos(a[i] + 2*b[i])\n"
          "for i in 1..N: start a[i] = 1/i, b[i] = 0.3, c[i] = -0.2*i\n",
          true);
    check("decays",
          "param N = 12\nstate a[1..N]\nfor i in 1..N: law a[i]' = -a[i]*i/5\n"
          "for i in 1..N: start a[i] = 1/i\n",
          false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_rods),
        cmocka_unit_test(of_springs),
        cmocka_unit_test(of_higher_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
