package alloctest_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
)

// TestScaleOfTheEnvironment verifies that Run takes its scale from the environment variable.
func TestScaleOfTheEnvironment(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the kit at two scales")
	}
	for _, want := range []alloctest.Scale{alloctest.Short, alloctest.Normal} {
		t.Setenv(alloctest.ScaleVariable, want.String())
		var mu sync.Mutex // the kit runs several goroutines, each with its own allocator
		most := 0
		alloctest.Run(t, func() alloctest.Allocator[int, int] {
			p := newPlain[int](1 << 30)
			return alloctest.Allocator[int, int]{
				New: func() (int, *int) {
					name, v := p.New()
					mu.Lock()
					defer mu.Unlock()
					most = max(most, len(p.values))
					return name, v
				},
				At: p.At,
			}
		})
		if atLeast := map[alloctest.Scale]int{alloctest.Short: 8192, alloctest.Normal: 131_072}[want]; most < atLeast || most > 2*atLeast {
			t.Errorf("the scale %s sees %d values of one allocator, want %d", want, most, atLeast)
		}
	}
}

// TestRoom verifies that an allocator is never asked for more live values than its Room, at any
// scale, and that a full allocator without Room is told to set it.
func TestRoom(t *testing.T) {
	for _, room := range []int{1, 10, 999} {
		few := func() described {
			a := newPlain[node](room).described()
			a.Room = room
			return a
		}
		if testing.Short() {
			alloctest.RunAt(t, alloctest.Short, few)
			continue
		}
		alloctest.RunAt(t, alloctest.Normal, few)
	}
	full := func() described { return newPlain[node](1000).described() }
	err := alloctest.Verify(full, alloctest.Distinct)
	if want := "with 1,000 values live; if the allocator has room for no more, say so in Allocator.Room"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an allocator that is full gave %v, want %q", err, want)
	}
}

// TestFailuresSayWhose verifies that the message about a changed value says whose contents it
// holds, and that a failure is reported only once, not once for each goroutine.
func TestFailuresSayWhose(t *testing.T) {
	open := func() alloctest.Allocator[int, uint64] {
		p := newPlain[uint64](1 << 30)
		a := p.described()
		calls := 0
		a.Alloc, a.TryAlloc, a.Make, a.Concurrent, a.Writer = nil, nil, nil, false, nil
		first := 0
		a.New = func() (int, *uint64) {
			name, v := p.New()
			switch calls++; calls {
			case 1:
				first = name
			case 40:
				p.values[name], v = p.values[first], p.values[first]
				*v = 0
			}
			return name, v
		}
		return a
	}
	for promise, want := range map[alloctest.Promise]string{
		alloctest.Kept:     "the 1st value, one of 85 that are live, has changed; it holds what was written to the 40th value\n",
		alloctest.Separate: "the 1st value of goroutine 1, one of 50 that are live, has changed; it holds what was written to the 40th value of goroutine 1\n",
	} {
		err := alloctest.Verify(open, promise)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the message is %v, want %q", promise, err, want)
		}
		if err != nil && strings.Count(err.Error(), "broken promise") != 1 {
			t.Errorf("%s: the message says it more than once: %v", promise, err)
		}
	}
}
