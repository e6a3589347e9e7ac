// SPDX-License-Identifier: Apache-2.0
// The sums over finished orders, in the text of loops: runs of pairs that lie side by side, eight
// or more, and single pairs. Each sum is taken in the same order, whatever its run and its lane.
// The last eight of a run may overlap those before them: the same sums are written twice.

#include "tape/emit.h"

enum { CHUNK = 8 };

static const char WORDS[] =
    "#if LANES == 1 && defined(__GNUC__) /* eight numbers side by side */\n"
    "#define WIDTH 8\n"
    "typedef double C __attribute__((vector_size(64)));\n"
    "typedef long long B __attribute__((vector_size(64)));\n"
    "#define KEEP(c, x) __builtin_memcpy(x, &(c), sizeof(C))\n"
    "/* no functions: how wide numbers are passed depends on the machine */\n"
    "#define chunk(x) __extension__({ C at; __builtin_memcpy(&at, x, sizeof(C)); at; })\n"
    "#define sizes(x) ((C)((B)(x) & 0x7fffffffffffffffLL))\n"
    "#define PICK(m, a, b) ((C)(((B)(m) & (B)(a)) | (~(B)(m) & (B)(b))))\n"
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
    "#else /* numbers or lanes one by one */\n"
    "#define WIDTH 1\n"
    "typedef V C;\n"
    "#define KEEP(c, x) (*(x) = (c))\n"
    "#define chunk(x) (*(x))\n"
    "#define fuse(a, b, c) F(a, b, c)\n"
    "#define sizes(x) ABS(x)\n"
    "#define PICK(m, a, b) CHOICE(m, a, b)\n"
    "#endif\n"
    "/* the last ones of n may be taken twice */\n"
    "#define NEXT(i, n) ((i) + 2 * WIDTH <= (n) || (i) + WIDTH == (n) ? (i) + WIDTH : (n) - "
    "WIDTH)\n"
    "static inline void scale_run(V *out, const V *x, double by, int count)\n"
    "{\n"
    "    int i = 0;\n"
    "#if LANES == 1 && defined(__GNUC__)\n"
    "    for (; i + 8 <= count; i += 8) {\n"
    "        const C a = chunk(x + i) * by;\n"
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
    "        const C c = fuse(chunk(x + i), chunk(y + i), chunk(out + i));\n"
    "        KEEP(c, out + i);\n"
    "    }\n"
    "#endif\n"
    "    for (; i < count; i++) { out[i] = F(x[i], y[i], out[i]); }\n"
    "}\n"
    "\n";

// Several chunks at once, since each sum waits for its last term. `e` is 1 where order k of x is
// there already: then x_k y_0 is a term as well.
static const char PRODUCTS[] =
    "static inline void sum_chunk(const V *x, const V *y, int k, int e, V *out)\n"
    "{\n"
    "    C sum = {0};\n"
    "    for (int j = 1; j < k + e; j++) {\n"
    "        sum = fuse(chunk(x + j * STRIDE), chunk(y + (k - j) * STRIDE), sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "#define FUSE4(x, y) \\\n"
    "    s0 = fuse(chunk(x), chunk(y), s0); \\\n"
    "    s1 = fuse(chunk((x) + WIDTH), chunk((y) + WIDTH), s1); \\\n"
    "    s2 = fuse(chunk((x) + 2 * WIDTH), chunk((y) + 2 * WIDTH), s2); \\\n"
    "    s3 = fuse(chunk((x) + 3 * WIDTH), chunk((y) + 3 * WIDTH), s3)\n"
    "#define KEEP4(x, step) \\\n"
    "    KEEP(s0, x); \\\n"
    "    KEEP(s1, (x) + (step)); \\\n"
    "    KEEP(s2, (x) + 2 * (step)); \\\n"
    "    KEEP(s3, (x) + 3 * (step))\n"
    "static inline void sum_chunks(const V *x, const V *y, int k, int e, V *out)\n"
    "{\n"
    "    C s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};\n"
    "    const V *x_j = x + STRIDE, *y_j = y + (k - 1) * STRIDE;\n"
    "    for (int j = 1; j < k + e; j++, x_j += STRIDE, y_j -= STRIDE) { FUSE4(x_j, y_j); }\n"
    "    KEEP4(out, WIDTH);\n"
    "}\n"
    "/* a term of each of four orders: y1, y2 and y3 were read before */\n"
    "#define SLIDE4(x, y) \\\n"
    "    const C a = chunk(x), y0 = chunk(y); \\\n"
    "    s0 = fuse(a, y0, s0); \\\n"
    "    s1 = fuse(a, y1, s1); \\\n"
    "    s2 = fuse(a, y2, s2); \\\n"
    "    s3 = fuse(a, y3, s3); \\\n"
    "    y3 = y2, y2 = y1, y1 = y0\n"
    "/* orders k ... k + 3, as far as orders below k go: each number is read once for all four */\n"
    "static inline void sum_block(const V *x, const V *y, int k, int e, V *out)\n"
    "{\n"
    "    C s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, y1 = {0}, y2 = {0}, y3 = {0};\n"
    "    const V *x_j = x + STRIDE, *y_j = y + (k - 1) * STRIDE;\n"
    "    for (int j = 1; j < k + e; j++, x_j += STRIDE, y_j -= STRIDE) { SLIDE4(x_j, y_j); }\n"
    "    KEEP4(out, SUMS);\n"
    "}\n"
    "/* the terms of order k that a block from order `first` on left out */\n"
    "static inline void sum_rest(const V *x, const V *y, int k, int first, int e, V *out)\n"
    "{\n"
    "    C sum = chunk(out);\n"
    "    for (int j = 1; j <= k - first; j++) {\n"
    "        sum = fuse(chunk(x + j * STRIDE), chunk(y + (k - j) * STRIDE), sum);\n"
    "        sum = fuse(chunk(x + (k - j + e) * STRIDE), chunk(y + (j - e) * STRIDE), sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "static inline void sum_rests(const V *x, const V *y, int k, int first, int e, V *out)\n"
    "{\n"
    "    C s0 = chunk(out), s1 = chunk(out + WIDTH), s2 = chunk(out + 2 * WIDTH), s3 = chunk(out + "
    "3 * WIDTH);\n"
    "    for (int j = 1; j <= k - first; j++) {\n"
    "        FUSE4(x + j * STRIDE, y + (k - j) * STRIDE);\n"
    "        FUSE4(x + (k - j + e) * STRIDE, y + (j - e) * STRIDE);\n"
    "    }\n"
    "    KEEP4(out, WIDTH);\n"
    "}\n"
    "static inline V sum_pair(const V *x, const V *y, int k, int e)\n"
    "{\n"
    "    V sum = K(0.0);\n"
    "    for (int j = 1; j < k + e; j++) { sum = F(x[j * STRIDE], y[(k - j) * STRIDE], sum); }\n"
    "    return sum;\n"
    "}\n"
    "/* four at once, since each sum waits for its own last term */\n"
    "static inline void sum_four(const V *J, const unsigned (*at)[4], int k, int e, V *S)\n"
    "{\n"
    "    V a = K(0.0), b = K(0.0), c = K(0.0), d = K(0.0);\n"
    "    const V *x0 = J + at[0][0], *x1 = J + at[1][0], *x2 = J + at[2][0], *x3 = J + at[3][0];\n"
    "    const V *y0 = J + at[0][1], *y1 = J + at[1][1], *y2 = J + at[2][1], *y3 = J + at[3][1];\n"
    "    for (int j = 1; j < k + e; j++) {\n"
    "        const size_t up = (size_t)j * STRIDE, down = (size_t)(k - j) * STRIDE;\n"
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
    "static inline void sum_two(const V *J, const unsigned (*at)[4], int k, int e, V *S)\n"
    "{\n"
    "    V a = K(0.0), b = K(0.0);\n"
    "    const V *x0 = J + at[0][0], *x1 = J + at[1][0], *y0 = J + at[0][1], *y1 = J + at[1][1];\n"
    "    for (int j = 1; j < k + e; j++) {\n"
    "        const size_t up = (size_t)j * STRIDE, down = (size_t)(k - j) * STRIDE;\n"
    "        a = F(x0[up], y0[down], a);\n"
    "        b = F(x1[up], y1[down], b);\n"
    "    }\n"
    "    S[at[0][2]] = a;\n"
    "    S[at[1][2]] = b;\n"
    "}\n"
    "\n";

static const char OTHERS[] =
    "static inline V square_pair(const V *x, int k)\n"
    "{\n"
    "    V sum = K(0.0);\n"
    "    for (int j = 1; 2 * j < k; j++) { sum = F(x[j * STRIDE], x[(k - j) * STRIDE], sum); }\n"
    "    sum = sum * 2.0;\n"
    "    return k % 2 == 0 ? F(x[k / 2 * STRIDE], x[k / 2 * STRIDE], sum) : sum;\n"
    "}\n"
    "static inline void moment_chunk(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    C sum = {0};\n"
    "    for (int j = 1; j < k; j++) {\n"
    "        sum = fuse(chunk(x + j * STRIDE) * (double)j, chunk(y + (k - j) * STRIDE), sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "static inline void moment_chunks(const V *x, const V *y, int k, V *out)\n"
    "{\n"
    "    for (int i = 0; i < 4; i++) {\n"
    "        moment_chunk(x + i * WIDTH, y + i * WIDTH, k, out + i * WIDTH);\n"
    "    }\n"
    "}\n"
    "static inline V moment_pair(const V *x, const V *y, int k)\n"
    "{\n"
    "    V sum = K(0.0);\n"
    "    for (int j = 1; j < k; j++) {\n"
    "        sum = F(x[j * STRIDE] * (double)j, y[(k - j) * STRIDE], sum);\n"
    "    }\n"
    "    return sum;\n"
    "}\n\n";

// Half of the coefficient k + 2 of x x (bend.c), without its terms of the orders 0 and 1: orders up
// to k of x have been there for a while, and that of order k + 1 is so new that reading it has to
// wait.
static const char BENDS[] =
    "static inline V bend_pair(const V *x, int k)\n"
    "{\n"
    "    V sum = K(0.0);\n"
    "    int j = 2;\n"
    "    for (; 2 * j < k + 2; j++) { sum = F(x[j * STRIDE], x[(k + 2 - j) * STRIDE], sum); }\n"
    "    return 2 * j == k + 2 ? F(x[j * STRIDE] * 0.5, x[j * STRIDE], sum) : sum;\n"
    "}\n"
    "static inline void bend_two(const V *J, const unsigned (*at)[4], int k, V *S)\n"
    "{\n"
    "    V a = K(0.0), b = K(0.0);\n"
    "    const V *x0 = J + at[0][0], *x1 = J + at[1][0];\n"
    "    int j = 2;\n"
    "    for (; 2 * j < k + 2; j++) {\n"
    "        a = F(x0[j * STRIDE], x0[(k + 2 - j) * STRIDE], a);\n"
    "        b = F(x1[j * STRIDE], x1[(k + 2 - j) * STRIDE], b);\n"
    "    }\n"
    "    S[at[0][2]] = 2 * j == k + 2 ? F(x0[j * STRIDE] * 0.5, x0[j * STRIDE], a) : a;\n"
    "    S[at[1][2]] = 2 * j == k + 2 ? F(x1[j * STRIDE] * 0.5, x1[j * STRIDE], b) : b;\n"
    "}\n"
    "static inline void bend_chunk(const V *x, int k, V *out)\n"
    "{\n"
    "    C sum = {0};\n"
    "    int j = 2;\n"
    "    for (; 2 * j < k + 2; j++) {\n"
    "        sum = fuse(chunk(x + j * STRIDE), chunk(x + (k + 2 - j) * STRIDE), sum);\n"
    "    }\n"
    "    if (2 * j == k + 2) {\n"
    "        const C a = chunk(x + j * STRIDE);\n"
    "        sum = fuse(a * 0.5, a, sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "/* orders k ... k + 3, k odd and above 2, as far as orders up to k go */\n"
    "static inline void bend_block(const V *x, int k, V *out)\n"
    "{\n"
    "    C s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, y1 = {0}, y2 = {0}, y3 = {0};\n"
    "    const V *x_j = x + 2 * STRIDE, *y_j = x + k * STRIDE;\n"
    "    for (; x_j < y_j; x_j += STRIDE, y_j -= STRIDE) { SLIDE4(x_j, y_j); }\n"
    "    s1 = fuse(y1 * 0.5, y1, s1);\n"
    "    s2 = fuse(y1, y2, s2);\n"
    "    s3 = fuse(y1, y3, s3);\n"
    "    s3 = fuse(y2 * 0.5, y2, s3);\n"
    "    KEEP4(out, SUMS);\n"
    "}\n"
    "static inline void bend_rest(const V *x, int k, int first, V *out)\n"
    "{\n"
    "    C sum = chunk(out);\n"
    "    for (int j = 2; j <= k - first + 1; j++) {\n"
    "        sum = fuse(chunk(x + j * STRIDE), chunk(x + (k + 2 - j) * STRIDE), sum);\n"
    "    }\n"
    "    KEEP(sum, out);\n"
    "}\n"
    "#define SUM_REST(i, out) sum_rest(x + (i), y + (i), k, first, e, out)\n"
    "#define BEND_REST(i, out) bend_rest(x + (i), k, first, out)\n"
    "/* its term of order 1, and the factor */\n"
    "static inline void bend_run(V *out, const V *x, int k, int count)\n"
    "{\n"
    "    const double all = (double)(k + 1) * (double)(k + 2);\n"
    "    const V *x1 = x + STRIDE, *last = x + (k + 1) * STRIDE;\n"
    "    int i = 0;\n"
    "#if LANES == 1 && defined(__GNUC__)\n"
    "    for (; i + 8 <= count; i += 8) {\n"
    "        const C c = fuse(chunk(x1 + i), chunk(last + i), chunk(out + i)) * all;\n"
    "        KEEP(c, out + i);\n"
    "    }\n"
    "#endif\n"
    "    for (; i < count; i++) { out[i] = F(x1[i], last[i], out[i]) * all; }\n"
    "}\n\n";

typedef struct listing {
    rh_emission *in;
    const rh_tape_pairs *pairs;
    uint32_t first; // number of the first sum
    const char *name;
    const char *pair; // the sum of a single pair
    rh_sum_kind kind;
    const struct listing *squares; // of products: the list whose runs are theirs
} listing;

// Is a sum for this list, and for anybody?
static bool is_listed(const listing *list, uint32_t at)
{
    const uint32_t sum = list->first + at;
    return list->in->sum_kind[sum] == list->kind;
}

// How many pairs from `at` on lie side by side; 0: it is none of the list.
static uint32_t run_of(const listing *list, uint32_t at)
{
    const rh_tape_pairs *pairs = list->pairs;
    uint32_t count = 0;
    while (at + count < pairs->count && is_listed(list, at + count) &&
           pairs->left[at + count] == pairs->left[at] + count &&
           pairs->right[at + count] == pairs->right[at] + count) {
        count++;
    }
    return count;
}

// Runs of a list, or its single pairs, as {left, right, sum, count} behind `found` others; gives
// how many there are then.
static uint32_t put_list(const listing *list, bool has_runs, uint32_t found)
{
    const rh_tape_pairs *pairs = list->pairs;
    for (uint32_t k = 0; k < pairs->count;) {
        const uint32_t run = run_of(list, k);
        const uint32_t taken = run >= CHUNK ? run : 1;
        if (run > 0 && (run >= CHUNK) == has_runs) {
            rh__text_format(list->in->out, "%s{%u, %u, %u, %u}",
                            found == 0       ? ""
                            : found % 4 == 0 ? ",\n    "
                                             : ", ",
                            pairs->left[k], pairs->right[k], list->first + k, taken);
            found++;
        }
        k += taken;
    }
    return found;
}

// A table of them; gives how many. Runs of squares are summed with those of products: that each
// product is made twice costs less than a second way through the lower orders.
static uint32_t write_list(const listing *list, bool has_runs)
{
    rh_text *out = list->in->out;
    rh__text_format(out, "static const unsigned %s_%s[][4] = {", list->name,
                    has_runs ? "runs" : "pairs");
    uint32_t count = put_list(list, has_runs, 0);
    if (has_runs && list->squares != NULL) {
        count = put_list(list->squares, true, count);
    }
    rh__text_put(out, count == 0 ? "{0, 0, 0, 0}};\n" : "};\n");
    rh__emit_count(list->in, count);
    return count;
}

// A loop over all runs, in chunks; `many` does four of them, `one` a single one.
static void write_chunks(const listing *list, const char *name, const char *many, const char *one)
{
    rh__text_format(list->in->out,
                    "static void %s_%s(const V *restrict J, V *restrict S, int k, int first)\n{\n"
                    "    (void)first;\n"
                    "    for (int r = 0; r < (int)(sizeof %s_runs / sizeof %s_runs[0]); r++) {\n"
                    "        const V *x = J + %s_runs[r][0], *y = J + %s_runs[r][1];\n"
                    "        V *out = S + %s_runs[r][2];\n"
                    "        const int n = (int)%s_runs[r][3];\n"
                    "        int i = 0;\n"
                    "        (void)y;\n",
                    list->name, name, list->name, list->name, list->name, list->name, list->name,
                    list->name);
    if (many != NULL) {
        rh__text_format(list->in->out,
                        "        for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) { %s; }\n"
                        "        if (i < n && i + WIDTH > n) { i = n - WIDTH; }\n",
                        many);
    }
    rh__text_format(
        list->in->out,
        "        while (i < n) {\n"
        "            %s;\n"
        "            i = i + 2 * WIDTH <= n || i + WIDTH == n ? i + WIDTH : n - WIDTH;\n"
        "        }\n"
        "    }\n"
        "}\n",
        one);
}

// False: there are none.
static bool write_runs(const listing *list)
{
    if (write_list(list, true) == 0) {
        return false;
    }
    if (list->kind == RH_SUM_BEND) {
        write_chunks(list, "all", NULL, "bend_chunk(x + i, k, out + i)");
        write_chunks(list, "blocks", NULL, "bend_block(x + i, k, out + i)");
    } else if (list->pairs == &list->in->tape->products) {
        const bool is_whole = list->kind == RH_SUM_WHOLE;
        write_chunks(list, "all",
                     is_whole ? "sum_chunks(x + i, y + i, k, 1, out + i)"
                              : "sum_chunks(x + i, y + i, k, 0, out + i)",
                     is_whole ? "sum_chunk(x + i, y + i, k, 1, out + i)"
                              : "sum_chunk(x + i, y + i, k, 0, out + i)");
        write_chunks(list, "blocks", NULL,
                     is_whole ? "sum_block(x + i, y + i, k, 1, out + i)"
                              : "sum_block(x + i, y + i, k, 0, out + i)");
    } else {
        write_chunks(list, "all", "moment_chunks(x + i, y + i, k, out + i)",
                     "moment_chunk(x + i, y + i, k, out + i)");
    }
    return true;
}

// What a block left out. The last eight of a run are made first, from what the block gave, and kept
// last.
static void write_rests(const listing *list)
{
    const char *name = list->name;
    const char *form = list->kind == RH_SUM_BEND ? "BEND_REST" : "SUM_REST";
    rh__text_format(
        list->in->out,
        "static void %s_rests_all(const V *restrict J, V *restrict S, int k, int first)\n"
        "{\n"
        "    enum { e = %d };\n"
        "    for (int r = 0; r < (int)(sizeof %s_runs / sizeof %s_runs[0]); r++) {\n"
        "        const V *x = J + %s_runs[r][0], *y = J + %s_runs[r][1];\n"
        "        V *out = S + %s_runs[r][2], last[WIDTH];\n"
        "        const int n = (int)%s_runs[r][3];\n"
        "        int i = 0;\n"
        "        (void)y;\n"
        "        for (int l = 0; l < WIDTH; l++) { last[l] = out[n - WIDTH + l]; }\n"
        "        %s(n - WIDTH, last);\n",
        name, list->kind == RH_SUM_WHOLE, name, name, name, name, name, name, form);
    // of a bend there are three terms at most
    rh__text_put(list->in->out, list->kind == RH_SUM_BEND
                                    ? ""
                                    : "        for (; i + 4 * WIDTH < n; i += 4 * WIDTH) {\n"
                                      "            sum_rests(x + i, y + i, k, first, e, out + i);\n"
                                      "        }\n");
    rh__text_format(list->in->out,
                    "        for (; i + WIDTH < n; i += WIDTH) { %s(i, out + i); }\n"
                    "        for (int l = 0; l < WIDTH; l++) { out[n - WIDTH + l] = last[l]; }\n"
                    "    }\n"
                    "}\n",
                    form);
}

static void write_pairs(const listing *list)
{
    rh_text *out = list->in->out;
    const uint32_t count = write_list(list, false);
    rh__text_format(out,
                    "static void sum_%s_pairs(const V *restrict J, V *restrict S, int k)\n{\n"
                    "    int i = 0;\n",
                    list->name);
    const char *extra = list->kind == RH_SUM_WHOLE ? "1, " : "0, ";
    const bool has_products = list->pairs == &list->in->tape->products;
    if (has_products && list->kind != RH_SUM_BEND) {
        rh__text_format(out,
                        "    for (; i + 4 <= %u; i += 4) { sum_four(J, %s_pairs + i, k, %sS); }\n"
                        "    for (; i + 2 <= %u; i += 2) { sum_two(J, %s_pairs + i, k, %sS); }\n",
                        count, list->name, extra, count, list->name, extra);
    } else if (has_products) {
        rh__text_format(
            out, "    for (; i + 2 <= %u; i += 2) { bend_two(J, bend_pairs + i, k, S); }\n", count);
    }
    rh__text_format(out,
                    "    for (; i < %u; i++) {\n"
                    "        const unsigned *at = %s_pairs[i];\n"
                    "        S[at[2]] = %s;\n"
                    "    }\n"
                    "}\n",
                    count, list->name, list->pair);
}

size_t rh__emit_sum_count(const rh_tape *tape)
{
    const size_t count = (size_t)tape->products.count + tape->squares.count + tape->moments.count;
    return (count + CHUNK) / CHUNK * CHUNK;
}

void rh__emit_wide_words(rh_emission *in)
{
    rh__text_put(in->out, WORDS);
}

// Four orders at once where there are so many.
static void put_turns(rh_emission *in, bool has_runs, const char *name)
{
    if (has_runs) {
        rh__text_format(in->out,
                        "    if (first == 1 || first + 2 >= %u) {\n"
                        "        %s_all(J, S, k, first);\n"
                        "    } else if (k == first) {\n"
                        "        %s_blocks(J, S, k, first);\n"
                        "    } else {\n"
                        "        %s_rests_all(J, S, k, first);\n"
                        "    }\n",
                        in->order, name, name, name);
    }
}

void rh__emit_sums(rh_emission *in)
{
    const rh_tape *tape = in->tape;
    const listing squares = {.in = in,
                             .pairs = &tape->squares,
                             .first = tape->products.count,
                             .name = "square",
                             .pair = "square_pair(J + at[0], k)"};
    const listing products = {.in = in,
                              .pairs = &tape->products,
                              .name = "sum",
                              .pair = "sum_pair(J + at[0], J + at[1], k, 0)",
                              .squares = &squares};
    const listing wholes = {.in = in,
                            .pairs = &tape->products,
                            .name = "whole",
                            .pair = "sum_pair(J + at[0], J + at[1], k, 1)",
                            .kind = RH_SUM_WHOLE};
    const listing bends = {.in = in,
                           .pairs = &tape->products,
                           .name = "bend",
                           .pair = "bend_pair(J + at[0], k)",
                           .kind = RH_SUM_BEND};
    const listing moments = {.in = in,
                             .pairs = &tape->moments,
                             .first = tape->products.count + tape->squares.count,
                             .name = "moment",
                             .pair = "moment_pair(J + at[0], J + at[1], k)"};
    const listing *const blocks[] = {&products, &wholes, &bends};
    bool has_blocks[] = {false, false, false};
    rh__text_format(in->out, "#define SUMS %zu\n", rh__emit_sum_count(tape));
    rh__text_put(in->out, PRODUCTS);
    rh__text_put(in->out, OTHERS);
    rh__text_put(in->out, BENDS);
    for (uint32_t k = 0; k < 3; k++) {
        has_blocks[k] = write_runs(blocks[k]);
        write_pairs(blocks[k]);
        if (has_blocks[k]) {
            write_rests(blocks[k]);
        }
    }
    const bool has_moments = write_runs(&moments);
    write_pairs(&squares);
    write_pairs(&moments);
    rh__text_put(in->out, "\n/* four orders have sums at a time */\n"
                          "static void convolve(const V *restrict J, V *restrict sums, int k)\n{\n"
                          "    const int first = (k - 1) / 4 * 4 + 1;\n"
                          "    V *const S = sums + (k - first) * SUMS;\n");
    for (uint32_t k = 0; k < 3; k++) {
        put_turns(in, has_blocks[k], blocks[k]->name);
    }
    rh__text_put(in->out, has_moments ? "    moment_all(J, S, k, first);\n" : "");
    rh__text_put(in->out, "    sum_sum_pairs(J, S, k);\n    sum_whole_pairs(J, S, k);\n"
                          "    sum_bend_pairs(J, S, k);\n    sum_square_pairs(J, S, k);\n"
                          "    sum_moment_pairs(J, S, k);\n}\n\n");
}
