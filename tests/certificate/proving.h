// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of certificates: from the text of a model to a steady motion and its proof.

#pragma once

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROVING_MOST = 6 };

/// What a proof is made of. Values of `fix` are "name=decimal".
typedef struct proving_call {
    const char *set[PROVING_MOST];
    const char *fix[PROVING_MOST];
    const char *guess[PROVING_MOST];
    size_t solution; // which of the motions found
} proving_call;

typedef struct proving {
    rh_model *model;
    rh_equations *equations;
    rh_steady *steady;
    rh_certificate *certificate;
    rh_error err;
} proving;

static size_t proving_read(const char *const *from, char names[PROVING_MOST][32],
                           rh_steady_value *out, const char **exact)
{
    size_t count = 0;
    for (; count < PROVING_MOST && from[count] != NULL; count++) {
        const char *equals = strchr(from[count], '=');
        const size_t size = (size_t)(equals - from[count]);
        memcpy(names[count], from[count], size);
        names[count][size] = '\0';
        out[count] = (rh_steady_value){names[count], strtod(equals + 1, NULL)};
        exact[count] = equals + 1;
    }
    return count;
}

/// Find the motion and prove what can be proved.
static inline proving proving_begin(const char *text, const proving_call *call)
{
    proving it = {.model = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = call->set;
    while (def.set_count < PROVING_MOST && call->set[def.set_count] != NULL) {
        def.set_count++;
    }
    if (rh_model_create(&def, &it.model, &it.err) != RH_OK) {
        fail_msg("%s",
                 it.model != NULL ? rh_model_diagnostic(it.model, 0).message : it.err.message);
    }
    rh_equations_def plain = rh_equations_def_default();
    plain.has_presolve = false;
    if (rh_equations_create(it.model, &plain, &it.equations, &it.err) != RH_OK) {
        fail_msg("%s", it.err.message);
    }
    char names[2][PROVING_MOST][32];
    rh_steady_value values[2][PROVING_MOST];
    const char *exact[2][PROVING_MOST];
    rh_steady_def steady = rh_steady_def_default();
    steady.fix = values[0];
    steady.fix_count = proving_read(call->fix, names[0], values[0], exact[0]);
    steady.guess = values[1];
    steady.guess_count = proving_read(call->guess, names[1], values[1], exact[1]);
    if (rh_steady_create(it.equations, &steady, &it.steady, &it.err) != RH_OK) {
        fail_msg("%s", it.err.message);
    }
    assert_true(rh_steady_summarise(it.steady).solution_count > call->solution);
    rh_certificate_def proof = rh_certificate_def_default();
    proof.exact = exact[0];
    if (rh_certificate_create(it.steady, call->solution, &steady, &def, &proof, &it.certificate,
                              &it.err) != RH_OK) {
        fail_msg("%s", it.err.message);
    }
    return it;
}

static inline void proving_end(proving *it)
{
    rh_certificate_destroy(it->certificate);
    rh_steady_destroy(it->steady);
    rh_equations_destroy(it->equations);
    rh_model_destroy(it->model);
}

/// The roots that are proved are those that were computed.
static inline void proving_compare(const proving *it, size_t solution)
{
    const rh_steady_motion motion = rh_steady_solution(it->steady, solution);
    for (uint32_t k = motion.zero_count; k < motion.size; k++) {
        const rh_steady_root *root = &motion.roots[k];
        const double near = 1e-6 * (1.0 + fabs(root->real) + fabs(root->imaginary));
        bool is_there = false;
        for (size_t j = 0; j < rh_certificate_root_count(it->certificate); j++) {
            const rh_certificate_root other = rh_certificate_root_at(it->certificate, j);
            is_there = is_there ||
                       (root->real > other.real_low - near && root->real < other.real_high + near &&
                        root->imaginary > other.imaginary_low - near &&
                        root->imaginary < other.imaginary_high + near);
        }
        if (!is_there) {
            fail_msg("the root %.12g + %.12g i is not among those proved", root->real,
                     root->imaginary);
        }
    }
}

/// Prove, and demand this verdict; NULL: none.
static inline void proving_expect(const char *text, const proving_call *call, const char *verdict)
{
    proving it = proving_begin(text, call);
    if (rh_certificate_holds(it.certificate) != (verdict != NULL)) {
        fail_msg("%s: %s", call->fix[0] != NULL ? call->fix[0] : "",
                 rh_certificate_reason(it.certificate));
    }
    assert_string_equal(rh_certificate_verdict(it.certificate), verdict != NULL ? verdict : "");
    if (verdict != NULL) {
        proving_compare(&it, call->solution);
    }
    proving_end(&it);
}
