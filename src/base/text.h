// SPDX-License-Identifier: Apache-2.0
// Text that is built piece by piece, and tables from names to numbers.

#pragma once

#include "base/memory.h"

/// Borrowed bytes; not terminated.
typedef struct rh_slice {
    const char *data;
    size_t size;
} rh_slice;

#define RH_SLICE_FORMAT(slice) (int)(slice).size, (slice).data // for "%.*s"

rh_slice rh__slice_of(const char *terminated);
bool rh__slice_equal(rh_slice a, rh_slice b);
bool rh__slice_is(rh_slice slice, const char *terminated);

/// Is every string of a caller's list there? An empty list may be NULL.
bool rh__strings_are_there(const char *const *list, size_t count);

/// A terminated copy in the arena; NULL when the arena refused.
char *rh__slice_copy(rh_arena *arena, rh_slice slice);

/// Text under construction. With a sink it is passed on in large pieces, else it is kept.
/// After a refusal (`ok` false) further puts do nothing.
typedef struct rh_text {
    rh_arena *arena;
    const rh_sink *sink; // NULL: keep
    char *data;
    size_t size, capacity;
    bool ok;
} rh_text;

rh_text rh__text_begin(rh_arena *arena, const rh_sink *sink);
/// Pass on what is left. RH_OK, RH_E_WRITE, or the arena's reason.
rh_status rh__text_end(rh_text *text);
void rh__text_put(rh_text *text, const char *terminated);
void rh__text_put_slice(rh_text *text, rh_slice slice);
void rh__text_put_char(rh_text *text, char c);
void rh__text_format(rh_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rh__text_format_list(rh_text *text, const char *format, va_list arguments);
/// The slice as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
void rh__text_put_json(rh_text *text, rh_slice slice);
rh_slice rh__text_slice(const rh_text *text);

/// printf into the arena; "" when the arena refused.
const char *rh__text_print(rh_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// vsnprintf and snprintf of the locale "C": the point of a number is a point whatever the program
/// has set (locale.c).
int rh__text_fill_list(char *out, size_t size, const char *format, va_list arguments);
int rh__text_fill(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// strtod likewise.
double rh__text_number(const char *text, char **out_end);

/// Read one code point of UTF-8. Returns its length in bytes, 0 at the end, -1 if it is not UTF-8.
int rh__utf8_read(rh_slice rest, uint32_t *out_code);

/// How many code points the slice holds (a byte that is not UTF-8 counts as one).
uint32_t rh__utf8_count(rh_slice slice);

// --- table: names to numbers -----------------------------------------------------------------

/// Insertion-ordered map from borrowed names to 32-bit values.
typedef struct rh_table_entry {
    rh_slice name;
    uint32_t value;
} rh_table_entry;

typedef struct rh_table {
    rh_arena *arena;
    RH_ARRAY(rh_table_entry) entries;
    uint32_t *slots;
    uint32_t slot_count;
    uint64_t seed; // of the hash: names that meet in one table do not in another
} rh_table;

rh_table rh__table_begin(rh_arena *arena);
/// False when the arena refused. The name must outlive the table and not be in it yet.
bool rh__table_insert(rh_table *table, rh_slice name, uint32_t value);
/// NULL when absent; borrowed until the next insert.
const rh_table_entry *rh__table_find(const rh_table *table, rh_slice name);

/// A well mixed 64-bit hash of bytes; the same on every run.
uint64_t rh__hash_bytes(const void *data, size_t size, uint64_t seed);
uint64_t rh__hash_mix(uint64_t value);
/// A seed that differs from process to process and that nobody can know who writes a model: for
/// tables whose order of slots nobody sees. RHEONOM_HASH_SEED, a number, sets it for tests.
uint64_t rh__hash_seed(void);
/// Where something goes in such a table: bytes, and words.
uint64_t rh__hash_slot_bytes(const void *data, size_t size, uint64_t salt);
uint64_t rh__hash_slot(uint64_t word);
/// Tables are never fuller than this: three quarters.
#define RH_ASSERT_LOAD(count, slots) RH_ASSERT(4 * (uint64_t)(count) <= 3 * (uint64_t)(slots))

/// Edit distance (insert, delete, replace, swap neighbours), or `limit + 1` when it is larger.
unsigned rh__text_distance(rh_slice a, rh_slice b, unsigned limit);

/// Collects the candidate nearest to `wanted`, for "did you mean".
typedef struct rh_nearest {
    rh_slice wanted;
    rh_slice best; // size 0: nothing near enough
    unsigned distance;
} rh_nearest;

rh_nearest rh__nearest_begin(rh_slice wanted);
void rh__nearest_offer(rh_nearest *nearest, rh_slice candidate);
