# Every wrong call: one line on stderr, nothing on stdout, exit 2.
try() {
    rheonom "$@"
    code=$?
    [ "$code" -eq 2 ] || echo "rheonom $*: exit $code"
}
model=examples/pendulum/model.rhe
try
try chek $model
try zzzzzzzz
try --hlep
try --quiet check $model
try check
try check $model $model
try check $model --jsn
try check $model --zzzzzzzz
try check $model --stage ast
try check $model --json=yes
try check $model --set
try check $model --set m
try check $model --start ==
try check $model --set =3
try dump $model --stage
try dump $model --stage=asst
try dump $model --stage zzzzzzzz
try dump $model --stage ast,
try dump $model --stage ast,ast
try dump $model --stage ast --stage model
try dump $model --stage tape,tape
try explain E900 E901
try check -- --json --set
exit 2
