// SPDX-License-Identifier: Apache-2.0
// The chain by hand: right sides in angles and in Cartesian coordinates. Both find the forces in
// the rods from a tridiagonal system, the Schur complement of the masses.

#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rods {
    uint32_t n;
    double mass, length, gravity;
    double *work; // RODS_WORK(n) numbers
} rods;

#define RODS_WORK(n) (6 * ((size_t)(n) + 1))

/// pivot_i z_i - beside_i z_(i+1) - beside_(i-1) z_(i-1) = z_i; beside[n - 1] = 0. Destroys
/// `pivot`.
static inline void rods_solve(size_t n, double *pivot, const double *beside, double *z)
{
    for (size_t i = 0; i + 1 < n; i++) {
        pivot[i] = 1.0 / pivot[i];
        const double factor = beside[i] * pivot[i];
        pivot[i + 1] -= factor * beside[i];
        z[i + 1] += factor * z[i];
    }
    z[n - 1] /= pivot[n - 1];
    for (size_t i = n - 1; i-- > 0;) {
        z[i] = (z[i] + beside[i] * z[i + 1]) * pivot[i];
    }
}

/// State: angles from the vertical, then their rates.
static inline void rods_angles(const void *user, const double *y, double *out)
{
    const rods *in = user;
    const size_t n = in->n;
    const double share = 1.0 / (in->mass * in->length);
    double *s = in->work;
    double *c = s + n + 1;
    double *beside = c + n + 1;
    double *across = beside + n + 1; // sines between neighbours
    double *pivot = across + n + 1;
    double *force = pivot + n + 1;
    for (size_t i = 0; i < n; i++) {
        s[i] = sin(y[i]);
        c[i] = cos(y[i]);
    }
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) {
        out[i] = y[n + i];
        force[i] = in->mass * in->length * y[n + i] * y[n + i];
        pivot[i] = 2.0;
    }
#pragma GCC ivdep
    for (size_t i = 0; i + 1 < n; i++) {
        beside[i] = c[i] * c[i + 1] + s[i] * s[i + 1];
        across[i] = s[i + 1] * c[i] - c[i + 1] * s[i];
    }
    beside[n - 1] = across[n - 1] = force[n] = 0.0;
    pivot[0] = 1.0;
    force[0] += in->mass * in->gravity * c[0];
    rods_solve(n, pivot, beside, force);
    out[n] = share * across[0] * force[1] - in->gravity / in->length * s[0];
#pragma GCC ivdep
    for (size_t i = 1; i < n; i++) {
        out[n + i] = share * (across[i] * force[i + 1] - across[i - 1] * force[i - 1]);
    }
}

/// Differences of neighbours, the first to the origin.
static inline void rods_along(size_t n, const double *p, double *out)
{
    out[0] = p[0];
#pragma GCC ivdep
    for (size_t i = 1; i < n; i++) {
        out[i] = p[i] - p[i - 1];
    }
    out[n] = 0.0;
}

/// Forces in the rods over their lengths into z; dx, dy: the rods.
static inline void rods_forces(const rods *in, const double *y, double *dx, double *dy,
                               double *pivot, double *beside, double *z)
{
    const size_t n = in->n;
    const double *u = y + 2 * n;
    const double *v = u + n;
    rods_along(n, y, dx);
    rods_along(n, y + n, dy);
    pivot[0] = dx[0] * dx[0] + dy[0] * dy[0];
    z[0] = in->mass * (u[0] * u[0] + v[0] * v[0] - in->gravity * dy[0]);
#pragma GCC ivdep
    for (size_t i = 1; i < n; i++) {
        const double du = u[i] - u[i - 1];
        const double dv = v[i] - v[i - 1];
        pivot[i] = 2.0 * (dx[i] * dx[i] + dy[i] * dy[i]);
        z[i] = in->mass * (du * du + dv * dv);
    }
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) {
        beside[i] = dx[i] * dx[i + 1] + dy[i] * dy[i + 1];
    }
    rods_solve(n, pivot, beside, z);
    z[n] = 0.0;
}

/// State: all x, all y, then their velocities; one multiplier a rod.
static inline void rods_multipliers(const void *user, const double *y, double *out)
{
    const rods *in = user;
    const size_t n = in->n;
    const double share = 1.0 / in->mass;
    double *dx = in->work;
    double *dy = dx + n + 1;
    double *z = dy + n + 1;
    rods_forces(in, y, dx, dy, z + n + 1, z + 2 * (n + 1), z);
#pragma GCC ivdep
    for (size_t i = 0; i < 2 * n; i++) {
        out[i] = y[2 * n + i];
    }
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) {
        out[2 * n + i] = share * (z[i + 1] * dx[i + 1] - z[i] * dx[i]);
        out[3 * n + i] = share * (z[i + 1] * dy[i + 1] - z[i] * dy[i]) - in->gravity;
    }
}
