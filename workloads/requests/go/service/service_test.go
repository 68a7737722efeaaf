package service

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/workloads/requests/go/catalog"
	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

const maxBody = 1 << 20

// prices is shared by the tests: nobody writes to it.
var prices = sync.OnceValue(func() func(string) (int64, bool) { return catalog.New().Price })

// ways are the ways of allocation.
var ways = map[string]Memory{"go heap": GoHeap, "reset arena": ResetArena, "rewound arena": RewoundArena}

// post sends a sheet to the service and returns the status and the body of the answer.
func post(s http.Handler, body io.Reader) (status int, answer string) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", "/evaluate", body))
	return w.Code, w.Body.String()
}

// Both ways give the answers that the corpus computed by itself.
func TestCorpus(t *testing.T) {
	for name, memory := range ways {
		s := New(Options{Prices: prices(), Memory: memory, MaxBody: maxBody})
		for i := range corpus.Count {
			sheet := corpus.New(i)
			if status, got := post(s, strings.NewReader(string(sheet.Source))); status != 200 || got != string(sheet.Answer) {
				t.Fatalf("%s: sheet %d: status %d, answer\n%.300s\nwant\n%.300s", name, i, status, got, sheet.Answer)
			}
		}
	}
}
