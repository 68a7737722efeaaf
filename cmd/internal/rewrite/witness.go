package rewrite

import (
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// witnessSources are the files that the witness form of a change brings into the package.
//
//go:embed witness/*.go
var witnessSources embed.FS

// Names that the witness form calls.
const (
	watchedSlab  = "coppiceWitnessSlab"  // in the place of slab.Chunks
	watchedOwner = "coppiceWitnessOwner" // returns an owner that is not nil
)

// witnessFile is the beginning of the names of the files that the witness form brings along.
const witnessFile = "coppice_witness_"

// AddWitness gives a set of edits the files that its witness form needs in the package: those that all need, and others.
func AddWitness(set *edits.Set, pkg *packages.Package, others ...string) error {
	for _, name := range append([]string{"witness.go", "goroutines.go", "violation.go", "activations.go", "poison_unsafe.go"}, others...) {
		if err := addWitnessFile(set, pkg, name); err != nil {
			return err
		}
	}
	return nil
}

// addWitnessFile adds one file. Of methods that are named it has only those.
func addWitnessFile(set *edits.Set, pkg *packages.Package, name string, methods ...string) error {
	source, err := witnessSources.ReadFile("witness/" + name)
	if err != nil {
		return err
	}
	file := filepath.Join(filepath.Dir(pkg.GoFiles[0]), witnessFile+name)
	text := strings.Replace(string(source), "package witness", "package "+pkg.Types.Name(), 1)
	if len(methods) == 0 {
		return set.ComposeWitness(file, "", text)
	}
	blocks := strings.Split(text, "\n"+slabMethod)
	if err := set.ComposeWitness(file, "", blocks[0]); err != nil {
		return err
	}
	for _, block := range blocks[1:] {
		method, _, _ := strings.Cut(block, "(")
		if !slices.Contains(methods, method) {
			continue
		}
		if err := set.ComposeWitness(file, method, "\n"+slabMethod+block); err != nil {
			return err
		}
	}
	return nil
}

// slabMethod begins the methods of the watched slab.
const slabMethod = "func (c *coppiceWitnessSlab[T]) "

// addWitness adds what the witness form of owners with slabs needs.
func (p *pass) addWitness() error {
	if len(p.own.needs) == 0 {
		return nil
	}
	if err := AddWitness(&p.edits, p.Package, "owner.go"); err != nil || !p.own.library {
		return err
	}
	methods := []string{"in"}
	for method, needed := range p.own.needs {
		if needed {
			methods = append(methods, method)
		}
	}
	return addWitnessFile(&p.edits, p.Package, "slab.go", methods...)
}

// watch notes how a site of the form Own is written in the witness form: it asks whether there is an owner, and says which type it has.
func (p *pass) watch(s site, owner, where string) {
	field := p.owners[owner].allocator(p, s.typ).name
	p.own.where = where + "." + field + "."
	p.own.watched = fmt.Sprintf("%s(%s, %q).%s.in(%q).", watchedOwner, where, owner, field, owner)
}

// watched is a text in the witness form.
func (p *pass) watched(text string) string {
	if p.own == nil || p.own.where == "" {
		return text
	}
	return strings.Replace(text, p.own.where, p.own.watched, 1)
}

// What the type chunks has in the form that is watched: a field, and the first lines of New and Make.
const (
	watchedField = "\twitness coppiceWitness\n"
	watchedCall  = "\tc.watch()\n\tdefer c.witness.leave()\n"
)

// watchedChunks is a part of the source of the type chunks, in the form that is watched.
func watchedChunks(typ, text string) string {
	method := func(signature string) (old, watched string) {
		old = fmt.Sprintf("func (c *%s[T]) %s {\n", typ, signature)
		return old, old + watchedCall
	}
	oldNew, watchedNew := method("New() *T")
	oldMake, watchedMake := method("Make(n int) []T")
	declared := fmt.Sprintf("type %s[T any] struct {\n", typ)
	changed := strings.NewReplacer(oldNew, watchedNew, oldMake, watchedMake, declared, declared+watchedField).Replace(text)
	if strings.Contains(text, declared) {
		changed += watchedMethods(typ)
	}
	return changed
}

// watchedMethods are the methods that the type has in the form that is watched alone.
func watchedMethods(typ string) string {
	return fmt.Sprintf(`
func (c *%[1]s[T]) in(owner string) *%[1]s[T] {
	c.witness.is(owner)
	return c
}

func (c *%[1]s[T]) watch() {
	coppiceWitnessHas(c != nil, "(one with %[1]s["+reflect.TypeOf((*T)(nil)).Elem().String()+"])")
	c.witness.enter()
}
`, typ)
}
