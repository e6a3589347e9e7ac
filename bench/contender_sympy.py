# SPDX-License-Identifier: Apache-2.0
# The contender of "derive T twice, absolute angles": the same chain in SymPy (Debian's python3-sympy), kinetic energy
# differentiated by all coordinates and velocities, then by all velocities, without simplification.
# Usage: /usr/bin/python3 bench/contender_sympy.py N ...
import sys
import time

import sympy as sp


def chain(n):
    t = sp.symbols("t")
    a = [sp.Function(f"a{i}")(t) for i in range(n)]
    b = [sp.Function(f"b{i}")(t) for i in range(n)]
    m = sp.symbols(f"m0:{n}")
    l = sp.symbols("l")
    p = sp.zeros(3, 1)
    energy = 0
    for i in range(n):
        p = p + sp.Matrix([-l * sp.sin(a[i]) * sp.sin(b[i]), l * sp.cos(a[i]) * sp.sin(b[i]), -l * sp.cos(b[i])])
        v = p.diff(t)
        energy += m[i] / 2 * v.dot(v)
    q = a + b
    return energy, q, [x.diff(t) for x in q]


for n in map(int, sys.argv[1:] or ["3", "6"]):
    energy, q, v = chain(n)
    begin = time.process_time()
    first = [energy.diff(x) for x in q + v]
    second = [e.diff(x) for e in first for x in v]
    print(f"sympy {sp.__version__}, derive T twice, absolute angles, {n} links: {time.process_time() - begin:.3f} s", flush=True)
