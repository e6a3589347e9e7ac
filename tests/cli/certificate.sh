# steady --certify, its certificate, and the check of it: exit 0, 4, 1, 2, 3.
disc=examples/rolling_disc/model.rhe
rheonom steady $disc --set h=0.1 --fix theta=0.5 --fix w3=6 --guess w2=1 --certificate "$TMP/disc.txt" |
    grep -E '^(verdict|certified)|others|theta ='
cat "$TMP/disc.txt" | head -16
rheonom certificate "$TMP/disc.txt"
echo "exit $?"
rheonom certificate "$TMP/disc.txt" --json
echo "exit $?"
rheonom steady $disc --set h=0.1 --fix theta=0.5 --fix w3=6 --certify --json | grep -o '"certified": [a-z]*, "proof": "[^"]*"'
rheonom steady $disc --fix theta=0.5 --fix w3=6 --guess w2=1 --certify | grep certified
rheonom steady $disc --fix theta=0.5 --fix w3=6 --certificate "$TMP/none.txt" >/dev/null
echo "exit $?"
test -e "$TMP/none.txt" || echo "nothing was written"
# numbers cannot tell, the proof can
rheonom steady $disc --set h=0.1 --fix theta=0 --fix w3=2.557342371 --guess w2=0 --certify --require stable |
    grep -E '^(verdict|certified)'
rheonom steady $disc --set h=0.1 --fix theta=0 --fix w3=2.55734237 --guess w2=0 --certify --require stable >/dev/null
echo "exit $?"
sed 's/w3 = 6/w3 = 7/' "$TMP/disc.txt" >"$TMP/other.txt"
rheonom certificate "$TMP/other.txt"
echo "exit $?"
sed 's/m = 1/m = q/' "$TMP/disc.txt" >"$TMP/wrong.txt"
rheonom certificate "$TMP/wrong.txt" 2>&1 | sed "s|$TMP/||"
sed 's/^dim/drm/' "$TMP/disc.txt" | rheonom certificate -
echo "exit $?"
rheonom certificate $disc
echo "exit $?"
rheonom certificate "$TMP/absent.txt" 2>/dev/null
echo "exit $?"
rheonom certificate "$TMP/disc.txt" --time-limit 0
echo "exit $?"
rheonom certificate "$TMP/disc.txt" --time-limit 1e-9 2>&1 | sed "s|$TMP/||"
rheonom steady $disc --certify --continue w3=1:2
echo "exit $?"
rheonom steady $disc --certificate /nowhere/at/all.txt --set h=0.1 --fix theta=0.5 --fix w3=6 >/dev/null
echo "exit $?"
