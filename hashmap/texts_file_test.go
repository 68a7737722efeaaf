package hashmap

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// savedTexts returns the path of a file with a Texts of which some entries were deleted or
// replaced.
func savedTexts(t *testing.T, n int) string {
	t.Helper()
	m := Must(NewTexts[place, string](Options{}))
	defer m.Close()
	for i := range n {
		m.Set(place{Country: text(i), Open: i%2 > 0}, strings.Repeat("v", i%200))
		m.Set(place{Country: text(i / 2), Open: i%4 > 1}, text(i))
		m.Delete(place{Country: text(i / 3)})
	}
	path := filepath.Join(t.TempDir(), "map")
	if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTextsFiles(t *testing.T) {
	path := savedTexts(t, 300)
	open := func() error {
		return damage.Closed(OpenTextsFile[place, string](path, Options{Verify: true}))
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	damage.FlipBits(t, path, damage.StepOf(), open)
	damage.CutOff(t, path, open)
	if err := damage.Closed(OpenTextsFile[string, string](path, Options{})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	if err := damage.Closed(OpenFile[string, uint32](path, Options{})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	s, err := OpenShardedTextsFile[place, []byte](path, Options{})
	if err != nil || len(s.shards) != 1 {
		t.Fatal(err)
	}
	s.Close()
	if err := damage.Closed(OpenShardedTextsFile[place, string](path, Options{Shards: 8})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	many := Must(NewShardedTexts[string, string](Options{Shards: 4}))
	defer many.Close()
	if err := many.Save(path); err != nil {
		t.Fatal(err)
	}
	if err := damage.Closed(OpenTextsFile[string, string](path, Options{})); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
}

// TestHostileTexts verifies that the operations on a Texts terminate even if the strings and
// numbers in its memory are arbitrary, as they may be in a file.
func TestHostileTexts(t *testing.T) {
	src := choice.Seeded(3)
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		m := Must(NewTexts[place, string](Options{}))
		for i := range 60 {
			m.Set(place{Country: text(i)}, strings.Repeat("v", i*7))
		}
		values, keys := m.m.values.Contents(), m.m.index.heap.Contents()
		for range 1 + src.Intn(20) {
			switch src.Intn(3) {
			case 0:
				values[src.Intn(len(values))] = byte(src.Intn(256))
			case 1:
				keys[src.Intn(len(keys))] = byte(src.Intn(256))
			default: // a reference to a value
				k := place{Country: text(src.Intn(60))}
				key := keyString(&m.keys, nil, &k)
				if at := m.m.index.findText(m.m.hashOf(key), key); at != nil {
					*at = uint32(src.Intn(1 << 12))
				}
			}
		}
		_ = m.Verify()
		for i := range 200 {
			k := place{Country: text(src.Intn(90))}
			m.Get(k)
			m.Delete(place{Country: text(i)})
			m.Set(k, strings.Repeat("w", src.Intn(300)))
		}
		for k, v := range m.All() {
			_, _ = k, v
		}
		m.Close()
	}
}

// TestTextsVerifyOverlaps verifies that Verify detects a value that overlaps another one, even if
// it starts with the correct hash.
func TestTextsVerifyOverlaps(t *testing.T) {
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	// A block consists of a length, the hash of the key (8 bytes) and the value. The value of "a"
	// contains a second block: the length 11, the hash of "b" and the value "abc". References count
	// units of 4 bytes, so that block is 3 units after the first.
	inner := append([]byte{'x', 'x', 'x', 11}, binary.LittleEndian.AppendUint64(nil, m.m.hashOf("b"))...)
	m.Set("a", string(inner)+"abc and more")
	m.Set("b", "abc")
	a := m.m.index.findText(m.m.hashOf("a"), "a")
	b := m.m.index.findText(m.m.hashOf("b"), "b")
	*b = *a + 3
	if v, ok := m.Get("b"); !ok || v != "abc" {
		t.Fatalf("the test does not find its value: %q, %v", v, ok)
	}
	if err := m.Verify(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "shares bytes") {
		t.Error(err)
	}
}

// TestTextsVerify verifies that Verify detects a value that starts with a wrong hash, and two keys
// that share a value.
func TestTextsVerify(t *testing.T) {
	m := Must(NewTexts[string, string](Options{}))
	defer m.Close()
	m.Set("a", "first")
	m.Set("b", "second")
	a := m.m.index.findText(m.m.hashOf("a"), "a")
	b := m.m.index.findText(m.m.hashOf("b"), "b")
	was := *b
	*b = *a
	if err := m.Verify(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	*b = was
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	stored, _ := m.m.values.Bytes(was)
	binary.LittleEndian.PutUint64(stored, 1)
	if err := m.Verify(); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
