# Verbs that are known but not built.
for verb in chart optimise certificate report; do
for verb in steady chart linearise optimise program certificate report; do
for verb in program inverse certificate report; do
    rheonom $verb examples/pendulum/model.rhe --until 3 -j 2
    echo "$verb: exit $?"
done
