package traps

import (
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

var only = flag.String("trap", "", "a pattern of the traps that are run, without known.txt")

// knownFile lists the traps that are known to be handled incorrectly. A line has the format NAME:
// WHY.
const knownFile = "known.txt"

func knownTraps(t *testing.T) map[string]string {
	t.Helper()
	return knownIn(t, knownFile)
}

// corpus returns the traps. With -short, it returns a sample of about twenty.
func corpus(t *testing.T) []*trap {
	t.Helper()
	refuse, err := read("refuse", false)
	if err != nil {
		t.Fatal(err)
	}
	edit, err := read("edit", true)
	if err != nil {
		t.Fatal(err)
	}
	all := append(refuse, edit...)
	seen := map[string]bool{}
	for _, one := range all {
		if seen[one.name] {
			t.Fatalf("there are two traps with the name %s", one.name)
		}
		seen[one.name] = true
	}
	for name := range knownTraps(t) {
		if !seen[name] {
			t.Errorf("%s names %s, which is no trap", knownFile, name)
		}
	}
	all = slices.DeleteFunc(all, (*trap).elsewhere)
	if *only != "" {
		pattern := regexp.MustCompile(*only)
		return slices.DeleteFunc(all, func(one *trap) bool { return !pattern.MatchString(one.name) })
	}
	const sample = 24
	if testing.Short() {
		all = slices.DeleteFunc(all, func(one *trap) bool { return !one.inSample(sample) })
	}
	return all
}

func TestTraps(t *testing.T) {
	wrong := judge(t, corpus(t))
	expected := knownTraps(t)
	if *only != "" {
		expected = nil
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		why := wrong[name]
		t.Run(name, func(t *testing.T) {
			switch {
			case why == "" && expected[name] != "":
				t.Errorf("it is handled well now; take it out of %s", knownFile)
			case why != "" && expected[name] == "":
				t.Error(why)
			case why != "":
				t.Logf("known: %s", why)
			}
		})
	}
}

// judge returns an error message for each trap, by name. It is "" if the trap is handled correctly.
func judge(t *testing.T, traps []*trap) map[string]string {
	t.Helper()
	plans, err := makePlans(t.TempDir(), traps)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBench(t.TempDir(), plans)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.configure(); err != nil {
		t.Fatal(err)
	}
	b.vet()
	if testsize.Full() {
		b.test()
	}
	wrong := make([]string, len(plans))
	t.Run("check", func(t *testing.T) {
		for i, p := range plans {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				wrong[i] = b.judge(p)
			})
		}
	})
	all := map[string]string{}
	for i, p := range plans {
		all[p.name] = wrong[i]
	}
	return all
}

// judge returns what is wrong with the changes to one trap, or "".
func (b *bench) judge(p *plan) string {
	if p.err != nil {
		return p.err.Error()
	}
	before := b.states[p.name+"/before"]
	if before.broken[""] != "" {
		return "the trap does not compile: " + before.broken[""]
	}
	var wrong []string
	first := b.output(before.name, "")
	if before.failed != "" {
		wrong = append(wrong, "the tests of the trap fail before the change: "+before.failed)
	}
	if strings.Contains(first, "it ends with") {
		wrong = append(wrong, "the check of the trap fails before the change:\n"+first)
	}
	if p.must {
		if missing := p.missing(); len(missing) > 0 {
			wrong = append(wrong, fmt.Sprintf("not changed: %s (%s)", strings.Join(missing, ", "), strings.Join(p.left, "; ")))
		}
	}
	if p.after == nil {
		return strings.Join(wrong, "\n")
	}
	if !p.mayEdit {
		wrong = append(wrong, "it is changed: "+strings.Join(p.done, "; "))
	}
	return strings.Join(append(wrong, b.differences(p, first)...), "\n")
}

// differences compares a module before and after its change.
func (b *bench) differences(p *plan, first string) (all []string) {
	before, after := b.states[p.name+"/before"], b.states[p.name+"/after"]
	if after.broken[""] != "" {
		return []string{"it does not compile after the change: " + after.broken[""]}
	}
	if second := b.output(after.name, ""); second != first {
		all = append(all, fmt.Sprintf("the check prints\n%s\nand after the change\n%s", first, second))
	}
	if after.failed != "" {
		all = append(all, "its tests fail after the change: "+after.failed)
	}
	if after.vet != "" && before.vet == "" {
		all = append(all, "vet complains after the change: "+after.vet)
	}
	if reset := b.states[p.name+"/reset"]; reset != nil {
		all = append(all, b.resets(reset, first)...)
	}
	for _, c := range p.configs {
		name := c.String()
		switch {
		case before.broken[name] != "":
			all = append(all, fmt.Sprintf("%s: the trap does not compile: %s", name, before.broken[name]))
		case before.missing[name] != after.missing[name]:
			all = append(all, fmt.Sprintf("%s: %d packages had no files, and %d have none after the change", name, before.missing[name], after.missing[name]))
		case after.broken[name] != "":
			all = append(all, fmt.Sprintf("%s: it does not compile after the change: %s", name, after.broken[name]))
		case c.runs():
			if first, second := b.output(before.name, name), b.output(after.name, name); first != second {
				all = append(all, fmt.Sprintf("%s: the check prints\n%s\nand after the change\n%s", name, first, second))
			}
		}
	}
	return all
}

// resets runs a program that resets an arena, with and without the library's checks. Its output
// must equal that of the check.
func (b *bench) resets(s *state, want string) (all []string) {
	if s.broken[""] != "" {
		return []string{"the program with an arena does not compile: " + s.broken[""]}
	}
	for _, c := range []config{{}, {flags: checked}} {
		if got := b.output(s.name, c.String()); got != want {
			all = append(all, fmt.Sprintf("the check prints\n%s\nand with an arena (%s)\n%s", want, c, got))
		}
	}
	return all
}
