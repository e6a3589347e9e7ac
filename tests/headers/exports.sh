#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh NM LIBRARY: every symbol that the library defines for others is rh_..., none is rh__...
set -eu
shown=$("$1" -D --defined-only "$2" | awk '{ print $NF }')
wrong=$(printf '%s\n' "$shown" | grep -vE '^rh_[a-z]|^_init$|^_fini$|^__|^_edata$|^_end$' || true)
if [ -n "$wrong" ]; then
    printf 'the library shows what it should hide:\n%s\n' "$wrong"
    exit 1
fi
printf '%s\n' "$shown" | grep -q '^rh_version$'
