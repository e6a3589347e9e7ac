// SPDX-License-Identifier: Apache-2.0
// Every question of the table is put in old units, and in units that differ by 2^30, 2^-30, 1e9 and
// 1e-9 in one kind. Motions must agree bit by bit under 2^30 and 2^-30, all else up to 100
// roundings times the condition of the problem. What differs must be listed among the deviations.
// UNITS_LIST=FILE writes the deviations that were found to a file instead, UNITS_QUESTIONS=FILE
// takes other questions.

#include "judging.h"

#include "moves.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const units_change NONE = {.kind = UNITS_TIME, .base = 1, .under = 1};

/// One question with what was found about it.
typedef struct judge {
    units_text text;
    units_question question;
    units_run run;
    bool is_run;
    units_track track, near_track; // in old units, in nearly the same
    units_reading reading, near_reading;
    units_change near_change;
    char what[400];
} judge;

// --- one change --------------------------------------------------------------------------------

// Columns that may be a difference of roundings are compared with what they are in nearby units.
static units_verdict judge_columns(const judge *it, const units_difference *d,
                                   const units_difference *near, char *what, size_t size)
{
    const double tolerance = it->run.tolerance > 0.0 ? it->run.tolerance : 1e-13;
    const double share = 100.0 * DBL_EPSILON + 10.0 * tolerance;
    for (size_t k = 0; d->columns != NULL && k < it->track.column_count; k++) {
        const double noise = near->columns != NULL ? near->columns[k] : 0.0;
        if (!(d->columns[k] <= 100.0 * noise + share * d->sizes[k] + 1e-13)) {
            (void)snprintf(what, size, "%.80s is off by %.3g of %.3g", it->track.names[k],
                           d->columns[k], d->sizes[k]);
            return UNITS_DIGITS;
        }
    }
    if (d->time > 100.0 * near->time + share || d->energy > 100.0 * near->energy + share + 1e-12) {
        (void)snprintf(what, size, "times are off by %.3g, energies by %.3g", d->time, d->energy);
        return UNITS_DIGITS;
    }
    return UNITS_SAME;
}

static units_verdict judge_run(judge *it, const units_change *change)
{
    units_track track;
    units_difference d, near;
    units_track_begin(&track, &it->text, change, &it->run);
    units_compare(&it->text, change, &it->track, &track, &d);
    units_compare(&it->text, &it->near_change, &it->track, &it->near_track, &near);
    units_verdict verdict = UNITS_SAME;
    if (d.is_other) {
        verdict = UNITS_WORDS;
        (void)snprintf(it->what, sizeof it->what, "%s", d.what);
    } else if (change->base != 2 || !d.is_exact) {
        verdict = judge_columns(it, &d, &near, it->what, sizeof it->what);
    }
    if (verdict == UNITS_SAME && change->base == 2 && !d.is_exact) {
        verdict = UNITS_ROUNDING;
        (void)snprintf(it->what, sizeof it->what, "roundings, %llu steps, were %llu",
                       (unsigned long long)track.steps, (unsigned long long)it->track.steps);
    }
    units_difference_end(&d);
    units_difference_end(&near);
    units_track_end(&track);
    return verdict;
}

static units_verdict judge_answer(judge *it, const units_change *change)
{
    char *answer = units_answer(&it->text, change, &it->question);
    units_reading reading = units_read(answer);
    // motions are the same bit by bit in units that differ by a power of two, other answers nearly
    units_verdict verdict = change->base == 2 ? units_compare_exact(change, &it->reading, &reading,
                                                                    it->what, sizeof it->what)
                                              : UNITS_DIGITS;
    if (verdict == UNITS_ROUNDING || verdict == UNITS_DIGITS) {
        verdict = units_compare_near(change, &it->reading, &reading, &it->near_change,
                                     &it->near_reading, it->what, sizeof it->what);
    }
    units_reading_end(&reading);
    free(answer);
    return verdict;
}

// --- deviations --------------------------------------------------------------------------------

/// Lines "PATH VERB MARK...: REASON" with marks like `one+2` or `time-10`.
typedef struct deviations {
    char *text;
    FILE *list; // where they are written instead; NULL: they are not
    uint32_t failure_count, question_count, judged_count, deviation_count;
} deviations;

static void mark_of(const units_change *change, char *out, size_t size)
{
    (void)snprintf(out, size, "%s%c%u", units_kind_word(change->kind),
                   change->power > 0 ? '+' : '-', change->base);
}

static void name_of(const judge *it, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s %s", it->question.path, it->question.verb);
    for (uint32_t k = 0; k < it->question.argument_count && used < size; k++) {
        used += (size_t)snprintf(out + used, size - used, " %s", it->question.arguments[k]);
    }
}

// Is the mark in a line of this question?
static bool is_listed(const deviations *table, const judge *it, const char *mark)
{
    char name[UNITS_LINE], word[32];
    name_of(it, name, sizeof name);
    const size_t size = strlen(name);
    (void)snprintf(word, sizeof word, " %s ", mark);
    for (const char *line = table->text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        end = end != NULL ? end : line + strlen(line);
        if (strncmp(line, name, size) == 0 && strncmp(line + size, " | ", 3) == 0) {
            const char *found = strstr(line + size, word);
            if (found != NULL && found < end) {
                return true;
            }
        }
        line = *end != '\0' ? end + 1 : end;
    }
    return false;
}

static void keep_verdict(deviations *table, const judge *it, const units_change *change,
                         units_verdict verdict, char (*marks)[UNITS_LINE])
{
    char mark[24];
    mark_of(change, mark, sizeof mark);
    table->judged_count++;
    table->deviation_count += verdict != UNITS_SAME;
    const size_t used = strlen(marks[verdict]);
    (void)snprintf(marks[verdict] + used, UNITS_LINE - used, " %s", mark);
    const bool is_known = is_listed(table, it, mark);
    char name[UNITS_LINE];
    name_of(it, name, sizeof name);
    if (verdict != UNITS_SAME && !is_known) {
        print_error("%s in units %s: %s: %s\n", name, mark, units_verdict_word(verdict), it->what);
        table->failure_count++;
    } else if (verdict == UNITS_SAME && is_known) {
        print_message("%s in units %s deviates no longer\n", name, mark);
    }
}

static void write_marks(const deviations *table, const judge *it, char (*marks)[UNITS_LINE])
{
    char name[UNITS_LINE];
    name_of(it, name, sizeof name);
    for (int verdict = UNITS_ROUNDING; table->list != NULL && verdict <= UNITS_WORDS; verdict++) {
        if (marks[verdict][0] != '\0') {
            (void)fprintf(table->list, "%s |%s | open: %s\n", name, marks[verdict],
                          units_verdict_word((units_verdict)verdict));
            (void)fflush(table->list);
        }
    }
}

// --- questions ---------------------------------------------------------------------------------

static void begin_kind(judge *it, units_kind kind)
{
    it->near_change = (units_change){.kind = kind, .base = 11, .under = 10, .power = 3};
    if (it->is_run) {
        units_track_begin(&it->near_track, &it->text, &it->near_change, &it->run);
    } else {
        char *answer = units_answer(&it->text, &it->near_change, &it->question);
        it->near_reading = units_read(answer);
        free(answer);
    }
}

static void judge_kind(judge *it, units_kind kind, deviations *table, char (*marks)[UNITS_LINE])
{
    static const struct {
        uint32_t base;
        int32_t power;
    } FACTORS[] = {{2, 30}, {2, -30}, {10, 9}, {10, -9}};
    const units_change first = {.kind = kind, .base = 2, .under = 1, .power = 30};
    if (!units_applies(&it->text, &first)) {
        return;
    }
    begin_kind(it, kind);
    for (uint32_t k = 0; k < 4; k++) {
        const units_change change = {
            .kind = kind, .base = FACTORS[k].base, .under = 1, .power = FACTORS[k].power};
        const units_verdict verdict =
            it->is_run ? judge_run(it, &change) : judge_answer(it, &change);
        keep_verdict(table, it, &change, verdict, marks);
    }
    units_track_end(&it->near_track);
    units_reading_end(&it->near_reading);
}

static rh_method method_of(const char *word)
{
    return strcmp(word, "dop853") == 0  ? RH_METHOD_DOP853
           : strcmp(word, "cvode") == 0 ? RH_METHOD_CVODE
                                        : RH_METHOD_TAYLOR;
}

static void begin_question(judge *it)
{
    it->is_run = strcmp(it->question.verb, "run") == 0;
    if (it->is_run) {
        const bool has_method = it->question.argument_count > 1;
        it->run = (units_run){.path = it->question.path,
                              .span = strtod(it->question.arguments[0], NULL),
                              .method = method_of(has_method ? it->question.arguments[1] : "")};
        it->run.tolerance = it->run.method == RH_METHOD_CVODE ? 1e-9 : 0.0;
        units_track_begin(&it->track, &it->text, &NONE, &it->run);
    } else {
        char *answer = units_answer(&it->text, &NONE, &it->question);
        it->reading = units_read(answer);
        free(answer);
    }
}

static void judge_question(const units_question *question, deviations *table)
{
    static judge it;
    static char marks[UNITS_WORDS + 1][UNITS_LINE];
    it = (judge){.question = *question};
    memset(marks, 0, sizeof marks);
    table->question_count++;
    if (!units_begin(&it.text, question->path)) {
        print_error("%s cannot be rewritten: %s\n", question->path, it.text.refusal);
        table->failure_count++;
        units_end(&it.text);
        return;
    }
    begin_question(&it);
    for (int kind = 0; kind < UNITS_KIND_COUNT; kind++) {
        judge_kind(&it, (units_kind)kind, table, marks);
    }
    write_marks(table, &it, marks);
    units_track_end(&it.track);
    units_reading_end(&it.reading);
    units_end(&it.text);
}

// The next word of a text, which is cut off there; NULL after the last.
static char *cut(char **rest, const char *separators)
{
    char *word = *rest + strspn(*rest, separators);
    const size_t size = strcspn(word, separators);
    *rest = word[size] != '\0' ? word + size + 1 : word + size;
    word[size] = '\0';
    return size > 0 ? word : NULL;
}

// "PATH VERB ARGUMENT...", with `quick` before the path where it is one of the quick ones.
static bool read_question(char *line, units_question *out, bool *out_is_quick)
{
    *out = (units_question){.argument_count = 0};
    char *rest = line;
    char *word = cut(&rest, " ");
    *out_is_quick = word != NULL && strcmp(word, "quick") == 0;
    word = *out_is_quick ? cut(&rest, " ") : word;
    if (word == NULL || word[0] == '#') {
        return false;
    }
    (void)snprintf(out->path, sizeof out->path, "%s", word);
    word = cut(&rest, " ");
    (void)snprintf(out->verb, sizeof out->verb, "%s", word != NULL ? word : "");
    while ((word = cut(&rest, " ")) != NULL) {
        assert_true(out->argument_count < UNITS_ARGUMENTS);
        (void)snprintf(out->arguments[out->argument_count++], UNITS_ARGUMENT, "%s", word);
    }
    return true;
}

void units_judge_table(uint32_t part, uint32_t parts, bool is_quick)
{
    size_t size = 0;
    const char *list = getenv("UNITS_LIST");
    deviations table = {.text = support_read("tests/units/deviations.txt", &size),
                        .list = list != NULL ? fopen(list, "a") : NULL};
    const char *own = getenv("UNITS_QUESTIONS");
    parts = own != NULL ? 1 : parts;
    char *questions = support_read(own != NULL ? own : "tests/units/questions.txt", &size);
    char *rest = questions;
    uint32_t index = 0;
    for (char *line; (line = cut(&rest, "\n")) != NULL;) {
        units_question question;
        bool is_one_of_quick = false;
        if (read_question(line, &question, &is_one_of_quick) && (!is_quick || is_one_of_quick) &&
            index++ % parts == (own != NULL ? 0 : part)) {
            judge_question(&question, &table);
        }
    }
    print_message("%u questions, %u comparisons, %u deviations\n", table.question_count,
                  table.judged_count, table.deviation_count);
    if (table.list != NULL) {
        (void)fclose(table.list);
    }
    free(questions);
    free(table.text);
    assert_true(table.question_count > 0);
    assert_true(table.failure_count == 0 || list != NULL);
}
