//go:build coppice_checks || race

package inline

// An owner detects when two copies of a Vec change the elements that they share.
type owner struct {
	changes *int // number of changes by all copies; nil before the first change
	seen    int  // number of changes known to this copy
}

// change records a change of the shared elements. It panics if another copy of the Vec has changed
// them since the last change that this copy has recorded. The parameter where names the method that
// changes the Vec, for the panic message.
func (o *owner) change(where string) {
	if o.changes == nil {
		o.changes = new(int)
	}
	if *o.changes != o.seen {
		panic(where + ": another copy of this Vec has changed the elements they share; change one copy only, or take a Clone")
	}
	o.seen++
	*o.changes = o.seen
}
