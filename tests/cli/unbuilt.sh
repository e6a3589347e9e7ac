# Verbs that are known but not built.
for verb in report; do
    rheonom $verb examples/pendulum/model.rhe --until 3 -j 2
    echo "$verb: exit $?"
done
