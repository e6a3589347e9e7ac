# A point of rest is no orbit: exit 3. The search goes on along the motion first.
printf "param mu = 1\nstate x, v\nlaw x' = v\nlaw v' = mu*(1 - x^2)*v - x\nstart x = 0.001, v = 0\n" >"$TMP/vdp.rhe"
rheonom orbit "$TMP/vdp.rhe" --period 6.3 | grep "^period \|^stable\|found"
# with nothing but the rest to go to
rheonom orbit "$TMP/vdp.rhe" --period 6.3 --free x,v 2>&1 | grep "found\|^point\|^period"
rheonom orbit "$TMP/vdp.rhe" --period 6.3 --free x,v >/dev/null 2>&1
echo "exit $?"
rheonom orbit "$TMP/vdp.rhe" --period 6.3 --free x,v --continue mu=1:2 >/dev/null 2>&1
echo "exit $?"
printf "coord x\nkinetic x'^2/2\npotential -cos(x)\nforce x: -x'/5\nstart x = 0\n" >"$TMP/hanging.rhe"
rheonom orbit "$TMP/hanging.rhe" --json 2>&1 | grep -o "found.*\|\"status\": [^,]*\|\"period\": [^,]*"
rheonom orbit "$TMP/hanging.rhe" >/dev/null 2>&1
echo "exit $?"
rheonom orbit tests/golden/models/r04_equilibrium.rhe --quiet >/dev/null 2>&1
echo "exit $?"
# just after a jump: v <- 2 - v/2 at the ground has the fixed point 4, so that the period is 8/g
printf "state y, v\nlaw y' = v\nlaw v' = -10\nevent hit: y = 0 down reset v = 2 - v/2\nstart y = 0, v = 4\n" >"$TMP/ball.rhe"
rheonom orbit "$TMP/ball.rhe" | grep "^period \|  0\|  1\|events"
# a compass walker (Goswami, Espiau, Keramane): just after its foot struck
cat >"$TMP/gait.rhe" <<'END'
param m = 5, mh = 10, a = 0.5, b = 0.5, l = a + b, g = 9.81, slope = 0.0525
coord qs, qn
let hip = [-l*sin(qs), l*cos(qs)]
let ms = [-a*sin(qs), a*cos(qs)]
let mn = hip + b*[sin(qn), -cos(qn)]
kinetic mh/2*dot(hip', hip') + m/2*dot(ms', ms') + m/2*dot(mn', mn')
potential mh*g*hip.y + m*g*ms.y + m*g*mn.y
let al = qs - qn
let h1 = -m*a*b*qn' + (-m*a*b + (mh*l^2 + 2*m*a*l)*cos(al))*qs'
let h2 = -m*a*b*qs'
let Q11 = m*b*(b - l*cos(al))
let Q12 = m*l*(l - b*cos(al)) + m*a^2 + mh*l^2
let Q22 = -m*b*l*cos(al)
let D = Q11*Q22 - Q12*m*b^2
event strike: if(qn - qs > 0.1, qs + qn + 2*slope, 1) = 0 down reset qs = qn, qn = qs, qs' = (-m*b^2*h1 + Q11*h2)/D, qn' = (Q22*h1 - Q12*h2)/D
start qs = 0.21877462, qn = -0.32377462, qs' = -1.09286681, qn' = -0.37613459
END
rheonom orbit "$TMP/gait.rhe" | grep "^period \|^stable\|events"
for start in "--start qs=0.2187 --start qn=-0.3234" "--start qs=0.22 --start qn=-0.325 --start qs'=-1.1 --start qn'=-0.36"; do
    rheonom orbit "$TMP/gait.rhe" $start 2>&1 | grep "^period "
done
# what is ended early was not found, and has no period
rheonom orbit "$TMP/vdp.rhe" --start x=2 --set mu=1000 --time-limit 0.5 --json 2>&1 | sed -E 's/after [0-9]+ iterations?/after N/' | grep -o "ended before it converged.*\|\"status\": [^,]*\|\"period\": [^,]*\|\"multipliers\": [^,]*"
rheonom orbit "$TMP/vdp.rhe" --start x=2 --set mu=1000 --time-limit 0.5 2>/dev/null | grep "^period "
rheonom orbit "$TMP/vdp.rhe" --start x=2 --set mu=1000 --time-limit 0.5 >/dev/null 2>&1
echo "exit $?"
