package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/testkit/memory"
	"github.com/coppice-go/coppice/internal/vmem"
)

// containerOf describes to package damage how to open a Cache file, and with which errors OpenFile
// rejects it.
func containerOf(bool) damage.Container {
	return damage.Container{
		Open: func(path string) error {
			return damage.Closed(OpenFile[string, []byte](path, Options{MaxBytes: 1 << 20, Shards: 1}))
		},
		Invalid: ErrInvalid, Mismatch: ErrMismatch,
	}
}

func TestDamagedFiles(t *testing.T) {
	path := saved(t, texts(t, 120, nil))
	open := containerOf(true).Open
	damage.FlipBits(t, path, damage.StepOf(), func() error { return open(path) })
	damage.CutOff(t, path, func() error { return open(path) })
	numbers := opened[uint64, uint64](t, 1<<20, Options{})
	check(t, numbers.Set(1, 1))
	damage.KindsOfImages(t, path, containerOf, saved(t, numbers))
	damage.HolesAreInvalid(t, path, containerOf, map[string]map[int]uint64{"a hole": {0: 4 << 40}, "an odd one": {0: 1<<40 + 1}})
}

// OpenFile rejects files that have correct checksums, but records that a Cache would never write.
func TestImpossibleRecords(t *testing.T) {
	c := opened[string, []byte](t, 1<<20, Options{})
	path := saved(t, c)
	record := func(lengths, marks uint64, rest string) []byte {
		b := binary.LittleEndian.AppendUint64(nil, lengths)
		return append(binary.LittleEndian.AppendUint64(b, marks), rest...)
	}
	const good = 1 | 2<<32 // a 1-byte key and a 2-byte value
	for name, c := range map[string]struct {
		records  []byte
		sections int
		meta     int
	}{
		"sound":                 {record(good, markRecord|markFrequency|markUsed, "kvv\x00\x00\x00\x00\x00"), 1, 8},
		"zeros":                 {make([]byte, 64), 1, 8},
		"a mark too many":       {record(good, markRecord|1<<5, "kvv\x00\x00\x00\x00\x00"), 1, 8},
		"a fourth queue":        {record(good, markRecord|markQueue, "kvv\x00\x00\x00\x00\x00"), 1, 8},
		"slides without a time": {record(good, markRecord|markSliding, "kvv\x00\x00\x00\x00\x00"), 1, 8},
		"something behind it":   {record(good, markRecord, "kvv\x00\x00\x00\x00\x01"), 1, 8},
		"no value":              {record(good, markRecord, ""), 1, 8},
		"no deadline":           {record(good, markRecord|markTimed, "kvv\x00\x00\x00\x00\x00"), 1, 8},
		"half a record":         {record(good, markRecord, "kvv\x00\x00\x00\x00\x00")[:12], 1, 8},
		"longer than the file":  {record(math.MaxUint64, markRecord, "kvv\x00\x00\x00\x00\x00"), 1, 8},
		"two sections":          {nil, 2, 8},
		"no section":            {nil, 0, 8},
		"no time":               {nil, 1, 0},
		"two times":             {nil, 1, 16},
	} {
		h := image.Header{Kind: imageKind, Version: imageVersion, Shape: image.ShapeOf[string, string](), Meta: make([]byte, c.meta)}
		sections := make([][]byte, c.sections)
		if c.sections > 0 {
			sections[0] = c.records
		}
		check(t, image.Save(path, h, sections...))
		opened, err := OpenFile[string, []byte](path, Options{MaxBytes: 1 << 20})
		if name == "sound" {
			check(t, err)
			if v, ok := opened.Get("k"); string(v) != "vv" || !ok || opened.Len() != 1 || opened.Close() != nil {
				t.Errorf("%q, %t", v, ok)
			}
		} else if !errors.Is(err, ErrInvalid) || !strings.HasPrefix(err.Error(), "cache.OpenFile: "+path+": ") {
			t.Errorf("%s: %v", name, damage.Closed(opened, err))
		}
	}
	bools := opened[uint16, bool](t, 1<<20, Options{})
	check(t, bools.Set(1, true))
	path = saved(t, bools)
	b, err := os.ReadFile(path)
	check(t, err)
	b[len(b)-6] = 2
	damage.SealImage(b)
	check(t, os.WriteFile(path, b, 0o600))
	if c, err := OpenFile[uint16, bool](path, Options{MaxBytes: 1 << 20}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "bool") {
		t.Error(damage.Closed(c, err))
	}
}

// TestMutatedFiles damages files in many ways. OpenFile must either reject a damaged file or return
// a valid Cache.
func TestMutatedFiles(t *testing.T) {
	sound := make([]string, 0, 4)
	for _, n := range []int{0, 1, 30, 300} {
		sound = append(sound, saved(t, texts(t, n, nil)))
	}
	damage.Mutate(t, damage.Format{Sound: sound, Seal: damage.SealImage, Try: func(m damage.Mutant) error {
		c, err := OpenFile[string, []byte](m.Path, Options{MaxBytes: 300_000, Shards: 1})
		if errors.Is(err, ErrInvalid) || errors.Is(err, ErrMismatch) {
			return nil
		}
		if err != nil {
			return err
		}
		for k := range c.All() {
			c.Get(k)
			_ = c.Set(k, []byte("new"))
			c.Delete(k + "?")
		}
		for i := range 100 {
			_ = c.Set(fmt.Sprint(i), make([]byte, i))
		}
		return errors.Join(c.verify(), c.SetMaximum(200_000), c.verify(), c.Close())
	}})
}

// The memory that OpenFile takes depends on the MaxBytes of the new Cache, not on the sizes stated
// in the file. Entries that are too large for a shard are omitted.
func TestFilesOfLargeRecords(t *testing.T) {
	large := opened[string, []byte](t, 64<<20, Options{Shards: 1})
	check(t, large.Set("before", []byte("v")))
	check(t, large.Set("large", make([]byte, 20<<20)))
	check(t, large.Set("behind", make([]byte, 90_000)))
	path := saved(t, large)
	var c *Cache[string, []byte]
	cost := memory.Bytes(func() {
		if c != nil {
			check(t, c.Close())
		}
		c = Must(OpenFile[string, []byte](path, Options{MaxBytes: 1 << 20, Shards: 1}))
	})
	if !c.Has("before") || c.Has("large") || !c.Has("behind") || c.Len() != 2 {
		t.Errorf("%d entries", c.Len())
	}
	check(t, c.Close())
	if most := uint64(3 << 20); cost > most && !vmem.GoMemory {
		t.Errorf("to open it takes %d bytes, want %d at most", cost, most)
	}
}
