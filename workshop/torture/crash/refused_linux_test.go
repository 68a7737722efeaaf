package crash

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// refused contains the functions that run in child processes. The kernel refuses them memory, and
// they must continue.
var refused = map[string]func() error{
	"a store without data":      storeWithoutData,
	"texts without data":        textsWithoutData,
	"Writers without data":      writersWithoutData,
	"Handles without data":      handlesWithoutData,
	"copies without data":       copiesWithoutData,
	"stores without addresses":  storesWithoutAddresses,
	"stores in a small process": storesInASmallProcess,
}

// TestRefused verifies what the documentation of store promises if the kernel refuses memory.
// TryAlloc returns ErrFull, other methods panic with it, no record is lost, and the store continues
// when memory is available again.
func TestRefused(t *testing.T) {
	if vmem.GoMemory {
		t.Skip("here stores are Go memory, and a lack of it ends the program: TestExhausted")
	}
	child.SkipEmulated(t, "limits on memory bind the emulator and not the program")
	for name := range refused {
		t.Run(name, func(t *testing.T) { survive(t, name) })
	}
}

// survive fails the test if the child process fails.
func survive(t *testing.T, name string) {
	t.Helper()
	for range mostTries {
		p := start(t, name)
		code, signal, out := p.end(t)
		if outOfMemory.MatchString(p.errs.String()) {
			t.Log("the Go runtime met the limit first")
			continue
		}
		if code != 0 || out != "done\n" || p.errs.Len() > 0 {
			t.Errorf("exit code %d, signal %v; it printed %q and\n%s", code, signal, out, &p.errs)
		}
		if left := p.leftFiles(t); len(left) > 0 {
			t.Errorf("the child left %q", left)
		}
		return
	}
	t.Errorf("the Go runtime met the limit first, %d times", mostTries)
}

// mostTries is the number of attempts with a child process that the Go runtime may end. After the
// kernel has refused the store 64 KiB, it may next refuse the runtime memory for its own data
// structures. A test cannot reserve enough memory for all of these in advance.
const mostTries = 30

// more is the number of bytes that a limit leaves for allocation.
const more = 32 << 20

// provide makes the Go runtime allocate in advance the memory that it needs after the kernel
// refuses more: 24 MiB of small spans, and the data structures for them. It also turns the
// collector off.
func provide() error {
	ballast := make([][]byte, 3000)
	for i := range ballast {
		ballast[i] = make([]byte, 8<<10)
	}
	runtime.KeepAlive(ballast)
	ballast = nil
	runtime.GC()
	debug.SetGCPercent(-1)
	return panics("warm", func() { panic("warm") })
}

// limit sets a resource limit on this process. The limit is the current use, read from a field of
// /proc/self/status, plus more bytes.
func limit(resource int, field string, more uint64) error {
	if err := provide(); err != nil {
		return err
	}
	now, err := statusBytes(field)
	if err != nil {
		return err
	}
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: now + more, Max: now + more})
}

// recordOf returns the i-th record.
func recordOf(i int) record { return record{id: uint64(i), words: [7]uint64{uint64(i), 6: ^uint64(i)}} }

// fillUp adds records until the store refuses one. It returns the index of the first record that is
// not in the store.
func fillUp(s *store.Store[record], from int) (int, error) {
	for i := from; ; i++ {
		if _, err := s.TryAlloc(recordOf(i)); err != nil {
			if !errors.Is(err, store.ErrFull) || !strings.HasPrefix(err.Error(), "store.Store.TryAlloc: the store is full: it holds ") || !strings.Contains(err.Error(), "the system gives no more memory: cannot allocate memory") {
				return i, fmt.Errorf("TryAlloc said %q", err)
			}
			return i, nil
		}
	}
}

// intact returns an error unless the store contains exactly the first count records, in order.
func intact(s *store.Store[record], count int) error {
	if s.Len() != count {
		return fmt.Errorf("the store has %d records, not %d", s.Len(), count)
	}
	i := 0
	for ref, v := range s.All() {
		if *v != recordOf(i) {
			return fmt.Errorf("%v, record %d of %d, is %+v", ref, i, count, *v)
		}
		i++
	}
	return nil
}

// panics returns an error unless f panics with a message that begins with want.
func panics(want string, f func()) (err error) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
			err = fmt.Errorf("the panic is %q, want %q", got, want)
		}
	}()
	f()
	return nil
}

// openWith returns two stores. The second one contains count records.
func openWith(count int) (s, other *store.Store[record], err error) {
	if s, err = store.New[record](store.Options{}); err != nil {
		return nil, nil, err
	}
	if other, err = store.New[record](store.Options{}); err != nil {
		return nil, nil, err
	}
	for i := range count {
		other.Alloc(recordOf(i))
	}
	return s, other, nil
}

const (
	inOther  = 100_000       // number of records in the other store: 6 MiB
	inCommit = 64 << 10 / 64 // number of records in the smallest unit that a store commits
)

// storeWithoutData reaches a limit on data (RLIMIT_DATA). It then gets memory when another store is
// trimmed, when one is closed, and when it releases its own.
func storeWithoutData() error {
	s, other, err := openWith(inOther)
	if err != nil {
		return err
	}
	if err := limit(unix.RLIMIT_DATA, "VmData", more); err != nil {
		return err
	}
	ready()
	full, err := fillUp(s, 0)
	if err := errors.Join(err, intact(s, full), intact(other, inOther)); err != nil {
		return err
	}
	if full < more/2/64 || full > more/64+inCommit {
		return fmt.Errorf("32 MiB had room for %d records", full)
	}
	err = errors.Join(
		panics("store.Store.Alloc: the store is full: it holds ", func() { s.Alloc(record{}) }),
		panics("store.Store.New: the store is full: it holds ", func() { s.New() }),
		panics("store.Store.Make: no room for 200000 records: the store is full", func() { s.Make(200_000) }),
		intact(s, full))
	if err != nil {
		return err
	}
	for way, giveBack := range []func() error{
		func() error { other.Reset(); return other.Trim() },
		func() error { return other.Close() },
		func() error { s.Reset(); full = 0; return s.Trim() },
	} {
		if err := giveBack(); err != nil {
			return err
		}
		again, err := fillUp(s, full)
		if err := errors.Join(err, intact(s, again)); err != nil {
			return err
		}
		if again <= full {
			return fmt.Errorf("way %d gave memory back, and the store took no more records", way)
		}
		full = again
	}
	return s.Close()
}

// textsWithoutData fills a store with texts until the kernel refuses memory.
func textsWithoutData() error {
	s, other, err := openWith(inOther)
	if err != nil {
		return err
	}
	const size = 1000
	var all [26]string // allocated before the limit is set
	for i := range all {
		all[i] = strings.Repeat(string(rune('a'+i)), size)
	}
	text := func(i int) string { return all[i%26] }
	texts := make([]store.Text, 0, 2*more/size)
	if err := limit(unix.RLIMIT_DATA, "VmData", more); err != nil {
		return err
	}
	ready()
	fill := func() error {
		return panics("store.Store.AllocText: the store is full of text: ", func() {
			for {
				texts = append(texts, s.AllocText(text(len(texts))))
			}
		})
	}
	for range 2 {
		before := len(texts)
		if err := fill(); err != nil {
			return err
		}
		for i, x := range texts {
			if string(s.TextBytes(x)) != text(i) {
				return fmt.Errorf("text %d of %d is damaged", i, len(texts))
			}
		}
		if len(texts) == before {
			return errors.New("no text was put")
		}
		if err := other.Close(); err != nil {
			return err
		}
	}
	return s.Close()
}

// statusBytes returns the value of a field in /proc/self/status, in bytes.
func statusBytes(field string) (uint64, error) {
	return readStatus("/proc/self/status", field)
}
