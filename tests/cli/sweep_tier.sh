# Without a compiler members are interpreted, and that is said once; where nothing is to be compiled nothing is said.
export RHEONOM_CC=/bin/false XDG_CACHE_HOME="$TMP/cache"
disc="examples/rolling_disc/model.rhe --grid theta=0.1:0.3:3 --until 1"
rheonom sweep $disc --tier emitted -j 2 --out "$TMP/a.csv" 2>&1
rheonom sweep $disc --tier interpreted --out "$TMP/b.csv" 2>&1
rheonom sweep $disc --tier emitted --method dop853 --out - 2>&1 | tail -n 1 | cut -d, -f 1,2
cmp "$TMP/a.csv" "$TMP/b.csv" && echo "the same table"
