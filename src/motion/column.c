// SPDX-License-Identifier: Apache-2.0
// The table of results: which columns there are, and their values at a point.

#include "motion/motion.h"

#include <math.h>

static bool add_column(rh_motion *motion, const char *name, rh_column_source source, uint32_t index)
{
    const rh_column column = {name, source, index};
    RH_ASSERT(source != RH_COLUMN_X || index < motion->n);
    RH_ASSERT(source != RH_COLUMN_OUTPUT || index < motion->system->output->output_count);
    return name[0] != '\0' && rh__array_push(&motion->arena, &motion->columns, column);
}

static const char *name_of(rh_motion *motion, rh_expr symbol)
{
    const rh_store *store = motion->equations->store;
    rh_text text = rh__text_begin(&motion->arena, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &text);
    return rh__text_print(&motion->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

// A column of x, or of the output tape when the symbol is not in x.
static bool add_variables(rh_motion *motion)
{
    const rh_model *model = motion->equations->model;
    bool ok = true;
    for (uint32_t g = 0; g < 2; g++) {
        const uint32_t count = g == 0 ? model->coordinates.count : model->states.count;
        const rh_variable *list = g == 0 ? model->coordinates.data : model->states.data;
        for (uint32_t k = 0; ok && k < count; k++) {
            for (uint32_t member = 0; ok && member < list[k].size; member++) {
                const rh_expr symbol = rh__expr_symbol(model->store, list[k].family[0], member);
                const uint32_t index = rh__system_index(motion->system, symbol);
                ok = index == UINT32_MAX ||
                     add_column(motion, name_of(motion, symbol), RH_COLUMN_X, index);
            }
        }
    }
    return ok;
}

static bool add_section(rh_motion *motion, rh_section section, uint32_t k, const char *name)
{
    RH_ASSERT(k < motion->system->sections[section].count);
    return add_column(motion, name, RH_COLUMN_OUTPUT, motion->system->sections[section].first + k);
}

static bool add_velocities(rh_motion *motion)
{
    const rh_equations *equations = motion->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->coordinate_count; k++) {
        ok = add_section(motion, RH_SECTION_VELOCITY, k,
                         name_of(motion, equations->carriers.data[k].variable));
    }
    for (uint32_t k = 0; ok && k < equations->model->quasis.count; k++) {
        const rh_quasi *quasi = &equations->model->quasis.data[k];
        ok = add_section(
            motion, RH_SECTION_QUASI, k,
            name_of(motion, rh__expr_symbol(equations->store, quasi->symbol, quasi->row.member)));
    }
    return ok;
}

static bool add_links(rh_motion *motion)
{
    const rh_equations *equations = motion->equations;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        const rh_expr lambda = link->held.i != 0 ? link->held : link->multiplier;
        ok = link->held.i != 0
                 ? add_column(motion, name_of(motion, lambda), RH_COLUMN_X,
                              motion->system->held_of[k])
                 : add_section(motion, RH_SECTION_MULTIPLIER, k, name_of(motion, lambda));
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        rh_text text = rh__text_begin(&motion->arena, NULL);
        rh__text_put(&text, "dev.");
        rh__link_name(equations, &equations->links.data[k], &text);
        ok = add_column(
            motion, rh__text_print(&motion->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text))),
            RH_COLUMN_OUTPUT, motion->system->level_of[k]);
    }
    for (uint32_t k = 0; ok && k < equations->model->observes.count; k++) {
        ok = add_section(motion, RH_SECTION_OBSERVE, k, equations->model->observes.data[k].name);
    }
    return ok;
}

rh_status rh__columns_create(rh_motion *motion)
{
    return add_column(motion, "time", RH_COLUMN_TIME, 0) && add_variables(motion) &&
                   add_velocities(motion) && add_links(motion)
               ? RH_OK
               : (motion->arena.status != RH_OK ? motion->arena.status : RH_E_MEMORY);
}

void rh__motion_evaluate(rh_motion *motion, double time, const double *x)
{
    const uint32_t n = motion->n;
    const uint32_t unknowns = motion->system->form.unknowns.count;
    double *inputs = rh__jet_row(motion->plain, 0);
    double *outputs = rh__jet_row(motion->output, 0);
    inputs[0] = outputs[0] = time;
    for (uint32_t k = 0; k < n; k++) {
        inputs[1 + k] = outputs[1 + k] = x[k];
    }
    rh__motion_run_plain(motion, time, x);
    for (uint32_t k = 0; k < unknowns; k++) {
        outputs[1 + n + k] = rh__tape_output(motion->plain, n + k, 0);
    }
    rh__tape_run(motion->output);
}

size_t rh_motion_column_count(const rh_motion *motion)
{
    return motion->columns.count;
}

const char *rh_motion_column_name(const rh_motion *motion, size_t index)
{
    return index < motion->columns.count ? motion->columns.data[index].name : "";
}

// A row a few roundings before something that was met shows what is behind it.
static double place_of(const rh_motion *motion, double time)
{
    const bool is_met = motion->t == motion->met && time < motion->t &&
                        motion->t - time <= rh__crossing_moment(motion, time);
    return is_met ? motion->t : time;
}

// At the end of a motion that stopped where a multiplier is none or one of many it has no value.
static bool is_open(const rh_motion *motion, const rh_column *column, double time)
{
    const rh_range multipliers = motion->system->sections[RH_SECTION_MULTIPLIER];
    return time == motion->t && column->source == RH_COLUMN_OUTPUT &&
           column->index >= multipliers.first &&
           column->index < multipliers.first + multipliers.count &&
           rh__corner_is_open(motion, column->index - multipliers.first);
}

rh_status rh_motion_row(rh_motion *motion, double moment, double *out, rh_error *err)
{
    RH_REQUIRE(motion != NULL && out != NULL, err);
    const double low = fmin(motion->t_before, motion->t);
    const double high = fmax(motion->t_before, motion->t);
    if (!(moment >= low && moment <= high)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "time %.17g is not within the last step", moment);
    }
    const double time = place_of(motion, moment);
    RH_ASSERT(low <= time && time <= high);
    rh__tracks_select(motion, time);
    // what jumped at the end of the step belongs to the mode behind it
    const bool is_behind =
        rh__border_is_at(motion, time) || (time == motion->t && time == motion->jump.at);
    rh__jump_follow(motion, is_behind ? motion->step : motion->plain);
    if (time == motion->t) {
        for (uint32_t k = 0; k < motion->n; k++) {
            motion->x_row[k] = motion->x[k];
        }
    } else {
        double residual = 0.0;
        rh__series_value(&motion->series, time, motion->x_row);
        RH_TRY(rh__projector_apply(&motion->projector, time, motion->x_row, motion->mode.was_kept,
                                   &residual, NULL));
    }
    rh_tape_state *plain = motion->plain;
    motion->plain = is_behind ? motion->step : plain;
    rh__motion_evaluate(motion, time, motion->x_row);
    motion->plain = plain;
    rh__jump_follow(motion, plain);
    for (uint32_t k = 0; k < motion->columns.count; k++) {
        const rh_column *column = &motion->columns.data[k];
        out[k] = column->source == RH_COLUMN_TIME ? moment
                 : column->source == RH_COLUMN_X  ? motion->x_row[column->index]
                 : is_open(motion, column, time)
                     ? (double)NAN
                     : rh__tape_output(motion->output, column->index, 0);
    }
    return RH_OK;
}
