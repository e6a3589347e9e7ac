// SPDX-License-Identifier: Apache-2.0
// Private to `motion`: texts made into machine code. A text is compiled by the system's compiler
// (compiler.c), kept in a directory that belongs to the user alone (cache.c), and loaded
// (native.c). Whatever goes wrong, there is a sentence that says so and the interpreter goes on.

#pragma once

#include "motion/motion.h"

enum {
    RH_NATIVE_PATH = 1024,  // bytes of a path
    RH_NATIVE_SECONDS = 60, // a compiler may take
    RH_NATIVE_FILES = 200   // objects that are kept
};

/// A compiler that was found.
typedef struct rh_compiler {
    char path[RH_NATIVE_PATH];
    uint64_t identity; // of its file, its flags and this machine
} rh_compiler;

/// Where objects are kept.
typedef struct rh_cache {
    char root[RH_NATIVE_PATH];
    bool is_fleeting; // it is removed when the work is done
} rh_cache;

/// Another function of a text that was loaded; NULL: it is not there.
rh_series_kernel *rh__native_find(const rh_native *native, const char *name);

enum { RH_POINT_COUNT = 5 }; // tapes that may have a function for order 0 (points.c)

/// The functions that the text of a motion's series shall have besides; gives how many.
uint32_t rh__points_list(const rh_motion *motion, rh_emit_point out[RH_POINT_COUNT]);
/// The text is loaded: order 0 by its functions from now on, and by the interpreter again.
void rh__points_attach(rh_motion *motion, const rh_native *native);
void rh__points_detach(rh_motion *motion);

/// A sentence of the format into the native's reason; false, for those who return it.
bool rh__native_refuse(rh_native *native, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// RHEONOM_CC, else cc in PATH.
bool rh__compiler_find(rh_native *native, rh_compiler *out);
/// folder/text.c becomes folder/object.so.
bool rh__compiler_run(rh_native *native, const rh_compiler *compiler, const char *folder,
                      const rh_native_def *def);

/// Find the directory, or make it.
bool rh__cache_open(rh_native *native, rh_cache *out);
void rh__cache_close(const rh_cache *cache);
/// A directory of our own in it, for one compilation; and away with it.
bool rh__cache_draft(rh_native *native, const rh_cache *cache, char out[RH_NATIVE_PATH]);
void rh__cache_discard(const char *folder);
/// What stands at the end of an object, behind its own bytes and the text it was made of.
typedef struct rh_cache_seal {
    char mark[8];
    uint64_t key, text_size;
    uint64_t hash; // of everything before the seal
} rh_cache_seal;

/// Is there a whole object of this key that was made of this text? Then `out` is its path.
bool rh__cache_find(const rh_cache *cache, uint64_t key, rh_slice text, char out[RH_NATIVE_PATH]);
/// folder/object.so becomes the object of this key and text; `out`: its path.
bool rh__cache_keep(rh_native *native, const rh_cache *cache, const char *folder, uint64_t key,
                    rh_slice text, char out[RH_NATIVE_PATH]);
/// Remove what is too old.
void rh__cache_prune(const rh_cache *cache);
/// Bytes into a new file that only the user can read.
bool rh__cache_write(const char *path, rh_slice bytes);
