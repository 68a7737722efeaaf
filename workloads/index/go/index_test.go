package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// Every index prints what ../expect says, with every kind of key.
func TestOutput(t *testing.T) {
	const depth = 11
	want, err := exec.Command("go", "run", "../expect", fmt.Sprint(depth)).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		for _, s := range strategies() {
			if s == "floor" && kind.name != "uint64" {
				continue
			}
			t.Run(kind.name+"/"+s, func(t *testing.T) {
				line, figures, err := kind.run(s, 1<<depth)
				if err != nil || line+"\n" != string(want) {
					t.Errorf("%q, %v, want %q", line, err, want)
				}
				for _, name := range []string{"fill_s", "get_s", "spread_s", "set_s", "mixed_s", "churn_s", "collection_s", "longest_s", "gap_s", "live_bytes"} {
					if figures[name] <= 0 {
						t.Errorf("%s is %v", name, figures[name])
					}
				}
				inOrder := s == "google" || s == "tidwall" || s == "btree"
				if (figures["range_s"] > 0) != inOrder {
					t.Errorf("range_s is %v", figures["range_s"])
				}
			})
		}
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

// Keys are unlike each other.
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
