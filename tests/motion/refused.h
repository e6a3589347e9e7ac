// SPDX-License-Identifier: Apache-2.0
// Memory that is refused while a motion is made, moves and tells of itself: its own requests, and
// those of its guest KLU. Everything goes through malloc, which is replaced here; not so under a
// sanitizer, which replaces it too: then only the requests of the motion are refused. Other guests
// are spared: GMP ends the program when it is refused memory, and SUNDIALS 6 uses what N_VClone did
// not return.

#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): its name is given
#endif

#include "moving.h"

#include <dlfcn.h>

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define REFUSED_OWN_ONLY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REFUSED_OWN_ONLY 1
#endif
#endif

/// Requests counted while `is_on`; the one numbered `fail_at` is refused.
typedef struct refused_memory {
    bool is_on;
    size_t count, fail_at;
    size_t live; // blocks that were not given back
} refused_memory;

static refused_memory refused;

#ifndef REFUSED_OWN_ONLY

void *__libc_malloc(size_t size);               // NOLINT
void *__libc_calloc(size_t count, size_t size); // NOLINT
void *__libc_realloc(void *old, size_t size);   // NOLINT
void __libc_free(void *block);                  // NOLINT

// Does the request come from a library that cannot be refused?
static bool refused_is_spared(const void *caller)
{
    static const char *const HEARD[] = {"klu", "amd", "btf", "suitesparse", "test_", "slow_"};
    Dl_info info = {0};
    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL) {
        return true;
    }
    for (size_t k = 0; k < sizeof HEARD / sizeof HEARD[0]; k++) {
        if (strstr(info.dli_fname, HEARD[k]) != NULL) {
            return false;
        }
    }
    return true;
}

static bool refused_now(const void *caller)
{
    return refused.is_on && !refused_is_spared(caller) && ++refused.count == refused.fail_at;
}

static void *refused_note(void *block)
{
    refused.live += block != NULL;
    return block;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return refused_now(__builtin_return_address(0)) ? NULL : refused_note(__libc_malloc(size));
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return refused_now(__builtin_return_address(0)) ? NULL
                                                    : refused_note(__libc_calloc(count, size));
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    if (refused_now(__builtin_return_address(0))) {
        return NULL;
    }
    void *block = __libc_realloc(old, size);
    refused.live += block != NULL && old == NULL;
    return block;
}

__attribute__((visibility("default"))) void free(void *block)
{
    refused.live -= block != NULL;
    __libc_free(block);
}

static inline rh_allocator refused_allocator(void)
{
    return rh_allocator_default();
}

#else

static void *refused_alloc(void *user, size_t size)
{
    const rh_allocator plain = rh_allocator_default();
    (void)user;
    const bool is_refused = refused.is_on && ++refused.count == refused.fail_at;
    refused.live += !is_refused;
    return is_refused ? NULL : plain.alloc(plain.user, size);
}

static void *refused_resize(void *user, void *old, size_t old_size, size_t size)
{
    const rh_allocator plain = rh_allocator_default();
    (void)user;
    const bool is_refused = refused.is_on && ++refused.count == refused.fail_at;
    return is_refused ? NULL : plain.resize(plain.user, old, old_size, size);
}

static void refused_free(void *user, void *block, size_t size)
{
    const rh_allocator plain = rh_allocator_default();
    (void)user;
    refused.live--;
    plain.free(plain.user, block, size);
}

static inline rh_allocator refused_allocator(void)
{
    return (rh_allocator){
        .alloc = refused_alloc, .resize = refused_resize, .free = refused_free, .user = NULL};
}

#endif

// --- trials --------------------------------------------------------------------------------------

typedef struct refused_trial {
    const char *name, *text;
    double time;
    rh_method method;
    bool is_plain;
} refused_trial;

static const char REFUSED_ALL[] = // quasi-velocities, a state, events, a switch, observes
    "coord x, y, th\nstate p\nlet lat = y'*cos(th) - x'*sin(th)\n"
    "kinetic (x'^2 + y'^2 + th'^2)/2\nforce x: p - abs(x)\nlaw p' = -p + x\n"
    "constraint blade: lat = 0\nquasi u = x'*cos(th) + y'*sin(th)\n"
    "start u = 1, th = 0.2, th' = 1\nevent east: th = 1 up\nevent force: lambda.blade = 9 stop\n"
    "event back: x = 0.05 reset th' = -th'\nobserve r = [x, y]\nobserve a = x''\n";

static const char REFUSED_REDUNDANT[] = // a program; constraints solved by singular values
    "coord x, y, z\nkinetic (x'^2 + (1 + x^2)*y'^2 + z'^2)/2\n"
    "constraint a: x^2 + y^2 = 1\nconstraint b: 2*x^2 + 2*y^2 = 2\n"
    "constraint c: z = x with c'' = -c - c'\nstart x = 1, y = 0, y' = 0.5\n";

static const char REFUSED_STIFF[] = // the method changes on the way
    "coord x, y, th\nkinetic (x'^2 + y'^2 + th'^2)/2\n"
    "constraint blade: y'*cos(th) = x'*sin(th) by friction(1e6)\n"
    "start x = 0, y = 0, th = 0.2, x' = cos(0.2), y' = sin(0.2), th' = 1\n";

static const char REFUSED_LARGE[] = // sparse blocks
    "param N = 8\ncoord x[1..N], y[1..N]\nkinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..N: y[i])\nconstraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..N: constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
    "for i in 1..N: start x[i] = i, y[i] = 0, x[i]' = 0, y[i]' = 0\n";

static const refused_trial REFUSED[] = {
    {"all, taylor", REFUSED_ALL, 0.1, RH_METHOD_TAYLOR, false},
    {"all, dop853", REFUSED_ALL, 0.1, RH_METHOD_DOP853, true},
    {"all, cvode", REFUSED_ALL, 0.06, RH_METHOD_CVODE, false},
    {"all, ida", REFUSED_ALL, 0.06, RH_METHOD_IDA, false},
    {"redundant, taylor", REFUSED_REDUNDANT, 0.1, RH_METHOD_TAYLOR, false},
    {"redundant, dop853", REFUSED_REDUNDANT, 0.01, RH_METHOD_DOP853, false},
    {"redundant, cvode", REFUSED_REDUNDANT, 1e-4, RH_METHOD_CVODE, true},
    {"stiff, its own choice", REFUSED_STIFF, 1e-3, RH_METHOD_AUTO, false},
    {"large, taylor", REFUSED_LARGE, 0.1, RH_METHOD_TAYLOR, false},
    {"large, cvode", REFUSED_LARGE, 1e-4, RH_METHOD_CVODE, false},
    {"large, ida", REFUSED_LARGE, 1e-4, RH_METHOD_IDA, false},
};

enum { REFUSED_COUNT = sizeof REFUSED / sizeof REFUSED[0] };

static void refused_prepare(const refused_trial *it, moving *out)
{
    *out = (moving){.motion = NULL};
    rh_model_def def = rh_model_def_default();
    def.text = it->text;
    def.text_size = strlen(it->text);
    def.allocator = refused_allocator();
    assert_int_equal(rh_model_create(&def, &out->model, NULL), RH_OK);
    rh_equations_def derive = rh_equations_def_default();
    derive.has_presolve = !it->is_plain;
    assert_int_equal(rh_equations_create(out->model, &derive, &out->equations, NULL), RH_OK);
}

enum { REFUSED_WIDTH = 128 };

/// What came of a trial.
typedef struct refused_result {
    rh_stop stop;
    size_t width;
    double last[REFUSED_WIDTH]; // row, then the energies
    bool is_finite;             // all rows
} refused_result;

/// Make the motion, move it, and ask for rows at the ends of its steps and between them. The status
/// is that of the first call that was refused.
static rh_status refused_move(const refused_trial *it, moving *on, refused_result *out)
{
    rh_motion_def def = rh_motion_def_default();
    def.method = it->method;
    *out = (refused_result){.stop = RH_STOP_NONE, .is_finite = true};
    rh_status status = rh_motion_create(on->equations, &def, &on->motion, &on->err);
    while (status == RH_OK && out->stop == RH_STOP_NONE) {
        status = rh_motion_step(on->motion, it->time, &out->stop, &on->err);
        const double low = rh_motion_time_before(on->motion);
        const double high = rh_motion_time(on->motion);
        for (uint32_t k = 0; status == RH_OK && k < 2; k++) {
            status = rh_motion_row(on->motion, k == 0 ? low + 0.5 * (high - low) : high, out->last,
                                   &on->err);
            for (size_t j = 0; status == RH_OK && j < rh_motion_column_count(on->motion); j++) {
                out->is_finite = out->is_finite && isfinite(out->last[j]);
            }
        }
    }
    if (status == RH_OK) {
        const rh_motion_summary summary = rh_motion_summarise(on->motion);
        out->width = rh_motion_column_count(on->motion);
        out->last[out->width++] = summary.energy_start;
        out->last[out->width++] = summary.energy_now;
    }
    return status;
}

static bool refused_is_same(const refused_result *a, const refused_result *b)
{
    bool is_same = a->width == b->width && a->is_finite && b->is_finite;
    for (size_t k = 0; is_same && k < a->width; k++) {
        is_same = fabs(a->last[k] - b->last[k]) <= 1e-9 * (1.0 + fabs(b->last[k]));
    }
    return is_same;
}

/// Request `n` fails (0: none). Returns how many there were. What can do without goes on and comes
/// to the same (`wanted`); what cannot says so.
static size_t refused_try(const refused_trial *it, size_t n, refused_result *wanted)
{
    const size_t live = refused.live;
    moving on;
    refused_result result;
    refused_prepare(it, &on);
    refused.count = 0;
    refused.fail_at = n;
    refused.is_on = true;
    const rh_status status = refused_move(it, &on, &result);
    refused.is_on = false;
    const size_t count = refused.count;
    const bool is_made = on.motion != NULL;
    if (n == 0) {
        *wanted = result;
    }
    bool is_said =
        status == RH_E_MEMORY && on.err.status == RH_E_MEMORY && on.err.message[0] != '\0';
    if (status == RH_OK && result.stop == RH_STOP_FAILED) {
        is_said = n > 0 && strstr(rh_motion_reason(on.motion), "no memory") != NULL;
    } else if (status == RH_OK) {
        is_said = result.stop == RH_STOP_REACHED && refused_is_same(&result, wanted);
    }
    if (!is_said) {
        print_error("%s, request %zu: \"%s\", \"%s\", stop %d, \"%s\"\n", it->name, n,
                    rh_status_text(status), on.err.message, (int)result.stop,
                    is_made ? rh_motion_reason(on.motion) : "");
    }
    moving_end(&on);
    assert_true(is_said);
    if (refused.live != live) {
        fail_msg("%s, request %zu: %zu blocks were not given back", it->name, n,
                 refused.live - live);
    }
    return count;
}

/// The first `each` requests one after another, then `random` of the others.
static inline void refused_run(const refused_trial *it, size_t each, uint32_t random)
{
    refused_result wanted;
    (void)refused_try(it, 0, &wanted); // libraries take what they keep
    const size_t count = refused_try(it, 0, &wanted);
    support_random numbers = support_random_begin(it->name);
    print_message("%s: %zu requests\n", it->name, count);
    assert_true(count > 20);
    for (size_t n = 1; n <= count && n <= each; n++) {
        (void)refused_try(it, n, &wanted);
    }
    for (uint32_t k = 0; count > each && k < random; k++) {
        (void)refused_try(it, each + 1 + support_random_below(&numbers, (uint32_t)(count - each)),
                          &wanted);
    }
}
