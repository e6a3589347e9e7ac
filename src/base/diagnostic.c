// SPDX-License-Identifier: Apache-2.0
// Diagnostics: the list of remarks about a model, and the catalogue of all codes (diagnostics.def).

#include "base/base.h"

#include <stdlib.h>

typedef struct catalogue_row {
    const char *name;
    rh_rank rank;
    const char *title;
    const char *explanation;
} catalogue_row;

static const catalogue_row CATALOGUE[RH_DIAGNOSTIC_COUNT] = {
#define RH_DIAGNOSTIC(code, severity, title, explanation)                                          \
    {#code, RH_RANK_##severity, title, explanation},
#include "base/diagnostics.def"
#undef RH_DIAGNOSTIC
};

rh_span rh__span_join(rh_span first, rh_span last)
{
    RH_ASSERT(last.offset + last.size >= first.offset);
    return (rh_span){first.offset, last.offset + last.size - first.offset};
}

rh_diagnostics rh__diagnostics_begin(rh_arena *arena)
{
    return (rh_diagnostics){.arena = arena};
}

static const char *print_list(rh_arena *arena, const char *format, va_list arguments)
{
    rh_text text = rh__text_begin(arena, NULL);
    rh__text_format_list(&text, format, arguments);
    return text.ok && text.data != NULL ? text.data : "";
}

// An error is worth more than a warning: drop the last remark that is none.
static bool make_room(rh_diagnostics *list)
{
    uint32_t victim = list->remarks.count;
    while (victim > 0 &&
           rh__diagnostic_rank(list->remarks.data[victim - 1].code) == RH_RANK_ERROR) {
        victim--;
    }
    if (victim == 0) {
        return false;
    }
    for (uint32_t k = victim; k < list->remarks.count; k++) {
        list->remarks.data[k - 1] = list->remarks.data[k];
    }
    list->remarks.count--;
    return true;
}

// Count a remark; is there room for it?
static bool admit(rh_diagnostics *list, rh_diagnostic_code code)
{
    const bool is_error = rh__diagnostic_rank(code) == RH_RANK_ERROR;
    list->error_count += is_error;
    list->is_newest_kept = false;
    if (list->remarks.count < RH_DIAGNOSTIC_LIMIT) {
        return true;
    }
    list->dropped++;
    return is_error && make_room(list);
}

static void put(rh_diagnostics *list, const rh_remark *remark)
{
    list->is_newest_kept = rh__array_push(list->arena, &list->remarks, *remark);
    list->dropped += !list->is_newest_kept;
}

void rh__diagnostics_append(rh_diagnostics *list, const rh_diagnostics *other)
{
    for (uint32_t k = 0; k < other->remarks.count; k++) {
        if (admit(list, other->remarks.data[k].code)) {
            put(list, &other->remarks.data[k]);
        }
    }
}

void rh__diagnostics_add(rh_diagnostics *list, rh_diagnostic_code code, rh_span span,
                         const char *format, ...)
{
    if (!admit(list, code)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    const char *message = print_list(list->arena, format, arguments);
    va_end(arguments);
    const rh_remark remark = {.code = code, .span = span, .message = message};
    put(list, &remark);
}

// The remark added last, or NULL when it was dropped.
static rh_remark *newest(rh_diagnostics *list)
{
    return list->is_newest_kept ? &list->remarks.data[list->remarks.count - 1] : NULL;
}

void rh__diagnostics_repair(rh_diagnostics *list, const char *format, ...)
{
    rh_remark *remark = newest(list);
    if (remark != NULL) {
        va_list arguments;
        va_start(arguments, format);
        remark->repair = print_list(list->arena, format, arguments);
        va_end(arguments);
    }
}

void rh__diagnostics_note(rh_diagnostics *list, rh_span span, const char *format, ...)
{
    rh_remark *remark = newest(list);
    if (remark != NULL) {
        va_list arguments;
        va_start(arguments, format);
        remark->note = print_list(list->arena, format, arguments);
        va_end(arguments);
        remark->note_span = span;
    }
}

static bool comes_before(const rh_remark *a, const rh_remark *b)
{
    if (a->span.offset != b->span.offset) {
        return a->span.offset < b->span.offset;
    }
    return rh__diagnostic_rank(a->code) < rh__diagnostic_rank(b->code);
}

// Insertion sort: at most RH_DIAGNOSTIC_LIMIT remarks, and it is stable.
void rh__diagnostics_sort(rh_diagnostics *list)
{
    for (uint32_t i = 1; i < list->remarks.count; i++) {
        const rh_remark remark = list->remarks.data[i];
        uint32_t place = i;
        while (place > 0 && comes_before(&remark, &list->remarks.data[place - 1])) {
            list->remarks.data[place] = list->remarks.data[place - 1];
            place--;
        }
        list->remarks.data[place] = remark;
    }
}

const char *rh__diagnostic_name(rh_diagnostic_code code)
{
    RH_ASSERT(code < RH_DIAGNOSTIC_COUNT);
    return CATALOGUE[code].name;
}

const char *rh__diagnostic_title(rh_diagnostic_code code)
{
    RH_ASSERT(code < RH_DIAGNOSTIC_COUNT);
    return CATALOGUE[code].title;
}

const char *rh__diagnostic_explanation(rh_diagnostic_code code)
{
    RH_ASSERT(code < RH_DIAGNOSTIC_COUNT);
    return CATALOGUE[code].explanation;
}

rh_rank rh__diagnostic_rank(rh_diagnostic_code code)
{
    RH_ASSERT(code < RH_DIAGNOSTIC_COUNT);
    return CATALOGUE[code].rank;
}

rh_diagnostic_code rh__diagnostic_find(rh_slice name)
{
    for (unsigned code = 0; code < RH_DIAGNOSTIC_COUNT; code++) {
        const rh_slice known = rh__slice_of(CATALOGUE[code].name);
        bool is_same = known.size == name.size;
        for (size_t i = 0; is_same && i < name.size; i++) {
            const char c = name.data[i];
            is_same = (c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c) == known.data[i];
        }
        if (is_same) {
            return (rh_diagnostic_code)code;
        }
    }
    return RH_DIAGNOSTIC_COUNT;
}
