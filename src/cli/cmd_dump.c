// SPDX-License-Identifier: Apache-2.0
// rheonom dump: the canonical text of stages. The tree of a wrong model can be shown too.

#include "cli/cli.h"
#include "cli/run.h"

#include <string.h>

typedef struct stage_row {
    const char *word;
    rh_stage stage;
    bool is_sound_needed;
} stage_row;

static const stage_row STAGES[] = {
    {"ast", RH_STAGE_AST, false},
    {"model", RH_STAGE_MODEL, true},
    {"equations", RH_STAGE_EQUATIONS, true},
    {"tape", RH_STAGE_TAPE, true},
};

enum { STAGE_COUNT = sizeof STAGES / sizeof STAGES[0] };

// Stages to show, in the order asked for; each at most once.
typedef struct stage_list {
    const stage_row *rows[STAGE_COUNT];
    size_t count;
} stage_list;

static const stage_row *find_stage(const char *word, size_t size)
{
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        if (strlen(STAGES[i].word) == size && memcmp(STAGES[i].word, word, size) == 0) {
            return &STAGES[i];
        }
    }
    return NULL;
}

static bool refuse_stage(const char *word, size_t size)
{
    char asked[32] = "";
    if (size < sizeof asked) {
        memcpy(asked, word, size);
    }
    const char *known[STAGE_COUNT + 1] = {NULL};
    for (size_t i = 0; i < STAGE_COUNT; i++) {
        known[i] = STAGES[i].word;
    }
    const char *near = cli_suggest(asked, known);
    if (near != NULL) {
        cli_talk("there is no stage \"%.*s\"; did you mean %s?", (int)size, word, near);
    } else {
        cli_talk("there is no stage \"%.*s\"; stages are ast, model, equations, tape", (int)size,
                 word);
    }
    return false;
}

static bool add_stage(stage_list *list, const char *word, size_t size)
{
    const stage_row *row = find_stage(word, size);
    if (row == NULL) {
        return refuse_stage(word, size);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i] == row) {
            cli_talk("stage %s is asked for twice", row->word);
            return false;
        }
    }
    list->rows[list->count++] = row;
    return true;
}

static bool parse_stages(const char *words, stage_list *list)
{
    while (true) {
        const size_t size = strcspn(words, ",");
        if (!add_stage(list, words, size)) {
            return false;
        }
        if (words[size] == '\0') {
            return true;
        }
        words += size + 1;
    }
}

// What there is to show; equations are derived when their stage is asked for.
typedef struct subject {
    const rh_model *model;
    rh_equations *equations;
} subject;

static cli_exit show_stage(const subject *shown, const stage_row *row, rh_sink sink)
{
    rh_error err = RH_ZERO;
    cli_patience_phase("a stage was written");
    const rh_status status =
        row->stage == RH_STAGE_EQUATIONS ? rh_equations_dump(shown->equations, sink, &err)
        : row->stage == RH_STAGE_TAPE    ? rh_tape_dump(shown->equations, sink, &err)
                                         : rh_model_dump(shown->model, row->stage, sink, &err);
    return cli_talk_status(status, &err);
}

// {"ast": "...", "model": "..."}
static cli_exit show_json(const subject *shown, const stage_list *list)
{
    cli_exit result = CLI_DONE;
    for (size_t i = 0; i < list->count && result == CLI_DONE; i++) {
        cli_outlet_put(i == 0 ? "{\"" : ", \"");
        cli_outlet_put(list->rows[i]->word);
        cli_outlet_put("\": \"");
        result = show_stage(shown, list->rows[i], cli_outlet_json());
        cli_outlet_put("\"");
    }
    cli_outlet_put("}\n");
    return result;
}

static bool can_show(const subject *shown, const stage_row *row)
{
    return row->stage == RH_STAGE_EQUATIONS
               ? shown->equations != NULL
               : !row->is_sound_needed || rh_model_is_sound(shown->model);
}

// Several stages are told apart by a line before each. Of a wrong model only some can be shown.
static cli_exit show_text(const subject *shown, const stage_list *list)
{
    cli_exit result = CLI_DONE;
    for (size_t i = 0; i < list->count && result == CLI_DONE; i++) {
        if (!can_show(shown, list->rows[i])) {
            continue;
        }
        if (list->count > 1) {
            cli_outlet_put("# stage ");
            cli_outlet_put(list->rows[i]->word);
            cli_outlet_put("\n");
        }
        result = show_stage(shown, list->rows[i], cli_outlet_data());
    }
    return result;
}

// Derive the equations when their stage is asked for; wrong ones are not kept.
static cli_exit derive(const cli_options *options, const stage_list *list, const rh_model *model,
                       rh_equations **out)
{
    bool is_asked = false;
    for (size_t i = 0; i < list->count; i++) {
        is_asked = is_asked || list->rows[i]->stage == RH_STAGE_EQUATIONS ||
                   list->rows[i]->stage == RH_STAGE_TAPE;
    }
    const cli_exit result = is_asked ? cli_equations_load(options, model, out) : CLI_DONE;
    if (result != CLI_DONE) {
        cli_equations_excuse(options, *out);
        rh_equations_destroy(*out);
        *out = NULL;
    }
    return result;
}

cli_exit cli_dump(const cli_options *options)
{
    stage_list list = {.count = 0};
    if (!parse_stages(options->stages != NULL ? options->stages : "model", &list)) {
        return CLI_WRONG_CALL;
    }
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    cli_exit loaded = cli_model_load(options, &model);
    if (loaded == CLI_DONE) {
        loaded = derive(options, &list, model, &equations);
    }
    const subject whole = {model, equations};
    cli_exit shown = CLI_DONE;
    if (model != NULL && !options->is_json) {
        shown = show_text(&whole, &list);
    } else if (loaded == CLI_DONE) {
        shown = show_json(&whole, &list);
    }
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return loaded != CLI_DONE ? loaded : shown;
}
