// SPDX-License-Identifier: Apache-2.0
// rheonom certificate: check a certificate without trusting who wrote it. Also the other side, for
// `steady --certify`: proofs of what was found.

#include "cli/still.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 16 << 20 }; // of a certificate

typedef struct waiting {
    cli_patience patience;
    const char *reason;
} waiting;

static bool goes_on(void *user)
{
    waiting *wait = user;
    if (wait->reason == NULL) {
        wait->reason = cli_patience_check(&wait->patience, 0.0, 0.0);
    }
    return wait->reason == NULL;
}

bool cli_proofs_limit(const cli_options *options, double *out)
{
    *out = 0.0;
    if (options->time_limit == NULL) {
        return true;
    }
    if (!cli_number_read("--time-limit", options->time_limit, out)) {
        return false;
    }
    if (!(*out > 0.0)) {
        cli_talk("--time-limit wants a positive number of seconds, not %s", options->time_limit);
        return false;
    }
    return true;
}

static waiting begin_waiting(const cli_options *options, double limit)
{
    waiting wait = {.patience = cli_patience_begin(options, limit)};
    wait.patience.has_bar = false; // nobody knows how much is left
    cli_patience_keep();
    return wait;
}

// --- proofs of what was found --------------------------------------------------------------------

static rh_model_def model_def(const cli_options *options, const cli_still *still)
{
    rh_model_def def = rh_model_def_default();
    def.name = still->text.name;
    def.text = still->text.data;
    def.text_size = still->text.size;
    def.set = options->set;
    def.set_count = options->set_count;
    def.start = options->start;
    def.start_count = options->start_count;
    def.by = options->by;
    def.by_count = options->by_count;
    def.observe = still->observed;
    def.observe_count = still->observed_count;
    def.interrupt = cli_patience_interrupt;
    return def;
}

cli_exit cli_proofs_find(const cli_options *options, const cli_still *still,
                         const rh_steady_def *def, const rh_steady *steady, rh_certificate **out)
{
    double limit = 0.0;
    if (!cli_proofs_limit(options, &limit)) {
        return CLI_WRONG_CALL;
    }
    waiting wait = begin_waiting(options, limit);
    rh_certificate_def proof = rh_certificate_def_default();
    proof.goes_on = goes_on;
    proof.goes_on_user = &wait;
    const char **exact = calloc(def->fix_count + 1, sizeof *exact);
    for (size_t k = 0; exact != NULL && k < def->fix_count; k++) {
        exact[k] = strchr(options->fix[k], '=') + 1;
    }
    proof.exact = exact;
    const rh_model_def model = model_def(options, still);
    cli_exit result = CLI_DONE;
    const size_t count = rh_steady_summarise(steady).solution_count;
    for (size_t k = 0; k < count && goes_on(&wait); k++) {
        rh_error err = RH_ZERO;
        const rh_status status =
            rh_certificate_create(steady, k, def, &model, &proof, &out[k], &err);
        if (status != RH_OK && wait.reason == NULL) {
            result = cli_talk_status(status, &err);
        }
    }
    free(exact);
    if (wait.reason != NULL) {
        cli_talk("not everything was proved: %s", wait.reason);
        result = CLI_STOPPED;
    }
    return result;
}

cli_exit cli_proofs_save(const cli_options *options, const rh_certificate *certificate)
{
    if (certificate == NULL || !rh_certificate_holds(certificate)) {
        cli_talk("there is no certificate to write: %s",
                 certificate != NULL ? rh_certificate_reason(certificate) : "it was not proved");
        return CLI_STOPPED;
    }
    const char *text = rh_certificate_text(certificate);
    rh_file *file = NULL;
    rh_error err = RH_ZERO;
    rh_status status = rh_file_begin(options->certificate, &file, &err);
    if (status == RH_OK) {
        const rh_sink sink = rh_file_sink(file);
        (void)sink.write(sink.user, text, strlen(text)); // what is refused is told by the end
        status = rh_file_end(file, true, &err);
    }
    if (status != RH_OK) {
        cli_talk("%s", err.message);
    }
    return status == RH_OK ? CLI_DONE : CLI_STOPPED;
}

// --- checking ------------------------------------------------------------------------------------

static cli_exit tell(const cli_options *options, const rh_certificate *certificate)
{
    rh_error err = RH_ZERO;
    const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const cli_exit shown =
        cli_talk_status(rh_output_certificate(certificate, format, cli_outlet_data(), &err), &err);
    if (shown == CLI_DONE && !rh_certificate_holds(certificate)) {
        cli_talk("the certificate does not hold: %s", rh_certificate_reason(certificate));
        return CLI_REQUIRED_NO;
    }
    return shown;
}

static cli_exit check(const cli_options *options, const cli_intake *text, double limit)
{
    waiting wait = begin_waiting(options, limit);
    rh_certificate_def def = rh_certificate_def_default();
    def.goes_on = goes_on;
    def.goes_on_user = &wait;
    rh_certificate *certificate = NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_certificate_check(text->data, text->size, &def, &certificate, &err);
    cli_patience_keep();
    cli_exit result = CLI_DONE;
    if (status == RH_OK) {
        result = tell(options, certificate);
    } else if (wait.reason != NULL) {
        cli_talk("%s: nothing is decided: %s", text->name, wait.reason);
        result = CLI_STOPPED;
    } else {
        cli_talk("%s is no certificate that could be checked: %s", text->name, err.message);
        result = status == RH_E_MODEL      ? CLI_WRONG_MODEL
                 : status == RH_E_ARGUMENT ? CLI_WRONG_CALL
                                           : CLI_STOPPED;
    }
    rh_certificate_destroy(certificate);
    return result;
}

cli_exit cli_certificate(const cli_options *options)
{
    double limit = 0.0;
    cli_intake text = {.data = NULL};
    if (!cli_proofs_limit(options, &limit)) {
        return CLI_WRONG_CALL;
    }
    cli_exit result = cli_intake_read(options->subject, MOST_BYTES, &text);
    if (result == CLI_DONE && text.size > MOST_BYTES) {
        cli_talk("%s is larger than a certificate may be: %d bytes", text.name, (int)MOST_BYTES);
        result = CLI_WRONG_CALL;
    }
    if (result == CLI_DONE) {
        result = check(options, &text, limit);
    }
    free(text.data);
    return result;
}
