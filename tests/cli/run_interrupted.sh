# What cannot go on, or may not, keeps what was computed: exit 3.
short() { sed 's/^rheonom: .* instead of/rheonom: ... instead of/'; }
rheonom run tests/cli/models/singular.rhe --until 2 --out "$TMP/a.csv" --json >"$TMP/a.json" 2>"$TMP/a.err"
echo "singular: exit $?"
sed 's/"time".*"reason": "[^"]*"/.../' "$TMP/a.json"
wc -l <"$TMP/a.err"
[ "$(wc -l <"$TMP/a.csv")" -gt 20 ] && echo "rows are kept"
tail -n 1 "$TMP/a.csv" | cut -c 1-15
# the time limit and signals
long="examples/lorenz/model.rhe --until 1e9"
rheonom run $long --time-limit 0.2 --out "$TMP/b.jsonl" 2>&1 >"$TMP/b.txt" | short
tail -n 1 "$TMP/b.jsonl"
sed -n 's/^stopped at .*, because/stopped because/p' "$TMP/b.txt"
for signal in INT TERM; do
    timeout --preserve-status -s $signal 1 rheonom run $long --out "$TMP/$signal.csv" >/dev/null 2>"$TMP/err"
    echo "$signal: exit $?"
    short <"$TMP/err"
    tail -n 1 "$TMP/$signal.csv"
done
# the same wish twice at once, as wrappers send it, is one wish
rheonom run $long --out "$TMP/twice.csv" >/dev/null 2>"$TMP/err" &
sleep 1
kill -INT $! && kill -INT $!
wait $!
echo "twice: exit $?"
tail -n 1 "$TMP/twice.csv"
# a full disk
if [ -w /dev/full ]; then
    ln -s /dev/full "$TMP/full.csv"
    ln -s /dev/full "$TMP/full.svg"
    rheonom run $long --out "$TMP/full.csv" 2>&1 >/dev/null | short
    rheonom run $long --out "$TMP/full.csv" >/dev/null 2>&1
    echo "table: exit $?"
    rheonom run examples/lorenz/model.rhe --until 1 --plot "$TMP/full.svg" 2>&1 >/dev/null
    rheonom run examples/lorenz/model.rhe --until 1 --plot "$TMP/full.svg" >/dev/null 2>&1
    echo "plot: exit $?"
    rheonom run $long --out - 2>/dev/null >/dev/full
    echo "stdout: exit $?"
    rheonom run examples/lorenz/model.rhe --until 1 --json 2>&1 >/dev/full
    echo "json: exit $?"
    rm "$TMP"/full.*
else
    sed -n '/instead of.*device/,/^json: exit/p' tests/cli/run_interrupted.stdout
fi
ls "$TMP" # no drafts are left
