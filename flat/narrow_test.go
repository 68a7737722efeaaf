package flat_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/flat/internal/cases/narrow"
	"github.com/coppice-go/coppice/flat/internal/cases/narrowflat"
)

// TestNarrowNumbers verifies that the smallest and the largest 24-bit integers can be stored in
// every field, and with setters.
func TestNarrowNumbers(t *testing.T) {
	tree := must(narrowflat.FromTree(extremes(), flat.LoadLimits{}))
	for name, one := range map[string]narrowflat.Tree{"built": tree, "loaded": must(narrowflat.Load(fileOf(tree.Flat()), flat.LoadLimits{})), "compact": tree.Compact()} {
		if got := must(narrowflat.ToTree(one, flat.LoadLimits{})); !reflect.DeepEqual(got, narrow.Node(extremes())) {
			t.Errorf("%s: %v", name, one)
		}
	}
	lists := tree.Root().AsLists()
	lists.SetUAt(0, flat.MaxUint24)
	lists.SetIAt(2, flat.MinInt24)
	lists.SetGridAt(0, [2]flat.Int24{-3, 3})
	lists.Span(0).SetBy(-7)
	lists.Span(0).SetEnd(nil)
	move, some := lists.Node(2).AsMove(), flat.Int24(-9)
	move.SetBack(flat.MaxInt24)
	move.SetBy(-1)
	move.SetFrom(0)
	lists.Node(6).AsOptional().SetI(&some)
	lists.Node(7).AsArrays().SetUAt(1, 5)
	again := must(narrowflat.Load(fileOf(tree.Flat()), flat.LoadLimits{})).Root().AsLists()
	end, ok := again.Span(0).End()
	i, is := again.Node(6).AsOptional().I()
	move = again.Node(2).AsMove()
	if again.UAt(0) != flat.MaxUint24 || again.IAt(2) != flat.MinInt24 || again.GridAt(0) != [2]flat.Int24{-3, 3} || again.Span(0).By() != -7 ||
		end != 0 || ok || move.Back() != flat.MaxInt24 || move.By() != -1 || move.From() != 0 || !move.Fast() || move.Level() != -1 ||
		!is || i != some || again.Node(7).AsArrays().UAt(1) != 5 {
		t.Error(again)
	}
}

// TestNarrowNumbersFitBesideTheKind verifies that the header word of a record has room for a 24-bit
// field.
func TestNarrowNumbersFitBesideTheKind(t *testing.T) {
	b := narrowflat.NewBuilder(flat.BuilderOptions{})
	if words := must(b.Finish(b.Ident(flat.MaxUint24, "x"))).NumWords(); words != 1+2 { // word 0, the header, the name
		t.Errorf("%d words", words)
	}
}

// TestNarrowNumbersAreChecked verifies that a number that does not fit in 24 bits is never stored
// in a tree. The error or panic must name the field.
func TestNarrowNumbersAreChecked(t *testing.T) {
	big, low, high := flat.Uint24(flat.MaxUint24+1), flat.Int24(flat.MinInt24-1), flat.Int24(flat.MaxInt24+1)
	for want, root := range map[string]narrow.Node{
		"flat: out of range: Ident.At is 16777216, and 24 bits hold 0 to 16777215":        &narrow.Ident{At: big},
		"flat: out of range: Move.By is -8388609, and 24 bits hold -8388608 to 8388607":   &narrow.Move{By: low},
		"flat: out of range: Move.Back is 8388608, and 24 bits hold -8388608 to 8388607":  &narrow.Move{Back: high},
		"flat: out of range: Optional.U is 16777216, and 24 bits hold 0 to 16777215":      &narrow.Optional{U: &big},
		"flat: out of range: Lists.U is 16777216, and 24 bits hold 0 to 16777215":         &narrow.Lists{U: []flat.Uint24{1, big}},
		"flat: out of range: Lists.Grid is 8388608, and 24 bits hold -8388608 to 8388607": &narrow.Lists{Grid: [][2]flat.Int24{{1, high}}},
		"flat: out of range: Arrays.I is -8388609, and 24 bits hold -8388608 to 8388607":  &narrow.Arrays{I: [2][2]flat.Int24{{}, {0, low}}},
		"flat: out of range: Span.End is 16777216, and 24 bits hold 0 to 16777215":        &narrow.Arrays{Ends: [2]narrow.Span{{End: &big}}},
		"flat: out of range: Span.By is 8388608, and 24 bits hold -8388608 to 8388607":    &narrow.Lists{Spans: []narrow.Span{{By: high}}},
	} {
		if tree, err := narrowflat.FromTree(root, flat.LoadLimits{}); !errors.Is(err, flat.ErrRange) || err.Error() != want || tree.Flat() != nil {
			t.Errorf("%v, want %s", err, want)
		}
	}
	b := narrowflat.NewBuilder(flat.BuilderOptions{})
	mustPanic(t, "narrowflat.Builder.Ident: At is 16777216, and 24 bits hold 0 to 16777215", func() { b.Ident(big, "") })
	mustPanic(t, "narrowflat.Builder.Lists: I is 8388608, ", func() { b.Lists(narrowflat.ListsFields{I: []flat.Int24{high}}) })
	mustPanic(t, "narrowflat.SpanFields: End is 16777216, ", func() { b.Lists(narrowflat.ListsFields{Spans: []narrowflat.SpanFields{{End: &big}}}) })
	tree := must(b.Finish(b.Lists(narrowflat.ListsFields{U: []flat.Uint24{1}, Spans: make([]narrowflat.SpanFields, 1), Nodes: []narrowflat.Node{b.Ident(2, "x"), b.Optional(nil, nil)}})))
	before := string(fileOf(tree.Flat())) // three records; a builder call that panics adds none
	lists := tree.Root().AsLists()
	mustPanic(t, "narrowflat.Ident.SetAt: At is 16777216, ", func() { lists.Node(0).AsIdent().SetAt(big) })
	mustPanic(t, "narrowflat.Lists.SetUAt: U is 16777216, ", func() { lists.SetUAt(0, big) })
	mustPanic(t, "narrowflat.Optional.SetI: I is -8388609, ", func() { lists.Node(1).AsOptional().SetI(&low) })
	mustPanic(t, "narrowflat.Span.SetBy: By is 8388608, ", func() { lists.Span(0).SetBy(high) })
	if string(fileOf(tree.Flat())) != before || tree.NumNodes() != 3 {
		t.Errorf("a setter that panics has changed the tree: %v", tree)
	}
}

// TestNarrowNumbersOfOldFiles verifies that files of an older version of the schema can be read
// when 24-bit fields have moved to other positions in the record.
func TestNarrowNumbersOfOldFiles(t *testing.T) {
	const record = "root R\nsum S R\nrecord R\n A bool\n U uint24\n I []int24\n O ?int24\n"
	const before, after = "flat 1\nversion 1\n" + record, "flat 1\nversion 2\n" + record + " More uint24\n X uint16\n"
	older := flatimpl.NewSchema(flatimpl.Generation5("older"), before)
	newer := flatimpl.NewSchema(flatimpl.Generation5("newer"), after, before)
	b := older.NewBuilder(flatimpl.BuilderOptions{})
	// A and the presence bit of O are in the header; U and O have a word each.
	root, w := b.Add(5)
	copy(w, []uint32{1 | 1<<8 | 1<<9 | 2<<10, 0xfffffe, 0x800000, 0xffffff, 3})
	b.Done()
	tree, err := newer.Load(fileOf((*flat.Tree)(must(b.Finish(root)))), flatimpl.LoadLimits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tree.String(), "R{A: true, U: 16777214, I: [-1, 3], O: -8388608, More: 0, X: 0}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
