// SPDX-License-Identifier: Apache-2.0
// Door of the room `model`: the model in the user's words. Every array and loop is expanded to
// scalars, and every expanded row remembers the statement and the member it came from; its
// expression's shape (expr.h) tells which rows are one family. Expressions live in the model's
// store.

#pragma once

#include "model/statements.h"
#include "model/content.h"
