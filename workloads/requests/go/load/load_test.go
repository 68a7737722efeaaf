package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

// known is a service that knows the sheets by heart; before is called first.
func known(t *testing.T, requests int, before func()) (address string) {
	t.Helper()
	answers := map[string][]byte{}
	for _, s := range corpus.First(requests) {
		answers[string(s.Source)] = s.Answer
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		before()
		if _, err := w.Write(answers[string(body)]); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestLoopsAgree(t *testing.T) {
	var count atomic.Int64
	requests := 700 // some sheets are sent twice
	if testing.Short() {
		requests = 100
	}
	address := known(t, requests, func() { count.Add(1) })
	var want uint64
	for i := range requests {
		want += Checksum(i, corpus.New(i%corpus.Count).Answer)
	}
	for _, rate := range []float64{0, 5000} {
		count.Store(0)
		r, err := Run(Plan{Address: address, Requests: requests, Connections: 4, Rate: rate})
		if err != nil {
			t.Fatal(err)
		}
		if r.Requests != requests || count.Load() != int64(requests) || r.Checksum != want {
			t.Errorf("rate %v: %d requests, %d arrived, checksum %x, want %x", rate, r.Requests, count.Load(), r.Checksum, want)
		}
		if r.Seconds <= 0 || r.P50 <= 0 || r.P50 > r.P99 || r.P99 > r.P999 || r.P999 > r.Max {
			t.Errorf("rate %v: %+v", rate, r)
		}
	}
}

// A pause of the service is one slow answer to the closed loop, and shows in the latencies
// of all the requests that it kept waiting to the open one.
func TestOpenLoopCountsAPause(t *testing.T) {
	const requests, pause = 400, 500 * time.Millisecond
	var mutex sync.Mutex
	seen := 0
	address := known(t, requests, func() {
		mutex.Lock()
		defer mutex.Unlock()
		if seen++; seen == requests/10 {
			time.Sleep(pause)
		}
	})
	closed, err := Run(Plan{Address: address, Requests: requests, Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	seen = 0
	open, err := Run(Plan{Address: address, Requests: requests, Connections: 4, Rate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if closed.Max < pause.Seconds() || closed.P50 > pause.Seconds()/10 {
		t.Errorf("the closed loop saw %+v", closed)
	}
	if open.Max < pause.Seconds() || open.P50 < pause.Seconds()/10 {
		t.Errorf("the open loop saw %+v", open)
	}
}

func TestWrongAnswers(t *testing.T) {
	for want, handler := range map[string]http.HandlerFunc{
		`wrong answer "{}", expected "{\"net\":`: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") },
		`400 Bad Request: "no\n"`:                func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 400) },
		`EOF`:                                    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		server := httptest.NewServer(handler)
		for _, rate := range []float64{0, 100} {
			_, err := Run(Plan{Address: strings.TrimPrefix(server.URL, "http://"), Requests: 100, Connections: 3, Rate: rate})
			if err == nil || !strings.HasPrefix(err.Error(), "request ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("rate %v: error %v, want %s", rate, err, want)
			}
		}
		server.Close()
	}
}

func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(nil)
	address := strings.TrimPrefix(server.URL, "http://")
	server.Close()
	if _, err := Run(Plan{Address: address, Requests: 1, Connections: 1}); err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("error %v", err)
	}
}

func TestArrivals(t *testing.T) {
	const count, rate = 10_000, 250
	times := arrivals(count, rate)
	if !slices.IsSorted(times) || times[0] < 0 {
		t.Error("the times do not go forward")
	}
	if all := times[count-1].Seconds(); all < 0.95*count/rate || all > 1.05*count/rate {
		t.Errorf("%d requests at %d a second take %v s", count, rate, all)
	}
	if !slices.Equal(times, arrivals(count, rate)) {
		t.Error("the times differ from call to call")
	}
}

func TestSleep(t *testing.T) {
	sleep(-time.Second)
	start := time.Now()
	if sleep(20 * time.Millisecond); time.Since(start) < 20*time.Millisecond {
		t.Errorf("slept %v", time.Since(start))
	}
}
