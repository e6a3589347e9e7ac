// SPDX-License-Identifier: Apache-2.0
// Searches that keep away from solutions which are known: Newton's method for weight * means with
//     weight = product over the poles p of (1 + 1/d^2),
// d being the distance from p in widths of the box. With delta the step for the means alone, the
// step is delta / (1 - g), g the derivative of log(weight) along delta (Sherman and Morrison).

#include "average/average.h"

#include <math.h>

// The distance from a pole, squared; `out_along`: its scalar product with a change of the unknowns.
static double distance(const rh_average *average, const double *start, const double *pole,
                       const double *change, double *out_along)
{
    double square = 0.0;
    *out_along = 0.0;
    for (uint32_t u = 0; u < average->unknowns; u++) {
        const rh_box_side *side = &average->sides[u];
        const double width = side->high - side->low;
        RH_ASSERT(width > 0.0 && side->variable < average->n);
        const double away = (start[side->variable] - pole[u]) / width;
        square += away * away;
        *out_along += change != NULL ? away * change[u] / width : 0.0;
    }
    return square;
}

double rh__deflation_weight(const rh_average *average, const double *start)
{
    double weight = 1.0;
    double along = 0.0;
    for (uint32_t k = 0; average->is_shy && k < average->poles.count; k++) {
        weight *= 1.0 + 1.0 / distance(average, start, average->poles.data[k], NULL, &along);
    }
    RH_ASSERT(!(weight < 1.0));
    return weight;
}

double rh__deflation_stretch(const rh_average *average, const double *start, const double *change)
{
    double slope = 0.0;
    for (uint32_t k = 0; average->is_shy && k < average->poles.count; k++) {
        double along = 0.0;
        const double square = distance(average, start, average->poles.data[k], change, &along);
        slope -= 2.0 * along / (square * (square + 1.0));
    }
    const double stretch = 1.0 / (1.0 - slope);
    return isfinite(stretch) ? stretch : 1.0;
}

rh_status rh__deflation_add(rh_average *average, const double *start)
{
    double *pole = rh__arena_array(&average->arena, double, (size_t)average->unknowns + 1);
    if (pole == NULL) {
        return average->arena.status;
    }
    for (uint32_t u = 0; u < average->unknowns; u++) {
        pole[u] = start[average->sides[u].variable];
    }
    return rh__array_push(&average->arena, &average->poles, pole) ? RH_OK : average->arena.status;
}
