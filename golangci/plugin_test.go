package golangci_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coppice-go/coppice/cmd/vet"
	"github.com/coppice-go/coppice/golangci"
)

// analyzers returns the analyzers that golangci-lint runs. Like golangci-lint, it looks up the
// plugin by name.
func analyzers(t *testing.T, settings any) []*analysis.Analyzer {
	t.Helper()
	plugin, err := register.GetPlugin(golangci.Name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := plugin(settings)
	if err != nil {
		t.Fatal(err)
	}
	if mode := l.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("golangci-lint loads %q, and the rules need types", mode)
	}
	all, err := l.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// cases maps each rule to a folder of its test data that loads quickly.
var cases = map[string]string{
	"recordpointers": "records", "stalevalue": "stale", "foreignref": "foreign", "sharedalloc": "shared",
	"useafterput": "put", "slicegrowth": "growth",
}

// TestRules verifies that each rule of coppice vet reports the expected findings if it is run
// through the plugin.
func TestRules(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	all := analyzers(t, nil)
	if !slices.Equal(all, vet.Analyzers()) || len(all) != len(cases) {
		t.Errorf("the plugin has %d analyzers, coppice vet %d, and this test cases for %d", len(all), len(vet.Analyzers()), len(cases))
	}
	for i, a := range all {
		if testing.Short() && i > 0 {
			break // each rule has tests of its own
		}
		t.Run(a.Name, func(t *testing.T) {
			analysistest.Run(t, root, a, "./cmd/vet/"+a.Name+"/testdata/src/"+cases[a.Name])
		})
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		settings any
		want     string // names, or the error
	}{
		{nil, "recordpointers stalevalue foreignref sharedalloc useafterput slicegrowth"},
		{map[string]any{}, "recordpointers stalevalue foreignref sharedalloc useafterput slicegrowth"},
		{map[string]any{"rules": []string{"slicegrowth", "stalevalue", "slicegrowth"}}, "slicegrowth stalevalue"},
		{map[string]any{"rules": []string{"stale"}}, `invalid rule "stale" of coppice: must be one of recordpointers, stalevalue, foreignref,`},
		{map[string]any{"rules": "stalevalue"}, "the only key is rules, a list of names"},
		{map[string]any{"rule": []string{"stalevalue"}}, `unknown field "rule"; the only key is rules, a list of names`},
	} {
		got := ""
		if l, err := golangci.New(c.settings); err != nil {
			got = err.Error()
		} else if all, err := l.BuildAnalyzers(); err != nil {
			t.Fatal(err)
		} else {
			for _, a := range all {
				got += a.Name + " "
			}
		}
		if !strings.Contains(got, c.want) || !strings.HasPrefix(got, "invalid") && strings.TrimSpace(got) != c.want {
			t.Errorf("%v: %q, want %q", c.settings, got, c.want)
		}
	}
}
