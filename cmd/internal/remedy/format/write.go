package format

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/formats"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// write replaces a call that prints to a buffer with calls to the buffer's method WriteString. This
// method must have the same effect as the method Write, and return no error.
func (k *printer) write(path []ast.Node, call *ast.CallExpr, text formats.Call) (done, why string) {
	writer := types.TypeString(k.Package.TypesInfo.TypeOf(text.To), nil)
	if writer != "*strings.Builder" && writer != "*bytes.Buffer" {
		return "", "it is unknown what the writer does with the string"
	}
	statement := unused(path)
	if statement == nil {
		return "", "the results are used"
	}
	operands := []ast.Expr{text.To}
	for _, p := range text.Parts {
		if p.Operand != nil {
			operands = append(operands, p.Operand)
		}
	}
	if why := k.order(operands); why != "" {
		return "", why
	}
	if !k.Free(path, statement) {
		return "", change.Busy
	}
	indent := k.Indent(statement.Pos())
	together := writer == "*bytes.Buffer" || k.World.Selects("Cap") != "" // Cap would reveal that it grows in steps
	for _, e := range operands {                                          // a panic must not leave a part of the text, and a called function must not see one
		together = together || k.calm(e) > read
	}
	before := k.Between(k.Package.Fset.File(statement.Pos()).LineStart(k.Package.Fset.PositionFor(statement.Pos(), false).Line), statement.Pos())
	together = together || strings.TrimSpace(before) != ""
	groups := [][]formats.Part{text.Parts}
	if !together {
		groups = slices.Collect(slices.Chunk(text.Parts, 1))
	}
	to := k.receiver(text.To)
	var lines []string
	for _, parts := range groups {
		words, why := k.sum(path, parts)
		if why != "" {
			return "", why
		}
		lines = append(lines, to+".WriteString("+words+")")
	}
	k.replaced(path, statement, strings.Join(lines, "\n"+indent))
	return "written by " + text.Summary(), ""
}

// unused returns the statement that contains the call at the end of a path, if it is in a statement
// list and ignores the call's results. Otherwise, it returns nil.
func unused(path []ast.Node) ast.Stmt {
	if len(path) < 3 || change.Statements(path[len(path)-3]) == nil {
		return nil
	}
	switch up := path[len(path)-2].(type) {
	case *ast.ExprStmt:
		return statementIn(path[len(path)-3], up)
	case *ast.AssignStmt:
		blank := func(e ast.Expr) bool { name, ok := e.(*ast.Ident); return ok && name.Name == "_" }
		if up.Tok == token.ASSIGN && len(up.Rhs) == 1 && !slices.ContainsFunc(up.Lhs, func(e ast.Expr) bool { return !blank(e) }) {
			return statementIn(path[len(path)-3], up)
		}
	}
	return nil
}

// statementIn returns s if it is in the statement list of a node, and nil otherwise.
func statementIn(list ast.Node, s ast.Stmt) ast.Stmt {
	if slices.Contains(change.Statements(list), s) {
		return s
	}
	return nil
}

// receiver returns the source of a pointer that becomes the receiver of a method call. For &v, it
// returns v.
func (k *printer) receiver(e ast.Expr) string {
	if address, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && address.Op == token.AND && primary(ast.Unparen(address.X)) {
		return k.operand(ast.Unparen(address.X))
	}
	return k.operand(e)
}

// appenders maps functions of package strconv to functions that append the same bytes to a slice.
// These functions use a single append, as fmt does, so that the slice gets the same capacity.
var appenders = map[string]string{"strconv.Itoa": "AppendInt", "strconv.FormatInt": "AppendInt", "strconv.FormatUint": "AppendUint", "strconv.FormatBool": "AppendBool"}

// appended replaces a call that appends a formatted string to a byte slice, if the string has only
// one part.
func (k *printer) appended(path []ast.Node, call *ast.CallExpr, text formats.Call) (done, why string) {
	if len(text.Parts) != 1 {
		return "", "with several parts the list might get another capacity"
	}
	p := text.Parts[0]
	if why := k.order([]ast.Expr{text.To, p.Operand}); why != "" {
		return "", why
	}
	t := k.Package.TypesInfo.TypeOf(text.To)
	switch {
	case !types.Identical(t, types.NewSlice(types.Typ[types.Byte])):
		return "", "the list has a defined type"
	case k.World.Unsafe():
		return "", "the module imports unsafe, and the string may be a part of the list"
	case !k.Free(path, call):
		return "", change.Busy
	}
	to := k.Source(text.To)
	if p.Way == formats.AsIs {
		if why := k.conflict(path, []ast.Expr{text.To, p.Operand}); why != "" {
			return "", why
		}
		word, why := k.expression(path, p)
		if why == "" && (change.Lookup(k.Package.Types, "append", call.Pos()) != types.Universe.Lookup("append")) {
			why = "append is redeclared here"
		}
		if why != "" {
			return "", why
		}
		k.replaced(path, call, "append("+to+", "+word+"...)")
		return "appended as it is", ""
	}
	name, ok := appenders[p.Function()]
	if !ok {
		return "", "the list might get another capacity"
	}
	takes := argument(p)
	if takes == "int" {
		takes = "int64"
	}
	x, why := k.converted(p, takes)
	if why == "" && shifts(p.Operand) {
		why = "the number that is shifted may get another type"
	}
	if why != "" {
		return "", why
	}
	qualifier, ok := k.Imported(path, "strconv")
	if !ok {
		return "", "another name shadows package strconv"
	}
	base := ""
	if p.Way != formats.Truth {
		base = ", " + strconv.Itoa(p.Base)
	}
	k.replaced(path, call, qualifier+"."+name+"("+to+", "+x+base+")")
	return "appended by strconv." + name, ""
}
