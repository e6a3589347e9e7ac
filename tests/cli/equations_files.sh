# equations: LaTeX and JSON.
rheonom equations examples/rolling_disc/model.rhe --form quasi --latex
echo "exit $?"
rheonom equations examples/pendulum_cartesian/model.rhe --latex
echo "exit $?"
rheonom equations examples/pendulum_cartesian/model.rhe --json
echo "exit $?"
rheonom equations examples/rolling_disc/model.rhe --form reduced --json
echo "exit $?"
rheonom equations examples/lorenz_chetaev/model.rhe --json --form principal
echo "exit $?"
