// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: what a folder knows of each expression, shared by the files that read
// expressions into polynomials (expand.c, atom.c), write them back (horner.c) and choose (fold.c).

#pragma once

#include "expr/ring.h"

/// What is known of one expression.
typedef struct rh_entry {
    rh_expr e;
    rh_expr key;    // the polynomial as a sum of products; none until asked for
    rh_expr cheap;  // an equal expression; none while the entry is not done
    rh_expr folded; // the answer for `e` as a whole; none until asked for
    rh_poly poly;
    bool is_held; // a cheaper form of it or of a part was refused
    bool is_far;  // a part is a power of a sum about a far point: it is not written out
} rh_entry;

/// How many items of a sum an atom stands in, above and below the line; see horner.c.
typedef struct rh_share {
    uint32_t above, below;
    int32_t least_above, least_below; // smallest exponents
} rh_share;

/// A pair of forms that was compared (loss.h).
typedef struct rh_memo {
    rh_expr e, other;
    bool is_safe;
} rh_memo;

enum { RH_FOLDER_MEMOS = 512 }; // a power of two

struct rh_folder {
    rh_store *store;
    rh_ring ring;
    bool folds;   // else it only expands: no squares, no cheap forms, limits are failures
    bool guards;  // sums that may cancel are atoms, sin^2 + cos^2 needs equal factors (bracket.c)
    bool is_held; // a cheaper form was refused, because it loses digits
    uint32_t limit;
    rh_expr_list closed;        // sums that stay atoms where it guards; in the ring's pool
    RH_ARRAY(rh_entry) entries; // [0] is unused; in the ring's pool
    rh_index index;             // by e
    RH_ARRAY(rh_share) shares;  // by atom, all 0 between uses; in the ring's pool
    rh_memo *memos;             // by hash; NULL: none are kept
};

/// NULL when there is none; borrowed until the next one is made.
rh_entry *rh__folder_entry(const rh_folder *folder, rh_expr e);
/// Make the entries of `e` and of all its parts. False when memory is short, the store refuses, or
/// (when only expanding) a limit is passed.
bool rh__folder_enter(rh_folder *folder, rh_expr e);
/// The key of an entry that is done; none when the store refuses.
rh_expr rh__folder_key(rh_folder *folder, rh_expr e);
/// A polynomial as a sum of products of keys.
rh_expr rh__folder_plain(rh_folder *folder, rh_poly poly);
/// Note a number in the store; bits that lie in the pool are copied.
rh_expr rh__folder_number(rh_folder *folder, rh_rational number);

/// The polynomial of a function or power whose arguments have entries. `*out_instead`: when not
/// none, another expression whose polynomial it is. False after trouble.
bool rh__folder_atom(rh_folder *folder, rh_expr e, rh_expr rebuilt, rh_poly *out,
                     rh_expr *out_instead);
/// Where a folder guards: is this sum an atom?
bool rh__bracket_is_closed(const rh_folder *folder, rh_expr e);
/// Is this a power, or a product, of sums of a moving symbol and constants (x - 1000)?
bool rh__bracket_is_far(const rh_store *store, rh_expr e);
/// Before a guarding folder enters `e`: the sums below lines and under roots stay closed.
bool rh__bracket_begin(rh_folder *folder, rh_expr e);
/// c*m*sin(u)^2 + c*m*cos(u)^2 is c*m, term by term: a sum of like signs stays one.
bool rh__bracket_join(rh_folder *folder, rh_poly a, rh_poly *out);

/// The polynomial of one atom without rule.
bool rh__folder_plain_atom(rh_folder *folder, rh_expr key, rh_expr cheap, rh_poly *out);

/// A cheap expression for a polynomial; none after trouble or when the store refuses.
rh_expr rh__folder_write(rh_folder *folder, rh_poly poly);
/// May `other` be evaluated in place of the equal `e`: does it keep the digits?
bool rh__folder_may_stand(rh_folder *folder, rh_expr e, rh_expr other);
/// The cheapest of `rebuilt` and what can be written for `poly`, the polynomial of `e`, without
/// loss of digits.
rh_expr rh__folder_choose(rh_folder *folder, rh_expr e, rh_expr rebuilt, rh_poly poly);
