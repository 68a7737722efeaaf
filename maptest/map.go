package maptest

import (
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"
)

// A Map describes a map under test by its functions. Set and Get are required. All other functions
// may be nil.
type Map[K comparable, V any] struct {
	Set func(K, V)        // sets the value of a key, replacing any existing value
	Get func(K) (V, bool) // returns the value of a key, and whether it is present
	Len func() int        // returns the number of keys
	All func() iter.Seq2[K, V]

	Delete   func(K) bool         // deletes a key, and reports whether it was present
	GetOrSet func(K, V) (V, bool) // returns the value of a key and true, or sets it and returns it and false
	Clear    func()               // deletes all keys
	Close    func() error         // is called once for each map, by the kit

	Clone  func() (Map[K, V], error) // returns an independent copy
	Reopen func() (Map[K, V], error) // saves the map to a file and opens it as another map; the original stays open

	Compare func(a, b K) int // the order, if All yields keys in order
	Changes bool             // the map may be changed in a loop over All, with the guarantees of Go's maps
	Forgets bool             // keys may be missing at any time, as in a cache
	Room    int              // the maximum number of keys; 0 means no limit

	Key   func(i int) K // returns a different key for each i; nil means keys made by the kit
	Value func(i int) V // returns values; nil means values made by the kit
}

// ErrNotTested is wrapped by the error that Verify returns if a promise was not tested, because the
// Map lacks a necessary function or does not make this promise.
var ErrNotTested = errors.New("not tested")

// Run tests each promise of a map in a subtest, whose name contains the types and the promise. The
// function open returns a new map each time. The log lists the promises that were not tested, with
// the reasons (go test -v).
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

// These are the numbers of keys in a map: for Run, for Verify, and for Run under go test -short.
const (
	mostKeys  = 6_000
	fewKeys   = 2_000
	shortKeys = 500
)

// Verify tests one promise with a small number of keys, and returns an error if the promise is
// broken. If the map panics, Verify returns the panic as an error.
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
