// SPDX-License-Identifier: Apache-2.0
// The tangent part of `construct`: the generalised cross product by minors and by reflections,
// against determinants; S w = 0 and |w|^2 = det(S S^T).

#include "support.h"

#include "equations/equations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 14 };

typedef struct frame {
    uint32_t n, m; // coordinates, constraints
    double s[MOST][MOST];
    double q[MOST];
    char text[20000];
} frame;

static double draw(support_random *random)
{
    return round(1000.0 * support_random_real(random, -1.0, 1.0)) / 1000.0;
}

// Rows 2 q_k grad: constraint k is sum of a_kj q_j + q_k^2/2, so that its row moves.
static void make(frame *it, support_random *random, uint32_t n, bool is_sparse)
{
    it->n = n;
    it->m = 1 + support_random_below(random, n - 1);
    size_t size = 0;
#define PUT(...) size += (size_t)snprintf(it->text + size, sizeof it->text - size, __VA_ARGS__)
    PUT("coord q[1..%u]\n", n);
    for (uint32_t j = 0; j < n; j++) {
        it->q[j] = draw(random);
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            const bool is_zero = is_sparse && i != j && support_random_below(random, 3) > 0;
            it->s[i][j] = is_zero ? 0.0 : draw(random);
        }
    }
    for (uint32_t i = 0; i < it->m; i++) {
        PUT("constraint g%u: q[%u]^2/2", i, i + 1);
        for (uint32_t j = 0; j < n; j++) {
            PUT(" + (%.3f)*q[%u]", it->s[i][j], j + 1);
        }
        PUT(" = 0 with g%u'' = -g%u - 2*g%u'\n", i, i, i);
        it->s[i][i] += it->q[i];
    }
    PUT("construct tangent 1 + q[1]'");
    for (uint32_t i = it->m; i + 1 < n; i++) {
        PUT("%s[", i == it->m ? " with " : ", ");
        for (uint32_t j = 0; j < n; j++) {
            PUT("%s%.3f", j > 0 ? ", " : "", it->s[i][j]);
        }
        PUT("]");
    }
    PUT("\n");
    for (uint32_t j = 0; j < n; j++) {
        PUT("start q[%u] = %.3f, q[%u]' = 0\n", j + 1, it->q[j], j + 1);
    }
#undef PUT
    assert_true(size < sizeof it->text);
}

// The determinant of S with the unit row `unit` above it.
static double cofactor(const frame *it, uint32_t unit)
{
    long double a[MOST][MOST] = {{0.0L}};
    const uint32_t n = it->n;
    long double value = 1.0L;
    a[0][unit] = 1.0L;
    for (uint32_t i = 1; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            a[i][j] = it->s[i - 1][j];
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++) {
            best = fabsl(a[i][k]) > fabsl(a[best][k]) ? i : best;
        }
        if (a[best][k] == 0.0L) {
            return 0.0;
        }
        for (uint32_t j = 0; best != k && j < n; j++) {
            const long double other = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = other;
        }
        value *= best != k ? -a[k][k] : a[k][k];
        for (uint32_t i = k + 1; i < n; i++) {
            const long double factor = a[i][k] / a[k][k];
            for (uint32_t j = k; j < n; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    return (double)value;
}

static void compare(const frame *it)
{
    rh_error err;
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_model_def def = rh_model_def_default();
    def.text = it->text;
    def.text_size = strlen(it->text);
    assert_int_equal(rh_model_create(&def, &model, &err), RH_OK);
    const rh_equations_def derive = rh_equations_def_default();
    assert_int_equal(rh_equations_create(model, &derive, &equations, &err), RH_OK);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), (size_t)1 << 30);
    rh_layout layout;
    rh_point point;
    double w[MOST];
    double expected[MOST];
    double size = 0.0;
    assert_int_equal(rh__layout_create(equations, &arena, &layout), RH_OK);
    assert_int_equal(rh__point_create(&layout, &arena, &point), RH_OK);
    assert_int_equal(rh__start_draft(equations, &arena, &point), RH_OK);
    assert_int_equal(rh__point_evaluate(&point, equations->force, it->n, &arena, w), RH_OK);
    for (uint32_t i = 0; i < it->n; i++) {
        expected[i] = cofactor(it, i);
        size = fmax(size, fabs(expected[i]));
    }
    for (uint32_t i = 0; i < it->n; i++) {
        assert_near_by(w[i], expected[i], 0.0, 1e-11 * size);
    }
    for (uint32_t i = 0; i + 1 < it->n; i++) {
        double dot = 0.0;
        for (uint32_t j = 0; j < it->n; j++) {
            dot += it->s[i][j] * w[j];
        }
        assert_near_by(dot, 0.0, 0.0, 1e-11 * (size + 1e-3));
    }
    rh__arena_end(&arena);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
}

static void the_product_is_made_of_determinants(void **state)
{
    (void)state;
    support_random random = support_random_begin("tangent");
    frame *it = calloc(1, sizeof *it);
    assert_non_null(it);
    for (uint32_t n = 2; n <= MOST; n++) {
        for (uint32_t k = 0; k < (n <= 8 ? 12u : 3u); k++) {
            make(it, &random, n, k % 2 == 1);
            compare(it);
        }
    }
    free(it);
}

// In the plane w = (G_2, -G_1), in space the cross product: reference facts of the theory.
static void small_cases_are_known(void **state)
{
    (void)state;
    frame *it = calloc(1, sizeof *it);
    assert_non_null(it);
    it->n = 3;
    it->m = 1;
    it->s[0][0] = 2.0;
    it->s[0][1] = 3.0;
    it->s[0][2] = 5.0;
    it->s[1][2] = 1.0;
    assert_near(cofactor(it, 0), 3.0, 1e-15); // G x e_z = (G_y, -G_x, 0)
    assert_near(cofactor(it, 1), -2.0, 1e-15);
    assert_near(cofactor(it, 2), 0.0, 1e-15);
    free(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_made_of_determinants),
        cmocka_unit_test(small_cases_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
