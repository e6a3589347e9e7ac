#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hardened.sh READELF KIND BUILD CMAKE: every program and library that is built or installed finds its libraries by absolute
# paths only, has no executable stack, is relocated before it starts, and is position independent. KIND is `whole` where
# programs are optimised: there some of them must call the checked functions of _FORTIFY_SOURCE and guard their stack.
set -eu
readelf=$1
kind=$2
build=$3
installed=$(mktemp -d)
trap 'rm -rf "$installed"' EXIT
DESTDIR=$installed "$4" --install "$build" >"$installed/log" || { cat "$installed/log"; exit 1; }
failed=0
complain() { # file, what
    printf '%s: %s\n' "$1" "$2"
    failed=1
}

# Elements of RPATH and RUNPATH: an empty or relative one leads to the folder where the program is started.
check_paths() { # file
    "$readelf" -dW "$1" | sed -n 's/.*(R\(UN\)*PATH).*: \[\(.*\)\]$/:\2:/p' | while read -r list; do
        rest=${list#:}
        while [ -n "$rest" ]; do
            element=${rest%%:*}
            rest=${rest#*:}
            case $element in
            /*/../* | /*/.. | /*/./*) echo "an element of its RUNPATH is not plain: $element" ;;
            /*) ;;
            *) echo "an element of its RUNPATH is empty or relative: $list" ;;
            esac
        done
    done
}

count=0
fortified=0
guarded=0
for file in $(find "$build" "$installed" -type f \( -perm -u+x -o -name '*.so*' \) ! -path '*/CMakeFiles/*' ! -path '*/cache/*'); do
    head=$("$readelf" -hW "$file" 2>/dev/null) || continue
    printf '%s\n' "$head" | grep -qE 'Type: *(DYN|EXEC)' || continue
    count=$((count + 1))
    wrong=$(check_paths "$file")
    [ -z "$wrong" ] || complain "$file" "$wrong"
    printf '%s\n' "$head" | grep -q 'Type: *DYN' || complain "$file" "it is not position independent"
    segments=$("$readelf" -lW "$file")
    printf '%s\n' "$segments" | grep -q 'GNU_RELRO' || complain "$file" "no RELRO"
    printf '%s\n' "$segments" | grep 'GNU_STACK' | grep -q 'RW ' || complain "$file" "its stack is executable"
    "$readelf" -dW "$file" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' || complain "$file" "it is bound late"
    symbols=$("$readelf" --dyn-syms -W "$file")
    if printf '%s\n' "$symbols" | grep -q '__[a-z]*printf_chk'; then fortified=1; fi
    if printf '%s\n' "$symbols" | grep -q '__stack_chk_fail'; then guarded=1; fi
done
[ "$count" -gt 0 ] || complain "$build" "nothing was found"
if [ "$kind" = whole ]; then
    [ "$fortified" = 1 ] || complain "$build" "no function of _FORTIFY_SOURCE is called"
    [ "$guarded" = 1 ] || complain "$build" "no stack is guarded"
fi
echo "$count programs and libraries"
exit "$failed"
