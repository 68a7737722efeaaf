package arena

import "github.com/coppice-go/coppice/pool"

// A Pool keeps Arenas for reuse. Each concurrent request or parse gets its own Arena from the Pool.
// The zero Pool is empty and ready to use. Any number of goroutines may use a Pool at once. A Pool
// must not be copied after first use.
//
//	var arenas arena.Pool
//
//	a := arenas.Get()
//	defer arenas.Put(a) // nothing allocated from a may be used after this
type Pool struct {
	// Options apply to each Arena. Keep limits the memory that an idle Arena of the Pool holds, so
	// that one large request does not pin its memory forever; 0 means 16 MiB.
	Options Options

	arenas pool.Pool[Arena] // whose Put calls Reset
}

// pooledKeep is the default of Options.Keep for the Arenas of a Pool, in bytes.
const pooledKeep = 16 << 20

// Get returns an empty Arena. It belongs to the caller until Put. Get allocates only if the Pool is
// empty.
func (p *Pool) Get() *Arena {
	a := p.arenas.Get()
	a.Options = p.Options
	if a.Options.Keep == 0 {
		a.Options.Keep = pooledKeep
	}
	return a
}

// Put resets the Arena and keeps it for a later Get. All values, slices and strings from the Arena
// are stale from then on, and the caller must not use the Arena any more. Put of nil does nothing.
func (p *Pool) Put(a *Arena) {
	if a != nil {
		p.arenas.Put(a)
	}
}
