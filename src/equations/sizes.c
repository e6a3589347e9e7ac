// SPDX-License-Identifier: Apache-2.0
// How large the variables of a system are: one positive number for each, in the units of the model,
// so that states at random, differences and thresholds do not depend on these units. Coordinates
// are weighed by their masses,
//     size of x_i = c / sqrt(M_ii),
// and c is the distance in which the rows of the constraints or the inertia turn into others, or
// the distance from zero at the start where that is less, else the one in which forces turn the
// motion round. States have their own values, or what
// others have in the same metric.

#include "equations/derive.h"

#include <math.h>

typedef struct measuring {
    rh_equations *equations;
    const rh_point *point;
    rh_arena *scratch;
    uint32_t n;     // carriers
    double *weight; // by carrier: 1/sqrt(M_ii); 0 for one without mass
} measuring;

// --- derivatives of entries ----------------------------------------------------------------------

// Values of some expressions.
static rh_status evaluate(const measuring *in, const rh_expr *roots, uint32_t count, double **out)
{
    *out = rh__arena_array(in->scratch, double, (size_t)count + 1);
    RH_TRY(*out == NULL ? in->scratch->status : RH_OK);
    return rh__point_evaluate(in->point, roots, count, in->scratch, *out);
}

static uint32_t carrier_of(const measuring *in, rh_expr symbol, bool is_velocity)
{
    for (uint32_t k = 0; k < in->n; k++) {
        const rh_carrier *carrier = &in->equations->carriers.data[k];
        if ((is_velocity ? carrier->variable : carrier->position).i == symbol.i) {
            return k;
        }
    }
    return UINT32_MAX;
}

// The largest relative change of an entry (row, column) with a variable, each by its weight, where
// `row_size` is the size of its row: what one unit of c (or of velocity) does to it.
static rh_status find_turning(const measuring *in, const rh_grid *grid, const double *row_size,
                              bool is_inertia, bool is_velocity, double *out)
{
    const uint32_t role = is_velocity ? RH_ROLE_VELOCITY : RH_ROLE_COORD;
    for (uint32_t row = 0; row < grid->rows; row++) {
        for (uint32_t k = grid->begin[row]; k < grid->begin[row + 1]; k++) {
            const rh_entry *entry = &grid->entries.data[k];
            const rh_mark mark = rh__arena_mark(in->scratch);
            rh_gradient partials;
            if (!rh__expr_gradient(in->equations->store, entry->value, role, in->scratch,
                                   &partials)) {
                return in->scratch->status != RH_OK ? in->scratch->status : RH_E_MEMORY;
            }
            for (uint32_t j = 0; j < partials.count; j++) {
                const uint32_t by = carrier_of(in, partials.data[j].symbol, is_velocity);
                double *value = NULL;
                RH_TRY(evaluate(in, &partials.data[j].value, 1, &value));
                const double change = fabs(*value) * in->weight[entry->column] *
                                      (is_inertia ? in->weight[row] : 1.0) *
                                      (by != UINT32_MAX ? in->weight[by] : 0.0);
                const double size = is_inertia ? 1.0 : row_size[row];
                if (size > 0.0 && isfinite(change / size)) {
                    *out = fmax(*out, change / size);
                }
            }
            rh__arena_rewind(in->scratch, mark);
        }
    }
    return RH_OK;
}

// Lengths of the rows of the constraints, columns by their weights.
static rh_status measure_rows(const measuring *in, double *out)
{
    const rh_grid *rows = &in->equations->rows;
    for (uint32_t row = 0; row < rows->rows; row++) {
        out[row] = 0.0;
        for (uint32_t k = rows->begin[row]; k < rows->begin[row + 1]; k++) {
            double *value = NULL;
            const rh_mark mark = rh__arena_mark(in->scratch);
            RH_TRY(evaluate(in, &rows->entries.data[k].value, 1, &value));
            const double part = *value * in->weight[rows->entries.data[k].column];
            out[row] = isfinite(part) ? hypot(out[row], part) : out[row];
            rh__arena_rewind(in->scratch, mark);
        }
    }
    return RH_OK;
}

// --- distances -----------------------------------------------------------------------------------

static rh_status weigh(measuring *in)
{
    const rh_grid *inertia = &in->equations->inertia;
    in->weight = rh__arena_array(in->scratch, double, (size_t)in->n + 1);
    RH_TRY(in->weight == NULL ? in->scratch->status : RH_OK);
    for (uint32_t row = 0; row < inertia->rows; row++) {
        for (uint32_t k = inertia->begin[row]; k < inertia->begin[row + 1]; k++) {
            if (inertia->entries.data[k].column == row) {
                double *value = NULL;
                RH_TRY(evaluate(in, &inertia->entries.data[k].value, 1, &value));
                in->weight[row] =
                    fabs(*value) > 0.0 && isfinite(*value) ? 1.0 / sqrt(fabs(*value)) : 0.0;
            }
        }
    }
    return RH_OK;
}

// The largest value of the symbols of a kind, each by its weight.
static double measure_values(const measuring *in, bool is_velocity, bool is_state)
{
    double largest = 0.0;
    for (uint32_t k = 0; k < in->n; k++) {
        const rh_carrier *carrier = &in->equations->carriers.data[k];
        const bool is_coordinate = carrier->position.i != 0;
        if (is_coordinate == is_state || !(in->weight[k] > 0.0)) {
            continue;
        }
        const rh_expr symbol = is_state || is_velocity ? carrier->variable : carrier->position;
        const double value = fabs(rh__point_get(in->point, symbol)) / in->weight[k];
        largest = isfinite(value) ? fmax(largest, value) : largest;
    }
    return largest;
}

// The largest force, by its weight: what it does to velocities in a unit of time.
static rh_status measure_push(const measuring *in, double *out)
{
    double *force = NULL;
    RH_TRY(evaluate(in, in->equations->force, in->n, &force));
    for (uint32_t k = 0; k < in->n; k++) {
        const double part = fabs(force[k]) * in->weight[k];
        *out = isfinite(part) ? fmax(*out, part) : *out;
    }
    return RH_OK;
}

// The largest of the relative changes of rows and inertia decides; what is far from zero at the
// start is not looked at farther away than that. Where there is neither, the way in which forces
// turn the motion round.
static rh_status measure_distance(const measuring *in, const double *row_size, double speed,
                                  double push, double *out)
{
    double turning = 0.0;
    RH_TRY(find_turning(in, &in->equations->rows, row_size, false, false, &turning));
    RH_TRY(find_turning(in, &in->equations->inertia, NULL, true, false, &turning));
    const double start = measure_values(in, false, false);
    const double turn = turning > 0.0 ? 1.0 / turning : INFINITY;
    *out = start > 0.0                 ? fmin(start, turn)
           : isfinite(turn)            ? turn
           : speed > 0.0 && push > 0.0 ? speed * speed / push
                                       : 1.0;
    return RH_OK;
}

// The time in which something happens: by velocities, by the rows that depend on them, by forces.
static rh_status measure_time(const measuring *in, const double *row_size, double distance,
                              double speed, double push, double *out)
{
    double turning = 0.0;
    RH_TRY(find_turning(in, &in->equations->rows, row_size, false, true, &turning));
    *out = speed > 0.0     ? distance / speed
           : turning > 0.0 ? distance * turning
           : push > 0.0    ? sqrt(distance / push)
                           : 1.0;
    return RH_OK;
}

// --- all -----------------------------------------------------------------------------------------

static void set(const rh_point *point, rh_expr symbol, double size, double *out)
{
    const uint32_t slot = symbol.i != 0 ? rh__layout_slot(point->layout, symbol) : UINT32_MAX;
    if (slot != UINT32_MAX && size > 0.0 && isfinite(size)) {
        out[slot] = size;
    }
}

// Of a coordinate without mass: its value, or what others make of it in the rows it stands in.
static rh_status measure_massless(const measuring *in, uint32_t carrier, double distance,
                                  double *out)
{
    const rh_grid *rows = &in->equations->rows;
    *out = fabs(rh__point_get(in->point, in->equations->carriers.data[carrier].position));
    for (uint32_t row = 0; !(*out > 0.0) && row < rows->rows; row++) {
        double own = 0.0;
        double others = 0.0;
        for (uint32_t k = rows->begin[row]; k < rows->begin[row + 1]; k++) {
            const rh_entry *entry = &rows->entries.data[k];
            double *value = NULL;
            const rh_mark mark = rh__arena_mark(in->scratch);
            RH_TRY(evaluate(in, &entry->value, 1, &value));
            own = entry->column == carrier ? fabs(*value) : own;
            others += fabs(*value) * in->weight[entry->column] * distance;
            rh__arena_rewind(in->scratch, mark);
        }
        *out = own > 0.0 && isfinite(others / own) ? others / own : 0.0;
    }
    *out = *out > 0.0 ? *out : 1.0;
    return RH_OK;
}

static rh_status set_carriers(const measuring *in, double distance, double time, double *out)
{
    const double states = measure_values(in, false, true);
    for (uint32_t k = 0; k < in->n; k++) {
        const rh_carrier *carrier = &in->equations->carriers.data[k];
        double size = distance * in->weight[k];
        if (carrier->position.i != 0) {
            RH_TRY(size > 0.0 ? RH_OK : measure_massless(in, k, distance, &size));
            set(in->point, carrier->position, size, out);
            set(in->point, carrier->variable, size / time, out);
            set(in->point, carrier->rate, size / time / time, out);
        } else {
            const double weight = in->weight[k] > 0.0 ? in->weight[k] : 1.0;
            const double value = weight * (states > 0.0 ? states : 1.0);
            set(in->point, carrier->variable, value, out);
            set(in->point, carrier->rate, value / time, out);
        }
    }
    return RH_OK;
}

static rh_status set_all(const measuring *in, double distance, double time, double *out)
{
    const rh_equations *equations = in->equations;
    RH_TRY(set_carriers(in, distance, time, out));
    for (uint32_t k = 0; k < equations->passives.count; k++) {
        const rh_expr variable = equations->passives.data[k].variable;
        set(in->point, variable, fabs(rh__point_get(in->point, variable)), out);
    }
    set(in->point, rh__expr_symbol(equations->store, equations->model->time, 0), time, out);
    return RH_OK;
}

rh_status rh__sizes_find(rh_equations *equations, const rh_point *point, rh_arena *scratch,
                         double *out, double *out_time)
{
    const rh_mark mark = rh__arena_mark(scratch);
    measuring in = {
        .equations = equations, .point = point, .scratch = scratch, .n = equations->carriers.count};
    for (uint32_t k = 0; k < point->layout->symbols.count; k++) {
        out[k] = 1.0;
    }
    double *row_size = rh__arena_array(scratch, double, (size_t)equations->rows.rows + 1);
    RH_TRY(row_size == NULL ? scratch->status : RH_OK);
    double distance = 1.0;
    double push = 0.0;
    *out_time = 1.0;
    RH_TRY(weigh(&in));
    RH_TRY(measure_rows(&in, row_size));
    RH_TRY(measure_push(&in, &push));
    const double speed = measure_values(&in, true, false);
    RH_TRY(measure_distance(&in, row_size, speed, push, &distance));
    RH_TRY(measure_time(&in, row_size, distance, speed, push, out_time));
    RH_TRY(set_all(&in, distance, *out_time, out));
    rh__arena_rewind(scratch, mark);
    return RH_OK;
}
