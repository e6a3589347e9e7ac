// SPDX-License-Identifier: Apache-2.0
// What every part of the street shares: status, errors, memory, text sinks, and the names of all
// handles.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define RH_API __attribute__((visibility("default")))
#define RH_NODISCARD __attribute__((warn_unused_result))
#else
#define RH_API
#define RH_NODISCARD
#endif

#if defined(__cplusplus)
#define RH_ZERO                                                                                    \
    {                                                                                              \
    }
#define RH_EXTERN_C_BEGIN extern "C" {
#define RH_EXTERN_C_END }
#else
#define RH_ZERO                                                                                    \
    {                                                                                              \
        0                                                                                          \
    }
#define RH_EXTERN_C_BEGIN
#define RH_EXTERN_C_END
#endif

RH_EXTERN_C_BEGIN

/// Every status with its sentence. One list, so that code and text cannot drift apart.
#define RH_STATUS_LIST(X)                                                                          \
    X(RH_OK, "done")                                                                               \
    X(RH_E_MEMORY, "out of memory")                                                                \
    X(RH_E_ARGUMENT, "an argument of the call is wrong")                                           \
    X(RH_E_MODEL, "the model is wrong; its diagnostics say where")                                 \
    X(RH_E_LIMIT, "a stated limit was passed")                                                     \
    X(RH_E_WRITE, "the output could not be written")                                               \
    X(RH_E_UNAVAILABLE, "not built yet")                                                           \
    X(RH_E_INTERRUPTED, "it was interrupted")

typedef enum rh_status {
#define RH_STATUS_ENUM(name, sentence) name,
    RH_STATUS_LIST(RH_STATUS_ENUM)
#undef RH_STATUS_ENUM
} rh_status;

/// The sentence of a status. Never NULL.
RH_API const char *rh_status_text(rh_status status);

/// Room for the reason of a failure. Pass NULL when the status alone is enough.
typedef struct rh_error {
    rh_status status;
    char message[248]; ///< one sentence, always terminated
} rh_error;

/// Where memory comes from. `alloc` and `resize` return NULL when there is none.
typedef struct rh_allocator {
    void *(*alloc)(void *user, size_t size);
    void *(*resize)(void *user, void *memory, size_t old_size, size_t new_size);
    void (*free)(void *user, void *memory, size_t size);
    void *user;
} rh_allocator;

/// The C library's malloc, realloc and free.
RH_API rh_allocator rh_allocator_default(void);

/// Where text goes. `write` returns false when it could not take the bytes; nothing more is written
/// then.
typedef struct rh_sink {
    bool (*write)(void *user, const char *data, size_t size);
    void *user;
} rh_sink;

/// Asked now and then by what may take long: NULL to go on, or why to end now. The text is kept by
/// reference. Once it gave a reason it must go on giving one. Several threads may ask at a time,
/// and they ask often: it must be quick. Work that is ended so returns RH_E_INTERRUPTED with the
/// reason, or what was found until then where a function says that it keeps it.
typedef const char *rh_interrupt(void *user);

/// The version of the library, "major.minor.patch".
RH_API const char *rh_version(void);

/// A model: a page of mathematics, read, understood and criticised.
typedef struct rh_model rh_model;

/// The equations of motion of a model.
typedef struct rh_equations rh_equations;

/// One run of one system.
typedef struct rh_motion rh_motion;

/// A table that was read for an input.
typedef struct rh_record rh_record;

/// The work done along a motion.
typedef struct rh_work rh_work;

/// Many motions of one model.
typedef struct rh_sweep rh_sweep;

/// A periodic orbit.
typedef struct rh_orbit rh_orbit;

/// Averaged reactions over generating orbits.
typedef struct rh_average rh_average;

/// The answer to an inverse problem.
typedef struct rh_inverse rh_inverse;

/// Steady motions of a model.
typedef struct rh_steady rh_steady;

/// A statement about a steady motion that can be proved from its text.
typedef struct rh_certificate rh_certificate;

/// A chart of the stability of steady motions.
typedef struct rh_chart rh_chart;

/// Parameters that make a steady motion as stable as they can.
typedef struct rh_optimum rh_optimum;

/// A linear system around a state.
typedef struct rh_linear rh_linear;

/// What the deviations of program constraints do.
typedef struct rh_program rh_program;

/// The equations of a model as functions of numbers.
typedef struct rh_system rh_system;
/// A place where a system is evaluated.
typedef struct rh_evaluator rh_evaluator;

/// What the constraint doctor found.
typedef struct rh_checkup rh_checkup;

RH_EXTERN_C_END
