package cache

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/maptest"
)

type padded struct {
	A uint8
	B uint32
	C float64
}

type wide struct {
	A [3]uint64
	B bool
}

func TestConformance(t *testing.T) {
	maptest.Run(t, described[uint64, uint64])
	maptest.Run(t, described[uint8, struct{}])
	maptest.Run(t, described[padded, wide])
	maptest.Run(t, described[float64, [3]byte])
	maptest.Run(t, described[string, string])
	maptest.Run(t, bytesOnly(described[uint32, []byte]))
	maptest.Run(t, bytesOnly(described[string, []byte]))
}

// described returns the maptest.Map of a Cache that is large enough to keep every entry that
// maptest sets.
func described[K comparable, V any]() maptest.Map[K, V] { return describe[K, V](64 << 20) }

func describe[K comparable, V any](bytes int64) maptest.Map[K, V] {
	c, err := New[K, V](Options{MaxBytes: bytes})
	if err != nil {
		panic(err)
	}
	return maptest.Map[K, V]{
		Set: func(k K, v V) {
			if err := c.Set(k, v); err != nil {
				panic(err)
			}
		},
		Get: c.Get, Len: c.Len, All: c.All, Delete: c.Delete, GetOrSet: c.GetOrSet, Clear: c.Clear, Close: c.Close,
		Changes: true, Forgets: bytes < 64<<20,
	}
}

func TestConformanceWhereItForgets(t *testing.T) {
	maptest.Run(t, func() maptest.Map[uint64, wide] { return describe[uint64, wide](least[uint64, wide](1)) })
	maptest.Run(t, bytesOnly(func() maptest.Map[string, []byte] { return describe[string, []byte](least[string, []byte](1)) }))
	maptest.Run(t, func() maptest.Map[uint64, string] { return describe[uint64, string](least[uint64, string](1)) })
}

// bytesOnly replaces the test values with values that are never nil, because a Cache does not
// distinguish nil from an empty slice.
func bytesOnly[K comparable](open func() maptest.Map[K, []byte]) func() maptest.Map[K, []byte] {
	return func() maptest.Map[K, []byte] {
		m := open()
		m.Value = func(i int) []byte { return append(make([]byte, i%50), fmt.Sprint(i)...) }
		return m
	}
}
