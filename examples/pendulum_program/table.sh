#!/bin/sh
# table.sh [PROGRAM]: what steppers make of the rod of the pendulum, without a law, with Baumgarte's, with a nonlinear
# one, and with projection: the deviation x^2 + y^2 - 1 at t = 10 and the change of energy, which should be none.
# Prints the table of README.md.
set -eu
program=${1:-rheonom}
here=$(dirname "$0")

# method and its options; model and its options -> "deviation, change of energy"; what is rounding is not worth its digits
measure() {
    # shellcheck disable=SC2086
    "$program" run "$here/$2" --until 10 --method $1 --quiet --json ${3:-} ${4:-} ${5:-} ${6:-} | tr ',{}' '\n' |
        awk -F': ' '
            function shown(v) { return v < 1e-12 && v > -1e-12 ? "below 1e-12" : sprintf("%.1e", v) }
            $1 ~ /"x"$/ { x = $2 }
            $1 ~ /"y"$/ { y = $2 }
            $1 ~ /"energy"$/ { left = 2; next }
            left == 2 && $1 ~ /"start"$/ { from = $2; left = 1 }
            left == 1 && $1 ~ /"end"$/ { to = $2; left = 0 }
            END { printf "%s, %s", shown(x * x + y * y - 1), shown(to - from) }'
}

echo "| stepper | no law | Baumgarte, w = mu = 5 | w = mu = 20 | cubic | projection |"
echo "|---|---|---|---|---|---|"
while read -r name options; do
    printf '| %s | ' "$(echo "$name" | tr _ ' ')"
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
euler,_h=0.001 euler --step 0.001
rk2,_h=0.01 rk2 --step 0.01
rk3,_h=0.01 rk3 --step 0.01
rk4,_h=0.01 rk4 --step 0.01
dp5,_h=0.01 dp5 --step 0.01
dop853,_tol=1e-8 dop853 --tol 1e-8
cvode,_tol=1e-8 cvode --tol 1e-8
taylor,_tol=1e-13 taylor
EOF
