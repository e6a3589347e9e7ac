// SPDX-License-Identifier: Apache-2.0
// The region in which a law that depends on the state is judged: reading it, the points of it that
// are looked at, and the worst of them. For z^T C z / 2 the rate is z^T S z with
// S = (C P + P^T C)/2; its largest eigenvalue is what counts.

#include "program/program.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 4000, MOST_CORNERS = 10, STRIDES = 60 };

// --- reading ------------------------------------------------------------------------------------

static rh_slice trim(rh_slice text)
{
    while (text.size > 0 && isspace((unsigned char)text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && isspace((unsigned char)text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

static rh_slice cut(rh_slice *rest, char at)
{
    const char *end = memchr(rest->data, at, rest->size);
    const rh_slice head = {rest->data, end != NULL ? (size_t)(end - rest->data) : rest->size};
    rest->data += head.size + (end != NULL);
    rest->size -= head.size + (end != NULL);
    RH_ASSERT(memchr(head.data, at, head.size) == NULL);
    return trim(head);
}

// A number, pi, and products and quotients of them: "-3*pi/2".
static bool read_value(rh_slice text, double *out)
{
    char copy[80];
    char *at = copy;
    bool is_quotient = false;
    text = trim(text);
    if (text.size == 0 || text.size >= sizeof copy) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    *out = *at == '-' ? -1.0 : 1.0;
    at += *at == '-' || *at == '+';
    while (true) {
        double factor = 0.0;
        char *end = at;
        if (strncmp(at, "pi", 2) == 0) {
            factor = acos(-1.0);
            end = at + 2;
        } else if (isdigit((unsigned char)*at) != 0) {
            factor = rh__text_number(at, &end);
        }
        if (end == at) {
            return false;
        }
        *out = is_quotient ? *out / factor : *out * factor;
        if (*end == '\0') {
            return isfinite(*out);
        }
        if (*end != '*' && *end != '/') {
            return false;
        }
        is_quotient = *end == '/';
        at = end + 1;
    }
}

// May this symbol have a range: the time, a coordinate, a velocity, a state, an input?
static bool is_rangeable(const rh_program *program, rh_expr symbol)
{
    return (rh__expr_mask(program->store, symbol) &
            (RH_ROLE_TIME | RH_ROLE_COORD | RH_ROLE_VELOCITY | RH_ROLE_STATE | RH_ROLE_INPUT)) != 0;
}

const char *rh__region_name(rh_program *program, rh_expr symbol)
{
    rh_text text = rh__text_begin(&program->arena, NULL);
    rh__family_show(program->store, rh__expr_family(program->store, symbol),
                    rh__expr_member(program->store, symbol), &text);
    return rh__text_print(&program->arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&text)));
}

// Is it the one that is looked for?
static bool is_named(rh_program *program, rh_slice name, rh_expr symbol, rh_nearest *nearest,
                     rh_program_range *out)
{
    RH_ASSERT(rh__expr_op(program->store, symbol) == RH_OP_SYMBOL);
    const char *known = rh__region_name(program, symbol);
    rh__nearest_offer(nearest, rh__slice_of(known));
    if (!rh__slice_is(name, known)) {
        return false;
    }
    out->symbol = symbol;
    out->name = known;
    return true;
}

static rh_status find_symbol(rh_program *program, rh_slice name, rh_program_range *out,
                             rh_error *err)
{
    const rh_model *model = program->equations->model;
    rh_nearest nearest = rh__nearest_begin(name);
    for (uint32_t k = 0; k < program->layout.symbols.count; k++) {
        const rh_expr symbol = program->layout.symbols.data[k];
        if (is_rangeable(program, symbol) && is_named(program, name, symbol, &nearest, out)) {
            return RH_OK;
        }
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) { // those from files have no slot
        const rh_expr symbol = rh__expr_symbol(program->store, model->inputs.data[k].family, 0);
        if (model->inputs.data[k].file != NULL && is_named(program, name, symbol, &nearest, out)) {
            return RH_OK;
        }
    }
    return nearest.best.size > 0
               ? rh__error_fill(err, RH_E_ARGUMENT,
                                "the box names %.*s, which is no coordinate, velocity, state, "
                                "input or time of the model; did you mean %.*s?",
                                RH_SLICE_FORMAT(name), RH_SLICE_FORMAT(nearest.best))
               : rh__error_fill(err, RH_E_ARGUMENT,
                                "the box names %.*s, which is no coordinate, velocity, state, "
                                "input or time of the model",
                                RH_SLICE_FORMAT(name));
}

static rh_status read_range(rh_program *program, rh_slice text, rh_error *err)
{
    rh_slice rest = text;
    rh_program_range range = {.name = ""};
    const rh_slice name = cut(&rest, '=');
    const rh_slice low = cut(&rest, ':');
    if (name.size == 0 || !read_value(low, &range.low) || !read_value(rest, &range.high) ||
        !(range.low <= range.high)) {
        return rh__error_fill(err, RH_E_ARGUMENT,
                              "the box wants \"NAME=LOW:HIGH, ...\" with LOW <= HIGH, numbers or "
                              "multiples of pi, not \"%.*s\"",
                              RH_SLICE_FORMAT(text));
    }
    RH_TRY(find_symbol(program, name, &range, err));
    for (uint32_t k = 0; k < program->box.count; k++) {
        if (program->box.data[k].symbol.i == range.symbol.i) {
            return rh__error_fill(err, RH_E_ARGUMENT, "the box has two ranges for %s", range.name);
        }
    }
    if (program->box.count == RH_PROGRAM_DIMENSIONS) {
        return rh__error_fill(err, RH_E_LIMIT, "the box has more than %d ranges",
                              RH_PROGRAM_DIMENSIONS);
    }
    return rh__array_push(&program->arena, &program->box, range) ? RH_OK : program->arena.status;
}

rh_status rh__region_read(rh_program *program, rh_error *err)
{
    if (program->def.box == NULL) {
        return RH_OK;
    }
    rh_slice rest = trim(rh__slice_of(program->def.box));
    do {
        RH_TRY(read_range(program, cut(&rest, ','), err));
        rest = trim(rest);
    } while (rest.size > 0);
    double middle[RH_PROGRAM_DIMENSIONS];
    for (uint32_t k = 0; k < program->box.count; k++) {
        const rh_program_range *range = &program->box.data[k];
        middle[k] = range->low + (range->high - range->low) / 2.0;
    }
    RH_ASSERT(program->box.count <= RH_PROGRAM_DIMENSIONS);
    rh__region_place(program, &program->point, middle);
    return RH_OK;
}

void rh__region_place(rh_program *program, const rh_point *point, const double *at)
{
    for (uint32_t k = 0; k < program->box.count; k++) {
        RH_ASSERT(k < RH_PROGRAM_DIMENSIONS);
        program->box.data[k].value = at[k];
        rh__point_set(point, program->box.data[k].symbol, at[k]);
    }
}

double rh__region_feed(void *user, rh_expr symbol, double time)
{
    const rh_program *program = user;
    (void)time;
    for (uint32_t k = 0; k < program->box.count; k++) {
        if (program->box.data[k].symbol.i == symbol.i) {
            return program->box.data[k].value;
        }
    }
    return 0.0;
}

rh_status rh__region_covers(rh_program *program, rh_error *err)
{
    const rh_mark mark = rh__arena_mark(&program->scratch);
    for (uint32_t k = 0; k < program->entries.count; k++) {
        rh_expr_list symbols = {0};
        if (!rh__expr_symbols(program->store, program->entries.data[k].value, RH_EXPR_VARIABLE,
                              &program->scratch, &symbols)) {
            return program->scratch.status;
        }
        for (uint32_t s = 0; s < symbols.count; s++) {
            uint32_t j = 0;
            while (j < program->box.count && program->box.data[j].symbol.i != symbols.data[s].i) {
                j++;
            }
            if (j == program->box.count) {
                return rh__error_fill(err, RH_E_ARGUMENT,
                                      "the perturbation equations depend on %s: give its range in "
                                      "the box, %s=LOW:HIGH",
                                      rh__region_name(program, symbols.data[s]),
                                      rh__region_name(program, symbols.data[s]));
            }
            program->box.data[j].is_used = true;
        }
    }
    rh__arena_rewind(&program->scratch, mark);
    return RH_OK;
}

// --- points -------------------------------------------------------------------------------------

// Is a range walked through? The others stay in their middle.
static bool is_walked(const rh_program *program, uint32_t k)
{
    const rh_program_range *range = &program->box.data[k];
    return range->high > range->low && (range->is_used || program->is_every);
}

static uint32_t walked_count(const rh_program *program)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < program->box.count; k++) {
        count += is_walked(program, k) ? 1 : 0;
    }
    return count;
}

// Points of each axis: an odd number, so that the middle is one of them; 0: there are too many
// axes.
static uint32_t axis_points(uint32_t dimensions)
{
    const double most = pow(MOST_POINTS, 1.0 / (dimensions > 0 ? dimensions : 1));
    uint32_t count = most > 1001.0 ? 1001 : (uint32_t)most;
    count -= count % 2 == 0;
    RH_ASSERT(count % 2 == 1);
    return count >= 5 ? count : 0;
}

// The k-th number of van der Corput's sequence in a base.
static double radical(uint64_t k, uint32_t base)
{
    double value = 0.0;
    double digit = 1.0;
    while (k > 0) {
        digit /= base;
        value += digit * (double)(k % base);
        k /= base;
    }
    return value;
}

static uint32_t next_prime(uint32_t after)
{
    bool is_prime = false;
    while (!is_prime) {
        after++;
        is_prime = after >= 2;
        for (uint32_t d = 2; d * d <= after; d++) {
            is_prime = is_prime && after % d != 0;
        }
    }
    return after;
}

// Corners first, then Halton's points.
static bool scattered_point(const rh_program *program, uint64_t k, uint32_t dimensions, double *at)
{
    const uint64_t corners = dimensions <= MOST_CORNERS ? UINT64_C(1) << dimensions : 0;
    uint32_t prime = 1;
    uint32_t axis = 0;
    for (uint32_t j = 0; j < program->box.count; j++) {
        const rh_program_range *range = &program->box.data[j];
        double share = 0.5;
        if (is_walked(program, j)) {
            prime = next_prime(prime);
            share = k < corners ? (double)(k >> axis & 1u) : radical(k - corners, prime);
            axis++;
        }
        at[j] = range->low + share * (range->high - range->low);
    }
    return k < corners + MOST_POINTS;
}

bool rh__region_point(const rh_program *program, uint64_t k, double *at)
{
    const uint32_t dimensions = walked_count(program);
    const uint32_t count = axis_points(dimensions);
    if (count == 0) {
        return scattered_point(program, k, dimensions, at);
    }
    for (uint32_t j = 0; j < program->box.count; j++) {
        const rh_program_range *range = &program->box.data[j];
        const bool is_moving = is_walked(program, j);
        const double share = is_moving ? (double)(k % count) / (count - 1) : 0.5;
        at[j] = range->low + share * (range->high - range->low);
        k = is_moving ? k / count : k;
    }
    return k == 0;
}

// --- values -------------------------------------------------------------------------------------

rh_status rh__region_value(rh_program *program, const rh_program_part *part, const double *c,
                           const double *at, double *out)
{
    const uint32_t n = part->count;
    const rh_mark mark = rh__arena_mark(&program->scratch);
    double *p = rh__arena_array(&program->scratch, double, 3 * (size_t)n * n + n);
    if (p == NULL) {
        return program->scratch.status;
    }
    double *s = p + (size_t)n * n;
    rh__region_place(program, &program->point, at);
    rh_status status = rh__program_matrix(program, part, &program->point, p);
    for (uint32_t j = 0; j < n; j++) {
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (uint32_t k = 0; k < n; k++) {
                sum += c[i + (size_t)k * n] * p[k + (size_t)j * n] +
                       p[k + (size_t)i * n] * c[k + (size_t)j * n];
            }
            s[i + (size_t)j * n] = sum / 2.0;
        }
    }
    *out = INFINITY; // where P is not finite nothing can be said for C
    if (status == RH_OK && rh__vector_is_finite((size_t)n * n, s)) {
        double *values = s + 2 * (size_t)n * n;
        status = rh__eigen_symmetric(&program->scratch, n, s, values, s + (size_t)n * n);
        *out = status == RH_OK ? values[n - 1] : INFINITY;
    }
    rh__arena_rewind(&program->scratch, mark);
    return status;
}

// Steps along the axes from the worst point, halved as long as none leads to a worse one.
static rh_status climb(rh_program *program, const rh_program_part *part, const double *c,
                       double *worst, double *at)
{
    double stride = 0.25 / 8.0;
    for (uint32_t s = 0; s < STRIDES && stride > 1e-9; s++) {
        bool is_better = false;
        for (uint32_t j = 0; j < 2 * program->box.count; j++) {
            const rh_program_range *range = &program->box.data[j / 2];
            const double before = at[j / 2];
            if (!is_walked(program, j / 2)) {
                continue;
            }
            const double way = (j % 2 == 0 ? stride : -stride) * (range->high - range->low);
            double value = 0.0;
            at[j / 2] = fmin(fmax(before + way, range->low), range->high);
            RH_TRY(rh__region_value(program, part, c, at, &value));
            program->summary.sample_count++;
            const bool is_worse = value > *worst;
            at[j / 2] = is_worse ? at[j / 2] : before;
            *worst = is_worse ? value : *worst;
            is_better = is_better || is_worse;
        }
        stride = is_better ? stride : stride / 2.0;
    }
    return RH_OK;
}

rh_status rh__region_look(rh_program *program, rh_program_part *part, const double *c,
                          double *out_worst, double *out_at)
{
    double at[RH_PROGRAM_DIMENSIONS] = {0.0};
    *out_worst = -INFINITY;
    for (uint64_t k = 0; rh__region_point(program, k, at); k++) {
        double value = 0.0;
        RH_TRY(rh__region_value(program, part, c, at, &value));
        program->summary.sample_count++;
        if (value > *out_worst) {
            *out_worst = value;
            memcpy(out_at, at, program->box.count * sizeof *at);
        }
        if (k % 64 == 0 && rh__program_is_enough(program)) {
            return RH_OK;
        }
    }
    return isfinite(*out_worst) ? climb(program, part, c, out_worst, out_at) : RH_OK;
}
