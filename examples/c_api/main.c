// SPDX-License-Identifier: Apache-2.0
// Reads a model, runs it for two seconds and prints a few columns: main MODEL.rhe
// Build: cc main.c $(pkg-config --cflags --libs rheonom)

#include <rheonom/rheonom.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 5 };

static int fail(const rh_error *err)
{
    (void)fprintf(stderr, "%s\n", err->message);
    return 1;
}

// The first columns at equally spaced times. Rows can be asked for within the last step.
static rh_status print_motion(rh_motion *motion, double until, rh_error *err)
{
    const size_t width = rh_motion_column_count(motion);
    double *row = calloc(width, sizeof *row);
    rh_stop stop = RH_STOP_NONE;
    rh_status status = row != NULL ? RH_OK : RH_E_MEMORY;
    for (int k = 0; status == RH_OK && k < ROWS; k++) {
        const double time = until * k / (ROWS - 1);
        status = rh_motion_advance(motion, time, &stop, err);
        if (status != RH_OK || stop != RH_STOP_REACHED) {
            (void)printf("stopped at %g: %s\n", rh_motion_time(motion), rh_motion_reason(motion));
            break;
        }
        status = rh_motion_row(motion, time, row, err);
        for (size_t column = 0; status == RH_OK && column < width && column < 4; column++) {
            (void)printf("%s%s = %.6f", column > 0 ? "  " : "",
                         rh_motion_column_name(motion, column), row[column]);
        }
        (void)printf("\n");
    }
    free(row);
    return status;
}

int main(int count, char **arguments)
{
    static char text[1 << 16];
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        (void)fprintf(stderr, "usage: main MODEL.rhe\n");
        return 2;
    }
    rh_error err = RH_ZERO;
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    rh_model_def model_def = rh_model_def_default();
    model_def.text = text;
    model_def.text_size = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    const rh_equations_def equations_def = rh_equations_def_default();
    const rh_motion_def motion_def = rh_motion_def_default();
    rh_status status = rh_model_create(&model_def, &model, &err);
    if (status == RH_OK) {
        status = rh_equations_create(model, &equations_def, &equations, &err);
    }
    if (status == RH_OK) {
        status = rh_motion_create(equations, &motion_def, &motion, &err);
    }
    if (status == RH_OK) {
        status = print_motion(motion, 2.0, &err);
    }
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return status == RH_OK ? 0 : fail(&err);
}
