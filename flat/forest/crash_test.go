package forest_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/flat/internal/example/exprflat"
	"github.com/coppice-go/coppice/internal/testkit/child"
)

// treesOf returns the number of trees in the complete segments of a file that was truncated to n
// bytes, and the end of the last complete segment.
func treesOf(n int, sizes, ends []int) (trees, end int) {
	end = ends[0]
	for i, size := range sizes {
		if ends[i+1] <= n {
			trees, end = trees+size, ends[i+1]
		}
	}
	return trees, end
}

// recovers verifies that a Reader sees only the first trees of a damaged file, and that a Writer
// truncates the file at the given end and appends to it.
func recovers(t *testing.T, path string, data []byte, trees, end int) {
	t.Helper()
	write(t, path, data)
	r, err := forest.Open[exprflat.Tree](path, flat.LoadLimits{})
	check(t, err)
	expectTrees(t, r, trees)
	if got := r.Incomplete(); got != int64(len(data)-end) {
		t.Fatalf("%d bytes are incomplete, want %d", got, len(data)-end)
	}
	w, err := forest.Append[exprflat.Tree](path, forest.Options{})
	check(t, err)
	if w.Dropped() != int64(len(data)-end) {
		t.Fatalf("%d bytes were dropped, want %d", w.Dropped(), len(data)-end)
	}
	check(t, w.Add(name(trees), expression(trees)))
	check(t, w.Close())
	if n, err := r.Refresh(); n != 1 || err != nil {
		t.Fatalf("%d trees were added: %v", n, err)
	}
	expectTrees(t, r, trees+1)
	check(t, r.Close())
	expect(t, path, trees+1)
}

// TestEveryTruncation verifies that a file that was truncated at any position contains the trees of
// its complete segments, and that a Writer can append to it.
func TestEveryTruncation(t *testing.T) {
	sizes := []int{3, 1, 4}
	data, ends := file(t, sizes...)
	path := fresh(t)
	step := 11
	switch {
	case os.Getenv("COPPICE_FULL") != "":
		step = 1
	case testing.Short():
		step = 47
	}
	for n := range len(data) + 1 {
		if n > ends[0] && n%step != 0 && !slices.Contains(ends, n) && !slices.Contains(ends, n+1) {
			continue
		}
		if n < ends[0] {
			write(t, path, data[:n])
			if _, err := forest.Open[exprflat.Tree](path, flat.LoadLimits{}); !errors.Is(err, flat.ErrInvalid) {
				t.Fatalf("Open of %d bytes of the header: %v", n, err)
			}
			w, err := forest.Append[exprflat.Tree](path, forest.Options{})
			check(t, err)
			check(t, w.Add(name(0), expression(0)))
			check(t, w.Close())
			expect(t, path, 1)
			continue
		}
		trees, end := treesOf(n, sizes, ends)
		recovers(t, path, data[:n], trees, end)
	}
}

// TestTornBlocks simulates a crash of the system during a write. Some blocks of the last segment
// may contain zeros, and the file may be longer than what was written, with arbitrary bytes at the
// end.
func TestTornBlocks(t *testing.T) {
	sizes := []int{3, 6}
	data, ends := file(t, sizes...)
	path := fresh(t)
	step := 16
	if testing.Short() {
		step = 48
	}
	for from := ends[1]; from < len(data); from += step {
		for _, n := range []int{8, 64, 512, len(data)} {
			torn := slices.Clone(data)
			clear(torn[from:min(from+n, len(torn))])
			if slices.Equal(torn, data) {
				continue
			}
			recovers(t, path, torn, 3, ends[1])
		}
	}
	for _, n := range []int{1, 8, 63, 64, 100, 4096, 3 << 20} {
		recovers(t, path, append(slices.Clone(data), make([]byte, n)...), 9, len(data))
		recovers(t, path, append(slices.Clone(data), []byte(strings.Repeat("\x89GROVE\r\n", n))...), 9, len(data))
	}
	// A header is written, and another segment follows soon.
	far := append(slices.Clone(data), make([]byte, 3<<20)...)
	recovers(t, path, far, 9, len(data))
}

// TestEveryFlip verifies that a flipped bit is detected. A reader must never see a tree that was
// not written. A writer must refuse to append if the damage precedes the last segment, because it
// would truncate intact segments.
func TestEveryFlip(t *testing.T) {
	data, ends := file(t, 3, 1, 4)
	path := fresh(t)
	for at := range data {
		if testing.Short() && at%11 != 0 {
			continue
		}
		bad := slices.Clone(data)
		bad[at] ^= 1 << (at % 8)
		write(t, path, bad)
		r, err := forest.Open[exprflat.Tree](path, flat.LoadLimits{})
		if err != nil {
			if !errors.Is(err, flat.ErrInvalid) || at >= ends[2] {
				t.Fatalf("byte %d: %v", at, err)
			}
			if _, err := forest.Append[exprflat.Tree](path, forest.Options{}); err == nil {
				t.Fatalf("byte %d: Append goes on in a damaged file", at)
			}
			continue
		}
		if r.Len() < 4 {
			t.Fatalf("byte %d: %d trees", at, r.Len())
		}
		for item, err := range r.All {
			switch {
			case item.Name != name(item.Index):
				t.Fatalf("byte %d: tree %d has the name %s", at, item.Index, item.Name)
			case err == nil && canonical(item.Tree.Flat()) != canonical(expression(item.Index).Flat()):
				t.Fatalf("byte %d: tree %d is another", at, item.Index)
			case err != nil && !errors.Is(err, flat.ErrInvalid):
				t.Fatalf("byte %d: %v", at, err)
			}
		}
		check(t, r.Close())
	}
}

// TestReadersWhileAWriterAppends verifies that readers see new trees while a writer appends them,
// whether the goroutines share a reader or have their own.
func TestReadersWhileAWriterAppends(t *testing.T) {
	path := fresh(t)
	w := must(forest.Create[exprflat.Tree](path, forest.Options{SegmentBytes: 2000}))
	n := 3000
	if testing.Short() {
		n = 600
	}
	var written atomic.Int64
	var group sync.WaitGroup
	shared := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
	defer shared.Close()
	for k := range 4 {
		group.Go(func() {
			r := shared
			if k%2 == 0 {
				r = must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
				defer r.Close()
			}
			for seen := 0; seen < n; {
				synced := int(written.Load())
				if _, err := r.Refresh(); err != nil {
					t.Error(err)
					return
				}
				if r.Len() < synced {
					t.Errorf("%d trees are seen, and %d were synced", r.Len(), synced)
					return
				}
				for ; seen < r.Len(); seen++ {
					tree, err := r.At(seen)
					if err != nil || r.Name(seen) != name(seen) || tree.String() != expression(seen).String() {
						t.Errorf("tree %d: %v, %v", seen, tree, err)
						return
					}
				}
				if at, ok := r.Lookup(name(seen / 2)); seen > 1 && (!ok || at != seen/2) {
					t.Errorf("%s is tree %d, %v", name(seen/2), at, ok)
					return
				}
			}
		})
	}
	for i := range n {
		check(t, w.Add(name(i), expression(i)))
		if i%100 == 99 {
			check(t, w.Sync())
			written.Store(int64(i + 1))
		}
	}
	check(t, w.Close())
	group.Wait()
}

// TestMain runs the tests or, in the child process of TestKill, the writer that is killed.
func TestMain(m *testing.M) {
	path := os.Getenv("COPPICE_FOREST")
	if path == "" {
		os.Exit(m.Run())
	}
	w := must(forest.Append[exprflat.Tree](path, forest.Options{SegmentBytes: 3000}))
	told, rest := 0, must(strconv.Atoi(os.Getenv("COPPICE_REST")))
	for i := must(strconv.Atoi(os.Getenv("COPPICE_FIRST"))); ; i++ {
		if err := w.Add(name(i), expression(i)); err != nil {
			panic(err)
		}
		if i%10 == 0 {
			if err := w.Sync(); err != nil {
				panic(err)
			}
			fmt.Println(i + 1)
			if told++; told == rest {
				time.Sleep(time.Hour)
			}
		}
	}
}

// TestKill verifies that a killed writer does not lose trees that it has synced. In every other
// round the writer pauses after it has reported a sync, so that no later write can store these
// trees. In the remaining rounds it continues, and is killed at an arbitrary moment.
func TestKill(t *testing.T) {
	path := fresh(t)
	trees := 0
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	for round := range rounds {
		cmd := must(child.Command())
		syncs, rest := 1+2*round, 0
		if round%2 == 0 {
			rest = syncs
		}
		cmd.Env = append(os.Environ(), "COPPICE_FOREST="+path, fmt.Sprint("COPPICE_FIRST=", trees), fmt.Sprint("COPPICE_REST=", rest))
		cmd.Stderr = os.Stderr
		out := must(cmd.StdoutPipe())
		check(t, cmd.Start())
		synced := trees
		lines := bufio.NewScanner(out)
		for told := 0; lines.Scan(); {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				synced = n
				told++
			}
			if told == syncs {
				cmd.Process.Kill() // the loop still reads what the writer has printed
			}
		}
		cmd.Wait()
		if synced == trees {
			t.Fatalf("round %d: the writer ended before it has told of a sync", round)
		}
		check(t, must(forest.Append[exprflat.Tree](path, forest.Options{})).Close())
		r := must(forest.Open[exprflat.Tree](path, flat.LoadLimits{}))
		if r.Len() < synced {
			t.Fatalf("round %d: %d trees, and %d were synced", round, r.Len(), synced)
		}
		trees = r.Len()
		check(t, r.Close())
		expect(t, path, trees)
	}
}
