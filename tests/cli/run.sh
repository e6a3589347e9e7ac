# run: summaries, tables, the object. What is rounding differs between builds, so numbers of the object are not shown.
model=examples/pendulum_cartesian/model.rhe
bare() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'; }
rheonom run $model --until 2 | sed 's/^\(method .* tolerance 1e-13\);.*/\1/'
rheonom run $model --until 2 --json | bare
rheonom run $model --at 1,0.5 --json | bare | sed 's/.*"at"/"at"/'
# the closed form of the pendulum that falls from the horizontal: sin(theta/2) = k sn(w t - K, k), k^2 = 1/2,
# lambda = 3/2 g y; sn by arithmetic-geometric means
rheonom run $model --at 2,0.5,1,10 --out - | awk -F , '
    function asin(x) { return atan2(x, sqrt(1 - x * x)) }
    NR == 1 { print; next }
    {
        a[0] = 1; b[0] = c[0] = sqrt(0.5)
        for (n = 0; n < 5; n++) { a[n+1] = (a[n] + b[n]) / 2; b[n+1] = sqrt(a[n] * b[n]); c[n+1] = (a[n] - b[n]) / 2 }
        phi = 32 * a[5] * (sqrt(9.81) * $1 - atan2(0, -1) / 2 / a[5])
        for (n = 5; n > 0; n--) phi = (phi + asin(c[n] * sin(phi) / a[n])) / 2
        theta = 2 * asin(sqrt(0.5) * sin(phi))
        worst = 0
        e[1] = $2 - sin(theta); e[2] = $3 + cos(theta); e[3] = ($6 + 1.5 * 9.81 * cos(theta)) / 10
        for (n = 1; n <= 3; n++) { if (e[n] < 0) e[n] = -e[n]; if (e[n] > worst) worst = e[n] }
        print "t = " $1 ": " (worst < 1e-10 ? "ten digits" : "off by " worst)
    }'
# tables: --points has both ends; without it there is a row for each step
rheonom run $model --until 2 --points 5 --out "$TMP/a.csv" >/dev/null
rheonom run $model --until 2 --points 5 --out "$TMP/a.jsonl" | head -n 1
cut -d , -f 1 "$TMP/a.csv"
head -n 1 "$TMP/a.jsonl" | bare
wc -l <"$TMP/a.jsonl"
rheonom run $model --until 2 --points 5 --out - | cmp - "$TMP/a.csv" && echo "stdout has the same bytes"
steps=$(rheonom run $model --until 2 --out "$TMP/steps.csv" | sed -n 's/^steps *//p')
[ "$(wc -l <"$TMP/steps.csv")" -eq $((steps + 2)) ] && echo "names, the start, and a row for each step"
sed -n '2s/,.*//p;$s/,.*//p' "$TMP/steps.csv"
# the picture
rheonom run $model --until 2 --plot "$TMP/a.svg" >/dev/null
head -c 4 "$TMP/a.svg"; echo
tail -n 1 "$TMP/a.svg"
ls "$TMP"
# an event that stops is a good end
rheonom run tests/cli/models/stop.rhe --until 10 --json
rheonom run tests/cli/models/stop.rhe --until 10 >/dev/null
echo "exit $?"
# programs miss their constraints, and it is said
rheonom run examples/pendulum_program/model.rhe --until 1 --quiet | tail -n 4
