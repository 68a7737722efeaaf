package btree

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A tree is saved as an image (internal/image) with two sections: section 0 contains the nodes, and
// section 1 contains the strings. The header contains one 8-byte number for each of the meta
// constants below.
const (
	imageKind    = "btree"
	imageVersion = 3
)

// rankedBit is set in metaMode if nodes have counts.
const rankedBit = 1 << 8

const (
	metaMode = iota
	metaNodeBytes
	metaRoot
	metaHeight
	metaLength
	metaTop
	metaFree
	metaSpare
	metaEpoch
	metaTextUsed
	metaTextDead
	metaNumbers
)

// A filed describes the container that a file must contain: its kind, and the types of its keys and
// values.
type filed struct {
	image.Header
	texted bool // whether values are strings
}

// filedMap returns the filed of a Map with keys of type K and values of type V.
func filedMap[K, V any]() filed {
	return filed{image.Header{Kind: imageKind, Version: imageVersion, Shape: image.ShapeOf[K, V]()}, false}
}

// Save writes the Map to a file that OpenFile can map. If the process is killed at any moment, even
// by kill -9, or if the disk is full, path refers to either the complete old file or the complete
// new one. A file that is not writable is not replaced; if path is a symbolic link, its target is
// replaced. The cost of Save is to write the memory of the Map to the disk once. The order function
// of a Map from NewFunc is not saved. On big-endian machines Save fails with an error that wraps
// errors.ErrUnsupported.
func (m *Map[K, V]) Save(path string) error {
	return m.save("btree.Map.Save", path, filedMap[K, V]())
}

func (m *Map[K, V]) save(where, path string, f filed) error {
	t := m.use(where)
	if t.held.newest.Load() != 0 { // the file must not contain nodes that are held for snapshots
		c, err := m.clone()
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		return errors.Join(c.save(where, path, f), c.Close())
	}
	t.settle()
	numbers := [metaNumbers]uint64{uint64(t.mode) | rankedBit*uint64(b2i(t.ranked)), uint64(t.nodeBytes), uint64(t.root), uint64(t.height), uint64(t.length), uint64(t.top),
		uint64(t.free), uint64(t.spare), t.epoch, t.heap.Used(), t.heap.Dead()}
	for _, n := range numbers {
		f.Meta = binary.LittleEndian.AppendUint64(f.Meta, n)
	}
	nodes := node{t.base}.bytes(0, uintptr(t.top)*t.nodeBytes)
	if err := image.Save(path, f.Header, nodes, t.heap.Contents()); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// OpenFile returns a Map with the entries that Save wrote. On systems that can map files, OpenFile
// takes a fraction of a millisecond, and the system reads each part of the file when it is first
// used. Changes are private to the Map and are not written to the file. The file must not be
// truncated or written in place while the Map is open; Save replaces it instead. A damaged file
// never makes the Map access memory other than its own. If the file was not verified, damage can
// only cause wrong results, or a panic with a message that reports the damage. Keys and values must
// have the same kinds, sizes and offsets as those saved. The error wraps ErrInvalid if the file is
// not a saved container or is damaged, ErrMismatch if it contains a different container, version or
// types, and ErrFull if there is not enough memory for it.
func OpenFile[K cmp.Ordered, V any](path string, options Options) (*Map[K, V], error) {
	return openFile[K, V]("btree.OpenFile", path, filedMap[K, V](), nil, options)
}

// OpenFileFunc is like OpenFile for a Map from NewFunc. compare must order the keys in the same way
// as the function of the Map that was saved.
func OpenFileFunc[K, V any](path string, compare func(a, b K) int, options Options) (*Map[K, V], error) {
	return openFile[K, V]("btree.OpenFileFunc", path, filedMap[K, V](), compare, options)
}

func openFile[K, V any](where, path string, is filed, compare func(a, b K) int, o Options) (*Map[K, V], error) {
	form, s, err := layOut[K, V](where, o, compare)
	if err != nil {
		return nil, err
	}
	s.texted = is.texted
	f, err := image.Open(path, is.Kind, is.Version, is.Shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	defer f.Close()
	t, err := mapTree(f, s, o, newAccount[K, V](o.Name, 2))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", where, path, err)
	}
	m := mapOf[K, V](t, form, compare)
	count := o.Ranked && !t.ranked
	bools := len(image.BoolsOf(reflect.TypeFor[V]())) > 0 || t.mode == compared && len(image.BoolsOf(reflect.TypeFor[K]())) > 0
	if o.Verify || bools || count {
		err = m.sound() // stops at the first hole in the file, whatever size the file claims
		t.verified = true
	}
	if err == nil && o.Verify {
		err = f.VerifySections()
	}
	if err == nil && count {
		m, err = m.counted(o.Ranked)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", where, path, errors.Join(err, m.Close()))
	}
	return m, nil
}

// counted copies a verified Map, closes the original, and returns the copy, which has counts if
// ranked is true. If the Map cannot be copied, counted returns the original and an error.
func (m *Map[K, V]) counted(ranked bool) (*Map[K, V], error) {
	t := m.tree
	s, err := shapeOf(t.mode, t.keyBytes, t.valueBytes, ranked)
	if err != nil {
		return m, err
	}
	s.texted = t.texted
	c, err := m.emptyLike(t, s)
	if err != nil {
		return m, err
	}
	if err := c.fillFrom(m); err != nil {
		return m, errors.Join(err, c.Close())
	}
	c.tree.verified = true
	return c, m.Close()
}

// mapTree opens the tree in an image after checking the numbers in the image header.
func mapTree(f *image.File, s shape, o Options, account *vmem.Account) (*tree, error) {
	meta, sections := f.Meta(), f.Sections()
	if len(meta) != 8*metaNumbers || len(sections) != 2 {
		return nil, fmt.Errorf("%w: %d bytes of numbers and %d sections", ErrInvalid, len(meta), len(sections))
	}
	var n [metaNumbers]uint64
	for i := range n {
		n[i] = binary.LittleEndian.Uint64(meta[8*i:])
	}
	texted := s.texted
	s, err := shapeOf(s.mode, s.keyBytes, s.valueBytes, n[metaMode]&rankedBit != 0)
	if err != nil {
		return nil, err
	}
	s.texted = texted
	switch top := n[metaTop]; {
	case n[metaMode]&^rankedBit != uint64(s.mode) || n[metaNodeBytes] != uint64(s.nodeBytes):
		return nil, fmt.Errorf("%w: its keys have another order, or its nodes are %d bytes, not %d", ErrMismatch, n[metaNodeBytes], s.nodeBytes)
	case top == 0 || top > 1<<32-1 || uint64(sections[0]) != top*uint64(s.nodeBytes) || uint64(sections[1]) != n[metaTextUsed]:
		return nil, fmt.Errorf("%w: sections of %d and %d bytes do not match %d nodes and %d bytes of string data", ErrInvalid, sections[0], sections[1], top, n[metaTextUsed])
	case n[metaRoot] >= top || n[metaHeight] > maxHeight || n[metaLength] > top*uint64(s.leafCap) || n[metaFree] >= top || n[metaSpare] >= top,
		n[metaEpoch] == 0 || n[metaEpoch] > 1<<62, n[metaRoot] == 0 && n[metaHeight]+n[metaLength] > 0:
		return nil, fmt.Errorf("%w: its numbers are impossible", ErrInvalid)
	case o.Max > 0 && n[metaLength] > uint64(o.Max):
		return nil, fmt.Errorf("%w: the file has %d entries, but Options.Max is %d", ErrFull, n[metaLength], o.Max)
	}
	t, err := openTree(s, uint32(n[metaTop]), o.Max, o.HugePages, account)
	if err != nil {
		return nil, err
	}
	err = f.Load(0, t.region)
	if err == nil {
		err = t.heap.Load(n[metaTextUsed], n[metaTextDead], func(r *vmem.Region) error { return f.Load(1, r) })
	}
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	t.follow()
	t.top = uint32(n[metaTop])
	t.root, t.height, t.length = uint32(n[metaRoot]), int(n[metaHeight]), int(n[metaLength])
	t.free, t.spare, t.epoch = uint32(n[metaFree]), uint32(n[metaSpare]), n[metaEpoch]
	return t, nil
}
