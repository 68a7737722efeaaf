package flatlayout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// text returns a schema with a root sum S of one record R, which has the given fields.
func text(fields ...string) string {
	return "flat 1\nroot S\nsum S R\nstruct P\n X uint32\n Y &S\nrecord R\n " + strings.Join(fields, "\n ") + "\n"
}

func place(t *testing.T, text string) *Layout {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Place()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestPlaces verifies the positions of fields that docs/FLAT.md specifies.
func TestPlaces(t *testing.T) {
	l := place(t, text("A bool", "B uint16", "C int8", "D float64", "E ?uint8", "F string", "G P", "H [5]uint8", "I []&S", "J []P", "K ?string"))
	b := l.Records[1]
	var got []string
	got = slices.Grow(got, len(b.Places))
	for _, p := range b.Places {
		got = append(got, fmt.Sprintf("%s %d %v %v %v", p.Name, p.Word, p.Small, p.Present, p.Count))
	}
	want := []string{
		"A 0 {0 8 1} {0 0 0} {0 0 0}",   // the header's first free bit
		"B 0 {0 9 16} {0 0 0} {0 0 0}",  // up to bit 25
		"C 0 {1 0 8} {0 0 0} {0 0 0}",   // 7 bits are left: a new word
		"D 2 {0 0 0} {0 0 0} {0 0 0}",   // two words
		"E 0 {1 8 8} {0 25 1} {0 0 0}",  // its presence still fits into the header
		"F 4 {0 0 0} {0 0 0} {0 0 0}",   //
		"G 5 {0 0 0} {0 0 0} {0 0 0}",   // two words
		"H 7 {0 0 0} {0 0 0} {0 0 0}",   // five bytes: two words
		"I 0 {0 0 0} {0 0 0} {9 0 32}",  // 6 bits of the header are too few
		"J 0 {0 0 0} {0 0 0} {10 0 32}", //
		"K 11 {0 0 0} {0 0 0} {0 0 0}",  //
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || b.Words != 12 || b.Lists != 2 {
		t.Errorf("%d words, %d lists:\n%s\nwant\n%s", b.Words, b.Lists, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	l = place(t, text("A uint16", "I []&S"))
	if p := l.Records[1].Places[1]; p.Count != (Bits{0, 24, 8}) || !p.Escapes || l.Records[1].Words != 1 {
		t.Errorf("%+v", p)
	}
}

// TestBaseTypes verifies properties of the table of base types that the code relies on.
func TestBaseTypes(t *testing.T) {
	for b := Bool; b < Ref; b++ {
		info := b.Info()
		if back, ok := named(info.Name); !ok || back != b || b.String() != info.Name {
			t.Errorf("%s is %v by its name", b, back)
		}
		if back, ok := OfGo(info.Go); !ok || back != b {
			t.Errorf("%s is %v by its Go type %s", b, back, info.Go)
		}
		wide, ok := OfGo(info.Basic)
		switch {
		case info.Item%8 != 0 || info.Bits > info.Item || info.Bits < info.Item && info.Class == Floating:
			t.Errorf("%s has %d bits, and %d as an item", b, info.Bits, info.Item)
		case !b.IsNarrow():
		case !ok || wide.Info().Class != info.Class || wide.Bits() != 32 || wide.Info().Cpp != info.Cpp || info.Item != 32 || info.Bits >= 32:
			t.Errorf("values of %s, with %d bits, are %s", b, info.Bits, info.Basic)
		}
	}
	if Ref.IsScalar() || Optional.IsSmall() || Slice.Bits() != 0 || Ref.String() != "base 15" {
		t.Errorf("what is no row of the table is %+v", *Ref.Info())
	}
}

// A 24-bit field shares the header word with the kind.
func TestNarrowPlaces(t *testing.T) {
	l := place(t, text("A uint24", "B int24", "C uint8", "D []int24", "E [3]uint24", "F ?uint24"))
	b := l.Records[1]
	bits, words := l.Item(Type{Base: Int24})
	if b.Places[0].Small != (Bits{0, 8, 24}) || b.Places[1].Small != (Bits{1, 0, 24}) || b.Places[2].Small != (Bits{1, 24, 8}) ||
		b.Places[3].Count != (Bits{3, 0, 32}) || b.Places[4].Word != 4 || b.Places[5].Small != (Bits{2, 1, 24}) || b.Places[5].Present != (Bits{2, 0, 1}) ||
		b.Words != 7 || bits != 32 || words != 1 {
		t.Errorf("%d words, items of %d bits: %+v", b.Words, bits, b.Places)
	}
}

func TestParseRefuses(t *testing.T) {
	many := "flat 1\nroot R0\nsum S R0\n"
	for i := range 256 {
		many += fmt.Sprintf("record R%d\n", i)
	}
	for want, text := range map[string]string{
		"is empty":                                 "",
		"is not the format":                        "flat 2\n",
		"more than 1048576":                        strings.Repeat("flat 1\n", 200_000),
		"256 records, more than 255":               many,
		"is not in its normal form":                "flat 1\nsum S R\nroot S\nrecord R\n",
		"line 2: empty":                            "flat 1\n\n",
		"is not a declaration":                     "flat 1\nroute S\n",
		"is not a version":                         "flat 1\nversion 0\n",
		"is not a name":                            "flat 1\nroot 1\n",
		"is not a field":                           "flat 1\n A int8\n",
		"root \"S\" is neither":                    "flat 1\nroot S\n",
		"is not a record, or is duplicated":        "flat 1\nroot S\nsum S R R\nrecord R\n",
		"R is declared twice":                      "flat 1\nroot S\nsum S R\nrecord R\nrecord R\n",
		"struct P has no field":                    "flat 1\nroot R\nstruct P\nrecord R\n",
		"field R.A is declared twice":              text("A int8", "A int8"),
		"Q is not a struct":                        text("A Q"),
		"Q is neither a sum nor a record":          text("A &Q"),
		"an optional &S":                           text("A ?&S"),
		"[]int8 inside another type":               text("A [][]int8"),
		"?int8 inside another type":                text("A [2]?int8"),
		"is not an array length":                   text("A [0]int8"),
		"is not a type":                            text("A int-8"),
		"a type nested in 32 others":               text("A " + strings.Repeat("[1]", 40) + "int8"),
		"uint32x is not a struct":                  text("A uint32x"),
		"uint0 is not a struct":                    text("A uint0"),
		"int33 is not a struct":                    text("A int33"),
		"schema text, line 2: \"sum S\" is not a ": "flat 1\nsum S\n",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	for want, text := range map[string]string{
		"struct P holds itself":     "flat 1\nroot R\nstruct P\n A P\nrecord R\n",
		"struct Q holds itself":     "flat 1\nroot R\nstruct Q\n A []Q\nrecord R\n", // its items would contain items without end
		"has more than 65535 words": text("A [65535]uint64"),
		"R has more than 65535":     text("A [65535]uint32", "B uint32"),
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Place(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// Fields of a few bits share words like 8-bit fields. A slice in a struct takes two words: its
// length and the distance to its items.
func TestPlacesOfWidthsAndOfSlicesInStructs(t *testing.T) {
	s, err := Parse("flat 1\nroot R\nstruct P\n K uint3\n L []&R\nstruct Q\n P [2]P\nrecord R\n A uint5\n B int31\n C uint12\n P P\n Q []Q\n")
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Place()
	if err != nil {
		t.Fatal(err)
	}
	r, p, q := l.Records[1], l.Structs["P"], l.Structs["Q"]
	if r.Places[0].Small != (Bits{0, 8, 5}) || r.Places[1].Small != (Bits{1, 0, 31}) || r.Places[2].Small != (Bits{0, 13, 12}) {
		t.Errorf("small fields are at %+v", r.Places[:3])
	}
	if p.Words != 3 || p.Places[1].Count != (Bits{1, 0, 32}) || !p.Places[1].Nested || !p.Nested {
		t.Errorf("struct P is %+v", p)
	}
	if q.Words != 6 || q.Lists != 0 || !q.Nested || r.Words != 6 || r.Lists != 1 || !r.Places[4].Nested || r.Places[4].Escapes || r.Places[3].Word != 2 {
		t.Errorf("struct Q is %+v, record R %+v", q, r)
	}
}

func TestExtends(t *testing.T) {
	old := "flat 1\nroot S\nshare\nsum S A B\nstruct P\n X int8\nrecord A\n P P\nrecord B\n N []&S\n"
	old = strings.Replace(old, "root S\nshare", "share\nroot S", 1)
	for change, want := range map[[2]string]string{
		{"", ""}:                               "",
		{" X int8\n", " X int8\n Y bool\n"}:    "",
		{" N []&S\n", " N []&S\nrecord C\n"}:   "",
		{"share\n", ""}:                        "allows a node to have several parents",
		{"root S", "root A"}:                   "the root was S, but is now A",
		{"sum S A B", "sum S A"}:               "B is no longer a variant of S",
		{" X int8\n", " X int16\n"}:            "field P.X was int8, but is now int16",
		{" X int8\n", " Y bool\n X int8\n"}:    "field P.X was renamed, removed or moved",
		{"record A\n", "record C\nrecord A\n"}: "variant A, the declaration number 1, was renamed, removed or moved",
		{" P P\n", ""}:                         "field A.P was renamed, removed or moved",
	} {
		now, err := Parse(strings.Replace(old, change[0], change[1], 1))
		if err != nil {
			t.Fatal(err)
		}
		was, err := Parse(old)
		if err != nil {
			t.Fatal(err)
		}
		if err := now.Extends(was); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", change, err, want)
		}
	}
}

// FuzzParse verifies that Parse either rejects a text or returns a schema that prints as the same
// text. Place must not panic.
func FuzzParse(f *testing.F) {
	f.Add(text("A bool", "E ?uint8", "G P", "H [5]uint8", "I []&S", "K ?string"))
	f.Add("flat 1\nversion 3\nshare\nroot R\nrecord R\n A [2][3]bytes\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if s.Text() != text {
			t.Errorf("%q is printed as %q", text, s.Text())
		}
		if l, err := s.Place(); err == nil && len(l.Records) != len(s.Records)+1 {
			t.Errorf("%d records are placed of %d", len(l.Records)-1, len(s.Records))
		}
	})
}

// A checked schema finds names in an index. With a linear search, the total time would be quadratic
// in the length of the schema.
func TestNamesAreIndexed(t *testing.T) {
	s, err := Parse(text("A bool"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	if s.index == nil || len(s.index.sums) != 1 || len(s.index.structs) != 1 || len(s.index.records) != 1 {
		t.Fatalf("the index is %+v; want one sum, one struct and one record", s.index)
	}
	if s.KindOf("R") != 1 || s.StructOf("P") != &s.Structs[0] || s.SumOf("S") != &s.Sums[0] || s.KindOf("P") != 0 {
		t.Error("the index does not find what it has")
	}
}
