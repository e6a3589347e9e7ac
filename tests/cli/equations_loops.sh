# equations: rows of loops are rolled up, however many there are; JSON has them all.
for form in free multipliers; do
    rheonom equations examples/chain/model.rhe --set N=1000 --form $form
    echo "--- $form: exit $?"
done
rheonom equations examples/chain/model.rhe --set N=1000 --json >"$TMP/json"
echo "json: exit $?"
grep -o '"kind": "motion"' "$TMP/json" | wc -l
grep -o '"kind": "constraint"' "$TMP/json" | wc -l
rheonom dump --stage equations examples/chain/model.rhe --set N=1000
