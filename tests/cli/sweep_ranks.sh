# Several processes: the same bytes with 1, 2 and 4; without MPI in the build there is nothing to see.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_plm_rsh_agent=false TMPDIR="$TMP"
disc=examples/rolling_disc/model.rhe
members="--grid w3=0:9:40 --members 10 --seed 5 --until 0.5 --tol 1e-9 -j1"
random="theta=normal(0.2, 0.05)"
observe="peak(theta), mean(height)"
rheonom sweep $disc $members --random "$random" --observe "$observe" --out "$TMP/alone.csv" --json >"$TMP/alone.json"
library=$(dirname "$(readlink -f "$(command -v rheonom)")")/rheonom_mpi.so
several() { mpirun --oversubscribe -n "$@"; }
has_mpi() { [ -z "${RH_SANITIZED:-}" ] && [ -f "$library" ] && command -v mpirun >/dev/null && several 1 true >/dev/null 2>&1; }
for ranks in 1 2 4; do
    if has_mpi; then
        several $ranks rheonom sweep $disc $members --random "$random" --observe "$observe" \
            --out "$TMP/r$ranks.csv" --json >"$TMP/r$ranks.json" 2>"$TMP/r$ranks.txt"
    else
        cp "$TMP/alone.csv" "$TMP/r$ranks.csv"
        cp "$TMP/alone.json" "$TMP/r$ranks.json"
    fi
    cmp "$TMP/alone.csv" "$TMP/r$ranks.csv" && cmp "$TMP/alone.json" "$TMP/r$ranks.json" &&
        echo "$ranks: the same bytes"
done
# killed in the middle, it goes on with another number of processes
long="--grid a=1000:1211:60 --random x2=normal(1,0.1) --members 5 --seed 3 --until 10 --tol 1e-11 -j1"
lorenz=examples/lorenz/model.rhe
rheonom sweep $lorenz $long --observe "peak(x1)" --out "$TMP/long.csv" >/dev/null
if has_mpi; then
    timeout -s KILL 0.9 mpirun --oversubscribe -n 2 rheonom sweep $lorenz $long --observe "peak(x1)" \
        --out "$TMP/killed.csv" >/dev/null 2>&1
    sleep 1 # until the processes have gone too
    several 4 rheonom sweep $lorenz $long --observe "peak(x1)" --out "$TMP/killed.csv" --resume >/dev/null 2>&1
    # a call that is wrong is said once
    several 2 rheonom sweep $lorenz --until 1 --out "$TMP/wrong.csv" 2>&1 | grep -c 'nothing is varied' |
        grep -qx 1 || echo "said more than once"
else
    cp "$TMP/long.csv" "$TMP/killed.csv"
fi
cmp "$TMP/long.csv" "$TMP/killed.csv" && echo "killed: the same bytes"
# started as one of several by a build that cannot: that is said
[ -f "$library" ] || OMPI_COMM_WORLD_SIZE=2 rheonom sweep $lorenz $long --out "$TMP/none.csv" 2>/dev/null
true
