// SPDX-License-Identifier: Apache-2.0
// Random models with constraints that follow from others, if only where these hold, in various
// units, by every method, with and without presolve, interpreted and emitted: they move as the
// model without these constraints does, and the reactions that share a load are not unique.
// RH_MODELS says how many models are tried, RH_REACH in units of length and time of up to how many
// powers of ten. Unless asked for, these units are 1: the error of a step is relative to 1 + |x|,
// so what is small beside 1 has fewer digits, with and without redundant constraints. Units of
// mass, and of the constraints, are always random.

#include "moving.h"

#include <stdarg.h>

enum { MODELS = 150, MOST = 5, TEXT = 8192, EMITTED_EVERY = 8, STEP_LIMIT = 20000 };

#define T_END 1.0
#define REACH 0.0         // of units of length and time, in powers of ten
#define REACH_MASS 3.0    // the same of mass
#define ACCURACY 1e-9     // of positions and velocities, relative to their units
#define ACCURACY_BDF 1e-6 // the same by cvode and ida
#define FITTING 0.01      // part of that which the model without what is redundant may be off

typedef struct way {
    const char *name;
    rh_method method;
    rh_tier tier;
    bool is_plain;
    double tolerance, accuracy;
} way;

static const way WAYS[] = {
    {"taylor", RH_METHOD_TAYLOR, RH_TIER_INTERPRETED, false, 0.0, ACCURACY},
    {"taylor without presolve", RH_METHOD_TAYLOR, RH_TIER_INTERPRETED, true, 0.0, ACCURACY},
    {"dop853", RH_METHOD_DOP853, RH_TIER_INTERPRETED, false, 1e-13, ACCURACY},
    {"dop853 without presolve", RH_METHOD_DOP853, RH_TIER_INTERPRETED, true, 1e-13, ACCURACY},
    {"cvode", RH_METHOD_CVODE, RH_TIER_INTERPRETED, false, 1e-11, ACCURACY_BDF},
    {"ida", RH_METHOD_IDA, RH_TIER_INTERPRETED, false, 1e-11, ACCURACY_BDF},
    {"emitted", RH_METHOD_TAYLOR, RH_TIER_EMITTED, false, 0.0, ACCURACY},
    {"emitted without presolve", RH_METHOD_TAYLOR, RH_TIER_EMITTED, true, 0.0, ACCURACY},
};

typedef struct page {
    char data[TEXT];
    size_t size;
} page;

// A constraint on positions g = 0, or on velocities a . v = 0, in units of length and time.
typedef enum kind { CIRCLE, WAVE, SADDLE, ROD, BLADE, KINDS } kind;

typedef struct one {
    kind kind;
    uint32_t i, j, k, l; // coordinates
    double a, c;         // a parameter of its shape; the constant, so that it holds at the start
} one;

// What follows from the constraints `first` and `second`.
typedef struct more {
    uint32_t shape, first, second, factor;
    double unit;
} more;

typedef struct invented {
    uint32_t n, count, more_count;
    double mass[MOST], stiffness[MOST], x[MOST], v[MOST];
    one list[MOST];
    more extra[2];
} invented;

typedef struct units {
    double length, mass, time;
} units;

// --- inventing -----------------------------------------------------------------------------------

static double draw(support_random *random, double low, double high)
{
    return nearbyint(1000.0 * support_random_real(random, low, high)) / 1000.0;
}

static uint32_t other_than(support_random *random, uint32_t n, uint32_t i, uint32_t j)
{
    uint32_t k = support_random_below(random, n);
    while (k == i || k == j) {
        k = support_random_below(random, n);
    }
    return k;
}

static bool is_holonomic(const one *it)
{
    return it->kind != BLADE;
}

static double level(const one *it, const double *x)
{
    switch (it->kind) {
    case CIRCLE:
        return x[it->i] * x[it->i] + it->a * x[it->j] * x[it->j];
    case WAVE:
        return it->a * x[it->i] + x[it->j] + 0.3 * sin(x[it->k]);
    case SADDLE:
        return x[it->i] * x[it->j] + it->a * x[it->k];
    case ROD:
        return (x[it->i] - x[it->j]) * (x[it->i] - x[it->j]) +
               (x[it->k] - it->a) * (x[it->k] - it->a);
    default:
        return 0.0;
    }
}

static void row_of(const one *it, const double *x, double *out)
{
    const double difference = x[it->i] - x[it->j];
    memset(out, 0, MOST * sizeof *out);
    switch (it->kind) {
    case CIRCLE:
        out[it->i] = 2.0 * x[it->i];
        out[it->j] = 2.0 * it->a * x[it->j];
        return;
    case WAVE:
        out[it->i] = it->a;
        out[it->j] = 1.0;
        out[it->k] = 0.3 * cos(x[it->k]);
        return;
    case SADDLE:
        out[it->i] = x[it->j];
        out[it->j] = x[it->i];
        out[it->k] = it->a;
        return;
    case ROD:
        out[it->i] = 2.0 * difference;
        out[it->j] = -2.0 * difference;
        out[it->k] = 2.0 * (x[it->k] - it->a);
        return;
    default:
        out[it->i] = sin(x[it->k]);
        out[it->j] = -cos(x[it->k]);
        out[it->k] = it->a;
    }
}

// Make `row` orthogonal to those before it, of length 1; what was left of its length.
static double straighten(uint32_t count, double (*rows)[MOST], double *row)
{
    double before = 0.0;
    double after = 0.0;
    for (uint32_t i = 0; i < MOST; i++) {
        before += row[i] * row[i];
    }
    for (uint32_t k = 0; k < count; k++) {
        double share = 0.0;
        for (uint32_t i = 0; i < MOST; i++) {
            share += rows[k][i] * row[i];
        }
        for (uint32_t i = 0; i < MOST; i++) {
            row[i] -= share * rows[k][i];
        }
    }
    for (uint32_t i = 0; i < MOST; i++) {
        after += row[i] * row[i];
    }
    for (uint32_t i = 0; i < MOST; i++) {
        rows[count][i] = row[i] / sqrt(after);
    }
    return before > 0.01 ? sqrt(after / before) : 0.0;
}

static one draw_one(support_random *random, const invented *of)
{
    one it = {.kind = (kind)support_random_below(random, KINDS), .a = draw(random, 0.5, 1.5)};
    it.i = support_random_below(random, of->n);
    it.j = other_than(random, of->n, it.i, it.i);
    it.k = other_than(random, of->n, it.i, it.j);
    it.c = level(&it, of->x);
    return it;
}

static void draw_constraints(support_random *random, invented *of)
{
    double rows[MOST + 1][MOST];
    const uint32_t wanted = 1 + support_random_below(random, of->n - 1);
    while (of->count < wanted) {
        double row[MOST];
        const one it = draw_one(random, of);
        row_of(&it, of->x, row);
        if (straighten(of->count, rows, row) > 0.4) {
            of->list[of->count++] = it;
        }
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < of->count; k++) {
            double share = 0.0;
            for (uint32_t i = 0; i < MOST; i++) {
                share += rows[k][i] * of->v[i];
            }
            for (uint32_t i = 0; i < MOST; i++) {
                of->v[i] -= share * rows[k][i];
            }
        }
    }
}

static invented invent(support_random *random)
{
    invented of = {.n = 3 + support_random_below(random, MOST - 2)};
    for (uint32_t i = 0; i < of.n; i++) {
        of.mass[i] = draw(random, 0.5, 2.0);
        of.stiffness[i] = draw(random, 0.3, 3.0);
        of.x[i] = draw(random, -1.0, 1.0);
        of.v[i] = draw(random, -1.0, 1.0);
    }
    draw_constraints(random, &of);
    of.more_count = 1 + support_random_below(random, 2);
    for (uint32_t k = 0; k < of.more_count; k++) {
        of.extra[k] = (more){.shape = support_random_below(random, 7),
                             .first = support_random_below(random, of.count),
                             .second = support_random_below(random, of.count),
                             .factor = support_random_below(random, of.n),
                             .unit = pow(10.0, draw(random, -6.0, 6.0))};
    }
    return of;
}

// --- writing -------------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void put(page *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(to->data + to->size, sizeof to->data - to->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && to->size + (size_t)size < sizeof to->data);
    to->size += (size_t)size;
}

static void put_level(page *to, const one *it)
{
    const uint32_t i = it->i + 1;
    const uint32_t j = it->j + 1;
    const uint32_t k = it->k + 1;
    if (it->kind == CIRCLE) {
        put(to, "((q%u/L)^2 + %.3f*(q%u/L)^2)", i, it->a, j);
    } else if (it->kind == WAVE) {
        put(to, "(%.3f*(q%u/L) + (q%u/L) + 0.3*sin(q%u/L))", it->a, i, j, k);
    } else if (it->kind == SADDLE) {
        put(to, "((q%u/L)*(q%u/L) + %.3f*(q%u/L))", i, j, it->a, k);
    } else {
        put(to, "((q%u/L - q%u/L)^2 + (q%u/L - %.3f)^2)", i, j, k, it->a);
    }
}

// a . v, of a holonomic one its derivative.
static void put_row(page *to, const one *it)
{
    const uint32_t i = it->i + 1;
    const uint32_t j = it->j + 1;
    const uint32_t k = it->k + 1;
    if (it->kind == CIRCLE) {
        put(to, "(2*q%u/L*q%u' + 2*%.3f*q%u/L*q%u')", i, i, it->a, j, j);
    } else if (it->kind == WAVE) {
        put(to, "(%.3f*q%u' + q%u' + 0.3*cos(q%u/L)*q%u')", it->a, i, j, k, k);
    } else if (it->kind == SADDLE) {
        put(to, "(q%u/L*q%u' + q%u/L*q%u' + %.3f*q%u')", i, j, j, i, it->a, k);
    } else if (it->kind == ROD) {
        put(to, "(2*(q%u/L - q%u/L)*(q%u' - q%u') + 2*(q%u/L - %.3f)*q%u')", i, j, i, j, k, it->a,
            k);
    } else {
        put(to, "(sin(q%u/L)*q%u' - cos(q%u/L)*q%u' + %.3f*q%u')", k, i, k, j, it->a, k);
    }
}

static bool is_on_positions(const invented *of, const more *it)
{
    const bool is_sum = it->shape == 2;
    return it->shape != 3 && is_holonomic(&of->list[it->first]) &&
           (!is_sum || is_holonomic(&of->list[it->second]));
}

static void put_positions(page *to, const invented *of, const more *it)
{
    const one *first = &of->list[it->first];
    const one *second = &of->list[it->second];
    const uint32_t f = it->factor + 1;
    put(to, it->shape == 4 ? "%.6e*exp(" : "%.6e*", it->unit);
    put_level(to, first);
    if (it->shape == 0) { // the same
        put(to, " = %.6e*%.17g\n", it->unit, first->c);
    } else if (it->shape == 1) { // the same times something, on both sides
        put(to, "*(2 + sin(q%u/L)) = %.6e*%.17g*(2 + sin(q%u/L))\n", f, it->unit, first->c, f);
    } else if (it->shape == 2) { // a combination
        put(to, " + %.6e*(1 + (q%u/L)^2)*(", it->unit, f);
        put_level(to, second);
        put(to, " - (%.17g)) = %.6e*(%.17g)\n", second->c, it->unit, first->c);
    } else if (it->shape == 4) { // a function of it
        put(to, " - (%.17g)) = %.6e\n", first->c, it->unit);
    } else { // a polynomial of it
        put(to, " - %.6e*(%.17g) + %.6e*q%u/L*(", it->unit, first->c, it->unit, f);
        put_level(to, first);
        put(to, " - (%.17g))^2 = 0\n", first->c);
    }
}

static void put_velocities(page *to, const invented *of, const more *it)
{
    const uint32_t f = it->factor + 1;
    put(to, "%.6e*(", it->unit);
    put_row(to, &of->list[it->first]);
    if (it->shape % 2 == 1) {
        put(to, "*(2 + cos(q%u/L))", f);
    }
    if (it->shape == 2) {
        put(to, " + (1 + (q%u/L)^2)*", f);
        put_row(to, &of->list[it->second]);
    }
    put(to, ") = 0\n");
}

static void write_model(const invented *of, const units *in, bool has_more, page *to)
{
    put(to, "param L = %.17g, M = %.17g, T = %.17g\ncoord ", in->length, in->mass, in->time);
    for (uint32_t i = 0; i < of->n; i++) {
        put(to, "%sq%u", i > 0 ? ", " : "", i + 1);
    }
    put(to, "\nkinetic M*(0.2*q1'^2*(q2/L)^2");
    for (uint32_t i = 0; i < of->n; i++) {
        put(to, " + %.3f*q%u'^2", of->mass[i], i + 1);
    }
    put(to, ")\npotential M*L^2/T^2*(0.3*cos(q1/L - q2/L)");
    for (uint32_t i = 0; i < of->n; i++) {
        put(to, " + %.3f*(q%u/L)^2", of->stiffness[i], i + 1);
    }
    put(to, ")\n");
    for (uint32_t k = 0; k < of->count; k++) {
        put(to, "constraint c%u: ", k + 1);
        if (is_holonomic(&of->list[k])) {
            put_level(to, &of->list[k]);
            put(to, " = %.17g\n", of->list[k].c);
        } else {
            put_row(to, &of->list[k]);
            put(to, " = 0\n");
        }
    }
    for (uint32_t k = 0; has_more && k < of->more_count; k++) {
        put(to, "constraint d%u: ", k + 1);
        if (is_on_positions(of, &of->extra[k])) {
            put_positions(to, of, &of->extra[k]);
        } else {
            put_velocities(to, of, &of->extra[k]);
        }
    }
    put(to, "start ");
    for (uint32_t i = 0; i < of->n; i++) {
        put(to, "%sq%u = %.3f*L, q%u' = %.17g*L/T", i > 0 ? ", " : "", i + 1, of->x[i], i + 1,
            of->v[i]);
    }
    put(to, "\n");
}

// --- comparing -----------------------------------------------------------------------------------

typedef struct outcome {
    bool is_there;
    double x[2 * MOST];       // positions and velocities in their units
    bool is_unique[2 * MOST]; // by constraint
    char why[400];
} outcome;

static void take(moving *it, const invented *of, const units *in, bool has_more, outcome *out)
{
    double *row = moving_row(it, rh_motion_time(it->motion));
    for (uint32_t i = 0; i < of->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%u", i + 1);
        out->x[i] = row[moving_column(it, name)] / in->length;
        snprintf(name, sizeof name, "q%u'", i + 1);
        out->x[of->n + i] = row[moving_column(it, name)] / in->length * in->time;
    }
    for (uint32_t k = 0; k < of->count + (has_more ? of->more_count : 0); k++) {
        out->is_unique[k] = rh_motion_is_unique(it->motion, k);
    }
    free(row);
}

static outcome go(const invented *of, const units *in, bool has_more, const way *by)
{
    page text = {.size = 0};
    outcome out = {.is_there = false};
    moving it;
    write_model(of, in, has_more, &text);
    const moving_conditions with = {.is_plain = by->is_plain,
                                    .tolerance = by->tolerance,
                                    .method = by->method,
                                    .tier = by->tier,
                                    .step_limit = STEP_LIMIT};
    const rh_status status = moving_try(text.data, &with, &it);
    rh_stop stop = RH_STOP_NONE;
    if (status != RH_OK) {
        snprintf(out.why, sizeof out.why, "%s", it.err.message);
    } else if (rh_motion_advance(it.motion, T_END * in->time, &stop, &it.err) != RH_OK ||
               stop != RH_STOP_REACHED) {
        snprintf(out.why, sizeof out.why, "%s", rh_motion_reason(it.motion));
    } else {
        out.is_there = true;
        take(&it, of, in, has_more, &out);
    }
    moving_end(&it);
    return out;
}

static double distance(const invented *of, const outcome *a, const outcome *b)
{
    double worst = a->is_there && b->is_there ? 0.0 : INFINITY;
    for (uint32_t i = 0; worst < INFINITY && i < 2 * of->n; i++) {
        worst = fmax(worst, fabs(a->x[i] - b->x[i]) / (1.0 + fabs(b->x[i])));
    }
    return worst;
}

// Constraints that share their load with others: what follows from them, and what it follows from.
static bool is_shared(const invented *of, uint32_t k)
{
    bool is_part = k >= of->count;
    for (uint32_t m = 0; m < of->more_count; m++) {
        is_part = is_part || of->extra[m].first == k ||
                  (of->extra[m].shape == 2 && of->extra[m].second == k);
    }
    return is_part;
}

static bool agrees(const invented *of, const units *in, const outcome *expected, const way *by)
{
    const outcome without = go(of, in, false, by);
    const outcome with = go(of, in, true, by);
    const double known = distance(of, &without, expected);
    if (!(known < FITTING * by->accuracy)) {
        return true; // the tolerance does not fit the units, or there is no motion
    }
    const double off = distance(of, &with, expected);
    bool is_well = off <= by->accuracy;
    if (!is_well) {
        print_error("%s: off by %.3g (without by %.3g) %s\n", by->name, off, known, with.why);
    }
    for (uint32_t k = 0; with.is_there && k < of->count + of->more_count; k++) {
        if (with.is_unique[k] == is_shared(of, k)) {
            is_well = false;
            print_error("%s: constraint %u is %sunique\n", by->name, k + 1,
                        with.is_unique[k] ? "" : "not ");
        }
    }
    return is_well;
}

// Line by line: what is printed at once is cut off after a thousand characters.
static void print_page(const page *text)
{
    for (const char *at = text->data; *at != '\0';) {
        const size_t size = strcspn(at, "\n");
        print_error("%.*s\n", (int)size, at);
        at += size + (at[size] == '\n');
    }
}

static void redundant_constraints_change_nothing(void **state)
{
    (void)state;
    static const way REFERENCE = {"reference", RH_METHOD_TAYLOR, RH_TIER_INTERPRETED, true,
                                  0.0,         ACCURACY};
    static const units PLAIN = {1.0, 1.0, 1.0};
    const char *asked = getenv("RH_MODELS");
    const char *far = getenv("RH_REACH");
    const double reach = far != NULL ? strtod(far, NULL) : REACH;
    const uint32_t models = asked != NULL ? (uint32_t)strtoul(asked, NULL, 10) : MODELS;
    support_random random = support_random_begin("redundant");
    uint32_t compared = 0;
    uint32_t wrong = 0;
    for (uint32_t model = 0; model < models; model++) {
        const invented of = invent(&random);
        const units in = {pow(10.0, draw(&random, -reach, reach)),
                          pow(10.0, draw(&random, -REACH_MASS, REACH_MASS)),
                          pow(10.0, draw(&random, -reach, reach))};
        const units *units_of = model % 3 == 0 ? &PLAIN : &in;
        const outcome expected = go(&of, &PLAIN, false, &REFERENCE);
        if (!expected.is_there) {
            continue;
        }
        compared++;
        bool is_well = true;
        for (size_t k = 0; k < sizeof WAYS / sizeof WAYS[0]; k++) {
            if (WAYS[k].tier != RH_TIER_EMITTED || model % EMITTED_EVERY == 0) {
                is_well = agrees(&of, units_of, &expected, &WAYS[k]) && is_well;
            }
        }
        if (!is_well) {
            page text = {.size = 0};
            write_model(&of, units_of, true, &text);
            wrong++;
            print_error("model %u:\n", model);
            print_page(&text);
        }
    }
    print_message("%u of %u models compared, %u wrong\n", compared, models, wrong);
    assert_true(compared > models / 2);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_constraints_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
