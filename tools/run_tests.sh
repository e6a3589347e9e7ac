#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every check of the project, one after the other; the last line is "N passed, N failed".
# JOBS: processes at a time. RH_SLOW_PART: 0..3, or all; without it the day of the year chooses. A part has a quarter of the
# slow tests and, by the day, an eighth of the files for the analyser and one of 32 parts of what is repeated with emitted series.
# FUZZ_SECONDS: how long each fuzz target runs (6).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

unset MAKEFLAGS MFLAGS MAKELEVEL
jobs=${JOBS:-2}
part=${RH_SLOW_PART:-$((10#$(date +%j) % 4))}
# Under sanitizers tests take five times as long, and some a minute each: without `all`, every third one a day, three of those,
# and no slow ones.
heavy=(test_tape_emit test_motion_keep test_model_limits cli_sweep_resume
    test_motion_points test_motion_tier cli_run_tier test_motion_restart
    test_motion_work test_output_forms docs_check_language cli_equations_wrong)
if [ "$part" = all ]; then
    eighth=all
    labels='^(quick|slow)$'
    sanitized=(--label-regex "$labels")
else
    eighth=$((10#$(date +%j) % 8))
    labels="^(quick|slow$part|emitted$((10#$(date +%j) % 32)))\$"
    unset "heavy[$part]" "heavy[$((part + 4))]" "heavy[$((part + 8))]"
    skipped=$(printf '|%s' "${heavy[@]}")
    sanitized=(--label-regex '^quick$' --exclude-regex "^(${skipped:1})\$" --tests-information "$((10#$(date +%j) % 3 + 1)),,3")
fi
passed=0
failed=0
failures=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

title() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

count() { # how many passed, how many failed, of what
    passed=$((passed + $1))
    failed=$((failed + $2))
    if [ "$2" -gt 0 ]; then
        failures+=("$3")
    fi
}

# step NAME COMMAND...: a check that passes or fails as a whole; quiet unless it fails.
step() {
    local name=$1
    shift
    title "$name"
    if "$@" >"$log" 2>&1; then
        tail -n 3 "$log"
        count 1 0 "$name"
    else
        cat "$log"
        count 0 1 "$name"
        return 1
    fi
}

build() {
    cmake --preset "$1" && cmake --build --preset "$1" --parallel "$jobs"
}

# tests NAME FOLDER CTEST-ARGUMENTS...: as many checks as ctest counts.
tests() {
    local name=$1 folder=$2
    shift 2
    title "$name"
    ctest --test-dir "$folder" --parallel "$jobs" --output-on-failure "$@" 2>&1 | tee "$log"
    local line
    line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests? failed out of [0-9]+' "$log" | tail -n 1)
    if [[ $line =~ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]] && [ "${BASH_REMATCH[2]}" -gt 0 ]; then
        count $((BASH_REMATCH[2] - BASH_REMATCH[1])) "${BASH_REMATCH[1]}" "$name"
    else
        count 0 1 "$name did not run"
    fi
}

echo "slow tests: part $part (RH_SLOW_PART=$part)"
step "build: gcc, release, warnings are errors" build release &&
    tests "tests: release" build --label-regex "$labels"
step "build: gcc, asserts and sanitizers" build asan &&
    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
        tests "tests: sanitizers" build-asan "${sanitized[@]}"
step "build: clang" build clang
step "rooms" tools/check_rooms
step "format" tools/check_format.sh
step "analyser" tools/check_tidy.sh build-clang "$jobs" "$eighth"
step "fuzzing" tools/run_fuzz.sh "${FUZZ_SECONDS:-6}"

printf '\n'
for failure in "${failures[@]+"${failures[@]}"}"; do
    echo "failed: $failure"
done
printf 'took %d s\n%d passed, %d failed\n' "$SECONDS" "$passed" "$failed"
[ "$failed" -eq 0 ]
