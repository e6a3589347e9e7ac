// SPDX-License-Identifier: Apache-2.0
// Private to `output`: a file that is written beside its place and takes it when it is whole.

#pragma once

#include "base/base.h"

typedef struct rh_draft {
    const char *path;
    const char *part; // its name until it takes its place; NULL: written in place
    int file;         // descriptor; -1: closed
    uint64_t size;    // bytes of whole lines written
    int reason;       // errno of the first failure; 0: none
    unsigned beside;  // what could be written has this name beside an older file; 0: it has not
} rh_draft;

/// Begin a file; its names lie in the arena. On failure there is nothing to end.
RH_NODISCARD rh_status rh__draft_begin(rh_arena *arena, const char *path, rh_draft *out,
                                       rh_error *err);

/// Append whole lines. When that fails, as many whole lines as possible stay.
bool rh__draft_write(rh_draft *draft, const char *data, size_t size);

/// Give the file its name when all of it is on the disk. After a failed write the status is
/// RH_E_WRITE with the first reason; what is there takes the place only where there is no file yet,
/// else it stays beside it as PATH.incomplete.
RH_NODISCARD rh_status rh__draft_keep(rh_draft *draft, rh_error *err);

/// Let another library write the part, which locks it itself.
void rh__draft_lend(rh_draft *draft);

/// Remove the file; an older one stays.
void rh__draft_discard(rh_draft *draft);

/// RH_E_WRITE with the path and the first reason.
rh_status rh__draft_refuse(const rh_draft *draft, rh_error *err);
