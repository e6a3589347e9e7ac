// SPDX-License-Identifier: Apache-2.0
// Private to `tape`: statements of a text in straight lines (unroll.c). A chain is a sum that grows
// term by term; the words it is made of are names of coefficients, weights and numbers.

#pragma once

#include "tape/emit.h"

/// A sum under construction: the variable <letter><index>_<order>.
typedef struct rh_chain {
    rh_emission *in;
    char letter;
    uint32_t index, k;
    bool is_begun;
} rh_chain;

typedef struct rh_label {
    char text[40];
} rh_label;

/// <letter><index>_<k>
rh_label rh__label_name(char letter, uint32_t index, uint32_t k);
/// s<slot>_<k>
rh_label rh__label_coefficient(uint32_t slot, uint32_t k);
/// Is the coefficient 0 whatever the point is? It may be set.
bool *rh__chain_zero(const rh_emission *in, uint32_t slot, uint32_t k);
/// A sum of nothing so far.
rh_chain rh__chain_begin(rh_emission *in, char letter, uint32_t index, uint32_t k);
/// The left side of its next statement.
void rh__chain_open(rh_chain *c);
/// Add a word, or take it away.
void rh__chain_plain(rh_chain *c, int sign, rh_label a);
/// Add a product; with a minus `a` is a weight, a number, or of order 0.
void rh__chain_product(rh_chain *c, int sign, rh_label a, rh_label b);
/// The sum times a word.
void rh__chain_scale(rh_chain *c, int sign, rh_label a);
/// A literal.
rh_label rh__label_number(double value);
/// A literal or w<weight>.
rh_label rh__label_weight(const rh_emission *in, uint32_t weight);
/// Add weight * coefficient; nothing where either is zero.
void rh__chain_weighted(rh_chain *c, int sign, uint32_t weight, uint32_t slot, uint32_t k);
/// Add coefficient i of a times coefficient j of b.
void rh__chain_pair(rh_chain *c, int sign, uint32_t a, uint32_t i, uint32_t b, uint32_t j);
/// A coefficient is there: give it to those who read it.
void rh__chain_publish(rh_emission *in, uint32_t slot, uint32_t k);
/// The sum is a coefficient, and there.
void rh__chain_finish(rh_chain *c);

// --- sums over finished orders, side by side (pack.c) --------------------------------------------

/// Choose the sums that lie in rows: what is zero must be known. False: there is no memory.
bool rh__pack_plan(rh_emission *in);
/// Is the sum taken there at order k?
bool rh__pack_has(const rh_emission *in, uint32_t sum, uint32_t k);
/// Words before the function, and room within it.
void rh__pack_words(rh_emission *in);
void rh__pack_room(rh_emission *in);
/// Coefficients k are there.
void rh__pack_row(rh_emission *in, uint32_t k);
/// All such sums of order k.
void rh__pack_sums(rh_emission *in, uint32_t k);
