# --repair: a start that violates constraints is moved to the nearest that does not.
model=tests/cli/models/uphill.rhe
rheonom run $model --until 1 --quiet
echo "without: exit $?"
rheonom run $model --until 1 --repair | sed -n '/^repair/,/^state/p'
rheonom run $model --until 1 --repair --json | grep -o '"repaired": {[^}]*}' |
    sed -E 's/-?[0-9]+\.[0-9]+/N/g'
# a hidden level: only velocities move, and the momentum stays
rheonom run examples/two_mass_rod/model.rhe --start "z2'=-2" --until 2 --repair | sed -n '/^repair/,/^state/p'
# nothing to repair
rheonom run examples/two_mass_rod/model.rhe --until 2 --repair --json | grep -o '"repaired": {[^}]*}'
rheonom run examples/two_mass_rod/model.rhe --until 2 --repair | grep -c repair
rheonom run examples/two_mass_rod/model.rhe --until 2 --json | grep -c repaired
# an inequality: the least kinetic energy that stops the blade from sliding to the wrong side
sleigh="examples/sleigh_offset/model.rhe --start y'=-0.1 --start th'=0"
rheonom check $sleigh --quiet
echo "without: exit $?"
rheonom check $sleigh --repair | grep '^start'
rheonom check $sleigh --repair --json | grep -o '"start": {"time": 0, "repaired": true'
rheonom check examples/sleigh_offset/model.rhe --repair --json | grep -o '"start": {"time": 0, "repaired": false'
# what cannot be repaired
printf 'coord x\nkinetic x\047^2/2\nconstraint a: x^2 = -1\nstart x = 1\n' |
    rheonom run - --until 1 --repair --quiet
echo "beyond repair: exit $?"
