package lab

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/sources"
)

// sourcesHere looks up an experiment in the repository that contains the working directory. The
// result today is a function that hashes the sources from which the contender of a run is built
// there, and reports whether the contender is declared. ok is false if the repository does not
// declare the experiment.
func sourcesHere(name string) (today func(record.Run) (hash string, declared bool), ok bool) {
	dir, err := root()
	if err != nil {
		return nil, false
	}
	all, err := experiment.Open(dir)
	i := slices.IndexFunc(all, func(e experiment.Experiment) bool { return e.Name == name })
	if err != nil || i < 0 {
		return nil, false
	}
	tree := sources.New(dir)
	return func(r record.Run) (string, bool) {
		c, ok := all[i].Declared(r.Contender)
		if !ok {
			return "", false
		}
		return tree.Of(c), true
	}, true
}
