package arena

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/coppice-go/coppice/internal/owner"
	"github.com/coppice-go/coppice/slab"
)

// Export returns a copy of v for the time after Reset. It looks at everything that v reaches, in the arena and
// outside, fields that are not exported too. What lies in the arena is copied to the Go heap, and so is what
// lies outside and refers to a value of the arena, however far away; all else stays as it is.
//
// Pointers that are equal stay equal, so shared values stay shared and cycles stay cycles; so do equal slices and
// maps. A pointer into the middle of another value gets a copy of its own. Channels, functions and unsafe
// pointers stay as they are, and Export does not see what is behind them.
//
// An allocator of this module that v reaches stays as it is, with what only the allocator refers to.
//
// Export changes nothing but its result. With a nil arena it returns v. It takes some hundred nanoseconds for each
// value that v reaches, by reflection: it is for the few results that outlive a phase.
func Export[T any](a *Arena, v T) T {
	if a == nil {
		return v
	}
	e := exporter{known: map[address]*object{}, texts: map[text]string{}, flat: map[reflect.Type]bool{}}
	for _, m := range a.slabs {
		e.inside = m.Spans(e.inside)
	}
	slices.SortFunc(e.inside, func(x, y owner.Span) int { return cmp.Compare(x.Start, y.Start) })
	pointer := reflect.ValueOf(&v)
	e.find(&object{value: pointer})
	e.todo = append(e.todo, pointer.Elem())
	for len(e.todo) > 0 { // no recursion over pointers: a list may be long
		last := len(e.todo) - 1
		next := e.todo[last]
		e.todo = e.todo[:last]
		e.redirect(next)
	}
	return v
}

// An exporter is one call of Export. It first finds the objects that must be copied, and then copies them.
type exporter struct {
	inside []owner.Span          // the memory of the arena, in order
	known  map[address]*object   // all objects that were found
	texts  map[text]string       // copies of strings
	flat   map[reflect.Type]bool // whether values of a type refer to nothing
	todo   []reflect.Value       // copies whose references are still those of the original
}

// An object is what pointers, slices or maps of the original refer to.
type object struct {
	value  reflect.Value // one of them: a pointer, slice or map
	from   []*object     // those in which they are
	moves  bool          // it must be copied: it lies in the arena or refers to what does
	copied reflect.Value // the pointer, slice or map for the copy, once there is one
}

// An address names an object.
type address struct {
	start  uintptr
	length int
	as     reflect.Type
}

// text names a string of the original.
type text struct {
	start  *byte
	length int
}

// addressOf returns the name of what v, a pointer, slice or map, refers to, and false if that is nothing.
func addressOf(v reflect.Value) (address, bool) {
	if v.IsNil() {
		return address{}, false
	}
	at := address{start: v.Pointer(), as: v.Type()}
	if v.Kind() == reflect.Slice {
		at.length = v.Len()
		return at, v.Cap() > 0
	}
	return at, true
}

// textAt returns the name of a string.
func textAt(s string) text {
	// Safety: the address is compared, and kept while the string is alive; nobody reads through it.
	// TestExport.
	return text{unsafe.StringData(s), len(s)}
}

// holds tells whether the string lies in the arena.
func (e *exporter) holds(t text) bool {
	// Safety: as in textAt.
	return t.length > 0 && e.isInside(uintptr(unsafe.Pointer(t.start)))
}

// isInside tells whether the address is in the memory of the arena.
func (e *exporter) isInside(at uintptr) bool {
	i, found := slices.BinarySearchFunc(e.inside, at, func(s owner.Span, a uintptr) int { return cmp.Compare(s.Start, a) })
	return found || i > 0 && at < e.inside[i-1].End
}

// find finds all objects that root reaches, and which of them move.
func (e *exporter) find(root *object) {
	var moving []*object
	for found := []*object{root}; len(found) > 0; {
		last := len(found) - 1
		o := found[last]
		found = e.contents(o, found[:last])
		if o.moves {
			moving = append(moving, o)
		}
	}
	for len(moving) > 0 { // what refers to an object that moves must refer to its copy
		last := len(moving) - 1
		o := moving[last]
		moving = moving[:last]
		for _, referrer := range o.from {
			if !referrer.moves {
				referrer.moves = true
				moving = append(moving, referrer)
			}
		}
	}
}

// contents looks at what is in an object, and appends the objects that were not known yet.
func (e *exporter) contents(o *object, found []*object) []*object {
	switch o.value.Kind() {
	case reflect.Pointer:
		return e.references(o.value.Elem(), o, found)
	case reflect.Slice:
		if e.isFlat(o.value.Type().Elem()) {
			return found
		}
		for i := range o.value.Len() {
			found = e.references(o.value.Index(i), o, found)
		}
	case reflect.Map:
		for entry := o.value.MapRange(); entry.Next(); {
			found = e.references(entry.Key(), o, found)
			found = e.references(entry.Value(), o, found)
		}
	}
	return found
}

// references looks at v, which is a part of o, and appends the objects that it refers to and that were not known
// yet.
func (e *exporter) references(v reflect.Value, o *object, found []*object) []*object {
	if e.isFlat(v.Type()) {
		return found
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		at, some := addressOf(v)
		if !some {
			return found
		}
		target, known := e.known[at]
		if !known {
			target = &object{value: v, moves: e.isInside(at.start)}
			e.known[at] = target
			found = append(found, target)
		}
		target.from = append(target.from, o)
	case reflect.String:
		o.moves = o.moves || e.holds(textAt(v.String()))
	case reflect.Interface:
		if !v.IsNil() {
			return e.references(v.Elem(), o, found)
		}
	case reflect.Array:
		for i := range v.Len() {
			found = e.references(v.Index(i), o, found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			found = e.references(v.Field(i), o, found)
		}
	}
	return found
}

// redirect makes v, which can be set, refer to the copies of what moves. It tells whether that changed v.
func (e *exporter) redirect(v reflect.Value) (changed bool) {
	if e.isFlat(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		at, some := addressOf(v)
		if !some || !e.known[at].moves {
			return false
		}
		v.Set(e.copyOf(e.known[at], v))
		return true
	case reflect.String:
		return e.redirectText(v)
	case reflect.Interface:
		if v.IsNil() {
			return false
		}
		boxed := settable(v.Elem())
		if !e.redirect(boxed) {
			return false
		}
		v.Set(boxed)
		return true
	case reflect.Array:
		for i := range v.Len() {
			changed = e.redirect(v.Index(i)) || changed
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if !field.CanSet() {
				// Safety: the field is of a copy that nobody else has yet, and keeps its type.
				// TestExport.
				field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
			}
			changed = e.redirect(field) || changed
		}
	}
	return changed
}

// copyOf returns the copy of an object that v refers to.
func (e *exporter) copyOf(o *object, v reflect.Value) reflect.Value {
	if o.copied.IsValid() {
		return o.copied
	}
	switch v.Kind() {
	case reflect.Pointer:
		made := reflect.New(v.Type().Elem())
		made.Elem().Set(v.Elem())
		o.copied = made
		e.todo = append(e.todo, made.Elem())
	case reflect.Slice:
		o.copied = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(o.copied, v)
		if !e.isFlat(v.Type().Elem()) {
			for i := range v.Len() {
				e.todo = append(e.todo, o.copied.Index(i))
			}
		}
	default:
		o.copied = reflect.MakeMapWithSize(v.Type(), v.Len()) // before its values: it may be one of them
		for entry := v.MapRange(); entry.Next(); {
			key, value := settable(entry.Key()), settable(entry.Value())
			e.redirect(key)
			e.redirect(value)
			o.copied.SetMapIndex(key, value)
		}
	}
	return o.copied
}

// redirectText replaces a string of the arena by its copy.
func (e *exporter) redirectText(v reflect.Value) bool {
	at := textAt(v.String())
	if !e.holds(at) {
		return false
	}
	made, known := e.texts[at]
	if !known {
		made = strings.Clone(v.String())
		e.texts[at] = made
	}
	v.SetString(made)
	return true
}

// settable returns a copy of v that can be set.
func settable(v reflect.Value) reflect.Value {
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	return made
}

// isFlat tells whether values of type t refer to nothing that Export sees.
func (e *exporter) isFlat(t reflect.Type) bool {
	flat, known := e.flat[t]
	if !known {
		flat = isAllocator(t) || e.isFlatKind(t)
		e.flat[t] = flat
	}
	return flat
}

// isFlatKind is isFlat for a type that is not an allocator.
func (e *exporter) isFlatKind(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.String, reflect.Map, reflect.Interface:
		return false
	case reflect.Array:
		return t.Len() == 0 || e.isFlat(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if !e.isFlat(field.Type) {
				return false
			}
		}
	}
	return true
}

// isAllocator tells whether t is an allocator of this module, or a pointer to one: an arena refers to its own
// memory, and a copy of it would hand that out twice.
func isAllocator(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.PkgPath() {
	case reflect.TypeFor[Arena]().PkgPath(), reflect.TypeFor[slab.Options]().PkgPath():
		return t.Kind() == reflect.Struct
	}
	return false
}
