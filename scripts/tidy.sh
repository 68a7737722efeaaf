#!/usr/bin/env bash
# Checks that go.mod and go.sum of each module are tidy, or tidies them with -w. `go mod tidy`
# does not read go.work, so this script adds replaces of the library, of flat and of the tools to a
# copy of each go.mod: docs/decisions/0016.
set -euo pipefail
cd "$(dirname "$0")/.."
library=github.com/coppice-go/coppice

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GOWORK=off

for module in . flat prom examples cmd golangci workloads workshop; do
	cp "$module/go.mod" "$folder/go.mod"
	cp "$module/go.sum" "$folder/go.sum"
	[ "$module" = . ] || go mod edit -replace "$library=../" -replace "$library/flat=../flat" -replace "$library/cmd=../cmd" "$folder/go.mod"
	if [ "${1:-}" = -w ]; then
		go -C "$module" mod tidy -modfile "$folder/go.mod"
		go mod edit -dropreplace "$library" -dropreplace "$library/flat" -dropreplace "$library/cmd" "$folder/go.mod"
		cp "$folder/go.mod" "$folder/go.sum" "$module/"
	else
		go -C "$module" mod tidy -diff -modfile "$folder/go.mod"
	fi
done
