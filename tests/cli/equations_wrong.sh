# equations: wrong calls, models that have no equations, forms that are too large.
model=examples/rolling_disc/model.rhe
try() {
    rheonom equations "$@"
    echo "exit $?"
}
try $model --form nonsense
try $model --form multiplier
try $model --form ""
try $model --form
try $model --form free --form quasi
try $model --json --latex
try $model --stage model
try tests/cli/models/wrong.rhe
try examples/flywheel/across.rhe
try examples/flywheel/across.rhe --quiet
try examples/flywheel/across.rhe --json
try examples/inverse_problem/nonlinear_acceleration.rhe
try examples/inverse_problem/nonlinear_acceleration.rhe --quiet
try examples/inverse_problem/nonlinear_acceleration.rhe --json --quiet
try examples/chain/model.rhe --set N=300 --form principal
try tests/cli/models/pairs.rhe --quiet
rheonom dump --stage ast,equations examples/flywheel/across.rhe | head -n 3
rheonom dump --stage equations examples/flywheel/across.rhe --quiet
echo "exit $?"
rheonom dump --stage equations tests/cli/models/pairs.rhe --quiet
echo "exit $?"
