package formats_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/cmd/internal/formats"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// library is the source of a stub of package fmt.
const library = `package fmt
type Stringer interface{ String() string }
func Sprintf(format string, a ...any) string { return "" }
func Sprint(a ...any) string { return "" }
func Sprintln(a ...any) string { return "" }
func Fprintf(w any, format string, a ...any) (int, error) { return 0, nil }
func Errorf(format string, a ...any) error { return nil }
`

// declared contains the types and variables that the tested calls use.
const declared = `package p
import "fmt"
type Int int
type Uint8 uint8
type Text string
type Truth bool
type Level int
func (Level) String() string { return "" }
type Pointed int
func (*Pointed) String() string { return "" }
type Failure string
func (Failure) Error() string { return "" }
type Shape int
func (Shape) Format() {}
type List []int
var _ fmt.Stringer
`

type importing map[string]*types.Package

func (i importing) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return importer.Default().Import(path)
}

// call type-checks the call in text, inside a function with the given parameters, and returns the
// result of formats.Of for it.
func call(t interface{ Fatal(...any) }, parameters, text string) (formats.Call, string) {
	fset := token.NewFileSet()
	packages := importing{}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	var file *ast.File
	var pkg *types.Package
	for _, source := range []string{library, declared + "func f(" + parameters + ") { _ = " + text + " }"} {
		var err error
		if file, err = parser.ParseFile(fset, "a.go", source, 0); err != nil {
			t.Fatal(err)
		}
		if pkg, err = (&types.Config{Importer: packages}).Check(file.Name.Name, fset, []*ast.File{file}, info); err != nil {
			t.Fatal(source, err)
		}
		packages[pkg.Path()] = pkg
	}
	var last *ast.CallExpr
	ast.Inspect(file.Decls[len(file.Decls)-1], func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && last == nil {
			last = c
		}
		return true
	})
	return formats.Of(info, pkg, last)
}

// Calls that depend on methods, flags or widths, and calls whose verbs and operands do not match,
// cannot be rewritten.
func TestUnsupportedFormats(t *testing.T) {
	for _, c := range []struct{ parameters, call, why string }{
		{"x Level", `fmt.Sprintf("%d", x)`, "Level has methods"},
		{"x Failure", `fmt.Sprintf("%s", x)`, "Failure has methods"},
		{"x Shape", `fmt.Sprint(x)`, "Shape has methods"},
		{"x *Pointed", `fmt.Sprintf("%v", x)`, "in a special way"},
		{"x int", `fmt.Sprintf("%[1]d", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%*d", 3, x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%-3d", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%+d", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%#x", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("% d", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%02d", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%.3d", x)`, "no counterpart"},
		{"x string", `fmt.Sprintf("%.3s", x)`, "no counterpart"},
		{"x float64", `fmt.Sprintf("%.*f", 3, x)`, "a flag, a width"},
		{"x float64", `fmt.Sprintf("%.1000f", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%d %d", x)`, "verbs and operands differ"},
		{"x int", `fmt.Sprintf("%d", x, x)`, "verbs and operands differ"},
		{"x int", `fmt.Sprintf("%d%", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%.%", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%é", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%s", x)`, "no counterpart"},
		{"x byte", `fmt.Sprintf("%s", x)`, "no counterpart"},
		{"x string", `fmt.Sprintf("%d", x)`, "no counterpart"},
		{"x string", `fmt.Sprintf("%x", x)`, "no counterpart"},
		{"x int", `fmt.Sprintf("%c", x)`, "no counterpart"},
		{"x int64", `fmt.Sprintf("%q", x)`, "no counterpart"},
		{"x int", `fmt.Sprintf("%X", x)`, "a flag, a width"},
		{"x int", `fmt.Sprintf("%T", x)`, "a flag, a width"},
		{"x *int", `fmt.Sprintf("%p", x)`, "in a special way"},
		{"x []byte", `fmt.Sprintf("%s", x)`, "in a special way"},
		{"x List", `fmt.Sprint(x)`, "in a special way"},
		{"x error", `fmt.Sprint(x)`, "in a special way"},
		{"x any", `fmt.Sprint(x)`, "in a special way"},
		{"x complex128", `fmt.Sprint(x)`, "no counterpart"},
		{"", `fmt.Sprint(nil)`, "no counterpart"},
		{"x int", `fmt.Sprintf("%d", 5)`, "no operand varies"},
		{"x int", `fmt.Sprintf("five")`, "no operand varies"},
		{"x int", `fmt.Sprint()`, "no operand varies"},
		{"f string, x int", `fmt.Sprintf(f, x)`, "the format is not constant"},
		{"x []any", `fmt.Sprint(x...)`, "as a slice"},
		{"x int", `fmt.Errorf("%d", x)`, "not a call of package fmt"},
		{"f func(string, ...any) string, x int", `f("%d", x)`, "not a call of package fmt"},
	} {
		if _, why := call(t, c.parameters, c.call); !strings.Contains(why, c.why) {
			t.Errorf("%s of %s: %q, want %q", c.call, c.parameters, why, c.why)
		}
	}
}

// kinds maps operand types to generators of their values.
var kinds = map[string]*rapid.Generator[any]{
	"int": rapid.Int().AsAny(), "int8": rapid.Int8().AsAny(), "int16": rapid.Int16().AsAny(), "int32": rapid.Int32().AsAny(), "rune": rapid.Rune().AsAny(),
	"int64": rapid.Int64().AsAny(), "uint": rapid.Uint().AsAny(), "uint8": rapid.Uint8().AsAny(), "byte": rapid.Byte().AsAny(), "uint16": rapid.Uint16().AsAny(),
	"uint32": rapid.Uint32().AsAny(), "uint64": rapid.Uint64().AsAny(), "uintptr": rapid.Uintptr().AsAny(), "string": text().AsAny(), "bool": rapid.Bool().AsAny(),
	"float32": float32s().AsAny(), "float64": rapid.OneOf(rapid.Float64(), rapid.Map(rapid.Int64(), func(n int64) float64 { return float64(n) })).AsAny(),
	"Int": rapid.Map(rapid.Int(), func(n int) Int { return Int(n) }).AsAny(), "Uint8": rapid.Map(rapid.Uint8(), func(n uint8) Uint8 { return Uint8(n) }).AsAny(),
	"Text": rapid.Map(text(), func(s string) Text { return Text(s) }).AsAny(), "Truth": rapid.Map(rapid.Bool(), func(b bool) Truth { return Truth(b) }).AsAny(),
}

// These types mirror the ones in declared.
type (
	Int   int
	Uint8 uint8
	Text  string
	Truth bool
)

func text() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "\xff", "\x00", "\"", "%", "\n", "\u2028", "\U0010ffff"}), 0, 6), func(all []string) string { return strings.Join(all, "") })
}

func float32s() *rapid.Generator[float32] {
	return rapid.OneOf(rapid.Float32(), rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1e20, 1e21, 1e-5, 3.4e38}))
}

// The parts of a call produce the same string as fmt, for random formats and operands.
func TestTexts(t *testing.T) {
	names := slices.Sorted(maps.Keys(kinds))
	made := 0
	random.Check(t, func(t *rapid.T) {
		var parameters []string
		var values []any
		format := ""
		for i := range rapid.IntRange(1, 4).Draw(t, "operands") {
			kind := rapid.SampledFrom(names).Draw(t, "type")
			parameters = append(parameters, fmt.Sprintf("x%d %s", i, kind))
			values = append(values, kinds[kind].Draw(t, "value"))
			format += text().Filter(func(s string) bool { return !strings.Contains(s, "%") }).Draw(t, "text") + rapid.SampledFrom([]string{"", "%%"}).Draw(t, "percent")
			format += "%" + rapid.SampledFrom([]string{"d", "v", "s", "q", "x", "o", "b", "c", "t", "g", "f", "e", ".2f", ".0e", ".f", ".3g"}).Draw(t, "verb")
		}
		operands := make([]string, 0, len(values))
		for i := range values {
			operands = append(operands, fmt.Sprint("x", i))
		}
		list := strings.Join(operands, ", ")
		for source, want := range map[string]string{
			"fmt.Sprintf(" + strconv.Quote(format) + ", " + list + ")": fmt.Sprintf(format, values...),
			"fmt.Sprint(" + list + ")":                                 fmt.Sprint(values...),
			"fmt.Sprintln(" + list + ")":                               fmt.Sprintln(values...),
		} {
			c, why := call(t, strings.Join(parameters, ", "), source)
			if why != "" {
				continue
			}
			made++
			if got := texted(c, values); got != want {
				t.Errorf("%s of %#v is %q, and the parts %+v make %q", source, values, want, c.Parts, got)
			}
		}
	})
	if made < 100 {
		t.Errorf("only %d calls could be taken apart", made)
	}
}

// texted returns the string that the parts of c produce for the given values.
func texted(c formats.Call, values []any) (text string) {
	for _, p := range c.Parts {
		if p.Operand == nil {
			text += p.Text
			continue
		}
		i, _ := strconv.Atoi(p.Operand.(*ast.Ident).Name[1:])
		v := reflect.ValueOf(values[i])
		switch p.Way {
		case formats.AsIs:
			text += v.String()
		case formats.Signed:
			text += strconv.FormatInt(v.Int(), p.Base)
		case formats.Unsigned:
			text += strconv.FormatUint(v.Uint(), p.Base)
		case formats.Rune:
			text += string(v.Convert(reflect.TypeFor[rune]()).Interface().(rune))
		case formats.Quoted:
			text += strconv.Quote(v.String())
		case formats.QuotedRune:
			text += strconv.QuoteRune(v.Convert(reflect.TypeFor[rune]()).Interface().(rune))
		case formats.Truth:
			text += strconv.FormatBool(v.Bool())
		case formats.Float:
			text += strconv.FormatFloat(v.Float(), p.Format, p.Digits, p.Bits)
		}
	}
	return text
}
