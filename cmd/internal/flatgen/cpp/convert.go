package cpp

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A moves generates a header's move tables, with which programs convert records. A move describes
// how one value is converted from an earlier layout to the newest layout.
type moves struct {
	*emitter
	from, to *flatlayout.Layout
	prefix   string
	arrays   int
}

// conversions writes the moves for all record kinds of an earlier version.
func (e *emitter) conversions(old *flatlayout.Layout, prefix string) {
	c := &moves{emitter: e, from: old, to: e.Layout, prefix: prefix}
	rows := []string{"    {},"}
	for kind := 1; kind < len(old.Records); kind++ {
		from, to := old.Records[kind], e.Layout.Records[kind]
		rows = append(rows, fmt.Sprintf("    {%d, %d, %s},", from.Words, to.Words, c.array(c.block(from, to))))
	}
	e.p("\ninline constexpr f::conversion %sconversions[] = {\n%s\n};", c.prefix, strings.Join(rows, "\n"))
}

// array writes a C++ array of moves, and returns its name, or {} if there are no moves.
func (c *moves) array(moves []string) string {
	if len(moves) == 0 {
		return "{}"
	}
	name := fmt.Sprintf("%smoves%d", c.prefix, c.arrays)
	c.arrays++
	c.p("inline constexpr f::move %s[] = {\n    %s,\n};", name, strings.Join(moves, ",\n    "))
	return name
}

func (c *moves) block(from, to *flatlayout.Block) (moves []string) {
	for i := range to.Places {
		q := &to.Places[i]
		if i >= len(from.Places) {
			moves = append(moves, c.added(q, to)...)
			continue
		}
		p := &from.Places[i]
		for _, pair := range [][2]flatlayout.Bits{{p.Present, q.Present}, {p.Small, q.Small}} {
			if a, b := pair[0], pair[1]; a.Width > 0 {
				moves = append(moves, fmt.Sprintf("{.what = f::move::bits, .from = %d, .to = %d, .from_shift = %d, .to_shift = %d, .width = %d}",
					a.Word, b.Word, a.Shift, b.Shift, a.Width))
			}
		}
		switch {
		case p.Type.Base == flatlayout.Slice && from.Inside:
			moves = append(moves, fmt.Sprintf("{.what = f::move::nested, .from = %d, .to = %d, %s}", p.Count.Word, q.Count.Word, c.items(*p.Type.Elem)))
		case p.Type.Base == flatlayout.Slice:
			moves = append(moves, fmt.Sprintf("{.what = f::move::list, .from = %d, .to = %d, .from_shift = %d, .to_shift = %d, %s}",
				p.Count.Word, q.Count.Word, p.Count.Shift, q.Count.Shift, c.items(*p.Type.Elem)))
		case p.Small.Width == 0:
			moves = append(moves, c.value(p.Value(), p.Word, q.Word)...)
		}
	}
	return moves
}

// added returns the moves that initialize a field that does not exist in the earlier layout. Slices
// in structs need such moves, because they have a position even if they are empty.
func (c *moves) added(q *flatlayout.Place, to *flatlayout.Block) []string {
	switch {
	case q.Type.Base == flatlayout.Slice && to.Inside:
		return []string{fmt.Sprintf("{.what = f::move::empty, .to = %d}", q.Count.Word)}
	case q.Type.Base == flatlayout.Slice || !c.to.HasNested(q.Type):
		return nil
	default:
		return c.addedValue(q.Type, q.Word)
	}
}

// addedValue is like added, but for a struct or an array that starts at a word.
func (c *moves) addedValue(t flatlayout.Type, word int) (moves []string) {
	if t.Base == flatlayout.Array {
		bits, _ := c.to.Item(*t.Elem)
		return []string{fmt.Sprintf("{.what = f::move::array, .to = %d, .count = %d, .to_item = %d, .moves = %s}", word, t.Len, bits, c.array(c.addedValue(*t.Elem, 0)))}
	}
	b := c.to.Structs[t.Name]
	for i := range b.Places {
		moves = append(moves, c.added(&b.Places[i], b)...)
	}
	return []string{fmt.Sprintf("{.what = f::move::array, .to = %d, .count = 1, .to_item = %d, .moves = %s}", word, 32*b.Words, c.array(moves))}
}

// items returns the C++ initializers that describe the items of a list in a move.
func (c *moves) items(elem flatlayout.Type) string {
	fromBits, words := c.from.Item(elem)
	toBits, _ := c.to.Item(elem)
	moves := "{}"
	if words > 0 {
		moves = c.array(c.value(elem, 0, 0))
	}
	return fmt.Sprintf(".from_item = %d, .to_item = %d, .moves = %s", fromBits, toBits, moves)
}

// value returns the moves for a value that occupies whole words.
func (c *moves) value(t flatlayout.Type, from, to int) []string {
	word := func(i int) string {
		return fmt.Sprintf("{.what = f::move::bits, .from = %d, .to = %d}", from+i, to+i)
	}
	switch t.Base {
	case flatlayout.Ref:
		return []string{fmt.Sprintf("{.what = f::move::ref, .from = %d, .to = %d}", from, to)}
	case flatlayout.Link:
		return []string{fmt.Sprintf("{.what = f::move::link, .from = %d, .to = %d}", from, to)}
	case flatlayout.Inline:
		a, b := c.from.Structs[t.Name], c.to.Structs[t.Name]
		return []string{fmt.Sprintf("{.what = f::move::array, .from = %d, .to = %d, .count = 1, .from_item = %d, .to_item = %d, .moves = %s}",
			from, to, 32*a.Words, 32*b.Words, c.array(c.block(a, b)))}
	case flatlayout.Array:
		return []string{fmt.Sprintf("{.what = f::move::array, .from = %d, .to = %d, .count = %d, %s}", from, to, t.Len, c.items(*t.Elem))}
	default:
		if t.Base.Bits() == 64 {
			return []string{word(0), word(1)}
		}
		return []string{word(0)}
	}
}
