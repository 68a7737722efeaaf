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

// An Account records how much memory one owner has reserved and committed, with the name of the
// owner and the call stack that created the Account.
type Account struct {
	Name      string
	Stack     []uintptr // program counters, innermost first
	Regions   int       // open regions
	Reserved  uint64    // bytes of reserved address space
	Committed uint64    // bytes of committed memory, including that of small regions on the Go heap
}

// accounts contains the accounts that have open regions.
var accounts struct {
	sync.Mutex
	open      map[*Account]struct{}
	committed uint64 // of all
	ever      uint64 // total that was ever committed, including what was released

	limited    bool  // the Go memory limit follows committed
	givenLimit int64 // the limit that the user set
	ourLimit   int64 // the limit that we set, to detect when the user sets it again
}

// profile contains the accounts that have address space, by the call stack of their first
// reservation. The runtime serves this profile together with its own profiles. Small regions are in
// the runtime's heap profile instead.
var profile = pprof.NewProfile("coppice")

// NewAccount returns an account for an owner. The call stack of the account starts skip frames
// above the caller. Accounts with the same name and stack share the memory of both.
func NewAccount(name string, skip int) *Account {
	var pcs stack
	n := runtime.Callers(skip+2, pcs[:])
	return &Account{Name: unique.Make(name).Value(), Stack: stacks.share(&pcs, n)}
}

// A stack contains program counters, innermost first, padded with zeros.
type stack [32]uintptr

// mostStacks limits the number of shared stacks, each of which takes about 600 bytes.
const mostStacks = 4096

// stacks contains the stacks that accounts share, so that a million maps created at one call site
// keep only one stack.
var stacks stackSet

type stackSet struct {
	sync.Mutex
	shared map[stack][]uintptr
}

// share returns a slice with the first n program counters of a stack. Equal stacks share one slice.
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

// IsOpen reports whether the account has open regions.
func (a *Account) IsOpen() bool {
	accounts.Lock()
	defer accounts.Unlock()
	return a.Regions > 0
}

// Frames formats the call stack that created the account, one line for each call.
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

// open records that a region was opened.
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

// reserve records that an open region has reserved address space.
func (a *Account) reserve(bytes uintptr) {
	accounts.Lock()
	defer accounts.Unlock()
	if a.Reserved == 0 {
		profile.Add(a, 3)
	}
	a.Reserved += uint64(bytes)
}

// unreserve records that a region has released address space.
func (a *Account) unreserve(bytes uintptr) {
	accounts.Lock()
	defer accounts.Unlock()
	a.withdraw(bytes)
}

// withdraw implements unreserve. The caller must hold the lock of accounts.
func (a *Account) withdraw(bytes uintptr) {
	if bytes == 0 {
		return
	}
	a.Reserved -= uint64(bytes)
	if a.Reserved == 0 {
		profile.Remove(a)
	}
}

// keep records the memory of small regions. The runtime counts this memory itself, so the Go memory
// limit is not adjusted for it.
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

// EverCommitted returns the number of bytes committed since the process started, including bytes
// released since. It corresponds to the total allocations of the Go heap.
func EverCommitted() uint64 {
	accounts.Lock()
	defer accounts.Unlock()
	return accounts.ever
}

// Accounts returns copies of all accounts with open regions, sorted by name.
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

// leastLimit is the lowest value that AdjustLimit sets. With a lower limit, the collector would run
// continuously.
const leastLimit = 16 << 20

// AdjustLimit turns the adjustment of the Go memory limit on or off. While it is on, the limit is
// the user's limit minus the bytes committed here, so that the Go heap and the regions together
// stay within the user's limit. AdjustLimit has no effect if the user set no limit, or if regions
// are Go memory, which the runtime already counts.
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

// followLimit computes the limit from the committed memory and sets it. The caller must hold the
// lock of accounts.
func followLimit() {
	if !accounts.limited {
		return
	}
	if now := debug.SetMemoryLimit(-1); now != accounts.ourLimit {
		accounts.givenLimit = now // the user has set another one since
		accounts.ourLimit = now
	}
	if accounts.givenLimit == math.MaxInt64 {
		return
	}
	accounts.ourLimit = max(accounts.givenLimit-int64(accounts.committed), min(leastLimit, accounts.givenLimit))
	debug.SetMemoryLimit(accounts.ourLimit)
}
