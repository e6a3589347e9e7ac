// SPDX-License-Identifier: Apache-2.0
// Real roots of a polynomial on [0, 1]. The interval is halved in the Bernstein basis (Lane and
// Riesenfeld 1981) until every piece is of one sure sign, or monotone, or below the level at which
// a value means zero. The pieces, read from left to right, are stretches of sure sign with zones of
// doubt between them: each zone is one root, a crossing when the signs differ, else a touch.
// Before that a sketch by the first coefficients is read, which mostly tells all.
//
// Bernstein coefficients are convex sums, so the computed ones are those of a polynomial that
// differs from the given one by less than the level; values are computed with twice the digits.

#include "numeric/numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    DEEPEST = 52, // halvings; ends of pieces are exact numbers
    SLOTS = DEEPEST + 1,
    PROBES = 8 // of a zone
};

// A root nearer to an end is at the end: what lies just beyond 1 is reported there, so that the
// next step may leave it out.
static const double AT_END = 4 * DBL_EPSILON;

// Where the machine multiplies and adds at once, a rounding is had by one instruction and not by a
// call; the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FUSING __attribute__((target_clones("default", "fma", "avx512f")))
#else
#define FUSING
#endif

// Compensated Horner scheme (Graillat, Langlois and Louvet 2005).
static FUSING double find_value(const double *c, uint32_t degree, double x)
{
    double sum = c[degree];
    double lost = 0.0;
    for (uint32_t k = degree; k-- > 0;) {
        const double product = sum * x;
        const double product_lost = fma(sum, x, -product);
        sum = product + c[k];
        const double added = sum - product;
        const double sum_lost = (product - (sum - added)) + (c[k] - added);
        lost = lost * x + (product_lost + sum_lost);
    }
    return isfinite(lost) ? sum + lost : sum;
}

double rh__polynomial_value(const double *c, uint32_t degree, double x)
{
    return find_value(c, degree, x);
}

double rh__polynomial_scale(const double *c, uint32_t degree, double x)
{
    const double size = fabs(x);
    double sum = fabs(c[degree]);
    for (uint32_t k = degree; k-- > 0;) {
        sum = sum * size + fabs(c[k]);
    }
    return sum;
}

// The sum of sizes; four sums that do not wait for each other.
static double sum_sizes(const double *c, uint32_t count)
{
    double a = 0.0;
    double b = 0.0;
    double d = 0.0;
    double e = 0.0;
    uint32_t k = 0;
    for (; k + 4 <= count; k += 4) {
        a += fabs(c[k]);
        b += fabs(c[k + 1]);
        d += fabs(c[k + 2]);
        e += fabs(c[k + 3]);
    }
    for (; k < count; k++) {
        a += fabs(c[k]);
    }
    return (a + b) + (d + e);
}

double rh__polynomial_bound(const double *c, uint32_t degree)
{
    // rounded up by more than the sum can have lost
    return sum_sizes(c, degree + 1) * (1.0 + (degree + 1.0) * DBL_EPSILON);
}

void rh__polynomial_derivative(const double *c, uint32_t degree, double *out)
{
    out[0] = degree == 0 ? 0.0 : c[1];
    for (uint32_t k = 2; k <= degree; k++) {
        out[k - 1] = k * c[k];
    }
}

// --- one search --------------------------------------------------------------------------------

typedef struct search {
    const double *c; // scaled to largest magnitude 1 ... 2
    uint32_t degree;
    double tolerance, floor;
    double ceiling; // no level on [0, 1] is higher
    bool is_start_included;
    int last_sign; // the first crossing to it ends the search; 0: none does
    bool is_over;
    double *f, *slope; // work: a derivative of p and its derivative
    double sure_at;    // where the sign was sure last
    int sign;          // there; 0: nowhere yet
    bool is_in_zone;   // of doubt, from low to high
    double low, high;
    rh_root_list *out;
} search;

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static double level_at(const search *s, double x)
{
    const double level = s->tolerance * rh__polynomial_scale(s->c, s->degree, x);
    return level > s->floor ? level : s->floor;
}

// Is a value on [0, 1] above its level? Most are above all of them.
static bool is_sure(const search *s, double value, double x)
{
    return fabs(value) > s->ceiling || fabs(value) > level_at(s, x);
}

// The sign of p next to the interval, as far out as needed to be sure; 0 when it never is.
static int sign_beyond(const search *s, double end, double direction)
{
    for (int halvings = DEEPEST; halvings >= 2; halvings--) {
        const double x = end + ldexp(direction, -halvings);
        const double value = rh__polynomial_value(s->c, s->degree, x);
        if (fabs(value) > level_at(s, x)) {
            return sign_of(value);
        }
    }
    return 0;
}

// --- placing one root --------------------------------------------------------------------------

// Even and odd powers apart: sums that do not wait for each other.
static inline double rough_value(const double *c, uint32_t degree, double x)
{
    const double square = x * x;
    uint32_t k = degree - degree % 2;
    double even = c[k];
    double odd = k < degree ? c[degree] : 0.0;
    for (; k > 0; k -= 2) {
        odd = odd * square + c[k - 1];
        even = even * square + c[k - 2];
    }
    return even + x * odd;
}

// Twice the digits are needed only where the sign is in doubt without.
static double change_value(const double *f, uint32_t degree, double bound, double x)
{
    const double value = rough_value(f, degree, x);
    return fabs(value) > bound ? value : rh__polynomial_value(f, degree, x);
}

// Newton's method for f, kept inside a shrinking interval with a change of sign; halving where it
// would leave it or is slow. False when the ends do not differ in sign.
static bool find_change(const double *f, const double *slope, uint32_t degree, double low,
                        double high, double *out)
{
    // what Horner's scheme can lose on [0, 1], with a margin
    const double bound = 1e-14 * rh__polynomial_bound(f, degree);
    const double value_high = change_value(f, degree, bound, high);
    const double value_low = change_value(f, degree, bound, low);
    const int sign = sign_of(value_high);
    if (sign * sign_of(value_low) >= 0) {
        *out = sign == 0 ? high : low;
        return sign == 0 || value_low == 0.0;
    }
    // where a straight line between the ends changes sign, but not at an end
    const double line = value_low / (value_low - value_high);
    double x = low + fmin(fmax(line, 0.01), 0.99) * (high - low);
    double step = high - low;
    bool is_placed = false;
    bool was_good = false; // the last step was one of Newton's
    for (int round = 0; round < 200 && !is_placed && fabs(step) > DBL_EPSILON / 4 * x; round++) {
        const double value = change_value(f, degree, bound, x);
        if (value == 0.0) {
            break;
        }
        if (sign_of(value) == sign) {
            high = x;
        } else {
            low = x;
        }
        const double newton = -value / rough_value(slope, degree - 1, x);
        if (fabs(newton) <= DBL_EPSILON / 4 * x) {
            break; // no number is nearer, and x is an end of the interval by now
        }
        const bool is_good =
            fabs(newton) < 0.5 * fabs(step) && x + newton > low && x + newton < high;
        const double next = is_good ? x + newton : 0.5 * (low + high);
        // steps that shrink as squares leave an error of step^3 over the square of the last
        is_placed =
            is_good && was_good && fabs(value) <= bound &&
            fabs(newton) * fabs(newton) * fabs(newton) < DBL_EPSILON / 16 * x * (step * step);
        was_good = is_good;
        step = next - x;
        x = next;
    }
    *out = x;
    return true;
}

// Is f of one sign, beyond rounding, all over the zone?
static bool is_definite(const search *s, const double *f, uint32_t degree)
{
    int signs = 0;
    for (int k = 0; k <= PROBES; k++) {
        const double x = s->low + (s->high - s->low) * k / PROBES;
        const double value = rh__polynomial_value(f, degree, x);
        const double noise = s->tolerance * rh__polynomial_scale(f, degree, x);
        signs += fabs(value) > noise ? sign_of(value) : 0;
    }
    return signs == PROBES + 1 || signs == -PROBES - 1;
}

// Set f to the derivative of an order, and `slope` to the next.
static void set_derivative(const search *s, uint32_t order)
{
    memcpy(s->f, s->c, sizeof *s->f * (s->degree + 1));
    for (uint32_t k = 0; k < order; k++) {
        rh__polynomial_derivative(s->f, s->degree - k, s->f);
    }
    rh__polynomial_derivative(s->f, s->degree - order, s->slope);
}

// The root in the zone, which the surely signed places `from` and `to` enclose: where p (`order` 0)
// or its first derivative (1) changes sign. A cluster of m roots has an ill determined p but a well
// determined derivative of order m - 1: orders rise by two until the next derivative is definite.
static double place_root(const search *s, double from, double to, uint32_t first_order)
{
    uint32_t order = first_order;
    set_derivative(s, order);
    while (s->is_in_zone && order + 3 <= s->degree &&
           !is_definite(s, s->slope, s->degree - order - 1)) {
        order += 2;
        set_derivative(s, order);
    }
    for (;; order -= 2) {
        double x = 0.0;
        if (find_change(s->f, s->slope, s->degree - order, from, to, &x) &&
            (order == 0 || fabs(rh__polynomial_value(s->c, s->degree, x)) <= level_at(s, x))) {
            return x;
        }
        if (order < 2) {
            return s->low == 0.0 ? 0.0 : s->high == 1.0 ? 1.0 : 0.5 * (s->low + s->high);
        }
        set_derivative(s, order - 2);
    }
}

// --- reading signs from left to right ----------------------------------------------------------

static void add_root(search *s, rh_root root, bool is_at_start)
{
    rh_root_list *out = s->out;
    if (is_at_start) {
        out->first = root.after;
    }
    if (is_at_start && !s->is_start_included) {
        return;
    }
    if (out->count == out->capacity) {
        out->is_complete = false;
        return;
    }
    out->data[out->count++] = root;
}

// The sign is sure again at `to` and is `after` beyond it: what lies between was a root.
static void close_zone(search *s, double to, int after)
{
    const bool starts = s->sign == 0;
    int before = starts ? sign_beyond(s, 0.0, -1.0) : s->sign;
    before = before == 0 ? after : before;
    const rh_root_kind kind = before == after ? RH_ROOT_TOUCH
                              : after > 0     ? RH_ROOT_UP
                                              : RH_ROOT_DOWN;
    const double from = starts ? 0.0 : s->sure_at;
    const uint32_t order = kind == RH_ROOT_TOUCH && s->degree > 1 ? 1 : 0;
    const double at = place_root(s, from, to, order);
    const rh_root root = {.at = at,
                          .low = s->is_in_zone ? fmin(s->low, at) : at,
                          .high = s->is_in_zone ? fmax(s->high, at) : at,
                          .kind = kind,
                          .before = before,
                          .after = after};
    add_root(s, root, starts || at <= AT_END);
    s->is_in_zone = false;
    s->is_over = kind != RH_ROOT_TOUCH && after == s->last_sign && s->out->count > 0;
}

static void put_sure(search *s, double x, int sign)
{
    if (s->is_in_zone || s->sign == -sign) {
        close_zone(s, x, sign);
    }
    if (s->sign == 0) {
        s->out->first = sign;
    }
    s->sign = sign;
    s->sure_at = x;
}

static void put_zone(search *s, double low, double high)
{
    s->low = s->is_in_zone ? s->low : low;
    s->high = high;
    s->is_in_zone = true;
}

static void put_value(search *s, double x, double value)
{
    if (is_sure(s, value, x)) {
        put_sure(s, x, sign_of(value));
    } else {
        put_zone(s, x, x);
    }
}

static void finish_search(search *s)
{
    rh_root_list *out = s->out;
    out->is_zero = s->sign == 0;
    if (s->is_over) {
        out->last = 0;
        return;
    }
    const double beyond_end = rh__polynomial_value(s->c, s->degree, 1.0 + AT_END);
    if (!s->is_in_zone && sign_of(beyond_end) != s->sign && out->is_complete) {
        put_zone(s, 1.0, 1.0);
    }
    if (s->is_in_zone && s->sign != 0 && out->is_complete) {
        const int beyond = sign_beyond(s, 1.0 + AT_END, 1.0);
        const int after = beyond == 0 ? s->sign : beyond;
        close_zone(s, 1.0, after);
        s->sign = after;
    }
    out->last = out->is_complete && !s->is_over ? s->sign : 0;
}

// --- halving -----------------------------------------------------------------------------------

// Replace monomial by Bernstein coefficients: divided by binomials, then summed up repeatedly. The
// sums run over the coefficients in reverse, in `turned`: so wide ones can take them.
static RH_WIDE void enter_bernstein(uint32_t degree, double *restrict b, double *restrict turned)
{
    double binomial = 1.0;
    for (uint32_t k = 0; 2 * k <= degree; k++) { // as many ways to choose k as to leave k out
        turned[degree - k] = b[k] / binomial;
        turned[k] = b[degree - k] / binomial;
        binomial = binomial * (degree - k) / (k + 1);
    }
    for (uint32_t r = degree; r > 0; r--) {
        for (uint32_t i = 0; i < r; i++) {
            turned[i] += turned[i + 1];
        }
    }
    for (uint32_t k = 0; k <= degree; k++) {
        b[k] = turned[degree - k];
    }
}

// De Casteljau at the middle: the right half stays in `b`.
static RH_WIDE void split_bernstein(uint32_t degree, double *restrict b, double *restrict left)
{
    for (uint32_t j = 0; j < degree; j++) {
        left[j] = b[0];
        for (uint32_t i = 0; i < degree - j; i++) {
            b[i] = 0.5 * b[i] + 0.5 * b[i + 1];
        }
    }
    left[degree] = b[0];
}

typedef struct piece {
    double low, width;
    double *b; // degree + 1
} piece;

typedef struct range {
    double least, most; // of the coefficients
    bool is_monotone;
} range;

static range range_of(uint32_t n, const double *b)
{
    range it = {b[0], b[0], false};
    bool is_rising = true;
    bool is_falling = true;
    for (uint32_t k = 1; k <= n; k++) {
        it.least = b[k] < it.least ? b[k] : it.least;
        it.most = b[k] > it.most ? b[k] : it.most;
        is_rising &= b[k] >= b[k - 1];
        is_falling &= b[k] <= b[k - 1];
    }
    it.is_monotone = is_rising || is_falling;
    return it;
}

// Put down the signs of a piece when they are clear; false when it must be halved.
static bool read_piece(search *s, const piece *on)
{
    const double high = on->low + on->width;
    const range it = range_of(s->degree, on->b);
    const double nearest = it.least > 0.0 ? it.least : it.most < 0.0 ? it.most : 0.0;
    const double farthest = it.most > -it.least ? it.most : -it.least;
    if (nearest != 0.0 && is_sure(s, nearest, high)) {
        put_sure(s, on->low, sign_of(nearest));
        put_sure(s, high, sign_of(nearest));
    } else if (!is_sure(s, farthest, on->low) || on->width <= ldexp(1.0, -DEEPEST)) {
        put_zone(s, on->low, high);
    } else if (it.is_monotone) {
        put_value(s, on->low, on->b[0]);
        put_value(s, high, on->b[s->degree]);
    } else {
        return false;
    }
    return true;
}

static void search_interval(search *s, double *slots)
{
    const uint32_t n = s->degree;
    piece stack[SLOTS];
    uint32_t count = 1;
    stack[0] = (piece){0.0, 1.0, slots};
    memcpy(slots, s->c, sizeof *slots * (n + 1));
    enter_bernstein(n, slots, slots + n + 1);
    while (count > 0 && s->out->is_complete && !s->is_over) {
        piece *right = &stack[count - 1];
        if (read_piece(s, right)) {
            count--;
            continue;
        }
        RH_ASSERT(count < SLOTS);
        piece *left = &stack[count++];
        right->width *= 0.5;
        *left = (piece){right->low, right->width, right->b + n + 1};
        right->low += right->width;
        split_bernstein(n, right->b, left->b);
    }
    finish_search(s);
}

// --- a quick look ------------------------------------------------------------------------------

// Polynomials of steps fall off fast: what the first coefficients say is mostly sure whatever the
// others do. Pieces of this sketch are read with a slack for what it leaves out; where that leaves
// a doubt nothing of it counts.
enum { SKETCH = 8, SKETCH_ROOM = 12, SKETCH_SLOTS = 5, SKETCH_WORTH = SKETCH + 2 };

typedef struct sketch {
    double slack; // of values, the level included: none is missed just beyond 1 either
    double steep; // of the slope
} sketch;

typedef struct stroke {
    double low, width;
    double b[SKETCH_ROOM];
} stroke;

// Binomial coefficients of i over k at [k][i].
static const double PASCAL[SKETCH + 1][SKETCH_ROOM] = {{1, 1, 1, 1, 1, 1, 1, 1, 1},
                                                       {0, 1, 2, 3, 4, 5, 6, 7, 8},
                                                       {0, 0, 1, 3, 6, 10, 15, 21, 28},
                                                       {[3] = 1, 4, 10, 20, 35, 56},
                                                       {[4] = 1, 5, 15, 35, 70},
                                                       {[5] = 1, 6, 21, 56},
                                                       {[6] = 1, 7, 28},
                                                       {[7] = 1, 8},
                                                       {[8] = 1}};

// Sums with these over columns that do not wait for each other.
static RH_WIDE void sum_columns(const double *x, double *restrict out)
{
    double sum[SKETCH_ROOM] = {0.0};
    for (uint32_t k = 0; k <= SKETCH; k++) {
        for (uint32_t i = 0; i < SKETCH_ROOM; i++) {
            sum[i] += PASCAL[k][i] * x[k];
        }
    }
    memcpy(out, sum, sizeof sum);
}

static void enter_sketch(const double *c, double *b)
{
    double part[SKETCH + 1];
    for (uint32_t k = 0; k <= SKETCH; k++) {
        part[k] = c[k] / PASCAL[k][SKETCH];
    }
    sum_columns(part, b);
}

// At the middle: means of the first numbers, and of the last.
static void split_sketch(stroke *right, stroke *left)
{
    double turned[SKETCH + 1];
    double sums[SKETCH_ROOM];
    right->width *= 0.5;
    left->low = right->low;
    left->width = right->width;
    right->low += right->width;
    for (uint32_t k = 0; k <= SKETCH; k++) {
        turned[k] = right->b[SKETCH - k];
    }
    sum_columns(right->b, left->b);
    sum_columns(turned, sums);
    double share = 1.0;
    for (uint32_t i = 0; i <= SKETCH; i++, share *= 0.5) {
        left->b[i] *= share;
        right->b[SKETCH - i] = sums[i] * share;
    }
}

// Put down the signs of a piece that all polynomials with this sketch have; false: they differ.
static bool read_sketch(search *s, const sketch *by, const stroke *on)
{
    const double *b = on->b;
    double least = b[0];
    double most = b[0];
    double rise = b[1] - b[0]; // the least change, and the most
    double fall = rise;
    for (uint32_t k = 1; k <= SKETCH; k++) {
        const double change = b[k] - b[k - 1];
        least = b[k] < least ? b[k] : least;
        most = b[k] > most ? b[k] : most;
        rise = change < rise ? change : rise;
        fall = change > fall ? change : fall;
    }
    const double steep = (on->width * by->steep + by->slack) / SKETCH;
    const bool is_clear = least > by->slack || most < -by->slack;
    const bool is_monotone = rise > steep || fall < -steep;
    const bool has_ends = fabs(b[0]) > by->slack && fabs(b[SKETCH]) > by->slack;
    if (is_clear || (is_monotone && has_ends)) {
        put_sure(s, on->low, sign_of(b[0]));
        put_sure(s, on->low + on->width, sign_of(b[SKETCH]));
        return true;
    }
    return false;
}

// False: a doubt is left.
static bool search_sketch(search *s)
{
    sketch by = {.slack = 8.0 * s->ceiling + sum_sizes(s->c + SKETCH + 1, s->degree - SKETCH)};
    stroke stack[SKETCH_SLOTS];
    uint32_t count = 1;
    for (uint32_t k = SKETCH + 1; k <= s->degree; k++) {
        by.steep += k * fabs(s->c[k]);
    }
    stack[0].low = 0.0;
    stack[0].width = 1.0;
    enter_sketch(s->c, stack[0].b);
    while (count > 0 && !s->is_over) {
        stroke *right = &stack[count - 1];
        if (read_sketch(s, &by, right)) {
            count--;
        } else if (count < SKETCH_SLOTS) {
            split_sketch(right, &stack[count++]);
        } else {
            return false;
        }
    }
    s->out->last = s->is_over ? 0 : s->sign;
    return s->out->is_complete;
}

// --- all ---------------------------------------------------------------------------------------

// Scale by a power of two so that no sum overflows and none is lost to underflow.
static void scale_query(const rh_root_query *query, double largest, double *c, search *s)
{
    enum { SAFE = 1000 }; // powers of two whose reciprocals are numbers
    const int shift = -ilogb(largest);
    const double factor = shift > -SAFE && shift < SAFE ? ldexp(1.0, shift) : 0.0;
    for (uint32_t k = 0; k <= query->degree; k++) {
        c[k] = factor > 0.0 ? query->c[k] * factor : ldexp(query->c[k], shift);
    }
    // rounding of the conversion, of the halvings and of the level itself
    const double rounding = (2.0 * query->degree + 4.0) * (DBL_EPSILON / 2);
    s->c = c;
    s->degree = query->degree;
    s->tolerance = query->tolerance > rounding ? query->tolerance : rounding;
    s->floor = factor > 0.0 ? query->floor * factor : ldexp(query->floor, shift);
    s->is_start_included = query->is_start_included;
    s->last_sign = query->last_sign;
    s->ceiling = 1.0001 * fmax(s->tolerance * sum_sizes(c, s->degree + 1), s->floor);
}

// Most steps of a motion have no event, and most of them show it at once, even just beyond 1: the
// first coefficient is larger than all others together. 0 when that does not tell.
static int sign_by_size(const rh_root_query *query, double total)
{
    const double rounding = (2.0 * query->degree + 4.0) * (DBL_EPSILON / 2);
    const double tolerance = query->tolerance > rounding ? query->tolerance : rounding;
    const double first = fabs(query->c[0]);
    const double level = 1.0001 * tolerance * total;
    const bool is_plain = first > 1e-280 && total < 1e280;
    return is_plain && first - (total - first) > 8.0 * (level > query->floor ? level : query->floor)
               ? sign_of(query->c[0])
               : 0;
}

static void forget_roots(rh_root_list *out)
{
    out->count = 0;
    out->first = out->last = 0;
    out->is_complete = true;
    out->is_zero = false;
}

rh_status rh__polynomial_roots(const rh_root_query *query, double *work, rh_root_list *out)
{
    forget_roots(out);
    if (query->degree > RH_POLYNOMIAL_DEGREE) {
        return RH_E_LIMIT;
    }
    const size_t size = (size_t)query->degree + 1;
    const double total = sum_sizes(query->c, (uint32_t)size); // finite where all are
    const bool is_sound = query->tolerance >= 0.0 && query->tolerance < 1.0 &&
                          query->floor >= 0.0 && isfinite(query->floor) &&
                          (isfinite(total) || rh__vector_is_finite(size, query->c));
    if (!is_sound) {
        return RH_E_ARGUMENT;
    }
    out->first = out->last = sign_by_size(query, total);
    if (out->first != 0) {
        return RH_OK;
    }
    double largest = 0.0;
    for (size_t k = 0; k < size; k++) {
        largest = fabs(query->c[k]) > largest ? fabs(query->c[k]) : largest;
    }
    if (largest == 0.0) {
        out->is_zero = true;
        return RH_OK;
    }
    search s = {.f = work + size, .slope = work + 2 * size, .out = out};
    scale_query(query, largest, work, &s);
    search quick = s;
    if (query->degree >= SKETCH_WORTH && search_sketch(&quick)) {
        return RH_OK;
    }
    forget_roots(out);
    search_interval(&s, work + 3 * size);
    return RH_OK;
}
