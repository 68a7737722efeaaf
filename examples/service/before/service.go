// Package before is the service as it is usually written. The index is a map of pointers, each part
// of a condition is a node on the Go heap, and the cache is a map.
package before

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/coppice-go/coppice/examples/service/shop"
)

// mostCached is the maximum number of cached answers. Their size is not limited.
const mostCached = 10_000

type service struct {
	goods map[string]*shop.Goods

	mu     sync.Mutex
	cached map[string][]byte // responses by request body
}

// New returns the service for a catalog, and a function that closes it.
func New(catalog []shop.Goods) (http.Handler, func() error, error) {
	s := &service{goods: map[string]*shop.Goods{}, cached: map[string][]byte{}}
	for _, g := range catalog {
		s.goods[g.SKU] = &g
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /search", s.search)
	return mux, func() error { return nil }, nil
}

func (s *service) search(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	text, ok := s.cached[string(body)]
	s.mu.Unlock()
	if !ok {
		if text, err = s.answer(body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.keep(string(body), text)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

// keep adds an answer to the cache. If the cache is full, it first removes an arbitrary entry.
func (s *service) keep(body string, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cached) >= mostCached {
		for old := range s.cached {
			delete(s.cached, old)
			break
		}
	}
	s.cached[body] = text
}

func (s *service) answer(body []byte) ([]byte, error) {
	var search shop.Search
	if err := json.Unmarshal(body, &search); err != nil {
		return nil, err
	}
	where, err := parse(search.Where)
	if err != nil {
		return nil, err
	}
	answer := shop.Answer{Goods: []shop.Goods{}}
	for _, sku := range search.SKUs {
		if g := s.goods[sku]; g != nil && where.holds(g) {
			answer.Goods = append(answer.Goods, *g)
			answer.Total += g.Price
		}
	}
	return json.Marshal(answer)
}
