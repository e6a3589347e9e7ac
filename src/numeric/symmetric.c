// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of symmetric matrices over LAPACK.

#include "numeric/numeric.h"

#include "numeric/lapack.h"

#include <string.h>

rh_status rh__eigen_symmetric(rh_arena *arena, uint32_t n, const double *a, double *out_values,
                              double *out_vectors)
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
    int info = 0;
    double *work = rh__arena_array(arena, double, (size_t)work_size);
    if (work == NULL) {
        return arena->status;
    }
    memcpy(out_vectors, a, sizeof *a * n * n);
    rh__lapack_enter();
    dsyev_("V", "L", &size, out_vectors, &size, out_values, work, &work_size, &info, 1, 1);
    rh__lapack_leave();
    rh__arena_rewind(arena, mark);
    return info != 0 ? RH_E_LIMIT : RH_OK;
}
