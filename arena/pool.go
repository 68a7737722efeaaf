package arena

import "github.com/coppice-go/coppice/pool"

// A Pool is a set of idle Arenas. Each concurrent request or parse gets its own Arena from the
// Pool. The zero Pool is empty and ready to use. A Pool is safe for concurrent use. A Pool must not
// be copied after first use.
//
//	var arenas arena.Pool
//
//	a := arenas.Get()
//	defer arenas.Put(a) // nothing allocated from a may be used after this
type Pool struct {
	// Options configures each Arena of the Pool. Options.Keep limits the memory of an idle Arena,
	// so that the memory of one large request is not held forever. If Keep is 0, the limit is 16
	// MiB.
	Options Options

	arenas pool.Pool[Arena] // Put calls Arena.Reset
}

// pooledKeep is the default value of Options.Keep for the Arenas of a Pool, in bytes.
const pooledKeep = 16 << 20

// Get removes an Arena from the Pool and returns it. The Arena is empty and belongs to the caller
// until Put. If the Pool is empty, Get allocates a new Arena.
func (p *Pool) Get() *Arena {
	a := p.arenas.Get()
	a.Options = p.Options
	if a.Options.Keep == 0 {
		a.Options.Keep = pooledKeep
	}
	return a
}

// Put resets the Arena and adds it to the Pool. All values, slices and strings from the Arena are
// then stale, and the caller must not use the Arena again. If a is nil, Put does nothing.
func (p *Pool) Put(a *Arena) {
	if a != nil {
		p.arenas.Put(a)
	}
}
