// SPDX-License-Identifier: Apache-2.0
// The same text gives the same model, byte by byte; and declarations may stand in any order:
// shuffled statements give a model with the same values.

#include "files.h"

enum { SHUFFLES = 3, POINTS = 3 };

// --- the same text twice -------------------------------------------------------------------------

static support_text dump(const rh_model *model, rh_stage stage)
{
    support_text text = {0};
    const rh_status status = rh_model_dump(model, stage, support_text_sink(&text), NULL);
    assert_true(status == RH_OK || (status == RH_E_MODEL && !rh_model_is_sound(model)));
    return text;
}

static void expect_same_dump(const char *path, const rh_model *a, const rh_model *b, rh_stage stage)
{
    support_text first = dump(a, stage);
    support_text second = dump(b, stage);
    const bool is_same = first.size == second.size &&
                         (first.size == 0 || memcmp(first.data, second.data, first.size) == 0);
    free(first.data);
    free(second.data);
    if (!is_same) {
        print_error("%s: two dumps differ\n", path);
    }
    assert_true(is_same);
}

// Another allocator, and other memory around: addresses must not matter.
static void read_twice(const char *path, const char *text, void *user)
{
    (void)user;
    rh_model *first = NULL;
    rh_model *second = NULL;
    const rh_status status = create_model(text, (settings){NULL, NULL}, &first);
    void *between = malloc(strlen(text) * 7 + 1000);
    support_memory memory = {0};
    rh_model_def def = rh_model_def_default();
    def.allocator = support_memory_allocator(&memory);
    def.text = text;
    def.text_size = strlen(text);
    assert_int_equal(rh_model_create(&def, &second, NULL), status);
    assert_int_equal(rh_model_diagnostic_count(first), rh_model_diagnostic_count(second));
    for (size_t k = 0; k < rh_model_diagnostic_count(first); k++) {
        assert_string_equal(rh_model_diagnostic(first, k).message,
                            rh_model_diagnostic(second, k).message);
    }
    assert_int_equal(rh__store_count(first->store), rh__store_count(second->store));
    expect_same_dump(path, first, second, RH_STAGE_AST);
    expect_same_dump(path, first, second, RH_STAGE_MODEL);
    // and once more from the same model: showing changes nothing
    expect_same_dump(path, first, first, RH_STAGE_MODEL);
    rh_model_destroy(first);
    rh_model_destroy(second);
    assert_int_equal(memory.block_count, 0);
    free(between);
}

static void the_same_text_gives_the_same_bytes(void **state)
{
    (void)state;
    (void)visit_models(read_twice, NULL);
}

// --- statements in another order -----------------------------------------------------------------

// The statements of a text in a random order, each on its own line; the caller frees it.
static char *shuffle(const rh_model *model, support_random *random)
{
    const rh_tree *tree = &model->tree;
    uint32_t count = 0;
    size_t size = 1;
    static rh_span spans[4096];
    for (rh_ast s = rh__tree_child(tree, tree->root, 0); s.i != 0; s = rh__tree_next(tree, s)) {
        assert_true(count < sizeof spans / sizeof *spans);
        spans[count] = rh__tree_node(tree, s)->span;
        size += spans[count++].size + 1;
    }
    for (uint32_t k = count; k > 1; k--) {
        const uint32_t other = support_random_below(random, k);
        const rh_span kept = spans[k - 1];
        spans[k - 1] = spans[other];
        spans[other] = kept;
    }
    char *text = calloc(size, 1);
    assert_non_null(text);
    size_t fill = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_slice part = rh__source_slice(&model->source, spans[k]);
        memcpy(text + fill, part.data, part.size);
        fill += part.size;
        text[fill++] = '\n';
    }
    return text;
}

static void expect_same_value(const char *what, const rh_model *a, rh_expr of_a, const rh_model *b,
                              rh_expr of_b)
{
    for (uint64_t seed = 1; seed <= POINTS; seed++) {
        const point where = {.seed = seed};
        const double first = value_of(a, of_a, &where);
        const double second = value_of(b, of_b, &where);
        if (isfinite(first) || isfinite(second)) {
            support_near(second, first, 1e-9, 1e-9, what, __FILE__, __LINE__);
        }
    }
}

static void expect_same_constraints(const rh_model *a, const rh_model *b)
{
    assert_int_equal(a->constraints.count, b->constraints.count);
    const uint32_t stride = 1 + a->constraints.count / 50;
    for (uint32_t k = 0; k < a->constraints.count; k += stride) {
        const rh_constraint *first = &a->constraints.data[k];
        char name[160];
        (void)snprintf(name, sizeof name, "%.*s", RH_SLICE_FORMAT(first->row.name));
        const rh_constraint *second = find_constraint(b, name, first->row.member);
        assert_int_equal(first->kind, second->kind);
        assert_int_equal(first->level, second->level);
        assert_int_equal(first->by, second->by);
        assert_int_equal(first->is_linear, second->is_linear);
        assert_int_equal(first->is_one_sided, second->is_one_sided);
        expect_same_value(name, a, first->deviation, b, second->deviation);
        if (first->law.i != 0) {
            expect_same_value(name, a, first->law, b, second->law);
        }
    }
}

// Laws are told by the text of their target.
static void expect_same_laws(const rh_model *a, const rh_model *b)
{
    assert_int_equal(a->laws.count, b->laws.count);
    for (uint32_t k = 0; k < a->laws.count && k < 50; k++) {
        bool has_parts = false;
        bool is_found = false;
        char *target = show_expr(a, a->laws.data[k].target, &has_parts);
        for (uint32_t j = 0; j < b->laws.count && !is_found; j++) {
            char *other = show_expr(b, b->laws.data[j].target, &has_parts);
            is_found = strcmp(target, other) == 0;
            free(other);
            if (is_found) {
                expect_same_value(target, a, a->laws.data[k].value, b, b->laws.data[j].value);
                expect_same_value(target, a, a->laws.data[k].inertia, b, b->laws.data[j].inertia);
            }
        }
        assert_true(is_found);
        free(target);
    }
}

static void expect_same_model(const rh_model *a, const rh_model *b)
{
    assert_int_equal(rh__model_coordinate_count(a), rh__model_coordinate_count(b));
    assert_int_equal(rh__model_state_count(a), rh__model_state_count(b));
    assert_int_equal(a->selected.count, b->selected.count);
    assert_int_equal(a->starts.count, b->starts.count);
    assert_int_equal(a->observes.count, b->observes.count);
    assert_int_equal(a->events.count, b->events.count);
    expect_same_value("T", a, rh__model_kinetic(a), b, rh__model_kinetic(b));
    expect_same_value("V", a, rh__model_potential(a), b, rh__model_potential(b));
    expect_same_value("L", a, rh__model_lagrangian(a), b, rh__model_lagrangian(b));
    expect_same_value("F", a, rh__model_dissipation(a), b, rh__model_dissipation(b));
    expect_same_constraints(a, b);
    expect_same_laws(a, b);
    for (uint32_t k = 0; k < a->observes.count && k < 100; k++) {
        const char *name = a->observes.data[k].name;
        expect_same_value(name, a, a->observes.data[k].value, b, observed(b, name));
    }
}

static void read_shuffled(const char *path, const char *text, void *user)
{
    support_random *random = user;
    rh_model *model = NULL;
    const rh_status status = create_model(text, (settings){NULL, NULL}, &model);
    for (int round = 0; round < SHUFFLES; round++) {
        char *other = shuffle(model, random);
        rh_model *again = NULL;
        const rh_status other_status = create_model(other, (settings){NULL, NULL}, &again);
        if (other_status != status) {
            print_remarks(again);
            print_error("%s: in another order it is %s:\n%s\n", path, rh_status_text(other_status),
                        other);
        }
        assert_int_equal(other_status, status);
        if (status == RH_OK) {
            expect_same_model(model, again);
        }
        rh_model_destroy(again);
        free(other);
    }
    rh_model_destroy(model);
}

static void statements_may_stand_in_any_order(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    (void)visit_models(read_shuffled, &random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_gives_the_same_bytes),
        cmocka_unit_test(statements_may_stand_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
