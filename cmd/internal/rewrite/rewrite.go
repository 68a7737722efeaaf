// Package rewrite changes where a Go package takes its values from: `&T{...}`, `new(T)`, `append` and
// slice literals take them from an allocator. Rules name the types and the sites, and who owns the
// allocator. What cannot be changed safely stays as it is, with a reason.
//
// The pipeline is: rules -> sites -> owner -> edits, and the file that declares the allocators. The form Own is for changes
// that people keep: its sites are chosen one by one, and what it needs to know goes further.
//
//	own.go     asks, sites and fields of the form Own; names.go names the fields
//	order.go   what a site reads, and calls beside it may change
//	lives.go   what speaks against an owner; survey.go who calls whom in its package
//	thread.go  functions that get the owner as a parameter
//	chunks.go  the type of the fields where the module does not require Coppice; chunksinside.go writes it into a file that is there
//	witness.go what the witness form of a change has beside it
package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// A Form says what the changed sites take their values from.
type Form string

// The forms.
const (
	Chunk Form = "chunk" // a slice of values by hand, which the collector owns
	Slab  Form = "slab"  // slab.Chunks, which the collector owns too
	Arena Form = "arena" // an arena.Arena that the caller resets
)

// Forms has all forms.
var Forms = []Form{Chunk, Slab, Arena}

// Mode is what Package needs to know of a loaded package.
const Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedTypesSizes

// GeneratedFile is the name of the file that declares the allocators.
const GeneratedFile = "zz_coppice.go"

// A Result has the new contents of files by their paths, and what was done.
type Result struct {
	Files  map[string][]byte
	Counts []Count // for each rule
}

// Package applies the rules for a package. It returns an error if a rule changes nothing, or if it
// would break the package.
func Package(pkg *packages.Package, rules []Rule, form Form) (Result, error) {
	if len(pkg.Errors) > 0 {
		return Result{}, fmt.Errorf("%s does not compile: %v", pkg.PkgPath, pkg.Errors[0])
	}
	p := &pass{Package: pkg, form: form, owners: map[string]*owner{}}
	p.pinned, p.compare, p.shared = p.pins(), p.comparedWithNil(), p.findShared()
	for i := range rules {
		if r := &rules[i]; r.Package == pkg.PkgPath && r.in(form) {
			p.counts = append(p.counts, Count{Rule: r, Left: map[string][]string{}})
		}
	}
	if len(p.counts) == 0 {
		return Result{}, fmt.Errorf("no rule is about %s as %s", pkg.PkgPath, form)
	}
	if err := p.check(); err != nil {
		return Result{}, err
	}
	p.find()
	for _, c := range p.counts {
		if c.Done == 0 {
			return Result{}, fmt.Errorf("%s changes nothing; correct it or take it out%s", c.Rule, c.reasons())
		}
	}
	if err := p.wire(); err != nil {
		return Result{}, err
	}
	return p.result()
}

// A pass is the work on one package.
type pass struct {
	*packages.Package
	form    Form
	counts  []Count
	owners  map[string]*owner // by the name of the struct; "" for the package
	edits   edits.Set
	pinned  []types.Type          // types whose values have finalizers or cleanups
	compare map[types.Object]bool // variables that are compared with nil
	shared  map[types.Object]bool // variables that somebody else may change
	own     *ownPass              // of the form Own
}

// check looks for what makes a rule wrong, before any site is looked at.
func (p *pass) check() error {
	for _, name := range p.CompiledGoFiles {
		if !slices.Contains(p.GoFiles, name) {
			return fmt.Errorf("%s uses cgo, whose files cannot be changed", p.PkgPath)
		}
	}
	for _, c := range p.counts {
		if first := p.counts[0].Rule; c.Rule.Size != first.Size || c.Rule.First != first.First {
			return fmt.Errorf("%s has another size or first than the %s; a package has one of each", c.Rule, first)
		}
		if err := p.checkFunctions(c.Rule); err != nil {
			return err
		}
		if _, err := p.ownerOf(c.Rule.Owner); err != nil {
			return fmt.Errorf("%s: %w", c.Rule, err)
		}
	}
	return nil
}

// checkFunctions wants the functions that a rule names to exist.
func (p *pass) checkFunctions(r *Rule) error {
	var names []string
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				names = append(names, fn.Name.Name)
			}
		}
	}
	for _, name := range slices.Concat(r.Except, r.Only) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s names the function %s, which %s does not have", r, name, p.PkgPath)
		}
	}
	return nil
}

// result applies the edits and adds the generated file.
func (p *pass) result() (Result, error) {
	r := Result{Counts: p.counts}
	generated, err := p.generate()
	if err != nil {
		return r, err
	}
	if err := p.edits.Create(filepath.Join(filepath.Dir(p.GoFiles[0]), GeneratedFile), generated); err != nil {
		return r, err
	}
	r.Files, err = p.edits.Apply()
	return r, err
}

// replace replaces what stands from one position to another.
func (p *pass) replace(from, to token.Pos, text string) {
	p.edits.ReplaceBoth(p.Fset, from, to, text, p.watched(text))
}

// insert inserts before a position.
func (p *pass) insert(at token.Pos, text string) { p.edits.Insert(p.Fset, at, text) }
