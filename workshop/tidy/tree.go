package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// ours is the path prefix of this repository's packages.
const ours = "github.com/coppice-go/coppice"

// A Tree contains the files of the repository. They are read only once, for all rules.
type Tree struct {
	files fs.FS
	fset  *token.FileSet
	Go    []*GoFile
	Text  []TextFile // all files that are not binary, including Go files

	modules  map[string]bool // folders with a go.mod file, except in testdata
	programs map[string]bool // folders of main packages
}

// A GoFile is a parsed Go file. Files in testdata are not parsed, because some of them are invalid
// on purpose.
type GoFile struct {
	Path    string
	Package string // the folder, "" for the root
	Test    bool   // the file name ends in _test.go
	Lines   int
	*ast.File
}

// A TextFile contains the unparsed contents of one file.
type TextFile struct {
	Path string
	Data []byte
}

// built contains the names of folders to which tools write their output.
var built = []string{"bin", "build", "node_modules", "target"}

// Read reads all files of a file system, except for folders that git does not track. These are
// folders whose names begin with a dot (except .ci), and folders to which tools write their output.
func Read(files fs.FS) (*Tree, error) {
	t := &Tree{files: files, fset: token.NewFileSet(), modules: map[string]bool{}, programs: map[string]bool{}}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			hidden := strings.HasPrefix(base, ".") && base != "." && base != ".ci"
			if hidden || slices.Contains(built, base) {
				return fs.SkipDir
			}
			return nil
		}
		if base == ".git" {
			return nil // in a worktree, .git is a file that contains a local path
		}
		return t.add(name)
	})
	return t, err
}

func (t *Tree) add(name string) error {
	data, err := fs.ReadFile(t.files, name)
	if err != nil {
		return err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil // a binary file
	}
	t.Text = append(t.Text, TextFile{name, data})
	if path.Base(name) == "go.mod" && !strings.Contains(name, "testdata/") {
		t.modules[path.Dir(name)] = true
	}
	if path.Ext(name) != ".go" || strings.Contains(name, "testdata/") || isNewer(data) {
		return nil
	}
	parsed, err := parser.ParseFile(t.fset, name, data, parser.ParseComments)
	if err != nil {
		return fmt.Errorf("tidy: %w", err)
	}
	folder := path.Dir(name)
	if folder == "." {
		folder = ""
	}
	if parsed.Name.Name == "main" {
		t.programs[folder] = true
	}
	t.Go = append(t.Go, &GoFile{
		Path: name, Package: folder, Test: strings.HasSuffix(name, "_test.go"),
		Lines: bytes.Count(data, []byte("\n")), File: parsed,
	})
	return nil
}

// isNewer reports whether a Go file requires a newer Go release than the one with which this
// program was built. The parser may not support the syntax of such a file.
func isNewer(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "package ") {
			break
		}
		if expression, err := constraint.Parse(strings.TrimSpace(line)); err == nil {
			return !expression.Eval(func(tag string) bool {
				return !strings.HasPrefix(tag, "go1.") || slices.Contains(build.Default.ReleaseTags, tag)
			})
		}
	}
	return false
}

// text returns the contents of the file at path, or nil if there is none.
func (t *Tree) text(path string) []byte {
	for _, f := range t.Text {
		if f.Path == path {
			return f.Data
		}
	}
	return nil
}

// line returns the line number of a position.
func (t *Tree) line(pos token.Pos) int { return t.fset.Position(pos).Line }

// complain returns a complaint about a position in a Go file.
func (t *Tree) complain(f *GoFile, pos token.Pos, format string, args ...any) Complaint {
	return Complaint{f.Path, t.line(pos), fmt.Sprintf(format, args...)}
}

// functions calls visit with each function declaration in each Go file.
func (t *Tree) functions(visit func(*GoFile, *ast.FuncDecl)) {
	for _, f := range t.Go {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				visit(f, fn)
			}
		}
	}
}

// calls finds the calls in the file to a function of package pkg, which is "builtin" for a builtin
// function, and passes each of them to visit. If pkg is "", it finds the calls to methods with the
// given name, regardless of the type.
func (f *GoFile) calls(pkg, function string, visit func(*ast.CallExpr)) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch fun := call.Fun.(type) {
		case *ast.SelectorExpr:
			x, isName := fun.X.(*ast.Ident)
			if fun.Sel.Name == function && (pkg == "" || isName && x.Name == pkg) {
				visit(call)
			}
		case *ast.Ident:
			if pkg == "builtin" && fun.Name == function {
				visit(call)
			}
		}
		return true
	})
}
