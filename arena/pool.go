package arena

import "github.com/coppice-go/coppice/pool"

// A Pool keeps Arenas for reuse: one for each request or each parse that runs at the same time. The
// zero Pool is empty and ready to use. Any number of goroutines may use a Pool at once. A Pool must
// not be copied after first use.
//
//	var arenas arena.Pool
//
//	a := arenas.Get()
//	defer arenas.Put(a) // nothing that came from a may be used after this
type Pool struct {
	// Options are those of each Arena. Keep bounds what an Arena of the Pool holds between two
	// uses, so that one large request does not keep its memory for ever; 0 means 16 MiB.
	Options Options

	arenas pool.Pool[Arena] // whose Put calls Reset
}

// pooledKeep is how many bytes an Arena of a Pool keeps at most by default.
const pooledKeep = 16 << 20

// Get returns an Arena that is empty. It belongs to the caller until Put. Get allocates only if the
// Pool has none.
func (p *Pool) Get() *Arena {
	a := p.arenas.Get()
	a.Options = p.Options
	if a.Options.Keep == 0 {
		a.Options.Keep = pooledKeep
	}
	return a
}

// Put resets the Arena and keeps it for a later Get. All values, slices and strings from the Arena
// are stale from now on, and the caller must not use the Arena any more. Put of nil does nothing.
func (p *Pool) Put(a *Arena) {
	if a != nil {
		p.arenas.Put(a)
	}
}
