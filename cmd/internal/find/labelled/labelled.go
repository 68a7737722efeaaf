// Package labelled reads the labelled programs, on which tests run coppice find. The label of a
// site states what is allocated there, how long the values live, and which remedy applies.
package labelled

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/pelletier/go-toml/v2"
	"golang.org/x/tools/txtar"
)

// A Program is a module with a benchmark, and the findings that coppice find must report for it.
type Program struct {
	Name  string // name of the file, such as tree-result
	About string // what the program demonstrates
	Files []txtar.File
	Truth
}

// A Truth contains the expected findings, which are read from truth.toml.
type Truth struct {
	Bench  string        `toml:"bench"`
	Answer site.Answer   `toml:"answer"` // empty for "fix sites" or "set GOGC": which of them depends on the machine
	Not    []site.Remedy `toml:"not"`    // remedies that no site may get
	Sites  []Site        `toml:"site"`
}

// A Site is a code position that allocates, with the expected findings. Fields that are empty or 0
// are not checked, except for Kind, Rule, Remedy and Void.
type Site struct {
	Name    string      `toml:"name"` // NAME in //site:NAME at the end of its line; two sites: //site:a,b
	Kind    site.Kind   `toml:"kind"`
	Type    string      `toml:"type"`    // type name without its package
	Objects float64     `toml:"objects"` // exact number per operation
	Bytes   float64     `toml:"bytes"`   // exact number per operation, as the runtime counts on a 64-bit machine
	Fate    string      `toml:"fate"`
	Rule    int         `toml:"rule"`
	Remedy  site.Remedy `toml:"remedy"`
	Do      string      `toml:"do"`
	Void    string      `toml:"void"`    // part of a reason why the estimate of its proposal is void; empty if it is valid
	Callers []string    `toml:"callers"` // file:line of calls that the reasons name

	Place site.Line `toml:"-"` // File is relative to the root of the module
}

// ReadAll reads all programs in a folder.
func ReadAll(dir string) ([]*Program, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("labelled: no *.txtar in %s", dir)
	}
	all := make([]*Program, 0, len(names))
	for _, name := range names {
		p, err := Read(name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Read reads a program from a file. It returns an error for a site without a marker, for a marker
// without a site, and for an unknown field.
func Read(name string) (*Program, error) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		return nil, fmt.Errorf("labelled: %w", err)
	}
	p := &Program{Name: strings.TrimSuffix(filepath.Base(name), ".txtar"), About: strings.TrimSpace(string(archive.Comment))}
	for _, f := range archive.Files {
		if f.Name != "truth.toml" {
			p.Files = append(p.Files, f)
			continue
		}
		decoder := toml.NewDecoder(bytes.NewReader(f.Data)).DisallowUnknownFields()
		if err := decoder.Decode(&p.Truth); err != nil {
			return nil, fmt.Errorf("labelled: %s: truth.toml: %w", name, err)
		}
	}
	if err := p.locate(); err != nil {
		return nil, fmt.Errorf("labelled: %s: %w", name, err)
	}
	return p, nil
}

var marker = regexp.MustCompile(`//site:([\w,-]+)$`)

// locate sets the file and line of each site from the markers in the source.
func (p *Program) locate() error {
	places := map[string]site.Line{}
	for _, f := range p.Files {
		number := 0
		for text := range strings.Lines(string(f.Data)) {
			number++
			m := marker.FindStringSubmatch(strings.TrimRight(text, "\n"))
			if m == nil {
				continue
			}
			for name := range strings.SplitSeq(m[1], ",") {
				if _, ok := places[name]; ok {
					return fmt.Errorf("two lines are marked //site:%s", name)
				}
				places[name] = site.Line{File: f.Name, Line: number}
			}
		}
	}
	if len(p.Sites) == 0 {
		return errors.New("truth.toml names no site")
	}
	for i := range p.Sites {
		s := &p.Sites[i]
		place, ok := places[s.Name]
		if !ok {
			return fmt.Errorf("no line is marked //site:%s", s.Name)
		}
		s.Place = place
		delete(places, s.Name)
	}
	for name := range places {
		return fmt.Errorf("truth.toml has no entry for //site:%s", name)
	}
	return nil
}

// Write writes the files of the program's module to a folder.
func (p *Program) Write(dir string) error {
	for _, f := range p.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
