package hashmap

import "sync"

// A loop over a map with string keys reads entries in place. It records its position as the index
// of a slot in the page, because a search for the last key would cost a cache miss. An entry keeps
// its slot until its page is replaced. Before that, each loop that is in the page copies the keys
// that it has not reached yet. It then looks up the remaining entries by their keys
// (docs/decisions/0053).

// A slotLoop is the position of a loop over a map with string keys.
type slotLoop struct {
	page  ref
	next  uint64 // index of the first slot that was not reached yet
	moved bool   // the page was replaced, and the entries not yet reached are in rest
	rest  []string
	other *slotLoop
}

// at moves the loop to the start of the given page.
func (l *slotLoop) at(page ref) { l.page, l.next, l.moved, l.rest = page, 0, false, nil }

// A slotLoops holds the loops over a map that are in progress. Several goroutines may start loops
// at the same time, but while one goroutine changes the map, no other goroutine runs a loop.
type slotLoops struct {
	mu    sync.Mutex
	first *slotLoop
}

func (l *slotLoops) enter() *slotLoop {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = &slotLoop{other: l.first}
	return l.first
}

func (l *slotLoops) leave(loop *slotLoop) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := &l.first
	for *at != loop {
		at = &(*at).other
	}
	*at = loop.other
}
