# check of a wrong model.
model=tests/cli/models/wrong.rhe
rheonom check $model
echo "exit $?"
rheonom check --quiet - <$model
echo "quiet: exit $?"
rheonom check --json $model
echo "json: exit $?"
