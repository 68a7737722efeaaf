package own

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// These are the names of the type and the function that the witness form uses.
const (
	watchedSlab  = "coppiceWitnessSlab"  // replaces slab.Chunks
	watchedOwner = "coppiceWitnessOwner" // returns an owner that is not nil
)

// addWitness adds the code that the witness form of owners with slabs needs.
func (p *pass) addWitness() error {
	if len(p.needs) == 0 {
		return nil
	}
	if err := rewrite.AddWitness(&p.edits, p.Package, "owner.go"); err != nil || !p.library {
		return err
	}
	methods := []string{"in"}
	for method, needed := range p.needs {
		if needed {
			methods = append(methods, method)
		}
	}
	return rewrite.AddWitnessSlab(&p.edits, p.Package, methods...)
}

// watched returns the expression for a field at a site in the witness form. The expression is a
// call that checks that the owner is not nil. One of its arguments is the name of the owner's type.
func watched(where, field, owner string) string {
	return fmt.Sprintf("%s(%s, %q).%s.in(%q)", watchedOwner, where, owner, field, owner)
}

// These are the additions to the type chunks in the witness form: a field, and the first lines of
// New and Make.
const (
	watchedField = "\twitness coppiceWitness\n"
	watchedCall  = "\tc.watch()\n\tdefer c.witness.leave()\n"
)

// watchedChunks returns the witness form of a part of the source of the type chunks.
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

// watchedMethods returns the source of the methods that the type has only in the witness form.
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
