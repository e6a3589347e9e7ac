# What optimise refuses (exit 2) and what it cannot find (exit 3).
try() {
    rheonom optimise "$@"
    echo "exit $?"
}
disc=examples/rolling_disc/model.rhe
steady="--fix theta=0.5 --fix w3=6"
try $disc $steady
try $disc $steady --over h
try $disc $steady --over h=1
try $disc $steady --over h=1:2:3
try $disc $steady --over h=2:1
try $disc $steady --over h=1:1
try $disc $steady --over h=0:1 --over h=1:2
try $disc $steady --over theta=0:1
try $disc $steady --over hh=0:1
try $disc --over h=0:1
try $disc $steady --over h=0:1 --time-limit -1
try $disc $steady --over h=0:1 --time-limit 1h
try $disc $steady --over h=0:1 --x w3=0:1:2
printf 'param a = 1\nstate x\nlaw x%s = a^2 + 1 + x^2\nstart x = 0\n' "'" >"$TMP/none.rhe"
try "$TMP/none.rhe" --over a=0:1 2>&1 | sed "s/from [0-9]* starts/from N starts/; s/rate [0-9.]*/rate R/"
