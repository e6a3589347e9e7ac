// SPDX-License-Identifier: Apache-2.0
// Statements, one rule each. A rule is called with the cursor behind the statement's word and fills
// the node that begins there; the end of the line is checked by whoever called.

#include "syntax/parser.h"

// model = "model" STRING
void rh__parser_model(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_MODEL);
    rh__parser_append(p, node, rh__parser_string(p, "the title"));
}

static rh_slice unescaped(rh_parser *p, rh_slice text)
{
    char *copy = rh__slice_copy(p->tree->arena, text);
    if (copy == NULL) {
        return (rh_slice){text.data, 0};
    }
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        const bool is_escape = text.data[i] == '\\' && i + 1 < text.size &&
                               (text.data[i + 1] == '"' || text.data[i + 1] == '\\');
        i += is_escape;
        copy[size++] = text.data[i];
    }
    return (rh_slice){copy, size};
}

// STRING; of a flawed one whatever can be had
rh_ast rh__parser_string(rh_parser *p, const char *what)
{
    const rh_token token = rh__parser_peek(p);
    if (token.kind != RH_TOKEN_STRING) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E055, rh__parser_found(p), p->form,
                        "expected %s in double quotes, found %s", what, rh__parser_show(p, token));
        return (rh_ast){0};
    }
    const rh_ast node = rh__parser_begin(p, RH_AST_STRING);
    rh_slice text = rh__token_text(p->lexer, token);
    if ((token.flags & RH_TOKEN_FLAWED) != 0) {
        text = rh__slice_of("");
    } else {
        RH_ASSERT(text.size >= 2);
        text = unescaped(p, (rh_slice){text.data + 1, text.size - 2});
    }
    rh__parser_set_text(p, node, text);
    rh__parser_advance(p);
    return rh__parser_close(p, node);
}

// The `=` between two sides.
void rh__parser_equal(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    if (token.kind == RH_TOKEN_SAME) {
        rh__parser_report(p, RH_DIAGNOSTIC_E045, token.span, "=",
                          "found `==`, expected `=`; `==` compares inside an `if`");
        rh__parser_advance(p);
    } else if (!rh__parser_accept(p, RH_TOKEN_EQUAL)) {
        const bool is_relation =
            token.kind >= RH_TOKEN_UNEQUAL && token.kind <= RH_TOKEN_GREATER_EQUAL;
        rh__parser_fail(p, RH_DIAGNOSTIC_E044, is_relation ? token.span : rh__parser_gap(p),
                        p->form, "expected `=`, found %s", rh__parser_show(p, token));
    }
}

// Does another item follow? A name without a comma before it is a slip.
static bool goes_on(rh_parser *p)
{
    const rh_token token = rh__parser_peek(p);
    if (token.kind == RH_TOKEN_NAME && !p->is_panicking) {
        const rh_slice word = rh__token_text(p->lexer, token);
        if (!rh__word_is_reserved(word)) {
            rh__parser_fail(p, RH_DIAGNOSTIC_E060, rh__parser_gap(p),
                            rh__text_print(p->scratch, ", %.*s", RH_SLICE_FORMAT(word)),
                            "expected `,` before the next name, found %s",
                            rh__parser_show(p, token));
        }
    }
    return rh__parser_accept(p, RH_TOKEN_COMMA);
}

// param = "param" declare "=" expression { "," declare "=" expression }
void rh__parser_param(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_PARAM);
    p->has_commas = true;
    do {
        const rh_ast name = rh__parser_declare(p, "a parameter");
        rh__parser_equal(p);
        const rh_ast value = rh__parser_expression(p);
        rh__parser_append(p, node, name);
        rh__parser_append(p, node, value);
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
}

static void declarations(rh_parser *p, rh_ast node, const char *what)
{
    do {
        rh__parser_append(p, node, rh__parser_declare(p, what));
        if (rh__parser_at(p, RH_TOKEN_EQUAL)) {
            rh__parser_fail(p, RH_DIAGNOSTIC_E019, rh__parser_peek(p).span,
                            "start NAME = VALUE, on a line of its own",
                            "a declaration gives no value, found `=`");
        }
    } while (goes_on(p));
}

// coord = "coord" declare { "," declare }
void rh__parser_coord(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_COORD);
    declarations(p, node, "a coordinate");
}

// state = "state" declare { "," declare }
void rh__parser_state(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_STATE);
    declarations(p, node, "a state");
}

// function = NAME "(" NAME { "," NAME } ")"
static void function(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_FUNCTION);
    rh__parser_append(p, node, rh__parser_declared_name(p, "a function"));
    rh__parser_advance(p);
    do {
        rh__parser_append(p, node, rh__parser_declared_name(p, "an argument"));
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
    (void)rh__parser_expect(p, RH_TOKEN_CLOSE_ROUND, "or `,` after the argument");
}

// let = "let" ( NAME | NAME indices | function ) "=" expression
void rh__parser_let(rh_parser *p, rh_ast node)
{
    if (rh__parser_peek_second(p).kind == RH_TOKEN_OPEN_ROUND) {
        function(p, node);
    } else {
        rh__parser_set_kind(p, node, RH_AST_LET);
        rh__parser_append(p, node, rh__parser_cname(p, "a `let`"));
    }
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
}

static void energy(rh_parser *p, rh_ast node, rh_ast_kind kind)
{
    rh__parser_set_kind(p, node, kind);
    if (rh__parser_accept(p, RH_TOKEN_EQUAL)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E019, rh__parser_last(p).span, p->form,
                        "an energy is written without `=`");
    }
    rh__parser_append(p, node, rh__parser_expression(p));
}

// kinetic = "kinetic" expression
void rh__parser_kinetic(rh_parser *p, rh_ast node)
{
    energy(p, node, RH_AST_KINETIC);
}

// potential = "potential" expression
void rh__parser_potential(rh_parser *p, rh_ast node)
{
    energy(p, node, RH_AST_POTENTIAL);
}

// dissipation = "dissipation" expression
void rh__parser_dissipation(rh_parser *p, rh_ast node)
{
    energy(p, node, RH_AST_DISSIPATION);
}

// lagrangian = "lagrangian" expression
void rh__parser_lagrangian(rh_parser *p, rh_ast node)
{
    energy(p, node, RH_AST_LAGRANGIAN);
}

// The `:` behind what a force acts on.
static void force_colon(rh_parser *p, const char *where)
{
    if (!rh__parser_accept(p, RH_TOKEN_COLON)) {
        const bool is_equal = rh__parser_at(p, RH_TOKEN_EQUAL);
        rh__parser_fail(p, RH_DIAGNOSTIC_E043, is_equal ? rh__parser_found(p) : rh__parser_gap(p),
                        p->form, "expected `:` %s, found %s", where,
                        rh__parser_show(p, rh__parser_peek(p)));
    }
}

// force = "force" target ":" expression | "force" "at" expression ":" expression
void rh__parser_force(rh_parser *p, rh_ast node)
{
    const bool is_at =
        rh__parser_at_word(p, "at") && rh__parser_peek_second(p).kind != RH_TOKEN_COLON;
    rh__parser_set_kind(p, node, is_at ? RH_AST_FORCE_AT : RH_AST_FORCE);
    if (is_at) {
        rh__parser_advance(p);
        rh__parser_append(p, node, rh__parser_expression(p));
        force_colon(p, "after the point of the force");
    } else {
        rh__parser_append(p, node, rh__parser_target(p));
        force_colon(p, "after the coordinate");
    }
    rh__parser_append(p, node, rh__parser_expression(p));
}

// torque = "torque" "on" expression ":" expression
void rh__parser_torque(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_TORQUE);
    (void)rh__parser_expect_word(p, "on", "after `torque`");
    rh__parser_append(p, node, rh__parser_expression(p));
    force_colon(p, "after the rotation");
    rh__parser_append(p, node, rh__parser_expression(p));
}

// input = "input" NAME ( "=" expression | "from" STRING )
void rh__parser_input(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_INPUT);
    rh__parser_append(p, node, rh__parser_declared_name(p, "an input"));
    if (rh__parser_accept_word(p, "from")) {
        rh__parser_append(p, node, rh__parser_string(p, "the name of a file"));
        return;
    }
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
}

// law = "law" expression "=" expression
void rh__parser_law(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_LAW);
    rh__parser_append(p, node, rh__parser_expression(p));
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
}

// quasi = "quasi" NAME [ indices ] "=" expression
void rh__parser_quasi(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_QUASI);
    rh__parser_append(p, node, rh__parser_cname(p, "a quasi-velocity"));
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
}

// select = "select" target { "," target }
void rh__parser_select(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_SELECT);
    do {
        rh__parser_append(p, node, rh__parser_target(p));
    } while (goes_on(p));
}

// pair = "pair" target "," target
void rh__parser_pair(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_PAIR);
    rh__parser_append(p, node, rh__parser_target(p));
    if (!goes_on(p)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E060, rh__parser_gap(p), p->form,
                        "expected `,` and the momentum of the pair, found %s",
                        rh__parser_show(p, rh__parser_peek(p)));
    }
    rh__parser_append(p, node, rh__parser_target(p));
}

// setting = place "=" expression
rh_ast rh__parser_setting(rh_parser *p)
{
    const rh_ast node = rh__parser_begin(p, RH_AST_SETTING);
    rh__parser_append(p, node, rh__parser_place(p));
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
    return rh__parser_close(p, node);
}

// settings = setting { "," setting }
void rh__parser_settings(rh_parser *p, rh_ast list)
{
    p->has_commas = true;
    do {
        rh__parser_append(p, list, rh__parser_setting(p));
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
}

// start = "start" settings
void rh__parser_start(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_START);
    rh__parser_settings(p, node);
}

// guess = "guess" settings
void rh__parser_guess(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_GUESS);
    rh__parser_settings(p, node);
}

// scale = "scale" settings
void rh__parser_scale(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_SCALE);
    rh__parser_settings(p, node);
}

// replacement = NAME "=" expression
// restoration = target "=" expression
static rh_ast replacement(rh_parser *p, bool is_new)
{
    static const char *const FOLLOWERS[] = {"inverse", NULL};
    const rh_ast node = rh__parser_begin(p, RH_AST_SETTING);
    rh__parser_append(
        p, node, is_new ? rh__parser_declared_name(p, "a new variable") : rh__parser_target(p));
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression_before(p, FOLLOWERS));
    return rh__parser_close(p, node);
}

// change = "change" replacement { "," replacement } "inverse" restoration { "," restoration }
void rh__parser_change(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_CHANGE);
    p->has_commas = true;
    do {
        rh__parser_append(p, node, replacement(p, true));
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
    const rh_ast inverse = rh__parser_begin(p, RH_AST_INVERSE);
    (void)rh__parser_expect_word(p, "inverse", "and the way back after the new variables");
    do {
        rh__parser_append(p, inverse, replacement(p, false));
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
    rh__parser_append(p, node, rh__parser_close(p, inverse));
}

// construct = "construct" [ "tangent" expression [ "with" expression { "," expression } ] ]
void rh__parser_construct(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_CONSTRUCT);
    if (!rh__parser_accept_word(p, "tangent")) {
        return;
    }
    rh__parser_append(p, node, rh__parser_expression(p));
    if (!rh__parser_accept_word(p, "with")) {
        return;
    }
    do {
        rh__parser_append(p, node, rh__parser_expression(p));
    } while (rh__parser_accept(p, RH_TOKEN_COMMA));
}

// observe = "observe" NAME [ "=" expression ]
void rh__parser_observe(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_OBSERVE);
    const bool is_new = rh__parser_peek_second(p).kind == RH_TOKEN_EQUAL;
    rh__parser_append(p, node,
                      is_new ? rh__parser_declared_name(p, "a column") : rh__parser_name(p));
    const rh_token next = rh__parser_peek(p);
    if (next.kind == RH_TOKEN_NEWLINE || next.kind == RH_TOKEN_END) {
        return;
    }
    if (next.kind != RH_TOKEN_EQUAL && next.kind != RH_TOKEN_SAME) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E044, rh__parser_gap(p), "observe NAME = EXPRESSION",
                        "expected `=` or the end of the line, found %s; an expression needs a name",
                        rh__parser_show(p, next));
    }
    rh__parser_equal(p);
    rh__parser_append(p, node, rh__parser_expression(p));
}

// disc = "disc" "centre" expression "normal" expression "radius" expression
static void disc(rh_parser *p, rh_ast node)
{
    static const char *const NORMAL[] = {"normal", NULL};
    static const char *const RADIUS[] = {"radius", NULL};
    (void)rh__parser_expect_word(p, "centre", "after `disc`");
    rh__parser_append(p, node, rh__parser_expression_before(p, NORMAL));
    (void)rh__parser_expect_word(p, "normal", "after the centre");
    rh__parser_append(p, node, rh__parser_expression_before(p, RADIUS));
    (void)rh__parser_expect_word(p, "radius", "after the normal");
    rh__parser_append(p, node, rh__parser_expression(p));
}

static void fail_shape(rh_parser *p)
{
    static const char *const SHAPES[] = {"point", "line", "disc", NULL};
    const rh_token token = rh__parser_peek(p);
    const rh_slice nearest = token.kind == RH_TOKEN_NAME
                                 ? rh__word_nearest(rh__token_text(p->lexer, token), SHAPES)
                                 : (rh_slice){NULL, 0};
    rh__parser_fail(
        p, RH_DIAGNOSTIC_E056, token.span,
        nearest.size > 0 ? rh__text_print(p->scratch, "%.*s", RH_SLICE_FORMAT(nearest)) : p->form,
        "expected `point`, `line` or `disc` after `draw`, found %s", rh__parser_show(p, token));
}

// draw = "draw" ( "point" expression | "line" expression "to" expression | disc )
void rh__parser_draw(rh_parser *p, rh_ast node)
{
    static const char *const TO[] = {"to", NULL};
    if (rh__parser_accept_word(p, "point")) {
        rh__parser_set_kind(p, node, RH_AST_DRAW_POINT);
        p->form = "draw point VECTOR";
        rh__parser_append(p, node, rh__parser_expression(p));
    } else if (rh__parser_accept_word(p, "line")) {
        rh__parser_set_kind(p, node, RH_AST_DRAW_LINE);
        p->form = "draw line VECTOR to VECTOR";
        rh__parser_append(p, node, rh__parser_expression_before(p, TO));
        (void)rh__parser_expect_word(p, "to", "and the other end of the line");
        rh__parser_append(p, node, rh__parser_expression(p));
    } else if (rh__parser_accept_word(p, "disc")) {
        rh__parser_set_kind(p, node, RH_AST_DRAW_DISC);
        p->form = "draw disc centre VECTOR normal VECTOR radius EXPRESSION";
        disc(p, node);
    } else {
        fail_shape(p);
    }
}

// The body of a loop; arrays are declared by ranges, and a model has one title.
static rh_ast loop_body(rh_parser *p)
{
    static const char *const OUTSIDE[] = {"model", "coord", "state", NULL};
    const rh_token token = rh__parser_peek(p);
    if (token.kind == RH_TOKEN_NEWLINE || token.kind == RH_TOKEN_END) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E052, rh__parser_gap(p), p->form,
                        "expected a statement after the `:` of `for`, found %s",
                        rh__parser_show(p, token));
    }
    const rh_slice word = rh__token_text(p->lexer, token);
    if (token.kind == RH_TOKEN_NAME && rh__word_is_one_of(word, OUTSIDE)) {
        rh__parser_fail(p, RH_DIAGNOSTIC_E053, token.span, "coord NAME[1..N], without `for`",
                        "`%.*s` cannot stand inside a `for`", RH_SLICE_FORMAT(word));
    }
    return rh__parser_statement(p);
}

// for = "for" NAME "in" range ":" statement
void rh__parser_for(rh_parser *p, rh_ast node)
{
    rh__parser_set_kind(p, node, RH_AST_FOR);
    if (rh__parser_enter(p)) {
        rh__parser_append(p, node, rh__parser_declared_name(p, "an index"));
        (void)rh__parser_expect_word(p, "in", "after the index");
        p->followers = rh__statement_words(); // a forgotten colon is no forgotten operator
        rh__parser_append(p, node, rh__parser_range(p));
        p->followers = NULL;
        if (!rh__parser_accept(p, RH_TOKEN_COLON)) {
            const rh_token token = rh__parser_peek(p);
            const bool is_end = token.kind == RH_TOKEN_NEWLINE || token.kind == RH_TOKEN_END;
            rh__parser_fail(p, is_end ? RH_DIAGNOSTIC_E052 : RH_DIAGNOSTIC_E043, rh__parser_gap(p),
                            p->form, "expected `:` and a statement after the range, found %s",
                            rh__parser_show(p, token));
        }
        rh__parser_append(p, node, loop_body(p));
    }
    rh__parser_leave(p);
}
