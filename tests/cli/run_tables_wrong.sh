# Tables that cannot be read or are wrong: what, where and how to repair it; exit 1, and nothing on stdout without --json.
cd "$TMP" || exit
model() {
    printf 'model "Pushed"\ninput u from "%s"\nstate x\nlaw x'"'"' = u\nstart x = 0\n' "$1"
}
try() {
    rheonom run "$@" --until 1
    code=$?
    [ "$code" -eq 1 ] || echo "rheonom run $*: exit $code"
}
model u.csv >m.rhe
mkdir data folder.csv
echo '0,1' >data/real.csv
mkfifo pipe.csv
ln -s data/real.csv link.csv
ln -s data linked
truncate -s 67108865 large.csv
try m.rhe
for path in folder.csv pipe.csv link.csv linked/real.csv m.rhe/u.csv large.csv data/none.csv; do
    model "$path" >p.rhe
    try p.rhe
done
ln -s /dev/zero zero.csv
model zero.csv >p.rhe
try p.rhe
# out of the folder: a model error, for every verb
for path in /etc/passwd ../u.csv data/../../u.csv; do
    model "$path" >p.rhe
    try p.rhe
done
rheonom check p.rhe --quiet
# wrong texts
table() {
    printf "$1" >u.csv
    try m.rhe
}
table 'time,v\n0,1\n'
table 'time;u\n0;1\n'
table 'time,u\n0,1\n1,two\n2,nan\n'
table '0,1\n2,3\n1,2\n'
table ''
table '0,1\n5e-324,2\n'
table '\000\377\033[31m,1\n'
try m.rhe --quiet
try m.rhe --json
