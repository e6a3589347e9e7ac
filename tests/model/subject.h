// SPDX-License-Identifier: Apache-2.0
// What the tests of `model` share: models made from C strings, points at which every symbol has a
// value that depends on its name only (so that two models, or a model and a formula in C, can be
// compared), and values of the expressions of a model at such points.

#pragma once

#include "support.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- points --------------------------------------------------------------------------------------

/// Values for symbols: 0.3 to 1.7, by the hash of the name as the language spells it, for example
/// x[3]'. With `of` parameters take the value of their default.
typedef struct point {
    uint64_t seed;
    const rh_model *of;
} point;

static inline point random_point(support_random *random)
{
    return (point){.seed = support_random_bits(random)};
}

static inline double at(const point *where, const char *name)
{
    const uint64_t bits = rh__hash_mix(rh__hash_bytes(name, strlen(name), where->seed));
    return 0.3 + 1.4 * ((double)(bits >> 11) * 0x1p-53);
}

/// The value of a member, for example of x[3]' by ("x", 3, "'").
static inline double at_member(const point *where, const char *name, int index, const char *primes)
{
    char full[64];
    (void)snprintf(full, sizeof full, "%s[%d]%s", name, index, primes);
    return at(where, full);
}

static inline double point_value(const void *user, const rh_store *store, rh_expr symbol)
{
    const point *where = user;
    char name[256];
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_text text = rh__text_begin(&arena, NULL);
    rh__family_show(store, rh__expr_family(store, symbol), rh__expr_member(store, symbol), &text);
    (void)snprintf(name, sizeof name, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
    rh__arena_end(&arena);
    const bool is_given = where->of != NULL && (rh__expr_mask(store, symbol) & RH_ROLE_PARAM) != 0;
    return is_given ? rh__values_parameter(&where->of->values, store, symbol) : at(where, name);
}

// --- models --------------------------------------------------------------------------------------

typedef struct settings {
    const char *set, *start; // one --set, one --start; NULL: none
} settings;

static inline rh_status create_model(const char *text, settings with, rh_model **out)
{
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    def.set = &with.set;
    def.set_count = with.set != NULL;
    def.start = &with.start;
    def.start_count = with.start != NULL;
    return rh_model_create(&def, out, NULL);
}

static inline void print_remarks(const rh_model *model)
{
    for (size_t k = 0; k < rh_model_diagnostic_count(model); k++) {
        const rh_diagnostic remark = rh_model_diagnostic(model, k);
        print_error("%u:%u: %s: %s\n", remark.at.line, remark.at.column, remark.code,
                    remark.message);
    }
}

/// A sound model; fails the test when it has errors.
static inline rh_model *make_with(const char *text, settings with)
{
    rh_model *model = NULL;
    if (create_model(text, with, &model) != RH_OK) {
        print_remarks(model);
        print_error("in:\n%s\n", text);
        rh_model_destroy(model);
        fail();
    }
    return model;
}

static inline rh_model *make(const char *text)
{
    return make_with(text, (settings){NULL, NULL});
}

/// Does the model have a remark whose code begins like this?
static inline bool has_remark(const rh_model *model, const char *code)
{
    bool found = false;
    for (size_t k = 0; k < rh_model_diagnostic_count(model); k++) {
        found = found || strncmp(rh_model_diagnostic(model, k).code, code, strlen(code)) == 0;
    }
    return found;
}

static inline void refuse_with(const char *text, settings with, const char *code)
{
    rh_model *model = NULL;
    const rh_status status = create_model(text, with, &model);
    const bool is_refused = status == RH_E_MODEL && has_remark(model, code);
    if (!is_refused) {
        print_remarks(model);
        print_error("expected %s, in:\n%s\n", code, text);
    }
    rh_model_destroy(model);
    assert_true(is_refused);
}

/// The text must be refused with this code, among others; "E" is any error.
static inline void refuse(const char *text, const char *code)
{
    refuse_with(text, (settings){NULL, NULL}, code);
}

// --- expressions of a model ----------------------------------------------------------------------

static inline double value_of(const rh_model *model, rh_expr e, const point *where)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    double value = NAN;
    point copy = *where;
    assert_int_not_equal(e.i, 0);
    assert_true(rh__expr_values(model->store, &e, 1, point_value, &copy, &scratch, &value));
    rh__arena_end(&scratch);
    return value;
}

/// A text of the expression without named parts, or with names and then `*out_has_parts`; the
/// caller frees it.
static inline char *show_expr(const rh_model *model, rh_expr e, bool *out_has_parts)
{
    rh_arena scratch = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    const rh_show *show = rh__show_create(model->store, &scratch, RH_NOTATION_TEXT, &e, 1);
    assert_non_null(show);
    rh_text text = rh__text_begin(&scratch, NULL);
    rh__show_expr(show, e, &text);
    assert_true(text.ok);
    char *copy = calloc(text.size + 1, 1);
    assert_non_null(copy);
    memcpy(copy, text.data, text.size);
    *out_has_parts = rh__show_part_count(show) > 0;
    rh__arena_end(&scratch);
    return copy;
}

/// Is the expression shown as this text?
static inline bool is_shown(const rh_model *model, rh_expr e, const char *expected)
{
    if (e.i == 0) {
        return strcmp(expected, "none") == 0;
    }
    bool has_parts = false;
    char *text = show_expr(model, e, &has_parts);
    const bool is_same = strcmp(text, expected) == 0;
    if (!is_same) {
        print_error("shown as %s, expected %s\n", text, expected);
    }
    free(text);
    return is_same;
}

#define assert_shown(model, e, expected) assert_true(is_shown((model), (e), (expected)))

/// The value of the column `observe NAME = ...`.
static inline rh_expr observed(const rh_model *model, const char *name)
{
    for (uint32_t k = 0; k < model->observes.count; k++) {
        if (strcmp(model->observes.data[k].name, name) == 0) {
            return model->observes.data[k].value;
        }
    }
    fail_msg("%s is not observed", name);
    return RH_EXPR_NONE;
}

/// Does the expression have the values of the column `name`, at a few points?
static inline void expect_observed(const rh_model *model, rh_expr e, const char *name,
                                   const char *file, int line)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const point where = {.seed = seed};
        support_near(value_of(model, e, &where), value_of(model, observed(model, name), &where),
                     1e-12, 1e-12, name, file, line);
    }
}

#define assert_means(model, e, name) expect_observed((model), (e), (name), __FILE__, __LINE__)

static inline const rh_constraint *find_constraint(const rh_model *model, const char *name,
                                                   uint32_t member)
{
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        const rh_row *row = &model->constraints.data[k].row;
        if (rh__slice_is(row->name, name) && row->member == member) {
            return &model->constraints.data[k];
        }
    }
    fail_msg("there is no constraint %s", name);
    return NULL;
}

// --- texts in terms of declarations --------------------------------------------------------------

/// Declarations and a random point: what the values of texts are compared with.
typedef struct subject {
    const char *text; // declarations, each line ended
    settings with;
    point where;
} subject;

static inline double here(const subject *on, const char *name)
{
    return at(&on->where, name);
}

/// The model of the declarations with `observe value = TEXT`; the caller destroys it.
static inline rh_model *observe_text(const subject *on, const char *text)
{
    const size_t size = strlen(on->text) + strlen(text) + 32;
    char *full = calloc(size, 1);
    assert_non_null(full);
    (void)snprintf(full, size, "%sobserve value_ = %s\n", on->text, text);
    rh_model *model = make_with(full, on->with);
    free(full);
    return model;
}

static inline void expect_items(const subject *on, const char *text, const double *expected,
                                uint32_t count, double tolerance, const char *file, int line)
{
    rh_model *model = observe_text(on, text);
    if (model->observes.count < count) {
        print_error("%s has %u components, expected %u\n", text, model->observes.count, count);
        _fail(file, line);
    }
    // the declarations may observe something too: the text comes last
    const uint32_t first = model->observes.count - count;
    for (uint32_t k = 0; k < count; k++) {
        point copy = on->where;
        copy.of = on->where.of != NULL ? model : NULL;
        const double value = value_of(model, model->observes.data[first + k].value, &copy);
        support_near(value, expected[k], tolerance, tolerance, text, file, line);
    }
    rh_model_destroy(model);
}

/// The text has this value, to 1e-12.
#define expect(on, text, expected)                                                                 \
    expect_items((on), (text), (const double[]){expected}, 1, 1e-12, __FILE__, __LINE__)

/// The text is a vector with these components.
#define expect_vector(on, text, ...)                                                               \
    expect_items((on), (text), (const double[]){__VA_ARGS__},                                      \
                 (uint32_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), 1e-12,        \
                 __FILE__, __LINE__)

/// Is the text exactly this rational number?
static inline bool is_exactly(const subject *on, const char *text, int64_t above, int64_t below)
{
    rh_model *model = observe_text(on, text);
    const rh_expr value = model->observes.data[model->observes.count - 1].value;
    const bool is_same = value.i == rh__expr_ratio(model->store, above, below).i;
    rh_model_destroy(model);
    return is_same;
}

/// Do both texts give one and the same expression, in a model of the declarations?
static inline bool is_identical(const subject *on, const char *first, const char *second)
{
    char full[4096];
    const int size = snprintf(full, sizeof full, "%sobserve first_ = %s\nobserve second_ = %s\n",
                              on->text, first, second);
    assert_true(size > 0 && (size_t)size < sizeof full);
    rh_model *model = make_with(full, on->with);
    const uint32_t count = model->observes.count;
    const bool is_same =
        model->observes.data[count - 2].value.i == model->observes.data[count - 1].value.i;
    rh_model_destroy(model);
    return is_same;
}
