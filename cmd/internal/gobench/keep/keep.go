// Package keep changes copies of benchmarks so that they pass the results of their operations to a
// metered testing package, which hashes the results. Two trees can then be compared by the results
// of their benchmarks, although the original benchmarks discard these results.
//
// Two kinds of values are kept. The first are the results of calls in the loop of a benchmark. The
// second are values on which the loop called methods without results, such as a tree into which it
// inserted elements; these values are kept after the loop.
package keep

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// Method is the name of the method that the metered testing package adds to testing.B to keep
// values.
const Method = "CoppiceKeep"

// A Site is a position in a benchmark at which values are kept.
type Site struct {
	Name string // "BenchmarkParse: Parse(r)", followed by a number if there are several
	File string
	Line int
}

// Changed is the result of Rewrite: the changed test files of a package, and the sites in them.
type Changed struct {
	Files map[string][]byte // new contents by file name
	Sites []Site
}

// Rewrite reads the test files of the package that matches the pattern, and returns the files whose
// benchmarks it has changed. It finds the package with the go command, which runs in dir with the
// environment env.
func Rewrite(ctx context.Context, dir string, env, flags []string, pattern string) (Changed, error) {
	loaded, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Env: env, BuildFlags: flags, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedForTest,
	}, pattern)
	if err != nil {
		return Changed{}, err
	}
	all := Changed{Files: map[string][]byte{}}
	for _, p := range loaded {
		if p.ForTest == "" || p.TypesInfo == nil {
			continue // not a test variant, or the program that go test generates
		}
		for _, file := range p.Syntax {
			name := p.Fset.File(file.FileStart).Name()
			if !strings.HasSuffix(name, "_test.go") || all.Files[name] != nil {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				return all, err
			}
			c := change{fset: p.Fset, info: p.TypesInfo, source: source, names: map[string]int{}}
			c.file(file)
			if len(c.edits) > 0 {
				all.Files[name] = c.apply()
				all.Sites = append(all.Sites, c.sites...)
			}
		}
	}
	return all, nil
}

// An edit replaces the bytes of a file from offset up to end with text.
type edit struct {
	offset, end int
	text        string
}

// A change collects the edits of one file.
type change struct {
	fset     *token.FileSet
	info     *types.Info
	source   []byte
	function string         // name of the function whose loops are being changed
	names    map[string]int // number of sites so far, by name
	fresh    int            // number of variables added so far
	edits    []edit
	sites    []Site
}

// file adds the edits for the benchmarks of a file.
func (c *change) file(file *ast.File) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		c.function = f.Name.Name
		c.loops(f)
	}
}

// benchmark returns the parameter of type *testing.B of a function, or nil if there is none or if
// it has no name.
func (c *change) benchmark(f *ast.FuncType) types.Object {
	for _, field := range f.Params.List {
		if types.TypeString(c.info.TypeOf(field.Type), nil) != "*testing.B" {
			continue
		}
		for _, name := range field.Names {
			if name.Name != "_" {
				return c.info.Defs[name]
			}
		}
	}
	return nil
}

// loops adds the edits for the outermost benchmark loops in a function and in its function
// literals.
func (c *change) loops(f *ast.FuncDecl) {
	root := inspector.New([]*ast.File{{Name: ast.NewIdent("_"), Decls: []ast.Decl{f}}}).Root()
	for cur := range root.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
		var body *ast.BlockStmt
		switch loop := cur.Node().(type) {
		case *ast.ForStmt:
			if loop.Cond != nil && c.counts(loop.Cond) {
				body = loop.Body
			}
		case *ast.RangeStmt:
			if c.counts(loop.X) {
				body = loop.Body
			}
		}
		if body == nil {
			continue
		}
		var b types.Object
		for around := range cur.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
			switch f := around.Node().(type) {
			case *ast.FuncDecl:
				b = cmp.Or(b, c.benchmark(f.Type))
			case *ast.FuncLit:
				b = cmp.Or(b, c.benchmark(f.Type))
			}
		}
		if b != nil {
			l := loop{change: c, b: b, node: cur.Node()}
			l.statements(body.List)
			l.keepReceivers(body)
		}
	}
}

// counts reports whether an expression controls a benchmark loop, because it contains b.N, b.Loop
// or pb.Next.
func (c *change) counts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			switch types.TypeString(c.info.TypeOf(s.X), nil) + "." + s.Sel.Name {
			case "*testing.B.N", "*testing.B.Loop", "*testing.PB.Next":
				found = true
			}
		}
		return !found
	})
	return found
}

func (c *change) offset(p token.Pos) int { return c.fset.PositionFor(p, false).Offset }

func (c *change) insert(at token.Pos, format string, args ...any) {
	c.edits = append(c.edits, edit{c.offset(at), c.offset(at), fmt.Sprintf(format, args...)})
}

func (c *change) replace(n ast.Node, text string) {
	c.edits = append(c.edits, edit{c.offset(n.Pos()), c.offset(n.End()), text})
}

// text returns the source of a node.
func (c *change) text(n ast.Node) string {
	return string(c.source[c.offset(n.Pos()):c.offset(n.End())])
}

// longest is the maximum length of an expression in the name of a site.
const longest = 60

// site creates a site for an expression, and returns its name as Go source.
func (c *change) site(n ast.Node) string {
	text := strings.Join(strings.Fields(c.text(n)), " ")
	if letters := []rune(text); len(letters) > longest {
		text = string(letters[:longest]) + "…"
	}
	name := c.function + ": " + text
	if c.names[name]++; c.names[name] > 1 {
		name = fmt.Sprintf("%s (%d)", name, c.names[name])
	}
	at := c.fset.Position(n.Pos())
	c.sites = append(c.sites, Site{name, at.Filename, at.Line})
	return fmt.Sprintf("%q", name)
}

// apply returns the source of the file after all edits.
func (c *change) apply() []byte {
	slices.SortStableFunc(c.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(min(a.end-a.offset, 1), min(b.end-b.offset, 1))) // insertions first
	})
	var out []byte
	at := 0
	for _, e := range c.edits {
		out = append(out, c.source[at:e.offset]...)
		out = append(out, e.text...)
		at = max(at, e.end)
	}
	return append(out, c.source[at:]...)
}
