// SPDX-License-Identifier: Apache-2.0
// The text of sparse blocks: elimination along their fixed pattern as in schur.c, in place, with
// rows and columns under their own numbers. Leading rows depend on none, so what they do is written
// as flat loops over families; the rest are loops whose steps follow each other (a chain, say), or
// tables where nothing repeats.

#include "tape/shelving.h"
#include "tape/refrain.h"

#include <stdlib.h>

enum {
    MOST_STEPS = 200, // pieces of the elimination beyond which it has tables
    NEVER = 0,        // statements from which on eight are done at a time
    WIDE = 8,
    LATE = 16 // what a solution reads was written one by one just before
};

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// The numbers of the rows at some positions, ascending; NULL when there was no memory.
static uint32_t *sorted_rows(const rh_saddle *saddle, uint32_t begin, uint32_t end, rh_arena *arena)
{
    uint32_t *rows = rh__arena_array(arena, uint32_t, (size_t)(end - begin) + 1);
    for (uint32_t k = begin; rows != NULL && k < end; k++) {
        rows[k - begin] = saddle->order[k];
    }
    if (rows != NULL && end > begin) {
        qsort(rows, end - begin, sizeof *rows, compare_numbers);
    }
    return rows;
}

// --- factors -------------------------------------------------------------------------------------

enum { ADD, ZERO, ONE, INVERT, MIRROR, CHANGE, PIVOT, SCALE, SET, EMPTY };

static const rh_refrain_kind STEPS[] = {
    [ADD] = {"", "", "@=h(a,@h(a) + @v(b));", 2, 0, false, WIDE},
    [ZERO] = {"", "", "@=h(a,CHOICE(@H(b), K(0.0), @h(a)));", 2, 0, false, NEVER},
    [ONE] = {"", "", "@=h(a,CHOICE(@H(b), K(1.0), @h(a)));", 2, 0, false, NEVER},
    [INVERT] = {"", "", "@=inv(a,1.0 / @h(a));", 1, 0, false, WIDE},
    // the entry of L across from one of U
    [MIRROR] = {"@=h(a,@h(a) * @inv(b));", "", "@=size(d,@size(d) + $A(@h(a) * @h(c)));", 4, 0,
                false, WIDE},
    [CHANGE] = {"", "", "@=h(a,$F(-@h(b), @h(c), @h(a)));", 3, 0, false, WIDE},
    [PIVOT] = {"@=size(a,@size(a) + $A(@h(b) * @h(c)));", "", "@=h(a,$F(-@h(b), @h(c), @h(a)));", 3,
               0, false, WIDE},
    [SCALE] = {"", "", "@=h(a,@h(a) * @inv(b));", 2, 0, false, WIDE},
    [SET] = {"", "", "@=h(a,@v(b));", 2, 0, false, WIDE},
    [EMPTY] = {"", "", "@=h(a,$O);", 1, 0, false, WIDE}};

static void add_step(rh_refrain *refrain, uint32_t kind, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t heads[] = {a, b, c};
    rh__refrain_add(refrain, kind, heads);
}

// How many numbers there are in the longest row of a list.
static uint32_t longest(const uint32_t *begin, uint32_t rows)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < rows; k++) {
        most = begin[k + 1] - begin[k] > most ? begin[k + 1] - begin[k] : most;
    }
    return most;
}

// Homes without a value, which elimination fills.
static rh_status write_empty(rh_emission *in, const rh_shelving *shelving, const bool *is_set)
{
    const rh_saddle *saddle = shelving->saddle;
    const uint32_t homes = rh__shelving_measure(shelving->block).homes;
    bool *is_used = rh__arena_array(in->scratch, bool, (size_t)homes + 1);
    if (is_used == NULL) {
        return in->scratch->status;
    }
    for (uint32_t k = 0; k < saddle->n; k++) {
        is_used[saddle->order[k]] = true;
    }
    for (uint32_t j = 0; j < saddle->lower_begin[saddle->n]; j++) {
        is_used[shelving->lower_home[j]] = true;
    }
    for (uint32_t j = 0; j < saddle->upper_begin[saddle->n]; j++) {
        is_used[shelving->upper_home[j]] = true;
    }
    rh_refrain refrain = rh__refrain_begin(in, STEPS, true);
    for (uint32_t home = 0; home < homes; home++) {
        if (is_used[home] && !is_set[home]) {
            add_step(&refrain, EMPTY, home, 0, 0);
        }
    }
    return rh__refrain_write(&refrain);
}

// Values into their homes: the t-th of all rows, then the next. The first value of a home is put
// there, others are added.
static rh_status write_scatter(rh_emission *in, const rh_shelving *shelving)
{
    const rh_tape_block *block = shelving->block;
    const rh_saddle *saddle = shelving->saddle;
    const uint32_t homes = rh__shelving_measure(block).homes;
    bool *is_set = rh__arena_array(in->scratch, bool, (size_t)homes + 1);
    rh_refrain firsts = rh__refrain_begin(in, STEPS, true);
    rh_refrain others = rh__refrain_begin(in, STEPS, true);
    if (is_set == NULL) {
        return in->scratch->status;
    }
    for (uint32_t t = 0; t < longest(saddle->entry_begin, saddle->n); t++) {
        for (uint32_t row = 0; row < saddle->n; row++) {
            const uint32_t k = saddle->position[row];
            if (saddle->entry_begin[k] + t < saddle->entry_begin[k + 1]) {
                const uint32_t entry = saddle->entry[saddle->entry_begin[k] + t];
                const uint32_t column = saddle->position[block->entries[entry].column];
                const uint32_t home = rh__shelving_home(shelving, k, column);
                add_step(is_set[home] ? &others : &firsts, is_set[home] ? ADD : SET, home,
                         shelving->entry_place[entry], 0);
                is_set[home] = true;
            }
        }
    }
    RH_TRY(rh__refrain_write(&firsts));
    RH_TRY(write_empty(in, shelving, is_set));
    return rh__refrain_write(&others);
}

// Released rows are unit rows.
static rh_status write_holds(rh_emission *in, const rh_shelving *shelving)
{
    const rh_tape_block *block = shelving->block;
    const rh_saddle *saddle = shelving->saddle;
    rh_refrain refrain = rh__refrain_begin(in, STEPS, true);
    for (uint32_t row = 0; row < saddle->n; row++) {
        const uint32_t k = saddle->position[row];
        if (block->hold[row] == UINT32_MAX) {
            continue;
        }
        const uint32_t one =
            rh__shelving_home(shelving, k, saddle->position[block->hold_column[row]]);
        add_step(&refrain, one == row ? ONE : ZERO, row, block->hold[row], 0);
        for (uint32_t j = saddle->lower_begin[k]; j < saddle->lower_begin[k + 1]; j++) {
            const uint32_t home = shelving->lower_home[j];
            add_step(&refrain, home == one ? ONE : ZERO, home, block->hold[row], 0);
        }
        for (uint32_t j = saddle->upper_begin[k]; j < saddle->upper_begin[k + 1]; j++) {
            const uint32_t home = shelving->upper_home[j];
            add_step(&refrain, home == one ? ONE : ZERO, home, block->hold[row], 0);
        }
    }
    return rh__refrain_write(&refrain);
}

// What a leading row changes in row and column s and t of its neighbours; s alone: its column of L.
static void add_leader(rh_refrain *refrain, const rh_shelving *shelving, uint32_t k, uint32_t s,
                       uint32_t t)
{
    const rh_saddle *saddle = shelving->saddle;
    const uint32_t begin = saddle->upper_begin[k];
    const uint32_t width = saddle->upper_begin[k + 1] - begin;
    if (s >= width || (t != UINT32_MAX && t >= width)) {
        return;
    }
    const uint32_t at = shelving->ranked[begin + s];
    const uint32_t row = saddle->upper[at];
    const uint32_t lower = rh__shelving_home(shelving, row, k);
    if (t == UINT32_MAX) {
        const uint32_t heads[] = {lower, saddle->order[k], shelving->upper_home[at],
                                  saddle->order[row]};
        rh__refrain_add(refrain, MIRROR, heads);
    } else {
        const uint32_t other = shelving->ranked[begin + t];
        add_step(refrain, CHANGE, rh__shelving_home(shelving, row, saddle->upper[other]), lower,
                 shelving->upper_home[other]);
    }
}

// The leading rows at once: inverses, the column of L of each, what they change.
static rh_status write_leaders(rh_emission *in, const rh_shelving *shelving)
{
    const rh_saddle *saddle = shelving->saddle;
    const uint32_t lead = saddle->lead;
    const uint32_t *rows = sorted_rows(saddle, 0, lead, in->scratch);
    if (rows == NULL) {
        return in->scratch->status;
    }
    const uint32_t most = longest(saddle->upper_begin, lead);
    rh_refrain inverses = rh__refrain_begin(in, STEPS, true);
    rh_refrain mirrors = rh__refrain_begin(in, STEPS, true);
    rh_refrain changes = rh__refrain_begin(in, STEPS, true);
    for (uint32_t i = 0; i < lead; i++) {
        add_step(&inverses, INVERT, rows[i], 0, 0);
    }
    for (uint32_t s = 0; s < most; s++) {
        for (uint32_t i = 0; i < lead; i++) {
            add_leader(&mirrors, shelving, saddle->position[rows[i]], s, UINT32_MAX);
        }
    }
    for (uint32_t pair = 0; pair < most * most; pair++) {
        const uint32_t s = pair / (most > 0 ? most : 1);
        for (uint32_t i = 0; i < lead; i++) {
            add_leader(&changes, shelving, saddle->position[rows[i]], s, pair - s * most);
        }
    }
    RH_TRY(rh__refrain_write(&inverses));
    RH_TRY(rh__refrain_write(&mirrors));
    return rh__refrain_write(&changes);
}

// Row k behind the leading ones, step by step.
static void add_row(rh_refrain *refrain, const rh_shelving *shelving, uint32_t k)
{
    const rh_saddle *saddle = shelving->saddle;
    for (uint32_t i = saddle->split[k]; i < saddle->lower_begin[k + 1]; i++) {
        const uint32_t pivot = saddle->lower[i];
        const uint32_t lower = shelving->lower_home[i];
        add_step(refrain, SCALE, lower, saddle->order[pivot], 0);
        for (uint32_t j = saddle->upper_begin[pivot]; j < saddle->upper_begin[pivot + 1]; j++) {
            add_step(refrain, saddle->upper[j] == k ? PIVOT : CHANGE,
                     rh__shelving_home(shelving, k, saddle->upper[j]), lower,
                     shelving->upper_home[j]);
        }
    }
    add_step(refrain, INVERT, saddle->order[k], 0, 0);
}

// The same by tables: homes of L, and for each pivot in them what changes.
static rh_status write_rest_tables(const rh_refrain *steps, uint32_t n)
{
    rh_emission *in = steps->in;
    RH_ARRAY(uint32_t) list = {0};
    bool ok = true;
    for (uint32_t k = 0; ok && k < steps->items.count; k++) {
        const rh_refrain_item *item = &steps->items.data[k];
        const uint32_t *words = steps->words.data + item->first;
        const uint32_t count = STEPS[item->kind].heads;
        for (uint32_t j = 0; ok && j < 3; j++) {
            ok = rh__array_push(in->scratch, &list, j < count ? words[j] : UINT32_MAX);
        }
    }
    if (!ok) {
        return in->scratch->status;
    }
    rh__refrain_table(in, "step", list.data, list.count);
    rh__text_format(
        in->out,
        "    for (unsigned i = 0; i < %u; i++) {\n"
        "    const unsigned a = step[3 * i], b = step[3 * i + 1], c = step[3 * i + 2];\n"
        "    if (b == %uU) {\n"
        "        inv[a] = 1.0 / h[a];\n"
        "    } else if (c == %uU) {\n"
        "        h[a] = h[a] * inv[b];\n"
        "    } else {\n"
        "        if (a < %u) { size[a] = size[a] + ABS(h[b] * h[c]); }\n"
        "        h[a] = F(-h[b], h[c], h[a]);\n"
        "    }\n"
        "    }\n",
        steps->items.count, UINT32_MAX, UINT32_MAX, n);
    return RH_OK;
}

static rh_status write_rest(rh_emission *in, const rh_shelving *shelving)
{
    const rh_saddle *saddle = shelving->saddle;
    rh_refrain refrain = rh__refrain_begin(in, STEPS, false);
    for (uint32_t k = saddle->lead; k < saddle->n; k++) {
        add_row(&refrain, shelving, k);
    }
    if (refrain.ok && rh__refrain_pieces(&refrain) > MOST_STEPS) {
        return write_rest_tables(&refrain, saddle->n);
    }
    return rh__refrain_write(&refrain);
}

// Rows of U divided by their pivots: solutions then wait for one operation in each row.
static rh_status write_scale(rh_emission *in, const rh_shelving *shelving)
{
    const rh_saddle *saddle = shelving->saddle;
    rh_refrain refrain = rh__refrain_begin(in, STEPS, true);
    for (uint32_t t = 0; t < longest(saddle->upper_begin, saddle->n); t++) {
        for (uint32_t row = 0; row < saddle->n; row++) {
            const uint32_t at = saddle->upper_begin[saddle->position[row]] + t;
            if (at < saddle->upper_begin[saddle->position[row] + 1]) {
                add_step(&refrain, SCALE, shelving->upper_home[shelving->ranked[at]], row, 0);
            }
        }
    }
    return rh__refrain_write(&refrain);
}

static rh_status write_factor(rh_emission *in, const rh_shelving *shelving, uint32_t index)
{
    const uint32_t n = shelving->saddle->n;
    rh__text_format(in->out,
                    "static V factor_%u(const struct point *p, const V *restrict v, V *restrict h, "
                    "V *restrict inv, V *restrict size)\n"
                    "{\n    (void)p;\n",
                    in->mark + index);
    RH_TRY(write_scatter(in, shelving));
    RH_TRY(write_holds(in, shelving));
    rh__text_format(in->out, "    measure(h, size, %u);\n", n);
    RH_TRY(write_leaders(in, shelving));
    RH_TRY(write_rest(in, shelving));
    RH_TRY(write_scale(in, shelving));
    rh__text_format(in->out, "    return smallest_share(h, size, %u);\n}\n\n", n);
    return RH_OK;
}

// --- solutions -----------------------------------------------------------------------------------

enum { BEFORE, FORTH, BACK, BEHIND };

static const rh_refrain_kind PASSES[] = {
    [BEFORE] = {"$T $s = @b(a);", "$s = $F(-@h(p), @b(q), $s);", "@=b(a,$s);", 1, 2, false, LATE},
    [FORTH] = {"$T $s = @b(a);", "$s = $F(-@h(p), @b(q), $s);", "@=b(a,$s);", 1, 2, true, NEVER},
    [BACK] = {"$T $s = @b(a) * @inv(a);", "$s = $F(-@h(p), @b(q), $s);", "@=b(a,$s);", 1, 2, true,
              NEVER},
    [BEHIND] = {"$T $s = @b(a) * @inv(a);", "$s = $F(-@h(p), @b(q), $s);", "@=b(a,$s);", 1, 2,
                false, LATE}};

typedef struct link {
    uint32_t column, home;
} link;

static int compare_links(const void *left, const void *right)
{
    return compare_numbers(&((const link *)left)->column, &((const link *)right)->column);
}

// A row of L or U between some of its places, its columns ascending.
static bool add_links(rh_refrain *refrain, const rh_shelving *shelving, rh_range part,
                      bool is_lower)
{
    const rh_saddle *saddle = shelving->saddle;
    link *links = rh__arena_array(refrain->in->scratch, link, (size_t)part.count + 1);
    for (uint32_t j = 0; links != NULL && j < part.count; j++) {
        const uint32_t at = part.first + j;
        links[j] = is_lower ? (link){saddle->order[saddle->lower[at]], shelving->lower_home[at]}
                            : (link){saddle->order[saddle->upper[at]], shelving->upper_home[at]};
    }
    if (links != NULL && part.count > 0) {
        qsort(links, part.count, sizeof *links, compare_links);
    }
    for (uint32_t j = 0; links != NULL && j < part.count; j++) {
        const uint32_t parts[] = {links[j].home, links[j].column};
        rh__refrain_term(refrain, parts);
    }
    return links != NULL;
}

// What the leading rows say of the others, and the others of them.
static rh_status write_flat(rh_emission *in, const rh_shelving *shelving, bool is_before)
{
    const rh_saddle *saddle = shelving->saddle;
    const uint32_t begin = is_before ? saddle->lead : 0;
    const uint32_t end = is_before ? saddle->n : saddle->lead;
    const uint32_t *rows = sorted_rows(saddle, begin, end, in->scratch);
    rh_refrain refrain = rh__refrain_begin(in, PASSES, true);
    bool ok = rows != NULL;
    for (uint32_t i = 0; ok && i < end - begin; i++) {
        const uint32_t k = saddle->position[rows[i]];
        const rh_range part =
            is_before
                ? (rh_range){saddle->lower_begin[k], saddle->split[k] - saddle->lower_begin[k]}
                : (rh_range){saddle->upper_begin[k],
                             saddle->upper_begin[k + 1] - saddle->upper_begin[k]};
        if (part.count > 0 || !is_before) {
            rh__refrain_add(&refrain, is_before ? BEFORE : BEHIND, &rows[i]);
            ok = add_links(&refrain, shelving, part, is_before);
        }
    }
    return ok ? rh__refrain_write(&refrain) : in->scratch->status;
}

// The other rows, forth and back: what a row waits for last comes last.
static rh_status write_recurrence(rh_emission *in, const rh_shelving *shelving, bool is_back)
{
    const rh_saddle *saddle = shelving->saddle;
    const uint32_t rest = saddle->n - saddle->lead;
    rh_refrain refrain = rh__refrain_begin(in, PASSES, false);
    for (uint32_t i = 0; i < rest; i++) {
        const uint32_t k = is_back ? saddle->n - 1 - i : saddle->lead + i;
        if (!is_back && saddle->split[k] == saddle->lower_begin[k + 1]) {
            continue;
        }
        rh__refrain_add(&refrain, is_back ? BACK : FORTH, &saddle->order[k]);
        for (uint32_t j = saddle->split[k]; !is_back && j < saddle->lower_begin[k + 1]; j++) {
            const uint32_t parts[] = {shelving->lower_home[j], saddle->order[saddle->lower[j]]};
            rh__refrain_term(&refrain, parts);
        }
        for (uint32_t j = saddle->upper_begin[k + 1]; is_back && j-- > saddle->upper_begin[k];) {
            const uint32_t parts[] = {shelving->upper_home[j], saddle->order[saddle->upper[j]]};
            rh__refrain_term(&refrain, parts);
        }
    }
    return rh__refrain_write(&refrain);
}

static rh_status write_solve(rh_emission *in, const rh_shelving *shelving, uint32_t index)
{
    rh__text_format(in->out,
                    "static void solve_%u(const V *restrict h, const V *restrict inv, "
                    "V *restrict b)\n{\n    (void)inv;\n",
                    in->mark + index);
    RH_TRY(write_flat(in, shelving, true));
    RH_TRY(write_recurrence(in, shelving, false));
    RH_TRY(write_recurrence(in, shelving, true));
    RH_TRY(write_flat(in, shelving, false));
    rh__text_put(in->out, "}\n\n");
    return RH_OK;
}

// --- what came out -------------------------------------------------------------------------------

enum { ROW, FREE, LEND, CLEAR };

static const rh_refrain_kind CHECKS[] = {
    [ROW] = {"$T $s = @b(a); $T w$s = $A($s);",
             "{ const $T part = @v(p) * @z(q); $s = $s - part; w$s = w$s + $A(part); }",
             "@=rest(a,$s); @=size(a,w$s);", 1, 2, false, WIDE},
    [FREE] = {"", "", "@=rest(a,CHOICE(@H(b), K(0.0), @rest(a)));", 2, 0, false, NEVER},
    [LEND] = {"", "", "@=b(a,CHOICE(@H(b), @L(b), @b(a)));", 2, 0, false, NEVER},
    [CLEAR] = {"", "", "@=b(a,CHOICE(@H(b), K(0.0), @b(a)));", 2, 0, false, NEVER}};

// The same test as in pivot.c, but that rows which are released need none. Gives 1 where it is
// passed, else 0.
static rh_status write_check(rh_emission *in, const rh_shelving *shelving, uint32_t index)
{
    const rh_tape_block *block = shelving->block;
    const rh_saddle *saddle = shelving->saddle;
    rh__text_format(in->out,
                    "static V check_%u(const struct point *p, const V *restrict v, "
                    "const V *restrict b, const V *restrict z, V *restrict rest, "
                    "V *restrict size)\n{\n    (void)p;\n",
                    in->mark + index);
    rh_refrain rows = rh__refrain_begin(in, CHECKS, true);
    rh_refrain holds = rh__refrain_begin(in, CHECKS, true);
    for (uint32_t row = 0; row < block->n; row++) {
        const uint32_t k = saddle->position[row];
        rh__refrain_add(&rows, ROW, &row);
        for (uint32_t j = saddle->entry_begin[k]; j < saddle->entry_begin[k + 1]; j++) {
            const uint32_t entry = saddle->entry[j];
            const uint32_t parts[] = {shelving->entry_place[entry], block->entries[entry].column};
            rh__refrain_term(&rows, parts);
        }
        if (block->hold[row] != UINT32_MAX) {
            const uint32_t heads[] = {row, block->hold[row]};
            rh__refrain_add(&holds, FREE, heads);
        }
    }
    RH_TRY(rh__refrain_write(&rows));
    RH_TRY(rh__refrain_write(&holds));
    rh__text_format(in->out, "    return passes(rest, size, %u);\n}\n\n", block->n);
    return RH_OK;
}

void rh__emit_releases(rh_emission *in, uint32_t index, bool is_lent)
{
    const rh_tape_block *block = &in->tape->blocks[in->tape->blocks[index].factor];
    rh_refrain refrain = rh__refrain_begin(in, CHECKS, true);
    for (uint32_t row = 0; row < block->n; row++) {
        const uint32_t heads[] = {row, block->hold[row]};
        if (block->hold[row] != UINT32_MAX) {
            rh__refrain_add(&refrain, is_lent ? LEND : CLEAR, heads);
        }
    }
    const rh_status status = rh__refrain_write(&refrain);
    in->status = status != RH_OK ? status : in->status;
}

// --- what goes in --------------------------------------------------------------------------------

enum { MOVING, FIXED, NONE };

static const rh_refrain_kind ENTRIES[] = {
    [MOVING] = {"", "", "@=v(a,@W(b) * @x(c));", 3, 0, false, WIDE},
    [FIXED] = {"", "", "@=v(a,@W(b));", 2, 0, false, WIDE}};

static rh_status write_entries(rh_emission *in, const rh_shelving *shelving, uint32_t index)
{
    const rh_tape_block *block = shelving->block;
    const rh_saddle *saddle = shelving->saddle;
    rh__text_format(in->out,
                    "static void entries_%u(const struct point *p, const V *restrict x, "
                    "V *restrict v)\n{\n    (void)p;\n    (void)x;\n",
                    in->mark + index);
    rh_refrain refrain = rh__refrain_begin(in, ENTRIES, true);
    for (uint32_t t = 0; t < longest(saddle->entry_begin, saddle->n); t++) {
        for (uint32_t row = 0; row < saddle->n; row++) {
            const uint32_t at = saddle->entry_begin[saddle->position[row]] + t;
            if (at < saddle->entry_begin[saddle->position[row] + 1]) {
                const uint32_t entry = saddle->entry[at];
                const uint32_t slot = block->entries[entry].value.slot;
                add_step(&refrain, slot == RH_SLOT_NONE ? FIXED : MOVING,
                         shelving->entry_place[entry], in->canon[block->weight + entry], slot);
            }
        }
    }
    RH_TRY(rh__refrain_write(&refrain));
    rh__text_put(in->out, "}\n\n");
    return RH_OK;
}

static const rh_refrain_kind RIGHTS[] = {
    [MOVING] = {"$T $s = @W(b) * @x(c);", "$s = $F(-@W(p), @S(q), $s);", "@=b(a,$s);", 3, 2, false,
                WIDE},
    [FIXED] = {"$T $s = @W(b);", "$s = $F(-@W(p), @S(q), $s);", "@=b(a,$s);", 2, 2, false, WIDE},
    [NONE] = {"$T $s = $O;", "$s = $F(-@W(p), @S(q), $s);", "@=b(a,$s);", 1, 2, false, WIDE}};

// b_k - sum_{j=1..k} K_j z_{k-j}; at order 0 the right side alone.
rh_status rh__emit_sparse_right(rh_emission *in, uint32_t index, bool is_order)
{
    const rh_tape_block *block = &in->tape->blocks[index];
    const uint32_t weights = block->weight + block->entry_count;
    rh_refrain refrain = rh__refrain_begin(in, RIGHTS, true);
    for (uint32_t row = 0; row < block->n; row++) {
        const uint32_t slot = rh__emit_right_slot(in, block, row, is_order);
        const uint32_t begin = block->share_begin[row];
        const uint32_t end = is_order ? block->share_begin[row + 1] : begin;
        add_step(&refrain,
                 slot != RH_SLOT_NONE ? MOVING
                 : is_order           ? NONE
                                      : FIXED,
                 row, in->canon[weights + row], slot);
        for (uint32_t j = begin; j < end; j++) {
            const uint32_t parts[] = {in->canon[weights + block->n + j],
                                      block->sums.first + block->share_sum[j]};
            rh__refrain_term(&refrain, parts);
        }
    }
    return rh__refrain_write(&refrain);
}

rh_status rh__emit_sparse(rh_emission *in, uint32_t index)
{
    const rh_shelving *shelving = &in->shelvings[index];
    RH_TRY(write_factor(in, shelving, index));
    RH_TRY(write_solve(in, shelving, index));
    RH_TRY(write_check(in, shelving, index));
    return in->has_loops ? write_entries(in, shelving, index) : RH_OK;
}
