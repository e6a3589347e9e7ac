#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# breaches.sh CHECK_ROOMS: a small clean house passes, and each single breach of it is found.
set -eu
check=$1
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
failures=0

build_house() {
    rm -rf "${house:?}"/*
    mkdir "$house/base" "$house/expr" "$house/model" "$house/cli"
    cat >"$house/ROOMS" <<'ROOMS'
# room may-look-into guests
base   -         -
expr   base      gmp.h,mpfr/mpfr.h
model  expr,base -
cli    street    unistd.h,streams
ROOMS
    printf '#include "rheonom/base.h"\n#include <stdio.h>\n' >"$house/base/base.h"
    printf '#include "base/base.h"\n#include "base/codes.def"\n' >"$house/base/status.c"
    printf 'X(E001)\n' >"$house/base/codes.def"
    printf '#include "base/base.h"\n#include <gmp.h>\n#include <mpfr/mpfr.h>\n' >"$house/expr/expr.h"
    printf '#include "expr/expr.h"\nint snprintf_user(void);\n' >"$house/expr/store.h"
    cat >"$house/model/model.c" <<'C'
#include "rheonom/model.h"
#include "expr/expr.h"
#include "expr/ops.def"
#include "base/codes.def"
// printf("in a comment"); stdout
/* fputs("http://example", stderr);
   puts("still a comment") */
static const char *text = "printf(\"%d\") to stdout"; /* see http://x */
void print_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
C
    printf '#include <rheonom/rheonom.h>\n#include "cli/options.h"\n' >"$house/cli/main.c"
    printf '#include <unistd.h>\nint f(void) { printf("x"); }\n' >"$house/cli/options.h"
}

# expect NAME REASON: the house as it stands has exactly one breach, and its line holds REASON.
expect() {
    status=0
    output=$(sh "$check" "$house" 2>&1) || status=$?
    if [ "$status" -ne 1 ] || ! printf '%s\n' "$output" | grep -q "$2" ||
        ! printf '%s\n' "$output" | grep -q '^check_rooms: 1 breach'; then
        printf 'FAILED %s: exit %s\n%s\n' "$1" "$status" "$output"
        failures=$((failures + 1))
    fi
    build_house
}

build_house
sh "$check" "$house" || { echo "FAILED: the clean house has a breach"; failures=1; }

echo '#include "expr/expr.h"' >>"$house/base/status.c"
expect "looking up" "base/status.c:3: base may not look into expr"
echo '#include "rheonom/model.h"' >>"$house/expr/store.h"
expect "a public header from above" "expr may not look into rheonom/model.h"
echo '#include "expr/store.h"' >>"$house/model/model.c"
expect "a private header" "expr/store.h is private"
echo '#include "base/base.h"' >>"$house/cli/main.c"
expect "the program in the house" "cli may not look into base"
echo '#include <gmp.h>' >>"$house/model/model.c"
expect "a guest in the wrong room" "gmp.h is no guest of model"
echo '#include <mpfr/mpfr.h>' >>"$house/model/model.c"
expect "a guest with a folder in the wrong room" "model may not look into mpfr"
echo '#include <mpfr/other.h>' >>"$house/expr/store.h"
expect "another header of that folder" "expr may not look into mpfr"
echo '  #  include <unistd.h>' >>"$house/base/status.c"
expect "a system header" "unistd.h is no guest of base"
echo '#include "model.h"' >>"$house/model/model.c"
expect "an include without its room" "model.h is no guest of model"
echo '#include "expr/store.c"' >>"$house/expr/store.h"
expect "an included .c" "a .c file is never included"
echo 'void f(void) { printf("x"); }' >>"$house/expr/store.h"
expect "printing" "expr/store.h:3: only cli prints"
echo 'FILE *f = stderr;' >>"$house/base/status.c"
expect "a stream" "only cli prints"
echo 'void f(void) { exit(1); }' >>"$house/base/status.c"
expect "leaving" "only cli prints or exits"
echo 'int x;' >"$house/model/status.c"
expect "a name taken twice" "the name status is taken by the room base"
mkdir "$house/attic" && echo 'int x;' >"$house/attic/box.c"
expect "an unlisted room" "the room attic is not in ROOMS"
sed 's/^base .*/base expr -/' "$house/ROOMS" >"$house/R" && mv "$house/R" "$house/ROOMS"
expect "rooms in a circle" "base looks into expr, which is not built before it"

rm "$house/ROOMS"
status=0
sh "$check" "$house" 2>/dev/null || status=$?
[ "$status" -eq 2 ] || { echo "FAILED: a house without ROOMS gives $status"; failures=$((failures + 1)); }

[ "$failures" -eq 0 ] && echo "every breach was found"
