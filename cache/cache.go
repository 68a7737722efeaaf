package cache

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/fixed"
	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Cache is a map of limited size from keys of type K to values of type V, outside the Go heap. K
// is a string type, or has a fixed size and no pointers; V is a string type, a byte slice type, or
// has a fixed size and no pointers. New creates a Cache, and Close releases it; the zero Cache is
// not usable. Any number of goroutines may call all methods concurrently. A Cache must not be
// copied.
type Cache[K comparable, V any] struct {
	_ layout.NoCopy

	hash   hash.Func[K]
	form   form
	bytesV bool // V is a byte slice type
	ttl    time.Duration
	shift  uint // number of bits by which a hash is shifted right to select its shard
	shards []shard
	loads  atomic.Pointer[loads[K, V]] // nil until the first call of GetOrLoad

	account *vmem.Account
	moving  sync.Mutex // held by SetMaximum and Save, because SetMaximum would invalidate Save's position
	bound   atomic.Int64
}

// New returns an empty Cache that uses at most Options.MaxBytes. The limit applies to all memory:
// entries, table, queues, and the part on the Go heap. Each shard commits memory in pieces of 64
// KiB as it fills. New fails if MaxBytes is less than two pieces and a few hundred bytes for each
// shard, if a type or an option is not allowed, or if the system has no memory. It costs three
// system calls for each shard.
func New[K comparable, V any](options Options) (*Cache[K, V], error) {
	return open[K, V]("cache.New", options, 1)
}

// Must returns its first argument, the result of New or of another function that creates or opens a
// container. It panics with the message of err if err is not nil.
func Must[T any](made T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return made
}

func open[K comparable, V any](where string, o Options, skip int) (*Cache[K, V], error) {
	c := &Cache[K, V]{ttl: o.TTL}
	c.bound.Store(o.MaxBytes)
	if err := c.setForm(where, o); err != nil {
		return nil, err
	}
	pieces, err := c.divide(where, o.MaxBytes, o.Shards)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = fmt.Sprintf("cache.Cache[%s,%s]", reflect.TypeFor[K](), reflect.TypeFor[V]())
	}
	c.account = vmem.NewAccount(o.Name, skip+1)
	if err := c.openShards(c.shards, pieces); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return c, nil
}

// openShards opens all shards, or none if it fails. It divides the pieces of memory among them.
func (c *Cache[K, V]) openShards(shards []shard, pieces int64) error {
	n := int64(len(shards))
	for i := range n {
		mine := pieces / n
		if i < pieces%n {
			mine++
		}
		if err := shards[i].open(&c.form, uint64(mine)*vmem.Piece, c.account); err != nil {
			return errors.Join(err, closeShards(shards[:i]))
		}
	}
	return nil
}

// closeShards closes the shards that are open.
func closeShards(shards []shard) (all error) {
	for i := range shards {
		s := &shards[i]
		s.mu.Lock()
		if s.slots != nil {
			all = errors.Join(all, s.close())
		}
		s.mu.Unlock()
	}
	return all
}

// advice contains the recommendations that are given in errors about types with pointers.
var advice = fixed.Advice{
	String:  "use an array of bytes, or make all of the value a string or a []byte",
	Pointer: fixed.Contained.Pointer,
	Slice:   "use an array, or make all of the value a []byte",
	Other:   fixed.Contained.Other,
}

// setForm sets the fields that depend on the types and the options, and checks both. Errors begin
// with the name of the exported function, which is passed in where.
func (c *Cache[K, V]) setForm(where string, o Options) (err error) {
	f := &c.form
	if *f, c.bytesV, err = formOf(where, reflect.TypeFor[K](), reflect.TypeFor[V]()); err != nil {
		return err
	}
	if c.hash, err = hash.For[K](where, hash.NewSeed()); err != nil {
		return err
	}
	f.hashOf = func(key []byte) uint64 {
		if c.form.keyText {
			return c.hash.Bytes(key)
		}
		var k K
		fill(&k, key)
		return c.hash.Hash(k)
	}
	if f.clock = o.now; f.clock == nil {
		f.clock = time.Now
	}
	f.epoch, f.refresh = f.clock(), int64(o.RefreshAfterWrite)
	switch {
	case o.TTL < 0:
		return fmt.Errorf("%s: negative TTL %s; use 0 for entries that do not expire", where, o.TTL)
	case o.ExpireAfterAccess < 0:
		return fmt.Errorf("%s: negative ExpireAfterAccess %s; use 0 to disable it", where, o.ExpireAfterAccess)
	case o.RefreshAfterWrite < 0:
		return fmt.Errorf("%s: negative RefreshAfterWrite %s; use 0 to disable it", where, o.RefreshAfterWrite)
	case o.TTL > 0 && o.RefreshAfterWrite >= o.TTL:
		return fmt.Errorf("%s: invalid RefreshAfterWrite %s: must be less than TTL %s, or entries expire before they are refreshed", where, o.RefreshAfterWrite, o.TTL)
	case o.TTL > 0 && o.ExpireAfterAccess > 0:
		return fmt.Errorf("%s: TTL and ExpireAfterAccess are both set; set one", where)
	case o.ExpireAfterAccess > 0:
		c.ttl, f.sliding = o.ExpireAfterAccess, int64(o.ExpireAfterAccess)
	case o.TTL == 0:
		c.ttl = NoExpiry
	}
	return nil
}

// formOf checks the types k and v, and returns their form and whether v is a byte slice type.
func formOf(where string, k, v reflect.Type) (f form, bytes bool, err error) {
	f.keyText = k.Kind() == reflect.String
	bytes = v.Kind() == reflect.Slice && v.Elem().Kind() == reflect.Uint8
	f.valueText = bytes || v.Kind() == reflect.String
	f.keyBytes, f.valueBytes = int(k.Size()), int(v.Size())
	if !f.keyText {
		if err := fixed.Check(where, k, fixed.Contained); err != nil {
			return f, bytes, err
		}
	}
	if f.valueText {
		return f, bytes, nil
	}
	return f, bytes, fixed.Check(where, v, advice)
}

// These are shard sizes in bytes.
const (
	usualShard    = 1 << 20  // minimum size if New chooses more than one shard by default
	greatestShard = 32 << 30 // limit: a table slot stores the index of an 8-byte word in 32 bits
)

// divide creates the shards, which have no memory yet, and returns the number of pieces for them.
func (c *Cache[K, V]) divide(where string, bytes int64, shards int) (pieces int64, err error) {
	switch {
	case bytes < 0:
		return 0, fmt.Errorf("%s: invalid MaxBytes %d: must be positive", where, bytes)
	case shards < 0 || shards > 1<<16 || shards&(shards-1) != 0:
		return 0, fmt.Errorf("%s: invalid Shards %d: must be 0 or a power of two up to 65536", where, shards)
	}
	if shards == 0 {
		shards = 1 << bits.Len(uint(4*runtime.GOMAXPROCS(0)-1))
		for shards > 1 && bytes/int64(shards) < usualShard {
			shards /= 2
		}
	}
	for bytes/int64(shards) > greatestShard-vmem.Piece && shards < 1<<16 {
		shards *= 2
	}
	if pieces, err = c.pieces(where, bytes, shards); err != nil {
		return 0, err
	}
	c.shards = make([]shard, shards)
	c.shift = 64 - uint(bits.Len(uint(shards-1)))
	return pieces, nil
}

// pieces returns the number of pieces of memory for the given number of shards, or an error if
// there are too few or too many.
func (c *Cache[K, V]) pieces(where string, bytes int64, shards int) (pieces int64, err error) {
	own := c.goBytes(shards)
	if least := own + int64(shards)*2*vmem.Piece; bytes < least {
		return 0, fmt.Errorf("%s: %d bytes are too few; with %d shards a cache takes at least %d", where, bytes, shards, least)
	}
	pieces = (bytes - own) / vmem.Piece
	if most := int64(shards) * (greatestShard/vmem.Piece - 1); pieces > most {
		return 0, fmt.Errorf("%s: %d bytes are too many; a cache has at most %d", where, bytes, most*vmem.Piece)
	}
	return pieces, nil
}

// goBytes returns the number of bytes that a Cache uses on the Go heap: for itself, for its account
// with a call stack, and for each shard with its two regions.
func (c *Cache[K, V]) goBytes(shards int) int64 {
	each := reflect.TypeFor[shard]().Size() + 2*reflect.TypeFor[vmem.Region]().Size()
	return int64(reflect.TypeFor[Cache[K, V]]().Size()+reflect.TypeFor[vmem.Account]().Size()+512) + int64(shards)*int64(each)
}

// of returns the shard and the hash of a key. Panic messages begin with the caller's name, which is
// passed in where.
func (c *Cache[K, V]) of(where string, k *K) (*shard, uint64) {
	if len(c.shards) == 0 {
		panic(where + ": this is the zero Cache; make one with New")
	}
	h := c.hash.Hash(*k)
	return &c.shards[h>>c.shift&uint64(len(c.shards)-1)], h
}

// use panics if the shard, which must be locked, is closed.
func (s *shard) use(where string) {
	if s.slots == nil {
		panic(where + ": the cache is closed")
	}
}

// find returns the slot and the offset of a key's block, even if the block has expired. The shard
// must be locked and open.
func (c *Cache[K, V]) find(s *shard, h uint64, k *K) (slot int, at uint64, ok bool) {
	t := &s.table
	for i := t.seek(uint32(h)); t.slots[i] != 0 && hashOf(t.slots[i]) == uint32(h); i++ {
		at := placeOf(t.slots[i])
		if c.same(k, s.key(at)) {
			return i, at, true
		}
	}
	return 0, 0, false
}

// same reports whether b, the key of a block, equals k.
func (c *Cache[K, V]) same(k *K, b []byte) bool {
	switch c.hash.Kind {
	case hash.Memory:
		return string(bytesOf(k, false)) == string(b)
	case hash.Text:
		return sameText(k, b)
	}
	var other K
	fill(&other, b)
	return *k == other
}

// load returns a copy of the value in the block at the given offset.
func (c *Cache[K, V]) load(s *shard, at uint64) (v V) {
	b := s.value(at)
	switch {
	case !c.form.valueText:
		fill(&v, b)
	case c.bytesV:
		fillBytes(&v, b)
	default:
		fillText(&v, b)
	}
	return v
}

// loadKey sets k to a copy of the key in a block.
func (c *Cache[K, V]) loadKey(k *K, b []byte) {
	if c.form.keyText {
		fillText(k, b)
	} else {
		fill(k, b)
	}
}

// Get returns a copy of the value of a key, and whether the key is present and has not expired.
// Readers share a lock; writers of the same shard wait for them. It computes one hash, and usually
// costs two cache misses. It allocates if V is a string or a []byte.
func (c *Cache[K, V]) Get(k K) (v V, ok bool) {
	s, h := c.of("cache.Cache.Get", &k)
	at, ok := c.hit("cache.Cache.Get", s, h, &k)
	if ok {
		v = c.load(s, at)
		s.mu.RUnlock()
	}
	return v, ok
}

// Peek is like Get but has no side effects: it does not influence when the entry is evicted, and is
// counted neither as a hit nor as a miss.
func (c *Cache[K, V]) Peek(k K) (v V, ok bool) {
	s, h := c.of("cache.Cache.Peek", &k)
	return c.peek("cache.Cache.Peek", s, h, &k)
}

// peek is like Get, but neither records a use of the entry nor counts a hit or a miss.
func (c *Cache[K, V]) peek(where string, s *shard, h uint64, k *K) (v V, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.use(where)
	_, at, ok := c.find(s, h, k)
	if !ok || s.late(at) {
		return v, false
	}
	return c.load(s, at), true
}

// Has reports whether Get would find a value. Like Peek, it has no side effects, and it copies
// nothing.
func (c *Cache[K, V]) Has(k K) bool {
	s, h := c.of("cache.Cache.Has", &k)
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.use("cache.Cache.Has")
	_, at, ok := c.find(s, h, &k)
	return ok && !s.late(at)
}

// AppendGet appends the value of a key to dst, and returns the extended slice and whether the key
// is present. Use it in place of Get to avoid the allocation for values of varying length.
func AppendGet[K comparable, V ~string | ~[]byte](c *Cache[K, V], dst []byte, k K) ([]byte, bool) {
	s, h := c.of("cache.AppendGet", &k)
	at, ok := c.hit("cache.AppendGet", s, h, &k)
	if ok {
		dst = append(dst, s.value(at)...)
		s.mu.RUnlock()
	}
	return dst, ok
}

// hit finds the block of a key, unless it has expired, and counts the hit or the miss. After a hit,
// the caller holds the read lock, and must release it.
func (c *Cache[K, V]) hit(where string, s *shard, h uint64, k *K) (uint64, bool) {
	s.mu.RLock()
	if s.slots == nil {
		s.mu.RUnlock()
		panic(where + ": the cache is closed")
	}
	_, at, ok := c.find(s, h, k)
	if ok && s.touch(at) {
		s.hits.Add(1)
		return at, true
	}
	s.mu.RUnlock()
	s.misses.Add(1)
	if ok {
		c.expire(s, h, k)
	}
	return 0, false
}

// expire removes a key if it has expired.
func (c *Cache[K, V]) expire(s *shard, h uint64, k *K) {
	s.mu.Lock()
	defer s.unlock()
	if s.slots == nil {
		return
	}
	if i, at, ok := c.find(s, h, k); ok && s.late(at) {
		c.takeOut(s, i, at)
	}
}

// Set stores a copy of v under k, replacing any existing value, and evicts other entries if
// necessary. The entry expires after Options.TTL, but may be evicted earlier. After an error, which
// wraps ErrTooLarge or ErrFull, the key has no value. Callers may ignore the error. Set costs as
// much as Get, plus a copy and the evictions. Usually one entry is evicted; at worst, about a
// thousand other entries are moved first. Set locks the shard.
func (c *Cache[K, V]) Set(k K, v V) error {
	const where = "cache.Cache.Set"
	s, h := c.of(where, &k)
	p := piece{key: bytesOf(&k, c.form.keyText), value: bytesOf(&v, c.form.valueText)}
	c.form.live(&p, c.ttl)
	return c.set(where, s, h, &k, &p)
}

// SetTTL is like Set, but with a time to live for this entry, which may be NoExpiry. An expired
// entry is no longer found; if ttl is not greater than 0, the entry expires immediately. As after
// Delete, its memory is reused when the entry reaches the end of the queue.
func (c *Cache[K, V]) SetTTL(k K, v V, ttl time.Duration) error {
	if ttl <= 0 {
		c.delete("cache.Cache.SetTTL", &k)
		return nil
	}
	const where = "cache.Cache.SetTTL"
	s, h := c.of(where, &k)
	p := piece{key: bytesOf(&k, c.form.keyText), value: bytesOf(&v, c.form.valueText)}
	c.form.liveFor(&p, ttl)
	return c.set(where, s, h, &k, &p)
}

// set stores a piece under a key. It locks the shard.
func (c *Cache[K, V]) set(where string, s *shard, h uint64, k *K, p *piece) error {
	s.mu.Lock()
	defer s.unlock()
	s.use(where)
	return c.put(where, s, h, k, p)
}

// put implements set for a shard that is already locked.
func (c *Cache[K, V]) put(where string, s *shard, h uint64, k *K, p *piece) error {
	if c.hash.Kind == hash.Parts && *k != *k {
		return nil // k is or contains NaN: it would never be found, and all such keys would share one hash
	}
	frequency, main := uint64(0), false
	if i, at, ok := c.find(s, h, k); ok {
		if s.late(at) {
			s.tell(at, CauseExpiration)
			s.expirations++
		} else {
			s.tell(at, CauseReplacement)
			if s.overwrite(at, p) {
				return nil
			}
			r := s.ringOf(at)
			frequency, main = min(frequencyOf(s.words[at].Load())+1, mostFrequency), r == &s.main
		}
		s.remove(s.ringOf(at), i, at)
	}
	err := s.insert(h, frequency, p, main)
	if checks.Enabled {
		s.look(where)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// overwrite stores p in the existing block at index at, and returns false if p does not fit.
func (s *shard) overwrite(at uint64, p *piece) bool {
	header := s.words[at].Load()
	have, need := wordsOf(header), s.form.words(p)
	if need > have || need < have-have/4 || !p.short() {
		return false
	}
	s.write(at, have, min(frequencyOf(header)+1, mostFrequency), p)
	return true
}

// GetOrSet returns the value of k and true if the key is present. Otherwise it stores v as Set does
// and returns v and false, even if there is no room for v. It locks the shard.
func (c *Cache[K, V]) GetOrSet(k K, v V) (V, bool) {
	s, h := c.of("cache.Cache.GetOrSet", &k)
	p := piece{key: bytesOf(&k, c.form.keyText), value: bytesOf(&v, c.form.valueText)}
	c.form.live(&p, c.ttl)
	s.mu.Lock()
	defer s.unlock()
	s.use("cache.Cache.GetOrSet")
	if _, at, ok := c.find(s, h, &k); ok && s.touch(at) {
		s.hits.Add(1)
		return c.load(s, at), true
	}
	s.misses.Add(1)
	_ = c.put("cache.Cache.GetOrSet", s, h, &k, &p) // ignore the error: the caller gets v anyway
	return v, false
}

// Delete removes a key and its value, and reports whether the key was present. The memory is reused
// when the entry reaches the end of the queue. It locks the shard.
func (c *Cache[K, V]) Delete(k K) bool { return c.delete("cache.Cache.Delete", &k) }

func (c *Cache[K, V]) delete(where string, k *K) bool {
	s, h := c.of(where, k)
	c.loads.Load().forget(k)
	s.mu.Lock()
	defer s.unlock()
	s.use(where)
	i, at, ok := c.find(s, h, k)
	return ok && c.takeOut(s, i, at)
}

// takeOut removes the block in a slot. It returns false if the block had already expired. The shard
// must be locked.
func (c *Cache[K, V]) takeOut(s *shard, slot int, at uint64) bool {
	late := s.late(at)
	if late {
		s.tell(at, CauseExpiration)
		s.expirations++
	} else {
		s.tell(at, CauseInvalidation)
	}
	s.remove(s.ringOf(at), slot, at)
	return !late
}
