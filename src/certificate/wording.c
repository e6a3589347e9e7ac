// SPDX-License-Identifier: Apache-2.0
// Certificates as text: reading and writing (docs/theory/certificates.md has the format).

#include "certificate/wording.h"

#include <nettle/sha2.h>

#include <string.h>

static const char HEAD[] = "rheonom certificate 2";
static const char OLDER[] = "rheonom certificate 1";
static const char CLAIM[] = "steady motion";

const char *rh__vanish_word(rh_vanish_reason reason)
{
    return reason == RH_VANISH_POWER      ? "power balance"
           : reason == RH_VANISH_INTEGRAL ? "integral"
                                          : "substitution";
}

void rh__wording_seal(rh_slice bytes, char out[RH_WORDING_SEAL])
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, bytes.size, (const uint8_t *)bytes.data);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t k = 0; k < sizeof digest; k++) {
        (void)rh__text_fill(out + 2 * k, 3, "%02x", (unsigned)digest[k]);
    }
}

// --- reading -------------------------------------------------------------------------------------

typedef struct reading {
    rh_arena *arena;
    rh_wording *out;
    rh_error *err;
    rh_slice rest;
    uint32_t line;     // of the text, from 1
    uint32_t seen;     // of keywords that stand once
    uint32_t expected; // coefficients so far
    rh_text model;
} reading;

static rh_status complain(const reading *in, const char *what)
{
    return rh__error_fill(in->err, RH_E_ARGUMENT, "line %u: %s", in->line, what);
}

static rh_slice trim(rh_slice s)
{
    while (s.size > 0 && s.data[0] == ' ') {
        s.data++;
        s.size--;
    }
    while (s.size > 0 && s.data[s.size - 1] == ' ') {
        s.size--;
    }
    return s;
}

// Cut the first line off the rest; its end is not part of it. False at the end of the text.
static bool next_line(reading *in, rh_slice *out)
{
    if (in->rest.size == 0) {
        return false;
    }
    const char *end = memchr(in->rest.data, '\n', in->rest.size);
    const size_t size = end != NULL ? (size_t)(end - in->rest.data) : in->rest.size;
    *out = (rh_slice){in->rest.data, size};
    const size_t taken = end != NULL ? size + 1 : size;
    in->rest = (rh_slice){in->rest.data + taken, in->rest.size - taken};
    in->line++;
    return true;
}

// Split at the first `mark`; false when there is none, or nothing on one side.
static bool split(rh_slice s, const char *mark, rh_slice *left, rh_slice *right)
{
    const size_t size = strlen(mark);
    for (size_t k = 0; k + size <= s.size; k++) {
        if (memcmp(s.data + k, mark, size) == 0) {
            *left = trim((rh_slice){s.data, k});
            *right = trim((rh_slice){s.data + k + size, s.size - k - size});
            return left->size > 0 && right->size > 0;
        }
    }
    return false;
}

bool rh__wording_is_number(rh_slice s)
{
    size_t k = s.size > 0 && s.data[0] == '-' ? 1 : 0;
    size_t digits = 0;
    size_t points = 0;
    for (; k < s.size; k++) {
        const bool is_point = s.data[k] == '.';
        if (!is_point && (s.data[k] < '0' || s.data[k] > '9')) {
            return false;
        }
        if (is_point && (digits == 0 || points > 0)) {
            return false;
        }
        digits += !is_point;
        points += is_point;
    }
    return digits > 0 && s.size <= RH_WORDING_NUMBER && s.data[s.size - 1] != '.';
}

// How many digits a whole number at the beginning has, at most six; 0: there is none.
static size_t count_digits(rh_slice s)
{
    size_t k = 0;
    while (k < s.size && s.data[k] >= '0' && s.data[k] <= '9') {
        k++;
    }
    return k <= 6 && k > 0 && s.data[0] != '0' ? k : 0;
}

bool rh__wording_is_turn(rh_slice s, rh_slice *factor, rh_slice *divisor)
{
    *factor = *divisor = (rh_slice){"1", 1};
    const size_t sign = s.size > 0 && s.data[0] == '-';
    s = (rh_slice){s.data + sign, s.size - sign};
    const size_t before = count_digits(s);
    if (before > 0 && before < s.size && s.data[before] == '*') {
        *factor = (rh_slice){s.data, before};
        s = (rh_slice){s.data + before + 1, s.size - before - 1};
    }
    if (s.size < 2 || memcmp(s.data, "pi", 2) != 0) {
        return false;
    }
    s = (rh_slice){s.data + 2, s.size - 2};
    if (s.size > 1 && s.data[0] == '/') {
        *divisor = (rh_slice){s.data + 1, s.size - 1};
        return count_digits(*divisor) == divisor->size;
    }
    return s.size == 0;
}

// A number in plain decimals, or half turns.
static bool is_exact(rh_slice s)
{
    rh_slice factor;
    rh_slice divisor;
    return rh__wording_is_number(s) || rh__wording_is_turn(s, &factor, &divisor);
}

static rh_status read_names(reading *in, rh_slice value, rh_slice **data, uint32_t *count,
                            uint32_t *capacity)
{
    RH_ARRAY(rh_slice) list = {*data, *count, *capacity};
    rh_slice left;
    rh_slice right;
    while (split(value, ", ", &left, &right)) {
        if (!rh__array_push(in->arena, &list, left)) {
            return in->arena->status;
        }
        value = right;
    }
    if (!rh__array_push(in->arena, &list, trim(value))) {
        return in->arena->status;
    }
    *data = list.data;
    *count = list.count;
    *capacity = list.capacity;
    return RH_OK;
}

// NAME = NUMBER
static rh_status read_exact(reading *in, rh_slice value, rh_pledge *out)
{
    *out = (rh_pledge){.name = {NULL, 0}};
    return split(value, " = ", &out->name, &out->low) && is_exact(out->low)
               ? RH_OK
               : complain(in, "NAME = NUMBER is expected, the number in plain decimals or N*pi/M");
}

// NAME = [NUMBER, NUMBER]
static rh_status read_bounds(reading *in, rh_slice value, rh_pledge *out)
{
    rh_slice both;
    *out = (rh_pledge){.name = {NULL, 0}};
    const bool is_there = split(value, " = ", &out->name, &both) && both.size > 2 &&
                          both.data[0] == '[' && both.data[both.size - 1] == ']';
    const rh_slice inside = is_there ? (rh_slice){both.data + 1, both.size - 2} : both;
    return is_there && split(inside, ", ", &out->low, &out->high) &&
                   rh__wording_is_number(out->low) && rh__wording_is_number(out->high)
               ? RH_OK
               : complain(in, "NAME = [NUMBER, NUMBER] is expected, the numbers in plain decimals");
}

// FACTOR ROW, FACTOR ROW, ...
static rh_status read_sum(reading *in, rh_slice value, rh_vanish *out)
{
    bool goes_on = true;
    while (goes_on) {
        rh_addend addend;
        rh_slice first;
        rh_slice rest = value;
        goes_on = split(value, ", ", &first, &rest);
        const rh_slice this = goes_on ? first : value;
        if (!split(this, " ", &addend.factor, &addend.row) ||
            !rh__wording_is_number(addend.factor)) {
            return complain(in, "NUMBER ROW, NUMBER ROW, ... is expected after \"integral\"");
        }
        if (!rh__array_push(in->arena, &out->sum, addend)) {
            return in->arena->status;
        }
        value = rest;
    }
    return RH_OK;
}

static rh_status read_vanish(reading *in, rh_slice value)
{
    rh_vanish vanish = {.reason = RH_VANISH_SUBSTITUTION};
    rh_slice word;
    rh_slice kind;
    rh_slice sum;
    if (!split(value, " by ", &vanish.row, &word)) {
        return complain(in, "ROW by REASON is expected");
    }
    if (rh__slice_is(word, rh__vanish_word(RH_VANISH_POWER))) {
        vanish.reason = RH_VANISH_POWER;
    } else if (split(word, " ", &kind, &sum) &&
               rh__slice_is(kind, rh__vanish_word(RH_VANISH_INTEGRAL))) {
        vanish.reason = RH_VANISH_INTEGRAL;
        RH_TRY(read_sum(in, sum, &vanish));
    } else if (!rh__slice_is(word, rh__vanish_word(RH_VANISH_SUBSTITUTION))) {
        return complain(in, "a row vanishes by substitution, by power balance or by an integral");
    }
    return rh__array_push(in->arena, &in->out->vanishing, vanish) ? RH_OK : in->arena->status;
}

// NAME, NAME by ANGLE
static rh_status read_turn(reading *in, rh_slice value)
{
    rh_mixing mixing;
    rh_slice both;
    if (!split(value, " by ", &both, &mixing.angle) ||
        !split(both, ", ", &mixing.first, &mixing.second)) {
        return complain(in, "CONSTRAINT, CONSTRAINT by ANGLE is expected");
    }
    return rh__array_push(in->arena, &in->out->mixings, mixing) ? RH_OK : in->arena->status;
}

static rh_status read_count(const reading *in, rh_slice value, uint32_t *out)
{
    uint32_t count = 0;
    for (size_t k = 0; k < value.size; k++) {
        if (value.data[k] < '0' || value.data[k] > '9' || count > 100000) {
            return complain(in, "a count is expected");
        }
        count = 10 * count + (uint32_t)(value.data[k] - '0');
    }
    *out = count;
    return value.size > 0 ? RH_OK : complain(in, "a count is expected");
}

// --- keywords ------------------------------------------------------------------------------------

typedef enum keyword {
    CLAIMED,
    VERDICT,
    DIMENSION,
    SET,
    START,
    BY,
    OBSERVE,
    QUASI,
    FRAME,
    TURN,
    POSITIONAL,
    FIX,
    EXACT,
    ENCLOSE,
    VANISH,
    COEFFICIENT,
    KEYWORDS
} keyword;

static const char *const WORDS[KEYWORDS] = {
    "claim", "verdict", "dimension",  "set", "start", "by",      "observe", "quasi",
    "frame", "turn",    "positional", "fix", "exact", "enclose", "vanish",  "coefficient"};

static bool stands_once(keyword word)
{
    return word == CLAIMED || word == VERDICT || word == DIMENSION || word == FRAME ||
           word == POSITIONAL;
}

// What a setting "name=value" sets.
static rh_slice name_of(const char *setting)
{
    return trim((rh_slice){setting, strcspn(setting, "=")});
}

bool rh__wording_is_set(const char *const *list, size_t count, const char *setting)
{
    bool is_set = false;
    for (size_t k = 0; k < count; k++) {
        is_set = is_set || rh__slice_equal(name_of(list[k]), name_of(setting));
    }
    return is_set;
}

static rh_status read_setting(reading *in, keyword word, rh_slice value)
{
    rh_wording *out = in->out;
    const char *copy = rh__slice_copy(in->arena, value);
    bool ok = copy != NULL;
    if (ok && memchr(value.data, '\0', value.size) != NULL) {
        return complain(in, "a byte 0 stands in the line");
    }
    // of two values one would be taken, and a reader might believe the other
    if (ok && ((word == SET && rh__wording_is_set(out->set.data, out->set.count, copy)) ||
               (word == START && rh__wording_is_set(out->start.data, out->start.count, copy)) ||
               (word == BY && rh__wording_is_set(out->by.data, out->by.count, copy)))) {
        return complain(in, "this is set twice");
    }
    ok = ok && (word == SET     ? rh__array_push(in->arena, &out->set, copy)
                : word == START ? rh__array_push(in->arena, &out->start, copy)
                : word == BY    ? rh__array_push(in->arena, &out->by, copy)
                                : rh__array_push(in->arena, &out->observe, copy));
    return ok ? RH_OK : in->arena->status;
}

static rh_status read_coefficient(reading *in, rh_slice value)
{
    rh_pledge pledge;
    uint32_t index = 0;
    RH_TRY(read_bounds(in, value, &pledge));
    RH_TRY(read_count(in, pledge.name, &index));
    if (index != in->out->coefficients.count) {
        return complain(in, "coefficients stand in order: 0, 1, ...");
    }
    return rh__array_push(in->arena, &in->out->coefficients, pledge) ? RH_OK : in->arena->status;
}

static rh_status read_pledge(reading *in, keyword word, rh_slice value)
{
    rh_pledge pledge;
    RH_TRY(word == ENCLOSE ? read_bounds(in, value, &pledge) : read_exact(in, value, &pledge));
    rh_wording *out = in->out;
    const bool ok = word == FIX     ? rh__array_push(in->arena, &out->fixes, pledge)
                    : word == EXACT ? rh__array_push(in->arena, &out->exacts, pledge)
                                    : rh__array_push(in->arena, &out->bounds, pledge);
    return ok ? RH_OK : in->arena->status;
}

static rh_status read_fact(reading *in, keyword word, rh_slice value)
{
    rh_wording *out = in->out;
    if (stands_once(word) && (in->seen & (1U << word)) != 0) {
        return complain(in, "this stands twice");
    }
    in->seen |= 1U << word;
    switch (word) {
    case CLAIMED:
        return rh__slice_is(value, CLAIM)
                   ? RH_OK
                   : complain(in, "\"claim steady motion\" is the only claim of this version");
    case VERDICT:
        out->verdict = value;
        return RH_OK;
    case DIMENSION:
        return read_count(in, value, &out->dimension);
    case SET:
    case START:
    case BY:
    case OBSERVE:
        return read_setting(in, word, value);
    case QUASI:
        return rh__array_push(in->arena, &out->quasis, value) ? RH_OK : in->arena->status;
    case FRAME:
        return read_names(in, value, &out->frame.data, &out->frame.count, &out->frame.capacity);
    case TURN:
        return read_turn(in, value);
    case POSITIONAL:
        return read_names(in, value, &out->positional.data, &out->positional.count,
                          &out->positional.capacity);
    case FIX:
    case EXACT:
    case ENCLOSE:
        return read_pledge(in, word, value);
    case VANISH:
        return read_vanish(in, value);
    case COEFFICIENT:
        return read_coefficient(in, value);
    case KEYWORDS:
        break;
    }
    return RH_OK;
}

static rh_status read_line(reading *in, rh_slice line)
{
    if (line.size >= 1 && line.data[0] == '|') {
        const size_t cut = line.size > 1 ? 2 : 1;
        if (line.size > 1 && line.data[1] != ' ') {
            return complain(in, "a line of the model begins with \"| \"");
        }
        rh__text_put_slice(&in->model, (rh_slice){line.data + cut, line.size - cut});
        rh__text_put_char(&in->model, '\n');
        return in->model.ok ? RH_OK : in->arena->status;
    }
    rh_slice word;
    rh_slice value;
    if (!split(line, " ", &word, &value)) {
        return complain(in, "a keyword and its value are expected");
    }
    for (uint32_t k = 0; k < KEYWORDS; k++) {
        if (rh__slice_is(word, WORDS[k])) {
            return read_fact(in, (keyword)k, value);
        }
    }
    return complain(in, "no keyword of a certificate begins this line");
}

static rh_status read_lines(reading *in, rh_slice text)
{
    rh_slice line;
    bool is_sealed = false;
    const bool is_there = next_line(in, &line);
    if (is_there && rh__slice_is(line, OLDER)) {
        return complain(in, "this is a certificate of version 1, whose seal anybody could fit to "
                            "another text and which is not checked any more: write it anew with "
                            "steady --certify");
    }
    if (!is_there || !rh__slice_is(line, HEAD)) {
        return complain(in, "a certificate begins with \"rheonom certificate 2\"");
    }
    while (!is_sealed) {
        const rh_slice before = {text.data, (size_t)(in->rest.data - text.data)};
        if (!next_line(in, &line)) {
            return complain(in, "the text ends without a seal");
        }
        if (in->line > RH_WORDING_LINES) {
            return complain(in, "there are too many lines");
        }
        rh_slice word;
        rh_slice value;
        if (split(line, " ", &word, &value) && rh__slice_is(word, "seal")) {
            char seal[RH_WORDING_SEAL];
            rh__wording_seal(before, seal);
            in->out->is_sealed = rh__slice_is(value, seal) && in->rest.size == 0;
            is_sealed = true;
        } else {
            RH_TRY(read_line(in, line));
        }
    }
    return in->rest.size == 0 ? RH_OK : complain(in, "nothing may stand after the seal");
}

rh_status rh__wording_read(rh_slice text, rh_arena *arena, rh_wording *out, rh_error *err)
{
    *out = (rh_wording){.dimension = 0};
    const char *copy = rh__slice_copy(arena, text);
    if (copy == NULL) {
        return rh__error_fill(err, arena->status, "%s", rh_status_text(arena->status));
    }
    const rh_slice own = {copy, text.size};
    reading in = {.arena = arena, .out = out, .err = err, .rest = own};
    in.model = rh__text_begin(arena, NULL);
    RH_TRY(read_lines(&in, own));
    const uint32_t needed = (1U << CLAIMED) | (1U << VERDICT) | (1U << DIMENSION);
    out->model = rh__text_slice(&in.model);
    if ((in.seen & needed) != needed || out->model.size == 0) {
        return complain(&in, "claim, verdict, dimension or the model is missing");
    }
    return RH_OK;
}

// --- writing -------------------------------------------------------------------------------------

static void put_word(rh_text *out, keyword word)
{
    rh__text_format(out, "%-11s ", WORDS[word]);
}

static void put_settings(rh_text *out, keyword word, const char *const *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        put_word(out, word);
        rh__text_format(out, "%s\n", list[k]);
    }
}

static void put_names(rh_text *out, keyword word, const rh_slice *names, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (k == 0) {
            put_word(out, word);
        }
        rh__text_put(out, k == 0 ? "" : ", ");
        rh__text_put_slice(out, names[k]);
    }
    rh__text_put(out, count > 0 ? "\n" : "");
}

static void put_pledges(rh_text *out, keyword word, const rh_pledge *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        put_word(out, word);
        rh__text_put_slice(out, list[k].name);
        rh__text_put(out, list[k].high.size > 0 ? " = [" : " = ");
        rh__text_put_slice(out, list[k].low);
        if (list[k].high.size > 0) {
            rh__text_put(out, ", ");
            rh__text_put_slice(out, list[k].high);
            rh__text_put(out, "]");
        }
        rh__text_put_char(out, '\n');
    }
}

static void put_model(rh_text *out, rh_slice model)
{
    size_t begin = 0;
    for (size_t k = 0; k < model.size; k++) {
        if (model.data[k] == '\n' || k + 1 == model.size) {
            const size_t end = model.data[k] == '\n' ? k : k + 1;
            rh__text_put(out, end > begin ? "| " : "|");
            rh__text_put_slice(out, (rh_slice){model.data + begin, end - begin});
            rh__text_put_char(out, '\n');
            begin = k + 1;
        }
    }
}

static void put_reason(rh_text *out, const rh_vanish *vanish)
{
    rh__text_format(out, " by %s", rh__vanish_word(vanish->reason));
    for (uint32_t k = 0; k < vanish->sum.count; k++) {
        const rh_addend *it = &vanish->sum.data[k];
        rh__text_format(out, "%s %.*s %.*s", k == 0 ? "" : ",", RH_SLICE_FORMAT(it->factor),
                        RH_SLICE_FORMAT(it->row));
    }
    rh__text_put_char(out, '\n');
}

static void put_conditions(const rh_wording *statement, rh_text *out)
{
    put_settings(out, SET, statement->set.data, statement->set.count);
    put_settings(out, START, statement->start.data, statement->start.count);
    put_settings(out, BY, statement->by.data, statement->by.count);
    put_settings(out, OBSERVE, statement->observe.data, statement->observe.count);
    for (uint32_t k = 0; k < statement->quasis.count; k++) {
        put_names(out, QUASI, &statement->quasis.data[k], 1);
    }
}

void rh__wording_show(const rh_wording *statement, rh_text *out)
{
    put_model(out, statement->model);
    put_conditions(statement, out);
    put_pledges(out, FIX, statement->fixes.data, statement->fixes.count);
    put_pledges(out, EXACT, statement->exacts.data, statement->exacts.count);
    put_pledges(out, ENCLOSE, statement->bounds.data, statement->bounds.count);
}

void rh__wording_write(const rh_wording *statement, rh_text *out)
{
    rh__text_format(out, "%s\n%-11s %s\n", HEAD, WORDS[CLAIMED], CLAIM);
    put_names(out, VERDICT, &statement->verdict, 1);
    put_word(out, DIMENSION);
    rh__text_format(out, "%u\n", statement->dimension);
    put_conditions(statement, out);
    put_names(out, FRAME, statement->frame.data, statement->frame.count);
    for (uint32_t k = 0; k < statement->mixings.count; k++) {
        const rh_mixing *it = &statement->mixings.data[k];
        put_word(out, TURN);
        rh__text_format(out, "%.*s, %.*s by %.*s\n", RH_SLICE_FORMAT(it->first),
                        RH_SLICE_FORMAT(it->second), RH_SLICE_FORMAT(it->angle));
    }
    put_names(out, POSITIONAL, statement->positional.data, statement->positional.count);
    put_pledges(out, FIX, statement->fixes.data, statement->fixes.count);
    put_pledges(out, EXACT, statement->exacts.data, statement->exacts.count);
    put_pledges(out, ENCLOSE, statement->bounds.data, statement->bounds.count);
    for (uint32_t k = 0; k < statement->vanishing.count; k++) {
        put_word(out, VANISH);
        rh__text_put_slice(out, statement->vanishing.data[k].row);
        put_reason(out, &statement->vanishing.data[k]);
    }
    put_pledges(out, COEFFICIENT, statement->coefficients.data, statement->coefficients.count);
    put_model(out, statement->model);
    char seal[RH_WORDING_SEAL];
    rh__wording_seal(rh__text_slice(out), seal);
    rh__text_format(out, "%-11s %s\n", "seal", seal);
}
