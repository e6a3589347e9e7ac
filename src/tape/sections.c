// SPDX-License-Identifier: Apache-2.0
// What a system can tell besides its motion: the tapes `watch` (what decides events and modes) and
// `output` (everything that results may need), with the places of their parts.

#include "tape/tapes.h"

typedef struct telling {
    rh_system *system;
    const rh_equations *equations;
    const rh_model *model;
    rh_arena *scratch;
    rh_expr_list outputs;
    rh_range *part;   // the section under way
    rh_range unheard; // counts what is in no section
} telling;

static void begin_section(telling *in, rh_section section)
{
    in->part = &in->system->sections[section];
    *in->part = (rh_range){in->outputs.count, 0};
}

static bool tell(telling *in, rh_expr e)
{
    const rh_expr through = e.i != 0 ? rh__slide_through(in->system, e, in->scratch) : e;
    in->part->count++;
    return through.i != 0 && rh__array_push(in->scratch, &in->outputs, through);
}

static bool tell_carriers(telling *in)
{
    const rh_equations *equations = in->equations;
    bool ok = true;
    begin_section(in, RH_SECTION_VELOCITY);
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        ok = tell(in, equations->carriers.data[k].variable);
    }
    begin_section(in, RH_SECTION_RATE);
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        ok = tell(in, equations->carriers.data[k].rate);
    }
    begin_section(in, RH_SECTION_PASSIVE);
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = tell(in, in->system->form.passives.data[k].value);
    }
    return ok;
}

static bool tell_links(telling *in)
{
    const rh_equations *equations = in->equations;
    rh_system *system = in->system;
    bool ok = true;
    begin_section(in, RH_SECTION_MULTIPLIER);
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = tell(in, equations->links.data[k].multiplier);
    }
    begin_section(in, RH_SECTION_LEVEL);
    system->level_of =
        rh__arena_array(&system->arena, uint32_t, (size_t)equations->links.count + 1);
    ok = ok && system->level_of != NULL;
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        system->level_of[k] = in->outputs.count;
        for (uint32_t level = 0; ok && level < link->level_count; level++) {
            ok = tell(in, link->levels[level]);
        }
    }
    return ok;
}

static bool tell_statements(telling *in)
{
    const rh_model *model = in->model;
    bool ok = true;
    begin_section(in, RH_SECTION_EVENT);
    for (uint32_t k = 0; ok && k < model->events.count; k++) {
        ok = tell(in, model->events.data[k].function);
    }
    begin_section(in, RH_SECTION_OBSERVE);
    for (uint32_t k = 0; ok && k < model->observes.count; k++) {
        ok = tell(in, model->observes.data[k].value);
    }
    begin_section(in, RH_SECTION_ENERGY);
    ok = ok && tell(in, rh__model_kinetic(model)) && tell(in, rh__model_potential(model)) &&
         tell(in, rh__model_lagrangian(model));
    begin_section(in, RH_SECTION_QUASI);
    for (uint32_t k = 0; ok && k < model->quasis.count; k++) {
        const rh_quasi *quasi = &model->quasis.data[k];
        ok = tell(in, rh__expr_symbol(in->equations->store, quasi->symbol, quasi->row.member));
    }
    return ok;
}

static bool list_watched(telling *in)
{
    bool ok = true;
    in->outputs.count = 0;
    in->part = &in->unheard;
    for (uint32_t k = 0; ok && k < in->model->events.count; k++) {
        ok = tell(in, in->model->events.data[k].function);
    }
    return ok;
}

rh_status rh__system_outputs(rh_system *system, const rh_meanings *meanings, rh_error *err)
{
    telling in = {.system = system,
                  .equations = system->equations,
                  .model = system->equations->model,
                  .scratch = meanings->arena};
    if (!tell_carriers(&in) || !tell_links(&in) || !tell_statements(&in)) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    RH_TRY(rh__system_compile(system, meanings, in.outputs.data, in.outputs.count, &system->output,
                              err));
    if (!list_watched(&in)) {
        return rh__error_fill(err, RH_E_MEMORY, "%s", rh_status_text(RH_E_MEMORY));
    }
    return rh__system_compile(system, meanings, in.outputs.data, in.outputs.count, &system->watch,
                              err);
}
