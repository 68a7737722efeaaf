package lab

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// ExperimentNames returns the names of the experiments in the repository, or nil if they cannot be
// read.
func ExperimentNames() (names []string) {
	_, all, _ := experiments() // all is empty on an error, which completion cannot report
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

// ContenderNames returns the names of contenders, for a command line with the words in rest. If
// rest names experiments, ContenderNames returns only their contenders, and otherwise all
// contenders.
func ContenderNames(rest []string) (names []string) {
	_, all, _ := experiments()
	chosen := func(e experiment.Experiment) bool { return slices.Contains(rest, e.Name) }
	one := slices.ContainsFunc(all, chosen)
	for _, e := range all {
		if one && !chosen(e) {
			continue
		}
		for _, c := range e.Contenders {
			names = append(names, c.Name)
		}
	}
	return names
}
