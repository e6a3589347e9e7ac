// SPDX-License-Identifier: Apache-2.0
// Many tangents of a large system: v' = A(t) v with A = df/dx along the motion. The coefficients of
// A come from the fan with seeds that stay, columns without a common row in one run; those of all
// tangents then from
//     (k + 1) v_(k+1) = sum_j A_j v_(k-j),
// tangents innermost. Tangents have fast modes that the motion does not have: A changes slowly over
// the short pieces they need, so only its first coefficients matter there.

#include "orbit/orbit.h"

#include <math.h>
#include <string.h>

enum {
    LANES = 32,             // tangents that are carried together
    ORDER = 32,             // of tangents: A costs little, and long pieces are cheap
    ROUGH_ORDER = 20,       // of tangents that need eight digits
    ROOM = ORDER + 1,       // coefficients of a variable
    LINE = 8,               // doubles of a cache line
    LOOK = 3,               // last coefficients that say how long a series is good for
    MOST_PIECES = 100000,   // of a step
    MOST_ENTRIES = 1 << 16, // of A
    MOST_ROWS = 2048,
    SHARE = 8,   // of ORDER^2: products of an entry with a tangent in a piece
    SURPLUS = 3, // halves a piece may be longer than the one before
};

#define NEGLIGIBLE 1e-2 // of the tolerance: what one coefficient of A may leave out
#define CAUTION 0.97    // of a length that serves, for the next piece
#define COARSE 1e-10    // a tolerance above this is a rough one

// Coefficient k of a variable in the lanes.
#define PLACE(strain, variable, k) ((strain)->lanes + ((size_t)(variable)*ROOM + (k)) * LANES)

// --- loops for each width of registers -----------------------------------------------------------

#define WIDTH 2
#define VECTORS 8
#define TARGET
#define NAMED(noun) noun##_narrow
#include "orbit/growth.def"
#undef WIDTH
#undef VECTORS
#undef TARGET
#undef NAMED

#if defined(__x86_64__) && defined(__GNUC__)
#define IS_SUPPORTED(feature) (__builtin_cpu_supports(feature) != 0)

#define WIDTH 4
#define VECTORS 8
#define TARGET __attribute__((target("avx2")))
#define NAMED(noun) noun##_wide
#include "orbit/growth.def"
#undef WIDTH
#undef VECTORS
#undef TARGET
#undef NAMED

#define WIDTH 8
#define VECTORS 4
#define TARGET __attribute__((target("avx512f")))
#define NAMED(noun) noun##_widest
#include "orbit/growth.def"
#undef WIDTH
#undef VECTORS
#undef TARGET
#undef NAMED
#else
#define IS_SUPPORTED(feature) false
#define grow_wide grow_narrow
#define grow_widest grow_narrow
#define reach_wide reach_narrow
#define reach_widest reach_narrow
#endif

static uint32_t find_width(void)
{
    return IS_SUPPORTED("avx512f") ? 8 : IS_SUPPORTED("avx2") ? 4 : 2;
}

static void grow(const rh_strain *strain, uint32_t stride, uint32_t k, uint32_t most, double *sizes)
{
    if (strain->width == 8) {
        grow_widest(strain, stride, k, most, sizes);
    } else if (strain->width == 4) {
        grow_wide(strain, stride, k, most, sizes);
    } else {
        grow_narrow(strain, stride, k, most, sizes);
    }
}

static void reach(const rh_strain *strain, uint32_t order, double length)
{
    if (strain->width == 8) {
        reach_widest(strain, order, length);
    } else if (strain->width == 4) {
        reach_wide(strain, order, length);
    } else {
        reach_narrow(strain, order, length);
    }
}

// How some tangents go on.
typedef struct piece {
    double length;
    uint32_t order;   // at most
    double tolerance; // relative
    double least;     // what a term may leave out
} piece;

// --- the pattern ---------------------------------------------------------------------------------

static rh_status find_entries(rh_strain *strain, const rh_tape *tape, rh_arena *scratch,
                              bool *out_is_sparse)
{
    const uint32_t n = strain->n;
    uint64_t *bits = NULL;
    size_t words = 0;
    const rh_range x = {.first = 1, .count = n};
    const rh_status status = rh__tape_depend(tape, x, n, scratch, &bits, &words);
    *out_is_sparse = status == RH_OK;
    if (status != RH_OK) {
        return status == RH_E_LIMIT ? RH_OK : status;
    }
    strain->begin = rh__arena_array(&strain->arena, uint32_t, (size_t)n + 1);
    strain->column = rh__arena_array(&strain->arena, uint32_t, MOST_ENTRIES);
    if (strain->begin == NULL || strain->column == NULL) {
        return strain->arena.status;
    }
    for (uint32_t i = 0; i < n; i++) {
        strain->begin[i] = strain->count;
        for (uint32_t k = 0; k < n; k++) {
            if ((bits[i * words + k / 64] >> k % 64 & 1) != 0) {
                *out_is_sparse = *out_is_sparse && strain->count < MOST_ENTRIES;
                strain->column[strain->count % MOST_ENTRIES] = k;
                strain->count += *out_is_sparse;
            }
        }
    }
    strain->begin[n] = strain->count;
    return RH_OK;
}

// The rows of each column, one after the other: `first` has n + 1 numbers.
static void transpose(const rh_strain *strain, uint32_t *first, uint32_t *rows)
{
    const uint32_t n = strain->n;
    for (uint32_t e = 0; e < strain->count; e++) {
        first[strain->column[e] + 1]++;
    }
    for (uint32_t k = 0; k < n; k++) {
        first[k + 1] += first[k];
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t e = strain->begin[i]; e < strain->begin[i + 1]; e++) {
            rows[first[strain->column[e]]++] = i;
        }
    }
    for (uint32_t k = n; k > 0; k--) {
        first[k] = first[k - 1];
    }
    first[0] = 0;
}

// Each column gets the first colour that none of its rows has.
static rh_status find_colours(rh_strain *strain, rh_arena *scratch)
{
    const uint32_t n = strain->n;
    uint32_t *first = rh__arena_array(scratch, uint32_t, (size_t)n + 2);
    uint32_t *rows = rh__arena_array(scratch, uint32_t, (size_t)strain->count + 1);
    bool *has = rh__arena_array(scratch, bool, (size_t)n *n + 1); // by colour, by row
    strain->colour = rh__arena_array(&strain->arena, uint32_t, (size_t)n + 1);
    if (first == NULL || rows == NULL || has == NULL) {
        return scratch->status;
    }
    if (strain->colour == NULL) {
        return strain->arena.status;
    }
    transpose(strain, first, rows);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t colour = 0;
        for (uint32_t r = first[k]; r < first[k + 1];) {
            const bool is_taken = has[(size_t)colour * n + rows[r]];
            colour += is_taken;
            r = is_taken ? first[k] : r + 1;
        }
        for (uint32_t r = first[k]; r < first[k + 1]; r++) {
            has[(size_t)colour * n + rows[r]] = true;
        }
        strain->colour[k] = colour;
        strain->colour_count = colour >= strain->colour_count ? colour + 1 : strain->colour_count;
    }
    return RH_OK;
}

// Fewer runs of the tape for A than for all tangents, against products with A.
static bool pays(const rh_strain *strain, const rh_strain_def *def)
{
    // of a tangent: each product has two
    const uint64_t run =
        2 * (rh__emit_work(def->tape, def->order) + (uint64_t)def->tape->slot_count * def->order);
    const uint64_t lanes = (def->tangents + LANES - 1) / LANES * LANES;
    return strain->colour_count * run + strain->count * lanes * (ORDER * ORDER / SHARE) <
           def->tangents * run;
}

// --- making --------------------------------------------------------------------------------------

static rh_status reserve(rh_strain *strain, uint32_t order)
{
    rh_arena *arena = &strain->arena;
    const size_t size = (size_t)strain->count * order;
    strain->seeds = rh__arena_array(arena, double, (size_t)strain->n * strain->colour_count);
    strain->bound = rh__arena_array(arena, double, (size_t)order + 1);
    strain->own = rh__arena_array(arena, double, size + 1);
    strain->here = rh__arena_array(arena, double, size + 1);
    strain->factor = rh__arena_array(arena, double, size + 1);
    strain->length = rh__arena_array(arena, uint32_t, (size_t)strain->count + 1);
    // vectors lie within cache lines
    double *lanes = rh__arena_array(arena, double, (size_t)strain->n *ROOM *LANES + LINE);
    const size_t odd = (uintptr_t)lanes / sizeof *lanes % LINE;
    strain->lanes = lanes != NULL ? lanes + (LINE - odd) % LINE : NULL;
    return arena->status;
}

static rh_status make(rh_strain *strain, const rh_strain_def *def, rh_arena *scratch)
{
    bool is_sparse = strain->n <= MOST_ROWS;
    if (is_sparse) {
        RH_TRY(find_entries(strain, def->tape, scratch, &is_sparse));
    }
    if (is_sparse) {
        RH_TRY(find_colours(strain, scratch));
    }
    if (!is_sparse || !pays(strain, def)) {
        strain->colour_count = 0;
        return RH_OK;
    }
    return reserve(strain, def->order);
}

rh_status rh__strain_create(const rh_strain_def *def, rh_allocator allocator, rh_strain *out)
{
    *out = (rh_strain){
        .n = def->n, .width = find_width(), .arena = rh__arena_begin(allocator, SIZE_MAX)};
    rh_arena scratch = rh__arena_begin(allocator, SIZE_MAX);
    const rh_status status = make(out, def, &scratch);
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        rh__strain_destroy(out);
    }
    return status;
}

void rh__strain_destroy(rh_strain *strain)
{
    if (strain->arena.allocator.free != NULL) {
        rh__arena_end(&strain->arena);
    }
    *strain = (rh_strain){.n = 0};
}

// --- the matrix ----------------------------------------------------------------------------------

// The coefficients of A at a time, in sizes of variables. Hands back how long they are good for.
static double gather(rh_strain *strain, rh_fan *fan, const rh_stretch *over, double time)
{
    const uint32_t n = strain->n;
    const uint32_t count = strain->count;
    rh__series_value(over->series, time, over->x);
    for (uint32_t first = 0; first < strain->colour_count; first += fan->directions) {
        for (uint32_t k = 0; k < n * fan->directions; k++) {
            strain->seeds[k] = strain->colour[k % n] == first + k / n ? 1.0 : 0.0;
        }
        rh__fan_slopes(fan, time, over->x, strain->seeds);
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t e = strain->begin[i]; e < strain->begin[i + 1]; e++) {
                const uint32_t d = strain->colour[strain->column[e]] - first;
                const double unit = over->sizes[strain->column[e]] / over->sizes[i];
                for (uint32_t k = 0; d < fan->directions && k < fan->order; k++) {
                    strain->own[(size_t)k * count + e] = unit * rh__fan_slope(fan, i, d, k);
                }
            }
        }
    }
    double length = INFINITY;
    for (uint32_t k = fan->order - LOOK; k < fan->order; k++) {
        double size = 0.0;
        for (uint32_t e = 0; e < count; e++) {
            const double one = fabs(strain->own[(size_t)k * count + e]);
            size = one <= size ? size : one; // keeps what is no number
        }
        length = size > 0.0 ? fmin(length, pow(over->tolerance / size, 1.0 / (k + 1))) : length;
        length = isfinite(size) ? length : (double)NAN;
    }
    return length;
}

// A as a series in time from a later point on: Horner's scheme, entries innermost.
static RH_WIDE void shift(size_t count, uint32_t order, double by, double *a)
{
    for (uint32_t j = 0; j + 1 < order; j++) {
        for (uint32_t i = order - 1; i-- > j;) {
            double *to = a + i * count;
            const double *from = to + count;
            for (size_t e = 0; e < count; e++) {
                to[e] += by * from[e];
            }
        }
    }
}

// What matters of it over a while, orders innermost; and how much it changes tangents at most.
static void trim(rh_strain *strain, uint32_t order, double length, double least)
{
    const size_t count = strain->count;
    memset(strain->bound, 0, order * sizeof *strain->bound);
    for (size_t e = 0; e < count; e++) {
        double power = length;
        strain->length[e] = 0;
        for (uint32_t k = 0; k < order; k++, power *= length) {
            const double a = strain->here[k * count + e];
            const double size = fabs(a) * power;
            strain->factor[e * order + k] = a;
            strain->length[e] = !(size <= least) ? k + 1 : strain->length[e];
            strain->bound[k] = size <= strain->bound[k] ? strain->bound[k] : size;
        }
    }
}

// --- tangents ------------------------------------------------------------------------------------

// The largest number of each tangent.
static void find_sizes(const rh_strain *strain, double *out)
{
    memset(out, 0, LANES * sizeof *out);
    for (uint32_t i = 0; i < strain->n; i++) {
        const double *at = PLACE(strain, i, 0);
        for (uint32_t l = 0; l < LANES; l++) {
            out[l] = fabs(at[l]) <= out[l] ? out[l] : fabs(at[l]);
        }
    }
}

// The largest share of what tangents are.
static double compare(const double *sizes, const double *whole)
{
    double share = 0.0;
    for (uint32_t l = 0; l < LANES; l++) {
        const double one = whole[l] > 0.0 ? sizes[l] / whole[l] : whole[l];
        share = one <= share ? share : one;
    }
    return share;
}

// How many coefficients of A matter in order k: those that move something, times what tangents have
// in the order they meet there (`terms`, over the length).
static uint32_t find_most(const rh_strain *strain, uint32_t stride, const double *terms, uint32_t k,
                          double least)
{
    uint32_t most = 1;
    for (uint32_t j = 1; j <= k && j < stride; j++) {
        most = !(strain->bound[j] * terms[k - j] <= least * (k + 1)) ? j + 1 : most;
    }
    return most;
}

// Coefficients of some tangents over a length, as many as that needs; hands back how many there
// are, and in `good` how long they serve.
static uint32_t expand(const rh_strain *strain, uint32_t stride, const piece *over, double *good)
{
    double whole[LANES];
    double sizes[LANES];
    double terms[ROOM];
    double power = 1.0;
    uint32_t quiet = 0;
    find_sizes(strain, whole);
    terms[0] = 1.0;
    *good = over->length;
    for (uint32_t k = 0; k < over->order; k++) {
        grow(strain, stride, k, find_most(strain, stride, terms, k, over->least), sizes);
        power *= over->length;
        terms[k + 1] = compare(sizes, whole) * power;
        quiet = terms[k + 1] <= over->tolerance ? quiet + 1 : 0;
        if (quiet == LOOK) {
            return k + 1;
        }
    }
    for (uint32_t k = over->order - LOOK + 1; k <= over->order; k++) {
        const double share = pow(over->tolerance / terms[k], 1.0 / k);
        *good = terms[k] > 0.0 ? fmin(*good, share * over->length) : *good;
        *good = isfinite(terms[k]) ? *good : (double)NAN;
    }
    return over->order;
}

static void put_lanes(const rh_strain *strain, const double *sizes, const double *v, uint32_t count)
{
    for (uint32_t i = 0; i < strain->n; i++) {
        double *at = PLACE(strain, i, 0);
        for (uint32_t l = 0; l < LANES; l++) {
            at[l] = l < count ? v[(size_t)l * strain->n + i] / sizes[i] : 0.0;
        }
    }
}

static void take_lanes(const rh_strain *strain, const double *sizes, uint32_t count, double *v)
{
    for (uint32_t i = 0; i < strain->n; i++) {
        const double *at = PLACE(strain, i, 0);
        for (uint32_t l = 0; l < count; l++) {
            v[(size_t)l * strain->n + i] = at[l] * sizes[i];
        }
    }
}

// The length that terms like those of exp have at an order, up to a factor.
static double span_of(double tolerance, uint32_t order)
{
    double sum = log(tolerance);
    for (uint32_t k = 2; k <= order; k++) {
        sum += log(k);
    }
    return exp(sum / order);
}

// Up to LANES tangents over the first `whole` of what A is good for, in pieces of the same length
// where that serves.
static bool carry(rh_strain *strain, uint32_t stride, double whole, double tolerance)
{
    const size_t size = (size_t)strain->count * stride;
    piece at = {.order = tolerance > COARSE ? ROUGH_ORDER : ORDER,
                .tolerance = tolerance,
                .least = NEGLIGIBLE * tolerance};
    double done = 0.0;
    for (uint32_t k = 0; done < whole && k < MOST_PIECES; k++) {
        const double left = whole - done;
        double good = 0.0;
        at.length = strain->pace > 0.0 ? left / ceil(left / strain->pace) : left;
        memcpy(strain->here, strain->own, size * sizeof *strain->here);
        if (done > 0.0) {
            shift(strain->count, stride, done, strain->here);
        }
        trim(strain, stride, at.length, at.least);
        const uint32_t order = expand(strain, stride, &at, &good);
        if (!(good > 0.0)) {
            return false;
        }
        reach(strain, order, good);
        // one that was too long is shorter next time, one with fewer orders may be longer
        strain->pace = good < at.length   ? CAUTION * good
                       : order < at.order ? CAUTION * good * span_of(tolerance, at.order) /
                                                span_of(tolerance, order)
                                          : strain->pace;
        done = good >= left ? whole : done + good;
    }
    return done >= whole;
}

bool rh__strain_carry(rh_strain *strain, rh_fan *fan, const rh_stretch *over, uint32_t tangents,
                      double *v)
{
    double time = over->time;
    for (uint32_t k = 0; time < over->end && k < MOST_PIECES; k++) {
        const double good = gather(strain, fan, over, time);
        if (!(good > 0.0)) {
            return false;
        }
        const bool is_last = time + good >= over->end;
        for (uint32_t first = 0; first < tangents; first += LANES) {
            const uint32_t count = tangents - first < LANES ? tangents - first : LANES;
            put_lanes(strain, over->sizes, v + (size_t)first * strain->n, count);
            if (!carry(strain, fan->order, is_last ? over->end - time : good, over->tolerance)) {
                return false;
            }
            take_lanes(strain, over->sizes, count, v + (size_t)first * strain->n);
        }
        time = is_last ? over->end : time + good;
    }
    return time >= over->end && rh__vector_is_finite((size_t)tangents * strain->n, v);
}
