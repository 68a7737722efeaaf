package decide

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// exists returns the input for a program that is known only by its profiles. unit is "second" if
// the process was observed for some time, and otherwise "profile".
func exists(unit string, sites ...*site.Site) Input {
	in := busy(sites...)
	in.Unit, in.Ceiling, in.Go, in.Newest = unit, nil, "", ""
	return in
}

func aging(seconds float64) change {
	return func(s *site.Site) { s.Fate = site.Fate{Age: seconds} }
}

func counted(instances float64) change {
	return facts(func(f *site.Facts) { f.Owners[0].Instances = instances })
}

// TestEstimatesOfProfiles verifies that an estimate depends on the mean age of the values if their
// fate is unknown. The estimate is void if the age is unknown, too, or if the profiles do not
// contain the owners.
func TestEstimatesOfProfiles(t *testing.T) {
	for _, c := range []struct {
		name       string
		in         Input
		void, when string // substrings of a reason and of a condition; "" for none
	}{
		{"an age, and owners that were counted", exists("second", node("a", aging(0.02), counted(2))), "", "the values live 20.00 ms on average, and the operation"},
		{"no age", exists("profile", node("a", unknown, counted(2))), "two or more heap profiles of one process", ""},
		{"no owners", exists("second", node("a", aging(0.02), counted(0))), "the profiles have no parser", ""},
		{"few samples", func() Input {
			in := exists("second", node("a", aging(0.02), counted(2)))
			in.Classes.Samples = 999
			return in
		}(), "999 samples; 1000 are needed: add more with -cpuprofile", ""},
	} {
		out := Decide(c.in)
		if len(out.Proposals) != 1 || out.Proposals[0].Remedy != "slab" {
			t.Errorf("%s: the proposals are %+v, want a slab", c.name, out.Proposals)
			continue
		}
		e := out.Proposals[0].Estimate
		if got := strings.Join(e.Void, "; "); c.void == "" && got != "" || !strings.Contains(got, c.void) {
			t.Errorf("%s: void for %q, want %q", c.name, got, c.void)
		}
		if got := strings.Join(e.If, "; "); !strings.Contains(got, c.when) {
			t.Errorf("%s: holds if %q, want %q", c.name, got, c.when)
		}
		if want := map[bool]site.Answer{true: site.FixSites, false: site.NotKnown}[c.void == ""]; out.Answer != want {
			t.Errorf("%s: %s (%s), want %s", c.name, out.Answer, out.Reason, want)
		}
		if why := strings.Join(out.Proposals[0].Why, "; "); strings.Contains(why, "operation") && c.in.Unit == "second" {
			t.Errorf("%s: profiles know no operation: %s", c.name, why)
		}
	}
}

// TestNoReuseFromProfiles verifies that no remedy that reuses memory is proposed if only profiles
// are available. Profiles do not show whether short-lived values survive their operation.
func TestNoReuseFromProfiles(t *testing.T) {
	for _, k := range []site.Kind{site.Literal, site.MakeSlice, site.MakeMap, site.ToString, site.Concat, site.Append} {
		s := node("a", kind(k), aging(0.001), each(1000, 4096))
		Decide(exists("second", s))
		if s.Remedy == "reuse" || s.Remedy == "arena" || s.Rule == 2 {
			t.Errorf("%s of an age of 1 ms: %s", k, s.Do)
		}
	}
}

// TestLiveOfProfiles verifies that the number of live objects is computed only from objects per
// second. Objects per profile do not suffice, because the time that a profile covers is unknown.
func TestLiveOfProfiles(t *testing.T) {
	for unit, want := range map[string]site.Remedy{"second": "store", "profile": site.Leave} {
		s := node("a", fate(site.Fate{Retained: 1, Method: site.Little, Age: 2000}), typed("Entry", 64, site.NoPointers))
		Decide(exists(unit, s))
		if s.Remedy != want {
			t.Errorf("1,000 values a %s, each for 2,000 s: %s, want %s", unit, s.Do, want)
		}
	}
}
