package varlen

import (
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

type name string

type blob []byte

// Bytes returns the bytes of a value. Value returns a value with the given bytes that shares no
// memory with them.
func TestForms(t *testing.T) {
	try(t, "")
	try(t, "a text")
	try(t, name("a name"))
	try(t, []byte("some bytes"))
	try(t, blob("a blob"))
	try[blob](t, nil)
}

func try[V ~string | ~[]byte](t *testing.T, v V) {
	t.Helper()
	f := FormOf[V]()
	b := f.Bytes(&v)
	if string(b) != string(v) {
		t.Errorf("%q has the bytes %q", string(v), b)
	}
	room := append([]byte(nil), v...)
	back := f.Value(room)
	clear(room)
	if string(back) != string(v) {
		t.Errorf("%q became %q", string(v), string(back))
	}
	if s, ok := any(back).([]byte); ok && s == nil {
		t.Error("a value is nil")
	}
	if n := testing.AllocsPerRun(10, func() { b = f.Bytes(&v) }); n > 0 && !checks.Enabled {
		t.Errorf("Bytes allocates %v times", n)
	}
}
