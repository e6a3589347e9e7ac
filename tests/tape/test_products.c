// SPDX-License-Identifier: Apache-2.0
// Long products: sums of products of 2 to 40 cosines are translated in time that grows with their
// length, and keep their value. Products longer than the pairs that are counted used to fill the
// table of pairs until a search in it found no end.

#include "support.h"

#include <math.h>
#include <stdio.h>

enum { TERMS = 12, MOST_TEXT = 1 << 16 };

static double expected(uint32_t factors, double x)
{
    double sum = 0.0;
    for (uint32_t j = 1; j <= TERMS; j++) {
        double product = 1.0;
        for (uint32_t k = 0; k < factors; k++) {
            product *= cos((factors * j + k) * x);
        }
        sum += product;
    }
    return sum;
}

static void write_model(uint32_t factors, double x, char text[MOST_TEXT])
{
    int size = snprintf(text, MOST_TEXT,
                        "model \"p\"\nstate x\nstart x = %.17g\nlaw x' = 1\nobserve f = ", x);
    for (uint32_t j = 1; j <= TERMS; j++) {
        for (uint32_t k = 0; k < factors; k++) {
            size += snprintf(text + size, (size_t)(MOST_TEXT - size), "%scos(%u*x)",
                             k > 0   ? "*"
                             : j > 1 ? " + "
                                     : "",
                             factors * j + k);
        }
    }
}

static double observed(const char *text)
{
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    const rh_equations_def derived = rh_equations_def_default();
    const rh_motion_def moved = rh_motion_def_default();
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    assert_int_equal(rh_equations_create(model, &derived, &equations, NULL), RH_OK);
    assert_int_equal(rh_motion_create(equations, &moved, &motion, NULL), RH_OK);
    double row[3];
    assert_int_equal(rh_motion_column_count(motion), 3);
    assert_int_equal(rh_motion_row(motion, 0.0, row, NULL), RH_OK);
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return row[2];
}

static void products_of_any_length_keep_their_value(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    support_random random = support_random_begin("products");
    for (uint32_t factors = 2; factors <= 40; factors++) {
        const double x = support_random_real(&random, -0.05, 0.05);
        write_model(factors, x, text);
        assert_near(observed(text), expected(factors, x), 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_any_length_keep_their_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
