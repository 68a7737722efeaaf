package builds

import (
	"context"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"slices"
)

// A Mention is an occurrence of a name in a file that was not type-checked.
type Mention struct {
	Name string
	File string // absolute path
	Line int
}

// String returns the mention in the format file:line: name.
func (m Mention) String() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Name) }

// Unchecked returns the left-out files that are not judged in at least one configuration. There are
// three reasons: no configuration includes the file, it would require more than Most
// configurations, or its package on disk does not compile in one of the configurations that include
// it.
func (s *Set) Unchecked(ctx context.Context) (files []*File, err error) {
	judged := make([]map[string]bool, len(s.Configs)) // checked files, per configuration
	err = each(ctx, s.Configs, func(ctx context.Context, i int, c Config) error {
		b, err := s.loadBefore(ctx, c)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil { // no file is checked in this configuration
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

// Mentions finds names of types, functions, fields and packages in a Go file. It ignores scopes:
// each identifier that equals one of the names is a Mention. Names in comments and strings are
// ignored. The file may have syntax errors.
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
