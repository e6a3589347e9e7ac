// SPDX-License-Identifier: Apache-2.0
// Program constraints: the perturbation law of a deviation becomes the rate its last level shall
// have; it must vanish on the program.

#include "equations/derive.h"

// --- perturbation laws ---------------------------------------------------------------------------

// Deviation symbols -> what they stand for.
typedef struct program {
    rh_derive *derive;
    bool is_zero; // on the program: all deviations are 0
    bool is_lost; // a derivative that the constraint does not have
} program;

static const rh_link *link_of(const rh_derive *derive, rh_expr symbol)
{
    const rh_equations *equations = derive->equations;
    const rh_store *store = derive->store;
    const rh_family_def *wanted = rh__family_def(store, rh__expr_family(store, symbol));
    const uint32_t member = rh__expr_member(store, symbol);
    for (uint32_t k = 0; k < equations->links.count; k++) {
        const rh_row *row = &equations->links.data[k].constraint->row;
        if (row->member == member && rh__slice_equal(row->name, wanted->name)) {
            return &equations->links.data[k];
        }
    }
    return NULL;
}

static rh_expr replace_deviation(void *user, rh_store *store, rh_expr symbol)
{
    program *in = user;
    if ((rh__expr_mask(store, symbol) & RH_ROLE_DEVIATION) == 0) {
        return symbol;
    }
    if (in->is_zero) {
        return rh__expr_integer(store, 0);
    }
    const rh_link *link = link_of(in->derive, symbol);
    const uint32_t primes = rh__family_def(store, rh__expr_family(store, symbol))->primes;
    if (link == NULL || primes >= link->level_count) {
        in->is_lost = true;
        return rh__expr_integer(store, 0);
    }
    return link->levels[primes];
}

static void complain_law(rh_derive *derive, const rh_link *link, rh_expr left)
{
    rh_diagnostics *list = &derive->equations->diagnostics;
    rh_text text = rh__text_begin(&derive->scratch, NULL);
    rh_show *show = rh__show_create(derive->store, &derive->scratch, RH_NOTATION_TEXT, &left, 1);
    if (show != NULL && rh__show_part_count(show) == 0) {
        rh__show_expr(show, left, &text);
    } else {
        rh__text_put(&text, "something");
    }
    rh__diagnostics_add(list, RH_DIAGNOSTIC_E403, link->constraint->row.span,
                        "the perturbation law does not vanish on the program: with all deviations "
                        "zero it leaves %.*s",
                        RH_SLICE_FORMAT(rh__text_slice(&text)));
    rh__diagnostics_repair(list, "subtract what is left, or multiply it by a deviation");
}

static rh_expr no_deviation(void *user, uint32_t link, uint32_t level)
{
    const rh_derive *derive = user;
    (void)link;
    (void)level;
    return rh__expr_integer(derive->store, 0);
}

// With all deviations zero nothing may be left, at all states; or at those on the program, where
// constraints give coordinates.
static bool vanishes(rh_derive *derive, rh_expr left)
{
    rh_equations *equations = derive->equations;
    if (rh__derive_vanishes(equations, left, &derive->scratch)) {
        return true;
    }
    const rh_expr there =
        rh__derive_restate(equations, left, no_deviation, derive, &derive->scratch);
    return (there.i != 0 && rh__derive_vanishes(equations, there, &derive->scratch)) ||
           rh__derive_multiples(equations, left, no_deviation, derive, &derive->scratch).i != 0;
}

rh_status rh__derive_laws(rh_derive *derive)
{
    rh_equations *equations = derive->equations;
    for (uint32_t k = 0; k < equations->links.count; k++) {
        rh_link *link = &equations->links.data[k];
        if (!link->constraint->has_law) {
            continue;
        }
        program on = {.derive = derive, .is_zero = true};
        const rh_expr left =
            rh__expr_substitute(derive->store, link->constraint->law, replace_deviation, &on);
        program along = {.derive = derive};
        link->target =
            rh__derive_fold(equations, rh__expr_substitute(derive->store, link->constraint->law,
                                                           replace_deviation, &along));
        if (left.i == 0 || link->target.i == 0) {
            return rh__derive_refused(derive);
        }
        if (link->constraint->law_order != link->level_count || along.is_lost) {
            rh__diagnostics_add(&equations->diagnostics, RH_DIAGNOSTIC_E311,
                                link->constraint->row.span,
                                "a reaction changes derivative %u of this deviation first: its "
                                "perturbation law gives that one, in lower derivatives, and not "
                                "derivative %u",
                                link->level_count, link->constraint->law_order);
            rh__diagnostics_repair(&equations->diagnostics, "write the law with %u prime%s",
                                   link->level_count, link->level_count == 1 ? "" : "s");
        } else if (!vanishes(derive, left)) {
            complain_law(derive, link, left);
        }
    }
    return RH_OK;
}
