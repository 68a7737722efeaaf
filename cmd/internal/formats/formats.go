package formats

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A Call is a call to a function of package fmt that can be rewritten without fmt.
type Call struct {
	Name  string   // name of the function, such as Sprintf
	To    ast.Expr // destination, a writer or a byte slice; nil if the call returns a string
	Parts []Part   // parts of the formatted string; none if the string is empty
}

// mostParts is the maximum number of parts of a string. If a string has more parts, a call with a
// format is easier to read.
const mostParts = 12

// Is reports whether call is a call to a formatting function of package fmt.
func Is(info *types.Info, call *ast.CallExpr) bool {
	_, ok := functions[callee(info, call)]
	return ok
}

// A function describes a function of package fmt by its parameters and its output.
type function struct {
	to     bool // the first argument is the destination, a writer or a byte slice
	format bool // the first argument after any destination is a format
	line   bool // the output ends with a newline
}

var functions = map[string]function{
	"Sprint": {}, "Sprintln": {line: true}, "Sprintf": {format: true},
	"Fprint": {to: true}, "Fprintln": {to: true, line: true}, "Fprintf": {to: true, format: true},
	"Append": {to: true}, "Appendln": {to: true, line: true}, "Appendf": {to: true, format: true},
}

// callee returns the name of the called function if it belongs to package fmt, and "" otherwise.
func callee(info *types.Info, call *ast.CallExpr) string {
	fn, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "fmt" || fn.Signature().Recv() != nil {
		return ""
	}
	return fn.Name()
}

// Of analyzes a call to a function of package fmt. If the call cannot be rewritten, why states the
// reason. pkg is the package that contains the call.
func Of(info *types.Info, pkg *types.Package, call *ast.CallExpr) (c Call, why string) {
	c.Name = callee(info, call)
	f, ok := functions[c.Name]
	switch {
	case !ok:
		return c, "it is not a call of package fmt"
	case call.Ellipsis.IsValid():
		return c, "its operands are passed as a slice"
	}
	args := call.Args
	if f.to {
		if len(args) == 0 {
			return c, "it has no operands"
		}
		c.To, args = args[0], args[1:]
	}
	if f.format {
		c.Parts, why = formatted(info, pkg, args)
	} else {
		c.Parts, why = listed(info, pkg, args, f.line)
	}
	switch {
	case why != "":
	case !slices.ContainsFunc(c.Parts, func(p Part) bool { return p.Operand != nil && info.Types[p.Operand].Value == nil }):
		why = "no operand varies"
	case len(c.Parts) > mostParts:
		why = "the string has many parts, so the format is easier to read"
	}
	return c, why
}

// formatted returns the parts of the string that a call with a format builds. args contains the
// format and its operands.
func formatted(info *types.Info, pkg *types.Package, args []ast.Expr) (parts []Part, why string) {
	if len(args) == 0 {
		return nil, "it has no operands"
	}
	format := info.Types[args[0]].Value
	if format == nil || format.Kind() != constant.String {
		return nil, "the format is not constant"
	}
	verbs, ok := split(constant.StringVal(format))
	switch {
	case !ok:
		return nil, "the format has a flag, a width, or an argument index"
	case len(verbs) != len(args):
		return nil, "the numbers of verbs and operands differ"
	}
	for i, v := range verbs {
		if v.before != "" {
			parts = append(parts, Part{Text: v.before})
		}
		if v.letter == 0 {
			break
		}
		p, why := partOf(args[i+1], info.TypeOf(args[i+1]), pkg, v)
		if why != "" {
			return nil, why
		}
		parts = append(parts, p)
	}
	return parts, ""
}

// listed returns the parts of the string that a call without a format builds. Sprint adds a space
// between two operands if neither is a string, and Sprintln always does.
func listed(info *types.Info, pkg *types.Package, args []ast.Expr, line bool) (parts []Part, why string) {
	text := true // whether the previous operand is a string
	for i, arg := range args {
		p, why := partOf(arg, info.TypeOf(arg), pkg, verb{letter: 'v'})
		if why != "" {
			return nil, why
		}
		isText := p.Way == AsIs
		if i > 0 && (line || !isText && !text) {
			parts = append(parts, Part{Text: " "})
		}
		parts, text = append(parts, p), isText
	}
	if line {
		parts = append(parts, Part{Text: "\n"})
	}
	return parts, ""
}

// MayBeOperand reports whether the resulting string may be one of the operands rather than a new
// string. A concatenation returns an operand itself if all other operands are empty.
func (c Call) MayBeOperand() bool {
	return !slices.ContainsFunc(c.Parts, func(p Part) bool { return p.Text != "" || p.Copies() })
}

// Summary lists the functions and operators that replace the call, such as "strconv.Itoa, +".
func (c Call) Summary() string {
	var all []string
	for _, p := range c.Parts {
		if name := p.Function(); name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	switch {
	case strings.HasPrefix(c.Name, "F"):
		all = append(all, "WriteString")
	case strings.HasPrefix(c.Name, "A"):
		all = append(all, "append")
	case len(c.Parts) > 1:
		all = append(all, "+")
	case len(all) == 0:
		all = append(all, "the string itself")
	}
	return strings.Join(all, ", ")
}
