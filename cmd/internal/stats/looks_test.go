package stats

import (
	"math"
	"testing"
)

func TestLooks(t *testing.T) {
	for most, want := range map[int][]Look{
		0:  {{10, 0.0125}, {20, 0.0125}, {40, 0.0125}, {80, 0.0125}},
		80: {{10, 0.0125}, {20, 0.0125}, {40, 0.0125}, {80, 0.0125}},
		40: {{10, 0.05 / 3}, {20, 0.05 / 3}, {40, 0.05 / 3}},
		19: {{10, 0.05}},
		1:  {{10, 0.05}},
	} {
		got := Looks(0.05, most)
		if len(got) != len(want) {
			t.Fatalf("at most %d: %v, want %v", most, got, want)
		}
		for i, l := range got {
			if l.N != want[i].N || math.Abs(l.Alpha-want[i].Alpha) > 1e-15 {
				t.Errorf("at most %d: look %d is %+v, want %+v", most, i, l, want[i])
			}
		}
	}
}
