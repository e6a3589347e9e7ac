// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: statements of a text that repeat. A statement has a kind, which says how it is
// written, and whole numbers as arguments: places in arrays, weights. Where statements of a list
// repeat with arguments that move by constant steps they are written as one loop; where they do
// not, with tables of their arguments. So the length of the text does not grow with families.

#pragma once

#include "tape/emit.h"

/// How a statement is written: `open`, then `term` for each of its terms, then `close`. In these
/// forms a, b, c ... are the arguments of the statement and p, q, r those of a term:
///     @name(a)     the element of an array; @W(a) a weight, @L(a) and @H(a) of a hold what is lent
///                  and whether it is released
///     @=name(a,x)  it becomes x
///     $T $F $A $O  type, fused product and sum, size, zero; $s the variable of the statement
/// Where `is_carried`, a is the place of the result $s, and the last argument of a term a place in
/// the same array, which is b: what a statement before has just made is taken from its variable.
typedef struct rh_refrain_kind {
    const char *open, *term, *close;
    uint32_t heads, parts; // arguments of a statement, and of each of its terms
    bool is_carried;
    uint32_t wide; // from so many on, eight at a time; 0: it needs decisions of single numbers
} rh_refrain_kind;

typedef struct rh_refrain_item {
    uint32_t kind;
    uint32_t first; // of its arguments, then those of its terms
    uint32_t terms;
} rh_refrain_item;

typedef struct rh_refrain {
    rh_emission *in;
    const rh_refrain_kind *kinds;
    bool is_flat; // in any order: none reads what another writes, or they only add to it
    bool ok;
    RH_ARRAY(rh_refrain_item) items;
    RH_ARRAY(uint32_t) words;
} rh_refrain;

rh_refrain rh__refrain_begin(rh_emission *in, const rh_refrain_kind *kinds, bool is_flat);
/// One more statement; `heads` are as many as its kind says.
void rh__refrain_add(rh_refrain *refrain, uint32_t kind, const uint32_t *heads);
/// One more term of the last statement.
void rh__refrain_term(rh_refrain *refrain, const uint32_t *parts);
/// How many loops, tables and single statements it would be.
uint32_t rh__refrain_pieces(const rh_refrain *refrain);
/// Write them here.
RH_NODISCARD rh_status rh__refrain_write(rh_refrain *refrain);
/// `static const unsigned name[] = {...};`
void rh__refrain_table(rh_emission *in, const char *name, const uint32_t *list, uint32_t count);
