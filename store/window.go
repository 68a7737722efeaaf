package store

// A window is a run of free, zeroed slots that one goroutine fills without asking
// anybody: those after last, up to and including end. A Store has one, and so has
// each Writer. Alloc and New count last up; when it meets end, a filler moves the window.
//
// The two numbers stand in the Store or the Writer itself: the compiler counts every field on
// the way to them.
type window struct {
	last, end *uint32
	gone      bool // it belonged to a Writer that Reset or Close ended
}

// move makes the window the slots after last up to end.
func (w *window) move(last, end uint32) { *w.last, *w.end = last, end }

// left is the count of slots in the window.
func (w *window) left() uint32 { return *w.end - *w.last }

// has tells whether the slot is in the window: taken, and not yet handed out.
func (w *window) has(slot uint32) bool { return *w.last < slot && slot <= *w.end }
