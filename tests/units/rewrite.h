// SPDX-License-Identifier: Apache-2.0
// A model in other units. Its text is parsed, and every use of a variable, of the time, of a prime,
// of an energy, of a force and of a constraint is multiplied by a factor, so that the motion is the
// same up to these factors. The factors are parameters of the new text, whose values are exact
// numbers; lets, inputs, events and observed quantities keep their old values.

#pragma once

#include "support.h"

#include "syntax/syntax.h"

/// What is measured in another unit.
typedef enum units_kind {
    UNITS_ONE,  // one variable: its new value is the old one by s
    UNITS_ALL,  // all variables, by different powers of s
    UNITS_TIME, // the new time is the old one by s
    UNITS_MASS, // energies, forces and inertias are multiplied by s
    UNITS_LINK, // deviations of constraints are multiplied by s
    UNITS_KIND_COUNT
} units_kind;

/// "one", "all", "time", "mass", "link".
const char *units_kind_word(units_kind kind);

/// s = (base/under)^power, written as an exact number.
typedef struct units_change {
    units_kind kind;
    uint32_t base, under; // base/under
    int32_t power;        // a multiple of 3
    uint32_t which;       // UNITS_ONE: which variable, as declared
} units_change;

/// What a name is that has a factor.
typedef enum units_role {
    UNITS_COORD,
    UNITS_STATE,
    UNITS_QUASI,
    UNITS_CONSTRAINT,
    UNITS_ENERGY, // T, V, energy that nobody declared
    UNITS_CLOCK   // t
} units_role;

typedef struct units_name {
    rh_slice name;
    units_role role;
    uint32_t variable; // its index among coordinates and states; of a constraint: 0
    // of a constraint: the new multiplier is the old one times these powers of factors
    int32_t mass_power, time_power, link_power;
    int32_t whole_power; // of the one factor of all variables
} units_name;

enum { UNITS_NAMES = 256, UNITS_HIDDEN = 16 };

/// A model that was read, and its text with symbols for all factors.
typedef struct units_text {
    rh_arena arena;
    rh_source source;
    rh_tree tree;
    rh_text out;
    units_name names[UNITS_NAMES]; // coordinates and states first
    uint32_t name_count, variable_count;
    rh_slice hidden[UNITS_HIDDEN]; // names of arguments and running indices around
    uint32_t hidden_count;
    bool is_whole;       // variables can be changed all by one factor only
    const char *refusal; // why it cannot be rewritten; NULL: it can
    char *original;      // the text as it stands
} units_text;

/// Read and rewrite a model of the tree. False: `refusal` says why not; units_end() all the same.
bool units_begin(units_text *it, const char *path);
void units_end(units_text *it);

/// Is there anything to be changed, and may it be?
bool units_applies(const units_text *it, const units_change *change);
/// The text in other units; the caller frees it.
char *units_write(const units_text *it, const units_change *change);

/// s^exponent.
double units_power(const units_change *change, double exponent);
/// The new value of something is the old one times this.
double units_of_time(const units_change *change);
double units_of_energy(const units_change *change);
double units_of_variable(const units_text *it, const units_change *change, const char *column);
/// A variable, a quasi-velocity, or something else: 1.
double units_of_named(const units_text *it, const units_change *change, const char *name);
double units_of_velocity(const units_text *it, const units_change *change, const char *column);
double units_of_quasi(const units_change *change);
double units_of_deviation(const units_change *change);
double units_of_multiplier(const units_text *it, const units_change *change, const char *column);
