//go:build coppice_checks || race

package inline

// An owner notices that two copies of a Vec both change the elements that they share.
type owner struct {
	changes *int // how often any copy changed them; nil before the first time
	seen    int  // how often this one knows of
}

// change counts a change by the method called where, and panics in its name if another
// copy made one in between.
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
