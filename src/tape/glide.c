// SPDX-License-Identifier: Apache-2.0
// C text for whole steps, where nothing but the series decides: no events, no constraints to return
// to. What the library does around a series (how long the step is, whether the polynomial still
// moves as the equations say, the new state) costs as much as a compiled series, so it is compiled
// with it: for one motion, or for one in each lane. Lanes go on by themselves: each has its own
// length, its own phase, and leaves when it needs the library.
//
// The check at the end of a step is the series of the next one: its first coefficient is the rate.

#include "tape/emit.h"

#include <math.h>

// Cells of numbers: components of one motion side by side, or one component of each lane.
static const char CELLS[] =
    "#if LANES == 1\n"
    "#if defined(__AVX512F__)\n"
    "#define WIDTH 8\n"
    "#elif defined(__AVX__)\n"
    "#define WIDTH 4\n"
    "#else\n"
    "#define WIDTH 2\n"
    "#endif\n"
    "#define CELL_WIDTH WIDTH\n"
    "typedef double Cell __attribute__((vector_size(WIDTH * sizeof(double))));\n"
    "typedef __typeof__((Cell){0} < (Cell){0}) Bits;\n"
    "#define EACH_CELL for (int l = 0; l < WIDTH; l++)\n"
    "#if WIDTH == 8 && defined(FUSED8)\n"
    "static inline Cell join(Cell a, Cell b, Cell c) { return (Cell)FUSED8(a, b, c); }\n"
    "#elif WIDTH == 4 && defined(FUSED4)\n"
    "static inline Cell join(Cell a, Cell b, Cell c) { return (Cell)FUSED4(a, b, c); }\n"
    "#elif defined(FP_FAST_FMA)\n"
    "static inline Cell join(Cell a, Cell b, Cell c) { Cell r; EACH_CELL r[l] = fma(a[l], b[l], "
    "c[l]); return r; }\n"
    "#else\n"
    "static inline Cell join(Cell a, Cell b, Cell c) { return a * b + c; }\n"
    "#endif\n"
    "#define CELLS (PAD / WIDTH)\n"
    "#define PICK(m, a, b) ((m) ? (a) : (b))\n"
    "#define NOT(m) (!(m))\n"
    "#define ANY(m) (m)\n"
    "#define FIRST(q) ((q)[0])\n"
    "static inline double least(Cell q)\n"
    "{\n"
    "    double r = q[0];\n"
    "    EACH_CELL { r = q[l] < r ? q[l] : r; }\n"
    "    return r;\n"
    "}\n"
    "static inline int all(Bits m)\n"
    "{\n"
    "    long long r = -1;\n"
    "    EACH_CELL { r &= m[l]; }\n"
    "    return r != 0;\n"
    "}\n"
    "static inline Cell row(const struct point *p, int k, int j)\n"
    "{\n"
    "    Cell r = {0};\n"
    "    const int left = COUNT - j * WIDTH;\n"
    "    __builtin_memcpy(&r, p->jet + k * STRIDE + 1 + j * WIDTH,\n"
    "                     sizeof(double) * (left < WIDTH ? left < 0 ? 0 : left : WIDTH));\n"
    "    return r;\n"
    "}\n"
    "static inline void put(struct point *p, int j, Cell x)\n"
    "{\n"
    "    const int left = COUNT - j * WIDTH;\n"
    "    __builtin_memcpy(p->jet + 1 + j * WIDTH, &x,\n"
    "                     sizeof(double) * (left < WIDTH ? left < 0 ? 0 : left : WIDTH));\n"
    "}\n"
    "static inline int refusal(unsigned mask) { return mask != 0; }\n"
    "#else\n"
    "#define CELL_WIDTH LANES\n"
    "typedef V Cell;\n"
    "typedef M Bits;\n"
    "#define join(a, b, c) F(a, b, c)\n"
    "#define CELLS COUNT\n"
    "#define PICK(m, a, b) CHOICE(m, a, b)\n"
    "#define NOT(m) (~(m))\n"
    "#define FIRST(q) (q)\n"
    "#define least(q) (q)\n"
    "#define all(m) (m)\n"
    "#define row(p, k, j) IN(k, 1 + (j))\n"
    "#define put(p, j, x) OUT(0, 1 + (j), x)\n"
    "static inline int ANY(M m) { long long r = 0; LANE r |= m[l]; return r != 0; }\n"
    "static inline M refusal(unsigned mask)\n"
    "{ M r; LANE r[l] = -(long long)(mask >> l & 1); return r; }\n"
    "#endif\n"
    "#define SPREAD(v) ((v) - (Cell){0})\n"
    "static inline Cell size_of(Cell x) { return (Cell)((Bits)x & 0x7fffffffffffffffLL); }\n"
    "#if CELL_WIDTH == 8 && defined(LEAST8)\n"
    "#define lesser(a, b) ((Cell)LEAST8(a, b))\n"
    "#define greater(a, b) ((Cell)MOST8(a, b))\n"
    "#elif CELL_WIDTH == 4 && defined(LEAST4)\n"
    "#define lesser(a, b) ((Cell)LEAST4(a, b))\n"
    "#define greater(a, b) ((Cell)MOST4(a, b))\n"
    "#else\n"
    "static inline Cell choose(Bits m, Cell a, Cell b)\n"
    "{ return (Cell)((m & (Bits)a) | (~m & (Bits)b)); }\n"
    "#define lesser(a, b) choose((a) < (b), a, b)\n"
    "#define greater(a, b) choose((a) > (b), a, b)\n"
    "#endif\n"
    "\n";

// Logarithms and powers to base 2, to three digits: lengths of steps need no more. The same
// operations for every width.
static const char LOGARITHMS[] =
    "static inline Cell exponent(Cell x)\n"
    "{\n"
    "    return (Cell)(((Bits)x >> 52) | 0x4330000000000000LL) - (0x1p52 + 1023.0);\n"
    "}\n"
    "static inline Cell logarithm(Cell x)\n"
    "{\n"
    "    const Cell u = (Cell)(((Bits)x & 0x000fffffffffffffLL) | 0x3ff0000000000000LL) - 1.0;\n"
    "    const Cell q = join(join(SPREAD(0.15922006346952), u, SPREAD(-0.58208536795165)), u,\n"
    "                     SPREAD(1.42286530448213));\n"
    "    return join(q, u, exponent(x));\n"
    "}\n"
    "static inline Cell power(Cell y) /* between -1000 and 1000 */\n"
    "{\n"
    "    const Cell whole = y + 0x1.8p52;\n"
    "    const Cell f = y - (whole - 0x1.8p52);\n"
    "    Cell r = join(SPREAD(0.0096), f, SPREAD(0.0558));\n"
    "    r = join(r, f, SPREAD(0.240226507));\n"
    "    r = join(r, f, SPREAD(0.69314718));\n"
    "    r = join(r, f, SPREAD(1.0));\n"
    "    const Bits rounded = ((Bits)r + 0x80000000LL) & ~0xffffffffLL;\n"
    "    return (Cell)rounded * (Cell)((((Bits)whole & 0xfff) + 1023) << 52);\n"
    "}\n"
    "\n";

// What stands where in the room: the same as RH_GLIDE_ in tape.h.
static const char ROOM[] =
    "enum { G_T, G_BEFORE, G_END, G_LENGTH, G_LAST, G_PRIOR, G_PHASE, G_LOGTOL, G_SHIFT, G_LEVEL, "
    "G_FINENESS, G_STEPS, G_BUDGET,\n"
    "       G_VERDICT, G_IDLE, G_LEAST, G_PROBE, G_PACE, G_HEAD = 24 };\n"
    "enum { G_REACHED = 1, G_HARD = 2, G_PAUSED = 3 };\n"
    "enum { G_FRESH = 0, G_PENDING = 1, G_LOOK = 2, G_LOOK_LAST = 4, G_READY = 5 };\n"
    "\n"
    "/* The length of the step, to base 2: see taylor.c, `outlook`. */\n"
    "static inline Cell largest(const Cell *at, const Cell *share)\n"
    "{\n"
    "    Cell size = size_of(at[0]) * share[0];\n"
    "    for (int j = 1; j < CELLS; j++) { size = greater(size, size_of(at[j]) * share[j]); }\n"
    "    return size;\n"
    "}\n"
    "static inline V find_length(const V *r, const Cell *c, int stride, V *speed, V *bend)\n"
    "{\n"
    "    Cell near = SPREAD(1e3), foretold = SPREAD(1e3), beyond = SPREAD(1e3);\n"
    "    Cell share[CELLS];\n"
    "    const Cell tolerance = SPREAD(r[G_LOGTOL]);\n"
    "    const Cell *unit = (const Cell *)(r + G_HEAD + 5 * PAD);\n"
    "    for (int j = 0; j < CELLS; j++) { share[j] = 1.0 / unit[j]; }\n"
    "    const Cell fast = largest(c + stride, share), bent = largest(c + 2 * stride, share);\n"
    "    for (int m = ORDER / 3; m <= ORDER - 3; m++) {\n"
    "        const Cell told = exponent(largest(c + m * stride, share)) * -INVERSE[m];\n"
    "        foretold = lesser(foretold, told);\n"
    "        beyond = lesser(beyond, told + BEYOND[m]);\n"
    "    }\n"
    "    for (int m = ORDER - 2; m <= ORDER; m++) {\n"
    "        const Cell size = largest(c + m * stride, share);\n"
    "        near = lesser(near, (tolerance - logarithm(size)) * INVERSE[m]);\n"
    "    }\n"
    "    const V own = least(near);\n"
    "    const V far = least(beyond) + r[G_SHIFT];\n"
    "    *speed = -least(-fast);\n"
    "    *bend = -least(-bent);\n"
    "    const V chosen = CHOICE(own > far, least(foretold) + r[G_SHIFT], own);\n"
    "    return FIRST(power(lesser(greater(SPREAD(chosen), SPREAD(-900.0)), SPREAD(900.0))));\n"
    "}\n"
    "\n";

// Coefficients that are needed when the next series is there.
static const char KEEPING[] =
    "static inline void keep(const struct point *p, M which, Cell *c)\n"
    "{\n"
    "    for (int k = 0; k <= ORDER; k++) {\n"
    "        for (int j = 0; j < CELLS; j++) {\n"
    "            c[k * CELLS + j] = PICK(which, row(p, k, j), c[k * CELLS + j]);\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n";

// Does the polynomial move at the probe as the equations say? `slope` is what it does, `scale` what
// it did at the beginning, `y` where it is. The library has the same words (motion.c, untruth_at)
// and decides what to do.
static const char TRUTH[] =
    "static inline M is_true(const struct point *p, const V *r, const Cell *slope,\n"
    "                        const Cell *scale, const Cell *y)\n"
    "{\n"
    "    M good = r[G_PHASE] == r[G_PHASE];\n"
    "    const Cell level = SPREAD(r[G_LEVEL]), pace = SPREAD(r[G_PACE]);\n"
    "    const Cell fine = SPREAD(r[G_FINENESS] / r[G_LENGTH]);\n"
    "    const Cell *unit = (const Cell *)(r + G_HEAD + 5 * PAD);\n"
    "    for (int j = 0; j < CELLS; j++) {\n"
    "        const Cell rate = row(p, 1, j);\n"
    "        const Cell scope = greater(size_of(rate) + pace * unit[j], scale[j]);\n"
    "        const Cell off = size_of(slope[j] - rate);\n"
    "        good &= all(off <= level * scope);\n"
    "        good &= all(off <= greater(ROUNDING * scope, fine * (unit[j] + size_of(y[j]))));\n"
    "    }\n"
    "    return good;\n"
    "}\n"
    "\n";

// The polynomial and its slope. A cell waits for itself at each order, so four go side by side.
static const char FOLLOWING[] =
    "#define FOLLOW_FROM(i) Cell value##i = c[ORDER * stride + (i)], rate##i = SPREAD(0.0)\n"
    "#define FOLLOW_DOWN(i) rate##i = join(rate##i, s, value##i); value##i = join(value##i, s, "
    "at[i])\n"
    "#define FOLLOW_TO(i) y[i] = value##i; slope[i] = rate##i\n"
    "static inline void follow1(const Cell *c, int stride, Cell s, Cell *y, Cell *slope)\n"
    "{\n"
    "    FOLLOW_FROM(0);\n"
    "    const Cell *at = c + ORDER * stride;\n"
    "    for (int k = 0; k < ORDER; k++) { at -= stride; FOLLOW_DOWN(0); }\n"
    "    FOLLOW_TO(0);\n"
    "}\n"
    "#if CELLS >= 4\n"
    "static inline void follow4(const Cell *c, int stride, Cell s, Cell *y, Cell *slope)\n"
    "{\n"
    "    FOLLOW_FROM(0); FOLLOW_FROM(1); FOLLOW_FROM(2); FOLLOW_FROM(3);\n"
    "    const Cell *at = c + ORDER * stride;\n"
    "    for (int k = 0; k < ORDER; k++) { at -= stride; FOLLOW_DOWN(0); FOLLOW_DOWN(1); "
    "FOLLOW_DOWN(2); FOLLOW_DOWN(3); }\n"
    "    FOLLOW_TO(0); FOLLOW_TO(1); FOLLOW_TO(2); FOLLOW_TO(3);\n"
    "}\n"
    "#endif\n"
    "\n";

// Phases: a fresh point is expanded; a step much longer than the last is looked at three times on
// its way; at the end of a step the next series is pending.
static const char LOOKING[] =
    "int rheonom_steps(struct point *p, double *room);\n"
    "int rheonom_steps(struct point *p, double *room)\n"
    "{\n"
    "    V *const r = (V *)room;\n"
    "    Cell *const x = (Cell *)(r + G_HEAD);\n"
    "    Cell *const old = (Cell *)(r + G_HEAD + PAD);\n"
    "    Cell *const slope = (Cell *)(r + G_HEAD + 2 * PAD);\n"
    "    Cell *const scale = (Cell *)(r + G_HEAD + 3 * PAD);\n"
    "    Cell *const y = (Cell *)(r + G_HEAD + 4 * PAD);\n"
    "    Cell *const unit = (Cell *)(r + G_HEAD + 5 * PAD);\n"
    "    const Cell *const floor = (const Cell *)(r + G_HEAD + 6 * PAD);\n"
    "    Cell *const c = (Cell *)(r + G_HEAD + 7 * PAD);\n"
    "    const M active = r[G_IDLE] == 0.0;\n"
    "    for (;;) {\n"
    "        V phase = r[G_PHASE];\n"
    "        if (ANY(phase != (double)G_READY)) {\n"
    "            OUT(0, 0, r[G_PROBE]);\n"
    "            for (int j = 0; j < CELLS; j++) { put(p, j, y[j]); }\n"
    "            const M refused = refusal(NAME(p));\n"
    "            const M looked = (phase >= (double)G_PENDING) & (phase < (double)G_READY);\n"
    "            const M bad = refused | (looked & NOT(is_true(p, r, slope, scale, y)));\n"
    "            const M back = bad & (phase == (double)G_PENDING);\n"
    "            r[G_VERDICT] = CHOICE(bad, K((double)G_HARD), r[G_VERDICT]);\n"
    "            if (ANY(back)) { /* the step that led here */\n"
    "                r[G_T] = CHOICE(back, r[G_BEFORE], r[G_T]);\n"
    "                r[G_LAST] = CHOICE(back, r[G_PRIOR], r[G_LAST]);\n"
    "                r[G_STEPS] = CHOICE(back, r[G_STEPS] - 1.0, r[G_STEPS]);\n"
    "                for (int j = 0; j < CELLS; j++) { x[j] = PICK(back, old[j], x[j]); }\n"
    "            }\n"
    "            const M well = (phase == (double)G_PENDING) & NOT(bad);\n"
    "            for (int j = 0; j < CELLS; j++) {\n"
    "                const Cell way = lesser(scale[j] * SPREAD(1e-3 / r[G_PACE]), unit[j]);\n"
    "                const Cell known = greater(floor[j], size_of(x[j]));\n"
    "                const Cell size = greater(greater(way, FADE * unit[j]), known);\n"
    "                unit[j] = PICK(well, size, unit[j]);\n"
    "            }\n"
    "            const M there = well & (r[G_T] >= r[G_END]);\n"
    "            const M spent = well & NOT(there) & (r[G_STEPS] >= r[G_BUDGET]);\n"
    "            r[G_VERDICT] = CHOICE(there, K((double)G_REACHED), r[G_VERDICT]);\n"
    "            r[G_VERDICT] = CHOICE(spent, K((double)G_PAUSED), r[G_VERDICT]);\n"
    "            phase = CHOICE(well, K((double)G_READY), phase);\n"
    "            r[G_PHASE] = phase;\n"
    "        }\n"
    "#if LANES == 1\n"
    "        if (r[G_VERDICT] != 0.0) { return 1; }\n"
    "#endif\n";

// Expand where a point is ready, then go to the end of the step or to the next place on its way.
static const char GOING[] =
    "        const M open = r[G_VERDICT] == 0.0;\n"
    "        const M expand = open & ((phase == (double)G_FRESH) | (phase == (double)G_READY));\n"
    "        M arrive = open & (phase == (double)G_LOOK_LAST);\n"
    "        const Cell *rows = c;\n"
    "        int stride = CELLS;\n"
    "        if (ANY(expand)) {\n"
    "            V speed, bend;\n"
    "            const int is_whole = LANES > 1 && !ANY(NOT(expand));\n"
    "            if (!is_whole) { keep(p, expand, c); }\n"
    "#if LANES > 1\n"
    "            rows = is_whole ? (const Cell *)p->jet + 1 : c;\n"
    "            stride = is_whole ? STRIDE : CELLS;\n"
    "#endif\n"
    "            const V own = find_length(r, rows, stride, &speed, &bend);\n"
    "            const V left = r[G_END] - r[G_T];\n"
    "            const V length = CHOICE(own < left, own, left);\n"
    "            const M slow = (r[G_LEAST] != 0.0) & (own < left) & (own * speed < 3e-4) &\n"
    "                           (own * own * bend < 9e-8);\n"
    "            const M good = (own >= 0.1 * r[G_LAST]) & (length > 4e-16 * ABS(r[G_T])) &\n"
    "                           (r[G_T] + length > r[G_T]) & NOT(slow);\n"
    "            const M far = length > 2.0 * r[G_LAST];\n"
    "            r[G_VERDICT] = CHOICE(expand & NOT(good), K((double)G_HARD), r[G_VERDICT]);\n"
    "            r[G_LENGTH] = CHOICE(expand, length, r[G_LENGTH]);\n"
    "            arrive |= expand & good & NOT(far);\n"
    "            phase = CHOICE(expand & good & far, K(1.0), phase);\n"
    "            if (is_whole && ANY(far)) { keep(p, expand, c); }\n"
    "            for (int j = 0; j < CELLS; j++) {\n"
    "                scale[j] = PICK(expand, size_of(rows[stride + j]), scale[j]);\n"
    "            }\n"
    "        }\n"
    "        const V after = CHOICE(r[G_LENGTH] >= r[G_END] - r[G_T], r[G_END], r[G_T] + "
    "r[G_LENGTH]);\n"
    "        const V share = CHOICE(phase == 1.0, K(0.27), CHOICE(phase == 2.0, K(0.52), "
    "K(0.79)));\n"
    "        r[G_PROBE] = CHOICE(arrive, after, r[G_T] + share * r[G_LENGTH]);\n"
    "        const Cell s = SPREAD(r[G_PROBE] - r[G_T]);\n"
    "        M finite = arrive;\n"
    "        int j = 0;\n"
    "#if CELLS >= 4\n"
    "        for (; j + 4 <= CELLS; j += 4) { follow4(rows + j, stride, s, y + j, slope + j); }\n"
    "#endif\n"
    "        for (; j < CELLS; j++) { follow1(rows + j, stride, s, y + j, slope + j); }\n"
    "        for (j = 0; j < CELLS; j++) {\n"
    "            finite &= all(size_of(y[j]) <= 0x1.fffffffffffffp1023);\n"
    "        }\n"
    "        r[G_VERDICT] = CHOICE(arrive & NOT(finite), K((double)G_HARD), r[G_VERDICT]);\n"
    "        arrive &= finite;\n"
    "        if (ANY(arrive)) {\n"
    "            for (int j = 0; j < CELLS; j++) {\n"
    "                old[j] = PICK(arrive, x[j], old[j]);\n"
    "                x[j] = PICK(arrive, y[j], x[j]);\n"
    "            }\n"
    "            r[G_PRIOR] = CHOICE(arrive, r[G_LAST], r[G_PRIOR]);\n"
    "            r[G_LAST] = CHOICE(arrive, after - r[G_T], r[G_LAST]);\n"
    "            r[G_BEFORE] = CHOICE(arrive, r[G_T], r[G_BEFORE]);\n"
    "            r[G_T] = CHOICE(arrive, after, r[G_T]);\n"
    "            r[G_STEPS] = CHOICE(arrive, r[G_STEPS] + 1.0, r[G_STEPS]);\n"
    "        }\n"
    "        r[G_PHASE] = CHOICE(arrive, K((double)G_PENDING), CHOICE(open, phase + 1.0, phase));\n"
    "        if (ANY(active & (r[G_VERDICT] != 0.0))) { return 1; }\n"
    "    }\n"
    "}\n";

// Of coefficient m against the last one, to base 2: see take_in() in taylor.c.
static void write_tables(rh_emission *in)
{
    rh__text_put(in->out, "static const double INVERSE[] = {0.0");
    for (uint32_t m = 1; m <= in->order; m++) {
        rh__text_format(in->out, ", %.17g", 1.0 / m);
    }
    rh__text_put(in->out, "};\nstatic const double BEYOND[] = {0.0");
    for (uint32_t m = 1; m <= in->order; m++) {
        rh__text_format(in->out, ", %.17g", RH_GLIDE_MARGIN + log2((double)in->order / m));
    }
    rh__text_put(in->out, "};\n\n");
}

void rh__emit_steps(rh_emission *in)
{
    rh__text_format(in->out, "\n#define COUNT %u\n#define ORDER %u\n#define PAD %u\n", in->n,
                    in->order, rh__glide_pad(in->n));
    rh__text_format(in->out, "#define ROUNDING %.17g\n", RH_GLIDE_ROUNDING);
    rh__text_format(in->out, "#define FADE %.17g\n", RH_GLIDE_FADE);
    rh__text_put(in->out, CELLS);
    rh__text_put(in->out, LOGARITHMS);
    write_tables(in);
    rh__text_put(in->out, ROOM);
    rh__text_put(in->out, KEEPING);
    rh__text_put(in->out, TRUTH);
    rh__text_put(in->out, FOLLOWING);
    rh__text_put(in->out, LOOKING);
    rh__text_put(in->out, GOING);
}
