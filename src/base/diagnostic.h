// SPDX-License-Identifier: Apache-2.0
// Places in a source, and remarks about them with codes.

#pragma once

#include "base/text.h"

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
