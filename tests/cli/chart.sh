# Charts: the summary, both tables, the picture, the same bytes by any number of threads.
disc=examples/rolling_disc/model.rhe
grid="--x w3=0.02:4:25 --y theta=0:0.6:13"
# bars of curves, without their digits
bars() {
    sed -E 's/[0-9.]+e-1[1-6] in/B in/g'
}
rheonom chart $disc --set h=0.1 $grid --solve w2 --out "$TMP/one.svg" --curves "$TMP/curves.csv" -j 1 | bars
rheonom chart $disc --set h=0.1 $grid --solve w2 --out "$TMP/two.svg" -j 2 >"$TMP/two"
cmp "$TMP/one.svg" "$TMP/two.svg" && echo "same picture"
rheonom chart $disc --set h=0.1 $grid --solve w2 --out - -j 1 >"$TMP/one.csv"
rheonom chart $disc --set h=0.1 $grid --solve w2 --out "$TMP/two.csv" -j 2 --quiet >/dev/null
cmp "$TMP/one.csv" "$TMP/two.csv" && echo "same table"
head -1 "$TMP/one.csv"
wc -l <"$TMP/one.csv"
cut -d, -f4 "$TMP/one.csv" | sort | uniq -c | sed 's/^ *//'
head -1 "$TMP/curves.csv"
echo "on theta = 0.3:"
grep ',0.29999999999999999,\|,0.30000000000000004,' "$TMP/curves.csv" | cut -c1-15
echo "on theta = 0:"
grep ',0,asym' "$TMP/curves.csv" | cut -c1-15
head -c 4 "$TMP/one.svg"
echo
grep -c '<text' "$TMP/one.svg"
grep -o '>[a-z][a-z0-9 ]*</text>' "$TMP/one.svg"
echo "the other branch:"
rheonom chart $disc --set h=0.1 --x w3=0.5:4:8 --y theta=0.05:1.2:24 --branch 2 --json |
    grep -o '"verdicts": {[^}]*}\|"branches": [0-9]*\|"complete": [a-z]*\|"manifold_dimension": [0-9]*\|"curves": .*'
rheonom chart $disc --set h=0.1 --x w3=0.5:4:8 --y theta=0.05:1.2:24 --guess w2=-70 --json |
    grep -o '"verdicts": {[^}]*}'
echo "an expression as an axis, and a parameter that comes from another:"
rheonom chart $disc --set h=0.1 --x "a*w3=0.5:4:8" --y theta=0.3:0.6:4 --solve w2,w3 | head -6
rheonom chart $disc --fix theta=0 --fix w3=0 --x w2=1:6:6 --y a=0.2:1:5 | tail -4 | bars
echo "a limit of time:"
rheonom chart $disc --set h=0.1 --x w3=0:10:3000 --y theta=0:1.2:3000 --out "$TMP/part.csv" --time-limit 4 >"$TMP/part" 2>"$TMP/talk"
echo "exit $?"
sed -E 's/[0-9]+ of/N of/' "$TMP/talk"
tail -1 "$TMP/part.csv"
