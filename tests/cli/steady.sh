# Steady motions: found, judged, followed; numbers to ten digits.
short() { sed -E 's/-?[0-9]\.?[0-9]*e-(1[3-9]|[2-9][0-9])/0/g; s/([0-9]\.[0-9]{9})[0-9]+/\1/g; s/real part to [^)]*/real part to E/; s/(to [0-9.e-]+)/(to E)/'; }
rheonom steady examples/rolling_disc/damped.rhe --set h=0.1 --fix theta=0.5 --fix w3=6 --guess w2=1 | short
rheonom steady examples/rolling_disc/damped.rhe --set h=0.1 --fix theta=0.5 --fix w3=6 --guess w2=1 --json |
    grep -o '"positional": [^]]*]\|"cyclic": [^]]*]\|"manifold_dimension": [0-9]*\|"zero_roots": [0-9]*\|"verdict": "[a-z ]*"\|"certified": [a-z]*\|"conditions": {[^}]*}' | uniq
# a point of rest
rheonom steady examples/pendulum/model.rhe | grep "point of rest\|verdict"
# what is required
rheonom steady examples/chaplygin_sleigh/model.rhe --fix w1=2 --require stable >/dev/null
echo "forwards: exit $?"
rheonom steady examples/chaplygin_sleigh/model.rhe --fix w1=-2 --require stable >/dev/null 2>&1
echo "backwards: exit $?"
# a family
rheonom steady examples/rolling_disc/model.rhe --set h=0.1 --fix theta=0 --fix w2=0 --continue w3=1:5 | sed -E 's/(2\.5573423705)[0-9]* \(to [^)]*\)/\1 (to E)/'
rheonom steady examples/rolling_disc/model.rhe --set h=0.1 --fix theta=0 --fix w2=0 --continue w3=1:5 --out "$TMP/family.csv" --json | grep -o '"kind": "change"\|"before": "[a-z ]*"\|"after": "[a-z ]*"'
head -1 "$TMP/family.csv"
grep -c ",point," "$TMP/family.csv"
rheonom steady examples/rolling_disc/model.rhe --set h=0.1 --fix theta=0 --fix w2=0 --continue w3=1:5 --require stable >/dev/null 2>&1
echo "not everywhere: exit $?"
# a quantity that is an expression
rheonom steady examples/chaplygin_sleigh/model.rhe --fix "2*w1=4" | grep "w1\|verdict" | sed 's/ = .*//'
rheonom steady examples/rolling_disc/model.rhe --set h=0.1 --fix theta=0 --fix w2=0 --continue "a*w3=1:5" | sed -E 's/(1\.2786711852)[0-9]* \(to [^)]*\)/\1 (to E)/'
# values that are expressions of parameters
rheonom steady examples/rolling_disc/model.rhe --set a=0.5 --fix theta=pi/6 --fix "w3=3/a" --guess "w2 = a" | grep "^  theta\|^  w3"
# a fold: the motion at it, and a bracket that holds it
printf "param r = 1\nstate x\nlaw x' = r + x - x^3\nstart x = 1.5\n" >"$TMP/cubic.rhe"
rheonom steady "$TMP/cubic.rhe" --continue r=1:-1 --out - | grep ',fold,\|,change,' | sed -E 's/([0-9]\.[0-9]{6})[0-9]*/\1/g; s/-?[0-9.]*e-[0-9]*/0/'
rheonom steady "$TMP/cubic.rhe" --continue r=1:-1 | sed -E 's/\(to [^)]*\)/(to E)/; s/([0-9]\.[0-9]{9})[0-9]+/\1/'
# linear systems
printf 'param M = 1, m = 0.2, l = 0.5, g = 9.81\ncoord x, th\ninput u = sin(t)\nkinetic M/2*x%s^2 + m/2*((x + l*sin(th))%s^2 + (l*cos(th))%s^2)\npotential m*g*l*cos(th)\nforce x: u\n' "'" "'" "'" >"$TMP/cart.rhe"
rheonom linearise "$TMP/cart.rhe" --input u --output th --output "x' + l*th'" | short
rheonom linearise "$TMP/cart.rhe" --input u --json | grep -o '"states": [^]]*]\|"inputs": [^]]*]\|"steady": [a-z]*'
rheonom linearise examples/rolling_disc/model.rhe --fix theta=0.5 --fix w3=6 --guess w2=1 --input h --output w1 | grep "steady at" | short
# a real root between two others of one real part
printf 'coord x, y\nkinetic (x%s^2 + y%s^2)/2\npotential x^2/2 + y^4\nstart x = 0.1, y = 0.1\n' "'" "'" >"$TMP/flat.rhe"
rheonom steady "$TMP/flat.rhe" | sed -n '/^roots/,/^verdict/s/ *(.*//p'
