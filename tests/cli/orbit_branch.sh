# An orbit over a parameter: the place where it loses its stability, the table, the picture.
lorenz=tests/golden/models/r04_orbit_mu001.rhe
follow() { rheonom orbit $lorenz --free xi,eta --period 22 --symmetry "xi=-xi, p=-p" --continue mu=0.15:0.2 "$@"; }
follow --out "$TMP/branch.csv" --plot "$TMP/branch.svg" | sed -E 's/[0-9]+ orbits/N orbits/; s/\+- [0-9.e-]+,/+- W,/g; s/([0-9]\.[0-9]{8})[0-9]+/\1/g'
head -n 1 "$TMP/branch.csv"
cut -d , -f 12,13 "$TMP/branch.csv" | sort | uniq -c | sed -E 's/^ +[0-9]+ /  /'
tail -n 1 "$TMP/branch.csv" | cut -d , -f 1-3 | sed -E 's/([0-9]\.[0-9]{9})[0-9]+/\1/g'
grep -c "<path" "$TMP/branch.svg"
follow --out - | cut -d , -f 13 | grep -v point
follow --json | sed -E 's/("points": )[0-9]+/\1N/; s/("(width|period_error)": )[^,]*/\1W/g; s/([0-9]\.[0-9]{8})[0-9]+/\1/g'
# a branch that ends early keeps what it has
printf 'param m = 0.5\nstate x, y\nlet a = m - x^2 - y^2\nlaw x%s = a*x - y\nlaw y%s = a*y + x\nstart x = 0.7, y = 0\n' "'" "'" >"$TMP/hopf.rhe"
exec 2>&1
rheonom orbit "$TMP/hopf.rhe" --continue m=0.5:-0.5 2>&1 | sed -E 's/[0-9]+ orbits/N orbits/; s/ to .*/ to M/; s/near .*/near M/'
rheonom orbit "$TMP/hopf.rhe" --continue m=0.5:-0.5 >/dev/null 2>&1
echo "exit $?"
# wrong calls
try() {
    rheonom orbit "$TMP/hopf.rhe" "$@"
    echo "exit $?"
}
try --continue m=1
try --continue m=1:1
try --continue =1:2
try --continue k=1:2
try --out branch.csv
try --continue m=0.5:0.6 --out branch.txt
try --continue m=0.5:0.6 --out - --json
try --continue m=0.5:0.6 --out no/such/folder/branch.csv
try --continue m=0.5:0.6 --plot no/such/folder/branch.svg
# a period that follows the parameter, a parameter that begins at zero
printf "param w = 1\ncoord x\nkinetic x'^2/2\npotential x^2/2 + x^4/4\nforce x: 3*cos(w*t)/10 - x'/10\nstart x = 0.5, x' = 0\n" >"$TMP/duffing.rhe"
rheonom orbit "$TMP/duffing.rhe" --period "2*pi/w" --continue w=0.7:2.5 | sed -E 's/[0-9]+ orbits/N orbits/; s/\+- [0-9.e-]+,/+- W,/g; s/([0-9]\.[0-9]{8})[0-9]+/\1/g'
rheonom orbit "$TMP/duffing.rhe" --period 6.283185307179586 --continue w=1:2.5 2>&1 >/dev/null | sed -E 's/at 1[0-9.]+/at W/; s/by [0-9.e-]+/by R/'
rheonom orbit "$TMP/duffing.rhe" --period "2*pi/x"
echo "exit $?"
rheonom orbit "$TMP/duffing.rhe" --period "2*pi/v"
echo "exit $?"
rheonom orbit examples/van_der_pol/model.rhe --continue mu=0:0.1 | sed -E 's/[0-9]+ orbits/N orbits/'
rheonom orbit examples/van_der_pol/model.rhe --continue mu=0.1:0 --quiet | sed -E 's/[0-9]+ orbits/N orbits/'
# a wall that is just touched: the amplitude F/sqrt((1 - w^2)^2 + w^2/100) is 1 at F = 0.51478...
printf "param F = 0.3, w = 0.7\ncoord x\nkinetic x'^2/2\npotential x^2/2\nforce x: F*cos(w*t) - x'/10\nconstraint wall: x >= -1 impact 0.8\nstart x = 0, x' = 0\n" >"$TMP/graze.rhe"
rheonom orbit "$TMP/graze.rhe" --period "2*pi/w" --continue F=0.3:0.8 2>&1 | sed -E 's/[0-9]+ orbits/N orbits/; s/(0\.51478)[0-9]*/\1/; s/meet [0-9]+/meet M/'
