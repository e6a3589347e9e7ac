#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_tests.sh [all]: the checks of the project, one after the other; the last line is "N passed, N failed".
# Nothing depends on the day: the same commit gets the same checks, with fixed seeds. What takes too long for every commit is left to
# `all`, and said.
# JOBS: processes at a time. FUZZ_SECONDS: how long each fuzz target runs (60; with `all` only).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

unset MAKEFLAGS MFLAGS MAKELEVEL
jobs=${JOBS:-2}
scope=${1:-usual}
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

if [ "$scope" = all ]; then
    sanitized='.*'
else
    sanitized='^sanitized$'
fi
step "build: gcc, release, warnings are errors" build release &&
    tests "tests: release" build
step "build: gcc, asserts and sanitizers" build asan &&
    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
        tests "tests: sanitizers" build-asan --label-regex "$sanitized"
step "build: clang" build clang
step "rooms" tools/check_rooms
step "format" tools/check_format.sh
if [ "$scope" = all ]; then
    step "analyser" tools/check_tidy.sh build-clang "$jobs"
    step "fuzzing" tools/run_fuzz.sh "${FUZZ_SECONDS:-60}"
else
    step "analyser, without paths" tools/check_tidy.sh build-clang "$jobs" quick
fi

printf '\n'
for failure in "${failures[@]+"${failures[@]}"}"; do
    echo "failed: $failure"
done
if [ "$scope" != all ]; then
    echo "left out (make test-all has it): paths in the analyser, fuzzing, and under sanitizers" \
        "$(ctest --test-dir build-asan -N --label-exclude "$sanitized" 2>/dev/null | sed -n 's/^Total Tests: //p') tests"
fi
printf 'took %d s\n%d passed, %d failed\n' "$SECONDS" "$passed" "$failed"
[ "$failed" -eq 0 ]
