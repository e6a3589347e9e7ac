// SPDX-License-Identifier: Apache-2.0
// A hundred branches with known bifurcations: normal forms (fold, transcritical point, pitchfork, a
// pair that passes the axis), hidden by random changes of variables, of the parameter, of units and
// of time. Every error bar contains the truth and is narrow, and single calls agree with branches.
//
// With w = M (x - c p), z1 = w1, z2 = w2, z3 = w3 + s w1^2 and mu = a (p - p0)(1 + b (p - p0)) the
// forms hold in z, and the mark lies at p = p0, which the text has with all bits.

#include "resting.h"

enum { VARIABLES = 3, MODELS = 25 };
typedef enum hidden_kind { FOLD, TRANSCRITICAL, PITCHFORK, PAIR, KINDS } hidden_kind;

typedef struct hidden {
    hidden_kind kind;
    double m[9], inverse[9]; // row after row
    double shift[VARIABLES];
    double a, b, p0, bend, decay, turn, pace, mix;
    double from, to;
} hidden;

static void invert(const double *m, double *out)
{
    const double det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                       m[2] * (m[3] * m[7] - m[4] * m[6]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[3 * i + j] = (m[3 * r + c] * m[3 * s + d] - m[3 * r + d] * m[3 * s + c]) / det;
        }
    }
}

static hidden draw(support_random *random, hidden_kind kind)
{
    static const double SIZES[] = {1.0, 1.0, 1e9, 1e-9, 1e3};
    hidden it = {.kind = kind};
    const double unit = SIZES[support_random_below(random, 5)];
    const double size = SIZES[support_random_below(random, 5)];
    for (int k = 0; k < 9; k++) {
        it.m[k] = (k % 4 == 0 ? 1.0 : 0.0) + support_random_real(random, -0.4, 0.4);
    }
    invert(it.m, it.inverse);
    it.p0 = support_random_real(random, -2.0, 2.0) * size;
    it.a = support_random_real(random, 0.5, 2.0) / size;
    it.b = support_random_real(random, -0.2, 0.2) / size;
    for (int k = 0; k < 9; k++) {
        it.m[k] /= unit;
        it.inverse[k] *= unit;
    }
    for (int k = 0; k < VARIABLES; k++) {
        it.shift[k] = support_random_real(random, -1.0, 1.0) * unit / size;
    }
    it.bend = support_random_real(random, -0.5, 0.5);
    it.decay = support_random_real(random, 0.7, 3.0);
    it.turn = support_random_real(random, 0.5, 4.0);
    it.mix = support_random_real(random, -0.3, 0.3);
    it.pace = SIZES[support_random_below(random, 5)];
    const double left = support_random_real(random, 0.3, 0.8) * size;
    const double right = support_random_real(random, 0.3, 0.8) * size;
    it.from = kind == PITCHFORK || kind == PAIR ? it.p0 - left : it.p0 + right;
    it.to = kind == PITCHFORK || kind == PAIR ? it.p0 + right : it.p0 - left;
    return it;
}

static double mu_at(const hidden *it, double p)
{
    return it->a * (p - it->p0) * (1.0 + it->b * (p - it->p0));
}

// The motion on the branch at p.
static void place_at(const hidden *it, double p, double *out)
{
    const double mu = mu_at(it, p);
    const double z = it->kind == FOLD ? sqrt(fabs(mu)) : it->kind == TRANSCRITICAL ? mu : 0.0;
    const double w[3] = {z, 0.0, -it->bend * z * z};
    for (int i = 0; i < 3; i++) {
        out[i] = it->shift[i] * p + it->inverse[3 * i] * w[0] + it->inverse[3 * i + 2] * w[2];
    }
}

static void write_text(const hidden *it, char *out, size_t size)
{
    static const char *const FORMS[] = {"mu - w1^2", "mu*w1 - w1^2", "mu*w1 - w1^3",
                                        "mu*w1 - turn*w2 - w1*(w1^2 + w2^2)"};
    double start[3];
    int n = 0;
    place_at(it, it->from, start);
    n += snprintf(out + n, size - (size_t)n,
                  "param p = %.17g, p0 = %.17g, a = %.17g, b = %.17g\n"
                  "param bend = %.17g, decay = %.17g, turn = %.17g, pace = %.17g, mix = %.17g\n",
                  it->from, it->p0, it->a, it->b, it->bend, it->decay, it->turn, it->pace, it->mix);
    n += snprintf(out + n, size - (size_t)n,
                  "state x1, x2, x3\nlet mu = a*(p - p0)*(1 + b*(p - p0))\n");
    for (int i = 0; i < 3; i++) {
        n += snprintf(out + n, size - (size_t)n,
                      "let w%d = (%.17g)*(x1 - (%.17g)*p) + (%.17g)*(x2 - (%.17g)*p) + "
                      "(%.17g)*(x3 - (%.17g)*p)\n",
                      i + 1, it->m[3 * i], it->shift[0], it->m[3 * i + 1], it->shift[1],
                      it->m[3 * i + 2], it->shift[2]);
    }
    n += snprintf(out + n, size - (size_t)n,
                  "let z3 = w3 + bend*w1^2\n"
                  "let f1 = pace*((%s)*(1 + mix*z3) + mix*w1*z3)\n"
                  "let f2 = pace*(%s)\n"
                  "let f3 = -pace*decay*z3*(1 + mix*w2) - 2*bend*w1*f1\n",
                  FORMS[it->kind],
                  it->kind == PAIR ? "turn*w1 + mu*w2 - w2*(w1^2 + w2^2)" : "-decay*turn*w2");
    for (int i = 0; i < 3; i++) {
        n +=
            snprintf(out + n, size - (size_t)n, "law x%d' = (%.17g)*f1 + (%.17g)*f2 + (%.17g)*f3\n",
                     i + 1, it->inverse[3 * i], it->inverse[3 * i + 1], it->inverse[3 * i + 2]);
    }
    n += snprintf(out + n, size - (size_t)n, "start x1 = %.17g, x2 = %.17g, x3 = %.17g\n", start[0],
                  start[1], start[2]);
    assert_true(n > 0 && (size_t)n < size);
}

// A single call at a point of the branch has the same motion among its answers, and the same
// verdict.
static void compare_alone(const hidden *it, const char *text, const rh_walk_point *point)
{
    if (fabs(mu_at(it, point->value)) < 0.05) {
        return;
    }
    resting_call call = {.fix = {{"p", point->value}}, .fix_count = 1};
    static const char *const NAMES[] = {"x1", "x2", "x3"};
    for (uint32_t k = 0; k < VARIABLES; k++) {
        call.guess[call.guess_count++] = (rh_steady_value){NAMES[k], point->motion.values[k]};
    }
    resting alone = resting_begin(text, &call);
    assert_true(rh_steady_summarise(alone.steady).solution_count > 0);
    const rh_steady_motion motion = rh_steady_solution(alone.steady, 0);
    for (uint32_t k = 0; k < VARIABLES; k++) {
        const double size = fabs(it->inverse[4 * k]) + fabs(motion.values[k]);
        assert_true(fabs(motion.values[k] - point->motion.values[k]) <= 1e-9 * size);
    }
    assert_int_equal(motion.verdict, point->motion.verdict);
    resting_end(&alone);
}

static void check(const hidden *it, uint32_t number)
{
    char text[4096];
    write_text(it, text, sizeof text);
    const resting_call call = {.fix = {{"p", it->from}}, .fix_count = 1};
    resting at = resting_begin(text, &call);
    rh_walk *walk = NULL;
    rh_walk_def def = rh_walk_def_default();
    rh_walk_point point;
    bool is_there = true;
    uint32_t marks = 0;
    uint32_t points = 0;
    def.name = "p";
    def.from = it->from;
    def.to = it->to;
    assert_int_equal(rh_walk_create(at.steady, &def, &walk, &at.err), RH_OK);
    const double span = fabs(it->to - it->from);
    while (is_there) {
        assert_int_equal(rh_walk_step(walk, &point, &is_there, &at.err), RH_OK);
        if (is_there && point.mark != RH_WALK_POINT) {
            marks++;
            if (!(point.low <= it->p0 && it->p0 <= point.high) ||
                !(point.high - point.low <= 1e-9 * span)) {
                fail_msg("model %u, kind %d: %.17g is not within %.17g of %.17g (range %g)\n%s",
                         number, (int)it->kind, it->p0, 0.5 * (point.high - point.low), point.value,
                         span, text);
            }
        } else if (is_there && points++ % 37 == 5) {
            compare_alone(it, text, &point);
        }
    }
    if (marks != (it->kind == FOLD ? 2u : 1u)) {
        fail_msg("model %u, kind %d: %u marks\n%s", number, (int)it->kind, marks, text);
    }
    rh_walk_destroy(walk);
    resting_end(&at);
}

static void every_bar_contains_the_truth(void **state)
{
    (void)state;
    support_random random = support_random_begin("hidden forms");
    for (uint32_t n = 0; n < MODELS * KINDS; n++) {
        const hidden it = draw(&random, (hidden_kind)(n % KINDS));
        check(&it, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bar_contains_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
