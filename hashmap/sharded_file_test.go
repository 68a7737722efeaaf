package hashmap

import (
	"encoding/binary"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"pgregory.net/rapid"
)

// shardedOf describes Sharded for the file tests in package mapkit. The Sharded that is saved has
// two shards, and the one that is opened has the given number.
func shardedOf[K comparable](opened int) mapkit.Kind[K, *Sharded[K, uint64]] {
	return mapkit.Kind[K, *Sharded[K, uint64]]{
		New: func() *Sharded[K, uint64] { return Must(NewSharded[K, uint64](Options{Shards: 2})) },
		Open: func(path string, verify bool) (*Sharded[K, uint64], error) {
			return OpenShardedFile[K, uint64](path, Options{Shards: opened, Verify: verify})
		},
		Stats: func(s *Sharded[K, uint64]) mapkit.Stats {
			all := s.Stats()
			return mapkit.Stats{Len: all.Len, TextBytes: all.TextBytes, Verified: all.Verified}
		},
		Invalid: ErrInvalid, Mismatch: ErrMismatch, Full: ErrFull,
	}
}

// savedShards returns the path of a file with a Sharded that has the given number of shards. n
// entries were added, and some of them deleted.
func savedShards[K comparable](t *testing.T, shards, n int, key func(int) K) string {
	t.Helper()
	s := Must(NewSharded[K, uint64](Options{Shards: shards}))
	t.Cleanup(func() { s.Close() })
	return mapkit.Saved(t, s, n, key, uint64(1))
}

// TestFilesOfSharded verifies that the files of a Sharded pass the file tests for maps, whether
// OpenShardedFile maps the shards or has to set all entries again.
func TestFilesOfSharded(t *testing.T) {
	for name, opened := range map[string]int{"as saved": 0, "others": 4} {
		t.Run(name, func(t *testing.T) {
			texts, numbers := shardedOf[string](opened), shardedOf[uint64](opened)
			t.Run("bits", func(t *testing.T) { mapkit.Bits(t, texts) })
			t.Run("own", func(t *testing.T) { mapkit.Own(t, texts, 5000) })
			t.Run("verified", func(t *testing.T) { mapkit.Verified(t, numbers) })
			t.Run("kinds", func(t *testing.T) {
				damage.KindsOfImages(t, savedShards(t, 2, 500, text), texts.Container, savedShards(t, 2, 500, number))
			})
			t.Run("holes", func(t *testing.T) {
				damage.HolesAreInvalid(t, savedShards(t, 2, 500, number), numbers.Container, map[string]map[int]uint64{
					"a list of the second": {5: 8 << 40}, "texts of the second": {4: 4 << 40}, "pages and no list": {3: 4 << 40, 5: 0},
				})
			})
			t.Run("mutants", func(t *testing.T) {
				mapkit.Mutate(t, mapkit.Mutation[string, *Sharded[string, uint64]]{Kind: texts, Key: text, Most: 2500, Use: useSharded})
			})
		})
	}
}

// useSharded calls the methods of a Sharded that may be damaged. They may return wrong answers or
// errors, but they must terminate.
func useSharded(s *Sharded[string, uint64]) {
	_ = s.Verify() // may return any error
	for i := range 200 {
		s.Get(text(i))
		s.Delete(text(3 * i))
		if err := s.TrySet(text(2*i+1), 1); err != nil && !errors.Is(err, ErrFull) {
			panic(err)
		}
	}
	for k := range s.All() {
		s.Get(k)
	}
	if c, err := s.Clone(); err == nil {
		c.Close()
	}
	s.Len()
	s.Stats()
	s.Clear()
	s.Set(text(1), 1)
}

// TestShardedFilesAgainstModel verifies that a Sharded agrees with Go's map when random changes
// alternate with saving and reopening, with various numbers of shards.
func TestShardedFilesAgainstModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map")
	random.Check(t, func(t *rapid.T) {
		src := choice.Rapid(t)
		s, model := Must(NewSharded[named, uint64](Options{Shards: 1 << src.Intn(5)})), map[named]uint64{}
		defer func() { s.Close() }()
		for range 1 + src.Intn(4) {
			for i := range uint64(src.Intn(400)) {
				k := someText(src)
				if src.Intn(3) == 0 {
					s.Delete(k)
					delete(model, k)
					continue
				}
				s.Set(k, i)
				model[k] = i
			}
			if err := s.Save(path); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err.Error())
			} else if err != nil {
				t.Fatal(err)
			}
			opened, err := OpenShardedFile[named, uint64](path, Options{Shards: []int{0, 1, 2, 16}[src.Intn(4)], Verify: src.Intn(2) == 0})
			if err != nil {
				t.Fatal(err)
			}
			old := s
			s = opened
			if err := errors.Join(old.Close(), s.Verify()); err != nil || !maps.Equal(maps.Collect(s.All()), model) || s.Len() != len(model) {
				t.Fatalf("%d entries, or others, want %d: %v", s.Len(), len(model), err)
			}
		}
	})
}

// TestShardsOfFiles verifies that an opened Sharded has as many shards as Options specifies, or
// else as many as the file.
func TestShardsOfFiles(t *testing.T) {
	path := savedShards(t, 8, 1000, number)
	of := func(path string, o Options) int {
		s, err := OpenShardedFile[uint64, uint64](path, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Verify(); err != nil || s.Len() != 900 {
			t.Errorf("%+v: %d entries, %v", o, s.Len(), err)
		}
		return len(s.shards)
	}
	for asked, want := range map[int]int{0: 8, 1: 1, 2: 2, 5: 8, 8: 8, 16: 16} {
		if got := of(path, Options{Shards: asked}); got != want {
			t.Errorf("asked for %d: %d shards, want %d", asked, got, want)
		}
	}
	one := saved(t, 1000, number, uint64(1))
	if a, b := of(one, Options{}), of(one, Options{Shards: 4}); a != 1 || b != 4 {
		t.Errorf("the file of a Map has %d shards, and %d where 4 are wanted", a, b)
	}
	if m, err := OpenFile[uint64, uint64](path, Options{}); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "OpenShardedFile") {
		t.Error("a Map of eight shards:", damage.Closed(m, err))
	}
	m, err := OpenFile[uint64, uint64](savedShards(t, 1, 1000, number), Options{Verify: true})
	if err != nil || m.Len() != 900 || m.Close() != nil {
		t.Error("a Map of one shard:", err)
	}
	for name, o := range map[string]Options{"as saved": {Max: 1}, "others": {Max: 1, Shards: 1}} {
		path := savedShards(t, 8, 20_000, number)
		if s, err := OpenShardedFile[uint64, uint64](path, o); !errors.Is(err, ErrFull) {
			t.Errorf("%s, with room for one entry: %v", name, damage.Closed(s, err))
		}
	}
	for name, o := range map[string]Options{"out of range": {Shards: 257}, "negative": {Max: -1}} {
		if s, err := OpenShardedFile[uint64, uint64](path, o); err == nil || !strings.HasPrefix(err.Error(), "hashmap.OpenShardedFile: ") {
			t.Errorf("%s: %v", name, damage.Closed(s, err))
		}
	}
}

// TestImpossibleShards verifies that OpenShardedFile rejects files with correct checksums that
// cannot have been written by a Sharded.
func TestImpossibleShards(t *testing.T) {
	path := savedShards(t, 2, 500, number)
	f, err := image.Open(path, imageKind, imageVersion, image.ShapeOf[uint64, uint64]())
	if err != nil {
		t.Fatal(err)
	}
	var parts [][]byte
	for i, size := range f.Sections() {
		parts = append(parts, make([]byte, size))
		if err := f.ReadAt(i, parts[i], 0); err != nil {
			t.Fatal(err)
		}
	}
	meta := f.Meta()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	half := len(meta) / 2
	otherSeed := append([]byte(nil), meta...)
	binary.LittleEndian.PutUint64(otherSeed, 1)
	for name, c := range map[string]struct {
		meta   []byte
		parts  [][]byte
		verify bool // whether only Verify detects it
	}{
		"no shard":              {nil, nil, false},
		"three shards":          {append(meta[:2*half:2*half], meta[half:]...), append(parts[:6:6], parts[3:]...), false},
		"numbers of one":        {meta[:half], parts, false},
		"sections of one":       {meta, parts[:3], false},
		"a section too many":    {meta, append(parts[:6:6], nil), false},
		"another seed":          {otherSeed, parts, false},
		"the other's place":     {append(meta[half:len(meta):len(meta)], meta[:half]...), append(parts[3:6:6], parts[:3]...), true},
		"the same one, twice":   {append(meta[:half:half], meta[:half]...), append(parts[:3:3], parts[:3]...), true},
		"the second half, once": {meta[half:], parts[3:], false},
	} {
		h := image.Header{Kind: imageKind, Version: imageVersion, Shape: image.ShapeOf[uint64, uint64](), Meta: c.meta}
		if err := image.Save(path, h, c.parts...); err != nil {
			t.Fatal(err)
		}
		s, err := OpenShardedFile[uint64, uint64](path, Options{Verify: c.verify})
		if name == "the second half, once" { // a single shard is a valid Map
			if err != nil || s.Verify() != nil || s.Close() != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, damage.Closed(s, err))
		}
	}
}

// TestSaveOfOneMoment verifies that Save writes a consistent snapshot even during concurrent
// changes. Each goroutine sets its keys in ascending order, so the file must contain a prefix of
// them.
func TestSaveOfOneMoment(t *testing.T) {
	const goroutines, keys = 4, 2000
	s := Must(NewSharded[uint64, uint64](Options{Shards: 8}))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "map")
	if err := s.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	var all sync.WaitGroup
	for g := range uint64(goroutines) {
		all.Go(func() {
			for i := range uint64(keys) {
				s.Set(g<<32|i, i)
			}
		})
	}
	for range 20 {
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		moment, err := OpenShardedFile[uint64, uint64](path, Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		count := map[uint64]uint64{} // number of entries of each goroutine
		for k := range moment.Keys() {
			count[k>>32]++
		}
		for k := range moment.Keys() {
			if k&(1<<32-1) >= count[k>>32] {
				t.Fatalf("key %d of goroutine %d is in the file, and one before it is not", k&(1<<32-1), k>>32)
			}
		}
		if err := moment.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
}
