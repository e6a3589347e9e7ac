# What is wrong with a call of sweep is said, with the way to mend it.
disc=examples/rolling_disc/model.rhe
try() { rheonom sweep $disc "$@"; echo "exit $?"; }
out="--until 1 --out $TMP/a.csv"
try --grid w3=0:1:3 --out "$TMP/a.csv"
try --grid w3=0:1:3 --until 1
try --grid w3=0:1:3 --until 1 --out "$TMP/a.txt" 2>&1 | sed "s|$TMP|TMP|"
try --grid w3=0:1:3 --until 1 --out - --json
try --grid w3=0:1:3 --until 1 --out - --resume
try $out
try --grid w3 $out
try --grid w3=0:1 $out
try --grid w3=0:1:x $out
try --grid w3=0:1:0 $out
try --grid w3=0:1:2000000000 $out
try --grid w3=0::3 $out
try --grid =0:1:3 $out
try --grid 3=0:1:3 $out
try --grid "w3=0:1:3
kinetic" $out
try --grid w3=0:1:1 $out
try --grid w3=0:1/0:3 $out
try --grid w3=0:1:3 --grid w3=0:1:3 $out
try --grid m=1:2:3 --set m=2 $out
try --grid theta=0:1:3 --start "theta = 0.1" $out
try --random "w3=normal(0, 1)" --members 3 --start w3=2 $out
try --grid w3=0:1:3 --until -1 --out "$TMP/a.csv"
try --grid w3=0:1:3 --start t=2 --until 1 --out "$TMP/a.csv"
try --grid w3=0:nothing:3 $out
try --grid w4=0:1:3 $out
try --grid w3=0:1:100000 --grid theta=0:1:100000 $out
try --grid w3=0:1:3 --members 3 $out
try --random "w3=normal(0, 1)" $out
try --random "w3=normal(0, -1)" --members 3 $out
try --random "w3=uniform(2, 1)" --members 3 $out
try --random "w3=loguniform(0, 1)" --members 3 $out
try --random "w3=gauss(0, 1)" --members 3 $out
try --random "w3=normal(0)" --members 3 $out
try --random "w3=normal(0, 1, 2)" --members 3 $out
try --random "w3=normal(0, 1) + 1" --members 3 $out
try --random "w3=normal(0, 1)" --members 0 $out
try --random "w3=normal(0, 1)" --members 3 --seed x $out
try --grid w3=0:1:3 -j 0 $out
try --grid w3=0:1:3 -jx $out
try --grid w3=0:1:3 --lanes 3 $out
try --grid w3=0:1:3 --observe "theta" $out
try --grid w3=0:1:3 --observe "peek(theta)" $out
try --grid w3=0:1:3 --observe "peak(thet)" $out
try --grid w3=0:1:3 --observe "peak(theta" $out
try --grid w3=0:1:3 --observe "peak()" $out
try --grid w3=0:1:3 --observe "peak([theta, psi])" $out
try --grid w3=0:1:3 --observe "peak(theta), " $out
try --grid w3=0:1:3 --observe "final(dev.rolling)" $out
try --grid w3=0:1:3 --until 1 --tol 2 --out "$TMP/a.csv"
try --grid w3=0:1:3 --until 1 --out "$TMP/nowhere/a.csv" 2>&1 | sed "s|$TMP|TMP|"
try --grid w3=0:1:3 --until 1 --plot "$TMP/a.svg" --out "$TMP/a.csv" 2>&1
rheonom sweep tests/cli/models/wrong.rhe --grid w3=0:1:3 $out >/dev/null 2>&1
echo "wrong model: exit $?"
ls "$TMP"
