package main

import "testing"

func TestAvailable(t *testing.T) {
	for _, c := range []struct {
		meminfo string
		want    uint64
		fails   bool
	}{
		{"MemTotal:       24683520 kB\nMemFree:        1 kB\nMemAvailable:   23078912 kB\nBuffers:  1 kB\n", 23078912 << 10, false},
		{"MemTotal:       24683520 kB\n", 0, true},
		{"", 0, true},
	} {
		if got, err := available(c.meminfo); got != c.want || (err != nil) != c.fails {
			t.Errorf("available(%q) = %d, %v; want %d", c.meminfo, got, err, c.want)
		}
	}
}

// TestTouch verifies that touch can write to and release memory that consists of several pieces,
// the last of which is a single byte.
func TestTouch(t *testing.T) {
	if err := touch(8<<20+1, 1<<20); err != nil {
		t.Error(err)
	}
}
