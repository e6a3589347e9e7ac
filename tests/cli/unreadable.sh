# Model files that cannot be read: exit 2.
cd "$TMP" || exit 9
rheonom check no_such_file.rhe
echo "missing: exit $?"
mkdir folder.rhe
rheonom check folder.rhe
echo "folder: exit $?"
rheonom check ""
echo "no name: exit $?"
head -c 8388609 /dev/zero | tr '\0' '#' >large.rhe
rheonom check large.rhe
echo "too large: exit $?"
rheonom check - <large.rhe
echo "too large from the standard input: exit $?"
rheonom check - </dev/zero
echo "endless: exit $?"
rheonom check - <&-
echo "closed: exit $?"
