package alloctest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
)

// TestPlain verifies that the simplest possible allocator passes the conformance tests with values
// of many types.
func TestPlain(t *testing.T) {
	alloctest.RunAt(t, alloctest.Short, plains[byte])
	alloctest.RunAt(t, alloctest.Short, plains[struct{}])
	alloctest.Run(t, plains[alloctest.Node])
	alloctest.RunAt(t, alloctest.Short, plains[everyKind])
	if !testing.Short() {
		alloctest.RunAt(t, alloctest.Short, plains[[1 << 18]byte])
	}
	alloctest.RunAt(t, alloctest.Short, variables[byte])
	alloctest.RunAt(t, alloctest.Short, variables[alloctest.Node])
}

// everyKind has a field of every kind that the kit fills, and of the kinds that it leaves alone.
type everyKind struct {
	Bool    bool
	Int     int8
	Uint    uintptr
	Float   float32
	Complex complex64
	Bytes   [11]byte
	Array   [2]struct{ s []string }
	_       int16
	None    struct{}
	Pointer **everyKind
	Error   error
	Any     any
	Map     map[string]int
	Chan    chan int
	Func    func()
}

// TestEveryPromiseCanBreak verifies that each promise is really tested: an allocator with one fault
// must fail the test of its promise, with a message that names the promise, the preceding calls and
// the seed.
func TestEveryPromiseCanBreak(t *testing.T) {
	for promise, spoil := range mutants {
		t.Run(promise.String(), func(t *testing.T) {
			err := alloctest.Verify(func() described {
				p := newPlain[node](1 << 30)
				a := p.described()
				spoil(p, &a)
				return a
			}, promise)
			if err == nil {
				t.Fatal("the test of the promise passes on an allocator that breaks it")
			}
			for _, want := range []string{"broken promise: " + string(promise), "after: ", "seed: 1"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the message %q does not say %q", err, want)
				}
			}
			if err := alloctest.Verify(plains[node], promise); err != nil {
				t.Errorf("the sound allocator: %v", err)
			}
		})
	}
}

func TestVerifyRefuses(t *testing.T) {
	if err := alloctest.Verify(plains[byte], "Fast"); err == nil || !strings.Contains(err.Error(), "invalid promise") {
		t.Errorf("an unknown promise gave %v", err)
	}
	if err := alloctest.Verify(plains[byte], alloctest.Reachable); !errors.Is(err, alloctest.ErrNotTested) {
		t.Errorf("a promise of pointers for a type without gave %v", err)
	}
	nothing := func() alloctest.Allocator[int, byte] { return alloctest.Allocator[int, byte]{} }
	if err := alloctest.Verify(nothing, alloctest.Kept); err == nil || !strings.Contains(err.Error(), "New and Alloc are nil") {
		t.Errorf("an empty description gave %v", err)
	}
	nameless := func() alloctest.Allocator[int, byte] {
		return alloctest.Allocator[int, byte]{Alloc: func(byte) int { return 0 }}
	}
	if err := alloctest.Verify(nameless, alloctest.Kept); err == nil || !strings.Contains(err.Error(), "set At") {
		t.Errorf("a description without At gave %v", err)
	}
}

// TestFailuresComeAgain verifies that failures are reproducible: two runs on the same faulty
// allocator report the same message.
func TestFailuresComeAgain(t *testing.T) {
	run := func() string {
		calls := 0
		return alloctest.Verify(func() described {
			p := newPlain[node](1 << 30)
			a := p.described()
			a.Delete = func(name int) {
				if calls++; calls < 5 {
					p.Delete(name)
				}
			}
			return a
		}, alloctest.Program).Error()
	}
	if first, second := run(), run(); first != second {
		t.Errorf("one run said\n%s\nand the next\n%s", first, second)
	}
}

// TestMisaligned verifies that the alignment of every value is checked. In the faulty allocators
// the first value is aligned, and later ones are not.
func TestMisaligned(t *testing.T) {
	for _, size := range []int{1, 2} {
		if err := alloctest.Verify(shifted(size), alloctest.Aligned); err == nil {
			t.Errorf("numbers of 4 bytes that are %d bytes off pass", size)
		}
	}
	if err := alloctest.Verify(shifted(4), alloctest.Aligned); err != nil {
		t.Error(err)
	}
}
