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

// parsed is a cache of parsed files, which several configurations share. This is safe because type
// checkers only read the files.
type parsed struct {
	mu    sync.Mutex
	files map[key]*parsedFile
}

// A key identifies a file in the cache. The same file may be parsed with and without function
// bodies.
type key struct {
	name  string
	whole bool
}

// A parsedFile contains the syntax tree of a file and its parse errors.
type parsedFile struct {
	once   sync.Once
	file   *ast.File
	errors []packages.Error
}

// get returns the parsed file for k. It calls parse only in the first call for k.
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

// parseFull returns a file that is parsed with comments and function bodies.
func (p *parsed) parseFull(fset *token.FileSet, name string) *parsedFile {
	return p.get(key{name, true}, func(f *parsedFile) {
		data, err := os.ReadFile(name)
		if err != nil {
			f.errors = append(f.errors, packages.Error{Pos: name, Msg: err.Error(), Kind: packages.ListError})
			return
		}
		f.parse(fset, name, data, parser.ParseComments)
	})
}

// outside returns a file that is parsed without comments; function bodies are removed.
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

// parseWhole parses the given contents of a file, with comments and function bodies.
func parseWhole(fset *token.FileSet, name string, data []byte) *parsedFile {
	f := &parsedFile{}
	f.parse(fset, name, data, parser.ParseComments)
	return f
}

// parse parses data or, if data is nil, the file on disk, and sets f.file and f.errors.
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
