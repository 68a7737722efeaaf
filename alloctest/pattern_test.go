package alloctest

import (
	"reflect"
	"testing"
)

// hidden has unexported fields, which reflection cannot set.
type hidden struct {
	flag  bool
	small int8
	big   uint64
	ratio float32
	both  complex128
	name  string
	bytes [11]byte
	rows  [2]struct{ cells []uint16 }
	next  *hidden
	any   any
}

// TestFillAndDiffers verifies that fill sets every leaf of a value, and that differs detects a
// change to any leaf and reports its path.
func TestFillAndDiffers(t *testing.T) {
	var v hidden
	pl := planOf(reflect.TypeFor[hidden]())
	fill(pl, pointer(&v), manner{number: 7})
	if at := differs(pl, pointer(&v), manner{number: 7}); at != "" {
		t.Fatalf("a value that was filled differs at %s", at)
	}
	if at := differs(pl, pointer(&v), manner{number: 8}); at != "value.small" { // a bool has only one pattern
		t.Errorf("values 7 and 8 differ at %q", at)
	}
	for want, spoil := range map[string]func(*hidden){
		"value.flag":             func(v *hidden) { v.flag = false },
		"value.small":            func(v *hidden) { v.small++ },
		"value.big":              func(v *hidden) { v.big ^= 1 << 63 },
		"value.ratio":            func(v *hidden) { v.ratio++ },
		"value.both":             func(v *hidden) { v.both *= 2 },
		"value.name":             func(v *hidden) { v.name = v.name[1:] },
		"value.bytes[10]":        func(v *hidden) { v.bytes[10]++ },
		"value.rows[1].cells":    func(v *hidden) { v.rows[1].cells = v.rows[1].cells[:7] },
		"value.rows[0].cells[3]": func(v *hidden) { v.rows[0].cells[3]++ },
		"value.next":             func(v *hidden) { v.next = nil },
		"value.next.big":         func(v *hidden) { v.next.big = 0 },
		"value.any":              func(v *hidden) { v.any = 1 },
		"value.any[2]":           func(v *hidden) { v.any.(*[4]uint64)[2]++ },
	} {
		var v hidden
		fill(pl, pointer(&v), manner{number: 7})
		spoil(&v)
		if at := differs(pl, pointer(&v), manner{number: 7}); at != want {
			t.Errorf("spoilt at %s, found at %q", want, at)
		}
	}
}

func TestNotZero(t *testing.T) {
	var v hidden
	if at := notZero(planOf(reflect.TypeFor[hidden]()), pointer(&v)); at != "" {
		t.Errorf("a zero value is not zero at %s", at)
	}
	v.rows[1].cells = []uint16{}
	if at := notZero(planOf(reflect.TypeFor[hidden]()), pointer(&v)); at != "value.rows[1].cells" {
		t.Errorf("not zero at %q", at)
	}
}

// TestWatch verifies that the pointees made by fill stay alive as long as the values that point to
// them, and no longer.
func TestWatch(t *testing.T) {
	const values = 100
	w := new(watch)
	all := make([]*hidden, values)
	for i := range all {
		all[i] = new(hidden)
		fill(planOf(reflect.TypeFor[hidden]()), pointer(all[i]), manner{number: uint64(i), watch: w})
	}
	collect()
	if got := len(w.pointees); got < 6*values || w.alive() != got {
		t.Errorf("%d of %d variables are alive while the values are", w.alive(), got)
	}
	for i := range all {
		if at := differs(planOf(reflect.TypeFor[hidden]()), pointer(all[i]), manner{number: uint64(i)}); at != "" {
			t.Errorf("value %d differs at %s", i, at)
		}
	}
	clear(all)
	collect()
	if alive := w.alive(); alive > stillHeld {
		t.Errorf("%d of %d variables are alive when the values are gone", alive, len(w.pointees))
	}
}

func TestHistory(t *testing.T) {
	var h history
	if got := h.String(); got != "nothing" {
		t.Errorf("an empty history is %q", got)
	}
	for range 12 {
		h.add("New")
	}
	h.add("Reset")
	if got := h.String(); got != "New x 12, Reset" {
		t.Errorf("history %q", got)
	}
	for range shown {
		h.add("New")
		h.add("Delete")
	}
	if got := h.String(); len(got) > 300 || got[:25] != "22 more, then New, Delete" {
		t.Errorf("a long history is %q", got)
	}
}

// TestEveryPromiseHasATest verifies that each promise has exactly one test.
func TestEveryPromiseHasATest(t *testing.T) {
	seen := map[Promise]bool{}
	for _, test := range tests(&allocator{plan: planOf(reflect.TypeFor[int]())}) {
		if seen[test.promise] || test.run == nil {
			t.Errorf("%s is tested twice, or not at all", test.promise)
		}
		seen[test.promise] = true
	}
	if len(seen) != 26 {
		t.Errorf("%d promises are tested, want 26", len(seen))
	}
}
