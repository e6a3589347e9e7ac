// SPDX-License-Identifier: Apache-2.0
// The plan of a sweep: what is varied, and which numbers member i has. A member is a point of the
// grid and a draw; what is drawn for it is a function of the seed, its number and the variable.

#include "sweep/sweep.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096, BLOCKS = 512, MOST_BLOCK = 512, MANY = 512 };

// --- texts ---------------------------------------------------------------------------------------

static rh_slice trim(rh_slice text)
{
    while (text.size > 0 && isspace((unsigned char)text.data[0]) != 0) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && isspace((unsigned char)text.data[text.size - 1]) != 0) {
        text.size--;
    }
    return text;
}

// The part before the first `mark` outside brackets; `rest` is what follows it. False: there is
// none.
static bool split(rh_slice text, char mark, rh_slice *out, rh_slice *rest)
{
    int depth = 0;
    for (size_t k = 0; k < text.size; k++) {
        const char c = text.data[k];
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (c == mark && depth == 0) {
            *out = trim((rh_slice){text.data, k});
            *rest = trim((rh_slice){text.data + k + 1, text.size - k - 1});
            return true;
        }
    }
    return false;
}

// Letters, digits, `_`, index and primes; what the model makes of it is another question.
static bool is_name(rh_slice name)
{
    for (size_t k = 0; k < name.size; k++) {
        const unsigned char c = (unsigned char)name.data[k];
        if (c < 0x80 && isalnum(c) == 0 && (c == 0 || strchr("_[],'. ", c) == NULL)) {
            return false;
        }
    }
    return name.size > 0 && isdigit((unsigned char)name.data[0]) == 0;
}

static rh_status refuse(rh_error *err, const char *option, rh_slice text, const char *why)
{
    enum { SHOWN = 100 };
    char shown[SHOWN + 1] = "";
    // nothing that a terminal might obey
    for (size_t k = 0; k < text.size && k < SHOWN; k++) {
        const unsigned char c = (unsigned char)text.data[k];
        shown[k] = c < 0x20 || c == 0x7f ? '?' : text.data[k];
    }
    return rh__error_fill(err, RH_E_ARGUMENT, "%s \"%s\": %s", option, shown, why);
}

static bool is_one_line(rh_slice text)
{
    for (size_t k = 0; k < text.size; k++) {
        const unsigned char c = (unsigned char)text.data[k];
        if (c < 0x20 || c == 0x7f || c == '#') {
            return false;
        }
    }
    return text.size < LONGEST;
}

// --- what is varied ------------------------------------------------------------------------------

// Is the name one of those that options NAME=VALUE give?
static bool is_among(const char *const *settings, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++) {
        rh_slice own = {NULL, 0};
        rh_slice value = {NULL, 0};
        if (settings[k] != NULL && split(trim(rh__slice_of(settings[k])), '=', &own, &value) &&
            rh__slice_is(own, name)) {
            return true;
        }
    }
    return false;
}

// What is varied has no other value besides: one of the two would be passed over in silence.
static rh_status check_settings(const rh_plan *plan, const rh_model_def *model, rh_error *err)
{
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const char *name = plan->spreads.data[k].name;
        const char *option = is_among(model->set, model->set_count, name)       ? "--set"
                             : is_among(model->start, model->start_count, name) ? "--start"
                                                                                : NULL;
        if (option != NULL) {
            return rh__error_fill(err, RH_E_ARGUMENT,
                                  "%s is varied, and %s gives it a value; leave one of them out",
                                  name, option);
        }
    }
    return RH_OK;
}

static rh_status begin_spread(const char *option, rh_slice text, const rh_plan *plan,
                              rh_arena *arena, rh_slice *out_rest, rh_spread *out, rh_error *err)
{
    rh_slice name = {NULL, 0};
    if (!is_one_line(text) || !split(text, '=', &name, out_rest)) {
        return refuse(err, option, text,
                      strcmp(option, "--grid") == 0 ? "write NAME=lo:hi:n"
                                                    : "write NAME=normal(mean, deviation)");
    }
    if (!is_name(name)) {
        return refuse(err, option, text, "what stands before `=` is no name");
    }
    *out = (rh_spread){.name = rh__slice_copy(arena, name)};
    if (out->name == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        if (strcmp(plan->spreads.data[k].name, out->name) == 0) {
            return refuse(err, option, text, "this name is varied already; leave one of them out");
        }
    }
    if (plan->spreads.count == RH_SWEEP_SPREADS) {
        return refuse(err, option, text, "no more than 64 names can be varied at once");
    }
    return RH_OK;
}

static bool keep_numbers(rh_slice first, rh_slice second, rh_arena *arena, rh_spread *out)
{
    out->first_text = rh__slice_copy(arena, first);
    out->second_text = rh__slice_copy(arena, second);
    return out->first_text != NULL && out->second_text != NULL;
}

static bool read_count(rh_slice text, uint64_t *out)
{
    *out = 0;
    for (size_t k = 0; k < text.size; k++) {
        if (isdigit((unsigned char)text.data[k]) == 0 || *out > RH_SWEEP_MEMBERS) {
            return false;
        }
        *out = 10 * *out + (uint64_t)(text.data[k] - '0');
    }
    return text.size > 0 && *out > 0 && *out <= RH_SWEEP_MEMBERS;
}

static rh_status read_grid(rh_plan *plan, rh_slice text, rh_arena *arena, rh_error *err)
{
    rh_spread spread;
    rh_slice range = {NULL, 0};
    rh_slice low = {NULL, 0};
    rh_slice high = {NULL, 0};
    rh_slice count = {NULL, 0};
    RH_TRY(begin_spread("--grid", text, plan, arena, &range, &spread, err));
    rh_slice rest = {NULL, 0};
    if (!split(range, ':', &low, &rest) || !split(rest, ':', &high, &count) || low.size == 0 ||
        high.size == 0) {
        return refuse(err, "--grid", text, "write NAME=lo:hi:n, n points with both ends included");
    }
    if (!read_count(count, &spread.count)) {
        return refuse(err, "--grid", text,
                      "the number of points is a whole number from 1 to 1000000000");
    }
    spread.kind = RH_SPREAD_GRID;
    return keep_numbers(low, high, arena, &spread) && rh__array_push(arena, &plan->spreads, spread)
               ? RH_OK
               : arena->status;
}

static bool read_kind(rh_slice word, rh_spread_kind *out)
{
    static const struct {
        const char *word;
        rh_spread_kind kind;
    } KINDS[] = {{"normal", RH_SPREAD_NORMAL},
                 {"uniform", RH_SPREAD_UNIFORM},
                 {"loguniform", RH_SPREAD_LOGUNIFORM}};
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        if (rh__slice_is(word, KINDS[k].word)) {
            *out = KINDS[k].kind;
            return true;
        }
    }
    return false;
}

// WORD(INSIDE), with nothing behind it.
static bool read_call(rh_slice text, rh_slice *word, rh_slice *inside)
{
    const char *open = text.size > 0 ? memchr(text.data, '(', text.size) : NULL;
    if (open == NULL || text.data[text.size - 1] != ')') {
        return false;
    }
    const size_t at = (size_t)(open - text.data);
    int depth = 0;
    for (size_t k = at; k < text.size; k++) {
        depth += (text.data[k] == '(') - (text.data[k] == ')');
        if (depth == 0 && k + 1 < text.size) {
            return false;
        }
    }
    *word = trim((rh_slice){text.data, at});
    *inside = trim((rh_slice){open + 1, text.size - at - 2});
    return depth == 0;
}

static rh_status read_random(rh_plan *plan, rh_slice text, rh_arena *arena, rh_error *err)
{
    rh_spread spread;
    rh_slice call = {NULL, 0};
    rh_slice word = {NULL, 0};
    rh_slice inside = {NULL, 0};
    rh_slice first = {NULL, 0};
    rh_slice second = {NULL, 0};
    rh_slice more = {NULL, 0};
    RH_TRY(begin_spread("--random", text, plan, arena, &call, &spread, err));
    if (!read_call(call, &word, &inside) || !read_kind(word, &spread.kind)) {
        return refuse(err, "--random", text,
                      "distributions are normal(mean, deviation), uniform(lo, hi) and "
                      "loguniform(lo, hi)");
    }
    if (!split(inside, ',', &first, &second) || split(second, ',', &more, &more) ||
        first.size == 0 || second.size == 0) {
        return refuse(err, "--random", text, "a distribution has two numbers");
    }
    return keep_numbers(first, second, arena, &spread) &&
                   rh__array_push(arena, &plan->spreads, spread)
               ? RH_OK
               : arena->status;
}

// --- what is observed ----------------------------------------------------------------------------

static const char *const REDUCTIONS[RH_REDUCTION_COUNT] = {
    [RH_REDUCTION_PEAK] = "peak",
    [RH_REDUCTION_LOW] = "low",
    [RH_REDUCTION_MEAN] = "mean",
    [RH_REDUCTION_FINAL] = "final",
};

static uint32_t find_source(const rh_plan *plan, rh_slice text, bool is_deviation)
{
    uint32_t k = 0;
    while (k < plan->sources.count && !(rh__slice_is(text, plan->sources.data[k].text) &&
                                        plan->sources.data[k].is_deviation == is_deviation)) {
        k++;
    }
    return k;
}

rh_status rh__plan_reduce(rh_plan *plan, rh_reduction_kind kind, rh_slice text, rh_arena *arena)
{
    RH_ASSERT(kind < RH_REDUCTION_COUNT);
    const char *name = rh__text_print(arena, "%s(%.*s)", REDUCTIONS[kind], RH_SLICE_FORMAT(text));
    const bool is_deviation = text.size > 4 && memcmp(text.data, "dev.", 4) == 0;
    const rh_slice what = is_deviation ? (rh_slice){text.data + 4, text.size - 4} : text;
    const rh_reduction made = {name, kind, find_source(plan, what, is_deviation)};
    RH_ASSERT(made.source <= plan->sources.count);
    if (made.source == plan->sources.count) {
        const rh_source_text source = {.text = rh__slice_copy(arena, what),
                                       .is_deviation = is_deviation};
        if (source.text == NULL || !rh__array_push(arena, &plan->sources, source)) {
            return arena->status;
        }
    }
    rh_source_text *source = &plan->sources.data[made.source];
    source->has_mean = source->has_mean || kind == RH_REDUCTION_MEAN;
    source->has_extremes =
        source->has_extremes || kind == RH_REDUCTION_PEAK || kind == RH_REDUCTION_LOW;
    return rh__array_push(arena, &plan->reductions, made) ? RH_OK : arena->status;
}

static rh_status read_reduction(rh_plan *plan, rh_slice text, rh_arena *arena, rh_error *err)
{
    rh_slice word = {NULL, 0};
    rh_slice inside = {NULL, 0};
    rh_reduction_kind kind = 0;
    bool is_call = is_one_line(text) && read_call(text, &word, &inside) && inside.size > 0;
    while (is_call && kind < RH_REDUCTION_COUNT && !rh__slice_is(word, REDUCTIONS[kind])) {
        kind++;
    }
    if (!is_call || kind == RH_REDUCTION_COUNT) {
        return refuse(
            err, "--observe", text,
            "write peak(EXPR), low(EXPR), mean(EXPR) or final(EXPR), separated by commas");
    }
    return rh__plan_reduce(plan, kind, inside, arena);
}

rh_status rh__plan_observe(rh_plan *plan, const char *text, rh_arena *arena, rh_error *err)
{
    rh_slice rest = trim(rh__slice_of(text));
    rh_slice one = {NULL, 0};
    while (split(rest, ',', &one, &rest)) {
        RH_TRY(read_reduction(plan, one, arena, err));
    }
    return read_reduction(plan, rest, arena, err);
}

rh_status rh__plan_read(rh_plan *plan, const rh_sweep_def *def, rh_arena *arena, rh_error *err)
{
    for (size_t k = 0; k < def->grid_count; k++) {
        RH_REQUIRE(def->grids != NULL && def->grids[k] != NULL, err);
        RH_TRY(read_grid(plan, trim(rh__slice_of(def->grids[k])), arena, err));
    }
    for (size_t k = 0; k < def->random_count; k++) {
        RH_REQUIRE(def->randoms != NULL && def->randoms[k] != NULL, err);
        RH_TRY(read_random(plan, trim(rh__slice_of(def->randoms[k])), arena, err));
    }
    if (plan->spreads.count == 0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "nothing is varied: write --grid NAME=lo:hi:n or "
                              "--random \"NAME=normal(mean, deviation)\"");
    }
    RH_TRY(check_settings(plan, &def->model, err));
    if (def->random_count == 0 && def->draws > 1) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "--members without --random would repeat every member: give a "
                              "distribution, or leave --members out");
    }
    if (def->grid_count == 0 && def->draws == 0) {
        return rh__error_fill(err, RH_E_ARGUMENT, "--random needs to know how often: --members N");
    }
    return def->observe != NULL ? rh__plan_observe(plan, def->observe, arena, err) : RH_OK;
}

// --- members -------------------------------------------------------------------------------------

// Are the numbers of a spread what its kind needs?
static rh_status check_numbers(const rh_spread *it, rh_error *err)
{
    const double width = it->second - it->first;
    if (!isfinite(it->first) || !isfinite(it->second) || !isfinite(width)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "%s is varied over numbers that are not finite",
                              it->name);
    }
    if (it->kind == RH_SPREAD_NORMAL && it->second < 0.0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "the deviation of %s is %.6g; a deviation is not negative", it->name,
                              it->second);
    }
    const bool is_interval = it->kind == RH_SPREAD_UNIFORM || it->kind == RH_SPREAD_LOGUNIFORM;
    if (is_interval && width < 0.0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "%s is drawn from %.6g to %.6g; the smaller end stands first",
                              it->name, it->first, it->second);
    }
    if (it->kind == RH_SPREAD_LOGUNIFORM && !(it->first > 0.0)) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "loguniform needs positive ends, and %s begins at %.6g", it->name,
                              it->first);
    }
    if (it->kind == RH_SPREAD_GRID && it->count == 1 && width != 0.0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "a grid of one point has equal ends: write %s=%.6g:%.6g:1", it->name,
                              it->first, it->first);
    }
    return RH_OK;
}

rh_status rh__plan_count(rh_plan *plan, const rh_sweep_def *def, rh_error *err)
{
    plan->seed = def->seed;
    plan->draws = def->draws > 0 ? def->draws : 1;
    uint64_t count = plan->draws;
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const rh_spread *it = &plan->spreads.data[k];
        RH_TRY(check_numbers(it, err));
        const uint64_t points = it->kind == RH_SPREAD_GRID ? it->count : 1;
        if (count > RH_SWEEP_MEMBERS / points) {
            count = RH_SWEEP_MEMBERS + 1;
            break;
        }
        count *= points;
    }
    if (count > RH_SWEEP_MEMBERS) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "there are more than 1000000000 members; take fewer points or draws");
    }
    plan->member_count = count;
    // small enough that little is lost with a block and all processes have some, large enough that
    // few are handed out and lanes are filled again
    const uint64_t lanes = count >= MANY ? RH_SWEEP_LANES : 1;
    const uint64_t size = (count / BLOCKS + lanes - 1) / lanes * lanes;
    plan->block_size = size < lanes ? lanes : size > MOST_BLOCK ? MOST_BLOCK : size;
    plan->block_count = (count + plan->block_size - 1) / plan->block_size;
    RH_ASSERT(0 < plan->block_size && plan->block_size <= MOST_BLOCK);
    RH_ASSERT((plan->block_count - 1) * plan->block_size < count);
    return RH_OK;
}

static double draw(const rh_spread *it, uint64_t seed, uint64_t member, uint32_t variable)
{
    rh_random random = rh__random_at(seed, member, variable);
    switch (it->kind) {
    case RH_SPREAD_NORMAL:
        return it->first + it->second * rh__random_normal(&random);
    case RH_SPREAD_UNIFORM:
        return rh__random_uniform(&random, it->first, it->second);
    case RH_SPREAD_LOGUNIFORM:
        return exp(rh__random_uniform(&random, log(it->first), log(it->second)));
    case RH_SPREAD_GRID:
        break;
    }
    return it->first;
}

static double grid_value(const rh_spread *it, uint64_t index)
{
    RH_ASSERT(index < it->count);
    return index == 0 ? it->first
           : index + 1 == it->count
               ? it->second
               : it->first + (it->second - it->first) * ((double)index / (double)(it->count - 1));
}

void rh__plan_values(const rh_plan *plan, uint64_t member, double *out)
{
    RH_ASSERT(member < plan->member_count && plan->spreads.count <= RH_SWEEP_SPREADS);
    uint64_t point = member / plan->draws;
    // the last grid moves fastest; which variable it is counts among those that are drawn
    uint32_t variable = 0;
    for (uint32_t k = plan->spreads.count; k-- > 0;) {
        const rh_spread *it = &plan->spreads.data[k];
        if (it->kind == RH_SPREAD_GRID) {
            out[k] = grid_value(it, point % it->count);
            point /= it->count;
        }
    }
    RH_ASSERT(point == 0); // all grids were passed
    for (uint32_t k = 0; k < plan->spreads.count; k++) {
        const rh_spread *it = &plan->spreads.data[k];
        if (it->kind != RH_SPREAD_GRID) {
            out[k] = draw(it, plan->seed, member, variable++);
        }
    }
}

bool rh__plan_is_final(const rh_plan *plan)
{
    bool is_final = true;
    for (uint32_t k = 0; k < plan->reductions.count; k++) {
        is_final = is_final && plan->reductions.data[k].kind == RH_REDUCTION_FINAL;
    }
    return is_final;
}
