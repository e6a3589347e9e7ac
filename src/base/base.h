// SPDX-License-Identifier: Apache-2.0
// Door of the room `base`: memory, text, failure. Knows nothing of dynamics.

#pragma once

#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/diagnostic.h"
#include "base/parallel.h"
