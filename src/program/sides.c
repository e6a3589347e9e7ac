// SPDX-License-Identifier: Apache-2.0
// On which side of the imaginary axis roots lie: proved, or left open. Numbers are exact or balls
// of many digits, so that what is nearly on the axis is told from what is on it.

#include "program/program.h"

#include "proof/proof.h"

enum { FINE = 512, COARSE = 96, MOST_BALLS = 40 };

// --- expressions --------------------------------------------------------------------------------

static void ball_of(void *user, const rh_store *store, rh_expr symbol, rh_balls *out, uint32_t k)
{
    const rh_program *program = user;
    rh__balls_set_double(out, k, rh__point_value(&program->start.point, store, symbol));
}

// Balls of expressions without variables; NULL when memory is short.
static rh_balls *enclose(rh_program *program, const rh_expr *e, uint32_t count)
{
    rh_enclosure *enclosure = rh__enclosure_create(program->store, e, count, &program->scratch);
    rh_balls *out = rh__balls_create(&program->scratch, count);
    if (enclosure != NULL && out != NULL) {
        rh__enclosure_evaluate(enclosure, ball_of, program, FINE, out);
    } else {
        rh__balls_destroy(out);
        out = NULL;
    }
    rh__enclosure_destroy(enclosure);
    return out;
}

int rh__side_sign(rh_program *program, rh_expr e)
{
    enum { OPEN = 2 };
    bool is_zero = false;
    if (e.i == 0) {
        return OPEN;
    }
    if (rh__expr_is_number(program->store, e)) {
        return rh__expr_number_sign(program->store, e);
    }
    rh_balls *ball = enclose(program, &e, 1);
    const int sign = ball == NULL                     ? OPEN
                     : rh__balls_is_positive(ball, 0) ? 1
                     : rh__balls_is_negative(ball, 0) ? -1
                                                      : OPEN;
    rh__balls_destroy(ball);
    if (sign == OPEN && rh__program_prove_zero(program, e, &is_zero) != RH_OK) {
        return OPEN;
    }
    return is_zero ? 0 : sign;
}

// --- roots --------------------------------------------------------------------------------------

static rh_side side_of(const rh_balls *re, uint32_t k)
{
    RH_ASSERT(k < rh__balls_count(re));
    return rh__balls_is_negative(re, k)   ? RH_SIDE_LEFT
           : rh__balls_is_positive(re, k) ? RH_SIDE_RIGHT
           : rh__balls_is_zero(re, k)     ? RH_SIDE_AXIS
                                          : RH_SIDE_OPEN;
}

bool rh__side_collect(uint32_t n, const rh_balls *re, const rh_balls *im, rh_program_root *out,
                      rh_side *out_side)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < n; k++) {
        // real matrices: roots come in pairs, one of which is enough
        const double height = rh__balls_is_nonzero(im, k) ? rh__balls_middle(im, k) : 0.0;
        const uint32_t often = height > 0.0 ? 2 : height < 0.0 ? 0 : 1;
        if (count + often > n) {
            return false;
        }
        for (uint32_t j = 0; j < often; j++, count++) {
            out[count] = (rh_program_root){rh__balls_middle(re, k), j == 0 ? height : -height};
            out_side[count] = side_of(re, k);
        }
    }
    RH_ASSERT(count <= n);
    return count == n;
}

// C with C P + P^T C negative, from doubles, proved in balls: what is too large for a polynomial.
static bool is_decaying(rh_program *program, uint32_t n, const rh_balls *matrix)
{
    rh_arena *scratch = &program->scratch;
    double *p = rh__arena_array(scratch, double, 3 * (size_t)n * n);
    rh_balls *c = rh__balls_create(scratch, n * n);
    rh_balls *product = rh__balls_create(scratch, n * n);
    bool ok = p != NULL && c != NULL && product != NULL;
    for (uint32_t k = 0; ok && k < n * n; k++) {
        p[k / n + (size_t)(k % n) * n] = rh__balls_middle(matrix, k);
        p[(size_t)n * n + k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    }
    double *found = ok ? p + 2 * (size_t)n * n : NULL;
    ok = ok && rh__lyapunov_solve(scratch, n, p, p + (size_t)n * n, found) == RH_OK;
    for (uint32_t k = 0; ok && k < n * n; k++) { // symmetric to the last bit
        rh__balls_set_double(c, k, found[k / n > k % n ? k : k % n * n + k / n]);
    }
    ok = ok && rh__balls_is_definite(n, c, COARSE);
    if (ok) {
        rh__balls_multiply(n, n, n, c, matrix, COARSE, product);
        for (uint32_t k = 0; k < n * n; k++) { // the lower triangle is read
            rh__balls_set_double(c, k, 0.0);
            rh__balls_combine(c, k, RH_BALL_SUBTRACT, c, k, product, k, COARSE);
            rh__balls_combine(c, k, RH_BALL_SUBTRACT, c, k, product, k % n * n + k / n, COARSE);
        }
        ok = rh__balls_is_definite(n, c, COARSE);
    }
    rh__balls_destroy(c);
    rh__balls_destroy(product);
    return ok;
}

bool rh__side_roots(rh_program *program, uint32_t n, const rh_expr *a, rh_program_root *out,
                    rh_side *out_side)
{
    rh_balls *matrix = enclose(program, a, n * n);
    rh_balls *polynomial = rh__balls_create(&program->scratch, n + 1);
    rh_balls *re = rh__balls_create(&program->scratch, n);
    rh_balls *im = rh__balls_create(&program->scratch, n);
    bool ok = matrix != NULL && polynomial != NULL && re != NULL && im != NULL;
    bool is_left = false;
    if (ok && n > MOST_BALLS) {
        is_left = is_decaying(program, n, matrix);
        ok = false;
    } else if (ok) {
        rh__balls_characteristic(n, matrix, FINE, polynomial);
        is_left = rh__balls_is_hurwitz(n, polynomial, FINE, &program->scratch);
        ok = rh__balls_eigenvalues(n, matrix, FINE, re, im) &&
             rh__side_collect(n, re, im, out, out_side);
    }
    for (uint32_t k = 0; k < n; k++) {
        out_side[k] = is_left ? RH_SIDE_LEFT : ok ? out_side[k] : RH_SIDE_OPEN;
    }
    rh__balls_destroy(matrix);
    rh__balls_destroy(polynomial);
    rh__balls_destroy(re);
    rh__balls_destroy(im);
    return ok;
}
