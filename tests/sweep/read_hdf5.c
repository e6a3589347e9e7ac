// SPDX-License-Identifier: Apache-2.0
// What is written as HDF5 is what the table as CSV has: read back with the library itself.

#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): its name is given

#include "sweeping.h"

#include "rheonom/output.h"

#include <hdf5.h>
#include <unistd.h>

static const char TEXT[] = "param k = 1\nstate x\nlaw x' = k*x^2\nstart x = 1\n";

enum { COUNT = 5000 };

static void read_column(hid_t file, const char *name, hid_t type, void *out)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    const hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), COUNT);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    (void)H5Sclose(space);
    (void)H5Dclose(set);
}

static void columns_come_back(void **state)
{
    (void)state;
    const char *grid = "k=0.1:2:5000"; // beyond 1 it becomes infinite before the end
    char path[] = "/tmp/rheonom-test-XXXXXX";
    const int there = mkstemp(path);
    assert_true(there >= 0);
    (void)close(there);
    rh_sweep_def def = sweeping_def(TEXT);
    def.grids = &grid;
    def.grid_count = 1;
    def.observe = "final(x), peak(1/x)";
    def.motion.tolerance = 1e-6;
    rh_sweep *sweep = sweeping_run(&def);
    rh_error err = {.message = ""};
    assert_true(rh_output_has_hdf5());
    assert_int_equal(rh_output_members_hdf5(sweep, path, &err), RH_OK);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    static double k[COUNT], last[COUNT], peak[COUNT], time[COUNT];
    static uint64_t member[COUNT], steps[COUNT];
    static char status[COUNT][8], code[COUNT][8];
    const hid_t word = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(word, 8) >= 0 && H5Tset_cset(word, H5T_CSET_UTF8) >= 0 &&
                H5Tset_strpad(word, H5T_STR_NULLPAD) >= 0);
    read_column(file, "k", H5T_NATIVE_DOUBLE, k);
    read_column(file, "final(x)", H5T_NATIVE_DOUBLE, last);
    read_column(file, "peak(1:x)", H5T_NATIVE_DOUBLE, peak); // a slash would be a group
    read_column(file, "time", H5T_NATIVE_DOUBLE, time);
    read_column(file, "member", H5T_NATIVE_UINT64, member);
    read_column(file, "steps", H5T_NATIVE_UINT64, steps);
    read_column(file, "status", word, status);
    read_column(file, "code", word, code);
    rh_sweep_rewind(sweep);
    for (int i = 0; i < COUNT; i++) {
        const rh_sweep_member it = sweeping_next(sweep);
        assert_int_equal(member[i], i);
        assert_int_equal(steps[i], it.steps);
        assert_memory_equal(&k[i], &it.values[0], sizeof(double));
        assert_memory_equal(&last[i], &it.values[1], sizeof(double));
        assert_memory_equal(&peak[i], &it.values[2], sizeof(double));
        assert_memory_equal(&time[i], &it.time, sizeof(double));
        assert_string_equal(status[i], it.stop == RH_STOP_FAILED ? "failed" : "reached");
        assert_string_equal(code[i], it.code);
    }
    (void)H5Tclose(word);
    (void)H5Fclose(file);
    (void)unlink(path);
    rh_sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
