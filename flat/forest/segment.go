package forest

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
)

// A segment gives a Reader access to a segment of the file.
type segment struct {
	head
	first   int // number of the segment's first tree
	file    *os.File
	data    []byte // bytes of the segment in the mapped file, or nil
	index   []byte // entries and names, mapped or in memory
	checked []atomic.Uint32
	texts   func() (*flatimpl.Texts, error)
}

// newSegment returns the segment that f describes. Its index is in data, the mapped file. If data
// is nil, the index is in f.
func newSegment(f *found, first int, data []byte, limits *flat.LoadLimits) *segment {
	s := &segment{head: f.head, first: first, index: f.index}
	if data != nil {
		s.data = data[f.at : f.at+f.size]
		s.index = s.data[headBytes:f.stringsAt()]
	}
	s.checked = make([]atomic.Uint32, (int(f.trees)+31)/32)
	s.texts = sync.OnceValues(func() (texts *flatimpl.Texts, err error) {
		fault := flat.Guard(func() { texts, err = s.readTexts(limits) })
		return texts, errors.Join(fault, err)
	})
	return s
}

// read returns n bytes of the segment.
func (s *segment) read(at, n uint64) ([]byte, error) {
	if s.data != nil {
		return s.data[at : at+n : at+n], nil
	}
	return readAt(s.file, make([]byte, n), int64(s.at+at))
}

// readTexts reads and checks the strings of the segment.
func (s *segment) readTexts(limits *flat.LoadLimits) (*flatimpl.Texts, error) {
	n := s.wordsAt() - s.stringsAt()
	if most := limits.MaxBytes; n > uint64(most) {
		return nil, fmt.Errorf("%w: %d bytes of strings in a segment, more than LoadLimits.MaxBytes, %d", flat.ErrLimit, n, most)
	}
	b, err := s.read(s.stringsAt(), n)
	if err != nil {
		return nil, err
	}
	if sum(b) != s.stringsSum {
		return nil, invalid("the strings of the segment at %d are damaged", s.at)
	}
	ends := 4 * uint64(s.strings)
	return flatimpl.NewTexts(flatimpl.FileWords(b[:ends:ends]), b[ends:ends+uint64(s.text)])
}

// tree returns tree i of the segment, as stored in the file.
func (s *segment) tree(i int, limits *flat.LoadLimits) (t flatimpl.Stored, err error) {
	if t.Texts, err = s.texts(); err != nil {
		return t, err
	}
	fault := flat.Guard(func() { err = s.readTree(i, &t, limits) })
	return t, errors.Join(fault, err)
}

func (s *segment) readTree(i int, t *flatimpl.Stored, limits *flat.LoadLimits) error {
	e, err := s.entryOf(s.index, i)
	if err != nil {
		return err
	}
	n := 4 * (e.wordsEnd - e.wordsAt)
	if most := limits.MaxBytes; n > uint64(most) {
		return fmt.Errorf("%w: %d bytes, more than LoadLimits.MaxBytes, %d", flat.ErrLimit, n, most)
	}
	b, err := s.read(s.wordsAt()+4*e.wordsAt, n)
	if err != nil {
		return err
	}
	t.Checked = s.data != nil && s.checked[i/32].Load()>>(i%32)&1 != 0
	if !t.Checked && sum(b) != e.sum {
		return invalid("its words are damaged")
	}
	t.Words, t.Root, t.Nodes = flatimpl.FileWords(b), e.root, e.nodes
	return nil
}

// setChecked records that tree i was validated.
func (s *segment) setChecked(i int) { s.checked[i/32].Or(1 << (i % 32)) }

// name returns the name of tree i, or nil if the file was changed.
func (s *segment) name(i int) []byte {
	e, err := s.entryOf(s.index, i)
	if err != nil {
		return nil
	}
	return s.index[entryBytes*uint64(s.trees):][e.nameAt:e.nameEnd]
}
