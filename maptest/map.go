package maptest

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"
)

// A Map describes a map by its functions. Set and Get must be there.
type Map[K comparable, V any] struct {
	Set func(K, V)        // gives a key a value, in the place of the one that it had
	Get func(K) (V, bool) // returns the value of a key, and whether it has one
	Len func() int        // returns the count of keys
	All func() iter.Seq2[K, V]

	Delete   func(K) bool         // takes a key away, and tells whether it was there
	GetOrSet func(K, V) (V, bool) // returns the value of a key and true, or sets it and returns it and false
	Clear    func()               // takes all keys away
	Close    func() error         // is called once for each map, by the kit

	Clone  func() (Map[K, V], error) // returns a copy, apart from the original
	Reopen func() (Map[K, V], error) // saves the map to a file and opens that as another map; the original remains

	Compare func(a, b K) int // if All yields keys in order, the order
	Changes bool             // the map may be changed in a loop over All, with what Go promises of its maps
	Forgets bool             // keys may be missing at any time, as in a cache
	Room    int              // the greatest count of keys; 0 stands for any

	Key   func(i int) K // returns another key for each i; nil stands for keys that the kit makes
	Value func(i int) V // returns values; nil stands for values that the kit makes
}

// ErrNotTested is wrapped by the error of Verify if the Map lacks a function that the test of the
// promise needs, or does not make the promise.
var ErrNotTested = errors.New("not tested")

// Run tests every promise of a map in a subtest of its own, named after the types and the promise.
// open returns a new map each time. What was not tested, and why, is in the log (go test -v).
func Run[K comparable, V any](t *testing.T, open func() Map[K, V]) {
	t.Helper()
	run(t, fmt.Sprintf("%v to %v", reflect.TypeFor[K](), reflect.TypeFor[V]()), func(p Promise, count int) error { return verify(open, p, count) })
}

func run(t *testing.T, name string, verify func(Promise, int) error) {
	t.Helper()
	count := mostKeys
	if testing.Short() {
		count = shortKeys
	}
	t.Run(name, func(t *testing.T) {
		var not strings.Builder
		for _, p := range Promises() {
			err := verify(p, count)
			if errors.Is(err, ErrNotTested) {
				fmt.Fprintf(&not, "\n\t%s: %v", p, err)
				continue
			}
			t.Run(string(p), func(t *testing.T) {
				if err != nil {
					t.Error(err)
				}
			})
		}
		if not.Len() > 0 {
			t.Logf("not tested:%s", not.String())
		}
	})
}

// How many keys a map sees: in Run, in Verify, and in Run under go test -short.
const (
	mostKeys  = 6_000
	fewKeys   = 2_000
	shortKeys = 500
)

// Verify tests one promise with few keys, and returns what is broken. A panic of the map is an
// error too.
func Verify[K comparable, V any](open func() Map[K, V], p Promise) error {
	return verify(open, p, fewKeys)
}

func verify[K comparable, V any](open func() Map[K, V], p Promise, count int) error {
	t := &trial{open: func() anyMap { return erased(open()) }, count: count}
	t.keys, t.values, t.zero = reflect.TypeFor[K](), reflect.TypeFor[V](), *new(V)
	return t.verify(p)
}

func (t *trial) verify(p Promise) error {
	if err := t.usable(p); err != nil {
		return err
	}
	err := t.run(p)
	for _, m := range t.opened {
		if m.Close != nil {
			if closed := t.guarded(m.Close); closed != nil && err == nil {
				err = broken("Close: %w", closed)
			}
		}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("broken promise: %s\n\t%w\n\tkeys: %d, seed: %d%s", p, err, t.count, seed, t.history())
}
