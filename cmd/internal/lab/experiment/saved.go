package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
)

// SavedFile is the name of the file in a folder of results that contains the declaration of the
// experiment. The declaration includes all contenders, also the contenders of its languages, so
// that a report can be written without the repository.
const SavedFile = "experiment.toml"

// Text returns the declaration of the experiment with all contenders. Equal declarations have
// equal texts.
func Text(e Experiment) ([]byte, error) { return toml.Marshal(e) }

// Save writes the declaration of the experiment to a folder of results. It replaces the declaration
// of an earlier session.
func Save(folder string, e Experiment) error {
	text, err := Text(e)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, SavedFile), text, 0o666)
}

// Saved returns the declaration in a folder of results. ok is false if there is none: old versions
// of the lab did not save it.
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

// Bare returns an experiment of which only the contenders are known. It has neither groups nor
// claims nor columns. The first contender is the baseline.
func Bare(name string, contenders []Contender) Experiment {
	e := Experiment{Name: name, Title: "the results do not say what it asks", Metric: "cpu", Contenders: contenders}
	e.fillIn()
	return e
}
