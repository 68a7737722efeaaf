//go:build coppice_checks || race

package pool

import (
	"reflect"
	"sync"
)

// lookedAt is the maximum number of bytes that a fingerprint covers, counted from the start of a
// value. Without a limit, a Put of a one-megabyte value would take a tenth of a millisecond.
const lookedAt = 64 << 10

// A span is a range of bytes in a value, given by two offsets. It does not include the byte at end.
type span struct{ start, end uintptr }

// ownersFields lists the types whose values the runtime may write at any time, with the names of
// those fields that only the owner writes. At present, the only such type is sync.Pool, which the
// collector empties. Values of these types may be nested in other values. Memory to which they
// point is not checked.
var ownersFields = map[reflect.Type][]string{
	reflect.TypeFor[sync.Pool](): {"New"},
}

// partsOf returns the spans of a value of type t that only its owner writes. Bytes beyond the first
// lookedAt bytes are omitted.
func partsOf(t reflect.Type) []span {
	var parts []span
	addParts(&parts, t, 0)
	return parts
}

// addParts appends the spans of a value of type t that starts at the offset at.
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

// addSpan appends a span, or extends the last span if the two are adjacent.
func addSpan(parts *[]span, s span) {
	if last := len(*parts) - 1; last >= 0 && (*parts)[last].end == s.start {
		(*parts)[last].end = s.end
		return
	}
	*parts = append(*parts, s)
}

// isShared reports whether the runtime may write to a value of type t, or to a part of it.
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
