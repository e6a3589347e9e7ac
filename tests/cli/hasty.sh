# Limits of time, and signals, hold while equations are derived and reduced too: what asks nobody is
# ended, says so, and leaves no file behind.
chain=examples/chain/model.rhe
mkdir "$TMP/files"
try() {
    rheonom "$@" 2>"$TMP/talk"
    echo "exit $?, $(wc -l <"$TMP/talk") line"
}
try steady $chain --set N=1000 --time-limit 0.1
sed 's/while .*:/while ...:/' "$TMP/talk"
# these ask before they reduce: there the end is an orderly one, if it is not too late
try chart $chain --set N=1000 --time-limit 0.1 --x g=1:2:3 --y m=1:2:3 --out "$TMP/files/chart.csv"
try chart $chain --set N=1000 --time-limit 1.5 --x g=1:2:3 --y m=1:2:3 --out "$TMP/files/chart.csv"
try optimise $chain --set N=1000 --time-limit 0.1 --over g=1:2
ls "$TMP/files"
timeout 1 rheonom steady $chain --set N=1000 2>"$TMP/talk"
echo "exit $?"
sed 's/while .*:/while ...:/' "$TMP/talk"
