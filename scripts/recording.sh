#!/usr/bin/env bash
# Writes docs/recording.svg: find, fix and prove in a copy of golang.org/x/net, thirty seconds of some five minutes, and shows it in the
# README. It measures, so nothing else should run on the machine. COPPICE_RECORDING names another file; the README stays as it is then.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT

go build -o "$folder/bin/coppice" ./cmd/coppice
go build -o "$folder/bin/recording" ./workshop/recording
source=$(GOWORK=off GOFLAGS=-mod=mod go mod download -json golang.org/x/net@v0.62.0 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
cp -r "$source" "$folder/net"
chmod -R u+w "$folder/net"
cd "$folder/net"
git init --quiet
git add -A
git -c user.name=somebody -c user.email=somebody@example.org commit --quiet -m "x/net v0.62.0"
export PATH=$folder/bin:$PATH GOWORK=off
recording -seconds 30 'coppice find -bench Parser -top 4 ./html' 'coppice fix -bench Parser ./html' \
	'coppice fix -apply' 'coppice prove -base HEAD -bench Parser ./html' > "$folder/recording.svg"
if [ -z "${COPPICE_RECORDING:-}" ] && grep -q -e 'the load was' -e '(exit code' "$folder/recording.svg"; then
	echo "recording.sh: the machine was busy or nothing was kept, and the picture would say so; nothing is written; run it again when nothing else runs" >&2
	exit 1
fi
mv "$folder/recording.svg" "${COPPICE_RECORDING:-$root/docs/recording.svg}"
if [ -z "${COPPICE_RECORDING:-}" ]; then
	sed -i 's|^<!-- FIGURE-TO-MEASURE: ./scripts/recording.sh .*-->$|![find, fix and prove in a terminal, in thirty seconds; what they print stands below as text](docs/recording.svg)|' "$root/README.md"
fi
