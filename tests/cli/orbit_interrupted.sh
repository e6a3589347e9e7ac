# What is ended early, by a limit or a signal, keeps what was found: exit 3.
chain="examples/chain/model.rhe --set N=20"
short() { sed -E 's/(found|reason"): .*(its time|it was)/\1: ... \2/'; }
stiff="examples/van_der_pol/model.rhe --continue mu=1:5000"
rheonom orbit $chain --period 3 --time-limit 0.3 --json 2>"$TMP/err" | grep -o '"status": "failed"\|"reason": .*' | short
short <"$TMP/err"
rheonom orbit $chain --period 3 --time-limit 0.3 >/dev/null 2>&1
echo "limit: exit $?"
rheonom orbit $stiff --time-limit 1 --out "$TMP/a.csv" 2>&1 | sed -E 's/[0-9]+ orbits/N orbits/; s/ to [0-9.]+/ to M/'
[ "$(wc -l <"$TMP/a.csv")" -gt 5 ] && echo "rows are kept"
for signal in INT TERM; do
    timeout --preserve-status -s $signal 1 rheonom orbit $chain --period 3 >/dev/null 2>"$TMP/err"
    echo "$signal: exit $?"
    short <"$TMP/err"
    timeout --preserve-status -s $signal 1 rheonom orbit $stiff --out "$TMP/$signal.csv" --plot "$TMP/$signal.svg" >/dev/null 2>"$TMP/err"
    echo "$signal: exit $?"
    cat "$TMP/err"
    [ "$(wc -l <"$TMP/$signal.csv")" -gt 5 ] && echo "rows are kept"
    grep -c "</svg>" "$TMP/$signal.svg"
done
rheonom orbit examples/van_der_pol/model.rhe --time-limit 0
echo "exit $?"
# averages
lorenz="examples/lorenz_chetaev/averaging.rhe --unknown xi=0.3:1 --unknown eta=0.5:1"
rheonom average $lorenz --time-limit 0.000001 2>&1
rheonom average $lorenz --time-limit 0.000001 --json 2>/dev/null | grep -o '"starts": 0\|"reason": "its.*'
rheonom average $lorenz --time-limit 0.000001 >/dev/null 2>&1
echo "exit $?"
rheonom average $lorenz --time-limit never
echo "exit $?"
