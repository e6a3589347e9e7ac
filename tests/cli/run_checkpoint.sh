# Checkpoints: what goes on from one gives the bytes of what was never interrupted.
pendulum=examples/pendulum_cartesian/model.rhe
join() { # tables: the rows of the second are those that the first does not have
    { grep -v '^#' "$1"; grep -v '^#' "$2" | tail -n +2; } >"$TMP/joined.csv"
}
# an end, and a later one: the state before the step that the first end cut
for method in taylor dop853; do
    rheonom run $pendulum --method $method --until 20 --json >"$TMP/whole.json"
    rheonom run $pendulum --method $method --until 12 --checkpoint "$TMP/a.state" >/dev/null
    rheonom run $pendulum --method $method --until 20 --resume "$TMP/a.state" --json | cmp - "$TMP/whole.json" &&
        echo "$method: the object is the same"
done
head -n 1 "$TMP/a.state"
# a limit: whenever it comes, the rows of both calls are those of one
rheonom run $pendulum --until 60 --points 301 --out "$TMP/whole.csv" >"$TMP/whole.txt"
rheonom run $pendulum --until 60 --points 301 --out "$TMP/first.csv" --time-limit 0.05 --checkpoint "$TMP/b.state" \
    >/dev/null 2>&1
rheonom run $pendulum --until 60 --points 301 --out "$TMP/second.csv" --resume "$TMP/b.state" >"$TMP/second.txt"
sed -i '/^# interrupted/d' "$TMP/first.csv"
sort -u -t , -k 1,1g "$TMP/first.csv" "$TMP/second.csv" | cmp - "$TMP/whole.csv" && echo "limit: the rows are the same"
cmp "$TMP/whole.txt" "$TMP/second.txt" && echo "limit: the summary is the same"
# a signal, in a motion that has no end
long="examples/lorenz/model.rhe --until 1e9"
timeout --preserve-status -s INT 1 rheonom run $long --out "$TMP/first.csv" --checkpoint "$TMP/c.state" >/dev/null 2>&1
echo "signal: exit $?"
rheonom run $long --out "$TMP/second.csv" --resume "$TMP/c.state" --checkpoint "$TMP/c.state" --time-limit 0.2 \
    >/dev/null 2>&1
rheonom run $long --out "$TMP/third.csv" --resume "$TMP/c.state" --time-limit 0.2 >/dev/null 2>&1
join "$TMP/first.csv" "$TMP/second.csv"
cp "$TMP/joined.csv" "$TMP/first.csv"
join "$TMP/first.csv" "$TMP/third.csv"
end=$(tail -n 1 "$TMP/joined.csv" | cut -d , -f 1)
rheonom run examples/lorenz/model.rhe --until "$end" --out "$TMP/whole.csv" >/dev/null
rows=$(wc -l <"$TMP/joined.csv")
# the last step of the whole is cut by its end
head -n $((rows - 1)) "$TMP/whole.csv" >"$TMP/a.csv"
head -n $((rows - 1)) "$TMP/joined.csv" | cmp - "$TMP/a.csv" && echo "signal: the rows are the same"
# killed: what was written last is there
timeout -s KILL 3 rheonom run $long --checkpoint "$TMP/d.state" >/dev/null 2>&1
rheonom run $long --resume "$TMP/d.state" --time-limit 0.3 2>/dev/null |
    awk '/^steps/ { print ($2 > 5000 ? "killed: it goes on from far away" : "killed: it began again") }'
ls "$TMP" | grep -v part # a draft may be left of the killed one
rm -f "$TMP"/d.state.part*
# moments before the checkpoint are not seen again
rheonom run $pendulum --at 1,2,13,14 --json --resume "$TMP/a.state" --method dop853 |
    sed 's/.*"at"//' | grep -o '"time": [0-9]*'
# backward differences begin anew at set numbers of steps, interrupted or not
stiff="examples/van_der_pol/relaxation.rhe --method cvode --tol 1e-9 --until 30"
rheonom run $stiff --checkpoint "$TMP/e.state" --checkpoint-every 100 --json >"$TMP/whole.json"
rheonom run $stiff --checkpoint "$TMP/f.state" --checkpoint-every 100 --time-limit 0.03 >/dev/null 2>&1
rheonom run $stiff --resume "$TMP/f.state" --json | cmp - "$TMP/whole.json" && echo "cvode: the object is the same"
rheonom run $stiff --resume "$TMP/f.state" --checkpoint "$TMP/f.state" --json | cmp - "$TMP/whole.json" &&
    cmp "$TMP/e.state" "$TMP/f.state" && echo "cvode: so is the checkpoint"
# a stop stays a stop, and a failure a failure
rheonom run tests/cli/models/stop.rhe --until 10 --checkpoint "$TMP/g.state" --json >"$TMP/whole.json"
rheonom run tests/cli/models/stop.rhe --until 10 --resume "$TMP/g.state" --json | cmp - "$TMP/whole.json" &&
    echo "stop: the object is the same"
rheonom run tests/cli/models/singular.rhe --until 2 --checkpoint "$TMP/h.state" --json >"$TMP/whole.json" 2>/dev/null
rheonom run tests/cli/models/singular.rhe --until 2 --resume "$TMP/h.state" --json 2>/dev/null >"$TMP/second.json"
echo "failure: exit $?"
cmp "$TMP/whole.json" "$TMP/second.json" && echo "failure: the object is the same"
# a repaired start
rheonom run tests/cli/models/uphill.rhe --until 5 --repair --json >"$TMP/whole.json"
rheonom run tests/cli/models/uphill.rhe --until 3 --repair --checkpoint "$TMP/i.state" >/dev/null
rheonom run tests/cli/models/uphill.rhe --until 5 --repair --resume "$TMP/i.state" --json | cmp - "$TMP/whole.json" &&
    echo "repair: the object is the same"
# a full disk
if [ -w /dev/full ]; then
    ln -s /dev/full "$TMP/full.state"
    rheonom run $pendulum --until 5 --checkpoint "$TMP/full.state" 2>&1 >/dev/null | sed "s|$TMP/||"
    rheonom run $pendulum --until 5 --checkpoint "$TMP/full.state" >/dev/null 2>&1
    echo "full: exit $?"
else
    sed -n '/^rheonom: cannot write full/,/^full: exit/p' tests/cli/run_checkpoint.stdout
fi
# a place that is gone: at the end, and on the way
gone() {
    mkdir "$TMP/gone"
    rheonom run $long --checkpoint "$TMP/gone/a.state" --time-limit $1 >/dev/null 2>"$TMP/err" &
    sleep 0.5
    rm -r "$TMP/gone"
    wait $!
    echo "gone: exit $?"
    sed "s|$TMP/||; s/ends at t = .* instead/ends at ... instead/; s/part-[^ :]*/part-.../" "$TMP/err"
}
gone 0.9
gone 60
