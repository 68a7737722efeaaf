package main

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/examples/service/shop"
)

const (
	// benchmarked is the number of goods in the catalogs of the benchmark. There are so many goods
	// that the garbage collector takes noticeable time to mark them.
	benchmarked = 100_000
	// searched is the number of different searches in the benchmark.
	searched = 1000
)

var answered string // the answer to the last search

// BenchmarkSearch measures how long each form of the service takes to answer a search, without a
// network. Each request contains a different number, so that no answer comes from the cache.
func BenchmarkSearch(b *testing.B) {
	searches := bodies(b)
	for _, form := range []string{"before", "after"} {
		b.Run("form="+form, func(b *testing.B) {
			handler, closeIt, err := forms[form](shop.Catalog(benchmarked))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				if err := closeIt(); err != nil {
					b.Error(err)
				}
			})
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				answered = answer(b, handler, searches[n%searched], n)
				n++
			}
		})
	}
}

// bodies returns the JSON bodies of the searches without the opening brace, so that answer can
// insert a field.
func bodies(b *testing.B) []string {
	b.Helper()
	random := rand.New(rand.NewPCG(9, 10))
	all := make([]string, searched)
	for i := range all {
		body, err := json.Marshal(shop.Draw(random, benchmarked))
		if err != nil {
			b.Fatal(err)
		}
		all[i] = strings.TrimPrefix(string(body), "{")
	}
	return all
}

// answer posts search number n, and returns the answer. It inserts a field with n, which both forms
// of the service ignore, into the body.
func answer(b *testing.B, handler http.Handler, search string, n int) string {
	b.Helper()
	request, err := http.NewRequest(http.MethodPost, "/search", strings.NewReader(`{"number":`+strconv.Itoa(n)+","+search))
	if err != nil {
		b.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		b.Fatalf("search %d: %d %s", n, recorder.Code, recorder.Body)
	}
	return recorder.Body.String()
}
