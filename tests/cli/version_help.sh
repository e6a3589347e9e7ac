# What the program says about itself.
rheonom --version
rheonom --help
echo "exit $?"
for verb in check equations dump explain run; do
    rheonom $verb --help
    echo "exit $?"
done
