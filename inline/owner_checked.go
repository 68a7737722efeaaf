//go:build coppice_checks || race

package inline

// An owner detects that two copies of a Vec both change shared elements.
type owner struct {
	changes *int // number of changes by all copies; nil before the first one
	seen    int  // number of changes known to this copy
}

// change records a change. It panics if a different copy of the Vec has changed the shared elements
// since the last change that this copy knows. The panic message begins with where, the name of the
// method that changes the Vec.
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
