// Package tally plans changes that make a program count what happens at certain positions in its
// source. It inserts function calls at these positions, and adds a file with the function to each
// package that contains such calls. The program writes its counts to files, which a Plan reads.
package tally

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
)

// A Plan contains the changes to a program. A file named FileName is added to each package that
// counts. The contents of the file are Text, with PACKAGE, PLACES and FILENUMBER replaced. For each
// place, the code in the file writes a line to PREFIX.FILENUMBER, which contains the index of the
// place and its counts.
type Plan struct {
	FileName string
	Text     []byte

	Changes wrap.Changes
	groups  []*group
}

// A group is a package that contains counting calls: the package in a folder, or its external
// tests.
type group struct {
	dir, name string
	places    int
}

// A Place is a position in the source at which events are counted.
type Place struct{ group, number int }

// String returns the index of the place, which the inserted calls pass as an argument.
func (p Place) String() string { return strconv.Itoa(p.number) }

// Place adds a place in the given file.
func (p *Plan) Place(file string) (Place, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil {
		return Place{}, err
	}
	of := group{dir: filepath.Dir(file), name: f.Name.Name}
	for i, g := range p.groups {
		if g.dir == of.dir && g.name == of.name {
			g.places++
			return Place{i, g.places - 1}, nil
		}
	}
	of.places = 1
	p.groups = append(p.groups, &of)
	return Place{len(p.groups) - 1, 0}, nil
}

// Add adds the files that contain the counting function. It must be called after the last call to
// Place.
func (p *Plan) Add() {
	for i, g := range p.groups {
		text := p.Text
		for from, to := range map[string]string{"PACKAGE": g.name, "PLACES": strconv.Itoa(g.places), "FILENUMBER": strconv.Itoa(i)} {
			text = bytes.ReplaceAll(text, []byte(from), []byte(to))
		}
		name := p.FileName
		if strings.HasSuffix(g.name, "_test") {
			name = strings.TrimSuffix(name, ".go") + "_test.go"
		}
		p.Changes.New(filepath.Join(g.dir, name), text)
	}
}

// Read reads the counts, and calls a function for each place with the place's counts. The parameter
// numbers is the number of counts per place. A package whose code did not run has not written a
// file, and is skipped.
func (p *Plan) Read(prefix string, numbers int, to func(at Place, counts []int)) error {
	for i, g := range p.groups {
		text, err := os.ReadFile(fmt.Sprintf("%s.%d", prefix, i))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			all := make([]int, 1+numbers)
			var into []any
			for i := range all {
				into = append(into, &all[i])
			}
			if _, err := fmt.Sscan(line, into...); err != nil || all[0] < 0 || all[0] >= g.places {
				return fmt.Errorf("unexpected line %q in the counts", strings.TrimSpace(line))
			}
			to(Place{i, all[0]}, all[1:])
		}
	}
	return nil
}
