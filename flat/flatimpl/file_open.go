package flatimpl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/coppice-go/coppice/internal/vmem"
)

// A mapping is a file that is mapped into memory.
type mapping = vmem.FileMap

// Open maps a file, validates it in a single pass, and returns its tree, which is read-only. If the
// file is truncated while it is mapped, reads fault: see Guard. If it is overwritten, reads may
// panic or return arbitrary values, and traversals may not end, but memory safety is preserved.
//
// Where files cannot be mapped (Windows, 32-bit and big-endian machines, wasm, -race), and for
// files of an earlier schema version, the tree is a private copy.
func (s *Schema) Open(path string, limits LoadLimits) (*Tree, error) {
	limits = limits.withDefaults(s.name + ".Open")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping stays valid
	t, err := s.open(f, limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func (s *Schema) open(f *os.File, limits LoadLimits) (*Tree, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || bigEndian {
		return s.readAlone(f, limits)
	}
	start := make([]byte, headerBytes)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	h, err := decodeHeader(start[:n])
	if err != nil {
		return nil, err
	}
	if err := h.check(info.Size(), limits); err != nil {
		return nil, err
	}
	m, err := vmem.MapFile(f, info.Size())
	if errors.Is(err, vmem.ErrNoMapping) {
		return s.readAlone(io.MultiReader(bytes.NewReader(start[:n]), f), limits)
	}
	if err != nil {
		return nil, err
	}
	var t *Tree
	fault := Guard(func() { t, err = s.mapTree(m, limits) })
	if err = errors.Join(fault, err); err != nil || t.mapped == nil {
		return t, errors.Join(err, m.Close())
	}
	return t, nil
}

// mapTree returns the tree in a mapped file. If the file has an earlier version of the schema, it
// returns a converted copy, which does not use the mapping.
func (s *Schema) mapTree(m *mapping, limits LoadLimits) (*Tree, error) {
	data := m.Bytes()
	h, err := decodeHeader(data) // decoded again, because the file may have changed
	if err != nil {
		return nil, err
	}
	if err := h.check(int64(len(data)), limits); err != nil {
		return nil, err
	}
	tables, err := s.tablesFor(&h, data)
	if err != nil {
		return nil, err
	}
	body := data[h.bodyAt():]
	all := wordsOf(body[:4*(int64(h.words)+int64(h.strings))], "flatimpl.Schema.Open")
	t := &Tree{words: all[:h.words:h.words], ends: all[h.words:], text: body[4*len(all):], root: h.root,
		nodes: int(h.nodes), tables: tables, mapped: m}
	if err := t.validate(h.nodes, limits); err != nil {
		return nil, err
	}
	return t.upgraded(s.tables(), limits)
}

// Close implements flat.Tree.Close.
func (t *Tree) Close() error {
	m := t.mapped
	t.mapped = nil
	t.drop()
	if m == nil {
		return nil
	}
	return m.Close()
}

// Guard implements flat.Guard.
func Guard(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		fault, isFault := r.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !isFault {
			panic(r)
		}
		err = fmt.Errorf("%w: address %#x", ErrFault, fault.Addr())
	}()
	f()
	return nil
}
