// SPDX-License-Identifier: Apache-2.0
// Charts: the verdict on the stability of steady motions over a grid of two quantities, and the
// curves that part one verdict from another.

#pragma once

#include "rheonom/base.h"
#include "rheonom/steady.h"

RH_EXTERN_C_BEGIN

/// One side of a chart: `count` values from `low` to `high`, both ends included.
typedef struct rh_chart_axis {
    const char *name; ///< a variable, parameter or observed quantity: as in rh_steady_def.fix
    double low, high;
    uint32_t count; ///< at least 2
} rh_chart_axis;

/// Recipe for a chart. Begin with rh_chart_def_default(), then change what you need.
typedef struct rh_chart_def {
    uint32_t struct_size;  ///< set by the default function; do not touch
    uint32_t thread_count; ///< 0: one for each processor. All give the same bits
    rh_steady_def steady;  ///< what is fixed besides, and where the search begins
    rh_chart_axis x, y;
    const char *const *solve; ///< variables to be shown; when the motion is not determined, all
    size_t solve_count;       ///< others keep their values. None: all that are not fixed
    uint32_t branch;   ///< which steady motion: 1 is the one nearest to the guess, in the middle
    uint32_t reserved; ///< must be 0
    bool (*go_on)(void *user, uint64_t done,
                  uint64_t count); ///< asked now and then by the calling
                                   ///< thread; false ends it. May be NULL
    void *user;
} rh_chart_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_chart_def rh_chart_def_default(void)
{
    rh_chart_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.steady = rh_steady_def_default();
    def.branch = 1;
    return def;
}

/// What a point of a chart is: a rh_steady_verdict, or one of these.
enum {
    RH_CHART_NONE = 6,    ///< the branch has no steady motion there
    RH_CHART_MISSING = 7, ///< it was not computed: the chart was interrupted
    RH_CHART_KINDS = 8
};

/// "asymptotically stable" ... as rh_steady_verdict_text(); "none", "not computed".
RH_API const char *rh_chart_kind_text(uint32_t kind);

/// Compute a chart. The steady motion in the middle is found and followed over the grid.
/// @param equations  kept by reference
/// @param out        receives what the caller destroys; an interrupted chart has what was computed
/// @return RH_E_ARGUMENT, with the reason, when a name or number is wrong; RH_E_UNAVAILABLE when
///         a motion is not determined by what is fixed; RH_E_LIMIT, with the reason, when none was
///         found; RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_chart_create(rh_equations *equations, const rh_chart_def *def,
                                              rh_chart **out, rh_error *err);
/// Destroy a chart. NULL is allowed.
RH_API void rh_chart_destroy(rh_chart *chart);

typedef struct rh_chart_summary {
    uint32_t struct_size;            ///< of the caller's struct
    uint32_t dimension;              ///< of the steady set, certified where the search began
    rh_chart_axis x, y;              ///< as asked for
    uint64_t counts[RH_CHART_KINDS]; ///< points of each kind
    double seed[2];                  ///< where the search began
    uint32_t branch_count;           ///< steady motions that were found there
    uint32_t region_count;           ///< connected regions in which the dimension was certified
    size_t curve_count;
    bool is_complete;
} rh_chart_summary;

RH_API rh_chart_summary rh_chart_summarise(const rh_chart *chart);

/// Variables of the points: those asked for, or all that are solved for.
RH_API size_t rh_chart_variable_count(const rh_chart *chart);
RH_API const char *rh_chart_variable_name(const rh_chart *chart, size_t index);

typedef struct rh_chart_point {
    double x, y;
    uint32_t kind;
    double abscissa; ///< real part of the rightmost remaining root; NaN where there is none
} rh_chart_point;

/// The point in column i < x.count and row j < y.count.
RH_API rh_chart_point rh_chart_at(const rh_chart *chart, uint32_t i, uint32_t j);
/// A variable there; NaN where there is no steady motion.
RH_API double rh_chart_value(const rh_chart *chart, uint32_t i, uint32_t j, size_t variable);

/// A curve that parts two kinds. On every line of the grid it crosses, the place is a root of what
/// decides; between the lines it is straight.
typedef struct rh_chart_curve {
    const double *points; ///< x, y, x, y, ...; borrowed from the chart
    size_t count;
    uint32_t kinds[2];
    bool is_closed; ///< its first point follows its last
    /// How far each number of `points` may be off by rounding; 0: it is that of a line of the grid.
    const double *bars;
} rh_chart_curve;

RH_API rh_chart_curve rh_chart_curve_at(const rh_chart *chart, size_t index);

RH_EXTERN_C_END
