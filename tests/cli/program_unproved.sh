# Laws of which points say more than is true: what is taken for granted of them is not proved, so nothing is.
try() {
    printf 'coord x, z\nkinetic (x'"'"'^2 + z'"'"'^2)/2\nconstraint a: x = 0 with %s\nstart x = 0.1, z = 1\n' "$1" |
        rheonom program - --certify --json 2>/dev/null | grep -o '"verdict": "[a-z ()]*"\|"certified": [a-z]*' | tr '\n' ' '
    echo "$1"
}
try "a'' = -a - a'"
try "a'' = -a - a' - 5*min(a, 0)*min(z, 0)"
try "a'' = -a - a' + a^2"
try "a'' = -a - a' + a^2*exp(t)"
try "a'' = -a - a' + a^2*z^2"
try "a'' = -a - a' + 1 - tanh(50 - z)"
