// SPDX-License-Identifier: Apache-2.0
// Optima: from a recipe to a first motion, from there to the best one, and that one in full.

#include "optimum/optimum.h"

#include <math.h>
#include <string.h>

// --- the call ------------------------------------------------------------------------------------

static rh_status check(const rh_optimum_def *def, rh_error *err)
{
    if (def->over_count == 0 || def->over_count > RH_OPTIMUM_MOST) {
        return rh__error_fill(err, RH_E_ARGUMENT, "1 to %d quantities may change, not %zu",
                              RH_OPTIMUM_MOST, def->over_count);
    }
    for (size_t k = 0; k < def->over_count; k++) {
        const rh_optimum_range *it = &def->over[k];
        if (it->name == NULL || !isfinite(it->low) || !isfinite(it->high) ||
            !(it->low < it->high) || !isfinite(it->high - it->low)) {
            return rh__error_fill(err, RH_E_ARGUMENT,
                                  "%.80s wants a range whose first number is the smaller one",
                                  it->name != NULL ? it->name : "a quantity");
        }
        bool is_twice = false;
        for (size_t j = 0; j < k; j++) {
            is_twice = is_twice || strcmp(def->over[j].name, it->name) == 0;
        }
        for (size_t j = 0; j < def->steady.fix_count; j++) {
            is_twice = is_twice || strcmp(def->steady.fix[j].name, it->name) == 0;
        }
        if (is_twice) {
            return rh__error_fill(err, RH_E_ARGUMENT,
                                  "%.80s is given twice: to change, or to be fixed", it->name);
        }
    }
    return RH_OK;
}

// --- the first motion ----------------------------------------------------------------------------

typedef struct seeding {
    rh_optimum *optimum;
    rh_steady_value *fix; // of the caller, then what may change
    size_t given;
} seeding;

static bool is_wanted(void *user)
{
    return !rh__trial_is_over(user);
}

static rh_status look(seeding *in, const rh_steady_def *like, const double *at, rh_error *err)
{
    rh_optimum *optimum = in->optimum;
    rh_steady_def def = *like;
    for (uint32_t k = 0; k < optimum->count; k++) {
        in->fix[in->given + k] = (rh_steady_value){optimum->over[k].name, at[k]};
    }
    def.fix = in->fix;
    def.fix_count = in->given + optimum->count;
    // the motion at the best place is wanted in any case
    def.is_wanted = optimum->best.places == NULL ? is_wanted : NULL;
    def.user = optimum;
    rh_steady_destroy(optimum->steady);
    optimum->steady = NULL;
    return rh_steady_create(optimum->equations, &def, &optimum->steady, err);
}

// The n-th place of Halton's sequence, the middle of the box first.
static double spread(uint32_t n, uint32_t axis)
{
    static const uint32_t PRIMES[RH_OPTIMUM_MOST] = {2,  3,  5,  7,  11, 13, 17, 19,
                                                     23, 29, 31, 37, 41, 43, 47, 53};
    double share = 1.0;
    double sum = 0.0;
    if (n == 0) {
        return 0.5;
    }
    for (uint32_t left = n + 1; left > 0; left /= PRIMES[axis]) {
        share /= PRIMES[axis];
        sum += share * (double)(left % PRIMES[axis]);
    }
    return sum;
}

// What is wrong with the name of a range was said of a fixed quantity, which it is on the way.
static void say_range(const rh_optimum *optimum, rh_error *err)
{
    static const char FIX[] = "--fix";
    for (uint32_t k = 0; k < optimum->count; k++) {
        const size_t size = strlen(optimum->over[k].name);
        const char *quote = strchr(err->message, '"');
        if (strncmp(err->message, FIX, sizeof FIX - 1) == 0 && quote != NULL &&
            strncmp(quote + 1, optimum->over[k].name, size) == 0 && quote[size + 1] == '"') {
            const rh_error before = *err;
            (void)rh__error_fill(err, RH_E_ARGUMENT, "--over%s", before.message + sizeof FIX - 1);
        }
    }
}

static rh_status find_seed(seeding *in, rh_error *err)
{
    enum { LOOKS = 40 };
    rh_optimum *optimum = in->optimum;
    uint32_t loose = 0;
    for (uint32_t n = 0; n < LOOKS && !rh__trial_is_over(optimum); n++) {
        for (uint32_t k = 0; k < optimum->count; k++) {
            const rh_optimum_range *range = &optimum->over[k];
            optimum->seed[k] = range->low + spread(n, k) * (range->high - range->low);
        }
        RH_TRY(look(in, &optimum->def.steady, optimum->seed, err));
        if (optimum->steady->found.count > 0 && optimum->steady->found.data[0].loose == 0) {
            return RH_OK;
        }
        if (optimum->steady->found.count > 0) {
            loose = optimum->steady->found.data[0].loose;
        }
    }
    if (loose > 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the steady motion is one of a set of dimension %u: --fix %u more of "
                              "its variables, or let them change (--over)",
                              loose, loose);
    }
    return rh__error_fill(err, RH_E_LIMIT, "no steady motion was found in the ranges: %s",
                          optimum->steady != NULL ? optimum->steady->reason
                                                  : "it was ended before");
}

// --- making --------------------------------------------------------------------------------------

static rh_status reserve(rh_optimum *optimum)
{
    const rh_reduction *reduction = optimum->steady->reduction;
    const rh_wish *wish = &optimum->steady->wish;
    const size_t width = (size_t)reduction->place_count + 1;
    rh_arena *arena = &optimum->arena;
    RH_TRY(rh__workbench_create(reduction, &optimum->bench));
    RH_TRY(rh__judgement_reserve(reduction, arena, &optimum->judgement));
    optimum->wanted = rh__arena_array(arena, double, (size_t)wish->observed_count + 1);
    optimum->kept = rh__arena_array(arena, double, width);
    optimum->best.places = rh__arena_array(arena, double, width);
    optimum->last.places = rh__arena_array(arena, double, width);
    if (optimum->wanted == NULL || optimum->kept == NULL || optimum->best.places == NULL ||
        optimum->last.places == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < wish->observed_count; k++) {
        optimum->wanted[k] = wish->wanted[k];
    }
    memcpy(optimum->bench->values, wish->values, reduction->slot_count * sizeof(double));
    optimum->query = rh__wish_query(wish);
    optimum->query.wanted = optimum->wanted;
    optimum->query.is_wanted = is_wanted;
    optimum->query.user = optimum;
    return RH_OK;
}

// Which number of the wish each quantity is.
static void find_dials(const seeding *in)
{
    rh_optimum *optimum = in->optimum;
    uint32_t outputs = 0;
    for (size_t k = 0; k < in->given + optimum->count; k++) {
        const uint32_t slot = rh__reduction_slot(optimum->steady->reduction, in->fix[k].name);
        if (k >= in->given) {
            optimum->dials[k - in->given] = (rh_trial_dial){.slot = slot, .wanted = outputs};
        }
        outputs += slot == UINT32_MAX;
    }
}

static rh_status plant(rh_optimum *optimum)
{
    const rh_reduction *reduction = optimum->steady->reduction;
    const rh_steady_found *found = &optimum->steady->found.data[0];
    rh_trial_place place = {.value = INFINITY};
    place.places = rh__arena_array(&optimum->arena, double, (size_t)reduction->place_count + 1);
    RH_TRY(place.places == NULL ? optimum->arena.status : RH_OK);
    memcpy(place.at, optimum->seed, sizeof place.at);
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        place.places[k] = found->values[reduction->place[k]];
    }
    optimum->best.value = INFINITY;
    optimum->dimension = optimum->nullity = UINT32_MAX;
    return rh__array_push(&optimum->arena, &optimum->known, place) ? RH_OK : optimum->arena.status;
}

// The dimension of the steady set almost everywhere in the ranges. One place alone, as their
// middle, may be special.
static void survey(rh_optimum *optimum)
{
    enum { PLACES = 16 };
    uint32_t least = UINT32_MAX;
    bool is_certain = false;
    for (uint32_t n = 0; n < PLACES && !rh__trial_is_over(optimum); n++) {
        double at[RH_OPTIMUM_MOST] = {0.0};
        for (uint32_t k = 0; k < optimum->count; k++) {
            const rh_optimum_range *range = &optimum->over[k];
            at[k] =
                n == 0 ? optimum->seed[k] : range->low + spread(n, k) * (range->high - range->low);
        }
        if (rh__trial_far(optimum, at) == INFINITY) {
            continue;
        }
        const rh_judgement *it = &optimum->judgement;
        if (it->measured <= least) {
            is_certain = it->is_certain && (is_certain || it->measured < least);
        }
        least = it->measured < least ? it->measured : least;
    }
    optimum->nullity = least;
    optimum->dimension = is_certain ? least : UINT32_MAX;
    optimum->best.value = INFINITY;
}

// The motion at the best place, in full.
static rh_status finish(seeding *in, rh_error *err)
{
    rh_optimum *optimum = in->optimum;
    const rh_reduction *reduction = optimum->steady->reduction;
    rh_steady_def def = optimum->def.steady;
    rh_steady_value *guess =
        rh__arena_array(&optimum->arena, rh_steady_value, (size_t)reduction->place_count + 1);
    RH_TRY(guess == NULL ? optimum->arena.status : RH_OK);
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        char *name =
            rh__slice_copy(&optimum->arena, rh__slice_of(reduction->names[reduction->place[k]]));
        RH_TRY(name == NULL ? optimum->arena.status : RH_OK);
        guess[k] = (rh_steady_value){name, optimum->best.places[k]};
    }
    def.guess = guess;
    def.guess_count = reduction->place_count;
    rh__workbench_destroy(optimum->bench);
    optimum->bench = NULL;
    RH_TRY(look(in, &def, optimum->best.at, err));
    return optimum->steady->found.count > 0
               ? RH_OK
               : rh__error_fill(err, RH_E_LIMIT, "the best motion was not found again: %s",
                                optimum->steady->reason);
}

static rh_status build(rh_optimum *optimum, const rh_optimum_def *def, rh_error *err)
{
    seeding in = {.optimum = optimum, .given = def->steady.fix_count};
    RH_TRY(check(def, err));
    optimum->count = (uint32_t)def->over_count;
    optimum->most = 1;
    optimum->over = rh__arena_array(&optimum->arena, rh_optimum_range, def->over_count);
    in.fix = rh__arena_array(&optimum->arena, rh_steady_value, in.given + def->over_count);
    RH_TRY(optimum->over == NULL || in.fix == NULL ? optimum->arena.status : RH_OK);
    for (uint32_t k = 0; k < optimum->count; k++) {
        optimum->over[k] = def->over[k];
        optimum->over[k].name = rh__slice_copy(&optimum->arena, rh__slice_of(def->over[k].name));
        RH_TRY(optimum->over[k].name == NULL ? optimum->arena.status : RH_OK);
    }
    if (in.given > 0) {
        memcpy(in.fix, def->steady.fix, in.given * sizeof *in.fix);
    }
    const rh_status status = find_seed(&in, err);
    if (status == RH_E_ARGUMENT) {
        say_range(optimum, err);
    }
    RH_TRY(status);
    find_dials(&in);
    RH_TRY(reserve(optimum));
    RH_TRY(plant(optimum));
    survey(optimum);
    (void)rh__trial_far(optimum, optimum->seed);
    RH_TRY(optimum->status);
    RH_TRY(rh__optimum_search(optimum));
    if (!isfinite(optimum->best.value)) {
        return rh__error_fill(err, RH_E_LIMIT,
                              optimum->best.value < 0.0
                                  ? "no root remains besides those of the steady set: there is "
                                    "nothing to push"
                                  : "no steady motion in the ranges could be judged");
    }
    return finish(&in, err);
}

static bool ranges_are_there(const rh_optimum_def *def)
{
    bool ok = def->over != NULL || def->over_count == 0;
    for (size_t k = 0; ok && k < def->over_count; k++) {
        ok = def->over[k].name != NULL;
    }
    return ok && rh__steady_names_are_there(&def->steady);
}

rh_status rh_optimum_create(rh_equations *equations, const rh_optimum_def *def, rh_optimum **out,
                            rh_error *err)
{
    RH_REQUIRE(equations != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && def->reserved == 0, err);
    RH_REQUIRE(ranges_are_there(def), err);
    *out = NULL;
    rh_arena arena = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    rh_optimum *optimum = rh__arena_new(&arena, rh_optimum);
    if (optimum == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    optimum->arena = arena;
    optimum->equations = equations;
    optimum->def = *def;
    rh_error reason = {.message = ""};
    const rh_status status = rh__guard_settle(arena.allocator, build(optimum, def, &reason));
    if (status != RH_OK) {
        rh_optimum_destroy(optimum);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    *out = optimum;
    return RH_OK;
}

void rh_optimum_destroy(rh_optimum *optimum)
{
    if (optimum == NULL) {
        return;
    }
    rh__workbench_destroy(optimum->bench);
    rh_steady_destroy(optimum->steady);
    rh_arena arena = optimum->arena;
    rh__arena_end(&arena);
}

// --- looking -------------------------------------------------------------------------------------

rh_optimum_summary rh_optimum_summarise(const rh_optimum *optimum)
{
    if (optimum == NULL) {
        return (rh_optimum_summary){.struct_size = (uint32_t)sizeof(rh_optimum_summary)};
    }
    rh_optimum_summary summary = {.struct_size = (uint32_t)sizeof summary,
                                  .abscissa = optimum->best.value,
                                  .looks = optimum->looks,
                                  .is_complete = !optimum->is_stopped};
    const rh_judgement *judgement = &optimum->steady->found.data[0].judgement;
    for (uint32_t k = 0; k < judgement->root_count; k++) {
        const rh_steady_root *root = &judgement->roots[k];
        const double size = judgement->pace + hypot(root->real, root->imaginary);
        summary.active += root->real >= summary.abscissa - 1e-6 * size;
    }
    // those that meet are parted by rounding, when they are listed
    summary.active = optimum->met > summary.active ? optimum->met : summary.active;
    return summary;
}

size_t rh_optimum_parameter_count(const rh_optimum *optimum)
{
    return optimum->count;
}

const char *rh_optimum_parameter_name(const rh_optimum *optimum, size_t index)
{
    return index < optimum->count ? optimum->over[index].name : "";
}

double rh_optimum_parameter(const rh_optimum *optimum, size_t index)
{
    return index < optimum->count ? optimum->best.at[index] : NAN;
}

double rh_optimum_parameter_error(const rh_optimum *optimum, size_t index)
{
    return index < optimum->count ? optimum->bars.at[index] : (double)NAN;
}

double rh_optimum_abscissa_error(const rh_optimum *optimum)
{
    return optimum->bars.value;
}

int rh_optimum_bound(const rh_optimum *optimum, size_t index)
{
    if (index >= optimum->count) {
        return 0;
    }
    const rh_optimum_range *range = &optimum->over[index];
    const double close = 1e-12 * (range->high - range->low);
    const double value = optimum->best.at[index];
    return value - range->low <= close ? -1 : range->high - value <= close ? 1 : 0;
}

const rh_steady *rh_optimum_steady(const rh_optimum *optimum)
{
    return optimum->steady;
}
