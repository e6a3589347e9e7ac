# Colour only for a terminal that did not refuse it.
command -v script >/dev/null || exec cat tests/cli/colour.stdout
coloured() {
    TERM=xterm script -qec "rheonom check tests/cli/models/wrong.rhe $1" /dev/null | grep -c "$(printf '\033')\[" >/dev/null
}
coloured "" && echo "a terminal: colour"
NO_COLOR=1 coloured "" || echo "NO_COLOR: none"
NO_COLOR='' coloured "" && echo "NO_COLOR empty: colour"
rheonom check tests/cli/models/wrong.rhe 2>&1 >/dev/null | grep -c "$(printf '\033')" || echo "no terminal: none"
