// SPDX-License-Identifier: Apache-2.0
// Tables of inputs: what is read from them, and what is said about those that are wrong: code,
// line, column and repair.

#include "support.h"

#include "motion/cell.h"
#include "rheonom/motion.h"
#include "rheonom/output.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char MODEL[] = "input w = t\ninput u from \"data/u.csv\"\ninput v from \"v.csv\"\n"
                            "state x\nlaw x' = u + v + w\nstart x = 0\n";

static rh_model *make_model(support_memory *memory)
{
    rh_model_def def = rh_model_def_default();
    def.name = "model.rhe";
    def.text = MODEL;
    def.text_size = sizeof MODEL - 1;
    if (memory != NULL) {
        def.allocator = support_memory_allocator(memory);
    }
    rh_model *model = NULL;
    assert_int_equal(rh_model_create(&def, &model, NULL), RH_OK);
    return model;
}

static rh_record_def def_for(const rh_model *model, const char *text, size_t size)
{
    rh_record_def def = rh_record_def_default();
    def.model = model;
    def.name = "u.csv";
    def.text = text;
    def.text_size = size;
    return def;
}

#define MINUS "\xE2\x88\x92" // the sign of typesetters

// --- what is read --------------------------------------------------------------------------------

static void the_model_names_its_files(void **state)
{
    (void)state;
    rh_model *model = make_model(NULL);
    assert_int_equal(rh_model_feed_count(model), 2);
    assert_string_equal(rh_model_feed_path(model, 0), "data/u.csv");
    assert_string_equal(rh_model_feed_path(model, 1), "v.csv");
    assert_string_equal(rh_model_feed_path(model, 2), "");
    assert_int_equal(rh_model_feed_count(NULL), 0);
    rh_record_def def = def_for(model, "0,1\n", 4);
    rh_record *record = NULL;
    def.index = 2;
    assert_int_equal(rh_record_create(&def, &record, NULL), RH_E_ARGUMENT);
    def.index = 1;
    assert_int_equal(rh_record_create(&def, &record, NULL), RH_OK);
    assert_string_equal(rh_record_feed(record).name, "v");
    rh_record_destroy(record);
    rh_record_destroy(NULL);
    assert_int_equal(rh_record_feed(NULL).count, 0);
    assert_int_equal(rh_record_diagnostic_count(NULL), 0);
    rh_model_destroy(model);
}

/// The table and the points it stands for: (1, 10), (1, 20), (3, -0.5).
static const char *const SAME[] = {
    "time,u\n1,10\n1,20\n3,-0.5\n",
    "time,u\n1,10\n1,20\n3,-0.5",                // no end of the last line
    "u,time\n10,1\n20,1\n-0.5,3\n",              // another order
    "time,other,u\n1,,10\n1,text,20\n3,7,-.5\n", // columns that do not matter
    "1,10\n1,20\n3,-0.5\n",                      // no names
    "1,10,9,9\n1,20\n3,-0.5,text\n",
    "\xEF\xBB\xBFtime,u\r\n1,10\r\n1,20\r\n3,-0.5\r\n", // as from a spreadsheet
    "\xEF\xBB\xBF\x31,10\n1,20\n3,-0.5\n",
    " \"time\" ,\t\"u\"\n 1 , \"10\"\n\t1,20 \n3,-0.5\t\n",
    "# a comment\n\n  # another\ntime,u\n1,10\n \n1,20\n#,\n3,-0.5\n# interrupted: a signal\n",
    "name \"a, \"\"b\"\"\",time,u\n\"1,2\",1,10\n\",\",+1.0,2e1\n\"\"\"\",0.3e+1,-5000000E-7\n",
    "time,u\n1.,1.0e1\n100e-2,.2e2\n30000000000000000000000e-22,-0.50000000000000000000000000000\n",
    "time,u\n0001,00010\n1,20\n3,-5e-0000000000000000000001\n",
};

static void tables_that_say_the_same(void **state)
{
    (void)state;
    rh_model *model = make_model(NULL);
    for (size_t k = 0; k < sizeof SAME / sizeof *SAME; k++) {
        const rh_record_def def = def_for(model, SAME[k], strlen(SAME[k]));
        rh_record *record = NULL;
        if (rh_record_create(&def, &record, NULL) != RH_OK) {
            fail_msg("table %zu: %s", k, rh_record_diagnostic(record, 0).message);
        }
        const rh_feed feed = rh_record_feed(record);
        assert_string_equal(feed.name, "u");
        assert_int_equal(feed.count, 3);
        assert_near(feed.times[0], 1.0, 0.0);
        assert_near(feed.times[1], 1.0, 0.0);
        assert_near(feed.times[2], 3.0, 0.0);
        assert_near(feed.values[0], 10.0, 0.0);
        assert_near(feed.values[1], 20.0, 0.0);
        assert_near(feed.values[2], -0.5, 0.0);
        assert_int_equal(rh_record_diagnostic_count(record), 0);
        rh_record_destroy(record);
    }
    rh_model_destroy(model);
}

// What the program writes it can read: 17 digits are the same number.
static void seventeen_digits_come_back(void **state)
{
    (void)state;
    support_random random = support_random_begin("seventeen_digits_come_back");
    for (int k = 0; k < 20000; k++) {
        char text[64];
        double value = 0.0;
        const uint64_t bits = support_random_bits(&random);
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        double found = 0.0;
        const int size = snprintf(text, sizeof text, "%.17g", value);
        assert_int_equal(rh__cell_number((rh_slice){text, (size_t)size}, &found), RH_CELL_NUMBER);
        assert_memory_equal(&found, &value, sizeof value);
    }
}

// The nearest double, however long the number is and wherever its point is.
static void numbers_are_rounded_right(void **state)
{
    (void)state;
    support_random random = support_random_begin("numbers_are_rounded_right");
    for (int k = 0; k < 20000; k++) {
        char text[2100];
        size_t size = 0;
        const uint32_t digits = 1 + support_random_below(&random, k % 100 == 0 ? 2000 : 40);
        const uint32_t point = support_random_below(&random, digits + 1);
        for (uint32_t d = 0; d < digits; d++) {
            if (d == point) {
                text[size++] = '.';
            }
            const uint32_t kind = support_random_below(&random, 4);
            text[size++] = (char)('0' + (kind == 0   ? 0
                                         : kind == 1 ? 9
                                                     : support_random_below(&random, 10)));
        }
        const int exponent = (int)support_random_below(&random, 700) - 350;
        size += (size_t)snprintf(text + size, sizeof text - size, "e%d", exponent);
        const double expected = strtod(text, NULL);
        double found = 0.0;
        const rh_cell_kind kind = rh__cell_number((rh_slice){text, size}, &found);
        assert_int_equal(kind, isfinite(expected) ? RH_CELL_NUMBER : RH_CELL_HUGE);
        if (kind == RH_CELL_NUMBER && memcmp(&found, &expected, sizeof found) != 0) {
            fail_msg("%s is %.17g, not %.17g", text, expected, found);
        }
    }
}

// One half of a unit in the last place, and a digit far behind it that decides.
static void a_late_digit_decides(void **state)
{
    (void)state;
    char text[1300] = "9007199254740993."; // 2^53 + 1
    const size_t begin = strlen(text);
    memset(text + begin, '0', 1200);
    double found = 0.0;
    assert_int_equal(rh__cell_number((rh_slice){text, begin + 1200}, &found), RH_CELL_NUMBER);
    assert_near(found, 9007199254740992.0, 0.0);
    text[begin + 1199] = '1';
    assert_int_equal(rh__cell_number((rh_slice){text, begin + 1200}, &found), RH_CELL_NUMBER);
    assert_near(found, 9007199254740994.0, 0.0);
}

static void a_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES && setlocale(LC_NUMERIC, NAMES[k]) == NULL;
         k++) {
    }
    double found = 0.0;
    const rh_slice text = {"0.1234567890123456789", 21};
    assert_int_equal(rh__cell_number(text, &found), RH_CELL_NUMBER);
    assert_int_equal(rh__cell_number((rh_slice){"0,5", 3}, &found), RH_CELL_TEXT);
    (void)setlocale(LC_NUMERIC, "C");
    assert_near(found, 0.1234567890123456789, 0.0);
}

static const char *const NO_NUMBERS[] = {
    "nan", "inf", "-inf", "NaN",   "infinity", "1e",    "e5",      ".",
    "+",   "-",   "--1",  "1 2",   "0x10",     "1.2.3", "1e5.0",   "1e+",
    "1_0", "1,0", "1f",   "1e1e1", "+.e1",     "1d5",   MINUS "1",
};

static void what_is_no_number(void **state)
{
    (void)state;
    double found = 7.0;
    for (size_t k = 0; k < sizeof NO_NUMBERS / sizeof *NO_NUMBERS; k++) {
        if (rh__cell_number((rh_slice){NO_NUMBERS[k], strlen(NO_NUMBERS[k])}, &found) !=
            RH_CELL_TEXT) {
            fail_msg("\"%s\" is a number", NO_NUMBERS[k]);
        }
    }
    assert_int_equal(rh__cell_number((rh_slice){"1\0", 2}, &found), RH_CELL_TEXT);
    assert_int_equal(rh__cell_number((rh_slice){"", 0}, &found), RH_CELL_EMPTY);
    assert_int_equal(rh__cell_number((rh_slice){"1e309", 5}, &found), RH_CELL_HUGE);
    assert_int_equal(rh__cell_number((rh_slice){"-1e99999999999999999999", 23}, &found),
                     RH_CELL_HUGE);
    assert_near(found, 7.0, 0.0);
    assert_int_equal(rh__cell_number((rh_slice){"1e-99999999999999999999", 23}, &found),
                     RH_CELL_NUMBER);
    assert_near(found, 0.0, 0.0);
}

// --- what is wrong -------------------------------------------------------------------------------

typedef struct wrong_table {
    const char *text;
    const char *code;
    unsigned line, column, count;
    const char *message, *repair;
} wrong_table;

static const wrong_table WRONG[] = {
    {"time,v\n0,1\n", "E603", 1, 1, 1, "no column of this table is called `u`", "name the columns"},
    {"t,u\n0,1\n", "E603", 1, 1, 1, "no column of this table is called `time`", "name the columns"},
    {"Time,U\n0,1\n", "E603", 1, 1, 2, "`time`", "name the columns"},
    {"time,u,u\n0,1,2\n", "E603", 1, 1, 1, "more than one column of this table is called `u`",
     "keep one"},
    {"time;u\n0;1\n", "E603", 1, 1, 2, "`time`", "separate columns by commas"},
    {"time\tu\n0\t1\n", "E603", 1, 1, 2, "`time`", "separate columns by commas"},
    {"\n#\n\"time,u\n0,1\n", "E603", 3, 1, 2, "`time`", "name the columns"},
    {",\n0,1\n", "E603", 1, 1, 2, "`time`", "name the columns"},
    {"time,u\n0,1\nx,2\n", "E604", 3, 1, 1, "the time of this row is not a finite number",
     "leave the row out"},
    {"time,u\n0,1\n 1 , y z \n", "E604", 3, 6, 1, "the value of this row is not a finite number",
     "leave the row out"},
    {"0,1\n1,nan\n2,inf\n", "E604", 2, 3, 2, "the value of this row is not a finite number",
     "leave the row out"},
    {"0,1\n1,\n", "E604", 2, 3, 1, "the value of this row is missing", "leave the row out"},
    {"0,1\n,1\n", "E604", 2, 1, 1, "the time of this row is missing", "leave the row out"},
    {"0,1\n\"\",1\n", "E604", 2, 2, 1, "the time of this row is missing", "leave the row out"},
    {"0,1\n1\n", "E604", 2, 2, 1, "the value of this row is missing", "leave the row out"},
    {"5\n", "E604", 1, 2, 1, "the value of this row is missing", "leave the row out"},
    {"0,1\n1;2\n", "E604", 2, 1, 2, "the time of this row is not a finite number",
     "separate columns by commas"},
    {"0,1\n1,1e400\n", "E604", 2, 3, 1, "the value of this row is larger than any number here",
     "leave the row out"},
    {"0,1\n1e400,1\n", "E604", 2, 1, 1, "the time of this row is larger than any number here",
     "leave the row out"},
    {"0,1\n\xC3\xA9,1\n\xFF,2\n", "E604", 2, 1, 2, "the time of this row is not a finite number",
     "leave the row out"},
    {"0,1\n2,\"3\n4,5\n", "E604", 2, 3, 1, "the value of this row is not a finite number",
     "leave the row out"},
    {"time,u\r\n0,1\r\n2,1\r\n1,1\r\n1.5,1\r\n", "E605", 4, 1, 1,
     "after the time 2 the time 1 goes back", "in order of time"},
    {"0,1\n1,1\n0.5,1\n0.25,1\n", "E605", 3, 1, 2, "after the time 1 the time 0.5 goes back",
     "in order of time"},
    {"0,0\n5e-324,1\n", "E605", 2, 1, 1, "the slope is larger than any number",
     "the same time twice"},
    {"0,-1e308\n1,1e308\n", "E605", 2, 1, 1, "the slope is larger than any number",
     "the same time twice"},
    {"", "E606", 1, 1, 1, "this table has no row of numbers", "at least one row"},
    {"time,u\n", "E606", 2, 1, 1, "this table has no row of numbers", "at least one row"},
    {"\n# nothing\n\n", "E606", 4, 1, 1, "this table has no row of numbers", "at least one row"},
    {"\xEF\xBB\xBF", "E606", 1, 1, 1, "this table has no row of numbers", "at least one row"},
};

static rh_record *refuse(const rh_record_def *def)
{
    rh_record *record = NULL;
    rh_error err = RH_ZERO;
    assert_int_equal(rh_record_create(def, &record, &err), RH_E_MODEL);
    assert_non_null(record);
    assert_int_equal(rh_record_feed(record).count, 0);
    assert_string_equal(err.message, rh_record_diagnostic(record, 0).message);
    return record;
}

static void every_mistake_has_its_place(void **state)
{
    (void)state;
    rh_model *model = make_model(NULL);
    for (size_t k = 0; k < sizeof WRONG / sizeof *WRONG; k++) {
        const wrong_table *it = &WRONG[k];
        const rh_record_def def = def_for(model, it->text, strlen(it->text));
        rh_record *record = refuse(&def);
        const rh_diagnostic found = rh_record_diagnostic(record, 0);
        const bool is_same = strcmp(found.code, it->code) == 0 && found.at.line == it->line &&
                             found.at.column == it->column && strcmp(found.at.file, "u.csv") == 0 &&
                             rh_record_diagnostic_count(record) == it->count &&
                             strstr(found.message, it->message) != NULL &&
                             strstr(found.repair, it->repair) != NULL;
        if (!is_same) {
            fail_msg("table %zu: %zu remarks, %s:%u:%u: %s %s; %s", k,
                     rh_record_diagnostic_count(record), found.at.file, found.at.line,
                     found.at.column, found.code, found.message, found.repair);
        }
        // and the model says where the table is asked for
        assert_string_equal(found.note, "the table of the input u");
        assert_string_equal(found.note_at.file, "model.rhe");
        assert_int_equal(found.note_at.line, 2);
        assert_int_equal(found.note_at.column, 14);
        rh_record_destroy(record);
    }
    rh_model_destroy(model);
}

static void a_file_that_is_not_there(void **state)
{
    (void)state;
    rh_model *model = make_model(NULL);
    rh_record_def def = def_for(model, NULL, 0);
    def.index = 1;
    def.name = NULL;
    def.reason = "No such file or directory";
    rh_record *record = refuse(&def);
    const rh_diagnostic found = rh_record_diagnostic(record, 0);
    assert_string_equal(found.code, "E602");
    assert_string_equal(found.message,
                        "the file of the input v cannot be read: v.csv: No such file or directory");
    assert_string_equal(found.at.file, "model.rhe");
    assert_int_equal(found.at.line, 3);
    assert_int_equal(found.at.column, 14);
    assert_non_null(found.repair);
    assert_string_equal(rh_record_diagnostic(record, 1).code, "");
    rh_record_destroy(record);
    rh_model_destroy(model);
}

// Many mistakes: the first hundred are told.
static void a_hundred_mistakes_are_enough(void **state)
{
    (void)state;
    rh_model *model = make_model(NULL);
    char text[3000];
    for (size_t k = 0; k < 1000; k++) {
        memcpy(text + 3 * k, "x,\n", 3);
    }
    memcpy(text, "0,\n", 3);
    const rh_record_def def = def_for(model, text, sizeof text);
    rh_record *record = refuse(&def);
    assert_int_equal(rh_record_diagnostic_count(record), 100);
    rh_record_destroy(record);
    rh_model_destroy(model);
}

// --- limits --------------------------------------------------------------------------------------

static void limits(void **state)
{
    (void)state;
    rh_model *model = make_model(NULL);
    const size_t size = (size_t)RH_RECORD_SIZE + 1;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t k = 0; k < size; k++) {
        text[k] = "0,0\n"[k % 4];
    }
    rh_record_def def = def_for(model, text, size);
    rh_record *record = refuse(&def);
    assert_string_equal(rh_record_diagnostic(record, 0).code, "E602");
    assert_non_null(strstr(rh_record_diagnostic(record, 0).message, "larger than 64 MiB"));
    rh_record_destroy(record);

    def.text_size = 4 * (size_t)RH_RECORD_ROWS;
    assert_int_equal(rh_record_create(&def, &record, NULL), RH_OK);
    assert_int_equal(rh_record_feed(record).count, RH_RECORD_ROWS);
    rh_record_destroy(record);

    def.text_size += 4;
    record = refuse(&def);
    assert_string_equal(rh_record_diagnostic(record, 0).code, "E607");
    assert_int_equal(rh_record_diagnostic(record, 0).at.line, RH_RECORD_ROWS + 1);
    rh_record_destroy(record);

    // one line of many cells
    memset(text, ',', 1 << 20);
    def.text_size = 1 << 20;
    record = refuse(&def);
    assert_string_equal(rh_record_diagnostic(record, 0).code, "E603");
    rh_record_destroy(record);
    free(text);
    rh_model_destroy(model);
}

// --- how it is told, and memory
// --------------------------------------------------------------------

static bool gather(void *user, const char *data, size_t size)
{
    char *text = user;
    const size_t used = strlen(text);
    assert_true(used + size < 4096);
    memcpy(text + used, data, size);
    text[used + size] = '\0';
    return true;
}

static void remarks_as_text_and_json(void **state)
{
    (void)state;
    rh_model *model = make_model(NULL);
    const rh_record_def def = def_for(model, "time,u\n0,1\n1,two\n", 17);
    rh_record *record = refuse(&def);
    char text[4096] = "";
    const rh_sink sink = {gather, text};
    assert_int_equal(rh_output_record_diagnostics(record, RH_FORMAT_TEXT, false, sink, NULL),
                     RH_OK);
    assert_string_equal(
        text, "u.csv:3:3: error[E604]: the value of this row is not a finite number\n"
              "   3 | 1,two\n"
              "     |   ^~~\n"
              "  note: model.rhe:2:14: the table of the input u\n"
              "  repair: write a number, or leave the row out: between rows the input is a "
              "straight line\n"
              "1 error (rheonom explain E604)\n");
    text[0] = '\0';
    assert_int_equal(rh_output_record_diagnostics(record, RH_FORMAT_JSON, false, sink, NULL),
                     RH_OK);
    assert_non_null(strstr(text, "{\"status\": \"wrong\", \"diagnostics\": [{\"code\": \"E604\""));
    assert_non_null(strstr(text, "\"file\": \"u.csv\", \"line\": 3, \"column\": 3"));
    assert_int_equal(rh_output_record_diagnostics(NULL, RH_FORMAT_JSON, false, sink, NULL),
                     RH_E_ARGUMENT);
    rh_record_destroy(record);
    rh_model_destroy(model);
}

static void any_request_may_fail(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"time,u\n0,1\n1,2\n", "time,u\n0,x\n1,2\n"};
    for (size_t k = 0; k < 2; k++) {
        rh_status status = RH_E_MEMORY;
        size_t n = 1;
        for (; status == RH_E_MEMORY; n++) {
            support_memory memory = {0};
            rh_model *model = make_model(&memory);
            memory.fail_at = memory.request_count + n;
            const rh_record_def def = def_for(model, TEXTS[k], strlen(TEXTS[k]));
            rh_record *record = NULL;
            status = rh_record_create(&def, &record, NULL);
            assert_int_equal(record != NULL, status != RH_E_MEMORY);
            rh_record_destroy(record);
            rh_model_destroy(model);
            assert_int_equal(memory.block_count, 0);
        }
        assert_true(n > 2);
        assert_int_equal(status, k == 0 ? RH_OK : RH_E_MODEL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_names_its_files),
        cmocka_unit_test(tables_that_say_the_same),
        cmocka_unit_test(seventeen_digits_come_back),
        cmocka_unit_test(numbers_are_rounded_right),
        cmocka_unit_test(a_late_digit_decides),
        cmocka_unit_test(a_locale_changes_nothing),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(every_mistake_has_its_place),
        cmocka_unit_test(a_file_that_is_not_there),
        cmocka_unit_test(a_hundred_mistakes_are_enough),
        cmocka_unit_test(limits),
        cmocka_unit_test(remarks_as_text_and_json),
        cmocka_unit_test(any_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
