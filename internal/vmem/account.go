package vmem

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"unique"
)

// An Account counts what one owner has reserved, with its name and the stack that made it.
type Account struct {
	Name      string
	Stack     []uintptr // program counters, innermost first
	Regions   int       // regions open
	Reserved  uint64    // bytes of addresses
	Committed uint64    // bytes of memory, those of small regions in the Go heap included
}

// accounts holds those with open regions.
var accounts struct {
	sync.Mutex
	open      map[*Account]struct{}
	committed uint64 // of all
	ever      uint64 // of all that were ever committed, those given back included

	limited    bool  // the Go memory limit follows committed
	givenLimit int64 // what the user set it to
	ourLimit   int64 // what we set it to, to notice when the user sets it again
}

// profile counts the accounts that have addresses, by the stack that reserved the first of them;
// the runtime serves it beside its own. Small regions are part of the runtime's heap profile.
var profile = pprof.NewProfile("coppice")

// NewAccount returns the account of an owner, whose stack starts skip frames above
// the caller. Accounts of the same name and stack share both.
func NewAccount(name string, skip int) *Account {
	var pcs stack
	n := runtime.Callers(skip+2, pcs[:])
	return &Account{Name: unique.Make(name).Value(), Stack: stacks.share(&pcs, n)}
}

// A stack is program counters, innermost first, and zeros behind them.
type stack [32]uintptr

// mostStacks bounds how many stacks are shared, each of some 600 bytes.
const mostStacks = 4096

// stacks are those of accounts, so that a million maps made at one place keep one of them.
var stacks stackSet

type stackSet struct {
	sync.Mutex
	shared map[stack][]uintptr
}

// share returns the first n program counters of a stack.
func (s *stackSet) share(pcs *stack, n int) []uintptr {
	s.Lock()
	defer s.Unlock()
	shared, ok := s.shared[*pcs]
	if !ok {
		shared = slices.Clone(pcs[:n])
		if len(s.shared) < mostStacks {
			if s.shared == nil {
				s.shared = make(map[stack][]uintptr)
			}
			s.shared[*pcs] = shared
		}
	}
	return shared
}

// IsOpen tells whether the account has open regions.
func (a *Account) IsOpen() bool {
	accounts.Lock()
	defer accounts.Unlock()
	return a.Regions > 0
}

// Frames returns the stack that made the account, a line for each call.
func (a *Account) Frames() string {
	var text strings.Builder
	frames := runtime.CallersFrames(a.Stack)
	for more := len(a.Stack) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Fprintf(&text, "\t%s (%s:%d)\n", f.Function, f.File, f.Line)
	}
	return text.String()
}

// open counts a region.
func (a *Account) open() {
	accounts.Lock()
	defer accounts.Unlock()
	if accounts.open == nil {
		accounts.open = make(map[*Account]struct{})
	}
	if a.Regions == 0 {
		accounts.open[a] = struct{}{}
	}
	a.Regions++
}

// reserve counts addresses of a region that is open.
func (a *Account) reserve(bytes uintptr) {
	accounts.Lock()
	defer accounts.Unlock()
	if a.Reserved == 0 {
		profile.Add(a, 3)
	}
	a.Reserved += uint64(bytes)
}

// unreserve counts addresses that a region gives back.
func (a *Account) unreserve(bytes uintptr) {
	accounts.Lock()
	defer accounts.Unlock()
	a.withdraw(bytes)
}

// withdraw is unreserve with the lock.
func (a *Account) withdraw(bytes uintptr) {
	if bytes == 0 {
		return
	}
	a.Reserved -= uint64(bytes)
	if a.Reserved == 0 {
		profile.Remove(a)
	}
}

// keep counts memory of small regions, which the runtime counts itself: the Go memory limit need
// not follow it.
func (a *Account) keep(bytes int64) {
	accounts.Lock()
	defer accounts.Unlock()
	a.Committed += uint64(bytes)
}

func (a *Account) close(reserved uintptr) {
	accounts.Lock()
	defer accounts.Unlock()
	a.Regions--
	a.withdraw(reserved)
	if a.Regions == 0 {
		delete(accounts.open, a)
	}
}

func (a *Account) commit(bytes int64) {
	accounts.Lock()
	defer accounts.Unlock()
	a.Committed += uint64(bytes)
	accounts.committed += uint64(bytes)
	accounts.ever += uint64(max(bytes, 0))
	followLimit()
}

// EverCommitted returns the bytes that were committed since the process started, including
// those that were given back. It corresponds to the Go heap's total of allocations.
func EverCommitted() uint64 {
	accounts.Lock()
	defer accounts.Unlock()
	return accounts.ever
}

// Accounts returns a copy of every account with open regions, sorted by name.
func Accounts() []Account {
	accounts.Lock()
	defer accounts.Unlock()
	all := make([]Account, 0, len(accounts.open))
	for a := range accounts.open {
		all = append(all, *a)
	}
	slices.SortStableFunc(all, func(a, b Account) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// leastLimit is where AdjustLimit stops lowering the limit: with less, the collector
// would do nothing but run.
const leastLimit = 16 << 20

// AdjustLimit makes the Go memory limit follow: while on, it is what the user set
// less the bytes committed here, so that both together stay within it. Without a
// limit set it does nothing. Regions in Go memory are counted by the runtime.
func AdjustLimit(on bool) {
	accounts.Lock()
	defer accounts.Unlock()
	if on == accounts.limited || GoMemory {
		return
	}
	accounts.limited = on
	if on {
		accounts.givenLimit = debug.SetMemoryLimit(-1)
		accounts.ourLimit = accounts.givenLimit
		followLimit()
	} else if debug.SetMemoryLimit(-1) == accounts.ourLimit {
		debug.SetMemoryLimit(accounts.givenLimit)
	}
}

// followLimit sets the limit anew; accounts is locked.
func followLimit() {
	if !accounts.limited {
		return
	}
	if now := debug.SetMemoryLimit(-1); now != accounts.ourLimit {
		accounts.givenLimit = now // somebody has set another since
		accounts.ourLimit = now
	}
	if accounts.givenLimit == math.MaxInt64 {
		return
	}
	accounts.ourLimit = max(accounts.givenLimit-int64(accounts.committed), min(leastLimit, accounts.givenLimit))
	debug.SetMemoryLimit(accounts.ourLimit)
}
