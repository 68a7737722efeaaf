package cpp

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// keywords contains the words that cannot be used as names in a C++ header: C++ keywords, macros of
// the standard library and the compilers, and common words that windows.h, Apple's AssertMacros.h,
// Objective-C++ or Qt define as macros.
var keywords = strings.Fields(`
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
assert errno linux major makedev minor offsetof setjmp signal stderr stdin stdout unix
BUFSIZ EOF FALSE FILENAME_MAX HUGE_VAL INFINITY NAN NULL RAND_MAX SEEK_CUR SEEK_END SEEK_SET TRUE
CONST DELETE ERROR IN OPTIONAL OUT VOID cdecl far interface max min near pascal small
check nil require verify Nil NO YES emit foreach forever signals slots
std coppice`)

// macroName matches names that look like macros: several capitalized words, separated by
// underscores. System headers define thousands of such macros.
var macroName = regexp.MustCompile(`^[A-Z0-9]+(_[A-Z0-9]+)+$`)

// safe converts a name to one that can be used in C++. It adds an underscore to names that are
// reserved or look like macros, and replaces double underscores, which are reserved for the
// implementation.
func safe(name string) string {
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	if slices.Contains(keywords, name) || macroName.MatchString(name) {
		name = strings.TrimSuffix(name, "_") + "_"
	}
	return name
}

// snake converts a Go name to snake case: URLPath becomes url_path.
func snake(name string) string {
	runes := []rune(name)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' {
			after := !unicode.IsUpper(runes[i-1])
			before := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if after || before {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return safe(b.String())
}

// snakes converts names to snake case. It changes the results where necessary, so that they differ
// from each other and from all names in taken.
func snakes(names []string, taken ...string) []string {
	var all []string
	all = slices.Grow(all, len(names))
	for _, name := range names {
		one := snake(name)
		for slices.Contains(all, one) || slices.Contains(taken, one) {
			one = strings.TrimSuffix(one, "_") + strconv.Itoa(len(all))
		}
		all = append(all, one)
	}
	return all
}

// checkNames returns an error if a schema type has a name that the header needs for a generated
// type.
func checkNames(m *schema.Model) error {
	needed := map[string]string{}
	for _, s := range append(append([]*schema.Struct{}, m.Structs...), m.Records[1:]...) {
		needed[s.Name+"Fields"] = s.Name
	}
	refuse := func(pos token.Position, name string) error {
		if of := needed[name]; of != "" {
			return schema.Problems{{Pos: pos, Text: fmt.Sprintf("the C++ header needs the name %s for the fields of %s; rename one of the two", name, of)}}
		}
		return nil
	}
	for _, sum := range m.Sums {
		if err := refuse(sum.Pos, sum.Name); err != nil {
			return err
		}
	}
	for _, s := range append(append([]*schema.Struct{}, m.Structs...), m.Records[1:]...) {
		if err := refuse(s.Pos, s.Name); err != nil {
			return err
		}
	}
	return nil
}

// memberNames returns the C++ names of the fields of a struct, in order.
func memberNames(s *schema.Struct) []string {
	var names []string
	names = slices.Grow(names, len(s.Fields))
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	return snakes(names, "record") // a struct of fields declares the type name record
}
