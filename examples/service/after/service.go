// Package after is the service of package before, after three changes:
//
//  1. The index is a hashmap.Map of records without pointers, and the names of brands and colors
//     are symbols. The collector scans none of it.
//  2. The nodes of a condition are in an arena, which later requests reuse.
//  3. The cache is a cache.Cache, with a limit in bytes and a lock for each of its shards.
//
// Package encoding/json reads and writes JSON, as before. The containers are in a metrics.Set,
// which GET /watch prints in the format of expvar.
package after

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/cache"
	"github.com/coppice-go/coppice/examples/service/shop"
	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/metrics"
	"github.com/coppice-go/coppice/metrics/expvars"
	"github.com/coppice-go/coppice/symbols"
)

// cacheBytes is the memory limit of the cache.
const cacheBytes = 16 << 20

// A record is shop.Goods without its SKU, which is the key, and without pointers.
type record struct {
	brand, color symbols.Symbol
	price, stock int32
}

type service struct {
	goods  *hashmap.Map[string, record] // not changed after New, so any goroutine may read it
	names  *symbols.Table
	cached *cache.Cache[string, []byte] // responses by request body
	arenas arena.Pool
}

// New returns the service for a catalog, and a function that closes it. No request may be running
// when that function is called.
func New(catalog []shop.Goods) (http.Handler, func() error, error) {
	s := new(service)
	var err1, err2, err3 error
	s.goods, err1 = hashmap.New[string, record](hashmap.Options{Name: "goods"})
	s.names, err2 = symbols.New(symbols.Options{Name: "names"})
	s.cached, err3 = cache.New[string, []byte](cache.Options{Name: "answers", MaxBytes: cacheBytes})
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, err // the containers stay open, because the program exits
	}
	for _, g := range catalog {
		s.goods.Set(g.SKU, record{s.names.Intern(g.Brand), s.names.Intern(g.Color), int32(g.Price), int32(g.Stock)})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /search", s.search)
	watched := new(metrics.Set)
	watched.Add("answers", metrics.Cache(s.cached))
	watched.Add("names", metrics.Symbols(s.names))
	watched.Add("goods", metrics.Locked(new(sync.Mutex), s.goods)) // goods changes only on close
	mux.HandleFunc("GET /watch", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, expvars.Var(watched).String())
	})
	return mux, s.close, nil
}

func (s *service) close() error {
	return errors.Join(s.goods.Close(), s.names.Close(), s.cached.Close())
}

func (s *service) search(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	text, ok := s.cached.Get(string(body))
	if !ok {
		if text, err = s.answer(body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = s.cached.Set(string(body), text) // an answer too large to keep is computed again
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

func (s *service) answer(body []byte) ([]byte, error) {
	var search shop.Search
	if err := json.Unmarshal(body, &search); err != nil {
		return nil, err
	}
	a := s.arenas.Get()
	defer s.arenas.Put(a) // the condition does not escape from this function
	where, err := parse(a, s.names, search.Where)
	if err != nil {
		return nil, err
	}
	answer := shop.Answer{Goods: make([]shop.Goods, 0, len(search.SKUs))}
	for _, sku := range search.SKUs {
		g, ok := s.goods.Get(sku)
		if ok && where.holds(&g) {
			answer.Goods = append(answer.Goods, shop.Goods{
				SKU: sku, Brand: s.names.String(g.brand), Color: s.names.String(g.color), Price: int(g.price), Stock: int(g.stock),
			})
			answer.Total += int(g.price)
		}
	}
	return json.Marshal(answer)
}
