package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// results contains the sessions and the experiment declarations that were read from folders. If
// several folders declare the same experiment, the last declaration is used.
type results struct {
	sessions []record.Session
	declared []experiment.Experiment
}

// add reads the results in a folder. A session that is in several folders is added once.
func (r *results) add(folder string) error {
	sessions, err := record.Read(folder)
	if err != nil {
		return fmt.Errorf("%w; coppice lab run -out DIR writes results%s", err, cli.NearFolder(folder))
	}
	r.sessions = append(r.sessions, exclude(sessions, r.sessions)...)
	e, ok, err := experiment.Saved(folder)
	if ok {
		r.declared = append(r.declared, e)
	}
	return err
}

// experiments returns the names of the experiments that have runs.
func (r *results) experiments() (names []string) {
	for _, s := range r.sessions {
		for _, run := range s.Runs {
			if !slices.Contains(names, run.Experiment) {
				names = append(names, run.Experiment)
			}
		}
	}
	return names
}

// declaration returns the declaration of an experiment. It looks in the folders, and then in the
// repository that contains the working directory. If neither declares the experiment, it derives a
// declaration from the runs, and returns a warning.
func (r *results) declaration(name string) (e experiment.Experiment, doubt string, err error) {
	named := func(e experiment.Experiment) bool { return e.Name == name }
	for _, e := range slices.Backward(r.declared) {
		if named(e) {
			return e, "", nil
		}
	}
	dir, err := root()
	if err != nil {
		return e, "", err
	}
	all, err := experiment.Open(dir)
	if err != nil {
		return e, "", cli.Usage(err)
	}
	if i := slices.IndexFunc(all, named); i >= 0 {
		return all[i], "", nil
	}
	return experiment.Bare(name, r.contenders(name)), fmt.Sprintf("no %s in these results, and no experiment called %s in this repository: "+
		"groups, claims and columns are left out, and ratios need -baseline", experiment.SavedFile, name), nil
}

// contenders returns the contenders of the named experiment that ran, sorted by name.
func (r *results) contenders(name string) (all []experiment.Contender) {
	for _, s := range r.sessions {
		for _, run := range s.Runs {
			known := slices.ContainsFunc(all, func(c experiment.Contender) bool { return c.Name == run.Contender })
			if run.Experiment == name && !known {
				all = append(all, experiment.Contender{Name: run.Contender, Language: run.Language, Class: run.Class})
			}
		}
	}
	slices.SortFunc(all, func(a, b experiment.Contender) int { return strings.Compare(a.Name, b.Name) })
	return all
}
