// SPDX-License-Identifier: Apache-2.0
// Motions side by side, as the object of `compare --json` (comparison_text.c has the text), and how
// far they are from the first one.

#include "output/comparison.h"

#include <math.h>
#include <string.h>

// --- gathering -----------------------------------------------------------------------------------

static rh_difference find_difference(const rh_comparison *comparison, uint32_t variant,
                                     size_t column)
{
    const rh_variant *first = &comparison->def->variants[0];
    const rh_variant *other = &comparison->def->variants[variant];
    const size_t rows = first->row_count < other->row_count ? first->row_count : other->row_count;
    rh_difference found = {NAN, NAN};
    for (size_t k = 0; k < rows; k++) {
        const size_t at = k * comparison->column_count;
        const double distance = fabs(other->rows[at + column] - first->rows[at + column]);
        if (isfinite(distance) && !(distance <= found.largest)) {
            found = (rh_difference){distance, first->rows[at]};
        }
    }
    return found;
}

static bool has_same_columns(const rh_motion *a, const rh_motion *b)
{
    bool is_same = rh_motion_column_count(a) == rh_motion_column_count(b);
    for (size_t k = 0; is_same && k < rh_motion_column_count(a); k++) {
        is_same = strcmp(rh_motion_column_name(a, k), rh_motion_column_name(b, k)) == 0;
    }
    return is_same;
}

static rh_status gather(rh_comparison *comparison, rh_error *err)
{
    rh_arena *arena = comparison->scratch;
    const uint32_t count = comparison->count = comparison->def->variant_count;
    const rh_motion *first = comparison->def->variants[0].outcome->motion;
    comparison->column_count = rh_motion_column_count(first);
    comparison->defs = rh__arena_array(arena, rh_outcome_def, count);
    comparison->outcomes = rh__arena_array(arena, rh_outcome, count);
    comparison->differences =
        rh__arena_array(arena, rh_difference, count * comparison->column_count);
    if (comparison->defs == NULL || comparison->outcomes == NULL ||
        comparison->differences == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    for (uint32_t k = 0; k < count; k++) {
        const rh_variant *variant = &comparison->def->variants[k];
        rh_outcome_def *def = &comparison->defs[k];
        RH_REQUIRE(variant->by != NULL && (variant->rows != NULL || variant->row_count == 0), err);
        RH_TRY(rh__outcome_begin(variant->outcome, def, err));
        RH_REQUIRE(has_same_columns(first, def->motion), err);
        comparison->outcomes[k] = (rh_outcome){.def = def,
                                               .model = def->checkup->equations->model,
                                               .checkup = def->checkup,
                                               .motion = def->motion,
                                               .out = comparison->out,
                                               .scratch = arena};
        RH_TRY(rh__outcome_gather(&comparison->outcomes[k], err));
        for (size_t column = 0; column < comparison->column_count; column++) {
            comparison->differences[k * comparison->column_count + column] =
                find_difference(comparison, k, column);
        }
    }
    return RH_OK;
}

// --- the object ----------------------------------------------------------------------------------

// `"largest": {column: number}` or `"at": {column: time}`, where there is a difference at all.
static void put_columns(const rh_comparison *comparison, uint32_t variant, bool is_time)
{
    rh_text *out = comparison->out;
    bool is_first = true;
    rh__text_put(out, is_time ? ", \"at\": {" : ", \"largest\": {");
    for (size_t k = 1; k < comparison->column_count; k++) {
        const rh_difference difference = rh__comparison_at(comparison, variant, k);
        if (!isnan(difference.largest)) {
            rh__outcome_key(out, rh_motion_column_name(comparison->outcomes[0].motion, k),
                            is_first);
            rh__outcome_number(out, is_time ? difference.time : difference.largest);
            is_first = false;
        }
    }
    rh__text_put(out, "}");
}

static void put_by(const rh_comparison *comparison, uint32_t variant, bool is_first)
{
    rh__text_put(comparison->out, is_first ? "{\"by\": " : ", {\"by\": ");
    rh__text_put_json(comparison->out, rh__slice_of(comparison->def->variants[variant].by));
}

static void put_object(const rh_comparison *comparison)
{
    rh_text *out = comparison->out;
    rh__text_put(out, "{\"variants\": [");
    for (uint32_t k = 0; k < comparison->count; k++) {
        put_by(comparison, k, k == 0);
        rh__text_put(out, ", ");
        rh__outcome_keys(&comparison->outcomes[k]);
        rh__text_put(out, "}");
    }
    rh__text_put(out, "], \"differences\": [");
    for (uint32_t k = 1; k < comparison->count; k++) {
        put_by(comparison, k, k == 1);
        put_columns(comparison, k, false);
        put_columns(comparison, k, true);
        rh__text_put(out, "}");
    }
    rh__text_put(out, "]}\n");
}

rh_status rh_output_comparison(const rh_comparison_def *def, rh_format format, rh_sink sink,
                               rh_error *err)
{
    RH_REQUIRE(def != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    RH_REQUIRE(def->struct_size == sizeof *def, err);
    RH_REQUIRE(def->variants != NULL && def->variant_count > 0, err);
    rh_outcome_def first;
    RH_TRY(rh__outcome_begin(def->variants[0].outcome, &first, err));
    const rh_arena *like = &first.checkup->equations->model->arena;
    rh_arena arena = rh__arena_begin(rh__guard_base(like->allocator), like->limit);
    rh_arena scratch = rh__arena_begin(rh__guard_base(like->allocator), like->limit);
    rh_text out = rh__text_begin(&arena, &sink);
    rh_comparison comparison = {.def = def, .out = &out, .scratch = &scratch};
    const rh_status status = gather(&comparison, err);
    if (status == RH_OK && format == RH_FORMAT_JSON) {
        put_object(&comparison);
    } else if (status == RH_OK) {
        rh__comparison_text(&comparison);
    }
    rh__arena_end(&scratch);
    const rh_status end = rh__output_end(&out, &arena, status == RH_OK ? err : NULL);
    return status == RH_OK ? end : status;
}
