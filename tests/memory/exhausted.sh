#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exhausted.sh PROGRAM FAILING.so [POINTS]: refuse the program memory, one request or all from one on, at POINTS
# places of each call. It ends by itself with 3 and says why, or with 0 and what it says undisturbed.
set -u
program=$(realpath "$1")
failing=$(realpath "$2")
points=${3:-40}
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export RHEONOM_TIER=interpreted XDG_CACHE_HOME="$scratch"
runs=0
wrong=0

call() {
    RH_FAIL_TELL="$scratch/count" LD_PRELOAD="$failing" "$program" "$@" >"$scratch/expected" 2>/dev/null
    status=$?
    if [ $status -ne 0 ]; then
        echo "rheonom $*: exit $status undisturbed"
        wrong=$((wrong + 1))
        return
    fi
    total=$(cat "$scratch/count")
    for count in 1 0; do
        point=0
        while [ $point -lt "$points" ]; do
            from=$((1 + point * total / points))
            RH_FAIL_FROM=$from RH_FAIL_COUNT=$count LD_PRELOAD="$failing" "$program" "$@" >"$scratch/out" 2>"$scratch/err"
            status=$?
            runs=$((runs + 1))
            if ! { [ $status -eq 0 ] && cmp -s "$scratch/out" "$scratch/expected"; } &&
                ! { [ $status -eq 3 ] && grep -q -i memory "$scratch/err"; }; then
                wrong=$((wrong + 1))
                echo "rheonom $*: RH_FAIL_FROM=$from RH_FAIL_COUNT=$count: exit $status of $total: $(head -c 300 "$scratch/err")"
            fi
            point=$((point + 1))
        done
    done
}

disc=examples/rolling_disc/model.rhe
turn="--set h=0.1 --fix theta=0.5 --fix w3=6 --guess w2=1"
# shellcheck disable=SC2086
"$program" steady $disc $turn --certificate "$scratch/disc.txt" >/dev/null || exit 1
call run examples/pendulum/model.rhe --until 1 --quiet
for method in ida cvode; do
    call run examples/pendulum_cartesian/model.rhe --until 1 --method $method --quiet
done
call certificate "$scratch/disc.txt"
# shellcheck disable=SC2086
call steady $disc $turn --certify
call orbit tests/golden/models/r04_orbit_mu005.rhe --free xi,eta --period 22
call equations $disc
echo "$runs runs, $wrong wrong"
[ $wrong -eq 0 ]
