// SPDX-License-Identifier: Apache-2.0
// The rolling disc by hand: right sides as a person would write them for speed, without
// dissipation. Thin disc: m = 1, a = 0.5, A = m a^2/4, C = m a^2/2, g = 9.81.

#pragma once

#include <math.h>
#include <string.h>

enum { ROLLING_REDUCED = 8, ROLLING_FULL = 10, ROLLING_SADDLE = 7 };

#define ROLLING_A 0.0625
#define ROLLING_C 0.125
#define ROLLING_R 0.5
#define ROLLING_G 9.81

/// State: theta, psi, phi, x, y, w1, w2, w3 with w1 = theta', w2 = psi', w3 = phi' - sin(theta)
/// psi'.
static inline void rolling_reduced(const void *user, const double *y, double *out)
{
    (void)user;
    const double a = ROLLING_R;
    const double A = ROLLING_A;
    const double C = ROLLING_C;
    const double s = sin(y[0]);
    const double c = cos(y[0]);
    const double w1 = y[5];
    const double w2 = y[6];
    const double w3 = y[7];
    const double spin = w3 + s * w2;
    out[0] = w1;
    out[1] = w2;
    out[2] = spin;
    out[3] = a * cos(y[1]) * spin;
    out[4] = a * sin(y[1]) * spin;
    out[5] = (ROLLING_G * a * s - c * w2 * (A * s * w2 + (C + a * a) * w3)) * (1.0 / (A + a * a));
    out[6] = w1 * (2.0 * A * w2 * s + C * w3) / (A * c);
    out[7] = a * a / (C + a * a) * w1 * w2 * c;
}

/// Factors L D L^T in place without exchanges, masses first, and the solution. The upper triangle
/// of `k` is read.
static inline void rolling_solve(double k[ROLLING_SADDLE][ROLLING_SADDLE], double *b)
{
    enum { N = ROLLING_SADDLE };
    double inverse[N];
    for (int p = 0; p < N; p++) {
        inverse[p] = 1.0 / k[p][p];
        for (int i = p + 1; i < N; i++) {
            const double factor = k[p][i] * inverse[p];
            for (int j = i; j < N; j++) {
                k[i][j] -= factor * k[p][j];
            }
            b[i] -= factor * b[p];
        }
    }
    for (int p = N - 1; p >= 0; p--) {
        for (int j = p + 1; j < N; j++) {
            b[p] -= k[p][j] * b[j];
        }
        b[p] *= inverse[p];
    }
}

/// State: theta, psi, phi, x, y and their velocities; accelerations and two multipliers from
/// [M G^T; G 0].
static inline void rolling_multipliers(const void *user, const double *y, double *out)
{
    (void)user;
    const double a = ROLLING_R;
    const double A = ROLLING_A;
    const double C = ROLLING_C;
    const double s = sin(y[0]);
    const double c = cos(y[0]);
    const double sp = sin(y[1]);
    const double cp = cos(y[1]);
    const double lean = y[5];
    const double turn = y[6];
    const double roll = y[7];
    const double w = roll - s * turn;
    double k[ROLLING_SADDLE][ROLLING_SADDLE] = {
        {A + a * a, 0, 0, -a * c * sp, a * c * cp, 0, 0},
        {0, a * a * s * s + A * c * c + C * s * s, -C * s, -a * s * cp, -a * s * sp, 0, 0},
        {0, 0, C, 0, 0, -a * cp, -a * sp},
        {0, 0, 0, 1, 0, 1, 0},
        {0, 0, 0, 0, 1, 0, 1}};
    // accelerations of the centre that velocities make
    const double bx = a * (s * sp * (lean * lean + turn * turn) - 2.0 * c * cp * lean * turn);
    const double by = -a * (s * cp * (lean * lean + turn * turn) + 2.0 * c * sp * lean * turn);
    const double bz = -a * c * lean * lean;
    double b[ROLLING_SADDLE] = {ROLLING_G * a * s - c * turn * (A * s * turn + C * w) +
                                    a * (c * sp * bx - c * cp * by + s * bz),
                                lean * c * (2.0 * A * s * turn + C * w - C * s * turn) +
                                    a * s * (cp * bx + sp * by),
                                C * c * lean * turn,
                                -bx,
                                -by,
                                -a * sp * turn * roll,
                                a * cp * turn * roll};
    rolling_solve(k, b);
    memcpy(out, y + 5, 5 * sizeof *out);
    memcpy(out + 5, b, 5 * sizeof *out);
}
