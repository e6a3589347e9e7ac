# --time-limit holds for every verb and in every part of its work; limits are told by their name and number. The times are
# generous: `timeout` only guards against work that does not end.
cat >"$TMP/products.rhe" <<'END'
model "Products of cosines"
state x
law x' = sum(j in 1..8: cos(9*j*x)*cos((9*j+1)*x)*cos((9*j+2)*x)*cos((9*j+3)*x)*cos((9*j+4)*x)*cos((9*j+5)*x)*cos((9*j+6)*x)*cos((9*j+7)*x)*cos((9*j+8)*x))
END
awk 'BEGIN { printf "coord x\nkinetic x'"'"'^2/2\npotential "; for (k = 0; k < 160; k++) printf "sin("; printf "x"
    for (k = 0; k < 160; k++) printf ")"; print "" }' >"$TMP/deep.rhe"
for name in products deep; do
    timeout 60 rheonom run "$TMP/$name.rhe" --until 0.01 --quiet | sed -n 's/^reached.*/reached/p'
done
# a model whose equations take longer than any of these limits
chain="examples/chain/model.rhe --set N=20000 --time-limit 0.5 --quiet"
try() {
    verb=$1
    shift
    timeout 60 rheonom $verb $chain "$@" >"$TMP/out" 2>"$TMP/talk"
    echo "$verb: exit $?, $(sed -n 's/.*\(its time limit was reached\).*/\1/p' "$TMP/talk" | head -n 1)"
}
try check
for form in free multipliers reduced principal; do
    try equations --form $form
done
try run --until 1
try compare --until 1 --by "rod[1]=ideal"
try sweep --until 1 --grid g=1:2:2 --observe "final(energy)" --out "$TMP/s.csv"
try orbit --period 3
try average
try steady
try linearise
try program
try chart --x g=1:2:3 --y m=1:2:3 --out "$TMP/c.csv"
try optimise --over g=1:2
try export --c "$TMP/c"
try dump --stage equations
try dump --stage tape
# memory
timeout 60 rheonom check examples/chain/model.rhe --set N=3000 --memory-limit 8 --quiet
echo "exit $?"
for wrong in 0 much; do
    rheonom check examples/chain/model.rhe --memory-limit $wrong
    echo "exit $?"
done
