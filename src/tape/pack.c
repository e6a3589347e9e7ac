// SPDX-License-Identifier: Apache-2.0
// The sums over finished orders, in the text of straight lines. Statement by statement they are
// most of the text, and a processor reads it more slowly than it multiplies. For one point the
// factors of all products lie side by side, a row for each order, and the sums are vertical: for
// four orders at once as far as their orders go, in a loop, and what is missing of each order when
// its turn comes. For lanes the same terms stand in straight lines, in the same order, so every
// number of lanes has the same bits; each coefficient is read once for four orders there too.
//
// L and R are the rows of left and right factors, Q those of the sums of four orders. Lanes have
// all factors once, in the rows of G.

#include "tape/chain.h"

enum {
    SPAN = 4,   // orders of a block; the first one begins at order 4
    CHUNK = 8,  // numbers side by side
    FEWEST = 4, // sums that are worth a row
    LEAST = 7   // the order of a series that is
};

// Two chunks at once, since each sum waits for its last term.
static const char WORDS[] =
    "#if LANES == 1\n"
    "#if defined(FUSED8) /* as many numbers as the machine has side by side */\n"
    "#define PACE 8\n"
    "#define blend(a, b, c) ((Piece)FUSED8(a, b, c))\n"
    "#define LAY(x, a, b, c, d, e, f, g, h) { const Piece at = {a, b, c, d, e, f, g, h}; PUT(at, "
    "x); }\n"
    "#elif defined(FUSED4)\n"
    "#define PACE 4\n"
    "#define blend(a, b, c) ((Piece)FUSED4(a, b, c))\n"
    "#define LAY(x, a, b, c, d, e, f, g, h) \\\n"
    "    { const Piece at = {a, b, c, d}, to = {e, f, g, h}; PUT(at, x); PUT(to, (x) + 4); }\n"
    "#else\n"
    "#define PACE 1\n"
    "#define blend(a, b, c) F(a, b, c)\n"
    "#define LAY(x, a, b, c, d, e, f, g, h) \\\n"
    "    (x)[0] = a, (x)[1] = b, (x)[2] = c, (x)[3] = d, \\\n"
    "    (x)[4] = e, (x)[5] = f, (x)[6] = g, (x)[7] = h;\n"
    "#endif\n"
    "#if PACE > 1\n"
    "#define ALIGNED __attribute__((aligned(64)))\n"
    "#define APART __attribute__((noinline)) /* one loop for all orders */\n"
    "typedef double Piece __attribute__((vector_size(PACE * sizeof(double))));\n"
    "#define piece(x) __extension__({ Piece at; __builtin_memcpy(&at, x, sizeof at); at; })\n"
    "#define PUT(c, x) __builtin_memcpy(x, &(c), sizeof(Piece))\n"
    "#else\n"
    "#define ALIGNED\n"
    "#define APART\n"
    "typedef V Piece;\n"
    "#define piece(x) (*(x))\n"
    "#define PUT(c, x) (*(x) = (c))\n"
    "#endif\n"
    "#define KEEP_SPAN(x, s0, s1, s2, s3) \\\n"
    "    PUT(s0, x); PUT(s1, (x) + ROW); PUT(s2, (x) + 2 * ROW); PUT(s3, (x) + 3 * ROW)\n"
    "static APART void sum_one(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    const Piece none = {0};\n"
    "    Piece s0 = none, s1 = none, s2 = none, s3 = none, y1 = none, y2 = none, y3 = none;\n"
    "    for (int j = 1; j < k; j++) {\n"
    "        const Piece a = piece(x + j * ROW), y0 = piece(y + (k - j) * ROW);\n"
    "        s0 = blend(a, y0, s0); s1 = blend(a, y1, s1);\n"
    "        s2 = blend(a, y2, s2); s3 = blend(a, y3, s3);\n"
    "        y3 = y2; y2 = y1; y1 = y0;\n"
    "    }\n"
    "    KEEP_SPAN(out, s0, s1, s2, s3);\n"
    "}\n"
    "static APART void sum_two(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    const Piece none = {0};\n"
    "    Piece s0 = none, s1 = none, s2 = none, s3 = none, y1 = none, y2 = none, y3 = none;\n"
    "    Piece t0 = none, t1 = none, t2 = none, t3 = none, z1 = none, z2 = none, z3 = none;\n"
    "    for (int j = 1; j < k; j++) {\n"
    "        const Piece a = piece(x + j * ROW), y0 = piece(y + (k - j) * ROW);\n"
    "        const Piece b = piece(x + j * ROW + PACE), z0 = piece(y + (k - j) * ROW + PACE);\n"
    "        s0 = blend(a, y0, s0); t0 = blend(b, z0, t0);\n"
    "        s1 = blend(a, y1, s1); t1 = blend(b, z1, t1);\n"
    "        s2 = blend(a, y2, s2); t2 = blend(b, z2, t2);\n"
    "        s3 = blend(a, y3, s3); t3 = blend(b, z3, t3);\n"
    "        y3 = y2; y2 = y1; y1 = y0;\n"
    "        z3 = z2; z2 = z1; z1 = z0;\n"
    "    }\n"
    "    KEEP_SPAN(out, s0, s1, s2, s3);\n"
    "    KEEP_SPAN(out + PACE, t0, t1, t2, t3);\n"
    "}\n"
    "/* orders k ... k + 3, as far as orders below k go: each number is read once for all four */\n"
    "static inline void sum_span(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    int i = 0;\n"
    "    for (; i + 2 * PACE <= ROW; i += 2 * PACE) { sum_two(x + i, y + i, k, out + i); }\n"
    "    for (; i < ROW; i += PACE) { sum_one(x + i, y + i, k, out + i); }\n"
    "}\n"
    "#if defined(__GNUC__) && !defined(__clang__)\n"
    "#define CHUNKS _Pragma(\"GCC unroll 8\") for (int i = 0; i < ROW; i += PACE)\n"
    "#else\n"
    "#define CHUNKS for (int i = 0; i < ROW; i += PACE)\n"
    "#endif\n"
    "#define TERM(a, b) sum = blend(piece(L + (a) * ROW + i), piece(R + (b) * ROW + i), sum)\n"
    "#else /* what was kept is read: else every use would be, of numbers that are only spilled */\n"
    "#define HOLD __asm__ volatile(\"\" ::: \"memory\");\n"
    "#endif\n"
    "\n";

// --- the plan ------------------------------------------------------------------------------------

typedef struct factors {
    uint32_t left, right;
    bool is_moment; // the left ones are k times coefficients
} factors;

static factors factors_of(const rh_tape *tape, uint32_t sum)
{
    const uint32_t before = tape->products.count + tape->squares.count;
    RH_ASSERT(sum < tape->products.count || sum >= before); // squares have no rows
    if (sum < tape->products.count) {
        return (factors){tape->products.left[sum], tape->products.right[sum], false};
    }
    return (factors){tape->moments.left[sum - before], tape->moments.right[sum - before], true};
}

// Where a factor stands in the rows of lanes; it gets a place when it has none.
static uint32_t shelf_of(rh_emission *in, uint32_t slot, bool is_moment)
{
    RH_ASSERT(slot < in->tape->slot_count);
    uint32_t *place = &in->shelf[2 * slot + (is_moment ? 1 : 0)];
    if (*place == 0) {
        *place = ++in->shelf_count;
    }
    return *place - 1;
}

// What is zero for every point is left out of a text, which rows cannot do.
static bool is_full(const rh_emission *in, uint32_t sum)
{
    const factors of = factors_of(in->tape, sum);
    bool is_full = true;
    for (uint32_t k = 1; is_full && k + 1 < in->order; k++) {
        is_full = !*rh__chain_zero(in, of.left, k) && !*rh__chain_zero(in, of.right, k);
    }
    return is_full;
}

bool rh__pack_plan(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    const uint32_t before = tape->products.count + tape->squares.count;
    const uint32_t count = before + tape->moments.count;
    in->pack = rh__arena_array(in->scratch, uint32_t, (size_t)count + 1);
    in->packed = rh__arena_array(in->scratch, uint32_t, (size_t)count + 1);
    in->shelf = rh__arena_array(in->scratch, uint32_t, 2 * (size_t)tape->slot_count + 1);
    in->pack_count = in->shelf_count = 0; // a text of few orders comes behind that of many
    if (in->pack == NULL || in->packed == NULL || in->shelf == NULL) {
        return false;
    }
    for (uint32_t sum = 0; in->order >= LEAST && sum < count; sum++) {
        const bool is_square = sum >= tape->products.count && sum < before;
        if (!is_square && is_full(in, sum)) {
            in->packed[in->pack_count++] = sum;
        }
    }
    in->pack_count = in->pack_count < FEWEST ? 0 : in->pack_count;
    for (uint32_t place = 0; place < in->pack_count; place++) {
        const factors of = factors_of(tape, in->packed[place]);
        in->pack[in->packed[place]] = place + 1;
        (void)shelf_of(in, of.left, of.is_moment);
        (void)shelf_of(in, of.right, false);
    }
    return true;
}

bool rh__pack_has(const rh_emission *in, uint32_t sum, uint32_t k)
{
    return in->pack_count > 0 && k >= SPAN && in->pack[sum] != 0;
}

// --- the text ------------------------------------------------------------------------------------

static uint32_t row_of(const rh_emission *in)
{
    return (in->pack_count + CHUNK - 1) / CHUNK * CHUNK;
}

void rh__pack_words(rh_emission *in)
{
    if (in->pack_count > 0) {
        rh__text_format(in->out, "#define ROW %u\n", row_of(in));
        rh__text_put(in->out, WORDS);
    }
}

void rh__pack_room(rh_emission *in)
{
    if (in->pack_count > 0) {
        rh__text_format(in->out,
                        "#if LANES == 1\n"
                        "    V L[%u * ROW] ALIGNED, R[%u * ROW] ALIGNED, Q[%d * ROW] ALIGNED;\n"
                        "#else\n"
                        "    V G[%u], Q[%u];\n"
                        "#endif\n",
                        in->order - 1, in->order - 1, SPAN, (in->order - 1) * in->shelf_count,
                        SPAN * in->pack_count);
    }
}

static rh_label left_of(const factors *of, uint32_t k)
{
    return rh__label_name(of->is_moment && k > 1 ? 'd' : 's', of->left, k);
}

static void lay_chunk(rh_emission *in, uint32_t first, uint32_t k, bool is_left)
{
    RH_ASSERT(first % CHUNK == 0);
    rh__text_format(in->out, "    LAY(%c + %u", is_left ? 'L' : 'R', k * row_of(in) + first);
    for (uint32_t place = first; place < first + CHUNK; place++) {
        if (place >= in->pack_count) {
            rh__text_put(in->out, ", 0.0");
            continue;
        }
        const factors of = factors_of(in->tape, in->packed[place]);
        const rh_label word = is_left ? left_of(&of, k) : rh__label_coefficient(of.right, k);
        rh__text_format(in->out, ", %s", word.text);
    }
    rh__text_put(in->out, ")\n");
}

// Of lanes: a coefficient, or k times it, once for all who read it.
static void keep_factor(rh_emission *in, uint32_t slot, uint32_t k, bool is_moment)
{
    const uint32_t place = in->shelf[2 * slot + (is_moment ? 1 : 0)];
    if (place > 0) {
        const rh_label word = rh__label_name(is_moment && k > 1 ? 'd' : 's', slot, k);
        rh__text_format(in->out, "    G[%u] = %s;\n", k * in->shelf_count + place - 1, word.text);
    }
}

void rh__pack_row(rh_emission *in, uint32_t k)
{
    if (in->pack_count == 0 || k == 0 || k + 1 >= in->order) {
        return;
    }
    rh__text_put(in->out, "#if LANES == 1\n");
    for (uint32_t first = 0; first < in->pack_count; first += CHUNK) {
        lay_chunk(in, first, k, true);
        lay_chunk(in, first, k, false);
    }
    rh__text_put(in->out, "#else\n");
    for (uint32_t slot = 0; slot < in->tape->slot_count; slot++) {
        keep_factor(in, slot, k, false);
        keep_factor(in, slot, k, true);
    }
    rh__text_put(in->out, "#endif\n");
}

// Of one point: all sums of order k.
static void sum_rows(rh_emission *in, uint32_t k, uint32_t begin)
{
    if (k == begin) {
        rh__text_format(in->out, "    sum_span(L, R, %u, Q);\n", k);
    } else {
        rh__text_format(in->out, "    CHUNKS {\n        Piece sum = piece(Q + %u * ROW + i);\n",
                        k - begin);
        for (uint32_t j = k - begin; j > 0; j--) {
            rh__text_format(in->out, "        TERM(%u, %u);\n        TERM(%u, %u);\n", j, k - j,
                            k - j, j);
        }
        rh__text_format(in->out, "        PUT(sum, Q + %u * ROW + i);\n    }\n", k - begin);
    }
    for (uint32_t place = 0; place < in->pack_count; place++) {
        rh__text_format(in->out, "    V p%u_%u = Q[%u];\n", in->packed[place], k,
                        (k - begin) * row_of(in) + place);
    }
}

static void add_term(rh_chain *c, const factors *of, uint32_t j)
{
    rh__chain_product(c, 1, left_of(of, j), rh__label_coefficient(of->right, c->k - j));
}

// In lanes: one sum of all orders of a block, as far as orders below it go.
static void sum_window(rh_emission *in, uint32_t place, uint32_t begin)
{
    RH_ASSERT(begin % SPAN == 0 && begin < in->order);
    const factors of = factors_of(in->tape, in->packed[place]);
    const uint32_t left = shelf_of(in, of.left, of.is_moment);
    const uint32_t right = shelf_of(in, of.right, false);
    const uint32_t span = in->order - begin < SPAN ? in->order - begin : SPAN;
    rh__text_put(in->out, "    {\n    V t0 = K(0.0), t1 = t0, t2 = t0, t3 = t0;\n");
    for (uint32_t j = 1; j < begin; j++) {
        rh__text_format(in->out, "    const V x%u = G[%u], y%u = G[%u];\n", j,
                        j * in->shelf_count + left, begin - j,
                        (begin - j) * in->shelf_count + right);
        for (uint32_t i = 0; i < span && i < j; i++) {
            rh__text_format(in->out, "    t%u = F(x%u, y%u, t%u);\n", i, j, begin + i - j, i);
            rh__emit_count(in, 1);
        }
    }
    for (uint32_t i = 0; i < span; i++) {
        rh__text_format(in->out, "    Q[%u] = t%u;\n", SPAN * place + i, i);
    }
    rh__text_put(in->out, "    }\n");
}

// All sums of order k.
static void sum_lines(rh_emission *in, uint32_t k, uint32_t begin)
{
    rh__text_put(in->out, k == begin ? "    HOLD\n" : "");
    for (uint32_t place = 0; k == begin && place < in->pack_count; place++) {
        sum_window(in, place, begin);
    }
    for (uint32_t place = 0; place < in->pack_count; place++) {
        const factors of = factors_of(in->tape, in->packed[place]);
        rh_chain c = rh__chain_begin(in, 'p', in->packed[place], k);
        rh__text_format(in->out, "    V p%u_%u = Q[%u];\n", in->packed[place], k,
                        SPAN * place + k - begin);
        c.is_begun = true;
        for (uint32_t j = k - begin; j > 0; j--) {
            add_term(&c, &of, j);
            add_term(&c, &of, k - j);
        }
    }
}

void rh__pack_sums(rh_emission *in, uint32_t k)
{
    if (in->pack_count == 0 || k < SPAN) {
        return;
    }
    const uint32_t begin = k - k % SPAN;
    rh__text_put(in->out, "#if LANES == 1\n");
    sum_rows(in, k, begin);
    rh__text_put(in->out, "#else\n");
    sum_lines(in, k, begin);
    rh__text_put(in->out, "#endif\n");
    for (uint32_t place = 0; place < in->pack_count; place++) {
        in->has_sum[in->packed[place]] = true;
    }
}
