// SPDX-License-Identifier: Apache-2.0
// The catalogue of diagnostics (base/diagnostics.def) for people: the long text of one code, and
// the list of all.

#include "output/output.h"

enum { ARENA_LIMIT = 16 << 20, LONGEST_CODE = 24 };

static rh_arena begin_arena(void)
{
    return rh__arena_begin(rh_allocator_default(), ARENA_LIMIT);
}

// Codes are compared in capitals.
static rh_slice nearest_code(rh_slice asked)
{
    char capitals[LONGEST_CODE];
    const size_t size = asked.size < LONGEST_CODE ? asked.size : LONGEST_CODE;
    for (size_t k = 0; k < size; k++) {
        const char c = asked.data[k];
        capitals[k] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    rh_nearest nearest = rh__nearest_begin((rh_slice){capitals, size});
    for (unsigned code = 0; code < RH_DIAGNOSTIC_COUNT; code++) {
        rh__nearest_offer(&nearest, rh__slice_of(rh__diagnostic_name((rh_diagnostic_code)code)));
    }
    return nearest.best;
}

static rh_status refuse_code(rh_slice asked, rh_error *err)
{
    const rh_slice nearest = nearest_code(asked);
    rh_arena arena = begin_arena();
    rh_text shown = rh__text_begin(&arena, NULL);
    const bool is_long = asked.size > LONGEST_CODE;
    rh__output_safe(&shown, (rh_slice){asked.data, is_long ? (size_t)LONGEST_CODE : asked.size});
    rh__text_put(&shown, is_long ? "..." : "");
    const rh_slice name = rh__text_slice(&shown);
    const rh_status status =
        nearest.size > 0
            ? rh__error_fill(err, RH_E_ARGUMENT,
                             "there is no diagnostic \"%.*s\"; did you mean %.*s?",
                             RH_SLICE_FORMAT(name), RH_SLICE_FORMAT(nearest))
            : rh__error_fill(err, RH_E_ARGUMENT,
                             "there is no diagnostic \"%.*s\"; `rheonom explain` lists all",
                             RH_SLICE_FORMAT(name));
    rh__arena_end(&arena);
    return status;
}

rh_status rh_output_explain(const char *code, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(code != NULL && sink.write != NULL, err);
    const rh_slice asked = rh__slice_of(code);
    const rh_diagnostic_code found = rh__diagnostic_find(asked);
    if (found == RH_DIAGNOSTIC_COUNT) {
        return refuse_code(asked, err);
    }
    rh_arena arena = begin_arena();
    rh_text out = rh__text_begin(&arena, &sink);
    rh__text_format(&out, "%s (%s): %s\n\n", rh__diagnostic_name(found),
                    rh__output_rank(rh__diagnostic_rank(found)), rh__diagnostic_title(found));
    rh__text_put(&out, rh__diagnostic_explanation(found));
    rh__text_put(&out, "\n");
    return rh__output_end(&out, &arena, err);
}

rh_status rh_output_codes(rh_sink sink, rh_error *err)
{
    RH_REQUIRE(sink.write != NULL, err);
    rh_arena arena = begin_arena();
    rh_text out = rh__text_begin(&arena, &sink);
    for (unsigned k = 0; k < RH_DIAGNOSTIC_COUNT; k++) {
        const rh_diagnostic_code code = (rh_diagnostic_code)k;
        rh__text_format(&out, "%s  %-7s  %s\n", rh__diagnostic_name(code),
                        rh__output_rank(rh__diagnostic_rank(code)), rh__diagnostic_title(code));
    }
    return rh__output_end(&out, &arena, err);
}
