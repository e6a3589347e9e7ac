// SPDX-License-Identifier: Apache-2.0
// The kinetic energy of a chain of n links in space, differentiated twice: all partials by
// coordinates and velocities, then all partials of those by velocities (the mass matrix and the
// gyroscopic terms). `work` counts the nodes this adds to the store; it should grow at most
// quadratically with n.

#include "bench.h"

#include "model/model.h"

#include <stdio.h>

// Every link has its own two angles against fixed axes, and its own mass.
static const char ABSOLUTE[] =
    "param n = %u, l = 1, g = 9.81\n"
    "param m[1..n] = 1\n"
    "coord a[1..n], b[1..n]\n"
    "let p[0] = [0, 0, 0]\n"
    "for i in 1..n: let p[i] = p[i-1] + rotz(a[i])*rotx(b[i])*[0, 0, -l]\n"
    "kinetic sum(i in 1..n: m[i]/2*dot(p[i]', p[i]'))\n"
    "potential sum(i in 1..n: m[i]*g*p[i].z)\n";

// Every link turns against the one before it, so that the rotations multiply.
static const char RELATIVE[] = "param n = %u, l = 1, g = 9.81\n"
                               "param m[1..n] = 1\n"
                               "coord a[1..n], b[1..n]\n"
                               "let R[0] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
                               "let p[0] = [0, 0, 0]\n"
                               "for i in 1..n: let R[i] = R[i-1]*rotz(a[i])*rotx(b[i])\n"
                               "for i in 1..n: let p[i] = p[i-1] + R[i]*[0, 0, -l]\n"
                               "kinetic sum(i in 1..n: m[i]/2*dot(p[i]', p[i]'))\n"
                               "potential sum(i in 1..n: m[i]*g*p[i].z)\n";

static bool derive_twice(rh_store *store, rh_expr energy, rh_arena *arena)
{
    rh_gradient first;
    if (!rh__expr_gradient(store, energy, RH_ROLE_COORD | RH_ROLE_VELOCITY, arena, &first)) {
        return false;
    }
    bool ok = true;
    for (uint32_t k = 0; ok && k < first.count; k++) {
        rh_gradient second;
        ok = rh__expr_gradient(store, first.data[k].value, RH_ROLE_VELOCITY, arena, &second);
    }
    return ok;
}

static measure derive(const char *form, uint32_t size)
{
    char text[1024];
    (void)snprintf(text, sizeof text, form, size);
    tally count = {0, 0};
    rh_model *model = bench_model(text, &count);
    measure result = {.ok = false};
    if (model != NULL) {
        const rh_expr energy = rh__model_kinetic(model);
        rh_arena arena = rh__arena_begin(bench_allocator(&count), SIZE_MAX);
        const uint32_t before = rh__store_count(model->store);
        const double begin = bench_clock();
        result.ok = derive_twice(model->store, energy, &arena);
        result.seconds = bench_clock() - begin;
        result.work = rh__store_count(model->store) - before;
        result.peak_bytes = count.peak;
        rh__arena_end(&arena);
    }
    rh_model_destroy(model);
    return result;
}

measure bench_derive_absolute(uint32_t size)
{
    return derive(ABSOLUTE, size);
}

measure bench_derive_relative(uint32_t size)
{
    return derive(RELATIVE, size);
}
