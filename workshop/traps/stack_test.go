package traps

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
)

// A link is a value in a lock-free stack of recycled values.
type link struct {
	next  *link
	Value uint64
}

// An untagged is a pool of values in a lock-free stack that compares only pointers, without a tag.
type untagged struct {
	top     atomic.Pointer[link]
	between func() // simulates other goroutines during a Get
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

// A tagged is a pool that avoids the defect: each Put creates a new entry, which is never reused.
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

// interrupt calls the function between once and then clears it.
func interrupt(between *func()) {
	if f := *between; f != nil {
		*between = nil
		f()
	}
}

// TestTrapUntaggedLockFreeStack shows the ABA problem. A goroutine that takes the top of a stack of
// recycled values is interrupted. Others take two values and put the first one back. If the stack
// compares only the address of the top, the second value is then both in the stack and in use by
// its owner. Coppice has no such stack: a Pool is a sync.Pool, and Writers take their blocks under
// a lock. The test runs both with many goroutines.
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
