# check: data to stdout, talk to stderr.
model=tests/cli/models/sound.rhe
rheonom check $model
echo "exit $?"
rheonom check --json $model
echo "exit $?"
rheonom check - <$model | head -n 3
rheonom check $model --set=l=3 --set m=l/2 --start x=3 --quiet >/dev/null
echo "settings: exit $?"
