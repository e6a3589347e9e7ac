// SPDX-License-Identifier: Apache-2.0
// A file of any text, whole or not at all; see draft.h.

#include "output/output.h"

#include "output/draft.h"

enum { ARENA_LIMIT = 1 << 20 };

struct rh_file {
    rh_arena arena;
    rh_draft draft;
};

static rh_status build_file(rh_arena *arena, const char *path, rh_file **out, rh_error *err)
{
    rh_file *file = rh__arena_new(arena, rh_file);
    if (file == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    RH_TRY(rh__draft_begin(arena, path, &file->draft, err));
    file->arena = *arena;
    *out = file;
    return RH_OK;
}

rh_status rh_file_begin(const char *path, rh_file **out, rh_error *err)
{
    RH_REQUIRE(path != NULL && path[0] != '\0' && out != NULL, err);
    *out = NULL;
    rh_arena arena = rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
    const rh_status status = build_file(&arena, path, out, err);
    if (status != RH_OK) {
        rh__arena_end(&arena);
    }
    return status;
}

static bool write_piece(void *user, const char *data, size_t size)
{
    rh_file *file = user;
    return rh__draft_write(&file->draft, data, size);
}

rh_sink rh_file_sink(rh_file *file)
{
    return (rh_sink){write_piece, file};
}

const char *rh_file_part(const rh_file *file)
{
    return file != NULL ? file->draft.part : NULL;
}

rh_status rh_file_end(rh_file *file, bool is_kept, rh_error *err)
{
    if (file == NULL) {
        return RH_OK;
    }
    rh_status status = RH_OK;
    if (is_kept && file->draft.reason == 0) {
        status = rh__draft_keep(&file->draft, err);
    } else {
        status = is_kept ? rh__draft_refuse(&file->draft, err) : RH_OK;
        rh__draft_discard(&file->draft);
    }
    rh_arena arena = file->arena;
    rh__arena_end(&arena);
    return status;
}
