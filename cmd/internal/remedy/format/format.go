// Package format is the remedy that formats text with strconv and concatenation instead of package
// fmt:
//
//	return fmt.Sprintf("%s:%d", host, port)
//
// becomes
//
//	return host + ":" + strconv.Itoa(port)
//
// A call that prints to a strings.Builder becomes several calls to WriteString:
//
//	fmt.Fprintf(&b, "%d=%d ", i, n)
//
// becomes
//
//	b.WriteString(strconv.Itoa(i))
//	b.WriteString("=")
//	b.WriteString(strconv.Itoa(n))
//	b.WriteString(" ")
//
// Package fmt parses the format on each call, and its operands are passed as interfaces, which
// copies most of them to the Go heap. The output is identical byte for byte.
//
// The maker leaves a call unchanged if
//
//   - the type of an operand has methods that fmt may call (Formatter, Stringer, error), in any
//     build of the module;
//   - a verb has a flag or a width;
//   - a call in the same statement may change an operand, because the order of evaluation would
//     differ;
//   - the writer is neither a strings.Builder nor a bytes.Buffer.
package format

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Files, from top to bottom:
//
//	format.go  the rule of coppice find
//	make.go    the maker
//	write.go   a call with a writer, or with a slice to append to
//	words.go   the new text of an operand
//	order.go   what may happen while operands are evaluated

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 2, Row: 3, Name: "fmt produces a string that strconv can produce", Match: plainText, Do: remedy.Words("text without fmt")},
	},
	Removed: removed,
	Untyped: true,
	Holds:   voidUnlessBoxed,
	Make:    withoutFmt,
}

// plainText is the rule. It matches a call to package fmt whose operands have no methods and whose
// verbs have no flags. It matches both the site of the formatted string and the site of each boxed
// operand.
func plainText(_ *remedy.Program, s *site.Site) []string {
	if s.Facts.Plain == "" {
		return nil
	}
	why := []string{"the operands have types that fmt only prints: " + s.Facts.Plain + " makes the same string"}
	if s.Facts.Kind == site.Box {
		why = append(why, "the operand is copied to the Go heap, because fmt takes it as an interface")
	}
	if s.Formatting > 0 {
		why = append(why, fmt.Sprintf("package fmt itself takes %s of the CPU time for this line, besides malloc", remedy.Percent(s.Formatting)))
	}
	return why
}

// voidUnlessBoxed makes the estimate void if no operand is boxed. In that case, the change saves no
// allocation, but only time in package fmt, which is not estimated.
func voidUnlessBoxed(p *remedy.Program, e *site.Estimate, sites []*site.Site) {
	if !slices.ContainsFunc(sites, func(s *site.Site) bool { return removed(p, s) > 0 }) {
		e.Void = append(e.Void, "the string needs the same memory; only the work of fmt is saved, which no estimate includes")
	}
}

// removed returns 1 for boxed operands, and 0 for the formatted string, which is still allocated.
func removed(_ *remedy.Program, s *site.Site) float64 {
	if s.Facts.Kind == site.Box || s.Facts.Kind == site.Variadic {
		return 1
	}
	return 0
}
