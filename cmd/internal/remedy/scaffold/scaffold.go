// Package scaffold contains the code that all drafts share. A draft is a set of new files from
// which the user can develop a store or a flat tree for a type that coppice find names. A draft
// does not change existing files, because the user decides where the program uses the new files. It
// lists the remaining work, one line for each task.
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

// A Draft contains the new files for a type, and a list of the remaining work.
type Draft struct {
	*change.Request
	Object *types.TypeName
	folder string // folder of the package
	Files  map[string][]byte
	Todo   []string
}

// Begin returns an empty draft for the type of the sites.
func Begin(r *change.Request) (*Draft, error) {
	if len(r.Sites) == 0 || len(r.Package.GoFiles) == 0 {
		return nil, change.Refusef("there is no site")
	}
	name := strings.TrimPrefix(r.Sites[0].Facts.Type, "*")
	object, ok := r.Package.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, change.Refusef("%s has no top-level type %s", r.Package.PkgPath, name)
	}
	named, ok := types.Unalias(object.Type()).(*types.Named)
	if !ok || named.Obj() != object || named.TypeParams().Len() > 0 {
		return nil, change.Refusef("%s is an alias or generic", name)
	}
	d := &Draft{Request: r, Object: object, folder: filepath.Dir(r.Package.GoFiles[0]), Files: map[string][]byte{}}
	if !r.Library {
		d.Later("in the module: go get github.com/coppice-go/coppice")
	}
	return d, nil
}

// Later adds a line to the list of the remaining work, unless the list already contains the line.
func (d *Draft) Later(text string, args ...any) {
	if line := fmt.Sprintf(text, args...); !slices.Contains(d.Todo, line) {
		d.Todo = append(d.Todo, line)
	}
}

// Create adds a file to the draft. The file must not exist in the folder of the package.
func (d *Draft) Create(name, text string) error {
	file := filepath.Join(d.folder, name)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return change.Refusef("%s already exists", filepath.ToSlash(name))
	}
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return fmt.Errorf("%s would not compile: %w", name, err)
	}
	d.Files[file] = formatted
	return nil
}

// Free returns an error if a file of the package declares one of the names, in any build or test.
func (d *Draft) Free(names ...string) error {
	for _, name := range names {
		if edits.Declares(filepath.Dir(d.Package.GoFiles[0]), d.Package.Name, name) {
			return change.Refusef("%s already has a %s", d.Package.PkgPath, name)
		}
	}
	return nil
}

// formatPos formats a position as file:line, without the folder.
func (d *Draft) formatPos(pos token.Pos) string {
	p := d.Package.Fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// most is the maximum number of positions in one line of the remaining work.
const most = 8

// Places adds a line that lists positions to the remaining work.
func (d *Draft) Places(what string, at []token.Pos) {
	var all []string
	for _, pos := range at[:min(most, len(at))] {
		all = append(all, d.formatPos(pos))
	}
	if more := len(at) - most; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	if len(all) > 0 {
		d.Later("%s: %s", what, strings.Join(all, ", "))
	}
}

// Walk returns the positions at which values of the type are created, the positions at which their
// fields are written, and the struct fields that contain such a value or a pointer to one.
func (d *Draft) Walk() (made, written, held []token.Pos) {
	info := d.Package.TypesInfo
	is := func(e ast.Expr) bool {
		t := info.TypeOf(e)
		return t != nil && types.Identical(deref(t), d.Object.Type())
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
					if is(f.Type) && info.TypeOf(n) != d.Object.Type().Underlying() {
						held = append(held, f.Pos())
					}
				}
			}
			return true
		})
	}
	return made, written, held
}

// deref returns the type to which a pointer type points. It returns other types unchanged.
func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// Upper converts the first letter of a name to upper case.
func Upper(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// Lower converts the first word of a name to lower case. For example, AST becomes ast, and IExpr
// becomes iExpr.
func Lower(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}
