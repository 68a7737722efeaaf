package put

import (
	"bytes"
	"errors"
	"log"

	"github.com/coppice-go/coppice/pool"
)

func lastUse() string {
	b := buffers.Get()
	b.WriteString("ash")
	text := b.String()
	buffers.Put(b)
	return text
}

func deferred() string {
	b := buffers.Get()
	defer buffers.Put(b)
	b.WriteString("ash")
	return b.String()
}

func deferredOrder() {
	b := buffers.Get()
	defer buffers.Put(b)
	defer b.Reset()
}

func branchThatReturns(full bool) (int, error) {
	b := buffers.Get()
	if full {
		buffers.Put(b)
		return 0, errors.New("full")
	}
	n := b.Len()
	buffers.Put(b)
	return n, nil
}

func branchThatEnds(full bool) int {
	b := buffers.Get()
	if full {
		buffers.Put(b)
		log.Fatal("full")
	}
	return b.Len()
}

func sameCondition(keep bool) *bytes.Buffer {
	b := buffers.Get()
	if !keep {
		buffers.Put(b)
	}
	if keep {
		return b
	}
	return nil
}

func everyTurn(n int) {
	for range n {
		b := buffers.Get()
		b.WriteString("ash")
		buffers.Put(b)
	}
}

func reassigned() int {
	b := buffers.Get()
	buffers.Put(b)
	b = buffers.Get()
	defer buffers.Put(b)
	return b.Len()
}

func setNil(r *request) {
	buffers.Put(r.body)
	r.body = nil
}

func another() int {
	a, b := buffers.Get(), buffers.Get()
	buffers.Put(a)
	return b.Len()
}

func list(first *link, p *pool.Pool[link]) {
	for first != nil {
		next := first.next
		p.Put(first)
		first = next
	}
}

type link struct{ next *link }

func compared(r *request) bool {
	b := buffers.Get()
	buffers.Put(b)
	return r.body == b
}

func numbers(n int) int {
	slices.Put(n)
	return n
}

func measured() int {
	s := slices.Get().([]byte)
	slices.Put(s)
	return len(s)
}

func loopedBatch(all []*bytes.Buffer) (sum int) {
	for _, b := range all {
		buffers.Put(b)
	}
	for range all {
		sum++
	}
	return sum
}

func switched(kind int) int {
	b := buffers.Get()
	switch kind {
	case 0:
		buffers.Put(b)
	case 1:
		n := b.Len()
		buffers.Put(b)
		return n
	}
	return 0
}

func wanted() int {
	b := buffers.Get()
	buffers.Put(b)
	//coppice:ignore useafterput it shows what the reset left
	return b.Len()
}

func deferredLater(keep bool) *bytes.Buffer {
	b := buffers.Get()
	if keep {
		return b
	}
	defer buffers.Put(b)
	b.WriteString("ash")
	return nil
}
