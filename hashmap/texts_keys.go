package hashmap

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// A keyPlan describes how keys of one type are encoded as strings, because the index of a Texts
// stores all keys as strings. It lists the parts of a key that == compares, which are strings and
// byte ranges. A string key is its own encoding. Every other key is encoded as the sequence of its
// parts, with the length of each string before the string. Two keys are therefore equal if and only
// if their encodings are equal.
type keyPlan struct {
	whole bool // the key is a string
	parts []keyPart
}

// A keyPart describes a string or a byte range in a key by its offset from the start of the key.
type keyPart struct {
	offset, size uintptr
	kind         partKind
}

type partKind uint8

const (
	plainPart  partKind = iota
	boolPart            // bools, whose bytes in a file must be checked
	stringPart          // a string of any length
)

// mostKeyParts is the maximum number of parts of a key. The limit bounds the time of a look-up.
const mostKeyParts = 256

// planKeys returns the plan for keys of type t. The parameter where names the function that the
// user called, for errors.
func planKeys(where string, t reflect.Type) (p keyPlan, err error) {
	if t.Kind() == reflect.String {
		return keyPlan{whole: true}, nil
	}
	if t.Size() > mostEntryBytes {
		return p, fmt.Errorf("%s: a key has %d bytes, but at most %d are possible; use a hash of it", where, t.Size(), mostEntryBytes)
	}
	if err := p.add(t, t.String(), 0); err != nil {
		return p, fmt.Errorf("%s: %w", where, err)
	}
	return p, nil
}

// add adds to the plan the parts of a value of type t that is at the given offset in the key. path
// identifies the value in errors.
func (p *keyPlan) add(t reflect.Type, path string, offset uintptr) error {
	switch t.Kind() {
	case reflect.String:
		return p.part(path, keyPart{offset, t.Size(), stringPart})
	case reflect.Bool:
		return p.part(path, keyPart{offset, t.Size(), boolPart})
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return p.part(path, keyPart{offset, t.Size(), plainPart})
	case reflect.Array:
		for i := range t.Len() {
			if err := p.add(t.Elem(), path+"[]", offset+uintptr(i)*t.Elem().Size()); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name == "_" {
				continue // == ignores it
			}
			if err := p.add(f.Type, path+"."+f.Name, offset+f.Offset); err != nil {
				return err
			}
		}
		return nil
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("%s is a %s, whose equality differs from equality of its bits; use math.Float64bits", path, t)
	}
	return fmt.Errorf("%s is a %s, a pointer that the collector would not see; use strings, integers, bools, and arrays and structs of them", path, t)
}

// part adds the part next to the plan. If next is a byte range that follows the previous byte range
// directly, it extends the previous part instead.
func (p *keyPlan) part(path string, next keyPart) error {
	if n := len(p.parts); n > 0 && next.kind == plainPart {
		if last := &p.parts[n-1]; last.kind == plainPart && last.offset+last.size == next.offset {
			last.size += next.size
			return nil
		}
	}
	if len(p.parts) == mostKeyParts {
		return fmt.Errorf("%s: a key has more than %d parts; use a string that has them all", path, mostKeyParts)
	}
	p.parts = append(p.parts, next)
	return nil
}

// stackKey is the size in bytes of the stack buffer in which a look-up encodes its key.
const stackKey = 128

// keyString returns the string that encodes *k. For a string key, it returns the key itself. Every
// other key is encoded in the memory of room if room is large enough. The result is valid as long
// as room and *k do not change.
func keyString[K comparable](p *keyPlan, room []byte, k *K) string {
	if p.whole {
		return textOf(k)
	}
	for _, part := range p.parts {
		if part.kind == stringPart {
			text := *stringAt(k, part.offset)
			room = append(binary.AppendUvarint(room, uint64(len(text))), text...)
		} else {
			room = append(room, plainAt(k, part.offset, part.size)...)
		}
	}
	return stringOf(room)
}

// keyOf returns the key that text encodes. Strings in the key share the memory of text. keyOf
// returns false if text is not the encoding of a key, which happens only with a damaged file.
func keyOf[K comparable](p *keyPlan, text string) (k K, ok bool) {
	if p.whole {
		return keyOfText[K](text), true
	}
	for _, part := range p.parts {
		size := uint64(part.size)
		if part.kind == stringPart {
			n, width := uvarint(text)
			if width == 0 {
				return k, false
			}
			size, text = n, text[width:]
		}
		if size > uint64(len(text)) {
			return k, false
		}
		switch part.kind {
		case stringPart:
			*stringAt(&k, part.offset) = text[:size]
		case boolPart:
			if text[0] > 1 {
				return k, false
			}
			fallthrough
		default:
			copy(plainAt(&k, part.offset, part.size), text)
		}
		text = text[size:]
	}
	return k, text == ""
}

// uvarint is binary.Uvarint for a string. width is the number of bytes of the encoding. It is 0 if
// text does not begin with an encoded number, or if the encoding is longer than necessary.
func uvarint(text string) (n uint64, width int) {
	var first [binary.MaxVarintLen64]byte
	n, width = binary.Uvarint(first[:copy(first[:], text)])
	if width <= 0 || width > 1 && first[width-1] == 0 {
		return 0, 0
	}
	return n, width
}
