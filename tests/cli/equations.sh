# equations: every form of three models as text; multipliers is the default.
for model in pendulum_cartesian rolling_disc lorenz_chetaev; do
    for form in free multipliers reduced principal quasi; do
        rheonom equations examples/$model/model.rhe --form $form
        echo "--- $model $form: exit $?"
    done
done
model=examples/rolling_disc/model.rhe
rheonom equations $model >"$TMP/default"
rheonom equations $model --form=multipliers | cmp - "$TMP/default" && echo "multipliers is the default"
rheonom equations - --form multipliers <$model | cmp - "$TMP/default" && echo "the standard input too"
rheonom equations $model --form reduced --no-presolve | grep -A 1 '^form'
