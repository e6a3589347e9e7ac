// SPDX-License-Identifier: Apache-2.0
// Certificates: a text that states a steady motion of a model and its stability so that the
// statement can be proved from the text alone. A check derives everything anew from the model in
// the text, in exact algebra and ball arithmetic; it trusts nothing that the text says.

#pragma once

#include "rheonom/base.h"
#include "rheonom/model.h"
#include "rheonom/steady.h"

RH_EXTERN_C_BEGIN

/// Recipe for a check. Begin with rh_certificate_def_default(), then change what you need.
typedef struct rh_certificate_def {
    uint32_t struct_size;   ///< set by the default function; do not touch
    uint32_t precision;     ///< most bits of ball arithmetic: it begins with few, and doubles them
    rh_allocator allocator; ///< for everything that is made
    size_t memory_limit;    ///< most bytes of each part: model, equations, proof
    bool (*goes_on)(void *user); ///< asked now and then; false: break off. NULL: go on
    void *goes_on_user;
    const char *const *exact; ///< by what a call fixes: its value exactly, in plain decimals. NULL,
                              ///< here or there: the shortest decimals that read as the double
} rh_certificate_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_certificate_def rh_certificate_def_default(void)
{
    rh_certificate_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.precision = 4096;
    def.allocator = rh_allocator_default();
    def.memory_limit = (size_t)2 << 30;
    return def;
}

/// What became of a claim.
typedef enum rh_certificate_state {
    RH_CERTIFICATE_PROVED,
    RH_CERTIFICATE_FAILED, ///< it is false, or no proof was found
    RH_CERTIFICATE_SKIPPED ///< not examined: what it rests on was not proved
} rh_certificate_state;

/// "proved", "not proved", "not examined".
RH_API const char *rh_certificate_state_text(rh_certificate_state state);

/// One claim of a certificate. Texts are borrowed from the certificate.
typedef struct rh_certificate_claim {
    uint32_t struct_size; ///< of the caller's struct
    rh_certificate_state state;
    const char *claim;  ///< one sentence
    const char *detail; ///< how it was proved, or why not
} rh_certificate_claim;

/// A root of the linear part, between exact borders.
typedef struct rh_certificate_root {
    double real_low, real_high;
    double imaginary_low, imaginary_high;
} rh_certificate_root;

/// Check a certificate.
/// @param text  need not be terminated, need not outlive the call
/// @param out   receives what the caller destroys
/// @return RH_OK also when claims are not proved: rh_certificate_holds() says. RH_E_ARGUMENT, with
///         the line and the reason, when the text is no certificate; RH_E_MODEL when the model in
///         it is wrong; RH_E_LIMIT when it was broken off; RH_E_MEMORY
RH_API RH_NODISCARD rh_status rh_certificate_check(const char *text, size_t size,
                                                   const rh_certificate_def *def,
                                                   rh_certificate **out, rh_error *err);

/// Write a certificate of a steady motion that was found, and check it.
/// @param index  of the solution
/// @param call   what was asked for when it was found
/// @param model  the recipe of the model that it belongs to
/// @param out    receives what the caller destroys: with a text that holds, or without a text and
///               with the reason
RH_API RH_NODISCARD rh_status rh_certificate_create(const rh_steady *steady, size_t index,
                                                    const rh_steady_def *call,
                                                    const rh_model_def *model,
                                                    const rh_certificate_def *def,
                                                    rh_certificate **out, rh_error *err);
/// Destroy a certificate. NULL is allowed.
RH_API void rh_certificate_destroy(rh_certificate *certificate);

/// Are all its claims proved?
RH_API bool rh_certificate_holds(const rh_certificate *certificate);
/// The text: of a certificate that was created and holds; "" else.
RH_API const char *rh_certificate_text(const rh_certificate *certificate);
/// What a check examined, word by word: the lines of the model after "| ", then the settings, the
/// added quasi-velocities and the place. Whoever believes a certificate reads this.
RH_API const char *rh_certificate_statement(const rh_certificate *certificate);
/// One sentence: what is proved, or why there is no proof.
RH_API const char *rh_certificate_reason(const rh_certificate *certificate);
/// The verdict that is proved, as rh_steady_verdict_text() has it; "" when the certificate does not
/// hold.
RH_API const char *rh_certificate_verdict(const rh_certificate *certificate);
/// The dimension of the family of steady motions, when it holds.
RH_API uint32_t rh_certificate_dimension(const rh_certificate *certificate);
/// A variable of the steady motion that a certificate was created of, as it is proved: the middle
/// of its bounds; NAN where the certificate does not hold or speaks of other variables.
RH_API double rh_certificate_value(const rh_certificate *certificate, size_t variable);
RH_API size_t rh_certificate_claim_count(const rh_certificate *certificate);
RH_API rh_certificate_claim rh_certificate_claim_at(const rh_certificate *certificate,
                                                    size_t index);
/// The roots that remain beside the zero ones, as far as they were enclosed; rightmost first.
RH_API size_t rh_certificate_root_count(const rh_certificate *certificate);
RH_API rh_certificate_root rh_certificate_root_at(const rh_certificate *certificate, size_t index);
/// Bits with which the last claim was proved.
RH_API uint32_t rh_certificate_precision(const rh_certificate *certificate);

RH_EXTERN_C_END
