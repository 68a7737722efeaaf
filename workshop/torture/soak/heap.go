package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/coppice-go/coppice/inline"
	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
)

// A leaf is a value with pointers to itself, to another leaf, and to bytes to which nothing else
// refers.
type leaf struct {
	self, next *leaf
	text       []byte
	id, sum    uint64
}

func (v *leaf) intact() bool {
	return v.self == v && v.sum == sumOf(v.id) && (v.text == nil || string(v.text) == textOf(v.id))
}

// slabs is a worker that tests one Slab at a time. After a Release, it keeps the chain of values,
// which must not change.
type slabs struct {
	slab  *slab.Slab[leaf]
	chain *leaf // list of all values of this phase
	count int
	held  *leaf // list of the values of the phase that the last Release ended
	last  uint64
}

func (w *slabs) round(r *rand.Rand) (int, error) {
	if w.slab == nil {
		w.slab = &slab.Slab[leaf]{Options: slab.Options{FirstChunk: r.IntN(100), MaxChunk: 100 + r.IntN(3000), Keep: r.IntN(20_000)}}
	}
	if w.count > mostRecords {
		return w.reset(r)
	}
	return steps(r, w.new, w.new, w.new, w.make, w.grow, w.check, w.reset, w.release)
}

func (w *slabs) add(v *leaf) error {
	if v.self != nil || v.next != nil || v.text != nil || v.id != 0 || v.sum != 0 {
		return fmt.Errorf("a value was handed out with %+v in it", *v)
	}
	w.last++
	*v = leaf{self: v, next: w.chain, id: w.last, sum: sumOf(w.last)}
	if w.last%8 == 0 {
		v.text = []byte(textOf(w.last))
	}
	w.chain = v
	w.count++
	return nil
}

func (w *slabs) new(r *rand.Rand) (int, error) {
	n := r.IntN(2000)
	for range n {
		if err := w.add(w.slab.New()); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func (w *slabs) make(r *rand.Rand) (int, error) {
	made := w.slab.Make(r.IntN(1000))
	for i := range made {
		if err := w.add(&made[i]); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

func (w *slabs) grow(r *rand.Rand) (int, error) { w.slab.Grow(r.IntN(1000)); return 1, nil }

func (w *slabs) check(*rand.Rand) (int, error) {
	if w.slab.Len() != w.count {
		return 0, fmt.Errorf("the Len is %d after %d values", w.slab.Len(), w.count)
	}
	n, err := intactChain(w.chain)
	if err == nil && n != w.count {
		err = fmt.Errorf("%d of %d values are linked", n, w.count)
	}
	if err == nil {
		_, err = intactChain(w.held)
	}
	return n, err
}

// intactChain checks every value in a chain, and returns the number of values.
func intactChain(v *leaf) (n int, err error) {
	for ; v != nil; v = v.next {
		if n++; !v.intact() {
			return n, damaged("value", v.id, *v)
		}
	}
	return n, nil
}

func (w *slabs) reset(r *rand.Rand) (int, error) {
	_, err := w.check(r)
	w.slab.Reset()
	w.chain, w.count = nil, 0
	return 1, err
}

func (w *slabs) release(r *rand.Rand) (int, error) {
	_, err := w.check(r)
	w.slab.Release()
	w.held, w.chain, w.count = w.chain, nil, 0
	if oneIn(r, 2) {
		w.slab = nil
	}
	return 1, err
}

func (w *slabs) end() error { return nil }

// A page is a value in the shared pool.
type page struct {
	owner uint64
	bytes []byte
}

func newSharedPool() *pool.Pool[page] {
	return &pool.Pool[page]{Options: pool.Options[page]{
		Reset:   func(p *page) { p.owner, p.bytes = 0, p.bytes[:0] },
		Size:    func(p *page) int { return cap(p.bytes) },
		MaxSize: 3 << 10,
	}}
}

// pools is a worker that takes pages from a pool that all workers share, and checks that other
// workers do not write to them.
type pools struct{ shared *pool.Pool[page] }

func (w *pools) round(r *rand.Rand) (int, error) {
	id := r.Uint64()
	var mine [64]*page
	for i := range mine {
		p := w.shared.Get()
		if p.owner != 0 || len(p.bytes) != 0 {
			return 0, fmt.Errorf("the pool gave a page of %d bytes that belongs to %x", len(p.bytes), p.owner)
		}
		p.owner, p.bytes = id, append(p.bytes, bytes.Repeat([]byte{byte(id)}, r.IntN(4<<10))...)
		mine[i] = p
	}
	runtime.Gosched()
	for _, p := range mine {
		if foreign := len(p.bytes) - bytes.Count(p.bytes, []byte{byte(id)}); p.owner != id || foreign > 0 {
			return 0, fmt.Errorf("a page owned by %x was overwritten: its owner is now %x, and %d of its bytes are foreign", id, p.owner, foreign)
		}
		w.shared.Put(p)
	}
	return 2 * len(mine), nil
}

func (w *pools) end() error { return nil }

// vecs is a worker that tests many short Vecs by comparing them with slices.
type vecs struct {
	vecs [500]inline.Vec[*uint64, [4]*uint64]
	want [500][]uint64
}

func (w *vecs) round(r *rand.Rand) (int, error) {
	const n = 300
	for range n {
		i := r.IntN(len(w.vecs))
		v, want := &w.vecs[i], &w.want[i]
		switch at := r.IntN(len(*want) + 1); {
		case len(*want) > 12 || oneIn(r, 6):
			v.Delete(0, at)
			*want = slices.Delete(*want, 0, at)
		case oneIn(r, 20):
			*v, *want = inline.Vec[*uint64, [4]*uint64]{}, nil
		case oneIn(r, 2):
			id := r.Uint64()
			v.Append(&id)
			*want = append(*want, id)
		default:
			id := r.Uint64()
			v.Insert(at, &id)
			*want = slices.Insert(*want, at, id)
		}
		if !w.equal(i) {
			return 0, damaged("Vec", uint64(i), *want)
		}
	}
	return n, nil
}

// equal reports whether a Vec has the same elements as its slice.
func (w *vecs) equal(i int) bool {
	v := &w.vecs[i]
	return v.Len() == len(w.want[i]) && slices.EqualFunc(v.Slice(), w.want[i], func(p *uint64, id uint64) bool { return *p == id })
}

func (w *vecs) check(*rand.Rand) (int, error) {
	for i := range w.vecs {
		if !w.equal(i) {
			return 0, damaged("Vec", uint64(i), w.want[i])
		}
	}
	return len(w.vecs), nil
}

func (w *vecs) end() error { return nil }
