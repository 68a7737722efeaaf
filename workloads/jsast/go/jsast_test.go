package main

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/jsast/go/fromjs"
	"github.com/coppice-go/coppice/workloads/jsast/source"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// TestStrategiesAgree verifies that all strategies have the same results at several depths.
func TestStrategiesAgree(t *testing.T) {
	for _, depth := range []int{0, 1, 4, 8} {
		var want result
		for i, s := range strategies {
			got, phases, err := measure(s.make, source.Module(depth))
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("depth %d: %s has the result\n%v\nwant\n%v", depth, s.name, got, want)
			}
			if phases["parse_s"] <= 0 || depth > 4 && phases["tree_bytes"] <= 0 {
				t.Errorf("depth %d: %s has the figures %v", depth, s.name, phases)
			}
		}
		if want.folds < 2 || depth >= 4 && (want.resolution.outer == 0 || want.renamed == 0) {
			t.Errorf("depth %d: implausible result\n%v", depth, want)
		}
	}
}

// TestExpected compares the results with the answers in ../expect.
func TestExpected(t *testing.T) {
	for _, name := range []string{"00", "05", "09"} {
		want, err := os.ReadFile("../expect/answers/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := measure(strategies[1].make, source.Module(int(name[1]-'0')))
		if err != nil || got.String()+"\n" != string(want) {
			t.Errorf("depth %s:\n%v\nwant\n%s(error %v)", name, got, want, err)
		}
	}
}

func parsed(t *testing.T, text string) *js.AST {
	t.Helper()
	ast, err := js.Parse(parse.NewInputString(text), js.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ast
}

// TestAllKinds verifies that a tree with statements, bindings and expressions of all kinds prints
// like the parser's tree, both initially and after every pass.
func TestAllKinds(t *testing.T) {
	text, err := os.ReadFile("testdata/kinds.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strategies[1:] {
		checkPasses(t, s, string(text))
	}
	seen := map[syntaxflat.Kind]bool{}
	f := flatForm{}
	if err := f.build(parsed(t, string(text)), len(text)); err != nil {
		t.Fatal(err)
	}
	for n := range f.tree.All {
		seen[n.Kind()] = true
	}
	for k := syntaxflat.Kind(1); k <= syntaxflat.KindCommaExpr; k++ {
		// The parser makes no NewTargetExpr outside functions and refuses `with` in modules.
		if !seen[k] && k != syntaxflat.KindWithStmt && k != syntaxflat.KindNewTargetExpr {
			t.Errorf("no %v in testdata/kinds.js", k)
		}
	}
}

// TestOrder verifies that names resolve to the same variables in any order of the records. The
// converter makes a scope before the nodes in it, and Compact puts the scope after them.
func TestOrder(t *testing.T) {
	kinds, err := os.ReadFile("testdata/kinds.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		string(source.Module(3)),
		string(kinds),
		"{ let a; () => a; a }",
		"function f(a) { let b; function g() { b } a; b }",
		"class A { #a = 1; m() { return this.#a } n = this.#a }",
		"let a; class A { [a]() { a } [(() => a)()](b) { b } [class { [a](...c) { c } }](d = a) { a; d } }",
		"let a; ({ [a]() {}, [a]([b]) { b }, m() { a }, [a]: a }); a",
		"function f() {} try { let a; () => a } catch (e) { () => e } switch (1) { case 1: let b; () => b }",
	} {
		p := pointers{ast: parsed(t, text)}
		tree, err := fromjs.Convert(p.ast, len(text))
		if err != nil {
			t.Fatal(err)
		}
		want := p.resolve()
		if got := resolveFlat(tree); got != want {
			t.Errorf("%.60s: as converted: %v; want %v", text, got, want)
		}
		if got := resolveFlat(tree.Compact()); got != want {
			t.Errorf("%.60s: compact: %v; want %v", text, got, want)
		}
	}
}

// checkPasses runs the passes on the pointer form and on the strategy's form of the text, and
// compares the results after each pass.
func checkPasses(t *testing.T, s strategy, text string) {
	t.Helper()
	want, got := form(&pointers{}), s.make()
	for _, f := range []form{want, got} {
		if err := f.build(parsed(t, text), len(text)); err != nil {
			t.Fatal(err)
		}
	}
	compare := func(pass string) {
		t.Helper()
		w, g := string(want.print(nil)), string(got.print(nil))
		if w == g {
			return
		}
		i := 0
		for i < min(len(w), len(g)) && w[i] == g[i] {
			i++
		}
		from := max(0, i-60)
		t.Fatalf("%s after %s differs at %d:\n%q\nwant\n%q", s.name, pass, i, g[from:min(len(g), i+60)], w[from:min(len(w), i+60)])
	}
	compare("build")
	if w, g := want.resolve(), got.resolve(); w != g {
		t.Errorf("%s: %v; want %v", s.name, g, w)
	}
	if w, g := want.rename(), got.rename(); w != g {
		t.Errorf("%s: %d renamed, want %d", s.name, g, w)
	}
	compare("rename")
	w, err := want.foldConstants()
	if err != nil {
		t.Fatal(err)
	}
	if g, err := got.foldConstants(); err != nil || w != g {
		t.Errorf("%s: %d folds, want %d (error %v)", s.name, g, w, err)
	}
	compare("fold")
}

func FuzzPasses(f *testing.F) {
	text, err := os.ReadFile("testdata/kinds.js")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := js.Parse(parse.NewInputString(text), js.Options{}); err != nil || strings.Contains(text, "$") {
			t.Skip()
		}
		for _, s := range strategies[1:] {
			checkPasses(t, s, text)
		}
	})
}

// TestFile verifies that a tree is unchanged after it is written to a file and loaded.
func TestFile(t *testing.T) {
	text := string(source.Module(5))
	tree, err := fromjs.Convert(parsed(t, text), len(text))
	if err != nil {
		t.Fatal(err)
	}
	tree = tree.Compact()
	var file strings.Builder
	if _, err := tree.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	loaded, err := syntaxflat.Load([]byte(file.String()), flat.LoadLimits{})
	if err != nil {
		t.Fatal(err)
	}
	if resolveFlat(loaded) != resolveFlat(tree) || string(printFlat(nil, loaded)) != string(printFlat(nil, tree)) {
		t.Error("another tree was loaded than written")
	}
}

// TestConverter verifies that a Converter makes the same trees as Convert, one after another, and
// that the clone of a tree remains valid when the Converter reuses the memory of the tree.
func TestConverter(t *testing.T) {
	file := func(tree syntaxflat.Tree) string {
		var b strings.Builder
		if _, err := tree.Compact().WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	c := fromjs.NewConverter()
	depths := []int{4, 0, 6, 2}
	wants, clones := make([]string, len(depths)), make([]syntaxflat.Tree, len(depths))
	for i, depth := range depths {
		text := string(source.Module(depth))
		want, err := fromjs.Convert(parsed(t, text), len(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Tree(parsed(t, text))
		if err != nil {
			t.Fatal(err)
		}
		wants[i], clones[i] = file(want), got.Clone()
		c.Reuse(got)
	}
	for i, want := range wants {
		if file(clones[i]) != want {
			t.Errorf("tree %d is another one", i)
		}
	}
}

// TestWrongScopes verifies that a variable must not be used outside the scope that declares it, and
// that a scope and an enclosing one must not declare the same variable. After such an error, the
// Converter is still usable.
func TestWrongScopes(t *testing.T) {
	const text = "{ let a; { a } } b"
	c := fromjs.NewConverter()
	for want, change := range map[string]func(ast *js.AST, outer, inner *js.BlockStmt){
		"": func(*js.AST, *js.BlockStmt, *js.BlockStmt) {},
		"a is used outside the scope that declares it": func(ast *js.AST, outer, _ *js.BlockStmt) {
			ast.List[1].(*js.ExprStmt).Value = outer.Declared[0]
		},
		"a is declared by a scope and by one around it": func(_ *js.AST, outer, inner *js.BlockStmt) {
			inner.Declared = outer.Declared
		},
	} {
		ast := parsed(t, text)
		outer := ast.List[0].(*js.BlockStmt)
		change(ast, outer, outer.List[1].(*js.BlockStmt))
		_, err := fromjs.Convert(ast, len(text))
		_, again := c.Tree(ast)
		for _, err := range []error{err, again} {
			if (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		if _, err := c.Tree(parsed(t, text)); err != nil {
			t.Errorf("after %q: %v", want, err)
		}
	}
}

// TestConverterForgets verifies that a Converter does not keep a converted tree alive.
func TestConverterForgets(t *testing.T) {
	c := fromjs.NewConverter()
	ast := parsed(t, "function f(a) { return () => a + b }")
	kept := weak.Make(ast)
	if _, err := c.Tree(ast); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the parser's tree is still reachable")
	}
	runtime.KeepAlive(c)
}

// TestReaders verifies that several goroutines can read the same tree, and make new trees from it,
// at the same time.
func TestReaders(t *testing.T) {
	text := string(source.Module(6))
	f := flatForm{}
	if err := f.build(parsed(t, text), len(text)); err != nil {
		t.Fatal(err)
	}
	tree := f.tree
	type answer struct {
		resolution      resolution
		printed, folded string
	}
	ask := func() (a answer) {
		a.resolution, a.printed = resolveFlat(tree), string(printFlat(nil, tree))
		folded, _, err := foldFlat(syntaxflat.NewBuilder(flat.BuilderOptions{}), tree)
		if err != nil {
			t.Error(err)
			return a
		}
		a.folded = string(printFlat(nil, folded))
		return a
	}
	want := ask()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if ask() != want {
				t.Error("a reader has another answer than the first")
			}
		})
	}
	wait.Wait()
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		op     js.TokenType
		token  js.TokenType
		x, y   string
		result string // "" if the operation is not folded
	}{
		{js.AddToken, js.IntegerToken, "1", "2", "3"},
		{js.SubToken, js.IntegerToken, "1", "2", ""},
		{js.MulToken, js.IntegerToken, "123456789", "987654321", ""},
		{js.AddToken, js.IntegerToken, "09", "1", ""},
		{js.AddToken, js.IntegerToken, "1n", "2", ""},
		{js.DivToken, js.IntegerToken, "4", "2", ""},
		{js.AddToken, js.StringToken, `'a'`, `'b'`, `'ab'`},
		{js.AddToken, js.StringToken, `'a'`, `"b"`, ""},
		{js.AddToken, js.StringToken, `'\0'`, `'1'`, ""},
		{js.SubToken, js.StringToken, `'a'`, `'b'`, ""},
	} {
		got, ok := fold(c.op, c.token, c.token, c.x, c.y)
		if ok != (c.result != "") || ok && got != c.result {
			t.Errorf("%s %s %s is %q, %v; want %q", c.x, c.op, c.y, got, ok, c.result)
		}
	}
}
