# run --work and --reverse: the shares of the energy, and the verdict on the way back.
bare() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'; }
work() { rheonom run "$@" --work --quiet | sed -n '/^energy/p;/^work/,/^state/p' | sed '$d'; }
work examples/servo_rod/model.rhe --until 1
work examples/bouncing_ball/model.rhe --until 4
work examples/changing_mass/model.rhe --until 2
# without coordinates there is none
work examples/lorenz/model.rhe --until 1
rheonom run examples/lorenz/model.rhe --until 1 --work --json | grep -o '"work": null'
rheonom run examples/servo_rod/model.rhe --until 1 --work --json | grep -o '"work".*"residual"' | bare
rheonom run examples/pendulum/model.rhe --until 1 --work --json | grep -o '"work".*"residual"' | bare
rheonom run examples/servo_rod/model.rhe --until 1 --json | grep -c '"work"'
# the way back
back() { rheonom run "$@" --reverse --quiet | grep '^reversal'; }
sleigh=examples/sleigh_one_sided/model.rhe
back examples/pendulum_cartesian/model.rhe --until 2
back $sleigh --until 5
back $sleigh --until 2
back examples/woodpecker/model.rhe --until 1
rheonom run $sleigh --until 5 --reverse --json | grep -o '"reversal".*' | bare
rheonom run $sleigh --until 2 --reverse --json | grep -o '"reversal".*' | bare
# an event on the way back ends it; an event at the end does not
back tests/cli/models/stop.rhe --until 10
back tests/cli/models/stop.rhe --until 1.5
# what cannot be asked is refused before anything is computed
for model in examples/lorenz/model.rhe examples/corner/model.rhe; do
    rheonom run $model --until 1 --reverse --quiet 2>&1
    echo "exit $?"
done
