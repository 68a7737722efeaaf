package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/datafile"
)

// keys is the path of the document that describes the keys of a declaration. Error messages mention
// it.
const keys = "docs/LAB.md"

// Load reads all experiments of a repository, sorted by name. There may be none. A contenders.toml
// file with the key "name" declares an experiment. A file without this key, in a subfolder of an
// experiment's folder, declares the contenders of one language. See skipped and files for the
// folders that are not searched.
func Load(tree fs.FS) ([]Experiment, error) {
	names, err := files(tree)
	if err != nil {
		return nil, err
	}
	return load(tree, names)
}

// load reads the declarations in the named files.
func load(tree fs.FS, names []string) ([]Experiment, error) {
	all, languages, err := split(tree, names)
	if err != nil {
		return nil, err
	}
	for _, l := range languages {
		if i := slices.IndexFunc(all, func(f file) bool { return path.Dir(f.place) == path.Dir(path.Dir(l.name)) }); i >= 0 {
			if err := all[i].addLanguage(l.name, l.data); err != nil {
				return nil, err
			}
			continue
		}
		e, err := parse(l.name, l.data) // an experiment without a name, which checkDeclared reports
		if err != nil {
			return nil, err
		}
		all = append(all, file{l.name, e})
	}
	for i := range all {
		all[i].fillIn()
		if err := all[i].checkDeclared(tree); err != nil {
			return nil, fmt.Errorf("%s: %w", all[i].place, err)
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.Name, b.Name) })
	experiments := make([]Experiment, len(all))
	for i, f := range all {
		if i > 0 && all[i-1].Name == f.Name {
			return nil, fmt.Errorf("two experiments are called %q, in %s and %s", f.Name, all[i-1].place, f.place)
		}
		experiments[i] = f.Experiment
	}
	return experiments, nil
}

// A file contains an experiment, and the path of the file that declares it.
type file struct {
	place string
	Experiment
}

// A part is a file that declares the contenders of a language. It is not parsed yet.
type part struct {
	name string
	data []byte
}

// skipped lists the names of folders that are not searched for declarations. Folders whose names
// begin with a dot and nested repositories are not searched either.
var skipped = []string{"vendor", "node_modules", "testdata"}

// files returns the paths of all declarations. Folders that cannot be read for lack of permission
// are skipped.
func files(tree fs.FS) (all []string, err error) {
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission) && name != ".":
			return fs.SkipDir
		case err != nil:
			return err
		case !entry.IsDir():
			if entry.Name() == FileName {
				all = append(all, name)
			}
		case name != "." && (slices.Contains(skipped, entry.Name()) || strings.HasPrefix(entry.Name(), ".") || isRepository(tree, name)):
			return fs.SkipDir
		}
		return nil
	})
	return all, err
}

// isRepository reports whether a folder is the root of a nested repository.
func isRepository(tree fs.FS, folder string) bool {
	_, err := fs.Stat(tree, path.Join(folder, ".git"))
	return err == nil
}

// split reads the named files. It parses the files with the key "name", which declare experiments,
// and returns the others unparsed.
func split(tree fs.FS, names []string) (all []file, languages []part, err error) {
	for _, name := range names {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, nil, err
		}
		var has map[string]any
		if err := datafile.TOML(name, data, &has, keys); err != nil {
			return nil, nil, err
		}
		if has["name"] == nil {
			languages = append(languages, part{name, data})
			continue
		}
		e, err := parse(name, data)
		if err != nil {
			return nil, nil, err
		}
		for i := range e.Contenders {
			e.Contenders[i].Folder = path.Dir(name)
		}
		all = append(all, file{name, e})
	}
	return all, languages, nil
}

// parse parses the declaration of an experiment, without its languages. It does not check the
// values. Errors state the file, the line and the problem.
func parse(name string, data []byte) (Experiment, error) {
	e := Experiment{Runs: 10, Warmup: 1, Timeout: 300, Metric: "cpu"}
	err := datafile.TOML(name, data, &e, keys) // not in the return statement, because Go does not define when that reads e
	return e, err
}

// fillIn sets the default values that Contender describes. Without a baseline, the first contender
// of each group becomes the baseline of its group.
func (e *Experiment) fillIn() {
	first := map[string]string{} // the first contender of each group
	for i := range e.Contenders {
		c := &e.Contenders[i]
		c.Class = current(c.Class)
		if c.Language == "" && (slices.Index(c.Build, "go") == 0 || slices.Index(c.Run, "go") == 0) {
			c.Language = "Go"
		}
		if _, known := first[c.Group]; !known {
			first[c.Group] = c.Name
		}
		if c.Baseline == "" && e.Baseline == "" {
			c.Baseline = first[c.Group]
		}
	}
}
