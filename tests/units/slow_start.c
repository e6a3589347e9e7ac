// SPDX-License-Identifier: Apache-2.0
// The start of a motion is the same to the last bit in units that differ by powers of two, and the
// form that is integrated is the same text in all units.

#include "rewrite.h"

#include "equations/equations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Coordinates, velocities and states at the start.
typedef struct found_start {
    rh_status status;
    bool is_consistent;
    uint32_t count, moved_count;
    double values[512];
    char names[512][64];
    char *form; // unknowns, matrix and right sides of the reduced form
} found_start;

static void take_values(const rh_equations *equations, const rh_start *start, found_start *out)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4);
    const rh_layout *layout = start->point.layout;
    const uint32_t roles = RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE;
    for (uint32_t k = 0; k < layout->symbols.count && out->count < 512; k++) {
        const rh_expr symbol = layout->symbols.data[k];
        if ((rh__expr_mask(equations->store, symbol) & roles) == 0) {
            continue;
        }
        rh_text text = rh__text_begin(&arena, NULL);
        rh__family_show(equations->store, rh__expr_family(equations->store, symbol),
                        rh__expr_member(equations->store, symbol), &text);
        const rh_slice name = rh__text_slice(&text);
        (void)snprintf(out->names[out->count], sizeof *out->names, "%.*s", (int)name.size,
                       name.data);
        out->values[out->count++] = start->point.values[k];
    }
    out->is_consistent = start->is_consistent;
    out->moved_count = start->moved.count;
    rh__arena_end(&arena);
}

static void put_form(rh_equations *equations, found_start *out)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4);
    rh_text text = rh__text_begin(&arena, NULL);
    rh_form form;
    rh_error err;
    if (rh__form_create(equations, RH_FORM_REDUCED, &arena, &form, &err) == RH_OK) {
        rh_show *show = rh__show_create(equations->store, &arena, RH_NOTATION_TEXT, NULL, 0);
        for (uint32_t k = 0; k < form.unknowns.count; k++) {
            rh__show_expr(show, form.unknowns.data[k], &text);
            rh__text_put(&text, " | ");
        }
        for (uint32_t k = 0; k < form.matrix.entries.count; k++) {
            rh__show_expr(show, form.matrix.entries.data[k].value, &text);
            rh__text_put(&text, "\n");
        }
        for (uint32_t k = 0; k < form.unknowns.count; k++) {
            rh__show_expr(show, form.right[k], &text);
            rh__text_put(&text, "\n");
        }
    }
    const rh_slice all = rh__text_slice(&text);
    out->form = calloc(all.size + 1, 1);
    assert_non_null(out->form);
    memcpy(out->form, all.data, all.size);
    rh__arena_end(&arena);
}

static void find_start(const char *text, found_start *out)
{
    *out = (found_start){.status = RH_OK};
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_error err;
    rh_model_def def = rh_model_def_default();
    def.text = text;
    def.text_size = strlen(text);
    out->status = rh_model_create(&def, &model, &err);
    const rh_equations_def derive = rh_equations_def_default();
    if (out->status == RH_OK) {
        out->status = rh_equations_create(model, &derive, &equations, &err);
    }
    if (out->status == RH_OK) {
        rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 4);
        rh_diagnostics list = rh__diagnostics_begin(&arena);
        rh_layout layout;
        rh_start start;
        assert_int_equal(rh__layout_create(equations, &arena, &layout), RH_OK);
        assert_int_equal(rh__start_find(equations, &layout, &arena, &list, &start), RH_OK);
        take_values(equations, &start, out);
        put_form(equations, out);
        rh__arena_end(&arena);
    }
    rh_equations_destroy(equations);
    rh_model_destroy(model);
}

static double factor_of(const units_text *it, const units_change *change, const char *name)
{
    return strchr(name, '\'') != NULL ? units_of_velocity(it, change, name)
                                      : units_of_named(it, change, name);
}

// How many things differ; the first of them is told.
static uint32_t compare(const units_text *it, const units_change *change, const char *path,
                        const found_start *plain, const found_start *other)
{
    uint32_t count = 0;
    if (plain->status != other->status || plain->is_consistent != other->is_consistent ||
        plain->moved_count != other->moved_count || plain->count != other->count) {
        print_error("%s, %s^%d: status %d %d, consistent %d %d, moved %u %u, %u of %u\n", path,
                    units_kind_word(change->kind), change->power, (int)plain->status,
                    (int)other->status, plain->is_consistent, other->is_consistent,
                    plain->moved_count, other->moved_count, other->count, plain->count);
        return 1;
    }
    if (plain->form != NULL && strcmp(plain->form, other->form) != 0) {
        size_t at = 0;
        while (plain->form[at] == other->form[at]) {
            at++;
        }
        at = at > 40 ? at - 40 : 0;
        print_error("%s, %s^%d: the form has %.100s, was %.100s\n", path,
                    units_kind_word(change->kind), change->power, other->form + at,
                    plain->form + at);
        count++;
    }
    for (uint32_t k = 0; k < plain->count; k++) {
        const double value = other->values[k] / factor_of(it, change, plain->names[k]);
        const bool is_same = value == plain->values[k] || isnan(plain->values[k]);
        if (!is_same && count++ == 0) {
            print_error("%s, %s^%d: %s is %.17g, was %.17g\n", path, units_kind_word(change->kind),
                        change->power, plain->names[k], value, plain->values[k]);
        }
    }
    return count;
}

static uint32_t compare_all(const char *path)
{
    static units_text it;
    static found_start plain, other;
    static const units_change NONE = {.kind = UNITS_TIME, .base = 1, .under = 1};
    uint32_t count = 0;
    if (units_begin(&it, path)) {
        char *text = units_write(&it, &NONE);
        find_start(text, &plain);
        free(text);
        for (uint32_t k = 0; k < 2 * UNITS_KIND_COUNT; k++) {
            const units_change change = {
                .kind = (units_kind)(k / 2), .base = 2, .under = 1, .power = k % 2 == 0 ? 30 : -30};
            if (units_applies(&it, &change)) {
                text = units_write(&it, &change);
                find_start(text, &other);
                count += compare(&it, &change, path, &plain, &other) > 0;
                free(text);
                free(other.form);
            }
        }
        free(plain.form);
    }
    units_end(&it);
    return count;
}

static void starts_are_the_same_to_the_last_bit(void **state)
{
    (void)state;
    size_t size = 0;
    char *questions = support_read("tests/units/questions.txt", &size);
    uint32_t models = 0;
    uint32_t count = 0;
    for (char *line = strtok(questions, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char path[256];
        char verb[32];
        line += strncmp(line, "quick ", 6) == 0 ? 6 : 0;
        if (sscanf(line, "%255s %31s", path, verb) == 2 && path[0] != '#' &&
            strcmp(verb, "check") == 0) {
            models++;
            count += compare_all(path);
        }
    }
    free(questions);
    print_message("%u models, %u deviations\n", models, count);
    assert_true(models > 0);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_are_the_same_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
