// SPDX-License-Identifier: Apache-2.0
// Steady motions of a model: the search from several starts, the list of what was found, nearest to
// the guess first.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define SAME 1e-7      // solutions that are one
#define TURN 0.51      // of a period: all places of an angle
#define STRETCHED 1e5  // velocities beside what they are elsewhere
#define SINGULAR 1e-10 // reciprocal condition of the inertia, or of the velocities
enum { MOST_FRAMES = 6, MOTIONS = 32, NEARBY = 4 };
#define MOST_STREAMS UINT64_C(60000000) // operations of motions that are followed
#define MOST_WORK UINT64_C(600000000)   // operations of all searches: of large systems few starts

// --- one motion ----------------------------------------------------------------------------------

static rh_status reserve_found(const rh_steady *steady, rh_arena *arena, rh_steady_found *out)
{
    const rh_reduction *reduction = steady->reduction;
    const size_t y = (size_t)reduction->y_count + 1;
    *out = (rh_steady_found){0};
    out->values = rh__arena_array(arena, double, (size_t)reduction->slot_count + 1);
    out->variables = rh__arena_array(arena, double, y);
    out->speeds = rh__arena_array(arena, double, (size_t)steady->cyclic_count + 1);
    out->roots = rh__arena_array(arena, rh_steady_root, y);
    out->rows = rh__arena_array(arena, const char *, y);
    if (out->values == NULL || out->variables == NULL || out->speeds == NULL ||
        out->roots == NULL || out->rows == NULL) {
        return arena->status;
    }
    return rh__judgement_reserve(reduction, arena, &out->judgement);
}

// How far the state of the bench is from another, turns apart.
static double distance_from(const rh_reduction *reduction, const double *values, const double *from)
{
    double far = 0.0;
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        const uint32_t slot = reduction->place[k];
        double gap = values[slot] - from[slot];
        gap = reduction->period[k] > 0.0 ? remainder(gap, reduction->period[k]) : gap;
        far = hypot(far, gap / rh__engine_size(&reduction->engine, slot, from[slot]));
    }
    return far;
}

rh_status rh__steady_fill(rh_steady *steady, rh_workbench *bench, uint32_t dimension,
                          rh_arena *arena, rh_steady_found *out)
{
    const rh_reduction *reduction = steady->reduction;
    if (out->values == NULL) {
        RH_TRY(reserve_found(steady, arena, out));
    }
    rh_judgement *judgement = &out->judgement;
    RH_TRY(dimension == UINT32_MAX ? rh__workbench_clear(bench) : RH_OK);
    RH_TRY(rh__judge(bench, dimension, judgement));
    memcpy(out->values, bench->values, reduction->slot_count * sizeof *out->values);
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        out->variables[k] = bench->values[reduction->place[k]];
    }
    out->is_rest = true;
    for (uint32_t k = 0; k < reduction->engine.coordinates.count; k++) {
        const rh_engine *engine = &reduction->engine;
        out->is_rest =
            out->is_rest && fabs(bench->outputs[k]) <= 1e-12 * engine->unit[1 + k] * engine->pace;
    }
    for (uint32_t k = 0; k < steady->cyclic_count; k++) {
        out->speeds[k] = bench->outputs[steady->cyclic[k]];
    }
    const uint32_t zeros = judgement->size - judgement->root_count;
    for (uint32_t k = 0; k < judgement->size; k++) {
        out->roots[k] = k < zeros ? (rh_steady_root){0.0, 0.0, 0.0}
                                  : rh__root_cleared(judgement->roots[k - zeros]);
        out->rows[k] = reduction->names[judgement->slots[k]];
    }
    out->power = reduction->power != UINT32_MAX ? bench->outputs[reduction->power] : 0.0;
    out->distance = distance_from(reduction, bench->values, steady->wish.values);
    return RH_OK;
}

rh_steady_motion rh__steady_show(const rh_steady *steady, const rh_steady_found *found)
{
    (void)steady;
    const rh_judgement *judgement = &found->judgement;
    return (rh_steady_motion){.struct_size = (uint32_t)sizeof(rh_steady_motion),
                              .verdict = judgement->verdict,
                              .values = found->variables,
                              .size = judgement->size,
                              .dimension = judgement->dimension,
                              .rows = found->rows,
                              .matrix = judgement->matrix,
                              .roots = found->roots,
                              .zero_count = judgement->zero_count,
                              .loose = found->loose,
                              .is_certain = judgement->is_certain,
                              .is_rest = found->is_rest,
                              .residual = found->residual,
                              .dissipation = found->power,
                              .distance = found->distance,
                              .reason = judgement->reason,
                              .speeds = found->speeds};
}

// --- the search ----------------------------------------------------------------------------------

// Angles near the guess.
static void unwind(rh_steady *steady)
{
    const rh_reduction *reduction = steady->reduction;
    for (uint32_t k = 0; k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        const double turn = reduction->period[k];
        if (turn > 0.0 && !steady->wish.is_fixed[k]) {
            const double guess = steady->wish.values[slot];
            const double far = steady->bench->values[slot] - guess;
            double gap = remainder(far, turn);
            gap += gap < (SAME - 0.5) * turn ? turn : 0.0; // half a turn is one forward
            if (fabs(far - gap) > 0.5 * turn) {
                steady->bench->values[slot] = guess + gap;
            }
        }
    }
}

// Do one-sided constraints push and not pull, and are the others not violated?
static bool is_allowed(const rh_workbench *bench)
{
    const rh_reduction *reduction = bench->reduction;
    bool is_fine = true;
    for (uint32_t k = 0; k < reduction->side_count; k++) {
        const uint32_t output = reduction->side_first + k;
        is_fine = is_fine && bench->outputs[output] >= -1e-9 * reduction->typical[output];
    }
    return is_fine;
}

// Is the motion on the bench one of those that were found?
static bool is_listed(const rh_steady *steady)
{
    bool is_there = false;
    for (uint32_t k = 0; !is_there && k < steady->found.count; k++) {
        is_there = distance_from(steady->reduction, steady->bench->values,
                                 steady->found.data[k].values) < SAME;
    }
    return is_there;
}

static rh_status keep(rh_steady *steady, const rh_rest_answer *answer, uint32_t limit)
{
    const rh_reduction *reduction = steady->reduction;
    unwind(steady);
    if (is_listed(steady)) {
        return RH_OK;
    }
    // next to a singular state rates are anything
    const bool is_full = steady->found.count >= limit;
    if ((is_full && steady->has_more) || rh__workbench_condition(steady->bench) < SINGULAR ||
        !rh__workbench_slope(steady->bench) ||
        rh__workbench_stretch(steady->bench) > STRETCHED * reduction->stretch) {
        return RH_OK;
    }
    bool agrees = true;
    RH_TRY(rh__switches_agree(steady->bench, &agrees));
    if (!agrees) {
        return RH_OK;
    }
    if (!is_allowed(steady->bench)) {
        steady->refused++;
        return RH_OK;
    }
    rh_steady_found found = {0};
    RH_TRY(rh__steady_fill(steady, steady->bench, UINT32_MAX, &steady->arena, &found));
    found.loose = answer->loose;
    found.residual = answer->residual;
    // Free to move and yet no zero root: all that is small here is small because it is far out,
    // unless nothing at all is left of it.
    if (found.loose > found.judgement.nullity && !answer->is_sharp) {
        return RH_OK;
    }
    if (is_full) {
        steady->has_more = true;
        return RH_OK;
    }
    if (found.loose > found.judgement.nullity) {
        found.loose = found.judgement.nullity;
    }
    return rh__array_push(&steady->arena, &steady->found, found) ? RH_OK : steady->arena.status;
}

// Where the n-th search begins: the guess, then around it, then at other positions alone, angles
// turned by quarters, then far and wide.
static void begin_at(rh_steady *steady, uint32_t n, rh_random *random)
{
    static const double SIZES[] = {0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0};
    const rh_reduction *reduction = steady->reduction;
    double *values = steady->bench->values;
    memcpy(values, steady->wish.values, reduction->slot_count * sizeof *values);
    const double size = SIZES[n / 2 % 8];
    const bool has_positions = reduction->split.count > 0;
    for (uint32_t k = 0; n > 0 && k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        const double push = rh__random_uniform(random, -1.0, 1.0);
        const bool is_position = slot <= reduction->engine.coordinates.count;
        const bool is_turned = n % 4 == 3 && has_positions;
        if (steady->wish.is_fixed[k] || (is_turned && !is_position)) {
            continue;
        }
        const double turn = reduction->period[k];
        values[slot] =
            turn > 0.0 && is_turned ? values[slot] + 0.25 * turn * floor(2.0 * push + 1.0)
            : turn > 0.0            ? TURN * turn * push
            : n % 2 == 1
                ? values[slot] +
                      size * push * rh__engine_size(&reduction->engine, slot, values[slot])
                : reduction->engine.origin[slot] + size * push * reduction->engine.unit[slot];
    }
}

// A coordinate that is positional only in quasi-velocities that were chosen badly cannot rest.
static bool is_positional(const rh_steady *steady, const char *name)
{
    bool is_there = false;
    for (size_t k = 0; k < rh_steady_positional_count(steady); k++) {
        is_there = is_there || strcmp(rh_steady_positional(steady, k), name) == 0;
    }
    return is_there;
}

static void excuse(rh_steady *steady, uint32_t starts)
{
    const char *plural = starts == 1 ? "" : "s";
    if (steady->refused > 0) {
        (void)rh__text_fill(
            steady->reason, sizeof steady->reason,
            "what was found from %u start%s violates a one-sided constraint, or needs one "
            "to pull; those that touch at the start are kept: give another start",
            starts, plural);
        return;
    }
    const rh_reduction *reduction = steady->reduction;
    rh_workbench *bench = steady->bench;
    uint32_t worst = 0;
    double largest = -1.0;
    memcpy(bench->values, steady->wish.values, reduction->slot_count * sizeof *bench->values);
    const rh_rest_query query = rh__wish_query(&steady->wish);
    rh_rest_answer answer;
    if (rh__rest_solve(bench, &query, &answer) != RH_OK || !isfinite(answer.residual)) {
        (void)rh__text_fill(steady->reason, sizeof steady->reason,
                            "from %u start%s no steady motion was found: the equations cannot be "
                            "evaluated where the search begins; give --guess",
                            starts, plural);
        return;
    }
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        const uint32_t output = reduction->place[k] - 1;
        const double rate = fabs(bench->outputs[output]) / reduction->typical[output];
        if (rate > largest) {
            largest = rate;
            worst = k;
        }
    }
    const double power = reduction->power != UINT32_MAX ? bench->outputs[reduction->power] : 0.0;
    const bool has_rate = reduction->y_count > 0;
    const double rate = has_rate ? bench->outputs[reduction->place[worst] - 1] : 0.0;
    const char *name = has_rate ? reduction->names[reduction->place[worst]] : "nothing";
    if (reduction->power != UINT32_MAX &&
        fabs(power) > 1e-9 * reduction->typical[reduction->power]) {
        (void)rh__text_fill(
            steady->reason, sizeof steady->reason,
            "from %u start%s no steady motion was found; the nearest miss has the rate "
            "%.4g of %.40s, and dissipation takes %.4g there: it must vanish on a steady "
            "motion that nothing drives",
            starts, plural, rate, name, power);
    } else {
        (void)rh__text_fill(
            steady->reason, sizeof steady->reason,
            "from %u start%s no steady motion was found; the nearest miss has the rate "
            "%.4g of %.40s%s: fix less, or give --guess",
            starts, plural, rate, name,
            is_positional(steady, name)
                ? ", which is positional in these quasi-velocities; in others (quasi) "
                  "it may be cyclic"
                : "");
    }
}

// Nearer to the guess; of those that are as near the one with larger values.
static bool is_nearer(const rh_steady *steady, const rh_steady_found *a, const rh_steady_found *b)
{
    const rh_reduction *reduction = steady->reduction;
    const double gap = b->distance - a->distance;
    if (fabs(gap) > SAME * fmax(a->distance, b->distance)) {
        return gap > 0.0;
    }
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        const uint32_t slot = reduction->place[k];
        const double rise = a->values[slot] - b->values[slot];
        if (fabs(rise) > SAME * rh__engine_size(&reduction->engine, slot, a->values[slot])) {
            return rise > 0.0;
        }
    }
    return false;
}

// Solve from where the bench is; what is found is kept.
static rh_status try_here(rh_steady *steady, const rh_rest_query *query, const rh_steady_def *def,
                          uint64_t *work)
{
    rh_rest_answer answer;
    RH_TRY(rh__rest_solve(steady->bench, query, &answer));
    *work += answer.work;
    steady->work += answer.work;
    if (answer.is_found && !is_listed(steady)) {
        RH_TRY(rh__rest_confirm(steady->bench, query, &answer));
    }
    return answer.is_found ? keep(steady, &answer, def->solution_limit) : RH_OK;
}

// The same where motions lead to, from the guess and from places around it.
static rh_status follow_motions(rh_steady *steady, const rh_rest_query *query,
                                const rh_steady_def *def)
{
    rh_random random = rh__random_begin(1687);
    uint64_t work = 0;
    const bool is_one_of_many = steady->found.count > 0 && steady->found.data[0].loose > 0;
    const uint32_t count =
        query->observed_count > 0 || is_one_of_many || def->start_limit < MOTIONS ? 0 : MOTIONS;
    for (uint32_t n = 0; n < count && work < MOST_STREAMS && !steady->is_ended; n++) {
        bool is_there = false;
        begin_at(steady, n < 2 ? n : 2 * (n % NEARBY) + n % 2, &random);
        RH_TRY(rh__stream_follow(steady->bench, query, &work, &is_there));
        if (is_there) {
            RH_TRY(try_here(steady, query, def, &work));
        }
        steady->is_ended = def->is_wanted != NULL && !def->is_wanted(def->user);
    }
    return RH_OK;
}

static rh_status search(rh_steady *steady, const rh_steady_def *def)
{
    rh_rest_query query = rh__wish_query(&steady->wish);
    rh_random random = rh__random_begin(1980);
    const uint32_t starts = def->start_limit > 0 ? def->start_limit : 1;
    uint64_t work = 0;
    query.is_wanted = def->is_wanted;
    query.user = def->user;
    uint32_t tried = 0;
    for (uint32_t n = 0; n < starts && work < MOST_WORK; n++) {
        if (n > 0 && def->is_wanted != NULL && !def->is_wanted(def->user)) {
            steady->is_ended = true;
            break;
        }
        tried = n + 1;
        begin_at(steady, n, &random);
        RH_TRY(try_here(steady, &query, def, &work));
        if (n == 0) { // sinks have a place in the list before others
            RH_TRY(follow_motions(steady, &query, def));
        }
        if (steady->found.count > 0 && steady->found.data[0].loose > 0) {
            break; // one of many
        }
    }
    // nearest first; the list is short
    for (uint32_t k = 1; k < steady->found.count; k++) {
        const rh_steady_found it = steady->found.data[k];
        uint32_t at = k;
        while (at > 0 && is_nearer(steady, &it, &steady->found.data[at - 1])) {
            steady->found.data[at] = steady->found.data[at - 1];
            at--;
        }
        steady->found.data[at] = it;
    }
    if (steady->found.count == 0) {
        excuse(steady, tried);
    }
    return rh__unseen_find(steady->bench, steady->wish.values, &steady->unseen);
}

// --- making --------------------------------------------------------------------------------------

static rh_status describe(rh_steady *steady)
{
    const rh_reduction *reduction = steady->reduction;
    rh_arena *arena = &steady->arena;
    const rh_frame *frame = &reduction->frame;
    steady->cyclic = rh__arena_array(arena, uint32_t, (size_t)reduction->split.n + 1);
    steady->formulas = rh__arena_array(arena, const char *, (size_t)frame->count + 1);
    RH_TRY(steady->cyclic == NULL || steady->formulas == NULL ? arena->status : RH_OK);
    steady->cyclic_count = 0;
    for (uint32_t k = 0; k < reduction->split.n; k++) {
        if (!reduction->split.is_positional[k]) {
            steady->cyclic[steady->cyclic_count++] = k;
        }
    }
    for (uint32_t k = 0; k < frame->count; k++) {
        rh_show *show = rh__show_create(steady->equations->store, arena, RH_NOTATION_TEXT,
                                        &frame->rows[k].value, 1);
        rh_text text = rh__text_begin(arena, NULL);
        RH_TRY(show == NULL ? arena->status : RH_OK);
        rh__show_expr(show, frame->rows[k].value, &text);
        steady->formulas[k] = rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    }
    return rh__workbench_create(reduction, &steady->bench);
}

static rh_status build(rh_steady *steady, const rh_steady_def *def, rh_error *err)
{
    for (uint32_t rank = 0; rank < MOST_FRAMES; rank++) {
        const rh_reduction_def more = {.rank = rank};
        RH_TRY(rh__wish_reduce(steady->equations, def, &more, &steady->arena, &steady->reduction,
                               &steady->wish, err));
        RH_TRY(describe(steady));
        RH_TRY(search(steady, def));
        if (steady->found.count > 0 || !steady->reduction->has_more || rank + 1 == MOST_FRAMES ||
            steady->work > MOST_WORK / 4 || steady->is_ended) {
            break;
        }
        // the same in other quasi-velocities: these may be singular where it is steady
        if (rank == 0) {
            memcpy(steady->first_reason, steady->reason, sizeof steady->reason);
        }
        rh__workbench_destroy(steady->bench);
        rh__reduction_destroy(steady->reduction);
        steady->bench = NULL;
        steady->reduction = NULL;
    }
    if (steady->first_reason[0] != '\0') {
        memcpy(steady->reason, steady->first_reason, sizeof steady->reason);
    }
    return RH_OK;
}

static bool values_are_there(const rh_steady_value *list, size_t count)
{
    bool ok = list != NULL || count == 0;
    for (size_t k = 0; ok && k < count; k++) {
        ok = list[k].name != NULL;
    }
    return ok;
}

bool rh__steady_names_are_there(const rh_steady_def *def)
{
    return values_are_there(def->fix, def->fix_count) &&
           values_are_there(def->guess, def->guess_count) &&
           rh__strings_are_there(def->dials, def->dial_count);
}

rh_status rh_steady_create(rh_equations *equations, const rh_steady_def *def, rh_steady **out,
                           rh_error *err)
{
    RH_REQUIRE(equations != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(rh__steady_names_are_there(def), err);
    RH_REQUIRE(def->struct_size == sizeof *def && def->reserved == 0, err);
    RH_REQUIRE(def->solution_limit > 0, err);
    *out = NULL;
    if (!equations->is_sound) {
        return rh__error_fill(err, RH_E_MODEL, "%s", rh_status_text(RH_E_MODEL));
    }
    const rh_arena *like = &equations->arena;
    rh_arena arena = rh__arena_begin(like->allocator, like->limit);
    rh_steady *steady = rh__arena_new(&arena, rh_steady);
    if (steady == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    steady->arena = arena;
    steady->equations = equations;
    rh_error reason = {.message = ""};
    const rh_status status = rh__guard_settle(arena.allocator, build(steady, def, &reason));
    if (status != RH_OK) {
        rh_steady_destroy(steady);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    *out = steady;
    return RH_OK;
}

void rh_steady_destroy(rh_steady *steady)
{
    if (steady == NULL) {
        return;
    }
    rh__workbench_destroy(steady->bench);
    rh__reduction_destroy(steady->reduction);
    rh_arena arena = steady->arena;
    rh__arena_end(&arena);
}

// --- looking -------------------------------------------------------------------------------------

rh_steady_summary rh_steady_summarise(const rh_steady *steady)
{
    if (steady == NULL) {
        return (rh_steady_summary){.struct_size = (uint32_t)sizeof(rh_steady_summary)};
    }
    const rh_reduction *reduction = steady->reduction;
    return (rh_steady_summary){.struct_size = (uint32_t)sizeof(rh_steady_summary),
                               .solution_count = steady->found.count,
                               .is_frame_given = reduction->frame.is_given,
                               .is_closed = reduction->engine.is_closed,
                               .condition = reduction->frame.condition,
                               .is_ended = steady->is_ended,
                               .has_more = steady->has_more,
                               .reason = steady->found.count == 0 ? steady->reason : "",
                               .unseen = steady->unseen};
}

size_t rh_steady_positional_count(const rh_steady *steady)
{
    return steady->reduction->split.count;
}

const char *rh_steady_positional(const rh_steady *steady, size_t index)
{
    return index < steady->reduction->split.count ? rh_steady_variable_name(steady, index) : "";
}

size_t rh_steady_cyclic_count(const rh_steady *steady)
{
    return steady->cyclic_count;
}

const char *rh_steady_cyclic(const rh_steady *steady, size_t index)
{
    return index < steady->cyclic_count ? steady->reduction->names[1 + steady->cyclic[index]] : "";
}

size_t rh_steady_velocity_count(const rh_steady *steady)
{
    return steady->reduction->frame.count;
}

const char *rh_steady_velocity_name(const rh_steady *steady, size_t index)
{
    const rh_engine *engine = &steady->reduction->engine;
    return index < engine->velocities.count
               ? steady->reduction->names[1 + engine->velocities.first + index]
               : "";
}

const char *rh_steady_velocity_formula(const rh_steady *steady, size_t index)
{
    return index < steady->reduction->frame.count ? steady->formulas[index] : "";
}

rh_steady_condition rh_steady_condition_at(const rh_steady *steady, size_t index)
{
    return steady->reduction->conditions[index < RH_STEADY_CONDITIONS ? index : 0];
}

size_t rh_steady_variable_count(const rh_steady *steady)
{
    return steady->reduction->y_count;
}

const char *rh_steady_variable_name(const rh_steady *steady, size_t index)
{
    const rh_reduction *reduction = steady->reduction;
    return index < reduction->y_count ? reduction->names[reduction->place[index]] : "";
}

rh_steady_motion rh_steady_solution(const rh_steady *steady, size_t index)
{
    return index < steady->found.count ? rh__steady_show(steady, &steady->found.data[index])
                                       : (rh_steady_motion){.struct_size = 0};
}
