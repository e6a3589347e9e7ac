# Wrong calls of compare: exit 2, nothing on stdout. A variant that is wrong is named.
try() {
    rheonom compare "$@"
    echo "exit $?"
}
skate=examples/skate_on_incline/model.rhe
try $skate --until 1
try $skate --by skate=ideal
try $skate --until 1 --by skate
try $skate --until 1 --by skate=
try $skate --until 1 --by skate=idle
try $skate --until 1 --by 'skate=ideal,'
try $skate --until 1 --by 'skate=ideal, blade=ideal'
try $skate --until 1 --by "skate=ideal
skate=vakonomic"
try $skate --until 1 --by skate=vakonomic --out table.txt
try $skate --until 1 --by skate=vakonomic --out no/such/folder/table.csv
try $skate --until 1 --by skate=vakonomic --plot no/such/folder/picture.svg
try $skate --until 1 --by skate=vakonomic --at 0.5,2
try $skate --until -1 --by skate=vakonomic
try no_such_model.rhe --until 1 --by skate=ideal
# a realisation that this constraint cannot have: the model is wrong in that variant
try $skate --until 1 --by 'skate=servo(th: 1)' --quiet
