#!/usr/bin/env bash
# Installs what the programs in other languages need, which the lab compares with
# Coppice: `scripts/deps-languages.sh c haskell` for some of them, without arguments for
# all. A package that this system does not have is named at the end; the lab leaves out
# the programs that need it. The names are Debian 12's.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

updated=no lacking=()

# package NAME of one that apt shall install; the others go on if it cannot.
package() {
	command -v apt-get >/dev/null || {
		lacking+=("$1")
		return
	}
	[ "$updated" = yes ] || as_root apt-get update -q
	updated=yes
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$1" ||
		lacking+=("$1")
}

# A command, a shared library or a header, and the package that brings it.
command_of() { command -v "$1" >/dev/null || package "$2"; }
library_of() { PATH=$PATH:/sbin ldconfig -p | grep -F "$1 " >/dev/null || package "$2"; }
header_of() { [ -e "/usr/include/$1" ] || package "$2"; }

deps_c() {
	command_of gcc gcc
	header_of pthread.h libc6-dev
	header_of apr-1.0/apr_pools.h libapr1-dev
	library_of libmimalloc.so.2 libmimalloc2.0
	library_of libjemalloc.so.2 libjemalloc2
	library_of libtcmalloc_minimal.so.4 libtcmalloc-minimal4
}

deps_cpp() {
	command_of g++ g++
	header_of boost/pool/pool.hpp libboost-dev
}

deps_haskell() { command_of ghc ghc; }

deps_ocaml() { command_of ocamlopt ocaml-nox; }

all=(c cpp haskell ocaml)
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
for language in "$@"; do
	"deps_$language"
done
[ ${#lacking[@]} -eq 0 ] || {
	echo "deps-languages: apt did not help with ${lacking[*]}; please install them by hand" >&2
	exit 1
}
