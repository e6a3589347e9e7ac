#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build the benchmarks and run them.
#   run_bench.sh [--csv]                    reading, deriving, equations
#   run_bench.sh motions [ARGUMENTS]        motions against contenders; arguments as of bench/motion.c
#   run_bench.sh all [DIR] [ARGUMENTS]      everything, into files of DIR (build/bench/results): an hour; arguments as of bench/motion.c
#   run_bench.sh instructions [--profile]   instructions of a step, counted by valgrind; with --profile, where they go
#   run_bench.sh reference                  make the data of bench/reference anew (half an hour)
set -euo pipefail
cd "$(dirname "$0")/.."

build() { # TARGET...
    cmake --preset release -DRH_BENCH=ON >/dev/null
    cmake --build --preset release --parallel "${JOBS:-2}" --target "$@"
}

# count CONTENDER CASE TOLERANCE SECONDS FUNCTION: instructions of a step within FUNCTION. Valgrind knows no AVX-512: compiled
# series are made by a compiler that does not use it.
count() {
    local out=build/bench/callgrind.out run
    run=$(RHEONOM_CC=$PWD/bench/cc_v3 valgrind --tool=callgrind --callgrind-out-file=$out --toggle-collect="$5" \
        build/bench/bench_count --once "$1" "$2" "$3" "$4" 2>&1)
    awk -v who="$1" -v case="$2" -v tolerance="$3" '
        / steps, / { steps = $1 }
        /Collected/ { all = $NF }
        END { printf "%-12s %-10s %9s %7d steps %12.0f instructions a step\n", who, case, tolerance, steps, all / steps }
    ' <<<"$run"
    if [ -n "$profile" ]; then
        callgrind_annotate --inclusive=yes "$out" | grep -E '^ *[0-9,]+ \(' |
            grep -vE 'TOTALS|libc|below main|ld-linux|:main |own_' | sed 's/ \[[^]]*\]$//' | head -n 30
    fi
}

instructions() {
    profile=${1:-}
    build bench_count
    count emitted disc 1e-9 5 rh_motion_advance
    count plain disc 1e-9 5 rh_motion_advance
    count emitted chain_10 1e-9 1 rh_motion_advance
    count emitted chain_100 1e-8 0.2 rh_motion_advance
    count sleigh sleigh 1e-12 10 rh_motion_advance
    count own disc 1e-9 5 rh_motion_advance
    count unreduced disc 1e-9 5 rh_motion_advance
    count own chain_100 1e-8 0.2 rh_motion_advance
    profile=
    count runge chain_100 1e-10 0.2 rh_motion_advance
    count reduced disc 1e-12 5 disc_reduced_move
    count multipliers disc 1e-12 5 disc_multipliers_move
    count angles chain_100 1e-8 0.2 chain_angles_move
    count cartesian chain_100 1e-10 0.2 chain_multipliers_move
    count lanes discs 1e-11 10 discs_lanes_move
    count events sleigh 1e-13 10 sleigh_by_hand_move
}

# The numbers of steps leave an error below 1e-20.
reference() {
    local data=bench/reference
    build bench_reference
    build/bench/bench_reference disc 2000 >$data/disc.txt
    build/bench/bench_reference discs 200 >$data/discs.txt
    build/bench/bench_reference chain 1 150 >$data/chain_1.txt
    build/bench/bench_reference chain 10 1000 >$data/chain_10.txt
    build/bench/bench_reference chain 100 3000 >$data/chain_100.txt
    build/bench/bench_reference chain 1000 600 >$data/chain_1000.txt
}

# Everything the goals are about, and what else can be measured.
all() {
    local folder=${1:-build/bench/results}
    build bench bench_motion bench_count
    mkdir -p "$folder"
    build/bench/bench --csv | tee "$folder/building.csv"
    build/bench/bench_motion --results "$folder" "${@:2}" | tee "$folder/motions.txt"
    instructions | tee "$folder/instructions.txt"
    cat "$folder/summary.txt"
}

case ${1:-} in
all) all "${@:2}" ;;
motions)
    build bench_motion
    exec build/bench/bench_motion "${@:2}"
    ;;
instructions) instructions "${@:2}" ;;
reference) reference ;;
*)
    build bench
    exec build/bench/bench "$@"
    ;;
esac
