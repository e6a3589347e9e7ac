// SPDX-License-Identifier: Apache-2.0
// What averages tell.

#include "average/average.h"

#include <math.h>
#include <string.h>

const char *rh_average_reason(const rh_average *average)
{
    return average->over != NULL ? average->over : "";
}

size_t rh_average_void_count(const rh_average *average)
{
    return average->void_count;
}

size_t rh_average_variable_count(const rh_average *average)
{
    return average->n;
}

const char *rh_average_variable_name(const rh_average *average, size_t index)
{
    return index < average->n ? average->names[average->order[index]] : "";
}

size_t rh_average_unknown_count(const rh_average *average)
{
    return average->unknowns;
}

const char *rh_average_unknown_name(const rh_average *average, size_t index)
{
    return index < average->unknowns ? average->names[average->sides[index].variable] : "";
}

void rh_average_unknown_range(const rh_average *average, size_t index, double *out_low,
                              double *out_high)
{
    const bool is_there = index < average->unknowns;
    *out_low = is_there ? average->sides[index].low : (double)NAN;
    *out_high = is_there ? average->sides[index].high : (double)NAN;
}

size_t rh_average_restriction_count(const rh_average *average)
{
    return average->restrictions;
}

const char *rh_average_restriction_name(const rh_average *average, size_t index)
{
    return index < average->restrictions ? average->link_names[index] : "";
}

static rh_average_orbit show(const rh_tour *tour, bool has_eigenvalues)
{
    return (rh_average_orbit){.struct_size = (uint32_t)sizeof(rh_average_orbit),
                              .is_closed = tour->is_closed,
                              .period = tour->period,
                              .residual = tour->residual,
                              .start = tour->shown,
                              .means = tour->is_closed ? tour->means : NULL,
                              .constants = tour->constants,
                              .real = has_eigenvalues ? tour->real : NULL,
                              .imaginary = has_eigenvalues ? tour->imaginary : NULL,
                              .reason = tour->reason};
}

rh_average_orbit rh_average_begin(const rh_average *average)
{
    return show(&average->begin, false);
}

rh_status rh_average_at(rh_average *average, const double *unknowns, rh_average_orbit *out,
                        rh_error *err)
{
    RH_REQUIRE(average != NULL && unknowns != NULL && out != NULL, err);
    double *start = average->ahead; // copied before it is used
    memcpy(start, average->begin.start, average->n * sizeof *start);
    for (uint32_t u = 0; u < average->unknowns; u++) {
        start[average->sides[u].variable] = unknowns[u];
    }
    RH_TRY(rh__tour_run(average, start, &average->trial));
    *out = show(&average->trial, false);
    return RH_OK;
}

size_t rh_average_solution_count(const rh_average *average)
{
    return average->solutions.count;
}

rh_average_orbit rh_average_solution(const rh_average *average, size_t index)
{
    static const rh_tour NONE = {.reason = "there is no such solution"};
    return index < average->solutions.count ? show(&average->solutions.data[index], true)
                                            : show(&NONE, false);
}

size_t rh_average_start_count(const rh_average *average)
{
    return average->tried;
}

size_t rh_average_failure_count(const rh_average *average)
{
    return average->defeats.count;
}

rh_average_failure rh_average_failure_at(const rh_average *average, size_t index)
{
    const bool is_there = index < average->defeats.count;
    return (rh_average_failure){
        .struct_size = (uint32_t)sizeof(rh_average_failure),
        .unknowns = is_there ? average->defeats.data[index].unknowns : NULL,
        .reason = is_there ? average->defeats.data[index].reason : "",
    };
}
