// Package avoidcopy is the remedy that reads the original instead of a copy.
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

// Remedy is the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 2, Row: 1, Name: "the library copies what may be unchanged", Match: copyingCall, Do: callWords},
		{Number: 2, Row: 2, Name: "a conversion copies what never changes", Match: copyingConversion, Do: remedy.Words("avoid the copy")},
		{Number: 6, Row: 2, Name: "strings that are kept", Match: keptStrings, Do: remedy.Words("share the input")},
	},
	Untyped: true,
	ByFate:  true,
	Make:    avoidCopy,
}

func copyingCall(p *remedy.Program, s *site.Site) []string {
	instead, ok := copying[remedy.Callee(s.Facts.Callee)]
	if s.Facts.Kind != site.Call || !ok || s.Facts.Written != "" {
		return nil
	}
	return []string{s.Facts.Callee + " " + instead}
}

func callWords(_ *remedy.Program, s *site.Site) string {
	return "avoid the copy (" + remedy.Bare(s.Facts.Callee) + ")"
}

// copyingConversion is the half of rule 2 without a call. What becomes of a string that is kept is
// rule 6.
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

// keyOfMap tells whether a string may be the key of a map that grows on the same line: it stays,
// and what dies is the map's.
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
		why = append(why, "how many differ was not counted; if few do, intern them instead")
	}
	return append(why, "where the input is a string, or never changes, a part of it is a string without a copy")
}
