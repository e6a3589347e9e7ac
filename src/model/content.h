// SPDX-License-Identifier: Apache-2.0
// A model: its statements, and the numbers of its parameters and start values.

#pragma once

#include "model/statements.h"

/// Numbers of parameters and start values: those of the text, which stay with the model, or a copy
/// with others in their place, which belongs to whoever moves (values.c).
typedef struct rh_values {
    const rh_model *model;
    RH_ARRAY(double) parameters; // by parameter and member; NaN: it has none
    bool *is_given;              // likewise: another number than that of its default; NULL: none is
    double *starts; // by setting of the start: a number in place of its formula, or NaN; NULL: none
    uint64_t changes; // how often numbers of parameters were changed
} rh_values;

struct rh_model {
    rh_arena arena;
    rh_guard *guard; // of all arenas that are made from this one
    rh_source source;
    rh_diagnostics diagnostics;
    rh_tree tree;
    rh_store *store; // NULL until the text was read
    bool is_sound;

    rh_slice title;
    rh_family time;
    RH_ARRAY(rh_parameter) parameters;
    rh_values values;                         // as the text gives them
    RH_ARRAY(rh_parameter_place) value_order; // all members, each after those it is given by
    RH_ARRAY(uint32_t) parameter_of; // by family: index into `parameters` + 1, 0 for others
    RH_ARRAY(rh_variable) coordinates;
    RH_ARRAY(rh_variable) states;
    RH_ARRAY(rh_input) inputs;

    RH_ARRAY(rh_formula) kinetic;
    RH_ARRAY(rh_formula) potential;
    RH_ARRAY(rh_formula) dissipation;
    RH_ARRAY(rh_formula) lagrangian;
    RH_ARRAY(rh_force) forces;
    RH_ARRAY(rh_load) loads;
    RH_ARRAY(rh_law) laws;
    RH_ARRAY(rh_equation) equations;
    RH_ARRAY(rh_constraint) constraints;
    RH_ARRAY(rh_quasi) quasis;
    rh_construct construct;
    // operations of the dynamics that are not defined everywhere, as they are written: also those
    // that cancel or are multiplied by zero
    rh_expr_list written;

    rh_expr_list selected; // symbols: velocities of coordinates, states; given or by the rule
    bool is_selection_given;
    RH_ARRAY(rh_pair) pairs;
    RH_ARRAY(rh_exchange) change; // forward
    RH_ARRAY(rh_exchange) inverse;

    RH_ARRAY(rh_setting) starts;
    RH_ARRAY(rh_setting) guesses;
    RH_ARRAY(rh_setting) scales; // places are symbols of coordinates, velocities and states
    RH_ARRAY(rh_event) events;
    RH_ARRAY(rh_observe) observes;
    RH_ARRAY(rh_drawing) drawings;
};

/// An expression with the new variables of a `change` replaced by their formulas in the old ones.
rh_expr rh__model_through_change(const rh_model *model, rh_expr e);
/// An expression with the inputs that are given by formulas replaced by these.
rh_expr rh__model_through_inputs(const rh_model *model, rh_expr e);
/// Sums over all statements of their kind; the number 0 when there is none.
rh_expr rh__model_kinetic(const rh_model *model);
rh_expr rh__model_potential(const rh_model *model);
rh_expr rh__model_dissipation(const rh_model *model);
rh_expr rh__model_lagrangian(const rh_model *model);

/// How many scalar coordinates, states.
uint32_t rh__model_coordinate_count(const rh_model *model);
uint32_t rh__model_state_count(const rh_model *model);

/// Does the model declare something of this name?
bool rh__model_has_name(const rh_model *model, rh_slice name);

/// A running index for rows of loops: a letter that is no name of the model.
rh_slice rh__model_letter(const rh_model *model);

const char *rh__kind_word(rh_constraint_kind kind);           // "holonomic" ...
const char *rh__realisation_word(rh_realisation realisation); // "ideal" ...

/// The number of a parameter's member, NaN when it depends on what has none: an rh_value_of with
/// an rh_values as user.
double rh__values_parameter(const void *values, const rh_store *store, rh_expr symbol);
/// Where it stands.
double *rh__values_at(const rh_values *values, const rh_parameter *parameter, uint32_t member);

/// A copy, in an arena.
RH_NODISCARD rh_status rh__values_copy(const rh_values *values, rh_arena *arena, rh_values *out);
/// Other numbers for what --set and --start gave, in their order; NaN: as it was. All values that
/// follow from them are found anew. RH_E_UNAVAILABLE, with the old values, when the model must be
/// read again: sizes change, a value vanishes or ceases to, or what was derived so far would have
/// been derived otherwise. RH_E_ARGUMENT when one of them gave something else than one value.
RH_NODISCARD rh_status rh__values_turn(rh_values *values, const double *set, uint32_t set_count,
                                       const double *start, uint32_t start_count, rh_error *err);
/// Numbers of another copy.
void rh__values_assign(rh_values *values, const rh_values *from);
/// The same for some parameters.
RH_NODISCARD rh_status rh__values_change(rh_values *values, const rh_expr *symbols,
                                         const double *numbers, uint32_t count, rh_arena *scratch);
/// The same without asking whether the equations stand. False when the scratch arena refused.
RH_NODISCARD bool rh__values_put(rh_values *values, const rh_expr *symbols, const double *numbers,
                                 uint32_t count, rh_arena *scratch);
/// The number that a dial gave when the model was read; NaN when it gave none.
double rh__model_dial(const rh_model *model, bool is_start, uint32_t dial);

/// A remark about the model in the words of the street; rooms above have remarks of their own.
rh_diagnostic rh__model_remark(const rh_model *model, const rh_remark *remark);
/// The same for a source of one's own.
rh_diagnostic rh__model_remark_in(const rh_source *source, const rh_remark *remark);

/// An input that comes from a file, counted among its like; NULL when there is none.
const rh_input *rh__model_feed(const rh_model *model, size_t index);
