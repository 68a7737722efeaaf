package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/workloads/json/go/dom"
	"github.com/coppice-go/coppice/workloads/json/go/parse"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

// keys are the keys of a typical object, which describes a user.
var keys = strings.Fields("id id_str name screen_name location description url followers_count friends_count created_at lang verified")

// wanted contains the keys that are looked up in each object. The last one is absent.
var wanted = []string{"id", "screen_name", "followers_count", "lang", "withheld"}

// users returns a document that consists of 1,000 objects.
func users() []byte {
	var b strings.Builder
	b.WriteByte('[')
	for i := range 1000 {
		for k, key := range keys {
			fmt.Fprintf(&b, "%s%q:%d", []string{",", "{"}[max(0, 1-k)], key, 10*i+k)
		}
		b.WriteString([]string{"},", "}]"}[max(0, i-998)])
	}
	return []byte(b.String())
}

// BenchmarkLookup measures key lookups in objects with twelve members.
func BenchmarkLookup(b *testing.B) {
	p, err := parse.NewPointers(&tokens.Fast{}).Parse(users())
	if err != nil {
		b.Fatal(err)
	}
	tree, err := parse.NewFlat(&tokens.Fast{}).Parse(users())
	if err != nil {
		b.Fatal(err)
	}
	array, flatArray := p.(*dom.Array), tree.Root().AsArray()
	numbers := tree.Strings()
	var wantedNumbers []int
	wantedNumbers = slices.Grow(wantedNumbers, len(wanted))
	for _, key := range wanted {
		number, _ := numbers.Of(key) // for the absent key it is 0: the empty string, which is never a key here
		wantedNumbers = append(wantedNumbers, number)
	}
	for _, form := range []struct {
		name string
		find func() int
	}{
		{"pointers", func() (found int) {
			for _, o := range array.Items {
				for _, key := range wanted {
					if find(o.(*dom.Object), key) != nil {
						found++
					}
				}
			}
			return found
		}},
		{"strings", func() (found int) {
			for o := range flatArray.Items {
				for _, key := range wanted {
					if !findFlat(o.AsObject(), key).IsNil() {
						found++
					}
				}
			}
			return found
		}},
		{"numbers", func() (found int) {
			for o := range flatArray.Items {
				for _, key := range wantedNumbers {
					if !findNumber(o.AsObject(), numbers, key).IsNil() {
						found++
					}
				}
			}
			return found
		}},
	} {
		b.Run("form="+form.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if found := form.find(); found != 4000 {
					b.Fatalf("%d of 4000 are found", found)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5000, "ns/lookup")
		})
	}
}
