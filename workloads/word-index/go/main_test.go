package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/store"
)

func TestTextIsTheSameEveryTime(t *testing.T) {
	words, text := makeText(5000)
	again, _ := makeText(5000)
	seen := map[string]bool{}
	for i, w := range words {
		if seen[w] || w != again[i] {
			t.Fatalf("word %d, %q, is doubled or new", i, w)
		}
		seen[w] = true
	}
	if len(text) != 10_000 {
		t.Errorf("the text has %d words", len(text))
	}
}

func TestIndexesAgree(t *testing.T) {
	words, text := makeText(3000)
	want := map[string]int{}
	for _, w := range text {
		want[w]++
	}
	for _, way := range indexes {
		x, err := way.open(len(words))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range text {
			x.add(w)
		}
		for _, w := range words {
			if got := x.count(w); got != want[w] {
				t.Fatalf("%s counts %d of %q, want %d", way.name, got, w, want[w])
			}
		}
		if got := x.count("no such word"); got != 0 {
			t.Errorf("%s counts %d of a word that was never added", way.name, got)
		}
		if err := x.close(); err != nil {
			t.Error(err)
		}
	}
	if open := store.Totals(); len(open) > 0 {
		t.Errorf("%+v are open", open)
	}
}

func TestProgram(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		out  string
		err  string
	}{
		{"2000", 0, "store", ""},
		{"none", 2, "", "want one count of words"},
		{"0", 2, "", "want one count of words"},
		{"5 6", 2, "", "want one count of words"},
	} {
		var stdout, stderr strings.Builder
		code := run(strings.Fields(c.args), &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.out) || !strings.Contains(stderr.String(), c.err) {
			t.Errorf("%s: exit code %d, output %q, errors %q", c.args, code, stdout.String(), stderr.String())
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	words, text := makeText(200_000)
	for _, way := range indexes {
		b.Run(fmt.Sprintf("index=%s", way.name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x, err := way.open(len(words))
				if err != nil {
					b.Fatal(err)
				}
				for _, w := range text {
					x.add(w)
				}
				if err := x.close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
