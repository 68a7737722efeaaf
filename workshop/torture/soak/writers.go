package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/coppice-go/coppice/store"
)

// writers is a worker that fills a Store from several goroutines concurrently.
type writers struct{ store *store.Store[record] }

// goroutines is the number of goroutines that fill a Store.
const goroutines = 4

func (w *writers) round(r *rand.Rand) (n int, err error) {
	if w.store == nil {
		if w.store, err = store.New[record](store.Options{Name: "soak of writers", Max: 8 * mostRecords}); err != nil {
			return 0, err
		}
	}
	kept := w.store.Len() // records of earlier rounds without a Reset
	var filled [goroutines][]store.Ref[record]
	var working sync.WaitGroup
	for g := range filled {
		random, count := rand.New(rand.NewPCG(r.Uint64(), 0)), r.IntN(4000)
		working.Go(func() { filled[g] = fill(w.store, random, uint64(g), count) })
	}
	working.Wait()
	for g, refs := range filled {
		n += len(refs)
		for i, ref := range refs {
			if p := w.store.At(ref); p.id != number(uint64(g), i) || p.next != ref || !p.intact() {
				return 0, damaged("record of a Writer", number(uint64(g), i), *p)
			}
		}
	}
	if w.store.Len() != kept+n {
		return 0, fmt.Errorf("with %d records before, %d Writers put %d, and Len is %d", kept, goroutines, n, w.store.Len())
	}
	switch {
	case oneIn(r, 20):
		err = w.end()
		w.store = nil
	case oneIn(r, 10):
		w.store.Reset()
		err = w.store.Trim()
	case w.store.Len() > mostRecords || oneIn(r, 3):
		w.store.Reset()
	}
	return n, err
}

// number returns the ID of the i-th record that goroutine g creates.
func number(g uint64, i int) uint64 { return g<<32 | uint64(i) }

// fill adds count records with a new Writer and returns their refs.
func fill(s *store.Store[record], r *rand.Rand, g uint64, count int) []store.Ref[record] {
	refs := make([]store.Ref[record], 0, count)
	w := s.Writer()
	defer w.Close()
	write := func(ref store.Ref[record], p *record) {
		*p = record{id: number(g, len(refs)), next: ref}
		p.seal()
		refs = append(refs, ref)
	}
	for len(refs) < count {
		if !oneIn(r, 50) {
			write(w.New())
			continue
		}
		first, made := w.Make(1 + r.IntN(100))
		for i := range made {
			write(first+store.Ref[record](i), &made[i])
		}
	}
	return refs
}

func (w *writers) end() error {
	if w.store == nil {
		return nil
	}
	return w.store.Close()
}

// handles is a worker that tests one Handles at a time. It keeps stale handles and checks later
// that they are rejected.
type handles struct {
	handles *store.Handles[record]
	live    []store.Handle[record]
	ids     []uint64 // IDs of the records of the handles in live
	stale   [1000]store.Handle[record]
	last    uint64
}

func (w *handles) round(r *rand.Rand) (int, error) {
	if w.handles == nil {
		var err error
		if w.handles, err = store.NewHandles[record](store.Options{Name: "soak of handles", Max: 2 * mostRecords}); err != nil {
			return 0, err
		}
	}
	if len(w.live) > mostRecords {
		return w.reset(r)
	}
	return steps(r, w.put, w.put, w.put, w.del, w.del, w.check, w.check, w.reset, w.close)
}

func (w *handles) put(r *rand.Rand) (int, error) {
	n := r.IntN(2000)
	for range n {
		w.last++
		v := record{id: w.last}
		v.seal()
		w.live, w.ids = append(w.live, w.handles.Alloc(v)), append(w.ids, w.last)
	}
	return n, nil
}

func (w *handles) del(r *rand.Rand) (int, error) {
	n := min(len(w.live), r.IntN(1500))
	for range n {
		i, end := r.IntN(len(w.live)), len(w.live)-1
		if !w.handles.Delete(w.live[i]) {
			return 0, fmt.Errorf("%v has no record", w.live[i])
		}
		w.stale[r.IntN(len(w.stale))] = w.live[i]
		w.live[i], w.ids[i] = w.live[end], w.ids[end]
		w.live, w.ids = w.live[:end], w.ids[:end]
	}
	return n, nil
}

// check checks that every live handle has its record, and that stale handles have none.
func (w *handles) check(*rand.Rand) (int, error) {
	for i, h := range w.live {
		if p, ok := w.handles.Get(h); !ok || p.id != w.ids[i] || !p.intact() {
			return 0, damaged("record of a handle", w.ids[i], p)
		}
	}
	for _, h := range w.stale {
		if p, ok := w.handles.Get(h); ok {
			return 0, fmt.Errorf("the stale handle %v has a record: %+v", h, *p)
		}
	}
	if w.handles.Len() != len(w.live) {
		return 0, fmt.Errorf("the Len is %d with %d live handles", w.handles.Len(), len(w.live))
	}
	return len(w.live) + len(w.stale), nil
}

// drop marks all live handles as stale.
func (w *handles) drop() {
	copy(w.stale[:], w.live)
	w.live, w.ids = w.live[:0], w.ids[:0]
}

func (w *handles) reset(*rand.Rand) (int, error) {
	w.handles.Reset()
	w.drop()
	return 1, nil
}

func (w *handles) close(r *rand.Rand) (int, error) {
	if !oneIn(r, 4) {
		return 0, nil
	}
	err := w.end()
	w.handles = nil
	w.drop() // a later Handles must reject these handles too
	return 1, err
}

func (w *handles) end() error {
	if w.handles == nil {
		return nil
	}
	return w.handles.Close()
}
