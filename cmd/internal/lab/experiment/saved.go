package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
)

// SavedFile is the name of the file in a results folder that contains the declaration of the
// experiment. The declaration includes the contenders of all languages, so that a report can be
// written without the repository.
const SavedFile = "experiment.toml"

// Text returns the declaration of an experiment, with all contenders, as TOML. Equal declarations
// have equal texts.
func Text(e Experiment) ([]byte, error) { return toml.Marshal(e) }

// Save writes the declaration of an experiment to a results folder. It replaces the declaration of
// an earlier session.
func Save(folder string, e Experiment) error {
	text, err := Text(e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, SavedFile), text, 0o666)
}

// Saved returns the declaration in a results folder. ok is false if there is none, because old
// versions of the lab did not save it.
func Saved(folder string) (e Experiment, ok bool, err error) {
	name := filepath.Join(folder, SavedFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	if e, err = parse(name, text); err != nil {
		return e, false, err
	}
	for i, c := range e.Contenders {
		e.Contenders[i].Class = current(c.Class)
	}
	if err := e.check(); err != nil {
		return e, false, fmt.Errorf("%s: %w", name, err)
	}
	return e, true, nil
}

// Bare returns an experiment for results without a declaration. Only its contenders are known; it
// has no groups, claims or columns. The first contender is the baseline.
func Bare(name string, contenders []Contender) Experiment {
	e := Experiment{Name: name, Title: "the results do not say what it asks", Metric: "cpu", Contenders: contenders}
	e.fillIn()
	return e
}
