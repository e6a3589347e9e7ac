# What orbit refuses (exit 2) and what it cannot find (exit 3).
try() {
    rheonom orbit "$@"
    echo "exit $?"
}
vdp=examples/van_der_pol/model.rhe
try $vdp --free y
try $vdp --free velocity_of_it
try $vdp --period -1
try $vdp --period soon
try $vdp --period 0
try $vdp --fix-period
try $vdp --symmetry "x=-x"
try $vdp --symmetry "x=-x, y=-v"
try $vdp --symmetry "x"
try $vdp --symmetry "x=x*v"
try $vdp --symmetry "x=-x, x=x"
try $vdp --symmetry "x=-x v"
try $vdp --symmetry "x=2*"
try $vdp --plot picture.png
printf 'state x\nlaw x%s = sin(t) - x\nstart x = 0\n' "'" >"$TMP/timed.rhe"
try "$TMP/timed.rhe"
try "$TMP/timed.rhe" --period 6
printf 'state x\nlaw x%s = 1 + x^2\nstart x = 0\n' "'" >"$TMP/away.rhe"
try "$TMP/away.rhe" --quiet | sed -E 's/[0-9.e-]{6,}/N/g'
try "$TMP/away.rhe" --period 1 --quiet >/dev/null
try "$TMP/away.rhe" --period 1 --json 2>/dev/null | grep -o '"status": "failed"\|"stable": null\|exit .'
# an event that stops
printf "state x, v\nlaw x' = v\nlaw v' = (1 - x^2)*v - x\nstart x = 2, v = 0\nevent low: x = -1 down stop\n" >"$TMP/stop.rhe"
rheonom orbit "$TMP/stop.rhe" --period 6.66 2>&1 >/dev/null
echo "exit $?"
# a table that cannot be written
ln -s /dev/full "$TMP/full.csv"
try $vdp --continue mu=1:2 --out "$TMP/full.csv" --quiet
# known before anything is computed: the model is not even read
try "$TMP/absent.rhe" --plot no/such/folder/round.svg
try "$TMP/absent.rhe" --continue mu=1:2 --out no/such/folder/branch.csv
