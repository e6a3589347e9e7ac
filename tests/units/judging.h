// SPDX-License-Identifier: Apache-2.0
// The table of questions (tests/units/questions.txt), the table of deviations
// (tests/units/deviations.txt), and the judgement of a question in all units.

#pragma once

#include "verbs.h"

enum { UNITS_LINE = 1024 };

/// Put all questions of the table whose index is `part` modulo `parts`; those that are not quick
/// are left out when `is_quick`.
void units_judge_table(uint32_t part, uint32_t parts, bool is_quick);
