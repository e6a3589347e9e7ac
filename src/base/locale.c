// SPDX-License-Identifier: Apache-2.0
// Numbers in texts. The C library writes and reads them with the decimal point of the locale, which
// belongs to the program that uses this one; here they are those of the locale "C", so that the
// same numbers are the same bytes. Only the locale of the calling thread is changed, and only
// meanwhile.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "base/base.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct stay {
    locale_t plain, own;
} stay;

static stay begin(void)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (stay){.plain = plain, .own = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0};
}

static void end(stay it)
{
    if (it.plain != (locale_t)0) {
        (void)uselocale(it.own);
        freelocale(it.plain);
    }
}

int rh__text_fill_list(char *out, size_t size, const char *format, va_list arguments)
{
    const stay plain = begin();
    const int written = vsnprintf(out, size, format, arguments);
    end(plain);
    return written;
}

int rh__text_fill(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int written = rh__text_fill_list(out, size, format, arguments);
    va_end(arguments);
    return written;
}

double rh__text_number(const char *text, char **out_end)
{
    const stay plain = begin();
    const double value = strtod(text, out_end);
    end(plain);
    return value;
}
