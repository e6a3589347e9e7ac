// SPDX-License-Identifier: Apache-2.0
// A certificate put to the proof, claim by claim. Each claim rests on those before it; the first
// that is not proved ends the check. Nothing of the text is believed: it only says what is to be
// proved, and where.

#include "certificate/verify.h"

#include <string.h>

enum { FIRST_PRECISION = 192 };

// --- claims --------------------------------------------------------------------------------------

void rh__verify_say(rh_certificate *out, rh_verify_claim kind, rh_certificate_state state,
                    const char *format, ...)
{
    char detail[512];
    va_list arguments;
    va_start(arguments, format);
    (void)rh__text_fill_list(detail, sizeof detail, format, arguments);
    va_end(arguments);
    out->claims.data[kind].state = state;
    out->claims.data[kind].detail = rh__text_print(&out->arena, "%s", detail);
}

static const char *join(rh_arena *arena, const rh_slice *names, uint32_t count)
{
    rh_text text = rh__text_begin(arena, NULL);
    for (uint32_t k = 0; k < count; k++) {
        rh__text_put(&text, k == 0 ? "" : ", ");
        rh__text_put_slice(&text, names[k]);
    }
    return count == 0 ? "nothing"
                      : rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

static const char *title(rh_verifying *in, rh_verify_claim kind)
{
    const rh_wording *it = in->statement;
    rh_arena *arena = &in->out->arena;
    switch (kind) {
    case RH_VERIFY_SEAL:
        return "the text is as it was written";
    case RH_VERIFY_EQUATIONS:
        return rh__text_print(arena, "the model has reduced equations in %s; positional: %s",
                              join(in->arena, it->frame.data, it->frame.count),
                              join(in->arena, it->positional.data, it->positional.count));
    case RH_VERIFY_CYCLIC:
        return "no rate depends on the other coordinates, and all constraints hold";
    case RH_VERIFY_VANISH:
        return rh__text_print(arena, "%u rates vanish identically on the family",
                              it->vanishing.count);
    case RH_VERIFY_ENCLOSED:
        return "the other equations have exactly one solution within the bounds";
    case RH_VERIFY_FAMILY:
        return rh__text_print(
            arena, "the steady motions near it are a smooth family of dimension %u", it->dimension);
    case RH_VERIFY_POLYNOMIAL:
        return rh__text_print(arena,
                              "beside %u zero roots the linear part has the roots of the stated "
                              "polynomial, of degree %u",
                              it->dimension, it->coefficients.count);
    case RH_VERIFY_VERDICT:
        return rh__text_print(arena, "the steady motion is %.*s", RH_SLICE_FORMAT(it->verdict));
    case RH_VERIFY_COUNT:
        break;
    }
    return "";
}

static bool list_claims(rh_verifying *in)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < RH_VERIFY_COUNT; k++) {
        const rh_certificate_record record = {RH_CERTIFICATE_SKIPPED, title(in, (rh_verify_claim)k),
                                              ""};
        ok = rh__array_push(&in->out->arena, &in->out->claims, record);
    }
    return ok;
}

bool rh__verify_goes_on(rh_verifying *in)
{
    const rh_certificate_def *def = in->def;
    in->is_broken_off =
        in->is_broken_off || (def->goes_on != NULL && !def->goes_on(def->goes_on_user));
    return !in->is_broken_off;
}

// --- variables -----------------------------------------------------------------------------------

// An enclosure has the width that its digits give: two units of the last of them.
static bool has_stated_width(rh_verifying *in, const rh_pledge *pledge, rh_expr low, rh_expr high)
{
    int64_t before = 0;
    const rh_slice ends[] = {pledge->low, pledge->high};
    for (uint32_t k = 0; k < 2; k++) {
        int64_t digits = 0;
        bool is_leading = true;
        for (size_t j = 0; j < ends[k].size && ends[k].data[j] != '.'; j++) {
            is_leading = is_leading && (ends[k].data[j] == '-' || ends[k].data[j] == '0');
            digits += !is_leading;
        }
        before = digits > before ? digits : before;
    }
    const char *text = rh__text_print(in->arena, "2e%lld", (long long)(before - RH_WORDING_DIGITS));
    const rh_expr width = rh__expr_literal(in->thesis.store, rh__slice_of(text));
    const rh_expr gap = rh__expr_subtract(in->thesis.store, high, low);
    return width.i != 0 && gap.i == width.i;
}

typedef struct placing {
    char *reason;
    size_t size;
} placing;

static bool refuse(const placing *on, const char *what, rh_slice name)
{
    (void)rh__text_fill(on->reason, on->size, "%s: %.*s", what,
                        (int)(name.size < 100 ? name.size : 100), name.data);
    return false;
}

static bool place_values(rh_verifying *in, const rh_pledge *list, uint32_t count, bool is_fix,
                         const placing *on)
{
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t at = rh__thesis_variable(&in->thesis, list[k].name);
        if (at == UINT32_MAX && is_fix) {
            continue; // a row
        }
        if (at == UINT32_MAX || in->anchor.known[at].i != 0) {
            return refuse(on, "this is no variable, or has a value already", list[k].name);
        }
        in->anchor.known[at] = rh__thesis_number(&in->thesis, list[k].low);
        if (in->anchor.known[at].i == 0) {
            return refuse(on, "this number is too long", list[k].name);
        }
    }
    return true;
}

static bool place_bounds(rh_verifying *in, const placing *on)
{
    for (uint32_t k = 0; k < in->statement->bounds.count; k++) {
        const rh_pledge *bound = &in->statement->bounds.data[k];
        const uint32_t at = rh__thesis_variable(&in->thesis, bound->name);
        if (at == UINT32_MAX || in->anchor.known[at].i != 0 || in->anchor.low[at].i != 0) {
            return refuse(on, "this is no variable, or has a value already", bound->name);
        }
        in->anchor.low[at] = rh__thesis_number(&in->thesis, bound->low);
        in->anchor.high[at] = rh__thesis_number(&in->thesis, bound->high);
        if (in->anchor.low[at].i == 0 ||
            !has_stated_width(in, bound, in->anchor.low[at], in->anchor.high[at])) {
            return refuse(on, "the enclosure has not the width that belongs to its digits",
                          bound->name);
        }
    }
    return true;
}

bool rh__verify_place(rh_verifying *in, char *reason, size_t size)
{
    const rh_wording *statement = in->statement;
    rh_anchor *anchor = &in->anchor;
    const placing on = {reason, size};
    if (!place_values(in, statement->fixes.data, statement->fixes.count, true, &on) ||
        !place_values(in, statement->exacts.data, statement->exacts.count, false, &on) ||
        !place_bounds(in, &on)) {
        return false;
    }
    anchor->free_count = 0;
    for (uint32_t k = 0; k < in->thesis.count; k++) {
        if (anchor->known[k].i == 0) {
            anchor->free[anchor->free_count++] = k;
        }
        if (anchor->known[k].i == 0 && anchor->low[k].i == 0) {
            return refuse(&on, "nothing is said of this variable",
                          rh__slice_of(in->thesis.names[k]));
        }
    }
    return true;
}

// --- the steady motion ---------------------------------------------------------------------------

static bool count_rows(rh_verifying *in)
{
    rh_anchor *anchor = &in->anchor;
    uint32_t count = 0;
    for (uint32_t k = 0; k < in->thesis.rows.count; k++) {
        if (!in->is_vanishing[k]) {
            if (count < anchor->free_count) {
                anchor->rows[count] = k;
            }
            count++;
        }
    }
    if (count != anchor->free_count) {
        rh__verify_say(in->out, RH_VERIFY_ENCLOSED, RH_CERTIFICATE_FAILED,
                       "%u equations are left for %u variables that are enclosed", count,
                       anchor->free_count);
    }
    return count == anchor->free_count;
}

// Is the box, as narrow as it is, within what is stated? -1 no, 0 not decided, 1 yes.
static int compare(rh_verifying *in, const rh_balls *balls, uint32_t k, rh_expr low, rh_expr high,
                   uint32_t precision)
{
    rh_balls *ends = rh__balls_create(in->arena, 2);
    int side = 0;
    if (ends != NULL) {
        rh__balls_set_number(ends, 0, in->thesis.store, low, precision, in->arena);
        rh__balls_set_number(ends, 1, in->thesis.store, high, precision, in->arena);
        rh__balls_combine(ends, 0, RH_BALL_SUBTRACT, balls, k, ends, 0, precision);
        rh__balls_combine(ends, 1, RH_BALL_SUBTRACT, ends, 1, balls, k, precision);
        const bool is_out = rh__balls_is_negative(ends, 0) || rh__balls_is_negative(ends, 1);
        const bool is_in = rh__balls_is_positive(ends, 0) && rh__balls_is_positive(ends, 1);
        side = is_out ? -1 : is_in ? 1 : 0;
    }
    rh__balls_destroy(ends);
    return side;
}

static int compare_box(rh_verifying *in, uint32_t precision)
{
    int worst = 1;
    for (uint32_t j = 0; j < in->anchor.free_count; j++) {
        const uint32_t at = in->anchor.free[j];
        const int side =
            compare(in, in->anchor.box, at, in->anchor.low[at], in->anchor.high[at], precision);
        worst = side < worst ? side : worst;
    }
    return worst;
}

// The row that the balance of power gives: its quasi-velocity must not be zero.
static bool power_decides(const rh_verifying *in)
{
    for (uint32_t k = 0; k < in->statement->vanishing.count; k++) {
        const rh_vanish *it = &in->statement->vanishing.data[k];
        if (it->reason == RH_VANISH_POWER &&
            !rh__balls_is_nonzero(in->anchor.box, rh__thesis_row(&in->thesis, it->row))) {
            return false;
        }
    }
    return true;
}

static bool prove_enclosed(rh_verifying *in)
{
    char reason[256];
    if (!rh__verify_place(in, reason, sizeof reason)) {
        rh__verify_say(in->out, RH_VERIFY_ENCLOSED, RH_CERTIFICATE_FAILED, "%s", reason);
        return false;
    }
    return true;
}

uint32_t rh__verify_precision(const rh_verifying *in)
{
    const double n = in->thesis.state_count;
    uint32_t most = in->def->precision;
    while (most > FIRST_PRECISION && n * n * n * n * most > 2.5e11) {
        most /= 2;
    }
    return most;
}

static bool prove_box(rh_verifying *in)
{
    if (!count_rows(in)) {
        return false;
    }
    const uint32_t most = rh__verify_precision(in);
    for (uint32_t precision = FIRST_PRECISION; precision <= most && rh__verify_goes_on(in);
         precision *= 2) {
        rh__anchor_begin(&in->anchor, precision, in->arena);
        const bool is_proved = rh__anchor_prove(&in->anchor, precision, in->arena);
        const int side = is_proved ? compare_box(in, precision) : 0;
        if (side > 0 && power_decides(in)) {
            in->out->precision = precision;
            rh__verify_say(in->out, RH_VERIFY_ENCLOSED, RH_CERTIFICATE_PROVED,
                           "%u equations by Krawczyk's operator with %u bits",
                           in->anchor.free_count, precision);
            return true;
        }
        if (side < 0) {
            break; // it lies elsewhere
        }
    }
    rh__verify_say(in->out, RH_VERIFY_ENCLOSED, RH_CERTIFICATE_FAILED,
                   "the bounds do not map into themselves: no solution was proved to lie within");
    return false;
}

// Does the model have a value there as it is written? What cancels or is multiplied by zero is not
// in the equations any more, and the text is what is certified.
static bool prove_defined(rh_verifying *in)
{
    const rh_field *field = &in->field;
    rh__field_look(&in->field, in->anchor.box, in->out->precision);
    for (uint32_t k = field->written_first; k < field->total; k++) {
        if (!rh__balls_is_finite(field->values, k)) {
            const rh_expr e = in->thesis.written.data[k - field->written_first];
            rh_show *show = rh__show_create(in->thesis.store, in->arena, RH_NOTATION_TEXT, &e, 1);
            rh_text shown = rh__text_begin(in->arena, NULL);
            if (show != NULL) {
                rh__show_expr(show, e, &shown);
            }
            const rh_slice text = rh__text_slice(&shown);
            rh__verify_say(in->out, RH_VERIFY_ENCLOSED, RH_CERTIFICATE_FAILED,
                           "the model as it is written was not proved to have a value there: %.*s",
                           text.size < 120 ? (int)text.size : 120, text.data);
            return false;
        }
    }
    return true;
}

// --- the linear part -----------------------------------------------------------------------------

static bool dimension_fits(rh_verifying *in)
{
    const uint32_t rows = in->thesis.rows.count - in->thesis.demand_first;
    uint32_t given = rows;
    for (uint32_t k = 0; k < in->statement->fixes.count; k++) {
        given += in->thesis.fixed_row[k] == 0;
    }
    if (given != in->statement->dimension) {
        rh__verify_say(in->out, RH_VERIFY_FAMILY, RH_CERTIFICATE_FAILED,
                       "%u quantities are free to be fixed, so the dimension is %u and not %u",
                       given, given, in->statement->dimension);
    }
    return given == in->statement->dimension;
}

// -1: a coefficient is elsewhere, 0: not decided, 1: all are as stated.
static int compare_polynomial(rh_verifying *in, const rh_portrait *portrait, uint32_t precision)
{
    int worst = 1;
    for (uint32_t k = 0; k < in->statement->coefficients.count; k++) {
        const rh_pledge *it = &in->statement->coefficients.data[k];
        const rh_expr low = rh__thesis_number(&in->thesis, it->low);
        const rh_expr high = rh__thesis_number(&in->thesis, it->high);
        if (low.i == 0 || high.i == 0 || !has_stated_width(in, it, low, high)) {
            return -1;
        }
        const int side =
            compare(in, portrait->polynomial, in->statement->dimension + k, low, high, precision);
        worst = side < worst ? side : worst;
    }
    return worst;
}

static bool keep_roots(rh_verifying *in, uint32_t n, const rh_balls *re, const rh_balls *im)
{
    in->out->roots.count = 0;
    for (uint32_t k = 0; k < n; k++) {
        const rh_interval real = rh__balls_interval(re, k);
        const rh_interval imaginary = rh__balls_interval(im, k);
        const rh_certificate_root root = {real.lo, real.hi, imaginary.lo, imaginary.hi};
        if (!rh__array_push(&in->out->arena, &in->out->roots, root)) {
            return false;
        }
        uint32_t at = k;
        for (; at > 0 && in->out->roots.data[at - 1].real_high < root.real_high; at--) {
            in->out->roots.data[at] = in->out->roots.data[at - 1];
        }
        in->out->roots.data[at] = root;
    }
    return true;
}

const char *rh__verify_decide(rh_verifying *in, const rh_portrait *portrait, uint32_t precision)
{
    const uint32_t k = in->statement->dimension;
    const uint32_t n = portrait->size - k;
    rh_balls *rest = rh__balls_create(in->arena, n + 1);
    rh_balls *re = rh__balls_create(in->arena, n);
    rh_balls *im = rh__balls_create(in->arena, n);
    bool is_left = false;
    bool is_right = false;
    if (rest != NULL && re != NULL && im != NULL) {
        for (uint32_t j = 0; j <= n; j++) {
            rh__balls_copy(rest, j, portrait->polynomial, k + j);
        }
        is_left = n > 0 && rh__balls_is_hurwitz(n, rest, precision, in->arena);
        if (n > 0 && rh__balls_roots(n, rest, precision, re, im)) {
            (void)keep_roots(in, n, re, im);
            for (uint32_t j = 0; j < n; j++) {
                is_right = is_right || rh__balls_is_positive(re, j);
            }
        }
    }
    rh__balls_destroy(rest);
    rh__balls_destroy(re);
    rh__balls_destroy(im);
    return is_left ? "asymptotically stable" : is_right ? "unstable" : n == 0 ? "stable" : NULL;
}

// 1: proved; 0: not decided; -1: another verdict is.
static int compare_verdict(rh_verifying *in, const rh_portrait *portrait, uint32_t precision)
{
    const char *verdict = rh__verify_decide(in, portrait, precision);
    return verdict == NULL ? 0 : rh__slice_is(in->statement->verdict, verdict) ? 1 : -1;
}

static void say_verdict(rh_verifying *in, int side, uint32_t precision)
{
    const uint32_t n = in->statement->coefficients.count;
    const char *how =
        "no definite verdict is stated, or it was not proved up to the last precision";
    if (side > 0) {
        how = rh__slice_is(in->statement->verdict, "unstable")
                  ? "a root of the polynomial lies right of the imaginary axis"
              : n == 0 ? "every state near it is steady"
                       : "all roots of the polynomial lie left of the imaginary axis";
    } else if (side < 0) {
        how = "the roots of the polynomial say otherwise";
    }
    rh__verify_say(in->out, RH_VERIFY_VERDICT,
                   side > 0 ? RH_CERTIFICATE_PROVED : RH_CERTIFICATE_FAILED, "%s (%u bits)", how,
                   precision);
}

typedef struct seeing {
    int family, polynomial, verdict; // 1 proved, 0 not decided, -1 not so
    bool is_regular;
} seeing;

static rh_status see(rh_verifying *in, uint32_t precision, seeing *out)
{
    rh_portrait portrait;
    RH_TRY(rh__portrait_draw(&in->anchor, in->dependent, precision, in->arena, &portrait));
    const uint32_t k = in->statement->dimension;
    *out = (seeing){.is_regular = portrait.is_regular};
    if (portrait.is_regular && k <= portrait.size &&
        portrait.size - k == in->statement->coefficients.count) {
        // the lowest k coefficients are zero exactly: the family lies in the kernel
        out->family = k == portrait.size || rh__balls_is_nonzero(portrait.polynomial, k);
        out->polynomial = compare_polynomial(in, &portrait, precision);
        out->verdict = compare_verdict(in, &portrait, precision);
    } else if (portrait.is_regular) {
        out->polynomial = -1;
    }
    rh__portrait_destroy(&portrait);
    return RH_OK;
}

static rh_status prove_linear(rh_verifying *in)
{
    bool is_found = false;
    RH_TRY(rh__portrait_choose(&in->anchor, in->arena, in->dependent, &is_found));
    if (!dimension_fits(in)) {
        return RH_OK;
    }
    seeing at = {.family = 0};
    uint32_t precision = FIRST_PRECISION;
    for (; is_found; precision *= 2) {
        rh__anchor_narrow(&in->anchor, precision, in->arena);
        RH_TRY(see(in, precision, &at));
        const bool is_done = at.family != 0 && at.polynomial != 0 && at.verdict != 0;
        if (is_done || at.polynomial < 0 || 2 * precision > rh__verify_precision(in) ||
            !rh__verify_goes_on(in)) {
            break;
        }
    }
    in->out->precision = precision > in->out->precision ? precision : in->out->precision;
    if (!is_found || !at.is_regular) {
        rh__verify_say(in->out, RH_VERIFY_FAMILY, RH_CERTIFICATE_FAILED,
                       "the inertia, the constraints or a pivot was not proved to be regular");
        return RH_OK;
    }
    if (at.polynomial < 0) {
        rh__verify_say(in->out, RH_VERIFY_POLYNOMIAL, RH_CERTIFICATE_FAILED,
                       "a coefficient lies elsewhere, or has not the width that belongs to its "
                       "digits, or their number is wrong");
        return RH_OK;
    }
    rh__verify_say(in->out, RH_VERIFY_FAMILY,
                   at.family > 0 ? RH_CERTIFICATE_PROVED : RH_CERTIFICATE_FAILED,
                   at.family > 0 ? "%u zero roots, each with an eigenvector along the family; the "
                                   "other equations are independent"
                                 : "the zero root may have more than %u eigenvectors or powers",
                   in->statement->dimension);
    rh__verify_say(in->out, RH_VERIFY_POLYNOMIAL,
                   at.polynomial > 0 ? RH_CERTIFICATE_PROVED : RH_CERTIFICATE_FAILED,
                   at.polynomial > 0 ? "all %u coefficients lie within their bounds"
                                     : "one of %u coefficients was not proved to lie within its "
                                       "bounds",
                   in->statement->coefficients.count);
    say_verdict(in, at.verdict, precision);
    return RH_OK;
}

// --- all of it -----------------------------------------------------------------------------------

rh_status rh__verify_reserve(rh_verifying *in)
{
    const size_t n = (size_t)in->thesis.count + 1;
    rh_anchor *anchor = &in->anchor;
    RH_TRY(rh__field_create(&in->thesis, in->arena, &in->field));
    anchor->field = &in->field;
    anchor->known = rh__arena_array(in->arena, rh_expr, n);
    anchor->low = rh__arena_array(in->arena, rh_expr, n);
    anchor->high = rh__arena_array(in->arena, rh_expr, n);
    anchor->free = rh__arena_array(in->arena, uint32_t, n);
    anchor->rows = rh__arena_array(in->arena, uint32_t, n);
    anchor->box = rh__balls_create(in->arena, in->thesis.count);
    in->dependent = rh__arena_array(in->arena, bool, n);
    in->is_vanishing = rh__arena_array(in->arena, bool, (size_t)in->thesis.rows.count + 1);
    return anchor->known != NULL && anchor->low != NULL && anchor->high != NULL &&
                   anchor->free != NULL && anchor->rows != NULL && anchor->box != NULL &&
                   in->dependent != NULL && in->is_vanishing != NULL
               ? RH_OK
               : in->arena->status;
}

static rh_status prove_all(rh_verifying *in)
{
    bool is_proved = false;
    RH_TRY(rh__verify_reserve(in));
    RH_TRY(rh__verify_cyclic(in, &is_proved));
    if (!is_proved || !prove_enclosed(in)) {
        return RH_OK;
    }
    RH_TRY(rh__verify_vanishing(in, &is_proved));
    return is_proved && prove_box(in) && prove_defined(in) ? prove_linear(in) : RH_OK;
}

static rh_status check(rh_verifying *in, rh_error *err)
{
    if (!list_claims(in)) {
        return in->out->arena.status;
    }
    const bool is_whole = in->statement->is_sealed;
    rh__verify_say(
        in->out, RH_VERIFY_SEAL, is_whole ? RH_CERTIFICATE_PROVED : RH_CERTIFICATE_FAILED,
        is_whole ? "its seal is that of its bytes" : "its seal is not that of its bytes");
    const rh_status status = rh__thesis_create(in->statement, in->def, &in->thesis, err);
    if (status == RH_E_UNAVAILABLE) {
        rh__verify_say(in->out, RH_VERIFY_EQUATIONS, RH_CERTIFICATE_FAILED, "%s", err->message);
        return RH_OK;
    }
    RH_TRY(status);
    rh__verify_say(in->out, RH_VERIFY_EQUATIONS, RH_CERTIFICATE_PROVED,
                   "derived from the text: %u variables, %u equations", in->thesis.count,
                   in->thesis.rows.count);
    const rh_status proved = prove_all(in);
    rh__balls_destroy(in->anchor.box);
    rh__field_destroy(&in->field);
    rh__thesis_destroy(&in->thesis);
    RH_TRY(proved);
    return in->is_broken_off ? rh__error_fill(err, RH_E_LIMIT, "the check was broken off") : RH_OK;
}

static void conclude(rh_certificate *out, const rh_wording *statement)
{
    out->holds = true;
    for (uint32_t k = RH_VERIFY_COUNT; k-- > 0;) {
        const rh_certificate_record *it = &out->claims.data[k];
        out->holds = out->holds && it->state == RH_CERTIFICATE_PROVED;
        if (it->state == RH_CERTIFICATE_FAILED) {
            (void)rh__text_fill(out->reason, sizeof out->reason, "not proved: %s (%s)", it->claim,
                                it->detail);
        }
    }
    if (out->holds) {
        (void)rh__text_fill(
            out->reason, sizeof out->reason,
            "proved with %u bits: a steady motion lies within the bounds and is %.*s",
            out->precision, RH_SLICE_FORMAT(statement->verdict));
        out->verdict = rh__text_print(&out->arena, "%.*s", RH_SLICE_FORMAT(statement->verdict));
        out->dimension = statement->dimension;
    }
}

rh_status rh__verify_text(rh_slice text, const rh_certificate_def *def, rh_certificate *out,
                          rh_error *err)
{
    rh_arena arena = rh__arena_begin(def->allocator, def->memory_limit);
    rh_wording statement;
    rh_error reason = {.message = ""};
    rh_verifying in = {.def = def, .out = out, .arena = &arena, .statement = &statement};
    rh_status status = rh__wording_read(text, &arena, &statement, &reason);
    if (status == RH_OK) {
        status = check(&in, &reason);
    }
    if (status == RH_OK) {
        rh_text shown = rh__text_begin(&out->arena, NULL);
        rh__wording_show(&statement, &shown);
        rh__text_put_char(&shown, '\0');
        out->statement = shown.ok ? shown.data : "";
        conclude(out, &statement);
    }
    rh__arena_end(&arena);
    return status == RH_OK ? RH_OK
                           : rh__error_fill(err, status, "%s",
                                            reason.message[0] != '\0' ? reason.message
                                                                      : rh_status_text(status));
}
