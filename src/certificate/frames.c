// SPDX-License-Identifier: Apache-2.0
// What stands at the head of a statement: settings, the text of the model, and quasi-velocities in
// the words of the model. Those that are not in it are added as further lines.

#include "certificate/propose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ADDED = 1000 };

// --- numbers -------------------------------------------------------------------------------------

const char *rh__propose_decimal(rh_arena *arena, double value)
{
    RH_ASSERT(isfinite(value));
    char text[40];
    int digits = 1;
    do {
        (void)rh__text_fill(text, sizeof text, "%.*e", digits - 1, value);
    } while (rh__text_number(text, NULL) != value && ++digits <= 17);
    const char *mark = strchr(text, 'e');
    RH_ASSERT(digits <= 18);
    const long exponent = strtol(mark + 1, NULL, 10);
    rh_text out = rh__text_begin(arena, NULL);
    const char *at = text;
    if (*at == '-') {
        rh__text_put(&out, "-");
        at++;
    }
    char mantissa[32];
    size_t size = 0;
    for (; at < mark; at++) {
        if (*at != '.') {
            mantissa[size++] = *at;
        }
    }
    if (exponent < 0) {
        rh__text_put(&out, "0.");
        for (long k = exponent + 1; k < 0; k++) {
            rh__text_put_char(&out, '0');
        }
    }
    for (size_t k = 0; k < size || (long)k <= exponent; k++) {
        rh__text_put(&out, exponent >= 0 && (long)k == exponent + 1 ? "." : "");
        rh__text_put_char(&out, k < size ? mantissa[k] : '0');
    }
    return rh__text_print(arena, "%.*s", RH_SLICE_FORMAT(rh__text_slice(&out)));
}

const char *rh__propose_fix(const rh_proposing *in, const rh_steady_value *fix)
{
    const size_t at = (size_t)(fix - in->call->fix);
    RH_ASSERT(at < in->call->fix_count);
    const char *const *exact = in->on.def->exact;
    return exact != NULL && exact[at] != NULL && rh__wording_is_number(rh__slice_of(exact[at]))
               ? exact[at]
               : rh__propose_decimal(in->on.arena, fix->value);
}

// --- settings ------------------------------------------------------------------------------------

static bool is_parameter(const rh_model *model, const char *name)
{
    const char *bracket = strchr(name, '[');
    const rh_slice bare = {name, bracket != NULL ? (size_t)(bracket - name) : strlen(name)};
    for (uint32_t k = 0; k < model->parameters.count; k++) {
        if (rh__slice_equal(model->parameters.data[k].name, bare)) {
            return true;
        }
    }
    return false;
}

static bool push_value(rh_proposing *in, const char *name, const char *primes, double value)
{
    RH_ASSERT(primes[0] == '\0' || strcmp(primes, "'") == 0);
    const char *start = rh__text_print(in->on.arena, "%s%s=%s", name, primes,
                                       rh__propose_decimal(in->on.arena, value));
    return rh__array_push(in->on.arena, &in->draft.start, start);
}

// The start at the motion itself.
static bool push_start(rh_proposing *in)
{
    const rh_steady *steady = in->steady;
    bool ok = true;
    for (size_t k = 0; ok && k < rh_steady_positional_count(steady); k++) {
        const char *name = rh_steady_positional(steady, k);
        const uint32_t slot = rh__reduction_slot(steady->reduction, name);
        ok = push_value(in, name, "", in->found->values[slot]) && push_value(in, name, "'", 0.0);
    }
    for (size_t k = 0; ok && k < rh_steady_cyclic_count(steady); k++) {
        ok = push_value(in, rh_steady_cyclic(steady, k), "'", in->found->speeds[k]);
    }
    return ok;
}

// Parameters that the call fixes are set; they win over --set.
static bool push_parameters(rh_proposing *in)
{
    rh_arena *arena = in->on.arena;
    rh_wording *draft = &in->draft;
    const rh_model_def *model = in->model;
    bool ok = true;
    for (size_t k = 0; ok && k < in->call->fix_count; k++) {
        const rh_steady_value *fix = &in->call->fix[k];
        if (is_parameter(in->steady->equations->model, fix->name)) {
            const char *set = rh__text_print(arena, "%s=%s", fix->name, rh__propose_fix(in, fix));
            ok = rh__array_push(arena, &draft->set, set);
        }
    }
    for (size_t k = 0; ok && k < model->set_count; k++) {
        ok = rh__wording_is_set(draft->set.data, draft->set.count, model->set[k]) ||
             rh__wording_is_set(model->set + k + 1, model->set_count - k - 1, model->set[k]) ||
             rh__array_push(arena, &draft->set, model->set[k]);
    }
    return ok && arena->status == RH_OK;
}

// Of two settings with one name the last is meant.
static bool push_settings(rh_proposing *in)
{
    rh_arena *arena = in->on.arena;
    rh_wording *draft = &in->draft;
    const rh_model_def *model = in->model;
    bool ok = push_parameters(in);
    for (size_t k = 0; ok && k < model->start_count && !in->starts_near; k++) {
        const char *const *rest = model->start + k + 1;
        ok = rh__wording_is_set(rest, model->start_count - k - 1, model->start[k]) ||
             rh__array_push(arena, &draft->start, model->start[k]);
    }
    ok = ok && (!in->starts_near || push_start(in));
    for (size_t k = 0; ok && k < model->by_count; k++) {
        ok = rh__wording_is_set(model->by + k + 1, model->by_count - k - 1, model->by[k]) ||
             rh__array_push(arena, &draft->by, model->by[k]);
    }
    for (size_t k = 0; ok && k < model->observe_count; k++) {
        // names of quasi-velocities that were found mean nothing to the model
        ok = rh__reduction_slot(in->steady->reduction, model->observe[k]) != UINT32_MAX ||
             rh__array_push(arena, &draft->observe, model->observe[k]);
    }
    draft->model = (rh_slice){model->text, model->text_size};
    return ok && arena->status == RH_OK;
}

// --- frames --------------------------------------------------------------------------------------

static bool contains(rh_slice text, const char *word)
{
    const size_t size = strlen(word);
    for (size_t k = 0; k + size <= text.size; k++) {
        if (memcmp(text.data + k, word, size) == 0) {
            return true;
        }
    }
    return false;
}

// A name that stands nowhere in the model.
static const char *new_name(rh_proposing *in)
{
    for (uint32_t k = in->draft.quasis.count + 1; k < MOST_ADDED; k++) {
        const char *name = rh__text_print(in->on.arena, "omega%u", k);
        bool is_taken = contains(in->draft.model, name);
        for (uint32_t j = 0; j < in->draft.quasis.count; j++) {
            is_taken = is_taken || contains(in->draft.quasis.data[j], name);
        }
        if (!is_taken) {
            return name;
        }
    }
    return "omega";
}

bool rh__propose_quasi(rh_proposing *in, const char *formula, const char **out_name)
{
    rh_arena *arena = in->on.arena;
    *out_name = new_name(in);
    const char *line = rh__text_print(arena, "%s = %s", *out_name, formula);
    return rh__array_push(arena, &in->draft.quasis, rh__slice_of(line));
}

// The name of a row of the frame, if it is one of the model.
const char *rh__propose_given(const rh_proposing *in, const rh_quasi *row)
{
    const rh_model *model = in->steady->equations->model;
    rh_store *store = in->steady->equations->store;
    for (uint32_t k = 0; k < model->quasis.count; k++) {
        const rh_quasi *it = &model->quasis.data[k];
        if (it->symbol.i == row->symbol.i && it->row.member == row->row.member) {
            const rh_expr symbol = rh__expr_symbol(store, it->symbol, it->row.member);
            return rh__thesis_name(in->on.arena, store, symbol);
        }
    }
    return NULL;
}

// Does the name mean a variable of the statement, or nothing to it (a cyclic coordinate)?
static bool is_variable(const rh_proposing *in, const char *name)
{
    const rh_reduction *reduction = in->steady->reduction;
    const uint32_t slot = rh__reduction_slot(reduction, name);
    const uint32_t row = slot - 1 - reduction->engine.velocities.first;
    const bool is_row = row < reduction->engine.velocities.count;
    return slot != UINT32_MAX &&
           (!is_row || (in->is_whole ? rh__propose_given(in, &reduction->frame.rows[row]) != NULL
                                     : !in->is_exchanged[row]));
}

// What the call fixes and is no variable: an observed quantity, a velocity.
static bool push_demands(rh_proposing *in)
{
    rh_arena *arena = in->on.arena;
    bool ok = true;
    for (size_t k = 0; ok && k < in->call->fix_count && !in->drops_demands; k++) {
        const rh_steady_value *fix = &in->call->fix[k];
        if (!is_variable(in, fix->name) && !is_parameter(in->steady->equations->model, fix->name)) {
            const rh_pledge pledge = {.name = rh__slice_of(fix->name),
                                      .low = rh__slice_of(rh__propose_fix(in, fix))};
            ok = rh__array_push(arena, &in->draft.fixes, pledge);
        }
    }
    return ok;
}

rh_status rh__propose_frame(rh_proposing *in)
{
    rh_arena *arena = in->on.arena;
    const rh_reduction *reduction = in->steady->reduction;
    in->draft = (rh_wording){.dimension = in->found->judgement.dimension};
    in->draft.verdict = rh__slice_of(rh_steady_verdict_text(in->found->judgement.verdict));
    bool ok = push_settings(in) && push_demands(in);
    if (in->is_whole) {
        RH_TRY(ok ? rh__propose_whole(in) : arena->status);
    }
    for (uint32_t k = 0; ok && !in->is_whole && k < reduction->frame.count; k++) {
        const char *name =
            in->is_exchanged[k] ? NULL : rh__propose_given(in, &reduction->frame.rows[k]);
        const char *formula = in->is_exchanged[k] ? in->velocity[k] : in->steady->formulas[k];
        ok = name != NULL || rh__propose_quasi(in, formula, &name);
        ok = ok && rh__array_push(arena, &in->draft.frame, rh__slice_of(name));
    }
    // cyclic coordinates that stand in constraints follow from the others: they do not move either
    for (uint32_t k = 0; ok && k < reduction->place_count; k++) {
        const uint32_t slot = reduction->place[k];
        ok = slot > reduction->engine.coordinates.count ||
             rh__array_push(arena, &in->draft.positional, rh__slice_of(reduction->names[slot]));
    }
    return ok ? RH_OK : arena->status != RH_OK ? arena->status : RH_E_LIMIT;
}

// --- exchange ------------------------------------------------------------------------------------

// Slopes of the velocities of positional coordinates by the quasi-velocities, at the motion. True
// when one of them holds several of these.
static bool find_slopes(rh_proposing *in, double *out)
{
    const rh_thesis *thesis = &in->on.thesis;
    const uint32_t n = in->draft.frame.count;
    bool is_mixed = false;
    for (uint32_t i = 0; i < thesis->positional_count; i++) {
        uint32_t entries = 0;
        for (uint32_t j = 0; j < n; j++) {
            const uint32_t at = rh__field_slope(&in->on.field, i, thesis->unknown_first + j);
            RH_ASSERT(at < in->on.field.total);
            const double slope = rh__balls_middle(in->on.field.values, at);
            out[(size_t)i * n + j] = isfinite(slope) ? slope : 0.0;
            entries += !rh__balls_is_zero(in->on.field.values, at);
        }
        is_mixed = is_mixed || entries > 1;
    }
    return is_mixed;
}

bool rh__propose_exchange(rh_proposing *in)
{
    const uint32_t n = in->draft.frame.count;
    const uint32_t m = in->on.thesis.positional_count;
    double *slopes = rh__arena_array(in->on.arena, double, (size_t)m *n + 1);
    if (slopes == NULL || !find_slopes(in, slopes)) {
        return false;
    }
    for (uint32_t i = 0; i < m; i++) {
        const double *row = slopes + (size_t)i * n;
        uint32_t best = UINT32_MAX;
        for (uint32_t j = 0; j < n; j++) {
            if (!in->is_exchanged[j] && fabs(row[j]) > 1e-6 &&
                (best == UINT32_MAX || fabs(row[j]) > fabs(row[best]))) {
                best = j;
            }
        }
        if (best == UINT32_MAX) {
            continue;
        }
        RH_ASSERT(best < n && !in->is_exchanged[best]);
        in->is_exchanged[best] = true;
        in->velocity[best] = rh__text_print(in->on.arena, "%s'", in->on.thesis.names[i]);
        for (uint32_t k = i + 1; k < m; k++) {
            double *other = slopes + (size_t)k * n;
            const double share = other[best] / row[best];
            for (uint32_t j = 0; j < n; j++) {
                other[j] -= share * row[j];
            }
        }
    }
    return true;
}
