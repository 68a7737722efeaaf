package main

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"math"
	"time"

	"github.com/VictoriaMetrics/fastcache"
	"github.com/Yiling-J/theine-go"
	"github.com/allegro/bigcache/v3"
	"github.com/coocood/freecache"
	"github.com/coppice-go/coppice/cache"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/hashicorp/golang-lru/arc/v2"
	"github.com/hashicorp/golang-lru/v2"
	"github.com/maypok86/otter/v2"
)

// A rival is a cache with keys of 8 bytes and values of any length. get appends the value to
// the given buffer, like a service that writes it to a connection.
type rival struct {
	get func(room []byte, k uint64) ([]byte, bool)
	set func(k uint64, v []byte)
}

// A room is the required capacity of a cache: a number of bytes, as the cache counts them, and the
// length of the values.
type room struct{ bytes, value int }

// entries returns the number of keys and values that fit, if nothing else uses memory.
func (r room) entries() int { return max(r.bytes/(keyBytes+r.value), 1) }

const keyBytes = 8

// thrifty is otter with GOGC=25: a collection starts when the garbage is a quarter of the live
// memory, instead of when it is as large as the live memory. This costs more CPU time, but allows a
// larger bound at equal memory.
const (
	thrifty        = "otter-gogc25"
	thriftyGarbage = 25
)

// rivals lists the caches. Coppice's, fastcache, freecache and bigcache count all the memory that
// they use. Otter, theine and ristretto count the bytes of keys and values, but not the overhead of
// each entry. The caches of golang-lru count entries, and their limit is the number of entries that
// fit in the bytes. The memory column shows the difference.
var rivals = []struct {
	name string
	open func(room) (rival, error)
}{
	{"coppice", openCoppice},
	{"otter", openOtter},
	{thrifty, openOtter},
	{"theine", openTheine},
	{"ristretto", openRistretto},
	{"lru", openLRU},
	{"2q", open2Q},
	{"arc", openARC},
	{"freecache", openFreecache},
	{"bigcache", openBigcache},
	{"fastcache", openFastcache},
}

func openCoppice(r room) (rival, error) {
	c, err := cache.New[uint64, []byte](cache.Options{MaxBytes: int64(r.bytes)})
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) { return cache.AppendGet(c, room, k) },
		set: func(k uint64, v []byte) { _ = c.Set(k, v) },
	}, nil
}

func openOtter(r room) (rival, error) {
	c, err := otter.New(&otter.Options[uint64, []byte]{
		MaximumWeight: uint64(r.bytes),
		Weigher:       func(_ uint64, v []byte) uint32 { return uint32(keyBytes + len(v)) },
	})
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, ok := c.GetIfPresent(k)
			return append(room, v...), ok
		},
		set: func(k uint64, v []byte) { c.Set(k, append([]byte(nil), v...)) },
	}, nil
}

func openTheine(r room) (rival, error) {
	c, err := theine.NewBuilder[uint64, []byte](int64(r.bytes)).Build()
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, ok := c.Get(k)
			return append(room, v...), ok
		},
		set: func(k uint64, v []byte) { c.Set(k, append([]byte(nil), v...), int64(keyBytes+len(v))) },
	}, nil
}

func openRistretto(r room) (rival, error) {
	c, err := ristretto.NewCache(&ristretto.Config[uint64, []byte]{
		NumCounters: int64(max(10*r.entries(), 1000)), MaxCost: int64(r.bytes), BufferItems: 64, IgnoreInternalCost: true,
	})
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, ok := c.Get(k)
			return append(room, v...), ok
		},
		set: func(k uint64, v []byte) { c.Set(k, append([]byte(nil), v...), int64(keyBytes+len(v))) },
	}, nil
}

func openLRU(r room) (rival, error) {
	c, err := lru.New[uint64, []byte](r.entries())
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, ok := c.Get(k)
			return append(room, v...), ok
		},
		set: func(k uint64, v []byte) { c.Add(k, append([]byte(nil), v...)) },
	}, nil
}

func open2Q(r room) (rival, error) {
	c, err := lru.New2Q[uint64, []byte](r.entries())
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, ok := c.Get(k)
			return append(room, v...), ok
		},
		set: func(k uint64, v []byte) { c.Add(k, append([]byte(nil), v...)) },
	}, nil
}

func openARC(r room) (rival, error) {
	c, err := arc.NewARC[uint64, []byte](r.entries())
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, ok := c.Get(k)
			return append(room, v...), ok
		},
		set: func(k uint64, v []byte) { c.Add(k, append([]byte(nil), v...)) },
	}, nil
}

func openFreecache(r room) (rival, error) {
	c := freecache.NewCache(r.bytes)
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, err := c.GetWithBuf(key(k), room[:cap(room)])
			return v, err == nil
		},
		set: func(k uint64, v []byte) { _ = c.Set(key(k), v, 0) },
	}, nil
}

func openBigcache(r room) (rival, error) {
	config := bigcache.DefaultConfig(math.MaxInt32 * time.Second)
	config.CleanWindow, config.Verbose, config.Logger = 0, false, log.New(io.Discard, "", 0)
	config.HardMaxCacheSize = max(r.bytes>>20, 1)
	config.MaxEntriesInWindow, config.MaxEntrySize = r.bytes/200, 200
	c, err := bigcache.New(context.Background(), config)
	if err != nil {
		return rival{}, err
	}
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) {
			v, err := c.Get(string(key(k)))
			return append(room, v...), err == nil
		},
		set: func(k uint64, v []byte) { _ = c.Set(string(key(k)), v) },
	}, nil
}

func openFastcache(r room) (rival, error) {
	c := fastcache.New(r.bytes)
	return rival{
		get: func(room []byte, k uint64) ([]byte, bool) { return c.HasGet(room, key(k)) },
		set: func(k uint64, v []byte) { c.Set(key(k), v) },
	}, nil
}

func key(k uint64) []byte { return binary.LittleEndian.AppendUint64(make([]byte, 0, keyBytes), k) }
