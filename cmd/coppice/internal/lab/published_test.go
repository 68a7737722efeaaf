package lab

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// TestPublishedProgramsHaveClaims verifies that every program tested as published is part of a
// claim, and that every write-up has a claim about such a program.
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
				ids[c.WriteUp()] = ids[c.WriteUp()] || strings.Contains(name, "as published")
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

// TestDetailsOfWriteUps verifies that docs/DETAILS.md agrees with the claims: a detail links to the
// reports of exactly those experiments that have claims about it, and every claim belongs to a
// detail. A program that a detail names must be a contender.
func TestDetailsOfWriteUps(t *testing.T) {
	all, err := experiment.Open("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	measured, contenders := map[string][]string{}, map[string]bool{}
	for _, e := range all {
		for _, c := range e.Claims {
			if !slices.Contains(measured[c.ID], e.Name) {
				measured[c.ID] = append(measured[c.ID], e.Name)
			}
		}
		for _, c := range e.Contenders {
			contenders[c.Name] = true
		}
	}
	text, err := os.ReadFile("../../../../docs/DETAILS.md")
	if err != nil {
		t.Fatal(err)
	}
	report, program := regexp.MustCompile(`results/([^/]+)/report\.md`), regexp.MustCompile("`([^`]+)`")
	details := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| (C\d\.\d+) \| .* \| (.*) \|$`).FindAllStringSubmatch(string(text), -1) {
		id, where := row[1], row[2]
		details[id] = true
		var linked []string
		for _, link := range report.FindAllStringSubmatch(where, -1) {
			linked = append(linked, link[1])
		}
		want := slices.Clone(measured[id])
		slices.Sort(linked)
		slices.Sort(want)
		if !slices.Equal(linked, want) {
			t.Errorf("%s links %q; its claims are in %q", id, linked, want)
		}
		if strings.HasPrefix(where, "program") {
			for _, name := range program.FindAllStringSubmatch(where, -1) {
				if !contenders[name[1]] {
					t.Errorf("%s names %q, which is not a contender", id, name[1])
				}
			}
		}
	}
	for id := range measured {
		if !details[id] {
			t.Errorf("claim %s is not in the page", id)
		}
	}
	if len(details) == 0 {
		t.Error("the page has no details")
	}
}
