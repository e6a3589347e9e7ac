// SPDX-License-Identifier: Apache-2.0
// Saving a motion and going on from what was saved, bit by bit. visit_state() names everything that
// the steps to come depend on, once, and serves for writing, checking and reading: a field that is
// added there is saved. What is not there is made anew by each step, or follows from the model.
//
// A saved motion is a line of text, the number of bytes that follow up to the last eight, the
// recipe, the state, all occurrences, and a hash of everything before (visit.h: how fields are
// written).

#include "motion/motion.h"
#include "motion/visit.h"

#include <string.h>

static const char LINE[] = "rheonom checkpoint 5\n";
static const char FAMILY[] = "rheonom checkpoint ";

enum { LINE_SIZE = sizeof LINE - 1, FAMILY_SIZE = sizeof FAMILY - 1, WORD = 8, EVERY = 1000 };

// --- the state -----------------------------------------------------------------------------------

static const rh_stepper *const STEPPERS[] = {
    &rh__stepper_taylor,    &rh__stepper_runge,     &rh__stepper_backward,
    &rh__stepper_residual,  &rh__steppers_fixed[0], &rh__steppers_fixed[1],
    &rh__steppers_fixed[2], &rh__steppers_fixed[3], &rh__steppers_fixed[4]};

enum { STEPPER_COUNT = sizeof STEPPERS / sizeof STEPPERS[0] };

static uint32_t stepper_index(const rh_motion *motion)
{
    uint32_t index = 0;
    while (STEPPERS[index] != motion->stepper) {
        index++;
        RH_ASSERT(index < STEPPER_COUNT);
    }
    return index;
}

static void visit_tape(rh_visit *v, rh_tape_state *state)
{
    rh__visit_truths(v, "forced", state->forced, state->tape->switch_count);
    rh__visit_flags(v, "released", state->is_released, state->tape->hold_count);
    rh__visit_numbers(v, "lent", state->lent, state->tape->hold_count);
    rh__visit_flags(v, "is wary", &state->is_wary, 1);
    rh__visit_flags(v, "is defective", &state->is_defective, 1);
    for (uint32_t k = 0; k < state->tape->block_count; k++) {
        (void)rh__visit_word(v, "defect", &state->defect[k], state->tape->blocks[k].n);
    }
}

// A flag that cannot be set here: a file that sets it is not honest.
static void visit_clear(rh_visit *v, const char *name, bool *flag, bool may_be_set)
{
    rh__visit_flags(v, name, flag, 1);
    if (v->mode == RH_VISIT_CHECK && v->trouble == NULL && v->last != 0 && !may_be_set) {
        v->trouble = name;
    }
}

static void visit_condition(rh_visit *v, const rh_motion *motion, rh_condition *it)
{
    rh__visit_signs(v, "side", &it->side, 1);
    const bool may_slide = it->slide != UINT32_MAX;
    visit_clear(v, "is sliding", &it->is_sliding, may_slide);
    rh__visit_flags(v, "was sliding", &it->was_sliding, 1);
    rh__visit_flags(v, "is lifting", &it->is_lifting, 1);
    rh__visit_flags(v, "is open", &it->is_open, 1);
    visit_clear(v, "is lent", &it->is_lent, may_slide);
    rh__visit_numbers(v, "lent value", &it->lent, 1);
    rh__visit_long(v, "rounds", &it->rounds);
    rh__visit_signs(v, "side noted", &it->side_noted, 1);
    (void)rh__visit_word(v, "known", &it->known, motion->order_chosen);
    (void)rh__visit_word(v, "zeros", &it->zeros, motion->order_chosen);
}

static void visit_gate(rh_visit *v, const rh_motion *motion, rh_gate *it)
{
    rh__visit_flags(v, "is active", &it->is_active, 1);
    rh__visit_flags(v, "was active", &it->was_active, 1);
    rh__visit_flags(v, "began active", &it->began_active, 1);
    rh__visit_flags(v, "is neutral", &it->is_neutral, 1);
    rh__visit_flags(v, "is met", &it->is_met, 1);
    rh__visit_flags(v, "is loose", &it->is_loose, 1);
    rh__visit_flags(v, "is settling", &it->is_settling, 1);
    rh__visit_flags(v, "is lifting", &it->is_lifting, 1);
    rh__visit_signs(v, "sign", &it->sign, 1);
    (void)rh__visit_word(v, "gate zeros", &it->zeros, motion->order_chosen);
    rh__visit_numbers(v, "speed", &it->speed, 1);
    rh__visit_numbers(v, "impulse", &it->impulse, 1);
    rh__visit_numbers(v, "delay", &it->delay, 1);
    rh__visit_numbers(v, "last graze", &it->last_graze, 1);
    rh__visit_numbers(v, "gate reach", it->reach, 2);
    rh__visit_long(v, "gate rounds", &it->rounds);
}

static void visit_intermittent(rh_visit *v, rh_motion *motion, rh_intermittent *it)
{
    rh__visit_flags(v, "is on", &it->is_on, 1);
    rh__visit_flags(v, "was on", &it->was_on, 1);
    rh__visit_flags(v, "began on", &it->began_on, 1);
    if (it->constant.i != 0) {
        rh_point *point = &motion->mode.intermittents.point;
        double constant = rh__point_get(point, it->constant);
        rh__visit_numbers(v, "constant", &constant, 1);
        rh__point_set(point, it->constant, constant);
    }
}

static void visit_mode(rh_visit *v, rh_motion *motion)
{
    rh_mode *mode = &motion->mode;
    const uint32_t links = motion->equations->links.count;
    for (uint32_t k = 0; k < motion->system->step->switch_count; k++) {
        visit_condition(v, motion, &mode->conditions[k]);
    }
    for (uint32_t k = 0; k < mode->gate_count; k++) {
        visit_gate(v, motion, &mode->gates[k]);
    }
    for (uint32_t k = 0; k < mode->intermittents.count; k++) {
        visit_intermittent(v, motion, &mode->intermittents.data[k]);
    }
    rh__visit_flags(v, "is kept", mode->is_kept, links);
    rh__visit_flags(v, "was kept", mode->was_kept, links);
    rh__visit_flags(v, "has jumped", &mode->has_jumped, 1);
    rh__visit_flags(v, "is begun", &mode->is_begun, 1);
    rh__visit_numbers(v, "begin", &mode->begin, 1);
    rh__visit_numbers(v, "worst push", &mode->worst, 1);
    rh__visit_numbers(v, "moment", &mode->since, 1);
    rh__visit_long(v, "changes", &mode->changes);
}

static void visit_accumulation(rh_visit *v, rh_motion *motion)
{
    rh_accumulation *it = &motion->accumulation;
    if (!it->is_on) {
        return;
    }
    (void)rh__visit_word(v, "remembered changes", &it->count, RH_ACCUMULATION_MOST);
    (void)rh__visit_word(v, "period", &it->period, (RH_ACCUMULATION_MOST - 1) / 3);
    rh__visit_numbers(v, "times of changes", it->time, RH_ACCUMULATION_MOST);
    rh__visit_numbers(v, "states of changes", it->x, RH_ACCUMULATION_MOST * motion->n);
    rh__visit_numbers(v, "times of rounds", it->end, RH_ACCUMULATION_ENDS);
    rh__visit_numbers(v, "states of rounds", it->ends, RH_ACCUMULATION_ENDS * motion->n);
    for (uint32_t k = 0; k < RH_ACCUMULATION_MOST; k++) {
        rh__visit_long(v, "change", &it->what[k]);
    }
    rh__visit_long(v, "number of rounds", &it->rounds);
    rh__visit_long(v, "passed", &it->passed);
    rh__visit_numbers(v, "rounds since", &it->since, 1);
    rh__visit_numbers(v, "rounds until", &it->until, 1);
    rh__visit_numbers(v, "last limit", &it->last, 1);
    rh__visit_numbers(v, "best limit", &it->best, 1);
    rh__visit_numbers(v, "best left", &it->best_left, 1);
    rh__visit_numbers(v, "limit", &it->time_limit, 1);
    for (uint32_t k = 0; k < motion->equations->model->events.count; k++) {
        rh__visit_long(v, "event rounds", &it->event_rounds[k]);
    }
}

static void visit_choice(rh_visit *v, rh_motion *motion)
{
    rh_choice *choice = &motion->choice;
    bool has_text = motion->method_reason == choice->text;
    rh__visit_long(v, "next look", &choice->next_look);
    rh__visit_long(v, "pause", &choice->pause);
    rh__visit_long(v, "next spectrum", &choice->next_spectrum);
    rh__visit_long(v, "patience", &choice->patience);
    (void)rh__visit_word(v, "samples", &choice->samples, 2);
    rh__visit_numbers(v, "sample times", choice->times, 2);
    rh__visit_long(v, "sample step", &choice->steps[0]);
    rh__visit_long(v, "sample before", &choice->steps[1]);
    rh__visit_numbers(v, "sample values", choice->past, choice->is_free ? 2 * motion->n : 0);
    rh__visit_numbers(v, "smooth since", &choice->since, 1);
    rh__visit_numbers(v, "limited length", &choice->length, 1);
    rh__visit_flags(v, "is near", &choice->is_near, 1);
    rh__visit_long(v, "choice jumps", &choice->jumps);
    rh__visit_long(v, "choice found", &choice->found);
    rh__visit_long(v, "branch looked", &choice->looked);
    rh__visit_numbers(v, "branch place", &choice->place, 1);
    rh__visit_numbers(v, "branch reach", &choice->reach, 1);
    rh__visit_text(v, "choice", choice->text, sizeof choice->text);
    rh__visit_flags(v, "has choice", &has_text, 1);
    if (v->mode == RH_VISIT_READ && has_text) {
        motion->method_reason = choice->text;
    }
}

static void visit_stepper(rh_visit *v, rh_motion *motion)
{
    const uint32_t now = stepper_index(motion);
    uint32_t index = now;
    uint32_t count = 0;
    v->stepper = rh__visit_word(v, "stepper", &index, STEPPER_COUNT - 1);
    const rh_stepper *found = STEPPERS[v->stepper];
    const bool is_free =
        motion->choice.is_free && (found == &rh__stepper_taylor || found == &rh__stepper_backward ||
                                   found == &rh__stepper_residual);
    if (v->trouble == NULL && v->stepper != now && !is_free) {
        v->trouble = "stepper";
    }
    if (v->trouble == NULL && v->mode == RH_VISIT_READ) {
        motion->stepper = found;
    }
    double *own = motion->stepper->memory != NULL ? motion->stepper->memory(motion, &count) : NULL;
    rh__visit_finite(v, "stepper memory", own, count);
}

static void visit_leap(rh_visit *v, rh_motion *motion)
{
    rh_leap *leap = &motion->leap;
    (void)rh__visit_word(v, "leap steps", &leap->count, RH_LEAP_PAST);
    rh__visit_numbers(v, "leap longest", &leap->longest, 1);
    (void)rh__visit_word(v, "leap tries", &leap->tries, UINT32_MAX);
    rh__visit_numbers(v, "leap cap", &leap->cap, 1);
    rh__visit_flags(v, "leap is due", &leap->is_due, 1);
    rh__visit_long(v, "leap jumps", &leap->jumps);
    rh__visit_numbers(v, "leap place", &leap->place, 1);
    rh__visit_flags(v, "leap is done", &leap->is_done, 1);
    rh__visit_numbers(v, "leap cut", &leap->cut, 1);
    for (uint32_t k = 0; k < RH_LEAP_PAST; k++) {
        rh__visit_numbers(v, "past time", &leap->past[k].t, 1);
        rh__visit_numbers(v, "past length", &leap->past[k].length, 1);
        rh__visit_numbers(v, "past x", leap->past[k].x, motion->n);
        (void)rh__visit_word(v, "past occurrences", &leap->past[k].occurrence_count,
                             v->occurrence_count);
    }
}

static void visit_unique(rh_visit *v, rh_unique *it, const rh_tape *tape)
{
    rh__visit_flags(v, "unique flags", it->flags, tape->unknown_count);
    rh__visit_long(v, "unique changes", &it->changes);
    rh__visit_numbers(v, "unique since", &it->since, 1);
}

// Everything that is not the same at the beginning of each step. How many occurrences there are is
// visited, they themselves are not.
static void visit_state(rh_visit *v, rh_motion *motion)
{
    const rh_system *system = motion->system;
    const uint32_t events = motion->equations->model->events.count;
    rh__visit_finite(v, "time", &motion->t, 1);
    rh__visit_finite(v, "x", motion->x, motion->n);
    rh__visit_long(v, "steps", &motion->steps);
    rh__visit_long(v, "singular steps", &motion->singular_steps);
    rh__visit_long(v, "jumps", &motion->jumps);
    (void)rh__visit_word(v, "idle", &motion->idle, UINT32_MAX);
    (void)rh__visit_word(v, "strays", &motion->strays, UINT32_MAX);
    (void)rh__visit_word(v, "growth notes", &motion->growth.count, RH_GROWTH_NOTES);
    rh__visit_numbers(v, "growth times", motion->growth.time, RH_GROWTH_NOTES);
    rh__visit_numbers(v, "growth x", motion->growth.x, RH_GROWTH_NOTES * motion->n);
    rh__visit_numbers(v, "last length", &motion->length_last, 1);
    rh__visit_numbers(v, "units", motion->unit, motion->n);
    rh__visit_numbers(v, "largest units", motion->most, motion->n);
    rh__visit_numbers(v, "smallest units", motion->floor, motion->n);
    rh__visit_numbers(v, "first integrals", motion->conserved.values, motion->conserved.count);
    rh__visit_numbers(v, "unit of time", &motion->unit_time, 1);
    rh__visit_long(v, "unit jumps", &motion->unit_jumps);
    for (uint32_t k = 0; k < 2; k++) {
        rh_project_stage *stage = &motion->projector.stages[k];
        rh__visit_numbers(v, "sizes of rows", stage->size, stage->rows);
        (void)rh__visit_word(v, "looks at rows", &stage->looks, UINT32_MAX);
    }
    rh__visit_numbers(v, "residual", &motion->residual, 1);
    rh__visit_numbers(v, "residuals", motion->residuals, motion->equations->links.count);
    rh__visit_numbers(v, "energy at the start", &motion->energy_start, 1);
    visit_mode(v, motion);
    visit_accumulation(v, motion);
    rh__visit_numbers(v, "border", &motion->tracks.border, 1);
    visit_clear(v, "is stuck", &motion->tracks.is_stuck, false); // then it has ended
    rh__visit_sides(v, "watched sides", motion->watch_side, system->watch->switch_count);
    rh__visit_numbers(v, "event times", motion->event_last, events);
    rh__visit_signs(v, "event signs", motion->samples.event_side, motion->samples.count);
    visit_unique(v, &motion->unique, motion->system->step);
    visit_tape(v, motion->step);
    visit_tape(v, motion->plain);
    visit_tape(v, motion->watch);
    visit_tape(v, motion->output);
    visit_choice(v, motion);
    visit_stepper(v, motion);
    v->occurrence_count =
        rh__visit_word(v, "occurrences", &motion->occurrences.count, motion->occurrences.capacity);
    visit_leap(v, motion);
    rh__visit_long(v, "every", &motion->keep.every);
    rh__visit_numbers(v, "notes", motion->keep.notes, motion->keep.note_count);
}

// --- the recipe ----------------------------------------------------------------------------------

// The text of the model and the settings of the call, which are parts of it, and what flows in.
static uint64_t hash_model(const rh_motion *motion)
{
    const rh_model *model = motion->equations->model;
    uint64_t hash = 0;
    for (uint32_t k = 0; k < motion->tracks.count; k++) {
        const rh_track *track = &motion->tracks.data[k];
        hash = rh__hash_bytes(track->times, track->count * sizeof *track->times, hash);
        hash = rh__hash_bytes(track->values, track->count * sizeof *track->values, hash);
    }
    for (uint32_t k = 0; k < model->source.parts.count; k++) {
        const rh_source_part *part = &model->source.parts.data[k];
        // the name of a file does not matter; of the others it tells --set from --start
        if (k > 0) {
            hash = rh__hash_bytes(part->name, strlen(part->name), hash);
        }
        hash = rh__hash_bytes(part->text.data, part->text.size, hash);
    }
    return hash;
}

typedef struct recipe {
    uint64_t model, start, least;
    double tolerance, drift, step;
    uint32_t order, method, tier;
    bool is_reduced;
} recipe;

static recipe recipe_of(const rh_motion *motion)
{
    return (recipe){
        .model = hash_model(motion),
        .start = rh__hash_bytes(motion->start.point.values,
                                motion->layout.symbols.count * sizeof(double), 0),
        .least = rh__hash_bytes(motion->least, motion->n * sizeof *motion->least, 0),
        .tolerance = motion->tolerance,
        .drift = motion->drift,
        .step = motion->fixed_step,
        .order = motion->order_chosen,
        .method = motion->choice.is_free ? 0 : 1 + stepper_index(motion),
        .tier = motion->tier.asked,
        .is_reduced = motion->system->form.kind == RH_FORM_REDUCED,
    };
}

static void visit_recipe(rh_visit *v, recipe *of)
{
    rh__visit_long(v, "model", &of->model);
    rh__visit_long(v, "start", &of->start);
    rh__visit_long(v, "least", &of->least);
    rh__visit_numbers(v, "tolerance", &of->tolerance, 1);
    rh__visit_numbers(v, "drift", &of->drift, 1);
    rh__visit_numbers(v, "step", &of->step, 1);
    (void)rh__visit_word(v, "order", &of->order, UINT32_MAX);
    (void)rh__visit_word(v, "method", &of->method, STEPPER_COUNT);
    (void)rh__visit_word(v, "tier", &of->tier, RH_TIER_EMITTED);
    rh__visit_flags(v, "presolve", &of->is_reduced, 1);
}

static const char *method_name(uint32_t method)
{
    RH_ASSERT(method <= STEPPER_COUNT);
    return method == 0 ? "chosen on the way" : STEPPERS[method - 1]->name;
}

static const char *const TIERS[] = {"auto", "interpreted", "emitted"};

// Was it made in the same way? Says what is different.
static rh_status compare_recipes(const recipe *saved, const recipe *now, rh_error *err)
{
    if (saved->model != now->model) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "it belongs to another model, or to other values of --set or "
                              "--start");
    }
    if (saved->tolerance != now->tolerance) {
        return rh__error_fill(err, RH_E_ARGUMENT, "its tolerance is %.15g, and not %.15g",
                              saved->tolerance, now->tolerance);
    }
    if (saved->least != now->least) {
        return rh__error_fill(err, RH_E_ARGUMENT, "its absolute errors of variables are others");
    }
    if (saved->method != now->method) {
        return rh__error_fill(err, RH_E_ARGUMENT, "its method is %s, and not %s",
                              method_name(saved->method), method_name(now->method));
    }
    if (saved->step != now->step) {
        return rh__error_fill(err, RH_E_ARGUMENT, "its steps have the length %.15g, and not %.15g",
                              saved->step, now->step);
    }
    if (saved->tier != now->tier) {
        return rh__error_fill(err, RH_E_ARGUMENT, "its tier is %s, and not %s", TIERS[saved->tier],
                              TIERS[now->tier]);
    }
    if (saved->is_reduced != now->is_reduced) {
        return rh__error_fill(err, RH_E_ARGUMENT, "it was made %s the presolve",
                              saved->is_reduced ? "with" : "without");
    }
    if (saved->drift != now->drift || saved->order != now->order) {
        return rh__error_fill(err, RH_E_ARGUMENT, "its drift or its order is another one");
    }
    if (saved->start != now->start) {
        return rh__error_fill(
            err, RH_E_ARGUMENT,
            "it began at another start: --repair moved one of the two, or another "
            "version of rheonom found it");
    }
    return RH_OK;
}

// --- occurrences ---------------------------------------------------------------------------------

enum { KIND_COUNT = RH_OCCURRENCE_ACCUMULATE + 1, OCCURRENCE_SIZE = 24 };

// The names that occurrences may have, by number; NULL after the last.
static const char *name_at(const rh_motion *motion, uint32_t index)
{
    const uint32_t events = motion->equations->model->events.count;
    const uint32_t gates = events + motion->mode.gate_count;
    const uint32_t switches = gates + motion->system->step->switch_count;
    const uint32_t jumps = switches + motion->system->jumps.count;
    const uint32_t links =
        jumps + (motion->system->jumps.count > 0 ? motion->equations->links.count : 0);
    return index < events     ? motion->event_names[index]
           : index < gates    ? motion->mode.gates[index - events].name
           : index < switches ? motion->mode.conditions[index - gates].name
           : index < jumps    ? motion->jump.names[index - switches]
           : index < links    ? motion->jump.link_names[index - jumps]
           : index - links < motion->mode.intermittents.count
               ? motion->mode.intermittents.data[index - links].name
               : NULL;
}

static void write_occurrence(rh_visit *v, const rh_motion *motion, const rh_occurrence *it)
{
    uint64_t time = 0;
    uint32_t name = 0;
    while (name_at(motion, name) != it->name) {
        RH_ASSERT(name_at(motion, name) != NULL);
        name++;
    }
    memcpy(&time, &it->time, sizeof time);
    rh__visit_put(v, time, 8);
    rh__visit_put(v, (uint64_t)it->kind, 4);
    rh__visit_put(v, name, 4);
    rh__visit_put(v, it->count, 8);
}

// Check or read all of them.
static void read_occurrences(rh_visit *v, const rh_motion *motion)
{
    if ((v->size - v->at) / OCCURRENCE_SIZE < v->occurrence_count) {
        v->trouble = v->trouble != NULL ? v->trouble : "occurrences";
    }
    RH_ASSERT(v->mode != RH_VISIT_READ || v->occurrence_count <= motion->occurrences.capacity);
    for (uint32_t k = 0; k < v->occurrence_count && v->trouble == NULL; k++) {
        const double time = rh__visit_double(rh__visit_get(v, 8));
        const uint64_t kind = rh__visit_get(v, 4);
        const char *name = name_at(motion, (uint32_t)rh__visit_get(v, 4));
        const uint64_t count = rh__visit_get(v, 8);
        if (kind >= KIND_COUNT || name == NULL) {
            v->trouble = "occurrences";
        } else if (v->mode == RH_VISIT_READ) {
            motion->occurrences.data[k] = (rh_occurrence){
                .time = time, .kind = (rh_occurrence_kind)kind, .name = name, .count = count};
        }
    }
}

// --- images --------------------------------------------------------------------------------------

static void take_image(rh_motion *motion)
{
    rh_keep *keep = &motion->keep;
    const rh_leap *leap = &motion->leap;
    rh_visit v = {.mode = RH_VISIT_WRITE, .out = keep->image, .size = keep->capacity};
    visit_state(&v, motion);
    RH_ASSERT(v.at == keep->capacity);
    keep->size = v.at;
    keep->steps = motion->steps;
    // a step that is taken back takes its occurrences along
    const uint32_t count = motion->occurrences.count;
    RH_ASSERT(count <= motion->occurrences.capacity);
    keep->open_first = leap->count > 0 ? leap->past[0].occurrence_count : count;
    keep->open_count = count - keep->open_first;
    if (keep->open_count > 0) {
        memcpy(keep->open, motion->occurrences.data + keep->open_first,
               keep->open_count * sizeof *keep->open);
    }
}

void rh__keep_before(rh_motion *motion)
{
    motion->keep.steps_now = motion->steps;
    motion->keep.is_ended = true;
    if (motion->keep.is_on && motion->stepper->forget == NULL) {
        take_image(motion);
    }
}

void rh__keep_after(rh_motion *motion, rh_stop stop)
{
    rh_keep *keep = &motion->keep;
    keep->is_ended = stop != RH_STOP_NONE;
    // decided by the number of steps alone, so that it is the same whatever is done with the state
    if (keep->every > 0 && !keep->is_ended && motion->stepper->forget != NULL &&
        motion->steps / keep->every != keep->steps_now / keep->every) {
        motion->stepper->forget(motion);
        if (keep->is_on) {
            take_image(motion);
        }
    }
}

rh_status rh_motion_keep(rh_motion *motion, const rh_keep_def *def, rh_error *err)
{
    RH_REQUIRE(motion != NULL && def != NULL && !motion->keep.is_on, err);
    RH_REQUIRE(def->struct_size != 0 && def->struct_size <= sizeof *def, err);
    // an older program knows a shorter def
    rh_keep_def given = rh_keep_def_default();
    memcpy(&given, def, def->struct_size);
    RH_REQUIRE(given.notes != NULL || given.note_count == 0, err);
    rh_keep *keep = &motion->keep;
    keep->notes = given.notes;
    keep->note_count = given.note_count;
    keep->is_asked = given.every > 0;
    keep->every = given.every > 0 ? given.every : EVERY;
    rh_visit v = {.mode = RH_VISIT_WRITE, .size = SIZE_MAX};
    visit_state(&v, motion);
    keep->capacity = v.at;
    keep->image = rh__arena_push(&motion->arena, keep->capacity);
    keep->open =
        rh__arena_array(&motion->arena, rh_occurrence, (size_t)motion->occurrences.capacity + 1);
    if (keep->image == NULL || keep->open == NULL) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    keep->is_on = true;
    if (motion->stepper->forget != NULL) {
        motion->stepper->forget(motion);
    }
    take_image(motion);
    return RH_OK;
}

uint64_t rh_motion_kept_steps(const rh_motion *motion)
{
    const rh_keep *keep = &motion->keep;
    return keep->is_ended || motion->stepper->forget != NULL ? keep->steps : motion->steps;
}

// --- saving --------------------------------------------------------------------------------------

// Everything between the number of bytes and the hash; with room for it, or to count it.
static void write_body(rh_visit *v, rh_motion *motion)
{
    const rh_keep *keep = &motion->keep;
    const uint32_t count = keep->open_first + keep->open_count;
    recipe made = recipe_of(motion);
    visit_recipe(v, &made);
    if (v->out == NULL) {
        v->at += keep->size + (size_t)count * OCCURRENCE_SIZE;
        return;
    }
    RH_ASSERT(v->size - v->at >= keep->size);
    memcpy(v->out + v->at, keep->image, keep->size);
    v->at += keep->size;
    for (uint32_t k = 0; k < count; k++) {
        write_occurrence(v, motion,
                         k < keep->open_first ? &motion->occurrences.data[k]
                                              : &keep->open[k - keep->open_first]);
    }
}

rh_status rh_motion_save(rh_motion *motion, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(motion != NULL && sink.write != NULL && motion->keep.is_on, err);
    if (!motion->keep.is_ended && motion->stepper->forget == NULL) {
        take_image(motion);
    }
    rh_visit v = {.mode = RH_VISIT_WRITE, .size = SIZE_MAX};
    write_body(&v, motion);
    const size_t size = LINE_SIZE + WORD + v.at + WORD;
    rh_arena scratch =
        rh__arena_begin(rh__guard_base(motion->arena.allocator), motion->arena.limit);
    unsigned char *bytes = rh__arena_push(&scratch, size);
    rh_status status = RH_E_MEMORY;
    if (bytes != NULL) {
        memcpy(bytes, LINE, LINE_SIZE);
        rh_visit whole_file = {.mode = RH_VISIT_WRITE, .out = bytes, .at = LINE_SIZE, .size = size};
        rh__visit_put(&whole_file, v.at, WORD);
        write_body(&whole_file, motion);
        rh__visit_put(&whole_file, rh__hash_bytes(bytes, size - WORD, 0), WORD);
        RH_ASSERT(whole_file.at == size);
        status = sink.write(sink.user, (const char *)bytes, size) ? RH_OK : RH_E_WRITE;
    }
    rh__arena_end(&scratch);
    return status == RH_OK ? status : rh__error_fill(err, status, "%s", rh_status_text(status));
}

// --- loading -------------------------------------------------------------------------------------

// Is it a file of ours, and whole? Then `out` stands at its body.
static rh_status open_body(const unsigned char *bytes, size_t size, rh_visit *out, rh_error *err)
{
    if (size < FAMILY_SIZE || memcmp(bytes, FAMILY, FAMILY_SIZE) != 0) {
        return rh__error_fill(err, RH_E_ARGUMENT, "it is no checkpoint");
    }
    if (size >= LINE_SIZE && memcmp(bytes, LINE, LINE_SIZE) != 0) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "it was written by another version of rheonom, or is damaged");
    }
    rh_visit v = {.mode = RH_VISIT_CHECK, .in = bytes, .at = LINE_SIZE, .size = size};
    if (size < LINE_SIZE + 2 * WORD || rh__visit_get(&v, WORD) != size - LINE_SIZE - 2 * WORD) {
        return rh__error_fill(err, RH_E_ARGUMENT, "it is not whole");
    }
    rh_visit tail = {.in = bytes, .at = size - WORD, .size = size};
    if (rh__visit_get(&tail, WORD) != rh__hash_bytes(bytes, size - WORD, 0)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "it is damaged");
    }
    v.size = size - WORD;
    *out = v;
    return RH_OK;
}

// Does the body belong to this motion, and is everything in it as it must be?
static rh_status check_body(rh_motion *motion, rh_visit *v, rh_error *err)
{
    const recipe now = recipe_of(motion);
    recipe saved = now;
    rh_visit reading = *v;
    reading.mode = RH_VISIT_READ;
    visit_recipe(v, &saved);
    if (v->trouble == NULL) {
        visit_recipe(&reading, &saved);
        RH_TRY(compare_recipes(&saved, &now, err));
    }
    visit_state(v, motion);
    read_occurrences(v, motion);
    if (v->trouble != NULL || v->at != v->size) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "it does not fit this motion (%s): it was written by another version "
                              "of rheonom, or for another caller",
                              v->trouble != NULL ? v->trouble : "its end");
    }
    return RH_OK;
}

// Nothing can fail any more.
static void read_body(rh_motion *motion, rh_visit *v)
{
    const uint64_t every = motion->keep.every;
    recipe known = recipe_of(motion);
    visit_recipe(v, &known);
    visit_state(v, motion);
    read_occurrences(v, motion);
    RH_ASSERT(v->trouble == NULL && v->at == v->size);
    motion->keep.every = motion->keep.is_asked ? every : motion->keep.every;
    motion->t_before = motion->t_seen = motion->t; // the step before is not there
    motion->keep.is_ended = false;
    rh__tracks_select(motion, motion->t);
    if (motion->stepper->forget != NULL) {
        motion->stepper->forget(motion);
    }
}

rh_status rh_motion_load(rh_motion *motion, const void *bytes, size_t size, rh_error *err)
{
    RH_REQUIRE(motion != NULL && bytes != NULL && motion->steps == 0, err);
    rh_visit found;
    RH_TRY(open_body(bytes, size, &found, err));
    rh_visit reading = found;
    reading.mode = RH_VISIT_READ;
    RH_TRY(check_body(motion, &found, err));
    // the choice fell before
    if (motion->choice.is_free && STEPPERS[found.stepper] != &rh__stepper_taylor) {
        RH_TRY(rh__method_make_implicit(motion, err));
    }
    read_body(motion, &reading);
    RH_TRY(motion->mode.intermittents.count > 0
               ? rh__motion_bind(motion, &motion->mode.intermittents.point)
               : RH_OK);
    if (motion->keep.is_on) {
        take_image(motion);
    }
    return RH_OK;
}
