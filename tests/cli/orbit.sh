# Periodic orbits: found, symmetric, forced, on a constraint, at rest; numbers to ten digits.
short() { sed -E 's/-?[0-9]\.?[0-9]*e-(1[3-9]|[2-9][0-9])/0/g; s/([0-9]\.[0-9]{9})[0-9]+/\1/g; s/0\.999999999|1\.000000000/1/g'; }
rheonom orbit examples/van_der_pol/model.rhe | short
lorenz=tests/golden/models/r04_orbit_mu005.rhe
rheonom orbit $lorenz --free xi,eta --period 22 --symmetry "xi=-xi, p=-p" | short
rheonom orbit $lorenz --free xi,eta --json | sed -E 's/"residual": [^,]*/"residual": R/; s/"iterations": [0-9]*/"iterations": N/' | short
# the period of a force is known, and is not looked for
printf 'coord x\nkinetic x%s/2\npotential 2*x^2\nforce x: cos(t) - x%s/5\nstart x = 0, x%s = 0\n' "'^2" "'" "'" >"$TMP/forced.rhe"
rheonom orbit "$TMP/forced.rhe" --period 6.283185307179586 | sed 's/after .*/after N iterations/' | short
rheonom orbit examples/pendulum_cartesian/model.rhe | sed -n '/^multipliers/,$p' | sed -E 's/^  [01]\.?[0-9]*( \+- [0-9.e-]+ i)?/  1/' | uniq
# a point of rest is an answer with a key of its own
rheonom orbit tests/golden/models/r04_equilibrium.rhe --json --quiet | grep -o '"status": "equilibrium"\|"period": null\|"equilibrium": true'
echo "exit $?"
rheonom orbit examples/van_der_pol/model.rhe --plot "$TMP/orbit.svg" >/dev/null
grep -c "<path" "$TMP/orbit.svg"
