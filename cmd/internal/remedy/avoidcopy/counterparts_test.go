package avoidcopy

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

// functions contains, by name, the functions that occur in counterparts, and pairs F of functions
// for which string(bytes.F(b)) becomes strings.F(s).
var functions = map[string]any{
	"strings.Compare": strings.Compare, "bytes.Compare": bytes.Compare, "strings.Contains": strings.Contains, "bytes.Contains": bytes.Contains,
	"strings.ContainsAny": strings.ContainsAny, "bytes.ContainsAny": bytes.ContainsAny, "strings.ContainsRune": strings.ContainsRune,
	"bytes.ContainsRune": bytes.ContainsRune, "strings.Count": strings.Count, "bytes.Count": bytes.Count, "strings.EqualFold": strings.EqualFold,
	"bytes.EqualFold": bytes.EqualFold, "strings.HasPrefix": strings.HasPrefix, "bytes.HasPrefix": bytes.HasPrefix, "strings.HasSuffix": strings.HasSuffix,
	"bytes.HasSuffix": bytes.HasSuffix, "strings.Index": strings.Index, "bytes.Index": bytes.Index, "strings.IndexAny": strings.IndexAny,
	"bytes.IndexAny": bytes.IndexAny, "strings.IndexByte": strings.IndexByte, "bytes.IndexByte": bytes.IndexByte, "strings.IndexRune": strings.IndexRune,
	"bytes.IndexRune": bytes.IndexRune, "strings.LastIndex": strings.LastIndex, "bytes.LastIndex": bytes.LastIndex,
	"strings.LastIndexAny": strings.LastIndexAny, "bytes.LastIndexAny": bytes.LastIndexAny, "strings.LastIndexByte": strings.LastIndexByte,
	"bytes.LastIndexByte": bytes.LastIndexByte, "unicode/utf8.RuneCountInString": utf8.RuneCountInString, "unicode/utf8.RuneCount": utf8.RuneCount,
	"unicode/utf8.ValidString": utf8.ValidString, "unicode/utf8.Valid": utf8.Valid, "unicode/utf8.FullRuneInString": utf8.FullRuneInString,
	"unicode/utf8.FullRune": utf8.FullRune, "unicode/utf8.DecodeRuneInString": utf8.DecodeRuneInString, "unicode/utf8.DecodeRune": utf8.DecodeRune,
	"unicode/utf8.DecodeLastRuneInString": utf8.DecodeLastRuneInString, "unicode/utf8.DecodeLastRune": utf8.DecodeLastRune,

	"strings.ReplaceAll": strings.ReplaceAll, "bytes.ReplaceAll": bytes.ReplaceAll, "strings.ToLower": strings.ToLower, "bytes.ToLower": bytes.ToLower,
	"strings.ToUpper": strings.ToUpper, "bytes.ToUpper": bytes.ToUpper, "strings.ToTitle": strings.ToTitle, "bytes.ToTitle": bytes.ToTitle,
	"strings.ToValidUTF8": strings.ToValidUTF8, "bytes.ToValidUTF8": bytes.ToValidUTF8,
}

// function returns the function with the given name. A method of regexp.Regexp is bound to an
// arbitrary regular expression.
func function(name string) reflect.Value {
	if method, ok := strings.CutPrefix(name, "(*regexp.Regexp)."); ok {
		return reflect.ValueOf(regexp.MustCompile(`(a+|é)|b`)).MethodByName(method)
	}
	return reflect.ValueOf(functions[name])
}

// TestCounterparts verifies that both functions of a pair return equal results for random
// arguments, some of which are not valid UTF-8.
func TestCounterparts(t *testing.T) {
	all := append([]pair{}, counterparts...)
	for _, name := range []string{"ReplaceAll ttt", "ToLower t", "ToUpper t", "ToTitle t", "ToValidUTF8 tt"} {
		name, arguments, _ := strings.Cut(name, " ")
		all = append(all, pair{"strings." + name, "bytes." + name, arguments})
	}
	text := rapid.StringOf(rapid.SampledFrom([]rune{'a', 'b', 'A', 'é', 'É', 'ǅ', 'İ', 'ß', ' ', 0xfffd, '世'}))
	for _, p := range all {
		random.Check(t, func(t *rapid.T) {
			of, as := function(p.text), function(p.bytes)
			var a, b []reflect.Value
			for i, kind := range p.arguments {
				if kind == 't' {
					s := text.Draw(t, "text") + rapid.SampledFrom([]string{"", "", "\xff", "\xe4\xb8"}).Draw(t, "broken")
					a, b = append(a, reflect.ValueOf(s)), append(b, reflect.ValueOf([]byte(s)))
					continue
				}
				other := reflect.ValueOf(text.Draw(t, "characters"))
				if want := of.Type().In(i); want.Kind() != reflect.String {
					other = reflect.ValueOf(rapid.IntRange(-1, 300).Draw(t, "number")).Convert(want)
				}
				a, b = append(a, other), append(b, other)
			}
			x, y := fmt.Sprintf("%s", results(of.Call(a))), fmt.Sprintf("%s", results(as.Call(b)))
			if x != y {
				t.Errorf("%s%v is %s, and %s is %s", p.text, a, x, p.bytes, y)
			}
		})
	}
}

// results returns the values as interfaces, so that they can be compared.
func results(values []reflect.Value) (all []any) {
	for _, v := range values {
		all = append(all, v.Interface())
	}
	return all
}

// TestVerbs verifies that %s, %q, %x and %X print a byte slice and a string in the same way, with
// any flags.
func TestVerbs(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		format := "%" + rapid.StringMatching(`[-+# 0]{0,3}[0-9]{0,2}(\.[0-9]?)?[sqxX]`).Draw(t, "format")
		s := rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", "\xff"}).Draw(t, "broken")
		if verbs, ok := verbsOf(format); !ok || len(verbs) != 1 {
			t.Fatalf("%s has the verbs %q", format, verbs)
		}
		if a, b := fmt.Sprintf(format, s), fmt.Sprintf(format, []byte(s)); a != b {
			t.Errorf("%s of %q is %q, and of bytes %q", format, s, a, b)
		}
	})
}

// TestVerbsOfAnyFormat verifies the same for random formats: wherever verbsOf reports one of these
// verbs, a byte slice may replace the string.
func TestVerbsOfAnyFormat(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		format := rapid.StringOfN(rapid.SampledFrom([]rune("%%%%-+# 0.59sqxXvdT*[1]!wé")), 0, 12, -1).Draw(t, "format")
		verbs, ok := verbsOf(format)
		if !ok {
			return
		}
		for i := range min(len(verbs), 3) {
			if !strings.ContainsRune("sqxX", rune(verbs[i])) {
				continue
			}
			texts, bytes := []any{"a", "b", "c"}, []any{"a", "b", "c"}
			bytes[i] = []byte(texts[i].(string))
			if a, b := fmt.Sprintf(format, texts...), fmt.Sprintf(format, bytes...); a != b {
				t.Errorf("%s prints %q with text %d, and %q with bytes", format, a, i, b)
			}
		}
	})
}
