#!/usr/bin/env bash
# Installs what a fresh Debian or Ubuntu machine lacks to build and check Coppice:
# a Go command of at least 1.21, which then fetches the release that go.mod asks
# for; a C compiler, which the race detector links with; what the C++ twin is built
# and tested with; Chromium, in which the lab's report is tested; shellcheck, which reads the scripts
# that the lab writes; and qemu, which runs the tests of other machines. `make deps` runs it.
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

command_of gcc gcc
header_of grp.h libc6-dev
command_of git git
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
[ -x /usr/bin/time ] || install time
[ -e /etc/ssl/certs/ca-certificates.crt ] || install ca-certificates
command_of shellcheck shellcheck
command_of qemu-aarch64 qemu-user
command_of qemu-s390x qemu-user
command -v chromium >/dev/null || command -v google-chrome >/dev/null || install chromium
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
go mod download             # of all modules of go.work
GOWORK=off go mod download # of the library by itself
(cd workloads/binary-trees/peers && GOWORK=off go mod download)
(cd workloads/json/peers && GOWORK=off go mod download) # and the documents that json parses
(cd workloads/caches/peers && GOWORK=off go mod download)
(cd workloads/jsast/go && GOWORK=off go mod download)
(cd workloads/index/go && GOWORK=off go mod download)
(cd workloads/goast/queries && GOWORK=off go vet ./...) # fetches DuckDB, for this platform only
for module in workloads/foreign/*/go.mod; do
	(cd "$(dirname "$module")" && GOWORK=off go mod download)
done
[ -z "${GO_NEWEST:-}" ] || GOTOOLCHAIN=$GO_NEWEST go version
