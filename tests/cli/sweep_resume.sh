# A sweep that was interrupted goes on, and gives the bytes of one that was not.
lorenz=examples/lorenz/model.rhe
members="--grid a=1000:1211:60 --random x2=normal(1,0.1) --members 5 --seed 3 --until 25 --tol 1e-11"
sweep() { $before rheonom sweep $lorenz $members --observe "peak(x1), final(x3)" "$@"; }
before=
sweep -j 2 --out "$TMP/whole.csv" --json >"$TMP/whole.json"
echo "whole: exit $?"
# killed as soon as there is more, again and again
size() { wc -c 2>/dev/null <"$TMP/a.csv.members" || echo 0; }
for _ in 1 2 3; do
    there=$(size)
    before=exec # so that it is killed, and not a shell around it
    sweep -j 2 --out "$TMP/a.csv" --resume >/dev/null 2>&1 &
    for _ in $(seq 1000); do
        [ "$(size)" -gt $((there + 1000)) ] && break
        sleep 0.01
    done
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
done
before=
[ "$(size)" -gt 1000 ] && echo "killed: some are kept"
ls "$TMP"/a.csv 2>/dev/null
sweep -j 1 --out "$TMP/a.csv" --resume --json >"$TMP/a.json"
echo "resumed: exit $?"
cmp "$TMP/whole.csv" "$TMP/a.csv" && cmp "$TMP/whole.json" "$TMP/a.json" && echo "killed: the same bytes"
# a limit is an interruption; it is so long that some are kept
for limit in 0.15 0.5 1.5 5; do
    sweep -j 1 --out "$TMP/b.csv" --time-limit $limit --resume >"$TMP/said" 2>&1
    [ "$(wc -c 2>/dev/null <"$TMP/b.csv.members" || echo 0)" -gt 500 ] && break
done
sed 's/after [0-9]* of/after some of/' "$TMP/said" && rm "$TMP/said"
[ -f "$TMP/b.csv" ] || echo "limit: no table yet"
# what is there is not begun again by mistake
sweep --out "$TMP/b.csv" 2>&1 | sed "s|$TMP|TMP|"
# another seed, another model, another option: another sweep
rheonom sweep $lorenz $members --observe "peak(x1), final(x2)" --out "$TMP/b.csv" --resume 2>&1 | sed "s|$TMP|TMP|"
rheonom sweep $lorenz $(echo "$members" | sed "s/--seed 3/--seed 4/") --observe "peak(x1), final(x3)" --out "$TMP/b.csv" --resume 2>&1 | sed "s|$TMP|TMP|"
# a record that was cut off in the middle of a block, and one that is none
size=$(wc -c <"$TMP/b.csv.members")
head -c $((size - 5)) "$TMP/b.csv.members" >"$TMP/c.csv.members"
printf 'something else that is long enough to be a record of a sweep' >"$TMP/d.csv.members"
sweep -j 2 --out "$TMP/c.csv" --resume >/dev/null
cmp "$TMP/whole.csv" "$TMP/c.csv" && echo "cut off: the same bytes"
sweep --out "$TMP/d.csv" --resume 2>&1 | sed "s|$TMP|TMP|"
# a signal
before="timeout --preserve-status -s INT 0.25"
sweep -j 2 --out "$TMP/e.csv" 2>&1 | sed 's/after [0-9]* of/after some of/'
sweep -j 2 --out "$TMP/f.csv" >/dev/null 2>&1
echo "signal: exit $?"
before=
sweep -j 2 --out "$TMP/e.csv" --resume >/dev/null
cmp "$TMP/whole.csv" "$TMP/e.csv" && echo "signal: the same bytes"
ls "$TMP"
# one sweep at a time writes a record
sweep -j 1 --out "$TMP/g.csv" >/dev/null 2>&1 &
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -f "$TMP/g.csv.members" ] && break
    sleep 0.05
done
sleep 0.05
sweep --out "$TMP/g.csv" --resume 2>&1 >/dev/null | sed "s|$TMP|TMP|"
wait
cmp "$TMP/whole.csv" "$TMP/g.csv" && echo "in use: the same bytes"
# a disk that is full: what fits is kept
(
    ulimit -f 8
    sweep -j 1 --out "$TMP/h.csv" 2>&1 >/dev/null | sed "s|$TMP|TMP|"
)
sweep -j 2 --out "$TMP/h.csv" --resume >/dev/null
cmp "$TMP/whole.csv" "$TMP/h.csv" && echo "full: the same bytes"
