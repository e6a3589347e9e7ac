# What inverse cannot be asked (exit 2), models that are wrong (exit 1), and a question that is broken off (exit 3).
try() {
    rheonom inverse "$@"
    echo "exit $?"
}
try examples/lorenz/model.rhe
try examples/chetaev_system/mixed.rhe
try examples/knife_edge/vakonomic.rhe
try examples/four_bar/n40.rhe
try examples/woodpecker/model.rhe
try examples/pendulum/model.rhe --time-limit soon
try examples/pendulum/model.rhe --time-limit 0
try examples/pendulum/model.rhe --points 3
try examples/flywheel/across.rhe 2>&1 | grep -o 'error.E[0-9]*.\|exit .'
try examples/double_pendulum/model.rhe --time-limit 1e-9 | grep "Lagrangian\|open\|exit"
printf "param k = 0\ncoord x\nlaw x'' = -x/k\n" >"$TMP/zero.rhe"
try "$TMP/zero.rhe"
