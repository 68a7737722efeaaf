package store_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/store"
)

// calls returns the calls of a Store, a Writer and a Handles that may panic. The key is the name
// with which the panic message must begin.
func calls(s *store.Store[int64], w *store.Writer[int64], h *store.Handles[int64]) map[string]func() {
	return map[string]func(){
		"store.Store.Alloc": func() { s.Alloc(1) }, "store.Store.New": func() { s.New() }, "store.Store.Make": func() { s.Make(1) },
		"store.Writer.Alloc": func() { w.Alloc(1) }, "store.Writer.New": func() { w.New() }, "store.Writer.Make": func() { w.Make(1) },
		"store.Handles.Alloc": func() { h.Alloc(1) }, "store.Handles.New": func() { h.New() },
		"store.Store.At": func() { s.At(1) }, "store.Store.Slice": func() { s.Slice() }, "store.Store.Delete": func() { s.Delete(1) },
		"store.Store.Len": func() { s.Len() }, "store.Store.Cap": func() { s.Cap() }, "store.Store.Max": func() { s.Max() },
		"store.Store.All": func() { s.All() }, "store.Store.Reset": s.Reset, "store.Store.Writer": func() { s.Writer() },
		"store.Store.AllocText": func() { s.AllocText("a") }, "store.Store.Text": func() { s.Text(store.Text{}) },
		"store.Store.TextBytes": func() { s.TextBytes(store.Text{}) },
	}
}

// The panics of a full store begin with the name of the method that was called.
func TestPanicsOfAFullStoreNameTheirCall(t *testing.T) {
	s := open[int64](t, store.Options{Max: 1})
	s.Alloc(1)
	w := s.Writer()
	defer w.Close()
	h, err := store.NewHandles[int64](store.Options{Max: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.Alloc(1)
	for name, call := range calls(s, w, h) {
		switch name[strings.LastIndex(name, ".")+1:] {
		case "Alloc", "New", "Make":
			if got := panicOf(call); !strings.HasPrefix(got, name+": ") || !strings.Contains(got, "the store is full: it holds 1 records, and the maximum is 1") {
				t.Errorf("%s of a full store: panic %q", name, got)
			}
		}
	}
}

// The panics and errors of the zero Store and the zero Writer name the method and the remedy.
func TestPanicsOfTheZeroStoreNameTheirCall(t *testing.T) {
	var s store.Store[int64]
	var w store.Writer[int64]
	for name, call := range calls(&s, &w, nil) {
		if strings.HasPrefix(name, "store.Handles.") {
			continue // the zero Handles works
		}
		if got := panicOf(call); !strings.HasPrefix(got, name+": ") || !strings.Contains(got, "not made by store.New") {
			t.Errorf("%s of the zero Store: panic %q", name, got)
		}
	}
	made := open[int64](t, store.Options{})
	_, errTry := s.TryAlloc(1)
	_, errClone := s.Clone()
	for name, err := range map[string]error{
		"TryAlloc": errTry, "Clone": errClone, "Trim": s.Trim(), "CopyFrom": s.CopyFrom(made),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "store.Store."+name+": this store was not made by store.New") {
			t.Errorf("%s of the zero Store: %v", name, err)
		}
	}
	if err := made.CopyFrom(&s); err == nil {
		t.Error("the zero Store was copied")
	}
	w.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The panics of a closed store begin with the name of the method that was called.
func TestPanicsOfAClosedStoreNameTheirCall(t *testing.T) {
	s := open[int64](t, store.Options{})
	w := s.Writer()
	h, err := store.NewHandles[int64](store.Options{Max: 10})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	for name, call := range calls(s, w, h) {
		switch name {
		case "store.Store.Len", "store.Store.Cap", "store.Store.Max", "store.Store.All", "store.Store.Text", "store.Store.TextBytes":
			continue // they find nothing
		}
		if got := panicOf(call); !strings.HasPrefix(got, name+": ") || !strings.Contains(got, "the store is closed") {
			t.Errorf("%s of a closed store: panic %q", name, got)
		}
	}
}

// Errors of NewHandles begin with its name, and not with the name of New.
func TestErrorsNameTheirCall(t *testing.T) {
	for want, options := range map[string]store.Options{
		"store.NewHandles: negative Max -1":              {Max: -1},
		"store.NewHandles: invalid HugePages 3: must be": {HugePages: 3},
	} {
		if _, err := store.NewHandles[int64](options); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("NewHandles(%+v) gave %v", options, err)
		}
	}
	_, err := store.NewHandles[*int](store.Options{}) //coppice:ignore recordpointers it looks at the refusal
	if err == nil || !strings.HasPrefix(err.Error(), "store.NewHandles: ") {
		t.Errorf("NewHandles of pointers gave %v", err)
	}
}
