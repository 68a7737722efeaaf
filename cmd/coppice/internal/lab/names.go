package lab

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// ExperimentNames returns the names of the experiments of the repository, or none if they cannot be
// read.
func ExperimentNames() (names []string) {
	_, all, _ := experiments() // empty if it fails; completion cannot report an error
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

// ContenderNames returns the contenders of the experiment that a command line names, or of all
// experiments if it names none.
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
