package flat_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/dagflat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
)

// accept loads arbitrary bytes. If they are a valid tree, it traverses the whole tree.
func accept(f format, data []byte) error {
	_, walk, err := f.open(data, flat.LoadLimits{MaxNodes: 10_000})
	if err != nil {
		if !errors.Is(err, flat.ErrInvalid) && !errors.Is(err, flat.ErrLimit) {
			return fmt.Errorf("refused with another error: %w", err)
		}
		return nil
	}
	return walk()
}

func TestEveryTruncationIsRefused(t *testing.T) {
	for name, data := range valid() {
		for n := range data {
			if _, err := formatOf(name).load(data[:n:n], flat.LoadLimits{}); !errors.Is(err, flat.ErrInvalid) {
				t.Fatalf("%s cut to %d bytes: %v", name, n, err)
			}
		}
	}
}

// A file with one flipped bit must be rejected, or be another valid tree that can be read
// completely.
func TestEveryBitFlipIsRefusedOrATree(t *testing.T) {
	for name, data := range valid() {
		f := formatOf(name)
		for bit := range 8 * len(data) {
			if testing.Short() && bit >= 8*64 && bit%13 != 0 {
				continue // to save time, tests one bit in thirteen
			}
			data[bit/8] ^= 1 << (bit % 8)
			if err := accept(f, data); err != nil {
				t.Fatalf("%s, bit %d of byte %d flipped: %v", name, bit%8, bit/8, err)
			}
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// TestMisalignedBytesAreLoaded verifies that the data may start at any address.
func TestMisalignedBytesAreLoaded(t *testing.T) {
	for name, data := range valid() {
		room := make([]byte, len(data)+4)
		for shift := range 4 {
			copy(room[shift:], data)
			if _, err := formatOf(name).load(room[shift:shift+len(data)], flat.LoadLimits{}); err != nil {
				t.Errorf("%s, %d bytes on: %v", name, shift, err)
			}
		}
	}
}

// chain returns a tree with the given number of levels.
func chain(levels int) exprflat.Tree {
	b := exprflat.NewBuilder(flat.BuilderOptions{Nodes: levels})
	e := b.Num(1)
	for range levels - 1 {
		e = b.Bin(expr.Add, e, exprflat.Expr{})
	}
	return must(b.Finish(e))
}

func TestDepthIsBounded(t *testing.T) {
	for _, one := range []struct {
		levels, max int
		ok          bool
	}{{10_000, 0, true}, {10_001, 0, false}, {3, 3, true}, {4, 3, false}, {1, 1, true}, {2, 1, false},
		{32_766, 32_766, true}, {32_767, 32_766, false}, {40_000, 40_000, true}, {40_001, 40_000, false},
		{40_000, 32_768, false}, {32_768, 32_768, true}, {32_767, 32_767, true}, {32_768, 32_767, false}} {
		deep := chain(one.levels)
		limits := flat.LoadLimits{MaxDepth: one.max}
		_, err := exprflat.Load(fileOf(deep.Flat()), limits)
		if (err == nil) != one.ok || err != nil && !errors.Is(err, flat.ErrLimit) {
			t.Errorf("Load of %d levels, at most %d: %v", one.levels, one.max, err)
		}
		pointers, err := exprflat.ToTree(deep, limits)
		if (err == nil) != one.ok || err != nil && !errors.Is(err, flat.ErrLimit) {
			t.Errorf("ToTree of %d levels, at most %d: %v", one.levels, one.max, err)
		}
		if err == nil {
			if _, err := exprflat.FromTree(pointers, limits); err != nil {
				t.Errorf("FromTree of %d levels, at most %d: %v", one.levels, one.max, err)
			}
		}
	}
}

// manyLevels returns a million, or less in short mode.
func manyLevels() int {
	if testing.Short() {
		return 200_000
	}
	return 1_000_000
}

// Operations on a tree of a million levels must not recurse.
func TestDeepTreesNeedNoStack(t *testing.T) {
	levels := manyLevels()
	deep := chain(levels)
	if _, err := exprflat.Load(fileOf(deep.Flat()), flat.LoadLimits{MaxDepth: 1 << 30}); err != nil {
		t.Error(err)
	}
	if n := deep.Compact().NumNodes(); n != levels {
		t.Errorf("%d nodes after Compact", n)
	}
	depth := exprflat.Fold(deep, func(n exprflat.Any, done exprflat.Results[int]) int {
		if n.Kind() == exprflat.KindBin {
			return done.Of(n.AsBin().L().AsAny()) + 1
		}
		return 1
	})
	count := 0
	for range deep.Root().Preorder {
		count++
	}
	for range deep.Root().Postorder {
		count++
	}
	if depth != levels || count != 2*levels {
		t.Errorf("depth %d, %d nodes", depth, count)
	}
	if s := deep.String(); len(s) > 100_000 || !strings.Contains(s, "...") {
		t.Errorf("String returns %d bytes", len(s))
	}
}

// FromTree must end with an error if the pointers form a cycle.
func TestCyclesOfPointersEnd(t *testing.T) {
	loop := &expr.Bin{R: &expr.Num{}}
	loop.L = loop
	wide := &expr.Call{}
	wide.Args = []expr.Expr{&expr.Num{}, wide}
	for _, e := range []expr.Expr{loop, wide} {
		if _, err := exprflat.FromTree(e, flat.LoadLimits{}); !errors.Is(err, flat.ErrLimit) {
			t.Errorf("%T: %v", e, err)
		}
		if _, err := exprflat.FromTree(e, flat.LoadLimits{MaxDepth: 1 << 40 >> 10, MaxNodes: 1000}); !errors.Is(err, flat.ErrLimit) {
			t.Errorf("%T: %v", e, err)
		}
	}
	if _, err := exprflat.FromTree(&expr.Call{Fn: strings.Repeat("x", 1000)}, flat.LoadLimits{MaxBytes: 500}); !errors.Is(err, flat.ErrFull) {
		t.Errorf("too many bytes: %v", err)
	}
}

// A node may be shared, so that 40 nested pairs take a walk of 2^41 nodes. Load must limit the
// walk.
func TestSharedNodesAreBounded(t *testing.T) {
	for _, pairs := range []int{10, 40, 100} {
		b := dagflat.NewBuilder(flat.BuilderOptions{})
		e := b.Atom("a")
		for range pairs {
			e = b.Pair(e, e)
		}
		data := fileOf(must(b.Finish(e)).Flat())
		_, err := dagflat.Load(data, flat.LoadLimits{})
		if ok := pairs == 10; (err == nil) != ok || err != nil && !errors.Is(err, flat.ErrLimit) {
			t.Errorf("%d pairs: %v", pairs, err)
		}
		if _, err := dagflat.Load(data, flat.LoadLimits{MaxWalk: 2000}); !errors.Is(err, flat.ErrLimit) {
			t.Errorf("%d pairs, at most 2000 nodes: %v", pairs, err)
		}
		for name, depth := range map[string]int{"narrow": 5, "wide": 40_000} {
			_, err := dagflat.Load(data, flat.LoadLimits{MaxDepth: depth})
			if ok := pairs == 10 && depth > 10; (err == nil) != ok {
				t.Errorf("%d pairs, %s: %v", pairs, name, err)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	data := valid()["expr-call"]
	size := int64(len(data))
	for _, one := range []struct {
		limits flat.LoadLimits
		ok     bool
	}{{flat.LoadLimits{MaxBytes: size, MaxNodes: 10, MaxDepth: 4}, true}, {flat.LoadLimits{MaxBytes: size - 1}, false},
		{flat.LoadLimits{MaxNodes: 9}, false}, {flat.LoadLimits{MaxDepth: 3}, false}} {
		_, err := exprflat.Load(data, one.limits)
		_, readErr := exprflat.Read(bytes.NewReader(data), one.limits)
		if (err == nil) != one.ok || (readErr == nil) != one.ok || !one.ok && (!errors.Is(err, flat.ErrLimit) || !errors.Is(readErr, flat.ErrLimit)) {
			t.Errorf("%+v: %v, %v", one.limits, err, readErr)
		}
	}
	mustPanic(t, "exprflat.Load: a limit is negative", func() { exprflat.Load(data, flat.LoadLimits{MaxDepth: -1}) })
}

// mustPanic checks that f panics with a message that contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), want) {
			t.Errorf("panic %v, want one with %q", r, want)
		}
	}()
	f()
}

// FuzzLoad verifies that Load rejects arbitrary bytes, or that the resulting tree can be read
// completely.
func FuzzLoad(f *testing.F) {
	for name, data := range valid() {
		prefix, _, _ := strings.Cut(name, "-")
		f.Add(prefix, data)
	}
	f.Fuzz(func(t *testing.T, schema string, data []byte) {
		if one, ok := formats[schema]; ok {
			if err := accept(one, data); err != nil {
				t.Error(err)
			}
		}
		if tree, err := flat.LoadAny(data, flat.LoadLimits{MaxNodes: 10_000}); err == nil {
			if err := walkFlat(tree); err != nil {
				t.Error(err)
			}
		}
	})
}

// A schema of a few kilobytes can nest types without any fields of their own 30 levels deep and
// 65,535 times wide. It must be rejected quickly, before it keeps a reader of unknown files busy
// for hours.
func TestSchemaOfEndlessTypesIsRefused(t *testing.T) {
	var text strings.Builder
	text.WriteString("flat 1\nroot R\nstruct T0\n A uint32\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&text, "struct T%d\n A T%d\n", i, i-1)
	}
	text.WriteString("struct S\n A [65535]T29\nrecord R\n")
	for i := range 2000 {
		fmt.Fprintf(&text, " F%d []S\n", i)
	}
	var err error
	took := processorTime(func() { _, err = flat.LoadAny(fileWith(text.String()), flat.LoadLimits{}) })
	if err == nil || !strings.Contains(err.Error(), "types with more than 4194304 parts") {
		t.Errorf("it said %v", err)
	}
	if took > 30*time.Second { // usually less than a second
		t.Errorf("it took %v of the processor", took)
	}
}
