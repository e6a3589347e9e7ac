# A model from a stranger: libraries, programs and headers with names that the program could look for lie beside it. Nothing
# of them runs, whatever the program is asked for.
if ! command -v cc >/dev/null || ! command -v readelf >/dev/null; then exec cat tests/cli/hostile_folder.stdout; fi
program=$(readlink -f "$(command -v rheonom)")
sheet=$PWD/examples/rolling_disc/model.rhe
stranger=$TMP/stranger
mkdir "$stranger" && cp "$sheet" "$stranger/model.rhe"

# a library and a program that leave a trace
cat >"$TMP/trap.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void spring(void)
{
    FILE *trace = fopen(getenv("TRACE"), "a");
    if (trace != NULL) {
        fputs("code of a stranger runs\n", trace);
        fclose(trace);
    }
}
int main(void) { return 0; }
C
export TRACE="$TMP/trace"
cc -shared -fPIC "$TMP/trap.c" -o "$TMP/trap.so" && cc "$TMP/trap.c" -o "$TMP/trap"
TRACE="$TMP/proof" "$TMP/trap" && cat "$TMP/proof" # the trap works

# every library that the program and its guests need, and the guests themselves
for file in "$program" "$(dirname "$program")"/rheonom_*.so; do
    [ ! -f "$file" ] || readelf -dW "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
done | sort -u | while read -r name; do cp "$TMP/trap.so" "$stranger/$name"; done
for name in rheonom_mpi.so rheonom_hdf5.so; do cp "$TMP/trap.so" "$stranger/$name"; done
for name in cc gcc c99 as ld collect2 cc1 rheonom; do cp "$TMP/trap" "$stranger/$name"; done
echo '#error "a header of a stranger is read"' | tee "$stranger/math.h" "$stranger/stdint.h" >"$stranger/stddef.h"

cd "$stranger" || exit 1
call() {
    "$program" "$@" --quiet >/dev/null 2>&1
    echo "$1: exit $?"
}
call check model.rhe
call run model.rhe --until 1 --out rows.csv
call export model.rhe --c source
call steady model.rhe
call sweep model.rhe --grid m=1:2:3 --observe "final(x)" --until 0.1 --out rows.jsonl
"$program" sweep model.rhe --grid m=1:2:3 --observe "final(x)" --until 0.1 --out rows.h5 --quiet >/dev/null 2>&1
"$program" --version >/dev/null && echo "version: exit $?"
# also where the paths of the environment have relative and empty elements
PATH=:.:$PATH CPATH=:. LIBRARY_PATH=:. "$program" run model.rhe --until 1 --tier emitted --quiet | grep '^series'
# one of several processes asks for MPI
PMI_SIZE=1 timeout 20 "$program" sweep model.rhe --grid m=1:2:2 --observe "final(x)" --until 0.1 --out rows2.jsonl --quiet \
    >/dev/null 2>&1
if [ -e "$TRACE" ]; then cat "$TRACE"; else echo "nothing of the stranger ran"; fi
