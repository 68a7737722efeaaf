package symbols

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ErrInvalid is wrapped by errors that say that a file is no saved Table, or a damaged one, and ErrMismatch by those that say that it holds something else.
var (
	ErrInvalid  = image.ErrInvalid
	ErrMismatch = image.ErrMismatch
)

// A file is an image with five sections: the places, the pages as they are in memory, the directories of the shards (depth and refs, 8 bytes each;
// a depth of noDirectory stands for none), the bytes of text of each chunk (4 each), and the text. Meta is seed, count of symbols and count
// of units of pages.
const (
	sectionPlaces = iota
	sectionPages
	sectionDirs
	sectionChunks
	sectionText
	sections
)

const (
	kind        = "symbols"
	version     = 1
	metaBytes   = 24
	noDirectory = math.MaxUint64
)

var le = binary.LittleEndian

// Save writes the Table to a file, and replaces one of that name: after kill -9 at any moment and with a full disk there is the old one
// or the new one. Others may use t meanwhile; those who add symbols wait. It costs a copy of all memory of the Table to the disk. Big-endian machines cannot
// (errors.ErrUnsupported).
func (t *Table) Save(path string) error {
	defer t.lock()()
	if t.places == nil {
		return fmt.Errorf("symbols.Table.Save: %w", errClosed)
	}
	meta := le.AppendUint64(le.AppendUint64(le.AppendUint64(nil, t.seed), uint64(t.count.Load())), uint64(t.pages.units))
	var places, dirs, chunks []byte
	if n := t.count.Load(); n > 0 {
		places = bytesOf(t.region, 8*(uintptr(n)+1))
	}
	for i := range t.shards {
		dir := t.shards[i].dir.Load()
		if dir == nil {
			dirs = le.AppendUint64(dirs, noDirectory)
			continue
		}
		dirs = le.AppendUint64(dirs, uint64(dir.depth))
		for j := range dir.refs {
			dirs = le.AppendUint64(dirs, dir.refs[j].Load())
		}
	}
	list := *t.texts.chunks.Load()
	texts := make([][]byte, len(list))
	for i, used := range t.texts.used {
		chunks = le.AppendUint32(chunks, uint32(used))
		texts[i] = bytesOfString(list[i][:used])
	}
	pages := bytesOf(t.pages.region, uintptr(t.pages.units)<<leastLog*8)
	h := image.Header{Kind: kind, Version: version, Meta: meta}
	if err := image.SaveParts(path, h, [][]byte{places}, [][]byte{pages}, [][]byte{dirs}, [][]byte{chunks}, texts); err != nil {
		return fmt.Errorf("symbols.Table.Save: %w", err)
	}
	return nil
}

// OpenFile returns a Table with the symbols of a file, apart from it: what changes in one does not change in the other. Text is read into the Go heap; the index is mapped where the
// system can (64-bit, not Windows, not -race), so that it costs what is looked at, and read elsewhere. With Options.Verify
// all of it is checked now. Without, the lists are checked, and each symbol and text when it is looked at: of a damaged file Lookup may not find a text, or String
// panic, and nothing is read outside the Table. The file must not be written in place or cut off while the
// Table is open; Save replaces it, which does no harm.
func OpenFile(path string, options Options) (*Table, error) {
	f, err := image.Open(path, kind, version, 0)
	if err != nil {
		return nil, fmt.Errorf("symbols.OpenFile: %w", err)
	}
	defer f.Close()
	t, err := open("symbols.OpenFile", options, 1)
	if err != nil {
		return nil, err
	}
	err = t.load(f)
	if err == nil && options.Verify {
		if err = f.VerifySections(); err == nil {
			err = t.broken()
			t.verified = true
		}
	}
	if err != nil {
		return nil, fmt.Errorf("symbols.OpenFile: %s: %w", path, errors.Join(err, t.Close()))
	}
	return t, nil
}

func invalid(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, a...))
}

// load fills an empty table from a file of which the header is right.
func (t *Table) load(f *image.File) error {
	sizes := f.Sections()
	if len(sizes) != sections || len(f.Meta()) != metaBytes {
		return invalid("it has %d sections and %d bytes of numbers", len(sizes), len(f.Meta()))
	}
	seed, count, units := le.Uint64(f.Meta()), le.Uint64(f.Meta()[8:]), le.Uint64(f.Meta()[16:])
	wantPlaces := uint64(0)
	if count > 0 {
		wantPlaces = 8 * (count + 1)
	}
	if count > math.MaxUint32-1 || units > math.MaxUint32 || uint64(sizes[sectionPlaces]) != wantPlaces || uint64(sizes[sectionPages]) != units<<leastLog*8 {
		return invalid("%d symbols and %d units of pages do not fit %d and %d bytes", count, units, sizes[sectionPlaces], sizes[sectionPages])
	}
	if count > uint64(t.max) {
		return fmt.Errorf("%w: it has %d symbols, and there is room for %d", ErrFull, count, t.max)
	}
	for section, region := range map[int]*vmem.Region{sectionPlaces: t.region, sectionPages: t.pages.region} {
		if uint64(sizes[section]) > uint64(region.Size()) {
			return fmt.Errorf("%w: the index has %d bytes, and there is room for %d", ErrFull, sizes[section], region.Size())
		}
		if err := f.Load(section, region); err != nil {
			return err
		}
	}
	t.pages.units = uint32(units)
	t.setSeed(seed)
	if err := t.loadDirectories(f, sizes[sectionDirs]); err != nil {
		return err
	}
	if err := t.loadText(f, sizes[sectionChunks], sizes[sectionText]); err != nil {
		return err
	}
	t.room.Store(t.committed())
	t.count.Store(uint32(count))
	return nil
}

// loadDirectories reads the directories, and checks that each ref leads to a page.
func (t *Table) loadDirectories(f *image.File, size int64) error {
	if size > math.MaxInt32 && math.MaxInt == math.MaxInt32 {
		return invalid("directories of %d bytes", size)
	}
	b := make([]byte, size)
	if err := f.ReadAt(sectionDirs, b, 0); err != nil {
		return err
	}
	next := func() (uint64, bool) {
		if len(b) < 8 {
			return 0, false
		}
		v := le.Uint64(b)
		b = b[8:]
		return v, true
	}
	for i := range t.shards {
		depth, ok := next()
		if ok && depth == noDirectory {
			continue
		}
		if !ok || depth > maxDepth || len(b)/8 < 1<<depth {
			return invalid("the directory of shard %d has depth %d and is cut off", i, depth)
		}
		dir := &directory{uint(depth), make([]atomic.Uint64, 1<<depth)}
		for j := range dir.refs {
			v, _ := next()
			r := pageRef(v)
			if v != 0 && (r.log() < leastLog || r.log() > greatestLog || r.depth() > dir.depth || v&0xFFFF0000 != 0 ||
				uint64(r.unit())+1<<(r.log()-leastLog) > uint64(t.pages.units)) {
				return invalid("ref %d of shard %d is %#x, which is no page", j, i, v)
			}
			dir.refs[j].Store(v)
		}
		t.shards[i].dir.Store(dir)
	}
	if len(b) != 0 {
		return invalid("%d bytes follow the directories", len(b))
	}
	return nil
}

// loadText reads the text, into chunks as large as they were.
func (t *Table) loadText(f *image.File, size, text int64) error {
	if size%4 != 0 || size > 4*maxChunks || size < 4 {
		return invalid("a list of chunks of %d bytes", size)
	}
	lengths := make([]byte, size)
	if err := f.ReadAt(sectionChunks, lengths, 0); err != nil {
		return err
	}
	at := int64(0)
	for i := range size / 4 {
		n := int64(le.Uint32(lengths[4*i:]))
		if n > MaxBytes || n > text-at || i == 0 && n != 0 {
			return invalid("chunk %d of text has %d bytes, and %d are left", i, n, text-at)
		}
		if i == 0 {
			continue // which is none
		}
		chunk := make([]byte, n)
		if err := f.ReadAt(sectionText, chunk, at); err != nil {
			return err
		}
		t.texts.addChunk(chunk)
		t.texts.used[i] = int(n)
		at += n
	}
	if at != text {
		return invalid("%d bytes of text belong to no chunk", text-at)
	}
	return nil
}

// Verify looks at all symbols, all text and the whole index, and returns an error that wraps ErrInvalid if the Table is damaged. Those who add symbols
// wait. It costs a Lookup of every symbol.
func (t *Table) Verify() error {
	defer t.lock()()
	if t.places == nil {
		return fmt.Errorf("symbols.Table.Verify: %w", errClosed)
	}
	if err := t.broken(); err != nil {
		return fmt.Errorf("symbols.Table.Verify: %w", err)
	}
	return nil
}

// broken returns what is wrong: each symbol must have a text that leads to it, and the pages as many symbols as there are, each counted.
func (t *Table) broken() error {
	count := t.count.Load()
	for n := range count {
		s := Symbol(n + 1)
		text, ok := t.text(s)
		if !ok {
			return invalid("the text of symbol %d is not there", s)
		}
		if sh, hash := t.shardOf(text); t.find(sh, hash, text) != s {
			return invalid("the text of symbol %d does not lead to it", s)
		}
	}
	found := uint64(0)
	for i := range t.shards {
		dir := t.shards[i].dir.Load()
		if dir == nil {
			continue
		}
		for j := 0; j < len(dir.refs); {
			r := pageRef(dir.refs[j].Load())
			if r == 0 {
				j++
				continue
			}
			page := t.pages.page(r)
			used := uint64(0)
			for k := range page[1:] {
				if w := page[k+1].Load(); w != 0 {
					used++
				}
			}
			if page[0].Load() != used {
				return invalid("a page of shard %d counts %d symbols, and has %d", i, page[0].Load(), used)
			}
			found += used
			n := 1 << (dir.depth - r.depth())
			for k := j; k < j+n; k++ {
				if j%n != 0 || pageRef(dir.refs[k].Load()) != r {
					return invalid("ref %d of shard %d leads to another page", k, i)
				}
			}
			j += n
		}
	}
	if found != uint64(count) {
		return invalid("the index has %d symbols of %d", found, count)
	}
	return nil
}
