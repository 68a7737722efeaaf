package store_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/btree"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/symbols"
)

// The memory that a container takes outside the Go heap is accounted for like the memory of a
// store: in the memory limit, in Totals and in the profile.
func TestContainersAreCounted(t *testing.T) {
	skipInGoMemory(t)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	store.AdjustMemoryLimit(true)
	defer store.AdjustMemoryLimit(false)
	n := sized(1<<17, 1<<19) // 16-byte entries
	fill := map[string]func(name string) (func() error, error){
		"hashmap.Map": func(name string) (func() error, error) {
			m, err := hashmap.New[uint64, uint64](hashmap.Options{Name: name})
			for i := range uint64(n) {
				m.Set(i, i)
			}
			return m.Close, err
		},
		"btree.Map": func(name string) (func() error, error) {
			m, err := btree.New[uint64, uint64](btree.Options{Name: name})
			for i := range uint64(n) {
				m.Set(i, i)
			}
			return m.Close, err
		},
		"cache.Cache": func(name string) (func() error, error) {
			c, err := cache.New[uint64, uint64](cache.Options{MaxBytes: 16 << 20, Name: name})
			for i := range uint64(n) {
				err = errors.Join(err, c.Set(i, i))
			}
			return c.Close, err
		},
		"symbols.Table": func(name string) (func() error, error) {
			s, err := symbols.New(symbols.Options{Name: name})
			for i := range n {
				s.Intern("a text of 16 " + strconv.Itoa(i))
			}
			return s.Close, err
		},
	}
	for name, f := range fill {
		before := debug.SetMemoryLimit(-1)
		end, err := f(t.Name() + name)
		if err != nil {
			t.Fatal(name, err)
		}
		committed := uint64(0)
		for _, total := range store.Totals() {
			if total.Name == t.Name()+name {
				committed = total.Committed
			}
		}
		fell := uint64(before - debug.SetMemoryLimit(-1))
		if least := uint64(n) * 16; fell < least || fell > 4*least || fell != committed {
			t.Errorf("%s: %d entries lowered the limit by %d bytes, and Totals has %d", name, n, fell, committed)
		}
		var profile bytes.Buffer
		err = store.WriteProfile(&profile)
		plain, zipErr := gzip.NewReader(&profile)
		if err := errors.Join(err, zipErr); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(plain); err != nil || !strings.Contains(string(text), t.Name()+name) {
			t.Errorf("%s is not in the profile: %v", name, err)
		}
		if err := end(); err != nil {
			t.Fatal(name, err)
		}
		if after := debug.SetMemoryLimit(-1); after != before {
			t.Errorf("%s: after Close the limit is %d, want %d", name, after, before)
		}
	}
}

// sized returns short under -short, and normal otherwise.
func sized(short, normal int) int {
	if testing.Short() {
		return short
	}
	return normal
}
