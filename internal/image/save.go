package image

import (
	"fmt"
	"hash/crc32"
	"os"

	"github.com/coppice-go/coppice/internal/durable"
)

// pieceBytes is the number of bytes that are checksummed and then written at a time, while they are
// still in the processor's cache.
const pieceBytes = 1 << 20

// Save writes an image of the sections to the file at path. If it fails, an existing file is
// unchanged; see [durable.Replace] for the last step. The sections must not change during the call.
// They may belong to regions that map the old file. The cost of Save is to write all sections to
// the disk once.
func Save(path string, h Header, sections ...[]byte) error {
	whole := make([][][]byte, len(sections))
	for i := range sections {
		whole[i] = sections[i : i+1]
	}
	return SaveParts(path, h, whole...)
}

// SaveParts is like Save for sections that consist of several parts in memory, which are
// concatenated in the file.
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
	if _, err := encode(h, placed); err != nil { // it computes the offsets of the sections
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

// writeSection writes the parts of a section at the offset of the section, and computes the
// checksum of the section. The gaps between sections become holes in the file, which are read as
// zeros.
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

// append writes more bytes at the end of a section, and updates its checksum.
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

// SaveStream is like Save for a single section that is produced piece by piece. It calls fill,
// which must pass each piece to put. If fill returns an error, SaveStream returns it, and an
// existing file is unchanged.
func SaveStream(path string, h Header, fill func(put func(piece []byte) error) error) error {
	if err := usable(); err != nil {
		return err
	}
	placed := make([]section, 1)
	if _, err := encode(h, placed); err != nil { // it computes the offset of the section
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
