// SPDX-License-Identifier: Apache-2.0
// rheonom steady: steady motions and their stability; with --continue the family they belong to.

#include "cli/run.h"
#include "cli/still.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the call ------------------------------------------------------------------------------------

static bool read_require(const cli_options *options)
{
    if (options->require != NULL && strcmp(options->require, "stable") != 0) {
        cli_talk("--require wants \"stable\", not \"%s\"", options->require);
        return false;
    }
    return true;
}

// --- patience ------------------------------------------------------------------------------------

typedef struct waiting {
    cli_patience patience;
    const char *reason; // why to end; NULL: go on
} waiting;

static bool is_wanted(void *user)
{
    waiting *it = user;
    cli_patience_keep();
    if (it->reason == NULL) {
        it->reason = cli_patience_check(&it->patience, 0.0, 0.0);
    }
    return it->reason == NULL;
}

// --- the answer ----------------------------------------------------------------------------------

// Of the first motion: the proved one before the computed one.
static const char *verdict_of(const rh_steady *steady, rh_certificate *const *certificates)
{
    const bool is_proved =
        certificates != NULL && certificates[0] != NULL && rh_certificate_holds(certificates[0]);
    return is_proved ? rh_certificate_verdict(certificates[0])
                     : rh_steady_verdict_text(rh_steady_solution(steady, 0).verdict);
}

static cli_exit tell(const cli_options *options, const rh_steady *steady,
                     rh_certificate *const *certificates)
{
    const rh_steady_summary summary = rh_steady_summarise(steady);
    rh_error err = RH_ZERO;
    const rh_format format = options->is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT;
    const cli_exit shown = cli_talk_status(
        rh_output_steady_certified(steady, certificates, format, cli_outlet_data(), &err), &err);
    if (summary.solution_count == 0) {
        cli_talk("%s", summary.reason);
        return cli_worse(shown, CLI_STOPPED);
    }
    if (shown == CLI_DONE && options->require != NULL) {
        const char *verdict = verdict_of(steady, certificates);
        if (strcmp(verdict, "asymptotically stable") != 0 && strcmp(verdict, "stable") != 0) {
            cli_talk("required: stable; found: %s", verdict);
            return CLI_REQUIRED_NO;
        }
    }
    return shown;
}

// All motions with their proofs, where they are wanted.
static cli_exit conclude(const cli_options *options, const cli_still *still,
                         const rh_steady_def *def, const rh_steady *steady)
{
    const size_t count = rh_steady_summarise(steady).solution_count;
    if (!options->is_certified && options->certificate == NULL) {
        return tell(options, steady, NULL);
    }
    rh_certificate **list = calloc(count + 1, sizeof(rh_certificate *));
    if (list == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    const cli_exit proved = cli_proofs_find(options, still, def, steady, list);
    cli_exit result = proved == CLI_WRONG_CALL ? proved : tell(options, steady, list);
    if (result == CLI_DONE && options->certificate != NULL && count > 0) {
        result = cli_proofs_save(options, list[0]);
    }
    for (size_t k = 0; k < count; k++) {
        rh_certificate_destroy(list[k]);
    }
    free(list);
    return cli_worse(result, proved);
}

// What is wrong with the quantity to follow was said of a fixed one, which it is on the way.
static cli_exit refuse(const cli_options *options, const cli_still *still,
                       const cli_branch_range *range, rh_status status, const rh_error *err)
{
    static const char FIX[] = "--fix: ";
    const char *quote = strchr(err->message, '"');
    const size_t size = strlen(range->name);
    if (status == RH_E_ARGUMENT && size > 0 && quote != NULL &&
        strncmp(err->message, FIX, sizeof FIX - 1) == 0 &&
        strncmp(quote + 1, range->name, size) == 0 && quote[size + 1] == '"') {
        cli_talk("--continue: %s", err->message + sizeof FIX - 1);
        return CLI_WRONG_CALL;
    }
    return cli_still_talk(options, still, status, err);
}

static cli_exit search(const cli_options *options, const cli_still *still, double limit)
{
    rh_steady *steady = NULL;
    rh_error err = RH_ZERO;
    cli_branch_range range = {.name = ""};
    rh_steady_def def = still->def;
    waiting it = {.patience = cli_patience_begin(options, limit)};
    if (options->branch_of != NULL) {
        if (!cli_branch_read(options->branch_of, &range)) {
            return CLI_WRONG_CALL;
        }
        cli_still_begin_at(still, range.name, range.from, &def);
    }
    def.is_wanted = is_wanted;
    def.user = &it;
    cli_patience_phase("steady motions were sought");
    const rh_status status = rh_steady_create(still->equations, &def, &steady, &err);
    cli_patience_keep();
    cli_patience_end(&it.patience);
    cli_exit result = refuse(options, still, &range, status, &err);
    if (result == CLI_DONE) {
        const bool is_found = rh_steady_summarise(steady).solution_count > 0;
        result = options->branch_of != NULL && is_found ? cli_family_follow(options, &range, steady)
                                                        : conclude(options, still, &def, steady);
        if (it.reason != NULL) {
            cli_talk("the search ended early: %s; told is what was found", it.reason);
            result = cli_worse(result, CLI_STOPPED);
        }
    }
    rh_steady_destroy(steady);
    return result;
}

// The quantity that is followed is a fixed one at first: that is how an expression comes into the
// model.
static cli_exit load(const cli_options *options, cli_still *out)
{
    enum { LONGEST = 160 };
    cli_branch_range range = {.name = ""};
    char text[LONGEST];
    cli_options with = *options;
    *out = (cli_still){.model = NULL};
    if (options->branch_of == NULL) {
        return cli_still_load(options, out);
    }
    if (!cli_branch_read(options->branch_of, &range)) {
        return CLI_WRONG_CALL;
    }
    (void)snprintf(text, sizeof text, "%s=%.17g", range.name, range.from);
    const size_t size = strlen(range.name);
    for (size_t k = 0; k < options->fix_count; k++) {
        if (strncmp(options->fix[k], text, size + 1) == 0) {
            return cli_still_load(options, out);
        }
    }
    with.fix = calloc(options->fix_count + 1, sizeof *with.fix);
    if (with.fix == NULL) {
        cli_talk_memory();
        return CLI_STOPPED;
    }
    memcpy(with.fix, options->fix, options->fix_count * sizeof *with.fix);
    with.fix[with.fix_count++] = text;
    const cli_exit result = cli_still_load(&with, out);
    free(with.fix);
    return result;
}

cli_exit cli_steady(const cli_options *options)
{
    cli_still still;
    if (options->branch_of != NULL && (options->is_certified || options->certificate != NULL)) {
        cli_talk("--certify proves the verdict of single motions: it does not go with --continue");
        return CLI_WRONG_CALL;
    }
    double limit = 0.0;
    if (!cli_branch_out(options, "family") || !read_require(options) ||
        !cli_time_limit_read(options, &limit) || !cli_request_can_write(options->out) ||
        !cli_request_can_write(options->certificate)) {
        return CLI_WRONG_CALL;
    }
    cli_exit result = load(options, &still);
    if (result == CLI_DONE) {
        result = search(options, &still, limit);
    }
    cli_still_destroy(&still);
    return result;
}
