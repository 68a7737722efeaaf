package flow

import (
	"bytes"
	"net"
	"net/textproto"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unsafe"
)

// standard contains the functions in the table shares, by name. relations passes them a text and
// arguments that depend on the types of the other parameters: "," for a string, the index of the
// parameter plus one for an int, and unicode.IsSpace for a func(rune) bool.
var standard = map[string]any{
	"strings.TrimSpace": strings.TrimSpace, "strings.Trim": strings.Trim, "strings.TrimLeft": strings.TrimLeft, "strings.TrimRight": strings.TrimRight,
	"strings.TrimFunc": strings.TrimFunc, "strings.TrimLeftFunc": strings.TrimLeftFunc, "strings.TrimRightFunc": strings.TrimRightFunc,
	"strings.TrimPrefix": strings.TrimPrefix, "strings.TrimSuffix": strings.TrimSuffix,
	"strings.Cut": strings.Cut, "strings.CutPrefix": strings.CutPrefix, "strings.CutSuffix": strings.CutSuffix,
	"strings.Split": strings.Split, "strings.SplitN": strings.SplitN, "strings.SplitAfter": strings.SplitAfter, "strings.SplitAfterN": strings.SplitAfterN,
	"strings.Fields": strings.Fields, "strings.FieldsFunc": strings.FieldsFunc,

	"bytes.TrimSpace": bytes.TrimSpace, "bytes.Trim": bytes.Trim, "bytes.TrimLeft": bytes.TrimLeft, "bytes.TrimRight": bytes.TrimRight,
	"bytes.TrimFunc": bytes.TrimFunc, "bytes.TrimLeftFunc": bytes.TrimLeftFunc, "bytes.TrimRightFunc": bytes.TrimRightFunc,
	"bytes.TrimPrefix": bytes.TrimPrefix, "bytes.TrimSuffix": bytes.TrimSuffix,
	"bytes.Cut": bytes.Cut, "bytes.CutPrefix": bytes.CutPrefix, "bytes.CutSuffix": bytes.CutSuffix,
	"bytes.Split": bytes.Split, "bytes.SplitN": bytes.SplitN, "bytes.SplitAfter": bytes.SplitAfter, "bytes.SplitAfterN": bytes.SplitAfterN,
	"bytes.Fields": bytes.Fields, "bytes.FieldsFunc": bytes.FieldsFunc,

	"slices.Clip": slices.Clip[[]byte], "slices.Compact": slices.Compact[[]byte], "slices.Delete": slices.Delete[[]byte],
	"slices.CompactFunc": slices.CompactFunc[[]byte], "slices.DeleteFunc": slices.DeleteFunc[[]byte],

	"path.Base": path.Base, "path.Ext": path.Ext, "path.Split": path.Split,
	"path/filepath.Base": filepath.Base, "path/filepath.Ext": filepath.Ext, "path/filepath.Split": filepath.Split, "path/filepath.VolumeName": filepath.VolumeName,
	"net.SplitHostPort": net.SplitHostPort, "net/textproto.TrimString": textproto.TrimString, "net/textproto.TrimBytes": textproto.TrimBytes,
	"strconv.QuotedPrefix": strconv.QuotedPrefix,

	"(*regexp.Regexp).Find": (*regexp.Regexp).Find, "(*regexp.Regexp).FindString": (*regexp.Regexp).FindString,
	"(*regexp.Regexp).FindSubmatch": (*regexp.Regexp).FindSubmatch, "(*regexp.Regexp).FindStringSubmatch": (*regexp.Regexp).FindStringSubmatch,
	"(*regexp.Regexp).FindAll": (*regexp.Regexp).FindAll, "(*regexp.Regexp).FindAllString": (*regexp.Regexp).FindAllString,
	"(*regexp.Regexp).Split": (*regexp.Regexp).Split,
}

// texts contains the arguments for the functions. Some functions return part of their argument only
// for one of these texts.
var texts = []string{" ab ,  c:d/e.f ", "host:80", `"quoted" rest`, ",x,"}

// TestShares calls each function in the table, and determines whether its results share memory with
// the text. The table must contain the same letters: 'p' for a result that is part of the text, 'l'
// for a list of such parts, and '-' for any other result.
func TestShares(t *testing.T) {
	for name, gives := range shares {
		fn := standard[name]
		if fn == nil {
			t.Errorf("%s is not in the test", name)
			continue
		}
		got := []byte(strings.Repeat("-", len(gives)))
		for _, text := range texts {
			for i, how := range relations(fn, text) {
				if how != '-' {
					got[i] = how
				}
			}
		}
		if name == "path/filepath.VolumeName" && filepath.Separator == '/' {
			got = []byte(gives) // always empty on such a system
		}
		if string(got) != gives {
			t.Errorf("%s has results %s, and the table says %s", name, got, gives)
		}
	}
	if len(standard) != len(shares) {
		t.Errorf("the test has %d functions, and the table %d", len(standard), len(shares))
	}
}

// relations calls a function with a text and returns the letters for its results.
func relations(fn any, text string) (all []byte) {
	f := reflect.ValueOf(fn)
	in := make([]reflect.Value, f.Type().NumIn())
	given := false
	for i := range in {
		switch of := f.Type().In(i); {
		case of == reflect.TypeFor[*regexp.Regexp]():
			in[i] = reflect.ValueOf(regexp.MustCompile("[b-y]+"))
		case of.Kind() == reflect.Int:
			in[i] = reflect.ValueOf(i + 1) // slices.Delete takes two of them
		case of == reflect.TypeFor[func(rune) bool]():
			in[i] = reflect.ValueOf(unicode.IsSpace)
		case of == reflect.TypeFor[func(byte) bool]():
			in[i] = reflect.ValueOf(func(b byte) bool { return b == ' ' })
		case of == reflect.TypeFor[func(byte, byte) bool]():
			in[i] = reflect.ValueOf(func(a, b byte) bool { return a == b })
		case !given:
			in[i], given = reflect.ValueOf(text).Convert(of), true
		default:
			in[i] = reflect.ValueOf(",").Convert(of)
		}
	}
	from := in[0]
	if from.Kind() == reflect.Pointer {
		from = in[1]
	}
	for _, result := range f.Call(in) {
		all = append(all, relation(from, result))
	}
	return all
}

// relation returns the letter for a result, which depends on whether the bytes of the result, or of
// its elements, lie in the text.
func relation(text, result reflect.Value) byte {
	switch {
	case result.Kind() == reflect.String || result.Kind() == reflect.Slice && result.Type().Elem().Kind() == reflect.Uint8:
		if from, to, at := start(text), start(text)+uintptr(text.Len()), start(result); result.Len() > 0 && from <= at && at < to {
			return 'p'
		}
	case result.Kind() == reflect.Slice:
		for i := range result.Len() {
			if relation(text, result.Index(i)) == 'p' {
				return 'l'
			}
		}
	}
	return '-'
}

func start(v reflect.Value) uintptr {
	if v.Kind() == reflect.String {
		return uintptr(unsafe.Pointer(unsafe.StringData(v.String())))
	}
	return uintptr(v.UnsafePointer())
}
