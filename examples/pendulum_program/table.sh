#!/bin/sh
# table.sh [PROGRAM]: what steppers make of the rod of the pendulum, without a law, with Baumgarte's, with a nonlinear
# one, and with projection: the deviation x^2 + y^2 - 1 at t = 10 and the change of energy, which should be none.
# Prints the table of README.md.
set -eu
program=${1:-rheonom}
here=$(dirname "$0")

# method and its options; model and its options -> "deviation, change of energy"
measure() {
    "$program" run "$here/$2" --until 10 --method $1 --quiet --json ${3:-} ${4:-} ${5:-} ${6:-} |
        python3 -c '
import json, sys
r = json.load(sys.stdin)
x, y = r["state"]["x"], r["state"]["y"]
d = x * x + y * y - 1
e = r["energy"]["end"] - r["energy"]["start"]
# what is left of rounding is not worth its digits
print("%s, %s" % tuple("below 1e-12" if abs(v) < 1e-12 else "%.1e" % v for v in (d, e)), end="")'
}

echo "| stepper | no law | Baumgarte, w = mu = 5 | w = mu = 20 | cubic | projection |"
echo "|---|---|---|---|---|---|"
while read -r name options; do
    printf '| %s | ' "$name"
    measure "$options" drift.rhe --set w=0 --set mu=0
    printf ' | '
    measure "$options" drift.rhe
    printf ' | '
    measure "$options" drift.rhe --set w=20 --set mu=20
    printf ' | '
    measure "$options" drift_cubic.rhe
    printf ' | '
    measure "$options" drift_projected.rhe
    printf ' |\n'
done <<EOF
euler_0.001 euler --step 0.001
rk2_0.01 rk2 --step 0.01
rk3_0.01 rk3 --step 0.01
rk4_0.01 rk4 --step 0.01
dp5_0.01 dp5 --step 0.01
dop853_1e-8 dop853 --tol 1e-8
cvode_1e-8 cvode --tol 1e-8
taylor_1e-13 taylor
EOF
