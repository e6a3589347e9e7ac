// SPDX-License-Identifier: Apache-2.0
// A contender's integrator: the explicit Runge-Kutta method of order 8 by Dormand and Prince with
// the step control of Hairer, Norsett, Wanner, section II.10. Everything is inlined into its user,
// so that right side, size and tableau are known when it is compiled. Equations without time.

#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DORMAND_INLINE static inline __attribute__((always_inline))

enum { DORMAND_STAGES = 12, DORMAND_ROOM = DORMAND_STAGES + 2 }; // room: so many states

typedef void dormand_rate(const void *user, const double *y, double *out);

typedef struct dormand_task {
    uint32_t n;
    dormand_rate *rate;
    const void *user;
    double until, tolerance;
} dormand_task;

typedef struct dormand_count {
    uint64_t steps, rates; // steps that were kept
    bool is_reached;
} dormand_count;

// Row 12 are the weights of order 8.
static const double DORMAND_WEIGHT[DORMAND_STAGES + 1][DORMAND_STAGES] = {
    [1] = {5.26001519587677318785587544488e-2},
    [2] = {1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2},
    [3] = {2.95875854768068491816892993775e-2, 0, 8.87627564304205475450678981324e-2},
    [4] = {2.41365134159266685502369798665e-1, 0, -8.84549479328286085344864962717e-1,
           9.24834003261792003115737966543e-1},
    [5] = {3.7037037037037037037037037037e-2, 0, 0, 1.70828608729473871279604482173e-1,
           1.25467687566822425016691814123e-1},
    [6] = {3.7109375e-2, 0, 0, 1.70252211019544039314978060272e-1,
           6.02165389804559606850219397283e-2, -1.7578125e-2},
    [7] = {3.70920001185047927108779319836e-2, 0, 0, 1.70383925712239993810214054705e-1,
           1.07262030446373284651809199168e-1, -1.53194377486244017527936158236e-2,
           8.27378916381402288758473766002e-3},
    [8] = {6.24110958716075717114429577812e-1, 0, 0, -3.36089262944694129406857109825,
           -8.68219346841726006818189891453e-1, 2.75920996994467083049415600797e1,
           2.01540675504778934086186788979e1, -4.34898841810699588477366255144e1},
    [9] = {4.77662536438264365890433908527e-1, 0, 0, -2.48811461997166764192642586468,
           -5.90290826836842996371446475743e-1, 2.12300514481811942347288949897e1,
           1.52792336328824235832596922938e1, -3.32882109689848629194453265587e1,
           -2.03312017085086261358222928593e-2},
    [10] = {-9.3714243008598732571704021658e-1, 0, 0, 5.18637242884406370830023853209,
            1.09143734899672957818500254654, -8.14978701074692612513997267357,
            -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
            2.49360555267965238987089396762, -3.0467644718982195003823669022},
    [11] = {2.27331014751653820792359768449, 0, 0, -1.05344954667372501984066689879e1,
            -2.00087205822486249909675718444, -1.79589318631187989172765950534e1,
            2.79488845294199600508499808837e1, -2.85899827713502369474065508674,
            -8.87285693353062954433549289258, 1.23605671757943030647266201528e1,
            6.43392746015763530355970484046e-1},
    [12] = {5.42937341165687622380535766363e-2, 0, 0, 0, 0, 4.45031289275240888144113950566,
            1.89151789931450038304281599044, -5.8012039600105847814672114227,
            3.1116436695781989440891606237e-1, -1.52160949662516078556178806805e-1,
            2.01365400804030348374776537501e-1, 4.47106157277725905176885569043e-2}};

// Order 8 minus order 5.
static const double DORMAND_FIFTH[DORMAND_STAGES] = {0.1312004499419488073250102996e-1,
                                                     0,
                                                     0,
                                                     0,
                                                     0,
                                                     -0.1225156446376204440720569753e1,
                                                     -0.4957589496572501915214079952,
                                                     0.1664377182454986536961530415e1,
                                                     -0.3503288487499736816886487290,
                                                     0.3341791187130174790297318841,
                                                     0.8192320648511571246570742613e-1,
                                                     -0.2235530786388629525884427845e-1};

// Order 3, of the stages 0, 8, 11.
static const double DORMAND_THIRD[DORMAND_STAGES] = {[0] = 0.244094488188976377952755905512,
                                                     [8] = 0.733846688281611857341361741547,
                                                     [11] = 0.220588235294117647058823529412e-1};

// y + length * (rates weighted by a row of the tableau)
DORMAND_INLINE void dormand_place(size_t n, const double *y, double length, const double *rates,
                                  uint32_t row, double *out)
{
#pragma GCC ivdep
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
#pragma GCC unroll 12
        for (uint32_t j = 0; j < row; j++) {
            if (DORMAND_WEIGHT[row][j] != 0.0) {
                sum += DORMAND_WEIGHT[row][j] * rates[j * n + i];
            }
        }
        out[i] = y[i] + length * sum;
    }
}

// The error relative to what is allowed.
DORMAND_INLINE double dormand_error(const dormand_task *task, const double *y, const double *end,
                                    double length, const double *rates)
{
    const size_t n = task->n;
    double fifths = 0.0;
    double thirds = 0.0;
    for (size_t i = 0; i < n; i++) {
        double e5 = 0.0;
        double e3 = 0.0;
#pragma GCC unroll 12
        for (uint32_t j = 0; j < DORMAND_STAGES; j++) {
            const double weight = DORMAND_WEIGHT[DORMAND_STAGES][j] - DORMAND_THIRD[j];
            if (weight != 0.0) {
                e3 += weight * rates[j * n + i];
            }
            if (DORMAND_FIFTH[j] != 0.0) {
                e5 += DORMAND_FIFTH[j] * rates[j * n + i];
            }
        }
        const double before = fabs(y[i]);
        const double after = fabs(end[i]);
        const double share = 1.0 / (task->tolerance * (1.0 + (before > after ? before : after)));
        fifths += e5 * share * (e5 * share);
        thirds += e3 * share * (e3 * share);
    }
    const double both = fifths + 0.01 * thirds;
    return both > 0.0 ? length * fifths / sqrt(both * (double)n) : 0.0;
}

// A first length, so that an Euler step is small, and its error (section II.4).
DORMAND_INLINE double dormand_guess(const dormand_task *task, const double *y, double *rates)
{
    const size_t n = task->n;
    double speed = 0.0;
    double bend = 0.0;
    for (size_t i = 0; i < n; i++) {
        speed = fmax(speed, fabs(rates[i]) / (1.0 + fabs(y[i])));
    }
    const double length = fmin(task->until, speed > 1e-10 ? 0.01 / speed : 1e-6);
    double *place = rates + DORMAND_STAGES * n;
    for (size_t i = 0; i < n; i++) {
        place[i] = y[i] + length * rates[i];
    }
    task->rate(task->user, place, rates + n);
    for (size_t i = 0; i < n; i++) {
        bend = fmax(bend, fabs(rates[n + i] - rates[i]) / (1.0 + fabs(y[i])));
    }
    const double most = fmax(speed, bend / length);
    const double fit = most > 1e-15 ? pow(0.01 * task->tolerance / most, 1.0 / 8.0) : length;
    return fmin(task->until, fmin(100.0 * length, fit));
}

// All stages of one step; y at its end into `end`.
DORMAND_INLINE void dormand_stages(const dormand_task *task, const double *y, double length,
                                   double *rates, double *end)
{
    const size_t n = task->n;
#pragma GCC unroll 12
    for (uint32_t k = 1; k < DORMAND_STAGES; k++) {
        dormand_place(n, y, length, rates, k, end);
        task->rate(task->user, end, rates + k * n);
    }
    dormand_place(n, y, length, rates, DORMAND_STAGES, end);
}

/// From y at time 0 to y at `until`. `room`: DORMAND_ROOM * n numbers.
DORMAND_INLINE dormand_count dormand_run(const dormand_task task, double *y, double *room)
{
    const size_t n = task.n;
    double *rates = room;
    double *end = room + DORMAND_STAGES * n + n;
    dormand_count count = {.rates = 2};
    double t = 0.0;
    bool was_refused = false;
    task.rate(task.user, y, rates);
    double length = dormand_guess(&task, y, rates);
    while (t < task.until && length > 1e-15 * task.until) {
        const bool is_last = t + 1.01 * length >= task.until;
        length = is_last ? task.until - t : length;
        dormand_stages(&task, y, length, rates, end);
        count.rates += DORMAND_STAGES - 1;
        const double error = dormand_error(&task, y, end, length, rates);
        const double factor = 0.9 * pow(fmax(error, 1e-10), -1.0 / 8.0);
        if (error <= 1.0) {
            t = is_last ? task.until : t + length;
            memcpy(y, end, n * sizeof *y);
            task.rate(task.user, y, rates);
            count.rates++;
            count.steps++;
            length *= fmin(fmax(factor, 0.333), was_refused ? 1.0 : 6.0);
        } else {
            length *= error == error ? fmax(factor, 0.333) : 0.25;
        }
        was_refused = !(error <= 1.0);
    }
    count.is_reached = t >= task.until;
    return count;
}
