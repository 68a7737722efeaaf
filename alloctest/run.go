package alloctest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// ErrNotTested is what the error of Verify wraps if the allocator has not what the
// promise is tested with, or does not make it.
var ErrNotTested = errors.New("not tested")

// Run tests every promise of an allocator in a subtest of its own, named after the type
// and the promise. open returns a fresh allocator each time; it is called more than once
// in a test. What was not tested, and why, is in the log (go test -v).
func Run[R comparable, T any](t *testing.T, open func() Allocator[R, T]) {
	t.Helper()
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		a := open()
		if err := a.usable(); err != nil {
			t.Fatal(err)
		}
		if a.Release != nil {
			defer a.Release()
		}
		var not strings.Builder
		for _, test := range tests(&a) {
			if !test.made {
				fmt.Fprintf(&not, "\n\t%s: %s", test.promise, test.why)
				continue
			}
			t.Run(test.promise.String(), func(t *testing.T) {
				if err := test.do(open, testing.Short()); err != nil {
					t.Error(err)
				}
			})
		}
		if not.Len() > 0 {
			t.Logf("not tested:%s", not.String())
		}
	})
}

// Verify tests one promise and returns an error that says how it was broken, nil if it
// was kept, and one that wraps ErrNotTested if it cannot be tested.
func Verify[R comparable, T any](open func() Allocator[R, T], promise Promise) error {
	a := open()
	if err := a.usable(); err != nil {
		return err
	}
	if a.Release != nil {
		defer a.Release()
	}
	for _, test := range tests(&a) {
		if test.promise != promise {
			continue
		}
		if !test.made {
			return fmt.Errorf("alloctest: %s is %w: %s", promise, ErrNotTested, test.why)
		}
		return test.do(open, true)
	}
	return fmt.Errorf("alloctest: %q is no promise; take one of the constants", string(promise))
}

// usable says what is missing from the description.
func (a *Allocator[R, T]) usable() error {
	_, pointers := any(*new(R)).(*T)
	switch {
	case a.New == nil && a.Put == nil:
		return errors.New("alloctest: New and Put are nil; set one of them")
	case a.At == nil && !pointers:
		return fmt.Errorf("alloctest: At is nil, and a %s is no pointer to the value; set At", reflect.TypeFor[R]())
	}
	return nil
}

// do runs the test with its seeds until one fails.
func (test promiseTest[R, T]) do(open func() Allocator[R, T], short bool) error {
	seeds := uint64(1)
	if test.promise == Program && !short {
		seeds = 10
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		c := newTrial(open, test.promise, seed)
		c.short = short
		if err := c.attempt(func() { test.run(c) }); err != nil {
			return err
		}
	}
	return nil
}
