# What chart refuses (exit 2) and what it cannot find (exit 3).
try() {
    rheonom chart "$@"
    echo "exit $?"
}
disc=examples/rolling_disc/model.rhe
x="--x w3=0:1:3"
y="--y theta=0.1:1:3"
try $disc
try $disc $x
try $disc --x w3=0:1 $y
try $disc --x w3=0:1:1 $y
try $disc --x w3=0:1:2.5 $y
try $disc --x w3=1:1:5 $y
try $disc --x w3=:1:5 $y
try $disc --x =0:1:5 $y
try $disc --x w3=0:nan:5 $y
try $disc --x w3=0:1:99999999999999999999 $y
try $disc --x w3=0:1:200000 $y
try $disc $x $x
try $disc $x --y w3=0:2:3
try $disc $x --y "thetta=0:1:3"
try $disc $x --y "m*g=1:2:3"
try $disc $x $y --fix w3=1
try $disc $x $y --fix "w2=w3"
try $disc $x $y --fix q=1
try $disc $x $y --solve w2,
try $disc $x $y --solve w9
try $disc $x $y --solve psi
try $disc $x $y --solve theta
try $disc $x $y --branch 0
try $disc $x $y --branch 7
try $disc $x $y --branch one
try $disc $x $y --out chart.png
try $disc $x $y --out - --json
try $disc $x $y --out "$TMP/none/chart.svg" 2>&1 | sed "s|$TMP|TMP|"
try $disc $x $y --curves curves.svg
try $disc $x $y --time-limit 0
try $disc $x $y --time-limit soon
try $disc $x $y -j 0
try $disc $x --y h=0.1:1:3
try $disc $x $y --until 3
printf 'param a = 1, b = 1\nstate x\nlaw x%s = a^2 + b^2 + x^2\nstart x = 0\n' "'" >"$TMP/none.rhe"
try "$TMP/none.rhe" --x a=1:2:3 --y b=1:2:3 2>&1 | sed "s/from [0-9]* starts/from N starts/"
printf 'param a = 1, b = 1\nstate x\nlaw x%s = sin(t)*a - b*x\nstart x = 0\n' "'" >"$TMP/timed.rhe"
try "$TMP/timed.rhe" --x a=1:2:3 --y b=1:2:3
try $disc --x w3=0:1:10000 --y theta=0.1:1:10000
