# Inputs from files: run reads them from the folder of the model, wherever it is called from.
cd "$TMP" || exit
mkdir -p car/data
# tables with numbers of 12 digits: what is rounding differs between builds
short() { awk -F , -v OFS=, 'NR > 1 { for (i = 1; i <= NF; i++) $i = sprintf("%.12g", $i) } { print }'; }
cat >car/model.rhe <<'X'
model "Pushed"
input u from "data/push.csv"
input v from "./data//push.csv"
coord x
kinetic x'^2/2
force x: u + v
start x = 0, x' = 0
event on: u = 0.5 up
observe push = u
X
printf 'time,v,u\n0,0,0\n1,0,1\n1,0,3\n2,0,3\n' >car/data/push.csv
# x = t^3/6, then with 3; u is 3 at the jump
rheonom run car/model.rhe --at 1,2,3 --out - | short
(cd car && rheonom run model.rhe --at 3 --out - | short)
(cd car/data && rheonom run ../model.rhe --at 3 --out - | short)
# from the standard input: the present folder
(cd car && rheonom run - --at 3 --out - <model.rhe | short)
rheonom run - --at 3 <car/model.rhe
echo "elsewhere: exit $?"
# check opens no file
rheonom check - <car/model.rhe | head -n 1
# a table that was written by run: a column with a name, an interruption at its end
rheonom run car/model.rhe --until 3 --out car/data/push.csv --quiet >first
echo '# interrupted: a test' >>car/data/push.csv
sed -e 's/input u/input push/' -e '/input v/d' -e 's/u + v/push/' -e 's/u = 0.5/push = 0.5/' -e '/observe/d' \
    car/model.rhe >car/again.rhe
rheonom run car/again.rhe --at 0.5,1,3 --out - | short
