// SPDX-License-Identifier: Apache-2.0
// Texts in tables: RFC 4180, and `#` is quoted too, since at the beginning of a line it marks an
// interruption.

#include "output/csv.h"

#include <string.h>

void rh__csv_put_plain(rh_text *out, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        const bool is_control = (unsigned char)*at < 0x20 || *at == 0x7f;
        rh__text_put_char(out, is_control ? ' ' : *at);
    }
}

void rh__csv_put(rh_text *out, const char *text)
{
    const size_t size = strlen(text);
    const bool is_plain =
        size > 0 && strpbrk(text, ",\"#") == NULL && text[0] != ' ' && text[size - 1] != ' ';
    if (is_plain) {
        rh__csv_put_plain(out, text);
        return;
    }
    rh__text_put_char(out, '"');
    for (const char *at = text; *at != '\0'; at++) {
        rh__csv_put_plain(out, (const char[]){*at, '\0'});
        rh__text_put(out, *at == '"' ? "\"" : "");
    }
    rh__text_put_char(out, '"');
}
