// SPDX-License-Identifier: Apache-2.0
// Linear systems: x' = A x + B u, y = C x + D u around a state or a steady motion, in independent
// variables of the reduced system. What a level fixes moves with them and with the inputs.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

struct rh_linear {
    rh_arena arena;
    rh_equations *equations;
    rh_reduction *reduction;
    rh_workbench *bench;
    rh_wish wish;
    rh_judgement judgement;
    uint32_t *input;  // moving slots
    uint32_t *output; // outputs of the tape; UINT32_MAX: a place
    uint32_t *place;  // that place
    rh_linear_system system;
};

// --- outputs -------------------------------------------------------------------------------------

static uint32_t velocity_of(const rh_linear *linear, const char *name)
{
    const rh_equations *equations = linear->equations;
    for (uint32_t k = 0; k < equations->coordinate_count; k++) {
        const rh_slice unit = linear->reduction->ground.units[k].row.name;
        if (strlen(name) == unit.size + 1 && strncmp(name, unit.data, unit.size) == 0 &&
            name[unit.size] == '\'') {
            return k;
        }
    }
    return UINT32_MAX;
}

// A cyclic coordinate in an observed quantity is none of the reduced system's.
static rh_status refuse_cyclic(rh_linear *linear, const char *name, rh_expr e, rh_error *err)
{
    const rh_equations *equations = linear->equations;
    rh_expr_list found = {0};
    if (!rh__expr_symbols(equations->store, e, RH_ROLE_COORD, &linear->arena, &found)) {
        return linear->arena.status;
    }
    for (uint32_t k = 0; k < found.count; k++) {
        for (uint32_t j = 0; j < equations->coordinate_count; j++) {
            bool is_place = false;
            for (uint32_t p = 0; p < linear->reduction->place_count; p++) {
                is_place = is_place || linear->reduction->place[p] == 1 + j;
            }
            if (equations->carriers.data[j].position.i == found.data[k].i && !is_place) {
                return rh__error_fill(
                    err, RH_E_ARGUMENT,
                    "--output %.80s holds the cyclic coordinate %.60s, which is "
                    "no state of the reduced system; its velocity can be an output",
                    name, linear->reduction->names[1 + j]);
            }
        }
    }
    return RH_OK;
}

static rh_status find_output(rh_linear *linear, const rh_reduction_def *def, const char *name,
                             uint32_t k, rh_error *err)
{
    const rh_reduction *reduction = linear->reduction;
    const rh_model *model = linear->equations->model;
    const uint32_t slot = rh__reduction_slot(reduction, name);
    linear->output[k] = linear->place[k] = UINT32_MAX;
    for (uint32_t p = 0; p < reduction->place_count; p++) {
        if (reduction->place[p] == slot) {
            linear->place[k] = p;
            return RH_OK;
        }
    }
    if (slot != UINT32_MAX && slot <= reduction->engine.coordinates.count) {
        return refuse_cyclic(linear, name, reduction->engine.x.data[slot - 1], err);
    }
    linear->output[k] = velocity_of(linear, name);
    for (uint32_t o = 0; o < def->observe_count && linear->output[k] == UINT32_MAX; o++) {
        const rh_observe *observe = &model->observes.data[def->observes[o]];
        if (strcmp(observe->name, name) == 0) {
            RH_TRY(refuse_cyclic(linear, name, observe->value, err));
            linear->output[k] = reduction->observe_first + o;
        }
    }
    RH_ASSERT(linear->place[k] == UINT32_MAX);
    return linear->output[k] != UINT32_MAX
               ? RH_OK
               : rh__error_fill(err, RH_E_ARGUMENT,
                                "--output %.80s is no variable and no observed quantity", name);
}

// --- matrices ------------------------------------------------------------------------------------

// How an output of the tape moves along a column of the tangent; of a dial with its own share.
static double slope_along(const rh_linear *linear, uint32_t output, uint32_t column)
{
    RH_ASSERT(output < linear->reduction->slopes.output_count);
    const rh_reduction *reduction = linear->reduction;
    const rh_judgement *judgement = &linear->judgement;
    const size_t outputs = reduction->slopes.output_count;
    const double *jacobian = linear->bench->jacobian;
    double sum =
        column < judgement->size
            ? 0.0
            : jacobian[output + (reduction->place_count + column - judgement->size) * outputs];
    for (uint32_t j = 0; j < reduction->place_count; j++) {
        sum += jacobian[output + j * outputs] *
               judgement->tangent[j + (size_t)column * reduction->place_count];
    }
    return sum;
}

static void fill_matrices(rh_linear *linear, double *b, double *c, double *d)
{
    const rh_reduction *reduction = linear->reduction;
    const rh_judgement *judgement = &linear->judgement;
    const rh_linear_system *system = &linear->system;
    const uint32_t n = judgement->size;
    for (uint32_t k = 0; k < system->input_count; k++) {
        const uint32_t column = n + linear->input[k] - reduction->place_count;
        RH_ASSERT(linear->input[k] >= reduction->place_count); // a dial
        for (uint32_t i = 0; i < n; i++) {
            b[i + (size_t)k * n] = slope_along(linear, judgement->slots[i] - 1, column);
        }
    }
    for (uint32_t k = 0; k < n + system->input_count; k++) {
        const uint32_t column = k < n ? k : n + linear->input[k - n] - reduction->place_count;
        double *to = k < n ? c + (size_t)k * system->output_count
                           : d + (size_t)(k - n) * system->output_count;
        for (uint32_t i = 0; i < system->output_count; i++) {
            to[i] = linear->output[i] != UINT32_MAX
                        ? slope_along(linear, linear->output[i], column)
                        : judgement
                              ->tangent[linear->place[i] + (size_t)column * reduction->place_count];
        }
    }
}

static void fill_point(rh_linear *linear, double *point, double *rates, double *inputs,
                       double *outputs)
{
    const rh_workbench *bench = linear->bench;
    const rh_reduction *reduction = linear->reduction;
    rh_linear_system *system = &linear->system;
    system->is_steady = !reduction->split.reads_time; // else for a moment at most
    for (uint32_t k = 0; k < linear->judgement.size; k++) {
        const uint32_t slot = linear->judgement.slots[k];
        RH_ASSERT(0 < slot && slot < reduction->slot_count);
        point[k] = bench->values[slot];
        rates[k] = bench->outputs[slot - 1];
    }
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        const uint32_t output = reduction->place[k] - 1;
        system->is_steady =
            system->is_steady && fabs(bench->outputs[output]) <= 1e-10 * reduction->typical[output];
    }
    for (uint32_t k = 0; k < system->input_count; k++) {
        inputs[k] = bench->values[reduction->moving[linear->input[k]]];
    }
    for (uint32_t k = 0; k < system->output_count; k++) {
        outputs[k] = linear->output[k] != UINT32_MAX
                         ? bench->outputs[linear->output[k]]
                         : bench->values[reduction->place[linear->place[k]]];
    }
}

static rh_status refuse_singular(const rh_linear *linear, rh_error *err)
{
    char place[120];
    rh__state_say(linear->bench, sizeof place, place);
    return rh__error_fill(err, RH_E_UNAVAILABLE,
                          "at %s the equations are singular within rounding (the constraints lose "
                          "rank, or the inertia or the velocities do): they have no linear part "
                          "there",
                          place);
}

static rh_status find_roots(rh_linear *linear, rh_steady_root *roots, rh_error *err)
{
    const uint32_t n = linear->judgement.size;
    double *balance = rh__arena_array(&linear->arena, double, (size_t)n + 1);
    double *balanced = rh__arena_array(&linear->arena, double, (size_t)n *n + 1);
    double norm = 0.0;
    RH_TRY(balance == NULL || balanced == NULL ? linear->arena.status : RH_OK);
    rh__judge_balance(linear->reduction, n, linear->judgement.slots, linear->judgement.matrix,
                      balance, balanced);
    for (size_t k = 0; k < (size_t)n * n; k++) {
        norm = hypot(norm, balanced[k]);
    }
    rh_matrix_size size = {.norm = norm, .pace = linear->reduction->engine.pace};
    RH_TRY(rh__doubt_linear(linear->bench, &linear->judgement, balance, norm, &size.off));
    if (rh__doubt_hides(size)) {
        return refuse_singular(linear, err);
    }
    RH_TRY(rh__bars_find(&linear->arena, n, balanced, size, roots));
    rh__roots_sort(roots, n);
    for (uint32_t k = 0; k < n; k++) {
        roots[k] = rh__root_cleared(roots[k]);
    }
    return RH_OK;
}

static rh_status fill(rh_linear *linear, rh_error *err)
{
    rh_arena *arena = &linear->arena;
    const rh_reduction *reduction = linear->reduction;
    rh_linear_system *system = &linear->system;
    const uint32_t n = linear->judgement.size;
    const size_t m = system->input_count;
    const size_t p = system->output_count;
    const char **states = rh__arena_array(arena, const char *, (size_t)n + 1);
    double *b = rh__arena_array(arena, double, n *m + 1);
    double *c = rh__arena_array(arena, double, n *p + 1);
    double *d = rh__arena_array(arena, double, m *p + 1);
    double *numbers = rh__arena_array(arena, double, 2 * (size_t)n + m + p + 1);
    rh_steady_root *roots = rh__arena_array(arena, rh_steady_root, (size_t)n + 1);
    if (states == NULL || b == NULL || c == NULL || d == NULL || numbers == NULL || roots == NULL) {
        return arena->status;
    }
    for (uint32_t k = 0; k < n; k++) {
        states[k] = reduction->names[linear->judgement.slots[k]];
    }
    fill_matrices(linear, b, c, d);
    fill_point(linear, numbers, numbers + n, numbers + 2 * (size_t)n, numbers + 2 * (size_t)n + m);
    RH_TRY(find_roots(linear, roots, err));
    system->struct_size = (uint32_t)sizeof *system;
    system->state_count = n;
    system->states = states;
    system->a = linear->judgement.matrix;
    system->b = b;
    system->c = c;
    system->d = d;
    system->point = numbers;
    system->rates = numbers + n;
    system->input_values = numbers + 2 * (size_t)n;
    system->output_values = numbers + 2 * (size_t)n + m;
    system->roots = roots;
    return RH_OK;
}

// --- making --------------------------------------------------------------------------------------

static const char **copy_names(rh_arena *arena, const char *const *names, size_t count)
{
    const char **copy = rh__arena_array(arena, const char *, count + 1);
    for (size_t k = 0; copy != NULL && k < count; k++) {
        copy[k] = rh__text_print(arena, "%s", names[k]);
    }
    return copy;
}

static rh_status reduce(rh_linear *linear, const rh_linear_def *def, rh_reduction_def *more,
                        rh_error *err)
{
    const rh_model *model = linear->equations->model;
    rh_arena *arena = &linear->arena;
    uint32_t *observes = rh__arena_array(arena, uint32_t, def->output_count + 1);
    RH_TRY(observes == NULL ? arena->status : RH_OK);
    *more = (rh_reduction_def){.dials = def->inputs,
                               .dial_count = (uint32_t)def->input_count,
                               .observes = observes,
                               .keeps_velocities = true, // what a linear system is about
                               .allows_time = !def->is_steady,
                               .keeps_dials = true};
    for (size_t k = 0; k < def->output_count; k++) {
        for (uint32_t o = 0; o < model->observes.count; o++) {
            if (strcmp(model->observes.data[o].name, def->outputs[k]) == 0) {
                observes[more->observe_count++] = o;
                break;
            }
        }
    }
    RH_TRY(rh__wish_reduce(linear->equations, &def->steady, more, arena, &linear->reduction,
                           &linear->wish, err));
    return rh__workbench_create(linear->reduction, &linear->bench);
}

// One that touches at the start but is being left does not act.
static rh_status refuse_leaving(rh_linear *linear, uint32_t link, const char *name, rh_error *err)
{
    const rh_link *it = &linear->equations->links.data[link];
    const rh_frame_ground *ground = &linear->reduction->ground;
    for (uint32_t level = 1; level < it->level_count; level++) {
        double speed = 0.0;
        bool is_none = false;
        RH_TRY(rh__frame_level(ground, it->levels[level], &speed, &is_none));
        if (!is_none) {
            return rh__error_fill(err, RH_E_UNAVAILABLE,
                                  "the one-sided constraint %.80s touches at the start and is "
                                  "being left (%.4g): it acts on neither side of this moment; give "
                                  "a start off it, or one that stays on it",
                                  name, speed);
        }
    }
    return RH_OK;
}

// One-sided constraints that act at the state of the bench; of one that touches without pressing,
// or is being left, the matrices would be those of one side only.
static rh_status find_acting(rh_linear *linear, bool is_steady, rh_error *err)
{
    const rh_reduction *reduction = linear->reduction;
    const rh_frame_ground *ground = &reduction->ground;
    const rh_equations *equations = linear->equations;
    const rh_workbench *bench = linear->bench;
    rh_text text = rh__text_begin(&linear->arena, NULL);
    const uint32_t refused = rh__sides_refuse(bench);
    if (refused != UINT32_MAX) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the one-sided constraint %.80s is violated there, or would have to "
                              "pull: those that touch at the start are kept; give a start off it, "
                              "or one at which it pushes",
                              reduction->side_names[refused]);
    }
    uint32_t side = 0;
    for (uint32_t k = 0; reduction->side_count > 0 && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (!link->constraint->is_one_sided || !rh__link_is_enforced(link)) {
            continue;
        }
        const char *name = reduction->side_names[side++];
        if (ground->is_kept[k]) {
            RH_TRY(is_steady ? RH_OK : refuse_leaving(linear, k, name, err));
            rh__text_format(&text, "%s%s", rh__text_slice(&text).size > 0 ? ", " : "", name);
        }
    }
    linear->system.acting =
        rh__text_print(&linear->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    return linear->arena.status;
}

// The state must be one of the model's: constraints hold, and the equations are regular.
static rh_status settle(rh_linear *linear, const rh_linear_def *def, rh_error *err)
{
    rh_workbench *bench = linear->bench;
    const rh_frame_ground *ground = &linear->reduction->ground;
    memcpy(bench->values, linear->wish.values,
           linear->reduction->slot_count * sizeof *bench->values);
    if (def->is_steady) {
        const rh_rest_query query = rh__wish_query(&linear->wish);
        rh_rest_answer answer;
        RH_TRY(rh__rest_solve(bench, &query, &answer));
        RH_TRY(answer.is_found ? rh__rest_confirm(bench, &query, &answer) : RH_OK);
        if (!answer.is_found) {
            return rh__error_fill(
                err, RH_E_UNAVAILABLE,
                "no steady motion was found from the guess; `rheonom steady` looks "
                "for more, and says why");
        }
    } else if (!rh__workbench_slope(bench)) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the equations of motion cannot be evaluated at the start");
    } else if (ground->complaint != NULL) {
        return rh__error_fill(err, RH_E_MODEL,
                              "%.160s: nothing is linearised where the constraints do not hold",
                              ground->complaint);
    }
    bool is_singular = false;
    RH_TRY(rh__state_is_singular(bench, !def->is_steady, &is_singular));
    return is_singular ? refuse_singular(linear, err) : find_acting(linear, def->is_steady, err);
}

static rh_status build(rh_linear *linear, const rh_linear_def *def, rh_error *err)
{
    rh_reduction_def more;
    rh_arena *arena = &linear->arena;
    RH_TRY(reduce(linear, def, &more, err));
    const rh_reduction *reduction = linear->reduction;
    RH_TRY(settle(linear, def, err));
    linear->input = rh__arena_array(arena, uint32_t, def->input_count + 1);
    linear->output = rh__arena_array(arena, uint32_t, def->output_count + 1);
    linear->place = rh__arena_array(arena, uint32_t, def->output_count + 1);
    linear->system.inputs = copy_names(arena, def->inputs, def->input_count);
    linear->system.outputs = copy_names(arena, def->outputs, def->output_count);
    linear->system.input_count = (uint32_t)def->input_count;
    linear->system.output_count = (uint32_t)def->output_count;
    if (linear->input == NULL || linear->output == NULL || linear->place == NULL ||
        arena->status != RH_OK) {
        return arena->status;
    }
    for (uint32_t k = 0; k < def->input_count; k++) {
        const uint32_t slot = rh__reduction_slot(reduction, def->inputs[k]);
        for (uint32_t j = reduction->place_count; j < reduction->moving_count; j++) {
            linear->input[k] = reduction->moving[j] == slot ? j : linear->input[k];
        }
    }
    for (uint32_t k = 0; k < def->output_count; k++) {
        RH_TRY(find_output(linear, &more, def->outputs[k], k, err));
    }
    RH_TRY(rh__judgement_reserve(reduction, arena, &linear->judgement));
    RH_TRY(rh__workbench_clear(linear->bench));
    linear->judgement.is_given = !def->is_steady;
    RH_TRY(rh__judge_linear(linear->bench, &linear->judgement));
    const rh_kink_query kinks = {.row_count = reduction->engine.switch_first, .moves_dials = true};
    rh_kink kink;
    RH_TRY(rh__cells_compare(linear->bench, &kinks, &kink));
    linear->system.switching = kink.name;
    if (kink.name == NULL) {
        RH_TRY(rh__judge_border(linear->bench, &linear->judgement));
        linear->system.switching =
            linear->judgement.border == NULL || linear->judgement.is_elastic
                ? NULL
                : rh__text_print(arena, "the push of %s", linear->judgement.border);
    }
    return fill(linear, err);
}

rh_status rh_linear_create(rh_equations *equations, const rh_linear_def *def, rh_linear **out,
                           rh_error *err)
{
    RH_REQUIRE(equations != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def, err);
    RH_REQUIRE(rh__strings_are_there(def->inputs, def->input_count), err);
    RH_REQUIRE(rh__strings_are_there(def->outputs, def->output_count), err);
    RH_REQUIRE(rh__steady_names_are_there(&def->steady), err);
    *out = NULL;
    if (!equations->is_sound) {
        return rh__error_fill(err, RH_E_MODEL, "%s", rh_status_text(RH_E_MODEL));
    }
    rh_arena arena = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    rh_linear *linear = rh__arena_new(&arena, rh_linear);
    if (linear == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    linear->arena = arena;
    linear->equations = equations;
    rh_error reason = {.message = ""};
    const rh_status status = rh__guard_settle(arena.allocator, build(linear, def, &reason));
    if (status != RH_OK) {
        rh_linear_destroy(linear);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    *out = linear;
    return RH_OK;
}

void rh_linear_destroy(rh_linear *linear)
{
    if (linear == NULL) {
        return;
    }
    rh__workbench_destroy(linear->bench);
    rh__reduction_destroy(linear->reduction);
    rh_arena arena = linear->arena;
    rh__arena_end(&arena);
}

rh_linear_system rh_linear_look(const rh_linear *linear)
{
    return linear->system;
}
