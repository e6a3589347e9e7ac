// SPDX-License-Identifier: Apache-2.0
// What became of the claims of a certificate, as the object of `certificate --json` and for a
// person.

#include "output/outcome.h"

#include "certificate/certificate.h"

#include "output/digits.h"

// Text of a stranger: what a terminal would obey instead of showing it is written as its code.
static void put_visible(rh_text *out, const char *text)
{
    rh_slice rest = rh__slice_of(text);
    while (rest.size > 0) {
        uint32_t code = 0;
        const int size = rh__utf8_read(rest, &code);
        const bool is_broken = size <= 0;
        const bool is_control =
            (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) ||
            (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
            (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
        const size_t taken = is_broken ? 1 : (size_t)size;
        if (is_broken) {
            rh__text_format(out, "\\x%02x", (unsigned)(unsigned char)rest.data[0]);
        } else if (is_control) {
            rh__text_format(out, "\\u{%x}", (unsigned)code);
        } else {
            rh__text_put_slice(out, (rh_slice){rest.data, taken});
        }
        rest = (rh_slice){rest.data + taken, rest.size - taken};
    }
}

static void put_object(rh_text *out, const rh_certificate *certificate)
{
    rh__text_format(out, "{\"holds\": %s, \"claims\": [",
                    rh_certificate_holds(certificate) ? "true" : "false");
    for (size_t k = 0; k < rh_certificate_claim_count(certificate); k++) {
        const rh_certificate_claim it = rh_certificate_claim_at(certificate, k);
        rh__text_format(out, "%s{\"state\": \"%s\", \"claim\": ", k == 0 ? "" : ", ",
                        rh_certificate_state_text(it.state));
        rh__text_put_json(out, rh__slice_of(it.claim));
        rh__text_put(out, ", \"detail\": ");
        rh__text_put_json(out, rh__slice_of(it.detail));
        rh__text_put(out, "}");
    }
    rh__text_put(out, "], \"roots\": [");
    for (size_t k = 0; k < rh_certificate_root_count(certificate); k++) {
        const rh_certificate_root it = rh_certificate_root_at(certificate, k);
        const double ends[] = {it.real_low, it.real_high, it.imaginary_low, it.imaginary_high};
        rh__text_put(out, k == 0 ? "[[" : ", [[");
        for (size_t j = 0; j < 4; j++) {
            rh__text_put(out, j == 2 ? "], [" : j > 0 ? ", " : "");
            rh__outcome_number(out, ends[j]);
        }
        rh__text_put(out, "]]");
    }
    rh__text_format(out,
                    "], \"precision\": %u, \"reason\": ", rh_certificate_precision(certificate));
    rh__text_put_json(out, rh__slice_of(rh_certificate_reason(certificate)));
    rh__text_put(out, ", \"statement\": ");
    rh__text_put_json(out, rh__slice_of(rh_certificate_statement(certificate)));
    rh__text_put(out, "}\n");
}

static void put_text(rh_text *out, const rh_certificate *certificate)
{
    rh__text_put(out, "examined\n");
    put_visible(out, rh_certificate_statement(certificate));
    for (size_t k = 0; k < rh_certificate_claim_count(certificate); k++) {
        const rh_certificate_claim it = rh_certificate_claim_at(certificate, k);
        rh__text_format(out, "%-13s %s\n", rh_certificate_state_text(it.state), it.claim);
        if (it.detail[0] != '\0') {
            rh__text_format(out, "%-13s   %s\n", "", it.detail);
        }
    }
    if (rh_certificate_root_count(certificate) > 0) {
        rh__text_put(out, "roots beside the zero ones, between\n");
    }
    for (size_t k = 0; k < rh_certificate_root_count(certificate); k++) {
        const rh_certificate_root it = rh_certificate_root_at(certificate, k);
        rh__text_format(out, "  [%.17g, %.17g] + i [%.17g, %.17g]\n", it.real_low + 0.0,
                        it.real_high + 0.0, it.imaginary_low + 0.0, it.imaginary_high + 0.0);
    }
    rh__text_format(out, "%s\n%s\n",
                    rh_certificate_holds(certificate) ? "the certificate holds"
                                                      : "the certificate does not hold",
                    rh_certificate_reason(certificate));
}

rh_status rh_output_certificate(const rh_certificate *certificate, rh_format format, rh_sink sink,
                                rh_error *err)
{
    RH_REQUIRE(certificate != NULL && sink.write != NULL, err);
    RH_REQUIRE(format == RH_FORMAT_TEXT || format == RH_FORMAT_JSON, err);
    rh_arena arena =
        rh__arena_begin(rh__guard_base(certificate->arena.allocator), certificate->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    if (format == RH_FORMAT_JSON) {
        put_object(&out, certificate);
    } else {
        put_text(&out, certificate);
    }
    return rh__output_end(&out, &arena, err);
}
