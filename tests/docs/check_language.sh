#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_language.sh PROGRAM: the documents (README.md, docs/*.md, docs/*/*.md, examples/*/README.md) tell the truth.
#   - every whole model (a block ```rhe whose first line is `model "..."`) must check with exit 0;
#   - a block after `<!-- file: NAME -->` is a file, and every command `$ ...` of a block ```console, run in the folder of
#     these files and of a link to examples/, must print what stands below it;
#     With RH_REFRESH=1 the documents are given what the program prints.
#   - docs/language.md must hold every rule of the parser in its own words, and every diagnostic with its title.
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/models"
ln -s "$program" "$scratch/bin/rheonom"
PATH=$scratch/bin:$PATH
LC_ALL=C.UTF-8
export PATH LC_ALL
failed=0
fail() {
    echo "$1"
    failed=1
}

# split DOCUMENT KEY: models become models/KEY:LINE.rhe, consoles KEY/console.LINE, files KEY/files/NAME.
split() {
    mkdir -p "$scratch/$2/files"
    ln -s "$PWD/examples" "$scratch/$2/files/examples"
    awk -v folder="$scratch" -v key="$2" '
        /^```/ && is_open { is_open = 0; close(model); close(other); next }
        /^```/ {
            is_open = 1
            kind = $0
            model = ""
            other = kind == "```console" ? folder "/" key "/console." NR : name
            name = ""
            is_first = 1
            next
        }
        /^<!-- file: [A-Za-z0-9_.]+ -->$/ { name = folder "/" key "/files/" $3 }
        !is_open { next }
        is_first && kind == "```rhe" && /^model "/ { model = folder "/models/" key ":" NR ".rhe" }
        { is_first = 0 }
        model != "" { print > model }
        other != "" { print > other }' "$1"
}

# replay CONSOLE FOLDER: its commands with what they print.
replay() {
    sed -n 's/^\$ //p' "$1" >"$1.commands"
    while IFS= read -r command; do
        printf '$ %s\n' "$command"
        (cd "$2" && sh -c "$command" 2>&1) </dev/null || :
    done <"$1.commands"
}

for document in README.md docs/*.md docs/*/*.md examples/*/README.md; do
    [ -f "$document" ] || continue
    key=$(echo "$document" | tr / _)
    split "$document" "$key"
    for console in "$scratch/$key"/console.*; do
        [ -f "$console" ] || continue
        replay "$console" "$scratch/$key/files" >"$scratch/printed"
        if [ -n "${RH_REFRESH:-}" ]; then
            cp "$scratch/printed" "$console.new"
            continue
        fi
        diff -u "$console" "$scratch/printed" || fail "$document: a console block is not what the program prints"
    done
    if [ -n "${RH_REFRESH:-}" ]; then
        awk -v base="$scratch/$key/console." '
            /^```/ { is_open = !is_open; skips = 0 }
            !skips { print }
            /^```console/ && is_open {
                skips = 1
                while ((getline line < (base NR ".new")) > 0) { print line }
            }' "$document" >"$scratch/document" && cat "$scratch/document" >"$document"
    fi
done

count=0
for model in "$scratch"/models/*.rhe; do
    [ -f "$model" ] || continue
    count=$((count + 1))
    rheonom check "$model" >/dev/null 2>"$scratch/remarks" || {
        fail "$(basename "$model" .rhe): this model does not check"
        cat "$scratch/remarks"
    }
done
[ "$count" -gt 0 ] || fail "no models found in the documents"

# The rules of the grammar are the comments `// name = ...` of the parser.
grep -h -E '^// [A-Za-z_]+ = ' src/syntax/*.c | sed 's|^// ||' >"$scratch/rules"
while IFS= read -r rule; do
    grep -q -x -F -e "$rule" docs/language.md || fail "docs/language.md lacks the rule: $rule"
done <"$scratch/rules"

rheonom explain | sed -E 's/^([A-Z][0-9]+) +[a-z]+ +(.*)$/| \1 | \2 |/' >"$scratch/codes"
while IFS= read -r row; do
    grep -q -x -F -e "$row" docs/language.md || fail "docs/language.md lacks the diagnostic: $row"
done <"$scratch/codes"

grep -E '^\| [EWN][0-9]{3} \| ' docs/language.md >"$scratch/listed"
while IFS= read -r row; do
    grep -q -x -F -e "$row" "$scratch/codes" || fail "docs/language.md lists what is no diagnostic: $row"
done <"$scratch/listed"

[ "$failed" -ne 0 ] || echo "$count models, $(wc -l <"$scratch/rules") rules, $(wc -l <"$scratch/codes") diagnostics"
exit "$failed"
