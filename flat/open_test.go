package flat_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/vmem"
)

// saved writes data, the file of a tree, to a temporary folder, and returns the path.
func saved(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tree.flat")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// canMap reports whether Open maps files on this system, so that opened trees are read-only.
func canMap(t *testing.T) bool {
	t.Helper()
	f := must(os.Open(saved(t, []byte("x"))))
	defer f.Close()
	m, err := vmem.MapFile(f, 1)
	if err == nil {
		err = m.Close()
	}
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1 // other machines copy the words to swap their bytes
	return err == nil && little
}

func TestOpen(t *testing.T) {
	for name, data := range valid() {
		if !strings.HasPrefix(name, "expr-") {
			continue
		}
		loaded := must(exprflat.Load(data, flat.LoadLimits{}))
		tree, err := exprflat.Open(saved(t, data), flat.LoadLimits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if tree.String() != loaded.String() || !bytes.Equal(fileOf(tree.Flat()), data) || !bytes.Equal(fileOf(tree.Clone().Flat()), data) {
			t.Errorf("%s: opened it is %v, loaded %v", name, tree, loaded)
		}
		clone := tree.Clone()
		if err := errors.Join(tree.Close(), tree.Close()); err != nil {
			t.Error(err)
		}
		if clone.String() != loaded.String() || tree.String() != "nil" {
			t.Errorf("%s: a clone needs the mapping", name)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	data := valid()["expr-call"]
	for name, broken := range map[string][]byte{"empty": {}, "short": data[:63], "cut": data[:len(data)-1], "longer": append(bytes.Clone(data), 0)} {
		path := saved(t, broken)
		if _, err := exprflat.Open(path, flat.LoadLimits{}); !errors.Is(err, flat.ErrInvalid) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, b := range brokenRecords {
		if strings.HasPrefix(name, "expr-") {
			f := takeApart(valid()[b.base])
			b.change(f)
			if _, err := exprflat.Open(saved(t, f.bytes()), flat.LoadLimits{}); !errors.Is(err, flat.ErrInvalid) || !strings.Contains(err.Error(), b.want) {
				t.Errorf("%s: %v, want %q", name, err, b.want)
			}
		}
	}
	if _, err := exprflat.Open(saved(t, data), flat.LoadLimits{MaxBytes: 10}); !errors.Is(err, flat.ErrLimit) {
		t.Errorf("a limit of 10 bytes: %v", err)
	}
	if _, err := exprflat.Open(filepath.Join(t.TempDir(), "nothing"), flat.LoadLimits{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := exprflat.Open(t.TempDir(), flat.LoadLimits{}); err == nil {
		t.Error("a folder is a tree")
	}
}

func TestMappedTreesAreReadOnly(t *testing.T) {
	if !canMap(t) {
		t.Skip("files are not mapped here")
	}
	tree := must(exprflat.Open(saved(t, valid()["expr-call"]), flat.LoadLimits{}))
	defer tree.Close()
	call := tree.Root().AsCall()
	doc := "x"
	for name, set := range map[string]func(){
		"a string":    func() { call.SetFn("f") },
		"an optional": func() { call.SetDoc(&doc) },
		"a reference": func() { call.SetArg(0, exprflat.Expr{}) },
		"bits":        func() { call.Arg(0).AsBin().SetOp(1) },
		"a number":    func() { call.Arg(0).AsBin().R().AsBin().R().AsNum().SetValue(1) },
	} {
		mustPanic(t, ": the tree is mapped, and read-only", func() { t.Helper(); set(); t.Errorf("%s was set", name) })
	}
	clone := tree.Clone()
	clone.Root().AsCall().SetFn("f")
	if tree.Root().AsCall().Fn() != "sqrt" {
		t.Error("the clone's string is the mapped tree's")
	}
}

// If a file is truncated while it is mapped, reads fault, and Guard returns an error.
func TestTruncatedMappingIsAnError(t *testing.T) {
	child.SkipEmulated(t, "the address of a fault is not passed on")
	if !canMap(t) {
		t.Skip("files are not mapped here")
	}
	path := saved(t, fileOf(chain(9_000).Flat()))
	tree := must(exprflat.Open(path, flat.LoadLimits{}))
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	err := flat.Guard(func() { sink = tree.Root().Kind() })
	if !errors.Is(err, flat.ErrFault) || !strings.Contains(err.Error(), "address 0x") {
		t.Errorf("the root of a truncated file: %v", err)
	}
	// The rest of the first page reads as zero, which must not make a walk endless.
	mustPanic(t, "flatimpl.Node.Next: the mapped file was changed", func() {
		for n := range tree.All {
			_ = n.Kind()
		}
	})
	kept := ""
	whole := must(exprflat.Open(saved(t, valid()["expr-call"]), flat.LoadLimits{}))
	kept = whole.Root().AsCall().Fn()
	if err := errors.Join(tree.Close(), whole.Close()); err != nil {
		t.Error(err)
	}
	if err := flat.Guard(func() { kept = strings.ToUpper(kept) }); !errors.Is(err, flat.ErrFault) {
		t.Errorf("a string of a closed tree: %v, %q", err, kept)
	}
	if err := flat.Guard(func() {}); err != nil {
		t.Error(err)
	}
	mustPanic(t, "other", func() { flat.Guard(func() { panic("other") }) })
}

// Read stops at MaxBytes, even if the stream is endless. It returns the errors of the stream.
func TestReadStopsAtTheLimit(t *testing.T) {
	f := takeApart(valid()["expr-call"])
	f.put(atText, 1<<20)
	endless := io.MultiReader(bytes.NewReader(f.bytes()), readerFunc(func(p []byte) (int, error) { return len(p), nil }))
	if _, err := exprflat.Read(endless, flat.LoadLimits{MaxBytes: 1 << 16}); !errors.Is(err, flat.ErrLimit) {
		t.Errorf("an endless stream: %v", err)
	}
	failing := readerFunc(func([]byte) (int, error) { return 0, os.ErrClosed })
	if _, err := exprflat.Read(failing, flat.LoadLimits{MaxBytes: math.MaxInt64}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a stream that fails: %v", err)
	}
	data := valid()["expr-call"]
	if _, err := exprflat.Read(bytes.NewReader(data), flat.LoadLimits{MaxBytes: int64(len(data)) - 1}); !errors.Is(err, flat.ErrLimit) {
		t.Errorf("one byte too many: %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// WriteTo returns the writer's error and the number of bytes written, whichever write fails.
func TestWriteToReturnsErrors(t *testing.T) {
	tree := must(exprflat.Load(valid()["expr-call"], flat.LoadLimits{}))
	for allowed := range 4 {
		w := &failingWriter{left: allowed}
		n, err := tree.WriteTo(w)
		if !errors.Is(err, os.ErrClosed) || n != w.n {
			t.Errorf("%d writes: %d bytes (%d came), %v", allowed, n, w.n, err)
		}
		if err := tree.Dump(&failingWriter{left: 0}); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Dump: %v", err)
		}
	}
	runtime.KeepAlive(tree)
}

type failingWriter struct {
	left int
	n    int64
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left == 0 {
		return 0, os.ErrClosed
	}
	w.left--
	w.n += int64(len(p))
	return len(p), nil
}
