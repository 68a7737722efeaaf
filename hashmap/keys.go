package hashmap

import "github.com/coppice-go/coppice/internal/texts"

// shortText is the maximum length of a short string key. A loop copies short keys in advance, each
// with a fixed number of loads.
const shortText = 64

// A groupKeys holds copies of the keys in the current group of a loop. The short keys are all
// copied before the first key is yielded. Because their loads do not depend on each other, their
// cache misses overlap.
type groupKeys struct {
	short   [slots][shortText]byte
	lengths [slots]uint8 // lengths of the keys in short; absent for the others
	room    []byte       // the key that was requested last, if it is not in short
}

// absent is stored as the length of a key that is not in the field short.
const absent = 0xFF

// copy copies the short keys of the slots that which contains. refs identifies the strings of all
// slots in the group.
func (k *groupKeys) copy(heap *texts.Heap, refs *[slots]texts.Ref, which set) {
	memory := heap.Contents()
	for ; which != 0; which &= which - 1 {
		s := which.first()
		k.lengths[s] = absent
		// The length of a short string is stored in one byte. The copy may include bytes after the
		// end of the string.
		if at := uint64(refs[s]) * texts.Unit; at > 0 && at+shortText < uint64(len(memory)) && memory[at] <= shortText {
			copyShort(&k.short[s], (*[shortText]byte)(memory[at+1:]))
			k.lengths[s] = memory[at]
		}
	}
}

// copyShort copies *from to *to. Unlike an assignment of the array, it is compiled without a call
// to memmove.
func copyShort(to, from *[shortText]byte) {
	*(*[16]byte)(to[0:]) = *(*[16]byte)(from[0:])
	*(*[16]byte)(to[16:]) = *(*[16]byte)(from[16:])
	*(*[16]byte)(to[32:]) = *(*[16]byte)(from[32:])
	*(*[16]byte)(to[48:]) = *(*[16]byte)(from[48:])
}

// forget discards the copies. It is called after the map has changed.
func (k *groupKeys) forget() {
	for i := range k.lengths {
		k.lengths[i] = absent
	}
}

// of returns a copy of the key in slot s. The copy is valid until the next call.
func (k *groupKeys) of(heap *texts.Heap, refs *[slots]texts.Ref, s int) []byte {
	if n := int(k.lengths[s]); n <= shortText {
		return k.short[s][:n]
	}
	return k.late(heap, refs[s])
}

func (k *groupKeys) late(heap *texts.Heap, ref texts.Ref) []byte {
	text, _ := heap.Bytes(ref)
	k.room = append(k.room[:0], text...)
	return k.room
}

// keyChunk is the maximum size in bytes of an allocation that several keys share.
const keyChunk = 4096

// A keyRoom provides memory for copies of string keys.
type keyRoom struct {
	bytes []byte
	lent  bool // copies are valid only until reset
}

// reset prepares the keyRoom for the keys of the next page. If copies are valid only until the next
// iteration, their memory is then reused.
func (r *keyRoom) reset() {
	if r.lent {
		r.bytes = r.bytes[:0]
	}
}

// add returns a copy of text, a string key of a map with the given number of entries.
func (r *keyRoom) add(text []byte, entries int) string {
	if !r.lent && len(text) > cap(r.bytes)-len(r.bytes) {
		r.bytes = make([]byte, 0, max(len(text), min(keyChunk, entries*shortText)))
	}
	start := len(r.bytes)
	r.bytes = append(r.bytes, text...) // if append allocates, earlier copies do not move
	return stringOf(r.bytes[start:])
}
