// SPDX-License-Identifier: Apache-2.0
// rheonom steady --continue: a family of steady motions over one quantity, as a table and a list of
// the places where the verdict changes.

#include "cli/still.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MARKS = 256 };

typedef struct mark {
    rh_walk_mark kind;
    double value, low, high;
    rh_steady_verdict before, after;
} mark;

typedef struct following {
    const cli_options *options;
    const cli_branch_range *range;
    rh_steady *steady;
    rh_walk *walk;
    rh_file *table;
    bool is_table_data; // it goes to stdout
    mark marks[MOST_MARKS];
    size_t mark_count, point_count;
    double last;
    rh_steady_verdict first_verdict, verdict;
    bool was_stable; // all along
    const char *reason;
    rh_error err;
} following;

static rh_sink table_of(const following *f)
{
    return f->is_table_data ? cli_outlet_data() : rh_file_sink(f->table);
}

static void keep(following *f, const rh_walk_point *point)
{
    const rh_steady_verdict verdict = point->motion.verdict;
    if (point->mark != RH_WALK_POINT && f->mark_count < MOST_MARKS) {
        f->marks[f->mark_count++] = (mark){.kind = point->mark,
                                           .value = point->value,
                                           .low = point->low,
                                           .high = point->high,
                                           .before = point->before,
                                           .after = verdict};
    }
    if (point->mark == RH_WALK_POINT) {
        f->first_verdict = f->point_count == 0 ? verdict : f->first_verdict;
        f->was_stable = (f->point_count == 0 || f->was_stable) &&
                        (verdict == RH_STEADY_ASYMPTOTICALLY_STABLE || verdict == RH_STEADY_STABLE);
        f->point_count++;
        f->last = point->value;
        f->verdict = verdict;
    }
}

static rh_status walk(following *f, cli_patience *patience)
{
    const bool has_table = f->is_table_data || f->table != NULL;
    rh_walk_point point;
    bool is_there = true;
    rh_status status = RH_OK;
    if (has_table) {
        status = rh_output_family_head(f->steady, f->range->name, table_of(f), &f->err);
    }
    while (status == RH_OK && is_there && f->reason == NULL) {
        status = rh_walk_step(f->walk, &point, &is_there, &f->err);
        if (status == RH_OK && is_there) {
            const double share = (point.value - f->range->from) / (f->range->to - f->range->from);
            keep(f, &point);
            f->reason = cli_patience_check(patience, fmin(fmax(share, 0.0), 1.0), point.value);
            if (has_table) {
                status = rh_output_family_row(f->steady, &point, table_of(f), &f->err);
            }
        }
    }
    cli_patience_end(patience);
    if (f->reason == NULL && rh_walk_reason(f->walk)[0] != '\0') {
        f->reason = rh_walk_reason(f->walk);
    }
    return status;
}

// --- telling -------------------------------------------------------------------------------------

static void put_json(const char *text)
{
    rh_sink sink = cli_outlet_json();
    (void)sink.write(sink.user, text, strlen(text));
}

static void show_json(const following *f)
{
    (void)printf("{\"quantity\": \"");
    put_json(f->range->name);
    (void)printf("\", \"from\": %.17g, \"to\": %.17g, \"points\": %zu, \"verdict\": \"%s\", "
                 "\"marks\": [",
                 f->range->from, f->last, f->point_count, rh_steady_verdict_text(f->first_verdict));
    for (size_t k = 0; k < f->mark_count; k++) {
        const mark *it = &f->marks[k];
        (void)printf("%s{\"kind\": \"%s\", \"value\": %.17g, \"low\": %.17g, \"high\": %.17g, "
                     "\"before\": \"%s\", \"after\": \"%s\"}",
                     k > 0 ? ", " : "", rh_walk_mark_text(it->kind), it->value, it->low, it->high,
                     rh_steady_verdict_text(it->before), rh_steady_verdict_text(it->after));
    }
    (void)printf("]");
    if (f->reason != NULL) {
        (void)printf(", \"reason\": \"");
        put_json(f->reason);
        (void)printf("\"");
    }
    (void)printf("}\n");
}

static void show(const following *f)
{
    if (f->is_table_data) {
        return;
    }
    if (f->options->is_json) {
        show_json(f);
        return;
    }
    (void)printf("family            %zu steady motions, %s from %.10g to %.10g\n", f->point_count,
                 f->range->name, f->range->from, f->last);
    (void)printf("at first          %s\n", rh_steady_verdict_text(f->first_verdict));
    for (size_t k = 0; k < f->mark_count; k++) {
        const mark *it = &f->marks[k];
        if (it->kind == RH_WALK_FOLD) {
            (void)printf(
                "fold              %s = %.15g (to %.1g), where it turns round; %s from there "
                "on\n",
                f->range->name, it->value, it->high - it->low, rh_steady_verdict_text(it->after));
        } else {
            (void)printf("change            %s = %.15g (to %.1g), %s from there on\n",
                         f->range->name, it->value, it->high - it->low,
                         rh_steady_verdict_text(it->after));
        }
    }
}

static cli_exit follow(following *f)
{
    double limit = 0.0;
    rh_walk_def def = rh_walk_def_default();
    def.name = f->range->name;
    def.from = f->range->from;
    def.to = f->range->to;
    if (f->options->time_limit != NULL &&
        !cli_number_read("--time-limit", f->options->time_limit, &limit)) {
        return CLI_WRONG_CALL;
    }
    const rh_status status = rh_walk_create(f->steady, &def, &f->walk, &f->err);
    cli_exit result = cli_talk_status(status, &f->err);
    if (result != CLI_DONE) {
        return status == RH_E_ARGUMENT ? CLI_WRONG_CALL : result;
    }
    cli_patience patience = cli_patience_begin(f->options, limit);
    cli_patience_keep();
    result = cli_talk_status(walk(f, &patience), &f->err);
    if (result == CLI_DONE && f->reason != NULL) {
        cli_talk("the family ends before %.10g: %s", f->range->to, f->reason);
        result = CLI_STOPPED;
    }
    show(f);
    if (result == CLI_DONE && f->options->require != NULL && !f->was_stable) {
        cli_talk("required: stable; it is not so everywhere on the family");
        result = CLI_REQUIRED_NO;
    }
    return result;
}

cli_exit cli_family_follow(const cli_options *options, const cli_branch_range *range,
                           rh_steady *steady)
{
    following f = {.options = options, .range = range, .steady = steady};
    f.is_table_data = options->out != NULL && strcmp(options->out, "-") == 0;
    if (options->out != NULL && !f.is_table_data &&
        rh_file_begin(options->out, &f.table, &f.err) != RH_OK) {
        cli_talk("%s", f.err.message);
        return CLI_WRONG_CALL;
    }
    cli_exit result = follow(&f);
    if (f.table != NULL && rh_file_end(f.table, f.point_count > 0, &f.err) != RH_OK) {
        cli_talk("%s", f.err.message);
        result = cli_worse(result, CLI_STOPPED);
    }
    rh_walk_destroy(f.walk);
    return result;
}
