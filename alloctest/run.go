package alloctest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// ErrNotTested is wrapped by the error that Verify returns if the Allocator lacks a function that
// the test of the promise needs, or does not make the promise.
var ErrNotTested = errors.New("not tested")

// Run tests each promise of an allocator in a subtest, which is named after the type and the
// promise. Each call of open must return a new allocator; a test may call it several times. With go
// test -v, the log lists what was not tested, and why.
//
// The scale is Normal, or Short under go test -short. The environment variable ALLOCTEST_SCALE
// overrides it.
func Run[R comparable, T any](t *testing.T, open func() Allocator[R, T]) {
	t.Helper()
	scale, err := scaleOfRun()
	if err != nil {
		t.Fatal(err)
	}
	RunAt(t, scale, open)
}

// RunAt is like Run, but at the given scale.
func RunAt[R comparable, T any](t *testing.T, scale Scale, open func() Allocator[R, T]) {
	t.Helper()
	runAt(t, scale, reflect.TypeFor[T]().String(), opening(open))
}

// runAt implements RunAt for an untyped allocator. The parameter name is the name of T.
func runAt(t *testing.T, scale Scale, name string, open func() allocator) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
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
				if err := test.do(open, scale); err != nil {
					t.Error(err)
				}
			})
		}
		if not.Len() > 0 {
			t.Logf("not tested:%s", not.String())
		}
	})
}

// Verify tests one promise. It returns nil if the promise was kept, an error that wraps
// ErrNotTested if the promise cannot be tested, and otherwise an error that describes how the
// promise was broken. The scale is Short, which does not find faults that occur only at the
// 10,000th value; use VerifyAt for those.
func Verify[R comparable, T any](open func() Allocator[R, T], promise Promise) error {
	return VerifyAt(Short, open, promise)
}

// VerifyAt is like Verify, but at the given scale.
func VerifyAt[R comparable, T any](scale Scale, open func() Allocator[R, T], promise Promise) error {
	return verifyAt(scale, opening(open), promise)
}

// verifyAt implements VerifyAt for an untyped allocator.
func verifyAt(scale Scale, open func() allocator, promise Promise) error {
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
		return test.do(open, scale)
	}
	return fmt.Errorf("alloctest: invalid promise %q: must be one of the constants", string(promise))
}

// usable returns an error if a required function is missing.
func (a *allocator) usable() error {
	switch {
	case a.New == nil && a.Alloc == nil:
		return errors.New("alloctest: New and Alloc are nil; set one of them")
	case a.At == nil && a.ref != reflect.PointerTo(a.plan.of):
		return fmt.Errorf("alloctest: At is nil, and a %s is not a pointer to the value; set At", a.ref)
	}
	return nil
}

// do runs the test once for each of its seeds, until a run fails.
func (test promiseTest) do(open func() allocator, scale Scale) error {
	seeds := uint64(1)
	if test.promise == Program {
		seeds = uint64(scale.sizes().programs)
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		c := newTrial(open, test.promise, scale, seed)
		if err := c.attempt(func() { test.run(c) }); err != nil {
			return err
		}
	}
	return nil
}
