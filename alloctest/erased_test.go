package alloctest

import (
	"errors"
	"reflect"
	"runtime"
	"testing"
	"weak"
)

// TestErased verifies that the functions of an erased allocator behave like the typed originals.
func TestErased(t *testing.T) {
	type key struct {
		text string
		at   *hidden
	}
	values := map[key]*hidden{}
	e := erased(Allocator[key, hidden]{
		Alloc: func(v hidden) key {
			k := key{v.name, &v}
			values[k] = &v
			return k
		},
		At:     func(k key) *hidden { return values[k] },
		Delete: func(k key) { delete(values, k) },
		Make: func(n int) (key, []hidden) {
			row := make([]hidden, n, 2*n)
			return key{"row", &row[0]}, row
		},
		Append: func(s []hidden, more ...hidden) []hidden { return append(s, more...) },
	})
	v := e.plan.new()
	typedPointer[hidden](v).name = "seven"
	name := e.Alloc(v)
	if p := e.At(name); p == nil || p == v || typedPointer[hidden](p).name != "seven" {
		t.Errorf("a copy of the value is not found under its name %v", name)
	}
	e.Delete(name)
	if e.At(name) != nil || len(values) != 0 {
		t.Error("a value is there after Delete")
	}
	if e.pointed(name) != nil {
		t.Error("a name that is no pointer is one")
	}

	_, row := e.Make(3)
	more := e.plan.newSlice(2)
	typedPointer[hidden](e.plan.index(more, 1)).name = "last"
	all := typed[hidden](e.Append(row, more))
	if row.len != 3 || row.cap != 6 || len(all) != 5 || &all[0] != typedPointer[hidden](row.first) || all[4].name != "last" {
		t.Errorf("3 values of %d and 2 more are %d", row.cap, len(all))
	}
	if &all[2] != typedPointer[hidden](e.plan.index(row, 2)) {
		t.Error("value 2 of a row is not where it was")
	}
	if longer := e.lengthen(row); longer.len != 4 || longer.first != row.first || all[3].name != "" {
		t.Error("a row with room did not grow in place, by a zero value")
	}
}

// TestErasedIsAlive verifies that an erased value, or its name, keeps the value and its targets
// alive, and that they are collected afterwards.
func TestErasedIsAlive(t *testing.T) {
	e := erased(Allocator[*hidden, hidden]{New: Pointer(func() *hidden { return &hidden{next: new(hidden)} })})
	name, v := e.New()
	first, next := weak.Make(typedPointer[hidden](v)), weak.Make(typedPointer[hidden](v).next)
	if e.pointed(name) != v {
		t.Error("a name that is the pointer is not the value's")
	}
	collect()
	if first.Value() == nil || next.Value() == nil {
		t.Error("a value that is held without its type was dropped")
	}
	runtime.KeepAlive(v)
	collect()
	if first.Value() == nil || next.Value() == nil {
		t.Error("a value whose name is held was dropped")
	}
	runtime.KeepAlive(name)
	collect()
	if first.Value() != nil || next.Value() != nil {
		t.Error("a value that nobody holds is alive")
	}
}

// TestErasedHasEveryField verifies that erased copies every field of an Allocator that is set, and
// leaves the others unset.
func TestErasedHasEveryField(t *testing.T) {
	var a Allocator[int, string]
	nothing := reflect.ValueOf(erased(a))
	all := reflect.ValueOf(&a).Elem()
	for i := range all.NumField() {
		field := all.Type().Field(i)
		if !nothing.FieldByName(field.Name).IsZero() {
			t.Errorf("%s is set though it was not", field.Name)
		}
		switch f := all.Field(i); f.Kind() {
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { return nil }))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(1)
		default:
			f.Set(reflect.ValueOf(errors.New("full")))
		}
	}
	everything := reflect.ValueOf(erased(a))
	for i := range all.NumField() {
		if field := all.Type().Field(i); everything.FieldByName(field.Name).IsZero() {
			t.Errorf("%s is not set though it was", field.Name)
		}
	}
}

// TestErasedAllocatesNothing verifies that the kit does not allocate when it tests an allocator
// whose names are pointers.
func TestErasedAllocatesNothing(t *testing.T) {
	var one hidden
	e := erased(Allocator[*hidden, hidden]{
		New:    Pointer(func() *hidden { return &one }),
		At:     func(p *hidden) *hidden { return p },
		Delete: func(*hidden) {},
	})
	if n := testing.AllocsPerRun(100, func() {
		name, v := e.New()
		if e.At(name) != v {
			t.Error("New and At differ")
		}
		e.Delete(name)
	}); n != 0 {
		t.Errorf("New, At and Delete take %v allocations", n)
	}
}
