#!/usr/bin/env bash
# Writes what `go generate` makes and git does not have: packages of flat trees, in Go and C++, for tests and for the workloads jsast and treeserver.
# What is up to date stays as it is, and nothing is built then. With arguments it runs them as a command afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

# The schemas, by folder.
schemas=$(git grep -l --untracked 'go:generate go run .*coppice flat' -- flat/internal workloads/jsast | xargs -n 1 dirname | sort -u)

# What they are made of: a hash of it stands in bin/generated once they are written.
state() {
	git ls-files -z --cached --others --exclude-standard --deduplicate -- flat/internal workloads/jsast/syntax cmd/internal/flatgen cmd/coppice/flat.go internal/flatlayout scripts/generate.sh |
		xargs -0 sha256sum 2>&1 | sha256sum
	find flat/internal workloads/jsast/syntaxflat -name 'z*.go' -o -name '*.hpp' 2> /dev/null | sort | xargs -r ls -l --time-style=full-iso | sha256sum
}

if [ "$(state)" != "$(cat bin/generated 2> /dev/null)" ]; then
	mkdir -p bin flat/internal/cases/cpp
	for schema in $schemas; do
		go generate "./$schema"
	done
	state > bin/generated
fi
[ $# -eq 0 ] || exec "$@"
