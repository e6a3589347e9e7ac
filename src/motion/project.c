// SPDX-License-Identifier: Apache-2.0
// Projection: after a step x is moved back onto every level of the constraints that are kept, first
// positions and states, then velocities and states, by the shortest way in the metric of the
// kinetic energy (inertia.c). The corrections are of the size of what a step misses.

#include "motion/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CORRECTIONS = 4, LOOKS = 16 }; // LOOKS: steps between two measurements of the rows

#define ROUNDING 1e-15 // relative residual that is as good as none ...
#define SURE 1e-4    // ... where the pivots of the way back are no smaller, relative to their terms
#define LEAST 2e-16  // residual that nothing can be done about
#define ENOUGH 1e-12 // residual with which the metric has served

// Do the sizes of its tapes fit?
static bool is_sound(const rh_project_stage *stage)
{
    return stage->rows == 0 ||
           (stage->x_read <= stage->x_count && stage->columns <= stage->x_count &&
            stage->x_count < stage->miss->input_count &&
            stage->miss->output_count == 2 * stage->rows &&
            stage->shift->output_count == stage->columns &&
            stage->metric + stage->columns < stage->shift->input_count);
}

// --- what is kept --------------------------------------------------------------------------------

static rh_expr through_form(void *user, rh_store *store, rh_expr symbol)
{
    (void)store;
    const rh_form *form = user;
    for (uint32_t k = 0; k < form->velocities.count; k++) {
        if (form->velocities.data[k].symbol.i == symbol.i) {
            return form->velocities.data[k].value;
        }
    }
    return symbol;
}

typedef struct building {
    rh_system *system;
    rh_arena *arena;
    rh_arena *scratch;
    rh_project_stage *stage;
    rh_expr_list g;
    RH_ARRAY(rh_kept_level) levels;
    RH_ARRAY(rh_entry) entries; // column: index into x, then that of the stage
} building;

static bool add_level(building *in, uint32_t link, uint32_t level, rh_expr e)
{
    RH_ASSERT(level < in->system->equations->links.data[link].level_count);
    rh_store *store = in->system->equations->store;
    const uint32_t row = in->g.count;
    const rh_kept_level kept = {link, level,
                                in->system->equations->links.data[link].constraint->is_one_sided};
    rh_gradient partials;
    bool ok = rh__expr_gradient(store, e, RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE,
                                in->scratch, &partials) &&
              rh__array_push(in->scratch, &in->g, e) &&
              rh__array_push(in->arena, &in->levels, kept);
    for (uint32_t k = 0; ok && k < partials.count; k++) {
        const rh_expr symbol = partials.data[k].symbol;
        const rh_entry entry = {row, rh__system_index(in->system, symbol), partials.data[k].value};
        const bool is_velocity = (rh__expr_mask(store, symbol) & RH_ROLE_VELOCITY) != 0;
        const bool is_position = (rh__expr_mask(store, symbol) & RH_ROLE_COORD) != 0;
        // the second stage leaves positions where they are
        const bool moves =
            (rh__expr_mask(store, e) & RH_ROLE_VELOCITY) != 0 ? !is_position : !is_velocity;
        ok = entry.column == UINT32_MAX || !moves ||
             rh__array_push(in->scratch, &in->entries, entry);
    }
    return ok;
}

// One-sided ones are kept at times.
bool rh__projector_keeps(const rh_link *link)
{
    return rh__link_is_enforced(link) && !link->constraint->has_law;
}

static bool find_levels(building *in, bool is_second)
{
    rh_equations *equations = in->system->equations;
    rh_store *store = equations->store;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        for (uint32_t level = 0; ok && rh__projector_keeps(link) && level < link->level_count;
             level++) {
            const rh_expr e =
                rh__derive_fold(equations, rh__expr_substitute(store, link->levels[level],
                                                               through_form, &in->system->form));
            const bool holds = (rh__expr_mask(store, link->levels[level]) & RH_ROLE_VELOCITY) != 0;
            ok = e.i != 0;
            if (ok && holds == is_second && !rh__derive_vanishes(equations, e, in->scratch)) {
                ok = add_level(in, k, level, e);
            }
        }
    }
    return ok;
}

// --- one stage -----------------------------------------------------------------------------------

// Columns stand in the order of x: what lies side by side there does so here.
static rh_status number_columns(building *in)
{
    rh_project_stage *stage = in->stage;
    const uint32_t n = in->system->x.count;
    uint32_t *place = rh__arena_array(in->scratch, uint32_t, (size_t)n + 1); // column + 1
    stage->x_index = rh__arena_array(in->arena, uint32_t, (size_t)n + 1);
    if (place == NULL || stage->x_index == NULL) {
        return in->arena->status != RH_OK ? in->arena->status : in->scratch->status;
    }
    for (uint32_t k = 0; k < in->entries.count; k++) {
        RH_ASSERT(in->entries.data[k].column < n);
        place[in->entries.data[k].column] = 1;
    }
    for (uint32_t x = 0; x < n; x++) {
        if (place[x] != 0) {
            stage->x_index[stage->columns++] = x;
            place[x] = stage->columns;
        }
    }
    for (uint32_t k = 0; k < in->entries.count; k++) {
        in->entries.data[k].column = place[in->entries.data[k].column] - 1;
    }
    return RH_OK;
}

// The sum of the squares of the entries of a row; `at` is the first of them, and becomes that of
// the next row.
static rh_expr add_squares(const building *in, uint32_t row, uint32_t *at)
{
    rh_store *store = in->system->equations->store;
    rh_expr sum = rh__expr_integer(store, 0);
    for (; *at < in->entries.count && in->entries.data[*at].row == row; ++*at) {
        const rh_expr e = in->entries.data[*at].value;
        sum = rh__expr_add(store, sum, rh__expr_multiply(store, e, e));
    }
    return sum;
}

static rh_status make_miss(building *in, rh_error *err)
{
    rh_project_stage *stage = in->stage;
    rh_expr_list outputs = {0};
    bool ok = true;
    for (uint32_t part = 0; part < 2; part++) {
        uint32_t at = 0;
        for (uint32_t row = 0; ok && row < stage->rows; row++) {
            const rh_expr e = part == 0 ? in->g.data[row] : add_squares(in, row, &at);
            ok = e.i != 0 && rh__array_push(in->scratch, &outputs, e);
        }
        RH_ASSERT(!ok || part == 0 || at == in->entries.count); // they stand row by row
    }
    if (!ok) {
        return RH_E_MEMORY;
    }
    const rh_extra_def def = {.outputs = outputs.data, .output_count = outputs.count};
    RH_TRY(rh__system_extra(in->system, &def, &stage->miss, err));
    stage->bounds = rh__arena_array(in->arena, double, rh__tape_bounds_room(stage->miss));
    return stage->bounds != NULL
               ? rh__tape_state_create(stage->miss, 0, in->arena->allocator, &stage->miss_state)
               : in->arena->status;
}

static bool is_velocity(const rh_system *system, uint32_t x)
{
    return (rh__expr_mask(system->equations->store, system->x.data[x]) & RH_ROLE_VELOCITY) != 0;
}

// Numbers from places to neighbours, or the other way round.
static bool find_runs(rh_arena *arena, const uint32_t *place, uint32_t count, bool is_from,
                      rh_runs *out)
{
    enum { SHORT = 16 };
    *out = (rh_runs){.place = place, .total = count};
    out->data = rh__arena_array(arena, rh_run, (size_t)count + 1);
    for (uint32_t k = 0; out->data != NULL && k < count; k++) {
        if (k == 0 || place[k] != place[k - 1] + 1) {
            out->data[out->count++] =
                (rh_run){.from = is_from ? place[k] : k, .to = is_from ? k : place[k]};
        }
        out->data[out->count - 1].size++;
    }
    out->count = SHORT * (uint64_t)out->count <= count ? out->count : 0;
    return out->data != NULL;
}

static rh_status build_stage(building *in, bool is_second, rh_error *err)
{
    rh_project_stage *stage = in->stage;
    if (!find_levels(in, is_second)) {
        return RH_E_MEMORY;
    }
    stage->rows = in->g.count;
    stage->x_count = stage->x_read = in->system->x.count;
    stage->levels = in->levels.data;
    if (stage->rows == 0) {
        return RH_OK;
    }
    RH_TRY(number_columns(in));
    while (!is_second && stage->x_read > 0 && is_velocity(in->system, stage->x_read - 1)) {
        stage->x_read--;
    }
    stage->gap = rh__arena_array(in->arena, double, 3 * (size_t)stage->rows);
    stage->change = rh__arena_array(in->arena, double, (size_t)stage->columns + 1);
    if (stage->gap == NULL || stage->change == NULL) {
        return in->arena->status;
    }
    stage->steepness = stage->gap + stage->rows;
    stage->size = stage->steepness + stage->rows;
    RH_TRY(make_miss(in, err));
    const rh_project_gap gap = {.g = in->g.data,
                                .entries = in->entries.data,
                                .entry_count = in->entries.count,
                                .is_second = is_second};
    RH_TRY(rh__inertia_create(in->system, &gap, in->arena, stage, err));
    RH_ASSERT(is_sound(stage));
    return find_runs(in->arena, stage->miss->outputs, 2 * stage->rows, true, &stage->misses) &&
                   find_runs(in->arena, stage->shift->outputs, stage->columns, true,
                             &stage->shifts) &&
                   find_runs(in->arena, stage->x_index, stage->columns, false, &stage->places)
               ? RH_OK
               : in->arena->status;
}

// Have both stages one matrix, with all unknowns of the first in one block?
static bool is_shared(const rh_projector *projector)
{
    const rh_project_stage *first = &projector->stages[0];
    const rh_project_stage *second = &projector->stages[1];
    const rh_tape *shift = first->shift;
    bool is_same = shift != NULL && second->shift != NULL && first->likeness == second->likeness &&
                   first->rows == second->rows && first->columns == second->columns &&
                   shift->block_count == 1 && shift->blocks[0].n == first->columns + first->rows;
    for (uint32_t k = 0; is_same && k < first->columns; k++) {
        is_same = shift->outputs[k] == shift->blocks[0].first + k;
    }
    return is_same;
}

rh_status rh__projector_create(rh_system *system, rh_arena *arena, rh_projector *out, rh_error *err)
{
    rh_status status = RH_OK;
    for (uint32_t k = 0; k < 2 && status == RH_OK; k++) {
        rh_arena scratch = rh__arena_begin(arena->allocator, arena->limit);
        building in = {
            .system = system, .arena = arena, .scratch = &scratch, .stage = &out->stages[k]};
        status = build_stage(&in, k == 1, err);
        rh__arena_end(&scratch);
    }
    out->is_shared = status == RH_OK && is_shared(out);
    return status;
}

void rh__projector_destroy(rh_projector *projector)
{
    for (uint32_t k = 0; k < 2; k++) {
        rh__tape_state_destroy(projector->stages[k].miss_state);
        rh__tape_destroy(projector->stages[k].miss);
        rh__tape_state_destroy(projector->stages[k].shift_state);
        rh__tape_destroy(projector->stages[k].shift);
    }
}

rh_status rh__projector_bind(rh_projector *projector, rh_value_of *value_of, const void *user)
{
    for (uint32_t k = 0; k < 2; k++) {
        if (projector->stages[k].miss != NULL) {
            RH_TRY(rh__tape_bind(projector->stages[k].miss_state, value_of, user));
            RH_TRY(rh__tape_bind(projector->stages[k].shift_state, value_of, user));
        }
    }
    return RH_OK;
}

// --- applying ------------------------------------------------------------------------------------

// The larger one; what is no number is larger than all.
static inline double larger(double worst, double part)
{
    return part <= worst ? worst : (part == part ? part : (double)INFINITY);
}

// The largest gap relative to the size of its row. They are compared as whole numbers, which
// vectors can do: what is no number is larger than all.
static RH_WIDE double find_worst(uint32_t rows, const double *gap, const double *size)
{
    int64_t most = 0;
    for (uint32_t k = 0; k < rows; k++) {
        const double own = gap[k] / size[k];
        int64_t bits = 0;
        memcpy(&bits, &own, sizeof bits);
        bits &= INT64_MAX;
        most = bits > most ? bits : most;
    }
    double worst = 0.0;
    memcpy(&worst, &most, sizeof worst);
    return larger(0.0, worst);
}

static void gather(const rh_runs *runs, const double *from, double *to)
{
    for (uint32_t k = 0; runs->count == 0 && k < runs->total; k++) {
        to[k] = from[runs->place[k]];
    }
    for (uint32_t k = 0; k < runs->count; k++) {
        const rh_run *it = &runs->data[k];
        memcpy(to + it->to, from + it->from, it->size * sizeof *to);
    }
}

// The size of a row is that of the terms it is made of, by what rounding of x in its units and of
// all operations does to it. It falls slowly.
static void measure(rh_project_stage *stage, double time, const double *x)
{
    double *inputs = rh__jet_row(stage->miss_state, 0);
    inputs[0] = time;
    memcpy(inputs + 1, x, stage->x_count * sizeof *x);
    stage->bounds[0] = DBL_EPSILON * fabs(time);
    for (uint32_t k = 0; k < stage->x_count; k++) {
        stage->bounds[1 + k] = DBL_EPSILON * fmax(stage->unit[k], fabs(x[k]));
    }
    rh__tape_bounds(stage->miss_state, stage->bounds);
    for (uint32_t k = 0; k < stage->rows; k++) {
        const double now = stage->bounds[stage->miss->outputs[k]] / DBL_EPSILON;
        stage->size[k] = fmax(isfinite(now) ? now : 0.0, fmax(0.5 * stage->size[k], DBL_MIN));
    }
    stage->looks = 0;
}

// Find the gaps; the largest relative one.
static double look(rh_project_stage *stage, double time, const double *x, const bool *is_kept)
{
    const uint32_t rows = stage->rows;
    double *row = rh__jet_row(stage->miss_state, 0);
    row[0] = time;
    memcpy(row + 1, x, stage->x_read * sizeof *x);
    rh__tape_run(stage->miss_state);
    gather(&stage->misses, row, stage->gap);
    for (uint32_t k = 0; stage->can_release && k < rows; k++) {
        stage->gap[k] = is_kept[stage->levels[k].link] ? stage->gap[k] : 0.0;
    }
    const double worst = find_worst(rows, stage->gap, stage->size);
    if (worst <= 1.0) {
        return worst;
    }
    // no gap is larger than its terms: they are those of another place
    measure(stage, time, x);
    return find_worst(rows, stage->gap, stage->size);
}

void rh__projector_begin(rh_projector *projector, double time, const double *x, const double *unit)
{
    for (uint32_t k = 0; k < 2; k++) {
        rh_project_stage *stage = &projector->stages[k];
        RH_ASSERT(is_sound(stage));
        stage->unit = unit;
        if (stage->miss != NULL) {
            memset(stage->size, 0, stage->rows * sizeof *stage->size);
            measure(stage, time, x);
        }
    }
}

void rh__projector_measure(rh_projector *projector, double time, const double *x)
{
    for (uint32_t k = 0; k < 2; k++) {
        if (projector->stages[k].miss != NULL) {
            measure(&projector->stages[k], time, x);
        }
    }
}

// Where a point is moved back.
typedef struct place {
    double time;
    double *x;
    const bool *is_kept; // by link
} place;

static RH_WIDE void add(uint32_t count, const double *restrict change, double *restrict x)
{
    for (uint32_t k = 0; k < count; k++) {
        x[k] += change[k];
    }
}

// Add the changes, if they are numbers.
static bool move_by_changes(const rh_project_stage *stage, double *x)
{
    if (!rh__vector_is_finite(stage->columns, stage->change)) {
        return false;
    }
    const rh_runs *places = &stage->places;
    for (uint32_t k = 0; places->count == 0 && k < stage->columns; k++) {
        x[places->place[k]] += stage->change[k];
    }
    for (uint32_t k = 0; k < places->count; k++) {
        const rh_run *it = &places->data[k];
        add(it->size, stage->change + it->from, x + it->to);
    }
    return true;
}

// By the metric, or by the sizes of x alone where that does not lead there.
static bool correct(rh_project_stage *stage, const place *at, bool is_plain)
{
    double *x = at->x;
    const bool *is_kept = at->is_kept;
    rh_tape_state *state = stage->shift_state;
    double *inputs = rh__jet_row(state, 0);
    inputs[0] = at->time;
    memcpy(inputs + 1, x, stage->x_count * sizeof *x);
    inputs[stage->metric] = is_plain ? 0.0 : 1.0;
    for (uint32_t k = 0; (is_plain || stage->has_weights) && k < stage->columns; k++) {
        const uint32_t i = stage->x_index[k];
        const double size = fmax(stage->unit[i], fabs(x[i]));
        inputs[stage->metric + 1 + k] = size > 0.0 ? 1.0 / (size * size) : 1.0;
    }
    for (uint32_t k = 0; stage->can_release && k < stage->rows; k++) {
        if (stage->hold[k] != UINT32_MAX && is_kept[stage->levels[k].link]) {
            rh__tape_hold(state, stage->hold[k]);
        } else if (stage->hold[k] != UINT32_MAX) {
            rh__tape_release(state, stage->hold[k], 0.0);
        }
    }
    rh__tape_run(state);
    gather(&stage->shifts, inputs, stage->change);
    return move_by_changes(stage, x);
}

// By the factors that another stage made for the same matrix, a correction of positions ago. What
// that changes is as small against this correction, and is seen in the next residual.
static bool correct_by(rh_project_stage *stage, const rh_project_stage *lender, double *x)
{
    RH_ASSERT(stage->rows == lender->rows && stage->columns == lender->columns);
    rh_tape_state *state = lender->shift_state;
    double *b = rh__jet_row(state, 0) + lender->shift->blocks[0].first;
    if (!state->has_factors) {
        return false;
    }
    memset(b, 0, stage->columns * sizeof *b);
    for (uint32_t k = 0; k < stage->rows; k++) {
        b[stage->columns + k] = -stage->gap[k];
    }
    if (!rh__point_again(state)) {
        return false;
    }
    memcpy(stage->change, b, stage->columns * sizeof *b);
    return move_by_changes(stage, x);
}

// `lender`: a stage whose factors serve for the first correction; NULL: none.
static double settle(rh_project_stage *stage, const rh_project_stage *lender, bool is_plain,
                     const place *at)
{
    RH_ASSERT(lender != stage);
    double before = INFINITY;
    double enough = LEAST;
    double now = look(stage, at->time, at->x, at->is_kept);
    for (uint32_t c = 0; c < CORRECTIONS && now > enough && now < 0.5 * before; c++) {
        before = now;
        const bool is_lent = c == 0 && lender != NULL && correct_by(stage, lender, at->x);
        if (!is_lent && !correct(stage, at, is_plain)) {
            break;
        }
        const rh_project_stage *by = is_lent ? lender : stage;
        // near singular places a small residual may be far away
        enough = by->shift_state->quality.rcond >= SURE ? ROUNDING : LEAST;
        now = look(stage, at->time, at->x, at->is_kept);
    }
    return now;
}

static void note_residuals(const rh_project_stage *stage, const bool *is_kept, double *residuals)
{
    for (uint32_t k = 0; k < stage->rows; k++) {
        const uint32_t link = stage->levels[k].link;
        if (stage->levels[k].level == 0) {
            const double g = rh__tape_output(stage->miss_state, k, 0);
            const double missed = is_kept[link]                   ? fabs(g)
                                  : stage->levels[k].is_one_sided ? -g
                                                                  : 0.0;
            residuals[link] = missed > residuals[link] ? missed : residuals[link];
        }
    }
}

rh_status rh__projector_apply(rh_projector *projector, double time, double *x, const bool *is_kept,
                              double *out_residual, double *residuals)
{
    const place at = {.time = time, .x = x, .is_kept = is_kept};
    rh_project_stage *first = &projector->stages[0];
    *out_residual = 0.0;
    if (first->miss != NULL) {
        first->shift_state->has_factors = false; // those of another place
    }
    for (uint32_t k = 0; k < 2; k++) {
        rh_project_stage *stage = &projector->stages[k];
        if (stage->miss == NULL) {
            continue;
        }
        const bool is_step = residuals != NULL; // nobody's look
        if (is_step && ++stage->looks >= LOOKS) {
            measure(stage, time, x);
        }
        double left = settle(stage, k == 1 && projector->is_shared ? first : NULL, false, &at);
        if (is_step && !(left <= ENOUGH)) {
            measure(stage, time, x);
            left = settle(stage, NULL, false, &at);
        }
        if (!(left <= ENOUGH)) { // a metric that is not positive leads elsewhere
            left = settle(stage, NULL, true, &at);
            stage->shift_state->has_factors = false; // not in the metric
        }
        *out_residual = fmax(*out_residual, left);
        if (is_step) {
            note_residuals(stage, is_kept, residuals);
        }
    }
    return RH_OK;
}

static double find_residual(rh_projector *projector, double time, const double *x,
                            const bool *is_kept, bool has_rates)
{
    double worst = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        rh_project_stage *stage = &projector->stages[k];
        RH_ASSERT(stage->miss != NULL || stage->rows == 0);
        if (stage->miss != NULL) {
            (void)look(stage, time, x, is_kept);
        }
        for (uint32_t row = 0; row < stage->rows; row++) {
            const double part = fabs(stage->gap[row]) / stage->size[row];
            worst = stage->levels[row].level > 0 && !has_rates ? worst : larger(worst, part);
        }
    }
    return worst;
}

double rh__projector_residual(rh_projector *projector, double time, const double *x,
                              const bool *is_kept)
{
    return find_residual(projector, time, x, is_kept, false);
}

double rh__projector_miss(rh_projector *projector, double time, const double *x,
                          const bool *is_kept)
{
    return find_residual(projector, time, x, is_kept, true);
}

bool rh__projector_steepness(rh_projector *projector, double time, const double *x, uint32_t link,
                             uint32_t level, double *out)
{
    for (uint32_t k = 0; k < 2; k++) {
        rh_project_stage *stage = &projector->stages[k];
        for (uint32_t row = 0; stage->miss != NULL && row < stage->rows; row++) {
            if (stage->levels[row].link == link && stage->levels[row].level == level) {
                double *inputs = rh__jet_row(stage->miss_state, 0);
                inputs[0] = time;
                memcpy(inputs + 1, x, stage->x_read * sizeof *x);
                rh__tape_run(stage->miss_state);
                gather(&stage->misses, inputs, stage->gap);
                *out = stage->steepness[row];
                return true;
            }
        }
    }
    return false;
}
