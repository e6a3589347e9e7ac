// SPDX-License-Identifier: Apache-2.0
// Is a reaction ideal, does it keep its constraint (theory 1.4: two independent answers), and can a
// servo or type II reaction control it? Z spans the displacements that the two-sided constraints
// and the one in question allow; a reaction is ideal when it does no work on them. That is a
// property of the constraints: its direction is judged at several states, and one-sided ones that
// happen to act beside it do not count.

#include "analysis/examine.h"

#include <math.h>

enum { DENSE_SIZE = 400 };

#define EQUAL 1e-9 // relative: amounts of work that differ by less are the same

// Displacements of selected carriers that the constraints allow.
typedef struct allowed {
    uint32_t count;      // of columns of Z
    double *orthonormal; // carriers x count, in sizes of variables
    double *plain;       // the same space, orthonormal in the units of the model
    double *unit;        // the same space with one unit component each: as a person writes it
    double *weight;      // by column of `unit`: the size of that component
    double *size;        // by carrier
} allowed;

// Constraints whose rows limit displacements: all two-sided ones, kept or only proposed, and the
// one whose reaction is judged.
static bool limits(const rh_checkup *checkup, uint32_t link, uint32_t judged)
{
    const rh_link *it = &checkup->equations->links.data[link];
    return (!it->constraint->is_one_sided && !rh__link_is_intermittent(it)) || link == judged;
}

// Column j of length one and at right angles to those before it.
static void straighten(uint32_t n, uint32_t j, double *columns)
{
    double *own = columns + (size_t)j * n;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < j; c++) {
            const double *other = columns + (size_t)c * n;
            const double part = rh__vector_dot(n, other, own);
            for (uint32_t i = 0; i < n; i++) {
                own[i] -= part * other[i];
            }
        }
        const double length = rh__vector_norm(n, own);
        for (uint32_t i = 0; length > 0.0 && i < n; i++) {
            own[i] /= length;
        }
    }
}

// Each displacement with a component that is one in the units of the model.
static rh_status find_units(const rh_checkup *checkup, rh_arena *arena, allowed *out)
{
    const uint32_t n = checkup->equations->carriers.count;
    out->unit = rh__arena_array(arena, double, (size_t)out->count *n + 1);
    out->plain = rh__arena_array(arena, double, (size_t)out->count *n + 1);
    out->weight = rh__arena_array(arena, double, (size_t)out->count + 1);
    out->size = rh__arena_array(arena, double, (size_t)n + 1);
    if (out->unit == NULL || out->plain == NULL || out->weight == NULL || out->size == NULL) {
        return arena->status;
    }
    for (size_t k = 0; k < (size_t)out->count * n; k++) {
        out->unit[k] = out->orthonormal[k];
    }
    rh__echelon(n, out->count, 1e-9, false, out->unit);
    for (uint32_t i = 0; i < n; i++) {
        out->size[i] = rh__checkup_size(checkup, i);
    }
    for (uint32_t j = 0; j < out->count; j++) {
        double *column = out->unit + (size_t)j * n;
        uint32_t lead = 0;
        while (lead + 1 < n && !(fabs(column[lead]) > 0.5)) {
            lead++;
        }
        out->weight[j] = out->size[lead];
        for (uint32_t i = 0; i < n; i++) {
            column[i] *= out->size[i] / out->weight[j];
            out->plain[i + (size_t)j * n] = column[i];
        }
        straighten(n, j, out->plain);
    }
    return RH_OK;
}

// `judged`: a link that does not always act; UINT32_MAX: none.
static rh_status find_allowed(const rh_checkup *checkup, const rh_point *point, uint32_t judged,
                              rh_arena *arena, allowed *out)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t n = equations->carriers.count;
    bool *use = rh__arena_array(arena, bool, (size_t)equations->links.count + 1);
    uint32_t count = 0;
    for (uint32_t k = 0; use != NULL && k < equations->links.count; k++) {
        use[k] = limits(checkup, k, judged);
        count += use[k];
    }
    double *a = rh__arena_array(arena, double, (size_t)(count + n) * n + 1);
    double *rows = rh__arena_array(arena, double, (size_t)count *n + 1);
    if (use == NULL || a == NULL || rows == NULL) {
        return arena->status;
    }
    RH_TRY(rh__checkup_scaled_rows(checkup, point, use, count, arena, rows));
    // what is not selected is not displaced
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < count; i++) {
            a[i + (size_t)j * (count + n)] = rows[i + (size_t)j * count];
        }
        a[count + j + (size_t)j * (count + n)] =
            equations->carriers.data[j].is_selected ? 0.0 : 1.0;
    }
    rh_svd svd;
    RH_TRY(rh__svd_create(arena, count + n, n, a, &svd));
    const uint32_t rank = rh__svd_rank(&svd, 1e-10);
    out->count = n - rank;
    out->orthonormal = svd.v + (size_t)rank * n;
    return find_units(checkup, arena, out);
}

// --- one link ----------------------------------------------------------------------------------

// push * lambda by entry.
static rh_status find_reaction(const rh_checkup *checkup, uint32_t link, double lambda,
                               rh_arena *scratch, double *out)
{
    const rh_grid *push = &checkup->equations->push;
    for (uint32_t k = push->begin[link]; k < push->begin[link + 1]; k++) {
        double value = 0.0;
        RH_TRY(rh__point_evaluate(&checkup->start.point, &push->entries.data[k].value, 1, scratch,
                                  &value));
        out[k - push->begin[link]] = value * lambda;
    }
    return RH_OK;
}

// From entries to carriers, where there is nothing else yet.
static void spread(const rh_checkup *checkup, uint32_t link, const double *parts, double *out)
{
    const rh_grid *push = &checkup->equations->push;
    for (uint32_t k = push->begin[link]; k < push->begin[link + 1]; k++) {
        out[push->entries.data[k].column] = parts[k - push->begin[link]];
    }
}

static void gather(const rh_checkup *checkup, uint32_t link, const double *whole, double *out)
{
    const rh_grid *push = &checkup->equations->push;
    for (uint32_t k = push->begin[link]; k < push->begin[link + 1]; k++) {
        out[k - push->begin[link]] = whole[push->entries.data[k].column];
    }
}

// M y' - h by carrier.
static rh_status find_balance(const rh_checkup *checkup, const rh_point *point, rh_arena *scratch,
                              double *out)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t n = equations->carriers.count;
    double *mass = rh__arena_array(scratch, double, (size_t)n *n + 1);
    RH_TRY(mass == NULL ? scratch->status : RH_OK);
    RH_TRY(rh__checkup_rows(checkup, &equations->inertia, point, NULL, n, scratch, mass));
    RH_TRY(rh__point_evaluate(point, equations->force, n, scratch, out));
    for (uint32_t i = 0; i < n; i++) {
        out[i] = -out[i];
        for (uint32_t j = 0; j < n; j++) {
            out[i] +=
                mass[i + (size_t)j * n] * rh__point_get(point, equations->carriers.data[j].rate);
        }
    }
    return RH_OK;
}

// Type II: the reaction is -lambda' phi_v - lambda [phi]; the second part stands in M and h, which
// are linear in lambda.
static rh_status add_held(const rh_checkup *checkup, uint32_t link, double assumed,
                          rh_arena *scratch, double *out)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t n = equations->carriers.count;
    const rh_point *start = &checkup->start.point;
    const rh_expr held = equations->links.data[link].held;
    const double lambda = rh__point_get(start, held);
    double *with = rh__arena_array(scratch, double, (size_t)n + 1);
    double *without = rh__arena_array(scratch, double, (size_t)n + 1);
    RH_TRY(with == NULL || without == NULL ? scratch->status : RH_OK);
    rh__point_set(start, held, assumed);
    rh_status status = find_balance(checkup, start, scratch, with);
    rh__point_set(start, held, 0.0);
    status = status == RH_OK ? find_balance(checkup, start, scratch, without) : status;
    rh__point_set(start, held, lambda);
    for (uint32_t k = 0; k < n; k++) {
        out[k] += without[k] - with[k];
    }
    return status;
}

// |C y' + gamma - Y| against the sum of its absolute terms.
static rh_status does_keep(const rh_checkup *checkup, uint32_t link, const rh_point *point,
                           rh_arena *scratch, bool *out)
{
    const rh_equations *equations = checkup->equations;
    const rh_link *it = &equations->links.data[link];
    const rh_expr ends[] = {it->bias, it->target};
    double values[2] = {0};
    RH_TRY(rh__point_evaluate(point, ends, 2, scratch, values));
    double sum = values[0] - values[1];
    double size = fabs(values[0]) + fabs(values[1]);
    double floor = 0.0;
    for (uint32_t k = equations->rows.begin[link]; k < equations->rows.begin[link + 1]; k++) {
        const rh_entry *entry = &equations->rows.entries.data[k];
        double factor = 0.0;
        RH_TRY(rh__point_evaluate(point, &entry->value, 1, scratch, &factor));
        const double part =
            factor * rh__point_get(point, equations->carriers.data[entry->column].rate);
        sum += part;
        size += fabs(part);
        floor += fabs(factor) * rh__checkup_rate_size(checkup, entry->column);
    }
    *out = fabs(sum) <= 1e-9 * size + 1e-12 * floor;
    return RH_OK;
}

// The reaction does work along a displacement: in units of the sizes of variables for the verdict,
// in those of the model for the numbers that are told: of works the largest by sizes, the first of
// equal ones.
static void judge(const allowed *free, uint32_t n, const double *reaction, rh_link_report *report)
{
    const double told = rh__vector_norm(n, reaction);
    double size = 0.0, most = 0.0, most_told = 0.0, most_work = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        size = hypot(size, reaction[i] * free->size[i]);
    }
    for (uint32_t j = 0; j < free->count; j++) {
        double part = 0.0;
        for (uint32_t i = 0; i < n; i++) {
            part += free->orthonormal[i + (size_t)j * n] * reaction[i] * free->size[i];
        }
        const double plain = rh__vector_dot(n, free->plain + (size_t)j * n, reaction);
        const double work = rh__vector_dot(n, free->unit + (size_t)j * n, reaction);
        most = fmax(most, fabs(part));
        most_told = fmax(most_told, fabs(plain));
        if (fabs(work) * free->weight[j] > (1.0 + EQUAL) * most_work) {
            most_work = fabs(work) * free->weight[j];
            report->virtual_work = work;
        }
    }
    report->ideality = told > 0.0 ? most_told / told : 0.0;
    report->is_ideal = !(size > 0.0) || most / size <= 1e-9;
    report->virtual_work = report->is_ideal ? 0.0 : report->virtual_work;
}

// The direction of a link's push at a state, whatever its multiplier is.
static rh_status judge_direction(const rh_checkup *checkup, uint32_t link, const rh_point *point,
                                 const allowed *free, rh_arena *scratch, rh_link_report *out)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t n = equations->carriers.count;
    bool *use = rh__arena_array(scratch, bool, (size_t)equations->links.count + 1);
    double *direction = rh__arena_array(scratch, double, (size_t)n + 1);
    RH_TRY(use == NULL || direction == NULL ? scratch->status : RH_OK);
    use[link] = true;
    RH_TRY(rh__checkup_rows(checkup, &equations->push, point, use, 1, scratch, direction));
    judge(free, n, direction, out);
    out->virtual_work = 0.0;
    return RH_OK;
}

// The first that is not ideal tells by how much: that at the start, if it is none.
static void take_worse(const rh_link_report *found, rh_link_report *report)
{
    report->ideality = report->is_ideal ? found->ideality : report->ideality;
    report->is_ideal = report->is_ideal && found->is_ideal;
}

// At other states on the constraints, and for type II with a multiplier that is not zero.
static rh_status judge_elsewhere(const rh_checkup *checkup, uint32_t link, uint32_t judged,
                                 rh_arena *scratch, rh_link_report *report)
{
    const uint32_t n = checkup->equations->carriers.count;
    for (uint32_t state = RH_CHECKUP_START; state <= RH_CHECKUP_FAR; state++) {
        rh_link_report found = {.is_ideal = true};
        allowed free = {0};
        if (!checkup->is_state[state]) {
            continue;
        }
        RH_TRY(find_allowed(checkup, &checkup->states[state], judged, scratch, &free));
        RH_TRY(judge_direction(checkup, link, &checkup->states[state], &free, scratch, &found));
        take_worse(&found, report);
        if (state == RH_CHECKUP_START && checkup->equations->links.data[link].held.i != 0) {
            double *part = rh__arena_array(scratch, double, (size_t)n + 1);
            RH_TRY(part == NULL ? scratch->status : RH_OK);
            RH_TRY(add_held(checkup, link, 1.0, scratch, part));
            judge(&free, n, part, &found);
            take_worse(&found, report);
        }
    }
    return RH_OK;
}

// Does a link alone limit displacements?
static bool is_alone(const rh_checkup *checkup, uint32_t link)
{
    bool is = true;
    for (uint32_t k = 0; k < checkup->equations->links.count; k++) {
        is = is && (k == link || !limits(checkup, k, link));
    }
    return is;
}

// Does a link push along its own gradient, wherever the state is?
static bool is_along(const rh_checkup *checkup, uint32_t link, rh_arena *scratch)
{
    rh_equations *equations = checkup->equations;
    rh_store *store = equations->store;
    const rh_expr zero = rh__expr_integer(store, 0);
    rh_expr lead[2] = {RH_EXPR_NONE, RH_EXPR_NONE}; // gradient and push at its first carrier
    bool is = true;
    for (uint32_t i = 0; is && i < equations->carriers.count; i++) {
        const rh_expr row = rh__grid_at(&equations->rows, link, i);
        const rh_expr push = rh__grid_at(&equations->push, link, i);
        const rh_expr both[] = {row.i != 0 ? row : zero, push.i != 0 ? push : zero};
        if (!equations->carriers.data[i].is_selected || (row.i == 0 && push.i == 0)) {
            continue;
        }
        if (lead[0].i == 0) {
            lead[0] = both[0];
            lead[1] = both[1];
            continue;
        }
        const rh_expr turned = rh__expr_subtract(store, rh__expr_multiply(store, lead[0], both[1]),
                                                 rh__expr_multiply(store, lead[1], both[0]));
        is = turned.i == 0 || rh__derive_vanishes(equations, turned, scratch);
    }
    return is;
}

// `free`: what the two-sided constraints allow at the start. A constraint that is ideal by its
// realisation pushes along its own gradient.
static rh_status judge_reaction(const rh_checkup *checkup, uint32_t link, const allowed *free,
                                const double *reaction, rh_arena *scratch, rh_link_report *report)
{
    const rh_link *it = &checkup->equations->links.data[link];
    const uint32_t n = checkup->equations->carriers.count;
    const bool comes = it->constraint->is_one_sided || rh__link_is_intermittent(it);
    const uint32_t judged = comes ? link : UINT32_MAX;
    allowed own = *free;
    if (it->constraint->by == RH_BY_IDEAL) {
        report->is_ideal = true;
        return RH_OK;
    }
    if (comes) {
        RH_TRY(find_allowed(checkup, &checkup->start.point, link, scratch, &own));
    }
    judge(&own, n, reaction, report);
    RH_TRY(judge_elsewhere(checkup, link, judged, scratch, report));
    if (is_alone(checkup, link) && !is_along(checkup, link, scratch)) {
        report->is_ideal = false; // however little it shows near the start
    }
    return RH_OK;
}

// pi = C M^-1 B of a link at the start.
static rh_status find_control(const rh_checkup *checkup, uint32_t link, rh_arena *scratch,
                              double *out)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t n = equations->carriers.count;
    const rh_point *start = &checkup->start.point;
    bool *use = rh__arena_array(scratch, bool, (size_t)equations->links.count + 1);
    double *mass = rh__arena_array(scratch, double, (size_t)n *n + 1);
    double *row = rh__arena_array(scratch, double, (size_t)n + 1);
    double *push = rh__arena_array(scratch, double, (size_t)n + 1);
    if (use == NULL || mass == NULL || row == NULL || push == NULL) {
        return scratch->status;
    }
    use[link] = true;
    RH_TRY(rh__checkup_rows(checkup, &equations->inertia, start, NULL, n, scratch, mass));
    RH_TRY(rh__checkup_rows(checkup, &equations->rows, start, use, 1, scratch, row));
    RH_TRY(rh__checkup_rows(checkup, &equations->push, start, use, 1, scratch, push));
    rh_lu lu;
    RH_TRY(rh__lu_create(scratch, n, mass, &lu));
    *out = NAN;
    if (lu.rcond > 0.0 && rh__lu_solve(&lu, push, 1) == RH_OK) {
        // type II: pi_lam is taken with +phi_v, the push is -phi_v
        const double pi = rh__vector_dot(n, row, push);
        *out = equations->links.data[link].held.i != 0 ? -pi : pi;
    }
    return RH_OK;
}

static rh_status judge_link(rh_checkup *checkup, uint32_t link, const allowed *free,
                            rh_arena *scratch)
{
    const rh_link *it = &checkup->equations->links.data[link];
    const uint32_t n = checkup->equations->carriers.count;
    const rh_grid *push = &checkup->equations->push;
    rh_link_report *report = &checkup->links[link];
    const uint32_t count = push->begin[link + 1] - push->begin[link];
    double *whole = n <= DENSE_SIZE ? rh__arena_array(scratch, double, (size_t)n + 1) : NULL;
    report->reaction = rh__arena_array(&checkup->arena, double, (size_t)count + 1);
    if (report->reaction == NULL || (whole == NULL && n <= DENSE_SIZE)) {
        return report->reaction == NULL ? checkup->arena.status : scratch->status;
    }
    RH_TRY(find_reaction(checkup, link, report->multiplier, scratch, report->reaction));
    if (whole != NULL) {
        spread(checkup, link, report->reaction, whole);
        RH_TRY(it->held.i == 0
                   ? RH_OK
                   : add_held(checkup, link, rh__point_get(&checkup->start.point, it->held),
                              scratch, whole));
        gather(checkup, link, whole, report->reaction);
    }
    RH_TRY(does_keep(checkup, link, &checkup->start.point, scratch, &report->keeps));
    report->control = NAN;
    // what is judged is small enough to stand there by carrier
    if (free != NULL && whole != NULL) {
        RH_TRY(judge_reaction(checkup, link, free, whole, scratch, report));
    } else {
        report->is_ideal = it->constraint->by == RH_BY_IDEAL;
    }
    const bool is_controlled = rh__link_is_enforced(it) && it->constraint->by != RH_BY_IDEAL;
    return is_controlled && n <= DENSE_SIZE ? find_control(checkup, link, scratch, &report->control)
                                            : RH_OK;
}

rh_status rh__checkup_ideal(rh_checkup *checkup, rh_arena *scratch)
{
    const rh_equations *equations = checkup->equations;
    const uint32_t links = equations->links.count;
    allowed free = {0};
    if (links > 0 && equations->carriers.count + links <= DENSE_SIZE) {
        RH_TRY(find_allowed(checkup, &checkup->start.point, UINT32_MAX, scratch, &free));
    }
    for (uint32_t k = 0; k < links; k++) {
        const rh_mark mark = rh__arena_mark(scratch);
        RH_TRY(judge_link(checkup, k, free.size != NULL ? &free : NULL, scratch));
        rh__arena_rewind(scratch, mark);
    }
    return RH_OK;
}
