// SPDX-License-Identifier: Apache-2.0
// Where the program's text goes: data to stdout, talk to stderr. A failed write to stdout is
// remembered with its reason and reported once, at the end.

#include "cli/cli.h"
#include "cli/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// What was talked about last: the reason where a verb ends without data.
static char last_talk[2048] = "";

void cli_talk(const char *format, ...)
{
    RH_ASSERT(format[0] != '\0' && strchr(format, '\n') == NULL); // one line
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("rheonom: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    va_start(arguments, format);
    (void)vsnprintf(last_talk, sizeof last_talk, format, arguments);
    va_end(arguments);
}

static bool has_starved = false;

void cli_talk_memory(void)
{
    has_starved = true;
    cli_talk("out of memory");
}

static cli_exit exit_of(rh_status status)
{
    switch (status) {
    case RH_OK:
        return CLI_DONE;
    case RH_E_MODEL:
        return CLI_WRONG_MODEL;
    case RH_E_ARGUMENT:
    case RH_E_UNAVAILABLE:
        return CLI_WRONG_CALL;
    case RH_E_MEMORY:
    case RH_E_LIMIT:
    case RH_E_WRITE:
    case RH_E_INTERRUPTED:
        return CLI_STOPPED;
    }
    return CLI_STOPPED;
}

// A call of the library was refused, not only the words of the call.
static bool has_refused = false;

cli_exit cli_talk_status(rh_status status, const rh_error *err)
{
    has_refused = has_refused || status != RH_OK;
    if (status != RH_OK && cli_patience_is_over()) {
        cli_talk("%s", cli_patience_reason());
        return CLI_STOPPED;
    }
    // what could not be written is reported by cli_outlet_finish, with the reason of the system
    if (status != RH_OK && status != RH_E_WRITE) {
        cli_talk("%s", err->message[0] != '\0' ? err->message : rh_status_text(status));
    }
    return exit_of(status);
}

// Why the first failed write to stdout failed; 0 when none did or nobody knows.
static int write_reason = 0;

static bool remember(bool is_written)
{
    if (!is_written && write_reason == 0) {
        write_reason = errno;
    }
    return is_written;
}

static bool has_data = false;

static bool write_data(void *user, const char *data, size_t size)
{
    (void)user;
    has_data = has_data || size > 0;
    return remember(fwrite(data, 1, size, stdout) == size);
}

// Talk that nobody hears changes nothing.
static bool write_talk(void *user, const char *data, size_t size)
{
    (void)user;
    (void)fwrite(data, 1, size, stderr);
    return true;
}

static bool write_json(void *user, const char *data, size_t size)
{
    (void)user;
    has_data = has_data || size > 0;
    for (size_t i = 0; i < size; i++) {
        const char c = data[i];
        if (c == '\n') {
            (void)fputs("\\n", stdout);
        } else if (c == '"' || c == '\\') {
            (void)fprintf(stdout, "\\%c", c);
        } else if ((unsigned char)c < 0x20) {
            (void)fprintf(stdout, "\\u%04x", (unsigned)c);
        } else {
            (void)fputc(c, stdout);
        }
    }
    return remember(ferror(stdout) == 0);
}

rh_sink cli_outlet_data(void)
{
    return (rh_sink){write_data, NULL};
}

rh_sink cli_outlet_talk(void)
{
    return (rh_sink){write_talk, NULL};
}

rh_sink cli_outlet_json(void)
{
    return (rh_sink){write_json, NULL};
}

void cli_outlet_put(const char *text)
{
    has_data = has_data || text[0] != '\0';
    (void)fputs(text, stdout);
}

// "E317: at the start ...": the size of the code, 0 without one.
static size_t code_size(const char *message)
{
    const size_t size = strcspn(message, ":");
    const bool is_code = size > 1 && message[0] == 'E' && message[size] == ':' &&
                         strspn(message + 1, "0123456789") == size - 1;
    return is_code ? size : 0;
}

void cli_outlet_excuse(cli_exit result)
{
    const size_t size = code_size(last_talk);
    const char *message = last_talk + size;
    const rh_sink text = cli_outlet_json();
    const bool is_told = has_data || message[0] == '\0';
    if (is_told || result == CLI_DONE || result == CLI_REQUIRED_NO ||
        (result == CLI_WRONG_CALL && !has_refused)) {
        return;
    }
    message += size > 0 ? 1 + (message[1] == ' ') : 0;
    if (result == CLI_WRONG_MODEL) {
        cli_outlet_put("{\"status\": \"wrong\", \"diagnostics\": [{\"code\": \"");
        (void)text.write(NULL, last_talk, size);
        cli_outlet_put("\", \"severity\": \"error\", \"message\": \"");
        (void)text.write(NULL, message, strlen(message));
        cli_outlet_put("\"}]}\n");
        return;
    }
    cli_outlet_put("{\"status\": \"");
    cli_outlet_put(result == CLI_STOPPED ? "stopped" : "refused");
    cli_outlet_put("\", \"reason\": \"");
    (void)text.write(NULL, message, strlen(message));
    if (size > 0) {
        cli_outlet_put("\", \"code\": \"");
        (void)text.write(NULL, last_talk, size);
    }
    cli_outlet_put("\"}\n");
}

cli_exit cli_outlet_finish(cli_exit so_far)
{
    const bool has_failed = ferror(stdout) != 0;
    if (remember(fflush(stdout) == 0) && !has_failed) {
        return has_starved ? CLI_STOPPED : so_far;
    }
    cli_talk("cannot write to the standard output%s%s", write_reason != 0 ? ": " : "",
             write_reason != 0 ? strerror(write_reason) : "");
    return CLI_STOPPED;
}
