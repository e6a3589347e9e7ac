// SPDX-License-Identifier: Apache-2.0
// Random numbers by counting: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers:
// as easy as 1, 2, 3", SC11, 2011). A block of bits is a function of a key and a counter, so what
// is drawn for one purpose does not depend on what was drawn for others, nor on any order.

#include "numeric/numeric.h"

enum { ROUNDS = 10 };

void rh__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k[2] = {key[0], key[1]};
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t first = (uint64_t)0xd2511f53u * c[0];
        const uint64_t second = (uint64_t)0xcd9e8d57u * c[2];
        const uint32_t next[4] = {(uint32_t)(second >> 32) ^ c[1] ^ k[0], (uint32_t)second,
                                  (uint32_t)(first >> 32) ^ c[3] ^ k[1], (uint32_t)first};
        for (int j = 0; j < 4; j++) {
            c[j] = next[j];
        }
        k[0] += 0x9e3779b9u;
        k[1] += 0xbb67ae85u;
    }
    for (int j = 0; j < 4; j++) {
        out[j] = c[j];
    }
}

rh_random rh__random_at(uint64_t seed, uint64_t place, uint32_t kind)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    rh_random random;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t counter[4] = {(uint32_t)place, (uint32_t)(place >> 32), kind, half};
        uint32_t bits[4];
        rh__philox(counter, key, bits);
        random.state[2 * half] = (uint64_t)bits[1] << 32 | bits[0];
        random.state[2 * half + 1] = (uint64_t)bits[3] << 32 | bits[2];
    }
    // the one state that xoshiro256** does not leave
    random.state[0] |= (random.state[0] | random.state[1] | random.state[2] | random.state[3]) == 0;
    return random;
}
