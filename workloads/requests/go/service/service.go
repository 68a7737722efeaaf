// Package service is an HTTP service that evaluates sheets, with or without arenas. It is also a
// worked example of an arena per request:
//
//  1. get an arena from a pool when the request arrives, and put it back when the answer is
//     complete;
//  2. allocate in it all memory that is freed with the request: here the text of the body, the
//     tree, and the values;
//  3. let no pointer into it escape: the answer is appended to a buffer, errors are formatted, and
//     the only text that outlives the request, the title, is cloned;
//  4. bound the memory of a pooled arena, so that one large request pins no memory.
//
// Comments in evaluate.go and New refer to these numbers. Without arenas the same code allocates
// from the Go heap.
package service

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/workloads/requests/go/sheet"
)

// Options configures a Service.
type Options struct {
	Prices  sheet.Prices // prices of the catalog
	Memory  Memory
	MaxBody int64 // in bytes; larger bodies are refused
}

// Memory selects the allocation of a request's text, tree and values.
type Memory int

const (
	// GoHeap allocates with new, append and string(b).
	GoHeap Memory = iota
	// Arena allocates in a pooled arena, which is reset after each request.
	Arena
)

// These are the maximum sizes of pooled objects in bytes. Larger objects are dropped.
const (
	keptExchange = 1 << 20
	keptArena    = 8 << 20
)

// A Service answers POST /evaluate with the results of the sheet in the body, as JSON, and GET
// /titles with the titles of the newest sheets. It is safe for concurrent use.
type Service struct {
	options   Options
	mux       http.ServeMux
	exchanges *pool.Pool[exchange]
	arenas    *arena.Pool // nil if arenas are not used
	titles    titles
}

// An exchange is the body of a request and the answer to it, in buffers that are pooled
// with arenas and without.
type exchange struct {
	body   bytes.Buffer
	answer []byte
}

// New returns a Service.
func New(options Options) *Service {
	s := &Service{options: options}
	s.exchanges = &pool.Pool[exchange]{Options: pool.Options[exchange]{
		Reset:   func(x *exchange) { x.body.Reset(); x.answer = x.answer[:0] },
		Size:    func(x *exchange) int { return x.body.Cap() + cap(x.answer) },
		MaxSize: keptExchange,
	}}
	if options.Memory != GoHeap {
		s.arenas = &arena.Pool{Options: arena.Options{Keep: keptArena}} // 4: the memory limit
	}
	s.mux.HandleFunc("POST /evaluate", s.evaluate)
	s.mux.HandleFunc("GET /titles", s.listTitles)
	return s
}

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// titles contains the titles of the sheets that were evaluated last.
type titles struct {
	mutex  sync.Mutex
	newest [16]string
	count  int
}

func (t *titles) add(title string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.newest[t.count%len(t.newest)] = title
	t.count++
}

// listTitles writes a line for each title, the newest first.
func (s *Service) listTitles(w http.ResponseWriter, _ *http.Request) {
	t := &s.titles
	t.mutex.Lock()
	defer t.mutex.Unlock()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for i := t.count - 1; i >= max(0, t.count-len(t.newest)); i-- {
		if _, err := io.WriteString(w, t.newest[i%len(t.newest)]+"\n"); err != nil {
			return // the client has gone
		}
	}
}
