#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_format.sh [--write]: are all sources formatted as .clang-format says? With --write they are made so.
# The version is pinned, since other versions format differently.
set -euo pipefail
cd "$(dirname "$0")/.."
pinned=14

format=clang-format-$pinned
command -v "$format" >/dev/null || format=clang-format
if ! "$format" --version 2>/dev/null | grep -qE "version $pinned\."; then
    echo "check_format: skipped: clang-format $pinned is pinned, and is not here"
    [ "${1:-}" != --write ]
    exit
fi

mapfile -t files < <(find src include tests bench -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) | LC_ALL=C sort)
if [ "${1:-}" = --write ]; then
    "$format" -i "${files[@]}"
else
    "$format" --dry-run --Werror "${files[@]}"
    echo "check_format: ${#files[@]} files are formatted"
fi
