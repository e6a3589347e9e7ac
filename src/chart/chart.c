// SPDX-License-Identifier: Apache-2.0
// Charts: from a recipe to a seed, and from the seed to verdicts and curves. The passes are in
// draw().

#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given

#include "chart/chart.h"

#include <math.h>
#include <sched.h>
#include <string.h>

enum {
    MOST_THREADS = 1024,
    MOST_ALONG = 100000, // points of an axis
    MOST_POINTS = 100000000
};

// --- small things --------------------------------------------------------------------------------

const char *rh_chart_kind_text(uint32_t kind)
{
    return kind < RH_CHART_NONE    ? rh_steady_verdict_text((rh_steady_verdict)kind)
           : kind == RH_CHART_NONE ? "none"
                                   : "not computed";
}

double rh__chart_coordinate(const rh_chart *chart, int axis, uint32_t index)
{
    const rh_chart_axis *it = axis == 0 ? &chart->def.x : &chart->def.y;
    const uint32_t last = it->count - 1;
    // both ends are as given, and equal steps round alike from both sides
    return index == last ? it->high
                         : it->low + (it->high - it->low) * ((double)index / (double)last);
}

bool rh__chart_is_over(rh_chart *chart)
{
    const uint64_t points = (uint64_t)chart->counts[0] * chart->counts[1];
    if (chart->def.go_on != NULL && !atomic_load(&chart->is_stopped) &&
        !chart->def.go_on(chart->def.user, atomic_load(&chart->done), points)) {
        atomic_store(&chart->is_stopped, true);
    }
    return atomic_load(&chart->is_stopped);
}

static uint32_t count_processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

// --- threads -------------------------------------------------------------------------------------

typedef struct chart_pass {
    rh_chart *chart;
    rh_chart_task *task;
    void *user;
} chart_pass;

static bool run_item(void *user, uint32_t thread, size_t item)
{
    const chart_pass *pass = user;
    rh_spot *spot = pass->chart->spots[thread];
    pass->task(spot, pass->user, item);
    return spot->status == RH_OK;
}

static bool may_go_on(void *user)
{
    return !rh__chart_is_over(((const chart_pass *)user)->chart);
}

rh_status rh__chart_for_each(rh_chart *chart, size_t count, rh_chart_task *task, void *user)
{
    chart_pass pass = {chart, task, user};
    rh_status status = RH_OK;
    if (!rh__chart_is_over(chart)) {
        rh__parallel_for(&(rh_parallel){.count = count,
                                        .threads = chart->thread_count,
                                        .run = run_item,
                                        .go_on = may_go_on,
                                        .user = &pass});
    }
    for (uint32_t k = 0; k < chart->thread_count; k++) {
        status = chart->spots[k]->status != RH_OK ? chart->spots[k]->status : status;
    }
    return status;
}

// --- the call ------------------------------------------------------------------------------------

static rh_status check_axis(const char *which, const rh_chart_axis *axis, rh_error *err)
{
    if (axis->name == NULL || axis->name[0] == '\0') {
        return rh__error_fill(err, RH_E_ARGUMENT, "the %s axis has no name", which);
    }
    if (!isfinite(axis->low) || !isfinite(axis->high) || axis->low == axis->high ||
        !isfinite(axis->high - axis->low)) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "the %s axis %.80s wants two different numbers as its ends", which,
                              axis->name);
    }
    if (axis->count < 2 || axis->count > MOST_ALONG) {
        return rh__error_fill(err, RH_E_ARGUMENT, "the %s axis %.80s wants 2 to %d points, not %u",
                              which, axis->name, MOST_ALONG, axis->count);
    }
    return RH_OK;
}

static rh_status check(const rh_chart_def *def, rh_error *err)
{
    RH_TRY(check_axis("x", &def->x, err));
    RH_TRY(check_axis("y", &def->y, err));
    if (strcmp(def->x.name, def->y.name) == 0) {
        return rh__error_fill(err, RH_E_ARGUMENT, "both axes are %.80s", def->x.name);
    }
    for (size_t k = 0; k < def->steady.fix_count; k++) {
        const char *name = def->steady.fix[k].name;
        if (strcmp(name, def->x.name) == 0 || strcmp(name, def->y.name) == 0) {
            return rh__error_fill(err, RH_E_ARGUMENT, "%.80s is fixed and is an axis", name);
        }
    }
    if ((uint64_t)def->x.count * def->y.count > MOST_POINTS) {
        return rh__error_fill(err, RH_E_ARGUMENT, "%u x %u points are more than %d", def->x.count,
                              def->y.count, MOST_POINTS);
    }
    if (def->branch == 0) {
        return rh__error_fill(err, RH_E_ARGUMENT, "branches are numbered from 1");
    }
    return RH_OK;
}

// --- the seed ------------------------------------------------------------------------------------

typedef struct seeding {
    rh_chart *chart;
    const rh_chart_def *def;
    rh_steady_value *fix; // of the caller, then the axes, then what is held besides
    size_t fix_count;
    uint32_t found;     // most motions that were found at one place
    uint32_t loose;     // dimensions that nothing fixes, where a motion was found
    double loose_at[2]; // and where
    char reason[248];   // why there was no motion
} seeding;

static bool is_wanted(void *user)
{
    return !rh__chart_is_over(user);
}

// Look for motions at a point of the grid.
static rh_status look(seeding *in, uint32_t i, uint32_t j, rh_error *err)
{
    rh_chart *chart = in->chart;
    rh_steady_def def = in->def->steady;
    in->fix[in->def->steady.fix_count].value = rh__chart_coordinate(chart, 0, i);
    in->fix[in->def->steady.fix_count + 1].value = rh__chart_coordinate(chart, 1, j);
    def.fix = in->fix;
    def.fix_count = in->fix_count;
    def.is_wanted = is_wanted;
    def.user = chart;
    rh_steady_destroy(chart->steady);
    chart->steady = NULL;
    RH_TRY(rh_steady_create(chart->equations, &def, &chart->steady, err));
    chart->seed[0] = i;
    chart->seed[1] = j;
    return RH_OK;
}

// Does the motion that is wanted serve: it is there and determined?
static bool serves(seeding *in)
{
    rh_chart *chart = in->chart;
    const rh_steady *steady = chart->steady;
    const uint32_t count = steady->found.count;
    in->found = count > in->found ? count : in->found;
    if (count == 0) {
        memcpy(in->reason, steady->reason, sizeof in->reason);
        return false;
    }
    if (count < in->def->branch) {
        return false;
    }
    const uint32_t loose = steady->found.data[in->def->branch - 1].loose;
    if (loose > 0) {
        in->loose = loose;
        in->loose_at[0] = rh__chart_coordinate(chart, 0, chart->seed[0]);
        in->loose_at[1] = rh__chart_coordinate(chart, 1, chart->seed[1]);
    }
    return loose == 0;
}

static bool is_asked(const rh_chart_def *def, const char *name)
{
    bool is_there = false;
    for (size_t k = 0; k < def->solve_count; k++) {
        is_there = is_there || strcmp(def->solve[k], name) == 0;
    }
    return is_there;
}

// The motion is one of many: variables that nobody asked for keep their values, the last one first,
// as long as each of them makes it more determined.
static rh_status hold(seeding *in, rh_error *err)
{
    rh_chart *chart = in->chart;
    const uint32_t count = chart->steady->reduction->y_count;
    for (uint32_t k = count; k-- > 0 && chart->steady->found.count > 0;) {
        const rh_reduction *reduction = chart->steady->reduction;
        const char *name = reduction->names[reduction->place[k]];
        const uint32_t before = chart->steady->found.data[0].loose;
        if (before == 0) {
            break;
        }
        if (chart->steady->wish.is_fixed[k] || is_asked(in->def, name)) {
            continue;
        }
        const double value = chart->steady->wish.values[reduction->place[k]];
        char *copy = rh__slice_copy(&chart->arena, rh__slice_of(name));
        RH_TRY(copy == NULL ? chart->arena.status : RH_OK);
        in->fix[in->fix_count++] = (rh_steady_value){copy, value};
        RH_TRY(look(in, chart->seed[0], chart->seed[1], err));
        if (chart->steady->found.count == 0 || chart->steady->found.data[0].loose >= before) {
            in->fix_count--;
            RH_TRY(look(in, chart->seed[0], chart->seed[1], err));
        }
    }
    return RH_OK;
}

static rh_status complain(const seeding *in, rh_error *err)
{
    const rh_chart_def *def = in->def;
    if (in->loose > 0) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "at %.60s = %.6g, %.60s = %.6g the steady motion is one of a set of "
                              "dimension %u: --fix %u more of its variables",
                              def->x.name, in->loose_at[0], def->y.name, in->loose_at[1], in->loose,
                              in->loose);
    }
    if (in->found > 0) {
        return rh__error_fill(err, RH_E_LIMIT,
                              "there is no branch %u: at most %u steady motions were found at one "
                              "point of the grid",
                              def->branch, in->found);
    }
    return rh__error_fill(err, RH_E_LIMIT, "no steady motion was found on the grid: %s",
                          in->reason);
}

// Is its motion one to begin with: of a certain dimension, and not where branches meet?
static bool is_good(const seeding *in)
{
    const rh_judgement *it = &in->chart->steady->found.data[in->def->branch - 1].judgement;
    return it->is_certain && !rh__judgement_is_singular(it);
}

// One lattice of points of the grid. `kept`: the first that serves, if none is good.
static rh_status try_lattice(seeding *in, uint32_t parts, uint32_t kept[2], bool *out,
                             rh_error *err)
{
    rh_chart *chart = in->chart;
    for (uint32_t k = 0; k < (parts - 1) * (parts - 1) && !*out; k++) {
        const uint32_t i = (1 + k % (parts - 1)) * chart->counts[0] / parts;
        const uint32_t j = (1 + k / (parts - 1)) * chart->counts[1] / parts;
        if (rh__chart_is_over(chart)) {
            *out = true;
            return RH_OK;
        }
        RH_TRY(look(in, i < chart->counts[0] ? i : 0, j < chart->counts[1] ? j : 0, err));
        if (parts == 2 && in->def->solve_count > 0) {
            RH_TRY(hold(in, err));
        }
        *out = serves(in) && is_good(in);
        if (serves(in) && kept[0] == UINT32_MAX) {
            memcpy(kept, chart->seed, sizeof chart->seed);
        }
    }
    return RH_OK;
}

// The middle first, then finer and finer lattices; a good seed is worth a few more looks.
static rh_status find_seed(seeding *in, rh_error *err)
{
    static const uint32_t PARTS[] = {2, 4, 7};
    uint32_t kept[2] = {UINT32_MAX, 0};
    bool is_over = false;
    for (size_t level = 0; level < sizeof PARTS / sizeof *PARTS; level++) {
        RH_TRY(try_lattice(in, PARTS[level], kept, &is_over, err));
        if (is_over) {
            return RH_OK;
        }
        if (kept[0] != UINT32_MAX && level > 0) {
            return look(in, kept[0], kept[1], err);
        }
    }
    return complain(in, err);
}

// What is wrong with the name of an axis was said of a fixed quantity, which it is on the way.
static void say_axis(const rh_chart *chart, rh_error *err)
{
    static const char FIX[] = "--fix";
    static const char *const WORDS[] = {"--x", "--y"};
    for (int axis = 0; axis < 2; axis++) {
        const size_t size = strlen(chart->names[axis]);
        const char *quote = strchr(err->message, '"');
        if (strncmp(err->message, FIX, sizeof FIX - 1) == 0 && quote != NULL &&
            strncmp(quote + 1, chart->names[axis], size) == 0 && quote[size + 1] == '"') {
            const rh_error before = *err;
            (void)rh__error_fill(err, RH_E_ARGUMENT, "%s%s", WORDS[axis],
                                 before.message + sizeof FIX - 1);
        }
    }
}

static rh_status seed(rh_chart *chart, const rh_chart_def *def, rh_error *err)
{
    const rh_equations *equations = chart->equations;
    const size_t most =
        2 * (size_t)equations->carriers.count + equations->passives.count + equations->links.count;
    seeding in = {.chart = chart, .def = def};
    const size_t given = def->steady.fix_count;
    in.fix = rh__arena_array(&chart->arena, rh_steady_value, given + 2 + most);
    RH_TRY(in.fix == NULL ? chart->arena.status : RH_OK);
    for (size_t k = 0; k < given; k++) {
        in.fix[k] = def->steady.fix[k];
    }
    in.fix[given].name = chart->names[0];
    in.fix[given + 1].name = chart->names[1];
    in.fix_count = given + 2;
    const rh_status status = find_seed(&in, err);
    if (status == RH_E_ARGUMENT) {
        say_axis(chart, err);
    }
    RH_TRY(status);
    if (chart->steady == NULL || (atomic_load(&chart->is_stopped) && !serves(&in))) {
        return rh__error_fill(err, RH_E_LIMIT, "it was ended before a steady motion was found");
    }
    // which number of the wish each axis is
    uint32_t outputs = 0;
    for (size_t k = 0; k < in.fix_count; k++) {
        const uint32_t slot = rh__reduction_slot(chart->steady->reduction, in.fix[k].name);
        if (k == given || k == given + 1) {
            chart->dials[k - given] = (rh_spot_dial){.slot = slot, .wanted = outputs};
        }
        outputs += slot == UINT32_MAX;
    }
    return RH_OK;
}

// --- what is kept --------------------------------------------------------------------------------

static rh_status show_all(rh_chart *chart)
{
    const rh_reduction *reduction = chart->steady->reduction;
    for (uint32_t k = 0; k < reduction->y_count; k++) {
        if (!chart->steady->wish.is_fixed[k]) {
            chart->shown[chart->shown_count++] = k;
        }
    }
    return RH_OK;
}

static rh_status choose_shown(rh_chart *chart, const rh_chart_def *def, rh_error *err)
{
    const rh_reduction *reduction = chart->steady->reduction;
    const size_t most = (size_t)reduction->y_count + def->solve_count + 1;
    chart->shown = rh__arena_array(&chart->arena, uint32_t, most);
    RH_TRY(chart->shown == NULL ? chart->arena.status : RH_OK);
    if (def->solve_count == 0) {
        return show_all(chart);
    }
    for (size_t k = 0; k < def->solve_count; k++) {
        uint32_t place = 0;
        rh_nearest nearest = rh__nearest_begin(rh__slice_of(def->solve[k]));
        while (place < reduction->y_count &&
               strcmp(reduction->names[reduction->place[place]], def->solve[k]) != 0) {
            rh__nearest_offer(&nearest, rh__slice_of(reduction->names[reduction->place[place]]));
            place++;
        }
        if (place == reduction->y_count) {
            return nearest.best.size > 0
                       ? rh__error_fill(err, RH_E_ARGUMENT,
                                        "--solve: there is no variable \"%.80s\"; did you mean "
                                        "%.*s?",
                                        def->solve[k], RH_SLICE_FORMAT(nearest.best))
                       : rh__error_fill(err, RH_E_ARGUMENT,
                                        "--solve: there is no variable \"%.80s\" among positional "
                                        "coordinates, quasi-velocities and states",
                                        def->solve[k]);
        }
        if (chart->steady->wish.is_fixed[place]) {
            return rh__error_fill(err, RH_E_ARGUMENT, "--solve: %.80s is fixed, or an axis",
                                  def->solve[k]);
        }
        chart->shown[chart->shown_count++] = place;
    }
    return RH_OK;
}

static rh_status reserve(rh_chart *chart)
{
    const size_t points = (size_t)chart->counts[0] * chart->counts[1];
    chart->width = chart->steady->reduction->place_count;
    chart->marks = rh__arena_array(&chart->arena, rh_spot_mark, points);
    chart->abscissas = rh__arena_array(&chart->arena, double, points);
    chart->places = rh__arena_array(&chart->arena, double, points *((size_t)chart->width + 1));
    if (chart->marks == NULL || chart->abscissas == NULL || chart->places == NULL) {
        return chart->arena.status;
    }
    for (size_t p = 0; p < points; p++) {
        chart->marks[p].kind = RH_CHART_MISSING;
        chart->marks[p].dimension = RH_SPOT_UNASKED;
        chart->abscissas[p] = NAN;
    }
    chart->spots = rh__arena_array(&chart->arena, rh_spot *, chart->thread_count);
    RH_TRY(chart->spots == NULL ? chart->arena.status : RH_OK);
    for (uint32_t k = 0; k < chart->thread_count; k++) {
        RH_TRY(rh__spot_create(chart, &chart->spots[k]));
    }
    return RH_OK;
}

static void plant(rh_chart *chart, uint32_t branch)
{
    const rh_reduction *reduction = chart->steady->reduction;
    const rh_steady_found *found = &chart->steady->found.data[branch - 1];
    const rh_judgement *judgement = &found->judgement;
    const uint32_t point = rh__chart_index(chart, chart->seed[0], chart->seed[1]);
    chart->dimension = judgement->is_certain ? rh__spot_dimension(judgement) : RH_SPOT_NO_DIMENSION;
    chart->dimension =
        chart->dimension == RH_SPOT_UNCERTAIN ? RH_SPOT_NO_DIMENSION : chart->dimension;
    chart->marks[point].kind = (uint8_t)judgement->verdict;
    chart->marks[point].is_singular = rh__judgement_is_singular(judgement);
    chart->marks[point].nullity = (uint8_t)(judgement->measured < 255 ? judgement->measured : 255);
    chart->marks[point].dimension =
        judgement->is_certain ? rh__spot_dimension(judgement) : RH_SPOT_UNCERTAIN;
    chart->abscissas[point] = judgement->abscissa;
    for (uint32_t k = 0; k < chart->width; k++) {
        chart->places[(size_t)point * chart->width + k] = found->values[reduction->place[k]];
    }
}

// --- making --------------------------------------------------------------------------------------

// Where neighbours lead to different motions whatever the steps, nobody knows which one is meant.
static void leave_open(rh_chart *chart)
{
    const size_t points = (size_t)chart->counts[0] * chart->counts[1];
    for (size_t p = 0; p < points; p++) {
        if (chart->marks[p].is_disputed && chart->marks[p].kind < RH_CHART_NONE) {
            chart->marks[p].kind = RH_STEADY_UNDECIDED;
        }
    }
}

static rh_status draw(rh_chart *chart, const rh_chart_def *def, rh_error *err)
{
    RH_TRY(check(def, err));
    RH_TRY(seed(chart, def, err));
    RH_TRY(choose_shown(chart, def, err));
    const rh_status status = reserve(chart);
    if (status == RH_E_LIMIT) {
        return rh__error_fill(err, status,
                              "%u x %u points need more memory than the model may take: ask for "
                              "fewer",
                              chart->counts[0], chart->counts[1]);
    }
    RH_TRY(status);
    plant(chart, def->branch);
    RH_TRY(rh__chart_fill(chart));
    RH_TRY(rh__chart_certify(chart));
    leave_open(chart);
    RH_TRY(rh__chart_cut(chart));
    if (!atomic_load(&chart->is_stopped)) {
        RH_TRY(rh__chart_join(chart));
    }
    chart->is_complete = !atomic_load(&chart->is_stopped);
    return RH_OK;
}

static rh_status begin(rh_chart *chart, const rh_chart_def *def)
{
    const uint32_t threads = def->thread_count > 0 ? def->thread_count : count_processors();
    chart->thread_count = threads < MOST_THREADS ? threads : MOST_THREADS;
    chart->def = *def;
    chart->counts[0] = def->x.count;
    chart->counts[1] = def->y.count;
    for (int axis = 0; axis < 2; axis++) {
        const char *name = axis == 0 ? def->x.name : def->y.name;
        chart->names[axis] = rh__slice_copy(&chart->arena, rh__slice_of(name != NULL ? name : ""));
        RH_TRY(chart->names[axis] == NULL ? chart->arena.status : RH_OK);
    }
    chart->def.x.name = chart->names[0];
    chart->def.y.name = chart->names[1];
    return RH_OK;
}

rh_status rh_chart_create(rh_equations *equations, const rh_chart_def *def, rh_chart **out,
                          rh_error *err)
{
    RH_REQUIRE(equations != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size == sizeof *def && def->reserved == 0, err);
    RH_REQUIRE(def->x.name != NULL && def->y.name != NULL, err);
    RH_REQUIRE(rh__strings_are_there(def->solve, def->solve_count), err);
    RH_REQUIRE(rh__steady_names_are_there(&def->steady), err);
    *out = NULL;
    rh_arena arena = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    rh_chart *chart = rh__arena_new(&arena, rh_chart);
    if (chart == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    chart->arena = arena;
    chart->equations = equations;
    rh_error reason = {.message = ""};
    rh_status status = begin(chart, def);
    if (status == RH_OK) {
        status = rh__guard_settle(arena.allocator, draw(chart, def, &reason));
    }
    for (uint32_t k = 0; chart->spots != NULL && k < chart->thread_count; k++) {
        rh__spot_destroy(chart->spots[k]);
    }
    chart->spots = NULL;
    if (status != RH_OK) {
        rh_chart_destroy(chart);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    *out = chart;
    return RH_OK;
}

void rh_chart_destroy(rh_chart *chart)
{
    if (chart == NULL) {
        return;
    }
    rh_steady_destroy(chart->steady);
    rh_arena arena = chart->arena;
    rh__arena_end(&arena);
}

// --- looking -------------------------------------------------------------------------------------

rh_chart_summary rh_chart_summarise(const rh_chart *chart)
{
    if (chart == NULL) {
        return (rh_chart_summary){.struct_size = (uint32_t)sizeof(rh_chart_summary)};
    }
    rh_chart_summary summary = {
        .struct_size = (uint32_t)sizeof summary,
        .dimension = chart->dimension == RH_SPOT_NO_DIMENSION ? UINT32_MAX : chart->dimension,
        .x = chart->def.x,
        .y = chart->def.y,
        .branch_count = chart->steady->found.count,
        .region_count = chart->regions,
        .curve_count = chart->lines.count,
        .is_complete = chart->is_complete};
    const uint32_t points = chart->counts[0] * chart->counts[1];
    for (int axis = 0; axis < 2; axis++) {
        summary.seed[axis] = rh__chart_coordinate(chart, axis, chart->seed[axis]);
    }
    for (uint32_t p = 0; p < points; p++) {
        summary.counts[chart->marks[p].kind]++;
    }
    return summary;
}

size_t rh_chart_variable_count(const rh_chart *chart)
{
    return chart->shown_count;
}

const char *rh_chart_variable_name(const rh_chart *chart, size_t index)
{
    const rh_reduction *reduction = chart->steady->reduction;
    return index < chart->shown_count ? reduction->names[reduction->place[chart->shown[index]]]
                                      : "";
}

static bool has_motion(const rh_chart *chart, uint32_t point)
{
    return chart->marks[point].kind < RH_CHART_NONE;
}

rh_chart_point rh_chart_at(const rh_chart *chart, uint32_t i, uint32_t j)
{
    rh_chart_point point = {.x = NAN, .y = NAN, .kind = RH_CHART_MISSING, .abscissa = NAN};
    if (i < chart->counts[0] && j < chart->counts[1]) {
        const uint32_t p = rh__chart_index(chart, i, j);
        point.x = rh__chart_coordinate(chart, 0, i);
        point.y = rh__chart_coordinate(chart, 1, j);
        point.kind = chart->marks[p].kind;
        point.abscissa = has_motion(chart, p) ? chart->abscissas[p] : NAN;
    }
    return point;
}

double rh_chart_value(const rh_chart *chart, uint32_t i, uint32_t j, size_t variable)
{
    if (i >= chart->counts[0] || j >= chart->counts[1] || variable >= chart->shown_count) {
        return NAN;
    }
    const uint32_t p = rh__chart_index(chart, i, j);
    return has_motion(chart, p) ? chart->places[(size_t)p * chart->width + chart->shown[variable]]
                                : NAN;
}

rh_chart_curve rh_chart_curve_at(const rh_chart *chart, size_t index)
{
    if (index >= chart->lines.count) {
        return (rh_chart_curve){.points = NULL};
    }
    const rh_chart_line *line = &chart->lines.data[index];
    return (rh_chart_curve){.points = chart->points.data + 2 * line->first,
                            .count = line->count,
                            .kinds = {line->kinds[0], line->kinds[1]},
                            .is_closed = line->is_closed,
                            .bars = chart->bars.data + 2 * line->first};
}
