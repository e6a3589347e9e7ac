// SPDX-License-Identifier: Apache-2.0
// Private to `certificate`: putting a statement to the proof.

#pragma once

#include "certificate/certificate.h"
#include "certificate/anchor.h"

/// The claims of a certificate, in the order in which they rest on each other.
typedef enum rh_verify_claim {
    RH_VERIFY_SEAL,
    RH_VERIFY_EQUATIONS,
    RH_VERIFY_CYCLIC,
    RH_VERIFY_VANISH,
    RH_VERIFY_ENCLOSED,
    RH_VERIFY_FAMILY,
    RH_VERIFY_POLYNOMIAL,
    RH_VERIFY_VERDICT,
    RH_VERIFY_COUNT
} rh_verify_claim;

/// Work on one statement: what the finder and the checker share. The finder fills a statement from
/// what it computes with this; only rh__verify_text() believes anything.
typedef struct rh_verifying {
    const rh_certificate_def *def;
    rh_certificate *out;
    rh_arena *arena;
    rh_wording *statement;
    rh_thesis thesis;
    rh_field field;
    rh_anchor anchor;
    bool *dependent;
    bool *is_vanishing; // by row
    rh_expr *plain;     // by row: the same without cyclic coordinates, as far as it has such a form
    bool is_broken_off;
} rh_verifying;

/// An empty certificate.
RH_NODISCARD rh_status rh__certificate_begin(const rh_certificate_def *def, rh_certificate **out,
                                             rh_error *err);
/// Room for the variables and rows of in->thesis.
RH_NODISCARD rh_status rh__verify_reserve(rh_verifying *in);
/// Check the text; claims go to `out`, which has an arena.
RH_NODISCARD rh_status rh__verify_text(rh_slice text, const rh_certificate_def *def,
                                       rh_certificate *out, rh_error *err);
/// Say what became of a claim; `detail` is copied.
void rh__verify_say(rh_certificate *out, rh_verify_claim kind, rh_certificate_state state,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
bool rh__verify_goes_on(rh_verifying *in);
/// Variables of the statement as known and enclosed ones; false with the reason.
bool rh__verify_place(rh_verifying *in, char *reason, size_t size);
/// Most bits for a model of this size: polynomials of large matrices take long.
uint32_t rh__verify_precision(const rh_verifying *in);
/// Is e zero wherever it is defined, for each of them? False when not all are proved; `out_failed`
/// is the first that is not.
RH_NODISCARD rh_status rh__verify_zero(rh_verifying *in, const rh_expr *list, uint32_t count,
                                       uint32_t *out_failed);
/// Rows, then inertia, without cyclic coordinates: in->plain begins with the rows. All of `duties`
/// must vanish for that.
RH_NODISCARD rh_status rh__verify_free(rh_verifying *in, rh_expr_list *duties);
/// The same one by one.
RH_NODISCARD rh_status rh__verify_each(rh_verifying *in, const rh_expr *list, uint32_t count,
                                       bool *out);
/// The verdict that the polynomial beside `dimension` zero roots proves; NULL: none.
const char *rh__verify_decide(rh_verifying *in, const rh_portrait *portrait, uint32_t precision);
/// A row with what is exact put in; the power that quasi-velocities give to their rows.
rh_expr rh__verify_put(rh_verifying *in, rh_expr row);
rh_expr rh__verify_power(rh_verifying *in);
/// Rows with their factors, added.
rh_expr rh__verify_sum(rh_verifying *in, const rh_vanish *vanish);
/// Put the claims to the proof: no rate depends on cyclic coordinates, and constraints hold; rows
/// that are said to vanish do. `out`: they are proved.
RH_NODISCARD rh_status rh__verify_cyclic(rh_verifying *in, bool *out);
RH_NODISCARD rh_status rh__verify_vanishing(rh_verifying *in, bool *out);
