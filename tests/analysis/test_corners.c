// SPDX-License-Identifier: Apache-2.0
// Corners: several one-sided constraints met at the start. What `check` says, what the motion does
// and what comes out when every set of constraints is tried must be the same: one answer, none
// (E507) or several (E508). The trying is written here, from the equations of motion alone.

#include "examined.h"

#include "rheonom/motion.h"

enum { MOST = 4, TEXT = 4096 };

// M x'' = f + B lambda, C x'' >= 0, lambda >= 0, and one of the two is zero.
typedef struct corner {
    uint32_t n, m;
    bool is_ideal;
    bool is_position; // the constraints are in positions
    double mass[MOST], force[MOST];
    double row[MOST][MOST], push[MOST][MOST]; // by constraint
} corner;

// What trying all sets finds: solutions with other accelerations are other ones.
typedef struct tried {
    uint32_t count;
    bool is_clear; // no number is near a border
    double rate[MOST];
    double multiplier[MOST];
} tried;

static const char *const NAMES[] = {"x", "y", "z", "w"};

// --- trying --------------------------------------------------------------------------------------

// Gauss with pivots; the smallest pivot tells how near to singular it is.
static double solve(uint32_t n, double a[MOST][MOST + 1])
{
    double least = INFINITY;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k; i < n; i++) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        for (uint32_t j = 0; j <= n; j++) {
            const double kept = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = kept;
        }
        least = fmin(least, fabs(a[k][k]));
        for (uint32_t i = 0; i < n && a[k][k] != 0.0; i++) {
            const double factor = i == k ? 0.0 : a[i][k] / a[k][k];
            for (uint32_t j = 0; j <= n; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        a[k][n] /= a[k][k];
    }
    return least;
}

// The effect of a unit of multiplier j on rate i.
static double response(const corner *c, uint32_t i, uint32_t j)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < c->n; k++) {
        sum += c->row[i][k] * c->push[j][k] / c->mass[k];
    }
    return sum;
}

// A direction that pulls away from its own constraint counts with the opposite sign.
static double turn(const corner *c, uint32_t j)
{
    return response(c, j, j) < 0.0 ? -1.0 : 1.0;
}

static void note(const corner *c, const double *multiplier, tried *out)
{
    double rate[MOST];
    double apart = 0.0;
    for (uint32_t k = 0; k < c->n; k++) {
        rate[k] = c->force[k] / c->mass[k];
        for (uint32_t j = 0; j < c->m; j++) {
            rate[k] += c->push[j][k] * multiplier[j] / c->mass[k];
        }
        apart = fmax(apart, fabs(rate[k] - out->rate[k]));
    }
    out->is_clear = out->is_clear && (out->count == 0 || apart < 1e-9 || apart > 1e-4);
    if (out->count == 0 || apart > 1e-6) {
        out->count++;
        memcpy(out->rate, rate, sizeof rate);
        memcpy(out->multiplier, multiplier, MOST * sizeof *multiplier);
    }
}

static void try_set(const corner *c, uint32_t set, tried *out)
{
    double a[MOST][MOST + 1] = {{0.0}};
    double multiplier[MOST] = {0.0};
    uint32_t of[MOST];
    uint32_t count = 0;
    for (uint32_t j = 0; j < c->m; j++) {
        of[count] = j;
        count += set >> j & 1u;
    }
    if (count > c->n) {
        return; // independent ones do as well
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < c->n; k++) {
            a[i][count] -= c->row[of[i]][k] * c->force[k] / c->mass[k];
        }
        for (uint32_t j = 0; j < count; j++) {
            a[i][j] = response(c, of[i], of[j]);
        }
    }
    out->is_clear = out->is_clear && solve(count, a) > 1e-3;
    bool is_right = true;
    for (uint32_t i = 0; i < count; i++) {
        multiplier[of[i]] = a[i][count];
        is_right = is_right && turn(c, of[i]) * a[i][count] >= 0.0;
        out->is_clear = out->is_clear && fabs(a[i][count]) > 1e-4;
    }
    for (uint32_t i = 0; i < c->m; i++) {
        double slack = 0.0;
        for (uint32_t k = 0; k < c->n; k++) {
            slack += c->row[i][k] * c->force[k] / c->mass[k];
        }
        for (uint32_t j = 0; j < c->m; j++) {
            slack += response(c, i, j) * multiplier[j];
        }
        const bool acts = (set >> i & 1u) != 0;
        is_right = is_right && (acts || slack >= 0.0);
        out->is_clear = out->is_clear && (acts || fabs(slack) > 1e-4);
    }
    if (is_right) {
        note(c, multiplier, out);
    }
}

static tried try_all(const corner *c)
{
    tried out = {.is_clear = true};
    for (uint32_t set = 0; set < 1u << c->m; set++) {
        try_set(c, set, &out);
    }
    return out;
}

// --- the model -----------------------------------------------------------------------------------

// Units: masses times `mass`, lengths times `length`, constraints and directions by their own.
typedef struct units {
    double mass, length, row[MOST], push[MOST];
} units;

static int put_sum(char *text, size_t size, const corner *c, const double *factor, double unit,
                   const char *prime)
{
    int at = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        at += snprintf(text + at, size - (size_t)at, "%s(%.17g)*%s%s", k > 0 ? " + " : "",
                       factor[k] * unit, NAMES[k], prime);
    }
    return at;
}

static void write_model(const corner *c, const units *by, char *text)
{
    int at = snprintf(text, TEXT, "coord ");
    for (uint32_t k = 0; k < c->n; k++) {
        at += snprintf(text + at, TEXT - (size_t)at, "%s%s", k > 0 ? ", " : "", NAMES[k]);
    }
    at += snprintf(text + at, TEXT - (size_t)at, "\nkinetic ");
    for (uint32_t k = 0; k < c->n; k++) {
        at += snprintf(text + at, TEXT - (size_t)at, "%s%.17g*%s'^2/2", k > 0 ? " + " : "",
                       c->mass[k] * by->mass, NAMES[k]);
    }
    for (uint32_t k = 0; k < c->n; k++) {
        at += snprintf(text + at, TEXT - (size_t)at, "\nforce %s: %.17g", NAMES[k],
                       c->force[k] * by->mass * by->length);
    }
    for (uint32_t j = 0; j < c->m; j++) {
        at += snprintf(text + at, TEXT - (size_t)at, "\nconstraint c%u: ", j);
        at += put_sum(text + at, TEXT - (size_t)at, c, c->row[j], by->row[j],
                      c->is_position ? "" : "'");
        at += snprintf(text + at, TEXT - (size_t)at, " >= 0%s", c->is_position ? " impact 0" : "");
        for (uint32_t k = 0; !c->is_ideal && k < c->n; k++) {
            at += snprintf(text + at, TEXT - (size_t)at, "%s%s: %.17g",
                           k == 0 ? " by servo(" : ", ", NAMES[k], c->push[j][k] * by->push[j]);
        }
        at += snprintf(text + at, TEXT - (size_t)at, c->is_ideal ? "" : ")");
    }
    at += snprintf(text + at, TEXT - (size_t)at, "\nstart ");
    for (uint32_t k = 0; k < c->n; k++) {
        at += snprintf(text + at, TEXT - (size_t)at, "%s%s = 0, %s' = 0", k > 0 ? ", " : "",
                       NAMES[k], NAMES[k]);
    }
    at += snprintf(text + at, TEXT - (size_t)at, "\n");
    assert_true(at < TEXT);
}

static corner draw(support_random *random, bool is_ideal)
{
    corner c = {.is_ideal = is_ideal, .is_position = is_ideal && support_random_below(random, 2)};
    c.n = 2 + support_random_below(random, 3);
    c.m = 2 + support_random_below(random, is_ideal ? 3 : c.n - 1);
    for (uint32_t k = 0; k < c.n; k++) {
        c.mass[k] = support_random_real(random, 0.5, 2.0);
        c.force[k] = support_random_real(random, -1.0, 1.0);
        for (uint32_t j = 0; j < c.m; j++) {
            c.row[j][k] = support_random_real(random, -1.0, 1.0);
            c.push[j][k] = is_ideal ? c.row[j][k] : support_random_real(random, -1.0, 1.0);
        }
    }
    return c;
}

static units draw_units(support_random *random, bool is_scaled)
{
    static const double FACTORS[] = {1e-9, 1.0, 1e9};
    units by = {1.0, 1.0, {1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 1.0}};
    if (is_scaled) {
        by.mass = FACTORS[support_random_below(random, 3)];
        by.length = FACTORS[support_random_below(random, 3)];
        for (uint32_t j = 0; j < MOST; j++) {
            by.row[j] = FACTORS[support_random_below(random, 3)];
            by.push[j] = FACTORS[support_random_below(random, 3)];
        }
    }
    return by;
}

// --- comparing -----------------------------------------------------------------------------------

static const char *wanted_code(const tried *of)
{
    return of->count == 0 ? "E507" : of->count == 1 ? "" : "E508";
}

static void assert_rates(const corner *c, const units *by, const tried *of, const double *rate,
                         const char *who, const char *text)
{
    for (uint32_t k = 0; k < c->n; k++) {
        if (!(fabs(rate[k] / by->length - of->rate[k]) <= 1e-10)) {
            fail_msg("%s: rate of %s is %.17g, not %.17g, in\n%s", who, NAMES[k], rate[k],
                     of->rate[k] * by->length, text);
        }
    }
}

static void compare_check(const corner *c, const units *by, const tried *of, const char *text)
{
    examined it = examine_with(text, NULL, NULL);
    const char *code = it.status == RH_OK ? "" : rh_checkup_diagnostic(it.checkup, 0).code;
    if (strcmp(code, wanted_code(of)) != 0) {
        fail_msg("check says '%s', not '%s', of\n%s", code, wanted_code(of), text);
    }
    if (of->count == 1) {
        double rate[MOST];
        for (uint32_t k = 0; k < c->n; k++) {
            rate[k] = rh__point_get(&it.checkup->start.point, it.equations->carriers.data[k].rate);
        }
        assert_rates(c, by, of, rate, "check", text);
    }
    for (uint32_t j = 0; of->count == 1 && j < c->m; j++) {
        const rh_link_report *report = &it.checkup->links[j];
        const double unit = by->mass * by->length / (c->is_ideal ? by->row[j] : by->push[j]);
        if (c->m <= c->n && !(fabs(report->multiplier / unit - of->multiplier[j]) <= 1e-10)) {
            fail_msg("check: multiplier %u is %.17g, not %.17g, in\n%s", j, report->multiplier,
                     of->multiplier[j] * unit, text);
        }
        if (!(report->multiplier * turn(c, j) >= -1e-10 * unit)) {
            fail_msg("check: multiplier %u is %.17g in\n%s", j, report->multiplier, text);
        }
    }
    examined_end(&it);
}

// Forces are constant: after a time of one the velocities are the rates.
static void compare_run(const corner *c, const units *by, const tried *of, const char *text)
{
    rh_model_def def = rh_model_def_default();
    const rh_equations_def how = rh_equations_def_default();
    const rh_motion_def move = rh_motion_def_default();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    rh_stop stop = RH_STOP_NONE;
    def.text = text;
    def.text_size = strlen(text);
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    assert_int_equal(rh_equations_create(model, &how, &equations, NULL), RH_OK);
    assert_int_equal(rh_motion_create(equations, &move, &motion, NULL), RH_OK);
    assert_int_equal(rh_motion_advance(motion, 1.0, &stop, NULL), RH_OK);
    if (strcmp(rh_motion_reason_code(motion), wanted_code(of)) != 0) {
        fail_msg("run says '%s', not '%s', of\n%s", rh_motion_reason_code(motion), wanted_code(of),
                 text);
    }
    if (of->count == 1) {
        double row[4 * MOST + 32];
        assert_true(rh_motion_column_count(motion) <= sizeof row / sizeof *row);
        assert_int_equal(rh_motion_row(motion, 1.0, row, NULL), RH_OK);
        assert_rates(c, by, of, row + 1 + c->n, "run", text);
    }
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
}

// The motion that has several continuations chooses none of them.
static void assert_undetermined(const char *text)
{
    rh_model_def def = rh_model_def_default();
    const rh_equations_def how = rh_equations_def_default();
    const rh_motion_def move = rh_motion_def_default();
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    rh_motion *motion = NULL;
    double row[4 * MOST + 32];
    def.text = text;
    def.text_size = strlen(text);
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    assert_int_equal(rh_equations_create(model, &how, &equations, NULL), RH_OK);
    assert_int_equal(rh_motion_create(equations, &move, &motion, NULL), RH_OK);
    assert_int_equal(rh_motion_row(motion, 0.0, row, NULL), RH_OK);
    for (size_t k = 0; k < rh_motion_column_count(motion); k++) {
        if (rh_motion_column_quantity(motion, k) == RH_QUANTITY_MULTIPLIER && !isnan(row[k])) {
            fail_msg("%s is %.17g in\n%s", rh_motion_column_name(motion, k), row[k], text);
        }
    }
    assert_false(rh_motion_is_unique(motion, 0) || rh_motion_is_unique(motion, 1));
    rh_motion_destroy(motion);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
}

static void compare_corners(const char *test, bool is_ideal, bool is_scaled, uint32_t count)
{
    support_random random = support_random_begin(test);
    uint32_t seen[3] = {0};
    for (uint32_t k = 0; k < count;) {
        const corner c = draw(&random, is_ideal);
        const units by = draw_units(&random, is_scaled);
        const tried of = try_all(&c);
        char text[TEXT];
        if (!of.is_clear) {
            continue;
        }
        write_model(&c, &by, text);
        compare_check(&c, &by, &of, text);
        compare_run(&c, &by, &of, text);
        seen[of.count < 2 ? of.count : 2]++;
        k++;
    }
    assert_true(seen[1] > 0 && (is_ideal ? seen[0] + seen[2] == 0 : seen[0] > 0 && seen[2] > 0));
}

static void servo_corners(void **state)
{
    (void)state;
    compare_corners("servo corners", false, false, 60);
}

static void ideal_corners(void **state)
{
    (void)state;
    compare_corners("ideal corners", true, false, 100);
}

static void corners_in_other_units(void **state)
{
    (void)state;
    compare_corners("servo corners in other units", false, true, 60);
    compare_corners("ideal corners in other units", true, true, 60);
}

// Two servos for one row: where it is pushed away either of them keeps it, and so do their
// mixtures; that is one motion only where they push along one line.
static corner draw_twins(support_random *random, bool is_along)
{
    corner c = draw(random, false);
    c.m = 2;
    memcpy(c.row[1], c.row[0], sizeof c.row[0]);
    for (uint32_t k = 0; is_along && k < c.n; k++) {
        c.push[1][k] = -2.5 * c.push[0][k];
    }
    return c;
}

static tried try_twins(const corner *c, bool is_along)
{
    tried out = {.count = 1, .is_clear = fabs(response(c, 0, 0)) > 1e-2};
    double rate = 0.0;
    for (uint32_t k = 0; k < c->n; k++) {
        rate += c->row[0][k] * c->force[k] / c->mass[k];
    }
    out.is_clear = out.is_clear && fabs(response(c, 1, 1)) > 1e-2 && fabs(rate) > 1e-2;
    for (uint32_t k = 0; k < c->n; k++) {
        const double multiplier = rate < 0.0 ? -rate / response(c, 0, 0) : 0.0;
        out.rate[k] = (c->force[k] + c->push[0][k] * multiplier) / c->mass[k];
    }
    out.count = rate < 0.0 && !is_along ? 2 : 1;
    return out;
}

static void servos_for_one_row(void **state)
{
    (void)state;
    support_random random = support_random_begin("servos for one row");
    uint32_t seen[3] = {0};
    for (uint32_t k = 0; k < 120;) {
        const bool is_along = k % 2 == 0;
        const corner c = draw_twins(&random, is_along);
        const units by = draw_units(&random, k % 3 == 0);
        const tried of = try_twins(&c, is_along);
        char text[TEXT];
        if (!of.is_clear) {
            continue;
        }
        write_model(&c, &by, text);
        compare_run(&c, &by, &of, text);
        if (of.count == 2) {
            compare_check(&c, &by, &of, text);
            assert_undetermined(text);
        }
        seen[of.count]++;
        k++;
    }
    assert_true(seen[1] > 0 && seen[2] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servo_corners),
        cmocka_unit_test(ideal_corners),
        cmocka_unit_test(corners_in_other_units),
        cmocka_unit_test(servos_for_one_row),
    };
    return cmocka_run_group_tests_name("corners", tests, NULL, NULL);
}
