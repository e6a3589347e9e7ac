// SPDX-License-Identifier: Apache-2.0
// Is an expression zero wherever it is defined? First balls at points that are exact numbers: one
// that excludes zero refutes. What holds zero at every point is read into exact algebra: first with
// parameters as letters, so that a proof is one for all their values, then with their values.
// A ball that is finite shows besides that no denominator vanishes identically: without such a
// point nothing is proved.

#include "proof/algebra.h"

#include <math.h>

enum { PLAIN_TERMS = 400 };

#define WORK UINT64_C(6000000) // steps for one expression
#define NARROW 1e-12           // a wider ball that holds zero asks for more bits, and says nothing

// --- points ----------------------------------------------------------------------------------

// Some points have short coordinates, so that a person can follow; others are as good as generic.
// Positive ones come first: more functions are defined there.
static double random_coordinate(uint32_t point, rh_expr symbol)
{
    static const struct {
        double low, high;
    } RANGES[] = {{0.125, 2}, {-2, 2}, {0.25, 0.75}, {0.125, 2}, {-1, 1}, {1, 8}, {-0.75, 0.75}};
    const uint64_t bits =
        rh__hash_mix(rh__hash_mix(UINT64_C(0x9e37) + point) ^ ((uint64_t)symbol.i << 20));
    const double low = RANGES[point % 7].low;
    const double high = RANGES[point % 7].high;
    const double grid = point <= 4 ? 0x1p6 : 0x1p40;
    const double value = low + (high - low) * (double)(bits >> 11) * 0x1p-53;
    const double rounded = floor(value * grid) / grid;
    return rounded == 0.0 ? 1.0 / grid : rounded;
}

// Every second probe goes through the values of a symbol in turn, so that all of them are seen; the
// others mix them, with random numbers among them.
static double probe_coordinate(const rh_probe *probe, uint32_t number, uint32_t point)
{
    const uint32_t count = probe->values.count;
    const uint64_t bits =
        rh__hash_mix(rh__hash_mix(UINT64_C(0x51ed) + number) ^ ((uint64_t)probe->symbol.i << 20));
    const uint32_t turn =
        number % 2 == 0 ? (number / 2) % (count + 1) : (uint32_t)(bits % ((uint64_t)count + 2));
    return turn < count ? probe->values.data[turn] : random_coordinate(point, probe->symbol);
}

uint32_t rh__prover_last(const rh_prover_def *def)
{
    const bool has_probes = def->probes != NULL && def->probes->count > 0;
    return RH_PROVER_TRIALS + (has_probes ? RH_PROVER_PROBES : 0);
}

double rh__prover_coordinate(const rh_prover_def *def, const rh_store *store, uint32_t point,
                             rh_expr symbol)
{
    if (point == 0 && def->home != NULL) {
        const double value = def->home(def->home_user, store, symbol);
        if (isfinite(value)) {
            return value;
        }
    }
    for (uint32_t k = 0; point > RH_PROVER_TRIALS && k < def->probes->count; k++) {
        if (def->probes->data[k].symbol.i == symbol.i) {
            return probe_coordinate(&def->probes->data[k], point - RH_PROVER_TRIALS - 1, point);
        }
    }
    return random_coordinate(point, symbol);
}

typedef struct place {
    const rh_prover_def *def;
    uint32_t point;
} place;

static void place_ball(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const place *here = user;
    rh__balls_set_double(out, k, rh__prover_coordinate(here->def, store, here->point, symbol));
}

// The expression with the values of parameters in it.
static rh_expr with_values(rh_store *store, const rh_prover_def *def, rh_expr e)
{
    if (def->value == NULL) {
        return e;
    }
    return rh__expr_substitute(store, e, def->value, def->value_user);
}

static rh_expr *all_with_values(rh_store *store, const rh_prover_def *def,
                                const rh_expr *expressions, uint32_t count, rh_arena *scratch)
{
    rh_expr *out = rh__arena_array(scratch, rh_expr, count + 1);
    bool ok = out != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        out[k] = with_values(store, def, expressions[k]);
        ok = out[k].i != 0;
    }
    return ok ? out : NULL;
}

bool rh__prover_balls(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                      uint32_t count, uint32_t point, rh_arena *scratch, rh_balls *out)
{
    const rh_mark mark = rh__arena_mark(scratch);
    const rh_expr *given = all_with_values(store, def, expressions, count, scratch);
    rh_enclosure *enclosure =
        given != NULL ? rh__enclosure_create(store, given, count, scratch) : NULL;
    place here = {def, point};
    if (enclosure != NULL) {
        rh__enclosure_evaluate(enclosure, place_ball, &here, RH_PROVER_PRECISION, out);
    }
    rh__enclosure_destroy(enclosure);
    rh__arena_rewind(scratch, mark);
    return enclosure != NULL;
}

// --- refuting --------------------------------------------------------------------------------

static bool goes_on(const rh_prover_def *def)
{
    return def->goes_on == NULL || def->goes_on(def->goes_on_user);
}

static void look_at(const rh_balls *balls, uint32_t count, uint32_t point, rh_claim *out)
{
    for (uint32_t k = 0; k < count; k++) {
        if (out[k].identity == RH_IDENTITY_PROVED || out[k].identity == RH_IDENTITY_REFUTED ||
            !rh__balls_is_finite(balls, k) ||
            (!rh__balls_is_nonzero(balls, k) && rh__balls_radius(balls, k) > NARROW)) {
            continue;
        }
        out[k].points++;
        if (rh__balls_is_nonzero(balls, k)) {
            out[k].identity = RH_IDENTITY_REFUTED;
            out[k].point = point;
            out[k].residual = rh__balls_interval(balls, k);
        } else {
            out[k].identity = RH_IDENTITY_SAMPLED;
        }
    }
}

// Has any ball that matters more room than rounding explains?
static bool has_wide(const rh_balls *balls, uint32_t count, const rh_claim *claims)
{
    for (uint32_t k = 0; k < count; k++) {
        if (claims[k].identity != RH_IDENTITY_PROVED && claims[k].identity != RH_IDENTITY_REFUTED &&
            rh__balls_is_finite(balls, k) && !rh__balls_is_nonzero(balls, k) &&
            rh__balls_radius(balls, k) > NARROW) {
            return true;
        }
    }
    return false;
}

static bool is_open(const rh_claim *claims, uint32_t count, uint32_t wanted)
{
    for (uint32_t k = 0; k < count; k++) {
        if (claims[k].identity != RH_IDENTITY_PROVED && claims[k].identity != RH_IDENTITY_REFUTED &&
            claims[k].points < wanted) {
            return true;
        }
    }
    return false;
}

// At points from `first` to `last`, until each was seen at as many as are wanted.
static bool sample(rh_store *store, const rh_prover_def *def, const rh_expr *given, uint32_t count,
                   uint32_t first, uint32_t last, rh_arena *scratch, rh_claim *out)
{
    rh_enclosure *enclosure = rh__enclosure_create(store, given, count, scratch);
    rh_balls *balls = enclosure != NULL ? rh__balls_create(scratch, count) : NULL;
    // both sides of surfaces are looked at whatever was seen before
    const uint32_t wanted =
        first > RH_PROVER_TRIALS ? UINT32_MAX : RH_PROVER_POINTS + (def->home != NULL);
    for (uint32_t point = first; balls != NULL && point <= last; point++) {
        if (!is_open(out, count, wanted) || !goes_on(def)) {
            break;
        }
        place here = {def, point};
        rh__enclosure_evaluate(enclosure, place_ball, &here, RH_PROVER_PRECISION, balls);
        if (has_wide(balls, count, out)) {
            rh__enclosure_evaluate(enclosure, place_ball, &here, 8 * RH_PROVER_PRECISION, balls);
        }
        look_at(balls, count, point, out);
    }
    rh__balls_destroy(balls);
    rh__enclosure_destroy(enclosure);
    return balls != NULL;
}

// --- proving ---------------------------------------------------------------------------------

static void prove(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                  uint32_t count, bool for_all_values, rh_arena *scratch, rh_claim *out)
{
    rh_algebra *algebra = rh__arena_new(scratch, rh_algebra);
    rh_expr *open = rh__arena_array(scratch, rh_expr, count + 1);
    uint32_t open_count = 0;
    for (uint32_t k = 0; open != NULL && k < count; k++) {
        if (out[k].identity == RH_IDENTITY_SAMPLED) {
            open[open_count++] = expressions[k];
        }
    }
    if (algebra == NULL || open == NULL || open_count == 0) {
        return;
    }
    const bool has_begun = rh__algebra_begin(algebra, store, open, open_count, scratch);
    for (uint32_t k = 0; has_begun && k < count && goes_on(def); k++) {
        bool is_read = false;
        if (out[k].identity == RH_IDENTITY_SAMPLED &&
            rh__algebra_is_zero(algebra, expressions[k], def->work > 0 ? def->work : WORK,
                                &is_read)) {
            out[k].identity = RH_IDENTITY_PROVED;
            out[k].for_all_values = for_all_values;
        }
    }
    rh__algebra_end(algebra);
}

// What is zero as a quotient of polynomials in symbols and functions alone, whatever relations
// functions have: no limit on angles and exponents stands in its way.
static void prove_plain(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                        uint32_t count, bool for_all_values, rh_arena *scratch, rh_claim *out)
{
    rh_folder *folder = rh__folder_create(store, scratch, PLAIN_TERMS);
    for (uint32_t k = 0; folder != NULL && k < count && goes_on(def); k++) {
        if (out[k].identity == RH_IDENTITY_SAMPLED && rh__folder_is_zero(folder, expressions[k])) {
            out[k].identity = RH_IDENTITY_PROVED;
            out[k].for_all_values = for_all_values;
        }
    }
    rh__folder_destroy(folder);
}

bool rh__prover_judge(rh_store *store, const rh_prover_def *def, const rh_expr *expressions,
                      uint32_t count, rh_arena *scratch, rh_claim *out)
{
    const rh_mark mark = rh__arena_mark(scratch);
    bool has_letters = false;
    for (uint32_t k = 0; k < count; k++) {
        const bool is_zero = rh__expr_is_zero(store, expressions[k]);
        out[k] = (rh_claim){.identity = is_zero ? RH_IDENTITY_PROVED : RH_IDENTITY_UNKNOWN,
                            .for_all_values = is_zero};
    }
    const rh_expr *given = all_with_values(store, def, expressions, count, scratch);
    bool ok = given != NULL &&
              sample(store, def, given, count, def->home == NULL, RH_PROVER_TRIALS, scratch, out);
    for (uint32_t k = 0; ok && k < count; k++) {
        has_letters = has_letters || given[k].i != expressions[k].i;
    }
    if (ok) {
        prove(store, def, expressions, count, true, scratch, out);
        prove_plain(store, def, expressions, count, true, scratch, out);
    }
    if (ok && has_letters) {
        prove(store, def, given, count, false, scratch, out);
    }
    // what algebra does not decide is looked at beside surfaces too
    if (ok && rh__prover_last(def) > RH_PROVER_TRIALS && is_open(out, count, UINT32_MAX)) {
        ok = sample(store, def, given, count, RH_PROVER_TRIALS + 1, rh__prover_last(def), scratch,
                    out);
    }
    rh__arena_rewind(scratch, mark);
    return ok;
}
