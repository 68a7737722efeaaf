package crash

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/coppice-go/coppice/store"
)

// writersWithoutData lets four Writers reach the memory limit at the same time.
func writersWithoutData() error {
	s, other, err := openWith(inOther)
	if err != nil {
		return err
	}
	if err := limit(unix.RLIMIT_DATA, "VmData", more); err != nil {
		return err
	}
	ready()
	for range 2 {
		var working sync.WaitGroup
		var counts [4]int
		var failed [4]error
		for g := range counts {
			working.Go(func() {
				w := s.Writer()
				defer w.Close()
				failed[g] = panics("store.Writer.Alloc: the store is full: it holds ", func() {
					for {
						w.Alloc(recordOf(g<<32 + counts[g]))
						counts[g]++
					}
				})
			})
		}
		working.Wait()
		if err := errors.Join(failed[:]...); err != nil {
			return err
		}
		if err := allThere(s, counts); err != nil {
			return err
		}
		s.Reset()
		if err := other.Close(); err != nil {
			return err
		}
	}
	return s.Close()
}

// allThere verifies that the store contains as many intact records of each Writer as counts says.
func allThere(s *store.Store[record], counts [4]int) error {
	var seen [4]int
	for _, v := range s.All() {
		g := int(v.id >> 32)
		if *v != recordOf(int(v.id)) || g > 3 {
			return fmt.Errorf("a record is %+v", *v)
		}
		seen[g]++
	}
	if seen != counts {
		return fmt.Errorf("the Writers put %v records, and %v are there", counts, seen)
	}
	return nil
}

func handlesWithoutData() error {
	h, err := store.NewHandles[record](store.Options{})
	if err != nil {
		return err
	}
	live := make([]store.Handle[record], 0, more/32)
	if err := limit(unix.RLIMIT_DATA, "VmData", more); err != nil {
		return err
	}
	ready()
	err = panics("store.Handles.Alloc: the store is full: it holds ", func() {
		for {
			live = append(live, h.Alloc(recordOf(len(live))))
		}
	})
	if err != nil || h.Len() != len(live) {
		return fmt.Errorf("Len is %d after %d: %w", h.Len(), len(live), err)
	}
	for i, handle := range live {
		if v, ok := h.Get(handle); !ok || *v != recordOf(i) {
			return fmt.Errorf("%v, record %d of %d, is damaged", handle, i, len(live))
		}
	}
	for _, handle := range live[:1000] {
		h.Delete(handle)
	}
	for range 1000 { // reuses the slots that were deleted
		h.Alloc(record{})
	}
	return h.Close()
}

// copiesWithoutData verifies that a copy that fails for lack of memory changes neither the original
// nor an older copy.
func copiesWithoutData() error {
	const many = 400_000 // 24 MiB
	s, older, err := openWith(inOther)
	if err != nil {
		return err
	}
	for i := range many {
		s.Alloc(recordOf(i))
	}
	if err := limit(unix.RLIMIT_DATA, "VmData", 10<<20); err != nil {
		return err
	}
	ready()
	totals := fmt.Sprint(store.Totals())
	if _, err := s.Clone(); !errors.Is(err, store.ErrFull) || !strings.HasPrefix(err.Error(), "store.Store.Clone: the store is full: ") {
		return fmt.Errorf("Clone said %v", err)
	}
	if err := older.CopyFrom(s); !errors.Is(err, store.ErrFull) || !strings.HasPrefix(err.Error(), "store.Store.CopyFrom: the store is full: ") {
		return fmt.Errorf("CopyFrom said %v", err)
	}
	if after := fmt.Sprint(store.Totals()); after != totals {
		return fmt.Errorf("the refused copies left %s; before there was %s", after, totals)
	}
	if err := errors.Join(intact(s, many), intact(older, inOther)); err != nil {
		return err
	}
	s.Reset()
	return errors.Join(s.Trim(), older.CopyFrom(s), intact(older, 0), s.Close(), older.Close())
}

// storesWithoutAddresses reaches a limit on address space (ulimit -v). New stores become smaller,
// and then New fails until a store is closed.
func storesWithoutAddresses() error {
	if err := limit(unix.RLIMIT_AS, "VmSize", 4<<30); err != nil {
		return err
	}
	ready()
	var stores []*store.Store[record]
	var err error
	for least := math.MaxInt; ; {
		var s *store.Store[record]
		if s, err = store.New[record](store.Options{}); err != nil {
			break
		}
		s.Alloc(recordOf(len(stores)))
		if s.Max() > least {
			return fmt.Errorf("store %d has room for %d records, more than those before", len(stores), s.Max())
		}
		least = s.Max()
		stores = append(stores, s)
		if len(stores) > 1000 {
			return errors.New("4 GiB of addresses have room for a thousand stores of at least 1 MiB")
		}
	}
	if !strings.HasSuffix(err.Error(), "; raise the limit (ulimit -v); or set a smaller Options.Max") {
		return fmt.Errorf("store %d: New said %q", len(stores), err)
	}
	for i, s := range stores {
		if *s.At(1) != recordOf(i) {
			return fmt.Errorf("the record of store %d is damaged", i)
		}
	}
	last := stores[len(stores)-1]
	room := last.Max()
	if err := last.Close(); err != nil {
		return err
	}
	again, err := store.New[record](store.Options{})
	if err != nil || again.Max() != room {
		return fmt.Errorf("after the Close of a store with room for %d records New gave %v", room, err)
	}
	stores[len(stores)-1] = again
	for _, s := range stores {
		err = errors.Join(err, s.Close())
	}
	return err
}

// storesInASmallProcess fills a store that takes all address space that the limit leaves.
func storesInASmallProcess() error {
	if err := limit(unix.RLIMIT_AS, "VmSize", 96<<20); err != nil {
		return err
	}
	ready()
	s, err := store.New[record](store.Options{})
	if err != nil {
		return err
	}
	for i := range s.Max() {
		s.Alloc(recordOf(i))
	}
	_, err = s.TryAlloc(record{})
	want := fmt.Sprintf("store.Store.TryAlloc: the store is full: it holds %d records, and the maximum is %[1]d", s.Max())
	if err == nil || err.Error() != want {
		return fmt.Errorf("TryAlloc said %v, want %s", err, want)
	}
	return errors.Join(intact(s, s.Max()), s.Close())
}

// readStatus returns a field of a /proc status file, which is in KiB there, in bytes.
func readStatus(file, field string) (uint64, error) {
	status, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kib uint64
		if n, _ := fmt.Sscanf(line, field+": %d kB", &kib); n == 1 {
			return kib << 10, nil
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, field)
}
