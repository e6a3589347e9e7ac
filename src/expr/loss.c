// SPDX-License-Identifier: Apache-2.0
// Rounding errors of equal expressions. In: two expressions; out: whether the second loses digits
// that the first keeps. The bound of an expression f, in units of the rounding, is the sum of
// |df/dn * n| over all its parts n: over symbols that is the condition of the problem itself, over
// what is computed from them the effect of its roundings. So (x - 1000)^5 has |f'(x)|*|x| + 6 |f|,
// and the same written out has (|x| + 1000)^5. Points are drawn from wide ranges, and moved to
// where sums and sines of the first expression nearly vanish: there the bounds part.

#include "expr/loss.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MILD_POINTS = 4,
    WILD_POINTS = 6,
    JOINT_POINTS = 4, // all targets at once
    STEPS = 16,       // of climbing, and more for each symbol and target
    STEPS_PER_PART = 2,
    MOST_STEPS = 48,
    MOST_TARGETS = 12,
    MOST_LINES = 6000,
    NEWTON_STEPS = 5
};

static const double MOST_LOSS = 8.0; // how much larger a bound may be

// A line that can vanish, and the lines it is made of in order, itself the last.
typedef struct target {
    uint32_t *lines;
    uint32_t count;
} target;

typedef struct trial {
    const rh_store *store;
    const rh_recipe *recipe;
    const uint32_t *first; // by line: its first argument
    double *value;
    double *slope;     // by line: the derivative by it of what is looked at
    uint32_t *symbols; // lines
    target targets[MOST_TARGETS];
    bool *is_used; // by line of a symbol: moved for another target
    uint32_t symbol_count, target_count;
    uint64_t seed;
    double *kept, *next; // points, by place of the symbol
    double worst;        // loss at the kept one
} trial;

// In [0, 1), the same on every run.
static double draw(trial *on)
{
    on->seed = rh__hash_mix(on->seed + 0x9e3779b97f4a7c15U);
    return (double)(on->seed >> 11) * 0x1p-53;
}

// --- values and derivatives --------------------------------------------------------------------

static void evaluate_line(trial *on, uint32_t k)
{
    const rh_recipe_line *line = &on->recipe->lines[k];
    if (line->op != RH_OP_SYMBOL) {
        on->value[k] =
            rh__recipe_line_value(on->store, line, on->recipe->arguments + on->first[k], on->value);
    }
}

static double derivative_of(rh_op op, double u, double value)
{
    switch (op) {
    case RH_OP_SIN:
        return cos(u);
    case RH_OP_COS:
        return -sin(u);
    case RH_OP_TAN:
        return 1 + value * value;
    case RH_OP_ASIN:
    case RH_OP_ACOS:
        return (op == RH_OP_ASIN ? 1 : -1) / sqrt((1 - u) * (1 + u));
    case RH_OP_ATAN:
        return 1 / (1 + u * u);
    case RH_OP_SINH:
        return cosh(u);
    case RH_OP_COSH:
        return sinh(u);
    case RH_OP_TANH:
        return 1 / (cosh(u) * cosh(u));
    case RH_OP_EXP:
        return value;
    case RH_OP_LOG:
        return 1 / u;
    case RH_OP_ABS:
        return u < 0 ? -1 : 1;
    default:
        return 0;
    }
}

// Slopes of the factors; what is rounded: the products on the way.
static double pass_product(trial *on, const uint32_t *from, uint32_t count, double value,
                           double slope)
{
    for (uint32_t k = 0; k < count; k++) {
        double others = slope;
        for (uint32_t j = 0; value == 0 && j < count; j++) {
            others *= j == k ? 1 : on->value[from[j]];
        }
        on->slope[from[k]] += value == 0 ? others : slope * value / on->value[from[k]];
    }
    return (count - 1) * fabs(value);
}

static double pass_sum(trial *on, const uint32_t *from, uint32_t count, double value, double slope)
{
    double rounded = fabs(value);
    for (uint32_t k = 0; k < count; k += 2) {
        const double number = on->value[from[k]];
        on->slope[from[k + 1]] += slope * number;
        rounded += fabs(number) == 1 ? 0 : fabs(number * on->value[from[k + 1]]);
    }
    return rounded;
}

static double pass_power(trial *on, const uint32_t *from, double value, double slope)
{
    const double base = on->value[from[0]];
    const double exponent = on->value[from[1]];
    on->slope[from[0]] += slope * exponent * (base == 0 ? pow(base, exponent - 1) : value / base);
    if (on->recipe->lines[from[1]].op != RH_OP_NUMBER) {
        on->slope[from[1]] += slope * value * log(fabs(base));
    }
    return fabs(value);
}

static double pass_pair(trial *on, rh_op op, const uint32_t *from, double value, double slope)
{
    const double a = on->value[from[0]];
    const double b = on->value[from[1]];
    if (op == RH_OP_ATAN2) {
        const double size = a * a + b * b;
        on->slope[from[0]] += slope * b / size;
        on->slope[from[1]] -= slope * a / size;
        return fabs(value);
    }
    on->slope[from[value == a ? 0 : 1]] += slope; // min, max
    return 0;
}

// Numbers with few binary digits are not rounded.
static double number_rounding(double number)
{
    const bool is_exact = floor(number * 0x1p20) == number * 0x1p20 && fabs(number) < 0x1p32;
    return is_exact ? 0 : fabs(number);
}

// Hand the slope of a line on to its arguments; what its roundings do.
static double pass_line(trial *on, uint32_t k)
{
    const rh_recipe_line *line = &on->recipe->lines[k];
    const uint32_t *from = on->recipe->arguments + on->first[k];
    const double value = on->value[k];
    const double slope = on->slope[k];
    if (slope == 0) {
        return 0;
    }
    double rounded = 0;
    switch (line->op) {
    case RH_OP_NUMBER:
        rounded = number_rounding(value);
        break;
    case RH_OP_SYMBOL:
    case RH_OP_PI:
        rounded = fabs(value);
        break;
    case RH_OP_ADD:
        rounded = pass_sum(on, from, line->count, value, slope);
        break;
    case RH_OP_MUL:
        rounded = pass_product(on, from, line->count, value, slope);
        break;
    case RH_OP_POW:
        rounded = pass_power(on, from, value, slope);
        break;
    case RH_OP_RATIO: // smooth through 0, of the order of its value over that of its argument
        on->slope[from[0]] += slope * value / (1 + fabs(on->value[from[0]]));
        rounded = fabs(value);
        break;
    case RH_OP_IF:
        on->slope[from[on->value[from[0]] != 0 ? 1 : 2]] += slope;
        break;
    default:
        if (rh__op_arity(line->op) == 1) {
            on->slope[from[0]] += slope * derivative_of(line->op, on->value[from[0]], value);
            rounded = fabs(value);
        } else if (rh__op_arity(line->op) == 2) {
            rounded = pass_pair(on, line->op, from, value, slope);
        }
        break;
    }
    return fabs(slope) * rounded;
}

// The bound of a root, from all lines before it.
static double bound_of(trial *on, uint32_t root)
{
    double sum = 0;
    for (uint32_t k = 0; k <= root; k++) {
        on->slope[k] = 0;
    }
    on->slope[root] = 1;
    for (uint32_t k = root + 1; k-- > 0;) {
        sum += pass_line(on, k);
    }
    return sum;
}

static void evaluate(trial *on, const target *of)
{
    for (uint32_t k = 0; k < of->count; k++) {
        evaluate_line(on, of->lines[k]);
        on->slope[of->lines[k]] = 0;
    }
}

// Derivatives of a target by all its lines, and its bound.
static double differentiate(trial *on, const target *of)
{
    double sum = 0;
    on->slope[of->lines[of->count - 1]] = 1;
    for (uint32_t k = of->count; k-- > 0;) {
        sum += pass_line(on, of->lines[k]);
    }
    return sum;
}

// --- points ----------------------------------------------------------------------------------

// Signs at random, sizes from 10^low to 10^high.
static void draw_point(trial *on, double low, double high)
{
    for (uint32_t k = 0; k < on->symbol_count; k++) {
        const double sign = draw(on) < 0.3 ? -1.0 : 1.0;
        on->value[on->symbols[k]] = sign * pow(10.0, low + (high - low) * draw(on));
        on->is_used[on->symbols[k]] = false;
    }
}

// A symbol of the target that was not moved yet, at random; UINT32_MAX when there is none.
static uint32_t find_symbol(trial *on, const target *of)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < of->count; k++) {
        const uint32_t line = of->lines[k];
        left += on->recipe->lines[line].op == RH_OP_SYMBOL && !on->is_used[line];
    }
    uint32_t skip = (uint32_t)(draw(on) * left);
    for (uint32_t k = 0; left > 0 && k < of->count; k++) {
        const uint32_t line = of->lines[k];
        if (on->recipe->lines[line].op == RH_OP_SYMBOL && !on->is_used[line] && skip-- == 0) {
            return line;
        }
    }
    return UINT32_MAX;
}

// Move one symbol until the target is a small part of its terms (Newton).
static void approach(trial *on, const target *of)
{
    const uint32_t line = find_symbol(on, of);
    if (line == UINT32_MAX) {
        return;
    }
    const uint32_t end = of->lines[of->count - 1];
    const double before = on->value[line];
    evaluate(on, of);
    const double goal = pow(10.0, -1.0 - 6.0 * draw(on)) * differentiate(on, of);
    for (int step = 0;
         step < NEWTON_STEPS && on->slope[line] != 0 && !(fabs(on->value[end] - goal) < 0.1 * goal);
         step++) {
        on->value[line] -= (on->value[end] - goal) / on->slope[line];
        evaluate(on, of);
        (void)differentiate(on, of);
    }
    const bool is_there = isfinite(on->value[end]) && isfinite(on->value[line]);
    on->value[line] = is_there ? on->value[line] : before;
    on->is_used[line] = is_there;
}

// --- comparing -------------------------------------------------------------------------------

// How much larger the bound of the second form is here; 0 where the first has no value, infinite
// where only the second has none.
static double loss_here(trial *on)
{
    const uint32_t *places = on->recipe->places;
    for (uint32_t k = 0; k < on->recipe->line_count; k++) {
        evaluate_line(on, k);
    }
    const double bound = bound_of(on, places[0]);
    if (!isfinite(on->value[places[0]]) || !isfinite(bound) || bound < 1e-280) {
        return 0;
    }
    const double other = bound_of(on, places[1]);
    return isfinite(on->value[places[1]]) && isfinite(other) ? other / bound : INFINITY;
}

static void keep_point(const trial *on, double *point)
{
    for (uint32_t k = 0; k < on->symbol_count; k++) {
        point[k] = on->value[on->symbols[k]];
    }
}

static void restore_point(trial *on, const double *point)
{
    for (uint32_t k = 0; k < on->symbol_count; k++) {
        on->value[on->symbols[k]] = point[k];
        on->is_used[on->symbols[k]] = false;
    }
}

// Points of wide ranges; the worst is kept. True: no point is bad.
static bool try_anywhere(trial *on)
{
    for (int k = 0; k < MILD_POINTS + WILD_POINTS && on->worst <= MOST_LOSS; k++) {
        const double range = k < MILD_POINTS ? 1 : 5;
        draw_point(on, -range, range);
        const double loss = loss_here(on);
        if (k == 0 || loss > on->worst) {
            on->worst = loss;
            keep_point(on, on->kept);
        }
    }
    return on->worst <= MOST_LOSS;
}

// A step away from the kept point: a target nearly vanishes, or a symbol is of another size.
static void take_step(trial *on)
{
    if (on->target_count > 0 && draw(on) < 0.4) {
        approach(on, &on->targets[(uint32_t)(draw(on) * on->target_count)]);
    } else {
        const uint32_t line = on->symbols[(uint32_t)(draw(on) * on->symbol_count)];
        on->value[line] *= pow(10.0, 6 * draw(on) - 3);
    }
}

// Climb from the worst point to worse ones.
static bool try_climbing(trial *on)
{
    const int steps = STEPS + STEPS_PER_PART * (int)(on->symbol_count + on->target_count);
    for (int k = 0; k < steps && k < MOST_STEPS && on->worst <= MOST_LOSS; k++) {
        restore_point(on, on->kept);
        take_step(on);
        keep_point(on, on->next);
        const double loss = loss_here(on);
        if (loss >= on->worst) {
            double *spare = on->kept;
            on->kept = on->next;
            on->next = spare;
            on->worst = loss;
        }
    }
    return on->worst <= MOST_LOSS;
}

// All targets at once, as far as symbols suffice.
static bool try_targets(trial *on)
{
    for (int k = 0; k < JOINT_POINTS && on->target_count > 0 && on->worst <= MOST_LOSS; k++) {
        const uint32_t from = (uint32_t)(draw(on) * on->target_count);
        draw_point(on, -2, 2);
        for (uint32_t j = 0; j < on->target_count; j++) {
            approach(on, &on->targets[(from + j) % on->target_count]);
        }
        keep_point(on, on->next);
        const double loss = loss_here(on);
        if (loss > on->worst) {
            on->worst = loss;
            memcpy(on->kept, on->next, on->symbol_count * sizeof *on->kept);
        }
    }
    return on->worst <= MOST_LOSS;
}

// Sums of two and more terms, sines and cosines: the first ones, which are the small ones.
static bool can_vanish(const rh_recipe_line *line)
{
    return (line->op == RH_OP_ADD && line->count > 2) || line->op == RH_OP_SIN ||
           line->op == RH_OP_COS;
}

// The lines that a line is made of.
static bool add_target(trial *on, uint32_t line, rh_arena *scratch)
{
    bool *is_part = rh__arena_array(scratch, bool, (size_t)line + 1);
    target *of = &on->targets[on->target_count];
    if (is_part == NULL) {
        return false;
    }
    is_part[line] = true;
    uint32_t count = 0;
    for (uint32_t k = line + 1; k-- > 0;) {
        const uint32_t *from = on->recipe->arguments + on->first[k];
        for (uint32_t j = 0; is_part[k] && j < on->recipe->lines[k].count; j++) {
            is_part[from[j]] = true;
        }
        count += is_part[k];
    }
    *of = (target){rh__arena_array(scratch, uint32_t, count), 0};
    for (uint32_t k = 0; of->lines != NULL && k <= line; k++) {
        if (is_part[k]) {
            of->lines[of->count++] = k;
        }
    }
    on->target_count++;
    return of->lines != NULL;
}

static bool begin_trial(trial *on, const rh_store *store, const rh_recipe *recipe,
                        rh_arena *scratch)
{
    const size_t count = recipe->line_count;
    uint32_t *first = rh__arena_array(scratch, uint32_t, count);
    *on = (trial){.store = store,
                  .recipe = recipe,
                  .first = first,
                  .value = rh__arena_array(scratch, double, count),
                  .slope = rh__arena_array(scratch, double, count),
                  .symbols = rh__arena_array(scratch, uint32_t, count),
                  .kept = rh__arena_array(scratch, double, count),
                  .next = rh__arena_array(scratch, double, count),
                  .is_used = rh__arena_array(scratch, bool, count),
                  .seed = 20};
    if (first == NULL || on->value == NULL || on->slope == NULL || on->symbols == NULL ||
        on->is_used == NULL) {
        return false;
    }
    uint32_t place = 0;
    for (uint32_t k = 0; k < count; k++) {
        first[k] = place;
        place += recipe->lines[k].count;
        if (recipe->lines[k].op == RH_OP_SYMBOL) {
            on->symbols[on->symbol_count++] = k;
        }
    }
    return true;
}

static bool add_targets(trial *on, rh_arena *scratch)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k <= on->recipe->places[0] && on->target_count < MOST_TARGETS; k++) {
        ok = !can_vanish(&on->recipe->lines[k]) || add_target(on, k, scratch);
    }
    return ok;
}

bool rh__loss_is_safe(rh_store *store, rh_expr e, rh_expr other, rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    rh_recipe recipe;
    trial on;
    const bool is_safe = rh__recipe_create(store, (rh_expr[]){e, other}, 2, scratch, &recipe) &&
                         recipe.line_count <= MOST_LINES &&
                         begin_trial(&on, store, &recipe, scratch) && try_anywhere(&on) &&
                         add_targets(&on, scratch) && try_targets(&on) && try_climbing(&on);
    rh__arena_rewind(scratch, mark);
    return is_safe;
}

double rh__loss_bound(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                      rh_arena *scratch)
{
    const rh_mark mark = rh__arena_mark(scratch);
    double bound = 0.0;
    rh_recipe recipe;
    trial on;
    if (rh__recipe_create(store, &e, 1, scratch, &recipe) &&
        begin_trial(&on, store, &recipe, scratch)) {
        for (uint32_t k = 0; k < on.symbol_count; k++) {
            on.value[on.symbols[k]] = value_of(user, store, recipe.lines[on.symbols[k]].symbol);
        }
        for (uint32_t k = 0; k < recipe.line_count; k++) {
            evaluate_line(&on, k);
        }
        bound = bound_of(&on, recipe.places[0]);
    }
    rh__arena_rewind(scratch, mark);
    return isfinite(bound) ? bound : 0.0;
}

double rh__expr_rounding(rh_store *store, rh_expr e, rh_value_of *value_of, const void *user,
                         rh_arena *scratch)
{
    return rh__expr_is_number(store, e)
               ? 0.0
               : DBL_EPSILON * rh__loss_bound(store, e, value_of, user, scratch);
}
