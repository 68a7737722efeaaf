package remedies_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// folder contains the folders of the remedies.
const folder = ".."

// folderOf returns the name of a remedy's folder.
func folderOf(name site.Remedy) string { return strings.ReplaceAll(string(name), "-", "") }

func TestEveryRemedyHasItsFolder(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "remedy.toml"))
	if err != nil || len(files) != len(remedies.All()) {
		t.Errorf("%d folders have a remedy.toml, and there are %d remedies: %v", len(files), len(remedies.All()), err)
	}
	for _, r := range remedies.All() {
		name := folderOf(r.Name)
		if _, err := os.Stat(filepath.Join(folder, name, "remedy.toml")); err != nil || remedies.Of(r.Name) != r {
			t.Errorf("%s must be the only one of its name, in the folder %s: %v", r.Name, name, err)
		}
		if (r.Title == "") != (r.Name == site.Leave) {
			t.Errorf("%s has the title %q", r.Name, r.Title)
		}
	}
	if r := remedies.Of("none"); r != nil {
		t.Errorf("none is %+v", r)
	}
}

// TestOrderOfRules verifies that no two rules have the same position, and that rules are tried in
// the order of their numbers. The last rule leaves a site unchanged, and must match every site.
func TestOrderOfRules(t *testing.T) {
	rules := remedies.Rules()
	places := map[[3]int]string{}
	for _, r := range rules {
		place := [3]int{r.Before, r.Number, r.Row}
		if other := places[place]; other != "" {
			t.Errorf("%q and %q are both at row %d of number %d", r.Name, other, r.Row, r.Number)
		}
		places[place] = r.Name
	}
	for i := 1; i < len(rules); i++ {
		a, b := rules[i-1], rules[i]
		if a.Before == 0 && b.Before == 0 && (a.Number > b.Number || a.Number == b.Number && a.Row >= b.Row) {
			t.Errorf("%q is tried before %q", a.Name, b.Name)
		}
		if a.Before > 0 && b.Before == 0 && b.Number != a.Before {
			t.Errorf("%q is tried before %q, of number %d, and not before those of %d", a.Name, b.Name, b.Number, a.Before)
		}
	}
	for _, kind := range []site.Kind{site.Literal, site.Append, site.Closure, site.Other, ""} {
		s := &site.Site{Facts: site.Facts{Kind: kind}}
		last := rules[len(rules)-1]
		if last.Remedy.Name != site.Leave || len(last.Match(remedy.New(remedy.Input{Sites: []*site.Site{s}}), s)) == 0 {
			t.Errorf("the last rule, %q, does not match %q", last.Name, kind)
		}
	}
}
