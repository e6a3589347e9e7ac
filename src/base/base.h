// SPDX-License-Identifier: Apache-2.0
// Door of the room `base`: memory, text, failure. Knows nothing of dynamics.

#pragma once

#include "rheonom/base.h"

#include "base/parallel.h"

#include <assert.h>
#include <stdarg.h>

// --- failure ---------------------------------------------------------------------------------

#if defined(NDEBUG) && !defined(RH_KEEP_ASSERTS)
#define RH_ASSERT(claim) ((void)0)
#else
#define RH_ASSERT(claim) assert(claim)
#endif

/// Leave the function with the status of `call` unless it is RH_OK.
#define RH_TRY(call)                                                                               \
    do {                                                                                           \
        const rh_status rh_try_status = (call);                                                    \
        if (rh_try_status != RH_OK) {                                                              \
            return rh_try_status;                                                                  \
        }                                                                                          \
    } while (0)

/// Leave a public function with RH_E_ARGUMENT when the caller broke `claim`.
#define RH_REQUIRE(claim, err)                                                                     \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            return rh__error_fill((err), RH_E_ARGUMENT, "the call breaks: %s", #claim);            \
        }                                                                                          \
    } while (0)

// Versions of a function for several widths of registers; the machine picks one when the program
// starts. Nothing is fused in any of them, so they give the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RH_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define RH_WIDE
#endif

/// Fill `err` (may be NULL) and hand back `status`.
rh_status rh__error_fill(rh_error *err, rh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// --- interruption ----------------------------------------------------------------------------

/// What all that is made from one model shares: the caller's allocator, the question whether to go
/// on (an rh_interrupt), and which limit was passed first. All functions take NULL.
typedef struct rh_guard rh_guard;

/// NULL when there is no memory. `ask` may be NULL.
rh_guard *rh__guard_create(rh_allocator base, rh_interrupt *ask, void *user);
void rh__guard_destroy(rh_guard *guard);
/// The allocator to make arenas from.
rh_allocator rh__guard_allocator(rh_guard *guard);
/// The guard behind an allocator; NULL when it has none.
rh_guard *rh__guard_of(rh_allocator allocator);
/// The caller's allocator: for telling what there is after an interruption.
rh_allocator rh__guard_base(rh_allocator allocator);
/// Ask the caller: why to end now, or NULL. Once there is a reason it stays.
const char *rh__guard_ask(rh_guard *guard);
/// The same for loops that have nothing to lose: false when the work is to end. Always true while
/// the guard is held.
bool rh__guard_poll(rh_guard *guard);
/// The reason so far, without asking.
const char *rh__guard_reason(const rh_guard *guard);
/// Until the release requests of memory are granted and polls answer "go on": for work that keeps
/// what it has only when it comes to its end, such as a step.
void rh__guard_hold(rh_guard *guard);
void rh__guard_release(rh_guard *guard);
/// A guest cannot go on for want of memory: a reason to end, told as RH_E_MEMORY.
void rh__guard_starve(rh_guard *guard);
/// More than `most` was needed of what the sentence says; the first one counts. The sentence is
/// kept by reference.
void rh__guard_pass_limit(rh_guard *guard, const char *what, double most);
/// The status of work that keeps nothing of what it did before it was interrupted: RH_E_INTERRUPTED
/// when it was (RH_E_MEMORY for want of it), also where a refusal was taken for an answer on the
/// way.
rh_status rh__guard_settle(rh_allocator allocator, rh_status status);
/// What a public function says when memory was refused or it was interrupted: the true status and
/// message. `err` holds what it would say else: a limit is told where that is only the sentence of
/// the status.
rh_status rh__guard_explain(rh_allocator allocator, rh_status status, rh_error *err);

// --- memory ----------------------------------------------------------------------------------

typedef struct rh_chunk rh_chunk;

/// A growing region that is given back as a whole. Refuses to grow beyond `limit` bytes.
typedef struct rh_arena {
    rh_allocator allocator;
    rh_chunk *chunks; // newest first
    rh_chunk *spare;  // one that was given back, for the next that is needed; or NULL
    size_t used;      // bytes asked from the allocator
    size_t limit;     // most bytes it may ask for
    uint32_t pushes;  // the guard is polled now and then
    rh_status status; // RH_OK, or why the first refused request was refused
} rh_arena;

/// A point of an arena to which it can be rewound.
typedef struct rh_mark {
    rh_chunk *chunk;
    size_t fill;
} rh_mark;

rh_arena rh__arena_begin(rh_allocator allocator, size_t limit);
void rh__arena_end(rh_arena *arena);

/// Zeroed memory aligned for any type, or NULL (then arena->status says why).
void *rh__arena_push(rh_arena *arena, size_t size);

/// Grow a block got from this arena; the new tail is zeroed. NULL leaves the old block as it was.
void *rh__arena_resize(rh_arena *arena, void *block, size_t old_size, size_t new_size);

rh_mark rh__arena_mark(const rh_arena *arena);
void rh__arena_rewind(rh_arena *arena, rh_mark mark);

#define rh__arena_new(arena, type) ((type *)rh__arena_push((arena), sizeof(type)))
#define rh__arena_array(arena, type, n) ((type *)rh__arena_items((arena), (n), sizeof(type)))

/// Room for `count` items; NULL also when the size does not fit a word.
void *rh__arena_items(rh_arena *arena, size_t count, size_t item_size);

/// A growing array of `type` in an arena; never shrinks.
#define RH_ARRAY(type)                                                                             \
    struct {                                                                                       \
        type *data;                                                                                \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

/// Make room for `extra` more items. False when the arena refused.
#define rh__array_reserve(arena, array, extra)                                                     \
    rh__array_grow((arena), (void **)&(array)->data, &(array)->capacity, (array)->count, (extra),  \
                   sizeof *(array)->data)

/// Append a value. False when the arena refused.
#define rh__array_push(arena, array, value)                                                        \
    (rh__array_reserve((arena), (array), 1) && ((array)->data[(array)->count++] = (value), true))

bool rh__array_grow(rh_arena *arena, void **data, uint32_t *capacity, uint32_t count,
                    uint32_t extra, size_t item_size);

// --- reserve ---------------------------------------------------------------------------------

enum { RH_RESERVE_CALL = 1 << 20 }; // bytes that a call of a guest may need without a pledge

/// malloc, calloc, realloc and free for guests that cannot be refused memory: what the system does
/// not give comes from a reserve. NULL only when that is used up as well.
void *rh__reserve_alloc(size_t size);
void *rh__reserve_zeroed(size_t count, size_t size);
void *rh__reserve_resize(void *memory, size_t size);
void rh__reserve_free(void *memory);
/// More than half of the reserve is in use: no further call of a guest is to begin.
bool rh__reserve_is_low(void);

/// Memory kept back for one call.
typedef struct rh_pledge rh_pledge;

/// Before a call that needs at most `size` bytes. False when it is not to begin, for want of
/// memory. Else `*out` is to be redeemed after the call; pieces that outlive it are safe.
bool rh__reserve_pledge(double size, rh_pledge **out);
/// NULL is allowed.
void rh__reserve_redeem(rh_pledge *pledge);

// --- text ------------------------------------------------------------------------------------

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

// --- spans and diagnostics -------------------------------------------------------------------

/// A stretch of source text: bytes [offset, offset + size) of the joined sources.
typedef struct rh_span {
    uint32_t offset;
    uint32_t size;
} rh_span;

rh_span rh__span_join(rh_span first, rh_span last);

typedef enum rh_diagnostic_code {
#define RH_DIAGNOSTIC(code, severity, title, explanation) RH_DIAGNOSTIC_##code,
#include "base/diagnostics.def"
#undef RH_DIAGNOSTIC
    RH_DIAGNOSTIC_COUNT
} rh_diagnostic_code;

typedef enum rh_rank { RH_RANK_ERROR, RH_RANK_WARNING, RH_RANK_NOTE } rh_rank;

/// One remark about the model. Texts live in the arena of the list.
typedef struct rh_remark {
    rh_diagnostic_code code;
    rh_span span;
    const char *message;
    const char *repair; // NULL when there is none; what to write instead
    rh_span note_span;  // with `note`: another place that matters
    const char *note;   // NULL when there is none
} rh_remark;

typedef struct rh_diagnostics {
    rh_arena *arena;
    RH_ARRAY(rh_remark) remarks;
    uint32_t error_count;
    uint32_t dropped;    // remarks beyond the limit
    bool is_newest_kept; // was the remark added last kept?
} rh_diagnostics;

enum { RH_DIAGNOSTIC_LIMIT = 100 };

rh_diagnostics rh__diagnostics_begin(rh_arena *arena);

/// Add a remark; the next three calls extend the remark added last.
void rh__diagnostics_add(rh_diagnostics *list, rh_diagnostic_code code, rh_span span,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
void rh__diagnostics_repair(rh_diagnostics *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rh__diagnostics_note(rh_diagnostics *list, rh_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Add the remarks of another list, whose texts live on.
void rh__diagnostics_append(rh_diagnostics *list, const rh_diagnostics *other);

/// Order remarks by place, errors before warnings at the same place; stable.
void rh__diagnostics_sort(rh_diagnostics *list);

const char *rh__diagnostic_name(rh_diagnostic_code code);
const char *rh__diagnostic_title(rh_diagnostic_code code);
const char *rh__diagnostic_explanation(rh_diagnostic_code code);
rh_rank rh__diagnostic_rank(rh_diagnostic_code code);
/// RH_DIAGNOSTIC_COUNT when there is no such code. Case does not matter.
rh_diagnostic_code rh__diagnostic_find(rh_slice name);
