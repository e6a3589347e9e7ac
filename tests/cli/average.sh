# Averaged reactions: over one orbit, zero in a box, none in a box, and what is refused.
short() { sed -E 's/-?[0-9]\.?[0-9]*e-(1[2-9]|[2-9][0-9])/0/g; s/(0\.[0-9]{9})[0-9]+/\1/g; s/([0-9]{2}\.[0-9]{7})[0-9]+/\1/g'; }
try() {
    rheonom average "$@"
    echo "exit $?"
}
lorenz=examples/lorenz_chetaev/averaging.rhe
try $lorenz
try $lorenz --unknown xi=0.3:1 --unknown eta=0.5:1 | sed '/^starts/,/^exit/{/^exit/!d}'
rheonom average $lorenz --unknown xi=0.5:0.7 --unknown eta=0.8:0.9 --json | sed -E 's/, "failures".*//; s/"residual": [^,]*/"residual": R/; s/"means": \{[^}]*\}/"means": M/' | short
# no solution is an answer
try $lorenz --set sigma=1 --set b=5 --unknown xi=0.3:1 --unknown eta=0.5:1 | head -n 1
rheonom average $lorenz --set sigma=1 --set b=5 --unknown xi=0.3:1 --unknown eta=0.5:1 --json | grep -o '"solutions": \[\]'
rheonom average $lorenz --unknown xi=0.3:1 --unknown eta=0.5:1 --plot "$TMP/curves.svg" >/dev/null
grep -c "<path" "$TMP/curves.svg"
exec 2>&1
try $lorenz --unknown xi=0.3:1
try $lorenz --unknown xi=1:0.3 --unknown eta=0.5:1
try $lorenz --unknown xi=0.3 --unknown eta=0.5:1
try $lorenz --unknown xj=0.3:1 --unknown eta=0.5:1
try $lorenz --unknown xi=0.3:1 --unknown xi=0.5:1
try $lorenz --plot curves.svg
try $lorenz --plot curves.png --unknown xi=0:1
try examples/lorenz_chetaev/level_only.rhe
try examples/van_der_pol/model.rhe
try examples/chetaev_system/model.rhe
try examples/lorenz_chetaev/averaging.rhe --start xi=0 --start eta=1 | tail -n 2
# on a separatrix and just beside it: 4 K(k)/w with w^2 = eta - 1 + D^2, k^2 = D^2/(2 w^2)
try $lorenz --set eta0=0.5 --set D=1
rheonom average $lorenz --set eta0=0.5 --set D=1 --json 2>/dev/null | grep -o '"period": [^,]*\|"means": [^,]*'
for D in 1.0001 1.000001; do rheonom average $lorenz --set eta0=0.5 --set D=$D | grep period; done
try $lorenz --set eta0=0.3 --set D=1.1832159566199232 | tail -n 2
printf "state x, v\nlaw x' = v\nlaw v' = -x - x^3\nselect v\nconstraint level: v^2 + x^2 + x^4/2 = const\nstart x = 1, v = 0\n" >"$TMP/own.rhe"
try "$TMP/own.rhe" --unknown x=0.5:2
rheonom average "$TMP/own.rhe" --unknown x=0.5:2 --json | grep -o '"vanishing": .*'
# unknowns that do not say what is held
printf "param mu=0.1\nstate x, v, y, u\nlaw x' = v\nlaw v' = -x + mu*(1-x^2)*v + mu*0.2*y^2*v\nlaw y' = u\nlaw u' = -y + mu*(1-y^2)*u - mu*0.3*x^2*u\nselect v, u\nconstraint ex: x^2+v^2 = const\nconstraint ey: y^2+u^2 = const\nstart x=1, v=0, y=0, u=1\n" >"$TMP/two.rhe"
rheonom average "$TMP/two.rhe" --unknown x=0.5:3 --unknown v=0.5:3 | grep "^solution\|eigenvalues\|stable"
# known before anything is computed: the model is not even read
rheonom average "$TMP/absent.rhe" --unknown x=0.5:2 --plot "$TMP/none/curves.svg" 2>&1 | sed "s|$TMP/||"
