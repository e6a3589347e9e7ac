# SPDX-License-Identifier: Apache-2.0
# A thin front door; the build itself is CMake (CMakeLists.txt, CMakePresets.json).
#
#   make            build build/rheonom
#   make demo       install what is needed, build, show the program at work
#   make test       install what is needed, build, run the checks of every commit (20 to 30 minutes on two cores)
#   make test-all   these and all that takes longer: everything under sanitizers, the analyser of paths, fuzzing
#   make format     format the sources in place
#   make golden     refresh the expected outputs of tests/golden and tests/cli
#   make fuzz       fuzz each target for FUZZ_SECONDS
#   make bench      build and run the benchmarks of reading and deriving
#   make bench-all  build and run all benchmarks, into files of RESULTS; an hour
#   make install    install under PREFIX (DESTDIR is honoured)
#   make clean      remove all build folders

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
RESULTS ?= build/bench/results
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

DEMO := examples/rolling_disc/model.rhe

.PHONY: build demo test test-all format golden fuzz bench bench-all install clean deps

build:
	@log=$$(cmake --preset release $(CMAKE_FLAGS) 2>&1) || { echo "$$log"; exit 1; }
	@cmake --build build --parallel $(JOBS) $(if $(TARGET),--target $(TARGET))

deps:
	@tools/install_deps.sh

demo: deps
	@$(MAKE) --no-print-directory build TARGET=rheonom
	@printf '\n%s\n%s\n\n' "A disc rolls without slipping on a plane. Its page of mathematics is $(DEMO);" \
		"rheonom reads it and says what it is:"
	build/rheonom check $(DEMO)
	@printf '\n%s\n\n' "This is its motion of 10 seconds; build/demo.svg shows it."
	build/rheonom run $(DEMO) --until 10 --plot build/demo.svg

test: deps
	@JOBS=$(JOBS) tools/run_tests.sh

test-all: deps
	@JOBS=$(JOBS) tools/run_tests.sh all

format:
	@tools/check_format.sh --write

golden: build
	@rm -f tests/golden/expected/*
	@RH_REFRESH=1 ctest --test-dir build --parallel $(JOBS) --output-on-failure --tests-regex '^(golden|cli)_'

fuzz:
	@tools/run_fuzz.sh $(FUZZ_SECONDS)

bench:
	@tools/run_bench.sh

bench-all:
	@tools/run_bench.sh all $(RESULTS)

install:
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCMAKE_INSTALL_PREFIX=$(PREFIX)"
	@cmake --install build

clean:
	rm -rf build build-*
