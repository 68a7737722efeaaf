package change

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// Poison returns a call that sets the elements of a slice to values that are visibly wrong.
func Poison(list string) string { return fmt.Sprintf("coppiceWitnessPoison(%s)", list) }

// InsertRoom inserts the statement that reserves capacity for a slice. In the witness form, the
// spare capacity is filled with wrong values, because no code may read an element before it is
// appended.
func (s *Scene) InsertRoom(c *Change, v *types.Var, at token.Pos, text, end string) {
	witness := text
	if s.Builtin("len", at) && s.Builtin("cap", at) {
		witness += Poison(fmt.Sprintf("%[1]s[len(%[1]s):cap(%[1]s)]", v.Name())) + end
	}
	c.Edits.InsertBoth(s.Package.Fset, at, text, witness)
}

// AddWitness adds to a change the files that its witness form needs.
func (c *Change) AddWitness(r *Request, others ...string) error {
	if !c.Edits.HasWitness() {
		return nil
	}
	return rewrite.AddWitness(&c.Edits, r.Package, others...)
}
