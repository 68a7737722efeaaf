// Package golangci is a golangci-lint 2 plugin with the rules of coppice vet. It is a separate
// module, so that neither the library nor the tools depend on the package that plugins use to
// register. docs/VET.md describes how to build and configure a golangci-lint that contains it.
//
// The linter has one name, coppice, in .golangci.yml and in //nolint comments; a finding begins
// with the name of its rule. golangci-lint run --fix applies the same fixes as coppice vet -fix.
package golangci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/vet"
)

// Name is the name of the linter.
const Name = "coppice"

func init() { register.Plugin(Name, New) }

// Settings are the settings of the linter: linters.settings.custom.coppice.settings in
// .golangci.yml.
type Settings struct {
	// Rules contains the names of the rules to run. If it is empty, all rules run.
	Rules []string `json:"rules"`
}

// New returns the linter with the settings that golangci-lint has read, nil for none. It returns an
// error if they have a key other than rules, or name a rule that does not exist. golangci-lint
// calls it once.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("invalid settings of %s: %w; the only key is rules, a list of names", Name, err)
	}
	all := vet.Analyzers()
	if len(s.Rules) == 0 {
		return linter(all), nil
	}
	var chosen linter
	for _, name := range s.Rules {
		i := slices.IndexFunc(all, func(a *analysis.Analyzer) bool { return a.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("invalid rule %q of %s: must be one of %s", name, Name, names(all))
		}
		if !slices.Contains(chosen, all[i]) {
			chosen = append(chosen, all[i])
		}
	}
	return chosen, nil
}

// names returns the names of the analyzers, separated by commas.
func names(all []*analysis.Analyzer) string {
	list := make([]string, 0, len(all))
	for _, a := range all {
		list = append(list, a.Name)
	}
	return strings.Join(list, ", ")
}

// A linter is a list of analyzers whose findings golangci-lint reports under one name.
type linter []*analysis.Analyzer

// BuildAnalyzers returns the analyzers of the rules.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) { return l, nil }

// GetLoadMode returns the load mode of the rules, which need types.
func (l linter) GetLoadMode() string { return register.LoadModeTypesInfo }
