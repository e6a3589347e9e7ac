# What cannot be written is said: exit 3.
if [ ! -w /dev/full ]; then exec cat tests/cli/full_disk.stdout; fi
model=examples/pendulum/model.rhe
rheonom check $model --quiet 2>&1 >/dev/full
echo "check: exit $?"
rheonom check $model --quiet --json 2>&1 >/dev/full
echo "check --json: exit $?"
rheonom dump --stage ast examples/chain_3d/model.rhe --quiet 2>&1 >/dev/full
echo "dump: exit $?"
rheonom dump --json $model --quiet 2>&1 >/dev/full
echo "dump --json: exit $?"
rheonom explain 2>&1 >/dev/full
echo "explain: exit $?"
rheonom --help 2>&1 >/dev/full
echo "help: exit $?"
rheonom --version 2>&1 >&-
echo "closed: exit $?"
# talk that nobody hears changes nothing
rheonom check tests/cli/models/wrong.rhe 2>/dev/full
echo "stderr: exit $?"
