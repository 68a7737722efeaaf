package meter

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
)

// ErrToolchain means that the overlay does not fit the testing package of the toolchain. Callers
// then fall back to [TwoPoint].
var ErrToolchain = errors.New("the meter does not support the testing package of this toolchain")

// A place is a position in testing/benchmark.go at which a call to the meter is inserted: before or
// after a statement that occurs once in its method.
type place struct {
	function  string // method of *B or *benchState that contains the statement
	statement string // source text; for an assignment, the text up to the value is enough
	after     bool
	call      string
}

var places = []place{
	{"StartTimer", "b.start =", false, "b.coppiceStart()"},
	{"ResetTimer", "b.start =", false, "b.coppiceStart()"},
	{"ResetTimer", "b.duration =", false, "b.coppiceReset()"},
	{"StopTimer", "b.duration +=", true, "b.coppiceStop()"},
	{"runN", "b.benchFunc(b)", false, "b.coppiceRun()"},
	{"processBench", "r := b.doBench()", false, ""},
	{"processBench", "results := r.String()", false, "b.coppiceReport(procs, r)"},
}

// An insertion is a piece of source text for edit to insert at a byte offset of a file.
type insertion struct {
	offset int
	text   string
}

// edit inserts the calls to the meter into the source of testing/benchmark.go, and returns the new
// source. Line numbers stay the same.
func edit(file string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrToolchain, err)
	}
	field, err := structEnd(f, "B")
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %v", ErrToolchain, file, err)
	}
	insertions := []insertion{{fset.Position(field).Offset, "coppice coppiceMeter "}}
	for _, p := range places {
		stmt, err := p.find(f)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %v", ErrToolchain, file, err)
		}
		switch {
		case p.call == "": // the statement must exist, but nothing is added
		case p.after:
			insertions = append(insertions, insertion{fset.Position(stmt.End()).Offset, "; " + p.call})
		default:
			insertions = append(insertions, insertion{fset.Position(stmt.Pos()).Offset, p.call + "; "})
		}
	}
	slices.SortFunc(insertions, func(a, b insertion) int { return a.offset - b.offset })
	var out []byte
	at := 0
	for _, in := range insertions {
		out = append(append(out, text[at:in.offset]...), in.text...)
		at = in.offset
	}
	return append(out, text[at:]...), nil
}

// structEnd returns the position of the closing brace of a struct type.
func structEnd(f *ast.File, name string) (token.Pos, error) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
				if s, ok := t.Type.(*ast.StructType); ok {
					return s.Fields.Closing, nil
				}
			}
		}
	}
	return token.NoPos, fmt.Errorf("no struct type %s", name)
}

// find returns the statement in f that p describes. It returns an error unless there is exactly one
// such statement.
func (p place) find(f *ast.File) (ast.Stmt, error) {
	var body *ast.BlockStmt
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == p.function {
			if body != nil {
				return nil, fmt.Errorf("two methods %s", p.function)
			}
			body = fn.Body
		}
	}
	if body == nil {
		return nil, fmt.Errorf("no method %s", p.function)
	}
	var found []ast.Stmt
	ast.Inspect(body, func(n ast.Node) bool {
		if stmt, ok := n.(ast.Stmt); ok && p.matches(stmt) {
			found = append(found, stmt)
		}
		return true
	})
	if len(found) != 1 {
		return nil, fmt.Errorf("found %d statements %q in method %s, want 1", len(found), p.statement, p.function)
	}
	return found[0], nil
}

func (p place) matches(stmt ast.Stmt) bool {
	switch s := stmt.(type) {
	case *ast.ExprStmt:
		return types.ExprString(s.X) == p.statement
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return false
		}
		left := types.ExprString(s.Lhs[0]) + " " + s.Tok.String()
		return left == p.statement || left+" "+types.ExprString(s.Rhs[0]) == p.statement
	}
	return false
}
