//go:build coppice_checks || race

package pool_test

import (
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unique"
	"weak"

	"github.com/coppice-go/coppice/pool"
)

// These expressions match the panic messages.
var (
	writtenStopwatch = regexp.MustCompile(`^pool\.Pool\.Get: a \*pool_test\.stopwatch was written after it was Put at .*resting_test\.go:\d+$`)
	writtenRequest   = regexp.MustCompile(`^pool\.Pool\.Get: a \*pool_test\.request was written after it was Put at .*resting_test\.go:\d+$`)
	putAgain         = regexp.MustCompile(`^pool\.Pool\.Get: a \*pool_test\.request was Put at .*resting_test\.go:\d+ and again at .*resting_test\.go:\d+$`)
)

// The tests in this file cover values in quarantine, and values that have left it, in checked
// builds.

// A pool drops all its values except those in quarantine. Otherwise it would hold the memory of the
// largest burst forever.
func TestCheckedPoolsForget(t *testing.T) {
	const many = 2000
	var freed atomic.Int64
	var p pool.Pool[[64]byte]
	for range many {
		v := new([64]byte)
		runtime.AddCleanup(v, func(int) { freed.Add(1) }, 0)
		p.Put(v)
	}
	for deadline := time.Now().Add(2 * time.Minute); freed.Load() < many-16 && time.Now().Before(deadline); {
		runtime.GC() // two collections empty a sync.Pool; the cleanups run some time later
		time.Sleep(time.Millisecond)
	}
	if kept := many - freed.Load(); kept > 16 {
		t.Errorf("%d of %d values are kept, want the 16 that rest", kept, many)
	}
	runtime.KeepAlive(&p)
}

// stopwatch is a type whose values are written mostly by the runtime, not by their owner.
type stopwatch struct {
	name    string
	scratch sync.Pool
	nested  struct {
		lock  sync.Mutex
		pools [3]sync.Pool
	}
	behind   *sync.Pool
	boxed    any
	timer    time.Timer
	weak     weak.Pointer[[1 << 10]byte]
	unique   unique.Handle[string]
	cleanup  runtime.Cleanup
	pinner   runtime.Pinner
	seen     sync.Map
	inflight sync.WaitGroup
	after    int
}

// The garbage collector empties every sync.Pool, even in a quarantined value. That must not be
// reported as a write by the former owner. The runtime does not write to the other fields of a
// stopwatch.
func TestWhatTheRuntimeWritesIsNoMisuse(t *testing.T) {
	p := &pool.Pool[stopwatch]{Options: pool.Options[stopwatch]{Reset: func(w *stopwatch) { w.after = 0 }}}
	for round := range 20 {
		w := p.Get()
		w.behind, w.boxed, w.after = new(sync.Pool), new(sync.Pool), 1
		for _, inner := range []*sync.Pool{&w.scratch, &w.nested.pools[0], &w.nested.pools[2], w.behind, w.boxed.(*sync.Pool)} {
			for range 8 { // with -race a sync.Pool drops some
				inner.Put(new(int))
			}
		}
		gone := new([1 << 10]byte)
		w.weak, w.unique = weak.Make(gone), unique.Make(time.Now().String())
		w.cleanup = runtime.AddCleanup(gone, func(int) {}, 0)
		w.pinner.Pin(gone)
		w.pinner.Unpin()
		w.timer = *time.NewTimer(time.Microsecond)
		w.seen.Store(1, gone)
		w.seen.Clear()
		w.inflight.Go(func() {})
		w.inflight.Wait()
		p.Put(w)
		if round%7 > 4 { // two collections empty a sync.Pool
			runtime.GC()
		}
	}
}

// All fields beside a sync.Pool are still checked, and so is its field New, which the runtime does
// not write.
//
//coppice:ignore useafterput it wants the panics
func TestWritesBesideASyncPoolAreSeen(t *testing.T) {
	for name, write := range map[string]func(w *stopwatch){
		"a field before":    func(w *stopwatch) { w.name = "stale" },
		"a field between":   func(w *stopwatch) { w.nested.lock.Lock() },
		"a field behind":    func(w *stopwatch) { w.after = 1 },
		"New":               func(w *stopwatch) { w.scratch.New = func() any { return nil } },
		"New in an array":   func(w *stopwatch) { w.nested.pools[2].New = func() any { return nil } },
		"the pointer to it": func(w *stopwatch) { w.behind = new(sync.Pool) },
	} {
		p := &pool.Pool[stopwatch]{Options: pool.Options[stopwatch]{Reset: func(*stopwatch) {}}}
		w := p.Get()
		p.Put(w)
		write(w)
		got := panicOf(func() { p.Get() })
		if !writtenStopwatch.MatchString(got) {
			t.Errorf("%s: panic %q", name, got)
		}
	}
}

// A write is detected even after the quarantine, at the latest when Get would return the value to a
// new owner.
//
//coppice:ignore useafterput it wants the panics
func TestWritesAfterTheRestAreSeen(t *testing.T) {
	found := 0
	for range 20 { // with -race a sync.Pool drops some
		var p pool.Pool[request]
		stale := p.Get()
		p.Put(stale)
		for range 20 {
			p.Put(new(request))
		}
		stale.id = 1
		for range 5 {
			got := panicOf(func() { p.Get() })
			if writtenRequest.MatchString(got) {
				found++
			} else if got != "no panic" {
				t.Fatal(got)
			}
		}
	}
	if found == 0 {
		t.Error("none of 20 writes was found")
	}
}

// A second Put is detected even after the quarantine, when the value would get an owner although it
// is in quarantine.
//
//coppice:ignore useafterput it wants the panics
func TestSecondPutsAfterTheRestAreSeen(t *testing.T) {
	found := 0
	for range 20 { // with -race a sync.Pool drops some
		var p pool.Pool[request]
		twice := p.Get()
		p.Put(twice)
		for range 20 {
			p.Put(new(request))
		}
		p.Put(twice)
		for range 5 {
			got := panicOf(func() { p.Get() })
			if putAgain.MatchString(got) {
				found++
			} else if got != "no panic" {
				t.Fatal(got)
			}
		}
	}
	if found == 0 {
		t.Error("none of 20 second Puts was found")
	}
}
