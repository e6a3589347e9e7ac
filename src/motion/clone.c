// SPDX-License-Identifier: Apache-2.0
// Vectors and the second matrix for the guests from SUNDIALS. These copy by N_VClone and
// SUNMatClone, which do not survive a refusal of memory (6.4), and after one they destroy vectors
// twice. So a copy of a vector is one block with the reserve behind it that goes when all go, and
// the copy of a matrix is made before it is asked for.

#include "motion/implicit.h"

#include <string.h>

// A vector in one block; its numbers come behind it.
struct rh_clone {
    struct _generic_N_Vector vector; // first: a vector is its block
    struct _generic_N_Vector_Ops ops;
    struct _N_VectorContent_Serial content;
    rh_implicit *owner;
    rh_clone *older;
    realtype data[];
};

// The operations of the first matrix, and where its copy is.
struct rh_matrix_ops {
    struct _generic_SUNMatrix_Ops ops; // first: operations are their block
    SUNMatrix_Ops own;                 // that it was made with
    rh_implicit *owner;
};

enum { CLONES = 48 }; // more than either guest makes

static void keep(N_Vector vector)
{
    (void)vector; // until all go
}

static N_Vector create(rh_implicit *owner, N_Vector_Ops ops)
{
    const size_t size = (size_t)owner->count * sizeof(realtype);
    rh_clone *made = rh__reserve_alloc(sizeof *made + size);
    if (made == NULL) {
        return NULL;
    }
    memset(made, 0, sizeof *made + size);
    made->ops = *ops;
    made->content.length = (sunindextype)owner->count;
    made->content.data = made->data;
    made->vector.content = &made->content;
    made->vector.ops = &made->ops;
    made->vector.sunctx = owner->context;
    made->owner = owner;
    made->older = owner->clones;
    owner->clones = made;
    return &made->vector;
}

static N_Vector copy_vector(N_Vector like)
{
    RH_ASSERT(like->ops->nvclone == copy_vector); // one of ours
    return create(((rh_clone *)(void *)like)->owner, like->ops);
}

bool rh__implicit_vectors(rh_implicit *data)
{
    RH_ASSERT(data->clones == NULL && data->pledge == NULL);
    const double size = (double)sizeof(rh_clone) + (double)data->count * (double)sizeof(realtype);
    if (!rh__reserve_pledge(CLONES * size, &data->pledge)) {
        return false;
    }
    N_Vector plain = N_VNewEmpty_Serial((sunindextype)data->count, data->context);
    if (plain == NULL) {
        return false;
    }
    struct _generic_N_Vector_Ops ops = *plain->ops;
    N_VDestroy(plain);
    ops.nvclone = copy_vector;
    ops.nvcloneempty = NULL; // nobody asks for one
    ops.nvdestroy = keep;
    data->y = create(data, &ops);
    data->rate = create(data, &ops);
    data->work = create(data, &ops);
    return data->y != NULL && data->rate != NULL && data->work != NULL;
}

static SUNMatrix take_copy(SUNMatrix like)
{
    rh_implicit *owner = ((rh_matrix_ops *)(void *)like->ops)->owner;
    SUNMatrix copy = owner->copy;
    owner->copy = NULL;
    RH_ASSERT(copy != NULL); // a guest saves one Jacobian
    return copy;
}

bool rh__implicit_copy_matrix(rh_motion *motion, rh_implicit *data)
{
    RH_ASSERT(data->copy == NULL && data->matrix_ops == NULL);
    rh_matrix_ops *extended = rh__arena_new(&motion->arena, rh_matrix_ops);
    data->copy = extended != NULL ? data->matrix->ops->clone(data->matrix) : NULL;
    if (data->copy == NULL) {
        return false;
    }
    extended->own = data->matrix->ops;
    extended->ops = *data->matrix->ops;
    extended->ops.clone = take_copy;
    extended->owner = data;
    data->matrix_ops = extended;
    data->matrix->ops = &extended->ops;
    return true;
}

void rh__implicit_drop_clones(rh_implicit *data)
{
    if (data->matrix_ops != NULL) {
        data->matrix->ops = data->matrix_ops->own;
    }
    SUNMatrix const matrices[] = {data->matrix, data->copy};
    for (uint32_t k = 0; k < 2; k++) {
        if (matrices[k] != NULL) {
            SUNMatDestroy(matrices[k]);
        }
    }
    while (data->clones != NULL) {
        rh_clone *older = data->clones->older;
        rh__reserve_free(data->clones);
        data->clones = older;
    }
    rh__reserve_redeem(data->pledge);
}
