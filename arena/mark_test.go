package arena

import "testing"

// Repeated calls of Mark without an allocation between them return the same Mark and store it once.
func TestOneMomentIsOneMark(t *testing.T) {
	var a Arena
	New[*int](&a)
	m := a.Mark()
	seen := len(a.seen)
	for range 10 {
		if again := a.Mark(); again != m {
			t.Errorf("a Mark of the same moment is %v, the first %v", again, m)
		}
	}
	if len(a.marks) != 1 || len(a.seen) != seen {
		t.Errorf("%d moments and %d Marks are remembered, want 1 and %d", len(a.marks), len(a.seen), seen)
	}
	New[int](&a)
	if later := a.Mark(); later == m {
		t.Error("a Mark after New is the one before it")
	}
}
