package change

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// Poison returns a call that overwrites the elements of a slice with obviously wrong values.
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

// AddWitness adds the files that the witness form of a change needs.
func (c *Change) AddWitness(r *Request, others ...string) error {
	if !c.Edits.HasWitness() {
		return nil
	}
	return rewrite.AddWitness(&c.Edits, r.Package, others...)
}
