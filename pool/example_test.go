package pool_test

import (
	"bytes"
	"fmt"

	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
)

// buffers is a pool of buffers of up to 64 KiB. Larger buffers are left to the garbage collector.
var buffers = &pool.Pool[bytes.Buffer]{Options: pool.Options[bytes.Buffer]{
	Reset:   (*bytes.Buffer).Reset,
	Size:    (*bytes.Buffer).Cap,
	MaxSize: 64 << 10,
}}

func Example() {
	b := buffers.Get()
	defer buffers.Put(b)
	b.WriteString("hello")
	fmt.Println(b)
	// Output: hello
}

// A pool can contain slabs. Each request then builds its tree in memory that an earlier request has
// used.
func Example_slab() {
	type node struct{ left, right *node }
	slabs := &pool.Pool[slab.Slab[node]]{Options: pool.Options[slab.Slab[node]]{Reset: (*slab.Slab[node]).Reset}}

	handle := func() int {
		s := slabs.Get()
		defer slabs.Put(s)
		root := s.New()
		root.left, root.right = s.New(), s.New()
		return s.Len()
	}
	fmt.Println(handle(), handle())
	// Output: 3 3
}

func ExampleOptions() {
	p := &pool.Pool[[]string]{Options: pool.Options[[]string]{
		New:   func() *[]string { s := make([]string, 0, 8); return &s },
		Reset: func(s *[]string) { clear(*s); *s = (*s)[:0] },
	}}
	fmt.Println(len(*p.Get()), cap(*p.Get()))
	// Output: 0 8
}

func ExamplePool_Get() {
	var p pool.Pool[[4]int]
	fmt.Println(*p.Get())
	// Output: [0 0 0 0]
}

func ExamplePool_Put() {
	var p pool.Pool[[4]int]
	v := p.Get()
	v[0] = 1
	p.Put(v) // zeroes *v; v belongs to the pool now
	fmt.Println(*p.Get())
	// Output: [0 0 0 0]
}
