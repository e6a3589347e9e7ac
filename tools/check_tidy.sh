#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_tidy.sh BUILD [JOBS [quick]]: clang-tidy over src at zero tolerance (see .clang-tidy), with the compile commands of
# BUILD. The version is pinned, since other versions know other checks. `quick`: without the analyser of paths, which takes
# seconds for each file.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
jobs=${2:-2}
pinned=14
checks=()
if [ "${3:-}" = quick ]; then
    checks=(--checks='-clang-analyzer-*')
fi

tidy=clang-tidy-$pinned
command -v "$tidy" >/dev/null || tidy=clang-tidy
if ! "$tidy" --version 2>/dev/null | grep -qE "version $pinned\."; then
    echo "check_tidy: skipped: clang-tidy $pinned is pinned, and is not here"
    exit 0
fi

find src -name '*.c' | LC_ALL=C sort | tr '\n' '\0' |
    xargs -0 -n 1 -P "$jobs" "$tidy" -p "$build" --quiet "${checks[@]}" 2>/dev/null
echo "check_tidy: nothing found"
