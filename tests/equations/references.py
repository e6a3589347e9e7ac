#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes references.txt: rates, multipliers and reactions of known cases, by means that share nothing with the code.

Numbers are of two kinds. `given` ones are copied from the project's reference cases (R.. release and one-sided
constraints, DISC/SLEIGH/RATTLE/P/BERT steady motions and programs, A02 .. public benchmarks); they were found with 30
digits by the authors of those cases. All others are computed here: the equations of Lagrange with multipliers,

    M a = h + B lam,   C a = Y - gam,   M = T_vv,   h = Q - V_q - D_v + T_q - T_vq v - T_vt,

with every derivative a central difference of the energies at 120 digits (steps of 1e-30: good to about 55 digits).
Where a case has both, they are compared here, to the digits that are given.

    python3 tests/equations/references.py > tests/equations/references.txt
"""

import sys
from mpmath import mp, mpf, matrix, sin, cos, sqrt, pi, tan, lu_solve, svd_r

mp.dps = 120
STEP = mpf(10) ** -30


# --- derivatives --------------------------------------------------------------------------------------------------


def along(f, x, d):
    """First derivative of f at the list x in the direction d."""
    up = f([a + STEP * b for a, b in zip(x, d)])
    down = f([a - STEP * b for a, b in zip(x, d)])
    return (up - down) / (2 * STEP)


def along2(f, x, d):
    up = f([a + STEP * b for a, b in zip(x, d)])
    down = f([a - STEP * b for a, b in zip(x, d)])
    return (up - 2 * f(x) + down) / STEP**2


def unit(n, k):
    return [mpf(int(i == k)) for i in range(n)]


def grad(f, x):
    return [along(f, x, unit(len(x), k)) for k in range(len(x))]


# --- systems ------------------------------------------------------------------------------------------------------


class System:
    """Energies as functions of (q, v, t); constraints are ('q', g(q, t)) or ('v', f(q, v, t))."""

    def __init__(self, T, V=None, D=None, Q=None, constraints=(), push=None, laws=None):
        zero = lambda q, v, t: mpf(0)
        self.T, self.V, self.D = T, V or zero, D or zero
        self.Q = Q or (lambda q, v, t: [mpf(0)] * len(q))
        self.constraints, self.push, self.laws = constraints, push, laws

    def inertia(self, q, v, t):
        n = len(q)
        M = matrix(n, n)
        for i in range(n):
            momentum = lambda w, i=i: along(lambda u: self.T(q, u, t), w, unit(n, i))
            for j in range(i + 1):
                M[i, j] = M[j, i] = along(momentum, v, unit(n, j))
        return M

    def force(self, q, v, t):
        n = len(q)
        Q = self.Q(q, v, t)
        h = matrix(n, 1)
        for i in range(n):
            momentum = lambda x, i=i: along(lambda u: self.T(x[:n], u, x[n]), v, unit(n, i))
            h[i] = (
                Q[i]
                - along(lambda x: self.V(x, v, t), q, unit(n, i))
                - along(lambda u: self.D(q, u, t), v, unit(n, i))
                + along(lambda x: self.T(x, v, t), q, unit(n, i))
                - along(momentum, list(q) + [t], list(v) + [mpf(1)])
            )
        return h

    def rows(self, q, v, t):
        C, right = [], []
        for k, (kind, g) in enumerate(self.constraints):
            flow = list(v) + [mpf(1)]
            if kind == "q":
                on = lambda x, g=g: g(x[: len(q)], x[len(q)])
                C.append(grad(lambda x: g(x, t), q))
                gam = along2(on, list(q) + [t], flow)
                y, yd = g(q, t), along(on, list(q) + [t], flow)
            else:
                C.append(grad(lambda u: g(q, u, t), v))
                gam = along(lambda x, g=g: g(x[: len(q)], v, x[len(q)]), list(q) + [t], flow)
                y, yd = None, g(q, v, t)
            Y = self.laws[k](y, yd) if self.laws and self.laws[k] else mpf(0)
            right.append(Y - gam)
        return matrix(C), matrix(right)

    def solve(self, q, v, t=mpf(0)):
        """(a, lam, reaction), lam of least norm."""
        M, h = self.inertia(q, v, t), self.force(q, v, t)
        if not self.constraints:
            return list(lu_solve(M, h)), [], [mpf(0)] * len(q)
        C, right = self.rows(q, v, t)
        B = self.push(q, v, t) if self.push else C.T
        MB = matrix(len(q), C.rows)
        for k in range(C.rows):
            column = lu_solve(M, B[:, k])
            for i in range(len(q)):
                MB[i, k] = column[i]
        lam = least(C * MB, right - C * lu_solve(M, h))
        a = lu_solve(M, h + B * lam)
        return list(a), list(lam), list(B * lam)


def least(G, b):
    """Least-norm solution of a consistent system."""
    U, S, Vt = svd_r(G)
    x = Vt.T * matrix([(U.T * b)[k] / S[k] if S[k] > S[0] * mpf(10) ** -40 else 0 for k in range(len(S))])
    assert max(abs(e) for e in G * x - b) < mpf(10) ** -40 * (1 + max(abs(e) for e in b)), "inconsistent"
    return x


# --- vectors and rotations ----------------------------------------------------------------------------------------


def rot(axis, a):
    c, s = cos(a), sin(a)
    return {
        "x": matrix([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def cross(a, b):
    return matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def spin(R, Rdot):
    W = R.T * Rdot
    return matrix([W[2, 1], W[0, 2], W[1, 0]])


# --- output -------------------------------------------------------------------------------------------------------


def digits(x):
    return mp.nstr(mpf(x), 25, strip_zeros=True, min_fixed=-5, max_fixed=25) if abs(x) > mpf(10) ** -50 else "0"


def case(name, path, lines, note=None):
    print(f"case {name}\nmodel {path}")
    if note:
        print(f"# {note}")
    for line in lines:
        print(line)
    print()


def results(names, a, links=(), lam=(), reaction=None):
    """Lines of rates, multipliers, reactions by coordinate."""
    lines = [f"rate {n}'' {digits(x)}" for n, x in zip(names, a)]
    lines += [f"multiplier {n} {digits(x)}" for n, x in zip(links, lam)]
    if reaction is not None:
        lines += [f"reaction {n} {digits(x)}" for n, x in zip(names, reaction)]
    return lines


def agree(found, given):
    """Compare with what is printed elsewhere, to its last digit."""
    for x, text in zip(found, given):
        decimals = len(text.split(".")[1]) if "." in text else 12
        assert abs(x - mpf(text)) <= mpf(10) ** -decimals * 2, (mp.nstr(x, 25), text)


def dec(text):
    return [mpf(x) for x in text.split()]


# --- cases: first order, numbers given ----------------------------------------------------------------------------


def first_order():
    e = "examples/"
    R01 = ["rate xi' 0.3", "rate p' -0.025", "rate eta' 0", "multiplier level 0.05", "multiplier held -0.0325",
           "reaction p 0.03", "reaction eta -0.02"]
    case("R01", e + "lorenz_chetaev/model.rhe", R01, "given")
    R02 = ["rate xi' 0.3", f"rate p' {digits(mpf(-55) / 1000 + mpf(6) / 10 * 2 / 65)}",
           f"rate eta' {digits(mpf(2) / 100 + mpf(1) / 4 * 2 / 65)}", f"multiplier level {digits(mpf(2) / 65)}",
           f"reaction p {digits(mpf(6) / 10 * 2 / 65)}", f"reaction eta {digits(mpf(1) / 4 * 2 / 65)}"]
    agree([mpf(-55) / 1000 + mpf(6) / 10 * 2 / 65, mpf(2) / 100 + mpf(1) / 130],
          ["-0.036538461538461538462", "0.027692307692307692308"])
    case("R02-level", e + "lorenz_chetaev/level_only.rhe", R02, "given: lambda = 2/65")
    case("R02-held", e + "lorenz_chetaev/held_only.rhe",
         ["rate xi' 0.3", "rate p' -0.055", "rate eta' 0", "multiplier held -0.02", "reaction p 0",
          "reaction eta -0.02"], "p' is the free one")
    case("R03", e + "lorenz_chetaev/turning_point.rhe",
         ["deficient", "rate xi' 0", "rate p' -0.025", "rate eta' 0",
          f"multiplier level {digits(mpf(-2) / 100 / 4 / mpf('1.0625'))}",
          f"multiplier held {digits(mpf(-2) / 100 / mpf('1.0625'))}", "reaction p 0", "reaction eta -0.02"],
         "given; lambda of least norm. The principal form has the pivot p and does not live here")
    case("R07", e + "chetaev_system/model.rhe",
         ["rate x' 0.5", f"rate v' {digits((-2 - mpf(1) / 10 + mpf(13) / 35) / 2)}",
          f"rate p' {digits((-1 + mpf(13) / 70) / 3)}", f"multiplier level {digits(mpf(13) / 35)}",
          f"reaction v {digits(mpf(13) / 35)}", f"reaction p {digits(mpf(13) / 70)}"], "given: lambda = 13/35")
    case("R07-mixed", e + "chetaev_system/mixed.rhe",
         [f"rate x'' {digits((-2 - mpf(1) / 10 + mpf(13) / 35) / 2)}",
          f"rate p' {digits((-1 + mpf(13) / 70) / 3)}", f"multiplier level {digits(mpf(13) / 35)}",
          f"reaction x {digits(mpf(13) / 35)}", f"reaction p {digits(mpf(13) / 70)}"], "the same with a coordinate")
    case("R07-free", "tests/golden/models/r07_free.rhe",
         ["unconstrained", "rate x' 0.5", "rate v' -1.05", f"rate p' {digits(-mpf(1) / 3)}"])
    case("R08a", e + "moving_circle/model.rhe",
         ["rate x' 0.1", "rate y' 1", "rate z' -0.5", "multiplier circle -0.2", "reaction x -0.4", "reaction y 0"],
         "given")
    case("R08b", e + "relative_degree_three/model.rhe",
         ["start t=1", "start x1=0.8414709848078965066525", "start x2=0.5403023058681397174009",
          "start x3=-0.8414709848078965066525", f"rate x1' {digits(cos(1))}", f"rate x2' {digits(-sin(1))}",
          f"rate x3' {digits(-cos(1))}", f"multiplier follow {digits(-cos(1))}", f"reaction x3 {digits(-cos(1))}"],
         "given: -0.54030230586813971740")


# --- cases: bodies and points -------------------------------------------------------------------------------------


def rods():
    rod = [("q", lambda q, t: dot([q[3] - q[0], q[4] - q[1], q[5] - q[2]], [q[3] - q[0], q[4] - q[1], q[5] - q[2]]) - 25)]
    q, v = dec("0 0 0 3 0 4"), dec("1 2 0 5 -1 -3")
    g = mpf("9.81")
    names = "x1 y1 z1 x2 y2 z2".split()
    with_masses = System(lambda q, v, t: dot(v[:3], v[:3]) + 3 * dot(v[3:], v[3:]) / 2,
                         V=lambda q, v, t: g * (2 * q[2] + 3 * q[5]), constraints=rod)
    a, lam, r = with_masses.solve(q, v)
    agree(lam + r, ["-0.816", "4.896", "0", "6.528", "-4.896", "0", "-6.528"])
    case("R05", "examples/two_mass_rod/model.rhe", results(names, a, ["rod"], lam, r), "given: lambda, reactions")
    first = lambda a, lam, r: ([f"rate {n}' {digits(x)}" for n, x in zip("u1 v1 w1 u2 v2 w2".split(), a)]
                               + [f"rate {n}' {digits(x)}" for n, x in zip(names, v)]
                               + [f"multiplier rod {digits(lam[0])}"]
                               + [f"reaction {n} {digits(x)}" for n, x in zip("u1 v1 w1 u2 v2 w2".split(), r)])
    case("R05-masses", "examples/two_mass_rod/weight_masses.rhe", first(a, lam, r), "the same as a first-order system")
    a, lam, r = System(lambda q, v, t: dot(v, v) / 2, V=lambda q, v, t: g * (q[2] + q[5]), constraints=rod).solve(q, v)
    agree(lam + r, ["-0.34", "2.04", "0", "2.72", "-2.04", "0", "-2.72"])
    case("R05-unit", "examples/two_mass_rod/weight_unit.rhe", first(a, lam, r), "given: W = I, another motion")
    line = System(lambda q, v, t: v[0] ** 2 + 3 * v[1] ** 2 / 2, Q=lambda q, v, t: [mpf(10), mpf(0)],
                  constraints=[("q", lambda q, t: q[1] - q[0] - 1)])
    a, lam, r = line.solve(dec("0 1"), dec("0 0"))
    agree(a + r, ["2", "2", "-6", "6"])
    case("R06-ideal", "examples/servo_rod/ideal.rhe", results(["x1", "x2"], a, ["rod"], lam, r), "given")
    line.push = lambda q, v, t: matrix([[0], [1]])
    a, lam, r = line.solve(dec("0 1"), dec("0 0"))
    agree(a + r, ["5", "5", "0", "15"])
    case("R06-servo", "examples/servo_rod/model.rhe", results(["x1", "x2"], a, ["rod"], lam, r), "given")
    for name, r in (("ideal", [-6, 6]), ("servo", [0, 15])):
        a = [2, 2] if name == "ideal" else [5, 5]
        case("R06-reaction-" + name, f"examples/servo_rod/reaction_{name}.rhe",
             results(["x1", "x2"], a, ["rod"], [1], r), "a proposed reaction that keeps the rod")


def beghin():
    T = lambda q, v, t: dot(v, v) / 2
    aim = [("v", lambda q, v, t: v[0] + v[1] * cos(q[0]))]
    servo = System(T, constraints=aim, push=lambda q, v, t: matrix([[0], [1]]))
    for name, path, x, given in (
        ("R13-servo", "model", -1, digits(sin(1) / cos(1) ** 2)),
        ("R13-stays", "negative_grip_stays", 2, "-5.2506463376995802058"),
        ("R13-leaves", "negative_grip_leaves", 4, "1.77133417261814976"),
    ):
        x = mpf(x)
        a, lam, r = servo.solve([x, mpf(0)], [mpf(1), -1 / cos(x)])
        agree(lam, [given])
        case(name, f"examples/beghin_servo/{path}.rhe", results(["x", "y"], a, ["aim"], lam, r), "given: lambda")
    a, lam, r = System(T, constraints=aim).solve(dec("-1 0"), [mpf(1), -1 / cos(mpf(1))])
    case("R13-ideal", "examples/beghin_servo/ideal.rhe", results(["x", "y"], a, ["aim"], lam, r))


def sleigh_T(m, J, a):
    return lambda q, v, t: (m * ((v[0] - a * v[2] * sin(q[2])) ** 2 + (v[1] + a * v[2] * cos(q[2])) ** 2)
                            + J * v[2] ** 2) / 2


def sleighs():
    blade = ("v", lambda q, v, t: -v[0] * sin(q[2]) + v[1] * cos(q[2]))
    names = ["x", "y", "th"]
    half = mpf(1) / 2
    q, v = dec("0 0 0"), dec("1 0.5 -1")
    a, _, r = System(sleigh_T(1, 1, half)).solve(q, v)
    case("R12-free", "examples/sleigh_offset/model.rhe",
         ["inactive blade"] + results(names, a, ["blade"], [0], r), "free at its start: the blade does not act")
    case("R12-on", "examples/sleigh_offset/two_sided.rhe",
         results(names, *on_blade(sleigh_T(1, 1, half), blade, dec("0 0 0"), dec("0 0 1"))))
    m, J, l, th = mpf(2), mpf("0.3"), mpf("0.25"), mpf("0.2")
    v = [-cos(th), -sin(th), mpf("1.5")]
    a, links, lam, r = on_blade(sleigh_T(m, J, l), blade, [mpf(0), mpf(0), th], v)
    kap = m * l / (J + m * l * l)
    w1, w2 = mpf(-1), mpf("1.5")
    agree([a[0] * cos(th) + a[1] * sin(th) + (-v[0] * sin(th) + v[1] * cos(th)) * w2 - l * w2**2, a[2] + kap * w1 * w2],
          ["0." + "0" * 40] * 2)
    case("SLEIGH-1", "examples/chaplygin_sleigh/model.rhe",
         [f"quasi w1' {digits(l * w2**2)}", f"quasi w2' {digits(-kap * w1 * w2)}"] + results(names, a, links, lam, r),
         "w1' = l w2^2, w2' = -kap w1 w2")
    for d, given in (("1", "-2"), ("3", "2")):
        grip = System(sleigh_T(1, 1, half), constraints=[blade],
                      push=lambda q, v, t: matrix([[-sin(q[2])], [cos(q[2])], [half + mpf(d)]]))
        a, lam, r = grip.solve(dec("0 0 0"), dec("1 0 -1"))
        agree(lam, [given])
        case("R14-d" + d, f"tests/golden/models/r14_control_d{d}.rhe", results(names, a, ["blade"], lam, r), "given: lambda")
    case("R14-body", "tests/golden/models/r14_control_body.rhe",
         ["rate u' 0.5", "rate wC' -1", "rate w' -2", "multiplier blade -2", "reaction u 0", "reaction wC -2",
          "reaction w -2"], "by hand: wC' = -w u + lambda, w' = lambda, wC' = w'/2")
    a, links, lam, r = on_blade(sleigh_T(1, 1, 0), blade, dec("0 0 0"), dec("1 0 -1"))
    agree(lam + r, ["-1", "0", "-1", "0"])
    case("R17", "tests/golden/models/r17_two_sided.rhe", results(names, a, links, lam, r), "given: R = (0, -1, 0)")
    T = lambda q, v, t: (mpf("1.25") * (v[0] ** 2 + v[1] ** 2) + mpf("0.13") * v[2] ** 2) / 2
    edge = System(T, V=lambda q, v, t: -mpf("1.25") * mpf("9.81") * sin(pi / 4) * q[0],
                  constraints=[("v", lambda q, v, t: v[0] * sin(q[2]) - v[1] * cos(q[2]))])
    names = ["x", "y", "phi"]
    a, lam, r = edge.solve(dec("0 0 0"), [mpf(0), mpf(0), pi / 3])
    agree(lam, ["0"])
    case("knife-edge", "examples/knife_edge/model.rhe", results(names, a, ["blade"], lam, r), "benchmark 9")
    s, w, t = mpf("9.81") * sin(pi / 4), pi / 3, mpf(1) / 2
    q = [s / (2 * w**2) * sin(w * t) ** 2, s / (2 * w**2) * (w * t - sin(2 * w * t) / 2), w * t]
    v = [s / (2 * w) * sin(2 * w * t), s / w * sin(w * t) ** 2, w]
    a, lam, r = edge.solve(q, v, t)
    agree(lam, [digits(-2 * mpf("1.25") * s * sin(w * t))])
    case("knife-edge-later", "examples/knife_edge/model.rhe",
         [f"start {n}={digits(x)}" for n, x in zip(["x", "y", "phi", "x'", "y'", "phi'"], q + v)] + ["start t=0.5"]
         + results(names, a, ["blade"], lam, r), "benchmark 9 on its closed solution: lambda = -2 m s sin(w t)")


def on_blade(T, blade, q, v):
    a, lam, r = System(T, constraints=[blade]).solve(q, v)
    return a, ["blade"], lam, r


# Type II (E4): kinetic energy T + lam phi, unknowns a and lam'.
def type_two(T, phi, f, Q, q, v, lam):
    n = len(q)
    L = System(lambda q, v, t: T(q, v, t) + lam * phi(q, v, t), Q=Q, constraints=[("v", f)],
               push=lambda q, v, t: -matrix(grad(lambda u: phi(q, u, t), v)))
    return L.solve(q, v)


def second_type():
    T = lambda q, v, t: dot(v, v) / 2
    down = lambda q, v, t: [mpf(0), mpf(-1)]
    a, rate, _ = type_two(T, T, lambda q, v, t: dot(v, v) / 2 - mpf(1) / 2, down, dec("0 0"), dec("0.6 0.8"), mpf(0))
    agree(a + rate, ["0.48", "-0.36", "-0.8"])  # closed form: v = P/|P|, lam = |P| - 1, P = (0.6, 0.8 - t)
    case("R22", "examples/changing_mass/model.rhe", results(["x", "y"], a, ["speed"], rate), "closed form; rate of lambda")
    P, size = [mpf("0.6"), mpf("-1.2")], sqrt(mpf("1.8"))
    lam = size - 1
    a, rate, _ = type_two(T, T, lambda q, v, t: dot(v, v) / 2 - mpf(1) / 2, down, dec("0 0"), [p / size for p in P], lam)
    agree(rate, [digits(mpf("1.2") / size)])
    case("R22-later", "examples/changing_mass/model.rhe",
         [f"start x'={digits(P[0] / size)}", f"start y'={digits(P[1] / size)}", f"start lambda.speed={digits(lam)}"]
         + results(["x", "y"], a, ["speed"], rate), "closed form at t = 2: lambda' = 1.2/sqrt(1.8)")

    def body(v, q):
        psi, th, ph = q
        return [v[0] * sin(th) * sin(ph) + v[1] * cos(ph), v[0] * sin(th) * cos(ph) - v[1] * sin(ph), v[0] * cos(th) + v[2]]

    def T3(q, v, t):
        w = body(v, q)
        return (w[0] ** 2 + 2 * w[1] ** 2 + 3 * w[2] ** 2) / 2

    free = lambda q, v, t: [mpf(0)] * 3
    th = mpf(1)
    psid = mpf("0.5") / sin(th)
    q, v = dec("0 1 0"), [psid, mpf(1), -psid * cos(th)]
    for name, path, l, given in (("R23a", "model", dec("0 0.6 0.8"), "-0.85"), ("R23a-vakonomic", "vakonomic", dec("0 0 1"), "-0.5")):
        phi = lambda q, v, t, l=l: dot(l, body(v, q))
        a, rate, _ = type_two(T3, phi, lambda q, v, t: body(v, q)[2], free, q, v, mpf("0.3"))
        agree(rate, [given])
        case(name, f"examples/flywheel/{path}.rhe", results(["psi", "th", "ph"], a, ["axis"], rate), "given: lambda'")
    case("R23a-body-axes", "tests/golden/models/r23a_body_axes.rhe",
         ["unconstrained", "rate w1' -0.12", "rate w2' 0.375", "rate w3' 0", "rate lam' -0.85"],
         "by hand: K = (1, 1.18, 0.24), lam' = -(1.18 - 0.5)/0.8, w1' = -0.5*0.24, 2 w2' = 0.24 + 0.85*0.6")
    T = lambda q, v, t: dot(v, v) / 2
    skate = lambda q, v, t: v[0] * sin(q[2]) - v[1] * cos(q[2])
    push = lambda q, v, t: [mpf(1), mpf(0), mpf(0)]
    names = ["x", "y", "th"]
    a, lam, r = System(T, Q=push, constraints=[("v", skate)]).solve(dec("0 0 0"), dec("0 0 1"))
    case("R23b", "examples/skate_on_incline/model.rhe", results(names, a, ["skate"], lam, r), "nonholonomic")
    for lam0, path, Q, v in (("0", "examples/skate_on_incline/vakonomic.rhe", push, "0 0 1"),
                             ("0.5", "tests/golden/models/r23b_vakonomic_half.rhe", push, "0 0 1"),
                             ("0.5", "tests/golden/models/r23b_no_force.rhe", free, "1 0 1")):
        a, rate, _ = type_two(T, skate, skate, Q, dec("0 0 0"), dec(v), mpf(lam0))
        # invariants y' - lam cos th, x' + lam sin th - t (with the force)
        agree([a[1] - rate[0], a[0] + mpf(lam0) - (1 if Q is push else 0)], ["0." + "0" * 40] * 2)
        case(f"R23b-vakonomic-{lam0}" + ("" if Q is push else "-no-force"), path, results(names, a, ["skate"], rate))


def disc(h):
    m, ra, g = mpf(1), mpf("0.5"), mpf("9.81")
    A, C = m * ra**2 / 4, m * ra**2 / 2

    def T(q, v, t):
        th, ps = q[0], q[1]
        xd = v[3] - ra * (cos(th) * sin(ps) * v[0] + sin(th) * cos(ps) * v[1])
        yd = v[4] + ra * (cos(th) * cos(ps) * v[0] - sin(th) * sin(ps) * v[1])
        zd = -ra * sin(th) * v[0]
        return (m * (xd**2 + yd**2 + zd**2) + A * v[0] ** 2 + A * cos(th) ** 2 * v[1] ** 2
                + C * (v[2] - sin(th) * v[1]) ** 2) / 2

    return System(T, V=lambda q, v, t: m * g * ra * cos(q[0]), D=lambda q, v, t: h * v[0] ** 2 / 2,
                  constraints=[("v", lambda q, v, t: v[3] - ra * cos(q[1]) * v[2]),
                               ("v", lambda q, v, t: v[4] - ra * sin(q[1]) * v[2])])


def disc_rates(q, w, h):
    """Reduced equations of 8.1."""
    m, ra, g = mpf(1), mpf("0.5"), mpf("9.81")
    A, C, th = m * ra**2 / 4, m * ra**2 / 2, q[0]
    return [(m * g * ra * sin(th) - A * sin(th) * cos(th) * w[1] ** 2 - (C + m * ra**2) * w[1] * w[2] * cos(th) - h * w[0]) / (A + m * ra**2),
            w[0] * (2 * A * w[1] * sin(th) + C * w[2]) / (A * cos(th)),
            m * ra**2 * w[0] * w[1] * cos(th) / (C + m * ra**2)]


def discs():
    names = "theta psi phi x y".split()
    for name, path, h, q, w in (
        ("DISC-1", "model", mpf(0), dec("0.3 0.4 0 0.1 -0.2"), dec("0.1 0.8 6")),
        ("DISC-G", "damped", mpf("0.1"), dec("0.5 0 0 0 0"), dec("0.2 1.1726273059845602709 6")),
    ):
        phd = w[2] + sin(q[0]) * w[1]
        v = [w[0], w[1], phd, cos(q[1]) * phd / 2, sin(q[1]) * phd / 2]
        a, lam, r = disc(h).solve(q, v)
        wd = disc_rates(q, w, h)
        agree([a[0], a[1], a[2] - sin(q[0]) * a[1] - cos(q[0]) * w[0] * w[1]], [digits(x) for x in wd])
        if name == "DISC-1":
            agree(lam, ["-0.77827685772031402047", "1.8080880118590794698"])
        case(name, f"examples/rolling_disc/{path}.rhe",
             [f"quasi w{k + 1}' {digits(x)}" for k, x in enumerate(wd)] + results(names, a, ["roll_x", "roll_y"], lam, r),
             "given: the reduced equations" + (", mu" if name == "DISC-1" else ""))


def rattle(h):
    m, g = mpf(1), mpf("9.81")
    e2 = [mpf("0.2") ** 2, mpf("0.03") ** 2, mpf("0.02") ** 2]
    turn = rot("z", mpf("0.05"))
    J = turn * mp.diag([mpf("0.0002"), mpf("0.0016"), mpf("0.0017")]) * turn.T

    def parts(q, v):
        al, be, ps = q[:3]
        ca, sa, cb, sb = cos(al), sin(al), cos(be), sin(be)
        n = [-ca * sb, sa, ca * cb]
        w = matrix([cb * v[0] - ca * sb * v[2], v[1] + sa * v[2], sb * v[0] + ca * cb * v[2]])
        r = sqrt(dot(e2, [x * x for x in n]))
        nd = cross(matrix(n), w)
        rd = dot([a * b for a, b in zip(e2, n)], nd) / r
        R = rot("z", ps) * rot("x", al) * rot("y", be)
        rho = matrix([-a * b / r for a, b in zip(e2, n)])
        return w, r, rd, R * cross(w, rho)

    def T(q, v, t):
        w, _, rd, _ = parts(q, v)
        return (m * (v[3] ** 2 + v[4] ** 2 + rd**2) + (w.T * J * w)[0]) / 2

    return System(T, V=lambda q, v, t: m * g * parts(q, v)[1], D=lambda q, v, t: h * (v[0] ** 2 + v[1] ** 2) / 2,
                  constraints=[("v", lambda q, v, t: v[3] + parts(q, v)[3][0]), ("v", lambda q, v, t: v[4] + parts(q, v)[3][1])]), parts


def rattlebacks():
    q = dec("0.01 0.02 0.3 0 0")
    w = dec("0.1 -0.2 3")
    state = "0.15997600074665701594 -0.22997500070665539683 2.9975500295829041568 0.030169898771564357393 -0.11580656497860136966".split()
    given = {"0": "10.650492255787286014 -110.60684608027098235 13.964681389890768021",
             "0.002": "9.8832961150995959142 -110.48718146151456882 14.143805983028459779"}
    ca, sa, cb, sb = cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])
    U = matrix([[cb, 0, -ca * sb], [0, 1, sa], [sb, 0, ca * cb]])
    for h, rates in given.items():
        system, parts = rattle(mpf(h))
        v = list(lu_solve(U, matrix(w)))
        slip = parts(q, v + dec("0 0"))[3]
        v += [-slip[0], -slip[1]]
        agree(v, state)
        a, lam, r = system.solve(q, v)
        wd = [along(lambda x: parts(x[:5], x[5:])[0][k], q + v, v + a) for k in range(3)]
        agree(wd, rates.split())
        case("RATTLE-0" + ("" if h == "0" else "-damped"), "examples/rattleback/model.rhe",
             ([] if h == "0" else ["set h=0.002"]) + [f"state {n}' {x}" for n, x in zip("al be ps x y".split(), state)]
             + [f"quasi w{k + 1}' {x}" for k, x in enumerate(rates.split())]
             + results("al be ps x y".split(), a, ["roll_x", "roll_y"], lam, r), "given: state, quasi")


def programs():
    laws = {"no_law": (lambda y, yd: mpf(0), "-3.1535398230088495575"),
            "model": (lambda y, yd: -25 * y - 10 * yd, "-5.3327433628318584071"),
            "cubic": (lambda y, yd: -4 * y - 5 * yd - 10 * y**3, "-4.0035331858407079646")}
    for path, (law, given) in laws.items():
        pendulum = System(lambda q, v, t: dot(v, v) / 2, V=lambda q, v, t: mpf("9.81") * q[1],
                          constraints=[("q", lambda q, t: dot(q, q) - 1)], laws=[law])
        a, lam, r = pendulum.solve(dec("0.8 -0.7"), dec("0.5 0.1"))
        agree(lam, [given])
        case("P1-" + path, f"examples/pendulum_program/{path}.rhe", results(["x", "y"], a, ["rod"], lam, r), "given: lambda")

    def tip(q):
        l2 = mpf("0.8")
        return [cos(q[0]) + l2 * cos(q[0] + q[1]), sin(q[0]) + l2 * sin(q[0] + q[1])]

    def T(q, v, t):
        c, s, l2 = cos(q[0] + q[1]), sin(q[0] + q[1]), mpf("0.8")
        xd = -sin(q[0]) * v[0] - l2 * s * (v[0] + v[1])
        yd = cos(q[0]) * v[0] + l2 * c * (v[0] + v[1])
        return v[0] ** 2 / 2 + (xd**2 + yd**2) / 4

    V = lambda q, v, t: mpf("9.81") * (sin(q[0]) + tip(q)[1] / 2)
    g = lambda q, t: (tip(q)[0] - 1) ** 2 + (tip(q)[1] - mpf("0.2")) ** 2 - mpf("0.25")
    for path, law, given in (("no_law", lambda y, yd: mpf(0), "2.8516850523081843378"),
                             ("model", lambda y, yd: -36 * y - 12 * yd, "2.3979215014045724319")):
        a, lam, r = System(T, V=V, constraints=[("q", g)], laws=[law]).solve(dec("-0.3 1.2"), dec("0.4 -0.2"))
        agree(lam, [given])
        case("P2-" + path, f"examples/two_link_arm_program/{path}.rhe", results(["q1", "q2"], a, ["tip"], lam, r), "given: lambda")
    a, lam, r = System(lambda q, v, t: dot(v, v) / 2, V=lambda q, v, t: q[0] ** 2 / 2 + q[1] ** 2 + q[2] ** 2 / 4,
                       constraints=[("v", lambda q, v, t: v[2] - q[1] * v[0])],
                       laws=[lambda y, yd: -3 * yd]).solve(dec("1 0.5 0"), dec("0.2 -0.3 0.6"))
    agree(lam, ["-1.648"])
    case("P4", "examples/velocity_program/model.rhe", results(["x", "y", "z"], a, ["row"], lam, r), "given: lambda")
    e, p, c = mpf("0.5"), mpf(1), mpf(1)
    conic = ("q", lambda q, t: sqrt(dot(q, q)) - e * q[0] - p)
    areal = ("v", lambda q, v, t: q[0] * v[1] - q[1] * v[0] - c)
    q, v = dec("2.1 0"), [mpf("0.05"), 1 / mpf("2.1")]
    for name, path, law in (("BERT-1", "model", lambda y, yd: -2 * y - 3 * yd), ("BERT-3", "no_law", lambda y, yd: mpf(0))):
        a, lam, r = System(lambda q, v, t: dot(v, v) / 2, constraints=[conic, areal], laws=[law, lambda y, yd: mpf(0)]).solve(q, v)
        alpha, rate = mpf("0.05"), mpf("0.025")
        A = law(alpha, rate)
        agree(a, [digits(q[0] / (p + alpha) * (A - 1 / q[0] ** 3)), "0." + "0" * 40])  # (5.10) with B = 0
        case(name, f"examples/bertrand/{path}.rhe", results(["x", "y"], a, ["conic", "areal"], lam, r), "(5.10)")
        if name == "BERT-1":
            case(name + "-written-out", "examples/bertrand/written_out.rhe", ["unconstrained"] + results(["x", "y"], a))


# --- cases: public benchmarks -------------------------------------------------------------------------------------


def andrews():
    m = dec("0 0.04325 0.00365 0.02373 0.00706 0.07050 0.00706 0.05498")
    I = dec("0 2.194e-6 4.410e-7 5.255e-6 5.667e-7 1.169e-5 5.667e-7 1.912e-5")
    xa, ya, xb, yb, xc, yc = dec("-0.06934 -0.00227 -0.03635 0.03273 0.014 0.072")
    d, da, e, ea, zf, fa, rr, ra = dec("0.028 0.0115 0.02 0.01421 0.02 0.01421 0.007 0.00092")
    ss, sa, sb, sc, sd = dec("0.035 0.01874 0.01043 0.018 0.02")
    zt, ta, tb, u, ua, ub, c0, l0, mom = dec("0.04 0.02308 0.00916 0.04 0.01228 0.00449 4530 0.07785 0.033")

    def T(q, v, t):
        b, Th, _, Ph, _, Om, _ = q
        M = matrix(7, 7)
        M[0, 0] = m[1] * ra**2 + m[2] * (rr**2 - 2 * da * rr * cos(Th) + da**2) + I[1] + I[2]
        M[0, 1] = M[1, 0] = m[2] * (da**2 - da * rr * cos(Th)) + I[2]
        M[1, 1] = m[2] * da**2 + I[2]
        M[2, 2] = m[3] * (sa**2 + sb**2) + I[3]
        M[3, 3] = m[4] * (e - ea) ** 2 + I[4]
        M[3, 4] = M[4, 3] = m[4] * ((e - ea) ** 2 + zt * (e - ea) * sin(Ph)) + I[4]
        M[4, 4] = m[4] * (zt**2 + 2 * zt * (e - ea) * sin(Ph) + (e - ea) ** 2) + m[5] * (ta**2 + tb**2) + I[4] + I[5]
        M[5, 5] = m[6] * (zf - fa) ** 2 + I[6]
        M[5, 6] = M[6, 5] = m[6] * ((zf - fa) ** 2 - u * (zf - fa) * sin(Om)) + I[6]
        M[6, 6] = m[6] * ((zf - fa) ** 2 - 2 * u * (zf - fa) * sin(Om) + u**2) + m[7] * (ua**2 + ub**2) + I[6] + I[7]
        w = matrix(v)
        return (w.T * M * w)[0] / 2

    def V(q, v, t):
        ga = q[2]
        x, y = sd * cos(ga) + sc * sin(ga) + xb - xc, sd * sin(ga) - sc * cos(ga) + yb - yc
        return c0 * (sqrt(x * x + y * y) - l0) ** 2 / 2 - mom * q[0]

    X = lambda q: rr * cos(q[0]) - d * cos(q[0] + q[1])
    Y = lambda q: rr * sin(q[0]) - d * sin(q[0] + q[1])
    g = [lambda q, t: X(q) - ss * sin(q[2]) - xb, lambda q, t: Y(q) + ss * cos(q[2]) - yb,
         lambda q, t: X(q) - e * sin(q[3] + q[4]) - zt * cos(q[4]) - xa,
         lambda q, t: Y(q) + e * cos(q[3] + q[4]) - zt * sin(q[4]) - ya,
         lambda q, t: X(q) - zf * cos(q[5] + q[6]) - u * sin(q[6]) - xa,
         lambda q, t: Y(q) - zf * sin(q[5] + q[6]) + u * cos(q[6]) - ya]
    system = System(T, V=V, constraints=[("q", f) for f in g])
    q = dec("-0.0617138900142764496 0 0.455279819163070380 0.222668390165885885 0.487364979543842550 -0.222668390165885885 1.23054744454982119")
    names = "beta Theta gamma Phi delta Omega epsilon".split()
    links = [f"g{k}" for k in range(1, 7)]
    a, lam, r = system.solve(q, dec("0 0 0 0 0 0 0"))
    agree(a[:2], ["14222.4439199541", "-10666.8329399656"])
    agree([-x for x in lam[:2]], ["98.5668703962411", "-6.12268834425566"])
    case("A03-Andrews", "examples/andrews/model.rhe", results(names, a, links, lam, r),
         "published: M q'' + G^T lambda = f, so our multipliers are minus the published ones")


def four_bars():
    g = mpf("9.81")
    for N, path in ((2, "model"), (40, "n40")):
        lines = ["only free multipliers reduced"] if N == 40 else []
        for i in range(N + 1):
            lines += [f"rate x[{i}]'' 0", f"rate y[{i}]'' -1"]
        for i in range(N + 1):
            bars = 1 if i in (0, N) else 2  # couplers at this top
            push = -mpf(1) / 3 - mpf(bars) / 2 + g * (1 + bars) / 2
            lines += [f"multiplier upright[{i}] {digits(push / 2)}", f"reaction y[{i}] {digits(push)}", f"reaction x[{i}] 0"]
        lines += [f"multiplier coupler[{i}] 0" for i in range(1, N + 1)]
        case(f"A02-N{N}", f"examples/four_bar/{path}.rhe", lines,
             "exact: psi'' = 0 upright, so B'' = (0, -1); the upright carries M a - h")


def bricard():
    l, g, b = mpf(1), mpf("9.81"), mpf("0.1")
    Jt, Ja = (l**2 + b**2) / 12, b**2 / 6
    axes, arms = "yzxyz", [[1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0]]
    inertias = [(Ja, Jt, Jt), (Jt, Ja, Jt), (Jt, Jt, Ja), (Ja, Jt, Jt), (Jt, Ja, Jt)]

    def chain(q):
        R, P, Rs, Ps = mp.eye(3), matrix([0, 0, 0]), [], [matrix([0, 0, 0])]
        for k in range(5):
            R = R * rot(axes[k], q[k])
            P = P + R * matrix(arms[k])
            Rs.append(R)
            Ps.append(P)
        return Rs, Ps

    def T(q, v, t):
        # velocities by recursion: spins in space add up, omega = sum of v_k times the joint axis
        Rs, Ps = chain(q)
        w, speed, total = matrix([0, 0, 0]), matrix([0, 0, 0]), mpf(0)
        before = mp.eye(3)
        for k in range(5):
            axis = before[:, "xyz".index(axes[k])]
            w = w + v[k] * axis
            arm = Ps[k + 1] - Ps[k]
            centre = speed + cross(w, arm) / 2
            speed = speed + cross(w, arm)
            body = Rs[k].T * w
            total += (dot(centre, centre) + dot(inertias[k], [x * x for x in body])) / 2
            before = Rs[k]
        return total

    V = lambda q, v, t: g * sum((chain(q)[1][k][1] + chain(q)[1][k + 1][1]) / 2 for k in range(5))
    g5 = [lambda q, t: chain(q)[1][5][0], lambda q, t: chain(q)[1][5][1], lambda q, t: chain(q)[1][5][2] - 1,
          lambda q, t: chain(q)[0][4][1, 0], lambda q, t: chain(q)[0][4][2, 0]]
    system = System(T, V=V, constraints=[("q", f) for f in g5])
    a, lam, r = system.solve(dec("0 0 0 0 0"), dec("0 0 0 0 0"))
    case("A04-Bricard", "examples/bricard/model.rhe",
         ["deficient"] + results([f"theta[{k}]" for k in range(1, 6)], a, "close_x close_y close_z axis_y axis_z".split(), lam, r),
         "five equations of rank four; lambda of least norm")


def circle():
    system = System(lambda q, v, t: dot(v, v) / 2, Q=lambda q, v, t: [2 * q[1], -2 * q[0]],
                    constraints=[("q", lambda q, t: dot(q, q) - 1)])
    a, lam, r = system.solve(dec("0 1"), dec("0 0"))
    agree(a + lam, ["2", "0", "0"])
    case("circle", "examples/circle_tangential_force/model.rhe", results(["x", "y"], a, ["circle"], lam, r), "benchmark 13")
    t = mpf("0.75")
    q, v = [sin(t**2), cos(t**2)], [2 * t * cos(t**2), -2 * t * sin(t**2)]
    a, lam, r = system.solve(q, v, t)
    agree([2 * lam[0]], [digits(-4 * t**2)])
    case("circle-later", "examples/circle_tangential_force/model.rhe",
         [f"start {n}={digits(x)}" for n, x in zip(["x", "y", "x'", "y'"], q + v)] + ["start t=0.75"]
         + results(["x", "y"], a, ["circle"], lam, r), "benchmark 13 on its closed solution: 2 lambda = -4 t^2")


def other_ways():
    """By hand: equations as written, a Lagrangian with a gyroscopic term, friction, `construct` with a tangent."""
    g = "tests/golden/models/language_"
    a = lu_solve(matrix([[mpf("1.09"), mpf("-0.15")], [mpf("-0.15"), 2]]), matrix([mpf("-0.447"), mpf("0.125")]))
    case("equation", g + "equation.rhe", ["unconstrained"] + results(["q1", "q2"], a))
    case("lagrangian", g + "lagrangian.rhe", ["unconstrained", "rate x'' -3.75", "rate y'' 0"],
         "x'' = B y' - k x, y'' = -B x' - k y")
    case("friction", g + "by_friction.rhe",
         ["start y'=0.001", "rate x'' 1", "rate y'' -1", "rate psi'' 0", "multiplier blade 1", "reaction x 0",
          "reaction y -1", "reaction psi 0"], "lambda = -N g, N = 1000, g = -0.001, gradient (0, -1, 0)")
    for start, push in (("-0.01", 1), ("0.01", 0)):
        case(f"friction-one-sided{start}", g + "by_friction_onesided.rhe",
             [f"start y'={start}", "rate x'' 0", f"rate y'' {push}", "rate psi'' 0", f"multiplier blade {push}",
              "reaction x 0", f"reaction y {push}"], "lambda = -N min(g, 0), N = 100")
    case("construct-tangent", g + "construct_tangent.rhe",
         ["rate x'' -0.006", "rate y'' -1.8", "rate z'' -0.008", "multiplier sphere -0.005"],
         "1.5 grad x e3 + K (Y - gam), grad = (1.2, 0, 1.6), gam = 0.02")
    case("construct-tangent-plane", g + "construct_tangent_plane.rhe",
         ["rate x'' -0.04", "rate y'' -0.96", "multiplier circle -0.02"], "0.48 (0, -2) + K (Y - gam), gam = 0.08")


HEAD = """\
# Reference values of the equations of motion at known states; made by references.py, which tells where they come from.
#
#   case NAME                    begins a case; an empty line ends it
#   model PATH                   of the tree
#   set NAME=VALUE               a parameter            start PLACE=VALUE   a start value
#   only FORM ...                the other forms are too large for this model
#   unconstrained                the free form holds the same rates
#   inactive NAME                a constraint that does not act
#   deficient                    redundant constraints: rates are unique, multipliers are not; those given are least
#   state NAME VALUE             a value of the start
#   rate NAME VALUE              quasi NAME VALUE       (rates of quasi-velocities: form `quasi` only)
#   multiplier NAME VALUE        of the constraint NAME; its rate where it is a state
#   reaction NAME VALUE          on the equation of NAME: sum of pushes times multipliers
"""

if __name__ == "__main__":
    print(HEAD)
    for make in (first_order, rods, beghin, sleighs, second_type, discs, rattlebacks, programs, andrews, four_bars, bricard, circle,
                 other_ways):
        make()
        sys.stdout.flush()
