package symbols

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/hash"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Symbol identifies a string of a Table by its number, from 1. The zero Symbol does not identify
// a string. A Symbol does not record which Table it belongs to.
type Symbol uint32

// ErrFull is wrapped by every error that reports that a Table has no room for a string: it holds
// Options.Max symbols, or the system has no more memory.
var ErrFull = errors.New("the table is full")

// Options controls how a Table allocates memory. The zero Options is a good default.
type Options struct {
	// Max is the maximum number of symbols. It costs address space, not memory. 0 means a billion
	// in the first table of a 64-bit process, and half a million where tables use Go memory
	// (32-bit, wasm, -race).
	Max int

	// Name identifies the Table in store.Totals and the profile "coppice"; "" means
	// "symbols.Table".
	Name string

	// Verify makes OpenFile read and check the whole file, as Table.Verify does.
	Verify bool
}

// A Table maps strings to numbers. New creates a Table, and Close releases it; the zero Table is
// not usable. All methods except Clear and Close are safe for concurrent use. No other goroutine
// may use the Table during Clear and Close. A Table must not be copied.
type Table struct {
	_    layout.NoCopy
	self *Table // address of the Table itself, to detect copies

	seed    uint64
	secrets hash.Secrets
	places  []atomic.Uint64 // places of the strings by Symbol, 0 for none; the whole region, committed or not
	room    atomic.Uint32   // number of committed places; 0 once closed
	texts   texts
	pages   pages

	adding sync.Mutex // held while a number is assigned; locked after the lock of a shard
	count  atomic.Uint32
	max    uint32
	region *vmem.Region // region of places
	name   string

	verified bool // all symbols were checked when the file was opened

	shards [1 << shardBits]shard
}

// New returns an empty Table, which Close releases. It fails if an option is out of range, or if
// the system has no address space for Max symbols. A Table costs two system calls and 10 KiB of Go
// heap; the first symbol commits 128 KiB, for which the system supplies memory only as pages are
// touched.
func New(options Options) (*Table, error) { return open("symbols.New", options, 1) }

// Must returns its first argument, the result of New or of another function that creates or opens a
// container. It panics with the message of err if err is not nil.
func Must[T any](made T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return made
}

func open(where string, options Options, skip int) (*Table, error) {
	if options.Max < 0 || uint64(options.Max) > math.MaxUint32-1 {
		return nil, fmt.Errorf("%s: invalid Max %d: must be from 0 to %d", where, options.Max, uint32(math.MaxUint32-1))
	}
	if options.Name == "" {
		options.Name = "symbols.Table"
	}
	account := vmem.NewAccount(options.Name, skip+1)
	forPlaces, forPages := uint64(vmem.DefaultSize()/4), uint64(vmem.DefaultSize())
	least := uint64(1) << 16
	if options.Max > 0 {
		forPlaces = 8 * (uint64(options.Max) + 1)
		forPages = 4*forPlaces + 1<<20 // pages that have just been split are 40 % full
		least = math.MaxUint64
	}
	region, err := reserve(min(forPlaces, 8*math.MaxUint32), least, account)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	index, err := reserve(forPages, least, account)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, errors.Join(err, region.Close()))
	}
	t := &Table{region: region, name: options.Name, max: uint32(options.Max)}
	t.self = t
	if options.Max == 0 {
		t.max = uint32(min(region.Size()/8-1, math.MaxUint32-1))
	}
	t.places = wordsOf(region, region.Size()/8)
	t.pages.region, t.pages.words = index, wordsOf(index, index.Size()/8)
	t.setSeed(hash.NewSeed())
	t.texts.reset()
	return t, nil
}

// reserve reserves size bytes of address space, or fewer if that much is not available, but at
// least the smaller of size and least.
func reserve(size, least uint64, account *vmem.Account) (*vmem.Region, error) {
	if size > math.MaxUint/2 {
		return nil, fmt.Errorf("%d bytes exceed the address space", size)
	}
	return vmem.ReserveSome(uintptr(size), uintptr(min(size, least)), vmem.HugeAuto, account)
}

func (t *Table) setSeed(seed uint64) { t.seed, t.secrets = seed, hash.SecretsOf(seed) }

// shardOf returns the shard of a string, and the bits of its hash that the shard uses.
func (t *Table) shardOf(text string) (*shard, uint32) {
	h := t.secrets.String(text)
	return &t.shards[h>>(64-shardBits)], uint32(h >> (32 - shardBits))
}

// Intern returns the Symbol of a string. If the string has no Symbol yet, it is copied and assigned
// a new one. Numbers are dense: the n-th new string is assigned the number n. Intern takes no lock
// if the string has a Symbol. Intern panics if the Table is full or closed, or if the string has
// more than MaxBytes; TryIntern returns the error instead.
func (t *Table) Intern(text string) Symbol {
	s, err := t.intern(text)
	if err != nil {
		panic("symbols.Table.Intern: " + err.Error())
	}
	return s
}

// TryIntern is like Intern but returns an error, which wraps ErrFull if the Table is full. The
// Table is then unchanged.
func (t *Table) TryIntern(text string) (Symbol, error) {
	s, err := t.intern(text)
	if err != nil {
		return 0, fmt.Errorf("symbols.Table.TryIntern: %w", err)
	}
	return s, nil
}

// InternBytes is like Intern for bytes, which must not change during the call. It allocates nothing
// if they have a Symbol.
func (t *Table) InternBytes(text []byte) Symbol {
	s, err := t.intern(view(text))
	if err != nil {
		panic("symbols.Table.InternBytes: " + err.Error())
	}
	return s
}

// TryInternBytes is like InternBytes but returns an error, as TryIntern does.
func (t *Table) TryInternBytes(text []byte) (Symbol, error) {
	s, err := t.intern(view(text))
	if err != nil {
		return 0, fmt.Errorf("symbols.Table.TryInternBytes: %w", err)
	}
	return s, nil
}

func (t *Table) intern(text string) (Symbol, error) {
	sh, hash := t.shardOf(text)
	if s := t.find(sh, hash, text); s != 0 {
		return s, nil
	}
	if t.isCopy() {
		return 0, errCopied
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if s := t.find(sh, hash, text); s != 0 {
		return s, nil
	}
	if t.places == nil {
		return 0, errClosed
	}
	page, err := t.makeRoom(sh, hash)
	if err != nil {
		return 0, err
	}
	s, err := t.add(text)
	if err != nil {
		return 0, err
	}
	if !put(page, hash, s) {
		return s, errors.New("a page of the index is damaged; see Verify")
	}
	return s, nil
}

var errClosed = errors.New("the table is closed")

var errCopied = errors.New("called on a copy of a table; pass a pointer, or use Clone")

// isCopy reports whether the Table is a copy of another. A copy does not see changes to the
// original, and both would assign the same numbers. A string or Symbol that a copy finds is valid,
// so only calls that find nothing, or that add a string, check whether the Table is a copy.
func (t *Table) isCopy() bool { return t.self != t && t.self != nil }

// mustBeOriginal panics if the Table is a copy. The panic message begins with the caller's name,
// which is passed in where.
func (t *Table) mustBeOriginal(where string) {
	if t.isCopy() {
		panic(where + ": " + errCopied.Error())
	}
}

// add assigns a number and a place to a string.
func (t *Table) add(text string) (Symbol, error) {
	t.adding.Lock()
	defer t.adding.Unlock()
	n := t.count.Load() + 1
	if n > t.max || n == 0 {
		return 0, fmt.Errorf("%w: %d symbols", ErrFull, t.max)
	}
	if n >= t.room.Load() {
		if err := t.region.Commit(8 * (uintptr(n) + 1)); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrFull, err)
		}
		t.room.Store(t.committed())
	}
	p, err := t.texts.add(text)
	if err != nil {
		return 0, err
	}
	t.places[n].Store(uint64(p))
	t.count.Store(n)
	return Symbol(n), nil
}

// committed returns the number of committed places.
func (t *Table) committed() uint32 { return uint32(min(t.region.Committed()/8, math.MaxUint32)) }

// Lookup returns the Symbol of a string and true, or 0 and false if the string has no Symbol. It
// takes no lock. It costs one hash computation and, in a large Table, usually three cache misses.
func (t *Table) Lookup(text string) (Symbol, bool) {
	sh, hash := t.shardOf(text)
	s := t.find(sh, hash, text)
	if s == 0 {
		t.mustBeOriginal("symbols.Table.Lookup")
	}
	return s, s != 0
}

// LookupBytes is like Lookup for bytes, which must not change during the call.
func (t *Table) LookupBytes(text []byte) (Symbol, bool) { return t.Lookup(view(text)) }

// String returns the string of a Symbol, without a copy and without a lock. It is an ordinary
// string: it never changes, even after Clear and Close, and keeps up to 1 MiB of strings alive.
// String panics if the Table has no such Symbol.
func (t *Table) String(s Symbol) string {
	text, ok := t.text(s)
	if !ok {
		t.mustBeOriginal("symbols.Table.String")
		panic(fmt.Sprintf("symbols.Table.String: symbol %d is not in this table, which has %d", s, t.count.Load()))
	}
	return text
}

// text returns the string of a symbol, and false if there is none.
func (t *Table) text(s Symbol) (string, bool) {
	if uint32(s) >= t.room.Load() {
		return "", false
	}
	p := place(t.places[s].Load())
	if p == 0 {
		return "", false
	}
	return t.texts.at(p)
}

// Len returns the number of Symbols, which is also the largest Symbol. String can be called for
// each of them, even while symbols are added.
func (t *Table) Len() int { return int(t.count.Load()) }

// All returns the Symbols in order, with their strings. It includes Symbols that any goroutine adds
// during the loop. It panics if the file that the Table was opened from is damaged.
func (t *Table) All() iter.Seq2[Symbol, string] {
	t.mustBeOriginal("symbols.Table.All")
	return func(yield func(Symbol, string) bool) {
		for s := Symbol(1); uint32(s) <= t.count.Load() && s != 0; s++ {
			text, ok := t.text(s)
			if !ok {
				panic(fmt.Sprintf("symbols.Table.All: the string of symbol %d is missing; see Verify", s))
			}
			if !yield(s, text) {
				return
			}
		}
	}
}

// Stats describes the memory of a Table, in bytes.
type Stats struct {
	Len        int
	TextBytes  uint64 // memory on the Go heap, without pointers
	IndexBytes uint64 // memory of pages and places, outside the Go heap
	Verified   bool   // OpenFile verified all symbols; otherwise symbols of a file are checked when read
}

// Stats returns the current statistics. Unlike other methods, it may be called during Clear and
// Close. After Close, it returns the zero Stats.
func (t *Table) Stats() Stats {
	t.mustBeOriginal("symbols.Table.Stats")
	t.adding.Lock()
	defer t.adding.Unlock()
	t.pages.mu.Lock()
	defer t.pages.mu.Unlock()
	if t.places == nil {
		return Stats{}
	}
	return Stats{t.Len(), uint64(t.texts.bytes), uint64(t.pages.units)<<leastLog*8 + 8*(uint64(t.count.Load())+1), t.verified}
}
