// SPDX-License-Identifier: Apache-2.0
// The text of solve blocks. Dense ones take their pivots by value as the interpreter does, so only
// solving is written out; sparse ones have a fixed order and functions of their own
// (sparse_text.c). A single unknown is a quotient.

#include "tape/emit.h"
#include "tape/shelving.h"

#include <string.h>

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
                    in->mark + index);
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

// In a series the solves of one order wait for those of the last: a small block is inverted once
// and then multiplied with, which takes a third of the time, where its pivots lose next to nothing.
enum { MOST_INVERTED = 6, LEAST_INVERTED = 8 }; // unknowns; orders

#define FIRM 1e-3 // the margin of such a block

static bool is_inverted(const rh_emission *in, const rh_tape_block *block)
{
    return !in->has_loops && in->order >= LEAST_INVERTED && block->n > 1 && !is_sparse(block) &&
           block->n <= MOST_INVERTED;
}

static void write_inversion(rh_emission *in, uint32_t index)
{
    const uint32_t n = in->tape->blocks[index].n;
    rh_text *out = in->out;
    const uint32_t mark = in->mark + index;
    rh__text_format(out,
                    "static void invert_%u(const V *a, const int *row, const V *inverse, V *z)\n{\n"
                    "    for (int j = 0; j < %u; j++) {\n"
                    "        V b[%u];\n"
                    "        for (int i = 0; i < %u; i++) { b[i] = K(i == j ? 1.0 : 0.0); }\n"
                    "        solve_%u(a, row, inverse, b);\n"
                    "        for (int i = 0; i < %u; i++) { z[i * %u + j] = b[i]; }\n"
                    "    }\n}\n\n",
                    mark, n, n, n, mark, n, n);
    rh__emit_count(in, (uint64_t)n * n * n);
}

// Lanes that are not firm have their own way.
static void write_multiplication(rh_emission *in, uint32_t index)
{
    const uint32_t n = in->tape->blocks[index].n;
    rh_text *out = in->out;
    rh__text_format(out,
                    "static ALWAYS void apply_%u(const V *a, const int *row, const V *inverse, "
                    "const V *z, M firm, V *b)\n{\n    V y[%u];\n"
                    "    for (int i = 0; i < %u; i++) { y[i] = b[i]; }\n"
                    "    if (SOME(firm)) {\n",
                    in->mark + index, n, n);
    for (uint32_t i = 0; i < n; i++) {
        rh__text_format(out, "        y[%u] = z[%u] * b[0];\n", i, i * n);
        for (uint32_t j = 1; j < n; j++) {
            rh__text_format(out, "        y[%u] = F(z[%u], b[%u], y[%u]);\n", i, i * n + j, j, i);
        }
    }
    rh__text_format(out,
                    "    }\n    if (LACKING(firm)) {\n        V own[%u];\n"
                    "        for (int i = 0; i < %u; i++) { own[i] = b[i]; }\n"
                    "        solve_%u(a, row, inverse, own);\n"
                    "        for (int i = 0; i < %u; i++) { y[i] = CHOICE(firm, y[i], own[i]); }\n"
                    "    }\n"
                    "    for (int i = 0; i < %u; i++) { b[i] = y[i]; }\n}\n\n",
                    n, n, in->mark + index, n, n);
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

// --- both ------------------------------------------------------------------------------------

rh_status rh__emit_factors(rh_emission *in)
{
    for (uint32_t k = 0; k < in->tape->block_count; k++) {
        const rh_tape_block *block = &in->tape->blocks[k];
        if (block->factor != k || block->n == 1) {
            continue;
        }
        if (is_sparse(block)) {
            RH_TRY(rh__emit_sparse(in, k));
        } else {
            write_dense_solve(in, k);
        }
        if (is_inverted(in, block)) {
            write_inversion(in, k);
            write_multiplication(in, k);
        }
    }
    return RH_OK;
}

// Where a sparse block keeps its numbers: factors, inverses of pivots, sizes, rests, the right
// side, values of entries.
typedef struct rooms {
    size_t inverse, size, rest, kept, values, end;
} rooms;

static rooms rooms_of(const rh_tape_block *block)
{
    const rh_shelving_size size = rh__shelving_measure(block);
    const size_t n = block->n;
    const size_t homes = size.homes;
    return (rooms){.inverse = homes,
                   .size = homes + n,
                   .rest = homes + 2 * n,
                   .kept = homes + 3 * n,
                   .values = homes + 4 * n,
                   .end = homes + 4 * n + size.places};
}

// How many numbers V a block takes.
static size_t room_of(const rh_tape_block *block)
{
    const size_t n = block->n;
    return block->n == 1 ? 1 : is_sparse(block) ? rooms_of(block).end : n * n + n;
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
        if (is_inverted(in, block)) {
            rh__text_format(in->out, "    V Z%u[%u];\n    M firm%u;\n", k, block->n * block->n, k);
        }
        at += count;
    }
}

// `is_first`: of order 0, on which all others build.
static void write_solve(rh_emission *in, uint32_t index, const char *b, bool is_first)
{
    const uint32_t factor = in->tape->blocks[index].factor;
    const rh_tape_block *block = &in->tape->blocks[factor];
    if (block->n == 1) {
        rh__text_format(in->out, "    %s[0] = %s[0] * A%u[0];\n", b, b, factor);
    } else if (is_sparse(block)) {
        rh__text_format(in->out, "    solve_%u(A%u, A%u + %zu, %s);\n", in->mark + factor, factor,
                        factor, rooms_of(block).inverse, b);
    } else if (!is_first && is_inverted(in, block)) {
        rh__text_format(in->out, "    apply_%u(A%u, R%u, A%u + %u, Z%u, firm%u, %s);\n",
                        in->mark + factor, factor, factor, factor, block->n * block->n, factor,
                        factor, b);
    } else {
        rh__text_format(in->out, "    solve_%u(A%u, R%u, A%u + %u, %s);\n", in->mark + factor,
                        factor, factor, factor, block->n * block->n, b);
    }
}

// What a released row says: its unknown is lent a value at order 0 and does not move.
static void write_releases(rh_emission *in, uint32_t index, const char *b, bool is_lent)
{
    rh__text_put(in->out, "    {\n");
    if (strcmp(b, "b") != 0) {
        rh__text_format(in->out, "    V *const b = %s;\n    (void)b;\n", b);
    }
    rh__emit_releases(in, index, is_lent);
    rh__text_put(in->out, "    }\n");
}

// The margin of a block, and whether it is large enough.
static void write_least(rh_emission *in, const rh_tape_block *block)
{
    rh__text_format(in->out,
                    "    margin = CHOICE(ratio < margin, ratio, CHOICE(ratio == ratio, margin, "
                    "K(0.0)));\n"
                    "    sane = CHOICE(ratio >= %.17g, sane, K(1.0));\n    }\n",
                    block->margin);
}

// Which unknowns of a dense block are rates, by bits.
static uint32_t rates_of(const rh_tape_block *block)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < block->n; k++) {
        bits |= (uint32_t)block->is_rate[k] << k;
    }
    return bits;
}

static void write_factor(rh_emission *in, uint32_t index)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    if (block->n == 1) {
        write_dense_entry(in, index, 0, 0);
        rh__text_format(in->out, "    {\n    const V ratio = ABS(A%u[0]) / ABS(A%u[0]);\n", index,
                        index);
        write_least(in, block);
        rh__text_format(in->out, "    A%u[0] = 1.0 / A%u[0];\n", index, index);
        return;
    }
    for (uint32_t k = 0; !is_sparse(block) && k < block->n * block->n; k++) {
        write_dense_entry(in, index, k / block->n, k % block->n);
    }
    if (is_sparse(block)) {
        const rooms at = rooms_of(block);
        rh__text_format(
            in->out, "    {\n    const V ratio = factor_%u(p, v%u, A%u, A%u + %zu, A%u + %zu);\n",
            in->mark + index, index, index, index, at.inverse, index, at.size);
    } else {
        rh__text_format(in->out, "    {\n    const V ratio = PIVOTS(%u, %u, A%u, R%u, A%u + %u);\n",
                        block->n, rates_of(block), index, index, index, block->n * block->n);
    }
    if (is_inverted(in, block)) {
        rh__text_format(
            in->out, "    firm%u = ratio >= %.17g;\n    invert_%u(A%u, R%u, A%u + %u, Z%u);\n",
            index, FIRM, in->mark + index, index, index, index, block->n * block->n, index);
    }
    write_least(in, block);
}

static void write_sparse_begin(rh_emission *in, uint32_t index, const char *b)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    const rooms at = rooms_of(block);
    rh__text_format(in->out, "    copy(%s, A%u + %zu, %u);\n", b, index, at.kept, block->n);
    write_solve(in, index, b, true);
    rh__text_format(
        in->out, "    margin = margin * check_%u(p, v%u, A%u + %zu, %s, A%u + %zu, A%u + %zu);\n",
        in->mark + index, index, index, at.kept, b, index, at.rest, index, at.size);
}

void rh__emit_block_begin(rh_emission *in, uint32_t index, const char *b)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    if (block->factor != index) {
        write_releases(in, index, b, false);
        write_solve(in, index, b, true);
        return;
    }
    write_releases(in, index, b, true);
    write_factor(in, index);
    if (is_sparse(block)) {
        write_sparse_begin(in, index, b);
    } else {
        write_solve(in, index, b, true);
    }
    // entries and right sides that are not finite show in the margin, or here
    rh__text_format(in->out, "    sane = sane + sanity(%s, %u);\n", b, block->n);
}

void rh__emit_block_solve(rh_emission *in, uint32_t index, const char *b)
{
    write_releases(in, index, b, false);
    write_solve(in, index, b, false);
}

size_t rh__emit_values_room(const rh_tape_block *block)
{
    return is_sparse(block) ? rooms_of(block).values : SIZE_MAX;
}

uint32_t rh__emit_entry_place(const rh_emission *in, uint32_t index, uint32_t entry)
{
    return is_sparse(&in->tape->blocks[index]) ? in->shelvings[index].entry_place[entry] : entry;
}
