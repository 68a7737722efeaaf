package avoidcopy

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// A pair is a function for strings and its counterpart for bytes. In the field arguments, each t
// stands for an argument that is a string or bytes, and each - for an argument that has the same
// type in both functions.
type pair struct{ text, bytes, arguments string }

// counterparts lists pairs of functions whose result does not share memory with an argument. A
// shared result would change whenever the bytes change.
var counterparts = readCounterparts(`
strings.Compare bytes.Compare tt
strings.Contains bytes.Contains tt
strings.ContainsAny bytes.ContainsAny t-
strings.ContainsRune bytes.ContainsRune t-
strings.Count bytes.Count tt
strings.EqualFold bytes.EqualFold tt
strings.HasPrefix bytes.HasPrefix tt
strings.HasSuffix bytes.HasSuffix tt
strings.Index bytes.Index tt
strings.IndexAny bytes.IndexAny t-
strings.IndexByte bytes.IndexByte t-
strings.IndexRune bytes.IndexRune t-
strings.LastIndex bytes.LastIndex tt
strings.LastIndexAny bytes.LastIndexAny t-
strings.LastIndexByte bytes.LastIndexByte t-
unicode/utf8.RuneCountInString unicode/utf8.RuneCount t
unicode/utf8.ValidString unicode/utf8.Valid t
unicode/utf8.FullRuneInString unicode/utf8.FullRune t
unicode/utf8.DecodeRuneInString unicode/utf8.DecodeRune t
unicode/utf8.DecodeLastRuneInString unicode/utf8.DecodeLastRune t
(*regexp.Regexp).MatchString (*regexp.Regexp).Match t
(*regexp.Regexp).FindStringIndex (*regexp.Regexp).FindIndex t
(*regexp.Regexp).FindStringSubmatchIndex (*regexp.Regexp).FindSubmatchIndex t
(*regexp.Regexp).FindAllStringIndex (*regexp.Regexp).FindAllIndex t-
(*regexp.Regexp).FindAllStringSubmatchIndex (*regexp.Regexp).FindAllSubmatchIndex t-
`)

func readCounterparts(table string) (all []pair) {
	for row := range strings.Lines(strings.TrimSpace(table)) {
		f := strings.Fields(row)
		all = append(all, pair{f[0], f[1], f[2]})
	}
	return all
}

// counterpart replaces a call to a function with a call to its counterpart, so that the operand
// needs no conversion.
func (k *copier) counterpart(path []ast.Node, site *ast.CallExpr) (done, why string) {
	up, at := change.Around(path)
	call, ok := up.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	name := k.Callee(call)
	place := slices.IndexFunc(call.Args, func(arg ast.Expr) bool { return ast.Unparen(arg) == site })
	for _, t := range counterparts {
		if len(call.Args) != len(t.arguments) || place < 0 || t.arguments[place] != 't' || name != t.text && name != t.bytes {
			continue
		}
		copying := toBytes
		if name == t.text {
			copying = toString
		}
		if k.converted(site, copying) != nil {
			return k.toCounterpart(path[:at+1], call, t, copying)
		}
	}
	return "", ""
}

// toCounterpart replaces a call to one function of a pair with a call to the other function, so
// that the arguments need no conversion.
func (k *copier) toCounterpart(path []ast.Node, call *ast.CallExpr, t pair, copying conversion) (done, why string) {
	from, to := t.bytes, t.text
	if copying == toString {
		from, to = t.text, t.bytes
	}
	short := func(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
	operands := map[int]ast.Expr{} // converted operands by argument index; nil for constants
	for i, arg := range call.Args {
		switch x := k.converted(arg, copying); {
		case t.arguments[i] != 't':
		case x != nil:
			operands[i] = x
			others := slices.Delete(slices.Clone(call.Args), i, i+1)
			if (copying == toString || !k.isOrdered(x)) && slices.ContainsFunc(others, func(other ast.Expr) bool { return !k.noEffects(other) }) {
				return "", "another argument might change what is read"
			}
		case copying == toString && k.Package.TypesInfo.Types[arg].Value != nil:
			operands[i] = nil
		default:
			return "", short(to) + " would need a copy of another argument"
		}
	}
	if !k.Free(path, call) {
		return "", change.Busy
	}
	function, ok := k.rename(path, call, from, to)
	if !ok {
		return "", "another name shadows what the change would call"
	}
	for i, x := range operands {
		k.convert(call.Args[i], x, copying)
	}
	k.Take(call)
	return "calls " + function + " with the original", ""
}

// rename changes a call so that it calls a different function or method, and returns the new name.
func (k *copier) rename(path []ast.Node, call *ast.CallExpr, from, to string) (name string, ok bool) {
	method := to[strings.LastIndexByte(to, '.')+1:]
	if strings.HasPrefix(from, "(") {
		if k.method(call, method) != to {
			return "", false
		}
		name := ast.Unparen(call.Fun).(*ast.SelectorExpr).Sel
		k.Replace(name.Pos(), name.End(), method)
		return method, true
	}
	function := ast.Unparen(call.Fun)
	fromPath, toPath := from[:strings.LastIndexByte(from, '.')], to[:strings.LastIndexByte(to, '.')]
	qualifier, ok := k.Imported(path, toPath)
	if !ok {
		return "", false
	}
	k.Replace(function.Pos(), function.End(), qualifier+"."+method)
	if fromPath != toPath {
		k.Edits.Drop(k.Package.Fset, path[0].(*ast.File), fromPath)
	}
	return qualifier + "." + method, true
}

// method returns the full name of the method that would be called if the method's name in a call
// were replaced with the given name. It returns "" if there is none, or if the method belongs to a
// different embedded struct.
func (k *copier) method(call *ast.CallExpr, name string) string {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	selection := k.Package.TypesInfo.Selections[selector]
	if selection == nil || selection.Kind() != types.MethodVal {
		return ""
	}
	object, index, _ := types.LookupFieldOrMethod(selection.Recv(), true, k.Package.Types, name)
	fn, ok := object.(*types.Func)
	if way := selection.Index(); !ok || !slices.Equal(way[:len(way)-1], index[:len(index)-1]) {
		return ""
	}
	return fn.FullName()
}

// convert edits an argument for the counterpart: it removes the conversion of the argument or, if
// the argument is a constant, adds one.
func (k *copier) convert(arg, operand ast.Expr, copying conversion) {
	switch {
	case operand == nil:
		k.Replace(arg.Pos(), arg.End(), "[]byte("+k.Source(arg)+")")
	case copying == toString:
		k.Replace(arg.Pos(), arg.End(), k.Source(operand))
	default:
		k.Replace(arg.Pos(), arg.End(), k.asString(operand))
	}
}

// write removes the conversion in a call that writes to a writer. A string is passed to the method
// WriteString, and bytes are passed to the method Write of a strings.Builder.
func (k *copier) write(path []ast.Node, conversion *ast.CallExpr) (done, why string) {
	up, at := change.Around(path)
	call, ok := up.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", ""
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	selection := k.Package.TypesInfo.Selections[selector]
	if !ok || selection == nil || selection.Kind() != types.MethodVal {
		return "", ""
	}
	operand := k.converted(conversion, toBytes)
	if selector.Sel.Name == "WriteString" && k.converted(conversion, toString) != nil {
		return k.writeBytes(path[:at+1], call, selector)
	}
	if selector.Sel.Name != "Write" || operand == nil || !isWrite(selection.Obj()) {
		return "", ""
	}
	if !k.Free(path, call) {
		return "", change.Busy
	}
	if types.IsInterface(k.Package.TypesInfo.TypeOf(selector.X)) {
		return "", "the value in the interface may have a WriteString that differs from its Write"
	}
	switch method := k.method(call, "WriteString"); {
	case method == "":
		return "", "it has no WriteString beside its Write"
	case !writers[k.Callee(call)] || method != k.Callee(call)+"String":
		return "", "its WriteString may differ from its Write"
	}
	k.Replace(selector.Sel.Pos(), selector.Sel.End(), "WriteString")
	k.Replace(call.Args[0].Pos(), call.Args[0].End(), k.asString(operand))
	k.Take(call)
	return "calls WriteString", ""
}

// writers contains the Write methods that have the same effect as the method WriteString of the
// same type.
var writers = map[string]bool{"(*bytes.Buffer).Write": true, "(*strings.Builder).Write": true, "(*os.File).Write": true}

// builderWrite has the same effect as the method WriteString of strings.Builder, and does not keep
// its argument. This is not true of bytes.Buffer: if the bytes are part of the buffer's own memory,
// the buffer may move them while it grows.
const builderWrite = "(*strings.Builder).Write"

// writeBytes passes bytes to a strings.Builder.
func (k *copier) writeBytes(path []ast.Node, call *ast.CallExpr, selector *ast.SelectorExpr) (done, why string) {
	operand := k.converted(call.Args[0], toString)
	switch {
	case k.Callee(call) != builderWrite+"String" || k.method(call, "Write") != builderWrite:
		return "", "a writer might keep the bytes that it gets"
	case !k.Free(path, call):
		return "", change.Busy
	}
	k.Replace(selector.Sel.Pos(), selector.Sel.End(), "Write")
	k.Replace(call.Args[0].Pos(), call.Args[0].End(), k.Source(operand))
	k.Take(call)
	return "calls Write", ""
}

// isWrite reports whether a method has the signature of io.Writer.Write.
func isWrite(o types.Object) bool {
	s, ok := o.Type().(*types.Signature)
	return ok && s.Params().Len() == 1 && s.Results().Len() == 2 && isBytes(s.Params().At(0).Type())
}

// replaced rewrites string(bytes.ReplaceAll(b, ...)) to a call to strings.ReplaceAll, which saves
// one copy. It also rewrites calls to ToLower and similar functions.
func (k *copier) replaced(path []ast.Node, call *ast.CallExpr) (done, why string) {
	function := k.Callee(call)
	conversion, at := change.Around(path)
	outer, ok := conversion.(*ast.CallExpr)
	if !ok || k.converted(outer, toString) == nil {
		return "", ""
	}
	counterpart := "strings." + strings.TrimPrefix(function, "bytes.")
	switch function {
	case "bytes.ReplaceAll", "bytes.Replace", "bytes.ToLower", "bytes.ToUpper", "bytes.ToTitle", "bytes.ToValidUTF8":
	default:
		return "", ""
	}
	texts := []string{"string(" + k.Source(call.Args[0]) + ")"}
	for _, arg := range call.Args[1:] {
		x := k.converted(arg, toBytes)
		switch {
		case !isBytes(k.Package.TypesInfo.TypeOf(arg)): // arg is the count
			texts = append(texts, k.Source(arg))
		case x != nil && k.Package.TypesInfo.Types[x].Value != nil:
			texts = append(texts, k.asString(x))
		default:
			return "", counterpart + " would need a copy of another argument"
		}
		if !k.noEffects(arg) {
			return "", "another argument might change the bytes"
		}
	}
	if !types.Identical(k.Package.TypesInfo.TypeOf(outer), types.Typ[types.String]) {
		return "", "the string has a defined type"
	}
	if !k.Free(path, outer) {
		return "", change.Busy
	}
	qualifier, ok := k.Imported(path[:at+1], "strings")
	if !ok {
		return "", "another name shadows package strings"
	}
	k.Replace(outer.Pos(), outer.End(), strings.Replace(counterpart, "strings", qualifier, 1)+"("+strings.Join(texts, ", ")+")")
	k.Edits.Drop(k.Package.Fset, path[0].(*ast.File), "bytes")
	k.Take(outer)
	return "calls " + counterpart + ", which copies nothing where nothing changes", ""
}
