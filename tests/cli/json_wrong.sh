# With --json an answer is JSON also where there is none: what is wrong with the model, why a computation could not go
# on, and why the library refuses, in every verb. What is wrong with the words of a call is told on stderr alone.
try() {
    rheonom "$@" --json >"$TMP/out" 2>/dev/null </dev/null
    result=$?
    if head -c 1 "$TMP/out" | grep -q "{" && tail -c 3 "$TMP/out" | grep -q "}"; then
        printf '%s %d: %s\n' "$1" $result "$(head -n 1 "$TMP/out" | sed "s|$TMP/||" | cut -c 1-110)"
    else
        printf '%s %d: no JSON, %d bytes\n' "$1" $result "$(wc -c <"$TMP/out")"
    fi
}
all() {
    for verb in check equations steady linearise inverse orbit program; do
        try $verb "$1"
    done
    try average "$1" --unknown x=0:1
    try run "$1" --until 1
    try compare "$1" --until 1 --by c=ideal --by c=ideal
    try chart "$1" --x k=1:2:3 --y j=0:1:3
    try optimise "$1" --over k=1:2
    try sweep "$1" --until 1 --grid k=1:2:2 --out "$TMP/s.csv"
    try export "$1" --c "$TMP/c"
    try dump "$1" --stage tape
}
echo 'a name that is not known'
printf 'param k = 1, j = 1\nstate x\nlaw x%s = k*j*q\n' "'" >"$TMP/m.rhe"
all "$TMP/m.rhe"
echo 'no value at the start'
printf 'param k = 1, j = 1\nstate x\nlaw x%s = k*j*sqrt(x - 2)\nstart x = 1\n' "'" >"$TMP/m.rhe"
all "$TMP/m.rhe"
echo 'a start off its constraint'
printf "param k = 1, j = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2 + j*x'^2\nconstraint c: x^2 + y^2 = k\n" >"$TMP/m.rhe"
all "$TMP/m.rhe"
echo 'another branch of an inverse'
printf "state x, p\nlaw x' = p\nlaw p' = -x\nchange E = p^2/2 + x^2/2 inverse p = sqrt(2*E - x^2)\nstart x = 0, p = -1\n" \
    >"$TMP/m.rhe"
try equations "$TMP/m.rhe" --form changed
echo 'words of a call'
try run "$TMP/m.rhe" --until soon
try run "$TMP/m.rhe" --until 1 --out -
