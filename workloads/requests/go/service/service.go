// Package service is an HTTP service that evaluates sheets, written for both ways of
// allocation, and the worked example of an arena per request:
//
//  1. take an arena from a pool when the request is there, and give it back when the
//     answer is complete;
//  2. take from it what dies with the request: here the text of the body, the tree, and
//     the values;
//  3. let nothing of it out: the answer is appended to a buffer, errors are formatted, and
//     the one text that outlives the request, the title, is cloned;
//  4. bound what a pooled arena may hold, so that one large request pins no memory.
//
// The numbers stand where the code does so, in evaluate.go and New. Without arenas the
// same code allocates from the Go heap, as any service does.
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

// Options sets what a Service does.
type Options struct {
	Prices  sheet.Prices // of the catalog
	Memory  Memory
	MaxBody int64 // bytes; larger bodies are refused
}

// Memory is where a request's text, tree and values come from.
type Memory int

const (
	// GoHeap is new, append and string(b).
	GoHeap Memory = iota
	// Arena is a pooled arena that Reset makes ready for the next request.
	Arena
)

// What the pools keep at most of what they get back, in bytes.
const (
	keptExchange = 1 << 20
	keptArena    = 8 << 20
)

// A Service answers POST /evaluate with what the sheet in the body comes to, in JSON, and
// GET /titles with the titles of the newest sheets. Any number of goroutines may use it
// at once.
type Service struct {
	options   Options
	mux       http.ServeMux
	exchanges *pool.Pool[exchange]
	arenas    *pool.Pool[arena.Arena] // nil without arenas
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
	s.exchanges = pool.New(pool.Options[exchange]{
		Reset:   func(x *exchange) { x.body.Reset(); x.answer = x.answer[:0] },
		Size:    func(x *exchange) int { return x.body.Cap() + cap(x.answer) },
		MaxSize: keptExchange,
	})
	if options.Memory != GoHeap {
		s.arenas = pool.New(pool.Options[arena.Arena]{
			Reset:   (*arena.Arena).Reset,
			Size:    func(a *arena.Arena) int { return int(a.Stats().Held) }, // 4: the bound
			MaxSize: keptArena,
		})
	}
	s.mux.HandleFunc("POST /evaluate", s.evaluate)
	s.mux.HandleFunc("GET /titles", s.listTitles)
	return s
}

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// titles are those of the newest sheets that were evaluated.
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
