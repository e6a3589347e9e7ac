// SPDX-License-Identifier: Apache-2.0
// The canonical text of the stage `tape`: the programs that move a system, watch its events and
// tell its outputs.

#include "output/output.h"

#include "tape/tape.h"

static void write_tape(const char *title, const rh_tape *tape, rh_text *out)
{
    rh__text_format(out, "# %s\n", title);
    rh__tape_describe(tape, out);
}

rh_status rh_tape_dump(rh_equations *equations, rh_sink sink, rh_error *err)
{
    RH_REQUIRE(equations != NULL && sink.write != NULL, err);
    if (!equations->is_sound) {
        return rh__error_fill(err, RH_E_MODEL, "%s", rh_status_text(RH_E_MODEL));
    }
    const rh_tapes_def def = {.form =
                                  equations->has_presolve ? RH_FORM_REDUCED : RH_FORM_MULTIPLIERS,
                              .has_outputs = true};
    rh_system *system = NULL;
    RH_TRY(rh__system_create(equations, &def, &system, err));
    rh_arena arena =
        rh__arena_begin(rh__guard_base(equations->arena.allocator), equations->arena.limit);
    rh_text out = rh__text_begin(&arena, &sink);
    write_tape("step: rates of the state, and the unknowns of the equations", system->step, &out);
    write_tape("watch: event functions", system->watch, &out);
    write_tape("output: everything that can be asked for", system->output, &out);
    rh__system_destroy(system);
    return rh__output_end(&out, &arena, err);
}
