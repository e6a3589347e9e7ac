# Wrong calls of run: one line on stderr, nothing on stdout, exit 2.
try() {
    rheonom run "$@"
    code=$?
    [ "$code" -eq 2 ] || echo "rheonom run $*: exit $code"
}
model=examples/pendulum/model.rhe
try $model
try $model --until
try $model --until ten
try $model --until 0x10
try $model --until inf
try $model --until 1e999
try $model --until 1 --until 2
try $model --until -1
try $model --until 1 --tol 0
try $model --until 1 --tol -1e-9
try $model --until 1 --tol 1.5
try $model --until 1 --tol 1e-300
try $model --until 1 --atol thet=1e-6
try $model --until 1 --atol zzzzzzzz=1e-6
try $model --until 1 --atol theta
try $model --until 1 --atol theta=
try $model --until 1 --atol theta=0
try $model --until 1 --atol theta=nan
try $model --until 1 --points 1
try $model --until 1 --points 2.5
try $model --until 1 --points many
try $model --until 1 --points 5 --at 1
try $model --at 1,,2
try $model --at 1,2,
try $model --at ''
try $model --until 1 --at 0.5,2
try $model --at -1,1
try $model --until 1 --time-limit 0
try $model --until 1 --out table.txt
try $model --until 1 --out .csv
try $model --until 1 --out no/such/folder/table.csv
try $model --until 1 --plot picture.png
try $model --until 1 --plot no/such/folder/picture.svg
try $model --until 1 --json --out -
try $model --until 1 --method taylr
try $model --until 1 --method zzzzzzzz
try $model --until 1 --tier emited
try $model --until 1 --tier zzzzzzzz
try $model --until 1 --stage ast
try no_such_model.rhe --until 1
# checkpoints
state=$TMP/a.state
rheonom run $model --until 1 --checkpoint "$state" >/dev/null
cp "$state" "$TMP/whole"
{
    try $model --until 1 --checkpoint-every 10
    try $model --until 1 --checkpoint "$TMP/b.state" --checkpoint-every 0
    try $model --until 1 --checkpoint "$TMP/b.state" --checkpoint-every often
    try $model --until 1 --checkpoint no/such/folder/a.state
    try $model --until 1 --resume no_such.state
    try $model --until 0.1 --resume "$state"
    try $model --until 1 --tol 1e-9 --resume "$state"
    try $model --until 1 --method dop853 --resume "$state"
    try $model --until 1 --no-presolve --resume "$state"
    try $model --until 1 --tier interpreted --resume "$state"
    try $model --until 1 --start theta=1 --resume "$state"
    try examples/lorenz/model.rhe --until 1 --resume "$state"
    try $model --until 1 --resume $model
    try $model --until 1 --resume /dev/null
    head -c 100 "$TMP/whole" >"$state"
    try $model --until 1 --resume "$state"
    { cat "$TMP/whole"; echo; } >"$state"
    try $model --until 1 --resume "$state"
    sed 's/checkpoint 5/checkpoint 7/' "$TMP/whole" >"$state"
    try $model --until 1 --resume "$state"
    sed 's/event times/event tames/' "$TMP/whole" >"$state"
    try $model --until 1 --resume "$state"
} 2>&1 | sed "s|$TMP/||g" >&2
# a wrong model
rheonom run tests/cli/models/wrong.rhe --until 1 --quiet
echo "wrong model: exit $?"
