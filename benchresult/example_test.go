package benchresult_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/benchresult"
)

// A benchmark says what it has computed.
func ExampleKeep() {
	benchmarkFields := func(b *testing.B) {
		for b.Loop() {
			words := strings.Fields("what the benchmark computes")
			benchresult.Keep(b, &words)
		}
	}
	_ = benchmarkFields
}
