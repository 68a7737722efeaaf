package image

import (
	"fmt"
	"hash/crc32"
	"os"

	"github.com/coppice-go/coppice/internal/durable"
)

// pieceBytes is how much is summed and then written at a time: it is still in the processor's
// cache.
const pieceBytes = 1 << 20

// Save writes an image of the sections and gives it the name path. If it fails, a file that was
// there is as it was, but see [durable.Replace] for the last step. The sections must not change
// meanwhile; they may belong to regions that show the old file. It costs a copy of all sections to
// the disk.
func Save(path string, h Header, sections ...[]byte) error {
	whole := make([][][]byte, len(sections))
	for i := range sections {
		whole[i] = sections[i : i+1]
	}
	return SaveParts(path, h, whole...)
}

// SaveParts is Save for sections that lie in memory in several parts, which follow one another in
// the file.
func SaveParts(path string, h Header, sections ...[][]byte) error {
	if err := usable(); err != nil {
		return err
	}
	placed := make([]section, len(sections))
	for i, parts := range sections {
		for _, b := range parts {
			placed[i].size += int64(len(b))
		}
	}
	if _, err := encode(h, placed); err != nil { // which says where sections begin
		return fmt.Errorf("saving %s: %w", path, err)
	}
	err := durable.Replace(path, func(f *os.File) error {
		for i, parts := range sections {
			if err := writeSection(f, &placed[i], parts); err != nil {
				return err
			}
		}
		header, err := encode(h, placed)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(header, 0)
		return err
	})
	if err != nil {
		return fmt.Errorf("saving %s: %w", path, err)
	}
	return nil
}

// writeSection writes the parts of a section to its place, and sums them up. What lies between
// sections is a hole, and reads as zero.
func writeSection(f *os.File, s *section, parts [][]byte) error {
	written := section{at: s.at}
	for _, b := range parts {
		if err := written.append(f, b); err != nil {
			return err
		}
	}
	s.sum = written.sum
	return nil
}

// append writes more of a section, behind what it has.
func (s *section) append(f *os.File, b []byte) error {
	for len(b) > 0 {
		n := min(len(b), pieceBytes)
		s.sum = crc32.Update(s.sum, table, b[:n])
		if _, err := f.WriteAt(b[:n], s.at+s.size); err != nil {
			return err
		}
		b, s.size = b[n:], s.size+int64(n)
	}
	return nil
}

// SaveStream is Save of one section that nobody has in memory: fill calls put with one piece of it
// after another. If fill returns an error, so does SaveStream, and a file that was there is as it
// was.
func SaveStream(path string, h Header, fill func(put func(piece []byte) error) error) error {
	if err := usable(); err != nil {
		return err
	}
	placed := make([]section, 1)
	if _, err := encode(h, placed); err != nil { // which says where the section begins
		return fmt.Errorf("saving %s: %w", path, err)
	}
	err := durable.Replace(path, func(f *os.File) error {
		if err := fill(func(piece []byte) error { return placed[0].append(f, piece) }); err != nil {
			return err
		}
		header, err := encode(h, placed)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(header, 0)
		return err
	})
	if err != nil {
		return fmt.Errorf("saving %s: %w", path, err)
	}
	return nil
}
