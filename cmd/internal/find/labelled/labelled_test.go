package labelled_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find/labelled"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const corpus = "../testdata/labelled"

// TestCorpus verifies that the programs are valid, and that there is at least one for each remedy.
func TestCorpus(t *testing.T) {
	programs, err := labelled.ReadAll(corpus)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[site.Remedy]bool{}
	for _, p := range programs {
		if p.About == "" || !strings.HasPrefix(p.Bench, "Benchmark") {
			t.Errorf("%s: says %q, and its benchmark is %q", p.Name, p.About, p.Bench)
		}
		for _, s := range p.Sites {
			seen[s.Remedy] = true
			if remedies.Of(s.Remedy) == nil {
				t.Errorf("%s: site %s has the remedy %q, which there is not", p.Name, s.Name, s.Remedy)
			}
			if slices.Contains(p.Not, s.Remedy) {
				t.Errorf("%s: site %s has the remedy %s, which no site may get", p.Name, s.Name, s.Remedy)
			}
			if !slices.Contains([]string{"", "temporary", "result", "retained", "mixed"}, s.Fate) {
				t.Errorf("%s: site %s has the fate %q, which there is not", p.Name, s.Name, s.Fate)
			}
		}
		for _, r := range p.Not {
			if remedies.Of(r) == nil {
				t.Errorf("%s: there is no remedy %q to avoid", p.Name, r)
			}
		}
	}
	for _, r := range remedies.All() {
		if !seen[r.Name] {
			t.Errorf("no program has the remedy %s", r.Name)
		}
	}
}

func TestWrite(t *testing.T) {
	p, err := labelled.Read(filepath.Join(corpus, "line-directive.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if place := p.Sites[0].Place; place != (site.Line{File: "grammar.y", Line: 5}) {
		t.Errorf("the site is at %v", place)
	}
	dir := t.TempDir()
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !strings.HasPrefix(string(data), "module ") {
		t.Errorf("go.mod is %q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "truth.toml")); err == nil {
		t.Error("the program knows the truth")
	}
}

// asTrue returns sites and proposals that match the expected results of a program.
func asTrue(p *labelled.Program) (sites []*site.Site, proposals []site.Proposal) {
	for i, s := range p.Sites {
		got := &site.Site{ID: s.Name, Place: site.Place{File: "/tmp/x/" + s.Place.File, Line: s.Place.Line}}
		got.Objects, got.Bytes = s.Objects, s.Bytes
		switch s.Fate {
		case "temporary":
			got.Fate = site.Fate{Temporary: 1, Method: site.HoldAndDrop}
		case "result":
			got.Fate = site.Fate{Result: 1, Method: site.HoldAndDrop}
		case "retained":
			got.Fate = site.Fate{Retained: 1, Method: site.HoldAndDrop}
		case "mixed":
			got.Fate = site.Fate{Temporary: 0.5, Result: 0.5, Method: site.HoldAndDrop}
		}
		got.Facts.Kind, got.Facts.Type = s.Kind, s.Type
		got.Advice = site.Advice{Remedy: s.Remedy, Rule: s.Rule, Do: s.Do, Why: append([]string{"because"}, s.Callers...), Proposal: fmt.Sprint(i)}
		r := site.Proposal{ID: fmt.Sprint(i), Sites: []string{s.Name}}
		if s.Void != "" {
			r.Estimate.Void = []string{s.Void + " by 8 %"}
		}
		sites, proposals = append(sites, got), append(proposals, r)
	}
	return sites, proposals
}

func TestCheck(t *testing.T) {
	programs, err := labelled.ReadAll(corpus)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		answer := p.Answer
		if answer == "" {
			answer = site.FixSites
		}
		sites, proposals := asTrue(p)
		if wrong := p.Check(answer, sites, proposals); len(wrong) > 0 {
			t.Errorf("%s: the truth is wrong: %q", p.Name, wrong)
		}
		for what, change := range map[string]func(s *site.Site, r *site.Proposal){
			"line":    func(s *site.Site, _ *site.Proposal) { s.Line += 1000 },
			"kind":    func(s *site.Site, _ *site.Proposal) { s.Facts.Kind = site.Other },
			"objects": func(s *site.Site, _ *site.Proposal) { s.Objects = 1.02*s.Objects + 1 },
			"remedy":  func(s *site.Site, _ *site.Proposal) { s.Remedy = "none" },
			"rule":    func(s *site.Site, _ *site.Proposal) { s.Rule++ },
		} {
			if what == "objects" && p.Sites[0].Objects == 0 {
				continue
			}
			sites, proposals := asTrue(p)
			change(sites[0], &proposals[0])
			if len(p.Check(answer, sites, proposals)) == 0 {
				t.Errorf("%s: another %s is not noticed", p.Name, what)
			}
		}
		if len(p.Not) > 0 {
			sites, proposals := asTrue(p)
			sites = append(sites, &site.Site{Advice: site.Advice{Remedy: p.Not[0]}})
			if len(p.Check(answer, sites, proposals)) == 0 {
				t.Errorf("%s: a site may get %s", p.Name, p.Not[0])
			}
		}
	}
}

func TestCheckOfVoids(t *testing.T) {
	check := func(name string, void ...string) []string {
		p, err := labelled.Read(filepath.Join(corpus, name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		sites, proposals := asTrue(p)
		proposals[0].Estimate.Void = void
		return p.Check(site.FixSites, sites, proposals)
	}
	if wrong := check("owner-many-small"); len(wrong) != 1 {
		t.Errorf("an estimate that should be void: %q", wrong)
	}
	if wrong := check("tree-result", "B/op would rise by 9 %"); len(wrong) != 1 {
		t.Errorf("an estimate that should hold: %q", wrong)
	}
	if wrong := check("tree-result", "the CPU profile has 10 samples; 1000 are needed: run longer"); len(wrong) != 0 {
		t.Errorf("a short run: %q", wrong)
	}
}

func TestInvalidTruth(t *testing.T) {
	const files = "-- a.go --\npackage a\nvar a = new(int) //site:a\n-- truth.toml --\n"
	for want, text := range map[string]string{
		"no line is marked //site:b":           files + "[[site]]\nname = 'a'\n[[site]]\nname = 'b'\n",
		"truth.toml has no entry for //site:a": strings.Replace(files, "//site:a", "//site:a,b", 1) + "[[site]]\nname = 'b'\n",
		"truth.toml names no site":             files,
		"two lines are marked //site:a":        strings.Replace(files, "package a", "package a //site:a", 1) + "[[site]]\nname = 'a'\n",
		"truth.toml: strict mode":              files + "[[site]]\nnames = 'a'\n",
	} {
		name := filepath.Join(t.TempDir(), "bad.txtar")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := labelled.Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := labelled.ReadAll(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no *.txtar") {
		t.Errorf("an empty folder: %v", err)
	}
}
