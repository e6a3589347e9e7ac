# Constraints that come and go, stopped between and gone on with: the constants they took are kept.
cat > "$TMP/w.rhe" <<'M'
model "Cruise control and a clamp"
coord x, y
kinetic (x'^2 + y'^2)/2 + x'*y'/4
potential y^2
force x: 2
constraint cruise: x' = const while (t > 0.5 and t < 1) or (t > 2 and t < 2.5)
constraint clamp: y = const while t > 1.5
start x = 0, x' = 1, y = 0.5, y' = 0
M
rheonom run "$TMP/w.rhe" --until 3 --at 3 --out "$TMP/whole.csv" >/dev/null
rheonom run "$TMP/w.rhe" --until 2.2 --checkpoint "$TMP/ck" --checkpoint-every 1 >/dev/null
rheonom run "$TMP/w.rhe" --until 3 --at 3 --resume "$TMP/ck" --out "$TMP/rest.csv" | grep "engage\|leave\|impact"
tail -1 "$TMP/whole.csv" > "$TMP/a"
tail -1 "$TMP/rest.csv" | cmp - "$TMP/a" && echo same
