package hash

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"unsafe"
)

// A Func hashes keys of type K. It must be created by For.
type Func[K comparable] struct {
	Secrets
	Plan
}

// For returns the hash function for keys of type K and a seed. It returns an error if K is neither
// a string type nor a pointer-free type of fixed size. The error message begins with the caller's
// name, which is passed in where.
func For[K comparable](where string, seed uint64) (Func[K], error) {
	plan, err := PlanOf(where, reflect.TypeFor[K]())
	return Func[K]{SecretsOf(seed), plan}, err
}

// Hash returns the hash of a key. K may be any type that For accepts.
func (f *Func[K]) Hash(k K) uint64 {
	switch f.Kind {
	case Memory:
		return Plain(&f.Secrets, &k)
	case Text:
		// Safety: the kind of K is string, as For has checked. TestStringsOfNamedTypes.
		return f.String(*(*string)(unsafe.Pointer(&k)))
	}
	return f.inParts(unsafe.Pointer(&k))
}

// Plain hashes all bytes of a key whose Kind is Memory. For common key sizes up to 16 bytes, this
// takes two multiplications.
func Plain[K any](s *Secrets, k *K) uint64 {
	// Safety: each read is inside *k, whose size is a constant in the compiled code. TestEverySize,
	// under -d=checkptr=2.
	p := unsafe.Pointer(k)
	switch unsafe.Sizeof(*k) {
	case 8:
		return s.Word(*(*uint64)(p))
	case 4:
		return s.Word(uint64(*(*uint32)(p)))
	case 2:
		return s.Word(uint64(*(*uint16)(p)))
	case 1:
		return s.Word(uint64(*(*uint8)(p)))
	case 16:
		return s.Words(load64(p, 0), load64(p, 8))
	case 12:
		return s.Words(load64(p, 0), uint64(load32(p, 8)))
	}
	return s.memory(p, unsafe.Sizeof(*k))
}

// load64 and load32 load words that need not be aligned.
func load64(p unsafe.Pointer, offset uintptr) uint64 {
	// Safety: the callers' sizes ensure that the bytes are inside the key. TestEverySize.
	return binary.NativeEndian.Uint64((*[8]byte)(unsafe.Add(p, offset))[:])
}

func load32(p unsafe.Pointer, offset uintptr) uint32 {
	// Safety: as in load64.
	return binary.NativeEndian.Uint32((*[4]byte)(unsafe.Add(p, offset))[:])
}

// String hashes the bytes of a string.
func (s *Secrets) String(text string) uint64 {
	// Safety: the bytes are only read, and not retained. TestStringsAndBytes.
	return s.Bytes(unsafe.Slice(unsafe.StringData(text), len(text)))
}

// memory hashes size bytes, beginning at p.
func (s *Secrets) memory(p unsafe.Pointer, size uintptr) uint64 {
	// Safety: the caller's value has that many bytes. TestEverySize.
	return s.Bytes(unsafe.Slice((*byte)(p), size))
}

// Bytes hashes bytes. It reads words in little-endian order.
func (s *Secrets) Bytes(text []byte) uint64 {
	n := len(text)
	state := s.a ^ uint64(n)
	var x, y uint64
	switch {
	case n > 16:
		for rest := text; len(rest) > 16; rest = rest[16:] {
			high, low := bits.Mul64(binary.LittleEndian.Uint64(rest)^s.b, binary.LittleEndian.Uint64(rest[8:])^state)
			state = high ^ low
		}
		x = binary.LittleEndian.Uint64(text[n-16:])
		y = binary.LittleEndian.Uint64(text[n-8:])
	case n >= 8:
		x = binary.LittleEndian.Uint64(text)
		y = binary.LittleEndian.Uint64(text[n-8:])
	case n >= 4:
		x = uint64(binary.LittleEndian.Uint32(text))
		y = uint64(binary.LittleEndian.Uint32(text[n-4:]))
	case n > 0:
		x = uint64(text[0]) | uint64(text[n/2])<<8 | uint64(text[n-1])<<16
	}
	high, low := bits.Mul64(x^s.b, y^state)
	high, low = bits.Mul64(high^s.c, low^s.a^uint64(n))
	return high ^ low
}

// inParts hashes the significant parts of the key at p.
func (f *Func[K]) inParts(p unsafe.Pointer) uint64 {
	state := f.b
	for _, part := range f.parts {
		var x uint64
		// Safety: a part is inside the type for which the plan was made. TestParts.
		at := unsafe.Add(p, part.offset)
		switch {
		case !part.float:
			x = f.memory(at, part.size)
		case part.size == 4:
			if v := *(*float32)(at); v != 0 { // otherwise v is 0 or -0, and both hash as zero bits
				x = uint64(*(*uint32)(at))
			}
		default:
			if v := *(*float64)(at); v != 0 {
				x = *(*uint64)(at)
			}
		}
		high, low := bits.Mul64(x^f.a, state^f.c)
		state = high ^ low ^ x
	}
	return f.Word(state)
}
