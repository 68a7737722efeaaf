package load

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-go/coppice/workloads/requests/go/corpus"
)

// known starts a server that looks up the answer to each sheet in a table, and calls before for
// each request. It returns the server's address.
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
	requests := 700 // more than the number of sheets, so some repeat
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

// TestOpenLoopCountsAPause verifies that a pause of the service slows down only one request in the
// closed loop, but increases the latencies of all requests that have to wait in the open loop. The
// test uses a fake clock, on which only the pause takes time.
func TestOpenLoopCountsAPause(t *testing.T) {
	const requests, at, rate, pause = 400, 39, 1000, 500 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		closed := overPipes(t, Plan{Requests: requests, Connections: 1}, at, pause)
		if closed.Max != pause.Seconds() || closed.P999 != 0 || closed.Seconds != pause.Seconds() {
			t.Errorf("the closed loop saw %+v", closed)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		open := overPipes(t, Plan{Requests: requests, Connections: 4, Rate: rate}, at, pause)
		times := arrivals(requests, rate)
		want := make([]float64, requests) // how long each request waits until the pause ends
		for i := at; i < requests; i++ {
			want[i] = max(0, times[at]+pause-times[i]).Seconds()
		}
		slices.Sort(want)
		if open.Max != pause.Seconds() || open.P50 != want[(requests-1)/2] || open.P50 < pause.Seconds()/10 || open.P99 != want[(requests-1)*99/100] {
			t.Errorf("the open loop saw %+v, want a median of %v", open, want[(requests-1)/2])
		}
	})
}

// overPipes carries out the plan over pipes. The service on the other side answers one request at a
// time and pauses once, before the request whose index is given.
func overPipes(t *testing.T, p Plan, at int, pause time.Duration) Result {
	t.Helper()
	answers := map[string][]byte{}
	for _, s := range corpus.First(p.Requests) {
		answers[string(s.Source)] = s.Answer
	}
	turn := make(chan int, 1) // the index of the next request
	turn <- 0
	connections := make([]*connection, 0, p.Connections)
	for range p.Connections {
		ours, theirs := net.Pipe()
		connections = append(connections, newConnection(ours))
		go func() {
			defer theirs.Close()
			for requests := bufio.NewReader(theirs); ; {
				r, err := http.ReadRequest(requests)
				if err != nil {
					return // the load has closed the pipe
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				n := <-turn
				if n == at {
					time.Sleep(pause)
				}
				turn <- n + 1
				answer := answers[string(body)]
				fmt.Fprintf(theirs, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
			}
		}()
	}
	defer closeAll(connections)
	p.Address = "pipe"
	r := &run{Plan: p, sleep: time.Sleep}
	result, err := r.over(connections)
	if err != nil {
		t.Fatal(err)
	}
	return result
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
