package checkfirst

import "fmt"

// A function describes a function that the edit adds to the package, to be called instead of a
// function of package strconv.
type function struct {
	name       string // name of the new function
	old        string // name of the strconv function
	parameters string
	arguments  string // arguments for the strconv function, such as s, base, bitSize
	result     string // type of the result besides the error
	none       string // result of the strconv function for text that begins with another byte
	not        string // condition that s is empty, or begins with a byte that begins no valid text
	like       string // description of a valid text
	based      bool   // whether the second argument is the base
}

const (
	notDigit  = `s[0] < '0' || s[0] > '9'`
	notSigned = `s == "" || s[0] != '+' && s[0] != '-' && (` + notDigit + `)`
)

// functions maps functions of package strconv to the new functions. A new function may return early
// only if strconv's function returns zero or false, and an error. This is true of an empty string,
// and of a string that does not begin with one of the bytes for which the new function tests. If
// the function has a base, it is true only up to base 10. An underscore must be one of these bytes:
// for base 0, strconv skips it before it reports the error, so ParseUint("_999", 0, 8) returns 255
// and an error.
var functions = map[string]function{
	"strconv.Atoi": {name: "atoiIfNumber", old: "Atoi", parameters: "s string", arguments: "s", result: "int", none: "0", not: notSigned, like: "a number"},
	"strconv.ParseInt": {name: "parseIntIfNumber", old: "ParseInt", parameters: "s string, base, bitSize int", arguments: "s, base, bitSize", result: "int64", none: "0",
		not: `base <= 10 && (s == "" || s[0] != '_' && s[0] != '+' && s[0] != '-' && (` + notDigit + `))`, like: "a number", based: true},
	"strconv.ParseUint": {name: "parseUintIfNumber", old: "ParseUint", parameters: "s string, base, bitSize int", arguments: "s, base, bitSize", result: "uint64", none: "0",
		not: `base <= 10 && (s == "" || s[0] != '_' && (` + notDigit + `))`, like: "a number", based: true},
	"strconv.ParseFloat": {name: "parseFloatIfNumber", old: "ParseFloat", parameters: "s string, bitSize int", arguments: "s, bitSize", result: "float64", none: "0",
		not: `s == "" || s[0] != '+' && s[0] != '-' && s[0] != '.' && s[0]|' ' != 'i' && s[0]|' ' != 'n' && (` + notDigit + `)`, like: "a number, Inf or NaN"},
	"strconv.ParseBool": {name: "parseBoolIfBool", old: "ParseBool", parameters: "s string", arguments: "s", result: "bool", none: "false",
		not: `s == "" || s[0] != '0' && s[0] != '1' && s[0]|' ' != 't' && s[0]|' ' != 'f'`, like: "a bool"},
}

// text returns the source of the function. The file imports package strconv under the given name.
func (f function) text(strconv string) string {
	return fmt.Sprintf(`
// %[1]s is %[2]s.%[3]s, but allocates no error for text that does not begin like %[4]s.
func %[1]s(%[5]s) (%[6]s, error) {
	if %[7]s {
		return %[8]s, %[2]s.ErrSyntax
	}
	return %[2]s.%[3]s(%[9]s)
}
`, f.name, strconv, f.old, f.like, f.parameters, f.result, f.not, f.none, f.arguments)
}
