# compare: several realisations side by side. What is rounding differs between builds, so it is cut.
skate=examples/skate_on_incline/model.rhe
bare() { sed -E 's/-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?/N/g'; }
# numbers of R23 (b): ideal, and vakonomic with its multiplier at 0; friction is near the ideal one
rheonom compare $skate --until 2 --by skate=ideal --by skate=vakonomic --by 'skate=friction(1e3)' | sed '/^steps/d'
rheonom compare $skate --until 5 --by skate=ideal --by skate=vakonomic --start lambda.skate=0.5 | grep -E '^[12] |^  (x|lambda.skate)  '
# the object
rheonom compare $skate --at 2 --by skate=vakonomic --json | bare
# the table: columns side by side, the same numbers as those of run
rheonom compare $skate --until 2 --points 3 --by skate=ideal --by skate=vakonomic --out "$TMP/a.csv" >/dev/null
head -n 1 "$TMP/a.csv"
for k in 1 2; do
    by=$(printf 'ideal\nvakonomic\n' | sed -n "${k}p")
    awk -F , -v k=$k '{ print $1 "," $(1 + k) "," $(3 + k) }' "$TMP/a.csv" | sed 1d >"$TMP/one"
    rheonom run $skate --until 2 --points 3 --by skate=$by --out - | sed 1d | cut -d , -f 1-3 | cmp - "$TMP/one" &&
        echo "$by: the rows of run"
done
rheonom compare - --until 2 --points 3 --by skate=ideal --by skate=vakonomic --out - <$skate | cmp - "$TMP/a.csv" &&
    echo "a model from the standard input is read once"
# several constraints in one variant
rheonom compare examples/corner/model.rhe --until 2 --by 'one=ideal, two=friction(2)' | sed -n '3,5p;/number/,/leave/p'
# the picture
rheonom compare $skate --until 2 --by skate=vakonomic --plot "$TMP/a.svg" >/dev/null
grep -c '>skate=vakonomic</text>' "$TMP/a.svg"
tail -n 1 "$TMP/a.svg"
ls "$TMP"
# a variant that stops loses none of the others
ratchet=examples/ratchet_two_principles/model.rhe
few() { sed -E 's/([0-9]\.[0-9]{6})[0-9]*/\1/g'; }
rheonom compare $ratchet --until 7 --by 'ratchet=vakonomic(literal)' --by ratchet=vakonomic 2>&1 | few | sed -n '1p;4,8p'
rheonom compare $ratchet --until 7 --points 3 --by 'ratchet=vakonomic(literal)' --out "$TMP/b.csv" >/dev/null 2>&1
echo "exit $?"
cut -d , -f 1,2,3 "$TMP/b.csv" | few
# what is remarked about the model is said once, not for each variant
{ echo "param unused = 1"; cat $skate; } >"$TMP/remarked.rhe"
rheonom compare "$TMP/remarked.rhe" --until 1 --by skate=ideal --by skate=vakonomic --by 'skate=friction(10)' 2>&1 >/dev/null |
    grep -c 'warning\[W100\]'
