// SPDX-License-Identifier: Apache-2.0
// A periodic orbit, as the object of `orbit --json` and for a person.

#include "output/outcome.h"

#include "orbit/orbit.h"

#include <math.h>

enum { DIGITS = 10, LABEL = 18 };

// --- the verdict ---------------------------------------------------------------------------------

// As a word: centres, and orbits of systems with integrals, may be anything.
static const char *word_of(const rh_orbit_summary *summary)
{
    return summary->is_unstable ? "unstable"
           : summary->is_stable ? "asymptotically stable"
                                : "undecided";
}

// As it is told. With integrals nothing is decided by numbers that do not grow: neighbours on other
// levels may drift away, and on the circle higher terms decide.
static const char *answer_of(const rh_orbit_summary *summary)
{
    return summary->is_unstable                       ? "no"
           : summary->is_stable                       ? "yes"
           : summary->integral_count > 0              ? "not decided by the multipliers: none grows"
           : summary->outcome == RH_ORBIT_EQUILIBRIUM ? "not decided by the eigenvalues"
                                                      : "not decided by the multipliers";
}

// --- the object ----------------------------------------------------------------------------------

static void put_start(rh_text *out, const rh_orbit *orbit)
{
    rh__text_put(out, "\"start\": {");
    for (size_t k = 0; k < rh_orbit_variable_count(orbit); k++) {
        rh__outcome_key(out, rh_orbit_variable_name(orbit, k), k == 0);
        rh__outcome_number(out, rh_orbit_variable(orbit, k));
    }
    rh__text_put(out, "}");
}

static void put_numbers(rh_text *out, const rh_orbit *orbit)
{
    rh__text_put(out, "[");
    for (size_t k = 0; k < rh_orbit_multiplier_count(orbit); k++) {
        const rh_multiplier it = rh_orbit_multiplier(orbit, k);
        rh__text_put(out, k == 0 ? "[" : ", [");
        rh__outcome_number(out, it.real);
        rh__text_put(out, ", ");
        rh__outcome_number(out, it.imaginary);
        rh__text_put(out, "]");
    }
    rh__text_put(out, "]");
}

static void put_bars(rh_text *out, const rh_orbit *orbit)
{
    rh__text_put(out, ", \"error_bars\": [");
    for (size_t k = 0; k < rh_orbit_multiplier_count(orbit); k++) {
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__outcome_number(out, rh_orbit_multiplier(orbit, k).bar);
    }
    rh__text_put(out, "]");
}

static void put_object(rh_text *out, const rh_orbit *orbit)
{
    static const char *const STATUS[] = {"found", "equilibrium", "failed"};
    const rh_orbit_summary summary = rh_orbit_summarise(orbit);
    const bool is_rest = summary.outcome == RH_ORBIT_EQUILIBRIUM;
    rh__text_format(out, "{\"status\": \"%s\", ", STATUS[summary.outcome]);
    put_start(out, orbit);
    rh__text_put(out, ", \"period\": ");
    rh__outcome_number(out, summary.period);
    if (summary.period_error > 0.0) {
        rh__text_put(out, ", \"period_error\": ");
        rh__outcome_number(out, summary.period_error);
    }
    rh__text_put(out, is_rest ? ", \"eigenvalues\": " : ", \"multipliers\": ");
    put_numbers(out, orbit);
    put_bars(out, orbit);
    rh__text_format(out, ", \"stable\": %s, \"residual\": ",
                    summary.is_stable     ? "true"
                    : summary.is_unstable ? "false"
                                          : "null");
    rh__outcome_number(out, summary.residual);
    rh__text_format(out,
                    ", \"equilibrium\": %s, \"trivial\": %u, \"integrals\": %u, "
                    "\"period_fixed\": %s, \"half\": %s, \"events\": %u, \"iterations\": %u",
                    summary.is_still ? "true" : "false", summary.trivial_count,
                    summary.integral_count, summary.is_period_fixed ? "true" : "false",
                    summary.is_half ? "true" : "false", summary.event_count, summary.iterations);
    rh__text_put(out, ", \"extent\": ");
    rh__outcome_number(out, summary.extent);
    rh__text_put(out, ", \"led\": ");
    rh__outcome_number(out, summary.led);
    rh__text_format(out, ", \"pieces\": %u", summary.piece_count);
    rh__text_put(out, ", \"verdict\": ");
    rh__text_put_json(out, rh__slice_of(word_of(&summary)));
    if (summary.reason[0] != '\0') {
        rh__text_put(out, ", \"reason\": ");
        rh__text_put_json(out, rh__slice_of(summary.reason));
    }
    rh__text_put(out, "}\n");
}

// --- the text ------------------------------------------------------------------------------------

static void put_label(rh_text *out, const char *label)
{
    rh__text_format(out, "%-*s", LABEL, label);
}

static void put_variables(rh_text *out, const rh_orbit *orbit)
{
    size_t width = 0;
    for (size_t k = 0; k < rh_orbit_variable_count(orbit); k++) {
        const size_t size = rh__utf8_count(rh__slice_of(rh_orbit_variable_name(orbit, k)));
        width = size > width ? size : width;
    }
    rh__text_put(out, "start\n");
    for (size_t k = 0; k < rh_orbit_variable_count(orbit); k++) {
        const char *name = rh_orbit_variable_name(orbit, k);
        const size_t size = rh__utf8_count(rh__slice_of(name));
        rh__text_format(out, "  %s%*s", name, (int)(width - size) + 2, "");
        rh__outcome_value(out, rh_orbit_variable(orbit, k), DIGITS);
        rh__text_put_char(out, '\n');
    }
}

#define KNOWN 1e-9     // of a multiplier, that it may be off by without a word
#define RESOLVED 1e-12 // of multipliers

// Pairs of complex numbers on one line.
// Those digits of a number that are right.
static int digits_of(double value, double bar)
{
    const double share = bar / fabs(value);
    return share > KNOWN ? (int)fmax(floor(1.0 - log10(share)), 1.0) : DIGITS;
}

static void put_multipliers(rh_text *out, const rh_orbit *orbit, bool is_rest)
{
    // in one piece the rounding of the largest is in all of them
    const double largest =
        rh_orbit_multiplier_count(orbit) > 0
            ? hypot(rh_orbit_multiplier(orbit, 0).real, rh_orbit_multiplier(orbit, 0).imaginary)
            : 0.0;
    const bool is_whole = rh_orbit_summarise(orbit).piece_count == 1;
    const double resolved = is_whole && largest > 1.0 ? RESOLVED * largest : RESOLVED;
    rh__text_put(out, is_rest ? "eigenvalues\n" : "multipliers\n");
    for (size_t k = 0; k < rh_orbit_multiplier_count(orbit); k++) {
        const rh_multiplier it = rh_orbit_multiplier(orbit, k);
        const bool is_pair = it.imaginary != 0.0 && k + 1 < rh_orbit_multiplier_count(orbit);
        const double size = hypot(it.real, it.imaginary);
        rh__text_put(out, "  ");
        if (!is_rest && size < resolved) { // what is left of it is rounding
            rh__text_format(out, "below %.0e in modulus\n", resolved);
            continue;
        }
        const bool is_known = it.bar <= KNOWN * size;
        rh__outcome_value(out, it.real, digits_of(it.real, it.bar));
        if (it.imaginary != 0.0) {
            rh__text_put(out, is_pair ? " +- " : " + ");
            rh__outcome_value(out, is_pair ? fabs(it.imaginary) : it.imaginary,
                              digits_of(it.imaginary, it.bar));
            rh__text_put(out, " i");
        }
        if (!is_known) {
            rh__text_format(out, " (to %.1g)", 1.6 * it.bar);
        }
        if (it.is_trivial) {
            rh__text_put(out, "  trivial");
        } else if (!is_rest && it.imaginary != 0.0) {
            rh__text_put(out, "  modulus ");
            rh__outcome_value(out, size, digits_of(size, it.bar));
        }
        rh__text_put_char(out, '\n');
        k += is_pair;
    }
}

static void put_remarks(rh_text *out, const rh_orbit_summary *summary)
{
    if (summary->is_still && summary->outcome == RH_ORBIT_FOUND) {
        rh__text_put(out, "it goes nowhere: a point of rest at all times\n");
    }
    if (summary->led > 0.0) {
        rh__text_format(out, "found after the motion was followed for %.6g\n", summary->led);
    }
    if (summary->piece_count > 1) {
        rh__text_format(out, "closed in %u pieces: neighbours part by much on the way\n",
                        summary->piece_count);
    }
    if (summary->is_period_fixed) {
        rh__text_put(out, "the period is fixed\n");
    }
    if (summary->is_half) {
        rh__text_put(out, "found over half a period: the other half is its image\n");
    }
    if (summary->integral_count > 0) {
        rh__text_format(out, "first integrals: %u; the orbit is one of a family\n",
                        summary->integral_count);
    }
    if (summary->event_count > 0) {
        rh__text_format(out, "events along it: %u\n", summary->event_count);
    }
}

// Those of the period that are right.
static int known_digits(const rh_orbit_summary *summary)
{
    const double share = summary->period_error / summary->period;
    return share > 0.0 ? (int)fmin(fmax(floor(-log10(share)), 1.0), DIGITS) : DIGITS;
}

static void put_text(rh_text *out, const rh_orbit *orbit)
{
    static const char *const WHAT[] = {"periodic orbit", "point of rest", "no periodic orbit"};
    const rh_orbit_summary summary = rh_orbit_summarise(orbit);
    const bool is_rest = summary.outcome == RH_ORBIT_EQUILIBRIUM;
    put_label(out, WHAT[summary.outcome]);
    rh__text_format(out, "after %u iteration%s\n", summary.iterations,
                    summary.iterations == 1 ? "" : "s");
    if (!is_rest && summary.period > 0.0) {
        put_label(out, "period");
        rh__outcome_value(out, summary.period, known_digits(&summary));
        rh__text_put_char(out, '\n');
    }
    if (!isnan(summary.residual)) {
        put_label(out, is_rest ? "rate" : "residual");
        rh__outcome_small(out, summary.residual);
        rh__text_put_char(out, '\n');
    }
    put_variables(out, orbit);
    if (summary.outcome != RH_ORBIT_FAILED) {
        put_multipliers(out, orbit, is_rest);
        put_label(out, "stable");
        rh__text_format(out, "%s\n", answer_of(&summary));
        put_remarks(out, &summary);
    }
}

rh_status rh_output_orbit(const rh_orbit *orbit, rh_format format, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(orbit != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    const rh_model *model = orbit->motion->equations->model;
    rh_arena arena = rh__arena_begin(rh__guard_base(model->arena.allocator), model->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, orbit);
    } else {
        put_text(&out, orbit);
    }
    return rh__output_end(&out, &arena, err);
}
