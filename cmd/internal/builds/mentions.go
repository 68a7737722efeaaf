package builds

import (
	"context"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"slices"
)

// A Mention is a name in a file that no type checker has seen.
type Mention struct {
	Name string
	File string // absolute
	Line int
}

// String returns file:line and the name.
func (m Mention) String() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Name) }

// Unchecked returns the left-out files that some configuration does not judge. There are three
// reasons: no configuration includes the file, it would require more than Most configurations, or
// its package, as it is on disk, does not compile in one of the configurations that include it.
func (s *Set) Unchecked(ctx context.Context) (files []*File, err error) {
	judged := make([]map[string]bool, len(s.Configs)) // file names
	err = each(ctx, s.Configs, func(ctx context.Context, i int, c Config) error {
		b, err := s.loadBefore(ctx, c)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil { // nothing is judged in this configuration
			return nil
		}
		judged[i] = map[string]bool{}
		for _, p := range b.roots {
			for _, name := range p.CompiledGoFiles {
				judged[i][name] = judged[i][name] || b.broken[p] == "" && !p.IllTyped
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range s.Left {
		all := f.Why == ""
		for i, c := range s.Configs {
			all = all && (judged[i][f.Name] || !s.rules.takes(c, f.class))
		}
		if !all {
			files = append(files, f)
		}
	}
	return files, nil
}

// Mentions searches a file for names of types, functions, fields and packages. It ignores scopes:
// each identifier with one of the names is a Mention. The file need not parse. Names in comments
// and strings are ignored.
func Mentions(name string, names ...string) (all []Mention, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file := token.NewFileSet().AddFile(name, -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, func(token.Position, string) {}, 0)
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return all, nil
		case tok == token.IDENT && slices.Contains(names, text):
			all = append(all, Mention{text, name, file.PositionFor(pos, false).Line})
		}
	}
}
