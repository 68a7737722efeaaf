package main

import "testing"

// Each cache finds what is asked for often, on each trace, and never another value.
func TestRivals(t *testing.T) {
	for _, tr := range traces {
		keys := draw(tr, 200_000)
		for _, name := range caches() {
			line, figures, err := job{name, 32}.run(keys)
			if err != nil || line != said(keys) {
				t.Errorf("%s on %s: %q, %v; want %q", name, tr.name, line, err, said(keys))
			}
			misses := figures["miss_percent"]
			if misses > 95 && name != "ristretto" || misses < 10 { // which drops what is set while it is busy
				t.Errorf("%s on %s: %.1f %% of requests find nothing", name, tr.name, misses)
			}
			for _, figure := range []string{"request_s", "request_cpu_s", "collection_s"} {
				if figures[figure] <= 0 {
					t.Errorf("%s on %s: %s is %v", name, tr.name, figure, figures[figure])
				}
			}
		}
	}
}

// A wrong value is printed.
func TestWrongValues(t *testing.T) {
	keys := draw(traces[0], 100)
	liar := rival{get: func(room []byte, k uint64) ([]byte, bool) { return append(room, make([]byte, valueBytes)...), true }}
	if got := ask(liar, keys); got.wrong < 98 || got.line(100) == said(keys) {
		t.Errorf("%+v", got)
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
