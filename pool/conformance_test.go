package pool_test

import (
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/pool"
)

// TestConformance runs the tests of package alloctest for several value types.
func TestConformance(t *testing.T) {
	alloctest.Run(t, conforming[byte])
	alloctest.RunAt(t, alloctest.Short, conforming[[3]uint16])
	alloctest.RunAt(t, alloctest.Short, conforming[struct{}])
	alloctest.Run(t, conforming[alloctest.Node])
	alloctest.RunAt(t, alloctest.Short, conforming[[8 << 10]byte])
}

func conforming[T any]() alloctest.Allocator[*T, T] {
	p := new(pool.Pool[T])
	dead := alloctest.DeadUnnoticed
	if checks.Enabled {
		dead = alloctest.DeadNotFreed
	}
	return alloctest.Allocator[*T, T]{New: alloctest.Pointer(p.Get), Delete: p.Put, Concurrent: true, Dead: dead}
}
