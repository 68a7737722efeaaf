// Package intern is the remedy that keeps one copy of equal strings:
//
//	name := string(field)
//
// becomes
//
//	name := r.interned(field)
//
// The edit adds a field internedTexts, which is a map, and the method interned to the owner r:
//
//	func (r *reader) interned(b []byte) string {
//		if len(b) > 64 {
//			return string(b)
//		}
//		if s, ok := r.internedTexts[string(b)]; ok { // the compiler copies nothing here
//			return s
//		}
//		s := string(b)
//		...
//	}
//
// A lookup with string(b) allocates nothing, so only the first of equal strings is allocated. The
// table contains at most 1,000 strings of at most 64 bytes each, because adversarial input may
// contain any number of different strings. Further strings are allocated as before. The table
// belongs to one owner and is freed with the owner, whereas a global table or package unique would
// be shared by all goroutines.
//
// The maker leaves a conversion unchanged if
//
//   - the owner is not confined to one call, is exported, or may be nil;
//   - the number of distinct strings was not measured, or is greater than mostStrings: the table
//     would fill up with strings that do not repeat;
//   - each owner allocates fewer than two strings for each distinct string: the table would not pay
//     off;
//   - a call in the same statement may change the bytes before they are read;
//   - the module imports unsafe, which can change the bytes of a shared string.
package intern

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Files, from top to bottom:
//
//	intern.go  the rule of coppice find
//	make.go    the maker: owners, and reasons against a change
//	text.go    the source of the table

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 6, Row: 1, Name: "strings that repeat", Match: repeats, Do: remedy.Words("intern")},
	},
	Removed: removed,
	Owner:   owner,
	Make:    makeTable,
}

// owner returns the first owner that is suitable for the table, or nil if none is.
func owner(_ *remedy.Program, s *site.Site) *site.Owner {
	for _, o := range remedy.OwnersOf(s) {
		if o.Unfit() == "" {
			return &o
		}
	}
	return nil
}

// removed returns the fraction of the strings that equal an earlier string. The first of several
// equal strings is still allocated.
func removed(_ *remedy.Program, s *site.Site) float64 {
	part, _ := remedy.Distinct(s)
	return 1 - part
}

// repeated is the fraction of distinct strings below which a table pays off. Each lookup computes a
// hash of the bytes, and each new string needs a map entry.
const repeated = 0.5

func repeats(p *remedy.Program, s *site.Site) []string {
	part, ok := remedy.Distinct(s)
	if s.Facts.Kind != site.ToString || !ok || part >= repeated {
		return nil
	}
	v := s.Facts.Values
	return []string{fmt.Sprintf("of %d strings, %d are distinct: a table provides the rest", v.Looked, v.Distinct), p.Lifetimes(s)}
}
