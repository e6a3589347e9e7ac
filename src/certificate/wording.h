// SPDX-License-Identifier: Apache-2.0
// Private to `certificate`: the text of a certificate as a record, and back. One line, one fact;
// the model stands in it line by line after "| "; the last line is a seal over all others.

#pragma once

#include "base/base.h"

enum {
    RH_WORDING_DIGITS = 30,     // of an enclosure: its width is two units of the last one
    RH_WORDING_LINES = 1 << 20, // most of a text
    RH_WORDING_NUMBER = 512,    // most bytes of a number
    RH_WORDING_SEAL = 65        // bytes of a seal with its end
};

/// Why a row of the steady equations vanishes.
typedef enum rh_vanish_reason {
    RH_VANISH_SUBSTITUTION, // by what is known exactly
    RH_VANISH_POWER,        // by the balance of power: the other rows being zero it is too
    RH_VANISH_INTEGRAL      // rows with constant factors cancel: the others being zero it is too
} rh_vanish_reason;

/// A row with its factor in decimals.
typedef struct rh_addend {
    rh_slice factor;
    rh_slice row;
} rh_addend;

typedef struct rh_vanish {
    rh_slice row;
    rh_vanish_reason reason;
    RH_ARRAY(rh_addend) sum; // of an integral: what cancels, the row among it
} rh_vanish;

/// A name with a number in decimals, or with two.
typedef struct rh_pledge {
    rh_slice name;
    rh_slice low, high; // `high` is empty where one number is meant
} rh_pledge;

/// Two constraints taken along and across the direction of an angle.
typedef struct rh_mixing {
    rh_slice first, second; // names of constraints
    rh_slice angle;         // of a coordinate
} rh_mixing;

typedef struct rh_wording {
    RH_ARRAY(const char *) set;
    RH_ARRAY(const char *) start;
    RH_ARRAY(const char *) by;
    RH_ARRAY(const char *) observe;
    RH_ARRAY(rh_slice) quasis; // lines added to the model: "s1 = theta'"
    RH_ARRAY(rh_slice) frame;  // names of the quasi-velocities in use
    RH_ARRAY(rh_mixing) mixings;
    RH_ARRAY(rh_slice) positional; // names of coordinates
    RH_ARRAY(rh_pledge) fixes;
    RH_ARRAY(rh_pledge) exacts;
    RH_ARRAY(rh_pledge) bounds;
    RH_ARRAY(rh_pledge) coefficients; // lowest first, without names
    RH_ARRAY(rh_vanish) vanishing;
    uint32_t dimension;
    rh_slice verdict;
    rh_slice model;
    bool is_sealed; // the seal is that of the text
} rh_wording;

/// Read a text; slices point into copies in the arena. RH_E_ARGUMENT with line and reason.
RH_NODISCARD rh_status rh__wording_read(rh_slice text, rh_arena *arena, rh_wording *out,
                                        rh_error *err);
/// Write it, with its seal.
void rh__wording_write(const rh_wording *statement, rh_text *out);
/// Does a setting of the list have the name of this one ("name=value")?
bool rh__wording_is_set(const char *const *list, size_t count, const char *setting);
/// Is it a number in plain decimals: [-]digits[.digits]?
bool rh__wording_is_number(rh_slice text);
/// Is it [-][N*]pi[/M] with whole numbers of at most six digits? Both, as they stand.
bool rh__wording_is_turn(rh_slice text, rh_slice *factor, rh_slice *divisor);
/// "substitution", "power balance", "integral".
const char *rh__vanish_word(rh_vanish_reason reason);
/// The seal of the bytes: their SHA-256 in hexadecimal digits, and the end.
void rh__wording_seal(rh_slice bytes, char out[RH_WORDING_SEAL]);
/// What a proof rests on besides the claims: the model as it stands in the text, then the settings
/// and the added lines, each with its word. For showing.
void rh__wording_show(const rh_wording *statement, rh_text *out);
