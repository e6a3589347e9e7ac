#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Build the benchmarks and run their driver.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ ! -f bench/CMakeLists.txt ]; then
    echo "run_bench: there are no benchmarks yet"
    exit 0
fi
cmake --preset release -DRH_BENCH=ON >/dev/null
cmake --build --preset release --parallel "${JOBS:-2}"
exec build/bench/bench "$@"
