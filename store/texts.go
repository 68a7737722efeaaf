package store

import (
	"errors"
	"fmt"
	"math"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A Text refers to a string in a Store's string region. It has 8 bytes and contains no pointer, so
// records can contain Texts. The zero Text is the empty string. Two different Texts of one Store
// may refer to equal strings.
type Text struct{ offset, length uint32 }

// Len returns the length of the string in bytes.
func (t Text) Len() int { return int(t.length) }

// texts is the string region of a Store. It is reserved when it is used for the first time.
type texts struct {
	region *vmem.Region
	used   uintptr // bytes in use, from the start
}

// maxTextBytes is the maximum size of a string region, so that offsets fit into 32 bits.
const maxTextBytes = math.MaxUint32

func (x *texts) put(s string, account *vmem.Account, huge vmem.HugePages) (Text, error) {
	if len(s) == 0 {
		return Text{}, nil
	}
	if x.region == nil {
		region, err := vmem.ReserveSome(min(vmem.DefaultSize(), maxTextBytes), 1<<16, huge, account)
		if err != nil {
			return Text{}, fmt.Errorf("%w of text: %w", ErrFull, err)
		}
		x.region = region
	}
	limit := min(x.region.Size(), maxTextBytes)
	if uintptr(len(s)) > limit-x.used {
		return Text{}, fmt.Errorf("%w of text: %d of the maximum %d bytes are used", ErrFull, x.used, limit)
	}
	end := x.used + uintptr(len(s))
	if err := x.region.Commit(end); err != nil {
		return Text{}, fmt.Errorf("%w of text: %w", ErrFull, err)
	}
	t := Text{uint32(x.used), uint32(len(s))}
	copy(bytesOf(x.region, x.used, end), s)
	x.used = end
	return t, nil
}

// get returns the bytes of t. It returns false if t is not valid.
func (x *texts) get(t Text) ([]byte, bool) {
	start, end := uintptr(t.offset), uintptr(t.offset)+uintptr(t.length)
	if end < start || end > x.used {
		return nil, false
	}
	if t.length == 0 {
		return nil, true
	}
	return bytesOf(x.region, start, end), true
}

// makeRoom commits enough memory to copy the strings of from. If it fails, no string is lost.
func (x *texts) makeRoom(from *texts, account *vmem.Account, huge vmem.HugePages) error {
	switch {
	case from.used == 0:
		return nil
	case x.region != nil && from.used <= x.region.Size():
		return x.region.Commit(from.used)
	}
	region, err := vmem.ReserveSome(from.region.Size(), max(1<<16, from.used), huge, account)
	if err != nil {
		return err
	}
	if err := region.Commit(from.used); err != nil {
		return errors.Join(err, region.Close())
	}
	if x.region != nil {
		if err := x.region.Close(); err != nil {
			return errors.Join(err, region.Close())
		}
	}
	x.region = region
	return nil
}

// copyFrom replaces all strings by the strings of from. Enough memory must have been committed.
func (x *texts) copyFrom(from *texts) {
	x.used = from.used
	if x.used > 0 {
		copy(bytesOf(x.region, 0, x.used), bytesOf(from.region, 0, x.used))
	}
}

func (x *texts) trim() error {
	if x.region == nil {
		return nil
	}
	return x.region.Decommit(x.used)
}

func (x *texts) close() error {
	if x.region == nil {
		return nil
	}
	x.used = 0
	region := x.region
	x.region = nil
	return region.Close()
}
