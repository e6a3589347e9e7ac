// SPDX-License-Identifier: Apache-2.0
// All forms of one model say the same, and it is right: at the consistent start and at states near
// it, rates and multipliers of every form agree, the free form plus reactions gives them too, and
// the equations of Lagrange hold by differences. Tried on models at random.

#pragma once

#include "balance.h"
#include "invented.h"

enum { AGREEMENT_STATES = 3 };

typedef struct outcome {
    double difference; // between forms, relative to the largest rate or multiplier; as far as the
                       // condition of the form lets one see
    double imbalance;
    double reach; // of the free form plus reactions
    uint32_t consistent, tried, unmade, invalid;
} outcome;

// The largest difference of rates, or of multipliers, relative to the largest of them.
static inline double compare(const derived *on, const rh_point *left, const rh_point *right)
{
    const rh_equations *equations = on->equations;
    double worst = 0.0;
    for (uint32_t part = 0; part < 2; part++) {
        const uint32_t count = part == 0 ? equations->carriers.count : equations->links.count;
        double size = 1.0;
        double most = 0.0;
        for (uint32_t k = 0; k < count; k++) {
            const rh_expr symbol =
                part == 0 ? equations->carriers.data[k].rate : equations->links.data[k].multiplier;
            const double a = rh__point_get(left, symbol);
            const double b = rh__point_get(right, symbol);
            size = fmax(size, fabs(a));
            most = isnan(b) ? INFINITY : fmax(most, fabs(a - b));
        }
        worst = fmax(worst, most / size);
    }
    return worst;
}

// M (a - a_free) = B lambda, by carrier.
static inline double compare_free(derived *on, const rh_point *bound, const rh_point *released)
{
    const rh_equations *equations = on->equations;
    double worst = 0.0;
    for (uint32_t k = 0; k < equations->carriers.count; k++) {
        double sum = -reaction_at(on, bound, k);
        double size = 1.0 + fabs(sum);
        for (uint32_t j = equations->inertia.begin[k]; j < equations->inertia.begin[k + 1]; j++) {
            const rh_entry *entry = &equations->inertia.entries.data[j];
            const rh_expr rate = equations->carriers.data[entry->column].rate;
            const double inertia = value_at(on, bound, entry->value);
            sum += inertia * (rh__point_get(bound, rate) - rh__point_get(released, rate));
            size += fabs(inertia * rh__point_get(bound, rate));
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

static inline rh_point solve(derived *on, const rh_form *form, const rh_point *at,
                             double *out_rcond)
{
    rh_form_result result;
    const rh_point point = copy_point(on, at);
    assert_int_equal(rh__form_solve(form, &point, NULL, &on->arena, &result), RH_OK);
    assert_true(result.residual < RH_FORM_INCONSISTENT);
    *out_rcond = result.rcond;
    return point;
}

/// The forms that one model has.
typedef struct wording {
    derived *on;
    rh_form forms[FORM_COUNT];
    bool is_made[FORM_COUNT];
} wording;

static inline wording put_in_words(derived *on, bool all, outcome *out)
{
    wording in = {.on = on};
    for (uint32_t kind = 0; kind < FORM_COUNT; kind++) {
        if (!all && kind != RH_FORM_REDUCED) {
            continue;
        }
        rh_error err = RH_ZERO;
        const rh_status status =
            rh__form_create(on->equations, (rh_form_kind)kind, &on->arena, &in.forms[kind], &err);
        assert_true(status == RH_OK || (status == RH_E_LIMIT && kind > RH_FORM_REDUCED));
        in.is_made[kind] = status == RH_OK;
        out->unmade += status != RH_OK;
    }
    return in;
}

// All forms against the known rates and multipliers.
static inline void try_forms(const wording *in, const rh_point *at, const rh_point *known,
                             outcome *out)
{
    for (uint32_t kind = RH_FORM_MULTIPLIERS; kind < FORM_COUNT; kind++) {
        if (!in->is_made[kind]) {
            continue;
        }
        const double pivot = smallest_pivot(in->on, &in->forms[kind], at);
        out->tried++;
        if (pivot < 1e-4) {
            out->invalid++;
            continue;
        }
        double rcond = 0.0;
        const rh_point point = solve(in->on, &in->forms[kind], at, &rcond);
        // a pivot below a tenth costs digits, once for its row and once for what leaves the system
        const double trust = fmin(1.0, 100 * pivot * pivot);
        const double difference = trust * compare(in->on, known, &point);
        if (difference > 1e-11) {
            print_error("%s%s: off by %.1e (trusted by %.1e)\n", FORM_NAMES[kind],
                        in->on->equations->has_presolve ? "" : " without presolve", difference,
                        trust);
        }
        out->difference = fmax(out->difference, difference);
    }
}

// The start, or a state near it.
static inline bool choose_state(derived *on, uint32_t index, rh_point *out)
{
    bool is_met = true;
    *out = on->start.point;
    if (index > 0) {
        assert_int_equal(
            rh__start_wander(on->equations, &on->start.point, 0.2, index, &on->arena, out, &is_met),
            RH_OK);
    }
    return is_met;
}

static inline void try_state(const wording *in, const wording *plain, uint32_t index, outcome *out)
{
    rh_point at;
    if (!choose_state(in->on, index, &at)) {
        return;
    }
    double rcond = 0.0;
    const rh_point known = solve(in->on, &in->forms[RH_FORM_MULTIPLIERS], &at, &rcond);
    const rh_point free = solve(in->on, &in->forms[RH_FORM_FREE], &at, &rcond);
    out->reach = fmax(out->reach, compare_free(in->on, &known, &free));
    out->imbalance = fmax(out->imbalance, find_imbalance(in->on, &known));
    try_forms(in, &at, &known, out);
    // the same text gives the same layout
    assert_int_equal(plain->on->layout.symbols.count, in->on->layout.symbols.count);
    const rh_point other = copy_point(plain->on, &at);
    const rh_point other_known = copy_point(plain->on, &known);
    try_forms(plain, &other, &other_known, out);
}

static inline outcome try_model(const char *text)
{
    outcome out = {0};
    derived on = derive_any(text, &(conditions){0});
    find_start(&on);
    if (on.start.is_consistent) {
        derived plain;
        derive_sound(text, &(conditions){.is_plain = true}, &plain);
        const wording words = put_in_words(&on, true, &out);
        const wording plain_words = put_in_words(&plain, false, &out);
        for (uint32_t k = 0; k < AGREEMENT_STATES; k++) {
            try_state(&words, &plain_words, k, &out);
        }
        derived_end(&plain);
        out.consistent = 1;
    }
    derived_end(&on);
    if (!(out.difference <= 1e-11 && out.imbalance <= 1e-7 && out.reach <= 1e-11)) {
        print_error("difference %.1e, imbalance %.1e, free %.1e, in:\n", out.difference,
                    out.imbalance, out.reach);
        (void)fputs(text, stderr); // longer than the lines of cmocka
        fail();
    }
    return out;
}

static inline void add_outcome(outcome *total, const outcome *out)
{
    total->difference = fmax(total->difference, out->difference);
    total->imbalance = fmax(total->imbalance, out->imbalance);
    total->reach = fmax(total->reach, out->reach);
    total->consistent += out->consistent;
    total->tried += out->tried;
    total->unmade += out->unmade;
    total->invalid += out->invalid;
}

/// So many models, each from the next seed of the stream.
static inline void try_models(const char *test, uint32_t count)
{
    support_random random = support_random_begin(test);
    outcome total = {0};
    invention *in = calloc(1, sizeof *in);
    assert_non_null(in);
    for (uint32_t k = 0; k < count; k++) {
        invent(in, support_random_bits(&random));
        const outcome out = try_model(in->text);
        add_outcome(&total, &out);
    }
    free(in);
    print_message("%u of %u starts met; %u forms, %u too large, %u not valid there; difference "
                  "%.1e, imbalance %.1e, free %.1e\n",
                  total.consistent, count, total.tried, total.unmade, total.invalid,
                  total.difference, total.imbalance, total.reach);
    assert_true(total.consistent > count * 9 / 10);
    assert_true(total.unmade + total.invalid < total.tried / 10);
}
