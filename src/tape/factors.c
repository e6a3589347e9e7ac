// SPDX-License-Identifier: Apache-2.0
// The text of solve blocks. Dense ones take their pivots by value as the interpreter does, so only
// solving is written out; sparse ones have a fixed order, and elimination follows its pattern
// statement by statement. A single unknown is a quotient.

#include "tape/emit.h"

static bool is_sparse(const rh_tape_block *block)
{
    return block->saddle != NULL;
}

// --- dense -----------------------------------------------------------------------------------

static void write_dense_solve(rh_emission *in, uint32_t index)
{
    const uint32_t n = in->tape->blocks[index].n;
    rh_text *out = in->out;
    rh__text_format(out,
                    "static inline void solve_%u(const V *a, const int *row, const V *inverse, "
                    "V *b)\n{\n",
                    index);
    for (uint32_t i = 0; i < n; i++) {
        rh__text_format(out, "    V y%u = FROM(b, row, %u);\n", i, i);
        for (uint32_t j = 0; j < i; j++) {
            rh__text_format(out, "    y%u = F(-a[%u], y%u, y%u);\n", i, i * n + j, j, i);
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t j = n; j-- > i + 1;) {
            rh__text_format(out, "    y%u = F(-a[%u], y%u, y%u);\n", i, i * n + j, j, i);
        }
        rh__text_format(out, "    b[%u] = y%u = y%u * inverse[%u];\n", i, i, i, i);
    }
    rh__text_put(out, "}\n\n");
    rh__emit_count(in, (uint64_t)n * n);
}

// Entry k of a dense matrix gets all values that stand there.
static void write_dense_entry(rh_emission *in, uint32_t index, uint32_t row, uint32_t column)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    const uint32_t n = block->n;
    const uint32_t hold = block->hold[row];
    bool is_begun = false;
    rh__text_format(in->out, "    A%u[%u] = ", index, row * n + column);
    if (hold != UINT32_MAX) {
        rh__text_format(in->out, "CHOICE(HELD(%u), K(%s), ", hold,
                        block->hold_column[row] == column ? "1.0" : "0.0");
    }
    for (uint32_t k = 0; k < block->entry_count; k++) {
        if (block->entries[k].row == row && block->entries[k].column == column) {
            rh__text_format(in->out, "%sv%u[%u]", is_begun ? " + " : "", index, k);
            is_begun = true;
        }
    }
    rh__text_put(in->out, is_begun ? "" : "K(0.0)");
    rh__text_put(in->out, hold != UINT32_MAX ? ");\n" : ";\n");
}

// --- sparse ----------------------------------------------------------------------------------

// A row under elimination: which of its places hold something.
typedef struct row_text {
    rh_emission *in;
    const rh_tape_block *block;
    bool *is_begun; // by position
    uint32_t k;
} row_text;

// The places of row k, in order: before the diagonal, on it, behind it.
static uint32_t place_count(const rh_saddle *saddle, uint32_t k)
{
    return saddle->lower_begin[k + 1] - saddle->lower_begin[k] + 1 + saddle->upper_begin[k + 1] -
           saddle->upper_begin[k];
}

static uint32_t place_at(const rh_saddle *saddle, uint32_t k, uint32_t i)
{
    const uint32_t lower = saddle->lower_begin[k + 1] - saddle->lower_begin[k];
    return i < lower    ? saddle->lower[saddle->lower_begin[k] + i]
           : i == lower ? k
                        : saddle->upper[saddle->upper_begin[k] + i - lower - 1];
}

static void write_row_begin(row_text *at)
{
    const rh_tape_block *block = at->block;
    const rh_saddle *saddle = block->saddle;
    rh_text *out = at->in->out;
    const uint32_t origin = saddle->order[at->k];
    const uint32_t hold = block->hold[origin];
    rh__text_put(out, "    {\n");
    for (uint32_t j = saddle->entry_begin[at->k]; j < saddle->entry_begin[at->k + 1]; j++) {
        const uint32_t entry = saddle->entry[j];
        const uint32_t place = saddle->position[block->entries[entry].column];
        rh__text_format(out,
                        at->is_begun[place] ? "    r%u = r%u + v[%u];\n" : "    V r%u = v[%u];\n",
                        place, at->is_begun[place] ? place : entry, entry);
        at->is_begun[place] = true;
    }
    for (uint32_t i = 0; i < place_count(saddle, at->k); i++) {
        const uint32_t place = place_at(saddle, at->k, i);
        if (!at->is_begun[place]) {
            rh__text_format(out, "    V r%u = K(0.0);\n", place);
        }
        at->is_begun[place] = false;
        if (hold != UINT32_MAX) {
            rh__text_format(out, "    r%u = CHOICE(HELD(%u), K(%s), r%u);\n", place, hold,
                            saddle->position[block->hold_column[origin]] == place ? "1.0" : "0.0",
                            place);
        }
    }
    rh__text_format(out, "    V size = ABS(r%u);\n", at->k);
}

static void write_row(row_text *at)
{
    const rh_saddle *saddle = at->block->saddle;
    const uint32_t k = at->k;
    rh_text *out = at->in->out;
    write_row_begin(at);
    for (uint32_t i = saddle->lower_begin[k]; i < saddle->lower_begin[k + 1]; i++) {
        const uint32_t pivot = saddle->lower[i];
        rh__text_format(out, "    const V f%u = lower[%u] = r%u * inverse[%u];\n", pivot, i, pivot,
                        pivot);
        for (uint32_t j = saddle->upper_begin[pivot]; j < saddle->upper_begin[pivot + 1]; j++) {
            const uint32_t to = saddle->upper[j];
            rh__text_format(out, "    r%u = F(-f%u, upper[%u], r%u);\n", to, pivot, j, to);
            if (to == k) {
                rh__text_format(out, "    size = size + ABS(f%u * upper[%u]);\n", pivot, j);
            }
            rh__emit_count(at->in, 1);
        }
    }
    rh__text_format(out, "    const V ratio = ABS(r%u) / size;\n", k);
    rh__text_put(out, "    margin = CHOICE(ratio < margin, ratio, CHOICE(ratio == ratio, margin, "
                      "K(0.0)));\n");
    rh__text_format(out, "    inverse[%u] = 1.0 / r%u;\n", k, k);
    for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
        rh__text_format(out, "    upper[%u] = r%u;\n", j, saddle->upper[j]);
    }
    rh__text_put(out, "    }\n");
    rh__emit_count(at->in, 6);
}

static rh_status write_sparse_factor(rh_emission *in, uint32_t index)
{
    row_text at = {.in = in, .block = &in->tape->blocks[index]};
    at.is_begun = rh__arena_array(in->scratch, bool, (size_t)at.block->n + 1);
    if (at.is_begun == NULL) {
        return in->scratch->status;
    }
    rh__text_format(in->out,
                    "static V factor_%u(const struct point *p, const V *v, V *lower, V *upper, "
                    "V *inverse)\n{\n    V margin = K(1.0);\n    (void)p;\n    (void)lower;\n"
                    "    (void)upper;\n",
                    index);
    for (at.k = 0; at.k < at.block->n; at.k++) {
        write_row(&at);
    }
    rh__text_put(in->out, "    return margin;\n}\n\n");
    return RH_OK;
}

static void write_sparse_solve(rh_emission *in, uint32_t index)
{
    const rh_saddle *saddle = in->tape->blocks[index].saddle;
    rh_text *out = in->out;
    rh__text_format(out,
                    "static void solve_%u(const V *lower, const V *upper, const V *inverse, V *b)\n"
                    "{\n    (void)lower;\n    (void)upper;\n",
                    index);
    for (uint32_t k = 0; k < saddle->n; k++) {
        rh__text_format(out, "    V y%u = b[%u];\n", k, saddle->order[k]);
        for (uint32_t j = saddle->lower_begin[k]; j < saddle->lower_begin[k + 1]; j++) {
            rh__text_format(out, "    y%u = F(-lower[%u], y%u, y%u);\n", k, j, saddle->lower[j], k);
            rh__emit_count(in, 1);
        }
    }
    for (uint32_t k = saddle->n; k-- > 0;) {
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            rh__text_format(out, "    y%u = F(-upper[%u], y%u, y%u);\n", k, j, saddle->upper[j], k);
            rh__emit_count(in, 1);
        }
        rh__text_format(out, "    b[%u] = y%u = y%u * inverse[%u];\n", saddle->order[k], k, k, k);
    }
    rh__text_put(out, "}\n\n");
    rh__emit_count(in, 2 * (uint64_t)saddle->n);
}

static void write_table(rh_emission *in, const char *name, uint32_t index, bool is_column)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    rh__text_format(in->out, "    static const unsigned %s[%u] = {", name, block->entry_count);
    for (uint32_t k = 0; k < block->entry_count; k++) {
        rh__text_format(in->out, "%s%u",
                        k == 0        ? ""
                        : k % 16 == 0 ? ",\n        "
                                      : ", ",
                        is_column ? block->entries[k].column : block->entries[k].row);
    }
    rh__text_put(in->out, "};\n");
}

// The same test of what came out as in pivot.c, but that rows which are released need none. Gives 1
// where it is passed, else 0.
static void write_check(rh_emission *in, uint32_t index)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    rh_text *out = in->out;
    rh__text_format(out,
                    "static V check_%u(const struct point *p, const V *v, const V *b, const V *z)\n"
                    "{\n",
                    index);
    write_table(in, "row", index, false);
    write_table(in, "column", index, true);
    rh__text_format(out,
                    "    V rest[%u], size[%u], largest = K(0.0), passed = K(1.0);\n"
                    "    for (int k = 0; k < %u; k++) {\n"
                    "        rest[k] = b[k];\n"
                    "        size[k] = ABS(b[k]);\n"
                    "    }\n"
                    "    for (int k = 0; k < %u; k++) {\n"
                    "        const V part = v[k] * z[column[k]];\n"
                    "        rest[row[k]] = rest[row[k]] - part;\n"
                    "        size[row[k]] = size[row[k]] + ABS(part);\n"
                    "    }\n",
                    block->n, block->n, block->n, block->entry_count);
    for (uint32_t k = 0; k < block->n; k++) {
        if (block->hold[k] != UINT32_MAX) {
            rh__text_format(out, "    rest[%u] = CHOICE(HELD(%u), K(0.0), rest[%u]);\n", k,
                            block->hold[k], k);
        }
    }
    rh__text_format(out,
                    "    for (int k = 0; k < %u; k++) {\n"
                    "        largest = CHOICE(size[k] > largest, size[k], largest);\n"
                    "    }\n"
                    "    for (int k = 0; k < %u; k++) {\n"
                    "        const V whole = size[k] + 1e-9 * largest;\n"
                    "        passed = CHOICE(ABS(rest[k]) <= 1e-7 * whole, passed, K(0.0));\n"
                    "    }\n"
                    "    (void)p;\n"
                    "    return passed;\n}\n\n",
                    block->n, block->n);
}

// --- both ------------------------------------------------------------------------------------

rh_status rh__emit_factors(rh_emission *in)
{
    for (uint32_t k = 0; k < in->tape->block_count; k++) {
        const rh_tape_block *block = &in->tape->blocks[k];
        if (block->factor != k || block->n == 1) {
            continue;
        }
        if (is_sparse(block)) {
            RH_TRY(write_sparse_factor(in, k));
            write_sparse_solve(in, k);
            write_check(in, k);
        } else {
            write_dense_solve(in, k);
        }
    }
    return RH_OK;
}

// How many numbers V the factors of a block take.
static size_t room_of(const rh_tape_block *block)
{
    const size_t n = block->n;
    return block->n == 1      ? 1
           : is_sparse(block) ? 2 * (size_t)block->saddle->upper_begin[n] + n
                              : n * n + n;
}

size_t rh__emit_factor_numbers(const rh_tape *tape)
{
    size_t count = 0;
    for (uint32_t k = 0; k < tape->block_count; k++) {
        count += tape->blocks[k].factor == k ? room_of(&tape->blocks[k]) : 0;
    }
    return count;
}

void rh__emit_factor_room(rh_emission *in, const char *room)
{
    size_t at = 0;
    for (uint32_t k = 0; k < in->tape->block_count; k++) {
        const rh_tape_block *block = &in->tape->blocks[k];
        if (block->factor != k) {
            continue;
        }
        const size_t count = room_of(block);
        if (room == NULL) {
            rh__text_format(in->out, "    V A%u[%zu];\n", k, count);
        } else {
            rh__text_format(in->out, "    V *const A%u = %s + %zu;\n", k, room, at);
        }
        if (block->n > 1 && !is_sparse(block)) {
            rh__text_format(in->out, "    int R%u[LANES * %u];\n", k, block->n);
        }
        at += count;
    }
}

// The arguments of factor_B and solve_B.
static void write_arguments(rh_emission *in, uint32_t factor)
{
    const rh_tape_block *block = &in->tape->blocks[factor];
    if (is_sparse(block)) {
        const uint32_t count = block->saddle->upper_begin[block->n];
        rh__text_format(in->out, "A%u, A%u + %u, A%u + %u", factor, factor, count, factor,
                        2 * count);
    } else {
        rh__text_format(in->out, "A%u, R%u, A%u + %u", factor, factor, factor, block->n * block->n);
    }
}

static void write_solve(rh_emission *in, uint32_t index, const char *b)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    if (block->n == 1) {
        rh__text_format(in->out, "    %s[0] = %s[0] * A%u[0];\n", b, b, block->factor);
        return;
    }
    rh__text_format(in->out, "    solve_%u(", block->factor);
    write_arguments(in, block->factor);
    rh__text_format(in->out, ", %s);\n", b);
}

// What a released row says: its unknown is lent a value at order 0 and does not move.
static void write_releases(rh_emission *in, uint32_t index, const char *b, bool is_lent)
{
    const rh_tape_block *block = &in->tape->blocks[in->tape->blocks[index].factor];
    for (uint32_t k = 0; k < block->n; k++) {
        if (block->hold[k] == UINT32_MAX) {
            continue;
        }
        rh__text_format(in->out, "    %s[%u] = CHOICE(HELD(%u), ", b, k, block->hold[k]);
        rh__text_format(in->out, is_lent ? "LENT(%u)" : "K(0.0)", block->hold[k]);
        rh__text_format(in->out, ", %s[%u]);\n", b, k);
    }
}

static void write_least(rh_emission *in)
{
    rh__text_put(in->out, "    margin = CHOICE(ratio < margin, ratio, CHOICE(ratio == ratio, "
                          "margin, K(0.0)));\n    }\n");
}

static void write_factor(rh_emission *in, uint32_t index)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    if (block->n == 1) {
        write_dense_entry(in, index, 0, 0);
        rh__text_format(in->out, "    {\n    const V ratio = ABS(A%u[0]) / ABS(A%u[0]);\n", index,
                        index);
        write_least(in);
        rh__text_format(in->out, "    A%u[0] = 1.0 / A%u[0];\n", index, index);
        return;
    }
    for (uint32_t k = 0; !is_sparse(block) && k < block->n * block->n; k++) {
        write_dense_entry(in, index, k / block->n, k % block->n);
    }
    if (is_sparse(block)) {
        rh__text_format(in->out, "    {\n    const V ratio = factor_%u(p, v%u, ", index, index);
    } else {
        rh__text_format(in->out, "    {\n    const V ratio = PIVOTS(%u, ", block->n);
    }
    write_arguments(in, index);
    rh__text_put(in->out, ");\n");
    write_least(in);
}

void rh__emit_block_begin(rh_emission *in, uint32_t index, const char *b)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    if (block->factor != index) {
        write_releases(in, index, b, false);
        write_solve(in, index, b);
        return;
    }
    write_releases(in, index, b, true);
    write_factor(in, index);
    if (is_sparse(block)) {
        rh__text_format(in->out, "    V kept%u[%u];\n", index, block->n);
        rh__text_format(in->out, "    for (int i = 0; i < %u; i++) { kept%u[i] = %s[i]; }\n",
                        block->n, index, b);
    }
    write_solve(in, index, b);
    if (is_sparse(block)) {
        rh__text_format(in->out, "    margin = margin * check_%u(p, v%u, kept%u, %s);\n", index,
                        index, index, b);
    }
    // entries and right sides that are not finite show in the margin, or here
    rh__text_format(in->out, "    sane = sane + sanity(%s, %u);\n", b, block->n);
}

void rh__emit_block_solve(rh_emission *in, uint32_t index, const char *b)
{
    write_releases(in, index, b, false);
    write_solve(in, index, b);
}
