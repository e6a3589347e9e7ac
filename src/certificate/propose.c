// SPDX-License-Identifier: Apache-2.0
// From a steady motion that was found to a statement about it: which variables are zero exactly,
// which are fixed, which equations vanish, what encloses the rest. Everything here is guessed in
// doubles; the check alone decides whether it is true.

#include "certificate/propose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ZERO 1e-9  // variables below are taken for zero
#define PIVOT 1e-7 // of the kernel
#define SAME 1e-8  // what the motion may move by in many digits, in units of 1 + |value|

enum { PRECISION = 320, GUESSES = 4, LOOSER = 12, MOST_QUARTERS = 400 };

static rh_status refused(const rh_proposing *in)
{
    return in->on.arena->status != RH_OK ? in->on.arena->status : RH_E_LIMIT;
}

bool rh__propose_give_up(rh_proposing *in, const char *why)
{
    (void)rh__text_fill(in->reason, sizeof in->reason, "%s", why);
    return false;
}

// --- values --------------------------------------------------------------------------------------

// The slot of `steady` that a variable is; UINT32_MAX: the velocity of a positional coordinate.
static uint32_t slot_of(const rh_proposing *in, uint32_t variable)
{
    const rh_reduction *reduction = in->steady->reduction;
    const uint32_t row = variable - in->on.thesis.unknown_first;
    if (row < in->draft.frame.count && in->is_whole) {
        return in->whole_slot[row];
    }
    if (row < in->draft.frame.count) {
        return in->is_exchanged[row] ? UINT32_MAX : 1 + reduction->engine.velocities.first + row;
    }
    return rh__reduction_slot(reduction, in->on.thesis.names[variable]);
}

// Multipliers as the form gives them; the field was looked at with zero ones.
static rh_status take_multipliers(rh_proposing *in)
{
    const rh_thesis *thesis = &in->on.thesis;
    const rh_field *field = &in->on.field;
    const uint32_t n = thesis->size;
    rh_balls *inertia = rh__balls_create(in->on.arena, n * n);
    rh_balls *right = rh__balls_create(in->on.arena, n);
    rh_balls *solved = rh__balls_create(in->on.arena, n);
    const bool ok = inertia != NULL && right != NULL && solved != NULL;
    for (uint32_t k = 0; ok && k < n * n; k++) {
        rh__balls_copy(inertia, k, field->values, field->inertia_first + k);
    }
    for (uint32_t k = 0; ok && k < n; k++) {
        const uint32_t row = k < thesis->unknown_count
                                 ? thesis->unknown_first + k
                                 : thesis->state_count + k - thesis->unknown_count;
        rh__balls_copy(right, k, field->values, row);
    }
    if (ok && rh__balls_solve(n, inertia, 1, right, RH_BALLS_PRECISION, solved)) {
        for (uint32_t k = thesis->state_count; k < thesis->count; k++) {
            in->values[k] =
                rh__balls_middle(solved, thesis->unknown_count + k - thesis->state_count);
            rh__balls_set_double(in->on.anchor.box, k, in->values[k]);
        }
        rh__field_look(&in->on.field, in->on.anchor.box, RH_BALLS_PRECISION);
    }
    rh__balls_destroy(inertia);
    rh__balls_destroy(right);
    rh__balls_destroy(solved);
    return ok ? RH_OK : refused(in);
}

static rh_status take_values(rh_proposing *in)
{
    const rh_thesis *thesis = &in->on.thesis;
    const size_t n = (size_t)thesis->count + 1;
    in->values = rh__arena_array(in->on.arena, double, n);
    in->wanted = rh__arena_array(in->on.arena, const rh_steady_value *, n);
    in->is_zero = rh__arena_array(in->on.arena, bool, n);
    in->is_fixed = rh__arena_array(in->on.arena, bool, n);
    in->kernel = rh__arena_array(in->on.arena, double, n *n);
    if (in->values == NULL || in->wanted == NULL || in->is_zero == NULL || in->is_fixed == NULL ||
        in->kernel == NULL) {
        return refused(in);
    }
    for (uint32_t k = 0; k < thesis->count; k++) {
        const uint32_t slot = slot_of(in, k);
        const uint32_t row = k - thesis->unknown_first;
        in->values[k] = slot != UINT32_MAX                            ? in->found->values[slot]
                        : in->is_whole && row < in->draft.frame.count ? in->whole[row]
                                                                      : 0.0;
        for (size_t j = 0; slot != UINT32_MAX && j < in->call->fix_count; j++) {
            if (strcmp(in->call->fix[j].name, in->steady->reduction->names[slot]) == 0) {
                in->wanted[k] = &in->call->fix[j];
                in->values[k] = in->call->fix[j].value;
            }
        }
        rh__balls_set_double(in->on.anchor.box, k, in->values[k]);
    }
    rh__field_look(&in->on.field, in->on.anchor.box, RH_BALLS_PRECISION);
    return thesis->size > thesis->unknown_count ? take_multipliers(in) : RH_OK;
}

// --- the kernel ----------------------------------------------------------------------------------

double rh__propose_slope(const rh_proposing *in, uint32_t row, uint32_t variable)
{
    const double slope =
        rh__balls_middle(in->on.field.values, rh__field_slope(&in->on.field, row, variable));
    return isfinite(slope) ? slope : 0.0;
}

// Directions along the family: the kernel of the slopes of all equations that do not vanish, rows
// in units of their own, across what is zero.
static rh_status find_kernel(rh_proposing *in)
{
    const rh_thesis *thesis = &in->on.thesis;
    const uint32_t n = thesis->count;
    const uint32_t rows = thesis->demand_first + n;
    double *a = rh__arena_array(in->on.arena, double, (size_t)rows *n + 1);
    if (a == NULL) {
        return refused(in);
    }
    for (uint32_t i = 0; i < thesis->demand_first; i++) {
        double size = 0.0;
        for (uint32_t j = 0; j < n && !in->on.is_vanishing[i]; j++) {
            size = fmax(size, fabs(rh__propose_slope(in, i, j)));
        }
        for (uint32_t j = 0; j < n; j++) {
            a[i + (size_t)j * rows] = size > 0.0 ? rh__propose_slope(in, i, j) / size : 0.0;
        }
    }
    for (uint32_t j = 0; j < n; j++) {
        a[thesis->demand_first + j + (size_t)j * rows] = in->is_zero[j] ? 1.0 : 0.0;
    }
    rh_svd svd;
    RH_TRY(rh__svd_create(in->on.arena, rows, n, a, &svd));
    const uint32_t k = in->draft.dimension;
    for (uint32_t j = 0; k <= n && j < k; j++) {
        memcpy(in->kernel + (size_t)j * n, svd.v + (size_t)(n - k + j) * n, n * sizeof *a);
    }
    return RH_OK;
}

static double share_of(const rh_proposing *in, uint32_t variable)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < in->draft.dimension; j++) {
        sum = hypot(sum, in->kernel[variable + (size_t)j * in->on.thesis.count]);
    }
    return sum;
}

// --- what is exact -------------------------------------------------------------------------------

// Quarters of a turn that a positional coordinate is; 0: zero, or none.
static int quarters_of(const rh_proposing *in, uint32_t variable)
{
    const double quarters = in->values[variable] / asin(1.0);
    const bool is_there = variable < in->on.thesis.positional_count &&
                          fabs(quarters) < MOST_QUARTERS && fabs(quarters - round(quarters)) < ZERO;
    return is_there ? (int)round(quarters) : 0;
}

static const char *turn_text(rh_arena *arena, int quarters)
{
    const char *sign = quarters < 0 ? "-" : "";
    const int count = quarters % 2 == 0 ? abs(quarters) / 2 : abs(quarters);
    const char *half = quarters % 2 == 0 ? "" : "/2";
    return count == 1 ? rh__text_print(arena, "%spi%s", sign, half)
                      : rh__text_print(arena, "%s%d*pi%s", sign, count, half);
}

static bool is_exact(const rh_proposing *in, uint32_t variable)
{
    return fabs(in->values[variable]) < ZERO || quarters_of(in, variable) != 0;
}

// Guess 0: all variables that are exact and stay so along the family; 1: those of them that
// constraints do not give; 2: quasi-velocities among them; 3: none.
static void choose_zeros(rh_proposing *in, uint32_t guess)
{
    const rh_thesis *thesis = &in->on.thesis;
    const bool *follows = in->on.dependent;
    for (uint32_t v = 0; v < thesis->count; v++) {
        const bool is_velocity = v - thesis->unknown_first < in->draft.frame.count;
        const bool is_asked = guess == 0   ? true
                              : guess == 1 ? !follows[v]
                              : guess == 2 ? is_velocity
                                           : false;
        in->is_zero[v] = is_asked && !in->is_fixed[v] && is_exact(in, v) && share_of(in, v) < PIVOT;
    }
}

static bool push_value(rh_proposing *in, uint32_t variable, bool is_zero)
{
    const rh_steady_value *wanted = in->wanted[variable];
    const int quarters = is_zero ? quarters_of(in, variable) : 0;
    const char *text = quarters != 0    ? turn_text(in->on.arena, quarters)
                       : is_zero        ? "0"
                       : wanted != NULL ? rh__propose_fix(in, wanted)
                                        : rh__propose_decimal(in->on.arena, in->values[variable]);
    const rh_pledge pledge = {.name = rh__slice_of(in->on.thesis.names[variable]),
                              .low = rh__slice_of(text)};
    rh_wording *draft = &in->draft;
    in->on.anchor.known[variable] = rh__thesis_number(&in->on.thesis, pledge.low);
    return is_zero ? rh__array_push(in->on.arena, &draft->exacts, pledge)
                   : rh__array_push(in->on.arena, &draft->fixes, pledge);
}

static bool list_known(rh_proposing *in, uint32_t demands)
{
    rh_anchor *anchor = &in->on.anchor;
    bool ok = true;
    in->draft.fixes.count = demands;
    in->draft.exacts.count = in->draft.vanishing.count = in->draft.bounds.count = 0;
    anchor->free_count = 0;
    for (uint32_t v = 0; ok && v < in->on.thesis.count; v++) {
        anchor->known[v] = RH_EXPR_NONE;
        if (in->is_fixed[v] || in->is_zero[v]) {
            ok = push_value(in, v, in->is_zero[v]);
        } else {
            anchor->free[anchor->free_count++] = v;
        }
    }
    return ok;
}

// --- which equations vanish ----------------------------------------------------------------------

bool rh__propose_vanish(rh_proposing *in, uint32_t row, const rh_vanish *why)
{
    rh_vanish vanish = *why;
    vanish.row = rh__slice_of(in->on.thesis.row_names.data[row]);
    in->on.is_vanishing[row] = true;
    return rh__array_push(in->on.arena, &in->draft.vanishing, vanish);
}

static bool push_vanish(rh_proposing *in, uint32_t row, rh_vanish_reason reason)
{
    return rh__propose_vanish(in, row, &(rh_vanish){.reason = reason});
}

static bool is_in_integral(const rh_proposing *in, uint32_t row)
{
    bool is_there = false;
    for (uint32_t k = 0; k < in->draft.vanishing.count; k++) {
        const rh_vanish *it = &in->draft.vanishing.data[k];
        for (uint32_t j = 0; j < it->sum.count; j++) {
            is_there = is_there || rh__thesis_row(&in->on.thesis, it->sum.data[j].row) == row;
        }
    }
    return is_there;
}

// One equation too many: the balance of power may give it.
static rh_status try_power(rh_proposing *in)
{
    const rh_thesis *thesis = &in->on.thesis;
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < in->draft.frame.count; k++) {
        const uint32_t row = thesis->unknown_first + k;
        if (!in->on.is_vanishing[row] && !is_in_integral(in, row) && fabs(in->values[row]) > ZERO &&
            (best == UINT32_MAX || fabs(in->values[row]) > fabs(in->values[best]))) {
            best = row;
        }
    }
    bool is_zero = false;
    const rh_expr power = rh__verify_power(&in->on);
    RH_TRY(rh__verify_each(&in->on, &power, 1, &is_zero));
    const bool ok = !is_zero || best == UINT32_MAX || push_vanish(in, best, RH_VANISH_POWER);
    return ok ? RH_OK : refused(in);
}

static uint32_t count_left(const rh_proposing *in)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < in->on.thesis.rows.count; k++) {
        count += !in->on.is_vanishing[k];
    }
    return count;
}

static rh_status find_vanishing(rh_proposing *in)
{
    const rh_thesis *thesis = &in->on.thesis;
    const uint32_t rows = thesis->demand_first;
    rh_expr *list = rh__arena_array(in->on.arena, rh_expr, (size_t)rows + 1);
    bool *is_zero = rh__arena_array(in->on.arena, bool, (size_t)rows + 1);
    if (list == NULL || is_zero == NULL) {
        return refused(in);
    }
    for (uint32_t k = 0; k < rows; k++) {
        list[k] = rh__verify_put(&in->on, in->on.plain[k]);
    }
    RH_TRY(rh__verify_each(&in->on, list, rows, is_zero));
    for (uint32_t k = 0; k < rows; k++) {
        in->on.is_vanishing[k] = false;
        if (is_zero[k] && !push_vanish(in, k, RH_VANISH_SUBSTITUTION)) {
            return refused(in);
        }
    }
    RH_TRY(rh__propose_integrals(in));
    return count_left(in) == in->on.anchor.free_count + 1 ? try_power(in) : RH_OK;
}

// --- bounds --------------------------------------------------------------------------------------

static bool push_bracket(rh_proposing *in, const rh_balls *balls, uint32_t k, const char *name,
                         bool is_bound)
{
    rh_arena *arena = in->on.arena;
    rh_text low = rh__text_begin(arena, NULL);
    rh_text high = rh__text_begin(arena, NULL);
    if (!rh__balls_bracket(balls, k, RH_WORDING_DIGITS, &low, &high)) {
        return false;
    }
    const rh_pledge pledge = {.name = rh__slice_of(name),
                              .low = rh__slice_of(rh__slice_copy(arena, rh__text_slice(&low))),
                              .high = rh__slice_of(rh__slice_copy(arena, rh__text_slice(&high)))};
    return is_bound ? rh__array_push(arena, &in->draft.bounds, pledge)
                    : rh__array_push(arena, &in->draft.coefficients, pledge);
}

static bool enclose(rh_proposing *in)
{
    rh_anchor *anchor = &in->on.anchor;
    uint32_t at = 0;
    for (uint32_t k = 0; k < in->on.thesis.rows.count; k++) {
        if (!in->on.is_vanishing[k]) {
            anchor->rows[at++] = k;
        }
    }
    for (uint32_t k = 0; k < in->on.thesis.count; k++) {
        rh__balls_set_double(anchor->box, k, in->values[k]);
    }
    if (!rh__anchor_refine(anchor, PRECISION, in->on.arena)) {
        return rh__propose_give_up(in, "Newton's method does not settle in many digits");
    }
    for (uint32_t j = 0; j < anchor->free_count; j++) {
        const uint32_t v = anchor->free[j];
        if (!push_bracket(in, anchor->box, v, in->on.thesis.names[v], true)) {
            return rh__propose_give_up(in, "a variable is too large to be enclosed");
        }
    }
    return true;
}

// Many digits may lead elsewhere: what is proved there was not found here. Else the middle of the
// bounds is what is told.
static bool is_same(rh_proposing *in)
{
    const rh_reduction *reduction = in->steady->reduction;
    rh_certificate *out = in->on.out;
    const uint32_t count = reduction->y_count;
    out->values = rh__arena_array(&out->arena, double, (size_t)count + 1);
    out->value_count = out->values != NULL ? count : 0;
    for (uint32_t k = 0; k < out->value_count; k++) {
        out->values[k] = (double)NAN;
    }
    for (uint32_t v = 0; v < in->on.thesis.count; v++) {
        const uint32_t slot = slot_of(in, v);
        const double was = slot != UINT32_MAX ? in->found->values[slot] : 0.0;
        const bool is_free = !in->is_zero[v] && !in->is_fixed[v];
        const double now = in->is_zero[v] ? quarters_of(in, v) * asin(1.0)
                           : is_free      ? rh__balls_middle(in->on.anchor.box, v)
                                          : in->values[v];
        if (slot != UINT32_MAX && !(fabs(now - was) <= SAME * (1.0 + fabs(was)))) {
            (void)rh__text_fill(in->reason, sizeof in->reason,
                                "many digits lead to another motion, with %.80s = %.17g instead of "
                                "%.17g: what was found is known to too few digits, or several lie "
                                "close together",
                                in->on.thesis.names[v], now, was);
            return false;
        }
        for (uint32_t k = 0; slot != UINT32_MAX && k < out->value_count; k++) {
            out->values[k] = reduction->place[k] == slot ? now : out->values[k];
        }
    }
    return true;
}

// The coefficients that remain, as narrow as the bits allow, and the verdict that they prove.
static rh_status describe(rh_proposing *in, bool *out)
{
    bool is_found = false;
    rh_verifying *on = &in->on;
    *out = false;
    memset(on->dependent, 0, on->thesis.count * sizeof *on->dependent);
    RH_TRY(rh__portrait_choose(&on->anchor, on->arena, on->dependent, &is_found));
    bool is_regular = false;
    for (uint32_t precision = PRECISION;
         is_found && !*out && precision <= rh__verify_precision(on) && rh__verify_goes_on(on);
         precision *= 2) {
        rh_portrait portrait;
        in->draft.coefficients.count = 0;
        (void)rh__anchor_refine(&on->anchor, precision, on->arena);
        RH_TRY(rh__portrait_draw(&on->anchor, on->dependent, precision, on->arena, &portrait));
        is_regular = portrait.is_regular && portrait.size >= in->draft.dimension;
        const char *verdict = is_regular ? rh__verify_decide(on, &portrait, precision) : NULL;
        *out = verdict != NULL;
        in->draft.verdict = rh__slice_of(verdict != NULL ? verdict : "");
        for (uint32_t k = in->draft.dimension; *out && k < portrait.size; k++) {
            const char *name = rh__text_print(on->arena, "%u", k - in->draft.dimension);
            *out = push_bracket(in, portrait.polynomial, k, name, false);
        }
        rh__portrait_destroy(&portrait);
    }
    if (!*out) {
        (void)rh__propose_give_up(
            in, is_regular ? "the roots cannot be told from the imaginary axis"
                           : "the inertia or the constraints may be singular there, or the "
                             "equations switch");
    }
    return RH_OK;
}

// --- one attempt ---------------------------------------------------------------------------------

// One choice of what is zero: it serves when as many equations are left as unknowns, and these are
// independent.
static rh_status try_zeros(rh_proposing *in, uint32_t demands, bool *is_square, bool *out)
{
    if (!list_known(in, demands)) {
        return refused(in);
    }
    RH_TRY(find_vanishing(in));
    const bool fits = count_left(in) == in->on.anchor.free_count;
    *is_square = *is_square || fits;
    *out = fits && enclose(in);
    return RH_OK;
}

// The dimension as it was found: guess which variables are zero, until there are as many equations
// as unknowns.
static rh_status guess_family(rh_proposing *in, uint32_t demands, bool *out)
{
    bool is_regular = false;
    bool is_square = false;
    RH_TRY(find_kernel(in));
    RH_TRY(rh__portrait_choose(&in->on.anchor, in->on.arena, in->on.dependent, &is_regular));
    if (!rh__propose_fixed(in)) {
        return in->on.arena->status;
    }
    for (uint32_t guess = 0; guess < GUESSES && !*out; guess++) {
        choose_zeros(in, guess);
        bool is_new = true;
        for (uint32_t k = 0; is_new && k < LOOSER && !*out; k++) {
            RH_TRY(try_zeros(in, demands, &is_square, out));
            RH_TRY(*out ? RH_OK : rh__propose_loosen(in, &is_new));
        }
    }
    if (!is_square) {
        (void)rh__text_fill(
            in->reason, sizeof in->reason,
            "%u equations for %u unknowns are left beside what was proved to vanish: no "
            "exact identity was found that gives the others",
            count_left(in), in->on.anchor.free_count);
    }
    return RH_OK;
}

// Quasi-velocities that are velocities of positional coordinates, up to a factor: zero on every
// steady motion.
static void choose_velocities(rh_proposing *in)
{
    const rh_thesis *thesis = &in->on.thesis;
    for (uint32_t v = 0; v < thesis->count; v++) {
        in->is_zero[v] = in->is_fixed[v] = false;
    }
    for (uint32_t i = 0; i < thesis->positional_count; i++) {
        uint32_t at = UINT32_MAX;
        uint32_t count = 0;
        for (uint32_t v = 0; v < thesis->count; v++) {
            const uint32_t slope = rh__field_slope(&in->on.field, i, v);
            if (!rh__balls_is_zero(in->on.field.values, slope)) {
                at = v;
                count++;
            }
        }
        if (count == 1 && fabs(in->values[at]) < ZERO) {
            in->is_zero[at] = true;
        }
    }
}

// Near a change of stability numbers do not tell the dimension; the equations that vanish do.
static rh_status count_family(rh_proposing *in, uint32_t demands, bool *out)
{
    const rh_thesis *thesis = &in->on.thesis;
    choose_velocities(in);
    if (!list_known(in, demands)) {
        return refused(in);
    }
    RH_TRY(find_vanishing(in));
    const uint32_t left = count_left(in) - (thesis->rows.count - thesis->demand_first);
    if (left > in->on.anchor.free_count) {
        (void)rh__propose_give_up(
            in, "the steady motions near it form no family that exact algebra shows");
        return RH_OK;
    }
    in->draft.dimension = in->on.anchor.free_count - left;
    RH_TRY(find_kernel(in));
    if (!rh__propose_fixed(in)) {
        return in->on.arena->status;
    }
    const uint32_t vanishing = in->draft.vanishing.count;
    const bool is_listed = list_known(in, demands);
    in->draft.vanishing.count = vanishing;
    *out = is_listed && enclose(in);
    return is_listed ? RH_OK : refused(in);
}

static rh_status complete(rh_proposing *in, bool *out)
{
    const uint32_t demands = in->draft.fixes.count;
    bool is_ready = false;
    *out = false;
    rh_expr_list duties = {0};
    RH_TRY(take_values(in));
    RH_TRY(rh__verify_free(&in->on, &duties));
    RH_TRY(in->counts ? count_family(in, demands, &is_ready)
                      : guess_family(in, demands, &is_ready));
    return is_ready && is_same(in) ? describe(in, out) : RH_OK;
}

static rh_status try_frame(rh_proposing *in, bool *out, rh_error *err)
{
    rh_verifying *on = &in->on;
    *out = false;
    RH_TRY(rh__propose_frame(in));
    const rh_status status = rh__thesis_create(&in->draft, on->def, &on->thesis, err);
    if (status == RH_E_UNAVAILABLE || status == RH_E_MODEL) {
        (void)rh__propose_give_up(in, err->message);
        on->thesis.count = 0;
        return RH_OK;
    }
    RH_TRY(status);
    RH_TRY(rh__verify_reserve(on));
    return complete(in, out);
}

static void end_frame(rh_verifying *on)
{
    rh__balls_destroy(on->anchor.box);
    rh__field_destroy(&on->field);
    if (on->thesis.model != NULL) {
        rh__thesis_destroy(&on->thesis);
    }
    on->anchor = (rh_anchor){.free_count = 0};
}

// --- all attempts --------------------------------------------------------------------------------

// Write it, and put it to the proof.
static rh_status check(rh_proposing *in, rh_certificate *out, rh_error *err)
{
    rh_text text = rh__text_begin(&out->arena, NULL);
    rh__wording_write(&in->draft, &text);
    const char *copy = rh__slice_copy(&out->arena, rh__text_slice(&text));
    if (copy == NULL) {
        return out->arena.status;
    }
    out->claims.count = 0;
    RH_TRY(rh__verify_text(rh__slice_of(copy), in->on.def, out, err));
    if (out->holds) {
        out->text = copy;
    } else {
        (void)rh__propose_give_up(in, out->reason);
    }
    return RH_OK;
}

static bool is_clear(rh_steady_verdict verdict)
{
    return verdict == RH_STEADY_ASYMPTOTICALLY_STABLE || verdict == RH_STEADY_STABLE ||
           verdict == RH_STEADY_UNSTABLE;
}

// Something else to try after an attempt that failed: other pivots; velocities of positional
// coordinates; values of variables instead of what was demanded; constraints kept instead of
// solved, or the other way round. False: nothing is left.
static bool change(rh_proposing *in)
{
    const bool is_made = in->on.thesis.model != NULL;
    if (is_made && !in->starts_near && in->on.thesis.form.pivots.count > 0) {
        in->starts_near = true;
        return true;
    }
    if (is_made && !in->is_whole && !in->has_exchanged) {
        in->has_exchanged = true;
        if (rh__propose_exchange(in)) {
            return true;
        }
    }
    if (is_made && in->on.thesis.rows.count > in->on.thesis.demand_first) {
        in->drops_demands = true;
        return true;
    }
    if (in->has_switched || in->steady->equations->links.count == 0) {
        return false;
    }
    in->has_switched = true;
    in->is_whole = !in->is_whole;
    in->drops_demands = in->starts_near = false;
    (void)rh__text_fill(in->first_reason, sizeof in->first_reason, "%s", in->reason);
    return true;
}

static rh_status propose(rh_proposing *in, rh_certificate *out, rh_error *err)
{
    const uint32_t rows = in->steady->reduction->frame.count;
    in->is_exchanged = rh__arena_array(in->on.arena, bool, (size_t)rows + 1);
    in->velocity = rh__arena_array(in->on.arena, const char *, (size_t)rows + 1);
    if (in->is_exchanged == NULL || in->velocity == NULL) {
        return refused(in);
    }
    rh_status status = RH_OK;
    bool goes_on = true;
    // where numbers do not tell what it is, exact algebra shall
    in->counts = !is_clear(in->found->judgement.verdict);
    // equations that have no short closed form are better left with their multipliers
    in->is_whole =
        !in->steady->reduction->conditions[0].is_asked && in->steady->equations->links.count > 0;
    while (goes_on && status == RH_OK) {
        bool is_written = false;
        status = try_frame(in, &is_written, err);
        if (status == RH_OK && is_written) {
            status = check(in, out, err);
        }
        goes_on = status == RH_OK && !out->holds && rh__verify_goes_on(&in->on) && change(in);
        end_frame(&in->on);
    }
    return status;
}

rh_status rh_certificate_create(const rh_steady *steady, size_t index, const rh_steady_def *call,
                                const rh_model_def *model, const rh_certificate_def *def,
                                rh_certificate **out, rh_error *err)
{
    RH_REQUIRE(steady != NULL && call != NULL && model != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && def->precision >= 64, err);
    RH_REQUIRE(index < steady->found.count, err);
    rh_arena scratch = rh__arena_begin(def->allocator, def->memory_limit);
    rh_error reason = {.message = ""};
    RH_TRY(rh__certificate_begin(def, out, err));
    rh_proposing in = {
        .steady = steady, .found = &steady->found.data[index], .call = call, .model = model};
    in.on = (rh_verifying){.def = def, .out = *out, .arena = &scratch, .statement = &in.draft};
    const rh_status status = propose(&in, *out, &reason);
    if (status == RH_OK && !(*out)->holds) {
        (void)rh__text_fill((*out)->reason, sizeof(*out)->reason, "%s",
                            in.first_reason[0] != '\0' ? in.first_reason : in.reason);
    }
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        rh_certificate_destroy(*out);
        *out = NULL;
        return rh__error_fill(err, status, "%s",
                              reason.message[0] != '\0' ? reason.message : rh_status_text(status));
    }
    return RH_OK;
}
