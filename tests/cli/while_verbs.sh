# Constraints that come and go: what is told of them, and which verbs know none.
cat > "$TMP/w.rhe" <<'M'
model "Wheel that begins to roll"
coord x, a
kinetic (x'^2 + a'^2/2)/2
constraint roll: x' = a' while t >= 0.5
start x = 0, a = 0, x' = 1, a' = 0
M
rheonom check "$TMP/w.rhe" | grep "roll\|freedom"
rheonom check "$TMP/w.rhe" --json | grep -o '"while": "[^"]*"\|"degrees_of_freedom": [0-9]*\|"mode": \[[^]]*\]'
rheonom equations "$TMP/w.rhe" --form multipliers | grep "while\|come and go"
rheonom equations "$TMP/w.rhe" --json | grep -o '"while": {[^}]*}'
rheonom run "$TMP/w.rhe" --until 1 --json | grep -o '"mode": {[^}]*}'
for verb in steady linearise orbit average inverse program; do
    rheonom $verb "$TMP/w.rhe" 2>&1 >/dev/null | grep -o "E338" | head -1 | sed "s/^/$verb: /"
done
rheonom export "$TMP/w.rhe" --c "$TMP/c" 2>&1 | grep -o "E338" | sed "s/^/export: /"
rheonom chart "$TMP/w.rhe" --x t=0:1:3 --y x=0:1:3 2>&1 | head -2
