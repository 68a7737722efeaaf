package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// A record is a record in the stores of the soak test.
type record struct {
	id   uint64
	next store.Ref[record]
	text store.Text
	tail [11]byte // makes the size not a power of two
	sum  uint64   // checksum of id and next
}

func (r *record) seal() { r.sum = sumOf([2]uint64{r.id, uint64(r.next)}) }

func (r *record) intact() bool { return r.sum == sumOf([2]uint64{r.id, uint64(r.next)}) }

// mostRecords is the maximum number of records of a worker. Without a maximum, the resident set
// could not remain flat.
const mostRecords = 30_000

// stores is a worker that tests one Store at a time with all its operations.
type stores struct {
	store, spare *store.Store[record]
	refs         []store.Ref[record]
	ids          []uint64 // IDs of the records at refs
	last         uint64
}

func (w *stores) round(r *rand.Rand) (int, error) {
	if w.store == nil {
		if err := w.open(r); err != nil {
			return 0, err
		}
	}
	if len(w.refs) > mostRecords {
		return w.reset(r)
	}
	return steps(r, w.put, w.put, w.put, w.make, w.del, w.del, w.check, w.reset, w.trim, w.copy, w.close)
}

func (w *stores) open(r *rand.Rand) (err error) {
	o := store.Options{Name: "soak of store", HugePages: store.HugePages(r.IntN(3))}
	if vmem.GoMemory || oneIn(r, 2) { // in Go memory, a store has its maximum size from the start
		o.Max = 4 * mostRecords
	}
	w.store, err = store.New[record](o)
	return err
}

// add initializes a new slot as the next record.
func (w *stores) add(ref store.Ref[record], p *record) error {
	if *p != (record{}) {
		return fmt.Errorf("slot %v was handed out with %+v in it", ref, *p)
	}
	w.last++
	*p = record{id: w.last, next: ref, tail: [11]byte{10: byte(w.last)}}
	if oneIn2(w.last) {
		p.text = w.store.AllocText(textOf(w.last))
	}
	p.seal()
	w.refs, w.ids = append(w.refs, ref), append(w.ids, w.last)
	return nil
}

// oneIn2 reports whether the record with the given ID has a text.
func oneIn2(id uint64) bool { return id%2 == 0 }

func (w *stores) put(r *rand.Rand) (int, error) {
	n := r.IntN(2000)
	for range n {
		ref, p := w.store.New()
		if err := w.add(ref, p); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func (w *stores) make(r *rand.Rand) (int, error) {
	first, made := w.store.Make(r.IntN(3000))
	for i := range made {
		if err := w.add(first+store.Ref[record](i), &made[i]); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

// del deletes random records, after checking each of them.
func (w *stores) del(r *rand.Rand) (int, error) {
	n := min(len(w.refs), r.IntN(1500))
	for range n {
		i, end := r.IntN(len(w.refs)), len(w.refs)-1
		if err := w.intact(w.store, w.refs[i], w.ids[i]); err != nil {
			return 0, err
		}
		w.store.Delete(w.refs[i])
		w.refs[i], w.ids[i] = w.refs[end], w.ids[end]
		w.refs, w.ids = w.refs[:end], w.ids[:end]
	}
	return n, nil
}

// intact returns an error if a record does not have the contents that were written to it.
func (w *stores) intact(s *store.Store[record], ref store.Ref[record], id uint64) error {
	p := s.At(ref)
	if p.id != id || p.next != ref || p.tail[10] != byte(id) || !p.intact() || oneIn2(id) && string(s.TextBytes(p.text)) != textOf(id) {
		return damaged("record", id, *p)
	}
	return nil
}

func (w *stores) check(*rand.Rand) (int, error) { return len(w.refs), w.checkAll(w.store) }

// checkAll returns an error if the store does not contain exactly the records that were written to
// it.
func (w *stores) checkAll(s *store.Store[record]) error {
	for i, ref := range w.refs {
		if err := w.intact(s, ref, w.ids[i]); err != nil {
			return err
		}
	}
	yielded := 0
	for range s.All() {
		yielded++
	}
	if yielded != len(w.refs) || s.Len() != len(w.refs) {
		return fmt.Errorf("the store yields %d records, its Len is %d, and %d were put", yielded, s.Len(), len(w.refs))
	}
	return nil
}

func (w *stores) reset(*rand.Rand) (int, error) {
	w.store.Reset()
	w.refs, w.ids = w.refs[:0], w.ids[:0]
	return 1, nil
}

func (w *stores) trim(*rand.Rand) (int, error) { return 1, w.store.Trim() }

// copy replaces the store with a copy of it, which is either a new store or the spare one.
func (w *stores) copy(r *rand.Rand) (n int, err error) {
	other := w.spare
	if other != nil && oneIn(r, 2) {
		err = other.CopyFrom(w.store)
	} else {
		other, err = w.store.Clone()
		if err == nil && w.spare != nil {
			err = w.spare.Close()
		}
	}
	if err != nil {
		return 0, err
	}
	w.store, w.spare = other, w.store
	w.spare.Reset() // must not affect the copy
	return 1, w.checkAll(w.store)
}

func (w *stores) close(r *rand.Rand) (int, error) {
	if !oneIn(r, 4) {
		return 0, nil
	}
	err := w.store.Close()
	w.store, w.refs, w.ids = nil, w.refs[:0], w.ids[:0]
	return 1, err
}

func (w *stores) end() error {
	for _, s := range []*store.Store[record]{w.store, w.spare} {
		if s != nil {
			if err := s.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}
