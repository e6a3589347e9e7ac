// SPDX-License-Identifier: Apache-2.0
// Rewriting keeps digits. Of models with energies and two-sided constraints, rates and multipliers
// as the tapes of the presolved system compute them are held against those of the text: derivatives
// of the energies and constraints as they were written, in balls of 300 bits, with no form chosen
// by anyone. The error may be 100 roundings times the condition of the problem: the sum of |dr/ds *
// s| over all symbols s, by differences in the same balls.

#include "proof/proof.h"
#include "tape/workshop.h"

enum { BITS = 300, MOST = 16, STATES = 3 };

// --- the problem in the words of the text --------------------------------------------------------

typedef struct problem {
    machine it;
    rh_store *store;
    uint32_t n, m; // coordinates, constraints
    rh_expr q[MOST], v[MOST];
    rh_expr time;
    rh_expr roots[(MOST + 1) * MOST]; // by row: matrix, right side
    uint32_t root_count;
    rh_enclosure *enclosure;
    rh_expr_list symbols;
    const rh_point *point;
    rh_expr moved; // the symbol that is off, and its value
    double moved_to;
} problem;

static rh_expr slope(problem *in, rh_expr e, rh_expr by)
{
    return rh__expr_differentiate(in->store, e, by);
}

// d/dt of a function of coordinates, velocities and time, accelerations left out.
static rh_expr drift(problem *in, rh_expr e)
{
    rh_expr sum = slope(in, e, in->time);
    for (uint32_t k = 0; k < in->n; k++) {
        sum = rh__expr_add(in->store, sum,
                           rh__expr_multiply(in->store, slope(in, e, in->q[k]), in->v[k]));
    }
    return sum;
}

// [M -C^T; C 0] [v'; lambda] = [L_q - drift of L_v; -drift of the constraint]
static void write_problem(problem *in)
{
    const rh_model *model = in->it.model;
    const uint32_t size = in->n + in->m;
    const rh_expr zero = rh__expr_integer(in->store, 0);
    rh_expr energy =
        rh__expr_subtract(in->store, rh__model_kinetic(model), rh__model_potential(model));
    energy = rh__expr_add(in->store, energy, rh__model_lagrangian(model));
    rh_expr *row = in->roots;
    for (uint32_t i = 0; i < size * (size + 1); i++) {
        in->roots[i] = zero;
    }
    for (uint32_t i = 0; i < in->n; i++, row += size + 1) {
        const rh_expr momentum = slope(in, energy, in->v[i]);
        for (uint32_t j = 0; j < in->n; j++) {
            row[j] = slope(in, momentum, in->v[j]);
        }
        row[size] = rh__expr_subtract(in->store, slope(in, energy, in->q[i]), drift(in, momentum));
    }
    for (uint32_t k = 0; k < in->m; k++, row += size + 1) {
        const rh_expr text = model->constraints.data[k].deviation;
        bool is_speed = false;
        for (uint32_t j = 0; j < in->n; j++) {
            is_speed = is_speed || !rh__expr_is_zero(in->store, slope(in, text, in->v[j]));
        }
        const rh_expr level = is_speed ? text : drift(in, text);
        for (uint32_t j = 0; j < in->n; j++) {
            row[j] = slope(in, level, in->v[j]);
            in->roots[j * (size + 1) + in->n + k] = rh__expr_negate(in->store, row[j]);
        }
        row[size] = rh__expr_negate(in->store, drift(in, level));
    }
    in->root_count = size * (size + 1);
}

static void begin_problem(problem *in, const char *text)
{
    *in = (problem){0};
    assert_true(machine_begin(&(machine_def){.path = "text", .text = text}, &in->it));
    const rh_equations *equations = in->it.equations;
    in->store = equations->store;
    in->n = equations->carriers.count;
    in->m = equations->links.count;
    assert_true(in->n + in->m < MOST);
    for (uint32_t k = 0; k < in->n; k++) {
        in->q[k] = equations->carriers.data[k].position;
        in->v[k] = equations->carriers.data[k].variable;
    }
    in->time = rh__expr_symbol(in->store, in->it.model->time, 0);
    write_problem(in);
    in->enclosure = rh__enclosure_create(in->store, in->roots, in->root_count, &in->it.arena);
    assert_non_null(in->enclosure);
    rh_expr_list all;
    assert_true(rh__expr_reach(in->store, in->roots, in->root_count, &in->it.arena, &all));
    for (uint32_t k = 0; k < all.count; k++) {
        if (rh__expr_op(in->store, all.data[k]) == RH_OP_SYMBOL) {
            assert_true(rh__array_push(&in->it.arena, &in->symbols, all.data[k]));
        }
    }
}

static void end_problem(problem *in)
{
    rh__enclosure_destroy(in->enclosure);
    machine_end(&in->it);
}

// --- in balls ------------------------------------------------------------------------------------

static void ball_of(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const problem *in = user;
    rh__balls_set_double(out, k,
                         symbol.i == in->moved.i
                             ? in->moved_to
                             : rh__point_value((void *)(uintptr_t)in->point, store, symbol));
}

// Rates and multipliers; false where the matrix is singular.
static bool solve_text(problem *in, rh_balls *entries, rh_balls *matrix, rh_balls *right,
                       rh_balls *out)
{
    const uint32_t size = in->n + in->m;
    rh__enclosure_evaluate(in->enclosure, ball_of, in, BITS, entries);
    for (uint32_t i = 0; i < size; i++) {
        for (uint32_t j = 0; j < size; j++) {
            rh__balls_copy(matrix, i * size + j, entries, i * (size + 1) + j);
        }
        rh__balls_copy(right, i, entries, i * (size + 1) + size);
    }
    return rh__balls_solve(size, matrix, 1, right, BITS, out);
}

// a[k] - b[k] as a double.
static double ball_difference(const rh_balls *a, const rh_balls *b, uint32_t k, rh_balls *scratch)
{
    rh__balls_combine(scratch, 0, RH_BALL_SUBTRACT, a, k, b, k, BITS);
    const rh_interval all = rh__balls_interval(scratch, 0);
    return all.lo / 2 + all.hi / 2;
}

// --- as it is computed ---------------------------------------------------------------------------

// Rates by carrier, then multipliers by link, from the tapes.
static void compute(problem *in, double *out)
{
    const rh_system *system = in->it.system;
    const uint32_t n = system->x.count;
    const double *x = packed(&in->it, in->point);
    rh_tape_state *step = bound_state(system->step, in->point, 0);
    run_at(step, time_at(&in->it, in->point), x);
    rh_tape_state *told = bound_state(system->output, in->point, 0);
    told->jet[0] = time_at(&in->it, in->point);
    memcpy(told->jet + 1, x, n * sizeof *x);
    for (uint32_t k = 0; k < system->form.unknowns.count; k++) {
        told->jet[1 + n + k] = rh__tape_output(step, n + k, 0);
    }
    rh__tape_run(told);
    for (uint32_t k = 0; k < in->n; k++) {
        out[k] = rh__tape_output(told, system->sections[RH_SECTION_RATE].first + k, 0);
    }
    for (uint32_t k = 0; k < in->m; k++) {
        out[in->n + k] =
            rh__tape_output(told, system->sections[RH_SECTION_MULTIPLIER].first + k, 0);
    }
    rh__tape_state_destroy(told);
    rh__tape_state_destroy(step);
}

// --- judging -------------------------------------------------------------------------------------

// The largest error at a point in roundings of the problem.
static double loss_at(problem *in, const rh_point *point)
{
    const uint32_t size = in->n + in->m;
    rh_arena *arena = &in->it.arena;
    rh_balls *entries = rh__balls_create(arena, in->root_count);
    rh_balls *matrix = rh__balls_create(arena, size * size);
    rh_balls *right = rh__balls_create(arena, size);
    rh_balls *exact = rh__balls_create(arena, size);
    rh_balls *other = rh__balls_create(arena, size);
    double computed[MOST];
    double condition[MOST];
    in->point = point;
    in->moved = (rh_expr){0};
    compute(in, computed);
    assert_true(solve_text(in, entries, matrix, right, exact));
    for (uint32_t k = 0; k < size; k++) {
        const rh_interval all = rh__balls_interval(exact, k);
        condition[k] = fabs(all.lo / 2 + all.hi / 2);
    }
    for (uint32_t s = 0; s < in->symbols.count; s++) {
        in->moved = in->symbols.data[s];
        const double value = rh__point_value((void *)(uintptr_t)point, in->store, in->moved);
        in->moved_to = value * (1 + 0x1p-40);
        if (value == 0 || !solve_text(in, entries, matrix, right, other)) {
            continue;
        }
        for (uint32_t k = 0; k < size; k++) {
            condition[k] += fabs(ball_difference(other, exact, k, right) * 0x1p40);
        }
    }
    double worst = 0;
    for (uint32_t k = 0; k < size; k++) {
        rh__balls_set_double(other, k, computed[k]);
        const double error = fabs(ball_difference(other, exact, k, right));
        const double unit = 0x1p-53 * condition[k];
        const double loss = error == 0 ? 0 : error / unit;
        if (loss > 100) {
            print_message("  component %u: computed %.17g, off by %.3g, condition %.3g\n", k,
                          computed[k], error, condition[k]);
        }
        worst = loss <= worst ? worst : loss == loss ? loss : INFINITY;
    }
    rh_balls *const all[] = {entries, matrix, right, exact, other};
    for (uint32_t k = 0; k < 5; k++) {
        rh__balls_destroy(all[k]);
    }
    return worst;
}

static double judge(const char *name, const char *text)
{
    problem in;
    begin_problem(&in, text);
    double worst = loss_at(&in, &in.it.start.point);
    for (uint32_t k = 1; k <= STATES; k++) {
        rh_point near;
        bool is_met = false;
        assert_int_equal(rh__start_wander(in.it.equations, &in.it.start.point, 0.05, k,
                                          &in.it.arena, &near, &is_met),
                         RH_OK);
        worst = is_met ? fmax(worst, loss_at(&in, &near)) : worst;
    }
    print_message("%s: %.3g roundings\n", name, worst);
    end_problem(&in);
    return worst;
}

// --- models --------------------------------------------------------------------------------------

static const struct {
    const char *name, *text;
} MODELS[] = {
    {"thin rod", "param a = 1, c = 1e-6\ncoord q\n"
                 "kinetic (a^2*sin(q)^2 + c^2*cos(q)^2)*q'^2/2\nstart q = 1e-3, q' = 1\n"},
    {"hardening spring", "coord x\nkinetic x'^2/2\npotential 2*(x - 1000)^2 + (x - 1000)^4\n"
                         "start x = 1000.5, x' = 0.3\n"},
    {"springs between far points",
     "param k = 3, X = 1e6\ncoord x, y\nkinetic x'^2/2 + (2 + (y - X)^2)*y'^2/2\n"
     "potential k*(x - y)^4 + ((x - X)^2 + (y - X)^2)^3\n"
     "start x = X + 0.5, y = X - 0.25, x' = 1, y' = 2\n"},
    {"smooth step", "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x - y)^2/2\n"
                    "let s = (t - 1000)/2\nconstraint lead: x = 10*s^3 - 15*s^4 + 6*s^5\n"
                    "start t = 1000.5, y = 0.3, y' = 1\n"},
    {"far circle", "param l = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                   "constraint rod: (x - 5000)^2 + (y + 3000)^2 = l^2\n"
                   "start x = 5001.2, x' = 0.5\nguess y = -3001.6\n"},
    {"bell", "coord x, y\nkinetic x'^2/(1 + 3*exp(-x^2)) + y'^2/2\n"
             "potential x^2/(1 + exp(-y^2)) + tanh(y)^2\nstart x = 40, y = 1.5, x' = 1, y' = 2\n"},
    {"arm", "param l = 1, m = 2\ncoord a, b\n"
            "let p = [l*cos(a) + l*cos(a + b), l*sin(a) + l*sin(a + b)]\n"
            "kinetic m*dot(p', p')/2 + 0.001*(a'^2 + b'^2)\npotential 9.81*m*p.y\n"
            "start a = 0.3, b = 3.14, a' = 1, b' = -0.4\n"},
    {"disc", "param m = 1, r = 0.3, A = 1e-3, C = 2e-9, g = 9.81\ncoord th, ps, ph, x, y\n"
             "kinetic m/2*(x'^2 + y'^2 + (r*cos(th)*th')^2) + A/2*(th'^2 + cos(th)^2*ps'^2)"
             " + C/2*(ph' + ps'*sin(th))^2\npotential m*g*r*cos(th)\n"
             "constraint cx: x' = r*cos(ps)*ph'\nconstraint cy: y' = r*sin(ps)*ph'\n"
             "start th = 1.5, ps = 0.3, ph = 1, x = 0, y = 0, th' = 0.1, ps' = 0.5, ph' = 3\n"},
};

static void bad_scales(void **state)
{
    (void)state;
    double worst = 0;
    for (uint32_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        worst = fmax(worst, judge(MODELS[k].name, MODELS[k].text));
    }
    assert_true(worst <= 100);
}

// Random energies about far points, with bounded functions and rotations.
static void random_models(void **state)
{
    (void)state;
    support_random random = support_random_begin("random_models");
    static const char *const PARTS[] = {
        "(x - X)^2",           "(y - X)^4",         "exp(-(x - X)^2)",  "tanh(y - x)",
        "(x - y)^2",           "1/(1 + (y - X)^2)", "a*sin(q)^2",       "c*cos(q)^2",
        "sqrt(1 + (x - X)^2)", "(x - X)*(y - X)",   "cos(q)*(x - X)^3", "sin(q - x + X)^2"};
    for (int round = 0; round < 20; round++) {
        char text[2000];
        int at = snprintf(text, sizeof text,
                          "param X = %.17g, a = %.3g, c = %.3g\ncoord x, y, q\nkinetic x'^2/2 + "
                          "y'^2/2 + (a*sin(q)^2 + c*cos(q)^2)*q'^2/2 + (q'*(x - X) + y')^2\n",
                          floor(pow(10, support_random_real(&random, 1, 6))),
                          pow(10, support_random_real(&random, -4, 4)),
                          pow(10, support_random_real(&random, -4, 4)));
        at += snprintf(text + at, sizeof text - (size_t)at, "potential 0");
        for (int k = 0; k < 3; k++) {
            at += snprintf(text + at, sizeof text - (size_t)at, " + %.3g*%s*%s",
                           support_random_real(&random, 0.1, 3),
                           PARTS[support_random_below(&random, 12)],
                           PARTS[support_random_below(&random, 12)]);
        }
        (void)snprintf(text + at, sizeof text - (size_t)at,
                       "\n%sstart x = X + 0.5, y = X - 0.25, q = 0.001, x' = 1, q' = 0.3\n"
                       "guess y' = 1\n",
                       round % 2 == 0 ? "" : "constraint lead: y' = (x - X)^3*q' + x'\n");
        const double worst = judge("random", text);
        if (!(worst <= 100)) {
            print_message("%s", text);
        }
        assert_true(worst <= 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_scales),
        cmocka_unit_test(random_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
