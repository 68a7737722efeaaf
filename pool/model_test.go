package pool_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/pool"
)

// againstModel performs random operations on a Pool and compares it with a model, the set of values
// that have an owner. Get must return a clean value that has no owner and is not larger than
// MaxSize.
func againstModel(t *rapid.T) {
	const bound = 64
	p := &pool.Pool[request]{Options: pool.Options[request]{
		Reset:   func(r *request) { r.id, r.body = 0, r.body[:0] },
		Size:    func(r *request) int { return cap(r.body) },
		MaxSize: bound,
	}}
	owned := map[*request]int{}
	var order []*request
	last := 0 // the ID of the newest owner
	t.Repeat(map[string]func(*rapid.T){
		"Get": func(t *rapid.T) {
			r := p.Get()
			if owned[r] != 0 {
				t.Fatalf("Get gave a value that owner %d still has", owned[r])
			}
			if r.id != 0 || len(r.body) != 0 || cap(r.body) > bound {
				t.Fatalf("Get gave %+v with room for %d bytes", *r, cap(r.body))
			}
			last++
			r.id = last
			r.body = append(r.body, make([]byte, rapid.IntRange(0, 2*bound).Draw(t, "bytes"))...)
			owned[r] = r.id
			order = append(order, r)
		},
		"Put": func(t *rapid.T) {
			if len(order) == 0 {
				return // a fuzzer may cause so many skips in a row that rapid gives up
			}
			i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
			r := order[i]
			order = append(order[:i:i], order[i+1:]...)
			delete(owned, r)
			p.Put(r)
		},
		"": func(t *rapid.T) {
			for r, id := range owned {
				if r.id != id {
					t.Fatalf("the value of owner %d was changed to %d", id, r.id)
				}
			}
		},
	})
}

func TestPoolAgainstModel(t *testing.T) { random.Check(t, againstModel) }

func FuzzPool(f *testing.F) { f.Fuzz(rapid.MakeFuzz(againstModel)) }
