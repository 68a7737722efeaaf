package lab

import (
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// Each program as published has a claim about it, and each write-up a program as published.
func TestPublishedProgramsHaveClaims(t *testing.T) {
	all, err := experiment.Open("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	programs, ids := 0, map[string]bool{}
	for _, e := range all {
		var claimed []string
		for _, c := range e.Claims {
			for _, name := range c.Contenders() {
				claimed = append(claimed, name)
				ids[c.ID] = ids[c.ID] || strings.Contains(name, "as published")
			}
		}
		for _, c := range e.Contenders {
			if !strings.Contains(c.Name, "as published") {
				continue
			}
			if programs++; !slices.Contains(claimed, c.Name) {
				t.Errorf("%s: no claim is about %s", e.Name, c.Name)
			}
		}
	}
	for _, id := range []string{"C1", "C2", "C3", "C4", "C5"} {
		if !ids[id] {
			t.Errorf("no claim %s is about a program as published", id)
		}
	}
	if programs < 14 {
		t.Errorf("%d programs as published", programs)
	}
}
