// SPDX-License-Identifier: Apache-2.0
// Statuses with their sentences, and the error record that a caller may give room for.

#include "base/base.h"

#include <stdio.h>

#ifndef RH_VERSION
#define RH_VERSION "0.0.0"
#endif

const char *rh_status_text(rh_status status)
{
    switch (status) {
#define RH_STATUS_CASE(name, sentence)                                                             \
    case name:                                                                                     \
        return sentence;
        RH_STATUS_LIST(RH_STATUS_CASE)
#undef RH_STATUS_CASE
    }
    return "unknown status";
}

const char *rh_version(void)
{
    return RH_VERSION;
}

rh_status rh__error_fill(rh_error *err, rh_status status, const char *format, ...)
{
    if (err != NULL) {
        err->status = status;
        va_list arguments;
        va_start(arguments, format);
        (void)rh__text_fill_list(err->message, sizeof err->message, format, arguments);
        va_end(arguments);
    }
    return status;
}
