// SPDX-License-Identifier: Apache-2.0
// How large variables are, the time and the parameters that a call changes: so that the terms of
// every sum, and of every equation of motion, are of one size, and arguments of functions of size
// one. A term is a product of powers, so its logarithm is a linear form in the logarithms of the
// sizes; the forms are made equal in the sense of least squares (Curtis and Reid 1972, for
// matrices). Values of the start and of the call weigh less: they decide where the equations do
// not. In other units all forms change alike, and sizes are those of the new units. What is left
// open is a scaling under which the equations do not change: there any size will do.
//
// A variable that stands in brackets x - c with a far c is measured from c: its size is that of the
// brackets. So answers do not depend on where it is counted from.

#include "steady/steady.h"

#include <math.h>
#include <string.h>

#define TOLD 0.1    // weight of values beside that of terms
#define NUMBER 0.3  // and of terms that are numbers
#define SMALL 1e-12 // powers that cancelled
#define ENOUGH 1e-26
#define FAR 0.01      // of what a variable is measured from: how large it may be beside it
#define ROUNDED 1e-14 // of centers: they are the same
#define OPEN 0.01     // weight of that where nothing else decides
enum { TIME = 0, MOST_PARTS = 4000000 };

// The logarithm of a size: constant + sum of power * unknown.
typedef struct part {
    uint32_t unknown;
    double power;
} part;

typedef struct size_form {
    const part *parts; // by unknown
    uint32_t count;
    double constant;
    bool is_known; // else it vanishes, or nothing tells
} size_form;

// constant + sum = 0
typedef struct balance {
    size_form form;
    double weight;
} balance;

// A symbol is of the size of an unknown times a power of the time, or beside its origin.
typedef struct known_symbol {
    rh_expr symbol;
    uint32_t unknown;
    double time_power;
    double origin;   // 0: none
    double gap;      // from it to the value that is given
    bool is_settled; // that it has none
} known_symbol;

typedef struct weighing {
    rh_frame_ground *ground;
    const rh_frame_ground_def *def;
    const rh_equations *equations;
    rh_store *store;
    rh_arena scratch;
    RH_ARRAY(known_symbol) symbols;
    RH_ARRAY(balance) balances;
    rh_expr_list roots, reach;
    uint32_t *position; // by id: in `reach`
    uint32_t limit;     // of ids
    size_form *forms;   // as `reach`
    double *values;     // the same at the start
    bool *is_free;      // the same: it holds something of a size that is not known
    uint32_t unknown_count;
    uint64_t part_count;
    double *logs; // by unknown
} weighing;

static rh_status refused(const weighing *in)
{
    return in->scratch.status != RH_OK ? in->scratch.status : RH_E_LIMIT;
}

// --- linear forms --------------------------------------------------------------------------------

static const size_form ONE = {.is_known = true};

// a + power * b
static size_form join(weighing *in, size_form a, double power, size_form b)
{
    size_form out = {.constant = a.constant + power * b.constant,
                     .is_known = a.is_known && b.is_known};
    part *parts = NULL;
    if (out.is_known) {
        parts = rh__arena_array(&in->scratch, part, (size_t)a.count + b.count + 1);
    }
    in->part_count += (uint64_t)a.count + b.count;
    if (parts == NULL) {
        return (size_form){.is_known = false};
    }
    uint32_t i = 0;
    uint32_t j = 0;
    while (i < a.count || j < b.count) {
        const bool is_left =
            j == b.count || (i < a.count && a.parts[i].unknown <= b.parts[j].unknown);
        const bool is_right =
            i == a.count || (j < b.count && b.parts[j].unknown <= a.parts[i].unknown);
        part it = is_left ? a.parts[i] : (part){b.parts[j].unknown, 0.0};
        i += is_left;
        it.power += is_right ? power * b.parts[j++].power : 0.0;
        RH_ASSERT(out.count == 0 || parts[out.count - 1].unknown < it.unknown);
        if (fabs(it.power) > SMALL) {
            parts[out.count++] = it;
        }
    }
    out.parts = parts;
    return out;
}

static size_form form_of_unknown(weighing *in, uint32_t unknown, double power)
{
    RH_ASSERT(unknown < in->unknown_count);
    part *it = rh__arena_new(&in->scratch, part);
    if (it == NULL) {
        return (size_form){.is_known = false};
    }
    *it = (part){unknown, power};
    return (size_form){.parts = it, .count = 1, .is_known = true};
}

static size_form form_of_value(double value)
{
    const double size = fabs(value);
    return size > 0.0 && isfinite(size) ? (size_form){.constant = log(size), .is_known = true}
                                        : (size_form){.is_known = false};
}

static void vanish(weighing *in, size_form form, double weight)
{
    RH_ASSERT(weight > 0.0);
    const balance it = {form, weight};
    if (form.is_known && form.count > 0) {
        (void)rh__array_push(&in->scratch, &in->balances, it);
    }
}

// Some forms are equal; hands back their mean. Numbers among them (x^2 + 1e-6) say less, and have
// no part in it where there are others.
static size_form level(weighing *in, const size_form *forms, uint32_t count)
{
    size_form mean = ONE;
    uint32_t known = 0;
    uint32_t moving = 0;
    for (uint32_t k = 0; k < count; k++) {
        known += forms[k].is_known;
        moving += forms[k].is_known && forms[k].count > 0;
    }
    const uint32_t parts = moving > 0 ? moving : known;
    for (uint32_t k = 0; k < count; k++) {
        const bool counts = forms[k].is_known && (forms[k].count > 0 || moving == 0);
        mean = counts ? join(in, mean, 1.0 / parts, forms[k]) : mean;
    }
    for (uint32_t k = 0; known > 1 && k < count; k++) {
        vanish(in, join(in, forms[k], -1.0, mean), forms[k].count > 0 ? 1.0 : NUMBER);
    }
    mean.is_known = mean.is_known && known > 0;
    return mean;
}

// --- expressions ---------------------------------------------------------------------------------

static known_symbol *find_symbol(const weighing *in, rh_expr symbol)
{
    for (uint32_t k = 0; k < in->symbols.count; k++) {
        if (in->symbols.data[k].symbol.i == symbol.i) {
            return &in->symbols.data[k];
        }
    }
    return NULL;
}

static size_form form_of_symbol(weighing *in, rh_expr symbol)
{
    const known_symbol *it = find_symbol(in, symbol);
    if (it == NULL) {
        return (size_form){.is_known = false};
    }
    const size_form own = form_of_unknown(in, it->unknown, 1.0);
    return it->origin != 0.0       ? form_of_value(it->origin)
           : it->time_power == 0.0 ? own
                                   : join(in, own, it->time_power, form_of_unknown(in, TIME, 1.0));
}

static size_form form_at(const weighing *in, rh_expr e)
{
    return in->forms[in->position[e.i]];
}

static size_form argument_form(const weighing *in, rh_expr e, uint32_t k)
{
    return form_at(in, rh__expr_argument(in->store, e, k));
}

static bool is_named(weighing *in, rh_expr symbol, const char *name)
{
    rh_text text = rh__text_begin(&in->scratch, NULL);
    rh__family_show(in->store, rh__expr_family(in->store, symbol),
                    rh__expr_member(in->store, symbol), &text);
    return rh__slice_is(rh__text_slice(&text), name);
}

// --- brackets ------------------------------------------------------------------------------------

// a x + c in a sum: x a variable, a and c numbers or parameters that stay as they are.
typedef struct bracket {
    known_symbol *variable; // NULL: there is none
    double slope, center;   // a; -c/a
    uint32_t place;         // of the term of x
} bracket;

static double number_at(const weighing *in, rh_expr e, uint32_t k)
{
    return rh__expr_number_value(in->store, rh__expr_argument(in->store, e, k));
}

// The variable of a term and what it is multiplied by; NULL: it is no such term.
static known_symbol *variable_of(const weighing *in, rh_expr term, double *slope)
{
    const bool is_product = rh__expr_op(in->store, term) == RH_OP_MUL;
    const uint32_t count = is_product ? rh__expr_count(in->store, term) : 1;
    known_symbol *variable = NULL;
    uint32_t moving = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rh_expr factor = is_product ? rh__expr_argument(in->store, term, k) : term;
        const uint32_t place = in->position[factor.i];
        variable = in->is_free[place] ? find_symbol(in, factor) : variable;
        moving += in->is_free[place];
        *slope *= in->is_free[place] ? 1.0 : in->values[place];
    }
    return moving == 1 && variable != NULL && variable->time_power == 0.0 ? variable : NULL;
}

// Its first variable that has a center.
static bracket find_bracket(const weighing *in, rh_expr e)
{
    bracket out = {.variable = NULL};
    double rest = 0.0;
    for (uint32_t k = 0; k < rh__expr_count(in->store, e); k += 2) {
        const uint32_t place = in->position[rh__expr_argument(in->store, e, k + 1).i];
        rest += in->is_free[place] ? 0.0 : number_at(in, e, k) * in->values[place];
    }
    for (uint32_t k = 0; k < rh__expr_count(in->store, e) && out.variable == NULL; k += 2) {
        const rh_expr term = rh__expr_argument(in->store, e, k + 1);
        bracket it = {.slope = number_at(in, e, k), .place = k};
        it.variable = variable_of(in, term, &it.slope);
        it.center = -rest / it.slope;
        out = it.variable != NULL && isfinite(it.center) && it.center != 0.0 ? it : out;
    }
    return out;
}

static bool is_near(double value, double center)
{
    return fabs(value - center) <= FAR * fabs(center);
}

// The given value of a variable that is nearest to a center.
static double value_near(weighing *in, const known_symbol *it, double center)
{
    double best = rh__point_value(&in->ground->start, in->store, it->symbol);
    for (uint32_t j = 0; j < in->def->value_count; j++) {
        const double value = in->def->values[j].value;
        const bool is_nearer = fabs(value - center) < fabs(best - center);
        best = is_nearer && is_named(in, it->symbol, in->def->values[j].name) ? value : best;
    }
    return best;
}

// Variables are measured from what is subtracted from them; from what is nearest to where they
// begin. Those that turn out not to be small beside it are not (drop_origins).
static void find_origins(weighing *in)
{
    for (uint32_t k = 0; k < in->reach.count; k++) {
        const rh_expr e = in->reach.data[k];
        const bracket it = rh__expr_op(in->store, e) == RH_OP_ADD ? find_bracket(in, e)
                                                                  : (bracket){.variable = NULL};
        if (it.variable == NULL || it.variable->is_settled) {
            continue;
        }
        const double value = value_near(in, it.variable, it.center);
        const double gap = fabs(value - it.center);
        if (it.variable->origin == 0.0 || gap < it.variable->gap) {
            it.variable->origin = it.center;
            it.variable->gap = gap;
        }
    }
}

// --- sums ----------------------------------------------------------------------------------------

// A bracket near the origin of its variable: a (x - o), and the number that is left of it where its
// center is another one, as 1 - x would have without a shift. Hands back how many; 0: it is none.
static uint32_t bracket_forms(weighing *in, rh_expr e, bracket *it, size_form *out)
{
    const bool is_sum = rh__expr_op(in->store, e) == RH_OP_ADD;
    *it = is_sum ? find_bracket(in, e) : (bracket){.variable = NULL};
    if (it->variable == NULL || it->variable->origin == 0.0 ||
        !is_near(it->center, it->variable->origin)) {
        it->variable = NULL;
        return 0;
    }
    const double gap = it->center - it->variable->origin;
    const bool is_own = fabs(gap) <= ROUNDED * fabs(it->center);
    out[0] =
        join(in, form_of_unknown(in, it->variable->unknown, 1.0), 1.0, form_of_value(it->slope));
    out[1] = form_of_value(it->slope * gap);
    return is_own ? 1 : 2;
}

// Arguments of equal size, `step` apart; of a sum with numbers before them.
static size_form form_of_terms(weighing *in, rh_expr e, uint32_t first, uint32_t step)
{
    const uint32_t count = rh__expr_count(in->store, e);
    size_form *terms = rh__arena_array(&in->scratch, size_form, (size_t)count + 2);
    bracket own = {.variable = NULL};
    uint32_t n = terms != NULL ? bracket_forms(in, e, &own, terms) : 0;
    for (uint32_t k = first; terms != NULL && k < count; k += step) {
        const uint32_t place = in->position[rh__expr_argument(in->store, e, k).i];
        if (own.variable != NULL && (k == own.place + 1 || !in->is_free[place])) {
            continue; // in the bracket
        }
        terms[n] = argument_form(in, e, k);
        if (rh__expr_op(in->store, e) == RH_OP_ADD) {
            const double number =
                rh__expr_number_value(in->store, rh__expr_argument(in->store, e, k - 1));
            terms[n] = join(in, terms[n], 1.0, form_of_value(number));
        }
        n++;
    }
    return terms != NULL ? level(in, terms, n) : (size_form){.is_known = false};
}

static size_form form_of_product(weighing *in, rh_expr e)
{
    size_form out = ONE;
    for (uint32_t k = 0; k < rh__expr_count(in->store, e); k++) {
        out = join(in, out, 1.0, argument_form(in, e, k));
    }
    return out;
}

static size_form form_of_power(weighing *in, rh_expr e)
{
    const rh_expr exponent = rh__expr_argument(in->store, e, 1);
    const double power = in->values[in->position[exponent.i]];
    if (!in->is_free[in->position[exponent.i]] && isfinite(power)) {
        return join(in, ONE, power, argument_form(in, e, 0));
    }
    vanish(in, argument_form(in, e, 0), 1.0);
    vanish(in, argument_form(in, e, 1), 1.0);
    return ONE;
}

static size_form form_of(weighing *in, rh_expr e)
{
    switch (rh__expr_op(in->store, e)) {
    case RH_OP_SYMBOL:
        return form_of_symbol(in, e);
    case RH_OP_ADD:
        return form_of_terms(in, e, 1, 2);
    case RH_OP_MUL:
        return form_of_product(in, e);
    case RH_OP_POW:
        return form_of_power(in, e);
    case RH_OP_ABS:
        return argument_form(in, e, 0);
    case RH_OP_MIN:
    case RH_OP_MAX:
        return form_of_terms(in, e, 0, 1);
    case RH_OP_IF:
        return form_of_terms(in, e, 1, 1);
    case RH_OP_LESS:
    case RH_OP_LESS_EQUAL:
    case RH_OP_EQUAL:
    case RH_OP_ATAN2:
        (void)form_of_terms(in, e, 0, 1);
        return ONE;
    case RH_OP_RATIO:
        vanish(in, argument_form(in, e, 0), 1.0);
        return argument_form(in, e, 1);
    case RH_OP_SIGN:
    case RH_OP_AND:
    case RH_OP_OR:
    case RH_OP_NOT:
        return ONE;
    default: // a function of what has no unit
        vanish(in, argument_form(in, e, 0), 1.0);
        return ONE;
    }
}

// --- the unknowns --------------------------------------------------------------------------------

static bool know(weighing *in, rh_expr symbol, uint32_t unknown, double time_power)
{
    const known_symbol it = {.symbol = symbol, .unknown = unknown, .time_power = time_power};
    return symbol.i == 0 || rh__array_push(&in->scratch, &in->symbols, it);
}

static rh_expr quasi_symbol(const weighing *in, const rh_quasi *quasi)
{
    return rh__expr_symbol(in->store, quasi->symbol, quasi->row.member);
}

static bool list_unknowns(weighing *in)
{
    const rh_equations *equations = in->equations;
    const rh_model *model = equations->model;
    uint32_t next = TIME + 1;
    bool ok = know(in, rh__expr_symbol(in->store, model->time, 0), TIME, 0.0);
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++, next++) {
        const rh_carrier *it = &equations->carriers.data[k];
        const double power = it->position.i != 0 ? -1.0 : 0.0;
        ok = know(in, it->position, next, 0.0) && know(in, it->variable, next, power) &&
             know(in, it->rate, next, power - 1.0);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++, next++) {
        ok = know(in, equations->passives.data[k].variable, next, 0.0) &&
             know(in, equations->passives.data[k].rate, next, -1.0);
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        const rh_link *link = &equations->links.data[k];
        if (link->held.i != 0) {
            ok = know(in, link->held, next, 0.0) && know(in, link->multiplier, next, -1.0);
            next++;
        }
    }
    for (uint32_t k = 0; ok && k < model->quasis.count; k++, next++) {
        ok = know(in, quasi_symbol(in, &model->quasis.data[k]), next, 0.0);
    }
    for (uint32_t k = 0; ok && k < in->def->dial_count; k++, next++) {
        ok = know(in, in->def->dials[k], next, 0.0);
    }
    for (uint32_t k = 0; ok && k < model->inputs.count; k++, next++) {
        ok = know(in, rh__expr_symbol(in->store, model->inputs.data[k].family, 0), next, 0.0);
    }
    in->unknown_count = next;
    return ok;
}

// --- what is asked -------------------------------------------------------------------------------

static bool add_root(weighing *in, rh_expr e)
{
    return e.i == 0 || rh__array_push(&in->scratch, &in->roots, e);
}

static bool list_roots(weighing *in)
{
    const rh_equations *equations = in->equations;
    const rh_model *model = equations->model;
    bool ok = true;
    for (uint32_t k = 0; ok && k < equations->inertia.entries.count; k++) {
        ok = add_root(in, equations->inertia.entries.data[k].value);
    }
    for (uint32_t k = 0; ok && k < equations->carriers.count; k++) {
        ok = add_root(in, equations->force[k]);
    }
    for (uint32_t k = 0; ok && k < equations->passives.count; k++) {
        ok = add_root(in, equations->passives.data[k].value);
    }
    for (uint32_t k = 0; ok && k < equations->links.count; k++) {
        ok = add_root(in, equations->links.data[k].levels[0]);
    }
    for (uint32_t k = 0; ok && k < model->quasis.count; k++) {
        ok = add_root(in, model->quasis.data[k].value);
    }
    for (uint32_t k = 0; ok && k < model->starts.count; k++) {
        ok = add_root(in, model->starts.data[k].place);
    }
    for (uint32_t k = 0; ok && k < model->guesses.count; k++) {
        ok = add_root(in, model->guesses.data[k].place);
    }
    for (uint32_t k = 0; ok && k < model->inputs.count; k++) {
        ok = add_root(in, model->inputs.data[k].value);
    }
    for (uint32_t k = 0; ok && k < model->observes.count; k++) {
        ok = add_root(in, model->observes.data[k].value);
    }
    return ok;
}

// Is it more than numbers and parameters that stay as they are?
static bool is_free(const weighing *in, rh_expr e)
{
    const uint32_t still = RH_ROLE_PARAM | RH_ROLE_CONSTANT;
    bool is_there = (rh__expr_mask(in->store, e) & ~still) != 0;
    for (uint32_t d = 0; d < in->def->dial_count; d++) {
        is_there = is_there || in->def->dials[d].i == e.i;
    }
    for (uint32_t k = 0; !is_there && k < rh__expr_count(in->store, e); k++) {
        is_there = in->is_free[in->position[rh__expr_argument(in->store, e, k).i]];
    }
    return is_there;
}

// Forms of everything that is reached, arguments before users; what is made of parameters alone is
// as large as it is.
static rh_status find_forms(weighing *in)
{
    if (!list_roots(in) ||
        !rh__expr_reach(in->store, in->roots.data, in->roots.count, &in->scratch, &in->reach)) {
        return refused(in);
    }
    const uint32_t count = in->reach.count;
    in->limit = rh__store_count(in->store) + 1;
    in->position = rh__arena_array(&in->scratch, uint32_t, in->limit);
    in->forms = rh__arena_array(&in->scratch, size_form, (size_t)count + 1);
    in->values = rh__arena_array(&in->scratch, double, (size_t)count + 1);
    in->is_free = rh__arena_array(&in->scratch, bool, (size_t)count + 1);
    RH_TRY(in->position == NULL || in->forms == NULL || in->values == NULL || in->is_free == NULL
               ? in->scratch.status
               : RH_OK);
    RH_TRY(rh__point_evaluate(&in->ground->start, in->reach.data, count, &in->scratch, in->values));
    for (uint32_t k = 0; k < count; k++) {
        in->position[in->reach.data[k].i] = k;
        in->is_free[k] = is_free(in, in->reach.data[k]);
    }
    find_origins(in);
    for (uint32_t k = 0; k < count && in->part_count < MOST_PARTS; k++) {
        const rh_expr e = in->reach.data[k];
        in->forms[k] = in->is_free[k] ? form_of(in, e) : form_of_value(in->values[k]);
        RH_TRY(in->scratch.status);
    }
    return in->part_count < MOST_PARTS ? RH_OK : RH_E_LIMIT;
}

// Equations of motion: M y' = h, and states with their laws.
static bool balance_equations(weighing *in)
{
    const rh_equations *equations = in->equations;
    const rh_grid *inertia = &equations->inertia;
    const size_t most = (size_t)equations->carriers.count + 2;
    size_form *terms = rh__arena_array(&in->scratch, size_form, most);
    for (uint32_t i = 0; terms != NULL && i < equations->carriers.count; i++) {
        uint32_t count = 0;
        for (uint32_t k = inertia->begin[i]; k < inertia->begin[i + 1]; k++) {
            const rh_entry *entry = &inertia->entries.data[k];
            const rh_expr rate = equations->carriers.data[entry->column].rate;
            terms[count++] = join(in, form_at(in, entry->value), 1.0, form_of_symbol(in, rate));
        }
        terms[count++] = equations->force[i].i != 0 ? form_at(in, equations->force[i])
                                                    : (size_form){.is_known = false};
        (void)level(in, terms, count);
    }
    for (uint32_t k = 0; terms != NULL && k < equations->passives.count; k++) {
        const rh_passive *it = &equations->passives.data[k];
        terms[0] = form_of_symbol(in, it->rate);
        terms[1] = form_at(in, it->value);
        (void)level(in, terms, 2);
    }
    return terms != NULL;
}

// A symbol that stands for a formula.
static void stand_for(weighing *in, rh_expr symbol, rh_expr value)
{
    if (value.i != 0) {
        vanish(in, join(in, form_of_symbol(in, symbol), -1.0, form_at(in, value)), 1.0);
    }
}

static void tell(weighing *in, size_form form, double value)
{
    vanish(in, join(in, form, -1.0, form_of_value(value)), TOLD);
}

// A value of a variable, as far as it is from its origin.
static void tell_symbol(weighing *in, rh_expr symbol, double value)
{
    const known_symbol *it = find_symbol(in, symbol);
    if (it != NULL && it->origin != 0.0) {
        tell(in, form_of_unknown(in, it->unknown, 1.0), value - it->origin);
    } else if (it != NULL) {
        tell(in, form_of_symbol(in, symbol), value);
    }
}

// Where nothing decides how large it is beside its origin, it is as large as that.
static void tell_origins(weighing *in)
{
    for (uint32_t k = 0; k < in->symbols.count; k++) {
        const known_symbol *it = &in->symbols.data[k];
        if (it->origin != 0.0) {
            vanish(in,
                   join(in, form_of_unknown(in, it->unknown, 1.0), -1.0, form_of_value(it->origin)),
                   OPEN);
        }
    }
}

// Values of the start as it is written: what follows from them may be rounding.
static void tell_settings(weighing *in, const rh_setting *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        double value = 0.0;
        if (rh__point_evaluate(&in->ground->start, &list[k].value, 1, &in->scratch, &value) ==
            RH_OK) {
            const bool is_symbol = find_symbol(in, list[k].place) != NULL;
            if (is_symbol) {
                tell_symbol(in, list[k].place, value);
            } else {
                tell(in, form_at(in, list[k].place), value);
            }
        }
    }
}

// Values of the start and of the call.
static void tell_values(weighing *in)
{
    const rh_model *model = in->equations->model;
    tell_settings(in, model->starts.data, model->starts.count);
    tell_settings(in, model->guesses.data, model->guesses.count);
    for (uint32_t k = 0; k < in->symbols.count; k++) {
        const rh_expr symbol = in->symbols.data[k].symbol;
        for (uint32_t j = 0; j < in->def->value_count; j++) {
            if (is_named(in, symbol, in->def->values[j].name)) {
                tell_symbol(in, symbol, in->def->values[j].value);
            }
        }
    }
    for (uint32_t k = 0; k < model->observes.count; k++) {
        for (uint32_t j = 0; j < in->def->value_count; j++) {
            if (strcmp(model->observes.data[k].name, in->def->values[j].name) == 0) {
                tell(in, form_at(in, model->observes.data[k].value), in->def->values[j].value);
            }
        }
    }
    for (uint32_t k = 0; k < in->def->dial_count; k++) {
        tell_symbol(in, in->def->dials[k],
                    rh__point_value(&in->ground->start, in->store, in->def->dials[k]));
    }
    tell_origins(in);
}

static rh_status find_balances(weighing *in)
{
    const rh_model *model = in->equations->model;
    in->balances.count = 0;
    in->roots.count = in->reach.count = 0;
    in->part_count = 0;
    RH_TRY(find_forms(in));
    if (!balance_equations(in)) {
        return refused(in);
    }
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        stand_for(in, quasi_symbol(in, &model->quasis.data[k]), model->quasis.data[k].value);
    }
    for (uint32_t k = 0; k < model->inputs.count; k++) {
        stand_for(in, rh__expr_symbol(in->store, model->inputs.data[k].family, 0),
                  model->inputs.data[k].value);
    }
    tell_values(in);
    return in->scratch.status;
}

// --- least squares -------------------------------------------------------------------------------

static double apply(const balance *it, const double *x)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < it->form.count; k++) {
        sum += it->form.parts[k].power * x[it->form.parts[k].unknown];
    }
    return it->weight * sum;
}

// The gradient A^T r into `out`; hands back its square.
static double gradient(const weighing *in, const double *rest, double *out)
{
    double square = 0.0;
    memset(out, 0, in->unknown_count * sizeof *out);
    for (uint32_t i = 0; i < in->balances.count; i++) {
        const balance *it = &in->balances.data[i];
        for (uint32_t k = 0; k < it->form.count; k++) {
            out[it->form.parts[k].unknown] += it->weight * it->form.parts[k].power * rest[i];
        }
    }
    for (uint32_t k = 0; k < in->unknown_count; k++) {
        square += out[k] * out[k];
    }
    return square;
}

// Conjugate gradients from zero lead to the shortest of the solutions.
static rh_status solve(weighing *in)
{
    const uint32_t n = in->unknown_count;
    const uint32_t rows = in->balances.count;
    double *work = rh__arena_array(&in->scratch, double, 3 * (size_t)n + 2 * (size_t)rows + 1);
    RH_TRY(work == NULL ? in->scratch.status : RH_OK);
    in->logs = work;
    double *slope = work + n;
    double *way = slope + n;
    double *rest = way + n;
    double *change = rest + rows;
    for (uint32_t i = 0; i < rows; i++) {
        const balance *it = &in->balances.data[i];
        rest[i] = -it->weight * it->form.constant;
    }
    double square = gradient(in, rest, slope);
    const double first = square;
    memcpy(way, slope, n * sizeof *way);
    for (uint32_t k = 0; k < 4 * n + 40 && square > ENOUGH * first; k++) {
        double length = 0.0;
        for (uint32_t i = 0; i < rows; i++) {
            change[i] = apply(&in->balances.data[i], way);
            length += change[i] * change[i];
        }
        if (!(length > 0.0)) {
            break;
        }
        for (uint32_t j = 0; j < n; j++) {
            in->logs[j] += square / length * way[j];
        }
        for (uint32_t i = 0; i < rows; i++) {
            rest[i] -= square / length * change[i];
        }
        const double next = gradient(in, rest, slope);
        for (uint32_t j = 0; j < n; j++) {
            way[j] = slope[j] + next / square * way[j];
        }
        square = next;
    }
    return RH_OK;
}

// --- all -----------------------------------------------------------------------------------------

// Of variables that are not small beside their origins; true: there were some.
static bool drop_origins(weighing *in)
{
    bool is_dropped = false;
    for (uint32_t k = 0; k < in->symbols.count; k++) {
        known_symbol *it = &in->symbols.data[k];
        if (it->origin != 0.0 && !(exp(in->logs[it->unknown]) <= FAR * fabs(it->origin))) {
            it->origin = 0.0;
            it->is_settled = is_dropped = true;
        }
    }
    return is_dropped;
}

static void keep(const weighing *in, double *dial_sizes)
{
    rh_frame_ground *ground = in->ground;
    ground->time_size = exp(in->logs[TIME]);
    for (uint32_t k = 0; k < in->symbols.count; k++) {
        const known_symbol *it = &in->symbols.data[k];
        const double size = exp(in->logs[it->unknown] + it->time_power * in->logs[TIME]);
        const uint32_t slot = rh__layout_slot(&ground->layout, it->symbol);
        const bool is_fine = size > 0.0 && isfinite(size);
        if (slot != UINT32_MAX && is_fine) {
            ground->sizes[slot] = size;
            ground->origins[slot] = it->origin;
        }
        for (uint32_t d = 0; d < in->def->dial_count && is_fine; d++) {
            const bool is_own = in->def->dials[d].i == it->symbol.i;
            ground->dial_origins[d] = is_own ? it->origin : ground->dial_origins[d];
            dial_sizes[d] = is_own ? size : dial_sizes[d];
        }
    }
}

rh_status rh__magnitudes_find(rh_frame_ground *ground, const rh_frame_ground_def *def)
{
    weighing in = {.ground = ground,
                   .def = def,
                   .equations = ground->equations,
                   .store = ground->equations->store,
                   .scratch = rh__arena_begin(ground->arena->allocator, ground->arena->limit)};
    ground->dial_sizes = rh__arena_array(ground->arena, double, (size_t)def->dial_count + 1);
    ground->dial_origins = rh__arena_array(ground->arena, double, (size_t)def->dial_count + 1);
    ground->origins =
        rh__arena_array(ground->arena, double, (size_t)ground->layout.symbols.count + 1);
    const bool is_there =
        ground->dial_sizes != NULL && ground->dial_origins != NULL && ground->origins != NULL;
    rh_status status = is_there ? RH_OK : ground->arena->status;
    for (uint32_t d = 0; status == RH_OK && d < def->dial_count; d++) {
        ground->dial_sizes[d] = 1.0;
    }
    status = status == RH_OK && !list_unknowns(&in) ? refused(&in) : status;
    bool is_settled = false;
    while (status == RH_OK && !is_settled) {
        status = find_balances(&in);
        status = status == RH_OK ? solve(&in) : status;
        is_settled = status != RH_OK || !drop_origins(&in);
    }
    if (status == RH_OK) {
        keep(&in, ground->dial_sizes);
    }
    rh__arena_end(&in.scratch);
    return status == RH_E_LIMIT ? RH_OK : status; // of very large models sizes are those there were
}
