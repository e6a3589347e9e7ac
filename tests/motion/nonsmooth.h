// SPDX-License-Identifier: Apache-2.0
// Random mechanical systems with conditions in every place, as a text and as an event-driven
// reference that shares nothing with the library. With constant matrices M and vectors a, b, c, w
//     T = mu q'M q'/2,  mu = 1 or m2 on the two sides of a surface,
//     V = sum k q^2/2 + 0.3 cos(q1 - q2) + a step h on a surface + slope |surface|,
//     forces f sin(w t) - d q' - friction sign(b q') b,
//     a constraint c q = p(t) with a kink in time, or c q' = speed while a condition holds,
//     a wall w q + w0 >= 0 with restitution.
// A surface is a q + rate t + offset. Between events the reference extrapolates midpoint steps;
// at events it applies the rules of docs/theory/onesided.md, 15, by hand.

#pragma once

#include "support.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NS_SIZE = 3, NS_ROWS = 3, NS_EVENTS = 64 };

/// a q + rate t + offset.
typedef struct ns_surface {
    bool is_there;
    double a[NS_SIZE], rate, offset;
} ns_surface;

typedef struct ns_system {
    uint32_t n;
    double M[NS_SIZE][NS_SIZE];
    double k[NS_SIZE], f[NS_SIZE], frequency, damping;
    ns_surface heavier; // T is m2 times as large behind it
    double m2;
    ns_surface step; // V is h larger behind it
    double h;
    ns_surface bend; // V holds slope |bend|
    double slope;
    bool has_friction;
    double b[NS_SIZE], friction;
    bool has_drive; // c q = p0 + p1 t + p2 max(0, t - kink)
    double c[NS_SIZE], p0, p1, p2, kink;
    ns_surface rolling; // c q' = speed while it is negative
    double speed;
    ns_surface wall; // not negative
    double restitution;
    double q[NS_SIZE], v[NS_SIZE];
} ns_system;

typedef enum ns_end {
    NS_REACHED,
    NS_UNDETERMINED, // the text does not say how it goes on
    NS_UNSURE        // the reference is not good enough here: grazing, too many events
} ns_end;

/// Where the reference is, and in which mode.
typedef struct ns_state {
    double t, q[NS_SIZE], v[NS_SIZE];
    int heavier, step, bend; // sides: -1, 1
    int slip;                // -1, 1: sign of b v; 0: it sticks
    bool is_driven;          // behind the kink
    bool is_rolling, is_closed;
} ns_state;

typedef struct ns_run {
    const ns_system *of;
    ns_state now;
    ns_end end;
    const char *why;
    uint32_t events;
} ns_run;

// --- small algebra -------------------------------------------------------------------------------

static double ns_dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

// A x = y of size up to 6, by Gauss with pivots; false: singular.
static bool ns_solve(uint32_t size, double A[6][6], double *y)
{
    for (uint32_t k = 0; k < size; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < size; i++) {
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        }
        if (fabs(A[best][k]) < 1e-12) {
            return false;
        }
        for (uint32_t j = 0; j < size; j++) {
            const double kept = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = kept;
        }
        const double kept = y[k];
        y[k] = y[best];
        y[best] = kept;
        for (uint32_t i = k + 1; i < size; i++) {
            const double factor = A[i][k] / A[k][k];
            for (uint32_t j = k; j < size; j++) {
                A[i][j] -= factor * A[k][j];
            }
            y[i] -= factor * y[k];
        }
    }
    for (uint32_t k = size; k-- > 0;) {
        for (uint32_t j = k + 1; j < size; j++) {
            y[k] -= A[k][j] * y[j];
        }
        y[k] /= A[k][k];
    }
    return true;
}

/// Rows that are kept, with what they must be.
typedef struct ns_rows {
    const double *row[NS_ROWS];
    double value[NS_ROWS];
    uint32_t count;
} ns_rows;

// scale M x = load + sum of rows times multipliers, rows x = values. True when it is solvable.
static bool ns_constrained(const ns_system *of, double scale, const double *load,
                           const ns_rows *rows, double *x, double *multipliers)
{
    double A[6][6] = {{0.0}};
    double y[6] = {0.0};
    const uint32_t n = of->n;
    for (uint32_t i = 0; i < n; i++) {
        y[i] = load[i];
        for (uint32_t j = 0; j < n; j++) {
            A[i][j] = scale * of->M[i][j];
        }
        for (uint32_t r = 0; r < rows->count; r++) {
            A[i][n + r] = -rows->row[r][i];
            A[n + r][i] = rows->row[r][i];
            y[n + r] = rows->value[r];
        }
    }
    if (!ns_solve(n + rows->count, A, y)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        x[i] = y[i];
    }
    for (uint32_t r = 0; r < rows->count; r++) {
        multipliers[r] = y[n + r];
    }
    return true;
}

// --- the system between events -------------------------------------------------------------------

static double ns_level(const ns_system *of, const ns_surface *surface, const ns_state *at)
{
    return ns_dot(surface->a, at->q, of->n) + surface->rate * at->t + surface->offset;
}

static double ns_speed(const ns_system *of, const ns_surface *surface, const double *v)
{
    return ns_dot(surface->a, v, of->n) + surface->rate;
}

static double ns_scale(const ns_system *of, int side)
{
    return of->heavier.is_there && side > 0 ? of->m2 : 1.0;
}

static void ns_load(const ns_system *of, const ns_state *at, double *load)
{
    const double twist = 0.3 * sin(at->q[0] - at->q[1]);
    for (uint32_t i = 0; i < of->n; i++) {
        load[i] =
            of->f[i] * sin(of->frequency * at->t) - of->damping * at->v[i] - of->k[i] * at->q[i];
        load[i] -= of->bend.is_there ? of->slope * at->bend * of->bend.a[i] : 0.0;
        load[i] -= of->has_friction ? of->friction * at->slip * of->b[i] : 0.0;
    }
    load[0] += twist;
    load[1] -= twist;
}

static ns_rows ns_active(const ns_system *of, const ns_state *at)
{
    ns_rows rows = {.count = 0};
    if (of->has_drive || at->is_rolling) {
        rows.row[rows.count++] = of->c;
    }
    if (at->is_closed) {
        rows.row[rows.count++] = of->wall.a;
    }
    if (of->has_friction && at->slip == 0) {
        rows.row[rows.count++] = of->b;
    }
    return rows;
}

// Accelerations; multipliers of the rows in the order of ns_active.
static bool ns_accelerate(const ns_system *of, const ns_state *at, double *a, double *multipliers)
{
    double load[NS_SIZE];
    const ns_rows rows = ns_active(of, at);
    ns_load(of, at, load);
    return ns_constrained(of, ns_scale(of, at->heavier), load, &rows, a, multipliers);
}

// One step of length h by extrapolated midpoint sums (Gragg; 2, 4 ... 16 parts).
static bool ns_advance(const ns_system *of, const ns_state *from, double h, ns_state *out)
{
    enum { COLUMNS = 8 };
    const uint32_t n = of->n;
    double table[COLUMNS][2 * NS_SIZE];
    double a[NS_SIZE];
    double ignored[NS_ROWS];
    bool is_well = true;
    for (uint32_t col = 0; col < COLUMNS; col++) {
        const uint32_t parts = 2 * (col + 1);
        const double d = h / parts;
        ns_state past = *from;
        ns_state next = *from;
        is_well = ns_accelerate(of, from, a, ignored) && is_well;
        for (uint32_t i = 0; i < n; i++) {
            next.q[i] += d * from->v[i];
            next.v[i] += d * a[i];
        }
        for (uint32_t part = 1; part < parts; part++) {
            next.t = from->t + part * d;
            is_well = ns_accelerate(of, &next, a, ignored) && is_well;
            for (uint32_t i = 0; i < n; i++) {
                const double q = past.q[i] + 2.0 * d * next.v[i];
                const double v = past.v[i] + 2.0 * d * a[i];
                past.q[i] = next.q[i];
                past.v[i] = next.v[i];
                next.q[i] = q;
                next.v[i] = v;
            }
        }
        double row[2 * NS_SIZE];
        for (uint32_t i = 0; i < n; i++) {
            row[i] = next.q[i];
            row[n + i] = next.v[i];
        }
        for (uint32_t back = 1; back <= col; back++) { // Neville, from the finest to the coarsest
            const double ratio = (double)parts / (2.0 * (col - back + 1));
            for (uint32_t i = 0; i < 2 * n; i++) {
                const double better =
                    row[i] + (row[i] - table[back - 1][i]) / (ratio * ratio - 1.0);
                table[back - 1][i] = row[i];
                row[i] = better;
            }
        }
        for (uint32_t i = 0; i < 2 * n; i++) {
            table[col][i] = row[i];
        }
    }
    *out = *from;
    out->t = from->t + h;
    for (uint32_t i = 0; i < n; i++) {
        out->q[i] = table[COLUMNS - 1][i];
        out->v[i] = table[COLUMNS - 1][n + i];
    }
    return is_well;
}

// --- events --------------------------------------------------------------------------------------

typedef enum ns_kind {
    NS_HEAVIER,
    NS_STEP,
    NS_BEND,
    NS_SLIP,  // b v = 0
    NS_STICK, // the force that holds it comes to its bound
    NS_KINK,
    NS_ROLL, // the rolling constraint comes or goes
    NS_WALL, // it is met
    NS_OPEN, // its reaction comes to zero
    NS_KINDS
} ns_kind;

// Functions that are positive before their event; +1 where they do not apply.
static double ns_watch(const ns_system *of, const ns_state *at, ns_kind kind)
{
    double a[NS_SIZE];
    double multipliers[NS_ROWS] = {0.0};
    const uint32_t rows = ns_active(of, at).count;
    switch (kind) {
    case NS_HEAVIER:
        return of->heavier.is_there ? at->heavier * ns_level(of, &of->heavier, at) : 1.0;
    case NS_STEP:
        return of->step.is_there ? at->step * ns_level(of, &of->step, at) : 1.0;
    case NS_BEND:
        return of->bend.is_there ? at->bend * ns_level(of, &of->bend, at) : 1.0;
    case NS_SLIP:
        return of->has_friction && at->slip != 0 ? at->slip * ns_dot(of->b, at->v, of->n) : 1.0;
    case NS_STICK:
        if (!of->has_friction || at->slip != 0 || !ns_accelerate(of, at, a, multipliers)) {
            return 1.0;
        }
        return of->friction - fabs(multipliers[rows - 1]);
    case NS_KINK:
        return of->has_drive && !at->is_driven ? of->kink - at->t : 1.0;
    case NS_ROLL:
        return of->rolling.is_there ? (at->is_rolling ? -1.0 : 1.0) * ns_level(of, &of->rolling, at)
                                    : 1.0;
    case NS_WALL:
        return of->wall.is_there && !at->is_closed ? ns_level(of, &of->wall, at) : 1.0;
    case NS_OPEN:
        if (!at->is_closed || !ns_accelerate(of, at, a, multipliers)) {
            return 1.0;
        }
        return multipliers[of->has_drive || at->is_rolling ? 1 : 0];
    case NS_KINDS:
        break;
    }
    return 1.0;
}

static void ns_fail(ns_run *run, ns_end end, const char *why)
{
    run->end = end;
    run->why = why;
}

// Velocities jump so that the rows have their values, by impulses along them.
static bool ns_impulse(ns_run *run, const ns_rows *rows, double *multipliers)
{
    double load[NS_SIZE];
    for (uint32_t i = 0; i < run->of->n; i++) {
        load[i] = ns_dot(run->of->M[i], run->now.v, run->of->n);
    }
    return ns_constrained(run->of, 1.0, load, rows, run->now.v, multipliers);
}

static double ns_drive_rate(const ns_system *of, const ns_state *at)
{
    return of->has_drive ? of->p1 + (at->is_driven ? of->p2 : 0.0) : of->speed;
}

// A jump that all two-sided rows take part in, and a closed wall, which may open.
static void ns_push(ns_run *run)
{
    const ns_system *of = run->of;
    const ns_state before = run->now;
    double multipliers[NS_ROWS] = {0.0};
    ns_rows rows = {.count = 0};
    if (of->has_drive || before.is_rolling) {
        rows.row[rows.count] = of->c;
        rows.value[rows.count++] = ns_drive_rate(of, &before);
    }
    const uint32_t wall = rows.count;
    if (before.is_closed) {
        rows.row[rows.count] = of->wall.a;
        rows.value[rows.count++] = -of->wall.rate;
    }
    if (!ns_impulse(run, &rows, multipliers)) {
        ns_fail(run, NS_UNSURE, "singular impulse");
    } else if (before.is_closed && multipliers[wall] < 0.0) {
        run->now = before;
        run->now.is_closed = false;
        rows.count = wall;
        if (!ns_impulse(run, &rows, multipliers)) {
            ns_fail(run, NS_UNSURE, "singular impulse");
        }
    }
}

static void ns_hit(ns_run *run)
{
    const ns_system *of = run->of;
    double multipliers[NS_ROWS] = {0.0};
    const double speed = ns_speed(of, &of->wall, run->now.v);
    ns_rows rows = {.count = 0};
    if (of->has_drive || run->now.is_rolling) {
        rows.row[rows.count] = of->c;
        rows.value[rows.count++] = ns_drive_rate(of, &run->now);
    }
    rows.row[rows.count] = of->wall.a;
    rows.value[rows.count++] = -of->restitution * speed - of->wall.rate;
    if (!ns_impulse(run, &rows, multipliers) || fabs(speed) < 1e-4) {
        ns_fail(run, NS_UNSURE, "grazes the wall");
    }
    run->now.is_closed = of->restitution == 0.0;
}

// The two solutions of p+ = p- + sigma a + nu c with H+ = H- - sigma rate + nu p'.
static void ns_refract(ns_run *run, const ns_surface *surface, int *side, double rise)
{
    const ns_system *of = run->of;
    ns_state *now = &run->now;
    const double before = ns_scale(of, now->heavier);
    const double speed = ns_speed(of, surface, now->v);
    const int old = speed > 0.0 ? 1 : -1;
    if (now->is_closed || fabs(speed) < 1e-4) {
        ns_fail(run, NS_UNSURE, "a step beside a closed wall, or grazing");
        return;
    }
    const double after = side == &now->heavier ? ns_scale(of, -now->heavier) : before;
    // v+ = u + sigma z: u has the momentum of before, z that of the normal, within the constraint
    double load[NS_SIZE];
    double u[NS_SIZE];
    double z[NS_SIZE];
    double nu_u[NS_ROWS] = {0.0};
    double nu_z[NS_ROWS] = {0.0};
    ns_rows rows = {.count = 0};
    const bool is_led = of->has_drive || now->is_rolling;
    const double rate = is_led ? ns_drive_rate(of, now) : 0.0;
    if (is_led) {
        rows.row[rows.count] = of->c;
        rows.value[rows.count++] = rate;
    }
    for (uint32_t i = 0; i < of->n; i++) {
        load[i] = before * ns_dot(of->M[i], now->v, of->n);
    }
    bool is_well = ns_constrained(of, after, load, &rows, u, nu_u);
    rows.value[0] = 0.0;
    is_well = is_well && ns_constrained(of, after, surface->a, &rows, z, nu_z);
    if (!is_well) {
        ns_fail(run, NS_UNSURE, "singular refraction");
        return;
    }
    if (ns_dot(surface->a, surface->a, of->n) == 0.0) { // of time alone: momentum is continuous
        for (uint32_t i = 0; i < of->n; i++) {
            now->v[i] = u[i];
        }
        *side = -*side;
        return;
    }
    // energy: after/2 v+Mv+ + rise = before/2 v-Mv- - sigma rate + nu p'
    double Mu[NS_SIZE];
    double Mz[NS_SIZE];
    for (uint32_t i = 0; i < of->n; i++) {
        Mu[i] = ns_dot(of->M[i], u, of->n);
        Mz[i] = ns_dot(of->M[i], z, of->n);
    }
    const double A = after * ns_dot(z, Mz, of->n) / 2.0;
    const double B = after * ns_dot(u, Mz, of->n) + surface->rate - (is_led ? nu_z[0] * rate : 0.0);
    const double C = after * ns_dot(u, Mu, of->n) / 2.0 + rise - ns_dot(load, now->v, of->n) / 2.0 -
                     (is_led ? nu_u[0] * rate : 0.0);
    const double root = B * B - 4.0 * A * C;
    const double slope = ns_dot(surface->a, z, of->n);
    const double middle = ns_speed(of, surface, u) - slope * B / (2.0 * A);
    const double spread = root > 0.0 ? slope * sqrt(root) / (2.0 * A) : 0.0;
    const double speed_after = middle + old * fabs(spread);
    if (root > 0.0 && speed_after * old > 0.0) {
        const double sigma = (speed_after - ns_speed(of, surface, u)) / slope;
        for (uint32_t i = 0; i < of->n; i++) {
            now->v[i] = u[i] + sigma * z[i];
        }
        *side = -*side;
    } else { // reflected on the old side
        for (uint32_t i = 0; i < of->n; i++) {
            now->v[i] -= 2.0 * speed / slope * z[i];
        }
    }
    if (fabs(speed_after) < 1e-4 || (root <= 0.0 && root > -1e-6)) {
        ns_fail(run, NS_UNSURE, "hardly over the step");
    }
}

// After b v = 0, or after velocities jumped: slip by the velocity, else stick if the force allows.
static void ns_settle_friction(ns_run *run, bool is_met)
{
    const ns_system *of = run->of;
    ns_state *now = &run->now;
    double a[NS_SIZE];
    double multipliers[NS_ROWS] = {0.0};
    const double speed = ns_dot(of->b, now->v, of->n);
    if (!of->has_friction) {
        return;
    }
    if (!is_met && fabs(speed) > 1e-9) {
        now->slip = speed > 0.0 ? 1 : -1;
        return;
    }
    now->slip = 0;
    if (!ns_accelerate(of, now, a, multipliers)) {
        ns_fail(run, NS_UNSURE, "sticking is not determined");
        return;
    }
    const double force = multipliers[ns_active(of, now).count - 1];
    if (fabs(fabs(force) - of->friction) < 1e-6) {
        ns_fail(run, NS_UNSURE, "at the bound of friction");
    }
    now->slip = fabs(force) <= of->friction ? 0 : force > 0.0 ? -1 : 1;
}

static void ns_roll(ns_run *run)
{
    const ns_system *of = run->of;
    ns_state *now = &run->now;
    if (now->is_rolling) {
        now->is_rolling = false;
        return;
    }
    now->is_rolling = true;
    ns_push(run);
    const double rate = ns_speed(of, &of->rolling, now->v);
    if (fabs(rate) < 1e-4) {
        ns_fail(run, NS_UNSURE, "hardly into the condition");
    } else if (rate > 0.0) {
        ns_fail(run, NS_UNDETERMINED, "the condition is left at once");
    }
}

static void ns_handle(ns_run *run, ns_kind kind)
{
    ns_state *now = &run->now;
    const ns_state before = *now;
    if (kind == NS_HEAVIER) {
        ns_refract(run, &run->of->heavier, &now->heavier, 0.0);
    } else if (kind == NS_STEP) {
        ns_refract(run, &run->of->step, &now->step, -now->step * run->of->h);
    } else if (kind == NS_BEND) {
        now->bend = -now->bend;
        if (fabs(ns_speed(run->of, &run->of->bend, now->v)) < 1e-4) {
            ns_fail(run, NS_UNSURE, "along the kink");
        }
    } else if (kind == NS_KINK) {
        now->is_driven = true;
        ns_push(run);
    } else if (kind == NS_ROLL) {
        ns_roll(run);
    } else if (kind == NS_WALL) {
        ns_hit(run);
    } else if (kind == NS_OPEN) {
        now->is_closed = false;
    } else if (kind == NS_STICK) {
        double a[NS_SIZE];
        double multipliers[NS_ROWS] = {0.0};
        (void)ns_accelerate(run->of, now, a, multipliers);
        now->slip = multipliers[ns_active(run->of, now).count - 1] > 0.0 ? -1 : 1;
    }
    if (kind != NS_STICK && run->end == NS_REACHED) {
        const double change =
            fabs(ns_dot(run->of->b, now->v, run->of->n) - ns_dot(run->of->b, before.v, run->of->n));
        if (kind == NS_SLIP || (before.slip == 0 && change > 1e-9) ||
            (change > 1e-9 && kind != NS_BEND)) {
            ns_settle_friction(run, kind == NS_SLIP);
        }
    }
}

// The first event within a step, located by bisection of its length.
static bool ns_locate(const ns_system *of, const ns_state *from, const ns_state *to, double h,
                      ns_state *out, ns_kind *out_kind)
{
    double first = INFINITY;
    for (ns_kind kind = NS_HEAVIER; kind < NS_KINDS; kind++) {
        if (ns_watch(of, to, kind) >= 0.0) {
            continue;
        }
        double low = 0.0;
        double high = h;
        ns_state at;
        for (int k = 0; k < 60 && high - low > 1e-15; k++) {
            const double middle = (low + high) / 2.0;
            (void)ns_advance(of, from, middle, &at);
            *(ns_watch(of, &at, kind) < 0.0 ? &high : &low) = middle;
        }
        if (high < first) {
            first = high;
            *out_kind = kind;
            (void)ns_advance(of, from, high, out);
        }
    }
    return isfinite(first);
}

/// From the start of the system to `t_end`.
static ns_run ns_go(const ns_system *of, const ns_state *start, double t_end)
{
    ns_run run = {.of = of, .now = *start, .end = NS_REACHED, .why = ""};
    const double most = 1.0 / 512.0;
    while (run.end == NS_REACHED && run.now.t < t_end) {
        const double h = fmin(most, t_end - run.now.t);
        ns_state next;
        ns_state met;
        ns_kind kind = NS_KINDS;
        if (!ns_advance(of, &run.now, h, &next)) {
            ns_fail(&run, NS_UNSURE, "singular");
        } else if (ns_locate(of, &run.now, &next, h, &met, &kind)) {
            run.now = met;
            ns_handle(&run, kind);
            if (++run.events > NS_EVENTS) {
                ns_fail(&run, NS_UNSURE, "too many events");
            }
        } else {
            next.t = h < most ? t_end : next.t;
            run.now = next;
        }
    }
    return run;
}
