// SPDX-License-Identifier: Apache-2.0
// Realisations that are not those of the text: --by NAME=REALISATION, NAME=REALISATION, ... A name
// without index means all members.

#include "model/build.h"

// One change after another, through all options.
typedef struct changes {
    const rh_build *build;
    size_t option;
    uint32_t index; // within the option
    rh_code name;   // of the constraint
    rh_code by;     // none: it could not be read, and that was said
} changes;

static bool next_change(changes *at)
{
    const rh_build *build = at->build;
    for (; at->option < build->by_count; at->option++, at->index = 0) {
        const size_t place = build->set_count + build->start_count + at->option;
        RH_ASSERT(at->option < build->by_count);
        const rh_tree *tree = &build->setting_trees[place];
        const rh_ast list = rh__tree_child(tree, tree->root, 0);
        const rh_ast change = list.i != 0 ? rh__tree_child(tree, list, at->index) : list;
        if (change.i != 0) {
            at->name = (rh_code){tree, rh__tree_child(tree, change, 0), NULL};
            at->by = (rh_code){tree, rh__tree_child(tree, change, 1), NULL};
            at->index++;
            return true;
        }
    }
    return false;
}

rh_code rh__build_by(const rh_build *build, rh_code clause, rh_slice name)
{
    rh_code by = clause;
    for (changes at = {.build = build}; next_change(&at);) {
        if (at.by.at.i != 0 &&
            rh__slice_equal(rh__tree_node(at.name.tree, at.name.at)->text, name)) {
            by = at.by;
        }
    }
    return by;
}

void rh__build_check_by(rh_build *build)
{
    for (changes at = {.build = build}; next_change(&at);) {
        if (at.by.at.i == 0) {
            continue;
        }
        const rh_slice name = rh__tree_node(at.name.tree, at.name.at)->text;
        const uint32_t index = rh__build_find(build, name);
        if (index == UINT32_MAX || rh__build_entity(build, index)->kind != RH_ENTITY_CONSTRAINT) {
            rh__build_unknown(build, name, rh__code_span(at.name), NULL, "constraint");
        }
    }
}
