package main

import (
	"testing"

	"github.com/mb-14/gomarkov"

	"github.com/coppice-go/coppice/workloads/foreign/driver/drivertest"
)

func TestChain(t *testing.T) {
	own := false
	p := &program{own: &own}
	drivertest.Check(t, p, func() {
		for range 1000 {
			p.last.Add(p.text[0]) // makes the successor of its words more likely
		}
	})
}

// TestChainsAreEqual verifies that our chain gives the same answers as the library's.
func TestChainsAreEqual(t *testing.T) {
	sums := map[uint64]bool{}
	for _, own := range []bool{false, true} {
		p := &program{own: &own}
		if _, err := p.Load(0); err != nil {
			t.Fatal(err)
		}
		if err := p.Operate(); err != nil {
			t.Fatal(err)
		}
		if p.Figures()["p999_s"] <= 0 {
			t.Error("no answer was measured")
		}
		for _, c := range []struct {
			next  string
			words gomarkov.NGram
		}{{"w1", gomarkov.NGram{"none", "such"}}, {"none", p.text[0][:order]}} {
			if chance, err := p.last.TransitionProbability(c.next, c.words); chance != 0 || err != nil {
				t.Errorf("%v after %v: %v, %v", c.next, c.words, chance, err)
			}
		}
		if _, err := p.last.TransitionProbability("w1", gomarkov.NGram{"w1"}); err == nil {
			t.Error("one word is enough")
		}
		if _, err := p.last.GenerateDeterministic(gomarkov.NGram{"none", "such"}, nil); err == nil {
			t.Error("words that never came are known")
		}
		sum, err := p.Sum()
		if err != nil {
			t.Fatal(err)
		}
		sums[sum] = true
	}
	if len(sums) != 1 {
		t.Error("the answers differ")
	}
}
