package hashmap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/vmem"
)

// The image of a map has three sections. Section 0 contains the pages, in the order of the
// directory. Section 1 contains the strings. Section 2 contains four bytes for each page: its
// depth, the logarithm of its group count, and the number of its empty slots that may still be
// used. The header contains the numbers listed below, each as 8 bytes. The image of a Sharded
// consists of the sections and numbers of its Maps, one Map after another.
const (
	imageKind    = "hashmap"
	imageVersion = 2
)

const (
	metaSeed = iota
	metaLength
	metaGroupBytes
	metaTextUsed
	metaTextDead
	metaNumbers
)

const pageEntryBytes = 4

// sectionsOfMap is the number of sections in the image of a Map.
const sectionsOfMap = 3

// numbers holds the numbers that describe one Map in the header of an image.
type numbers [metaNumbers]uint64

// Save writes the Map to a file, from which OpenFile maps it. The file is replaced atomically: even
// if the process is killed at any moment or the disk is full, the file is either the old one or the
// new one. Save does not replace a file that is not writable. If path is a symbolic link, Save
// replaces its target. Save writes the memory of the Map to the disk once. On big-endian machines
// it fails with an error that wraps errors.ErrUnsupported. The file contains the seed of the hash
// function. Anyone who can read the file can therefore construct keys that collide, which makes the
// Map slower but has no other effect.
func (m *Map[K, V]) Save(path string) error {
	m.use("hashmap.Map.Save")
	if err := saveImage(path, []*Map[K, V]{m}); err != nil {
		return fmt.Errorf("hashmap.Map.Save: %w", err)
	}
	return nil
}

// saveImage writes an image of the Maps to a file. The Maps must not change in the meantime.
func saveImage[K comparable, V any](path string, maps []*Map[K, V]) error {
	h := image.Header{Kind: imageKind, Version: imageVersion, Shape: image.ShapeOf[K, V]()}
	sections := make([][][]byte, 0, sectionsOfMap*len(maps))
	for _, m := range maps {
		h.Meta = m.appendNumbers(h.Meta)
		sections = append(sections, m.sections()...)
	}
	return image.SaveParts(path, h, sections...)
}

// appendNumbers appends to meta the numbers that describe the Map in the header of its image.
func (m *core[K, V]) appendNumbers(meta []byte) []byte {
	for _, n := range (numbers{m.seed, uint64(m.length), m.groupBytes, m.heap.Used(), m.heap.Dead()}) {
		meta = binary.LittleEndian.AppendUint64(meta, n)
	}
	return meta
}

// sections returns the sections of a Map's image: the pages, the strings, and the list of the
// pages. It does not copy the pages.
func (t *table) sections() [][][]byte {
	var list []byte
	var pages [][]byte
	for i := uint64(0); i < uint64(len(t.dir)); i += t.width(t.dir[i]) {
		r := t.dir[i]
		pages = append(pages, bytesAt(t.base, r.at(), t.groupBytes<<r.log()))
		list = append(list, r.depth(), r.log())
		list = binary.LittleEndian.AppendUint16(list, uint16(min(t.left[i], 1<<16-1)))
	}
	return [][][]byte{pages, {t.heap.Contents()}, {list}}
}

// OpenFile returns a Map with the entries of a file that Save wrote. On systems that can map files,
// OpenFile reads only the list of pages, which has four bytes for about six hundred entries. The
// system reads the rest of the file page by page, when each is first used. Changes are private to
// the Map and are not written to the file. The file must not be truncated or written in place while
// the Map is open; Save may replace it. A damaged file never makes the Map access memory other than
// its own, but if the file was not verified, it can cause wrong results. Keys and values must have
// the same kinds, sizes and offsets as in the saved Map. The error wraps ErrInvalid if the file is
// not a saved container or is damaged, ErrMismatch if it contains a different container, version or
// types, and ErrFull if there is not enough memory for it.
func OpenFile[K comparable, V any](path string, options Options) (*Map[K, V], error) {
	const where = "hashmap.OpenFile"
	if _, err := plan[K, V](where, options, 0); err != nil {
		return nil, err
	}
	m, err := openFile[K, V](where, path, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return m, nil
}

// openFile implements OpenFile for valid types and options.
func openFile[K comparable, V any](where, path string, o Options) (*Map[K, V], error) {
	f, all, err := openImage[K, V](path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if len(all) > 1 {
		return nil, fmt.Errorf("%s: %w: it holds a Sharded with %d Maps; open it with OpenShardedFile", path, ErrMismatch, len(all))
	}
	m, err := openPart[K, V](where, f, all, 0, o, 3)
	if err == nil && o.Verify {
		err = f.VerifySections()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, closed(m, err))
	}
	return m, nil
}

// openImage opens an image of one or more Maps, and returns it and the numbers of each Map.
func openImage[K comparable, V any](path string) (*image.File, []numbers, error) {
	f, err := image.Open(path, imageKind, imageVersion, image.ShapeOf[K, V]())
	if err != nil {
		return nil, nil, err
	}
	meta, sections := f.Meta(), len(f.Sections())
	maps := sections / sectionsOfMap
	if maps == 0 || sections%sectionsOfMap != 0 || len(meta) != 8*metaNumbers*maps {
		err := fmt.Errorf("%s: %w: %d bytes of numbers and %d sections", path, ErrInvalid, len(meta), sections)
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, numbersOf(meta, maps), nil
}

// numbersOf reads the numbers of each Map from the start of meta. maps is the number of Maps.
func numbersOf(meta []byte, maps int) []numbers {
	all := make([]numbers, maps)
	for i := range all {
		for j := range all[i] {
			all[i][j] = binary.LittleEndian.Uint64(meta[8*(i*metaNumbers+j):])
		}
	}
	return all
}

// openPart returns Map i of an image. all contains the numbers of all its Maps. The parameter where
// names the function that the user called, and skip is the number of stack frames from openPart up
// to the user's code.
func openPart[K comparable, V any](where string, f *image.File, all []numbers, i int, o Options, skip int) (*Map[K, V], error) {
	m, err := plan[K, V](where, o, all[i][metaSeed])
	if err != nil {
		return nil, err
	}
	err = m.fromFile(f, i, all[i], newAccount[K, V](o.Name, skip))
	// A page exceeds the usual size only if keys were chosen to have nearly the same hashes.
	// Because All copies a whole page, a damaged file with a large page could make it allocate a
	// lot of memory. Therefore such a page must contain as many entries as the list of pages
	// states, and must not be a hole in the file.
	bools := len(image.BoolsOf(reflect.TypeFor[K]()))+len(image.BoolsOf(reflect.TypeFor[V]())) > 0
	if err == nil && (o.Verify || bools || m.unusual) {
		err = m.verify(where, uint64(i), len(all))
		m.verified = true
	}
	if err != nil {
		return nil, closed(m, err)
	}
	return m, nil
}

// closed closes m, unless it is nil, and returns err. It is called when opening the Map has failed.
func closed[K comparable, V any](m *Map[K, V], err error) error {
	if m == nil {
		return err
	}
	return errors.Join(err, m.Close())
}

// fromFile initializes m from Map i of an image: its memory, and the fields that n describes.
func (m *Map[K, V]) fromFile(f *image.File, i int, n numbers, account *vmem.Account) error {
	first := sectionsOfMap * i
	sizes := f.Sections()[first:][:sectionsOfMap]
	if n[metaGroupBytes] != groupBytes[K, V](m.text) || uint64(sizes[1]) != n[metaTextUsed] {
		return fmt.Errorf("%w: a group has %d bytes instead of %d, or the section of string data has %d bytes instead of the recorded %d", ErrInvalid,
			n[metaGroupBytes], groupBytes[K, V](m.text), sizes[1], n[metaTextUsed])
	}
	if m.most > 0 && n[metaLength] > uint64(m.most) {
		return fmt.Errorf("%w: the file has %d entries, but Options.Max is %d", ErrFull, n[metaLength], m.most)
	}
	list, err := readList(f, first+2, sizes)
	if err != nil {
		return err
	}
	if err := m.begin(uint64(sizes[0]), account, false); err != nil {
		return err
	}
	slots, err := m.table.fromList(list, uint64(sizes[0]))
	if err == nil && n[metaLength] > slots {
		err = fmt.Errorf("%w: %d entries in %d slots", ErrInvalid, n[metaLength], slots)
	}
	m.length = int(n[metaLength])
	if err == nil {
		err = f.Load(first, m.region)
		m.base = baseOf(m.region)
	}
	if err == nil {
		err = m.heap.Load(n[metaTextUsed], n[metaTextDead], func(r *vmem.Region) error { return f.Load(first+1, r) })
	}
	return err
}

// readList returns the list of pages of a Map from its section of an image. It makes all checks
// that are possible without reading the pages; for example, together the pages must cover each hash
// exactly once. It rejects the list at the first invalid entry, so that a damaged file cannot make
// it allocate more memory than is proportional to the size of a valid file.
func readList(f *image.File, section int, sizes []int64) (list []byte, err error) {
	pages := sizes[2] / pageEntryBytes
	if sizes[2]%pageEntryBytes != 0 || sizes[2] > sizes[0] {
		return nil, fmt.Errorf("%w: %d bytes of a list for %d bytes of pages", ErrInvalid, sizes[2], sizes[0])
	}
	deepest := maxDepth(int(min(pages, math.MaxInt32)))
	const all = 1 << mostDepth // size of the hash space, in units; a page of depth d covers all>>d of the units
	at := uint64(0)
	err = f.Each(section, func(piece []byte) error {
		for l := piece; len(l) > 0; l = l[pageEntryBytes:] {
			width := uint64(all) >> l[0]
			if l[0] > deepest || l[1] > skewLog || at%width != 0 || width > all-at {
				return fmt.Errorf("%w: page %d of %d is impossible, with depth %d and 2^%d groups", ErrInvalid,
					len(list)/pageEntryBytes+(len(piece)-len(l))/pageEntryBytes, pages, l[0], l[1])
			}
			at += width
		}
		list = append(list, piece...)
		return nil
	})
	if err == nil && at != all {
		err = fmt.Errorf("%w: the %d pages do not cover all hashes", ErrInvalid, pages)
	}
	return list, err
}

// fromList builds the directory from a list of pages. The pages are adjacent in memory and have a
// total size of size bytes. fromList returns the total number of slots.
func (t *table) fromList(list []byte, size uint64) (all uint64, err error) {
	depth := uint8(1)
	t.pages = len(list) / pageEntryBytes
	for l := list; len(l) > 0; l = l[pageEntryBytes:] {
		depth = max(depth, l[0])
	}
	t.shift = 64 - depth
	t.dir, t.left = make([]ref, 1<<depth), make([]uint32, 1<<depth)
	at := uint64(0)
	for ; len(list) > 0; list = list[pageEntryBytes:] {
		r := newRef(t.top, list[1], list[0])
		width := t.width(r)
		left := uint32(binary.LittleEndian.Uint16(list[2:]))
		over, bytes := bits.Mul64(t.groupBytes, 1<<r.log())
		if over != 0 || bytes > size-t.top || left > room(r.log()) {
			return 0, fmt.Errorf("%w: the page for entry %d of the directory is impossible", ErrInvalid, at)
		}
		t.point(at, width, r, left)
		at, t.top, all = at+width, t.top+bytes, all+slots<<r.log()
		t.unusual = t.unusual || r.log() > t.maxLog
	}
	if t.top != size {
		return 0, fmt.Errorf("%w: its pages are %d of %d bytes", ErrInvalid, t.top, size)
	}
	return all, nil
}
