// Package checkfirst is the remedy that checks the first byte of a string before it parses a number
// from the string (docs/decisions/0066):
//
//	if n, err := strconv.Atoi(s); err == nil {
//		return n
//	}
//
// becomes
//
//	if n, err := atoiIfNumber(s); err == nil {
//		return n
//	}
//
// with a new function:
//
//	func atoiIfNumber(s string) (int, error) {
//		if s == "" || s[0] != '+' && s[0] != '-' && (s[0] < '0' || s[0] > '9') {
//			return 0, strconv.ErrSyntax
//		}
//		return strconv.Atoi(s)
//	}
//
// If the string is not a number, package strconv allocates an error and a copy of the string. The
// new function returns an existing error value instead. This error differs from strconv's error, so
// the program must not read it.
//
// The maker leaves a call unchanged if
//
//   - the error is used for anything but a comparison with nil: it is read, returned or passed on;
//   - the base is greater than 10, because such numbers may begin with a letter;
//   - the package already uses the name of the new function, in any build;
//   - a build may include the file of the call, but not the file with the new function.
package checkfirst

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 2, Row: 4, Name: "an error that is not read", Match: unread, Do: describe},
	},
	Subject: func(_ *remedy.Program, s *site.Site) string { return s.Facts.Callee },
	Untyped: true,
	Make:    checkFirst,
}

func unread(p *remedy.Program, s *site.Site) []string {
	if !s.Facts.Unread {
		return nil
	}
	return []string{fmt.Sprintf("what it allocates is an error that is only compared with nil: %s objects and %s bytes %s; a check of the text before the call needs none",
		remedy.Number(s.Objects), remedy.Number(s.Bytes), p.Per())}
}

func describe(_ *remedy.Program, s *site.Site) string {
	return "check first (" + remedy.Bare(s.Facts.Callee) + ")"
}
