package main

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"math"
	"time"

	"github.com/VictoriaMetrics/fastcache"
	"github.com/allegro/bigcache/v3"
	"github.com/coocood/freecache"
	"github.com/coppice-go/coppice/cache"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/maypok86/otter/v2"
)

// A rival is a cache with keys of 8 bytes and values of any length. get appends the value to memory that it is given, as a service would
// that writes it to a connection.
type rival struct {
	get func(room []byte, k uint64) ([]byte, bool)
	set func(k uint64, v []byte)
}

// rivals open a cache of so many bytes, each in the way in which it counts them: our own, fastcache, freecache and bigcache count what they take, otter and
// ristretto the bytes of keys and values, and not what each entry costs besides. The column of memory shows the difference.
var rivals = []struct {
	name string
	open func(bytes int) (rival, error)
}{
	{"coppice", func(bytes int) (rival, error) {
		c, err := cache.New[uint64, []byte](cache.Options{MaxBytes: int64(bytes)})
		if err != nil {
			return rival{}, err
		}
		return rival{
			get: func(room []byte, k uint64) ([]byte, bool) { return cache.AppendGet(c, room, k) },
			set: func(k uint64, v []byte) { _ = c.Set(k, v) },
		}, nil
	}},
	{"otter", func(bytes int) (rival, error) {
		c, err := otter.New(&otter.Options[uint64, []byte]{
			MaximumWeight: uint64(bytes),
			Weigher:       func(_ uint64, v []byte) uint32 { return uint32(8 + len(v)) },
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
	}},
	{"ristretto", func(bytes int) (rival, error) {
		c, err := ristretto.NewCache(&ristretto.Config[uint64, []byte]{
			NumCounters: int64(max(bytes/10, 1000)), MaxCost: int64(bytes), BufferItems: 64, IgnoreInternalCost: true,
		})
		if err != nil {
			return rival{}, err
		}
		return rival{
			get: func(room []byte, k uint64) ([]byte, bool) {
				v, ok := c.Get(k)
				return append(room, v...), ok
			},
			set: func(k uint64, v []byte) { c.Set(k, append([]byte(nil), v...), int64(8+len(v))) },
		}, nil
	}},
	{"freecache", func(bytes int) (rival, error) {
		c := freecache.NewCache(bytes)
		return rival{
			get: func(room []byte, k uint64) ([]byte, bool) {
				v, err := c.GetWithBuf(key(k), room[:cap(room)])
				return v, err == nil
			},
			set: func(k uint64, v []byte) { _ = c.Set(key(k), v, 0) },
		}, nil
	}},
	{"bigcache", func(bytes int) (rival, error) {
		config := bigcache.DefaultConfig(math.MaxInt32 * time.Second)
		config.CleanWindow, config.Verbose, config.Logger = 0, false, log.New(io.Discard, "", 0)
		config.HardMaxCacheSize = max(bytes>>20, 1)
		config.MaxEntriesInWindow, config.MaxEntrySize = bytes/200, 200
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
	}},
	{"fastcache", func(bytes int) (rival, error) {
		c := fastcache.New(bytes)
		return rival{
			get: func(room []byte, k uint64) ([]byte, bool) { return c.HasGet(room, key(k)) },
			set: func(k uint64, v []byte) { c.Set(key(k), v) },
		}, nil
	}},
}

func key(k uint64) []byte { return binary.LittleEndian.AppendUint64(make([]byte, 0, 8), k) }
