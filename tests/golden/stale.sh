#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file of expected/ belongs to a model that is still there.
set -eu
cd "$(dirname "$0")"
failed=0
for file in expected/*; do
    [ -e "$file" ] || continue
    key=${file#expected/}
    key=${key%.*}
    folder=${key%%__*}
    name=${key#*__}
    model=../../examples/$folder/$name.rhe
    [ "$folder" != models ] || model=models/$name.rhe
    if [ ! -f "$model" ]; then
        echo "tests/golden/$file has no model"
        failed=1
    fi
done
exit "$failed"
