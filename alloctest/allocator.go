package alloctest

// An Allocator is one allocator as a table of functions, and what it promises. R is the
// name by which its user finds a value again: a pointer, an index, a handle.
//
// New or Alloc must be set, and At unless R is *T. Every other function may be nil, and
// the promises that need it are not tested then.
type Allocator[R comparable, T any] struct {
	// New hands out a value, and where it is.
	New func() (R, *T)
	// Alloc stores a copy of a value.
	Alloc func(T) R
	// TryAlloc is Alloc that returns an error where Alloc panics.
	TryAlloc func(T) (R, error)
	// Make hands out n values in a row, and the name of the first.
	Make func(n int) (R, []T)
	// At finds a value. nil stands for a name that is the pointer itself. If the name
	// names nothing any more, it may return nil or panic.
	At func(R) *T
	// Append is append for slices of values that Make handed out.
	Append func(s []T, more ...T) []T

	// Grow makes room for n values, so that handing them out takes no more memory.
	Grow func(n int)
	// Delete takes one value back. It may panic, or do nothing, if it refuses to.
	Delete func(R)
	// Mark returns a function that takes back all values that were handed out since.
	Mark func() (rewind func())
	// Reset takes all values back and may keep the memory.
	Reset func()
	// Release gives all memory back, even while somebody still has the allocator, which may
	// be unusable from then on. It is called after every test, and a second time must do
	// nothing.
	Release func()

	// Clone returns an allocator with copies of the values under the same names.
	Clone func() Allocator[R, T]
	// Writer returns an allocator for one goroutine, whose values this one knows too.
	// Its Release ends it.
	Writer func() Allocator[R, T]
	// Bounded opens another allocator, which has room for limit values and no more.
	Bounded func(limit int) Allocator[R, T]
	// Full is what the error of TryAlloc wraps at that limit.
	Full error

	// Len is the count of values handed out and not taken back.
	Len func() int
	// Bytes is the memory held for values, used or not.
	Bytes func() uint64
	// OffHeap is the memory held outside the Go heap, by this allocator or by all of the
	// process. It is called after Release too. What the Go heap holds the kit sees itself.
	OffHeap func() uint64

	// Room is how many values may be live at once, if that is fixed; 0 says that there is
	// room for as many as there is memory.
	Room int

	// Concurrent says that any number of goroutines may call New, Alloc and Delete at once.
	Concurrent bool
	// Dirty says that values are handed out with anything in them.
	Dirty bool
	// Moves says that values may move, so that only At finds them.
	Moves bool
	// Manual says that values end with Release even if somebody still points to them.
	Manual bool
	// Retains says that what a value points to may stay alive after the value was taken
	// back, until something else is stored there.
	Retains bool
	// Copies says that Alloc copies what a value points to as well.
	Copies bool
	// Dead is what happens to a name that names nothing.
	Dead Dead
}

// Dead says what an allocator does with the name of a value that is gone.
type Dead int

// From the weakest promise to the strongest.
const (
	DeadUnnoticed Dead = iota // nothing: its user must not use it
	DeadNotFreed              // Delete refuses it, as long as nothing else has the name
	DeadNoticed               // Delete and At refuse it for ever, and the names of other allocators too
)

// A Node is a type to test allocators with. It has pointers of every kind, one of them
// to its own type, and fields of all sizes in an order that leaves padding.
type Node struct {
	Kind  byte
	Next  *Node
	Size  uint16
	Text  string
	Flag  bool
	Where *[4]uint64
	More  []uint64
	Count uint32
	Any   any
}

// Pointer turns a function that returns a pointer into an Allocator's New.
func Pointer[T any](get func() *T) func() (*T, *T) {
	return func() (*T, *T) {
		p := get()
		return p, p
	}
}

// Pointers turns a function that returns a slice into an Allocator's Make.
func Pointers[T any](get func(n int) []T) func(n int) (*T, []T) {
	return func(n int) (*T, []T) {
		row := get(n)
		if len(row) == 0 {
			return nil, row
		}
		return &row[0], row
	}
}
