package scratch

import (
	"fmt"
)

// watchedField is the suffix of the field that watches scratch space.
const watchedField = "Witness"

// A watching generates the calls with which the witness form checks one slice in scratch space. The
// called functions are in package rewrite/witness.
type watching struct {
	owner, typ string // names of the owner variable and of its type
	field      string // expression for the field, such as p.nodesScratchWitness
	number     string // name of the variable with the number of the activation
}

// watch returns the watching for the given scratch space.
func (g *growing) watch(stack string) watching {
	return watching{g.owner.Name(), g.named.Obj().Name(), stack + watchedField, g.Fresh(g.title() + "Activation")}
}

// nilCheck returns a call that checks that the owner is not nil.
func (w watching) nilCheck() string {
	return fmt.Sprintf("coppiceWitnessHas(%s != nil, %q)", w.owner, w.typ)
}

// push, check, grew and pop return calls that check the operations on the stack. stack is "nil" if
// the slice uses all of the scratch space.
func (w watching) push(stack string) string {
	return fmt.Sprintf("%s := %s.push(%q, %s)", w.number, w.field, w.typ, stack)
}

func (w watching) check(stack string) string { return w.call("check", stack) }
func (w watching) grew(stack string) string  { return w.call("grew", stack) }
func (w watching) pop(stack string) string   { return w.call("pop", stack) }

func (w watching) call(what, stack string) string {
	return fmt.Sprintf("%s.%s(%s, %s)", w.field, what, w.number, stack)
}
