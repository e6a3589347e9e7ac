# A setting that does not fit a sound model is a wrong call: exit 2.
model=tests/cli/models/sound.rhe
rheonom check $model --set nosuch=3
echo "unknown: exit $?"
rheonom check $model --set "l=2*" --quiet
echo "broken: exit $?"
rheonom check $model --start "q=1" --quiet
echo "start: exit $?"
rheonom check $model --set nosuch=3 --json
echo "json: exit $?"
rheonom check tests/cli/models/wrong.rhe --set nosuch=3 --quiet
echo "wrong model too: exit $?"
