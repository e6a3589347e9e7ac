// SPDX-License-Identifier: Apache-2.0
// Random models with one-sided constraints: what must hold along every motion (jumble.h), and the
// same motions found in another way: by steps in time with projection of the velocities.

#include "jumble.h"

static void some_models(void **state)
{
    (void)state;
    support_random random = {.state = 71}; // always the same; slow_gates.c has new ones every day
    jumble_try_many(&random, 60);
}

// --- steps in time -------------------------------------------------------------------------------

static void invert(uint32_t n, double a[][JUMBLE_SIZE], double out[][JUMBLE_SIZE])
{
    double m[JUMBLE_SIZE][2 * JUMBLE_SIZE] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        m[i][n + i] = 1.0;
        for (uint32_t j = 0; j < n; j++) {
            m[i][j] = a[i][j];
        }
    }
    for (uint32_t k = 0; k < n; k++) { // positive definite: no pivots are needed
        for (uint32_t i = 0; i < n; i++) {
            const double factor = i == k ? 0.0 : m[i][k] / m[k][k];
            for (uint32_t j = 0; j < 2 * n; j++) {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    for (uint32_t k = 0; k < n * n; k++) {
        out[k / n][k % n] = m[k / n][n + k % n] / m[k / n][k / n];
    }
}

static double dot(uint32_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// The velocities nearest to v in the metric of T that all constraints allow, by relaxation.
static void project(const jumble *of, double push[][JUMBLE_SIZE], double *v)
{
    double lambda[JUMBLE_GATES] = {0};
    double moved = 1.0;
    for (int round = 0; round < 2000 && moved > 1e-14; round++) {
        moved = 0.0;
        for (uint32_t k = 0; k < of->gates; k++) {
            const double *normal = of->normal[k];
            const double slack = dot(of->n, normal, v) + of->reserve[k];
            const double next = fmax(0.0, lambda[k] - slack / dot(of->n, normal, push[k]));
            for (uint32_t i = 0; i < of->n; i++) {
                v[i] += push[k][i] * (next - lambda[k]);
            }
            moved = fmax(moved, fabs(next - lambda[k]));
            lambda[k] = next;
        }
    }
}

// Euler steps of length h, each followed by the projection: no events, no modes.
static void step_in_time(jumble *of, double t_end, uint32_t steps, double *v)
{
    double inverse[JUMBLE_SIZE][JUMBLE_SIZE];
    double push[JUMBLE_GATES][JUMBLE_SIZE];
    const double h = t_end / steps;
    invert(of->n, of->inertia, inverse);
    for (uint32_t k = 0; k < of->gates * of->n; k++) {
        push[k / of->n][k % of->n] = dot(of->n, inverse[k % of->n], of->normal[k / of->n]);
    }
    for (uint32_t i = 0; i < of->n; i++) {
        v[i] = of->v[i];
    }
    for (uint32_t step = 0; step < steps; step++) {
        double force[JUMBLE_SIZE];
        const double t = (step + 0.5) * h;
        for (uint32_t i = 0; i < of->n; i++) {
            const double *f = of->force[i];
            force[i] = f[0] * sin(f[1] * t + f[2]) - f[3] * v[i];
        }
        for (uint32_t i = 0; i < of->n; i++) {
            v[i] += h * dot(of->n, inverse[i], force);
        }
        project(of, push, v);
    }
}

static void by_steps_in_time(void **state)
{
    (void)state;
    support_random random = support_random_begin("by_steps_in_time");
    static jumble of;
    for (int trial = 0; trial < 20; trial++) {
        double v[JUMBLE_SIZE];
        jumble_make(&of, &random, true);
        moving it = moving_begin(of.text, NULL);
        moving_reach(&it, 4.0);
        step_in_time(&of, 4.0, 1000, v);
        const double coarse = jumble_miss(&it, &of, v);
        step_in_time(&of, 4.0, 8000, v);
        const double fine = jumble_miss(&it, &of, v);
        moving_end(&it);
        if (!(fine < 0.01 && fine < 1e-9 + coarse / 2.0 + 1e-4)) {
            jumble_print(&of);
            fail_msg("steps in time miss it by %.3g and %.3g", coarse, fine);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_models),
        cmocka_unit_test(by_steps_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
