package btree

import (
	"math"
	"reflect"
	"unsafe"
)

// A form describes how keys of one type are converted to words that are ordered like the keys. In
// signed integers and positive floats, the sign bit is flipped; in negative floats, all bits are
// flipped. Databases use the same conversion to compare keys as bytes ("normalized keys": Graefe
// and Larson, B-tree indexes and CPU caches, ICDE 2001).
type form struct {
	flip  uint64 // bits to flip in an integer
	float bool
	text  bool
}

// formOf returns the form and the mode of keys of type t, and false if t does not satisfy
// cmp.Ordered.
func formOf(t reflect.Type) (form, mode, bool) {
	m := words64
	if t.Size() <= 4 {
		m = words32
	}
	switch t.Kind() {
	case reflect.String:
		return form{text: true}, stringed, true
	case reflect.Float32, reflect.Float64:
		return form{float: true}, m, true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return form{flip: 1 << (t.Bits() - 1)}, m, true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return form{}, m, true
	}
	return form{}, compared, false
}

// wordOf returns the word of a key that is not a string.
func wordOf[K any](f *form, k *K) uint64 {
	if f.float {
		return floatWord(k)
	}
	// Safety: K is an integer type of the size that the case names (formOf). TestWordsAreOrdered.
	switch unsafe.Sizeof(*k) {
	case 8:
		return *(*uint64)(unsafe.Pointer(k)) ^ f.flip
	case 4:
		return uint64(*(*uint32)(unsafe.Pointer(k)) ^ uint32(f.flip))
	case 2:
		return uint64(*(*uint16)(unsafe.Pointer(k)) ^ uint16(f.flip))
	default:
		return uint64(*(*uint8)(unsafe.Pointer(k)) ^ uint8(f.flip))
	}
}

// floatWord returns the word of a float. Words are ordered as cmp.Compare orders floats: NaN is the
// smallest, and -0 equals 0.
func floatWord[K any](k *K) uint64 {
	// Safety: K is a float of the given size. TestWordsAreOrdered.
	if unsafe.Sizeof(*k) == 4 {
		f := *(*float32)(unsafe.Pointer(k))
		b := math.Float32bits(f)
		switch {
		case f != f:
			return 0
		case f == 0:
			return 1 << 31
		case b>>31 != 0:
			return uint64(^b)
		}
		return uint64(b | 1<<31)
	}
	f := *(*float64)(unsafe.Pointer(k))
	b := math.Float64bits(f)
	switch {
	case f != f:
		return 0
	case f == 0:
		return 1 << 63
	case b>>63 != 0:
		return ^b
	}
	return b | 1<<63
}

// keyOf converts a word back to its key.
func keyOf[K any](f *form, word uint64) (k K) {
	if f.float {
		floatOf(word, &k)
		return k
	}
	word ^= f.flip
	// Safety: as for wordOf; k is a variable of that size. TestWordsAreOrdered.
	switch unsafe.Sizeof(k) {
	case 8:
		*(*uint64)(unsafe.Pointer(&k)) = word
	case 4:
		*(*uint32)(unsafe.Pointer(&k)) = uint32(word)
	case 2:
		*(*uint16)(unsafe.Pointer(&k)) = uint16(word)
	default:
		*(*uint8)(unsafe.Pointer(&k)) = uint8(word)
	}
	return k
}

// integerOf implements keyOf for 8-byte integers. It is short enough to be inlined.
func integerOf[K any](word uint64) K {
	// Safety: K is an 8-byte integer. TestWordsAreOrdered.
	return *(*K)(unsafe.Pointer(&word))
}

func floatOf[K any](word uint64, k *K) {
	// Safety: as for floatWord. TestWordsAreOrdered.
	if unsafe.Sizeof(*k) == 4 {
		to, b := (*float32)(unsafe.Pointer(k)), uint32(word)
		switch {
		case b == 0:
			*to = float32(math.NaN())
		case b>>31 != 0:
			*to = math.Float32frombits(b &^ (1 << 31))
		default:
			*to = math.Float32frombits(^b)
		}
		return
	}
	to := (*float64)(unsafe.Pointer(k))
	switch {
	case word == 0:
		*to = math.NaN()
	case word>>63 != 0:
		*to = math.Float64frombits(word &^ (1 << 63))
	default:
		*to = math.Float64frombits(^word)
	}
}

// numberKeys returns a slice of len(room) numeric keys that uses the memory of the slice room.
func numberKeys[K any](room []uint64) []K {
	// Safety: K is a number of at most 8 bytes (formOf). TestWordsAreOrdered.
	return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(room))), len(room))
}

// textKeys converts a slice of strings to a slice of keys of a string type, without copying.
func textKeys[K any](s []string) []K {
	// Safety: as for textOf. TestNamedStrings.
	return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// textOf converts a key of a string type to a string, and textKey converts a string to such a key.
func textOf[K any](k *K) string {
	// Safety: K is of string kind (formOf). TestNamedStrings.
	return *(*string)(unsafe.Pointer(k))
}

func textKey[K any](s string) (k K) {
	// Safety: as for textOf.
	*(*string)(unsafe.Pointer(&k)) = s
	return k
}

// bytesOf returns the bytes of a string without copying them. The bytes must not be written.
func bytesOf(s string) []byte {
	// Safety: a probe is read and not kept, and a key of AllBytes is in the bytes of a batch.
	// TestTreeAgainstModel, TestAllBytes.
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// stringOf converts bytes to a string without copying them.
func stringOf(b []byte) string {
	// Safety: b belongs to a batch in use, and the string is used only until the batch is filled
	// again. TestAllBytes.
	return unsafe.String(unsafe.SliceData(b), len(b))
}
