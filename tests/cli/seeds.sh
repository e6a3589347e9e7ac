# The seed of hash tables differs from process to process, and nothing that is printed depends on it.
all() { # seed, model
    export RHEONOM_HASH_SEED=$1
    rheonom dump --stage ast,model,equations,tape "$2" --quiet 2>&1
    rheonom check "$2" --quiet 2>&1
    rheonom equations "$2" --form quasi --quiet 2>&1
    rheonom equations "$2" --form multipliers --json --quiet 2>&1
    rheonom run "$2" --until 0.2 --json --quiet 2>&1 | sed 's/"seconds": [^,}]*//g'
}
for model in examples/rolling_disc/model.rhe examples/chain/model.rhe examples/double_pendulum/model.rhe \
    examples/sleigh_one_sided/model.rhe examples/stick_slip/model.rhe tests/golden/models/*.rhe; do
    all 1 "$model" >"$TMP/first"
    for seed in 2 77777 0xfedcba9876543210; do
        all $seed "$model" >"$TMP/other"
        cmp "$TMP/first" "$TMP/other" || echo "$model differs with the seed $seed"
    done
    unset RHEONOM_HASH_SEED
done
[ -s "$TMP/first" ] && echo "the same with all seeds"
