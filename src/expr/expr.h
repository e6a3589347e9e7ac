// SPDX-License-Identifier: Apache-2.0
// Door of the room `expr`: hash-consed expressions with exact rational numbers.
//
// A store only grows. Equal expressions are one node, so equality is equality of ids; arguments are
// made before what uses them, so id order is a topological order. Builders never fail loudly: after
// a refusal (memory, a limit) they give RH_EXPR_NONE, take it as an argument, and the store
// remembers the first reason.
//
// Canonical form. ADD holds pairs (number, term), terms without numeric factor, in order, the
// constant last (its term is the number 1); so 2*x is an ADD of one pair. MUL holds factors in
// order, none a number, no base twice; a sum among them begins with the number 1, so 2*x*y + 2*z
// times a is 2*a*(x*y + z); a power with exponent other than 1 is a POW. Products are never
// distributed over sums, so sharing survives; sums and products of up to RH_EXPR_FLATTEN parts are
// merged into the one they stand in, longer ones are parts like any other.
//
// Families. A symbol is (family, member): x[3] is member 3 of family x. The order of symbols within
// a family is the order of members, so that the forms of x[3] - x[2] and x[7] - x[6] agree part by
// part. The shape of an expression is what remains when members and numeric factors are forgotten;
// rows of one loop share it. docs/decisions/families.md has the reasons.

#pragma once

#include "expr/terms.h"
#include "expr/calculus.h"
#include "expr/simplify.h"
