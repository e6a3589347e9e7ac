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
# Each of its files must be one of ours; links are not.
rheonom export examples/pendulum/model.rhe --c "$TMP/own" && rheonom export examples/pendulum/model.rhe --c "$TMP/own"
echo "again: exit $?"
for name in Makefile test.c README model.c; do
    rm -rf "$TMP/own" && rheonom export examples/pendulum/model.rhe --c "$TMP/own"
    echo "mine" >"$TMP/own/$name"
    (cd "$TMP" && rheonom export "$OLDPWD/examples/pendulum/model.rhe" --c own; echo "exit $?"; cat "own/$name")
done
rm -rf "$TMP/own" && rheonom export examples/pendulum/model.rhe --c "$TMP/own" && cp "$TMP/own/model.c" "$TMP/elsewhere.c"
rm "$TMP/own/model.c" && ln -s ../elsewhere.c "$TMP/own/model.c"
(cd "$TMP" && rheonom export "$OLDPWD/examples/double_pendulum/model.rhe" --c own; echo "exit $?")
rm "$TMP/own/model.c" && mkdir "$TMP/own/model.c"
(cd "$TMP" && rheonom export "$OLDPWD/examples/double_pendulum/model.rhe" --c own; echo "exit $?")
mkdir "$TMP/other" && echo "mine" >"$TMP/other/notes"
(cd "$TMP" && rheonom export "$OLDPWD/examples/pendulum/model.rhe" --c other; echo "exit $?"; ls other)
mkdir "$TMP/void" && rheonom export examples/pendulum/model.rhe --c "$TMP/void" && ls "$TMP/void"
