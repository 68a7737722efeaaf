package cache

import (
	"math/rand/v2"
	"testing"
)

// TestModes verifies that each pattern of requests brings a shard into the mode that suits it, from
// every mode listed in the field from.
func TestModes(t *testing.T) {
	const entries = 1000
	for _, c := range []struct {
		name                           string
		used, returnUnused, returnUsed int // in percent: evicted entries that were used, and evicted entries of each kind that return
		from                           []mode
		want                           mode
	}{
		{"Zipf", 12, 13, 30, []mode{balanced, recent, steady}, balanced},
		{"scan", 1, 1, 0, []mode{balanced, recent, steady}, balanced},
		{"shifting set", 20, 25, 0, []mode{balanced, steady}, recent},
		{"shifting set that is followed", 25, 10, 2, []mode{recent}, recent},
		{"moving window", 45, 90, 2, []mode{balanced, steady}, recent},
		{"moving window that is followed", 88, 1, 0, []mode{recent}, recent},
		{"loop", 90, 90, 100, []mode{balanced, recent, steady}, steady},
		{"loop that is steady", 1, 99, 90, []mode{steady}, steady},
	} {
		for _, from := range c.from {
			a, additions := adaptation{}, uint64(1)
			a.begin(from, additions)
			r := rand.New(rand.NewPCG(1, 1))
			for range 6 * entries {
				additions++
				k, returns := unused, c.returnUnused
				if r.IntN(100) < c.used {
					k, returns = used, c.returnUsed
				}
				if r.IntN(100) < returns {
					a.returns(k, 0, additions)
				}
				a.count(k, additions, entries)
			}
			if a.mode != c.want {
				t.Errorf("%s: from mode %d a shard comes to %d, want %d", c.name, from, a.mode, c.want)
			}
		}
	}
}

// A shard does not count the return of an entry that was evicted in an earlier mode.
func TestReturnsOfAnOlderMode(t *testing.T) {
	var a adaptation
	a.begin(recent, 1000)
	a.returns(unused, 1, 1000)
	a.returns(unused, 0, 1000)
	a.returns(used, 100, 1100)
	a.returns(used, 101, 1100)
	if a.returned != [2]uint64{1, 1} {
		t.Errorf("%d returned", a.returned)
	}
}

// TestPlaces verifies how many of a hundred new entries each mode inserts into the brief, the small
// and the main queue, and how many of 320 returning entries it inserts into the main queue.
func TestPlaces(t *testing.T) {
	for m, want := range map[mode][3]int{balanced: {10, 90, 0}, recent: {0, 10, 90}, steady: {100, 0, 0}} {
		a := adaptation{mode: m}
		var got [3]int
		for range 100 {
			got[a.place(false)]++
		}
		if got != want {
			t.Errorf("mode %d puts %d, want %d", m, got, want)
		}
		known := 0
		for range 320 {
			if a.place(true) == 2 {
				known++
			}
		}
		if wanted := map[mode]int{balanced: 320, recent: 320, steady: 10}[m]; known != wanted {
			t.Errorf("mode %d puts %d of 320 that return into the main queue, want %d", m, known, wanted)
		}
	}
}
