package symbols

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/vmem"
)

// ErrInvalid is wrapped by errors that report that a file is not a saved Table or is damaged.
// ErrMismatch is wrapped by errors that report that the file contains something else: a different
// container or version. Packages btree, cache, hashmap, symbols and flat/forest share both errors.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// A file is an image with five sections: the places, the pages as they are in memory, the
// directories of the shards (depth and refs, 8 bytes each; the depth noDirectory means none), the
// length of each chunk (4 bytes each), and the strings. Meta contains the seed, the number of
// symbols and the number of page units.
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

// Save writes the Table to a file, and replaces an existing one. If the process is killed at any
// moment, even by kill -9, or if the disk is full, the file is either the old one or the new one. A
// file that is not writable is not replaced; if path is a symbolic link, its target is replaced.
// Other goroutines may use t during the call; goroutines that add symbols wait. It costs one copy
// of the Table's memory to the disk. On big-endian machines it fails with an error that wraps
// errors.ErrUnsupported.
func (t *Table) Save(path string) error {
	defer t.lock("symbols.Table.Save")()
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

// OpenFile returns a Table with the symbols of a file. The Table and the file are independent:
// changes to one do not affect the other. Strings are read into the Go heap. The index is mapped
// where the system supports it (64-bit, not Windows, not -race), so that only the parts that are
// used are read; elsewhere it is read completely. With Options.Verify everything is checked
// immediately. Without it, only the lists are checked immediately, and each symbol and string is
// checked when it is used: with a damaged file, Lookup may not find a string, or String may panic,
// but nothing outside the Table is read. The file must not be written in place or truncated while
// the Table is open; Save replaces the file, which is safe.
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
		if err = t.broken(); err == nil { // stops at the first hole of a file, whatever size the file claims
			err = f.VerifySections()
		}
		t.verified = err == nil
	}
	if err != nil {
		return nil, fmt.Errorf("symbols.OpenFile: %s: %w", path, errors.Join(err, t.Close()))
	}
	return t, nil
}

func invalid(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, a...))
}

// load fills an empty table from a file whose header is valid.
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
		return fmt.Errorf("%w: it has %d symbols, but there is room for only %d", ErrFull, count, t.max)
	}
	for section, region := range map[int]*vmem.Region{sectionPlaces: t.region, sectionPages: t.pages.region} {
		if uint64(sizes[section]) > uint64(region.Size()) {
			return fmt.Errorf("%w: the index has %d bytes, but there is room for only %d", ErrFull, sizes[section], region.Size())
		}
		if err := f.Load(section, region); err != nil {
			return err
		}
	}
	t.pages.units = uint32(units)
	t.setSeed(seed)
	t.count.Store(uint32(count)) // limits the lengths of directories and of the list of chunks
	if err := t.loadDirectories(f, sizes[sectionDirs]); err != nil {
		return err
	}
	if err := t.loadText(f, sizes[sectionChunks], sizes[sectionText]); err != nil {
		return err
	}
	t.room.Store(t.committed())
	return nil
}

// loadDirectories reads the directories, and checks that each ref refers to a page. A file can
// claim any size for the directories, and contain a hole in their place, which reads as zeros. Such
// a hole is rejected, because none of the refs of a directory with several refs is 0. The
// directories therefore use no more memory than the number of bytes that the file actually
// contains.
func (t *Table) loadDirectories(f *image.File, size int64) error {
	l := loader{t: t}
	err := f.Each(sectionDirs, func(piece []byte) error {
		for ; len(piece) >= 8; piece = piece[8:] {
			if err := l.word(le.Uint64(piece)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && (size%8 != 0 || l.dir != nil || l.shard < len(t.shards)) {
		err = invalid("the directory of shard %d is cut off", l.shard)
	}
	return err
}

// A loader builds the directories from a file, word by word.
type loader struct {
	t     *Table
	shard int        // index of the shard whose directory is next
	dir   *directory // directory of that shard, if it was partially read
	refs  []uint64   // refs of that directory that were read so far
}

// word processes the next word of the directory section.
func (l *loader) word(v uint64) error {
	switch {
	case l.shard == len(l.t.shards):
		return invalid("words follow the directories")
	case l.dir == nil && v == noDirectory:
		l.shard++
		return nil
	case l.dir == nil && v > uint64(l.t.mostDepth()):
		return invalid("the directory of shard %d has depth %d, and %d symbols need %d at most", l.shard, v, l.t.count.Load(), l.t.mostDepth())
	case l.dir == nil:
		l.dir = &directory{depth: uint(v)}
		return nil
	}
	r := pageRef(v)
	if v == 0 && l.dir.depth > 0 || v != 0 && (r.log() < leastLog || r.log() > greatestLog || r.depth() > l.dir.depth || v&0xFFFF0000 != 0 ||
		uint64(r.unit())+1<<(r.log()-leastLog) > uint64(l.t.pages.units)) {
		return invalid("ref %d of shard %d is %#x, which is not a page", len(l.refs), l.shard, v)
	}
	if l.refs = append(l.refs, v); len(l.refs) < 1<<l.dir.depth {
		return nil
	}
	l.dir.refs = make([]atomic.Uint64, len(l.refs))
	for i, v := range l.refs {
		l.dir.refs[i].Store(v)
	}
	l.t.shards[l.shard].dir.Store(l.dir)
	l.shard, l.dir, l.refs = l.shard+1, nil, l.refs[:0]
	return nil
}

// loadText reads the strings, into chunks of the original sizes.
func (t *Table) loadText(f *image.File, size, text int64) error {
	if size%4 != 0 || size > 4*maxChunks || size < 4 {
		return invalid("a list of chunks of %d bytes", size)
	}
	lengths := make([]byte, size)
	if err := f.ReadAt(sectionChunks, lengths, 0); err != nil {
		return err
	}
	if err := checkChunks(lengths, text, t.count.Load()); err != nil {
		return err
	}
	if err := affords(text); err != nil {
		return err
	}
	at := int64(0)
	for i := 1; i < len(lengths)/4; i++ { // chunk 0 is not used
		chunk := make([]byte, le.Uint32(lengths[4*i:]))
		if err := f.ReadAt(sectionText, chunk, at); err != nil {
			return err
		}
		t.texts.addChunk(chunk)
		t.texts.used[i] = len(chunk)
		at += int64(len(chunk))
	}
	return nil
}

// checkChunks checks the lengths of all chunks before any chunk is read.
func checkChunks(lengths []byte, text int64, count uint32) error {
	left := text
	for i := range len(lengths) / 4 {
		n := int64(le.Uint32(lengths[4*i:]))
		if n > MaxBytes || n > left || i == 0 && n != 0 {
			return invalid("chunk %d of the string data has an invalid length of %d bytes, of %d that are left", i, n, left)
		}
		left -= n
	}
	switch {
	case left != 0:
		return invalid("%d bytes of string data are not in any chunk", left)
	case text > int64(count)*MaxBytes || len(lengths)/4 > int(count)+1:
		return invalid("%d symbols cannot have %d bytes of string data in %d chunks", count, text, len(lengths)/4-1)
	}
	return nil
}

// muchText is the minimum number of bytes of strings for which affords asks the system for memory
// before they are read.
const muchText = 1 << 30

// affords checks whether the system has memory for many strings. Without this check, the process
// would end if the Go heap could not get the memory.
func affords(text int64) error {
	if text < muchText {
		return nil
	}
	if err := vmem.Affords(uint64(text)); err != nil {
		return fmt.Errorf("%w: no memory for %d bytes of string data: %w", ErrFull, text, err)
	}
	return nil
}

// Verify checks all symbols, all strings and the whole index, and returns an error that wraps
// ErrInvalid if the Table is damaged. Goroutines that add symbols wait. It costs as much as a
// Lookup of every symbol.
func (t *Table) Verify() error {
	defer t.lock("symbols.Table.Verify")()
	if t.places == nil {
		return fmt.Errorf("symbols.Table.Verify: %w", errClosed)
	}
	if err := t.broken(); err != nil {
		return fmt.Errorf("symbols.Table.Verify: %w", err)
	}
	return nil
}

// broken returns an error if a symbol cannot be found by its string, or if the symbols in the pages
// do not match the count.
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
