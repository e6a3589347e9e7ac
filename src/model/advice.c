// SPDX-License-Identifier: Apache-2.0
// Advice: what is legal but suspicious. Runs only on a model without errors.

#include "model/build.h"

static void advise_unused(rh_build *build)
{
    for (uint32_t k = 0; k < build->entities.count; k++) {
        const rh_entity *entity = rh__build_entity(build, k);
        if (entity->is_used) {
            continue;
        }
        if (entity->kind == RH_ENTITY_PARAM) {
            rh__build_report(build, RH_DIAGNOSTIC_W100, entity->span, NULL,
                             "the parameter %.*s is never used", RH_SLICE_FORMAT(entity->name));
            rh__build_repair(build, "leave it out, or use it");
        } else if (entity->kind == RH_ENTITY_INPUT) {
            rh__build_report(build, RH_DIAGNOSTIC_W106, entity->span, NULL,
                             "the input %.*s is never used", RH_SLICE_FORMAT(entity->name));
            rh__build_repair(build, "put it into a force or a law");
        } else if (entity->kind == RH_ENTITY_FUNCTION) {
            rh__build_report(build, RH_DIAGNOSTIC_W107, entity->span, NULL,
                             "the function %.*s is never called", RH_SLICE_FORMAT(entity->name));
            rh__build_repair(build, "leave it out, or call it");
        }
    }
}

static void advise_inertia(rh_build *build)
{
    const rh_model *model = build->model;
    const uint8_t inertia = RH_MOVES_BY_LAW | RH_MOVES_BY_EQUATION | RH_MOVES_BY_ENERGY;
    for (uint32_t k = 0; k < model->coordinates.count && !model->construct.is_given; k++) {
        const rh_variable *variable = &model->coordinates.data[k];
        for (uint32_t member = 0; member < variable->size; member++) {
            const rh_expr symbol = rh__expr_symbol(build->store, variable->family[0], member);
            if ((rh__build_moves(build, symbol) & inertia) != 0) {
                continue;
            }
            rh_text name = rh__text_begin(build->arena, NULL);
            rh__family_show(build->store, variable->family[0], member, &name);
            rh__build_report(build, RH_DIAGNOSTIC_W101, variable->span, NULL,
                             "the coordinate %.*s has no inertia: %.*s' stands in no kinetic "
                             "energy, law or equation",
                             RH_SLICE_FORMAT(rh__text_slice(&name)),
                             RH_SLICE_FORMAT(rh__text_slice(&name)));
            rh__build_repair(build, "add its kinetic energy, or a law, unless a constraint alone "
                                    "shall determine it");
            break;
        }
    }
}

static void advise_constraints(rh_build *build)
{
    for (uint32_t k = 0; k < build->model->constraints.count; k++) {
        const rh_constraint *constraint = &build->model->constraints.data[k];
        if (rh__expr_op(build->store, constraint->deviation) == RH_OP_SYMBOL) {
            continue;
        }
        const rh_vanishing how =
            rh__expr_vanishes(build->store, constraint->deviation, rh__values_parameter,
                              &build->model->values, &build->scratch);
        if (how != RH_VANISHING_NO) {
            rh__build_report(
                build, RH_DIAGNOSTIC_W102, constraint->row.span, NULL,
                "the constraint %.*s is always true%s", RH_SLICE_FORMAT(constraint->row.name),
                how == RH_VANISHING_PROVED ? ""
                                           : " (at 8 random states, with the parameters' values)");
            rh__build_repair(build, "leave it out, or correct it");
        }
    }
}

static void advise_energies(rh_build *build)
{
    const rh_model *model = build->model;
    for (uint32_t k = 0; k < model->kinetic.count; k++) {
        if ((rh__expr_mask(build->store, model->kinetic.data[k].expr) & RH_ROLE_VELOCITY) == 0) {
            rh__build_report(build, RH_DIAGNOSTIC_W103, model->kinetic.data[k].span, NULL,
                             "this kinetic energy is not a function of velocities");
            rh__build_repair(build, "add the primes, or write `potential`");
        }
    }
    for (uint32_t k = 0; k < model->potential.count; k++) {
        if ((rh__expr_mask(build->store, model->potential.data[k].expr) & RH_ROLE_VELOCITY) != 0) {
            rh__build_report(build, RH_DIAGNOSTIC_W104, model->potential.data[k].span, NULL,
                             "this potential energy depends on velocities");
            rh__build_repair(build, "write it as `lagrangian` with a minus sign, or as a force");
        }
    }
    for (uint32_t k = 0; k < model->dissipation.count; k++) {
        if ((rh__expr_mask(build->store, model->dissipation.data[k].expr) & RH_ROLE_VELOCITY) ==
            0) {
            rh__build_report(build, RH_DIAGNOSTIC_W105, model->dissipation.data[k].span, NULL,
                             "this dissipation is not a function of velocities and makes no force");
            rh__build_repair(build, "add the primes: dissipation c*x'^2/2");
        }
    }
}

// A loop index or an argument with the name of something declared hides it.
static void advise_hiding(rh_build *build)
{
    for (uint32_t id = 1; id < build->tree->nodes.count; id++) {
        const rh_ast at = {id};
        const rh_ast_kind kind = rh__tree_kind(build->tree, at);
        const bool is_loop = kind == RH_AST_FOR || kind == RH_AST_SUM;
        const uint32_t count = is_loop                   ? 1
                               : kind == RH_AST_FUNCTION ? rh__tree_node(build->tree, at)->count - 1
                                                         : 0;
        for (uint32_t k = is_loop ? 0 : 1; k < count; k++) {
            const rh_ast_node *name =
                rh__tree_node(build->tree, rh__tree_child(build->tree, at, k));
            const uint32_t hidden = rh__build_find(build, name->text);
            if (hidden == UINT32_MAX ||
                rh__build_entity(build, hidden)->kind == RH_ENTITY_BUILTIN) {
                continue;
            }
            rh__build_report(build, RH_DIAGNOSTIC_W109, name->span, NULL,
                             "the %s %.*s hides the %s of that name",
                             is_loop ? "loop index" : "argument", RH_SLICE_FORMAT(name->text),
                             rh__entity_word(rh__build_entity(build, hidden)->kind));
            rh__build_note(build, rh__build_entity(build, hidden)->span, "declared here");
            rh__build_repair(build, "choose another name");
        }
    }
}

// What start binds needs no guess.
static void advise_guesses(rh_build *build)
{
    const rh_model *model = build->model;
    const rh_mark mark = rh__arena_mark(&build->scratch);
    const uint32_t count = rh__store_count(build->store);
    uint8_t *is_bound = rh__arena_array(&build->scratch, uint8_t, count);
    for (uint32_t k = 0; is_bound != NULL && k < model->starts.count; k++) {
        is_bound[model->starts.data[k].place.i] = 1;
    }
    for (uint32_t k = 0, end = 0; is_bound != NULL && k < model->guesses.count; k = end) {
        const rh_span span = model->guesses.data[k].span;
        bool has_effect = false; // for some members of an array
        for (; end < model->guesses.count && model->guesses.data[end].span.offset == span.offset &&
               model->guesses.data[end].span.size == span.size;
             end++) {
            has_effect = has_effect || is_bound[model->guesses.data[end].place.i] == 0;
        }
        if (!has_effect) {
            rh__build_report(build, RH_DIAGNOSTIC_W110, span, NULL,
                             "`start` binds this already; the guess has no effect");
            rh__build_repair(build, "leave out one of the two");
        }
    }
    rh__arena_rewind(&build->scratch, mark);
}

static void advise_empty(rh_build *build)
{
    const rh_model *model = build->model;
    if (model->coordinates.count == 0 && model->states.count == 0) {
        rh__build_report(build, RH_DIAGNOSTIC_W108, (rh_span){0, 0}, NULL,
                         "nothing moves: the model has no coordinates and no states");
        rh__build_repair(build, "coord x, or state x");
    }
}

void rh__build_advise(rh_build *build)
{
    advise_empty(build);
    advise_unused(build);
    advise_inertia(build);
    advise_constraints(build);
    advise_energies(build);
    advise_hiding(build);
    advise_guesses(build);
}
