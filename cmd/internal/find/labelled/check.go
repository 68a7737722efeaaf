package labelled

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Check compares the findings of coppice find with the truth about the program, and returns a
// sentence for each difference. sites contains all sites of the program, with their advice.
func (p *Program) Check(answer site.Answer, sites []*site.Site, proposals []site.Proposal) (wrong []string) {
	if p.Answer != "" && answer != p.Answer {
		wrong = append(wrong, fmt.Sprintf("the answer is %q, want %q", answer, p.Answer))
	}
	for _, s := range sites {
		if slices.Contains(p.Not, s.Remedy) {
			wrong = append(wrong, fmt.Sprintf("%s:%d gets %s (rule %d: %s), which no site may get", filepath.Base(s.File), s.Line, s.Remedy, s.Rule, strings.Join(s.Why, "; ")))
		}
	}
	for i := range p.Sites {
		want := &p.Sites[i]
		got := want.find(sites)
		if got == nil {
			wrong = append(wrong, fmt.Sprintf("site %s is not found: no %s of %s at %s:%d", want.Name, want.Kind, want.Type, want.Place.File, want.Place.Line))
			continue
		}
		for _, difference := range want.differs(got, proposals) {
			wrong = append(wrong, fmt.Sprintf("site %s (%s:%d): %s", want.Name, want.Place.File, want.Place.Line, difference))
		}
	}
	return wrong
}

// find returns the site at the position of s. If there are several sites, it returns the one with
// the kind and type of s.
func (s *Site) find(sites []*site.Site) *site.Site {
	var there []*site.Site
	for _, got := range sites {
		file := filepath.ToSlash(got.File)
		if got.Line == s.Place.Line && (file == s.Place.File || strings.HasSuffix(file, "/"+s.Place.File)) {
			there = append(there, got)
		}
	}
	if len(there) == 1 {
		return there[0]
	}
	i := slices.IndexFunc(there, func(got *site.Site) bool {
		return got.Facts.Kind == s.Kind && (s.Type == "" || unqualified(got.Facts.Type) == s.Type)
	})
	if i < 0 {
		return nil
	}
	return there[i]
}

func (s *Site) differs(got *site.Site, proposals []site.Proposal) (all []string) {
	differ := func(what string, got, want any) {
		all = append(all, fmt.Sprintf("%s %v, want %v", what, got, want))
	}
	if got.Facts.Kind != s.Kind {
		differ("kind", got.Facts.Kind, s.Kind)
	}
	if s.Type != "" && unqualified(got.Facts.Type) != s.Type {
		differ("type", got.Facts.Type, s.Type)
	}
	if s.Objects > 0 && !almostEqual(got.Objects, s.Objects) {
		differ("objects", got.Objects, s.Objects)
	}
	if s.Bytes > 0 && !almostEqual(got.Bytes, s.Bytes) {
		differ("bytes", got.Bytes, s.Bytes)
	}
	if s.Fate != "" && got.Fate.Main() != s.Fate {
		differ("fate", fmt.Sprintf("%s %+v", got.Fate.Main(), got.Fate), s.Fate)
	}
	why := strings.Join(got.Why, "; ")
	if got.Remedy != s.Remedy || got.Rule != s.Rule {
		differ("advice", fmt.Sprintf("%s by rule %d (%s)", got.Remedy, got.Rule, why), fmt.Sprintf("%s by rule %d", s.Remedy, s.Rule))
		return all
	}
	if s.Do != "" && got.Do != s.Do {
		differ("do", got.Do, s.Do)
	}
	for _, caller := range s.Callers {
		if !strings.Contains(why, caller) {
			differ("reasons", why, "one that names "+caller)
		}
	}
	return append(all, s.voidDiffers(got, proposals)...)
}

func (s *Site) voidDiffers(got *site.Site, proposals []site.Proposal) (all []string) {
	i := slices.IndexFunc(proposals, func(r site.Proposal) bool { return r.ID == got.Proposal })
	if s.Remedy == site.Leave {
		return nil
	}
	if i < 0 {
		return []string{"no proposal covers it"}
	}
	void := proposals[i].Estimate.Void
	if s.Void != "" && !strings.Contains(strings.Join(void, "; "), s.Void) {
		all = append(all, fmt.Sprintf("the estimate is void for %q, want %q", void, s.Void))
	}
	for _, reason := range void {
		ofRun := strings.Contains(reason, "CPU profile") || strings.HasPrefix(reason, "it is for go") // due to the run, not the program
		if s.Void == "" && !ofRun {
			all = append(all, "the estimate is void: "+reason)
		}
	}
	return all
}

// almostEqual reports whether two values are equal, up to a small difference for allocations of
// package testing and of the runtime.
func almostEqual(got, want float64) bool { return math.Abs(got-want) <= max(0.1, 0.005*want) }

// unqualified removes the package from a type: *labelled.Node becomes *Node.
func unqualified(typ string) string {
	name := strings.TrimLeft(typ, "*[]")
	return typ[:len(typ)-len(name)] + name[strings.LastIndexByte(name, '.')+1:]
}
