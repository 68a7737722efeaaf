#!/usr/bin/env bash
# Installs what the programs in other languages need, which the lab compares with
# Coppice: `scripts/deps-languages.sh c haskell` for some of them, without arguments for
# all. `make deps-languages` runs it. What this system does not have is named at the end; the
# lab leaves out the programs that need it. The names are Debian 12's.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/apt.sh

# Joined by &&, because a failure does not end a function whose result is asked for.
deps_c() {
	command_of gcc gcc &&
		header_of pthread.h libc6-dev &&
		header_of apr-1.0/apr_pools.h libapr1-dev &&
		library_of libmimalloc.so.2 libmimalloc2.0 &&
		library_of libjemalloc.so.2 libjemalloc2 &&
		library_of libtcmalloc_minimal.so.4 libtcmalloc-minimal4
}

deps_cpp() { command_of g++ g++ && header_of boost/pool/pool.hpp libboost-dev; }

deps_haskell() { command_of ghc ghc; }

deps_java() { command_of javac openjdk-17-jdk-headless && command_of java openjdk-17-jdk-headless; }

# From 18.15 on, which Debian 12 has.
deps_node() { command_of node nodejs; }

deps_ocaml() { command_of ocamlopt ocaml-nox; }

# Debian 12's cargo will do for binary-trees; json needs Rust 1.85. The packages of the lock
# files are fetched, so that the lab need not wait for the network.
deps_rust() {
	command_of cargo cargo &&
		cargo fetch --locked --manifest-path workloads/binary-trees/rust/Cargo.toml &&
		cargo fetch --locked --manifest-path workloads/json/rust/Cargo.toml
}

all=(c cpp haskell java node ocaml rust)
[ $# -gt 0 ] || set -- "${all[@]}"
for language in "$@"; do
	case " ${all[*]} " in
	*" $language "*) ;;
	*)
		echo "deps-languages: no language \"$language\"; there are ${all[*]}" >&2
		exit 2
		;;
	esac
done
lacking=()
for language in "$@"; do
	"deps_$language" || lacking+=("$language")
done
[ ${#lacking[@]} -eq 0 ] || {
	echo "deps-languages: not all was installed for ${lacking[*]}; the lab leaves out what needs it" >&2
	exit 1
}
