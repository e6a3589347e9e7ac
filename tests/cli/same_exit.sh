# The same fault has the same exit code in every verb: one model of each kind, through all verbs that read models, and
# through those that begin a motion where the fault lies in the start.
m() {
    printf '%s\n' 'param k = 1, j = 1' 'coord x, y' "$@" >"$TMP/m.rhe"
}
BODY="kinetic (x'^2 + y'^2)/2 + k*j*x'^2"
try() {
    rheonom "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
    printf ' %s %d' "$1" $?
}
move() {
    printf '%s:' "$1"
    try check "$TMP/m.rhe"
    try run "$TMP/m.rhe" --until 1
    try compare "$TMP/m.rhe" --until 1 --by "c=${2:-ideal}"
    try orbit "$TMP/m.rhe"
    try program "$TMP/m.rhe"
    try export "$TMP/m.rhe" --c "$TMP/c"
    echo
}
read_all() {
    printf '%s:' "$1"
    for verb in check equations steady linearise inverse orbit average program; do
        try $verb "$TMP/m.rhe"
    done
    try run "$TMP/m.rhe" --until 1
    try compare "$TMP/m.rhe" --until 1 --by c=ideal
    try chart "$TMP/m.rhe" --x k=0:1:3 --y j=0:1:3 --out "$TMP/c.csv"
    try optimise "$TMP/m.rhe" --over k=0:1
    try export "$TMP/m.rhe" --c "$TMP/c"
    echo
}
m "$BODY +"; read_all 'a sum that ends'
m "$BODY + z^2"; read_all 'a name that is not known'
# the text is read once for all members of a sweep; what depends on numbers is a row of its table
try sweep "$TMP/m.rhe" --grid k=0:1:2 --until 1 --observe 'final(x)' --out "$TMP/s.csv"
echo
m "$BODY" "constraint c: x' = 0 by servo(y: 1)"; read_all 'a servo without effect'
m "$BODY" 'constraint c: x^2 + y^2 = 1' 'start x = 1, y = 1'; move 'a start off its constraint'
m "$BODY" 'constraint c: x^2 + y^2 = 1' "start x = 1, y = 0, x' = 1"; move 'a start off a hidden level'
m "$BODY" 'constraint c: y >= 0 impact 0' 'start y = -1'; move 'a start on the wrong side'
m "$BODY" "constraint c: x' >= 0 by vakonomic" "start x' = 0, lambda.c = 1"; move 'a multiplier of the wrong sign' vakonomic
m "kinetic x'^2/2" 'constraint c: x = 0'; move 'no inertia'
m "$BODY" 'potential 1/y' "constraint c: x' = 0"; move 'no value at the start'
m "kinetic (x'^2 + y'^2)/2" 'force x: -1' 'force y: -1' "constraint c: x' >= 0 by servo(x: 1, y: -2)" \
    "constraint d: y' >= 0 by servo(x: -2, y: 1)"; move 'no continuation'
m "kinetic (x'^2 + y'^2)/2" 'force x: -1' 'force y: -1' "constraint c: x' >= 0 by servo(x: 1, y: 2)" \
    "constraint d: y' >= 0 by servo(x: 2, y: 1)"; move 'several continuations'
m "kinetic (x'^2 + y'^2)/2" 'force x: -1' "constraint c: x' >= 0 by servo(x: 1)" \
    "constraint d: x' >= 0 by servo(x: 1, y: 1)"; move 'several continuations of one speed' 'servo(x: 1)'
m "kinetic (x'^2 + y'^2)/2" 'force x: 1' "constraint c: x' = 0 by servo(x: y)" 'start y = 0'
move 'no control at the start, and a force' 'servo(x: y)'
# a sweep whose members all fail ends as its first member does, one of whose members some fail has a table
all_of() {
    printf '%s:' "$1"
    try run "$TMP/m.rhe" --until 1 --set k=2
    try sweep "$TMP/m.rhe" --grid k=2:3:2 --until 1 --observe 'final(x)' --out "$TMP/s.csv"
    echo
    cat "$TMP/err"
}
m "$BODY" 'constraint c: x^2 + y^2 = k' 'start x = 1, y = 0'; all_of 'a start off its constraint'
m "$BODY" 'potential log(y - k)*x' 'start y = 1'; all_of 'no value at the start'
m "$BODY" "force x: k*x'^2" "start x' = 10"; all_of 'a motion that grows without bound'
try sweep "$TMP/m.rhe" --grid k=0:3:2 --until 1 --observe 'final(x)' --out "$TMP/s.csv"
echo
printf 'param k = 1, j = 1\nstate x\nlaw x%s = k*j*sqrt(x - 2)\nstart x = 1\n' "'" >"$TMP/m.rhe"
read_still() {
    printf '%s:' "$1"
    try steady "$TMP/m.rhe"
    try linearise "$TMP/m.rhe"
    try chart "$TMP/m.rhe" --x k=1:2:3 --y j=0:1:3 --out "$TMP/c.csv"
    try optimise "$TMP/m.rhe" --over k=1:2
    echo
}
read_still 'nothing can be evaluated'
printf 'param k = 1, j = 1\nstate x\nlaw x%s = k*sin(t) - j*x\n' "'" >"$TMP/m.rhe"
read_still 'the time in the equations'
