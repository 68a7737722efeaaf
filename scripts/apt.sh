# What deps.sh and deps-languages.sh share: installing Debian's packages. It is sourced.

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

updated=no

# refresh apt's lists, once.
refresh() {
	[ "$updated" = yes ] || as_root apt-get update -q || return 1
	updated=yes
}

# install PACKAGE... by apt, with fresh lists.
install() {
	command -v apt-get >/dev/null || {
		echo "deps: this machine has no apt-get; please install $* by hand" >&2
		return 1
	}
	refresh || return 1
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# A command, a shared library or a header, and the package that brings it.
command_of() { command -v "$1" >/dev/null || install "$2"; }
library_of() { PATH=$PATH:/sbin ldconfig -p | grep -F "$1 " >/dev/null || install "$2"; }
header_of() { [ -e "/usr/include/$1" ] || install "$2"; }
