#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_fuzz.sh SECONDS: build the fuzz targets and run each so long, JOBS (2) at a time, starting from tests/fuzz/corpus, the examples and
# the golden models. What is found goes to build-fuzz/found; an input worth keeping belongs into
# tests/fuzz/corpus/<target>, where it is replayed as an ordinary test.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
jobs=${JOBS:-2}

if ! printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d == 0 && n; }\n' |
    clang -x c -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
    echo "run_fuzz: skipped: this machine has no clang with libFuzzer"
    exit 0
fi

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --parallel "$jobs"

# fuzz PROGRAM: one target, what it said at its end
fuzz() {
    local program=$1 name grown seeds model
    name=${program##*/fuzz_}
    grown=build-fuzz/grown/$name
    seeds=build-fuzz/seeds/$name
    mkdir -p "$grown" build-fuzz/found
    rm -rf "$seeds" && mkdir -p "$seeds"
    # flat copies: libFuzzer wants folders, and the models are spread over many
    find tests/fuzz/corpus/"$name" -type f -exec cp {} "$seeds" \; 2>/dev/null || true
    if [ "$name" != settings ] && [ "$name" != record ]; then
        for model in examples/*/*.rhe tests/golden/*/*.rhe; do
            [ -f "$model" ] && cp "$model" "$seeds/$(echo "$model" | tr / _)"
        done
    fi
    echo "run_fuzz: $name for $seconds s"
    if ! "$program" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=2048 -max_len=8192 \
        -dict=tests/fuzz/rheonom.dict -artifact_prefix="build-fuzz/found/$name-" -print_final_stats=1 -verbosity=0 \
        "$grown" "$seeds" 2>&1 | sed '/# Uses: /d; /^###### /d'; then
        echo "run_fuzz: $name failed; see build-fuzz/found"
        return 1
    fi
}

status=0
running=0
for program in build-fuzz/tests/fuzz/fuzz_*; do
    [ -x "$program" ] || continue
    if [ "$running" -ge "$jobs" ]; then
        wait -n || status=1
        running=$((running - 1))
    fi
    fuzz "$program" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done
[ "$status" -eq 0 ] && echo "run_fuzz: nothing found"
exit "$status"
