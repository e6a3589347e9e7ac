// SPDX-License-Identifier: Apache-2.0
// Certificates as objects: making, checking, looking.

#include "certificate/verify.h"

#include <math.h>

static const char *const STATES[] = {"proved", "not proved", "not examined"};

const char *rh_certificate_state_text(rh_certificate_state state)
{
    return STATES[state];
}

rh_status rh__certificate_begin(const rh_certificate_def *def, rh_certificate **out, rh_error *err)
{
    rh_arena arena = rh__arena_begin(def->allocator, def->memory_limit);
    *out = rh__arena_new(&arena, rh_certificate);
    if (*out == NULL) {
        rh__arena_end(&arena);
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    (*out)->arena = arena;
    (*out)->text = "";
    (*out)->verdict = "";
    return RH_OK;
}

rh_status rh_certificate_check(const char *text, size_t size, const rh_certificate_def *def,
                               rh_certificate **out, rh_error *err)
{
    RH_REQUIRE(text != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && def->precision >= 64, err);
    RH_TRY(rh__certificate_begin(def, out, err));
    const rh_status status = rh__verify_text((rh_slice){text, size}, def, *out, err);
    if (status != RH_OK) {
        rh_certificate_destroy(*out);
        *out = NULL;
    }
    return status;
}

void rh_certificate_destroy(rh_certificate *certificate)
{
    if (certificate != NULL) {
        rh_arena arena = certificate->arena;
        rh__arena_end(&arena);
    }
}

bool rh_certificate_holds(const rh_certificate *certificate)
{
    return certificate->holds;
}

const char *rh_certificate_text(const rh_certificate *certificate)
{
    return certificate->text;
}

const char *rh_certificate_reason(const rh_certificate *certificate)
{
    return certificate->reason;
}

const char *rh_certificate_statement(const rh_certificate *certificate)
{
    return certificate->statement != NULL ? certificate->statement : "";
}

const char *rh_certificate_verdict(const rh_certificate *certificate)
{
    return certificate->verdict;
}

uint32_t rh_certificate_dimension(const rh_certificate *certificate)
{
    return certificate->dimension;
}

double rh_certificate_value(const rh_certificate *certificate, size_t variable)
{
    return certificate->holds && variable < certificate->value_count ? certificate->values[variable]
                                                                     : (double)NAN;
}

size_t rh_certificate_claim_count(const rh_certificate *certificate)
{
    return certificate->claims.count;
}

rh_certificate_claim rh_certificate_claim_at(const rh_certificate *certificate, size_t index)
{
    rh_certificate_claim out = {.struct_size = (uint32_t)sizeof out,
                                .state = RH_CERTIFICATE_SKIPPED,
                                .claim = "",
                                .detail = ""};
    if (index < certificate->claims.count) {
        const rh_certificate_record *it = &certificate->claims.data[index];
        out.state = it->state;
        out.claim = it->claim;
        out.detail = it->detail;
    }
    return out;
}

size_t rh_certificate_root_count(const rh_certificate *certificate)
{
    return certificate->roots.count;
}

rh_certificate_root rh_certificate_root_at(const rh_certificate *certificate, size_t index)
{
    return index < certificate->roots.count ? certificate->roots.data[index]
                                            : (rh_certificate_root){0.0, 0.0, 0.0, 0.0};
}

uint32_t rh_certificate_precision(const rh_certificate *certificate)
{
    return certificate->precision;
}
