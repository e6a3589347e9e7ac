# Models as C: strict compilers take them, and they move as the program does.
export_and_run() { # model, options
    name=$1
    shift
    rm -rf "$TMP/c"
    rheonom export "examples/$name/model.rhe" --c "$TMP/c" "$@" || exit 1
    (cd "$TMP/c" && cc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -o test test.c model.c -lm && echo "$name $(./test)")
}
export_and_run pendulum
export_and_run rolling_disc --until 5
export_and_run double_pendulum --until 2
export_and_run pendulum_cartesian --until 3 # events are not looked for
export_and_run chain --until 0.5 --tol 1e-10 # sparse, in loops
export_and_run flywheel --no-presolve
export_and_run inverse_problem

# Its own Makefile; a second export takes the place of the first.
rheonom export examples/pendulum/model.rhe --c "$TMP/c" --until 2 && make -s -C "$TMP/c" && ls "$TMP/c"
head -n 1 "$TMP/c/model.h"
