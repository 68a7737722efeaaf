//go:build coppice_checks || race

package pool

import (
	"reflect"
	"slices"
	"sync"
	"testing"
)

func TestFingerprint(t *testing.T) {
	changed(t, "a byte", new(byte), func(v *byte) { *v = 1 })
	changed(t, "a pointer", new(*int), func(v **int) { *v = new(int) })
	changed(t, "the last of many", new([4096]byte), func(v *[4096]byte) { v[4095] = 1 })
	changed(t, "the last that is looked at", new([lookedAt + 1]byte), func(v *[lookedAt + 1]byte) { v[lookedAt-1] = 1 })
	changed(t, "a slice's length", &[]int{1, 2}, func(v *[]int) { *v = (*v)[:1] })
	changed(t, "an interface", new(any), func(v *any) { *v = 7 })
	changed(t, "a field behind padding", new(padded), func(v *padded) { v.b = -1 })
	changed(t, "a field before a sync.Pool", new(shared), func(v *shared) { v.before = 1 })
	changed(t, "a field behind a sync.Pool", new(shared), func(v *shared) { v.behind = 1 })
	changed(t, "the last in an array with sync.Pools", new([3]shared), func(v *[3]shared) { v[2].behind = 1 })
}

type padded struct {
	_ byte
	b int64
}

type shared struct {
	before byte
	_      sync.Pool
	behind byte
}

func changed[T any](t *testing.T, what string, v *T, change func(*T)) {
	t.Helper()
	parts := partsOf(reflect.TypeFor[T]())
	before := fingerprint(v, parts)
	if fingerprint(v, parts) != before {
		t.Errorf("%s: two looks differ", what)
	}
	if change(v); fingerprint(v, parts) == before {
		t.Errorf("%s: the change goes unseen", what)
	}
}

// The fingerprint covers a value up to its end, but at most lookedAt bytes. It omits the fields of
// a sync.Pool that the runtime changes.
func TestParts(t *testing.T) {
	word := reflect.TypeFor[uintptr]().Size()
	size := reflect.TypeFor[sync.Pool]().Size()
	for _, c := range []struct {
		of   reflect.Type
		want []span
	}{
		{reflect.TypeFor[[7]byte](), []span{{0, 7}}},
		{reflect.TypeFor[padded](), []span{{0, reflect.TypeFor[padded]().Size()}}},
		{reflect.TypeFor[[lookedAt + 5]byte](), []span{{0, lookedAt}}},
		{reflect.TypeFor[sync.Pool](), []span{{size - word, size}}},
		{reflect.TypeFor[struct {
			_ [0]sync.Pool
			a int
		}](), []span{{0, word}}},
		{reflect.TypeFor[struct {
			a int
			p [1]struct{ p sync.Pool }
			b int
		}](), []span{{0, word}, {size, size + 2*word}}},
	} {
		if got := partsOf(c.of); !slices.Equal(got, c.want) {
			t.Errorf("of a %s %v is looked at, want %v", c.of, got, c.want)
		}
	}
	type many struct {
		_ [1 << 30 / 64]sync.Pool
		_ int
	}
	parts := partsOf(reflect.TypeFor[many]())
	if last := parts[len(parts)-1]; last.end > lookedAt || last.end < lookedAt-size {
		t.Errorf("of many pools the last that is looked at is %v, want up to %d", last, lookedAt)
	}
}

// The number of bytes that a Get or a Put examines is limited, whatever the size and number of the
// values.
func TestLooksAreBounded(t *testing.T) {
	lookBound[[64]byte](t, 3000)
	lookBound[[300]byte](t, 3000)
	lookBound[[lookedAt]byte](t, 60)
	lookBound[[4 * lookedAt]byte](t, 40)
}

func lookBound[T any](t *testing.T, count int) {
	p := Pool[T]{Options: Options[T]{Reset: func(*T) {}}}
	each := min(int(reflect.TypeFor[T]().Size()), lookedAt)
	for range count {
		before := p.shelf.looked
		p.Put(new(T))
		// The limit allows for a check, the value that leaves the quarantine, and the new value.
		if looked := p.shelf.looked - before; looked > lookBytes+3*each {
			t.Fatalf("a Put of a %s looks at %d bytes", reflect.TypeFor[T](), looked)
		}
		if len(p.shelf.values) > resting {
			t.Fatalf("%d values rest", len(p.shelf.values))
		}
	}
	for range count {
		before := p.shelf.looked
		p.Get()
		if looked := p.shelf.looked - before; looked > lookBytes+2*each {
			t.Fatalf("a Get of a %s looks at %d bytes", reflect.TypeFor[T](), looked)
		}
	}
}

// Gets check the quarantined values in turn, so that a write to any of them is detected while the
// pool is used, and not only when the value leaves the quarantine.
//
//coppice:ignore useafterput it wants the panics
func TestLooksTakeTurns(t *testing.T) {
	type long [lookBytes]byte // so large that a Get checks only one
	for which := range resting {
		p := Pool[long]{Options: Options[long]{Reset: func(*long) {}}}
		values := make([]*long, resting)
		for i := range values {
			values[i] = new(long)
			p.Put(values[i])
		}
		values[which][0] = 1
		gets := 0
		for accused := false; !accused && gets <= resting; gets++ {
			func() {
				defer func() { accused = recover() != nil }()
				p.Get()
			}()
		}
		if gets > resting {
			t.Errorf("a write to value %d of %d was not found by %d Gets", which, resting, resting)
		}
	}
}

// When a Put makes a value leave the quarantine, it detects a write to that value, even if another
// value is next in turn.
//
//coppice:ignore useafterput it wants the panic
func TestTheEndOfARestIsLookedAt(t *testing.T) {
	type long [lookBytes]byte
	p := Pool[long]{Options: Options[long]{Reset: func(*long) {}}}
	oldest := new(long)
	p.Put(oldest)
	for range resting - 1 {
		p.Put(new(long))
	}
	p.shelf.turn = resting / 2 // so that another value is next in turn
	oldest[0] = 1
	defer func() {
		if recover() == nil {
			t.Error("a value left its rest that had been written")
		}
	}()
	p.Put(new(long))
}
