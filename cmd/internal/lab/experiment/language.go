package experiment

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/datafile"
)

// A language is a parsed file that declares the contenders in one folder of a workload, with their
// common defaults.
type language struct {
	Language   string      `toml:"language"`
	Group      string      `toml:"group"`
	Baseline   string      `toml:"baseline"`
	Build      []string    `toml:"build"`
	Needs      []Need      `toml:"needs"`
	Contenders []Contender `toml:"contender"`
}

// addLanguage parses a file in a subfolder of the experiment's folder, and adds its contenders to
// the experiment.
func (e *Experiment) addLanguage(name string, data []byte) error {
	var l language
	if err := datafile.TOML(name, data, &l, keys); err != nil {
		return err
	}
	for _, c := range l.complete() {
		c.Folder = path.Dir(name)
		e.Contenders = append(e.Contenders, c)
	}
	return nil
}

// complete returns the contenders, with missing values set to the defaults of the language.
func (l language) complete() []Contender {
	all := slices.Clone(l.Contenders)
	for i := range all {
		c := &all[i]
		if c.Language == "" {
			c.Language = l.Language
		}
		if c.Group == "" {
			c.Group = l.Group
		}
		if c.Baseline == "" {
			c.Baseline = l.Baseline
		}
		if c.Build == nil {
			c.Build = l.Build
		}
		c.Needs = append(slices.Clone(l.Needs), c.Needs...)
	}
	return all
}

// A Need is a command, a shared library or a C header that a contender requires, and the package
// that provides it.
type Need struct {
	Command string `toml:"command,omitempty"`
	Library string `toml:"library,omitempty"` // name for the dynamic linker, such as libapr-1.so.0
	Header  string `toml:"header,omitempty"`  // name to include, such as boost/version.hpp
	Package string `toml:"package"`
}

// What returns the name of the command, library or header.
func (n Need) What() string { return n.Command + n.Library + n.Header }

func (n Need) check() error {
	switch kinds := slices.DeleteFunc([]string{n.Command, n.Library, n.Header}, func(s string) bool { return s == "" }); {
	case len(kinds) != 1:
		return errors.New("a need must have exactly one of command, library and header")
	case n.Package == "":
		return errors.New("need " + strings.Join(kinds, "") + " does not name its package")
	}
	return nil
}
