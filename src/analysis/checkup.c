// SPDX-License-Identifier: Apache-2.0
// The constraint doctor. EXAMINATIONS lists what it looks at, in order.

#include "analysis/examine.h"

// --- states ------------------------------------------------------------------------------------

// A state on the constraints about so far away, or nearer: parts may be small. `size` becomes the
// distance that was gone.
static rh_status wander(rh_checkup *checkup, uint32_t state, double *size)
{
    for (uint32_t k = 0; k < 5; k++, *size /= 10.0) {
        RH_TRY(rh__start_wander(checkup->equations, &checkup->start.point, *size, state,
                                &checkup->arena, &checkup->states[state],
                                &checkup->is_state[state]));
        if (checkup->is_state[state]) {
            break;
        }
    }
    return RH_OK;
}

// A start, two states on the constraints near it, and one off them.
static rh_status find_states(rh_checkup *checkup)
{
    rh_equations *equations = checkup->equations;
    rh_arena *arena = &checkup->arena;
    RH_TRY(rh__layout_create(equations, arena, &checkup->layout));
    RH_TRY(
        rh__start_find(equations, &checkup->layout, arena, &checkup->diagnostics, &checkup->start));
    const rh_point *start = &checkup->start.point;
    checkup->states[RH_CHECKUP_START] = *start;
    checkup->is_state[RH_CHECKUP_START] = true;
    if (checkup->diagnostics.error_count > 0) {
        return RH_OK;
    }
    checkup->sizes = rh__arena_array(arena, double, (size_t)checkup->layout.symbols.count + 1);
    RH_TRY(checkup->sizes == NULL ? arena->status : RH_OK);
    RH_TRY(rh__sizes_find(equations, start, arena, checkup->sizes, &checkup->time_size));
    double size = 0.25;
    RH_TRY(wander(checkup, RH_CHECKUP_NEAR, &size));
    size *= 2.0;
    RH_TRY(wander(checkup, RH_CHECKUP_FAR, &size));
    rh_point *off = &checkup->states[RH_CHECKUP_OFF];
    RH_TRY(rh__point_create(&checkup->layout, arena, off));
    rh_random random = rh__random_begin(3);
    for (uint32_t k = 0; k < checkup->layout.symbols.count; k++) {
        off->values[k] =
            start->values[k] + rh__random_uniform(&random, -0.5, 0.5) * checkup->sizes[k];
    }
    checkup->is_state[RH_CHECKUP_OFF] = true;
    return RH_OK;
}

static rh_status reserve(rh_checkup *checkup)
{
    const uint32_t links = checkup->equations->links.count;
    checkup->links = rh__arena_array(&checkup->arena, rh_link_report, (size_t)links + 1);
    checkup->is_active = rh__arena_array(&checkup->arena, bool, (size_t)links + 1);
    checkup->degrees_of_freedom = RH_RANK_UNKNOWN;
    checkup->configuration_dimension = RH_RANK_UNKNOWN;
    return checkup->links != NULL && checkup->is_active != NULL ? RH_OK : checkup->arena.status;
}

// --- conclusions -------------------------------------------------------------------------------

// Nothing is known about a constraint that is not linear in velocities.
static bool is_open(const rh_checkup *checkup, uint32_t link)
{
    const rh_constraint *constraint = checkup->equations->links.data[link].constraint;
    return constraint->kind == RH_KIND_NONHOLONOMIC && !constraint->is_linear &&
           checkup->links[link].is_integrable == RH_ANSWER_UNKNOWN;
}

static rh_status conclude(rh_checkup *checkup, rh_arena *scratch)
{
    (void)scratch;
    const uint32_t rank = checkup->rank[RH_CHECKUP_START];
    const uint32_t n = checkup->equations->carriers.count;
    if (rank != RH_RANK_UNKNOWN) {
        checkup->degrees_of_freedom = n - rank;
    }
    bool is_judged = checkup->is_flag_known == RH_ANSWER_YES;
    for (uint32_t k = 0; k < checkup->equations->links.count; k++) {
        // one that keeps a function of coordinates or not
        is_judged = is_judged && !(rh__checkup_keeps(checkup, k) && is_open(checkup, k));
    }
    if (checkup->holonomic_rank != RH_RANK_UNKNOWN && is_judged) {
        checkup->configuration_dimension = checkup->equations->coordinate_count -
                                           checkup->holonomic_rank - checkup->hidden_integrals;
    }
    return RH_OK;
}

typedef struct examination {
    const char *name;
    rh_status (*run)(rh_checkup *checkup, rh_arena *scratch);
} examination;

static const examination EXAMINATIONS[] = {
    {"touch", rh__checkup_touch},           // what acts at the start
    {"ranks", rh__checkup_ranks},           // off and on the constraints, redundant sets
    {"integrable", rh__checkup_integrable}, // single rows
    {"flag", rh__checkup_flag},             // combinations of rows
    {"ideal", rh__checkup_ideal},           // virtual work, control
    {"conclude", conclude},
};

// Was memory refused where a verdict does not look: in an expression, a remark?
static rh_status find_refusal(const rh_checkup *checkup, const rh_arena *scratch)
{
    const rh_refusal why = rh__store_refusal(checkup->equations->store);
    if (scratch->status != RH_OK || checkup->arena.status != RH_OK) {
        return scratch->status != RH_OK ? scratch->status : checkup->arena.status;
    }
    return why == RH_REFUSAL_NONE ? RH_OK : why == RH_REFUSAL_MEMORY ? RH_E_MEMORY : RH_E_LIMIT;
}

static rh_status examine(rh_checkup *checkup)
{
    RH_TRY(reserve(checkup));
    RH_TRY(find_states(checkup));
    rh_arena scratch = rh__arena_begin(checkup->arena.allocator, checkup->arena.limit);
    rh_status status = RH_OK;
    for (size_t k = 0; k < sizeof EXAMINATIONS / sizeof *EXAMINATIONS && status == RH_OK &&
                       checkup->diagnostics.error_count == 0;
         k++) {
        status = EXAMINATIONS[k].run(checkup, &scratch);
        status = status == RH_OK ? find_refusal(checkup, &scratch) : status;
    }
    rh__arena_end(&scratch);
    if (status != RH_OK) {
        return status;
    }
    rh__diagnostics_sort(&checkup->diagnostics);
    return checkup->diagnostics.error_count == 0 ? RH_OK : RH_E_MODEL;
}

rh_status rh_checkup_create(rh_equations *equations, rh_checkup **out, rh_error *err)
{
    RH_REQUIRE(equations != NULL && out != NULL, err);
    *out = NULL;
    if (!equations->is_sound) {
        return rh__error_fill(err, RH_E_ARGUMENT, "a checkup needs equations without errors");
    }
    rh_arena arena = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    rh_checkup *checkup = rh__arena_new(&arena, rh_checkup);
    if (checkup == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    checkup->arena = arena;
    checkup->equations = equations;
    checkup->diagnostics = rh__diagnostics_begin(&checkup->arena);
    const rh_status status = rh__guard_settle(arena.allocator, examine(checkup));
    if (status == RH_OK || status == RH_E_MODEL) {
        *out = checkup;
    } else {
        rh_checkup_destroy(checkup);
    }
    if (status == RH_OK) {
        return status;
    }
    (void)rh__error_fill(err, status, "%s", rh_status_text(status));
    return status == RH_E_MODEL ? status : rh__guard_explain(arena.allocator, status, err);
}

void rh_checkup_destroy(rh_checkup *checkup)
{
    if (checkup != NULL) {
        rh_arena arena = checkup->arena;
        rh__arena_end(&arena);
    }
}

size_t rh_checkup_diagnostic_count(const rh_checkup *checkup)
{
    return checkup == NULL ? 0 : checkup->diagnostics.remarks.count;
}

rh_diagnostic rh_checkup_diagnostic(const rh_checkup *checkup, size_t index)
{
    return index >= rh_checkup_diagnostic_count(checkup)
               ? (rh_diagnostic){.code = "", .message = ""}
               : rh__model_remark(checkup->equations->model,
                                  &checkup->diagnostics.remarks.data[index]);
}
