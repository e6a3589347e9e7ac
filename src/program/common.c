// SPDX-License-Identifier: Apache-2.0
// What the files of this room share: when there is enough time, what is said, the exact values of
// parameters, and the matrix of a part at a point, turns of deviations.

#include "program/program.h"

#include <math.h>
#include <string.h>

#define MORE 1e-10 // by which a later extremum is larger than rounding makes it

bool rh__program_is_enough(rh_program *program)
{
    if (!program->summary.is_interrupted && program->def.ask != NULL) {
        program->summary.is_interrupted = program->def.ask(program->def.ask_user);
    }
    return program->summary.is_interrupted;
}

void rh__program_say(rh_program *program, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)rh__text_fill_list(program->reason, sizeof program->reason, format, arguments);
    va_end(arguments);
}

rh_status rh__program_refused(const rh_program *program)
{
    return program->arena.status != RH_OK                           ? program->arena.status
           : program->scratch.status != RH_OK                       ? program->scratch.status
           : rh__store_refusal(program->store) == RH_REFUSAL_MEMORY ? RH_E_MEMORY
                                                                    : RH_E_LIMIT;
}

static rh_expr exact_parameter(void *user, rh_store *store, rh_expr symbol)
{
    const rh_model *model = *(const rh_model *const *)user;
    if ((rh__expr_mask(store, symbol) & RH_ROLE_PARAM) == 0) {
        return symbol;
    }
    const uint32_t family = rh__expr_family(store, symbol).i;
    const uint32_t at = family < model->parameter_of.count ? model->parameter_of.data[family] : 0;
    const uint32_t member = rh__expr_member(store, symbol);
    if (at == 0 || model->parameters.data[at - 1].defaults[member].i == 0) {
        return symbol;
    }
    return model->parameters.data[at - 1].defaults[member];
}

rh_expr rh__program_exact(rh_program *program, rh_expr e)
{
    enum { MOST_ROUNDS = 64 }; // parameters given by parameters
    const rh_model *model = program->equations->model;
    for (uint32_t k = 0;
         e.i != 0 && k < MOST_ROUNDS && (rh__expr_mask(program->store, e) & RH_ROLE_PARAM) != 0;
         k++) {
        const rh_expr next = rh__expr_substitute(program->store, e, exact_parameter, &model);
        if (next.i == e.i) {
            break;
        }
        e = next;
    }
    return e;
}

rh_status rh__program_matrix(rh_program *program, const rh_program_part *part,
                             const rh_point *point, double *out)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    double *values = rh__arena_array(&program->scratch, double, (size_t)part->value_count + 1);
    if (values == NULL) {
        return rh__program_refused(program);
    }
    memset(out, 0, sizeof *out * part->count * part->count);
    const rh_status status =
        rh__point_evaluate(point, part->values, part->value_count, &program->scratch, values);
    for (uint32_t k = 0; status == RH_OK && k < part->value_count; k++) {
        out[part->places[k]] = values[k];
    }
    rh__arena_rewind(&program->scratch, mark);
    return status;
}

bool rh__program_find_place(const rh_program *program, size_t row, size_t column,
                            uint32_t *out_part, size_t *out_place)
{
    for (uint32_t k = 0; k < program->parts.count; k++) {
        const rh_program_part *part = &program->parts.data[k];
        uint32_t i = 0;
        uint32_t j = 0;
        while (i < part->count && part->index[i] != row) {
            i++;
        }
        while (j < part->count && part->index[j] != column) {
            j++;
        }
        if (i < part->count && j < part->count) {
            *out_part = k;
            *out_place = i + (size_t)j * part->count;
            return true;
        }
    }
    return false;
}

double rh_program_entry(const rh_program *program, size_t row, size_t column)
{
    uint32_t part = 0;
    size_t place = 0;
    return rh__program_find_place(program, row, column, &part, &place)
               ? program->parts.data[part].matrix[place]
               : 0.0;
}

void rh__program_turn(rh_program_law *law, double time, double value)
{
    if (isnan(law->extremum) || fabs(value) > (1.0 + MORE) * fabs(law->extremum)) {
        law->extremum = value;
        law->extremum_time = time;
    }
}
