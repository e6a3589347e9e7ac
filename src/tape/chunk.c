// SPDX-License-Identifier: Apache-2.0
// The sums over finished orders, in the text of loops: runs of pairs that lie side by side, eight
// or more, and single pairs. Each sum is taken in the same order, whatever its run and its lane.
// The last eight of a run may overlap those before them: the same sums are written twice.

#include "tape/emit.h"

enum { CHUNK = 8 };

static const char WORDS[] =
    "#if LANES == 1 && defined(__GNUC__)\n"
    "typedef double C __attribute__((vector_size(64)));\n"
    "#define LOAD(c, x) __builtin_memcpy(&(c), x, sizeof(C))\n"
    "#define KEEP(c, x) __builtin_memcpy(x, &(c), sizeof(C))\n"
    "/* no functions: how wide numbers are passed depends on the machine */\n"
    "#define chunk(x) __extension__({ C at; LOAD(at, x); at; })\n"
    "typedef long long B __attribute__((vector_size(64)));\n"
    "#define sizes(x) ((C)((B)(x) & 0x7fffffffffffffffLL))\n"
    "#if defined(FUSED8)\n"
    "#define fuse(a, b, c) ((C)FUSED8(a, b, c))\n"
    "#elif defined(FUSED4)\n"
    "typedef double H __attribute__((vector_size(32)));\n"
    "union halves { C whole; H half[2]; };\n"
    "#define fuse(a, b, c) __extension__({ \\\n"
    "    const union halves fa = {a}, fb = {b}, fc = {c}; \\\n"
    "    union halves made; \\\n"
    "    made.half[0] = (H)FUSED4(fa.half[0], fb.half[0], fc.half[0]); \\\n"
    "    made.half[1] = (H)FUSED4(fa.half[1], fb.half[1], fc.half[1]); \\\n"
    "    made.whole; })\n"
    "#else\n"
    "#define fuse(a, b, c) __extension__({ \\\n"
    "    const C fa = (a), fb = (b), fc = (c); \\\n"
    "    C made; \\\n"
    "    for (int l = 0; l < 8; l++) { made[l] = F(fa[l], fb[l], fc[l]); } \\\n"
    "    made; })\n"
    "#endif\n"
    "#else\n"
    "typedef struct { V v[8]; } C;\n"
    "#define LOAD(c, x) for (int i = 0; i < 8; i++) { (c).v[i] = (x)[i]; }\n"
    "#define KEEP(c, x) for (int i = 0; i < 8; i++) { (x)[i] = (c).v[i]; }\n"
    "static inline C fuse(C a, C b, C c)\n"
    "{\n"
    "    for (int i = 0; i < 8; i++) { c.v[i] = F(a.v[i], b.v[i], c.v[i]); }\n"
    "    return c;\n"
    "}\n"
    "#endif\n"
    "#if LANES == 1 && defined(__GNUC__)\n"
    "#define TIMES(c, by) ((c) * (by))\n"
    "#else\n"
    "static inline C TIMES(C c, double by)\n"
    "{\n"
    "    for (int i = 0; i < 8; i++) { c.v[i] = c.v[i] * by; }\n"
    "    return c;\n"
    "}\n"
    "#endif\n"
    "static inline void scale_run(V *out, const V *x, double by, int count)\n"
    "{\n"
    "    int i = 0;\n"
    "#if LANES == 1 && defined(__GNUC__)\n"
    "    for (; i + 8 <= count; i += 8) {\n"
    "        C a;\n"
    "        LOAD(a, x + i);\n"
    "        a = a * by;\n"
    "        KEEP(a, out + i);\n"
    "    }\n"
    "#endif\n"
    "    for (; i < count; i++) { out[i] = x[i] * by; }\n"
    "}\n"
    "static inline void fuse_run(V *out, const V *x, const V *y, int count)\n"
    "{\n"
    "    int i = 0;\n"
    "#if LANES == 1 && defined(__GNUC__)\n"
    "    for (; i + 8 <= count; i += 8) {\n"
    "        C a, b, c;\n"
    "        LOAD(a, x + i);\n"
    "        LOAD(b, y + i);\n"
    "        LOAD(c, out + i);\n"
    "        c = fuse(a, b, c);\n"
    "        KEEP(c, out + i);\n"
    "    }\n"
    "#endif\n"
    "    for (; i < count; i++) { out[i] = F(x[i], y[i], out[i]); }\n"
    "}\n"
    "\n";

static const char PRODUCTS[] =
    "static inline void sum_chunk(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    C sum = {0}, a, b;\n"
    "    for (int j = 1; j < k; j++) {\n"
    "        LOAD(a, x + j * STRIDE);\n"
    "        LOAD(b, y + (k - j) * STRIDE);\n"
    "        sum = fuse(a, b, sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "#if LANES == 1 && defined(__GNUC__) /* four at once, since each waits for its last term */\n"
    "static inline void sum_chunks(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    C s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};\n"
    "    const V *y_j = y + (k - 1) * STRIDE;\n"
    "    for (int j = 1; j < k; j++, y_j -= STRIDE) {\n"
    "        const V *x_j = x + j * STRIDE;\n"
    "        s0 = fuse(chunk(x_j), chunk(y_j), s0);\n"
    "        s1 = fuse(chunk(x_j + 8), chunk(y_j + 8), s1);\n"
    "        s2 = fuse(chunk(x_j + 16), chunk(y_j + 16), s2);\n"
    "        s3 = fuse(chunk(x_j + 24), chunk(y_j + 24), s3);\n"
    "    }\n"
    "    KEEP(s0, out);\n"
    "    KEEP(s1, out + 8);\n"
    "    KEEP(s2, out + 16);\n"
    "    KEEP(s3, out + 24);\n"
    "}\n"
    "#else\n"
    "static inline void sum_chunks(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    for (int i = 0; i < 32; i += 8) { sum_chunk(x + i, y + i, k, out + i); }\n"
    "}\n"
    "#endif\n"
    "static inline V sum_pair(const V *x, const V *y, int k)\n"
    "{\n"
    "    V sum = K(0.0);\n"
    "    for (int j = 1; j < k; j++) { sum = F(x[j * STRIDE], y[(k - j) * STRIDE], sum); }\n"
    "    return sum;\n"
    "}\n"
    "/* four at once, since each sum waits for its own last term */\n"
    "static inline void sum_four(const V *J, const unsigned (*at)[4], int k, V *S)\n"
    "{\n"
    "    V a = K(0.0), b = K(0.0), c = K(0.0), d = K(0.0);\n"
    "    const V *x0 = J + at[0][0], *x1 = J + at[1][0], *x2 = J + at[2][0], *x3 = J + at[3][0];\n"
    "    const V *y0 = J + at[0][1], *y1 = J + at[1][1], *y2 = J + at[2][1], *y3 = J + at[3][1];\n"
    "    for (size_t up = STRIDE, down = (size_t)(k - 1) * STRIDE; down > 0; up += STRIDE, "
    "down -= STRIDE) {\n"
    "        a = F(x0[up], y0[down], a);\n"
    "        b = F(x1[up], y1[down], b);\n"
    "        c = F(x2[up], y2[down], c);\n"
    "        d = F(x3[up], y3[down], d);\n"
    "    }\n"
    "    S[at[0][2]] = a;\n"
    "    S[at[1][2]] = b;\n"
    "    S[at[2][2]] = c;\n"
    "    S[at[3][2]] = d;\n"
    "}\n"
    "\n";

static const char OTHERS[] =
    "static inline void square_chunk(const V *x, int k, V *out)\n"
    "{\n"
    "    C sum = {0}, a, b;\n"
    "    for (int j = 1; 2 * j < k; j++) {\n"
    "        LOAD(a, x + j * STRIDE);\n"
    "        LOAD(b, x + (k - j) * STRIDE);\n"
    "        sum = fuse(a, b, sum);\n"
    "    }\n"
    "    sum = TIMES(sum, 2.0);\n"
    "    if (k % 2 == 0) {\n"
    "        LOAD(a, x + k / 2 * STRIDE);\n"
    "        sum = fuse(a, a, sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "#if LANES == 1 && defined(__GNUC__)\n"
    "static inline void square_chunks(const V *x, int k, V *out)\n"
    "{\n"
    "    C s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};\n"
    "    for (int j = 1; 2 * j < k; j++) {\n"
    "        const V *x_j = x + j * STRIDE, *y_j = x + (k - j) * STRIDE;\n"
    "        s0 = fuse(chunk(x_j), chunk(y_j), s0);\n"
    "        s1 = fuse(chunk(x_j + 8), chunk(y_j + 8), s1);\n"
    "        s2 = fuse(chunk(x_j + 16), chunk(y_j + 16), s2);\n"
    "        s3 = fuse(chunk(x_j + 24), chunk(y_j + 24), s3);\n"
    "    }\n"
    "    s0 = s0 * 2.0, s1 = s1 * 2.0, s2 = s2 * 2.0, s3 = s3 * 2.0;\n"
    "    if (k % 2 == 0) {\n"
    "        const V *x_j = x + k / 2 * STRIDE;\n"
    "        s0 = fuse(chunk(x_j), chunk(x_j), s0);\n"
    "        s1 = fuse(chunk(x_j + 8), chunk(x_j + 8), s1);\n"
    "        s2 = fuse(chunk(x_j + 16), chunk(x_j + 16), s2);\n"
    "        s3 = fuse(chunk(x_j + 24), chunk(x_j + 24), s3);\n"
    "    }\n"
    "    KEEP(s0, out);\n"
    "    KEEP(s1, out + 8);\n"
    "    KEEP(s2, out + 16);\n"
    "    KEEP(s3, out + 24);\n"
    "}\n"
    "#else\n"
    "static inline void square_chunks(const V *x, int k, V *out)\n"
    "{\n"
    "    for (int i = 0; i < 32; i += 8) { square_chunk(x + i, k, out + i); }\n"
    "}\n"
    "#endif\n"
    "static inline V square_pair(const V *x, int k)\n"
    "{\n"
    "    V sum = K(0.0);\n"
    "    for (int j = 1; 2 * j < k; j++) { sum = F(x[j * STRIDE], x[(k - j) * STRIDE], sum); }\n"
    "    sum = sum * 2.0;\n"
    "    return k % 2 == 0 ? F(x[k / 2 * STRIDE], x[k / 2 * STRIDE], sum) : sum;\n"
    "}\n"
    "static inline void moment_chunk(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    C sum = {0}, a, b;\n"
    "    for (int j = 1; j < k; j++) {\n"
    "        LOAD(a, x + j * STRIDE);\n"
    "        LOAD(b, y + (k - j) * STRIDE);\n"
    "        sum = fuse(TIMES(a, (double)j), b, sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "static inline void moment_chunks(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    for (int i = 0; i < 32; i += 8) { moment_chunk(x + i, y + i, k, out + i); }\n"
    "}\n"
    "static inline V moment_pair(const V *x, const V *y, int k)\n"
    "{\n"
    "    V sum = K(0.0);\n"
    "    for (int j = 1; j < k; j++) {\n"
    "        sum = F(x[j * STRIDE] * (double)j, y[(k - j) * STRIDE], sum);\n"
    "    }\n"
    "    return sum;\n"
    "}\n\n";

typedef struct listing {
    rh_emission *in;
    const rh_tape_pairs *pairs;
    uint32_t first; // number of the first sum
    const char *name;
    bool has_right;
} listing;

// How many pairs from `at` on lie side by side.
static uint32_t run_of(const rh_tape_pairs *pairs, uint32_t at)
{
    uint32_t count = 1;
    while (at + count < pairs->count && pairs->left[at + count] == pairs->left[at] + count &&
           pairs->right[at + count] == pairs->right[at] + count) {
        count++;
    }
    return count;
}

// {left, right, sum, count} of all runs, or {left, right, sum} of all single pairs; gives how many.
static uint32_t write_list(const listing *list, bool has_runs)
{
    const rh_tape_pairs *pairs = list->pairs;
    rh_text *out = list->in->out;
    uint32_t count = 0;
    rh__text_format(out, "static const unsigned %s_%s[][4] = {", list->name,
                    has_runs ? "runs" : "pairs");
    for (uint32_t k = 0; k < pairs->count;) {
        const uint32_t run = run_of(pairs, k);
        const uint32_t taken = run >= CHUNK ? run : 1;
        if ((run >= CHUNK) == has_runs) {
            rh__text_format(out, "%s{%u, %u, %u, %u}",
                            count == 0       ? ""
                            : count % 4 == 0 ? ",\n    "
                                             : ", ",
                            pairs->left[k], pairs->right[k], list->first + k, taken);
            count++;
        }
        k += taken;
    }
    rh__text_put(out, count == 0 ? "{0, 0, 0, 0}};\n" : "};\n");
    rh__emit_count(list->in, count);
    return count;
}

static void write_runs(const listing *list)
{
    rh_text *out = list->in->out;
    const uint32_t count = write_list(list, true);
    const char *pair = list->has_right ? "x + i, y + i" : "x + i";
    rh__text_format(out,
                    "static void sum_%s_runs(const V *restrict J, V *restrict S, int k)\n{\n"
                    "    for (int r = 0; r < %u; r++) {\n"
                    "        const V *x = J + %s_runs[r][0], *y = J + %s_runs[r][1];\n"
                    "        V *out = S + %s_runs[r][2];\n"
                    "        const int n = (int)%s_runs[r][3];\n"
                    "        int i = 0;\n"
                    "        (void)y;\n",
                    list->name, count, list->name, list->name, list->name, list->name);
    rh__text_format(out, "        for (; i + 32 <= n; i += 32) { %s_chunks(%s, k, out + i); }\n",
                    list->name, pair);
    rh__text_format(out,
                    "        for (; i < n; i += 8) {\n"
                    "            i = i + 8 <= n ? i : n - 8;\n"
                    "            %s_chunk(%s, k, out + i);\n"
                    "        }\n"
                    "    }\n"
                    "}\n",
                    list->name, pair);
}

static void write_pairs(const listing *list)
{
    rh_text *out = list->in->out;
    const uint32_t count = write_list(list, false);
    rh__text_format(out,
                    "static void sum_%s_pairs(const V *restrict J, V *restrict S, int k)\n{\n"
                    "    int i = 0;\n",
                    list->name);
    if (list->pairs == &list->in->tape->products) {
        rh__text_format(
            out, "    for (; i + 4 <= %u; i += 4) { sum_four(J, sum_pairs + i, k, S); }\n", count);
    }
    rh__text_format(out,
                    "    for (; i < %u; i++) {\n"
                    "        const unsigned *at = %s_pairs[i];\n"
                    "        S[at[2]] = %s_pair(J + at[0], %sk);\n"
                    "    }\n"
                    "}\n",
                    count, list->name, list->name, list->has_right ? "J + at[1], " : "");
}

void rh__emit_wide_words(rh_emission *in)
{
    rh__text_put(in->out, WORDS);
}

void rh__emit_sums(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    const listing lists[] = {
        {in, &tape->products, 0, "sum", true},
        {in, &tape->squares, tape->products.count, "square", false},
        {in, &tape->moments, tape->products.count + tape->squares.count, "moment", true}};
    rh__text_put(in->out, PRODUCTS);
    rh__text_put(in->out, OTHERS);
    for (uint32_t k = 0; k < 3; k++) {
        write_runs(&lists[k]);
        write_pairs(&lists[k]);
    }
    rh__text_put(in->out, "\nstatic void convolve(const V *restrict J, V *restrict S, int k)\n{\n");
    for (uint32_t k = 0; k < 3; k++) {
        rh__text_format(in->out, "    sum_%s_runs(J, S, k);\n    sum_%s_pairs(J, S, k);\n",
                        lists[k].name, lists[k].name);
    }
    rh__text_put(in->out, "}\n\n");
}
