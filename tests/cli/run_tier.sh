# Who computes the series is said where it was asked for, or could not be had.
rheonom run examples/pendulum/model.rhe --until 1 --tier emitted | grep '^series'
rheonom run examples/pendulum/model.rhe --until 1 --tier interpreted | grep '^series'
rheonom run examples/pendulum/model.rhe --until 1 | grep -c '^series'
rheonom run examples/pendulum/model.rhe --until 1 --tier emitted --method dop853 | grep -c '^series'
RHEONOM_TIER=emitted RHEONOM_CC=/no/such/cc rheonom run examples/pendulum/model.rhe --until 1 | grep '^series'
rheonom run examples/pendulum/model.rhe --until 1 --tier emitted --json | grep -o '"tier.*asked for"'
rheonom compare examples/skate_on_incline/model.rhe --until 1 --tier emitted --json --by skate=vakonomic | grep -o '"tier": "[a-z]*"'

# Files that may not grow: it is interpreted, and goes on.
(ulimit -f 4 && XDG_CACHE_HOME="$TMP/small" rheonom run examples/pendulum/model.rhe --until 1 --tier emitted | grep -c '^series *interpreted')

# With and without a cache, without a home: the same bytes, and nothing is left behind.
for turn in cold warm; do
    rheonom run examples/rolling_disc/model.rhe --until 2 --tier emitted --out "$TMP/$turn.csv" --quiet >/dev/null
done
cmp "$TMP/cold.csv" "$TMP/warm.csv" && echo same
mkdir "$TMP/drafts"
env -u XDG_CACHE_HOME -u HOME TMPDIR="$TMP/drafts" rheonom run examples/rolling_disc/model.rhe --until 2 \
    --tier emitted --out "$TMP/none.csv" --quiet >/dev/null
cmp "$TMP/cold.csv" "$TMP/none.csv" && ls -A "$TMP/drafts"
ls "$XDG_CACHE_HOME/rheonom" | grep -c '\.so$'
ls "$XDG_CACHE_HOME/rheonom" | grep -vc '\.so$'
true
