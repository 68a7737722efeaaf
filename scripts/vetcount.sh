#!/usr/bin/env bash
# Counts what the rules of coppice vet report in code that is not ours, by rule: the
# standard library with its tests, and two modules of fixed versions without theirs (which
# need modules that few have). docs/VET.md has the counts; FOLDER gets every finding.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-bin/vetcount}
modules="github.com/cockroachdb/pebble/v2@v2.1.7 k8s.io/client-go@v0.37.2"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
go build -o bin/coppice ./cmd/coppice
coppice=$PWD/bin/coppice
cd "$folder"
[ -f go.mod ] || go mod init vetcount > /dev/null 2>&1
export GOFLAGS=-mod=mod GOWORK=off
go get $modules > get.txt 2>&1 || { cat get.txt; exit 1; }

# count TITLE FILE VET-ARGUMENTS... runs coppice vet, whose exit code 1 means findings.
count() {
	local title=$1 file=$2 code=0
	shift 2
	"$coppice" vet "$@" > "$file" 2> errors.txt || code=$?
	if [ $code -gt 1 ] || [ -s errors.txt ]; then
		cat errors.txt
		exit 1
	fi
	local pattern=${*: -1}
	echo "$title: $(go list "$pattern" | wc -l) packages, $(wc -l < "$file") findings"
	sed 's/.*(\([a-z]*\))$/    \1/' "$file" | sort | uniq -c
}

count "the standard library of $(go env GOVERSION)" std.txt std
for module in $modules; do
	name=${module%@*}
	count "$module" "$(echo "$name" | tr '/' '-').txt" -tests=false "$name/..."
done
