package flat_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/example/expr"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/checks"
)

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// onlyRead hides all methods of a reader except Read.
type onlyRead struct{ io.Reader }

// junk is an endless stream that is not a tree. It counts the bytes that are read.
type junk struct{ read int64 }

func (j *junk) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(i)
	}
	j.read += int64(len(p))
	return len(p), nil
}

// Read rejects data that is not a tree after its first bytes.
func TestReadRefusesJunkByItsHeader(t *testing.T) {
	stream := &junk{}
	var err error
	bytes := allocated(func() { _, err = exprflat.Read(io.LimitReader(stream, 64<<20), flat.LoadLimits{}) })
	if !errors.Is(err, flat.ErrInvalid) || !strings.Contains(err.Error(), "magic") {
		t.Errorf("junk: %v", err)
	}
	if stream.read > 64 || bytes > 64<<10 {
		t.Errorf("%d bytes were read and %d allocated to see that it is junk", stream.read, bytes)
	}
}

// Read does not trust the sizes in a header. It allocates memory only in proportion to the data
// that arrives.
func TestReadTrustsNoHeader(t *testing.T) {
	for name, change := range map[string]func(*file){
		"words":   func(f *file) { f.put(atWords, 1<<32-1-1<<20) },
		"strings": func(f *file) { f.put(atStrings, 1<<31) },
		"text":    func(f *file) { f.put(atText, 1<<32-1) },
		"schema":  func(f *file) { f.put(atSchema, 1<<20) },
	} {
		f := takeApart(valid()["expr-call"])
		change(f)
		data := f.bytes()
		var err error
		bytes := allocated(func() {
			_, err = exprflat.Read(bytes.NewReader(data), flat.LoadLimits{MaxBytes: 1 << 40})
		})
		switch {
		case strconv.IntSize == 32 && errors.Is(err, flat.ErrLimit) && strings.Contains(err.Error(), "more than this machine has addresses"):
		case !errors.Is(err, flat.ErrInvalid) || !strings.Contains(err.Error(), "bytes, and the header says"):
			t.Errorf("%s: %v", name, err)
		}
		if bytes > 3<<20 {
			t.Errorf("%s: %d bytes are allocated for a stream of %d", name, bytes, len(data))
		}
	}
	f := takeApart(valid()["expr-call"])
	f.put(atWords, 1<<20)
	stream := io.MultiReader(bytes.NewReader(f.bytes()), &junk{})
	_, err := exprflat.Read(stream, flat.LoadLimits{MaxBytes: 1 << 20})
	if !errors.Is(err, flat.ErrLimit) || !strings.Contains(err.Error(), "LoadLimits.MaxBytes, 1048576") {
		t.Errorf("a header beyond the limit: %v", err)
	}
}

// wide returns a tree whose file has about size bytes, three words for each node.
func wide(size int) exprflat.Tree {
	nodes := size / 12
	b := exprflat.NewBuilder(flat.BuilderOptions{Nodes: nodes})
	var build func(n int) exprflat.Expr
	build = func(n int) exprflat.Expr {
		switch {
		case n <= 1:
			return b.Num(1)
		case n == 2:
			return b.Bin(expr.Add, b.Num(1), exprflat.Expr{})
		default:
			return b.Bin(expr.Mul, build(n/2), build((n-1)/2))
		}
	}
	return must(b.Finish(build(nodes)))
}

func TestReadingCostsLittleMoreThanTheFile(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build allocates for itself")
	}
	sizes := []int{5 << 20, 9 << 20}
	if !testing.Short() {
		sizes = append(sizes, 61<<20)
	}
	for _, size := range sizes {
		data := fileOf(wide(size).Flat())
		for name, read := range map[string]func() (exprflat.Tree, error){
			"Read": func() (exprflat.Tree, error) {
				return exprflat.Read(onlyRead{bytes.NewReader(data)}, flat.LoadLimits{})
			},
			"Load": func() (exprflat.Tree, error) { return exprflat.Load(data, flat.LoadLimits{}) },
		} {
			var err error
			bytes := allocated(func() { _, err = read() })
			if err != nil {
				t.Fatal(err)
			}
			if ratio := float64(bytes) / float64(len(data)); ratio > 1.2 {
				t.Errorf("%s of %d bytes allocates %.2f times as much", name, len(data), ratio)
			}
		}
	}
}

// Read does not read beyond the end of a tree, so that a stream can contain several trees.
func TestReadLeavesWhatFollows(t *testing.T) {
	var stream bytes.Buffer
	var want [4]string
	for i, name := range [4]string{"expr-call", "expr-nil", "expr-one", "expr-call"} {
		data := valid()[name]
		want[i] = must(exprflat.Load(data, flat.LoadLimits{})).String()
		stream.Write(data)
	}
	r := iotest.OneByteReader(&stream)
	for _, one := range want {
		tree, err := exprflat.Read(r, flat.LoadLimits{})
		if err != nil || tree.String() != one {
			t.Fatalf("%v, %v; want %s", tree, err, one)
		}
	}
	if _, err := exprflat.Read(r, flat.LoadLimits{}); !errors.Is(err, io.EOF) || !errors.Is(err, flat.ErrInvalid) {
		t.Errorf("at the end of the stream: %v", err)
	}
	if none, _ := exprflat.Read(r, flat.LoadLimits{}); fmt.Sprint(none) != "nil" {
		t.Errorf("with an error comes %v", none)
	}
	if _, err := exprflat.Read(strings.NewReader("\x89FLAT"), flat.LoadLimits{}); errors.Is(err, io.EOF) || !errors.Is(err, flat.ErrInvalid) {
		t.Errorf("a stream that ends in the header: %v", err)
	}
}

// Read and Load report the same error for every proper prefix of a file. Read also rejects every
// invalid file.
func TestReadSaysWhatLoadSays(t *testing.T) {
	for name, data := range valid() {
		if !strings.HasPrefix(name, "expr-") {
			continue
		}
		for n := range data {
			_, want := exprflat.Load(data[:n:n], flat.LoadLimits{})
			_, got := exprflat.Read(bytes.NewReader(data[:n]), flat.LoadLimits{})
			if got == nil || want == nil || n > 0 && got.Error() != want.Error() {
				t.Fatalf("%s cut to %d bytes: Read says %v, Load %v", name, n, got, want)
			}
		}
		if got := fileOf(must(exprflat.Read(iotest.HalfReader(bytes.NewReader(data)), flat.LoadLimits{})).Flat()); !bytes.Equal(got, data) {
			t.Errorf("%s: what is read is written as other bytes", name)
		}
	}
	for name, b := range brokenRecords {
		f := takeApart(valid()[b.base])
		b.change(f)
		_, err := exprflat.Read(bytes.NewReader(f.bytes()), flat.LoadLimits{})
		if strings.HasPrefix(name, "expr-") && (!errors.Is(err, flat.ErrInvalid) || !strings.Contains(err.Error(), b.want)) {
			t.Errorf("%s: %v, want %q", name, err, b.want)
		}
	}
}

// Read returns a complete tree even if a section arrives in several steps.
func TestReadOfManySteps(t *testing.T) {
	b := exprflat.NewBuilder(flat.BuilderOptions{})
	args := make([]exprflat.Expr, 400_000)
	for i := range args {
		args[i] = b.Var(strings.Repeat("x", i%40))
	}
	tree := must(b.Finish(b.Call("f", args, nil)))
	data := fileOf(tree.Flat())
	read, err := exprflat.Read(iotest.HalfReader(bytes.NewReader(data)), flat.LoadLimits{})
	if err != nil || !bytes.Equal(fileOf(read.Flat()), data) {
		t.Errorf("%d bytes come back as others (%v)", len(data), err)
	}
}

// If the file is a pipe, Open requires that the stream ends after the tree.
func TestOpenOfAPipeWantsItsEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it needs /dev/fd")
	}
	for extra, ok := range map[string]bool{"": true, "x": false} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(append(valid()["expr-call"], extra...)); err != nil {
			t.Fatal(err)
		}
		w.Close()
		_, err = exprflat.Open(fmt.Sprintf("/dev/fd/%d", r.Fd()), flat.LoadLimits{})
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "bytes follow the tree") {
			t.Errorf("%q behind the tree: %v", extra, err)
		}
		r.Close()
	}
}
