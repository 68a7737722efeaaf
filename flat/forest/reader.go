package forest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Reader reads the trees of a file, by index or by name. It sees the segments that were complete
// at the last Open or Refresh. Any number of goroutines may use it concurrently. Trees of a Reader
// cannot be changed, but a Clone of such a tree can.
type Reader[T any] struct {
	tree   func(flatimpl.Stored) (T, error)
	format *flatimpl.Format
	limits flat.LoadLimits
	file   *os.File
	start  fileStart
	sees   atomic.Pointer[sight] // nil once closed

	mu         sync.Mutex // guards the following fields
	maps       []*vmem.FileMap
	unmapped   bool // the file, or its end, cannot be mapped: trees are read into memory
	names      names
	incomplete int64
}

// A sight is the state of the file that an Open or Refresh has found. It does not change
// afterwards.
type sight struct {
	segments []*segment
	trees    int
	end      int64
}

// Open opens a file whose trees have the type T, the Tree of a generated package, and reads the
// index of each segment. Each tree is validated, within the limits, when it is first used. The
// limit MaxBytes applies to a tree together with the strings of its segment, and to the index of a
// segment. An incomplete segment at the end is ignored. The error wraps ErrInvalid if the file is
// not a forest or a segment before the last one is damaged, and ErrMismatch if the file has a
// different schema.
func Open[T Tree[T]](path string, limits flat.LoadLimits) (*Reader[T], error) {
	var zero T
	schema := zero.Schema()
	limits = checked(limits, "forest.Open")
	r := &Reader[T]{limits: limits}
	r.tree = func(s flatimpl.Stored) (T, error) { return zero.OfForest(r.format, s, limits) }
	return r, r.open(path, schema.Format)
}

// OpenAny opens a file with trees of any schema. The trees can be printed, copied and written.
func OpenAny(path string, limits flat.LoadLimits) (*Reader[*flat.Tree], error) {
	limits = checked(limits, "forest.OpenAny")
	r := &Reader[*flat.Tree]{limits: limits}
	r.tree = func(s flatimpl.Stored) (*flat.Tree, error) {
		t, err := r.format.Tree(s, flatimpl.LoadLimits(limits))
		return (*flat.Tree)(t), err
	}
	return r, r.open(path, flatimpl.AnyFormat)
}

// defaultMost is the default value of LoadLimits.MaxBytes.
const defaultMost = 16 << 30

// checked panics if a limit is negative. Otherwise it returns the limits, with the default instead
// of a MaxBytes of 0.
func checked(l flat.LoadLimits, where string) flat.LoadLimits {
	if l.MaxDepth < 0 || l.MaxNodes < 0 || l.MaxWalk < 0 || l.MaxBytes < 0 {
		panic(where + ": a limit is negative")
	}
	l.MaxBytes = cmp.Or(l.MaxBytes, defaultMost)
	return l
}

// open opens the file. After an error the Reader is closed.
func (r *Reader[T]) open(path string, format func(text string, version uint32, hash uint64) (*flatimpl.Format, error)) error {
	f, info, err := fromfile.Open(path)
	if err != nil {
		return opening(err)
	}
	r.file = f
	if err := r.begin(info.Size(), format); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", path, err), r.Close())
	}
	return nil
}

func (r *Reader[T]) begin(size int64, format func(text string, version uint32, hash uint64) (*flatimpl.Format, error)) (err error) {
	s := scanner{file: r.file, size: size}
	if r.start, err = readStart(s.read, s.size); err != nil {
		return err
	}
	if r.format, err = format(r.start.text, r.start.version, r.start.hash); err != nil {
		return err
	}
	r.sees.Store(&sight{end: r.start.end})
	_, err = r.Refresh()
	return err
}

// Refresh looks for trees that were added since the last Open or Refresh, and returns how many it
// found. The indexes of existing trees do not change.
func (r *Reader[T]) Refresh() (added int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.sees.Load()
	if old == nil {
		return 0, closed()
	}
	for range tries {
		now, wrong := r.look(old)
		if wrong == nil {
			r.sees.Store(now)
			return now.trees - old.trees, nil
		}
		if err = wrong; !errors.Is(err, flat.ErrInvalid) {
			break
		}
	}
	return 0, err
}

// tries is the number of times that Refresh reads the file before it reports damage. A single
// attempt is not enough, because a Writer that truncates an incomplete segment, and then appends,
// can make the file look damaged for a short time.
const tries = 3

// look reads the segments that were added after the state old, and returns the current state of the
// file.
func (r *Reader[T]) look(old *sight) (*sight, error) {
	info, err := r.file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < old.end {
		return nil, fmt.Errorf("%w: the file has %d bytes, but had %d before", flat.ErrFault, info.Size(), old.end)
	}
	s := scanner{file: r.file, size: info.Size(), most: r.limits.MaxBytes, keep: r.unmapped}
	all, end, err := s.scan(old.end)
	if err != nil {
		return nil, err
	}
	r.incomplete = s.size - end
	if len(all) == 0 {
		return old, nil
	}
	data := r.mapTo(end)
	if data == nil && !r.unmapped {
		r.unmapped = true
		return r.look(old)
	}
	now := &sight{segments: old.segments[:len(old.segments):len(old.segments)], trees: old.trees, end: end}
	for i := range all {
		if uint64(now.trees)+uint64(all[i].trees) > math.MaxInt32 {
			return nil, fmt.Errorf("%w: more than 2^31 trees", flat.ErrLimit)
		}
		seg := newSegment(&all[i], now.trees, data, &r.limits)
		seg.file = r.file
		now.segments = append(now.segments, seg)
		now.trees += int(all[i].trees)
	}
	return now, nil
}

// mapTo maps the file up to the offset end. It returns nil if the file cannot be mapped.
func (r *Reader[T]) mapTo(end int64) []byte {
	if r.unmapped {
		return nil
	}
	if n := len(r.maps); n > 0 {
		last := r.maps[n-1]
		if ok, err := last.Grow(r.file, end); ok && err == nil {
			return last.Bytes()
		}
	}
	m, err := vmem.MapFileRoom(r.file, end, max(leastRoom, 2*end))
	if err != nil {
		m, err = vmem.MapFile(r.file, end)
	}
	if err != nil {
		return nil // trees are read into memory instead
	}
	r.maps = append(r.maps, m) // earlier maps are kept, because trees are in them too
	return m.Bytes()
}

// leastRoom is the minimum size in bytes of the address space that is reserved for a file, so that
// the file can grow.
const leastRoom = 1 << 30

// Len returns the number of trees.
func (r *Reader[T]) Len() int {
	if s := r.sees.Load(); s != nil {
		return s.trees
	}
	return 0
}

// Incomplete returns the number of bytes after the last complete segment. They belong to a segment
// that is being written, or that was never finished.
func (r *Reader[T]) Incomplete() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.incomplete
}

// find returns the segment that contains tree i. If i is out of range, find panics with a message
// that begins with the caller's name, which is passed in where.
func (s *sight) find(i int, where string) *segment {
	if s == nil || uint(i) >= uint(s.trees) {
		panic(where + ": index out of range, or the Reader is closed")
	}
	return s.segment(i)
}

// segment returns the segment with tree i, which must exist.
func (s *sight) segment(i int) *segment {
	k := sort.Search(len(s.segments), func(k int) bool { return s.segments[k].first > i })
	return s.segments[k-1]
}

// At returns tree i. Trees are numbered from 0 in the order of addition. At validates a tree when
// it is first read. After that, it takes constant time if the file is mapped and has the newest
// version of the schema. Errors wrap flat.ErrInvalid, flat.ErrLimit or flat.ErrFault, or report a
// failed read; an error concerns only this tree. At panics if i is out of range.
//
// The tree, the strings read from it, and the strings in the result of its ToTree are valid until
// the Reader is closed. A Clone of the tree is independent of the Reader.
func (r *Reader[T]) At(i int) (T, error) {
	seg := r.sees.Load().find(i, "forest.Reader.At")
	stored, err := seg.tree(i-seg.first, &r.limits)
	if err != nil {
		return none[T](), r.wrong(i, err)
	}
	var t T
	fault := flat.Guard(func() { t, err = r.tree(stored) })
	if err = errors.Join(fault, err); err != nil {
		return none[T](), r.wrong(i, err)
	}
	seg.setChecked(i - seg.first)
	return t, nil
}

func none[T any]() (t T) { return t }

// wrong returns an error that identifies tree i.
func (r *Reader[T]) wrong(i int, err error) error {
	return fmt.Errorf("%s, tree %d, %q: %w", r.file.Name(), i, r.Name(i), err)
}

func closed() error { return fmt.Errorf("forest: the reader is closed: %w", os.ErrClosed) }

// Name returns the name of tree i. It panics if i is out of range.
func (r *Reader[T]) Name(i int) string {
	seg := r.sees.Load().find(i, "forest.Reader.Name")
	return string(seg.name(i - seg.first))
}

// Lookup returns the index of the tree with the given name. If several trees have this name, it
// returns the index of the last one. The first call builds a hash table of all names, which uses 11
// to 21 bytes of memory per tree.
func (r *Reader[T]) Lookup(name string) (i int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sees.Load(); s != nil {
		return r.names.find(s, name)
	}
	return 0, false
}

// An Item is a tree of a forest with its index and its name.
type Item[T any] struct {
	Index int
	Name  string
	Tree  T
}

// All yields all trees that the Reader sees, in the order of addition. An error concerns only its
// tree, and the loop may continue.
func (r *Reader[T]) All(yield func(Item[T], error) bool) {
	for i := range r.Len() {
		t, err := r.At(i)
		if !yield(Item[T]{i, r.Name(i), t}, err) {
			return
		}
	}
}

// Close unmaps and closes the file. Trees of the Reader must not be used afterwards: reading them
// faults, or returns the contents of other memory that is then mapped at their address. A second
// Close does nothing.
func (r *Reader[T]) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	r.sees.Store(nil)
	err := r.file.Close()
	for _, m := range r.maps {
		err = errors.Join(err, m.Close())
	}
	r.file, r.maps, r.names = nil, nil, names{}
	return err
}
