package avoidcopy

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// printers maps functions to the index of their format argument.
var printers = map[string]int{"fmt.Printf": 0, "fmt.Sprintf": 0, "fmt.Fprintf": 1, "fmt.Appendf": 1}

// format removes the conversion of bytes to a string if the result is printed with one of the verbs
// %s, %q, %x and %X. These verbs print bytes like a string.
func (k *copier) format(path []ast.Node, conversion *ast.CallExpr) (done, why string) {
	up, at := change.Around(path)
	call, ok := up.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	place, ok := printers[k.Callee(call)]
	operand := k.converted(conversion, toString)
	if !ok || operand == nil || call.Ellipsis.IsValid() {
		return "", ""
	}
	format := k.Package.TypesInfo.Types[call.Args[place]].Value
	if format == nil || format.Kind() != constant.String {
		return "", "the format is not constant"
	}
	verbs, ok := verbsOf(constant.StringVal(format))
	index := -1
	for i, arg := range call.Args {
		switch {
		case ast.Unparen(arg) == conversion:
			index = i - place - 1
		case !k.noEffects(arg) || i > place && hasMethods(k.Package.TypesInfo.TypeOf(arg)):
			return "", "another argument might change the bytes before they are printed"
		}
	}
	if !ok || index < 0 || index >= len(verbs) || !strings.ContainsRune("sqxX", rune(verbs[index])) {
		return "", "its verb prints bytes differently from a string"
	}
	if _, plain := types.Unalias(k.Package.TypesInfo.TypeOf(operand)).(*types.Slice); !plain || hasMethods(k.Package.TypesInfo.TypeOf(conversion)) {
		return "", "the bytes or the string have a defined type"
	}
	if !k.Free(path[:at+1], conversion) {
		return "", change.Busy
	}
	k.replace(path, operand)
	k.Take(conversion)
	return "%" + string(verbs[index]) + " prints the bytes", ""
}

// directive matches the flags, the width and the precision before a verb, in this order.
var directive = regexp.MustCompile(`^[-+# 0]*[0-9]*(\.[0-9]*)?`)

// verbsOf returns the verbs of a format in the order of the arguments. ok is false for formats with
// argument indices or a width of *.
func verbsOf(format string) (verbs []byte, ok bool) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		i += len(directive.FindString(format[i:]))
		switch {
		case i == len(format) || format[i] == '*' || format[i] == '[' || format[i] >= 0x80:
			return nil, false
		case format[i] != '%':
			verbs = append(verbs, format[i])
		}
	}
	return verbs, true
}

// hasMethods reports whether printing a value may call a method. It returns false only for basic
// types, and for slices of them.
func hasMethods(t types.Type) bool {
	_, plain := types.Unalias(t).(*types.Basic)
	slice, ok := types.Unalias(t).(*types.Slice)
	return !plain && (!ok || hasMethods(slice.Elem()))
}
