// SPDX-License-Identifier: Apache-2.0
// Families of steady motions as a table: one row a point.

#include "output/output.h"

#include "steady/steady.h"

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

static rh_arena begin(const rh_steady *steady)
{
    const rh_model *model = steady->equations->model;
    return rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
}

rh_status rh_output_family_head(const rh_steady *steady, const char *quantity, rh_sink sink,
                                rh_error *err)
{
    RH_REQUIRE(steady != NULL && quantity != NULL && sink.write != NULL, err);
    RH_REQUIRE(steady->found.count > 0, err);
    rh_arena arena = begin(steady);
    rh_text out = rh__text_begin(&arena, &sink);
    rh__text_put(&out, "value");
    for (size_t k = 0; k < rh_steady_variable_count(steady); k++) {
        rh__text_put_char(&out, ',');
        rh__csv_put(&out, rh_steady_variable_name(steady, k));
    }
    const uint32_t size = steady->found.data[0].judgement.size;
    for (uint32_t k = 1; k <= size; k++) {
        rh__text_format(&out, ",root%u.re,root%u.im", k, k);
    }
    rh__text_put(&out, ",verdict,dimension,mark,low,high\n");
    return rh__output_end(&out, &arena, err);
}

rh_status rh_output_family_row(const rh_steady *steady, const rh_walk_point *point, rh_sink sink,
                               rh_error *err)
{
    RH_REQUIRE(steady != NULL && point != NULL && sink.write != NULL, err);
    RH_REQUIRE(steady->found.count > 0, err);
    char digits[RH_DIGITS_SIZE];
    const rh_steady_motion *motion = &point->motion;
    rh_arena arena = begin(steady);
    rh_text out = rh__text_begin(&arena, &sink);
    (void)rh__digits_print(point->value, digits);
    rh__text_put(&out, digits);
    for (size_t k = 0; k < rh_steady_variable_count(steady); k++) {
        put_number(&out, motion->values[k]);
    }
    const uint32_t size = steady->found.data[0].judgement.size;
    for (uint32_t k = 0; k < size; k++) {
        const bool is_there = k < motion->size;
        put_number(&out, is_there ? motion->roots[k].real : (double)NAN);
        put_number(&out, is_there ? motion->roots[k].imaginary : (double)NAN);
    }
    rh__text_format(&out, ",%s,%u,%s", rh_steady_verdict_text(motion->verdict), motion->dimension,
                    rh_walk_mark_text(point->mark));
    put_number(&out, point->low);
    put_number(&out, point->high);
    rh__text_put_char(&out, '\n');
    return rh__output_end(&out, &arena, err);
}
