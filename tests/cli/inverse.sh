# The inverse problem: functions that are found, conditions that fail with their residuals, canonical pairs.
rheonom inverse examples/inverse_problem/model.rhe
rheonom inverse examples/inverse_problem/circle_program.rhe
rheonom inverse examples/bertrand/written_out.rhe --start x=1.4 --start y=0.6 --start "x'=-0.4" --start "y'=0.5"
rheonom inverse examples/inverse_problem/polar_divided.rhe --json
rheonom inverse examples/inverse_problem/circulatory.rhe --json
# fails as written, holds times its inertia
printf "coord r, p\nequation a: r'' - r*p'^2 = 0\nequation b: r*p'' + 2*r'*p' = 0\n" >"$TMP/times.rhe"
rheonom inverse "$TMP/times.rhe" | head -2
rheonom inverse "$TMP/times.rhe" --json | grep -o '"form.*\], "parts'
# pairs, with a state that has no partner
printf "param mu = 0\nstate x, p, z\npair x, p\nlaw x' = p\nlaw p' = -mu*p - z*sin(x)\nlaw z' = x\n" >"$TMP/pair.rhe"
rheonom inverse "$TMP/pair.rhe"
rheonom inverse "$TMP/pair.rhe" --set mu=1/10 --json
# what has no closed text is read back by the language
printf "coord x\nlaw x'' = -exp(-x^2)\n" >"$TMP/bell.rhe"
rheonom inverse "$TMP/bell.rhe" | grep "^[LDc]"
rheonom inverse "$TMP/bell.rhe" --json | sed 's/.*"lagrangian": "\([^"]*\)".*/coord x\nlagrangian \1/' >"$TMP/back.rhe"
rheonom equations "$TMP/back.rhe" --form free >/dev/null
echo "read back: exit $?"
# surfaces where a law switches, and the power of dry friction
printf "coord x\nlaw x'' = -x - sign(x')\n" >"$TMP/dry.rhe"
rheonom inverse "$TMP/dry.rhe" | grep "^Lagr\|^surf\|(4.8)\|^diss"
rheonom inverse "$TMP/dry.rhe" --json | grep -o '"proved".*"for_all_parameters"\|"definiteness.*d": true'
# reactions that are too long as formulas
rheonom inverse examples/four_bar/model.rhe --quiet | grep "^Lagr\|fails\|^note"
# an angle is a Hamiltonian near every point, and none around the hole
printf "state x, p\npair x, p\nlaw x' = x/(x^2 + p^2)\nlaw p' = p/(x^2 + p^2)\n" >"$TMP/angle.rhe"
rheonom inverse "$TMP/angle.rhe"
# a force of one coordinate is never circulatory in earnest: where no potential was found it says so; sin^2 has one
printf "coord x\nlaw x'' = -1/(x + x^3)\n" >"$TMP/pole.rhe"
rheonom inverse "$TMP/pole.rhe" | grep "circulatory"
printf "coord x\nlaw x'' = -sin(x)^2 - 1/sqrt(4 - x^2)\n" >"$TMP/waves.rhe"
rheonom inverse "$TMP/waves.rhe" | grep "^L \|^check\|^note"
# what holds for the values of parameters alone says so, and for which
printf '%s\n' 'param k = 0, c = 2' 'coord q1, q2' "equation f1: q1'' + k*q1'*q2' + c*q1' + q1 = 0" "equation f2: q2'' + q2 = 0" \
    'start q1 = 1, q2 = 0' >"$TMP/k.rhe"
rheonom inverse "$TMP/k.rhe" | grep 'Lagrangian\|check\|dissipation  '
rheonom inverse "$TMP/k.rhe" --json | grep -o '"for_all_parameters": [a-z]*, "parameters": [^,]*,\|"definiteness_parameters": "[^"]*"'
rheonom inverse "$TMP/k.rhe" --set k=1e-9 | head -n 1
