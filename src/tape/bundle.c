// SPDX-License-Identifier: Apache-2.0
// Sums of products over scattered places; see bundle.h.

#include "tape/bundle.h"

#include "tape/kernel.h"

bool rh__bundle_create(const rh_bundle_def *def, rh_arena *arena, rh_bundle *out, uint32_t *home,
                       uint32_t first)
{
    const uint32_t chunks = (def->rows + RH_TAPE_LANES - 1) / RH_TAPE_LANES;
    out->rows = def->rows;
    out->begin = rh__arena_array(arena, uint32_t, (size_t)chunks + 1);
    if (out->begin == NULL) {
        return false;
    }
    for (uint32_t c = 0; c < chunks; c++) {
        uint32_t widest = 0;
        for (uint32_t r = c * RH_TAPE_LANES; r < (c + 1) * RH_TAPE_LANES && r < def->rows; r++) {
            const uint32_t width = def->end[r] - def->begin[r];
            RH_ASSERT(def->begin[r] <= def->end[r]);
            widest = width > widest ? width : widest;
        }
        out->begin[c + 1] = out->begin[c] + widest;
    }
    out->size = out->begin[chunks] * RH_TAPE_LANES;
    out->index = rh__arena_array(arena, uint32_t, (size_t)out->size + 1);
    if (out->index == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < def->rows; r++) {
        uint32_t place = out->begin[r / RH_TAPE_LANES] * RH_TAPE_LANES + r % RH_TAPE_LANES;
        for (uint32_t j = def->begin[r]; j < def->end[r]; j++) {
            RH_ASSERT(def->of[j] >= def->base && place < out->size);
            out->index[place] = def->of[j] - def->base;
            home[j] = first + place;
            place += RH_TAPE_LANES;
        }
    }
    return true;
}

// One chunk: the sums of eight rows.
static inline void add_chunk(const rh_bundle *bundle, uint32_t chunk, const double *value,
                             const double *x, double *sum)
{
    for (uint32_t l = 0; l < RH_TAPE_LANES; l++) {
        sum[l] = 0.0;
    }
    for (uint32_t s = bundle->begin[chunk]; s < bundle->begin[chunk + 1]; s++) {
        const uint32_t *index = bundle->index + (size_t)s * RH_TAPE_LANES;
        const double *factor = value + (size_t)s * RH_TAPE_LANES;
        for (uint32_t l = 0; l < RH_TAPE_LANES; l++) {
            sum[l] += factor[l] * x[index[l]];
        }
    }
}

RH_WIDE static void subtract(const rh_bundle *bundle, const double *value, const double *x,
                             double *y)
{
    double sum[RH_TAPE_LANES];
    uint32_t row = 0;
    uint32_t chunk = 0;
    for (; row + RH_TAPE_LANES <= bundle->rows; row += RH_TAPE_LANES, chunk++) {
        add_chunk(bundle, chunk, value, x, sum);
        for (uint32_t l = 0; l < RH_TAPE_LANES; l++) {
            y[row + l] -= sum[l];
        }
    }
    if (row < bundle->rows) {
        add_chunk(bundle, chunk, value, x, sum);
        for (uint32_t l = 0; row + l < bundle->rows; l++) {
            y[row + l] -= sum[l];
        }
    }
}

// The versions of a function for several machines are not hidden by the linker: only static ones
// are.
void rh__bundle_subtract(const rh_bundle *bundle, const double *value, const double *x, double *y)
{
    subtract(bundle, value, x, y);
}
