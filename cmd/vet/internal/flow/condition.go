package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A condition is a fact that a branch establishes: a value is true or false, or two values are
// equal or not equal.
type condition struct {
	x, y     ssa.Value
	constant string // instead of y
	truth    bool
}

// conditions is a set of conditions that all hold.
type conditions map[condition]bool

// conditionOf returns the condition that a branch on v establishes. taken is the value of v on this
// branch.
func conditionOf(v ssa.Value, taken bool) condition {
	switch x := v.(type) {
	case *ssa.UnOp:
		if x.Op == token.NOT {
			return conditionOf(x.X, !taken)
		}
	case *ssa.BinOp:
		if x.Op != token.EQL && x.Op != token.NEQ {
			break
		}
		c := condition{x: x.X, y: x.Y, truth: taken == (x.Op == token.EQL)}
		if k, ok := x.Y.(*ssa.Const); ok {
			c.y, c.constant = nil, k.String()
		}
		return c
	}
	return condition{x: v, truth: taken}
}

// assume restricts the state to executions in which a condition holds. It removes the ended claims
// that hold only if the condition does not.
func (s *State) assume(c condition) {
	opposite := c
	opposite.truth = !c.truth
	for where, claims := range s.claims {
		for claim, when := range claims {
			switch {
			case claim.End == nil:
			case when[opposite]:
				delete(s.claims[where], claim)
			default:
				when[c] = true
			}
		}
	}
	s.path[c] = true
	delete(s.path, opposite)
}

// drop removes the conditions that mention a value. It is called when the value is about to change.
func (cs conditions) drop(v ssa.Value) {
	for c := range cs {
		if c.x == v || c.y == v {
			delete(cs, c)
		}
	}
}

// keep removes the conditions that are not in the other set. It reports whether it removed any.
func (cs conditions) keep(other conditions) (lost bool) {
	for c := range cs {
		if !other[c] {
			delete(cs, c)
			lost = true
		}
	}
	return lost
}
