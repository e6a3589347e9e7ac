# Periodic orbits: found, symmetric, forced, on a constraint, at rest; numbers to ten digits.
short() { sed -E 's/-?[0-9]\.?[0-9]*e-(1[3-9]|[2-9][0-9])/0/g; s/([0-9]\.[0-9]{9})[0-9]+/\1/g; s/0\.999999999|1\.000000000/1/g'; }
rheonom orbit examples/van_der_pol/model.rhe | short
lorenz=tests/golden/models/r04_orbit_mu005.rhe
rheonom orbit $lorenz --free xi,eta --period 22 --symmetry "xi=-xi, p=-p" | short
rheonom orbit $lorenz --free xi,eta --json | sed -E 's/"residual": [^,]*/"residual": R/; s/"iterations": [0-9]*/"iterations": N/; s/("error_bars": \[)[^]]*/\1.../' | short
# the period of a force is known, and is not looked for
printf 'coord x\nkinetic x%s/2\npotential 2*x^2\nforce x: cos(t) - x%s/5\nstart x = 0, x%s = 0\n' "'^2" "'" "'" >"$TMP/forced.rhe"
rheonom orbit "$TMP/forced.rhe" --period 6.283185307179586 | sed 's/after .*/after N iterations/' | short
rheonom orbit examples/pendulum_cartesian/model.rhe | sed -n '/^multipliers/,$p' | sed -E 's/^  [01]\.?[0-9]*( \+- [0-9.e-]+ i)?/  1/' | uniq
# a point of rest has a key of its own
rheonom orbit tests/golden/models/r04_equilibrium.rhe --json --quiet 2>/dev/null | grep -o '"status": "equilibrium"\|"period": null\|"equilibrium": true'
echo "exit $?"
rheonom orbit examples/van_der_pol/model.rhe --plot "$TMP/orbit.svg" >/dev/null
grep -c "<path" "$TMP/orbit.svg"
# pairs stay together beside a 1 of the same modulus; what is rounding is not told as a number; a centre is not judged
printf 'coord a, b\nkinetic (a%s + b%s)/2\npotential a^2/2 + 1.3*b^2/2 + a*b/5 + a^4/9\nstart a = 0.3, b = -0.1\n' "'^2" "'^2" >"$TMP/two.rhe"
rheonom orbit "$TMP/two.rhe" --quiet | sed -n '/^multipliers/,/^stable/p' | grep -c "trivial\|+-"
rheonom orbit examples/van_der_pol/model.rhe --set mu=8 | grep "modulus$"
printf 'coord x\nkinetic x%s/2\npotential x^2/2\nstart x = 0\n' "'^2" >"$TMP/centre.rhe"
rheonom orbit "$TMP/centre.rhe" 2>/dev/null | grep "^stable"
# a branch that turns, and a force whose period goes its own way
printf 'param w = 1.4, F = 0.3\ncoord x\nkinetic x%s/2\npotential x^2/2 + x^4/4\nforce x: F*cos(w*t) - x%s/10\nstart x = 0.5, x%s = 0\n' "'^2" "'" "'" >"$TMP/duffing.rhe"
rheonom orbit "$TMP/duffing.rhe" --period 4.487989505128276 --continue w=1.4:1.8 --out "$TMP/w.csv" 2>&1 >/dev/null | sed 's/, and at.*//'
rheonom orbit "$TMP/duffing.rhe" --period 4.487989505128276 --continue F=0.3:3 --out "$TMP/f.csv" >/dev/null 2>&1
echo "turned: exit $?"
# neighbours that drift away have multipliers 1: nothing grows, nothing is decided
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2\nstart x = 1, y = 0, x' = 0, y' = 0\n" >"$TMP/drift.rhe"
rheonom orbit "$TMP/drift.rhe" | grep "^stable"
