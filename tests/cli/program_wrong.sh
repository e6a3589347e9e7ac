# What program refuses (exit 2), and steps that are too long for the laws.
try() {
    rheonom "$@"
    echo "exit $?"
}
box=tests/golden/models/perturbation_box.rhe
try program examples/pendulum/model.rhe
try program $box --box "z=1"
try program $box --box "zz=0:1"
try program $box --box "y=0:1"
try program $box --box "z=0:1" --matrix "[[1, 0], [0]]"
try program $box --box "z=0:1" --matrix "[[1, 2], [2, 1]]"
try program $box --function "aim^2"
try program $box --function "aim^2 + nobody" --box "z=0:1"
try program $box --time-limit -1
try program $box --until 3
try program $box --period -1
try run $box --until 1 --method euler
try run $box --until 1 --method taylor --step 0.1
try run $box --until 1 --method rk4 --step 0
try run $box --until 1 --method rk5
try sweep $box --until 1 --method rk4 --grid b=1:2:2 --out "$TMP/s.csv"
try run tests/golden/models/perturbation_overshoot.rhe --until 8 --method euler --step 0.41
try run tests/golden/models/perturbation_overshoot.rhe --until 8 --method euler --step 1e-300
# the limit may be passed on the way: what was computed is kept
printf 'coord x, y\nkinetic (x%s + y%s)/2\nconstraint u: y = 0 with u%s = -(4 + 20*x)*u - 4*u%s\nstart x = 0, y = 0.1, x%s = 1, y%s = 0\n' "'^2" "'^2" "''" "'" "'" "'" >"$TMP/moving.rhe"
try run "$TMP/moving.rhe" --until 5 --method euler --step 0.25 --quiet | head -n 3
