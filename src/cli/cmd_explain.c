// SPDX-License-Identifier: Apache-2.0
// rheonom explain: the long text of a diagnostic, or the list of all.

#include "cli/cli.h"

static bool discard(void *user, const char *data, size_t size)
{
    (void)user;
    (void)data;
    (void)size;
    return true;
}

static cli_exit explain(const char *code, rh_sink sink)
{
    rh_error err = RH_ZERO;
    const rh_status status =
        code != NULL ? rh_output_explain(code, sink, &err) : rh_output_codes(sink, &err);
    return cli_talk_status(status, &err);
}

cli_exit cli_explain(const cli_options *options)
{
    if (!options->is_json) {
        return explain(options->subject, cli_outlet_data());
    }
    // the object is opened only when it will have something in it
    cli_exit result = explain(options->subject, (rh_sink){discard, NULL});
    if (result == CLI_DONE) {
        cli_outlet_put("{\"text\": \"");
        result = explain(options->subject, cli_outlet_json());
        cli_outlet_put("\"}\n");
    }
    return result;
}
