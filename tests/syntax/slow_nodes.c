// SPDX-License-Identifier: Apache-2.0
// The limit on nodes, which takes a text of the largest size.

#include "reading.h"

static void many_nodes_are_refused(void **state)
{
    (void)state;
    const size_t size = RH_SYNTAX_FILE_SIZE;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '+', size);
    for (size_t i = 8; i < size; i += 2) {
        text[i] = 'x';
    }
    memcpy(text, "kinetic ", 8);
    text[size - 1] = 'x';
    reading r;
    reading_begin_with(&r, (rh_slice){text, size}, rh__tree_parse, rh_allocator_default(),
                       SIZE_MAX / 4);
    assert_int_equal(r.status, RH_OK);
    assert_int_equal(r.tree.status, RH_E_LIMIT);
    assert_int_equal(r.diagnostics.remarks.data[0].code, RH_DIAGNOSTIC_E902);
    reading_end(&r);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
