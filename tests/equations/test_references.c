// SPDX-License-Identifier: Apache-2.0
// Rates, multipliers and reactions at known states, in every form, against numbers found without
// this code (references.txt, made by references.py). Errors are relative to the largest of the like
// quantities of a case.

#include "derived.h"

#define TOLERANCE 1e-12
#define ELIMINATED 1e-11 // forms with symbolic pivots lose a digit

typedef enum quantity { STATE, RATE, QUASI, MULTIPLIER, REACTION, QUANTITY_COUNT } quantity;

static const char *const WORDS[] = {"state", "rate", "quasi", "multiplier", "reaction"};

typedef struct expected {
    quantity of;
    char name[32];
    double value;
} expected;

typedef struct reference {
    char name[64], model[128], inactive[32];
    char settings[16][64]; // texts of `with`
    conditions with;
    bool is_deficient, is_unconstrained;
    bool is_wanted[FORM_COUNT];
    expected values[512];
    uint32_t count;
    double largest[QUANTITY_COUNT];
} reference;

// --- reading -------------------------------------------------------------------------------------

static void read_setting(reference *it, const char *word, const char *rest)
{
    const uint32_t at = it->with.set_count + it->with.start_count;
    assert_true(at < 16);
    (void)snprintf(it->settings[at], sizeof it->settings[at], "%s", rest);
    if (strcmp(word, "set") == 0) {
        it->with.set[it->with.set_count++] = it->settings[at];
    } else {
        it->with.start[it->with.start_count++] = it->settings[at];
    }
}

static void read_value(reference *it, const char *word, const char *rest)
{
    for (quantity of = STATE; of < QUANTITY_COUNT; of++) {
        if (strcmp(word, WORDS[of]) == 0) {
            expected *value = &it->values[it->count++];
            assert_true(it->count < 512);
            value->of = of;
            assert_int_equal(sscanf(rest, "%31s %lf", value->name, &value->value), 2);
            it->largest[of] = fmax(it->largest[of], fabs(value->value));
            return;
        }
    }
    fail_msg("%s: unknown word %s", it->name, word);
}

static void read_line(reference *it, const char *word, const char *rest)
{
    if (strcmp(word, "model") == 0) {
        (void)snprintf(it->model, sizeof it->model, "%s", rest);
    } else if (strcmp(word, "set") == 0 || strcmp(word, "start") == 0) {
        read_setting(it, word, rest);
    } else if (strcmp(word, "inactive") == 0) {
        (void)snprintf(it->inactive, sizeof it->inactive, "%s", rest);
    } else if (strcmp(word, "deficient") == 0) {
        it->is_deficient = true;
    } else if (strcmp(word, "unconstrained") == 0) {
        it->is_unconstrained = true;
    } else if (strcmp(word, "only") == 0) {
        for (uint32_t k = 0; k < FORM_COUNT; k++) {
            it->is_wanted[k] = strstr(rest, FORM_NAMES[k]) != NULL;
        }
    } else {
        read_value(it, word, rest);
    }
}

// The next case of the text; false at its end.
static bool read_case(char **text, reference *out)
{
    *out = (reference){.is_wanted = {true, true, true, true, true}};
    while (**text != '\0') {
        char *line = *text;
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        *text = end + 1;
        char word[32] = "";
        int size = 0;
        if (line[0] == '#' || sscanf(line, "%31s %n", word, &size) < 1) {
            if (line[0] == '\0' && out->name[0] != '\0') {
                return true;
            }
        } else if (strcmp(word, "case") == 0) {
            (void)snprintf(out->name, sizeof out->name, "%s", line + size);
        } else {
            read_line(out, word, line + size);
        }
    }
    return out->name[0] != '\0';
}

// --- comparing -----------------------------------------------------------------------------------

typedef struct trial {
    const reference *of;
    derived *on;
    const rh_form *form;
    const rh_point *point;
    const char *form_name;
    double tolerance;
    uint32_t failures;
} trial;

static double found_value(const trial *in, const expected *value)
{
    const derived *on = in->on;
    switch (value->of) {
    case STATE:
    case RATE:
    case QUASI:
        return value_named(on, in->point, value->name);
    case MULTIPLIER:
        return rh__point_get(in->point,
                             on->equations->links.data[link_named(on, value->name)].multiplier);
    case REACTION:
        return reaction_at(in->on, in->point, carrier_named(on, value->name));
    case QUANTITY_COUNT:
        break;
    }
    return NAN;
}

// The multipliers of redundant constraints are least in the forms that keep all of them.
static bool is_comparable(const trial *in, const expected *value)
{
    const rh_form_kind kind = in->form->kind;
    if (value->of == QUASI) {
        return kind == RH_FORM_QUASI;
    }
    if (value->of == MULTIPLIER && in->of->is_deficient) {
        return kind == RH_FORM_MULTIPLIERS;
    }
    return kind != RH_FORM_FREE || value->of == RATE || value->of == STATE;
}

static void compare(trial *in)
{
    for (uint32_t k = 0; k < in->of->count; k++) {
        const expected *value = &in->of->values[k];
        if (!is_comparable(in, value)) {
            continue;
        }
        const double found = found_value(in, value);
        const double scale = fmax(in->of->largest[value->of], 1e-3);
        if (!(fabs(found - value->value) <= in->tolerance * scale)) {
            print_error("%s, %s: %s %s is %.17g, not %.17g (off by %.1e)\n", in->of->name,
                        in->form_name, WORDS[value->of], value->name, found, value->value,
                        fabs(found - value->value) / scale);
            in->failures++;
        }
    }
}

// Rates are unique everywhere, multipliers where the constraints are independent.
static void look_at_uniqueness(trial *in, const rh_form_result *result)
{
    for (uint32_t k = 0; k < in->form->rate_count; k++) {
        if (!result->is_unique[k]) {
            print_error("%s, %s: rate %u is not unique\n", in->of->name, in->form_name, k);
            in->failures++;
        }
    }
    if (in->form->kind == RH_FORM_MULTIPLIERS) {
        bool is_unique = true;
        for (uint32_t k = in->form->rate_count; k < in->form->unknowns.count; k++) {
            is_unique = is_unique && result->is_unique[k];
        }
        if (is_unique == in->of->is_deficient) {
            print_error("%s: uniqueness of multipliers is wrong\n", in->of->name);
            in->failures++;
        }
    }
    if (!(result->residual <= 1e-12)) {
        print_error("%s, %s: residual %g\n", in->of->name, in->form_name, result->residual);
        in->failures++;
    }
}

static uint32_t try_form(derived *on, const reference *of, rh_form_kind kind, bool is_plain)
{
    rh_form form;
    rh_error err = RH_ZERO;
    const rh_status status = rh__form_create(on->equations, kind, &on->arena, &form, &err);
    if (status != RH_OK) {
        print_error("%s, %s: %s\n", of->name, FORM_NAMES[kind], err.message);
        return 1;
    }
    const rh_point point = copy_point(on, &on->start.point);
    if (smallest_pivot(on, &form, &point) < 1e-6) {
        assert_true(kind == RH_FORM_PRINCIPAL || kind == RH_FORM_QUASI);
        print_message("%s, %s: not valid at this state\n", of->name, FORM_NAMES[kind]);
        return 0;
    }
    bool *is_active = rh__arena_array(&on->arena, bool, on->equations->links.count + 1);
    assert_non_null(is_active);
    memset(is_active, 1, on->equations->links.count);
    if (of->inactive[0] != '\0') {
        is_active[link_named(on, of->inactive)] = false;
    }
    rh_form_result result;
    assert_int_equal(rh__form_solve(&form, &point, is_active, &on->arena, &result), RH_OK);
    const bool is_direct = kind == RH_FORM_FREE || kind == RH_FORM_MULTIPLIERS;
    trial in = {of,
                on,
                &form,
                &point,
                is_plain ? "reduced without presolve" : FORM_NAMES[kind],
                is_direct ? TOLERANCE : ELIMINATED,
                0};
    compare(&in);
    look_at_uniqueness(&in, &result);
    return in.failures;
}

static uint32_t try_case(reference *of)
{
    uint32_t failures = 0;
    size_t size = 0;
    char *text = support_read(of->model, &size);
    derived on;
    derive_sound(text, &of->with, &on);
    for (uint32_t kind = 0; kind < FORM_COUNT; kind++) {
        const bool exists = kind != RH_FORM_FREE || of->is_unconstrained;
        // a link that does not act cannot be taken out of a form that has eliminated it
        const bool is_eliminated = of->inactive[0] != '\0' && kind > RH_FORM_REDUCED;
        if (exists && of->is_wanted[kind] && !is_eliminated) {
            failures += try_form(&on, of, (rh_form_kind)kind, false);
        }
    }
    derived_end(&on);
    of->with.is_plain = true;
    derive_sound(text, &of->with, &on);
    failures += try_form(&on, of, RH_FORM_REDUCED, true);
    derived_end(&on);
    free(text);
    return failures;
}

static void known_states_have_known_rates(void **state)
{
    (void)state;
    size_t size = 0;
    char *text = support_read("tests/equations/references.txt", &size);
    reference *of = calloc(1, sizeof *of);
    assert_non_null(of);
    uint32_t failures = 0;
    uint32_t cases = 0;
    for (char *rest = text; read_case(&rest, of); cases++) {
        failures += try_case(of);
    }
    free(of);
    free(text);
    print_message("%u cases\n", cases);
    assert_int_equal(failures, 0);
    assert_true(cases > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_states_have_known_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
