// SPDX-License-Identifier: Apache-2.0
// Scalars, vectors and matrices of expressions. A matrix made of elementary rotations remembers
// them, because the angular velocity of Rz(a)*Rx(b) is short when it is built from its turns and
// long when it is differentiated.

#include "model/build.h"

rh_value rh__value_scalar(rh_expr e)
{
    return e.i == 0 ? rh__value_bad()
                    : (rh_value){.kind = RH_VALUE_SCALAR, .rows = 1, .columns = 1, .scalar = e};
}

rh_value rh__value_bad(void)
{
    return (rh_value){.kind = RH_VALUE_BAD};
}

const char *rh__value_text(rh_build *build, rh_value value)
{
    switch (value.kind) {
    case RH_VALUE_SCALAR:
        return "a number";
    case RH_VALUE_VECTOR:
        return rh__text_print(build->arena, "a vector of %u", value.rows);
    case RH_VALUE_MATRIX:
        return rh__text_print(build->arena, "a %ux%u matrix", value.rows, value.columns);
    case RH_VALUE_CONDITION:
        return "a condition";
    case RH_VALUE_BAD:
        break;
    }
    return "nothing";
}

uint32_t rh__value_count(rh_value value)
{
    return value.kind == RH_VALUE_BAD      ? 0
           : value.kind == RH_VALUE_VECTOR ? value.rows
           : value.kind == RH_VALUE_MATRIX ? value.rows * value.columns
                                           : 1;
}

rh_expr rh__value_item(rh_value value, uint32_t k)
{
    RH_ASSERT(k < rh__value_count(value));
    return value.items == NULL ? value.scalar : value.items[k];
}

rh_value rh__value_make(rh_build *build, rh_value_kind kind, uint32_t rows, uint32_t columns,
                        rh_expr **out_items)
{
    RH_ASSERT(kind == RH_VALUE_VECTOR || kind == RH_VALUE_MATRIX);
    *out_items = rh__arena_array(build->arena, rh_expr, (size_t)rows * columns);
    if (*out_items == NULL) {
        rh__build_stop(build);
        return rh__value_bad();
    }
    return (rh_value){.kind = kind, .rows = rows, .columns = columns, .items = *out_items};
}

static bool is_tensor(rh_value value)
{
    return value.kind == RH_VALUE_VECTOR || value.kind == RH_VALUE_MATRIX;
}

rh_value rh__value_scale(rh_build *build, rh_value value, rh_expr factor)
{
    if (value.kind == RH_VALUE_SCALAR) {
        return rh__value_scalar(rh__expr_multiply(build->store, value.scalar, factor));
    }
    rh_expr *items = NULL;
    const rh_value result =
        is_tensor(value) ? rh__value_make(build, value.kind, value.rows, value.columns, &items)
                         : rh__value_bad();
    for (uint32_t k = 0; k < rh__value_count(result); k++) {
        items[k] = rh__expr_multiply(build->store, value.items[k], factor);
    }
    return result;
}

rh_value rh__value_add(rh_build *build, rh_value a, rh_value b)
{
    if (a.kind == RH_VALUE_SCALAR && b.kind == RH_VALUE_SCALAR) {
        return rh__value_scalar(rh__expr_add(build->store, a.scalar, b.scalar));
    }
    // an empty sum is the number 0 and adds to anything
    if (a.kind == RH_VALUE_SCALAR && is_tensor(b) && rh__expr_is_zero(build->store, a.scalar)) {
        return b;
    }
    if (b.kind == RH_VALUE_SCALAR && is_tensor(a) && rh__expr_is_zero(build->store, b.scalar)) {
        return a;
    }
    if (!is_tensor(a) || a.kind != b.kind || a.rows != b.rows || a.columns != b.columns) {
        return rh__value_bad();
    }
    rh_expr *items = NULL;
    const rh_value result = rh__value_make(build, a.kind, a.rows, a.columns, &items);
    for (uint32_t k = 0; k < rh__value_count(result); k++) {
        items[k] = rh__expr_add(build->store, a.items[k], b.items[k]);
    }
    return result;
}

static rh_expr dot_strided(rh_build *build, const rh_expr *a, uint32_t stride_a, const rh_expr *b,
                           uint32_t stride_b, uint32_t count)
{
    RH_ASSERT(stride_a > 0 && stride_b > 0);
    rh_expr *terms = rh__arena_array(build->arena, rh_expr, count);
    if (terms == NULL) {
        rh__build_stop(build);
        return RH_EXPR_NONE;
    }
    for (uint32_t k = 0; k < count; k++) {
        terms[k] =
            rh__expr_multiply(build->store, a[(size_t)k * stride_a], b[(size_t)k * stride_b]);
    }
    return rh__expr_sum(build->store, terms, count);
}

// The turns of a product are those of its factors in order.
static void join_turns(rh_build *build, rh_value a, rh_value b, rh_value *out)
{
    RH_ASSERT(out->kind == RH_VALUE_MATRIX && out->rows == 3 && out->columns == 3);
    const uint32_t count = a.turn_count + b.turn_count;
    rh_turn *turns = rh__arena_array(build->arena, rh_turn, count);
    if (turns == NULL) {
        rh__build_stop(build);
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        turns[k] = k < a.turn_count ? a.turns[k] : b.turns[k - a.turn_count];
    }
    out->turns = turns;
    out->turn_count = count;
}

rh_value rh__value_multiply(rh_build *build, rh_value a, rh_value b)
{
    if (a.kind == RH_VALUE_SCALAR) {
        return rh__value_scale(build, b, a.scalar);
    }
    if (b.kind == RH_VALUE_SCALAR) {
        return rh__value_scale(build, a, b.scalar);
    }
    if (a.kind != RH_VALUE_MATRIX || !is_tensor(b) || a.columns != b.rows) {
        return rh__value_bad();
    }
    const uint32_t columns = b.kind == RH_VALUE_VECTOR ? 1 : b.columns;
    build->steps += (uint64_t)a.rows * a.columns * columns;
    rh_expr *items = NULL;
    rh_value result = rh__value_make(build, b.kind, a.rows, columns, &items);
    for (uint32_t k = 0; k < rh__value_count(result); k++) {
        items[k] = dot_strided(build, a.items + (size_t)(k / columns) * a.columns, 1,
                               b.items + k % columns, columns, a.columns);
    }
    if (result.kind == RH_VALUE_MATRIX && a.turns != NULL && b.turns != NULL) {
        join_turns(build, a, b, &result);
    }
    return result;
}

rh_value rh__value_transpose(rh_build *build, rh_value value)
{
    if (value.kind != RH_VALUE_MATRIX) {
        return rh__value_bad();
    }
    rh_expr *items = NULL;
    rh_value result = rh__value_make(build, RH_VALUE_MATRIX, value.columns, value.rows, &items);
    for (uint32_t k = 0; k < rh__value_count(result); k++) {
        items[k] = value.items[(size_t)(k % value.rows) * value.columns + k / value.rows];
    }
    // the transpose of a rotation turns back, the last turn first
    if (value.turns != NULL && result.kind == RH_VALUE_MATRIX) {
        rh_turn *turns = rh__arena_array(build->arena, rh_turn, value.turn_count);
        for (uint32_t k = 0; turns != NULL && k < value.turn_count; k++) {
            const rh_turn turn = value.turns[value.turn_count - 1 - k];
            turns[k] = (rh_turn){turn.axis, rh__expr_negate(build->store, turn.angle)};
        }
        result.turns = turns;
        result.turn_count = turns == NULL ? 0 : value.turn_count;
    }
    return result;
}

rh_value rh__value_dot(rh_build *build, rh_value a, rh_value b)
{
    if (a.kind != RH_VALUE_VECTOR || b.kind != RH_VALUE_VECTOR || a.rows != b.rows) {
        return rh__value_bad();
    }
    return rh__value_scalar(dot_strided(build, a.items, 1, b.items, 1, a.rows));
}

rh_value rh__value_cross(rh_build *build, rh_value a, rh_value b)
{
    if (a.kind != RH_VALUE_VECTOR || b.kind != RH_VALUE_VECTOR || a.rows != 3 || b.rows != 3) {
        return rh__value_bad();
    }
    rh_store *store = build->store;
    rh_expr *items = NULL;
    const rh_value result = rh__value_make(build, RH_VALUE_VECTOR, 3, 1, &items);
    for (uint32_t k = 0; k < rh__value_count(result); k++) {
        const uint32_t i = (k + 1) % 3;
        const uint32_t j = (k + 2) % 3;
        items[k] = rh__expr_subtract(store, rh__expr_multiply(store, a.items[i], b.items[j]),
                                     rh__expr_multiply(store, a.items[j], b.items[i]));
    }
    return result;
}

// Active rotation about a coordinate axis: rotz(a) takes e_x to (cos a, sin a, 0).
rh_value rh__value_rotation(rh_build *build, uint32_t axis, rh_expr angle)
{
    RH_ASSERT(axis < 3);
    rh_store *store = build->store;
    rh_expr *items = NULL;
    rh_value result = rh__value_make(build, RH_VALUE_MATRIX, 3, 3, &items);
    rh_turn *turn = rh__arena_new(build->arena, rh_turn);
    if (result.kind == RH_VALUE_BAD || turn == NULL) {
        rh__build_stop(build);
        return rh__value_bad();
    }
    const rh_expr sine = rh__expr_apply(store, RH_OP_SIN, &angle, 1);
    const rh_expr cosine = rh__expr_apply(store, RH_OP_COS, &angle, 1);
    const uint32_t i = (axis + 1) % 3;
    const uint32_t j = (axis + 2) % 3;
    for (uint32_t k = 0; k < 9; k++) {
        items[k] = rh__expr_integer(store, k == 4 * axis);
    }
    items[3 * i + i] = cosine;
    items[3 * i + j] = rh__expr_negate(store, sine);
    items[3 * j + i] = sine;
    items[3 * j + j] = cosine;
    *turn = (rh_turn){axis, angle};
    result.turns = turn;
    result.turn_count = 1;
    return result;
}

// --- spin ------------------------------------------------------------------------------------

// Of R = R1*R2*...: the sum of (later turns)^T * axis * angle'.
static rh_value spin_of_turns(rh_build *build, rh_value rotation, rh_span span, const rh_env *env)
{
    rh_store *store = build->store;
    rh_value spin = rh__value_scalar(rh__expr_integer(store, 0));
    rh_value later = rh__value_bad();
    for (uint32_t k = rotation.turn_count; k-- > 0;) {
        const rh_turn turn = rotation.turns[k];
        RH_ASSERT(turn.axis < 3);
        const rh_value angle = rh__value_scalar(turn.angle);
        const rh_value rate = rh__build_derivative(build, angle, 1, span, env);
        if (rate.kind == RH_VALUE_BAD) {
            return rate;
        }
        rh_expr *items = NULL;
        rh_value part = rh__value_make(build, RH_VALUE_VECTOR, 3, 1, &items);
        for (uint32_t d = 0; d < rh__value_count(part); d++) {
            items[d] = d == turn.axis ? rate.scalar : rh__expr_integer(store, 0);
        }
        if (later.kind == RH_VALUE_MATRIX) {
            part = rh__value_multiply(build, rh__value_transpose(build, later), part);
        }
        spin = rh__value_add(build, spin, part);
        if (k > 0) {
            const rh_value here = rh__value_rotation(build, turn.axis, turn.angle);
            later = later.kind == RH_VALUE_MATRIX ? rh__value_multiply(build, here, later) : here;
        }
    }
    return spin;
}

bool rh__value_is_rotation(rh_build *build, rh_value value)
{
    if (value.kind != RH_VALUE_MATRIX || value.rows != 3 || value.columns != 3) {
        return false;
    }
    if (value.turns != NULL) {
        return true;
    }
    const rh_value square = rh__value_multiply(build, rh__value_transpose(build, value), value);
    for (uint32_t k = 0; k < rh__value_count(square); k++) {
        const rh_expr unit = rh__expr_integer(build->store, k % 4 == 0);
        const rh_expr error = rh__expr_subtract(build->store, square.items[k], unit);
        if (error.i == 0 ||
            rh__expr_vanishes(build->store, error, rh__values_parameter, &build->model->values,
                              &build->scratch) == RH_VANISHING_NO) {
            return false;
        }
    }
    return square.kind == RH_VALUE_MATRIX;
}

// In general the vector of the antisymmetric matrix R^T R'.
rh_value rh__value_spin(rh_build *build, rh_value rotation, rh_span span, const rh_env *env)
{
    if (rotation.kind != RH_VALUE_MATRIX || rotation.rows != 3 || rotation.columns != 3) {
        return rh__value_bad();
    }
    if (rotation.turns != NULL) {
        return spin_of_turns(build, rotation, span, env);
    }
    if (!rh__value_is_rotation(build, rotation)) {
        return rh__value_bad();
    }
    const rh_value rate = rh__build_derivative(build, rotation, 1, span, env);
    const rh_value turn = rh__value_multiply(build, rh__value_transpose(build, rotation), rate);
    rh_expr *items = NULL;
    const rh_value spin =
        turn.items == NULL ? rh__value_bad() : rh__value_make(build, RH_VALUE_VECTOR, 3, 1, &items);
    RH_ASSERT(spin.kind == RH_VALUE_BAD || (turn.rows == 3 && turn.columns == 3));
    for (uint32_t k = 0; k < rh__value_count(spin); k++) {
        items[k] = turn.items[3 * ((k + 2) % 3) + (k + 1) % 3];
    }
    return spin;
}
