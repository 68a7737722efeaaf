package benchresult_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/benchresult"
)

// A benchmark passes its results to Keep, so that coppice prove can compare them.
func ExampleKeep() {
	benchmarkFields := func(b *testing.B) {
		for b.Loop() {
			words := strings.Fields("what the benchmark computes")
			benchresult.Keep(b, &words)
		}
	}
	_ = benchmarkFields
}
