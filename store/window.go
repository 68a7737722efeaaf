package store

// A window is a run of free, zeroed slots that one goroutine fills without synchronization: the
// slots after last, up to and including end. Each Store and each Writer has a window. Alloc and New
// increment last. When last reaches end, a filler moves the window.
//
// The two numbers are fields of the Store or the Writer itself, because each additional field
// access on the way to them would use up inlining budget.
type window struct {
	last, end *uint32
	gone      bool // the window belonged to a Writer that Reset or Close ended
}

// move sets the window to the slots after last up to end.
func (w *window) move(last, end uint32) { *w.last, *w.end = last, end }

// left returns the number of slots in the window.
func (w *window) left() uint32 { return *w.end - *w.last }

// has reports whether the slot is in the window, which means that it was taken but has not been
// allocated.
func (w *window) has(slot uint32) bool { return *w.last < slot && slot <= *w.end }
