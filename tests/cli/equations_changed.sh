# equations --form changed: text, LaTeX and JSON in new variables; restrictions, pivots, one sample; models without it.
model=examples/lorenz_change/model.rhe
rheonom equations $model --form changed
rheonom equations $model --form changed --latex
rheonom equations $model --form changed --json
rheonom equations examples/lorenz/model.rhe --form changed | grep -A 3 '^motion'
for model in tests/golden/models/language_states.rhe tests/cli/models/polar.rhe; do
    rheonom equations $model --form changed
    rheonom equations $model --form changed --json | grep -o '"levels": {[^}]*}\|"equal": "[a-z]*"'
    rheonom equations $model --form changed --latex | tail -n 12
done
for model in examples/pendulum/model.rhe tests/cli/models/mixed_change.rhe; do
    rheonom equations $model --form changed
    echo "exit $?"
done
