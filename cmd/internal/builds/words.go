package builds

import (
	"cmp"
	"context"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/packages"
)

// The value of a constant, and therefore the length of an array, may depend on the size of an int,
// as in ^uint(0), math.MaxInt and unsafe.Sizeof. In this case, the results for one build do not
// apply to builds with a different word size.

// wide lists the names of constants and functions that depend on the word size.
var wide = []string{"MaxInt", "MinInt", "MaxUint", "UintSize", "IntSize", "Sizeof", "Offsetof", "Alignof", "GOARCH"}

// HasWords reports whether a Go file may contain a constant that depends on the word size. Comments
// are ignored.
func HasWords(name string) bool {
	data, err := os.ReadFile(name)
	if err != nil {
		return true
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(data)), data, func(token.Position, string) {}, 0)
	operand := false // the previous token ends an operand
	for {
		_, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return false
		case tok == token.XOR && !operand, tok == token.IDENT && slices.Contains(wide, text), tok == token.STRING && text == `"syscall"`:
			return true
		}
		operand = tok.IsLiteral() || tok == token.RPAREN || tok == token.RBRACK || tok == token.RBRACE
	}
}

// HasWords reports whether any file of the inspected packages, in any build, may contain a constant
// that depends on the word size.
func (s *Set) HasWords() bool {
	return slices.ContainsFunc(s.look, func(f *folder) bool { return slices.ContainsFunc(s.FilesOf(f.path), HasWords) })
}

// mostOther limits the number of builds with a different word size that are tried. At most
// mostOther builds without cgo are tried, and then at most mostOther builds with cgo.
const mostOther = 4

// AddOtherWords adds the closest configuration with a different word size in which the changed
// packages compile, if there is one. Configurations without cgo are preferred, because with cgo the
// types of C declarations are unknown.
func (s *Set) AddOtherWords(ctx context.Context) error {
	for _, c := range s.otherWords() {
		b, err := s.loadBefore(ctx, c)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil && s.compiles(b):
			s.add(c)
			return nil
		}
	}
	return nil
}

// otherWords returns the closest configurations with a different word size. Configurations without
// cgo come first.
func (s *Set) otherWords() (others []Config) {
	width := func(c Config) int64 { return types.SizesFor("gc", c.GOARCH).Sizeof(types.Typ[types.Int]) }
	for _, cgo := range []bool{false, true} {
		all := slices.DeleteFunc(s.rules.machines(), func(c Config) bool { return c.Cgo != cgo || c.Level != "" || width(c) == width(s.Present) })
		slices.SortStableFunc(all, func(a, b Config) int { return cmp.Compare(s.rules.distance(a), s.rules.distance(b)) })
		others = append(others, all[:min(mostOther, len(all))]...)
	}
	return others
}

// add adds a configuration to the set, unless the set already contains it.
func (s *Set) add(c Config) {
	if slices.ContainsFunc(s.Configs, func(known Config) bool { return known.String() == c.String() }) {
		return
	}
	s.Configs = append(s.Configs, c)
	for _, file := range s.Left {
		if s.rules.takes(c, file.class) {
			file.Configs = append(file.Configs, c)
		}
	}
}

// compiles reports whether all changed packages exist and compile in a configuration.
func (s *Set) compiles(b *loading) bool {
	for path := range s.change {
		if !slices.ContainsFunc(b.roots, func(p *packages.Package) bool {
			return p.PkgPath == path && p.ForTest == "" && b.broken[p] == "" && !p.IllTyped
		}) {
			return false
		}
	}
	return true
}
