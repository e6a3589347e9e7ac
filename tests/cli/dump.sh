# dump: one stage as it is, several told apart, a tree of a wrong model too.
model=tests/cli/models/sound.rhe
rheonom dump --stage ast $model >"$TMP/ast"
rheonom dump --stage=model $model >"$TMP/model"
rheonom dump $model | cmp - "$TMP/model" && echo "model is the default"
rheonom dump --stage ast,model $model >"$TMP/both"
{
    echo "# stage ast"
    cat "$TMP/ast"
    echo "# stage model"
    cat "$TMP/model"
} | cmp - "$TMP/both" && echo "both are the two"
rheonom dump --stage ast --json $model | head -c 60
echo
rheonom dump --stage ast tests/cli/models/wrong.rhe 2>/dev/null | head -n 3
rheonom dump --stage ast,model tests/cli/models/wrong.rhe >/dev/null 2>&1
echo "wrong: exit $?"
rheonom dump --stage model tests/cli/models/wrong.rhe 2>/dev/null
echo "wrong: exit $?"
rheonom dump --stage ast --json tests/cli/models/wrong.rhe >"$TMP/wrong" 2>/dev/null
echo "wrong: exit $?"
rheonom check --json tests/cli/models/wrong.rhe | cmp - "$TMP/wrong" && echo "the same diagnostics"
rheonom dump --stage equations $model
rheonom dump --stage equations --no-presolve $model | tail -n 1
rheonom dump --stage ast,equations --json $model | tail -c 60
rheonom dump --stage tape $model
# What a person's equations of the rolling disc cost is 23 multiplications. Of the stepping tape every product, every weight
# of a sum and every quotient counts; multipliers and outputs are not in it.
rheonom dump --stage tape examples/rolling_disc/model.rhe | awk '
    /^# watch/ { exit }
    /^operations:/ { for (k = 2; k < NF; k += 2) if ($(k + 1) ~ /^(multiply|square|quotient|divide|power|solve)/) count += $k }
    /^terms of linear:/ { count += $4 }
    END { print (count > 7 && count <= 23 ? "the disc costs what a person writes" : "the disc costs " count) }'
rheonom dump --stage equations examples/rolling_disc/model.rhe | sed -n '/^# after/,/operations/p' | grep operations
