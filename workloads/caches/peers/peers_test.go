package main

import (
	"testing"
)

// Each cache finds what is asked for often, on each trace, and never another value.
func TestRivals(t *testing.T) {
	for _, r := range rivals {
		for _, tr := range traces {
			got, err := run(job{Cache: r.name, Trace: tr.name, MiB: 40, Value: 100, Requests: 200_000, Goroutines: 2})
			if err != nil {
				t.Fatal(err)
			}
			ratio := float64(got.Hits) / float64(got.Requests)
			if ratio < 0.05 && r.name != "ristretto" || ratio > 0.9 { // which drops what is set while it is busy
				t.Errorf("%s on %s: %.2f of requests hit", r.name, tr.name, ratio)
			}
			t.Logf("%-10s %-10s %.3f of requests hit", r.name, tr.name, ratio)
		}
	}
}

// A trace of one seed is always the same, and its keys are popular by Zipf's law.
func TestTraces(t *testing.T) {
	for _, tr := range traces {
		a, b, counts := tr.source(1), tr.source(1), map[uint64]int{}
		most := 0
		for range 100_000 {
			k := a()
			if k != b() {
				t.Fatalf("%s is another trace each time", tr.name)
			}
			counts[k]++
			most = max(most, counts[k])
		}
		if most < 500 || most > 30_000 || len(counts) < 10_000 {
			t.Errorf("%s: the most popular key comes %d times, and there are %d keys", tr.name, most, len(counts))
		}
	}
}
