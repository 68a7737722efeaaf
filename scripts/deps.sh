#!/usr/bin/env bash
# Installs what a fresh Debian or Ubuntu machine lacks to build and check Coppice:
# `scripts/deps.sh cpp browser` for some parts of it, without arguments for all. `make deps` runs it.
#
#	go         a Go command of at least 1.21, which then fetches the release that go.mod asks for; a C
#	           compiler, which the race detector links with; shellcheck, which reads the scripts that
#	           the lab writes; and the modules that builds and tests need
#	cpp        what the C++ twin is built and tested with
#	browser    Chromium, in which the pages of the lab, find and prove are tested
#	emulators  qemu, which runs the tests of other machines
#	peers      the modules of the programs that use other libraries
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/apt.sh

# go_is_enough tells whether there is a Go command that can fetch another release.
go_is_enough() {
	command -v go >/dev/null || return 1
	local version
	version=$(cd / && go env GOVERSION) || return 1
	version=${version#go}
	[ "$(printf '%s\n1.21\n' "$version" | sort -V | head -n 1)" = 1.21 ]
}

# offered VERSION of golang-go that apt would install from the given release.
offered() { apt-cache policy golang-go | sed -n 's/^ *Candidate: 2:\([0-9.]*\).*/\1/p'; }

install_go() {
	refresh
	if [ "$(printf '%s\n1.21\n' "$(offered)" | sort -V | head -n 1)" = 1.21 ]; then
		install golang-go
		return
	fi
	# Debian 12 has Go 1.19; its backports have a newer one.
	. /etc/os-release
	local mirror list=/etc/apt/sources.list.d/coppice-backports.list
	# Not the security archive's, nor a third party's: they have no backports.
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' "Codename: $VERSION_CODENAME" | sed -n 1p)
	[ -n "$mirror" ] || return 0 # the caller says what is missing
	echo "deb $mirror $VERSION_CODENAME-backports main" | as_root tee "$list" >/dev/null
	as_root apt-get update -q || {
		as_root rm -f "$list" # or every later apt-get update would fail too
		return 1
	}
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends -t "$VERSION_CODENAME-backports" golang-go
}

deps_cpp() {
	command_of g++ g++
	command_of clang++ clang
	command_of cmake cmake
	command_of ccache ccache
	ls /usr/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a >/dev/null 2>&1 || install libclang-rt-dev
	command_of clang++-16 clang-16
	[ -e /usr/lib/llvm-16/include/c++/v1/vector ] || install libc++-16-dev libc++abi-16-dev
	header_of gtest/gtest.h libgtest-dev
	[ -e /usr/src/googletest/googletest/CMakeLists.txt ] || install googletest # to be built with libc++
	header_of benchmark/benchmark.h libbenchmark-dev
	header_of absl/container/inlined_vector.h libabsl-dev
	header_of boost/container/small_vector.hpp libboost-dev
}

deps_browser() { command -v chromium >/dev/null || command -v google-chrome >/dev/null || install chromium; }

deps_emulators() {
	command_of qemu-aarch64 qemu-user
	command_of qemu-s390x qemu-user
}

deps_go() {
	command_of gcc gcc
	command_of g++ g++
	header_of grp.h libc6-dev
	command_of git git
	[ -x /usr/bin/time ] || install time
	[ -e /etc/ssl/certs/ca-certificates.crt ] || install ca-certificates
	command_of shellcheck shellcheck
	go_is_enough || install_go
	go_is_enough || {
		echo "deps: $(command -v go || echo no go) is not a Go of at least 1.21, and apt did not help;" \
			"please install one by hand, or take the old one out of PATH" >&2
		exit 1
	}
	# Some distributions switch off the fetching of releases.
	# (`go version` would not notice: it never reads go.mod when it may not switch.)
	if [ "$(go env GOTOOLCHAIN)" = local ] && ! go list -m >/dev/null 2>&1; then
		go env -w GOTOOLCHAIN=auto
	fi
	go version
	./scripts/generate.sh # tests import what it writes
	# What builds and tests import. `go mod download` would fetch more, and add it to go.work.sum.
	go list -deps -test work >/dev/null
	go list -deps -test -tags browser work >/dev/null
	go list tool >/dev/null
	GOWORK=off go list -deps -test ./... >/dev/null # of the library by itself
	fetch_prom
	[ -z "${GO_NEWEST:-}" ] || GOTOOLCHAIN=$GO_NEWEST go version
}

# fetch_prom fetches what the users of prom build, at its own versions: a release is rehearsed with them.
fetch_prom() {
	local folder
	folder=$(mktemp -d)
	cp prom/go.mod prom/go.sum "$folder/"
	go mod edit -replace github.com/coppice-go/coppice=../ "$folder/go.mod"
	GOWORK=off go -C prom list -modfile "$folder/go.mod" -deps ./... >/dev/null
	rm -r "$folder"
}

deps_peers() {
	local module
	for module in workloads/{binary-trees,json,caches}/peers workloads/{jsast,index,service,treeserver}/go; do
		(cd "$module" && GOWORK=off go mod download)
	done
	(cd workloads/goast/queries && GOWORK=off go vet ./...) # fetches DuckDB, for this platform only
	for module in workloads/foreign/*/go.mod; do
		(cd "$(dirname "$module")" && GOWORK=off go mod download)
	done
}

[ $# -gt 0 ] || set -- go cpp browser emulators peers
for part in "$@"; do
	case $part in
	go | cpp | browser | emulators | peers) "deps_$part" ;;
	*)
		echo "deps: invalid part $part: must be go, cpp, browser, emulators or peers" >&2
		exit 2
		;;
	esac
done
