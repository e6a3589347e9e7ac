// SPDX-License-Identifier: Apache-2.0
// What the presolve is worth: the reduced rolling disc costs what the equations cost that a person
// writes (program-and-steady 8.1).

#include "derived.h"

// The reduced equations of the disc, as in the text books, with all kinematics.
static const char BY_HAND[] =
    "param m = 1, a = 0.5, g = 9.81, h = 0.1, A = m*a^2/4, C = m*a^2/2\n"
    "state th, psi, phi, x, y, w1, w2, w3\n"
    "let p = w3 + sin(th)*w2\n"
    "law th' = w1\nlaw psi' = w2\nlaw phi' = p\nlaw x' = a*cos(psi)*p\nlaw y' = a*sin(psi)*p\n"
    "law w1' = (m*g*a*sin(th) - A*sin(th)*cos(th)*w2^2 - (C + m*a^2)*w2*w3*cos(th) - h*w1)"
    "/(A + m*a^2)\n"
    "law w2' = w1*(2*A*w2*sin(th) + C*w3)/(A*cos(th))\n"
    "law w3' = m*a^2*w1*w2*cos(th)/(C + m*a^2)\n";

static rh_model *read_text(const char *text)
{
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    return model;
}

// Multiplications of one evaluation of all laws.
static uint64_t cost_by_hand(void)
{
    rh_model *model = read_text(BY_HAND);
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    rh_expr roots[16];
    rh_cost cost;
    for (uint32_t k = 0; k < model->laws.count; k++) {
        roots[k] = model->laws.data[k].value;
    }
    assert_true(rh__expr_cost(model->store, roots, model->laws.count, &arena, &cost));
    rh__arena_end(&arena);
    rh_model_destroy(model);
    return cost.multiplications + cost.divisions;
}

// Multiplications of the reduced form: matrix, right sides, kinematics, and the solution of its
// blocks (one division for a row alone, eight operations for a pair).
static uint64_t cost_reduced(const char *text)
{
    rh_model *model = read_text(text);
    const rh_equations_def def = rh_equations_def_default();
    rh_equations *equations = NULL;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX);
    rh_form form;
    rh_cost cost;
    rh_expr roots[64];
    uint32_t count = 0;
    assert_int_equal(rh_equations_create(model, &def, &equations, NULL), RH_OK);
    assert_int_equal(rh__form_create(equations, RH_FORM_REDUCED, &arena, &form, NULL), RH_OK);
    uint64_t solving = 0;
    for (uint32_t row = 0; row < form.matrix.rows; row++) {
        const uint32_t entries = form.matrix.begin[row + 1] - form.matrix.begin[row];
        solving += entries == 1 ? 1 : 4;
    }
    for (uint32_t k = 0; k < form.matrix.entries.count; k++) {
        roots[count++] = form.matrix.entries.data[k].value;
    }
    for (uint32_t k = 0; k < form.matrix.rows; k++) {
        roots[count++] = form.right[k];
    }
    for (uint32_t k = 0; k < form.velocities.count; k++) {
        roots[count++] = form.velocities.data[k].value;
    }
    assert_true(rh__expr_cost(equations->store, roots, count, &arena, &cost));
    rh_equations_destroy(equations);
    rh__arena_end(&arena);
    rh_model_destroy(model);
    return cost.multiplications + cost.divisions + solving;
}

static void the_reduced_disc_costs_what_a_person_writes(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("examples/rolling_disc/model.rhe", &size);
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    copy[size] = '\0';
    const uint64_t hand = cost_by_hand();
    const uint64_t reduced = cost_reduced(copy);
    print_message("multiplications: %llu by hand, %llu reduced\n", (unsigned long long)hand,
                  (unsigned long long)reduced);
    assert_true(reduced <= hand);
    free(copy);
    free(text);
}

static void without_quasi_velocities_at_most_twice_that(void **state)
{
    (void)state;
    static const char DISC[] =
        "param m = 1, a = 0.5, g = 9.81, h = 0.1, A = m*a^2/4, C = m*a^2/2\n"
        "coord theta, psi, phi, x, y\n"
        "let xc = x - a*sin(theta)*sin(psi)\nlet yc = y + a*sin(theta)*cos(psi)\n"
        "let zc = a*cos(theta)\n"
        "kinetic m/2*(xc'^2 + yc'^2 + zc'^2) + (A*theta'^2 + A*cos(theta)^2*psi'^2"
        " + C*(phi' - sin(theta)*psi')^2)/2\n"
        "potential m*g*zc\ndissipation h*theta'^2/2\n"
        "constraint roll_x: x' = a*cos(psi)*phi'\nconstraint roll_y: y' = a*sin(psi)*phi'\n";
    assert_true(cost_reduced(DISC) <= 2 * cost_by_hand());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reduced_disc_costs_what_a_person_writes),
        cmocka_unit_test(without_quasi_velocities_at_most_twice_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
