// SPDX-License-Identifier: Apache-2.0
// From the MODEL of a call to a model: reads the text, makes the model, shows its remarks.

#include "cli/cli.h"
#include "cli/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 8 << 20 }; // bytes of a model file

// Colour is for terminals whose owner did not refuse it (no-color.org).
static bool is_coloured(void)
{
    const char *refused = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (refused == NULL || refused[0] == '\0') && isatty(STDERR_FILENO) == 1 &&
           terminal != NULL && strcmp(terminal, "dumb") != 0;
}

// One line an error, nothing else.
static void talk_error(const rh_diagnostic *remark)
{
    if (remark->severity == RH_SEVERITY_ERROR) {
        (void)fprintf(stderr, "%s:%u:%u: error[%s]: %s\n", remark->at.file,
                      (unsigned)remark->at.line, (unsigned)remark->at.column, remark->code,
                      remark->message);
    }
}

static void talk_errors(const rh_model *model)
{
    for (size_t i = 0; i < rh_model_diagnostic_count(model); i++) {
        const rh_diagnostic remark = rh_model_diagnostic(model, i);
        talk_error(&remark);
    }
}

// The same remarks at the same places?
static bool are_alike(const rh_model *a, const rh_model *b)
{
    bool is_same = rh_model_diagnostic_count(a) == rh_model_diagnostic_count(b);
    for (size_t i = 0; is_same && i < rh_model_diagnostic_count(a); i++) {
        const rh_diagnostic one = rh_model_diagnostic(a, i);
        const rh_diagnostic other = rh_model_diagnostic(b, i);
        is_same = strcmp(one.code, other.code) == 0 && strcmp(one.message, other.message) == 0 &&
                  one.at.line == other.at.line && one.at.column == other.at.column;
    }
    return is_same;
}

static cli_exit show_remarks(const rh_model *model, const cli_options *options)
{
    rh_error err = RH_ZERO;
    if (options->told != NULL && rh_model_is_sound(model) && are_alike(model, options->told)) {
        return CLI_DONE;
    }
    if (options->is_json && !rh_model_is_sound(model)) {
        return cli_talk_status(
            rh_output_diagnostics(model, RH_FORMAT_JSON, false, cli_outlet_data(), &err), &err);
    }
    if (options->is_quiet) {
        talk_errors(model);
        return CLI_DONE;
    }
    if (rh_model_diagnostic_count(model) == 0) {
        return CLI_DONE;
    }
    return cli_talk_status(
        rh_output_diagnostics(model, RH_FORMAT_TEXT, is_coloured(), cli_outlet_talk(), &err), &err);
}

// Errors in --set and --start alone mean that the call is wrong, not the model.
static cli_exit blame(const rh_model *model, const char *file)
{
    for (size_t i = 0; i < rh_model_diagnostic_count(model); i++) {
        const rh_diagnostic remark = rh_model_diagnostic(model, i);
        if (remark.severity == RH_SEVERITY_ERROR && strcmp(remark.at.file, file) == 0) {
            return CLI_WRONG_MODEL;
        }
    }
    return rh_model_is_sound(model) ? CLI_DONE : CLI_WRONG_CALL;
}

cli_exit cli_model_show(const rh_model *model, const cli_options *options, const char *file)
{
    const cli_exit shown = show_remarks(model, options);
    return shown != CLI_DONE ? shown : blame(model, file);
}

cli_exit cli_model_read(const char *path, cli_intake *out)
{
    const cli_exit result = cli_intake_read(path, LARGEST, out);
    if (result == CLI_DONE && out->size > LARGEST) {
        cli_talk("%s is larger than 8 MiB; large models are written with arrays and loops",
                 out->name);
        return CLI_WRONG_CALL;
    }
    return result;
}

rh_model_def cli_model_def(const cli_intake *text, const cli_options *options)
{
    rh_model_def def = rh_model_def_default();
    def.name = text->name;
    def.text = text->data;
    def.text_size = text->size;
    def.set = options->set;
    def.set_count = options->set_count;
    def.start = options->start;
    def.start_count = options->start_count;
    def.by = options->by;
    def.by_count = options->by_count;
    def.interrupt = cli_patience_interrupt;
    def.memory_limit = options->memory > 0.0 ? (size_t)options->memory : def.memory_limit;
    return def;
}

cli_exit cli_model_make(const cli_intake *text, const cli_options *options, rh_model **out)
{
    rh_model_def def = cli_model_def(text, options);
    // no verb asks for both; it is the last of all that is observed
    const char *const *asked = options->function != NULL ? &options->function : &options->asked;
    def.observe = asked;
    def.observe_count = *asked != NULL;
    def.observe_name = options->function != NULL ? "--function" : options->asked_name;
    def.last_set_name = options->last_set_name;

    *out = NULL;
    rh_error err = RH_ZERO;
    const rh_status status = rh_model_create(&def, out, &err);
    if (*out == NULL) {
        return cli_talk_status(status, &err);
    }
    return cli_model_show(*out, options, text->name);
}

cli_exit cli_model_load(const cli_options *options, rh_model **out)
{
    *out = NULL;
    cli_intake text;
    cli_patience_phase("the model was read");
    cli_exit result = cli_model_read(options->subject, &text);
    if (result == CLI_DONE) {
        result = cli_model_make(&text, options, out);
    }
    free(text.data);
    return result;
}

// --- equations -------------------------------------------------------------------------------

bool cli_equations_are_wrong(const rh_equations *equations)
{
    bool found = false;
    for (size_t i = 0; i < rh_equations_diagnostic_count(equations); i++) {
        const rh_diagnostic remark = rh_equations_diagnostic(equations, i);
        found = found || remark.severity == RH_SEVERITY_ERROR;
    }
    return found;
}

static cli_exit show_derived(const rh_equations *equations, const cli_options *options)
{
    rh_error err = RH_ZERO;
    const size_t count = rh_equations_diagnostic_count(equations);
    if (options->is_json && cli_equations_are_wrong(equations)) {
        return cli_talk_status(rh_output_equations_diagnostics(equations, RH_FORMAT_JSON, false,
                                                               cli_outlet_data(), &err),
                               &err);
    }
    for (size_t i = 0; options->is_quiet && i < count; i++) {
        const rh_diagnostic remark = rh_equations_diagnostic(equations, i);
        talk_error(&remark);
    }
    if (options->is_quiet || count == 0) {
        return CLI_DONE;
    }
    return cli_talk_status(rh_output_equations_diagnostics(equations, RH_FORMAT_TEXT, is_coloured(),
                                                           cli_outlet_talk(), &err),
                           &err);
}

cli_exit cli_equations_load(const cli_options *options, const rh_model *model, rh_equations **out)
{
    rh_equations_def def = rh_equations_def_default();
    def.has_presolve = !options->has_no_presolve;
    def.is_start_repaired = options->has_repair;
    rh_error err = RH_ZERO;
    cli_patience_phase("equations were derived");
    const rh_status status = rh_equations_create(model, &def, out, &err);
    if (*out == NULL) {
        return cli_talk_status(status, &err);
    }
    const cli_exit shown = show_derived(*out, options);
    return shown != CLI_DONE ? shown : status == RH_OK ? CLI_DONE : CLI_WRONG_MODEL;
}

void cli_equations_excuse(const cli_options *options, const rh_equations *equations)
{
    if (equations == NULL || cli_equations_are_wrong(equations)) {
        return;
    }
    rh_error err = RH_ZERO;
    if (options->is_json) {
        (void)cli_talk_status(rh_output_equations_diagnostics(equations, RH_FORMAT_JSON, false,
                                                              cli_outlet_data(), &err),
                              &err);
    }
    for (size_t i = 0; options->is_quiet && i < rh_equations_diagnostic_count(equations); i++) {
        const rh_diagnostic remark = rh_equations_diagnostic(equations, i);
        cli_talk("there are no equations: %s (%s)", remark.message, remark.code);
    }
}

// --- checkup ---------------------------------------------------------------------------------

static cli_exit show_findings(const rh_checkup *checkup, const cli_options *options)
{
    rh_error err = RH_ZERO;
    const size_t count = rh_checkup_diagnostic_count(checkup);
    if (options->is_json) {
        return cli_talk_status(
            rh_output_checkup_diagnostics(checkup, RH_FORMAT_JSON, false, cli_outlet_data(), &err),
            &err);
    }
    for (size_t i = 0; options->is_quiet && i < count; i++) {
        const rh_diagnostic remark = rh_checkup_diagnostic(checkup, i);
        talk_error(&remark);
    }
    return options->is_quiet
               ? CLI_DONE
               : cli_talk_status(rh_output_checkup_diagnostics(checkup, RH_FORMAT_TEXT,
                                                               is_coloured(), cli_outlet_talk(),
                                                               &err),
                                 &err);
}

// The code of a motion that cannot go on.
static bool is_end(const char *code)
{
    return strncmp(code, "E5", 2) == 0;
}

// One that is about the place where the motion begins: elsewhere it could.
static bool is_place(const char *code)
{
    return is_end(code) || strcmp(code, "E409") == 0 || strcmp(code, "E410") == 0;
}

static bool are_errors(const rh_checkup *checkup, bool (*is)(const char *code))
{
    bool are = true;
    for (size_t k = 0; are && k < rh_checkup_diagnostic_count(checkup); k++) {
        const rh_diagnostic remark = rh_checkup_diagnostic(checkup, k);
        are = remark.severity != RH_SEVERITY_ERROR || is(remark.code);
    }
    return are;
}

static cli_exit load_checkup(const cli_options *options, rh_equations *equations, bool is_moved,
                             rh_checkup **out)
{
    rh_error err = RH_ZERO;
    cli_patience_phase("the constraints were examined");
    const rh_status status = rh_checkup_create(equations, out, &err);
    if (*out == NULL) {
        return cli_talk_status(status, &err);
    }
    if (status == RH_OK || (is_moved && are_errors(*out, is_end))) {
        return CLI_DONE;
    }
    const cli_exit shown = show_findings(*out, options);
    return shown != CLI_DONE ? shown : are_errors(*out, is_place) ? CLI_STOPPED : CLI_WRONG_MODEL;
}

cli_exit cli_checkup_load(const cli_options *options, rh_equations *equations, rh_checkup **out)
{
    return load_checkup(options, equations, false, out);
}

cli_exit cli_checkup_load_moved(const cli_options *options, rh_equations *equations,
                                rh_checkup **out)
{
    return load_checkup(options, equations, true, out);
}

// --- tables ----------------------------------------------------------------------------------

cli_exit cli_record_show(const cli_options *options, const rh_record *record)
{
    rh_error err = RH_ZERO;
    for (size_t i = 0;
         options->is_quiet && !options->is_json && i < rh_record_diagnostic_count(record); i++) {
        const rh_diagnostic remark = rh_record_diagnostic(record, i);
        talk_error(&remark);
    }
    const bool is_json = options->is_json;
    return options->is_quiet && !is_json
               ? CLI_DONE
               : cli_talk_status(rh_output_record_diagnostics(
                                     record, is_json ? RH_FORMAT_JSON : RH_FORMAT_TEXT,
                                     is_coloured(), is_json ? cli_outlet_data() : cli_outlet_talk(),
                                     &err),
                                 &err);
}
