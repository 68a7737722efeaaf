#!/usr/bin/env bash
# Fails if a test binary of the library, of flat, of prom, or of the README's second command, has
# more than this many MiB: scripts/testsizes.sh 30. Large arrays as type arguments bring the
# compiler to that, in seconds for each.
set -euo pipefail
cd "$(dirname "$0")/.."
most=$1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0
go list -test -f '{{if .ForTest}}{{else}}{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}{{end}}' ./... ./flat/... ./prom ./cmd/smoke | while read -r package; do
	number=$((number + 1))
	go test -c -o "$folder/$number" "$package"
	size=$(stat -c %s "$folder/$number")
	rm "$folder/$number"
	[ "$size" -le $((most << 20)) ] || {
		echo "testsizes: the test binary of $package has $((size >> 20)) MiB: must be at most $most; look for large arrays as type arguments" >&2
		exit 1
	}
done
