// SPDX-License-Identifier: Apache-2.0
// Door of the room `numeric`: plain numerical algebra on arrays. Knows nothing of models.
//
// Dense matrices are plain arrays, column after column: element (i, j) of a matrix with `rows` rows
// is a[i + j * rows]. Results lie in the arena given to `create`; scratch is pushed on the same
// arena and rewound. A refused arena gives its own reason (RH_E_MEMORY or RH_E_LIMIT); a dense side
// longer than RH_DENSE_LIMIT gives RH_E_LIMIT. Sizes may be zero.
//
// A singular matrix is no failure but a number: rcond = 0. Same input, same bits.

#pragma once

#include "numeric/dense.h"
#include "numeric/sparse.h"
#include "numeric/polynomial.h"
#include "numeric/complementarity.h"
#include "numeric/sampling.h"
