// Package put has what rule useafterput must report.
package put

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/coppice-go/coppice/pool"
)

var (
	buffers pool.Pool[bytes.Buffer]
	plain   = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	slices  sync.Pool
)

type request struct {
	body *bytes.Buffer
	id   int
}

func read() string {
	b := buffers.Get()
	b.WriteString("ash")
	buffers.Put(b)
	return b.String() // want `this value is used after Put in line 26 gave it to the pool`
}

func twice() {
	b := buffers.Get()
	buffers.Put(b)
	buffers.Put(b) // want `this value is put a second time: Put in line 32`
}

func standard() string {
	b := plain.Get().(*bytes.Buffer)
	plain.Put(b)
	return b.String() // want `used after Put`
}

func checked() {
	b, ok := plain.Get().(*bytes.Buffer)
	if !ok {
		return
	}
	plain.Put(b)
	b.Reset() // want `used after Put`
}

func returned() *bytes.Buffer {
	b := buffers.Get()
	defer buffers.Put(b)
	b.WriteString("ash")
	return b // want `this value is returned, and the deferred Put in line 53`
}

func both() {
	b := buffers.Get()
	defer buffers.Put(b) // want `put a second time: Put in line 62`
	b.WriteString("ash")
	buffers.Put(b)
}

func field(p *pool.Pool[request], r *request) int {
	p.Put(r)
	return r.id // want `used after Put`
}

func oneBranch(full bool) int {
	b := buffers.Get()
	if full {
		buffers.Put(b)
	}
	return b.Len() // want `used after Put`
}

func loop(n int) {
	b := buffers.Get()
	for range n {
		b.WriteString("ash") // want `used after Put`
		buffers.Put(b)       // want `put a second time`
	}
}

func slice() byte {
	s := slices.Get().([]byte)
	slices.Put(s[:0])
	return s[0] // want `used after Put`
}

func grown() []byte {
	s := slices.Get().([]byte)
	s = append(s, "ash"...)
	slices.Put(s)
	return s // want `used after Put`
}

func goroutine() {
	b := buffers.Get()
	buffers.Put(b)
	go fmt.Println(b) // want `used after Put`
}

func sent(out chan *bytes.Buffer) {
	b := buffers.Get()
	buffers.Put(b)
	out <- b // want `used after Put`
}

func captured() int {
	b := buffers.Get()
	fill := func() { b.WriteString("ash") }
	fill()
	buffers.Put(b)
	return b.Len() // want `used after Put`
}

func stored(r *request) {
	b := buffers.Get()
	buffers.Put(b)
	r.body = b // want `used after Put`
}

func fromField(r *request) int {
	b := r.body
	buffers.Put(b)
	return b.Len() // want `used after Put`
}
