package fromast

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
	"github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
)

// sources returns the files that the tests convert: packages of the standard library, and the
// sources in odd and bad.
func sources(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, pkg := range []string{"fmt", "go/ast", "iter", "os/signal", "reflect", "unicode"} {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", pkg, "*.go"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no source of %s: %v", pkg, err)
		}
		names = append(names, found...)
	}
	set := token.NewFileSet()
	var files []*ast.File
	parse := func(name string, source any) {
		f, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil && source == nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	for _, name := range names {
		parse(name, nil)
	}
	parse("odd.go", odd)
	for _, source := range bad {
		parse("bad.go", source)
	}
	return set, files
}

// odd contains syntax that is rare in the standard library.
const odd = `//go:build go1.23

/* A comment before the package. */
package odd // and behind it

import (
	. "fmt" // dot
	_ "embed"
)

type (
	Alias[T any] = map[string]func(...T) (<-chan T, chan<- int)
	Tagged       struct {
		// A documented field.
		A, B int ` + "`json:\"a\"`" + ` // tagged
		*Alias[int]
	}
	Number interface{ ~int | ~float64; String() string }
)

var a, b, c = [...]complex128{3i, 0x1p-2, 'x'}, Pair[int, string]{}, x[1:2:3]

func (Tagged) f(xs ...int) (n int, _ error) {
outer:
	for i := range 10 {
		select {
		case ch <- i:
			continue outer
		case v, ok := <-ch:
			_, _ = v, ok
		default:
			goto outer
		}
	}
	for range ch {
	}
	switch x := y.(type) {
	case nil, error:
		fallthrough
	default:
		;
	}
	defer func() { recover() }()
	go Println(append(xs, xs...)...)
	if err := (func() error)(nil)(); err != nil {
		n++
	} else if n > 0 {
	} else {
		return
	}
	for {
		{ break }
	}
}

func external()
`

// bad contains sources for which the parser makes Bad nodes.
var bad = []string{
	"package bad\n\nx := 3\n",
	"package bad\n\nfunc f() {\n\telse { }\n}\n\nvar = 3\n",
}

// TestTreeKeepsAll verifies that a tree that is converted back has the same nodes and positions as
// the parser's own tree, and prints the same, including comments.
func TestTreeKeepsAll(t *testing.T) {
	set, files := sources(t)
	program, err := Tree(files)
	if err != nil {
		t.Fatal(err)
	}
	sameAsParsed(t, set, files, program)
}

// TestForestKeepsAll verifies that the flat tree converts to the same pointer form as Tree makes,
// and that the sources contain nodes of every kind.
func TestForestKeepsAll(t *testing.T) {
	set, files := sources(t)
	tree, err := Forest(files)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := syntaxflat.ToTree(tree, flat.LoadLimits{})
	if err != nil {
		t.Fatal(err)
	}
	program := unit.(*syntax.Program)
	sameAsParsed(t, set, files, program)
	if want, err := Tree(files); err != nil || !reflect.DeepEqual(program, want) {
		t.Errorf("the flat tree is not the pointer form (error %v)", err)
	}
	each, err := Each(files)
	if err != nil {
		t.Fatal(err)
	}
	for i, tree := range each {
		file, err := syntaxflat.ToTree(tree, flat.LoadLimits{})
		if err != nil || !reflect.DeepEqual(file, syntax.Unit(program.Files[i])) {
			t.Errorf("the flat tree of file %d is not the pointer form (error %v)", i, err)
		}
	}
	met := map[syntaxflat.Kind]bool{}
	for n := range tree.All {
		met[n.Kind()] = true
	}
	for k := syntaxflat.KindNil + 1; k.String() != "no kind"; k++ {
		if !met[k] {
			t.Errorf("no %v in all of this", k)
		}
	}
}

func sameAsParsed(t *testing.T, set *token.FileSet, files []*ast.File, program *syntax.Program) {
	t.Helper()
	if len(program.Files) != len(files) {
		t.Fatalf("%d files became %d", len(files), len(program.Files))
	}
	for i, f := range files {
		got := backFile(program.Files[i])
		name := set.Position(f.Package).Filename
		if a, b := print(set, f), print(set, got); a != b {
			t.Errorf("%s prints as\n%s", name, b)
			continue
		}
		if a, b := positions(f), positions(got); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: the nodes or their positions differ", name)
		}
	}
}

// print returns the printed source, followed by the printer's error if the file has Bad nodes.
func print(set *token.FileSet, f *ast.File) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, set, f); err != nil {
		return out.String() + err.Error()
	}
	return out.String()
}

// place is the type of a node and its extent.
type place struct {
	kind     reflect.Type
	pos, end token.Pos
}

func positions(f *ast.File) (all []place) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n != nil {
			all = append(all, place{reflect.TypeOf(n), n.Pos(), n.End()})
		}
		return true
	})
	return all
}

func TestGreatestFile(t *testing.T) {
	f := &ast.File{Name: ast.NewIdent("long"), FileStart: 1, FileEnd: 1 + 1<<24}
	_, tree := Tree([]*ast.File{f})
	_, forest := Forest([]*ast.File{f})
	_, each := Each([]*ast.File{f})
	for _, err := range []error{tree, forest, each} {
		if err == nil || !strings.Contains(err.Error(), "package long has a file of 16777216 bytes") {
			t.Errorf("a file of 16 MiB gave %v", err)
		}
	}
}
