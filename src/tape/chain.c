// SPDX-License-Identifier: Apache-2.0
// Statements of a text in straight lines; see chain.h.

#include "tape/chain.h"

#include <math.h>
#include <stdio.h>

// The digits of a number; where they end.
static char *put_digits(char *at, uint32_t value)
{
    char digits[12];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

// Texts have tens of thousands of names: printf would take most of the time.
rh_label rh__label_name(char letter, uint32_t index, uint32_t k)
{
    rh_label made;
    made.text[0] = letter;
    char *at = put_digits(made.text + 1, index);
    *at++ = '_';
    *put_digits(at, k) = '\0';
    return made;
}

rh_label rh__label_coefficient(uint32_t slot, uint32_t k)
{
    return rh__label_name('s', slot, k);
}

bool *rh__chain_zero(const rh_emission *in, uint32_t slot, uint32_t k)
{
    RH_ASSERT(slot < in->tape->slot_count);
    return &in->is_zero[(size_t)k * in->tape->slot_count + slot];
}

rh_chain rh__chain_begin(rh_emission *in, char letter, uint32_t index, uint32_t k)
{
    return (rh_chain){.in = in, .letter = letter, .index = index, .k = k};
}

// "V s5_2 = " the first time, "s5_2 = " afterwards.
void rh__chain_open(rh_chain *c)
{
    rh__text_format(c->in->out, "    %s%c%u_%u = ", c->is_begun ? "" : "V ", c->letter, c->index,
                    c->k);
    rh__emit_count(c->in, 1);
}

void rh__chain_plain(rh_chain *c, int sign, rh_label a)
{
    rh__chain_open(c);
    if (c->is_begun) {
        rh__text_format(c->in->out, "%c%u_%u %c %s;\n", c->letter, c->index, c->k,
                        sign < 0 ? '-' : '+', a.text);
    } else {
        rh__text_format(c->in->out, "%s%s;\n", sign < 0 ? "0.0 - " : "", a.text);
    }
    c->is_begun = true;
}

// A minus is never put before what may have been fused and is used once: compilers turn it into an
// operation of its own there, with another sign of zero, for some numbers of lanes and not for
// others. Here `a` is a weight, a number, or of order 0.
void rh__chain_product(rh_chain *c, int sign, rh_label a, rh_label b)
{
    RH_ASSERT(sign == 1 || sign == -1);
    const char *minus = sign < 0 ? "-" : "";
    rh__chain_open(c);
    if (c->is_begun) {
        rh__text_format(c->in->out, "F(%s%s, %s, %c%u_%u);\n", minus, a.text, b.text, c->letter,
                        c->index, c->k);
    } else {
        rh__text_format(c->in->out, "%s%s * %s;\n", minus, a.text, b.text);
    }
    c->is_begun = true;
}

// The sum times a word.
void rh__chain_scale(rh_chain *c, int sign, rh_label a)
{
    if (c->is_begun) {
        rh__chain_open(c);
        rh__text_format(c->in->out, "%c%u_%u * %s%s;\n", c->letter, c->index, c->k,
                        sign < 0 ? "-" : "", a.text);
    }
}

rh_label rh__label_number(double value)
{
    rh_label made;
    (void)rh__text_fill(made.text, sizeof made.text, "K(%.17g%s)", value,
                        value == floor(value) && fabs(value) < 1e15 ? ".0" : "");
    return made;
}

rh_label rh__label_weight(const rh_emission *in, uint32_t weight)
{
    const double literal = rh__emit_literal(in, weight);
    rh_label made;
    if (literal == literal) {
        return rh__label_number(literal);
    }
    (void)rh__text_fill(made.text, sizeof made.text, "w%u", weight);
    return made;
}

// weight * coefficient; nothing where either is zero.
void rh__chain_weighted(rh_chain *c, int sign, uint32_t weight, uint32_t slot, uint32_t k)
{
    RH_ASSERT(sign == 1 || sign == -1);
    const double literal = rh__emit_literal(c->in, weight);
    if (literal == 0.0 || *rh__chain_zero(c->in, slot, k)) {
        return;
    }
    if (fabs(literal) == 1.0) {
        rh__chain_plain(c, literal < 0.0 ? -sign : sign, rh__label_coefficient(slot, k));
    } else {
        rh__chain_product(c, sign, rh__label_weight(c->in, weight), rh__label_coefficient(slot, k));
    }
}

// coefficient i of a times coefficient j of b
void rh__chain_pair(rh_chain *c, int sign, uint32_t a, uint32_t i, uint32_t b, uint32_t j)
{
    if (!*rh__chain_zero(c->in, a, i) && !*rh__chain_zero(c->in, b, j)) {
        const bool is_left = i <= j;
        rh__chain_product(c, sign,
                          is_left ? rh__label_coefficient(a, i) : rh__label_coefficient(b, j),
                          is_left ? rh__label_coefficient(b, j) : rh__label_coefficient(a, i));
    }
}

// --- finished coefficients ---------------------------------------------------------------------

// A coefficient is there: give it to those who read it.
void rh__chain_publish(rh_emission *in, uint32_t slot, uint32_t k)
{
    const bool is_zero = *rh__chain_zero(in, slot, k);
    if (in->is_visible[slot]) {
        rh__text_format(in->out, "    OUT(%u, %u, %s);\n", k, slot,
                        is_zero ? "K(0.0)" : rh__label_coefficient(slot, k).text);
    }
    if (in->has_double[slot] && k > 1 && !is_zero && k + 1 < in->order) {
        rh__text_format(in->out, "    const V d%u_%u = K(%u.0) * s%u_%u;\n", slot, k, k, slot, k);
    }
}

void rh__chain_finish(rh_chain *c)
{
    if (!c->is_begun && c->k == 0) {
        rh__chain_plain(c, 1, rh__label_number(0.0));
    }
    *rh__chain_zero(c->in, c->index, c->k) = !c->is_begun;
    rh__chain_publish(c->in, c->index, c->k);
}
