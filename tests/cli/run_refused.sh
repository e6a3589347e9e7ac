# A start that the constraints do not admit: the reason as text, and as one object.
printf '%s\n' 'coord x' "kinetic x'^2/2" "constraint up: x' >= 0 by vakonomic" "start x = 0, x' = 0, lambda.up = 1" >"$TMP/m.rhe"
rheonom run - --until 1 <"$TMP/m.rhe"
echo "exit $?"
rheonom run - --until 1 --json <"$TMP/m.rhe" 2>/dev/null
echo "exit $?"
rheonom check - --json <"$TMP/m.rhe" 2>/dev/null
echo "exit $?"
