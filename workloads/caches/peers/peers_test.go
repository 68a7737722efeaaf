package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// usual is the capacity that most of the tests use: 32 MiB.
var usual = room{32 << 20, valueBytes}

// drawn returns n requested keys of the trace, divided among the goroutines.
func drawn(t *testing.T, tr trace, n int) [goroutines][]uint64 {
	t.Helper()
	keys, err := draw(tr, n, room{usual.bytes, tr.value}.entries())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestRivals verifies that, on each trace, each cache finds frequently requested keys and never
// returns the value of another key.
func TestRivals(t *testing.T) {
	for _, tr := range traces {
		n := 60_000
		if tr.name == "scan" {
			n = 120_000 // the scan begins with keys that are never requested again
		}
		keys := drawn(t, tr, n)
		for _, name := range caches() {
			line, figures, err := job{name, room{usual.bytes, tr.value}}.run(keys)
			if err != nil || line != said(keys) {
				t.Errorf("%s on %s: %q, %v; want %q", name, tr.name, line, err, said(keys))
			}
			misses := figures["miss_percent"]
			if misses > 95 && name != "ristretto" && tr.name[:4] != "loop" || misses < 2 { // ristretto drops values that are set while it is busy
				t.Errorf("%s on %s: %.1f %% of requests find nothing", name, tr.name, misses)
			}
			for _, figure := range []string{"request_s", "request_cpu_s", "collection_s", "get_p50_s", "get_p99_s", "get_p999_s", "get_max_s", "clock_p50_s", "bound_bytes"} {
				if figures[figure] <= 0 {
					t.Errorf("%s on %s: %s is %v", name, tr.name, figure, figures[figure])
				}
			}
		}
	}
}

// TestWrongValues verifies that wrong values are counted and change the output, whichever loop
// finds them.
func TestWrongValues(t *testing.T) {
	keys := drawn(t, traces[0], 100)
	liar := rival{get: func(room []byte, k uint64) ([]byte, bool) { return append(room, make([]byte, valueBytes)...), true }}
	j := job{room: usual}
	if got := j.ask(liar, keys); got.wrong < 98 || got.line(100) == said(keys) {
		t.Errorf("%+v", got)
	}
	if wrong := j.tails(liar, keys, selfreport.Report{}); wrong < 100/timedPart-2 {
		t.Errorf("%d wrong values are found while each is timed", wrong)
	}
}

// TestTraces verifies that a trace is the same every time, and that the goroutines request
// different sequences of keys.
func TestTraces(t *testing.T) {
	for _, tr := range traces {
		a, b := drawn(t, tr, 50_000), drawn(t, tr, 50_000)
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s is another trace each time", tr.name)
		}
		if fmt.Sprint(a[0]) == fmt.Sprint(a[1]) {
			t.Errorf("%s: both goroutines ask for the same", tr.name)
		}
	}
}

// TestPopular verifies that the popularity of keys is plausible for Zipf's law, in the traces that
// follow it.
func TestPopular(t *testing.T) {
	for _, tr := range traces[:4] {
		next, counts, most := tr.source(0, usual.entries()), map[uint64]int{}, 0
		for range 100_000 {
			k := next()
			counts[k]++
			most = max(most, counts[k])
		}
		if most < 500 || most > 30_000 || len(counts) < 10_000 {
			t.Errorf("%s: the most popular key comes %d times, and there are %d keys", tr.name, most, len(counts))
		}
	}
	if n := popular(usual.entries()); n != 2_000_000 {
		t.Errorf("%d keys are popular", n)
	}
}

// TestLoopAndWindow verifies that a loop requests each of its keys once per pass, always in the
// same order. It also verifies that the requests of a window are for keys in a range of fixed
// length, which moves by one key every four requests.
func TestLoopAndWindow(t *testing.T) {
	const of = 1000
	a, b := loop(0, of), loop(1, of)
	last := map[uint64]int{}
	for i := range 5 * of {
		next := a
		if i%2 == 1 {
			next = b
		}
		k := next()
		if before, ok := last[k]; ok != (i >= of) || ok && i-before != of {
			t.Fatalf("request %d of a loop was seen at %d", i, before)
		}
		last[k] = i
	}
	known := map[uint64]uint64{}
	for i := range uint64(20 * of) {
		known[mix(i)] = i
	}
	next := window(0, of)
	for i := 0; i < 10*of; i += goroutines {
		if n := int(known[next()]); n < i/4 || n >= i/4+of {
			t.Fatalf("request %d of a window is for key %d", i, n)
		}
	}
}

// TestRecorded verifies the recorded trace, and that a file with another hash or with invalid
// contents is refused.
func TestRecorded(t *testing.T) {
	all, err := glimpse()
	if err != nil || len(all) != 6015 {
		t.Fatalf("%d requests, %v", len(all), err)
	}
	different := map[uint64]bool{}
	for _, k := range all {
		different[k] = true
	}
	if len(different) != 2529 {
		t.Errorf("%d different blocks", len(different))
	}
	pack := func(text string) ([]byte, string) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		sum := sha256.Sum256(packed.Bytes())
		return packed.Bytes(), hex.EncodeToString(sum[:])
	}
	good, hash := pack("7\n\n8\n")
	if got, err := blocks(good, hash); err != nil || fmt.Sprint(got) != "[7 8]" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := blocks(good, glimpseHash); err == nil || !strings.Contains(err.Error(), hash) {
		t.Errorf("another file is read: %v", err)
	}
	if bad, hash := pack("7\nx\n"); !fails(blocks(bad, hash)) {
		t.Error("x is a number")
	}
	if plain := []byte("7\n"); !fails(blocks(plain, fmt.Sprintf("%x", sha256.Sum256(plain)))) {
		t.Error("what is not packed is read")
	}
	if _, err := fetch("nothing@v1.0.0"); err == nil {
		t.Error("a module without a path is fetched")
	}
}

func fails(_ []uint64, err error) bool { return err != nil }

// TestBounds verifies that each cache has a bound for the traces in which all caches have the same
// resident memory.
func TestBounds(t *testing.T) {
	if len(bounds) != len(rivals) {
		t.Errorf("%d bounds, and %d caches", len(bounds), len(rivals))
	}
	for _, name := range caches() {
		if b := bounds[name]; b < 1<<20 || b > 2*equalBytes {
			t.Errorf("%s has a bound of %d bytes", name, b)
		}
	}
}
