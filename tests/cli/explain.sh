# explain: a text, the list, and a code that is not there.
rheonom explain E900
rheonom explain e900 | head -n 1
rheonom explain E900 --json
rheonom explain | grep -c E900
rheonom explain E9OO
echo "exit $?"
rheonom explain E9OO --json
echo "exit $?"
