//go:build coppice_checks || race

package pool

import (
	"reflect"
	"sync"
)

// lookedAt is the maximum number of bytes, from the start of a value, that a fingerprint covers.
// Without a limit, a Put of a megabyte would cost a tenth of a millisecond.
const lookedAt = 64 << 10

// A span is the bytes from start to end of a value.
type span struct{ start, end uintptr }

// ownersFields lists the types to which the runtime writes at any time, each with the names of the
// fields that only the owner writes. The only such type so far is sync.Pool, which the collector
// empties. Such a type may be anywhere in a value; what it points to is not checked.
var ownersFields = map[reflect.Type][]string{
	reflect.TypeFor[sync.Pool](): {"New"},
}

// partsOf returns the spans, in the first bytes of a value of type t, that only its owner writes.
func partsOf(t reflect.Type) []span {
	var parts []span
	addParts(&parts, t, 0)
	return parts
}

// addParts appends the spans of a value of type t at the given offset.
func addParts(parts *[]span, t reflect.Type, at uintptr) {
	fields, shared := ownersFields[t]
	switch {
	case t.Size() == 0 || at >= lookedAt:
	case shared:
		for _, name := range fields {
			f, _ := t.FieldByName(name)
			addParts(parts, f.Type, at+f.Offset)
		}
	case !isShared(t):
		addSpan(parts, span{at, min(at+t.Size(), lookedAt)})
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			addParts(parts, f.Type, at+f.Offset)
		}
	default: // an array
		for i := uintptr(0); i < uintptr(t.Len()) && at < lookedAt; i++ {
			addParts(parts, t.Elem(), at)
			at += t.Elem().Size()
		}
	}
}

// addSpan appends a span, and merges it with the last one if it is adjacent.
func addSpan(parts *[]span, s span) {
	if last := len(*parts) - 1; last >= 0 && (*parts)[last].end == s.start {
		(*parts)[last].end = s.end
		return
	}
	*parts = append(*parts, s)
}

// isShared reports whether the runtime writes to a part of a value of type t.
func isShared(t reflect.Type) bool {
	if _, shared := ownersFields[t]; shared {
		return true
	}
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && isShared(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if isShared(f.Type) {
				return true
			}
		}
	}
	return false
}
