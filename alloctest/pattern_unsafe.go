package alloctest

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// This file fills values of any type with a pattern that a number explains, and reads
// the pattern back. So nobody needs a second copy of a value, which would keep alive
// what the value points to and hide the bug.

// writable returns the variable v without the mark that reflection puts on unexported
// fields.
func writable(v reflect.Value) reflect.Value {
	// Safety: v is a variable of that very type, and NewAt keeps its type and its
	// address. TestFillAndDiffers.
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// leaves calls visit for every part of v that has no parts, and stops if it returns
// false. An array of bytes is one leaf.
func leaves(v reflect.Value, visit func(leaf reflect.Value) bool) bool {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" && !leaves(v.Field(i), visit) {
				return false
			}
		}
		return true
	case v.Kind() == reflect.Array && v.Type().Elem().Kind() != reflect.Uint8:
		for i := range v.Len() {
			if !leaves(v.Index(i), visit) {
				return false
			}
		}
		return true
	}
	return visit(writable(v))
}

// pathTo names the leaf of v that starts at an address: "value.Children[3]".
func pathTo(leaf, v reflect.Value) string {
	path, at := "value", leaf.UnsafeAddr()
	for v.Type() != leaf.Type() {
		if v.Kind() == reflect.Array {
			i := int((at - v.UnsafeAddr()) / v.Type().Elem().Size())
			path, v = fmt.Sprintf("%s[%d]", path, i), v.Index(i)
			continue
		}
		i := v.NumField() - 1
		for v.Field(i).UnsafeAddr() > at || v.Field(i).Type().Size() == 0 {
			i--
		}
		path, v = path+"."+v.Type().Field(i).Name, v.Field(i)
	}
	return path
}

// pattern is the contents of leaf i of the value with that number: the mixing of
// SplitMix64, so that neighbours have nothing in common. It is never 0.
func pattern(number, i uint64) uint64 {
	x := number*0x9E3779B97F4A7C15 + i*0xD1B54A32D192ED03
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31 | 1
}

// fill writes the pattern to *p, and tells w, if there is one, what *p points to.
func fill[T any](p *T, number uint64, w *watch) { fillValue(reflect.ValueOf(p).Elem(), number, w, 0) }

func fillValue(v reflect.Value, number uint64, w *watch, depth int) {
	i := uint64(0)
	leaves(v, func(leaf reflect.Value) bool {
		i++
		fillLeaf(leaf, pattern(number, i), w, depth)
		return true
	})
}

// fillLeaf sets a leaf. Kinds that it does not know, such as maps, stay as they are.
func fillLeaf(leaf reflect.Value, x uint64, w *watch, depth int) {
	switch leaf.Kind() {
	case reflect.Bool:
		leaf.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		leaf.SetInt(int64(x))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		leaf.SetUint(x)
	case reflect.Float32, reflect.Float64:
		leaf.SetFloat(float64(int16(x)))
	case reflect.Complex64, reflect.Complex128:
		leaf.SetComplex(complex(float64(int16(x)), 1))
	case reflect.Array: // of bytes
		fillBytes(leaf.Slice(0, leaf.Len()).Bytes(), x)
	case reflect.String:
		s := textOf(x)
		// Safety: the bytes are read by nobody; the weak pointer names the Go heap's
		// string that textOf made. TestWatch.
		w.add(unsafe.StringData(s))
		leaf.SetString(s)
	case reflect.Pointer:
		if depth < maxDepth {
			leaf.Set(newFilled(leaf.Type().Elem(), x, w, depth))
		}
	case reflect.Slice:
		if depth < maxDepth {
			leaf.Set(newFilled(reflect.ArrayOf(sliceLen, leaf.Type().Elem()), x, w, depth).Elem().Slice(0, sliceLen))
		}
	case reflect.Interface:
		if leaf.NumMethod() == 0 && depth < maxDepth {
			leaf.Set(newFilled(reflect.TypeFor[[4]uint64](), x, w, depth))
		}
	}
}

// fillBytes writes the eight bytes of x again and again, each with its last bit set, so
// that none is zero.
func fillBytes(b []byte, x uint64) {
	for i := range min(8, len(b)) {
		b[i] = byte(x>>(i*8)) | 1
	}
	for done := 8; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// bytesDiffer returns the index of the first byte that fillBytes would not have written,
// -1 if there is none.
func bytesDiffer(b []byte, x uint64) int {
	var first [8]byte
	fillBytes(first[:], x)
	if n := min(8, len(b)); bytes.Equal(b[:n], first[:n]) && bytes.Equal(b[n:], b[:len(b)-n]) {
		return -1
	}
	at := 0
	for b[at] == first[at%8] {
		at++
	}
	return at
}

// How far fill follows pointers, which may lead in circles, and how long its slices are.
const (
	maxDepth = 1
	sliceLen = 8
)

// newFilled is a pointer to a variable of the Go heap with the pattern of x in it.
func newFilled(t reflect.Type, x uint64, w *watch, depth int) reflect.Value {
	p := reflect.New(t)
	if t.Size() >= leastWatched {
		// Safety: the bytes are read by nobody. TestWatch.
		w.add((*byte)(p.UnsafePointer()))
	}
	fillValue(p.Elem(), x, w, depth+1)
	return p
}

// textOf is a string of its own on the Go heap.
func textOf(x uint64) string { return fmt.Sprintf("%032x", x) }

// differs returns the path of the first leaf of *p that has not the pattern of the
// number, "" if there is none.
func differs[T any](p *T, number uint64) string {
	return differsValue(reflect.ValueOf(p).Elem(), number, 0)
}

func differsValue(v reflect.Value, number uint64, depth int) (at string) {
	i := uint64(0)
	leaves(v, func(leaf reflect.Value) bool {
		i++
		if below, ok := leafHas(leaf, pattern(number, i), depth); !ok {
			at = pathTo(leaf, v) + strings.TrimPrefix(below, "value")
		}
		return at == ""
	})
	return at
}

// leafHas tells whether a leaf has the pattern x, and if not, where below it.
func leafHas(leaf reflect.Value, x uint64, depth int) (below string, ok bool) {
	switch leaf.Kind() {
	case reflect.Bool:
		return "", leaf.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		unused := 64 - leaf.Type().Bits()
		return "", uint64(leaf.Int())<<unused == x<<unused
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		unused := 64 - leaf.Type().Bits()
		return "", leaf.Uint()<<unused == x<<unused
	case reflect.Float32, reflect.Float64:
		return "", leaf.Float() == float64(int16(x))
	case reflect.Complex64, reflect.Complex128:
		return "", leaf.Complex() == complex(float64(int16(x)), 1)
	case reflect.Array: // of bytes
		if i := bytesDiffer(leaf.Slice(0, leaf.Len()).Bytes(), x); i >= 0 {
			return fmt.Sprintf("[%d]", i), false
		}
		return "", true
	case reflect.String:
		return "", leaf.String() == textOf(x)
	case reflect.Pointer, reflect.Slice, reflect.Interface:
		return pointeeHas(leaf, x, depth)
	}
	return "", true
}

// pointeeHas is leafHas for leaves that fill gave something to point to.
func pointeeHas(leaf reflect.Value, x uint64, depth int) (below string, ok bool) {
	var pointee reflect.Value
	switch {
	case leaf.Kind() == reflect.Interface && leaf.NumMethod() > 0:
		return "", true
	case leaf.IsNil() || depth >= maxDepth:
		return "", leaf.IsNil() == (depth >= maxDepth)
	case leaf.Kind() == reflect.Slice:
		if leaf.Len() != sliceLen {
			return "", false
		}
		array := reflect.ArrayOf(sliceLen, leaf.Type().Elem())
		pointee = leaf.Convert(reflect.PointerTo(array)).Elem()
	case leaf.Kind() == reflect.Interface:
		words, isWords := leaf.Interface().(*[4]uint64)
		if !isWords {
			return "", false
		}
		pointee = reflect.ValueOf(words).Elem()
	default:
		pointee = leaf.Elem()
	}
	below = differsValue(pointee, x, depth+1)
	return below, below == ""
}

// notZero returns the path of the first leaf of *p that is not zero, "" if all are.
func notZero[T any](p *T) (at string) {
	v := reflect.ValueOf(p).Elem()
	if v.IsZero() {
		return ""
	}
	leaves(v, func(leaf reflect.Value) bool {
		if !leaf.IsZero() {
			at = pathTo(leaf, v)
		}
		return at == ""
	})
	return at
}

// address is where a value starts.
func address[T any](p *T) uintptr {
	// Safety: it is a number to compare, and never a pointer again. TestMisaligned.
	return uintptr(unsafe.Pointer(p))
}

// firstByte is where a value starts, for a weak pointer to it.
func firstByte[T any](p *T) *byte {
	// Safety: the byte is read by nobody. TestWatch.
	return (*byte)(unsafe.Pointer(p))
}
