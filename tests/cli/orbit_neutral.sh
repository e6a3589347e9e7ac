# Where multipliers lie on the unit circle nothing is decided: in words, in JSON and in tables alike.
printf "param a = 1, q = 1\ncoord x\nlaw x'' = -(a - 2*q*cos(2*t))*x\nstart x = 0, x' = 0\n" >"$TMP/mathieu.rhe"
# tables of Mathieu's equation: a0 = -0.4551386, b1 = -0.1102488, a1 = 1.8591081, b2 = 3.9170248, a2 = 4.3713010
follow() { rheonom orbit "$TMP/mathieu.rhe" --period pi --continue a=-2:8 "$@"; }
follow --out "$TMP/m.csv" | sed -E 's/[0-9]+ orbits/N orbits/; s/ = (-?[0-9]\.[0-9]{5})[0-9]*/ = \1/; s/\+- [0-9.e-]+,/+- W,/'
awk -F, '$10 == "point" { there = $1 < -0.4551387 || ($1 > -0.1102488 && $1 < 1.859108) || ($1 > 3.9170247 && $1 < 4.371301) ? "0" : ""
    if ($9 != there) print "wrong at", $1, $9 }' "$TMP/m.csv"
cut -d , -f 9 "$TMP/m.csv" | sort -u
follow --json | grep -o '"stable": [a-z]*'
for a in 1 3; do
    rheonom orbit "$TMP/mathieu.rhe" --period pi --set a=$a | grep "^stable"
    rheonom orbit "$TMP/mathieu.rhe" --period pi --set a=$a --json | grep -o '"stable": [a-z]*\|"verdict".*'
done
# on an energy level the integral is a constraint, and a pair on the circle says as little
printf "param E = 0.1\ncoord x, y\nkinetic (x'^2+y'^2)/2\npotential (x^2+y^2)/2 + x^2*y - y^3/3\nconstraint lev: (x'^2+y'^2)/2 + (x^2+y^2)/2 + x^2*y - y^3/3 = E\nstart x = 0, x' = 0\nguess y = 0, y' = 0.44\n" >"$TMP/henon.rhe"
for with in "--period 6.5" "--free y,y'"; do
    rheonom orbit "$TMP/henon.rhe" $with --continue E=0.1:0.16 | sed -E 's/[0-9]+ orbits/N orbits/; s/ = (0\.[0-9]{8})[0-9]*/ = \1/; s/\+- .*, /.. /'
    rheonom orbit "$TMP/henon.rhe" $with --json | grep -o '"stable": [a-z]*\|"verdict".*'
done
# a damped pendulum at rest on its side of the axis is decided
printf "coord x\nkinetic x'^2/2\npotential -cos(x)\nforce x: -x'\nstart x = 0\n" >"$TMP/rest.rhe"
rheonom orbit "$TMP/rest.rhe" --json 2>/dev/null | grep -o '"stable": [a-z]*\|"verdict".*'
