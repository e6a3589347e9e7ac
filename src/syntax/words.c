// SPDX-License-Identifier: Apache-2.0
// Words of the language: which are reserved, which begin a statement, which are functions.

#include "syntax/parser.h"

static const char *const FUNCTIONS[] = {
    "sin",  "cos",       "tan",  "asin", "acos", "atan", "atan2", "sinh", "cosh",  "tanh",
    "exp",  "log",       "sqrt", "abs",  "sign", "min",  "max",   "dot",  "cross", "norm",
    "diag", "transpose", "rotx", "roty", "rotz", "spin", "if",    "sum",  NULL,
};

static const char *const RESERVED[] = {
    "t",      "pi", "lambda",   "dev", "const", "by",  "with",
    "impact", "in", "friction", "and", "or",    "not", NULL,
};

static const char *const STATEMENTS[] = {
#define RH_STATEMENT_WORD(word, form) #word,
    RH_STATEMENT_LIST(RH_STATEMENT_WORD)
#undef RH_STATEMENT_WORD
        NULL,
};

bool rh__word_is_one_of(rh_slice word, const char *const *list)
{
    if (word.size == 0) {
        return false;
    }
    for (; *list != NULL; list++) {
        if ((*list)[0] == word.data[0] && rh__slice_is(word, *list)) {
            return true;
        }
    }
    return false;
}

bool rh__word_is_function(rh_slice word)
{
    return rh__word_is_one_of(word, FUNCTIONS);
}

bool rh__word_is_reserved(rh_slice word)
{
    return rh__word_is_one_of(word, RESERVED) || rh__word_is_function(word);
}

bool rh__word_is_statement(rh_slice word)
{
    return rh__word_is_one_of(word, STATEMENTS);
}

const char *const *rh__function_words(void)
{
    return FUNCTIONS;
}

const char *const *rh__statement_words(void)
{
    return STATEMENTS;
}

rh_slice rh__word_nearest(rh_slice wanted, const char *const *list)
{
    rh_nearest nearest = rh__nearest_begin(wanted);
    for (; *list != NULL; list++) {
        rh__nearest_offer(&nearest, rh__slice_of(*list));
    }
    return nearest.best;
}
