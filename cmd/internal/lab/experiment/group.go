package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// Declared returns the declaration of a ranked contender. If settings were requested for a run, the
// name of the ranked contender is its declared name followed by the settings.
func (e Experiment) Declared(name string) (Contender, bool) {
	i := slices.IndexFunc(e.Contenders, func(c Contender) bool { return c.Name == name })
	if i < 0 {
		i = slices.IndexFunc(e.Contenders, func(c Contender) bool { return strings.HasPrefix(name, c.Name+" GO") })
	}
	if i < 0 {
		return Contender{}, false
	}
	return e.Contenders[i], true
}

// BaselineOf returns the baseline of a ranked contender, to which its ratios are relative.
func (e Experiment) BaselineOf(name string) string {
	if c, ok := e.Declared(name); ok && c.Baseline != "" {
		return c.Baseline
	}
	return e.Baseline
}

// GroupOf returns the group of a ranked contender, or "" if it has none.
func (e Experiment) GroupOf(name string) string {
	c, _ := e.Declared(name)
	return c.Group
}

// checkBaselines checks that each baseline is a contender of the same group.
func (e Experiment) checkBaselines() error {
	for _, c := range e.Contenders {
		name := e.BaselineOf(c.Name)
		i := slices.IndexFunc(e.Contenders, func(c Contender) bool { return c.Name == name })
		if i < 0 {
			return fmt.Errorf("the baseline %q is not a contender; did you mean %s?", name, closest(name, e.names()))
		}
		if b := e.Contenders[i]; b.Group != c.Group {
			return fmt.Errorf("contender %q of group %q has a baseline of group %q; name one of its own group", c.Name, c.Group, b.Group)
		}
	}
	return nil
}
