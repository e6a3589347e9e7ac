// SPDX-License-Identifier: Apache-2.0
// Unit tests of src/output/writer.c, draft.c and digits.c: bytes of both formats, names that need
// quotes, how a file takes its place, what stays of interrupted and refused ones.

#define _XOPEN_SOURCE 700

#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const COLUMNS[] = {"time", "x[3]'", "a,b", "say \"hi\"", "#c"};
enum { COLUMN_COUNT = 5 };

static const double ROW[COLUMN_COUNT] = {0.1, -1e300, (double)NAN, (double)INFINITY, 3.0};

// --- a folder for each test --------------------------------------------------------------------

typedef struct place {
    char folder[64];
    char path[96];
} place;

static place begin_place(void)
{
    place at = {.folder = "/tmp/rheonom-test-XXXXXX"};
    assert_non_null(mkdtemp(at.folder));
    (void)snprintf(at.path, sizeof at.path, "%s/run.csv", at.folder);
    return at;
}

static size_t count_files(const place *at)
{
    size_t count = 0;
    DIR *folder = opendir(at->folder);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count;
}

// The table alone is left in the folder, and then nothing.
static void end_place(const place *at)
{
    (void)unlink(at->path);
    assert_int_equal(count_files(at), 0);
    assert_int_equal(rmdir(at->folder), 0);
}

static void check_content(const char *path, const char *expected)
{
    size_t size = 0;
    char *text = support_read(path, &size);
    assert_string_equal(text, expected);
    free(text);
}

static rh_table_def def_of(const char *path)
{
    rh_table_def def = rh_table_def_default();
    def.path = path;
    def.columns = COLUMNS;
    def.column_count = COLUMN_COUNT;
    return def;
}

static rh_table_writer *begin_table(const rh_table_def *def)
{
    rh_table_writer *writer = NULL;
    rh_error err = {0};
    const rh_status status = rh_table_writer_begin(def, &writer, &err);
    if (status != RH_OK) {
        fail_msg("%s", err.message);
    }
    return writer;
}

static void put_row(rh_table_writer *writer, const double *values)
{
    assert_int_equal(rh_table_writer_row(writer, values, NULL), RH_OK);
}

static void write_file(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

// --- bytes -------------------------------------------------------------------------------------

#define CSV_HEADER "time,x[3]',\"a,b\",\"say \"\"hi\"\"\",\"#c\"\n"
#define CSV_ROW "0.10000000000000001,-1.0000000000000001e+300,,,3\n"
#define JSON_ROW                                                                                   \
    "{\"time\": 0.10000000000000001, \"x[3]'\": -1.0000000000000001e+300, \"a,b\": null, "         \
    "\"say \\\"hi\\\"\": null, \"#c\": 3}\n"

static void check_sink(rh_table_format format, const char *reason, const char *expected)
{
    support_text text = {0};
    rh_table_def def = def_of(NULL);
    def.format = format;
    def.sink = support_text_sink(&text);
    rh_table_writer *writer = begin_table(&def);
    put_row(writer, ROW);
    const rh_table_end how = reason == NULL ? RH_TABLE_COMPLETE : RH_TABLE_INTERRUPTED;
    assert_int_equal(rh_table_writer_end(writer, how, reason, NULL), RH_OK);
    assert_string_equal(text.data, expected);
    free(text.data);
}

static void rows_have_their_bytes(void **state)
{
    (void)state;
    check_sink(RH_TABLE_CSV, NULL, CSV_HEADER CSV_ROW);
    check_sink(RH_TABLE_JSON_LINES, NULL, JSON_ROW);
    check_sink(RH_TABLE_CSV, "time\nlimit", CSV_HEADER CSV_ROW "# interrupted: time limit\n");
    check_sink(RH_TABLE_JSON_LINES, "a \"limit\"",
               JSON_ROW "{\"interrupted\": \"a \\\"limit\\\"\"}\n");
}

static void names_break_no_line(void **state)
{
    (void)state;
    const char *const names[] = {"", " a", "b\nc", "\xff"};
    support_text text = {0};
    rh_table_def def = def_of(NULL);
    def.sink = support_text_sink(&text);
    def.columns = names;
    def.column_count = 4;
    assert_int_equal(rh_table_writer_end(begin_table(&def), RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
    assert_string_equal(text.data, "\"\",\" a\",b c,\xff\n");
    free(text.data);
}

// What is read back is what was written, to the last bit.
static void numbers_come_back(void **state)
{
    (void)state;
    support_random random = support_random_begin("numbers_come_back");
    support_text text = {0};
    const char *const name = "x";
    rh_table_def def = def_of(NULL);
    def.sink = support_text_sink(&text);
    def.columns = &name;
    def.column_count = 1;
    rh_table_writer *writer = begin_table(&def);
    enum { COUNT = 20000 };
    static double written[COUNT];
    for (int k = 0; k < COUNT; k++) {
        const uint64_t bits = support_random_bits(&random);
        memcpy(&written[k], &bits, sizeof bits);
        put_row(writer, &written[k]);
    }
    assert_int_equal(rh_table_writer_end(writer, RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
    const char *at = strchr(text.data, '\n') + 1;
    for (int k = 0; k < COUNT; k++) {
        const char *end = strchr(at, '\n');
        assert_non_null(end);
        assert_int_equal(isfinite(written[k]), end > at);
        if (end > at) {
            assert_true(strtod(at, NULL) == written[k]);
        }
        at = end + 1;
    }
    assert_int_equal(*at, '\0');
    free(text.data);
}

static void a_comma_of_the_locale_is_a_point(void **state)
{
    (void)state;
    static const char *const LOCALES[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                          "ru_RU.UTF-8"};
    for (size_t k = 0; k < sizeof LOCALES / sizeof *LOCALES; k++) {
        if (setlocale(LC_NUMERIC, LOCALES[k]) != NULL) {
            check_sink(RH_TABLE_CSV, NULL, CSV_HEADER CSV_ROW);
        }
    }
    (void)setlocale(LC_NUMERIC, "C");
}

// --- files -------------------------------------------------------------------------------------

static void a_file_appears_as_a_whole(void **state)
{
    (void)state;
    const place at = begin_place();
    write_file(at.path, "older\n");
    const rh_table_def def = def_of(at.path);
    rh_table_writer *writer = begin_table(&def);
    put_row(writer, ROW);
    check_content(at.path, "older\n");
    assert_int_equal(count_files(&at), 2);
    assert_int_equal(rh_table_writer_end(writer, RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
    check_content(at.path, CSV_HEADER CSV_ROW);
    struct stat info;
    assert_int_equal(stat(at.path, &info), 0);
    const mode_t mask = umask(0);
    (void)umask(mask);
    assert_int_equal(info.st_mode & 0777, 0666 & ~mask);
    end_place(&at);
}

static void a_discarded_table_leaves_the_older_file(void **state)
{
    (void)state;
    const place at = begin_place();
    write_file(at.path, "older\n");
    const rh_table_def def = def_of(at.path);
    rh_table_writer *writer = begin_table(&def);
    put_row(writer, ROW);
    assert_int_equal(rh_table_writer_end(writer, RH_TABLE_DISCARDED, NULL, NULL), RH_OK);
    check_content(at.path, "older\n");
    end_place(&at);
}

static void an_interrupted_table_is_kept_and_says_so(void **state)
{
    (void)state;
    const place at = begin_place();
    const rh_table_def def = def_of(at.path);
    rh_table_writer *writer = begin_table(&def);
    put_row(writer, ROW);
    assert_int_equal(rh_table_writer_end(writer, RH_TABLE_INTERRUPTED, "signal 2", NULL), RH_OK);
    check_content(at.path, CSV_HEADER CSV_ROW "# interrupted: signal 2\n");
    end_place(&at);
}

static void two_writers_of_one_path_do_not_mix(void **state)
{
    (void)state;
    const place at = begin_place();
    const rh_table_def def = def_of(at.path);
    rh_table_writer *first = begin_table(&def);
    rh_table_writer *second = begin_table(&def);
    put_row(first, ROW);
    assert_int_equal(rh_table_writer_end(first, RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
    check_content(at.path, CSV_HEADER CSV_ROW);
    assert_int_equal(rh_table_writer_end(second, RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
    check_content(at.path, CSV_HEADER);
    end_place(&at);
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    const place at = begin_place();
    char link[96];
    (void)snprintf(link, sizeof link, "%s/link.csv", at.folder);
    write_file(at.path, "older\n");
    assert_int_equal(symlink(at.path, link), 0);
    const rh_table_def def = def_of(link);
    assert_int_equal(rh_table_writer_end(begin_table(&def), RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
    check_content(at.path, CSV_HEADER);
    char target[96] = {0};
    assert_true(readlink(link, target, sizeof target - 1) > 0);
    assert_int_equal(unlink(link), 0);
    end_place(&at);
}

// A pipe is written as it goes, and stays a pipe.
static void a_pipe_is_written_in_place(void **state)
{
    (void)state;
    const place at = begin_place();
    assert_int_equal(mkfifo(at.path, 0600), 0);
    const int reader = open(at.path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    const rh_table_def def = def_of(at.path);
    rh_table_writer *writer = begin_table(&def);
    put_row(writer, ROW);
    assert_int_equal(rh_table_writer_end(writer, RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
    char text[256] = {0};
    assert_int_equal(read(reader, text, sizeof text - 1), strlen(CSV_HEADER CSV_ROW));
    assert_string_equal(text, CSV_HEADER CSV_ROW);
    (void)close(reader);
    struct stat info;
    assert_int_equal(lstat(at.path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    end_place(&at);
}

// --- failure -----------------------------------------------------------------------------------

static void check_refused(const char *path, int reason)
{
    const rh_table_def def = def_of(path);
    rh_table_writer *writer = NULL;
    rh_error err = {0};
    assert_int_equal(rh_table_writer_begin(&def, &writer, &err), RH_E_WRITE);
    assert_null(writer);
    assert_int_equal(err.status, RH_E_WRITE);
    assert_non_null(strstr(err.message, strerror(reason)));
}

static void impossible_files_are_refused_with_the_reason(void **state)
{
    (void)state;
    const place at = begin_place();
    check_refused("/no/such/folder/run.csv", ENOENT);
    check_refused(at.folder, EISDIR);
    char name[400];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    check_refused(name, ENAMETOOLONG);
    end_place(&at);
}

static void a_full_device_is_noticed(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    struct stat before;
    struct stat after;
    assert_int_equal(stat("/dev/full", &before), 0);
    const rh_table_def def = def_of("/dev/full");
    rh_table_writer *writer = begin_table(&def);
    rh_status status = RH_OK;
    rh_error err = {0};
    for (int k = 0; k < 10000 && status == RH_OK; k++) {
        status = rh_table_writer_row(writer, ROW, &err);
    }
    assert_int_equal(status, RH_E_WRITE);
    assert_non_null(strstr(err.message, strerror(ENOSPC)));
    assert_int_equal(rh_table_writer_row(writer, ROW, &err), RH_E_WRITE);
    assert_int_equal(rh_table_writer_end(writer, RH_TABLE_COMPLETE, NULL, &err), RH_E_WRITE);
    assert_non_null(strstr(err.message, strerror(ENOSPC)));
    // a device is written, not replaced
    assert_int_equal(stat("/dev/full", &after), 0);
    assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino);
}

// A limit of the file size stands for a disk that fills up: whole rows stay, and the mark is tried.
static void a_disk_that_fills_up_keeps_whole_rows(void **state)
{
    (void)state;
    const place at = begin_place();
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {100000, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const rh_table_def def = def_of(at.path);
    rh_table_writer *writer = begin_table(&def);
    rh_status status = RH_OK;
    rh_error err = {0};
    for (int k = 0; k < 10000 && status == RH_OK; k++) {
        status = rh_table_writer_row(writer, ROW, &err);
    }
    const rh_status end = rh_table_writer_end(writer, RH_TABLE_COMPLETE, NULL, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, handler);
    assert_int_equal(status, RH_E_WRITE);
    assert_int_equal(end, RH_E_WRITE);
    assert_non_null(strstr(err.message, strerror(EFBIG)));

    size_t size = 0;
    char *text = support_read(at.path, &size);
    assert_true(size > 90000 && size <= 100000);
    const size_t header = strlen(CSV_HEADER);
    assert_memory_equal(text, CSV_HEADER, header);
    const size_t row = strlen(CSV_ROW);
    size_t k = header;
    while (k + row <= size && memcmp(text + k, CSV_ROW, row) == 0) {
        k += row;
    }
    // nothing, or the mark when the cut row left room for it
    assert_true(k == size || strncmp(text + k, "# interrupted: ", 15) == 0);
    free(text);
    end_place(&at);
}

static bool refuse_bytes(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return false;
}

static void a_sink_that_refuses_is_noticed(void **state)
{
    (void)state;
    rh_table_def def = def_of(NULL);
    def.sink.write = refuse_bytes;
    rh_table_writer *writer = begin_table(&def);
    put_row(writer, ROW);
    assert_int_equal(rh_table_writer_end(writer, RH_TABLE_COMPLETE, NULL, NULL), RH_E_WRITE);
    assert_int_equal(rh_table_writer_end(NULL, RH_TABLE_COMPLETE, NULL, NULL), RH_OK);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    rh_table_writer *writer = NULL;
    rh_table_def def = def_of(NULL);
    assert_int_equal(rh_table_writer_begin(&def, &writer, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_table_writer_begin(NULL, &writer, NULL), RH_E_ARGUMENT);
    def = def_of("");
    assert_int_equal(rh_table_writer_begin(&def, &writer, NULL), RH_E_ARGUMENT);
    def = def_of("/tmp/x");
    def.column_count = 0;
    assert_int_equal(rh_table_writer_begin(&def, &writer, NULL), RH_E_ARGUMENT);
    def = def_of("/tmp/x");
    def.struct_size = 0;
    assert_int_equal(rh_table_writer_begin(&def, &writer, NULL), RH_E_ARGUMENT);
    assert_int_equal(rh_table_writer_row(NULL, ROW, NULL), RH_E_ARGUMENT);
}

// Every request for memory may fail at the beginning; a row makes none.
static void memory_is_asked_for_at_the_beginning(void **state)
{
    (void)state;
    const place at = begin_place();
    rh_table_def def = def_of(at.path);
    def.format = RH_TABLE_JSON_LINES;
    bool is_begun = false;
    for (size_t fail_at = 1; !is_begun; fail_at++) {
        support_memory memory = {.fail_at = fail_at};
        def.allocator = support_memory_allocator(&memory);
        rh_table_writer *writer = NULL;
        const rh_status status = rh_table_writer_begin(&def, &writer, NULL);
        is_begun = status == RH_OK;
        assert_true(is_begun || status == RH_E_MEMORY);
        const size_t requests = memory.request_count;
        for (int k = 0; is_begun && k < 5000; k++) {
            put_row(writer, ROW);
        }
        assert_int_equal(memory.request_count, requests);
        assert_int_equal(rh_table_writer_end(writer, RH_TABLE_DISCARDED, NULL, NULL), RH_OK);
        assert_int_equal(memory.block_count, 0);
        assert_int_equal(count_files(&at), 0);
    }
    end_place(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_their_bytes),
        cmocka_unit_test(names_break_no_line),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(a_comma_of_the_locale_is_a_point),
        cmocka_unit_test(a_file_appears_as_a_whole),
        cmocka_unit_test(a_discarded_table_leaves_the_older_file),
        cmocka_unit_test(an_interrupted_table_is_kept_and_says_so),
        cmocka_unit_test(two_writers_of_one_path_do_not_mix),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(a_pipe_is_written_in_place),
        cmocka_unit_test(impossible_files_are_refused_with_the_reason),
        cmocka_unit_test(a_full_device_is_noticed),
        cmocka_unit_test(a_disk_that_fills_up_keeps_whole_rows),
        cmocka_unit_test(a_sink_that_refuses_is_noticed),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(memory_is_asked_for_at_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
