# What cannot be written is said: exit 3.
if [ ! -w /dev/full ]; then exec cat tests/cli/full_disk.stdout; fi
model=examples/pendulum/model.rhe
rheonom check $model --quiet 2>&1 >/dev/full
echo "check: exit $?"
rheonom check $model --quiet --json 2>&1 >/dev/full
echo "check --json: exit $?"
rheonom dump --stage ast examples/chain_3d/model.rhe --quiet 2>&1 >/dev/full
echo "dump: exit $?"
rheonom dump --json $model --quiet 2>&1 >/dev/full
echo "dump --json: exit $?"
rheonom explain 2>&1 >/dev/full
echo "explain: exit $?"
rheonom --help 2>&1 >/dev/full
echo "help: exit $?"
rheonom --version 2>&1 >&-
echo "closed: exit $?"
# talk that nobody hears changes nothing
rheonom check tests/cli/models/wrong.rhe 2>/dev/full
echo "stderr: exit $?"

# A file that was complete stays as it was; what could be written stays beside it. The limit of sizes stands for a full disk.
cd "$TMP" || exit 1
root=$OLDPWD
tight() { (trap '' XFSZ; ulimit -f 16; "$@"); } # blocks of 512 bytes, of 1024 in some shells
table() { rheonom run "$root/$model" --until 50 --points 2000 --quiet --out good.csv >/dev/null; }
cp "$root/$model" before.txt && cp before.txt good.csv
tight table 2>&1 | sed 's|write [^ ]*good|write good|g'
tight table 2>/dev/null
echo "table: exit $?"
cmp before.txt good.csv && echo "the older file is as it was"
ls
tail -n 1 good.csv.incomplete | cut -c 1-30
rm good.csv*
# where there was none it takes the place, marked
tight table 2>/dev/null
echo "table: exit $?"
ls && tail -n 1 good.csv | cut -c 1-30
# parts that a killed program left behind go away with the next call; those of others stay
touch good.csv.part-0123abcd good.csv.part-0123abcdef other.csv.part-0123abcd
rheonom run "$root/$model" --until 1 --quiet --out good.csv >/dev/null
ls
# other files: a checkpoint, a picture, a certificate
disc=$root/examples/rolling_disc/model.rhe
for name in state.bin picture.svg proof.txt; do cp before.txt $name; done
(trap '' XFSZ; ulimit -f 0; rheonom run "$root/$model" --until 1 --quiet --checkpoint state.bin >/dev/null 2>&1; echo "exit $?"
    rheonom run "$root/$model" --until 1 --quiet --plot picture.svg >/dev/null 2>&1; echo "exit $?"
    rheonom steady "$disc" --set h=0.1 --fix theta=0.5 --fix w3=6 --certificate proof.txt >/dev/null 2>&1; echo "exit $?") | cat
for name in state.bin picture.svg proof.txt; do cmp before.txt $name; done
