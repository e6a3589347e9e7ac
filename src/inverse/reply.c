// SPDX-License-Identifier: Apache-2.0
// What the street asks of an answer.

#include "inverse/inverse.h"

const char *rh_inverse_verdict_text(rh_inverse_verdict verdict)
{
    switch (verdict) {
    case RH_INVERSE_HOLDS:
        return "holds";
    case RH_INVERSE_FAILS:
        return "fails";
    case RH_INVERSE_UNKNOWN:
        return "unknown";
    }
    return "";
}

const char *rh_definiteness_text(rh_definiteness definiteness)
{
    switch (definiteness) {
    case RH_DEFINITE_ZERO:
        return "zero";
    case RH_DEFINITE_POSITIVE:
        return "positive definite";
    case RH_SEMIDEFINITE:
        return "positive semidefinite";
    case RH_DEFINITE_NEGATIVE:
        return "negative";
    case RH_DEFINITE_NEITHER:
        return "indefinite";
    case RH_DEFINITE_UNKNOWN:
        return "unknown";
    }
    return "";
}

static const char *text_or_nothing(const char *text)
{
    return text != NULL ? text : "";
}

// Derivatives hold between the surfaces where the equations switch: what they prove is no proof
// there.
static rh_inverse_condition off_surfaces(const rh_inverse *inverse, rh_inverse_condition of)
{
    if (of.verdict == RH_INVERSE_HOLDS && of.is_proved && inverse->surfaces.count > 0) {
        of.is_proved = false;
        of.point_count = 0;
    }
    return of;
}

size_t rh_inverse_surface_count(const rh_inverse *inverse)
{
    return inverse->surfaces.count;
}

const char *rh_inverse_surface(const rh_inverse *inverse, size_t index)
{
    return inverse->surfaces.data[index].text;
}

static uint32_t count_rays(const rh_inverse *inverse)
{
    return inverse->kinetic.rays.count + inverse->gyroscopic.rays.count +
           inverse->potential.rays.count + inverse->dissipation.rays.count +
           inverse->hamiltonian.rays.count;
}

rh_inverse_summary rh_inverse_summarise(const rh_inverse *inverse)
{
    if (inverse == NULL) {
        return (rh_inverse_summary){.struct_size = (uint32_t)sizeof(rh_inverse_summary)};
    }
    const rh_trial *trial = &inverse->trials.data[inverse->chosen];
    const rh_inverse_condition whole = off_surfaces(inverse, trial->whole);
    return (rh_inverse_summary){
        .struct_size = (uint32_t)sizeof(rh_inverse_summary),
        .kind = inverse->kind,
        .verdict = trial->whole.verdict,
        .is_proved = whole.is_proved && whole.verdict != RH_INVERSE_UNKNOWN,
        .is_for_all_values = trial->whole.verdict == RH_INVERSE_HOLDS && trial->is_for_all_values &&
                             inverse->scope.count == 0,
        .is_closed = inverse->has_functions && count_rays(inverse) == 0,
        .check = off_surfaces(inverse, inverse->check),
        .dissipation_sign = inverse->sign,
        .is_sign_proved = inverse->is_sign_proved,
        .point_count = whole.point_count,
        .form = trial->form,
        .lagrangian = text_or_nothing(inverse->lagrangian_text),
        .dissipation = text_or_nothing(inverse->dissipation_text),
        .hamiltonian = text_or_nothing(inverse->hamiltonian_text),
        .kinetic = text_or_nothing(inverse->kinetic_text),
        .gyroscopic = text_or_nothing(inverse->gyroscopic_text),
        .potential = text_or_nothing(inverse->potential_text),
        .circulatory = text_or_nothing(inverse->circulatory_text),
        .dissipative = text_or_nothing(inverse->dissipative_text),
        .note = text_or_nothing(inverse->note),
        .reason = text_or_nothing(inverse->reason),
        .values = text_or_nothing(inverse->scope_text),
        .sign_values = text_or_nothing(inverse->sign_scope_text),
    };
}

static const rh_inverse_condition NOT_ASKED = {(uint32_t)sizeof(rh_inverse_condition),
                                               RH_INVERSE_UNKNOWN, false, 0};

rh_inverse_condition rh_inverse_condition_of(const rh_inverse *inverse, uint32_t number)
{
    if (number == RH_INVERSE_QUADRATIC && inverse->kind == RH_INVERSE_LAGRANGE) {
        return off_surfaces(inverse, inverse->trials.data[inverse->chosen].quadratic);
    }
    return number >= 1 && number <= RH_INVERSE_CONDITIONS && inverse->kind == RH_INVERSE_LAGRANGE
               ? off_surfaces(inverse, inverse->trials.data[inverse->chosen].conditions[number - 1])
               : NOT_ASKED;
}

rh_inverse_condition rh_inverse_equivalent(const rh_inverse *inverse, uint32_t number)
{
    return number >= 1 && number <= RH_INVERSE_EQUIVALENTS && inverse->kind == RH_INVERSE_LAGRANGE
               ? off_surfaces(inverse,
                              inverse->trials.data[inverse->chosen].equivalents[number - 1])
               : NOT_ASKED;
}

size_t rh_inverse_form_count(const rh_inverse *inverse)
{
    return inverse->trials.count;
}

const char *rh_inverse_form(const rh_inverse *inverse, size_t index, rh_inverse_condition *out)
{
    if (out != NULL) {
        *out = off_surfaces(inverse, inverse->trials.data[index].whole);
    }
    return inverse->trials.data[index].form;
}

size_t rh_inverse_failure_count(const rh_inverse *inverse)
{
    return inverse->failures.count;
}

rh_inverse_failure rh_inverse_failure_at(const rh_inverse *inverse, size_t index)
{
    return inverse->failures.data[index];
}

size_t rh_inverse_witness_count(const rh_inverse *inverse)
{
    return inverse->place.count;
}

const char *rh_inverse_witness_name(const rh_inverse *inverse, size_t index)
{
    return inverse->place.data[index].name;
}

double rh_inverse_witness_value(const rh_inverse *inverse, size_t index)
{
    return inverse->place.data[index].value;
}

rh_inverse_matrices rh_inverse_matrices_of(const rh_inverse *inverse)
{
    const bool is_asked = inverse->s_values != NULL && inverse->r_values != NULL;
    return (rh_inverse_matrices){(uint32_t)sizeof(rh_inverse_matrices), is_asked ? inverse->n : 0,
                                 inverse->s_values, inverse->r_values};
}

size_t rh_inverse_matrix_place_count(const rh_inverse *inverse)
{
    return inverse->matrix_place.count;
}

const char *rh_inverse_matrix_place_name(const rh_inverse *inverse, size_t index)
{
    return inverse->matrix_place.data[index].name;
}

double rh_inverse_matrix_place_value(const rh_inverse *inverse, size_t index)
{
    return inverse->matrix_place.data[index].value;
}

size_t rh_inverse_variable_count(const rh_inverse *inverse)
{
    return inverse->n;
}

const char *rh_inverse_variable_name(const rh_inverse *inverse, size_t index)
{
    return inverse->names[index];
}
