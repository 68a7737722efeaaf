package reach

import (
	"go/types"
	"os"
	"path/filepath"
	"testing"
)

// appending contains one slice type per case. Other code can observe at most one slice of each
// type.
const appending = `package m

import (
	"reflect"
	"slices"
	"unsafe"
)

type (
	panicked int
	viewed   int
	renewed  int
	printed  int
	bare     int
	value    int
	read     int
	beside   int
	alone    int
)

func panics(x []panicked) []panicked {
	var own []panicked
	own = append(own, x...)
	panic(own)
	own = append(own, 1)
	return own
}

func views(x []viewed) []viewed {
	var own []viewed
	own = append(own, x...)
	_ = unsafe.SliceData(own)
	own = append(own, 1)
	return own
}

func renews(x []renewed) []renewed {
	var own []renewed
	own = append(own, x...)
	_ = new(own)
	own = append(own, 1)
	return own
}

func prints(x []printed) { println(x) }

func without(x struct{ inner *[]bare })

var table = []func([]value, int, ...value) []value{slices.Insert[[]value]}

func reads(x []read) []read {
	var own []read
	own = append(own, x...)
	clear(own)
	_, _, _ = len(own), copy(own, x), unsafe.Sizeof(own)
	own = append(own, 1)
	return own
}

type page struct {
	number int
	list   []beside
}

func words(p page) *[4]int { return (*[4]int)(unsafe.Pointer(&p.number)) }

func bits(x float64, list []alone) (uint64, reflect.Kind) {
	return *(*uint64)(unsafe.Pointer(&x)), reflect.ValueOf(list).Kind()
}
`

// noted returns the first room of slices of each named type. It omits rooms that apply to slices of
// any type.
func noted(t *testing.T, source string, names ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": source, "m.s": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Load(t.Context(), dir, append(os.Environ(), "GOWORK=off"), "example.com/m", nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		all[name] = ""
		list := types.NewSlice(scope(t, m, "example.com/m").Lookup(name).Type())
		for _, r := range m.Rooms("example.com/m", list) {
			all[name] = r.String()
			break
		}
	}
	return all
}

func TestAppends(t *testing.T) {
	want := map[string]string{
		"panicked": "m.go:25 (append)", "viewed": "m.go:33 (append)", "renewed": "m.go:41 (append)", "printed": "m.go:45 (print)",
		"bare": "m.go:47 (without has no body)", "value": "m.go:49 (Insert as a value)", "beside": "m.go:65 (given to unsafe)",
	}
	got := noted(t, appending, "panicked", "viewed", "renewed", "printed", "bare", "value", "read", "beside", "alone")
	for name, where := range got {
		if where != want[name] {
			t.Errorf("[]%s: %q, want %q", name, where, want[name])
		}
	}
}
