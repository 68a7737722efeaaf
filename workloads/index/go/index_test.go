package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// timesOf lists the figures that every index reports, ordered or not.
var timesOf = strings.Fields("fill_s get_s spread_s set_s mixed_s churn_s collection_s longest_s gap_s get_p50_s get_p99_s get_p999_s get_max_s " +
	"set_p50_s set_p99_s set_p999_s clock_s clock_p999_s live_bytes entry_bytes")

// expected returns the output of ../expect.
func expected(t *testing.T, args ...string) string {
	t.Helper()
	want, err := exec.Command("go", append([]string{"run", "../expect"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(want), "\n")
}

// TestOutput verifies that every index prints the same line as ../expect, with every kind of key,
// for one goroutine and, if the index supports it, for two.
func TestOutput(t *testing.T) {
	const depth = 10
	defer func(was int) { least = was }(least)
	least = 3 << depth
	want := expected(t, fmt.Sprint(depth))
	for _, kind := range kinds {
		for _, s := range strategies() {
			if s == "floor" && kind.name != "uint64" {
				continue
			}
			for goroutines := range 2 {
				if goroutines > 0 && !slices.Contains(many, s) {
					continue
				}
				t.Run(fmt.Sprint(kind.name, "/", s, "/", goroutines+1), func(t *testing.T) {
					line, figures, err := kind.run(s, 1<<depth, goroutines+1)
					if err != nil || line != want {
						t.Errorf("%q, %v, want %q", line, err, want)
					}
					for _, name := range timesOf {
						if figures[name] <= 0 {
							t.Errorf("%s is %v", name, figures[name])
						}
					}
					inOrder := s == "google" || s == "tidwall" || s == "btree"
					if (figures["range_s"] > 0) != inOrder {
						t.Errorf("range_s is %v", figures["range_s"])
					}
					if told := !inOrder && s != "syncmap"; (figures["told_s"] > 0) != told {
						t.Errorf("told_s is %v", figures["told_s"])
					}
				})
			}
		}
	}
}

// TestSmall verifies that many small maps print the same line as ../expect.
func TestSmall(t *testing.T) {
	const depth = 7
	for _, entries := range []int{8, 100} {
		want := expected(t, "-group", fmt.Sprint("small-", entries), fmt.Sprint(depth))
		for _, s := range smalls() {
			line, figures, err := runSmall(s, depth, entries)
			if err != nil || line != want {
				t.Errorf("%s: %q, %v, want %q", s, line, err, want)
			}
			for _, name := range []string{"fill_s", "get_s", "collection_s", "live_bytes", "map_bytes", "entry_bytes"} {
				if figures[name] <= 0 {
					t.Errorf("%s: %s is %v", s, name, figures[name])
				}
			}
			if least := float64(16 * entries); figures["map_bytes"] < least {
				t.Errorf("%s: a map of %d entries takes %.0f bytes, and they alone have %.0f", s, entries, figures["map_bytes"], least)
			}
		}
	}
	if _, _, err := runSmall("floor", depth, 8); err == nil {
		t.Error("there are small floors")
	}
}

func TestUnmix(t *testing.T) {
	for i := range 1 << 16 {
		if got := unmix(mix(i)); got != uint64(i) {
			t.Fatalf("of %d it makes %d", i, got)
		}
	}
	if i := unmix(none); i < 1<<30 {
		t.Errorf("key %d is none", i)
	}
}

// TestKeys verifies that all keys are different.
func TestKeys(t *testing.T) {
	const n = 1 << 17
	seen := map[any]int{}
	for i := range n {
		for _, k := range []any{number(i), identifier(i), "word " + word(i), url(i)} {
			if before, ok := seen[k]; ok {
				t.Fatalf("keys %d and %d are both %v", before, i, k)
			}
			seen[k] = i
		}
	}
	if u := url(5); !strings.HasPrefix(u, "https://www.example.org/") || len(u) > 60 {
		t.Error(u)
	}
}
