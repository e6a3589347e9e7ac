// SPDX-License-Identifier: Apache-2.0
// Certificates of models of six kinds, with characters and lines before the model altered at
// random and sealed anew. What still holds says what it said: the same facts, whatever their order,
// their blanks and the zeros around their numbers. Starts lead the finder only, and
// quasi-velocities are the prover's choice: roots and verdict are the same in any.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "proving.h"

#include "certificate/wording.h"

enum { ALTERATIONS = 600, MOST_LINES = 64, ROOM = 8192 };

static bool holds(const char *text)
{
    rh_certificate *certificate = NULL;
    rh_error err = {.message = ""};
    const rh_certificate_def def = rh_certificate_def_default();
    const rh_status status = rh_certificate_check(text, strlen(text), &def, &certificate, &err);
    const bool is_true = status == RH_OK && rh_certificate_holds(certificate);
    rh_certificate_destroy(certificate);
    return is_true;
}

static void seal(char *text)
{
    char digits[RH_WORDING_SEAL];
    char *end = strstr(text, "\nseal ");
    assert_non_null(end);
    end[1] = '\0';
    rh__wording_seal(rh__slice_of(text), digits);
    (void)snprintf(end + 1, 96, "seal        %s\n", digits);
}

// --- facts ---------------------------------------------------------------------------------------

typedef struct facts {
    char text[ROOM]; // lines without blanks, each ended by 0
    const char *line[MOST_LINES];
    size_t count;
} facts;

static bool stands_in(const facts *list, const char *line)
{
    bool stands = false;
    for (size_t k = 0; k < list->count; k++) {
        stands = stands || strcmp(list->line[k], line) == 0;
    }
    return stands;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Numbers without zeros that mean nothing, and without a plus before them.
static void tidy(char *line)
{
    char *to = line;
    for (const char *at = line; *at != '\0';) {
        const size_t whole = strspn(at, "0123456789");
        if (whole == 0 || (to > line && (is_digit(to[-1]) || to[-1] == '.'))) {
            const bool is_plus = *at == '+' && to > line && strchr("+=[,", to[-1]) != NULL;
            *to = *at++;
            to += !is_plus;
            continue;
        }
        const size_t zeros = strspn(at, "0");
        const char *from = at + (zeros < whole ? zeros : whole - 1);
        const size_t part = at[whole] == '.' ? 1 + strspn(at + whole + 1, "0123456789") : 0;
        const char *next = at + whole + part;
        const char *end = next;
        while (part > 0 && (end[-1] == '0' || end[-1] == '.') && end > at + whole) {
            end--;
        }
        memmove(to, from, (size_t)(end - from));
        to += end - from;
        at = next;
    }
    *to = '\0';
}

static void read_facts(const char *text, facts *out)
{
    size_t used = 0;
    *out = (facts){.count = 0};
    while (*text != '|' && *text != '\0') {
        const char *end = strchr(text, '\n');
        char *line = out->text + used;
        assert_non_null(end);
        assert_true(used + (size_t)(end - text) + 1 < ROOM);
        for (; text < end; text++) {
            if (*text != ' ' && *text != '\t' && *text != '\r') {
                out->text[used++] = *text;
            }
        }
        out->text[used++] = '\0';
        text = end + 1;
        tidy(line);
        const bool matters =
            *line != '\0' && strncmp(line, "start", 5) != 0 && strncmp(line, "quasi", 5) != 0;
        if (matters && !stands_in(out, line)) {
            assert_true(out->count < MOST_LINES);
            out->line[out->count++] = line;
        }
    }
}

static bool say_the_same(const char *a, const char *b)
{
    static facts first;
    static facts second;
    read_facts(a, &first);
    read_facts(b, &second);
    bool is_same = first.count == second.count;
    for (size_t k = 0; is_same && k < first.count; k++) {
        is_same = stands_in(&second, first.line[k]);
    }
    return is_same;
}

// --- alterations ---------------------------------------------------------------------------------

static void alter_characters(support_random *random, size_t head, char *text)
{
    static const char LETTERS[] = "0123456789.-+*/^(),= abcdefghlmpqrstwxyz'[]\n";
    const uint32_t count = 1 + support_random_below(random, 2);
    for (uint32_t k = 0; k < count; k++) {
        const size_t at = support_random_below(random, (uint32_t)head);
        const char letter = LETTERS[support_random_below(random, sizeof LETTERS - 1)];
        const uint32_t kind = support_random_below(random, 3);
        if (kind == 0) {
            text[at] = letter;
        } else if (kind == 1) {
            memmove(text + at, text + at + 1, strlen(text + at));
        } else {
            memmove(text + at + 1, text + at, strlen(text + at) + 1);
            text[at] = letter;
        }
    }
}

// A line left out, two exchanged, one doubled elsewhere.
static void alter_lines(support_random *random, const char *from, char *out)
{
    const char *lines[MOST_LINES];
    size_t sizes[MOST_LINES];
    uint32_t count = 0;
    const char *at = from;
    for (; *at != '|'; count++) {
        assert_true(count < MOST_LINES);
        lines[count] = at;
        sizes[count] = (size_t)(strchr(at, '\n') - at) + 1;
        at += sizes[count];
    }
    const uint32_t a = support_random_below(random, count);
    const uint32_t b = support_random_below(random, count);
    const uint32_t kind = support_random_below(random, 3);
    *out = '\0';
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t take = kind == 1 && k == a ? b : kind == 1 && k == b ? a : k;
        (void)strncat(out, lines[take], kind == 0 && k == a ? 0 : sizes[take]);
        (void)strncat(out, lines[b], kind == 2 && k == a ? sizes[b] : 0);
    }
    (void)strcat(out, at);
}

static void alter(const char *name, const char *model, const proving_call *call)
{
    support_random random = support_random_begin(name);
    proving it = proving_begin(model, call);
    assert_true(rh_certificate_holds(it.certificate));
    const char *text = rh_certificate_text(it.certificate);
    const size_t head = (size_t)(strstr(text, "\n|") - text);
    uint32_t refused = 0;
    for (uint32_t n = 0; n < ALTERATIONS; n++) {
        char *copy = calloc(2 * strlen(text) + 256, 1);
        assert_non_null(copy);
        if (n % 3 == 0) {
            alter_lines(&random, text, copy);
        } else {
            (void)strcpy(copy, text);
            alter_characters(&random, head, copy);
        }
        seal(copy);
        const bool is_true = holds(copy);
        refused += !is_true;
        if (is_true && !say_the_same(copy, text)) {
            fail_msg("%s: this holds, and says something else\n%s", name, copy);
        }
        free(copy);
    }
    assert_true(refused > ALTERATIONS / 2);
    proving_end(&it);
}

// --- six kinds ----------------------------------------------------------------------------------

static void a_law_of_first_order(void **state)
{
    (void)state;
    const proving_call call = {.set = {"r=20"}, .guess = {"x=7", "y=7", "z=19"}};
    alter("lorenz",
          "param s = 10, r = 28, b = 8/3\nstate x, y, z\nlaw x' = s*(y - x)\n"
          "law y' = x*(r - z) - y\nlaw z' = x*y - b*z\nstart x = 1, y = 1, z = 1\n",
          &call);
}

static void a_governor(void **state)
{
    (void)state;
    const proving_call call = {.fix = {"ps'=6"}, .guess = {"th=1"}};
    alter("governor",
          "param m = 1, l = 0.5, g = 9.81, h = 0.1, J = 2\ncoord th, ps\n"
          "kinetic m*l^2/2*(th'^2 + sin(th)^2*ps'^2) + J/2*ps'^2\npotential -m*g*l*cos(th)\n"
          "dissipation h/2*th'^2\nstart th = 0.9, ps' = 6\n",
          &call);
}

static void a_vehicle_with_two_axles(void **state)
{
    (void)state;
    const proving_call call = {.fix = {"speed=2", "ph=0"}};
    alter("roller racer",
          "param m = 3, l1 = 0.5, l2 = 0.3, J1 = 0.4, J2 = 0.05, k = 5, h = 0.3\n"
          "coord x, y, th, ph\nkinetic m/2*(x'^2 + y'^2) + J1/2*th'^2 + J2/2*(th' + ph')^2\n"
          "potential k/2*ph^2\ndissipation h/2*ph'^2\n"
          "constraint a: -sin(th)*x' + cos(th)*y' = 0\n"
          "constraint b: -sin(th + ph)*x' + cos(th + ph)*y' + (l1*cos(ph) + l2)*th' + l2*ph' = 0\n"
          "observe speed = cos(th)*x' + sin(th)*y'\nstart x' = 1\n",
          &call);
}

static void a_pendulum_on_a_rod(void **state)
{
    (void)state;
    const proving_call call = {.guess = {"y=-1"}};
    alter("pendulum",
          "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
          "dissipation (x'^2 + y'^2)/10\nconstraint rod: x^2 + y^2 = 1\nstart x = 0.5\n"
          "guess y = -1\n",
          &call);
}

static void gyroscopes_with_damping(void **state)
{
    (void)state;
    const proving_call call = {.set = {"h=0.01"}};
    alter("gyroscope",
          "param G = 3, k = 1, h = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
          "potential -k*(x^2 + y^2)/2\nforce x: G*y' - h*x'\nforce y: -G*x' - h*y'\n",
          &call);
}

static void an_epidemic(void **state)
{
    (void)state;
    const proving_call call = {.set = {"d=0.1"}, .fix = {"N=1"}};
    alter("epidemic",
          "param b = 0.5, g = 0.2, d = 0.3\nstate S, I, R\nlaw S' = -b*S*I + d*R\n"
          "law I' = b*S*I - g*I\nlaw R' = g*I - d*R\nobserve N = S + I + R\n"
          "start S = 0.4, I = 0.2, R = 0.4\n",
          &call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_of_first_order),     cmocka_unit_test(a_governor),
        cmocka_unit_test(a_vehicle_with_two_axles), cmocka_unit_test(a_pendulum_on_a_rod),
        cmocka_unit_test(gyroscopes_with_damping),  cmocka_unit_test(an_epidemic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
