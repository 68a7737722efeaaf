#!/usr/bin/env bash
# Runs the first two commands of the README as on a fresh machine: in a clean clone of the
# last commit, with an empty module cache and an empty build cache, and with no commands but
# Go, git and what every system has; the clone is clean afterwards. `make fresh` runs it.
# What only this machine has cannot help them to pass.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
# The module cache is read-only.
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT

mkdir "$folder/bin"
for name in '[' awk base64 basename bash cat chmod cmp cp cut date dd diff dirname du echo env expr false find \
	git go grep gzip head hostname id kill ln ls mkdir mktemp mv nice nproc od printf ps pwd readlink \
	realpath rm rmdir sed seq sh sleep sort stat stty tail tar tee test timeout touch tr true tty uname uniq wc xargs yes; do
	if path=$(type -P "$name"); then ln -s "$path" "$folder/bin/$name"; fi
done

git clone --quiet . "$folder/coppice"
cd "$folder/coppice"
export PATH=$folder/bin GOMODCACHE=$folder/modules GOCACHE=$folder/build GOBIN=$folder/bin
start=$SECONDS
go run ./workshop/manual -first 2 README.md
left=$(git status --porcelain)
[ -z "$left" ] || {
	echo "fresh: the README's two commands have left or changed files:" >&2
	echo "$left" >&2
	exit 1
}
echo "fresh: the README's two commands took $((SECONDS - start)) s, with nothing downloaded or compiled before"
