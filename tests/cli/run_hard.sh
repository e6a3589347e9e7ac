# Hard cases of run: a clear message, exit 3 (or 2 for the call), and what was computed is kept.
few() { sed -E 's/(where x = [0-9]+)\.[0-9]+/\1/; s/([0-9]+\.[0-9]{3})[0-9]+/\1/g; s/= [0-9.]+e-[0-9]+/= (tiny)/g'; } # digits that do not depend on the build
try() { # name, what is kept at least (rows with the names), arguments; the model comes in
    name=$1 rows=$2
    shift 2
    rm -f "$TMP/rows.csv"
    rheonom run - --quiet --until 3 --out "$TMP/rows.csv" "$@" >"$TMP/out" 2>"$TMP/err"
    echo "$name: exit $?"
    few <"$TMP/err"
    [ ! -f "$TMP/rows.csv" ] || [ "$(wc -l <"$TMP/rows.csv")" -gt "$rows" ] || echo "rows are lost"
    [ ! -f "$TMP/rows.csv" ] || tail -n 1 "$TMP/rows.csv" | grep '^#' | few
}
# forces that are no numbers, or infinite: on the way, at the start
try "a root of less than zero" 20 <<'M'
coord x
kinetic x'^2/2
force x: sqrt(1 - x)
start x = 0, x' = 1
M
try "an infinite force" 20 <<'M'
coord x
kinetic x'^2/2
force x: 1/(1 - x)
start x = 0, x' = 1
M
try "an infinite force and a constraint" 20 <<'M'
coord x, y
kinetic (x'^2 + y'^2)/2
force y: 1/(0.8 - y)
constraint ring: x^2 + y^2 = 1
start x = 1, y = 0, x' = 0, y' = 1
M
try "too large for numbers" 20 <<'M'
state x
law x' = exp(x)
start x = 1/2
M
try "infinite at the start" 0 <<'M'
coord x
kinetic x'^2/2
force x: 1/x
start x = 0, x' = 0
M
try "no number at the start" 0 <<'M'
coord x
kinetic x'^2/2
force x: log(x)
start x = -1, x' = 0
M
# inertia: on the way, at the start
try "inertia fades" 20 <<'M'
coord x
kinetic (1 - x)*x'^2/2
force x: 1
start x = 0, x' = 1
M
try "no inertia" 0 <<'M'
coord x, y
kinetic x'^2/2
potential y^2/2
start x = 0, y = 1
M
try "a pole" 0 <<'M'
coord r, phi
kinetic (r'^2 + r^2*phi'^2)/2
force phi: 1
start r = 0, phi = 0, r' = 1, phi' = 0
M
# constraints that come to contradict each other
try "a rod that cannot follow" 1 <<'M'
coord x, y
kinetic (x'^2 + y'^2)/2
constraint rod: x^2 + y^2 = 1
constraint pull: x = t/2 + t^2/100
start x = 0, y = 1, x' = 1/2, y' = 0
M
# the disc: lying flat there is no way to tell its angles apart; a disc that falls passes there
disc=examples/rolling_disc/model.rhe
try "the disc lies flat" 0 --start theta=pi/2 <$disc
try "the disc falls" 20 --start w3=0 --start "psi'=0" <$disc
sed -n 's/^energy .*, relative/the disc falls: relative/p' "$TMP/out"
# a start on a singular configuration is none for the motion
try "flat bars" 20 <tests/cli/models/flat.rhe
sed -n 's/^energy .*, relative/flat bars: relative/p;s/^unique .* since.*/flat bars: unique later/p' "$TMP/out"
# tolerances and times
for tolerance in 0 -1e-9 1e-30 1 nan; do
    rheonom run $disc --until 1 --tol $tolerance 2>&1
    echo "tolerance $tolerance: exit $?"
done
rheonom run $disc --until 1 --tol 1e-18 --quiet >/dev/null
echo "tolerance 1e-18: exit $?"
rheonom run $disc --until -1 2>&1
echo "the past: exit $?"
rheonom run $disc --until 0 --quiet | sed -n 's/^reached/now: reached/p'
# files: no folder, a folder in their place, a file in the place of their folder
mkdir "$TMP/a.csv" "$TMP/a.svg"
: >"$TMP/file"
for out in no/such/folder/a.csv "$TMP/a.csv" "$TMP/file/a.csv"; do
    rheonom run $disc --until 1 --out "$out" 2>&1 | sed "s|$TMP|...|"
    rheonom run $disc --until 1 --out "$out" >/dev/null 2>&1
    echo "out: exit $?"
done
for plot in no/such/folder/a.svg "$TMP/a.svg" "$TMP/file/a.svg"; do
    rheonom run $disc --until 1 --plot "$plot" --out "$TMP/table.csv" 2>&1 | sed "s|$TMP|...|"
    rheonom run $disc --until 1 --plot "$plot" --out "$TMP/table.csv" >/dev/null 2>&1
    echo "plot: exit $?"
done
ls "$TMP" # nothing was begun
# files that may not grow: whole rows are kept, a picture is whole or not there
lorenz=examples/lorenz/model.rhe
(ulimit -f 16 && rheonom run $lorenz --until 100 --quiet --out "$TMP/long.csv" >/dev/null 2>"$TMP/err")
echo "a long table: exit $?"
sed "s|$TMP|...|;s/ends at t = .* instead/ends at t = ... instead/" "$TMP/err"
(ulimit -f 4 && rheonom run $lorenz --until 10 --quiet --plot "$TMP/large.svg" >/dev/null 2>"$TMP/err")
echo "a large picture: exit $?"
sed "s|$TMP|...|" "$TMP/err"
awk -F , 'NF != 4 { bad++ } END { print (NR > 50 && bad == 0 ? "whole rows" : NR " rows, " bad " are not whole") }' "$TMP/long.csv"
ls "$TMP"
