// SPDX-License-Identifier: Apache-2.0
// Private to `expr`: the inside of a show, for the file that writes families.

#pragma once

#include "expr/store.h"

/// Writes a symbol in its own way; false leaves it to the show.
typedef bool rh_symbol_writer(void *user, rh_expr symbol, rh_text *out);

struct rh_show {
    rh_store *store;
    rh_notation notation;
    rh_expr_list parts;
    uint32_t *names; // by node id up to `name_count`: place in `parts` + 1
    uint32_t name_count;
    rh_symbol_writer *symbols; // NULL: names as they are
    void *user;
};
