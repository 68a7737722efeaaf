// Package avoidcopy is the remedy that removes a copy of a string or of bytes, so that the program
// reads the original instead.
//
// If a function exists in variants for strings and for bytes, the edit calls the variant for the
// type of the operand:
//
//	found := strings.Contains(string(b), "x")
//
// becomes
//
//	found := bytes.Contains(b, []byte("x"))
//
// A string is passed to a method that accepts strings, without a conversion:
//
//	buf.Write([]byte(s))
//
// becomes
//
//	buf.WriteString(s)
//
// Bytes are replaced only if there is something to replace:
//
//	x = bytes.ReplaceAll(x, nul, []byte("?"))
//
// becomes
//
//	if bytes.Contains(x, nul) {
//		x = bytes.ReplaceAll(x, nul, []byte("?"))
//	}
//
// A variable that contains string(b) is removed if the compiler avoids the copy wherever the
// variable is used: in a comparison, in a map lookup, in a switch over constants.
//
//	name := string(key)
//	return name == "count" || name == "sum"
//
// becomes
//
//	return string(key) == "count" || string(key) == "sum"
//
// A loop over the parts of a string does not need a slice of the parts (since Go 1.24):
//
//	for _, part := range strings.Split(s, ",") {
//
// becomes
//
//	for part := range strings.SplitSeq(s, ",") {
//
// The program never writes to such a copy, but the runtime has to allocate it, copy its bytes and
// free it.
//
// The maker leaves a copy unchanged if
//
//   - the original may change before the last use of the copy: by an assignment, by a call whose
//     effects are unknown, or by another goroutine;
//   - the result is returned, stored or passed on, so that its last use is unknown;
//   - the operand would be evaluated at a different time, and its evaluation may panic or depend on
//     a call in the same statement;
//   - a go or defer statement makes the call, which then reads the bytes later;
//   - the body of the loop would become a function, and a call in it may inspect the stack;
//   - the body of the loop appends to a slice from outside it, because the compiler puts the first
//     backing array of such a slice on the stack, but not if a function literal appends to it;
//   - the module imports unsafe, and something other than local variables is written to.
package avoidcopy

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 2, Row: 1, Name: "the library copies what may be unchanged", Match: copyingCall, Do: callWords},
		{Number: 2, Row: 2, Name: "a conversion copies what never changes", Match: copyingConversion, Do: remedy.Words("avoid the copy")},
		{Number: 6, Row: 2, Name: "strings that are kept", Match: keptStrings, Do: remedy.Words("share the input")},
	},
	Untyped: true,
	ByFate:  true,
	Costs:   costs,
	Make:    avoidCopy,
}

func copyingCall(p *remedy.Program, s *site.Site) []string {
	is, do := alternative(s.Facts.Callee)
	fate := s.Fate.Main()
	if s.Facts.Kind != site.Call || do == "" || s.Facts.Written != "" || is == lends && (fate == "result" || fate == "retained") {
		return nil
	}
	return []string{s.Facts.Callee + " " + do}
}

// costs returns the price of a proposal to avoid copies at the given sites. The parts of a string
// share memory with the string before and after the change, so only a loop over the parts has a
// price. At all other sites, the result shares memory with the operand after the change, so the
// full price applies.
func costs(_ *remedy.Program, sites []*site.Site, price []string) []string {
	var looped []string
	for _, s := range sites {
		switch is, _ := alternative(s.Facts.Callee); is {
		case iterates:
			looped = []string{loopPrice}
		case cuts:
		default:
			return price
		}
	}
	return looped
}

// loopPrice is the price of a loop over an iterator instead of a slice.
const loopPrice = "the body of a loop over an iterator becomes a function"

func callWords(_ *remedy.Program, s *site.Site) string {
	return "avoid the copy (" + remedy.Bare(s.Facts.Callee) + ")"
}

// copyingConversion implements rule 2 for conversions whose result is not kept. Rule 6 applies to
// strings that are kept.
func copyingConversion(p *remedy.Program, s *site.Site) []string {
	switch fate := s.Fate.Main(); {
	case s.Facts.Written != "", keyOfMap(s):
		return nil
	case s.Facts.Kind == site.ToBytes && fate != "result" && fate != "retained":
		return []string{"[]byte(s) copies the string", "reading needs no copy: index and range over the string, or append(buf, s...)"}
	case s.Facts.Kind == site.ToString && fate == "temporary":
		return []string{"string(b) copies the bytes, and the copy is dead before the operation ends",
			"m[string(b)], string(b) == s and a switch on string(b) copy nothing"}
	}
	return nil
}

// keyOfMap reports whether a string may be the key of a map that grows on the same line. If so, the
// key is kept, and the temporary memory that the line allocates belongs to the map.
func keyOfMap(s *site.Site) bool {
	return s.Facts.Kind == site.ToString && slices.ContainsFunc(s.Facts.Also, func(also string) bool { return strings.HasPrefix(also, string(site.MakeMap)+" ") })
}

func keptStrings(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.ToString || s.Fate.Main() != "result" || s.Facts.Refilled != "" {
		return nil
	}
	why := []string{"string(b) copies a part of the input, and the copy is kept with the result"}
	if part, ok := remedy.Distinct(s); ok {
		why = append(why, fmt.Sprintf("%s of the strings differ: a table would not help", remedy.Percent(part)))
	} else {
		why = append(why, "how many are distinct was not counted; if few are, intern them instead")
	}
	return append(why, "where the input is a string, or never changes, a part of it is a string without a copy")
}
