// SPDX-License-Identifier: Apache-2.0
// Private to `output`: the parts of an exported model that are the same for all (c_text.c).

#pragma once

#include "output/output.h"

/// Wants n, order, stride and room.
#define RH_C_HEADER_BEGIN                                                                          \
    "#ifndef MODEL_H\n"                                                                            \
    "#define MODEL_H\n"                                                                            \
    "\n"                                                                                           \
    "enum {\n"                                                                                     \
    "    MODEL_COUNT = %u, /* numbers of a state */\n"                                             \
    "    MODEL_ORDER = %u, /* of its series */\n"                                                  \
    "    MODEL_STRIDE = %u,\n"                                                                     \
    "    MODEL_ROOM = %zu\n"                                                                       \
    "};\n"

extern const char rh__c_header_end[];
extern const char rh__c_stepper[];
extern const char rh__c_test[];
extern const char rh__c_makefile[];
extern const char rh__c_readme[];
