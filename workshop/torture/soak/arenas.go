package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/coppice-go/coppice/arena"
)

// A point is a value of odd size that contains no pointers.
type point struct {
	x   uint32
	tag [5]byte
}

// A branch is a value that contains pointers into the arena and to the Go heap.
type branch struct {
	leaf
	children []*branch
	points   []point
	name     string
}

// intact reports whether a branch has the contents that its ID determines.
func (b *branch) intact() bool {
	ok := b.leaf.intact() && b.name == textOf(b.id) && len(b.points) == int(b.id%20) && len(b.children) == int(b.id%5)
	for i, p := range b.points {
		ok = ok && p == pointOf(b.id, i)
	}
	for _, c := range b.children {
		ok = ok && c.self == &c.leaf && c.sum == sumOf(c.id)
	}
	return ok
}

func pointOf(id uint64, i int) point {
	return point{uint32(id) + uint32(i), [5]byte{byte(id), byte(i), 4: 1}}
}

// mostBranches is the maximum number of branches of a worker.
const mostBranches = 5_000

// arenas is a worker that tests one Arena at a time. It builds trees entirely in the arena, and
// rewinds the arena to Marks.
type arenas struct {
	arena    *arena.Arena
	branches []*branch // all branches of this phase
	held     []*branch // branches of the phase that the last Release ended
	marks    []place
	last     uint64
}

// A place is a Mark, with the number of branches that existed when it was set.
type place struct {
	mark     arena.Mark
	branches int
}

func (w *arenas) round(r *rand.Rand) (int, error) {
	if w.arena == nil {
		w.arena = &arena.Arena{Options: arena.Options{Keep: r.IntN(4 << 20)}}
	}
	if len(w.branches) > mostBranches {
		return w.reset(r)
	}
	return steps(r, w.grow, w.grow, w.grow, w.mark, w.rewind, w.check, w.reset, w.release)
}

// grow creates branches. It uses every function that allocates.
func (w *arenas) grow(r *rand.Rand) (int, error) {
	n := r.IntN(400)
	for range n {
		w.last++
		b := w.next(r)
		if b.self != nil || b.children != nil || b.points != nil || b.name != "" || b.text != nil {
			return 0, fmt.Errorf("a branch was handed out with %+v in it", *b)
		}
		b.leaf = leaf{self: &b.leaf, id: w.last, sum: sumOf(w.last)}
		b.text = []byte(textOf(w.last))
		b.name = w.arena.CloneString(textOf(w.last))
		b.children = arena.Make[*branch](w.arena, int(w.last%5))
		for i := range b.children {
			b.children[i] = b
			if len(w.branches) > 0 {
				b.children[i] = w.branches[r.IntN(len(w.branches))]
			}
		}
		for i := range int(w.last % 20) {
			b.points = arena.Append(w.arena, b.points, pointOf(w.last, i))
		}
		if oneIn(r, 5) {
			b.points, b.name = arena.Clone(w.arena, b.points), w.arena.String([]byte(b.name))
		}
		w.branches = append(w.branches, b)
	}
	return 25 * n, nil
}

// next returns a zeroed branch, which it allocates in one of three ways.
func (w *arenas) next(r *rand.Rand) *branch {
	switch r.IntN(3) {
	case 0:
		return arena.Of[branch](w.arena).New()
	case 1:
		return &arena.Make[branch](w.arena, 1+r.IntN(3))[0]
	default:
		return arena.New[branch](w.arena)
	}
}

func (w *arenas) mark(*rand.Rand) (int, error) {
	w.marks = append(w.marks, place{w.arena.Mark(), len(w.branches)})
	return 1, nil
}

// rewind rewinds the arena to a random Mark. This is safe because branches never point to later
// ones.
func (w *arenas) rewind(r *rand.Rand) (int, error) {
	if len(w.marks) == 0 {
		return 0, nil
	}
	i := r.IntN(len(w.marks))
	w.arena.Rewind(w.marks[i].mark)
	w.branches, w.marks = w.branches[:w.marks[i].branches], w.marks[:i+1]
	return w.check(r)
}

func (w *arenas) check(*rand.Rand) (int, error) {
	for _, branches := range [][]*branch{w.branches, w.held} {
		for _, b := range branches {
			if !b.intact() {
				return 0, damaged("branch", b.id, *b)
			}
		}
	}
	if st := w.arena.Stats(); st.Used+st.Wasted > st.Size {
		return 0, fmt.Errorf("more in use than held: %+v", st)
	}
	return len(w.branches), nil
}

func (w *arenas) reset(r *rand.Rand) (int, error) {
	_, err := w.check(r)
	w.arena.Reset()
	w.branches, w.marks = w.branches[:0], w.marks[:0]
	return 1, err
}

// release releases the arena and keeps its branches, which must not change afterwards.
func (w *arenas) release(r *rand.Rand) (int, error) {
	_, err := w.check(r)
	w.arena.Release()
	w.held, w.branches, w.marks = w.branches, nil, w.marks[:0]
	if oneIn(r, 2) {
		w.arena = nil
	}
	return 1, err
}

func (w *arenas) end() error { return nil }
