package hashmap

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/panics"
	"github.com/coppice-go/coppice/internal/vmem"
)

// TestWordOfALock verifies that a lock's word differs after a change of the locked data, so that
// readers notice the change, and is restored if the lock was only held.
func TestWordOfALock(t *testing.T) {
	var l lock
	before := l.word.Load()
	l.Hold()
	if !quiet(l.word.Load()) || l.try(held) {
		t.Error("who holds the lock disturbs readers, or is not alone")
	}
	l.Unlock()
	if l.word.Load() != before {
		t.Error("who held the lock has changed something")
	}
	for name, change := range map[string]func(){"Lock": l.Lock, "Hold and Change": func() { l.Hold(); l.Change() }} {
		before := l.word.Load()
		change()
		if quiet(l.word.Load()) || l.try(held|changing) {
			t.Errorf("%s: readers look at what changes, or two may change it", name)
		}
		l.Unlock()
		if w := l.word.Load(); w == before || !quiet(w) || w&held != 0 {
			t.Errorf("%s: the word was %b and is %b", name, before, w)
		}
	}
	l.Lock()
	l.End()
	l.Unlock()
	if quiet(l.word.Load()) || !l.try(held) {
		t.Error("readers look at what is closed, or nobody can find out that it is")
	}
}

// TestLockExcludes verifies that only one goroutine at a time holds a lock, whether or not it had
// to sleep for it, and that its writes are visible to the next holder.
func TestLockExcludes(t *testing.T) {
	var l lock
	var all sync.WaitGroup
	n := 0
	for range 4 {
		all.Go(func() {
			for range 2000 {
				l.Lock()
				n++
				l.Unlock()
			}
		})
	}
	all.Wait()
	l.Hold()
	asleep := make(chan bool)
	go func() { l.Lock(); n++; l.Unlock(); close(asleep) }()
	for l.queue.TryLock() { // until the goroutine waits
		l.queue.Unlock()
	}
	l.Unlock()
	<-asleep
	if n != 8001 {
		t.Errorf("%d of 8001 changes are there", n)
	}
}

// fits verifies that no shard is locked, and that the fields for lock-free readers refer to the
// shard's current memory.
func fits[K comparable](t *testing.T, s *Sharded[K, uint64], after string) {
	t.Helper()
	for i := range s.shards {
		sh := &s.shards[i]
		m := &sh.m.table
		memory := m.heap.Memory()
		if w := sh.word.Load(); !quiet(w) || w&held != 0 {
			t.Fatalf("after %s shard %d has the word %b", after, i, w)
		}
		if sh.dir.Load() != &m.dir[0] || addressOf(sh.base.Load()) != m.base || sh.shift.Load() != uint64(m.shift) || sh.texts.Load() != startOf(memory) || sh.reach.Load() != uint64(len(memory)) {
			t.Fatalf("after %s readers do not find what shard %d has", after, i)
		}
	}
}

// TestViewsFit verifies that lock-free readers find the current pages, directory and strings after
// every operation that changes a Sharded.
func TestViewsFit(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { viewsFit(t, number) })
	t.Run("string", func(t *testing.T) { viewsFit(t, func(i int) string { return strings.Repeat(text(i), 1+i%50) }) })
}

func viewsFit[K comparable](t *testing.T, key func(int) K) {
	vmem.MoveAlways(true, true)
	defer vmem.MoveAlways(false, false)
	s := Must(NewSharded[K, uint64](Options{Shards: 2}))
	defer s.Close()
	fits(t, s, "NewSharded")
	for round := range 2 {
		for i := range 6000 {
			k := key(i)
			switch i % 4 {
			case 0:
				s.Set(k, uint64(i))
			case 1:
				s.GetOrSet(k, uint64(i))
			case 2:
				s.Update(k, func(uint64, bool) uint64 { return uint64(i) })
			default:
				s.LoadOrCompute(k, func() (uint64, bool) { return uint64(i), false })
			}
			fits(t, s, "a new key")
			if v, ok := s.Get(k); !ok || v != uint64(i) {
				t.Fatalf("round %d: key %d is %d, %v", round, i, v, ok)
			}
		}
		for i := 0; i < 6000; i += 1 + i%3 {
			s.Delete(key(i))
			fits(t, s, "Delete")
		}
		c, err := s.Clone()
		if err != nil {
			t.Fatal(err)
		}
		fits(t, c, "Clone")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		s.Clear()
		fits(t, s, "Clear")
		if err := s.Reserve(3000); err != nil {
			t.Fatal(err)
		}
		fits(t, s, "Reserve")
	}
}

// TestReadersMeetEveryChange verifies that a lock-free reader detects any change that occurs after
// its read began, and is not disturbed by other readers.
func TestReadersMeetEveryChange(t *testing.T) {
	if !readsFreely {
		t.Skip("readers take the lock")
	}
	defer func() { whilePeeking = nil }()
	for name, change := range map[string]func(s *Sharded[string, uint64]){
		"Set":           func(s *Sharded[string, uint64]) { s.Set("a", 2) },
		"a new key":     func(s *Sharded[string, uint64]) { s.Set("b", 2) },
		"Delete":        func(s *Sharded[string, uint64]) { s.Delete("a") },
		"LoadAndDelete": func(s *Sharded[string, uint64]) { s.LoadAndDelete("a") },
		"Update":        func(s *Sharded[string, uint64]) { s.Update("a", func(uint64, bool) uint64 { return 2 }) },
		"Compute": func(s *Sharded[string, uint64]) {
			s.Compute("a", func(uint64, bool) (uint64, ComputeOp) { return 2, DeleteOp })
		},
		"GetOrSet": func(s *Sharded[string, uint64]) { s.GetOrSet("c", 1) },
		"Clear":    func(s *Sharded[string, uint64]) { s.Clear() },
		"Reserve":  func(s *Sharded[string, uint64]) { _ = s.Reserve(10_000) },
		"Close":    func(s *Sharded[string, uint64]) { s.Close() },
	} {
		s := Must(NewSharded[string, uint64](Options{Shards: 1}))
		s.Set("a", 1)
		k := "a"
		h := hashOf(&s.hash, &k)
		whilePeeking = func() { whilePeeking = nil; change(s) }
		if _, _, sure := s.shards[0].peek(textKeys, h, &k); sure {
			t.Errorf("%s is not noticed by who has looked before", name)
		}
		whilePeeking = func() { whilePeeking = nil; s.shards[0].read(func(*Map[string, uint64]) {}) }
		if _, _, sure := s.shards[0].peek(textKeys, h, &k); !sure && name != "Close" {
			t.Errorf("%s: who only reads disturbs readers", name)
		}
		s.Close()
	}
}

// TestReadersWaitForChanges verifies that lock-free readers do not read during a change, and
// eventually wait for the lock.
func TestReadersWaitForChanges(t *testing.T) {
	s := Must(NewSharded[uint64, [2]uint64](Options{Shards: 1}))
	defer s.Close()
	s.Set(1, [2]uint64{1, 1})
	sh, k := &s.shards[0], uint64(1)
	sh.Lock()
	if _, _, sure := sh.peek(s.kind, hashOf(&s.hash, &k), &k); sure {
		t.Error("a reader looks at what changes")
	}
	*sh.at(s.kind, hashOf(&s.hash, &k), &k) = [2]uint64{2, 1}
	done := make(chan [2]uint64)
	go func() { v, _ := s.Get(1); done <- v }()
	for sh.queue.TryLock() { // until the reader waits
		sh.queue.Unlock()
	}
	*sh.at(s.kind, hashOf(&s.hash, &k), &k) = [2]uint64{2, 2}
	sh.Unlock()
	if v := <-done; v != [2]uint64{2, 2} {
		t.Errorf("it read %v", v)
	}
}

// TestReadersUnderChange verifies that readers never see a mixture of two values, or the value of
// another key, during concurrent changes. Each word of a value identifies its key.
func TestReadersUnderChange(t *testing.T) {
	t.Run("uint64", func(t *testing.T) { readersUnderChange(t, number) })
	t.Run("string", func(t *testing.T) {
		readersUnderChange(t, func(i int) string { return strings.Repeat(text(i), 1+i%40) })
	})
	t.Run("float64", func(t *testing.T) { readersUnderChange(t, func(i int) float64 { return float64(i) }) })
}

func readersUnderChange[K comparable](t *testing.T, key func(int) K) {
	vmem.MoveAlways(true, true)
	defer vmem.MoveAlways(false, false)
	const keys = 3000
	all := make([]K, keys)
	for i := range all {
		all[i] = key(i)
	}
	for range 3 {
		s := Must(NewSharded[K, [5]uint64](Options{Shards: 2}))
		var writers, readers sync.WaitGroup
		var ended atomic.Bool
		for w := range 2 {
			writers.Go(func() {
				for i := range 4 * keys {
					n := (i*7919 + w) % keys
					v := uint64(n)<<32 | uint64(i)
					s.Set(all[n], [5]uint64{v, v, v, v, v})
					switch {
					case i%3 == 0:
						s.Delete(all[(n+1)%keys])
					case i == 2*keys && w == 0:
						s.Clear()
					}
				}
			})
		}
		for r := range 2 {
			readers.Go(func() {
				defer func() { // the Sharded may be closed meanwhile
					if text := fmt.Sprint(recover()); text != "<nil>" && !strings.Contains(text, "the map is closed") {
						t.Error(text)
					}
				}()
				for i := r; !ended.Load() || i < keys; i++ {
					n := i % keys
					v, ok := s.Get(all[n])
					if ok && (v[0]>>32 != uint64(n) || v != [5]uint64{v[0], v[0], v[0], v[0], v[0]}) {
						t.Errorf("key %d has the value %x", n, v)
						return
					}
				}
				for i := r; ; i++ { // ends with the panic after Close
					s.Get(all[i%keys])
				}
			})
		}
		writers.Wait()
		ended.Store(true)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		readers.Wait()
	}
}

// TestLoadOrComputeOnce verifies that LoadOrCompute computes the value of a key once, however many
// goroutines call it.
func TestLoadOrComputeOnce(t *testing.T) {
	s := Must(NewSharded[string, uint64](Options{}))
	defer s.Close()
	var calls atomic.Uint64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				v, _ := s.LoadOrCompute(fmt.Sprint(i), func() (uint64, bool) { return calls.Add(1), false })
				if again, loaded := s.LoadOrCompute(fmt.Sprint(i), func() (uint64, bool) { panic("again") }); !loaded || again != v {
					t.Errorf("key %d is %d and then %d", i, v, again)
				}
			}
		})
	}
	all.Wait()
	if n := calls.Load(); n != 200 {
		t.Errorf("%d calls for 200 keys", n)
	}
	if v, loaded := s.LoadOrCompute("none", func() (uint64, bool) { return 1, true }); v != 0 || loaded || s.Has("none") {
		t.Errorf("a cancelled LoadOrCompute gives %d, %v", v, loaded)
	}
}

func TestCompute(t *testing.T) {
	s := Must(NewSharded[uint64, uint64](Options{Shards: 1, Max: 1}))
	defer s.Close()
	for i, c := range []struct {
		old    uint64
		loaded bool
		next   uint64
		op     ComputeOp
		want   uint64
		ok     bool
	}{
		{0, false, 5, CancelOp, 0, false}, {0, false, 5, DeleteOp, 0, false}, {0, false, 5, UpdateOp, 5, true}, {5, true, 6, CancelOp, 5, true},
		{5, true, 6, UpdateOp, 6, true}, {6, true, 7, DeleteOp, 0, false}, {0, false, 0, CancelOp, 0, false},
	} {
		v, ok := s.Compute(1, func(old uint64, loaded bool) (uint64, ComputeOp) {
			if old != c.old || loaded != c.loaded {
				t.Errorf("step %d: it is given %d, %v", i, old, loaded)
			}
			if readsFreely {
				k := uint64(1)
				if now, there, sure := s.shards[0].peek(s.kind, hashOf(&s.hash, &k), &k); now != old || there != loaded || !sure {
					t.Errorf("step %d: a reader finds %d, %v, and is sure: %v", i, now, there, sure)
				}
			}
			return c.next, c.op
		})
		if now, there := s.Get(1); v != c.want || ok != c.ok || now != v || there != ok {
			t.Errorf("step %d: %d, %v, and then Get says %d, %v", i, v, ok, now, there)
		}
	}
	if text := panics.Of(func() { s.Compute(1, func(uint64, bool) (uint64, ComputeOp) { return 1, 3 }) }); !strings.Contains(text, "no ComputeOp 3") {
		t.Error(text)
	}
	s.Set(1, 7)
	if v, ok := s.LoadAndDelete(1); v != 7 || !ok {
		t.Errorf("LoadAndDelete = %d, %v", v, ok)
	}
	if v, ok := s.LoadAndDelete(1); v != 0 || ok {
		t.Errorf("LoadAndDelete of nothing = %d, %v", v, ok)
	}
}

// TestCallbacksThatPanic verifies that a callback that panics leaves the Sharded unlocked and
// unchanged.
func TestCallbacksThatPanic(t *testing.T) {
	s := Must(NewSharded[uint64, uint64](Options{Shards: 1}))
	defer s.Close()
	before := s.shards[0].word.Load()
	for name, f := range map[string]func(){
		"LoadOrCompute": func() { s.LoadOrCompute(1, func() (uint64, bool) { panic("no") }) },
		"Compute":       func() { s.Compute(1, func(uint64, bool) (uint64, ComputeOp) { panic("no") }) },
		"Update":        func() { s.Update(1, func(uint64, bool) uint64 { panic("no") }) },
	} {
		if text := panics.Of(f); text != "no" || s.shards[0].word.Load() != before || s.Len() != 0 {
			t.Errorf("%s: %s, word %b", name, text, s.shards[0].word.Load())
		}
	}
}

// TestWordHash verifies that the specialized hash function for one-word keys returns the same
// hashes as the Map's.
func TestWordHash(t *testing.T) {
	s := Must(NewSharded[uint64, uint64](Options{Shards: 1}))
	defer s.Close()
	for i := range 1000 {
		if k := number(i); s.words.of(k) != s.shards[0].m.hashOf(&k) {
			t.Fatalf("key %d has two hashes", k)
		}
	}
}
