// SPDX-License-Identifier: Apache-2.0
// Random numbers: xoshiro256** (Blackman and Vigna 2018), its state filled by splitmix64. Normal
// deviates by comparing uniform ones (Karney, ACM TOMS 42, 3, 2016, algorithm N): integers,
// products and one quotient, which are the same on every machine with IEEE arithmetic.

#include "numeric/numeric.h"

rh_random rh__random_begin(uint64_t seed)
{
    rh_random random;
    for (int k = 0; k < 4; k++) {
        seed += 0x9e3779b97f4a7c15u;
        random.state[k] = rh__hash_mix(seed);
    }
    return random;
}

static uint64_t rotate(uint64_t word, int by)
{
    return (word << by) | (word >> (64 - by));
}

uint64_t rh__random_bits(rh_random *random)
{
    uint64_t *s = random->state;
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

// 53 bits in [0, 1).
static double draw_unit(rh_random *random)
{
    return (double)(rh__random_bits(random) >> 11) * 0x1p-53;
}

double rh__random_uniform(rh_random *random, double low, double high)
{
    RH_ASSERT(low <= high);
    const double value = low + (high - low) * draw_unit(random);
    // the sum may have been rounded up to the open end
    return value < high ? value : low;
}

// True with probability exp(-p), 0 <= p <= 1: a falling run p > u1 > u2 > ... of uniform numbers
// has length k or more with probability p^k / k!, hence even length with the alternating sum.
static bool survive(rh_random *random, double p)
{
    bool is_even = true;
    double last = p;
    double next = draw_unit(random);
    while (next < last) {
        is_even = !is_even;
        last = next;
        next = draw_unit(random);
    }
    return is_even;
}

static bool survive_all(rh_random *random, double p, uint32_t times)
{
    for (uint32_t k = 0; k < times; k++) {
        if (!survive(random, p)) {
            return false;
        }
    }
    return true;
}

// exp(-(k + x)^2 / 2) = exp(-k / 2) exp(-k (k - 1) / 2) exp(-x (2 k + x) / 2), factor by factor.
double rh__random_normal(rh_random *random)
{
    for (;;) {
        uint32_t k = 0;
        while (survive(random, 0.5)) {
            k++;
        }
        if (k > 1 && !survive_all(random, 0.5, k * (k - 1))) {
            continue;
        }
        const double x = draw_unit(random);
        const double p = x * (2.0 * k + x) / (2.0 * k + 2.0);
        if (survive_all(random, p, k + 1)) {
            const bool is_negative = rh__random_bits(random) >> 63 != 0;
            return is_negative ? -(k + x) : k + x;
        }
    }
}
