// SPDX-License-Identifier: Apache-2.0
// Private to `output`: what a guest that writes HDF5 can do (table_hdf5.c); found at run time.

#pragma once

#include "base/base.h"

/// A file with columns of one length, written piece by piece.
typedef struct rh_hdf5_guest {
    /// NULL when there can be none; `why` has room for a reason.
    void *(*begin)(const char *path, char *why, size_t room);
    /// The next columns: numbers, whole numbers, or texts of at most `width` bytes.
    bool (*numbers)(void *file, const char *name, uint64_t count);
    bool (*wholes)(void *file, const char *name, uint64_t count);
    bool (*texts)(void *file, const char *name, uint64_t count, size_t width);
    /// Rows [first, first + count) of a column.
    bool (*write)(void *file, uint32_t column, uint64_t first, uint64_t count, const void *data);
    bool (*end)(void *file);
} rh_hdf5_guest;
