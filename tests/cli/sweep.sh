# Many members: grids, draws, what is observed, how each ended; the same bytes whatever the threads.
disc=examples/rolling_disc/model.rhe
pendulum=examples/pendulum/model.rhe
show() { cut -d , -f "$1" "$2"; }
short() { sed -E 's/([0-9]\.[0-9]{6})[0-9]+/\1/g'; }
# a grid of a start value that is no coordinate; the ends are those that were asked for
rheonom sweep $disc --grid w3=1:2:3 --until 0.5 --tol 1e-9 --observe "final(w3)" --out "$TMP/a.csv" | short
show 1,2,4,5 "$TMP/a.csv"
# two grids: the first moves slowest; expressions, parameters, an array of columns without --observe
rheonom sweep $pendulum --grid l=1:2:2 --grid "theta=-pi/2:pi/4*2:3" --until 0 --out "$TMP/b.csv" --json
cat "$TMP/b.csv"
# draws: a member has its numbers whatever else is drawn, a parameter or a start
rheonom sweep $pendulum --random "theta=normal(1, 0.1)" --random "g=uniform(9, 10)" --members 4 --seed 7 --until 1 \
    --out "$TMP/c.csv" --quiet >/dev/null
rheonom sweep $pendulum --random "theta=normal(1, 0.1)" --members 9 --seed 7 --until 1 --out "$TMP/d.csv" >/dev/null
show 1,2 "$TMP/c.csv" >"$TMP/c.txt"
show 1,2 "$TMP/d.csv" | head -n 5 | cmp - "$TMP/c.txt" && echo "draws: the same numbers"
rheonom sweep $pendulum --random "theta=normal(1, 0.1)" --members 9 --seed 8 --until 1 --out "$TMP/e.csv" >/dev/null
cmp -s "$TMP/d.csv" "$TMP/e.csv" || echo "draws: another seed, other numbers"
rheonom sweep $pendulum --random "g=loguniform(1, 100)" --members 40 --until 0 --observe "final(0)" --json \
    --out "$TMP/f.csv" | grep -o '"g": {"min": [1-9]'
# each point of a grid gets its draws
rheonom sweep $pendulum --grid l=1:3:3 --random "theta=uniform(0, 1)" --members 2 --until 0 --observe "final(theta)" \
    --out - | cut -d , -f 1,2
# threads change nothing
for jobs in 1 2 7; do
    rheonom sweep $disc --grid w3=0:9:30 --random "theta=normal(0.2, 0.05)" --members 4 --until 0.4 --tol 1e-9 \
        --observe "peak(theta), low(theta'), mean(height), final(energy), peak(dev.roll_x)" -j $jobs --out "$TMP/j$jobs.csv" \
        --json >"$TMP/j$jobs.json"
done
cmp "$TMP/j1.csv" "$TMP/j2.csv" && cmp "$TMP/j1.csv" "$TMP/j7.csv" && cmp "$TMP/j1.json" "$TMP/j7.json" &&
    echo "threads: the same bytes"
# the same in lines of JSON
rheonom sweep $pendulum --grid theta=0.5:1:2 --until 1 --observe "peak(theta'), mean(theta)" -j2 --out "$TMP/k.jsonl" >/dev/null
short <"$TMP/k.jsonl"
# a row is what `run` gives
rheonom run $pendulum --start theta=0.75 --set l=1.25 --until 2 --json | grep -o '"theta": [-0-9.e]*' | cut -d ' ' -f 2 >"$TMP/run.txt"
rheonom sweep $pendulum --grid l=1:1.5:3 --grid theta=0.5:1:3 --until 2 --observe "final(theta)" --out - |
    awk -F , '$2 == 1.25 && $3 == 0.75 { print $4 }' | cmp - "$TMP/run.txt" && echo "run: the same digits"
# events that stop are results; what fails is a row with its reason, and loses none of the others
rheonom sweep tests/cli/models/stop.rhe --grid h=1:4:2 --until 1.5 --observe "final(h')" --out - | cut -d , -f 1-2,4-5,7- | short
rheonom sweep $pendulum --grid theta=0:1e400:1 --until 1 --out "$TMP/l.csv" 2>/dev/null
echo "not finite: exit $?"
rheonom sweep tests/cli/models/singular.rhe --grid x=1:2:2 --until 2 --observe "peak(x)" --out "$TMP/m.csv"
echo "failed members: exit $?"
cut -d , -f 1-2,4,8- "$TMP/m.csv" | short | sed -E 's|x = [0-9.]+e\+15|x = ...|'
ls "$TMP"
