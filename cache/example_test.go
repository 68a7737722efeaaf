package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/coppice-go/coppice/cache"
)

func Example() {
	c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 16 << 20}))
	defer c.Close()
	render := func(name string) []byte { return []byte("<h1>" + name + "</h1>") }

	for _, name := range []string{"ulm", "jena", "ulm"} {
		page, ok := c.Get(name)
		if !ok {
			page = render(name)
			_ = c.Set(name, page) // if there is no room, it is rendered again
		}
		fmt.Printf("%s, found: %t\n", page, ok)
	}
	// Output:
	// <h1>ulm</h1>, found: false
	// <h1>jena</h1>, found: false
	// <h1>ulm</h1>, found: true
}

func ExampleMust() {
	type point struct{ X, Y int32 }
	c := cache.Must(cache.New[point, float64](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set(point{3, 4}, 5)
	fmt.Println(c.Get(point{3, 4}))
	// Output: 5 true
}

func ExampleNew() {
	c, err := cache.New[string, string](cache.Options{MaxBytes: 64 << 20, TTL: time.Minute, Name: "pages"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	_, err = cache.New[string, string](cache.Options{MaxBytes: 1000, Shards: 1})
	fmt.Println(err != nil)
	// Output: true
}

func ExampleAppendGet() {
	c := cache.Must(cache.New[uint32, string](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set(7, "seven")
	line, ok := cache.AppendGet(c, []byte("7 is "), 7)
	fmt.Printf("%s, %t\n", line, ok)
	// Output: 7 is seven, true
}

func ExampleCache_Get() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set("a", 1)
	fmt.Println(c.Get("a"))
	fmt.Println(c.Get("b"))
	// Output:
	// 1 true
	// 0 false
}

func ExampleCache_Set() {
	c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	fmt.Println(c.Set("small", make([]byte, 100)))
	fmt.Println(errors.Is(c.Set("large", make([]byte, 1<<20)), cache.ErrTooLarge))
	// Output:
	// <nil>
	// true
}

func ExampleCache_SetTTL() {
	c := cache.Must(cache.New[string, string](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.SetTTL("token", "xyz", time.Nanosecond)
	_ = c.SetTTL("name", "ulm", cache.NoExpiry)
	time.Sleep(time.Millisecond)
	_, token := c.Get("token")
	_, name := c.Get("name")
	fmt.Println(token, name)
	// Output: false true
}

func ExampleCache_GetOrSet() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	fmt.Println(c.GetOrSet("a", 1))
	fmt.Println(c.GetOrSet("a", 2))
	// Output:
	// 1 false
	// 1 true
}

func ExampleCache_Delete() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set("a", 1)
	fmt.Println(c.Delete("a"), c.Delete("a"))
	// Output: true false
}

func ExampleCache_All() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	for i := range uint64(10) {
		_ = c.Set(i, i*i)
	}
	sum := uint64(0)
	for _, v := range c.All() {
		sum += v
	}
	fmt.Println(sum)
	// Output: 285
}

func ExampleCache_Len() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set(1, 1)
	_ = c.Set(2, 2)
	fmt.Println(c.Len())
	// Output: 2
}

func ExampleCache_Stats() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	for i := range uint64(100_000) {
		_ = c.Set(i, i)
	}
	s := c.Stats()
	fmt.Println(uint64(s.Len)+s.Evictions, s.Bytes <= 1<<20)
	// Output: 100000 true
}

func ExampleStats_HitRatio() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set(1, 1)
	c.Get(1)
	c.Get(2)
	fmt.Println(c.Stats().HitRatio())
	// Output: 0.5
}

func ExampleCache_Clear() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set(1, 1)
	c.Clear()
	fmt.Println(c.Len())
	// Output: 0
}

func ExampleCache_Close() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20}))
	fmt.Println(c.Close(), c.Close())
	// Output: <nil> <nil>
}

func ExampleCache_Peek() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set("a", 1)
	fmt.Println(c.Peek("a"))
	fmt.Println(c.Stats().Hits)
	// Output:
	// 1 true
	// 0
}

func ExampleCache_Has() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set("a", 1)
	fmt.Println(c.Has("a"), c.Has("b"))
	// Output: true false
}

func ExampleCache_GetOrLoad() {
	c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	load := func(ctx context.Context, name string) ([]byte, error) {
		fmt.Println("loading", name)
		return []byte("<h1>" + name + "</h1>"), ctx.Err()
	}
	for range 2 {
		page, err := c.GetOrLoad(context.Background(), "ulm", load)
		fmt.Printf("%s %v\n", page, err)
	}
	// Output:
	// loading ulm
	// <h1>ulm</h1> <nil>
	// <h1>ulm</h1> <nil>
}

func ExampleCache_OnDeletion() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	c.OnDeletion(func(e cache.DeletionEvent[string, int]) { fmt.Println(e.Key, e.Value, e.Cause) })
	_ = c.Set("a", 1)
	_ = c.Set("a", 2)
	c.Delete("a")
	// Output:
	// a 1 replacement
	// a 2 invalidation
}

func ExampleDeletionEvent_WasEvicted() {
	e := cache.DeletionEvent[string, int]{Cause: cache.CauseExpiration}
	fmt.Println(e.WasEvicted())
	// Output: true
}

func ExampleDeletionCause_String() {
	fmt.Println(cache.CauseOverflow.String())
	// Output: overflow
}

func ExampleCache_Compute() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	add := func(old int, found bool) (int, cache.ComputeOp) { return old + 1, cache.UpdateOp }
	c.Compute("calls", add)
	fmt.Println(c.Compute("calls", add))
	// Output: 2 true
}

func ExampleCache_SetMaximum() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 8 << 20, Shards: 1}))
	defer c.Close()
	for i := range uint64(50_000) {
		_ = c.Set(i, i)
	}
	fmt.Println(c.SetMaximum(1<<20), c.Stats().Bytes <= 1<<20)
	fmt.Println(c.SetMaximum(4096) != nil)
	// Output:
	// <nil> true
	// true
}

func ExampleOptions_refreshAfterWrite() {
	c := cache.Must(cache.New[string, int](cache.Options{MaxBytes: 1 << 20, RefreshAfterWrite: time.Nanosecond}))
	defer c.Close()
	calls := 0
	load := func(context.Context, string) (int, error) { calls++; return calls, nil }
	first, _ := c.GetOrLoad(context.Background(), "k", load)
	time.Sleep(time.Microsecond)
	second, _ := c.GetOrLoad(context.Background(), "k", load) // loads again, and does not wait
	fmt.Println(first, second)
	// Output: 1 1
}

func ExampleCache_Save() {
	folder, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "pages.cache")
	c := cache.Must(cache.New[string, []byte](cache.Options{MaxBytes: 1 << 20}))
	defer c.Close()
	_ = c.Set("ulm", []byte("a page"))
	fmt.Println(c.Save(path))
	next := cache.Must(cache.OpenFile[string, []byte](path, cache.Options{MaxBytes: 2 << 20}))
	defer next.Close()
	page, ok := next.Get("ulm")
	fmt.Printf("%s %t\n", page, ok)
	// Output:
	// <nil>
	// a page true
}

func ExampleOpenFile() {
	c, err := cache.OpenFile[string, []byte]("not there", cache.Options{MaxBytes: 1 << 20})
	if errors.Is(err, fs.ErrNotExist) {
		c, err = cache.New[string, []byte](cache.Options{MaxBytes: 1 << 20})
	}
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Len(), c.Close())
	// Output: 0 <nil>
}
