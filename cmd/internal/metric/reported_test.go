package metric

import "testing"

// A metric that a benchmark reports has a name derived from its unit, is in base units, and differs
// from all metrics of the table.
func TestReported(t *testing.T) {
	for unit, want := range map[string]string{"hits/op": "hits/op", "MB/s": "B/s", "p99-ns": "p99-sec", "cpu": "cpu", "allocs": "allocs"} {
		name := OfUnit(unit)
		m := Named(name)
		if got, ok := UnitOf(name); !ok || got != want || m.Op != want || m.Bench != want || m.Kind != Reported || m.Goal {
			t.Errorf("%s is %q, %+v", unit, got, m)
		}
		if OfUnit(want) != name {
			t.Errorf("%s and %s are two metrics", unit, want)
		}
	}
	for _, m := range All {
		if unit, ok := UnitOf(m.Name); ok || m.Kind == Reported {
			t.Errorf("%s is reported, as %s", m.Name, unit)
		}
	}
}

// Time, bytes and allocations per operation are measured, so the values that a benchmark reports in
// these units are not used.
func TestOwnUnits(t *testing.T) {
	for unit, want := range map[string]bool{"ns/op": true, "sec/op": true, "B/op": true, "allocs/op": true, "MB/s": false, "ns/key": false, "hits/op": false} {
		if Own(unit) != want {
			t.Errorf("%s: %v", unit, !want)
		}
	}
}

func TestUsualDirections(t *testing.T) {
	for unit, want := range map[string]Direction{"B/s": Higher, "MB/s": Higher, "requests/s": Higher, "keys/sec": Higher, "hits/op": Unknown, "s": Unknown, "ratio": Unknown, "B/shard": Unknown} {
		if got := Usual(unit); got != want {
			t.Errorf("%s: %q, want %q", unit, got, want)
		}
	}
}
