// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the verbs `run` and `compare`: what is asked (request.c), which moments
// are looked at (moments.c), how long one waits (patience.c),
// what is drawn (picture.c, overlay.c), what flows in (tables.c), what is left to go on from
// (checkpoint.c), and the way back (reversal.c).

#pragma once

#include "cli/request.h"
#include "cli/result.h"
