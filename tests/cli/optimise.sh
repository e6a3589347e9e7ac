# The damping of the disc that is best, at a double root; an end of a range; two quantities.
disc=examples/rolling_disc/model.rhe
rheonom optimise $disc --fix theta=0.5 --fix w3=6 --guess w2=1 --over h=0:20 |
    sed -E '/looked at/d; s/([0-9]\.[0-9]{12})[0-9]*/\1/g' | sed '/^$/,$d'
rheonom optimise $disc --fix theta=0.5 --fix w3=6 --over h=0:20 --json |
    grep -o '"parameters": {"h": 5.61180211196\|"abscissa": -8.978883379145\|"verdict": "[a-z ]*", "certified"\|"at_bounds": {}\|"active_roots": 2\|"complete": true'
rheonom optimise $disc --fix theta=0.5 --fix w3=6 --over h=0:3 | head -3
rheonom optimise $disc --fix w3=6 --guess w2=1 --over h=0:20 --over theta=0.1:1 --json |
    grep -o '"at_bounds": {"theta": "high"}'
rheonom optimise $disc --fix theta=0.5 --fix w3=6 --over h=0:20 --json >"$TMP/one"
rheonom optimise $disc --fix theta=0.5 --fix w3=6 --over h=0:20 --json >"$TMP/two"
cmp "$TMP/one" "$TMP/two" && echo "same bytes"
