package traps

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
)

// A link is a value in a stack without locks.
type link struct {
	next  *link
	Value uint64
}

// An untagged is a pool of values in such a stack.
type untagged struct {
	top     atomic.Pointer[link]
	between func() // what other goroutines do while one is in the middle of Get
}

func (s *untagged) Get() *link {
	for {
		top := s.top.Load()
		if top == nil {
			return new(link)
		}
		next := top.next
		interrupt(&s.between)
		if s.top.CompareAndSwap(top, next) { // DEFECT: top may have been taken, and come back above another
			return top
		}
	}
}

func (s *untagged) Put(v *link) {
	for {
		v.next = s.top.Load()
		if s.top.CompareAndSwap(v.next, v) {
			return
		}
	}
}

// A tagged is the same with an entry for each Put, which never comes back.
type tagged struct {
	top     atomic.Pointer[entry]
	between func()
}

type entry struct {
	value *link
	next  *entry
}

func (s *tagged) Get() *link {
	for {
		top := s.top.Load()
		if top == nil {
			return new(link)
		}
		interrupt(&s.between)
		if s.top.CompareAndSwap(top, top.next) {
			return top.value
		}
	}
}

func (s *tagged) Put(v *link) {
	for {
		e := &entry{v, s.top.Load()}
		if s.top.CompareAndSwap(e.next, e) {
			return
		}
	}
}

// interrupt runs what is to happen in between, once.
func interrupt(between *func()) {
	if f := *between; f != nil {
		*between = nil
		f()
	}
}

// A goroutine that takes the top of a stack of recycled values is interrupted; others
// take two and put the first one back. If the top is told from itself by nothing but its
// address, the second is in the stack and with its owner too. Coppice has no such stack:
// a Pool is a sync.Pool, and Writers take their blocks under a lock, so those stand the
// test with many goroutines.
func TestTrapUntaggedLockFreeStack(t *testing.T) {
	check := func(get func() *link, put func(*link), between *func()) error {
		all := []*link{get(), get(), get()}
		for _, v := range all {
			put(v)
		}
		var second *link
		*between = func() {
			first := get()
			second = get()
			put(first)
		}
		if a, b := get(), get(); a == second || b == second || a == b {
			return errors.New("one value has two owners")
		}
		return nil
	}
	var bad untagged
	falls(t, check(bad.Get, bad.Put, &bad.between), "two owners")
	var good tagged
	stands(t, "the stack with entries", check(good.Get, good.Put, &good.between))
	stands(t, "pool.Pool", alloctest.Verify(pools[uint64], alloctest.Concurrent))
	stands(t, "store.Writer", alloctest.Verify(stores[uint64](t), alloctest.Concurrent))
}
