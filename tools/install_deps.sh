#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes sure that what the build and the tests need is there. What is missing is installed with apt-get, as root or
# through sudo without a password; otherwise the command is printed and the exit code is 1. With everything present
# apt-get is never called.
set -euo pipefail

has_command() { command -v "$1" >/dev/null 2>&1; }

has_library() { # package, pkg-config name
    dpkg -s "$1" 2>/dev/null | grep -q '^Status: .* installed$' || pkg-config --exists "$2" 2>/dev/null
}

compiles() { # compiler, options
    printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d == 0 && n; }\n%s\n' "${main:-}" |
        "$@" -x c - -o /dev/null 2>/dev/null
}

has_header() { # header
    printf '#include <%s>\n' "$1" | gcc -x c -E - >/dev/null 2>&1
}

# The packages that are missing, one a line.
missing() {
    main='#include <stdio.h>
int main(void) { return 0; }' compiles gcc || printf 'gcc\nlibc6-dev\n'
    has_command cmake || echo cmake
    has_command make || echo make
    has_command pkg-config || echo pkg-config
    has_command clang || echo clang
    has_command clang-format || has_command clang-format-14 || echo clang-format
    has_command clang-tidy || has_command clang-tidy-14 || echo clang-tidy
    has_library libgmp-dev gmp || echo libgmp-dev
    # any LAPACK serves; the serial OpenBLAS is fast, and its sums do not depend on the number of cores
    has_library libopenblas-serial-dev openblas || echo libopenblas-serial-dev
    # proofs: FLINT 3 contains Arb; before that it is a package of its own
    has_library libflint-dev flint || echo libflint-dev
    has_header flint/arb.h || has_header arb.h || echo libflint-arb-dev
    has_library libsuitesparse-dev KLU || echo libsuitesparse-dev
    has_library libsundials-dev sundials || echo libsundials-dev
    has_library libnlopt-dev nlopt || echo libnlopt-dev
    has_library nettle-dev nettle || echo nettle-dev
    has_library libcmocka-dev cmocka || echo libcmocka-dev
    # sweeps on several processes and tables of HDF5: the build goes without them too
    has_command mpirun || echo openmpi-bin
    has_library libopenmpi-dev ompi-c || has_library libmpich-dev mpich || echo libopenmpi-dev
    has_library libhdf5-dev hdf5 || has_library libhdf5-openmpi-dev hdf5-openmpi ||
        has_library libhdf5-mpich-dev hdf5-mpich || echo libhdf5-dev
    if has_command clang && ! compiles clang -fsanitize=fuzzer,address; then
        echo "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    fi
}

# apt_get ARGUMENTS...: as whoever may; exit 1 with the command when nobody may.
apt_get() {
    if ! has_command apt-get; then
        echo "install_deps: please install the equivalents of: ${packages[*]}" >&2
        exit 1
    elif [ "$(id -u)" -eq 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get "$@"
    elif has_command sudo && sudo -n true 2>/dev/null; then
        sudo -n env DEBIAN_FRONTEND=noninteractive apt-get "$@"
    else
        echo "install_deps: something is missing; please run" >&2
        echo "    sudo apt-get install -y --no-install-recommends ${packages[*]}" >&2
        exit 1
    fi
}

# Twice: which runtime clang needs is known only when clang is there.
for _ in 1 2; do
    mapfile -t packages < <(missing)
    [ "${#packages[@]}" -gt 0 ] || exit 0
    echo "install_deps: missing: ${packages[*]}"
    apt_get update
    apt_get install -y --no-install-recommends "${packages[@]}"
done
left=$(missing | tr '\n' ' ')
if [ -n "$left" ]; then
    echo "install_deps: still missing: $left" >&2
    exit 1
fi
