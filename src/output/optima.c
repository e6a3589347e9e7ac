// SPDX-License-Identifier: Apache-2.0
// Optima: the object of `optimise --json`, which is that of `steady` with more keys, and a text.

#include "output/outcome.h"

#include "optimum/optimum.h"

#include <math.h>

enum { DIGITS = 15, LABEL = 18 };

// Passes on what another writer writes, without its first brace.
typedef struct behind {
    rh_text *out;
    bool is_begun;
} behind;

static bool write_behind(void *user, const char *data, size_t size)
{
    behind *to = user;
    const size_t skip = !to->is_begun && size > 0 && data[0] == '{' ? 1 : 0;
    to->is_begun = to->is_begun || size > 0;
    rh__text_put_slice(to->out, (rh_slice){data + skip, size - skip});
    return to->out->ok;
}

// As many digits as an error leaves.
static int digits_of(double value, double error)
{
    if (!(error > 0.0) || value == 0.0) {
        return DIGITS;
    }
    const double digits = floor(log10(fabs(value))) - ceil(log10(2.0 * error)) + 1.0;
    return digits < 1.0 ? 1 : digits > DIGITS ? DIGITS : (int)digits;
}

static void put_keys(rh_text *out, const rh_optimum *optimum)
{
    const rh_optimum_summary summary = rh_optimum_summarise(optimum);
    const size_t count = rh_optimum_parameter_count(optimum);
    rh__text_put(out, "{\"parameters\": {");
    for (size_t k = 0; k < count; k++) {
        rh__outcome_key(out, rh_optimum_parameter_name(optimum, k), k == 0);
        rh__outcome_number(out, rh_optimum_parameter(optimum, k));
    }
    rh__text_put(out, "}, \"parameter_errors\": {");
    for (size_t k = 0; k < count; k++) {
        rh__outcome_key(out, rh_optimum_parameter_name(optimum, k), k == 0);
        rh__outcome_number(out, rh_optimum_parameter_error(optimum, k));
    }
    rh__text_put(out, "}, \"abscissa\": ");
    rh__outcome_number(out, summary.abscissa);
    rh__text_put(out, ", \"abscissa_error\": ");
    rh__outcome_number(out, rh_optimum_abscissa_error(optimum));
    rh__text_format(out, ", \"active_roots\": %u, \"at_bounds\": {", summary.active);
    bool is_first = true;
    for (size_t k = 0; k < count; k++) {
        const int bound = rh_optimum_bound(optimum, k);
        if (bound != 0) {
            rh__outcome_key(out, rh_optimum_parameter_name(optimum, k), is_first);
            rh__text_put(out, bound < 0 ? "\"low\"" : "\"high\"");
            is_first = false;
        }
    }
    rh__text_format(out, "}, \"looks\": %llu, \"complete\": %s, ",
                    (unsigned long long)summary.looks, summary.is_complete ? "true" : "false");
}

static void put_text(rh_text *out, const rh_optimum *optimum)
{
    const rh_optimum_summary summary = rh_optimum_summarise(optimum);
    rh__text_put(out, "optimum\n");
    for (size_t k = 0; k < rh_optimum_parameter_count(optimum); k++) {
        const int bound = rh_optimum_bound(optimum, k);
        rh__text_format(out, "  %s = ", rh_optimum_parameter_name(optimum, k));
        rh__outcome_value(
            out, rh_optimum_parameter(optimum, k),
            digits_of(rh_optimum_parameter(optimum, k), rh_optimum_parameter_error(optimum, k)));
        rh__text_put(out, bound < 0   ? ", the lower end of its range\n"
                          : bound > 0 ? ", the upper end of its range\n"
                                      : "\n");
    }
    rh__text_format(out, "%-*s", LABEL, "abscissa");
    rh__outcome_value(out, summary.abscissa,
                      digits_of(summary.abscissa, rh_optimum_abscissa_error(optimum)));
    rh__text_format(out, ", of %u root%s\n%-*s%llu steady motions\n\n", summary.active,
                    summary.active == 1 ? "" : "s", LABEL, "looked at",
                    (unsigned long long)summary.looks);
}

rh_status rh_output_optimum(const rh_optimum *optimum, rh_format format, rh_sink sink,
                            rh_error *err)
{
    RH_REQUIRE(optimum != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_model *model = optimum->equations->model;
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    behind rest = {.out = &out, .is_begun = format == RH_FORMAT_TEXT};
    if (format == RH_FORMAT_JSON) {
        put_keys(&out, optimum);
    } else {
        put_text(&out, optimum);
    }
    const rh_status status =
        rh_output_steady(rh_optimum_steady(optimum), format, (rh_sink){write_behind, &rest}, err);
    const rh_status ended = rh__output_end(&out, &arena, err);
    return ended != RH_OK ? ended : status;
}
