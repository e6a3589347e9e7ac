// SPDX-License-Identifier: Apache-2.0
// Models at random, as text: kinetic energies that are positive definite and depend on state and
// time, potentials, dissipation, forces, constraints of every kind that can be kept together (each
// has a coordinate of its own on which it acts most), laws, states, quasi-velocities, chains. What
// `start` does not name is free: the consistent start finds a state.

#pragma once

#include "support.h"

#include <stdio.h>

typedef struct invention {
    support_random random;
    char text[16384];
    size_t size;
    uint32_t n;       // coordinates q1 .. qn
    uint32_t m;       // constraints c1 .. cm; the coordinate of ck is qk
    bool has_laws;    // instead of a kinetic energy
    bool has_state;   // s: selected; it may stand in constraints
    bool has_passive; // u: not selected
    uint32_t last;    // coordinates up to this one receive reactions
} invention;

static inline void put(invention *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(in->text + in->size, sizeof in->text - in->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && in->size + (size_t)size < sizeof in->text);
    in->size += (size_t)size;
}

static inline bool chance(invention *in, uint32_t percent)
{
    return support_random_below(&in->random, 100) < percent;
}

static inline double number(invention *in, double low, double high)
{
    return support_random_real(&in->random, low, high);
}

/// The number of a coordinate other than `but` (0: any).
static inline uint32_t some(invention *in, uint32_t but)
{
    uint32_t k = 1 + support_random_below(&in->random, in->n);
    return k == but ? 1 + k % in->n : k;
}

/// A small smooth function of coordinates and time.
static inline void put_smooth(invention *in)
{
    const double a = number(in, -0.6, 0.6);
    const double b = number(in, -1, 1);
    const uint32_t i = some(in, 0);
    const uint32_t j = some(in, 0);
    switch (support_random_below(&in->random, 7)) {
    case 0:
        put(in, "(%.3f)", a);
        break;
    case 1:
        put(in, "(%.3f)*sin(q%u + %.3f*t)", a, i, b);
        break;
    case 2:
        put(in, "(%.3f)*cos(q%u - %.3f*q%u)", a, i, b, j);
        break;
    case 3:
        put(in, "(%.3f + %.3f*q%u^2)", a, b / 3, i);
        break;
    case 4:
        put(in, "(%.3f)*q%u*q%u", a, i, j);
        break;
    case 5:
        put(in, "(%.3f)*t*q%u", a, i);
        break;
    default:
        put(in, "(%.3f)*exp(%.3f*q%u)", a / 2, b / 2, i);
    }
}

// --- motion --------------------------------------------------------------------------------------

static inline void put_energies(invention *in)
{
    put(in, "kinetic ");
    for (uint32_t k = 1; k <= in->n; k++) {
        put(in, "%s%.3f*q%u'^2", k > 1 ? " + " : "", number(in, 0.5, 2), k);
    }
    put(in, "\n");
    const uint32_t squares = 1 + support_random_below(&in->random, 3);
    for (uint32_t k = 0; k < squares; k++) {
        put(in, "kinetic (");
        put_smooth(in);
        put(in, "*q%u' + ", some(in, 0));
        put_smooth(in);
        put(in, "*q%u' + ", some(in, 0));
        put_smooth(in);
        put(in, ")^2/2\n");
    }
    if (chance(in, 30)) {
        put(in, "lagrangian ");
        put_smooth(in);
        put(in, "*q%u'\n", some(in, 0));
    }
}

static inline void put_laws(invention *in)
{
    for (uint32_t k = 1; k <= in->n; k++) {
        put(in, "law (%.3f + %.3f*sin(q%u + t))*q%u'' = ", number(in, 1, 2), number(in, 0, 0.5),
            some(in, 0), k);
        put_smooth(in);
        put(in, " - q%u*q%u'\n", some(in, 0), some(in, 0));
    }
}

static inline void put_forces(invention *in)
{
    put(in, "potential ");
    put_smooth(in);
    put(in, " + ");
    put_smooth(in);
    put(in, "\n");
    if (chance(in, 50)) {
        put(in, "dissipation (q%u' - cos(q%u)*q%u')^2*%.3f\n", some(in, 0), some(in, 0),
            some(in, 0), number(in, 0.1, 1));
    }
    if (chance(in, 70)) {
        put(in, "force q%u: sin(%.3f*t)*q%u' - q%u*q%u'^3\n", some(in, 0), number(in, -1, 1),
            some(in, 0), some(in, 0), some(in, 0));
    }
}

static inline void put_states(invention *in)
{
    if (in->has_state) {
        put(in, "law (1.5 + 0.3*sin(q1))*s' = -s + 0.2*q%u'*q%u + ", some(in, 0), some(in, 0));
        put_smooth(in);
        put(in, "\n");
    }
    if (in->has_passive) {
        put(in, "law u' = -u*q1 + q%u'\nforce q%u: u\nselect q1", some(in, 0), some(in, 0));
        for (uint32_t k = 2; k <= in->last; k++) {
            put(in, ", q%u", k);
        }
        put(in, in->has_state ? ", s\n" : "\n");
    }
}

// --- constraints ---------------------------------------------------------------------------------

typedef enum bond { SOLVED, LINEAR, POSITION, NONLINEAR, COUPLED, BOND_COUNT } bond;

static inline void put_bond(invention *in, uint32_t k, bond kind)
{
    const uint32_t a = some(in, k);
    const uint32_t b = some(in, k);
    put(in, "constraint c%u: ", k);
    switch (kind) {
    case SOLVED:
        put(in, "q%u' = ", k);
        put_smooth(in);
        put(in, "*q%u' + ", a);
        break;
    case LINEAR:
        put(in, "(2 + 0.3*sin(q%u))*q%u' + ", b, k);
        put_smooth(in);
        put(in, "*q%u' = ", a);
        break;
    case POSITION:
        put(in, "2*q%u + 0.4*sin(q%u + %.3f*t) = 0.5 + 0.3*", k, a, number(in, -1, 1));
        break;
    case NONLINEAR:
        put(in, "q%u'^2 + 0.4*q%u'^2 = 2 + 0.2*", k, a);
        break;
    case COUPLED:
    case BOND_COUNT:
        put(in, "q%u' + 0.3*s^2 = 0.5*q%u'*q%u + ", k, a, b);
    }
    put_smooth(in);
}

static inline void put_constraint(invention *in, uint32_t k)
{
    const bond kind = (bond)support_random_below(&in->random, in->has_state ? 5 : 4);
    put_bond(in, k, kind);
    const uint32_t way = support_random_below(&in->random, 100);
    const bool is_plain = kind == SOLVED || kind == LINEAR;
    if (way < 20 && kind != NONLINEAR) {
        put(in, " by servo(q%u: 1, q%u: 0.2*cos(q%u))", k, 1 + k % in->last, some(in, 0));
    } else if (way < 35 && is_plain && !in->has_laws && !in->has_passive) {
        put(in, " by vakonomic");
    }
    if (way >= 80 && kind == POSITION) {
        put(in, " with c%u'' = -4*c%u - 3*c%u'", k, k, k);
    } else if (way >= 80) {
        put(in, " with c%u' = -2*c%u", k, k);
    }
    put(in, "\n");
    if (way >= 20 && way < 35 && is_plain && !in->has_laws && !in->has_passive) {
        put(in, "start lambda.c%u = %.3f\n", k, number(in, -0.5, 0.5));
    }
}

static inline void put_quasis(invention *in)
{
    const uint32_t count = support_random_below(&in->random, in->n + 1);
    for (uint32_t k = in->n; k > in->n - count; k--) {
        put(in, "quasi w%u = (1.5 + 0.2*cos(q%u))*q%u' + ", k, some(in, 0), k);
        put_smooth(in);
        put(in, "*q%u'", some(in, k));
        if (chance(in, 50)) {
            put(in, " + ");
            put_smooth(in);
        }
        put(in, "\n");
    }
}

// --- whole models --------------------------------------------------------------------------------

static inline void invent_points(invention *in)
{
    in->n = 2 + support_random_below(&in->random, 5);
    in->m = support_random_below(&in->random, in->n < 4 ? in->n : 4);
    in->has_laws = chance(in, 20);
    in->has_state = chance(in, 30);
    in->has_passive = chance(in, 30);
    in->last = in->has_passive && in->m + 1 < in->n ? in->n - 1 : in->n;
    put(in, "coord q1");
    for (uint32_t k = 2; k <= in->n; k++) {
        put(in, ", q%u", k);
    }
    put(in, "\n%s%s", in->has_state ? "state s\n" : "", in->has_passive ? "state u\n" : "");
    if (in->has_laws) {
        put_laws(in);
    } else {
        put_energies(in);
    }
    put_forces(in);
    put_states(in);
    for (uint32_t k = 1; k <= in->m; k++) {
        put_constraint(in, k);
    }
    put_quasis(in);
    put(in, "start t = %.3f\n", number(in, -1, 1));
    for (uint32_t k = 1; k <= in->n; k++) {
        put(in, "guess q%u = %.3f, q%u' = %.3f\n", k, number(in, -0.8, 0.8), k,
            chance(in, 50) ? number(in, 0.7, 1.3) : number(in, -1.3, -0.7));
    }
    put(in, "%s%s", in->has_state ? "guess s = 0.7\n" : "",
        in->has_passive ? "guess u = 0.4\n" : "");
}

static inline void invent_chain(invention *in)
{
    put(in, "param N = %u\n", 2 + support_random_below(&in->random, 3));
    put(in, "coord x[1..N], y[1..N]\n"
            "for i in 1..N: let r[i] = [x[i], y[i]]\n");
    put(in, "kinetic sum(i in 1..N: (1 + %.3f*sin(x[i]))*dot(r[i]', r[i]')/2)\n",
        number(in, -0.5, 0.5));
    put(in, "potential sum(i in 1..N: %.3f*y[i])\n", number(in, 1, 10));
    put(in, "for i in 1..N: force x[i]: sin(i*t) - %.3f*x[i]'\n", number(in, 0, 1));
    put(in,
        "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = "
        "(1 + %.3f*t)^2\n",
        number(in, 0, 0.2));
    put(in, "constraint top: x[1] = %.3f*sin(t)\n", number(in, -0.5, 0.5));
    put(in, chance(in, 50) ? "constraint last: y[N]'*cos(x[1]) = 0.3*x[N]' + 0.1\n" : "");
    put(in, chance(in, 50) ? "for i in 1..N: quasi w[i] = y[i]' - 0.2*x[i]*x[i]'\n" : "");
    put(in, "start t = %.3f\n", number(in, -1, 1));
    put(in, "for i in 1..N: guess x[i] = %.3f*i, y[i] = -%.3f*i, x[i]' = 0.3\n",
        number(in, 0.4, 0.9), number(in, 0.4, 0.9));
}

static inline void invent(invention *in, uint64_t seed)
{
    *in = (invention){.random = {.state = seed}};
    if (chance(in, 15)) {
        invent_chain(in);
    } else {
        invent_points(in);
    }
}
