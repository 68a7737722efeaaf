package vmem

import "testing"

// A limit is recognized as the cause of a failed call even if some memory was released before the
// process's usage was read.
func TestLimitThatIsMet(t *testing.T) {
	const limit = 4 << 30
	for _, c := range []struct {
		has, more uint64
		want      bool
	}{
		{limit, 1, true}, {limit - 1<<20, 2 << 20, true}, {limit - 64<<20, 1 << 20, true}, {limit / 2, limit, true},
		{limit / 2, 1 << 20, false}, {0, 1, false},
	} {
		if got := isMet(limit, c.has, c.more); got != c.want {
			t.Errorf("with %d of %d, %d more: %t, want %t", c.has, uint64(limit), c.more, got, c.want)
		}
	}
}
