// SPDX-License-Identifier: Apache-2.0
// Random models with one-sided constraints, and what holds along every motion of them whatever the
// model is: nothing on the wrong side, reactions that push and only where they touch, the balance
// of energy, impacts that lose what they should, no chatter, the same again. Models are made so
// that there is always a way on: rest is allowed by every constraint.

#pragma once

#include "moving.h"

enum { JUMBLE_SIZE = 4, JUMBLE_GATES = 4, JUMBLE_TEXT = 8192 };

typedef struct jumble {
    char text[JUMBLE_TEXT];
    size_t size;
    uint32_t n, gates;
    bool is_wall;
    double restitution;
    // of simple ones: constant inertia, constant linear constraints
    double inertia[JUMBLE_SIZE][JUMBLE_SIZE];
    double normal[JUMBLE_GATES][JUMBLE_SIZE], reserve[JUMBLE_GATES];
    double force[JUMBLE_SIZE][4]; // f0 sin(f1 t + f2) - f3 v
    double v[JUMBLE_SIZE];
} jumble;

static inline void jumble_put(jumble *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void jumble_put(jumble *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int size = vsnprintf(to->text + to->size, JUMBLE_TEXT - to->size, format, list);
    va_end(list);
    assert_true(size >= 0 && to->size + (size_t)size < JUMBLE_TEXT);
    to->size += (size_t)size;
}

// --- making --------------------------------------------------------------------------------------

// A factor near 1 that depends on a coordinate.
static inline void jumble_put_wave(jumble *to, support_random *random, bool is_simple)
{
    if (is_simple) {
        jumble_put(to, "1");
    } else {
        jumble_put(to, "(1 + %.3f*cos(q%u + %.3f))", support_random_real(random, -0.4, 0.4),
                   1 + support_random_below(random, to->n), support_random_real(random, 0.0, 6.0));
    }
}

// T = sum of m (q_i' + b q_j')^2/2
static inline void jumble_put_energy(jumble *to, support_random *random, bool is_simple)
{
    jumble_put(to, "let T = 0");
    for (uint32_t i = 0; i < to->n; i++) {
        const uint32_t j = support_random_below(random, to->n);
        const double m = support_random_real(random, 0.3, 2.0);
        const double b = i == j ? 0.0 : support_random_real(random, -0.8, 0.8);
        double row[JUMBLE_SIZE] = {0};
        row[i] += 1.0;
        row[j] += b;
        for (uint32_t k = 0; k < to->n * to->n; k++) {
            to->inertia[k / to->n][k % to->n] += m * row[k / to->n] * row[k % to->n];
        }
        jumble_put(to, " + %.17g*", m);
        jumble_put_wave(to, random, is_simple);
        jumble_put(to, "*(q%u' + %.17g*q%u')^2/2", i + 1, b, j + 1);
    }
    jumble_put(to, "\nkinetic T\nobserve energy = T\n");
}

static inline void jumble_put_forces(jumble *to, support_random *random, bool is_simple)
{
    for (uint32_t i = 0; i < to->n; i++) {
        double *f = to->force[i];
        f[0] = support_random_real(random, -3.0, 3.0);
        f[1] = support_random_real(random, 0.3, 2.5);
        f[2] = support_random_real(random, 0.0, 6.0);
        f[3] = support_random_real(random, 0.0, 0.5);
        jumble_put(to, "let F%u = %.17g*sin(%.17g*t + %.17g) - %.17g*q%u'", i + 1, f[0], f[1], f[2],
                   f[3], i + 1);
        if (!is_simple) {
            jumble_put(to, " - %.3f*q%u + %.3f*sin(q%u)", support_random_real(random, 0.0, 1.0),
                       i + 1, support_random_real(random, -1.0, 1.0),
                       1 + support_random_below(random, to->n));
        }
        jumble_put(to, "\nforce q%u: F%u\n", i + 1, i + 1);
    }
}

// All normals have a positive product with (1, 1, ...): together they leave a way.
static inline void jumble_find_normal(jumble *to, support_random *random, double *normal)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < to->n; i++) {
        normal[i] = support_random_real(random, -1.0, 1.0);
        sum += normal[i];
    }
    for (uint32_t i = 0; i < to->n; i++) {
        normal[i] = (sum < 0.0 ? -normal[i] : normal[i]) + 0.2;
    }
}

// The gradient of gate k by the velocities, times the velocities: what its multiplier acts on.
static inline void jumble_put_linear(jumble *to, support_random *random, uint32_t k, bool is_simple)
{
    double *normal = to->normal[k];
    jumble_find_normal(to, random, normal);
    jumble_put(to, "let s%u = 0", k + 1);
    for (uint32_t i = 0; i < to->n; i++) {
        jumble_put(to, " + %.17g*", normal[i]);
        jumble_put_wave(to, random, is_simple);
        jumble_put(to, "*q%u'", i + 1);
    }
    to->reserve[k] =
        support_random_below(random, 2) == 0 ? 0.0 : support_random_real(random, 0.1, 0.6);
    jumble_put(to, "\nconstraint g%u: s%u + %.17g >= 0\n", k + 1, k + 1, to->reserve[k]);
}

// A limit of speed c - v^2/2 >= 0, in a metric of its own.
static inline void jumble_put_limit(jumble *to, support_random *random, uint32_t k)
{
    jumble_put(to, "let s%u = -(0", k + 1);
    for (uint32_t i = 0; i < to->n; i++) {
        jumble_put(to, " + %.3f*", support_random_real(random, 0.5, 2.0));
        jumble_put_wave(to, random, false);
        jumble_put(to, "*q%u'^2", i + 1);
    }
    jumble_put(to, ")\nconstraint g%u: %.3f + s%u/2 >= 0\n", k + 1,
               support_random_real(random, 1.0, 3.0), k + 1);
}

static inline void jumble_put_wall(jumble *to, support_random *random, uint32_t k)
{
    double *normal = to->normal[k];
    jumble_find_normal(to, random, normal);
    jumble_put(to, "let h%u = %.3f", k + 1, support_random_real(random, 0.2, 1.0));
    for (uint32_t i = 0; i < to->n; i++) {
        jumble_put(to, " + %.17g*q%u", normal[i], i + 1);
    }
    jumble_put(to, "\nlet s%u = 0", k + 1);
    for (uint32_t i = 0; i < to->n; i++) {
        jumble_put(to, " + %.17g*q%u'", normal[i], i + 1);
    }
    jumble_put(to, "\nconstraint g%u: h%u >= 0 impact %.17g\n", k + 1, k + 1, to->restitution);
}

static inline void jumble_finish(jumble *to, support_random *random, bool is_moving)
{
    jumble_put(to, "start t = 0");
    for (uint32_t i = 0; i < to->n; i++) {
        to->v[i] = is_moving ? support_random_real(random, 0.0, 0.3) : 0.0;
        jumble_put(to, ", q%u = 0, q%u' = %.17g", i + 1, i + 1, to->v[i]);
    }
    jumble_put(to, "\nobserve power = 0");
    for (uint32_t i = 0; i < to->n; i++) {
        jumble_put(to, " + F%u*q%u'", i + 1, i + 1);
    }
    for (uint32_t k = 0; k < to->gates; k++) {
        jumble_put(to, " + lambda.g%u*s%u", k + 1, k + 1);
    }
    for (uint32_t k = 0; k < to->gates; k++) {
        jumble_put(to, "\nobserve speed%u = s%u", k + 1, k + 1);
    }
    jumble_put(to, "\n");
}

static inline void jumble_begin(jumble *to, support_random *random, bool is_simple)
{
    to->n = 2 + support_random_below(random, JUMBLE_SIZE - 1);
    to->gates = 1 + support_random_below(random, JUMBLE_GATES);
    jumble_put(to, "coord q1");
    for (uint32_t i = 1; i < to->n; i++) {
        jumble_put(to, ", q%u", i + 1);
    }
    jumble_put(to, "\n");
    jumble_put_energy(to, random, is_simple);
    jumble_put_forces(to, random, is_simple);
}

/// Constraints in velocities; `is_simple`: all but the forces is constant.
static inline void jumble_make(jumble *to, support_random *random, bool is_simple)
{
    *to = (jumble){.size = 0};
    jumble_begin(to, random, is_simple);
    for (uint32_t k = 0; k < to->gates; k++) {
        if (!is_simple && support_random_below(random, 3) == 0) {
            jumble_put_limit(to, random, k);
        } else {
            jumble_put_linear(to, random, k, is_simple);
        }
    }
    jumble_finish(to, random, false);
}

/// Walls with one restitution for all.
static inline void jumble_make_walls(jumble *to, support_random *random)
{
    static const double RESTITUTIONS[] = {0.0, 1.0, 0.5, 0.8};
    *to = (jumble){.is_wall = true};
    to->restitution = RESTITUTIONS[support_random_below(random, 4)];
    jumble_begin(to, random, true);
    for (uint32_t k = 0; k < to->gates; k++) {
        jumble_put_wall(to, random, k);
    }
    jumble_finish(to, random, true);
}

// --- watching ------------------------------------------------------------------------------------

// Gauss and Legendre, ten points on [-1, 1].
static const double JUMBLE_NODES[5] = {0.14887433898163121088, 0.43339539412924719080,
                                       0.67940956829902440623, 0.86506336668898451073,
                                       0.97390652851717172008};
static const double JUMBLE_WEIGHTS[5] = {0.29552422471475287017, 0.26926671930999635509,
                                         0.21908636251598204400, 0.14945134915058059315,
                                         0.06667134430868813759};

typedef struct jumble_watch {
    moving it;
    const jumble *of;
    size_t energy, power, deviation[JUMBLE_GATES], multiplier[JUMBLE_GATES], speed[JUMBLE_GATES];
    double *row;
    double worst_side, worst_push, worst_energy;
    double wrong_at;
    const char *wrong;
} jumble_watch;

static inline void jumble_watch_begin(jumble_watch *to, const jumble *of,
                                      const moving_conditions *with)
{
    char name[32];
    *to = (jumble_watch){.of = of, .it = moving_begin(of->text, with)};
    to->energy = moving_column(&to->it, "energy");
    to->power = moving_column(&to->it, "power");
    for (uint32_t k = 0; k < of->gates; k++) {
        (void)snprintf(name, sizeof name, "dev.g%u", k + 1);
        to->deviation[k] = moving_column(&to->it, name);
        (void)snprintf(name, sizeof name, "lambda.g%u", k + 1);
        to->multiplier[k] = moving_column(&to->it, name);
        (void)snprintf(name, sizeof name, "speed%u", k + 1);
        to->speed[k] = moving_column(&to->it, name);
    }
    to->row = calloc(rh_motion_column_count(to->it.motion), sizeof *to->row);
    assert_non_null(to->row);
}

static inline void jumble_watch_end(jumble_watch *to)
{
    free(to->row);
    moving_end(&to->it);
}

static inline void jumble_note(jumble_watch *watch, bool is_right, const char *what, double at)
{
    if (!is_right && watch->wrong == NULL) {
        watch->wrong = what;
        watch->wrong_at = at;
    }
}

// One point: sides, pushes, one of both zero. The power there.
static inline double jumble_look(jumble_watch *watch, double time)
{
    assert_int_equal(rh_motion_row(watch->it.motion, time, watch->row, NULL), RH_OK);
    for (uint32_t k = 0; k < watch->of->gates; k++) {
        const double side = watch->row[watch->deviation[k]];
        const double push = watch->row[watch->multiplier[k]];
        watch->worst_side = fmin(watch->worst_side, side);
        watch->worst_push = fmin(watch->worst_push, push);
        jumble_note(watch, side >= -1e-9, "on the wrong side", time);
        jumble_note(watch, push >= -1e-9, "a reaction pulls", time);
        jumble_note(watch, fmin(side, push) <= 1e-9, "a reaction without contact", time);
    }
    return watch->row[watch->power];
}

// The last step: what its energy is at its end, by its beginning and the power.
static inline double jumble_balance(jumble_watch *watch)
{
    const double begin = rh_motion_time_before(watch->it.motion);
    const double end = rh_motion_time(watch->it.motion);
    const double half = 0.5 * (end - begin);
    double sum = 0.0;
    for (int k = 0; k < 10 && end > begin; k++) {
        const double node = k % 2 == 0 ? JUMBLE_NODES[k / 2] : -JUMBLE_NODES[k / 2];
        sum += JUMBLE_WEIGHTS[k / 2] * half * jumble_look(watch, begin + half * (1.0 + node));
    }
    return sum;
}

// Impacts since the event `from`: of one gate, or of any (NULL).
static inline bool jumble_is_hit(const moving *it, size_t from, const char *name)
{
    bool is_hit = false;
    for (size_t k = from; k < rh_motion_occurrence_count(it->motion); k++) {
        const rh_occurrence at = rh_motion_occurrence(it->motion, k);
        is_hit = is_hit ||
                 (at.kind == RH_OCCURRENCE_IMPACT && (name == NULL || strcmp(name, at.name) == 0));
    }
    return is_hit;
}

// Velocities across an impact: Newton's rule for all walls that are hit. Impacts that accumulate
// are slow by then, and end.
static inline void jumble_check_impact(jumble_watch *watch, size_t from, const double *before,
                                       double lost)
{
    const double e = watch->of->restitution;
    const double time = rh_motion_time(watch->it.motion);
    for (uint32_t k = 0; k < watch->of->gates; k++) {
        char name[16];
        const double after = watch->row[watch->speed[k]];
        (void)snprintf(name, sizeof name, "g%u", k + 1);
        if (jumble_is_hit(&watch->it, from, name)) {
            jumble_note(watch, after >= -1e-11, "into the wall after an impact", time);
            jumble_note(watch, before[k] > -1e-5 || after >= -e * before[k] - 1e-6,
                        "less than its restitution", time);
        }
    }
    jumble_note(watch, lost >= -1e-8, "an impact gains energy", time);
    jumble_note(watch, e < 1.0 || fabs(lost) < 1e-8, "an elastic impact loses energy", time);
}

static inline void jumble_step(jumble_watch *watch, double t_end, rh_stop *stop)
{
    rh_motion *motion = watch->it.motion;
    double before[JUMBLE_GATES];
    const double begin = rh_motion_time(motion);
    const size_t events = rh_motion_occurrence_count(motion);
    assert_int_equal(rh_motion_row(motion, begin, watch->row, NULL), RH_OK);
    const double energy = watch->row[watch->energy];
    assert_int_equal(rh_motion_step(motion, t_end, stop, NULL), RH_OK);
    const double end = rh_motion_time(motion);
    const double expected = energy + jumble_balance(watch);
    // just before the end
    (void)jumble_look(watch, begin + (end - begin) * (1.0 - 1e-12));
    for (uint32_t k = 0; k < watch->of->gates; k++) {
        before[k] = watch->row[watch->speed[k]];
    }
    assert_int_equal(rh_motion_row(motion, end, watch->row, NULL), RH_OK);
    const double found = watch->row[watch->energy];
    if (jumble_is_hit(&watch->it, events, NULL)) {
        jumble_check_impact(watch, events, before, expected - found);
    } else {
        watch->worst_energy = fmax(watch->worst_energy, fabs(found - expected));
        jumble_note(watch, fabs(found - expected) <= 1e-9 * (1.0 + energy), "energy", end);
    }
}

// A constraint that lets go and acts again within 1e-9, or the other way round. Impacts may do
// that: between two walls they follow each other ever faster, and each lifts the other contact.
static inline void jumble_check_chatter(jumble_watch *watch)
{
    const size_t count = rh_motion_occurrence_count(watch->it.motion);
    for (size_t k = 1; k < count; k++) {
        const rh_occurrence a = rh_motion_occurrence(watch->it.motion, k - 1);
        for (size_t j = k; j < count; j++) {
            const rh_occurrence b = rh_motion_occurrence(watch->it.motion, j);
            const bool is_pair =
                (a.kind == RH_OCCURRENCE_LEAVE && b.kind == RH_OCCURRENCE_ENGAGE) ||
                (a.kind == RH_OCCURRENCE_ENGAGE && b.kind == RH_OCCURRENCE_LEAVE);
            if (b.kind == RH_OCCURRENCE_IMPACT || b.time - a.time > 1e-9) {
                break;
            }
            jumble_note(watch, !is_pair || strcmp(a.name, b.name) != 0, "chatter", a.time);
        }
    }
}

// Line by line: what is printed at once is cut off after a thousand characters.
static inline void jumble_print(const jumble *of)
{
    for (const char *at = of->text; *at != '\0';) {
        const size_t size = strcspn(at, "\n");
        print_error("%.*s\n", (int)size, at);
        at += size + (at[size] == '\n');
    }
}

static inline void jumble_say(const jumble_watch *watch)
{
    for (size_t k = 0; k < rh_motion_occurrence_count(watch->it.motion); k++) {
        const rh_occurrence at = rh_motion_occurrence(watch->it.motion, k);
        print_error("    %s %.17g %s\n", rh_occurrence_kind_text(at.kind), at.time, at.name);
    }
}

static inline void jumble_check_motion(jumble_watch *watch, double t_end)
{
    rh_stop stop = RH_STOP_NONE;
    while (stop == RH_STOP_NONE && watch->wrong == NULL) {
        jumble_step(watch, t_end, &stop);
    }
    jumble_check_chatter(watch);
    if (watch->wrong != NULL || stop != RH_STOP_REACHED) {
        jumble_say(watch);
        jumble_print(watch->of);
        fail_msg("%s at %.17g; stop %d at %.17g %s; side %.3g push %.3g energy %.3g",
                 watch->wrong != NULL ? watch->wrong : "ended", watch->wrong_at, (int)stop,
                 rh_motion_time(watch->it.motion), rh_motion_reason(watch->it.motion),
                 watch->worst_side, watch->worst_push, watch->worst_energy);
    }
}

// --- comparing -----------------------------------------------------------------------------------

// Does it count? Of impacts that accumulate only the first do: where they end is a matter of the
// method.
static inline bool jumble_is_change(const moving *it, size_t index)
{
    const rh_occurrence at = rh_motion_occurrence(it->motion, index);
    for (size_t k = index; at.kind == RH_OCCURRENCE_IMPACT && k-- > 0;) {
        const rh_occurrence before = rh_motion_occurrence(it->motion, k);
        if (before.kind == at.kind && strcmp(before.name, at.name) == 0) {
            return at.time - before.time > 1e-5;
        }
    }
    return at.kind != RH_OCCURRENCE_GRAZE && at.kind != RH_OCCURRENCE_NEUTRAL;
}

static inline size_t jumble_next(const moving *it, size_t from)
{
    while (from < rh_motion_occurrence_count(it->motion) && !jumble_is_change(it, from)) {
        from++;
    }
    return from;
}

/// Several things at once, as where constraints all hold with equality at rest: which of them act
/// is not unique then, the motion is.
static inline bool jumble_is_crowded(const moving *it)
{
    for (size_t k = 1; k < rh_motion_occurrence_count(it->motion); k++) {
        const rh_occurrence a = rh_motion_occurrence(it->motion, k - 1);
        const rh_occurrence b = rh_motion_occurrence(it->motion, k);
        if (b.time - a.time < 1e-5 &&
            !(a.kind == RH_OCCURRENCE_IMPACT && strcmp(a.name, b.name) == 0)) {
            return true;
        }
    }
    return false;
}

/// The same changes in the same order, at times that differ by at most `tolerance`.
static inline bool jumble_events_agree(const moving *a, const moving *b, double tolerance)
{
    size_t i = jumble_next(a, 0);
    size_t j = jumble_next(b, 0);
    const size_t a_count = rh_motion_occurrence_count(a->motion);
    const size_t b_count = rh_motion_occurrence_count(b->motion);
    for (; i < a_count && j < b_count; i = jumble_next(a, i + 1), j = jumble_next(b, j + 1)) {
        const rh_occurrence x = rh_motion_occurrence(a->motion, i);
        const rh_occurrence y = rh_motion_occurrence(b->motion, j);
        if (x.kind != y.kind || strcmp(x.name, y.name) != 0 ||
            !(fabs(x.time - y.time) <= tolerance)) {
            return false;
        }
    }
    return i >= a_count && j >= b_count;
}

static inline bool jumble_states_agree(moving *a, moving *b, double tolerance)
{
    double *x = moving_row(a, rh_motion_time(a->motion));
    double *y = moving_row(b, rh_motion_time(b->motion));
    bool ok = true;
    for (size_t k = 0; k < rh_motion_column_count(a->motion); k++) {
        const rh_quantity what = rh_motion_column_quantity(a->motion, k);
        if (what == RH_QUANTITY_VARIABLE || what == RH_QUANTITY_VELOCITY) {
            ok = ok && fabs(x[k] - y[k]) <= tolerance * (1.0 + fabs(x[k]));
        }
    }
    free(x);
    free(y);
    return ok;
}

static inline void jumble_compare(const jumble *of, jumble_watch *first,
                                  const moving_conditions *with, double tolerance, const char *what)
{
    moving other = moving_begin(of->text, with);
    const rh_stop stop = moving_advance(&other, rh_motion_time(first->it.motion));
    const bool is_crowded = with->method == RH_METHOD_DOP853 && jumble_is_crowded(&first->it);
    const bool ok = stop == RH_STOP_REACHED &&
                    (is_crowded || jumble_events_agree(&first->it, &other, tolerance)) &&
                    jumble_states_agree(&first->it, &other, tolerance);
    if (!ok) {
        jumble_say(first);
        print_error("against\n");
        const jumble_watch second = {.it = other};
        jumble_say(&second);
        jumble_print(of);
        fail_msg("%s: stop %d %s", what, (int)stop, rh_motion_reason(other.motion));
    }
    moving_end(&other);
}

/// All of it for one model.
static inline void jumble_try(const jumble *of, double t_end)
{
    const moving_conditions own = {.method = RH_METHOD_TAYLOR};
    const moving_conditions plain = {.method = RH_METHOD_TAYLOR, .is_plain = true};
    const moving_conditions runge = {.method = RH_METHOD_DOP853, .tolerance = 1e-12};
    jumble_watch watch;
    jumble_watch_begin(&watch, of, &own);
    jumble_check_motion(&watch, t_end);
    jumble_compare(of, &watch, &plain, 1e-7, "without presolve");
    jumble_compare(of, &watch, &runge, 1e-5, "by dop853");
    jumble_watch_end(&watch);
}

/// The same bits again.
static inline void jumble_try_again(const jumble *of, double t_end)
{
    moving a = moving_begin(of->text, NULL);
    moving b = moving_begin(of->text, NULL);
    moving_reach(&a, t_end);
    moving_reach(&b, t_end);
    const bool ok = jumble_events_agree(&a, &b, 0.0) && jumble_states_agree(&a, &b, 0.0);
    moving_end(&a);
    moving_end(&b);
    assert_true(ok);
}

static inline void jumble_try_many(support_random *random, uint32_t count)
{
    static jumble it;
    for (uint32_t k = 0; k < count; k++) {
        jumble_make(&it, random, k % 4 == 0);
        jumble_try(&it, 6.0);
        jumble_make_walls(&it, random);
        jumble_try(&it, 4.0);
        if (k % 8 == 0) {
            jumble_try_again(&it, 4.0);
        }
    }
}

/// How far the velocities of a motion are from others.
static inline double jumble_miss(moving *it, const jumble *of, const double *v)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < of->n; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "q%u'", i + 1);
        worst = fmax(worst, fabs(moving_value(it, name) - v[i]));
    }
    return worst;
}
