// Package scaffold writes the files that a store or a flat tree begins with, for a type that coppice find names. Nothing that exists
// changes: a person decides where the program uses them. What is left to do is said, a line each.
//
//	scaffold.go   what both have
//	store.go      a store of records, and a converter
//	schema.go     the schema that coppice flat reads
//	fields.go     how fields are written in a schema
//	converter.go  from pointers to values of the schema
package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

func refused(text string, args ...any) error { return change.Refused{Why: fmt.Sprintf(text, args...)} }

// A draft is the files for a type.
type draft struct {
	*change.Request
	object *types.TypeName
	folder string // of the package
	files  map[string][]byte
	todo   []string
}

// begin looks the type of the sites up.
func begin(r *change.Request) (*draft, error) {
	if len(r.Sites) == 0 || len(r.Package.GoFiles) == 0 {
		return nil, refused("there is no site")
	}
	name := strings.TrimPrefix(r.Sites[0].Facts.Type, "*")
	object, ok := r.Package.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, refused("%s has no type %s at its top", r.Package.PkgPath, name)
	}
	named, ok := types.Unalias(object.Type()).(*types.Named)
	if !ok || named.Obj() != object || named.TypeParams().Len() > 0 {
		return nil, refused("%s is an alias or generic", name)
	}
	d := &draft{Request: r, object: object, folder: filepath.Dir(r.Package.GoFiles[0]), files: map[string][]byte{}}
	if !r.Library {
		d.later("in the module: go get github.com/coppice-go/coppice")
	}
	return d, nil
}

// later adds a line to what is left to do, once.
func (d *draft) later(text string, args ...any) {
	if line := fmt.Sprintf(text, args...); !slices.Contains(d.todo, line) {
		d.todo = append(d.todo, line)
	}
}

// create adds a file, which must not exist.
func (d *draft) create(name, text string) error {
	file := filepath.Join(d.folder, name)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return refused("%s exists already", filepath.ToSlash(name))
	}
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return fmt.Errorf("%s would not compile: %w", name, err)
	}
	d.files[file] = formatted
	return nil
}

// free wants names that no file of the package declares, whatever build takes it, and in tests, too.
func (d *draft) free(names ...string) error {
	for _, name := range names {
		if edits.Declares(filepath.Dir(d.Package.GoFiles[0]), d.Package.Name, name) {
			return refused("%s has a %s already", d.Package.PkgPath, name)
		}
	}
	return nil
}

// where writes a position short.
func (d *draft) where(pos token.Pos) string {
	p := d.Package.Fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// most is how many places of a kind are listed.
const most = 8

// places adds the places of a kind to what is left to do.
func (d *draft) places(what string, at []token.Pos) {
	var all []string
	for _, pos := range at[:min(most, len(at))] {
		all = append(all, d.where(pos))
	}
	if more := len(at) - most; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	if len(all) > 0 {
		d.later("%s: %s", what, strings.Join(all, ", "))
	}
}

// walk lists where values of the type are made, where their fields are written, and where a struct or a variable holds one.
func (d *draft) walk() (made, written, held []token.Pos) {
	info := d.Package.TypesInfo
	is := func(e ast.Expr) bool {
		t := info.TypeOf(e)
		return t != nil && types.Identical(deref(t), d.object.Type())
	}
	for _, file := range d.Package.Syntax {
		if strings.HasSuffix(d.Package.Fset.File(file.FileStart).Name(), "_test.go") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if is(n) {
					made = append(made, n.Pos())
				}
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.Ident); ok && info.Types[n.Fun].IsBuiltin() && name.Name == "new" && is(n) {
					made = append(made, n.Pos())
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if s, ok := ast.Unparen(left).(*ast.SelectorExpr); ok && is(s.X) {
						written = append(written, left.Pos())
					}
				}
			case *ast.StructType:
				for _, f := range n.Fields.List {
					if is(f.Type) && info.TypeOf(n) != d.object.Type().Underlying() {
						held = append(held, f.Pos())
					}
				}
			}
			return true
		})
	}
	return made, written, held
}

// deref returns what a pointer points to, and other types as they are.
func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// upper writes the first letter of a name large.
func upper(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// lower writes all of a first word of capitals small: AST becomes ast, and IExpr iExpr.
func lower(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}
