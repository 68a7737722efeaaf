package cache

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// FuzzCalls interprets its input as a series of calls of a small cache, and checks every value
// found against a model.
func FuzzCalls(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x40\x01\x02\x80\x01\x02"))
	f.Add(make([]byte, 3000))
	f.Fuzz(func(t *testing.T, data []byte) {
		var now clock
		c := opened[string, string](t, least[string, string](1), Options{now: now.now})
		var m = model[string, string]{values: map[string]string{}, ends: map[string]duration{}}
		for len(data) >= 3 {
			op, k, n := data[0]>>5, string(data[1:2]), int(data[2])<<(data[0]&7)
			v := string(make([]byte, n/2)) + string(data[:3])
			data = data[3:]
			switch op {
			case 0, 1, 2:
				check(t, c.Set(k, v))
				m.set(k, v, NoExpiry)
			case 3:
				check(t, c.SetTTL(k, v, duration(n)))
				m.set(k, v, duration(n))
			case 4:
				c.Delete(k)
				m.forget(k)
			case 5:
				now.add(duration(n))
				m.now += duration(n)
			case 6:
				if n == 0 {
					c.Clear()
					clear(m.values)
				}
			default:
				if got, ok := c.Get(k); ok {
					check(t, m.allows(k, got, func(a, b string) bool { return a == b }))
				}
			}
		}
		for k, v := range c.All() {
			check(t, m.allows(k, v, func(a, b string) bool { return a == b }))
		}
	})
}

// FuzzOpenFile opens a file of arbitrary bytes with correct checksums. OpenFile must either reject
// the file or return a valid Cache.
func FuzzOpenFile(f *testing.F) {
	for _, n := range []int{0, 1, 20} {
		b, err := os.ReadFile(saved(f, texts(f, n, nil)))
		check(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "cache")
		damage.SealImage(data)
		check(t, os.WriteFile(path, data, 0o600))
		c, err := OpenFile[string, []byte](path, Options{MaxBytes: 300_000, Shards: 1})
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrMismatch) {
				t.Fatal(err)
			}
			return
		}
		check(t, c.verify())
		for k, v := range c.All() {
			check(t, c.Set(k, append(v, 1)))
		}
		check(t, errors.Join(c.verify(), c.Save(path), c.Close()))
	})
}
