// SPDX-License-Identifier: Apache-2.0
// Door of the room `sweep`: one model -> many results. A plan (plan.c) tells what member i is, a
// worker (bench.c, flock.c, follow.c) makes its row, a crew of workers (crew.c) goes through blocks
// of members, which it has from a desk (desk.c) or, in other processes, from a queue (queue.c), the
// ledger (ledger.c) keeps finished blocks in a file, and the ranks (ranks.c) are the processes.

#pragma once

#include "sweep/plan.h"
#include "sweep/supply.h"
