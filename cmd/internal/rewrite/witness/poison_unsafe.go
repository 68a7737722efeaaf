package witness

import (
	coppiceReflect "reflect"
	coppiceSync "sync"
	coppiceUnsafe "unsafe"
)

// coppiceWitnessString replaces strings that must not be read any more, and coppiceWitnessBits
// replaces numbers.
const (
	coppiceWitnessString        = "coppice witness: used after its end"
	coppiceWitnessBits   uint64 = 0xa5a5a5a5a5a5a5a5
)

// coppiceWitnessPointees contains a poisoned value for each type to which a pointer points.
var coppiceWitnessPointees = struct {
	coppiceSync.Mutex
	values map[coppiceReflect.Type]coppiceReflect.Value
}{values: map[coppiceReflect.Type]coppiceReflect.Value{}}

// coppiceWitnessPoison sets the elements of a slice to values that are visibly wrong: code that
// reads them computes a different result.
func coppiceWitnessPoison(list interface{}) {
	coppiceWitnessPointees.Lock()
	defer coppiceWitnessPointees.Unlock()
	v := coppiceReflect.ValueOf(list)
	for i := 0; i < v.Len(); i++ {
		coppiceWitnessFill(v.Index(i), true)
	}
}

// coppiceWitnessFill poisons a variable. Pointers point to poisoned values in which pointers
// are nil; maps, channels, functions, slices and interfaces are nil.
func coppiceWitnessFill(v coppiceReflect.Value, pointers bool) {
	bits := coppiceWitnessBits
	switch v.Kind() {
	case coppiceReflect.Bool:
		v.SetBool(true)
	case coppiceReflect.Int, coppiceReflect.Int8, coppiceReflect.Int16, coppiceReflect.Int32, coppiceReflect.Int64:
		v.SetInt(int64(bits))
	case coppiceReflect.Uint, coppiceReflect.Uint8, coppiceReflect.Uint16, coppiceReflect.Uint32, coppiceReflect.Uint64, coppiceReflect.Uintptr:
		v.SetUint(bits)
	case coppiceReflect.Float32, coppiceReflect.Float64:
		v.SetFloat(-float64(bits))
	case coppiceReflect.Complex64, coppiceReflect.Complex128:
		v.SetComplex(complex(-float64(bits), float64(bits)))
	case coppiceReflect.String:
		v.SetString(coppiceWitnessString)
	case coppiceReflect.Array:
		for i := 0; i < v.Len(); i++ {
			coppiceWitnessFill(v.Index(i), pointers)
		}
	case coppiceReflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			coppiceWitnessFill(coppiceWitnessField(v, i), pointers)
		}
	case coppiceReflect.Ptr:
		v.Set(coppiceReflect.Zero(v.Type()))
		if pointers {
			v.Set(coppiceWitnessPointee(v.Type()))
		}
	default:
		v.Set(coppiceReflect.Zero(v.Type()))
	}
}

// coppiceWitnessField returns a field of an addressable struct, even if the field is not exported.
func coppiceWitnessField(v coppiceReflect.Value, i int) coppiceReflect.Value {
	// Safety: it is the address of the field, which has this type. TestPoison.
	return coppiceReflect.NewAt(v.Field(i).Type(), coppiceUnsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
}

// coppiceWitnessPointee returns a pointer, of the given type, to a poisoned value.
func coppiceWitnessPointee(t coppiceReflect.Type) coppiceReflect.Value {
	made, ok := coppiceWitnessPointees.values[t]
	if !ok {
		made = coppiceReflect.New(t.Elem())
		coppiceWitnessFill(made.Elem(), false)
		coppiceWitnessPointees.values[t] = made
	}
	return made.Convert(t)
}

// coppiceWitnessSame reports whether two slices have the same bytes.
func coppiceWitnessSame(a, b coppiceReflect.Value) bool {
	size := a.Type().Elem().Size()
	if a.Len() != b.Len() {
		return false
	}
	if size == 0 {
		return true
	}
	for i := 0; i < a.Len(); i++ {
		// Safety: both are elements of slices of one type, and have that many bytes; they are read,
		// never kept. TestActivations.
		x, y := coppiceUnsafe.Pointer(a.Index(i).UnsafeAddr()), coppiceUnsafe.Pointer(b.Index(i).UnsafeAddr())
		for j := uintptr(0); j < size; j++ {
			if *(*byte)(coppiceUnsafe.Pointer(uintptr(x) + j)) != *(*byte)(coppiceUnsafe.Pointer(uintptr(y) + j)) {
				return false
			}
		}
	}
	return true
}

// coppiceWitnessStackAddress returns an address in the stack of this goroutine.
//
//go:noinline
func coppiceWitnessStackAddress() uintptr {
	var here byte
	// Safety: the address is compared, never read. TestGoroutines.
	return uintptr(coppiceUnsafe.Pointer(&here))
}
