// SPDX-License-Identifier: Apache-2.0
// Compiled series and steps.

#pragma once

#include "rheonom/motion.h"

#include "base/base.h"
#include "tape/tape.h"

/// A text that was compiled and loaded (native.c).
typedef struct rh_native {
    void *library;
    rh_series_kernel *kernel;
    rh_steps_kernel *steps; // NULL: it has none
    bool is_lent;           // the library belongs to another one
    bool is_found;          // it was there already
    char *text;             // what it was made of
    size_t text_size;
    char reason[256]; // why there is none
} rh_native;

#define RH_NATIVE_NAME "rheonom_series" // of the function
#define RH_NATIVE_STEPS "rheonom_steps"
#define RH_NATIVE_BRIEF "rheonom_brief"

typedef struct rh_native_def {
    rh_slice text;
    uint32_t lanes;
    bool is_long;    // so long that a compiler shall not look for the best
    rh_guard *guard; // asked while the compiler runs; NULL: nobody is
} rh_native_def;

/// Compile and load; false with a reason, and nothing to destroy.
bool rh__native_create(const rh_native_def *def, rh_native *out);
void rh__native_destroy(rh_native *native);

/// Who computes the series (tier.c).
typedef struct rh_tiering {
    rh_tier asked;
    bool is_settled;    // compiled, or given up
    uint64_t switch_at; // number of the step from which on they are compiled
    rh_native native;
    const char *reason;
} rh_tiering;

/// Whole steps by compiled text, where nothing but the series decides (glider.c).
typedef struct rh_glider {
    double *room; // NULL: there are none
    double *jet;
    bool is_ready; // the series of the present point stands in `jet`
} rh_glider;

/// Is the motion one for compiled steps? No events, no constraints to return to, no switches.
bool rh__glider_is_free(const rh_motion *motion);
/// Make room; false: there is none.
bool rh__glider_create(rh_motion *motion);
/// One place of several in a room of compiled steps.
typedef struct rh_lane {
    double *room;
    uint32_t index, count;
} rh_lane;

/// Numbers for a room, or for jets, aligned for the widest cells.
double *rh__glider_room(rh_arena *arena, size_t count);
/// What does not change along a motion.
void rh__glider_set(const rh_motion *motion, const rh_lane *at);
/// May it go by compiled steps from here?
bool rh__glider_is_due(const rh_motion *motion, double t_end);
/// Put the motion on a lane; take it off, with what the steps made of it.
void rh__glider_load(rh_motion *motion, const rh_lane *at, double t_end, uint64_t budget);
void rh__glider_unload(rh_motion *motion, const rh_lane *at, double margin);
/// At most so many steps towards t_end; false: none was made, the next one is for the library.
bool rh__glider_go(rh_motion *motion, double t_end, uint64_t budget);

/// Which tier is asked for, and when the series are compiled.
rh_status rh__tier_create(rh_motion *motion, const rh_motion_def *def);
/// Can motions of these equations begin anew with other numbers? (restart.c)
bool rh__motion_can_restart(const rh_equations *equations);
/// Which one a recipe asks for, or the environment where it does not.
rh_tier rh__tier_asked(const rh_motion_def *def);
/// From how many steps on compiling pays.
uint64_t rh__tier_worth(const rh_motion *motion);
/// Beginning anew, it is the interpreter again.
void rh__tier_forget(rh_motion *motion);
/// Are its steps compiled, from the first one on?
bool rh__tier_is_early(const rh_motion *motion);
/// Compile the steps of a motion for several side by side; false with a reason.
bool rh__tier_widen(rh_motion *motion, uint32_t lanes, rh_native *out);
/// Numbers of work that a lane needs.
size_t rh__tier_room(const rh_motion *motion);
/// Lend the compiled steps of a motion to another one of the same equations and recipe, which must
/// be destroyed before it; false: there is no memory.
bool rh__tier_lend(const rh_motion *motion, rh_motion *other);
void rh__tier_destroy(rh_motion *motion);
/// A step begins: compile when it is time.
void rh__tier_follow(rh_motion *motion);
