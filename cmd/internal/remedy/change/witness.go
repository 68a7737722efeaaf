package change

import (
	"fmt"
	"go/token"
	"go/types"
	"go/version"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// watchedField is what the name of the field that watches scratch space ends with.
const watchedField = "Witness"

// A watching writes the calls of the witness form of one slice in scratch space. The names in them are those of package
// rewrite/witness.
type watching struct {
	owner, typ string // the variable, and its type
	field      string // p.nodesScratchWitness
	number     string // the variable with the number of the activation
}

// watch is what watches a scratch space.
func (g *growing) watch(stack string) watching {
	return watching{g.owner.Name(), g.named.Obj().Name(), stack + watchedField, g.fresh(g.title() + "Activation")}
}

// has asks whether there is an owner.
func (w watching) has() string {
	return fmt.Sprintf("coppiceWitnessHas(%s != nil, %q)", w.owner, w.typ)
}

// push, check, grew and pop are what happens to the stack, or to nil where a slice takes all of the scratch space.
func (w watching) push(stack string) string {
	return fmt.Sprintf("%s := %s.push(%q, %s)", w.number, w.field, w.typ, stack)
}

func (w watching) check(stack string) string { return w.call("check", stack) }
func (w watching) grew(stack string) string  { return w.call("grew", stack) }
func (w watching) pop(stack string) string   { return w.call("pop", stack) }

func (w watching) call(what, stack string) string {
	return fmt.Sprintf("%s.%s(%s, %s)", w.field, what, w.number, stack)
}

// poison makes the elements of a slice visibly wrong.
func poison(list string) string { return fmt.Sprintf("coppiceWitnessPoison(%s)", list) }

// insertRoom inserts what makes room in a slice. In the witness form the room is poisoned: nobody may read an element before it is appended.
func (s *scene) insertRoom(c *Change, v *types.Var, at token.Pos, text, end string) {
	witness := text
	if s.builtin("len", at) && s.builtin("cap", at) {
		witness += poison(fmt.Sprintf("%[1]s[len(%[1]s):cap(%[1]s)]", v.Name())) + end
	}
	c.Edits.InsertBoth(s.Package.Fset, at, text, witness)
}

// addWitness gives a change what its witness form needs.
func (c *Change) addWitness(r *Request, others ...string) error {
	if !c.Edits.HasWitness() {
		return nil
	}
	return rewrite.AddWitness(&c.Edits, r.Package, others...)
}

// watchedSlice is the slice expression for a part of a shared array, which the witness form compares with what it must be. Languages before
// go1.18 have no function for all types.
func (g *arrays) watchedSlice(array string, i int) string {
	text := array + g.slice(i)
	if version.Compare(g.Language, "go1.18") < 0 {
		return text
	}
	from := "0"
	if i > 0 {
		from = g.sum(i)
	}
	return fmt.Sprintf("coppiceWitnessPart(%s, %s, %s, %s)", text, array, from, g.sum(i+1))
}
