package alloctest_test

import "github.com/coppice-go/coppice/alloctest"

// This file contains one faulty variant of the plain allocator for each promise. The variants for
// Aligned and Outlives need untyped memory: see TestMisaligned and workshop/traps.

type (
	node      = alloctest.Node
	described = alloctest.Allocator[int, node]
	mutant    = func(p *plain[node], a *described)
)

var mutants = map[alloctest.Promise]mutant{
	alloctest.Zeroed:     newAlso(func(p *plain[node], name int) { p.values[name].Flag = true }),
	alloctest.Distinct:   sharesAValue,
	alloctest.Stable:     atCopies,
	alloctest.Kept:       newAlso(func(p *plain[node], name int) { p.others(name, func(v *node) { v.Any = nil }) }),
	alloctest.Rows:       sharesTheSpareRoom,
	alloctest.Reserved:   growDoesNothing,
	alloctest.Appended:   appendDropsHalf,
	alloctest.Cloned:     func(p *plain[node], a *described) { a.Clone = p.described },
	alloctest.Deleted:    func(p *plain[node], a *described) { a.Delete = func(name int) { p.Delete(name); p.Delete(name - 1) } },
	alloctest.FreedOnce:  freesTwice,
	alloctest.Noticed:    findsTheDead,
	alloctest.Apart:      readsTheDead,
	alloctest.Emptied:    func(p *plain[node], a *described) { a.Reset = func() { p.rewind(lastName - 1) } },
	alloctest.Rewound:    rewindsTooFar,
	alloctest.Released:   releasesOnce,
	alloctest.Freed:      releasesNothing,
	alloctest.Reachable:  newAlso(func(p *plain[node], name int) { p.others(name, func(v *node) { v.Where = nil }) }),
	alloctest.Forgotten:  forgetsNothing,
	alloctest.Exhausted:  func(_ *plain[node], a *described) { a.Bounded = func(int) described { return plains[node]() } },
	alloctest.Refused:    growDoesNothing,
	alloctest.Counted:    func(p *plain[node], a *described) { a.Len = func() int { return min(50, len(p.values)) } },
	alloctest.Concurrent: newAlso(func(p *plain[node], name int) { p.Delete(name) }),
	alloctest.Separate:   newAlso(func(p *plain[node], name int) { p.Delete(name) }),
	alloctest.Program:    newAlso(func(p *plain[node], name int) { p.Delete(name) }),
}

// newAlso returns a mutant whose New calls wrong for every name that is a multiple of seven.
func newAlso(wrong func(p *plain[node], name int)) mutant {
	return func(p *plain[node], a *described) {
		a.New = func() (int, *node) {
			name, v := p.New()
			if name%7 == 0 {
				wrong(p, name)
			}
			return name, v
		}
	}
}

// others calls f for every value except the named one.
func (p *plain[T]) others(name int, f func(*T)) {
	for other, v := range p.values {
		if other != name {
			f(v)
		}
	}
}

func sharesAValue(p *plain[node], a *described) {
	a.Dirty = true
	a.New = func() (int, *node) {
		name, v := p.New()
		if last := p.values[name-1]; last != nil {
			p.values[name], v = last, last
		}
		return name, v
	}
}

func atCopies(p *plain[node], a *described) {
	a.At = func(name int) *node {
		v := p.At(name)
		if v == nil {
			return nil
		}
		moved := *v
		return &moved
	}
}

// sharesTheSpareRoom gives the next value memory within the capacity of the last row.
func sharesTheSpareRoom(p *plain[node], a *described) {
	var spare *node
	a.Alloc = nil
	a.Make = func(n int) (int, []node) {
		first, row := p.Make(n + 1)
		p.Delete(first + n)
		spare = &row[n]
		return first, row[:n]
	}
	a.New = func() (int, *node) {
		name, v := p.New()
		if spare != nil {
			p.values[name], v, spare = spare, spare, nil
		}
		return name, v
	}
}

func growDoesNothing(_ *plain[node], a *described) { a.Grow = func(int) {} }

func appendDropsHalf(p *plain[node], a *described) {
	a.Append = func(s []node, more ...node) []node { return p.Append(s, more[:len(more)/2]...) }
}

// freesTwice makes New return a value that is still live, once for each repeated Delete of a value.
func freesTwice(p *plain[node], a *described) {
	twice := 0
	a.Delete = func(name int) {
		if p.At(name) == nil {
			twice++
		}
		p.Delete(name)
	}
	a.New = func() (int, *node) {
		name, v := p.New()
		if last := p.values[name-1]; last != nil && twice > 0 {
			twice--
			p.values[name], v = last, last
		}
		return name, v
	}
}

// findsTheDead lets At return deleted values.
func findsTheDead(p *plain[node], a *described) {
	dead := map[int]*node{}
	a.Delete = func(name int) { dead[name] = p.At(name); p.Delete(name) }
	a.At = func(name int) *node {
		if v := p.At(name); v != nil {
			return v
		}
		return dead[name]
	}
}

// readsTheDead stores its free list in the deleted values and reads it from there.
func readsTheDead(p *plain[node], a *described) {
	var dead []*node
	a.Delete = func(name int) {
		v := p.At(name)
		*v = node{Count: uint32(len(dead))}
		dead = append(dead, v)
		p.Delete(name)
	}
	a.New = func() (int, *node) {
		if n := len(dead); n > 0 {
			next := dead[n-1].Count
			dead = dead[:n-1]
			_ = dead[:next]
		}
		return p.New()
	}
}

func rewindsTooFar(p *plain[node], a *described) {
	a.Mark = func() func() {
		mark := lastName
		return func() { p.rewind(mark - 1) }
	}
}

func releasesOnce(p *plain[node], a *described) {
	done := false
	a.Release = func() {
		if done {
			panic("plain.Release: it was released already")
		}
		done = true
		p.Release()
	}
}

// forgetsNothing keeps deleted values alive.
func forgetsNothing(p *plain[node], a *described) {
	var dead []*node
	a.Delete = func(name int) { dead = append(dead, p.At(name)); p.Delete(name) }
	a.Len = func() int { return len(p.values) + 0*len(dead) }
}
