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

// Export returns a copy of v that stays valid after Reset. It visits everything that is reachable
// from v, inside and outside the arena, including through unexported fields. Values in the arena
// are copied to the Go heap. Values outside the arena are also copied if they refer, directly or
// indirectly, to a value in the arena. Everything else is shared with the original.
//
// Pointers that are equal in v are equal in the copy, so shared values stay shared and cycles stay
// cycles. The same applies to slices and maps. If a pointer points into the middle of another
// value, its target is copied separately. Export copies channels, functions and unsafe pointers as
// they are and does not follow them. If two interface variables share one value in memory, the
// value is copied once.
//
// Export does not copy an allocator of this module that is reachable from v, or memory to which
// only the allocator refers.
//
// Export does not modify the original. If the arena is nil, it returns v. Export uses reflection
// and takes half a microsecond for each value that is reachable from v, and up to three times as
// long for millions of values, which do not fit in a cache. Use it for the few results that outlive
// a phase. The nesting depth of pointers, slices, maps and interfaces is limited only by memory.
func Export[T any](a *Arena, v T) T {
	if a == nil {
		return v
	}
	e := exporter{known: map[address]*object{}, texts: map[text]string{}, flat: map[reflect.Type]bool{}, direct: map[reflect.Type]bool{}}
	for _, m := range a.slabs {
		e.inside = m.Spans(e.inside)
	}
	slices.SortFunc(e.inside, func(x, y owner.Span) int { return cmp.Compare(x.Start, y.Start) })
	pointer := reflect.ValueOf(&v)
	e.find(&object{value: pointer})
	e.todo = append(e.todo, pointer.Elem())
	e.finish()
	return v
}

// An exporter holds the state of one call to Export. Export first finds the objects that must be
// copied, and then copies them.
type exporter struct {
	inside []owner.Span          // the memory of the arena, in order
	known  map[address]*object   // all objects found so far
	texts  map[text]string       // copies of strings
	flat   map[reflect.Type]bool // whether values of a type refer to nothing
	direct map[reflect.Type]bool // whether an interface stores values of a type directly, not by address
	todo   []reflect.Value       // copies whose references still point to the original
	maps   []*object             // maps whose copies are still empty

	objects   slab.Slab[object]
	referrers slab.Slab[referrer]
}

// An object is a region of memory to which a pointer, slice, map or interface of the original
// refers. The object of an interface contains a value of the dynamic type and never changes.
type object struct {
	value  reflect.Value // one of the references to it: a pointer, slice or map
	from   *referrer     // the objects that refer to it, except those already known to move
	moves  bool          // it must be copied: it is in the arena or refers to an object that is
	copied reflect.Value // the pointer, slice or map of the copy, once it exists
}

// A referrer is a node in the linked list of the objects that refer to one object.
type referrer struct {
	*object
	next *referrer
}

// An address identifies an object by its start, length and type.
type address struct {
	start  uintptr
	length int     // of a slice; inBox for a value behind an interface
	as     uintptr // the type
}

// inBox is the value of address.length for an object to which an interface refers.
const inBox = -1

// A text identifies a string of the original by its memory. It is used as a map key.
type text struct {
	start  *byte
	length int
}

// addressOf returns the address of the object that v refers to. v is a pointer, slice or map. It
// returns false if v is nil or refers to no memory.
func addressOf(v reflect.Value) (address, bool) {
	if v.IsNil() {
		return address{}, false
	}
	at := address{start: v.Pointer(), as: typeAddress(withoutName(v.Type()))}
	if v.Kind() == reflect.Slice {
		at.length = v.Len()
		return at, v.Cap() > 0
	}
	return at, true
}

// withoutName returns the unnamed type with the same structure as t, a pointer, slice or map type.
// Values of different named types may refer to the same object, and only the unnamed type
// identifies it.
func withoutName(t reflect.Type) reflect.Type {
	switch {
	case t.Name() == "":
		return t
	case t.Kind() == reflect.Pointer:
		return reflect.PointerTo(t.Elem())
	case t.Kind() == reflect.Slice:
		return reflect.SliceOf(t.Elem())
	default:
		return reflect.MapOf(t.Key(), t.Elem())
	}
}

// typeAddress returns the address of the type descriptor of t, which is unique to t.
func typeAddress(t reflect.Type) uintptr {
	// Safety: each type has one descriptor. The word of t that points to the descriptor is only
	// compared. The descriptor stays valid: it is part of the program, or reflect keeps it.
	// TestExportKeepsWhatIsShared.
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1])
}

// textAt returns the text that identifies the memory of s.
func textAt(s string) text {
	// Safety: the address is only compared, and is kept only while the string is alive. TestExport.
	return text{unsafe.StringData(s), len(s)}
}

// holds reports whether the string that t identifies is in the arena.
func (e *exporter) holds(t text) bool {
	// Safety: as in textAt.
	return t.length > 0 && e.isInside(uintptr(unsafe.Pointer(t.start)))
}

// isInside reports whether the address is in the memory of the arena.
func (e *exporter) isInside(at uintptr) bool {
	i, found := slices.BinarySearchFunc(e.inside, at, func(s owner.Span, a uintptr) int { return cmp.Compare(s.Start, a) })
	return found || i > 0 && at < e.inside[i-1].End
}

// find finds all objects that are reachable from root, and determines which of them must be copied.
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
		for by := o.from; by != nil; by = by.next {
			if !by.moves {
				by.moves = true
				moving = append(moving, by.object)
			}
		}
	}
}

// contents visits the contents of o. It appends to found each object to which o refers, unless the
// object is already known.
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
		e.entries(o, func(key, value reflect.Value) {
			found = e.references(key, o, found)
			found = e.references(value, o, found)
		})
	}
	return found
}

// entries calls the function each once for every entry of the map o, with copies of the key and the
// value. The copies are valid only during the call.
func (e *exporter) entries(o *object, each func(key, value reflect.Value)) {
	t := o.value.Type()
	key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
	for entry := o.value.MapRange(); entry.Next(); {
		key.SetIterKey(entry)
		value.SetIterValue(entry)
		each(key, value)
	}
}

// references visits v, a settable value within o. It appends to found each object to which v
// refers, unless the object is already known.
func (e *exporter) references(v reflect.Value, o *object, found []*object) []*object {
	if e.isFlat(v.Type()) {
		return found
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if at, some := addressOf(v); some {
			return e.refers(at, v, o, found)
		}
	case reflect.String:
		o.moves = o.moves || e.holds(textAt(v.String()))
	case reflect.Interface:
		inner, at := e.inInterface(v)
		switch {
		case at.length == inBox:
			return e.refers(at, inner.Addr(), o, found)
		case inner.IsValid():
			return e.references(inner, o, found)
		}
	case reflect.Array:
		for i := range v.Len() {
			found = e.references(v.Index(i), o, found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			found = e.references(fieldOf(v, i), o, found)
		}
	}
	return found
}

// refers records that v, a value within o, refers to the object with the given address. It appends
// the object to found, unless the object is already known.
func (e *exporter) refers(at address, v reflect.Value, o *object, found []*object) []*object {
	target, known := e.known[at]
	if !known {
		target = e.objects.New()
		target.value, target.moves = reflect.ValueOf(v.Interface()), e.isInside(at.start) // not v: that is set later
		e.known[at] = target
		found = append(found, target)
	}
	if target.moves {
		o.moves = true
	} else {
		by := e.referrers.New()
		*by = referrer{o, target.from}
		target.from = by
	}
	return found
}

// fieldOf returns field i of the settable struct v as a settable value, even if the field is
// unexported.
func fieldOf(v reflect.Value, i int) reflect.Value {
	field := v.Field(i)
	if field.CanSet() {
		return field
	}
	// Safety: the field keeps its type. It is only read, or belongs to a copy to which nothing else
	// refers yet. TestExport.
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// wordsOf returns the two words of the settable interface v: the type word, and the value or its
// address.
func wordsOf(v reflect.Value) *[2]unsafe.Pointer {
	// Safety: every interface, with or without methods, consists of these two words, and the
	// collector treats the second word as a pointer. TestExportOfEveryKindOfInterface.
	return (*[2]unsafe.Pointer)(unsafe.Pointer(v.UnsafeAddr()))
}

// inInterface returns the value in the settable interface v. If the interface stores the value in
// separate memory, at is the address of that memory. If the interface itself stores the value,
// which is then a pointer, at is zero. inner is invalid if Export does not follow the value.
func (e *exporter) inInterface(v reflect.Value) (inner reflect.Value, at address) {
	if v.IsNil() {
		return reflect.Value{}, address{}
	}
	t, words := v.Elem().Type(), wordsOf(v)
	if e.isFlat(t) {
		return reflect.Value{}, address{}
	}
	if e.isDirect(t) {
		// Safety: the second word is a value of type t. TestExportOfEveryKindOfInterface.
		return reflect.NewAt(t, unsafe.Pointer(&words[1])).Elem(), address{}
	}
	// Safety: the second word is the address of a value of type t, which is only read.
	// TestExportOfEveryKindOfInterface.
	return reflect.NewAt(t, words[1]).Elem(), address{start: uintptr(words[1]), length: inBox, as: typeAddress(t)}
}

// isDirect reports whether an interface stores a value of type t in its data word, rather than the
// address of the value. It tests whether the data word is nil for the zero value of t.
func (e *exporter) isDirect(t reflect.Type) bool {
	direct, known := e.direct[t]
	if !known {
		zero := reflect.New(t).Elem().Interface()
		direct = wordsOf(reflect.ValueOf(&zero).Elem())[1] == nil
		e.direct[t] = direct
	}
	return direct
}

// finish redirects the references in the copies, so that they refer to other copies instead of the
// originals. It does not recurse through pointers, maps and interfaces, because a chain of them may
// be long.
func (e *exporter) finish() {
	e.redirectAll()
	for len(e.maps) > 0 {
		last := len(e.maps) - 1
		o := e.maps[last]
		e.maps = e.maps[:last]
		e.entries(o, func(key, value reflect.Value) {
			e.redirect(key)
			e.redirect(value)
			e.redirectAll() // the hash of a key depends on all its parts
			o.copied.SetMapIndex(key, value)
		})
	}
}

// redirectAll redirects the references in all pending copies, except in maps, which finish fills.
func (e *exporter) redirectAll() {
	for len(e.todo) > 0 {
		last := len(e.todo) - 1
		next := e.todo[last]
		e.todo = e.todo[:last]
		e.redirect(next)
	}
}

// redirect replaces the references in v to copied objects with references to the copies. v must be
// settable.
func (e *exporter) redirect(v reflect.Value) {
	if e.isFlat(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if at, some := addressOf(v); some && e.known[at].moves {
			v.Set(e.copyOf(e.known[at]).Convert(v.Type())) // its named type may differ
		}
	case reflect.String:
		e.redirectText(v)
	case reflect.Interface:
		inner, at := e.inInterface(v)
		switch {
		case at.length == inBox && e.known[at].moves:
			wordsOf(v)[1] = e.copyOf(e.known[at]).UnsafePointer()
		case at.length != inBox && inner.IsValid():
			e.redirect(inner)
		}
	case reflect.Array:
		for i := range v.Len() {
			e.redirect(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			e.redirect(fieldOf(v, i))
		}
	}
}

// copyOf returns a pointer, slice or map that refers to the copy of o. It makes the copy on the
// first call. The references in the copy are redirected later.
func (e *exporter) copyOf(o *object) reflect.Value {
	if o.copied.IsValid() {
		return o.copied
	}
	v := o.value
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
		o.copied = reflect.MakeMapWithSize(v.Type(), v.Len())
		e.maps = append(e.maps, o)
	}
	return o.copied
}

// redirectText replaces v, a string, with a copy if the string is in the arena.
func (e *exporter) redirectText(v reflect.Value) {
	at := textAt(v.String())
	if !e.holds(at) {
		return
	}
	made, known := e.texts[at]
	if !known {
		made = strings.Clone(v.String())
		e.texts[at] = made
	}
	v.SetString(made)
}

// isFlat reports whether values of type t contain no references that Export follows.
func (e *exporter) isFlat(t reflect.Type) bool {
	flat, known := e.flat[t]
	if !known {
		flat = isAllocator(t) || e.isFlatKind(t)
		e.flat[t] = flat
	}
	return flat
}

// isFlatKind implements isFlat for a type that is not an allocator.
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

// isAllocator reports whether t is an allocator of this module or a pointer to one. An allocator
// refers to its own memory, so a copy of it would allocate the same memory again.
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
