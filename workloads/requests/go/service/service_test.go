package service

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/workloads/requests/go/catalog"
	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

const maxBody = 1 << 20

// prices returns the catalog that all tests share. The tests only read it.
var prices = sync.OnceValue(func() func(string) (int64, bool) { return catalog.New().Price })

// ways contains all kinds of memory.
var ways = map[string]Memory{"go heap": GoHeap, "arena": Arena}

func inEachWay(t *testing.T, test func(*testing.T, *Service)) {
	for name, memory := range ways {
		t.Run(name, func(t *testing.T) {
			test(t, New(Options{Prices: prices(), Memory: memory, MaxBody: maxBody}))
		})
	}
}

// send sends a request to the service and returns the status and the body of the response.
func send(s http.Handler, method, path string, body io.Reader) (status int, answer string) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, body))
	return w.Code, w.Body.String()
}

func evaluate(s http.Handler, sheet string) (status int, answer string) {
	return send(s, "POST", "/evaluate", strings.NewReader(sheet))
}

// TestCorpus verifies that the service gives the answers in the corpus with every kind of memory.
func TestCorpus(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 16
	}
	inEachWay(t, func(t *testing.T, s *Service) {
		for i := 0; i < corpus.Count; i += step {
			sheet := corpus.New(i)
			if status, got := evaluate(s, string(sheet.Source)); status != 200 || got != string(sheet.Answer) {
				t.Fatalf("sheet %d: status %d, answer\n%.300s\nwant\n%.300s", i, status, got, sheet.Answer)
			}
		}
	})
}

// unreadable is a request body whose connection breaks.
type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestRefusals(t *testing.T) {
	inEachWay(t, func(t *testing.T, s *Service) {
		for _, c := range []struct {
			method, path string
			body         io.Reader
			status       int
			answer       string
		}{
			{"POST", "/evaluate", strings.NewReader("let a = ;"), 400, "line 1, column 9: want an expression, and here is \";\"\n"},
			{"POST", "/evaluate", strings.NewReader("let a = 1 / 0;"), 400, "line 1, column 11: division by zero\n"},
			{"POST", "/evaluate", strings.NewReader("\xff"), 400, "line 1, column 1: this is not UTF-8\n"},
			{"POST", "/evaluate", strings.NewReader(strings.Repeat(" ", maxBody+1)), 413, "the sheet has more than 1048576 bytes\n"},
			{"POST", "/evaluate", strings.NewReader(strings.Repeat(" ", maxBody)), 200, "{}\n"},
			{"POST", "/evaluate", unreadable{}, 400, "the body cannot be read: unexpected EOF\n"},
			{"POST", "/evaluate", strings.NewReader(""), 200, "{}\n"},
			{"GET", "/evaluate", nil, 405, "Method Not Allowed\n"},
			{"POST", "/", nil, 404, "404 page not found\n"},
		} {
			if status, got := send(s, c.method, c.path, c.body); status != c.status || got != c.answer {
				t.Errorf("%s %s: status %d, answer %q; want %d, %q", c.method, c.path, status, got, c.status, c.answer)
			}
		}
	})
}

// TestNothingOutlivesItsArena verifies that answers and errors are not stored in the arena of their
// request: later requests must not change them.
func TestNothingOutlivesItsArena(t *testing.T) {
	inEachWay(t, func(t *testing.T, s *Service) {
		answerOf := func(sheet string) (*exchange, error) {
			x := s.exchanges.Get()
			x.body.WriteString(sheet)
			return x, s.answer(x)
		}
		kept, err := answerOf(`title "first \"title\""; show a = upper("kept") + "!"; show b = {c: [1, "\n"]};`)
		if err != nil {
			t.Fatal(err)
		}
		_, mistake := answerOf(`let kept = unknown_name_that_is_quoted;`)
		_, wrong := answerOf(`let a = price("kept" + " sku");`)
		for i := range 40 {
			if _, err := answerOf(fmt.Sprintf(`title "overwritten"; show x = upper("%s") + text(%d);`, strings.Repeat("y", 10*i), i)); err != nil {
				t.Fatal(err)
			}
		}
		if want := `{"a":"KEPT!","b":{"c":[1,"\n"]}}` + "\n"; string(kept.answer) != want {
			t.Errorf("the answer is now %q, want %q", kept.answer, want)
		}
		if want := `line 1, column 12: nothing above is called "unknown_name_that_is_quoted"`; fmt.Sprint(mistake) != want {
			t.Errorf("the error is now %v, want %s", mistake, want)
		}
		if want := `line 1, column 22: the catalog has no "kept sku"`; fmt.Sprint(wrong) != want {
			t.Errorf("the error is now %v, want %s", wrong, want)
		}
		if status, got := send(s, "GET", "/titles", nil); status != 200 || got != strings.Repeat("overwritten\n", 16) {
			t.Errorf("titles: status %d, %q", status, got)
		}
	})
}

// TestTitles verifies that the service keeps copies of the titles, which it needs after the
// requests have ended.
func TestTitles(t *testing.T) {
	inEachWay(t, func(t *testing.T, s *Service) {
		var want string
		for i := range 10 {
			title := fmt.Sprintf("sheet %d", i)
			want = title + "\n" + want
			if status, answer := evaluate(s, fmt.Sprintf(`title "%s";`, title)); status != 200 {
				t.Fatalf("status %d, %s", status, answer)
			}
			evaluate(s, `let a = "`+strings.Repeat("z", 100*i)+`";`)
		}
		if _, got := send(s, "GET", "/titles", nil); got != want {
			t.Errorf("titles\n%s\nwant\n%s", got, want)
		}
	})
}

// TestLargeRequestPinsNothing verifies that after a large request, the pools keep neither its arena
// nor its buffers.
func TestLargeRequestPinsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("requests of 600 KB")
	}
	inEachWay(t, func(t *testing.T, s *Service) {
		large := "let a = [" + strings.Repeat("[1],", 150_000) + "]; show b = count(a);"
		for range 3 {
			if status, got := evaluate(s, large); status != 200 || got != "{\"b\":150000}\n" {
				t.Fatalf("status %d, %.100q", status, got)
			}
			if s.arenas != nil {
				if a := s.arenas.Get(); a.Size() > keptArena {
					t.Errorf("the pool gave an arena that holds %d bytes", a.Stats().Size)
				}
			}
			if x := s.exchanges.Get(); x.body.Cap()+cap(x.answer) > keptExchange {
				t.Errorf("the pool gave buffers of %d and %d bytes", x.body.Cap(), cap(x.answer))
			}
		}
	})
}

// TestManyAtOnce verifies that concurrent requests do not share an arena.
func TestManyAtOnce(t *testing.T) {
	count := 64
	if testing.Short() {
		count = 8
	}
	sheets := corpus.First(count)
	inEachWay(t, func(t *testing.T, s *Service) {
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for i := range sheets {
					if status, got := evaluate(s, string(sheets[i].Source)); status != 200 || got != string(sheets[i].Answer) {
						t.Errorf("sheet %d: status %d", i, status)
					}
					if status, _ := evaluate(s, "let a"); status != 400 {
						t.Errorf("a mistake gave status %d", status)
					}
				}
			})
		}
		wait.Wait()
	})
}

// TestArenaTakesTheAllocations verifies that with an arena, requests of a steady size do not
// allocate their trees and values on the Go heap.
func TestArenaTakesTheAllocations(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds let memory rest, and remember places")
	}
	source := string(corpus.New(5).Source)
	allocs := map[Memory]float64{}
	for _, memory := range ways {
		s := New(Options{Prices: prices(), Memory: memory, MaxBody: maxBody})
		allocs[memory] = testing.AllocsPerRun(50, func() { evaluate(s, source) })
	}
	if allocs[GoHeap] < 1000 || allocs[Arena] > 100 {
		t.Errorf("a request costs %v allocations from the Go heap, and %v with an arena", allocs[GoHeap], allocs[Arena])
	}
}
