// SPDX-License-Identifier: Apache-2.0
// Broken models with their expectations as comments in the text:
//     # expect: CODE LINE:COLUMN     a remark; in order of place
//     # repair: LINE: TEXT           the line made right; `\n` makes two lines, no text none
//     # set: NAME=VALUE              as with --set; also `# start:`
// Remarks are those of the model, then of its equations, then of their checkup, as far as each is
// sound. All of rank error must be expected; in warnings/ those of rank warning too; notes when
// the file expects one. After all repairs nothing of those ranks may be left. Every code must occur
// in some file or in untested_codes.txt.

#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_FILES = 1024, MOST_ITEMS = 128, CODE_SIZE = 8 };

static const char *const CODES[] = {
#define RH_DIAGNOSTIC(code, severity, title, explanation) #code,
#include "base/diagnostics.def"
#undef RH_DIAGNOSTIC
};

enum { CODE_COUNT = sizeof CODES / sizeof CODES[0] };

static bool is_exercised[CODE_COUNT];

typedef struct expectation {
    char code[CODE_SIZE];
    unsigned line, column;
} expectation;

typedef struct repair {
    unsigned line;
    const char *text; // borrowed from the file's line
    size_t size;
} repair;

/// One file with what it says about itself.
typedef struct broken_model {
    char path[512];
    char *text;
    size_t size;
    expectation expected[MOST_ITEMS];
    size_t expected_count;
    repair repairs[MOST_ITEMS];
    size_t repair_count;
    char *set[MOST_ITEMS];
    size_t set_count;
    char *start[MOST_ITEMS];
    size_t start_count;
    bool is_judged[3]; // by rh_severity
} broken_model;

static size_t code_index(const char *code)
{
    size_t index = 0;
    while (index < CODE_COUNT && strcmp(CODES[index], code) != 0) {
        index++;
    }
    return index;
}

static rh_severity severity_of(const char *code)
{
    return code[0] == 'E'   ? RH_SEVERITY_ERROR
           : code[0] == 'W' ? RH_SEVERITY_WARNING
                            : RH_SEVERITY_NOTE;
}

// --- reading ---------------------------------------------------------------------------------

static char *copy_rest(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

static void read_expectation(broken_model *model, const char *text)
{
    expectation *item = &model->expected[model->expected_count++];
    if (sscanf(text, "%7s %u:%u", item->code, &item->line, &item->column) != 3) {
        fail_msg("%s: \"%.40s\" is not CODE LINE:COLUMN", model->path, text);
    }
    model->is_judged[severity_of(item->code)] = true;
    const size_t index = code_index(item->code);
    if (index == CODE_COUNT) {
        fail_msg("%s: there is no code %s", model->path, item->code);
    }
    is_exercised[index] = true;
}

static void read_repair(broken_model *model, const char *text, size_t size)
{
    repair *item = &model->repairs[model->repair_count++];
    int used = 0;
    if (sscanf(text, "%u:%n", &item->line, &used) != 1 || used == 0) {
        fail_msg("%s: \"%.40s\" is not LINE: TEXT", model->path, text);
    }
    const size_t skipped = (size_t)used + ((size_t)used < size && text[used] == ' ');
    item->text = text + skipped;
    item->size = size - skipped;
}

// The rest of the line after the mark, or NULL when it does not begin with it.
static const char *after_mark(const char *line, size_t size, const char *mark)
{
    const size_t mark_size = strlen(mark);
    return size >= mark_size && memcmp(line, mark, mark_size) == 0 ? line + mark_size : NULL;
}

static void read_line(broken_model *model, const char *line, size_t size)
{
    const char *end = line + size;
    const char *rest = NULL;
    assert_true(model->expected_count < MOST_ITEMS && model->repair_count < MOST_ITEMS);
    assert_true(model->set_count < MOST_ITEMS && model->start_count < MOST_ITEMS);
    if ((rest = after_mark(line, size, "# expect: ")) != NULL) {
        read_expectation(model, rest);
    } else if ((rest = after_mark(line, size, "# repair: ")) != NULL) {
        read_repair(model, rest, (size_t)(end - rest));
    } else if ((rest = after_mark(line, size, "# set: ")) != NULL) {
        model->set[model->set_count++] = copy_rest(rest, (size_t)(end - rest));
    } else if ((rest = after_mark(line, size, "# start: ")) != NULL) {
        model->start[model->start_count++] = copy_rest(rest, (size_t)(end - rest));
    }
}

static void read_broken(broken_model *model)
{
    model->text = support_read(model->path, &model->size);
    const char *line = model->text;
    const char *end = model->text + model->size;
    while (line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next == NULL ? end : next;
        read_line(model, line, (size_t)(next - line));
        line = next + 1;
    }
}

static void free_broken(broken_model *model)
{
    for (size_t i = 0; i < model->set_count; i++) {
        free(model->set[i]);
    }
    for (size_t i = 0; i < model->start_count; i++) {
        free(model->start[i]);
    }
    free(model->text);
}

// --- judging ---------------------------------------------------------------------------------

/// A model as far as it could be understood; what could not be made is NULL.
typedef struct subject {
    rh_model *model;
    rh_equations *equations;
    rh_checkup *checkup;
} subject;

static rh_model *create_model(const broken_model *broken, const char *text, size_t size)
{
    rh_model_def def = rh_model_def_default();
    def.name = broken->path;
    def.text = text;
    def.text_size = size;
    def.set = (const char *const *)broken->set;
    def.set_count = broken->set_count;
    def.start = (const char *const *)broken->start;
    def.start_count = broken->start_count;
    rh_model *model = NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_model_create(&def, &model, &err);
    if (model == NULL) {
        fail_msg("%s: %s: %s", broken->path, rh_status_text(status), err.message);
    }
    assert_int_equal(rh_model_is_sound(model), status == RH_OK);
    return model;
}

static subject create(const broken_model *broken, const char *text, size_t size)
{
    subject made = {.model = create_model(broken, text, size)};
    const rh_equations_def def = rh_equations_def_default();
    rh_error err = RH_ZERO;
    rh_status status = RH_E_MODEL;
    if (rh_model_is_sound(made.model)) {
        status = rh_equations_create(made.model, &def, &made.equations, &err);
    }
    if (status == RH_OK) {
        status = rh_checkup_create(made.equations, &made.checkup, &err);
    }
    if (status != RH_OK && status != RH_E_MODEL) {
        fail_msg("%s: %s: %s", broken->path, rh_status_text(status), err.message);
    }
    return made;
}

static void destroy(const subject *made)
{
    rh_checkup_destroy(made->checkup);
    rh_equations_destroy(made->equations);
    rh_model_destroy(made->model);
}

static size_t remark_count(const subject *made)
{
    return rh_model_diagnostic_count(made->model) + rh_equations_diagnostic_count(made->equations) +
           rh_checkup_diagnostic_count(made->checkup);
}

static rh_diagnostic remark_at(const subject *made, size_t index)
{
    const size_t of_model = rh_model_diagnostic_count(made->model);
    const size_t of_equations = rh_equations_diagnostic_count(made->equations);
    if (index < of_model) {
        return rh_model_diagnostic(made->model, index);
    }
    return index < of_model + of_equations
               ? rh_equations_diagnostic(made->equations, index - of_model)
               : rh_checkup_diagnostic(made->checkup, index - of_model - of_equations);
}

static void print_remark(const char *path, const rh_diagnostic *remark)
{
    print_error("%s: got %s %u:%u: %s\n", path, remark->code, (unsigned)remark->at.line,
                (unsigned)remark->at.column, remark->message);
}

// Are the judged remarks exactly the first `expected_count` expectations?
static bool has_expected(const broken_model *broken, const subject *made, size_t expected_count)
{
    size_t met = 0;
    bool is_fine = true;
    for (size_t i = 0; i < remark_count(made); i++) {
        const rh_diagnostic remark = remark_at(made, i);
        if (!broken->is_judged[remark.severity]) {
            continue;
        }
        const expectation *wanted = met < expected_count ? &broken->expected[met] : NULL;
        met++;
        if (wanted == NULL || strcmp(wanted->code, remark.code) != 0 ||
            wanted->line != remark.at.line || wanted->column != remark.at.column) {
            print_remark(broken->path, &remark);
            is_fine = false;
        }
    }
    for (size_t i = 0; !is_fine && i < expected_count; i++) {
        const expectation *wanted = &broken->expected[i];
        print_error("%s: expected %s %u:%u\n", broken->path, wanted->code, wanted->line,
                    wanted->column);
    }
    if (is_fine && met < expected_count) {
        print_error("%s: %zu remarks expected, %zu got\n", broken->path, expected_count, met);
    }
    return is_fine && met == expected_count;
}

static char *put_repair(char *out, const repair *item)
{
    if (item->size == 0) {
        return out;
    }
    for (size_t i = 0; i < item->size; i++) {
        const bool is_break =
            item->text[i] == '\\' && i + 1 < item->size && item->text[i + 1] == 'n';
        *out++ = is_break ? '\n' : item->text[i];
        i += is_break;
    }
    *out++ = '\n';
    return out;
}

static const repair *find_repair(const broken_model *broken, unsigned line)
{
    for (size_t i = 0; i < broken->repair_count; i++) {
        if (broken->repairs[i].line == line) {
            return &broken->repairs[i];
        }
    }
    return NULL;
}

// The text with all repairs made; the caller frees it.
static char *repaired(const broken_model *broken, size_t *out_size)
{
    char *text = malloc(2 * broken->size + 2);
    assert_non_null(text);
    char *out = text;
    const char *line = broken->text;
    const char *end = broken->text + broken->size;
    for (unsigned number = 1; line < end; number++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next == NULL ? end : next;
        const repair *item = find_repair(broken, number);
        if (item != NULL) {
            out = put_repair(out, item);
        } else {
            memcpy(out, line, (size_t)(next - line));
            out += next - line;
            *out++ = '\n';
        }
        line = next + 1;
    }
    *out_size = (size_t)(out - text);
    return text;
}

static bool is_as_expected(broken_model *broken)
{
    subject made = create(broken, broken->text, broken->size);
    bool is_fine = has_expected(broken, &made, broken->expected_count);
    destroy(&made);
    if (broken->expected_count == 0) {
        print_error("%s: expects nothing\n", broken->path);
        return false;
    }
    if (broken->repair_count > 0) {
        size_t size = 0;
        char *text = repaired(broken, &size);
        made = create(broken, text, size);
        if (!has_expected(broken, &made, 0)) {
            print_error("%s: the repairs do not help\n", broken->path);
            is_fine = false;
        }
        destroy(&made);
        free(text);
    }
    return is_fine;
}

// --- folders ---------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Names of the .rhe files of a folder, sorted; the caller frees each.
static size_t list_models(const char *folder, char *names[MOST_FILES])
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", RH_SOURCE_DIR, folder);
    DIR *listing = opendir(path);
    if (listing == NULL) {
        fail_msg("%s cannot be listed", path);
    }
    size_t count = 0;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        const size_t size = strlen(entry->d_name);
        if (size > 4 && strcmp(entry->d_name + size - 4, ".rhe") == 0) {
            assert_true(count < MOST_FILES);
            names[count++] = copy_rest(entry->d_name, size);
        }
    }
    (void)closedir(listing);
    qsort(names, count, sizeof names[0], compare_names);
    return count;
}

static void judge_folder(const char *folder, bool has_warnings)
{
    static char *names[MOST_FILES];
    const size_t count = list_models(folder, names);
    size_t failures = 0;
    for (size_t i = 0; i < count; i++) {
        static broken_model broken;
        broken = (broken_model){.is_judged = {[RH_SEVERITY_ERROR] = true}};
        broken.is_judged[RH_SEVERITY_WARNING] = has_warnings;
        (void)snprintf(broken.path, sizeof broken.path, "%s/%s", folder, names[i]);
        read_broken(&broken);
        failures += !is_as_expected(&broken);
        free_broken(&broken);
        free(names[i]);
    }
    print_message("%s: %zu files\n", folder, count);
    assert_int_equal(failures, 0);
}

static void errors_are_found_where_they_are(void **state)
{
    (void)state;
    judge_folder("tests/golden/errors", false);
}

static void warnings_are_found_where_they_are(void **state)
{
    (void)state;
    judge_folder("tests/golden/warnings", true);
}

// Lines `CODE reason` of untested_codes.txt; `#` starts a comment.
static void excuse_codes(bool is_excused[CODE_COUNT])
{
    size_t size = 0;
    char *text = support_read("tests/golden/untested_codes.txt", &size);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char code[CODE_SIZE] = "";
        char reason[4] = "";
        if (line[0] == '#') {
            continue;
        }
        if (sscanf(line, "%7s %3s", code, reason) != 2 || code_index(code) == CODE_COUNT) {
            fail_msg("untested_codes.txt: \"%s\" is not CODE REASON of a known code", line);
        }
        is_excused[code_index(code)] = true;
    }
    free(text);
}

static void every_code_is_exercised(void **state)
{
    (void)state;
    bool is_excused[CODE_COUNT] = {false};
    excuse_codes(is_excused);
    size_t failures = 0;
    for (size_t i = 0; i < CODE_COUNT; i++) {
        if (is_excused[i] == is_exercised[i]) {
            print_error("%s is %s\n", CODES[i],
                        is_excused[i] ? "excused in untested_codes.txt, yet exercised"
                                      : "exercised by no file of errors/ or warnings/");
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_found_where_they_are),
        cmocka_unit_test(warnings_are_found_where_they_are),
        cmocka_unit_test(every_code_is_exercised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
