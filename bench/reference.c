// SPDX-License-Identifier: Apache-2.0
// Makes the data in bench/reference: the ends of the motions of the contest, in binary128 by
// extrapolation of the modified midpoint rule (Hairer, Norsett, Wanner, section II.9), with two
// step sizes whose difference is told.
//
//     bench_reference disc 1500 > disc.txt       theta psi phi x y theta' psi' phi'
//     bench_reference discs 200 > discs.txt      the same of ten by ten discs after 10 s
//     bench_reference chain 10 1500 > chain_10.txt    the angles of the rods
//
// The last number is the count of steps of the first run; the second takes half as many again.

#include <quadmath.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __float128 quad;

enum { COLUMNS = 12, DISC = 8, SIDE = 10 };

typedef struct task {
    uint32_t rods; // 0: the disc
    uint32_t n;
    quad until;
    quad turn, roll; // psi' and phi' of the disc at the start
    quad *work;      // of the chain: 6 numbers a rod
} task;

static quad ratio(int over, int under)
{
    return (quad)over / (quad)under;
}

// --- the disc ------------------------------------------------------------------------------------

// State: theta, psi, phi, x, y, w1, w2, w3; reduced equations of the thin disc.
static void disc_rate(const task *in, const quad *y, quad *out)
{
    (void)in;
    const quad a = ratio(1, 2);
    const quad g = ratio(981, 100);
    const quad A = ratio(1, 16);
    const quad C = ratio(1, 8);
    const quad s = sinq(y[0]);
    const quad c = cosq(y[0]);
    const quad spin = y[7] + s * y[6];
    out[0] = y[5];
    out[1] = y[6];
    out[2] = spin;
    out[3] = a * cosq(y[1]) * spin;
    out[4] = a * sinq(y[1]) * spin;
    out[5] = (g * a * s - A * s * c * y[6] * y[6] - (C + a * a) * y[6] * y[7] * c) / (A + a * a);
    out[6] = y[5] * (2 * A * y[6] * s + C * y[7]) / (A * c);
    out[7] = a * a * y[5] * y[6] * c / (C + a * a);
}

static void disc_start(const task *in, quad *y)
{
    memset(y, 0, DISC * sizeof *y);
    y[0] = ratio(1, 5);
    y[5] = ratio(1, 10);
    y[6] = in->turn;
    y[7] = in->roll - sinq(y[0]) * y[6];
}

// --- the chain -----------------------------------------------------------------------------------

// State: the angles, then their rates. Tensions from the tridiagonal system
//     T_1 - c_12 T_2 = m (l w_1^2 + g cos a_1),  2 T_i - c T_(i-1) - c T_(i+1) = m l w_i^2.
static void chain_rate(const task *in, const quad *y, quad *out)
{
    const uint32_t n = in->rods;
    const quad g = ratio(981, 100);
    const quad m = 1 / (quad)n;
    const quad l = m;
    quad *s = in->work;
    quad *c = s + n;
    quad *beside = c + n; // cosines between neighbours
    quad *across = beside + n;
    quad *pivot = across + n;
    quad *tension = pivot + n;
    for (uint32_t i = 0; i < n; i++) {
        s[i] = sinq(y[i]);
        c[i] = cosq(y[i]);
        out[i] = y[n + i];
        tension[i] = m * l * y[n + i] * y[n + i] + (i == 0 ? m * g * c[0] : 0);
        pivot[i] = i == 0 ? 1 : 2;
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        beside[i] = c[i] * c[i + 1] + s[i] * s[i + 1];
        across[i] = s[i + 1] * c[i] - c[i + 1] * s[i];
        const quad factor = beside[i] / pivot[i];
        pivot[i + 1] -= factor * beside[i];
        tension[i + 1] += factor * tension[i];
    }
    for (uint32_t i = n; i-- > 0;) {
        tension[i] = (tension[i] + (i + 1 < n ? beside[i] * tension[i + 1] : 0)) / pivot[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        const quad below = i + 1 < n ? tension[i + 1] * across[i] : 0;
        const quad above = i > 0 ? -tension[i - 1] * across[i - 1] : -m * g * s[0];
        out[n + i] = (above + below) / (m * l);
    }
}

static void chain_start(const task *in, quad *y)
{
    for (uint32_t i = 0; i < in->rods; i++) {
        y[i] = in->rods <= 10 ? ratio(1, 2) : ratio(1, 20);
        y[in->rods + i] = 0;
    }
}

// --- extrapolation -------------------------------------------------------------------------------

static void find_rate(const task *in, const quad *y, quad *out)
{
    if (in->rods == 0) {
        disc_rate(in, y, out);
    } else {
        chain_rate(in, y, out);
    }
}

// `parts` steps of the midpoint rule; the sum of three rooms of n numbers is used.
static void midpoint(const task *in, const quad *y, quad length, uint32_t parts, quad *room,
                     quad *out)
{
    const uint32_t n = in->n;
    const quad h = length / parts;
    quad *before = room;
    quad *now = room + n;
    quad *rate = now + n;
    memcpy(before, y, n * sizeof *y);
    find_rate(in, y, rate);
    for (uint32_t i = 0; i < n; i++) {
        now[i] = y[i] + h * rate[i];
    }
    for (uint32_t k = 1; k < parts; k++) {
        find_rate(in, now, rate);
        for (uint32_t i = 0; i < n; i++) {
            before[i] += 2 * h * rate[i];
        }
        quad *swap = before;
        before = now;
        now = swap;
    }
    memcpy(out, now, n * sizeof *y);
}

// One step of order 2 COLUMNS: columns of 2, 4, 6 ... parts.
static void extrapolate(const task *in, quad *y, quad length, quad *room)
{
    const uint32_t n = in->n;
    quad *columns = room + 3 * (size_t)n;
    for (uint32_t j = 0; j < COLUMNS; j++) {
        midpoint(in, y, length, 2 * (j + 1), room, columns + (size_t)j * n);
        for (uint32_t k = j; k > 0; k--) {
            const quad share = ratio((int)(j + 1), (int)k);
            const quad weight = 1 / (share * share - 1);
            quad *low = columns + (size_t)(k - 1) * n;
            const quad *high = columns + (size_t)k * n;
            for (uint32_t i = 0; i < n; i++) {
                low[i] = high[i] + weight * (high[i] - low[i]);
            }
        }
    }
    memcpy(y, columns, n * sizeof *y);
}

static quad *run(const task *in, uint32_t steps)
{
    const size_t n = in->n;
    quad *y = calloc((COLUMNS + 4) * n, sizeof *y);
    if (y == NULL) {
        abort();
    }
    if (in->rods == 0) {
        disc_start(in, y);
    } else {
        chain_start(in, y);
    }
    for (uint32_t k = 0; k < steps; k++) {
        extrapolate(in, y, in->until / steps, y + n);
    }
    if (in->rods == 0) { // from quasi-velocities to velocities
        y[7] += sinq(y[0]) * y[6];
    }
    return y;
}

// --- telling -------------------------------------------------------------------------------------

static uint32_t count_of(const task *in)
{
    return in->rods == 0 ? DISC : in->rods;
}

static quad differ(const task *in, const quad *rough, const quad *fine)
{
    quad worst = 0;
    for (uint32_t i = 0; i < count_of(in); i++) {
        const quad off = fabsq(rough[i] - fine[i]) / (1 + fabsq(fine[i]));
        worst = off > worst ? off : worst;
    }
    return worst;
}

static void tell_head(const char *what, uint32_t steps, quad worst)
{
    char text[64];
    (void)quadmath_snprintf(text, sizeof text, "%.1Qe", worst);
    printf("# %s at the end; %u and %u steps differ by %s\n", what, steps, steps + steps / 2, text);
}

static void tell(const quad *end, uint32_t count)
{
    char text[64];
    for (uint32_t i = 0; i < count; i++) {
        (void)quadmath_snprintf(text, sizeof text, "%.22Qe", end[i]);
        printf("%s\n", text);
    }
}

static void make_one(const task *in, uint32_t steps)
{
    quad *rough = run(in, steps);
    quad *fine = run(in, steps + steps / 2);
    tell_head(in->rods == 0 ? "theta psi phi x y theta' psi' phi'" : "angles of the rods", steps,
              differ(in, rough, fine));
    tell(fine, count_of(in));
    free(rough);
    free(fine);
}

// psi' over 0.2 ... 0.8, slower, and phi' over 8 ... 12.
static void make_discs(task *in, uint32_t steps)
{
    quad *all = calloc((size_t)SIDE * SIDE * DISC, sizeof *all);
    quad worst = 0;
    if (all == NULL) {
        abort();
    }
    for (int k = 0; k < SIDE * SIDE; k++) {
        in->turn = ratio(1, 5) + ratio(3 * (k / SIDE), 5 * (SIDE - 1));
        in->roll = 8 + ratio(4 * (k % SIDE), SIDE - 1);
        quad *rough = run(in, steps);
        quad *fine = run(in, steps + steps / 2);
        const quad off = differ(in, rough, fine);
        worst = off > worst ? off : worst;
        memcpy(all + (size_t)k * DISC, fine, DISC * sizeof *fine);
        free(rough);
        free(fine);
    }
    tell_head("theta psi phi x y theta' psi' phi' of 10 x 10 discs", steps, worst);
    tell(all, SIDE * SIDE * DISC);
    free(all);
}

int main(int argc, char **argv)
{
    task in = {.n = DISC, .until = 100, .turn = ratio(1, 2), .roll = 10};
    const bool is_many = argc == 3 && strcmp(argv[1], "discs") == 0;
    if (argc == 4 && strcmp(argv[1], "chain") == 0) {
        in.rods = (uint32_t)strtoul(argv[2], NULL, 10);
        in.n = 2 * in.rods;
        in.until = in.rods < 1000 ? 10 : ratio(1, 5);
    } else if (argc != 3 || (!is_many && strcmp(argv[1], "disc") != 0)) {
        (void)fprintf(stderr, "usage: bench_reference disc STEPS | discs STEPS | "
                              "chain RODS STEPS\n");
        return 2;
    }
    const uint32_t steps = (uint32_t)strtoul(argv[argc - 1], NULL, 10);
    in.work = calloc((size_t)6 * in.n + 1, sizeof *in.work);
    if (in.work == NULL || steps < 2) {
        return 1;
    }
    if (is_many) {
        in.until = 10;
        make_discs(&in, steps);
    } else {
        make_one(&in, steps);
    }
    free(in.work);
    return 0;
}
