// SPDX-License-Identifier: Apache-2.0
// Branches of orbits as a table: one row a point.

#include "output/output.h"

#include "orbit/orbit.h"

#include "output/csv.h"
#include "output/digits.h"

#include <math.h>

static void put_number(rh_text *out, double value)
{
    char digits[RH_DIGITS_SIZE];
    rh__text_put_char(out, ',');
    if (isfinite(value)) {
        (void)rh__digits_print(value, digits);
        rh__text_put(out, digits);
    }
}

static rh_arena begin(const rh_orbit *orbit)
{
    const rh_model *model = orbit->motion->equations->model;
    return rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
}

rh_status rh_output_branch_head(const rh_orbit *orbit, const char *parameter, rh_sink sink,
                                rh_error *err)
{
    RH_REQUIRE(orbit != NULL && parameter != NULL && sink.write != NULL, err);
    rh_arena arena = begin(orbit);
    rh_text out = rh__text_begin(&arena, &sink);
    rh__csv_put(&out, parameter);
    rh__text_put(&out, ",period");
    for (size_t k = 0; k < rh_orbit_variable_count(orbit); k++) {
        rh__text_put_char(&out, ',');
        rh__csv_put(&out, rh_orbit_variable_name(orbit, k));
    }
    for (size_t k = 1; k <= rh_orbit_multiplier_count(orbit); k++) {
        rh__text_format(&out, ",multiplier%zu.re,multiplier%zu.im", k, k);
    }
    rh__text_put(&out, ",stable,mark,width,residual,period_error\n");
    return rh__output_end(&out, &arena, err);
}

rh_status rh_output_branch_row(const rh_orbit *orbit, const rh_branch_point *point, rh_sink sink,
                               rh_error *err)
{
    RH_REQUIRE(orbit != NULL && point != NULL && sink.write != NULL, err);
    char digits[RH_DIGITS_SIZE];
    rh_arena arena = begin(orbit);
    rh_text out = rh__text_begin(&arena, &sink);
    (void)rh__digits_print(point->parameter, digits);
    rh__text_put(&out, digits);
    put_number(&out, point->period);
    for (size_t k = 0; k < rh_orbit_variable_count(orbit); k++) {
        put_number(&out, point->variables[k]);
    }
    for (size_t k = 0; k < rh_orbit_multiplier_count(orbit); k++) {
        put_number(&out, point->multipliers[k].real);
        put_number(&out, point->multipliers[k].imaginary);
    }
    // what is not decided has no number
    rh__text_format(&out, ",%s,%s",
                    point->is_stable     ? "1"
                    : point->is_unstable ? "0"
                                         : "",
                    rh_branch_mark_text(point->mark));
    put_number(&out, point->width);
    put_number(&out, point->residual);
    put_number(&out, point->period_error);
    rh__text_put_char(&out, '\n');
    return rh__output_end(&out, &arena, err);
}
