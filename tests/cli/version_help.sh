# What the program says about itself.
rheonom --version
rheonom --help
echo "exit $?"
for verb in check dump explain run; do
    rheonom $verb --help
    echo "exit $?"
done
