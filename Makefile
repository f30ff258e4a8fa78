# The two commands a newcomer needs: `make run` starts Vivarium, `make test` proves it.
PREFIX ?= /usr/local

.PHONY: run build install test test-asan test-tsan test-machines bench format setup tidy fuzz clean

run: build  ## install what is missing, build, start the server in the foreground
	build/release/viv serve

build: setup  ## the release build, in build/release/
	cmake --preset release > /dev/null
	cmake --build --preset release --target viv viv-agent viv-tools

install: build  ## programs, apps, a unit for systemd and completion, under PREFIX (and DESTDIR)
	DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

test:  ## every test that needs no other machine
	@tests/support/setup test
	tests/run

test-asan:  ## the unit tests and fuzz corpora under ASan and UBSan
	@tests/support/setup test
	tests/sanitized asan

test-tsan:  ## the same under ThreadSanitizer
	@tests/support/setup test
	tests/sanitized tsan

test-machines: setup  ## boxes on other machines, in QEMU: Debian's own kernel and systemd, cgroups v2 and v1 alone, XFS
	@tests/support/setup test
	@tests/support/setup machines
	cmake --preset test > /dev/null
	cmake --build --preset test --target viv viv-agent viv-tools containment_test runtime_test storage_test boxes_test
	tests/machines/run

.PHONY: test-debian13
test-debian13: setup  ## builds on Debian 13, in a root file system of its own, and runs what needs no privileges there
	tests/debian13/run

.PHONY: test-bridge
test-bridge: build  ## servers and clients on old and new MCP SDKs from PyPI, through the bridge of a box
	tests/bridge/run

bench: setup  ## the numbers of docs/specification.md
	bench/run

setup:  ## what a fresh Debian 12 or 13 lacks
	@tests/support/setup

format:  ## clang-format over all sources
	git ls-files -co --exclude-standard '*.cc' '*.h' | xargs clang-format-14 -i

tidy:  ## clang-tidy over the sources that differ from main, or over those in FILES
	@tests/support/setup tidy
	tests/tidy/changed $(FILES)

fuzz:  ## every fuzz target for a minute each
	tests/fuzz/run

clean:
	rm -rf build
