package remedies_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestGuarded verifies that Guard rejects a package that imports unsafe, and a count that may be
// any number and so could make the program allocate any amount of memory.
func TestGuarded(t *testing.T) {
	owned := func(owner string) *site.Site {
		return &site.Site{Facts: site.Facts{Owners: []site.Owner{{Type: owner}}}}
	}
	counted := func(known string) *site.Site { return &site.Site{Facts: site.Facts{Known: known}} }
	for name, c := range map[string]struct {
		source string
		remedy site.Remedy
		site   *site.Site
		want   string
	}{
		"unsafe arrays": {"package p; import _ \"unsafe\"", "one-array", owned("*parser"), "imports unsafe"},
		"arrays of one": {"package p; import _ \"sync\"; var c chan int", "one-array", owned("*Parser"), ""},
		"length":        {"package p", "presize", counted("len(d.items)"), ""},
		"constant":      {"package p", "presize", counted("12"), ""},
		"any number":    {"package p", "presize", counted("n"), "any amount of memory"},
		"a sum":         {"package p", "presize", counted("len(a) + n"), "any amount of memory"},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", c.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		pkg := types.NewPackage("example.com/p", file.Name.Name)
		if strings.Contains(c.source, "unsafe") {
			pkg.SetImports([]*types.Package{types.Unsafe})
		}
		r, _, err := remedies.Of(c.remedy).Guard(change.Request{Package: &packages.Package{Name: file.Name.Name, Syntax: []*ast.File{file}, Types: pkg}, Sites: []*site.Site{c.site}})
		var refused change.Refused
		switch {
		case c.want == "" && (err != nil || len(r.Sites) != 1):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Why, c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestGuardedReportsUnchangedSites verifies that Guard reports a site that it leaves unchanged.
func TestGuardedReportsUnchangedSites(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p", 0)
	if err != nil {
		t.Fatal(err)
	}
	sites := []*site.Site{{Place: site.Place{File: "p.go", Line: 3}}, {Place: site.Place{File: "p.go", Line: 4}}}
	sites[0].Facts.Known, sites[1].Facts.Known = "len(a)", "n"
	r, c, err := remedies.Of("presize").Guard(change.Request{Package: &packages.Package{Syntax: []*ast.File{file}}, Sites: sites})
	if err != nil || len(r.Sites) != 1 || len(c.Left) != 1 || !strings.HasPrefix(c.Left[0], "p.go:4: ") {
		t.Errorf("%d sites, left %q, %v", len(r.Sites), c.Left, err)
	}
}
