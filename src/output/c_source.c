// SPDX-License-Identifier: Apache-2.0
// A model as self-contained C99: the emitted series of its tape with the values of all parameters,
// its start, steps as in taylor.c, and a test with numbers of the library.

#include "output/c_source.h"

#include "motion/motion.h"

#include <math.h>

static const char *const NAMES[RH_C_FILE_COUNT] = {[RH_C_HEADER] = "model.h",
                                                   [RH_C_SOURCE] = "model.c",
                                                   [RH_C_MAKEFILE] = "Makefile",
                                                   [RH_C_README] = "README",
                                                   [RH_C_TEST] = "test.c"};

const char *rh_c_file_name(rh_c_file file)
{
    return file < RH_C_FILE_COUNT ? NAMES[file] : "";
}

// --- what cannot be exported --------------------------------------------------------------------

static rh_status refuse(const char *what, rh_error *err)
{
    return rh__error_fill(err, RH_E_UNAVAILABLE,
                          "the model cannot be exported: steps in C do not know %s", what);
}

static rh_status judge(const rh_motion *motion, rh_error *err)
{
    const rh_tape *tape = motion->system->step;
    const rh_model *model = motion->equations->model;
    RH_TRY(rh__equations_refuse_intermittent(motion->equations, "steps in C", err));
    if (motion->mode.gate_count > 0) {
        return refuse("one-sided constraints", err);
    }
    if (motion->system->slide_count > 0 || tape->switch_count > 0) {
        return refuse("conditions (if, abs, sign, min, max)", err);
    }
    if (tape->feed_count > 0) {
        return refuse("inputs from files", err);
    }
    for (uint32_t k = 0; k < model->events.count; k++) {
        if (model->events.data[k].action == RH_ACTION_RESET) {
            return refuse("events that reset the state", err);
        }
    }
    return RH_OK;
}

// --- numbers ------------------------------------------------------------------------------------

static void put_numbers(rh_text *out, const double *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        rh__text_format(out, "%s%.17g", k == 0 ? "" : k % 4 == 0 ? ",\n    " : ", ", numbers[k]);
    }
}

// x in the order of the layout.
static void put_names(const rh_motion *motion, rh_arena *arena, rh_text *out)
{
    const rh_store *store = motion->equations->store;
    for (uint32_t k = 0; k < motion->n; k++) {
        const rh_expr symbol = motion->system->x.data[k];
        rh_text name = rh__text_begin(arena, NULL);
        rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol),
                        &name);
        rh__text_put(out, k == 0 ? "" : k % 4 == 0 ? ",\n    " : ", ");
        rh__text_put_json(out, rh__text_slice(&name));
    }
}

// --- files --------------------------------------------------------------------------------------

static rh_emit_def emit_def_of(const rh_motion *motion)
{
    return (rh_emit_def){.tape = motion->system->step,
                         .rate_count = motion->n,
                         .order = motion->order,
                         .stride = motion->step->stride,
                         .name = "model_series"};
}

static void write_header(const rh_motion *motion, rh_text *out)
{
    const rh_emit_def def = emit_def_of(motion);
    rh__text_format(out, RH_C_MARK " %s: a model as C99, without the library */\n", rh_version());
    rh__text_format(out, RH_C_HEADER_BEGIN, motion->n, motion->order, def.stride,
                    rh__emit_room(&def));
    rh__text_put(out, rh__c_header_end);
}

static rh_status write_source(const rh_motion *motion, rh_arena *arena, rh_text *out)
{
    const rh_emit_def def = emit_def_of(motion);
    const rh_tape_state *state = motion->step;
    rh__text_put(out, RH_C_MARK
                 ": the series of the model, and steps with them */\n#include \"model.h\"\n\n");
    RH_TRY(rh__emit_series(&def, arena, out));
    rh__text_put(out, "\nconst char *const model_names[MODEL_COUNT + 1] = {\n    ");
    put_names(motion, arena, out);
    rh__text_format(out, "%s0};\n\nstatic const double weights[] = {\n    ",
                    motion->n > 0 ? ", " : "");
    put_numbers(out, state->weight, state->tape->weight_count);
    rh__text_format(out, "%s0.0};\n\nstatic const double start[] = {\n    ",
                    state->tape->weight_count > 0 ? ", " : "");
    put_numbers(out, motion->x, motion->n);
    rh__text_format(out, "%s0.0};\n\n#define START_TIME %.17g\n#define TOLERANCE %.17g\n\n",
                    motion->n > 0 ? ", " : "", motion->t, motion->tolerance);
    rh__text_put(out, rh__c_stepper);
    return RH_OK;
}

static rh_status write_test(rh_motion *motion, double until, rh_text *out, rh_error *err)
{
    rh_stop stop = RH_STOP_NONE;
    const double begin = motion->t;
    if (!(isfinite(until) && until >= begin)) {
        return rh__error_fill(err, RH_E_ARGUMENT, "the test ends before the start, t = %.10g",
                              begin);
    }
    // a stopping event is nothing to the exported steps
    RH_TRY(rh_motion_advance(motion, until, &stop, err));
    if (stop == RH_STOP_FAILED) {
        return rh__error_fill(err, RH_E_ARGUMENT, "the motion does not come to t = %.10g: %s",
                              until, rh_motion_reason(motion));
    }
    rh__text_put(out,
                 RH_C_MARK ": moves, and compares with what the library computed */\n"
                           "#include \"model.h\"\n\n#include <math.h>\n#include <stdio.h>\n\n");
    rh__text_format(out,
                    "static const double end = %.17g;\nstatic const double expected[] = {\n    ",
                    motion->t);
    put_numbers(out, motion->x, motion->n);
    rh__text_format(out, "%s0.0};\n\n", motion->n > 0 ? ", " : "");
    rh__text_put(out, rh__c_test);
    return RH_OK;
}

static rh_status write_file(const rh_c_def *def, rh_c_file file, rh_arena *arena, rh_text *out,
                            rh_error *err)
{
    switch (file) {
    case RH_C_HEADER:
        write_header(def->motion, out);
        return RH_OK;
    case RH_C_SOURCE:
        return write_source(def->motion, arena, out);
    case RH_C_MAKEFILE:
        rh__text_put(out, rh__c_makefile);
        return RH_OK;
    case RH_C_README:
        rh__text_put(out, rh__c_readme);
        return RH_OK;
    case RH_C_TEST:
        return write_test(def->motion, def->until, out, err);
    case RH_C_FILE_COUNT:
        break;
    }
    return RH_E_ARGUMENT;
}

rh_status rh_output_c(const rh_c_def *def, rh_c_file file, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(def != NULL && def->struct_size != 0 && def->motion != NULL, err);
    RH_REQUIRE(sink.write != NULL && file < RH_C_FILE_COUNT && def->motion->steps == 0, err);
    RH_TRY(judge(def->motion, err));
    const rh_arena *like = &def->motion->arena;
    rh_arena arena = rh__arena_begin(like->allocator, like->limit);
    rh_text out = rh__text_begin(&arena, &sink);
    rh_error reason = {.status = RH_OK, .message = ""};
    const rh_status status = write_file(def, file, &arena, &out, &reason);
    const rh_status end = rh__output_end(&out, &arena, status == RH_OK ? err : NULL);
    if (status == RH_OK) {
        return end;
    }
    const char *why = status == RH_E_LIMIT
                          ? "the text of the model would be too long for a compiler"
                      : reason.message[0] != '\0' ? reason.message
                                                  : rh_status_text(status);
    return rh__guard_explain(like->allocator, rh__error_fill(err, status, "%s", why), err);
}
