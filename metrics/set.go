package metrics

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/coppice-go/coppice/store"
)

// A Set holds the containers that a monitor reads, by name. The zero Set is ready to use, and a nil
// Set can be read. The methods of a Set are safe for concurrent use. A Set must not be copied.
type Set struct {
	mu      sync.RWMutex
	sources map[string]Source
}

// A Reading contains the samples of one container.
type Reading struct {
	Kind    string   // "cache", "hashmap", ...; "memory" for accounts
	Name    string   // name of the container in the Set, or of the accounts
	Samples []Sample // samples of the kind's metrics; only hashmap.Indexed and Texts have metrics of values
}

// Add adds a container to the Set. The name identifies the container in the monitor. Add panics if
// the name is empty, is not valid UTF-8, or is in use, and if the Source was not created by a
// function of this package.
func (s *Set) Add(name string, source Source) {
	if name == "" || !utf8.ValidString(name) {
		panic("metrics.Set.Add: the name must be UTF-8 and not empty")
	}
	if source.read == nil {
		panic("metrics.Set.Add: the zero Source cannot be read; make one with Cache, Sharded, ShardedTexts, Symbols, Locked, Func or Latest")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.sources[name]; ok {
		panic("metrics.Set.Add: there is a container " + name + " already; choose another name, or Remove it first")
	}
	if s.sources == nil {
		s.sources = map[string]Source{}
	}
	s.sources[name] = source
}

// Remove removes a container from the Set, and reports whether the name was in use. It does not
// wait for monitors: a read in progress may still read the container, which may be closed by then.
// The caller of Remove may hold the lock of a Locked container.
func (s *Set) Remove(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.sources[name]
	delete(s.sources, name)
	return ok
}

// Read reads all containers and then the accounts of the process, each sorted by name. It does not
// hold a lock of the Set while it reads a container. If the Set is nil, Read returns only the
// accounts.
func (s *Set) Read() []Reading {
	names, sources := s.list()
	all := make([]Reading, 0, len(names))
	for i, name := range names {
		all = append(all, Reading{sources[i].kind, name, sources[i].read()})
	}
	for _, total := range totals() {
		all = append(all, Reading{accounts[0].Kind, total.Name, accounts.samples(&total)})
	}
	return all
}

// list returns the names of the containers, in sorted order, and the sources.
func (s *Set) list() (names []string, sources []Source) {
	if s == nil {
		return nil, nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name := range s.sources {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		sources = append(sources, s.sources[name])
	}
	return names, sources
}

// totals returns the accounts of the process, with unique names that are valid UTF-8.
func totals() []store.Total {
	all := store.Totals()
	for i := range all {
		all[i].Name = strings.ToValidUTF8(all[i].Name, "\uFFFD")
	}
	slices.SortStableFunc(all, func(a, b store.Total) int { return strings.Compare(a.Name, b.Name) })
	sums := all[:0]
	for _, t := range all {
		if last := len(sums) - 1; last < 0 || sums[last].Name != t.Name {
			sums = append(sums, t)
			continue
		}
		sum := &sums[len(sums)-1]
		sum.Stores += t.Stores
		sum.Reserved += t.Reserved
		sum.Committed += t.Committed
	}
	return sums
}
