// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of dense matrices over LAPACK.

#include "numeric/numeric.h"

#include "numeric/lapack.h"

#include <string.h>

rh_status rh__eigen_values(rh_arena *arena, uint32_t n, const double *a, double *out_real,
                           double *out_imaginary)
{
    if (n > RH_DENSE_LIMIT) {
        return RH_E_LIMIT;
    }
    if (!rh__vector_is_finite((size_t)n * n, a)) {
        return RH_E_ARGUMENT;
    }
    if (n == 0) {
        return RH_OK;
    }
    const rh_mark mark = rh__arena_mark(arena);
    const int size = (int)n;
    const int work_size = 8 * size;
    const int one = 1;
    int info = 0;
    double *copy = rh__arena_array(arena, double, (size_t)n *n);
    double *work = rh__arena_array(arena, double, (size_t)work_size);
    if (copy != NULL && work != NULL) {
        memcpy(copy, a, sizeof *a * n * n);
        rh__lapack_enter();
        dgeev_("N", "N", &size, copy, &size, out_real, out_imaginary, NULL, &one, NULL, &one, work,
               &work_size, &info, 1, 1);
        rh__lapack_leave();
    }
    const rh_status status = copy == NULL || work == NULL ? arena->status
                             : info != 0                  ? RH_E_LIMIT
                                                          : RH_OK;
    rh__arena_rewind(arena, mark);
    return status;
}
