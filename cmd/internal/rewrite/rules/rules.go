package rules

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/datafile"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// A Form selects the kind of allocator from which the changed sites obtain their values.
type Form string

// These are the values of Form.
const (
	Chunk Form = "chunk" // a simple allocator as written by hand; the collector frees its chunks
	Slab  Form = "slab"  // slab.Chunks; the collector frees its chunks, too
	Arena Form = "arena" // an arena.Arena that the caller resets
)

// Forms lists all forms.
var Forms = []Form{Chunk, Slab, Arena}

// kinds lists the kinds of sites that each form can change.
var kinds = map[Form][]string{
	Chunk: {rewrite.Literal, rewrite.NewCall, rewrite.List, rewrite.Makes, rewrite.Appends, rewrite.Variable, rewrite.Text},
	Slab:  {rewrite.Literal, rewrite.NewCall, rewrite.List, rewrite.Makes, rewrite.Appends, rewrite.Variable},
	Arena: {rewrite.Literal, rewrite.NewCall, rewrite.List, rewrite.Makes, rewrite.Appends, rewrite.Variable, rewrite.Text},
}

// A Rule selects sites of a package to be changed. Types are patterns, in which * matches any text.
// Types of other packages are written as in source code: ast.Ident. For slices, the pattern is
// matched against the element type.
type Rule struct {
	Package string   `toml:"package"`
	Types   []string `toml:"types"`
	Sites   []string `toml:"sites"`
	Owner   string   `toml:"owner"`  // the struct that gets the allocators as a field; "" for a variable of the package
	Forms   []string `toml:"forms"`  // the forms of the rule; empty for all
	Except  []string `toml:"except"` // functions that stay as they are
	Only    []string `toml:"only"`   // functions that change; empty for all
	Size    int      `toml:"size"`   // values in a chunk of the form Chunk
	First   int      `toml:"first"`  // capacity of a list that append begins; an arena chooses its own
}

// A File contains the rules for the packages of one module.
type File struct {
	Module string   `toml:"module"` // "std" for the standard library
	Also   []string `toml:"also"`   // more packages of the standard library to copy
	Export string   `toml:"export"` // a package that will set the arena of internal packages
	Rules  []Rule   `toml:"rule"`
}

// Parse parses a rules file. Errors contain the name of the file, and the line if it is known.
func Parse(name string, data []byte) (File, error) {
	var f File
	if err := datafile.TOML(name, data, &f, ""); err != nil {
		return f, err
	}
	if f.Module == "" {
		return f, fmt.Errorf("%s: rules need a module", name)
	}
	for i := range f.Rules {
		if err := f.Rules[i].complete(); err != nil {
			return f, fmt.Errorf("%s: rule %d: %w", name, i+1, err)
		}
	}
	return f, nil
}

// Packages returns the packages for which a form has rules, without duplicates.
func (f File) Packages(form Form) (all []string) {
	for i := range f.Rules {
		if r := &f.Rules[i]; r.in(form) && !slices.Contains(all, r.Package) {
			all = append(all, r.Package)
		}
	}
	return all
}

// complete sets defaults, and returns an error if the rule is invalid.
func (r *Rule) complete() error {
	if r.Size == 0 {
		r.Size = 64
	}
	if r.First == 0 {
		r.First = 4
	}
	switch {
	case r.Package == "":
		return errors.New("it names no package")
	case len(r.Sites) == 0:
		return errors.New("it names no sites")
	case len(r.Types) == 0 && !slices.Equal(r.Sites, []string{rewrite.Text}):
		return errors.New("it names no types")
	case r.Size < 1 || r.First < 1:
		return fmt.Errorf("invalid size %d or first %d: must be at least 1", r.Size, r.First)
	}
	for _, pattern := range r.Types {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	for _, form := range r.Forms {
		if !slices.Contains(Forms, Form(form)) {
			return fmt.Errorf("invalid form %q: must be one of %v", form, Forms)
		}
	}
	for _, site := range r.Sites {
		for _, form := range Forms {
			if r.in(form) && !slices.Contains(kinds[form], site) {
				return fmt.Errorf("%s has no sites %q, only %s; set forms", form, site, strings.Join(kinds[form], ", "))
			}
		}
	}
	return nil
}

// in reports whether the rule applies to a form.
func (r *Rule) in(form Form) bool { return len(r.Forms) == 0 || slices.Contains(r.Forms, string(form)) }

// about reports whether the rule applies to sites of the given kind and type.
func (r *Rule) about(kind, typ string) bool {
	if !slices.Contains(r.Sites, kind) {
		return false
	}
	return kind == rewrite.Text || slices.ContainsFunc(r.Types, func(pattern string) bool {
		ok, _ := path.Match(pattern, typ)
		return ok
	})
}

// String describes the rule, for errors and reports.
func (r *Rule) String() string {
	return fmt.Sprintf("rule for %s of %s in %s", strings.Join(r.Sites, ", "), strings.Join(r.Types, ", "), r.Package)
}
