package cache

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A record stores an entry in a file. It consists of these 64-bit words, in little-endian byte
// order:
//
//	lengths   of the key and of the value, in bytes, 32 bits each
//	marks     how it was used, and which queue it was in (below)
//	deadline  in nanoseconds since 1970; only if timed
//	stamp     in nanoseconds since 1970: when GetOrLoad loads a new value; only if stamped
//	key, value, and zeros up to the next word
const (
	markFrequency = 3 // 2 bits for the frequency
	markUsed      = 1 << 2
	markTimed     = 1 << 3
	markSliding   = 1 << 4
	markStamped   = 1 << 5
	markQueue     = 3 << 6 // 0 for the brief queue, 1 for the small queue, 2 for the main queue
	markAll       = markFrequency | markUsed | markTimed | markSliding | markStamped | markQueue
	markRecord    = 0xC0DE << 48 // present in all records, so that zeros are not a valid record

	queueShift  = 6
	recordFixed = 16
)

// bytesOfRecord returns the size in bytes of a record with the given lengths and marks.
func bytesOfRecord(lengths, marks uint64) uint64 {
	n := recordFixed + (lengths&math.MaxUint32+lengths>>32+7)&^7
	for _, mark := range []uint64{markTimed, markStamped} {
		if marks&mark != 0 {
			n += 8
		}
	}
	return n
}

// wordsOfBlock returns the number of words of the block for an entry whose record has the given
// lengths and marks.
func (f *form) wordsOfBlock(lengths, marks uint64) uint64 {
	p := piece{timed: marks&markTimed != 0, stamped: marks&markStamped != 0}
	return f.measure(p.bits(), lengths&math.MaxUint32, lengths>>32)
}

// appendRecord appends the record of an entry to b. header is the header of the entry's block, and
// offset is the wall-clock time at which the Cache was created, in nanoseconds since 1970.
func appendRecord(b []byte, header uint64, queue int, offset int64, p *piece) []byte {
	marks := uint64(markRecord) | frequencyOf(header) | uint64(queue)<<queueShift
	if header&usedBit != 0 {
		marks |= markUsed
	}
	if p.timed {
		marks |= markTimed
	}
	if p.sliding {
		marks |= markSliding
	}
	if p.stamped {
		marks |= markStamped
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(p.key))|uint64(len(p.value))<<32)
	b = binary.LittleEndian.AppendUint64(b, marks)
	if p.timed {
		b = binary.LittleEndian.AppendUint64(b, uint64(sum(p.deadline, offset)))
	}
	if p.stamped {
		b = binary.LittleEndian.AppendUint64(b, uint64(sum(p.stamp, offset)))
	}
	b = append(append(b, p.key...), p.value...)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// bitsOf converts the marks of a record to the header bits that record how the entry was used.
func bitsOf(marks uint64) uint64 {
	bits := marks & markFrequency << frequencyShift
	if marks&markUsed != 0 {
		bits |= usedBit
	}
	return bits
}

// check returns an error if the lengths or the marks of a record are invalid.
func (f *form) check(lengths, marks uint64) error {
	key, value := lengths&math.MaxUint32, lengths>>32
	switch {
	case marks&^markAll != markRecord || marks&markQueue == markQueue || marks&(markTimed|markSliding) == markSliding:
		return fmt.Errorf("%w: a record has the marks %#x", ErrInvalid, marks)
	case !f.keyText && key != uint64(f.keyBytes) || !f.valueText && value != uint64(f.valueBytes):
		return fmt.Errorf("%w: a record has a key of %d bytes and a value of %d", ErrInvalid, key, value)
	}
	return nil
}

// split decodes a complete record. The deadline and the stamp in the result are wall-clock times,
// as in the file.
func split(b []byte) (p piece, marks uint64, err error) {
	lengths, marks := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	rest := b[recordFixed:]
	if p.timed, p.sliding = marks&markTimed != 0, marks&markSliding != 0; p.timed {
		p.deadline = int64(binary.LittleEndian.Uint64(rest))
		rest = rest[8:]
	}
	if p.stamped = marks&markStamped != 0; p.stamped {
		p.stamp = int64(binary.LittleEndian.Uint64(rest))
		rest = rest[8:]
	}
	key := lengths & math.MaxUint32
	end := key + lengths>>32
	p.key, p.value = rest[:key:key], rest[key:end:end]
	for _, c := range rest[end:] {
		if c != 0 {
			return p, marks, fmt.Errorf("%w: there are bytes after the value of a record", ErrInvalid)
		}
	}
	return p, marks, nil
}
