// SPDX-License-Identifier: Apache-2.0
// Lists what a model names, checks its rates at the start, and balances it: main MODEL.rhe
// Build: cc main.c $(pkg-config --cflags --libs rheonom)

#include <rheonom/rheonom.h>

#include <stdio.h>
#include <stdlib.h>

static void check(rh_status status, const rh_error *err)
{
    if (status != RH_OK) {
        (void)fprintf(stderr, "%s\n", err->message);
        exit(1);
    }
}

static void list(const rh_system *system, rh_item_kind kind, const char *title)
{
    (void)printf("%s:", title);
    for (size_t k = 0; k < rh_system_count(system, kind); k++) {
        const rh_item item = rh_system_item(system, kind, k);
        (void)printf(" %s %s%s%g", item.name, item.type, item.type[0] != '\0' ? " " : "", item.value);
    }
    (void)printf("\n");
}

int main(int count, char **arguments)
{
    static char text[1 << 16];
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        return 2;
    }
    rh_error err = RH_ZERO;
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_system *system = NULL;
    rh_evaluator *evaluator = NULL;
    rh_motion *motion = NULL;
    rh_model_def model_def = rh_model_def_default();
    model_def.text = text;
    model_def.text_size = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    const rh_equations_def equations_def = rh_equations_def_default();
    const rh_system_def system_def = rh_system_def_default();
    rh_motion_def motion_def = rh_motion_def_default();
    motion_def.has_live_inputs = true;
    check(rh_model_create(&model_def, &model, &err), &err);
    check(rh_equations_create(model, &equations_def, &equations, &err), &err);
    check(rh_system_create(equations, &system_def, &system, &err), &err);
    check(rh_evaluator_create(system, &evaluator, &err), &err);
    check(rh_motion_create(equations, &motion_def, &motion, &err), &err);
    list(system, RH_ITEM_PARAMETER, "parameters");
    list(system, RH_ITEM_VARIABLE, "variables");

    double x[4], rates[4], mass[4], row[16]; // this example's model has two coordinates
    for (size_t k = 0; k < 4; k++) {
        x[k] = rh_system_item(system, RH_ITEM_VARIABLE, k).value;
    }
    check(rh_evaluator_run(evaluator, 0.0, x, NULL, &err), &err);
    rh_evaluator_rates(evaluator, rates);
    rh_evaluator_mass_matrix(evaluator, mass);
    (void)printf("mass matrix: %.6f %.6f %.6f\n", mass[0], mass[1], mass[3]);
    (void)printf("accelerations: %.6f %.6f\n", rates[2], rates[3]);
    for (int k = 0; k < 400; k++) { // a sample each hundredth of a second
        rh_stop stop = RH_STOP_NONE;
        check(rh_motion_row(motion, rh_motion_time(motion), row, &err), &err); // time, s, th, s', th'
        const double u = 2.0 * row[1] + 4.0 * row[3] + 40.0 * row[2] + 8.0 * row[4];
        check(rh_motion_set_input(motion, "u", u, &err), &err);
        check(rh_motion_advance(motion, (k + 1) * 0.01, &stop, &err), &err);
    }
    check(rh_motion_row(motion, rh_motion_time(motion), row, &err), &err);
    (void)printf("t = %g: s = %.6f, th = %.6f\n", row[0], row[1], row[2]);
    rh_motion_destroy(motion);
    rh_evaluator_destroy(evaluator);
    rh_system_destroy(system);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return 0;
}
