package store

import (
	"errors"
	"fmt"
	"math"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A Text is a string in a Store's own text region: 8 bytes that a record can hold.
// The zero Text is the empty string. Two Texts of one Store may differ and hold equal
// strings.
type Text struct{ offset, length uint32 }

// Len returns the length in bytes.
func (t Text) Len() int { return int(t.length) }

// texts is the text region of a Store, reserved when it is first used.
type texts struct {
	region *vmem.Region
	used   uintptr // bytes from the start that are text
}

// maxTextBytes is the greatest size of a text region: what an offset can name.
const maxTextBytes = math.MaxUint32

func (x *texts) put(s string, account *vmem.Account, huge vmem.HugePages) (Text, error) {
	if len(s) == 0 {
		return Text{}, nil
	}
	if x.region == nil {
		region, err := reserveSome(min(vmem.DefaultSize(), maxTextBytes), 1<<16, huge, account)
		if err != nil {
			return Text{}, fmt.Errorf("%w of text: %w", ErrFull, err)
		}
		x.region = region
	}
	limit := min(x.region.Size(), maxTextBytes)
	if uintptr(len(s)) > limit-x.used {
		return Text{}, fmt.Errorf("%w of text: %d bytes of at most %d", ErrFull, x.used, limit)
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

// get returns the bytes of t, and false if no such text was put.
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

// makeRoom takes memory for as many bytes of text as another has, and loses no text if
// that fails.
func (x *texts) makeRoom(from *texts, account *vmem.Account, huge vmem.HugePages) error {
	switch {
	case from.used == 0:
		return nil
	case x.region != nil && from.used <= x.region.Size():
		return x.region.Commit(from.used)
	}
	region, err := reserveSome(from.region.Size(), max(1<<16, from.used), huge, account)
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

// copyFrom replaces all texts by another's, for which there is room.
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

// PutText copies s into the store's text region and returns where it is. It is
// valid until Reset or Close; single texts cannot be deleted. A region has up to
// 4 GiB. PutText panics if it is full or the store closed. One goroutine may call
// it at a time.
func (s *Store[T]) PutText(text string) Text {
	if err := s.own.usable(); err != nil {
		panic("store.PutText: " + err.Error())
	}
	c := s.own.core
	t, err := c.texts.put(text, c.account, c.huge)
	if err != nil {
		panic("store.PutText: " + err.Error())
	}
	return t
}

// TextBytes returns the bytes of a text where they are, without a copy; they must not
// be written. They are valid until Reset or Close. It panics if t is no text of this
// store.
func (s *Store[T]) TextBytes(t Text) []byte {
	return s.own.made("store.TextBytes").text("store.TextBytes", t)
}

// text returns the bytes of a text, and panics in the name of where if there is none.
func (c *core) text(where string, t Text) []byte {
	text, ok := c.texts.get(t)
	if !ok {
		panic(fmt.Sprintf("%s: the store has no text at %d to %d; was it Reset?", where, t.offset, uint64(t.offset)+uint64(t.length)))
	}
	return text
}

// Text returns a copy of a text as a string, which is one allocation. It panics if
// t is no text of this store.
func (s *Store[T]) Text(t Text) string { return string(s.own.made("store.Text").text("store.Text", t)) }
