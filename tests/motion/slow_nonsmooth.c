// SPDX-License-Identifier: Apache-2.0
// Random models with conditions in energies, forces and constraints, by every method, with and
// without presolve, interpreted and emitted, against the event-driven reference of nonsmooth.h.
// Where the text does not determine the motion every way must stop at the same time.

#include "moving.h"
#include "nonsmooth.h"

enum { MODELS = 300, TEXT = 4096, EMITTED_EVERY = 6, STEP_LIMIT = 100000 };

#define T_END 2.0
#define PERTURBED 1e-11   // of the start, to see how well the end is determined
#define ILL_POSED 1e-7    // change of the end by that above which a model is left out
#define ACCURACY 1e-8     // of the ends, relative to 1 + |value|
#define ACCURACY_BDF 2e-5 // the same by cvode and ida

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
    {"automatic", RH_METHOD_AUTO, RH_TIER_INTERPRETED, false, 0.0, ACCURACY},
    {"dop853", RH_METHOD_DOP853, RH_TIER_INTERPRETED, false, 1e-12, ACCURACY},
    {"dop853 without presolve", RH_METHOD_DOP853, RH_TIER_INTERPRETED, true, 1e-12, ACCURACY},
    {"cvode", RH_METHOD_CVODE, RH_TIER_INTERPRETED, false, 1e-11, ACCURACY_BDF},
    {"ida", RH_METHOD_IDA, RH_TIER_INTERPRETED, false, 1e-10, ACCURACY_BDF},
    {"emitted", RH_METHOD_TAYLOR, RH_TIER_EMITTED, false, 0.0, ACCURACY},
    {"emitted without presolve", RH_METHOD_TAYLOR, RH_TIER_EMITTED, true, 0.0, ACCURACY},
};

// --- inventing -----------------------------------------------------------------------------------

// Three decimals, so that text and numbers are the same.
static double draw(support_random *random, double low, double high)
{
    return nearbyint(1000.0 * support_random_real(random, low, high)) / 1000.0;
}

static bool chance(support_random *random, uint32_t percent)
{
    return support_random_below(random, 100) < percent;
}

static void draw_vector(support_random *random, uint32_t n, double *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = draw(random, -1.0, 1.0);
    }
    out[support_random_below(random, n)] = draw(random, 0.7, 1.2);
}

// A surface at some distance from the start, of positions, of time or of both.
static ns_surface draw_surface(support_random *random, const ns_system *of)
{
    ns_surface it = {.is_there = true};
    const uint32_t kind = support_random_below(random, 4);
    if (kind > 0) {
        draw_vector(random, of->n, it.a);
    }
    it.rate = kind == 0 ? 1.0 : kind == 1 ? draw(random, -0.5, 0.5) : 0.0;
    const double distance = kind == 0 ? -draw(random, 0.3, 1.7)
                                      : draw(random, 0.1, 0.8) * (chance(random, 50) ? 1 : -1);
    it.offset = distance - nearbyint(1000.0 * ns_dot(it.a, of->q, of->n)) / 1000.0;
    return it;
}

static ns_system invent(support_random *random)
{
    ns_system of = {.n = 2 + support_random_below(random, 2)};
    for (uint32_t i = 0; i < of.n; i++) {
        of.M[i][i] = draw(random, 1.0, 2.0);
        for (uint32_t j = 0; j < i; j++) {
            of.M[i][j] = of.M[j][i] = draw(random, -0.4, 0.4);
        }
        of.k[i] = draw(random, 0.3, 3.0);
        of.f[i] = draw(random, -2.0, 2.0);
        of.q[i] = draw(random, -0.5, 0.5);
        of.v[i] = draw(random, -1.5, 1.5);
    }
    of.frequency = draw(random, 0.5, 4.0);
    of.damping = chance(random, 50) ? draw(random, 0.0, 0.3) : 0.0;
    if (chance(random, 35)) {
        of.heavier = draw_surface(random, &of);
        of.m2 = draw(random, 0.4, 2.5);
    }
    if (chance(random, 40)) {
        of.step = draw_surface(random, &of);
        of.h = draw(random, -1.0, 1.0);
    }
    if (chance(random, 30)) {
        of.bend = draw_surface(random, &of);
        of.slope = draw(random, -0.5, 1.0);
    }
    if (chance(random, 40)) {
        of.has_friction = true;
        draw_vector(random, of.n, of.b);
        of.friction = chance(random, 10) ? 0.0 : draw(random, 0.1, 1.5);
    }
    if (chance(random, 40)) {
        draw_vector(random, of.n, of.c);
        of.has_drive = chance(random, 60);
        of.kink = draw(random, 0.2, 1.8);
        of.p0 = ns_dot(of.c, of.q, of.n);
        of.p1 = ns_dot(of.c, of.v, of.n);
        of.p2 = draw(random, -1.5, 1.5);
        of.speed = draw(random, -1.0, 1.0);
        if (!of.has_drive) {
            of.rolling = draw_surface(random, &of);
            const double level = ns_dot(of.rolling.a, of.q, of.n) + of.rolling.offset;
            if (level < 0.0) { // it begins off
                of.rolling.offset = -of.rolling.offset;
                of.rolling.rate = -of.rolling.rate;
                for (uint32_t i = 0; i < of.n; i++) {
                    of.rolling.a[i] = -of.rolling.a[i];
                }
            }
        }
    }
    if (of.n == 3 && chance(random, 40)) {
        of.wall = draw_surface(random, &of);
        of.wall.rate = ns_dot(of.wall.a, of.wall.a, of.n) == 0.0 ? 0.0 : of.wall.rate;
        of.wall.is_there = ns_dot(of.wall.a, of.wall.a, of.n) > 0.0;
        const double level = ns_dot(of.wall.a, of.q, of.n) + of.wall.offset;
        of.wall.offset += level < 0.0 ? nearbyint(1000.0 * (0.3 - level)) / 1000.0 : 0.0;
        of.restitution = chance(random, 30) ? 0.0 : draw(random, 0.3, 1.0);
    }
    return of;
}

// --- writing -------------------------------------------------------------------------------------

typedef struct page {
    char data[TEXT];
    size_t size;
} page;

__attribute__((format(printf, 2, 3))) static void put(page *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(to->data + to->size, sizeof to->data - to->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && to->size + (size_t)size < sizeof to->data);
    to->size += (size_t)size;
}

static void put_combination(page *to, uint32_t n, const double *a, const char *prime)
{
    for (uint32_t i = 0; i < n; i++) {
        put(to, "%s(%.3f)*q%u%s", i > 0 ? " + " : "", a[i], i + 1, prime);
    }
}

static void put_surface(page *to, uint32_t n, const ns_surface *surface)
{
    put_combination(to, n, surface->a, "");
    put(to, " + (%.3f)*t + (%.3f)", surface->rate, surface->offset);
}

// if(s < 0, low, high), in one of several spellings; most of them are conditions of conditions.
static void put_choice(page *to, const char *surface, double low, double high, uint32_t spelling)
{
    static const char *const TRUTHS[] = {
        "0 < %s",          "max(0, %s) > 0",         "sign(%s) == 1",
        "min(%s, 0) >= 0", "if(%s < 0, 0, 1) > 0.5", "sign(max(0, %s)) + 1 > 1.5"};
    static const char *const SIGNS[] = {"sign(%s)", "(2*max(0, sign(%s)) - 1)",
                                        "(2*sign(max(0, %s)) - 1)"};
    char text[128];
    if (spelling % 10 == 0) {
        put(to, "if(%s < 0, %.3f, %.3f)", surface, low, high);
    } else if (spelling % 10 <= 6) {
        (void)snprintf(text, sizeof text, TRUTHS[spelling % 10 - 1], surface); // NOLINT
        put(to, "if(%s, %.3f, %.3f)", text, high, low);
    } else {
        (void)snprintf(text, sizeof text, SIGNS[spelling % 10 - 7], surface); // NOLINT
        put(to, "((%.6f) + (%.6f)*%s)", (low + high) / 2.0, (high - low) / 2.0, text);
    }
}

static void write_energies(const ns_system *of, page *to, uint32_t spelling)
{
    put(to, "kinetic ");
    if (of->heavier.is_there) {
        put_choice(to, "heavier", 1.0, of->m2, spelling);
        put(to, "*");
    }
    put(to, "(");
    for (uint32_t i = 0; i < of->n; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            put(to, "%s(%.4f)*q%u'*q%u'", i > 0 ? " + " : "", (i == j ? 0.5 : 1.0) * of->M[i][j],
                i + 1, j + 1);
        }
    }
    put(to, ")\npotential 0.3*cos(q1 - q2)");
    for (uint32_t i = 0; i < of->n; i++) {
        put(to, " + %.4f*q%u^2", of->k[i] / 2.0, i + 1);
    }
    if (of->step.is_there) {
        put(to, " + ");
        put_choice(to, "step", 0.0, of->h, spelling / 3);
    }
    if (of->bend.is_there) {
        put(to, spelling % 2 == 0 ? " + (%.3f)*abs(bend)" : " + (%.3f)*max(bend, -bend)",
            of->slope);
    }
    put(to, "\n");
}

static void write_text(const ns_system *of, page *to, uint32_t spelling)
{
    static const struct {
        const char *name;
        size_t at;
    } SURFACES[] = {{"heavier", offsetof(ns_system, heavier)},
                    {"step", offsetof(ns_system, step)},
                    {"bend", offsetof(ns_system, bend)},
                    {"rolling", offsetof(ns_system, rolling)},
                    {"wall", offsetof(ns_system, wall)}};
    put(to, of->n == 3 ? "coord q1, q2, q3\n" : "coord q1, q2\n");
    for (size_t k = 0; k < sizeof SURFACES / sizeof SURFACES[0]; k++) {
        const ns_surface *surface =
            (const ns_surface *)((const char *)of + SURFACES[k].at); // NOLINT
        if (surface->is_there) {
            put(to, "let %s = ", k == 4 ? "height" : SURFACES[k].name);
            put_surface(to, of->n, surface);
            put(to, "\n");
        }
    }
    write_energies(of, to, spelling);
    for (uint32_t i = 0; i < of->n; i++) {
        put(to, "force q%u: (%.3f)*sin(%.3f*t) - %.3f*q%u'", i + 1, of->f[i], of->frequency,
            of->damping, i + 1);
        if (of->has_friction) {
            put(to, " - (%.3f)*(%.3f)*sign(", of->friction, of->b[i]);
            put_combination(to, of->n, of->b, "'");
            put(to, ")");
        }
        put(to, "\n");
    }
    if (of->has_drive) {
        put(to, "param kink = %.3f\nconstraint drive: ", of->kink);
        put_combination(to, of->n, of->c, "");
        put(to, " = %.17g + (%.17g)*t + ", of->p0, of->p1);
        put(to,
            spelling % 2 == 0 ? "(%.3f)*max(0, t - %.3f)\n"
                              : "(%.3f)*(abs(t - %.3f) + t - kink)/2\n",
            of->p2, of->kink);
    }
    if (of->rolling.is_there && spelling % 2 == 0) {
        put(to, "constraint roll: ");
        put_combination(to, of->n, of->c, "'");
        put(to, " = %.3f while %s\n", of->speed,
            spelling % 4 == 0 ? "rolling < 0" : "abs(rolling) - rolling > 0");
    } else if (of->rolling.is_there) {
        put(to, "constraint roll: if(%s, ",
            spelling % 4 == 1 ? "rolling < 0" : "min(rolling, 0) < 0");
        put_combination(to, of->n, of->c, "'");
        put(to, " - (%.3f), 0) = 0\n", of->speed);
    }
    if (of->wall.is_there) {
        put(to, "constraint wall: height >= 0 impact %.3f\n", of->restitution);
    }
    put(to, "start ");
    for (uint32_t i = 0; i < of->n; i++) {
        put(to, "%sq%u = %.17g, q%u' = %.17g", i > 0 ? ", " : "", i + 1, of->q[i], i + 1, of->v[i]);
    }
    put(to, "\n");
}

// --- comparing -----------------------------------------------------------------------------------

static ns_state begin(const ns_system *of, double shift)
{
    ns_state at = {.t = 0.0};
    for (uint32_t i = 0; i < of->n; i++) {
        at.q[i] = of->q[i];
        at.v[i] = of->v[i] + shift;
    }
    at.heavier = ns_level(of, &of->heavier, &at) > 0.0 ? 1 : -1;
    at.step = ns_level(of, &of->step, &at) > 0.0 ? 1 : -1;
    at.bend = ns_level(of, &of->bend, &at) > 0.0 ? 1 : -1;
    at.slip = ns_dot(of->b, at.v, of->n) > 0.0 ? 1 : -1;
    return at;
}

// Is the end of the reference well determined by its start?
static bool is_sure(const ns_system *of, const ns_run *found)
{
    const ns_state shifted = begin(of, of->has_drive ? 0.0 : PERTURBED);
    const ns_run other = ns_go(of, &shifted, T_END);
    bool is_near = found->end != NS_UNSURE && other.end == found->end;
    for (uint32_t i = 0; is_near && i < of->n; i++) {
        is_near = fabs(other.now.q[i] - found->now.q[i]) < ILL_POSED &&
                  fabs(other.now.v[i] - found->now.v[i]) < ILL_POSED;
    }
    return is_near && other.events == found->events;
}

static bool agrees(const ns_run *expected, const char *text, const way *by)
{
    const moving_conditions with = {.method = by->method,
                                    .tier = by->tier,
                                    .is_plain = by->is_plain,
                                    .tolerance = by->tolerance,
                                    .step_limit = STEP_LIMIT};
    moving it;
    const rh_status status = moving_try(text, &with, &it);
    bool is_well = status == RH_OK;
    const char *why = is_well ? "" : it.err.message;
    double worst = 0.0;
    if (is_well) {
        const rh_stop stop = moving_advance(&it, T_END);
        why = rh_motion_reason(it.motion);
        is_well = stop == (expected->end == NS_REACHED ? RH_STOP_REACHED : RH_STOP_FAILED) &&
                  fabs(rh_motion_time(it.motion) - expected->now.t) < 100.0 * by->accuracy;
        for (uint32_t i = 0; expected->end == NS_REACHED && is_well && i < expected->of->n; i++) {
            char name[16];
            (void)snprintf(name, sizeof name, "q%u", i + 1);
            worst = fmax(worst, fabs(moving_value(&it, name) - expected->now.q[i]));
            (void)snprintf(name, sizeof name, "q%u'", i + 1);
            worst = fmax(worst, fabs(moving_value(&it, name) - expected->now.v[i]) /
                                    (1.0 + fabs(expected->now.v[i])));
        }
        is_well = is_well && worst < by->accuracy;
    }
    if (!is_well) {
        print_error(
            "%s: off by %.3g at t = %.17g, %s; the reference has %u events, ends at %.17g %s\n",
            by->name, worst, it.motion != NULL ? rh_motion_time(it.motion) : NAN, why,
            expected->events, expected->now.t, expected->why);
    }
    moving_end(&it);
    return is_well;
}

static void all_ways_agree_with_the_reference(void **state)
{
    (void)state;
    support_random random = support_random_begin("nonsmooth");
    uint32_t compared = 0;
    uint32_t wrong = 0;
    for (uint32_t model = 0; model < MODELS; model++) {
        const ns_system of = invent(&random);
        const ns_state start = begin(&of, 0.0);
        const ns_run expected = ns_go(&of, &start, T_END);
        page text = {.size = 0};
        write_text(&of, &text, model);
        if (!is_sure(&of, &expected)) {
            continue;
        }
        compared++;
        bool is_well = true;
        for (size_t k = 0; k < sizeof WAYS / sizeof WAYS[0]; k++) {
            if (WAYS[k].tier != RH_TIER_EMITTED || model % EMITTED_EVERY == 0) {
                is_well = agrees(&expected, text.data, &WAYS[k]) && is_well;
            }
        }
        if (!is_well) {
            wrong++;
            print_error("model %u:\n%s\n", model, text.data);
        }
    }
    print_message("%u of %u models compared, %u wrong\n", compared, MODELS, wrong);
    assert_true(compared > MODELS / 2);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_agree_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
