// SPDX-License-Identifier: Apache-2.0
// Realisations that are not those of the text: --by NAME=REALISATION. A name without index means
// all members.

#include "model/build.h"

static rh_code change_at(const rh_build *build, size_t index, rh_code *out_name)
{
    const rh_tree *tree = &build->setting_trees[build->set_count + build->start_count + index];
    const rh_ast setting = rh__tree_child(tree, tree->root, 0);
    *out_name = (rh_code){tree, rh__tree_child(tree, setting, 0), NULL};
    return (rh_code){tree, rh__tree_child(tree, setting, 1), NULL};
}

rh_code rh__build_by(const rh_build *build, rh_code clause, rh_slice name)
{
    rh_code by = clause;
    for (size_t k = 0; k < build->by_count; k++) {
        rh_code place;
        const rh_code change = change_at(build, k, &place);
        if (change.at.i != 0 && rh__slice_equal(rh__tree_node(place.tree, place.at)->text, name)) {
            by = change;
        }
    }
    return by;
}

void rh__build_check_by(rh_build *build)
{
    for (size_t k = 0; k < build->by_count; k++) {
        rh_code place;
        const rh_code change = change_at(build, k, &place);
        if (change.at.i == 0) {
            continue; // that was said
        }
        const rh_slice name = rh__tree_node(place.tree, place.at)->text;
        const uint32_t index = rh__build_find(build, name);
        if (index == UINT32_MAX || rh__build_entity(build, index)->kind != RH_ENTITY_CONSTRAINT) {
            rh__build_unknown(build, name, rh__code_span(place), NULL, "constraint");
        }
    }
}
