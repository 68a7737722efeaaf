package builds

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"sync"

	"golang.org/x/tools/go/packages"
)

// parsed contains parsed files that several configurations share. This is safe because type
// checkers only read them.
type parsed struct {
	mu    sync.Mutex
	files map[key]*parsedFile
}

// A key identifies a file, parsed as a whole or without function bodies.
type key struct {
	name  string
	whole bool
}

// A parsedFile contains the syntax of a file and its parse errors.
type parsedFile struct {
	once   sync.Once
	file   *ast.File
	errors []packages.Error
}

// get returns a parsed file. It parses each file once.
func (p *parsed) get(k key, parse func(into *parsedFile)) *parsedFile {
	p.mu.Lock()
	if p.files == nil {
		p.files = map[key]*parsedFile{}
	}
	f := p.files[k]
	if f == nil {
		f = &parsedFile{}
		p.files[k] = f
	}
	p.mu.Unlock()
	f.once.Do(func() { parse(f) })
	return f
}

// whole returns a file with comments and function bodies.
func (p *parsed) whole(fset *token.FileSet, name string) *parsedFile {
	return p.get(key{name, true}, func(f *parsedFile) {
		data, err := os.ReadFile(name)
		if err != nil {
			f.errors = append(f.errors, packages.Error{Pos: name, Msg: err.Error(), Kind: packages.ListError})
			return
		}
		f.parse(fset, name, data, parser.ParseComments)
	})
}

// outside returns a file without function bodies and comments.
func (p *parsed) outside(fset *token.FileSet, name string) *parsedFile {
	return p.get(key{name, false}, func(f *parsedFile) {
		f.parse(fset, name, nil, parser.SkipObjectResolution)
		if f.file == nil {
			return
		}
		for _, decl := range f.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				fn.Body.List = nil
			}
		}
	})
}

// parseWhole parses the new contents of a file.
func parseWhole(fset *token.FileSet, name string, data []byte) *parsedFile {
	f := &parsedFile{}
	f.parse(fset, name, data, parser.ParseComments)
	return f
}

// parse fills in the file. If data is nil, it reads the file from disk.
func (f *parsedFile) parse(fset *token.FileSet, name string, data []byte, mode parser.Mode) {
	var source any
	if data != nil {
		source = data
	}
	var err error
	f.file, err = parser.ParseFile(fset, name, source, mode|parser.AllErrors)
	switch err := err.(type) {
	case nil:
	case scanner.ErrorList:
		for _, e := range err {
			f.errors = append(f.errors, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
		}
	default:
		f.errors = append(f.errors, packages.Error{Pos: name, Msg: err.Error(), Kind: packages.ListError})
	}
}
