// SPDX-License-Identifier: Apache-2.0
// The words that emitted texts use, for numbers and for lanes. With LANES 1 the text is C99; lanes
// are vectors as GCC and Clang know them. A lane does what a single number does: functions of the
// mathematical library, but for sines, are called for each, and pivots are chosen for each.

#include "tape/emit.h"

static const char POINT[] =
    "#ifdef __GNUC__ /* not every coefficient is needed; nothing wide leaves the file */\n"
    "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-const-variable\"\n"
    "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
    "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
    "#endif\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "\n"
    "#ifndef LANES\n"
    "#define LANES 1\n"
    "#endif\n"
    "\n"
    "struct point {\n"
    "    double *jet;\n"
    "    const double *weight, *forced, *lent, *feed;\n"
    "    const unsigned char *released;\n"
    "    double *work;\n"
    "    double margin;\n"
    "};\n"
    "\n";

// Wide operations; the header of GCC for them takes longer to read than most texts to compile.
static const char WIDE[] =
    "#if defined(__FMA__) && defined(__GNUC__) && !defined(__clang__)\n"
    "#define FUSED4(a, b, c) __builtin_ia32_vfmaddpd256(a, b, c)\n"
    "#define LEAST4(a, b) __builtin_ia32_minpd256(a, b)\n"
    "#define MOST4(a, b) __builtin_ia32_maxpd256(a, b)\n"
    "#elif defined(__FMA__) && defined(__clang__)\n"
    "#include <immintrin.h>\n"
    "#define FUSED4(a, b, c) _mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c))\n"
    "#define LEAST4(a, b) _mm256_min_pd((__m256d)(a), (__m256d)(b))\n"
    "#define MOST4(a, b) _mm256_max_pd((__m256d)(a), (__m256d)(b))\n"
    "#endif\n"
    "#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)\n"
    "#define FUSED8(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4)\n"
    "#define LEAST8(a, b) __builtin_ia32_minpd512_mask(a, b, a, (unsigned char)-1, 4)\n"
    "#define MOST8(a, b) __builtin_ia32_maxpd512_mask(a, b, a, (unsigned char)-1, 4)\n"
    "#elif defined(__AVX512F__) && defined(__clang__)\n"
    "#define FUSED8(a, b, c) _mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c))\n"
    "#define LEAST8(a, b) _mm512_min_pd((__m512d)(a), (__m512d)(b))\n"
    "#define MOST8(a, b) _mm512_max_pd((__m512d)(a), (__m512d)(b))\n"
    "#endif\n"
    "\n";

static const char SINGLE[] = "#if LANES == 1\n"
                             "typedef double V;\n"
                             "typedef int M;\n"
                             "#ifdef FP_FAST_FMA\n"
                             "#define F(a, b, c) fma(a, b, c)\n"
                             "#else\n"
                             "#define F(a, b, c) ((a) * (b) + (c))\n"
                             "#endif\n"
                             "#define K(x) (x)\n"
                             "#define ABS(x) fabs(x)\n"
                             "#define CHOICE(m, a, b) ((m) ? (a) : (b))\n"
                             "#define CALL(f, x) f(x)\n"
                             "#define CALL2(f, x, y) f(x, y)\n"
                             "#define FUNCTION(f)\n"
                             "#define FUNCTION2(f)\n"
                             "#define W(k) (p->weight[k])\n"
                             "#define FORCED(k) (p->forced[k])\n"
                             "#define LENT(k) (p->lent[k])\n"
                             "#define FEED(k) (p->feed[k])\n"
                             "#define HELD(k) (p->released[k] != 0)\n"
                             "#define IN(k, slot) (p->jet[(k) * STRIDE + (slot)])\n"
                             "#define OUT(k, slot, x) (p->jet[(k) * STRIDE + (slot)] = (x))\n"
                             "#define FROM(b, row, i) ((b)[(row)[i]])\n";

static const char LANES[] =
    "#else\n"
    "typedef double V __attribute__((vector_size(LANES * sizeof(double))));\n"
    "typedef __typeof__((V){0} < (V){0}) M;\n"
    "#define LANE _Pragma(\"GCC unroll 8\") for (int l = 0; l < LANES; l++)\n"
    "#if LANES == 4 && defined(FUSED4)\n"
    "static inline V F(V a, V b, V c) { return (V)FUSED4(a, b, c); }\n"
    "#elif LANES == 8 && defined(FUSED8)\n"
    "static inline V F(V a, V b, V c) { return (V)FUSED8(a, b, c); }\n"
    "#elif defined(FP_FAST_FMA)\n"
    "static inline V F(V a, V b, V c) { V r = {0}; LANE r[l] = fma(a[l], b[l], c[l]); return r; }\n"
    "#else\n"
    "static inline V F(V a, V b, V c) { return a * b + c; }\n"
    "#endif\n"
    "#define K(x) ((x) - (V){0})\n"
    "static inline V CHOICE(M m, V a, V b) { return (V)((m & (M)a) | (~m & (M)b)); }\n"
    "static inline V ABS(V x) { return CHOICE(x < 0.0, -x, x); }\n"
    "#define CALL(f, x) lanes_##f(x)\n"
    "#define CALL2(f, x, y) lanes_##f(x, y)\n"
    "#define FUNCTION(f) static inline V lanes_##f(V x) { V r = {0}; LANE r[l] = f(x[l]); return "
    "r; }\n"
    "#define FUNCTION2(f) static inline V lanes_##f(V x, V y) "
    "{ V r = {0}; LANE r[l] = f(x[l], y[l]); return r; }\n"
    "#define GATHER(name, field) static inline V lanes_##name(const struct point *p, size_t k) "
    "{ V r = {0}; LANE r[l] = p[l].field[k]; return r; }\n"
    "GATHER(weight, weight)\n"
    "GATHER(forced, forced)\n"
    "GATHER(lent, lent)\n"
    "GATHER(feed, feed)\n"
    "GATHER(held, released)\n"
    "GATHER(jet, jet)\n"
    "static inline void lanes_out(struct point *p, size_t k, V x) { LANE p[l].jet[k] = x[l]; }\n"
    "static inline V lanes_from(const V *b, const int *row, int i) "
    "{ V r = {0}; LANE r[l] = b[row[i * LANES + l]][l]; return r; }\n"
    "#define W(k) lanes_weight(p, k)\n"
    "#define FORCED(k) lanes_forced(p, k)\n"
    "#define LENT(k) lanes_lent(p, k)\n"
    "#define FEED(k) lanes_feed(p, k)\n"
    "#define HELD(k) (lanes_held(p, k) != 0.0)\n"
    "#ifdef TOGETHER /* one jet for all, lanes innermost */\n"
    "#define IN(k, slot) (((V *)p->jet)[(k) * STRIDE + (slot)])\n"
    "#define OUT(k, slot, x) (((V *)p->jet)[(k) * STRIDE + (slot)] = (x))\n"
    "#else\n"
    "#define IN(k, slot) lanes_jet(p, (k) * STRIDE + (slot))\n"
    "#define OUT(k, slot, x) lanes_out(p, (k) * STRIDE + (slot), x)\n"
    "#endif\n"
    "#define FROM(b, row, i) lanes_from(b, row, i)\n"
    "#endif\n"
    "\n";

// Sines and cosines, to 0.8 of the last digit, by the same operations for one number and for lanes:
// a mathematical library would be called for one lane after the other. Quarter turns are taken off
// in three parts, the first exactly; then Taylor's sums. Arguments that are too large for that go
// to the library.
static const char SINES[] =
    "#ifdef FP_FAST_FMA\n"
    "#if LANES == 1\n"
    "typedef unsigned long long Word;\n"
    "static inline Word bits_of(V x) { union { V x; Word b; } u; u.x = x; return u.b; }\n"
    "static inline V of_bits(Word b) { union { V x; Word b; } u; u.b = b; return u.x; }\n"
    "#else\n"
    "typedef M Word;\n"
    "#define bits_of(x) ((Word)(x))\n"
    "#define of_bits(b) ((V)(b))\n"
    "#endif\n"
    "static V library_sines(V x, V sine, V *cosine)\n"
    "{\n"
    "#if LANES == 1\n"
    "    (void)sine;\n"
    "    *cosine = cos(x);\n"
    "    return sin(x);\n"
    "#else\n"
    "    LANE {\n"
    "        if (!(fabs(x[l]) <= 1e9)) { sine[l] = sin(x[l]); (*cosine)[l] = cos(x[l]); }\n"
    "    }\n"
    "    return sine;\n"
    "#endif\n"
    "}\n"
    "static inline int is_large(V x)\n"
    "{\n"
    "#if LANES == 1\n"
    "    return !(fabs(x) <= 1e9);\n"
    "#else\n"
    "    const M large = ~(ABS(x) <= 1e9);\n"
    "    long long any = 0;\n"
    "    LANE any |= large[l];\n"
    "    return any != 0;\n"
    "#endif\n"
    "}\n"
    "static inline V sines(V x, V *cosine)\n"
    "{\n"
    "    const V moved = F(x, K(0.63661977236758134), K(0x1.8p52));\n"
    "    const V n = moved - 0x1.8p52;\n"
    "    const V a = F(n, K(-0x1.921fb54442d18p+0), x);\n"
    "    const V b = n * 0x1.1a62633145c07p-54;\n"
    "    const V h = a - b;\n"
    "    const V d = h - a;\n"
    "    const V off = ((a - (h - d)) - (b + d)) + F(n, K(-0x1.1a62633145c07p-54), b);\n"
    "    const V low = F(n, K(0x1.f1976b7ed8fbcp-110), off);\n"
    "    const V z = h * h;\n"
    "    V s = F(z, K(1.0 / 355687428096000.0), K(-1.0 / 1307674368000.0));\n"
    "    s = F(s, z, K(1.0 / 6227020800.0));\n"
    "    s = F(s, z, K(-1.0 / 39916800.0));\n"
    "    s = F(s, z, K(1.0 / 362880.0));\n"
    "    s = F(s, z, K(-1.0 / 5040.0));\n"
    "    s = F(s, z, K(1.0 / 120.0));\n"
    "    s = F(s, z, K(-1.0 / 6.0));\n"
    "    s = h + F(h * z, s, low * F(z, K(-0.5), K(1.0)));\n"
    "    V c = F(z, K(1.0 / 20922789888000.0), K(-1.0 / 87178291200.0));\n"
    "    c = F(c, z, K(1.0 / 479001600.0));\n"
    "    c = F(c, z, K(-1.0 / 3628800.0));\n"
    "    c = F(c, z, K(1.0 / 40320.0));\n"
    "    c = F(c, z, K(-1.0 / 720.0));\n"
    "    c = F(c, z, K(1.0 / 24.0));\n"
    "    const V w = 1.0 - 0.5 * z;\n"
    "    const V z_low = F(h, h, K(0.0) - z);\n"
    "    c = F(z * z, c, (1.0 - w) - 0.5 * z) - F(h, low, 0.5 * z_low);\n"
    "    c = w + c;\n"
    "    const Word quarter = bits_of(moved);\n"
    "    const M is_odd = (quarter & 1) != 0;\n"
    "    const V sine = of_bits(bits_of(CHOICE(is_odd, c, s)) ^ ((quarter & 2) << 62));\n"
    "    *cosine = of_bits(bits_of(CHOICE(is_odd, s, c)) ^ (((quarter + 1) & 2) << 62));\n"
    "    return is_large(x) ? library_sines(x, sine, cosine) : sine;\n"
    "}\n"
    "#else\n"
    "FUNCTION(sin)\n"
    "FUNCTION(cos)\n"
    "static inline V sines(V x, V *cosine) { *cosine = CALL(cos, x); return CALL(sin, x); }\n"
    "#endif\n";

// The same steps as in pivot.c: the row whose entry is largest relative to it comes first, or the
// one that says what the multiplier is.
static const char PIVOTS[] =
    "#ifdef __GNUC__\n"
    "#define ALWAYS inline __attribute__((always_inline))\n"
    "#else\n"
    "#define ALWAYS inline\n"
    "#endif\n"
    "static inline double share_of(const double *a, int step, int n, const double *scale)\n"
    "{\n"
    "    double largest = 0.0;\n"
    "    for (int k = 0; k < n; k++) {\n"
    "        const double size = fabs(a[k * step]) * scale[k];\n"
    "        largest = size > largest ? size : largest;\n"
    "    }\n"
    "    return largest > 0.0 ? 1.0 / largest : 0.0;\n"
    "}\n"
    "static inline void find_scales(int n, const double *a, int rates, double *row)\n"
    "{\n"
    "    double column[12];\n"
    "    int is_whole = 1;\n"
    "    for (int j = 0; j < n; j++) {\n"
    "        const double own = (rates >> j & 1) == (rates & 1) ? fabs(a[j * n + j]) : 0.0;\n"
    "        row[j] = column[j] = own > 0.0 ? 1.0 / sqrt(own) : 0.0;\n"
    "        is_whole = is_whole && own > 0.0;\n"
    "    }\n"
    "    for (int round = 0; !is_whole && round <= n; round++) {\n"
    "        is_whole = 1;\n"
    "        for (int i = 0; i < n; i++) {\n"
    "            row[i] = row[i] > 0.0 ? row[i] : share_of(a + i * n, 1, n, column);\n"
    "        }\n"
    "        for (int j = 0; j < n; j++) {\n"
    "            column[j] = column[j] > 0.0 ? column[j] : share_of(a + j, n, n, row);\n"
    "            column[j] = column[j] > 0.0 || round < n ? column[j] : 1.0;\n"
    "            is_whole = is_whole && column[j] > 0.0;\n"
    "        }\n"
    "    }\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        row[i] = share_of(a + i * n, 1, n, column);\n"
    "    }\n"
    "}\n"
    "static inline int is_given(const double *row, int n, int rates, int k)\n"
    "{\n"
    "    int j = 0;\n"
    "    while (j < n && (j == k || row[j] == 0.0)) { j++; }\n"
    "    return j == n && row[k] != 0.0 && (rates & 1) && !(rates >> k & 1);\n"
    "}\n"
    "static double eliminate(int n, int rates, double *a, int *row, double *inverse)\n"
    "{\n"
    "    double scale[12];\n"
    "    double margin = 1.0;\n"
    "    find_scales(n, a, rates, scale);\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        row[i] = i;\n"
    "    }\n"
    "    for (int k = 0; k < n; k++) {\n"
    "        int best = k;\n"
    "        double most = -1.0;\n"
    "        for (int i = k; i < n; i++) {\n"
    "            const double size = fabs(a[i * n + k]) * scale[i];\n"
    "            if (is_given(a + i * n, n, rates, k)) { best = i; break; }\n"
    "            best = size > LARGER * most ? i : best;\n"
    "            most = size > LARGER * most ? size : most;\n"
    "        }\n"
    "        if (best != k) {\n"
    "            const int kept = row[k];\n"
    "            for (int j = 0; j < n; j++) {\n"
    "                const double moved = a[k * n + j];\n"
    "                a[k * n + j] = a[best * n + j];\n"
    "                a[best * n + j] = moved;\n"
    "            }\n"
    "            const double size = scale[k];\n"
    "            scale[k] = scale[best];\n"
    "            scale[best] = size;\n"
    "            row[k] = row[best];\n"
    "            row[best] = kept;\n"
    "        }\n"
    "        inverse[k] = 1.0 / a[k * n + k];\n"
    "        for (int i = k + 1; i < n; i++) {\n"
    "            const double factor = a[i * n + k] *= inverse[k];\n"
    "            for (int j = k + 1; j < n; j++) {\n"
    "                a[i * n + j] -= factor * a[k * n + j];\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    for (int k = 0; k < n; k++) {\n"
    "        const double pivot = fabs(a[k * n + k]) * scale[k];\n"
    "        double size = pivot;\n"
    "        for (int j = 0; j < k; j++) {\n"
    "            size += fabs(a[j * n + k]) * scale[j];\n"
    "        }\n"
    "        const double ratio = pivot / size;\n"
    "        margin = ratio < margin ? ratio : (ratio == ratio ? margin : 0.0);\n"
    "    }\n"
    "    return margin;\n"
    "}\n"
    "\n"
    "#if LANES == 1\n"
    "#define PIVOTS(n, rates, a, row, inverse) eliminate(n, rates, a, row, inverse)\n"
    "#define SOME(m) (m)\n"
    "#define LACKING(m) (!(m))\n"
    "#else\n"
    "static inline int SOME(M m) { long long r = 0; LANE r |= m[l]; return r != 0; }\n"
    "#define LACKING(m) SOME(~(m))\n"
    "static V PIVOTS(int n, int rates, V *a, int *row, V *inverse)\n"
    "{\n"
    "    V margin;\n"
    "    LANE {\n"
    "        double own[144], of[12];\n"
    "        int from[12];\n"
    "        for (int i = 0; i < n * n; i++) { own[i] = a[i][l]; }\n"
    "        margin[l] = eliminate(n, rates, own, from, of);\n"
    "        for (int i = 0; i < n * n; i++) { a[i][l] = own[i]; }\n"
    "        for (int i = 0; i < n; i++) { inverse[i][l] = of[i]; row[i * LANES + l] = from[i]; }\n"
    "    }\n"
    "    return margin;\n"
    "}\n"
    "#endif\n"
    "\n";

// 0 where all numbers are finite; four sums, since each waits for the one before.
static const char SANITY[] = "static inline V sanity(const V *x, int n)\n"
                             "{\n"
                             "    V a = K(0.0), b = K(0.0), c = K(0.0), d = K(0.0);\n"
                             "    int i = 0;\n"
                             "    for (; i + 4 <= n; i += 4) {\n"
                             "        a = F(K(0.0), x[i], a);\n"
                             "        b = F(K(0.0), x[i + 1], b);\n"
                             "        c = F(K(0.0), x[i + 2], c);\n"
                             "        d = F(K(0.0), x[i + 3], d);\n"
                             "    }\n"
                             "    for (; i < n; i++) { a = F(K(0.0), x[i], a); }\n"
                             "    return (a + b) + (c + d);\n"
                             "}\n"
                             "\n";

// What sparse blocks use: the smallest size of a pivot relative to its terms, and whether all rests
// are small. They have eight rows and more.
static const char SPARSE[] =
    "static inline void copy(const V *x, V *out, int n)\n"
    "{\n"
    "    for (int i = 0; i < n; i = NEXT(i, n)) { const C a = chunk(x + i); KEEP(a, out + i); }\n"
    "}\n"
    "static inline void measure(const V *x, V *out, int n)\n"
    "{\n"
    "    for (int i = 0; i < n; i = NEXT(i, n)) { const C a = sizes(chunk(x + i)); KEEP(a, out + "
    "i); "
    "}\n"
    "}\n"
    "static inline V smallest_share(const V *h, const V *size, int n)\n"
    "{\n"
    "    C least = (C){0} + 1.0;\n"
    "    V parts[WIDTH];\n"
    "    for (int i = 0; i < n; i = NEXT(i, n)) {\n"
    "        const C ratio = sizes(chunk(h + i)) / chunk(size + i), none = {0};\n"
    "        least = PICK(ratio < least, ratio, PICK(ratio == ratio, least, none));\n"
    "    }\n"
    "    KEEP(least, parts);\n"
    "    for (int l = 1; l < WIDTH; l++) { parts[0] = CHOICE(parts[l] < parts[0], parts[l], "
    "parts[0]); }\n"
    "    return parts[0];\n"
    "}\n"
    "static inline V passes(const V *rest, const V *size, int n)\n"
    "{\n"
    "    C largest = {0}, passed = (C){0} + 1.0;\n"
    "    V parts[WIDTH];\n"
    "    for (int i = 0; i < n; i = NEXT(i, n)) {\n"
    "        const C own = chunk(size + i);\n"
    "        largest = PICK(own > largest, own, largest);\n"
    "    }\n"
    "    KEEP(largest, parts);\n"
    "    for (int l = 1; l < WIDTH; l++) { parts[0] = CHOICE(parts[l] > parts[0], parts[l], "
    "parts[0]); }\n"
    "    const V noise = 1e-9 * parts[0];\n"
    "    for (int i = 0; i < n; i = NEXT(i, n)) {\n"
    "        const C whole = chunk(size + i) + noise, none = {0};\n"
    "        passed = PICK(sizes(chunk(rest + i)) <= 1e-7 * whole, passed, none);\n"
    "    }\n"
    "    KEEP(passed, parts);\n"
    "    for (int l = 1; l < WIDTH; l++) { parts[0] = parts[0] * parts[l]; }\n"
    "    return parts[0];\n"
    "}\n"
    "\n";

static const char *function_of(rh_tape_code code)
{
    switch (code) {
    case RH_TAPE_ROOT:
        return "FUNCTION(sqrt)\n";
    case RH_TAPE_POWER:
        return "FUNCTION2(pow)\n";
    case RH_TAPE_EXP:
        return "FUNCTION(exp)\n";
    case RH_TAPE_SINCOS:
        return SINES;
    case RH_TAPE_SINHCOSH:
        return "FUNCTION(sinh)\nFUNCTION(cosh)\n";
    case RH_TAPE_TANH:
        return "FUNCTION(tanh)\n";
    case RH_TAPE_LOG:
        return "FUNCTION(log)\n";
    case RH_TAPE_ASIN:
        return "FUNCTION(asin)\n";
    case RH_TAPE_ACOS:
        return "FUNCTION(acos)\n";
    case RH_TAPE_ATAN:
        return "FUNCTION(atan)\n";
    case RH_TAPE_ANGLE:
        return "FUNCTION2(atan2)\n";
    case RH_TAPE_LINEAR:
    case RH_TAPE_MULTIPLY:
    case RH_TAPE_SQUARE:
    case RH_TAPE_DIVIDE:
    case RH_TAPE_RECIPROCAL:
    case RH_TAPE_SWITCH:
    case RH_TAPE_AND:
    case RH_TAPE_OR:
    case RH_TAPE_NOT:
    case RH_TAPE_WITHIN:
    case RH_TAPE_NEAR:
    case RH_TAPE_CHOOSE:
    case RH_TAPE_SOLVE:
    case RH_TAPE_CODE_COUNT:
        break;
    }
    return "";
}

// What the blocks and operations of the tapes ask for.
typedef struct needs {
    bool is_used[RH_TAPE_CODE_COUNT];
    bool has_pivots, has_sparse;
} needs;

static void add_needs(const rh_tape *tape, needs *all)
{
    for (uint32_t g = 0; g < tape->group_count; g++) {
        all->is_used[tape->groups[g].code] = true;
    }
    for (uint32_t k = 0; k < tape->block_count; k++) {
        const rh_tape_block *block = &tape->blocks[k];
        const bool is_own = block->factor == k && block->n > 1;
        all->has_sparse = all->has_sparse || (is_own && block->saddle != NULL);
        all->has_pivots = all->has_pivots || (is_own && block->saddle == NULL);
    }
}

void rh__emit_preamble(rh_emission *in, const rh_emit_def *def)
{
    needs series = {.has_pivots = false};
    add_needs(in->tape, &series);
    needs points = {.has_pivots = false};
    for (uint32_t k = 0; k < def->point_count; k++) {
        add_needs(def->points[k].tape, &points);
    }
    rh__text_put(in->out, POINT);
    rh__text_put(in->out, WIDE);
    rh__text_put(in->out, SINGLE);
    rh__text_put(in->out, LANES);
    for (uint32_t code = 0; code < RH_TAPE_CODE_COUNT; code++) {
        const bool is_there = series.is_used[code] || points.is_used[code];
        rh__text_put(in->out, is_there ? function_of((rh_tape_code)code) : "");
    }
    rh__text_put(in->out, SANITY);
    // functions that only points use are left out with them
    const bool is_extra = points.has_pivots && !series.has_pivots;
    rh__text_put(in->out, is_extra ? "#if LANES == 1\n" : "");
    if (series.has_pivots || points.has_pivots) {
        rh__text_format(in->out, "#define LARGER %.17g\n", RH_BLOCK_LARGER);
        rh__text_put(in->out, PIVOTS);
    }
    rh__text_put(in->out, is_extra ? "#endif\n" : "");
    rh__emit_wide_words(in);
    rh__text_put(in->out, series.has_sparse || points.has_sparse ? SPARSE : "");
}
