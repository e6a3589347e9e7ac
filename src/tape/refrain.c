// SPDX-License-Identifier: Apache-2.0
// Statements that repeat, found and written; see refrain.h.

#include "tape/refrain.h"

#include <math.h>
#include <string.h>

enum {
    LEAST = 4,        // repetitions that are worth a loop
    LEAST_TABLE = 12, // statements that are worth a table
    MOST_PERIOD = 24, // statements in the body of a loop
    MOST_PIECES = 64  // beyond which tables are shorter
};

rh_refrain rh__refrain_begin(rh_emission *in, const rh_refrain_kind *kinds, bool is_flat)
{
    return (rh_refrain){.in = in, .kinds = kinds, .is_flat = is_flat, .ok = true};
}

void rh__refrain_add(rh_refrain *refrain, uint32_t kind, const uint32_t *heads)
{
    const rh_refrain_item item = {.kind = kind, .first = refrain->words.count};
    refrain->ok = refrain->ok && rh__array_push(refrain->in->scratch, &refrain->items, item);
    for (uint32_t k = 0; refrain->ok && k < refrain->kinds[kind].heads; k++) {
        refrain->ok = rh__array_push(refrain->in->scratch, &refrain->words, heads[k]);
    }
}

void rh__refrain_term(rh_refrain *refrain, const uint32_t *parts)
{
    if (!refrain->ok) {
        return;
    }
    rh_refrain_item *item = &refrain->items.data[refrain->items.count - 1];
    item->terms++;
    for (uint32_t k = 0; refrain->ok && k < refrain->kinds[item->kind].parts; k++) {
        refrain->ok = rh__array_push(refrain->in->scratch, &refrain->words, parts[k]);
    }
}

void rh__refrain_table(rh_emission *in, const char *name, const uint32_t *list, uint32_t count)
{
    rh__text_format(in->out, "static const unsigned %s[] = {", name);
    for (uint32_t k = 0; k < count; k++) {
        rh__text_format(in->out, "%s%u", k == 0 ? "" : k % 16 == 0 ? ",\n    " : ", ", list[k]);
    }
    rh__text_put(in->out, count == 0 ? "0};\n" : "};\n");
    rh__emit_count(in, count / 16 + 1);
}

// --- finding -------------------------------------------------------------------------------------

// Statements from `first` on: `count` times a body of `period` of them.
typedef struct stretch {
    uint32_t first, period, count;
} stretch;

static uint32_t word_count(const rh_refrain *refrain, const rh_refrain_item *item)
{
    const rh_refrain_kind *kind = &refrain->kinds[item->kind];
    return kind->heads + item->terms * kind->parts;
}

// Does statement c follow b as b follows a?
static bool goes_on(const rh_refrain *refrain, uint32_t a, uint32_t b, uint32_t c)
{
    const rh_refrain_item *items = refrain->items.data;
    const uint32_t *words = refrain->words.data;
    if (items[b].kind != items[c].kind || items[b].terms != items[c].terms ||
        items[a].kind != items[b].kind || items[a].terms != items[b].terms) {
        return false;
    }
    for (uint32_t k = 0; k < word_count(refrain, &items[a]); k++) {
        const uint32_t step = words[items[b].first + k] - words[items[a].first + k];
        if (words[items[c].first + k] - words[items[b].first + k] != step) {
            return false;
        }
    }
    return true;
}

static bool is_like(const rh_refrain *refrain, uint32_t a, uint32_t b)
{
    const rh_refrain_item *items = refrain->items.data;
    return items[a].kind == items[b].kind && items[a].terms == items[b].terms;
}

// How often a body of `period` statements from `first` on is repeated.
static uint32_t repetitions(const rh_refrain *refrain, uint32_t first, uint32_t period)
{
    const uint32_t end = refrain->items.count;
    uint32_t at = first + period;
    while (at < end && at < first + 2 * period && is_like(refrain, at - period, at)) {
        at++;
    }
    if (at < first + 2 * period) {
        return 1;
    }
    while (at < end && goes_on(refrain, at - 2 * period, at - period, at)) {
        at++;
    }
    return (at - first) / period;
}

static stretch find_stretch(const rh_refrain *refrain, uint32_t first)
{
    stretch best = {first, 1, 1};
    for (uint32_t period = 1; period <= (refrain->is_flat ? 4 : MOST_PERIOD); period++) {
        const uint32_t count = repetitions(refrain, first, period);
        if (count >= LEAST && count * period > best.count * best.period) {
            best = (stretch){first, period, count};
        }
    }
    return best;
}

uint32_t rh__refrain_pieces(const rh_refrain *refrain)
{
    uint32_t count = 0;
    for (uint32_t k = 0; refrain->ok && k < refrain->items.count; count++) {
        const stretch found = find_stretch(refrain, k);
        k += found.period * found.count;
    }
    return count;
}

// --- forms ---------------------------------------------------------------------------------------

// What a form is filled with.
typedef struct filling {
    const rh_refrain *refrain;
    const rh_refrain_item *item;
    const rh_refrain_item *next; // one repetition later; NULL: it stands alone
    const stretch *body;         // for what is carried; NULL: nothing is
    uint32_t phase;              // in the body
    uint32_t term;
    bool is_wide;
    bool has_tables;
} filling;

typedef struct expression {
    char text[96];
    uint32_t value, step;
} expression;

static expression argument(const filling *in, char letter)
{
    const rh_refrain_kind *kind = &in->refrain->kinds[in->item->kind];
    const bool is_part = letter >= 'p';
    const uint32_t place = is_part ? (uint32_t)(letter - 'p') : (uint32_t)(letter - 'a');
    const uint32_t word = is_part ? kind->heads + in->term * kind->parts + place : place;
    const uint32_t *words = in->refrain->words.data;
    expression made = {.value = words[in->item->first + word]};
    RH_ASSERT(place < (is_part ? kind->parts : kind->heads));
    if (in->has_tables) {
        (void)rh__text_fill(made.text, sizeof made.text,
                            is_part ? "TERM[%u * j + %u]" : "HEAD[%u * i + %u]",
                            is_part ? kind->parts : kind->heads, place);
        return made;
    }
    made.step = in->next == NULL ? 0 : words[in->next->first + word] - made.value;
    const int32_t step = (int32_t)made.step;
    if (step == 0) {
        (void)rh__text_fill(made.text, sizeof made.text, "%u", made.value);
    } else if (step == 1) {
        (void)rh__text_fill(made.text, sizeof made.text, "%u + i", made.value);
    } else {
        (void)rh__text_fill(made.text, sizeof made.text, "%u %c %d * i", made.value,
                            step < 0 ? '-' : '+', step < 0 ? -step : step);
    }
    return made;
}

// A weight that is a plain number is written as one.
static void put_weight(const filling *in, const expression *at)
{
    rh_emission *to = in->refrain->in;
    const double literal =
        in->has_tables || at->step != 0 ? (double)NAN : rh__emit_literal(to, at->value);
    rh__text_put(to->out, in->is_wide ? "(" : "");
    if (literal == literal && in->is_wide) {
        rh__text_format(to->out, "%.17g", literal);
    } else if (literal == literal) {
        rh__emit_number(to, literal);
    } else if (in->is_wide && at->step == 1) {
        rh__text_format(to->out, "chunk(p->weight + %s)", at->text);
    } else {
        rh__text_format(to->out, "W(%s)", at->text);
    }
    rh__text_put(to->out, in->is_wide ? " - (C){0})" : "");
}

// What a statement shortly before has just made: its variable; false where it is not one.
static bool put_carried(const filling *in, const expression *at)
{
    const stretch *body = in->body;
    rh_text *out = in->refrain->in->out;
    for (uint32_t phase = 0; body != NULL && phase < body->period; phase++) {
        const filling other = {.refrain = in->refrain,
                               .item = &in->refrain->items.data[body->first + phase],
                               .next =
                                   &in->refrain->items.data[body->first + phase + body->period]};
        const expression made = argument(&other, 'a');
        if (made.step == at->step && phase < in->phase && made.value == at->value) {
            rh__text_format(out, "s%u", phase);
            return true;
        }
        if (made.step == at->step && made.value - made.step == at->value) {
            rh__text_format(out, "l%u", phase);
            return true;
        }
    }
    return false;
}

static void put_element(const filling *in, rh_slice name, char letter)
{
    rh_text *out = in->refrain->in->out;
    const rh_refrain_kind *kind = &in->refrain->kinds[in->item->kind];
    const expression at = argument(in, letter);
    if (name.size == 1 && name.data[0] == 'W') {
        put_weight(in, &at);
    } else if (name.size == 1 && name.data[0] == 'H') {
        rh__text_format(out, "HELD(%s)", at.text);
    } else if (name.size == 1 && name.data[0] == 'L') {
        rh__text_format(out, "LENT(%s)", at.text);
    } else if (kind->is_carried && letter == (char)('p' + kind->parts - 1) &&
               put_carried(in, &at)) {
        return;
    } else if (!in->is_wide) {
        rh__text_format(out, "%.*s[%s]", (int)name.size, name.data, at.text);
    } else if (at.step == 1) {
        rh__text_format(out, "chunk(%.*s + %s)", (int)name.size, name.data, at.text);
    } else {
        rh__text_format(out, "(%.*s[%s] - (C){0})", (int)name.size, name.data, at.text);
    }
}

static void put_form(const filling *in, const char *form);

// @name(a) or @=name(a,x): gives what comes behind it.
static const char *put_reference(const filling *in, const char *form)
{
    rh_text *out = in->refrain->in->out;
    const bool is_kept = form[0] == '=';
    const char *name = form + is_kept;
    const size_t size = strcspn(name, "(");
    const char letter = name[size + 1];
    if (!is_kept) {
        put_element(in, (rh_slice){name, size}, letter);
        return name + size + 3;
    }
    // the statement ends with the form, so its value does with the last parenthesis before ';'
    char value[128];
    const char *begin = name + size + 3;
    const size_t length = strcspn(begin, ";") - 1;
    RH_ASSERT(length < sizeof value);
    memcpy(value, begin, length);
    value[length] = '\0';
    const expression at = argument(in, letter);
    rh__text_put(out, in->is_wide ? "{ const C kept = " : "");
    if (!in->is_wide) {
        rh__text_format(out, "%.*s[%s] = ", (int)size, name, at.text);
    }
    put_form(in, value);
    if (in->is_wide) {
        rh__text_format(out, "; KEEP(kept, %.*s + %s); }", (int)size, name, at.text);
    }
    return begin + length + 1;
}

static void put_form(const filling *in, const char *form)
{
    rh_text *out = in->refrain->in->out;
    for (const char *at = form; *at != '\0';) {
        if (*at == '@') {
            at = put_reference(in, at + 1);
        } else if (*at == '$') {
            const char *word = at[1] == 'T'   ? (in->is_wide ? "C" : "V")
                               : at[1] == 'F' ? (in->is_wide ? "fuse" : "F")
                               : at[1] == 'A' ? (in->is_wide ? "sizes" : "ABS")
                               : at[1] == 'O' ? (in->is_wide ? "(C){0}" : "K(0.0)")
                                              : NULL;
            RH_ASSERT(word != NULL || at[1] == 's');
            if (word != NULL) {
                rh__text_put(out, word);
            } else {
                rh__text_format(out, "s%u", in->phase);
            }
            at += 2;
        } else {
            rh__text_put_char(out, *at++);
        }
    }
}

// --- writing -------------------------------------------------------------------------------------

static void put_statement(filling *in)
{
    const rh_refrain_kind *kind = &in->refrain->kinds[in->item->kind];
    rh_text *out = in->refrain->in->out;
    rh__text_put(out, "    ");
    put_form(in, kind->open);
    for (in->term = 0; in->term < in->item->terms; in->term++) {
        rh__text_put(out, "\n    ");
        put_form(in, kind->term);
    }
    rh__text_put(out, "\n    ");
    put_form(in, kind->close);
    rh__text_put(out, "\n");
    rh__emit_count(in->refrain->in, 2 + (uint64_t)in->item->terms);
}

static void write_single(const rh_refrain *refrain, uint32_t index)
{
    filling in = {.refrain = refrain, .item = &refrain->items.data[index]};
    rh__text_put(refrain->in->out, "    {\n");
    put_statement(&in);
    rh__text_put(refrain->in->out, "    }\n");
}

// Does an array get elements of this argument?
static bool is_target(const rh_refrain_kind *kind, char letter)
{
    const char *const forms[] = {kind->open, kind->term, kind->close};
    for (uint32_t k = 0; k < 3; k++) {
        for (const char *at = strstr(forms[k], "@="); at != NULL; at = strstr(at + 1, "@=")) {
            if (at[strcspn(at, "(") + 1] == letter) {
                return true;
            }
        }
    }
    return false;
}

// Eight at a time: all arguments stay or count up, and what is written counts up.
static bool can_be_wide(const rh_refrain *refrain, const stretch *found)
{
    const rh_refrain_item *item = &refrain->items.data[found->first];
    const rh_refrain_kind *kind = &refrain->kinds[item->kind];
    if (!refrain->is_flat || kind->wide == 0 || found->period != 1 || found->count < kind->wide) {
        return false;
    }
    const uint32_t *words = refrain->words.data + item->first;
    const uint32_t *next = refrain->words.data + refrain->items.data[found->first + 1].first;
    for (uint32_t k = 0; k < word_count(refrain, item); k++) {
        const uint32_t step = next[k] - words[k];
        const bool is_head = k < kind->heads;
        if (step > 1 || (step == 0 && is_head && is_target(kind, (char)('a' + k)))) {
            return false;
        }
    }
    return true;
}

static void put_bodies(const rh_refrain *refrain, const stretch *found, bool is_wide)
{
    for (uint32_t phase = 0; phase < found->period; phase++) {
        filling in = {.refrain = refrain,
                      .item = &refrain->items.data[found->first + phase],
                      .next = &refrain->items.data[found->first + phase + found->period],
                      .body = refrain->is_flat ? NULL : found,
                      .phase = phase,
                      .is_wide = is_wide};
        put_statement(&in);
    }
}

// What is carried from one repetition to the next, before the loop and at its end.
static void put_carriers(const rh_refrain *refrain, const stretch *found, bool is_end)
{
    const rh_refrain_item *items = refrain->items.data + found->first;
    for (uint32_t phase = 0; !refrain->is_flat && phase < found->period; phase++) {
        const rh_refrain_item *item = &items[phase];
        if (!refrain->kinds[item->kind].is_carried) {
            continue;
        }
        const uint32_t first = refrain->words.data[item->first];
        const uint32_t step = refrain->words.data[items[phase + found->period].first] - first;
        // the place before the first one may not be there: then nobody asks for it
        const int32_t before = (int32_t)(first - step);
        if (is_end) {
            rh__text_format(refrain->in->out, "    l%u = s%u;\n", phase, phase);
        } else {
            rh__text_format(refrain->in->out, "    V l%u = b[%d];\n", phase,
                            before < 0 ? 0 : before);
        }
    }
}

static void write_loop(const rh_refrain *refrain, const stretch *found)
{
    rh_text *out = refrain->in->out;
    rh__text_put(out, "    {\n    int i = 0;\n");
    if (can_be_wide(refrain, found)) {
        rh__text_format(out,
                        "#if LANES == 1 && defined(__GNUC__)\n"
                        "    for (; i + 8 <= %u; i += 8) {\n",
                        found->count);
        put_bodies(refrain, found, true);
        rh__text_put(out, "    }\n#endif\n");
    }
    put_carriers(refrain, found, false);
    rh__text_format(out, "    for (; i < %u; i++) {\n", found->count);
    put_bodies(refrain, found, false);
    put_carriers(refrain, found, true);
    rh__text_put(out, "    }\n    }\n");
}

// Statements of one kind, whatever their arguments are.
static rh_status write_tables(const rh_refrain *refrain, uint32_t first, uint32_t count)
{
    const rh_refrain_item *items = refrain->items.data + first;
    const rh_refrain_kind *kind = &refrain->kinds[items->kind];
    RH_ARRAY(uint32_t) heads = {0}, terms = {0}, ends = {0};
    bool ok = true;
    uint32_t end = 0;
    for (uint32_t k = 0; ok && k < count; k++) {
        const uint32_t *words = refrain->words.data + items[k].first;
        for (uint32_t j = 0; ok && j < word_count(refrain, &items[k]); j++) {
            ok = j < kind->heads ? rh__array_push(refrain->in->scratch, &heads, words[j])
                                 : rh__array_push(refrain->in->scratch, &terms, words[j]);
        }
        end += items[k].terms;
        ok = ok && rh__array_push(refrain->in->scratch, &ends, end);
    }
    if (!ok) {
        return refrain->in->scratch->status;
    }
    rh_text *out = refrain->in->out;
    filling in = {.refrain = refrain, .item = items, .has_tables = true};
    rh__text_put(out, "    {\n");
    rh__refrain_table(refrain->in, "HEAD", heads.data, heads.count);
    if (kind->parts > 0) {
        rh__refrain_table(refrain->in, "TERM", terms.data, terms.count);
        rh__refrain_table(refrain->in, "END", ends.data, ends.count);
    }
    rh__text_format(out, "    for (unsigned i = 0, j = 0; i < %u; i++) {\n    (void)j;\n    ",
                    count);
    put_form(&in, kind->open);
    if (kind->parts > 0) {
        rh__text_put(out, "\n    for (; j < END[i]; j++) {\n    ");
        put_form(&in, kind->term);
        rh__text_put(out, "\n    }");
    }
    rh__text_put(out, "\n    ");
    put_form(&in, kind->close);
    rh__text_put(out, "\n    }\n    }\n");
    return RH_OK;
}

// Statements of one kind from `first` on that are not repeated; unless `is_short`, not often.
static uint32_t loose_end(const rh_refrain *refrain, uint32_t first, bool is_short)
{
    uint32_t end = first;
    while (end < refrain->items.count &&
           refrain->items.data[end].kind == refrain->items.data[first].kind &&
           find_stretch(refrain, end).count < (is_short ? 2U : (uint32_t)MOST_PIECES)) {
        end++;
    }
    return end;
}

rh_status rh__refrain_write(rh_refrain *refrain)
{
    if (!refrain->ok) {
        return refrain->in->scratch->status;
    }
    const bool is_short = rh__refrain_pieces(refrain) <= MOST_PIECES;
    for (uint32_t k = 0; k < refrain->items.count;) {
        const stretch found = find_stretch(refrain, k);
        // a table takes a loop too, but a long one is worth its own
        if (found.count > 1 && (is_short || found.count >= MOST_PIECES)) {
            write_loop(refrain, &found);
            k += found.period * found.count;
            continue;
        }
        const uint32_t end = loose_end(refrain, k, is_short);
        if (end - k >= LEAST_TABLE) {
            RH_TRY(write_tables(refrain, k, end - k));
            k = end;
        } else {
            write_single(refrain, k++);
        }
    }
    return RH_OK;
}
