#!/usr/bin/env bash
# Writes docs/recording.svg: find, fix and prove in a copy of rtreego (a library of R-trees), to which it adds a benchmark; thirty seconds of
# some two minutes, and shows it in the README. It measures, so nothing else should run on the machine. Each command leaves a load behind, of which
# the next one would warn: between them it waits, for ten minutes at most, until that is gone, and the picture does not show the wait.
# COPPICE_RECORDING names another file; the README stays as it is then, and a machine that stays busy is no reason to stop.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT

go build -o "$folder/bin/coppice" ./cmd/coppice
go build -o "$folder/bin/recording" ./workshop/recording
go build -o "$folder/bin/settle" ./cmd/internal/process/quiet/settle
source=$(GOWORK=off GOFLAGS=-mod=mod go mod download -json github.com/dhconnelly/rtreego@v1.2.0 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
cp -r "$source" "$folder/rtreego"
chmod -R u+w "$folder/rtreego"
cd "$folder/rtreego"
[ -f go.mod ] || go mod init github.com/dhconnelly/rtreego
cat > insert_test.go <<'END'
package rtreego

import (
	"math/rand"
	"testing"
)

var result *Rtree

// BenchmarkInsert puts 20,000 boxes into a tree.
func BenchmarkInsert(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	boxes := make([]Rect, 20000)
	for i := range boxes {
		boxes[i], _ = NewRect(Point{r.Float64() * 1000, r.Float64() * 1000}, []float64{1 + r.Float64(), 1 + r.Float64()})
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		result = NewTree(2, 25, 50)
		for _, box := range boxes {
			result.Insert(box)
		}
	}
}
END
git init --quiet
git add -A
git -c user.name=somebody -c user.email=somebody@example.org commit --quiet -m "rtreego v1.2.0"
export PATH=$folder/bin:$PATH GOWORK=off
recording -seconds 30 -before 'settle -at-most 10m || [ -n "${COPPICE_RECORDING:-}" ]' 'coppice find -bench Insert -top 4' 'coppice fix -bench Insert' \
	'coppice fix -apply' 'coppice prove -base HEAD -bench Insert' > "$folder/recording.svg"
if [ -z "${COPPICE_RECORDING:-}" ] && grep -q -e 'the load was' -e '(exit code' "$folder/recording.svg"; then
	echo "recording.sh: the machine was busy or nothing was kept, and the picture would say so; nothing is written; run it again when nothing else runs" >&2
	exit 1
fi
mv "$folder/recording.svg" "${COPPICE_RECORDING:-$root/docs/recording.svg}"
if [ -z "${COPPICE_RECORDING:-}" ]; then
	sed -i 's|^<!-- FIGURE-TO-MEASURE: ./scripts/recording.sh .*-->$|![find, fix and prove in a terminal, in thirty seconds, for 20,000 inserts into an R-tree](docs/recording.svg)|' "$root/README.md"
fi
