# Calls of steady and linearise that are wrong, and answers that are none.
try() { rheonom "$@" >/dev/null; echo "exit $?"; }
try steady examples/pendulum/model.rhe --fix theta
try steady examples/pendulum/model.rhe --fix theta=much
try steady examples/rolling_disc/model.rhe --fix theta=w3/2
try steady examples/rolling_disc/model.rhe --fix h=1 --fix theta=h/2
try steady examples/rolling_disc/model.rhe --guess "w2=sqrt(-a)"
try linearise examples/rolling_disc/model.rhe --guess "w2=2*"
try steady examples/rolling_disc/model.rhe --fix "m*g=1"
try steady examples/rolling_disc/model.rhe --continue "m*g=1:2"
try steady examples/rolling_disc/model.rhe --continue "w9=1:2"
try steady examples/pendulum/model.rhe --fix thetta=1
try steady examples/pendulum/model.rhe --guess thetta=1
try steady examples/pendulum/model.rhe --fix theta=0 --fix theta=1
try steady examples/pendulum/model.rhe --guess theta=0 --guess theta=1
try steady examples/rolling_disc/model.rhe --guess h=3
try steady examples/rolling_disc/model.rhe --fix h=1 --guess h=3
try steady examples/rolling_disc/model.rhe --guess "phi'=3"
try steady examples/pendulum/model.rhe --require best
try steady examples/pendulum/model.rhe --out table.csv
try steady examples/pendulum/model.rhe --continue theta=0:1 --out table.txt
try steady examples/pendulum/model.rhe --continue theta=0:1 --out - --json
try steady examples/pendulum/model.rhe --continue theta=0
try steady examples/rolling_disc/model.rhe --fix theta=0.5 --continue psi=0:1
try steady examples/pendulum/model.rhe --time-limit soon
try steady examples/pendulum/model.rhe --time-limit 0
try steady examples/pendulum/model.rhe --time-limit 1e-9 2>&1 | sed 's/after [^;]*;/after a while;/; s/found; .*/found/'
try steady examples/pendulum/model.rhe --continue theta=0:1 --time-limit 0
try steady examples/moving_circle/model.rhe
try steady examples/bouncing_ball/model.rhe
try steady examples/quarter_car/model.rhe
printf "coord x\nkinetic x'^2/2\ndissipation x'^2/2\n" >"$TMP/drag.rhe"
try steady "$TMP/drag.rhe" --fix "x'=2"
try linearise examples/rolling_disc/model.rhe --output psi
try linearise examples/rolling_disc/model.rhe --output nothing
try linearise examples/rolling_disc/model.rhe --input nothing
try linearise examples/rolling_disc/model.rhe --fix theta=0.5 --fix w1=1
printf "param k = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint roll: y' - k*x*x' = 0\n" >"$TMP/roll.rhe"
try steady "$TMP/roll.rhe" --fix k=2
printf "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: -sign(x')\n" >"$TMP/dry.rhe"
rheonom steady "$TMP/dry.rhe" | grep -A1 verdict
rheonom linearise "$TMP/dry.rhe" | grep smooth
rheonom linearise "$TMP/dry.rhe" --json | grep -o '"switching.*'
# a puck that glides more easily along than across is free to spin, but not in velocities along axes at rest
printf "coord x, y, ps\nkinetic (x'^2 + y'^2 + ps'^2)/2\ndissipation (cos(ps)*x' + sin(ps)*y')^2 + (x'^2 + y'^2)/2\nquasi u = x'\n" >"$TMP/puck.rhe"
try steady "$TMP/puck.rhe" --fix "ps'=2"
sed '/^quasi/d' "$TMP/puck.rhe" >"$TMP/free.rhe"
rheonom steady "$TMP/free.rhe" --fix "ps'=2" | grep -E "^(positional|verdict)"
# states that are none of the model's, and states without a linear part
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\nstart x = 2, y = 1\n" >"$TMP/off.rhe"
try linearise "$TMP/off.rhe" 2>&1 | grep -v '^ \|off.rhe'
printf "coord r, p\nkinetic (r'^2 + r^2*p'^2)/2\npotential r^2\ndissipation r'^2 + r^2*p'^2\nstart r = 1\n" >"$TMP/polar.rhe"
rheonom steady "$TMP/polar.rhe" 2>/dev/null | sed -n '/^no steady/,$p'
rheonom steady "$TMP/polar.rhe" --json 2>/dev/null | grep -o '"singular": "[^"]*"'
printf "coord x, z\nkinetic (x'^2 + z'^2)/2\npotential 9.81*z + x^2\nconstraint floor: z >= 0 impact 0\nstart z = 0\n" >"$TMP/floor.rhe"
rheonom linearise "$TMP/floor.rhe" | grep acting
rheonom linearise "$TMP/floor.rhe" --json | grep -o '"acting.*'
try linearise "$TMP/floor.rhe" --start "z'=1"
