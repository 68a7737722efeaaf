package symbols

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
)

// Clear removes all symbols and keeps the memory of the index. It does not keep the memory of
// strings: strings from the Table do not change, and the collector frees their memory when they are
// no longer referenced. No other goroutine may use the Table during the call, except to call Stats.
// It costs as much as clearing the index.
func (t *Table) Clear() {
	t.mustBeOriginal("symbols.Table.Clear")
	defer t.hideFromStats()()
	if t.places == nil {
		panic("symbols.Table.Clear: " + errClosed.Error())
	}
	if n := t.count.Load(); n > 0 {
		clear(bytesOf(t.region, 8*(uintptr(n)+1)))
	}
	clear(bytesOf(t.pages.region, uintptr(t.pages.units)<<leastLog*8))
	t.forget()
	t.texts.reset()
}

// forget resets the index, whose memory is zero or released.
func (t *Table) forget() {
	t.count.Store(0)
	t.pages.units = 0
	for i := range t.pages.free {
		t.pages.free[i] = nil
	}
	for i := range t.shards {
		t.shards[i].dir.Store(nil)
	}
}

// Close releases the memory; a second Close does nothing. Strings from the Table do not change.
// Afterwards Lookup finds nothing, and Intern and String panic. No other goroutine may use the
// Table during the call, except to call Stats.
func (t *Table) Close() error {
	if t.places == nil {
		return nil
	}
	t.mustBeOriginal("symbols.Table.Close")
	defer t.hideFromStats()()
	t.room.Store(0)
	t.forget()
	t.texts.reset()
	t.places, t.pages.words = nil, nil
	if err := errors.Join(t.region.Close(), t.pages.region.Close()); err != nil {
		return fmt.Errorf("symbols.Table.Close: %w", err)
	}
	return nil
}

// hideFromStats makes calls to Stats wait until the returned function is called.
func (t *Table) hideFromStats() (show func()) {
	t.adding.Lock()
	t.pages.mu.Lock()
	return func() {
		t.pages.mu.Unlock()
		t.adding.Unlock()
	}
}

// lock prevents the addition of symbols until the returned function is called.
func (t *Table) lock(where string) (unlock func()) {
	t.mustBeOriginal(where)
	for i := range t.shards {
		t.shards[i].mu.Lock()
	}
	t.adding.Lock()
	return func() {
		t.adding.Unlock()
		for i := range t.shards {
			t.shards[i].mu.Unlock()
		}
	}
}

// Clone returns an independent Table with the same Symbols. It copies the index, and shares the
// existing strings. Other goroutines may use t during the call; goroutines that add symbols wait.
func (t *Table) Clone() (*Table, error) {
	defer t.lock("symbols.Table.Clone")()
	if t.places == nil {
		return nil, fmt.Errorf("symbols.Table.Clone: %w", errClosed)
	}
	c, err := open("symbols.Table.Clone", Options{Max: int(t.max), Name: t.name}, 1)
	if err != nil {
		return nil, err
	}
	places, words := 8*(uintptr(t.count.Load())+1), uintptr(t.pages.units)<<leastLog*8
	if t.count.Load() == 0 {
		places = 0
	}
	if err := errors.Join(c.region.Commit(places), c.pages.region.Commit(words)); err != nil {
		return nil, fmt.Errorf("symbols.Table.Clone: %w: %w", ErrFull, errors.Join(err, c.Close()))
	}
	copy(bytesOf(c.region, places), bytesOf(t.region, places))
	copy(bytesOf(c.pages.region, words), bytesOf(t.pages.region, words))
	c.setSeed(t.seed)
	c.room.Store(c.committed())
	c.count.Store(t.count.Load())
	c.texts.copyFrom(&t.texts)
	c.pages.units = t.pages.units
	for i := range t.pages.free {
		c.pages.free[i] = slices.Clone(t.pages.free[i])
	}
	for i := range t.shards {
		if dir := t.shards[i].dir.Load(); dir != nil {
			c.shards[i].dir.Store(dir.clone())
		}
	}
	return c, nil
}

func (d *directory) clone() *directory {
	c := &directory{d.depth, make([]atomic.Uint64, len(d.refs))}
	for i := range c.refs {
		c.refs[i].Store(d.refs[i].Load())
	}
	return c
}
