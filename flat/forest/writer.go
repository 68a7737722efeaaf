package forest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/internal/durable"
	"github.com/coppice-go/coppice/internal/fromfile"
)

// Options controls how a Writer divides a file into segments. A field of 0 selects its default.
type Options struct {
	// SegmentBytes is the number of bytes of trees and strings that the Writer collects before it
	// writes them as a segment. Equal strings are stored only once in each segment. The default is
	// 16 MiB.
	SegmentBytes int
}

const (
	defaultSegment = 16 << 20
	maxName        = math.MaxUint16
)

// A Writer appends trees to a file. It collects the trees of a segment in memory before it writes
// them. Any number of goroutines may use it concurrently.
type Writer[T Tree[T]] struct {
	mu      sync.Mutex
	file    disk // nil once closed
	options Options
	pack    *flatimpl.Packer
	entries []entry // entries of the segment being collected, without checksums
	names   []byte
	room    []byte // buffer for the bytes of a segment
	end     int64  // end of the last complete segment
	synced  bool   // everything is on the disk
	failed  error  // error from a Sync, after which the state of the disk is unknown
	dropped int64
}

// disk is the set of methods of a file that a Writer uses.
type disk interface {
	WriteAt(b []byte, at int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Create creates a new file, without trees, and locks it. It fails if the file exists.
func Create[T Tree[T]](path string, options Options) (*Writer[T], error) {
	return open[T](path, os.O_EXCL, options, "forest.Create")
}

// Append opens a file to add trees, and creates it if it does not exist. If the last segment is
// incomplete, because a Writer was killed or the disk was full, Append truncates the file at the
// start of that segment; Dropped returns the number of bytes removed. The file must have the newest
// version of the schema. Trees of an earlier version must be copied into a new file. The error
// wraps [ErrLocked] if another Writer has the file open.
func Append[T Tree[T]](path string, options Options) (*Writer[T], error) {
	return open[T](path, 0, options, "forest.Append")
}

func open[T Tree[T]](path string, flags int, options Options, where string) (*Writer[T], error) {
	if options.SegmentBytes < 0 {
		panic(where + ": an option is negative")
	}
	if options.SegmentBytes == 0 {
		options.SegmentBytes = defaultSegment
	}
	var zero T
	schema := zero.Schema()
	f, _, err := fromfile.OpenFile(path, os.O_RDWR|os.O_CREATE|flags, 0o666)
	if err != nil {
		return nil, opening(err)
	}
	w := &Writer[T]{file: f, options: options, pack: schema.NewPacker()}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	if err := w.begin(f, schema); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return w, nil
}

// begin finds the end of the file, or writes the header if the file is new.
func (w *Writer[T]) begin(f *os.File, schema *flatimpl.Schema) error {
	info, err := f.Stat() // after locking the file
	if err != nil {
		return err
	}
	want := fileHeader(schema)
	start := make([]byte, min(info.Size(), int64(len(want))))
	if start, err = readAt(f, start, 0); err != nil {
		return err
	}
	if len(start) < len(want) && string(start) == string(want[:len(start)]) {
		w.end = int64(len(want))
		return w.create(f, want)
	}
	s := scanner{file: f, size: info.Size()}
	if err := isNewest(&s, schema); err != nil {
		return err
	}
	if _, w.end, err = s.scan(int64(len(want))); err != nil {
		return err
	}
	w.dropped = s.size - w.end
	if w.dropped == 0 {
		return nil
	}
	return errors.Join(f.Truncate(w.end), f.Sync())
}

// create writes the header of a new file.
func (w *Writer[T]) create(f *os.File, header []byte) error {
	if _, err := f.WriteAt(header, 0); err != nil {
		return err
	}
	return errors.Join(f.Sync(), durable.SyncFolder(filepath.Dir(f.Name())))
}

// isNewest returns an error unless a Reader can open the file and the file has the newest version
// of the schema.
func isNewest(s *scanner, schema *flatimpl.Schema) error {
	start, err := readStart(s.read, s.size)
	if err != nil {
		return err
	}
	if _, err := schema.Format(start.text, start.version, start.hash); err != nil {
		return err
	}
	if text, _ := schema.Text(); start.text == text {
		return nil
	}
	return invalid("it has version %d of the schema, and Append writes the newest; copy its trees into a new file", start.version)
}

// Dropped returns the number of bytes of an incomplete segment that Append has removed.
func (w *Writer[T]) Dropped() int64 { return w.dropped }

// Add adds a copy of a tree. The copy is written to the file by the next Sync or Close, or when its
// segment is full. Several trees may have the same name; Lookup then finds the last of them. If Add
// fails, the tree is not added. If the disk was full, Add and Sync can be called again.
func (w *Writer[T]) Add(name string, tree T) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ready(); err != nil {
		return err
	}
	if len(name) > maxName {
		return fmt.Errorf("forest: a name of %d bytes, more than %d: %w", len(name), maxName, flat.ErrFull)
	}
	t := (*flatimpl.Tree)(tree.Flat())
	if t == nil || t.NumWords() == 0 {
		panic("forest.Writer.Add: the tree was freed")
	}
	full := w.pack.Bytes() >= w.options.SegmentBytes || len(w.names)+len(name) > math.MaxInt32
	if full || len(w.entries) > 0 && !w.pack.Fits(t) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	root, nodes, _ := w.pack.Add(t)
	w.names = append(w.names, name...)
	w.entries = append(w.entries, entry{wordsEnd: uint64(len(w.pack.Words())), root: root, nodes: nodes, nameEnd: uint32(len(w.names))})
	return nil
}

// ready returns an error if the Writer cannot write.
func (w *Writer[T]) ready() error {
	if w.file == nil {
		return fmt.Errorf("forest: the writer is closed: %w", os.ErrClosed)
	}
	return w.failed
}

// Sync writes the added trees as a segment, and returns when the segment is on the disk.
func (w *Writer[T]) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sync()
}

func (w *Writer[T]) sync() error {
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.settle()
}

// settle syncs the file to the disk. After an error, the state of the disk is unknown. The Writer
// then returns an error from each later call, and the next Writer checks the file.
func (w *Writer[T]) settle() error {
	if w.synced {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		w.failed = err
		return err
	}
	w.synced = true
	return nil
}

// flush writes the collected trees as a segment. All earlier segments are already on the disk, so
// that only the last segment of a file can be incomplete.
func (w *Writer[T]) flush() error {
	if len(w.entries) == 0 {
		return nil
	}
	if err := w.settle(); err != nil {
		return err
	}
	b := w.segment()
	w.synced = false
	if _, err := w.file.WriteAt(b, w.end); err != nil {
		return errors.Join(err, w.file.Truncate(w.end))
	}
	w.end += int64(len(b))
	w.pack.Reset()
	w.entries, w.names = w.entries[:0], w.names[:0]
	return nil
}

// segment returns the encoding of a segment with the collected trees.
func (w *Writer[T]) segment() []byte {
	ends, text := w.pack.Texts()
	words := w.pack.Words()
	h := head{at: uint64(w.end), trees: uint32(len(w.entries)), names: uint32(len(w.names)), strings: uint32(len(ends)),
		text: uint32(len(text)), words: uint64(len(words))}
	h.size = h.end()
	if uint64(cap(w.room)) < h.size {
		w.room = make([]byte, h.size)
	}
	b := w.room[:h.size]
	clear(b[h.namesAt():h.stringsAt()])
	copy(b[h.namesAt():], w.names)
	flatimpl.PutWords(b[h.stringsAt():], ends)
	clear(b[h.textAt()+uint64(h.text) : h.wordsAt()])
	copy(b[h.textAt():], text)
	flatimpl.PutWords(b[h.wordsAt():], words)
	clear(b[h.wordsAt()+4*h.words:])
	from := h.wordsAt()
	for i := range w.entries {
		e := &w.entries[i]
		end := h.wordsAt() + 4*e.wordsEnd
		e.sum = sum(b[from:end])
		e.encode(b[headBytes+entryBytes*i:])
		from = end
	}
	h.stringsSum, h.indexSum = sum(b[h.stringsAt():h.wordsAt()]), sum(b[headBytes:h.stringsAt()])
	clear(b[:headBytes])
	h.encode(b)
	return b
}

// Close does what Sync does, and closes the file. A second Close does nothing.
func (w *Writer[T]) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.sync(), w.file.Close())
	w.file, w.pack, w.room = nil, nil, nil
	return err
}

// lockFile locks the file until it is closed. The lock excludes only other Writers, not Readers.
func lockFile(f *os.File) error {
	ok, err := durable.TryLock(f)
	if err == nil && !ok {
		return ErrLocked
	}
	return err
}
