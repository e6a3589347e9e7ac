// SPDX-License-Identifier: Apache-2.0
// From text to a model: what the user wrote, read, understood and criticised. What a model says
// never changes after it was made, but asking it uses its own workspace: one thread at a time.

#pragma once

#include "rheonom/base.h"

RH_EXTERN_C_BEGIN

/// How much a diagnostic matters.
typedef enum rh_severity {
    RH_SEVERITY_ERROR,   ///< the model is wrong
    RH_SEVERITY_WARNING, ///< legal but suspicious
    RH_SEVERITY_NOTE     ///< worth knowing
} rh_severity;

/// A place in a source: lines and columns from 1, columns in characters (code points).
typedef struct rh_location {
    const char *file;              ///< the name given in the def, or the option of the command line
    uint32_t line, column;         ///< where it begins
    uint32_t end_line, end_column; ///< the column after its last character
    const char *text;              ///< the line where it begins, not terminated
    size_t text_size;
} rh_location;

/// One remark about a model. All texts are borrowed from the model.
typedef struct rh_diagnostic {
    const char *code; ///< stable, for example "E021"
    rh_severity severity;
    rh_location at;
    const char *message; ///< what is wrong, with numbers where there are any
    const char *repair;  ///< what to write instead; NULL when there is no one answer
    const char *note;    ///< another place that matters; NULL when there is none
    rh_location note_at; ///< where, when there is a note
} rh_diagnostic;

/// Recipe for a model. Begin with rh_model_def_default(), then change what you need.
typedef struct rh_model_def {
    uint32_t struct_size;   ///< set by the default function; do not touch
    uint32_t thread_count;  ///< reserved; must be 0
    rh_allocator allocator; ///< inherited by everything made from the model
    const char *name;       ///< shown in messages as the file
    const char *text;       ///< the model; need not be terminated, need not outlive the call
    size_t text_size;       ///< in bytes
    const char *const *set; ///< parameter changes "name=value", as with --set
    size_t set_count;
    const char *const *start; ///< start values "name=value", as with --start
    size_t start_count;
    size_t memory_limit;   ///< most bytes the model may take
    const char *const *by; ///< other realisations of constraints "name=realisation", as with --by
    size_t by_count;
    const char *const *observe; ///< further quantities to be observed: expressions that are numbers
    size_t observe_count;
    const char *last_set_name; ///< what messages call the last of `set`; NULL: --set
    const char *observe_name;  ///< what they call those of `observe`; NULL: --observe
    rh_interrupt *interrupt;   ///< asked by everything made from the model; NULL: nobody is
    void *interrupt_user;
} rh_model_def;

/// The defaults, in the open: this function is the documentation of them.
static inline rh_model_def rh_model_def_default(void)
{
    rh_model_def def = RH_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.allocator = rh_allocator_default();
    def.name = "model";
    def.memory_limit = (size_t)2 << 30;
    return def;
}

/// Read a model.
/// @param out  receives a model the caller destroys. With RH_E_MODEL it is made too: it holds the
///             diagnostics and the tree, and every other question to it answers "nothing".
/// @param err  may be NULL; filled when the result is not RH_OK
/// @return RH_E_MODEL when there are errors, RH_E_MEMORY, RH_E_LIMIT, RH_E_INTERRUPTED or
/// RH_E_ARGUMENT (then *out is NULL)
RH_API RH_NODISCARD rh_status rh_model_create(const rh_model_def *def, rh_model **out,
                                              rh_error *err);

/// Destroy a model. NULL is allowed.
RH_API void rh_model_destroy(rh_model *model);

/// Is the model free of errors?
RH_API bool rh_model_is_sound(const rh_model *model);

/// How many quantities are observed: those of the text, then those of rh_model_def.observe.
RH_API size_t rh_model_observe_count(const rh_model *model);
/// The value of an observed quantity that is made of numbers and parameters alone.
/// @return RH_E_ARGUMENT when there is none with this index, or when it depends on anything else
RH_API RH_NODISCARD rh_status rh_model_observe_value(const rh_model *model, size_t index,
                                                     double *out, rh_error *err);

/// Remarks in order of place. There may be more than were kept: `rh_model_diagnostic_dropped`.
RH_API size_t rh_model_diagnostic_count(const rh_model *model);
RH_API size_t rh_model_diagnostic_dropped(const rh_model *model);
RH_API rh_diagnostic rh_model_diagnostic(const rh_model *model, size_t index);

/// Inputs that come from files, in order of declaration. A path is as the model has it: relative,
/// to the folder of the model, and without `..`.
RH_API size_t rh_model_feed_count(const rh_model *model);
/// "" when there is no such input.
RH_API const char *rh_model_feed_path(const rh_model *model, size_t index);

/// The stages whose canonical text can be shown.
typedef enum rh_stage { RH_STAGE_AST, RH_STAGE_MODEL, RH_STAGE_EQUATIONS, RH_STAGE_TAPE } rh_stage;

/// Write the canonical text of a stage. RH_E_UNAVAILABLE for a stage that is not built yet,
/// RH_E_MODEL when the model is wrong and the stage needs a sound one.
RH_API RH_NODISCARD rh_status rh_model_dump(const rh_model *model, rh_stage stage, rh_sink sink,
                                            rh_error *err);

RH_EXTERN_C_END
