package pool_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/pool"
)

// BenchmarkBuffer measures writing 4 KiB to a new buffer and to a pooled one.
func BenchmarkBuffer(b *testing.B) {
	line := bytes.Repeat([]byte("x"), 64)
	write := func(buf *bytes.Buffer) {
		for range 64 {
			buf.Write(line)
		}
	}
	b.Run("alloc=new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			write(new(bytes.Buffer))
		}
	})
	b.Run("alloc=sync.Pool", func(b *testing.B) {
		b.ReportAllocs()
		p := sync.Pool{New: func() any { return new(bytes.Buffer) }}
		for b.Loop() {
			buf := p.Get().(*bytes.Buffer)
			write(buf)
			buf.Reset()
			p.Put(buf)
		}
	})
	b.Run("alloc=pool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf := buffers.Get()
			write(buf)
			buffers.Put(buf)
		}
	})
}

// BenchmarkGetPut measures a Get followed by a Put.
func BenchmarkGetPut(b *testing.B) {
	b.Run("alloc=sync.Pool", func(b *testing.B) {
		p := sync.Pool{New: func() any { return new(request) }}
		for b.Loop() {
			v := p.Get().(*request)
			*v = request{}
			p.Put(v)
		}
	})
	b.Run("alloc=pool", func(b *testing.B) {
		var p pool.Pool[request]
		for b.Loop() {
			p.Put(p.Get())
		}
	})
}

// BenchmarkBurst measures a Get followed by a Put in a pool with many values. The time must not
// depend on the number of values, even in checked builds.
func BenchmarkBurst(b *testing.B) {
	for _, count := range []int{100, 1000, 8000} {
		b.Run(fmt.Sprintf("values=%d", count), func(b *testing.B) {
			var p pool.Pool[[64]byte]
			for range count {
				p.Put(new([64]byte))
			}
			for b.Loop() {
				p.Put(p.Get())
			}
		})
	}
}
