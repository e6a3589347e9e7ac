// SPDX-License-Identifier: Apache-2.0
// HDF5, as a library of its own that is loaded at run time: only a program that writes such a file
// needs it. One dataset for each column, cut into chunks; no times of the clock are stored, so the
// same table is the same bytes.

#include "output/hdf5.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 4096 };

typedef struct column {
    hid_t set, type;
} column;

typedef struct table {
    hid_t file;
    column *columns;
    uint32_t count, capacity;
} table;

static void *begin(const char *path, char *why, size_t room)
{
    table *it = calloc(1, sizeof *it);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (it != NULL) {
        it->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    }
    if (it == NULL || it->file < 0) {
        (void)snprintf(why, room, "HDF5 cannot make the file");
        free(it);
        return NULL;
    }
    return it;
}

static bool add(table *it, const char *name, uint64_t count, hid_t type)
{
    if (it->count == it->capacity) {
        const uint32_t capacity = 2 * it->capacity + 16;
        column *grown = realloc(it->columns, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        it->columns = grown;
        it->capacity = capacity;
    }
    const hsize_t size[1] = {count};
    const hsize_t chunk[1] = {count < CHUNK ? (count > 0 ? count : 1) : CHUNK};
    const hid_t space = H5Screate_simple(1, size, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    bool ok = space >= 0 && how >= 0 && H5Pset_chunk(how, 1, chunk) >= 0 &&
              H5Pset_obj_track_times(how, false) >= 0;
    const hid_t set =
        ok ? H5Dcreate2(it->file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT) : -1;
    ok = set >= 0;
    (void)H5Sclose(space);
    (void)H5Pclose(how);
    if (ok) {
        it->columns[it->count++] = (column){.set = set, .type = type};
    }
    return ok;
}

static bool numbers(void *file, const char *name, uint64_t count)
{
    return add(file, name, count, H5T_NATIVE_DOUBLE);
}

static bool wholes(void *file, const char *name, uint64_t count)
{
    return add(file, name, count, H5T_NATIVE_UINT64);
}

static bool texts(void *file, const char *name, uint64_t count, size_t width)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    return type >= 0 && H5Tset_size(type, width) >= 0 &&
           H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
           add(file, name, count, type);
}

static bool write_rows(void *file, uint32_t index, uint64_t first, uint64_t count, const void *data)
{
    const table *it = file;
    const column *to = &it->columns[index];
    const hsize_t from[1] = {first};
    const hsize_t size[1] = {count};
    const hid_t place = H5Dget_space(to->set);
    const hid_t memory = H5Screate_simple(1, size, NULL);
    const bool ok = place >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(place, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
                    H5Dwrite(to->set, to->type, memory, place, H5P_DEFAULT, data) >= 0;
    (void)H5Sclose(place);
    (void)H5Sclose(memory);
    return ok;
}

static bool end(void *file)
{
    table *it = file;
    bool ok = true;
    for (uint32_t k = 0; k < it->count; k++) {
        ok = H5Dclose(it->columns[k].set) >= 0 && ok;
    }
    ok = H5Fclose(it->file) >= 0 && ok;
    free(it->columns);
    free(it);
    return ok;
}

__attribute__((visibility("default"))) extern const rh_hdf5_guest rh_hdf5_guest_own;
const rh_hdf5_guest rh_hdf5_guest_own = {begin, numbers, wholes, texts, write_rows, end};
