# Programs: roots, verdicts, overshoot and limits; over a box, proved; functions of one's own. Numbers to ten digits.
short() { sed -E 's/([0-9]\.[0-9]{9})[0-9]+/\1/g; s/followed to t = [0-9.e+]+/followed to t = T/'; }
box=tests/golden/models/perturbation_box.rhe
rheonom program examples/pendulum_program/model.rhe
rheonom program examples/pendulum_program/cubic.rhe | short
rheonom program examples/bertrand/model.rhe
rheonom program $box
rheonom program $box --box "z=-pi:pi" | grep -v "^worst" | sed -E "s/all [0-9]+ points/all N points/"
rheonom program $box --box "z=-pi:pi" --certify | grep "^verdict"
rheonom program $box --box "z=-pi:pi" --certify --set b=16 | grep "before\|^verdict" | short
rheonom program $box --box "z=-pi:pi" --certify --set b=16 --matrix "[[1.125, 0.125], [0.125, 0.15625]]" | grep "^verdict"
rheonom program tests/golden/models/perturbation_overshoot.rhe --json | short
rheonom program $box --box "z=-1:1" --json | grep -o '"kind": "[^"]*"\|"worst": {"value"\|"samples"\|"cells": 0'
printf 'coord y\nkinetic y%s/2\nconstraint u: y = 0 with u%s = -u^3 - u%s\nstart y = 0.1\n' "'^2" "''" "'" >"$TMP/cubic.rhe"
rheonom program "$TMP/cubic.rhe" --function "u^4/4 + u'^2/2 + u*u'/4 + u^2/8" --box "y=-1:1, y'=-1:1" | short
rheonom program "$TMP/cubic.rhe" --function "u^4/4 + u'^2/2" --box "y=-1:1, y'=-1:1" --json | grep -o '"function": {"verdict": "[^"]*"'
# functions that are proved, functions that are not 0 on the program; periods, seen and given
printf 'coord y\nkinetic y%s/2\nconstraint u: y = 0 with u%s = -u - u%s - u^3\nstart y = 0.1\n' "'^2" "''" "'" >"$TMP/root.rhe"
rheonom program "$TMP/root.rhe" --function "5*u^2/8 + u*u'/4 + u'^2/2" --box "y=-0.5:0.5, y'=-0.5:0.5" --certify | grep -A 1 "^given\|^verdict" | short
rheonom program "$TMP/cubic.rhe" --function "1 + u^4/4 + u'^2/2 + u*u'/4 + u^2/8" --box "y=-1:1, y'=-1:1" | grep -A 1 "^given\|^verdict" | short
printf 'coord y\nkinetic y%s/2\nconstraint u: y = 0 with u%s = -(2 + sin(t))*u - 2*u%s\nstart y = 0.1\n' "'^2" "''" "'" >"$TMP/timed.rhe"
rheonom program "$TMP/timed.rhe" | grep "^verdict" | short
rheonom program "$TMP/timed.rhe" --period 12.566370614359172 --json | grep -o '"period": [0-9.]*, "multiplier": [0-9.e-]*' | short
rheonom program "$TMP/timed.rhe" --period 6 | grep "^verdict"
# along a run: what was predicted, and steps that are too long
rheonom run examples/pendulum_program/model.rhe --until 2 --quiet | tail -n 2
rheonom run examples/pendulum_program/model.rhe --until 2 --quiet --json | grep -o '"programs": {"rod": {"start": 0.13' 
rheonom run $box --until 1 --quiet | tail -n 1
rheonom run tests/golden/models/perturbation_overshoot.rhe --until 3.9 --method euler --step 0.39 2>&1 | grep "warning\|^method"
rheonom run examples/pendulum_program/drift.rhe --until 10 --method rk4 --step 0.01 --points 2 --out - | tail -n 1 | cut -d, -f7 | cut -c1-12
# laws and projection side by side (the table of examples/pendulum_program)
sh examples/pendulum_program/table.sh rheonom | grep "stepper\|^| euler\|^| rk4"
