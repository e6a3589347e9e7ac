// SPDX-License-Identifier: Apache-2.0
// The size of each variable below which its errors do not matter: from `scale` in the model and
// from absolute errors in the def of the motion. Out comes motion->least, by index of x: the larger
// of the scale and of the absolute error over the tolerance, 0 where neither is given. A velocity
// that the reduced form replaces by another one has no entry.

#include "motion/motion.h"

#include <math.h>
#include <string.h>

// The place in x of a coordinate, velocity or state; UINT32_MAX when it is not integrated.
static uint32_t index_of(const rh_motion *motion, rh_expr symbol)
{
    const rh_system *system = motion->system;
    uint32_t index = rh__system_index(system, symbol);
    for (uint32_t k = 0; index == UINT32_MAX && k < system->form.basis.count; k++) {
        if (system->form.basis.data[k].value.i == symbol.i) {
            index = rh__system_index(system, system->form.basis.data[k].symbol);
        }
    }
    return index;
}

// --- names ---------------------------------------------------------------------------------------

static bool is_variable(rh_quantity quantity)
{
    return quantity == RH_QUANTITY_VARIABLE || quantity == RH_QUANTITY_VELOCITY;
}

static uint32_t index_of_column(const rh_motion *motion, size_t column, uint32_t velocity)
{
    RH_ASSERT(rh_motion_column_quantity(motion, column) != RH_QUANTITY_VELOCITY ||
              velocity < motion->equations->coordinate_count);
    return rh_motion_column_quantity(motion, column) == RH_QUANTITY_VELOCITY
               ? index_of(motion, motion->equations->carriers.data[velocity].variable)
               : motion->columns.data[column].index;
}

// Without the index: x' of x[3]'.
static rh_slice array_name(rh_motion *motion, const char *name)
{
    const char *open = strchr(name, '[');
    const char *close = strchr(name, ']');
    const char *whole =
        open == NULL || close == NULL
            ? name
            : rh__text_print(&motion->arena, "%.*s%s", (int)(open - name), name, close + 1);
    return rh__slice_of(whole);
}

static bool is_array_name(const char *name, const char *shown)
{
    const char *open = strchr(shown, '[');
    const char *close = strchr(shown, ']');
    const size_t size = open != NULL ? (size_t)(open - shown) : 0;
    return open != NULL && close != NULL && strncmp(name, shown, size) == 0 &&
           strcmp(name + size, close + 1) == 0;
}

static rh_status refuse_name(rh_motion *motion, const char *name, rh_error *err)
{
    rh_nearest nearest = rh__nearest_begin(rh__slice_of(name));
    for (uint32_t k = 0; k < motion->columns.count; k++) {
        if (is_variable(rh_motion_column_quantity(motion, k))) {
            rh__nearest_offer(&nearest, rh__slice_of(motion->columns.data[k].name));
            rh__nearest_offer(&nearest, array_name(motion, motion->columns.data[k].name));
        }
    }
    return nearest.best.size > 0
               ? rh__error_fill(err, RH_E_ARGUMENT,
                                "no coordinate, velocity or state `%s` can have an absolute "
                                "error; did you mean `%.*s`?",
                                name, RH_SLICE_FORMAT(nearest.best))
               : rh__error_fill(err, RH_E_ARGUMENT,
                                "no coordinate, velocity or state `%s` can have an absolute error",
                                name);
}

static rh_status add_error(rh_motion *motion, const rh_tolerance *given, rh_error *err)
{
    uint32_t velocity = 0;
    bool is_known = false;
    for (uint32_t k = 0; k < motion->columns.count; k++) {
        const char *shown = motion->columns.data[k].name;
        const rh_quantity quantity = rh_motion_column_quantity(motion, k);
        if (is_variable(quantity) &&
            (strcmp(given->name, shown) == 0 || is_array_name(given->name, shown))) {
            const uint32_t index = index_of_column(motion, k, velocity);
            is_known = true;
            if (index != UINT32_MAX) {
                RH_ASSERT(index < motion->n);
                motion->errors.data[motion->errors.count++] =
                    (rh_least){.index = index, .setting = UINT32_MAX, .error = given->value};
            }
        }
        velocity += quantity == RH_QUANTITY_VELOCITY;
    }
    return is_known ? RH_OK : refuse_name(motion, given->name, err);
}

// --- making --------------------------------------------------------------------------------------

static rh_status add_errors(rh_motion *motion, const rh_motion_def *def, size_t count,
                            rh_error *err)
{
    for (size_t k = 0; k < count; k++) {
        const rh_tolerance *given = &def->tolerances[k];
        RH_REQUIRE(given->name != NULL, err);
        if (!(given->value > 0.0 && isfinite(given->value))) {
            return rh__error_fill(err, RH_E_ARGUMENT,
                                  "the absolute error of `%s` is %g, and it must be positive",
                                  given->name, given->value);
        }
        RH_TRY(add_error(motion, given, err));
    }
    return RH_OK;
}

rh_status rh__least_create(rh_motion *motion, const rh_motion_def *def, rh_error *err)
{
    const rh_model *model = motion->equations->model;
    const bool has_errors =
        def->struct_size >= offsetof(rh_motion_def, tolerance_count) + sizeof def->tolerance_count;
    const size_t count = has_errors ? def->tolerance_count : 0;
    const size_t most = model->scales.count + count * motion->columns.count + 1;
    motion->least = rh__arena_array(&motion->arena, double, (size_t)motion->n + 1);
    motion->unit = rh__arena_array(&motion->arena, double, (size_t)motion->n + 1);
    motion->most = rh__arena_array(&motion->arena, double, (size_t)motion->n + 1);
    motion->floor = rh__arena_array(&motion->arena, double, (size_t)motion->n + 1);
    motion->errors = (rh_least_list){rh__arena_array(&motion->arena, rh_least, most), 0};
    if (motion->least == NULL || motion->unit == NULL || motion->most == NULL ||
        motion->floor == NULL || motion->errors.data == NULL) {
        return motion->arena.status;
    }
    for (uint32_t k = 0; k < model->scales.count; k++) {
        const uint32_t index = index_of(motion, model->scales.data[k].place);
        if (index != UINT32_MAX) {
            RH_ASSERT(index < motion->n);
            motion->errors.data[motion->errors.count++] = (rh_least){.index = index, .setting = k};
        }
    }
    RH_TRY(add_errors(motion, def, count, err));
    RH_ASSERT(motion->errors.count <= most);
    return rh__least_renew(motion);
}

static bool scale_of(const rh_motion *motion, const rh_least *of, rh_arena *scratch, double *out)
{
    const rh_model *model = motion->equations->model;
    return rh__expr_values(model->store, &model->scales.data[of->setting].value, 1,
                           rh__values_parameter, &motion->values, scratch, out);
}

rh_status rh__least_renew(rh_motion *motion)
{
    rh_arena scratch = rh__arena_begin(motion->arena.allocator, motion->arena.limit);
    rh_status status = RH_OK;
    memset(motion->least, 0, motion->n * sizeof *motion->least);
    for (uint32_t k = 0; status == RH_OK && k < motion->errors.count; k++) {
        const rh_least *it = &motion->errors.data[k];
        RH_ASSERT(it->setting == UINT32_MAX ||
                  it->setting < motion->equations->model->scales.count);
        const rh_mark mark = rh__arena_mark(&scratch);
        double size = it->error / motion->tolerance;
        if (it->setting != UINT32_MAX && !scale_of(motion, it, &scratch, &size)) {
            status = scratch.status;
        } else if (!(size > 0.0 && isfinite(size))) {
            status = RH_E_UNAVAILABLE;
        }
        motion->least[it->index] = fmax(motion->least[it->index], size);
        rh__arena_rewind(&scratch, mark);
    }
    memcpy(motion->unit, motion->least,
           motion->n * sizeof *motion->unit); // until the start is known
    rh__arena_end(&scratch);
    return status;
}
