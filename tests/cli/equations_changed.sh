# equations --form changed: text, LaTeX and JSON in new variables; restrictions, pivots, one sample; models without it.
model=examples/lorenz_change/model.rhe
rheonom equations $model --form changed
rheonom equations $model --form changed --latex
rheonom equations $model --form changed --json
rheonom equations examples/lorenz/model.rhe --form changed | grep -A 3 '^motion'
for model in tests/golden/models/language_states.rhe tests/cli/models/polar.rhe; do
    rheonom equations $model --form changed
    rheonom equations $model --form changed --json | grep -o '"levels": {[^}]*}\|"equal": "[a-z]*"'
    rheonom equations $model --form changed --latex | tail -n 12
done
for model in examples/pendulum/model.rhe tests/cli/models/mixed_change.rhe; do
    rheonom equations $model --form changed
    echo "exit $?"
done
# a root has two branches: each can be written, holds on its side alone, and is refused where the start is on the other
for sign in '' -; do
    printf '%s\n' 'state x, p' "law x' = p" "law p' = -x" "change E = p^2/2 + x^2/2 inverse p = ${sign}sqrt(2*E - x^2)" \
        'start x = 0, p = -1' >"$TMP/root.rhe"
    rheonom equations "$TMP/root.rhe" --form changed
    echo "exit $?"
    rheonom equations "$TMP/root.rhe" --form changed --start p=1e-9 --start x=1 --json | grep -o '"branches": [^]]*]'
done
rheonom equations "$TMP/root.rhe" --form changed --latex | grep 'leads back'
printf '%s\n' 'state q' "law q' = -1" 'change s = sin(q) inverse q = asin(s)' 'start q = 2.5' >"$TMP/turn.rhe"
rheonom equations "$TMP/turn.rhe" --form changed
rheonom equations "$TMP/turn.rhe" --form changed --start q=1 | grep -A 1 'leads back, as'
# the inverse has no value at the start: a negative number has no root
printf '%s\n' 'state x' "law x' = -x" 'change s = x^3 inverse x = s^(1/3)' 'start x = -2' >"$TMP/cube.rhe"
rheonom equations "$TMP/cube.rhe" --form changed
echo "exit $?"
rheonom equations "$TMP/cube.rhe" --form changed --start x=2 | grep -A 4 '^the way back'
# what decides is the sign of what stands under the root, as the start has it
for side in '- 2' '+ 4'; do
    printf '%s\n' 'state x, p' "law x' = p - 3" "law p' = -x" "change E = (p - 3)^2/2 + x^2/2 inverse p = 3 ${side% *} sqrt(2*E - x^2)" \
        "start x = 0, p = ${side#* }" >"$TMP/shifted.rhe"
    rheonom equations "$TMP/shifted.rhe" --form changed | sed -n '/^a prime/p;/^it leads/,/^$/p'
    rheonom equations "$TMP/shifted.rhe" --form changed --json | grep -o '"branches": [^]]*]'
    rheonom equations "$TMP/shifted.rhe" --form changed --latex | grep 'leads back'
    rheonom equations "$TMP/shifted.rhe" --form changed --start p=3.5 --start x=0 | grep -A 1 '^it leads'
done
