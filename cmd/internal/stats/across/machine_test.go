package across

import "testing"

// TestMachineKinds verifies that the kind of a machine consists of the processor and the number of
// cores, and that the guessed name of a machine also includes the memory.
func TestMachineKinds(t *testing.T) {
	for _, c := range []struct {
		values        map[string]string
		kind, guessed string
	}{
		{map[string]string{"cpu": "EPYC", "cores": "2", "memory": "8 GiB", "host": "a"}, "EPYC, 2 cores", "EPYC, 2 cores, 8 GiB"},
		{map[string]string{"cpu": "EPYC", "cores": "2"}, "EPYC, 2 cores", "EPYC, 2 cores"},
		{map[string]string{"cpu": "EPYC", "memory": "8 GiB"}, "EPYC", "EPYC, 8 GiB"},
		{nil, "unknown processor", "unknown processor"},
	} {
		if kind, guessed := KindOf(c.values), Guessed(c.values); kind != c.kind || guessed != c.guessed {
			t.Errorf("%v: %q and %q, want %q and %q", c.values, kind, guessed, c.kind, c.guessed)
		}
	}
}
