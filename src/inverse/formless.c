// SPDX-License-Identifier: Apache-2.0
// The conditions without formulas for the reactions. Rates and multipliers z solve K z = r; with
// the rows of motion N_i = -r_i + sum over multipliers of K_ic z_c. Derivatives of z follow from
// those of K and r, which are short:
//     K z_s  = r_s - K_s z
//     K z_st = r_st - K_st z - K_s z_t - K_t z_s
// All of it is done in balls at points, so what fails there is refuted; nothing is proved to hold.
// Asked are (iii) and, where that is not refuted, (iv); (i) and (ii) are about the inertia alone.

#include "inverse/inverse.h"

enum {
    MOST_UNKNOWNS = 128,
    MOST_TRIPLES = 64, // coordinates up to which (iv) is asked
    POINTS = 2,        // at which everything is asked
    FAILURES = 60,     // that are listed
    BITS = RH_PROVER_PRECISION
};

// K and r, or derivatives of them: entries of K in its order, then r.
typedef struct layer {
    rh_expr *data;
    rh_balls *at; // the point
} layer;

typedef struct implicit {
    rh_inverse *inverse;
    const rh_form *form;
    uint32_t n;       // coordinates
    uint32_t size;    // unknowns
    uint32_t entries; // of K
    layer base;
    layer *by_q, *by_v; // first derivatives
    layer *both;        // second ones by v and one other
    uint32_t point;
    rh_balls *k;               // dense, at the point
    rh_balls *z;               // size by 1
    rh_balls *z_q, *z_v;       // size by n
    rh_balls *second;          // size by n: z_{v_k s} for one s
    rh_balls *right;           // size by n: work
    rh_balls *work;            // a few
    rh_balls *n_second;        // n by n: N_i,{v_k s}
    RH_ARRAY(rh_balls *) made; // all that must be destroyed
} implicit;

// --- the equations -----------------------------------------------------------------------------

rh_status rh__inverse_take_implicit(rh_inverse *inverse, rh_error *err)
{
    rh_form *form = rh__arena_new(&inverse->arena, rh_form);
    if (form == NULL) {
        return inverse->arena.status;
    }
    RH_TRY(rh__form_create(inverse->derived, RH_FORM_MULTIPLIERS, &inverse->arena, form, err));
    if (form->unknowns.count > MOST_UNKNOWNS) {
        return rh__error_fill(err, RH_E_UNAVAILABLE,
                              "the reactions are too long as formulas, and %u accelerations and "
                              "multipliers are more than the %d that are solved for in balls: "
                              "write the equations without them",
                              form->unknowns.count, MOST_UNKNOWNS);
    }
    inverse->implicit = form;
    inverse->note = "the reactions are too long as formulas: conditions were looked at in balls, "
                    "L and D are not constructed";
    return RH_OK;
}

static rh_balls *make(implicit *in, uint32_t count)
{
    rh_balls *balls = rh__balls_create(&in->inverse->scratch, count);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): it is an array of pointers
    if (balls != NULL && !rh__array_push(&in->inverse->scratch, &in->made, balls)) {
        rh__balls_destroy(balls);
        balls = NULL;
    }
    return balls;
}

static bool derive(implicit *in, const layer *of, rh_expr by, layer *out)
{
    const uint32_t count = in->entries + in->size;
    out->data =
        out->data != NULL ? out->data : rh__arena_array(&in->inverse->scratch, rh_expr, count + 1);
    bool ok = out->data != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        out->data[k] = rh__inverse_partial(in->inverse, of->data[k], by);
        ok = out->data[k].i != 0;
    }
    return ok;
}

// Values of a layer at the point.
static bool evaluate(implicit *in, layer *of)
{
    const uint32_t count = in->entries + in->size;
    of->at = of->at != NULL ? of->at : make(in, count);
    return of->at != NULL && rh__prover_balls(in->inverse->store, &in->inverse->prover, of->data,
                                              count, in->point, &in->inverse->scratch, of->at);
}

// What the equations hold besides coordinates and velocities: part of a witness.
static rh_status list_others(rh_inverse *inverse, const rh_expr *e, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        rh_expr_list symbols = {0};
        if (!rh__expr_symbols(inverse->store, e[k], RH_EXPR_VARIABLE, &inverse->scratch,
                              &symbols)) {
            return RH_E_MEMORY;
        }
        for (uint32_t i = 0; i < symbols.count; i++) {
            bool is_known = false;
            for (uint32_t o = 0; o < inverse->others.count; o++) {
                is_known = is_known || inverse->others.data[o].i == symbols.data[i].i;
            }
            for (uint32_t q = 0; q < inverse->n; q++) {
                is_known = is_known || inverse->q[q].i == symbols.data[i].i ||
                           inverse->v[q].i == symbols.data[i].i;
            }
            if (!is_known && !rh__array_push(&inverse->arena, &inverse->others, symbols.data[i])) {
                return inverse->arena.status;
            }
        }
    }
    return RH_OK;
}

static rh_status begin(implicit *in)
{
    rh_inverse *inverse = in->inverse;
    const uint32_t count = in->entries + in->size;
    in->base.data = rh__arena_array(&inverse->scratch, rh_expr, count + 1);
    in->by_q = rh__arena_array(&inverse->scratch, layer, in->n + 1);
    in->by_v = rh__arena_array(&inverse->scratch, layer, in->n + 1);
    in->both = rh__arena_array(&inverse->scratch, layer, in->n + 1);
    bool ok = in->base.data != NULL && in->by_q != NULL && in->by_v != NULL && in->both != NULL;
    for (uint32_t k = 0; ok && k < count; k++) {
        const rh_expr e = k < in->entries ? in->form->matrix.entries.data[k].value
                                          : in->form->right[k - in->entries];
        in->base.data[k] = rh__model_through_inputs(inverse->model, e);
    }
    RH_TRY(ok ? list_others(inverse, in->base.data, count) : RH_E_MEMORY);
    for (uint32_t k = 0; ok && k < in->n && rh__inverse_goes_on(inverse); k++) {
        ok = derive(in, &in->base, inverse->q[k], &in->by_q[k]) &&
             derive(in, &in->base, inverse->v[k], &in->by_v[k]);
    }
    in->k = make(in, in->size * in->size);
    in->z = make(in, in->size);
    in->z_q = make(in, in->size * in->n);
    in->z_v = make(in, in->size * in->n);
    in->second = make(in, in->size * in->n);
    in->right = make(in, in->size * in->n);
    in->work = make(in, 2);
    in->n_second = make(in, in->n * in->n);
    ok = ok && in->k != NULL && in->z != NULL && in->z_q != NULL && in->z_v != NULL &&
         in->second != NULL && in->right != NULL && in->work != NULL && in->n_second != NULL;
    const rh_status status = rh__inverse_refused(inverse);
    return ok || status != RH_OK ? status : RH_E_MEMORY;
}

// --- derivatives of the solution at a point ------------------------------------------------------

// to[row * stride + at] -= sum of the entries of a layer times x[column * x_stride + x_at]
static void subtract_product(implicit *in, const layer *of, const rh_balls *x, uint32_t x_stride,
                             uint32_t x_at, rh_balls *to, uint32_t stride, uint32_t at)
{
    for (uint32_t e = 0; e < in->entries; e++) {
        const rh_entry *entry = &in->form->matrix.entries.data[e];
        if (rh__balls_is_zero(of->at, e)) {
            continue;
        }
        rh__balls_combine(in->work, 0, RH_BALL_MULTIPLY, of->at, e, x,
                          entry->column * x_stride + x_at, BITS);
        const uint32_t place = entry->row * stride + at;
        rh__balls_combine(to, place, RH_BALL_SUBTRACT, to, place, in->work, 0, BITS);
    }
}

static void set_right(implicit *in, const layer *of, rh_balls *to, uint32_t stride, uint32_t at)
{
    for (uint32_t row = 0; row < in->size; row++) {
        rh__balls_copy(to, row * stride + at, of->at, in->entries + row);
    }
}

// z and its first derivatives. False in `out`: not solved here.
static rh_status solve_first(implicit *in, bool *out)
{
    bool ok = evaluate(in, &in->base);
    for (uint32_t k = 0; ok && k < in->n && rh__inverse_goes_on(in->inverse); k++) {
        ok = evaluate(in, &in->by_q[k]) && evaluate(in, &in->by_v[k]);
    }
    if (!ok || !rh__inverse_goes_on(in->inverse)) {
        *out = false;
        return ok ? RH_OK : RH_E_MEMORY;
    }
    for (uint32_t k = 0; k < in->size * in->size; k++) {
        rh__balls_set_double(in->k, k, 0.0);
    }
    for (uint32_t e = 0; e < in->entries; e++) {
        const rh_entry *entry = &in->form->matrix.entries.data[e];
        rh__balls_copy(in->k, entry->row * in->size + entry->column, in->base.at, e);
    }
    set_right(in, &in->base, in->right, 1, 0);
    *out = rh__balls_solve(in->size, in->k, 1, in->right, BITS, in->z);
    rh_balls *const first[] = {in->z_q, in->z_v};
    layer *const by[] = {in->by_q, in->by_v};
    for (uint32_t g = 0; g < 2 && *out; g++) {
        for (uint32_t k = 0; k < in->n; k++) {
            set_right(in, &by[g][k], in->right, in->n, k);
            subtract_product(in, &by[g][k], in->z, 1, 0, in->right, in->n, k);
        }
        *out = rh__balls_solve(in->size, in->k, in->n, in->right, BITS, first[g]);
    }
    return RH_OK;
}

// to[i] += the part of K that belongs to multipliers, row i, times x
static void add_pushes(implicit *in, const layer *of, const rh_balls *x, uint32_t stride,
                       uint32_t at, uint32_t k)
{
    for (uint32_t e = 0; e < in->entries; e++) {
        const rh_entry *entry = &in->form->matrix.entries.data[e];
        if (entry->row < in->n && entry->column >= in->n && !rh__balls_is_zero(of->at, e)) {
            rh__balls_combine(in->work, 0, RH_BALL_MULTIPLY, of->at, e, x,
                              entry->column * stride + at, BITS);
            const uint32_t place = entry->row * in->n + k;
            rh__balls_combine(in->n_second, place, RH_BALL_ADD, in->n_second, place, in->work, 0,
                              BITS);
        }
    }
}

// N_i,{v_k s} for all i and k, where s is a coordinate or a velocity with its layer and its z_s in
// column j.
static rh_status solve_second(implicit *in, const layer *by_s, const rh_balls *z_s, uint32_t j,
                              rh_expr s, bool *out)
{
    const uint32_t n = in->n;
    layer *both = in->both;
    bool ok = true;
    for (uint32_t k = 0; ok && k < n && rh__inverse_goes_on(in->inverse); k++) {
        ok = derive(in, &in->by_v[k], s, &both[k]) && evaluate(in, &both[k]);
        if (ok) {
            set_right(in, &both[k], in->right, n, k);
            subtract_product(in, &both[k], in->z, 1, 0, in->right, n, k);
            subtract_product(in, &in->by_v[k], z_s, n, j, in->right, n, k);
            subtract_product(in, by_s, in->z_v, n, k, in->right, n, k);
        }
    }
    *out = ok && rh__inverse_goes_on(in->inverse) &&
           rh__balls_solve(in->size, in->k, n, in->right, BITS, in->second);
    for (uint32_t k = 0; *out && k < n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            rh__balls_set_double(in->work, 1, 0.0);
            rh__balls_combine(in->n_second, i * n + k, RH_BALL_SUBTRACT, in->work, 1, both[k].at,
                              in->entries + i, BITS);
        }
        add_pushes(in, &both[k], in->z, 1, 0, k);
        add_pushes(in, &in->by_v[k], z_s, n, j, k);
        add_pushes(in, by_s, in->z_v, n, k, k);
        add_pushes(in, &in->base, in->second, n, k, k);
    }
    const rh_status status = rh__inverse_refused(in->inverse);
    return ok || status != RH_OK ? status : RH_E_MEMORY;
}

// --- the conditions ------------------------------------------------------------------------------

static rh_status note_failure(implicit *in, uint32_t condition, uint32_t i, uint32_t k, uint32_t j)
{
    rh_inverse *inverse = in->inverse;
    const rh_interval value = rh__balls_interval(in->work, 1);
    const rh_inverse_failure failure = {.struct_size = (uint32_t)sizeof failure,
                                        .condition = condition,
                                        .index = {i + 1, k + 1, j + 1},
                                        .low = value.lo,
                                        .high = value.hi,
                                        .text = ""};
    inverse->witness = in->point;
    return inverse->failures.count >= FAILURES ||
                   rh__array_push(&inverse->arena, &inverse->failures, failure)
               ? RH_OK
               : inverse->arena.status;
}

// work[1] += sign/scale * dM_ij/dq_k
static void add_inertia(implicit *in, uint32_t i, uint32_t j, uint32_t k, bool is_plus)
{
    for (uint32_t e = in->form->matrix.begin[i]; e < in->form->matrix.begin[i + 1]; e++) {
        if (in->form->matrix.entries.data[e].column == j) {
            rh__balls_combine(in->work, 1, is_plus ? RH_BALL_ADD : RH_BALL_SUBTRACT, in->work, 1,
                              in->by_q[k].at, e, BITS);
        }
    }
}

// (iii) with the velocity j: d_k M_ij - d_i M_kj - (N_i,{v_k v_j} - N_k,{v_i v_j})/2 for all i < k
static rh_status ask_third(implicit *in, uint32_t j, bool *out_fails)
{
    const uint32_t n = in->n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            rh__balls_combine(in->work, 0, RH_BALL_SUBTRACT, in->n_second, i * n + k, in->n_second,
                              k * n + i, BITS);
            rh__balls_set_double(in->work, 1, -0.5);
            rh__balls_combine(in->work, 1, RH_BALL_MULTIPLY, in->work, 1, in->work, 0, BITS);
            add_inertia(in, i, j, k, true);
            add_inertia(in, k, j, i, false);
            if (rh__balls_is_finite(in->work, 1) && rh__balls_is_nonzero(in->work, 1)) {
                *out_fails = true;
                RH_TRY(note_failure(in, 3, i, k, j));
            }
        }
    }
    return RH_OK;
}

// (iv), from all N_i,{v_k q_j}: cube[(j * n + i) * n + k]. Its residual is that of (4.6), times -2.
static rh_status ask_fourth(implicit *in, const rh_balls *cube, bool *out_fails)
{
    const uint32_t n = in->n;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n; k++) {
            for (uint32_t j = k + 1; j < n; j++) {
                const uint32_t turns[3][3] = {{i, k, j}, {k, j, i}, {j, i, k}};
                rh__balls_set_double(in->work, 1, 0.0);
                for (uint32_t t = 0; t < 3; t++) { // dbeta_ab/dq_c
                    const uint32_t a = turns[t][0];
                    const uint32_t b = turns[t][1];
                    const uint32_t c = turns[t][2];
                    rh__balls_combine(in->work, 1, RH_BALL_ADD, in->work, 1, cube,
                                      (c * n + a) * n + b, BITS);
                    rh__balls_combine(in->work, 1, RH_BALL_SUBTRACT, in->work, 1, cube,
                                      (c * n + b) * n + a, BITS);
                }
                rh__balls_set_double(in->work, 0, -0.5);
                rh__balls_combine(in->work, 1, RH_BALL_MULTIPLY, in->work, 1, in->work, 0, BITS);
                if (rh__balls_is_finite(in->work, 1) && rh__balls_is_nonzero(in->work, 1)) {
                    *out_fails = true;
                    RH_TRY(note_failure(in, 6, i, k, j));
                }
            }
        }
    }
    return RH_OK;
}

static rh_status fill_cube(implicit *in, rh_balls *cube, bool *out)
{
    const uint32_t n = in->n;
    *out = true;
    for (uint32_t j = 0; j < n && *out; j++) {
        RH_TRY(solve_second(in, &in->by_q[j], in->z_q, j, in->inverse->q[j], out));
        for (uint32_t k = 0; k < n * n && *out; k++) {
            rh__balls_copy(cube, j * n * n + k, in->n_second, k);
        }
    }
    return RH_OK;
}

typedef struct outcome {
    bool third_fails, fourth_fails;
    uint32_t third, fourth; // points at which they were seen to hold
} outcome;

// Everything at one point; the first velocity that refutes (iii) is enough.
static rh_status ask_point(implicit *in, outcome *out)
{
    const uint32_t n = in->n;
    bool is_solved = false;
    RH_TRY(solve_first(in, &is_solved));
    for (uint32_t j = 0; j < n && is_solved && !out->third_fails; j++) {
        RH_TRY(solve_second(in, &in->by_v[j], in->z_v, j, in->inverse->v[j], &is_solved));
        if (is_solved) {
            RH_TRY(ask_third(in, j, &out->third_fails));
        }
    }
    if (!is_solved || out->third_fails) {
        return RH_OK;
    }
    out->third++;
    if (n < 3 || n > MOST_TRIPLES) {
        out->fourth += n < 3;
        return RH_OK;
    }
    rh_balls *cube = make(in, n * n * n);
    if (cube == NULL) {
        return RH_E_MEMORY;
    }
    RH_TRY(fill_cube(in, cube, &is_solved));
    if (is_solved) {
        RH_TRY(ask_fourth(in, cube, &out->fourth_fails));
        out->fourth += !out->fourth_fails;
    }
    return RH_OK;
}

// --- the verdict ---------------------------------------------------------------------------------

static rh_inverse_condition seen(bool fails, uint32_t points)
{
    return (rh_inverse_condition){(uint32_t)sizeof(rh_inverse_condition),
                                  fails        ? RH_INVERSE_FAILS
                                  : points > 0 ? RH_INVERSE_HOLDS
                                               : RH_INVERSE_UNKNOWN,
                                  fails, points};
}

static void settle(rh_trial *trial, const outcome *of)
{
    const rh_inverse_condition third = seen(of->third_fails, of->third);
    const rh_inverse_condition fourth = seen(of->fourth_fails, of->fourth);
    const rh_inverse_condition open = seen(false, 0);
    const bool is_smooth = trial->equivalents[0].is_proved && trial->equivalents[1].is_proved &&
                           trial->equivalents[0].verdict == RH_INVERSE_HOLDS &&
                           trial->equivalents[1].verdict == RH_INVERSE_HOLDS;
    trial->equivalents[2] = third;
    trial->equivalents[3] = fourth;
    if (trial->conditions[2].verdict != RH_INVERSE_FAILS) {
        trial->conditions[2] = third;
    }
    // (4.5) = -(iii) - D0 (ii), (4.6) = D0 (iii) - (iv)/2, (4.7) = -D0 (iv)/2, with M symmetric
    trial->conditions[4] = is_smooth ? third : open;
    trial->conditions[5] = is_smooth && third.verdict == RH_INVERSE_HOLDS ? fourth : open;
    trial->conditions[6] = fourth.verdict == RH_INVERSE_HOLDS ? fourth : open;
    rh__inverse_conclude(trial);
    trial->is_for_all_values = false;
}

rh_status rh__inverse_try_implicit(rh_inverse *inverse)
{
    rh_trial *trial = &inverse->trials.data[0];
    const rh_form *form = inverse->implicit;
    implicit in = {.inverse = inverse,
                   .form = form,
                   .n = inverse->n,
                   .size = form->unknowns.count,
                   .entries = form->matrix.entries.count};
    outcome out = {0};
    RH_TRY(rh__inverse_try_inertia(inverse, trial));
    rh_status status = begin(&in);
    for (uint32_t k = 1; status == RH_OK && k <= RH_PROVER_POINTS && out.fourth < POINTS; k++) {
        if (out.third_fails || out.fourth_fails || out.third >= POINTS ||
            !rh__inverse_goes_on(inverse)) {
            break;
        }
        in.point = k;
        status = ask_point(&in, &out);
    }
    for (uint32_t k = 0; k < in.made.count; k++) {
        rh__balls_destroy(in.made.data[k]);
    }
    RH_TRY(status);
    settle(trial, &out);
    return RH_OK;
}
