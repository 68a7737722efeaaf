package alloctest

import (
	"bytes"
	"fmt"
	"math/bits"
	"reflect"
	"sync"
	"unsafe"
)

// This file fills values of any type with a pattern that depends on a number, and checks the
// pattern. The kit therefore needs no second copy of a value, which would keep alive what the value
// points to and so hide bugs of the allocator.

// pattern returns the contents of word i of the value with the given number. It uses the mixing
// function of SplitMix64, so that neighboring words have nothing in common. None of the bytes is 0.
func pattern(number uint64, i uintptr) uint64 {
	x := number*0x9E3779B97F4A7C15 + (uint64(i)+1)*0xD1B54A32D192ED03
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31 | 0x0101010101010101
}

// A common holds the targets of one part of a crowd's values, which is a string or another pointer.
// The values share a few targets, because separate targets for ten million values would not fit
// into memory. The targets are allocated at first use.
type common struct {
	once     sync.Once
	texts    [commons]string
	pointees [commons]unsafe.Pointer
}

// commons is the number of targets that a common holds.
const commons = 32

// of returns the shared target that x selects for the given part: text for a string, pointee for
// any other pointer.
func (c *common) of(one *part, x uint64) (text string, pointee unsafe.Pointer) {
	c.once.Do(func() {
		for i := range c.texts {
			if one.kind == partString {
				c.texts[i] = textOf(uint64(i))
			} else {
				c.pointees[i] = one.newPointee(uint64(i), nil)
			}
		}
	})
	return c.texts[x%commons], c.pointees[x%commons]
}

// A manner determines how fill fills a value.
type manner struct {
	number uint64
	crowd  bool   // whether pointers get shared targets
	watch  *watch // records the pointer targets
}

// fill writes the pattern of m.number to *p.
func fill(pl *plan, p value, m manner) {
	// Safety: the plan describes the type of the value, so each part is written with its own type
	// at its own address. TestFillAndDiffers.
	pl.fill(unsafe.Pointer(p), 0, &m)
}

func (p *plan) fill(v unsafe.Pointer, word uintptr, m *manner) {
	for i := range p.parts {
		one := &p.parts[i]
		// Safety: the part is inside the value. TestFillAndDiffers.
		at, x := unsafe.Add(v, one.offset), pattern(m.number, word+one.word)
		switch one.kind {
		case partBool:
			*(*bool)(at) = true
		case partByte:
			*(*uint8)(at) = uint8(x)
		case partTwo:
			*(*uint16)(at) = uint16(x)
		case partFour:
			*(*uint32)(at) = uint32(x)
		case partEight:
			*(*uint64)(at) = x
		case partNumbers:
			fillBytes(unsafe.Slice((*byte)(at), one.size), x)
		case partArray:
			for k := range one.size / one.step {
				one.each.fill(unsafe.Add(at, k*one.step), word+one.word+1+k*one.each.words, m)
			}
		default:
			one.fillPointer(at, x, m)
		}
	}
}

// fillPointer fills a part that contains a pointer. It does not change parts whose kind it does not
// support, such as maps.
func (one *part) fillPointer(at unsafe.Pointer, x uint64, m *manner) {
	var text string
	var pointee unsafe.Pointer
	switch {
	case one.common == nil:
		return
	case m.crowd:
		text, pointee = one.common.of(one, x)
	case one.kind == partString:
		text = textOf(x)
		// Safety: the bytes are never read; the weak pointer refers to the string on the Go heap
		// that textOf allocated. TestWatch.
		m.watch.add(unsafe.StringData(text))
	default:
		pointee = one.newPointee(x, m.watch)
	}
	// Safety: each kind is written with its own type, so that the write barrier sees it. A slice of
	// a different type has the same layout. TestFillAndDiffers, TestWatch.
	switch one.kind {
	case partString:
		*(*string)(at) = text
	case partPointer:
		*(*unsafe.Pointer)(at) = pointee
	case partSlice:
		*(*[]byte)(at) = unsafe.Slice((*byte)(pointee), sliceLen)
	case partAny:
		*(*any)(at) = (*[4]uint64)(pointee)
	}
}

// newPointee allocates a variable of the part's target type on the Go heap, and fills it with the
// pattern of x.
func (one *part) newPointee(x uint64, w *watch) unsafe.Pointer {
	p := reflect.New(one.target).UnsafePointer()
	if one.target.Size() >= leastWatched {
		// Safety: the bytes are never read. TestWatch.
		w.add((*byte)(p))
	}
	one.below.fill(p, 0, &manner{number: x, watch: w})
	return p
}

// textOf returns textBytes(x) as a newly allocated string on the Go heap.
func textOf(x uint64) string {
	text := textBytes(x)
	return string(text[:])
}

// textBytes returns x as 32 hexadecimal digits.
func textBytes(x uint64) (text [32]byte) {
	for i := range text {
		text[len(text)-1-i] = "0123456789abcdef"[x&15]
		x >>= 4
	}
	return text
}

// differs returns the path of the first part of *p that does not have the pattern of m.number, or
// "" if there is none.
func differs(pl *plan, p value, m manner) string {
	// Safety: as in fill; parts are only read. TestFillAndDiffers.
	if below, ok := pl.differs(unsafe.Pointer(p), 0, &m); !ok {
		return "value" + below
	}
	return ""
}

func (p *plan) differs(v unsafe.Pointer, word uintptr, m *manner) (path string, ok bool) {
	for i := range p.parts {
		one := &p.parts[i]
		// Safety: as in fill. TestFillAndDiffers.
		at, x := unsafe.Add(v, one.offset), pattern(m.number, word+one.word)
		same := true
		switch one.kind {
		case partBool:
			same = *(*bool)(at)
		case partByte:
			same = *(*uint8)(at) == uint8(x)
		case partTwo:
			same = *(*uint16)(at) == uint16(x)
		case partFour:
			same = *(*uint32)(at) == uint32(x)
		case partEight:
			same = *(*uint64)(at) == x
		case partNumbers:
			if i := bytesDiffer(unsafe.Slice((*byte)(at), one.size), x); i >= 0 {
				return one.pathOf(uintptr(i)), false
			}
		case partArray:
			for k := range one.size / one.step {
				if below, ok := one.each.differs(unsafe.Add(at, k*one.step), word+one.word+1+k*one.each.words, m); !ok {
					return fmt.Sprintf("%s[%d]%s", one.path, k, below), false
				}
			}
		case partUnknown:
		default:
			if below, ok := one.pointerDiffers(at, x, m); !ok {
				return one.path + below, false
			}
		}
		if !same {
			return one.path, false
		}
	}
	return "", true
}

// pointerDiffers implements differs for a part with a pointer that was set by fill.
func (one *part) pointerDiffers(at unsafe.Pointer, x uint64, m *manner) (path string, ok bool) {
	if m.crowd {
		x %= commons
	}
	var pointee unsafe.Pointer
	// Safety: as in fillPointer; the target has the type that fill gave it, or the allocator has
	// broken the promise Kept. TestFillAndDiffers.
	switch one.kind {
	case partString:
		text := textBytes(x)
		return "", *(*string)(at) == string(text[:])
	case partPointer:
		pointee = *(*unsafe.Pointer)(at)
	case partSlice:
		s := *(*[]byte)(at)
		if one.below != nil && len(s) != sliceLen {
			return "", false
		}
		pointee = unsafe.Pointer(unsafe.SliceData(s))
	case partAny:
		words, isWords := (*(*any)(at)).(*[4]uint64)
		if one.below != nil && !isWords {
			return "", false
		}
		pointee = unsafe.Pointer(words)
	}
	switch {
	case one.below == nil || pointee == nil:
		return "", one.below == nil && pointee == nil
	case m.crowd && pointee == one.common.pointees[x]:
		return "", true
	}
	return one.below.differs(pointee, 0, &manner{number: x})
}

// notZero returns the path of the first part of *p that is not zero, or "" if all are zero.
func notZero(pl *plan, p value) string {
	// Safety: the bytes of the value are only read, and not retained. TestNotZero.
	if firstNotZero(unsafe.Slice((*byte)(unsafe.Pointer(p)), pl.size)) < 0 {
		return ""
	}
	if below, ok := pl.isZero(unsafe.Pointer(p)); !ok {
		return "value" + below
	}
	return "" // only the padding between parts is not zero
}

func (p *plan) isZero(v unsafe.Pointer) (path string, ok bool) {
	for i := range p.parts {
		one := &p.parts[i]
		// Safety: as in notZero. TestNotZero.
		at := unsafe.Add(v, one.offset)
		if one.kind == partArray {
			for k := range one.size / one.step {
				if below, ok := one.each.isZero(unsafe.Add(at, k*one.step)); !ok {
					return fmt.Sprintf("%s[%d]%s", one.path, k, below), false
				}
			}
		} else if i := firstNotZero(unsafe.Slice((*byte)(at), one.size)); i >= 0 {
			return one.pathOf(uintptr(i)), false
		}
	}
	return "", true
}

// firstNotZero returns the index of the first byte that is not 0, or -1 if there is none.
func firstNotZero(b []byte) int {
	if len(b) == 0 || b[0] == 0 && bytes.Equal(b[1:], b[:len(b)-1]) {
		return -1
	}
	at := 0
	for b[at] == 0 {
		at++
	}
	return at
}

// fillBytes fills b with repetitions of the eight bytes of x.
func fillBytes(b []byte, x uint64) {
	for i := range min(8, len(b)) {
		b[i] = byte(x >> (i * 8))
	}
	for done := 8; done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
}

// bytesDiffer returns the index of the first byte that differs from what fillBytes writes, or -1 if
// there is none.
func bytesDiffer(b []byte, x uint64) int {
	for i := range min(8, len(b)) {
		if b[i] != byte(x>>(i*8)) {
			return i
		}
	}
	if len(b) <= 8 || bytes.Equal(b[8:], b[:len(b)-8]) {
		return -1
	}
	at := 8
	for b[at] == byte(bits.RotateLeft64(x, -8*(at%8))) {
		at++
	}
	return at
}

// writable returns the variable v without the flag by which reflection forbids writing to
// unexported fields.
func writable(v reflect.Value) reflect.Value {
	// Safety: v is a variable of this type, and NewAt keeps its type and its address.
	// TestEveryPromiseCanBreak, and Outlives in workshop/traps.
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// address returns the address of a value as an integer.
func address(p value) uintptr {
	// Safety: the address is only compared as a number, and never converted back. TestMisaligned.
	return uintptr(unsafe.Pointer(p))
}

// firstByte returns the address of a value, for a weak pointer to it.
func firstByte(p value) *byte {
	// Safety: the byte is never read. TestWatch.
	return (*byte)(unsafe.Pointer(p))
}
