# SPDX-License-Identifier: Apache-2.0
# The contender of "equations chain": SymPy's LagrangesMethod (Debian's python3-sympy) on the chain of N rods in
# Cartesian coordinates with one multiplier a rod; equations, mass matrix and right side, without simplification.
# Usage: /usr/bin/python3 bench/contender_lagrange.py N ...
import sys
import time

import sympy as sp
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols


def chain(n):
    x = dynamicsymbols(f"x0:{n}")
    y = dynamicsymbols(f"y0:{n}")
    t = dynamicsymbols._t
    m, l, g = sp.symbols("m l g")
    energy = sum(m * (x[i].diff(t) ** 2 + y[i].diff(t) ** 2) / 2 - m * g * y[i] for i in range(n))
    rods = []
    for i in range(n):
        px, py = (x[i - 1], y[i - 1]) if i > 0 else (0, 0)
        rods.append((x[i] - px) ** 2 + (y[i] - py) ** 2 - l**2)
    return energy, list(x) + list(y), rods


for n in map(int, sys.argv[1:] or ["10", "20"]):
    energy, q, rods = chain(n)
    begin = time.process_time()
    method = LagrangesMethod(energy, q, hol_coneqs=rods)
    method.form_lagranges_equations()
    method.mass_matrix_full, method.forcing_full
    print(f"sympy {sp.__version__}, equations of the chain, {n} rods: {time.process_time() - begin:.3f} s", flush=True)
