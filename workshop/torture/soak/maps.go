package main

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// A numbered is a value in the maps of the soak test.
type numbered struct {
	id, changes uint64
	sum         uint64 // checksum of id and changes
}

func numberedOf(id, changes uint64) numbered {
	return numbered{id, changes, sumOf([2]uint64{id, changes})}
}

// keyOf returns the key for an ID. Different IDs have different keys.
func keyOf(id uint64) string { return textOf(id) + strconv.FormatUint(id, 10) }

// A table is a hashmap.Map or a btree.Map with strings as keys.
type table interface {
	Get(string) (numbered, bool)
	Set(string, numbered)
	Update(string, func(numbered, bool) numbered)
	Delete(string) bool
	Len() int
	All() iter.Seq2[string, numbered]
	Clear()
	Save(string) error
	Verify() error
	Close() error
}

// pages returns the huge-page setting for a table. Tables without a limit do not use huge pages.
func pages(most int) store.HugePages {
	if most == 0 {
		return store.HugePagesOff
	}
	return store.HugePagesAuto
}

// A kind contains the functions that create tables of one type.
type kind struct {
	open  func(most int) (table, error)
	file  func(path string) (table, error)
	clone func(table) (table, error)
}

var hashed = kind{
	open: func(most int) (table, error) {
		return hashmap.New[string, numbered](hashmap.Options{Name: "soak of hashmap", Max: most, HugePages: pages(most)})
	},
	file: func(path string) (table, error) {
		return hashmap.OpenFile[string, numbered](path, hashmap.Options{Name: "soak of hashmap"})
	},
	clone: func(t table) (table, error) { return t.(*hashmap.Map[string, numbered]).Clone() },
}

var sorted = kind{
	open: func(most int) (table, error) {
		return btree.New[string, numbered](btree.Options{Name: "soak of btree", Max: most, HugePages: pages(most)})
	},
	file: func(path string) (table, error) {
		return btree.OpenFile[string, numbered](path, btree.Options{Name: "soak of btree"})
	},
	clone: func(t table) (table, error) { return t.(*btree.Map[string, numbered]).Clone() },
}

// tables is a worker that tests one table at a time with all its operations.
type tables struct {
	kind    kind
	now     table
	live    []entry
	last    uint64
	folder  string // of the file that now was opened from, "" for none
	earlier []snapshot
}

// An entry is the ID of a value in a table, with the number of times that the value has been
// changed.
type entry struct{ id, changes uint64 }

// mostEntries is the maximum number of entries of a worker. Without a maximum, the resident set
// could not remain flat.
const mostEntries = 20_000

// round performs a random operation on the table. For a btree.Map, this includes operations on its
// snapshots.
func (w *tables) round(r *rand.Rand) (int, error) {
	if w.now == nil {
		if err := w.open(r); err != nil {
			return 0, err
		}
	}
	if len(w.live) > mostEntries {
		return w.reset(r)
	}
	all := []func(*rand.Rand) (int, error){w.set, w.set, w.set, w.change, w.change, w.del, w.del, w.check, w.reset, w.copy, w.save, w.close}
	if _, ok := w.now.(*btree.Map[string, numbered]); ok {
		all = append(all, w.snapshot, w.snapshot, w.changeWhileRead, w.release)
	}
	return steps(r, all...)
}

func (w *tables) open(r *rand.Rand) (err error) {
	most := 0
	if vmem.GoMemory || oneIn(r, 2) { // in Go memory, a table has its maximum size from the start
		most = 2 * mostEntries
	}
	w.now, err = w.kind.open(most)
	return err
}

func (w *tables) set(r *rand.Rand) (int, error) {
	n := r.IntN(2000)
	for range n {
		w.last++
		w.now.Set(keyOf(w.last), numberedOf(w.last, 0))
		w.live = append(w.live, entry{w.last, 0})
	}
	return n, nil
}

// change assigns new values to random entries.
func (w *tables) change(r *rand.Rand) (int, error) {
	n := min(len(w.live), r.IntN(2000))
	for range n {
		e := &w.live[r.IntN(len(w.live))]
		old, want := numbered{}, numberedOf(e.id, e.changes)
		e.changes++
		if oneIn(r, 2) {
			old, _ = w.now.Get(keyOf(e.id))
			w.now.Set(keyOf(e.id), numberedOf(e.id, e.changes))
		} else {
			w.now.Update(keyOf(e.id), func(v numbered, _ bool) numbered {
				old = v
				return numberedOf(e.id, e.changes)
			})
		}
		if old != want {
			return 0, damaged("entry", e.id, old)
		}
	}
	return n, nil
}

// del deletes random entries.
func (w *tables) del(r *rand.Rand) (int, error) {
	n := min(len(w.live), r.IntN(2000))
	for range n {
		i, end := r.IntN(len(w.live)), len(w.live)-1
		id := w.live[i].id
		if !w.now.Delete(keyOf(id)) || w.now.Delete(keyOf(id)) {
			return 0, fmt.Errorf("entry %d is not deleted once", id)
		}
		w.live[i] = w.live[end]
		w.live = w.live[:end]
	}
	return n, nil
}

func (w *tables) check(*rand.Rand) (int, error) { return len(w.live), agrees(w.now, w.live) }

// reads is the interface of the read operations that tables and snapshots share.
type reads interface {
	Get(string) (numbered, bool)
	Len() int
	All() iter.Seq2[string, numbered]
}

// agrees checks that a table or snapshot contains exactly the expected entries.
func agrees(t reads, want []entry) error {
	for _, e := range want {
		if v, ok := t.Get(keyOf(e.id)); !ok || v != numberedOf(e.id, e.changes) {
			return damaged("entry", e.id, v)
		}
	}
	yielded := 0
	for k, v := range t.All() {
		if k != keyOf(v.id) || v != numberedOf(v.id, v.changes) {
			return damaged("entry under "+strconv.Quote(k), v.id, v)
		}
		yielded++
	}
	if yielded != len(want) || t.Len() != len(want) {
		return fmt.Errorf("the table yields %d entries, its Len is %d, and %d were set", yielded, t.Len(), len(want))
	}
	return nil
}

func (w *tables) reset(*rand.Rand) (int, error) {
	w.now.Clear()
	w.live = w.live[:0]
	return 1, nil
}

// copy replaces the table with its clone.
func (w *tables) copy(*rand.Rand) (int, error) {
	clone, err := w.kind.clone(w.now)
	if err != nil {
		return 0, err
	}
	w.now.Clear() // must not affect the clone
	if err := w.drop(); err != nil {
		return 0, errors.Join(err, clone.Close())
	}
	w.now = clone
	return 1, agrees(clone, w.live)
}

// save saves the table, with a probability of one in four, and replaces it with a table opened from
// the file.
func (w *tables) save(r *rand.Rand) (int, error) {
	if !oneIn(r, 4) {
		return 0, nil
	}
	folder, err := os.MkdirTemp("", "soak")
	if err != nil {
		return 0, err
	}
	path := filepath.Join(folder, "table")
	if err := w.now.Save(path); err != nil {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	opened, err := w.kind.file(path)
	if err != nil {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	if err := w.drop(); err != nil {
		return 0, errors.Join(err, opened.Close(), os.RemoveAll(folder))
	}
	w.now, w.folder = opened, folder
	return 2, opened.Verify()
}

// close closes the table, with a probability of one in four. The next round opens a new one.
func (w *tables) close(r *rand.Rand) (int, error) {
	if !oneIn(r, 4) {
		return 0, nil
	}
	w.live = w.live[:0]
	return 1, w.drop()
}

// drop closes the table and removes its file.
func (w *tables) drop() error {
	var err error
	if w.now != nil {
		err = w.now.Close()
	}
	if w.folder != "" {
		err = errors.Join(err, os.RemoveAll(w.folder))
	}
	w.now, w.folder = nil, ""
	return err
}

func (w *tables) end() error {
	var errs []error
	for _, s := range w.earlier {
		errs = append(errs, s.held.Close())
	}
	w.earlier = nil
	return errors.Join(append(errs, w.drop())...)
}

// A snapshot contains a Snapshot of a btree.Map, and the entries that it must contain.
type snapshot struct {
	held *btree.Snapshot[string, numbered]
	want []entry
}

// mostSnapshots is the maximum number of snapshots that are open at the same time.
const mostSnapshots = 4

func (w *tables) snapshot(r *rand.Rand) (int, error) {
	if len(w.earlier) == mostSnapshots {
		return w.release(r)
	}
	w.earlier = append(w.earlier, snapshot{w.now.(*btree.Map[string, numbered]).Snapshot(), slices.Clone(w.live)})
	return 1, nil
}

// changeWhileRead changes the table while other goroutines read its snapshots.
func (w *tables) changeWhileRead(r *rand.Rand) (n int, err error) {
	var readers sync.WaitGroup
	errs := make([]error, len(w.earlier))
	for i, s := range w.earlier {
		readers.Go(func() { errs[i] = agrees(s.held, s.want) })
	}
	for _, step := range []func(*rand.Rand) (int, error){w.set, w.change, w.del} {
		some, stepErr := step(r)
		n, err = n+some, errors.Join(err, stepErr)
	}
	readers.Wait()
	return n, errors.Join(append(errs, err)...)
}

// release closes a random snapshot, after checking that it is unchanged.
func (w *tables) release(r *rand.Rand) (int, error) {
	if len(w.earlier) == 0 {
		return 0, nil
	}
	i, end := r.IntN(len(w.earlier)), len(w.earlier)-1
	s := w.earlier[i]
	w.earlier[i] = w.earlier[end]
	w.earlier = w.earlier[:end]
	return 1, errors.Join(agrees(s.held, s.want), s.held.Close())
}
