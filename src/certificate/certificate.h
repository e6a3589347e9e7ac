// SPDX-License-Identifier: Apache-2.0
// Door of the room `certificate`: statements about steady motions that can be proved from their
// text alone (docs/theory/certificates.md).
//
// A wording (wording.c) is a certificate, read; a thesis (thesis.c) the exact equations of
// the model in it; an anchor (anchor.c) the enclosed steady motion; a portrait (portrait.c) its
// linear part. verify.c puts the claims to the proof, propose.c writes statements about what the
// room `steady` found: whatever it writes is believed only after the check.

#pragma once

#include "rheonom/certificate.h"

#include "base/base.h"

typedef struct rh_certificate_record {
    rh_certificate_state state;
    const char *claim;
    const char *detail;
} rh_certificate_record;

struct rh_certificate {
    rh_arena arena;
    RH_ARRAY(rh_certificate_record) claims;
    RH_ARRAY(rh_certificate_root) roots;
    bool holds;
    uint32_t precision;
    const char *text;
    const char *statement; // what was examined, for showing
    const char *verdict;   // that holds; "" without
    uint32_t dimension;    // of the family, where it holds
    double *values;        // by variable of the steady motion it was written of; NAN: not among
    uint32_t value_count;  // the variables of the proof
    char reason[512];
};
