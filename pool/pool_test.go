package pool_test

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/hashmap"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/pool"
)

type request struct {
	id   int
	body []byte
}

func TestZeroPoolWorks(t *testing.T) {
	var p pool.Pool[request]
	for range 100 {
		r := p.Get()
		if r.id != 0 || r.body != nil {
			t.Fatalf("Get gave %+v, want a zeroed value", *r)
		}
		r.id, r.body = 1, []byte("x")
		p.Put(r)
	}
}

//coppice:ignore useafterput it looks at what Put left
func TestPutResetsAtOnce(t *testing.T) {
	var p pool.Pool[request]
	r := &request{7, []byte("secret")}
	p.Put(r)
	if r.id != 0 || r.body != nil {
		t.Errorf("after Put the value still holds %+v", *r)
	}
}

func TestNewAndResetAreCalled(t *testing.T) {
	made, reset := 0, 0
	p := &pool.Pool[request]{Options: pool.Options[request]{
		New:   func() *request { made++; return &request{body: make([]byte, 0, 64)} },
		Reset: func(r *request) { reset++; r.id, r.body = 0, r.body[:0] },
	}}
	for range 100 {
		r := p.Get()
		if r.id != 0 || len(r.body) != 0 || cap(r.body) != 64 {
			t.Fatalf("Get gave %+v", *r)
		}
		r.id, r.body = 1, append(r.body, "hello"...)
		p.Put(r)
	}
	most := 50 // a collection may empty the pool, but not every time
	if checks.Enabled {
		most = 80 // sixteen are in quarantine, and with -race a sync.Pool drops every fourth value
	}
	if reset != 100 || made == 0 || made > most {
		t.Errorf("New called %d times, Reset %d times in 100 rounds", made, reset)
	}
}

// A value above the limit is dropped, as golang/go #23199 requires for buffer pools.
func TestLargeValuesAreDropped(t *testing.T) {
	p := &pool.Pool[bytes.Buffer]{Options: pool.Options[bytes.Buffer]{
		Reset: (*bytes.Buffer).Reset, Size: (*bytes.Buffer).Cap, MaxSize: 1000,
	}}
	for i := range 200 {
		b := p.Get()
		if b.Cap() > 1000 {
			t.Fatalf("round %d: Get gave a buffer of %d bytes; MaxSize is 1000", i, b.Cap())
		}
		b.Grow(1 + i*17%2000)
		p.Put(b)
	}
}

// Put keeps a value of exactly MaxSize. It calls Size before Reset, which may change the size.
func TestSizeBeforeReset(t *testing.T) {
	p := &pool.Pool[request]{Options: pool.Options[request]{
		Reset: func(r *request) { r.body = nil }, Size: func(r *request) int { return len(r.body) }, MaxSize: 10,
	}}
	const fits, exceeds = 1, 2
	seen := map[int]int{}
	for range 100 {
		p.Put(&request{fits, make([]byte, 10)})
		p.Put(&request{exceeds, make([]byte, 11)})
		seen[p.Get().id]++
		seen[p.Get().id]++
	}
	if seen[fits] == 0 || seen[exceeds] > 0 {
		t.Errorf("%d values of MaxSize and %d larger ones were kept, want some and none", seen[fits], seen[exceeds])
	}
}

func TestValuesAreReused(t *testing.T) {
	var p pool.Pool[request]
	first := make(map[*request]bool)
	reused := 0
	for range 100 {
		r := p.Get()
		if first[r] {
			reused++
		}
		first[r] = true
		p.Put(r)
	}
	if reused == 0 {
		t.Error("100 rounds of Get and Put never saw a value again")
	}
}

func TestGetAndPutDoNotAllocate(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds keep a list of places")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties a sync.Pool
	var p pool.Pool[request]
	p.Put(new(request))
	if allocs := testing.AllocsPerRun(1000, func() { p.Put(p.Get()) }); allocs != 0 {
		t.Errorf("a Get and a Put cost %v allocations", allocs)
	}
}

func TestNoTwoOwnersAtOnce(t *testing.T) {
	var p pool.Pool[request]
	var wg sync.WaitGroup
	for id := range 8 {
		wg.Go(func() {
			for range 2000 {
				a, b := p.Get(), p.Get()
				a.id, b.id = id+1, -id-1
				if a.id != id+1 || b.id != -id-1 {
					t.Errorf("goroutine %d found %d and %d in its values", id, a.id, b.id)
				}
				p.Put(b)
				p.Put(a)
			}
		})
	}
	wg.Wait()
}

func TestValueWhoseResetPanicsIsNotKept(t *testing.T) {
	p := &pool.Pool[request]{Options: pool.Options[request]{Reset: func(r *request) {
		if r.id == 13 {
			panic("reset failed")
		}
	}}}
	if got := panicOf(func() { p.Put(&request{id: 13}) }); got != "reset failed" {
		t.Fatalf("Put said %q", got)
	}
	for range 40 {
		r := p.Get()
		if r.id == 13 {
			t.Fatal("the value whose Reset panicked came back")
		}
		p.Put(r)
	}
}

func TestZeroSizeValues(t *testing.T) {
	var p pool.Pool[struct{}]
	for range 50 {
		a, b := p.Get(), p.Get()
		p.Put(a)
		p.Put(b)
	}
}

func TestMisusePanics(t *testing.T) {
	for want, f := range map[string]func(){
		"pool.Pool.Put: nil *pool_test.request": func() { new(pool.Pool[request]).Put(nil) },
		"pool.Pool.Get: negative MaxSize -1":    func() { (&pool.Pool[request]{Options: pool.Options[request]{MaxSize: -1}}).Get() },
		"pool.Pool.Put: MaxSize and Size need":  func() { (&pool.Pool[request]{Options: pool.Options[request]{MaxSize: 1}}).Put(new(request)) },
		"pool.Pool.Put: MaxSize and Size need each other": func() {
			(&pool.Pool[request]{Options: pool.Options[request]{Size: func(*request) int { return 1 }}}).Put(new(request))
		},
		"pool.Pool.Get: Options.New of a Pool[pool_test.request] returned nil": func() {
			(&pool.Pool[request]{Options: pool.Options[request]{New: func() *request { return nil }}}).Get()
		},
	} {
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("panic %q, want %q...", got, want)
		}
	}
}

//coppice:ignore useafterput it wants the panics
func TestCheckedBuildsCatchMisuse(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	const place = ` Put at .*pool_test\.go:\d+$`
	for name, c := range map[string]struct {
		want   string
		misuse func(p *pool.Pool[request], r *request)
	}{
		"second Put":               {`^pool\.Pool\.Put: this \*pool_test\.request was already` + place, func(p *pool.Pool[request], r *request) { p.Put(r); p.Put(r) }},
		"write seen by Get":        {`^pool\.Pool\.Get: a \*pool_test\.request was written after it was` + place, func(p *pool.Pool[request], r *request) { p.Put(r); r.id = 1; p.Get() }},
		"write seen by Put":        {`^pool\.Pool\.Put: a \*pool_test\.request was written after it was` + place, func(p *pool.Pool[request], r *request) { p.Put(r); r.id = 1; p.Put(new(request)) }},
		"second Put among others":  {`already` + place, func(p *pool.Pool[request], r *request) { p.Put(r); p.Put(new(request)); p.Put(r) }},
		"second Put after a write": {`already` + place, func(p *pool.Pool[request], r *request) { p.Put(r); r.id = 1; p.Put(r) }},
	} {
		var p pool.Pool[request]
		got := panicOf(func() { c.misuse(&p, p.Get()) })
		if ok, _ := regexp.MatchString(c.want, got); !ok {
			t.Errorf("%s: panic %q, want %q", name, got, c.want)
		}
	}
}

// In checked builds, a value is quarantined before it gets a new owner. Otherwise the writes of the
// new owner would hide a stale write. A second Put does not reset the value again.
func TestValuesRest(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	resets := 0
	p := &pool.Pool[request]{Options: pool.Options[request]{Reset: func(*request) { resets++ }}}
	r := p.Get()
	p.Put(r)
	for range 16 {
		if p.Get() == r {
			t.Fatal("a value has a new owner at once")
		}
	}
	if panicOf(func() { p.Put(r) }) == "no panic" || resets != 1 { //coppice:ignore useafterput the second Put must panic
		t.Errorf("a second Put reset the value %d times more", resets-1)
	}
}

// panicOf returns the panic value of f, or "no panic".
func panicOf(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return "no panic"
}

// Without Options.Reset, Put calls the Reset method of the value, so that a buffer keeps its
// memory. A value without such a method is zeroed.
func TestPutCallsTheValuesOwnReset(t *testing.T) {
	var buffers pool.Pool[bytes.Buffer]
	b := buffers.Get()
	b.Write(make([]byte, 1000))
	buffers.Put(b)
	if b.Len() != 0 || b.Cap() < 1000 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Errorf("the buffer has length %d and capacity %d", b.Len(), b.Cap()) //coppice:ignore useafterput as above
	}
	var counted pool.Pool[countsResets]
	c := counted.Get()
	counted.Put(c)
	if c.resets != 1 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Errorf("Reset was called %d times", c.resets) //coppice:ignore useafterput as above
	}
	own := pool.Pool[countsResets]{Options: pool.Options[countsResets]{Reset: func(*countsResets) {}}}
	d := own.Get()
	own.Put(d)
	if d.resets != 0 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Error("Options.Reset does not replace the method")
	}
	var zeroed pool.Pool[[2]int]
	e := zeroed.Get()
	e[1] = 7
	zeroed.Put(e)
	if e[1] != 0 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Error("a value without a method Reset is not zeroed")
	}
}

// Put calls the Clear method of a container, which has no Reset method, because a zeroed map would
// be unusable. If a value has both methods, Put calls Reset.
func TestPutCallsTheValuesOwnClear(t *testing.T) {
	maps := pool.Pool[hashmap.Map[string, uint64]]{Options: pool.Options[hashmap.Map[string, uint64]]{New: func() *hashmap.Map[string, uint64] {
		return hashmap.Must(hashmap.New[string, uint64](hashmap.Options{}))
	}}}
	m := maps.Get()
	defer m.Close()
	m.Set("ash", 1)
	maps.Put(m)
	if m.Len() != 0 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Error("the map is not empty")
	}
	var both pool.Pool[resetsAndClears]
	b := both.Get()
	both.Put(b)
	if b.countsResets.resets != 1 || b.clears != 0 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Errorf("%+v", *b) //coppice:ignore useafterput as above
	}
	type session struct {
		countsClears
		user string
	}
	var sessions pool.Pool[session]
	s := sessions.Get()
	s.user = "ash"
	sessions.Put(s)
	if s.user != "" || s.clears != 0 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Errorf("the next owner sees %+v", *s) //coppice:ignore useafterput as above
	}
}

// Put does not call the Reset method of an embedded field, because it would leave the other fields
// unchanged for the next owner. The struct is zeroed instead.
func TestPutZeroesAStructWithAnEmbeddedBuffer(t *testing.T) {
	type session struct {
		bytes.Buffer
		user string
	}
	var sessions pool.Pool[session]
	s := sessions.Get()
	s.user = "ash"
	s.WriteString("secret")
	sessions.Put(s)
	if s.user != "" || s.Len() != 0 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Errorf("the next owner sees user %q", s.user) //coppice:ignore useafterput as above
	}
}

type countsResets struct{ resets int }

func (c *countsResets) Reset() { c.resets++ }

type countsClears struct{ clears int }

func (c *countsClears) Clear() { c.clears++ }

type resetsAndClears struct {
	countsResets countsResets
	clears       int
}

func (r *resetsAndClears) Reset() { r.countsResets.Reset() }

func (r *resetsAndClears) Clear() { r.clears++ }
