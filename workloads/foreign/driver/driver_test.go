package driver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/arena"
)

// counted is a library that counts its operations, each of which allocates 1 KiB.
type counted struct {
	operations int
	kept       []*[1 << 10]byte
}

func (c *counted) Load(depth int) (int, error) { return Operations(depth, 100), nil }

func (c *counted) Operate() error {
	c.operations++
	c.kept = append(c.kept, new([1 << 10]byte))
	return nil
}

func (c *counted) Sum() (uint64, error) { return uint64(c.operations), nil }

func TestRunDoesAllOperations(t *testing.T) {
	for _, test := range []struct {
		depth, want int
		answer      bool
	}{{Usual, 100, false}, {Usual + 1, 200, false}, {0, 1, false}, {Usual, 1, true}} {
		c := &counted{}
		report := filepath.Join(t.TempDir(), "report")
		if err := run(c, test.depth, test.answer, report); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		figures := map[string]float64{}
		if err := json.Unmarshal(data, &figures); err != nil {
			t.Fatal(err)
		}
		if c.operations != test.want || figures["bytes"] < float64(test.want<<10) || figures["op_cpu_s"] <= 0 || figures["gc_cycles"] < 2 {
			t.Errorf("depth %d, answer %v: %d operations and %v; want %d", test.depth, test.answer, c.operations, figures, test.want)
		}
	}
}

// TestReset verifies that Reset does not create an arena, and that it resets the arena once Arena
// has been called.
func TestReset(t *testing.T) {
	defer func() { pooled = nil }() // allows the test to run again
	Reset()
	if pooled != nil {
		t.Fatal("an arena that nobody asked for")
	}
	a := Arena()
	arena.New[int](a)
	if a != Arena() || a.Stats().Used == 0 {
		t.Fatalf("%+v", a.Stats())
	}
	for range a.Options.Defer { // several small phases are cleared at once
		Reset()
	}
	if used := a.Stats().Used; used != 0 {
		t.Errorf("%d bytes are in use after %d Resets", used, a.Options.Defer)
	}
}

func TestSumDistinguishes(t *testing.T) {
	seen := map[Sum]string{}
	for name, add := range map[string]func(*Sum){
		"nothing": func(*Sum) {},
		"zero":    func(s *Sum) { s.Number(0) },
		"256":     func(s *Sum) { s.Number(256) },
		"a, b":    func(s *Sum) { s.Text("a"); s.Text("b") },
		"ab":      func(s *Sum) { s.Text("ab") },
		"b, a":    func(s *Sum) { s.Text("b"); s.Text("a") },
		"-1":      func(s *Sum) { s.Number(-1) },
	} {
		s := NewSum()
		add(&s)
		if other, ok := seen[s]; ok {
			t.Errorf("%s and %s have one sum", name, other)
		}
		seen[s] = name
	}
}
