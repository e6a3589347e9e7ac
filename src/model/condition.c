// SPDX-License-Identifier: Apache-2.0
// Constraints that come and go. `while` gives the condition; a two-sided constraint that is void on
// one side of a condition, `if(c, g, 0) = 0`, says the same in another form: g = 0 while c. Both
// become a deviation and a condition. Conditions whose surfaces are multiples of each other, as x'
// < 0 and -2*x' <= 0, are read as conditions of the surface that was written first: they change
// together.

#include "model/build.h"

enum { MOST_SPLITS = 32 };

static const rh_scope SCOPE_WHILE = {RH_ROLES_MOTION | RH_ROLE_RATE, "the condition of `while`",
                                     false, false};

typedef struct splitting {
    rh_build *build;
    rh_store *store;
    rh_expr deviation;
    rh_expr condition; // none: always
} splitting;

// As rh__model_through_inputs, before all inputs are read.
static rh_expr read_input(void *user, rh_store *store, rh_expr symbol)
{
    rh_build *build = user;
    for (uint32_t k = 0;
         (rh__expr_mask(store, symbol) & RH_ROLE_INPUT) != 0 && k < build->entities.count; k++) {
        const rh_entity *entity = rh__build_entity(build, k);
        if (entity->kind == RH_ENTITY_INPUT && entity->file == NULL && entity->members.count > 0 &&
            rh__expr_symbol(store, rh__build_family(build, k, 0), 0).i == symbol.i) {
            const rh_value value = rh__build_member(build, k, entity->members.data);
            return value.kind == RH_VALUE_SCALAR ? value.scalar : symbol;
        }
    }
    return symbol;
}

// --- conditions of one surface
// -------------------------------------------------------------------

static rh_expr apply_two(rh_store *store, rh_op op, rh_expr a, rh_expr b)
{
    const rh_expr ab[] = {a, b};
    return rh__expr_apply(store, op, ab, 2);
}

// What `op` says of a surface times 1 or -1.
static rh_expr compare_with_zero(rh_store *store, rh_op op, rh_expr surface, int turn)
{
    const rh_expr zero = rh__expr_integer(store, 0);
    if (op == RH_OP_SIGN) {
        const rh_expr sign = rh__expr_apply(store, RH_OP_SIGN, &surface, 1);
        return turn > 0 ? sign : rh__expr_negate(store, sign);
    }
    return turn > 0 ? apply_two(store, op, surface, zero) : apply_two(store, op, zero, surface);
}

// What `op` says of factor*surface, whatever the sign of the factor is.
static rh_expr compare_multiple(rh_store *store, rh_op op, rh_expr factor, rh_expr surface)
{
    const rh_expr zero = rh__expr_integer(store, 0);
    const rh_expr plus = compare_with_zero(store, op, surface, 1);
    if (rh__expr_is_number(store, factor)) {
        return compare_with_zero(store, op, surface, rh__expr_number_sign(store, factor));
    }
    if (op == RH_OP_SIGN) {
        const rh_expr turn = rh__expr_apply(store, RH_OP_SIGN, &factor, 1);
        return rh__expr_multiply(store, turn, plus);
    }
    const rh_expr minus = compare_with_zero(store, op, surface, -1);
    const rh_expr above = apply_two(store, RH_OP_LESS, zero, factor);
    const rh_expr below = apply_two(store, RH_OP_LESS, factor, zero);
    const rh_expr either = apply_two(store, RH_OP_OR, apply_two(store, RH_OP_AND, above, plus),
                                     apply_two(store, RH_OP_AND, below, minus));
    const rh_expr vanishes = apply_two(store, RH_OP_EQUAL, factor, zero);
    return op == RH_OP_LESS ? either : apply_two(store, RH_OP_OR, vanishes, either);
}

// The multiple of a known surface; as it is written where the factor of that is zero.
static rh_expr compare_known(rh_store *store, rh_op op, const rh_known_surface *known,
                             rh_expr factor, rh_expr written)
{
    const rh_expr ratio = rh__expr_multiply(store, factor, known->factor); // its sign counts
    const rh_expr same = compare_multiple(store, op, ratio, known->surface);
    if (rh__expr_is_number(store, known->factor)) {
        return same;
    }
    const rh_expr lost = apply_two(store, RH_OP_EQUAL, known->factor, rh__expr_integer(store, 0));
    if (op == RH_OP_SIGN) {
        return rh__expr_if(store, lost, written, same);
    }
    const rh_expr kept = rh__expr_apply(store, RH_OP_NOT, &lost, 1);
    return apply_two(store, RH_OP_OR, apply_two(store, RH_OP_AND, lost, written),
                     apply_two(store, RH_OP_AND, kept, same));
}

static bool is_comparison(rh_op op)
{
    return op == RH_OP_SIGN || op == RH_OP_LESS || op == RH_OP_LESS_EQUAL || op == RH_OP_EQUAL;
}

// A condition of a surface that was written before as a multiple of its own is one of that surface.
static rh_expr unify(rh_build *build, rh_op op, rh_expr written)
{
    rh_store *store = build->store;
    rh_expr core = RH_EXPR_NONE;
    rh_expr factor = RH_EXPR_NONE;
    const bool is_condition =
        written.i != 0 && is_comparison(op) && rh__expr_op(store, written) == op;
    const rh_expr surface = is_condition ? rh__expr_surface(store, written) : RH_EXPR_NONE;
    if (surface.i == 0 || !rh__expr_surface_split(store, surface, &core, &factor)) {
        return written;
    }
    const uint32_t known = rh__marks_get(&build->surface_of, core);
    if (known == 0) {
        const rh_known_surface first = {surface, factor};
        if (rh__array_push(build->arena, &build->surfaces, first)) {
            rh__marks_set(build, &build->surface_of, core, build->surfaces.count);
        }
        return written;
    }
    const rh_known_surface *first = &build->surfaces.data[known - 1];
    const bool is_same =
        first->surface.i == surface.i || first->surface.i == rh__expr_negate(store, surface).i;
    return is_same ? written : compare_known(store, op, first, factor, written);
}

rh_expr rh__build_condition(rh_build *build, rh_op op, const rh_expr *arguments, uint32_t count)
{
    rh_store *store = build->store;
    rh_expr whole[2] = {RH_EXPR_NONE, RH_EXPR_NONE};
    RH_ASSERT(count <= 2);
    for (uint32_t k = 0; k < count; k++) {
        const bool has_input =
            arguments[k].i != 0 && (rh__expr_mask(store, arguments[k]) & RH_ROLE_INPUT) != 0;
        whole[k] =
            has_input ? rh__expr_substitute(store, arguments[k], read_input, build) : arguments[k];
    }
    const rh_expr plain = rh__expr_apply(store, op, whole, count);
    const rh_expr split = rh__expr_unnest(store, op, whole, count, &build->scratch);
    // without conditions in it an input keeps its name
    return split.i != plain.i ? split
                              : unify(build, op, rh__expr_apply(store, op, arguments, count));
}

static bool is_choice(rh_op op)
{
    return op == RH_OP_IF || op == RH_OP_SIGN || op == RH_OP_ABS || op == RH_OP_MIN ||
           op == RH_OP_MAX;
}

static bool has_choices(splitting *in, rh_expr e)
{
    rh_expr_list parts = {0};
    const rh_mark mark = rh__arena_mark(&in->build->scratch);
    bool found = !rh__expr_reach(in->store, &e, 1, &in->build->scratch, &parts);
    for (uint32_t k = 0; !found && k < parts.count; k++) {
        found = is_choice(rh__expr_op(in->store, parts.data[k]));
    }
    rh__arena_rewind(&in->build->scratch, mark);
    return found;
}

// Zero whatever the conditions left in it say. Random points may lie all on one side of those.
static bool is_void(splitting *in, rh_expr e)
{
    if (e.i == 0 || rh__expr_is_zero(in->store, e)) {
        return e.i != 0;
    }
    const rh_mark mark = rh__arena_mark(&in->build->scratch);
    const bool result =
        !has_choices(in, e) &&
        rh__expr_vanishes(in->store, e, rh__values_parameter, &in->build->model->values,
                          &in->build->scratch) != RH_VANISHING_NO;
    rh__arena_rewind(&in->build->scratch, mark);
    return result;
}

// A choice between two. The border of a function belongs to neither, that of an `if` to one.
typedef struct choice {
    rh_expr part;          // what is replaced
    rh_expr first, second; // what stands in its place
    rh_expr is_first, is_second;
} choice;

static rh_expr less(rh_store *store, rh_expr a, rh_expr b)
{
    const rh_expr ab[] = {a, b};
    return rh__expr_apply(store, RH_OP_LESS, ab, 2);
}

static choice choice_of(rh_store *store, rh_expr e)
{
    const rh_expr zero = rh__expr_integer(store, 0);
    const rh_expr one = rh__expr_integer(store, 1);
    const rh_expr a = rh__expr_argument(store, e, 0);
    const rh_op op = rh__expr_op(store, e);
    if (op == RH_OP_IF) {
        return (choice){a, one, zero, a, rh__expr_apply(store, RH_OP_NOT, &a, 1)};
    }
    if (op == RH_OP_SIGN) {
        const rh_expr minus = rh__expr_integer(store, -1);
        return (choice){e, one, minus, less(store, zero, a), less(store, a, zero)};
    }
    if (op == RH_OP_ABS) {
        const rh_expr minus = rh__expr_negate(store, a);
        return (choice){e, a, minus, less(store, zero, a), less(store, a, zero)};
    }
    const rh_expr b = rh__expr_argument(store, e, 1);
    return op == RH_OP_MAX ? (choice){e, a, b, less(store, b, a), less(store, a, b)}
                           : (choice){e, a, b, less(store, a, b), less(store, b, a)};
}

static rh_expr apply_and(rh_store *store, rh_expr a, rh_expr b)
{
    const rh_expr ab[] = {a, b};
    return a.i == 0 ? b : rh__expr_apply(store, RH_OP_AND, ab, 2);
}

// Is the deviation void on one side of this choice? Then it is that of the other side.
static bool split_by(splitting *in, rh_expr e)
{
    rh_store *store = in->store;
    const choice it = choice_of(store, e);
    const rh_expr first = rh__expr_replace(store, in->deviation, it.part, it.first);
    const rh_expr second = rh__expr_replace(store, in->deviation, it.part, it.second);
    const bool is_first = is_void(in, second);
    if (first.i == 0 || second.i == 0 || is_first == is_void(in, first)) {
        return false;
    }
    in->deviation = is_first ? first : second;
    in->condition = apply_and(store, in->condition, is_first ? it.is_first : it.is_second);
    return in->condition.i != 0;
}

// The outermost choice that makes the deviation void.
static bool split_once(splitting *in)
{
    rh_expr_list parts = {0};
    const rh_mark mark = rh__arena_mark(&in->build->scratch);
    bool is_split = false;
    if (rh__expr_reach(in->store, &in->deviation, 1, &in->build->scratch, &parts)) {
        for (uint32_t k = parts.count; !is_split && k-- > 0;) {
            is_split =
                is_choice(rh__expr_op(in->store, parts.data[k])) && split_by(in, parts.data[k]);
        }
    }
    rh__arena_rewind(&in->build->scratch, mark);
    return is_split;
}

void rh__build_split(rh_build *build, rh_constraint *constraint)
{
    rh_store *store = build->store;
    splitting in = {.build = build, .store = store, .deviation = constraint->deviation};
    in.deviation = (rh__expr_mask(store, in.deviation) & RH_ROLE_INPUT) != 0
                       ? rh__model_through_inputs(build->model, in.deviation)
                       : in.deviation;
    if (in.deviation.i == 0 || !has_choices(&in, in.deviation)) {
        return;
    }
    for (uint32_t k = 0; k < MOST_SPLITS && split_once(&in); k++) {
    }
    if (in.condition.i != 0) {
        constraint->deviation = in.deviation;
        constraint->condition = apply_and(store, constraint->condition, in.condition);
    }
}

void rh__build_while(rh_build *build, rh_constraint *constraint, rh_code clause)
{
    if (clause.at.i == 0) {
        return;
    }
    const rh_value value = rh__build_lower(build, rh__code_child(clause, 0), &SCOPE_WHILE);
    if (value.kind != RH_VALUE_CONDITION) {
        return; // said
    }
    const rh_expr condition = rh__build_without_rates(build, value.scalar);
    const bool is_always = condition.i != 0 && rh__expr_is_number(build->store, condition) &&
                           !rh__expr_is_zero(build->store, condition);
    constraint->condition = is_always ? RH_EXPR_NONE : condition;
}

// What can come and go: two-sided constraints on coordinates whose reaction is found, not given,
// and no state.
void rh__build_check_condition(rh_build *build, const rh_constraint *constraint, rh_code clause)
{
    const char *why = constraint->condition.i == 0 ? NULL
                      : constraint->is_one_sided   ? "a one-sided constraint"
                      : constraint->kind == RH_KIND_RESTRICTION
                          ? "a restriction on states: they would have to jump"
                      : constraint->multiplier_rate.i != 0
                          ? "a constraint of type II, whose multiplier is a state"
                      : constraint->by == RH_BY_FRICTION ? "a constraint `by friction`"
                      : constraint->by == RH_BY_REACTION ? "a constraint `by reaction`"
                                                         : NULL;
    if (why == NULL) {
        return;
    }
    const rh_span span = clause.at.i != 0 ? rh__code_span(clause) : constraint->row.span;
    rh__build_report(build, RH_DIAGNOSTIC_E337, span, clause.env,
                     "%.*s comes and goes by a condition; that is not possible for %s",
                     RH_SLICE_FORMAT(constraint->row.name), why);
    rh__build_repair(build, constraint->is_one_sided
                                ? "leave `while` out; put the condition into the bound or write "
                                  "two models"
                            : constraint->by == RH_BY_FRICTION || constraint->by == RH_BY_REACTION
                                ? "put the condition into the reaction: if(CONDITION, ..., 0)"
                                : "write the constraint `by ideal` or `by servo`");
}
