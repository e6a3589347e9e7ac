// SPDX-License-Identifier: Apache-2.0
// Single expressions of an emitted text: order 0 of every operation, decisions, and the beginning
// and end of the function.

#include "tape/emit.h"

void rh__emit_phrase(rh_text *out, const char *form, const rh_phrase *words)
{
    for (const char *at = form; *at != '\0'; at++) {
        if (*at != '$') {
            rh__text_put_char(out, *at);
            continue;
        }
        at++;
        RH_ASSERT(*at >= 'A' && *at <= 'z' && words->words[(unsigned char)*at] != NULL);
        rh__text_put(out, words->words[(unsigned char)*at]);
    }
}

static const char *const VALUES[RH_TAPE_CODE_COUNT] = {
    [RH_TAPE_MULTIPLY] = "$a * $b",
    [RH_TAPE_SQUARE] = "$a * $a",
    [RH_TAPE_DIVIDE] = "$a / $b",
    [RH_TAPE_RECIPROCAL] = "1.0 / $a",
    [RH_TAPE_ROOT] = "CALL(sqrt, $a)",
    [RH_TAPE_POWER] = "CALL2(pow, $a, $w)",
    [RH_TAPE_EXP] = "CALL(exp, $a)",
    [RH_TAPE_SINCOS] = "sines($a, &other)",
    [RH_TAPE_SINHCOSH] = "CALL(sinh, $a)",
    [RH_TAPE_TANH] = "CALL(tanh, $a)",
    [RH_TAPE_LOG] = "CALL(log, $a)",
    [RH_TAPE_ASIN] = "CALL(asin, $a)",
    [RH_TAPE_ACOS] = "CALL(acos, $a)",
    [RH_TAPE_ATAN] = "CALL(atan, $a)",
    [RH_TAPE_ANGLE] = "CALL2(atan2, $a, $b)",
    [RH_TAPE_AND] = "CHOICE(($a != 0.0) & ($b != 0.0), K(1.0), K(0.0))",
    [RH_TAPE_OR] = "CHOICE(($a != 0.0) | ($b != 0.0), K(1.0), K(0.0))",
    [RH_TAPE_NOT] = "CHOICE($a == 0.0, K(1.0), K(0.0))",
    [RH_TAPE_WITHIN] = "CHOICE(($a < $w) & ($a > -$w), K(1.0), K(0.0))",
    [RH_TAPE_NEAR] = "CHOICE(($a < $w) & ($a > -$w), K(1.0), K(0.0))",
    [RH_TAPE_CHOOSE] = "CHOICE($a != 0.0, $w * $b, $v * $c)"};

bool rh__emit_has_weight(rh_tape_code code)
{
    return code == RH_TAPE_POWER || code == RH_TAPE_CHOOSE || code == RH_TAPE_WITHIN ||
           code == RH_TAPE_NEAR;
}

const char *rh__emit_value_form(rh_tape_code code, bool is_second)
{
    return !is_second                 ? VALUES[code]
           : code == RH_TAPE_SINCOS   ? "other"
           : code == RH_TAPE_SINHCOSH ? "CALL(cosh, $a)"
                                      : "1.0 - $y * $y";
}

void rh__emit_decision(rh_emission *in, uint32_t index, const char *surface)
{
    const rh_phrase words = {.words = {['a'] = surface}};
    const char *form = NULL;
    switch (in->tape->switches[index].rule) {
    case RH_SWITCH_BELOW:
        form = "CHOICE($a < 0.0, K(1.0), K(0.0))";
        break;
    case RH_SWITCH_NOT_ABOVE:
        form = "CHOICE($a <= 0.0, K(1.0), K(0.0))";
        break;
    case RH_SWITCH_ZERO:
        form = "CHOICE($a == 0.0, K(1.0), K(0.0))";
        break;
    case RH_SWITCH_NOT_BELOW:
        form = "CHOICE($a >= 0.0, K(1.0), K(0.0))";
        break;
    case RH_SWITCH_SIGN:
        form = "CHOICE($a > 0.0, K(1.0), K(0.0)) - CHOICE($a < 0.0, K(1.0), K(0.0))";
        break;
    }
    rh__text_format(in->out, "CHOICE(FORCED(%u) == FORCED(%u), FORCED(%u), ", index, index, index);
    rh__emit_phrase(in->out, form, &words);
    rh__text_put(in->out, ")");
}

void rh__emit_head(rh_emission *in)
{
    rh__text_put(in->out, "unsigned NAME(struct point *p);\n"
                          "unsigned NAME(struct point *p)\n"
                          "{\n"
                          "    V margin = K(1.0);\n"
                          "    V sane = K(0.0);\n"
                          "    V other = K(0.0); /* the cosine of a pair */\n");
}

void rh__emit_tail(rh_emission *in)
{
    rh__text_put(in->out, "#if LANES == 1\n"
                          "    p->margin = margin;\n"
                          "    return !(sane == 0.0);\n"
                          "#else\n"
                          "    unsigned refused = 0;\n"
                          "    LANE {\n"
                          "        p[l].margin = margin[l];\n"
                          "        refused |= (unsigned)!(sane[l] == 0.0) << l;\n"
                          "    }\n"
                          "    return refused;\n"
                          "#endif\n"
                          "}\n");
}
