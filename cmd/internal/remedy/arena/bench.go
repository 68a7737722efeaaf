package arena

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/own"
)

// A Caller is a benchmark that calls a given function in its loop.
type Caller struct {
	fset     *token.FileSet
	src      []byte
	file     *ast.File
	decl     *ast.FuncDecl
	loop     ast.Stmt
	body     *ast.BlockStmt // body of the loop
	start    token.Pos      // start of the loop or of its label
	call     *ast.CallExpr
	function string
	inside   bool // whether the loop is in a function literal
	around   Around
}

// Around contains functions that look up names in a Caller's package and in the imports of its
// file.
type Around struct {
	Declared func(name string) bool   // reports whether a file of the package declares a name
	Name     func(path string) string // returns the name of a package that the file imports
}

// CallerOf finds a benchmark in a file. It returns an error unless the benchmark calls the function
// exactly once, in its own loop.
func CallerOf(name string, src []byte, benchmark, function string, around Around) (*Caller, error) {
	c := &Caller{fset: token.NewFileSet(), src: src, function: function, around: around}
	var err error
	if c.file, err = parser.ParseFile(c.fset, name, src, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	for _, d := range c.file.Decls {
		if decl, ok := d.(*ast.FuncDecl); ok && decl.Name.Name == benchmark && decl.Recv == nil && decl.Body != nil {
			c.decl = decl
		}
	}
	if c.decl == nil {
		return nil, fmt.Errorf("there is no %s", benchmark)
	}
	calls := 0
	ast.PreorderStack(c.decl.Body, nil, func(n ast.Node, above []ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || nameOf(call.Fun) != function {
			return true
		}
		calls++
		c.call, c.loop, c.inside = call, nil, false
		for i, n := range above {
			switch n := n.(type) {
			case *ast.FuncLit:
				c.inside, c.loop = true, nil
			case *ast.ForStmt:
				if c.loop == nil {
					c.loop, c.body, c.start = n, n.Body, startOf(n, above[:i])
				}
			case *ast.RangeStmt:
				if isCount(n.X) && c.loop == nil {
					c.loop, c.body, c.start = n, n.Body, startOf(n, above[:i])
				}
			}
		}
		return true
	})
	if calls != 1 || c.loop == nil {
		return nil, fmt.Errorf("%s does not call %s once in its own loop; write one that does", benchmark, function)
	}
	return c, nil
}

// startOf returns the start of a loop, including its label.
func startOf(loop ast.Stmt, above []ast.Node) token.Pos {
	if len(above) > 0 {
		if label, ok := above[len(above)-1].(*ast.LabeledStmt); ok {
			return label.Pos()
		}
	}
	return loop.Pos()
}

// isCount reports whether an expression is b.N.
func isCount(e ast.Expr) bool {
	selector, ok := e.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "N"
}

// nameOf returns the name of a called function without qualifiers.
func nameOf(fun ast.Expr) string {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// An insertion is text to insert at a position in the file.
type insertion struct {
	at   token.Pos
	text string
}

// Text returns the file with a changed benchmark, in which the function's result comes from an
// arena. The arena is reset at the end of each iteration.
func (c *Caller) Text() ([]byte, error) {
	pkg, variable := c.fresh("arena"), c.fresh("coppiceArena")
	all := []insertion{
		{c.file.Name.End(), "\n\nimport " + imported(pkg, own.ArenaPath) + "\n"},
		{c.start, fmt.Sprintf("var %s %s.Arena\n", variable, pkg)},
		{c.call.Fun.End(), "In"},
		{c.call.Lparen + 1, "&" + variable + comma(c.call)},
		{c.body.Rbrace, "\n" + variable + ".Reset()\n"},
	}
	ast.PreorderStack(c.body, nil, func(n ast.Node, above []ast.Node) bool {
		branch, ok := n.(*ast.BranchStmt)
		if ok && branch.Tok == token.CONTINUE && leaves(branch, above) {
			all = append(all, insertion{n.Pos(), variable + ".Reset()\n"})
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return c.withInsertions(all)
}

// leaves reports whether a continue statement continues the loop that encloses the nodes in above,
// rather than a loop among these nodes.
func leaves(branch *ast.BranchStmt, above []ast.Node) bool {
	return !slices.ContainsFunc(above, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return branch.Label == nil
		case *ast.LabeledStmt:
			return branch.Label != nil && n.Label.Name == branch.Label.Name
		}
		return false
	})
}

func comma(call *ast.CallExpr) string {
	if len(call.Args) > 0 {
		return ", "
	}
	return ""
}

// fresh returns a name that neither the file uses nor the package declares.
func (c *Caller) fresh(name string) string {
	used := map[string]bool{}
	ast.Inspect(c.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			used[id.Name] = true
		}
		return true
	})
	for used[name] || c.around.Declared(name) {
		name += "_"
	}
	return name
}

// withInsertions returns the file with the given insertions, formatted by gofmt.
func (c *Caller) withInsertions(all []insertion) ([]byte, error) {
	slices.SortStableFunc(all, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	last := 0
	for _, i := range all {
		at := c.fset.Position(i.at).Offset
		out.Write(c.src[last:at])
		out.WriteString(i.text)
		last = at
	}
	out.Write(c.src[last:])
	return format.Source(out.Bytes())
}

// text returns the source of a node.
func (c *Caller) text(n ast.Node) string {
	return string(c.src[c.fset.Position(n.Pos()).Offset:c.fset.Position(n.End()).Offset])
}

// testName returns the name of the test for the variant with an arena. An upper-case letter follows
// the prefix Test, because go test ignores other functions.
func (c *Caller) testName() string {
	first, n := utf8.DecodeRuneInString(c.function)
	return "Test" + string(unicode.ToUpper(first)) + c.function[n:] + "In"
}

// Test returns a file with a test that creates two results in one arena, and compares them with
// results on the Go heap. It returns nil if the benchmark's call cannot be repeated in a test, if
// there are no results, or if a name that the test needs is already declared.
func (c *Caller) Test(results int) ([]byte, error) {
	if c.inside || results == 0 || c.around.Declared(c.testName()) || c.around.Declared("testing") {
		return nil, nil
	}
	setup, args, ok := c.setup()
	if !ok {
		return nil, nil
	}
	pkg, reflect, memory := c.fresh("arena"), c.fresh("reflect"), c.fresh("memory")
	var want, got, same []string
	for i := range results {
		want, got = append(want, c.fresh(fmt.Sprint("want", i))), append(got, c.fresh(fmt.Sprint("got", i)))
		same = append(same, fmt.Sprintf("!%s.DeepEqual(%s, %s)", reflect, got[i], want[i]))
	}
	fun := c.text(c.call.Fun)
	ellipsis := ""
	if c.call.Ellipsis.IsValid() {
		ellipsis = "..."
	}
	body := fmt.Sprintf(`%s	var %s %s.Arena
	for range 2 {
		%s := %s(%s%s)
		%s := %sIn(%s%s)
		if %s {
			t.Errorf("with an arena: %%+v, want %%+v", %s, %s)
		}
		%s.Reset() // what is read from now on is wrong, which -race and -tags coppice_checks show
	}
`, strings.Join(setup, ""), memory, pkg, strings.Join(want, ", "), fun, strings.Join(args, ", "), ellipsis, strings.Join(got, ", "), fun, strings.Join(append([]string{"&" + memory}, args...), ", "), ellipsis,
		strings.Join(same, " || "), got[0], want[0], memory)
	head := fmt.Sprintf("package %s\n\nimport (\n\t%s\n\t\"testing\"\n", c.file.Name.Name, imported(reflect, "reflect"))
	for _, spec := range c.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		} else {
			name = c.around.Name(p)
		}
		if p == "testing" || p == "reflect" || name == "_" || name != "." && !strings.Contains(body, name+".") {
			continue
		}
		head += "\t" + c.text(spec) + "\n"
	}
	text := head + fmt.Sprintf("\n\t%s\n)\n\n// %[2]s takes two results from one arena, and compares them with those of the Go heap.\nfunc %[2]s(t *testing.T) {\n%[3]s}\n", imported(pkg, own.ArenaPath), c.testName(), body)
	return format.Source([]byte(text))
}

// setup returns the source of the statements before the benchmark's loop, and of the arguments of
// the call. Both become part of the test. ok is false if a test cannot run the same code.
func (c *Caller) setup() (setup, args []string, ok bool) {
	param := c.decl.Type.Params.List[0].Names[0].Name
	for _, stmt := range c.decl.Body.List {
		if stmt.Pos() >= c.start {
			break
		}
		text := c.text(stmt)
		switch use := usesOf(stmt, param); {
		case use.timed:
			continue
		case use.other:
			return nil, nil, false
		}
		setup = append(setup, rename(text, param, "t")+"\n")
	}
	calm := true
	for _, arg := range c.call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			_, calls := n.(*ast.CallExpr)
			calm = calm && !calls
			return calm
		})
		args = append(args, c.text(arg))
	}
	for _, n := range declaredIn(c.loop) {
		calm = calm && !slices.ContainsFunc(c.call.Args, func(e ast.Expr) bool { return rewrite.Mentions(e, n) })
	}
	return setup, args, calm
}

// imported returns the import spec of a package. It contains the name only if the name differs from
// the last element of the path.
func imported(name, from string) string {
	if path.Base(from) == name {
		return strconv.Quote(from)
	}
	return name + " " + strconv.Quote(from)
}

// A use describes how a statement of a benchmark uses its *testing.B.
type use struct {
	timed bool // whether the statement only controls the timer or the metrics
	other bool // whether the statement uses a feature that testing.T lacks
}

// timing lists the methods of testing.B that a test does not need. common lists the methods that
// testing.B and testing.T have in common.
var (
	timing = []string{"ReportAllocs", "ResetTimer", "SetBytes", "StopTimer", "StartTimer", "ReportMetric", "SetParallelism"}
	common = []string{"Fatal", "Fatalf", "Error", "Errorf", "Helper", "Log", "Logf", "Skip", "Skipf", "Name", "TempDir", "Cleanup", "Setenv", "Context", "Chdir"}
)

func usesOf(stmt ast.Stmt, param string) (u use) {
	ast.PreorderStack(stmt, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || name.Name != param {
			return true
		}
		if len(above) > 0 {
			if selector, ok := above[len(above)-1].(*ast.SelectorExpr); ok && selector.X == name {
				expr, alone := stmt.(*ast.ExprStmt)
				if alone && slices.Contains(timing, selector.Sel.Name) && ast.Node(expr.X) == above[1] {
					u.timed = true
				} else if !slices.Contains(common, selector.Sel.Name) {
					u.other = true
				}
				return true
			}
			if selector, ok := above[len(above)-1].(*ast.SelectorExpr); ok && selector.Sel == name {
				return true
			}
			if call, ok := above[len(above)-1].(*ast.CallExpr); ok && slices.Contains(call.Args, ast.Expr(name)) {
				return true // assumed to take a testing.TB; otherwise the test does not compile
			}
		}
		u.other = true
		return true
	})
	return u
}

// rename renames a variable in the source of a statement.
func rename(text, from, to string) string {
	if from == to {
		return text
	}
	var out strings.Builder
	fset := token.NewFileSet()
	expr, err := parser.ParseExprFrom(fset, "", "func() {\n"+text+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return text
	}
	text = "func() {\n" + text + "\n}"
	last := 0
	ast.PreorderStack(expr, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || name.Name != from {
			return true
		}
		if selector, ok := above[len(above)-1].(*ast.SelectorExpr); ok && selector.Sel == name {
			return true
		}
		at := fset.Position(name.Pos()).Offset
		out.WriteString(text[last:at] + to)
		last = at + len(from)
		return true
	})
	out.WriteString(text[last:])
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), "func() {\n"), "\n}")
}

// declaredIn returns the names that a loop declares in its header.
func declaredIn(loop ast.Stmt) (names []string) {
	var list []ast.Expr
	switch loop := loop.(type) {
	case *ast.ForStmt:
		if init, ok := loop.Init.(*ast.AssignStmt); ok {
			list = init.Lhs
		}
	case *ast.RangeStmt:
		list = []ast.Expr{loop.Key, loop.Value}
	}
	for _, e := range list {
		if name, ok := e.(*ast.Ident); ok && name != nil {
			names = append(names, name.Name)
		}
	}
	return names
}
