#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_tidy.sh BUILD [JOBS [PART]]: clang-tidy over src at zero tolerance (see .clang-tidy), with the compile commands of
# BUILD. The version is pinned, since other versions know other checks. PART: a number takes every eighth
# file; without it, or with `all`, every file.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
jobs=${2:-2}
part=${3:-all}
pinned=14

tidy=clang-tidy-$pinned
command -v "$tidy" >/dev/null || tidy=clang-tidy
if ! "$tidy" --version 2>/dev/null | grep -qE "version $pinned\."; then
    echo "check_tidy: skipped: clang-tidy $pinned is pinned, and is not here"
    exit 0
fi

find src -name '*.c' | LC_ALL=C sort |
    awk -v part="$part" 'part == "all" || NR % 8 == part % 8' | tr '\n' '\0' |
    xargs -0 -n 1 -P "$jobs" "$tidy" -p "$build" --quiet 2>/dev/null
echo "check_tidy: nothing found"
