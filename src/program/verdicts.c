// SPDX-License-Identifier: Apache-2.0
// A program from the equations to the verdict: start -> perturbation equations -> box -> roots ->
// verdict of each part -> proof -> small system -> step limits.

#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const VERDICTS[] = {
    [RH_PROGRAM_ASYMPTOTIC] = "asymptotically stable",
    [RH_PROGRAM_STABLE] = "stable",
    [RH_PROGRAM_UNSTABLE] = "unstable",
    [RH_PROGRAM_UNREFUTED] = "not refuted",
    [RH_PROGRAM_INCONCLUSIVE] = "inconclusive",
};

const char *rh_program_verdict_text(rh_program_verdict verdict)
{
    return (size_t)verdict < sizeof VERDICTS / sizeof *VERDICTS ? VERDICTS[verdict] : "";
}

// --- parts --------------------------------------------------------------------------------------

// C of a part from P at the nominal point; none when it does not decay there.
static rh_status find_matrix(rh_program *program, rh_program_part *part)
{
    const uint32_t n = part->count;
    double *q = rh__arena_array(&program->scratch, double, 2 * (size_t)n * n + 1);
    double *c = rh__arena_array(&program->arena, double, (size_t)n *n + 1);
    if (q == NULL || c == NULL) {
        return q == NULL ? program->scratch.status : program->arena.status;
    }
    for (uint32_t i = 0; i < n; i++) {
        q[i + (size_t)i * n] = 1.0;
    }
    const rh_status status = rh__lyapunov_solve(&program->scratch, n, part->matrix, q, c);
    if (status == RH_E_MEMORY) {
        return status;
    }
    memcpy(q, c, sizeof *q * n * n);
    part->lyapunov = status == RH_OK && rh__cholesky(n, q) ? c : NULL;
    return RH_OK;
}

static rh_status judge_constant(rh_program *program, rh_program_part *part)
{
    const double nowhere[RH_PROGRAM_DIMENSIONS] = {0.0};
    double at[RH_PROGRAM_DIMENSIONS];
    memcpy(at, nowhere, sizeof at);
    for (uint32_t k = 0; k < program->box.count; k++) {
        at[k] = program->box.data[k].value;
    }
    RH_TRY(rh__program_judge(program, part));
    if (part->verdict == RH_PROGRAM_STABLE && part->count == 1) { // it stays as it is
        part->amplification = 1.0;
        part->amplification_time = 0.0;
    }
    if (part->verdict == RH_PROGRAM_ASYMPTOTIC && !program->def.is_brief) {
        const rh_status status = rh__program_amplify(program, part);
        if (status == RH_E_MEMORY) {
            return status;
        }
        if (status != RH_OK) { // times so long that exp(P t) is not finite on the way
            part->amplification = part->amplification_time = (double)NAN;
        }
        RH_TRY(find_matrix(program, part));
    }
    if (part->given != NULL) { // the caller wants to know what his matrix says
        part->lyapunov = part->given;
        RH_TRY(rh__region_value(program, part, part->given, at, &part->worst));
        part->worst_first = part->worst;
        memcpy(part->worst_point, at, program->box.count * sizeof *at);
    }
    return RH_OK;
}

static rh_status judge_moving(rh_program *program, rh_program_part *part)
{
    const uint32_t n = part->count;
    part->verdict = RH_PROGRAM_INCONCLUSIVE;
    if (program->box.count == 0 || !rh__program_is_smooth(program, part)) {
        return RH_OK;
    }
    RH_TRY(find_matrix(program, part));
    part->lyapunov = part->given != NULL ? part->given : part->lyapunov;
    bool is_found = part->lyapunov != NULL;
    if (part->lyapunov == NULL) { // where to begin the search
        part->lyapunov = rh__arena_array(&program->arena, double, (size_t)n *n + 1);
        if (part->lyapunov == NULL) {
            return program->arena.status;
        }
        for (uint32_t i = 0; i < n; i++) {
            part->lyapunov[i + (size_t)i * n] = 1.0;
        }
    }
    RH_TRY(rh__region_look(program, part, part->lyapunov, &part->worst, part->worst_point));
    part->worst_first = part->worst;
    if (!(part->worst < 0.0) && part->given == NULL && program->def.has_search) {
        RH_TRY(rh__program_better(program, part, part->lyapunov, &is_found));
    }
    is_found = is_found || part->worst < 0.0;
    part->lyapunov = is_found ? part->lyapunov : NULL;
    part->verdict = part->worst < 0.0 && !program->summary.is_interrupted ? RH_PROGRAM_UNREFUTED
                                                                          : RH_PROGRAM_INCONCLUSIVE;
    return RH_OK;
}

static rh_status judge_parts(rh_program *program)
{
    for (uint32_t k = 0; k < program->parts.count; k++) {
        rh_program_part *part = &program->parts.data[k];
        const rh_mark mark = rh__arena_mark(&program->scratch);
        RH_TRY(part->is_constant ? judge_constant(program, part) : judge_moving(program, part));
        rh__arena_rewind(&program->scratch, mark);
    }
    return RH_OK;
}

// --- roots --------------------------------------------------------------------------------------

// Rightmost first; pairs stay side by side.
static rh_status sort_roots(rh_program *program)
{
    const rh_program_root *roots = program->roots.data;
    program->order = rh__arena_array(&program->arena, uint32_t, (size_t)program->roots.count + 1);
    if (program->order == NULL) {
        return program->arena.status;
    }
    for (uint32_t k = 0; k < program->roots.count; k++) {
        uint32_t at = k;
        for (; at > 0; at--) {
            const rh_program_root *a = &roots[program->order[at - 1]];
            const bool is_before =
                a->real > roots[k].real ||
                (a->real == roots[k].real && fabs(a->imaginary) <= fabs(roots[k].imaginary));
            if (is_before) {
                break;
            }
            program->order[at] = program->order[at - 1];
        }
        program->order[at] = k;
    }
    return RH_OK;
}

static rh_status find_roots(rh_program *program)
{
    program->side = rh__arena_array(&program->arena, rh_side, RH_PROGRAM_MOST + 1);
    program->root_of = rh__arena_array(&program->arena, uint32_t, RH_PROGRAM_MOST + 1);
    if (program->side == NULL || program->root_of == NULL) {
        return program->arena.status;
    }
    for (uint32_t k = 0; k < program->parts.count; k++) {
        rh_program_part *part = &program->parts.data[k];
        RH_TRY(rh__program_matrix(program, part, &program->point, part->matrix));
        RH_TRY(rh__program_roots(program, part));
    }
    RH_ASSERT(program->roots.count <= RH_PROGRAM_MOST);
    return sort_roots(program);
}

// --- the verdict on the whole -------------------------------------------------------------------

// How bad is it? What is worse for one part is so for all.
static int rank_of(rh_program_verdict verdict)
{
    static const int RANKS[] = {[RH_PROGRAM_ASYMPTOTIC] = 0,
                                [RH_PROGRAM_STABLE] = 1,
                                [RH_PROGRAM_UNREFUTED] = 2,
                                [RH_PROGRAM_INCONCLUSIVE] = 3,
                                [RH_PROGRAM_UNSTABLE] = 4};
    RH_ASSERT((unsigned)verdict < sizeof RANKS / sizeof *RANKS);
    return RANKS[verdict];
}

static const rh_program_law *rough_law(const rh_program *program)
{
    for (uint32_t k = 0; k < program->laws.count; k++) {
        if (program->laws.data[k].lack != NULL) {
            return &program->laws.data[k];
        }
    }
    return NULL;
}

static void say_inconclusive(rh_program *program, const rh_program_part *part)
{
    const rh_program_law *rough = rough_law(program);
    if (program->summary.is_interrupted) {
        rh__program_say(program, "it was interrupted before the box was looked over");
    } else if (rough != NULL) {
        rh__program_say(program, "%s", rough->lack);
    } else if (part->root_count < part->count) {
        rh__program_say(program, "the perturbation equations are not finite at the nominal point");
    } else if (!isnan(part->multiplier)) {
        rh__program_say(program, "%s: the largest is at %.10g, the period %.10g", part->lack,
                        part->multiplier, part->period);
    } else if (!part->is_constant && program->box.count == 0) {
        rh__program_say(program,
                        "P depends on the %s: give a region, --box \"NAME=LOW:HIGH, ...\"%s",
                        program->summary.kind == RH_PROGRAM_TIMED ? "time" : "state",
                        program->summary.kind != RH_PROGRAM_TIMED ? ""
                        : program->def.period > 0.0
                            ? "; it does not repeat itself after the period that was given"
                            : ", or its period, --period T");
    } else if (!part->is_constant) {
        rh__program_say(program,
                        "no z^T C z that was tried decreases in the whole box (largest eigenvalue "
                        "%.6g); this does not mean that deviations grow",
                        part->worst);
    } else {
        rh__program_say(program, "%s", part->lack != NULL ? part->lack : "nothing decides");
    }
}

// Was the box needed to know that a first approximation decides?
static bool is_boxed(const rh_program *program)
{
    bool found = false;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        found = found || program->laws.data[k].is_boxed;
    }
    return found;
}

static void say_asymptotic(rh_program *program, const rh_program_part *part)
{
    if (!isnan(part->multiplier)) {
        rh__program_say(program,
                        "all multipliers over the period %.10g of P lie inside the unit circle, "
                        "the largest at %.10g%s",
                        part->period, part->multiplier,
                        program->summary.is_local ? ": small deviations vanish" : "");
    } else if (!part->is_constant) {
        rh__program_say(program, "z^T C z decreases in the whole box, as long as the motion stays "
                                 "there");
    } else if (program->summary.is_local) {
        rh__program_say(program,
                        "all roots of the first approximation have negative real parts: small "
                        "deviations vanish%s",
                        is_boxed(program) ? ", as long as the motion stays in the box" : "");
    } else {
        rh__program_say(program, "the laws are linear with constant coefficients, and all roots "
                                 "have negative real parts");
    }
}

static void say_verdict(rh_program *program, const rh_program_part *part)
{
    const bool is_local = program->summary.is_local;
    switch (program->summary.verdict) {
    case RH_PROGRAM_ASYMPTOTIC:
        say_asymptotic(program, part);
        break;
    case RH_PROGRAM_STABLE:
        rh__program_say(program, "roots on the imaginary axis have as many vectors as they are "
                                 "often: deviations stay, and need not vanish");
        break;
    case RH_PROGRAM_UNSTABLE:
        if (!isnan(part->multiplier)) {
            rh__program_say(program,
                            "a multiplier over the period %.10g of P lies outside the unit "
                            "circle, at %.10g",
                            part->period, part->multiplier);
            break;
        }
        rh__program_say(program, "%s",
                        is_local ? "a root of the first approximation has a "
                                   "positive real part"
                                 : "a root has a positive real part, or lies on the "
                                   "imaginary axis with too few vectors");
        break;
    case RH_PROGRAM_UNREFUTED:
        rh__program_say(program,
                        "z^T C z decreases at all %llu points of the box that were looked at; %s",
                        (unsigned long long)program->summary.sample_count,
                        !program->def.is_certified ? "--certify looks for a proof"
                        : part->lack != NULL       ? part->lack
                                                   : "a proof was not found");
        break;
    case RH_PROGRAM_INCONCLUSIVE:
        say_inconclusive(program, part);
        break;
    }
}

static void conclude(rh_program *program)
{
    rh_program_summary *summary = &program->summary;
    const rh_program_part *worst = &program->parts.data[0];
    summary->is_certified = true;
    summary->amplification = 0.0;
    summary->worst = summary->worst_first = (double)NAN;
    summary->period = summary->multiplier = (double)NAN;
    for (uint32_t k = 0; k < program->parts.count; k++) {
        const rh_program_part *part = &program->parts.data[k];
        worst = rank_of(part->verdict) > rank_of(worst->verdict) ? part : worst;
        summary->is_certified = summary->is_certified && part->is_certified;
        if (!isnan(part->multiplier) && !(part->multiplier <= summary->multiplier)) {
            summary->multiplier = part->multiplier;
            summary->period = part->period;
        }
        summary->worst = isnan(part->worst) ? summary->worst : fmax(summary->worst, part->worst);
        summary->worst_first = isnan(part->worst_first)
                                   ? summary->worst_first
                                   : fmax(summary->worst_first, part->worst_first);
        if (!(part->amplification <= summary->amplification) && !isnan(summary->amplification)) {
            summary->amplification = part->amplification;
            summary->amplification_time = part->amplification_time;
        }
    }
    summary->verdict = worst->verdict;
    summary->is_certified =
        summary->is_certified || (worst->verdict == RH_PROGRAM_UNSTABLE && worst->is_certified);
    say_verdict(program, worst);
}

static void tell_transients(rh_program *program)
{
    rh_program_summary *summary = &program->summary;
    summary->overshoot = summary->overshoot_time = (double)NAN;
    for (uint32_t k = 0; k < program->laws.count; k++) {
        const rh_program_law *law = &program->laws.data[k];
        if (!isnan(law->extremum) &&
            (isnan(summary->overshoot) || fabs(law->extremum) > fabs(summary->overshoot))) {
            summary->overshoot = law->extremum;
            summary->overshoot_time = law->extremum_time;
            summary->overshoot_law = k;
        }
    }
}

static rh_status find_limits(rh_program *program)
{
    for (uint32_t k = 0; k < RH_PROGRAM_METHOD_COUNT; k++) {
        program->summary.step_limits[k] =
            rh__program_limits((rh_program_method)k, program->roots.data, program->roots.count);
    }
    const bool is_moving = program->summary.kind != RH_PROGRAM_CONSTANT;
    return is_moving && program->box.count > 0 ? rh__program_limit_box(program) : RH_OK;
}

// --- making -------------------------------------------------------------------------------------

static rh_status find_start(rh_program *program, rh_error *err)
{
    rh_diagnostics unheard = rh__diagnostics_begin(&program->arena);
    RH_TRY(rh__layout_create(program->equations, &program->arena, &program->layout));
    program->layout.feed_of = rh__region_feed;
    program->layout.feed_user = program;
    RH_TRY(rh__start_find(program->equations, &program->layout, &program->arena, &unheard,
                          &program->start));
    if (unheard.error_count > 0) {
        return rh__error_fill(err, RH_E_MODEL, "%s: %s",
                              rh__diagnostic_name(unheard.remarks.data[0].code),
                              unheard.remarks.data[0].message);
    }
    RH_TRY(rh__point_create(&program->layout, &program->arena, &program->point));
    memcpy(program->point.values, program->start.point.values,
           program->layout.symbols.count * sizeof *program->point.values);
    return RH_OK;
}

static rh_status build(rh_program *program, rh_error *err)
{
    RH_TRY(rh__program_find(program, err)); // before anything that takes time
    RH_TRY(find_start(program, err));
    RH_TRY(rh__program_perturb(program));
    RH_TRY(rh__region_read(program, err));
    RH_TRY(rh__program_assure(program));
    if (program->box.count > 0) {
        RH_TRY(rh__region_covers(program, err));
    }
    RH_TRY(find_roots(program));
    RH_TRY(rh__program_read_matrix(program, err));
    RH_TRY(judge_parts(program));
    if (program->def.is_certified) {
        RH_TRY(rh__program_certify(program, err));
    }
    for (uint32_t k = 0; k < program->parts.count && !program->def.is_brief; k++) {
        RH_TRY(rh__program_floquet(program, &program->parts.data[k]));
    }
    conclude(program);
    RH_TRY(find_limits(program));
    RH_TRY(rh__program_try(program, err));
    RH_TRY(rh__flow_create(program, err));
    if (!program->def.is_brief) {
        RH_TRY(rh__program_overshoot(program));
    }
    tell_transients(program);
    program->summary.struct_size = (uint32_t)sizeof program->summary;
    program->summary.law_count = program->laws.count;
    program->summary.size = program->size;
    program->summary.reason = program->reason;
    return RH_OK;
}

rh_status rh_program_create(rh_equations *equations, const rh_program_def *def, rh_program **out,
                            rh_error *err)
{
    RH_REQUIRE(equations != NULL && def != NULL && out != NULL, err);
    RH_REQUIRE(def->struct_size != 0 && def->struct_size <= sizeof *def, err);
    RH_REQUIRE(equations->is_sound, err);
    *out = NULL;
    RH_TRY(rh__equations_refuse_intermittent(equations, "verdicts on a program", err));
    rh_arena arena = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    rh_program *program = rh__arena_new(&arena, rh_program);
    if (program == NULL) {
        rh__arena_end(&arena);
        return rh__guard_explain(
            arena.allocator, rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY)),
            err);
    }
    program->arena = arena;
    program->scratch = rh__arena_begin(equations->arena.allocator, equations->arena.limit);
    program->equations = equations;
    program->store = equations->store;
    program->def = rh_program_def_default();
    memcpy(&program->def, def, def->struct_size);
    rh_error reason = {.status = RH_OK, .message = ""};
    const rh_status status = rh__guard_settle(arena.allocator, build(program, &reason));
    if (status != RH_OK) {
        rh_program_destroy(program);
        return rh__guard_explain(
            arena.allocator,
            rh__error_fill(err, status, "%s",
                           reason.message[0] != '\0' ? reason.message : rh_status_text(status)),
            err);
    }
    *out = program;
    return RH_OK;
}

void rh_program_destroy(rh_program *program)
{
    if (program == NULL) {
        return;
    }
    rh__flow_destroy(program);
    if (program->glance.tape != NULL) {
        rh__glance_destroy(&program->glance);
    }
    rh__arena_end(&program->scratch);
    rh_arena arena = program->arena;
    rh__arena_end(&arena);
}

// --- looking ------------------------------------------------------------------------------------

rh_program_summary rh_program_summarise(const rh_program *program)
{
    if (program == NULL) {
        return (rh_program_summary){.struct_size = (uint32_t)sizeof(rh_program_summary)};
    }
    return program->summary;
}

const char *rh_program_variable_name(const rh_program *program, size_t index)
{
    return index < program->size ? program->names[index] : "";
}

double rh_program_variable(const rh_program *program, size_t index)
{
    return index < program->size ? program->z[index] : (double)NAN;
}

// The place of two variables in a matrix of their part; false when they have none together.
double rh_program_lyapunov(const rh_program *program, size_t row, size_t column)
{
    uint32_t part = 0;
    size_t place = 0;
    for (uint32_t k = 0; k < program->parts.count; k++) {
        if (program->parts.data[k].lyapunov == NULL) {
            return (double)NAN;
        }
    }
    return rh__program_find_place(program, row, column, &part, &place)
               ? program->parts.data[part].lyapunov[place]
               : 0.0;
}

rh_program_root rh_program_roots(const rh_program *program, size_t index)
{
    return index < program->roots.count ? program->roots.data[program->order[index]]
                                        : (rh_program_root){(double)NAN, (double)NAN};
}
