package golang

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// common writes an accessor for each common field of a sum. If the field is at the same position in
// all variants, the accessor reads it there. Otherwise it looks up the position by kind in a table,
// which avoids a branch that the processor would have to predict.
func (e *emitter) common(sum *schema.Sum) {
	taken := map[string]bool{"Kind": true, "IsNil": true, "String": true, "View": true, "Preorder": true, "Postorder": true, "AsAny": true}
	for _, v := range sum.Variants {
		taken["As"+v.Name] = true
	}
	for _, other := range e.Sums {
		taken["As"+other.Name] = true
	}
	for _, all := range schema.CommonFields(sum.Variants, func(name string) bool { return taken[name] }) {
		f := all[0]
		var places schema.Cases
		for i, v := range sum.Variants {
			places.Add(v, e.get(all[i]))
		}
		if len(places.Code) == 1 {
			e.commonComment(f)
			e.p("func (n %s) %s() %s { return %s }\n", sum.Name, f.Name, f.Type.Read(), places.Code[0])
			continue
		}
		table := e.unique("placesOf" + sum.Name + f.Name)
		if sum.Name == "Any" { // in a separate file, whose names are not compared with names of sums
			table = "placesInAny" + f.Name
		}
		e.placeTable(table, sum, all)
		e.commonComment(f)
		e.p("func (n %s) %s() %s {\nat := uint32(%s[n.node.Kind()])\nreturn %s\n}\n", sum.Name, f.Name, f.Type.Read(), table, e.getPlaced(f))
	}
}

func (e *emitter) commonComment(f *schema.Field) {
	e.comment("%s returns the %s field, which all variants have. It panics for nil.", f.Name, f.Name)
}

// placeTable writes the table that maps each kind to the position of a common field. The position
// is a word index. For a field that shares a word with others, it is 32 times the word index plus
// the index of the first bit.
func (e *emitter) placeTable(table string, sum *schema.Sum, all schema.CommonField) {
	places := make([]int, len(all))
	size, most := 8, 0
	for i, f := range all {
		places[i] = f.Word
		if f.Value().Base.IsSmall() {
			places[i] = 32*f.Small.Word + f.Small.Shift
		}
		most = max(most, places[i])
	}
	for most >= 1<<size {
		size *= 2
	}
	e.comment("%s says where %s is in the nodes of each kind.", table, all[0].Name)
	e.p("var %s = [256]uint%d{", table, size)
	for i, v := range sum.Variants {
		e.p("Kind%s: %d,", v.Name, places[i])
	}
	e.p("}\n")
}

// getPlaced returns the expression that reads a common field of n at the position that was looked
// up in its table.
func (e *emitter) getPlaced(f *schema.Field) string {
	t := f.Value()
	bits, width := "n.node.Word(at>>5)>>(at&31)", f.Small.Width
	switch {
	case !t.Base.IsSmall():
		return e.getAt(t, "n.node", "at")
	case t.Base == flatlayout.Bool:
		return t.As("n.node.Flag(at>>5, at&31)")
	case t.Base.IsNarrow() && t.Base.Info().Class == flatlayout.Signed:
		return fmt.Sprintf("%s(%s(%s<<%d) >> %d)", t.Go, t.Basic(), bits, 32-width, 32-width)
	case t.Base.IsNarrow():
		return fmt.Sprintf("%s(%s & %#x)", t.Go, bits, 1<<width-1)
	default: // the conversion drops the higher bits
		return fmt.Sprintf("%s(%s)", t.Go, bits)
	}
}
