// SPDX-License-Identifier: Apache-2.0
// Tests of src/model/tensor.c and of the vector functions of calls.c: vectors, matrices, rotations
// and spin, as values against formulas in C at random points.

#include "subject.h"

enum { ROUNDS = 5 };

static subject begin(const char *text, support_random *random)
{
    return (subject){.text = text, .where = random_point(random)};
}

// --- vectors and matrices ------------------------------------------------------------------------

static void vectors_add_and_scale(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const char *const text = "param k = 2\ncoord x, y, z\nlet p = [x, y, z]\nlet q = [1, y^2, -z]\n"
                             "let five = [x, 2, y, 4, z]\n";
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(text, &random);
        const double k = here(&on, "k");
        const double x = here(&on, "x"), y = here(&on, "y"), z = here(&on, "z");
        expect_vector(&on, "p + q", x + 1.0, y + y * y, 0.0);
        expect_vector(&on, "p - 2*q", x - 2.0, y - 2.0 * y * y, 3.0 * z);
        expect_vector(&on, "-p*k/x", -k, -k * y / x, -k * z / x);
        expect_vector(&on, "k*(p + q)*x", k * x * (x + 1.0), k * x * (y + y * y), 0.0);
        expect(&on, "p.x + 10*p.y + 100*p.z", x + 10.0 * y + 100.0 * z);
        expect(&on, "p[1] + 10*p[2] + 100*p[3]", x + 10.0 * y + 100.0 * z);
        expect(&on, "five[5] - five[4]", z - 4.0);
        expect(&on, "(p + q).y", y + y * y);
        expect(&on, "[x, y].y", y);
        expect(&on, "dot(p, q)", x + y * y * y - z * z);
        expect(&on, "dot([x, y], [3, 4])", 3.0 * x + 4.0 * y);
        expect(&on, "norm(p)", sqrt(x * x + y * y + z * z));
        expect(&on, "norm([3, 4])*x", 5.0 * x);
        expect_vector(&on, "cross(p, q)", -y * z - z * y * y, z + x * z, x * y * y - y);
        expect(&on, "dot(p, cross(p, q))", 0.0);
        expect_vector(&on, "p'", here(&on, "x'"), here(&on, "y'"), here(&on, "z'"));
        expect_vector(&on, "[x*y, x^2]''",
                      here(&on, "x''") * y + 2.0 * here(&on, "x'") * here(&on, "y'") +
                          x * here(&on, "y''"),
                      2.0 * (here(&on, "x'") * here(&on, "x'") + x * here(&on, "x''")));
        expect(&on, "dot(p', p)",
               (x * here(&on, "x'") + y * here(&on, "y'") + z * here(&on, "z'")));
        expect(&on, "norm(p)'",
               (x * here(&on, "x'") + y * here(&on, "y'") + z * here(&on, "z'")) /
                   sqrt(x * x + y * y + z * z));
    }
}

static void matrices_multiply(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const char *const text = "param a = 2, b = 3\ncoord x, y\nlet p = [x, y]\n"
                             "let A = [[a, b], [x, y]]\nlet W = [[1, 2, 3], [4, 5, 6]]\n";
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(text, &random);
        const double a = here(&on, "a"), b = here(&on, "b");
        const double x = here(&on, "x"), y = here(&on, "y");
        expect_vector(&on, "A", a, b, x, y);
        expect_vector(&on, "A*p", a * x + b * y, x * x + y * y);
        expect_vector(&on, "A*A", a * a + b * x, a * b + b * y, x * a + y * x, x * b + y * y);
        expect_vector(&on, "transpose(A)", a, x, b, y);
        expect_vector(&on, "transpose(W)", 1.0, 4.0, 2.0, 5.0, 3.0, 6.0);
        expect_vector(&on, "W*[x, y, 1]", x + 2.0 * y + 3.0, 4.0 * x + 5.0 * y + 6.0);
        expect_vector(&on, "A*W", a + 4 * b, 2 * a + 5 * b, 3 * a + 6 * b, x + 4 * y, 2 * x + 5 * y,
                      3 * x + 6 * y);
        expect_vector(&on, "2*A - transpose(A)*b", 2 * a - a * b, 2 * b - x * b, 2 * x - b * b,
                      2 * y - y * b);
        expect(&on, "A[1,2] + 10*A[2,1] + 100*W[2,3]", b + 10.0 * x + 600.0);
        expect_vector(&on, "diag(a, x)", a, 0.0, 0.0, x);
        expect_vector(&on, "diag(p)*p", x * x, y * y);
        expect_vector(&on, "diag(1, 2, 3)*[x, y, a]", x, 2.0 * y, 3.0 * a);
        expect_vector(&on, "A'", 0.0, 0.0, here(&on, "x'"), here(&on, "y'"));
        expect_vector(&on, "(A*p)'", a * here(&on, "x'") + b * here(&on, "y'"),
                      2.0 * (x * here(&on, "x'") + y * here(&on, "y'")));
        // products are read from the left, a number may stand anywhere
        expect_vector(&on, "A*2*A*p/a", 2 * (a * (a * x + b * y) + b * (x * x + y * y)) / a,
                      2 * (x * (a * x + b * y) + y * (x * x + y * y)) / a);
    }
}

static void wrong_shapes_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[][2] = {
        {"[1, 2] + [1, 2, 3]", "E200"},
        {"[1, 2]*[3, 4]", "E202"},
        {"1/[1, 2]", "E201"},
        {"[1, 2] + 1", "E200"},
        {"cross([1, 2], [3, 4])", "E200"},
        {"dot([1, 2], [1, 2, 3])", "E200"},
        {"[1, 2].z", "E208"},
        {"[1, 2, 3, 4].x", "E208"},
        {"[[1, 2], [3]]", "E200"},
        {"[1, 2]*[[1, 0], [0, 1]]", "E202"},
        {"sin([1, 2])", "E201"},
        {"[1, 2]^2", "E201"},
        {"transpose([1, 2])", "E200"},
        {"norm(3)", "E200"},
        {"spin([[1, 0], [0, 1]])", "E207"},
        {"spin(diag(1, 2, 3))", "E207"},
        {"spin(2*rotz(x))", "E207"},
        {"rotx([1, 2])", "E201"},
    };
    for (size_t k = 0; k < sizeof WRONG / sizeof *WRONG; k++) {
        char text[256];
        (void)snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\nobserve y = %s\n", WRONG[k][0]);
        refuse(text, WRONG[k][1]);
    }
    refuse("coord x\nkinetic x'^2/2\nlet v = [x, 2]\nobserve y = v[3]\n", "E102");
    refuse("coord x\nkinetic x'^2/2\nlet v = [x, 2]\nobserve y = v[1,1]\n", "E103");
}

// --- rotations -----------------------------------------------------------------------------------

static void rotations_are_active(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin("coord a, b, x, y, z\nlet p = [x, y, z]\n", &random);
        const double c = cos(here(&on, "a")), s = sin(here(&on, "a"));
        const double cb = cos(here(&on, "b")), sb = sin(here(&on, "b"));
        const double x = here(&on, "x"), y = here(&on, "y"), z = here(&on, "z");
        expect_vector(&on, "rotz(a)*p", c * x - s * y, s * x + c * y, z);
        expect_vector(&on, "rotx(a)*p", x, c * y - s * z, s * y + c * z);
        expect_vector(&on, "roty(a)*p", s * z + c * x, y, c * z - s * x);
        expect_vector(&on, "rotz(a)*rotx(b)*[1, 0, 0]", c, s, 0.0);
        expect_vector(&on, "rotz(a)*rotx(b)*[0, 1, 0]", -s * cb, c * cb, sb);
        expect_vector(&on, "transpose(rotz(a))*p", c * x + s * y, -s * x + c * y, z);
        expect_vector(&on, "rotz(-a)*p - transpose(rotz(a))*p", 0.0, 0.0, 0.0);
        expect_vector(&on, "roty(a)*roty(b)*p - roty(a + b)*p", 0.0, 0.0, 0.0);
        expect_vector(&on, "rotz(pi/2)*[x, y, z]", -y, x, z);
        expect_vector(&on, "rotz(a)'*p", here(&on, "a'") * (-s * x - c * y),
                      here(&on, "a'") * (c * x - s * y), 0.0);
    }
}

// The formulas of the rattleback: R = Rz(ps) Rx(al) Ry(be), body components of the spin and of the
// vertical.
static void spin_is_the_body_angular_velocity(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin("coord al, be, ps, x\nlet R = rotz(ps)*rotx(al)*roty(be)\n"
                                 "let S = R*diag(1, 1, 1)\n",
                                 &random);
        const double al = here(&on, "al"), be = here(&on, "be");
        const double dal = here(&on, "al'"), dbe = here(&on, "be'"), dps = here(&on, "ps'");
        const double w1 = cos(be) * dal - cos(al) * sin(be) * dps;
        const double w2 = dbe + sin(al) * dps;
        const double w3 = sin(be) * dal + cos(al) * cos(be) * dps;
        expect_vector(&on, "spin(R)", w1, w2, w3);
        expect_vector(&on, "spin(S)", w1, w2, w3);
        expect_vector(&on, "transpose(R)*[0, 0, 1]", -cos(al) * sin(be), sin(al),
                      cos(al) * cos(be));
        // space components: R*spin(R), and spin of the transpose is their negative
        expect_vector(&on, "spin(transpose(R)) + R*spin(R)", 0.0, 0.0, 0.0);
        expect_vector(&on, "spin(transpose(transpose(R))) - spin(R)", 0.0, 0.0, 0.0);
        // R' p = R (spin x p)
        expect_vector(&on, "R'*[1, 2, 3] - R*cross(spin(R), [1, 2, 3])", 0.0, 0.0, 0.0);
        // products: spin(A*B) = transpose(B)*spin(A) + spin(B)
        expect_vector(&on, "spin(R*rotx(x)) - transpose(rotx(x))*spin(R) - spin(rotx(x))", 0.0, 0.0,
                      0.0);
        expect_vector(&on, "spin(rotz(3/2))", 0.0, 0.0, 0.0);
    }
}

// The same rotation written out as a matrix, or through a unit quaternion made of angles.
static void spin_of_a_written_matrix(void **state)
{
    (void)state;
    support_random random = support_random_begin(__func__);
    const char *const text =
        "coord a, b\n"
        "let L = [[cos(a), -sin(a)*cos(b), sin(a)*sin(b)], [sin(a), cos(a)*cos(b), -cos(a)*sin(b)],"
        " [0, sin(b), cos(b)]]\n"
        "let R = rotz(a)*rotx(b)\n"
        "let F = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]\n"
        "let n = [cos(a), sin(a), 0]\nlet K = [[0, -n.z, n.y], [n.z, 0, -n.x], [-n.y, n.x, 0]]\n"
        "let Q = diag(1, 1, 1) + sin(b)*K + (1 - cos(b))*K*K\n";
    for (int round = 0; round < ROUNDS; round++) {
        const subject on = begin(text, &random);
        const double a = here(&on, "a"), b = here(&on, "b");
        const double da = here(&on, "a'"), db = here(&on, "b'");
        expect_vector(&on, "L - R", 0, 0, 0, 0, 0, 0, 0, 0, 0);
        expect_vector(&on, "spin(L)", db, sin(b) * da, cos(b) * da);
        expect_vector(&on, "spin(L) - spin(R)", 0.0, 0.0, 0.0);
        expect_vector(&on, "spin(L*F)", sin(b) * da, cos(b) * da, db);
        expect_vector(&on, "spin(F*R) - spin(R)", 0.0, 0.0, 0.0);
        expect_vector(&on, "spin(F)", 0.0, 0.0, 0.0);
        // Rodrigues: the turn by b about n is rotz(a) rotx(b) rotz(-a)
        expect_vector(&on, "Q - R*rotz(-a)", 0, 0, 0, 0, 0, 0, 0, 0, 0);
        expect_vector(&on, "spin(Q) - spin(R*rotz(-a))", 0.0, 0.0, 0.0);
        expect(&on, "dot(spin(Q), n)", db);
        expect(&on, "dot(spin(Q), spin(Q))", db * db + 2.0 * (1.0 - cos(b)) * da * da + 0.0 * a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_add_and_scale),
        cmocka_unit_test(matrices_multiply),
        cmocka_unit_test(wrong_shapes_are_refused),
        cmocka_unit_test(rotations_are_active),
        cmocka_unit_test(spin_is_the_body_angular_velocity),
        cmocka_unit_test(spin_of_a_written_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
