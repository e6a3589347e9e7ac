// SPDX-License-Identifier: Apache-2.0
// Orbits that are closed in pieces, and eigenvalues of products of matrices.

#include "orbiting.h"

#include "orbit/orbit.h"

enum { N = 5, LEGS = 12 };

#define PERIOD 24.462369831493963497
#define LARGEST 1934963704.0664

// Gauss-Jordan with pivots in order; the matrices are the identity plus something small.
static void invert(const double *a, double *out)
{
    double work[N][2 * N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            work[i][j] = a[j * N + i];
            work[i][N + j] = i == j ? 1.0 : 0.0;
        }
    }
    for (int p = 0; p < N; p++) {
        const double pivot = work[p][p];
        for (int j = 0; j < 2 * N; j++) {
            work[p][j] /= pivot;
        }
        for (int i = 0; i < N; i++) {
            const double factor = work[i][p];
            for (int j = 0; i != p && j < 2 * N; j++) {
                work[i][j] -= factor * work[p][j];
            }
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            out[j * N + i] = work[i][N + j];
        }
    }
}

static void multiply(const double *a, const double *b, double *out)
{
    for (int c = 0; c < N; c++) {
        for (int i = 0; i < N; i++) {
            out[c * N + i] = 0.0;
            for (int j = 0; j < N; j++) {
                out[c * N + i] += a[j * N + i] * b[c * N + j];
            }
        }
    }
}

// P_k = B_(k+1) D_k B_k^-1 with random B: the product has the eigenvalues of that of all D_k. They
// go over twenty powers of ten, and two of them are a pair.
static void eigenvalues_of_products(void **state)
{
    (void)state;
    support_random random = support_random_begin("eigenvalues_of_products");
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    for (int round = 0; round < 20; round++) {
        double bases[LEGS][N * N];
        double maps[LEGS * N * N];
        double real[N];
        double imaginary[N];
        const double growth[3] = {8.0, -1.0, 0.15};
        const double angle = support_random_real(&random, 0.1, 0.2);
        const double radius = 0.8;
        for (int k = 0; k < LEGS; k++) {
            for (int i = 0; i < N * N; i++) {
                bases[k][i] =
                    (i % (N + 1) == 0 ? 1.0 : 0.0) + support_random_real(&random, -0.1, 0.1);
            }
        }
        for (int k = 0; k < LEGS; k++) {
            double inverse[N * N];
            double part[N * N];
            double middle[N * N] = {0.0};
            for (int i = 0; i < 3; i++) {
                middle[i * N + i] = i == 1 && k > 0 ? 1.0 : growth[i];
            }
            middle[3 * N + 3] = middle[4 * N + 4] = radius * cos(angle);
            middle[3 * N + 4] = radius * sin(angle);
            middle[4 * N + 3] = -radius * sin(angle);
            invert(bases[k], inverse);
            multiply(middle, inverse, part);
            multiply(bases[(k + 1) % LEGS], part, maps + (size_t)k * N * N);
        }
        assert_int_equal(rh__cycle_eigen(&arena, N, LEGS, maps, real, imaginary), RH_OK);
        const double size = pow(radius, LEGS);
        assert_near(real[0] / pow(8.0, LEGS), 1.0, 1e-12);
        assert_near(real[1], -1.0, 1e-11);
        assert_near(real[2], size * cos(LEGS * angle), 1e-11);
        assert_near(fabs(imaginary[2]), fabs(size * sin(LEGS * angle)), 1e-11);
        assert_near(imaginary[3], -imaginary[2], 1e-13);
        assert_near(real[4] / pow(0.15, LEGS), 1.0, 1e-9);
        assert_near(imaginary[0], 0.0, 0.0);
    }
    rh__arena_end(&arena);
}

static const char LORENZ[] = "param s = 10, b = 8/3, r = 28\nstate x, y, z\nlaw x' = s*(y - x)\n"
                             "law y' = r*x - y - x*z\nlaw z' = x*y - b*z\n"
                             "start x = -12.5059, y = -16.9358, z = 26.7725\n";

// Neighbours part by 2e9 in a period: from a start of six digits. The reference is Newton's method
// with Taylor series of order 44 in 50 digits.
static void lorenz_in_pieces(void **state)
{
    (void)state;
    rh_orbit_def def = rh_orbit_def_default();
    def.period = 19.722;
    orbiting it = orbiting_find(LORENZ, NULL, &def);
    const rh_orbit_summary summary = rh_orbit_summarise(it.orbit);
    assert_true(summary.piece_count > 5);
    assert_true(summary.residual < 1e-12 && !summary.is_stable);
    assert_near(summary.period, PERIOD, 1e-12);
    assert_near(rh_orbit_multiplier(it.orbit, 0).real / LARGEST, 1.0, 1e-9);
    assert_near(rh_orbit_multiplier(it.orbit, 1).real, 1.0, 1e-11);
    assert_true(rh_orbit_multiplier(it.orbit, 1).is_trivial);
    assert_true(fabs(rh_orbit_multiplier(it.orbit, 2).real) < 1e-100);
    assert_int_equal(summary.trivial_count, 1);
    assert_int_equal(summary.integral_count, 0);
    // it is found, and not followed
    rh_branch *branch = NULL;
    rh_branch_point point;
    bool is_there = false;
    orbiting_end(&it);
    const orbiting_conditions with = {.set = {"r=28"}, .set_count = 1};
    it = orbiting_find(LORENZ, &with, &def);
    rh_branch_def follow = rh_branch_def_default();
    follow.set_count = 1;
    follow.from = 28.0;
    follow.to = 29.0;
    assert_int_equal(rh_branch_create(it.orbit, &follow, &branch, &it.err), RH_OK);
    assert_int_equal(rh_branch_step(branch, &point, &is_there, &it.err), RH_OK);
    assert_true(is_there && point.parameter == 28.0);
    assert_int_equal(rh_branch_step(branch, &point, &is_there, &it.err), RH_OK);
    assert_false(is_there);
    assert_non_null(strstr(rh_branch_reason(branch), "closed in pieces"));
    rh_branch_destroy(branch);
    orbiting_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues_of_products),
        cmocka_unit_test(lorenz_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
