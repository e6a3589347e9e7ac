// SPDX-License-Identifier: Apache-2.0
// Every expression of a model, shown as text, can be read back inside the same declarations and is
// then the same expression. Left out are those whose text names shared parts (%1), and those with
// symbols that cannot be written: constants taken from the start.

#include "files.h"

enum { MOST_TEXTS = 120, POINTS = 5 };

// --- the expressions of a model, always in the same order ----------------------------------------

typedef struct roots {
    rh_expr data[4096];
    uint32_t count;
} roots;

static void add_root(roots *all, rh_expr e)
{
    if (e.i != 0 && all->count < sizeof all->data / sizeof *all->data) {
        all->data[all->count++] = e;
    }
}

static void add_formulas(roots *all, const rh_formula *data, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        add_root(all, data[k].expr);
    }
}

// The partial by one symbol; none when it is zero.
static rh_expr find_partial(const rh_gradient *gradient, rh_expr symbol)
{
    for (uint32_t k = 0; k < gradient->count; k++) {
        if (gradient->data[k].symbol.i == symbol.i) {
            return gradient->data[k].value;
        }
    }
    return RH_EXPR_NONE;
}

// What later stages make of an energy: its partials in the order of declaration.
static void add_gradient(roots *all, const rh_model *model, rh_expr e)
{
    rh_arena arena = rh__arena_begin(rh_allocator_default(), SIZE_MAX / 2);
    rh_gradient gradient = {0};
    assert_true(
        rh__expr_gradient(model->store, e, RH_ROLE_COORD | RH_ROLE_VELOCITY, &arena, &gradient));
    for (uint32_t k = 0; k < model->coordinates.count; k++) {
        const rh_variable *x = &model->coordinates.data[k];
        for (uint32_t member = 0; member < x->size && member < 20; member++) {
            for (uint32_t primes = 0; primes < 2 && x->family[primes].i != 0; primes++) {
                const rh_expr symbol = rh__expr_symbol(model->store, x->family[primes], member);
                add_root(all, find_partial(&gradient, symbol));
            }
        }
    }
    rh__arena_end(&arena);
}

static void gather(const rh_model *model, roots *all)
{
    all->count = 0;
    add_gradient(all, model, rh__model_kinetic(model));
    add_gradient(all, model, rh__model_potential(model));
    add_formulas(all, model->kinetic.data, model->kinetic.count);
    add_formulas(all, model->potential.data, model->potential.count);
    add_formulas(all, model->dissipation.data, model->dissipation.count);
    add_formulas(all, model->lagrangian.data, model->lagrangian.count);
    for (uint32_t k = 0; k < model->laws.count; k++) {
        add_root(all, model->laws.data[k].inertia);
        add_root(all, model->laws.data[k].target);
        add_root(all, model->laws.data[k].value);
    }
    for (uint32_t k = 0; k < model->equations.count; k++) {
        add_root(all, model->equations.data[k].left);
        add_root(all, model->equations.data[k].right);
    }
    for (uint32_t k = 0; k < model->forces.count; k++) {
        add_root(all, model->forces.data[k].value);
    }
    for (uint32_t k = 0; k < model->constraints.count; k++) {
        add_root(all, model->constraints.data[k].deviation);
        add_root(all, model->constraints.data[k].argument);
    }
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        add_root(all, model->quasis.data[k].value);
    }
}

// --- reading back --------------------------------------------------------------------------------

typedef struct counts {
    size_t files, texts, identical, with_parts;
} counts;

// The text of the file with `observe back_NUMBER = ...` for each expression that can be written.
static char *add_texts(const char *text, const rh_model *model, const roots *all, uint32_t *written,
                       counts *total)
{
    size_t size = strlen(text) + 2;
    char *full = calloc(size, 1);
    assert_non_null(full);
    (void)snprintf(full, size, "%s\n", text);
    const uint32_t stride = 1 + all->count / MOST_TEXTS;
    for (uint32_t k = 0; k < all->count; k += stride) {
        bool has_parts = false;
        if ((rh__expr_mask(model->store, all->data[k]) & RH_ROLE_CONSTANT) != 0) {
            continue;
        }
        char *shown = show_expr(model, all->data[k], &has_parts);
        const size_t old = strlen(full);
        const size_t more = strlen(shown) + 64;
        total->with_parts += has_parts;
        if (!has_parts) {
            char *grown = realloc(full, old + more);
            assert_non_null(grown);
            full = grown;
            (void)snprintf(full + old, more, "let back_%u = %s\nobserve seen_%u = back_%u\n", k,
                           shown, k, k);
            written[k] = 1;
        }
        free(shown);
    }
    return full;
}

// The column of a number among those read back.
static rh_expr read_back(const rh_model *model, uint32_t number)
{
    char name[32];
    (void)snprintf(name, sizeof name, "seen_%u", number);
    return observed(model, name);
}

static void compare(const char *path, const rh_model *again, rh_expr was, rh_expr is, counts *total)
{
    total->texts++;
    if (was.i == is.i) {
        total->identical++;
        return;
    }
    for (uint64_t seed = 1; seed <= POINTS; seed++) {
        const point where = {.seed = seed};
        const double a = value_of(again, was, &where);
        const double b = value_of(again, is, &where);
        if (isfinite(a) || isfinite(b)) {
            support_near(b, a, 1e-12, 1e-14, path, __FILE__, __LINE__);
        }
    }
    bool has_parts = false;
    char *before = show_expr(again, was, &has_parts);
    char *after = show_expr(again, is, &has_parts);
    print_error("%s: not the same expression:\n  %s\n  %s\n", path, before, after);
    free(before);
    free(after);
}

static void roundtrip(const char *path, const char *text, void *user)
{
    counts *total = user;
    rh_model *model = NULL;
    const rh_status status = create_model(text, (settings){NULL, NULL}, &model);
    if (status != RH_OK) {
        rh_model_destroy(model);
        return;
    }
    static roots first, second;
    static uint32_t written[sizeof first.data / sizeof *first.data];
    memset(written, 0, sizeof written);
    gather(model, &first);
    char *full = add_texts(text, model, &first, written, total);
    rh_model_destroy(model);

    rh_model *again = make(full);
    gather(again, &second);
    assert_int_equal(first.count, second.count);
    for (uint32_t k = 0; k < second.count; k++) {
        if (written[k] != 0) {
            compare(path, again, second.data[k], read_back(again, k), total);
        }
    }
    total->files++;
    rh_model_destroy(again);
    free(full);
}

static void what_is_shown_can_be_read(void **state)
{
    (void)state;
    counts total = {0};
    (void)visit_models(roundtrip, &total);
    print_message("%zu files, %zu expressions read back, %zu identical, %zu with named parts\n",
                  total.files, total.texts, total.identical, total.with_parts);
    assert_true(total.files > 100);
    assert_true(total.texts > 10 * total.with_parts);
    assert_int_equal(total.identical, total.texts);
}

// Whatever functions and operators can make, in one model.
static void every_operation_is_shown_readably(void **state)
{
    (void)state;
    counts total = {0};
    roundtrip(
        "every operation",
        "param a = 2, b = -1/3\ncoord x, y, z[1..3], w[0..1,-1..1]\nstate s\nlaw s' = -s*a\n"
        "input u = sin(t)\n"
        "kinetic (x'^2 + y'^2 + dot(z', z'))/2 + w[0,-1]'^2 + w[1,1]'^2 + w[0,0]'^2\n"
        "kinetic w[0,1]'^2 + w[1,0]'^2 + w[1,-1]'^2\n"
        "potential -x^2/3 - (-x)^3 + 2^-x + x^y^2 + (x^y)^2 + 1/x - 1/(x*y) - x/y/z[1]\n"
        "potential sin(x)*cos(x) + tan(x) - asin(x/9) + acos(x/9) - atan(x) + atan2(-x, y)\n"
        "potential sinh(x) - cosh(y) + tanh(x*y) + exp(-x^2) - log(2*x) + sqrt(x)/sqrt(y + 1)\n"
        "potential abs(x - y) + sign(x)*x + min(x, y, 1) - max(-x, 2*y) + pi*x - pi^2\n"
        "potential if(x < y, x, -y) + if(x >= 1 and not (y == 2 or x != y), 1, 2*x)\n"
        "potential if(x <= y or y > 3 and z[2] < 1, x^(1/3), x^(-3/2))\n"
        "potential -(x + y)*(x - y) - 3*(x + y)^2 - (2*x - 4*y)/7 + 1e-30*x + "
        "123456789012345678901*y\n"
        "potential w[0,-1]*w[1,1] + (-2)^3*x - (x - 1)^(y - 1) + (x + 1)^-2 - a*b*x\n"
        "potential (-(x - y))^2 + exp(x)^2 + sqrt(x^2 + y^2)^3 + (x*y)^(1/2)\n"
        "force x: u*s - t*x' + x'^2*y'/(1 + x'^2) - u^2\n"
        "constraint c: x'*sin(y) - (x*y)' - sqrt(x)' = (a - b)*s\n",
        &total);
    assert_true(total.texts >= 12);
    assert_int_equal(total.identical, total.texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown_can_be_read),
        cmocka_unit_test(every_operation_is_shown_readably),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
