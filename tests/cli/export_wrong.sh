# Exports that are refused.
try() {
    rheonom export "$@"
    echo "exit $?"
}
try examples/pendulum/model.rhe
try examples/pendulum/model.rhe --c "$TMP/c" --until soon
try examples/pendulum/model.rhe --c "$TMP/c" --tol 2
try examples/pendulum/model.rhe --c "$TMP/c" --until -1
try examples/sleigh_one_sided/model.rhe --c "$TMP/c"
try examples/stick_slip/model.rhe --c "$TMP/c"
try examples/quarter_car/model.rhe --c "$TMP/c"
try tests/cli/models/resetting.rhe --c "$TMP/c"
try examples/beghin_servo/model.rhe --c "$TMP/c" --until 10 2>&1 | sed "s/at t = .*/at .../" # it comes to an end before
ls "$TMP"

# What is there already stays.
mkdir "$TMP/mine" && echo "mine" >"$TMP/mine/model.h"
(cd "$TMP" && rheonom export "$OLDPWD/examples/pendulum/model.rhe" --c mine; echo "exit $?"; cat mine/model.h)
(cd "$TMP" && rheonom export "$OLDPWD/examples/pendulum/model.rhe" --c mine/model.h; echo "exit $?")
(cd "$TMP" && rheonom export "$OLDPWD/examples/pendulum/model.rhe" --c nowhere/c; echo "exit $?")
